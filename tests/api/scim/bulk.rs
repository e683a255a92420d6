//! Many operations in one request: each is what it would be alone.

use poem::http::Method;
use serde_json::{Value, json};

use super::{Directory, GROUP, GROUPS, SETTINGS, USER, USERS, directory, id_of, refused};
use crate::{
    harness::{Answer, TestApp, role},
    users::user,
};

const BULK: &str = "/scim/Bulk";
const REQUEST: &str = "urn:ietf:params:scim:api:messages:2.0:BulkRequest";

impl Directory {
    async fn bulk(&self, operations: &[Value]) -> Answer {
        self.post(BULK, json!({ "schemas": [REQUEST], "Operations": operations })).await
    }

    /// The outcomes of a bulk that was begun.
    async fn outcomes(&self, operations: &[Value]) -> Vec<Value> {
        let answer = self.bulk(operations).await.expect(200);
        assert_eq!(answer["schemas"], json!(["urn:ietf:params:scim:api:messages:2.0:BulkResponse"]));
        answer["Operations"].as_array().expect("a list").clone()
    }
}

fn post(name: &str, path: &str, data: &Value) -> Value {
    json!({ "method": "POST", "bulkId": name, "path": path, "data": data })
}

fn statuses(outcomes: &[Value]) -> Vec<&str> {
    outcomes.iter().map(|outcome| outcome["status"].as_str().expect("a text")).collect()
}

/// The path of a resource that an outcome tells.
fn path(outcome: &Value) -> String {
    let location = outcome["location"].as_str().expect("a location");
    location[location.find("/scim/").expect("below /scim")..].to_owned()
}

#[tokio::test]
async fn a_group_may_come_before_its_members() {
    let app = TestApp::new().await;
    let directory = directory(&app).await;
    let before = app.event_types().await.len();
    let outcomes = directory
        .outcomes(&[
            post(
                "crew",
                "/Groups",
                &json!({ "schemas": [GROUP], "displayName": "crew",
                "members": [{ "value": "bulkId:ada" }, { "value": "bulkId:bob", "type": "User" }] }),
            ),
            post("ada", "/Users", &json!({ "schemas": [USER], "userName": "ada@example.com", "active": "True" })),
            post("bob", "/Users", &json!({ "schemas": [USER], "USERNAME": "bob@example.com", "title": null })),
            json!({ "method": "PATCH", "path": "/Groups/bulkId:crew", "data": { "Operations": [
                { "op": "remove", "path": "members", "value": [{ "value": "bulkId:bob" }] },
                { "op": "replace", "path": "displayName", "value": "bulkId:crew" }] } }),
        ])
        .await;
    assert_eq!(statuses(&outcomes), ["201", "201", "201", "204"]);
    let names: Vec<&Value> = outcomes.iter().map(|outcome| &outcome["bulkId"]).collect();
    assert_eq!(names, [&json!("crew"), &json!("ada"), &json!("bob"), &Value::Null]);
    let crew = directory.get(&path(&outcomes[0])).await.expect(200);
    let ada = directory.get(&path(&outcomes[1])).await;
    assert_eq!(crew["displayName"], "bulkId:crew", "a value of its own refers to nothing");
    assert_eq!(crew["members"][0]["value"], id_of(&path(&outcomes[1])));
    assert_eq!(crew["members"].as_array().map(Vec::len), Some(1));
    assert_eq!(outcomes[3]["location"], outcomes[0]["location"]);
    assert!(outcomes[1]["version"].as_str().is_some_and(|version| version.starts_with("W/\"")));
    assert_eq!(ada.expect(200)["userName"], "ada@example.com");
    // As single requests leave them.
    assert_eq!(
        super::types_since(&app, before).await,
        ["user-created", "user-created", "group-created", "group-updated"]
    );
}

