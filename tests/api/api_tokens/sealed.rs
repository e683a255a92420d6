//! Secrets of tokens that the operator has kept.

use flagstone::{
    config::ApiTokenSecrets,
    domain::token::ApiToken,
    start,
    store::{self, entity::api_token},
    vault::Vault,
};
use sea_orm::EntityTrait;

use super::*;

async fn sealing() -> TestApp {
    let app = TestApp::with_config(Config { api_token_secrets: ApiTokenSecrets::Sealed, ..Config::default() }).await;
    app.project("shop").await;
    app.project("other").await;
    app
}

async fn stored(app: &TestApp) -> Vec<Option<String>> {
    let rows = api_token::Entity::find().all(app.db()).await.expect("rows");
    rows.into_iter().map(|row| row.sealed_secret).collect()
}

#[tokio::test]
async fn kept_secrets_are_shown_to_those_who_could_make_the_token() {
    let app = sealing().await;
    let admin = app.admin();
    let of_shop = admin.post(TOKENS, client(&["shop"])).await.expect(201)["secret"].clone();
    let of_both = admin.post(TOKENS, client(&["shop", "other"])).await.expect(201)["secret"].clone();
    let browser = json!({ "tokenName": "web", "type": "frontend", "environment": "development", "projects": ["shop"] });
    let browser = admin.post(OF_SHOP, browser).await.expect(201)["secret"].clone();
    let script = admin.post(TOKENS, json!({ "tokenName": "script", "type": "admin" })).await.expect(201);
    let hidden = |text: &str| json!(format!("hidden:{text}"));
    let [first, admins] = [hidden("*:*.id-1"), hidden("*:*.id-5")];
    let all = [&first, &of_shop, &of_both, &browser, &admins].map(Clone::clone);
    assert_eq!(secrets(&admin, TOKENS).await, all, "admin tokens are never kept");
    assert_eq!(secrets(&admin, "/api/admin/api-tokens/app").await, [of_shop.clone(), of_both.clone()]);
    // Who may read tokens and not make them sees none; who may make those of one kind sees those.
    let reader = holder(&app, &["READ_CLIENT_API_TOKEN"]).await;
    assert_eq!(secrets(&reader, TOKENS).await, [hidden("shop:development.id-2"), hidden("[]:development.id-3")]);
    let maker = holder(&app, &["READ_CLIENT_API_TOKEN", "READ_FRONTEND_API_TOKEN", "CREATE_CLIENT_API_TOKEN"]).await;
    let expected = [of_shop.clone(), of_both, hidden("shop:development.id-4")];
    assert_eq!(secrets(&maker, TOKENS).await, expected);
    // A member of one project makes tokens of that project alone.
    let member = app.member("shop").await;
    assert_eq!(secrets(&member, OF_SHOP).await, [of_shop.clone(), hidden("[]:development.id-3"), browser.clone()]);
    // What is shown works, and names the token.
    app.with_authorization(of_shop.as_str().expect("a secret")).get("/api/client/features").await.expect(200);
    delete(&admin, &one(TOKENS, &browser)).await.expect(200);
    let kept = stored(&app).await;
    assert_eq!(kept.iter().map(Option::is_some).collect::<Vec<_>>(), [false, true, true, false]);
    for row in kept.into_iter().flatten() {
        assert!(row.starts_with("v1:") && !row.contains(of_shop.as_str().expect("a secret")), "{row}");
    }
    let logged = format!("{:?}", app.events().await);
    assert!(!logged.contains(of_shop.as_str().expect("a secret")));
    assert!(!logged.contains(script["secret"].as_str().expect("a secret")));
}

#[tokio::test]
async fn without_the_setting_nothing_is_kept_and_what_was_is_forgotten() {
    let app = shop().await;
    let admin = app.admin();
    admin.post(TOKENS, client(&["shop"])).await.expect(201);
    assert_eq!(stored(&app).await, [None, None]);
    let app = sealing().await;
    let admin = app.admin();
    let secret = admin.post(TOKENS, client(&["shop"])).await.expect(201)["secret"].clone();
    start::forget_token_secrets(app.db(), ApiTokenSecrets::Sealed).await.expect("looks");
    assert_eq!(secrets(&admin, TOKENS).await[1], secret, "the operator wants it");
    start::forget_token_secrets(app.db(), ApiTokenSecrets::Hashed).await.expect("forgets");
    assert_eq!(stored(&app).await, [None, None]);
    assert_eq!(secrets(&admin, TOKENS).await[1], "hidden:shop:development.id-2");
    let program = app.with_authorization(secret.as_str().expect("a secret"));
    program.get("/api/client/features").await.expect(200);
}

#[tokio::test]
async fn kept_secrets_follow_a_change_of_the_key_and_go_with_it() {
    let app = sealing().await;
    let secret = app.admin().post(TOKENS, client(&["shop"])).await.expect(201)["secret"].clone();
    let before = stored(&app).await;
    let token = store::tokens::api::find(app.db(), 2).await.expect("reads").expect("a token");
    assert_eq!(store::tokens::api::kept_secret(&app.state.vault, &token).as_deref(), secret.as_str());
    let foreign = Vault::with_key(&[9; 32]);
    assert_eq!(store::tokens::api::kept_secret(&foreign, &token), None);
    let moved = ApiToken { id: 1, ..token };
    assert_eq!(store::tokens::api::kept_secret(&app.state.vault, &moved), None, "the seal of another token");
    let tx = app.tx().await;
    store::tokens::api::reseal(&tx, &app.state.vault).await.expect("seals");
    app.commit(tx).await;
    assert_eq!(stored(&app).await, before, "sealed with the main key already");
    start::forget_sealed(app.db(), app.clock.now()).await.expect("forgets");
    assert_eq!(stored(&app).await, [None, None]);
}
