//! Applying change requests: all of their changes in order, by the code of direct calls, or none of them.
//!
//! Locks are taken in one order, so that no two transactions wait in a circle: features by id, segments by id, the change
//! request, its schedule. A direct change locks its feature, and may then suspend schedules.

use std::collections::BTreeSet;

use flagstone_access::project_of_request;
use flagstone_domain::{
    change_request::{
        Change, ChangeRequest, Target,
        action::{Action, SegmentUpdate},
        conflict,
        event::Subject,
        review,
        state::State,
    },
    event::NewEvent,
    project::ProjectScope,
    strategy::StrategyDefinition,
    variant::FeatureVariant,
    visibility::Visibility,
};
use flagstone_error::Error;
use flagstone_store::{
    self as store,
    change_requests::{self, Head, schedules, targets},
};
use flagstone_wire::Nullable;

use crate::{
    Transaction,
    dependencies::{AddDependency, DeleteDependencies},
    feature::{FeatureChange, LockedFeature, Target as Place},
    freeze::is_freeze,
    guard::Passage,
    if_match::IfMatch,
    properties::ArchiveFeature,
    segments::{self, SegmentContent},
    strategies::{AddStrategy, DeleteStrategy, OrderStrategies, Replacement, UpdateStrategy},
    switches::Switch,
    variants::{Environments, SetVariants, balanced},
};

/// Most conflicts that a refusal names.
const SHOWN_CONFLICTS: usize = 20;

/// Locks the features and segments that a change request is about, and the segments that its strategies apply. Whoever
/// applies it does this first and then locks the change request: see [`apply`].
pub async fn hold_targets(transaction: &Transaction<'_>, id: i64) -> Result<(), Error> {
    match change_requests::find(&transaction.tx, id).await? {
        Some(request) => hold_targets_of(transaction, &request).await,
        None => Ok(()),
    }
}

async fn hold_targets_of(transaction: &Transaction<'_>, request: &ChangeRequest) -> Result<(), Error> {
    let tx = &transaction.tx;
    let mut features: BTreeSet<String> = BTreeSet::new();
    for change in &request.changes {
        features.extend(change.target.feature().map(str::to_owned));
        if let Action::AddDependency(dependency) = &change.action {
            features.insert(dependency.feature.clone());
        }
    }
    if !features.is_empty() {
        store::features::hold_all(tx, &features.into_iter().collect::<Vec<_>>()).await?;
    }
    let changed = request.segments().map(|(id, _)| id).collect();
    let applied = request.changes.iter().flat_map(|change| change.action.applied_segments()).collect();
    Ok(store::segments::hold_all(tx, &changed, &applied).await?)
}

/// Makes the changes of a change request in their order and moves it to [`State::Applied`]. Returns the events: those of
/// the changes, as direct calls leave them, and then its own, which proves what was done and who approved that.
///
/// `head` is the change request as the transaction has locked it, after [`hold_targets`], and `request` what was read
/// of it then; the author has a [`Passage::Approved`], and whether the state allows it has been judged. 409 for
/// conflicts, for approvals of other changes than these, and for a change that is refused, which it names with the
/// reason. 403 in a freeze, as for direct calls: see [`is_freeze`].
pub async fn apply(
    transaction: &Transaction<'_>,
    head: &Head,
    request: &ChangeRequest,
    by_schedule: bool,
) -> Result<Vec<NewEvent>, Error> {
    let Transaction { tx, now, author, .. } = transaction;
    if author.passage != (Passage::Approved { change_request: head.id }) {
        return Err(Error::internal(format!("change request {} is applied without its approvals", head.id)));
    }
    let digest = request.digest();
    let approvals = review::counted(&request.approvals, &digest);
    if i64::try_from(approvals.len()).unwrap_or(i64::MAX) < request.min_approvals {
        let message = format!(
            "The change request needs {} approvals of its changes as they are now, and has {}.",
            request.min_approvals,
            approvals.len()
        );
        return Err(conflicting(message));
    }
    let mut events = make(transaction, request).await?;
    if !change_requests::enter(tx, head, State::Applied, *now).await? {
        return Err(conflicting("The change request has changed since it was read.".to_owned()));
    }
    schedules::end(tx, head.id).await?;
    change_requests::note_applied(tx, head.id, &digest).await?;
    let (project, environment) = (&*request.project, &*request.environment);
    let subject = Subject { id: request.id, project, environment, is_draft: false };
    events.push(subject.applied(&digest, &approvals, by_schedule, &author.caller.actor()));
    Ok(events)
}

