//! Requests with an `Idempotency-Key`: one that creates something and comes again, because its answer was lost, gets the
//! first answer.

use std::sync::Arc;

use poem::{
    Endpoint, IntoResponse, Request, Response,
    http::{HeaderValue, Method, StatusCode, header},
};
use poem_openapi::OperationId;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::declared;
use crate::{
    api::{body, caller, document},
    changes::keyed_requests,
    domain::secret,
    error::Error,
    state::State,
    store::keyed_requests::{Earlier, KeyedRequest},
};

const KEY: &str = "idempotency-key";
const REPLAYED: &str = "idempotency-replayed";
/// Most characters of a key.
pub const LONGEST_KEY: usize = 255;
/// Most bytes of an answer that is kept.
const LARGEST_ANSWER: usize = 1 << 20;
/// Milliseconds after which a request without an answer is no longer under way.
const UNDER_WAY_MS: i64 = 120_000;

/// An answer as it is kept.
#[derive(Serialize, Deserialize)]
struct Kept {
    status: u16,
    content_type: Option<String>,
    body: String,
}

/// Returns the operation of a request that is to be done once, if it has a key and creates something.
pub(super) fn operation_of(request: &Request) -> Option<&'static str> {
    if *request.method() != Method::POST || !request.headers().contains_key(KEY) {
        return None;
    }
    document::operation_at("POST", request.uri().path()).filter(|operation| declared::creates(operation))
}

/// Answers a request with a key: by the routes the first time, with the same answer again.
pub(super) async fn answer<E>(
    routes: Arc<E>,
    state: &State,
    operation: &'static str,
    request: Request,
) -> poem::Result<Response>
where
    E: Endpoint + 'static,
{
    once(routes, state, operation, request).await.map_err(|mut error| {
        if error.data::<OperationId>().is_none() {
            error.set_data(OperationId(operation));
        }
        error
    })
}

async fn once<E>(routes: Arc<E>, state: &State, operation: &'static str, mut request: Request) -> poem::Result<Response>
where
    E: Endpoint + 'static,
{
    request.set_data(state.clone());
    request.set_data(state.serving.clone());
    let id = secret::digest(key(&request)?);
    let caller = secret::digest(&caller::identity(&request).await?);
    let body = body::received_whole(&mut request).await?;
    let digest = digest(operation, &request, &body);
    let new =
        KeyedRequest { caller: caller.clone(), id: id.clone(), request: digest.clone(), created_at: state.clock.now() };
    if let Some(earlier) = keyed_requests::record(&state.db, new).await? {
        let mut response = replay(state, &digest, &place(&caller, &id), earlier)?;
        response.set_data(OperationId(operation));
        return Ok(response);
    }
    // Ends also when the caller hangs up: what it did is what the same request gets later.
    let state = state.clone();
    let task = tokio::spawn(async move {
        let outcome = routes.call(request).await.map(IntoResponse::into_response);
        finish(&state, &caller, &id, outcome).await
    });
    task.await.map_err(Error::internal)?
}

fn key(request: &Request) -> Result<&str, Error> {
    let mut keys = request.headers().get_all(KEY).iter();
    let key = keys.next().and_then(|key| key.to_str().ok()).map(str::trim).filter(|_| keys.next().is_none());
    key.filter(|key| (1..=LONGEST_KEY).contains(&key.len())).ok_or_else(|| {
        let message = format!("The header `Idempotency-Key` must have 1 to {LONGEST_KEY} printable characters, once.");
        Error::invalid("/header/Idempotency-Key", message)
    })
}

/// Digest of what the same request has in common.
fn digest(operation: &str, request: &Request, body: &[u8]) -> String {
    let coding = request.headers().get(header::CONTENT_ENCODING).map(HeaderValue::as_bytes).unwrap_or_default();
    let mut hash = Sha256::new();
    for part in [operation.as_bytes(), request.uri().to_string().as_bytes(), coding, body] {
        hash.update(part.len().to_be_bytes());
        hash.update(part);
    }
    hex::encode(hash.finalize())
}

fn replay(state: &State, digest: &str, place: &str, earlier: Earlier) -> Result<Response, Error> {
    if earlier.request != digest {
        return Err(Error::KeyReused);
    }
    let opened = earlier.answer.and_then(|sealed| {
        let (plain, _) = state.vault.open(place, &sealed).ok()?;
        serde_json::from_slice::<Kept>(&plain).ok()
    });
    let Some(kept) = opened else {
        let is_under_way = state.clock.now().millis().saturating_sub(earlier.created_at.millis()) < UNDER_WAY_MS;
        let message = if is_under_way {
            "A request with this Idempotency-Key is under way: send it again in a moment."
        } else {
            "How the first request with this Idempotency-Key ended is unknown: look whether what it creates is there, and \
             use a new key if not."
        };
        return Err(Error::InUse { name: "IdempotencyKeyError", message: message.to_owned() });
    };
    let status = StatusCode::from_u16(kept.status).unwrap_or(StatusCode::CREATED);
    let mut response = Response::builder().status(status).body(kept.body);
    if let Some(content_type) = kept.content_type {
        response = response.set_content_type(content_type);
    }
    response.headers_mut().insert(REPLAYED, HeaderValue::from_static("true"));
    Ok(response)
}

/// Keeps an answer of success, and forgets a request that had no effect.
async fn finish(state: &State, caller: &str, id: &str, outcome: poem::Result<Response>) -> poem::Result<Response> {
    let response = match outcome {
        Ok(response) if response.status().is_success() => response,
        other => {
            note(keyed_requests::forget(&state.db, caller, id).await);
            return other;
        }
    };
    let (parts, body) = response.into_parts();
    let text = body.into_string().await.map_err(Error::internal)?;
    let content_type = parts.headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    if text.len() <= LARGEST_ANSWER {
        let kept =
            Kept { status: parts.status.as_u16(), content_type: content_type.map(str::to_owned), body: text.clone() };
        note(keep(state, caller, id, &kept).await);
    }
    Ok(Response::from_parts(parts, text.into()))
}

async fn keep(state: &State, caller: &str, id: &str, kept: &Kept) -> Result<(), Error> {
    let plain = serde_json::to_vec(kept).map_err(Error::internal)?;
    let sealed = state.vault.main().seal(&place(caller, id), &plain);
    keyed_requests::keep_answer(&state.db, caller, id, sealed).await
}

/// Logs that an answer could not be kept. When the request is repeated, the answer is that its outcome is unknown.
fn note(outcome: Result<(), Error>) {
    if let Err(error) = outcome {
        tracing::warn!(%error, "the answer to a request with an Idempotency-Key could not be kept");
    }
}

/// Place for which an answer is sealed.
fn place(caller: &str, id: &str) -> String {
    format!("flagstone.keyed-request.{caller}.{id}")
}
