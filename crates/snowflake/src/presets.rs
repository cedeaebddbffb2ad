//! Layouts of known systems.

use core::time::Duration;

use tickid_core::{Field, UnixTime};

use crate::any::AnySnowflake;
use crate::layout::{LayoutError, Snowflake, Widths};
use crate::order::{NodeAboveSequence, Order, SequenceAboveNode};

/// Returns a layout that is legal, which the compiler checks.
#[allow(clippy::panic, reason = "in constants")]
const fn layout<O: Order>(unit_millis: u64, epoch_millis: i64, widths: [u32; 3]) -> Snowflake<O> {
    let [time, node, sequence] = widths;
    let widths = Widths {
        unit: Duration::from_millis(unit_millis),
        epoch: UnixTime::from_micros(epoch_millis * 1_000),
        time,
        node,
        sequence,
        is_unsigned: time + node + sequence == u64::BITS,
    };
    match Snowflake::new(widths) {
        Ok(layout) => layout,
        Err(_) => panic!("a preset is not legal"),
    }
}

impl Snowflake<NodeAboveSequence> {
    /// Twitter's layout, with 41 bits of milliseconds since 2010-11-04T01:42:54.657Z, a node of 10
    /// bits (a datacenter and a worker of 5 each) and a sequence of 12. `bwmarrin/snowflake` (Go)
    /// and Meituan's Leaf (Java) have the same one by default.
    ///
    /// # Spec
    /// <https://github.com/twitter-archive/snowflake/tree/snowflake-2010>, `IdWorker.scala`.
    pub const TWITTER: Self = layout(1, 1_288_834_974_657, [41, 10, 12]);
    /// Discord's layout, with 42 bits of milliseconds since 2015, a node of 10 bits (a worker and a
    /// process of 5 each) and an increment of 12. The highest bit is set from 2084-09-06 on.
    ///
    /// # Spec
    /// <https://discord.com/developers/docs/reference#snowflakes>
    pub const DISCORD: Self = layout(1, 1_420_070_400_000, [42, 10, 12]);
    /// Instagram's layout, with 41 bits of milliseconds since 2011-08-24T21:07:01.721Z, a shard of
    /// 13 bits and a sequence of 10. The highest bit is set from 2046-06-27 on.
    ///
    /// # Spec
    /// "Sharding & IDs at Instagram",
    /// <https://instagram-engineering.com/sharding-ids-at-instagram-1cf5a71e5a5c>
    pub const INSTAGRAM: Self = layout(1, 1_314_220_021_721, [41, 13, 10]);
    /// The layout of pgEdge's extension for PostgreSQL since its version 1.2, with 41 bits of
    /// milliseconds since 2023, a node of 10 bits and a counter of 12. Versions 1.0 and 1.1, of
    /// 2023, had the counter above the node, so their IDs have a different layout.
    ///
    /// # Spec
    /// <https://github.com/pgEdge/snowflake>, `snowflake.c`
    pub const PGEDGE: Self = layout(1, 1_672_531_200_000, [41, 10, 12]);
    /// Twitter's widths counted from 1970. It has 41 bits of milliseconds, a node of 10 bits and a
    /// sequence of 12. Its time ends on 2039-09-07, so choose a later epoch for new IDs.
    /// ClickHouse's `generateSnowflakeID` has this layout, as have the crates `snowflaked` and
    /// `ferroid` by default, and LinkedIn's IDs, whose document is not public.
    ///
    /// # Spec
    /// <https://clickhouse.com/docs/sql-reference/functions/uuid-functions#generatesnowflakeid>
    pub const UNIX_EPOCH: Self = layout(1, 0, [41, 10, 12]);
    /// The layout of TSIDs of `tsid-creator` (Java) with 1,024 nodes. They have 42 bits of
    /// milliseconds since 2020, a node of 10 bits, and a counter of 12 that starts at random in
    /// each millisecond. Their text is [`encode_crockford`](crate::SnowflakeId::encode_crockford).
    ///
    /// # Spec
    /// <https://github.com/f4b6a3/tsid-creator>, "TSID structure"
    pub const TSID: Self = layout(1, 1_577_836_800_000, [42, 10, 12]);
    /// A layout of 53 bits, so that JavaScript's numbers hold the IDs exactly. It has 41 bits of
    /// milliseconds since 2025, a node of 6 and a sequence of 6. That is 64 nodes with 64,000 IDs a
    /// second each, until 2094.
    ///
    /// # Spec
    /// `Number.MAX_SAFE_INTEGER` of ECMAScript
    pub const JS_SAFE: Self = layout(1, 1_735_689_600_000, [41, 6, 6]);
    /// The default layout of Baidu's uid-generator, with 28 bits of seconds since 2016-05-20 in
    /// China, a worker of 22 bits and a sequence of 13. Its time ended on 2024-11-20, so use it to
    /// read IDs. Its generators return errors only.
    ///
    /// # Spec
    /// <https://github.com/baidu/uid-generator>, `DefaultUidGenerator.java`
    pub const BAIDU: Self = layout(1_000, 1_463_673_600_000, [28, 22, 13]);
}

