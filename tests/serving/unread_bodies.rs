//! A body that comes after its request was refused does not cost the connection, unless the answer says so.

use std::thread;

use crate::program::{Connection, Program, STEP, TOKEN};

const FEATURES: &str = "/api/admin/projects/default/features";
const CLOSING: &str = "connection: close";

/// Sends the head of a request whose body has so many bytes.
fn begin(program: &Program, headers: &str, bytes: usize) -> Connection {
    let mut connection = Connection::open(program.address).expect("connects");
    let head = format!("POST {FEATURES} HTTP/1.1\r\nHost: x\r\n{headers}Content-Length: {bytes}\r\n\r\n");
    connection.send(head.as_bytes());
    connection
}

#[test]
fn a_short_body_that_comes_late_is_read_over() {
    let program = Program::start(&[]);
    let administrator = format!("Authorization: {TOKEN}\r\n");
    let long = vec![b' '; 1 << 16];
    for (headers, body, refusal) in [
        ("Content-Type: application/json\r\n", &b"{\"name\":\"x\"}"[..], "AuthenticationRequired"),
        (&format!("{administrator}Content-Type: text/plain\r\n"), b"name=x", "ContentTypeerror"),
        ("Content-Type: application/json\r\n", &long, "AuthenticationRequired"),
    ] {
        let mut connection = begin(&program, headers, body.len());
        // As clients do that send head and body one after the other.
        thread::sleep(STEP);
        connection.send(body);
        connection.hear(refusal);
        assert!(connection.is_answered(), "{refusal} ends the connection");
    }
    let mut connection = Connection::open(program.address).expect("connects");
    let head = format!("POST {FEATURES} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
    connection.send(head.as_bytes());
    thread::sleep(STEP);
    connection.send(b"2\r\n{}\r\n0\r\n\r\n");
    connection.hear("AuthenticationRequired");
    assert!(connection.is_answered());
}

#[test]
fn where_the_body_is_not_read_over_the_answer_says_that_the_connection_ends() {
    let program = Program::start(&[]);
    let json = "Content-Type: application/json\r\n";
    let administrator = format!("Authorization: {TOKEN}\r\n{json}");
    for (headers, bytes, begun) in [
        // Too long, refused before anything of it came.
        (json, (1 << 16) + 1, &b""[..]),
        (&administrator, 1 << 30, b""),
        // The sender waits until somebody wants it, which nobody does.
        (&format!("{json}Expect: 100-continue\r\n"), 2, b""),
        // It never comes whole.
        (json, 2, b"{"),
    ] {
        let mut connection = begin(&program, headers, bytes);
        connection.send(begun);
        connection.hear(CLOSING);
        assert!(connection.is_closed(), "{headers}");
    }
}

#[test]
fn a_body_that_was_read_says_nothing_of_the_connection() {
    let program = Program::start(&[]);
    let headers = format!("Authorization: {TOKEN}\r\nContent-Type: application/json\r\n");
    let body = br#"{"name":"basket"}"#;
    let mut connection = begin(&program, &headers, body.len());
    thread::sleep(STEP);
    connection.send(body);
    connection.hear("\"basket\"");
    assert!(connection.is_answered());
}
