//! Roles in a project, and their holders.

use poem::http::Method;
use serde_json::{Value, json};

use crate::{
    calls::{act, delete, last_event, private_project, put},
    harness::{Client, TestApp, role},
};

const ACCESS: &str = "/api/admin/projects/shop/access";

async fn shop() -> TestApp {
    let app = TestApp::new().await;
    app.project("shop").await;
    app
}

fn id(person: &Client) -> i64 {
    person.user_id.expect("a person")
}

fn roles_path(person: &Client) -> String {
    format!("/api/admin/projects/shop/users/{}/roles", id(person))
}

/// Ids and roles of the users, and of the groups, with access.
async fn held(app: &TestApp) -> Value {
    let access = app.admin().get(ACCESS).await.expect(200);
    let of = |kind: &str| -> Value {
        let holders = access[kind].as_array().expect("a list").iter();
        holders.map(|holder| json!([holder["id"], holder["roles"]])).collect()
    };
    json!([of("users"), of("groups")])
}

async fn role_with(app: &TestApp, name: &str, permissions: &[&str]) -> i64 {
    let permissions: Vec<Value> = permissions.iter().map(|name| json!({ "name": name })).collect();
    let body = json!({ "name": name, "type": "custom", "permissions": permissions });
    app.admin().post("/api/admin/roles", body).await.expect(200)["roles"]["id"].as_i64().expect("an id")
}

#[tokio::test]
async fn access_is_given_shown_and_taken_with_its_events() {
    let app = shop().await;
    let admin = app.admin();
    let (ada, bob) = (app.viewer().await, app.owner("shop").await);
    let crew = json!({ "name": "crew", "users": [{ "user": { "id": id(&ada) } }] });
    admin.post("/api/admin/groups", crew).await.expect(201);
    app.clock.advance(1000);
    let body = json!({ "roles": [5, 4, 5], "groups": [1], "users": [id(&bob), id(&ada), id(&ada)] });
    admin.post(ACCESS, body.clone()).await.expect(200);
    let given = json!({ "roles": [
        { "roleId": 4, "groupIds": [1], "userIds": [id(&ada)] },
        { "roleId": 5, "groupIds": [1], "userIds": [id(&ada), id(&bob)] },
    ] });
    assert_eq!(last_event(&app).await, json!(["project-access-added", "shop", given, null]));
    assert_eq!(held(&app).await, json!([[[id(&ada), [4, 5]], [id(&bob), [4, 5]]], [[1, [4, 5]]]]));
    let access = bob.get(ACCESS).await.expect(200);
    let shown = &access["users"][1];
    assert_eq!((&shown["roleId"], &shown["addedAt"]), (&json!(4), &json!("2026-01-15T12:00:00.000Z")));
    assert_eq!(access["groups"][0]["users"][0]["user"]["id"], id(&ada));
    let names: Vec<&Value> = access["roles"].as_array().expect("roles").iter().map(|role| &role["name"]).collect();
    assert_eq!(names, ["Owner", "Member", "Reader"]);
    admin.post(ACCESS, body).await.expect(200);
    assert_eq!(app.event_types().await, ["group-created", "project-access-added"], "everybody held it already");

    put(&admin, &roles_path(&ada), json!({ "roles": [5] })).await.expect(200);
    let (old, new) = (json!({ "roles": [4, 5], "userId": id(&ada) }), json!({ "roles": [5], "userId": id(&ada) }));
    assert_eq!(last_event(&app).await, json!(["project-access-user-roles-updated", "shop", new, old]));
    let count = app.event_types().await.len();
    put(&admin, &roles_path(&ada), json!({ "roles": [5, 5] })).await.expect(200);
    assert_eq!(app.event_types().await.len(), count, "nothing changed");
    delete(&admin, &roles_path(&ada)).await.expect(200);
    assert_eq!(last_event(&app).await, json!(["project-access-user-roles-deleted", "shop", null, new]));
    let group = "/api/admin/projects/shop/groups/1/roles";
    put(&admin, group, json!({ "roles": [5] })).await.expect(200);
    let (old, new) = (json!({ "roles": [4, 5], "groupId": 1 }), json!({ "roles": [5], "groupId": 1 }));
    assert_eq!(last_event(&app).await, json!(["project-access-group-roles-updated", "shop", new, old]));
    delete(&admin, group).await.expect(200);
    assert_eq!(last_event(&app).await, json!(["project-access-group-roles-deleted", "shop", null, new]));
    let count = app.event_types().await.len();
    delete(&admin, group).await.expect(200);
    delete(&admin, &roles_path(&ada)).await.expect(200);
    assert_eq!(app.event_types().await.len(), count, "there was nothing to take");
    assert_eq!(held(&app).await, json!([[[id(&bob), [4, 5]]], []]));
}

