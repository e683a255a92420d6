//! Moving features between instances: the data set, what keeps it from being imported, and what an import does.
//!
//! Validation and import share one rule set, [`judge`]: a data set without errors can be imported.

mod bounds;
mod closing;
mod content;
mod events;
mod judge;
mod known;
mod missing;
mod needs;
mod plan;
mod selection;

use std::collections::BTreeSet;

use flagstone_wire::{Nullable, Number};
use poem_openapi::Object;
use serde::Serialize;

pub use self::{
    bounds::Bounds,
    content::fields_in_question,
    judge::judge,
    known::{Known, KnownConfiguration, KnownFeature, KnownSegment, TargetProject},
    missing::{Existing, Missing, NewStrategyType, PLACEHOLDER, missing},
    plan::{Link, Plan, PlannedFeature, Wanted, plan},
};
pub use crate::context_field::{ContextField, LegalValue};
use crate::{
    feature::{Dependency, Feature, FeatureEnvironment},
    feature_link::{FeatureLink, GivenLink},
    strategy::FeatureStrategy,
    tag::{Tag, TagType},
};

/// The type of a tag that names none.
const DEFAULT_TAG_TYPE: &str = "simple";

/// A data set, and the project and environment to import it into.
#[derive(Debug, Clone, PartialEq, Object, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ImportRequest {
    /// Id of the target project, regardless of the project that the features name.
    #[oai(validator(max_length = 255))]
    pub project: String,
    /// Name of the target environment of strategies, variants and states.
    #[oai(validator(max_length = 255))]
    pub environment: String,
    /// Result of an export.
    pub data: ImportData,
}

/// The result of an export: features, and everything that they need.
#[serde_with_macros::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Default, Object, Serialize)]
#[oai(rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct ImportData {
    /// The exported features, by name.
    pub features: Vec<Feature>,
    /// All strategies of the exported features in the exported environment, in their order.
    pub feature_strategies: Vec<FeatureStrategy>,
    /// State and variants of the exported features in the exported environment.
    pub feature_environments: Option<Vec<FeatureEnvironment>>,
    /// Context fields that strategies and variants use.
    pub context_fields: Option<Vec<ContextField>>,
    /// Tags of the features.
    pub feature_tags: Option<Vec<FeatureTag>>,
    /// Segments that strategies use. Imported strategies get the segment of the same name.
    pub segments: Option<Vec<SegmentReference>>,
    /// Types of the tags.
    pub tag_types: Vec<TagType>,
    /// The features that the exported ones depend on.
    pub dependencies: Option<Vec<ImportDependency>>,
    /// Links of the features. An import adds those whose addresses a feature does not have yet.
    pub links: Option<Vec<ImportLinks>>,
}

impl ImportData {
    /// Names of its properties, as files have them.
    pub const PARTS: [&str; 9] = [
        "features",
        "featureStrategies",
        "featureEnvironments",
        "contextFields",
        "featureTags",
        "segments",
        "tagTypes",
        "dependencies",
        "links",
    ];

    fn environments(&self) -> &[FeatureEnvironment] {
        self.feature_environments.as_deref().unwrap_or_default()
    }

    /// The context fields, none when the property is absent.
    pub fn fields(&self) -> &[ContextField] {
        self.context_fields.as_deref().unwrap_or_default()
    }

    /// The tags, none when the property is absent.
    pub fn tags(&self) -> &[FeatureTag] {
        self.feature_tags.as_deref().unwrap_or_default()
    }

    /// The segments, none when the property is absent.
    pub fn named_segments(&self) -> &[SegmentReference] {
        self.segments.as_deref().unwrap_or_default()
    }

    /// The dependencies, none when the property is absent.
    pub fn links(&self) -> &[ImportDependency] {
        self.dependencies.as_deref().unwrap_or_default()
    }

    /// The links of features, none when the property is absent.
    pub fn feature_links(&self) -> &[ImportLinks] {
        self.links.as_deref().unwrap_or_default()
    }

    /// Names of the features alone, as the event of an export records it.
    pub fn names(&self) -> ExportedNames<'_> {
        ExportedNames { features: self.features.iter().map(|feature| &*feature.name).collect() }
    }

    /// The features of the data set and the parents that they depend on: all names that matter here.
    pub fn feature_names(&self) -> impl Iterator<Item = &str> {
        let parents = self.links().iter().flat_map(|link| &link.dependencies).map(|parent| &*parent.feature);
        let children = self.links().iter().map(|link| &*link.feature);
        self.features.iter().map(|feature| &*feature.name).chain(children).chain(parents)
    }
}

/// Data of the event of an export.
#[derive(Debug, Default, Serialize)]
pub struct ExportedNames<'a> {
    features: Vec<&'a str>,
}

