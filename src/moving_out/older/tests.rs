use flagstone_domain::import::{ImportLink, ImportLinks};
use flagstone_wire::Nullable;

use super::*;

fn segment(id: i64, name: &str, constraints: &Value) -> Segment {
    Segment {
        id,
        name: name.to_owned(),
        description: Nullable(None),
        project: Nullable(None),
        constraints: serde_json::from_value(constraints.clone()).expect("constraints"),
        created_by: Nullable(None),
        created_at: flagstone_domain::time::Timestamp::from_millis(0),
        used_in_projects: None,
        used_in_features: None,
    }
}

fn data(strategies: &Value) -> ImportData {
    let mut data = ImportData::default();
    let strategies: Vec<Value> = strategies.as_array().expect("strategies").clone();
    let mut names: Vec<String> =
        strategies.iter().map(|strategy| strategy["featureName"].as_str().expect("a name").to_owned()).collect();
    names.dedup();
    for name in names {
        data.features.push(serde_json::from_value(json!({ "name": name, "project": "shop" })).expect("a feature"));
        let state = json!({ "name": name, "featureName": name, "enabled": true });
        data.feature_environments
            .get_or_insert_default()
            .push(serde_json::from_value(state).expect("a feature environment"));
    }
    data.feature_strategies =
        strategies.into_iter().map(|strategy| serde_json::from_value(strategy).expect("a strategy")).collect();
    data
}

fn fitted(target: Target, segments: &[Segment], strategies: &Value) -> (ImportData, Vec<String>) {
    let mut fitting = Fitting::new(target, segments);
    let data = fitting.fit("production", data(strategies));
    (data, fitting.told())
}

fn enabled(data: &ImportData) -> Vec<bool> {
    data.feature_environments.iter().flatten().map(|state| state.enabled).collect()
}

#[test]
fn version_6_knows_no_project_of_a_context_field() {
    let field = |name: &str, project: Option<&str>| flagstone_domain::import::ContextField {
        name: name.to_owned(),
        project: project.map(|project| Nullable(Some(project.to_owned()))),
        ..Default::default()
    };
    let given = || ImportData {
        context_fields: Some(vec![field("plan", None), field("tier", Some("shop"))]),
        ..ImportData::default()
    };
    let mut fitting = Fitting::new(Target::Unleash6, &[]);
    for environment in ["development", "production"] {
        let fitted = fitting.fit(environment, given());
        assert_eq!(json!(fitted.context_fields), json!([{ "name": "plan" }, { "name": "tier" }]));
    }
    assert_eq!(fitting.told(), ["context field tier: belongs to all projects, not to shop"]);
}

#[test]
fn links_are_left_out_and_told_once() {
    let link = ImportLink { id: None, url: "https://example.com/".to_owned(), title: None };
    let given = || ImportData {
        links: Some(vec![ImportLinks { feature: "f".to_owned(), links: vec![link.clone()] }]),
        ..ImportData::default()
    };
    for target in Target::ALL {
        let mut fitting = Fitting::new(target, &[]);
        for environment in ["development", "production"] {
            assert_eq!(fitting.fit(environment, given()).links, None);
        }
        assert_eq!(fitting.told(), ["f: its links are left out"]);
    }
}

#[test]
fn a_strategy_that_would_widen_is_left_out_and_a_feature_without_another_is_off() {
    let strategies = json!([
        { "featureName": "one", "name": "default", "disabled": true, "title": "later" },
        { "featureName": "one", "name": "userWithId", "parameters": { "userIds": "7" }, "title": "testers" },
        { "featureName": "two", "name": "default", "constraints": [
            { "contextName": "plan", "operator": "REGEX", "value": "^pro" },
        ] },
    ]);
    let (data, told) = fitted(Target::Unleash5, &[], &strategies);
    assert_eq!(json!(data.feature_strategies), json!([strategies[1]]));
    assert_eq!(enabled(&data), [true, false]);
    assert_eq!(
        told,
        [
            "one in production: its strategy later is left out: it is disabled, and would be enabled there",
            "two in production: its strategy default is left out: Unleash 5 has no operator REGEX",
            "two in production: is switched off: no strategy is left that says for whom",
            "titles of strategies are left out: 1",
        ]
    );
    let (data, told) = fitted(Target::Unleash6, &[], &strategies);
    let kept: Vec<_> = data.feature_strategies.iter().map(|kept| (&*kept.name, kept.sort_order)).collect();
    assert_eq!(kept, [("default", Some(0.0.into())), ("userWithId", Some(1.0.into()))]);
    assert_eq!((enabled(&data), told.len()), (vec![true, false], 2), "{told:#?}");
}

