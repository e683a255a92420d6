//! Changes as they are asked for, and whether they could be made directly.

use std::collections::BTreeSet;

use flagstone_domain::{
    change_request::{
        Target,
        action::Action,
        configuration::environment_of_project,
        conflict::{self, Conflict, Current},
        judge::{self, ActionRefusal, Circumstances},
    },
    dependency::ParentCandidate,
    ids::{EnvironmentName, ProjectId},
    strategy::{StrategyDefinition, Surroundings},
};
use flagstone_error::Error;
use flagstone_store::{
    self as store,
    change_requests::{NewChange, configuration, targets},
    context_fields::{self, Which},
};

use crate::Transaction;

/// A change that a user asks for.
#[derive(Debug, Clone, PartialEq)]
pub struct RequestedChange {
    /// Name of the feature; `None` for changes of segments.
    pub feature: Option<String>,
    /// Effect on the target.
    pub action: Action,
    /// Place of the change in the input, as a JSON pointer.
    pub place: String,
}

/// Returns changes as they are recorded, with the targets as they are now, if each could be made directly. Locks the
/// segments that they apply: a change request is locked afterwards, as in applications.
pub async fn admitted(
    transaction: &Transaction<'_>,
    project: ProjectId<'_>,
    environment: EnvironmentName<'_>,
    requested: Vec<RequestedChange>,
) -> Result<Vec<NewChange>, Error> {
    let mut changes = Vec::with_capacity(requested.len());
    for change in &requested {
        let feature = change.feature.as_deref().map(|name| (name, None));
        let target = judge::target(feature, &change.action).map_err(|refusal| refused(&change.place, refusal))?;
        changes.push((target, &change.action));
    }
    let named = changes.iter().map(|(target, action)| (target, *action));
    let current = targets::current(&transaction.tx, environment.as_str(), named).await?;
    let applied = requested.iter().flat_map(|change| change.action.applied_segments()).collect();
    store::segments::hold_all(&transaction.tx, &BTreeSet::new(), &applied).await?;
    let mut admitted = Vec::with_capacity(requested.len());
    for ((target, action), change) in changes.into_iter().zip(&requested) {
        let target = target.identified(|name| Some(current.features.get(name)?.id));
        if let Some(conflict) = conflict::of_change(&target, action, project.as_str(), &current) {
            return Err(conflicting(conflict, &target, &change.place));
        }
        judge_one(transaction, project, environment, &target, action, &current)
            .await?
            .map_err(|refusal| refused(&change.place, refusal))?;
        let snapshot = conflict::snapshot(&target, action, &current);
        admitted.push(NewChange { target, action: action.clone(), snapshot });
    }
    Ok(admitted)
}

/// Refuses changes that take effect in every environment of a project where they are requested in another than the one
/// for such changes: approvals of that one would count for all.
pub async fn require_place(
    transaction: &Transaction<'_>,
    project: ProjectId<'_>,
    environment: EnvironmentName<'_>,
    requested: &[RequestedChange],
) -> Result<(), Error> {
    let Some(change) = requested.iter().find(|change| change.action.reaches_every_environment()) else {
        return Ok(());
    };
    match place_elsewhere(transaction, project, environment).await? {
        Some(place) => Err(Error::property(
            format!("{}/action", change.place),
            format_args!("takes effect in every environment, and must be requested in \"{place}\""),
        )),
        None => Ok(()),
    }
}

/// Returns the environment for changes of a project that take effect in every one of its environments, if it is another
/// than this.
pub async fn place_elsewhere(
    transaction: &Transaction<'_>,
    project: ProjectId<'_>,
    environment: EnvironmentName<'_>,
) -> Result<Option<String>, Error> {
    let used = configuration::of_project(&transaction.tx, project.as_str()).await?;
    let place = environment_of_project(&used).filter(|place| place.environment != environment.as_str());
    Ok(place.map(|place| place.environment.clone()))
}

/// Error that the target of a requested change is not there. A feature elsewhere is one that does not exist: the caller
/// may not see it.
fn conflicting(conflict: Conflict, target: &Target, place: &str) -> Error {
    let name = target.feature().unwrap_or_default();
    match conflict {
        Conflict::FeatureGone | Conflict::FeatureMoved => Error::unknown(format!("{place}/feature"), "feature", name),
        Conflict::FeatureArchived => {
            Error::property(format!("{place}/feature"), format_args!("names the feature \"{name}\", which is archived"))
        }
        Conflict::StrategyGone => Error::property(
            format!("{place}/payload"),
            "names a strategy that the feature does not have in the environment",
        ),
        Conflict::SegmentGone | Conflict::SegmentMoved => {
            Error::property(format!("{place}/payload/id"), "must be the id of a segment of the project")
        }
        Conflict::Unreadable => Error::property(format!("{place}/action"), "cannot be read"),
    }
}

/// Judges a change by what is stored around it.
async fn judge_one(
    transaction: &Transaction<'_>,
    project: ProjectId<'_>,
    environment: EnvironmentName<'_>,
    target: &Target,
    action: &Action,
    current: &Current,
) -> Result<Result<(), ActionRefusal>, Error> {
    let (tx, limits) = (&transaction.tx, transaction.author.limits);
    let id = target.feature_id().unwrap_or_default();
    let (mut surroundings, mut strategies, mut parent, mut has_children) = (Surroundings::default(), 0, None, false);
    if let Some(proposed) = action.proposed_strategy() {
        let definition = StrategyDefinition::from(proposed.clone());
        surroundings = store::strategies::surroundings(tx, &definition, project.as_str()).await?;
    }
    match action {
        Action::AddStrategy(_) => strategies = store::strategies::count(tx, id, environment.as_str()).await?,
        Action::AddDependency(dependency) => {
            parent = visible_parent(transaction, &dependency.feature).await?;
            has_children = store::features::dependencies::has_children(tx, id).await?;
        }
        Action::UpdateSegment(update) => {
            let names = update.constraints.iter().map(|constraint| &*constraint.context_name);
            let fields = context_fields::hold_legal_values(tx, Which::UsableIn(project.as_str()), names).await?;
            surroundings.legal_values = fields;
        }
        _ => {}
    }
    let before = match action {
        Action::UpdateStrategy(update) => current.strategies.get(&update.id),
        _ => None,
    };
    let before = before.map(|(_, strategy)| StrategyDefinition::from(strategy.clone()));
    let around = Circumstances {
        project: project.as_str(),
        bounds: &limits.of_strategies(),
        segment_values: limits.segment_values,
        surroundings: &surroundings,
        strategy: before.as_ref(),
        strategies,
        parent: parent.as_ref(),
        has_children,
    };
    Ok(judge::judge(target, action, &around))
}

/// The feature that a change makes another depend on, if the caller may see it.
async fn visible_parent(transaction: &Transaction<'_>, name: &str) -> Result<Option<ParentCandidate>, Error> {
    let candidate = store::features::parents::candidate(&transaction.tx, name).await?;
    let visibility = transaction.author.caller.visibility().await?;
    Ok(candidate.filter(|candidate| visibility.admits(&candidate.project)))
}

/// The error of a change that is refused, which stands at this place in the input.
pub fn refused(place: &str, refusal: ActionRefusal) -> Error {
    match refusal {
        ActionRefusal::Invalid { pointer, reason } => Error::property(format!("{place}{pointer}"), reason),
        ActionRefusal::TooMany(message) => Error::ExceedsLimit(message),
    }
}
