//! Projects, environments, features and what they choose from.

use std::collections::{BTreeSet, HashMap, HashSet};

use flagstone_domain::{
    change_request::configuration::{APPROVALS, MOST_APPROVALS},
    constraint::{Constraint, Operator},
    feature_link::{GivenLink, LONGEST_TITLE, LinkTemplate, MOST_LINKS, with_given},
    lifecycle,
    project::ProjectMode,
    strategy::parameters,
    strategy_id,
    text::is_longer,
};

use crate::{
    Finding,
    names::Names,
    neutral::{ContextField, Feature, FeatureEnvironment, Link, Project, Set, TagType},
};

/// The project that is always there, for what has none.
const DEFAULT_PROJECT: &str = "default";
/// Field that the SDKs of the field do not evaluate alike: dates are compared with the time of the context, whatever
/// the field.
const TIME_FIELD: &str = "currentTime";
/// Reason for links that are left out.
const UNFIT_LINKS: &str = "those that are no addresses of pages, that come twice, and those beyond ten";

pub(super) fn judge(set: &mut Set, findings: &mut Vec<Finding>) {
    let environments: HashSet<String> = set.environments.iter().map(|environment| environment.name.clone()).collect();
    for environment in &mut set.environments {
        let within = |required: i64| required.clamp(*APPROVALS.start(), *APPROVALS.end());
        environment.required_approvals = environment.required_approvals.map(within);
    }
    let projects = projects(&mut set.projects, &environments, findings);
    segments(set, &projects, findings);
    context_fields(&mut set.context_fields, &projects, findings);
    tags(set);
    let segments: HashSet<i64> = set.segments.iter().map(|segment| segment.id).collect();
    let people: HashSet<i64> = set.users.iter().map(|user| user.id).collect();
    let names: HashSet<String> = set.features.iter().map(|feature| feature.name.clone()).collect();
    for feature in &mut set.features {
        feature.created_by_user_id = feature.created_by_user_id.filter(|id| *id < 0 || people.contains(id));
        if !projects.contains_key(&feature.project) {
            let reason = format!("is in the project default: its own, \"{}\", does not exist", feature.project);
            findings.push(Finding::changed("feature", &*feature.name, reason));
            DEFAULT_PROJECT.clone_into(&mut feature.project);
        }
        feature.environments.retain(|state| environments.contains(&state.environment));
        belongings(feature, &names, findings);
        links(feature, findings);
        for environment in &mut feature.environments {
            strategies(&feature.name, environment, &segments, findings);
        }
    }
    let known: HashSet<String> = set.applications.iter().map(|application| application.app_name.clone()).collect();
    set.instances.retain(|instance| known.contains(&instance.app_name));
}

/// The environments of each project.
fn projects(
    projects: &mut [Project],
    environments: &HashSet<String>,
    findings: &mut Vec<Finding>,
) -> HashMap<String, BTreeSet<String>> {
    for project in projects.iter_mut() {
        ProjectMode::parse(&project.mode).as_str().clone_into(&mut project.mode);
        if project.default_stickiness.is_empty() {
            "default".clone_into(&mut project.default_stickiness);
        }
        project.environments.retain(|used| environments.contains(&used.environment));
        approvals(project, environments);
        link_templates(project, findings);
    }
    let used = |project: &Project| project.environments.iter().map(|used| used.environment.clone()).collect();
    projects.iter().map(|project| (project.id.clone(), used(project))).collect()
}

/// Drops the approvals that are needed in environments which do not come over, and keeps to the numbers that can be
/// asked for.
fn approvals(project: &mut Project, environments: &HashSet<String>) {
    let mut seen = HashSet::new();
    project.approvals.retain(|one| environments.contains(&one.environment) && seen.insert(one.environment.clone()));
    for one in &mut project.approvals {
        one.required = one.required.clamp(0, MOST_APPROVALS);
    }
}

fn link_templates(project: &mut Project, findings: &mut Vec<Finding>) {
    let held = project.link_templates.len();
    project.link_templates.retain(|template| {
        let title = template.title.clone().filter(|title| !title.is_empty());
        let fits = title.as_ref().is_none_or(|title| !is_longer(title, LONGEST_TITLE));
        fits && LinkTemplate { title: title.into(), url_template: template.url_template.clone() }.judge().is_ok()
    });
    project.link_templates.truncate(MOST_LINKS);
    let lost = held - project.link_templates.len();
    if lost > 0 {
        let reason = format!("new features get {lost} links less: {UNFIT_LINKS}");
        findings.push(Finding::changed("project", &*project.id, reason));
    }
}

fn links(feature: &mut Feature, findings: &mut Vec<Finding>) {
    let given =
        feature.links.iter().map(|link| GivenLink { id: Some(&link.id), url: &link.url, title: link.title.as_deref() });
    let kept = with_given(Vec::new(), given, String::new);
    let lost = feature.links.len() - kept.len();
    if lost > 0 {
        let reason = format!("{lost} of its links are left out: {UNFIT_LINKS}");
        findings.push(Finding::changed("feature", &*feature.name, reason));
    }
    let kept = kept.into_iter().map(|link| Link { id: link.id, url: link.url, title: link.title.0 });
    feature.links = kept.collect();
}

