//! Listing the features of a project.

use std::collections::BTreeMap;

use flagstone::{
    domain::{
        actor::ADMIN_TOKEN_USER_ID,
        feature_document::FeatureDocument,
        ids::{FeatureName, ProjectId},
        strategy::StrategyDefinition,
        tag::Tag,
        variant::FeatureVariant,
    },
    store::{self, projects::NewProject},
};
use poem::http::Method;
use serde_json::{Value, json};

use super::{SHOP, shop};
use crate::harness::{TestApp, add_strategy, encoded, role};

async fn names(app: &TestApp, path: &str) -> Vec<String> {
    let body = app.admin().get(path).await.expect(200);
    let features = body["features"].as_array().expect("features").clone();
    features.iter().map(|feature| feature["name"].as_str().expect("a name").to_owned()).collect()
}

fn variant(name: &str) -> FeatureVariant {
    serde_json::from_value(json!({ "name": name, "weight": 500 })).expect("a variant")
}

#[tokio::test]
async fn shows_everything_about_a_feature_but_strategies_and_variants() {
    let app = shop().await;
    let reader = app.viewer().await;
    let id = app.feature("shop", "checkout").await;
    app.tag(id, "simple", "beta").await;
    app.tag(id, "simple", "alpha").await;
    app.clock.advance(1000);
    let now = app.clock.now();
    let parent = app.feature("shop", "parent").await;
    let tx = app.tx().await;
    store::features::set_enabled(&tx, id, "production", true).await.expect("on");
    let strategy = StrategyDefinition { name: "default".to_owned(), disabled: true, ..StrategyDefinition::default() };
    add_strategy(&tx, id, "production", &strategy, now).await.expect("a strategy");
    store::features::variants::set(&tx, id, "development", &[variant("a"), variant("b")]).await.expect("variants");
    store::features::dependencies::add(&tx, id, parent, true, &["blue".to_owned()]).await.expect("a dependency");
    store::features::favorites::add_feature(&tx, reader.user_id.expect("a person"), id, now)
        .await
        .expect("a favourite");
    app.commit(tx).await;

    let body = reader.get(SHOP).await.expect(200);
    assert_eq!(body["version"], 2);
    let by_token = json!({
        "id": -42, "name": body["features"][0]["createdBy"]["name"], "imageUrl": body["features"][0]["createdBy"]["imageUrl"],
    });
    let environment = |name: &str, sort_order: i64, enabled: bool, strategies: bool, variants: i64| {
        json!({
            "name": name, "type": name, "enabled": enabled, "sortOrder": sort_order, "variantCount": variants,
            "lastSeenAt": null, "hasStrategies": strategies, "hasEnabledStrategies": false,
        })
    };
    assert_eq!(
        body["features"][0],
        json!({
            "name": "checkout", "type": "release", "description": null, "archived": false, "project": "shop",
            "enabled": true, "stale": false, "favorite": true, "impressionData": false,
            "createdAt": "2026-01-15T12:00:00.000Z", "createdBy": by_token, "archivedAt": null, "lastSeenAt": null,
            "environments": [
                environment("development", 2, false, false, 2),
                environment("production", 3, true, true, 0),
            ],
            "tags": [{ "type": "simple", "value": "alpha" }, { "type": "simple", "value": "beta" }],
            "children": [],
            "lifecycle": { "stage": "initial", "enteredStageAt": "2026-01-15T12:00:00.000Z" },
            "dependencies": [{ "feature": "parent", "enabled": true, "variants": ["blue"] }],
        })
    );
    let parent = &body["features"][1];
    assert_eq!(parent["children"], json!(["checkout"]));
    assert_eq!((&parent["enabled"], &parent["favorite"]), (&json!(false), &json!(false)));
    assert_eq!(parent.get("tags"), None);
}

