//! Entries of the log about requests: the id of each refusal, each request where that is wanted, and more or less of it
//! all as an administrator says.

use serde_json::{Value, json};

use crate::program::{CLIENT_TOKEN, Connection, Program, TOKEN, eventually};

/// Stands for a body that is announced and never sent.
const TOO_LARGE: &str = "too large";

fn ask(program: &Program, method: &str, path: &str, headers: &str, body: &str) -> (u16, String) {
    let mut connection = Connection::open(program.address).expect("connects");
    let length = if body == TOO_LARGE { 2 << 20 } else { body.len() };
    connection.send(
        format!(
            "{method} {path} HTTP/1.1\r\nHost: x\r\nContent-Length: {length}\r\nConnection: close\r\n{headers}\r\n"
        )
        .as_bytes(),
    );
    if body != TOO_LARGE {
        connection.send(body.as_bytes());
    }
    connection.answer().expect("an answer")
}

#[test]
fn the_id_of_each_refusal_is_found_in_the_log() {
    let program = Program::start(&[]);
    let json = format!("Authorization: {TOKEN}\r\nContent-Type: application/json\r\n");
    let program_token = format!("Authorization: {CLIENT_TOKEN}\r\n");
    let features = "/api/admin/projects/default/features";
    assert_eq!(ask(&program, "POST", features, &json, r#"{"name":"basket"}"#).0, 201);
    let mut ids = Vec::new();
    for (status, method, path, headers, body, operation) in [
        (400, "POST", features, &*json, r#"{"name":""}"#, "createFeature"),
        (401, "GET", "/api/admin/projects", "Authorization: *:*.secret-1\r\n", "", "getProjects"),
        (403, "GET", "/api/admin/projects", &program_token, "", "getProjects"),
        (404, "GET", "/api/admin/projects/default/features/nowhere", &json, "", "getFeature"),
        (404, "GET", "/invite/secret-3/nothing", "", "", "unmatched"),
        (405, "PATCH", "/api/admin/projects", &json, "", "unmatched"),
        (409, "POST", features, &json, r#"{"name":"basket"}"#, "createFeature"),
        (413, "POST", features, &json, TOO_LARGE, "createFeature"),
        (
            415,
            "POST",
            features,
            &format!("Authorization: {TOKEN}\r\nContent-Type: text/plain\r\n"),
            "x",
            "createFeature",
        ),
    ] {
        let (answered, text) = ask(&program, method, path, headers, body);
        assert_eq!(answered, status, "{method} {path}: {text}");
        let text: Value = serde_json::from_str(&text).expect("JSON");
        ids.push((text["id"].as_str().expect("an id").to_owned(), status, operation));
    }
    let log = program.stop();
    for (id, status, operation) in ids {
        let found: Vec<&str> = log.lines().filter(|line| line.contains(&id)).collect();
        let [line] = found[..] else { panic!("{} lines about {status} {id}: {log}", found.len()) };
        let is_told = line.contains("request refused") && line.contains(&format!("status={status}"));
        assert!(is_told && line.contains(operation), "{line}");
    }
    assert!(!log.contains("secret-") && !log.contains("secret:"), "{log}");
}

#[test]
fn each_request_is_told_where_that_is_wanted_and_nothing_secret_of_it() {
    let program = Program::start(&[("FLAGSTONE_ACCESS_LOG", "true"), ("FLAGSTONE_TRUSTED_PROXIES", "127.0.0.1")]);
    let administrator = format!("Authorization: {TOKEN}\r\nX-Forwarded-For: 192.0.2.7\r\nX-Request-Id: call-7\r\n");
    let (_, body) = ask(&program, "GET", "/api/admin/environments?secret=secret-1", &administrator, "");
    ask(&program, "GET", "/api/client/features", &format!("Authorization: {CLIENT_TOKEN}\r\n"), "");
    ask(&program, "HEAD", "/health", "X-Request-Id: not an id\r\n", "");
    ask(&program, "GET", "/invite/secret-2/validate", "", "");
    ask(&program, "GET", "/auth/oidc/callback?code=secret-3&state=secret-4", "", "");
    let (_, refusal) = ask(
        &program,
        "GET",
        "/api/admin/api-tokens/secret-5",
        "Authorization: *:*.secret-6\r\nX-Request-Id: call-8\r\n",
        "",
    );
    let refusal: Value = serde_json::from_str(&refusal).expect("JSON");
    let log = program.stop();
    let line = |path: &str| {
        let told = |line: &&str| line.contains("flagstone::access") && line.contains(&format!("path=\"{path}\""));
        log.lines().find(told).unwrap_or_else(|| panic!("{path} is not told: {log}"))
    };
    let has = |line: &str, words: &[&str]| {
        for word in words {
            assert!(line.contains(word), "{word}: {line}");
        }
    };
    let bytes = format!("bytes={}", body.len());
    has(
        line("/api/admin/environments"),
        &[
            "method=\"GET\"",
            "status=200",
            &bytes,
            "whole=true",
            "address=192.0.2.7",
            "request_id=\"call-7\"",
            "caller=\"token ",
            "took_ms=",
        ],
    );
    has(line("/api/client/features"), &["status=200", "address=127.0.0.1", "caller=\"token "]);
    has(line("/health"), &["method=\"HEAD\"", "bytes=0", "whole=true"]);
    assert!(!line("/health").contains("not an id") && !line("/health").contains("caller="), "{}", line("/health"));
    has(line("/invite/…/validate"), &["operation=\"validatePublicSignupToken\""]);
    line("/auth/oidc/callback");
    let id = refusal["id"].as_str().expect("an id");
    has(line("/api/admin/api-tokens/…"), &["status=401", id, "request_id=\"call-8\""]);
    let refused = log.lines().find(|line| line.contains("request refused") && line.contains(id)).expect("a line");
    has(refused, &["request_id=\"call-8\""]);
    assert!(!log.contains("secret-"), "{log}");
}

#[test]
fn an_administrator_changes_what_the_log_tells_while_the_program_runs() {
    let program = Program::start(&[]);
    let administrator = format!("Authorization: {TOKEN}\r\nContent-Type: application/json\r\n");
    let set = |level: &str| {
        let body = json!({ "level": level, "minutes": 5 }).to_string();
        let (status, text) = ask(&program, "PUT", "/api/admin/log-level", &administrator, &body);
        assert_eq!(status, 200, "{text}");
    };
    let marked = |mark: &str| {
        ask(&program, "GET", &format!("/api/admin/projects/default/features/{mark}"), &administrator, "");
        ask(&program, "GET", &format!("/console/{mark}"), "", "");
    };
    marked("before");
    set("trace");
    marked("during");
    let during = program.log();
    assert!(during.contains("request answered") && during.contains("flagstone::sql"), "{during}");
    let foreign = during
        .lines()
        .find(|line| (line.contains(" DEBUG ") || line.contains(" TRACE ")) && !line.contains("flagstone"));
    assert_eq!(foreign, None, "nobody else tells details");
    assert!(!during.contains(".serving-of-requests"), "{during}");
    set("warn,flagstone::access=info");
    marked("told");
    eventually("requests are told", || program.log().contains("/console/told"));
    assert_eq!(ask(&program, "DELETE", "/api/admin/log-level", &administrator, "").0, 204);
    // What is under way when that is said may still be told.
    eventually("the level falls back", || {
        let before = program.log().len();
        marked("after");
        let log = program.log();
        !log[before..].contains("/console/after") && log[before..].contains("request refused")
    });
    program.stop();
}
