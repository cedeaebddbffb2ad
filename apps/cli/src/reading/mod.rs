//! Reading texts as IDs, of the format that an option names or of those that are detected.

mod near_miss;
pub(crate) mod prefix;
pub(crate) mod rewritten;
pub(crate) mod schemes;

use std::sync::LazyLock;

use clap::ValueEnum;
use clap::builder::PossibleValue;
use tickid_convert::foreign::Mastodon;
use tickid_convert::{Form, Kind, Settings, TextForm};
use tickid_core::SystemClock;
use tickid_detect::{Agreement, Detector, Doubt, Format, Identifier, Inspections, Reading};
use tickid_snowflake::{Preset, SnowflakeId};
use tickid_text::{ParseError, decimal};

use self::prefix::{Prefixed, Split};
use crate::options::{IdOptions, Scheme, texts_of};

/// The options for reading IDs, and the detector with these options.
#[derive(Clone, Copy)]
pub(crate) struct Reader<'a> {
    pub(crate) options: &'a IdOptions,
    pub(crate) settings: Settings,
    pub(crate) detector: Detector<SystemClock>,
}

impl<'a> Reader<'a> {
    pub(crate) const fn new(options: &'a IdOptions, settings: Settings) -> Self {
        Self { options, settings, detector: Detector::new(settings, SystemClock) }
    }

    /// Returns every reading of a text, likeliest first. Every reading is ASCII.
    #[inline]
    pub(crate) fn detect<'t>(&self, text: &'t [u8]) -> Inspections<'t> {
        self.detector.inspect(str::from_utf8(text).unwrap_or_default())
    }

    /// Returns the readings of a text that is not likely an ID by itself, behind a prefix. There are
    /// several where the ID may have an underscore too. With `all`, those that are not likely count,
    /// if none is.
    #[cold]
    pub(crate) fn behind_prefix<'t>(
        &self,
        text: &'t [u8],
        agreement: &mut Agreement,
        all: bool,
    ) -> Vec<Prefixed<'t>> {
        let read = |split: Split<'t>| {
            let mut found = self.detect(split.id);
            found.agree(agreement);
            Prefixed { split, found }
        };
        let mut behind: Vec<Prefixed<'t>> = prefix::splits(text).map(read).collect();
        let has_id = behind.iter().any(|one| prefix::is_id(one.found.readings()));
        behind.retain(|one| {
            let found = one.found.readings();
            if has_id { prefix::is_id(found) } else { all && !found.is_empty() }
        });
        behind
    }

    /// Reads a text as IDs of the format that was named behind a prefix, as [`read_as`](Self::read_as)
    /// does without one.
    #[cold]
    pub(crate) fn read_behind_prefix<'t>(
        &self,
        named: NamedFormat,
        text: &'t [u8],
    ) -> Vec<(Split<'t>, (Identifier, Form))> {
        let splits = prefix::splits(text).filter(Split::may_be_named);
        splits.filter_map(|split| Some((split, self.read_as(named, split.id).ok()?))).collect()
    }

    /// Reads a text as an ID of the format that was named. The error is a predicate.
    #[inline]
    pub(crate) fn read_as(
        &self,
        named: NamedFormat,
        text: &[u8],
    ) -> Result<(Identifier, Form), String> {
        // The format's own text, which needs no search.
        let own = match Scheme::of(named.format) {
            Some(scheme) => {
                schemes::read(scheme, named.text, text, self.options).and_then(Result::ok)
            }
            None => of_other(named, text).map(|id| (id, Form::Own)),
        };
        match own {
            Some(id) => Ok(id),
            None => self.search(named, text),
        }
    }

    /// Looks for the format among all readings, which include other forms of its IDs.
    #[cold]
    fn search(&self, named: NamedFormat, text: &[u8]) -> Result<(Identifier, Form), String> {
        let found = self.detect(text);
        let mut readings = found.readings().iter().filter(|one| self.is_of(one, named));
        if let Some(reading) = readings.next() {
            return Ok((reading.identifier(), reading.form()));
        }
        let mut others = Identifier::in_other_forms(named.format, text, &self.settings)
            .filter(|(_, form)| named.text.is_none_or(|text| form.name() == text));
        others.next().ok_or_else(|| near_miss::of(named, text, self.options))
    }

    /// Reports whether a reading is of a format, and of its text if one was named: a Nanoflake of
    /// Twitter's epoch is Twitter's, and one of Discord's is Discord's.
    fn is_of(&self, one: &Reading, named: NamedFormat) -> bool {
        let is_of_format = one.format() == named.format
            || one.identifier().also(one.form(), &self.settings) == Some(named.format);
        is_of_format && named.text.is_none_or(|text| one.form().name() == text)
    }

    /// Reports whether a text among others may be an ID of this format, although it may also be one
    /// of a different format, or a number.
    pub(crate) fn may_be(&self, one: &Reading, named: NamedFormat) -> bool {
        use Doubt::{Number, OtherNumber, Unexplained, UnixTime};

        let may_be =
            matches!(one.doubt(), None | Some(Number | OtherNumber | Unexplained | UnixTime));
        self.is_of(one, named) && may_be
    }

    /// Returns a hint for an ID that a program has rewritten, for example with zeros in front of it:
    /// likely one, or one of the format that was named. `is_line` says that others follow, for
    /// which the same hint holds.
    #[cold]
    pub(crate) fn rewritten(
        &self,
        text: &[u8],
        from: Option<NamedFormat>,
        is_line: bool,
    ) -> Option<String> {
        let (how, own) = rewritten::of(text)?;
        let names: Vec<String> = match from {
            Some(from) => {
                let read = self.read_as(from, own.as_bytes()).ok();
                read.map(|(id, form)| id.name(form).to_string()).into_iter().collect()
            }
            None => {
                let found = self.detect(own.as_bytes());
                // The time is that of one line.
                let name =
                    |one: &Reading| if is_line { one.name().to_string() } else { named(one) };
                found.readings().likely().map(name).collect()
            }
        };
        let what = if is_line { "it".to_owned() } else { own };
        (!names.is_empty()).then(|| format!("{how}, {what} is read as {}", names.join(", or ")))
    }

    /// Returns a predicate about a number that has lost digits of the ID that it was, if it shows.
    pub(crate) fn damage(text: &[u8]) -> Option<String> {
        near_miss::of_damage(text)
    }

    /// Returns a predicate about a text that is of no format.
    pub(crate) fn near_misses(&self, text: &[u8]) -> String {
        near_miss::of_all(text, self.options)
    }
}

