//! By which keys and algorithms a token is believed.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use flagstone::{
    domain::token_algorithm::TokenAlgorithm,
    providers::oidc::{Reason, Refusal},
};
use serde_json::{Value, json};

use super::{
    hostile::{CLIENT_ID, SUBJECT},
    pairs::Pair,
    server::Reply,
    world::{NOON, World, told},
};

/// A world whose provider publishes this key alone.
fn publishing(change: impl FnOnce(&mut serde_json::Map<String, Value>)) -> World {
    let world = World::new();
    change(world.provider.state().keys[0].as_object_mut().expect("a key"));
    world
}

pub fn sign_by(world: &World, algorithm: &'static str) {
    let mut state = world.provider.state();
    state.algorithm = algorithm;
    state.header.insert("alg".into(), algorithm.into());
}

#[tokio::test]
async fn o10_a_token_without_a_signature_is_refused() {
    let world = World::new();
    sign_by(&world, "none");
    for name in ["none", "None", "NONE", "nOnE"] {
        world.provider.header("alg", name);
        assert_eq!(world.refused().await, (Reason::Algorithm, "RS256".into(), name.into()));
    }
    // With the name of the right one, it is just no signature.
    world.provider.header("alg", "RS256");
    assert_eq!(world.refused().await.0, Reason::Signature);
    world.provider.header("alg", Value::Null);
    assert_eq!(world.refused().await.0, Reason::TokenMalformed);
    world.provider.state().header.remove("alg");
    assert_eq!(world.refused().await.0, Reason::TokenMalformed);
    assert_eq!(world.fetched_keys(), 2);
}

#[tokio::test]
async fn o13_an_unknown_key_makes_the_keys_be_fetched_once_for_everybody() {
    let world = World::new();
    world.sign_in().await.expect("a person");
    assert_eq!(world.fetched_keys(), 1);
    world.provider.header("kid", "ghost");
    let mut begun = Vec::new();
    for _ in 0..20 {
        begun.push(world.begin().await);
    }
    let finished = futures_util::future::join_all(begun.iter().map(|begun| world.finish(begun))).await;
    for refused in finished {
        let refusal = refused.expect_err("refused");
        assert_eq!(told(refusal), (Reason::KeyUnknown, "first".into(), "ghost".into()));
    }
    assert_eq!(world.fetched_keys(), 2);
    world.advance(59);
    assert_eq!((world.refused().await.0, world.fetched_keys()), (Reason::KeyUnknown, 2));
    world.advance(1);
    assert_eq!((world.refused().await.0, world.fetched_keys()), (Reason::KeyUnknown, 3));
    // Nobody who is known by the keys at hand waits for any of it.
    world.provider.header("kid", "first");
    world.sign_in().await.expect("a person");
    assert_eq!(world.fetched_keys(), 3);
}

#[tokio::test]
async fn o14_rotated_keys_are_followed_without_a_gap() {
    for (kid_before, kid_after) in [(Some("first"), Some("second")), (Some("same"), Some("same")), (None, None)] {
        let world = World::new();
        let rotate = |pair: Pair, kid: Option<&str>| {
            let mut state = world.provider.state();
            let mut key = pair.jwk("");
            let key_kid = key.as_object_mut().expect("a key");
            if let Some(kid) = kid {
                key_kid.insert("kid".into(), kid.into());
                state.header.insert("kid".into(), kid.into());
            } else {
                key_kid.remove("kid");
                state.header.remove("kid");
            }
            (state.keys, state.signs_with) = (vec![key], pair);
        };
        rotate(Pair::First, kid_before);
        world.sign_in().await.expect("a person");
        rotate(Pair::Second, kid_after);
        world.sign_in().await.unwrap_or_else(|refusal| panic!("{kid_after:?}: {refusal}"));
        assert_eq!(world.fetched_keys(), 2);
        // Announced beforehand, the next one costs nothing.
        world.provider.state().keys = vec![Pair::First.jwk("old"), Pair::Second.jwk("new")];
        world.advance(3600);
        world.provider.state().signs_with = Pair::First;
        world.provider.header("kid", "old");
        world.sign_in().await.expect("a person");
        world.provider.state().signs_with = Pair::Second;
        world.provider.header("kid", "new");
        world.sign_in().await.expect("a person");
        assert_eq!(world.fetched_keys(), 3);
    }
}

