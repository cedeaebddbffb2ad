//! How sure a reading is, and the reasons to doubt it.

/// The confidence that a text is an ID of a format. Higher confidence comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Confidence {
    /// Only this format has the text's marks, and nothing else is likely. For example, a UUID of
    /// version 7 with its hyphens is certain.
    Certain,
    /// The ID is probable, since it passes all of these tests:
    ///
    /// - The ID was made since its format is in use, in the 30 years before now or in the 30 days
    ///   after it. Times ahead of now are accepted because clocks may be wrong and some IDs are
    ///   made for a later time.
    /// - The text is not common for other reasons, as a word is.
    /// - A decimal integer is four times as probable as this ID as it is as a number without a
    ///   meaning, since nearly every number fits some format.
    /// - No other reading is 256 times as probable.
    Likely,
    /// The text fits the format, but that is all. A [`Doubt`] has the reason.
    Possible,
}

impl Confidence {
    /// Returns the confidence as a word.
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
    /// The time is more than 30 days ahead, more than 30 years ago, or before such IDs were made.
    /// For example, `bppc0m3ju134` would be a SCRU64 ID of the year 2715.
    Time,
    /// The present time is unknown, so the ID's time cannot be judged.
    NoClock,
    /// The letters read like words, as those of `activities12` and `Description` do.
    Words,
    /// All characters are decimal digits, although texts of the format have letters. Card numbers
    /// such as `5555555555554444` are an example.
    Digits,
    /// All characters are hexadecimal digits, as in hashes and in addresses such as `a483e72f1b00`.
    HexDigits,
    /// The digits are a date and a time of day, such as `20240115123045123`, or start with a date.
    Date,
    /// The digits are much more probable as a Unix time.
    UnixTime,
    /// The digits are about as probable as a number without a meaning, such as that of an account
    /// or an order.
    Number,
    /// The digits have the prefix or the check digit of a different kind of number, such as a Steam
    /// account's, or a pattern, as in `1111111111111111111`.
    OtherNumber,
    /// The bits are better explained by a different reading, or by chance, as in a hash. A code of
    /// Instagram's may always be a video of YouTube.
    Unexplained,
    /// The format is out of use, as Baidu's is since its time ended in November 2024, and pgEdge's
    /// with node 0, whose versions before 1.2 had another layout.
    Retired,
    /// No generator issues such an ID. Examples are a kuid whose fields are not a valid time, and a
    /// SCRU64 ID with a reserved timestamp.
    NeverIssued,
}

impl Doubt {
    /// Returns the reason as a phrase that can follow a *but*, as in "possible, but it reads like
    /// words".
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
