//! Signing in through OpenID Connect from the first request to the last.

use flagstone::sign_in;
use poem::http::{Method, header};
use serde_json::json;

use super::{
    browser::{BASE, SESSION, location},
    company::{Company, callback},
};

#[tokio::test]
async fn somebody_new_becomes_a_user_with_a_session() {
    let company = Company::with(json!({ "defaultRootRole": "Editor" })).await;
    company.provider.claim("name", "Ada Lovelace");
    company.provider.claim("email", "Ada@Example.com");
    let mut browser = company.browser();
    let answer = browser.get("/auth/oidc/login").await;
    let address = location(&answer);
    assert_eq!(address.path(), "/authorize");
    assert_eq!(browser.begun(), 1);
    for value in browser.jar.values() {
        assert!(value.starts_with("v1:"), "the cookie is sealed");
    }
    let returned = company.provider.authorize(address.as_str());
    let events = company.app.events().await.len();
    let answer = browser.get(&callback(&returned)).await;
    assert_eq!(location(&answer).as_str(), format!("{BASE}/"));
    for (name, value) in [("referrer-policy", "no-referrer"), ("cache-control", "private, no-store")] {
        assert_eq!(answer.headers[name], value);
    }
    assert!(answer.headers[header::CONTENT_SECURITY_POLICY].to_str().expect("text").contains("default-src 'none'"));
    assert_eq!(browser.begun(), 0, "the cookie of the sign-in is gone");
    let user = company.who(&mut browser).await;
    assert_eq!((&user["email"], &user["name"]), (&json!("ada@example.com"), &json!("Ada Lovelace")));
    let stored = company.app.admin().get("/api/admin/user-admin").await.expect(200);
    assert_eq!(stored["users"][0]["rootRole"], 2);
    let events = &company.app.events().await[events..];
    let [created] = events else { panic!("one event: {events:?}") };
    assert_eq!((&*created.r#type, created.created_by_user_id), ("user-created", Some(-1337)));
    let entry = company.newest_entry().await;
    assert_eq!((&entry["outcome"], &entry["method"]), (&json!("signed-in"), &json!("oidc")));
    assert_eq!((&entry["userId"], &entry["subject"]), (&user["id"], &json!("Ada@Example.com")));
    let history = company.app.admin().get("/api/admin/logins").await.expect(200);
    let first = &history["events"][0];
    assert_eq!((&first["successful"], &first["auth_type"]), (&json!(true), &json!("oidc")));
}

#[tokio::test]
async fn one_node_begins_and_another_finishes() {
    let company = Company::new().await;
    let elsewhere = company.other_node();
    let mut browser = company.browser();
    let returned = company.begin(&mut browser).await;
    let mut there = browser.at(&elsewhere);
    let answer = there.get(&callback(&returned)).await;
    assert_eq!(location(&answer).as_str(), format!("{BASE}/"));
    let mut back = there.at(&company.app);
    assert_eq!(company.who(&mut back).await["email"], "ada@example.com");
}

#[tokio::test]
async fn o8_o9_a_state_is_good_once_for_ten_minutes_and_for_its_browser() {
    let company = Company::new().await;
    let state = (400, "SignInStateError");
    let mut browser = company.browser();
    let answer = browser.get("/auth/oidc/login").await;
    let address = location(&answer);
    let before = browser.clone();
    let (first, second) = (company.provider.authorize(address.as_str()), company.provider.authorize(address.as_str()));
    // Without a state, with another one, in another browser.
    let without = format!("/auth/oidc/callback?code={}", first.code);
    for (mut browser, path) in [
        (before.clone(), without),
        (before.clone(), callback(&first).replace("state=", "state=x")),
        (company.browser(), callback(&first)),
    ] {
        let refused = browser.get(&path).await;
        assert_eq!(company.reason(refused, state.0, state.1).await["reason"], "unknown-state", "{path}");
        assert!(!browser.jar.contains_key(SESSION));
    }
    let answer = browser.get(&callback(&first)).await;
    assert_eq!(answer.status, 302, "{}", answer.text);
    // Another code for the same state, in a browser that kept the cookie, before another node.
    let elsewhere = company.other_node();
    let mut kept = before.at(&elsewhere);
    let refused = kept.get(&callback(&second)).await;
    sign_in::log::write(&elsewhere.state).await.expect("writes");
    assert!(!kept.jar.contains_key(SESSION));
    assert_eq!(company.reason(refused, state.0, state.1).await["reason"], "used-state");
    let mut browser = company.browser();
    let late = company.begin(&mut browser).await;
    company.advance(600);
    let refused = browser.get(&callback(&late)).await;
    assert_eq!(company.reason(refused, state.0, state.1).await["reason"], "expired-state");
}

#[tokio::test]
async fn what_was_begun_under_other_settings_is_not_finished() {
    let company = Company::new().await;
    let mut browser = company.browser();
    let returned = company.begin(&mut browser).await;
    company.set(json!({ "emailDomains": "example.com" })).await.expect(200);
    let refused = browser.get(&callback(&returned)).await;
    assert_eq!(company.reason(refused, 400, "SignInStateError").await["reason"], "settings-changed");
    company.app.admin().post(super::company::OIDC, json!({ "enabled": false })).await.expect(200);
    browser.get(&callback(&returned)).await.refused(404, "NotFoundError", "not set up");
    browser.get("/auth/oidc/login").await.refused(404, "NotFoundError", "not set up");
}

#[tokio::test]
async fn o28_one_returns_to_a_page_of_the_server_only() {
    let company = Company::new().await;
    for (asked, expected) in [
        ("/projects/shop?tab=a", "/projects/shop?tab=a"),
        ("//evil.example", "/"),
        ("https://evil.example", "/"),
        ("/\\evil.example", "/"),
    ] {
        let mut browser = company.browser();
        let query = format!("?redirect={}", crate::harness::encoded(asked));
        let returned = company.begin_for(&mut browser, &query).await;
        let answer = browser.get(&callback(&returned)).await;
        assert_eq!(location(&answer).as_str(), format!("{BASE}{expected}"));
    }
}

#[tokio::test]
async fn a_browser_begins_five_sign_ins_at_a_time_and_forgets_the_oldest() {
    let company = Company::new().await;
    let mut browser = company.browser();
    let first = company.begin(&mut browser).await;
    let mut last = first.clone();
    for _ in 0..5 {
        company.advance(1);
        last = company.begin(&mut browser).await;
    }
    assert_eq!(browser.begun(), 5);
    let refused = browser.clone().get(&callback(&first)).await;
    assert_eq!(company.reason(refused, 400, "SignInStateError").await["reason"], "unknown-state");
    assert_eq!(browser.get(&callback(&last)).await.status, 302);
}

#[tokio::test]
async fn o34_a_sign_in_ends_the_earlier_session_and_takes_no_session_that_somebody_fixed() {
    let company = Company::new().await;
    let mut browser = company.browser();
    company.sign_in(&mut browser).await;
    let earlier = browser.clone();
    browser.jar.insert("unleash-session".to_owned(), "fixed-by-somebody".to_owned());
    company.sign_in(&mut browser).await;
    assert_ne!(browser.jar[SESSION], earlier.jar[SESSION]);
    earlier.clone().get("/api/admin/user").await.refused(401, "AuthenticationRequired", "");
    assert_eq!(company.who(&mut browser).await["email"], "ada@example.com");
}

#[tokio::test]
async fn a_browser_is_shown_a_page_without_scripts_and_a_program_json() {
    let company = Company::with(json!({ "autoCreate": false })).await;
    let mut browser = company.browser();
    browser.accepts = "text/html,application/xhtml+xml;q=0.9";
    let answer = company.sign_in(&mut browser).await;
    assert_eq!(answer.status, 403);
    assert_eq!(answer.headers[header::CONTENT_TYPE], "text/html; charset=utf-8");
    let policy = answer.headers[header::CONTENT_SECURITY_POLICY].to_str().expect("text");
    assert!(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"));
    for part in ["<h1>", "/auth/oidc/login\">Try again", ">Use a password</a>"] {
        assert!(answer.text.contains(part), "{part}: {}", answer.text);
    }
    let entry = company.newest_entry().await;
    assert!(answer.text.contains(entry["errorId"].as_str().expect("an id")));
    assert_eq!(entry["reason"], "not-invited");
    for word in ["<script", "ada@example.com", "not-invited", "invite", "account exists"] {
        assert!(!answer.text.contains(word), "{word}");
    }
    let mut script = company.browser();
    script.get("/auth/oidc/callback").await.refused(400, "SignInStateError", "begin anew");
}

#[tokio::test]
async fn too_many_failures_of_an_address_are_refused_and_starts_and_good_sign_ins_are_not() {
    let company = Company::new().await;
    for _ in 0..40 {
        assert_eq!(company.sign_in(&mut company.browser()).await.status, 302);
        company.advance(1);
    }
    company.advance(60);
    for _ in 0..30 {
        company.browser().get("/auth/oidc/callback?state=x").await.refused(400, "SignInStateError", "");
    }
    company.browser().get("/auth/oidc/callback?state=x").await.refused(429, "RateLimitError", "");
    assert_eq!(company.sign_in(&mut company.browser()).await.status, 302);
    for _ in 0..61 {
        assert_eq!(company.browser().get("/auth/oidc/login").await.status, 302);
    }
}

#[tokio::test]
async fn a_page_of_another_origin_starts_no_session_by_posting() {
    let company = Company::new().await;
    let mut browser = company.browser();
    let answer = browser.send(Method::POST, "/auth/oidc/callback", &[], Vec::new()).await;
    assert_eq!(answer.status, 405, "{}", answer.text);
}
