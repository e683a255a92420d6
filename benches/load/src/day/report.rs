//! Report of the day: a table for the terminal, and a page with pictures.

use std::{fmt::Write as _, time::Duration};

use super::{
    Day,
    chart::{Frame, Line, Scale, chart, escaped},
    plan::{Group, KINDS, Kind, PHASES, What},
    record::INTERVAL,
    watch::{PICTURES, UNDER_WAY},
};
use crate::data::Size;

const STYLE: &str = include_str!("style.css");

/// The cells of a row.
fn cells(day: &Day, kind: &Kind) -> [String; 7] {
    let record = day.record.borrow();
    let total = record.total(kind.what);
    let meanwhile = record.meanwhile.get(&kind.what).copied().unwrap_or_default();
    let of = |share| total.quantile(share).map_or_else(|| "-".to_owned(), milliseconds);
    let all = total.times.len() + total.failed + meanwhile;
    [kind.name.to_owned(), all.to_string(), of(50), of(99), of(100), total.failed.to_string(), meanwhile.to_string()]
}

const COLUMNS: [&str; 7] =
    ["Kind", "Requests", "p50 ms", "p99 ms", "max ms", "Failed", "Failed while the server was replaced"];

fn milliseconds(value: f64) -> String {
    if value < 10.0 { format!("{value:.1}") } else { format!("{value:.0}") }
}

/// For the terminal.
pub(crate) fn table(day: &Day) -> String {
    let mut text = format!("\n| {} |\n|---|---:|---:|---:|---:|---:|---:|", COLUMNS.join(" | "));
    for kind in &KINDS {
        line(&mut text, &format!("| {} |", cells(day, kind).join(" | ")));
    }
    line(&mut text, "");
    for sentence in sentences(day) {
        line(&mut text, &sentence);
    }
    text
}

fn line(text: &mut String, more: &str) {
    text.push('\n');
    text.push_str(more);
}

/// Sentences that are told beside the table.
fn sentences(day: &Day) -> Vec<String> {
    let record = day.record.borrow();
    let mut sentences = Vec::new();
    for happening in record.happenings.iter().filter(|happening| !happening.outcome.is_empty()) {
        sentences.push(format!(
            "{} at {:.0} s: {}; {:.1} s in all",
            happening.name,
            happening.from.as_secs_f64(),
            happening.outcome,
            (happening.until.saturating_sub(happening.from)).as_secs_f64()
        ));
    }
    sentences.push(format!("streams that ended and were opened again: {}", day.reconnected.get()));
    if record.reasons.is_empty() {
        sentences.push("nothing failed".to_owned());
    }
    for ((what, reason), count) in &record.reasons {
        let name = KINDS.iter().find(|kind| kind.what == *what).map_or("", |kind| kind.name);
        sentences.push(format!("{count} × {name}: {reason}"));
    }
    sentences
}

