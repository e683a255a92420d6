//! More connections than there is room for: who does nothing gives way, and somebody is always answered.

use std::{
    net::IpAddr,
    thread,
    time::{Duration, Instant},
};

use crate::program::{Connection, Program, eventually};

const HALF: &[u8] = b"GET /health HTTP/1.1\r\nHost: x\r\n";
const OPEN: &str = "flagstone_connections_open";
const GAVE_WAY: &str = "flagstone_connections_closed_total{reason=\"room\"}";

fn elsewhere() -> IpAddr {
    IpAddr::from([127, 0, 0, 2])
}

#[test]
fn a_thousand_silent_connections_keep_nobody_out() {
    let program = Program::start_with_files(256, &[("FLAGSTONE_HEAD_TIMEOUT_SECONDS", "600")]);
    let silent: Vec<_> = (0..1000)
        .map(|number| {
            let mut connection = Connection::open(program.address).expect("connects");
            connection.try_send(if number % 2 == 0 { HALF } else { b"" });
            connection
        })
        .collect();
    for _ in 0..20 {
        assert_eq!(program.get("/health").expect("an answer").0, 200);
    }
    let limit = program.figure("flagstone_connections_limit");
    assert!((100..256).contains(&limit), "{limit}");
    assert!(program.figure(OPEN) <= limit);
    assert!(program.figure(GAVE_WAY) >= 1000 - limit);
    drop(silent);
}

#[test]
fn a_server_without_files_waits_for_some_and_spends_nothing_on_it() {
    // So few that the server has its files taken up before its places are.
    let program = Program::start_with_files(32, &[("FLAGSTONE_HEAD_TIMEOUT_SECONDS", "3")]);
    let silent: Vec<_> = (0..100).map(|_| Connection::open(program.address).expect("the system connects")).collect();
    let spends_little = || {
        let (spent, began) = (program.processor_time(), Instant::now());
        thread::sleep(Duration::from_secs(2));
        program.processor_time().saturating_sub(spent) < began.elapsed() / 2
    };
    // A slow machine may still be busy with the start in the first seconds; files are short for longer than these.
    assert!((0..3).any(|_| spends_little()), "it spends processor time all the while: {}", program.log());
    eventually("somebody is answered", || program.get("/health").is_some_and(|(status, _)| status == 200));
    let warnings = program.log().lines().filter(|line| line.contains("cannot accept")).count();
    assert_eq!(warnings, 1, "{}", program.log());
    drop(silent);
}

#[test]
fn whoever_is_under_way_stays_and_further_callers_are_told() {
    let program =
        Program::start(&[("FLAGSTONE_CONNECTIONS_LIMIT", "10"), ("FLAGSTONE_CONNECTIONS_PER_ADDRESS_LIMIT", "9")]);
    let mut streams: Vec<_> = (0..9)
        .map(|_| {
            let mut connection = Connection::open(program.address).expect("connects");
            connection.follow();
            connection
        })
        .collect();
    // One address has taken its share; another is answered.
    let (status, body) = program.get("/health").expect("an answer");
    assert_eq!(status, 503);
    assert!(body.contains("UnavailableError"), "{body}");
    let mut other = Connection::open_from(elsewhere(), program.address).expect("connects");
    other.send(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n");
    other.hear("GOOD");
    other.follow();
    // Now all places are taken, and nobody there does nothing.
    let late = Connection::open_from(elsewhere(), program.address).expect("connects");
    assert_eq!(late.ask("/health").expect("an answer").0, 503);
    streams.truncate(5);
    drop(other);
    eventually("there is room again", || program.get("/health").is_some_and(|(status, _)| status == 200));
    program.wait_for("flagstone_connections_refused_total{reason=\"address\"}", 1);
    program.wait_for("flagstone_connections_refused_total{reason=\"all\"}", 1);
    drop(streams);
}

/// Who of those who rest leaves is proven where the places are: here an answer is heard before its rest is noted.
#[test]
fn one_of_those_who_rest_gives_way_to_who_comes() {
    let program = Program::start(&[("FLAGSTONE_CONNECTIONS_LIMIT", "4")]);
    eventually("only the question is open", || program.figure(OPEN) == 1);
    let mut busy = Connection::open(program.address).expect("connects");
    busy.follow();
    let mut rested: Vec<_> = (0..3).map(|_| Connection::open(program.address).expect("connects")).collect();
    for connection in &mut rested {
        assert!(connection.is_answered());
    }
    assert_eq!(program.get("/health").expect("an answer").0, 200);
    let stayed = rested.iter_mut().map(Connection::is_answered).filter(|is_answered| *is_answered).count();
    assert_eq!(stayed, 2);
    program.wait_for(GAVE_WAY, 1);
    drop(busy);
}
