//! Access that is checked again while a session goes on, where the provider gave a refresh token.

use flagstone::{
    config::Config,
    jobs, sign_in,
    store::entity::{session, session_provider},
};
use sea_orm::{ConnectionTrait as _, EntityTrait as _};
use serde_json::{Value, json};

use super::{
    beside::Beside,
    browser::{BASE, Browser},
    company::Company,
    hostile::Provider,
    server::Reply,
    world::outbound,
};
use crate::harness::{START, TestApp};

const MINUTES: i64 = 15 * 60;

async fn company(settings: Value) -> (Company, Browser) {
    let company = Company::with(settings).await;
    company.provider.state().gives_refresh_tokens = true;
    let mut browser = company.browser();
    company.sign_in(&mut browser).await;
    (company, browser)
}

async fn check(company: &Company) {
    jobs::check_access(&company.app.state).await.expect("checks");
    sign_in::log::write(&company.app.state).await.expect("writes");
}

fn refreshed(company: &Company) -> usize {
    let seen = company.provider.server.seen("/token");
    seen.iter().filter(|seen| seen.body.contains("grant_type=refresh_token")).count()
}

#[tokio::test]
async fn the_provider_is_asked_every_fifteen_minutes_and_each_time_with_its_newest_token() {
    let (company, mut browser) = company(json!({})).await;
    check(&company).await;
    assert_eq!(refreshed(&company), 0);
    for times in 1..=4 {
        company.advance(MINUTES - 1);
        check(&company).await;
        assert_eq!(refreshed(&company), times - 1);
        company.advance(1);
        check(&company).await;
        // A second node that looks at the same time finds nothing to do.
        jobs::check_access(&company.other_node().state).await.expect("checks");
        assert_eq!(refreshed(&company), times);
        assert!(browser.is_signed_in().await);
    }
    let tokens: Vec<String> = company.provider.server.seen("/token").iter().map(|seen| seen.body.clone()).collect();
    assert!(tokens[1].contains("refresh-") && tokens[1] != tokens[2], "each token counts once");
    let rows = session_provider::Entity::find().all(company.app.db()).await.expect("rows");
    assert!(rows[0].sealed.starts_with("v1:") && !rows[0].sealed.contains("refresh-"), "it is sealed");
    // Signing out leads nobody to a session that is not there, and nothing is asked for it any more.
    browser.send(poem::http::Method::POST, "/logout", &[], Vec::new()).await;
    company.advance(MINUTES);
    check(&company).await;
    assert_eq!(refreshed(&company), 4);
}

#[tokio::test]
async fn o37_what_the_provider_withdraws_ends_at_once_on_every_node_and_the_log_says_why() {
    for (status, error) in [(400, "invalid_grant"), (401, "access_denied"), (400, "interaction_required")] {
        let (company, mut browser) = company(json!({})).await;
        let mut second = company.browser();
        company.sign_in(&mut second).await;
        company.advance(MINUTES);
        company.provider.state().refresh_refusal = Some((status, error));
        check(&company).await;
        assert!(!browser.is_signed_in().await && !second.is_signed_in().await, "{error}");
        assert!(!browser.at(&company.other_node()).is_signed_in().await);
        assert_eq!(session::Entity::find().all(company.app.db()).await.expect("rows"), []);
        let entry = company.newest_entry().await;
        assert_eq!(
            (&entry["outcome"], &entry["method"], &entry["reason"], &entry["subject"]),
            (&json!("signed-out"), &json!("oidc"), &json!("access-withdrawn"), &json!("ada@example.com"))
        );
        assert_eq!(entry["found"], format!("{status}, {error}"));
        assert!(entry["explanation"].as_str().is_some_and(|text| text.contains("access")), "{entry}");
        assert!(!entry.to_string().contains("s3cret") && !entry.to_string().contains("refresh-"));
    }
}

#[tokio::test]
async fn o37_while_the_provider_does_not_answer_sessions_go_on_until_their_end() {
    let (company, mut browser) = company(json!({})).await;
    for (status, error) in [(401, "invalid_client"), (429, "slow_down"), (500, "server_error"), (400, "")] {
        company.provider.state().refresh_refusal = Some((status, error));
        company.advance(MINUTES);
        check(&company).await;
        assert!(browser.is_signed_in().await, "{status} {error}");
    }
    company.provider.state().refresh_refusal = None;
    company.provider.reply("/token", || Reply::Bytes(b"no HTTP".to_vec()));
    company.advance(MINUTES);
    check(&company).await;
    assert!(browser.is_signed_in().await);
    company.provider.state().replies.clear();
    // Once it answers again, the same token counts.
    company.advance(MINUTES);
    check(&company).await;
    assert!(browser.is_signed_in().await);
    company.advance(48 * 3600);
    assert!(!browser.is_signed_in().await, "the ordinary end stays");
    let before = refreshed(&company);
    check(&company).await;
    assert_eq!(refreshed(&company), before, "nobody asks for a session that has ended");
}

#[tokio::test]
async fn a_provider_whose_settings_cannot_be_read_keeps_no_other_from_being_asked() {
    let (company, mut browser) = company(json!({})).await;
    let beside = Beside::new(&company, "first").await;
    beside.provider.state().gives_refresh_tokens = true;
    beside.provider.claim("email", "grace@example.com");
    beside.signed_in(&company).await;
    let tx = company.app.tx().await;
    let unreadable = "UPDATE sign_in_provider SET settings = 'v1:unreadable'";
    assert_eq!(tx.execute_unprepared(unreadable).await.expect("an update").rows_affected(), 1);
    company.app.commit(tx).await;
    company.advance(MINUTES);
    check(&company).await;
    assert_eq!((refreshed(&company), beside.provider.server.seen("/token").len()), (1, 1));
    assert!(browser.is_signed_in().await);
}

