//! Answers about features, put together as the state of an instance.

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use super::{Answers, without_nulls};

/// The state, in the form of old versions' files and with the order of strategies.
pub(super) fn of(answers: &Answers) -> Value {
    let mut parts = Parts::default();
    let segments_of_strategies = segments_of_strategies(&answers.state);
    for feature in &answers.features {
        parts.feature(feature, &segments_of_strategies);
    }
    for feature in &answers.archived {
        parts.archived(feature, answers.projects.get(feature["project"].as_str().unwrap_or_default()));
    }
    for found in &answers.found {
        for tag in found["tags"].as_array().into_iter().flatten() {
            parts.tags.push(json!({ "featureName": found["name"], "tagType": tag["type"], "tagValue": tag["value"] }));
        }
    }
    if parts.tags.is_empty() {
        parts.tags = items(&answers.state, "featureTags").cloned().collect();
    }
    let projects = answers.projects.iter().map(|(id, overview)| project(id, overview));
    json!({
        "features": parts.features,
        "featureEnvironments": parts.configurations,
        "featureStrategies": parts.strategies,
        "featureTags": parts.tags,
        "dependencies": parts.dependencies,
        "links": parts.links,
        "projects": projects.collect::<Vec<_>>(),
        "environments": answers.environments["environments"],
        "segments": answers.segments["segments"].as_array().map_or(&answers.state["segments"], |_| &answers.segments["segments"]),
        "contextFields": answers.context_fields.as_array().into_iter().flatten().map(without_nulls).collect::<Vec<_>>(),
        "tagTypes": items(&answers.tag_types, "tagTypes").map(without_nulls).collect::<Vec<_>>(),
        "tags": answers.tags["tags"],
        "strategies": answers.strategies["strategies"],
    })
}

fn items<'a>(answer: &'a Value, name: &str) -> impl Iterator<Item = &'a Value> {
    answer[name].as_array().into_iter().flatten()
}

fn project(id: &str, overview: &Value) -> Value {
    let mut project = Map::from_iter([("id".to_owned(), json!(id))]);
    for name in
        ["name", "description", "mode", "defaultStickiness", "featureLimit", "linkTemplates", "createdAt", "updatedAt"]
    {
        if !overview[name].is_null() {
            project.insert(name.to_owned(), overview[name].clone());
        }
    }
    let naming = &overview["featureNaming"];
    for (there, here) in
        [("pattern", "namingPattern"), ("example", "namingExample"), ("description", "namingDescription")]
    {
        if let Some(text) = naming[there].as_str().filter(|text| !text.is_empty()) {
            project.insert(here.to_owned(), json!(text));
        }
    }
    Value::Object(project)
}

/// Ids of the segments of strategies, by id: old versions have them in their state alone.
fn segments_of_strategies(state: &Value) -> HashMap<&str, Vec<&Value>> {
    let mut segments: HashMap<&str, Vec<&Value>> = HashMap::new();
    for link in items(state, "featureStrategySegments") {
        if let Some(strategy) = link["featureStrategyId"].as_str() {
            segments.entry(strategy).or_default().push(&link["segmentId"]);
        }
    }
    segments
}

#[derive(Default)]
struct Parts {
    features: Vec<Value>,
    configurations: Vec<Value>,
    strategies: Vec<Value>,
    tags: Vec<Value>,
    dependencies: Vec<Value>,
    links: Vec<Value>,
}

impl Parts {
    /// Adds an archived feature, which the API returns without its configuration. It is off in the environments of its
    /// project, so that it can be configured there once it is revived.
    fn archived(&mut self, feature: &Value, project: Option<&Value>) {
        let environments = project.and_then(|overview| overview["environments"].as_array()).into_iter().flatten();
        for name in environments.filter_map(|entry| entry.as_str().or_else(|| entry["environment"].as_str())) {
            self.configurations
                .push(json!({ "featureName": feature["name"], "environment": name, "enabled": false, "variants": [] }));
        }
        let mut feature = without_nulls(feature);
        if let Some(members) = feature.as_object_mut() {
            members.insert("archived".to_owned(), json!(true));
            members.remove("environments");
        }
        self.features.push(feature);
    }

    fn feature(&mut self, feature: &Value, segments: &HashMap<&str, Vec<&Value>>) {
        let name = &feature["name"];
        let mut alone = without_nulls(feature);
        if let Some(members) = alone.as_object_mut() {
            members.remove("environments");
            members.remove("variants");
        }
        self.features.push(alone);
        for here in items(feature, "environments") {
            let environment = &here["name"];
            let variants = if here["variants"].is_null() { &feature["variants"] } else { &here["variants"] };
            self.configurations.push(json!({
                "featureName": name,
                "environment": environment,
                "enabled": here["enabled"],
                "variants": variants,
                "lastSeenAt": here["lastSeenAt"],
            }));
            for strategy in items(here, "strategies") {
                let id = strategy["id"].as_str().unwrap_or_default();
                let segments = segments.get(id).cloned().unwrap_or_default();
                let mut strategy = without_nulls(strategy);
                if let Some(members) = strategy.as_object_mut() {
                    members.insert("featureName".to_owned(), name.clone());
                    members.insert("environment".to_owned(), environment.clone());
                    members.entry("segments").or_insert_with(|| json!(segments));
                }
                self.strategies.push(strategy);
            }
        }
        let parents: Vec<&Value> = items(feature, "dependencies").collect();
        if !parents.is_empty() {
            self.dependencies.push(json!({ "feature": name, "dependencies": parents }));
        }
        let links: Vec<&Value> = items(feature, "links").collect();
        if !links.is_empty() {
            self.links.push(json!({ "feature": name, "links": links }));
        }
    }
}
