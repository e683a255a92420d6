//! Destinations of outgoing requests, and whom they believe to be there.

use std::{
    net::IpAddr,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use flagstone::outbound::{Answer, Failure, FailureKind, Lookup, Options, Outbound, Policy, Request, Roots};
use serde_json::json;

use super::{
    server::{Reply, Server},
    world::{outbound, outbound_with},
};

const AUTHORITY: &[u8] = include_bytes!("tls/authority.pem");

async fn get(outbound: &Outbound, url: &str) -> Result<Answer, Failure> {
    outbound.send(Request::get(url, 100)).await
}

/// A client for which every name has the addresses that the function says.
fn with_names(policy: &str, of_name: impl Fn(&str) -> Vec<&'static str> + Send + Sync + 'static) -> Outbound {
    outbound_with(|options| {
        options.policy = policy.parse().expect("a policy");
        options.roots = Roots::Pem(AUTHORITY.to_vec());
        options.connect_timeout = Duration::from_mins(1);
        options.call_timeout = Duration::from_mins(1);
        options.lookup = Lookup::Own(Arc::new(move |name| {
            of_name(name).into_iter().map(|address| address.parse().expect("an address")).collect()
        }));
    })
}

fn hello() -> impl Fn(&super::server::Seen) -> Reply + Send + Sync + 'static {
    |_| Reply::json(&json!({ "hello": true }))
}

#[tokio::test]
async fn o33_names_that_lead_where_the_policy_does_not_allow_are_refused_with_the_address() {
    for (policy, addresses, refused) in [
        ("public,private", vec!["169.254.169.254"], "169.254.169.254"),
        ("public,private", vec!["::ffff:169.254.169.254"], "::ffff:169.254.169.254"),
        ("public,private", vec!["64:ff9b::a9fe:a9fe", "fe80::1"], "64:ff9b::a9fe:a9fe"),
        ("public,private", vec!["127.0.0.1"], "127.0.0.1"),
        ("public,private", vec!["::1", "0.0.0.0"], "::1"),
        ("public", vec!["10.0.0.1"], "10.0.0.1"),
        ("public,private,loopback", vec!["fd00:ec2::254"], "fd00:ec2::254"),
    ] {
        let outbound = with_names(policy, move |_| addresses.clone());
        let failure = get(&outbound, "https://id.example.com/x").await.expect_err("refused");
        let expected = Failure {
            host: "id.example.com".into(),
            kind: FailureKind::AddressRefused,
            detail: Some(refused.parse::<IpAddr>().expect("an address").to_string()),
        };
        assert_eq!(failure, expected);
        assert!(failure.to_string().starts_with("id.example.com is where this server must not connect to ("));
    }
    let failure = get(&with_names("public", |_| Vec::new()), "https://id.example.com").await.expect_err("refused");
    assert_eq!(failure.kind, FailureKind::NameNotFound);
}

#[tokio::test]
async fn o33_addresses_that_are_written_as_numbers_are_judged_too() {
    let outbound = outbound_with(|options| options.policy = "public,private".parse().expect("a policy"));
    for (host, detail) in [
        ("169.254.169.254", "169.254.169.254"),
        ("[::ffff:a9fe:a9fe]", "::ffff:169.254.169.254"),
        ("2852039166", "169.254.169.254"),
        ("0xa9fea9fe", "169.254.169.254"),
        ("127.1", "127.0.0.1"),
        ("[::1]", "::1"),
        ("0", "0.0.0.0"),
        ("localhost", "127.0.0.1"),
    ] {
        let failure = get(&outbound, &format!("https://{host}/latest")).await.expect_err("refused");
        assert_eq!(failure.kind, FailureKind::AddressRefused, "{host}");
        let found = failure.detail.expect("an address");
        assert!(found == detail || (host == "localhost" && found == "::1"), "{host} {found}");
    }
}

