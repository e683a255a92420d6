//! Passkeys after a removal, by anybody, and after a change of the key of the server.

use flagstone::{accounts, domain::actor::Actor, start, store, vault::Vault};
use serde_json::json;

use super::{FACTORS, PASSKEYS, Registered, alone, answer, beside, registered, secure_app};
use crate::{
    calls::delete,
    harness::{TestApp, role},
    second_factor::{PROFILE, browser, sign_in, stored},
    users::{STRONG, USERS, newest},
};

const MISMATCH: &str = "PasskeyMismatchError";

#[tokio::test]
async fn one_s_own_is_removed_by_the_password_and_a_proof() {
    let app = secure_app().await;
    let mut ada = registered(&app, "ada", role::VIEWER).await;
    let bob = registered(&app, "bob", role::VIEWER).await;
    let other = browser(&app, &alone(&app, &mut ada.passkey).await);
    let path = format!("{PASSKEYS}/{}/remove", ada.id);
    let removal = |password: &str, code: &str| json!({ "password": password, "code": code });
    ada.browser.post(&path, json!({ "password": STRONG })).await.refused(401, "SecondFactorRequiredError", "");
    ada.browser.post(&path, removal("wrong", &ada.recovery[0])).await.refused(401, "PasswordMismatch", "");
    ada.browser.post(&path, removal(STRONG, "123456")).await.refused(401, "SecondFactorMismatchError", "");
    bob.browser.post(&path, removal(STRONG, &bob.recovery[0])).await.refused(404, "NotFoundError", "passkey");
    let proof = answer(&app, &mut ada.passkey).await;
    let removed = ada.browser.post(&path, json!({ "password": STRONG, "passkey": proof })).await;
    assert_eq!(removed.status, 200, "{}", removed.text);
    let (kind, data, before) = newest(&app).await;
    assert_eq!(kind, "user-updated");
    assert_eq!((&before["secondFactor"], &data["secondFactor"]), (&json!(true), &json!(false)));
    assert_eq!(before["passkey"], json!({ "id": ada.id, "name": "Phone" }));
    assert_eq!((&data["endedSessions"], data.get("passkey")), (&json!(1), None));
    other.get(PROFILE).await.refused(401, "AuthenticationRequired", "");
    ada.browser.get(PROFILE).await.expect(200);
    let state = ada.browser.get(FACTORS).await.expect(200);
    assert_eq!((&state["factors"], &state["recoveryCodesLeft"]), (&json!([]), &json!(0)));
    alone(&app, &mut ada.passkey).await.refused(401, MISMATCH, "");
    sign_in(&app, "ada", STRONG, None).await.expect(200);
    ada.browser.post(&path, removal(STRONG, "123456")).await.refused(404, "NotFoundError", "no second factor");
}

#[tokio::test]
async fn the_recovery_codes_stay_while_another_factor_is_left() {
    let app = secure_app().await;
    let ada = registered(&app, "ada", role::VIEWER).await;
    let totp = format!("{FACTORS}/totp");
    let begun = ada.browser.post(&totp, json!({ "password": STRONG, "code": ada.recovery[0] })).await.expect(200);
    let secret = data_encoding::BASE32_NOPAD.decode(begun["secret"].as_str().expect("a text").as_bytes());
    let secret = flagstone::domain::totp::Secret::read(&secret.expect("base32")).expect("a secret");
    let code = secret.code(flagstone::domain::totp::step_at(app.clock.now()));
    let confirmed = ada.browser.post(&format!("{totp}/confirm"), json!({ "code": code })).await.expect(200);
    let removal = json!({ "password": STRONG, "code": confirmed["codes"][0] });
    assert_eq!(ada.browser.post(&format!("{PASSKEYS}/{}/remove", ada.id), removal).await.status, 200);
    assert_eq!(newest(&app).await.1["secondFactor"], true);
    let state = ada.browser.get(FACTORS).await.expect(200);
    assert_eq!((&state["factors"][0]["kind"], &state["recoveryCodesLeft"]), (&json!("totp"), &json!(9)));
    sign_in(&app, "ada", STRONG, None).await.refused(401, "SecondFactorRequiredError", "");
}

async fn gets_in_with_the_password_alone(app: &TestApp, ada: &mut Registered) {
    ada.browser.get(PROFILE).await.refused(401, "AuthenticationRequired", "");
    assert_eq!(stored(app).await, (0, 0));
    let (kind, data, before) = newest(app).await;
    assert_eq!(kind, "user-updated");
    assert_eq!((&before["secondFactor"], &data["secondFactor"]), (&json!(true), &json!(false)));
    assert_eq!(data["id"], json!(ada.user_id));
    alone(app, &mut ada.passkey).await.refused(401, MISMATCH, "");
    sign_in(app, "ada", STRONG, None).await.expect(200);
}

#[tokio::test]
async fn an_administrator_and_the_operator_remove_them_with_the_second_factor() {
    let app = secure_app().await;
    let mut ada = registered(&app, "ada", role::VIEWER).await;
    let admin = app.root_admin().await;
    let user = admin.get(&format!("{USERS}/{}", ada.user_id)).await.expect(200);
    assert_eq!(user["secondFactor"], true);
    assert_eq!(delete(&admin, &format!("{USERS}/{}/second-factor", ada.user_id)).await.status, 200);
    gets_in_with_the_password_alone(&app, &mut ada).await;

    let app = secure_app().await;
    let mut ada = registered(&app, "ada", role::VIEWER).await;
    let reset = accounts::reset_second_factor(app.db(), "ada", app.clock.now(), &Actor::system()).await;
    assert!(reset.expect("a change"));
    gets_in_with_the_password_alone(&app, &mut ada).await;
}

#[tokio::test]
async fn they_survive_a_change_of_the_key_and_go_with_its_loss() {
    let app = secure_app().await;
    let mut ada = registered(&app, "ada", role::VIEWER).await;
    let new = [8; 32];
    let tx = app.tx().await;
    let resealed = store::settings::reseal(&tx, &Vault::with_keys(&new, &[7; 32]), app.clock.now()).await;
    resealed.expect("changes the key");
    app.commit(tx).await;
    let after = app.beside(Vault::with_key(&new));
    alone(&after, &mut ada.passkey).await.expect(200);
    beside(&after, "ada", &answer(&after, &mut ada.passkey).await).await.expect(200);
    start::forget_sealed(after.db(), after.clock.now()).await.expect("forgets");
    assert_eq!(stored(&after).await, (0, 0));
    alone(&after, &mut ada.passkey).await.refused(401, MISMATCH, "");
    sign_in(&after, "ada", STRONG, None).await.expect(200);
}
