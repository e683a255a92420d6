//! Issuer, audience and times of a token.

use flagstone::{
    domain::token_algorithm::TokenAlgorithm,
    providers::oidc::{Callback, Reason},
};
use serde_json::{Value, json};

use super::{
    hostile::{CLIENT_ID, REDIRECT_URI, SUBJECT},
    pairs::Pair,
    signatures::sign_by,
    world::{NOON, World, told},
};

#[tokio::test]
async fn o0_a_sign_in_as_it_should_be_tells_who_it_is() {
    let mut world = World::new();
    world.settings.add_groups_scope = true;
    world.settings.extra_scopes = vec!["offline  email".into(), "groups".into()];
    world.provider.claim("sid", "session-1");
    world.provider.claim("name", "Ada Example");
    world.provider.describe("authorization_endpoint", world.provider.server.url("/authorize?tenant=a#b"));
    let begun = world.begin().await;
    let signed_in = world.finish(&begun).await.expect("a person");
    assert_eq!((signed_in.issuer, &*signed_in.subject), (world.provider.issuer(), SUBJECT));
    assert_eq!((&*signed_in.email, signed_in.email_verified), ("ada@example.com", None));
    assert_eq!((signed_in.name.as_deref(), signed_in.session_id.as_deref()), (Some("Ada Example"), Some("session-1")));
    assert_eq!((signed_in.groups, signed_in.claims["aud"].as_str()), (None, Some(CLIENT_ID)));
    assert_eq!(signed_in.id_token.as_deref().expect("a token").matches('.').count(), 2);
    let start = world.oidc.start(&world.settings, &begun.secrets, REDIRECT_URI, world.now()).await.expect("a start");
    let url = url::Url::parse(&start.url).expect("an address");
    let query: Vec<(String, String)> = url.query_pairs().into_owned().collect();
    assert_eq!(query[0], ("tenant".into(), "a".into()));
    assert!(query.contains(&("scope".into(), "openid email profile groups offline".into())), "{query:?}");
    assert!(url.fragment().is_none() && query.iter().all(|(name, _)| name != "acr_values"));
    for secret in [&begun.secrets.state, &begun.secrets.nonce, &begun.secrets.verifier] {
        assert_eq!(secret.len(), 43);
    }
    assert!(!start.url.contains(&begun.secrets.verifier));
    // The document and the keys were fetched once for all of it.
    assert_eq!(world.provider.server.seen("/.well-known/openid-configuration").len(), 1);
    assert_eq!(world.fetched_keys(), 1);
    assert!(world.provider.server.seen("/userinfo").is_empty());
}

#[tokio::test]
async fn o0_the_secret_goes_into_the_body_where_the_provider_takes_it_there_alone() {
    let world = World::new();
    world.provider.describe("token_endpoint_auth_methods_supported", json!(["client_secret_post"]));
    assert_eq!(world.sign_in().await.expect("a person").subject, SUBJECT);
    let seen = world.provider.server.seen("/token");
    assert!(seen[0].method == "POST" && !seen[0].headers.contains_key("authorization"));
    assert!(seen[0].body.contains("client_secret=s3cret"));
}

#[tokio::test]
async fn o1_a_token_of_another_issuer_is_refused() {
    let world = World::new();
    let ours = world.provider.issuer();
    for other in ["https://evil.example".to_owned(), format!("{ours}/"), ours.to_uppercase(), format!(" {ours}")] {
        world.provider.claim("iss", other.clone());
        assert_eq!(world.refused().await, (Reason::Issuer, ours.clone(), other));
    }
    world.provider.claim("iss", Value::Null);
    assert_eq!(world.refused().await, (Reason::ClaimMissing, "iss".into(), String::new()));
}

#[tokio::test]
async fn o2_a_token_for_somebody_else_is_refused() {
    let world = World::new();
    for (audience, found) in [
        (json!("other"), "other"),
        (json!(["other", "another"]), "other, another"),
        (json!([]), ""),
        (json!(CLIENT_ID.to_uppercase()), "HTTPS://FLAGS.EXAMPLE.COM"),
    ] {
        world.provider.claim("aud", audience);
        assert_eq!(world.refused().await, (Reason::Audience, CLIENT_ID.into(), found.into()));
    }
    world.provider.claim("aud", Value::Null);
    assert_eq!(world.refused().await, (Reason::ClaimMissing, "aud".into(), String::new()));
    for odd in [json!({ CLIENT_ID: true }), json!([CLIENT_ID, 7])] {
        world.provider.claim("aud", odd);
        assert_eq!(world.refused().await.0, Reason::ClaimMalformed);
    }
}

