//! Imports into an environment in which changes need approval: features are created, and their configuration there becomes
//! a change request that is sent to review.

use std::collections::HashMap;

use flagstone_domain::{
    change_request::{
        MOST_CHANGES, Target,
        action::{Action, DeletedStrategy, StrategyUpdate, Switch, VariantList},
        configuration::DEFAULT_APPROVALS,
        conflict::snapshot,
        transition::Wish,
    },
    event::NewEvent,
    feature::Dependency,
    ids::{EnvironmentName, FeatureName, ProjectId},
    import::{Plan, Wanted},
    strategy::{FeatureStrategy, StrategyDefinition},
    strategy_id::StrategyId,
    switching::is_disabled,
};
use flagstone_error::Error;
use flagstone_store::{
    self as store,
    change_requests::{self, Head, NewChange, NewChangeRequest, configuration, targets},
};

use crate::{
    Transaction,
    change_requests::{
        judging::place_elsewhere,
        record::require_room,
        standing::{HeldRequest, subject},
    },
};

/// Imports a plan within a transaction, and requests what needs approval of it. Returns the events. Refused while the
/// author has a pending change request there, since that would be sent to review with it.
pub(super) async fn apply(transaction: &Transaction<'_>, mut plan: Plan) -> Result<Vec<NewEvent>, Error> {
    let actor = transaction.author.caller.actor();
    if plan.changes_dependencies() {
        require_place(transaction, &plan).await?;
    }
    let wanted = plan.take_configuration();
    super::apply(transaction, &plan, &|_| {}).await?;
    let mut events: Vec<NewEvent> = plan.events(&actor).collect();
    let changes = changes(transaction, &plan, &wanted).await?;
    if changes.is_empty() {
        return Ok(events);
    }
    if changes.len() > MOST_CHANGES {
        let count = changes.len();
        let message = format!("A change request has at most {MOST_CHANGES} changes; this import would need {count}.");
        return Err(Error::ExceedsLimit(message));
    }
    let head = draft(transaction, &plan).await?;
    let (tx, now, user) = (&transaction.tx, transaction.now, head.created_by);
    change_requests::append(tx, &head, &changes, user, now).await?;
    let gone = || Error::internal(format!("change request {} has gone while it was held", head.id));
    let filled = change_requests::hold(tx, head.id).await?.ok_or_else(gone)?;
    let request = HeldRequest::of(transaction, filled).await?;
    let step = request.step(Wish::SendToReview).await?;
    request.enter(step.to, 0).await?;
    events.push(subject(&head).created(&actor));
    // The changes are in this event: nobody has seen the draft.
    events.push(request.subject().sent_to_review(&request.request.changes, None, &actor));
    Ok(events)
}

/// Refuses dependencies, which take effect in every environment, where approvals of another one stand for these.
async fn require_place(transaction: &Transaction<'_>, plan: &Plan) -> Result<(), Error> {
    let (project, environment) = (ProjectId::new(&plan.project), EnvironmentName::new(&plan.environment));
    match place_elsewhere(transaction, project, environment).await? {
        Some(place) => Err(Error::forbidden(format!(
            "Dependencies take effect in every environment: import them into \"{place}\"."
        ))),
        None => Ok(()),
    }
}

/// A new draft of the author.
async fn draft(transaction: &Transaction<'_>, plan: &Plan) -> Result<Head, Error> {
    let Transaction { tx, now, author, .. } = transaction;
    let created_by = author.caller.require_person()?.id;
    let (project, environment) = (&*plan.project, &*plan.environment);
    let required = configuration::find(tx, ProjectId::new(project), EnvironmentName::new(environment)).await?;
    let min_approvals = required.unwrap_or(DEFAULT_APPROVALS);
    let new = NewChangeRequest { project, environment, created_by, min_approvals };
    let (head, is_new) = change_requests::join_or_create(tx, &new, *now).await?;
    if !is_new {
        return Err(Error::forbidden(format!(
            "You have the pending change request {} in \"{environment}\": have it applied, cancel or discard it before you \
             import.",
            head.id
        )));
    }
    require_room(transaction, project, created_by).await?;
    Ok(head)
}

/// Changes that turn the configuration of the features into the one that is wanted, feature by feature, and then the
/// dependencies between them.
async fn changes(transaction: &Transaction<'_>, plan: &Plan, wanted: &[Wanted]) -> Result<Vec<NewChange>, Error> {
    let tx = &transaction.tx;
    let names: Vec<String> = wanted.iter().map(|wanted| wanted.feature.clone()).collect();
    let held = store::features::hold_all(tx, &names).await?;
    let ids: HashMap<&str, i64> = held.iter().map(|held| (&*held.document.name, held.id)).collect();
    let (mut pairs, mut dependencies) = (Vec::new(), Vec::new());
    for wanted in wanted {
        let Some(id) = ids.get(&*wanted.feature).copied() else { continue };
        let target = || Target::Feature { name: wanted.feature.clone(), id: Some(id) };
        let (feature, environment) = (FeatureName::new(&wanted.feature), EnvironmentName::new(&plan.environment));
        let stored = store::strategies::list(tx, id, feature, environment).await?;
        pairs.extend(actions(wanted, stored).into_iter().map(|action| (target(), action)));
        dependencies.extend(wanted.parents.iter().map(|link| {
            let variants = Some(link.variants.clone()).filter(|variants| !variants.is_empty());
            let dependency = Dependency { feature: link.parent.clone(), enabled: Some(link.enabled), variants };
            (target(), Action::AddDependency(dependency))
        }));
    }
    pairs.append(&mut dependencies);
    let asked = pairs.iter().map(|(target, action)| (target, action));
    let current = targets::current(tx, &plan.environment, asked).await?;
    let change = |(target, action): (Target, Action)| {
        let snapshot = snapshot(&target, &action, &current);
        NewChange { target, action, snapshot }
    };
    Ok(pairs.into_iter().map(change).collect())
}

/// Actions on one feature. Strategies that are there become the wanted ones in their order; more are added, and those
/// that are left are removed.
fn actions(wanted: &Wanted, stored: Vec<FeatureStrategy>) -> Vec<Action> {
    let mut actions = Vec::new();
    let count = wanted.strategies.len();
    for (strategy, before) in wanted.strategies.iter().zip(&stored) {
        let Some(StrategyId(id)) = before.id else { continue };
        let definition = |strategy: &FeatureStrategy| StrategyDefinition::from(strategy.clone());
        if definition(strategy) != definition(before) {
            let strategy = FeatureStrategy { id: None, ..strategy.clone() };
            actions.push(Action::UpdateStrategy(StrategyUpdate { id, strategy }));
        }
    }
    for strategy in wanted.strategies.iter().skip(stored.len()) {
        actions.push(Action::AddStrategy(FeatureStrategy { id: None, ..strategy.clone() }));
    }
    for before in stored.into_iter().skip(count) {
        let Some(StrategyId(id)) = before.id else { continue };
        let (name, title, disabled) = (Some(before.name), before.title, before.disabled);
        actions.push(Action::DeleteStrategy(DeletedStrategy { id, name, title, disabled }));
    }
    actions.extend(wanted.variants.clone().map(|variants| Action::PatchVariant(VariantList { variants })));
    // Without an enabled strategy it would be switched off on the way.
    let goes_off = wanted.strategies.iter().all(is_disabled);
    if let Some(enabled) = wanted.enabled.filter(|enabled| *enabled != wanted.was_enabled || (*enabled && goes_off)) {
        actions.push(Action::UpdateEnabled(Switch { enabled, should_activate_disabled_strategies: None }));
    }
    actions
}
