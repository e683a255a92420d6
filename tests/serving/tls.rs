//! TLS in the program: handshakes, other certificates while it runs, callers that dawdle, and who comes without.

use std::{
    fs,
    io::{Read as _, Write as _},
    net::{SocketAddr, TcpStream},
    path::PathBuf,
    process::Command,
    sync::Arc,
};

use rustls::{
    ClientConfig, ClientConnection, RootCertStore, StreamOwned,
    version::{TLS12, TLS13},
};
use rustls_pki_types::{CertificateDer, pem::PemObject as _};
use tempfile::TempDir;

use crate::{
    address::ReservedAddress,
    frames::{self, PREFACE},
    program::{CLIENT_TOKEN, Connection, Program, TOKEN, eventually},
};

const AUTHORITY: &[u8] = include_bytes!("../api/providers/tls/authority.pem");
const VALID: &[u8] = include_bytes!("../api/providers/tls/valid.pem");
const EXPIRED: &[u8] = include_bytes!("../api/providers/tls/expired.pem");
const OTHER_NAME: &[u8] = include_bytes!("../api/providers/tls/other-name.pem");
const KEY: &[u8] = include_bytes!("../api/providers/tls/key.pem");
const OTHER_KEY: &[u8] = include_bytes!("../saml/keys/p256.key");
/// For whom the certificates are.
const NAME: &str = "id.example.com";
const OTHER: &str = "other.example.com";
const UNREAD: &str = "flagstone_connections_closed_total{reason=\"unread\"}";
const HEALTH: &[u8] = b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n";

/// The files of a certificate and its key.
struct Files(TempDir);

impl Files {
    fn new(certificate: &[u8], key: &[u8]) -> Self {
        let files = Self(tempfile::tempdir().expect("a directory"));
        files.put("certificate.pem", certificate);
        files.put("key.pem", key);
        files
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn put(&self, name: &str, contents: &[u8]) {
        fs::write(self.path(name), contents).expect("a file");
    }

    fn variables<'a>(&'a self, more: &[(&'a str, &'a str)]) -> Vec<(&'a str, String)> {
        let shown = |name: &str| self.path(name).to_str().expect("a path").to_owned();
        let mut variables =
            vec![("FLAGSTONE_TLS_CERTIFICATE", shown("certificate.pem")), ("FLAGSTONE_TLS_KEY", shown("key.pem"))];
        variables.extend(more.iter().map(|(name, value)| (*name, (*value).to_owned())));
        variables
    }

    /// Starts the server with them, and waits until it is ready.
    fn start(&self, more: &[(&str, &str)]) -> Program {
        let program = self.spawn(more);
        program.wait_until(|| ask(program.address, NAME, "/ready").or(ask(program.address, OTHER, "/ready")).is_some());
        program
    }

    fn spawn(&self, more: &[(&str, &str)]) -> Program {
        let variables = self.variables(more);
        let variables: Vec<_> = variables.iter().map(|(name, value)| (*name, value.as_str())).collect();
        Program::spawn(Command::new(env!("CARGO_BIN_EXE_flagstone")), &variables)
    }
}

type Secure = StreamOwned<ClientConnection, TcpStream>;

/// A connection over TLS, once both have agreed.
fn agree(
    to: SocketAddr,
    name: &'static str,
    version: &'static rustls::SupportedProtocolVersion,
    protocols: &[&[u8]],
) -> Result<Secure, std::io::Error> {
    agree_over(Connection::open(to)?, name, version, protocols)
}

fn agree_over(
    connection: Connection,
    name: &'static str,
    version: &'static rustls::SupportedProtocolVersion,
    protocols: &[&[u8]],
) -> Result<Secure, std::io::Error> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(AUTHORITY).expect("a certificate")).expect("an authority");
    let ring = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(ring).with_protocol_versions(&[version]).expect("a version");
    let mut config = builder.with_root_certificates(roots).with_no_client_auth();
    config.alpn_protocols = protocols.iter().map(|protocol| protocol.to_vec()).collect();
    let mut client = ClientConnection::new(Arc::new(config), name.try_into().expect("a name")).expect("a client");
    let mut stream = connection.0;
    while client.is_handshaking() {
        client.complete_io(&mut stream)?;
    }
    Ok(StreamOwned::new(client, stream))
}

fn open(to: SocketAddr, name: &'static str) -> Option<Secure> {
    agree(to, name, &TLS13, &[]).ok()
}

/// Asks, and listens until these words come.
fn hear(stream: &mut Secure, question: &[u8], words: &str) -> String {
    stream.write_all(question).expect("the server takes it");
    let (mut heard, mut piece) = (Vec::new(), [0; 4096]);
    loop {
        let text = String::from_utf8_lossy(&heard).into_owned();
        if text.contains(words) {
            return text;
        }
        let length = stream.read(&mut piece).expect("the server speaks");
        assert_ne!(length, 0, "{words} was never said, but {text}");
        heard.extend_from_slice(&piece[..length]);
    }
}

