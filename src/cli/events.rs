//! `flagstone events`: the log of events as an archive, and its proof.

mod proof;

use std::{
    fs::File,
    io::{self, BufRead as _, BufReader, BufWriter, Write},
    path::{Path, PathBuf},
    time::Instant,
};

use clap::{Args, Subcommand, ValueEnum};

use crate::{
    audit::{Archive, Scope, Trust, Verdict, verify},
    cli::{
        Outcome,
        opening::{Opening, open},
        say,
    },
    clock::Clock,
    config::{DatabaseChoice, Keys},
    domain::{event_archive::ArchiveFormat, event_chain::checkpoint::Checkpoint},
    files,
    store::{
        self,
        db::Db,
        events::{chain, checkpoints},
    },
};

/// Longest line of a file with checkpoints.
const LONGEST_LINE: usize = 64 << 10;
/// Checkpoints of a file, at most.
const MOST_CHECKPOINTS: usize = 100_000;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    database: DatabaseChoice,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Write events, oldest first, each with its hash.
    Export(Export),
    /// Follow the chain of hashes through the log, and say from which event on it does not hold, and whether each change
    /// request that was applied had been approved as it was.
    Verify(Verify),
    /// Print what proves that a change request was approved as it was applied, for an auditor.
    Proof(Proof),
    /// Print the checkpoints, a line of JSON for each, to be kept where they cannot be changed.
    Checkpoints(Checkpoints),
}