#[tokio::test]
async fn access_is_replaced_as_a_whole_with_one_event() {
    let app = shop().await;
    let admin = app.admin();
    let (ada, bob) = (id(&app.viewer().await), id(&app.owner("shop").await));
    let crew = json!({ "name": "crew", "users": [{ "user": { "id": ada } }] });
    let crew = admin.post("/api/admin/groups", crew).await.expect(201)["id"].clone();
    let before = app.event_types().await.len();
    let wanted = json!({ "roles": [
        { "id": role::OWNER, "users": [bob], "groups": [crew] },
        { "id": role::MEMBER, "users": [ada, bob, ada] },
        { "id": role::MEMBER, "users": [], "groups": [crew] },
    ] });
    put(&admin, ACCESS, wanted.clone()).await.expect(200);
    let roles = [role::OWNER, role::MEMBER];
    assert_eq!(held(&app).await, json!([[[ada, [role::MEMBER]], [bob, roles]], [[crew, roles]]]));
    let old = json!({ "roles": [{ "roleId": role::OWNER, "groupIds": [], "userIds": [bob] }] });
    let mut members = vec![ada, bob];
    members.sort_unstable();
    let new = json!({ "roles": [
        { "roleId": role::OWNER, "groupIds": [crew], "userIds": [bob] },
        { "roleId": role::MEMBER, "groupIds": [crew], "userIds": members },
    ] });
    assert_eq!(last_event(&app).await, json!(["project-access-updated", "shop", new, old]));
    put(&admin, ACCESS, wanted).await.expect(200);
    assert_eq!(app.event_types().await.len(), before + 1, "nothing changed");

    let ownerless = json!({ "roles": [{ "id": role::MEMBER, "users": [ada] }] });
    put(&admin, ACCESS, ownerless.clone()).await.refused(409, "ProjectWithoutOwnerError", "shop");
    put(&admin, ACCESS, json!({ "roles": [] })).await.refused(409, "ProjectWithoutOwnerError", "shop");
    for (roles, text) in [
        (json!([{ "id": role::EDITOR, "users": [ada] }]), "/body/roles"),
        (json!([{ "id": 99 }]), "/body/roles"),
        (json!([{ "id": role::OWNER, "users": [ada, 99] }]), "/body/users"),
        (json!([{ "id": role::OWNER, "users": [ada], "groups": [99] }]), "/body/groups"),
        (json!([{ "users": [ada] }]), "/body/roles/0/id"),
        (json!([{ "id": role::OWNER, "users": [0] }]), "/body/roles/0/users/0"),
    ] {
        put(&admin, ACCESS, json!({ "roles": roles })).await.refused(400, "ValidationError", text);
    }
    put(&admin, "/api/admin/projects/none/access", ownerless).await.refused(404, "NotFoundError", "none");
    assert_eq!(app.event_types().await.len(), before + 1);
    // Handing over is one change.
    put(&admin, ACCESS, json!({ "roles": [{ "id": role::OWNER, "users": [ada] }] })).await.expect(200);
    assert_eq!(held(&app).await, json!([[[ada, [role::OWNER]]], []]));
}

#[tokio::test]
async fn who_may_not_give_a_role_may_keep_and_take_it_when_access_is_replaced() {
    let app = shop().await;
    let porter = role_with(&app, "Porter", &["PROJECT_USER_ACCESS_WRITE", "CREATE_FEATURE"]).await;
    let maker = role_with(&app, "Maker", &["CREATE_FEATURE"]).await;
    let (ada, bob) = (id(&app.viewer().await), id(&app.owner("shop").await));
    let client = app.person(role::VIEWER, Some(("shop", porter))).await;
    let mine = id(&client);
    let wanted = |makers: &[i64], owners: &[i64]| {
        json!({ "roles": [
            { "id": role::OWNER, "users": owners }, { "id": porter, "users": [mine] }, { "id": maker, "users": makers },
        ] })
    };
    put(&client, ACCESS, wanted(&[ada], &[bob])).await.expect(200);
    let refused = put(&client, ACCESS, wanted(&[ada], &[ada, bob])).await;
    refused.refused(403, "InvalidOperationError", "may not do yourself");
    put(&client, ACCESS, wanted(&[], &[bob])).await.expect(200);
    let of = |user: i64| json!([user, if user == bob { [role::OWNER] } else { [porter] }]);
    let mut users = [bob, mine];
    users.sort_unstable();
    assert_eq!(held(&app).await, json!([users.map(of), []]));
}

