//! Properties of IDs, nodes and vector clocks, against oracles that share no code with the crate.

#![cfg(feature = "alloc")]

#[cfg(test)]
mod tests {
    use core::cmp::Ordering;
    use std::collections::BTreeMap;

    use base64::Engine as _;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;
    use data_encoding::{Encoding, Specification};
    use proptest::prelude::*;
    use proptest::sample::select;
    use tickid_kuid::core::Scheme;
    use tickid_kuid::vector_clock::{Difference, Entry};
    use tickid_kuid::{
        Drift, GlobalId, Kuid, LocalId, Node, RangeError, UnixTime, VectorClock, WideGlobalId,
    };

    const SORTABLE: &str = ".0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz";
    /// The last microsecond of the format.
    const LAST_MICRO: i64 = 1_048_575_999_999_999_999;

    mod text {
        use super::*;

        proptest! {
            #[test]
            fn parsing_what_is_printed_gives_the_id(
                local in local(), global in global(), wide in wide(), node in node(),
            ) {
                prop_assert_eq!(local.to_string().parse(), Ok(local));
                prop_assert_eq!(LocalId::parse_url(local.encode_url().as_bytes()), Ok(local));
                prop_assert_eq!(global.to_string().parse(), Ok(global));
                prop_assert_eq!(GlobalId::parse_url(global.encode_url().as_bytes()), Ok(global));
                prop_assert_eq!(wide.to_string().parse(), Ok(wide));
                prop_assert_eq!(WideGlobalId::parse_url(wide.encode_url().as_bytes()), Ok(wide));
                prop_assert_eq!(node.to_string().parse(), Ok(node));
            }

            #[test]
            fn texts_are_those_of_other_libraries(
                local in local(), global in global(), wide in wide(), node in node(),
            ) {
                let sortable = sortable();
                let (bytes, url) = (local.to_be_bytes(), local.encode_url());
                prop_assert_eq!(local.to_string(), sortable.encode(&bytes));
                prop_assert_eq!(url.as_str(), URL_SAFE_NO_PAD.encode(bytes));
                let (bytes, url) = (global.to_bytes(), global.encode_url());
                prop_assert_eq!(global.to_string(), sortable.encode(&bytes));
                prop_assert_eq!(url.as_str(), URL_SAFE_NO_PAD.encode(bytes));
                let (bytes, url) = (wide.to_bytes(), wide.encode_url());
                prop_assert_eq!(wide.to_string(), sortable.encode(&bytes));
                prop_assert_eq!(url.as_str(), URL_SAFE_NO_PAD.encode(bytes));
                prop_assert_eq!(node.to_string(), format!("{:08x}", node.get()));
            }

            /// Also that we take what other libraries take, as they are strict about low bits as well.
            #[test]
            fn any_bytes_are_refused_or_the_one_canonical_text(bytes in texts()) {
                let sortable = sortable().decode(&bytes).ok();
                let url = URL_SAFE_NO_PAD.decode(&bytes).ok();
                macro_rules! check {
                    ($id:ty, $into:ty) => {
                        let parsed = <$id>::parse_bytes(&bytes).ok();
                        let expected = sortable.clone().and_then(|bytes| <$into>::try_from(bytes).ok());
                        prop_assert_eq!(parsed, expected.map(<$id>::from));
                        if let Some(id) = parsed {
                            prop_assert!(id.encode().as_bytes() == bytes);
                        }
                        let parsed = <$id>::parse_url(&bytes).ok();
                        let expected = url.clone().and_then(|bytes| <$into>::try_from(bytes).ok());
                        prop_assert_eq!(parsed, expected.map(<$id>::from));
                        if let Some(id) = parsed {
                            prop_assert!(id.encode_url().as_bytes() == bytes);
                        }
                    };
                }
                check!(LocalId, [u8; 8]);
                check!(GlobalId, [u8; 12]);
                check!(WideGlobalId, [u8; 16]);
            }
        }

