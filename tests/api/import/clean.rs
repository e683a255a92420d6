//! The promise between validation and import, held against data sets that nobody thought of.

use proptest::{
    prelude::*,
    test_runner::{Config, TestRunner},
};
use serde_json::{Value, json};

use super::{IMPORT, VALIDATE, archive, context_field, custom_strategy, everything, request, segment, shop};

fn one_of(values: &'static [&'static str]) -> impl Strategy<Value = &'static str> {
    proptest::sample::select(values)
}

fn name() -> impl Strategy<Value = &'static str> {
    one_of(&["a", "b", "c", "d", "stored", "other-stored", "parent", "shelved", "x.y~z"])
}

/// Something good nearly always, now and then something bad: most data sets should be clean.
fn rarely(good: &'static [&'static str], bad: &'static [&'static str]) -> impl Strategy<Value = &'static str> {
    prop_oneof![30 => one_of(good), 1 => one_of(bad)]
}

fn constraint() -> impl Strategy<Value = Value> {
    let field = rarely(&["userId", "region", "plan", "email"], &["nofield"]);
    let operand = prop_oneof![
        Just(("IN", json!({ "values": ["eu"] }))),
        Just(("NOT_IN", json!({ "values": [] }))),
        Just(("NUM_GT", json!({ "value": "12" }))),
        Just(("SEMVER_EQ", json!({ "values": [] }))),
        Just(("DATE_AFTER", json!({ "value": "2026-01-01T00:00:00Z" }))),
        Just(("STR_CONTAINS", json!({ "values": ["eu", "us"] }))),
    ];
    (field, operand).prop_map(|(field, (operator, mut constraint))| {
        constraint["contextName"] = field.into();
        constraint["operator"] = operator.into();
        constraint
    })
}

fn variants() -> impl Strategy<Value = Value> {
    let variant = (one_of(&["v", "w", "x", "y"]), 0..600_i64, rarely(&["variable"], &["fix"]));
    proptest::collection::vec(variant, 0..3).prop_map(|variants| {
        let variant = |(name, weight, kind)| json!({ "name": name, "weight": weight, "weightType": kind, "stickiness": "default" });
        variants.into_iter().map(variant).collect()
    })
}

fn strategy() -> impl Strategy<Value = Value> {
    (
        name(),
        rarely(&["default", "flexibleRollout", "byWeather"], &["nonesuch"]),
        proptest::collection::vec(constraint(), 0..2),
        variants(),
        proptest::collection::vec(1..4_i64, 0..3),
        proptest::option::of(any::<bool>()),
    )
        .prop_map(|(feature, name, constraints, variants, segments, disabled)| {
            json!({
                "name": name, "featureName": feature, "constraints": constraints, "variants": variants,
                "segments": segments, "disabled": disabled,
            })
        })
}

fn data() -> impl Strategy<Value = Value> {
    let feature = (name(), one_of(&["release", "experiment"]), any::<bool>())
        .prop_map(|(name, kind, stale)| json!({ "name": name, "type": kind, "stale": stale }));
    let features = proptest::collection::btree_map(name(), feature, 0..6).prop_map(|features| {
        let named = |(name, mut feature): (&str, Value)| {
            feature["name"] = name.into();
            feature
        };
        features.into_iter().map(named).collect::<Vec<_>>()
    });
    let environment =
        (name(), any::<bool>(), proptest::option::of(variants())).prop_map(|(name, enabled, variants)| {
            let mut environment = json!({ "name": name, "featureName": name, "enabled": enabled });
            if let Some(variants) = variants {
                environment["variants"] = variants;
            }
            environment
        });
    let tag = (name(), rarely(&["simple", "team"], &["nonesuch"]), rarely(&["blue", "red one", "50%"], &["x"]))
        .prop_map(|(feature, kind, value)| json!({ "featureName": feature, "tagType": kind, "tagValue": value }));
    let link = (one_of(&["a", "b", "stored"]), rarely(&["parent", "c"], &["a", "nowhere"]), any::<bool>()).prop_map(
        |(child, parent, enabled)| {
            json!({ "feature": child, "dependencies": [{ "feature": parent, "enabled": enabled, "variants": ["v"] }] })
        },
    );
    let extra = rarely(&["none", "none", "none"], &["duplicate", "bad name", "segment", "field"]);
    (
        features,
        proptest::collection::vec(strategy(), 0..5),
        proptest::collection::vec(environment, 0..4),
        proptest::collection::vec(tag, 0..4),
        proptest::collection::vec(link, 0..2),
        extra,
    )
        .prop_map(|(mut features, strategies, environments, tags, links, extra)| {
            let mut segments = vec![
                json!({ "id": 1, "name": "one" }),
                json!({ "id": 2, "name": "two" }),
                json!({ "id": 3, "name": "one" }),
            ];
            let mut fields = vec![
                json!({ "name": "email", "legalValues": [] }),
                json!({ "name": "region", "legalValues": [{ "value": "eu" }] }),
            ];
            match extra {
                "duplicate" => features.extend([json!({ "name": "a" }), json!({ "name": "a" })]),
                "bad name" => features.push(json!({ "name": "bad name" })),
                "segment" => segments.push(json!({ "id": 9, "name": "nonesuch" })),
                "field" => fields.push(json!({ "name": "bad field" })),
                _ => {}
            }
            json!({
                "features": features, "featureStrategies": strategies, "featureEnvironments": environments,
                "featureTags": tags, "dependencies": links, "segments": segments, "contextFields": fields,
                "tagTypes": [{ "name": "simple" }, { "name": "team" }, { "name": "team" }],
            })
        })
}

/// One instance for all data sets: what earlier ones left makes the later ones harder.
#[test]
fn what_validates_clean_imports_and_what_does_not_leaves_no_trace() {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime");
    let app = runtime.block_on(async {
        let app = shop().await;
        app.project("other").await;
        for name in ["stored", "parent", "shelved"] {
            app.feature("shop", name).await;
        }
        archive(&app, "shelved").await;
        custom_strategy(&app, "byWeather").await;
        context_field(&app, "region", json!([{ "value": "eu" }, { "value": "us" }])).await;
        context_field(&app, "plan", json!([])).await;
        segment(&app, "one", None).await;
        segment(&app, "two", Some("shop")).await;
        app
    });
    let imported = std::cell::Cell::new(0);
    let refused = std::cell::Cell::new(0);
    let mut runner = TestRunner::new_with_rng(
        Config { cases: 150, failure_persistence: None, ..Config::default() },
        proptest::test_runner::TestRng::deterministic_rng(proptest::test_runner::RngAlgorithm::ChaCha),
    );
    let outcome = runner.run(&data(), |data| {
        runtime.block_on(async {
            let findings = app.admin().post(VALIDATE, request(data.clone())).await.expect(200);
            if findings["errors"] == json!([]) {
                app.admin().post(IMPORT, request(data)).await.expect(200);
                imported.set(imported.get() + 1);
            } else {
                let before = everything(&app).await;
                let answer = app.admin().post(IMPORT, request(data)).await;
                assert_eq!(answer.status, 400, "{findings} {}", answer.text);
                assert_eq!(everything(&app).await, before);
                refused.set(refused.get() + 1);
            }
        });
        Ok(())
    });
    outcome.expect("the promise holds");
    assert!(imported.get() > 20 && refused.get() > 20, "{} imported, {} refused", imported.get(), refused.get());
}
