//! Calls that several files make, and what events say.

use flagstone::store::{self, entity::event, projects::NewProject};
use poem::http::Method;
use serde_json::{Value, json};

use crate::harness::{Answer, Client, TestApp};

pub async fn put(client: &Client, path: &str, body: Value) -> Answer {
    client.json(Method::PUT, path, body).await
}

pub async fn delete(client: &Client, path: &str) -> Answer {
    client.request(Method::DELETE, path, &[], Vec::new()).await
}

pub async fn act(client: &Client, method: Method, path: &str) -> Answer {
    client.request(method, path, &[], Vec::new()).await
}

/// A PUT, or without a body a DELETE, for the state that a tag names.
pub async fn meant_for(client: &Client, tag: &str, path: &str, body: Option<Value>) -> Answer {
    let headers = [("if-match", tag), ("content-type", "application/json")];
    match body {
        Some(body) => client.request(Method::PUT, path, &headers, body.to_string().into_bytes()).await,
        None => client.request(Method::DELETE, path, &headers, Vec::new()).await,
    }
}

pub fn tag_of(answer: &Answer) -> String {
    answer.headers["etag"].to_str().expect("a tag").to_owned()
}

/// Type, project, data and data before of a stored event.
pub fn told(event: &event::Model) -> Value {
    let json = |text: &Option<String>| text.as_ref().map(|text| serde_json::from_str::<Value>(text).expect("JSON"));
    json!([event.r#type, event.project, json(&event.data), json(&event.pre_data)])
}

/// Returns the content of the last event.
pub async fn last_event(app: &TestApp) -> Value {
    told(app.events().await.last().expect("an event"))
}

/// A project that only its members see.
pub async fn private_project(app: &TestApp, id: &str) {
    let tx = app.tx().await;
    let project = NewProject { mode: "private".to_owned(), ..NewProject::named(id, id) };
    store::projects::insert(&tx, &project, app.clock.now()).await.expect("a project");
    app.commit(tx).await;
}
