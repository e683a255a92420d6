//! The policy that requires a second factor, and sessions that can do nothing but enrol one.

use std::collections::BTreeSet;

use flagstone::{domain::sign_in_log::Method as Way, store::users::sessions::NewSession};
use serde_json::json;

use super::{Enrolled, OWN, POLICY, PROFILE, REMOVE, STEP_MS, browser, enrol, enrolled, sign_in};
use crate::{
    authorization::{
        access::{Access, Asker},
        row::Row,
        rows,
    },
    calls::{meant_for, put, tag_of},
    harness::{Client, TestApp, role},
    users::{STRONG, newest, user},
};

const ENROL_FIRST: &str = "SecondFactorEnrolmentError";

/// Operations that a session that is to enrol a second factor may call besides.
const ALLOWED: [&str; 8] = [
    "beginPasskeyRegistration",
    "beginTotpEnrolment",
    "confirmTotpEnrolment",
    "getMe",
    "getMyPasskeys",
    "getMySecondFactor",
    "getUiConfig",
    "registerPasskey",
];

async fn require(app: &TestApp, of: &str) {
    put(&app.admin(), POLICY, json!({ "requiredOf": of })).await.expect(200);
}

async fn signed_in(app: &TestApp, username: &str) -> Client {
    browser(app, &sign_in(app, username, STRONG, None).await)
}

#[tokio::test]
async fn a_session_that_is_to_enrol_does_nothing_else_on_any_operation() {
    let app = TestApp::new().await;
    app.project("shop").await;
    user(&app, "ada", role::ADMIN).await;
    require(&app, "everybody").await;
    let ada = signed_in(&app, "ada").await;
    let is_asked = |row: &Row| !matches!(row.access, Access::Open) && row.access.refusal(Asker::SignedIn) != Some(401);
    let (mut refused, mut let_in) = (0, BTreeSet::new());
    let events = app.event_types().await;
    for row in rows::all().into_iter().filter(is_asked) {
        let answer = row.call.take(&ada).await;
        if answer.body["name"] == ENROL_FIRST {
            assert_eq!(answer.status, 403, "{}", row.operation);
            refused += 1;
        } else {
            let_in.insert(row.operation);
        }
    }
    assert_eq!(let_in, BTreeSet::from(ALLOWED));
    assert!(refused > 200, "{refused}");
    assert_eq!(app.event_types().await, events, "nothing was changed");
    assert_eq!(ada.get("/api/admin/user").await.expect(200)["mustEnrol"], true);
    // An admin token beside the cookie does not help.
    let both = app.admin().sending(&[("cookie", ada.sent("cookie"))]);
    both.get(PROFILE).await.refused(403, ENROL_FIRST, "beginTotpEnrolment");
}

#[tokio::test]
async fn enrolling_makes_the_session_a_whole_one_and_removing_does_not_escape_the_policy() {
    let app = TestApp::new().await;
    user(&app, "ada", role::VIEWER).await;
    require(&app, "everybody").await;
    let ada = signed_in(&app, "ada").await;
    ada.get(PROFILE).await.refused(403, ENROL_FIRST, "");
    let state = ada.get(OWN).await.expect(200);
    assert_eq!((&state["required"], &state["mustEnrol"]), (&json!(true), &json!(true)));
    let (secret, recovery) = enrol(&app, &ada).await;
    ada.get(PROFILE).await.expect(200);
    assert!(ada.get("/api/admin/user").await.expect(200).get("mustEnrol").is_none());
    let state = ada.get(OWN).await.expect(200);
    assert_eq!((&state["required"], &state["mustEnrol"]), (&json!(true), &json!(false)));
    let ada = Enrolled { id: 0, browser: ada, app: secret, recovery };
    app.clock.advance(STEP_MS);
    let removal = json!({ "password": STRONG, "code": ada.digits(&app) });
    assert_eq!(ada.browser.post(REMOVE, removal).await.status, 200);
    ada.browser.get(PROFILE).await.refused(403, ENROL_FIRST, "");
    enrol(&app, &ada.browser).await;
    ada.browser.get(PROFILE).await.expect(200);
}

