//! Who does not read what they asked for does not keep it in the server's memory.

use std::io::Read as _;

use crate::{
    frames::{self, Heard, PREFACE},
    program::{CLIENT_TOKEN, Connection, Program, eventually},
};

const SLOW: &str = "flagstone_connections_closed_total{reason=\"unread\"}";
/// More than a megabyte for everybody.
const LARGE: &str = "/docs/openapi.json";

fn hurried() -> Program {
    Program::start(&[("FLAGSTONE_WRITE_TIMEOUT_SECONDS", "1")])
}

#[test]
fn an_answer_that_nobody_reads_is_given_up() {
    let program = hurried();
    let mut connection = Connection::open_narrow(program.address).expect("connects");
    connection.send(format!("GET {LARGE} HTTP/1.1\r\nHost: x\r\n\r\n").repeat(20).as_bytes());
    program.wait_for(SLOW, 1);
    assert!(connection.is_closed());
}

#[test]
fn so_is_one_that_is_read_byte_by_byte() {
    let program = hurried();
    let mut connection = Connection::open_narrow(program.address).expect("connects");
    connection.send(format!("GET {LARGE} HTTP/1.1\r\nHost: x\r\n\r\n").repeat(20).as_bytes());
    eventually("the server gives up", || {
        // It may be gone already.
        let _ = (&connection.0).read(&mut [0]);
        program.figure(SLOW) >= 1
    });
}

#[test]
fn so_is_one_whose_reader_takes_nothing_by_the_protocol() {
    let program = hurried();
    let mut connection = Connection::open(program.address).expect("connects");
    connection.send(&[PREFACE, &frames::settings(Some(0)), &frames::get(1, LARGE, &[])].concat());
    // Shows that it lives.
    assert_eq!(frames::listen(&mut connection), Heard::End);
    assert_eq!(program.figure(SLOW), 1);
}

#[test]
fn who_does_not_show_signs_of_life_is_given_up() {
    let program = hurried();
    let mut connection = Connection::open(program.address).expect("connects");
    let caller = ("authorization", CLIENT_TOKEN);
    let request = frames::get(1, "/api/client/streaming", &[caller]);
    connection.send(&[PREFACE, &frames::settings(None), &request].concat());
    // Reads everything and answers nothing, not even whether it is still there.
    assert!(connection.is_closed());
}
