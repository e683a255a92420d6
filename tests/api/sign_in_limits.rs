//! Limits on attempts at passwords: by whom, through which proxies, at whose account, and who still gets in meanwhile.

use flagstone::config::Config;
use poem::http::Method;
use serde_json::{Value, json};

use crate::{
    harness::{Answer, TestApp, role},
    password_reset::link,
    served::Served,
    users::{STRONG, cookie, sign_in, user, with_cookie},
};

const LOGIN: &str = "/auth/simple/login";
const CHANGE: &str = "/api/admin/user/change-password";
const RESET: &str = "/auth/reset/password";
const OTHER: &str = "Another-horse-2";

fn credentials(username: &str, password: &str) -> Value {
    json!({ "username": username, "password": password })
}

async fn behind_a_proxy() -> (TestApp, Served) {
    let trusted_proxies = "127.0.0.0/8, 10.0.0.0/8, fd00::/8".parse().expect("networks");
    let app = TestApp::with_config(Config { trusted_proxies, ..Config::default() }).await;
    let served = Served::new(&app).await;
    (app, served)
}

/// An attempt that the proxy says comes from this address.
async fn from(served: &Served, address: &str, username: &str, password: &str) -> Answer {
    served.post(LOGIN, &[("x-forwarded-for", address)], &credentials(username, password)).await
}

/// Tries wrong passwords until the answer is 429, and gives how many were 401 before.
async fn exhaust(served: &Served, addresses: impl Iterator<Item = String>, username: &str) -> usize {
    let mut tried = 0;
    for address in addresses {
        let answer = from(served, &address, username, "wrong").await;
        if answer.status == 429 {
            return tried;
        }
        answer.refused(401, "PasswordMismatch", "");
        tried += 1;
    }
    panic!("{tried} attempts, and no end");
}

fn many_addresses() -> impl Iterator<Item = String> {
    (0..100).map(|number| format!("192.0.2.{number}"))
}

#[tokio::test]
async fn a_stranger_at_the_sign_in_takes_nothing_from_who_is_signed_in_or_has_a_link() {
    let app = TestApp::new().await;
    user(&app, "ada", role::VIEWER).await;
    let session = cookie(&app, "ada", STRONG).await;
    let token = link(&app, user(&app, "grace", role::VIEWER).await).await;
    while sign_in(&app, "nobody", "wrong").await.status != 429 {}
    let body = json!({ "oldPassword": STRONG, "password": OTHER });
    with_cookie(&app, &session, Method::POST, CHANGE, body).await.expect(200);
    app.anonymous().post(RESET, json!({ "token": token, "password": OTHER })).await.expect(200);
}

