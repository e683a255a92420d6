//! The database of another server, with its history.

use crate::{
    cli::{
        opening::{Opening, open},
        progress::Progress,
        say,
    },
    clock::Clock,
    domain::repair::Repairs,
    moving_in::{Counted, Finding, Judged, KINDS, Report, sizes},
    store::{
        db::Db,
        moving_in::{
            self, MoveInError,
            unleash::{Source, UsageKind},
        },
    },
};

use super::{Arguments, Moved, compared, keep_what_can_be_sealed, settled, write_set};

/// Parts of the history: what they are called, and where they lie.
const HISTORY: [(&str, &str); 5] = [
    ("events", "events"),
    ("hours of usage", "client_metrics_env"),
    ("hours of usage by variant", "client_metrics_env_variants"),
    ("days of usage", "client_metrics_env_daily"),
    ("days of usage by variant", "client_metrics_env_variants_daily"),
];

/// Takes over the database at an address, or reports what would come over.
pub(super) async fn move_in(from: &str, arguments: &Arguments) -> Moved {
    let mut source = Source::open(from).await?;
    if !arguments.dry_run {
        let db = open(&arguments.database, Opening::MayUpgrade).await?;
        let moved = everything(&mut source, &db, arguments).await;
        db.close().await?;
        return moved;
    }
    let (before, judged) = read(&mut source, arguments).await?;
    let mut counted = compared(before, sizes(&judged.set));
    for (kind, table) in HISTORY {
        let count = source.count(table).await?;
        counted.push(Counted { kind: kind.to_owned(), before: count, after: count });
    }
    Ok(Report { origin: judged.set.origin, dry_run: true, counted, findings: judged.findings })
}

async fn read(source: &mut Source, arguments: &Arguments) -> Result<([u64; KINDS.len()], Judged), MoveInError> {
    let (mut set, mut findings) = source.read().await?;
    keep_what_can_be_sealed(&mut set, &mut findings, arguments);
    let before = sizes(&set);
    Ok((before, settled(set, findings, arguments)))
}

async fn everything(source: &mut Source, db: &Db, arguments: &Arguments) -> Moved {
    let tx = moving_in::begin(db).await?;
    let (before, mut judged) = read(source, arguments).await?;
    write_set(&tx, &judged.set, arguments).await?;
    let mut expected = Vec::new();
    for (_, table) in HISTORY {
        expected.push(source.count(table).await?);
    }
    let bar = Progress::new("moving in {bar:40} {percent:>3}% {elapsed} {msg}", 10);
    bar.begin(expected.iter().sum());
    let told = |rows| {
        if let Some(tenths) = bar.advance(rows) {
            // A lost reader is no reason to stop.
            let _unheard = say(&format!("{tenths}0 %, at {}", bar.message()));
        }
    };
    let repairs = Repairs::default();
    let mut counted = compared(before, sizes(&judged.set));
    for ((kind, _), expected) in HISTORY.into_iter().zip(expected) {
        bar.at(kind);
        let written = match kind {
            "events" => moving_in::write_events(&tx, source.events(&repairs), &told).await?,
            kind => {
                let usage = match kind {
                    "hours of usage" => UsageKind::Hourly,
                    "days of usage" => UsageKind::Daily,
                    "days of usage by variant" => UsageKind::VariantsDaily,
                    _ => UsageKind::Variants,
                };
                moving_in::write_usage(&tx, usage, source.usage(usage, &repairs), &told).await?
            }
        };
        if written != expected {
            return Err(MoveInError::Differs(kind, expected, written).into());
        }
        counted.push(Counted { kind: kind.to_owned(), before: expected, after: written });
    }
    moving_in::finish(tx, Clock::system().now()).await?;
    bar.end();
    judged.findings.extend(repairs.into_all().into_iter().map(Finding::from));
    Ok(Report { origin: judged.set.origin, dry_run: false, counted, findings: judged.findings })
}
