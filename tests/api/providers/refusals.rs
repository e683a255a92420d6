//! Refusals of the protocol, as they pass through the server: a status of the class, an id on the page, the reason in
//! the log alone, no user, no session, and nothing that could be mistaken for a fault of the server.

use serde_json::{Value, json};

use super::{
    company::Company,
    hostile::{CLIENT_ID, Provider},
    pairs::Pair,
    server::Reply,
};

/// A line of the list of cases, what the provider does wrong, and how that is refused.
type Case = (&'static str, fn(&Provider), &'static str);

const WORD: (u16, &str) = (401, "SignInRefusedError");
const FAULT: (u16, &str) = (424, "LoginProviderError");

const WRONG_WORDS: &[Case] = &[
    ("O1", |provider| provider.claim("iss", "https://evil.example"), "wrong-issuer"),
    ("O2", |provider| provider.claim("aud", "other"), "wrong-audience"),
    ("O2", |provider| provider.claim("aud", Value::Null), "claim-missing"),
    ("O3", |provider| provider.claim("aud", json!([CLIENT_ID, "other"])), "wrong-authorized-party"),
    ("O4", |provider| provider.claim("exp", 1_000_000_000), "expired"),
    ("O5", |provider| provider.claim("nbf", 4_000_000_000_u32), "not-yet-valid"),
    ("O6", |provider| provider.claim("iat", 4_000_000_000_u32), "issued-in-future"),
    ("O7", |provider| provider.claim("nonce", "other"), "wrong-nonce"),
    ("O7", |provider| provider.claim("nonce", Value::Null), "wrong-nonce"),
    (
        "O10",
        |provider| {
            provider.header("alg", "none");
            provider.state().algorithm = "none";
        },
        "wrong-algorithm",
    ),
    (
        "O11",
        |provider| {
            provider.header("alg", "HS256");
            provider.state().algorithm = "HS256";
        },
        "wrong-algorithm",
    ),
    (
        "O12",
        |provider| {
            provider.header("alg", "RS512");
            provider.state().algorithm = "RS512";
        },
        "wrong-algorithm",
    ),
    ("O13", |provider| provider.header("kid", "nobody-knows"), "unknown-key"),
    ("O15", |provider| provider.state().keys[0]["use"] = json!("enc"), "key-use"),
    ("O16", |provider| provider.claim("at_hash", "AAAAAAAAAAAAAAAAAAAAAA"), "wrong-access-token-hash"),
    ("O19", |provider| provider.claim("email_verified", false), "email-unverified"),
    ("O30", |provider| provider.header("crit", json!(["exp"])), "critical-header"),
    ("O30", |provider| provider.state().keys[0]["alg"] = json!("RS384"), "key-algorithm"),
    ("O30", |provider| provider.claim("iss", json!([provider.issuer()])), "claim-malformed"),
    (
        "O31",
        |provider| {
            provider.claim("email", Value::Null);
            provider.state().userinfo.insert("sub".to_owned(), json!("somebody-else"));
            provider.state().userinfo.insert("email".to_owned(), json!("eve@example.com"));
        },
        "userinfo-of-another-subject",
    ),
    ("O20", |provider| provider.claim("email", Value::Null), "email-missing"),
    ("O10", |provider| provider.state().signs_with = Pair::Second, "bad-signature"),
];

const FAULTS: &[Case] = &[
    ("O27", |provider| provider.reply("/token", || Reply::status(500, &json!({}))), "provider-status"),
    ("O27", |provider| provider.reply("/keys", || Reply::status(503, &json!({}))), "provider-status"),
];

async fn refused_cases(cases: &[Case], (status, name): (u16, &str)) {
    for (line, twist, reason) in cases {
        let company = Company::new().await;
        twist(&company.provider);
        let events = company.app.event_types().await;
        let entry = company.refused(status, name).await;
        assert_eq!(entry["reason"], *reason, "{line}: {entry}");
        assert_eq!(company.app.event_types().await, events, "{line}");
        let users = company.app.admin().get("/api/admin/user-admin").await.expect(200);
        assert_eq!(users["users"], json!([]), "{line}");
    }
}

#[tokio::test]
async fn what_a_token_says_wrong_is_refused_and_explained_to_administrators_alone() {
    Box::pin(refused_cases(WRONG_WORDS, WORD)).await;
}

#[tokio::test]
async fn o27_a_provider_that_fails_is_told_apart_and_is_no_fault_of_the_server() {
    Box::pin(refused_cases(FAULTS, FAULT)).await;
    // Before there is anything to come back with, too.
    let company = Company::new().await;
    company.provider.reply("/.well-known/openid-configuration", || Reply::status(500, &json!({})));
    let answer = company.browser().get("/auth/oidc/login").await;
    let entry = company.reason(answer, FAULT.0, FAULT.1).await;
    assert_eq!(entry["reason"], "provider-status");
}

#[tokio::test]
async fn o18_o32_an_answer_of_another_provider_is_refused() {
    let company = Company::new().await;
    let mut browser = company.browser();
    let mut returned = company.begin(&mut browser).await;
    returned.iss = "https://evil.example".to_owned();
    let refused = browser.get(&super::company::callback(&returned)).await;
    let entry = company.reason(refused, WORD.0, WORD.1).await;
    assert_eq!((&entry["reason"], &entry["found"]), (&json!("callback-of-another-issuer"), &json!(returned.iss)));
    assert!(company.provider.server.seen("/token").is_empty(), "the code was shown to nobody");
}

#[tokio::test]
async fn o17_a_code_is_good_once() {
    let company = Company::new().await;
    let mut browser = company.browser();
    let returned = company.begin(&mut browser).await;
    let mut kept = browser.clone();
    assert_eq!(browser.get(&super::company::callback(&returned)).await.status, 302);
    let refused = kept.get(&super::company::callback(&returned)).await;
    assert_eq!(company.reason(refused, WORD.0, WORD.1).await["reason"], "token-refused");
}

#[tokio::test]
async fn a_provider_that_refuses_somebody_is_quoted_by_its_code_alone() {
    let company = Company::new().await;
    let mut browser = company.browser();
    let returned = company.begin(&mut browser).await;
    let path = format!(
        "/auth/oidc/callback?state={}&error=access_denied&error_description=%3Cscript%3Eshown%3C/script%3E",
        returned.state
    );
    let refused = browser.get(&path).await;
    let entry = company.reason(refused, WORD.0, WORD.1).await;
    assert_eq!((&entry["reason"], &entry["found"]), (&json!("provider-error"), &json!("access_denied")));
    assert!(!entry.to_string().contains("script"));
}

#[tokio::test]
async fn more_than_thirty_refusals_of_a_source_in_a_minute_are_counted() {
    let company = Company::new().await;
    for _ in 0..4 {
        for _ in 0..20 {
            company.browser().get("/auth/oidc/callback?state=x").await;
        }
        company.advance(10);
    }
    company.advance(60);
    let log = company.app.admin().get(super::company::SIGN_INS).await.expect(200);
    let entries = log["signIns"].as_array().expect("entries");
    let attempts: i64 = entries.iter().map(|entry| entry["attempts"].as_i64().expect("a number")).sum();
    assert_eq!(attempts, 80);
    assert_eq!(entries.iter().filter(|entry| entry["attempts"] == 1).count(), 30);
}
