//! Nobody makes a token that reads what they may not.

use super::*;

const OF_OPEN: &str = "/api/admin/projects/shop/api-tokens";

/// Returns the answer when a list names a project, without its name.
async fn answered(client: &Client, path: &str, project: &str) -> (u16, String) {
    let answer = client.post(path, super::client(&["shop", project])).await;
    let message = answer.body["message"].as_str().unwrap_or_default();
    (answer.status, message.replace(project, "…"))
}

#[tokio::test]
async fn a_token_reaches_no_further_than_its_maker_sees() {
    let app = shop().await;
    private_project(&app, "secret").await;
    let maker = holder(&app, &["CREATE_CLIENT_API_TOKEN", "CREATE_FRONTEND_API_TOKEN"]).await;
    let before = app.event_types().await;
    let anywhere = json!({ "tokenName": "app", "type": "frontend", "environment": "development" });
    for body in [client(&["*"]), client(&["shop", "*"]), anywhere] {
        maker.post(TOKENS, body).await.refused(403, "NoAccessError", "all projects");
    }
    let hidden = answered(&maker, TOKENS, "secret").await;
    assert_eq!((hidden.0, &hidden), (400, &answered(&maker, TOKENS, "nowhere").await));
    assert_eq!(app.event_types().await, before);
    maker.post(TOKENS, client(&["shop", "other"])).await.expect(201);
    // Who sees everything may let a token reach everything.
    app.root_admin().await.post(TOKENS, client(&["*"])).await.expect(201);
    app.admin().post(TOKENS, client(&["shop", "secret"])).await.expect(201);
}

#[tokio::test]
async fn a_project_is_no_way_to_a_token_for_another_one() {
    let app = shop().await;
    private_project(&app, "secret").await;
    // In all projects, by the root role.
    let maker = somebody_with(&app, Access::Instance(&[]), &["CREATE_PROJECT_API_TOKEN"]).await;
    let before = app.event_types().await;
    let hidden = answered(&maker, OF_OPEN, "secret").await;
    assert_eq!((hidden.0, &hidden), (400, &answered(&maker, OF_OPEN, "nowhere").await));
    // In one project alone.
    let member = app.member("shop").await;
    let refused = answered(&member, OF_OPEN, "secret").await;
    assert_eq!((refused.0, &refused), (403, &answered(&member, OF_OPEN, "nowhere").await));
    // Whichever of several is the first that cannot be.
    let two = |first: &str| client(&["shop", first, "zz"]);
    let message = |answer: crate::harness::Answer| answer.body["message"].as_str().map(str::to_owned);
    let hidden = message(maker.post(OF_OPEN, two("secret")).await).map(|text| text.replace("secret", "…"));
    let unknown = message(maker.post(OF_OPEN, two("nowhere")).await).map(|text| text.replace("nowhere", "…"));
    assert_eq!(hidden, unknown);
    assert_eq!(app.event_types().await, before);
    maker.post(OF_OPEN, client(&["shop", "other"])).await.expect(201);
}

#[tokio::test]
async fn who_does_not_see_what_a_token_reaches_may_end_it_but_not_let_it_live_longer() {
    let app = shop().await;
    private_project(&app, "secret").await;
    let keeper = holder(&app, &["UPDATE_CLIENT_API_TOKEN", "READ_CLIENT_API_TOKEN"]).await;
    let until = |year: i64| json!({ "expiresAt": format!("{year}-01-01T00:00:00.000Z") });
    for reach in [&["*"][..], &["shop", "secret"]] {
        let mut body = client(reach);
        body["expiresAt"] = json!("2028-01-01T00:00:00Z");
        let token = app.admin().post(TOKENS, body).await.expect(201);
        let path = one(TOKENS, &token["secret"]);
        let before = app.event_types().await;
        put(&keeper, &path, until(2029)).await.refused(403, "NoAccessError", "reaches");
        put(&keeper, &path, json!({ "expiresAt": null })).await.refused(403, "NoAccessError", "reaches");
        assert_eq!(app.event_types().await, before);
        put(&keeper, &path, until(2027)).await.expect(200);
    }
    let token = app.admin().post(TOKENS, client(&["shop"])).await.expect(201);
    put(&keeper, &one(TOKENS, &token["secret"]), until(2029)).await.expect(200);
    put(&keeper, &one(TOKENS, &token["secret"]), json!({ "expiresAt": null })).await.expect(200);
}

#[tokio::test]
async fn what_a_list_shows_in_the_place_of_a_secret_does_not_tell_of_other_projects() {
    let app = shop().await;
    private_project(&app, "secret").await;
    app.admin().post(TOKENS, client(&["shop", "secret"])).await.expect(201);
    let keeper = holder(&app, &["READ_CLIENT_API_TOKEN", "DELETE_CLIENT_API_TOKEN"]).await;
    assert_eq!(secrets(&keeper, TOKENS).await, ["hidden:shop:development.id-2"]);
    assert_eq!(secrets(&app.root_admin().await, TOKENS).await.last(), Some(&json!("hidden:[]:development.id-2")));
    let handle = |text: &str| one(TOKENS, &json!(text));
    delete(&keeper, &handle("hidden:[]:development.id-2")).await.refused(404, "NotFoundError", "API token");
    delete(&keeper, &handle("hidden:shop:development.id-2")).await.expect(200);
}
