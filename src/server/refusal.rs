//! Answer to callers for whom there is no room.

use std::{sync::Arc, time::Duration};

use flagstone_clock as clock;
use flagstone_telemetry::{LogDecision, tell_refusal};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    sync::Semaphore,
};

/// Target of lines in the log, by the part of the program: a crate is none to those who operate it.
const LOG: &str = "flagstone::server::refusal";

/// Callers who are answered at the same time. Beyond them a connection is closed without an answer.
const TOLD: usize = 32;
/// Name of the error.
const NAME: &str = "UnavailableError";
/// Time limit for such an answer.
const PATIENCE: Duration = Duration::from_secs(1);

/// The rejector at which callers are turned away.
#[derive(Debug)]
pub(super) struct Rejector(Arc<Semaphore>);

impl Rejector {
    pub(super) fn new() -> Self {
        Self(Arc::new(Semaphore::new(TOLD)))
    }

    /// Answers a caller that there is no room, and closes the connection.
    pub(super) fn reject(&self, mut stream: TcpStream) {
        let Ok(turn) = Arc::clone(&self.0).try_acquire_owned() else { return };
        tokio::spawn(async move {
            let told = async {
                stream.write_all(answer().as_bytes()).await?;
                stream.shutdown().await?;
                // What was asked is read over: closed before, the system would take back the answer.
                let mut asked = [0; 1024];
                while stream.read(&mut asked).await? > 0 {}
                std::io::Result::Ok(())
            };
            // A caller who is gone, or does not listen, needs no answer.
            drop(tokio::time::timeout(PATIENCE, told).await);
            drop(turn);
        });
    }
}

fn answer() -> String {
    let id = clock::new_uuid();
    match tell_refusal("no room for another connection") {
        LogDecision::Usual(left_out) => {
            let left_out = (left_out > 0).then_some(left_out);
            tracing::info!(target: LOG, error_id = %id, status = 503, name = NAME, left_out, "connection refused");
        }
        LogDecision::Fine => {
            tracing::debug!(target: LOG, error_id = %id, status = 503, name = NAME, "connection refused");
        }
    }
    let body = format!(
        r#"{{"id":"{id}","name":"{NAME}","message":"The server has no room for another connection; try again."}}"#
    );
    format!(
        "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: {}\r\n\
         Cache-Control: no-store\r\nRetry-After: 1\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
}
