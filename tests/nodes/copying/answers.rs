//! Answers of two servers to the same questions.

use poem::http::Method;
use serde_json::{Value, json};

use super::shop::{self, Keys};
use crate::cluster::Node;

/// Answers that are about the process that gives them, or have no end; and what browsers pass on their way through a
/// login provider, which would be asked, and the log that tells how that ended.
const OF_THE_PROCESS: &[&str] = &[
    "getPrometheusMetrics",
    "getFeatureStream",
    "beginOidcSignIn",
    "finishOidcSignIn",
    "oidcFrontChannelLogout",
    "beginSamlSignIn",
    "finishSamlSignIn",
    "beginProviderSignIn",
    "finishProviderSignIn",
    "finishProviderSamlSignIn",
    "samlLogout",
    "providerSamlLogout",
    "signInWithLink",
    "getOidcTrial",
    "getSamlTrial",
    "getSignInProviderTrial",
    "getSignIns",
    "getLoginHistory",
];
/// Questions that change nothing though they are sent as a POST.
const POSED: &[&str] = &["exportFeatures", "getPlayground", "getAdvancedPlayground", "validateImport"];

/// Something that can be asked without changing anything.
pub struct Question {
    pub id: &'static str,
    pub method: Method,
    pub address: String,
    pub body: Option<Value>,
}

/// Everything that can be read.
pub fn questions(keys: &Keys) -> Vec<Question> {
    let mut questions = Vec::new();
    for (method, path, operation) in shop::operations() {
        let id = operation["operationId"].as_str().expect("an id");
        if (method != Method::GET && !POSED.contains(&id)) || OF_THE_PROCESS.contains(&id) {
            continue;
        }
        let body = operation["requestBody"]["content"]["application/json"].get("example").cloned();
        let token = if path.starts_with("/auth") { "reset" } else { "signup" };
        let mut values = keys.made_up.clone();
        if let Some((_, secret)) = keys.made_up.iter().find(|(name, _)| *name == token)
            && !path.starts_with("/api/admin/api-tokens")
        {
            values.push(("token", secret.clone()));
        }
        if let Some((_, request)) = keys.made_up.iter().find(|(name, _)| *name == shop::CHANGE_REQUEST)
            && path.contains("/change-requests/{id}")
        {
            values.push(("id", request.clone()));
        }
        questions.push(Question { id, method, address: shop::address(operation, path, &values), body });
    }
    questions
}

/// Asks both for everything that can be read, as each caller: they must answer the same. Gives the ids of the
/// operations that nobody was answered.
pub async fn compare(old: &Node, new: &Node, keys: &Keys) -> Vec<&'static str> {
    let mut unanswered = Vec::new();
    for Question { id, method, address, body } in questions(keys) {
        let mut answered = false;
        for (header, secret) in &keys.callers {
            let before = answer(old, method.clone(), &address, body.clone(), (header, secret)).await;
            let after = answer(new, method.clone(), &address, body.clone(), (header, secret)).await;
            assert_eq!(before, after, "{id}: {method} {address} with {header}");
            answered |= before.0 == 200;
        }
        if !answered {
            unanswered.push(id);
        }
    }
    unanswered
}

/// Makes the same new things on both; they must be given the same numbers.
pub async fn compare_new_things(old: &Node, new: &Node, keys: &Keys) {
    let things = [
        ("/api/admin/user-admin", json!({ "username": "later", "rootRole": "Viewer", "sendEmail": false })),
        ("/api/admin/projects", json!({ "id": "later", "name": "Later" })),
        ("/api/admin/projects/later/features", json!({ "name": "later" })),
        ("/api/admin/projects/later/features/later/environments/development/strategies", json!({ "name": "default" })),
        ("/api/admin/segments", json!({ "name": "later", "constraints": [] })),
        ("/api/admin/tags", json!({ "type": "simple", "value": "later" })),
        ("/api/admin/features/later/tags", json!({ "type": "simple", "value": "latest" })),
        ("/api/admin/roles", json!({ "name": "later", "type": "root-custom", "permissions": [] })),
        ("/api/admin/groups", json!({ "name": "later", "users": [{ "user": { "id": 1 } }] })),
        (
            "/api/admin/api-tokens",
            json!({ "tokenName": "later", "type": "client", "environment": "production", "projects": ["later"] }),
        ),
    ];
    let (header, secret) = &keys.callers[0];
    for (path, body) in things {
        let before = answer(old, Method::POST, path, Some(body.clone()), (header, secret)).await;
        let after = answer(new, Method::POST, path, Some(body), (header, secret)).await;
        assert!(before.0 < 300, "{path}: {} {}", before.0, before.1);
        assert_eq!(before, after, "{path}");
    }
    let log = "/api/admin/search/events?limit=20";
    let [before, after] = [old, new].map(|node| answer(node, Method::GET, log, None, (header, secret)));
    let (before, after) = (before.await, after.await);
    assert_eq!(before.1["events"].as_array().map(Vec::len), Some(20));
    assert_eq!(before, after, "the events of what was made");
}

/// Status and body, without what each answer makes up.
pub async fn answer(
    node: &Node,
    method: Method,
    path: &str,
    body: Option<Value>,
    caller: (&str, &str),
) -> (u16, Value) {
    let answer = node.ask(method, path, body, caller).await;
    let status = answer.status().as_u16();
    let text = answer.into_body().into_string().await.expect("a body");
    let mut body = serde_json::from_str(&text).unwrap_or(Value::String(text));
    if status >= 400 {
        drop(body.as_object_mut().and_then(|refusal| refusal.remove("id")));
    }
    forget_secrets(&mut body);
    (status, body)
}

/// Secrets and random ids of new things are never the same twice.
fn forget_secrets(value: &mut Value) {
    match value {
        Value::Object(object) => {
            for (key, value) in object {
                let made_up = match key.as_str() {
                    "secret" | "inviteLink" => value.is_string(),
                    "id" => value.as_str().is_some_and(|id| id.len() == 36),
                    _ => false,
                };
                if made_up {
                    *value = Value::String("made up".to_owned());
                } else {
                    forget_secrets(value);
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(forget_secrets),
        _ => {}
    }
}
