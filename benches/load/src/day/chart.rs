//! Lines over the time of the day, as SVG whose colours are the page's: so it is drawn here, since the crates that draw
//! charts write colours into every line, and one page serves light and dark.

use std::fmt::Write as _;

use super::record::Happening;

const WIDTH: f64 = 960.0;
const HEIGHT: f64 = 230.0;
const LEFT: f64 = 58.0;
const RIGHT: f64 = 24.0;
const TOP: f64 = 34.0;
const BOTTOM: f64 = 24.0;
/// Colours that the page has.
const COLOURS: usize = 8;

/// One line: a value for each interval, or none.
pub(crate) struct Line {
    pub(crate) name: String,
    pub(crate) values: Vec<Option<f64>>,
    /// Drawn thin, in the colour of the line before.
    pub(crate) is_companion: bool,
}

/// Scale of values.
#[derive(Clone, Copy)]
pub(crate) enum Scale {
    /// From zero.
    Even,
    /// By powers of ten; for milliseconds.
    Tenfold,
}

/// Background of every chart of a day, behind its lines.
pub(crate) struct Frame<'a> {
    /// Seconds.
    pub(crate) length: f64,
    /// Seconds of an interval.
    pub(crate) interval: f64,
    /// Name, beginning and end in seconds.
    pub(crate) phases: Vec<(&'static str, f64, f64)>,
    pub(crate) happenings: &'a [Happening],
}

/// The chart and its legend.
pub(crate) fn chart(frame: &Frame<'_>, scale: Scale, lines: &[Line]) -> String {
    let most = lines.iter().flat_map(|line| line.values.iter().flatten()).copied().fold(0.0, f64::max);
    let (low, high) = match scale {
        Scale::Even => (0.0, ceiling(most)),
        Scale::Tenfold => (-1.0, most.max(10.0).log10().ceil()),
    };
    let x = |seconds: f64| LEFT + (WIDTH - LEFT - RIGHT) * seconds / frame.length;
    let y = |value: f64| {
        let place = match scale {
            Scale::Even => value,
            Scale::Tenfold => value.max(0.1).log10(),
        };
        HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (place - low) / (high - low)
    };
    let mut svg = format!("<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\">");
    backdrop(&mut svg, frame, &x);
    let marks: Vec<f64> = match scale {
        Scale::Even => (0..=4).map(|quarter| high * f64::from(quarter) / 4.0).collect(),
        Scale::Tenfold => (-1..=5).map(|power| 10_f64.powi(power)).filter(|mark| mark.log10() <= high).collect(),
    };
    for mark in marks {
        let (at, text) = (y(mark), short(mark));
        push(&mut svg, format_args!("<line class=g x1={LEFT} x2={} y1={at:.1} y2={at:.1} />", WIDTH - RIGHT));
        push(&mut svg, format_args!("<text x={} y={:.1} text-anchor=end>{text}</text>", LEFT - 6.0, at + 4.0));
    }
    let (mut legend, mut colour) = (String::new(), COLOURS - 1);
    for line in lines {
        if !line.is_companion {
            colour = (colour + 1) % COLOURS;
            push(&mut legend, format_args!("<span class=c{colour}>{}</span> ", escaped(&line.name)));
        }
        let thin = if line.is_companion { " t" } else { "" };
        let (mut path, mut is_down) = (String::new(), false);
        for (seconds, value) in
            std::iter::successors(Some(frame.interval / 2.0), |at| Some(at + frame.interval)).zip(&line.values)
        {
            let Some(value) = value else {
                is_down = false;
                continue;
            };
            let (at, height) = (x(seconds.min(frame.length)), y(*value));
            // A point that stands alone is seen by its width.
            let step = if is_down {
                format!("L{at:.1} {height:.1}")
            } else {
                format!("M{:.1} {height:.1}h2L{at:.1} {height:.1}", at - 1.0)
            };
            path.push_str(&step);
            is_down = true;
        }
        let name = escaped(&line.name);
        push(&mut svg, format_args!("<path class=\"c{colour}{thin}\" d=\"{path}\"><title>{name}</title></path>"));
    }
    format!("<figure>{svg}</svg><figcaption>{legend}</figcaption></figure>")
}

/// Phases, happenings and minutes.
fn backdrop(svg: &mut String, frame: &Frame<'_>, x: &impl Fn(f64) -> f64) {
    let bottom = HEIGHT - BOTTOM;
    for (place, (name, from, until)) in frame.phases.iter().enumerate() {
        let (from, until) = (x(*from), x(*until));
        let (width, shade) = (until - from, place % 2);
        push(svg, format_args!("<rect class=p{shade} x={from:.1} width={width:.1} y=0 height={bottom} />"));
        push(svg, format_args!("<text x={:.1} y=12>{name}</text>", from + 4.0));
    }
    for happening in frame.happenings {
        let (from, until) = (x(happening.from.as_secs_f64()), x(happening.until.as_secs_f64().min(frame.length)));
        let (width, name) = ((until - from).max(1.5), happening.name);
        push(
            svg,
            format_args!(
                "<rect class={name} x={from:.1} width={width:.1} y={TOP} height={:.1}><title>{name}</title></rect>",
                bottom - TOP
            ),
        );
        if matches!(name, "backup" | "upgrade") {
            push(svg, format_args!("<text class={name} x={from:.1} y=28>{name}</text>"));
        }
    }
    let minutes = (frame.length / 600.0).ceil().max(1.0);
    let mut minute = 0.0;
    while minute * 60.0 <= frame.length {
        let at = x(minute * 60.0);
        push(svg, format_args!("<text x={at:.1} y={} text-anchor=middle>{minute} min</text>", HEIGHT - 6.0));
        minute += minutes;
    }
}

fn push(text: &mut String, more: std::fmt::Arguments<'_>) {
    // Writing to a text does not fail.
    let _written = text.write_fmt(more);
}

/// A round number above all values, which four parts divide well.
fn ceiling(most: f64) -> f64 {
    let tenfold = 10_f64.powf(most.max(1.0).log10().floor());
    [1.0, 2.0, 4.0, 8.0, 10.0].into_iter().map(|step| step * tenfold).find(|top| *top >= most).unwrap_or(most)
}

/// A number as an axis has it.
fn short(value: f64) -> String {
    if value >= 1000.0 { format!("{}k", value / 1000.0) } else { format!("{}", (value * 100.0).round() / 100.0) }
}

/// A text within HTML.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
