//! Importing features into a project and environment, and exporting them.

mod requested;

use flagstone_clock as clock;
use flagstone_domain::{
    event::NewEvent,
    event_kind::EventKind,
    ids::{EnvironmentName, ProjectId},
    import::{self, Findings, ImportData, ImportRequest, Known, Plan},
    permission::Permission,
    visibility::Visibility,
};
use flagstone_error::{Error, Finding};
use flagstone_store as store;

use crate::{Author, Begin, Transaction, guard::Reach};

/// Permissions of what a change request holds of an import.
const APPROVED: [Permission; 5] = [
    Permission::CreateFeatureStrategy,
    Permission::DeleteFeatureStrategy,
    Permission::UpdateFeatureDependency,
    Permission::UpdateFeatureEnvironment,
    Permission::UpdateFeatureEnvironmentVariants,
];

/// An import, or its dry run.
#[derive(Debug)]
pub struct Imported {
    /// Findings of the validation.
    pub findings: Findings,
    /// Whether it was stored.
    pub is_stored: bool,
}

impl Author<'_> {
    /// Imports a data set in a transaction of its own, or with `dry_run` finds what it would change; `note` gets each
    /// event in order. Errors and missing permissions refuse an import, and leave a dry run without events. Where changes
    /// need approval, what needs it becomes a change request.
    pub async fn import(
        self,
        request: ImportRequest,
        dry_run: bool,
        mut note: impl FnMut(&NewEvent) + Send,
    ) -> Result<Imported, Error> {
        let visibility = self.caller.visibility().await?;
        let transaction = self.begin(Begin::Importing).await?;
        let (actor, now) = (self.caller.actor(), transaction.now);
        let mut known = store::import::known(&transaction.tx, &request).await?;
        let guarded = store::change_requests::configuration::guarded(&transaction.tx, &request.project).await?;
        let (project, environment) = (ProjectId::new(&request.project), EnvironmentName::new(&request.environment));
        let needs_approval = self.needs_approval(&guarded, project, environment);
        let findings = self.judge_import(&visibility, &request, &known, needs_approval);
        let mut imported = Imported { findings: findings.clone(), is_stored: false };
        if dry_run && is_refusal(&findings) {
            return Ok(imported);
        }
        refuse(findings, &request.environment)?;
        store::import::add_replaced(&transaction.tx, &request, &mut known).await?;
        let plan = import::plan(&request, &known, now, clock::new_uuid);
        // The plan holds its own copy, and a data set may be large.
        drop((request, known));
        if needs_approval {
            let events = requested::apply(&transaction, plan).await?;
            events.iter().for_each(&mut note);
            if !dry_run {
                transaction.commit(events).await?;
                imported.is_stored = true;
            }
            return Ok(imported);
        }
        let environment = Reach::Environment(&plan.environment);
        let reach = if plan.changes_dependencies() { Reach::Project } else { environment };
        transaction.guard(&plan.project, reach).await?;
        if !dry_run {
            // It locks the features, which comes before the schedules.
            apply(&transaction, &plan, &|_| {}).await?;
        }
        let suspended = transaction.suspend(&plan.touches()).await?;
        let events = plan.events(&actor).chain(suspended).inspect(|event| note(event));
        if dry_run {
            events.for_each(drop);
            return Ok(imported);
        }
        transaction.tx.commit(now, events).await?;
        imported.is_stored = true;
        Ok(imported)
    }

    /// Findings about a data set, of which this is known. The approvals of a change request stand for the permissions of
    /// what it changes.
    pub fn judge_import(
        self,
        visibility: &Visibility,
        request: &ImportRequest,
        known: &Known,
        needs_approval: bool,
    ) -> Findings {
        let (project, environment) = (ProjectId::new(&request.project), EnvironmentName::new(&request.environment));
        let allows = |permission| {
            (needs_approval && APPROVED.contains(&permission))
                || self.caller.grants().allow(permission, Some(project), Some(environment))
        };
        import::judge(request, known, visibility, &self.limits.of_imports(), allows)
    }

    /// Records that a data set was exported.
    pub async fn record_export(self, data: &ImportData) -> Result<(), Error> {
        let transaction = self.begin(Begin::Change).await?;
        let event = NewEvent::new(EventKind::FeaturesExported, &self.caller.actor()).with_data(&data.names());
        transaction.commit([event]).await
    }
}

/// Applies the plan of an import within a transaction; its events are those of the plan.
pub async fn apply(transaction: &Transaction<'_>, plan: &Plan, progress: &(dyn Fn(u64) + Sync)) -> Result<(), Error> {
    let Transaction { tx, now, author, .. } = transaction;
    store::import::apply(tx, plan, author.caller.actor().user_id, *now, progress).await?;
    Ok(store::jobs::retell_history(tx).await?)
}

fn is_refusal(findings: &Findings) -> bool {
    !findings.errors.is_empty() || findings.permissions.iter().flatten().next().is_some()
}

/// 403 for missing permissions, before 400 for errors.
fn refuse(findings: Findings, environment: &str) -> Result<(), Error> {
    if let Some(missing) = findings.permissions.into_iter().flatten().next() {
        let names = missing.affected_items.join(", ");
        let message = format!("{} {names} in the \"{environment}\" environment.", missing.message);
        return Err(Error::Forbidden { name: "NoAccessError", message });
    }
    if findings.errors.is_empty() {
        return Ok(());
    }
    let details = findings.errors.into_iter().map(|finding| Finding {
        message: format!("{} {}", finding.message, finding.affected_items.join(", ")).trim_end().to_owned(),
        path: Some("/body/data".to_owned()),
    });
    Err(Error::Validation(details.collect()))
}
