//! The tables of `docs/moving.md`: every expression in them is compiled here, old beside new.

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
        use tickid_scru64::tickid_core::{ManualClock, Ticks};
        use tickid_scru64::{
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
        use tickid_nanoflake::{Epoch, Generator, GeneratorId, LocalGenerator};
        use tickid_nanoflake::{Nanoflake, NanoflakeId};

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
        let epoch = tickid_nanoflake::Epoch::from_unix_millis(Y2K.cast_signed())?;
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
        use tickid_convert::foreign::Mastodon;
        use tickid_convert::{Settings, ToParts as _};
        use tickid_nanoflake::{Epoch, Generator, LocalGenerator};
        use tickid_nanoflake::{Nanoflake, NanoflakeId};
        use tickid_snowflake::{Snowflake, SnowflakeId};

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

    mod uuid_old {
        use uuid::Uuid;

        pub(super) fn read(uuid: Uuid) -> (Option<u64>, String, u128) {
            assert!(Uuid::now_v7() > uuid);
            let seconds = uuid.get_timestamp().map(|time| time.to_unix().0);
            (seconds, uuid.to_string(), uuid.as_u128())
        }
    }

    mod uuid_new {
        use tickid_convert::{Settings, carry};
        use tickid_scru64::{Generator, Scru64Id};
        use uuid::Uuid;

        use super::Result;

        pub(super) fn read() -> Result<(Scru64Id, Uuid)> {
            let generator = Generator::new("42/8".parse()?)?;
            let id = generator.generate()?;
            assert_eq!(id.to_string().len(), 12);
            assert!(id.get() < 1 << 63);
            Ok((id, carry::to_uuid_v7(id, &Settings::default())?))
        }
    }

    #[test]
    fn uuids_keep_the_time() -> Result {
        let (id, uuid) = uuid_new::read()?;
        let (seconds, text, bits) = uuid_old::read(uuid);
        assert_eq!(seconds, Some(u64::try_from(id.unix_time().as_millis() / 1_000)?));
        assert_eq!((text.len(), bits), (36, uuid.as_u128()));
        Ok(())
    }

    #[test]
    fn tables_hold_only_compiled_code() {
        let words = |text: &str| text.split_whitespace().collect::<String>();
        let source = words(include_str!("moving.rs"));
        let page = include_str!("../../../../docs/moving.md");
        let mut rows = 0;
        let mut missing = Vec::new();
        for row in page.lines().filter(|line| line.starts_with("| `")) {
            // The odd parts between backticks are code; the third column holds remarks.
            let columns = row.split('|').skip(1).take(2);
            let code = columns.flat_map(|column| column.split('`').skip(1).step_by(2));
            missing.extend(code.filter(|code| !source.contains(&words(code))));
            rows += 1;
        }
        assert_eq!(missing, [""; 0], "not compiled");
        assert!(rows >= 37, "{rows} rows");
    }
}
