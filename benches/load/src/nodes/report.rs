//! Tables of what was measured: one of each number of nodes by phase, and one to publish.

use super::{Load, Run, phase::Phase};
use crate::measure::{float, quantile};

/// Longest time until every stream should have received a change, in milliseconds.
const GOAL_MS: f64 = 1000.0;

/// A figure of a phase; empty where the phase has none.
type Figure = fn(&Phase) -> String;
/// A figure of a number of nodes.
type UnitFigure = fn(&Run) -> String;

/// Figures of each phase, by the names that documents refer to.
const FIGURES: [(&str, Figure); 22] = [
    ("CPU of each node, s/s", |phase| each(&phase.spent.nodes, |ms| a_second(phase, ms / 1000.0))),
    ("CPU of PostgreSQL, s/s", |phase| a_second(phase, phase.spent.database / 1000.0)),
    ("CPU of the load program, s/s", |phase| a_second(phase, phase.spent.load / 1000.0)),
    ("CPU of others, s/s", |phase| a_second(phase, phase.spent.of_others() / 1000.0)),
    ("memory of each node at most, MiB", |phase| each(&phase.memory, |mib| format!("{mib:.0}"))),
    ("memory of PostgreSQL, MiB", |phase| format!("{:.0}", phase.database_memory)),
    ("connections to PostgreSQL", |phase| phase.connections.to_string()),
    ("polls a second", |phase| some(&phase.polled.times, |polls| a_second(phase, count(polls)))),
    ("polls answered with 304, %", |phase| {
        some(&phase.polled.times, |polls| format!("{:.1}", 100.0 * float(phase.polled.unchanged) / count(polls)))
    }),
    ("poll p50, ms", |phase| at(&phase.polled.times, 50)),
    ("poll p99, ms", |phase| at(&phase.polled.times, 99)),
    ("poll at most, ms", |phase| most(&phase.polled.times)),
    ("changes a second", |phase| some(&phase.switched.times, |changes| a_second(phase, count(changes)))),
    ("change p50, ms", |phase| at(&phase.switched.times, 50)),
    ("change p99, ms", |phase| at(&phase.switched.times, 99)),
    ("known to every node p99, ms", |phase| at(&phase.known, 99)),
    ("known to every node at most, ms", |phase| most(&phase.known)),
    ("received by every stream p50, ms", |phase| at(&phase.received, 50)),
    ("received by every stream p99, ms", |phase| at(&phase.received, 99)),
    ("received by every stream at most, ms", |phase| most(&phase.received)),
    ("learned by polling at most, s", learned_by_polling),
    ("failures", |phase| phase.failures.values().sum::<u64>().to_string()),
];

/// Figures of what one of each takes, by the names that documents refer to.
const UNITS: [(&str, UnitFigure); 10] = [
    ("CPU for a 304, ms", |run| ratio(run.polls.spent.of_nodes(), polls(&run.polls))),
    ("CPU of PostgreSQL for a 304, ms", |run| ratio(run.polls.spent.database, polls(&run.polls))),
    ("CPU for a change, ms", |run| ratio(run.changes.spent.of_nodes(), changes(&run.changes))),
    ("CPU of PostgreSQL for a change, ms", |run| ratio(run.changes.spent.database, changes(&run.changes))),
    ("CPU of PostgreSQL for a change that all nodes read, ms", |run| {
        ratio(run.streams.spent.database, changes(&run.streams))
    }),
    ("CPU for a change on one stream, µs", |run| {
        some(&run.streams.received, |_| format!("{:.1}", streamed_ms(run) * 1000.0))
    }),
    ("memory of a node at rest, MiB", |run| format!("{:.0}", run.rest_mib)),
    ("memory of a stream, KiB", |run| format!("{:.1}", run.stream_kib)),
    ("CPU of all nodes, reckoned, s/s", |run| a_second(&run.all, reckoned_ms(run) / 1000.0)),
    ("CPU of all nodes, measured, s/s", |run| a_second(&run.all, run.all.spent.of_nodes() / 1000.0)),
];