impl Snowflake<SequenceAboveNode> {
    /// The layout of Sonyflakes of version 1, with 39 bits of 10 ms since 2014-09-01, a sequence of
    /// 8 bits and a machine of 16.
    ///
    /// # Spec
    /// <https://github.com/sony/sonyflake>, `sonyflake.go`
    pub const SONYFLAKE: Self = layout(10, 1_409_529_600_000, [39, 16, 8]);
    /// The default layout of Sonyflakes of version 2. It is the same as version 1's, except that
    /// its time starts in 2025.
    ///
    /// # Spec
    /// <https://github.com/sony/sonyflake>, `v2/sonyflake.go`
    pub const SONYFLAKE_V2: Self = layout(10, 1_735_689_600_000, [39, 16, 8]);
}

/// Declares the presets, each with its variant and layout, the key and other names of the same
/// layout, the name of the IDs in text, and the fields.
macro_rules! presets {
    ($($(#[doc = $doc:literal])+ $variant:ident = $order:ident($layout:ident),
        $key:literal $(or $alias:literal)*, $title:literal, $fields:expr;)+) => {
        /// A known layout with its names, and its fields in the words of its document.
        ///
        /// Names are for input only. A realm of leases records the layout's text, because that
        /// states every bit.
        ///
        /// # Examples
        /// ```
        /// use tickid_snowflake::{Preset, Snowflake};
        ///
        /// let preset = Preset::named("leaf").unwrap(); // an alias
        /// assert_eq!((preset.key(), preset.layout()), ("twitter", Snowflake::TWITTER.into()));
        /// assert_eq!(preset.fields()[3].name(), "worker");
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Preset {
            $($(#[doc = $doc])+ $variant,)+
        }

        impl Preset {
            /// All presets, for example to list them in a help text.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];
            const KEYS: &'static [&'static str] = &[$($key),+];

            /// Returns the name in options and data. It is in lower case, with hyphens, for example
            /// `sonyflake-v2`.
            #[must_use]
            pub const fn key(self) -> &'static str {
                match self {
                    $(Self::$variant => $key,)+
                }
            }

            /// Returns other names of the same layout. For example, `leaf` is one of Twitter's.
            #[must_use]
            pub const fn aliases(self) -> &'static [&'static str] {
                match self {
                    $(Self::$variant => &[$($alias),*],)+
                }
            }

            /// Returns the name of the IDs for texts that people read, for example "Discord
            /// Snowflake".
            #[must_use]
            pub const fn title(self) -> &'static str {
                match self {
                    $(Self::$variant => $title,)+
                }
            }

            /// Returns the layout.
            #[cfg_attr(not(target_family = "wasm"), inline(always))]
            #[must_use]
            pub const fn layout(self) -> AnySnowflake {
                match self {
                    $(Self::$variant => AnySnowflake::$order(Snowflake::$layout),)+
                }
            }

            /// Returns the fields that the bits consist of, the highest first. Unlike
            /// [`Snowflake::fields`], they have the names of the preset's document, and may divide
            /// the node.
            #[must_use]
            pub const fn fields(self) -> &'static [Field] {
                match self {
                    $(Self::$variant => const { &Field::row($fields) },)+
                }
            }
        }
    };
}

