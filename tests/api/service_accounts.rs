//! Service accounts: programs with an account, a role and tokens of their own.

use flagstone::{
    config::{Config, Limits},
    domain::secret,
    store::entity::personal_token,
};
use poem::http::Method;
use sea_orm::EntityTrait;
use serde_json::{Value, json};

use crate::{
    calls::{delete, last_event, put},
    harness::{Client, START, TestApp, role, start_session},
    users::{STRONG, sign_in, user},
};

const ACCOUNTS: &str = "/api/admin/service-account";
const ENDS: &str = "2026-02-01T00:00:00.000Z";

/// Makes a service account; gives the id.
async fn robot(app: &TestApp, username: &str, root_role: i64) -> i64 {
    let new = json!({ "name": format!("The {username}"), "username": username, "rootRole": root_role });
    app.admin().post(ACCOUNTS, new).await.expect(201)["id"].as_i64().expect("an id")
}

/// Gives a service account a token, and the program that holds it.
async fn token(app: &TestApp, id: i64, description: &str) -> (Client, Value) {
    let body = json!({ "description": description, "expiresAt": ENDS });
    let made = app.admin().post(&format!("{ACCOUNTS}/{id}/token"), body).await.expect(201);
    (app.with_authorization(made["secret"].as_str().expect("a secret")), made)
}

#[tokio::test]
async fn a_program_acts_as_its_service_account_by_a_token_that_is_shown_once() {
    let app = TestApp::new().await;
    let id = robot(&app, "deployer", role::EDITOR).await;
    let data = json!({ "id": id, "name": "The deployer", "username": "deployer", "rootRole": role::EDITOR });
    assert_eq!(last_event(&app).await, json!(["service-account-created", null, data, null]));
    let (program, made) = token(&app, id, "pipeline").await;
    let secret = made["secret"].as_str().expect("a secret");
    let rows = personal_token::Entity::find().all(app.db()).await.expect("rows");
    assert_eq!(rows.iter().map(|row| row.secret_hash.clone()).collect::<Vec<_>>(), [secret::digest(secret)]);
    let event = last_event(&app).await;
    assert_eq!((&event[0], &event[2]["userId"]), (&json!("pat-created"), &json!(id)));
    assert!(!event.to_string().contains(secret));

    let me = program.get("/api/admin/user").await.expect(200);
    assert_eq!(me["user"]["accountType"], "Service Account");
    assert_eq!((&me["user"]["username"], &me["user"]["rootRole"]), (&json!("deployer"), &json!(role::EDITOR)));
    program.post("/api/admin/projects/default/features", json!({ "name": "shipped" })).await.expect(201);
    let event = app.events().await.pop().expect("an event");
    assert_eq!((event.created_by.as_str(), event.created_by_user_id), ("deployer", Some(id)));
    program.get(ACCOUNTS).await.refused(403, "NoAccessError", "ADMIN");

    let list = app.admin().get(ACCOUNTS).await;
    assert!(!list.text.contains("user:"), "{}", list.text);
    let list = list.expect(200);
    let expected = json!([{
        "accountType": "Service Account",
        "id": id,
        "name": "The deployer",
        "username": "deployer",
        "imageUrl": flagstone::domain::user::image_url(None, Some("deployer"), id),
        "rootRole": role::EDITOR,
        "createdAt": START,
        "tokens": [{
            "id": made["id"], "description": "pipeline", "userId": id, "expiresAt": ENDS, "createdAt": START,
            "seenAt": null,
        }],
    }]);
    assert_eq!(list["serviceAccounts"], expected);
    assert_eq!(list["rootRoles"][0]["name"], "Admin");
    let pats = app.admin().get(&format!("{ACCOUNTS}/{id}/token")).await.expect(200);
    assert_eq!(pats["pats"], expected[0]["tokens"]);
}