#[tokio::test]
async fn what_does_not_exist_or_is_malformed_changes_nothing() {
    let app = shop().await;
    let admin = app.admin();
    let ada = app.viewer().await;
    for (body, text) in [
        (json!({ "roles": [], "groups": [], "users": [id(&ada)] }), "/body/roles"),
        (json!({ "roles": [role::EDITOR], "groups": [], "users": [id(&ada)] }), "/body/roles"),
        (json!({ "roles": [99], "groups": [], "users": [id(&ada)] }), "/body/roles"),
        (json!({ "roles": [5], "groups": [9], "users": [id(&ada)] }), "/body/groups"),
        (json!({ "roles": [5], "groups": [], "users": [id(&ada), 99] }), "/body/users"),
        (json!({ "roles": [5], "groups": [], "users": [-42] }), "/body/users"),
        (json!({ "roles": [5], "groups": [] }), "/body/users"),
    ] {
        admin.post(ACCESS, body).await.refused(400, "ValidationError", text);
    }
    put(&admin, &roles_path(&ada), json!({ "roles": [1] })).await.refused(400, "ValidationError", "/body/roles");
    put(&admin, &roles_path(&ada), json!({})).await.refused(400, "ValidationError", "/body/roles");
    let body = json!({ "roles": [5] });
    for path in ["/api/admin/projects/shop/users/99/roles", "/api/admin/projects/shop/groups/99/roles"] {
        put(&admin, path, body.clone()).await.refused(404, "NotFoundError", "99");
        delete(&admin, path).await.refused(404, "NotFoundError", "99");
    }
    put(&admin, "/api/admin/projects/none/users/1/roles", body).await.refused(404, "NotFoundError", "none");
    admin.get("/api/admin/projects/none/access").await.refused(404, "NotFoundError", "none");
    assert_eq!(app.event_types().await, [""; 0]);
    assert_eq!(held(&app).await, json!([[], []]));
}

#[tokio::test]
async fn nobody_gives_what_they_may_not_do_themselves_but_owners_and_administrators() {
    let app = shop().await;
    let porter = role_with(&app, "Porter", &["PROJECT_USER_ACCESS_WRITE", "CREATE_FEATURE"]).await;
    let maker = role_with(&app, "Maker", &["CREATE_FEATURE"]).await;
    let keeper = role_with(&app, "Keeper", &["PROJECT_SETTINGS_WRITE"]).await;
    let porter = app.person(role::VIEWER, Some(("shop", porter))).await;
    let ada = app.viewer().await;
    let give = |role: i64| json!({ "roles": [role], "groups": [], "users": [id(&ada)] });
    let lacks = "may not do yourself";
    for role in [role::OWNER, role::MEMBER, keeper] {
        porter.post(ACCESS, give(role)).await.refused(403, "InvalidOperationError", lacks);
        let set = json!({ "roles": [maker, role] });
        put(&porter, &roles_path(&ada), set.clone()).await.refused(403, "InvalidOperationError", lacks);
        put(&porter, &roles_path(&porter), set).await.refused(403, "InvalidOperationError", lacks);
        let one = format!("{}/{role}", roles_path(&ada));
        act(&porter, Method::POST, &one).await.refused(403, "InvalidOperationError", lacks);
    }
    assert_eq!(held(&app).await, json!([[[id(&porter), [7]]], []]));
    porter.post(ACCESS, give(maker)).await.expect(200);
    // An owner gives also what no owner has, and the porter then leaves it where it is.
    app.owner("shop").await.post(ACCESS, give(keeper)).await.expect(200);
    put(&porter, &roles_path(&ada), json!({ "roles": [keeper] })).await.expect(200);
    let roles = app.admin().get(ACCESS).await.expect(200)["users"][1]["roles"].clone();
    assert_eq!(roles, json!([keeper]));
}

#[tokio::test]
async fn a_project_keeps_its_last_owner() {
    let app = shop().await;
    let admin = app.admin();
    let owner = app.owner("shop").await;
    let path = roles_path(&owner);
    let last = "must keep an owner";
    put(&owner, &path, json!({ "roles": [role::MEMBER] })).await.refused(409, "ProjectWithoutOwnerError", last);
    delete(&admin, &path).await.refused(409, "ProjectWithoutOwnerError", last);
    for method in [Method::PUT, Method::DELETE] {
        let role = if method == Method::PUT { role::MEMBER } else { role::OWNER };
        act(&admin, method, &format!("{path}/{role}")).await.refused(409, "ProjectWithoutOwnerError", last);
    }
    assert_eq!(app.event_types().await, [""; 0]);
    assert_eq!(held(&app).await, json!([[[id(&owner), [4]]], []]));
    // A group is an owner, too.
    admin.post("/api/admin/groups", json!({ "name": "crew" })).await.expect(201);
    put(&admin, "/api/admin/projects/shop/groups/1/roles", json!({ "roles": [4] })).await.expect(200);
    delete(&admin, &path).await.expect(200);
    let group = "/api/admin/projects/shop/groups/1/roles";
    delete(&admin, group).await.refused(409, "ProjectWithoutOwnerError", last);
    // Where there never was an owner, others may go.
    let member = app.member("default").await;
    delete(&admin, &format!("/api/admin/projects/default/users/{}/roles", id(&member))).await.expect(200);
}

