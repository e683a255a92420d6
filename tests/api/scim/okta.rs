//! A user and a group in the sequences that Okta documents for its SCIM 2.0 integrations.

use std::slice;

use serde_json::json;

use super::{GROUP, GROUPS, PATCH, USER, USERS, directory, id_of, number, place, refused, types_since};
use crate::{
    calls::last_event,
    harness::{START, TestApp},
};

#[tokio::test]
async fn a_user_is_looked_up_made_changed_deactivated_and_brought_back() {
    let app = TestApp::new().await;
    let okta = directory(&app).await;
    let before = app.event_types().await.len();
    assert!(okta.find(USERS, r#"userName eq "isaac.brock@example.com""#).await.is_empty());
    let body = json!({
        "schemas": [USER], "userName": "isaac.brock@example.com",
        "name": { "givenName": "Isaac", "familyName": "Brock" },
        "emails": [{ "primary": true, "value": "isaac.brock@example.com", "type": "work" }],
        "displayName": "Isaac Brock", "locale": "en-US", "externalId": "00ujl29u0le5T6Aj10h7", "groups": [],
        "password": "1mz050nq", "active": true,
    });
    let made = okta.post(USERS, body.clone()).await;
    assert_eq!(made.headers["content-type"], "application/scim+json");
    let location = made.headers["location"].to_str().expect("ASCII").to_owned();
    let made = made.expect(201);
    let user = place(&made);
    assert_eq!(location, made["meta"]["location"].as_str().expect("a text"));
    let expected = json!({
        "schemas": [USER], "id": id_of(&user), "externalId": "00ujl29u0le5T6Aj10h7",
        "userName": "isaac.brock@example.com", "name": { "givenName": "Isaac", "familyName": "Brock" },
        "displayName": "Isaac Brock", "active": true,
        "emails": [{ "value": "isaac.brock@example.com", "type": "work", "primary": true }],
        "meta": { "resourceType": "User", "created": START, "lastModified": START, "location": location,
            "version": made["meta"]["version"] },
    });
    assert_eq!(made, expected);
    let data = json!({
        "id": number(&user), "name": "Isaac Brock", "email": "isaac.brock@example.com", "rootRole": 3,
        "scim": { "userName": "isaac.brock@example.com", "givenName": "Isaac", "familyName": "Brock",
            "externalId": "00ujl29u0le5T6Aj10h7" },
    });
    assert_eq!(last_event(&app).await, json!(["user-created", null, data, null]));
    let event = app.events().await.pop().expect("an event");
    assert_eq!(event.created_by, "scim");
    assert_eq!(okta.get(&user).await.expect(200), expected);
    assert_eq!(okta.find(USERS, r#"userName eq "Isaac.Brock@Example.com""#).await, slice::from_ref(&expected));
    let again = json!({ "schemas": [USER], "userName": "ISAAC.brock@example.com" });
    refused(&okta.post(USERS, again).await, 409, Some("uniqueness"), "userName");

    app.clock.advance(1000);
    let mut changed = body.clone();
    changed["name"] = json!({ "givenName": "Isaac", "familyName": "Slade" });
    changed["displayName"] = json!("Isaac Slade");
    let answer = okta.put(&user, changed.clone()).await.expect(200);
    assert_eq!((&answer["displayName"], &answer["name"]["familyName"]), (&json!("Isaac Slade"), &json!("Slade")));
    assert_eq!(answer["meta"]["lastModified"], "2026-01-15T12:00:01.000Z");
    assert_eq!(answer["meta"]["created"], START);
    okta.put(&user, changed).await.expect(200);

    let off = json!([{ "op": "replace", "value": { "active": false } }]);
    assert_eq!(okta.patch(&user, off).await.expect(200)["active"], false);
    let event = last_event(&app).await;
    assert_eq!(
        (&event[0], &event[2]["active"], &event[2]["endedSessions"]),
        (&json!("user-updated"), &json!(false), &json!(0))
    );
    assert_eq!(okta.find(USERS, r#"externalId eq "00ujl29u0le5T6Aj10h7""#).await[0]["active"], false);
    let on = json!([{ "op": "replace", "value": { "active": true } }]);
    assert_eq!(okta.patch(&user, on).await.expect(200)["active"], true);
    let told = ["user-created", "user-updated", "user-updated", "user-updated"];
    assert_eq!(types_since(&app, before).await, told, "and nothing for what changed nothing");
}

#[tokio::test]
async fn a_group_is_pushed_renamed_filled_emptied_and_removed() {
    let app = TestApp::new().await;
    let okta = directory(&app).await;
    let (ada, bob) = (okta.make_user("ada@example.com").await, okta.make_user("bob@example.com").await);
    let before = app.event_types().await.len();
    assert!(okta.find(GROUPS, r#"displayName eq "Test SCIMv2""#).await.is_empty());
    let body = json!({ "schemas": [GROUP], "displayName": "Test SCIMv2", "members": [] });
    let group = place(&okta.post(GROUPS, body.clone()).await.expect(201));
    refused(&okta.post(GROUPS, body).await, 409, Some("uniqueness"), "Test SCIMv2");
    let renamed = json!([{ "op": "replace", "value": { "id": id_of(&group), "displayName": "Crew" } }]);
    assert_eq!(okta.patch(&group, renamed).await.status, 204);
    let filled = json!([
        { "op": "remove", "path": format!("members[value eq \"{}\"]", id_of(&bob)) },
        { "op": "add", "path": "members", "value": [
            { "value": id_of(&ada), "display": "ada@example.com" }, { "value": id_of(&bob) } ] },
    ]);
    assert_eq!(okta.patch(&group, filled).await.status, 204);
    let shown = okta.get(&group).await.expect(200);
    let reference = |place: &str, display: &str, r#type: &str| {
        let at = format!("http://127.0.0.1:4242{place}");
        json!({ "value": id_of(place), "$ref": at, "display": display, "type": r#type })
    };
    let members = json!([reference(&ada, "ada@example.com", "User"), reference(&bob, "bob@example.com", "User")]);
    assert_eq!((&shown["displayName"], &shown["members"]), (&json!("Crew"), &members));
    let groups = okta.get(&ada).await.expect(200)["groups"].clone();
    assert_eq!(groups, json!([reference(&group, "Crew", "direct")]));
    let data = json!({ "groupId": number(&group), "groupName": "Crew", "userId": number(&bob) });
    assert_eq!(last_event(&app).await, json!(["group-user-added", null, data, null]));

    let replaced = json!([{ "op": "replace", "path": "members", "value": [{ "value": id_of(&bob) }] }]);
    okta.patch(&group, replaced.clone()).await;
    okta.patch(&group, replaced).await;
    assert_eq!(okta.get(&group).await.expect(200)["members"].as_array().expect("members").len(), 1);
    let whole = json!({ "schemas": [GROUP], "displayName": "All", "members": [{ "value": id_of(&ada) }] });
    assert_eq!(okta.put(&group, whole).await.expect(200)["members"][0]["value"], id_of(&ada));
    assert_eq!(okta.delete(&group).await.status, 204);
    refused(&okta.get(&group).await, 404, None, "no group");
    refused(&okta.delete(&group).await, 404, None, "no group");
    let told = [
        "group-created",
        "group-updated",
        "group-user-added",
        "group-user-added",
        "group-user-removed",
        "group-updated",
        "group-deleted",
    ];
    assert_eq!(types_since(&app, before).await, told);
    assert!(app.events().await.iter().skip(before).all(|event| event.created_by == "scim"));
}

#[tokio::test]
async fn a_patch_is_all_or_nothing() {
    let app = TestApp::new().await;
    let okta = directory(&app).await;
    let user = okta.make_user("ada@example.com").await;
    let (shown, before) = (okta.get(&user).await.expect(200), app.event_types().await.len());
    let half = json!([
        { "op": "replace", "path": "displayName", "value": "Ada" },
        { "op": "replace", "path": "active", "value": "perhaps" },
    ]);
    refused(&okta.patch(&user, half).await, 400, Some("invalidValue"), "/body/Operations/1");
    assert_eq!(okta.get(&user).await.expect(200), shown);
    assert!(types_since(&app, before).await.is_empty());
    let nothing = okta.send(poem::http::Method::PATCH, &user, &json!({ "schemas": [PATCH], "Operations": [] })).await;
    refused(&nothing, 400, Some("invalidValue"), "Operations");
}
