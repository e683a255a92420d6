//! Requests that mean harm: what each takes of the server, and how it is answered.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    task::{JoinHandle, LocalSet},
    time::timeout,
};

use crate::{Outcome, http::request, server::Server};

/// Duration of an attack that is not answered.
const LASTS: Duration = Duration::from_secs(20);
/// Bytes of a body just below the bound of imports.
const LARGE: usize = 60 << 20;
/// Silence after the last byte of an answer by which its end is known.
const PAUSE: Duration = Duration::from_millis(500);
const MIB: usize = 1 << 20;
/// Bytes that are sent at once.
const PIECE: usize = 1 << 16;
const VALIDATE: &str = "/api/admin/features-batch/validate";
const IMPORT: &str = "/api/admin/features-batch/import";
const PLAYGROUND: &str = "/api/admin/playground/advanced";
/// User name and password of a user who may only look.
const VIEWER: (&str, &str) = ("attacks-viewer", "Load-Viewer-1");

/// Runs them all, and prints a table.
#[expect(clippy::print_stdout, reason = "results are what this program is for")]
pub(crate) async fn attacks(server: &Server) -> Outcome {
    let viewer = viewer(server).await?;
    let admin = Server::admin();
    println!("{:<58} {:>8} {:>12} {:>9}  answers", "attack", "seconds", "above rest", "neighbour");
    let json = "Content-Type: application/json\r\n";
    let unfinished = |path: &str, headers: &str, length: usize| {
        let mut bytes = head(path, headers, length);
        bytes.resize(bytes.len() + length - 1, b' ');
        bytes
    };
    let sign_in = unfinished("/auth/simple/login", json, MIB);
    run(server, "500 unfinished sign-ins of 1 MiB", &vec![sign_in; 500], Reader::Quick).await?;
    for (what, path) in [("validations", VALIDATE), ("imports", IMPORT)] {
        let bytes = unfinished(path, &format!("{json}{viewer}"), LARGE);
        run(server, &format!("20 unfinished {what} of 60 MiB by a Viewer"), &vec![bytes; 20], Reader::Quick).await?;
    }
    for (what, body) in dense() {
        let mut bytes = head(VALIDATE, &format!("{json}{admin}"), body.len());
        bytes.extend_from_slice(&body);
        run(server, &format!("60 MiB of {what}"), &[bytes], Reader::Quick).await?;
    }
    let legitimate = import(10_000);
    let bytes = request("POST", VALIDATE, &admin, Some(&legitimate));
    run(server, "no attack: 10,000 features with 3 strategies each", &[bytes], Reader::Quick).await?;
    let project = json!(["team-000"]);
    for (contexts, long, times, reader) in [
        (1, 90, 1, Reader::Quick),
        (100, 90, 1, Reader::Quick),
        (100, 90, 20, Reader::Quick),
        (100, 0, 10, Reader::Quick),
        (100, 0, 10, Reader::Slow),
    ] {
        let bytes = request("POST", PLAYGROUND, &viewer, Some(&question(&project, contexts, long)));
        let shape = if long > 0 { "871 KiB" } else { "little" };
        let who = if reader == Reader::Slow { ", not read" } else { "" };
        let what = format!("{times} playgrounds, {contexts} contexts of {shape}{who}");
        run(server, &what, &vec![bytes; times], reader).await?;
    }
    Ok(())
}

/// Signs in somebody who may only look, after making them.
async fn viewer(server: &Server) -> Outcome<String> {
    let mut connection = server.connect().await?;
    let (name, password) = VIEWER;
    let user = json!({ "username": name, "rootRole": 3, "password": password, "sendEmail": false });
    connection.json(&request("POST", "/api/admin/user-admin", &Server::admin(), Some(&user))).await?;
    let body = json!({ "username": name, "password": password });
    let answer = connection.send(&request("POST", "/auth/simple/login", "", Some(&body))).await?;
    Ok(format!("Cookie: {}\r\n", answer.cookie.ok_or("signing in set no cookie")?))
}

fn head(path: &str, headers: &str, length: usize) -> Vec<u8> {
    format!("POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{headers}Content-Length: {length}\r\n\r\n").into_bytes()
}

