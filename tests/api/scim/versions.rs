//! Versions of users and groups: told, compared, and refused when they are not the present ones.

use poem::http::Method;
use serde_json::{Value, json};

use super::{Directory, GROUP, GROUPS, PATCH, USER, USERS, directory, id_of, place, refused};
use crate::harness::{Answer, TestApp};

async fn meant_for(directory: &Directory, method: Method, path: &str, tag: &str, body: Value) -> Answer {
    let headers = [("content-type", "application/scim+json"), ("accept", "application/scim+json"), ("if-match", tag)];
    let body = if body.is_null() { Vec::new() } else { body.to_string().into_bytes() };
    directory.client.request(method, path, &headers, body).await
}

/// Reads a resource and gives its version, which the answer tells twice.
async fn version(directory: &Directory, path: &str) -> String {
    let answer = directory.get(path).await;
    let tag = answer.headers["etag"].to_str().expect("a text").to_owned();
    assert_eq!(answer.expect(200)["meta"]["version"], tag);
    tag
}

#[tokio::test]
async fn a_change_for_another_version_is_refused_and_leaves_everything_as_it_is() {
    let app = TestApp::new().await;
    let directory = directory(&app).await;
    let user = directory.make_user("ada@example.com").await;
    let group = directory.make_group("crew", &[&user]).await;
    let crew = json!({ "schemas": [GROUP], "displayName": "team", "members": [{ "value": id_of(&user) }] });
    let ada = json!({ "schemas": [USER], "userName": "ada@example.com", "displayName": "Ada L" });
    let rename =
        json!({ "schemas": [PATCH], "Operations": [{ "op": "replace", "path": "displayName", "value": "x" }] });
    for (path, content) in [(&group, crew), (&user, ada)] {
        let stale = version(&directory, path).await;
        assert_eq!(version(&directory, path).await, stale, "reading changes no version");
        directory.patch(path, rename["Operations"].clone()).await;
        let current = version(&directory, path).await;
        assert_ne!(current, stale, "{path}");
        let before = app.event_types().await.len();
        for (method, body) in
            [(Method::PUT, content.clone()), (Method::PATCH, rename.clone()), (Method::DELETE, Value::Null)]
        {
            for tag in [&*stale, "W/\"1\"", "nonsense"] {
                let answer = meant_for(&directory, method.clone(), path, tag, body.clone()).await;
                refused(&answer, 412, None, "");
            }
        }
        assert_eq!(app.event_types().await.len(), before);
        assert_eq!(version(&directory, path).await, current);
        let tags = format!("{stale}, {current}");
        let answer = meant_for(&directory, Method::PUT, path, &tags, content).await;
        assert_eq!(answer.headers["etag"], version(&directory, path).await);
        answer.expect(200);
        assert_eq!(meant_for(&directory, Method::DELETE, path, "*", Value::Null).await.status, 204);
    }
}

#[tokio::test]
async fn whoever_has_the_version_is_sent_nothing() {
    let app = TestApp::new().await;
    let directory = directory(&app).await;
    let made = directory.post(USERS, json!({ "schemas": [USER], "userName": "ada@example.com" })).await.expect(201);
    let user = place(&made);
    let group = directory.make_group("crew", &[]).await;
    assert_eq!(made["meta"]["version"], version(&directory, &user).await);
    let answer = directory.post(GROUPS, json!({ "schemas": [GROUP], "displayName": "first" })).await;
    let tag = answer.headers["etag"].to_str().expect("a text").to_owned();
    assert_eq!(answer.expect(201)["meta"]["version"], tag);
    for path in [&user, &group] {
        let tag = version(&directory, path).await;
        let client = directory.client.clone().sending(&[("if-none-match", &tag)]);
        for query in ["", "?attributes=displayName"] {
            let answer = client.get(&format!("{path}{query}")).await;
            assert_eq!((answer.status, &*answer.text), (304, ""), "{path}{query}");
            assert_eq!(answer.headers["etag"], *tag);
        }
    }
    // Members are part of a group, and groups are shown with their users.
    let (of_user, of_group) = (version(&directory, &user).await, version(&directory, &group).await);
    directory.patch(&group, json!([{ "op": "add", "path": "members", "value": [{ "value": id_of(&user) }] }])).await;
    assert_ne!(version(&directory, &user).await, of_user);
    assert_ne!(version(&directory, &group).await, of_group);
    // A list tells the same versions, unless it leaves out what they stand for.
    for (list, path, part) in [(USERS, &user, "groups"), (GROUPS, &group, "members")] {
        let tag = version(&directory, path).await;
        let of = async |query: &str| {
            let list = directory.get(&format!("{list}{query}")).await.expect(200);
            let one = list["Resources"].as_array().expect("a list").iter().find(|one| one["id"] == id_of(path));
            one.expect("one").clone()
        };
        assert_eq!(of("").await["meta"]["version"], tag);
        assert!(of(&format!("?excludedAttributes={part}")).await["meta"].get("version").is_none());
    }
}

#[tokio::test]
async fn of_two_changes_that_are_meant_for_one_version_one_is_made() {
    let app = TestApp::new().await;
    let directory = directory(&app).await;
    let user = directory.make_user("ada@example.com").await;
    let group = directory.make_group("crew", &[&user]).await;
    for path in [&user, &group] {
        let tag = version(&directory, path).await;
        let rename = |name: &str| {
            let content = json!({ "userName": "ada@example.com", "displayName": name });
            meant_for(&directory, Method::PUT, path, &tag, content)
        };
        let (one, other) = tokio::join!(rename("one"), rename("other"));
        let mut statuses = [one.status, other.status];
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 412], "{path}");
        let winner = if one.status == 200 { "one" } else { "other" };
        assert_eq!(directory.get(path).await.expect(200)["displayName"], winner);
    }
}

#[tokio::test]
async fn whoever_is_named_is_named_with_the_place() {
    let app = TestApp::new().await;
    let directory = directory(&app).await;
    let user = directory.make_user("ada@example.com").await;
    let group = directory.make_group("crew", &[&user]).await;
    let (of_user, of_group) = (directory.get(&user).await.expect(200), directory.get(&group).await.expect(200));
    assert_eq!(of_user["groups"][0]["$ref"], of_group["meta"]["location"]);
    assert_eq!(of_group["members"][0]["$ref"], of_user["meta"]["location"]);
    // As it is told, it is taken.
    let again = directory.put(&group, of_group.clone()).await.expect(200);
    assert_eq!(again["members"], of_group["members"]);
}
