//! An instance that leaves its directory deletes all that the directory kept.

use flagstone::{
    domain::scim::{KeptUser, Names},
    store::{
        self,
        access::people::NewUser,
        entity::{personal_token, project_user_role, session, user_group_member},
    },
};
use sea_orm::EntityTrait;
use serde_json::{Value, json};

use super::{Directory, SETTINGS, USERS, directory, id_of, number, types_since};
use crate::{
    calls::{delete, last_event, put, told},
    harness::{Client, TestApp, role},
    users::{STRONG, sign_in, user},
};

const USER_ADMIN: &str = "/api/admin/user-admin";
const GROUP_ADMIN: &str = "/api/admin/groups";
const ITS_USERS: &str = "/api/admin/user-admin/scim-users";
const ITS_GROUPS: &str = "/api/admin/groups/scim-groups";
const PROFILE: &str = "/api/admin/user/profile";

async fn switch_off(app: &TestApp) {
    app.admin().post(SETTINGS, json!({ "enabled": false })).await.expect(200);
}

/// Links a user by hand to the directory, which then writes to them.
async fn hand_over(app: &TestApp, directory: &Directory, person: &Client) -> i64 {
    let id = person.user_id.expect("a person");
    app.admin().post(&format!("{USER_ADMIN}/{id}/scim-link"), Value::Null).await.expect(200);
    let name = json!([{ "op": "replace", "path": "displayName", "value": "Grace" }]);
    directory.patch(&format!("{USERS}/{id}"), name).await.expect(200);
    id
}

async fn ids(app: &TestApp, path: &str, list: &str) -> Vec<i64> {
    let found = app.admin().get(path).await.expect(200);
    found[list].as_array().expect("a list").iter().map(|one| one["id"].as_i64().expect("an id")).collect()
}

async fn user_ids(app: &TestApp) -> Vec<i64> {
    ids(app, USER_ADMIN, "users").await
}

async fn group_ids(app: &TestApp) -> Vec<i64> {
    ids(app, GROUP_ADMIN, "groups").await
}

fn changes(is_dry: bool, types: &[&str]) -> Value {
    let event = |kind: &&str| json!({ "type": kind, "project": null, "featureName": null, "environment": null });
    json!({ "dryRun": is_dry, "events": types.iter().map(event).collect::<Vec<_>>() })
}

#[tokio::test]
async fn its_users_go_at_once_with_all_that_was_theirs_and_others_stay() {
    let app = TestApp::new().await;
    let (admin, directory) = (app.admin(), directory(&app).await);
    let bob = user(&app, "bob", role::EDITOR).await;
    let linked = app.viewer().await.user_id.expect("a person");
    admin.post(&format!("{USER_ADMIN}/{linked}/scim-link"), Value::Null).await.expect(200);
    let ada = directory.make_user("ada@example.com").await;
    let token = app.person(role::EDITOR, Some(("default", role::MEMBER))).await;
    let session = app.in_session(&token).await;
    let grace = hand_over(&app, &directory, &token).await;
    let crew = directory.make_group("crew", &[&ada, &format!("{USERS}/{grace}")]).await;
    switch_off(&app).await;

    let before = app.event_types().await.len();
    let types = ["user-deleted", "user-deleted", "setting-updated"];
    let dry = delete(&admin, &format!("{ITS_USERS}?dryRun=true")).await.expect(200);
    assert_eq!(dry, changes(true, &types));
    assert_eq!(app.event_types().await.len(), before);
    token.get(PROFILE).await.expect(200);

    assert_eq!(delete(&admin, ITS_USERS).await.expect(200), changes(false, &types));
    assert_eq!(types_since(&app, before).await, ["user-deleted", "user-deleted", "scim-users-deleted"]);
    assert_eq!(last_event(&app).await, json!(["scim-users-deleted", null, { "count": 2 }, null]));
    let of_ada = told(&app.events().await[before]);
    assert_eq!((&of_ada[0], &of_ada[3]["id"]), (&json!("user-deleted"), &json!(number(&ada))));
    let found = admin.get("/api/admin/search/events?type=IS:scim-users-deleted").await.expect(200);
    let shown = &found["events"][0];
    assert_eq!((&shown["type"], &shown["label"]), (&json!("setting-updated"), &json!("scim-users-deleted")));

    assert_eq!(user_ids(&app).await, [bob, linked], "whom the directory never wrote to is not its own");
    for client in [&token, &session] {
        assert_eq!(client.get(PROFILE).await.status, 401);
    }
    let group = admin.get(&format!("{GROUP_ADMIN}/{}", id_of(&crew))).await.expect(200);
    assert_eq!((&group["userCount"], &group["users"]), (&json!(0), &json!([])));
    let gone = [number(&ada), grace];
    let owners: [Vec<i64>; 4] = [
        personal_token::Entity::find().all(app.db()).await.expect("rows").iter().map(|row| row.user_id).collect(),
        session::Entity::find().all(app.db()).await.expect("rows").iter().map(|row| row.user_id).collect(),
        user_group_member::Entity::find().all(app.db()).await.expect("rows").iter().map(|row| row.user_id).collect(),
        project_user_role::Entity::find().all(app.db()).await.expect("rows").iter().map(|row| row.user_id).collect(),
    ];
    let left: Vec<i64> = owners.into_iter().flatten().collect();
    assert!(left.iter().all(|id| !gone.contains(id)), "{left:?}");
    sign_in(&app, "bob", STRONG).await.expect(200);

    let before = app.event_types().await.len();
    assert_eq!(delete(&admin, ITS_USERS).await.expect(200), changes(false, &[]));
    assert_eq!(app.event_types().await.len(), before, "there is nobody any more");
}