#[tokio::test]
async fn tokens_end_by_time_by_call_and_with_the_account() {
    let app = TestApp::new().await;
    let id = robot(&app, "deployer", role::ADMIN).await;
    let ((first, made), (second, _)) = (token(&app, id, "first").await, token(&app, id, "second").await);
    let body = json!({ "description": "first", "expiresAt": ENDS });
    let path = format!("{ACCOUNTS}/{id}/token");
    app.admin().post(&path, body).await.refused(409, "NameExistsError", "first");
    let endless = json!({ "description": "third", "expiresAt": "3026-01-01T00:00:00.000Z" });
    app.admin().post(&path, endless).await.refused(400, "ValidationError", "/body/expiresAt");
    first.get(ACCOUNTS).await.expect(200);
    let other = robot(&app, "other", role::VIEWER).await;
    let missing = format!("{ACCOUNTS}/{other}/token/{}", made["id"]);
    delete(&app.admin(), &missing).await.refused(404, "NotFoundError", "no token");
    assert_eq!(delete(&app.admin(), &format!("{path}/{}", made["id"])).await.status, 200);
    assert_eq!(last_event(&app).await[0], "pat-deleted");
    first.get(ACCOUNTS).await.refused(401, "AuthenticationRequired", "");
    second.get(ACCOUNTS).await.expect(200);
    app.clock.advance(30 * 24 * 60 * 60 * 1000);
    second.get(ACCOUNTS).await.refused(401, "AuthenticationRequired", "");

    let app = TestApp::new().await;
    let id = robot(&app, "deployer", role::ADMIN).await;
    let (program, _) = token(&app, id, "first").await;
    program.get(ACCOUNTS).await.expect(200);
    assert_eq!(delete(&app.admin(), &format!("{ACCOUNTS}/{id}")).await.status, 200);
    let gone = json!({ "id": id, "name": "The deployer", "username": "deployer", "rootRole": role::ADMIN });
    assert_eq!(last_event(&app).await, json!(["service-account-deleted", null, null, gone]));
    program.get(ACCOUNTS).await.refused(401, "AuthenticationRequired", "");
    delete(&app.admin(), &format!("{ACCOUNTS}/{id}")).await.refused(404, "NotFoundError", "no service account");
    assert_eq!(personal_token::Entity::find().all(app.db()).await.expect("rows"), []);
    // The name is free again.
    robot(&app, "deployer", role::VIEWER).await;
}

#[tokio::test]
async fn nobody_signs_in_as_a_program_and_it_is_none_of_the_users() {
    let app = TestApp::new().await;
    let ada = user(&app, "ada", role::VIEWER).await;
    let id = robot(&app, "deployer", role::ADMIN).await;
    let admin = app.admin();
    for password in ["", STRONG, "deployer"] {
        assert_eq!(sign_in(&app, "deployer", password).await.status, 401, "{password}");
    }
    let users = "/api/admin/user-admin";
    let listed = admin.get(users).await.expect(200);
    assert_eq!(listed["users"].as_array().map(Vec::len), Some(1));
    admin.get(&format!("{users}/{id}")).await.refused(404, "NotFoundError", "no user");
    let password = json!({ "password": STRONG });
    admin.post(&format!("{users}/{id}/change-password"), password).await.refused(404, "NotFoundError", "no user");
    admin.post(&format!("{users}/reset-password"), json!({ "id": id })).await.refused(404, "NotFoundError", "");
    put(&admin, &format!("{users}/{id}"), json!({ "email": "a@example.com" })).await.refused(404, "NotFoundError", "");
    delete(&admin, &format!("{users}/{id}")).await.refused(404, "NotFoundError", "no user");
    delete(&admin, &format!("{ACCOUNTS}/{ada}")).await.refused(404, "NotFoundError", "no service account");
    assert_eq!(admin.get(&format!("{users}/search?q=deployer")).await.expect(200), json!([]));
    // Long after, only people are inactive.
    app.clock.advance(200 * 24 * 60 * 60 * 1000);
    let inactive = admin.get(&format!("{users}/inactive")).await.expect(200);
    assert_eq!(inactive["inactiveUsers"].as_array().map(Vec::len), Some(1));
    admin.post(&format!("{users}/inactive/delete"), json!({ "ids": [id] })).await.expect(200);
    assert_eq!(admin.get(ACCOUNTS).await.expect(200)["serviceAccounts"][0]["id"], id);
    // A session that got into the table in some other way lets nobody in.
    let (tx, now) = (app.tx().await, app.clock.now());
    start_session(&tx, &secret::digest("smuggled"), id, now, now.plus_days(1)).await.expect("starts");
    app.commit(tx).await;
    let answer = app
        .anonymous()
        .request(Method::GET, "/api/admin/user", &[("cookie", "unleash-session=smuggled")], Vec::new())
        .await;
    answer.refused(401, "AuthenticationRequired", "");
}

