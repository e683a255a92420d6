//! Flags and segments of any product become the neutral set.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use flagstone_domain::{naming::is_url_friendly, time::Timestamp};

use super::{
    flag::{Flag, Parent, Rules, Ruling},
    plan::{Planned, plan},
    segments::Segments,
};
use crate::{
    Finding,
    neutral::{
        ContextField, Dependency, Environment, Feature, FeatureEnvironment, Origin, Project, ProjectEnvironment,
        Segment, Set, Tag, TagType,
    },
};

/// The type of the tag that features carry of which something is missing.
const TAG_TYPE: &str = "moved-in";
/// Its value.
const INCOMPLETE: &str = "incomplete";
/// Fields that are always there.
const OWN_FIELDS: [&str; 6] = ["appName", "currentTime", "environment", "remoteAddress", "sessionId", "userId"];

/// Content of files as a reader found it.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) flags: Vec<Flag>,
    pub(super) segments: Segments,
    /// Environments with their kinds, in their order.
    pub(super) environments: Vec<(String, String)>,
    /// Names and descriptions of projects by their ids.
    pub(super) projects: BTreeMap<String, (String, Option<String>)>,
    pub(super) findings: Vec<Finding>,
}

impl Found {
    /// Adds an environment, unless it is there.
    pub(super) fn environment(&mut self, name: &str) {
        if !self.environments.iter().any(|(known, _)| known == name) {
            let production = name.to_lowercase().contains("prod") || name.eq_ignore_ascii_case("live");
            let kind = if production { "production" } else { "development" };
            self.environments.push((name.to_owned(), kind.to_owned()));
        }
    }

    /// Adds a project, unless it is there.
    pub(super) fn project(&mut self, id: &str, name: &str, description: Option<String>) {
        self.projects.entry(id.to_owned()).or_insert_with(|| (name.to_owned(), description));
    }
}

/// A feature in the making.
struct Made {
    feature: Feature,
    parents: BTreeMap<String, Vec<Parent>>,
    wanting: Vec<String>,
}

/// Plans everything. `archived_at` is when archived flags are said to have been archived.
pub(super) fn assemble(product: &str, version: &str, mut found: Found, archived_at: Timestamp) -> (Set, Vec<Finding>) {
    let mut findings = std::mem::take(&mut found.findings);
    let segments = found.segments.settle(&mut findings);
    let mut hashed = false;
    let mut made: Vec<Made> = Vec::new();
    for flag in merged(std::mem::take(&mut found.flags), &mut findings) {
        made.push(feature(flag, &found.segments, archived_at, &mut hashed, &mut findings));
    }
    dependencies(&mut made, &mut findings);
    for one in &mut made {
        finish(one);
    }
    if hashed {
        let reason = "people are drawn by another hash here: shares stay as they are, but who is in them changes";
        findings.push(Finding::changed("rollouts", product, reason));
    }
    let features: Vec<Feature> = made.into_iter().map(|one| one.feature).collect();
    let environments = || found.environments.iter().map(|(name, _)| name.clone());
    let projects = found.projects.iter().map(|(id, (name, description))| Project {
        id: id.clone(),
        name: name.clone(),
        description: description.clone(),
        environments: environments()
            .map(|environment| ProjectEnvironment { environment, default_strategy: None })
            .collect(),
        ..Project::default()
    });
    let tags = features.iter().flat_map(|feature| feature.tags.iter().cloned()).collect::<BTreeSet<Tag>>();
    let set = Set {
        origin: Origin { product: product.to_owned(), version: version.to_owned() },
        environments: (1..)
            .zip(&found.environments)
            .map(|(sort_order, (name, kind))| Environment {
                name: name.clone(),
                kind: kind.clone(),
                enabled: true,
                sort_order,
                ..Environment::default()
            })
            .collect(),
        context_fields: context_fields(&features, &segments),
        tag_types: tag_types(&tags),
        tags: tags.into_iter().collect(),
        projects: projects.collect(),
        segments,
        features,
        ..Set::default()
    };
    (set, findings)
}

