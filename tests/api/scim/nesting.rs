//! Groups that are nested in groups: who is in them, what a directory reaches by them, and what it does not.

use flagstone::store::{
    self,
    entity::{nested_group, user_group_member},
};
use poem::http::Method;
use sea_orm::EntityTrait;
use serde_json::{Value, json};

use super::{Directory, GROUP, GROUPS, SETTINGS, USERS, directory, id_of, number, refused, types_since};
use crate::{
    calls::{delete, last_event, put, told},
    harness::{TestApp, role},
};

const GROUP_ADMIN: &str = "/api/admin/groups";

fn nested(place: &str) -> Value {
    json!({ "value": id_of(place), "type": "Group" })
}

impl Directory {
    /// Nests a group in another one.
    async fn nest(&self, outer: &str, inner: &str) -> crate::harness::Answer {
        self.patch(outer, json!([{ "op": "add", "path": "members", "value": [nested(inner)] }])).await
    }

    async fn join(&self, group: &str, user: &str) -> crate::harness::Answer {
        self.patch(group, json!([{ "op": "add", "path": "members", "value": [{ "value": id_of(user) }] }])).await
    }

    /// Removes a member by a path that says what it is.
    async fn remove(&self, group: &str, kind: &str, member: &str) -> crate::harness::Answer {
        let path = format!("members[value eq \"{}\" and type eq \"{kind}\"]", id_of(member));
        self.patch(group, json!([{ "op": "remove", "path": path }])).await
    }

    /// Ids and types of the groups of a user.
    async fn groups_of(&self, user: &str) -> Vec<(String, String)> {
        pairs(&self.get(user).await.expect(200)["groups"])
    }

    /// Ids and types of the members of a group.
    async fn members_of(&self, group: &str) -> Vec<(String, String)> {
        pairs(&self.get(group).await.expect(200)["members"])
    }
}

fn pairs(references: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let references = references.as_array().into_iter().flatten();
    references.map(|one| (text(&one["value"]), text(&one["type"]))).collect()
}

fn pair(place: &str, kind: &str) -> (String, String) {
    (id_of(place), kind.to_owned())
}

/// Ids of the people of a group, and which of them are nested, as administrators see them.
async fn people(app: &TestApp, group: &str) -> Vec<(i64, bool)> {
    let group = app.admin().get(&format!("{GROUP_ADMIN}/{}", id_of(group))).await.expect(200);
    let users = group["users"].as_array().expect("a list");
    assert_eq!(group["userCount"], users.len());
    users.iter().map(|one| (one["user"]["id"].as_i64().expect("an id"), one["nested"] == true)).collect()
}

