//! Findings against an import. Findings come in a fixed order, so that people and scripts find them again.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::{
    Bounds, Finding, Findings, ImportData, ImportRequest, Known, KnownFeature, bounds,
    closing::Closing,
    content, needs,
    selection::{Entry, Selection, is_archived},
};
use crate::{feature_rules::has_room, permission::Permission, strategy::FeatureStrategy, visibility::Visibility};

/// Stands for the feature of a strategy that names none.
const NAMELESS: &str = "(strategies without featureName)";

/// Judges a data set against what is stored.
///
/// `allows` says whether the caller has a permission in the target project and environment. Names of projects that the
/// caller may not see appear in no finding.
pub fn judge(
    request: &ImportRequest,
    known: &Known,
    visibility: &Visibility,
    bounds: &Bounds,
    allows: impl Fn(Permission) -> bool,
) -> Findings {
    let selection = Selection::of(&request.data, known);
    let judge = Judge { request, data: &request.data, known, bounds, selection };
    Findings {
        errors: judge.errors(visibility),
        warnings: judge.warnings(),
        permissions: Some(judge.permissions(allows)),
    }
}

struct Judge<'a> {
    request: &'a ImportRequest,
    data: &'a ImportData,
    known: &'a Known,
    bounds: &'a Bounds,
    selection: Selection<'a>,
}