/// Names of the context fields that strategies and variants of a data set use: for stickiness, in constraints, or in
/// overrides. Constraints inside segments do not count, since segments travel by name only.
pub fn used_fields(data: &ImportData) -> BTreeSet<String> {
    let mut used = BTreeSet::new();
    for strategy in &data.feature_strategies {
        used.extend(strategy.parameters.iter().filter_map(|parameters| parameters.get("stickiness")).cloned());
        used.extend(strategy.constraints.iter().flatten().map(|constraint| constraint.context_name.clone()));
        used.extend(strategy.variants.iter().flatten().map(|variant| variant.stickiness.clone()));
    }
    for variant in data.environments().iter().filter_map(|environment| environment.variants.as_ref()).flatten() {
        used.extend(variant.stickiness.clone());
        used.extend(variant.overrides.iter().flatten().map(|given| given.context_name.clone()));
    }
    used
}

/// A tag on a feature.
#[serde_with_macros::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Object, Serialize)]
#[oai(rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct FeatureTag {
    /// Name of the feature, at most 100 characters.
    pub feature_name: String,
    /// Name of the tag type, at most 50 characters. Absent means that of `type`, else `simple`.
    pub tag_type: Option<String>,
    /// The label's text, 2 to 50 characters.
    pub tag_value: String,
    /// Former name of `tagType`. Deprecated since 0.1.0: use `tagType`.
    #[serde(rename = "type")]
    #[oai(rename = "type", deprecated)]
    pub kind: Option<String>,
    /// Former name of `tagValue`, which takes precedence. Deprecated since 0.1.0: use `tagValue`.
    #[oai(deprecated)]
    pub value: Option<String>,
    /// Id of the user who tagged the feature in the exporting instance. An import records its caller instead.
    pub created_by_user_id: Option<Nullable<Number>>,
}

impl FeatureTag {
    /// The tag itself.
    pub fn tag(&self) -> Tag {
        let kind = self.tag_type.as_ref().or(self.kind.as_ref());
        Tag { kind: kind.map_or(DEFAULT_TAG_TYPE, |kind| kind).to_owned(), value: self.tag_value.clone() }
    }
}

/// A segment, by the id that the strategies of the data set use for it.
#[derive(Debug, Clone, PartialEq, Object, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SegmentReference {
    /// Id within the data set.
    pub id: Number,
    /// Name of the segment, at most 255 characters.
    pub name: String,
}

/// The features that one feature depends on.
#[derive(Debug, Clone, PartialEq, Object, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ImportDependency {
    /// Name of the feature that depends on others, at most 100 characters.
    pub feature: String,
    /// Its parents. A feature may have at most 100 in all.
    pub dependencies: Vec<Dependency>,
}

/// The links of one feature.
#[derive(Debug, Clone, PartialEq, Eq, Object, Serialize)]
#[oai(rename = "FeatureLinks")]
pub struct ImportLinks {
    /// Name of the feature, at most 100 characters.
    pub feature: String,
    /// Its links. A feature may have at most 10 in all.
    pub links: Vec<ImportLink>,
}

/// A link of a feature.
#[serde_with_macros::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Object, Serialize)]
#[oai(rename = "ImportedFeatureLink", skip_serializing_if_is_none)]
pub struct ImportLink {
    /// Id of the link, at most 36 characters, which it keeps if it is a UUID. Absent: it gets one.
    pub id: Option<String>,
    /// Address, at most 2000 characters, under the rules of `createFeatureLink`.
    pub url: String,
    /// Text that is shown instead of the address, at most 255 characters. Absent or `null`: none.
    pub title: Option<Nullable<String>>,
}

impl ImportLink {
    /// The link as the rules of links take it.
    fn given(&self) -> GivenLink<'_> {
        let title = self.title.as_ref().and_then(|title| title.0.as_deref());
        GivenLink { id: self.id.as_deref(), url: &self.url, title }
    }
}

impl From<FeatureLink> for ImportLink {
    fn from(link: FeatureLink) -> Self {
        Self { id: Some(link.id), url: link.url, title: Some(link.title) }
    }
}

/// Findings of the validation of an import.
#[derive(Debug, Clone, PartialEq, Eq, Default, Object, Serialize)]
#[oai(rename = "ImportFindings", skip_serializing_if_is_none)]
pub struct Findings {
    /// Errors that prevent the import. Empty when it can be done.
    pub errors: Vec<Finding>,
    /// Effects of the import to know beforehand.
    pub warnings: Vec<Finding>,
    /// Permissions that the caller lacks: one finding, or none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub permissions: Option<Vec<Finding>>,
}

/// One finding, and what it affects.
#[derive(Debug, Clone, PartialEq, Eq, Object, Serialize)]
#[oai(rename = "ImportFinding", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    /// Message with the problem and how to fix it.
    pub message: String,
    /// Names of the affected features, segments, permissions and so on.
    pub affected_items: Vec<String>,
}

impl Finding {
    /// A finding, unless it concerns nothing.
    fn about(message: impl Into<String>, affected_items: impl IntoIterator<Item = String>) -> Option<Self> {
        let affected_items: Vec<String> = affected_items.into_iter().collect();
        (!affected_items.is_empty()).then(|| Self { message: message.into(), affected_items })
    }
}