/// Makes the changes of a change request in their order, as if it were approved. Returns their events: 409 for conflicts,
/// and for a change that is refused.
pub async fn make(transaction: &Transaction<'_>, request: &ChangeRequest) -> Result<Vec<NewEvent>, Error> {
    require_no_conflicts(transaction, request).await?;
    let project = project_of_request(&request.project);
    let application =
        Application { transaction, project: &project, environment: &request.environment, any: IfMatch::default() };
    let mut events = Vec::new();
    for change in &request.changes {
        events.extend(application.make(change).await.map_err(|error| refused(change, error))?);
    }
    Ok(events)
}

/// Makes the changes of a change request, recorded or only proposed, in a transaction that is taken back.
pub async fn try_out(transaction: &Transaction<'_>, request: &ChangeRequest) -> Result<(), Error> {
    hold_targets_of(transaction, request).await?;
    make(transaction, request).await.map(drop)
}

/// Refuses a change request of which something has gone, with a sentence for each conflict.
async fn require_no_conflicts(transaction: &Transaction<'_>, request: &ChangeRequest) -> Result<(), Error> {
    let changes = request.changes.iter().map(|change| (&change.target, &change.action));
    let current = targets::current(&transaction.tx, &request.environment, changes).await?;
    let mut sentences = Vec::new();
    let mut features = BTreeSet::new();
    for change in &request.changes {
        match conflict::of_change(&change.target, &change.action, &request.project, &current) {
            Some(conflict) if conflict.is_of_feature() => {
                if let Some(name) = change.target.feature().filter(|name| features.insert(*name)) {
                    sentences.push(format!("Changes of the feature \"{name}\": {conflict}."));
                }
            }
            Some(conflict) => sentences.push(format!("{}: {conflict}.", described(change))),
            None => {}
        }
    }
    if sentences.is_empty() {
        return Ok(());
    }
    let more = sentences.len().saturating_sub(SHOWN_CONFLICTS);
    sentences.truncate(SHOWN_CONFLICTS);
    let more = if more > 0 { format!(" And {more} more.") } else { String::new() };
    Err(conflicting(format!("The change request cannot be applied. {}{more}", sentences.join(" "))))
}

/// Application of one change request.
struct Application<'a> {
    transaction: &'a Transaction<'a>,
    project: &'a ProjectScope,
    environment: &'a str,
    any: IfMatch,
}

