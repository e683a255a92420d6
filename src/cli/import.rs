//! `flagstone import`: takes the file of an export into the database.

use std::{collections::BTreeMap, io, path::PathBuf};

use clap::Args;
use serde_json::value::RawValue;

use crate::{
    access::{Caller, Identity},
    accounts::AccountError,
    api::body,
    changes::{Author, Begin, guard::Passage, import::apply},
    cli::{
        Outcome, complain,
        opening::{Opening, open},
        progress::Progress,
        reason::Reason,
        say,
    },
    clock::{self, Clock},
    config::{DatabaseChoice, ImportLimits, Limits},
    domain::{
        import::{self, Finding, Findings, ImportData, ImportRequest, Missing, Plan},
        text::without_byte_order_mark,
        visibility::Visibility,
    },
    files,
    store::{
        self,
        db::{Db, Tx},
    },
};

/// Most bytes of a file.
const MOST_BYTES: u64 = 1 << 30;
/// Most affected items that are printed with a finding.
const SHOWN_ITEMS: usize = 20;

/// File and target of the import.
#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// File with the answer of an export.
    file: PathBuf,
    /// Id of the project that receives the features.
    #[arg(long)]
    project: String,
    /// Name of the target environment of strategies, variants and states.
    #[arg(long)]
    environment: String,
    /// Make the project, environment, segments, feature types, custom strategy types and legal values that the file
    /// needs. Segments get no constraints, since an export does not hold them; strategies that apply them are written
    /// disabled.
    #[arg(long)]
    create_missing: bool,
    #[command(flatten)]
    reason: Reason,
    #[command(flatten)]
    database: DatabaseChoice,
    /// Limits that hold for the import.
    #[command(flatten)]
    limits: ImportLimits,
}

/// Validates the file and imports it. With errors nothing is changed, and the command fails.
pub(super) async fn run(arguments: &Arguments) -> Outcome {
    let request = read(arguments)?;
    let db = open(&arguments.database, Opening::OnlyCurrent).await?;
    let outcome = import(&db, &request, arguments).await;
    db.close().await?;
    outcome
}

fn read(arguments: &Arguments) -> Result<ImportRequest, Box<dyn std::error::Error + Send + Sync>> {
    let shown = arguments.file.display();
    let bytes =
        files::read_bounded(&arguments.file, MOST_BYTES).map_err(|error| format!("cannot read {shown}: {error}"))?;
    let data: ImportData = body::read_bytes(&bytes).map_err(|error| format!("{shown} is no export: {error}"))?;
    let parts: BTreeMap<String, &RawValue> = serde_json::from_slice(without_byte_order_mark(&bytes))?;
    for part in parts.keys().filter(|part| !ImportData::PARTS.contains(&part.as_str())) {
        say(&format!("left out, since it has no place here: {part}"))?;
    }
    Ok(ImportRequest { project: arguments.project.clone(), environment: arguments.environment.clone(), data })
}

async fn import(db: &Db, request: &ImportRequest, arguments: &Arguments) -> Outcome {
    let Arguments { create_missing, reason: Reason { reason }, limits: ImportLimits(limits), .. } = arguments;
    let caller = Caller::new(Identity::Operator, db.clone()).because(reason.clone());
    let clock = Clock::system();
    let author = Author { caller: &caller, db, clock: &clock, limits, passage: Passage::Direct };
    let transaction = author.begin(Begin::Importing).await.map_err(AccountError::from)?;
    let (tx, now, actor) = (&transaction.tx, transaction.now, caller.actor());
    let existing = store::import::target_exists(tx, request).await?;
    let mut known = store::import::known(tx, request).await?;
    let mut making = Vec::new();
    if *create_missing {
        let missing = import::missing(request, &known, existing)?;
        admit(tx, &missing, limits).await?;
        making = store::import::make(tx, request, &missing, &actor, now).await?;
        known = store::import::known(tx, request).await?;
    } else if !existing.project {
        return Err(format!("there is no project {}; --create-missing makes it", request.project).into());
    } else if !existing.environment {
        return Err(format!("there is no environment {}; --create-missing makes it", request.environment).into());
    }
    let findings = author.judge_import(&Visibility::everything(), request, &known, false);
    print(&findings)?;
    if !findings.errors.is_empty() {
        return Err("the file cannot be imported; nothing was changed".into());
    }
    store::import::add_replaced(tx, request, &mut known).await?;
    let plan = import::plan(request, &known, now, clock::new_uuid);
    let made: Vec<_> = making.iter().map(|event| event.kind.as_str()).collect();
    let made = count_kinds(&made);
    let progress = Progress::new("importing {bar:40} {percent:>3}% {elapsed}", 4);
    progress.begin(store::import::steps(&plan) + count_events(&plan));
    apply(&transaction, &plan, &|steps| advance(&progress, steps)).await.map_err(AccountError::from)?;
    let suspended = transaction.suspend(&plan.touches()).await.map_err(AccountError::from)?;
    let events = making.into_iter().chain(plan.events(&actor)).inspect(|_| advance(&progress, 1));
    transaction.tx.commit(now, events.chain(suspended)).await?;
    progress.end();
    for line in made {
        say(&line)?;
    }
    say(&summary(&plan))?;
    Ok(())
}