/// The page.
pub(crate) fn page(day: &Day, size: Size, database: &str) -> String {
    let record = day.record.borrow();
    let frame = Frame {
        length: day.plan.time.as_secs_f64(),
        interval: Duration::from_secs(INTERVAL).as_secs_f64(),
        phases: PHASES
            .iter()
            .map(|phase| {
                (phase.name, day.plan.moment(phase.from).as_secs_f64(), day.plan.moment(phase.until).as_secs_f64())
            })
            .collect(),
        happenings: &record.happenings,
    };
    let mut page = format!(
        "<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content=\"width=device-width\">\
         <title>A day of a company: {0}, {database}</title><style>{STYLE}</style><h1>A day of a company</h1>\
         <p>{0} data ({1} features in {2} projects) on {database}, in {3} minutes at {4} times the usual rate. \
         Requests arrive whether or not earlier ones are answered; times count from the moment for which a request was \
         meant.</p>",
        size.name,
        size.projects * size.flags,
        size.projects,
        day.plan.time.as_secs_f64() / 60.0,
        day.plan.rate,
    );
    page.push_str("<table><thead><tr>");
    for column in COLUMNS {
        add(&mut page, format_args!("<th>{column}</th>"));
    }
    page.push_str("</tr></thead><tbody>");
    for kind in &KINDS {
        page.push_str("<tr>");
        for cell in cells(day, kind) {
            add(&mut page, format_args!("<td>{cell}</td>"));
        }
        page.push_str("</tr>");
    }
    page.push_str("</tbody></table><ul>");
    for sentence in sentences(day) {
        add(&mut page, format_args!("<li>{}</li>", escaped(&sentence)));
    }
    page.push_str(
        "</ul><p class=key><span class=backup>backup</span> <span class=upgrade>upgrade</span> \
         <span class=import>import</span> <span class=export>export</span></p><h2>How long answers took</h2>\
         <p>Milliseconds, by powers of ten, for each five seconds: the strong line is p99, the weak one p50.</p>",
    );
    for group in Group::ALL {
        let kinds = || KINDS.iter().filter(|kind| kind.group == group);
        let quantile = |what: What, share| record.of(what).iter().map(|answers| answers.quantile(share)).collect();
        let lines: Vec<Line> = kinds()
            .flat_map(|kind| {
                [
                    Line { name: kind.name.to_owned(), values: quantile(kind.what, 99), is_companion: false },
                    Line { name: format!("{}, p50", kind.name), values: quantile(kind.what, 50), is_companion: true },
                ]
            })
            .collect();
        add(&mut page, format_args!("<h3>{}</h3>{}", group.title(), chart(&frame, Scale::Tenfold, &lines)));
    }
    let rates: Vec<Line> = Group::ALL.into_iter().map(|group| rate(&record, group)).collect();
    let failed = Line { name: "failed".to_owned(), values: failures(&record), is_companion: false };
    let rates: Vec<Line> = rates.into_iter().chain([failed]).collect();
    add(&mut page, format_args!("<h2>What came</h2><p>Answers a second.</p>{}", chart(&frame, Scale::Even, &rates)));
    page.push_str(
        "<h2>What it took, and what waited</h2><p>The most of each five seconds, looked at every second.</p>",
    );
    let watched = day.watched.borrow();
    for picture in PICTURES {
        let Some(lines) = watched.get(picture) else { continue };
        let has_any = |values: &[Option<f64>]| values.iter().flatten().any(|value| *value > 0.0);
        // Jobs that are never late would only hide those that are.
        let shown = lines.iter().filter(|(_, values)| picture == UNDER_WAY || has_any(values));
        let lines: Vec<Line> = shown
            .map(|(name, values)| Line { name: name.clone(), values: values.clone(), is_companion: false })
            .collect();
        let drawn =
            if lines.is_empty() { "<p>None, all day.</p>".to_owned() } else { chart(&frame, Scale::Even, &lines) };
        add(&mut page, format_args!("<h3>{picture}</h3>{drawn}"));
    }
    page
}

fn rate(record: &super::Record, group: Group) -> Line {
    let mut values = vec![0.0; record.intervals()];
    for kind in KINDS.iter().filter(|kind| kind.group == group) {
        for (value, answers) in values.iter_mut().zip(record.of(kind.what)) {
            *value += a_second(answers.times.len());
        }
    }
    Line { name: group.title().to_owned(), values: values.into_iter().map(Some).collect(), is_companion: false }
}

fn failures(record: &super::Record) -> Vec<Option<f64>> {
    let mut values = vec![0.0; record.intervals()];
    for kind in &KINDS {
        for (value, answers) in values.iter_mut().zip(record.of(kind.what)) {
            *value += a_second(answers.failed);
        }
    }
    values.into_iter().map(Some).collect()
}

fn a_second(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX)) / Duration::from_secs(INTERVAL).as_secs_f64()
}

fn add(text: &mut String, more: std::fmt::Arguments<'_>) {
    // Writing to a text does not fail.
    let _written = text.write_fmt(more);
}
