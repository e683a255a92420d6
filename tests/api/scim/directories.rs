//! Directories with a token of their own: each sees and changes what is its own, and nothing else.

use flagstone::{
    domain::secret,
    jobs,
    store::entity::{nested_group, scim_directory},
};
use poem::http::Method;
use sea_orm::EntityTrait;
use serde_json::{Value, json};

use super::{Directory, GROUP, GROUPS, SETTINGS, USER, USERS, directory, id_of, number, refused, types_since};
use crate::{
    calls::{delete, last_event, put},
    harness::{TestApp, role},
    users::user,
};

const DIRECTORIES: &str = "/api/admin/scim-settings/directories";
const USER_ADMIN: &str = "/api/admin/user-admin";
const GROUP_ADMIN: &str = "/api/admin/groups";

/// Another directory, by its id.
async fn another(app: &TestApp, name: &str) -> (i64, Directory) {
    let made = app.admin().post(DIRECTORIES, json!({ "name": name })).await.expect(201);
    let token = made["token"].as_str().expect("a token").to_owned();
    let client = app.with_authorization(&format!("Bearer {token}"));
    (made["directory"]["id"].as_i64().expect("an id"), Directory { client, token })
}

/// Ids of everything in a list.
async fn listed(directory: &Directory, path: &str) -> Vec<String> {
    let found = directory.get(path).await.expect(200);
    let resources = found["Resources"].as_array().expect("a list");
    assert_eq!(found["totalResults"], resources.len());
    resources.iter().map(|one| one["id"].as_str().expect("an id").to_owned()).collect()
}

#[tokio::test]
async fn directories_are_created_listed_rotated_and_deleted_and_the_token_is_shown_once() {
    let app = TestApp::new().await;
    let (admin, default) = (app.admin(), directory(&app).await);
    let settings = admin.get(SETTINGS).await.expect(200);
    let answer = admin.post(DIRECTORIES, json!({ "name": "Okta" })).await;
    assert_eq!(answer.status, 201, "{}", answer.text);
    assert!(answer.headers["location"].to_str().expect("a place").ends_with(DIRECTORIES));
    let token = answer.body["token"].as_str().expect("a token").to_owned();
    let id = answer.body["directory"]["id"].as_i64().expect("an id");
    let event = last_event(&app).await;
    assert_eq!((&event[0], &event[2]["id"]), (&json!("setting-created"), &json!("flagstone.scim-directory")));
    assert_eq!(event[2]["directory"], answer.body["directory"]);
    let first = app.with_authorization(&format!("Bearer {token}"));
    first.get(USERS).await.expect(200);

    let path = format!("{DIRECTORIES}/{id}");
    let rotated = admin.post(&format!("{path}/generate-new-token"), Value::Null).await.expect(200);
    let second = rotated["token"].as_str().expect("a token").to_owned();
    assert_ne!(second, token);
    assert_eq!(last_event(&app).await[0], "setting-updated");
    assert_eq!(first.get(USERS).await.status, 401);
    let okta = app.with_authorization(&format!("Bearer {second}"));
    okta.get(USERS).await.expect(200);
    let rows = scim_directory::Entity::find().all(app.db()).await.expect("rows");
    assert_eq!(rows[0].token_hash, secret::digest(&second));
    let events: Vec<String> = app.events().await.into_iter().filter_map(|event| event.data).collect();
    for secret in [&token, &second, &secret::digest(&token), &secret::digest(&second)] {
        assert!(!events.concat().contains(secret.as_str()), "no secret is in an event");
    }

    let listed = admin.get(DIRECTORIES).await.expect(200);
    assert_eq!(listed["directories"][0]["lastUsedAt"], Value::Null);
    jobs::write_presence(&app.state).await.expect("writes");
    let listed = admin.get(DIRECTORIES).await.expect(200);
    assert!(listed["directories"][0]["lastUsedAt"].is_string(), "{listed}");
    assert_eq!(listed["directories"][0]["directory"]["name"], "Okta");
    assert!(!listed.to_string().contains("oken\":"), "no token is listed: {listed}");

    admin.post(DIRECTORIES, json!({ "name": "Okta" })).await.refused(409, "NameExistsError", "Okta");
    admin.post(DIRECTORIES, json!({ "name": "a\nb" })).await.refused(400, "ValidationError", "/body/name");
    admin.post(DIRECTORIES, json!({ "name": " " })).await.refused(400, "ValidationError", "/body/name");
    for path in [format!("{DIRECTORIES}/99"), format!("{DIRECTORIES}/99/generate-new-token")] {
        let method = if path.ends_with("99") { Method::DELETE } else { Method::POST };
        admin.json(method, &path, Value::Null).await.refused(404, "NotFoundError", "99");
    }
    assert_eq!(delete(&admin, &path).await.expect(200), json!({ "keptUsers": 0, "keptGroups": 0 }));
    assert_eq!(last_event(&app).await[0], "setting-deleted");
    assert_eq!(okta.get(USERS).await.status, 401);
    // The default directory and its settings are what they were.
    assert_eq!(admin.get(SETTINGS).await.expect(200), settings);
    default.get(USERS).await.expect(200);
    admin.post(SETTINGS, json!({ "enabled": false })).await.expect(200);
    assert_eq!(another(&app, "Entra").await.1.get(USERS).await.status, 404, "off for each of them");
}

