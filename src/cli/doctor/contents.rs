//! Findings about the contents of the database: its schema, the key, jobs, deliveries and the log of events.

use super::{Findings, providers};
use crate::{
    clock::Clock,
    config::{Options, Variables},
    domain::time::{DAY_MS, HOUR_MS, Timestamp},
    jobs::JOBS,
    store::{
        StoreError,
        db::Db,
        events::{chain, checkpoints, revisions},
        integrations::deliveries,
        jobs::{self, RecordedRun},
        migrate::{self, Standing},
        settings::{self, KeyFit},
    },
    vault::Vault,
};

/// Events without a hash that a server has worked off in a minute or two.
const BACKLOG: i64 = 10_000;
/// Longest time by which the newest event may be ahead of the clock.
const AHEAD_MS: i64 = 60_000;
/// Longest time that a run of a job may take.
const LONG_RUN_MS: i64 = HOUR_MS;

pub(super) async fn look(
    findings: &mut Findings,
    configured: (&Options, &Variables),
    db: &Db,
    vault: Option<&Vault>,
    clock: &Clock,
) {
    let about = "schema";
    match migrate::standing(db).await {
        Ok(Standing::Current) => findings.ok(about, "that of this version"),
        Ok(Standing::Older(missing)) => {
            findings.warn(
                about,
                format!("older than this program: {} migrations are to come", missing.len()),
                "make a backup; the next start upgrades it, or `flagstone migrate`",
            );
            return;
        }
        Ok(Standing::Newer(newer)) => {
            findings.fail(about, newer.to_string(), "upgrade this program; nothing else was looked at");
            return;
        }
        Ok(Standing::Empty) => {
            findings.warn(about, "the database is empty", "start the server, or restore a backup first");
            return;
        }
        Ok(Standing::Foreign) => {
            findings.fail(about, "the database is not Flagstone's", "name the right one with DATABASE_URL");
            return;
        }
        // It was reported that the database cannot be read.
        Err(_) => return,
    }
    if let Err(error) = inside(findings, configured, db, vault, clock.now()).await {
        findings.fail(
            "contents",
            format!("they cannot be read: {error}"),
            "see the findings above, and the log of the database",
        );
    }
}

async fn inside(
    findings: &mut Findings,
    (options, variables): (&Options, &Variables),
    db: &Db,
    vault: Option<&Vault>,
    now: Timestamp,
) -> Result<(), StoreError> {
    let about = "key and database";
    let fit = settings::key_fit(db, vault).await?;
    match fit {
        KeyFit::Fits => findings.ok(about, "the key fits"),
        KeyFit::NothingSealed => findings.ok(about, "nothing is encrypted yet"),
        KeyFit::NoKey => findings.fail(
            about,
            "login settings are encrypted, and the key is not there",
            "put the key file back (FLAGSTONE_KEY_FILE or FLAGSTONE_SECRET_KEY); if it is lost, `flagstone settings forget`",
        ),
        KeyFit::Foreign => findings.fail(
            about,
            "login settings are encrypted with another key",
            "give that key (FLAGSTONE_KEY_FILE or FLAGSTONE_SECRET_KEY); if it is lost, `flagstone settings forget`",
        ),
    }
    providers::look(findings, variables, db, vault.filter(|_| fit == KeyFit::Fits), now).await?;
    time(findings, revisions::newest_time(db).await?, now);
    work(findings, options, &jobs::runs(db).await?, now);
    let backlog = deliveries::backlog(db).await?;
    let given_up = deliveries::given_up_since(db, now.plus_millis(-DAY_MS)).await?;
    let about = "integrations";
    if backlog.failing_integrations > 0 {
        let found = format!("{} are switched on and take nothing", backlog.failing_integrations);
        findings.warn(about, found, "see their deliveries in the console; mend the receiver, or switch them off");
    } else if given_up > 0 {
        let found = format!("{given_up} deliveries of the last day were given up");
        findings.warn(about, found, "see them in the console; what matters is delivered again there");
    } else if let Some(since) = backlog.waiting_since.filter(|since| *since < now.plus_millis(-HOUR_MS)) {
        let found = format!("{} deliveries wait, the oldest since {since}", backlog.waiting);
        findings.warn(about, found, "is a server running? Its log tells of attempts");
    } else {
        findings.ok(about, format!("{} deliveries wait", backlog.waiting));
    }
    let about = "log of events";
    let reach = chain::reach(db).await?;
    let newest = checkpoints::newest(db).await?;
    let checkpoint = newest.map_or_else(
        || "no checkpoint was made yet".to_owned(),
        |newest| format!("the last checkpoint is of {}", newest.created_at),
    );
    let found = format!("{} is the newest event, {} has the last hash, and {checkpoint}", reach.newest, reach.hashed);
    if reach.newest - reach.hashed > BACKLOG {
        findings.warn(about, found, "start a server, which gives events their hashes; its log tells when it cannot");
    } else {
        findings.ok(about, format!("{found}; `flagstone events verify` follows all of it"));
    }
    Ok(())
}

fn time(findings: &mut Findings, newest: Option<Timestamp>, now: Timestamp) {
    let Some(newest) = newest else { return };
    let ahead = newest.millis() - now.millis();
    if ahead > AHEAD_MS {
        findings.fail(
            "time of events",
            format!("the newest event is of {newest}, and it is {now} on this machine: a clock was wrong, then or now"),
            "set the clock right; if it is, new events have the time of the newest until that is reached",
        );
    } else {
        findings.ok("time of events", format!("the newest is of {newest}"));
    }
}

fn work(findings: &mut Findings, options: &Options, runs: &[RecordedRun], now: Timestamp) {
    let about = "jobs";
    let mut complaints = 0;
    for job in &JOBS {
        let Some(run) = runs.iter().find(|run| run.name == job.name) else { continue };
        let ended = run.finished_at.is_some_and(|finished| finished >= run.started_at);
        let period = i64::try_from(job.period(&options.periods).as_millis()).unwrap_or(i64::MAX);
        let name = job.name;
        if run.failed {
            findings.warn(about, format!("{name} failed at {}", run.started_at), "the log of the server tells why");
        } else if !ended && run.started_at < now.plus_millis(-LONG_RUN_MS) {
            let found = format!("{name} began at {} and did not end", run.started_at);
            findings.warn(about, found, "restart the server if one runs; the job starts over");
        } else if run.started_at > now.plus_millis(AHEAD_MS) {
            let found = format!("{name} began at {}, which is to come", run.started_at);
            findings.warn(about, found, "set the clock right; a run from the future is not waited for");
        } else if run.started_at < now.plus_millis(-period.saturating_mul(3)) {
            let found = format!("{name} last began at {}", run.started_at);
            findings.warn(about, found, "is a server running on this database? Otherwise restart it");
        } else {
            continue;
        }
        complaints += 1;
    }
    if complaints == 0 {
        findings.ok(about, format!("{} ran when they were due", runs.len()));
    }
}