#[tokio::test]
async fn its_groups_go_at_once_and_their_members_and_other_groups_stay() {
    let app = TestApp::new().await;
    let (admin, directory) = (app.admin(), directory(&app).await);
    let ada = directory.make_user("ada@example.com").await;
    let team = admin.post(GROUP_ADMIN, json!({ "name": "team", "users": [] })).await.expect(201);
    let crew = directory.make_group("crew", &[&ada]).await;
    let access = json!({ "roles": [role::MEMBER], "groups": [number(&crew)], "users": [] });
    admin.post("/api/admin/projects/default/access", access).await.expect(200);
    directory.make_group("band", &[]).await;
    switch_off(&app).await;

    let before = app.event_types().await.len();
    let types = ["group-deleted", "group-deleted", "setting-updated"];
    let dry = delete(&admin, &format!("{ITS_GROUPS}?dryRun=true")).await.expect(200);
    assert_eq!(dry, changes(true, &types));
    assert_eq!((app.event_types().await.len(), group_ids(&app).await.len()), (before, 3));

    assert_eq!(delete(&admin, ITS_GROUPS).await.expect(200), changes(false, &types));
    assert_eq!(types_since(&app, before).await, ["group-deleted", "group-deleted", "scim-groups-deleted"]);
    assert_eq!(last_event(&app).await, json!(["scim-groups-deleted", null, { "count": 2 }, null]));
    let of_crew = told(&app.events().await[before]);
    assert_eq!((&of_crew[3]["name"], &of_crew[3]["users"]), (&json!("crew"), &json!([number(&ada)])));
    assert_eq!(group_ids(&app).await, [team["id"].as_i64().expect("an id")]);
    assert_eq!(user_ids(&app).await, [number(&ada)]);
    assert_eq!(user_group_member::Entity::find().all(app.db()).await.expect("rows").len(), 0);
    assert_eq!(delete(&admin, ITS_GROUPS).await.expect(200), changes(false, &[]));
}

#[tokio::test]
async fn while_scim_is_on_they_are_deleted_there() {
    let app = TestApp::new().await;
    let (admin, directory) = (app.admin(), directory(&app).await);
    for path in [ITS_USERS, ITS_GROUPS] {
        delete(&admin, path).await.refused(403, "InvalidOperationError", "SCIM");
    }
    let ada = directory.make_user("ada@example.com").await;
    let crew = directory.make_group("crew", &[]).await;
    let before = app.event_types().await.len();
    for path in [ITS_USERS, ITS_GROUPS] {
        delete(&admin, path).await.refused(403, "InvalidOperationError", "SCIM");
        delete(&admin, &format!("{path}?dryRun=true")).await.refused(403, "InvalidOperationError", "SCIM");
        delete(&admin, &format!("{path}?dryRun=perhaps")).await.refused(400, "ValidationError", "dryRun");
    }
    assert_eq!((user_ids(&app).await, group_ids(&app).await), (vec![number(&ada)], vec![number(&crew)]));
    assert_eq!(app.event_types().await.len(), before);
}

#[tokio::test]
async fn the_caller_stays_and_with_the_last_administrator_everybody_does() {
    let app = TestApp::new().await;
    let (admin, directory) = (app.admin(), directory(&app).await);
    let boss = app.root_admin().await;
    let id = hand_over(&app, &directory, &boss).await;
    let ada = directory.make_user("ada@example.com").await;
    switch_off(&app).await;
    let before = app.event_types().await.len();
    delete(&admin, ITS_USERS).await.refused(403, "InvalidOperationError", "administrator");
    assert_eq!(user_ids(&app).await, [id, number(&ada)]);
    assert_eq!(app.event_types().await.len(), before);

    let types = ["user-deleted", "setting-updated"];
    assert_eq!(delete(&boss, ITS_USERS).await.expect(200), changes(false, &types));
    assert_eq!(user_ids(&app).await, [id]);
    assert_eq!(delete(&boss, ITS_USERS).await.expect(200), changes(false, &[]));
}

#[tokio::test]
async fn the_last_group_of_administrators_stays_with_all_others() {
    let app = TestApp::new().await;
    let (admin, directory) = (app.admin(), directory(&app).await);
    let boss = app.viewer().await.user_id.expect("a person");
    let crew = directory.make_group("crew", &[&format!("{USERS}/{boss}")]).await;
    let band = directory.make_group("band", &[]).await;
    let gives = json!({ "name": "crew", "users": [{ "user": { "id": boss } }], "rootRole": role::ADMIN });
    put(&admin, &format!("{GROUP_ADMIN}/{}", id_of(&crew)), gives).await.expect(200);
    switch_off(&app).await;
    let before = app.event_types().await.len();
    delete(&admin, ITS_GROUPS).await.refused(403, "InvalidOperationError", "administer");
    assert_eq!(group_ids(&app).await, [number(&band), number(&crew)]);
    assert_eq!(app.event_types().await.len(), before);
}

#[tokio::test]
async fn more_of_its_users_than_one_statement_names_go_together() {
    let app = TestApp::new().await;
    let tx = app.tx().await;
    for number in 0..501 {
        let names = Names { user_name: format!("u{number}@example.com"), ..Names::default() };
        let new = NewUser {
            username: Some(format!("u{number}")),
            root_role_id: role::VIEWER,
            kept: Some(KeptUser { names, external_id: None }),
            ..NewUser::default()
        };
        store::access::people::insert_user(&tx, &new, app.clock.now()).await.expect("a user");
    }
    app.commit(tx).await;
    let done = delete(&app.admin(), ITS_USERS).await.expect(200);
    assert_eq!(done["events"].as_array().map(Vec::len), Some(502));
    assert!(user_ids(&app).await.is_empty());
    assert_eq!(last_event(&app).await, json!(["scim-users-deleted", null, { "count": 501 }, null]));
}
