//! Each finding, by table: what triggers it, what it names, and that an import is refused for it.

use sea_orm::ActiveValue::Set;
use serde_json::{Value, json};

use super::{
    IMPORT, VALIDATE, archive, context_field, custom_strategy, everything, import, request, segment, set_up_project,
    shop, validate,
};
use crate::harness::TestApp;

/// Data sets with one error each: the data, a word of the message, and the affected items.
fn faulty() -> Vec<(Value, &'static str, Vec<&'static str>)> {
    let one = |strategy: Value| {
        let mut strategy = strategy;
        strategy["featureName"] = "a".into();
        json!({ "features": [{ "name": "a" }], "featureStrategies": [strategy] })
    };
    let constrained = |constraint: Value| one(json!({ "name": "default", "constraints": [constraint] }));
    let variants = |variants: Value| one(json!({ "name": "default", "variants": variants }));
    let variant =
        |name: &str, kind: &str| json!({ "name": name, "weight": 500, "weightType": kind, "stickiness": "x" });
    let named = |name: &str| json!({ "features": [{ "name": name }] });
    let tagged = |tag: Value| json!({ "features": [{ "name": "a" }], "featureTags": [tag] });
    let linked = |features: Value, links: Value| json!({ "features": features, "dependencies": links });
    let link = |child: &str, parent: &str| json!({ "feature": child, "dependencies": [{ "feature": parent }] });
    let json_payload = json!([{
        "name": "v", "weight": 1000, "weightType": "variable", "stickiness": "x",
        "payload": { "type": "json", "value": "{" }
    }]);
    vec![
        (
            json!({ "features": [{ "name": "a" }], "featureStrategies": [
                { "name": "nonesuch", "featureName": "a" }, { "name": "nonesuch" }, { "name": "default", "featureName": "a" }
            ] }),
            "strategy types do not exist",
            vec!["nonesuch", "nonesuch"],
        ),
        (
            json!({ "contextFields": [
                { "name": "region", "legalValues": [{ "value": "eu" }, { "value": "us" }] },
                { "name": "userId", "legalValues": [{ "value": "1" }] },
                { "name": "new", "legalValues": [{ "value": "1" }] },
                { "name": "plan", "legalValues": [{ "value": "gold" }] }
            ] }),
            "legal values",
            vec!["region", "userId"],
        ),
        (named("elsewhere"), "other projects", vec!["elsewhere (in project other)"]),
        (json!({ "features": [{ "name": "b" }, { "name": "a" }, { "name": "b" }] }), "more than once", vec!["b"]),
        (
            json!({ "segments": [{ "id": 1, "name": "open" }, { "id": 2, "name": "none" }, { "id": 3, "name": "theirs" }] }),
            "segments do not exist",
            vec!["none", "theirs"],
        ),
        (linked(json!([]), json!([link("child", "nowhere")])), "depend on these features", vec!["nowhere"]),
        (named("bad name"), "URL friendly", vec!["bad name"]),
        (named(""), "URL friendly", vec![""]),
        (tagged(json!({ "featureName": "a", "tagValue": "x" })), "2 to 50 characters", vec!["a: simple:x"]),
        (tagged(json!({ "featureName": "a", "tagType": "team", "tagValue": "xy" })), "type", vec!["team"]),
        (
            json!({ "contextFields": [
                { "name": "bad field" },
                { "name": "twice", "legalValues": [{ "value": "1" }, { "value": "1" }] },
                { "name": "long", "description": "x".repeat(251) },
                { "name": "good", "description": null }
            ] }),
            "New context fields",
            vec!["bad field", "twice", "long"],
        ),
        (one(json!({ "name": "default", "segments": [7] })), "by ids", vec!["7"]),
        (
            variants(json!([variant("v", "fix"), variant("w", "fix")])),
            "variants",
            vec!["a: at least one variant must have a variable weight"],
        ),
        (
            variants(json!([variant("v", "fix"), variant("v", "variable")])),
            "variants",
            vec!["a: two variants are named \"v\""],
        ),
        (variants(json_payload), "variants", vec!["a: the payload of the variant \"v\" is not JSON"]),
        (
            json!({ "features": [{ "name": "a" }], "featureEnvironments": [
                { "name": "a", "enabled": true, "variants": [{ "name": "v w", "weight": 1 }] }
            ] }),
            "variants",
            vec!["a: the variant name \"v w\" is not URL friendly"],
        ),
        (
            constrained(json!({ "contextName": "nofield", "operator": "IN", "values": ["1"] })),
            "constraints",
            vec!["a: there is no context field named \"nofield\""],
        ),
        (
            constrained(json!({ "contextName": "plan", "operator": "IN", "values": ["gold", "tin"] })),
            "constraints",
            vec!["a: \"tin\" is no legal value of the context field plan"],
        ),
        (linked(json!([{ "name": "a" }]), json!([link("a", "a")])), "cannot depend on itself", vec!["a on a"]),
        (
            linked(json!([{ "name": "a" }, { "name": "b" }, { "name": "c" }]), json!([link("a", "b"), link("b", "c")])),
            "depends on others",
            vec!["a on b", "b on c"],
        ),
        (linked(json!([{ "name": "a" }]), json!([link("a", "elsewhere")])), "another project", vec!["a on elsewhere"]),
    ]
}

