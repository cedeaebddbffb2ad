//! `tickid convert`.

mod args;
mod goal;
mod origin;

use std::process::ExitCode;

use tickid_convert::{Candidate, ConvertError, Field, Loss, Options, Plausibility, Reading};
use tickid_core::{Clock as _, SystemClock, UnixTime};

pub(crate) use self::args::ConvertArguments;
use self::goal::Made;
use self::origin::Original;
use crate::failure::{Failure, INVALID};
use crate::input::{self, Input};
use crate::json::Object;
use crate::output::Output;
use crate::report::{Hex, Rfc3339};

pub(crate) fn run(arguments: &ConvertArguments) -> Result<ExitCode, Failure> {
    let mut table = arguments.nodes.node_table.clone();
    let options = goal::options(arguments, &mut table)?;
    let mut converter = Converter {
        arguments,
        options,
        now: SystemClock.now().ok(),
        out: Output::stdout(),
        guessed: Vec::new(),
        invalid: false,
    };
    input::for_each(&arguments.ids, |input| converter.convert(input))?;
    converter.out.flush()?;
    Ok(if converter.invalid { ExitCode::from(INVALID) } else { ExitCode::SUCCESS })
}

struct Converter<'a> {
    arguments: &'a ConvertArguments,
    options: Options<'a>,
    /// To judge times by; without a clock all are as likely.
    now: Option<UnixTime>,
    out: Output,
    /// What some input was taken for though it may be something else, which is said once each.
    guessed: Vec<&'static str>,
    invalid: bool,
}

impl Converter<'_> {
    /// Converts one input, or says why not.
    fn convert(&mut self, input: Input<'_>) -> Result<(), Failure> {
        let made = match self.read(input)? {
            Ok(original) => {
                let made = goal::make(original, self.arguments, &self.options);
                made.and_then(|(made, loss)| {
                    if self.arguments.exact && !loss.is_none() {
                        return Err(ConvertError::Lossy(loss).to_string());
                    }
                    Ok((original, made, loss))
                })
                .map_err(|reason| format!("can't be converted: {reason}"))
            }
            Err(reason) => Err(format!("is {reason}")),
        };
        match made {
            Ok((original, made, loss)) if self.arguments.json => {
                self.write_json(input, &original, &made, &loss);
            }
            Ok((_, made, loss)) => {
                made.write_text(&self.arguments.layouts, self.out.buffer());
                self.out.buffer().push(b'\n');
                if !loss.is_none() {
                    input.remark(&mut self.out, &format!("lost: {loss}"))?;
                }
            }
            Err(reason) => {
                self.invalid = true;
                input.remark(&mut self.out, &reason)?;
            }
        }
        self.out.drain()
    }

    /// The ID, as what it is said to be or most likely is.
    fn read(&mut self, input: Input<'_>) -> Result<Result<Original, String>, Failure> {
        let (arguments, layouts) = (self.arguments, &self.options.source);
        if let Some(origin) = arguments.from {
            return Ok(origin::read(origin, input.text, &arguments.layouts, layouts));
        }
        let (candidate, others) =
            match origin::guess(input.text, &arguments.layouts, layouts, self.now) {
                Ok(found) => found,
                Err(reason) => return Ok(Err(reason)),
            };
        let original = Original::Read(candidate.reading());
        if let Some(doubt) = doubt(&candidate, &others)
            && !self.guessed.contains(&original.name())
        {
            self.guessed.push(original.name());
            let remark = format!("is taken for {}; {doubt}", candidate.reading());
            input.remark(&mut self.out, &remark)?;
        }
        Ok(Ok(original))
    }

    fn write_json(&mut self, input: Input<'_>, original: &Original, made: &Made, loss: &Loss) {
        let options = &self.arguments.layouts;
        let mut text = Vec::new();
        made.write_text(options, &mut text);
        let (number, len) = made.integer();
        let bytes = number.to_be_bytes();

        let out = self.out.buffer();
        let mut object = Object::open(out);
        object.string("from", original.name().as_bytes());
        // What was read as an ID holds nothing that JSON escapes.
        object.string("text", input.text);
        object.string("to", self.arguments.to.name().as_bytes());
        object.string("id", &text);
        let hex = Hex(&bytes[bytes.len() - len..]);
        object.string("hex", hex.digits(&mut [0; _]));
        if loss.is_none() {
            object.null("lost");
        } else {
            write_loss(loss, object.object("lost"));
        }
        object.close();
        out.push(b'\n');
    }
}

/// Why a text may be something else than what it is taken for.
fn doubt(candidate: &Candidate, others: &[Candidate]) -> Option<String> {
    if !others.is_empty() {
        let others: Vec<String> = others.iter().map(|other| other.reading().to_string()).collect();
        return Some(format!("it may also be {}", others.join(", ")));
    }
    // The marks of an ID in a UUID say more than its time.
    let is_marked = matches!(candidate.reading(), Reading::Carried(_));
    let time = candidate.time().and_then(Rfc3339::new);
    (candidate.plausibility() == Plausibility::Unlikely && !is_marked).then(|| match time {
        Some(time) => format!("its time is not plausible then: {time}"),
        None => "its time is not plausible then".to_owned(),
    })
}

/// Only what is lost is a member.
fn write_loss(loss: &Loss, mut lost: Object<'_>) {
    if let Some(time) = loss.time {
        lost.number("time_us", i64::try_from(time.as_micros()).unwrap_or(i64::MAX));
    }
    if let Some(node) = loss.node {
        let mut object = lost.object("node");
        let mut field = |name, field: Option<Field>| match field.map(Field::value) {
            None => object.null(name),
            // Strings, as kuid has nodes of 64 bits, which JavaScript would round.
            Some(value) => object.string(name, value.to_string().as_bytes()),
        };
        field("from", Some(node.from));
        field("to", node.to);
        object.close();
    }
    if let Some(sequence) = loss.sequence {
        let mut object = lost.object("sequence");
        object.number("bits", sequence.bits.into());
        object.number("value", i64::try_from(sequence.value).unwrap_or(i64::MAX));
        object.close();
    }
    if let Some(metabyte) = loss.metabyte {
        lost.number("metabyte", metabyte.into());
    }
    if loss.toggle {
        lost.boolean("toggle", true);
    }
    lost.close();
}
