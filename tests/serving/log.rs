//! The log tells no secret, however much it is asked to tell.

use crate::{
    frames::{self, PREFACE},
    program::{Connection, Program},
};

/// Secrets in paths, with what the log calls the request.
const PATHS: [(&str, &str, &str); 9] = [
    ("DELETE", "/api/admin/api-tokens/*:*.secret-in-path-01", "deleteApiToken"),
    ("GET", "/api/admin/api-tokens/*:*.secret-in-path-02", "getApiTokensByName"),
    ("GET", "/api/admin/api-tokens/%2A%3A%2A.secret%2Din-path-03", "getApiTokensByName"),
    ("DELETE", "/api/admin/projects/default/api-tokens/*:*.secret-in-path-04", "deleteProjectApiToken"),
    ("POST", "/invite/secret-in-path-05/signup", "addPublicSignupTokenUser"),
    ("GET", "/invite/secret-in-path-06/validate", "validatePublicSignupToken"),
    ("GET", "/api/admin/invite-link/tokens/secret-in-path-07", "getPublicSignupToken"),
    ("GET", "/nowhere/secret-in-path-08", "unmatched"),
    ("PATCH", "/api/admin/api-tokens/secret-in-path-09", "unmatched"),
];

#[test]
fn the_log_tells_no_secret_at_any_level() {
    let program = Program::start(&[("RUST_LOG", "trace")]);
    let ask = |method: &str, path: &str, headers: &str, body: &str| {
        let mut connection = Connection::open(program.address).expect("connects");
        let length = body.len();
        connection.send(
            format!(
                "{method} {path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\
                 Connection: close\r\n{headers}\r\n{body}"
            )
            .as_bytes(),
        );
        connection.answer().expect("an answer").0
    };
    let administrator = format!("Authorization: {}\r\n", crate::program::TOKEN);
    for (method, path, _) in PATHS {
        let status = ask(method, path, &administrator, "{}");
        assert!(status < 500, "{method} {path}: {status}");
        ask(method, path, "", "{}");
    }
    ask("GET", "/auth/reset/validate?token=secret-in-query-1", "", "");
    ask("GET", "/api/admin/search/events?query=secret-in-query-2", &administrator, "");
    ask("GET", "/api/admin/projects", "Authorization: *:*.secret-in-header-1\r\n", "");
    ask("GET", "/api/admin/projects", "Authorization: Bearer user:secret-in-header-2\r\n", "");
    ask("GET", "/api/admin/projects", "Cookie: unleash-session=secret-in-header-3\r\n", "");
    ask("GET", "/api/client/features", "Authorization: secret-in-header-4 \u{e9}\r\n", "");
    ask("POST", "/auth/simple/login", "", r#"{"username":"admin","password":"secret-in-body-1"}"#);
    ask("POST", "/auth/reset/password", "", r#"{"token":"secret-in-body-2","password":"secret-in-body-3"}"#);
    ask("POST", "/auth/reset/validate-password", "", r#"{"password":"secret-in-body-4"}"#);
    ask("POST", "/auth/simple/login", "", r#"{"username":["secret-in-body-5"],"password":"secret-in-body-6""#);
    let user = r#"{"email":"a@example.com","rootRole":3,"password":"Secret-in-body-7"}"#;
    assert_eq!(ask("POST", "/api/admin/user-admin", &administrator, user), 201);
    let token = r#"{"type":"client","tokenName":"x","environment":"development","projects":["*"]}"#;
    assert_eq!(ask("POST", "/api/admin/api-tokens", &administrator, token), 201);
    let oidc = r#"{"enabled":true,"clientId":"x","secret":"secret-in-body-8","discoverUrl":"https://example.com"}"#;
    ask("POST", "/api/admin/auth/oidc/settings", &administrator, oidc);
    let mut connection = Connection::open(program.address).expect("connects");
    let headers = [("authorization", "*:*.secret-in-frame-1"), ("cookie", "a=secret-in-frame-2")];
    let request = frames::get(1, "/invite/secret-in-frame-3/validate?token=secret-in-frame-4", &headers);
    connection.send(&[PREFACE, &frames::settings(None), &request].concat());
    frames::listen(&mut connection);
    drop(connection);
    let log = program.stop();
    for (method, path, operation) in PATHS {
        let name = |line: &&str| line.contains("request answered") && line.contains(operation);
        assert!(log.lines().any(|line| name(&line)), "{method} {path} is not told as {operation}");
    }
    let told: Vec<&str> = log
        .lines()
        .filter(|line| {
            let line = line.to_lowercase();
            line.contains("secret-in-") || line.contains("secret%2din") || line.contains(".serving-of-requests")
        })
        .collect();
    assert!(told.is_empty(), "{} lines tell secrets, such as\n{}", told.len(), told[0]);
}
