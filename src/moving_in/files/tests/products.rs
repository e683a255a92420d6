//! Peculiarities of each product.

use super::{data::vendor, *};

fn findings(moved: &Moved) -> Vec<String> {
    moved.findings.iter().map(|finding| format!("{} {}: {}", finding.kind, finding.name, finding.reason)).collect()
}

fn share(moved: &Moved, flag: &str, pairs: &[(&str, &str)]) -> f64 {
    let engine = engine(&moved.set, "production");
    let asked = (0..4000).map(|number| {
        let user = number.to_string();
        let mut pairs = pairs.to_vec();
        pairs.push(("userId", &user));
        engine.is_enabled(flag, &context(&pairs), &None)
    });
    f64::from(u32::try_from(asked.filter(|on| *on).count()).expect("few")) / 4000.0
}

#[test]
fn unleash_exports_come_whole_but_for_what_they_leave_out() {
    for (version, production, development, features) in [
        (
            "5.12.8",
            vendor!("unleash/unleash-5.12.8.production.json"),
            vendor!("unleash/unleash-5.12.8.development.json"),
            46,
        ),
        (
            "6.3.0",
            vendor!("unleash/unleash-6.3.0.production.json"),
            vendor!("unleash/unleash-6.3.0.development.json"),
            46,
        ),
        (
            "8.2.0",
            vendor!("unleash/unleash-8.2.0.production.json"),
            vendor!("unleash/unleash-8.2.0.development.json"),
            48,
        ),
    ] {
        let Moved { set, findings } =
            moved(Format::Unleash, &[("p.json", None, production), ("d.json", None, development)]);
        assert_eq!(set.features.len(), features, "{version}");
        let of = |bytes: &[u8]| serde_json::from_slice::<Value>(bytes).expect("JSON");
        let count = |name: &str| {
            of(production)[name].as_array().expect("a list").len()
                + of(development)[name].as_array().expect("a list").len()
        };
        let strategies = set
            .features
            .iter()
            .flat_map(|feature| &feature.environments)
            .map(|state| state.strategies.len())
            .sum::<usize>();
        assert_eq!(strategies, count("featureStrategies"), "{version}");
        assert_eq!(
            set.features.iter().map(|feature| feature.environments.len()).sum::<usize>(),
            count("featureEnvironments")
        );
        assert!(set.segments.is_empty() && findings.iter().filter(|finding| finding.kind == "segment").count() >= 4);
        let operators =
            set.features.iter().flat_map(|feature| &feature.environments).flat_map(|state| &state.strategies);
        let known = operators
            .flat_map(|strategy| &strategy.constraints)
            .all(|constraint| constraint.operator != flagstone_domain::constraint::Operator::Unknown);
        assert!(known, "{version}");
        let child = set.features.iter().find(|feature| feature.name == "shop.child-0").expect("a child");
        assert_eq!(child.dependencies.len(), 1);
        let names: Vec<_> = set.environments.iter().map(|environment| &*environment.name).collect();
        assert_eq!(names, ["development", "production"]);
    }
}

#[test]
fn the_list_of_segments_fills_what_the_export_leaves_out() {
    let export = vendor!("unleash/unleash-6.3.0.production.json");
    let state: Value = serde_json::from_slice(vendor!("unleash/unleash-4.19.5.state.json")).expect("JSON");
    let list = json!({ "segments": state["segments"] }).to_string();
    let moved = moved(Format::Unleash, &[("e.json", None, export), ("segments.json", None, list.as_bytes())]);
    assert_eq!(moved.set.segments.len(), state["segments"].as_array().expect("a list").len());
    let known: Vec<i64> = moved.set.segments.iter().map(|segment| segment.id).collect();
    let used = moved.set.features.iter().flat_map(|feature| &feature.environments).flat_map(|state| &state.strategies);
    assert!(used.flat_map(|strategy| &strategy.segments).any(|id| known.contains(id)));
}

