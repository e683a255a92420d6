//! Content of an export, and that it comes back as it went.

use serde_json::{Value, json};

use super::{EXPORT, IMPORT, archive, custom_strategy, export_file, names, segment, shop};
use crate::harness::TestApp;

/// A data set without what differs between instances: ids, owning project and order.
fn comparable(data: &Value) -> Value {
    let list = |key: &str| data[key].as_array().expect("a list").clone();
    let segments: Vec<(Value, Value)> =
        list("segments").into_iter().map(|segment| (segment["id"].clone(), segment["name"].clone())).collect();
    let segment_name = |id: &Value| segments.iter().find(|(known, _)| known == id).expect("a segment").1.clone();
    let sorted = |mut items: Vec<Value>| {
        items.sort_by_key(ToString::to_string);
        items
    };
    let without = |mut item: Value, key: &str| {
        item.as_object_mut().expect("an object").remove(key);
        item
    };
    // Keys in one order, so that equal objects print alike.
    let tidy = |item: Value| {
        let members: std::collections::BTreeMap<String, Value> = serde_json::from_value(item).expect("an object");
        json!(members)
    };
    let mut strategies: std::collections::BTreeMap<String, Vec<Value>> = std::collections::BTreeMap::new();
    for mut strategy in list("featureStrategies") {
        let used = strategy["segments"].as_array().expect("ids").iter().map(segment_name).collect();
        strategy["segments"] = sorted(used).into();
        let feature = strategy["featureName"].as_str().expect("a name").to_owned();
        strategies.entry(feature).or_default().push(without(strategy, "id"));
    }
    let fields: std::collections::BTreeSet<String> = names(&data["contextFields"], "name").into_iter().collect();
    json!({
        "features": sorted(list("features").into_iter().map(|feature| tidy(without(feature, "project"))).collect()),
        "strategies": strategies,
        "environments": sorted(list("featureEnvironments").into_iter().map(tidy).collect()),
        "tags": sorted(list("featureTags").into_iter().map(tidy).collect()),
        "dependencies": sorted(list("dependencies").into_iter().map(tidy).collect()),
        "segments": sorted(segments.into_iter().map(|(_, name)| name).collect()),
        // Those that every instance has keep their own description.
        "tagTypes": sorted(
            list("tagTypes").into_iter().filter(|tag_type| tag_type["name"] != "simple").map(tidy).collect()
        ),
        "contextFields": sorted(
            list("contextFields").into_iter().filter(|field| field["sortOrder"] == 10).map(tidy).collect()
        ),
        "fields": fields,
    })
}

async fn webshop() -> TestApp {
    let app = shop().await;
    custom_strategy(&app, "storeOpeningHours").await;
    // In another order than where the data comes from, so that ids differ.
    for name in ["big-baskets", "alpine", "unrelated", "beta-testers"] {
        segment(&app, name, None).await;
    }
    for environment in ["development", "production"] {
        let data = export_file(&format!("webshop.{environment}.json"));
        let body = json!({ "project": "shop", "environment": environment, "data": data });
        let findings = app.admin().post(super::VALIDATE, body.clone()).await.expect(200);
        assert_eq!((&findings["errors"], &findings["permissions"]), (&json!([]), &json!([])));
        app.admin().post(IMPORT, body).await.expect(200);
    }
    app
}

#[tokio::test]
async fn an_export_equals_the_file_that_was_imported() {
    let app = webshop().await;
    for environment in ["development", "production"] {
        let wanted = json!({ "environment": environment, "project": "shop" });
        let exported = app.admin().post(EXPORT, wanted).await.expect(200);
        let (exported, file) =
            (comparable(&exported), comparable(&export_file(&format!("webshop.{environment}.json"))));
        for (part, expected) in file.as_object().expect("parts") {
            assert_eq!(&exported[part], expected, "{part} in {environment}");
        }
    }
}

#[tokio::test]
async fn the_export_says_everything_in_the_form_of_the_reference() {
    let app = webshop().await;
    let wanted = json!({ "environment": "development", "features": ["account.experiment-a"] });
    let exported = app.admin().post(EXPORT, wanted).await.expect(200);
    let keys = |value: &Value| value.as_object().expect("an object").keys().cloned().collect::<Vec<_>>();
    let file = export_file("webshop.development.json");
    for part in ["features", "featureStrategies", "featureEnvironments", "contextFields"] {
        let (mut ours, mut theirs) = (keys(&exported[part][0]), keys(&file[part][0]));
        ours.sort();
        theirs.sort();
        assert_eq!(ours, theirs, "{part}");
    }
    assert_eq!(exported["featureEnvironments"][0]["name"], "account.experiment-a");
    assert_eq!(exported["features"][0]["project"], "shop");
}

#[tokio::test]
async fn features_are_chosen_by_name_project_and_tag() {
    let app = shop().await;
    app.project("other").await;
    let blue = app.feature("shop", "blue").await;
    let red = app.feature("shop", "red").await;
    let far = app.feature("other", "far").await;
    app.feature("shop", "shelved").await;
    archive(&app, "shelved").await;
    app.tag(blue, "simple", "sea").await;
    app.tag(far, "simple", "sea").await;
    app.tag(red, "simple", "fire").await;
    let cases = [
        (json!({ "project": "shop" }), vec!["blue", "red"]),
        (json!({ "tag": "sea" }), vec!["blue", "far"]),
        (json!({ "tag": "sea", "project": "shop" }), vec!["blue"]),
        (json!({ "features": ["red", "shelved", "red"] }), vec!["red", "shelved"]),
        (json!({ "features": [], "project": "other" }), vec!["far"]),
        (json!({ "features": [] }), vec!["blue", "far", "red"]),
        (json!({ "features": ["red", "far"], "project": "other" }), vec!["far"]),
        (json!({ "tag": "%" }), vec![]),
    ];
    for (mut wanted, expected) in cases {
        wanted["environment"] = "development".into();
        let exported = app.viewer().await.post(EXPORT, wanted.clone()).await.expect(200);
        assert_eq!(names(&exported["features"], "name"), expected, "{wanted}");
    }
}

#[tokio::test]
async fn what_to_export_has_to_be_said() {
    let app = shop().await;
    let nothing = app.admin().post(EXPORT, json!({ "environment": "development" })).await;
    let details = names(&nothing.body["details"], "path");
    nothing.refused(400, "ValidationError", "/body/features");
    assert_eq!(details, ["/body/features", "/body/project", "/body/tag"]);
    app.admin().post(EXPORT, json!({ "project": "shop" })).await.refused(400, "ValidationError", "/body/environment");
    assert_eq!(app.event_types().await, [""; 0]);
}

#[tokio::test]
async fn the_log_keeps_names_only() {
    let app = shop().await;
    app.feature("shop", "b").await;
    app.feature("shop", "a").await;
    let owner = app.owner("shop").await;
    owner.post(EXPORT, json!({ "environment": "development", "project": "shop" })).await.expect(200);
    let events = app.events().await;
    let event = events.last().expect("an event");
    assert_eq!(
        (event.r#type.as_str(), event.data.as_deref()),
        ("features-exported", Some(r#"{"features":["a","b"]}"#))
    );
    assert_eq!((&event.project, &event.environment, event.created_by_user_id), (&None, &None, owner.user_id));
}
