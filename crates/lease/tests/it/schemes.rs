//! Realms agree with the schemes on ticks and terms.

use core::time::Duration;

use tickid_core::{Scheme, UnixTime};
use tickid_kuid::Kuid;
use tickid_lease::{Realm, RealmSpec};
use tickid_nanoflake::{Epoch, Nanoflake};
use tickid_scru64::Scru64;
use tickid_sno::Sno;
use tickid_testkit::Dice;

/// Checked at random times, and at both ends of some ticks.
fn scale_agrees<S: Scheme>(scheme: &S, first: i64) {
    let scale = scheme.scale();
    let mut dice = Dice::new(1);
    for _ in 0..20_000 {
        let micros = first + dice.within(0..1 << 50);
        let time = UnixTime::from_micros(micros);
        let tick = scheme.tick_at(time).unwrap();
        assert_eq!(scale.tick_at(time), Some(tick.get()), "{} at {time}", S::NAME);
        let begin = scheme.time_of(tick);
        assert_eq!(scale.time_of(tick.get()), begin);
        let before = begin.checked_sub(Duration::from_micros(1)).unwrap();
        assert_eq!(scale.tick_at(before), tick.get().checked_sub(1));
    }
    let before = UnixTime::from_micros(first - 1);
    assert_eq!((scheme.tick_at(before).is_err(), scale.tick_at(before)), (true, None));
}

#[test]
fn scales_agree_with_the_schemes() {
    scale_agrees(&Scru64, 0);
    scale_agrees(&Sno, Sno::EPOCH.as_micros());
    scale_agrees(&Kuid::default(), 0);
    for millis in [-5, 0, 1_420_070_400_000] {
        let epoch = Epoch::from_unix_millis(millis).unwrap();
        scale_agrees(&Nanoflake { epoch }, millis * 1_000);
    }
}

/// Allowance, 5 seconds and 10 seconds, in ticks, rounded up.
#[test]
fn leases_reach_ahead() {
    let scru64 = RealmSpec::from(Realm::builder("a", Scru64).pool("0-255/8").build().unwrap());
    assert_eq!(scru64.ahead(), 39 + 59);
    let nanoflake = Nanoflake::default();
    let nanoflake =
        RealmSpec::from(Realm::builder("a", nanoflake).pool("0-1023/10").build().unwrap());
    assert_eq!(nanoflake.ahead(), 15_000);
    let kuid =
        RealmSpec::from(Realm::builder("a", Kuid::default()).pool("0-9/32").build().unwrap());
    assert_eq!(kuid.ahead(), 16 * 977);
    let sno = RealmSpec::from(Realm::builder("a", Sno).pool("0-65535/16").build().unwrap());
    assert_eq!(sno.ahead(), 15 * 250);
}