#[tokio::test]
async fn access_counts_from_the_next_request_on() {
    let app = shop().await;
    app.feature("shop", "f").await;
    private_project(&app, "secret").await;
    let ada = app.viewer().await;
    let path = "/api/admin/projects/shop/features/f";
    let ops = json!([{ "op": "replace", "path": "/stale", "value": true }]);
    ada.patch(path, ops.clone()).await.refused(403, "NoAccessError", "UPDATE_FEATURE");
    put(&app.admin(), &roles_path(&ada), json!({ "roles": [5] })).await.expect(200);
    ada.patch(path, ops.clone()).await.expect(200);
    put(&app.admin(), &roles_path(&ada), json!({ "roles": [] })).await.expect(200);
    ada.patch(path, ops).await.refused(403, "NoAccessError", "UPDATE_FEATURE");
    // Who may change projects in general still does not learn of hidden ones.
    let body = json!({ "name": "Keeper", "type": "root-custom", "permissions": [{ "name": "UPDATE_PROJECT" }] });
    let keeper = app.admin().post("/api/admin/roles", body).await.expect(200)["roles"]["id"].as_i64().expect("an id");
    let keeper = app.person(keeper, None).await;
    keeper.get(ACCESS).await.expect(200);
    keeper.get("/api/admin/projects/secret/access").await.refused(404, "NotFoundError", "secret");
}

#[tokio::test]
async fn the_older_calls_give_change_and_take_single_roles() {
    let app = shop().await;
    let admin = app.admin();
    let (_owner, ada) = (app.owner("shop").await, app.viewer().await);
    admin.post("/api/admin/groups", json!({ "name": "crew" })).await.expect(201);
    let user = |role: i64| format!("{}/{role}", roles_path(&ada));
    let group = |role: i64| format!("/api/admin/projects/shop/groups/1/roles/{role}");
    act(&admin, Method::PUT, &user(5)).await.refused(404, "NotFoundError", "holds a role");
    for (path, by) in [(user(5), "user"), (group(5), "group")] {
        act(&admin, Method::POST, &path).await.expect(200);
        let event = last_event(&app).await;
        assert_eq!((&event[0], &event[2]["roleName"]), (&json!(format!("project-{by}-added")), &json!("Member")));
        assert_eq!((&event[1], &event[2]["roleId"], &event[3]), (&json!("shop"), &json!(5), &Value::Null));
        let count = app.event_types().await.len();
        act(&admin, Method::POST, &path).await.expect(200);
        act(&admin, Method::PUT, &path).await.expect(200);
        assert_eq!(app.event_types().await.len(), count, "nothing changed");
    }
    assert_eq!(held(&app).await[0][1], json!([id(&ada), [5]]));
    for (path, by) in [(user(4), "user"), (group(4), "group")] {
        act(&admin, Method::PUT, &path).await.expect(200);
        let event = last_event(&app).await;
        assert_eq!(event[0], format!("project-{by}-role-changed"));
        assert_eq!((&event[2]["roleName"], &event[3]["roleName"]), (&json!("Owner"), &json!("Member")));
        act(&admin, Method::DELETE, &path).await.expect(200);
        let event = last_event(&app).await;
        assert_eq!((&event[0], &event[3]["roleId"]), (&json!(format!("project-{by}-removed")), &json!(4)));
        let count = app.event_types().await.len();
        act(&admin, Method::DELETE, &path).await.expect(200);
        assert_eq!(app.event_types().await.len(), count, "there was nothing to take");
    }
    for method in [Method::POST, Method::PUT, Method::DELETE] {
        act(&admin, method.clone(), &user(1)).await.refused(404, "NotFoundError", "role");
        act(&admin, method, "/api/admin/projects/shop/users/99/roles/5").await.refused(404, "NotFoundError", "99");
    }
    let to = json!({ "groups": [{ "id": 1 }], "users": [{ "id": id(&ada) }] });
    let all = "/api/admin/projects/shop/role/5/access";
    admin.post(all, to.clone()).await.expect(200);
    let given = json!({ "roles": [{ "roleId": 5, "groupIds": [1], "userIds": [id(&ada)] }] });
    assert_eq!(last_event(&app).await, json!(["project-access-added", "shop", given, null]));
    admin.post("/api/admin/projects/shop/role/1/access", to).await.refused(404, "NotFoundError", "role");
    admin.post(all, json!({ "groups": [] })).await.refused(400, "ValidationError", "/body/users");
}
