//! Resources to ask for, finding, and pages.

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
    for (feature, supported) in
        [("patch", true), ("filter", true), ("bulk", true), ("sort", true), ("etag", true), ("changePassword", false)]
    {
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
    let filter = encoded(r#"title co "a""#);
    refused(&directory.get(&format!("{USERS}?filter={filter}")).await, 400, Some("invalidFilter"), "`filter`");
    refused(&directory.get(&format!("{GROUPS}?filter={filter}")).await, 400, Some("invalidFilter"), "`filter`");
    let twice = format!("{USERS}?filter={0}&filter={0}", encoded(r#"id eq "1""#));
    refused(&directory.get(&twice).await, 400, Some("invalidFilter"), "once");
    let huge = "x".repeat(60_000);
    refused(&directory.get(&format!("{USERS}?filter={huge}")).await, 400, Some("invalidFilter"), "filter");
}

#[tokio::test]
async fn filters_are_joined_and_lists_are_sorted() {
    let app = TestApp::new().await;
    let by_hand = user(&app, "zoe", role::VIEWER).await.to_string();
    let directory = directory(&app).await;
    let mut ids = vec![by_hand];
    for (name, display, is_active) in
        [("ada@example.com", "Ada 50%", true), ("bob@example.org", "Bob_", false), ("eve@example.com", "bobby", true)]
    {
        app.clock.advance(1000);
        let body = json!({ "schemas": [USER], "userName": name, "displayName": display, "active": is_active,
            "externalId": name.to_uppercase() });
        ids.push(id_of(&super::place(&directory.post(USERS, body).await.expect(201))));
    }
    let crew = directory.make_group("Crew", &[&format!("{USERS}/{}", ids[1]), &format!("{USERS}/{}", ids[2])]).await;
    let empty = directory.make_group("empty", &[]).await;
    let created = directory.get(&format!("{USERS}/{}", ids[2])).await.expect(200)["meta"]["created"].clone();
    let at = |operator: &str| format!("meta.created {operator} {created}");
    let found = async |place: &str, query: &str| -> Vec<String> {
        let list = directory.get(&format!("{place}?{query}")).await.expect(200);
        let resources = list["Resources"].as_array().expect("a list");
        resources.iter().map(|one| one["id"].as_str().expect("an id").to_owned()).collect()
    };
    let everybody: &[usize] = &[0, 1, 2, 3];
    for (filter, expected) in [
        (r#"userName eq "ada@example.com" and active eq true"#, &[1][..]),
        (r#"userName eq "ada@example.com" and active eq false"#, &[]),
        (r#"userName eq "ada@example.com" or displayName eq "BOBBY""#, &[1, 3]),
        (r"not (active eq true)", &[2]),
        (r#"active ne true or userName ew ".COM" and displayName co "5""#, &[1, 2]),
        (r#"(active ne true or userName ew ".COM") and displayName co "5""#, &[1]),
        (r#"displayName co "%""#, &[1]),
        (r#"displayName co "_""#, &[2]),
        (r#"displayName sw "BOB""#, &[2, 3]),
        (r#"displayName ne "Bob_""#, &[0, 1, 3]),
        (r"not (displayName pr)", &[0]),
        (r"externalId pr", &[1, 2, 3]),
        // An absent attribute is unlike every value.
        (r#"externalId ne "ADA@EXAMPLE.COM""#, &[0, 2, 3]),
        (r#"emails[type eq "work" and value ew "example.org"]"#, &[2]),
        (r#"emails[type eq "home"] or id eq "0""#, &[]),
        (r"emails.primary eq true", everybody),
        (&at("lt"), &[0, 1]),
        (&at("le"), &[0, 1, 2]),
        (&at("eq"), &[2]),
        (&at("gt"), &[3]),
        (&at("ge"), &[2, 3]),
        (&at("ne"), &[0, 1, 3]),
    ] {
        let expected: Vec<&String> = expected.iter().map(|index| &ids[*index]).collect();
        let query = format!("filter={}", encoded(filter));
        let mut of_directory = found(USERS, &query).await;
        of_directory.retain(|id| ids.contains(id));
        assert_eq!(of_directory.iter().collect::<Vec<_>>(), expected, "{filter}");
    }
    let (crew, empty) = (id_of(&crew), id_of(&empty));
    for (filter, expected) in [
        (format!("members.value eq \"{}\"", ids[1]), vec![&crew]),
        (format!("members[value eq \"{}\"] and members.value eq \"{}\"", ids[1], ids[2]), vec![&crew]),
        (format!("members.value eq \"{}\" and members.value eq \"{}\"", ids[1], ids[3]), vec![]),
        ("not (members pr)".to_owned(), vec![&empty]),
        (r#"displayName sw "CR" or displayName eq "Empty""#.to_owned(), vec![&crew, &empty]),
    ] {
        let groups = found(GROUPS, &format!("filter={}", encoded(&filter))).await;
        assert_eq!(groups.iter().collect::<Vec<_>>(), expected, "{filter}");
    }
    for (query, expected) in [
        ("sortBy=userName", [1, 2, 3, 0]),
        ("sortBy=userName&sortOrder=descending", [0, 3, 2, 1]),
        ("sortBy=meta.created&sortOrder=Descending", [3, 2, 1, 0]),
        ("sortBy=urn:ietf:params:scim:schemas:core:2.0:User:displayName&filter=externalId%20pr", [1, 2, 3, 9]),
        ("sortBy=externalId", [1, 2, 3, 0]),
        ("sortBy=externalId&sortOrder=descending", [0, 3, 2, 1]),
        ("sortOrder=descending", [0, 1, 2, 3]),
    ] {
        let mut sorted = found(USERS, query).await;
        sorted.retain(|id| ids.contains(id));
        let expected: Vec<&String> = expected.iter().filter_map(|index| ids.get(*index)).collect();
        assert_eq!(sorted.iter().collect::<Vec<_>>(), expected, "{query}");
    }
    assert_eq!(found(GROUPS, "sortBy=displayName&sortOrder=descending").await, [empty, crew]);
    for (query, scim_type, parameter) in [
        ("sortBy=title", "invalidPath", "`sortBy`"),
        ("sortBy=members", "invalidPath", "`sortBy`"),
        ("sortBy=id&sortOrder=upwards", "invalidValue", "`sortOrder`"),
        ("sortOrder=upwards", "invalidValue", "`sortOrder`"),
    ] {
        for place in [USERS, GROUPS] {
            refused(&directory.get(&format!("{place}?{query}")).await, 400, Some(scim_type), parameter);
        }
    }
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