presets! {
    /// [`Snowflake::TWITTER`].
    Twitter = NodeAboveSequence(TWITTER), "twitter" or "leaf", "Twitter Snowflake", [
        UNUSED,
        ("timestamp", 41, "ms since 2010-11-04T01:42:54.657Z"),
        ("datacenter", 5, "the data centre of the generator"),
        ("worker", 5, "the generator in its data centre"),
        ("sequence", 12, COUNT)
    ];
    /// [`Snowflake::DISCORD`].
    Discord = NodeAboveSequence(DISCORD), "discord", "Discord Snowflake", [
        ("timestamp", 42, "ms since 2015"),
        ("worker", 5, "the internal worker"),
        ("process", 5, "the internal process"),
        ("increment", 12, "counts the IDs of the process")
    ];
    /// [`Snowflake::INSTAGRAM`].
    Instagram = NodeAboveSequence(INSTAGRAM), "instagram", "Instagram ID", [
        ("timestamp", 41, "ms since 2011-08-24T21:07:01.721Z"),
        ("shard", 13, "the logical shard of the database"),
        ("sequence", 10, COUNT)
    ];
    /// [`Snowflake::SONYFLAKE`].
    Sonyflake = SequenceAboveNode(SONYFLAKE), "sonyflake", "Sonyflake",
        sonyflake("units of 10 ms since 2014-09-01");
    /// [`Snowflake::SONYFLAKE_V2`].
    SonyflakeV2 = SequenceAboveNode(SONYFLAKE_V2), "sonyflake-v2", "Sonyflake 2",
        sonyflake("units of 10 ms since 2025");
    /// [`Snowflake::PGEDGE`].
    PgEdge = NodeAboveSequence(PGEDGE), "pgedge", "pgEdge snowflake", [
        UNUSED,
        ("timestamp", 41, "ms since 2023"),
        ("node", 10, "the node of the cluster"),
        ("counter", 12, COUNT)
    ];
    /// [`Snowflake::UNIX_EPOCH`].
    UnixEpoch = NodeAboveSequence(UNIX_EPOCH), "unix-epoch" or "clickhouse",
        "Snowflake since 1970", [
        UNUSED,
        ("timestamp", 41, "ms since 1970"),
        ("node", 10, "distinguishes generators"),
        ("sequence", 12, COUNT)
    ];
    /// [`Snowflake::TSID`].
    Tsid = NodeAboveSequence(TSID), "tsid", "TSID", [
        ("timestamp", 42, "ms since 2020"),
        ("node", 10, "distinguishes generators"),
        ("counter", 12, "starts at random in each millisecond")
    ];
    /// [`Snowflake::JS_SAFE`].
    JsSafe = NodeAboveSequence(JS_SAFE), "js-safe", "Snowflake of 53 bits", [
        ("unused", 11, "always 0"),
        ("timestamp", 41, "ms since 2025"),
        ("node", 6, "distinguishes generators"),
        ("sequence", 6, COUNT)
    ];
    /// [`Snowflake::BAIDU`].
    Baidu = NodeAboveSequence(BAIDU), "baidu", "Baidu UID", [
        UNUSED,
        ("timestamp", 28, "seconds since 2016-05-19T16:00Z"),
        ("worker", 22, "counts the starts of generators"),
        ("sequence", 13, COUNT)
    ];
}

