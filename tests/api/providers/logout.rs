//! Signing out: at the provider too, and because the provider says so.

use chrono::{DateTime, Utc};
use flagstone::providers::oidc::{LogoutToken, Reason, Refusal};
use serde_json::{Value, json};
use url::Url;

use super::{
    hostile::{CLIENT_ID, SUBJECT},
    pairs::Pair,
    world::{NOON, World, told},
};

const EVENT: &str = "http://schemas.openid.net/event/backchannel-logout";

/// A logout token's claims, with some of them otherwise; null takes one out.
fn claims(world: &World, change: &Value) -> Value {
    let mut claims = json!({
        "iss": world.provider.issuer(), "aud": CLIENT_ID, "iat": NOON, "exp": NOON + 120, "jti": "once",
        "sub": SUBJECT, "sid": "session-1", "events": { EVENT: {} },
    });
    let all = claims.as_object_mut().expect("an object");
    all.extend(change.as_object().expect("an object").clone());
    all.retain(|_, value| !value.is_null());
    claims
}

async fn sign_out(world: &World, change: &Value) -> Result<LogoutToken, Refusal> {
    let token = world.provider.sign(&claims(world, change));
    world.oidc.logout_token(&world.settings, &token, world.now()).await
}

fn at(seconds: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(NOON + seconds, 0).expect("a time")
}

#[tokio::test]
async fn o29_a_logout_token_names_who_or_which_session_ended() {
    let world = World::new();
    for kind in ["JWT", "logout+jwt", "Logout+JWT"] {
        world.provider.header("typ", kind);
        let token = sign_out(&world, &json!({})).await.expect("a logout token");
        let expected = LogoutToken {
            issuer: world.provider.issuer(),
            subject: Some(SUBJECT.into()),
            session_id: Some("session-1".into()),
            jti: "once".into(),
            usable_until: at(180),
        };
        assert_eq!(token, expected);
    }
    let token = sign_out(&world, &json!({ "sub": null, "events": { EVENT: {}, "urn:other": {} } })).await;
    assert_eq!(token.expect("a logout token").subject, None);
    // Some providers leave the end out: the token counts for minutes anyway.
    let token = sign_out(&world, &json!({ "exp": null })).await.expect("a logout token");
    assert_eq!(token.usable_until, at(180));
    let token = sign_out(&world, &json!({ "sid": null })).await.expect("a logout token");
    assert_eq!((token.subject.as_deref(), token.session_id), (Some(SUBJECT), None));
}

#[tokio::test]
async fn o35_what_is_no_logout_token_is_refused() {
    let world = World::new();
    for (change, reason) in [
        (json!({ "nonce": "x" }), Reason::LogoutNonce),
        (json!({ "nonce": false }), Reason::LogoutNonce),
        (json!({ "events": null }), Reason::LogoutEvent),
        (json!({ "events": {} }), Reason::LogoutEvent),
        (json!({ "events": { EVENT: true } }), Reason::LogoutEvent),
        (json!({ "events": [EVENT] }), Reason::LogoutEvent),
        (json!({ "events": EVENT }), Reason::LogoutEvent),
        (json!({ "aud": "other" }), Reason::Audience),
        (json!({ "aud": [CLIENT_ID, "other"] }), Reason::AuthorizedParty),
        (json!({ "iss": "https://evil.example" }), Reason::Issuer),
        (json!({ "jti": null }), Reason::ClaimMissing),
        (json!({ "jti": "" }), Reason::ClaimMalformed),
        (json!({ "iat": null }), Reason::ClaimMissing),
        (json!({ "exp": null, "iat": NOON - 180 }), Reason::LogoutAge),
        (json!({ "exp": "soon" }), Reason::ClaimMalformed),
        (json!({ "exp": NOON - 60 }), Reason::Expired),
        (json!({ "iat": NOON + 61 }), Reason::IssuedInFuture),
        (json!({ "iat": NOON - 180 }), Reason::LogoutAge),
        (json!({ "sub": null, "sid": null }), Reason::LogoutSubject),
        (json!({ "sub": 7 }), Reason::ClaimMalformed),
    ] {
        let refusal = sign_out(&world, &change).await.expect_err("refused");
        assert_eq!(told(refusal).0, reason, "{change}");
    }
    let oldest = sign_out(&world, &json!({ "iat": NOON - 179 })).await.expect("a logout token");
    assert_eq!(oldest.usable_until, at(1));
}

#[tokio::test]
async fn o35_a_logout_token_of_another_key_type_or_algorithm_is_refused() {
    let world = World::new();
    world.provider.header("typ", "at+jwt");
    assert_eq!(sign_out(&world, &json!({})).await.expect_err("refused").reason, Reason::TokenType);
    world.provider.header("typ", "logout+jwt");
    world.provider.state().signs_with = Pair::Second;
    assert_eq!(sign_out(&world, &json!({})).await.expect_err("refused").reason, Reason::Signature);
    world.provider.header("kid", "ghost");
    for _ in 0..10 {
        assert_eq!(sign_out(&world, &json!({})).await.expect_err("refused").reason, Reason::KeyUnknown);
    }
    // Whoever posts such tokens makes nobody fetch keys.
    assert_eq!(world.fetched_keys(), 2);
    {
        let mut state = world.provider.state();
        (state.algorithm, state.signs_with) = ("none", Pair::First);
    }
    world.provider.header("alg", "none");
    assert_eq!(sign_out(&world, &json!({})).await.expect_err("refused").reason, Reason::Algorithm);
}

#[tokio::test]
async fn o35_an_id_token_is_no_logout_token_nor_the_other_way_round() {
    let world = World::new();
    let person = world.sign_in().await.expect("a person");
    let refused =
        world.oidc.logout_token(&world.settings, person.id_token.as_deref().expect("a token"), world.now()).await;
    assert_eq!(refused.expect_err("refused").reason, Reason::LogoutEvent);
    let logout = claims(&world, &json!({}));
    world.provider.state().claims.clone_from(logout.as_object().expect("an object"));
    world.provider.claim("nonce", Value::Null);
    assert_eq!(world.refused().await.0, Reason::Nonce);
}

#[tokio::test]
async fn o29_the_browser_is_sent_to_the_provider_to_sign_out_there() {
    const HOME: &str = "https://flags.example.com/team/";
    let world = World::new();
    world.provider.describe("end_session_endpoint", world.provider.server.url("/end?tenant=a#b"));
    let sent = |id_token: Option<String>| {
        let world = &world;
        async move {
            let id_token = id_token.as_deref();
            let url = world.oidc.end_session_url(&world.settings, id_token, HOME, "st&te", world.now()).await;
            Url::parse(&url.expect("an answer").expect("an address")).expect("an address")
        }
    };
    let pairs = |url: &Url| url.query_pairs().into_owned().collect::<Vec<(String, String)>>();
    let own = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let without_hint = vec![
        own("tenant", "a"),
        own("client_id", CLIENT_ID),
        own("post_logout_redirect_uri", HOME),
        own("state", "st&te"),
    ];
    let url = sent(Some("a.b.c".into())).await;
    assert_eq!((url.path(), url.fragment()), ("/end", None));
    assert_eq!(pairs(&url), [without_hint.clone(), vec![own("id_token_hint", "a.b.c")]].concat());
    for id_token in [None, Some("a".repeat(7000))] {
        assert_eq!(pairs(&sent(id_token).await), without_hint);
    }
    world.provider.state().discovery.remove("end_session_endpoint");
    world.advance(3600);
    let none = world.oidc.end_session_url(&world.settings, None, HOME, "state", world.now()).await;
    assert_eq!(none, Ok(None));
}
