//! That each algorithm is believed by keys of its own type alone, and by signatures in its own form.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use flagstone::{
    domain::token_algorithm::TokenAlgorithm,
    providers::oidc::{Reason, Refusal},
};
use poem::http::Method;
use serde_json::{Value, json};

use super::{
    company::Company,
    pairs::Pair,
    signatures::sign_by,
    world::{World, told},
};

const POLICY: &str = "/api/admin/auth/policy";
/// Names of algorithms that a token might give, each with a key that could sign by it.
const USED: [(&str, Pair); 11] = [
    ("RS256", Pair::First),
    ("RS384", Pair::First),
    ("RS512", Pair::First),
    ("PS256", Pair::First),
    ("PS384", Pair::First),
    ("PS512", Pair::First),
    ("ES256", Pair::P256),
    ("ES384", Pair::P384),
    ("EdDSA", Pair::Ed25519),
    ("HS256", Pair::First),
    ("HS256", Pair::Ed25519),
];

/// A world in which tokens are signed by this algorithm, and its key is published for it.
fn world_of(algorithm: TokenAlgorithm) -> World {
    let mut world = World::new();
    world.settings.algorithm = algorithm;
    sign_by(&world, algorithm.name());
    let pair = Pair::of(algorithm);
    let mut state = world.provider.state();
    state.signs_with = pair;
    state.keys = vec![pair.jwk_for("first", algorithm.name())];
    drop(state);
    world
}

/// A provider that publishes its key with a change to it.
fn publishing(algorithm: TokenAlgorithm, property: &str, value: &Value) -> World {
    let world = world_of(algorithm);
    world.provider.state().keys[0][property] = value.clone();
    world
}

async fn refused(world: &World) -> Option<(Reason, String, String)> {
    world.sign_in().await.err().map(|refusal: Refusal| told(refusal))
}

#[tokio::test]
async fn o11_o12_a_token_of_another_algorithm_is_refused_though_its_signature_holds() {
    for configured in TokenAlgorithm::ALL {
        for (used, pair) in USED {
            let world = world_of(configured);
            sign_by(&world, used);
            {
                let mut state = world.provider.state();
                let mut key = pair.jwk("first");
                key.as_object_mut().expect("a key").remove("alg");
                (state.keys, state.signs_with) = (vec![key], pair);
            }
            let expected =
                (used != configured.name()).then(|| (Reason::Algorithm, configured.name().to_owned(), used.to_owned()));
            assert_eq!(refused(&world).await, expected, "{used} in the place of {}", configured.name());
        }
    }
}

#[tokio::test]
async fn o11_the_public_key_is_no_shared_secret_whatever_the_token_calls_itself() {
    for configured in TokenAlgorithm::ALL {
        let world = world_of(configured);
        world.provider.state().algorithm = "HS256";
        assert_eq!(refused(&world).await.expect("refused").0, Reason::Signature, "{}", configured.name());
        world.provider.header("alg", "HS256");
        let expected = (Reason::Algorithm, configured.name().to_owned(), "HS256".to_owned());
        assert_eq!(refused(&world).await, Some(expected));
    }
}

#[tokio::test]
async fn o10_o12_a_signature_of_another_form_is_none() {
    for (configured, signed) in [
        (TokenAlgorithm::Rs256, "PS256"),
        (TokenAlgorithm::Ps256, "RS256"),
        (TokenAlgorithm::Ps256, "PS384"),
        (TokenAlgorithm::Ps384, "PS512"),
        (TokenAlgorithm::Es256, "DER"),
        (TokenAlgorithm::Es256, "zero"),
        (TokenAlgorithm::Es384, "zero"),
        (TokenAlgorithm::EdDsa, "zero"),
        (TokenAlgorithm::Ps256, "none"),
        (TokenAlgorithm::Es256, "none"),
        (TokenAlgorithm::Es384, "none"),
        (TokenAlgorithm::EdDsa, "none"),
    ] {
        let world = world_of(configured);
        world.provider.state().algorithm = signed;
        let (reason, ..) = refused(&world).await.expect("refused");
        assert_eq!(reason, Reason::Signature, "{signed} in the place of {}", configured.name());
        world.provider.header("alg", "none");
        let expected = (Reason::Algorithm, configured.name().to_owned(), "none".to_owned());
        assert_eq!(refused(&world).await, Some(expected));
    }
}