impl Judge<'_> {
    fn errors(&self, visibility: &Visibility) -> Vec<Finding> {
        let named = [
            self.unknown_strategies(),
            self.missing_legal_values(),
            self.foreign_fields(),
            self.in_other_projects(visibility),
            self.duplicates(),
            self.naming_pattern(),
            self.feature_limit(),
            self.instance_limit(visibility),
            self.unknown_segments(),
            self.missing_parents(),
            self.unused_environment(),
        ];
        let content = content::errors(self.data, self.known, &self.selection);
        let bounds = bounds::errors(self.data, self.known, &self.selection, self.bounds);
        named.into_iter().flatten().chain(content).chain(bounds).collect()
    }

    /// The data set's strategies, except those of archived features.
    fn strategies(&self) -> impl Iterator<Item = &FeatureStrategy> {
        let is_left_out = |name: &String| is_archived(self.known, name);
        self.data
            .feature_strategies
            .iter()
            .filter(move |strategy| !strategy.feature_name.as_ref().is_some_and(is_left_out))
    }

    fn unknown_strategies(&self) -> Option<Finding> {
        let names = self.strategies().map(|strategy| &strategy.name);
        let unknown = names.filter(|name| !self.known.strategy_types.contains_key(*name));
        Finding::about("These strategy types do not exist here. Create them first:", unknown.cloned())
    }

    fn missing_legal_values(&self) -> Option<Finding> {
        let lacking = self.data.fields().iter().filter(|field| {
            let known = self.known.context_fields.get(&field.name);
            known.is_some_and(|known| field.legal().iter().any(|legal| !known.contains(&legal.value)))
        });
        Finding::about(
            "These context fields exist here, but without all of the imported legal values. Add those first:",
            lacking.map(|field| field.name.clone()),
        )
    }

    /// Names of context fields are unique, as those of features are.
    fn foreign_fields(&self) -> Option<Finding> {
        let names: BTreeSet<&String> = self.data.fields().iter().map(|field| &field.name).collect();
        Finding::about(
            format!("These context fields belong to other projects and cannot be used in {}:", self.known.project.id),
            names.into_iter().filter(|name| self.known.foreign_fields.contains(*name)).cloned(),
        )
    }

    fn in_other_projects(&self, visibility: &Visibility) -> Option<Finding> {
        let names: BTreeSet<&str> = self.data.features.iter().map(|feature| &*feature.name).collect();
        let elsewhere = names.into_iter().filter_map(|name| {
            let project = &self.known.features.get(name)?.document.project;
            match project {
                project if *project == self.known.project.id => None,
                project if visibility.admits(project) => Some(format!("{name} (in project {project})")),
                _ => Some(format!("{name} (in another project)")),
            }
        });
        Finding::about(
            format!("These features belong to other projects and cannot be imported into {}:", self.known.project.id),
            elsewhere,
        )
    }

    fn duplicates(&self) -> Option<Finding> {
        let mut counts = BTreeMap::new();
        for feature in &self.data.features {
            *counts.entry(&feature.name).or_insert(0_usize) += 1;
        }
        let repeated = counts.into_iter().filter(|(_, count)| *count > 1).map(|(name, _)| name.clone());
        Finding::about("The data set lists these features more than once:", repeated)
    }

    fn naming_pattern(&self) -> Option<Finding> {
        let naming = &self.known.project.rules.naming;
        let words = naming.in_words()?;
        let names = self.selection.entries.iter().map(|entry| &*entry.feature.name);
        let message = format!("Names of features in this project must match the pattern {words} These do not:");
        Finding::about(message, naming.unfit(names).into_iter().map(str::to_owned))
    }

    fn feature_limit(&self) -> Option<Finding> {
        let rules = &self.known.project.rules;
        let (limit, current) = (rules.feature_limit?, rules.active_features);
        let new = self.selection.entries.iter().filter(|entry| entry.stored.is_none()).count();
        let new = i64::try_from(new).unwrap_or(i64::MAX);
        (new > 0 && !has_room(Some(limit), current, new)).then(|| Finding {
            message: format!(
                "The import would add {new} features to the {current} that the project has; it may hold at most {limit}."
            ),
            affected_items: Vec::new(),
        })
    }

    /// Returns the finding about the limit of features in the instance; their number is shown only to users who may see
    /// them all.
    fn instance_limit(&self, visibility: &Visibility) -> Option<Finding> {
        let limit = self.bounds.features;
        let current = self.known.project.in_instance;
        let new = self.selection.entries.iter().filter(|entry| entry.stored.is_none()).count();
        let new = u64::try_from(new).unwrap_or(u64::MAX);
        let present = if visibility.hidden_projects.is_empty() { format!("the {current}") } else { "those".to_owned() };
        (new > 0 && new.saturating_add(current) > limit).then(|| Finding {
            message: format!(
                "The import would add {new} features to {present} that the instance has; it may hold at most {limit}."
            ),
            affected_items: Vec::new(),
        })
    }

    fn unknown_segments(&self) -> Option<Finding> {
        let mut unknown: Vec<&String> = self.data.named_segments().iter().map(|segment| &segment.name).collect();
        unknown.retain(|name| self.known.usable_segment(name).is_none());
        Finding::about(
            "These segments do not exist here, or belong to another project. Create them first:",
            unknown.into_iter().cloned(),
        )
    }

    fn missing_parents(&self) -> Option<Finding> {
        let listed: HashSet<&String> = self.data.features.iter().map(|feature| &feature.name).collect();
        let links = self.data.links().iter().filter(|link| !is_archived(self.known, &link.feature));
        let parents = links.flat_map(|link| &link.dependencies).map(|parent| &parent.feature);
        let missing: BTreeSet<&String> =
            parents.filter(|name| !listed.contains(name) && !self.known.features.contains_key(*name)).collect();
        Finding::about(
            "Others depend on these features, which do not exist here. Create them first:",
            missing.into_iter().cloned(),
        )
    }

    fn unused_environment(&self) -> Option<Finding> {
        let is_configured = |entry: &Entry<'_>| entry.configuration.is_some() || !entry.strategies.is_empty();
        let is_needed = self.selection.entries.iter().any(is_configured);
        (is_needed && !self.known.uses_environment).then(|| Finding {
            message: "The project does not use this environment. Add it to the project first:".to_owned(),
            affected_items: vec![self.request.environment.clone()],
        })
    }

    fn warnings(&self) -> Vec<Finding> {
        let custom: BTreeSet<&String> = self
            .strategies()
            .map(|strategy| &strategy.name)
            .filter(|name| self.known.strategy_types.get(*name) == Some(&true))
            .collect();
        let held = content::held_constraints(self.data, self.known, &self.selection);
        let of_target =
            |feature: &KnownFeature| feature.document.project == self.known.project.id && !feature.is_archived();
        let unknown_types: BTreeSet<&String> = self
            .selection
            .entries
            .iter()
            .filter_map(|entry| entry.feature.kind.as_ref())
            .filter(|kind| !self.known.feature_types.contains(*kind))
            .collect();
        let closing = Closing::of(self.data, self.known, &self.selection);
        let entries = || self.selection.entries.iter();
        let disabled: BTreeSet<String> = entries()
            .flat_map(|entry| entry.strategies.iter().map(move |strategy| (entry, strategy)))
            .filter_map(|(entry, strategy)| Some((&entry.feature.name, closing.placeholder(strategy)?)))
            .map(|(feature, segment)| format!("{feature}: {segment}"))
            .collect();
        let (mut unevaluated, mut ambiguous) = (BTreeSet::new(), BTreeSet::new());
        for entry in entries() {
            let told = |fault| format!("{}: {fault}", entry.feature.name);
            for strategy in &entry.strategies {
                let fault = content::strategy_fault(strategy);
                ambiguous.extend(content::ambiguities(strategy, fault.is_none()).map(told));
                unevaluated.extend(fault.map(told));
            }
        }
        let archived = entries().filter(|entry| entry.is_archived()).map(|entry| entry.feature.name.clone());
        let off = entries().filter(|entry| !entry.is_archived() && closing.switches_off(entry));
        let off = off.map(|entry| entry.feature.name.clone());
        [
            Finding::about(
                "The import uses these custom strategy types. Make sure that their parameters mean the same here:",
                custom.into_iter().cloned(),
            ),
            Finding::about(
                "These features are archived here and will be left out. Revive them first to import them:",
                self.listed(KnownFeature::is_archived),
            ),
            Finding::about("These features exist in the project and will be overwritten:", self.listed(of_target)),
            Finding::about(
                "These feature types are not known here. Their features will never be reported as potentially stale:",
                unknown_types.into_iter().cloned(),
            ),
            Finding::about(
                "The data set configures, tags or connects these features without listing them; that part is left out:",
                self.selection.unlisted.iter().map(|name| if name.is_empty() { NAMELESS } else { name }.to_owned()),
            ),
            Finding::about(
                "These strategies apply segments that an import made without constraints. They are written disabled; give \
                 the segments their constraints, then enable them:",
                disabled,
            ),
            Finding::about("These strategies cannot be evaluated and will hold for nobody:", unevaluated),
            Finding::about("SDKs read these strategies differently:", ambiguous),
            Finding::about(
                "These features are archived in the data set. They come into use here, and are off in the environment:",
                archived,
            ),
            Finding::about(
                "These features would be on for more than before. They are switched off in the environment:",
                off,
            ),
            held,
        ]
        .into_iter()
        .flatten()
        .collect()
    }

    /// Names of the data set's features that are stored and pass `matches`, each once.
    fn listed(&self, matches: impl Fn(&KnownFeature) -> bool) -> Vec<String> {
        let mut seen = HashSet::new();
        let names = self.data.features.iter().map(|feature| &feature.name);
        let stored = names.filter(|name| self.known.features.get(*name).is_some_and(&matches));
        stored.filter(|name| seen.insert(*name)).cloned().collect()
    }

    fn permissions(&self, allows: impl Fn(Permission) -> bool) -> Vec<Finding> {
        let needed = needs::of(self.data, self.known, &self.selection);
        let lacking = needed.into_iter().filter(|permission| !allows(*permission));
        let lacking = lacking.map(|permission| permission.title().to_owned());
        Finding::about("You lack these permissions, which the import needs:", lacking).into_iter().collect()
    }
}