async fn furnished() -> TestApp {
    let app = shop().await;
    app.project("other").await;
    app.feature("other", "elsewhere").await;
    segment(&app, "open", None).await;
    segment(&app, "theirs", Some("other")).await;
    context_field(&app, "region", json!([{ "value": "eu" }])).await;
    context_field(&app, "plan", json!([{ "value": "gold" }, { "value": "silver" }])).await;
    app
}

#[tokio::test]
async fn each_error_names_what_it_concerns_and_refuses_the_import_without_a_trace() {
    let app = furnished().await;
    let before = everything(&app).await;
    for (data, word, items) in faulty() {
        let findings = validate(&app.admin(), data.clone()).await;
        let errors = findings["errors"].as_array().expect("errors");
        assert_eq!(errors.len(), 1, "{data}: {findings}");
        assert!(errors[0]["message"].as_str().is_some_and(|message| message.contains(word)), "{word}: {findings}");
        assert_eq!(errors[0]["affectedItems"], json!(items));
        app.admin().post(IMPORT, request(data)).await.refused(400, "ValidationError", word);
    }
    assert_eq!(everything(&app).await, before);
}

#[tokio::test]
async fn errors_come_in_their_order() {
    let app = furnished().await;
    let findings = validate(
        &app.admin(),
        json!({
            "features": [{ "name": "elsewhere" }, { "name": "a b" }, { "name": "a b" }],
            "featureStrategies": [{ "name": "nonesuch", "featureName": "a b" }],
            "contextFields": [{ "name": "region", "legalValues": [{ "value": "us" }] }],
            "segments": [{ "id": 1, "name": "none" }],
            "dependencies": [{ "feature": "a b", "dependencies": [{ "feature": "nowhere" }] }],
        }),
    )
    .await;
    let words = [
        "strategy types",
        "legal values",
        "other projects",
        "more than once",
        "segments",
        "depend on these",
        "URL friendly",
    ];
    let errors = findings["errors"].as_array().expect("errors");
    assert_eq!(errors.len(), words.len(), "{findings}");
    for (error, word) in errors.iter().zip(words) {
        assert!(error["message"].as_str().is_some_and(|message| message.contains(word)), "{word}: {error}");
    }
}

#[tokio::test]
async fn the_naming_pattern_judges_all_names_and_is_quoted_with_its_example_and_meaning() {
    let app = shop().await;
    set_up_project(&app, |project| {
        project.naming_pattern = Set(Some("[a-z]+\\.[a-z]+".to_owned()));
        project.naming_example = Set(Some("shop.cart".to_owned()));
        project.naming_description = Set(Some("team.topic".to_owned()));
    })
    .await;
    let data = json!({ "features": [{ "name": "z" }, { "name": "shop.cart" }, { "name": "a.B" }] });
    let findings = validate(&app.admin(), data.clone()).await;
    assert_eq!(findings["errors"][0]["affectedItems"], json!(["a.B", "z"]));
    for word in ["[a-z]+\\.[a-z]+", "shop.cart", "team.topic"] {
        assert!(findings["errors"][0]["message"].as_str().is_some_and(|message| message.contains(word)), "{word}");
    }
    app.admin().post(IMPORT, request(data)).await.refused(400, "ValidationError", "must match the pattern");
    import(&app.admin(), json!({ "features": [{ "name": "shop.cart" }] })).await;
}

#[tokio::test]
async fn the_feature_limit_counts_active_features_and_new_names() {
    let app = shop().await;
    app.feature("shop", "kept").await;
    app.feature("shop", "gone").await;
    archive(&app, "gone").await;
    set_up_project(&app, |project| project.feature_limit = Set(Some(2))).await;
    let fits = json!({ "features": [{ "name": "kept" }, { "name": "one" }] });
    let exceeds = json!({ "features": [{ "name": "kept" }, { "name": "one" }, { "name": "two" }] });
    assert_eq!(validate(&app.admin(), fits.clone()).await["errors"], json!([]));
    let findings = validate(&app.admin(), exceeds.clone()).await;
    assert_eq!(findings["errors"][0]["affectedItems"], json!([]));
    assert!(findings["errors"][0]["message"].as_str().is_some_and(|text| text.contains("add 2 features to the 1")));
    app.admin().post(IMPORT, request(exceeds)).await.refused(400, "ValidationError", "at most 2");
    import(&app.admin(), fits).await;
}

