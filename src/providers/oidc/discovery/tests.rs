use serde_json::json;

use super::*;

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
    for (offered, expected) in [
        (json!(null), Ok(ClientAuthentication::Basic)),
        (json!([]), Ok(ClientAuthentication::Basic)),
        (json!(["client_secret_basic"]), Ok(ClientAuthentication::Basic)),
        (json!(["client_secret_post", "client_secret_basic"]), Ok(ClientAuthentication::Basic)),
        (json!(["private_key_jwt", "client_secret_post"]), Ok(ClientAuthentication::Post)),
        (json!(["private_key_jwt", "none"]), Err(Reason::ClientAuthentication)),
    ] {
        let mut document = document("https://id.example.com");
        document.insert("token_endpoint_auth_methods_supported".into(), offered.clone());
        let read = read_at("https://id.example.com", &document);
        assert_eq!(
            read.map(|read| read.client_authentication).map_err(|refusal| refusal.reason),
            expected,
            "{offered}"
        );
    }
}
