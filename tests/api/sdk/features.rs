use std::io::Read as _;

use flagstone::store::{self, entity::feature};
use poem::http::Method;
use sea_orm::{ActiveModelTrait, ActiveValue::Set};
use serde_json::json;

use super::{FEATURES, change, constraint, names, segment, strategy, switch};
use crate::{
    harness::{TestApp, add_strategy},
    schema::assert_derived_columns,
};

async fn archive(app: &TestApp, id: i64) {
    let tx = app.tx().await;
    let archived_at = Set(Some(app.clock.now()));
    feature::ActiveModel { id: Set(id), archived_at, ..Default::default() }.update(&tx).await.expect("updates");
    change(app, tx).await;
}

#[tokio::test]
async fn a_program_gets_the_features_of_its_projects_as_they_are_in_its_environment() {
    let app = TestApp::new().await;
    app.project("shop").await;
    app.project("other").await;
    let id = app.feature("shop", "f").await;
    app.feature("shop", "a").await;
    app.feature("other", "hidden").await;
    let old = app.feature("shop", "old").await;
    let parent = app.feature("shop", "parent").await;
    let now = app.clock.now();
    let tx = app.tx().await;
    let mut ruled = strategy(false, &[]);
    ruled.constraints = vec![constraint(&["1"])];
    add_strategy(&tx, id, "development", &strategy(true, &[]), now).await.expect("a strategy");
    add_strategy(&tx, id, "development", &ruled, now).await.expect("a strategy");
    add_strategy(&tx, id, "production", &strategy(false, &[]), now).await.expect("a strategy");
    store::features::dependencies::add(&tx, id, parent, true, &["v".to_owned()]).await.expect("a dependency");
    app.commit(tx).await;
    switch(&app, id, "development", true).await;
    assert_derived_columns(&app).await;
    archive(&app, old).await;

    let answer = app.program(&["shop"], "development").await.get(FEATURES).await.expect(200);
    assert_eq!(names(&answer), ["a", "f", "parent"]);
    assert_eq!(
        answer["features"][1],
        json!({
            "name": "f", "type": "release", "enabled": true, "project": "shop", "stale": false,
            "strategies": [{
                "name": "flexibleRollout",
                "constraints": [{
                    "contextName": "userId", "operator": "IN", "caseInsensitive": false, "inverted": false,
                    "values": ["1"],
                }],
                "parameters": { "rollout": "50" }, "variants": [],
            }],
            "variants": [], "description": null, "impressionData": false,
            "dependencies": [{ "feature": "parent", "enabled": true, "variants": ["v"] }],
        })
    );
    assert_eq!(answer["features"][0]["strategies"], json!([]));
    assert_eq!(
        answer["query"],
        json!({ "environment": "development", "inlineSegmentConstraints": true, "project": ["shop"] })
    );
    assert_eq!(answer["version"], 2);

    let answer = app.program(&["*"], "production").await.get(FEATURES).await.expect(200);
    assert_eq!(names(&answer), ["a", "f", "hidden", "parent"]);
    assert_eq!(answer["features"][1]["enabled"], false);
    assert_eq!(answer["features"][1]["strategies"].as_array().map(Vec::len), Some(1));
    assert_eq!(answer["query"], json!({ "environment": "production", "inlineSegmentConstraints": true }));
    let nowhere = app.program(&["*"], "gone").await.get(FEATURES).await.expect(200);
    assert!(nowhere["features"].as_array().expect("features").iter().all(|feature| feature["enabled"] == false));
}

#[tokio::test]
async fn segments_are_referred_to_or_written_out_as_the_reader_knows() {
    let app = TestApp::new().await;
    app.project("shop").await;
    let id = app.feature("shop", "f").await;
    let tx = app.tx().await;
    let (used, unused) = (segment(&tx, &app, "used").await, segment(&tx, &app, "unused").await);
    add_strategy(&tx, id, "development", &strategy(false, &[used]), app.clock.now()).await.expect("added");
    app.commit(tx).await;
    assert_ne!(used, unused);
    let program = app.program(&["shop"], "development").await;
    let get = async |path: &str, version: &str| {
        program.request(Method::GET, path, &[("Unleash-Client-Spec", version)], vec![]).await
    };
    let written_out = json!([{
        "contextName": "userId", "operator": "IN", "caseInsensitive": false, "inverted": false, "values": ["used"],
    }]);
    let answer = get(FEATURES, "5.2.0").await.expect(200);
    assert_eq!(answer["segments"], json!([{ "id": used, "constraints": written_out }]));
    assert_eq!(answer["features"][0]["strategies"][0]["segments"], json!([used]));
    assert_eq!(answer["features"][0]["strategies"][0]["constraints"], json!([]));
    assert_eq!(answer["query"]["inlineSegmentConstraints"], false);
    let one = get("/api/client/features/f", "4.2.0").await.expect(200);
    assert_eq!(one, answer["features"][0]);
    for old in [get(FEATURES, "4.1.0").await, program.get(FEATURES).await] {
        let answer = old.expect(200);
        assert!(answer.get("segments").is_none());
        assert!(answer["features"][0]["strategies"][0].get("segments").is_none());
        assert_eq!(answer["features"][0]["strategies"][0]["constraints"], written_out);
    }
    let one = program.get("/api/client/features/f").await.expect(200);
    assert_eq!(one["strategies"][0]["constraints"], written_out);
    for path in [FEATURES, "/api/client/features/f"] {
        for version in ["x", "", "5.x.0"] {
            get(path, version).await.refused(400, "ValidationError", "Unleash-Client-Spec");
        }
    }
}