#[tokio::test]
async fn a_directory_sees_and_changes_its_own_and_all_else_is_not_there() {
    let app = TestApp::new().await;
    let (admin, default) = (app.admin(), directory(&app).await);
    let (okta_id, okta) = another(&app, "Okta").await;
    let (_, entra) = another(&app, "Entra").await;
    let by_hand = format!("{USERS}/{}", user(&app, "bob", role::VIEWER).await);
    let local = admin.post(GROUP_ADMIN, json!({ "name": "local" })).await.expect(201);
    let local = format!("{GROUPS}/{}", local["id"]);
    let ada = okta.make_user("ada@example.com").await;
    let crew = okta.make_group("crew", &[&ada]).await;
    let eve = default.make_user("eve@example.com").await;
    assert_eq!(admin.get(&format!("{USER_ADMIN}/{}", id_of(&ada))).await.expect(200)["scimDirectory"], okta_id);
    assert_eq!(admin.get(&format!("{GROUP_ADMIN}/{}", id_of(&crew))).await.expect(200)["scimDirectory"], okta_id);
    assert_eq!(admin.get(&format!("{USER_ADMIN}/{}", id_of(&eve))).await.expect(200).get("scimDirectory"), None);

    assert_eq!((listed(&okta, USERS).await, listed(&okta, GROUPS).await), (vec![id_of(&ada)], vec![id_of(&crew)]));
    assert_eq!((listed(&entra, USERS).await, listed(&entra, GROUPS).await), (vec![], vec![]));
    let (users, groups) = (listed(&default, USERS).await, listed(&default, GROUPS).await);
    assert!(users.contains(&id_of(&by_hand)) && users.contains(&id_of(&eve)) && !users.contains(&id_of(&ada)));
    assert_eq!(groups, [id_of(&local)]);

    let events = app.event_types().await.len();
    let whole = json!({ "schemas": [USER], "userName": "mallory@example.com" });
    let team = json!({ "schemas": [GROUP], "displayName": "team" });
    let rename = json!([{ "op": "replace", "path": "displayName", "value": "mine" }]);
    for (directory, places) in [
        (&okta, [(&by_hand, &whole), (&eve, &whole), (&local, &team)]),
        (&entra, [(&ada, &whole), (&by_hand, &whole), (&crew, &team)]),
        (&default, [(&ada, &whole), (&ada, &whole), (&crew, &team)]),
    ] {
        for (place, body) in places {
            for answer in [
                directory.get(place).await,
                directory.put(place, body.clone()).await,
                directory.patch(place, rename.clone()).await,
                directory.delete(place).await,
            ] {
                refused(&answer, 404, None, &id_of(place));
            }
        }
    }
    // Nobody of another directory joins a group, by number or by a bulk, and no group of another is nested.
    for member in [json!({ "value": id_of(&eve) }), json!({ "value": id_of(&by_hand) })] {
        let join = json!([{ "op": "add", "path": "members", "value": [member] }]);
        refused(&okta.patch(&crew, join.clone()).await, 400, Some("invalidValue"), "does not exist");
        let data = json!({ "Operations": join });
        let bulk =
            json!({ "Operations": [{ "method": "PATCH", "path": format!("/Groups/{}", id_of(&crew)), "data": data }] });
        let outcome = okta.post("/scim/Bulk", bulk).await.expect(200)["Operations"][0]["status"].clone();
        assert_eq!(outcome, "400");
    }
    let nest = json!([{ "op": "add", "path": "members", "value": [{ "value": id_of(&local), "type": "Group" }] }]);
    refused(&okta.patch(&crew, nest).await, 400, Some("invalidValue"), "does not exist");
    // What is taken is taken, and no more is told.
    for (path, body) in [
        (USERS, json!({ "schemas": [USER], "userName": "eve@example.com" })),
        (USERS, json!({ "schemas": [USER], "userName": "x@example.com", "emails": [{ "value": "bob@example.com" }] })),
        (GROUPS, json!({ "schemas": [GROUP], "displayName": "local" })),
    ] {
        let answer = okta.post(path, body).await;
        refused(&answer, 409, Some("uniqueness"), "already");
        assert!(!answer.text.contains("scimDirectory") && !answer.text.contains("Users/"), "{}", answer.text);
    }
    assert_eq!(app.event_types().await.len(), events, "nothing changed");
    for (filter, path) in [
        (format!("userName eq \"eve@example.com\" or id eq \"{}\"", id_of(&eve)), USERS),
        ("displayName eq \"local\"".to_owned(), GROUPS),
        (format!("members.value eq \"{}\"", id_of(&eve)), GROUPS),
        (format!("groups.value eq \"{}\"", id_of(&local)), USERS),
    ] {
        assert_eq!(okta.find(path, &filter).await, Vec::<Value>::new(), "{filter}");
    }
}

