//! What there is to ask for, finding, and pages.

use serde_json::{Value, json};

use super::{GROUP, GROUPS, USER, USERS, directory, id_of, refused};
use crate::{
    harness::{TestApp, encoded, role},
    users::user,
};

#[tokio::test]
async fn what_there_is_to_ask_for_is_told() {
    let app = TestApp::new().await;
    let directory = directory(&app).await;
    let config = directory.get("/scim/ServiceProviderConfig").await.expect(200);
    for (feature, supported) in [
        ("patch", true),
        ("filter", true),
        ("bulk", false),
        ("sort", false),
        ("etag", false),
        ("changePassword", false),
    ] {
        assert_eq!(config[feature]["supported"], supported, "{feature}");
    }
    for (list, ids) in [("ResourceTypes", ["User", "Group"]), ("Schemas", [USER, GROUP])] {
        let all = directory.get(&format!("/scim/{list}")).await.expect(200);
        assert_eq!((&all["totalResults"], &all["startIndex"]), (&json!(2), &json!(1)));
        for (one, id) in all["Resources"].as_array().expect("a list").iter().zip(ids) {
            assert_eq!(one["id"], id);
            assert_eq!(directory.get(&format!("/scim/{list}/{id}")).await.expect(200), *one);
        }
        refused(&directory.get(&format!("/scim/{list}/other")).await, 404, None, "");
    }
    // Whatever is answered is told, and the other way round.
    let attributes = |id: &str, all: &Value| -> Vec<String> {
        let all = all["Resources"].as_array().expect("a list").iter().find(|schema| schema["id"] == id).expect("one");
        let names = all["attributes"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|attribute| attribute["name"].as_str().expect("a name"));
        names.map(str::to_owned).collect()
    };
    let all = directory.get("/scim/Schemas").await.expect(200);
    let person = json!({ "schemas": [USER], "userName": "a@x.com", "externalId": "7", "name": { "formatted": "Ada" } });
    let made = directory.post(USERS, person).await.expect(201);
    let place = super::place(&made);
    directory.make_group("crew", &[&place]).await;
    let shown = directory.get(&place).await.expect(200);
    let mut known = attributes(USER, &all);
    known.extend(["schemas", "id", "externalId", "meta"].map(str::to_owned));
    assert!(shown.as_object().expect("an object").keys().all(|name| known.contains(name)), "{shown}");
    assert_eq!(shown.as_object().expect("an object").len(), known.len(), "{shown}");
}

