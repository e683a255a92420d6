//! The caller: who they are, what they may do, and their own password.

use poem::http::Method;
use serde_json::{Value, json};

use crate::{
    harness::{START, TestApp, role},
    users::{STRONG, cookie, newest, sign_in, user, with_cookie},
};

const ME: &str = "/api/admin/user";
const CHANGE: &str = "/api/admin/user/change-password";
const ROLES: &str = "/api/admin/user/roles";
const OTHER: &str = "Another-horse-2";

fn permissions(me: &Value) -> Vec<(&str, Option<&str>)> {
    let listed = me["permissions"].as_array().expect("a list");
    listed.iter().map(|one| (one["permission"].as_str().expect("a name"), one["project"].as_str())).collect()
}

#[tokio::test]
async fn a_person_sees_themselves_and_what_they_may_do() {
    let app = TestApp::new().await;
    let id = user(&app, "ada", role::EDITOR).await;
    let session = cookie(&app, "ada", STRONG).await;
    let answer = with_cookie(&app, &session, Method::GET, ME, Value::Null).await;
    assert_eq!(answer.headers["cache-control"], "private, no-store");
    let me = answer.expect(200);
    assert_eq!(
        me["user"],
        json!({
            "isAPI": false,
            "accountType": "User",
            "id": id,
            "username": "ada",
            "email": "ada@example.com",
            "imageUrl": flagstone::domain::user::image_url(Some("ada@example.com"), None, id),
            "seenAt": START,
            "loginAttempts": 0,
            "rootRole": role::EDITOR,
            "createdAt": START,
        })
    );
    assert_eq!((&me["feedback"], &me["splash"]), (&json!([]), &json!({})));
    let permissions = permissions(&me);
    assert!(permissions.contains(&("CREATE_PROJECT", None)));
    assert!(permissions.contains(&("CREATE_FEATURE", Some("default"))));
    assert!(!permissions.contains(&("ADMIN", None)));
}

#[tokio::test]
async fn permissions_come_from_all_roles_once_each() {
    let app = TestApp::new().await;
    app.project("shop").await;
    assert_eq!(permissions(&app.root_admin().await.get(ME).await.expect(200)), [("ADMIN", None)]);
    assert!(permissions(&app.viewer().await.get(ME).await.expect(200)).is_empty());
    let member = app.member("shop").await;
    let group = app.group("team", &[member.user_id.expect("a person")]).await;
    app.group_role("shop", group, role::OWNER).await;
    let me = member.get(ME).await.expect(200);
    let permissions = permissions(&me);
    let count = |name| permissions.iter().filter(|(permission, _)| *permission == name).count();
    assert_eq!((count("CREATE_FEATURE"), count("DELETE_PROJECT")), (1, 1), "{permissions:?}");
    assert!(permissions.iter().all(|(_, project)| *project == Some("shop")));
}

#[tokio::test]
async fn an_admin_token_is_an_administrator_but_nobody() {
    let app = TestApp::new().await;
    let me = app.admin().get(ME).await.expect(200);
    assert_eq!(permissions(&me), [("ADMIN", None)]);
    let user = &me["user"];
    assert_eq!((&user["id"], &user["isAPI"], &user["username"]), (&json!(-42), &json!(true), &json!("tests")));
    let body = json!({ "oldPassword": STRONG, "password": OTHER });
    app.admin().post(CHANGE, body).await.refused(403, "InvalidOperationError", "API token");
}

#[tokio::test]
async fn people_change_their_password_and_keep_the_session_they_do_it_in() {
    let app = TestApp::new().await;
    let id = user(&app, "ada", role::VIEWER).await;
    let (here, there) = (cookie(&app, "ada", STRONG).await, cookie(&app, "ada", STRONG).await);
    let body = json!({ "oldPassword": STRONG, "password": OTHER, "confirmPassword": OTHER });
    let answer = with_cookie(&app, &here, Method::POST, CHANGE, body).await;
    assert_eq!((answer.status, answer.text.as_str()), (200, ""));
    with_cookie(&app, &here, Method::GET, ME, Value::Null).await.expect(200);
    let elsewhere = with_cookie(&app, &there, Method::GET, ME, Value::Null).await;
    elsewhere.refused(401, "AuthenticationRequired", "");
    sign_in(&app, "ada", STRONG).await.refused(401, "PasswordMismatch", "");
    sign_in(&app, "ada", OTHER).await.expect(200);
    let before = json!({ "id": id, "username": "ada", "email": "ada@example.com", "rootRole": role::VIEWER });
    let mut data = before.clone();
    data["endedSessions"] = json!(1);
    data["endedPersonalTokens"] = json!(0);
    assert_eq!(newest(&app).await, ("user-updated".to_owned(), data, before));
    let event = app.events().await.pop().expect("an event");
    assert_eq!(event.created_by_user_id, Some(id));
    assert!(!format!("{:?}", app.events().await).contains("horse"));
}

#[tokio::test]
async fn a_wrong_or_weak_password_changes_nothing() {
    let app = TestApp::new().await;
    user(&app, "ada", role::VIEWER).await;
    let session = cookie(&app, "ada", STRONG).await;
    let change = |body: Value| with_cookie(&app, &session, Method::POST, CHANGE, body);
    let wrong = json!({ "oldPassword": "wrong", "password": OTHER });
    change(wrong.clone()).await.refused(401, "PasswordMismatch", "");
    for (body, property) in [
        (json!({ "oldPassword": STRONG, "password": "weak" }), "/body/password"),
        (json!({ "password": OTHER }), "/body/oldPassword"),
        (json!({ "oldPassword": STRONG }), "/body/password"),
        (json!({ "oldPassword": 1, "password": OTHER }), "/body/oldPassword"),
    ] {
        change(body).await.refused(400, "ValidationError", property);
    }
    assert_eq!(app.event_types().await, ["user-created"]);
    for _ in 0..9 {
        change(wrong.clone()).await.refused(401, "PasswordMismatch", "");
    }
    change(wrong).await.refused(429, "RateLimitError", "");
    app.clock.advance(60_000);
    sign_in(&app, "ada", STRONG).await.expect(200);
}

#[tokio::test]
async fn own_roles_are_those_in_the_project_or_the_one_in_the_instance() {
    let app = TestApp::new().await;
    app.project("shop").await;
    let names = |roles: Value| -> Vec<String> {
        assert_eq!(roles["version"], 1);
        let roles = roles["roles"].as_array().expect("a list");
        roles.iter().map(|role| role["name"].as_str().expect("a name").to_owned()).collect()
    };
    let owner = app.owner("shop").await;
    assert_eq!(names(owner.get(&format!("{ROLES}?projectId=shop")).await.expect(200)), ["Owner"]);
    assert_eq!(names(owner.get(&format!("{ROLES}?projectId=default")).await.expect(200)), Vec::<String>::new());
    assert_eq!(names(owner.get(ROLES).await.expect(200)), ["Viewer"]);
    assert_eq!(names(app.admin().get(ROLES).await.expect(200)), ["Admin"]);
    owner.get(&format!("{ROLES}?projectId=nope")).await.refused(404, "NotFoundError", "nope");
}
