//! The real program with its log, and connections to it that say exactly what a test wants them to.

use std::{
    fs::{self, File},
    io::{ErrorKind, Read as _, Write as _},
    net::{IpAddr, SocketAddr, TcpStream},
    path::PathBuf,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use socket2::{Domain, Socket, Type};

use crate::address::ReservedAddress;

/// The admin token.
pub const TOKEN: &str = "*:*.serving-of-requests-by-the-program";
/// The token of programs.
pub const CLIENT_TOKEN: &str = "*:development.serving-of-requests-by-the-program";
/// Time limit for something that takes no time, beyond the seconds that the test itself sets.
pub const PATIENCE: Duration = Duration::from_mins(2);
/// Pause of slow callers between two steps.
pub const STEP: Duration = Duration::from_millis(50);

pub struct Program {
    process: Child,
    pub address: SocketAddr,
    directory: tempfile::TempDir,
    _reserved: ReservedAddress,
}

impl Program {
    /// Starts the program with these variables of its environment, and waits until it can work.
    pub fn start(variables: &[(&str, &str)]) -> Self {
        Self::run(Command::new(env!("CARGO_BIN_EXE_flagstone")), variables)
    }

    /// Starts a program that may open so many files and no more.
    pub fn start_with_files(files: u32, variables: &[(&str, &str)]) -> Self {
        let mut command = Command::new("sh");
        command.arg("-c").arg(format!("ulimit -n {files} && exec \"$0\"")).arg(env!("CARGO_BIN_EXE_flagstone"));
        Self::run(command, variables)
    }

    fn run(command: Command, variables: &[(&str, &str)]) -> Self {
        let program = Self::spawn(command, variables);
        program.wait_until(|| program.get("/ready").is_some_and(|(status, _)| status == 200));
        program
    }

    /// Starts a command of the program, which need not become ready.
    pub fn spawn(mut command: Command, variables: &[(&str, &str)]) -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        let reserved = ReservedAddress::new();
        let address = reserved.get();
        let process = command
            .current_dir(directory.path())
            .env_clear()
            .env("FLAGSTONE_LISTEN", address.to_string())
            .env("FLAGSTONE_LOG_FORMAT", "text")
            .env("NO_COLOR", "1")
            .env("INIT_ADMIN_API_TOKENS", TOKEN)
            .env("INIT_CLIENT_API_TOKENS", CLIENT_TOKEN)
            .env("UNLEASH_DEFAULT_ADMIN_PASSWORD", "Correct-horse-1")
            .envs(variables.iter().copied())
            .stdout(Stdio::null())
            .stderr(File::create(directory.path().join("log")).expect("a file"))
            .spawn()
            .expect("the program starts");
        Self { process, address, directory, _reserved: reserved }
    }

    /// Waits until it is ready.
    pub fn wait_until(&self, is_ready: impl Fn() -> bool) {
        let began = Instant::now();
        while !is_ready() {
            assert!(began.elapsed() < PATIENCE, "the program does not become ready: {}", self.log());
            thread::sleep(STEP);
        }
    }

    /// Waits until it ends by itself, as what is wrong makes it, and gives its log.
    pub fn wait_for_end(mut self) -> String {
        let exit = self.process.wait().expect("the process ends");
        assert!(!exit.success(), "{}", self.log());
        self.log()
    }

    /// Sends it a signal.
    pub fn signal(&self, name: &str) {
        let pid = self.process.id().to_string();
        assert!(Command::new("kill").args([name, &pid]).status().expect("kill runs").success());
    }

    /// Log of the program so far.
    pub fn log(&self) -> String {
        fs::read_to_string(self.log_file()).expect("the log")
    }

    fn log_file(&self) -> PathBuf {
        self.directory.path().join("log")
    }

    /// Processor time since the start.
    pub fn processor_time(&self) -> Duration {
        let line = fs::read_to_string(format!("/proc/{}/stat", self.process.id())).expect("figures of the process");
        let figures: Vec<&str> = line.rsplit(')').next().expect("figures").split_whitespace().collect();
        let hundredths: u64 = figures[11..=12].iter().map(|figure| figure.parse::<u64>().expect("a number")).sum();
        Duration::from_millis(hundredths * 10)
    }

    /// The answer to an administrator's GET on a connection of its own; `None` when there is none.
    pub fn get(&self, path: &str) -> Option<(u16, String)> {
        Connection::open(self.address).ok()?.ask(path)
    }

    /// A figure of the node, by its name and labels as they are written; 0 when there is none.
    pub fn figure(&self, series: &str) -> u64 {
        let (status, text) = self.get("/internal-backstage/prometheus").expect("the figures");
        assert_eq!(status, 200, "{text}");
        let line = text.lines().find_map(|line| line.strip_prefix(series)?.strip_prefix(' '));
        line.map_or(0, |figure| figure.parse().expect("a number"))
    }

    /// Waits until a figure is at least so high.
    pub fn wait_for(&self, series: &str, least: u64) {
        eventually(series, || self.figure(series) >= least);
    }

    /// Asks the program to stop, waits until it has, and gives its log.
    pub fn stop(mut self) -> String {
        self.signal("-TERM");
        let exit = self.process.wait().expect("the process ends");
        assert!(exit.success(), "{exit}: {}", self.log());
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

/// Waits until something is so.
pub fn eventually(what: &str, is_so: impl Fn() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < PATIENCE, "{what}");
        thread::sleep(STEP);
    }
}