#[tokio::test]
async fn events_tell_which_directory_it_was_and_powers_are_as_for_the_default_one() {
    let app = TestApp::new().await;
    user(&app, "spare", role::ADMIN).await;
    directory(&app).await;
    let admin = app.admin();
    let (_, okta) = another(&app, "Okta").await;
    let ada = okta.make_user("ada@example.com").await;
    let path = format!("{USER_ADMIN}/{}", id_of(&ada));
    let author = async || app.events().await.last().expect("an event").created_by.clone();
    assert_eq!(author().await, "scim: Okta");
    okta.make_group("crew", &[&ada]).await;
    assert_eq!(author().await, "scim: Okta");
    put(&admin, &path, json!({ "email": "other@example.com" })).await.refused(403, "InvalidOperationError", "SCIM");
    put(&admin, &path, json!({ "rootRole": role::ADMIN })).await.expect(200);
    let readdress = json!([{ "op": "replace", "path": "emails[type eq \"work\"].value", "value": "eve@x.com" }]);
    refused(&okta.patch(&ada, readdress).await, 403, None, "given by hand");
    assert_eq!(okta.delete(&ada).await.status, 204);
    assert_eq!(author().await, "scim: Okta");
    // Whom a directory deleted, no other one brings back.
    let (_, entra) = another(&app, "Entra").await;
    let other = entra.make_user("ada@example.com").await;
    assert_ne!(other, ada);
    assert_eq!(entra.delete(&other).await.status, 204);
    assert_eq!(okta.make_user("ada@example.com").await, ada);
}

