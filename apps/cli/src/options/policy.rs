//! Policies as text, of any scheme.

use core::fmt;
use core::str::FromStr;
use core::time::Duration;

use tickid_core::{BuildError, Policy, Scheme, Ticks};
use tickid_lease::admin::Terms;

use crate::message::shown;
use crate::options::values::duration;

/// A policy for a scheme that is not known yet: `ratchet:500ms`, `wait` or `tick-tock`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GivenPolicy {
    Ratchet(Duration),
    Wait,
    TickTock,
}

impl FromStr for GivenPolicy {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once(':') {
            None if text == "wait" => Ok(Self::Wait),
            None if text == "tick-tock" => Ok(Self::TickTock),
            Some(("ratchet", allowance)) => Ok(Self::Ratchet(duration(allowance)?)),
            _ => Err(format!(
                "'{}' is not a policy: ratchet:DURATION (ratchet:500ms), wait or tick-tock",
                shown(text)
            )),
        }
    }
}

impl fmt::Display for GivenPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ratchet(allowance) => write!(f, "ratchet:{allowance:?}"),
            Self::Wait => f.write_str("wait"),
            Self::TickTock => f.write_str("tick-tock"),
        }
    }
}

impl GivenPolicy {
    /// Returns the policy of generators of a scheme's realm, or the reason why it cannot have it.
    pub(crate) fn of<S: Scheme>(self, scheme: &S) -> Result<Policy<S>, String> {
        let tick = Duration::from_micros(scheme.scale().micros_per_tick());
        let usual = scheme.default_policy();
        match self {
            // A realm records whole ticks. An allowance below one would become 0, which is not a
            // ratchet but the policy wait.
            Self::Ratchet(allowance) if !(tick..=Terms::LONGEST).contains(&allowance) => {
                Err(format!(
                    "--policy {self}: the allowance of {} is from a tick, {tick:?}, to {:?}",
                    S::NAME,
                    Terms::LONGEST
                ))
            }
            Self::Ratchet(allowance) => {
                let ticks = scheme.scale().whole_ticks_in(allowance);
                Ok(Policy::Ratchet { allowance: Ticks::new(ticks) })
            }
            // Wait and tick-tock both have an allowance of 0, which is all that a realm records, so
            // it is taken for the scheme's own policy. That is why a sno realm cannot have wait.
            Self::Wait if usual != Policy::Wait && usual.allowance().is_none() => Err(format!(
                "--policy {self}: {} realms have {usual} or a ratchet: ratchet:{tick:?} is the \
                 shortest",
                S::NAME
            )),
            Self::Wait => Ok(Policy::Wait),
            Self::TickTock if !S::TOGGLE => {
                Err(format!("--policy {self}: {}", BuildError::NoToggle { scheme: S::NAME }))
            }
            Self::TickTock => Ok(Policy::TickTock),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use tickid_scru64::Scru64;
    use tickid_sno::Sno;

    use super::*;

    #[test]
    fn policies_fit_their_scheme() {
        let of = |text: &str| text.parse::<GivenPolicy>().and_then(|policy| policy.of(&Scru64));
        let ratchet = |ticks| Ok(Policy::Ratchet { allowance: Ticks::new(ticks) });
        assert_eq!(of("ratchet:10s"), Ok(Scru64.default_policy()));
        assert_eq!((of("ratchet:256ms"), of("ratchet:0.6")), (ratchet(1), ratchet(2)));
        assert_eq!(of("wait"), Ok(Policy::Wait));
        for (text, part) in [
            ("ratchet:255ms", "from a tick, 256ms, to 2592000s"),
            ("ratchet:2592001", "from a tick, 256ms, to 2592000s"),
            ("tick-tock", "scru64 has no toggle bit, which tick-tock needs"),
        ] {
            let error = of(text).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
        let sno = |text: &str| text.parse::<GivenPolicy>().unwrap().of(&Sno);
        assert_eq!(sno("tick-tock"), Ok(Policy::TickTock));
        let error = sno("wait").unwrap_err();
        assert!(error.ends_with("ratchet:4ms is the shortest"), "{error}");
    }

    #[test]
    fn other_texts_are_no_policies() {
        for text in ["", "Wait", "ratchet", "ratchet:", "ratchet:soon", "ratchet:-1s", "wait:1s"] {
            assert!(text.parse::<GivenPolicy>().is_err(), "{text}");
        }
    }
}
