//! Signing out: here, at the provider, and because the provider says so.

use flagstone::sign_in;
use poem::http::Method;
use serde_json::{Value, json};

use super::{
    browser::{BASE, Browser, SESSION, location},
    company::{Company, SIGN_INS},
    hostile::{CLIENT_ID, SUBJECT},
};
use crate::harness::{Answer, encoded};

const BACK_CHANNEL: &str = "/auth/oidc/backchannel-logout";
const EVENT: &str = "http://schemas.openid.net/event/backchannel-logout";

async fn leave(browser: &mut Browser) -> Answer {
    browser.send(Method::POST, "/logout", &[], Vec::new()).await
}

fn token(company: &Company, change: &Value) -> String {
    let now = company.provider.state().now;
    let mut claims = json!({
        "iss": company.provider.issuer(), "aud": CLIENT_ID, "iat": now, "exp": now + 120, "jti": "once",
        "sub": SUBJECT, "sid": "session-1", "events": { EVENT: {} },
    });
    let all = claims.as_object_mut().expect("an object");
    all.extend(change.as_object().expect("an object").clone());
    all.retain(|_, value| !value.is_null());
    company.provider.sign(&claims)
}

#[tokio::test]
async fn o29_signing_out_here_leads_to_the_provider_where_the_settings_want_that() {
    let company = Company::new().await;
    let mut browser = company.browser();
    company.sign_in(&mut browser).await;
    let answer = leave(&mut browser).await;
    assert_eq!(location(&answer).as_str(), format!("{BASE}/"));
    assert!(!browser.jar.contains_key(SESSION) && !browser.is_signed_in().await);
    company.set(json!({ "enableSingleSignOut": true })).await.expect(200);
    company.sign_in(&mut browser).await;
    let kept = browser.clone();
    let address = location(&leave(&mut browser).await);
    assert_eq!(address.path(), "/end");
    let query: std::collections::HashMap<_, _> = address.query_pairs().into_owned().collect();
    assert_eq!((&*query["client_id"], &*query["post_logout_redirect_uri"]), (CLIENT_ID, &*format!("{BASE}/")));
    assert_eq!(query["id_token_hint"].matches('.').count(), 2);
    assert!(!kept.clone().is_signed_in().await, "the session is over also for who kept the cookie");
    // Whoever has no session is led to the first page.
    assert_eq!(location(&leave(&mut browser).await).as_str(), format!("{BASE}/"));
}

#[tokio::test]
async fn o29_signing_out_here_works_while_the_provider_does_not() {
    let company = Company::with(json!({ "enableSingleSignOut": true })).await;
    let mut browser = company.browser();
    company.sign_in(&mut browser).await;
    company.advance(3 * 24 * 3600);
    let mut browser = company.browser();
    company.sign_in(&mut browser).await;
    company.advance(2 * 24 * 3600 - 10);
    company.provider.reply("/.well-known/openid-configuration", || super::server::Reply::status(500, &json!({})));
    let answer = leave(&mut browser).await;
    assert_eq!(answer.status, 302);
    assert!(!browser.is_signed_in().await);
}

#[tokio::test]
async fn o29_the_provider_ends_the_session_that_it_names_and_no_other() {
    let company = Company::new().await;
    company.provider.claim("sid", "session-1");
    let mut first = company.browser();
    company.sign_in(&mut first).await;
    company.provider.claim("sid", "session-2");
    let mut second = company.browser();
    company.sign_in(&mut second).await;
    let mut provider = company.browser();
    let signed = token(&company, &json!({}));
    let fields = [("logout_token", &*signed)];
    provider.post_form(BACK_CHANNEL, &fields).await.expect(200);
    assert!(!first.is_signed_in().await && second.is_signed_in().await);
    // The same token once more, on another node. Each node notes in the background: the first is to be done first.
    sign_in::log::write(&company.app.state).await.expect("writes");
    let node = company.other_node();
    let mut elsewhere = provider.at(&node);
    elsewhere.post_form(BACK_CHANNEL, &fields).await.refused(400, "LogoutRefusedError", "used-logout");
    sign_in::log::write(&node.state).await.expect("writes");
    // A person, without a session.
    let all = token(&company, &json!({ "sid": null, "jti": "again" }));
    provider.post_form(BACK_CHANNEL, &[("logout_token", &all)]).await.expect(200);
    assert!(!second.is_signed_in().await);
    let log = company.app.admin().get(SIGN_INS).await.expect(200);
    let outcomes: Vec<&str> =
        log["signIns"].as_array().expect("entries").iter().filter_map(|entry| entry["outcome"].as_str()).collect();
    assert_eq!(outcomes, ["signed-out", "sign-out-refused", "signed-out", "signed-in", "signed-in"]);
}

