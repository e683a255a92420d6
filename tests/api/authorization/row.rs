//! One operation: how to call it, whom it lets in, and the events that it leaves.

use poem::http::Method;
use serde_json::Value;

use super::access::Access;
use crate::harness::{Answer, Client};

/// A call that an administrator makes before the operation, so that there is something to operate on.
#[derive(Debug, Clone)]
pub struct Step {
    pub method: Method,
    pub path: &'static str,
    pub body: Option<Value>,
    /// List in which `{id}` in path and body is found: its first entry.
    pub listed_at: Option<&'static str>,
}

/// One operation, ready to be called.
#[derive(Debug, Clone)]
pub struct Row {
    /// Its id in the document.
    pub operation: &'static str,
    pub call: Step,
    /// Status of a success.
    pub success: u16,
    pub access: Access,
    /// Types of the events that a success leaves, in their order.
    pub events: &'static [&'static str],
    /// Steps to take before.
    pub given: Vec<Step>,
    /// Steps that the caller has to take before: the result is the caller's own.
    pub own: Vec<Step>,
    /// Whether one of the permissions is enough for this call; an import of something new needs several.
    pub alone_suffices: bool,
}

impl Row {
    /// An operation on `path`, which may carry a query.
    pub fn new(operation: &'static str, method: Method, path: &'static str, access: Access) -> Self {
        let call = Step { method, path, body: None, listed_at: None };
        Self {
            operation,
            call,
            success: 200,
            access,
            events: &[],
            given: Vec::new(),
            own: Vec::new(),
            alone_suffices: true,
        }
    }

    pub fn get(operation: &'static str, path: &'static str, access: Access) -> Self {
        Self::new(operation, Method::GET, path, access)
    }

    pub fn post(operation: &'static str, path: &'static str, access: Access, body: Value) -> Self {
        Self::new(operation, Method::POST, path, access).body(body)
    }

    pub fn put(operation: &'static str, path: &'static str, access: Access, body: Value) -> Self {
        Self::new(operation, Method::PUT, path, access).body(body)
    }

    pub fn patch(operation: &'static str, path: &'static str, access: Access, body: Value) -> Self {
        Self::new(operation, Method::PATCH, path, access).body(body)
    }

    pub fn delete(operation: &'static str, path: &'static str, access: Access) -> Self {
        Self::new(operation, Method::DELETE, path, access)
    }

    /// Whether it only looks.
    pub fn is_read(&self) -> bool {
        self.call.method == Method::GET
    }

    pub fn body(mut self, body: Value) -> Self {
        self.call.body = Some(body);
        self
    }

    /// Writes the id of the first entry of this list for `{id}`, or one that nothing has for who may not read it.
    pub fn first_of(mut self, list: &'static str) -> Self {
        self.call.listed_at = Some(list);
        self
    }

    pub fn answers(mut self, success: u16) -> Self {
        self.success = success;
        self
    }

    pub fn leaves(mut self, events: &'static [&'static str]) -> Self {
        self.events = events;
        self
    }

    /// This call needs more than the permission that the operation always asks for.
    pub fn needs_more(mut self) -> Self {
        self.alone_suffices = false;
        self
    }

    /// Calls this first, as the caller of the operation.
    pub fn own(mut self, method: Method, path: &'static str, body: Value) -> Self {
        self.own.push(Step { method, path, body: Some(body), listed_at: None });
        self
    }

    /// Does what the caller has to do before.
    pub async fn prepare(&self, client: &Client) {
        for step in &self.own {
            let answer = step.take(client).await;
            assert!(answer.status < 400, "before {}: {} {}", self.operation, step.path, answer.text);
        }
    }

    /// Calls this first, as an administrator.
    pub fn after(mut self, method: Method, path: &'static str, body: Value) -> Self {
        let body = (!body.is_null()).then_some(body);
        self.given.push(Step { method, path, body, listed_at: None });
        self
    }
}

impl Step {
    pub async fn take(&self, client: &Client) -> Answer {
        call(client, &self.method, self.path, self.body.as_ref(), self.listed_at).await
    }
}

/// Sends a request; `{id}` in its path and body is the id of the first entry of the list at `listed_at`.
pub async fn call(
    client: &Client,
    method: &Method,
    path: &str,
    body: Option<&Value>,
    listed_at: Option<&str>,
) -> Answer {
    let mut path = path.to_owned();
    let mut body = body.map(Value::to_string);
    if let Some(list) = listed_at {
        let list = client.get(list).await.body;
        let id = list[0]["id"].as_str().unwrap_or("00000000-0000-4000-8000-000000000000");
        path = path.replace("{id}", id);
        body = body.map(|body| body.replace("{id}", id));
    }
    let headers: &[_] = if body.is_some() { &[("content-type", "application/json")] } else { &[] };
    client.request(method.clone(), &path, headers, body.unwrap_or_default().into_bytes()).await
}