#[tokio::test]
async fn every_feature_keeps_its_own_marks_and_its_own_creator() {
    let app = shop().await;
    let ada = app.member("shop").await;
    let marks = |name: &str, stale: bool, impressions: bool| json!({ "name": name, "stale": stale, "impressionData": impressions });
    for (client, name, stale, impressions) in [
        (&app.admin(), "neither", false, false),
        (&app.admin(), "stale", true, false),
        (&ada, "impressions", false, true),
        (&ada, "both", true, true),
    ] {
        let feature = json!({ "name": name, "impressionData": impressions });
        client.post(SHOP, feature).await.expect(201);
        let mark = json!([{ "op": "replace", "path": "/stale", "value": stale }]);
        client.patch(&format!("{SHOP}/{name}"), mark).await.expect(200);
        app.clock.advance(1);
    }
    let strategy = json!({ "name": "default" });
    ada.post(&format!("{SHOP}/both/environments/production/strategies"), strategy).await.expect(200);
    ada.request(Method::POST, &format!("{SHOP}/stale/environments/development/on"), &[], vec![]).await.expect(200);

    let body = app.admin().get(SHOP).await.expect(200);
    let of = |feature: &Value| {
        let environments = feature["environments"].as_array().expect("environments").iter();
        let flags = ["enabled", "hasStrategies", "hasEnabledStrategies"];
        let states: Vec<_> = environments.map(|environment| flags.map(|flag| environment[flag].clone())).collect();
        (
            marks(
                feature["name"].as_str().expect("a name"),
                feature["stale"] == true,
                feature["impressionData"] == true,
            ),
            feature["createdBy"]["id"].as_i64(),
            json!(states),
        )
    };
    let features: Vec<_> = body["features"].as_array().expect("features").iter().map(of).collect();
    let (on, off, ready) = ([true, true, true], [false, false, false], [false, true, true]);
    assert_eq!(
        features,
        [
            (marks("neither", false, false), Some(-42), json!([off, off])),
            (marks("stale", true, false), Some(-42), json!([on, off])),
            (marks("impressions", false, true), ada.user_id, json!([off, off])),
            (marks("both", true, true), ada.user_id, json!([off, ready])),
        ]
    );
}

#[tokio::test]
async fn favourites_are_those_of_the_caller_and_a_token_has_none() {
    let app = shop().await;
    let id = app.feature("shop", "f").await;
    let (fan, other) = (app.viewer().await, app.viewer().await);
    let tx = app.tx().await;
    store::features::favorites::add_feature(&tx, fan.user_id.expect("a person"), id, app.clock.now())
        .await
        .expect("marks");
    app.commit(tx).await;
    let of =
        async |client: crate::harness::Client| client.get(SHOP).await.expect(200)["features"][0]["favorite"].clone();
    assert_eq!(of(fan).await, true);
    assert_eq!(of(other).await, false);
    assert_eq!(of(app.admin()).await, Value::Null);
    let body = app.admin().get(SHOP).await.expect(200);
    assert_eq!(body["features"][0].get("favorite"), None);
}

#[tokio::test]
async fn the_oldest_comes_first_and_equally_old_ones_follow_by_name() {
    let app = shop().await;
    for name in ["b", "B", "a"] {
        app.feature("shop", name).await;
    }
    app.clock.advance(-1000);
    app.feature("shop", "z").await;
    assert_eq!(names(&app, SHOP).await, ["z", "B", "a", "b"]);
}

#[tokio::test]
async fn archived_features_and_those_of_other_projects_stay_out() {
    let app = shop().await;
    app.project("other").await;
    app.feature("shop", "kept").await;
    app.feature("other", "elsewhere").await;
    assert_eq!(names(&app, SHOP).await, ["kept"]);
    assert_eq!(names(&app, "/api/admin/projects/other/features?archived=true&unknown=1").await, ["elsewhere"]);
}

#[tokio::test]
async fn tags_are_alternatives_and_all_tags_of_a_match_are_shown() {
    let app = shop().await;
    let tagged: BTreeMap<&str, &[&str]> =
        BTreeMap::from([("a", &["one"][..]), ("b", &["two", "one more"]), ("c", &["three"]), ("d", &[])]);
    for (name, values) in tagged {
        let id = app.feature("shop", name).await;
        for value in values {
            app.tag(id, "simple", value).await;
        }
    }
    assert_eq!(names(&app, &format!("{SHOP}?tag=simple:one")).await, ["a"]);
    assert_eq!(names(&app, &format!("{SHOP}?tag=simple:one&tag=simple:two&tag=simple:two")).await, ["a", "b"]);
    assert_eq!(names(&app, &format!("{SHOP}?tag%5B%5D=simple:three")).await, ["c"]);
    assert_eq!(names(&app, &format!("{SHOP}?tag=other:one")).await, Vec::<String>::new());
    let body = app.admin().get(&format!("{SHOP}?tag=simple:two")).await.expect(200);
    let tags: Vec<Tag> = serde_json::from_value(body["features"][0]["tags"].clone()).expect("tags");
    assert_eq!(tags.iter().map(|tag| tag.value.as_str()).collect::<Vec<_>>(), ["one more", "two"]);
}