#[tokio::test]
async fn whoever_is_in_a_nested_group_is_in_each_around_it_and_members_are_the_direct_ones() {
    let app = TestApp::new().await;
    let directory = directory(&app).await;
    let (ada, bob) = (directory.make_user("ada@example.com").await, directory.make_user("bob@example.com").await);
    let inner = directory.make_group("inner", &[&ada]).await;
    let middle = directory.make_group("middle", &[&bob]).await;
    let outer = directory.make_group("outer", &[]).await;
    assert_eq!(directory.nest(&middle, &inner).await.status, 204);
    let whole =
        json!({ "schemas": [GROUP], "displayName": "outer", "members": [nested(&middle), { "value": id_of(&bob) }] });
    let shown = directory.put(&outer, whole).await.expect(200);
    assert_eq!(pairs(&shown["members"]), [pair(&bob, "User"), pair(&middle, "Group")]);
    let reference = shown["members"][1]["$ref"].as_str().expect("a place");
    assert!(reference.ends_with(&middle), "{reference}");
    assert_eq!(shown["members"][1]["display"], "middle");

    assert_eq!(directory.members_of(&middle).await, [pair(&bob, "User"), pair(&inner, "Group")]);
    assert_eq!(directory.members_of(&inner).await, [pair(&ada, "User")]);
    let of_ada = [pair(&inner, "direct"), pair(&middle, "indirect"), pair(&outer, "indirect")];
    assert_eq!(directory.groups_of(&ada).await, of_ada);
    assert_eq!(directory.groups_of(&bob).await, [pair(&middle, "direct"), pair(&outer, "direct")]);
    let (ada_id, bob_id) = (number(&ada), number(&bob));
    assert_eq!(people(&app, &outer).await, [(ada_id, true), (bob_id, false)]);
    let group = app.admin().get(&format!("{GROUP_ADMIN}/{}", id_of(&outer))).await.expect(200);
    assert_eq!(group["nestedGroups"], json!([{ "id": number(&middle), "name": "middle" }]));

    // Filters find direct members by members, and all groups of a user by groups.
    let found =
        |found: Vec<Value>| found.iter().map(|one| one["id"].as_str().expect("an id").to_owned()).collect::<Vec<_>>();
    let around = directory
        .find(GROUPS, &format!("members.value eq \"{}\" and not (displayName eq \"inner\")", id_of(&inner)))
        .await;
    assert!(found(around).contains(&id_of(&middle)));
    let in_outer = directory.find(USERS, &format!("groups.value eq \"{}\"", id_of(&outer))).await;
    assert_eq!(found(in_outer), [id_of(&ada), id_of(&bob)]);

    // A person who is direct and nested stays by either.
    assert_eq!(directory.join(&outer, &ada).await.status, 204);
    assert_eq!(people(&app, &outer).await, [(ada_id, false), (bob_id, false)]);
    assert_eq!(directory.remove(&outer, "User", &ada).await.status, 204);
    assert_eq!(people(&app, &outer).await, [(ada_id, true), (bob_id, false)]);
    assert_eq!(directory.remove(&middle, "Group", &inner).await.status, 204);
    assert_eq!(people(&app, &outer).await, [(bob_id, false)]);
    assert_eq!(directory.groups_of(&ada).await, [pair(&inner, "direct")]);
}

#[tokio::test]
async fn roles_of_outer_groups_come_and_go_with_the_members_of_inner_ones() {
    let app = TestApp::new().await;
    app.project("shop").await;
    let (admin, directory) = (app.admin(), directory(&app).await);
    let person = app.person(role::VIEWER, None).await;
    let place = format!("{USERS}/{}", person.user_id.expect("a person"));
    let inner = directory.make_group("inner", &[]).await;
    let outer = directory.make_group("outer", &[]).await;
    let access = json!({ "roles": [role::OWNER], "groups": [number(&outer)], "users": [] });
    admin.post("/api/admin/projects/shop/access", access).await.expect(200);
    assert_eq!(directory.nest(&outer, &inner).await.status, 204);
    let feature = |name: &str| json!({ "name": name });
    let path = "/api/admin/projects/shop/features";
    assert_eq!(person.post(path, feature("one")).await.status, 403);
    assert_eq!(directory.join(&inner, &place).await.status, 204);
    person.post(path, feature("two")).await.expect(201);
    assert_eq!(directory.remove(&inner, "User", &place).await.status, 204);
    assert_eq!(person.post(path, feature("three")).await.status, 403);
    assert_eq!(directory.join(&inner, &place).await.status, 204);
    assert_eq!(directory.delete(&inner).await.status, 204);
    assert_eq!(person.post(path, feature("four")).await.status, 403);
}