        /// Canonical texts, such texts with one byte changed, added or removed, and texts of one alphabet
        /// of any length.
        fn texts() -> impl Strategy<Value = Vec<u8>> {
            let canonical = prop_oneof![
                local().prop_map(|id| id.to_string()),
                local().prop_map(|id| id.encode_url().to_string()),
                global().prop_map(|id| id.to_string()),
                global().prop_map(|id| id.encode_url().to_string()),
                wide().prop_map(|id| id.to_string()),
                wide().prop_map(|id| id.encode_url().to_string()),
            ]
            .prop_map(String::into_bytes);
            let byte = prop_oneof![select(SORTABLE.as_bytes()), any::<u8>()].boxed();
            let edited = (canonical.clone(), any::<prop::sample::Index>(), byte.clone());
            prop_oneof![
                canonical,
                edited.clone().prop_map(|(mut text, at, byte)| {
                    let at = at.index(text.len());
                    text[at] = byte;
                    text
                }),
                edited.clone().prop_map(|(mut text, _, byte)| {
                    text.pop();
                    text.push(byte);
                    text
                }),
                edited.clone().prop_map(|(mut text, at, byte)| {
                    text.insert(at.index(text.len() + 1), byte);
                    text
                }),
                edited.prop_map(|(mut text, at, _)| {
                    text.remove(at.index(text.len()));
                    text
                }),
                prop::collection::vec(byte, 0..40),
            ]
        }

        fn sortable() -> Encoding {
            let mut specification = Specification::new();
            specification.symbols = SORTABLE.into();
            specification.encoding().unwrap()
        }
    }

    mod order {
        use super::*;

        proptest! {
            #[test]
            fn integers_bytes_and_texts_order_alike(
                locals in near(local()), globals in near(global()), wides in near(wide()),
            ) {
                let [one, other] = locals;
                let order = one.cmp(&other);
                prop_assert_eq!(one.get().cmp(&other.get()), order);
                prop_assert_eq!(one.to_be_bytes().cmp(&other.to_be_bytes()), order);
                prop_assert_eq!(one.to_string().cmp(&other.to_string()), order);
                let [one, other] = globals;
                let order = one.cmp(&other);
                prop_assert_eq!(u128::from(one).cmp(&u128::from(other)), order);
                prop_assert_eq!(one.to_bytes().cmp(&other.to_bytes()), order);
                prop_assert_eq!(one.to_string().cmp(&other.to_string()), order);
                let [one, other] = wides;
                let order = one.cmp(&other);
                prop_assert_eq!(u128::from(one).cmp(&u128::from(other)), order);
                prop_assert_eq!(one.to_bytes().cmp(&other.to_bytes()), order);
                prop_assert_eq!(one.to_string().cmp(&other.to_string()), order);
            }

            #[test]
            fn local_ids_of_valid_times_order_by_time_then_sequence(ids in [valid(), valid()]) {
                let [one, other] = ids;
                let by_time = (one.unix_time(), one.sequence()).cmp(&(other.unix_time(), other.sequence()));
                prop_assert_eq!(one.cmp(&other), by_time);
            }

            #[test]
            fn global_ids_of_one_node_order_as_the_local_ones(
                locals in [local(), local()], node in node(), wide in any::<u64>(), drift in drift(),
            ) {
                let [one, other] = locals.map(|id| GlobalId::from_local(id, node, drift));
                prop_assert_eq!(one.cmp(&other), locals[0].cmp(&locals[1]));
                let [one, other] = locals.map(|id| WideGlobalId::from_local(id, wide, drift));
                prop_assert_eq!(one.cmp(&other), locals[0].cmp(&locals[1]));
            }

            /// What k-ordered means: of two IDs the lower is never 2^I seconds or more later.
            #[test]
            fn across_nodes_ids_order_by_time_to_within_the_interval(
                locals in [clustered(), clustered()],
                nodes in [node(), node()],
                wides in any::<[u64; 2]>(),
                drift in drift(),
            ) {
                let interval = i64::from(1u16 << drift.get()) * 1_000_000;
                let later = |one: UnixTime, other: UnixTime| one.as_micros() - other.as_micros();
                let mut ids = [0, 1].map(|i| GlobalId::from_local(locals[i], nodes[i], drift));
                ids.sort();
                let [lower, higher] = ids.map(|id| id.unix_time(drift));
                prop_assert!(later(lower, higher) < interval);
                let mut ids = [0, 1].map(|i| WideGlobalId::from_local(locals[i], wides[i], drift));
                ids.sort();
                let [lower, higher] = ids.map(|id| id.unix_time(drift));
                prop_assert!(later(lower, higher) < interval);
            }

            /// In a whole sorted list no ID is 2^I seconds or more before one that stands before it.
            #[test]
            fn a_sorted_list_is_in_order_of_time_to_within_the_interval(
                ids in prop::collection::vec((clustered(), node()), 2..60), drift in drift(),
            ) {
                let global = |(local, node)| GlobalId::from_local(local, node, drift);
                let mut ids: Vec<_> = ids.into_iter().map(global).collect();
                ids.sort();
                let interval = i64::from(1u16 << drift.get()) * 1_000_000;
                let mut latest = i64::MIN;
                for id in ids {
                    let micros = id.unix_time(drift).as_micros();
                    prop_assert!(latest.saturating_sub(micros) < interval);
                    latest = latest.max(micros);
                }
            }

            #[test]
            fn within_a_neighborhood_nodes_come_before_time(
                base in valid(), seconds in any::<[u32; 2]>(), nodes in [node(), node()], drift in drift(),
            ) {
                let ids = [0, 1].map(|i| {
                    let low = seconds[i] & ((1 << drift.get()) - 1);
                    let seconds = base.seconds() >> drift.get() << drift.get() | low;
                    let local = LocalId::from_parts(base.mega_seconds(), seconds, 0, 0).unwrap();
                    GlobalId::from_local(local, nodes[i], drift)
                });
                if nodes[0] != nodes[1] {
                    prop_assert_eq!(ids[0].cmp(&ids[1]), nodes[0].cmp(&nodes[1]));
                }
            }
        }