#[tokio::test]
async fn o12_a_key_of_another_curve_or_type_is_not_used() {
    for configured in TokenAlgorithm::ALL {
        for (_, pair) in USED {
            if pair == Pair::of(configured) {
                continue;
            }
            // Published without an algorithm, so that its type alone tells.
            let world = world_of(configured);
            let mut key = pair.jwk("first");
            key.as_object_mut().expect("a key").remove("alg");
            world.provider.state().keys = vec![key];
            assert_eq!(refused(&world).await.expect("refused").0, Reason::KeyType, "{}", configured.name());
            // And where a curve has the name of another, its points are of another length, or not on it.
            for curve in ["P-256", "P-384", "Ed25519"] {
                let world = publishing(configured, "crv", &json!(curve));
                world.provider.state().keys[0]["kty"] = json!("EC");
                let fits = Pair::of(configured).jwk("")["crv"] == curve && curve.starts_with('P');
                assert_eq!(refused(&world).await.is_none(), fits, "{curve} for {}", configured.name());
            }
        }
    }
}

#[tokio::test]
async fn o15_o30_a_key_that_is_published_for_something_else_is_not_used() {
    use TokenAlgorithm::{EdDsa, Es256, Es384, Ps256, Ps512, Rs256};

    let [short, long] = [31, 33].map(|length| json!(URL_SAFE_NO_PAD.encode(vec![7; length])));
    let zero = json!(URL_SAFE_NO_PAD.encode([0; 32]));
    for (algorithm, property, value, expected) in [
        // A key for PKCS #1 is not one for PSS, nor for another digest, and the other way round.
        (Ps256, "alg", json!("RS256"), Some((Reason::KeyAlgorithm, "PS256", "RS256"))),
        (Ps256, "alg", json!("PS512"), Some((Reason::KeyAlgorithm, "PS256", "PS512"))),
        (Rs256, "alg", json!("PS256"), Some((Reason::KeyAlgorithm, "RS256", "PS256"))),
        (Ps512, "alg", json!("RSA-OAEP"), Some((Reason::KeyAlgorithm, "PS512", "RSA-OAEP"))),
        (Es256, "alg", json!("ES384"), Some((Reason::KeyAlgorithm, "ES256", "ES384"))),
        (Es256, "alg", json!("ECDH-ES"), Some((Reason::KeyAlgorithm, "ES256", "ECDH-ES"))),
        (EdDsa, "alg", json!("ES256"), Some((Reason::KeyAlgorithm, "EdDSA", "ES256"))),
        (EdDsa, "alg", json!("Ed25519"), None),
        (Ps256, "use", json!("enc"), Some((Reason::KeyUse, "sig", "enc"))),
        (Es256, "use", json!("enc"), Some((Reason::KeyUse, "sig", "enc"))),
        (Es384, "use", json!("enc"), Some((Reason::KeyUse, "sig", "enc"))),
        (EdDsa, "use", json!("enc"), Some((Reason::KeyUse, "sig", "enc"))),
        (Es256, "key_ops", json!(["deriveKey"]), Some((Reason::KeyUse, "verify", "deriveKey"))),
        (Es256, "crv", json!("P-384"), Some((Reason::KeyType, "P-256", "P-384"))),
        (Es256, "crv", json!("secp256k1"), Some((Reason::KeyType, "P-256", "secp256k1"))),
        (Es256, "crv", Value::Null, Some((Reason::KeyType, "P-256", ""))),
        (EdDsa, "crv", json!("X25519"), Some((Reason::KeyType, "Ed25519", "X25519"))),
        (EdDsa, "crv", json!("Ed448"), Some((Reason::KeyType, "Ed25519", "Ed448"))),
        (Es256, "kty", json!("OKP"), Some((Reason::KeyType, "EC", "OKP"))),
        (EdDsa, "kty", json!("EC"), Some((Reason::KeyType, "OKP", "EC"))),
        (Es256, "x", short.clone(), Some((Reason::KeySize, "coordinates of 32 bytes", "31 and 32"))),
        (Es256, "y", long.clone(), Some((Reason::KeySize, "coordinates of 32 bytes", "32 and 33"))),
        (Es256, "y", json!(""), Some((Reason::KeySize, "coordinates of 32 bytes", "32 and 0"))),
        (Es384, "x", short.clone(), Some((Reason::KeySize, "coordinates of 48 bytes", "31 and 48"))),
        (EdDsa, "x", short, Some((Reason::KeySize, "32 bytes", "31"))),
        (EdDsa, "x", long, Some((Reason::KeySize, "32 bytes", "33"))),
        // Not on the curve.
        (Es256, "x", zero.clone(), Some((Reason::Signature, "one by the key first", ""))),
        (EdDsa, "x", zero, Some((Reason::Signature, "one by the key first", ""))),
    ] {
        let world = publishing(algorithm, property, &value);
        let expected = expected.map(|(reason, expected, found)| (reason, expected.to_owned(), found.to_owned()));
        assert_eq!(refused(&world).await, expected, "{property}: {value} for {}", algorithm.name());
        if expected.is_some() {
            world.provider.state().header.remove("kid");
            let (reason, ..) = refused(&world).await.expect("refused");
            assert!(matches!(reason, Reason::KeyAbsent | Reason::Signature), "{reason:?}");
        }
    }
}

