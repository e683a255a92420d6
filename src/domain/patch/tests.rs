use poem_openapi::{
    registry::Registry,
    types::{ParseFromJSON as _, Type as _},
};
use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::ids::{FeatureName, ProjectId};

const NOW: Timestamp = Timestamp::from_millis(5000);

fn document() -> FeatureDocument {
    FeatureDocument {
        description: Some("old".to_owned()),
        kind: "experiment".to_owned(),
        stale: true,
        ..FeatureDocument::new(FeatureName::new("f"), ProjectId::new("shop"), Timestamp::from_millis(1000))
    }
}

fn archived() -> FeatureDocument {
    FeatureDocument { archived_at: Some(Timestamp::from_millis(2000)), ..document() }
}

/// Operations as they are written, also with paths that the document forbids.
fn ops(list: &Value) -> Vec<PatchOp> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let read = |op: &Value| PatchOp {
        path: text(&op["path"]).expect("a path").into(),
        op: PatchVerb::parse_from_json(op.get("op").cloned()).expect("a verb"),
        from: text(&op["from"]).map(Into::into),
        value: match op.get("value") {
            None => MaybeUndefined::Undefined,
            Some(Value::Null) => MaybeUndefined::Null,
            Some(value) => MaybeUndefined::Value(value.clone()),
        },
    };
    list.as_array().expect("a list").iter().map(read).collect()
}

#[test]
fn the_document_names_exactly_the_paths_that_a_patch_reaches() {
    let mut registry = Registry::new();
    PatchOp::register(&mut registry);
    let schema = serde_json::to_value(&registry.schemas["PatchOperation"]).expect("serialises");
    assert_eq!(schema["properties"]["path"]["pattern"], TARGETS);
    assert_eq!(schema["properties"]["from"]["pattern"], SOURCES);
    let (targets, sources) = [TARGETS, SOURCES].map(|text| regex::Regex::new(text).expect("valid")).into();
    let members = serde_json::to_value(archived()).expect("serialises");
    let members = members.as_object().expect("an object").keys().map(|name| format!("/{name}"));
    let others = ["", "/", "stale", "/stale/", "/stale/0", "/unknown", "/tags", "/variants/0", "/archived\n"];
    for pointer in members.chain(others.map(str::to_owned)) {
        assert_eq!(targets.is_match(&pointer), Property::at(&pointer).is_ok(), "{pointer:?}");
        assert_eq!(sources.is_match(&pointer), archived().member(&pointer).is_some(), "{pointer:?}");
    }
}

#[test]
fn each_operation_does_to_each_property_what_it_should() {
    let described = |text: &str| FeatureDocument { description: Some(text.to_owned()), ..document() };
    let cases = [
        (json!([]), document()),
        (json!([{ "op": "replace", "path": "/description", "value": "new" }]), described("new")),
        (json!([{ "op": "add", "path": "/description", "value": "" }]), described("")),
        (
            json!([{ "op": "replace", "path": "/description", "value": null }]),
            FeatureDocument { description: None, ..document() },
        ),
        (json!([{ "op": "remove", "path": "/description" }]), FeatureDocument { description: None, ..document() }),
        (
            json!([{ "op": "replace", "path": "/type", "value": "unheard" }]),
            FeatureDocument { kind: "unheard".to_owned(), ..document() },
        ),
        (json!([{ "op": "remove", "path": "/type" }]), FeatureDocument { kind: "release".to_owned(), ..document() }),
        (json!([{ "op": "add", "path": "/stale", "value": "false" }]), FeatureDocument { stale: false, ..document() }),
        (json!([{ "op": "remove", "path": "/stale" }]), FeatureDocument { stale: false, ..document() }),
        (
            json!([{ "op": "replace", "path": "/impressionData", "value": "true" }]),
            FeatureDocument { impression_data: true, ..document() },
        ),
        (
            json!([{ "op": "copy", "from": "/stale", "path": "/impressionData" }]),
            FeatureDocument { impression_data: true, ..document() },
        ),
        (json!([{ "op": "copy", "from": "/name", "path": "/description" }]), described("f")),
        (
            json!([{ "op": "copy", "from": "/createdAt", "path": "/description" }]),
            described("1970-01-01T00:00:01.000Z"),
        ),
        (
            json!([{ "op": "move", "from": "/type", "path": "/description" }]),
            FeatureDocument { kind: "release".to_owned(), ..described("experiment") },
        ),
        (json!([{ "op": "move", "from": "/type", "path": "/type" }]), document()),
        (
            json!([{ "op": "remove", "path": "/description" }, { "op": "replace", "path": "/description", "value": "x" }]),
            described("x"),
        ),
        (
            json!([{ "op": "replace", "path": "/archived", "value": true }]),
            FeatureDocument { archived_at: Some(NOW), ..document() },
        ),
    ];
    for (list, expected) in cases {
        assert_eq!(document().patched(&ops(&list), NOW), Ok(expected), "{list}");
    }
}