#[tokio::test]
async fn o33_a_name_that_moves_between_two_looks_gets_no_second_look() {
    let server = Server::over_tls(include_bytes!("tls/valid.pem"), hello());
    let looks = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&looks);
    // The policy permits the first address only, and the server is at the second.
    let outbound = with_names("192.0.2.7", move |_| {
        if counted.fetch_add(1, Ordering::SeqCst) == 0 { vec!["127.0.0.1"] } else { vec!["192.0.2.7"] }
    });
    let url = format!("https://id.example.com:{}/", server.address().port());
    assert_eq!(get(&outbound, &url).await.expect_err("refused").kind, FailureKind::AddressRefused);
    assert_eq!((looks.load(Ordering::SeqCst), server.seen("/").len()), (1, 0));
    // Of several addresses, the refused ones are left out.
    let both = with_names("loopback", |_| vec!["169.254.169.254", "127.0.0.1", "10.0.0.1"]);
    assert_eq!(get(&both, &url).await.expect("an answer").status, 200);
}

#[tokio::test]
async fn plain_http_is_for_this_very_machine_whatever_its_name_is_made_to_mean() {
    let server = Server::new(hello());
    let port = server.address().port();
    assert_eq!(get(&outbound(), &server.url("/x#y")).await.expect("an answer").body, br#"{"hello":true}"#);
    for (url, kind) in [
        ("http://id.example.com/".to_owned(), FailureKind::PlainHttp),
        ("http://10.0.0.1/".to_owned(), FailureKind::PlainHttp),
        (format!("http://user@127.0.0.1:{port}/"), FailureKind::BadAddress),
        (format!("ftp://127.0.0.1:{port}/"), FailureKind::BadAddress),
        ("/x".to_owned(), FailureKind::BadAddress),
        (String::new(), FailureKind::BadAddress),
    ] {
        assert_eq!(get(&outbound(), &url).await.expect_err("refused").kind, kind, "{url}");
    }
    let moved = with_names("public,private,loopback", |_| vec!["10.0.0.1"]);
    let failure = get(&moved, "http://id.localhost/").await.expect_err("refused");
    assert_eq!((failure.kind, failure.detail.as_deref()), (FailureKind::AddressRefused, Some("10.0.0.1")));
    let here = with_names("loopback", |_| vec!["127.0.0.1"]);
    assert_eq!(get(&here, &format!("http://id.localhost:{port}/")).await.expect("an answer").status, 200);
    let hostile = Request::get(&server.url("/"), 10).header("x-a", "a\r\nx-b: b".into());
    assert_eq!(outbound().send(hostile).await.expect_err("refused").kind, FailureKind::BadAddress);
}

#[tokio::test]
async fn certificates_are_believed_by_the_authorities_that_are_trusted_and_for_the_name_that_was_asked() {
    for (certificate, trusted, expected) in [
        (include_bytes!("tls/valid.pem").as_slice(), true, None),
        (include_bytes!("tls/valid.pem"), false, Some(FailureKind::CertificateUntrusted)),
        (include_bytes!("tls/expired.pem"), true, Some(FailureKind::CertificateExpired)),
        (include_bytes!("tls/other-name.pem"), true, Some(FailureKind::CertificateName)),
    ] {
        let server = Server::over_tls(certificate, hello());
        let outbound = outbound_with(|options| {
            options.policy = "loopback".parse().expect("a policy");
            options.lookup = Lookup::Own(Arc::new(|_| vec![[127, 0, 0, 1].into()]));
            if trusted {
                options.roots = Roots::Pem(AUTHORITY.to_vec());
            }
        });
        let url = format!("https://id.example.com:{}/", server.address().port());
        let failure = get(&outbound, &url).await.err();
        assert_eq!(failure.map(|failure| failure.kind), expected);
    }
    // No TLS at all.
    let server = Server::new(hello());
    let failure = get(&outbound(), &format!("https://{}/", server.address())).await.expect_err("refused");
    assert_eq!(failure.kind, FailureKind::Tls);
}

#[tokio::test]
async fn requests_go_through_the_proxy_except_for_what_is_near() {
    // A proxy that lets nobody through tells what it is asked for.
    let proxy = Server::new(|_| Reply::Bytes(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n".to_vec()));
    let near = Server::new(hello());
    let outbound = outbound_with(|options| {
        options.proxy = Some(proxy.url(""));
        options.no_proxy = Some("near.example, 10.9.0.0/16".into());
        // The proxy itself is wherever it is: it is named by whoever runs the server.
        options.policy = "192.0.2.0/24,loopback".parse().expect("a policy");
        options.lookup = Lookup::Own(Arc::new(|_| vec![[10, 0, 0, 1].into()]));
    });
    for (url, kind, asked) in [
        ("https://id.example.com/x", FailureKind::ProxyFailed, Some("id.example.com:443")),
        ("https://192.0.2.7:8443/x", FailureKind::ProxyFailed, Some("192.0.2.7:8443")),
        ("https://169.254.169.254/x", FailureKind::AddressRefused, None),
        ("https://10.0.0.1/x", FailureKind::AddressRefused, None),
        ("https://10.9.0.1/x", FailureKind::AddressRefused, None),
        ("https://id.near.example/x", FailureKind::AddressRefused, None),
    ] {
        let failure = get(&outbound, url).await.expect_err("refused");
        assert_eq!(failure.kind, kind, "{url}");
        let asked_for = asked.map_or(0, |target| proxy.seen(target).len());
        assert_eq!(asked_for, usize::from(asked.is_some()), "{url}");
    }
    assert!(proxy.seen("169.254.169.254:443").is_empty());
    assert_eq!(get(&outbound, &near.url("/x")).await.expect("an answer").status, 200);
}

#[test]
fn a_proxy_or_a_file_of_certificates_that_is_none_is_told_without_its_password() {
    let made = |change: &dyn Fn(&mut Options)| {
        let mut options = Options::new(Policy::for_base("http://localhost"));
        change(&mut options);
        Outbound::new(options).map(drop)
    };
    for proxy in ["http://proxy.internal:3128", "https://user:hunter2@proxy.internal", "http://[::1]:3128/"] {
        assert_eq!(made(&|options| options.proxy = Some(proxy.into())), Ok(()), "{proxy}");
    }
    for proxy in ["", "proxy.internal:3128", "socks5://user:hunter2@proxy.internal", "http://", "hunter2"] {
        let said = made(&|options| options.proxy = Some(proxy.into())).expect_err(proxy);
        assert!(said.contains("http://proxy.internal:3128") && !said.contains("hunter2"), "{said}");
    }
    let damaged = String::from_utf8_lossy(AUTHORITY).replacen("MII", "AAA", 1).into_bytes();
    for file in [b"".to_vec(), b"hello".to_vec(), include_bytes!("tls/key.pem").to_vec(), damaged] {
        let said = made(&|options| options.roots = Roots::Pem(file.clone())).expect_err("no certificates");
        assert!(said.starts_with("the file of trusted certificates holds"), "{said}");
    }
    let twice = [AUTHORITY, AUTHORITY].concat();
    assert_eq!(made(&|options| options.roots = Roots::Pem(twice.clone())), Ok(()));
}

#[tokio::test]
async fn eight_requests_are_under_way_at_a_time_and_the_next_waits_only_so_long() {
    let is_open = Arc::new(AtomicBool::new(false));
    let gate = Arc::clone(&is_open);
    let server = Server::new(move |_| {
        while !gate.load(Ordering::SeqCst) {
            std::thread::sleep(Duration::from_millis(1));
        }
        Reply::json(&json!({}))
    });
    let outbound = outbound_with(|options| options.call_timeout = Duration::from_mins(10));
    let slow: Vec<_> = (0..8)
        .map(|_| {
            let (outbound, url) = (outbound.clone(), server.url("/"));
            tokio::spawn(async move { get(&outbound, &url).await })
        })
        .collect();
    while server.seen("/").len() < 8 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    tokio::time::pause();
    let url = server.url("/");
    let (ninth, ()) = tokio::join!(get(&outbound, &url), tokio::time::advance(Duration::from_secs(601)));
    assert_eq!(ninth.expect_err("refused").kind, FailureKind::Busy);
    tokio::time::resume();
    // Whoever goes away leaves the thread behind, and its place with it.
    slow[0].abort();
    let (tenth, ()) = tokio::join!(get(&outbound, &url), async { is_open.store(true, Ordering::SeqCst) });
    assert_eq!(tenth.expect("an answer").status, 200);
    for answer in slow.into_iter().skip(1) {
        assert_eq!(answer.await.expect("no panic").expect("an answer").status, 200);
    }
}
