//! Changes of change requests: whether they are such as exist here, and whether they could be requested here.

use std::collections::{HashMap, HashSet};

use flagstone_domain::{
    change_request::{
        MOST_CHANGES, Target,
        action::Action,
        judge::{self, ActionRefusal, Circumstances},
        state::State,
    },
    constraint::{Constraint, LegalValues},
    dependency::ParentCandidate,
    ids::EnvironmentName,
    strategy::{StrategyBounds, StrategyDefinition, Surroundings},
};

use super::{KIND, payload};
use crate::{
    Finding,
    neutral::{ChangeRequest, Feature, RequestedChange, STRATEGY_TYPES, Set},
};

/// Kind of the findings about one change.
const CHANGE: &str = "requested change";
/// Context fields that every database has.
const CONTEXT_FIELDS: [&str; 5] = ["environment", "userId", "appName", "currentTime", "sessionId"];
/// Nothing that comes over is held to bounds, which are settings of the server.
const BOUNDLESS: StrategyBounds =
    StrategyBounds { strategies: u64::MAX, constraints: u64::MAX, constraint_values: u64::MAX, segments: u64::MAX };

/// Names and ids by which changes are judged.
pub(super) struct Changes<'a> {
    set: &'a Set,
    features: HashMap<&'a str, &'a Feature>,
    /// Features on which others depend.
    parents: HashSet<&'a str>,
    segments: HashMap<i64, Option<String>>,
    strategy_types: HashSet<&'a str>,
}

impl<'a> Changes<'a> {
    pub(super) fn of(set: &'a Set) -> Self {
        let depended_on = set.features.iter().flat_map(|feature| &feature.dependencies);
        Self {
            set,
            features: set.features.iter().map(|feature| (&*feature.name, feature)).collect(),
            parents: depended_on.map(|dependency| &*dependency.parent).collect(),
            segments: set.segments.iter().map(|segment| (segment.id, segment.project.clone())).collect(),
            strategy_types: set.strategy_types.iter().map(|kind| &*kind.name).chain(STRATEGY_TYPES).collect(),
        }
    }

    /// Keeps the changes that exist here, in the form that they have here. Returns whether that is all of them.
    pub(super) fn judge(
        &self,
        request: &mut ChangeRequest,
        state: State,
        findings: &mut Vec<Finding>,
        users: &HashSet<i64>,
    ) -> bool {
        let held = request.changes.len();
        // Closed ones are not judged.
        let mut surroundings = state.is_open().then(|| self.surroundings(&request.project));
        let mut kept = Vec::with_capacity(held);
        for mut change in std::mem::take(&mut request.changes) {
            let name = format!("{} of change request {} ({})", change.id, request.id, change.action);
            let read = read(&mut change);
            let (target, action) = match read {
                Ok(_) if kept.len() == MOST_CHANGES => {
                    let reason = format!("a change request has at most {MOST_CHANGES} changes");
                    findings.push(Finding::left_out(CHANGE, name, reason));
                    continue;
                }
                Ok(read) => read,
                Err(reason) => {
                    findings.push(Finding::left_out(CHANGE, name, reason));
                    continue;
                }
            };
            if !users.contains(&change.created_by) {
                let reason = format!("counts as the author's: the user {} does not exist", change.created_by);
                findings.push(Finding::changed(CHANGE, &*name, reason));
                change.created_by = request.created_by;
            }
            if let Some(surroundings) = &mut surroundings
                && let Err(refusal) = self.admits(request, &target, &action, surroundings)
            {
                let reason = format!("comes over, and could not be requested here: {}", described(&refusal));
                findings.push(Finding::changed(CHANGE, name, reason));
            }
            change.payload = action.payload();
            kept.push(change);
        }
        request.changes = kept;
        let lost = held - request.changes.len();
        if lost > 0 {
            let reason = format!("{lost} of its {held} changes are left out");
            findings.push(Finding::changed(KIND, request.id.to_string(), reason));
        }
        lost == 0
    }