/// Bodies of 60 MiB that are many times as much when they are kept as they are.
fn dense() -> Vec<(&'static str, Vec<u8>)> {
    let list = |item: &str| {
        let count = LARGE / (item.len() + 1);
        format!("[{}{item}]", format!("{item},").repeat(count)).into_bytes()
    };
    let data = |features: &[u8]| {
        let start = br#"{"project":"team-000","environment":"development","data":{"features":"#;
        [start.as_slice(), features, br#","featureStrategies":[],"tagTypes":[]}}"#].concat()
    };
    let deep = "[".repeat(100) + &"]".repeat(100);
    vec![
        ("0,", list("0")),
        ("[],", list("[]")),
        ("{},", list("{}")),
        ("short texts", list("\"\"")),
        ("deep lists", list(&deep)),
        ("members of one name", format!("{{{}\"a\":0}}", "\"a\":0,".repeat(LARGE / 6)).into_bytes()),
        ("one text", format!("{{\"project\":\"{}\"}}", "x".repeat(LARGE)).into_bytes()),
        ("0, in a data set", data(&list("0"))),
        ("[], in one feature", data(&[br#"[{"name":"f","x":"#.as_slice(), &list("[]"), b"}]"].concat())),
        ("smallest features", data(&list(r#"{"name":"f"}"#))),
    ]
}

/// A data set as people have them.
fn import(features: usize) -> Value {
    let name = |number: usize| format!("attack-{number:05}");
    let description = "what somebody wrote about it, at the length that people write ".repeat(3);
    let feature = |number| json!({ "name": name(number), "description": description, "type": "release" });
    let strategy = |number: usize| {
        json!({
            "name": "flexibleRollout", "featureName": name(number / 3), "title": "a title", "disabled": false,
            "parameters": { "rollout": "50", "stickiness": "default", "groupId": name(number / 3) },
            "constraints": [{
                "contextName": "userId", "operator": "IN", "values": ["1", "2", "3"], "inverted": false,
                "caseInsensitive": false,
            }],
            "variants": [], "segments": [],
        })
    };
    let data = json!({
        "features": (0..features).map(feature).collect::<Vec<_>>(),
        "featureStrategies": (0..features * 3).map(strategy).collect::<Vec<_>>(),
        "tagTypes": [],
    });
    json!({ "project": "team-000", "environment": "development", "data": data })
}

/// A question to the playground, with so many contexts of so many long values.
fn question(projects: &Value, contexts: usize, long: usize) -> Value {
    let values = (0..contexts).map(|number| number.to_string()).collect::<Vec<_>>().join(",");
    let long: serde_json::Map<String, Value> =
        (0..long).map(|number| (format!("field-{number}"), json!("x".repeat(9900)))).collect();
    json!({
        "environments": ["production"], "projects": projects,
        "context": { "appName": "web", "userId": values, "properties": long },
    })
}

/// Manner of reading answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reader {
    /// As they come.
    Quick,
    /// Their first bytes, and then no more.
    Slow,
}

/// Sends all requests at once, each on a connection of its own, and meanwhile asks for something ordinary.
#[expect(clippy::print_stdout, reason = "results are what this program is for")]
async fn run(server: &Server, what: &str, requests: &[Vec<u8>], reader: Reader) -> Outcome {
    tokio::time::sleep(Duration::from_secs(2)).await;
    server.forget_peak();
    let (rest, began) = (server.memory().now, Instant::now());
    let everybody = LocalSet::new();
    let mut attackers = Vec::new();
    for bytes in requests {
        let (port, bytes) = (server.port(), bytes.clone());
        attackers.push(everybody.spawn_local(async move { attack(port, bytes, reader).await }));
    }
    let neighbour = everybody.run_until(neighbour(server, &attackers)).await?;
    let seconds = began.elapsed().as_secs_f64();
    let mut answers = std::collections::BTreeMap::<String, usize>::new();
    for attacker in attackers {
        *answers.entry(attacker.await?).or_default() += 1;
    }
    let answers: Vec<String> = answers.into_iter().map(|(answer, count)| format!("{count} × {answer}")).collect();
    println!(
        "{what:<58} {seconds:>8.1} {:>8.0} MiB {:>6.0} ms  {}",
        server.memory().peak - rest,
        neighbour.as_secs_f64() * 1000.0,
        answers.join(", "),
    );
    Ok(())
}

/// The slowest answer to something ordinary, until all attacks are over.
async fn neighbour(server: &Server, attackers: &[JoinHandle<String>]) -> Outcome<Duration> {
    let mut slowest = Duration::ZERO;
    let mut connection = server.connect().await?;
    while !attackers.iter().all(JoinHandle::is_finished) {
        let asked = Instant::now();
        connection.json(&request("GET", "/api/admin/tag-types", &Server::admin(), None)).await?;
        slowest = slowest.max(asked.elapsed());
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    Ok(slowest)
}

/// The status that the server answered, or what became of the connection.
async fn attack(port: u16, bytes: Vec<u8>, reader: Reader) -> String {
    let Ok(stream) = TcpStream::connect(("127.0.0.1", port)).await else { return "not connected".to_owned() };
    let (mut receive, mut send) = stream.into_split();
    let sending = async {
        for piece in bytes.chunks(PIECE) {
            if send.write_all(piece).await.is_err() {
                break;
            }
        }
        std::future::pending::<()>().await;
    };
    let receiving = async {
        let mut answer = vec![0; PIECE];
        let read = receive.read(&mut answer).await.unwrap_or(0);
        let status = String::from_utf8_lossy(&answer[..read]).split(' ').nth(1).unwrap_or("closed").to_owned();
        if reader == Reader::Slow {
            std::future::pending::<()>().await;
        }
        // Until a while after the last byte.
        while status == "200" && matches!(timeout(PAUSE, receive.read(&mut answer)).await, Ok(Ok(1..))) {}
        status
    };
    let answered = async {
        tokio::select! {
            () = sending => "never".to_owned(),
            status = receiving => status,
        }
    };
    timeout(LASTS, answered).await.unwrap_or_else(|_| "no answer".to_owned())
}
