//! Resources that the server takes, and work that waits in it, by its own metrics.

use std::{
    collections::BTreeMap,
    rc::Rc,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use tokio::time::timeout;

use super::{
    Day,
    plan::Group,
    record::{INTERVAL, interval_of},
    until,
};
use crate::{
    http::{Connection, request},
    server::{Cpu, Server, machine_ms},
};

/// Time limit for the metrics.
const PATIENCE: Duration = Duration::from_secs(1);
/// Gauges that are drawn: the picture, the metric, and the labels that its name must hold.
const GAUGES: [(&str, &str, &str); 6] = [
    (CONNECTIONS, "flagstone_database_connections", "state=\"used\""),
    (REPORTS, "flagstone_usage_buffered", ""),
    (DELIVERIES, "flagstone_deliveries_waiting", ""),
    (DELIVERIES, "flagstone_deliveries_under_way", ""),
    (OPEN, "flagstone_connections_open", ""),
    (OPEN, "flagstone_streams_open", ""),
];
pub(crate) const MEMORY: &str = "Memory of the server, MiB";
pub(crate) const PROCESSOR: &str = "Processor time, ms a second";
pub(crate) const UNDER_WAY: &str = "Requests that wait for their answer";
const CONNECTIONS: &str = "Connections to the database in use";
const REPORTS: &str = "Reports of usage that wait to be written";
const DELIVERIES: &str = "Deliveries to integrations";
const OPEN: &str = "Open connections and streams";
const HASHES: &str = "Events without a hash yet";
const LATE: &str = "Jobs behind their time, seconds";
/// All pictures of what was watched, in the order of the page.
pub(crate) const PICTURES: [&str; 9] =
    [MEMORY, PROCESSOR, UNDER_WAY, CONNECTIONS, REPORTS, DELIVERIES, HASHES, LATE, OPEN];

/// By picture and line, the most in each interval.
pub(crate) type Watched = BTreeMap<&'static str, BTreeMap<String, Vec<Option<f64>>>>;

/// Processor time in milliseconds up to a moment.
struct Spent {
    at: Duration,
    server: f64,
    database: f64,
    load: f64,
    machine: f64,
}

impl Spent {
    fn of(day: &Day, cpu: Cpu) -> Self {
        let (load, machine) = machine_ms();
        let at = day.record.borrow().began.elapsed();
        Self { at, server: cpu.server_ms, database: cpu.database_ms, load, machine }
    }

    /// Processor time that was spent a second since then, and by whom: who looks for the cause of a wait sees first
    /// whether the server had the machine for itself.
    fn rates(&self, before: &Self) -> [(&'static str, f64); 4] {
        let seconds = self.at.saturating_sub(before.at).as_secs_f64();
        let a_second = |of: fn(&Self) -> f64| (of(self) - of(before)) / seconds;
        let others = |spent: &Self| spent.machine - spent.server - spent.database - spent.load;
        [
            ("server", a_second(|spent| spent.server)),
            ("database server", a_second(|spent| spent.database)),
            ("this load", a_second(|spent| spent.load)),
            ("others on this machine", a_second(others).max(0.0)),
        ]
    }
}

/// Looks each second.
pub(crate) async fn watch(day: Rc<Day>) {
    let mut connection = None;
    let mut spent: Option<Spent> = None;
    let mut at = Duration::ZERO;
    while at < day.plan.time {
        until(&day, at).await;
        let seen = day.server.borrow().as_ref().map(|server| (server.memory(), server.cpu()));
        if let Some((memory, cpu)) = seen {
            note(&day, at, MEMORY, "server", memory.now);
            if memory.database > 0.0 {
                note(&day, at, MEMORY, "database server", memory.database);
            }
            let now = Spent::of(&day, cpu);
            // A successor counts from nothing.
            let before = spent.take().filter(|before| before.server <= now.server);
            let is_over = at.as_secs().is_multiple_of(INTERVAL);
            if let Some(before) = before.as_ref().filter(|_| is_over) {
                let during = at.saturating_sub(Duration::from_secs(1));
                for (line, rate) in now.rates(before) {
                    note(&day, during, PROCESSOR, line, rate);
                }
            }
            spent = before.filter(|_| !is_over).or(Some(now));
        } else {
            spent = None;
        }
        for group in Group::ALL {
            let most = day.record.borrow_mut().most_under_way(group);
            note(&day, at, UNDER_WAY, group.title(), f64::from(u32::try_from(most).unwrap_or(u32::MAX)));
        }
        if let Ok(Some(text)) = timeout(PATIENCE, scrape(day.port, &mut connection)).await {
            read(&day, at, &text);
        } else {
            connection = None;
        }
        at += Duration::from_secs(1);
    }
}

async fn scrape(port: u16, kept: &mut Option<Connection>) -> Option<String> {
    if kept.is_none() {
        *kept = Some(Connection::open(port).await.ok()?);
    }
    let connection = kept.as_mut()?;
    let asked = request("GET", "/internal-backstage/prometheus", &Server::admin(), None);
    let answer = connection.send(&asked).await.ok()?;
    (answer.status == 200).then(|| String::from_utf8_lossy(connection.body()).into_owned())
}

#[expect(clippy::disallowed_methods, reason = "the metrics tell when jobs began, by the clock of this machine")]
fn read(day: &Day, at: Duration, text: &str) {
    let mut figures: BTreeMap<&str, Vec<(&str, f64)>> = BTreeMap::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let Some((series, value)) = line.rsplit_once(' ') else { continue };
        let (name, labels) = series.split_once('{').unwrap_or((series, ""));
        if let Ok(value) = value.parse() {
            figures.entry(name).or_default().push((labels.trim_end_matches('}'), value));
        }
    }
    for (picture, metric, needed) in GAUGES {
        for (labels, value) in figures.get(metric).into_iter().flatten().filter(|(labels, _)| labels.contains(needed)) {
            let line = label(labels).unwrap_or_else(|| metric.trim_start_matches("flagstone_").replace('_', " "));
            note(day, at, picture, &line, *value);
        }
    }
    let one = |name: &str| figures.get(name).and_then(|rows| rows.first()).map(|(_, value)| *value);
    if let (Some(newest), Some(hashed)) = (one("flagstone_event_log_newest_id"), one("flagstone_event_log_hashed_id")) {
        note(day, at, HASHES, "events", newest - hashed);
    }
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64();
    let periods = figures.get("flagstone_job_period_seconds");
    for (labels, began) in figures.get("flagstone_job_last_start_timestamp_seconds").into_iter().flatten() {
        let period = periods.into_iter().flatten().find(|(of, _)| of == labels).map(|(_, period)| *period);
        if let (Some(name), Some(period)) = (label(labels), period) {
            note(day, at, LATE, &name, (now - began - period).max(0.0));
        }
    }
}

/// The value of the first label.
fn label(labels: &str) -> Option<String> {
    labels.split('"').nth(1).map(str::to_owned)
}

fn note(day: &Day, at: Duration, picture: &'static str, line: &str, value: f64) {
    let intervals = day.record.borrow().intervals();
    let mut watched = day.watched.borrow_mut();
    let lines = watched.entry(picture).or_default();
    if !lines.contains_key(line) {
        lines.insert(line.to_owned(), vec![None; intervals]);
    }
    if let Some(slot) = lines.get_mut(line).and_then(|line| line.get_mut(interval_of(at))) {
        *slot = Some(slot.map_or(value, |most| most.max(value)));
    }
}