    /// Returns what changes of a project are judged by; whether the type of a strategy exists is found for each.
    fn surroundings(&self, project: &str) -> Surroundings {
        Surroundings { has_type: true, legal_values: self.legal_values(project), segments: self.segments.clone() }
    }

    /// Whether a change could be requested here, by the judge of those that are.
    fn admits(
        &self,
        request: &ChangeRequest,
        target: &Target,
        action: &Action,
        surroundings: &mut Surroundings,
    ) -> Result<(), ActionRefusal> {
        let feature = target.feature().and_then(|name| self.features.get(name));
        let before = match action {
            Action::UpdateStrategy(update) => {
                strategy_of(feature, EnvironmentName::new(&request.environment), &update.id.to_string())
            }
            _ => None,
        };
        let parent = match action {
            Action::AddDependency(dependency) => self.parent(&dependency.feature),
            _ => None,
        };
        let strategy_type = action.proposed_strategy().map(|strategy| &*strategy.name);
        surroundings.has_type = strategy_type.is_none_or(|name| self.strategy_types.contains(name));
        let around = Circumstances {
            project: &request.project,
            bounds: &BOUNDLESS,
            segment_values: u64::MAX,
            surroundings,
            strategy: before.as_ref(),
            strategies: 0,
            parent: parent.as_ref(),
            has_children: target.feature().is_some_and(|name| self.parents.contains(name)),
        };
        judge::judge(target, action, &around)
    }

    fn parent(&self, name: &str) -> Option<ParentCandidate> {
        let feature = self.features.get(name)?;
        Some(ParentCandidate {
            id: 0,
            project: feature.project.clone(),
            is_archived: feature.archived_at.is_some(),
            is_child: !feature.dependencies.is_empty(),
        })
    }

    /// Context fields that a project may use, each with the values that are legal for it.
    fn legal_values(&self, project: &str) -> LegalValues {
        let always = CONTEXT_FIELDS.map(|name| (name.to_owned(), HashSet::new()));
        let usable = |only: &Option<String>| only.as_deref().is_none_or(|only| only == project);
        let fields = self.set.context_fields.iter().filter(|field| usable(&field.project));
        let values = fields.map(|field| {
            let values = field.legal_values.iter().filter_map(|legal| legal["value"].as_str());
            (field.name.clone(), values.map(str::to_owned).collect())
        });
        always.into_iter().chain(values).collect()
    }
}

/// Puts a change into the form that it has here, and reads it. The error is the reason why it does not exist here.
fn read(change: &mut RequestedChange) -> Result<(Target, Action), String> {
    if !Action::NAMES.contains(&&*change.action) {
        return Err("there is no such action here".to_owned());
    }
    if let Some(payload) = &mut change.payload {
        change.snapshot = payload::settle(&change.action, payload);
    }
    let (target, action) = change.read().map_err(|refusal| described(&refusal))?;
    if constraints(&action).iter().any(Constraint::is_unknown) {
        return Err("it has a constraint with an operator that does not exist here".to_owned());
    }
    Ok((target, action))
}

fn constraints(action: &Action) -> &[Constraint] {
    match action {
        Action::UpdateSegment(update) => &update.constraints,
        _ => action.proposed_strategy().and_then(|strategy| strategy.constraints.as_deref()).unwrap_or_default(),
    }
}

fn described(refusal: &ActionRefusal) -> String {
    match refusal {
        ActionRefusal::Invalid { pointer, reason } => format!("{pointer} {reason}"),
        ActionRefusal::TooMany(message) => message.clone(),
    }
}

/// Strategy of a feature in an environment.
fn strategy_of(feature: Option<&&Feature>, environment: EnvironmentName<'_>, id: &str) -> Option<StrategyDefinition> {
    let state = feature?.environments.iter().find(|state| state.environment == environment.as_str())?;
    let strategy = state.strategies.iter().find(|strategy| strategy.id == id)?;
    Some(strategy.definition())
}
