//! A server that answers as a test wants it to, also badly.

use std::{
    io::{Read as _, Write as _},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
    time::Duration,
};

/// A request that arrived: its head and its body.
#[derive(Debug, Clone)]
pub struct Request {
    pub head: String,
    pub body: String,
}

impl Request {
    pub fn is_for(&self, path: &str) -> bool {
        self.head.split(' ').nth(1).is_some_and(|target| target.split('?').next() == Some(path))
    }
}

/// Reply of the server to a connection.
#[derive(Clone)]
pub enum Reply {
    /// These bytes, and then the end.
    Bytes(Vec<u8>),
    /// Nothing, for long.
    Hang,
}

impl Reply {
    pub fn of(status: u16, content_type: &str, body: &str) -> Self {
        let length = body.len();
        Self::Bytes(
            format!("HTTP/1.1 {status} X\r\nContent-Type: {content_type}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}")
                .into_bytes(),
        )
    }

    pub fn json(body: &str) -> Self {
        Self::of(200, "application/json", body)
    }
}

type Answers = dyn Fn(&Request) -> Reply + Send + Sync;

/// A server of a test.
pub struct Fake {
    pub address: SocketAddr,
    heard: Arc<Mutex<Vec<Request>>>,
    answers: Arc<Mutex<Arc<Answers>>>,
}

impl Fake {
    pub fn start(answers: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let heard: Arc<Mutex<Vec<Request>>> = Arc::default();
        let answers: Arc<Mutex<Arc<Answers>>> = Arc::new(Mutex::new(Arc::new(answers)));
        let (noted, replies) = (Arc::clone(&heard), Arc::clone(&answers));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (noted, replies) = (Arc::clone(&noted), Arc::clone(&replies));
                thread::spawn(move || {
                    let Some(request) = read(&stream) else { return };
                    noted.lock().expect("a lock").push(request.clone());
                    let reply = Arc::clone(&replies.lock().expect("a lock"))(&request);
                    send(stream, reply);
                });
            }
        });
        Self { address, heard, answers }
    }

    /// From now on it answers otherwise.
    pub fn answer(&self, answers: impl Fn(&Request) -> Reply + Send + Sync + 'static) {
        *self.answers.lock().expect("a lock") = Arc::new(answers);
    }

    /// The requests for a path that have arrived.
    pub fn heard(&self, path: &str) -> Vec<Request> {
        self.heard.lock().expect("a lock").iter().filter(|request| request.is_for(path)).cloned().collect()
    }
}

fn read(mut stream: &TcpStream) -> Option<Request> {
    stream.set_read_timeout(Some(Duration::from_mins(2))).ok()?;
    let mut bytes = Vec::new();
    let mut piece = [0; 4096];
    loop {
        let length = stream.read(&mut piece).ok().filter(|length| *length > 0)?;
        bytes.extend_from_slice(&piece[..length]);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let wanted = head.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().ok())?
        });
        if body.len() >= wanted.unwrap_or(0) {
            return Some(Request { head: head.to_owned(), body: body.to_owned() });
        }
    }
}

fn send(mut stream: TcpStream, reply: Reply) {
    match reply {
        Reply::Bytes(bytes) => {
            // Whoever asked may have had enough.
            let _ = stream.write_all(&bytes);
        }
        Reply::Hang => thread::sleep(Duration::from_mins(10)),
    }
}
