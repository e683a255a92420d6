//! `flagstone move-in`: takes over the whole database of another server.

use std::{collections::BTreeMap, path::PathBuf};

use clap::Args;

use crate::{
    cli::{Outcome, progress::Progress, say, serve},
    clock::Clock,
    config::{DatabaseChoice, Hidden},
    moving_in::{Counted, Finding, Judged, KINDS, Report, judge, sizes},
    store::{
        db::Db,
        moving_in::{
            self, MoveInError,
            unleash::{Source, UsageKind},
        },
    },
};

/// Findings of a kind that are printed; the report has all.
const SHOWN: usize = 20;
/// Parts of the history: what they are called, and where they lie.
const HISTORY: [(&str, &str); 4] = [
    ("events", "events"),
    ("hours of usage", "client_metrics_env"),
    ("hours of usage by variant", "client_metrics_env_variants"),
    ("days of usage", "client_metrics_env_daily"),
];

/// What to take over, and where to.
#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Database of an Unleash server, 4.19 to 8.2: `postgres://…`. It is only read, as it is at one moment; a user who may
    /// read is enough.
    #[arg(long, value_name = "URL")]
    from: Hidden,
    /// Tell what would come over, changed or not, and write nothing.
    #[arg(long)]
    dry_run: bool,
    /// File for everything that is told: as JSON when it ends in `.json`, as a page when it ends in `.html`.
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    #[command(flatten)]
    database: DatabaseChoice,
}

/// Moves in. What fails leaves the target as it was.
pub(super) async fn run(arguments: &Arguments) -> Outcome {
    let write_report = form(arguments)?;
    let Hidden(from) = &arguments.from;
    if !["postgres://", "postgresql://"].iter().any(|scheme| from.starts_with(scheme)) {
        return Err("--from must name a PostgreSQL database, postgres://USER@HOST/NAME".into());
    }
    if *from == arguments.database.url {
        return Err("--from and --database-url name the same database".into());
    }
    let mut source = Source::open(from).await?;
    let report = if arguments.dry_run {
        let (before, judged) = read(&mut source).await?;
        let mut counted = compared(before, sizes(&judged.set));
        for (kind, table) in HISTORY {
            let count = source.count(table).await?;
            counted.push(Counted { kind: kind.to_owned(), before: count, after: count });
        }
        Report { origin: judged.set.origin, dry_run: true, counted, findings: judged.findings }
    } else {
        let db = serve::open(&arguments.database).await?;
        let moved = everything(&mut source, &db).await;
        db.close().await?;
        moved?
    };
    tell(&report)?;
    if let (Some(path), Some(write)) = (&arguments.report, write_report) {
        let text = write(&report);
        std::fs::write(path, text).map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    }
    Ok(())
}

/// Writes a report.
type Form = fn(&Report) -> String;

/// How the report is to be written, by the name of its file.
fn form(arguments: &Arguments) -> Result<Option<Form>, String> {
    let Some(path) = &arguments.report else { return Ok(None) };
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("json") => Ok(Some(Report::json)),
        Some("html") => Ok(Some(Report::html)),
        _ => Err("--report must name a file that ends in .json or .html".to_owned()),
    }
}

async fn read(source: &mut Source) -> Result<([u64; KINDS.len()], Judged), MoveInError> {
    let (set, findings) = source.read().await?;
    let before = sizes(&set);
    Ok((before, judge(set, findings)))
}

async fn everything(source: &mut Source, db: &Db) -> Result<Report, MoveInError> {
    let tx = moving_in::begin(db).await?;
    let (before, judged) = read(source).await?;
    let now = Clock::system().now();
    moving_in::write(&tx, &judged.set, now).await?;
    let mut expected = Vec::new();
    for (_, table) in HISTORY {
        expected.push(source.count(table).await?);
    }
    let bar = Progress::new("moving in {bar:40} {percent:>3}% {elapsed} {msg}", 10);
    bar.begin(expected.iter().sum());
    let told = |rows| {
        if let Some(tenths) = bar.advance(rows) {
            // Nobody to tell is no reason to stop.
            let _unheard = say(&format!("{tenths}0 %, at {}", bar.message()));
        }
    };
    let mut counted = compared(before, sizes(&judged.set));
    for ((kind, _), expected) in HISTORY.into_iter().zip(expected) {
        bar.at(kind);
        let written = match kind {
            "events" => moving_in::write_events(&tx, source.events(), &told).await?,
            kind => {
                let usage = match kind {
                    "hours of usage" => UsageKind::Hourly,
                    "days of usage" => UsageKind::Daily,
                    _ => UsageKind::Variants,
                };
                moving_in::write_usage(&tx, usage, source.usage(usage), &told).await?
            }
        };
        if written != expected {
            return Err(MoveInError::Differs(kind, expected, written));
        }
        counted.push(Counted { kind: kind.to_owned(), before: expected, after: written });
    }
    moving_in::finish(tx).await?;
    bar.end();
    Ok(Report { origin: judged.set.origin, dry_run: false, counted, findings: judged.findings })
}

fn compared(before: [u64; KINDS.len()], after: [u64; KINDS.len()]) -> Vec<Counted> {
    let pairs = KINDS.into_iter().zip(before.into_iter().zip(after));
    pairs.map(|(kind, (before, after))| Counted { kind: kind.to_owned(), before, after }).collect()
}

fn tell(report: &Report) -> std::io::Result<()> {
    say(&format!("from {} ({})", report.origin.product, report.origin.version))?;
    for it in &report.counted {
        let differs = if it.before == it.after { String::new() } else { format!(" of {}", it.before) };
        say(&format!("{:>9}{differs} {}", it.after, it.kind))?;
    }
    let mut kinds: BTreeMap<_, Vec<&Finding>> = BTreeMap::new();
    for finding in &report.findings {
        kinds.entry((finding.outcome, finding.kind)).or_default().push(finding);
    }
    for ((outcome, kind), findings) in kinds {
        let outcome = match outcome {
            crate::moving_in::Outcome::Changed => "changed",
            crate::moving_in::Outcome::LeftOut => "left out",
        };
        for it in findings.iter().take(SHOWN) {
            say(&format!("{outcome}: {kind} {}: {}", it.name, it.reason))?;
        }
        if findings.len() > SHOWN {
            say(&format!("{outcome}: {kind}: {} more, in the report", findings.len() - SHOWN))?;
        }
    }
    if report.dry_run {
        say("Nothing was written.")
    } else {
        say(
            "Everything is in. Start the server, and point programs and people at it: tokens and passwords are the same.",
        )
    }
}