        /// A value and another that often differs from it in one bit only.
        fn near<T>(ids: impl Strategy<Value = T>) -> impl Strategy<Value = [T; 2]>
        where
            T: Copy + core::fmt::Debug + Bits,
        {
            let changed = (ids, 0..T::BITS).prop_map(|(id, bit)| [id, id.flip(bit)]);
            changed.prop_flat_map(|[id, changed]| {
                prop_oneof![Just([id, changed]), Just([changed, id]), Just([id, id])]
            })
        }

        trait Bits {
            const BITS: u32;
            fn flip(self, bit: u32) -> Self;
        }

        macro_rules! bits {
            ($id:ty, $int:ty, $bits:literal) => {
                impl Bits for $id {
                    const BITS: u32 = $bits;
                    fn flip(self, bit: u32) -> Self {
                        Self::try_from(<$int>::from(self) ^ 1 << bit).unwrap()
                    }
                }
            };
        }
        bits!(LocalId, u64, 64);
        bits!(GlobalId, u128, 96);
        bits!(WideGlobalId, u128, 128);

        /// IDs of valid times within a quarter of an hour, where nodes and times compete.
        fn clustered() -> impl Strategy<Value = LocalId> {
            let micros = 1_539_999_500_000_000i64..1_540_000_400_000_000;
            (micros, 0u32..=0x3fff).prop_map(|(micros, sequence)| local_at(micros, sequence))
        }
    }

    mod fields {
        use super::*;

