//! Every format that a text fits is found, likeliest first, with the reason.

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::sample::select;
    use tickid_convert::{
        AnyId, Candidate, Candidates, ConvertError, Form, Format, KuidAlphabet, Layouts,
        NanoflakeText, Options, Plausibility, Reading, Source, carry, convert, detect, trimmed,
    };
    use tickid_core::UnixTime;
    use tickid_kuid::{GlobalId, LocalId, WideGlobalId};
    use tickid_nanoflake::{Epoch, NanoflakeId};
    use tickid_scru64::Scru64Id;
    use tickid_sno::SnoId;
    use tickid_testkit::config;

    const NOW: UnixTime = UnixTime::from_micros(1_750_000_000_000_000); // 2025-06-15

    fn found(text: &str) -> Candidates {
        detect(text.as_bytes(), &Layouts::default(), Some(NOW))
    }

    fn names(text: &str) -> Vec<String> {
        found(text).iter().map(|one| one.reading().to_string()).collect()
    }

    #[test]
    fn todays_texts_are_first() {
        for (text, names_of) in [
            ("0u375nxqh5cq", vec!["SCRU64"]), // no Nanoflake: it leads with a zero
            ("bppc0m3ju134", vec!["Nanoflake in Base36", "SCRU64"]),
            (
                "1541815603606036480",
                vec![
                    "Nanoflake in decimal",
                    "Discord Snowflake",
                    "pgEdge snowflake",
                    "Sonyflake",
                    "Sonyflake 2",
                    "SCRU64",
                    "Mastodon ID",
                    "kuid local",
                    "Instagram ID",
                ],
            ),
            (".5.tXVEf8n8vPN.0", vec!["kuid global"]),
            ("AGA5igPrJzJ7aYAB", vec!["kuid global in URL-safe Base64", "kuid global"]),
            ("brpk4q72xwf2m63l", vec!["sno", "kuid global in URL-safe Base64", "kuid global"]),
            ("01ARZ3NDEKTSV4RRFFQ69G5FAV", vec!["ULID"]),
            ("0ujtsYcgvSTl8PAuAdqWYSMnLOv", vec!["KSUID"]),
            ("017f22e2-79b0-7cc3-98c4-dc0c0c07398f", vec!["UUID of version 7"]),
            ("919108f7-52d1-4320-9bac-f847db4148a8", vec!["UUID of version 4"]),
            ("{919108F7-52D1-4320-9BAC-F847DB4148A8}", vec!["UUID of version 4"]),
            ("00000000-0000-0000-0000-000000000000", vec!["nil UUID"]),
            ("not an ID", vec![]),
            ("", vec![]),
        ] {
            let mut all = names(text);
            if text.len() == 16 && all.len() == 3 {
                // Two that are about as far from today.
                all[1..].sort_by_key(|name| !name.contains("URL"));
            }
            assert_eq!(all, names_of, "{text:?}");
        }
    }

    #[test]
    fn one_plausible_time_is_clear() {
        for (text, is_clear) in [
            ("0u375nxqh5cq", true),        // the only one
            ("bppc0m3ju134", true),        // the other is of the year 2715
            ("1541815603606036480", true), // Twitter's; a sequence of 0 is no accident
            ("113882101964472591", false), // of 2025-01-24 for Mastodon and as SCRU64
            ("not an ID", false),
        ] {
            assert_eq!(found(text).is_clear(), is_clear, "{text}");
        }
        let unknown = detect(b"bppc0m3ju134", &Layouts::default(), None);
        assert!(!unknown.is_clear() && unknown.len() == 2, "without a clock nothing is");
    }

    #[test]
    fn times_are_judged_by_now() {
        let at = |millis: i64| {
            let id = NanoflakeId::new((millis - Epoch::TWITTER.as_unix_millis()) << 22).unwrap();
            let text = id.encode_padded();
            let found = detect(text.as_bytes(), &Layouts::default(), Some(NOW));
            let one = found
                .iter()
                .find(|one| one.reading() == Reading::Nanoflake(id, NanoflakeText::Base36));
            let one = one.unwrap();
            assert_eq!(one.time().unwrap().as_millis(), millis);
            one.plausibility()
        };
        let now = NOW.as_millis();
        assert_eq!(at(now), Plausibility::Likely);
        assert_eq!(at(now + 86_400_000), Plausibility::Likely);
        assert_eq!(at(now + 86_400_001), Plausibility::Unlikely);
        assert_eq!(at(now - 14 * 31_556_952_000), Plausibility::Likely);
        let reserved = found("000000000000");
        assert_eq!(reserved.iter().next().unwrap().plausibility(), Plausibility::NeverIssued);
        let no_time = found("zzzzzzzzzzw");
        let kuid = no_time
            .iter()
            .find(|one| one.reading() == Reading::KuidLocal(LocalId::MAX, KuidAlphabet::Sortable));
        assert_eq!(kuid.unwrap().plausibility(), Plausibility::NeverIssued);
        let v4 = found("919108f7-52d1-4320-9bac-f847db4148a8");
        assert_eq!(v4.iter().next().unwrap().plausibility(), Plausibility::Unknown);
    }

    #[test]
    fn early_times_need_long_texts() {
        let unlikely = |text: &str, name: &str, layouts: &Layouts| {
            let found = detect(text.as_bytes(), layouts, Some(NOW));
            let one = found.iter().find(|one| one.reading().to_string() == name).unwrap();
            one.plausibility() == Plausibility::Unlikely
        };
        let twitter = Layouts::default();
        for (text, name) in [
            ("xx", "Nanoflake in Base36"),
            ("implausib", "Nanoflake in Base36"),
            ("12345", "Nanoflake in decimal"),
            ("12345", "Discord Snowflake"),
            ("12345", "Instagram ID"),
            ("2222222222222222", "sno"),
            ("000000000000000000000000000", "KSUID"),
        ] {
            assert!(unlikely(text, name, &twitter), "{text}");
        }
        let discord = Layouts { epoch: Epoch::DISCORD, ..twitter };
        assert!(unlikely("12345", "Twitter Snowflake", &discord));
        assert!(unlikely("xx", "Nanoflake in Base36", &discord));

        let day = 86_400_000;
        for (millis, is_unlikely) in [(0, true), (day - 1, true), (day, false)] {
            let id = NanoflakeId::new(millis << 22 | 4_194_303).unwrap();
            for layouts in [twitter, discord] {
                let text = id.encode_padded();
                assert_eq!(unlikely(&text, "Nanoflake in Base36", &layouts), is_unlikely);
            }
            let time = UnixTime::from_millis(1_262_304_000_000 + millis).unwrap();
            let text = SnoId::max_at(time).unwrap().to_string();
            assert_eq!(unlikely(&text, "sno", &twitter), is_unlikely, "{text}");
        }
    }

    #[test]
    fn named_texts_are_not_converted() {
        for (text, millis, kind) in [
            ("01ARZ3NDEKTSV4RRFFQ69G5FAV", Some(1_469_922_850_259), "ULID"),
            ("0ujtsYcgvSTl8PAuAdqWYSMnLOv", Some(1_507_608_047_000), "KSUID"),
            ("017f22e2-79b0-7cc3-98c4-dc0c0c07398f", Some(1_645_557_742_000), "UUID"),
            ("c232ab00-9414-11ec-b3c8-9f6bdeced846", Some(1_645_557_742_000), "UUID"),
            ("919108f7-52d1-4320-9bac-f847db4148a8", None, "UUID"),
        ] {
            let one = found(text).into_iter().next().unwrap();
            assert_eq!(one.time().map(UnixTime::as_millis), millis, "{text}");
            let error = convert::<SnoId>(one.reading(), &Options::default()).unwrap_err();
            assert_eq!(error, ConvertError::NoFields { kind });
        }
    }

    #[test]
    fn an_id_in_a_uuid_is_found_there() {
        let id = AnyId::from("brpk4q72xwf2m63l".parse::<SnoId>().unwrap());
        for uuid in [carry::to_uuid(id), carry::to_uuid_v7(id, &Layouts::default()).unwrap()] {
            let found = found(&uuid.to_string());
            let readings: Vec<Reading> = found.iter().map(|one| one.reading()).collect();
            assert_eq!(readings.len(), 2);
            assert!(readings.contains(&Reading::Carried(id)));
            assert!(readings.contains(&Reading::Uuid(uuid)));
            assert_eq!(Reading::Carried(id).id(), Some(id));
        }
    }

    proptest! {
        #![proptest_config(config(4))]

        #[test]
        fn all_texts_of_ids_are_found(
            scru64 in 0..=Scru64Id::MAX.get(), nanoflake in 0..=i64::MAX, local: u64,
            global: [u8; 12], wide: [u8; 16], sno: [u8; 10],
        ) {
            let scru64 = Scru64Id::new(scru64).unwrap();
            let nanoflake = NanoflakeId::new(nanoflake).unwrap();
            let (local, global) = (LocalId::new(local), GlobalId::from_bytes(global));
            let (wide, sno) = (WideGlobalId::from_bytes(wide), SnoId::from_bytes(sno));
            use KuidAlphabet::{Sortable, Url};
            use NanoflakeText::{Base36, Decimal};
            for (text, reading) in [
                (scru64.to_string(), Reading::Scru64(scru64)),
                (nanoflake.to_string(), Reading::Nanoflake(nanoflake, Base36)),
                (nanoflake.encode_padded().to_string(), Reading::Nanoflake(nanoflake, Base36)),
                (nanoflake.encode_decimal().to_string(), Reading::Nanoflake(nanoflake, Decimal)),
                (local.to_string(), Reading::KuidLocal(local, Sortable)),
                (local.encode_url().to_string(), Reading::KuidLocal(local, Url)),
                (global.to_string(), Reading::KuidGlobal(global, Sortable)),
                (global.encode_url().to_string(), Reading::KuidGlobal(global, Url)),
                (wide.to_string(), Reading::KuidWide(wide, Sortable)),
                (wide.encode_url().to_string(), Reading::KuidWide(wide, Url)),
                (sno.to_string(), Reading::Sno(sno)),
            ] {
                let found = found(&text);
                prop_assert!(found.iter().any(|one| one.reading() == reading), "{text}: {found:?}");
            }
        }

        /// A literal may be as long as another form of the bytes.
        #[test]
        fn literals_of_equal_bytes_are_read_alike(
            mut bytes in vec(prop_oneof![3 => b' '..=b'~', 1 => any::<u8>()], 16),
            len in select(&[8, 10, 12, 16][..]),
        ) {
            bytes.truncate(len);
            let readings = |text: &str| -> Vec<_> {
                found(text).iter().map(|one| (one.reading(), one.form())).collect()
            };
            let list = readings(&format!("{bytes:?}"));
            prop_assert!(!list.is_empty());
            for quote in ['\'', '"'] {
                let literal = format!("b{quote}{}{quote}", bytes.escape_ascii());
                prop_assert_eq!(&readings(&literal), &list, "{}", literal);
            }
        }

        /// No candidate is dropped for lack of room: digits fit the most formats.
        #[test]
        fn candidates_have_reasons(text in "[0-9]{1,20}|[2-9a-x]{16}|[0-9A-Za-z._-]{0,30}") {
            for epoch in [Epoch::TWITTER, Epoch::DISCORD, Epoch::UNIX] {
                let layouts = Layouts { epoch, ..Layouts::default() };
                let found = detect(text.as_bytes(), &layouts, Some(NOW));
                prop_assert!(found.len() <= 16);
                prop_assert_eq!(found.iter().count(), found.len());
                prop_assert!(found.iter().is_sorted_by_key(Candidate::plausibility));
                prop_assert!(found.iter().all(|one| !one.reason().is_empty()));
                if let Ok(number) = text.parse::<u64>() && !text.starts_with('0') {
                    let foreign = found.iter().filter(|one| {
                        one.reading().id().is_none() && one.format() != Format::Xid
                    });
                    let is_64_bits = number >> 63 == 1;
                    let twitter = usize::from(epoch != Epoch::TWITTER && !is_64_bits);
                    let discord = usize::from(epoch != Epoch::DISCORD || is_64_bits);
                    let of_63_bits = if is_64_bits { 0 } else { 3 };
                    let expected = 2 + twitter + discord + of_63_bits;
                    prop_assert_eq!(foreign.count(), expected, "{}", text);
                }
            }
        }

        #[test]
        fn no_text_panics(text: Vec<u8>) {
            for one in &mut detect(&text, &Layouts::default(), Some(NOW)).into_iter() {
                let _ = one.reading().parts(&Layouts::default());
            }
        }
    }

    #[test]
    fn all_forms_of_an_id_are_read() {
        let scru64 = "0u375nxqh5cq".parse::<Scru64Id>().unwrap();
        for (text, form) in [
            ("0u375nxqh5cq", Form::Text),
            ("110009624767914842", Form::Integer),
            ("0186d52bbe2a635a", Form::Hex),
            ("\\x0186d52bbe2a635a", Form::Hex),
            ("b'\\x01\\x86\\xd5+\\xbe*cZ'", Form::Bytes),
            ("<<1,134,213,43,190,42,99,90>>", Form::Bytes),
        ] {
            let found = found(text);
            let mut forms = found.iter().filter(|one| one.reading() == Reading::Scru64(scru64));
            assert_eq!(forms.next().map(Candidate::form), Some(form), "{text}");
        }
        // As a signed column shows an unsigned value.
        let signed = found("-1");
        assert!(
            signed.iter().any(
                |one| one.reading() == Reading::KuidLocal(LocalId::MAX, KuidAlphabet::Sortable)
            )
        );
    }

    /// Literals that are as long as the hexadecimal digits of their bytes.
    #[test]
    fn literals_are_told_from_digits() {
        let object_id = found(r"b'\x01\x02\x03abcdefghi'");
        let form_of = |found: &Candidates, is: fn(Reading) -> bool| {
            found.iter().find(|one| is(one.reading())).map(Candidate::form)
        };
        let form = form_of(&object_id, |reading| matches!(reading, Reading::ObjectId(_)));
        assert_eq!(form, Some(Form::Bytes));
        let uuid = found(r"b'\x12\xa2\xb4A\n0A7\x89abcdefg'");
        let form = form_of(&uuid, |reading| matches!(reading, Reading::Uuid(_)));
        assert_eq!(form, Some(Form::Bytes), "{uuid:?}");
    }

    #[test]
    fn certain_are_only_texts_with_marks() {
        for (text, is_certain) in [
            ("017f22e2-79b0-7cc3-98c4-dc0c0c07398f", true),
            ("urn:uuid:919108f7-52d1-4320-9bac-f847db4148a8", true),
            ("00000000-0000-0000-0000-000000000000", true),
            ("4e6f2160-a0ff-89a0-a840-cc0001c70745", true), // a sno ID
            ("user_01j1hzw2p7es59rpw0qfqnr7bc", true),
            ("user_2pcvmm1w00e4hr28t5cy4tqkff", false), // of the year 4980; version 7 by accident
            ("01ARZ3NDEKTSV4RRFFQ69G5FAV", true),
            ("01arz3ndektsv4rrffq69g5fav", false), // or a TypeID's digits
            ("017f22e279b07cc398c4dc0c0c07398f", false),
            ("919108f7-52d1-f320-9bac-f847db4148a8", false), // no version
            ("0ujtsYcgvSTl8PAuAdqWYSMnLOv", false),
            ("0u375nxqh5cq", false),
            ("1541815603606036480", false),
            ("", false),
        ] {
            assert_eq!(found(text).is_certain(), is_certain, "{text}: {:?}", found(text));
        }
    }

    #[test]
    fn fields_cover_all_bits() {
        for text in [
            "0u375nxqh5cq",
            "bppc0m3ju134",
            "brpk4q72xwf2m63l",
            ".5.tXVEf8n8vPN.0",
            "175928847299117063",
            "01ARZ3NDEKTSV4RRFFQ69G5FAV",
            "0ujtsYcgvSTl8PAuAdqWYSMnLOv",
            "9m4e2mr0ui3e8a215n4g",
            "507f1f77bcf86cd799439011",
            "c232ab00-9414-11ec-b3c8-9f6bdeced846",
            "4e6f2160-a0ff-89a0-a840-cc0001c70745",
            "AGA5igPrJzJ7aYABAGA5ig",
        ] {
            for one in found(text) {
                let reading = one.reading();
                let fields: Vec<_> = reading.fields(&Layouts::default()).collect();
                let bits: u32 = fields.iter().map(|field| field.bits()).sum();
                assert_eq!(usize::try_from(bits).unwrap(), 8 * reading.bytes().len(), "{text}");
                let starts = fields.iter().map(|field| field.start());
                assert!(starts.is_sorted() && fields.len() > 1 || text.contains('-'), "{text}");
            }
        }
    }

    #[test]
    fn what_is_pasted_around_an_id_is_removed() {
        for pasted in [
            "x",
            " x\t",
            "\"x\"",
            "'x',",
            "`x`;",
            " \"x\" , ",
            "x\r\n",
            "(x)",
            "\u{a0}x\u{200b}",
            "\u{feff}\u{201c}x\u{201d}",
            "\u{ab} x \u{bb},",
            "\"id\": \"x\",",
            "\"id\":x",
            "ObjectId(\"x\")",
            "uuid.UUID('x'),",
        ] {
            assert_eq!(trimmed(pasted.as_bytes()), b"x", "{pasted:?}");
        }
        for plain in ["", "\"", "x\"", "b'x'", "{x}", "x)", "x-y(z)", "[1, 2]", "\u{201a}x"] {
            assert_eq!(trimmed(plain.as_bytes()), plain.as_bytes());
        }
    }

    #[test]
    fn digits_fit_most_formats() {
        let unix = Layouts { epoch: Epoch::UNIX, ..Layouts::default() };
        for (digits, formats) in [("222222222222", 12), ("2222222222222222", 16)] {
            let found = detect(digits.as_bytes(), &unix, Some(NOW));
            assert_eq!(found.len(), formats, "{found:?}");
        }
    }
}