#[tokio::test]
async fn a_program_cannot_be_given_a_password_or_tokens_by_itself() {
    let app = TestApp::new().await;
    let id = robot(&app, "deployer", role::ADMIN).await;
    let (program, _) = token(&app, id, "first").await;
    let change = json!({ "oldPassword": "", "password": STRONG });
    program.post("/api/admin/user/change-password", change).await.refused(401, "PasswordMismatch", "");
    let new = json!({ "description": "own", "expiresAt": ENDS });
    program.post("/api/admin/user/tokens", new).await.refused(403, "InvalidOperationError", "");
}

#[tokio::test]
async fn a_program_holds_roles_in_projects_and_groups_and_is_told_apart_there() {
    let app = TestApp::new().await;
    app.project("shop").await;
    user(&app, "ada", role::VIEWER).await;
    let id = robot(&app, "deployer", role::VIEWER).await;
    let (program, _) = token(&app, id, "first").await;
    let feature = json!({ "name": "f" });
    let features = "/api/admin/projects/shop/features";
    program.post(features, feature.clone()).await.refused(403, "NoAccessError", "CREATE_FEATURE");
    let admin = app.admin();
    let everybody = admin.get("/api/admin/user-admin/access").await.expect(200);
    let kinds: Vec<(&Value, &Value)> = everybody["users"]
        .as_array()
        .expect("users")
        .iter()
        .map(|user| (&user["username"], &user["accountType"]))
        .collect();
    assert_eq!(kinds, [(&json!("ada"), &json!("User")), (&json!("deployer"), &json!("Service Account"))],);
    let access = "/api/admin/projects/shop/access";
    let given = json!({ "roles": [4], "groups": [], "users": [id] });
    admin.post(access, given).await.expect(200);
    let held = admin.get(access).await.expect(200);
    assert_eq!((&held["users"][0]["id"], &held["users"][0]["accountType"]), (&json!(id), &json!("Service Account")));
    program.post(features, feature).await.expect(201);
    let group = json!({ "name": "robots", "users": [{ "user": { "id": id } }] });
    let group = admin.post("/api/admin/groups", group).await.expect(201);
    assert_eq!(group["users"][0]["user"]["accountType"], "Service Account");
    let uses = admin.get("/api/admin/projects/roles/4/access").await.expect(200);
    let shop = json!({ "project": "shop", "role": 4, "userCount": 0, "groupCount": 0, "serviceAccountCount": 1 });
    assert_eq!(uses, json!({ "projects": [shop] }));
    admin.get("/api/admin/projects/roles/77/access").await.refused(404, "NotFoundError", "77");
    let path = format!("{ACCOUNTS}/{id}/permissions?project=shop");
    let permissions = admin.get(&path).await.expect(200);
    assert_eq!(permissions["projectRoles"][0]["name"], "Owner");
    assert_eq!(permissions["serviceAccount"]["id"], id);
    let standing = permissions["matrix"]["project"].as_array().expect("a list");
    let create = standing.iter().find(|permission| permission["name"] == "CREATE_FEATURE").expect("is there");
    assert_eq!(create["hasPermission"], true);
    let own = program.get("/api/admin/user").await.expect(200)["permissions"].clone();
    assert_eq!(permissions["permissions"], own);
}

#[tokio::test]
async fn a_change_is_told_once_and_takes_effect_at_once() {
    let app = TestApp::new().await;
    let id = robot(&app, "deployer", role::ADMIN).await;
    let (program, _) = token(&app, id, "first").await;
    let path = format!("{ACCOUNTS}/{id}");
    let admin = app.admin();
    let events = app.events().await.len();
    // The console of the reference repeats the user name, which cannot change.
    let same = json!({ "name": "The deployer", "username": "another", "rootRole": role::ADMIN });
    let answer = put(&admin, &path, same).await.expect(200);
    assert_eq!((&answer["username"], answer["tokens"].as_array().map(Vec::len)), (&json!("deployer"), Some(1)));
    assert_eq!(app.events().await.len(), events, "nothing changed");
    program.get(ACCOUNTS).await.expect(200);
    put(&admin, &path, json!({ "rootRole": "Viewer" })).await.expect(200);
    let before = json!({ "id": id, "name": "The deployer", "username": "deployer", "rootRole": role::ADMIN });
    let after = json!({ "id": id, "name": "The deployer", "username": "deployer", "rootRole": role::VIEWER });
    assert_eq!(last_event(&app).await, json!(["service-account-updated", null, after, before]));
    program.get(ACCOUNTS).await.refused(403, "NoAccessError", "ADMIN");
}

