//! Second factors whose user has lost them, forgets the password, leaves, or comes through a provider.

use flagstone::{accounts, domain::actor::Actor, start, store, vault::Vault};
use serde_json::{Value, json};

use super::{BEGIN, Enrolled, PROFILE, STEP_MS, browser, enrolled, sign_in, stored};
use crate::{
    calls::delete,
    harness::{TestApp, role},
    users::{STRONG, USERS, newest},
};

fn factor_of(id: i64) -> String {
    format!("{USERS}/{id}/second-factor")
}

async fn gets_in_with_the_password_alone(app: &TestApp, ada: &Enrolled) {
    ada.browser.get(PROFILE).await.refused(401, "AuthenticationRequired", "");
    browser(app, &sign_in(app, "ada", STRONG, None).await).get(PROFILE).await.expect(200);
    assert_eq!(stored(app).await, (0, 0));
    let (kind, data, before) = newest(app).await;
    assert_eq!(kind, "user-updated");
    assert_eq!((&before["secondFactor"], &data["secondFactor"]), (&json!(true), &json!(false)));
    assert_eq!((&data["id"], &data["endedSessions"]), (&json!(ada.id), &json!(1)));
}

#[tokio::test]
async fn an_administrator_removes_it_and_ends_the_sessions() {
    let app = TestApp::new().await;
    let ada = enrolled(&app, "ada", role::EDITOR).await;
    let path = factor_of(ada.id);
    delete(&app.editor().await, &path).await.refused(403, "NoAccessError", "ADMIN");
    delete(&ada.browser, &path).await.refused(403, "NoAccessError", "ADMIN");
    let admin = app.root_admin().await;
    assert_eq!(admin.get(&format!("{USERS}/{}", ada.id)).await.expect(200)["secondFactor"], true);
    let told = |list: &Value| -> Vec<Value> {
        let users = list["users"].as_array().expect("users").iter();
        users.filter(|user| user["secondFactor"] == true).map(|user| user["id"].clone()).collect()
    };
    assert_eq!(told(&admin.get(USERS).await.expect(200)), [json!(ada.id)]);
    assert_eq!(delete(&admin, &path).await.status, 200);
    gets_in_with_the_password_alone(&app, &ada).await;
    let events = app.events().await;
    assert_eq!(events.last().expect("an event").created_by_user_id, admin.user_id);
    assert!(told(&admin.get(USERS).await.expect(200)).is_empty());
    assert_eq!(delete(&admin, &path).await.status, 200);
    assert_eq!(app.events().await.len(), events.len(), "there was nothing to remove");
    delete(&admin, &factor_of(4711)).await.refused(404, "NotFoundError", "4711");
    delete(&admin, &format!("{USERS}/x/second-factor")).await.refused(404, "NotFoundError", "");
}

#[tokio::test]
async fn the_operator_removes_it_by_user_name_or_email() {
    for login in ["ada", "Ada@example.com"] {
        let app = TestApp::new().await;
        let ada = enrolled(&app, "ada", role::ADMIN).await;
        let reset = async || accounts::reset_second_factor(app.db(), login, app.clock.now(), &Actor::system()).await;
        assert!(reset().await.expect("a change"));
        gets_in_with_the_password_alone(&app, &ada).await;
        assert!(!reset().await.expect("no change"));
    }
    let app = TestApp::new().await;
    let unknown = accounts::reset_second_factor(app.db(), "nobody", app.clock.now(), &Actor::system()).await;
    assert_eq!(unknown.expect_err("nobody").to_string(), "There is no user named \"nobody\".");
}

#[tokio::test]
async fn another_password_leaves_it_in_place_however_it_is_set() {
    let app = TestApp::new().await;
    let ada = enrolled(&app, "ada", role::VIEWER).await;
    let admin = app.root_admin().await;
    let link = admin.post(&format!("{USERS}/reset-password"), json!({ "id": ada.id })).await.expect(200);
    let token = link["resetPasswordUrl"].as_str().and_then(|url| url.split("token=").nth(1)).expect("a token");
    let by_link = "Another-horse-2";
    let used = app.anonymous().post("/auth/reset/password", json!({ "token": token, "password": by_link })).await;
    assert_eq!(used.status, 200, "{}", used.text);
    sign_in(&app, "ada", by_link, None).await.refused(401, "SecondFactorRequiredError", "");
    let browser = browser(&app, &sign_in(&app, "ada", by_link, Some(&ada.recovery[0])).await);
    let change = json!({ "oldPassword": by_link, "password": "Another-horse-3" });
    assert_eq!(browser.post("/api/admin/user/change-password", change).await.status, 200);
    sign_in(&app, "ada", "Another-horse-3", None).await.refused(401, "SecondFactorRequiredError", "");
    let path = format!("{USERS}/{}/change-password", ada.id);
    assert_eq!(admin.post(&path, json!({ "password": STRONG })).await.status, 200);
    sign_in(&app, "ada", STRONG, None).await.refused(401, "SecondFactorRequiredError", "");
    sign_in(&app, "ada", STRONG, Some(&ada.digits(&app))).await.expect(200);
}

#[tokio::test]
async fn it_goes_with_its_user() {
    let app = TestApp::new().await;
    let ada = enrolled(&app, "ada", role::VIEWER).await;
    enrolled(&app, "bob", role::VIEWER).await;
    assert_eq!(stored(&app).await, (2, 20));
    assert_eq!(delete(&app.admin(), &format!("{USERS}/{}", ada.id)).await.status, 200);
    assert_eq!(stored(&app).await, (1, 10));
}

#[tokio::test]
async fn it_survives_a_change_of_the_key_and_recovery_codes_its_loss() {
    let app = TestApp::new().await;
    let ada = enrolled(&app, "ada", role::VIEWER).await;
    let new = [8; 32];
    let tx = app.tx().await;
    let resealed = store::settings::reseal(&tx, &Vault::with_keys(&new, &[7; 32]), app.clock.now()).await;
    resealed.expect("changes the key");
    app.commit(tx).await;
    let after = app.beside(Vault::with_key(&new));
    sign_in(&after, "ada", STRONG, Some(&ada.digits(&app))).await.expect(200);
    // A node that has the old key alone cannot check what an app shows, and takes recovery codes.
    app.clock.advance(STEP_MS);
    sign_in(&app, "ada", STRONG, Some(&ada.digits(&app))).await.refused(401, "SecondFactorMismatchError", "");
    sign_in(&app, "ada", STRONG, Some(&ada.recovery[0])).await.expect(200);
    // When the operator gives up the key, what it sealed is gone.
    start::forget_sealed(app.db(), app.clock.now()).await.expect("forgets");
    assert_eq!(stored(&app).await, (0, 0));
    let (kind, data, _) = newest(&app).await;
    assert_eq!((kind.as_str(), &data["id"], &data["secondFactor"]), ("user-updated", &json!(ada.id), &json!(false)));
    let browser = browser(&app, &sign_in(&app, "ada", STRONG, None).await);
    browser.post(BEGIN, json!({ "password": STRONG })).await.expect(200);
}
