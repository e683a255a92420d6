//! Responses of real producers, made once: `fixtures/README.md` says how. The clock is set to theirs.

use std::path::Path;

use chrono::{DateTime, Utc};
use flagstone::providers::saml::{
    certificate::Certificates,
    identity::SignedIdentity,
    logout::{LogoutExpectations, LogoutMessage, LogoutResponse},
    refusal::{Reason, Refusal},
    verifier::{Expectations, verify},
};

use crate::forge::{PROVIDER_CERTIFICATE, at, expectations};

/// A response with the settings under which it is right.
pub struct Produced {
    pub name: String,
    pub xml: String,
    pub expected: Expectations,
    pub now: DateTime<Utc>,
}

impl Produced {
    pub fn read(name: &str) -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/saml/fixtures").join(format!("{name}.xml"));
        let xml = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let instant = xml.split("IssueInstant=\"").nth(1).unwrap().split('"').next().unwrap();
        let now = at(instant);
        let mut expected = expectations();
        expected.certificates = Certificates::read(PROVIDER_CERTIFICATE).unwrap();
        Self { name: name.to_owned(), xml, expected, now }
    }

    pub fn identity_of(&self, xml: &[u8]) -> Result<SignedIdentity, Refusal> {
        verify(xml, &self.expected, self.now)
    }
}

/// All that are believed.
pub const BELIEVED: &[&str] = &[
    "samlp/assertion",
    "samlp/response",
    "samlp/both",
    "samlp/prefixed",
    "pysaml2/assertion",
    "pysaml2/response",
    "pysaml2/both",
    "pysaml2/persistent",
    "simplesamlphp/assertion",
    "simplesamlphp/response",
    "simplesamlphp/both",
];

#[test]
fn responses_of_real_producers_are_believed() {
    for name in BELIEVED {
        let produced = Produced::read(name);
        let identity =
            produced.identity_of(produced.xml.as_bytes()).unwrap_or_else(|refusal| panic!("{name}: {refusal}"));
        assert_eq!(identity.email, "alice@example.com", "{name}");
        let subject = if name.ends_with("persistent") { "4711" } else { "alice@example.com" };
        assert_eq!(identity.subject, subject, "{name}");
        assert_eq!(identity.in_response_to.as_deref(), Some("_request"), "{name}");
        assert!(identity.session_index.is_some(), "{name}");
        let groups = identity.attributes.iter().find(|(_, values)| values.len() == 2);
        assert_eq!(
            groups.map(|groups| groups.1.clone()),
            Some(vec!["admins".to_owned(), "developers & friends".to_owned()]),
            "{name}"
        );
        assert!(identity.attributes.iter().any(|(_, values)| values[0] == "Ä. Example <&>"), "{name}: {identity:?}");
    }
}

#[test]
fn responses_of_real_producers_are_refused_for_what_they_lack() {
    for (name, reason) in [
        ("samlp/unsigned", Reason::Unsigned),
        ("samlp/sha1", Reason::SignatureAlgorithm),
        ("pysaml2/unsigned", Reason::Unsigned),
        ("pysaml2/sha1", Reason::SignatureAlgorithm),
        ("pysaml2/encrypted", Reason::Encrypted),
        ("pysaml2/transient", Reason::TransientNameId),
    ] {
        let produced = Produced::read(name);
        assert_eq!(
            produced.identity_of(produced.xml.as_bytes()).map_err(|refusal| refusal.reason),
            Err(reason),
            "{name}"
        );
    }
}

#[test]
fn responses_of_real_producers_do_not_survive_another_name() {
    for name in BELIEVED {
        let produced = Produced::read(name);
        for (from, to) in [
            ("alice@example.com", "mallory@example.com"),
            ("admins", "owners"),
            ("https://flags.example<", "https://other.example<"),
        ] {
            assert!(produced.xml.contains(from), "{name} {from}");
            let refusal = produced.identity_of(produced.xml.replace(from, to).as_bytes()).unwrap_err();
            assert_eq!(refusal.reason, Reason::DigestMismatch, "{name} {from}");
        }
    }
}

#[test]
fn a_real_providers_messages_about_signing_out_are_read() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/saml/fixtures/simplesamlphp/logout-request.txt");
    let query = std::fs::read_to_string(path).unwrap();
    let both = Produced::read("simplesamlphp/both");
    let expected = LogoutExpectations {
        logout_url: "https://flags.example/auth/saml/logout/done".to_owned(),
        provider_entity_id: both.expected.provider_entity_id.clone(),
        certificates: both.expected.certificates.clone(),
        skew_seconds: 60,
    };
    let LogoutMessage::Request(request) = LogoutMessage::from_query(query.trim(), &expected, both.now).unwrap() else {
        panic!("{query}")
    };
    let identity = both.identity_of(both.xml.as_bytes()).unwrap();
    assert_eq!(request.name_id, identity.name_id);
    assert_eq!(request.session_indexes, [identity.session_index.unwrap()]);
    assert!(request.relay_state.is_some());
    // Its answer to a request of ours, whose signature it checked.
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/saml/fixtures/simplesamlphp/logout-response.txt");
    let answer = std::fs::read_to_string(path).unwrap();
    let response = LogoutResponse {
        in_response_to: Some("_logout".to_owned()),
        is_success: true,
        is_signed: true,
        relay_state: Some("state".to_owned()),
    };
    let read = LogoutMessage::from_query(answer.trim(), &expected, both.now);
    assert_eq!(read, Ok(LogoutMessage::Response(response)));
    let twisted = query.trim().replace("SigAlg", "x=&SigAlg");
    assert!(LogoutMessage::from_query(&twisted, &expected, both.now).is_ok());
    let twisted = query.trim().replace("RelayState=", "RelayState=x");
    let refusal = LogoutMessage::from_query(&twisted, &expected, both.now).unwrap_err();
    assert_eq!(refusal.reason, Reason::SignatureMismatch);
}