#[test]
fn the_state_of_an_old_instance_comes_with_all_environments() {
    let moved = moved(Format::Unleash, &[("state.json", None, vendor!("unleash/unleash-4.19.5.state.json"))]);
    let state: Value = serde_json::from_slice(vendor!("unleash/unleash-4.19.5.state.json")).expect("JSON");
    assert_eq!(moved.set.origin.version, "state export 3");
    assert_eq!(moved.set.features.len(), state["features"].as_array().expect("a list").len());
    assert_eq!(moved.set.segments.len(), state["segments"].as_array().expect("a list").len());
    let strategies =
        moved.set.features.iter().flat_map(|feature| &feature.environments).flat_map(|state| &state.strategies);
    let applied: usize = strategies.map(|strategy| strategy.segments.len()).sum();
    // The file still has strategies of features that are archived, and does not have the features.
    let list = |name: &str| state[name].as_array().expect("a list");
    let there = |strategy: &&Value| list("features").iter().any(|feature| feature["name"] == strategy["featureName"]);
    let strategies: Vec<&Value> =
        list("featureStrategies").iter().filter(there).map(|strategy| &strategy["id"]).collect();
    let expected =
        list("featureStrategySegments").iter().filter(|link| strategies.contains(&&link["featureStrategyId"])).count();
    assert_eq!((applied, expected > 10), (expected, true));
    let legacy = moved.feature("shop.legacy-variants");
    assert!(legacy.environments.iter().all(|state| state.variants.len() == 2));
    assert!(moved.set.strategy_types.iter().any(|kind| kind.name == "gradualRolloutRandom" && kind.deprecated));
}

#[test]
fn a_row_that_does_not_fit_is_named_and_stops_nothing() {
    let file =
        json!({ "features": [{ "name": "a" }, { "nam": "b" }], "featureStrategies": [], "featureEnvironments": [] });
    let moved = moved_json(Format::Unleash, &file);
    assert_eq!(moved.set.features.len(), 1);
    let [only] = moved.findings.as_slice() else { panic!("{:?}", moved.findings) };
    assert_eq!((only.kind, &*only.name), ("features", "?"));
    assert_eq!(only.reason, "name: null: the row is left out: it cannot be without this");
}

#[test]
fn growthbook_features_are_on_for_no_more_than_there() {
    for (name, features) in
        [("v1", vendor!("growthbook/features-v1.sample.json")), ("v2", vendor!("growthbook/features-v2.sample.json"))]
    {
        let groups = vendor!("growthbook/saved-groups.sample.json");
        let environments = vendor!("growthbook/environments.sample.json");
        let files = [("f.json", None, features), ("g.json", None, groups), ("e.json", None, environments)];
        let moved = moved(Format::GrowthBook, &files);
        let on = |pairs: &[(&str, &str)]| moved.on("dev", "checkout-v2", pairs);
        assert!(on(&[("userId", "ada"), ("email", "a@example.com")]), "{name}");
        assert!(!on(&[("userId", "bob"), ("email", "a@example.com")]) && !on(&[("userId", "ada")]), "{name}");
        assert!(moved.unsaid("checkout-v2 in production").contains("depends on another feature"));
        assert!(moved.unsaid("button-colour in production").contains("$elemMatch"));
        assert!(moved.unsaid("ref-exp in dev").contains("default value differs"));
        assert!(moved.feature("limits").archived_at.is_some());
        let names: Vec<_> = moved.set.segments.iter().map(|segment| &*segment.name).collect();
        assert_eq!(names, ["Beta testers", "Europeans"]);
    }
}

