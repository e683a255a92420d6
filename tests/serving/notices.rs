//! Notices to systemd: when the program serves, when it stops, and nothing before.

use std::{
    io::ErrorKind,
    os::unix::net::UnixDatagram,
    path::PathBuf,
    process::Command,
    time::{Duration, Instant},
};

use crate::program::{PATIENCE, Program};

/// Interval between looks for a notice.
const LOOK: Duration = Duration::from_millis(50);

/// The socket that systemd would give to the program.
struct Manager {
    socket: UnixDatagram,
    path: PathBuf,
    _directory: tempfile::TempDir,
}

impl Manager {
    fn new() -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("notify");
        let socket = UnixDatagram::bind(&path).expect("a socket");
        socket.set_read_timeout(Some(LOOK)).expect("a timeout");
        Self { socket, path, _directory: directory }
    }

    fn start(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Program {
        let mut command = Command::new(env!("CARGO_BIN_EXE_flagstone"));
        command.args(arguments);
        let socket = [("NOTIFY_SOCKET", self.path.to_str().expect("a path"))];
        Program::spawn(command, &[&socket[..], variables].concat())
    }

    /// Returns the last notice, unless there was none.
    fn hear(&self) -> Option<String> {
        let mut buffer = [0; 4096];
        match self.socket.recv(&mut buffer) {
            Ok(length) => Some(String::from_utf8_lossy(&buffer[..length]).trim().to_owned()),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => None,
            Err(error) => panic!("{error}"),
        }
    }

    /// Waits for the next notice.
    fn wait(&self, program: &Program) -> String {
        let began = Instant::now();
        loop {
            if let Some(told) = self.hear() {
                return told;
            }
            assert!(began.elapsed() < PATIENCE, "nothing is told: {}", program.log());
        }
    }
}

/// Who is told that it serves asks once, and is answered.
fn tells_its_life(manager: &Manager, program: &Program) {
    assert_eq!(manager.wait(program), "READY=1", "{}", program.log());
    let (status, body) = program.get("/health").expect("an answer to the first who asks");
    assert_eq!((status, body.contains("GOOD")), (200, true), "{body}");
    assert_eq!(manager.hear(), None, "it is told once");
    program.signal("-TERM");
    assert_eq!(manager.wait(program), "STOPPING=1", "{}", program.log());
}

#[test]
fn a_server_tells_when_it_serves_and_when_it_stops() {
    let manager = Manager::new();
    tells_its_life(&manager, &manager.start(&["serve"], &[]));
}

#[test]
fn an_edge_tells_when_it_serves_and_when_it_stops() {
    let manager = Manager::new();
    let upstream = [("UPSTREAM_URL", "http://127.0.0.1:9"), ("TOKENS", "*:development.nobody-is-there-to-know-it")];
    tells_its_life(&manager, &manager.start(&["edge"], &upstream));
}

/// The socket of callers is open by then, so only the order of the start keeps it from being told.
#[test]
fn a_start_that_fails_tells_nothing() {
    let manager = Manager::new();
    let program = manager.start(&["serve"], &[("INIT_ADMIN_API_TOKENS", "this-is-no-token")]);
    let log = program.wait_for_end();
    assert!(log.contains("INIT_ADMIN_API_TOKENS"), "{log}");
    assert_eq!(manager.hear(), None, "{log}");
}
