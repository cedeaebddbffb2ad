//! `tickid layout`: a table of the known layouts of Snowflakes, or the card of one layout.

use std::process::ExitCode;

use clap::Args;
use tickid_convert::{Kind, Settings};
use tickid_core::{Clock as _, SystemClock, UnixTime};
use tickid_detect::LayoutCard;
use tickid_snowflake::{AnySnowflake, Preset, Widths};

use crate::failure::Failure;
use crate::options::SettingValues;
use crate::output::Output;
use crate::output::picture;
use crate::output::printed::write_json;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tickid layout
  tickid layout discord
  tickid layout 39x10ms/8s/16n@2014-09-01 --json

The table has the fields of each layout, the days of the first and the last ID, the nodes, and the
IDs that one of them makes in a second. The text of a layout has its fields from high to low and its
epoch, as milliseconds since 1970, a date or a time (2014-09-01T12:30:00Z): 39 bits of time in units
of 10 ms, 8 of sequence (s), 16 of node (n). Layouts of 64 bits have /unsigned before the @.")]
pub(crate) struct LayoutArguments {
    /// The layout, by name or as in 41x1ms/10n/12s@2026-01-01 [default: a table of the names]
    #[arg(value_name = "NAME|LAYOUT", value_parser = parse)]
    layout: Option<AnySnowflake>,
    /// Print one JSON object per layout
    #[arg(long)]
    json: bool,
}

/// Parses a layout as `--layout` does, but not one that was probably mistyped.
fn parse(text: &str) -> Result<AnySnowflake, String> {
    let layout = SettingValues::of(Kind::Snowflake, text)?;
    layout.check_epochs()?;
    Ok(layout.over(Settings::default()).snowflake)
}

pub(crate) fn run(arguments: &LayoutArguments) -> Result<ExitCode, Failure> {
    let now = SystemClock.now().ok();
    let cards: Vec<LayoutCard> = match arguments.layout {
        Some(layout) => vec![LayoutCard::new(layout, now)],
        None => Preset::ALL.iter().map(|preset| LayoutCard::new(preset.layout(), now)).collect(),
    };
    let mut out = Output::stdout();
    match (&cards[..], arguments.layout) {
        (cards, _) if arguments.json => {
            cards.iter().try_for_each(|card| write_json(card, out.buffer()))?;
        }
        ([card], Some(_)) => {
            let drawn = picture::draw_layout(card, &lines(card), picture::width());
            // The output does not go through anstream, which would strip the colours where standard
            // output is not a terminal, so that is done here.
            let choice = anstream::AutoStream::choice(&std::io::stdout());
            let is_plain = choice == anstream::ColorChoice::Never;
            let plain = || anstream::adapter::strip_str(&drawn).to_string();
            let drawn = if is_plain { plain() } else { drawn };
            out.buffer().extend_from_slice(drawn.as_bytes());
        }
        (cards, _) => out.buffer().extend_from_slice(table(cards).as_bytes()),
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the lines below the bits of a card.
fn lines(card: &LayoutCard) -> Vec<String> {
    let safe = |until: Option<UnixTime>| match until {
        Some(time) => format!("until {time}"),
        None => "all IDs".to_owned(),
    };
    let lines = [
        format!("time {} to {}, {}", card.first(), card.last(), card.span()),
        format!("time = {}, in milliseconds since 1970", formula(card.layout())),
        format!("nodes {}", grouped(card.nodes())),
        format!("IDs {} per second and node, {}", rate(card), per_tick(card)),
        format!("exact in JavaScript: {}", safe(card.javascript_until())),
        format!("positive in signed columns: {}", safe(card.signed_until())),
    ];
    let names: Vec<&str> = card.names().collect();
    let names = (names.len() > 1).then(|| format!("names {}", names.join(", ")));
    let warnings = card.warnings().map(|warning| format!("warning: {warning}"));
    names.into_iter().chain(lines).chain(warnings).collect()
}

/// Returns the milliseconds since 1970 of an ID, as tools compute them that only know its integer.
fn formula(layout: AnySnowflake) -> String {
    let Widths { node, sequence, unit, epoch, .. } = layout.widths();
    let ticks = format!("(id >> {})", node + sequence);
    let since = match unit.as_micros() {
        1_000 => ticks,
        micros if micros.is_multiple_of(1_000) => format!("{ticks} * {}", micros / 1_000),
        micros => format!("{ticks} * {micros} / 1000"),
    };
    match epoch.as_millis() {
        0 => since,
        millis @ ..0 => format!("{since} - {}", millis.unsigned_abs()),
        millis => format!("{since} + {millis}"),
    }
}

fn per_tick(card: &LayoutCard) -> String {
    let unit = jiff::SignedDuration::try_from(card.layout().widths().unit);
    format!("{} per {:#}", grouped(card.ids_per_tick()), unit.unwrap_or_default())
}

/// Returns the number of IDs that a node makes in a second.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "below 2^32")]
fn rate(card: &LayoutCard) -> String {
    let rate = card.ids_per_second();
    if rate < 100.0 { format!("{rate:.4}") } else { grouped(rate as u64) }
}

/// Returns a number with a comma between thousands.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let places = digits.char_indices().flat_map(|(index, digit)| {
        let is_start = index > 0 && (digits.len() - index).is_multiple_of(3);
        is_start.then_some(',').into_iter().chain([digit])
    });
    places.collect()
}

/// Returns a row for each card, in columns: what fits 80 of the terminal's. Cards have the rest.
fn table(cards: &[LayoutCard]) -> String {
    let day = |time: UnixTime| time.to_string().chars().take("2026-01-01".len()).collect();
    let heading = ["NAME", "FIELDS", "FIRST", "LAST", "NODES", "IDS/S"];
    let rows = cards.iter().map(|card| {
        let text = card.layout().to_string();
        [
            card.names().next().unwrap_or_default().to_owned(),
            // The column FIRST shows the epoch, and there is no room for the sign:
            // `39x10ms/8s/16n`.
            text.split('@').next().unwrap_or_default().replace("/unsigned", ""),
            day(card.first()),
            day(card.last()),
            grouped(card.nodes()),
            rate(card),
        ]
    });
    let rows: Vec<[String; 6]> = [heading.map(str::to_owned)].into_iter().chain(rows).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
    let line = |row: &[String; 6]| {
        let cells = row.iter().enumerate().map(|(column, cell)| match column {
            // Numbers stand to the right, so that their lengths can be compared.
            4.. => format!("{cell:>width$}", width = width(column)),
            _ => format!("{cell:<width$}", width = width(column)),
        });
        format!("{}\n", cells.collect::<Vec<_>>().join("  "))
    };
    rows.iter().map(line).collect()
}