/// A connection as bytes.
pub struct Connection(pub TcpStream);

impl Connection {
    pub fn open(to: SocketAddr) -> std::io::Result<Self> {
        Self::open_from(IpAddr::from([127, 0, 0, 1]), to)
    }

    /// A connection from another address of this machine.
    pub fn open_from(from: IpAddr, to: SocketAddr) -> std::io::Result<Self> {
        Self::prepare(from, to, None)
    }

    /// A connection that takes little of an answer unless it is read.
    pub fn open_narrow(to: SocketAddr) -> std::io::Result<Self> {
        Self::prepare(IpAddr::from([127, 0, 0, 1]), to, Some(4096))
    }

    fn prepare(from: IpAddr, to: SocketAddr, receive: Option<usize>) -> std::io::Result<Self> {
        let socket = Socket::new(Domain::IPV4, Type::STREAM, None)?;
        if let Some(receive) = receive {
            socket.set_recv_buffer_size(receive)?;
        }
        socket.bind(&SocketAddr::new(from, 0).into())?;
        socket.connect_timeout(&to.into(), PATIENCE)?;
        let stream = TcpStream::from(socket);
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        Ok(Self(stream))
    }

    pub fn send(&mut self, bytes: &[u8]) {
        self.0.write_all(bytes).expect("the server takes it");
    }

    /// Sends what the server need not take, as it may have closed the connection.
    pub fn try_send(&mut self, bytes: &[u8]) {
        let _ = self.0.write_all(bytes);
    }

    /// Whether the server has closed the connection without an answer that was asked for; waits for it, but not for
    /// ever. What it said before is read over.
    pub fn is_closed(&mut self) -> bool {
        let mut rest = [0; 4096];
        let began = Instant::now();
        while began.elapsed() < PATIENCE {
            match self.0.read(&mut rest) {
                Ok(0) => return true,
                Ok(_) => {}
                Err(error) => return is_gone(&error),
            }
        }
        false
    }

    /// Sends these pieces, with a pause after each, until the server closes the connection. False when it takes them
    /// for as long as anybody has patience.
    pub fn is_closed_while_sending<'a>(&mut self, mut pieces: impl Iterator<Item = &'a [u8]>) -> bool {
        let mut heard = [0; 4096];
        self.0.set_read_timeout(Some(Duration::from_millis(1))).expect("a timeout");
        let began = Instant::now();
        while began.elapsed() < PATIENCE {
            if let Err(error) = self.0.write_all(pieces.next().expect("no end of pieces")) {
                return is_gone(&error);
            }
            thread::sleep(STEP);
            match self.0.read(&mut heard) {
                Ok(0) => return true,
                Err(error) if is_gone(&error) => return true,
                // It may have nothing to say.
                Ok(_) | Err(_) => {}
            }
        }
        false
    }

    /// The answer to an administrator's GET, after which the connection is closed.
    pub fn ask(mut self, path: &str) -> Option<(u16, String)> {
        let head = format!("GET {path} HTTP/1.1\r\nHost: x\r\nAuthorization: {TOKEN}\r\nConnection: close\r\n\r\n");
        self.0.write_all(head.as_bytes()).ok()?;
        self.answer()
    }

    /// Status and rest of what the server says until it closes the connection.
    pub fn answer(&mut self) -> Option<(u16, String)> {
        let mut bytes = Vec::new();
        let outcome = self.0.read_to_end(&mut bytes);
        let text = String::from_utf8_lossy(&bytes);
        let status = text.split(' ').nth(1).and_then(|status| status.parse().ok());
        if status.is_none() {
            outcome.ok()?;
        }
        Some((status?, text.split_once("\r\n\r\n")?.1.to_owned()))
    }

    /// Whether the server answers a request on this connection, which goes on, or has closed it.
    pub fn is_answered(&mut self) -> bool {
        self.try_send(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n");
        let (mut heard, mut piece) = (String::new(), [0; 4096]);
        while !heard.contains("GOOD") {
            match self.0.read(&mut piece) {
                Ok(0) => return false,
                Ok(length) => heard.push_str(&String::from_utf8_lossy(&piece[..length])),
                Err(error) => {
                    assert!(is_gone(&error), "{error}");
                    return false;
                }
            }
        }
        true
    }

    /// Asks for changes as they happen and waits for the first: this request is under way until the test ends it.
    pub fn follow(&mut self) {
        let head = format!("GET /api/client/streaming HTTP/1.1\r\nHost: x\r\nAuthorization: {CLIENT_TOKEN}\r\n\r\n");
        self.send(head.as_bytes());
        self.hear("event: unleash-connected");
    }

    /// Waits until the server has said this.
    pub fn hear(&mut self, words: &str) {
        let (mut heard, mut piece) = (String::new(), [0; 4096]);
        while !heard.contains(words) {
            let length = self.0.read(&mut piece).expect("the server speaks");
            assert_ne!(length, 0, "{words} was never said, but {heard}");
            heard.push_str(&String::from_utf8_lossy(&piece[..length]));
        }
    }
}

fn is_gone(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::ConnectionReset | ErrorKind::ConnectionAborted | ErrorKind::BrokenPipe)
}
