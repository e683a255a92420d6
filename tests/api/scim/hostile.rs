//! Hostile and malformed requests.

use poem::http::Method;
use serde_json::{Value, json};

use super::{GROUPS, PATCH, USERS, directory, refused};
use crate::harness::{TestApp, encoded};

#[tokio::test]
async fn a_body_that_is_announced_too_long_is_told_so_under_either_label() {
    let app = TestApp::new().await;
    let directory = directory(&app).await;
    for label in ["application/scim+json", "application/json"] {
        let headers = [("content-type", label), ("content-length", "99999999999")];
        let answer = directory.client.request(Method::POST, USERS, &headers, b"{}".to_vec()).await;
        refused(&answer, 413, None, "");
    }
}

#[tokio::test]
async fn bodies_that_are_none_change_nothing_and_say_where() {
    let app = TestApp::new().await;
    let directory = directory(&app).await;
    let user = directory.make_user("ada@example.com").await;
    let group = directory.make_group("crew", &[]).await;
    let before = app.event_types().await.len();
    let long = "x".repeat(300);
    let deep = (0..100).fold(json!("x"), |inner, _| json!([inner]));
    for (body, scim_type, text) in [
        (json!(null), "invalidSyntax", "/body"),
        (json!([]), "invalidSyntax", "/body"),
        (json!({}), "invalidValue", "userName"),
        (json!({ "userName": null }), "invalidValue", "userName"),
        (json!({ "userName": "" }), "invalidValue", "userName"),
        (json!({ "userName": " " }), "invalidValue", "userName"),
        (json!({ "userName": "a\nb" }), "invalidValue", "userName"),
        (json!({ "userName": "a\u{0}b" }), "invalidValue", "userName"),
        (json!({ "userName": long }), "invalidValue", "userName"),
        (json!({ "userName": 7 }), "invalidValue", "userName"),
        (json!({ "userName": "b", "externalId": long }), "invalidValue", "externalId"),
        (json!({ "userName": "b", "externalId": "a\nb" }), "invalidValue", "externalId"),
        (json!({ "userName": "b", "displayName": [1] }), "invalidValue", "displayName"),
        (json!({ "userName": "b", "name": "Ada" }), "invalidValue", "name"),
        (json!({ "userName": "b", "name": { "givenName": "\u{7}" } }), "invalidValue", "name"),
        (json!({ "userName": "b", "name": { "formatted": deep } }), "invalidValue", "name"),
        (json!({ "userName": "b", "active": "perhaps" }), "invalidValue", "active"),
        (json!({ "userName": "b", "emails": "a@x" }), "invalidValue", "emails"),
        (json!({ "userName": "b", "emails": [{ "type": "work" }] }), "invalidValue", "value"),
        (json!({ "userName": "b", "emails": [{ "value": "not one" }] }), "invalidValue", "email"),
        (json!({ "userName": "b", "emails": vec![json!({ "value": "a@x" }); 101] }), "invalidValue", "emails"),
    ] {
        refused(&directory.post(USERS, body.clone()).await, 400, Some(scim_type), text);
        refused(&directory.put(&user, body).await, 400, Some(scim_type), text);
    }
    let members = |count: usize| -> Vec<Value> { (0..count).map(|id| json!({ "value": id.to_string() })).collect() };
    for (body, text) in [
        (json!({}), "displayName"),
        (json!({ "displayName": " " }), "displayName"),
        (json!({ "displayName": "a\u{0}" }), "displayName"),
        (json!({ "displayName": long }), "displayName"),
        (json!({ "displayName": "b", "members": [{ "value": "x" }] }), "members"),
        (json!({ "displayName": "b", "members": [{ "value": "99" }] }), "members"),
        (json!({ "displayName": "b", "members": [{ "value": "-42" }] }), "members"),
        (json!({ "displayName": "b", "members": [{}] }), "members"),
        (json!({ "displayName": "b", "members": members(5001) }), "members"),
        (json!({ "displayName": "b", "externalId": "a\nb" }), "externalId"),
    ] {
        refused(&directory.post(GROUPS, body.clone()).await, 400, Some("invalidValue"), text);
        refused(&directory.put(&group, body).await, 400, Some("invalidValue"), text);
    }
    assert_eq!(app.event_types().await.len(), before);
}

