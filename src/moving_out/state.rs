//! The whole instance as the state of Unleash 5, in which the environments are separate lists.

use std::collections::{BTreeMap, BTreeSet};

use flagstone_domain::{environment::Environment, import::ImportData, segment::Segment, strategy_type::StrategyType};
use serde_json::{Value, json};

/// Version of the form.
const VERSION: u32 = 4;

/// Parts of the state of an instance.
#[derive(Debug)]
pub struct State<'a> {
    /// Projects: id, name and description.
    pub projects: Vec<(String, String, Option<String>)>,
    /// Environments, in their order.
    pub environments: Vec<Environment>,
    /// Types of strategies.
    pub strategy_types: Vec<StrategyType>,
    /// Segments.
    pub segments: Vec<Segment>,
    /// Every active feature, by the environment whose configuration it has.
    pub exports: &'a BTreeMap<String, ImportData>,
}

/// The document. What is of no environment stands once.
pub fn state(held: &State<'_>) -> Value {
    let custom = held.strategy_types.iter().filter(|kind| kind.editable);
    let mut parts = Parts::default();
    for (environment, data) in held.exports {
        parts.add(environment, data);
    }
    let projects = held.projects.iter().map(|(id, name, description)| {
        json!({ "id": id, "name": name, "description": description.as_deref().unwrap_or_default() })
    });
    let environments = held.environments.iter().map(|environment| {
        json!({
            "name": environment.name,
            "type": environment.kind,
            "enabled": environment.enabled,
            "protected": environment.protected,
            "sortOrder": environment.sort_order,
        })
    });
    let segments = held.segments.iter().map(|segment| {
        json!({
            "id": segment.id,
            "name": segment.name,
            "description": segment.description,
            "project": segment.project,
            "constraints": segment.constraints,
            "createdBy": segment.created_by,
            "createdAt": segment.created_at,
        })
    });
    let strategies = custom.map(|kind| {
        json!({
            "name": kind.name,
            "description": kind.description,
            "parameters": kind.parameters,
            "deprecated": kind.deprecated,
        })
    });
    json!({
        "version": VERSION,
        "features": parts.features.into_values().collect::<Vec<_>>(),
        "strategies": strategies.collect::<Vec<_>>(),
        "projects": projects.collect::<Vec<_>>(),
        "tagTypes": parts.tag_types.into_values().collect::<Vec<_>>(),
        "tags": parts.tags.iter().map(|(kind, value)| json!({ "type": kind, "value": value })).collect::<Vec<_>>(),
        "featureTags": parts.feature_tags.into_values().collect::<Vec<_>>(),
        "featureStrategies": parts.strategies,
        "environments": environments.collect::<Vec<_>>(),
        "featureEnvironments": parts.configurations,
        "segments": segments.collect::<Vec<_>>(),
        "featureStrategySegments": parts.strategy_segments,
        "contextFields": parts.context_fields.into_values().collect::<Vec<_>>(),
        "dependencies": parts.dependencies.into_values().collect::<Vec<_>>(),
        "links": parts.links.into_values().collect::<Vec<_>>(),
    })
}

#[derive(Default)]
struct Parts {
    features: BTreeMap<String, Value>,
    projects: BTreeMap<String, String>,
    tag_types: BTreeMap<String, Value>,
    tags: BTreeSet<(String, String)>,
    feature_tags: BTreeMap<(String, String, String), Value>,
    strategies: Vec<Value>,
    strategy_segments: Vec<Value>,
    context_fields: BTreeMap<String, Value>,
    dependencies: BTreeMap<String, Value>,
    links: BTreeMap<String, Value>,
    configurations: Vec<Value>,
}

impl Parts {
    fn add(&mut self, environment: &str, data: &ImportData) {
        for feature in &data.features {
            self.projects.insert(feature.name.clone(), feature.project.clone().unwrap_or_default());
            self.features.entry(feature.name.clone()).or_insert_with(|| json!(feature));
        }
        for kind in &data.tag_types {
            self.tag_types.entry(kind.name.clone()).or_insert_with(|| json!(kind));
        }
        for tag in data.tags() {
            let kind = tag.tag_type.clone().unwrap_or_default();
            self.tags.insert((kind.clone(), tag.tag_value.clone()));
            let place = (tag.feature_name.clone(), kind, tag.tag_value.clone());
            self.feature_tags.entry(place).or_insert_with(|| json!(tag));
        }
        for configuration in data.feature_environments.iter().flatten() {
            self.configurations.push(json!({
                "featureName": configuration.feature_name,
                "environment": environment,
                "enabled": configuration.enabled,
                "variants": configuration.variants.as_deref().unwrap_or_default(),
            }));
        }
        for field in data.fields() {
            self.context_fields.entry(field.name.clone()).or_insert_with(|| json!(field));
        }
        for link in data.links() {
            self.dependencies.entry(link.feature.clone()).or_insert_with(|| json!(link));
        }
        for of_feature in data.feature_links() {
            self.links.entry(of_feature.feature.clone()).or_insert_with(|| json!(of_feature));
        }
        let mut positions: BTreeMap<&str, usize> = BTreeMap::new();
        for strategy in &data.feature_strategies {
            let feature = strategy.feature_name.as_deref().unwrap_or_default();
            // An export tells the order of a feature's strategies, and not their positions.
            let position = positions.entry(feature).or_default();
            self.strategies.push(json!({
                "id": strategy.id,
                "featureName": feature,
                "projectId": self.projects.get(feature),
                "environment": environment,
                "strategyName": strategy.name,
                "title": strategy.title,
                "disabled": strategy.disabled,
                "parameters": strategy.parameters,
                "constraints": strategy.constraints,
                "variants": strategy.variants,
                "sortOrder": *position,
            }));
            *position += 1;
            for segment in strategy.segments.iter().flatten() {
                self.strategy_segments.push(json!({ "featureStrategyId": strategy.id, "segmentId": segment }));
            }
        }
    }
}
