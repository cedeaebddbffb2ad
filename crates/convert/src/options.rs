//! The settings of all schemes, and the options of a conversion.

use core::ops::RangeInclusive;

use tickid_core::RangeError;
use tickid_kuid::Drift;
use tickid_nanoflake::Epoch;
use tickid_scru64::NodeIdSize;
use tickid_snowflake::{AnySnowflake, Snowflake};

use crate::nodes::Nodes;

/// The values that the bits of IDs do not say, for all schemes together. Set those of the schemes
/// that you convert, and leave the others at their defaults.
///
/// # Examples
/// ```
/// use tickid_convert::{Settings, ToParts};
/// use tickid_nanoflake::{Epoch, NanoflakeId};
///
/// let id = NanoflakeId::new(175_928_847_299_117_063)?;
/// let discord = Settings { epoch: Epoch::DISCORD, ..Settings::default() };
/// assert_eq!(id.parts(&discord)?.unix_time().as_millis(), 1_462_015_105_796);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Settings {
    /// Nanoflake's epoch. It is Twitter's by default.
    pub epoch: Epoch,
    /// The number of bits of the node ID in a SCRU64 ID. It is unknown by default, and then
    /// everything below the time of an ID is its sequence, and it has no node.
    pub node_size: Option<NodeIdSize>,
    /// The drift of global kuids. It is 8 by default.
    pub drift: Drift,
    /// The layout of Snowflakes. It is Twitter's by default.
    pub snowflake: AnySnowflake,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            epoch: Epoch::default(),
            node_size: None,
            drift: Drift::default(),
            snowflake: Snowflake::TWITTER.into(),
        }
    }
}

/// One of the [`Settings`] as an option of a program, with its value as text.
///
/// A program lists the options of a [`Kind`](crate::Kind) with
/// [`setting_options`](crate::Kind::setting_options), so its command line or form needs no change
/// when a scheme gets a new one.
///
/// # Examples
/// ```
/// use tickid_convert::{Kind, Settings};
/// use tickid_nanoflake::Epoch;
///
/// let [option] = Kind::Nanoflake.setting_options() else { return Err("one option".into()) };
/// let mut settings = Settings::default();
/// option.set(&mut settings, "discord")?;
/// assert_eq!((option.name, settings.epoch), ("epoch", Epoch::DISCORD));
/// assert!(option.set(&mut settings, "soon").is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct SettingOption {
    /// The name, in lower case, with hyphens.
    pub name: &'static str,
    /// The values, as an option's help shows them.
    pub values: &'static str,
    /// The meaning, as a phrase for a help text.
    pub about: &'static str,
    /// `true` if the value may be a time, in milliseconds since 1970.
    pub is_time: bool,
    pub(crate) set: fn(&mut Settings, &str) -> Result<(), SettingOptionError>,
}

impl SettingOption {
    /// Sets the setting to a value.
    ///
    /// # Errors
    /// Returns a [`SettingOptionError`] for a text that is not a value of this option.
    pub fn set(&self, settings: &mut Settings, text: &str) -> Result<(), SettingOptionError> {
        (self.set)(settings, text)
    }
}

/// The reason why a text is not the value of a [`SettingOption`].
#[derive(Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SettingOptionError {
    /// The text is not a number.
    #[error("a {what} is a number from {min} to {max}")]
    Number {
        /// The meaning of the number.
        what: &'static str,
        /// The least number.
        min: u8,
        /// The highest number.
        max: u8,
    },
    /// The text is neither the name of an epoch nor a number.
    #[error("neither the name of an epoch nor milliseconds since 1970")]
    Epoch,
    /// The number is out of range.
    #[error(transparent)]
    Range(#[from] RangeError),
    /// The text is neither the name nor the text of a layout of Snowflakes.
    #[error(transparent)]
    Snowflake(#[from] tickid_snowflake::LayoutError),
}

tickid_core::debug_error! {
    enum SettingOptionError { Number { what, min, max }, Epoch, Range(error), Snowflake(error) }
}

/// Reads a number of a range.
pub(crate) fn number(
    what: &'static str,
    range: RangeInclusive<u8>,
    text: &str,
) -> Result<u8, SettingOptionError> {
    let (min, max) = range.into_inner();
    let found: i128 = text.parse().map_err(|_| SettingOptionError::Number { what, min, max })?;
    match u8::try_from(found) {
        Ok(number) if (min..=max).contains(&number) => Ok(number),
        _ => Err(RangeError::new(what, found, min.into(), max.into()).into()),
    }
}

/// The options of a conversion.
///
/// # Examples
/// ```
/// use tickid_convert::{Nodes, Options, Settings};
/// use tickid_scru64::NodeIdSize;
///
/// let options = Options {
///     target: Settings { node_size: Some(NodeIdSize::new(8)?), ..Settings::default() },
///     nodes: Nodes::LowBits,
///     ..Options::default()
/// };
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Options<'a> {
    /// The settings of the IDs that are converted.
    pub source: Settings,
    /// The settings of the resulting IDs.
    pub target: Settings,
    /// The choice of the new IDs' nodes.
    pub nodes: Nodes<'a>,
    /// The metabyte of sno IDs that are made from IDs without one.
    pub metabyte: u8,
}