#[tokio::test]
async fn what_is_no_service_account_is_refused_and_nothing_is_stored() {
    let app = TestApp::with_config(Config {
        limits: Limits { personal_tokens: 1, ..Limits::default() },
        ..Config::default()
    })
    .await;
    user(&app, "ada", role::VIEWER).await;
    let id = robot(&app, "deployer", role::VIEWER).await;
    let events = app.events().await.len();
    let admin = app.admin();
    for taken in ["ada", "ada@example.com", "deployer"] {
        let new = json!({ "name": "x", "username": taken, "rootRole": 3 });
        admin.post(ACCOUNTS, new).await.refused(409, "NameExistsError", "/body/username");
    }
    let taken = json!({ "username": "deployer", "rootRole": 3 });
    admin.post("/api/admin/user-admin", taken).await.refused(400, "ValidationError", "username");
    for (body, property) in [
        (json!({ "username": "u", "rootRole": 3 }), "/body/name"),
        (json!({ "name": "n", "rootRole": 3 }), "/body/username"),
        (json!({ "name": "n", "username": "u" }), "/body/rootRole"),
        (json!({ "name": "n", "username": "u", "rootRole": 4 }), "/body/rootRole"),
        (json!({ "name": "n", "username": "u", "rootRole": 77 }), "/body/rootRole"),
        (json!({ "name": " ", "username": "u", "rootRole": 3 }), "/body/name"),
        (json!({ "name": "n", "username": "a\u{7}b", "rootRole": 3 }), "/body/username"),
        (json!({ "name": "n", "username": "u".repeat(256), "rootRole": 3 }), "/body/username"),
    ] {
        admin.post(ACCOUNTS, body).await.refused(400, "ValidationError", property);
    }
    put(&admin, &format!("{ACCOUNTS}/{id}"), json!({ "rootRole": 5 })).await.refused(
        400,
        "ValidationError",
        "rootRole",
    );
    put(&admin, &format!("{ACCOUNTS}/x"), json!({ "name": "n" })).await.refused(400, "ValidationError", "id");
    assert_eq!(app.events().await.len(), events);
    token(&app, id, "first").await;
    let another = json!({ "description": "second", "expiresAt": ENDS });
    let answer = admin.post(&format!("{ACCOUNTS}/{id}/token"), another).await;
    answer.refused(400, "ExceedsLimitError", "limit of 1");
}

#[tokio::test]
async fn programs_are_counted_apart_and_keep_no_instance_administered() {
    let app = TestApp::new().await;
    let ada = user(&app, "ada", role::ADMIN).await;
    let id = robot(&app, "deployer", role::ADMIN).await;
    token(&app, id, "first").await;
    let admin = app.admin();
    let count = admin.get("/api/admin/user-admin/admin-count").await.expect(200);
    assert_eq!(count, json!({ "password": 1, "noPassword": 0, "service": 1 }));
    let statistics = admin.get("/api/admin/instance-admin/statistics").await.expect(200);
    assert_eq!((&statistics["users"], &statistics["serviceAccounts"]), (&json!(1), &json!(1)));
    let answer = delete(&admin, &format!("/api/admin/user-admin/{ada}")).await;
    answer.refused(403, "InvalidOperationError", "administrator");
    assert_eq!(delete(&admin, &format!("{ACCOUNTS}/{id}")).await.status, 200);
}

/// The path of who holds a role begins like those of a project that is called so.
#[tokio::test]
async fn a_project_that_is_called_roles_is_reached_all_the_same() {
    let app = TestApp::new().await;
    app.project("roles").await;
    let admin = app.admin();
    admin.post("/api/admin/projects/roles/features", json!({ "name": "f" })).await.expect(201);
    for path in ["overview", "access", "features/f", "health-report"] {
        let answer = admin.get(&format!("/api/admin/projects/roles/{path}")).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.text);
    }
}