#[tokio::test]
async fn o3_a_token_for_others_too_must_have_been_given_to_us() {
    let world = World::new();
    world.provider.claim("aud", json!([CLIENT_ID, "other"]));
    let found = format!("none, for {CLIENT_ID}, other");
    assert_eq!(world.refused().await, (Reason::AuthorizedParty, CLIENT_ID.into(), found));
    world.provider.claim("azp", "other");
    assert_eq!(world.refused().await, (Reason::AuthorizedParty, CLIENT_ID.into(), "other".into()));
    world.provider.claim("azp", CLIENT_ID);
    world.sign_in().await.expect("a person");
    world.provider.claim("aud", CLIENT_ID);
    world.sign_in().await.expect("a person");
    world.provider.claim("azp", "other");
    assert_eq!(world.refused().await.0, Reason::AuthorizedParty);
    // The same twice is not several.
    world.provider.claim("azp", Value::Null);
    world.provider.claim("aud", json!([CLIENT_ID, CLIENT_ID]));
    world.sign_in().await.expect("a person");
}

#[tokio::test]
async fn o4_o5_o6_a_token_of_another_time_is_refused_and_the_skew_is_allowed_to_the_second() {
    for skew in [0, 60, 300] {
        let mut world = World::new();
        world.settings.skew_seconds = skew;
        let skew = i64::from(skew);
        for (claim, last, first_refused, reason) in [
            ("exp", NOON - skew + 1, NOON - skew, Reason::Expired),
            ("nbf", NOON + skew, NOON + skew + 1, Reason::NotYetValid),
            ("iat", NOON + skew, NOON + skew + 1, Reason::IssuedInFuture),
            ("iat", NOON - skew, NOON - skew - 1, Reason::IssuedBeforeStart),
        ] {
            world.provider.claim(claim, last);
            world.sign_in().await.unwrap_or_else(|refusal| panic!("{claim} with {skew}: {refusal}"));
            world.provider.claim(claim, first_refused);
            let (found_reason, expected, found) = world.refused().await;
            assert_eq!(found_reason, reason, "{claim} with {skew}");
            assert_eq!(expected, "2027-01-15T08:00:00Z");
            assert!(
                found.starts_with("2027-01-15T") && found.ends_with('Z') && found != expected || skew == 0,
                "{found}"
            );
            world.provider.state().claims.clear();
        }
    }
    let world = World::new();
    world.provider.claim("iat", NOON + 10 * 365 * 86_400);
    world.provider.claim("exp", NOON + 11 * 365 * 86_400);
    assert_eq!(world.refused().await.0, Reason::IssuedInFuture);
}

#[tokio::test]
async fn o4_a_token_without_a_time_or_with_an_odd_one_is_refused() {
    let world = World::new();
    for claim in ["exp", "iat"] {
        world.provider.claim(claim, Value::Null);
        assert_eq!(world.refused().await, (Reason::ClaimMissing, claim.into(), String::new()));
        for odd in [json!("1800000100"), json!(true), json!(1e300), json!(u64::MAX), json!(i64::MIN)] {
            world.provider.claim(claim, odd);
            assert_eq!(world.refused().await, (Reason::ClaimMalformed, "a time in seconds".into(), claim.into()));
        }
        world.provider.claim(claim, json!([NOON]));
        assert!(matches!(world.refused().await.0, Reason::ClaimMalformed | Reason::TokenMalformed));
        world.provider.state().claims.clear();
    }
    world.provider.claim("iat", 1_800_000_000.75);
    world.provider.claim("exp", 1_800_000_300.5);
    world.sign_in().await.expect("a person");
}

#[tokio::test]
async fn o6_a_token_that_is_younger_than_the_answer_of_the_browser_is_fine_when_the_exchange_took_its_time() {
    let mut world = World::new();
    world.settings.skew_seconds = 0;
    let begun = world.begin().await;
    world.advance(30);
    world.finish(&begun).await.expect("a person");
}

#[tokio::test]
async fn o7_a_token_with_another_nonce_is_refused() {
    let world = World::new();
    let earlier = world.begin().await;
    world.provider.claim("nonce", earlier.secrets.nonce.clone());
    assert_eq!(world.refused().await, (Reason::Nonce, String::new(), "another".into()));
    world.finish(&earlier).await.expect("a person");
    world.provider.claim("nonce", "");
    assert_eq!(world.refused().await, (Reason::Nonce, String::new(), "another".into()));
    world.provider.claim("nonce", Value::Null);
    assert_eq!(world.refused().await, (Reason::Nonce, String::new(), "none".into()));
    world.provider.claim("nonce", json!([earlier.secrets.nonce]));
    assert_eq!(world.refused().await.0, Reason::ClaimMalformed);
}

#[tokio::test]
async fn o16_a_token_that_names_another_access_token_is_refused() {
    let mut world = World::new();
    // The left half of the hash of "access-token".
    for algorithm in TokenAlgorithm::ALL {
        let hash = half_hash(match algorithm.name() {
            "RS256" | "PS256" | "ES256" => &ring::digest::SHA256,
            "RS384" | "PS384" | "ES384" => &ring::digest::SHA384,
            _ => &ring::digest::SHA512,
        });
        world.settings.algorithm = algorithm;
        world.forget();
        world.provider.state().signs_with = Pair::of(algorithm);
        sign_by(&world, algorithm.name());
        world.provider.state().keys = vec![Pair::of(algorithm).jwk_for("first", algorithm.name())];
        world.provider.claim("at_hash", hash.clone());
        world.sign_in().await.expect("a person");
        for wrong in [json!("AAAAAAAAAAAAAAAAAAAAAA"), json!(""), json!(&hash[..20]), json!(hash.to_lowercase())] {
            world.provider.claim("at_hash", wrong);
            assert_eq!(world.refused().await.0, Reason::AccessTokenHash);
        }
        world.provider.claim("at_hash", json!({}));
        assert_eq!(world.refused().await.0, Reason::ClaimMalformed);
        world.provider.claim("at_hash", hash);
    }
    world.provider.state().access_token = None;
    let told = world.refused().await;
    assert_eq!(told, (Reason::AccessTokenHash, String::new(), "no access token".into()));
}

