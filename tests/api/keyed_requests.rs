//! Requests with an `Idempotency-Key`: done once, answered as often as they come.

use flagstone::{
    api::document::DOCUMENT,
    domain::{secret, time::HOUR_MS},
    jobs,
    store::entity::keyed_request,
};
use poem::http::Method;
use sea_orm::{ActiveModelTrait, ActiveValue::Set, EntityTrait};
use serde_json::{Value, json};

use crate::harness::{Answer, Client, TestApp};

const TOKENS: &str = "/api/admin/api-tokens";
const CONTEXT: &str = "/api/admin/context";

async fn send(client: &Client, path: &str, key: &str, body: &Value) -> Answer {
    let headers = [("content-type", "application/json"), ("idempotency-key", key)];
    client.request(Method::POST, path, &headers, body.to_string().into_bytes()).await
}

async fn rows(app: &TestApp) -> Vec<keyed_request::Model> {
    keyed_request::Entity::find().all(app.db()).await.expect("rows")
}

fn token(name: &str) -> Value {
    json!({ "tokenName": name, "type": "client", "environment": "development", "projects": ["*"] })
}

#[tokio::test]
async fn a_request_that_comes_again_gets_the_first_answer_and_does_nothing() {
    let app = TestApp::new().await;
    let admin = app.admin();
    let first = send(&admin, TOKENS, "k1", &token("shop")).await;
    assert!(!first.headers.contains_key("idempotency-replayed"));
    let location = first.headers["location"].clone();
    let made = first.expect(201);
    let events = app.events().await.len();
    for _ in 0..2 {
        let again = send(&admin, TOKENS, "k1", &token("shop")).await;
        assert_eq!(again.headers["idempotency-replayed"], "true");
        assert_eq!((&again.headers["location"], again.status), (&location, 201));
        assert_eq!(again.body, made);
    }
    assert_eq!(app.events().await.len(), events);
    // Another body, address or key.
    send(&admin, TOKENS, "k1", &token("other")).await.refused(422, "IdempotencyKeyError", "use a new key");
    let other = send(&admin, CONTEXT, "k1", &json!({ "name": "plan" })).await;
    other.refused(422, "IdempotencyKeyError", "use a new key");
    assert_ne!(send(&admin, TOKENS, "k2", &token("shop2")).await.expect(201)["secret"], made["secret"]);
    // Keys of somebody else are others.
    let root = app.root_admin().await;
    assert_ne!(send(&root, TOKENS, "k1", &token("shop3")).await.expect(201)["secret"], made["secret"]);
    // Nothing of the answer can be read in the database.
    let stored = format!("{:?}", rows(&app).await);
    let secret = made["secret"].as_str().expect("a secret");
    assert!(!stored.contains(secret) && !stored.contains("shop") && !stored.contains("k1\""), "{stored}");
    // It is known for a day.
    app.clock.advance(24 * HOUR_MS);
    let after = send(&admin, CONTEXT, "k1", &json!({ "name": "plan" })).await;
    assert!(!after.headers.contains_key("idempotency-replayed"));
    after.expect(201);
    app.clock.advance(24 * HOUR_MS);
    jobs::attempt(&app.state, *jobs::JOBS.iter().find(|job| job.name == "ended-sessions").expect("a job")).await;
    assert_eq!(rows(&app).await.len(), 0);
}

#[tokio::test]
async fn what_had_no_effect_is_not_kept() {
    let app = TestApp::new().await;
    let admin = app.admin();
    send(&admin, CONTEXT, "k", &json!({ "name": "" })).await.refused(400, "ValidationError", "name");
    send(&app.viewer().await, CONTEXT, "k", &json!({ "name": "plan" })).await.refused(403, "NoAccessError", "");
    send(&app.anonymous(), CONTEXT, "k", &json!({ "name": "plan" })).await.refused(401, "AuthenticationRequired", "");
    assert_eq!(rows(&app).await.len(), 0);
    send(&admin, CONTEXT, "k", &json!({ "name": "plan" })).await.expect(201);
    send(&admin, CONTEXT, "k2", &json!({ "name": "plan" })).await.refused(409, "NameExistsError", "plan");
    for key in ["", " ", "ä", &"k".repeat(256)] {
        let refused = send(&admin, CONTEXT, key, &json!({ "name": "other" })).await;
        refused.refused(400, "ValidationError", "Idempotency-Key");
    }
    send(&admin, CONTEXT, &"k".repeat(255), &json!({ "name": "other" })).await.expect(201);
    // Only what creates something takes keys.
    let search = send(&admin, "/api/admin/events/search", "k", &json!({})).await;
    assert_eq!((search.status, rows(&app).await.len()), (200, 2));
}

