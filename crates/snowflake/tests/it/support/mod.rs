//! Helpers shared by several test files.

use core::time::Duration;

use tickid_snowflake::tickid_core::{Plain, Scheme as _};
use tickid_snowflake::{Node, Order, Snowflake, SnowflakeId, UnixTime, Widths};
use tickid_testkit::{Dice, Parts};

/// Generators of one node of a layout.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Subject<O: Order> {
    pub(crate) layout: Snowflake<O>,
    pub(crate) node: Node,
}

/// Returns generators of the layout's highest node but one, if it has two.
pub(crate) fn subject<O: Order>(layout: Snowflake<O>) -> Subject<O> {
    let highest = (1_u32 << layout.widths().node) - 1;
    Subject { layout, node: layout.node(highest.saturating_sub(1)).unwrap() }
}

/// Returns a random legal layout with at least `sequence` bits of sequence and `time` bits of time.
pub(crate) fn random<O: Order>(dice: &mut Dice, time: u32, sequence: u32) -> Snowflake<O> {
    let units = [100, 250, 1_000, 1_024, 4_000, 10_000, 256_000, 1_000_000];
    loop {
        let mut between = |min: u32, max: u32| min + dice.count(max - min + 1) - 1;
        let (time, node) = (between(time, 43), between(0, 22));
        let sequence = between(sequence, 18);
        let epoch = UnixTime::from_millis(dice.within(-1 << 41..1 << 41)).unwrap();
        let unit = Duration::from_micros(dice.one_of(&units));
        let is_unsigned = time + node + sequence == 64;
        if let Ok(layout) =
            Snowflake::new(Widths { unit, epoch, time, node, sequence, is_unsigned })
        {
            return layout;
        }
    }
}

impl<O: Order> tickid_testkit::Subject for Subject<O> {
    type Scheme = Snowflake<O>;
    type Variant = Plain;
    type Id = SnowflakeId;

    fn settings(&self) -> Snowflake<O> {
        self.layout
    }

    fn node(&self) -> Node {
        self.node
    }

    fn start(&self) -> UnixTime {
        self.layout.scale().time_of(self.layout.max_timestamp() / 2)
    }

    fn blank(&self) -> SnowflakeId {
        SnowflakeId::MIN
    }

    fn parts(&self, id: SnowflakeId) -> Parts {
        let (tick, sequence) = (self.layout.timestamp_of(id), self.layout.sequence_of(id));
        Parts { tick, toggle: false, sequence }
    }

    fn is_of(&self, id: SnowflakeId, Plain: Plain) -> bool {
        self.layout.check(id).is_ok() && self.layout.node_of(id) == self.node
    }
}