#[tokio::test]
async fn addresses_behind_a_trusted_proxy_have_their_own_attempts() {
    let (app, served) = behind_a_proxy().await;
    user(&app, "ada", role::VIEWER).await;
    let tried = exhaust(&served, std::iter::repeat_n("192.0.2.1".to_owned(), 100), "nobody").await;
    assert_eq!(tried, 10);
    from(&served, "192.0.2.2", "ada", STRONG).await.expect(200);
    for (headers, status) in [
        (&[("forwarded", "for=192.0.2.1;proto=https")][..], 429),
        (&[("forwarded", r#"for="192.0.2.1:4711""#)], 429),
        (&[("forwarded", "for=192.0.2.3, for=10.0.0.1")], 200),
        // Whoever comes from outside writes on the left.
        (&[("x-forwarded-for", "192.0.2.9, 192.0.2.1")], 429),
        (&[("x-forwarded-for", "192.0.2.9"), ("x-forwarded-for", "192.0.2.1, 10.3.2.1")], 429),
        (&[("x-forwarded-for", "[::ffff:192.0.2.1]:80")], 429),
    ] {
        let answer = served.post(LOGIN, headers, &credentials("ada", STRONG)).await;
        assert_eq!(answer.status, status, "{headers:?}: {}", answer.text);
    }
}

#[tokio::test]
async fn what_a_stranger_claims_of_their_address_does_not_count() {
    let app = TestApp::new().await;
    let served = Served::new(&app).await;
    let mut claimed = many_addresses();
    let tried = exhaust(&served, claimed.by_ref(), "nobody").await;
    assert_eq!(tried, 10, "no proxy is trusted: all this is one address");
    let long = "1.2.3.4, ".repeat(900);
    for (name, value) in
        [("forwarded", "for=192.0.2.77"), ("x-forwarded-for", "192.0.2.77"), ("x-forwarded-for", &long)]
    {
        let answer = served.post(LOGIN, &[(name, value)], &credentials("nobody", "wrong")).await;
        answer.refused(429, "RateLimitError", "");
    }
}

#[tokio::test]
async fn chains_that_make_no_sense_are_counted_as_the_proxy_that_passed_them_on() {
    let (app, served) = behind_a_proxy().await;
    user(&app, "ada", role::VIEWER).await;
    let long = format!("{}, garbage", "192.0.2.1, ".repeat(700));
    let senseless = [
        ("x-forwarded-for", "garbage"),
        ("x-forwarded-for", ""),
        ("x-forwarded-for", "192.0.2.1,"),
        ("x-forwarded-for", "192.0.2.1:99999"),
        ("x-forwarded-for", &long),
        ("forwarded", "for=unknown"),
        ("forwarded", "for=_hidden"),
        ("forwarded", r#"for="192.0.2.1"#),
        ("forwarded", "by=10.0.0.1"),
        ("forwarded", r#"for="[2001:db8::1]x""#),
    ];
    for header in senseless {
        served.post(LOGIN, &[header], &credentials("nobody", "wrong")).await.refused(401, "PasswordMismatch", "");
    }
    for header in senseless {
        let answer = served.post(LOGIN, &[header], &credentials("ada", STRONG)).await;
        assert_eq!(answer.status, 429, "{header:?}");
    }
    // Two headers that contradict each other: the proxy wrote at most one of them.
    let both = [("forwarded", "for=192.0.2.5"), ("x-forwarded-for", "192.0.2.6")];
    served.post(LOGIN, &both, &credentials("ada", STRONG)).await.refused(429, "RateLimitError", "");
    let both = [("forwarded", "for=192.0.2.5"), ("x-forwarded-for", "192.0.2.5")];
    served.post(LOGIN, &both, &credentials("ada", STRONG)).await.expect(200);
}

#[tokio::test]
async fn many_addresses_together_have_thirty_attempts_at_one_account() {
    let (app, served) = behind_a_proxy().await;
    user(&app, "ada", role::VIEWER).await;
    let mut addresses = many_addresses();
    assert_eq!(exhaust(&served, addresses.by_ref(), "ada").await, 30);
    let refused = from(&served, "192.0.2.200", "ada", STRONG).await;
    assert_eq!(refused.headers["retry-after"], "20");
    refused.refused(429, "RateLimitError", "20 seconds");
    // The email is looked up in any case, and counts so. Another name is another matter.
    assert_eq!(exhaust(&served, addresses.by_ref(), "ada@example.com").await, 30);
    from(&served, "192.0.2.201", "ADA@Example.com", STRONG).await.refused(429, "RateLimitError", "");
    from(&served, "192.0.2.202", "nobody", STRONG).await.refused(401, "PasswordMismatch", "");
    app.clock.advance(20_000);
    from(&served, "192.0.2.203", "ada", STRONG).await.expect(200);
}

#[tokio::test]
async fn a_name_that_nobody_has_is_limited_as_one_that_somebody_has() {
    let (app, served) = behind_a_proxy().await;
    user(&app, "ada", role::VIEWER).await;
    let mut seen = Vec::new();
    for name in ["ada", "nobody"] {
        let tried = exhaust(&served, many_addresses(), name).await;
        let mut refused = from(&served, "192.0.2.200", name, "wrong").await;
        refused.body["id"] = Value::Null;
        seen.push((tried, refused.status, refused.headers["retry-after"].clone(), refused.body));
    }
    assert_eq!(seen[0], seen[1]);
}

#[tokio::test]
async fn strangers_lock_nobody_out_of_an_address_where_they_are_known() {
    let (app, served) = behind_a_proxy().await;
    let id = user(&app, "ada", role::VIEWER).await;
    from(&served, "198.51.100.7", "ada", STRONG).await.expect(200);
    assert_eq!(exhaust(&served, many_addresses(), "ada").await, 30, "good ones do not count");
    from(&served, "198.51.100.8", "ada", STRONG).await.refused(429, "RateLimitError", "");
    for _ in 0..15 {
        from(&served, "198.51.100.7", "ada", STRONG).await.expect(200);
    }
    // Nor do they give strangers more attempts than those have.
    from(&served, "198.51.100.8", "ada", STRONG).await.refused(429, "RateLimitError", "");
    // Under the other name, too; and wherever a link of an administrator was used.
    app.clock.advance(6000);
    assert_eq!(exhaust(&served, many_addresses().skip(50), "ada@example.com").await, 30);
    from(&served, "198.51.100.7", "ada@example.com", STRONG).await.expect(200);
    let token = link(&app, id).await;
    let elsewhere = [("x-forwarded-for", "203.0.113.1")];
    served.post(RESET, &elsewhere, &json!({ "token": token, "password": OTHER })).await.expect(200);
    served.post(LOGIN, &elsewhere, &credentials("ada@example.com", OTHER)).await.expect(200);
}

#[tokio::test]
async fn the_password_of_a_session_is_tried_ten_times_wherever_from() {
    let (app, served) = behind_a_proxy().await;
    for name in ["ada", "grace"] {
        user(&app, name, role::VIEWER).await;
    }
    let (ada, grace) = (cookie(&app, "ada", STRONG).await, cookie(&app, "grace", STRONG).await);
    let change = async |session: &str, address: &str, old: &str| {
        let body = json!({ "oldPassword": old, "password": OTHER });
        served.post(CHANGE, &[("cookie", session), ("x-forwarded-for", address)], &body).await
    };
    for number in 0..10 {
        change(&ada, &format!("192.0.2.{number}"), "wrong").await.refused(401, "PasswordMismatch", "");
    }
    let refused = change(&ada, "192.0.2.99", STRONG).await;
    assert_eq!(refused.headers["retry-after"], "6");
    refused.refused(429, "RateLimitError", "");
    change(&grace, "192.0.2.1", STRONG).await.expect(200);
}