        proptest! {
            #[test]
            fn a_local_id_is_its_fields_in_a_row(
                a in 0u32..1 << 20, b in 0u32..1 << 20, c in 0u32..1 << 20, seq in 0u32..1 << 14,
            ) {
                let id = LocalId::from_parts(a, b, c, seq).unwrap();
                let bits = format!("{a:020b}{b:020b}{:010b}{seq:014b}", c / 1_024);
                prop_assert_eq!(id.get(), u64::from_str_radix(&bits, 2).unwrap());
                prop_assert_eq!((id.mega_seconds(), id.seconds()), (a, b));
                prop_assert_eq!((id.micro_seconds(), id.sequence()), (c - c % 1_024, seq));
            }

            #[test]
            fn global_ids_are_their_fields_in_a_row(
                a in 0u32..1 << 20, b in 0u32..1 << 20, step in 0u32..1 << 10, seq in 0u32..1 << 14,
                node in node(), wide in any::<u64>(), drift in drift(),
            ) {
                let local = LocalId::from_parts(a, b, step * 1_024, seq).unwrap();
                let b_bits = format!("{b:020b}");
                let (b0, b1) = b_bits.split_at(20 - usize::from(drift.get()));
                let in_a_row = |node: String| {
                    let bits = format!("{a:020b}{b0}{node}{b1}{step:010b}{seq:014b}");
                    u128::from_str_radix(&bits, 2).unwrap()
                };
                let id = GlobalId::from_local(local, node, drift);
                prop_assert_eq!(u128::from(id), in_a_row(format!("{:032b}", node.get())));
                prop_assert_eq!(id.node(drift), node);
                prop_assert_eq!(id.to_local(drift), local);
                prop_assert_eq!((id.mega_seconds(), id.seconds(drift)), (a, b));
                prop_assert_eq!((id.micro_seconds(), id.sequence()), (step * 1_024, seq));
                prop_assert_eq!(id.tick(drift), local.tick());
                let id = WideGlobalId::from_local(local, wide, drift);
                prop_assert_eq!(u128::from(id), in_a_row(format!("{wide:064b}")));
                prop_assert_eq!(id.node(drift), wide);
                prop_assert_eq!(id.to_local(drift), local);
                prop_assert_eq!((id.mega_seconds(), id.seconds(drift)), (a, b));
                prop_assert_eq!((id.micro_seconds(), id.sequence()), (step * 1_024, seq));
                prop_assert_eq!(id.tick(drift), local.tick());
            }

            #[test]
            fn any_bit_pattern_is_an_id_in_every_form(
                local in any::<u64>(), global in any::<[u8; 12]>(), wide in any::<u128>(),
                drift in drift(),
            ) {
                let id = LocalId::from(local);
                prop_assert_eq!(u64::from(id), local);
                prop_assert_eq!(<[u8; 8]>::from(id), local.to_be_bytes());
                prop_assert_eq!(LocalId::from(local.to_be_bytes()), id);

                let id = GlobalId::from(global);
                prop_assert_eq!(<[u8; 12]>::from(id), global);
                prop_assert_eq!(GlobalId::try_from(u128::from(id)), Ok(id));
                prop_assert_eq!(GlobalId::from_local(id.to_local(drift), id.node(drift), drift), id);

                let id = WideGlobalId::from(wide);
                prop_assert_eq!(u128::from(id), wide);
                prop_assert_eq!(<[u8; 16]>::from(id), wide.to_be_bytes());
                let again = WideGlobalId::from_local(id.to_local(drift), id.node(drift), drift);
                prop_assert_eq!(again, id);
            }

            #[test]
            fn parts_out_of_range_are_errors_that_name_them(
                parts in [part(20), part(20), part(20), part(14)],
            ) {
                let [a, b, c, seq] = parts;
                let fields = [
                    ("kuid mega-seconds", a, 0xf_ffff),
                    ("kuid seconds", b, 0xf_ffff),
                    ("kuid microseconds", c, 0xf_ffff),
                    ("kuid sequence", seq, 0x3fff),
                ];
                let wrong = fields.into_iter().find(|(_, value, max)| value > max);
                let error = LocalId::from_parts(a, b, c, seq).err();
                prop_assert_eq!(error, wrong.map(|(what, value, max)| {
                    RangeError::new(what, value.into(), 0, max.into())
                }));
            }

            #[test]
            fn integers_out_of_range_are_errors_that_name_them(
                signed in any::<i64>(), local in any::<u64>(), wide in any::<u128>(), shift in 0u32..128,
            ) {
                let expected = u64::try_from(signed).map(LocalId::new).map_err(|_| signed.into());
                let error = |error: RangeError| error.value();
                prop_assert_eq!(LocalId::try_from(signed).map_err(error), expected);

                let expected = i64::try_from(local).map_err(|_| local.into());
                prop_assert_eq!(i64::try_from(LocalId::new(local)).map_err(error), expected);

                let value = wide >> shift;
                match GlobalId::try_from(value) {
                    Ok(id) => prop_assert_eq!(u128::from(id), value),
                    Err(error) => {
                        prop_assert!(value >> 96 > 0);
                        prop_assert_eq!(error.value(), i128::try_from(value).unwrap_or(i128::MAX));
                        prop_assert_eq!((error.min(), error.max()), (0, (1 << 96) - 1));
                    }
                }
            }

            #[test]
            fn an_id_is_cast_to_local_at_its_own_node_only(
                id in global(), other in node(), drift in drift(),
            ) {
                let own = id.node(drift);
                prop_assert_eq!(id.to_local_of(own, drift), Ok(id.to_local(drift)));
                if other != own {
                    let error = id.to_local_of(other, drift).unwrap_err();
                    prop_assert_eq!((error.expected(), error.found()), (other, own));
                }
            }

            #[test]
            fn times_are_plain_arithmetic(local in local(), node in node(), drift in drift()) {
                let (a, b, c) = (local.mega_seconds(), local.seconds(), local.micro_seconds());
                let seconds = i128::from(a) * 1_000_000 + i128::from(b);
                let micros = seconds * 1_000_000 + i128::from(c);
                let time = local.unix_time();
                prop_assert_eq!(i128::from(time.as_micros()), micros);
                // As the library's `t/1` has it.
                prop_assert_eq!(i128::from(time.as_millis()), seconds * 1_000 + i128::from(c / 1_000));
                let global = GlobalId::from_local(local, node, drift);
                prop_assert_eq!(global.unix_time(drift), time);
                prop_assert_eq!(Kuid { drift }.unix_time(global), time);
                let wide = WideGlobalId::from_local(local, node.get().into(), drift);
                prop_assert_eq!(wide.unix_time(drift), time);
                let is_valid = b < 1_000_000 && c < 1_000_000;
                prop_assert_eq!(local.tick().is_some(), is_valid);
            }

            #[test]
            fn distances_are_differences_with_a_sign_on_every_part(
                ids in [local(), local()], node in node(), drift in drift(),
            ) {
                let [one, other] = ids;
                let distance = one.distance(other);
                let micros = one.unix_time().as_micros() - other.unix_time().as_micros();
                prop_assert_eq!(distance.as_micros(), micros);
                let parts =
                    [distance.mega_seconds(), distance.seconds(), distance.micro_seconds()];
                let [a, b, c] = parts;
                prop_assert_eq!(a * 1_000_000_000_000 + b * 1_000_000 + c, micros);
                prop_assert!(parts.iter().all(|part| part.signum() * micros.signum() >= 0));
                prop_assert!(b.abs() < 1_000_000 && c.abs() < 1_000_000);
                let sequences = [one, other].map(|id| i64::from(id.sequence()));
                prop_assert_eq!(i64::from(distance.sequence()), sequences[0] - sequences[1]);
                let [one, other] = ids.map(|id| GlobalId::from_local(id, node, drift));
                prop_assert_eq!(one.distance(other, drift), Ok(distance));
            }
        }