/// A format as `--from` names it, with one of its texts if it has several, or with hexadecimal:
/// `kuid`, `kuid/url` or `kuid/hex`. Without a text it is the canonical one, unless the length of
/// what is read says otherwise. Other forms need no name, but without a letter, hexadecimal digits
/// are read as decimal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NamedFormat {
    pub(crate) format: Format,
    pub(crate) text: Option<&'static str>,
}

impl NamedFormat {
    /// Returns all texts of the formats that `is_read` selects.
    pub(crate) fn all(is_read: impl Fn(Format) -> bool) -> Vec<Self> {
        let formats = Format::ALL.iter().copied().filter(|format| is_read(*format));
        let scheme = |format: Format| match Preset::named(format.key()) {
            Some(_) => Scheme::of(Format::Snowflake),
            None => Scheme::of(format),
        };
        let named = |format| {
            let texts = scheme(format).map_or_else(Vec::new, texts_of);
            let texts = texts.into_iter().chain([Form::Hex.name()]).map(Some);
            [None].into_iter().chain(texts).map(move |text| Self { format, text })
        };
        formats.flat_map(named).collect()
    }

    /// Returns the name, and the aliases of the format.
    pub(crate) fn value(self) -> PossibleValue {
        match self.text {
            None => format_value(self.format),
            Some(text) => {
                // Forms that are rarely needed would be most of the list.
                let is_rare = text == Form::Hex.name() || Scheme::of(self.format).is_none();
                PossibleValue::new(format!("{}/{text}", self.format.key())).hide(is_rare)
            }
        }
    }
}

static NAMED: LazyLock<Vec<NamedFormat>> = LazyLock::new(|| NamedFormat::all(|_| true));

impl ValueEnum for NamedFormat {
    fn value_variants<'a>() -> &'a [Self] {
        &NAMED
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(self.value())
    }
}

/// Returns the format as the value of an option.
fn format_value(format: Format) -> PossibleValue {
    let aliases = Preset::named(format.key()).map_or(&[][..], Preset::aliases);
    PossibleValue::new(format.key()).aliases(aliases)
}