#[tokio::test]
async fn lists_that_fill_the_room_for_them_are_told_again_as_they_were_and_follow_changes() {
    let app = shop().await;
    let tx = app.tx().await;
    for number in 0..100 {
        let new = FeatureDocument {
            description: Some(format!("“{number}” {}", "ä".repeat(5000))),
            ..FeatureDocument::new(FeatureName::new(&format!("flag-{number}")), ProjectId::new("shop"), app.clock.now())
        };
        store::features::insert(&tx, &new, ADMIN_TOKEN_USER_ID).await.expect("a feature");
    }
    app.commit(tx).await;
    let mut readers = Vec::new();
    for _ in 0..12 {
        readers.push(app.viewer().await);
    }
    let first = readers[0].get(SHOP).await.expect(200);
    assert_eq!(first["features"].as_array().map(Vec::len), Some(100));
    for reader in readers.iter().chain(&readers) {
        assert_eq!(reader.get(SHOP).await.expect(200), first);
    }
    app.admin()
        .patch(&format!("{SHOP}/flag-7"), json!([{ "op": "replace", "path": "/stale", "value": true }]))
        .await
        .expect(200);
    let mut second = first;
    let changed = second["features"].as_array_mut().and_then(|all| all.iter_mut().find(|one| one["name"] == "flag-7"));
    changed.expect("the feature")["stale"] = json!(true);
    for reader in readers.iter().chain(&readers) {
        assert_eq!(reader.get(SHOP).await.expect(200), second);
    }
}

#[tokio::test]
async fn a_tag_without_a_colon_and_too_many_tags_are_refused() {
    let app = shop().await;
    for text in ["simple", "simple:", ":one", ""] {
        let answer = app.admin().get(&format!("{SHOP}?tag=simple:one&tag={}", encoded(text))).await;
        answer.refused(400, "ValidationError", "`tag`");
    }
    let many: Vec<String> = (0..101).map(|number| format!("tag=simple:{number}")).collect();
    app.admin().get(&format!("{SHOP}?{}", many.join("&"))).await.refused(400, "ValidationError", "`tag`");
}

#[tokio::test]
async fn a_prefix_ignores_case_and_knows_no_wildcards() {
    let app = shop().await;
    for name in ["New-Checkout", "new_search", "news", "old", "100", "a~b"] {
        app.feature("shop", name).await;
    }
    let starting = async |prefix: &str| names(&app, &format!("{SHOP}?namePrefix={}", encoded(prefix))).await;
    assert_eq!(starting("NEW-").await, ["New-Checkout"]);
    assert_eq!(starting("new_").await, ["new_search"]);
    assert_eq!(starting("new").await.len(), 3);
    assert_eq!(starting("").await.len(), 6);
    for nothing in ["%", "_", "ew", "\\", "old\n", "\0", "o\0", &"x".repeat(5000)] {
        assert_eq!(starting(nothing).await, Vec::<String>::new(), "{nothing:?}");
    }
    let twice = app.admin().get(&format!("{SHOP}?namePrefix=a&namePrefix=b")).await;
    twice.refused(400, "ValidationError", "`namePrefix`");
}

#[tokio::test]
async fn a_tag_that_cannot_be_stored_matches_nothing() {
    let app = shop().await;
    let id = app.feature("shop", "f").await;
    app.tag(id, "simple", "one").await;
    assert_eq!(names(&app, &format!("{SHOP}?tag=simple:o%00")).await, Vec::<String>::new());
    assert_eq!(names(&app, &format!("{SHOP}?tag=simple:o%00&tag=simple:one")).await, ["f"]);
    assert_eq!(names(&app, "/api/admin/projects/shop%00/features").await, Vec::<String>::new());
}

#[tokio::test]
async fn an_unknown_project_and_a_hidden_one_are_empty() {
    let app = TestApp::new().await;
    let tx = app.tx().await;
    let secret = NewProject { mode: "private".to_owned(), ..NewProject::named("secret", "Secret") };
    store::projects::insert(&tx, &secret, app.clock.now()).await.expect("a project");
    app.commit(tx).await;
    app.feature("secret", "hidden").await;
    let path = "/api/admin/projects/secret/features";
    let empty = json!({ "version": 2, "features": [] });
    assert_eq!(app.viewer().await.get(path).await.expect(200), empty);
    assert_eq!(app.admin().get("/api/admin/projects/nowhere/features").await.expect(200), empty);
    assert_eq!(names(&app, path).await, ["hidden"]);
    let member = app.person(role::VIEWER, Some(("secret", role::MEMBER))).await;
    assert_eq!(member.get(path).await.expect(200)["features"][0]["name"], "hidden");
}