        /// A number of `bits` bits, or about as many, or any.
        fn part(bits: u32) -> impl Strategy<Value = u32> {
            let end = 1u32 << bits;
            prop_oneof![6 => 0..end, 1 => end - 2..end + 2, 1 => any::<u32>()]
        }
    }

    mod ranges {
        use super::*;

        proptest! {
            #[test]
            fn ranges_are_exact_at_the_edges_of_ticks(
                second in second(), step in 0i64..977, within in 0i64..1_024,
                node in node(), seq in 0u32..1 << 14, drift in drift(),
            ) {
                let begin = second * 1_000_000 + step * 1_024;
                // The last tick of a second ends with the second.
                let end = (begin + 1_024).min((second + 1) * 1_000_000);
                let time = UnixTime::from_micros((begin + within).min(end - 1));
                let (min, max) = (LocalId::min_at(time).unwrap(), LocalId::max_at(time).unwrap());
                prop_assert_eq!(min, local_at(begin, 0));
                prop_assert_eq!(max, local_at(begin, 0x3fff));
                for micros in [begin, end - 1] {
                    prop_assert_eq!(LocalId::min_at(UnixTime::from_micros(micros)), Ok(min));
                    prop_assert_eq!(LocalId::max_at(UnixTime::from_micros(micros)), Ok(max));
                }
                if begin > 0 {
                    prop_assert!(LocalId::max_at(UnixTime::from_micros(begin - 1)).unwrap() < min);
                }
                if end <= LAST_MICRO {
                    prop_assert!(LocalId::min_at(UnixTime::from_micros(end)).unwrap() > max);
                }

                let kuid = Kuid { drift };
                let (min, max) = (kuid.min_at(time).unwrap(), kuid.max_at(time).unwrap());
                let id = GlobalId::from_local(local_at(begin, seq), node, drift);
                prop_assert!(min <= id && id <= max);
                for (edge, node, seq) in [(min, 0, 0), (max, u32::MAX, 0x3fff)] {
                    prop_assert_eq!(edge.node(drift), Node::from_u32(node));
                    prop_assert_eq!(edge.to_local(drift), local_at(begin, seq));
                }
                let min = WideGlobalId::min_at(time, drift).unwrap();
                let max = WideGlobalId::max_at(time, drift).unwrap();
                for (edge, node, seq) in [(min, 0, 0), (max, u64::MAX, 0x3fff)] {
                    prop_assert_eq!(edge.node(drift), node);
                    prop_assert_eq!(edge.to_local(drift), local_at(begin, seq));
                }
            }

            /// A scan finds all IDs of its times, and of other times none further off than the interval.
            #[test]
            fn a_scan_finds_every_id_of_its_times(
                from in 1_539_999_000_000_000i64..1_540_001_000_000_000,
                len in 0i64..600_000_000,
                offset in -1_300_000_000i64..1_300_000_000,
                seq in 0u32..1 << 14, node in node(), drift in drift(),
            ) {
                let kuid = Kuid { drift };
                let to = from + len;
                let scan = kuid.min_at(UnixTime::from_micros(from)).unwrap()
                    ..=kuid.max_at(UnixTime::from_micros(to)).unwrap();
                let micros = from + offset;
                let id = GlobalId::from_local(local_at(micros, seq), node, drift);
                if (from..=to).contains(&micros) {
                    prop_assert!(scan.contains(&id));
                }
                let interval = i64::from(1u16 << drift.get()) * 1_000_000;
                if micros < from - interval || micros > to + interval {
                    prop_assert!(!scan.contains(&id));
                }
            }

            #[test]
            fn times_outside_of_the_format_are_errors_that_name_them(
                time in prop_oneof![any::<i64>(), i64::MIN..0, LAST_MICRO - 9..=i64::MAX],
                drift in drift(),
            ) {
                let unix = UnixTime::from_micros(time);
                let expected = if (0..=LAST_MICRO).contains(&time) {
                    None
                } else {
                    Some(RangeError::new("time in microseconds", time.into(), 0, LAST_MICRO.into()))
                };
                prop_assert_eq!(LocalId::min_at(unix).err(), expected);
                prop_assert_eq!(LocalId::max_at(unix).err(), expected);
                prop_assert_eq!(Kuid { drift }.min_at(unix).err(), expected);
                prop_assert_eq!(Kuid { drift }.max_at(unix).err(), expected);
                prop_assert_eq!(WideGlobalId::min_at(unix, drift).err(), expected);
                prop_assert_eq!(WideGlobalId::max_at(unix, drift).err(), expected);
                prop_assert_eq!(Kuid { drift }.tick_at(unix).err(), expected);
            }

            #[test]
            fn ticks_and_times_agree(second in second(), step in 0i64..977) {
                let time = UnixTime::from_micros(second * 1_000_000 + step * 1_024);
                let tick = Kuid::default().tick_at(time).unwrap();
                prop_assert_eq!(i64::try_from(tick.get()).unwrap(), second * 977 + step);
                prop_assert_eq!(Kuid::default().time_of(tick), time);
                let id = LocalId::min_at(time).unwrap();
                prop_assert_eq!(id.tick(), Some(tick));
                prop_assert_eq!(id.unix_time(), time);
            }
        }

