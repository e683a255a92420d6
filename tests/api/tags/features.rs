//! The tags of features, one feature and many at a time.

use poem::http::Method;
use serde_json::{Value, json};

use super::{delete, hide, shop, tag, told};
use crate::{
    harness::{TestApp, encoded, role},
    schema::assert_derived_columns,
};

const PATH: &str = "/api/admin/features/f/tags";
const BULK: &str = "/api/admin/projects/shop/tags";

async fn tags_of(app: &TestApp, feature: &str) -> Value {
    app.admin().get(&format!("/api/admin/features/{feature}/tags")).await.expect(200)["tags"].clone()
}

#[tokio::test]
async fn tagging_makes_the_tag_once_and_tells_each_change_once() {
    let app = shop().await;
    app.feature("shop", "g").await;
    let beta = tag("simple", " Beta ");
    let member = app.member("shop").await;
    assert_eq!(member.post(PATH, beta.clone()).await.expect(201), beta);
    assert_eq!(member.post(PATH, beta.clone()).await.expect(201), beta);
    member.post("/api/admin/features/g/tags", beta.clone()).await.expect(201);
    assert_eq!(member.get(PATH).await.expect(200), json!({ "version": 1, "tags": [beta] }));
    let one = format!("{PATH}/simple/{}", encoded(" Beta "));
    for _ in 0..2 {
        assert_eq!(delete(&member, &one).await.expect(200), Value::Null);
    }
    assert_eq!(tags_of(&app, "f").await, json!([]));
    assert_eq!(tags_of(&app, "g").await, json!([beta]));
    assert_eq!(
        told(&app, 0).await,
        [
            json!(["tag-created", null, beta, null, 0]),
            json!(["feature-tagged", "f", beta, null, 1]),
            json!(["feature-tagged", "g", beta, null, 1]),
            json!(["feature-untagged", "f", null, beta, 1]),
        ]
    );
    let projects: Vec<_> = app.events().await.into_iter().map(|event| event.project).collect();
    assert_eq!(projects, [None, Some("shop".to_owned()), Some("shop".to_owned()), Some("shop".to_owned())]);
    let found = app.admin().get("/api/admin/search/features?query=beta").await.expect(200);
    assert_eq!(found["total"], 1);
    assert_derived_columns(&app).await;
}

#[tokio::test]
async fn any_value_can_be_taken_off_by_its_encoded_form() {
    let app = shop().await;
    for value in ["a/b", "50%", "a?b#c", "...", "%2F", "ä ü", "a+b", "\"'\\"] {
        app.admin().post(PATH, tag("simple", value)).await.expect(201);
        delete(&app.admin(), &format!("{PATH}/simple/{}", encoded(value))).await.expect(200);
        assert_eq!(tags_of(&app, "f").await, json!([]), "{value}");
        let last = told(&app, 0).await.pop().expect("an event");
        assert_eq!(last, json!(["feature-untagged", "f", null, tag("simple", value), 1]));
    }
    // What the feature does not have is taken off without a word.
    let events = app.events().await.len();
    for rest in ["simple/none", "none/beta", "simple/%00"] {
        delete(&app.admin(), &format!("{PATH}/{rest}")).await.expect(200);
    }
    assert_eq!(app.events().await.len(), events);
    assert_derived_columns(&app).await;
}

