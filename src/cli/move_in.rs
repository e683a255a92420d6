//! `flagstone move-in`: takes over what another server holds: its database, what it answers, or files.

mod database;
mod effects;
mod files;
mod server;

use std::{collections::BTreeMap, path::PathBuf};

use clap::Args;

use self::{effects::ServedBefore, files::FromFiles};
use crate::{
    cli::{
        Outcome,
        opening::{Opening, open},
        say,
    },
    clock::Clock,
    config::{DatabaseChoice, Hidden, Keys, Route},
    domain::settings::{OidcSettings, ProviderSettings as _, SamlSettings},
    moving_in::{Counted, Finding, Judged, KINDS, Report, Set, judge, sizes},
    store::{
        db::{Db, Tx, is_postgres},
        moving_in,
    },
};

/// Findings of a kind that are printed; the report has all.
const SHOWN: usize = 20;

/// Source and target of the move.
#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Source: the database of an Unleash server, 4.19 to 8.2 (`postgres://…`, which brings everything); its address
    /// (`https://…`, asked with a token of an administrator); or a file of flags, also of another product, or a folder
    /// of Flipt. Files may be several, each as `ENVIRONMENT=FILE` where it does not name its environment. Nothing is
    /// changed there.
    #[arg(long, value_name = "URL or FILE", required = true)]
    from: Vec<Hidden>,
    /// Token of an administrator, when moving in from an address: an admin token, or a personal one.
    #[arg(long, env = "FLAGSTONE_FROM_TOKEN", hide_env_values = true, value_name = "TOKEN")]
    from_token: Option<Hidden>,
    /// Take over the log of changes too, when moving in from an address. A database tells it anyway.
    #[arg(long)]
    with_events: bool,
    /// Callers that are served as before where that is not possible for both: browsers, whose features the old server
    /// evaluated, or programs, which evaluate by themselves. The report names the features that the others get
    /// otherwise.
    #[arg(long, value_enum, default_value = "programs")]
    as_served_before: ServedBefore,
    #[command(flatten)]
    files: FromFiles,
    /// Report what would come over, changed or not, and write nothing.
    #[arg(long)]
    dry_run: bool,
    /// File for the whole report: as JSON when it ends in `.json`, as a page when it ends in `.html`.
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    #[command(flatten)]
    route: Route,
    #[command(flatten)]
    keys: Keys,
    #[command(flatten)]
    database: DatabaseChoice,
}

/// Moves in. What fails leaves the target as it was.
pub(super) async fn run(arguments: &Arguments) -> Outcome {
    let write_report = form(arguments)?;
    let report = moved(arguments).await?;
    tell(&report)?;
    if let (Some(path), Some(write)) = (&arguments.report, write_report) {
        let text = write(&report);
        crate::files::replace_private(path, |file| file.write_all(text.as_ref()))
            .map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    }
    Ok(())
}

type Moved = Result<Report, Box<dyn std::error::Error + Send + Sync>>;

async fn moved(arguments: &Arguments) -> Moved {
    let from: Vec<&str> = arguments.from.iter().map(|Hidden(from)| from.as_str()).collect();
    let is_database = from.iter().any(|from| is_postgres(from));
    let is_server = from.iter().any(|from| from.starts_with("http://") || from.starts_with("https://"));
    if (is_database || is_server) && from.len() > 1 {
        return Err("--from may be given several times for files only".into());
    }
    if is_database {
        if from[0] == arguments.database.url {
            return Err("--from and --database-url name the same database".into());
        }
        return database::move_in(from[0], arguments).await;
    }
    if !is_server && from.iter().any(|from| from.contains("://")) {
        return Err("--from must name a PostgreSQL database, postgres://USER@HOST/NAME, an address or a file".into());
    }
    if is_server {
        return server::move_in(from[0], arguments).await;
    }
    let (set, findings) = arguments.files.read(&from, Clock::system().now())?;
    let before = sizes(&set);
    let judged = settled(set, findings, arguments);
    if !arguments.dry_run {
        let db = open(&arguments.database, Opening::MayUpgrade).await?;
        let written = write(&db, &judged, arguments).await;
        db.close().await?;
        written?;
    }
    let counted = compared(before, sizes(&judged.set));
    Ok(Report { origin: judged.set.origin, dry_run: arguments.dry_run, counted, findings: judged.findings })
}