/// The phases of one number of nodes.
pub(super) fn phases(run: &Run) -> String {
    let Load { programs, streams, changes, connections } = run.load;
    let phases = [&run.polls, &run.changes, &run.streams, &run.all];
    let mut lines = vec![
        format!(
            "\n{} nodes: {programs} programs poll every 15 s over {connections} connections to each node, {streams} \
             streams, {changes} changes a second\n",
            run.nodes
        ),
        row("Figure", phases.map(|phase| format!("{}, {:.0} s", phase.parts.name, phase.seconds))),
        rule(phases.len()),
    ];
    lines.extend(FIGURES.iter().map(|(name, figure)| row(name, phases.map(figure))));
    for phase in phases {
        let reasons = phase.failures.iter();
        lines.extend(reasons.map(|(reason, times)| format!("\n{}: {times} times {reason}", phase.parts.name)));
    }
    lines.join("\n")
}

/// A column for each number of nodes: what one of each takes, and everything at once.
pub(super) fn summary(runs: &[Run]) -> String {
    let names = runs.iter().map(|run| format!("{} nodes", run.nodes));
    let mut lines = vec!["\nFor docs/figures.md:\n".to_owned(), row("Figure", names), rule(runs.len())];
    lines.extend(UNITS.iter().map(|(name, figure)| row(name, runs.iter().map(figure))));
    lines.extend(FIGURES.iter().map(|(name, figure)| row(name, runs.iter().map(|run| figure(&run.all)))));
    for run in runs.iter().filter(|run| run.load.streams > 0) {
        let longest = run.all.received.last().copied().unwrap_or(f64::INFINITY);
        let is_missing = run.all.received.len() < run.all.switched.times.len();
        let judgement = if longest <= GOAL_MS && !is_missing { "reached" } else { "missed" };
        lines.push(format!("\n{} nodes: every change on every stream in {GOAL_MS:.0} ms: {judgement}", run.nodes));
    }
    lines.join("\n")
}

fn row(name: &str, cells: impl IntoIterator<Item = String>) -> String {
    let cells: Vec<String> = cells.into_iter().collect();
    format!("| {name} | {} |", cells.join(" | "))
}

fn rule(columns: usize) -> String {
    format!("|---|{}", "---:|".repeat(columns))
}

fn each(values: &[f64], text: impl Fn(f64) -> String) -> String {
    values.iter().map(|value| text(*value)).collect::<Vec<_>>().join(" / ")
}

/// Empty where nothing was measured.
fn some(times: &[f64], text: impl FnOnce(&[f64]) -> String) -> String {
    if times.is_empty() { String::new() } else { text(times) }
}

fn a_second(phase: &Phase, value: f64) -> String {
    format!("{:.2}", value / phase.seconds)
}

fn at(times: &[f64], share: usize) -> String {
    some(times, |times| format!("{:.1}", quantile(times, share)))
}

fn most(times: &[f64]) -> String {
    times.last().map(|most| format!("{most:.1}")).unwrap_or_default()
}

fn count(times: &[f64]) -> f64 {
    float(times.len() as u64)
}

fn polls(phase: &Phase) -> f64 {
    count(&phase.polled.times)
}

fn changes(phase: &Phase) -> f64 {
    count(&phase.switched.times)
}

fn ratio(ms: f64, of: f64) -> String {
    if of > 0.0 { format!("{:.3}", ms / of) } else { String::new() }
}

/// A change comes to a node just after a poll of a program at worst, which then has it with the answer to the next one.
fn learned_by_polling(phase: &Phase) -> String {
    let gap = phase.polled.longest_gap.as_secs_f64();
    some(&phase.known, |known| {
        let known = known.last().copied().unwrap_or_default() / 1000.0;
        if gap > 0.0 { format!("{:.1}", gap + known) } else { String::new() }
    })
}

/// Processor time of all nodes for a change, without its streams.
fn change_ms(run: &Run) -> f64 {
    run.changes.spent.of_nodes() / changes(&run.changes).max(1.0)
}

/// Processor time of a node for each change on each of its streams.
fn streamed_ms(run: &Run) -> f64 {
    let more = run.streams.spent.of_nodes() - change_ms(run) * changes(&run.streams);
    more / (changes(&run.streams) * f64::from(run.load.streams)).max(1.0)
}

/// Processor time of all nodes for everything at once, by what one of each takes.
fn reckoned_ms(run: &Run) -> f64 {
    let poll_ms = run.polls.spent.of_nodes() / polls(&run.polls).max(1.0);
    let of_a_change = change_ms(run) + streamed_ms(run) * f64::from(run.load.streams);
    poll_ms * polls(&run.all) + of_a_change * changes(&run.all)
}