impl Preset {
    /// Returns the preset with this key or alias.
    ///
    /// # Examples
    /// ```
    /// assert!(tickid_snowflake::Preset::named("discord").is_some());
    /// ```
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let has_name = |preset: &Self| preset.key() == name || preset.aliases().contains(&name);
        Self::ALL.iter().copied().find(has_name)
    }

    /// Returns the preset with this layout.
    ///
    /// # Examples
    /// ```
    /// use tickid_snowflake::{AnySnowflake, Preset};
    ///
    /// let layout: AnySnowflake = "39x10ms/8s/16n@2014-09-01".parse()?;
    /// assert_eq!(Preset::of(layout), Some(Preset::Sonyflake));
    /// # Ok::<(), tickid_snowflake::LayoutError>(())
    /// ```
    #[must_use]
    pub fn of(layout: AnySnowflake) -> Option<Self> {
        Self::ALL.iter().copied().find(|preset| preset.layout() == layout)
    }
}

impl AnySnowflake {
    /// Returns the layout of the [preset](Preset) with this name or alias.
    ///
    /// # Examples
    /// ```
    /// use tickid_snowflake::{AnySnowflake, Snowflake};
    ///
    /// assert_eq!(AnySnowflake::named("leaf"), Some(Snowflake::TWITTER.into()));
    /// assert_eq!(AnySnowflake::named("41x1ms/10n/12s@0"), None); // a text, not a name
    /// ```
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Preset::named(name).map(Preset::layout)
    }

    /// Reads the name of a preset, or else the text of a layout. Use it for options that people
    /// set, and plain `parse` for stored texts, which never are names.
    ///
    /// # Errors
    /// Returns [`LayoutError::Name`] for a text that is no name and does not start with a digit, or
    /// else the [`LayoutError`] of the text.
    ///
    /// # Examples
    /// ```
    /// use tickid_snowflake::AnySnowflake;
    ///
    /// let text = "41x1ms/10n/12s@1288834974657";
    /// assert_eq!(AnySnowflake::read("leaf")?, AnySnowflake::read(text)?);
    /// # Ok::<(), tickid_snowflake::LayoutError>(())
    /// ```
    pub fn read(text: &str) -> Result<Self, LayoutError> {
        match Self::named(text) {
            Some(layout) => Ok(layout),
            None if text.starts_with(|first: char| first.is_ascii_digit()) => text.parse(),
            None => Err(LayoutError::Name { names: Preset::KEYS }),
        }
    }
}

/// A field's name, bits and meaning.
type FieldRow = (&'static str, u32, &'static str);

const UNUSED: FieldRow = ("unused", 1, "always 0");
const COUNT: &str = "distinguishes the IDs of a tick";

/// Returns the fields of Sonyflakes, whose versions differ in their start time.
const fn sonyflake(time: &'static str) -> [FieldRow; 4] {
    let machine = ("machine", 16, "the generator, mostly the end of its IP address");
    [UNUSED, ("timestamp", 39, time), ("sequence", 8, COUNT), machine]
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn fields_are_those_of_the_layout() {
        for preset in Preset::ALL {
            let (key, fields) = (preset.key(), preset.fields());
            let ends = |fields: &[Field]| -> BTreeSet<u32> {
                fields.iter().map(|field| field.start() + field.bits()).collect()
            };
            let own: std::vec::Vec<_> = preset.layout().fields().collect();
            // A preset may divide the node, but moves no field.
            assert!(ends(fields).is_superset(&ends(&own)), "{key}");
            assert_eq!(fields.iter().map(Field::bits).sum::<u32>(), 64, "{key}");
        }
    }

    #[test]
    fn names_are_distinct() {
        let all: std::vec::Vec<_> = Preset::ALL
            .iter()
            .flat_map(|preset| preset.aliases().iter().copied().chain([preset.key()]))
            .collect();
        assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len());
        for name in all {
            let parsed: Result<AnySnowflake, _> = name.parse();
            assert!(parsed.is_err(), "{name} reads as a layout");
        }
    }
}
