//! A PostgreSQL server of a test's own, which it may stop, and have speak TLS.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

/// Starts a server with the functions of tests/support, then does what it is told line by line.
const SCRIPT: &str = r#"
set -euo pipefail
source tests/support/common.sh
source tests/support/postgres.sh
programs=$(postgres_programs) || { echo none; exit 0; }
start_postgres >&2
echo "$FLAGSTONE_TEST_DATABASE"
while read -r order words; do
    answer=done
    case $order in
    stop) halt_postgres immediate ;;
    start) resume_postgres ;;
    tls) offer_tls && answer=$cluster/server.crt ;;
    replica) start_replica >&2 && answer=$replica ;;
    stop-replica) stop_replica ;;
    start-replica) resume_replica ;;
    promote-replica) promote_replica ;;
    signal-replica) signal_replica "$words" ;;
    on-primary) answer="answers $(as_superuser "$primary_port" "$words" | tr '\n' ' ')" ;;
    on-replica) answer="answers $(as_superuser "$replica_port" "$words" | tr '\n' ' ')" ;;
    esac
    echo "$answer"
done
"#;

/// A PostgreSQL server that the test may stop. It is gone when this is dropped.
pub struct PrivateServer {
    shell: Child,
    orders: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl PrivateServer {
    /// The server and its URL; `None` where its programs are not installed.
    #[expect(clippy::print_stderr, reason = "says why nothing is tested")]
    pub fn start() -> Option<(Self, String)> {
        let mut shell = Command::new("bash")
            .args(["-c", SCRIPT])
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("bash");
        let (orders, answers) = (shell.stdin.take(), BufReader::new(shell.stdout.take().expect("piped")));
        let mut server = Self { shell, orders, answers };
        let url = server.answer();
        if url == "none" {
            eprintln!("skipped: PostgreSQL's programs are not installed here");
            return None;
        }
        Some((server, url))
    }

    /// Ends it as a crash would, with what was committed kept.
    pub fn stop(&mut self) {
        self.order("stop");
    }

    pub fn resume(&mut self) {
        self.order("start");
    }

    /// Has it speak TLS too, with a certificate that it made itself for `localhost`; gives the file.
    pub fn offer_tls(&mut self) -> String {
        self.order("tls")
    }

    /// Starts a replica of it; gives its URL, whose database is that of the server's own.
    pub fn start_replica(&mut self) -> String {
        self.order("replica")
    }

    /// Ends the replica as a crash would.
    pub fn stop_replica(&mut self) {
        self.order("stop-replica");
    }

    pub fn resume_replica(&mut self) {
        self.order("start-replica");
    }

    /// Makes a primary of the replica.
    pub fn promote_replica(&mut self) {
        self.order("promote-replica");
    }

    /// Has the replica hang, as if its machine were cut off.
    pub fn freeze_replica(&mut self) {
        self.order("signal-replica STOP");
    }

    pub fn thaw_replica(&mut self) {
        self.order("signal-replica CONT");
    }

    /// Has the replica take in nothing new from now on.
    pub fn pause_replay(&mut self) {
        self.order("on-replica SELECT pg_wal_replay_pause()");
        while !self.order("on-replica SELECT pg_get_wal_replay_pause_state()").contains(" paused") {}
    }

    pub fn resume_replay(&mut self) {
        self.order("on-replica SELECT pg_wal_replay_resume()");
    }

    /// Has the server do as its superuser says.
    pub fn execute(&mut self, sql: &str) {
        self.order(&format!("on-primary {sql}"));
    }

    fn order(&mut self, order: &str) -> String {
        writeln!(self.orders.as_mut().expect("open until the end"), "{order}").expect("the shell listens");
        self.answer()
    }

    fn answer(&mut self) -> String {
        let mut line = String::new();
        self.answers.read_line(&mut line).expect("the shell answers");
        assert!(!line.is_empty(), "PostgreSQL does not do what it is told");
        line.trim_end().to_owned()
    }
}

impl Drop for PrivateServer {
    fn drop(&mut self) {
        // At the end of its orders the shell stops the server and removes its directory.
        self.orders.take();
        let _ = self.shell.wait();
    }
}
