//! A fresh server for each test, a clock that the test moves, and callers by role.

mod database;

use std::{fmt::Write as _, sync::Arc};

use flagstone::{
    clock::Clock,
    config::Config,
    domain::{
        actor::ADMIN_TOKEN_USER_ID,
        secret::{self, TokenKind},
        strategy::StrategyDefinition,
        tag::Tag,
        time::Timestamp,
    },
    state::State,
    store::{
        self, StoreError,
        access::people::NewUser,
        db::{Db, Tx},
        features::NewFeature,
        projects::NewProject,
        tokens::NewApiToken,
    },
    vault::Vault,
};
use futures_util::StreamExt as _;
use poem::{
    Endpoint, Request, Response,
    http::{HeaderMap, Method, header},
};
use sea_orm::{EntityTrait, QueryOrder};
use serde_json::Value;
use tempfile::TempDir;
use uuid::Uuid;

use crate::conformance;

/// Ids of the roles that every database starts with.
pub mod role {
    pub const ADMIN: i64 = 1;
    pub const EDITOR: i64 = 2;
    pub const VIEWER: i64 = 3;
    pub const OWNER: i64 = 4;
    pub const MEMBER: i64 = 5;
}

/// The moment at which every test begins.
pub const START: &str = "2026-01-15T12:00:00.000Z";

/// Adds a strategy to a feature in an environment, behind those that it has there.
pub async fn add_strategy(
    tx: &Tx,
    feature_id: i64,
    environment: &str,
    new: &StrategyDefinition,
    now: Timestamp,
) -> Result<Uuid, StoreError> {
    let present = store::strategies::count(tx, feature_id, environment).await?;
    let new = StrategyDefinition { sort_order: i64::try_from(present).expect("few"), ..new.clone() };
    store::strategies::add(tx, feature_id, environment, &new, now).await
}

/// A server on a database of its own.
pub struct TestApp {
    pub state: State,
    pub clock: Clock,
    endpoint: Arc<dyn poem::endpoint::DynEndpoint<Output = Response>>,
    files: Option<TempDir>,
}

impl TestApp {
    pub async fn new() -> Self {
        Box::pin(Self::with_config(Config::default())).await
    }

    pub async fn with_config(config: Config) -> Self {
        let clock = Clock::manual(Timestamp::parse(START).expect("valid"));
        let (db, files) = database::fresh().await;
        let config = Config { cheap_password_hashes: true, ..config };
        let state = State::new(db, clock.clone(), config, Vault::with_key(&[7; 32]));
        let endpoint = Arc::new(poem::endpoint::ToDynEndpoint(flagstone::app(state.clone())));
        let app = Self { state, clock, endpoint, files };
        let tx = app.tx().await;
        let token = NewApiToken {
            secret: "*:*.admin-token-of-the-tests".to_owned(),
            name: "tests".to_owned(),
            kind: TokenKind::Admin,
            projects: vec!["*".to_owned()],
            environment: "*".to_owned(),
            expires_at: None,
            created_by: None,
        };
        store::tokens::insert_api_token(&tx, &token, app.clock.now()).await.expect("a token");
        app.commit(tx).await;
        app
    }

    /// Another server on the same database, with other keys.
    pub fn beside(&self, vault: Vault) -> Self {
        let state = State::new(self.state.db.clone(), self.clock.clone(), (*self.state.config).clone(), vault);
        let endpoint = Arc::new(poem::endpoint::ToDynEndpoint(flagstone::app(state.clone())));
        Self { state, clock: self.clock.clone(), endpoint, files: None }
    }

    pub fn db(&self) -> &Db {
        &self.state.db
    }

    /// The directory of the SQLite database; none on PostgreSQL.
    pub fn directory(&self) -> Option<&std::path::Path> {
        self.files.as_ref().map(TempDir::path)
    }

    pub async fn tx(&self) -> Tx {
        self.state.db.begin().await.expect("a transaction")
    }

    /// Keeps seeded rows, without an event.
    pub async fn commit(&self, tx: Tx) {
        tx.commit(self.clock.now(), []).await.expect("commits");
    }