#[tokio::test]
async fn a_question_narrows_the_answer_and_never_widens_it() {
    let app = TestApp::new().await;
    for project in ["shop", "other", "third"] {
        app.project(project).await;
    }
    let id = app.feature("shop", "shop-a").await;
    app.tag(id, "simple", "beta").await;
    app.feature("shop", "shop-b").await;
    app.feature("other", "other-a").await;
    app.feature("third", "third-a").await;
    let program = app.program(&["shop", "other"], "development").await;
    for (query, expected) in [
        ("", &["other-a", "shop-a", "shop-b"][..]),
        ("?project=shop", &["shop-a", "shop-b"]),
        ("?project[]=shop&project[]=other", &["other-a", "shop-a", "shop-b"]),
        ("?project=third", &[]),
        ("?project=*", &["other-a", "shop-a", "shop-b"]),
        ("?namePrefix=shop-", &["shop-a", "shop-b"]),
        ("?namePrefix=SHOP", &[]),
        ("?tag=simple:beta", &["shop-a"]),
        ("?tag=simple:none&tag=simple:beta", &["shop-a"]),
        ("?tag=simple:beta&project=other", &[]),
        ("?environment=production", &["other-a", "shop-a", "shop-b"]),
    ] {
        let answer = program.get(&format!("{FEATURES}{query}")).await.expect(200);
        assert_eq!(names(&answer), expected, "{query}");
        assert_eq!(answer["query"]["environment"], "development", "{query}");
    }
    program.get(&format!("{FEATURES}?tag=beta")).await.refused(400, "ValidationError", "tag");
    let answer = program.get(&format!("{FEATURES}?tag=simple:beta&namePrefix=s&project=shop")).await.expect(200);
    assert_eq!(
        answer["query"],
        json!({
            "environment": "development", "inlineSegmentConstraints": true, "project": ["shop"],
            "tag": [["simple", "beta"]], "namePrefix": "s",
        })
    );
    let admin = app.admin();
    let answer = admin.get(&format!("{FEATURES}?environment=production")).await.expect(200);
    assert_eq!((names(&answer).len(), &answer["query"]["environment"]), (4, &json!("production")));
    assert_eq!(admin.get(FEATURES).await.expect(200)["query"]["environment"], "default");
}

#[tokio::test]
async fn one_feature_is_found_where_the_token_reaches() {
    let app = TestApp::new().await;
    app.project("shop").await;
    app.project("other").await;
    app.feature("shop", "f").await;
    app.feature("other", "hidden").await;
    let old = app.feature("shop", "old").await;
    archive(&app, old).await;
    let program = app.program(&["shop"], "development").await;
    assert_eq!(program.get("/api/client/features/f").await.expect(200)["name"], "f");
    for name in ["hidden", "old", "none", "%00"] {
        program.get(&format!("/api/client/features/{name}")).await.refused(404, "NotFoundError", "feature");
    }
}

#[tokio::test]
async fn who_has_the_answer_is_told_so_until_it_changes() {
    let app = TestApp::new().await;
    app.project("shop").await;
    app.project("other").await;
    let id = app.feature("shop", "f").await;
    let elsewhere = app.feature("other", "g").await;
    let program = app.program(&["shop"], "development").await;
    let first = program.get(FEATURES).await;
    let tag = first.headers["etag"].to_str().expect("text").to_owned();
    let again = async || program.request(Method::GET, FEATURES, &[("If-None-Match", &tag)], vec![]).await;
    let same = again().await;
    assert_eq!((same.status, same.text.as_str()), (304, ""));
    assert_eq!(same.headers["etag"], *tag);
    switch(&app, elsewhere, "development", true).await;
    assert_eq!(again().await.status, 304, "nothing that this program sees has changed");
    switch(&app, id, "production", true).await;
    assert_eq!(again().await.status, 304, "nor in this environment");
    switch(&app, id, "development", true).await;
    let changed = again().await;
    assert_ne!(changed.headers["etag"], *tag);
    assert_eq!(changed.expect(200)["features"][0]["enabled"], true, "seen by the next request");
    switch(&app, id, "development", false).await;
    assert_eq!(again().await.status, 304, "as it was before");
}

#[tokio::test]
async fn answers_are_compressed_for_who_wants_that() {
    let app = TestApp::new().await;
    app.project("shop").await;
    app.feature("shop", "f").await;
    let token = app.program_token(&["shop"], "development", None).await;
    let program = app.with_authorization(&token);
    let plain = program.get(FEATURES).await;
    assert!(plain.headers.get("content-encoding").is_none());
    assert_eq!(plain.headers["vary"], "Accept-Encoding");
    let (headers, bytes) = program.bytes(FEATURES, &[("Accept-Encoding", "br, gzip")]).await;
    assert_eq!(
        (&headers["content-encoding"], &headers["etag"]),
        (&"gzip".parse().expect("valid"), &plain.headers["etag"])
    );
    let mut text = String::new();
    flate2::read::GzDecoder::new(&*bytes).read_to_string(&mut text).expect("gzip");
    assert_eq!(text, plain.text);
}
