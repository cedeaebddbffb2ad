//! How sure a reading is, and the reasons to doubt it.

/// The confidence that a text is an ID of a format. Higher confidence comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Confidence {
    /// Only this format has the text's marks, and nothing else is likely.
    Certain,
    /// The ID was made since its format is in use, in the 30 years before now or in the 30 days
    /// after it, the text is not one that is common for other reasons, a decimal integer is four
    /// times as probable as this ID as without a meaning, and no other reading is 256 times as
    /// probable.
    Likely,
    /// The text fits the format, and nothing else speaks for it: [`Doubt`] has the reason.
    Possible,
}

impl Confidence {
    /// Returns the word for it.
    ///
    /// # Examples
    /// ```
    /// assert_eq!(tickid_detect::Confidence::Likely.name(), "likely");
    /// ```
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Certain => "certain",
            Self::Likely => "likely",
            Self::Possible => "possible",
        }
    }
}

impl core::fmt::Display for Confidence {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.pad(self.name())
    }
}

/// The reason why a reading is no more than possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Doubt {
    /// The time is after the next 30 days, more than 30 years ago, or before such IDs were made.
    Time,
    /// The present time is unknown, so the ID's time cannot be judged.
    NoClock,
    /// The letters read like words.
    Words,
    /// All characters are decimal digits, of a format that has letters.
    Digits,
    /// All characters are hexadecimal digits, as in hashes and addresses.
    HexDigits,
    /// The digits are a date and a time of day.
    Date,
    /// The digits are a Unix time.
    UnixTime,
    /// The digits are as probable in a number without a meaning, such as an account's or an
    /// order's.
    Number,
    /// The digits have the prefix or the check digit of numbers of another kind, such as a Steam
    /// account's, or a pattern, such as `1111111111111111111`.
    OtherNumber,
    /// Another reading explains the bits better, or that they are random.
    Unexplained,
    /// The format is out of use.
    Retired,
    /// No generator issues such an ID: a kuid whose fields are not a valid time, or a SCRU64 ID
    /// with a reserved timestamp.
    NeverIssued,
}

impl Doubt {
    /// Returns the reason as a phrase, which can follow a *but*.
    ///
    /// # Examples
    /// ```
    /// assert_eq!(tickid_detect::Doubt::Digits.reason(), "digits alone are rarely such an ID");
    /// ```
    #[must_use]
    pub const fn reason(self) -> &'static str {
        match self {
            Self::Time => "of an unlikely time",
            Self::NoClock => "the current time is unknown",
            Self::Words => "it reads like words",
            Self::Digits => "digits alone are rarely such an ID",
            Self::HexDigits => "hexadecimal digits, as of a hash or an address",
            Self::Date => "the digits are a date",
            Self::UnixTime => "the digits are a Unix time",
            Self::Number => "any number of this size looks like one",
            Self::OtherNumber => "the digits are those of another kind of number",
            Self::Unexplained => "its bits are likelier another ID, or random",
            Self::Retired => "such IDs are no longer made",
            Self::NeverIssued => "no generator issues it",
        }
    }
}

impl core::fmt::Display for Doubt {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.pad(self.reason())
    }
}