#[test]
fn growthbook_conditions_never_hold_for_more_than_its_own_cases_say() {
    let cases: Value = serde_json::from_slice(vendor!("growthbook/sdk-cases.json")).expect("JSON");
    let (mut equal, mut narrower, mut off) = (0, 0, 0);
    for case in cases["evalCondition"].as_array().expect("a list") {
        let (title, condition, attributes, expected) = (&case[0], &case[1], &case[2], case[3] == json!(true));
        let Some(pairs) = attributes.as_object().and_then(|map| {
            map.iter()
                .map(|(name, value)| Some((name.clone(), crate::files::read::plain(value)?)))
                .collect::<Option<Vec<_>>>()
        }) else {
            continue;
        };
        let groups = case.get(4).and_then(Value::as_object).into_iter().flatten();
        let groups: Vec<Value> = groups
            .map(|(id, values)| json!({ "id": id, "name": id, "attributeKey": "id", "values": values }))
            .collect();
        let features = json!({ "features": { "f": { "defaultValue": false, "rules": [{ "condition": condition, "force": true }] } }, "savedGroups": groups });
        let moved = moved_json(Format::GrowthBook, &features);
        let pairs: Vec<(&str, &str)> =
            pairs.iter().map(|(name, value)| (if name == "id" { "userId" } else { &**name }, &**value)).collect();
        let here = moved.on("production", "f", &pairs);
        // A text where a number is asked for, and the other way round, cannot be told apart in a context of texts.
        let of_types = ["multiple datatypes", "comparing numbers and strings", "improperly typed data"];
        if !of_types.iter().any(|words| title.as_str().is_some_and(|title| title.contains(words))) {
            assert!(expected || !here, "{title}: {condition} {attributes}");
        }
        if !moved.feature("f").environments[0].enabled {
            off += 1;
        } else if here == expected {
            equal += 1;
        } else {
            narrower += 1;
        }
    }
    println!("{equal} equal, {narrower} narrower, {off} off");
    assert!(equal > 90 && narrower < 40, "{equal} equal, {narrower} narrower, {off} off");
}

#[test]
fn flipt_namespaces_and_segments_come_over() {
    let moved = moved(Format::Flipt, &[("f.yaml", None, vendor!("flipt/features.v1-export.sample.yaml"))]);
    assert_eq!(moved.set.projects.iter().map(|project| &*project.id).collect::<Vec<_>>(), ["default", "mobile"]);
    assert!(moved.on("production", "dark-mode", &[]));
    // Two of its segments ask for what cannot be said: an empty text, a date.
    assert!(moved.unsaid("checkout-v2 in production").contains("cannot be asked for"));
    assert!(moved.unsaid("button-colour in production").contains("cannot be asked for"));
    assert!(!moved.on("production", "old-style", &[]));
    for name in ["staging", "production"] {
        let bytes = if name == "staging" {
            vendor!("flipt/v2-tree/staging/default/features.yaml")
        } else {
            vendor!("flipt/v2-tree/production/default/features.yaml")
        };
        let moved = super::moved(Format::Flipt, &[("features.yaml", Some(name), bytes)]);
        assert!(moved.on(name, "checkout-v2", &[("org", "org-c")]));
        // Without a rule that holds, the switch decides: it is on in staging.
        assert_eq!(moved.on(name, "checkout-v2", &[("org", "org-a")]), name == "staging");
        assert_eq!(moved.on(name, "checkout-v2", &[]), name == "staging");
    }
}

