//! HTTP/2, as far as a caller needs it who means no good.

use std::io::Read as _;

use crate::program::Connection;

/// Beginning of every connection.
pub const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RESET: u8 = 3;
const SETTINGS: u8 = 4;
const PING: u8 = 6;
const GOODBYE: u8 = 7;
const CONTINUATION: u8 = 9;

const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;
const ACKNOWLEDGED: u8 = 1;

fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).expect("short").to_be_bytes();
    let mut bytes = vec![length[1], length[2], length[3], kind, flags];
    bytes.extend_from_slice(&stream.to_be_bytes());
    bytes.extend_from_slice(payload);
    bytes
}

/// The caller's settings: with a window, how many bytes of an answer it takes before it says that it takes more.
pub fn settings(window: Option<u32>) -> Vec<u8> {
    let payload = window.map(|window| [&[0, 4][..], &window.to_be_bytes()].concat()).unwrap_or_default();
    frame(SETTINGS, 0, 0, &payload)
}

pub fn ping() -> Vec<u8> {
    frame(PING, 0, 0, b"whatever")
}

/// A GET.
pub fn get(stream: u32, path: &str, headers: &[(&str, &str)]) -> Vec<u8> {
    frame(HEADERS, END_STREAM | END_HEADERS, stream, &fields(path, headers))
}

/// The beginning of a GET, which further fields must follow.
pub fn unfinished_get(stream: u32) -> Vec<u8> {
    frame(HEADERS, END_STREAM, stream, &fields("/health", &[]))
}

/// Further fields that are not the last.
pub fn more_fields(stream: u32) -> Vec<u8> {
    let mut payload = Vec::new();
    field(&mut payload, "x-more", &"x".repeat(100));
    frame(CONTINUATION, 0, stream, &payload)
}

pub fn reset(stream: u32) -> Vec<u8> {
    frame(RESET, 0, stream, &8_u32.to_be_bytes())
}

fn fields(path: &str, headers: &[(&str, &str)]) -> Vec<u8> {
    let mut payload = Vec::new();
    for (name, value) in [(":method", "GET"), (":scheme", "http"), (":authority", "x"), (":path", path)] {
        field(&mut payload, name, value);
    }
    for (name, value) in headers {
        field(&mut payload, name, value);
    }
    payload
}

/// A field in plain text, for no table.
fn field(payload: &mut Vec<u8>, name: &str, value: &str) {
    payload.push(0);
    for text in [name, value] {
        payload.push(u8::try_from(text.len()).ok().filter(|length| *length < 127).expect("short"));
        payload.extend_from_slice(text.as_bytes());
    }
}

/// Next thing that the server says.
#[derive(Debug, PartialEq, Eq)]
pub enum Heard {
    /// Bytes of an answer; whether they were the last.
    Data { length: usize, last: bool },
    /// It closes the connection.
    Goodbye,
    /// The connection is closed.
    End,
}

/// Listens for bytes of answers or the end; acknowledges what must be.
pub fn listen(connection: &mut Connection) -> Heard {
    loop {
        let mut head = [0; 9];
        if connection.0.read_exact(&mut head).is_err() {
            return Heard::End;
        }
        let length = u32::from_be_bytes([0, head[0], head[1], head[2]]) as usize;
        let mut payload = vec![0; length];
        if connection.0.read_exact(&mut payload).is_err() {
            return Heard::End;
        }
        match (head[3], head[4] & ACKNOWLEDGED != 0) {
            (DATA, last) => return Heard::Data { length, last },
            (GOODBYE, _) => return Heard::Goodbye,
            (SETTINGS, false) => connection.try_send(&frame(SETTINGS, ACKNOWLEDGED, 0, &[])),
            (PING, false) => connection.try_send(&frame(PING, ACKNOWLEDGED, 0, &payload)),
            _ => {}
        }
    }
}