#[tokio::test]
async fn of_concurrent_requests_one_is_done() {
    let app = TestApp::new().await;
    let admin = app.admin();
    let body = token("shop");
    let requests = (0..8).map(|_| send(&admin, TOKENS, "k", &body));
    let answers = futures_util::future::join_all(requests).await;
    let mut secrets: Vec<_> = Vec::new();
    for answer in answers {
        match answer.status {
            201 => secrets.push(answer.body["secret"].clone()),
            _ => answer.refused(409, "IdempotencyKeyError", "under way"),
        }
    }
    assert!(!secrets.is_empty());
    secrets.dedup();
    assert_eq!(secrets.len(), 1, "{secrets:?}");
}

/// A request that is under way, or was broken off, for every operation that takes a key.
#[tokio::test]
async fn every_operation_that_creates_something_takes_keys() {
    let app = TestApp::new().await;
    let root = app.root_admin().await;
    let mut walked = 0;
    for (path, item) in DOCUMENT["paths"].as_object().expect("paths") {
        for (method, operation) in item.as_object().expect("operations") {
            let id = operation["operationId"].as_str().expect("an id");
            let parameters = operation["parameters"].as_array().into_iter().flatten();
            let takes_keys = parameters.clone().any(|parameter| parameter["name"] == "Idempotency-Key");
            let creates = method == "post" && (operation["responses"]["201"].is_object() || id == "createRole");
            let is_other = path.starts_with("/scim/") || id == "addPublicSignupTokenUser";
            if !path.starts_with("/api/client/") && !path.starts_with("/edge/") {
                assert_eq!(takes_keys, creates && !is_other, "{id}");
            }
            if !creates || is_other {
                continue;
            }
            walked += 1;
            let part = |part: &str| if part.starts_with('{') { "1".to_owned() } else { part.to_owned() };
            let path = path.split('/').map(part).collect::<Vec<_>>().join("/");
            let me = root.get("/api/admin/user").await.expect(200)["user"]["id"].clone();
            let row = keyed_request::ActiveModel {
                caller: Set(secret::digest(&format!("user {me}"))),
                id: Set(secret::digest(id)),
                request: Set("of another request".to_owned()),
                answer: Set(None),
                bytes: Set(0),
                created_at: Set(app.clock.now()),
            };
            let tx = app.tx().await;
            row.insert(&tx).await.expect("a row");
            app.commit(tx).await;
            send(&root, &path, id, &json!({})).await.refused(422, "IdempotencyKeyError", "");
            // The digest of the request itself is learnt from a request that fails after it was noted: it is forgotten,
            // so that a row of it is made by hand.
            let digest = digest_of(id, &path, b"{}");
            let tx = app.tx().await;
            let row = keyed_request::ActiveModel {
                caller: Set(secret::digest(&format!("user {me}"))),
                id: Set(secret::digest(id)),
                request: Set(digest),
                ..Default::default()
            };
            row.update(&tx).await.expect("a row");
            app.commit(tx).await;
            send(&root, &path, id, &json!({})).await.refused(409, "IdempotencyKeyError", "under way");
            app.clock.advance(120_000);
            send(&root, &path, id, &json!({})).await.refused(409, "IdempotencyKeyError", "unknown");
        }
    }
    assert_eq!(walked, 30);
}

/// Digest of a request, as the server computes it.
fn digest_of(operation: &str, path: &str, body: &[u8]) -> String {
    use sha2::Digest as _;
    let mut hash = sha2::Sha256::new();
    for part in [operation.as_bytes(), path.as_bytes(), b"", body] {
        hash.update(part.len().to_be_bytes());
        hash.update(part);
    }
    hex::encode(hash.finalize())
}