#[test]
fn what_is_archived_keeps_its_time_until_it_is_revived() {
    let cases = [
        (json!([{ "op": "replace", "path": "/archived", "value": true }]), archived()),
        (
            json!([
                { "op": "replace", "path": "/archived", "value": false },
                { "op": "replace", "path": "/archived", "value": true },
            ]),
            archived(),
        ),
        (json!([{ "op": "replace", "path": "/archived", "value": "false" }]), document()),
        (json!([{ "op": "remove", "path": "/archived" }]), document()),
    ];
    for (list, expected) in cases {
        assert_eq!(archived().patched(&ops(&list), NOW), Ok(expected), "{list}");
    }
}

#[test]
fn a_refusal_names_the_operation_and_the_member_at_fault() {
    let at_fault = [
        ("path", json!({ "op": "replace", "path": "/name", "value": "g" }), "/name"),
        ("path", json!({ "op": "remove", "path": "/project" }), "/project"),
        ("path", json!({ "op": "add", "path": "/createdAt", "value": null }), "/createdAt"),
        (
            "path",
            json!({ "op": "add", "path": "/tags/-", "value": {} }),
            "cannot be \"/tags/-\": change tags with PUT /api/admin/features/{featureName}/tags",
        ),
        (
            "path",
            json!({ "op": "replace", "path": "/variants/0/weight", "value": 1 }),
            "cannot be \"/variants/0/weight\": change variants with PUT /api/admin/projects/{projectId}/features\
             /{featureName}/environments/{environment}/variants",
        ),
        ("path", json!({ "op": "remove", "path": format!("/variants{}", "/é".repeat(60)) }), "/é/…\": change variants"),
        (
            "path",
            json!({ "op": "replace", "path": "/environments/production/enabled", "value": true }),
            "cannot be \"/environments/production/enabled\": switch environments with POST /api/admin/projects\
             /{projectId}/features/{featureName}/environments/{environment}/on or …/off",
        ),
        ("path", json!({ "op": "replace", "path": "", "value": {} }), "must be one of"),
        ("path", json!({ "op": "remove", "path": "stale" }), "must be one of"),
        ("path", json!({ "op": "remove", "path": "/stale/0" }), "must be one of"),
        ("path", json!({ "op": "remove", "path": "/unknown" }), "not \"/unknown\""),
        ("path", json!({ "op": "remove", "path": "/é".repeat(60) }), &format!("not \"{}…\"", "/é".repeat(50))),
        ("value", json!({ "op": "replace", "path": "/stale" }), "is required: it is the new value of /stale"),
        ("value", json!({ "op": "add", "path": "/description" }), "is required: it is the new value of /description"),
        (
            "value",
            json!({ "op": "replace", "path": "/description", "value": 3 }),
            "string or null: it is the new value of /description",
        ),
        ("value", json!({ "op": "replace", "path": "/type", "value": null }), "the new value of /type"),
        ("value", json!({ "op": "add", "path": "/description", "value": "x".repeat(100_001) }), "at most 100000"),
        ("value", json!({ "op": "replace", "path": "/type", "value": "" }), "1 to 100"),
        ("value", json!({ "op": "replace", "path": "/type", "value": "x".repeat(101) }), "1 to 100"),
        (
            "value",
            json!({ "op": "replace", "path": "/stale", "value": 1 }),
            "true or false: it is the new value of /stale",
        ),
        ("value", json!({ "op": "replace", "path": "/archived", "value": "yes" }), "the new value of /archived"),
        (
            "value",
            json!({ "op": "replace", "path": "/impressionData", "value": null }),
            "the new value of /impressionData",
        ),
        (
            "from",
            json!({ "op": "copy", "path": "/description" }),
            "is required: it says where the new value of /description comes from",
        ),
        ("from", json!({ "op": "move", "path": "/stale" }), "it says where the new value of /stale comes from"),
        ("from", json!({ "op": "move", "path": "/description", "from": "" }), "of the feature, not \"\""),
        (
            "from",
            json!({ "op": "copy", "path": "/description", "from": "/unknown" }),
            "of the feature, not \"/unknown\"",
        ),
        ("from", json!({ "op": "copy", "path": "/description", "from": "/name/0" }), "of the feature, not \"/name/0\""),
        (
            "from",
            json!({ "op": "copy", "path": "/description", "from": "/é".repeat(60) }),
            &format!("of the feature, not \"{}…\"", "/é".repeat(50)),
        ),
        ("from", json!({ "op": "move", "path": "/description", "from": "/name" }), "cannot change"),
        ("from", json!({ "op": "copy", "path": "/description", "from": "/stale" }), "does not fit /description"),
        (
            "from",
            json!({ "op": "copy", "path": "/type", "from": "/lastSeenAt" }),
            "does not fit /type, which must be a string",
        ),
    ];
    for (member, op, text) in at_fault {
        let list = json!([{ "op": "remove", "path": "/stale" }, op]);
        let refusal = document().patched(&ops(&list), NOW).expect_err("refused");
        assert_eq!((refusal.index, refusal.member), (1, member), "{list}: {refusal}");
        assert!(refusal.reason.contains(text), "{list}: {refusal}");
    }
}

