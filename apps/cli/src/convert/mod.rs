//! `tickid convert`: converts each input, and reports what was lost.

mod args;
mod source;
mod target;

use std::borrow::Cow;
use std::process::ExitCode;

use serde::Serialize;
use tickid_convert::{Bits, ConvertError, Loss, Options};
use tickid_core::UnixTime;
use tickid_detect::Agreement;

use self::args::Source;
pub(crate) use self::args::{ConvertArguments, forms_in_words};
use self::source::{Detected, Original};
use crate::failure::Failure;
use crate::input::{self, Content, Input, MESSAGES, Work, further};
use crate::message::say;
use crate::options::when::date_time;
use crate::output::Output;
use crate::output::printed::write_json;
use crate::reading::prefix::without_prefix;
use crate::reading::{Reader, named};

pub(crate) fn run(arguments: &ConvertArguments) -> Result<ExitCode, Failure> {
    target::check_given(arguments)?;
    let mut table = arguments.nodes.node_table.clone();
    let options = target::options(arguments, &mut table)?;
    let reader = Reader::new(&arguments.settings, options.source);
    let mut converter = Converter {
        arguments,
        options,
        reader,
        agreement: Agreement::default(),
        reported: Vec::new(),
        losses: 0,
    };
    let status = input::run(&arguments.ids, &arguments.selection, &mut converter);
    if converter.losses > MESSAGES {
        let others = further(converter.losses - MESSAGES, "ID");
        say(&format!("{others} lost something; --json shows what"));
    }
    status
}

struct Converter<'a> {
    arguments: &'a ConvertArguments,
    options: Options<'a>,
    reader: Reader<'a>,
    /// The formats that the first lines agree on.
    agreement: Agreement,
    /// The detected formats that were reported. Each is reported only once.
    reported: Vec<&'static str>,
    /// The number of new IDs that lost something.
    losses: u64,
}

impl Work for Converter<'_> {
    fn keep_line(&self, _: Content, _: Input<'_>, out: &mut Vec<u8>) {
        if self.arguments.keep_lines {
            out.push(b'\n');
        }
    }

    fn looks_ahead(&self) -> bool {
        self.arguments.from.is_none()
    }

    fn preview(&mut self, texts: &[Vec<u8>]) {
        let texts = texts.iter().map(|text| without_prefix(text));
        self.agreement = self.reader.detector.agreement(texts);
    }

    fn input(&mut self, input: Input<'_>, out: &mut Output) -> Result<(), Failure> {
        let (original, detected) = self.read(input, out)?;
        let (new, loss) = target::make(original, self.arguments, &self.options)?;
        // With --exact an ID that lost something is not printed at all. Otherwise it is, and the
        // loss goes to standard error, where it does not disturb a pipe.
        if self.arguments.exact && !loss.is_none() {
            return Err(target::not_converted(ConvertError::Lossy(loss)));
        }
        let text = new.text(self.arguments.to)?;
        if self.arguments.json {
            let line = ConversionJson {
                from: original.name(),
                detected: detected.as_ref().map(DetectedJson::new),
                text: String::from_utf8_lossy(input.text),
                to: self.arguments.to.format(),
                id: text,
                hex: new.hex(),
                lost: (!loss.is_none()).then(|| LossJson::new(&loss)),
                line: input.line,
            };
            return write_json(&line, out.buffer());
        }
        out.buffer().extend_from_slice(text.as_bytes());
        out.buffer().push(b'\n');
        self.losses += u64::from(!loss.is_none());
        if loss.is_none() || self.losses > MESSAGES {
            return Ok(());
        }
        input.remark(out, &format!("lost: {loss}"))
    }
}

impl Converter<'_> {
    /// Reads the ID in the format that was named, or else in the likeliest, and reports what it was
    /// taken for.
    fn read(
        &mut self,
        input: Input<'_>,
        out: &mut Output,
    ) -> Result<(Original, Option<Detected>), Failure> {
        let from = self.arguments.from;
        let invalid = |reason| {
            let from = from.map(Source::format);
            let hint = self.reader.rewritten(input.text, from, input.line.is_some());
            Failure::Invalid { reason, hint: hint.map(Cow::Owned) }
        };
        if let Some(from) = from {
            let original = source::read(from, self.arguments.to, input.text, &self.reader);
            return Ok((original.map_err(invalid)?, None));
        }
        // A guess has to be shown, or a wrong one would go unnoticed. Once for each format is
        // enough in a file of a million lines.
        let detected =
            source::likeliest(input.text, &self.reader, &mut self.agreement).map_err(invalid)?;
        let original = Original::Read(detected.reading.identifier());
        if !self.reported.contains(&original.name()) {
            self.reported.push(original.name());
            let mut remark = format!("is taken for {}", named(&detected.reading));
            if !detected.others.is_empty() {
                let others: Vec<String> = detected.others.iter().map(named).collect();
                remark.push_str("; it may also be ");
                remark.push_str(&others.join(", "));
            }
            remark.push_str("; say what it is with --from");
            input.remark(out, &remark)?;
        }
        Ok((original, Some(detected)))
    }
}

/// A conversion as JSON.
#[derive(Serialize)]
struct ConversionJson<'a> {
    from: &'static str,
    detected: Option<DetectedJson>,
    text: Cow<'a, str>,
    to: String,
    id: String,
    hex: String,
    lost: Option<LossJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u64>,
}

/// The reading chosen for a text, and the reason.
#[derive(Serialize)]
struct DetectedJson {
    #[serde(rename = "as")]
    name: String,
    reason: &'static str,
    confidence: &'static str,
    unix_ms: Option<i64>,
    time: Option<String>,
    others: Vec<String>,
}

impl DetectedJson {
    fn new(detected: &Detected) -> Self {
        let Detected { reading, others } = detected;
        Self {
            name: reading.name().to_string(),
            reason: reading.reason(),
            confidence: reading.confidence().name(),
            unix_ms: reading.unix_time().map(UnixTime::as_millis),
            time: reading.unix_time().and_then(date_time),
            others: others.iter().map(|other| other.name().to_string()).collect(),
        }
    }
}

/// The parts that were lost, and no others.
#[derive(Serialize)]
struct LossJson {
    #[serde(skip_serializing_if = "Option::is_none")]
    time_us: Option<u128>,
    #[serde(skip_serializing_if = "Option::is_none")]
    node: Option<NodeLossJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sequence: Option<SequenceLossJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    metabyte: Option<u8>,
    #[serde(skip_serializing_if = "core::ops::Not::not")]
    toggle: bool,
}

/// The numbers are strings, as kuid has nodes of 64 bits, which JavaScript would round.
#[derive(Serialize)]
struct NodeLossJson {
    from: String,
    to: Option<String>,
}

#[derive(Serialize)]
struct SequenceLossJson {
    bits: u32,
    value: u64,
}

impl LossJson {
    fn new(loss: &Loss) -> Self {
        let number = |bits: Bits| bits.value().to_string();
        Self {
            time_us: loss.time.map(|time| time.as_micros()),
            node: loss
                .node
                .map(|node| NodeLossJson { from: number(node.from), to: node.to.map(number) }),
            sequence: loss
                .sequence
                .map(|lost| SequenceLossJson { bits: lost.bits, value: lost.value }),
            metabyte: loss.metabyte,
            toggle: loss.toggle,
        }
    }
}
