//! Limits that count what is bad, by where it comes from, and a log that nobody can stop.

use flagstone::{config::Config, sign_in};
use poem::http::Method;
use serde_json::{Value, json};

use super::{
    browser::location,
    company::{Company, SIGN_INS, callback},
};
use crate::{
    harness::{Answer, TestApp, role},
    served::Served,
    users::{STRONG, user},
};

async fn behind_a_proxy() -> (TestApp, Served) {
    let trusted_proxies = "127.0.0.0/8".parse().expect("networks");
    let app = TestApp::with_config(Config { trusted_proxies, ..Config::default() }).await;
    let served = Served::new(&app).await;
    (app, served)
}

#[tokio::test]
async fn as_many_people_as_come_at_once_from_one_address_begin_and_finish() {
    let company = Company::new().await;
    for number in 0..90 {
        company.provider.claim("sub", format!("person-{number}"));
        company.provider.claim("email", format!("person-{number}@example.com"));
        let mut browser = company.browser();
        let answer = browser.get("/auth/oidc/login").await;
        assert_eq!(answer.status, 302, "start {number}: {}", answer.text);
        let returned = company.provider.authorize(location(&answer).as_str());
        let answer = browser.get(&callback(&returned)).await;
        assert_eq!(answer.status, 302, "end {number}: {}", answer.text);
    }
}

#[tokio::test]
async fn a_good_password_wears_nothing_out_and_a_bad_one_does() {
    let (app, served) = behind_a_proxy().await;
    user(&app, "ada", role::VIEWER).await;
    let from = async |password: &str| -> Answer {
        let login = json!({ "username": "ada", "password": password });
        served.post("/auth/simple/login", &[("x-forwarded-for", "192.0.2.1")], &login).await
    };
    for _ in 0..40 {
        from(STRONG).await.expect(200);
    }
    for _ in 0..10 {
        from("wrong").await.refused(401, "PasswordMismatch", "");
    }
    from("wrong").await.refused(429, "RateLimitError", "");
}

#[tokio::test]
async fn nobody_s_failures_hide_those_of_others_and_none_is_forgotten() {
    let (app, served) = behind_a_proxy().await;
    app.admin().post(super::company::OIDC, oidc()).await.expect(200);
    let fail = async |address: &str| {
        let headers = [("x-forwarded-for", address), ("accept", "application/json")];
        served.get("/auth/oidc/callback", &headers).await
    };
    for number in 0..75 {
        fail(&format!("192.0.2.{}", number % 3)).await;
    }
    fail("198.51.100.7").await.refused(400, "SignInStateError", "");
    sign_in::log::write(&app.state).await.expect("writes");
    let log = app.admin().get(SIGN_INS).await.expect(200);
    let entries = log["signIns"].as_array().expect("entries");
    assert!(entries.iter().any(|entry| entry["address"] == "198.51.100.7"), "{log}");
    app.clock.advance(60_000);
    sign_in::log::write(&app.state).await.expect("writes");
    let log = app.admin().get(SIGN_INS).await.expect(200);
    let attempts = |address: &str| -> i64 {
        let of = log["signIns"].as_array().expect("entries").iter().filter(|entry| entry["address"] == address);
        of.filter_map(|entry| entry["attempts"].as_i64()).sum()
    };
    for number in 0..3 {
        assert_eq!(attempts(&format!("192.0.2.{number}")), 25, "{log}");
    }
}

fn oidc() -> Value {
    json!({ "enabled": true, "clientId": "c", "secret": "s", "discoverUrl": "https://id.example.com" })
}

#[tokio::test]
async fn a_look_at_a_link_uses_nothing_up() {
    let company = Company::new().await;
    let app = &company.app;
    user(app, "ada", role::VIEWER).await;
    let make = async || sign_in::link::make(app.db(), &app.state.vault, "ada", app.clock.now()).await.expect("a link");
    let place = format!("/auth/link?token={}", make().await);
    for path in [
        place.as_str(),
        "/auth/oidc/callback?code=a&state=b",
        "/auth/saml/callback?ticket=x",
        "/auth/providers/google/callback?code=a&state=b",
        "/auth/providers/corp/acs?ticket=x",
    ] {
        let looked = company.app.anonymous().request(Method::HEAD, path, &[], Vec::new()).await;
        assert_eq!(looked.status, 405, "{path}");
        assert!(looked.headers.get("set-cookie").is_none());
    }
    assert_eq!(company.browser().get(&place).await.status, 302, "the link is as good as before");
    company.browser().get(&place).await.refused(401, "InvalidTokenError", "");
    // Bad ones count, and good ones do not.
    for _ in 0..29 {
        company.browser().get("/auth/link?token=x").await.refused(401, "InvalidTokenError", "");
    }
    company.browser().get("/auth/link?token=x").await.refused(429, "RateLimitError", "");
    assert_eq!(company.browser().get(&format!("/auth/link?token={}", make().await)).await.status, 302);
}

#[tokio::test]
async fn a_long_way_back_is_forgotten_and_the_sign_in_is_not() {
    let company = Company::new().await;
    for (length, kept) in [(1500, true), (1990, true), (3000, false)] {
        let path = format!("/projects?q={}", "a".repeat(length - 12));
        let mut browser = company.browser();
        let started = browser.get(&format!("/auth/oidc/login?redirect={}", crate::harness::encoded(&path))).await;
        for cookie in started.headers.get_all("set-cookie") {
            assert!(cookie.len() <= 4096, "browsers keep no cookie of {} bytes", cookie.len());
        }
        let returned = company.provider.authorize(location(&started).as_str());
        let answer = browser.get(&callback(&returned)).await;
        assert_eq!(answer.status, 302, "{}", answer.text);
        assert_eq!(location(&answer).as_str().contains("aaaa"), kept, "{length}");
    }
}
