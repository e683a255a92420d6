//! Figures of the rooms of the server, read on request.

mod backups;
mod deliveries;
mod event_log;
mod replica;

use std::{collections::HashMap, time::Duration};

use prometheus::{CounterVec, GaugeVec, Opts, Registry, proto::MetricFamily};

use crate::{
    api::instance::health::serves_from_memory,
    domain::time::Timestamp,
    jobs::{JOBS, Job, Scope},
    server::{CloseReason, Refusal, Reload},
    state::{Serving, State, job_runs::Run},
    store,
    usage::WhyLeftOut,
};

/// Longest wait for the database: monitoring needs an answer above all when the database does not give one.
const PATIENCE: Duration = Duration::from_secs(2);

/// The label that names a job. Prometheus itself sets `job` on all that it scrapes, for whom it asked, and moves a
/// label of that name out of its way.
const JOB: &str = "job_name";

/// Label values and the figure.
pub(super) type Row<'a> = (&'a [&'a str], f64);

/// Figures of one moment.
pub(super) struct Sheet(pub(super) Registry);

impl Sheet {
    /// Adds a value that goes up and down.
    pub(super) fn gauge(&self, name: &str, help: &str, labels: &[&str], rows: &[Row<'_>]) -> prometheus::Result<()> {
        let family = GaugeVec::new(Opts::new(name, help), labels)?;
        for (values, figure) in rows {
            family.with_label_values(values).set(*figure);
        }
        self.0.register(Box::new(family))
    }

    /// Adds a counter, which only rises while the process runs.
    pub(super) fn count(&self, name: &str, help: &str, labels: &[&str], rows: &[Row<'_>]) -> prometheus::Result<()> {
        let family = CounterVec::new(Opts::new(name, help), labels)?;
        for (values, figure) in rows {
            family.with_label_values(values).inc_by(*figure);
        }
        self.0.register(Box::new(family))
    }
}

/// Gathers all figures that are not counted by request.
pub(super) async fn gather(state: &State) -> prometheus::Result<Vec<MetricFamily>> {
    let sheet = Sheet(Registry::new());
    let version = [env!("CARGO_PKG_VERSION")];
    sheet.gauge("flagstone_build_info", "The version that runs.", &["version"], &[(&version, 1.0)])?;
    programs(&sheet, state)?;
    callers(&sheet, state)?;
    // Before the question below, which takes a connection itself.
    connections(&sheet, state)?;
    replica::figures(&sheet, state)?;
    let asked = async {
        tokio::try_join!(
            store::jobs::runs(&state.db),
            store::integrations::deliveries::backlog(&state.db),
            event_log::progress(&state.db),
        )
    };
    let answer = tokio::time::timeout(PATIENCE, asked).await.ok().and_then(Result::ok);
    let up = f64::from(u8::from(answer.is_some()));
    sheet.gauge("flagstone_database_up", "1 when the database answers, otherwise 0.", &[], &[(&[], up)])?;
    let has_room = state.disk.full_for_ms(state.clock.now()).is_none();
    let ready = |is_ready: bool| f64::from(u8::from(is_ready));
    sheet.gauge(
        "flagstone_ready",
        "1 when the server is ready for these callers, as /ready answers, otherwise 0.",
        &["for"],
        &[
            (&["administration"], ready(answer.is_some() && has_room)),
            (&["programs"], ready(answer.is_some() || serves_from_memory(state))),
        ],
    )?;
    let recorded = answer.iter().flat_map(|(recorded, ..)| recorded);
    let recorded: HashMap<String, Run> = recorded.map(|row| (row.name.clone(), recorded_run(row))).collect();
    jobs(&sheet, state, &recorded)?;
    deliveries::figures(&sheet, state, answer.as_ref().map(|(_, backlog, _)| backlog))?;
    event_log::figures(&sheet, state, answer.as_ref().map(|(.., progress)| progress))?;
    backups::figures(&sheet, state).await?;
    Ok(sheet.0.gather())
}

fn programs(sheet: &Sheet, state: &State) -> prometheus::Result<()> {
    let figures = state.sdk.figures();
    sheet.count(
        "flagstone_environments_compiled_total",
        "Times that an environment was read from the database to be kept in memory.",
        &[],
        &[(&[], whole(figures.compiled()))],
    )?;
    let kept = state.sdk.environments_kept();
    sheet.gauge("flagstone_environments_kept", "Environments in memory.", &[], &[(&[], size(kept))])?;
    served(sheet, state)
}

/// Figures of programs: their streams, and their reports.
pub(super) fn served(sheet: &Sheet, state: &Serving) -> prometheus::Result<()> {
    let figures = state.source.figures();
    sheet.count(
        "flagstone_client_features_answers_total",
        "Answers to programs that asked for their features: sent, or not_modified for who had them.",
        &["answer"],
        &[(&["sent"], whole(figures.sent())), (&["not_modified"], whole(figures.unchanged()))],
    )?;
    let (open, limit) = (state.streams.count(), state.streams.limit());
    sheet.gauge("flagstone_streams_open", "Programs told of changes as they happen.", &[], &[(&[], size(open))])?;
    sheet.gauge("flagstone_streams_limit", "Most of them at once.", &[], &[(&[], size(limit))])?;
    let usage = state.usage.buffered();
    sheet.gauge(
        "flagstone_usage_buffered",
        "Reports of programs that wait to be written: counts of features, applications and their running copies.",
        &["kind"],
        &[(&["counts"], size(usage.tallies)), (&["programs"], size(usage.programs))],
    )?;
    sheet.count(
        "flagstone_usage_dropped_total",
        "Reports of programs that were left out for want of room.",
        &[],
        &[(&[], whole(usage.dropped))],
    )?;
    let left_out = WhyLeftOut::NAMED.map(|(why, name)| ([name], whole(state.usage.left_out_total(why))));
    let left_out: Vec<Row<'_>> = left_out.iter().map(|(labels, figure)| (&labels[..], *figure)).collect();
    sheet.count(
        "flagstone_usage_entries_left_out_total",
        "Entries of reports of programs that were not counted: unfit for their schema, about another environment than the \
         token's, or about a feature that the token does not reach.",
        &["reason"],
        &left_out,
    )?;
    sheet.count(
        "flagstone_usage_reports_repeated_total",
        "Reports of proxies that were not counted because they had been counted before.",
        &[],
        &[(&[], whole(state.usage.repeated_total()))],
    )?;
    traces(sheet, state)
}

fn traces(sheet: &Sheet, state: &Serving) -> prometheus::Result<()> {
    let counts = state.config.traces.counts();
    sheet.count(
        "flagstone_trace_spans_total",
        "Spans that ended: sent to the collector, not taken by it or not arrived (refused), or left out because too many \
         waited (crowded_out).",
        &["outcome"],
        &[
            (&["sent"], whole(counts.sent)),
            (&["refused"], whole(counts.refused)),
            (&["crowded_out"], whole(counts.crowded_out)),
        ],
    )?;
    let waiting = size(counts.waiting);
    sheet.gauge("flagstone_trace_spans_waiting", "Spans that wait to be sent.", &[], &[(&[], waiting)])
}

pub(super) fn callers(sheet: &Sheet, state: &Serving) -> prometheus::Result<()> {
    let figures = &state.connections;
    let (open, limit) = (figures.open(), figures.limit());
    sheet.gauge("flagstone_connections_open", "Connections that callers have open.", &[], &[(&[], size(open))])?;
    sheet.gauge("flagstone_connections_limit", "Most of them at once.", &[], &[(&[], size(limit))])?;
    let refused = Refusal::NAMED.map(|(reason, name)| ([name], whole(figures.refused(reason))));
    let refused: Vec<Row<'_>> = refused.iter().map(|(labels, figure)| (&labels[..], *figure)).collect();
    sheet.count(
        "flagstone_connections_refused_total",
        "Connections for which there was no room: in all, or for their address.",
        &["reason"],
        &refused,
    )?;
    let ended = CloseReason::NAMED.map(|(reason, name)| ([name], whole(figures.ended(reason))));
    let ended: Vec<Row<'_>> = ended.iter().map(|(labels, figure)| (&labels[..], *figure)).collect();
    sheet.count(
        "flagstone_connections_closed_total",
        "Connections that the server closed: the head of a request was late, nothing was asked (idle), an answer was \
         not read (unread), or others needed the room of one that rested.",
        &["reason"],
        &ended,
    )?;
    tls(sheet, state)
}

/// Figures of TLS, where the program itself speaks it.
fn tls(sheet: &Sheet, state: &Serving) -> prometheus::Result<()> {
    let Some(figures) = state.connections.tls() else { return Ok(()) };
    let help = "When the certificate of this server expires.";
    let expiry = figures.expiry.map(|millis| seconds(Timestamp::from_millis(millis)));
    let rows: Vec<Row<'_>> = expiry.iter().map(|expiry| (&[][..], *expiry)).collect();
    sheet.gauge("flagstone_tls_certificate_expiry_timestamp_seconds", help, &[], &rows)?;
    let reloads = Reload::NAMED.map(|(outcome, name)| ([name], whole(figures.reloads[outcome as usize])));
    let reloads: Vec<Row<'_>> = reloads.iter().map(|(labels, figure)| (&labels[..], *figure)).collect();
    sheet.count(
        "flagstone_tls_reloads_total",
        "Times that the files of the certificate changed: taken, or refused while the one before goes on.",
        &["outcome"],
        &reloads,
    )?;
    sheet.count(
        "flagstone_tls_handshakes_failed_total",
        "Callers with whom no TLS could be agreed on.",
        &[],
        &[(&[], whole(figures.failed))],
    )
}

fn connections(sheet: &Sheet, state: &State) -> prometheus::Result<()> {
    let pools = state.db.pools();
    let idle: Vec<_> = pools.iter().map(|pool| [pool.name, "idle"]).collect();
    let used: Vec<_> = pools.iter().map(|pool| [pool.name, "used"]).collect();
    let names: Vec<_> = pools.iter().map(|pool| [pool.name]).collect();
    let mut by_state: Vec<Row<'_>> = Vec::new();
    let mut limits: Vec<Row<'_>> = Vec::new();
    for (index, pool) in pools.iter().enumerate() {
        let open = usize::try_from(pool.open).unwrap_or(usize::MAX);
        by_state.push((&idle[index], size(pool.idle)));
        by_state.push((&used[index], size(open.saturating_sub(pool.idle))));
        limits.push((&names[index], f64::from(pool.limit)));
    }
    let labels = ["pool", "state"];
    sheet.gauge("flagstone_database_connections", "Connections to the database.", &labels, &by_state)?;
    sheet.gauge("flagstone_database_connections_limit", "Most connections of a pool.", &["pool"], &limits)?;
    let listening = f64::from(u8::from(state.sdk.figures().is_listening()));
    sheet.gauge(
        "flagstone_database_listening",
        "1 when changes on other nodes are heard of at once, 0 when they are looked for. Always 0 on SQLite.",
        &[],
        &[(&[], listening)],
    )
}

fn jobs(sheet: &Sheet, state: &State, recorded: &HashMap<String, Run>) -> prometheus::Result<()> {
    let rows = |figure: &dyn Fn(&Job) -> Option<f64>| -> Vec<([&'static str; 1], f64)> {
        JOBS.iter()
            .filter(|job| job.is_wanted(&state.config))
            .filter_map(|job| Some(([job.name], figure(job)?)))
            .collect()
    };
    let of = |job: &Job| match job.scope {
        Scope::Node => state.jobs.of(job.name),
        Scope::Database => recorded.get(job.name).copied().unwrap_or_default(),
    };
    let gauge = |name: &str, help: &str, figure: &dyn Fn(&Job) -> Option<f64>| {
        let rows = rows(figure);
        let rows: Vec<Row<'_>> = rows.iter().map(|(labels, figure)| (&labels[..], *figure)).collect();
        sheet.gauge(name, help, &[JOB], &rows)
    };
    gauge("flagstone_job_period_seconds", "Time from one start of a job to the next.", &|job| {
        Some(job.period(&state.config.periods).as_secs_f64())
    })?;
    gauge("flagstone_job_last_start_timestamp_seconds", "When a job last began.", &|job| {
        of(job).started_at.map(seconds)
    })?;
    gauge("flagstone_job_last_success_timestamp_seconds", "When a job last ended well.", &|job| {
        of(job).succeeded_at.map(seconds)
    })?;
    gauge("flagstone_job_last_duration_seconds", "How long the last run took that ended.", &|job| {
        of(job).took.map(|took| took.as_secs_f64())
    })?;
    let help = "1 when the last run that ended did so well, 0 when it failed.";
    gauge("flagstone_job_last_outcome", help, &|job| {
        of(job).succeeded.map(|succeeded| f64::from(u8::from(succeeded)))
    })?;
    let failures = rows(&|job| Some(whole(state.jobs.of(job.name).failures)));
    let failures: Vec<Row<'_>> = failures.iter().map(|(labels, figure)| (&labels[..], *figure)).collect();
    sheet.count("flagstone_job_failures_total", "Runs on this node that failed.", &[JOB], &failures)
}

/// The last run of a job that one node does for all.
fn recorded_run(run: &store::jobs::RecordedRun) -> Run {
    let ended = run.finished_at.filter(|finished| *finished >= run.started_at);
    let took = ended.map(|ended| ended.millis() - run.started_at.millis());
    Run {
        started_at: Some(run.started_at),
        succeeded_at: run.finished_at,
        took: took.and_then(|millis| u64::try_from(millis).ok()).map(Duration::from_millis),
        succeeded: if run.failed { Some(false) } else { run.finished_at.map(|_| true) },
        failures: 0,
    }
}

#[expect(clippy::cast_precision_loss, reason = "times of these millennia are exact in 53 bits")]
pub(super) fn seconds(time: Timestamp) -> f64 {
    time.millis() as f64 / 1000.0
}

#[expect(clippy::cast_precision_loss, reason = "the format has no other numbers")]
pub(super) fn whole(count: u64) -> f64 {
    count as f64
}

pub(super) fn size(count: usize) -> f64 {
    whole(count as u64)
}