#[tokio::test]
async fn no_directory_raises_by_nesting_whom_it_may_not_raise_directly() {
    let app = TestApp::new().await;
    app.project("shop").await;
    let (admin, directory) = (app.admin(), directory(&app).await);
    let (ada, eve) = (directory.make_user("ada@example.com").await, directory.make_user("eve@example.com").await);
    let inner = directory.make_group("inner", &[&ada]).await;
    // Found without a role, and given one by a person later.
    let found = admin.post(GROUP_ADMIN, json!({ "name": "found" })).await.expect(201);
    let found = format!("{GROUPS}/{}", found["id"]);
    let middle = directory.make_group("middle", &[]).await;
    assert_eq!(directory.nest(&found, &middle).await.status, 204);
    assert_eq!(directory.nest(&middle, &inner).await.status, 204);
    let access = json!({ "roles": [role::OWNER], "groups": [number(&found)], "users": [] });
    admin.post("/api/admin/projects/shop/access", access).await.expect(200);
    let (before, events) = (people(&app, &found).await, app.event_types().await.len());
    assert_eq!(before, [(number(&ada), true)]);
    let whole = json!({ "schemas": [GROUP], "displayName": "inner", "members": [{ "value": id_of(&eve) }] });
    for answer in [
        directory.join(&inner, &eve).await,
        directory.join(&middle, &eve).await,
        directory.remove(&inner, "User", &ada).await,
        directory.remove(&middle, "Group", &inner).await,
        directory.remove(&found, "Group", &middle).await,
        directory.put(&inner, whole).await,
        directory.delete(&inner).await,
        directory.delete(&middle).await,
    ] {
        refused(&answer, 403, None, "linkGroupToDirectory");
    }
    let bulk = json!({ "Operations": [
        { "method": "POST", "bulkId": "g", "path": "/Groups", "data": { "displayName": "new", "members": [{ "value": id_of(&eve) }] } },
        { "method": "PATCH", "path": format!("/Groups/{}", id_of(&middle)), "data": { "Operations": [
            { "op": "add", "path": "members", "value": [{ "value": "bulkId:g", "type": "Group" }] }
        ] } },
    ] });
    let outcomes = directory.post("/scim/Bulk", bulk).await.expect(200);
    let statuses: Vec<&Value> =
        outcomes["Operations"].as_array().expect("a list").iter().map(|one| &one["status"]).collect();
    assert_eq!(statuses, ["201", "403"], "{outcomes}");
    assert_eq!(people(&app, &found).await, before);
    assert_eq!(app.event_types().await.len(), events + 1, "the new group alone");
    // What changes nobody there is the directory's.
    let rename = json!([{ "op": "replace", "path": "displayName", "value": "renamed" }]);
    assert_eq!(directory.patch(&inner, rename).await.status, 204);
    admin.post(&format!("{GROUP_ADMIN}/{}/scim-link", id_of(&found)), Value::Null).await.expect(200);
    assert_eq!(directory.join(&inner, &eve).await.status, 204);
    assert_eq!(people(&app, &found).await, [(number(&ada), true), (number(&eve), true)]);
}

#[tokio::test]
async fn service_accounts_in_a_nested_group_are_in_that_one_alone() {
    let app = TestApp::new().await;
    let (admin, directory) = (app.admin(), directory(&app).await);
    let bot =
        admin.post("/api/admin/service-account", json!({ "name": "bot", "username": "bot", "rootRole": role::VIEWER }));
    let bot = bot.await.expect(201)["id"].as_i64().expect("an id");
    let group =
        admin.post(GROUP_ADMIN, json!({ "name": "inner", "users": [{ "user": { "id": bot } }] })).await.expect(201);
    let inner = format!("{GROUPS}/{}", group["id"]);
    let adopt = json!([{ "op": "replace", "path": "externalId", "value": "7" }]);
    assert_eq!(directory.patch(&inner, adopt).await.status, 204);
    let outer = directory.make_group("outer", &[]).await;
    assert_eq!(directory.nest(&outer, &inner).await.status, 204);
    assert_eq!(people(&app, &inner).await, [(bot, false)]);
    assert!(people(&app, &outer).await.is_empty());
}

