//! The policy on accounts: personal tokens and how long they last, and users who do not use their account.

mod inactive_users;
mod tokens;

use serde_json::{Value, json};

use crate::{
    calls::{last_event, meant_for, put, tag_of},
    harness::TestApp,
};

const POLICY: &str = "/api/admin/account-policy";
const EXPIRING: &str = "/api/admin/account-policy/expiring-users";

/// The policy to set, with one property other than by default.
fn with(property: &str, value: Value) -> Value {
    let mut policy = json!({
        "personalTokensAllowed": true, "personalTokenDays": null, "serviceAccountTokenDays": null, "inactiveUserDays": null,
    });
    policy[property] = value;
    policy
}

/// Sets the policy; gives its effect.
async fn set(app: &TestApp, property: &str, value: Value) -> Value {
    put(&app.admin(), POLICY, with(property, value)).await.expect(200)
}

#[tokio::test]
async fn the_policy_is_what_was_set_last_and_leaves_an_event_for_each_change() {
    let app = TestApp::new().await;
    let admin = app.admin();
    let mut unset = with("inactiveUserDays", Value::Null);
    unset["inactiveUsersSince"] = Value::Null;
    assert_eq!(admin.get(POLICY).await.expect(200), unset);
    let nothing = json!({
        "dryRun": false, "policy": unset, "shortenedPersonalTokens": 0, "shortenedServiceAccountTokens": 0,
        "expiring": { "total": 0, "users": [] },
    });
    assert_eq!(set(&app, "inactiveUserDays", Value::Null).await, nothing);
    assert_eq!(app.event_types().await, [""; 0], "what stays as it was leaves no event");

    let start = app.clock.now();
    let set_first = json!({
        "personalTokensAllowed": false, "personalTokenDays": 1, "serviceAccountTokenDays": 3650, "inactiveUserDays": 7,
    });
    let mut first = set_first.clone();
    first["inactiveUsersSince"] = json!(start);
    let effect = put(&admin, POLICY, set_first.clone()).await.expect(200);
    assert_eq!((&effect["dryRun"], &effect["policy"]), (&json!(false), &first));
    assert_eq!(admin.get(POLICY).await.expect(200), first);
    let data = |policy: &Value| {
        let mut data = policy.clone();
        data["id"] = json!("flagstone.account-policy");
        data
    };
    assert_eq!(last_event(&app).await, json!(["setting-created", null, data(&first), null]));
    // The answer, sent back, is the same policy.
    app.clock.advance(1000);
    put(&admin, POLICY, first.clone()).await.expect(200);
    assert_eq!(app.event_types().await, ["setting-created"]);
    let mut second = first.clone();
    second["inactiveUserDays"] = json!(3650);
    put(&admin, POLICY, second.clone()).await.expect(200);
    assert_eq!(last_event(&app).await, json!(["setting-updated", null, data(&second), data(&first)]));
    assert_eq!(admin.get(POLICY).await.expect(200), second, "the days that were counted go on");
}

#[tokio::test]
async fn a_policy_that_is_meant_for_another_one_is_refused() {
    let app = TestApp::new().await;
    let admin = app.admin();
    let unset = tag_of(&admin.get(POLICY).await);
    let days = |days: i64| Some(with("personalTokenDays", json!(days)));
    meant_for(&admin, &unset, POLICY, days(90)).await.expect(200);
    let read = tag_of(&admin.get(POLICY).await);
    for path in [POLICY.to_owned(), format!("{POLICY}?dryRun=true")] {
        let stale = meant_for(&admin, &unset, &path, days(30)).await;
        stale.refused(412, "PreconditionFailedError", "If-Match");
        meant_for(&admin, &read, &path, days(90)).await.expect(200);
    }
    assert_eq!(tag_of(&admin.get(POLICY).await), read);
    meant_for(&admin, &read, POLICY, days(60)).await.expect(200);
    assert_eq!(admin.get(POLICY).await.expect(200)["personalTokenDays"], 60);
    assert_eq!(app.event_types().await, ["setting-created", "setting-updated"]);
}

#[tokio::test]
async fn what_is_no_policy_is_refused_by_the_name_of_the_property() {
    let app = TestApp::new().await;
    let admin = app.admin();
    for (property, wrong) in [
        ("personalTokensAllowed", vec![Value::Null, json!("no"), json!(1)]),
        ("personalTokenDays", vec![json!(0), json!(-1), json!(3651), json!(1.5), json!("30"), json!(i64::MAX)]),
        ("serviceAccountTokenDays", vec![json!(0), json!(3651), json!([30])]),
        ("inactiveUserDays", vec![json!(0), json!(6), json!(3651), json!(true)]),
    ] {
        for value in wrong {
            let answer = put(&admin, POLICY, with(property, value)).await;
            answer.refused(400, "ValidationError", &format!("/body/{property}"));
        }
        let mut without = with(property, Value::Null);
        without.as_object_mut().expect("an object").remove(property);
        put(&admin, POLICY, without).await.refused(400, "ValidationError", &format!("/body/{property}"));
    }
    assert_eq!(app.event_types().await, [""; 0]);
    let editor = app.editor().await;
    put(&editor, POLICY, with("inactiveUserDays", json!(7))).await.refused(403, "NoAccessError", "ADMIN");
    editor.get(EXPIRING).await.refused(403, "NoAccessError", "ADMIN");
}
