//! Answers that are read line by line as they come, for as long as they last.

use std::{
    io::{BufRead as _, BufReader, Read as _},
    time::Duration,
};

use flagstone_spans as spans;
use tokio::{sync::mpsc, task::spawn_blocking};
use ureq::{
    Agent, Body,
    http::{Response, header},
};
use url::Url;

use super::{
    client::{Outbound, Request, head},
    failure::{Failure, FailureKind, of_client},
};

/// Lines that wait to be taken; more of them wait with the sender.
const WAITING: usize = 16;

/// An answer that may go on for long.
#[derive(Debug)]
pub struct Opened {
    /// The status.
    pub status: u16,
    /// The media type, as it was written.
    pub content_type: Option<String>,
    /// When to ask again, as it was written.
    pub retry_after: Option<String>,
    /// Lines of the answer.
    pub lines: Lines,
}

/// Lines of an answer as they arrive. Dropped, it is read no further.
#[derive(Debug)]
pub struct Lines(mpsc::Receiver<Result<String, Failure>>);

impl Lines {
    /// The next line, without its end; `None` after the last.
    pub async fn next(&mut self) -> Option<Result<String, Failure>> {
        self.0.recv().await
    }
}

impl Outbound {
    /// Sends a request whose answer is read as it comes: no longer than `lasting`, and no line of more than `longest`
    /// bytes. Each occupies a thread, so that the caller bounds how many there are.
    pub async fn open(&self, request: Request, lasting: Duration, longest: usize) -> Result<Opened, Failure> {
        let (url, agent) = self.way(&request)?;
        let host = url.host_str().unwrap_or_default().to_owned();
        let call = spans::call("GET", &host);
        let request = request.within(call.header.as_ref());
        let patience = self.call_timeout();
        let opening = spawn_blocking(move || begin(&agent, &url, request, patience, lasting).map(|said| (said, url)));
        let opened = opening.await.unwrap_or_else(|_| Err(Failure::new(&host, FailureKind::Broken)));
        let (said, url) = call.ended(opened, |(said, _)| said.status().as_u16())?;
        let text = |name: header::HeaderName| said.headers().get(name)?.to_str().ok().map(str::to_owned);
        let (content_type, retry_after) = (text(header::CONTENT_TYPE), text(header::RETRY_AFTER));
        let status = said.status().as_u16();
        let (sender, lines) = mpsc::channel(WAITING);
        std::thread::Builder::new()
            .name("lines".to_owned())
            .spawn(move || read(said, &url, longest, &sender))
            .map_err(|error| Failure::new(&host, FailureKind::Broken).with(error))?;
        Ok(Opened { status, content_type, retry_after, lines: Lines(lines) })
    }
}

fn begin(
    agent: &Agent,
    url: &Url,
    request: Request,
    patience: Duration,
    lasting: Duration,
) -> Result<Response<Body>, Failure> {
    let host = url.host_str().unwrap_or_default();
    let failed = |error: ureq::Error| of_client(host, error);
    let head = head(url, request.into_headers()).header(header::ACCEPT_ENCODING, "identity");
    let request = head.body(()).map_err(|error| failed(error.into()))?;
    let request = agent
        .configure_request(request)
        .timeout_global(None)
        .timeout_recv_response(Some(patience))
        .timeout_recv_body(Some(lasting))
        .build();
    agent.run(request).map_err(failed)
}

fn read(said: Response<Body>, url: &Url, longest: usize, sender: &mpsc::Sender<Result<String, Failure>>) {
    let host = url.host_str().unwrap_or_default();
    let mut reader = BufReader::new(said.into_body().into_with_config().limit(u64::MAX).reader());
    loop {
        let mut line = Vec::new();
        // A byte more tells that there is more.
        let outcome = match (&mut reader).take(longest as u64 + 1).read_until(b'\n', &mut line) {
            Ok(0) => return,
            Ok(length) if length > longest => Err(Failure::new(host, FailureKind::TooLarge)),
            Ok(_) => String::from_utf8(line)
                .map(|line| line.trim_end_matches(['\n', '\r']).to_owned())
                .map_err(|_| Failure::new(host, FailureKind::Broken)),
            Err(error) => Err(of_client(host, error.into())),
        };
        let is_last = outcome.is_err();
        if sender.blocking_send(outcome).is_err() || is_last {
            return;
        }
    }
}
