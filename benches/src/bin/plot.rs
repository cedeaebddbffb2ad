//! Draws bar charts: `plot <charts.json> <folder>`. `cargo xtask bench` says what is in them.
//!
//! Here and not in there, so that plotters and what it could need on other targets stay out of the main lock
//! file.

use std::error::Error;
use std::path::Path;
use std::{env, fs};

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use serde_json::Value;

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = env::args().skip(1).collect();
    let [charts, folder] = &args[..] else {
        return Err("usage: plot <charts.json> <folder>".into());
    };
    let charts: Value = serde_json::from_str(&fs::read_to_string(charts)?)?;
    for chart in charts.as_array().ok_or("no list of charts")? {
        let chart = Chart::read(chart).ok_or("a chart without title, unit or bars")?;
        let path = Path::new(folder).join(&chart.file);
        fs::write(path, themed(&chart.draw()?))?;
    }
    Ok(())
}

struct Chart {
    file: String,
    title: String,
    unit: String,
    bars: Vec<Bar>,
}

struct Bar {
    name: String,
    value: f64,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Ours,
    Peer,
    /// What the processor or the system takes by itself.
    Machine,
}

impl Kind {
    const ALL: [Self; 3] = [Self::Ours, Self::Peer, Self::Machine];

    fn read(name: &str) -> Option<Self> {
        match name {
            "ours" => Some(Self::Ours),
            "peer" => Some(Self::Peer),
            "machine" => Some(Self::Machine),
            _ => None,
        }
    }

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

/// On a light and on a dark background.
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
/// Of the title and the legend.
const HEAD: i32 = 72;
const ROW: i32 = 26;
const BAR: i32 = 18;
/// What the longest name takes per character, at most, in the fonts that are about.
const CHARACTER: i32 = 8;
/// Room for the value behind the longest bar.
const VALUE: i32 = 60;

impl Chart {
    fn read(chart: &Value) -> Option<Self> {
        let text = |value: &Value| Some(value.as_str()?.to_owned());
        let bar = |bar: &Value| {
            Some(Bar {
                name: text(&bar["name"])?,
                value: bar["value"].as_f64()?,
                kind: Kind::read(bar["kind"].as_str()?)?,
            })
        };
        Some(Self {
            file: text(&chart["file"])?,
            title: text(&chart["title"])?,
            unit: text(&chart["unit"])?,
            bars: chart["bars"].as_array()?.iter().map(bar).collect::<Option<_>>()?,
        })
    }

    /// As SVG in light colours.
    fn draw(&self) -> Result<String, Box<dyn Error>> {
        let rows = i32::try_from(self.bars.len())?;
        let height = HEAD + ROW * rows + MARGIN;
        let mut svg = String::new();
        {
            let size = (WIDTH.unsigned_abs(), height.unsigned_abs());
            let area = SVGBackend::with_string(&mut svg, size).into_drawing_area();
            area.fill(&BACKGROUND.light)?;
            self.draw_head(&area)?;
            self.draw_bars(&area)?;
            area.present()?;
        }
        Ok(svg)
    }

    fn draw_head(&self, area: &Area<'_>) -> Result<(), Box<dyn Error>> {
        let title = ("sans-serif", 21).into_font().style(FontStyle::Bold);
        write(area, &self.title, (MARGIN, 22), title, HPos::Left)?;
        let mut x = MARGIN;
        let present = |kind: &Kind| self.bars.iter().any(|bar| bar.kind == *kind);
        for kind in Kind::ALL.into_iter().filter(present) {
            let square = [(x, 43), (x + 12, 55)];
            area.draw(&Rectangle::new(square, kind.colour().light.filled()))?;
            write(area, kind.label(), (x + 18, 49), small(), HPos::Left)?;
            x += 30 + CHARACTER * i32::try_from(kind.label().len())?;
        }
        let unit = format!("{}, less is better", self.unit);
        write(area, &unit, (WIDTH - MARGIN, 49), small(), HPos::Right)
    }

    fn draw_bars(&self, area: &Area<'_>) -> Result<(), Box<dyn Error>> {
        let longest = self.bars.iter().map(|bar| bar.name.len()).max().unwrap_or(0);
        let left = MARGIN + CHARACTER * i32::try_from(longest)? + 8;
        let most = self.bars.iter().map(|bar| bar.value).fold(f64::MIN_POSITIVE, f64::max);
        let scale = f64::from(WIDTH - MARGIN - VALUE - left) / most;
        for (row, bar) in (0..).zip(&self.bars) {
            let middle = HEAD + ROW * row + ROW / 2;
            // Even the shortest can be seen.
            let right = left + ((bar.value * scale) as i32).max(1);
            let corners = [(left, middle - BAR / 2), (right, middle + BAR / 2)];
            area.draw(&Rectangle::new(corners, bar.kind.colour().light.filled()))?;
            write(area, &bar.name, (left - 8, middle), small(), HPos::Right)?;
            write(area, &number(bar.value), (right + 6, middle), small(), HPos::Left)?;
        }
        Ok(())
    }
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
) -> Result<(), Box<dyn Error>> {
    let style = TextStyle::from(font).color(&TEXT.light).pos(Pos::new(side, VPos::Center));
    area.draw(&Text::new(text, place, style))?;
    Ok(())
}

/// Three digits that matter.
fn number(value: f64) -> String {
    let decimals = match value {
        value if value < 10.0 => 2,
        value if value < 100.0 => 1,
        _ => 0,
    };
    format!("{value:.decimals$}")
}

/// The drawing, in dark colours for whoever prefers them.
fn themed(svg: &str) -> String {
    let hex = |RGBColor(red, green, blue): RGBColor| format!("#{red:02X}{green:02X}{blue:02X}");
    let rules = [BACKGROUND, TEXT, OURS, PEER, MACHINE]
        .map(|Colour { light, dark }| format!("[fill=\"{}\"]{{fill:{}}}", hex(light), hex(dark)));
    let style = format!("<style>@media (prefers-color-scheme:dark){{{}}}</style>", rules.concat());
    // Behind the opening tag of the whole.
    match svg.find("<svg").and_then(|start| Some(start + svg[start..].find('>')? + 1)) {
        Some(end) => format!("{}\n{style}{}", &svg[..end], &svg[end..]),
        None => svg.to_owned(),
    }
}
