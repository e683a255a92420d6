//! Change requests as they are read, with what is found about them.

use std::collections::{BTreeMap, HashMap};

use super::body::{ChangeRequestBody, Surroundings};
use crate::{
    access::Caller,
    changes::{change_requests::standing::missing_request, reviewer_rules::documents},
    domain::{
        change_request::{
            ChangeRequest, Target, action::Action, consequence, review, reviewer_rules::ReviewerRuleDocument,
            state::State as RequestState,
        },
        ids::{EnvironmentName, FeatureName, ProjectId},
        project::VisibleProject,
        switching::first_strategy,
    },
    error::Error,
    state::State,
    store::{
        change_requests::{self, reviewer_rules, scheduled, targets},
        db::Snapshot,
        features::switches,
    },
};

/// A change request of a project that the caller may see: 404 for drafts of others.
pub async fn visible(
    caller: &Caller,
    snapshot: &Snapshot,
    project: &VisibleProject,
    id: i64,
) -> Result<ChangeRequest, Error> {
    let found = change_requests::find(snapshot, id).await?;
    let found = found.filter(|found| found.project == project.id() && found.is_visible_to(caller.user_id()));
    found.ok_or_else(|| missing_request(id))
}

/// Bodies of change requests of a project, in their order, with the conflicts of those that are open.
pub async fn bodies(
    snapshot: &Snapshot,
    project: &VisibleProject,
    requests: &[ChangeRequest],
) -> Result<Vec<ChangeRequestBody>, Error> {
    let mut open: BTreeMap<&str, Vec<&ChangeRequest>> = BTreeMap::new();
    for request in requests.iter().filter(|request| request.state.is_open()) {
        open.entry(&request.environment).or_default().push(request);
    }
    let mut around = HashMap::new();
    for (environment, requests) in open {
        around.insert(environment, surroundings(snapshot, project, environment, &requests).await?);
    }
    let body = |request: &ChangeRequest| match around.get(request.environment.as_str()) {
        Some(around) if request.state.is_open() => ChangeRequestBody::within(request, around),
        _ => ChangeRequestBody::alone(request),
    };
    Ok(requests.iter().map(body).collect())
}

/// Body of one change request.
pub async fn body(
    snapshot: &Snapshot,
    project: &VisibleProject,
    request: ChangeRequest,
) -> Result<ChangeRequestBody, Error> {
    let bodies = bodies(snapshot, project, std::slice::from_ref(&request)).await?;
    let body = bodies.into_iter().next().ok_or_else(|| missing_request(request.id))?;
    let missing = missing_reviewers(snapshot, &request).await?;
    Ok(ChangeRequestBody { missing_reviewers: Some(missing).filter(|missing| !missing.is_empty()), ..body })
}

/// Required reviewers whose approval a change request lacks. What is approved stays so, whatever is required since.
async fn missing_reviewers(snapshot: &Snapshot, request: &ChangeRequest) -> Result<Vec<ReviewerRuleDocument>, Error> {
    if !matches!(request.state, RequestState::Draft | RequestState::InReview) {
        return Ok(Vec::new());
    }
    let targets: Vec<&Target> = request.changes.iter().map(|change| &change.target).collect();
    let digest = request.digest();
    let approvals = review::counted(&request.approvals, &digest);
    let approvers: Vec<i64> = approvals.into_iter().map(|approval| approval.created_by.id).collect();
    let (project, environment) = (ProjectId::new(&request.project), EnvironmentName::new(&request.environment));
    Ok(documents(&reviewer_rules::missing(snapshot, project, environment, &targets, &approvers).await?))
}

/// Body of a change request that was changed a moment ago.
pub async fn body_after(
    state: &State,
    project: &VisibleProject,
    request: ChangeRequest,
) -> Result<ChangeRequestBody, Error> {
    body(&state.db.snapshot().await?, project, request).await
}

async fn surroundings(
    snapshot: &Snapshot,
    project: &VisibleProject,
    environment: &str,
    requests: &[&ChangeRequest],
) -> Result<Surroundings, Error> {
    let changes = requests.iter().flat_map(|request| &request.changes);
    let current = targets::current(
        snapshot,
        environment,
        changes.clone().map(|change| (&change.target, &change.action)).collect::<Vec<_>>(),
    )
    .await?;
    let scheduled = scheduled::changes(snapshot, project.as_id(), EnvironmentName::new(environment), 0).await?;
    let mut around = Surroundings { current, scheduled, consequences: HashMap::new() };
    // Of several change requests, each would have its own.
    if let [request] = requests {
        around.consequences = consequences(snapshot, project, request, &around).await?;
    }
    Ok(around)
}

async fn consequences(
    snapshot: &Snapshot,
    project: &VisibleProject,
    request: &ChangeRequest,
    around: &Surroundings,
) -> Result<HashMap<String, consequence::Consequence>, Error> {
    let mut found = HashMap::new();
    let features = request.features();
    let switched = |actions: &[&Action]| {
        actions.iter().any(|action| {
            matches!(action, Action::UpdateEnabled(_) | Action::UpdateStrategy(_) | Action::DeleteStrategy(_))
        })
    };
    let mut ids = Vec::new();
    let mut touched = Vec::new();
    for (name, changes) in features {
        let actions: Vec<&Action> = changes.into_iter().map(|change| &change.action).collect();
        if let Some(now) = around.current.features.get(name).filter(|_| switched(&actions)) {
            ids.push(now.id);
            touched.push((name, now.id, actions));
        }
    }
    if ids.is_empty() {
        return Ok(found);
    }
    let Some(defaults) = switches::defaults(snapshot, project, &request.environment).await? else { return Ok(found) };
    let mut now = switches::switches_of(snapshot, &ids, &request.environment).await?;
    for (name, id, actions) in touched {
        let Some(switch) = now.remove(&id) else { continue };
        let position = i64::try_from(switch.strategies.len()).unwrap_or(i64::MAX);
        let feature = FeatureName::new(name);
        let first = || first_strategy(defaults.strategy.as_ref(), feature, &defaults.stickiness, position);
        if let Some(consequence) = consequence::of(actions, switch.is_enabled, switch.strategies, first) {
            found.insert(name.to_owned(), consequence);
        }
    }
    Ok(found)
}
