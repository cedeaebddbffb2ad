//! IDs for times that have passed.

use tickid_sno::tickid_core::{Backfill, Builder, ManualClock, Tick};
use tickid_sno::{Meta, Partition, Sno, SnoId, UnixTime, Window};

fn backfill() -> Backfill<Sno> {
    let clock = ManualClock::new(UnixTime::from_millis(1_700_000_000_000).unwrap());
    let window = Window::new(Tick::MIN, 100_000_000_000).unwrap();
    let builder = Builder::seeded_of(Sno, Partition::new(258), 7).window(window).clock(clock);
    builder.build_backfill().unwrap()
}

#[test]
fn ids_of_each_metabyte_ascend_with_the_toggle_off() {
    let mut backfill = backfill();
    let mut last = [None; 3];
    for at in 0..3_000_i64 {
        let time = UnixTime::from_micros(1_600_000_000_000_000 + at * 1_300);
        let meta = u8::try_from(at * 7 % 3).unwrap();
        let id: SnoId = backfill.generate_as(Meta(meta), time).unwrap();
        assert_eq!((id.meta(), id.toggle(), id.partition().get()), (meta, false, 258));
        assert!(id.unix_time() <= time && time.saturating_since(id.unix_time()).as_millis() < 4);
        assert!(last[usize::from(meta)].replace(id) < Some(id));
    }
}
