//! A client that costs little beside the server: one connection, one request at a time, nothing kept of an answer that
//! nobody looks at.

use serde_json::Value;
use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader},
    net::TcpStream,
};

use crate::Outcome;

/// A connection to the server.
#[derive(Debug)]
pub(crate) struct Connection {
    stream: BufReader<TcpStream>,
    line: Vec<u8>,
    body: Vec<u8>,
}

/// Head of an answer; its body is in [`Connection::body`] until the next one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Answer {
    /// The status code.
    pub(crate) status: u16,
    /// The entity tag.
    pub(crate) etag: Option<String>,
    /// The first cookie, without its attributes.
    pub(crate) cookie: Option<String>,
}

/// The bytes of a request. `headers` are whole lines, each with its end.
pub(crate) fn request(method: &str, path: &str, headers: &str, body: Option<&Value>) -> Vec<u8> {
    let mut bytes = format!("{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{headers}").into_bytes();
    match body {
        None => bytes.extend_from_slice(b"\r\n"),
        Some(body) => {
            let body = body.to_string();
            let length = body.len();
            bytes.extend_from_slice(
                format!("Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n").as_bytes(),
            );
            bytes.extend_from_slice(body.as_bytes());
        }
    }
    bytes
}

/// The header line of a caller who has an answer with this entity tag; empty for one who has none.
pub(crate) fn if_none_match(etag: Option<&str>) -> String {
    etag.map(|etag| format!("If-None-Match: {etag}\r\n")).unwrap_or_default()
}

impl Connection {
    /// Connects to a port of this machine.
    pub(crate) async fn open(port: u16) -> Outcome<Self> {
        let stream = TcpStream::connect(("127.0.0.1", port)).await?;
        stream.set_nodelay(true)?;
        Ok(Self { stream: BufReader::with_capacity(1 << 16, stream), line: Vec::new(), body: Vec::new() })
    }

    /// The body of the last answer.
    pub(crate) fn body(&self) -> &[u8] {
        &self.body
    }

    /// Sends a request and reads all of its answer.
    pub(crate) async fn send(&mut self, request: &[u8]) -> Outcome<Answer> {
        self.stream.get_mut().write_all(request).await?;
        let mut answer = Answer::default();
        self.read_line().await?;
        let status = std::str::from_utf8(&self.line)?.split(' ').nth(1).ok_or("no status line")?;
        answer.status = status.parse()?;
        let (mut length, mut chunked) = (0, false);
        loop {
            self.read_line().await?;
            let line = std::str::from_utf8(&self.line)?.trim_end();
            let Some((name, value)) = line.split_once(':') else { break };
            let value = value.trim();
            match name.to_ascii_lowercase().as_str() {
                "content-length" => length = value.parse()?,
                "transfer-encoding" => chunked = value == "chunked",
                "etag" => answer.etag = Some(value.to_owned()),
                "set-cookie" => answer.cookie = value.split(';').next().map(str::to_owned),
                _ => {}
            }
        }
        self.body.clear();
        if chunked {
            while self.read_chunk().await? {}
        } else {
            self.body.resize(length, 0);
            self.stream.read_exact(&mut self.body).await?;
        }
        Ok(answer)
    }

    async fn read_chunk(&mut self) -> Outcome<bool> {
        self.read_line().await?;
        let length = usize::from_str_radix(std::str::from_utf8(&self.line)?.trim_end(), 16)?;
        let before = self.body.len();
        self.body.resize(before + length, 0);
        self.stream.read_exact(&mut self.body[before..]).await?;
        self.read_line().await?;
        Ok(length > 0)
    }

    async fn read_line(&mut self) -> Outcome {
        self.line.clear();
        match self.stream.read_until(b'\n', &mut self.line).await? {
            0 => Err("the server closed the connection".into()),
            _ => Ok(()),
        }
    }

    /// Sends a request that must succeed and gives its JSON; `null` for none.
    pub(crate) async fn json(&mut self, request: &[u8]) -> Outcome<Value> {
        let answer = self.send(request).await?;
        if answer.status >= 400 {
            let line = request.split(|byte| *byte == b'\r').next().unwrap_or_default();
            let (line, body) = (String::from_utf8_lossy(line), String::from_utf8_lossy(&self.body));
            return Err(format!("{line} was answered {}: {body:.500}", answer.status).into());
        }
        if self.body.is_empty() { Ok(Value::Null) } else { Ok(serde_json::from_slice(&self.body)?) }
    }
}