/// Makes a set fit, so that browsers and programs get what they got wherever that is possible.
fn settled(set: Set, findings: Vec<Finding>, arguments: &Arguments) -> Judged {
    let before = set.clone();
    let mut judged = judge(set, findings);
    effects::settle(&before, &mut judged, arguments.as_served_before, Clock::system().now());
    judged
}

async fn write(db: &Db, judged: &Judged, arguments: &Arguments) -> Outcome {
    let tx = moving_in::begin(db).await?;
    write_set(&tx, &judged.set, arguments).await?;
    moving_in::finish(tx, Clock::system().now()).await?;
    Ok(())
}

/// Leaves out login settings and integrations where the options name no key to seal them with: a server that starts in
/// another place would not find it.
fn keep_what_can_be_sealed(set: &mut Set, findings: &mut Vec<Finding>, arguments: &Arguments) {
    if arguments.keys.are_told_for(&arguments.database) {
        return;
    }
    let given =
        [set.settings.oidc.take().map(|_| OidcSettings::ID), set.settings.saml.take().map(|_| SamlSettings::ID)];
    let integrations = std::mem::take(&mut set.settings.integrations).into_iter().map(|integration| {
        let name = format!("{} {}", integration.provider.name(), integration.description.unwrap_or_default());
        ("integration", name.trim().to_owned())
    });
    for (kind, name) in given.into_iter().flatten().map(|id| ("setting", id.to_owned())).chain(integrations) {
        let reason = "its secrets are kept encrypted, and no key was named: move in with the FLAGSTONE_SECRET_KEY or \
                      FLAGSTONE_KEY_FILE of the server, or set it up anew";
        findings.push(Finding::left_out(kind, name, reason));
    }
}

/// Writes everything but the history. A key is asked for only where something is to be sealed.
async fn write_set(tx: &Tx, set: &Set, arguments: &Arguments) -> Outcome {
    let now = Clock::system().now();
    moving_in::write(tx, set, now).await?;
    let settings = &set.settings;
    if settings.oidc.is_some() || settings.saml.is_some() || !settings.integrations.is_empty() {
        let vault = arguments.keys.unlock(&arguments.database)?;
        moving_in::write_sealed(tx, settings, &vault, now).await?;
    }
    Ok(())
}

/// Writes a report.
type Form = fn(&Report) -> String;

/// Returns the form of the report, by the name of its file.
fn form(arguments: &Arguments) -> Result<Option<Form>, String> {
    let Some(path) = &arguments.report else { return Ok(None) };
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("json") => Ok(Some(Report::json)),
        Some("html") => Ok(Some(Report::html)),
        _ => Err("--report must name a file that ends in .json or .html".to_owned()),
    }
}

fn compared(before: [u64; KINDS.len()], after: [u64; KINDS.len()]) -> Vec<Counted> {
    let pairs = KINDS.into_iter().zip(before.into_iter().zip(after));
    pairs.map(|(kind, (before, after))| Counted { kind: kind.to_owned(), before, after }).collect()
}

fn tell(report: &Report) -> std::io::Result<()> {
    let version = &report.origin.version;
    let version = if version.is_empty() { String::new() } else { format!(" ({version})") };
    say(&format!("from {}{version}", report.origin.product))?;
    for counted in &report.counted {
        let differs = if counted.before == counted.after { String::new() } else { format!(" of {}", counted.before) };
        say(&format!("{:>9}{differs} {}", counted.after, counted.kind))?;
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
        for finding in findings.iter().take(SHOWN) {
            say(&format!("{outcome}: {kind} {}: {}", finding.name, finding.reason))?;
        }
        if findings.len() > SHOWN {
            say(&format!("{outcome}: {kind}: {} more, in the report", findings.len() - SHOWN))?;
        }
    }
    if report.dry_run {
        say("Nothing was written.")
    } else {
        say("Everything is in. Start the server, then point programs and people at it.")
    }
}
