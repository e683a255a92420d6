//! A server that sends what it is told, byte for byte: also what no library would send.

use std::{
    collections::HashMap,
    io::{BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpListener},
    sync::{Arc, Mutex},
    thread,
};

use rustls::{
    ServerConfig, ServerConnection, StreamOwned,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject as _},
};
use serde_json::Value;

/// A request, as it arrived.
#[derive(Clone)]
pub struct Seen {
    pub method: String,
    /// The path without its query.
    pub path: String,
    pub query: String,
    pub headers: HashMap<String, String>,
    pub body: String,
}

/// Reply to a request.
pub enum Reply {
    /// These bytes, and then the connection ends.
    Bytes(Vec<u8>),
    /// These bytes, and then those again and again until the other side has enough.
    Endless(Vec<u8>, Vec<u8>),
    /// These bytes, and then nothing until the other side goes.
    Stalled(Vec<u8>),
}

/// Listens at a port of its own until the tests end.
pub struct Server {
    address: SocketAddr,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl Reply {
    pub fn json(body: &Value) -> Self {
        Self::with_headers(200, "", body.to_string().as_bytes())
    }

    pub fn status(status: u16, body: &Value) -> Self {
        Self::with_headers(status, "", body.to_string().as_bytes())
    }

    /// An answer with more headers, each of which ends its line.
    pub fn with_headers(status: u16, headers: &str, body: &[u8]) -> Self {
        let head = format!(
            "HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n{headers}\r\n",
            body.len()
        );
        Self::Bytes([head.as_bytes(), body].concat())
    }

    pub fn redirect(to: &str) -> Self {
        Self::with_headers(302, &format!("Location: {to}\r\n"), b"")
    }
}

impl Server {
    pub fn new(answer: impl Fn(&Seen) -> Reply + Send + Sync + 'static) -> Self {
        Self::start(None, answer)
    }

    /// Over TLS, as the name in the certificate.
    pub fn over_tls(certificate: &[u8], answer: impl Fn(&Seen) -> Reply + Send + Sync + 'static) -> Self {
        let certificate = CertificateDer::from_pem_slice(certificate).expect("a certificate");
        let key = PrivateKeyDer::from_pem_slice(include_bytes!("tls/key.pem")).expect("a key");
        let ring = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(ring)
            .with_safe_default_protocol_versions()
            .expect("versions")
            .with_no_client_auth()
            .with_single_cert(vec![certificate], key)
            .expect("a pair");
        Self::start(Some(Arc::new(config)), answer)
    }

    fn start(tls: Option<Arc<ServerConfig>>, answer: impl Fn(&Seen) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let (seen, answer) = (Arc::new(Mutex::new(Vec::new())), Arc::new(answer));
        let log = Arc::clone(&seen);
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (answer, log, tls) = (Arc::clone(&answer), Arc::clone(&log), tls.clone());
                // Whatever goes wrong with a connection is what the test wants to go wrong.
                thread::spawn(move || match tls {
                    None => serve(stream, &log, &*answer),
                    Some(tls) => {
                        serve(StreamOwned::new(ServerConnection::new(tls).expect("a session"), stream), &log, &*answer)
                    }
                });
            }
        });
        Self { address, seen }
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address of a path, by plain http.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// The requests that arrived at a path.
    pub fn seen(&self, path: &str) -> Vec<Seen> {
        let seen = self.seen.lock().expect("a lock");
        seen.iter().filter(|seen| seen.path == path).cloned().collect()
    }
}

fn serve(stream: impl Read + Write, log: &Mutex<Vec<Seen>>, answer: &dyn Fn(&Seen) -> Reply) -> Option<()> {
    let mut stream = BufReader::new(stream);
    let Some(seen) = read(&mut stream) else {
        return stream.get_mut().write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").ok();
    };
    log.lock().expect("a lock").push(seen.clone());
    let reply = answer(&seen);
    let to = stream.get_mut();
    match reply {
        Reply::Bytes(bytes) => to.write_all(&bytes).ok()?,
        Reply::Endless(head, again) => {
            to.write_all(&head).ok()?;
            while to.write_all(&again).is_ok() {}
        }
        Reply::Stalled(bytes) => {
            to.write_all(&bytes).and_then(|()| to.flush()).ok()?;
            while to.read(&mut [0; 64]).is_ok_and(|bytes| bytes > 0) {}
        }
    }
    to.flush().ok()
}

fn read(stream: &mut impl BufRead) -> Option<Seen> {
    let mut line = String::new();
    stream.read_line(&mut line).ok()?;
    let mut words = line.split(' ').map(str::to_owned);
    let (method, target) = (words.next()?, words.next()?);
    let mut headers = HashMap::new();
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        headers.insert(name.to_ascii_lowercase(), value.to_owned());
    }
    let length = headers.get("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    stream.read_exact(&mut body).ok()?;
    let (path, query) = target.split_once('?').unwrap_or((&target, ""));
    let (path, query) = (path.to_owned(), query.to_owned());
    Some(Seen { method, path, query, headers, body: String::from_utf8(body).ok()? })
}