#[tokio::test]
async fn the_policy_counts_at_once_for_whom_it_names() {
    let app = TestApp::new().await;
    let bob = enrolled(&app, "bob", role::ADMIN).await;
    for (name, role) in [("admin", role::ADMIN), ("editor", role::EDITOR), ("viewer", role::VIEWER)] {
        user(&app, name, role).await;
    }
    let member = user(&app, "member", role::VIEWER).await;
    let group = json!({ "name": "operators", "rootRole": role::EDITOR, "users": [{ "user": { "id": member } }] });
    app.admin().post("/api/admin/groups", group).await.expect(201);
    let browsers = [
        signed_in(&app, "admin").await,
        signed_in(&app, "editor").await,
        signed_in(&app, "member").await,
        signed_in(&app, "viewer").await,
    ];
    for (required_of, statuses) in [
        ("nobody", [200, 200, 200, 200]),
        ("root-roles", [403, 403, 403, 200]),
        ("everybody", [403, 403, 403, 403]),
        ("nobody", [200, 200, 200, 200]),
    ] {
        require(&app, required_of).await;
        for (browser, status) in browsers.iter().zip(statuses) {
            assert_eq!(browser.get(PROFILE).await.status, status, "{required_of}");
        }
        bob.browser.get(PROFILE).await.expect(200);
    }
}

#[tokio::test]
async fn who_sets_the_policy_without_a_second_factor_enrols_one_and_goes_on() {
    let app = TestApp::new().await;
    user(&app, "ada", role::ADMIN).await;
    let ada = signed_in(&app, "ada").await;
    assert_eq!(ada.get(POLICY).await.expect(200), json!({ "requiredOf": "nobody" }));
    put(&ada, POLICY, json!({ "requiredOf": "nobody" })).await.expect(200);
    assert_eq!(newest(&app).await.0, "user-created", "what stays as it was leaves no event");
    put(&ada, POLICY, json!({ "requiredOf": "some" })).await.refused(400, "ValidationError", "/body/requiredOf");
    put(&ada, POLICY, json!({ "requiredOf": "root-roles" })).await.expect(200);
    let policy = json!({ "id": "flagstone.second-factor", "requiredOf": "root-roles" });
    assert_eq!(newest(&app).await, ("setting-created".to_owned(), policy.clone(), json!(null)));
    put(&ada, POLICY, json!({ "requiredOf": "nobody" })).await.refused(403, ENROL_FIRST, "");
    enrol(&app, &ada).await;
    put(&ada, POLICY, json!({ "requiredOf": "nobody" })).await.expect(200);
    let (kind, data, before) = newest(&app).await;
    assert_eq!((kind.as_str(), &data["requiredOf"], before), ("setting-updated", &json!("nobody"), policy));
}

#[tokio::test]
async fn a_policy_that_is_meant_for_another_one_is_refused() {
    let app = TestApp::new().await;
    let admin = app.admin();
    let of = |required_of: &str| Some(json!({ "requiredOf": required_of }));
    let unset = tag_of(&admin.get(POLICY).await);
    meant_for(&admin, &unset, POLICY, of("root-roles")).await.expect(200);
    let read = tag_of(&admin.get(POLICY).await);
    let stale = meant_for(&admin, &unset, POLICY, of("everybody")).await;
    stale.refused(412, "PreconditionFailedError", "If-Match");
    assert_eq!(admin.get(POLICY).await.expect(200), json!({ "requiredOf": "root-roles" }));
    meant_for(&admin, &read, POLICY, of("nobody")).await.expect(200);
    assert_eq!(app.event_types().await, ["setting-created", "setting-updated"]);
}

#[tokio::test]
async fn whoever_does_not_come_with_a_password_is_not_concerned() {
    let app = TestApp::new().await;
    let id = user(&app, "ada", role::ADMIN).await;
    require(&app, "everybody").await;
    for (way, status) in [(Way::Oidc, 200), (Way::Saml, 200), (Way::Link, 200), (Way::Simple, 403)] {
        let secret = format!("session-{}", way.as_str());
        let (tx, now) = (app.tx().await, app.clock.now());
        let new = NewSession {
            digest: &flagstone::domain::secret::digest(&secret),
            user_id: id,
            method: way,
            client: flagstone::domain::session::Client::default(),
            now,
            expires_at: now.plus_days(1),
        };
        flagstone::store::users::sessions::start(&tx, new).await.expect("a session");
        app.commit(tx).await;
        let browser = app.anonymous().sending(&[("cookie", &format!("unleash-session={secret}"))]);
        assert_eq!(browser.get(PROFILE).await.status, status, "{way:?}");
    }
    // Tokens are no sign-ins.
    app.root_admin().await.get(PROFILE).await.expect(200);
}
