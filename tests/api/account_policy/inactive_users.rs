//! Users who do not use their account, and are deactivated by the policy on accounts.

use flagstone::{
    domain::{actor::SYSTEM_USER_ID, time::DAY_MS},
    jobs::deactivate_inactive_users,
    store::entity::{app_user, password_reset, personal_token, session},
};
use poem::http::Method;
use sea_orm::EntityTrait;
use serde_json::{Value, json};

use super::{EXPIRING, POLICY, set, with};
use crate::{
    calls::put,
    harness::{TestApp, role},
    scim,
    users::{STRONG, USERS, newest, sign_in, user},
};

const ME: &str = "/api/admin/user";

async fn run(app: &TestApp) {
    deactivate_inactive_users(&app.state).await.expect("runs");
}

/// Ids of the users who are deactivated.
async fn deactivated(app: &TestApp) -> Vec<i64> {
    let rows = app_user::Entity::find().all(app.db()).await.expect("rows");
    let mut ids: Vec<i64> = rows.into_iter().filter(|row| row.deactivated_at.is_some()).map(|row| row.id).collect();
    ids.sort_unstable();
    ids
}

/// Ids of those whom the policy deactivates, soonest first, and when.
async fn expiring(app: &TestApp) -> Vec<Value> {
    let list = app.admin().get(EXPIRING).await.expect(200);
    let users = list["users"].as_array().expect("a list");
    assert_eq!(list["total"], users.len());
    users.iter().map(|user| json!([user["id"], user["deactivatesAt"]])).collect()
}

async fn activate(app: &TestApp, id: i64) {
    put(&app.admin(), &format!("{USERS}/{id}"), json!({ "active": true })).await.expect(200);
}

#[tokio::test]
async fn nobody_is_deactivated_unless_the_policy_says_so() {
    let app = TestApp::new().await;
    user(&app, "ada", role::VIEWER).await;
    app.clock.advance(4000 * DAY_MS);
    run(&app).await;
    set(&app, "personalTokenDays", json!(30)).await;
    run(&app).await;
    assert_eq!((deactivated(&app).await, expiring(&app).await), (vec![], vec![]));
}

#[tokio::test]
async fn a_sign_in_a_session_and_a_token_each_count_as_use() {
    let app = TestApp::new().await;
    let (idle, signed_in) = (user(&app, "idle", role::VIEWER).await, user(&app, "signed", role::VIEWER).await);
    let (by_token, in_browser) = (app.viewer().await, app.viewer().await);
    let (token_id, browser_id) = (by_token.user_id.expect("a person"), in_browser.user_id.expect("a person"));
    let browser = app.in_session(&in_browser).await;
    set(&app, "inactiveUserDays", json!(30)).await;
    let start = app.clock.now();
    app.clock.advance(20 * DAY_MS);
    sign_in(&app, "signed", STRONG).await.expect(200);
    by_token.get(ME).await.expect(200);
    browser.get(ME).await.expect(200);
    app.clock.advance(10 * DAY_MS - 1);
    run(&app).await;
    assert_eq!(deactivated(&app).await, [0; 0], "30 days, not one less");
    app.clock.advance(1);
    let later = start.plus_days(50);
    let all = [(idle, start.plus_days(30)), (signed_in, later), (token_id, later), (browser_id, later)];
    assert_eq!(expiring(&app).await, all.map(|(id, at)| json!([id, at])));
    run(&app).await;
    assert_eq!(deactivated(&app).await, [idle]);
    assert_eq!(expiring(&app).await, all[1..].iter().map(|(id, at)| json!([id, at])).collect::<Vec<_>>());
    app.clock.advance(20 * DAY_MS);
    // The use of this moment is known to the node alone.
    browser.get(ME).await.expect(200);
    run(&app).await;
    let mut gone = vec![idle, signed_in, token_id];
    gone.sort_unstable();
    assert_eq!(deactivated(&app).await, gone);
}

