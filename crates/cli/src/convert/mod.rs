//! `tickid convert`.

mod args;
mod goal;
mod origin;

use std::process::ExitCode;

use tickid_convert::{ConvertError, Field, Loss, Options};
use tickid_core::{Clock as _, SystemClock, UnixTime};

pub(crate) use self::args::ConvertArguments;
use self::goal::Made;
use self::origin::{Guess, Original};
use crate::failure::Failure;
use crate::input::{self, Input};
use crate::json::Object;
use crate::options::name_of;
use crate::output::Output;
use crate::report::{Hex, named, plausibility_name, write_time};

pub(crate) fn run(arguments: &ConvertArguments) -> Result<ExitCode, Failure> {
    let mut table = arguments.nodes.node_table.clone();
    let options = goal::options(arguments, &mut table)?;
    let now = SystemClock.now().ok();
    let mut converter = Converter { arguments, options, now, guessed: Vec::new() };
    input::run(&arguments.ids, &arguments.selection, |input, out| converter.convert(input, out))
}

struct Converter<'a> {
    arguments: &'a ConvertArguments,
    options: Options<'a>,
    /// The time relative to which others are judged; without a clock all are equally likely.
    now: Option<UnixTime>,
    /// The formats that were guessed, each of which is reported once.
    guessed: Vec<&'static str>,
}

impl Converter<'_> {
    /// Converts one input.
    fn convert(&mut self, input: Input<'_>, out: &mut Output) -> Result<(), Failure> {
        let (original, guess) = self.read(input, out)?;
        let (made, loss) = goal::make(original, self.arguments, &self.options)?;
        if self.arguments.exact && !loss.is_none() {
            return Err(goal::not_converted(ConvertError::Lossy(loss)));
        }
        if self.arguments.json {
            self.write_json(input, &original, guess.as_ref(), &made, &loss, out.buffer());
            return Ok(());
        }
        made.write_text(&self.arguments.layouts, out.buffer());
        out.buffer().push(b'\n');
        if loss.is_none() { Ok(()) } else { input.remark(out, &format!("lost: {loss}")) }
    }

    /// Reads the ID in the format that was named, or else in the likeliest, and reports the guess.
    fn read(
        &mut self,
        input: Input<'_>,
        out: &mut Output,
    ) -> Result<(Original, Option<Guess>), Failure> {
        let (arguments, layouts) = (self.arguments, &self.options.source);
        if let Some(origin) = arguments.from {
            let original = origin::read(origin, input.text, &arguments.layouts, layouts);
            return Ok((original.map_err(Failure::invalid)?, None));
        }
        let guess = origin::guess(input.text, &arguments.layouts, layouts, self.now);
        let guess = guess.map_err(Failure::invalid)?;
        let original = Original::Read(guess.candidate.reading());
        if !self.guessed.contains(&original.name()) {
            self.guessed.push(original.name());
            let mut remark = format!("is taken for {}", named(&guess.candidate));
            if !guess.others.is_empty() {
                let others: Vec<String> = guess.others.iter().map(named).collect();
                remark.push_str("; it may also be ");
                remark.push_str(&others.join(", "));
            }
            remark.push_str("; say what it is with --from");
            input.remark(out, &remark)?;
        }
        Ok((original, Some(guess)))
    }

    fn write_json(
        &self,
        input: Input<'_>,
        original: &Original,
        guess: Option<&Guess>,
        made: &Made,
        loss: &Loss,
        out: &mut Vec<u8>,
    ) {
        let options = &self.arguments.layouts;
        let mut text = Vec::new();
        made.write_text(options, &mut text);
        let (number, len) = made.integer();
        let bytes = number.to_be_bytes();

        let mut object = Object::open(out);
        object.string("from", original.name().as_bytes());
        match guess {
            None => object.null("detected"),
            Some(guess) => write_guess(guess, object.object("detected")),
        }
        object.escaped("text", input.text);
        object.string("to", name_of(&self.arguments.to).as_bytes());
        object.string("id", &text);
        let hex = Hex::low(&bytes, len);
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

/// Writes the reading chosen for the text, and the reason.
fn write_guess(guess: &Guess, mut object: Object<'_>) {
    let Guess { candidate, others } = guess;
    object.string("as", candidate.reading().to_string().as_bytes());
    object.string("reason", candidate.reason().as_bytes());
    object.string("plausibility", plausibility_name(candidate.plausibility()).as_bytes());
    write_time(candidate.time(), &mut object);
    object.strings("others", others.iter().map(|other| other.reading().to_string()));
    object.close();
}

/// Writes what was lost, and nothing else.
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