fn segments(set: &mut Set, projects: &HashMap<String, BTreeSet<String>>, findings: &mut Vec<Finding>) {
    let mut names = Names::default();
    for segment in &mut set.segments {
        names.take("segment", &mut segment.name, findings);
        segment.project = segment.project.take().filter(|project| projects.contains_key(project));
        constraints(&format!("segment {}", segment.name), &segment.constraints, findings);
    }
}

/// Without its project, a field belongs to all, so that strategies that name it can be changed.
fn context_fields(
    fields: &mut [ContextField],
    projects: &HashMap<String, BTreeSet<String>>,
    findings: &mut Vec<Finding>,
) {
    for field in fields {
        if let Some(project) = field.project.take_if(|project| !projects.contains_key(project)) {
            let reason = format!("belongs to all projects: its own, \"{project}\", does not exist");
            findings.push(Finding::changed("context field", &*field.name, reason));
        }
    }
}

/// Tags that features carry exist, and so do their types.
fn tags(set: &mut Set) {
    let carried = set.features.iter().flat_map(|feature| feature.tags.iter().cloned());
    let all: BTreeSet<_> = set.tags.drain(..).chain(carried).collect();
    let mut types: HashSet<String> = set.tag_types.iter().map(|kind| kind.name.clone()).collect();
    for tag in &all {
        if types.insert(tag.kind.clone()) {
            set.tag_types.push(TagType { name: tag.kind.clone(), ..TagType::default() });
        }
    }
    set.tags = all.into_iter().collect();
}

fn belongings(feature: &mut Feature, names: &HashSet<String>, findings: &mut Vec<Finding>) {
    feature.tags.sort();
    feature.tags.dedup();
    let mut seen = HashSet::new();
    let own = feature.name.clone();
    let missing =
        feature.dependencies.iter().find(|dependency| !names.contains(&dependency.parent) || dependency.parent == own);
    if let Some(missing) = missing {
        // A feature is off as long as what it depends on is not there.
        let reason = format!("is switched off: it depends on {}, which does not come over", missing.parent);
        findings.push(Finding::changed("feature", &*own, reason));
        feature.environments.iter_mut().for_each(|state| state.enabled = false);
    }
    feature.dependencies.retain(|dependency| {
        names.contains(&dependency.parent) && dependency.parent != own && seen.insert(dependency.parent.clone())
    });
    let mut seen = HashSet::new();
    feature
        .lifecycle
        .retain(|stage| lifecycle::Stage::parse(&stage.stage).is_some() && seen.insert(stage.stage.clone()));
}

fn strategies(feature: &str, state: &mut FeatureEnvironment, segments: &HashSet<i64>, findings: &mut Vec<Finding>) {
    let place = || format!("{feature} in {}", state.environment);
    let mut closed = false;
    for strategy in &mut state.strategies {
        let id = strategy_id::parse(&strategy.id);
        if id.is_none() && !strategy.id.is_empty() {
            let reason = format!("the strategy {} has a new id: ids are UUIDs here", strategy.id);
            findings.push(Finding::changed("feature", place(), reason));
        }
        strategy.id = id.map(|id| id.to_string()).unwrap_or_default();
        let mut seen = HashSet::new();
        let held = strategy.segments.len();
        strategy.segments.retain(|id| segments.contains(id) && seen.insert(*id));
        if strategy.segments.len() < held && !strategy.disabled {
            // Without one of its conditions it would be on for more people than before.
            strategy.disabled = true;
            closed = true;
            let reason = "a strategy is disabled: a segment that it applies does not exist";
            findings.push(Finding::changed("feature", place(), reason));
        }
        constraints(&place(), &strategy.constraints, findings);
        let parameter = |name: &str| strategy.parameters.get(name).map(String::as_str);
        if let Err(fault) = parameters::evaluable(&strategy.name, parameter) {
            let reason =
                format!("has a strategy that holds for nobody: the parameter {} {}", fault.parameter, fault.reason);
            findings.push(Finding::changed("feature", place(), reason));
        }
    }
    if closed && state.enabled && state.strategies.iter().all(|strategy| strategy.disabled) {
        // Without any strategy it would be on for everybody.
        let reason = "is switched off: none of its strategies is left";
        findings.push(Finding::changed("feature", place(), reason));
        state.enabled = false;
    }
    state.strategies.sort_by_key(|strategy| (strategy.sort_order, strategy.created_at));
    let distinct: HashSet<i64> = state.strategies.iter().map(|strategy| strategy.sort_order).collect();
    if distinct.len() < state.strategies.len() {
        for (position, strategy) in (0..).zip(&mut state.strategies) {
            strategy.sort_order = position;
        }
    }
}

/// Reports constraints that come over as they are and are evaluated otherwise.
fn constraints(place: &str, constraints: &[Constraint], findings: &mut Vec<Finding>) {
    for constraint in constraints {
        if let Err(fault) = constraint.evaluable() {
            let reason = format!("has a constraint that holds for nobody: that on {} {fault}", constraint.context_name);
            findings.push(Finding::changed("feature", place, reason));
            continue;
        }
        let reason = match constraint.operator {
            Operator::DateAfter | Operator::DateBefore if constraint.context_name != TIME_FIELD => {
                "compares a date with a context field of its own: here the field counts, and where it is absent the \
                 constraint does not hold; server-side SDKs do so too, but the frontend API that it comes from took the \
                 time instead"
            }
            _ => continue,
        };
        findings.push(Finding::changed("feature", place, reason));
    }
}
