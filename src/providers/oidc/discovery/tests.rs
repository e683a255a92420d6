use std::sync::Arc;

use flagstone_domain::client_authentication::AssertionAudience;
use serde_json::json;

use super::*;
use crate::oidc::ClientKey;

fn document(issuer: &str) -> Map<String, Value> {
    let Value::Object(document) = json!({
        "issuer": issuer,
        "authorization_endpoint": "https://id.example.com/authorize?tenant=a",
        "token_endpoint": "https://id.example.com/token",
        "jwks_uri": "https://keys.example.net/keys",
    }) else {
        unreachable!()
    };
    document
}

fn read_at(discover_url: &str, document: &Map<String, Value>) -> Result<Discovery, Refusal> {
    read(&below_issuer(discover_url), document)
}

#[test]
fn the_setting_is_the_issuer_or_the_address_of_the_document_with_or_without_a_slash() {
    for issuer in ["https://id.example.com", "https://id.example.com/", "https://id.example.com/realms/a"] {
        let bare = issuer.trim_end_matches('/');
        for given in [
            bare.to_owned(),
            format!("{bare}/"),
            format!("{bare}/.well-known/openid-configuration"),
            format!("{bare}/.well-known/openid-configuration/"),
            bare.replace("id.example.com", "ID.example.com:443"),
        ] {
            let read = read_at(&given, &document(issuer)).expect(&given);
            assert_eq!(read.issuer, issuer, "{given}");
        }
    }
}

#[test]
fn o23_the_document_of_an_issuer_that_is_elsewhere_is_refused() {
    const GIVEN: &str = "https://id.example.com/realms/a";
    for issuer in [
        "https://evil.example",
        "http://id.example.com/realms/a",
        "https://id.example.com",
        "https://id.example.com/realms/b",
        "https://id.example.com/realms/a//",
        "https://id.example.com/realms/A",
        "https://id.example.com:8443/realms/a",
        "https://id.example.com/realms/a?x",
        "https://id.example.com/realms/a#x",
        "https://user@id.example.com/realms/a",
        "https://login.microsoftonline.com/{tenantid}/v2.0",
        "no address",
    ] {
        let refusal = read_at(GIVEN, &document(issuer)).expect_err(issuer);
        assert_eq!(refusal.reason, Reason::DiscoveryIssuer, "{issuer}");
        assert_eq!(refusal.expected.as_deref(), Some(&*format!("{GIVEN}/.well-known/openid-configuration")));
    }
}

#[test]
fn o25_an_endpoint_of_plain_http_is_refused_unless_it_is_here() {
    for name in ["authorization_endpoint", "token_endpoint", "jwks_uri", "userinfo_endpoint", "end_session_endpoint"] {
        for unsafe_one in ["http://id.example.com/x", "ftp://id.example.com/x", "javascript:alert(1)", "/x"] {
            let mut document = document("https://id.example.com");
            document.insert(name.into(), unsafe_one.into());
            let refusal = read_at("https://id.example.com", &document).expect_err(unsafe_one);
            assert_eq!((refusal.reason, refusal.found.as_deref()), (Reason::EndpointUnsafe, Some(name)));
        }
        let mut document = document("https://id.example.com");
        document.insert(name.into(), "http://localhost:8080/x".into());
        assert!(read_at("https://id.example.com", &document).is_ok(), "{name}");
    }
}

#[test]
fn what_is_missing_or_of_another_kind_is_named() {
    for name in ["issuer", "authorization_endpoint", "token_endpoint", "jwks_uri"] {
        for value in [
            None,
            Some(json!(null)),
            Some(json!(7)),
            Some(json!("")),
            Some(json!("https://".to_owned() + &"a".repeat(2000))),
        ] {
            let mut document = document("https://id.example.com");
            match value {
                Some(value) => document.insert(name.into(), value),
                None => document.shift_remove(name),
            };
            let refusal = read_at("https://id.example.com", &document).expect_err(name);
            assert_eq!((refusal.reason, refusal.expected.as_deref()), (Reason::DiscoveryMalformed, Some(name)));
        }
    }
    let refusal = read_at("https://id.example.com", &{
        let mut document = document("https://id.example.com");
        document.insert("userinfo_endpoint".into(), json!(["https://id.example.com"]));
        document
    });
    assert_eq!(refusal.expect_err("a list").reason, Reason::DiscoveryMalformed);
}

#[test]
fn the_secret_goes_into_a_header_unless_the_provider_takes_it_in_the_body_alone() {
    let secret = Credentials::Secret("s".to_owned());
    for (offered, expected) in [
        (json!(null), Ok(ClientAuthentication::Basic)),
        (json!([]), Ok(ClientAuthentication::Basic)),
        (json!(["client_secret_basic"]), Ok(ClientAuthentication::Basic)),
        (json!(["client_secret_post", "client_secret_basic"]), Ok(ClientAuthentication::Basic)),
        (json!(["private_key_jwt", "client_secret_post"]), Ok(ClientAuthentication::Post)),
        (json!(["private_key_jwt", "none"]), Err(Reason::ClientAuthentication)),
    ] {
        assert_eq!(authentication("token_endpoint_auth_methods_supported", &offered, &secret), expected, "{offered}");
    }
}

#[test]
fn a_key_signs_and_a_public_client_goes_without_a_secret_where_the_provider_says_nothing_against_it() {
    let [methods, algorithms, challenges] = [
        "token_endpoint_auth_methods_supported",
        "token_endpoint_auth_signing_alg_values_supported",
        "code_challenge_methods_supported",
    ];
    let key = ClientKey::read(&ClientKey::generate().expect("a key")).expect("a key");
    let by_key = Credentials::PrivateKey { key: Some(Arc::new(key)), audience: AssertionAudience::Issuer };
    let without = Credentials::PrivateKey { key: None, audience: AssertionAudience::Issuer };
    for (property, offered, credentials, expected) in [
        (methods, json!(null), &by_key, Ok(ClientAuthentication::PrivateKey)),
        (methods, json!(["private_key_jwt"]), &by_key, Ok(ClientAuthentication::PrivateKey)),
        (methods, json!(["client_secret_basic", "none"]), &by_key, Err(Reason::ClientAuthentication)),
        (algorithms, json!(["RS256", "ES256"]), &by_key, Ok(ClientAuthentication::PrivateKey)),
        (algorithms, json!(["RS256"]), &by_key, Err(Reason::ClientAuthentication)),
        (methods, json!(["private_key_jwt"]), &without, Err(Reason::ClientKeyMissing)),
        (methods, json!(["client_secret_basic"]), &Credentials::None, Ok(ClientAuthentication::None)),
        (challenges, json!(["plain", "S256"]), &Credentials::None, Ok(ClientAuthentication::None)),
        (challenges, json!(["plain"]), &Credentials::None, Err(Reason::ClientAuthentication)),
    ] {
        assert_eq!(authentication(property, &offered, credentials), expected, "{property}: {offered}");
    }
}

/// Returns the authentication of a client with these credentials at a provider that says this.
fn authentication(
    property: &str,
    offered: &serde_json::Value,
    credentials: &Credentials,
) -> Result<ClientAuthentication, Reason> {
    let mut document = document("https://id.example.com");
    document.insert(property.to_owned(), offered.clone());
    let read = read_at("https://id.example.com", &document).expect("reads");
    read.client_authentication(credentials).map_err(|refusal| refusal.reason)
}