#[tokio::test]
async fn several_changes_happen_together_or_not_at_all() {
    let app = shop().await;
    for value in ["aa", "bb"] {
        app.admin().post(PATH, tag("simple", value)).await.expect(201);
    }
    let from = app.events().await.len();
    let change = json!({
        "addedTags": [tag("simple", "cc"), tag("simple", "aa"), tag("simple", "cc")],
        "removedTags": [tag("simple", "bb"), tag("simple", "none"), tag("none", "none")],
    });
    let after = json!({ "version": 1, "tags": [tag("simple", "aa"), tag("simple", "cc")] });
    assert_eq!(app.admin().json(Method::PUT, PATH, change.clone()).await.expect(200), after);
    assert_eq!(app.admin().json(Method::PUT, PATH, change).await.expect(200), after);
    assert_eq!(app.admin().get(PATH).await.expect(200), after);
    assert_eq!(
        told(&app, from).await,
        [
            json!(["tag-created", null, tag("simple", "cc"), null, 0]),
            json!(["feature-tagged", "f", tag("simple", "cc"), null, 3]),
            json!(["feature-untagged", "f", null, tag("simple", "bb"), 3]),
        ]
    );
    let count = app.events().await.len();
    let many = vec![tag("simple", "many"); 101];
    for (body, property) in [
        (json!({}), "/body/addedTags"),
        (json!({ "addedTags": [] }), "/body/removedTags"),
        (json!({ "addedTags": many, "removedTags": [] }), "/body/addedTags"),
        (json!({ "addedTags": [tag("simple", "x")], "removedTags": [] }), "/body/addedTags/0/value"),
        (
            json!({ "addedTags": [tag("simple", "dd"), tag("none", "dd")], "removedTags": [tag("simple", "aa")] }),
            "/body/addedTags/1/type",
        ),
        (json!({ "addedTags": [tag("simple", "dd")], "removedTags": [tag("simple", "dd")] }), "/body/removedTags/0"),
    ] {
        app.admin().json(Method::PUT, PATH, body).await.refused(400, "ValidationError", property);
    }
    assert_eq!(app.admin().get(PATH).await.expect(200), after);
    assert_eq!(app.events().await.len(), count);
    assert_derived_columns(&app).await;
}

#[tokio::test]
async fn a_stale_change_of_tags_is_refused_and_changes_nothing() {
    let app = shop().await;
    let etag = app.admin().get(PATH).await.headers["etag"].to_str().expect("text").to_owned();
    app.admin().post(PATH, tag("simple", "aa")).await.expect(201);
    let headers = [("content-type", "application/json"), ("if-match", &*etag)];
    let changes = json!({ "addedTags": [tag("simple", "bb")], "removedTags": [] });
    for (method, path, body) in [
        (Method::POST, PATH.to_owned(), tag("simple", "bb").to_string()),
        (Method::PUT, PATH.to_owned(), changes.to_string()),
        (Method::DELETE, format!("{PATH}/simple/aa"), String::new()),
    ] {
        let late = app.admin().request(method, &path, &headers, body.into_bytes()).await;
        late.refused(412, "PreconditionFailedError", "changed");
    }
    assert_eq!(tags_of(&app, "f").await, json!([tag("simple", "aa")]));
    let etag = app.admin().get(PATH).await.headers["etag"].to_str().expect("text").to_owned();
    let headers = [("if-match", &*etag)];
    app.admin().request(Method::DELETE, &format!("{PATH}/simple/aa"), &headers, vec![]).await.expect(200);
}

#[tokio::test]
async fn a_hidden_feature_is_refused_like_one_that_does_not_exist() {
    let app = shop().await;
    hide(&app).await;
    app.project("other").await;
    app.feature("other", "elsewhere").await;
    let (member, viewer) = (app.member("shop").await, app.viewer().await);
    let path = |feature: &str| format!("/api/admin/features/{feature}/tags");
    for feature in ["hidden", "unknown", "%00"] {
        for client in [&member, &viewer] {
            client.get(&path(feature)).await.refused(404, "NotFoundError", "There is no feature named");
        }
        let answer = member.post(&path(feature), tag("simple", "aa")).await;
        answer.refused(404, "NotFoundError", "There is no feature named");
        let answer = delete(&member, &format!("{}/simple/aa", path(feature))).await;
        answer.refused(404, "NotFoundError", "There is no feature named");
        viewer.post(&path(feature), json!("x")).await.refused(403, "NoAccessError", "UPDATE_FEATURE");
    }
    member.post(&path("elsewhere"), json!("x")).await.refused(403, "NoAccessError", "UPDATE_FEATURE");
    app.person(role::VIEWER, Some(("secret", role::MEMBER)))
        .await
        .post(&path("hidden"), tag("simple", "aa"))
        .await
        .expect(201);
    let names = json!({ "features": ["hidden"], "tags": { "addedTags": [tag("simple", "aa")], "removedTags": [] } });
    let answer = member.json(Method::PUT, BULK, names).await;
    assert!(!answer.text.contains("secret"), "{}", answer.text);
    answer.refused(400, "ValidationError", "names the feature of this project \"hidden\", which does not exist");
}