#[tokio::test]
async fn o14_a_token_that_names_no_key_is_believed_by_any_that_fits() {
    let world = World::new();
    world.provider.state().header.remove("kid");
    let other = json!({ "kty": "EC", "crv": "P-256", "x": "AA", "y": "AA", "use": "sig" });
    world.provider.state().keys = vec![other.clone(), json!(7), Pair::Second.jwk("b"), Pair::First.jwk("a")];
    world.sign_in().await.expect("a person");
    world.provider.state().keys = vec![other];
    world.advance(3600);
    assert_eq!(world.refused().await.0, Reason::KeyAbsent);
}

#[tokio::test]
async fn o13_an_unreachable_provider_leaves_the_reason_as_it_was() {
    let world = World::new();
    world.sign_in().await.expect("a person");
    world.provider.header("kid", "ghost");
    world.provider.reply("/keys", || Reply::status(500, &json!({})));
    assert_eq!(world.refused().await.0, Reason::KeyUnknown);
    assert_eq!(world.fetched_keys(), 2);
    world.provider.header("kid", "first");
    world.sign_in().await.expect("a person");
}

#[tokio::test]
async fn o15_o30_a_key_that_is_published_for_something_else_is_not_used() {
    let none = || Value::Null;
    for (property, value, expected) in [
        ("use", json!("enc"), Some((Reason::KeyUse, "sig", "enc"))),
        ("use", json!("SIG"), Some((Reason::KeyUse, "sig", "SIG"))),
        ("use", none(), Some((Reason::KeyUse, "sig", ""))),
        ("key_ops", json!(["encrypt", "wrapKey"]), Some((Reason::KeyUse, "verify", "encrypt, wrapKey"))),
        ("key_ops", json!([]), Some((Reason::KeyUse, "verify", ""))),
        ("key_ops", json!(["verify", "sign"]), None),
        ("alg", json!("RS512"), Some((Reason::KeyAlgorithm, "RS256", "RS512"))),
        ("alg", json!("RSA-OAEP"), Some((Reason::KeyAlgorithm, "RS256", "RSA-OAEP"))),
        ("kty", json!("EC"), Some((Reason::KeyType, "RSA", "EC"))),
        ("kty", json!("oct"), Some((Reason::KeyType, "RSA", "oct"))),
        ("n", json!(""), Some((Reason::KeySize, "2048 to 8192 bits", "0"))),
        ("n", json!("no base64!"), Some((Reason::KeySize, "2048 to 8192 bits", "0"))),
        ("n", json!(URL_SAFE_NO_PAD.encode([0x80; 128])), Some((Reason::KeySize, "2048 to 8192 bits", "1024"))),
        ("n", json!(URL_SAFE_NO_PAD.encode([0x7f; 256])), Some((Reason::KeySize, "2048 to 8192 bits", "2047"))),
        ("n", json!(URL_SAFE_NO_PAD.encode([0x80; 1025])), Some((Reason::KeySize, "2048 to 8192 bits", "8200"))),
        ("n", json!(URL_SAFE_NO_PAD.encode([0x80; 256])), Some((Reason::Signature, "one by the key first", ""))),
        ("e", json!(""), Some((Reason::Signature, "one by the key first", ""))),
    ] {
        let world = publishing(|key| drop(key.insert(property.into(), value.clone())));
        let expected = expected.map(|(reason, expected, found)| (reason, expected.to_owned(), found.to_owned()));
        let refused = world.sign_in().await.err().map(told);
        assert_eq!(refused, expected, "{property}: {value}");
        if expected.is_some() {
            world.provider.state().header.remove("kid");
            let refused = world.refused().await.0;
            assert!(matches!(refused, Reason::KeyAbsent | Reason::Signature), "{refused:?}");
        }
    }
    let world = publishing(|key| {
        key.remove("use");
        key.remove("alg");
        // With a zero in front, as some write numbers.
        let n = URL_SAFE_NO_PAD.decode(key["n"].as_str().expect("a number")).expect("base64");
        key.insert("n".into(), URL_SAFE_NO_PAD.encode([&[0], n.as_slice()].concat()).into());
    });
    world.sign_in().await.expect("a person");
    assert_eq!(world.oidc.keys(&world.settings, world.now()).await.expect("keys").usable(TokenAlgorithm::Rs256), 1);
}