/// An administrator's GET on a connection of its own: the answer, if it is a success.
fn ask(to: SocketAddr, name: &'static str, path: &str) -> Option<String> {
    let mut stream = open(to, name)?;
    let head = format!("GET {path} HTTP/1.1\r\nHost: x\r\nAuthorization: {TOKEN}\r\nConnection: close\r\n\r\n");
    stream.write_all(head.as_bytes()).ok()?;
    let mut answer = Vec::new();
    // Whether the end is announced does not matter.
    let _ = stream.read_to_end(&mut answer);
    let answer = String::from_utf8_lossy(&answer).into_owned();
    answer.starts_with("HTTP/1.1 200").then_some(answer)
}

fn figure(to: SocketAddr, name: &'static str, series: &str) -> f64 {
    let text = ask(to, name, "/internal-backstage/prometheus").expect("the figures");
    let line = text.lines().find_map(|line| line.strip_prefix(series)?.strip_prefix(' '));
    line.map_or(0.0, |figure| figure.parse().expect("a number"))
}

#[test]
fn https_is_spoken_in_both_versions_and_both_protocols() {
    let files = Files::new(VALID, KEY);
    let program = files.start(&[]);
    for version in [&TLS12, &TLS13] {
        let mut stream = agree(program.address, NAME, version, &[b"http/1.1"]).expect("agrees");
        assert_eq!(stream.conn.alpn_protocol(), Some(&b"http/1.1"[..]));
        hear(&mut stream, HEALTH, "GOOD");
        let mut stream = agree(program.address, NAME, version, &[b"h2", b"http/1.1"]).expect("agrees");
        assert_eq!(stream.conn.alpn_protocol(), Some(&b"h2"[..]));
        let question = [PREFACE, &frames::settings(None), &frames::get(1, "/health", &[])].concat();
        hear(&mut stream, &question, "GOOD");
    }
    assert!(agree(program.address, OTHER, &TLS13, &[]).is_err(), "another name");
    let body = r#"{"username":"admin","password":"Correct-horse-1"}"#;
    let sign_in = format!(
        "POST /auth/simple/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let answer = hear(&mut open(program.address, NAME).expect("agrees"), sign_in.as_bytes(), "\r\n\r\n");
    let cookie = answer.lines().find(|line| line.to_lowercase().starts_with("set-cookie:")).expect("a cookie");
    assert!(cookie.contains("__Host-unleash-session=") && cookie.contains("Secure"), "https is the public address");
    // An address of this machine is no name that browsers keep anything of.
    assert!(!answer.to_lowercase().contains("strict-transport-security"), "{answer}");
    let expiry = figure(program.address, NAME, "flagstone_tls_certificate_expiry_timestamp_seconds");
    assert!((expiry - 4_922_899_200.0).abs() < 86_400.0, "{expiry}");
    // Who does not speak TLS is not spoken to, and waited for no longer than who does.
    let mut plain = Connection::open(program.address).expect("connects");
    plain.try_send(HEALTH);
    assert!(plain.is_closed());
    let failed = figure(program.address, NAME, "flagstone_tls_handshakes_failed_total");
    assert!(failed >= 2.0, "{failed}");
    assert!(program.stop().contains("stopping"));
}

#[test]
fn another_certificate_is_shown_to_who_comes_and_a_bad_one_to_nobody() {
    let files = Files::new(VALID, KEY);
    let program = files.start(&[("FLAGSTONE_IDLE_TIMEOUT_SECONDS", "3600")]);
    let mut before = open(program.address, NAME).expect("agrees");
    hear(&mut before, HEALTH, "GOOD");
    files.put("certificate.pem", OTHER_NAME);
    eventually("the new one is shown", || open(program.address, OTHER).is_some());
    assert!(open(program.address, NAME).is_none(), "the old one is not");
    hear(&mut before, HEALTH, "GOOD");
    let refused = "flagstone_tls_reloads_total{outcome=\"refused\"}";
    let taken = "flagstone_tls_reloads_total{outcome=\"taken\"}";
    for (turn, bad) in [&b"no PEM"[..], OTHER_KEY].into_iter().enumerate() {
        files.put("key.pem", bad);
        program.signal("-HUP");
        let turns = f64::from(u32::try_from(turn).expect("few"));
        eventually("the bad one is told of", || figure(program.address, OTHER, refused) > turns);
    }
    hear(&mut before, HEALTH, "GOOD");
    assert!(open(program.address, OTHER).is_some());
    fs::remove_file(files.path("key.pem")).expect("a file");
    files.put("certificate.pem", VALID);
    files.put("key.pem", KEY);
    program.signal("-HUP");
    eventually("the good one is shown", || open(program.address, NAME).is_some());
    eventually("both are counted", || figure(program.address, NAME, taken) > 1.5);
    assert!(figure(program.address, NAME, taken) < 2.5);
    hear(&mut before, HEALTH, "GOOD");
    drop(before);
    let log = program.stop();
    assert!(log.contains("holds no key in PEM") && log.contains("does not fit the certificate"), "{log}");
    let told = log.matches("keeping the old certificate").count();
    assert!((2..=3).contains(&told), "each is told once: {log}");
    assert!(!log.contains("MIGHAgEA"), "no key: {log}");
}

#[test]
fn half_a_handshake_is_not_waited_for() {
    let files = Files::new(VALID, KEY);
    let program = files.start(&[("FLAGSTONE_HEAD_TIMEOUT_SECONDS", "5")]);
    // The beginning of a client's greeting, which says that 512 bytes follow.
    let greeting = [22, 3, 1, 2, 0, 1, 0, 1, 252, 3, 3];
    let halves = [&b""[..], &greeting[..1], &greeting].map(|said| {
        let mut connection = Connection::open(program.address).expect("connects");
        connection.send(said);
        (said, connection)
    });
    for (said, mut connection) in halves {
        assert!(connection.is_closed(), "{said:?} is waited for");
    }
    let mut connection = Connection::open(program.address).expect("connects");
    connection.send(&greeting);
    assert!(connection.is_closed_while_sending(std::iter::repeat(&b"x"[..])));
    // Who agrees and then says nothing has no longer.
    let mut stream = open(program.address, NAME).expect("agrees");
    let closed = stream.read(&mut [0; 16]);
    assert!(matches!(closed, Ok(0) | Err(_)), "{closed:?}");
    let late = figure(program.address, NAME, "flagstone_connections_closed_total{reason=\"head\"}");
    assert!(late >= 5.0, "{late}");
    eventually("who asks is the only one", || figure(program.address, NAME, "flagstone_connections_open") < 1.5);
}

#[test]
fn an_answer_that_nobody_reads_is_given_up_over_tls_too() {
    let files = Files::new(VALID, KEY);
    let program = files.start(&[("FLAGSTONE_WRITE_TIMEOUT_SECONDS", "1")]);
    let narrow = Connection::open_narrow(program.address).expect("connects");
    let mut stream = agree_over(narrow, NAME, &TLS13, &[]).expect("agrees");
    // More than a megabyte each.
    let question = "GET /docs/openapi.json HTTP/1.1\r\nHost: x\r\n\r\n".repeat(20);
    stream.write_all(question.as_bytes()).expect("the server takes it");
    eventually("the server gives up", || figure(program.address, NAME, UNREAD) > 0.0);
}

#[test]
fn half_handshakes_make_room_for_who_asks() {
    let files = Files::new(VALID, KEY);
    let program = files.start(&[("FLAGSTONE_CONNECTIONS_LIMIT", "4")]);
    let silent: Vec<_> = (0..4).map(|_| Connection::open(program.address).expect("connects")).collect();
    assert!(ask(program.address, NAME, "/health").is_some(), "one gives way");
    drop(silent);
}

#[test]
fn who_comes_without_tls_is_sent_to_it() {
    let reserved = ReservedAddress::new();
    let redirect = reserved.get();
    let listen = redirect.to_string();
    let variables = [("FLAGSTONE_REDIRECT_LISTEN", &*listen), ("FLAGSTONE_HEAD_TIMEOUT_SECONDS", "2")];
    let files = Files::new(VALID, KEY);
    let program = files.start(&variables);
    let sent = |method: &str, path: &str, host: &str| {
        let mut connection = Connection::open(redirect).expect("connects");
        connection.send(format!("{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").as_bytes());
        let mut text = String::new();
        connection.0.read_to_string(&mut text).expect("an answer");
        let location = text.lines().find_map(|line| line.strip_prefix("location: ").map(str::to_owned));
        (text.split(' ').nth(1).expect("a status").to_owned(), location)
    };
    let port = program.address.port();
    let to = |path: &str| ("308".to_owned(), Some(format!("https://flags.example.com:{port}{path}")));
    assert_eq!(sent("GET", "/console/?a=b%20c", "flags.example.com:80"), to("/console/?a=b%20c"));
    assert_eq!(sent("POST", "/api/admin/projects", "flags.example.com"), to("/api/admin/projects"));
    assert_eq!(sent("GET", "//evil.example/", "flags.example.com"), to("//evil.example/"));
    assert_eq!(sent("GET", "/", "x@evil.example"), ("400".to_owned(), None));
    let mut slow = Connection::open(redirect).expect("connects");
    slow.send(b"GET / HTTP/1.1\r\nHost: ");
    assert!(slow.is_closed(), "half a head is waited for");
    drop(program);
    let program = files.start(&[&variables[..], &[("FLAGSTONE_BASE_URL", "https://id.example.com/flags/")]].concat());
    let to = |path: &str| ("308".to_owned(), Some(format!("https://id.example.com{path}")));
    assert_eq!(sent("GET", "/flags/console/", "evil.example"), to("/flags/console/"));
    let answer = hear(&mut open(program.address, NAME).expect("agrees"), HEALTH, "\r\n\r\n").to_lowercase();
    assert!(answer.contains("strict-transport-security: max-age=15552000"), "{answer}");
}

#[test]
fn files_that_do_not_serve_are_named_at_the_start() {
    for (certificate, key, expected) in [
        (VALID, OTHER_KEY, "does not fit the certificate"),
        (KEY, KEY, "certificate.pem holds no certificate in PEM"),
        (VALID, VALID, "key.pem holds no key in PEM"),
        (b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", KEY, "certificate.pem cannot be read"),
        (
            VALID,
            b"-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
            "key.pem is of a kind that is not known",
        ),
        (VALID, b"-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n", "a passphrase"),
    ] {
        let log = Files::new(certificate, key).spawn(&[]).wait_for_end();
        assert!(log.contains(expected) && !log.contains("MIGHAgEA"), "{expected}: {log}");
    }
    let files = Files::new(VALID, KEY);
    let certificate = files.path("certificate.pem").to_str().expect("a path").to_owned();
    let reserved = ReservedAddress::new();
    let free = reserved.get().to_string();
    for (variables, expected) in [
        (&[("FLAGSTONE_TLS_CERTIFICATE", &*certificate)][..], "needs its key: FLAGSTONE_TLS_KEY"),
        (&[("FLAGSTONE_TLS_KEY", &certificate)], "needs its certificate: FLAGSTONE_TLS_CERTIFICATE"),
        (&[("FLAGSTONE_REDIRECT_LISTEN", &free)], "FLAGSTONE_REDIRECT_LISTEN leads to https"),
        (&[("FLAGSTONE_TLS_CERTIFICATE", "/nowhere"), ("FLAGSTONE_TLS_KEY", "/nowhere")], "/nowhere: No such file"),
    ] {
        let log = Program::spawn(Command::new(env!("CARGO_BIN_EXE_flagstone")), variables).wait_for_end();
        assert!(log.contains(expected), "{expected}: {log}");
    }
}

#[test]
fn an_expired_certificate_is_told_of_and_serves_who_does_not_look() {
    let files = Files::new(EXPIRED, KEY);
    let program = files.spawn(&[]);
    let url = format!("https://{}", program.address);
    let check = |more: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_flagstone"));
        let output = command.args(["check", "health", "--url", &url]).args(more).env_clear().output().expect("runs");
        (output.status.success(), String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
    };
    program.wait_until(|| check(&["--skip-ssl-verification"]).0);
    let authority = Files::new(AUTHORITY, KEY);
    let file = authority.path("certificate.pem");
    let (holds, said) = check(&["--ca-file", file.to_str().expect("a path")]);
    assert!(!holds && said.contains("certificate"), "{said}");
    assert!(program.stop().contains("expired on 2021-01-01"));
}

#[test]
fn an_edge_speaks_tls_as_the_edge_of_the_field_is_told_to() {
    let files = Files::new(VALID, KEY);
    files.put("features.json", br#"{"version":2,"features":[]}"#);
    let shown = |name: &str| files.path(name).to_str().expect("a path").to_owned();
    let (features, certificate, key) = (shown("features.json"), shown("certificate.pem"), shown("key.pem"));
    let reserved = ReservedAddress::new();
    let secure = reserved.get();
    let port = secure.port().to_string();
    let edge = |variables: &[(&str, &str)]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_flagstone"));
        command.arg("edge");
        let offline = [("BOOTSTRAP_FILE", &*features), ("CLIENT_TOKENS", CLIENT_TOKEN)];
        Program::spawn(command, &[&offline[..], variables].concat())
    };
    let field = [
        ("TLS_ENABLE", "true"),
        ("TLS_SERVER_CERT", &*certificate),
        ("TLS_SERVER_KEY", &*key),
        ("TLS_SERVER_PORT", &*port),
    ];
    let program = edge(&field);
    program.wait_until(|| program.get("/ready").is_some_and(|(status, _)| status == 200));
    assert!(ask(secure, NAME, "/ready").is_some(), "beside plain http");
    drop(program);
    let program = edge(&[("FLAGSTONE_TLS_CERTIFICATE", &certificate), ("FLAGSTONE_TLS_KEY", &key)]);
    program.wait_until(|| ask(program.address, NAME, "/ready").is_some());
    assert!(program.get("/ready").is_none(), "in its place");
}