#[tokio::test]
async fn each_operation_does_what_it_does_alone() {
    let app = TestApp::new().await;
    let directory = directory(&app).await;
    let [ada, bob, eve] = ["ada", "bob", "eve"].map(|name| format!("{name}@example.com"));
    let (ada, bob, eve) =
        (directory.make_user(&ada).await, directory.make_user(&bob).await, directory.make_user(&eve).await);
    let (crew, gone) = (directory.make_group("crew", &[&ada]).await, directory.make_group("gone", &[]).await);
    let below = |place: &str| place.trim_start_matches("/scim").to_owned();
    let stale = directory.get(&ada).await.expect(200)["meta"]["version"].clone();
    let rename = json!({ "Operations": [{ "op": "replace", "path": "displayName", "value": "Ada" }] });
    let outcomes = directory
        .outcomes(&[
            json!({ "method": "PATCH", "path": below(&ada), "version": stale, "data": rename }),
            json!({ "method": "PATCH", "path": below(&ada), "version": stale, "data": rename }),
            json!({ "method": "put", "path": below(&bob), "data": { "userName": "bob@example.org", "active": false } }),
            json!({ "method": "DELETE", "path": below(&eve) }),
            json!({ "method": "PUT", "path": below(&crew), "data": { "displayName": "team", "members": [] } }),
            json!({ "method": "DELETE", "path": below(&gone), "bulkId": "unneeded" }),
            post("a", "/Users", &json!({ "userName": "ADA@example.com" })),
            post("b", "/Users", &json!({ "userName": " " })),
            json!({ "method": "DELETE", "path": "/Users/999" }),
            json!({ "method": "GET", "path": below(&ada) }),
            json!({ "method": "POST", "path": below(&ada), "bulkId": "c" }),
            json!({ "method": "DELETE", "path": "/Users" }),
            json!({ "method": "POST", "path": "/Users", "data": { "userName": "nameless@example.com" } }),
            post("a", "/Users", &json!({ "userName": "twice@example.com" })),
            json!({ "method": "DELETE", "path": "/scim/Users/2" }),
            json!({ "method": "PUT", "path": below(&bob) }),
        ])
        .await;
    assert_eq!(
        statuses(&outcomes),
        [
            "200", "412", "200", "204", "200", "204", "409", "400", "404", "405", "405", "405", "400", "400", "404",
            "400"
        ]
    );
    for (index, scim_type, text) in [
        (1, Value::Null, "If-Match"),
        (6, json!("uniqueness"), "userName"),
        (7, json!("invalidValue"), "userName"),
        (8, Value::Null, "999"),
        (12, json!("invalidValue"), "bulkId"),
        (13, json!("invalidValue"), "bulkId"),
        (14, Value::Null, "/Users"),
        (15, json!("invalidSyntax"), "/body"),
    ] {
        let response = &outcomes[index]["response"];
        assert_eq!(response["schemas"], json!(["urn:ietf:params:scim:api:messages:2.0:Error"]), "{index}");
        assert_eq!(response["status"], outcomes[index]["status"], "{index}");
        assert_eq!(response["scimType"], scim_type, "{index}");
        assert!(response["detail"].as_str().is_some_and(|detail| detail.contains(text)), "{index}: {response}");
    }
    assert_eq!(directory.get(&ada).await.expect(200)["displayName"], "Ada");
    let bob = directory.get(&bob).await.expect(200);
    assert_eq!(outcomes[2]["version"], bob["meta"]["version"]);
    assert_eq!((&bob["userName"], &bob["active"]), (&json!("bob@example.org"), &json!(false)));
    assert_eq!(directory.get(&eve).await.status, 404);
    assert_eq!(directory.get(&gone).await.status, 404);
    assert_eq!(directory.get(&crew).await.expect(200)["displayName"], "team");
    assert!(directory.find(USERS, "userName sw \"nameless\" or userName sw \"twice\"").await.is_empty());
}

#[tokio::test]
async fn what_refers_to_nothing_or_in_a_circle_is_refused_alone() {
    let app = TestApp::new().await;
    let directory = directory(&app).await;
    let group = |name: &str, member: &str| {
        post(name, "/Groups", &json!({ "displayName": name, "members": [{ "value": format!("bulkId:{member}") }] }))
    };
    let outcomes = directory
        .outcomes(&[
            group("a", "b"),
            group("b", "a"),
            group("self", "self"),
            group("lost", "nobody"),
            group("after", "broken"),
            post("broken", "/Users", &json!({ "userName": "" })),
            json!({ "method": "DELETE", "path": "/Users/bulkId:nobody" }),
            post("sound", "/Users", &json!({ "userName": "ada@example.com" })),
        ])
        .await;
    assert_eq!(statuses(&outcomes), ["409", "409", "409", "409", "409", "400", "409", "201"]);
    for (index, name) in [(0, "bulkId:b"), (1, "bulkId:a"), (3, "bulkId:nobody"), (4, "bulkId:broken")] {
        let detail = outcomes[index]["response"]["detail"].as_str().expect("a detail");
        assert!(detail.contains(name), "{detail}");
        assert!(outcomes[index].get("location").is_none());
    }
    assert!(directory.get(GROUPS).await.expect(200)["Resources"].as_array().is_some_and(Vec::is_empty));
}

#[tokio::test]
async fn failures_end_a_bulk_where_it_says_so() {
    let app = TestApp::new().await;
    let directory = directory(&app).await;
    let nobody = || json!({ "method": "DELETE", "path": "/Users/999" });
    let user = |name: &str| post(name, "/Users", &json!({ "userName": format!("{name}@example.com") }));
    let operations = json!([user("a"), nobody(), user("b"), nobody(), user("c"), nobody()]);
    let answer = directory.post(BULK, json!({ "failOnErrors": 2, "Operations": operations })).await.expect(200);
    let outcomes = answer["Operations"].as_array().expect("a list").clone();
    assert_eq!(statuses(&outcomes), ["201", "404", "201", "404"]);
    assert_eq!(directory.find(USERS, "userName sw \"c@\"").await.len(), 0);
    assert_eq!(directory.find(USERS, "userName sw \"b@\"").await.len(), 1);
    for number in [json!(0), json!(-1), json!("2"), json!(1.5)] {
        let answer = directory.post(BULK, json!({ "failOnErrors": number, "Operations": [nobody()] })).await;
        refused(&answer, 400, Some("invalidValue"), "failOnErrors");
    }
}

