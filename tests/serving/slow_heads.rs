//! Who does not say what they want, or takes for ever to say it, is not waited for.

use std::{iter, thread};

use crate::{
    frames::{self, Heard, PREFACE},
    program::{CLIENT_TOKEN, Connection, Program, STEP, TOKEN, eventually},
};

const HEAD: &[u8] = b"GET /health HTTP/1.1\r\nHost: x\r\nX-Slow: ";
const OPEN: &str = "flagstone_connections_open";
const LATE: &str = "flagstone_connections_closed_total{reason=\"head\"}";
const IDLE: &str = "flagstone_connections_closed_total{reason=\"idle\"}";

fn hurried() -> Program {
    Program::start(&[("FLAGSTONE_HEAD_TIMEOUT_SECONDS", "1")])
}

#[test]
fn a_half_head_is_not_waited_for() {
    let program = hurried();
    for said in [&b""[..], b"GET /hea", HEAD, &PREFACE[..10], b"\r\n"] {
        let mut connection = Connection::open(program.address).expect("connects");
        connection.send(said);
        assert!(connection.is_closed(), "{:?} is waited for", String::from_utf8_lossy(said));
    }
    assert_eq!(program.figure(LATE), 5);
    eventually("the one that asks is open", || program.figure(OPEN) == 1);
}

#[test]
fn letters_one_by_one_do_not_prolong_the_wait() {
    let program = hurried();
    let mut connection = Connection::open(program.address).expect("connects");
    assert!(connection.is_closed_while_sending(iter::once(HEAD).chain(iter::repeat(&b"x"[..]))));
    // Neither do they on a connection that has been of use before.
    let mut connection = Connection::open(program.address).expect("connects");
    connection.send(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n");
    connection.hear("GOOD");
    assert!(connection.is_closed_while_sending(iter::once(HEAD).chain(iter::repeat(&b"x"[..]))));
    assert_eq!(program.figure(LATE), 2);
}

#[test]
fn a_preface_is_no_request() {
    let program = hurried();
    let greeting = [PREFACE, &frames::settings(None)].concat();
    for said in [PREFACE.to_vec(), greeting.clone()] {
        let mut connection = Connection::open(program.address).expect("connects");
        connection.send(&said);
        assert!(connection.is_closed(), "{} bytes are waited for", said.len());
    }
    let ping = frames::ping();
    let mut connection = Connection::open(program.address).expect("connects");
    connection.send(&greeting);
    assert!(connection.is_closed_while_sending(iter::repeat(&ping[..])));
}

#[test]
fn fields_without_end_are_not_taken() {
    let program = hurried();
    let more = frames::more_fields(1);
    let mut connection = Connection::open(program.address).expect("connects");
    connection.send(&[PREFACE, &frames::settings(None), &frames::unfinished_get(1)].concat());
    assert!(connection.is_closed_while_sending(iter::repeat(&more[..])));
    let mut connection = Connection::open(program.address).expect("connects");
    connection.send(b"GET /health HTTP/1.1\r\nHost: x\r\nX-Long: ");
    let (mut taken, piece) = (0, vec![b'x'; 1 << 14]);
    while std::io::Write::write_all(&mut connection.0, &piece).is_ok() {
        taken += piece.len();
        assert!(taken < 16 << 20, "a head of {taken} bytes is taken");
    }
    assert_eq!(program.get("/health").expect("an answer").0, 200);
}

#[test]
fn requests_that_are_taken_back_at_once_end_the_connection() {
    let program = Program::start(&[]);
    let mut connection = Connection::open(program.address).expect("connects");
    connection.send(&[PREFACE, &frames::settings(None)].concat());
    let flood: Vec<u8> = (0..5000_u32)
        .flat_map(|number| [frames::get(2 * number + 1, "/health", &[]), frames::reset(2 * number + 1)].concat())
        .collect();
    connection.try_send(&flood);
    eventually("the server says goodbye", || {
        let heard = frames::listen(&mut Connection(connection.0.try_clone().expect("the same connection")));
        matches!(heard, Heard::Goodbye | Heard::End)
    });
    assert_eq!(program.get("/health").expect("an answer").0, 200);
}

#[test]
fn both_protocols_are_served_and_who_rests_may_come_back() {
    let program = Program::start(&[("FLAGSTONE_HEAD_TIMEOUT_SECONDS", "1"), ("FLAGSTONE_IDLE_TIMEOUT_SECONDS", "600")]);
    let mut first = Connection::open(program.address).expect("connects");
    let mut second = Connection::open(program.address).expect("connects");
    second.send(&[PREFACE, &frames::settings(None)].concat());
    for turn in 0..3 {
        first.send(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n");
        first.hear("GOOD");
        second.send(&frames::get(2 * turn + 1, "/health", &[]));
        assert_eq!(frames::listen(&mut second), Heard::Data { length: 17, last: true });
        // Longer than a head may take.
        let mut silent = Connection::open(program.address).expect("connects");
        assert!(silent.is_closed());
    }
    assert_eq!(program.figure(LATE), 3);
}

#[test]
fn resting_connections_are_closed_in_silence_and_streams_live_on() {
    let program = Program::start(&[
        ("FLAGSTONE_HEAD_TIMEOUT_SECONDS", "1"),
        ("FLAGSTONE_IDLE_TIMEOUT_SECONDS", "1"),
        ("RUST_LOG", "info"),
    ]);
    let mut stream = Connection::open(program.address).expect("connects");
    stream.follow();
    let mut stream_2 = Connection::open(program.address).expect("connects");
    stream_2.send(&[PREFACE, &frames::settings(None)].concat());
    let caller = ("authorization", CLIENT_TOKEN);
    stream_2.send(&frames::get(1, "/api/client/streaming", &[caller]));
    assert!(matches!(frames::listen(&mut stream_2), Heard::Data { last: false, .. }));
    let before = program.log().lines().count();
    for _ in 0..3 {
        let mut connection = Connection::open(program.address).expect("connects");
        connection.send(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n");
        connection.hear("GOOD");
        assert!(connection.is_closed());
        let mut connection = Connection::open(program.address).expect("connects");
        connection.send(b"no request at all\r\n\r\n");
        assert_eq!(connection.answer().expect("an answer").0, 400);
    }
    program.wait_for(IDLE, 3);
    assert_eq!(program.log().lines().count(), before, "{}", program.log());
    let body = "{\"name\":\"news\"}";
    let mut change = Connection::open(program.address).expect("connects");
    change.send(
        format!(
            "POST /api/admin/projects/default/features HTTP/1.1\r\nHost: x\r\nAuthorization: {}\r\nContent-Type: \
             application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            TOKEN,
            body.len(),
        )
        .as_bytes(),
    );
    assert_eq!(change.answer().expect("an answer").0, 201);
    stream.hear("event: unleash-updated");
    assert!(matches!(frames::listen(&mut stream_2), Heard::Data { last: false, .. }));
}

#[test]
fn a_signal_to_stop_does_not_wait_for_who_says_nothing() {
    let program = Program::start(&[]);
    let mut stream = Connection::open(program.address).expect("connects");
    stream.follow();
    let silent: Vec<_> = [&b""[..], HEAD, PREFACE]
        .iter()
        .map(|said| {
            let mut connection = Connection::open(program.address).expect("connects");
            connection.send(said);
            connection
        })
        .collect();
    thread::sleep(STEP);
    assert!(program.stop().contains("stopping"));
    assert!(stream.is_closed());
    drop(silent);
}
