//! Personal tokens under the policy on accounts.

use flagstone::{
    config::Config,
    domain::time::{DAY_MS, Timestamp},
    store::entity::personal_token,
};
use sea_orm::EntityTrait;
use serde_json::{Value, json};

use super::{POLICY, set, with};
use crate::{
    calls::{last_event, put},
    harness::{Answer, Client, TestApp, role},
};

const TOKENS: &str = "/api/admin/user/tokens";
const ACCOUNTS: &str = "/api/admin/service-account";

async fn service_account(app: &TestApp) -> String {
    let new = json!({ "name": "Deployer", "username": "deployer", "rootRole": role::VIEWER });
    let made = app.admin().post(ACCOUNTS, new).await.expect(201);
    format!("{ACCOUNTS}/{}/token", made["id"])
}

async fn create(client: &Client, path: &str, description: &str, expires_at: Timestamp) -> Answer {
    client.post(path, json!({ "description": description, "expiresAt": expires_at })).await
}

/// When all tokens end, oldest first.
async fn ends(app: &TestApp) -> Vec<Timestamp> {
    let mut rows = personal_token::Entity::find().all(app.db()).await.expect("rows");
    rows.sort_by_key(|row| row.id);
    rows.into_iter().map(|row| row.expires_at).collect()
}

#[tokio::test]
async fn users_create_none_where_they_may_not_and_keep_what_they_have() {
    let app = TestApp::new().await;
    let ada = app.viewer().await;
    let (browser, boss) = (app.in_session(&ada).await, app.in_session(&app.root_admin().await).await);
    let robot = service_account(&app).await;
    let soon = app.clock.now().plus_days(1);
    set(&app, "personalTokensAllowed", json!(false)).await;
    let events = app.event_types().await;
    for caller in [&browser, &boss] {
        create(caller, TOKENS, "laptop", soon).await.refused(403, "InvalidOperationError", "setAccountPolicy");
    }
    assert_eq!(app.event_types().await, events);
    assert!(browser.get(TOKENS).await.expect(200).get("longestDays").is_none());
    // Tokens of service accounts are not users', and those that there are go on.
    create(&app.admin(), &robot, "pipeline", soon).await.expect(201);
    ada.get(TOKENS).await.expect(200);
    set(&app, "personalTokensAllowed", json!(true)).await;
    create(&browser, TOKENS, "laptop", soon).await.expect(201);
}

#[tokio::test]
async fn none_is_created_that_lasts_longer_than_the_policy_or_the_operator_allows() {
    let app = TestApp::with_config(Config { personal_token_days: 90, ..Config::default() }).await;
    let browser = app.in_session(&app.viewer().await).await;
    let robot = service_account(&app).await;
    let (admin, now) = (app.admin(), app.clock.now());
    let limits = async |users: Value, programs: Value| {
        let mut policy = with("personalTokenDays", users);
        policy["serviceAccountTokenDays"] = programs;
        put(&admin, POLICY, policy).await.expect(200);
    };
    let mut created = 0;
    for (users, programs, of_users, of_programs) in [
        (json!(30), Value::Null, 30, 90),
        (Value::Null, json!(1), 90, 1),
        (json!(3650), json!(3650), 90, 90),
        (Value::Null, Value::Null, 90, 90),
    ] {
        limits(users, programs).await;
        for (caller, path, days) in [(&browser, TOKENS, of_users), (&admin, robot.as_str(), of_programs)] {
            assert_eq!(caller.get(path).await.expect(200)["longestDays"], days, "{path}");
        }
        for (caller, path, days) in [(&browser, TOKENS, of_users), (&admin, robot.as_str(), of_programs)] {
            let text = if days == 1 { "at most 1 day from".to_owned() } else { format!("at most {days} days from") };
            for late in [now.plus_days(days).plus_millis(1), Timestamp::LAST] {
                let answer = create(caller, path, "late", late).await;
                assert_eq!(answer.body["details"][0]["path"], "/body/expiresAt", "{}", answer.text);
                answer.refused(400, "ValidationError", &text);
            }
            create(caller, path, &format!("token {created}"), now.plus_days(days)).await.expect(201);
            created += 1;
        }
    }
}

#[tokio::test]
async fn tokens_that_would_last_longer_end_as_early_as_new_ones_and_for_good() {
    let app = TestApp::new().await;
    let ada = app.viewer().await;
    let browser = app.in_session(&ada).await;
    let robot = service_account(&app).await;
    let start = app.clock.now();
    create(&browser, TOKENS, "short", start.plus_days(10)).await.expect(201);
    create(&app.admin(), &robot, "pipeline", start.plus_days(300)).await.expect(201);
    create(&app.admin(), &robot, "short", start.plus_days(20)).await.expect(201);
    let before = [365, 10, 300, 20].map(|days| start.plus_days(days));
    assert_eq!(ends(&app).await, before);

    app.clock.advance(5 * DAY_MS);
    let now = app.clock.now();
    let mut policy = with("personalTokenDays", json!(30));
    policy["serviceAccountTokenDays"] = json!(60);
    let events = app.event_types().await;
    let dry = put(&app.admin(), &format!("{POLICY}?dryRun=true"), policy.clone()).await.expect(200);
    let counts = |effect: &Value| {
        json!([effect["dryRun"], effect["shortenedPersonalTokens"], effect["shortenedServiceAccountTokens"]])
    };
    assert_eq!(counts(&dry), json!([true, 1, 1]));
    assert_eq!((ends(&app).await, app.event_types().await), (before.to_vec(), events), "nothing is changed");
    assert_eq!(app.admin().get(POLICY).await.expect(200)["personalTokenDays"], Value::Null);

    let effect = put(&app.admin(), POLICY, policy).await.expect(200);
    assert_eq!(counts(&effect), json!([false, 1, 1]));
    let shortened = vec![now.plus_days(30), start.plus_days(10), now.plus_days(60), start.plus_days(20)];
    assert_eq!(ends(&app).await, shortened);
    let event = last_event(&app).await;
    let data = &event[2];
    assert_eq!(
        (&data["shortenedPersonalTokens"], &data["shortenedServiceAccountTokens"], &data["personalTokenDays"]),
        (&json!(1), &json!(1), &json!(30))
    );
    assert_eq!(browser.get(TOKENS).await.expect(200)["pats"][0]["expiresAt"], json!(now.plus_days(30)));
    // Another policy does not give back what one took.
    set(&app, "personalTokenDays", Value::Null).await;
    assert_eq!(ends(&app).await, shortened);
    app.clock.advance(30 * DAY_MS - 1);
    ada.get(TOKENS).await.expect(200);
    app.clock.advance(1);
    ada.get(TOKENS).await.refused(401, "AuthenticationRequired", "");
}