        /// Seconds since 1970, often at the ends of the format and of a million.
        fn second() -> impl Strategy<Value = i64> {
            let last = LAST_MICRO / 1_000_000;
            prop_oneof![
                0..=last,
                Just(0),
                Just(last),
                1_539_000_000i64..1_541_000_000,
                (0i64..1 << 20).prop_map(|mega| mega * 1_000_000),
                (0i64..1 << 20).prop_map(|mega| mega * 1_000_000 + 999_999),
            ]
        }
    }

    mod nodes {
        use super::*;

        proptest! {
            #[test]
            fn names_are_hashed_by_their_latin_1_or_utf_8_bytes(name in names()) {
                let hash = weinberger(&name);
                prop_assert_eq!(Node::phash2(&name).get(), hash);
                prop_assert_eq!(Node::phash(&name).get(), hash + 1);
            }

            #[test]
            fn fingerprints_of_names_have_28_bits(name in names()) {
                prop_assert!(Node::phash2(&name).get() < 1 << 28);
                prop_assert!(Node::phash(&name).get() <= 1 << 28);
            }

            #[test]
            fn any_fingerprint_is_a_node(fingerprint in any::<u32>()) {
                let node = Node::from_u32(fingerprint);
                prop_assert_eq!((node.get(), u32::from(node)), (fingerprint, fingerprint));
                prop_assert_eq!(node.to_be_bytes(), fingerprint.to_be_bytes());
                prop_assert_eq!(Node::from(fingerprint.to_be_bytes()), node);
                prop_assert_eq!(<[u8; 4]>::from(node), fingerprint.to_be_bytes());
            }

            #[test]
            fn a_drift_outside_5_to_10_is_an_error(bits in any::<u8>()) {
                match Drift::new(bits) {
                    Ok(drift) => {
                        prop_assert!((5..=10).contains(&bits));
                        prop_assert_eq!(drift.get(), bits);
                        prop_assert_eq!(drift.interval().as_secs(), 2u64.pow(bits.into()));
                    }
                    Err(error) => {
                        prop_assert!(!(5..=10).contains(&bits));
                        prop_assert_eq!(
                            error,
                            RangeError::new("kuid drift in bits", bits.into(), 5, 10)
                        );
                    }
                }
            }
        }

