//! Stored state of the things that a data set names, as far as the rules ask for it.

use std::collections::{HashMap, HashSet};

use super::Link;
use crate::{
    constraint::Constraint, feature_document::FeatureDocument, feature_link::FeatureLink, feature_rules::FeatureRules,
    strategy::FeatureStrategy, tag::Tag, variant::FeatureVariant,
};

/// State of the instance, as far as a data set names it.
#[derive(Debug, Clone, Default)]
pub struct Known {
    /// The project that receives the features.
    pub project: TargetProject,
    /// Whether that project uses the environment that receives strategies.
    pub uses_environment: bool,
    /// Features of the data set and their parents, by name.
    pub features: HashMap<String, KnownFeature>,
    /// Strategy types, by name, and whether each is custom.
    pub strategy_types: HashMap<String, bool>,
    /// Legal values of the context fields that the project may use, by name of the field.
    pub context_fields: HashMap<String, HashSet<String>>,
    /// Names of context fields of other projects.
    pub foreign_fields: HashSet<String>,
    /// Constraints that strategies of the project have, on [fields that are in question](super::fields_in_question).
    pub held_constraints: HashSet<Constraint>,
    /// Whether all constraints of the data set are known to be without fault, so that no field is in question.
    pub admits_constraints: bool,
    /// Segments of the data set, by name.
    pub segments: HashMap<String, KnownSegment>,
    /// Names of tag types.
    pub tag_types: HashSet<String>,
    /// Tags of the data set that exist.
    pub tags: HashSet<Tag>,
    /// Ids of feature types.
    pub feature_types: HashSet<String>,
}

/// A stored segment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownSegment {
    /// Id of the segment.
    pub id: i64,
    /// The only project that may use it; `None` for all.
    pub project: Option<String>,
    /// Whether an import made it without its constraints, and it has been given none since.
    pub is_placeholder: bool,
}

impl Known {
    /// Whether a strategy of the project has a constraint like this.
    pub fn holds(&self, constraint: &Constraint) -> bool {
        !self.held_constraints.is_empty() && self.held_constraints.contains(&constraint.clone().stored())
    }

    /// Id of the segment of this name, if the target project may use it.
    pub fn usable_segment(&self, name: &str) -> Option<i64> {
        let segment = self.segments.get(name)?;
        segment.project.as_ref().is_none_or(|project| *project == self.project.id).then_some(segment.id)
    }
}

/// The project that receives the features.
#[derive(Debug, Clone, Default)]
pub struct TargetProject {
    /// Id of the project.
    pub id: String,
    /// Its rules for features.
    pub rules: FeatureRules,
    /// Number of features in the whole instance.
    pub in_instance: u64,
    /// Stickiness of rollouts that name none.
    pub default_stickiness: String,
}

/// A stored feature.
#[derive(Debug, Clone, PartialEq)]
pub struct KnownFeature {
    /// Internal id.
    pub id: i64,
    /// Its properties.
    pub document: FeatureDocument,
    /// Whether others depend on it.
    pub is_parent: bool,
    /// Whether it depends on another.
    pub is_child: bool,
    /// Parents that it depends on.
    pub parents: Vec<Link>,
    /// Its tags, by type, then value.
    pub tags: Vec<Tag>,
    /// Its links.
    pub links: Vec<FeatureLink>,
    /// Its configuration in the target environment.
    pub configuration: KnownConfiguration,
}

/// A stored feature's configuration in the target environment.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct KnownConfiguration {
    /// Whether it is switched on.
    pub enabled: bool,
    /// Whether it has any strategy.
    pub has_strategies: bool,
    /// Whether it has any strategy that is not disabled.
    pub has_enabled_strategies: bool,
    /// Its variants.
    pub variants: Vec<FeatureVariant>,
    /// Its strategies, in their order; read only when it is imported.
    pub strategies: Vec<FeatureStrategy>,
}

impl KnownFeature {
    /// Whether the feature is archived.
    pub const fn is_archived(&self) -> bool {
        self.document.is_archived()
    }
}