#[test]
fn flipt_thresholds_and_distributions_keep_their_shares() {
    let threshold = |percentage: f64| json!({ "threshold": { "percentage": percentage, "value": true } });
    let moved = moved_json(
        Format::Flipt,
        &json!({ "namespace": "default", "flags": [
        { "key": "part", "type": "BOOLEAN_FLAG_TYPE", "enabled": false, "rollouts": [threshold(25.0), threshold(50.0)] },
        { "key": "except", "type": "BOOLEAN_FLAG_TYPE", "enabled": true, "rollouts": [
            { "segment": { "key": "eu", "value": false } } ] },
        { "key": "half", "type": "VARIANT_FLAG_TYPE", "enabled": true, "variants": [{ "key": "a" }, { "key": "b", "default": true }],
          "rules": [{ "segment": "eu", "distributions": [{ "variant": "a", "rollout": 50 }] }] },
    ], "segments": [{ "key": "eu", "name": "Europe", "match_type": "ANY_MATCH_TYPE", "constraints": [
        { "type": "STRING_COMPARISON_TYPE", "property": "country", "operator": "isoneof", "value": "[\"DE\",\"FR\"]" },
        { "type": "STRING_COMPARISON_TYPE", "property": "region", "operator": "eq", "value": "eu" },
    ] }] }),
    );
    assert!((share(&moved, "part", &[]) - 0.5).abs() < 0.03);
    assert!(
        moved.on("production", "except", &[("country", "US")])
            && !moved.on("production", "except", &[("country", "DE")])
    );
    assert!(!moved.on("production", "except", &[("region", "eu"), ("country", "US")]));
    assert!((share(&moved, "half", &[("country", "DE")]) - 0.5).abs() < 0.03);
    assert_eq!(moved.value("production", "half", &[("userId", "1")]), "b");
    assert_eq!(moved.set.segments.len(), 2, "one for each alternative");
}