#[derive(Debug, Args)]
struct Export {
    /// Begin with the first event after the one with this id.
    #[arg(long, value_name = "ID", default_value_t = 0, value_parser = clap::value_parser!(i64).range(0..))]
    since: i64,
    /// Form of the archive.
    #[arg(long, value_enum, default_value_t = Format::Jsonl)]
    format: Format,
    /// File to write, which must not exist yet; standard output when absent.
    #[arg(long)]
    output: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Format {
    /// A JSON object on each line.
    Jsonl,
    /// Comma-separated values.
    Csv,
}

#[derive(Debug, Args)]
struct Verify {
    /// Begin behind the event with this id, whose hash is taken for true.
    #[arg(long, value_name = "ID", default_value_t = 0, value_parser = clap::value_parser!(i64).range(0..))]
    since: i64,
    /// File with checkpoints that were kept in another place: a JSON object on each line, as `events checkpoints`
    /// prints them, or events about them.
    #[arg(long, value_name = "FILE")]
    checkpoints: Option<PathBuf>,
    /// A public key whose signatures count in addition to those of the server's keys, in base64; may be repeated.
    #[arg(long = "public-key", value_name = "KEY", value_parser = public_key)]
    public_keys: Vec<String>,
    #[command(flatten)]
    keys: Keys,
}

#[derive(Debug, Args)]
struct Proof {
    /// Id of the change request.
    #[arg(value_name = "ID", value_parser = clap::value_parser!(i64).range(1..))]
    change_request: i64,
    /// Print JSON instead of text.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
struct Checkpoints {
    /// Only those about this event and later ones.
    #[arg(long, value_name = "ID", default_value_t = 0, value_parser = clap::value_parser!(i64).range(0..))]
    since: i64,
}

fn public_key(text: &str) -> Result<String, &'static str> {
    Trust::default().and(text).map(|_| text.to_owned())
}

pub(super) async fn run(arguments: Arguments) -> Outcome {
    let Arguments { database, command } = arguments;
    // First, so that the database is left alone when a key or a file is none.
    let verification = match &command {
        Command::Verify(asked) => Some(prepare(asked, &database)?),
        _ => None,
    };
    let db = open(&database, Opening::OnlyCurrent).await?;
    let outcome = match (&command, verification) {
        (Command::Export(asked), _) => export(&db, asked).await,
        (Command::Checkpoints(asked), _) => print_checkpoints(&db, asked.since).await,
        (Command::Verify(asked), Some((trust, given))) => prove(&db, asked.since, &trust, &given).await,
        (Command::Proof(asked), _) => proof::print(&db, asked.change_request, asked.json).await,
        (Command::Verify(_), None) => Ok(()),
    };
    db.close().await?;
    outcome
}

async fn export(db: &Db, asked: &Export) -> Outcome {
    let format = match asked.format {
        Format::Jsonl => ArchiveFormat::Jsonl,
        Format::Csv => ArchiveFormat::Csv,
    };
    match &asked.output {
        Some(path) => {
            let file = files::create_private(path);
            let file = file.map_err(|error| format!("cannot write {}: {error}", path.display()))?;
            write_archive(db, asked.since, format, file).await
        }
        None => write_archive(db, asked.since, format, io::stdout()).await,
    }
}

async fn write_archive(db: &Db, since: i64, format: ArchiveFormat, target: impl Write) -> Outcome {
    let mut target = BufWriter::new(target);
    let mut archive = Archive::begin(db, since, format).await?;
    while let Some(piece) = archive.next().await? {
        match target.write_all(&piece) {
            // A reader that stops reading, as `head` does, is no failure.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(()),
            written => written?,
        }
    }
    match target.flush() {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

async fn print_checkpoints(db: &Db, since: i64) -> Outcome {
    let mut kept = checkpoints::from(db, since, MOST_CHECKPOINTS as u64).await?;
    kept.reverse();
    for checkpoint in kept {
        say(&serde_json::to_string(&checkpoint)?)?;
    }
    Ok(())
}

/// Returns the keys whose signatures count, and the checkpoints of the file.
fn prepare(
    asked: &Verify,
    database: &DatabaseChoice,
) -> Result<(Trust, Vec<Checkpoint>), Box<dyn std::error::Error + Send + Sync>> {
    let vault = asked.keys.unlock_existing(database)?;
    let trust = vault.map(|vault| Trust::in_vault(&vault)).unwrap_or_default();
    let trust = asked.public_keys.iter().try_fold(trust, |trust, key| trust.and(key))?;
    let given = asked.checkpoints.as_deref().map(read_checkpoints).transpose()?.unwrap_or_default();
    Ok((trust, given))
}

fn read_checkpoints(path: &Path) -> Result<Vec<Checkpoint>, String> {
    let failed = |error: io::Error| format!("{}: {error}", path.display());
    let mut lines = BufReader::new(File::open(path).map_err(failed)?);
    let (mut given, mut number) = (Vec::new(), 0);
    loop {
        number += 1;
        let mut line = Vec::new();
        let room = LONGEST_LINE as u64 + 1;
        io::Read::take(&mut lines, room).read_until(b'\n', &mut line).map_err(failed)?;
        if line.is_empty() {
            return Ok(given);
        }
        if line.len() > LONGEST_LINE || given.len() >= MOST_CHECKPOINTS {
            return Err(format!("{}, line {number}: too long, or too many checkpoints", path.display()));
        }
        if !line.trim_ascii().is_empty() {
            let read = checkpoint(&line).ok_or_else(|| format!("{}, line {number}: no checkpoint", path.display()))?;
            given.push(read);
        }
    }
}

/// Reads a checkpoint, or that of an event as an integration delivers it.
fn checkpoint(line: &[u8]) -> Option<Checkpoint> {
    let told: serde_json::Value = serde_json::from_slice(line).ok()?;
    let told = told.pointer("/data/checkpoint").or_else(|| told.get("checkpoint")).unwrap_or(&told);
    serde_json::from_value(told.clone()).ok()
}

async fn prove(db: &Db, since: i64, trust: &Trust, given: &[Checkpoint]) -> Outcome {
    let instance: Option<String> = store::preferences::find(db, store::preferences::INSTANCE_ID).await?;
    let is_other = |checkpoint: &&Checkpoint| Some(&checkpoint.instance) != instance.as_ref();
    if let Some(other) = given.iter().find(is_other) {
        return Err(format!("the checkpoint at event {} is about another instance", other.event_id).into());
    }
    let began = Instant::now();
    let verdict = verify(db, trust, given, Scope { since, ..Scope::default() }).await?;
    let newest = chain::reach(db).await?.newest;
    for line in lines(&verdict, newest, trust) {
        say(&line)?;
    }
    if let Some(fault) = verdict.fault_at(Clock::system().now()) {
        return Err(format!("the log does not hold: {fault}").into());
    }
    let unproved = verdict.applications.fault_count;
    if unproved > 0 {
        return Err(
            format!("the approvals do not hold: {unproved} applications of change requests are not proved").into()
        );
    }
    say(&format!("The log holds. ({:.1} s)", began.elapsed().as_secs_f64()))?;
    Ok(())
}

fn lines(verdict: &Verdict, newest: i64, trust: &Trust) -> Vec<String> {
    let Verdict { verified, from, at, head, confirmed, unknown, .. } = verdict;
    let mut lines = Vec::new();
    if let Some(beginning) = &verdict.beginning {
        let (id, made) = (beginning.event_id, beginning.created_at);
        lines.push(format!("The log begins behind event {id}: the events up to it were removed by rule on {made}."));
    }
    lines.push(format!("{verified} events after event {} hold, up to event {}.", from.event_id, at.event_id));
    if newest > head.event_id {
        lines.push(format!("Events from {} to {newest} have no hash yet.", head.event_id + 1));
    }
    let checked = if trust.is_empty() { "without a key to check their signatures" } else { "by signatures that count" };
    lines.push(format!("{confirmed} checkpoints say the same, {checked}."));
    if *unknown > 0 {
        lines.push(format!("{unknown} checkpoints are signed by keys that are not known here, and say nothing."));
    }
    lines.extend(proof::lines(&verdict.applications));
    if *confirmed == 0 {
        lines.push("Without a checkpoint, whoever can write to the database can make all hashes anew.".to_owned());
    }
    lines
}