fn half_hash(algorithm: &'static ring::digest::Algorithm) -> String {
    use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};

    let hash = ring::digest::digest(algorithm, b"access-token");
    URL_SAFE_NO_PAD.encode(&hash.as_ref()[..hash.as_ref().len() / 2])
}

#[tokio::test]
async fn o22_whoever_was_authenticated_in_another_way_is_refused() {
    let mut world = World::new();
    world.settings.acr_values = Some(" urn:mfa  urn:key ".into());
    let begun = world.begin().await;
    world.finish(&begun).await.expect("a person");
    world.provider.claim("acr", "urn:key");
    world.sign_in().await.expect("a person");
    for (acr, found) in
        [(json!("urn:pwd"), "urn:pwd"), (json!("urn:mfa urn:key"), "urn:mfa urn:key"), (json!(null), "none")]
    {
        world.provider.claim("acr", acr);
        assert_eq!(world.refused().await, (Reason::Acr, "urn:mfa or urn:key".into(), found.into()));
    }
    world.settings.acr_values = Some("  ".into());
    world.sign_in().await.expect("a person");
}

#[tokio::test]
async fn o18_o32_an_answer_in_the_name_of_another_provider_is_refused() {
    let world = World::new();
    let ours = world.provider.issuer();
    for (promised, iss, reason) in [
        (false, None, None),
        (false, Some(ours.clone()), None),
        (false, Some("https://evil.example".to_owned()), Some(Reason::CallbackIssuer)),
        (false, Some(format!("{ours}/")), Some(Reason::CallbackIssuer)),
        (false, Some(String::new()), Some(Reason::CallbackIssuer)),
        (true, None, Some(Reason::CallbackIssuerMissing)),
        (true, Some(ours.clone()), None),
    ] {
        let mut world = World::new();
        world.provider.describe("authorization_response_iss_parameter_supported", promised);
        world.forget();
        let begun = world.begin().await;
        // This provider has a port of its own, and so a name of its own.
        let iss = iss.map(|iss| iss.replace(&ours, &world.provider.issuer()));
        let callback = Callback { code: Some(&begun.returned.code), iss: iss.as_deref(), error: None };
        let finished = world.finish_with(&begun.secrets, begun.started_at, &callback).await;
        let exchanged = world.provider.server.seen("/token").len();
        match reason {
            None => assert_eq!((finished.expect("a person").subject.as_str(), exchanged), (SUBJECT, 1)),
            Some(reason) => {
                let (found_reason, expected, found) = told(finished.expect_err("refused"));
                assert_eq!((found_reason, expected), (reason, world.provider.issuer()));
                // The code stays with us: it may be another provider's.
                assert_eq!((found, exchanged), (iss.unwrap_or_default(), 0));
            }
        }
    }
}

#[tokio::test]
async fn o17_a_code_counts_once_and_for_whoever_began() {
    let world = World::new();
    let begun = world.begin().await;
    world.finish(&begun).await.expect("a person");
    let again = world.finish(&begun).await.expect_err("refused");
    assert_eq!(told(again), (Reason::TokenRefused, String::new(), "400, invalid_grant".into()));
    // Somebody else's code does not fit the verifier of this browser.
    let (victim, mut attacker) = (world.begin().await, world.begin().await);
    attacker.returned.code = victim.returned.code;
    let injected = world.finish(&attacker).await.expect_err("refused");
    assert_eq!(told(injected), (Reason::TokenRefused, String::new(), "400, invalid_grant".into()));
}

#[tokio::test]
async fn o17_an_answer_without_a_code_is_refused() {
    let world = World::new();
    let begun = world.begin().await;
    let long = "a".repeat(8193);
    for code in [None, Some(""), Some(long.as_str())] {
        let callback = Callback { code, ..Callback::default() };
        let refusal = world.finish_with(&begun.secrets, begun.started_at, &callback).await.expect_err("refused");
        assert_eq!(told(refusal), (Reason::CodeMissing, String::new(), String::new()));
    }
    for (error, found) in [
        ("access_denied", "access_denied"),
        ("", "something else than a code"),
        ("<script>", "something else than a code"),
        ("a\r\nb", "something else than a code"),
        (&*long, "something else than a code"),
    ] {
        let callback = Callback { code: Some(&begun.returned.code), error: Some(error), iss: None };
        let refusal = world.finish_with(&begun.secrets, begun.started_at, &callback).await.expect_err("refused");
        assert_eq!(told(refusal), (Reason::ProviderError, String::new(), found.into()));
    }
    assert!(world.provider.server.seen("/token").is_empty());
}