#[tokio::test]
async fn circles_deep_chains_and_groups_of_others_are_refused() {
    let app = TestApp::new().await;
    let (admin, directory) = (app.admin(), directory(&app).await);
    let ada = directory.make_user("ada@example.com").await;
    let mut chain = vec![directory.make_group("level 10", &[&ada]).await];
    for level in (1..10).rev() {
        let outer =
            directory.post(GROUPS, json!({ "displayName": format!("level {level}"), "members": [nested(&chain[0])] }));
        chain.insert(0, super::place(&outer.await.expect(201)));
    }
    assert_eq!(directory.groups_of(&ada).await.len(), 10);
    let events = app.event_types().await.len();
    let too_deep = json!({ "displayName": "level 0", "members": [nested(&chain[0])] });
    refused(&directory.post(GROUPS, too_deep).await, 409, None, "10 levels");
    let eleventh = directory.make_group("level 11", &[]).await;
    refused(&directory.nest(&chain[9], &eleventh).await, 409, None, "10 levels");
    for (outer, inner) in [(9, 0), (5, 2), (3, 3)] {
        refused(&directory.nest(&chain[outer], &chain[inner]).await, 409, None, "nested in itself");
    }
    let whole = json!({ "schemas": [GROUP], "displayName": "level 10", "members": [nested(&chain[4])] });
    refused(&directory.put(&chain[9], whole).await, 409, None, "nested in itself");
    let by_hand = admin.post(GROUP_ADMIN, json!({ "name": "by hand" })).await.expect(201);
    let by_hand = format!("{GROUPS}/{}", by_hand["id"]);
    refused(&directory.nest(&eleventh, &by_hand).await, 400, Some("invalidValue"), "does not manage");
    refused(&directory.nest(&eleventh, &format!("{GROUPS}/999")).await, 400, Some("invalidValue"), "does not exist");
    let types = types_since(&app, events).await;
    assert_eq!(types, ["group-created", "group-created"], "level 11 and the one by hand");
}

#[tokio::test]
async fn every_group_that_is_reached_has_its_events_with_the_change() {
    let app = TestApp::new().await;
    let directory = directory(&app).await;
    let ada = directory.make_user("ada@example.com").await;
    let inner = directory.make_group("inner", &[]).await;
    let outer = directory.make_group("outer", &[]).await;
    assert_eq!(directory.nest(&outer, &inner).await.status, 204);
    let event = last_event(&app).await;
    assert_eq!(event[0], "group-updated");
    assert_eq!(event[2]["nestedGroups"], json!([number(&inner)]));
    assert_eq!(event[3].get("nestedGroups"), None);
    let before = app.event_types().await.len();
    assert_eq!(directory.join(&inner, &ada).await.status, 204);
    let data = |place: &str, name: &str| json!({ "groupId": number(place), "groupName": name, "userId": number(&ada) });
    let events: Vec<Value> = app.events().await[before..].iter().map(told).collect();
    let added = |place: &str, name: &str| json!(["group-user-added", null, data(place, name), null]);
    assert_eq!(events, [added(&inner, "inner"), added(&outer, "outer")]);
    assert!(app.events().await[before..].iter().all(|event| event.created_by == "scim"));
    // A member of both, who becomes a direct one, is told with the group.
    assert_eq!(directory.join(&outer, &ada).await.status, 204);
    let event = last_event(&app).await;
    assert_eq!((&event[0], &event[2]["users"]), (&json!("group-updated"), &event[3]["users"]));
    assert_eq!(event[3]["nestedUsers"], json!([number(&ada)]));
    assert_eq!(directory.join(&outer, &ada).await.status, 204);
    assert_eq!(app.event_types().await.len(), before + 3, "nothing changed");
    assert_eq!(directory.remove(&outer, "User", &ada).await.status, 204);
    let before = app.event_types().await.len();
    assert_eq!(directory.delete(&inner).await.status, 204);
    assert_eq!(types_since(&app, before).await, ["group-deleted", "group-user-removed"]);
    assert_eq!(last_event(&app).await, json!(["group-user-removed", null, null, data(&outer, "outer")]));
    assert_eq!(nested_group::Entity::find().all(app.db()).await.expect("rows").len(), 0);
    assert_eq!(user_group_member::Entity::find().all(app.db()).await.expect("rows").len(), 0);
}