/// Refuses to make more than the operator allows.
async fn admit(tx: &Tx, missing: &Missing, limits: &Limits) -> Outcome {
    let segments = u64::try_from(missing.segments.len()).unwrap_or(u64::MAX);
    let kinds = [
        ("projects", u64::from(missing.project), store::projects::write::count(tx).await?, limits.projects),
        (
            "environments",
            u64::from(missing.environment_type.is_some()),
            store::environments::count(tx).await?,
            limits.environments,
        ),
        ("segments", segments, store::segments::count(tx).await?, limits.segments),
    ];
    for (what, new, present, limit) in kinds {
        if new > 0 && present.saturating_add(new) > limit {
            let counts = format!("{present} are there, and the file needs {new} more");
            return Err(format!("there may be at most {limit} {what}: {counts}").into());
        }
    }
    Ok(())
}

fn print(findings: &Findings) -> io::Result<()> {
    for line in findings.errors.iter().flat_map(|finding| lines("error", finding)) {
        complain(&line);
    }
    for line in findings.warnings.iter().flat_map(|finding| lines("warning", finding)) {
        say(&line)?;
    }
    if findings.errors.is_empty() { say("validation: no errors") } else { Ok(()) }
}

/// Lines of a finding: its message, and the first of the items that it concerns.
fn lines(kind: &str, finding: &Finding) -> Vec<String> {
    let mut lines = vec![format!("{kind}: {}", finding.message)];
    lines.extend(finding.affected_items.iter().take(SHOWN_ITEMS).map(|item| format!("  {item}")));
    if let Some(more) = finding.affected_items.len().checked_sub(SHOWN_ITEMS).filter(|more| *more > 0) {
        lines.push(format!("  and {more} more"));
    }
    lines
}

/// Lines for each kind of thing that was made first.
fn count_kinds(kinds: &[&str]) -> Vec<String> {
    let mut counts = BTreeMap::new();
    for kind in kinds {
        *counts.entry(*kind).or_insert(0_usize) += 1;
    }
    counts.into_iter().map(|(kind, count)| format!("made first: {count} × {kind}")).collect()
}

fn summary(plan: &Plan) -> String {
    let features = &plan.features;
    let new = features.iter().filter(|feature| feature.stored.is_none()).count();
    let strategies: usize = features.iter().map(|feature| feature.strategies.len()).sum();
    let tags: usize = features.iter().map(|feature| feature.tags.len()).sum();
    let segments = features.iter().flat_map(|feature| &feature.strategies).flat_map(|strategy| &strategy.segments);
    let segments: std::collections::BTreeSet<_> = segments.flatten().filter_map(|id| id.whole()).collect();
    format!(
        "imported into {} ({}): {} features ({new} new), {strategies} strategies, {tags} tags, {} segments used",
        plan.project,
        plan.environment,
        features.len(),
        segments.len()
    )
}

/// Estimated number of events of the plan; the bar need not be exact.
fn count_events(plan: &Plan) -> u64 {
    let of_feature = |feature: &import::PlannedFeature| {
        let replaced = feature.stored.as_ref().map_or(0, |stored| stored.configuration.strategies.len());
        2 + feature.tags.len() + replaced + feature.strategies.len() + feature.parents.len()
    };
    let events: usize = plan.features.iter().map(of_feature).sum();
    u64::try_from(events).unwrap_or(u64::MAX)
}

/// Prints each quarter where no bar shows it. An error of writing does not stop the import.
fn advance(progress: &Progress, steps: u64) {
    if let Some(quarter @ 1..4) = progress.advance(steps) {
        let _ = say(&format!("importing: {}%", 25 * quarter));
    }
}