#[tokio::test]
async fn o38_a_person_whose_token_is_about_somebody_else_or_whose_email_is_doubted_comes_no_further() {
    for (claim, value, reason) in
        [("sub", json!("person-8"), "wrong-subject"), ("email_verified", json!(false), "email-unverified")]
    {
        let (company, mut browser) = company(json!({})).await;
        company.provider.claim(claim, value);
        company.advance(MINUTES);
        check(&company).await;
        assert!(!browser.is_signed_in().await, "{claim}");
        assert_eq!(company.newest_entry().await["reason"], reason);
    }
    // What is not believed tells nothing; the new refresh token is kept all the same.
    for (claim, value) in [
        ("iss", json!("https://evil.example")),
        ("aud", json!("other")),
        ("nonce", json!("another")),
        ("exp", json!(1)),
        ("at_hash", json!("wrong")),
    ] {
        let (company, mut browser) = company(json!({})).await;
        company.provider.claim(claim, value);
        for _ in 0..2 {
            company.advance(MINUTES);
            check(&company).await;
            assert!(browser.is_signed_in().await, "{claim}");
        }
        assert_eq!(refreshed(&company), 2, "{claim}");
    }
}

#[tokio::test]
async fn groups_follow_what_is_told_and_stay_where_nothing_is() {
    let (company, mut browser) = company(json!({ "enableGroupSyncing": true, "groupJsonPath": "groups" })).await;
    let made = company.app.admin().post("/api/admin/groups", json!({ "name": "devs", "mappingsSSO": ["dev"] })).await;
    let id = made.expect(201)["id"].clone();
    let members = async || {
        let group = company.app.admin().get(&format!("/api/admin/groups/{id}")).await.expect(200);
        group["users"].as_array().expect("users").len()
    };
    company.provider.claim("groups", json!(["dev"]));
    company.advance(MINUTES);
    check(&company).await;
    assert_eq!(members().await, 1);
    assert_eq!(company.app.event_types().await.last().map(String::as_str), Some("group-user-added"));
    let events = company.app.events().await.len();
    company.advance(MINUTES);
    check(&company).await;
    assert_eq!(company.app.events().await.len(), events, "the same groups are no change");
    // Without an ID token nothing is told of groups, unless the user info tells them.
    company.provider.state().tells_again = false;
    company.advance(MINUTES);
    check(&company).await;
    assert_eq!(members().await, 1);
    company.provider.state().userinfo.insert("groups".to_owned(), json!(["ops"]));
    company.advance(MINUTES);
    check(&company).await;
    assert_eq!(members().await, 0);
    assert_eq!(company.app.event_types().await.last().map(String::as_str), Some("group-user-removed"));
    company.provider.state().tells_again = true;
    company.advance(MINUTES);
    check(&company).await;
    assert_eq!(members().await, 1);
    company.provider.claim("groups", json!([]));
    company.advance(MINUTES);
    check(&company).await;
    assert_eq!(members().await, 0);
    assert!(browser.is_signed_in().await);
}

#[tokio::test]
async fn o38_a_token_is_shown_to_nobody_but_the_provider_that_gave_it() {
    let (company, mut browser) = company(json!({})).await;
    let other = Provider::new(company.provider.state().now);
    company.set(json!({ "discoverUrl": other.issuer() })).await.expect(200);
    company.advance(MINUTES);
    other.state().now += MINUTES;
    check(&company).await;
    assert_eq!((refreshed(&company), other.server.seen("/token").len()), (0, 0));
    assert!(browser.is_signed_in().await);
    company.set(json!({ "clientId": "another client" })).await.expect(200);
    company.advance(MINUTES);
    check(&company).await;
    assert_eq!(refreshed(&company), 0);
    // With the provider's end, the session's comes.
    company.set(json!({ "enabled": false })).await.expect(200);
    assert!(!browser.is_signed_in().await);
    check(&company).await;
}

#[tokio::test]
async fn where_checks_are_off_or_no_token_was_given_nothing_is_kept_or_asked() {
    let config =
        Config { base_url: BASE.to_owned(), outbound: Some(outbound()), access_check_minutes: 0, ..Config::default() };
    let start = flagstone::domain::time::Timestamp::parse(START).expect("a time");
    let off = Company { app: TestApp::with_config(config).await, provider: Provider::new(start.millis() / 1000) };
    off.set(json!({})).await.expect(200);
    let without = Company::new().await;
    off.provider.state().gives_refresh_tokens = true;
    for company in [off, without] {
        let mut browser = company.browser();
        company.sign_in(&mut browser).await;
        company.advance(24 * 3600);
        check(&company).await;
        assert_eq!(refreshed(&company), 0);
        assert!(browser.is_signed_in().await);
        let rows = session_provider::Entity::find().all(company.app.db()).await.expect("rows");
        assert_eq!(rows[0].check_at, None);
    }
}

#[tokio::test]
async fn the_link_and_the_account_end_what_was_begun_with_them() {
    for way in 0..2 {
        let (company, mut browser) = company(json!({})).await;
        let id = company.who(&mut browser).await["id"].as_i64().expect("an id");
        let list = company.app.admin().get("/api/admin/user-sessions").await.expect(200);
        assert_eq!(list["sessions"][0]["method"], "oidc");
        let path = match way {
            0 => format!("/api/admin/user-admin/{id}/identities"),
            _ => format!("/api/admin/user-admin/{id}"),
        };
        crate::calls::delete(&company.app.admin(), &path).await.expect(200);
        assert!(!browser.is_signed_in().await);
        company.advance(MINUTES);
        check(&company).await;
        assert_eq!(refreshed(&company), 0);
    }
}
