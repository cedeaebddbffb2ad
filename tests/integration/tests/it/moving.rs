//! The tables of `docs/moving.md`: every Rust expression in them is compiled here, old beside new.

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    type Result<T = ()> = std::result::Result<T, Box<dyn std::error::Error>>;

    mod scru64_old {
        use scru64::generator::counter_mode::DefaultCounterMode;
        use scru64::generator::{GlobalGenerator, NodeSpec};
        use scru64::{Scru64Generator, Scru64Id, new, new_string_sync, new_sync};

        use super::Result;

        /// Returns a timestamp that was generated, and the node.
        pub(super) fn generate(unix_ms: u64, allowance_ms: u64) -> Result<(u64, (u32, u8))> {
            let old_spec: NodeSpec = "41/8".parse()?;
            Scru64Generator::with_counter_mode(old_spec, DefaultCounterMode::new(4));
            let old_spec: NodeSpec = "42/8".parse()?;
            let mut old = Scru64Generator::new(old_spec);
            let id = old.generate_or_abort_core(unix_ms, allowance_ms).ok_or("rollback")?;
            old.generate().ok_or("rollback")?;
            old.generate_or_reset();
            assert_eq!(old.node_spec().node_id(), 42);
            Ok((id.timestamp(), (old.node_id(), old.node_id_size())))
        }

        /// Returns the texts and the parts of an ID.
        pub(super) fn read(number: u64, text: &str) -> Result<([String; 3], (u64, u64, u32))> {
            let id = Scru64Id::try_from(number)?;
            let (timestamp, node_ctr) = (id.timestamp(), id.node_ctr());
            let same = [
                text.parse::<Scru64Id>()?,
                Scru64Id::const_from_u64(number),
                Scru64Id::const_from_str("0u375nxqh5cq"),
                Scru64Id::from_parts(timestamp, node_ctr)?,
            ];
            assert_eq!(same, [id; 4]);
            let texts =
                [id.encode().as_str().to_owned(), id.to_string(), serde_json::to_string(&id)?];
            Ok((texts, (id.to_u64(), timestamp, node_ctr)))
        }

        pub(super) async fn process_wide() {
            GlobalGenerator.generate();
            new_sync();
            new_string_sync();
            new().await;
        }
    }

    mod scru64_new {
        use tickid::engine::{ManualClock, Ticks};
        use tickid::scru64::{
            Generator, LocalGenerator, NodeSpec, Policy, RandomStart, Scru64Id, UnixTime,
            generator, new, new_string, scru64,
        };

        use super::Result;

        pub(super) fn generate(unix_ms: i64, allowance_ms: u64) -> Result<(u64, (u32, u8))> {
            let spec: NodeSpec = "42/8".parse()?;
            let seed = 7;
            LocalGenerator::builder(spec)
                .sequence(RandomStart::new(seed).with_guard_bits(4))
                .build_local()?;
            Generator::new(spec)?.generate()?;

            let clock = ManualClock::new(UnixTime::from_millis(unix_ms)?);
            let policy = Policy::Ratchet { allowance: Ticks::new(allowance_ms / 256) };
            let mut new = LocalGenerator::builder(spec).clock(&clock).build_local()?;
            let id = new.try_generate_under(policy)?;

            let mut new = LocalGenerator::new(spec)?;
            new.try_generate()?;
            new.generate()?;
            new.reset()?;
            assert_eq!(NodeSpec::from(&new).node_id(), 42);
            Ok((id.timestamp(), (new.node().node_id(), new.node().node_id_size().get())))
        }

        pub(super) fn read(number: u64, text: &str) -> Result<([String; 3], (u64, u64, u32))> {
            let id = Scru64Id::try_from(number)?;
            let (timestamp, node_ctr) = (id.timestamp(), id.node_ctr());
            let same = [
                text.parse::<Scru64Id>()?,
                Scru64Id::new(number)?,
                scru64!("0u375nxqh5cq"),
                Scru64Id::from_parts(timestamp, node_ctr)?,
            ];
            assert_eq!(same, [id; 4]);
            let texts = [id.encode().to_string(), id.to_string(), serde_json::to_string(&id)?];
            assert_eq!(id.unix_time().as_millis() >> 8, i64::try_from(timestamp)?);
            Ok((texts, (id.get(), timestamp, node_ctr)))
        }

        pub(super) async fn process_wide() -> Result {
            generator()?.try_generate()?;
            new()?;
            new_string()?;
            generator()?.generate_async(tokio::time::sleep).await?;
            Ok(())
        }
    }

    #[test]
    fn scru64_agrees() -> Result {
        let time = 1_700_000_000_000_i64;
        let old = scru64_old::generate(time.cast_unsigned(), 10_000)?;
        assert_eq!(old, scru64_new::generate(time, 10_000)?);
        let (number, text) = (110_009_624_767_914_842, "0u375nxqh5cq");
        assert_eq!(scru64_old::read(number, text)?, scru64_new::read(number, text)?);
        // Compiled only: they read the environment.
        drop((scru64_old::process_wide(), scru64_new::process_wide()));
        Ok(())
    }

    mod snowflaked_old {
        use std::time::SystemTime;

        use snowflaked::{Builder, Generator, Snowflake as _, sync};

        pub(super) fn generate(time: SystemTime) -> i64 {
            let mut old = Generator::new(1);
            old.generate::<u64>();
            sync::Generator::new(2).generate::<i64>();
            Builder::new().instance(3).epoch(time).build::<Generator>();
            old.generate::<i64>()
        }

        pub(super) fn read(id: i64) -> [u64; 3] {
            let (timestamp, instance, sequence) = (id.timestamp(), id.instance(), id.sequence());
            assert_eq!(i64::from_parts(timestamp, instance, sequence), id);
            [timestamp, instance, sequence]
        }
    }

    mod snowflaked_new {
        use tickid::nanoflake::{Epoch, Generator, GeneratorId, LocalGenerator};
        use tickid::nanoflake::{Nanoflake, NanoflakeId};

        use super::Result;

        pub(super) fn generate(epoch: Epoch) -> Result<i64> {
            let unix = Nanoflake { epoch: Epoch::UNIX };
            let mut new =
                LocalGenerator::builder(GeneratorId::new(1)?).settings(unix).build_local()?;
            Generator::builder(GeneratorId::new(2)?).settings(unix).build()?;
            LocalGenerator::builder(GeneratorId::new(3)?)
                .settings(Nanoflake { epoch })
                .build_local()?;
            let first = i64::from(new.generate()?);
            assert!(u64::from(new.try_generate()?) > first.cast_unsigned());
            Ok(first)
        }

        pub(super) fn read(number: i64) -> Result<[u64; 3]> {
            let id = NanoflakeId::new(number)?;
            let (timestamp, generator, sequence) = (id.timestamp(), id.generator(), id.sequence());
            assert_eq!(NanoflakeId::from_parts(timestamp, generator, sequence)?, id);
            Ok([timestamp, id.generator().get().into(), sequence.into()])
        }
    }

    #[test]
    fn snowflaked_agrees() -> Result {
        const Y2K: u64 = 946_684_800_000;
        let epoch = tickid::nanoflake::Epoch::from_unix_millis(Y2K.cast_signed())?;
        let time = SystemTime::UNIX_EPOCH + Duration::from_millis(Y2K);
        for number in [snowflaked_old::generate(time), snowflaked_new::generate(epoch)?] {
            assert_eq!(snowflaked_old::read(number), snowflaked_new::read(number)?);
        }
        Ok(())
    }

    mod ferroid_old {
        use ferroid::base32::Base32SnowExt as _;
        use ferroid::futures::SnowflakeGeneratorAsyncTokioExt as _;
        use ferroid::generator::{
            AtomicSnowflakeGenerator, BasicSnowflakeGenerator, LockSnowflakeGenerator,
        };
        use ferroid::id::SnowflakeTwitterId;
        use ferroid::id::{SnowflakeDiscordId, SnowflakeInstagramId, SnowflakeMastodonId};
        use ferroid::time::{MonotonicClock, TWITTER_EPOCH};

        pub(super) fn generate() -> u64 {
            let backoff = |_| std::thread::yield_now();
            let clock = MonotonicClock::<1>::with_epoch(TWITTER_EPOCH);
            let old = BasicSnowflakeGenerator::new(7, clock);
            let id: SnowflakeTwitterId = old.next_id(backoff);
            old.poll_id();
            id.to_raw()
        }

        pub(super) async fn generate_async() -> SnowflakeTwitterId {
            let clock = MonotonicClock::<1>::with_epoch(TWITTER_EPOCH);
            let old = LockSnowflakeGenerator::new(8, clock);
            let _: SnowflakeTwitterId = old.try_next_id(|_| ()).expect("an ID");
            let clock = MonotonicClock::<1>::with_epoch(TWITTER_EPOCH);
            let old = AtomicSnowflakeGenerator::new(8, clock);
            old.next_id_async().await
        }

        pub(super) fn read(number: u64) -> [u64; 4] {
            let id = SnowflakeTwitterId::from_raw(number);
            let length = id.encode().as_str().len();
            [id.timestamp(), id.machine_id(), id.sequence(), length as u64]
        }

        pub(super) fn discord(number: u64) -> u64 {
            SnowflakeDiscordId::from_raw(number).timestamp()
        }

        pub(super) fn foreign(number: u64) -> [u64; 2] {
            let instagram = SnowflakeInstagramId::from_raw(number);
            [instagram.machine_id(), SnowflakeMastodonId::from_raw(number).sequence()]
        }
    }

    mod ferroid_new {
        use tickid::convert::foreign::Mastodon;
        use tickid::convert::{Settings, ToParts as _};
        use tickid::nanoflake::{Epoch, Generator, LocalGenerator};
        use tickid::nanoflake::{Nanoflake, NanoflakeId};
        use tickid::snowflake::{Snowflake, SnowflakeId};

        use super::Result;

        pub(super) fn generate() -> Result<u64> {
            let mut new = LocalGenerator::numbered(7)?;
            assert_eq!(new.settings(), Nanoflake { epoch: Epoch::TWITTER });
            let id = new.generate()?;
            new.try_generate()?;
            Ok(u64::from(id))
        }

        pub(super) async fn generate_async() -> Result<NanoflakeId> {
            let new = Generator::numbered(8)?;
            Ok(new.generate_async(tokio::time::sleep).await?)
        }

        pub(super) fn read(number: u64) -> Result<[u64; 4]> {
            let id = NanoflakeId::try_from(number)?;
            let length = id.encode_padded().len();
            let fields = [id.timestamp(), id.generator().get().into(), id.sequence().into()];
            Ok([fields[0], fields[1], fields[2], length as u64])
        }

        pub(super) fn discord(number: u64) -> Result<u64> {
            let layout = Nanoflake { epoch: Epoch::DISCORD };
            let time = layout.unix_time(NanoflakeId::try_from(number)?);
            Ok(u64::try_from(time.as_millis() - Epoch::DISCORD.as_unix_millis())?)
        }

        pub(super) fn foreign(number: u64) -> Result<[u64; 2]> {
            let shard = Snowflake::INSTAGRAM.node_of(SnowflakeId::new(number)).get();
            let mastodon = Mastodon(number).parts(&Settings::default())?;
            Ok([shard.into(), mastodon.sequence().value()])
        }
    }

    #[test]
    fn ferroid_agrees() -> Result {
        for number in [ferroid_old::generate(), ferroid_new::generate()?] {
            assert_eq!(ferroid_old::read(number), ferroid_new::read(number)?);
            assert_eq!(ferroid_old::discord(number), ferroid_new::discord(number)?);
            assert_eq!(ferroid_old::foreign(number), ferroid_new::foreign(number)?);
        }
        drop((ferroid_old::generate_async(), ferroid_new::generate_async()));
        Ok(())
    }

    /// `rs-snowflake`, whose library has a shorter name.
    mod rs_snowflake_old {
        use std::time::SystemTime;

        use snowflake::{SnowflakeIdBucket, SnowflakeIdGenerator};

        pub(super) fn generate(time: SystemTime) -> [i64; 4] {
            let mut old = SnowflakeIdGenerator::new(3, 7);
            let mut bucket = SnowflakeIdBucket::new(3, 7);
            let ids =
                [old.real_time_generate(), old.generate(), old.lazy_generate(), bucket.get_id()];
            SnowflakeIdGenerator::with_epoch(3, 7, time);
            ids
        }
    }

    mod rs_snowflake_new {
        use tickid::nanoflake::{Epoch, Generator, GeneratorId, Nanoflake};

        use super::Result;

        pub(super) fn generate(epoch: Epoch) -> Result<i64> {
            let unix = Nanoflake { epoch: Epoch::UNIX };
            let new = Generator::builder(GeneratorId::from_datacenter_worker(3, 7)?)
                .settings(unix)
                .build()?;
            Generator::builder(GeneratorId::from_datacenter_worker(3, 7)?)
                .settings(Nanoflake { epoch })
                .build()?;
            Ok(i64::from(new.generate()?))
        }
    }

    #[test]
    fn rs_snowflake_agrees() -> Result {
        use tickid::engine::{Clock as _, SystemClock};
        use tickid::nanoflake::{Epoch, Nanoflake, NanoflakeId};

        let before = SystemClock.now()?.as_millis();
        let old = rs_snowflake_old::generate(SystemTime::UNIX_EPOCH);
        let new = rs_snowflake_new::generate(Epoch::UNIX)?;
        let unix = Nanoflake { epoch: Epoch::UNIX };
        for number in old.into_iter().chain([new]) {
            let id = NanoflakeId::new(number)?;
            assert_eq!((id.generator().datacenter(), id.generator().worker()), (3, 7));
            assert!(unix.unix_time(id).as_millis().abs_diff(before) < 600_000, "{number}");
        }
        Ok(())
    }

    mod sonyflake_old {
        use sonyflake::{Sonyflake, decompose};

        use super::Result;

        /// Returns an ID, its machine and its sequence.
        pub(super) fn generate() -> Result<(u64, [u64; 2])> {
            let machine = || Ok(7);
            let time = chrono::DateTime::UNIX_EPOCH + chrono::Duration::days(18_262);
            let _ = Sonyflake::builder().start_time(time).machine_id(&machine).finalize()?;
            let old = Sonyflake::builder().machine_id(&machine).finalize()?;
            let number = old.next_id()?.to_u64();
            Ok((number, read(number)))
        }

        pub(super) fn read(number: u64) -> [u64; 2] {
            let id = number.into();
            [decompose(id).machine_id, decompose(id).sequence]
        }
    }

    mod sonyflake_new {
        use tickid::snowflake::{SequenceAboveNode, Snowflake, SnowflakeId};

        use super::Result;

        pub(super) fn generate() -> Result<(u64, [u64; 2])> {
            let since_2020 = "39x10ms/8s/16n@2020-01-01".parse::<Snowflake<SequenceAboveNode>>()?;
            assert_eq!(since_2020.epoch().as_millis(), 18_262 * 86_400_000);
            let new = Snowflake::SONYFLAKE.builder(7)?.build()?;
            let number = new.generate()?.get();
            Ok((number, read(number)))
        }

        pub(super) fn read(number: u64) -> [u64; 2] {
            let (layout, id) = (Snowflake::SONYFLAKE, SnowflakeId::new(number));
            [layout.node_of(id).get().into(), layout.sequence_of(id).into()]
        }
    }

    #[test]
    fn sonyflake_agrees() -> Result {
        for (number, fields) in [sonyflake_old::generate()?, sonyflake_new::generate()?] {
            assert_eq!(sonyflake_old::read(number), fields);
            assert_eq!(sonyflake_new::read(number), fields);
        }
        let [old, new] = [sonyflake_old::generate()?.0, sonyflake_new::generate()?.0];
        // Of one epoch and unit: less than ten minutes lie between them.
        assert!((old >> 24).abs_diff(new >> 24) < 60_000);
        Ok(())
    }

    mod uuid_old {
        use uuid::Uuid;

        pub(super) fn read(uuid: Uuid) -> (Option<u64>, String, u128) {
            let seconds = |uuid: Uuid| uuid.get_timestamp().map(|time| time.to_unix().0);
            // Two clocks may differ at the edge of a second.
            assert!(seconds(Uuid::now_v7()).map(|now| now + 1) >= seconds(uuid));
            (seconds(uuid), uuid.to_string(), uuid.as_u128())
        }
    }

    mod uuid_new {
        use tickid::convert::{Settings, carry};
        use tickid::nanoflake::{Epoch, Generator, GeneratorId, Nanoflake};
        use uuid::Uuid;

        use super::Result;

        /// Returns the time of an ID in milliseconds since 1970, and its UUID.
        pub(super) fn read() -> Result<(i64, Uuid)> {
            let discord = Nanoflake { epoch: Epoch::DISCORD };
            let settings = Settings { epoch: discord.epoch, ..Settings::default() };
            let generator = Generator::builder(GeneratorId::new(42)?).settings(discord).build()?;
            let id = generator.generate()?;
            assert_eq!(id.encode_padded().len(), 13);
            assert!(id.get() > 0);
            Ok((discord.unix_time(id).as_millis(), carry::to_uuid_v7(id, &settings)?))
        }
    }

    #[test]
    fn uuids_keep_the_time() -> Result {
        let (millis, uuid) = uuid_new::read()?;
        let (seconds, text, bits) = uuid_old::read(uuid);
        assert_eq!(seconds, Some(u64::try_from(millis / 1_000)?));
        assert_eq!((text.len(), bits), (36, uuid.as_u128()));
        Ok(())
    }

    mod ulid_old {
        use std::time::SystemTime;

        use ulid::Ulid;
        use uuid::Uuid;

        /// Returns the time and the text of a UUID's bits in a column of ULIDs.
        pub(super) fn read(uuid: Uuid) -> (SystemTime, String) {
            let ulid = Ulid(uuid.as_u128());
            assert_eq!(ulid.to_string(), Ulid(uuid.as_u128()).to_string());
            (ulid.datetime(), ulid.to_string())
        }

        pub(super) fn generate() -> [Ulid; 2] {
            let mut monotonic = ulid::Generator::new();
            [Ulid::generate(), monotonic.generate().expect("no overflow")]
        }
    }

    #[test]
    fn carried_ids_sort_among_ulids() -> Result {
        let (millis, uuid) = uuid_new::read()?;
        let (time, text) = ulid_old::read(uuid);
        let since_1970 = time.duration_since(SystemTime::UNIX_EPOCH)?.as_millis();
        assert_eq!(i64::try_from(since_1970)?, millis);
        let ulid = ulid::Ulid(uuid.as_u128());
        let [before, after] = [time - Duration::from_millis(1), time + Duration::from_millis(1)]
            .map(ulid::Ulid::from_datetime);
        assert!(before < ulid && ulid < after);
        assert!(before.to_string() < text && text < after.to_string());
        // Two clocks may differ at the edge of a millisecond.
        assert!(ulid_old::generate().iter().all(|old| old.datetime() >= before.datetime()));
        Ok(())
    }

    /// Of programs in other languages, only the second column is compiled.
    mod kuid_new {
        use tickid::kuid::{Drift, Generator, GlobalId, Kuid, Local, LocalId, Node, VectorClock};

        use super::Result;

        pub(super) fn all(drift: Drift) -> Result {
            let node = Node::phash2("uid@127.0.0.1");
            let generator = Generator::builder(node).settings(Kuid { drift }).build()?;
            let global = generator.generate()?;
            let local = generator.with(Local).generate()?;
            assert!(local > LocalId::MIN);
            assert_eq!(global.to_local_of(node, drift)?, global.to_local(drift));
            let later = GlobalId::from_local(local, node, drift);
            let (bytes, text) = (global.to_bytes(), global.to_string());
            assert_eq!(GlobalId::from_bytes(bytes), global);
            assert_eq!(text.parse::<GlobalId>()?, global);
            assert_eq!(LocalId::from_be_bytes(local.to_be_bytes()), local);
            assert_eq!(GlobalId::parse_url(global.encode_url().as_bytes())?, global);
            assert_ne!(Node::phash("uid@127.0.0.1"), node);
            assert!(global.unix_time(drift).as_millis() > 0);
            let earlier = global;
            let global = later;
            assert!(global.distance(earlier, drift)?.as_micros() >= 0);

            let (mut a, mut b) = (VectorClock::new(), VectorClock::new());
            a.record(node, local);
            b.record(node, earlier.to_local(drift));
            assert_eq!(a.join(&b), a);
            assert!(a.descends(&b) && a.diff(&b).next().is_none());
            Ok(())
        }
    }

    #[test]
    fn kuids_have_erlangs_functions() -> Result {
        (5..=10).try_for_each(|drift| kuid_new::all(tickid::kuid::Drift::new(drift)?))
    }

    #[test]
    fn tables_hold_only_compiled_code() {
        let words = |text: &str| text.split_whitespace().collect::<String>();
        let source = words(include_str!("moving.rs"));
        let page = include_str!("../../../../docs/moving.md");
        let (rust, others) = page.split_once("\n## From other languages\n").expect("a section");
        let rows = |page: &'static str| page.lines().filter(|line| line.starts_with("| `"));
        // The third column holds remarks, and the first one another language.
        let columns = rows(rust).flat_map(|row| row.split('|').skip(1).take(2));
        let columns = columns.chain(rows(others).flat_map(|row| row.split('|').nth(2)));
        // The odd parts between backticks are code.
        let code = columns.flat_map(|column| column.split('`').skip(1).step_by(2));
        let missing: Vec<_> = code.filter(|code| !source.contains(&words(code))).collect();
        assert_eq!(missing, [""; 0], "not compiled");
        let count = rows(page).count();
        assert!(count >= 56, "{count} rows");
    }
}