/// Flags of one key and project as one. A key is unique here, whatever the project.
fn merged(flags: Vec<Flag>, findings: &mut Vec<Finding>) -> Vec<Flag> {
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut merged: Vec<Flag> = Vec::new();
    for flag in flags {
        if !is_url_friendly(&flag.key) {
            let reason = "names of features are 1 to 100 letters, digits and - _ . ! ~ * ' ( ) here";
            findings.push(Finding::left_out("feature", &*flag.key, reason));
            continue;
        }
        let Some(&place) = places.get(&flag.key) else {
            places.insert(flag.key.clone(), merged.len());
            merged.push(flag);
            continue;
        };
        let known = &mut merged[place];
        if known.project != flag.project {
            let reason = format!("a feature of this name comes from {} already", known.project);
            findings.push(Finding::left_out("feature", format!("{} of {}", flag.key, flag.project), reason));
            continue;
        }
        known.notes.extend(flag.notes);
        known.tags.extend(flag.tags);
        known.archived &= flag.archived;
        for (environment, ruling) in flag.environments {
            match known.environments.iter_mut().find(|(name, _)| *name == environment) {
                Some((_, held)) => {
                    *held = Ruling::Unsupported("two files tell what it is there: move in one of them".to_owned());
                }
                None => known.environments.push((environment, ruling)),
            }
        }
    }
    merged
}

fn feature(
    flag: Flag,
    segments: &Segments,
    archived_at: Timestamp,
    hashed: &mut bool,
    findings: &mut Vec<Finding>,
) -> Made {
    let mut notes: BTreeSet<String> = flag.notes.into_iter().collect();
    let mut feature = Feature {
        name: flag.key,
        project: flag.project,
        kind: flag.kind.unwrap_or("release").to_owned(),
        description: flag.description.filter(|text| !text.is_empty()),
        stale: flag.stale,
        created_at: flag.created_at,
        archived_at: flag.archived.then_some(archived_at),
        tags: flag.tags,
        ..Feature::default()
    };
    feature.tags.sort();
    feature.tags.dedup();
    let (mut parents, mut wanting) = (BTreeMap::new(), Vec::new());
    for (environment, ruling) in flag.environments {
        let planned = match ruling {
            Ruling::Off => Ok(Planned::default()),
            Ruling::Unsupported(reason) => Err(reason),
            Ruling::Rules(rules) => {
                let planned = try_plan(&feature.name, &rules, segments);
                if planned.is_ok() && !rules.parents.is_empty() {
                    parents.insert(environment.clone(), rules.parents);
                }
                planned
            }
        };
        let planned = planned.unwrap_or_else(|reason| {
            wanting.push(reason.clone());
            findings.push(Finding::left_out("feature", format!("{} in {environment}", feature.name), off(&reason)));
            Planned::default()
        });
        *hashed |= planned.hashed;
        notes.extend(planned.notes.into_iter().map(|note| format!("{note} ({environment})")));
        feature.environments.push(FeatureEnvironment {
            environment,
            // Switched on without strategies it would be on for everybody.
            enabled: !planned.strategies.is_empty(),
            strategies: planned.strategies,
            ..FeatureEnvironment::default()
        });
    }
    findings.extend(notes.into_iter().map(|note| Finding::changed("feature", &*feature.name, note)));
    Made { feature, parents, wanting }
}

fn off(reason: &str) -> String {
    format!("is switched off: {reason}")
}

fn try_plan(key: &str, rules: &Rules, segments: &Segments) -> Result<Planned, String> {
    plan(key, rules, segments).or_else(|reason| match &rules.instead {
        Some(instead) => plan(key, instead, segments),
        None => Err(reason),
    })
}

