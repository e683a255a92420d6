//! Metrics of an edge for operators.

use prometheus::{Registry, proto::MetricFamily};

use super::figures::{Row, Sheet, callers, seconds, served, size, whole};
use crate::{edge::Edge, state::Serving};

/// The figures of an edge.
pub fn figures(edge: &Edge, serving: &Serving) -> prometheus::Result<Vec<MetricFamily>> {
    let sheet = Sheet(Registry::new());
    let version = [env!("CARGO_PKG_VERSION")];
    sheet.gauge("flagstone_build_info", "The version that runs.", &["version"], &[(&version, 1.0)])?;
    served(&sheet, serving)?;
    callers(&sheet, serving)?;
    state(&sheet, edge)?;
    work(&sheet, edge)?;
    let mut families = serving.requests.gather();
    families.extend(sheet.0.gather());
    Ok(families)
}

fn state(sheet: &Sheet, edge: &Edge) -> prometheus::Result<()> {
    let (readiness, status) = (edge.readiness(), edge.status());
    let flag = |is_so: bool| f64::from(u8::from(is_so));
    sheet.gauge("flagstone_edge_ready", "1 when the edge can do its work.", &[], &[(&[], flag(readiness.is_ready))])?;
    let help = "1 when the upstream could be reached the last time, for all features that are served.";
    sheet.gauge("flagstone_edge_upstream_connected", help, &[], &[(&[], flag(readiness.is_connected))])?;
    if let Some(age) = readiness.age_seconds {
        let help = "Seconds since the upstream last said that what is served is what there is.";
        sheet.gauge("flagstone_edge_state_age_seconds", help, &[], &[(&[], whole(age))])?;
    }
    // Several tokens may bring the features of one environment.
    let mut environments: Vec<_> = status.feeds.iter().collect();
    environments.sort_by_key(|feed| (feed.environment.clone(), feed.fresh_at));
    environments.dedup_by(|one, other| one.environment == other.environment);
    let labels: Vec<_> = environments.iter().map(|feed| [feed.environment.as_str()]).collect();
    let rows = |figure: &dyn Fn(usize) -> f64| -> Vec<f64> { (0..labels.len()).map(figure).collect() };
    let told = |name: &str, help: &str, figures: Vec<f64>| {
        let rows: Vec<Row<'_>> = labels.iter().zip(figures).map(|(label, figure)| (&label[..], figure)).collect();
        sheet.gauge(name, help, &["environment"], &rows)
    };
    told(
        "flagstone_edge_features",
        "Features that are served, by environment.",
        rows(&|place| size(environments[place].features)),
    )?;
    told(
        "flagstone_edge_repaired_values",
        "Values of the upstream's answers that were put right or left out, by environment; the log names them.",
        rows(&|place| size(environments[place].repaired.len())),
    )?;
    told(
        "flagstone_edge_fresh_timestamp_seconds",
        "When the upstream last said what there is in an environment; 0 for never.",
        rows(&|place| environments[place].fresh_at.map_or(0.0, seconds)),
    )?;
    let ways = ["stream", "delta", "poll"]
        .map(|way| ([way], size(status.feeds.iter().filter(|feed| feed.mode.as_str() == way).count())));
    let ways: Vec<Row<'_>> = ways.iter().map(|(labels, figure)| (&labels[..], *figure)).collect();
    sheet.gauge("flagstone_edge_feeds", "Tokens that features are fetched with, by how that is done.", &["way"], &ways)
}

fn work(sheet: &Sheet, edge: &Edge) -> prometheus::Result<()> {
    let status = edge.status();
    let labels = ["state"];
    let tokens: [Row<'_>; 2] = [(&["serves"], size(status.tokens)), (&["refused"], size(status.refusals))];
    sheet.gauge("flagstone_edge_tokens", "Tokens that are remembered, by what is known of them.", &labels, &tokens)?;
    sheet.count(
        "flagstone_edge_token_questions_total",
        "Questions about tokens that went upstream.",
        &[],
        &[(&[], whole(status.questions))],
    )?;
    sheet.count(
        "flagstone_edge_tokens_unasked_total",
        "Tokens that the upstream was not asked about, because too many unknown ones were shown.",
        &[],
        &[(&[], whole(status.unasked))],
    )?;
    let reports: [Row<'_>; 3] = [
        (&["sent"], whole(status.reports_sent)),
        (&["kept"], whole(status.reports_failed)),
        (&["refused"], whole(status.reports_refused)),
    ];
    sheet.count(
        "flagstone_edge_reports_total",
        "Reports of usage: sent, kept for later because they did not arrive, or refused by the upstream and left out.",
        &["outcome"],
        &reports,
    )?;
    sheet.count(
        "flagstone_edge_environments_made_total",
        "Times that an environment was made anew from what the upstream told.",
        &[],
        &[(&[], whole(status.made))],
    )?;
    sheet.count(
        "flagstone_edge_state_write_failures_total",
        "Times that the state could not be written to disk.",
        &[],
        &[(&[], whole(status.unwritten))],
    )
}
