//! Conversions from every scheme to every scheme (order, restored information, reported losses),
//! and IDs in UUIDs.

use arbitrary::{Result, Unstructured};
use tickid_convert::{
    AnyId, Bits, Kind, Nodes, Options, Parts, Settings, ToParts as _, carry, convert_any,
    restore_any,
};
use tickid_kuid::Drift;
use tickid_nanoflake::Epoch;
use tickid_scru64::NodeIdSize;

pub fn check(data: &[u8]) {
    // Too few bytes are not a case.
    let _ = pair(&mut Unstructured::new(data));
}

/// Converts two IDs of a scheme to another scheme.
fn pair(data: &mut Unstructured<'_>) -> Result<()> {
    let (from, to) = (*data.choose(Kind::ALL)?, *data.choose(Kind::ALL)?);
    let (source, target) = (settings(data)?, settings(data)?);
    let nodes = match data.int_in_range(0..=3)? {
        0 => Nodes::Keep,
        1 => Nodes::Set(data.int_in_range(0..=300)?),
        2 => Nodes::LowBits,
        _ => Nodes::HighBits,
    };
    let options = Options { source, target, nodes, metabyte: data.arbitrary()? };
    let one = id(from, data)?;
    // It has the same node and metabyte, and is close, so that both may convert to one tick.
    let other = near(one, data.arbitrary()?, &options.source);
    for id in [one, other] {
        carried(id, &source);
        alone(id, to, &options);
    }
    together(one, other, to, &options);
    Ok(())
}

pub(crate) fn settings(data: &mut Unstructured<'_>) -> Result<Settings> {
    let epoch = match data.int_in_range(0..=3)? {
        0 => Epoch::TWITTER,
        1 => Epoch::DISCORD,
        2 => Epoch::UNIX,
        _ => Epoch::from_unix_millis(data.arbitrary()?).unwrap_or(Epoch::UNIX),
    };
    let node_size = NodeIdSize::new(data.int_in_range(0..=23)?).ok();
    let drift = Drift::new(data.int_in_range(5..=10)?).unwrap();
    let mut settings = Settings { epoch, node_size, drift, ..Settings::default() };
    let names = ["twitter", "discord", "sonyflake", "js-safe", "43x100us/2s/0n@0"];
    let [option] = Kind::Snowflake.setting_options() else { unreachable!("one option") };
    option.set(&mut settings, data.choose(&names)?).unwrap();
    Ok(settings)
}

fn id(kind: Kind, data: &mut Unstructured<'_>) -> Result<AnyId> {
    let number = data.int_in_range(0..=kind.max_number())?;
    Ok(AnyId::from_u128(kind, number).unwrap())
}

/// Returns an ID of the same node and metabyte whose tick and sequence, as one number, differ by
/// `by`, or `id` itself if no such ID exists.
fn near(id: AnyId, by: i32, settings: &Settings) -> AnyId {
    let moved = || {
        let parts = id.parts(settings).ok()?;
        let (scale, bits) = (parts.scale(), parts.sequence().bits());
        let toggle = u32::from(parts.toggle().is_some());
        let low = u64::from(parts.toggle() == Some(true)) << bits | parts.sequence().value();
        let low = i64::try_from(low).ok()?.checked_add(by.into())?;
        let (tick, _) = scale.signed_tick_and_offset(parts.unix_time())?;
        let time = scale.signed_time_of(tick.checked_add(low >> (bits + toggle))?)?;
        let low = low.cast_unsigned();
        let sequence = Bits::new(low & ((1 << bits) - 1), bits).ok()?;
        let mut moved = Parts::new(time, scale, sequence).ok()?;
        if let Some(node) = parts.node() {
            moved = moved.with_node(node);
        }
        if let Some(metabyte) = parts.metabyte() {
            moved = moved.with_metabyte(metabyte).with_toggle(low >> bits & 1 == 1);
        }
        let options = Options { target: *settings, ..Options::default() };
        convert_any(moved, id.kind(), &options).ok().map(|moved| moved.id)
    };
    moved().unwrap_or(id)
}

fn alone(id: AnyId, to: Kind, options: &Options<'_>) {
    let converted = convert_any(id, to, options);
    let Ok(converted) = converted else {
        // A format's own scheme, with its node kept, is always possible for an ID that has a time.
        let same = id.kind() == to && options.source == options.target;
        let is_possible = same && options.nodes == Nodes::Keep && id.parts(&options.source).is_ok();
        let is_reserved = matches!(id, AnyId::Scru64(id) if id.is_reserved());
        assert!(!is_possible || is_reserved, "{id}: {converted:?}");
        return;
    };
    assert_eq!(converted.id.kind(), to);
    assert!(!converted.loss.is_none() || converted.loss.is_restorable());
    // Its time is the target's tick that contains the start of the ID's tick.
    let (before, after) = (id.parts(&options.source), converted.id.parts(&options.target));
    let (before, after) = (before.unwrap(), after.unwrap());
    let earlier = before.unix_time().as_micros() - after.unix_time().as_micros();
    let lost = converted.loss.time.map_or(0, |time| time.as_micros());
    assert_eq!(u128::try_from(earlier), Ok(lost), "{id} to {converted:?}");

    let restored = restore_any(converted.id, id.kind(), options);
    if converted.loss.is_restorable() && !is_renamed(options) {
        assert_eq!(restored, Ok(id), "of {converted:?}");
    } else if let Ok(restored) = restored {
        let again = convert_any(restored, to, options).unwrap();
        assert_eq!(again.id, converted.id, "{restored} for {id}");
    }
}

/// Reports whether the node is set to another, and thus cannot be restored.
fn is_renamed(options: &Options<'_>) -> bool {
    matches!(options.nodes, Nodes::Set(_))
}

fn together(one: AnyId, other: AnyId, to: Kind, options: &Options<'_>) {
    let (low, high) = if one.to_u128() <= other.to_u128() { (one, other) } else { (other, one) };
    let (Ok(a), Ok(b)) = (convert_any(low, to, options), convert_any(high, to, options)) else {
        return;
    };
    assert!(a.id.to_u128() <= b.id.to_u128(), "{low} < {high}, but {a:?} > {b:?}");
    if low != high && a.loss.is_restorable() && b.loss.is_restorable() {
        assert_ne!(a.id, b.id, "of {low} and {high}");
    }
}

fn carried(id: AnyId, settings: &Settings) {
    let uuid = carry::to_uuid(id);
    assert_eq!(uuid.get_version_num(), 8);
    assert_eq!(carry::from_uuid(uuid, settings), Ok(id));
    if let Ok(uuid) = carry::to_uuid_v7(id, settings) {
        assert_eq!(uuid.get_version_num(), 7);
        assert_eq!(carry::from_uuid(uuid, settings), Ok(id), "{uuid}");
    }
    if let AnyId::Sno(sno) = id {
        assert_eq!(carry::from_uuid(carry::sno_to_uuid(sno), settings), Ok(id));
    }
}