/// One parent for each feature, in all environments, which has none itself: more cannot be evaluated here.
fn dependencies(made: &mut [Made], findings: &mut Vec<Finding>) {
    for one in made.iter_mut() {
        let on: Vec<&str> =
            one.feature.environments.iter().filter(|state| state.enabled).map(|state| &*state.environment).collect();
        let wanted: BTreeSet<&str> = on.iter().copied().filter(|name| one.parents.contains_key(*name)).collect();
        let Some(first) = wanted.first().map(|name| one.parents[*name].clone()) else { continue };
        let alike = wanted.len() == on.len() && wanted.iter().all(|name| one.parents[*name] == first);
        let reason = if first.len() > 1 {
            "it depends on several others, and here a feature has one parent"
        } else if alike {
            let parent = &first[0];
            one.feature.dependencies =
                vec![Dependency { parent: parent.key.clone(), enabled: true, variants: parent.variants.clone() }];
            continue;
        } else {
            "it depends on another here alone, and here a dependency counts in every environment"
        };
        let names: Vec<String> = wanted.into_iter().map(str::to_owned).collect();
        shut(one, &names, reason, findings);
    }
    let parents: HashMap<String, bool> =
        made.iter().map(|one| (one.feature.name.clone(), !one.feature.dependencies.is_empty())).collect();
    for one in made.iter_mut() {
        let Some(parent) = one.feature.dependencies.first().map(|dependency| dependency.parent.clone()) else {
            continue;
        };
        let reason = match parents.get(&parent) {
            Some(false) => continue,
            Some(true) => format!("it depends on {parent}, which depends on another: here a parent has no parent"),
            None => format!("it depends on {parent}, which is not in the files"),
        };
        one.feature.dependencies.clear();
        let all: Vec<String> = one.feature.environments.iter().map(|state| state.environment.clone()).collect();
        shut(one, &all, &reason, findings);
    }
}

/// Switches a feature off where it is on.
fn shut(made: &mut Made, names: &[String], reason: &str, findings: &mut Vec<Finding>) {
    let feature = &mut made.feature;
    for state in feature.environments.iter_mut().filter(|state| state.enabled && names.contains(&state.environment)) {
        state.enabled = false;
        state.strategies.clear();
        let name = format!("{} in {}", feature.name, state.environment);
        findings.push(Finding::left_out("feature", name, off(reason)));
    }
    made.wanting.push(reason.to_owned());
}

/// Marks an incomplete feature, so that it is not overlooked.
fn finish(made: &mut Made) {
    if made.wanting.is_empty() {
        return;
    }
    made.wanting.sort();
    made.wanting.dedup();
    let feature = &mut made.feature;
    feature.tags.push(Tag { kind: TAG_TYPE.to_owned(), value: INCOMPLETE.to_owned() });
    let told = format!("Moved in switched off: {}.", made.wanting.join("; "));
    feature.description = Some(match feature.description.take() {
        Some(text) => format!("{text}\n\n{told}"),
        None => told,
    });
}

/// Fields that constraints and rollouts name.
fn context_fields(features: &[Feature], segments: &[Segment]) -> Vec<ContextField> {
    let mut sticky: BTreeMap<&str, bool> = BTreeMap::new();
    for constraint in segments.iter().flat_map(|segment| &segment.constraints) {
        sticky.entry(&constraint.context_name).or_default();
    }
    for strategy in features.iter().flat_map(|feature| &feature.environments).flat_map(|state| &state.strategies) {
        for constraint in &strategy.constraints {
            sticky.entry(&constraint.context_name).or_default();
        }
        let of_variants = strategy.variants.iter().map(|variant| &variant.stickiness);
        for name in strategy.parameters.get("stickiness").into_iter().chain(of_variants) {
            if !["default", "random"].contains(&&**name) {
                *sticky.entry(name).or_default() = true;
            }
        }
    }
    let fields = sticky.into_iter().filter(|(name, _)| !OWN_FIELDS.contains(name));
    (10..)
        .zip(fields)
        .map(|(sort_order, (name, stickiness))| ContextField {
            name: name.to_owned(),
            stickiness,
            sort_order,
            ..ContextField::default()
        })
        .collect()
}

fn tag_types(tags: &BTreeSet<Tag>) -> Vec<TagType> {
    let names: BTreeSet<&str> = tags.iter().map(|tag| &*tag.kind).collect();
    let about = |name: &str| if name == TAG_TYPE { "What became of a feature when it moved in" } else { "" };
    let make = |name: &&str| TagType { name: (*name).to_owned(), description: about(name).to_owned(), icon: None };
    names.iter().map(make).collect()
}