#[tokio::test]
async fn a_person_hands_accounts_over_from_one_directory_to_another() {
    let app = TestApp::new().await;
    let (admin, default) = (app.admin(), directory(&app).await);
    let (okta_id, okta) = another(&app, "Okta").await;
    let ada = default.make_user("ada@example.com").await;
    let inner = default.make_group("inner", &[&ada]).await;
    let outer = default.make_group("outer", &[]).await;
    let nest = json!([{ "op": "add", "path": "members", "value": [{ "value": id_of(&inner), "type": "Group" }] }]);
    assert_eq!(default.patch(&outer, nest).await.status, 204);
    let link = |place: &str, kind: &str| format!("/api/admin/{kind}/{}/scim-link?directoryId={okta_id}", id_of(place));
    let unknown = format!("{USER_ADMIN}/{}/scim-link?directoryId=99", id_of(&ada));
    admin.post(&unknown, Value::Null).await.refused(400, "ValidationError", "directoryId");
    let linked = admin.post(&link(&inner, "groups"), Value::Null).await.expect(200);
    assert_eq!((&linked["scimDirectory"], &linked["scimLinked"]), (&json!(okta_id), &json!(true)));
    assert_eq!(nested_group::Entity::find().all(app.db()).await.expect("rows").len(), 0);
    let left = admin.get(&format!("{GROUP_ADMIN}/{}", id_of(&outer))).await.expect(200);
    assert_eq!(left["userCount"], 0);
    assert_eq!(last_event(&app).await[0], "group-user-removed");
    let linked = admin.post(&link(&ada, "user-admin"), Value::Null).await.expect(200);
    assert_eq!(linked["scimDirectory"], okta_id);
    assert_eq!((listed(&okta, USERS).await, listed(&okta, GROUPS).await), (vec![id_of(&ada)], vec![id_of(&inner)]));
    refused(&default.get(&ada).await, 404, None, &id_of(&ada));
    let rename = json!([{ "op": "replace", "path": "displayName", "value": "Ada" }]);
    assert_eq!(okta.patch(&ada, rename).await.expect(200)["displayName"], "Ada");
    admin.json(Method::DELETE, &format!("{USER_ADMIN}/{}/scim-link", id_of(&ada)), Value::Null).await.expect(200);
    refused(&okta.get(&ada).await, 404, None, &id_of(&ada));
    default.get(&ada).await.expect(200);
}

#[tokio::test]
async fn who_leaves_a_directory_leaves_the_groups_that_it_keeps() {
    let app = TestApp::new().await;
    let (admin, default) = (app.admin(), directory(&app).await);
    let (_, okta) = another(&app, "Okta").await;
    let (entra_id, _) = another(&app, "Entra").await;
    let (ada, eve) = (okta.make_user("ada@example.com").await, okta.make_user("eve@example.com").await);
    let inner = okta.make_group("inner", &[&ada, &eve]).await;
    let outer = okta.make_group("outer", &[&ada]).await;
    let nest = json!([{ "op": "add", "path": "members", "value": [{ "value": id_of(&inner), "type": "Group" }] }]);
    assert_eq!(okta.patch(&outer, nest).await.status, 204);
    let by_hand = json!({ "name": "by hand", "users": [{ "user": { "id": number(&ada) } }] });
    let by_hand = format!("{GROUPS}/{}", admin.post(GROUP_ADMIN, by_hand).await.expect(201)["id"]);
    let people = async |group: &str| {
        let group = admin.get(&format!("{GROUP_ADMIN}/{}", id_of(group))).await.expect(200);
        let users = group["users"].as_array().expect("a list").clone();
        users.iter().map(|one| one["user"]["id"].as_i64().expect("an id")).collect::<Vec<i64>>()
    };
    assert_eq!(people(&outer).await, [number(&ada), number(&eve)]);

    let before = app.event_types().await.len();
    let link = |user: &str| format!("{USER_ADMIN}/{}/scim-link", id_of(user));
    delete(&admin, &link(&ada)).await.expect(200);
    let types = types_since(&app, before).await;
    assert_eq!(types, ["user-updated", "group-user-removed", "group-user-removed"]);
    for group in [&inner, &outer] {
        assert_eq!(people(group).await, [number(&eve)], "{group}");
    }
    assert_eq!(people(&by_hand).await, [number(&ada)], "what no directory keeps stays");
    let members = okta.get(&inner).await.expect(200)["members"].clone();
    assert_eq!((members.as_array().map(Vec::len), &members[0]["value"]), (Some(1), &json!(id_of(&eve))));
    // Handed over to another directory.
    let before = app.event_types().await.len();
    let handed_over = format!("{}?directoryId={entra_id}", link(&eve));
    admin.post(&handed_over, Value::Null).await.expect(200);
    let types = types_since(&app, before).await;
    assert_eq!(types, ["user-updated", "group-user-removed", "group-user-removed"]);
    assert_eq!((people(&inner).await, people(&outer).await), (vec![], vec![]));

    // The default directory goes on saying who is in its groups.
    let bob = default.make_user("bob@example.com").await;
    let crew = default.make_group("crew", &[&bob]).await;
    delete(&admin, &link(&bob)).await.expect(200);
    assert_eq!(people(&crew).await, [number(&bob)]);
    let remove = json!([{ "op": "remove", "path": format!("members[value eq \"{}\"]", id_of(&bob)) }]);
    assert_eq!(default.patch(&crew, remove).await.status, 204);
    assert_eq!(people(&crew).await, [0; 0]);
    // While SCIM is off, people say it.
    let zoe = okta.make_user("zoe@example.com").await;
    let shift = okta.make_group("shift", &[&zoe]).await;
    admin.post(SETTINGS, json!({ "enabled": false })).await.expect(200);
    delete(&admin, &link(&zoe)).await.expect(200);
    assert_eq!(people(&shift).await, [number(&zoe)]);
}

