//! A database of its own for each test, and nodes on it: in this process, where jobs run only when the test says so, or
//! as programs.

use std::{
    process::{Child, Command, Stdio},
    sync::Arc,
    time::{Duration, Instant},
};

use flagstone::{
    clock::Clock,
    config::{Config, Limits},
    domain::time::Timestamp,
    state::State,
    store::{self, db::Db},
    vault::Vault,
};
use poem::{Endpoint as _, Request, Response, http::Method};
use serde_json::{Value, json};
use tokio::sync::OnceCell;

use crate::{
    address::ReservedAddress,
    admin_token::{self, ADMIN_TOKEN},
    postgres,
};

/// The header of who administers.
pub const ADMINISTRATOR: (&str, &str) = ("authorization", ADMIN_TOKEN);
/// Time limit for something that takes no time.
const PATIENCE: Duration = Duration::from_mins(2);

/// An empty database on the server of the tests, or `None` when there is none.
pub async fn empty_database() -> Option<String> {
    Some(database_on(&postgres::server_or_skip()?).await)
}

/// An empty database on this server.
pub async fn database_on(server: &str) -> String {
    postgres::copy_on(server, postgres::EMPTY).await
}

/// A migrated database on the server of the tests, or `None` when there is none. It is copied: migrating takes longer
/// than most tests.
pub async fn migrated_database() -> Option<String> {
    static TEMPLATE: OnceCell<String> = OnceCell::const_new();
    let server = postgres::server_or_skip()?;
    let migrate = async || {
        let url = database_on(&server).await;
        let db = Db::open(&url).await.expect("a database");
        store::migrate::migrate(&db).await.expect("migrates");
        db.close().await.expect("closes");
        postgres::name_in(&url).to_owned()
    };
    let template = TEMPLATE.get_or_init(migrate).await;
    Some(postgres::copy_on(&server, template).await)
}

/// A node in this process.
pub struct Node {
    pub state: State,
    endpoint: Arc<dyn poem::endpoint::DynEndpoint<Output = Response>>,
}

/// Nodes in this process on a migrated database, and the clock that they share; `None` without a server.
pub async fn nodes<const N: usize>() -> Option<([Node; N], Clock)> {
    Some(nodes_on(&migrated_database().await?).await)
}

/// Nodes in this process on this database, which they migrate, and the clock that they share.
pub async fn nodes_on<const N: usize>(url: &str) -> ([Node; N], Clock) {
    let clock = Clock::manual(Timestamp::parse("2026-01-15T12:00:00.000Z").expect("valid"));
    let mut nodes = Vec::new();
    for _ in 0..N {
        nodes.push(Node::start(url, clock.clone()).await);
    }
    admin_token::insert(&nodes[0].state.db, clock.now()).await;
    (nodes.try_into().ok().expect("as many nodes"), clock)
}

impl Node {
    /// A node on a database of either kind, which it migrates.
    pub async fn start(url: &str, clock: Clock) -> Self {
        let db = Db::open(url).await.expect("a database");
        store::migrate::migrate(&db).await.expect("migrates");
        Self::on(db, clock)
    }

    /// A node on an open database.
    pub fn on(db: Db, clock: Clock) -> Self {
        Self::with(db, clock, Limits::default())
    }

    /// A node on an open database that has so much room.
    pub fn with(db: Db, clock: Clock, limits: Limits) -> Self {
        let config = Config { cheap_password_hashes: true, limits, ..Config::default() };
        let state = State::new(db, clock, config, Vault::with_key(&[7; 32]));
        let endpoint = Arc::new(poem::endpoint::ToDynEndpoint(flagstone::app(state.clone())));
        Self { state, endpoint }
    }

    /// The body of the answer to a request of the administrator that succeeds.
    pub async fn call(&self, method: Method, path: &str, body: Option<Value>) -> Value {
        let response = self.ask(method, path, body, ADMINISTRATOR).await;
        let status = response.status();
        let text = response.into_body().into_string().await.expect("a body");
        assert!(status.is_success(), "{path}: {status} {text}");
        serde_json::from_str(&text).unwrap_or_default()
    }

    /// The answer to a request of whoever has this header.
    pub async fn ask(&self, method: Method, path: &str, body: Option<Value>, caller: (&str, &str)) -> Response {
        let request = Request::builder().method(method).uri(path.parse().expect("a path"));
        let request = request.header(caller.0, caller.1).content_type("application/json");
        let body = body.map(|body| body.to_string()).unwrap_or_default();
        self.endpoint.get_response(request.body(body)).await
    }

