//! A collector of traces, which takes them or behaves as collectors should not.

use std::{
    io::{Read as _, Write as _},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::Duration,
};

use opentelemetry_proto::tonic::{
    collector::trace::v1::ExportTraceServiceRequest,
    common::v1::any_value::Value,
    trace::v1::{Span, span::SpanKind},
};
use prost::Message as _;

/// Manner in which a collector treats what it is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Manner {
    Takes,
    /// Takes it, and says what is no answer to it.
    Babbles,
    Fails,
    /// Says nothing.
    Hangs,
    /// Ends the connection.
    HangsUp,
}

/// A request that arrived.
#[derive(Debug, Clone)]
pub struct Heard {
    pub head: String,
    pub body: Vec<u8>,
}

impl Heard {
    /// The value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (known, value) = line.split_once(':')?;
            known.eq_ignore_ascii_case(name).then_some(value.trim())
        })
    }
}

pub struct Collector {
    pub address: SocketAddr,
    heard: Arc<Mutex<Vec<Heard>>>,
}

impl Collector {
    pub fn start(manner: Manner) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let heard: Arc<Mutex<Vec<Heard>>> = Arc::default();
        let noted = Arc::clone(&heard);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let noted = Arc::clone(&noted);
                thread::spawn(move || take(stream, manner, &noted));
            }
        });
        Self { address, heard }
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The requests for a path that arrived.
    pub fn heard(&self, path: &str) -> Vec<Heard> {
        let heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        heard.iter().filter(|heard| heard.head.split(' ').nth(1) == Some(path)).cloned().collect()
    }

    /// All spans that arrived, and what they are said to be of.
    pub fn spans(&self) -> Vec<Told> {
        let mut spans = Vec::new();
        for heard in self.heard("/v1/traces") {
            let told = ExportTraceServiceRequest::decode(&*heard.body).expect("what OTLP says");
            for resource in told.resource_spans {
                spans.extend(resource.scope_spans.into_iter().flat_map(|scope| scope.spans).map(Told));
            }
        }
        spans
    }
}

/// A span that arrived.
#[derive(Debug, Clone)]
pub struct Told(pub Span);

impl Told {
    /// An attribute as text.
    pub fn attribute(&self, name: &str) -> Option<String> {
        let found = self.0.attributes.iter().find(|attribute| attribute.key == name)?;
        match found.value.clone()?.value? {
            Value::StringValue(text) => Some(text),
            Value::IntValue(number) => Some(number.to_string()),
            other => panic!("{other:?}"),
        }
    }

    pub fn is_request(&self) -> bool {
        self.0.kind == SpanKind::Server as i32
    }

    pub fn is_below(&self, other: &Self) -> bool {
        self.0.trace_id == other.0.trace_id && self.0.parent_span_id == other.0.span_id
    }
}

fn take(mut stream: TcpStream, manner: Manner, noted: &Mutex<Vec<Heard>>) {
    let Some(heard) = read(&mut stream) else { return };
    noted.lock().unwrap_or_else(PoisonError::into_inner).push(heard);
    let answer = |status: u16, body: &str| {
        let length = body.len();
        format!("HTTP/1.1 {status} X\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}")
    };
    let answer = match manner {
        Manner::Takes => answer(200, ""),
        Manner::Babbles => answer(200, "\u{7f}<html>this is no answer</html>"),
        Manner::Fails => answer(500, "no"),
        Manner::Hangs => {
            thread::sleep(Duration::from_mins(10));
            return;
        }
        Manner::HangsUp => return,
    };
    // Whoever asked may have had enough.
    let _ = stream.write_all(answer.as_bytes());
}

fn read(stream: &mut TcpStream) -> Option<Heard> {
    stream.set_read_timeout(Some(Duration::from_mins(2))).ok()?;
    let (mut bytes, mut piece) = (Vec::new(), [0; 4096]);
    loop {
        let length = stream.read(&mut piece).ok().filter(|length| *length > 0)?;
        bytes.extend_from_slice(&piece[..length]);
        let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") else { continue };
        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let arrived = Heard { head, body: bytes[end + 4..].to_vec() };
        let wanted = arrived.header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
        if arrived.body.len() >= wanted {
            return Some(arrived);
        }
    }
}
