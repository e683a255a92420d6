//! The real program: as the command that moves in, and serving what came over.

use std::{
    net::SocketAddr,
    path::Path,
    process::{Child, Command, Output, Stdio},
    sync::atomic::{AtomicU32, Ordering},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use ureq::typestate::WithBody;

use crate::{address::ReservedAddress, stored};

/// Time limit for something that takes no time.
const PATIENCE: Duration = Duration::from_mins(2);

fn program() -> Command {
    bare(Command::new(env!("CARGO_BIN_EXE_flagstone")))
}

/// Without what is set around the test.
fn bare(mut command: Command) -> Command {
    command.env_clear().stdin(Stdio::null());
    command
}

/// Begins to move in, and goes on by itself.
pub fn begun(from: &str, to: &str) -> Child {
    let mut command = program();
    command.args(["move-in", "--from", from, "--database-url", to]).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().expect("the program starts")
}

/// Complaint of moving in where no file may grow beyond a size: each write beyond it fails, as on a full disk.
pub fn complaint_on_small_disk(from: &str, to: &str, bytes: u64) -> String {
    // The shell counts in units of its own; 512 bytes is what the standard says.
    let script = format!("trap '' XFSZ; ulimit -f {} && exec \"$@\"", bytes / 512);
    let mut command = bare(Command::new("sh"));
    command.args([
        "-c",
        &script,
        "sh",
        env!("CARGO_BIN_EXE_flagstone"),
        "move-in",
        "--from",
        from,
        "--database-url",
        to,
    ]);
    let output = command.output().expect("a shell");
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stdout));
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Makes the tables of an empty database.
pub fn migrate(database: &str) {
    let output = program().args(["migrate", "--database-url", database]).output().expect("the program");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// The secret of a new token with these options.
pub fn token(database: &str, options: &[&str]) -> String {
    let mut command = program();
    command.args(["token", "--database-url", database, "create", "--name", "tests"]).args(options);
    let output = command.output().expect("the program");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("a secret").trim().to_owned()
}

/// Moves in by the API of a server, with a token of an administrator.
pub fn move_in_by_api(from: &str, token: &str, to: &str, more: &[&str]) -> Output {
    let mut command = program();
    command.args(["move-in", "--from", from, "--database-url", to]).args(more).env("FLAGSTONE_FROM_TOKEN", token);
    command.output().expect("the program")
}

/// Moves in, with more arguments.
pub fn move_in(from: &str, to: &str, more: &[&str]) -> Output {
    program().args(["move-in", "--from", from, "--database-url", to]).args(more).output().expect("the program")
}

/// Compares two servers.
pub fn compared(old: &str, new: &str, tokens: &Path) -> Output {
    let mut command = program();
    command.args(["compare", "--old", old, "--new", new, "--tokens"]).arg(tokens);
    command.output().expect("the program")
}

/// Output of moving in, which succeeded.
pub fn moved(from: &str, to: &str, more: &[&str]) -> String {
    let output = move_in(from, to, more);
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{printed}{}", String::from_utf8_lossy(&output.stderr));
    printed
}

/// Complaint of moving in, which failed.
pub fn complaint(from: &str, to: &str) -> String {
    let output = move_in(from, to, &[]);
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stdout));
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Output of exporting everything, for a version of Unleash where one is named.
pub fn exported(database: &str, directory: &Path, version: Option<&str>) -> String {
    let mut command = program();
    command.args(["export", "--all", "--database-url", database, "--output"]).arg(directory);
    command.args(version.map(|version| format!("--for={version}")));
    let output = command.output().expect("the program");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Output of a command about the log of events.
pub fn events(database: &str, arguments: &[&str]) -> Output {
    let mut command = program();
    command.arg("events").args(arguments).args(["--database-url", database]);
    command.output().expect("the program")
}

/// A server on a database.
pub struct Server {
    process: Child,
    address: ReservedAddress,
    agent: ureq::Agent,
    /// Number of those who have tried to sign in.
    callers: AtomicU32,
}

impl Server {
    pub async fn start(directory: &Path, database: &str) -> Self {
        stored::postpone_staleness(database).await;
        let address = ReservedAddress::new();
        let process = program()
            .arg("serve")
            .current_dir(directory)
            .env("FLAGSTONE_LISTEN", address.get().to_string())
            .env("DATABASE_URL", database)
            .env("FLAGSTONE_TRUSTED_PROXIES", "127.0.0.1")
            .env("FLAGSTONE_JOB_POTENTIALLY_STALE_SECONDS", "86400")
            .stdout(Stdio::null())
            .stderr(std::fs::File::create(directory.join("log")).expect("a file"))
            .spawn()
            .expect("the program starts");
        let agent = ureq::Agent::config_builder().http_status_as_error(false).build().into();
        let server = Self { process, address, agent, callers: AtomicU32::new(1) };
        let began = Instant::now();
        while server.try_get("/ready", "").is_none_or(|(status, _)| status != 200) {
            let log = std::fs::read_to_string(directory.join("log")).unwrap_or_default();
            assert!(began.elapsed() < PATIENCE, "the program does not become ready: {log}");
            thread::sleep(Duration::from_millis(50));
        }
        server
    }

    fn try_get(&self, path: &str, token: &str) -> Option<(u16, Value)> {
        let url = format!("http://{}{path}", self.address.get());
        let mut answer = self.agent.get(&url).header("authorization", token).call().ok()?;
        let status = answer.status().as_u16();
        Some((status, answer.body_mut().read_json().unwrap_or(Value::Null)))
    }

    /// Address at which it listens.
    pub const fn address(&self) -> SocketAddr {
        self.address.get()
    }

    /// Status and body of the answer to a GET with a token.
    pub fn get(&self, path: &str, token: &str) -> (u16, Value) {
        self.try_get(path, token).expect("an answer")
    }

    /// Status and body of the answer to a PUT with a token.
    pub fn put(&self, path: &str, token: &str, body: &Value) -> (u16, Value) {
        Self::sent(self.agent.put(self.url(path)), token, body)
    }

    /// Status and body of the answer to a POST with a token.
    pub fn post(&self, path: &str, token: &str, body: &Value) -> (u16, Value) {
        Self::sent(self.agent.post(self.url(path)), token, body)
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address.get())
    }

    fn sent(request: ureq::RequestBuilder<WithBody>, token: &str, body: &Value) -> (u16, Value) {
        let mut answer = request.header("authorization", token).send_json(body).expect("an answer");
        let status = answer.status().as_u16();
        (status, answer.body_mut().read_json().unwrap_or(Value::Null))
    }

    /// The status of signing in, from an address that nobody has come from.
    pub fn sign_in(&self, username: &str, password: &str) -> u16 {
        let url = format!("http://{}/auth/simple/login", self.address.get());
        let body = json!({ "username": username, "password": password });
        let from = format!("192.0.2.{}", self.callers.fetch_add(1, Ordering::Relaxed) % 200);
        let answer = self.agent.post(&url).header("x-forwarded-for", from).send_json(body);
        answer.expect("an answer").status().as_u16()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // The process may have ended on its own.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