#[tokio::test]
async fn o14_a_token_that_names_no_key_is_believed_by_those_of_its_type() {
    for configured in TokenAlgorithm::ALL {
        let world = world_of(configured);
        {
            let mut state = world.provider.state();
            state.header.remove("kid");
            state.keys = [Pair::Second, Pair::Ed25519, Pair::P384, Pair::P256, Pair::First]
                .map(|pair| {
                    let mut key = pair.jwk("same");
                    key.as_object_mut().expect("a key").remove("alg");
                    key
                })
                .into();
        }
        assert_eq!(refused(&world).await, None, "{}", configured.name());
        let usable = world.oidc.keys(&world.settings, world.now()).await.expect("keys").usable(configured);
        assert_eq!(usable, if Pair::of(configured) == Pair::First { 2 } else { 1 });
        // The name is the same for all of them, and the type decides.
        world.provider.header("kid", "same");
        assert_eq!(refused(&world).await, None, "{}", configured.name());
    }
}

#[tokio::test]
async fn o30_no_character_of_a_token_can_be_changed_by_any_algorithm() {
    for algorithm in TokenAlgorithm::ALL {
        let world = world_of(algorithm);
        let good = world.provider.sign(&json!({
            "iss": world.provider.issuer(), "aud": super::hostile::CLIENT_ID, "iat": super::world::NOON, "jti": "once",
            "sub": "person-7", "events": { "http://schemas.openid.net/event/backchannel-logout": {} },
        }));
        let read = async |token: &str| world.oidc.logout_token(&world.settings, token, world.now()).await;
        read(&good).await.expect("a logout token");
        for at in (0..good.len()).step_by(7) {
            for other in ['A', 'B', '.'] {
                let token = format!("{}{other}{}", &good[..at], &good[at + 1..]);
                assert!(token == good || read(&token).await.is_err(), "{token}");
            }
            assert!(read(&good[..at]).await.is_err() && read(&good[at + 1..]).await.is_err());
        }
    }
}

#[tokio::test]
async fn o12_the_policy_names_the_algorithm_and_without_it_the_settings_do() {
    let company = Company::new().await;
    let admin = company.app.admin();
    let usual = admin.get(POLICY).await.expect(200);
    assert_eq!(usual.get("oidcSigningAlgorithm"), None);
    let with = |name: Option<&str>| {
        let mut policy = usual.clone();
        if let Some(name) = name {
            policy["oidcSigningAlgorithm"] = name.into();
        }
        policy
    };
    {
        let mut state = company.provider.state();
        state.keys.push(Pair::P256.jwk("curve"));
    }
    let sign_with = |pair: Pair, name: &'static str, kid: &str| {
        let mut state = company.provider.state();
        (state.signs_with, state.algorithm) = (pair, name);
        state.header.insert("alg".into(), name.into());
        state.header.insert("kid".into(), kid.into());
    };
    let policy = with(Some("ES256"));
    let before = company.app.event_types().await.len();
    assert_eq!(admin.json(Method::PUT, POLICY, policy.clone()).await.expect(200), policy);
    assert_eq!(admin.get(POLICY).await.expect(200), policy);
    assert_eq!(company.app.event_types().await[before..], ["setting-created"]);
    let entry = company.refused(401, "SignInRefusedError").await;
    assert_eq!(
        (&entry["reason"], &entry["expected"], &entry["found"]),
        (&json!("wrong-algorithm"), &json!("ES256"), &json!("RS256"))
    );
    sign_with(Pair::P256, "ES256", "curve");
    let mut browser = company.browser();
    company.sign_in(&mut browser).await;
    assert_eq!(company.who(&mut browser).await["email"], "ada@example.com");
    admin.json(Method::PUT, POLICY, with(None)).await.expect(200);
    let entry = company.refused(401, "SignInRefusedError").await;
    assert_eq!((&entry["expected"], &entry["found"]), (&json!("RS256"), &json!("ES256")));
    for name in ["none", "HS256", "ES512", "es256", "Ed25519"] {
        let refused = admin.json(Method::PUT, POLICY, with(Some(name))).await;
        refused.refused(400, "ValidationError", "oidcSigningAlgorithm");
    }
    // The settings themselves are what they are elsewhere.
    let settings = company.settings(json!({ "idTokenSigningAlgorithm": "ES256" }));
    company.set(settings).await.refused(400, "ValidationError", "idTokenSigningAlgorithm");
}
