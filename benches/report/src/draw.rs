//! Draws bar charts.

use core::error::Error as StdError;

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::chart::{Chart, Kind};
use crate::error::Error;

/// Draws a chart as SVG, in light colours, and in dark ones for readers who prefer them.
pub(crate) fn svg(chart: &Chart) -> Result<String, Error> {
    let svg = draw(chart);
    svg.map(|svg| themed(&svg))
        .map_err(|reason| Error::Draw { file: chart.file.clone(), reason: reason.to_string() })
}

type Drawn<T> = Result<T, Box<dyn StdError>>;

const KINDS: [Kind; 3] = [Kind::Ours, Kind::Peer, Kind::Machine];

impl Kind {
    fn label(self) -> &'static str {
        match self {
            Self::Ours => "tickid",
            Self::Peer => "other libraries",
            Self::Machine => "the machine",
        }
    }

    fn colour(self) -> Colour {
        match self {
            Self::Ours => OURS,
            Self::Peer => PEER,
            Self::Machine => MACHINE,
        }
    }
}

/// A colour on a light and on a dark background.
#[derive(Clone, Copy)]
struct Colour {
    light: RGBColor,
    dark: RGBColor,
}

const fn colour(light: u32, dark: u32) -> Colour {
    const fn rgb(colour: u32) -> RGBColor {
        let [_, red, green, blue] = colour.to_be_bytes();
        RGBColor(red, green, blue)
    }
    Colour { light: rgb(light), dark: rgb(dark) }
}

const BACKGROUND: Colour = colour(0xffffff, 0x0d1117);
const TEXT: Colour = colour(0x1f2328, 0xe6edf3);
const OURS: Colour = colour(0x0969da, 0x4493f8);
const PEER: Colour = colour(0xafb8c1, 0x6e7681);
const MACHINE: Colour = colour(0xbf8700, 0xd29922);

const WIDTH: i32 = 860;
const MARGIN: i32 = 16;
/// The height of the title and the legend.
const HEAD: i32 = 72;
const ROW: i32 = 26;
const BAR: i32 = 18;
/// The maximum width of a character in common fonts.
const CHARACTER: i32 = 8;
/// Room for the value behind the longest bar.
const VALUE: i32 = 60;

fn draw(chart: &Chart) -> Drawn<String> {
    let rows = i32::try_from(chart.bars.len())?;
    let height = HEAD + ROW * rows + MARGIN;
    let mut svg = String::new();
    {
        let size = (WIDTH.unsigned_abs(), height.unsigned_abs());
        let area = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        area.fill(&BACKGROUND.light)?;
        draw_head(chart, &area)?;
        draw_bars(chart, &area)?;
        area.present()?;
    }
    Ok(svg)
}

fn draw_head(chart: &Chart, area: &Area<'_>) -> Drawn<()> {
    let title = ("sans-serif", 21).into_font().style(FontStyle::Bold);
    write(area, &chart.title, (MARGIN, 22), title, HPos::Left)?;
    let mut x = MARGIN;
    let present = |kind: &Kind| chart.bars.iter().any(|bar| bar.kind == *kind);
    for kind in KINDS.into_iter().filter(present) {
        let square = [(x, 43), (x + 12, 55)];
        area.draw(&Rectangle::new(square, kind.colour().light.filled()))?;
        write(area, kind.label(), (x + 18, 49), small(), HPos::Left)?;
        x += 30 + CHARACTER * i32::try_from(kind.label().len())?;
    }
    let unit = format!("{}, less is better", chart.unit);
    write(area, &unit, (WIDTH - MARGIN, 49), small(), HPos::Right)
}

fn draw_bars(chart: &Chart, area: &Area<'_>) -> Drawn<()> {
    let longest = chart.bars.iter().map(|bar| bar.name.len()).max().unwrap_or(0);
    let left = MARGIN + CHARACTER * i32::try_from(longest)? + 8;
    let most = chart.bars.iter().map(|bar| bar.value).fold(f64::MIN_POSITIVE, f64::max);
    let scale = f64::from(WIDTH - MARGIN - VALUE - left) / most;
    for (row, bar) in (0..).zip(&chart.bars) {
        let middle = HEAD + ROW * row + ROW / 2;
        // Even the shortest bar is visible.
        let right = left + ((bar.value * scale) as i32).max(1);
        let corners = [(left, middle - BAR / 2), (right, middle + BAR / 2)];
        area.draw(&Rectangle::new(corners, bar.kind.colour().light.filled()))?;
        write(area, &bar.name, (left - 8, middle), small(), HPos::Right)?;
        write(area, &number(bar.value), (right + 6, middle), small(), HPos::Left)?;
    }
    Ok(())
}

type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;

fn small() -> FontDesc<'static> {
    ("sans-serif", 16).into_font()
}

fn write(
    area: &Area<'_>,
    text: &str,
    place: (i32, i32),
    font: FontDesc<'static>,
    side: HPos,
) -> Drawn<()> {
    let style = TextStyle::from(font).color(&TEXT.light).pos(Pos::new(side, VPos::Center));
    area.draw(&Text::new(text, place, style))?;
    Ok(())
}

/// Formats a value with three significant digits.
fn number(value: f64) -> String {
    let decimals = match value {
        value if value < 10.0 => 2,
        value if value < 100.0 => 1,
        _ => 0,
    };
    format!("{value:.decimals$}")
}

/// Adds dark colours to a drawing, for readers who prefer them.
fn themed(svg: &str) -> String {
    let hex = |RGBColor(red, green, blue): RGBColor| format!("#{red:02X}{green:02X}{blue:02X}");
    let rules = [BACKGROUND, TEXT, OURS, PEER, MACHINE]
        .map(|Colour { light, dark }| format!("[fill=\"{}\"]{{fill:{}}}", hex(light), hex(dark)));
    let style = format!("<style>@media (prefers-color-scheme:dark){{{}}}</style>", rules.concat());
    // The style goes behind the opening tag of the drawing.
    match svg.find("<svg").and_then(|start| Some(start + svg[start..].find('>')? + 1)) {
        Some(end) => format!("{}\n{style}{}", &svg[..end], &svg[end..]),
        None => svg.to_owned(),
    }
}
