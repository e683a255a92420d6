use std::borrow::Cow;

use flagstone_domain::constraint::{Constraint, Operator};
use serde_json::json;

use super::*;

fn whole(features: &Value, segments: &Value) -> Everything {
    let json = json!({ "version": 2, "features": features, "segments": segments, "query": { "x": 1 } });
    everything(json.to_string().as_bytes()).expect("readable")
}

#[test]
fn what_is_not_known_is_passed_on_and_holds_for_nobody() {
    let strange = json!({ "allOf": [{ "contextName": "a", "operator": "IN", "values": ["b"] }] });
    let told = json!({
        "name": "f", "enabled": true, "lastSeenAt": "x",
        "strategies": [{ "name": "default", "constraints": [strange] }, { "name": "default" }],
    });
    let read = whole(&json!([told]), &json!([{ "id": 7, "constraints": [strange] }, { "id": 8, "constraints": [] }]));
    let [feature] = &read.features[..] else { panic!("one feature") };
    let holds_for_nobody = |constraints: &[Constraint]| matches!(constraints, [only] if only.operator == Operator::In && only.operands().next().is_none());
    let understood = feature.feature();
    assert_eq!(understood.strategies.len(), 2);
    assert!(holds_for_nobody(&understood.strategies[0].constraints) && understood.strategies[1].constraints.is_empty());
    assert_eq!(feature.json(), told.to_string());
    assert!(holds_for_nobody(&read.segments[&7].constraints) && read.segments[&8].constraints.is_empty());
    let named: Vec<_> = read.repairs.iter().map(|repair| (repair.table, &*repair.key, &*repair.column)).collect();
    assert_eq!(named, [("feature_strategies", "f, strategy 1", "constraints[0]"), ("segments", "7", "constraints[0]")]);
}

#[test]
fn a_feature_that_is_told_as_it_would_be_written_is_kept_once() {
    let written = serde_json::to_value(ClientFeature { name: "f".to_owned(), ..ClientFeature::default() });
    let read = whole(&json!([written.expect("JSON")]), &json!([]));
    assert!(matches!(&read.features[..], [flag] if matches!(flag.feature(), Cow::Owned(_))));
}

#[test]
fn line_breaks_are_taken_out_before_they_can_end_an_event() {
    let text = "{\"features\":[{\n\"name\":\"f\",\r\n\"type\":\"a\\nb\"}]}";
    let read = everything(text.as_bytes()).expect("readable");
    assert_eq!(read.features[0].json(), r#"{"name":"f","type":"a\nb"}"#);
}

#[test]
fn what_is_no_answer_is_refused_in_words() {
    for (text, expected) in [
        ("<html>", "cannot be read"),
        ("{\"features\":[{\"name\":\"f\"", "cannot be read"),
        ("{\"version\":3,\"features\":[]}", "format 3"),
        ("[]", "cannot be read"),
        ("{}", "cannot be read"),
    ] {
        let refused = everything(text.as_bytes()).expect_err(text);
        assert!(refused.contains(expected), "{refused}");
    }
    let nameless = whole(&json!([{ "enabled": true }, 7, { "name": "g" }]), &json!([7]));
    assert_eq!(nameless.features.len(), 1);
}

#[test]
fn later_events_win_over_earlier_ones() {
    let feature = |name: &str, enabled: bool| json!({ "name": name, "enabled": enabled });
    let events = json!({ "events": [
        { "eventId": 5, "type": "feature-updated", "feature": feature("gone", true) },
        { "eventId": 9, "type": "hydration", "features": [feature("a", false), feature("b", false)], "segments": [] },
        { "eventId": 11, "type": "feature-updated", "feature": feature("a", true) },
        { "eventId": 10, "type": "feature-removed", "featureName": "b", "project": "p" },
        { "eventId": 10, "type": "segment-removed", "segmentId": 3 },
        { "eventId": 10, "type": "segment-updated", "segment": { "id": 3, "constraints": [] } },
        { "eventId": 10, "type": "something-new" },
    ] });
    let changes = changes(events.to_string().as_bytes()).expect("readable");
    assert_eq!(changes.revision, 11);
    assert_eq!(changes.everything.expect("everything").features.len(), 2);
    assert_eq!(changes.updated.features.len(), 1);
    assert!(changes.removed.contains("b") && !changes.removed.contains("gone"));
    assert!(changes.segments_removed.is_empty() && changes.updated.segments.contains_key(&3));
}