#[tokio::test]
async fn a_bulk_that_is_too_large_or_none_changes_nothing() {
    let app = TestApp::new().await;
    let directory = directory(&app).await;
    let config = directory.get("/scim/ServiceProviderConfig").await.expect(200)["bulk"].clone();
    assert_eq!((&config["supported"], &config["maxOperations"]), (&json!(true), &json!(1000)));
    let most_bytes = config["maxPayloadSize"].as_u64().expect("a number");
    let events = app.event_types().await.len();
    let user = post("a", "/Users", &json!({ "userName": "ada@example.com" }));
    let mut many = vec![user.clone()];
    many.extend(vec![json!({ "method": "DELETE", "path": "/Users/999" }); 1000]);
    refused(&directory.bulk(&many).await, 413, None, "1000");
    let mut long = user.clone();
    long["data"]["title"] = "x".repeat(usize::try_from(most_bytes).expect("fits")).into();
    refused(&directory.bulk(&[long]).await, 413, None, &most_bytes.to_string());
    for (body, scim_type, text) in [
        (json!([]), "invalidSyntax", "/body"),
        (json!({}), "invalidValue", "Operations"),
        (json!({ "Operations": [] }), "invalidValue", "Operations"),
        (json!({ "Operations": [user, 7] }), "invalidValue", "Operations/1"),
        (json!({ "Operations": [user, { "path": "/Users" }] }), "invalidValue", "method"),
        (json!({ "Operations": [user, { "method": "DELETE" }] }), "invalidValue", "path"),
        (json!({ "Operations": [user, { "method": "DELETE", "path": "x".repeat(1001) }] }), "invalidValue", "path"),
    ] {
        refused(&directory.post(BULK, body).await, 400, Some(scim_type), text);
    }
    assert_eq!(app.event_types().await.len(), events);
    let answer = directory.get(BULK).await;
    assert_eq!(answer.headers["allow"], "POST");
    refused(&answer, 405, None, "");
}

#[tokio::test]
async fn no_directory_climbs_by_a_bulk() {
    let app = TestApp::new().await;
    let admin = app.admin();
    let boss = user(&app, "boss", role::ADMIN).await;
    let root = json!({ "name": "root", "rootRole": role::ADMIN });
    let root = admin.post("/api/admin/groups", root).await.expect(201)["id"].clone();
    let directory = directory(&app).await;
    let rename = json!({ "Operations": [{ "op": "replace", "path": "displayName", "value": "x" }] });
    let join = json!({ "Operations": [{ "op": "add", "path": "members", "value": [{ "value": "bulkId:eve" }] }] });
    let readdress = json!({ "userName": "mallory@example.com", "emails": [{ "value": "mallory@example.com" }] });
    let (boss_path, root_path) = (format!("/Users/{boss}"), format!("/Groups/{root}"));
    let events = app.event_types().await.len();
    let attacks = [
        ("PATCH", &boss_path, rename.clone()),
        ("PUT", &boss_path, readdress),
        ("DELETE", &boss_path, Value::Null),
        ("PATCH", &root_path, rename),
        ("PATCH", &root_path, join),
        ("PUT", &root_path, json!({ "displayName": "root", "members": [{ "value": "bulkId:eve" }] })),
        ("DELETE", &root_path, Value::Null),
    ];
    let mut operations: Vec<Value> =
        attacks.iter().map(|(method, path, data)| json!({ "method": method, "path": path, "data": data })).collect();
    let eve =
        json!({ "userName": "eve@example.com", "roles": [{ "value": "Admin" }], "rootRole": 1, "entitlements": ["*"] });
    operations.push(post("eve", "/Users", &eve));
    let outcomes = directory.outcomes(&operations).await;
    for (outcome, (method, path, data)) in outcomes.iter().zip(&attacks) {
        assert_eq!(outcome["status"], "403", "{method} {path}");
        // In the words of the single request, for what refers to nobody else.
        if !data.to_string().contains("bulkId") {
            let method = Method::from_bytes(method.as_bytes()).expect("a method");
            let alone = directory.send(method, &format!("/scim{path}"), data).await;
            assert_eq!(outcome["response"], alone.body, "{path}");
        }
    }
    assert_eq!(statuses(&outcomes[attacks.len()..]), ["201"]);
    let eve = id_of(&path(&outcomes[attacks.len()]));
    let eve = admin.get(&format!("/api/admin/user-admin/{eve}")).await.expect(200);
    assert_eq!(eve["rootRole"], role::VIEWER);
    assert_eq!(super::types_since(&app, events).await, ["user-created"]);
}

#[tokio::test]
async fn a_bulk_needs_the_token_of_the_directory() {
    let app = TestApp::new().await;
    let directory = directory(&app).await;
    let operations = json!({ "Operations": [post("a", "/Users", &json!({ "userName": "ada@example.com" }))] });
    for client in [app.admin(), app.with_authorization("Bearer other")] {
        assert_eq!(client.post(BULK, operations.clone()).await.status, 401);
    }
    app.admin().post(SETTINGS, json!({ "enabled": false })).await.expect(200);
    refused(&directory.post(BULK, operations).await, 404, None, "switched off");
}
