//! Another server of feature flags, asked by a command over HTTP.

use std::time::Duration;

use crate::{
    config::Route,
    domain::client_feature::SPECIFICATION,
    outbound::{Failure, Options, Outbound, Policy, Request},
};

/// Most bytes of one answer.
const MOST_BYTES: usize = 512 << 20;
/// Time limit for one answer.
const PATIENCE: Duration = Duration::from_mins(2);
/// Number of times that a request that met an overloaded or failing server is made.
const ATTEMPTS: u32 = 4;
/// Wait before the second; twice as long before each that follows.
const PAUSE: Duration = Duration::from_millis(250);

/// Another server.
#[derive(Debug, Clone)]
pub(super) struct RemoteServer {
    url: String,
    client: Outbound,
}

/// Failure of a request to a server.
#[derive(Debug)]
pub(super) enum RemoteError {
    /// There was no answer.
    Failed(Failure),
    /// The answer is a refusal.
    Refused {
        /// URL without the query.
        url: String,
        /// The status.
        status: u16,
    },
}

impl std::fmt::Display for RemoteError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Failed(failure) => failure.fmt(f),
            Self::Refused { url, status } => write!(f, "{url} answered {status}"),
        }
    }
}

impl std::error::Error for RemoteError {}

impl From<Failure> for RemoteError {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

impl RemoteError {
    /// The status of a refusal.
    pub(super) const fn status(&self) -> Option<u16> {
        match self {
            Self::Refused { status, .. } => Some(*status),
            Self::Failed(_) => None,
        }
    }
}

impl RemoteServer {
    /// The server at an address, which the operator typed: it may be anywhere.
    pub(super) fn new(url: &str, route: &Route) -> Result<Self, String> {
        let options = Options { plain_http: true, call_timeout: PATIENCE, ..Options::new(Policy::of_an_operator()) };
        Ok(Self { url: url.trim_end_matches('/').to_owned(), client: route.client(options)? })
    }

    /// Requests a path with a token.
    pub(super) async fn get(&self, path: &str, token: &str) -> Result<Vec<u8>, RemoteError> {
        let mut pause = PAUSE;
        for _ in 1..ATTEMPTS {
            match self.try_once(path, token).await {
                Err(RemoteError::Refused { status: 429 | 500..=599, .. }) => tokio::time::sleep(pause).await,
                outcome => return outcome,
            }
            pause *= 2;
        }
        self.try_once(path, token).await
    }

    async fn try_once(&self, path: &str, token: &str) -> Result<Vec<u8>, RemoteError> {
        let url = format!("{}{path}", self.url);
        let request = Request::get(&url, MOST_BYTES)
            .header("authorization", token.to_owned())
            .header("unleash-client-spec", SPECIFICATION.to_owned());
        let answer = self.client.send(request).await?;
        if answer.status == 200 {
            return Ok(answer.body);
        }
        let shown = path.split('?').next().unwrap_or_default();
        Err(RemoteError::Refused { url: format!("{}{shown}", self.url), status: answer.status })
    }
}