/// Reads the integer of another system, or Crockford's digits, which are one only if an option names
/// it.
fn of_other(named: NamedFormat, text: &[u8]) -> Option<Identifier> {
    let NamedFormat { format, text: form } = named;
    if format == Format::Mastodon && form.is_none() {
        return integer(text, format.title()).ok().map(|id| Identifier::Mastodon(Mastodon(id)));
    }
    let preset = Preset::named(format.key())?;
    let id = match form {
        None => of_preset(preset, text).ok()?,
        Some(form) => {
            let id = TextForm::named(Kind::Snowflake, form)?.parse(text).ok()?;
            SnowflakeId::new(id.to_u128().try_into().ok()?)
        }
    };
    (id <= preset.layout().max_id()).then_some(Identifier::Preset(preset, id))
}

/// Reads the ID of a preset: an integer, or 13 digits of Crockford's, which `--to` writes for any
/// layout. The error is a predicate.
fn of_preset(preset: Preset, text: &[u8]) -> Result<SnowflakeId, String> {
    let is_tsid = preset == Preset::Tsid && text.len() == SnowflakeId::CROCKFORD_LEN;
    if is_tsid {
        return SnowflakeId::parse_crockford(text).map_err(|error| format!("is {error}"));
    }
    let number = integer(text, preset.title()).map(SnowflakeId::new);
    number.or_else(|error| SnowflakeId::parse_crockford(text).map_err(|_| error))
}

/// Reads a decimal integer, as IDs of the format `name` have it. The error is a predicate.
fn integer(text: &[u8], name: &'static str) -> Result<u64, String> {
    decimal::decode(text, u64::MAX).map_err(|kind| format!("is {}", ParseError::new(name, kind)))
}

/// Returns the name of a reading, with the time that the ID then has.
pub(crate) fn named(reading: &Reading) -> String {
    match reading.unix_time() {
        Some(time) => format!("{} ({time})", reading.name()),
        None => reading.name().to_string(),
    }
}

/// Reports whether a text is the name of a format.
pub(crate) fn is_format(text: &str) -> bool {
    text.parse::<Format>().is_ok() || Preset::named(text).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names of columns, of functions and of files.
    #[test]
    fn names_in_snake_case_are_no_ids_behind_a_prefix() {
        const WORDS: &str = "access account active address admin after age amount api archive array \
            asset at attribute auth author base batch before bill block body book bool branch bucket \
            buffer build by cache call cart category channel char check child city class client code \
            color column comment commit company config contact content count country created currency \
            current customer data database date day default deleted delta description device discount \
            document domain driver email end engine entry error event export feature field file filter \
            first flag folder format from full function gateway get global group handle hash header \
            height hidden host id image import in index info input int internal invoice is item job json \
            key kind label language last latitude length level limit line link list local location log \
            login longitude main manager map max member message meta method min mode model month name \
            new next node note number object of offset old on open option order origin output owner page \
            parent part partner password path payment percent period permission phone position post \
            prefix price primary process product profile project property provider public quantity query \
            queue random range rate raw read record ref region remote request reset result role root row \
            rule run scope score search second secret section segment sender sequence server service \
            session set settings shape ship sign size slot snapshot sort source stage start state status \
            step stock store stream string sub subject success sum summary support tag target task tax \
            team temp test text thread ticket tick time title to token topic total track trace type \
            unique unit update uri url user uuid valid value vendor version view visible warehouse web \
            week weight width with word work write year zip zone";
        let words: Vec<&str> = WORDS.split_whitespace().collect();
        let options = IdOptions::default();
        let reader = Reader::new(&options, options.all());
        let mut seed = 0x5eed_u64;
        let mut random = |below: usize| {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(seed >> 33).unwrap() % below
        };
        for _ in 0..20_000 {
            let name: Vec<&str> = (0..2 + random(4)).map(|_| words[random(words.len())]).collect();
            let mut name = name.join("_");
            match random(8) {
                0 => name.push_str(&format!("_{}", random(1_000))),
                1 => name.push_str(&format!("_v{}", random(20))),
                2 => name.push_str("_20261128"),
                3 => name.push_str("_1763353455"),
                _ => {}
            }
            let text = name.as_bytes();
            if reader.detect(text).readings().likely().next().is_none() {
                let found = reader.behind_prefix(text, &mut Agreement::default(), false);
                assert!(found.is_empty(), "{name}: {}", found[0].split.prefix);
            }
        }
    }
}
