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
use crate::failure::{Failure, INVALID};
use crate::input::{self, Input};
use crate::json::Object;
use crate::output::Output;
use crate::report::{Hex, named, plausibility_name, write_time};

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
    /// What some input was taken for without being told, which is said once each.
    guessed: Vec<&'static str>,
    invalid: bool,
}

impl Converter<'_> {
    /// Converts one input, or says why not.
    fn convert(&mut self, input: Input<'_>) -> Result<(), Failure> {
        if let Some(remark) = input.is_too_long() {
            self.invalid = true;
            return input.remark(&mut self.out, &remark);
        }
        let made = match self.read(input)? {
            Ok((original, guess)) => {
                let made = goal::make(original, self.arguments, &self.options);
                made.and_then(|(made, loss)| {
                    if self.arguments.exact && !loss.is_none() {
                        return Err(ConvertError::Lossy(loss).to_string());
                    }
                    Ok((original, guess, made, loss))
                })
                .map_err(|reason| format!("can't be converted: {reason}"))
            }
            Err(reason) => Err(format!("is {reason}")),
        };
        match made {
            Ok((original, guess, made, loss)) if self.arguments.json => {
                self.write_json(input, &original, guess.as_ref(), &made, &loss);
            }
            Ok((_, _, made, loss)) => {
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

    /// The ID, as what it is said to be, or most likely is: a guess, which is said to be one.
    fn read(
        &mut self,
        input: Input<'_>,
    ) -> Result<Result<(Original, Option<Guess>), String>, Failure> {
        let (arguments, layouts) = (self.arguments, &self.options.source);
        if let Some(origin) = arguments.from {
            let original = origin::read(origin, input.text, &arguments.layouts, layouts);
            return Ok(original.map(|original| (original, None)));
        }
        let guess = match origin::guess(input.text, &arguments.layouts, layouts, self.now) {
            Ok(guess) => guess,
            Err(reason) => return Ok(Err(reason)),
        };
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
            input.remark(&mut self.out, &remark)?;
        }
        Ok(Ok((original, Some(guess))))
    }

    fn write_json(
        &mut self,
        input: Input<'_>,
        original: &Original,
        guess: Option<&Guess>,
        made: &Made,
        loss: &Loss,
    ) {
        let options = &self.arguments.layouts;
        let mut text = Vec::new();
        made.write_text(options, &mut text);
        let (number, len) = made.integer();
        let bytes = number.to_be_bytes();

        let out = self.out.buffer();
        let mut object = Object::open(out);
        object.string("from", original.name().as_bytes());
        match guess {
            None => object.null("detected"),
            Some(guess) => write_guess(guess, object.object("detected")),
        }
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

/// What the text was taken for, and what speaks for it.
fn write_guess(guess: &Guess, mut object: Object<'_>) {
    let Guess { candidate, others } = guess;
    object.string("as", candidate.reading().to_string().as_bytes());
    object.string("reason", candidate.reason().as_bytes());
    object.string("plausibility", plausibility_name(candidate.plausibility()).as_bytes());
    write_time(candidate.time(), &mut object);
    object.strings("others", others.iter().map(|other| other.reading().to_string()));
    object.close();
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
