//! Features and segments as a server answers them to programs.

use serde_json::Value;

use super::{Repairs, Row, constraints, dependencies, parameters, segment_ids, variants};
use crate::client_feature::{ClientFeature, ClientSegment, ClientStrategy};

/// Reads a feature of an environment; `None` for one that cannot be known by a name.
pub fn client_feature(value: &Value, environment: &str, repairs: &Repairs) -> Option<ClientFeature> {
    if let Ok(whole) = serde_json::from_value::<ClientFeature>(value.clone())
        && !whole.name.is_empty()
        && whole.strategies.iter().all(is_whole)
    {
        return Some(whole);
    }
    let name = match value.get("name") {
        Some(Value::String(name)) => name.clone(),
        Some(Value::Null) | None => String::new(),
        Some(other) => other.to_string(),
    };
    let feature = Row::new("features", &*name, value, repairs);
    let called = if environment.is_empty() { name.clone() } else { format!("{name} in {environment}") };
    let state = Row::new("feature_environments", &*called, value, repairs);
    let name = feature.text("name").filter(|name| !name.is_empty())?;
    let dependencies = dependencies(&Row::new("dependent_features", &*name, value, repairs), "dependencies");
    Some(ClientFeature {
        kind: feature.find_text("type").unwrap_or_else(|| "release".to_owned()),
        enabled: state.truth("enabled", false),
        project: feature.find_text("project").unwrap_or_else(|| "default".to_owned()),
        stale: feature.truth("stale", false),
        strategies: strategies(&state, &called, repairs),
        variants: variants(&state, "variants"),
        description: feature.find_text("description").into(),
        impression_data: feature.truth("impressionData", false),
        dependencies: Some(dependencies).filter(|parents| !parents.is_empty()),
        name,
    })
}

/// Reads strategies. What is none becomes one that never holds: without it the feature could be on for all users.
fn strategies(state: &Row<'_>, called: &str, repairs: &Repairs) -> Vec<ClientStrategy> {
    let never = || ClientStrategy { name: "userWithId".to_owned(), ..ClientStrategy::default() };
    let Some(items) = state.objects("strategies", "name") else {
        state.changed("strategies", "is no list of strategies: one that holds for nobody is in its place");
        return vec![never()];
    };
    let read = |(place, item): (usize, &Row<'_>)| {
        let key = format!("{called}, strategy {}", place + 1);
        let row = Row::new("feature_strategies", key, item.whole(), repairs);
        if let Ok(whole) = serde_json::from_value::<ClientStrategy>(item.whole().clone())
            && is_whole(&whole)
        {
            return whole;
        }
        let Some(name) = row.find_text("name") else {
            row.changed("name", "is no name of a strategy: one that holds for nobody is in its place");
            return never();
        };
        let segments = segment_ids(&row, "segments");
        ClientStrategy {
            name,
            constraints: constraints(&row, "constraints"),
            parameters: parameters(&row, "parameters").into_iter().collect(),
            variants: variants(&row, "variants"),
            segments: Some(segments).filter(|segments| !segments.is_empty()),
        }
    };
    items.iter().enumerate().map(read).collect()
}

fn is_whole(strategy: &ClientStrategy) -> bool {
    !strategy.name.is_empty() && strategy.constraints.iter().all(|constraint| !constraint.is_unknown())
}

/// Reads a segment; `None` for one without an id. What applies it then never holds.
pub fn client_segment(value: &Value, repairs: &Repairs) -> Option<ClientSegment> {
    let id = value.get("id").unwrap_or(&Value::Null);
    let row = Row::new("segments", id.to_string(), value, repairs);
    Some(ClientSegment { id: row.number("id")?, constraints: constraints(&row, "constraints") })
}