#[tokio::test]
async fn warnings_tell_what_may_surprise_in_their_order() {
    let app = shop().await;
    app.project("other").await;
    custom_strategy(&app, "byWeather").await;
    app.feature("shop", "there").await;
    app.feature("shop", "shelved").await;
    archive(&app, "shelved").await;
    let data = json!({
        "features": [{ "name": "there", "type": "unheard" }, { "name": "shelved" }, { "name": "new" }],
        "featureStrategies": [
            { "name": "byWeather", "featureName": "there" },
            { "name": "byWeather", "featureName": "new" },
            { "name": "default", "featureName": "stranger" }
        ],
    });
    let findings = validate(&app.admin(), data.clone()).await;
    assert_eq!(findings["errors"], json!([]));
    let items: Vec<&Value> =
        findings["warnings"].as_array().expect("warnings").iter().map(|warning| &warning["affectedItems"]).collect();
    assert_eq!(
        items,
        [&json!(["byWeather"]), &json!(["shelved"]), &json!(["there"]), &json!(["unheard"]), &json!(["stranger"])]
    );
    import(&app.admin(), data).await;
}

#[tokio::test]
async fn an_empty_data_set_has_no_findings_and_validation_stores_nothing() {
    let app = shop().await;
    let before = everything(&app).await;
    assert_eq!(validate(&app.admin(), json!({})).await, json!({ "errors": [], "warnings": [], "permissions": [] }));
    validate(&app.admin(), json!({ "features": [{ "name": "a" }] })).await;
    assert_eq!(everything(&app).await, before);
}

#[tokio::test]
async fn an_environment_that_the_project_does_not_use_matters_when_it_is_configured() {
    let app = shop().await;
    let to_default = |members: Value| {
        let mut request = request(members);
        request["environment"] = "default".into();
        request
    };
    let plain = to_default(json!({ "features": [{ "name": "a" }] }));
    let configured = to_default(json!({
        "features": [{ "name": "a" }],
        "featureEnvironments": [{ "name": "a", "enabled": true }],
    }));
    let findings = app.admin().post(VALIDATE, configured.clone()).await.expect(200);
    assert_eq!(findings["errors"][0]["affectedItems"], json!(["default"]));
    app.admin().post(IMPORT, configured).await.refused(400, "ValidationError", "does not use this environment");
    app.admin().post(IMPORT, plain).await.expect(200);
}

#[tokio::test]
async fn unknown_targets_are_not_found() {
    let app = shop().await;
    for path in [VALIDATE, IMPORT] {
        for (member, value, word) in
            [("project", "nope", "no project named \"nope\""), ("environment", "nope", "no environment named \"nope\"")]
        {
            let mut body = request(json!({}));
            body[member] = value.into();
            app.admin().post(path, body).await.refused(404, "NotFoundError", word);
        }
    }
    set_up_project(&app, |project| project.archived_at = Set(Some(app.clock.now()))).await;
    app.admin().post(VALIDATE, request(json!({}))).await.refused(404, "NotFoundError", "shop");
}

#[tokio::test]
async fn what_the_schema_forbids_is_refused_by_name() {
    let app = shop().await;
    let cases = [
        (json!({ "features": "x" }), "/body/data/features"),
        (json!({ "features": [{}] }), "/body/data/features/0/name"),
        (json!({ "featureTags": [{ "featureName": "a" }] }), "/body/data/featureTags/0/tagValue"),
        (
            json!({ "featureStrategies": [{ "name": "x", "constraints": [{ "contextName": "a", "operator": "NO" }] }] }),
            "/body/data/featureStrategies/0/constraints/0/operator",
        ),
        (
            json!({ "featureStrategies": [{ "name": "x", "variants": [
            { "name": "v", "weight": 1001, "weightType": "fix", "stickiness": "s" }
        ] }] }),
            "/body/data/featureStrategies/0/variants/0/weight",
        ),
        (json!({ "contextFields": [{ "name": "f", "sortOrder": 1e30 }] }), "/body/data/contextFields/0/sortOrder"),
    ];
    for path in [VALIDATE, IMPORT] {
        for (data, property) in &cases {
            app.admin().post(path, request(data.clone())).await.refused(400, "ValidationError", property);
        }
        let bare = json!({ "project": "shop", "environment": "development" });
        app.admin().post(path, bare).await.refused(400, "ValidationError", "/body/data");
    }
}