#[tokio::test]
async fn a_deactivation_ends_what_that_of_a_person_ends_with_one_event_by_the_system() {
    let app = TestApp::new().await;
    let id = user(&app, "ada", role::EDITOR).await;
    let invited = app.admin().post(USERS, json!({ "username": "bob", "rootRole": 3 })).await.expect(201)["id"].clone();
    sign_in(&app, "ada", STRONG).await.expect(200);
    let (now, tx) = (app.clock.now(), app.tx().await);
    let ends = now.plus_days(365);
    let made = flagstone::store::tokens::insert_personal_token(&tx, id, "laptop", "user:laptop", ends, now).await;
    made.expect("a token");
    app.commit(tx).await;
    set(&app, "inactiveUserDays", json!(7)).await;
    app.clock.advance(7 * DAY_MS);
    let before = app.event_types().await.len();
    run(&app).await;
    let events = app.events().await.split_off(before);
    let [event, of_invited] = events.as_slice() else { panic!("two events, not {events:?}") };
    assert_eq!(
        (event.r#type.as_str(), event.created_by.as_str(), event.created_by_user_id),
        ("user-updated", "unleash_system_user", Some(SYSTEM_USER_ID))
    );
    assert_eq!(event.reason.as_deref(), Some("The account was not used for 7 days."));
    let read = |text: &Option<String>| serde_json::from_str::<Value>(text.as_deref().expect("data")).expect("JSON");
    let user = json!({ "id": id, "username": "ada", "email": "ada@example.com", "rootRole": role::EDITOR });
    let mut after = user.clone();
    after["active"] = json!(false);
    after["endedSessions"] = json!(1);
    after["endedPersonalTokens"] = json!(1);
    assert_eq!((read(&event.data), read(&event.pre_data)), (after, user));
    assert_eq!(read(&of_invited.data)["id"], invited);
    assert_eq!(session::Entity::find().all(app.db()).await.expect("rows"), []);
    assert_eq!(personal_token::Entity::find().all(app.db()).await.expect("rows"), []);
    assert_eq!(password_reset::Entity::find().all(app.db()).await.expect("rows"), [], "the link of the invitation");
    assert_eq!(sign_in(&app, "ada", STRONG).await.status, 401);
    // Doing it twice is doing it once.
    run(&app).await;
    assert_eq!(app.event_types().await.len(), before + 2);
}

#[tokio::test]
async fn an_account_that_was_never_used_counts_from_its_creation_or_the_switch_whichever_is_later() {
    let app = TestApp::new().await;
    let old = user(&app, "old", role::VIEWER).await;
    app.clock.advance(100 * DAY_MS);
    let dry =
        put(&app.admin(), &format!("{POLICY}?dryRun=true"), with("inactiveUserDays", json!(10))).await.expect(200);
    let switched_on = app.clock.now();
    let first = json!({
        "id": old, "username": "old", "email": "old@example.com", "usedAt": null, "deactivatesAt": switched_on.plus_days(10),
    });
    assert_eq!(dry["expiring"], json!({ "total": 1, "users": [first] }));
    assert_eq!(expiring(&app).await, [Value::Null; 0], "it was only tried");
    let effect = set(&app, "inactiveUserDays", json!(10)).await;
    assert_eq!(effect["expiring"], dry["expiring"]);
    app.clock.advance(4 * DAY_MS);
    let new = user(&app, "new", role::VIEWER).await;
    // Days that count already go on under another number, and begin anew when it is switched on again.
    set(&app, "inactiveUserDays", json!(12)).await;
    let both = [(old, switched_on.plus_days(12)), (new, switched_on.plus_days(16))];
    assert_eq!(expiring(&app).await, both.map(|(id, at)| json!([id, at])));
    set(&app, "inactiveUserDays", Value::Null).await;
    app.clock.advance(50 * DAY_MS);
    run(&app).await;
    let again = app.clock.now();
    set(&app, "inactiveUserDays", json!(12)).await;
    assert_eq!(expiring(&app).await, [old, new].map(|id| json!([id, again.plus_days(12)])));
    app.clock.advance(12 * DAY_MS);
    run(&app).await;
    assert_eq!(deactivated(&app).await, [old, new]);
}

#[tokio::test]
async fn who_is_activated_again_counts_from_then() {
    let app = TestApp::new().await;
    let ada = user(&app, "ada", role::VIEWER).await;
    sign_in(&app, "ada", STRONG).await.expect(200);
    app.clock.advance(100 * DAY_MS);
    set(&app, "inactiveUserDays", json!(10)).await;
    run(&app).await;
    assert_eq!(deactivated(&app).await, [ada], "the last use was long ago");
    assert_eq!(expiring(&app).await, [Value::Null; 0]);
    app.clock.advance(DAY_MS);
    activate(&app, ada).await;
    run(&app).await;
    assert_eq!(deactivated(&app).await, [0; 0]);
    assert_eq!(expiring(&app).await, [json!([ada, app.clock.now().plus_days(10)])]);
    // Another change of the account is no activation.
    app.clock.advance(9 * DAY_MS);
    put(&app.admin(), &format!("{USERS}/{ada}"), json!({ "name": "Ada", "active": true })).await.expect(200);
    app.clock.advance(DAY_MS);
    run(&app).await;
    assert_eq!(deactivated(&app).await, [ada]);
}

#[tokio::test]
async fn the_last_administrator_who_can_act_stays_and_of_several_the_one_who_was_there_last() {
    let app = TestApp::new().await;
    let (ada, grace) = (user(&app, "ada", role::ADMIN).await, user(&app, "grace", role::ADMIN).await);
    // Nobody can come in as this one.
    let invited = app.admin().post(USERS, json!({ "username": "invited", "rootRole": 1 })).await.expect(201);
    set(&app, "inactiveUserDays", json!(7)).await;
    app.clock.advance(DAY_MS);
    sign_in(&app, "ada", STRONG).await.expect(200);
    app.clock.advance(50 * DAY_MS);
    for _ in 0..2 {
        run(&app).await;
        assert_eq!(deactivated(&app).await, [grace, invited["id"].as_i64().expect("an id")]);
    }
    assert_eq!(newest(&app).await.0, "user-updated");
    sign_in(&app, "ada", STRONG).await.expect(200);
    // With another one, ada may go like anybody.
    activate(&app, grace).await;
    app.clock.advance(6 * DAY_MS);
    sign_in(&app, "grace", STRONG).await.expect(200);
    app.clock.advance(DAY_MS);
    run(&app).await;
    assert!(deactivated(&app).await.contains(&ada));
}

#[tokio::test]
async fn an_administrator_who_acts_by_a_token_alone_is_the_last_one_as_well() {
    let app = TestApp::new().await;
    let root = app.root_admin().await;
    set(&app, "inactiveUserDays", json!(7)).await;
    app.clock.advance(50 * DAY_MS);
    run(&app).await;
    assert_eq!(deactivated(&app).await, [0; 0]);
    root.get(ME).await.expect(200);
}

#[tokio::test]
async fn programs_and_users_of_a_directory_are_not_concerned() {
    let app = TestApp::new().await;
    let new = json!({ "name": "Deployer", "username": "deployer", "rootRole": role::VIEWER });
    app.admin().post("/api/admin/service-account", new).await.expect(201);
    let directory = scim::client(&app).await;
    let new = json!({ "schemas": [scim::USER], "userName": "grace@example.com", "externalId": "1" });
    let headers = [("content-type", "application/scim+json")];
    let made = directory.request(Method::POST, scim::USERS, &headers, new.to_string().into_bytes()).await.expect(201);
    let grace: i64 = made["id"].as_str().expect("an id").parse().expect("a number");
    set(&app, "inactiveUserDays", json!(7)).await;
    app.clock.advance(50 * DAY_MS);
    assert_eq!(expiring(&app).await, [Value::Null; 0]);
    run(&app).await;
    assert_eq!(deactivated(&app).await, [0; 0]);
    // Once the directory manages nobody any more, its users are like others.
    app.admin().post(scim::SETTINGS, json!({ "enabled": false })).await.expect(200);
    run(&app).await;
    assert_eq!(deactivated(&app).await, [grace]);
}