#[tokio::test]
async fn many_features_change_together_and_a_dry_run_changes_none() {
    let app = shop().await;
    app.feature("shop", "g").await;
    app.feature("shop", "old").await;
    app.feature("default", "elsewhere").await;
    let archive = json!([{ "op": "replace", "path": "/archived", "value": true }]);
    app.admin().patch("/api/admin/projects/shop/features/old", archive).await.expect(200);
    app.admin().post(PATH, tag("simple", "bb")).await.expect(201);
    let from = app.events().await.len();
    let wish = |names: &[&str]| {
        json!({
            "features": names,
            "tags": { "addedTags": [tag("simple", "aa")], "removedTags": [tag("simple", "bb")] },
        })
    };
    let all = wish(&["old", "f", "g", "f"]);
    let member = app.member("shop").await;
    let dry = member.json(Method::PUT, &format!("{BULK}?dryRun=true"), all.clone()).await.expect(200);
    assert_eq!((app.events().await.len(), &dry["dryRun"]), (from, &json!(true)));
    assert_eq!(tags_of(&app, "f").await, json!([tag("simple", "bb")]));
    let done = member.json(Method::PUT, BULK, all.clone()).await.expect(200);
    assert_eq!((&done["dryRun"], &done["events"]), (&json!(false), &dry["events"]));
    assert_eq!(
        told(&app, from).await,
        [
            json!(["tag-created", null, tag("simple", "aa"), null, 0]),
            json!(["feature-tagged", "old", tag("simple", "aa"), null, 1]),
            json!(["feature-tagged", "f", tag("simple", "aa"), null, 2]),
            json!(["feature-untagged", "f", null, tag("simple", "bb"), 2]),
            json!(["feature-tagged", "g", tag("simple", "aa"), null, 1]),
        ]
    );
    for feature in ["old", "f", "g"] {
        assert_eq!(tags_of(&app, feature).await, json!([tag("simple", "aa")]), "{feature}");
    }
    let again = member.json(Method::PUT, BULK, all).await.expect(200);
    assert_eq!(again, json!({ "dryRun": false, "events": [] }));
    let count = app.events().await.len();
    let other = wish(&["g", "elsewhere"]);
    member.json(Method::PUT, BULK, other).await.refused(400, "ValidationError", "/body/features/1");
    let both = json!({ "features": ["g"], "tags": { "addedTags": [tag("a", "bb")], "removedTags": [tag("a", "bb")] } });
    member.json(Method::PUT, BULK, both).await.refused(400, "ValidationError", "/body/tags/removedTags/0");
    let kind = json!({ "features": ["g"], "tags": { "addedTags": [tag("none", "bb")], "removedTags": [] } });
    member.json(Method::PUT, BULK, kind).await.refused(400, "ValidationError", "/body/tags/addedTags/0/type");
    let many: Vec<String> = (0..501).map(|number| format!("f{number}")).collect();
    let many = json!({ "features": many, "tags": { "addedTags": [], "removedTags": [] } });
    member.json(Method::PUT, BULK, many).await.refused(400, "ValidationError", "/body/features");
    assert_eq!(app.events().await.len(), count);
    assert_derived_columns(&app).await;
}
