//! The server under measurement: a process of its own, and what the kernel says about it.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    process::{Child, Command},
    time::{Duration, Instant},
};

use crate::{
    Outcome,
    http::{Connection, request},
};

/// The secret that administers.
const ADMIN: &str = "*:*.load-admin-of-this-server";
/// The secret that programs show.
const CLIENT: &str = "*:production.load-client-of-this-server";
/// The secret that browsers show.
const FRONTEND: &str = "*:production.load-browser-of-this-server";
/// The key that kept data is read with again: 32 bytes in base64.
const KEY: &str = "bWFkZS11cC1rZXktb2YtdGhlLWxvYWQtcHJvZ3JhbSE=";
const PERSON: (&str, &str) = ("admin", "Load-Admin-1");
/// More connections and streams than anybody opens here.
const MANY: &str = "19000";
/// Time limit for a start.
const PATIENCE: Duration = Duration::from_secs(30);
/// Time for which the server is left alone before its memory and processor time at rest are told.
const REST: Duration = Duration::from_secs(5);

/// A running server.
#[derive(Debug)]
pub(crate) struct Server {
    child: Child,
    port: u16,
    database_process: Option<u32>,
    started_in: Duration,
    binary_bytes: u64,
}

/// Program, database and directory of the servers of a run.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    /// The program.
    pub(crate) program: PathBuf,
    /// Its database.
    pub(crate) database: String,
    /// Process id of the database server.
    pub(crate) database_process: Option<u32>,
    /// Directory of reports and data.
    pub(crate) directory: PathBuf,
}

/// Processor time since the start, in milliseconds.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Cpu {
    /// Of the server.
    pub(crate) server_ms: f64,
    /// Of the database server.
    pub(crate) database_ms: f64,
}

/// Memory in mebibytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Memory {
    /// Of the server, at this moment.
    pub(crate) now: f64,
    /// Of the server, at most since the start or [`Server::forget_peak`].
    pub(crate) peak: f64,
    /// Of the database server, at this moment; pages that its processes share count once.
    pub(crate) database: f64,
}

impl Server {
    /// Starts the program, which may open so many files, at this port or any, and waits for its first healthy answer.
    pub(crate) async fn start(
        program: &Path,
        database: &str,
        directory: &Path,
        database_process: Option<u32>,
        files: Option<u32>,
        port: Option<u16>,
    ) -> Outcome<Self> {
        let own = fs::canonicalize(program)?;
        let mut command = match files {
            None => Command::new(own),
            Some(files) => {
                let mut shell = Command::new("sh");
                shell.arg("-c").arg(format!("ulimit -n {files} && exec \"$0\"")).arg(own);
                shell
            }
        };
        let port = port.map_or_else(free_port, Ok)?;
        command
            .env("FLAGSTONE_LISTEN", format!("127.0.0.1:{port}"))
            .env("DATABASE_URL", database)
            .env("FLAGSTONE_SECRET_KEY", KEY)
            .env("FLAGSTONE_STREAMS_LIMIT", MANY)
            .env("INIT_ADMIN_API_TOKENS", ADMIN)
            .env("INIT_CLIENT_API_TOKENS", CLIENT)
            .env("INIT_FRONTEND_API_TOKENS", FRONTEND)
            .env("UNLEASH_DEFAULT_ADMIN_USERNAME", PERSON.0)
            .env("UNLEASH_DEFAULT_ADMIN_PASSWORD", PERSON.1);
        let binary_bytes = fs::metadata(program)?.len();
        let server = Self::launch(command, port, directory, "/health").await?;
        Ok(Self { database_process, binary_bytes, ..server })
    }

