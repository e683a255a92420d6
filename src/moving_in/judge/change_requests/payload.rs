//! Payloads of changes in the form that they have here.

use flagstone_domain::{
    change_request::action::Action, strategy::FeatureStrategy, strategy_id, variant::FeatureVariant,
};
use serde_json::{Map, Value};

/// Member of payloads that holds the target as it was.
const SNAPSHOT: &str = "snapshot";

/// Puts a payload into the form that it has here: ids of strategies are UUIDs, and values of parameters texts. Takes the
/// snapshot out of it.
pub(super) fn settle(action: &str, payload: &mut Value) -> Option<Value> {
    let snapshot = payload.as_object_mut().and_then(|members| members.remove(SNAPSHOT));
    match action {
        "addStrategy" | "updateStrategy" | "deleteStrategy" => {
            if let Some(strategy) = payload.as_object_mut() {
                settle_id(strategy);
                settle_parameters(strategy);
            }
        }
        "reorderStrategy" => {
            payload.as_array_mut().into_iter().flatten().filter_map(Value::as_object_mut).for_each(settle_id);
        }
        _ => {}
    }
    snapshot.filter(|snapshot| is_known(action, snapshot))
}

fn settle_id(members: &mut Map<String, Value>) {
    if let Some(id) = members.get_mut("id")
        && let Some(known) = id.as_str().and_then(strategy_id::parse)
    {
        *id = known.to_string().into();
    }
}

fn settle_parameters(strategy: &mut Map<String, Value>) {
    let parameters = strategy.get_mut("parameters").and_then(Value::as_object_mut);
    for value in parameters.into_iter().flat_map(Map::values_mut) {
        if value.is_number() || value.is_boolean() {
            *value = value.to_string().into();
        }
    }
}

/// Whether a snapshot has the form of one of this action here.
fn is_known(action: &str, snapshot: &Value) -> bool {
    match action {
        "updateStrategy" | "deleteStrategy" => serde_json::from_value::<FeatureStrategy>(snapshot.clone()).is_ok(),
        Action::PATCH_VARIANT => serde_json::from_value::<Vec<FeatureVariant>>(snapshot.clone()).is_ok(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_payload_gets_the_form_of_today_and_gives_its_snapshot_away() {
        let ulid = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
        let written = strategy_id::parse(ulid).expect("an id").to_string();
        let before = json!({ "name": "default" });
        let mut payload = json!({ "id": ulid, "parameters": { "rollout": 50, "on": true }, "snapshot": before });
        assert_eq!(settle("updateStrategy", &mut payload), Some(before));
        assert_eq!(payload, json!({ "id": written, "parameters": { "rollout": "50", "on": "true" } }));
        let mut payload = json!([{ "id": ulid, "sortOrder": 1 }, 7]);
        assert_eq!(settle("reorderStrategy", &mut payload), None);
        assert_eq!(payload, json!([{ "id": written, "sortOrder": 1 }, 7]));
        let mut payload = json!({ "variants": [], "snapshot": { "id": 7 } });
        assert_eq!(settle("patchVariant", &mut payload), None);
        assert_eq!(payload, json!({ "variants": [] }));
        for odd in [json!(null), json!("text"), json!([]), json!({ "id": 7, "parameters": 7 })] {
            let mut payload = odd.clone();
            assert_eq!(settle("updateStrategy", &mut payload), None);
            assert_eq!(payload, odd);
        }
    }
}