    /// A caller with the admin API token.
    pub fn admin(&self) -> Client {
        self.client(Some("*:*.admin-token-of-the-tests"), None)
    }

    /// A caller without credentials.
    pub fn anonymous(&self) -> Client {
        self.client(None, None)
    }

    /// A caller with any text as the Authorization header.
    pub fn with_authorization(&self, header: &str) -> Client {
        self.client(Some(header), None)
    }

    pub async fn viewer(&self) -> Client {
        self.person(role::VIEWER, None).await
    }

    pub async fn editor(&self) -> Client {
        self.person(role::EDITOR, None).await
    }

    pub async fn root_admin(&self) -> Client {
        self.person(role::ADMIN, None).await
    }

    pub async fn member(&self, project: &str) -> Client {
        self.person(role::VIEWER, Some((project, role::MEMBER))).await
    }

    pub async fn owner(&self, project: &str) -> Client {
        self.person(role::VIEWER, Some((project, role::OWNER))).await
    }

    /// A new person with a personal token, a root role and perhaps a role in a project.
    pub async fn person(&self, root_role_id: i64, in_project: Option<(&str, i64)>) -> Client {
        let now = self.clock.now();
        let suffix = flagstone::clock::new_uuid().simple().to_string();
        let tx = self.tx().await;
        let user = NewUser {
            username: Some(format!("user-{suffix}")),
            email: Some(format!("user-{suffix}@example.com")),
            name: Some(format!("User {suffix}")),
            root_role_id,
            ..NewUser::default()
        };
        let user_id = store::access::people::insert_user(&tx, &user, now).await.expect("a user");
        if let Some((project, role_id)) = in_project {
            store::access::people::grant_project_role(&tx, project, user_id, role_id, now).await.expect("a role");
        }
        let secret = format!("user:{suffix}");
        let ends = now.plus_days(365);
        store::tokens::insert_personal_token(&tx, user_id, "tests", &secret, ends, now).await.expect("a token");
        self.commit(tx).await;
        self.client(Some(&secret), Some(user_id))
    }

    /// The same person, but signed in: with a session instead of the personal token.
    pub async fn in_session(&self, person: &Client) -> Client {
        let user_id = person.user_id.expect("a person");
        let (session, now) = (flagstone::clock::new_uuid().simple().to_string(), self.clock.now());
        let tx = self.tx().await;
        let digest = secret::digest(&session);
        store::users::sessions::start(&tx, &digest, user_id, now, now.plus_days(365)).await.expect("a session");
        self.commit(tx).await;
        let cookie = format!("unleash-session={session}");
        self.client(None, Some(user_id)).sending(&[("cookie", &cookie)])
    }

    /// A program with a client token for these projects and this environment.
    pub async fn program(&self, projects: &[&str], environment: &str) -> Client {
        self.client(Some(&self.program_token(projects, environment, None).await), None)
    }

    /// A browser with a frontend token for these projects and this environment.
    pub async fn browser(&self, projects: &[&str], environment: &str) -> Client {
        self.client(Some(&self.token(TokenKind::Frontend, projects, environment, None).await), None)
    }

    /// A client token; gives its secret.
    pub async fn program_token(&self, projects: &[&str], environment: &str, expires_at: Option<Timestamp>) -> String {
        self.token(TokenKind::Client, projects, environment, expires_at).await
    }

    /// A token of an application; gives its secret.
    pub async fn token(
        &self,
        kind: TokenKind,
        projects: &[&str],
        environment: &str,
        expires_at: Option<Timestamp>,
    ) -> String {
        let suffix = flagstone::clock::new_uuid().simple().to_string();
        let token = NewApiToken {
            secret: format!("[]:{environment}.{suffix}"),
            name: format!("program-{suffix}"),
            kind,
            projects: projects.iter().map(|project| (*project).to_owned()).collect(),
            environment: environment.to_owned(),
            expires_at,
            created_by: None,
        };
        let tx = self.tx().await;
        store::tokens::insert_api_token(&tx, &token, self.clock.now()).await.expect("a token");
        self.commit(tx).await;
        token.secret
    }