#[tokio::test]
async fn a_group_of_a_directory_does_not_lose_the_last_administrator_by_a_link() {
    let app = TestApp::new().await;
    let admin = app.admin();
    let (okta_id, okta) = another(&app, "Okta").await;
    admin.post(SETTINGS, json!({ "enabled": true })).await.expect(200);
    let boss = user(&app, "boss", role::VIEWER).await;
    let link = format!("{USER_ADMIN}/{boss}/scim-link");
    admin.post(&format!("{link}?directoryId={okta_id}"), Value::Null).await.expect(200);
    let crew = okta.make_group("crew", &[&format!("{USERS}/{boss}")]).await;
    let path = format!("{GROUP_ADMIN}/{}", id_of(&crew));
    let content = json!({ "name": "crew", "users": [{ "user": { "id": boss } }], "rootRole": role::ADMIN });
    put(&admin, &path, content).await.expect(200);
    let before = app.event_types().await.len();
    delete(&admin, &link).await.refused(403, "InvalidOperationError", "administer");
    assert_eq!(app.event_types().await.len(), before);
    app.root_admin().await;
    delete(&admin, &link).await.expect(200);
    assert_eq!(admin.get(&path).await.expect(200)["userCount"], 0);
}

#[tokio::test]
async fn what_a_deleted_directory_kept_stays_as_if_made_here() {
    let app = TestApp::new().await;
    let (admin, default) = (app.admin(), directory(&app).await);
    let (okta_id, okta) = another(&app, "Okta").await;
    let (ada, gone) = (okta.make_user("ada@example.com").await, okta.make_user("gone@example.com").await);
    let inner = okta.make_group("inner", &[&ada]).await;
    let outer = okta.make_group("outer", &[]).await;
    let nest = json!([{ "op": "add", "path": "members", "value": [{ "value": id_of(&inner), "type": "Group" }] }]);
    assert_eq!(okta.patch(&outer, nest).await.status, 204);
    assert_eq!(okta.delete(&gone).await.status, 204);
    let listed = admin.get(DIRECTORIES).await.expect(200);
    assert_eq!(
        (&listed["directories"][0]["userCount"], &listed["directories"][0]["groupCount"]),
        (&json!(1), &json!(2))
    );
    let before = app.event_types().await.len();
    let kept = delete(&admin, &format!("{DIRECTORIES}/{okta_id}")).await.expect(200);
    assert_eq!(kept, json!({ "keptUsers": 1, "keptGroups": 2 }));
    assert_eq!(types_since(&app, before).await, ["setting-deleted"]);
    let event = last_event(&app).await;
    assert_eq!(
        (&event[3]["users"], &event[3]["groups"]),
        (&json!([number(&ada)]), &json!([number(&inner), number(&outer)]))
    );
    assert_eq!(okta.get(USERS).await.status, 401);
    let path = format!("{USER_ADMIN}/{}", id_of(&ada));
    let shown = admin.get(&path).await.expect(200);
    assert_eq!((shown.get("scimId"), shown.get("scimDirectory")), (None, None));
    put(&admin, &path, json!({ "name": "Ada by hand" })).await.expect(200);
    let group = admin.get(&format!("{GROUP_ADMIN}/{}", id_of(&outer))).await.expect(200);
    assert_eq!((group["userCount"].clone(), group.get("nestedGroups")), (json!(1), None));
    assert_eq!(group["users"][0].get("nested"), None);
    // The default directory finds them as it finds everybody, and brings nobody back.
    default.get(&ada).await.expect(200);
    assert_ne!(default.make_user("gone@example.com").await, gone);
}
