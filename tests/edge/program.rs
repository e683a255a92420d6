//! Servers and edges as programs, and questions to them.

use std::{
    fs::{self, File},
    net::SocketAddr,
    path::PathBuf,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::address::ReservedAddress;

/// The admin token of servers.
pub const ADMIN: &str = "*:*.edges-are-tested-with-this-one";
/// A client token.
pub const CLIENT: &str = "*:development.edges-are-tested-with-this-one";
/// A frontend token.
pub const FRONTEND: &str = "*:development.edges-are-tested-in-browsers";
/// Time limit for something that takes no time.
pub const PATIENCE: Duration = Duration::from_mins(3);

/// A program that serves.
pub struct Program {
    process: Child,
    pub address: SocketAddr,
    log: PathBuf,
}

/// A place for a program to live in, over several lives.
pub struct Home {
    directory: TempDir,
    pub address: ReservedAddress,
}

impl Home {
    pub fn new() -> Self {
        Self { directory: tempfile::tempdir().expect("a directory"), address: ReservedAddress::new() }
    }

    pub fn folder(&self) -> PathBuf {
        self.directory.path().join("state")
    }

    /// Starts a server, and waits until it can work.
    pub fn server(&self) -> Program {
        let tokens = [("INIT_CLIENT_API_TOKENS", CLIENT), ("INIT_FRONTEND_API_TOKENS", FRONTEND)];
        let admin = [("INIT_ADMIN_API_TOKENS", ADMIN), ("UNLEASH_DEFAULT_ADMIN_PASSWORD", "Correct-horse-1")];
        let program =
            self.start(&["serve"], &[&tokens[..], &admin[..], &[("FLAGSTONE_JOB_USAGE_SECONDS", "1")]].concat());
        program.wait_until_ready();
        program
    }

    /// Starts an edge before this server, without waiting for it.
    pub fn edge(&self, upstream: SocketAddr, variables: &[(&str, &str)]) -> Program {
        self.edge_by(Command::new(env!("CARGO_BIN_EXE_flagstone")), upstream, variables)
    }

    /// Starts an edge with a disk that takes no more than eight kibibytes of each file. Its log goes nowhere.
    pub fn edge_with_small_files(&self, upstream: SocketAddr) -> Program {
        let mut shell = Command::new("sh");
        // A write that is too long fails, and does not end the program.
        let script = "trap '' XFSZ; ulimit -f 16; exec \"$0\" \"$@\" 2>/dev/null";
        shell.args(["-c", script, env!("CARGO_BIN_EXE_flagstone")]);
        self.edge_by(shell, upstream, &[])
    }

    fn edge_by(&self, command: Command, upstream: SocketAddr, variables: &[(&str, &str)]) -> Program {
        let (url, folder) = (format!("http://{upstream}"), self.folder());
        let fixed = [
            ("UPSTREAM_URL", url.as_str()),
            ("TOKENS", CLIENT),
            ("BACKUP_FOLDER", folder.to_str().expect("a path")),
            ("FEATURES_REFRESH_INTERVAL_SECONDS", "1"),
            ("METRICS_INTERVAL_SECONDS", "1"),
            ("UPSTREAM_REQUEST_TIMEOUT", "10"),
        ];
        self.start_by(command, &["edge"], &[&fixed[..], variables].concat())
    }

    /// Starts the program with these arguments and variables.
    pub fn start(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Program {
        self.start_by(Command::new(env!("CARGO_BIN_EXE_flagstone")), arguments, variables)
    }

    fn start_by(&self, mut command: Command, arguments: &[&str], variables: &[(&str, &str)]) -> Program {
        let log = self.directory.path().join("log");
        let file = File::options().create(true).append(true).open(&log).expect("a file");
        let process = command
            .args(arguments)
            .current_dir(self.directory.path())
            .env_clear()
            .env("FLAGSTONE_LISTEN", self.address.get().to_string())
            .env("FLAGSTONE_LOG_FORMAT", "text")
            .envs(variables.iter().copied())
            .stdout(Stdio::null())
            .stderr(file)
            .spawn()
            .expect("the program starts");
        Program { process, address: self.address.get(), log }
    }
}

impl Program {
    pub fn log(&self) -> String {
        fs::read_to_string(&self.log).expect("the log")
    }

    pub fn wait_until_ready(&self) {
        self.wait("it becomes ready", || self.get("/ready", ADMIN).is_some_and(|answer| answer.status == 200));
    }

    /// Waits until something is so.
    pub fn wait(&self, what: &str, is_so: impl Fn() -> bool) {
        let began = Instant::now();
        while !is_so() {
            assert!(began.elapsed() < PATIENCE, "never: {what}\n{}", self.log());
            thread::sleep(Duration::from_millis(20));
        }
    }

    pub fn get(&self, path: &str, token: &str) -> Option<Answer> {
        self.ask(path, &[("Authorization", token)])
    }

    /// A GET with these headers; `None` when there is no answer.
    pub fn ask(&self, path: &str, headers: &[(&str, &str)]) -> Option<Answer> {
        let request = agent().get(format!("http://{}{path}", self.address));
        let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
        Answer::of(request.call().ok()?)
    }

    /// A POST of JSON; `None` when there is no answer.
    pub fn post(&self, path: &str, token: &str, body: &Value) -> Option<Answer> {
        let request = agent().post(format!("http://{}{path}", self.address)).header("Authorization", token);
        Answer::of(request.header("Unleash-Client-Spec", "5.2.0").send_json(body).ok()?)
    }

    /// A POST of an administrator that succeeds.
    pub fn administer(&self, path: &str, body: &Value) -> Value {
        let answer = self.post(path, ADMIN, body).expect("an answer");
        assert!((200..300).contains(&answer.status), "{path}: {answer:?}");
        serde_json::from_str(&answer.body).unwrap_or_default()
    }

    pub fn delete(&self, path: &str) {
        let request = agent().delete(format!("http://{}{path}", self.address)).header("Authorization", ADMIN);
        assert!(request.call().expect("an answer").status().is_success(), "{path}");
    }

    /// Makes a feature, and switches it on.
    pub fn feature(&self, name: &str) {
        self.administer("/api/admin/projects/default/features", &json!({ "name": name }));
        let place = format!("/api/admin/projects/default/features/{name}/environments/development");
        let strategy =
            json!({ "name": "flexibleRollout", "parameters": { "rollout": "100", "stickiness": "default" } });
        self.administer(&format!("{place}/strategies"), &strategy);
        self.administer(&format!("{place}/on"), &json!({}));
    }

    /// Whether programs are told of a feature.
    pub fn tells_of(&self, name: &str) -> bool {
        let answer = self.get("/api/client/features", CLIENT);
        answer.is_some_and(|answer| answer.status == 200 && answer.body.contains(&format!("\"name\":\"{name}\"")))
    }

    /// A figure, by its name and labels as they are written; 0 when there is none.
    pub fn figure(&self, series: &str) -> f64 {
        let text = self.get("/internal-backstage/prometheus", ADMIN).expect("the figures").body;
        let line = text.lines().find_map(|line| line.strip_prefix(series)?.strip_prefix(' '));
        line.map_or(0.0, |figure| figure.parse().expect("a number"))
    }

    /// Asks the program to stop, and waits until it has.
    pub fn stop(mut self) -> String {
        let pid = self.process.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &pid]).status().expect("kill runs").success());
        let exit = self.process.wait().expect("the process ends");
        assert!(exit.success(), "{exit}: {}", self.log());
        self.log()
    }

    /// SIGKILL: no handler runs, nothing is flushed.
    pub fn kill(self) {
        drop(self);
    }

    /// Waits until the program ends by itself, and gives its log.
    pub fn wait_for_end(mut self) -> String {
        let exit = self.process.wait().expect("the process ends");
        assert!(!exit.success(), "{}", self.log());
        self.log()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // The process may have ended on its own.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Answer that came back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    pub status: u16,
    pub etag: Option<String>,
    pub content_type: Option<String>,
    /// Challenge of a refusal: the schemes of authentication that it accepts.
    pub challenge: Option<String>,
    pub body: String,
}

impl Answer {
    fn of(mut response: ureq::http::Response<ureq::Body>) -> Option<Self> {
        let header = |name: &str| response.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
        let [etag, content_type, challenge] = ["etag", "content-type", "www-authenticate"].map(header);
        let body = response.body_mut().with_config().limit(200 << 20).read_to_string().ok()?;
        Some(Self { status: response.status().as_u16(), etag, content_type, challenge, body })
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("JSON: {self:?}"))
    }
}

pub fn agent() -> ureq::Agent {
    ureq::Agent::config_builder().http_status_as_error(false).timeout_global(Some(PATIENCE)).build().into()
}