    fn client(&self, authorization: Option<&str>, user_id: Option<i64>) -> Client {
        let endpoint = Arc::clone(&self.endpoint);
        Client { endpoint, authorization: authorization.map(str::to_owned), headers: Vec::new(), user_id }
    }

    /// A project that uses `development` and `production`.
    pub async fn project(&self, id: &str) {
        let tx = self.tx().await;
        store::projects::insert(&tx, &NewProject::named(id, id), self.clock.now()).await.expect("a project");
        for environment in ["development", "production"] {
            store::environments::connect(&tx, id, environment).await.expect("an environment");
        }
        self.commit(tx).await;
    }

    /// A feature of type `release`; gives its internal id.
    pub async fn feature(&self, project: &str, name: &str) -> i64 {
        let tx = self.tx().await;
        let new = NewFeature {
            name: name.to_owned(),
            project: project.to_owned(),
            kind: "release".to_owned(),
            description: None,
            stale: false,
            impression_data: false,
            created_by_user_id: ADMIN_TOKEN_USER_ID,
        };
        let id = store::features::insert(&tx, &new, self.clock.now()).await.expect("a feature");
        self.commit(tx).await;
        id
    }

    /// Tags a feature, without an event.
    pub async fn tag(&self, feature_id: i64, kind: &str, value: &str) {
        let tx = self.tx().await;
        let tag = Tag { kind: kind.to_owned(), value: value.to_owned() };
        store::tags::add(&tx, feature_id, &tag, ADMIN_TOKEN_USER_ID, self.clock.now()).await.expect("a tag");
        self.commit(tx).await;
    }

    /// Every stored event, oldest first.
    pub async fn events(&self) -> Vec<store::entity::event::Model> {
        use store::entity::event;
        event::Entity::find().order_by_asc(event::Column::Id).all(self.db()).await.expect("events")
    }

    /// The types of all stored events, oldest first.
    pub async fn event_types(&self) -> Vec<String> {
        self.events().await.into_iter().map(|event| event.r#type).collect()
    }
}

/// Somebody who calls the server.
#[derive(Clone)]
pub struct Client {
    endpoint: Arc<dyn poem::endpoint::DynEndpoint<Output = Response>>,
    authorization: Option<String>,
    /// Sent along with each request.
    headers: Vec<(String, String)>,
    /// The person's id; none for tokens.
    pub user_id: Option<i64>,
}

/// What the server answered.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: HeaderMap,
    /// The JSON body, or null when there is none.
    pub body: Value,
    pub text: String,
}

impl Client {
    /// The same caller, who sends these headers along with each request.
    pub fn sending(mut self, headers: &[(&str, &str)]) -> Self {
        self.headers.extend(headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
        self
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
        let bytes = serde_json::to_vec(&body).expect("JSON");
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
        conformance::check(method.as_str(), path, parts.status.as_u16(), content_type, &bytes);
        let text = String::from_utf8_lossy(&bytes);
        let meant = [
            "MaintenanceError",
            "as many streams open as it may",
            "Other changes were in the way",
            "receives as much as it can at once",
            "Other large requests are being processed",
            "cannot use its database",
        ];
        let meant = meant.iter().any(|words| text.contains(words));
        assert!(parts.status.as_u16() < 500 || meant, "{method} {path}: {text}");
        Answer {
            status: parts.status.as_u16(),
            headers: parts.headers,
            body: serde_json::from_slice(&bytes).unwrap_or(Value::Null),
            text: String::from_utf8_lossy(&bytes).into_owned(),
        }
    }
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
            let next = tokio::time::timeout(std::time::Duration::from_secs(30), self.0.next());
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

/// Percent-encodes a text for use in a query or path.
pub fn encoded(text: &str) -> String {
    text.bytes().fold(String::new(), |mut encoded, byte| {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            let _ = write!(encoded, "%{byte:02X}");
        }
        encoded
    })
}
