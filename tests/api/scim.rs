//! Users and groups that a company's directory keeps through SCIM.

mod bulk;
mod by_hand;
mod climbing;
mod directories;
mod emails;
mod entra;
mod filters;
mod hostile;
mod leavers;
mod leaving;
mod lookups;
mod nesting;
mod okta;
mod settings;
mod sign_in;
mod taking_over;
mod versions;

use poem::http::Method;
use serde_json::{Value, json};

use crate::harness::{Answer, Client, TestApp, encoded};

pub const SETTINGS: &str = "/api/admin/scim-settings";
pub const USERS: &str = "/scim/Users";
pub const GROUPS: &str = "/scim/Groups";
pub const USER: &str = "urn:ietf:params:scim:schemas:core:2.0:User";
pub const GROUP: &str = "urn:ietf:params:scim:schemas:core:2.0:Group";
pub const PATCH: &str = "urn:ietf:params:scim:api:messages:2.0:PatchOp";

/// A directory that may keep users and groups, for tests of other things.
pub async fn client(app: &TestApp) -> Client {
    directory(app).await.client
}

/// Switches SCIM on and gives the directory.
async fn directory(app: &TestApp) -> Directory {
    let admin = app.admin();
    admin.post(SETTINGS, json!({ "enabled": true })).await.expect(200);
    with_new_token(app).await
}

async fn with_new_token(app: &TestApp) -> Directory {
    let made = app.admin().post(&format!("{SETTINGS}/generate-new-token"), Value::Null).await.expect(200);
    let token = made["token"].as_str().expect("a token").to_owned();
    Directory { client: app.with_authorization(&format!("Bearer {token}")), token }
}

struct Directory {
    client: Client,
    token: String,
}

impl Directory {
    async fn send(&self, method: Method, path: &str, body: &Value) -> Answer {
        let headers = [("content-type", "application/scim+json"), ("accept", "application/scim+json")];
        self.client.request(method, path, &headers, body.to_string().into_bytes()).await
    }

    async fn post(&self, path: &str, body: Value) -> Answer {
        self.send(Method::POST, path, &body).await
    }

    async fn put(&self, path: &str, body: Value) -> Answer {
        self.send(Method::PUT, path, &body).await
    }

    async fn patch(&self, path: &str, operations: Value) -> Answer {
        self.send(Method::PATCH, path, &json!({ "schemas": [PATCH], "Operations": operations })).await
    }

    async fn delete(&self, path: &str) -> Answer {
        self.client.request(Method::DELETE, path, &[], Vec::new()).await
    }

    async fn get(&self, path: &str) -> Answer {
        self.client.get(path).await
    }

    /// Returns the resources that a filter finds.
    async fn find(&self, place: &str, filter: &str) -> Vec<Value> {
        let found = self.get(&format!("{place}?filter={}", encoded(filter))).await.expect(200);
        let resources = found["Resources"].as_array().expect("a list").clone();
        assert_eq!(found["totalResults"], resources.len());
        resources
    }

    /// Makes a user who is called so; gives the address.
    async fn make_user(&self, email: &str) -> String {
        let made = self.post(USERS, json!({ "schemas": [USER], "userName": email, "externalId": email })).await;
        place(&made.expect(201))
    }

    /// Makes a group with these members; gives the address.
    async fn make_group(&self, name: &str, members: &[&str]) -> String {
        let members: Vec<Value> = members.iter().map(|member| json!({ "value": id_of(member) })).collect();
        let made = self.post(GROUPS, json!({ "schemas": [GROUP], "displayName": name, "members": members })).await;
        place(&made.expect(201))
    }
}

/// Path of a resource.
fn place(resource: &Value) -> String {
    let location = resource["meta"]["location"].as_str().expect("a location");
    location[location.find("/scim/").expect("below /scim")..].to_owned()
}

fn id_of(place: &str) -> String {
    place.rsplit('/').next().expect("an id").to_owned()
}

fn number(place: &str) -> i64 {
    id_of(place).parse().expect("a number")
}

/// A refusal in the protocol's form.
#[track_caller]
fn refused(answer: &Answer, status: u16, scim_type: Option<&str>, text: &str) {
    assert_eq!(answer.status, status, "{}", answer.text);
    assert_eq!(answer.headers["content-type"], "application/scim+json");
    assert_eq!(answer.body["schemas"], json!(["urn:ietf:params:scim:api:messages:2.0:Error"]));
    assert_eq!(answer.body["status"], status.to_string());
    assert_eq!(answer.body["scimType"].as_str(), scim_type, "{}", answer.text);
    let detail = answer.body["detail"].as_str().expect("a detail");
    assert!(detail.contains(text), "{detail:?} does not speak of {text:?}");
}

/// Types of the events that `work` leaves.
async fn types_since(app: &TestApp, before: usize) -> Vec<String> {
    app.event_types().await.split_off(before)
}