#[tokio::test]
async fn users_and_groups_with_the_same_id_are_told_apart() {
    let app = TestApp::new().await;
    let directory = directory(&app).await;
    let crew = directory.make_group("crew", &[]).await;
    let ada = directory.make_user("ada@example.com").await;
    let mut same = crew.clone();
    while id_of(&same) != id_of(&ada) {
        same = directory.make_group(&format!("after {}", id_of(&same)), &[]).await;
    }
    let outer = directory.make_group("outer", &[&ada]).await;
    assert_eq!(directory.nest(&outer, &same).await.status, 204);
    assert_eq!(directory.members_of(&outer).await, [pair(&ada, "User"), pair(&same, "Group")]);
    let either = format!("members[value eq \"{}\"]", id_of(&ada));
    let either = json!([{ "op": "remove", "path": either }]);
    refused(&directory.patch(&outer, either.clone()).await, 400, Some("invalidValue"), "type");
    assert_eq!(directory.remove(&outer, "Group", &same).await.status, 204);
    assert_eq!(directory.members_of(&outer).await, [pair(&ada, "User")]);
    assert_eq!(directory.patch(&outer, either).await.status, 204);
    assert!(directory.members_of(&outer).await.is_empty());
}

#[tokio::test]
async fn by_hand_nested_people_stay_nested_and_a_group_that_is_taken_back_keeps_its_own() {
    let app = TestApp::new().await;
    let (admin, directory) = (app.admin(), directory(&app).await);
    let (ada, bob) = (directory.make_user("ada@example.com").await, directory.make_user("bob@example.com").await);
    let inner = directory.make_group("inner", &[&ada]).await;
    let middle = directory.make_group("middle", &[]).await;
    let outer = directory.make_group("outer", &[]).await;
    assert_eq!(directory.nest(&middle, &inner).await.status, 204);
    assert_eq!(directory.nest(&outer, &middle).await.status, 204);
    let path = |place: &str| format!("{GROUP_ADMIN}/{}", id_of(place));
    let users = |ids: &[i64]| ids.iter().map(|id| json!({ "user": { "id": id } })).collect::<Vec<_>>();
    let (ada_id, bob_id) = (number(&ada), number(&bob));
    // With SCIM on, a role can be given with the members as they are shown.
    let role = json!({ "name": "outer", "rootRole": role::EDITOR, "users": users(&[ada_id]) });
    put(&admin, &path(&outer), role).await.expect(200);
    assert_eq!(people(&app, &outer).await, [(ada_id, true)]);
    admin.post(SETTINGS, json!({ "enabled": false })).await.expect(200);
    let lacking = put(&admin, &path(&outer), json!({ "name": "outer", "users": users(&[bob_id]) })).await;
    lacking.refused(400, "ValidationError", "/body/users");
    put(&admin, &path(&outer), json!({ "name": "outer", "users": users(&[ada_id, bob_id]) })).await.expect(200);
    assert_eq!(people(&app, &outer).await, [(ada_id, true), (bob_id, false)]);
    let before = app.event_types().await.len();
    put(&admin, &path(&inner), json!({ "name": "inner", "users": users(&[bob_id]) })).await.expect(200);
    assert_eq!(people(&app, &outer).await, [(bob_id, false)]);
    let types = types_since(&app, before).await;
    assert_eq!(types, ["group-updated", "group-user-added", "group-user-removed", "group-user-removed"]);
    admin.post(SETTINGS, json!({ "enabled": true })).await.expect(200);

    admin.json(Method::DELETE, &format!("{}/scim-link", path(&middle)), Value::Null).await.expect(200);
    assert_eq!(people(&app, &middle).await, [(bob_id, false)]);
    assert_eq!(people(&app, &outer).await, [(bob_id, false)]);
    assert_eq!(nested_group::Entity::find().all(app.db()).await.expect("rows").len(), 0);
    // All groups of the directory are deleted, wherever they are nested.
    assert_eq!(directory.nest(&outer, &inner).await.status, 204);
    admin.post(SETTINGS, json!({ "enabled": false })).await.expect(200);
    delete(&admin, "/api/admin/groups/scim-groups").await.expect(200);
    let left = store::groups::list(app.db()).await.expect("groups");
    assert_eq!(left.iter().map(|group| group.document.name.as_str()).collect::<Vec<_>>(), ["middle"]);
}
