//! How sure a reading is, and the reasons to doubt it.

/// The confidence that a text is an ID of a format. Higher confidence comes first.
///
/// Nearly every text fits some format, and every number of 18 digits is the ID of some system and
/// of a time in the last years. So a reading is weighed against its competitors: other formats,
/// and all else that people paste.
///
/// # Evidence
/// Evidence is measured in bits, the binary logarithm of how many texts are as probable as this
/// one. An explanation that takes fewer bits is the better one.
///
/// - A *number without a meaning* of *d* digits takes log2(9 · 10^(d−1)) bits: 56 for 17 digits, 59
///   for 18 and 62 for 19. Common numbers take fewer. Among them are those that start with a day
///   since 1990 (17 bits, and those of the digits behind it), account numbers of Steam and Facebook,
///   identity numbers of China, and digits with a pattern, such as round numbers, powers of two,
///   `1111…` and `1234…`.
/// - An *ID* takes the bits of its time and of its fields. The time is one of all ticks since the
///   format came into use, or one of 64 times the ID's age in ticks, if those are fewer. A random
///   field takes all of its bits. A sequence or node that counts from 0 takes 2 bits if it is 0, and
///   otherwise the logarithm of its value and that of its width. Rare formats take a few bits more.
///
/// For example, a Discord ID of 2019 with worker 3, process 0 and increment 17 takes
/// 38 + 5 + 2 + 8 = 53 bits. That is two bits or more below the 59 of a number of 18 digits, so it is
/// likely. With worker 31 and increment 3,000 it would take 59 as well, and be only possible.
///
/// # Rules
/// 1. Only an ID of a likely time is likely: made in the 30 years before now, or up to 30 days
///    after. The first weeks of an epoch do not count, because every small number denotes a time in
///    them. Integers of SCRU64 count from 2022, a year before its first programs, because converted
///    IDs keep their times. Those of sno count from its first release in 2019.
/// 2. Common texts are at most possible. These are words, also with a number, and names such as
///    `getAddress2`; digits or hexadecimal digits alone, of a format with other letters; dates; and
///    hashes, unless the fields explain them 256 times better than chance. One hash in 64 has the
///    bits of a UUID of version 4 without hyphens, and still such a text is likely one if it is all
///    that was given; those of versions 3 and 5 are rarer, and only a column of them is. The
///    examples in the schemes' documents are likely, whatever their time.
/// 3. Numbers of 10, 13, 16 and 19 digits are also read as Unix times. An ID that explains a number
///    at most 8 times worse than a time does is shown beside it.
/// 4. If a reading explains the bits 256 times better than another, the other is only possible.
/// 5. IDs of an unlikely time come after the others, and those that no generator issues come last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Confidence {
    /// Only this format has the text's marks, and nothing else is likely. The marks are the version
    /// and variant of a UUID with hyphens, the prefix, version and time of a TypeID, those of an ID
    /// in a UUID, Erlang's tuple, and the alphabet and time of a ULID in upper case. Integers and the
    /// texts of our schemes are never certain.
    Certain,
    /// The text is more probable as this ID than as anything else that people paste, by the rules
    /// above. A decimal integer must be four times likelier to be this ID than a meaningless number.
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
    /// Returns a number by which readings are sorted, which is lower for likelier ones, and 0 for
    /// those without a doubt.
    #[inline]
    pub(crate) const fn rank(self) -> u8 {
        match self {
            Self::NoClock
            | Self::Words
            | Self::Digits
            | Self::HexDigits
            | Self::Date
            | Self::UnixTime
            | Self::Number
            | Self::OtherNumber
            | Self::Unexplained
            | Self::Retired => Self::WEIGHED,
            Self::Time => Self::WEIGHED + 1,
            Self::NeverIssued => Self::WEIGHED + 2,
        }
    }

    /// The rank of a reading that explains the text less well than another, and was weighed.
    const WEIGHED: u8 = 1;

    /// Reports whether the reading is weighed against others.
    #[inline]
    pub(crate) const fn is_weighed(self) -> bool {
        self.rank() <= Self::WEIGHED
    }

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
