//! The state that cases start from, put into a database.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use flagstone::{
    domain::{constraint::Constraint, strategy::Parameters, strategy::StrategyDefinition},
    store::{self, db::Tx, entity::environment, segments::NewSegment},
};
use sea_orm::EntityTrait;
use serde_json::{Value, json};

use super::{PROJECT, list};
use crate::harness::{TestApp, add_strategy, connect};

/// Result of putting a state in: the features that could not be put in, and why.
pub struct Seeded {
    /// Features that no database of this server can hold, by name, and why.
    pub impossible: BTreeMap<String, String>,
}

/// Features and segments after all that a state tells.
#[derive(Default)]
struct World {
    features: BTreeMap<String, Value>,
    segments: BTreeMap<i64, Value>,
}

impl World {
    fn of(state: &Value) -> Self {
        let mut world = Self::default();
        world.take(state);
        for event in list(&state["events"]) {
            match event["type"].as_str().expect("a type") {
                "hydration" => {
                    world = Self::default();
                    world.take(event);
                }
                "feature-updated" => world.take(&json!({ "features": [event["feature"]] })),
                "segment-updated" => world.take(&json!({ "segments": [event["segment"]] })),
                "feature-removed" => {
                    world.features.remove(event["featureName"].as_str().expect("a name"));
                }
                "segment-removed" => {
                    world.segments.remove(&event["segmentId"].as_i64().expect("an id"));
                }
                other => panic!("an event of type {other}"),
            }
        }
        world
    }

    fn take(&mut self, state: &Value) {
        for feature in list(&state["features"]) {
            self.features.insert(feature["name"].as_str().expect("a name").to_owned(), feature.clone());
        }
        for segment in list(&state["segments"]) {
            self.segments.insert(segment["id"].as_i64().expect("an id"), segment.clone());
        }
    }
}

impl Seeded {
    /// Puts a state into the database, for each of the environments.
    pub async fn new<'a>(app: &TestApp, state: &Value, environments: impl Iterator<Item = &'a str>) -> Self {
        let world = World::of(state);
        let environments: BTreeSet<&str> = environments.collect();
        for name in &environments {
            let known = environment::Entity::find_by_id(*name).one(app.db()).await.expect("reads");
            if known.is_none() {
                app.admin().post("/api/admin/environments", json!({ "name": name, "type": "test" })).await.expect(201);
            }
        }
        app.project(PROJECT).await;
        let tx = app.tx().await;
        for name in environments.iter().filter(|name| !["development", "production"].contains(name)) {
            connect(&tx, PROJECT, name).await;
        }
        app.commit(tx).await;
        let mut ids = HashMap::new();
        for name in world.features.keys() {
            ids.insert(name.as_str(), app.feature(PROJECT, name).await);
        }
        let tx = app.tx().await;
        let mut segments = HashMap::new();
        for (id, segment) in &world.segments {
            let constraints = serde_json::from_value(segment["constraints"].clone()).expect("constraints");
            let new = NewSegment { name: format!("segment-{id}"), constraints, ..NewSegment::default() };
            let now = app.clock.now();
            segments.insert(*id, store::segments::insert(&tx, &new, now).await.expect("a segment"));
        }
        let mut impossible = BTreeMap::new();
        for (name, feature) in &world.features {
            for environment in &environments {
                if let Err(reason) = configure(app, &tx, ids[&**name], environment, feature, &segments).await {
                    impossible.insert(name.clone(), reason);
                }
            }
            for dependency in list(&feature["dependencies"]) {
                let wanted: Vec<String> = serde_json::from_value(dependency["variants"].clone()).unwrap_or_default();
                let enabled = dependency["enabled"].as_bool().unwrap_or(true);
                match ids.get(dependency["feature"].as_str().expect("a name")) {
                    Some(parent) => store::features::dependencies::add(&tx, ids[&**name], *parent, enabled, &wanted)
                        .await
                        .expect("a dependency"),
                    None => {
                        impossible.insert(name.clone(), "it depends on a feature that is not there".to_owned());
                    }
                }
            }
        }
        app.commit(tx).await;
        Self { impossible }
    }
}

/// Configures a feature in an environment, past the rules that the API would hold it to.
async fn configure(
    app: &TestApp,
    tx: &Tx,
    id: i64,
    environment: &str,
    feature: &Value,
    segments: &HashMap<i64, i64>,
) -> Result<(), String> {
    for strategy in list(&feature["strategies"]) {
        let wanted = list(&strategy["segments"]).chain(list(&feature["segments"]));
        let wanted: Result<Vec<i64>, String> = wanted
            .map(|id| {
                id.as_i64().and_then(|id| segments.get(&id).copied()).ok_or_else(|| format!("there is no segment {id}"))
            })
            .collect();
        let mut variants = strategy["variants"].clone();
        for variant in variants.as_array_mut().into_iter().flatten() {
            let variant = variant.as_object_mut().expect("a variant");
            variant.entry("weightType").or_insert(json!("variable"));
            variant.entry("stickiness").or_insert(json!("default"));
        }
        let constraints: Result<Vec<Constraint>, _> =
            list(&strategy["constraints"]).map(|constraint| serde_json::from_value(constraint.clone())).collect();
        let parameters = strategy["parameters"].as_object().into_iter().flatten();
        let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let parameters: Parameters = parameters.map(|(name, value)| (name.clone(), text(value))).collect();
        let new = StrategyDefinition {
            name: strategy["name"].as_str().expect("a name").to_owned(),
            parameters,
            constraints: constraints.map_err(|error| error.to_string())?,
            variants: if variants.is_null() { vec![] } else { serde_json::from_value(variants).expect("variants") },
            segments: wanted?,
            ..StrategyDefinition::default()
        };
        add_strategy(tx, id, environment, &new, app.clock.now()).await.expect("a strategy");
    }
    if feature["variants"].is_array() {
        let variants: Vec<_> = serde_json::from_value(feature["variants"].clone()).expect("variants");
        store::features::variants::set(tx, id, environment, &variants).await.expect("variants");
    }
    store::features::set_enabled(tx, id, environment, feature["enabled"] == true).await.expect("a switch");
    Ok(())
}
