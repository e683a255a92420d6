//! A directory beside the login provider of the same company.

use serde_json::{Value, json};

use super::{GROUPS, SETTINGS, USERS, directory, id_of, place, types_since};
use crate::{
    calls::put,
    harness::role,
    providers::company::{Company, OIDC},
};

const ADMISSION: (u16, &str) = (403, "NotAdmittedError");

#[tokio::test]
async fn who_is_made_by_the_directory_comes_in_by_the_provider_until_deactivated() {
    let company = Company::with(json!({ "autoCreate": false, "defaultRootRoleId": role::EDITOR })).await;
    let directory = directory(&company.app).await;
    assert_eq!(company.refused(ADMISSION.0, ADMISSION.1).await["reason"], "not-invited");
    let user = directory.make_user("ada@example.com").await;
    let body = json!([{ "op": "replace", "path": "displayName", "value": "Ada of the directory" }]);
    directory.patch(&user, body).await.expect(200);
    let mut browser = company.browser();
    assert_eq!(company.sign_in(&mut browser).await.status, 302);
    let ada = company.who(&mut browser).await;
    assert_eq!(ada["name"], "Ada of the directory", "the provider's word for it does not count");
    let role = company.app.admin().get(&format!("/api/admin/user-admin/{}", super::id_of(&user))).await.expect(200);
    assert_eq!(role["rootRole"], role::EDITOR, "as the settings of the provider say of newcomers");

    directory.patch(&user, json!([{ "op": "replace", "path": "active", "value": "False" }])).await.expect(200);
    let entry = company.refused(ADMISSION.0, ADMISSION.1).await;
    assert_eq!(entry["reason"], "account-inactive");
    directory.patch(&user, json!([{ "op": "replace", "path": "active", "value": "True" }])).await.expect(200);
    let mut browser = company.browser();
    assert_eq!(company.sign_in(&mut browser).await.status, 302);
    // Deleted, and made again: the identity is the same person's still.
    assert_eq!(directory.delete(&user).await.status, 204);
    assert_eq!(company.refused(ADMISSION.0, ADMISSION.1).await["reason"], "account-removed");
    assert_eq!(directory.make_user("ada@example.com").await, user);
    let mut browser = company.browser();
    assert_eq!(company.sign_in(&mut browser).await.status, 302);
    assert_eq!(company.who(&mut browser).await["id"].to_string(), super::id_of(&user));
}

#[tokio::test]
async fn a_deactivated_user_is_not_linked_to_whoever_has_the_email() {
    let company = Company::new().await;
    let directory = directory(&company.app).await;
    let user = directory.make_user("ada@example.com").await;
    directory.patch(&user, json!([{ "op": "replace", "path": "active", "value": false }])).await.expect(200);
    assert_eq!(company.refused(ADMISSION.0, ADMISSION.1).await["reason"], "account-inactive");
    let identities = format!("/api/admin/user-admin/{}/identities", super::id_of(&user));
    assert_eq!(company.app.admin().get(&identities).await.expect(200), json!({ "identities": [] }));
}

#[tokio::test]
async fn who_is_in_a_group_of_the_directory_it_says_alone_as_long_as_it_is_on() {
    let company = Company::with(json!({ "enableGroupSyncing": true, "groupJsonPath": "groups" })).await;
    let admin = company.app.admin();
    let make = async |name: &str| {
        let body = json!({ "name": name, "mappingsSSO": ["staff"] });
        admin.post("/api/admin/groups", body).await.expect(201)["id"].to_string()
    };
    let (by_hand, kept) = (make("by hand").await, make("kept").await);
    let directory = directory(&company.app).await;
    let place = place(&directory.find(GROUPS, r#"displayName eq "kept""#).await[0]);
    directory.patch(&place, json!([{ "op": "replace", "path": "externalId", "value": "7" }])).await;
    company.provider.claim("groups", json!(["staff"]));
    company.sign_in(&mut company.browser()).await;
    let count = async |id: &str| admin.get(&format!("/api/admin/groups/{id}")).await.expect(200)["userCount"].clone();
    assert_eq!((count(&by_hand).await, count(&kept).await), (json!(1), json!(0)));
    let user = place_of_the_only_user(&directory).await;
    let add = json!([{ "op": "add", "path": "members", "value": [{ "value": super::id_of(&user) }] }]);
    directory.patch(&place, add).await;
    company.provider.claim("groups", json!([]));
    company.sign_in(&mut company.browser()).await;
    assert_eq!((count(&by_hand).await, count(&kept).await), (json!(0), json!(1)));
    // What the directory put there counts as made by hand once it is off.
    admin.post(super::SETTINGS, json!({ "enabled": false })).await.expect(200);
    company.sign_in(&mut company.browser()).await;
    assert_eq!(count(&kept).await, 1);
    company.provider.claim("groups", json!(["staff"]));
    company.sign_in(&mut company.browser()).await;
    assert_eq!((count(&by_hand).await, count(&kept).await), (json!(1), json!(1)));
    admin.get(OIDC).await.expect(200);
}

#[tokio::test]
async fn groups_around_one_that_a_sign_in_changes_follow_once_the_directory_is_off() {
    let company = Company::with(json!({ "enableGroupSyncing": true, "groupJsonPath": "groups" })).await;
    let admin = company.app.admin();
    let directory = directory(&company.app).await;
    let (inner, outer) = (directory.make_group("inner", &[]).await, directory.make_group("outer", &[]).await);
    let nested = json!([{ "op": "add", "path": "members", "value": [{ "value": id_of(&inner), "type": "Group" }] }]);
    assert_eq!(directory.patch(&outer, nested).await.status, 204);
    admin.post(SETTINGS, json!({ "enabled": false })).await.expect(200);
    let mapped = json!({ "name": "inner", "mappingsSSO": ["staff"], "users": [] });
    put(&admin, &format!("/api/admin/groups/{}", id_of(&inner)), mapped).await.expect(200);
    for (groups, expected, count) in [
        (json!(["staff"]), &["user-created", "group-user-added", "group-user-added"][..], 1),
        (json!([]), &["group-user-removed", "group-user-removed"], 0),
    ] {
        company.provider.claim("groups", groups);
        let before = company.app.event_types().await.len();
        assert_eq!(company.sign_in(&mut company.browser()).await.status, 302);
        assert_eq!(types_since(&company.app, before).await, expected);
        for place in [&inner, &outer] {
            let group = admin.get(&format!("/api/admin/groups/{}", id_of(place))).await.expect(200);
            assert_eq!(group["userCount"], count, "{group}");
        }
    }
}

async fn place_of_the_only_user(directory: &super::Directory) -> String {
    let list: Value = directory.get(USERS).await.expect(200);
    assert_eq!(list["totalResults"], 1);
    place(&list["Resources"][0])
}
