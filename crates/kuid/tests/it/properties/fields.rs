//! Fields, integers, distances.

use super::*;

/// Asserts the fields of a local ID, and of its global forms, against the documented layout for
/// `drift`.
fn assert_in_a_row(fields: [u32; 4], node: Node, wide: u64, drift: Drift) {
    let [a, b, step, seq] = fields;
    let local = LocalId::from_parts(a, b, step * 1_024, seq).unwrap();
    let b_bits = format!("{b:020b}");
    let (b0, b1) = b_bits.split_at(20 - usize::from(drift.get()));
    let in_a_row = |node: String| {
        let bits = format!("{a:020b}{b0}{node}{b1}{step:010b}{seq:014b}");
        u128::from_str_radix(&bits, 2).unwrap()
    };
    let id = GlobalId::from_local(local, node, drift);
    assert_eq!(u128::from(id), in_a_row(format!("{:032b}", node.get())));
    assert_eq!(id.node(drift), node);
    assert_eq!(id.to_local(drift), local);
    assert_eq!((id.mega_seconds(), id.seconds(drift)), (a, b));
    assert_eq!((id.micro_seconds(), id.sequence()), (step * 1_024, seq));
    assert_eq!(id.tick(drift), local.tick());
    let id = WideGlobalId::from_local(local, wide, drift);
    assert_eq!(u128::from(id), in_a_row(format!("{wide:064b}")));
    assert_eq!(id.node(drift), wide);
    assert_eq!(id.to_local(drift), local);
    assert_eq!((id.mega_seconds(), id.seconds(drift)), (a, b));
    assert_eq!((id.micro_seconds(), id.sequence()), (step * 1_024, seq));
    assert_eq!(id.tick(drift), local.tick());
}

#[test]
fn drifts_place_every_bit() {
    for drift in (5..=10).map(|bits| Drift::new(bits).unwrap()) {
        for (field, bits) in [20, 20, 10, 14].into_iter().enumerate() {
            for bit in 0..bits {
                let mut fields = [0; 4];
                fields[field] = 1 << bit;
                assert_in_a_row(fields, Node::from(0), 0, drift);
                assert_in_a_row(fields, Node::from(u32::MAX), u64::MAX, drift);
            }
        }
        for bit in 0..64 {
            assert_in_a_row([0; 4], Node::from(1 << (bit % 32)), 1 << bit, drift);
        }
    }
}

proptest! {
    #[test]
    fn local_ids_join_their_fields(
        a in 0u32..1 << 20, b in 0u32..1 << 20, c in 0u32..1 << 20, seq in 0u32..1 << 14,
    ) {
        let id = LocalId::from_parts(a, b, c, seq).unwrap();
        let bits = format!("{a:020b}{b:020b}{:010b}{seq:014b}", c / 1_024);
        prop_assert_eq!(id.get(), u64::from_str_radix(&bits, 2).unwrap());
        prop_assert_eq!((id.mega_seconds(), id.seconds()), (a, b));
        prop_assert_eq!((id.micro_seconds(), id.sequence()), (c - c % 1_024, seq));
    }

    #[test]
    fn global_ids_join_their_fields(
        a in 0u32..1 << 20, b in 0u32..1 << 20, step in 0u32..1 << 10, seq in 0u32..1 << 14,
        node in node(), wide in any::<u64>(), drift in drift(),
    ) {
        assert_in_a_row([a, b, step, seq], node, wide, drift);
    }

    #[test]
    fn all_bit_patterns_round_trip(
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
    fn part_errors_name_the_value(
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
    fn integer_errors_name_the_value(
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
    fn casts_need_the_same_node(
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
        // This is the result of the library's `t/1`.
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
    fn distances_are_differences(
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

/// Returns numbers of `bits` bits, of about as many, and of any.
fn part(bits: u32) -> impl Strategy<Value = u32> {
    let end = 1u32 << bits;
    prop_oneof![4 => 0..end, 3 => end - 2..end + 2, 1 => any::<u32>()]
}
