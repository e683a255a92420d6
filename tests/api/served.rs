//! The server on a port of this machine, for what depends on where a request comes from.

use std::net::SocketAddr;

use poem::{
    Server,
    http::{HeaderMap, HeaderName, HeaderValue},
    listener::{Acceptor as _, Listener as _, TcpListener},
};
use serde_json::Value;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    task::JoinHandle,
};

use crate::harness::{Answer, TestApp};

/// Ends with the test.
pub struct Served {
    address: SocketAddr,
    serving: JoinHandle<std::io::Result<()>>,
}

impl Drop for Served {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl Served {
    pub async fn new(app: &TestApp) -> Self {
        let acceptor = TcpListener::bind("127.0.0.1:0").into_acceptor().await.expect("a port");
        let local = acceptor.local_addr();
        let address = *local[0].as_socket_addr().expect("an address");
        let serving = tokio::spawn(Server::new_with_acceptor(acceptor).run(flagstone::app(app.state.clone())));
        Self { address, serving }
    }

    /// A request on a connection of its own. Headers go out as they are, also those that may stand there once.
    pub async fn post(&self, path: &str, headers: &[(&str, &str)], body: &Value) -> Answer {
        self.ask("POST", path, headers, &body.to_string()).await
    }

    /// Sends a GET request without a body.
    pub async fn get(&self, path: &str, headers: &[(&str, &str)]) -> Answer {
        self.ask("GET", path, headers, "").await
    }

    async fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let mut request = format!(
            "{method} {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\ncontent-type: application/json\r\n\
             content-length: {}\r\n",
            self.address,
            body.len()
        );
        for (name, value) in headers {
            request.extend([name, ": ", value, "\r\n"]);
        }
        request.extend(["\r\n", body]);
        let mut connection = TcpStream::connect(self.address).await.expect("a connection");
        connection.write_all(request.as_bytes()).await.expect("sent");
        let mut received = Vec::new();
        connection.read_to_end(&mut received).await.expect("an answer");
        read(&String::from_utf8(received).expect("UTF-8"))
    }
}

fn read(received: &str) -> Answer {
    let (head, text) = received.split_once("\r\n\r\n").expect("a head");
    let mut lines = head.lines();
    let status = lines.next().and_then(|line| line.split(' ').nth(1)).expect("a status");
    let headers: HeaderMap = lines
        .map(|line| {
            let (name, value) = line.split_once(": ").expect("a header");
            let name: HeaderName = name.parse().expect("a name");
            (name, HeaderValue::from_str(value).expect("a value"))
        })
        .collect();
    let body = serde_json::from_str(text).unwrap_or_default();
    Answer { status: status.parse().expect("a number"), headers, body, text: text.to_owned() }
}