impl Application<'_> {
    /// Makes one change. Returns its events.
    async fn make(&self, change: &Change) -> Result<Vec<NewEvent>, Error> {
        let environment = self.environment;
        match (&change.target, &change.action) {
            (Target::Segment(id), Action::UpdateSegment(update)) => {
                let content = self.segment(update);
                Ok(content.update(self.transaction, *id, &self.any).await?.events.unwrap_or_default())
            }
            (Target::Segment(id), Action::DeleteSegment(_)) => {
                Ok(segments::delete(self.transaction, *id, &self.any).await?.events.unwrap_or_default())
            }
            (Target::Feature { name, .. }, Action::UpdateEnabled(switch)) => {
                let activate = switch.should_activate_disabled_strategies.unwrap_or(false);
                self.change(name, Switch { environment, on: switch.enabled, activate, named_at: None }).await
            }
            (Target::Feature { name, .. }, Action::AddStrategy(strategy)) => {
                let comes_last = strategy.sort_order.is_none();
                let strategy = StrategyDefinition::from(strategy.clone());
                self.change(name, AddStrategy { environment, strategy, comes_last }).await
            }
            (Target::Feature { name, .. }, Action::UpdateStrategy(update)) => {
                let (id, edit) = (update.id.to_string(), Replacement::from(update.strategy.clone()));
                self.change(name, UpdateStrategy { environment, id: &id, edit, blame: |error| error }).await
            }
            (Target::Feature { name, .. }, Action::DeleteStrategy(deleted)) => {
                self.change(name, DeleteStrategy { environment, id: &deleted.id.to_string() }).await
            }
            (Target::Feature { name, .. }, Action::ReorderStrategy(positions)) => {
                let positions = positions
                    .iter()
                    .map(|position| (position.id.to_string(), position.sort_order.whole().unwrap_or_default()))
                    .collect();
                self.change(name, OrderStrategies { environment, positions }).await
            }
            (Target::Feature { name, .. }, Action::PatchVariant(list)) => {
                let edit = |_: &[FeatureVariant]| balanced("/body/variants", list.variants.clone()).map(Some);
                self.change(name, SetVariants { environments: Environments::One(environment), edit }).await
            }
            (Target::Feature { name, .. }, Action::ArchiveFeature) => self.change(name, ArchiveFeature).await,
            (Target::Feature { name, .. }, Action::AddDependency(dependency)) => {
                let enabled = dependency.enabled.unwrap_or(true);
                let variants = dependency.variants.clone().filter(|_| enabled).unwrap_or_default();
                let visibility = &Visibility::everything();
                let add = AddDependency { parent: dependency.feature.clone(), enabled, variants, visibility };
                self.change(name, add).await
            }
            (Target::Feature { name, .. }, Action::DeleteDependency) => self.change(name, DeleteDependencies).await,
            (target, action) => Err(Error::internal(format!("{} of {target:?}", action.name()))),
        }
    }

    async fn change<C: FeatureChange>(&self, name: &str, change: C) -> Result<Vec<NewEvent>, Error> {
        let place = Place::new(self.project, name, &self.any);
        let Some(mut feature) = LockedFeature::lock(self.transaction, place, &change).await? else {
            return Err(Error::not_found("feature", name));
        };
        Ok(change.apply(&mut feature).await?.events.unwrap_or_default())
    }

    /// A segment that is updated stays in the project of the change request.
    fn segment(&self, update: &SegmentUpdate) -> SegmentContent {
        SegmentContent {
            name: update.name.clone(),
            description: update.description.clone().and_then(Nullable::into_inner),
            project: Some(self.project.id().to_owned()),
            constraints: update.constraints.clone(),
        }
    }
}

/// Names a change in sentences.
fn described(change: &Change) -> String {
    let target = match &change.target {
        Target::Feature { name, .. } => format!("the feature \"{name}\""),
        Target::Segment(id) => format!("the segment {id}"),
    };
    format!("Change {} ({} of {target})", change.id, change.action.name())
}

/// Refusal of a change request because one of its changes is refused. What is the fault of the server stays that.
fn refused(change: &Change, error: Error) -> Error {
    match error {
        // It passes, so that a schedule can wait for its end.
        error if is_freeze(&error) => error,
        Error::Validation(_)
        | Error::Pattern(_)
        | Error::ExceedsLimit(_)
        | Error::Rule { .. }
        | Error::NoAccess { .. }
        | Error::Forbidden { .. }
        | Error::NotFound(_)
        | Error::Conflict(_)
        | Error::InUse { .. } => {
            conflicting(format!("The change request cannot be applied. {} is refused: {error}", described(change)))
        }
        other => other,
    }
}

/// Error that a change request cannot be applied as things are.
pub fn conflicting(message: String) -> Error {
    Error::InUse { name: "ChangeRequestConflictError", message }
}