        fn names() -> impl Strategy<Value = String> {
            let character = prop_oneof![
                any::<char>(),
                prop::char::range('\u{0}', '\u{7f}'),
                prop::char::range('\u{80}', '\u{ff}'),
                prop::char::range('\u{100}', '\u{7ff}'),
                // The highest that count as one byte, which fill the hash up.
                Just('\u{ff}'),
            ];
            prop::collection::vec(character, 0..40).prop_map(String::from_iter)
        }

        /// In 64 bits, where nothing is lost on the way.
        fn weinberger(name: &str) -> u32 {
            let mut bytes = Vec::new();
            for character in name.chars() {
                match u8::try_from(u32::from(character)) {
                    Ok(latin_1) => bytes.push(latin_1),
                    Err(_) => bytes.extend_from_slice(character.to_string().as_bytes()),
                }
            }
            let mut hash = 0u64;
            for byte in bytes {
                hash = (hash * 16 + u64::from(byte)) % (1 << 32);
                let top = hash >> 28;
                hash = (hash % (1 << 28)) ^ (top << 4);
            }
            u32::try_from(hash).unwrap()
        }
    }

    mod clocks {
        use super::*;

        type Model = BTreeMap<u8, u64>;

        proptest! {
            #[test]
            fn clocks_do_as_a_map_of_the_latest_ids(lists in [entries(), entries()], peer in 0u8..8) {
                let [a, b] = lists.clone().map(|list| clock(&list));
                let [map_a, map_b] = lists.map(|list| model(&list));
                let covers = |one: &Model, other: &Model, except: Option<u8>| {
                    other.iter().all(|(node, id)| {
                        Some(*node) == except || one.get(node).is_some_and(|known| known >= id)
                    })
                };
                prop_assert_eq!(a.descends(&b), covers(&map_a, &map_b, None));
                prop_assert_eq!(a.descends_except(&peer, &b), covers(&map_a, &map_b, Some(peer)));
                prop_assert_eq!(a == b, map_a == map_b);

                let mut joined = map_a.clone();
                for (node, id) in &map_b {
                    let known = joined.entry(*node).or_insert(*id);
                    *known = (*known).max(*id);
                }
                let join = a.join(&b);
                prop_assert!(join.entries().iter().map(|entry| (entry.node, entry.id.get())).eq(joined));

                // Which nodes differ, in the order of `b`, and by how much.
                let differing: Vec<_> = a.diff(&b).map(|difference| match difference {
                    Difference::Missing(Entry { node, id }) => (*node, id.get(), None),
                    Difference::Behind { node, distance } => {
                        (*node, map_b[node], Some(distance))
                    }
                    other => panic!("{other:?}"),
                }).collect();
                let expected: Vec<_> = b.entries().iter().filter_map(|entry| {
                    let (node, id) = (entry.node, entry.id);
                    match map_a.get(&node) {
                        None => Some((node, id.get(), None)),
                        Some(&known) if known < id.get() => {
                            Some((node, id.get(), Some(id.distance(LocalId::new(known)))))
                        }
                        Some(_) => None,
                    }
                }).collect();
                prop_assert_eq!(differing, expected);
            }

            #[test]
            fn a_join_is_the_least_that_descends_from_both(
                lists in [entries(), entries(), entries()],
            ) {
                let [a, b, c] = lists.map(|list| clock(&list));
                let join = a.join(&b);
                prop_assert!(join >= a && join >= b);
                prop_assert_eq!(&join, &b.join(&a));
                prop_assert_eq!(join.join(&c), a.join(&b.join(&c)));
                prop_assert_eq!(&a.join(&a), &a);
                if c >= a && c >= b {
                    prop_assert!(c >= join);
                }
                prop_assert!(c.join(&join) >= join);
            }

            #[test]
            fn clocks_are_in_causal_order(lists in [entries(), entries()]) {
                let [a, b] = lists.map(|list| clock(&list));
                let order = match (a.descends(&b), b.descends(&a)) {
                    (true, true) => Some(Ordering::Equal),
                    (true, false) => Some(Ordering::Greater),
                    (false, true) => Some(Ordering::Less),
                    (false, false) => None,
                };
                prop_assert_eq!(a.partial_cmp(&b), order);
                prop_assert_eq!(a == b, order == Some(Ordering::Equal));
                prop_assert_eq!(a.diff(&b).next().is_none(), a.descends(&b));
            }

            #[test]
            fn recording_keeps_the_latest_of_each_node(list in entries()) {
                let mut recorded = VectorClock::new();
                let mut map = Model::new();
                for entry in &list {
                    let is_later = map.get(&entry.node).is_none_or(|known| *known < entry.id.get());
                    prop_assert_eq!(recorded.record(entry.node, entry.id), is_later);
                    if is_later {
                        map.insert(entry.node, entry.id.get());
                        prop_assert_eq!(recorded.entries()[0], *entry);
                    }
                }
                prop_assert_eq!(&recorded, &clock(&list));
                for node in 0..8 {
                    let known = map.get(&node).copied().map(LocalId::new);
                    prop_assert_eq!(recorded.get(&node), known);
                }
            }
        }

