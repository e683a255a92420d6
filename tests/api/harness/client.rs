//! Callers, and what they are answered.

use std::sync::Arc;

use futures_util::StreamExt as _;
use poem::{
    Endpoint, Request, Response,
    http::{HeaderMap, Method, header},
};
use serde_json::Value;

use crate::conformance;

/// Somebody who calls the server.
#[derive(Clone)]
pub struct Client {
    pub(super) endpoint: Arc<dyn poem::endpoint::DynEndpoint<Output = Response>>,
    pub(super) authorization: Option<String>,
    /// Sent along with each request.
    pub(super) headers: Vec<(String, String)>,
    /// The person's id; none for tokens.
    pub user_id: Option<i64>,
}

/// Answer of the server.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: HeaderMap,
    /// The JSON body, or null when there is none.
    pub body: Value,
    pub text: String,
}

impl Client {
    /// Returns this caller, who sends these headers along with each request.
    pub fn sending(mut self, headers: &[(&str, &str)]) -> Self {
        self.headers.extend(headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
        self
    }

    /// The value of a header that is sent along with each request; empty without it.
    pub fn sent(&self, name: &str) -> &str {
        self.headers.iter().find(|(given, _)| given == name).map_or("", |(_, value)| value)
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.request(Method::GET, path, &[], Vec::new()).await
    }

    pub async fn post(&self, path: &str, body: Value) -> Answer {
        self.json(Method::POST, path, body).await
    }

    pub async fn patch(&self, path: &str, body: Value) -> Answer {
        self.json(Method::PATCH, path, body).await
    }

    pub async fn json(&self, method: Method, path: &str, body: Value) -> Answer {
        let bytes = body.to_string().into_bytes();
        self.request(method, path, &[(header::CONTENT_TYPE.as_str(), "application/json")], bytes).await
    }

    /// Any request. `path` may carry a query, percent-encoded.
    pub async fn request(&self, method: Method, path: &str, headers: &[(&str, &str)], body: Vec<u8>) -> Answer {
        self.send(method, path, headers, body.into()).await
    }

    /// Any request, whose body may arrive as it likes.
    pub async fn send(&self, method: Method, path: &str, headers: &[(&str, &str)], body: poem::Body) -> Answer {
        let mut request = Request::builder().method(method.clone()).uri(path.parse().expect("a path"));
        if let Some(authorization) = &self.authorization {
            request = request.header(header::AUTHORIZATION, authorization);
        }
        let own = self.headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        for (name, value) in own.chain(headers.iter().copied()) {
            request = request.header(name, value);
        }
        let response = self.endpoint.get_response(request.body(body)).await;
        let (parts, body) = response.into_parts();
        let content_type = parts.headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let bytes = if content_type == Some("text/event-stream") {
            // It never ends; what it begins with has to do.
            let first = body.into_bytes_stream().next().await.expect("a beginning").expect("bytes");
            first.to_vec()
        } else {
            body.into_vec().await.expect("a body")
        };
        let text = String::from_utf8_lossy(&bytes).into_owned();
        // `from_slice` would be compiled with the tests, and is several times slower without optimisation.
        let value = text.parse().ok();
        let status = parts.status.as_u16();
        conformance::check(method.as_str(), path, status, content_type, &text, value.as_ref());
        conformance::check_headers(method.as_str(), path, status, &parts.headers);
        assert!(status < 500 || is_meant(&text), "{method} {path}: {text}");
        Answer { status, headers: parts.headers, body: value.unwrap_or_default(), text }
    }
}

/// Whether a server says this that cannot or may not answer otherwise: not because something went wrong.
fn is_meant(text: &str) -> bool {
    [
        "MaintenanceError",
        "The instance is under maintenance",
        "keeps as many streams",
        "Other changes were in the way",
        "receives as much as it can at once",
        "Other large requests are being processed",
        "cannot use its database",
        "The disk of the database is full",
    ]
    .iter()
    .any(|words| text.contains(words))
}

impl Client {
    /// Headers and body of a successful answer, as they are.
    pub async fn bytes(&self, path: &str, headers: &[(&str, &str)]) -> (HeaderMap, Vec<u8>) {
        let response = self.open(path, headers).await;
        let (parts, body) = response.into_parts();
        (parts.headers, body.into_vec().await.expect("a body"))
    }

    /// An answer that stays open, event by event; comments are left out.
    pub async fn follow(&self, path: &str, headers: &[(&str, &str)]) -> Events {
        Events(Box::pin(self.open(path, headers).await.into_body().into_bytes_stream()))
    }

    async fn open(&self, path: &str, headers: &[(&str, &str)]) -> Response {
        let mut request = Request::builder().method(Method::GET).uri(path.parse().expect("a path"));
        if let Some(authorization) = &self.authorization {
            request = request.header(header::AUTHORIZATION, authorization);
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let response = self.endpoint.get_response(request.finish()).await;
        assert_eq!(response.status().as_u16(), 200);
        response
    }
}

/// Server-sent events as they arrive.
pub struct Events(std::pin::Pin<Box<dyn futures_util::Stream<Item = std::io::Result<bytes::Bytes>> + Send>>);

impl Events {
    /// Name, id and data of the next event, or `None` when the stream has ended.
    pub async fn next(&mut self) -> Option<(String, String, Value)> {
        loop {
            let next = tokio::time::timeout(std::time::Duration::from_mins(2), self.0.next());
            let bytes = next.await.expect("something in time")?.expect("bytes");
            let text = String::from_utf8(bytes.to_vec()).expect("UTF-8");
            if text.starts_with(':') {
                continue;
            }
            let field = |name: &str| {
                let line = text.lines().find_map(|line| line.strip_prefix(name)).expect("a field");
                line.strip_prefix(": ").expect("a value").to_owned()
            };
            return Some((field("event"), field("id"), serde_json::from_str(&field("data")).expect("JSON")));
        }
    }
}

impl Answer {
    /// The body, when the status is the expected one.
    #[track_caller]
    pub fn expect(self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}", self.text);
        self.body
    }

    /// A refusal of this status and name whose message holds `text`.
    #[track_caller]
    pub fn refused(self, status: u16, name: &str, text: &str) {
        assert_eq!((self.status, self.body["name"].as_str()), (status, Some(name)), "{}", self.text);
        let message = self.body["message"].as_str().expect("a message");
        assert!(message.contains(text), "{message:?} does not speak of {text:?}");
        assert!(uuid::Uuid::parse_str(self.body["id"].as_str().expect("an id")).is_ok());
    }
}