#[test]
fn go_feature_flag_files_in_three_forms_say_the_same() {
    for (name, bytes) in [
        ("f.yaml", vendor!("go-feature-flag/flag-config.yaml")),
        ("f.toml", vendor!("go-feature-flag/flag-config.toml")),
    ] {
        let moved = moved(Format::GoFeatureFlag, &[(name, None, bytes)]);
        assert!(moved.on("production", "test-flag", &[("userId", "random-key")]), "{name}");
        assert!(!moved.on("production", "test-flag", &[("userId", "other")]), "{name}");
        assert!(moved.on("production", "test-flag2", &[("userId", "not-a-key")]), "{name}");
    }
    let moved =
        moved(Format::GoFeatureFlag, &[("f.json", None, vendor!("go-feature-flag/flag-config-multiline-query.json"))]);
    assert!(moved.on("production", "test-flag", &[("userId", "random-key-2")]));
    let bytes = vendor!("go-feature-flag/ffclient-all_flags-config_flag-flag-config-all-flags.yaml");
    let moved = super::moved(Format::GoFeatureFlag, &[("all.yaml", None, bytes)]);
    assert_eq!(moved.value("production", "test-flag4", &[]), r#"{"test":"yo"}"#);
    assert!(!moved.on("production", "test-flag6", &[]));
    let bytes = vendor!("go-feature-flag/flag-config-scheduled-v0.yaml");
    let moved = super::moved(Format::GoFeatureFlag, &[("scheduled.yaml", None, bytes)]);
    assert!(moved.unsaid("test-flag in production").contains("sets an empty"));
    assert!(moved.on("production", "test-flag2", &[("userId", "not-a-key")]));
}

#[test]
fn go_feature_flag_queries_and_dates() {
    let flag = |query: &str| {
        json!({ "variations": { "y": true, "n": false }, "defaultRule": { "variation": "n" },
        "targeting": [{ "query": query, "variation": "y" }] })
    };
    let moved = moved_json(
        Format::GoFeatureFlag,
        &json!({
            "brackets": flag(r#"not (country eq "FR") and (age ge 18 or plan in ["a", "b"])"#),
            "mixed": flag(r#"a eq "1" or b eq "2" and c eq "3""#),
            "version": flag("app gt 1.2.0"),
            "broken": flag("a eq"),
            "progress": { "variations": { "y": true, "n": false }, "defaultRule": { "progressiveRollout": {
                "initial": { "variation": "n", "date": "2026-11-20T12:00:00Z" }, "end": { "variation": "y", "date": "2026-11-24T12:00:00Z" } } } },
            "experiment": { "variations": { "y": true, "n": false }, "defaultRule": { "variation": "y" },
                "experimentation": { "start": "2026-11-01T00:00:00Z", "end": "2026-12-01T00:00:00Z" } },
        }),
    );
    let on = |name: &str, pairs: &[(&str, &str)]| moved.on("production", name, pairs);
    assert!(on("brackets", &[("country", "DE"), ("age", "20")]) && on("brackets", &[("country", "DE"), ("plan", "b")]));
    assert!(!on("brackets", &[("country", "FR"), ("age", "20")]) && !on("brackets", &[("age", "20")]));
    assert!(on("version", &[("app", "1.10.0")]) && !on("version", &[("app", "1.2.0")]));
    assert!(moved.unsaid("mixed in production").contains("mixes and with or"));
    assert!(moved.unsaid("broken in production").contains("lacks a value"));
    assert!((share(&moved, "progress", &[]) - 0.5).abs() < 0.03);
    assert!(on("experiment", &[]) && !on("experiment", &[("currentTime", "2026-12-02T00:00:00Z")]));
    assert!(!on("experiment", &[("currentTime", "2026-10-02T00:00:00Z")]));
}

#[test]
fn flagsmith_documents_and_exports() {
    let moved = moved(Format::Flagsmith, &[("environment.json", None, vendor!("flagsmith/environment.json"))]);
    assert!(moved.on("production", "api_limiting_stop_serving_flags", &[]));
    assert!(!moved.on("production", "feature_lifecycle", &[]));
    let moved =
        super::moved(Format::Flagsmith, &[("export.json", None, vendor!("flagsmith/feature-export.sample.json"))]);
    assert!(moved.on("production", "checkout_v2", &[]) && !moved.on("production", "dark_mode", &[]));
    assert_eq!(moved.value("production", "max_items", &[]), "25");
    let variants: Vec<_> = moved.feature("banner_text").environments[0].strategies[0]
        .variants
        .iter()
        .map(|variant| (&*variant.name, variant.weight))
        .collect();
    assert_eq!(variants, [("control", 500), ("Hi there", 300), ("Grüezi", 200)]);
    assert!(findings(&moved).iter().any(|finding| finding.starts_with("feature max_items: was told to servers only")));
}

#[test]
fn flagsmith_overrides_count_by_priority() {
    let state = |name: &str, enabled: bool, value: Value, priority: Option<i64>| {
        json!({ "feature": { "id": 1, "name": name }, "enabled": enabled, "feature_state_value": value,
            "feature_segment": priority.map(|priority| json!({ "priority": priority })),
            "multivariate_feature_state_values": [] })
    };
    let segment = |id: i64, conditions: Value, states: Value| {
        json!({ "id": id, "name": format!("s{id}"), "rules": [{ "type": "ALL", "rules": [{ "type": "ANY", "conditions": conditions, "rules": [] }], "conditions": [] }],
            "feature_states": states })
    };
    let moved = moved_json(
        Format::Flagsmith,
        &json!({ "name": "Production", "api_key": "x",
        "feature_states": [state("f", true, json!("base"), None), state("g", true, json!(null), None), state("h", false, json!(null), None)],
        "identity_overrides": [{ "identifier": "ada", "identity_features": [state("f", true, json!("own"), None)] }],
        "project": { "id": 1, "name": "Shop", "segments": [
            segment(1, json!([{ "property_": "plan", "operator": "EQUAL", "value": "pro" }]), json!([state("f", true, json!("second"), Some(2)), state("g", false, json!(null), Some(0))])),
            segment(2, json!([{ "property_": "age", "operator": "GREATER_THAN", "value": "18" }]), json!([state("f", true, json!("first"), Some(1))])),
            { "id": 3, "name": "share", "rules": [{ "type": "ALL", "conditions": [{ "property_": "", "operator": "PERCENTAGE_SPLIT", "value": "30" }, { "property_": "plan", "operator": "IN", "value": "pro,team" }], "rules": [] }],
              "feature_states": [state("h", true, json!(null), Some(0))] },
        ] } }),
    );
    let value = |pairs: &[(&str, &str)]| moved.value("production", "f", pairs);
    assert_eq!(value(&[("userId", "ada"), ("plan", "pro")]), "own");
    assert_eq!(value(&[("userId", "u"), ("plan", "pro"), ("age", "20")]), "first");
    assert_eq!(value(&[("userId", "u"), ("plan", "pro")]), "second");
    assert_eq!(value(&[("userId", "u")]), "base");
    assert!(moved.on("production", "g", &[("plan", "free")]) && !moved.on("production", "g", &[("plan", "pro")]));
    assert!((share(&moved, "h", &[("plan", "team")]) - 0.3).abs() < 0.03);
    assert!(share(&moved, "h", &[("plan", "free")]) < 1e-9);
}

#[test]
fn launchdarkly_prerequisites_are_kept_where_one_parent_can_be() {
    let flag = |key: &str, prerequisites: Value, fallthrough: i64| {
        json!({ "key": key, "kind": "boolean", "variations": [{ "value": true }, { "value": false }],
            "environments": { "production": { "on": true, "offVariation": 1, "fallthrough": { "variation": fallthrough },
                "prerequisites": prerequisites, "rules": [], "targets": [] } } })
    };
    let needs = |keys: &[(&str, i64)]| {
        Value::Array(keys.iter().map(|(key, variation)| json!({ "key": key, "variation": variation })).collect())
    };
    let moved = moved_json(
        Format::LaunchDarkly,
        &json!({ "items": [
        flag("parent", json!([]), 0), flag("closed", json!([]), 1), flag("child", needs(&[("parent", 0)]), 0),
        flag("of-closed", needs(&[("closed", 0)]), 0), flag("grandchild", needs(&[("child", 0)]), 0),
        flag("two", needs(&[("parent", 0), ("closed", 0)]), 0), flag("of-off", needs(&[("parent", 1)]), 0),
        flag("orphan", needs(&[("nobody", 0)]), 0),
    ] }),
    );
    let on = |name: &str| moved.on("production", name, &[("userId", "u")]);
    assert!(on("parent") && on("child") && !on("of-closed"));
    assert!(moved.unsaid("grandchild in production").contains("which depends on another"));
    assert!(moved.unsaid("two in production").contains("several others"));
    assert!(moved.unsaid("of-off in production").contains("what here is off"));
    assert!(moved.unsaid("orphan in production").contains("not in the files"));
}

#[test]
fn launchdarkly_shares_and_what_is_on_while_off() {
    let state = |on: bool, off: i64, rules: Value, fallthrough: Value| json!({ "production": { "on": on, "offVariation": off, "fallthrough": fallthrough, "rules": rules, "targets": [], "prerequisites": [] } });
    let flag = |key: &str, environments: Value| json!({ "key": key, "kind": "boolean", "variations": [{ "value": true }, { "value": false }], "environments": environments });
    let rollout = |yes: i64| json!({ "rollout": { "variations": [{ "variation": 0, "weight": yes }, { "variation": 1, "weight": 100_000 - yes }] } });
    let mut rule = rollout(20_000);
    rule["clauses"] = json!([{ "attribute": "country", "op": "in", "values": ["CH"], "negate": false }]);
    let moved = moved_json(
        Format::LaunchDarkly,
        &json!({ "items": [
        flag("reversed", state(false, 0, json!([]), json!({ "variation": 1 }))),
        flag("share", state(true, 1, json!([rule]), json!({ "variation": 0 }))),
        flag("odd", state(true, 1, json!([]), rollout(12_500))),
    ] }),
    );
    assert!(moved.on("production", "reversed", &[("userId", "u")]));
    assert!(
        (share(&moved, "share", &[("country", "CH")]) - 0.2).abs() < 0.03,
        "the others are not left to the last rule"
    );
    assert!(share(&moved, "share", &[("country", "FR")]) > 0.999 && share(&moved, "share", &[]) > 0.999);
    assert!((share(&moved, "odd", &[]) - 0.12).abs() < 0.02);
    assert!(
        findings(&moved).iter().any(|finding| finding.contains("12 % instead of 12.500 %")),
        "{:#?}",
        findings(&moved)
    );
}
