//! Conversions from every scheme to every scheme (order, restored information, reported losses),
//! and IDs in UUIDs.

use arbitrary::{Result, Unstructured};
use tickid_convert::{
    AnyId, Kind, Layouts, Nodes, Options, ToParts as _, carry, convert_any, restore_any,
};
use tickid_kuid::{Drift, GlobalId, LocalId};
use tickid_nanoflake::{Epoch, NanoflakeId};
use tickid_scru64::{NodeIdSize, Scru64Id};
use tickid_sno::SnoId;

pub fn check(data: &[u8]) {
    // Too few bytes are not a case.
    let _ = pair(&mut Unstructured::new(data));
}

/// Converts two IDs of a scheme to another scheme.
fn pair(data: &mut Unstructured<'_>) -> Result<()> {
    let (from, to) = (*data.choose(Kind::ALL)?, *data.choose(Kind::ALL)?);
    let (source, target) = (layouts(data)?, layouts(data)?);
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

pub(crate) fn layouts(data: &mut Unstructured<'_>) -> Result<Layouts> {
    let epoch = match data.int_in_range(0..=3)? {
        0 => Epoch::TWITTER,
        1 => Epoch::DISCORD,
        2 => Epoch::UNIX,
        _ => Epoch::from_unix_millis(data.arbitrary()?).unwrap_or(Epoch::UNIX),
    };
    let node_size = NodeIdSize::new(data.int_in_range(0..=23)?).ok();
    let drift = Drift::new(data.int_in_range(5..=10)?).unwrap();
    Ok(Layouts { epoch, node_size, drift })
}

fn id(kind: Kind, data: &mut Unstructured<'_>) -> Result<AnyId> {
    Ok(match kind {
        Kind::Scru64 => data.arbitrary::<Scru64Id>()?.into(),
        Kind::Nanoflake => data.arbitrary::<NanoflakeId>()?.into(),
        Kind::KuidLocal => data.arbitrary::<LocalId>()?.into(),
        Kind::KuidGlobal => data.arbitrary::<GlobalId>()?.into(),
        _ => data.arbitrary::<SnoId>()?.into(),
    })
}

/// Returns an ID of the same node and metabyte whose remaining bits, as a number, differ by `by`,
/// or `id` itself if no such ID exists.
fn near(id: AnyId, by: i32, layouts: &Layouts) -> AnyId {
    let by = i64::from(by);
    let moved = match id {
        AnyId::Scru64(id) => {
            let size = layouts.node_size;
            let bits = size.map_or(24, NodeIdSize::counter_bits);
            // Timestamp and counter, without the node between them.
            let value =
                id.timestamp() << bits | size.map_or(id.node_ctr(), |size| id.counter(size)) as u64;
            let value = value.checked_add_signed(by).unwrap_or(value);
            let node = size.map_or(0, |size| id.node_id(size) << bits);
            let counter = u32::try_from(value & ((1 << bits) - 1)).unwrap();
            Scru64Id::from_parts(value >> bits, node | counter).ok().map(AnyId::from)
        }
        AnyId::Nanoflake(id) => {
            let value = id.timestamp() << 12 | u64::from(id.sequence());
            let value = value.checked_add_signed(by).unwrap_or(value);
            let sequence = u16::try_from(value & 0xfff).unwrap();
            NanoflakeId::from_parts(value >> 12, id.generator(), sequence).ok().map(AnyId::from)
        }
        AnyId::KuidLocal(id) => {
            Some(LocalId::new(id.get().checked_add_signed(by).unwrap_or(id.get())).into())
        }
        AnyId::KuidGlobal(id) => {
            let (local, node) = (id.to_local(layouts.drift), id.node(layouts.drift));
            let local = LocalId::new(local.get().checked_add_signed(by).unwrap_or(local.get()));
            Some(GlobalId::from_local(local, node, layouts.drift).into())
        }
        AnyId::Sno(id) => {
            let value =
                id.timestamp() << 17 | u64::from(id.toggle()) << 16 | u64::from(id.sequence());
            let value = value.checked_add_signed(by).unwrap_or(value);
            let (toggle, sequence) = (value >> 16 & 1 == 1, u16::try_from(value & 0xffff).unwrap());
            let moved = SnoId::from_parts(value >> 17, toggle, id.partition(), sequence);
            moved.ok().map(|moved| AnyId::from(moved.with_meta(id.meta())))
        }
        _ => None,
    };
    moved.unwrap_or(id)
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
    let earlier = before.time().as_micros() - after.time().as_micros();
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

fn carried(id: AnyId, layouts: &Layouts) {
    let uuid = carry::to_uuid(id);
    assert_eq!(uuid.get_version_num(), 8);
    assert_eq!(carry::from_uuid(uuid, layouts), Ok(id));
    if let Ok(uuid) = carry::to_uuid_v7(id, layouts) {
        assert_eq!(uuid.get_version_num(), 7);
        assert_eq!(carry::from_uuid(uuid, layouts), Ok(id), "{uuid}");
    }
    if let AnyId::Sno(sno) = id {
        assert_eq!(carry::from_uuid(carry::sno_to_uuid(sno), layouts), Ok(id));
    }
}