    /// Starts an edge before a server, with the features of these client tokens, and waits until it is ready.
    pub(crate) async fn edge(program: &Path, upstream: &Self, tokens: &[String], directory: &Path) -> Outcome<Self> {
        let port = free_port()?;
        fs::create_dir_all(directory)?;
        let mut command = Command::new(fs::canonicalize(program)?);
        command
            .arg("edge")
            .env("UPSTREAM_URL", format!("http://127.0.0.1:{}", upstream.port))
            .env("TOKENS", tokens.join(","))
            .env("INTERFACE", "127.0.0.1")
            .env("PORT", port.to_string())
            .env("FLAGSTONE_STREAMS_LIMIT", MANY)
            .env("FLAGSTONE_CONNECTIONS_LIMIT", MANY)
            .env("FLAGSTONE_CONNECTIONS_PER_ADDRESS_LIMIT", MANY)
            .env("FLAGSTONE_WRITE_TIMEOUT_SECONDS", "10");
        let binary_bytes = fs::metadata(program)?.len();
        let edge = Self::launch(command, port, directory, "/internal-backstage/ready").await?;
        Ok(Self { binary_bytes, ..edge })
    }

    /// Starts a program that will listen on a port, and waits until it answers well there.
    async fn launch(mut command: Command, port: u16, directory: &Path, asked: &str) -> Outcome<Self> {
        let began = Instant::now();
        let child = command
            .current_dir(directory)
            .env("RUST_LOG", "warn")
            .stdout(File::create(directory.join("out"))?)
            .stderr(File::options().create(true).append(true).open(directory.join("log"))?)
            .spawn()?;
        let mut server = Self { child, port, database_process: None, started_in: Duration::ZERO, binary_bytes: 0 };
        loop {
            if let Ok(mut connection) = server.connect().await
                && connection.send(&request("GET", asked, "", None)).await.is_ok_and(|answer| answer.status == 200)
            {
                server.started_in = began.elapsed();
                return Ok(server);
            }
            if began.elapsed() > PATIENCE || server.child.try_wait()?.is_some() {
                return Err(format!("the server does not start; see {}", directory.join("log").display()).into());
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }

    /// Asks the server to stop and waits until it has.
    pub(crate) async fn stop(mut self) -> Outcome {
        Command::new("kill").arg(self.child.id().to_string()).status()?;
        while self.child.try_wait()?.is_none() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        Ok(())
    }

    /// The program as a command of its own, for the same database and with the same key.
    pub(crate) fn command(program: &Path, database: &str) -> Outcome<Command> {
        let mut command = Command::new(fs::canonicalize(program)?);
        command.env("DATABASE_URL", database).env("FLAGSTONE_SECRET_KEY", KEY).env("RUST_LOG", "warn");
        Ok(command)
    }

    /// Time that the last start took.
    pub(crate) const fn started_in(&self) -> Duration {
        self.started_in
    }

    /// A new connection.
    pub(crate) async fn connect(&self) -> Outcome<Connection> {
        Connection::open(self.port).await
    }

    /// Port on which it listens.
    pub(crate) const fn port(&self) -> u16 {
        self.port
    }

    /// The header line of who administers.
    pub(crate) fn admin() -> String {
        format!("Authorization: {ADMIN}\r\n")
    }

    /// The header line of a program.
    pub(crate) fn client() -> String {
        format!("Authorization: {CLIENT}\r\n")
    }

    /// The header line of a browser.
    pub(crate) fn browser() -> String {
        format!("Authorization: {FRONTEND}\r\n")
    }

    /// The header line of a person who is signed in.
    pub(crate) async fn person(&self) -> Outcome<String> {
        let body = serde_json::json!({ "username": PERSON.0, "password": PERSON.1 });
        let answer = self.connect().await?.send(&request("POST", "/auth/simple/login", "", Some(&body))).await?;
        let cookie = answer.cookie.ok_or("signing in set no cookie")?;
        Ok(format!("Cookie: {cookie}\r\n"))
    }

    /// Processor time so far.
    pub(crate) fn cpu(&self) -> Cpu {
        let database_ms = self.database_processes().iter().fold(0.0, |sum, process| sum + ms_of(*process).0)
            + self.database_process.map_or(0.0, |parent| ms_of(parent).1);
        Cpu { server_ms: ms_of(self.child.id()).0, database_ms }
    }

    /// Memory in use.
    pub(crate) fn memory(&self) -> Memory {
        let own = self.child.id();
        let shares =
            self.database_processes().into_iter().map(|process| kib(&format!("/proc/{process}/smaps_rollup"), "Pss:"));
        Memory {
            now: kib(&format!("/proc/{own}/status"), "VmRSS:") / 1024.0,
            peak: kib(&format!("/proc/{own}/status"), "VmHWM:") / 1024.0,
            database: shares.fold(0.0, |sum, share| sum + share) / 1024.0,
        }
    }

    /// Connections to the database server: the titles of the processes that serve them name an address with its port.
    pub(crate) fn database_connections(&self) -> usize {
        let title = |process: u32| fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
        self.database_processes().into_iter().filter(|process| title(*process).contains(&b'(')).count()
    }

    /// Has the kernel forget the most memory so far, so that [`Memory::peak`] is of what comes now.
    pub(crate) fn forget_peak(&self) {
        // Where the kernel refuses, the figure stays the most since the start.
        let _refused = fs::write(format!("/proc/{}/clear_refs", self.child.id()), "5");
    }

    /// A new client token of an environment, for a project or, with `*`, for all.
    pub(crate) async fn client_token(&self, environment: &str, project: &str) -> Outcome<String> {
        let body = serde_json::json!({
            "tokenName": format!("load-{environment}"), "type": "client", "environment": environment,
            "projects": [project],
        });
        let mut connection = self.connect().await?;
        let made = connection.json(&request("POST", "/api/admin/api-tokens", &Self::admin(), Some(&body))).await?;
        Ok(made["secret"].as_str().ok_or("a token has no secret")?.to_owned())
    }

    /// Tells what it takes to run, at rest.
    #[expect(clippy::print_stdout, reason = "results are what this program is for")]
    pub(crate) async fn report(&self, state: &str) -> Outcome {
        tokio::time::sleep(REST).await;
        let before = self.cpu();
        tokio::time::sleep(REST).await;
        let (after, memory) = (self.cpu(), self.memory());
        let idle = (after.server_ms - before.server_ms + after.database_ms - before.database_ms) / REST.as_secs_f64();
        println!(
            "{state}: start {:.0} ms, binary {:.1} MB, at rest {:.0} MiB (database server {:.0} MiB), {idle:.1} ms of \
             processor time a second",
            self.started_in.as_secs_f64() * 1000.0,
            mega(self.binary_bytes),
            memory.now,
            memory.database,
        );
        Ok(())
    }

    /// The database server and all it started.
    fn database_processes(&self) -> Vec<u32> {
        let Some(parent) = self.database_process else { return Vec::new() };
        let all = fs::read_dir("/proc").into_iter().flatten().flatten();
        let numbers = all.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
        numbers.filter(|process| *process == parent || parent_of(*process) == Some(parent)).collect()
    }
}

/// Processor time of this program, and of all that ran on the machine, in milliseconds.
pub(crate) fn machine_ms() -> (f64, f64) {
    let stat = fs::read_to_string("/proc/stat").unwrap_or_default();
    let figures = stat.lines().next().unwrap_or_default().split_whitespace().skip(1);
    let figures: Vec<f64> = figures.filter_map(|figure| figure.parse().ok()).collect();
    // All but idle, waiting for a disk, and what is counted twice for guests.
    let busy: f64 = [0, 1, 2, 5, 6, 7].iter().filter_map(|place| figures.get(*place)).sum();
    (ms_of(std::process::id()).0, busy * 10.0)
}

fn free_port() -> Outcome<u16> {
    Ok(std::net::TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port())
}

#[expect(clippy::cast_precision_loss, reason = "nobody has files that large")]
fn mega(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}

/// Fields that follow the name in a process's line of figures.
fn figures(process: u32) -> Vec<String> {
    let line = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let after_name = line.rsplit(')').next().unwrap_or_default();
    after_name.split_whitespace().map(str::to_owned).collect()
}

fn parent_of(process: u32) -> Option<u32> {
    figures(process).get(1)?.parse().ok()
}

/// Processor time of a process, and of those that it started and that have ended. The kernel counts in hundredths of a
/// second on all machines of today.
fn ms_of(process: u32) -> (f64, f64) {
    let figures = figures(process);
    let at = |place: usize| figures.get(place).and_then(|text| text.parse::<f64>().ok()).unwrap_or(0.0) * 10.0;
    (at(11) + at(12), at(13) + at(14))
}

fn kib(file: &str, name: &str) -> f64 {
    let text = fs::read_to_string(file).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0.0)
}