#[tokio::test]
async fn o29_as_many_sessions_as_the_provider_ends_at_once_end_whatever_else_comes_from_its_address() {
    let company = Company::new().await;
    let mut browsers = Vec::new();
    for number in 0..100 {
        company.provider.claim("sub", format!("person-{number}"));
        company.provider.claim("email", format!("person-{number}@example.com"));
        company.provider.claim("sid", format!("session-{number}"));
        let mut browser = company.browser();
        company.sign_in(&mut browser).await;
        assert!(browser.is_signed_in().await, "{number}");
        browsers.push(browser);
    }
    let mut provider = company.browser();
    let mut bad = Vec::new();
    for _ in 0..70 {
        bad.push(provider.post_form(BACK_CHANNEL, &[("logout_token", "x")]).await.status);
    }
    assert_eq!((bad.first(), bad.last()), (Some(&400), Some(&429)));
    for (number, browser) in browsers.iter_mut().enumerate() {
        let one = json!({
            "sub": format!("person-{number}"), "sid": format!("session-{number}"), "jti": format!("token-{number}"),
        });
        let signed = token(&company, &one);
        provider.post_form(BACK_CHANNEL, &[("logout_token", &signed)]).await.expect(200);
        assert!(!browser.is_signed_in().await, "{number}");
    }
}

#[tokio::test]
async fn o35_what_is_no_logout_token_ends_nothing() {
    let company = Company::new().await;
    let mut browser = company.browser();
    company.sign_in(&mut browser).await;
    for (change, reason) in [
        (json!({ "nonce": "x" }), "logout-token-with-nonce"),
        (json!({ "events": null }), "logout-event-missing"),
        (json!({ "aud": "other" }), "wrong-audience"),
    ] {
        let signed = token(&company, &change);
        let answer = company.browser().post_form(BACK_CHANNEL, &[("logout_token", &signed)]).await;
        answer.refused(400, "LogoutRefusedError", reason);
    }
    company.browser().post_form(BACK_CHANNEL, &[]).await.refused(400, "ValidationError", "logout_token");
    let json = company.app.anonymous().post(BACK_CHANNEL, json!({ "logout_token": "x" })).await;
    json.refused(415, "ContentTypeerror", "application/x-www-form-urlencoded");
    assert!(browser.is_signed_in().await);
}

#[tokio::test]
async fn o29_a_frame_of_the_provider_ends_the_session_that_it_names() {
    let company = Company::new().await;
    company.provider.claim("sid", "session-1");
    let mut browser = company.browser();
    company.sign_in(&mut browser).await;
    let issuer = encoded(&company.provider.issuer());
    let place = "/auth/oidc/frontchannel-logout";
    let mut frame = company.browser();
    frame.get(&format!("{place}?iss=https%3A%2F%2Fevil.example&sid=session-1")).await.refused(
        400,
        "ValidationError",
        "iss",
    );
    frame.get(&format!("{place}?iss={issuer}&sid=session-9")).await.expect(200);
    assert!(browser.is_signed_in().await);
    let answer = frame.get(&format!("{place}?iss={issuer}&sid=session-1")).await;
    let policy = answer.headers["content-security-policy"].to_str().expect("text").to_owned();
    assert!(!policy.contains("frame-ancestors"), "framing is allowed here alone: {policy}");
    answer.expect(200);
    assert!(!browser.is_signed_in().await);
}