#[tokio::test]
async fn patches_that_are_none_change_nothing_and_say_where() {
    let app = TestApp::new().await;
    let directory = directory(&app).await;
    let user = directory.make_user("ada@example.com").await;
    let group = directory.make_group("crew", &[]).await;
    let before = app.event_types().await.len();
    let step = json!({ "op": "replace", "path": "displayName", "value": "x" });
    let deep = format!("{}value eq \"1\"{}", "members[".repeat(60), "]".repeat(60));
    for place in [&user, &group] {
        for (operations, scim_type, text) in [
            (json!({}), "invalidValue", "Operations"),
            (json!([7]), "invalidValue", "Operations/0"),
            (json!([{ "path": "displayName" }]), "invalidValue", "op"),
            (json!([{ "op": "x".repeat(21) }]), "invalidValue", "op"),
            (json!([{ "op": "test", "path": "displayName" }]), "invalidSyntax", "Operations/0"),
            (json!([{ "op": "replace", "path": "x".repeat(1001), "value": 1 }]), "invalidValue", "path"),
            (json!([{ "op": "replace", "path": deep, "value": 1 }]), "invalidPath", "Operations/0"),
            (
                json!([{ "op": "replace", "path": "displayName", "value": "a\u{0}b" }]),
                "invalidValue",
                "Operations/0/value",
            ),
            (json!([{ "op": "replace", "path": "displayName", "value": "a\nb" }]), "invalidValue", "displayName"),
            (
                json!([{ "op": "replace", "path": "displayName", "value": "x".repeat(256) }]),
                "invalidValue",
                "Operations/0/value",
            ),
            (
                json!([{ "op": "replace", "path": "displayName", "value": { "a": 1 } }]),
                "invalidValue",
                "Operations/0/value",
            ),
            (json!([{ "op": "replace", "value": { "a[": 1 } }]), "invalidPath", "Operations/0"),
            (json!(vec![step.clone(); 1001]), "invalidValue", "Operations"),
        ] {
            refused(&directory.patch(place, operations).await, 400, Some(scim_type), text);
        }
        let none = directory.send(Method::PATCH, place, &json!({ "schemas": [PATCH] })).await;
        refused(&none, 400, Some("invalidValue"), "Operations");
        let broken =
            directory.client.request(Method::PATCH, place, &[("content-type", "application/scim+json")], b"{".to_vec());
        refused(&broken.await, 400, Some("invalidSyntax"), "JSON");
    }
    assert_eq!(app.event_types().await.len(), before);
}

#[tokio::test]
async fn addresses_that_lead_nowhere_are_refused_in_the_protocol_s_form() {
    let app = TestApp::new().await;
    let directory = directory(&app).await;
    let nul = encoded("\u{0}");
    for path in ["/scim", "/scim/", "/scim/v2/Users", "/scim/Me", "/scim/Users/x/y"] {
        refused(&directory.get(path).await, 404, None, "");
    }
    for id in ["0", "-1", "x", "99999999999999999999", "1.5", &nul, "%F0%9F%8E%89", &"9".repeat(1000)] {
        for place in [USERS, GROUPS] {
            let answer = directory.get(&format!("{place}/{id}")).await;
            assert_eq!(answer.status, 404, "{id}: {}", answer.text);
            refused(&directory.delete(&format!("{place}/{id}")).await, 404, None, "");
        }
    }
    for (method, path) in [(Method::DELETE, USERS), (Method::POST, "/scim/Schemas"), (Method::PUT, GROUPS)] {
        let answer = directory.send(method, path, &json!({})).await;
        assert!(answer.headers.contains_key("allow"));
        refused(&answer, 405, None, "");
    }
    for id in ["-42", "-1337"] {
        refused(&directory.get(&format!("{USERS}/{id}")).await, 404, None, "");
    }
}
