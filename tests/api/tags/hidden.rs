//! Tags of features that the caller may not see.

use super::*;
use crate::{
    authorization::{access::Access, somebody_with},
    harness::role,
};

const BETA: &str = "/api/admin/tags/simple/beta";

async fn values(client: &Client) -> Vec<String> {
    let tags = client.get(TAGS).await.expect(200);
    let values = tags["tags"].as_array().expect("tags").iter();
    values.map(|tag| tag["value"].as_str().expect("a value").to_owned()).collect()
}

async fn of_feature(app: &TestApp, feature: &str) -> Value {
    app.admin().get(&format!("/api/admin/features/{feature}/tags")).await.expect(200)["tags"].clone()
}

#[tokio::test]
async fn a_tag_stays_as_hidden_as_the_feature_that_was() {
    let app = shop().await;
    let hidden = hide(&app).await;
    app.tag(hidden, "simple", "spy").await;
    app.tag(app.feature("shop", "g").await, "simple", "beta").await;
    let admin = app.admin();
    delete(&admin, "/api/admin/projects/secret/features/hidden").await.expect(202);
    delete(&admin, "/api/admin/archive/hidden").await.expect(200);
    delete(&admin, "/api/admin/features/g/tags/simple/beta").await.expect(200);
    let viewer = app.viewer().await;
    assert_eq!(values(&viewer).await, ["beta"]);
    viewer.get("/api/admin/tags/simple/spy").await.refused(404, "NotFoundError", "spy");
    assert_eq!(values(&app.member("secret").await).await, ["beta", "spy"]);
    assert_eq!(values(&admin).await, ["beta", "spy"]);
}

#[tokio::test]
async fn making_a_tag_does_not_tell_that_hidden_features_carry_it() {
    let app = shop().await;
    app.tag(hide(&app).await, "simple", "spy").await;
    let member = app.member("shop").await;
    let before = app.events().await.len();
    let made = member.post(TAGS, tag("simple", "spy")).await.expect(201);
    assert_eq!(made, json!({ "version": 1, "tag": tag("simple", "spy") }));
    assert_eq!(told(&app, before).await, [json!(["tag-created", null, tag("simple", "spy"), null, 0])]);
    assert_eq!(values(&member).await, ["spy"]);
    assert_eq!(of_feature(&app, "hidden").await, json!([tag("simple", "spy")]));
    member.post(TAGS, tag("simple", "spy")).await.refused(409, "NameExistsError", "spy");
}

#[tokio::test]
async fn a_new_feature_brings_a_tag_that_only_hidden_ones_carry_as_if_nothing_did() {
    let app = shop().await;
    app.tag(hide(&app).await, "simple", "spy").await;
    let member = app.member("shop").await;
    let before = app.events().await.len();
    let body = json!({ "name": "cart", "tags": [tag("simple", "spy")] });
    member.post("/api/admin/projects/shop/features", body).await.expect(201);
    assert_eq!(app.event_types().await[before..], ["feature-created", "tag-created", "feature-tagged"]);
    assert_eq!(values(&member).await, ["spy"]);
    assert_eq!(of_feature(&app, "hidden").await, json!([tag("simple", "spy")]));
}

#[tokio::test]
async fn who_may_change_no_feature_makes_no_tag() {
    let app = shop().await;
    let before = app.event_types().await;
    let viewer = app.viewer().await;
    viewer.post(TAGS, tag("simple", "beta")).await.refused(403, "NoAccessError", "UPDATE_FEATURE");
    // The permission comes first.
    viewer.post(TAGS, json!({})).await.refused(403, "NoAccessError", "UPDATE_FEATURE");
    assert_eq!((app.event_types().await, values(&app.admin()).await), (before, vec![]));
    app.editor().await.post(TAGS, tag("simple", "beta")).await.expect(201);
    app.person(role::VIEWER, Some(("shop", role::MEMBER))).await.post(TAGS, tag("simple", "gamma")).await.expect(201);
}

#[tokio::test]
async fn removing_a_tag_leaves_hidden_features_alone() {
    let app = shop().await;
    let hidden = hide(&app).await;
    app.tag(hidden, "simple", "beta").await;
    app.tag(app.feature("shop", "g").await, "simple", "beta").await;
    let steward = somebody_with(&app, Access::Instance(&[]), &["UPDATE_FEATURE"]).await;
    let before = app.events().await.len();
    delete(&steward, BETA).await.expect(200);
    let told = told(&app, before).await;
    assert_eq!(
        told,
        [
            json!(["feature-untagged", "g", null, tag("simple", "beta"), 1]),
            json!(["tag-deleted", null, tag("simple", "beta"), null, 0]),
        ]
    );
    assert_eq!(
        (of_feature(&app, "g").await, of_feature(&app, "hidden").await),
        (json!([]), json!([tag("simple", "beta")]))
    );
    assert_eq!(values(&steward).await, [""; 0]);
    delete(&steward, BETA).await.refused(404, "NotFoundError", "beta");
    assert_eq!(values(&app.member("secret").await).await, ["beta"]);
    assert_derived_columns(&app).await;
    // Who sees everything takes it off everything.
    delete(&app.root_admin().await, BETA).await.expect(200);
    assert_eq!((of_feature(&app, "hidden").await, values(&app.admin()).await), (json!([]), vec![]));
}

#[tokio::test]
async fn a_type_whose_tags_hidden_features_carry_stays() {
    let app = shop().await;
    let team = "/api/admin/tag-types/team";
    app.admin().post("/api/admin/tag-types", json!({ "name": "team" })).await.expect(201);
    let hidden = hide(&app).await;
    app.tag(hidden, "team", "spies").await;
    app.tag(app.feature("shop", "g").await, "team", "beta").await;
    let editor = app.editor().await;
    let before = app.event_types().await;
    let refused = delete(&editor, team).await;
    for word in ["secret", "hidden", "spies"] {
        assert!(!refused.text.contains(word), "{}", refused.text);
    }
    refused.refused(409, "TagTypeInUseError", "\"team\"");
    assert_eq!(app.event_types().await, before);
    assert_eq!(of_feature(&app, "hidden").await, json!([tag("team", "spies")]));
    // Nothing hidden is in the way of the other type.
    delete(&editor, "/api/admin/tag-types/simple").await.expect(200);
    let steward = app.root_admin().await;
    delete(&steward, team).await.refused(409, "TagTypeInUseError", "\"hidden\" (project secret)");
    for value in ["spies", "beta"] {
        delete(&steward, &format!("{TAGS}/team/{value}")).await.expect(200);
    }
    delete(&steward, team).await.expect(200);
    assert_eq!(of_feature(&app, "hidden").await, json!([]));
}