#[tokio::test]
async fn o30_what_a_token_demands_or_is_besides_makes_it_refused() {
    let world = World::new();
    for (name, value, reason) in [
        ("crit", json!(["exp"]), Reason::CriticalHeader),
        ("crit", json!(["http://evil.example"]), Reason::CriticalHeader),
        ("crit", json!([]), Reason::CriticalHeader),
        ("crit", json!("exp"), Reason::TokenMalformed),
        ("typ", json!("at+jwt"), Reason::TokenType),
        ("typ", json!("logout+jwt"), Reason::TokenType),
        ("typ", json!("application/at+jwt"), Reason::TokenType),
        ("typ", json!(7), Reason::TokenMalformed),
        ("kid", json!(7), Reason::TokenMalformed),
    ] {
        let before = world.provider.state().header.insert(name.into(), value.clone());
        assert_eq!(world.refused().await.0, reason, "{name}: {value}");
        match before {
            Some(before) => world.provider.header(name, before),
            None => drop(world.provider.state().header.remove(name)),
        }
    }
    world.provider.claim("iss", json!([world.provider.issuer()]));
    assert_eq!(world.refused().await, (Reason::ClaimMalformed, "a text".into(), "iss".into()));
    world.provider.state().claims.clear();
    // A key that comes with the token is nobody's.
    world.provider.state().signs_with = Pair::Second;
    world.provider.header("jwk", Pair::Second.jwk("first"));
    assert_eq!(world.refused().await.0, Reason::Signature);
    world.provider.state().signs_with = Pair::First;
    world.provider.header("typ", "jwt");
    world.sign_in().await.expect("a person");
    world.provider.state().header.remove("typ");
    world.sign_in().await.expect("a person");
}

#[tokio::test]
async fn o30_what_is_no_token_is_refused() {
    let world = World::new();
    let good = world.provider.sign(&json!({ "sub": "x" }));
    let parts: Vec<_> = good.split('.').collect();
    let [head, body, signature] = parts[..] else { panic!("three parts") };
    let not_json = URL_SAFE_NO_PAD.encode("no json");
    for (token, reason) in [
        ("x".to_owned(), Reason::TokenMalformed),
        (format!("{head}.{body}"), Reason::TokenMalformed),
        (format!("{head}.{body}.{signature}."), Reason::TokenMalformed),
        (format!("{head}.{body}.{signature}.{body}.{body}"), Reason::TokenMalformed),
        (format!("{not_json}.{body}.{signature}"), Reason::TokenMalformed),
        (format!("{head}=.{body}.{signature}"), Reason::TokenMalformed),
        (format!("{head}.{body}.{signature}="), Reason::TokenMalformed),
        (format!("{head}.{body} .{signature}"), Reason::Signature),
        (format!("{head}.{not_json}.{signature}"), Reason::Signature),
        (format!("{head}.{body}."), Reason::Signature),
        (format!("{head}..{signature}"), Reason::Signature),
        (good.clone(), Reason::ClaimMissing),
    ] {
        let answer = json!({ "id_token": token, "access_token": "access-token" });
        world.provider.reply("/token", move || Reply::json(&answer));
        assert_eq!(world.refused().await.0, reason, "{token}");
    }
    let signed_text = world.provider.sign(&json!("a text"));
    world.provider.reply("/token", move || Reply::json(&json!({ "id_token": signed_text })));
    assert_eq!(world.refused().await.0, Reason::TokenMalformed);
}

#[tokio::test]
async fn o30_of_very_many_keys_none_is_read() {
    let world = World::new();
    world.provider.state().keys = (0..101).map(|at| Pair::First.jwk(&at.to_string())).collect();
    let refused = world.refused().await;
    assert_eq!(refused, (Reason::KeysMalformed, "at most 100 keys".into(), "101 keys".into()));
    for keys in [json!({}), json!([]), json!({ "keys": {} }), json!("x")] {
        let answer = keys.clone();
        world.provider.reply("/keys", move || Reply::json(&answer));
        let refusal: Refusal = world.oidc.keys(&world.settings, world.now()).await.expect_err("refused");
        assert_eq!(refusal.reason, Reason::KeysMalformed, "{keys}");
    }
}

#[tokio::test]
async fn o30_no_character_of_a_token_can_be_changed() {
    let world = World::new();
    let claims = json!({
        "iss": world.provider.issuer(), "aud": CLIENT_ID, "iat": NOON, "exp": NOON + 120, "jti": "once", "sub": SUBJECT,
        "events": { "http://schemas.openid.net/event/backchannel-logout": {} },
    });
    let good = world.provider.sign(&claims);
    let read = async |token: &str| world.oidc.logout_token(&world.settings, token, world.now()).await;
    read(&good).await.expect("a logout token");
    for at in 0..good.len() {
        // Another letter, the bits at the end of a part that mean nothing, and what is no letter.
        for other in ['A', 'B', '.', 'ä'] {
            let token = format!("{}{other}{}", &good[..at], &good[at + 1..]);
            if token != good {
                assert!(read(&token).await.is_err(), "{token}");
            }
        }
        assert!(read(&good[..at]).await.is_err() && read(&good[at + 1..]).await.is_err());
    }
}