    /// The answer to a request of the administrator that is done once, however often it comes.
    pub async fn ask_once(&self, path: &str, key: &str, body: &Value) -> Response {
        let request = Request::builder().method(Method::POST).uri(path.parse().expect("a path"));
        let request = request.header(ADMINISTRATOR.0, ADMINISTRATOR.1).header("idempotency-key", key);
        self.endpoint.get_response(request.content_type("application/json").body(body.to_string())).await
    }

    /// Makes a feature.
    pub async fn create(&self, feature: &str) {
        let path = "/api/admin/projects/default/features";
        self.call(Method::POST, path, Some(json!({ "name": feature }))).await;
    }

    /// Whether the feature search finds a feature.
    pub async fn finds(&self, feature: &str) -> bool {
        let found = self.call(Method::GET, &format!("/api/admin/search/features?query={feature}"), None).await;
        found["features"].as_array().expect("features").iter().any(|found| found["name"] == feature)
    }

    /// Whether programs are told of a feature.
    pub async fn tells_of(&self, feature: &str) -> bool {
        let told = self.call(Method::GET, "/api/client/features?environment=development", None).await;
        told["features"].as_array().expect("features").iter().any(|told| told["name"] == feature)
    }
}

/// Waits until something is so.
pub async fn eventually(what: &str, is_so: impl AsyncFn() -> bool) {
    let began = Instant::now();
    while !is_so().await {
        assert!(began.elapsed() < PATIENCE, "{what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// The program that was built, or the one that `FLAGSTONE_BINARY` names.
#[expect(clippy::disallowed_methods, reason = "what to test is no setting of the program")]
fn program() -> String {
    std::env::var("FLAGSTONE_BINARY").unwrap_or_else(|_| env!("CARGO_BIN_EXE_flagstone").to_owned())
}

/// A node as a program.
pub struct Program {
    process: Child,
    pub address: String,
    _reserved: ReservedAddress,
    _directory: tempfile::TempDir,
}

impl Program {
    /// Starts a node without waiting for it.
    pub fn start(database: &str) -> Self {
        Self::start_with(database, &[])
    }

    /// Starts a node without waiting for it, with further variables of its environment.
    pub fn start_with(database: &str, variables: &[(&str, &str)]) -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        let reserved = ReservedAddress::new();
        let address = reserved.get().to_string();
        let process = Command::new(program())
            .current_dir(directory.path())
            .env_clear()
            .env("FLAGSTONE_LISTEN", &address)
            .env("DATABASE_URL", database)
            .env("FLAGSTONE_SECRET_KEY", "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=")
            .env("INIT_ADMIN_API_TOKENS", ADMIN_TOKEN)
            .env("UNLEASH_DEFAULT_ADMIN_PASSWORD", "Correct-horse-1")
            .envs(variables.iter().copied())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program starts");
        Self { process, address, _reserved: reserved, _directory: directory }
    }

    /// Waits until the node can work.
    pub fn wait_until_ready(&self) {
        let began = Instant::now();
        while ureq::get(format!("http://{}/ready", self.address)).call().is_err() {
            assert!(began.elapsed() < PATIENCE, "the node does not become ready");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Status and body of a request; `None` when there was no answer.
    pub fn call(&self, path: &str, body: Option<Value>) -> Option<(u16, Value)> {
        call(&self.address, path, body)
    }

    /// A figure of the node, by its name and labels as they are written; 0 when there is none.
    pub fn figure(&self, series: &str) -> f64 {
        let url = format!("http://{}/internal-backstage/prometheus", self.address);
        let mut answer = ureq::get(url).header("Authorization", ADMIN_TOKEN).call().expect("the figures");
        let text = answer.body_mut().read_to_string().expect("text");
        let line = text.lines().find_map(|line| line.strip_prefix(series)?.strip_prefix(' '));
        line.map_or(0.0, |figure| figure.parse().expect("a number"))
    }

    /// SIGKILL: no handler runs, nothing is flushed.
    pub fn kill(self) {
        drop(self);
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // The process may have ended on its own.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A GET, or a POST with a body: status and body of the answer, or `None` when there was none.
pub fn call(address: &str, path: &str, body: Option<Value>) -> Option<(u16, Value)> {
    let agent: ureq::Agent =
        ureq::Agent::config_builder().http_status_as_error(false).timeout_global(Some(PATIENCE)).build().into();
    let url = format!("http://{address}{path}");
    let answer = match body {
        Some(body) => agent.post(url).header("Authorization", ADMIN_TOKEN).send_json(body),
        None => agent.get(url).header("Authorization", ADMIN_TOKEN).call(),
    };
    let mut answer = answer.ok()?;
    let text = answer.body_mut().read_to_string().ok()?;
    Some((answer.status().as_u16(), serde_json::from_str(&text).unwrap_or_default()))
}