        /// Few nodes and IDs, so that they meet.
        fn entries() -> impl Strategy<Value = Vec<Entry<u8>>> {
            let entry =
                (0u8..8, 0u64..6).prop_map(|(node, id)| Entry { node, id: LocalId::new(id) });
            prop::collection::vec(entry, 0..10)
        }

        fn clock(entries: &[Entry<u8>]) -> VectorClock<u8> {
            entries.iter().copied().collect()
        }

        fn model(entries: &[Entry<u8>]) -> Model {
            let mut model = Model::new();
            for entry in entries {
                let known = model.entry(entry.node).or_default();
                *known = (*known).max(entry.id.get());
            }
            model
        }
    }

    fn local() -> impl Strategy<Value = LocalId> + Clone {
        prop_oneof![
            any::<u64>().prop_map(LocalId::new),
            select(vec![LocalId::MIN, LocalId::MAX]),
            valid(),
        ]
    }

    /// IDs of valid times.
    fn valid() -> impl Strategy<Value = LocalId> + Clone {
        let micros = prop_oneof![0..=LAST_MICRO, 1_500_000_000_000_000i64..1_800_000_000_000_000];
        (micros, 0u32..=0x3fff).prop_map(|(micros, sequence)| local_at(micros, sequence))
    }

    /// By arithmetic of its own.
    fn local_at(micros: i64, sequence: u32) -> LocalId {
        let part = |value: i64| u32::try_from(value).unwrap();
        let a = part(micros / 1_000_000_000_000);
        let b = part(micros / 1_000_000 % 1_000_000);
        LocalId::from_parts(a, b, part(micros % 1_000_000), sequence).unwrap()
    }

    fn global() -> impl Strategy<Value = GlobalId> + Clone {
        prop_oneof![
            any::<[u8; 12]>().prop_map(GlobalId::from_bytes),
            select(vec![GlobalId::MIN, GlobalId::MAX]),
        ]
    }

    fn wide() -> impl Strategy<Value = WideGlobalId> + Clone {
        prop_oneof![
            any::<u128>().prop_map(WideGlobalId::from),
            select(vec![WideGlobalId::MIN, WideGlobalId::MAX]),
        ]
    }

    fn node() -> impl Strategy<Value = Node> + Clone {
        prop_oneof![any::<u32>(), Just(0), Just(u32::MAX)].prop_map(Node::from_u32)
    }

    fn drift() -> impl Strategy<Value = Drift> + Clone {
        (5u8..=10).prop_map(|bits| Drift::new(bits).unwrap())
    }
}