#[tokio::test]
async fn one_is_found_by_each_name_and_people_made_by_hand_too() {
    let app = TestApp::new().await;
    let by_hand = user(&app, "bob", role::VIEWER).await.to_string();
    app.admin()
        .post("/api/admin/service-account", json!({ "name": "R", "username": "robot", "rootRole": 3 }))
        .await
        .expect(201);
    let directory = directory(&app).await;
    let body = json!({ "schemas": [USER], "userName": "ada", "externalId": "Seven", "displayName": "Äda \"B\"",
        "emails": [{ "value": "ada@example.com" }] });
    let ada = id_of(&super::place(&directory.post(USERS, body).await.expect(201)));
    for (filter, expected) in [
        (r#"userName eq "ADA""#, &ada),
        (r#"externalId eq "Seven""#, &ada),
        (r#"displayName eq "Äda \"B\"""#, &ada),
        (r#"emails.value eq "Ada@example.com""#, &ada),
        (r#"emails[type eq "work"].value eq "ada@example.com""#, &ada),
        (&format!("id eq \"{ada}\""), &ada),
        // Whom the directory does not keep yet is known to it by the email.
        (r#"userName eq "bob@example.com""#, &by_hand),
    ] {
        let found = directory.find(USERS, filter).await;
        assert_eq!(found.len(), 1, "{filter}");
        assert_eq!(found[0]["id"].as_str(), Some(expected.as_str()), "{filter}");
    }
    for filter in [r#"externalId eq "seven""#, r#"userName eq "bob""#, r#"userName eq "robot""#, r#"id eq "x""#] {
        assert!(directory.find(USERS, filter).await.is_empty(), "{filter}");
    }
    let filter = encoded(r#"userName co "a""#);
    refused(&directory.get(&format!("{USERS}?filter={filter}")).await, 400, Some("invalidFilter"), "`filter`");
    refused(&directory.get(&format!("{GROUPS}?filter={filter}")).await, 400, Some("invalidFilter"), "`filter`");
    let twice = format!("{USERS}?filter={0}&filter={0}", encoded(r#"id eq "1""#));
    refused(&directory.get(&twice).await, 400, Some("invalidFilter"), "once");
    let huge = "x".repeat(60_000);
    refused(&directory.get(&format!("{USERS}?filter={huge}")).await, 400, Some("invalidFilter"), "filter");
}

#[tokio::test]
async fn lists_come_in_pages_with_what_is_asked_for() {
    let app = TestApp::new().await;
    let directory = directory(&app).await;
    for number in 0..5 {
        directory.make_user(&format!("u{number}@example.com")).await;
        directory.make_group(&format!("g{number}"), &[]).await;
    }
    for place in [USERS, GROUPS] {
        let ids = async |query: &str| -> (Value, Value, Vec<String>) {
            let list = directory.get(&format!("{place}?{query}")).await.expect(200);
            assert_eq!(list["totalResults"], 5);
            let resources = list["Resources"].as_array().expect("a list");
            let ids = resources.iter().map(|one| one["id"].as_str().expect("an id").to_owned()).collect();
            (list["startIndex"].clone(), list["itemsPerPage"].clone(), ids)
        };
        let (_, _, all) = ids("").await;
        for (query, start, expected) in [
            ("startIndex=2&count=2", 2, &all[1..3]),
            ("startIndex=5&count=2", 5, &all[4..]),
            ("startIndex=6", 6, &[][..]),
            ("startIndex=0&count=1", 1, &all[..1]),
            ("startIndex=-7&count=1", 1, &all[..1]),
            ("count=0", 1, &[]),
            ("count=-1", 1, &[]),
            ("count=100000", 1, &all[..]),
            ("startIndex=x&count=x", 1, &all[..]),
            ("startIndex=99999999999999999999", i64::MAX, &[]),
            ("startIndex=9223372036854775807", i64::MAX, &[]),
        ] {
            assert_eq!(ids(query).await, (json!(start), json!(expected.len()), expected.to_vec()), "{query}");
        }
    }
    let one = directory
        .get(&format!("{USERS}?count=1&attributes=userName,urn:ietf:params:scim:schemas:core:2.0:User:ACTIVE"))
        .await;
    let one = one.expect(200)["Resources"][0].clone();
    let names: Vec<&String> = one.as_object().expect("an object").keys().collect();
    assert_eq!(names, ["schemas", "id", "userName", "active"]);
    let one = directory.get(&format!("{USERS}?count=1&excludedAttributes=meta,id,emails.value")).await;
    let one = one.expect(200)["Resources"][0].clone();
    assert!(one.get("meta").is_none() && one.get("emails").is_none() && one.get("id").is_some());
}

#[tokio::test]
async fn answers_are_labelled_as_they_are_asked_for() {
    let app = TestApp::new().await;
    let directory = directory(&app).await;
    for (accept, expected) in [
        ("application/scim+json", "application/scim+json"),
        ("*/*", "application/scim+json"),
        ("application/json", "application/json; charset=utf-8"),
        ("application/json, text/json", "application/json; charset=utf-8"),
        ("application/scim+json, application/json;q=0.9", "application/scim+json"),
    ] {
        let client = directory.client.clone().sending(&[("accept", accept)]);
        for path in [USERS, "/scim/Users/0", "/scim/nothing"] {
            assert_eq!(client.get(path).await.headers["content-type"], expected, "{accept} {path}");
        }
    }
    let body = json!({ "userName": "a@x.com" }).to_string().into_bytes();
    for label in ["application/json", "application/scim+json; charset=utf-8", "Application/SCIM+JSON"] {
        let headers = [("content-type", label)];
        let answer = directory.client.request(poem::http::Method::POST, USERS, &headers, body.clone()).await;
        assert!([201, 409].contains(&answer.status), "{label}");
    }
    let answer =
        directory.client.request(poem::http::Method::POST, USERS, &[("content-type", "text/plain")], body).await;
    refused(&answer, 415, None, "application/json");
}