fn pointer() -> impl Strategy<Value = String> {
    let known = [
        "/description",
        "/type",
        "/stale",
        "/impressionData",
        "/archived",
        "/name",
        "/project",
        "/createdAt",
        "/lastSeenAt",
        "/archivedAt",
        "/tags",
        "/variants/0",
        "",
        "/",
    ];
    prop_oneof![
        20 => proptest::sample::select(known[..5].to_vec()).prop_map(str::to_owned),
        5 => proptest::sample::select(known.to_vec()).prop_map(str::to_owned),
        1 => ".{0,12}",
    ]
}

fn value() -> impl Strategy<Value = MaybeUndefined<Value>> {
    let plain = prop_oneof![
        any::<bool>().prop_map(Value::from),
        ".{0,8}".prop_map(Value::from),
        proptest::sample::select(&["true", "false", ""][..]).prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        Just(json!({ "a": [1] })),
    ];
    prop_oneof![
        8 => plain.prop_map(MaybeUndefined::Value),
        1 => Just(MaybeUndefined::Null),
        1 => Just(MaybeUndefined::Undefined),
    ]
}

fn operation() -> impl Strategy<Value = PatchOp> {
    let verbs = [PatchVerb::Add, PatchVerb::Remove, PatchVerb::Replace, PatchVerb::Copy, PatchVerb::Move];
    (pointer(), proptest::sample::select(verbs.to_vec()), proptest::option::weighted(0.9, pointer()), value())
        .prop_map(|(path, op, from, value)| PatchOp { path: path.into(), op, from: from.map(Into::into), value })
}

/// Applies one operation by the reference implementation of JSON Patch, with removed properties at their defaults.
fn by_the_book(document: &FeatureDocument, op: &PatchOp) -> Option<Value> {
    let verb = format!("{:?}", op.op).to_lowercase();
    let mut raw = json!({ "op": verb, "path": op.path });
    match (op.op, op.value.as_opt_ref(), &op.from) {
        (PatchVerb::Add | PatchVerb::Replace, Some(value), _) => raw["value"] = value.cloned().unwrap_or(Value::Null),
        (PatchVerb::Copy | PatchVerb::Move, _, Some(from)) => raw["from"] = from.as_str().into(),
        _ => {}
    }
    let patch: json_patch::Patch = serde_json::from_value(json!([raw])).ok()?;
    let mut patched = serde_json::to_value(document).expect("serialises");
    json_patch::patch(&mut patched, &patch).ok()?;
    let defaults = json!({
        "description": null, "type": "release", "stale": false, "impressionData": false, "archived": false,
    });
    for (name, default) in defaults.as_object().expect("an object") {
        if patched.get(name).is_none() {
            patched[name] = default.clone();
        }
    }
    Some(patched)
}

proptest! {
    #[test]
    fn a_patch_of_nothing_is_nothing(archive: bool) {
        let before = if archive { archived() } else { document() };
        prop_assert_eq!(before.patched(&[], NOW), Ok(before.clone()));
    }

    #[test]
    fn one_by_one_equals_all_at_once_and_nothing_panics(list in proptest::collection::vec(operation(), 0..8)) {
        let before = document();
        let at_once = before.patched(&list, NOW);
        let one_by_one = list.iter().try_fold(before, |document, op| document.patched(std::slice::from_ref(op), NOW));
        match (at_once, one_by_one) {
            (Ok(at_once), Ok(one_by_one)) => prop_assert_eq!(at_once, one_by_one),
            (Err(refusal), Err(single)) => {
                prop_assert_eq!((refusal.member, refusal.reason), (single.member, single.reason));
            }
            (at_once, one_by_one) => prop_assert!(false, "{at_once:?} is not {one_by_one:?}"),
        }
    }

    #[test]
    fn what_cannot_be_changed_never_changes(list in proptest::collection::vec(operation(), 0..8)) {
        let before = archived();
        if let Ok(after) = before.patched(&list, NOW) {
            prop_assert_eq!(&after.name, &before.name);
            prop_assert_eq!(&after.project, &before.project);
            prop_assert_eq!(after.created_at, before.created_at);
            prop_assert_eq!(after.last_seen_at, before.last_seen_at);
            prop_assert!(after.archived_at.is_none() || after.archived_at == before.archived_at);
        }
    }

    #[test]
    fn whatever_applies_means_what_json_patch_means(op in operation()) {
        if let Ok(after) = document().patched(std::slice::from_ref(&op), NOW) {
            let mut expected = by_the_book(&document(), &op).expect("the reference implementation applies it too");
            // Words for booleans are converted, and being archived has its time.
            for name in ["stale", "impressionData", "archived"] {
                if let Some(word) = expected[name].as_str().map(str::to_owned) {
                    expected[name] = Value::Bool(word == "true");
                }
            }
            let mut after = serde_json::to_value(after).expect("serialises");
            expected["archivedAt"] = Value::Null;
            after["archivedAt"] = Value::Null;
            prop_assert_eq!(after, expected);
        }
    }
}