#[test]
fn strategies_with_a_segment_that_is_refused_are_left_out() {
    let newer = segment(7, "newer", &json!([{ "contextName": "v", "operator": "SEMVER_GTE", "value": "1.0.0" }]));
    let long = json!([{ "contextName": "plan", "operator": "IN", "values": ["x".repeat(101)] }]);
    let segments = [newer, segment(8, "long", &long), segment(9, "plain", &json!([]))];
    let strategies = json!([
        { "featureName": "one", "name": "default", "segments": [9, 7] },
        { "featureName": "two", "name": "default", "segments": [8] },
        { "featureName": "three", "name": "default", "segments": [9] },
        { "featureName": "four", "name": "default", "constraints": long },
    ]);
    for (target, on) in
        [(Target::Unleash5, [false, false, true, true]), (Target::Unleash6, [false, false, true, false])]
    {
        let (data, told) = fitted(target, &segments, &strategies);
        assert_eq!(enabled(&data), on, "{told:#?}");
        assert!(
            told.contains(&"one in production: its strategy default is left out: so is its segment newer".to_owned())
        );
        assert_eq!(told[0], format!("segment newer: is left out: {} has no operator SEMVER_GTE", target.product()));
        assert_eq!(told[1], "segment long: is left out: values of constraints have 1 to 100 characters there");
    }
}

#[test]
fn strategies_of_types_that_are_gone_are_said_by_the_one_that_draws_alike() {
    let strategies = json!([
        { "featureName": "f", "name": "gradualRolloutUserId", "parameters": { "percentage": "20", "groupId": "g" } },
        { "featureName": "f", "name": "gradualRolloutSessionId", "parameters": { "percentage": "30" } },
        { "featureName": "f", "name": "gradualRolloutRandom", "parameters": {} },
    ]);
    let (data, told) = fitted(Target::Unleash6, &[], &strategies);
    let said: Vec<_> = data.feature_strategies.iter().map(|said| (&*said.name, json!(said.parameters))).collect();
    assert_eq!(
        said,
        [
            ("flexibleRollout", json!({ "groupId": "g", "rollout": "20", "stickiness": "userId" })),
            ("flexibleRollout", json!({ "groupId": "f", "rollout": "30", "stickiness": "sessionId" })),
            ("flexibleRollout", json!({ "groupId": "f", "rollout": "0", "stickiness": "random" })),
        ]
    );
    assert_eq!(
        told[1],
        "f in production: its strategy gradualRolloutSessionId becomes flexibleRollout, for the same share of users, but \
         others"
    );
}

#[test]
fn version_5_gets_no_child_without_its_parent_and_nothing_that_it_refuses() {
    let mut given = data(&json!([
        { "featureName": "child", "name": "default", "variants": [
            { "name": "a", "weight": 1000, "weightType": "variable", "stickiness": "default" },
        ] },
        { "featureName": "odd name", "name": "default" },
        { "featureName": "orphan", "name": "default" },
    ]));
    let links = [
        json!({ "feature": "child", "dependencies": [{ "feature": "parent" }] }),
        json!({ "feature": "orphan", "dependencies": [{ "feature": "odd name" }] }),
    ];
    let link = |link: &Value| flagstone_domain::import::ImportDependency {
        feature: link["feature"].as_str().expect("a name").to_owned(),
        dependencies: serde_json::from_value(link["dependencies"].clone()).expect("parents"),
    };
    given.dependencies = Some(links.iter().map(link).collect());
    for (kind, value) in [("simple", "x"), ("simple", "xy")] {
        given.feature_tags.get_or_insert_default().push(flagstone_domain::import::FeatureTag {
            feature_name: "child".to_owned(),
            tag_type: Some(kind.to_owned()),
            tag_value: value.to_owned(),
            kind: None,
            value: None,
            created_by_user_id: Some(Nullable(Some(3.0.into()))),
        });
    }
    let mut fitting = Fitting::new(Target::Unleash5, &[]);
    let fitted = fitting.fit("production", given);
    assert_eq!(enabled(&fitted), [false, false]);
    assert_eq!(json!(fitted.feature_tags), json!([{ "featureName": "child", "tagType": "simple", "tagValue": "xy" }]));
    assert!(fitted.dependencies.is_none() && fitted.context_fields.is_none());
    assert_eq!(
        fitting.told(),
        [
            "odd name: is left out: names are 1 to 100 letters, digits and -_.!~*'() there",
            "child: its tag simple:x is left out: both parts have 2 to 50 characters there",
            "child in production: the variants of its strategy default are left out: its state has no place for them",
            "child in production: is switched off: Unleash 5 has no dependencies between features",
            "orphan in production: is switched off: it depends on odd name, which is left out",
        ]
    );
}
