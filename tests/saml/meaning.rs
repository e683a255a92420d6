//! Signed as it should be, and saying something else than it must: S17 to S19, S23, S31, and who is meant.

use chrono::TimeDelta;
use flagstone::providers::saml::{
    algorithm::Algorithm,
    certificate::Certificates,
    refusal::Reason,
    verifier::{Expectations, decode_form, verify},
};
use serde_json::json;

use crate::forge::*;

#[track_caller]
fn refused_after(from: &str, to: &str, reason: Reason) -> (Option<String>, Option<String>) {
    let refusal = refused(&signed_after(from, to), reason);
    (refusal.expected, refusal.found)
}

fn told(expected: &str, found: &str) -> (Option<String>, Option<String>) {
    (Some(expected.to_owned()), Some(found.to_owned()))
}

#[test]
fn an_identity_holds_what_the_assertion_says() {
    let identity = identity(&signed()).unwrap();
    assert_eq!(
        serde_json::to_value(&identity).unwrap(),
        json!({
            "issuer": PROVIDER, "subject": "alice@example.com", "email": "alice@example.com",
            "first_name": "Alice", "last_name": "Example <&>",
            "attributes": [["firstName", ["Alice"]], ["lastName", ["Example <&>"]], ["groups", ["admins", "developers"]]],
            "in_response_to": "_request", "response_id": "_response", "assertion_id": "_assertion",
            "session_index": "_session",
            "name_id": {
                "value": "alice@example.com", "format": "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress",
                "name_qualifier": null, "sp_name_qualifier": null,
            },
            "not_on_or_after": "2026-11-22T12:06:00Z", "session_not_on_or_after": "2026-11-22T20:00:00Z",
        })
    );
    assert_eq!(
        identity.attributes_value(),
        json!({"firstName": ["Alice"], "lastName": ["Example <&>"], "groups": ["admins", "developers"]})
    );
}

#[test]
fn s17_wrong_audience() {
    let to = "<saml:Audience>https://other.example</saml:Audience>";
    let from = "<saml:Audience>https://flags.example</saml:Audience>";
    assert_eq!(refused_after(from, to, Reason::WrongAudience), told(ENTITY, "https://other.example"));
    assert!(identity(&signed_after(from, &format!("{to}{from}"))).is_ok());
    // Each restriction must be met.
    let two = format!("{from}</saml:AudienceRestriction><saml:AudienceRestriction>{to}");
    refused_after(from, &two, Reason::WrongAudience);
    refused_after(from, "", Reason::WrongAudience);
    refused_after(&format!("<saml:AudienceRestriction>{from}</saml:AudienceRestriction>"), "", Reason::AudienceMissing);
    for near in [
        "https://flags.example/",
        "HTTPS://flags.example",
        "https://flags.example.evil",
        "https://flags<saml:a></saml:a>.example",
    ] {
        refused_after(from, &format!("<saml:Audience>{near}</saml:Audience>"), Reason::WrongAudience);
    }
}

#[test]
fn s17_wrong_recipient_and_destination() {
    let recipient = format!("Recipient=\"{ACS}\"");
    let to = "Recipient=\"https://other.example/acs\"";
    assert_eq!(refused_after(&recipient, to, Reason::WrongRecipient), told(ACS, "https://other.example/acs"));
    refused_after(&format!(" {recipient}"), "", Reason::WrongRecipient);
    let destination = format!(" Destination=\"{ACS}\"");
    refused(&twist(&signed(), &destination, " Destination=\"https://other.example\""), Reason::WrongDestination);
    refused(&twist(&signed(), &destination, " Destination=\"\""), Reason::WrongDestination);
    assert!(identity(&twist(&signed(), &destination, "")).is_ok());
}

#[test]
fn s17_wrong_request() {
    let identity = identity(&signed()).unwrap();
    assert_eq!(identity.check_request("_request"), Ok(()));
    let refusal = identity.check_request("_another").unwrap_err();
    assert_eq!(
        (refusal.reason, refusal.expected, refusal.found),
        (Reason::WrongRequest, Some("_another".to_owned()), Some("_request".to_owned()))
    );
    // The unsigned response and the signed assertion answer the same request.
    let of_response = "ID=\"_response\" InResponseTo=\"_request\"";
    refused(&twist(&signed(), of_response, "ID=\"_response\" InResponseTo=\"_another\""), Reason::WrongRequest);
    refused(&twist(&signed(), of_response, "ID=\"_response\""), Reason::WrongRequest);
    refused_after(" InResponseTo=\"_request\" NotOnOrAfter", " NotOnOrAfter", Reason::WrongRequest);
}

#[test]
fn s17_wrong_issuer() {
    let assertion = "<saml:Issuer>https://idp.example/metadata<";
    assert_eq!(
        refused_after(assertion, "<saml:Issuer>https://other.example<", Reason::WrongIssuer),
        told(PROVIDER, "https://other.example")
    );
    let response = ":assertion\">https://idp.example/metadata<";
    refused(&twist(&signed(), response, ":assertion\">https://other.example<"), Reason::WrongIssuer);
    let without = twist(&signed(), part(RESPONSE, "<saml:Issuer xmlns", "</saml:Issuer>"), "");
    assert!(identity(&without).is_ok());
    assert!(identity(&signed_after(assertion, "<saml:Issuer>\n  https://idp.example/metadata <")).is_ok());
    refused_after(assertion, "<saml:Issuer>\u{a0}https://idp.example/metadata<", Reason::WrongIssuer);
}

#[test]
fn s18_times_and_their_tolerance() {
    let xml = signed();
    let reason = |now: &str, skew_seconds| {
        let expected = Expectations { skew_seconds, ..expectations() };
        verify(xml.as_bytes(), &expected, at(now)).map(|_| ()).map_err(|refusal| refusal.reason)
    };
    for (now, skew, outcome) in [
        ("2026-11-22T11:57:59Z", 60, Err(Reason::NotYetValid)),
        ("2026-11-22T11:58:00Z", 60, Ok(())),
        ("2026-11-22T11:58:59Z", 0, Err(Reason::NotYetValid)),
        ("2026-11-22T11:59:00Z", 0, Ok(())),
        ("2026-11-22T12:04:59Z", 0, Ok(())),
        ("2026-11-22T12:05:00Z", 0, Err(Reason::Expired)),
        ("2026-11-22T12:05:59.999Z", 60, Ok(())),
        ("2026-11-22T12:06:00Z", 60, Err(Reason::Expired)),
        ("2026-11-22T12:09:59Z", 300, Ok(())),
        // More tolerance than 300 seconds there is not.
        ("2026-11-22T12:10:00Z", u16::MAX, Err(Reason::Expired)),
        ("2030-01-01T00:00:00Z", 60, Err(Reason::Expired)),
    ] {
        assert_eq!(reason(now, skew), outcome, "{now} {skew}");
    }
    for (from, to, reason) in [
        (
            "<saml:Conditions NotBefore=\"2026-11-22T11:59:00Z\" NotOnOrAfter=\"2026-11-22T12:05:00Z\">",
            "<saml:Conditions NotOnOrAfter=\"2026-11-22T11:00:00Z\">",
            Reason::Expired,
        ),
        (
            " NotOnOrAfter=\"2026-11-22T12:05:00Z\" Recipient",
            " NotOnOrAfter=\"2026-11-22T11:00:00Z\" Recipient",
            Reason::Expired,
        ),
        (" NotOnOrAfter=\"2026-11-22T12:05:00Z\" Recipient", " Recipient", Reason::ConfirmationMissing),
        (
            " NotOnOrAfter=\"2026-11-22T12:05:00Z\" Recipient",
            " NotBefore=\"2026-11-22T12:02:00Z\" NotOnOrAfter=\"2026-11-22T12:05:00Z\" Recipient",
            Reason::NotYetValid,
        ),
        (" NotOnOrAfter=\"2026-11-22T12:05:00Z\" Recipient", " NotOnOrAfter=\"soon\" Recipient", Reason::BadTime),
        (
            " NotOnOrAfter=\"2026-11-22T12:05:00Z\" Recipient",
            " NotOnOrAfter=\"2026-11-22T12:05:00\" Recipient",
            Reason::BadTime,
        ),
        (
            " SessionNotOnOrAfter=\"2026-11-22T20:00:00Z\"",
            " SessionNotOnOrAfter=\"2026-11-22T11:00:00Z\"",
            Reason::SessionEnded,
        ),
        (" SessionNotOnOrAfter=\"2026-11-22T20:00:00Z\"", " SessionNotOnOrAfter=\"\"", Reason::BadTime),
        (
            "SubjectConfirmation Method=\"urn:oasis:names:tc:SAML:2.0:cm:bearer\"",
            "SubjectConfirmation Method=\"urn:oasis:names:tc:SAML:2.0:cm:holder-of-key\"",
            Reason::ConfirmationMissing,
        ),
        (
            "<saml:Audience>",
            "<saml:Audience>x</saml:Audience></saml:AudienceRestriction><saml:Weather/><saml:AudienceRestriction><saml:Audience>",
            Reason::WrongAudience,
        ),
    ] {
        refused_after(from, &to.replace("<saml:Weather/>", "<saml:Weather></saml:Weather>"), reason);
    }
    let (expected, found) = refused_after(
        "<saml:AudienceRestriction>",
        "<saml:Weather></saml:Weather><saml:AudienceRestriction>",
        Reason::UnknownCondition,
    );
    assert_eq!((expected, found.as_deref()), (None, Some("Weather")));
    assert!(
        identity(&signed_after(
            "<saml:AudienceRestriction>",
            "<saml:OneTimeUse></saml:OneTimeUse><saml:AudienceRestriction>"
        ))
        .is_ok()
    );
}

#[test]
fn s18_far_years_are_no_trouble() {
    let xml = signed_after(
        "NotOnOrAfter=\"2026-11-22T12:05:00Z\" Recipient",
        "NotOnOrAfter=\"9999-12-31T23:59:59Z\" Recipient",
    );
    assert_eq!(identity(&xml).unwrap().not_on_or_after, at("9999-12-31T23:59:59Z") + TimeDelta::minutes(1));
    let xml = signed_after(
        "NotOnOrAfter=\"2026-11-22T12:05:00Z\" Recipient",
        "NotOnOrAfter=\"+262142-12-31T23:59:59Z\" Recipient",
    );
    assert!(identity(&xml).is_err());
}

#[test]
fn s19_what_is_remembered_against_replay() {
    let identity = identity(&signed()).unwrap();
    assert_eq!((identity.assertion_id.as_str(), identity.not_on_or_after), ("_assertion", at("2026-11-22T12:06:00Z")));
    // At that moment the assertion is of no use any more, so its id may be forgotten.
    let refusal = verify(signed().as_bytes(), &expectations(), identity.not_on_or_after).unwrap_err();
    assert_eq!(refusal.reason, Reason::Expired);
}

#[test]
fn s23_sign_in_that_begins_at_the_provider() {
    let unsolicited = twist(RESPONSE, " InResponseTo=\"_request\" NotOnOrAfter", " NotOnOrAfter");
    let unsolicited = sign(&twist(&unsolicited, " InResponseTo=\"_request\"", ""), "saml:Assertion");
    refused(&unsolicited, Reason::Unsolicited);
    let allowed = Expectations { allow_unsolicited: true, ..expectations() };
    let identity = verify(unsolicited.as_bytes(), &allowed, noon()).unwrap();
    assert_eq!(identity.in_response_to, None);
    assert_eq!(identity.check_request("_request").unwrap_err().reason, Reason::WrongRequest);
    // Where it is allowed, one that answers a request is still of that request.
    let identity = verify(signed().as_bytes(), &allowed, noon()).unwrap();
    assert_eq!(identity.in_response_to.as_deref(), Some("_request"));
}

#[test]
fn s31_status_of_the_provider() {
    let code = "Value=\"urn:oasis:names:tc:SAML:2.0:status:Success\"></samlp:StatusCode>";
    let denied = "Value=\"urn:oasis:names:tc:SAML:2.0:status:Responder\"><samlp:StatusCode Value=\"urn:oasis:names:tc:SAML:2.0:status:AuthnFailed\"></samlp:StatusCode></samlp:StatusCode>";
    let refusal = refused(&signed_after(code, denied), Reason::ProviderStatus);
    assert_eq!(
        refusal.found.as_deref(),
        Some("urn:oasis:names:tc:SAML:2.0:status:Responder urn:oasis:names:tc:SAML:2.0:status:AuthnFailed")
    );
    // As providers answer it: unsigned and without an assertion.
    let bare = RESPONSE.replace(element(RESPONSE, "saml:Assertion"), "");
    refused(&twist(&bare, code, denied), Reason::ProviderStatus);
    refused(&bare, Reason::AssertionMissing);
    refused(&twist(&signed(), code, "></samlp:StatusCode>"), Reason::ProviderStatus);
    refused(&twist(&signed(), element(RESPONSE, "samlp:Status"), ""), Reason::IncompleteMessage);
}

#[test]
fn what_saml_requires_is_there_once() {
    let statement = part(RESPONSE, "<saml:AuthnStatement", "</saml:AuthnStatement>");
    for (from, to, reason) in [
        (" ID=\"_assertion\" IssueInstant", " IssueInstant", Reason::IncompleteMessage),
        ("<saml:Subject>", "<saml:Subject></saml:Subject><saml:Subject>", Reason::IncompleteMessage),
        ("<saml:Conditions ", "<saml:Conditions></saml:Conditions><saml:Conditions ", Reason::IncompleteMessage),
        (element(RESPONSE, "saml:Conditions"), "", Reason::IncompleteMessage),
        (part(RESPONSE, "<saml:SubjectConfirmation ", "</saml:SubjectConfirmation>"), "", Reason::ConfirmationMissing),
        (statement, "", Reason::IncompleteMessage),
        ("Z\" Version=\"2.0\"><saml:Issuer>", "Z\" Version=\"1.1\"><saml:Issuer>", Reason::SamlVersion),
        ("Z\" Version=\"2.0\"><saml:Issuer xmlns", "Z\" Version=\"2.1\"><saml:Issuer xmlns", Reason::SamlVersion),
        ("<saml:NameID ", "<saml:NameID></saml:NameID><saml:NameID ", Reason::IncompleteMessage),
    ] {
        let name = if from.contains("_assertion") { "samlp:Response" } else { "saml:Assertion" };
        refused(&sign(&twist(RESPONSE, from, to), name), reason);
    }
    let issuer = "<saml:Issuer>https://idp.example/metadata</saml:Issuer>";
    let xml = sign(&twist(RESPONSE, issuer, ""), "samlp:Response");
    refused(&xml, Reason::IncompleteMessage);
}

#[test]
fn several_confirmations_need_one_that_holds() {
    let start = "<saml:SubjectConfirmation Method=\"urn:oasis:names:tc:SAML:2.0:cm:bearer\">";
    let other = format!(
        "{start}<saml:SubjectConfirmationData NotOnOrAfter=\"2026-11-22T12:05:00Z\" Recipient=\"https://other.example\"></saml:SubjectConfirmationData></saml:SubjectConfirmation>"
    );
    let identity = identity(&signed_after(start, &format!("{other}{start}"))).unwrap();
    assert_eq!(identity.in_response_to.as_deref(), Some("_request"));
}

#[test]
fn the_email_is_the_name_or_an_attribute() {
    let name = element(RESPONSE, "saml:NameID");
    let with = |format: &str, value: &str, attribute: &str| {
        let format = if format.is_empty() { String::new() } else { format!(" Format=\"{format}\"") };
        let xml = twist(RESPONSE, name, &format!("<saml:NameID{format}>{value}</saml:NameID>"));
        let xml = twist(&xml, "Name=\"lastName\"", &format!("Name=\"{attribute}\""))
            .replace("Example &lt;&amp;&gt;", "bob@example.com");
        identity(&sign(&xml, "saml:Assertion"))
            .map(|identity| (identity.subject, identity.email))
            .map_err(|refusal| refusal.reason)
    };
    let is = |subject: &str, email: &str| Ok((subject.to_owned(), email.to_owned()));
    let email = "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress";
    let unspecified = "urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified";
    let persistent = "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent";
    let transient = "urn:oasis:names:tc:SAML:2.0:nameid-format:transient";
    assert_eq!(with(email, "alice@example.com", "mail"), is("alice@example.com", "alice@example.com"));
    assert_eq!(with(email, "alice", "mail"), Err(Reason::EmailMissing));
    for attribute in [
        "email",
        "mail",
        "urn:oid:0.9.2342.19200300.100.1.3",
        "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress",
    ] {
        assert_eq!(with(persistent, "4711", attribute), is("4711", "bob@example.com"));
        assert_eq!(with(persistent, "alice@example.com", attribute), is("alice@example.com", "bob@example.com"));
    }
    assert_eq!(with(persistent, "4711", "eMail"), Err(Reason::EmailMissing));
    for format in [unspecified, ""] {
        assert_eq!(with(format, "alice@example.com", "mail"), is("alice@example.com", "alice@example.com"));
        assert_eq!(with(format, "alice", "mail"), is("alice", "bob@example.com"));
        assert_eq!(with(format, "alice", "x"), Err(Reason::EmailMissing));
    }
    assert_eq!(with(transient, "alice@example.com", "mail"), Err(Reason::TransientNameId));
    for value in ["", " \n ", "a\t@b", &"a".repeat(1001)] {
        assert_eq!(with(email, value, "mail"), Err(Reason::NameIdMissing), "{value}");
    }
    for value in ["@", "a@", "@b", "a@b@c", "a b@c", "a\u{a0}@b", "a@b\u{200b}", "a@b,c", "a..b@c", "a..b@c.d"] {
        assert_eq!(with(email, value, "mail"), Err(Reason::EmailMissing), "{value}");
    }
    assert_eq!(with(email, " alice@example.com\n", "mail"), is("alice@example.com", "alice@example.com"));
}

#[test]
fn attributes_of_one_name_are_one_and_values_are_texts() {
    let groups = "<saml:Attribute Name=\"groups\">";
    let more = "<saml:Attribute Name=\"groups\"><saml:AttributeValue>first</saml:AttributeValue>\
                <saml:AttributeValue><saml:NameID>x</saml:NameID></saml:AttributeValue><saml:AttributeValue></saml:AttributeValue></saml:Attribute>";
    let identity = identity(&signed_after(groups, &format!("{more}{groups}"))).unwrap();
    assert_eq!(identity.attributes_value()["groups"], json!(["first", "", "admins", "developers"]));
}

#[test]
fn ten_thousand_groups_are_too_many_parts_and_six_thousand_are_not() {
    let groups = |count: usize| {
        (0..count).fold(String::new(), |text, n| text + &format!("<saml:AttributeValue>g{n}</saml:AttributeValue>"))
    };
    let value = "<saml:AttributeValue>admins</saml:AttributeValue>";
    let identity = identity(&signed_after(value, &groups(6000))).unwrap();
    assert_eq!(identity.attributes[2].1.len(), 6001);
    refused(&signed_after(value, &groups(10_000)), Reason::NotWellFormed);
}

#[test]
fn accepted_algorithms() {
    for (key, certificate, algorithm) in [
        (PROVIDER_KEY, PROVIDER_CERTIFICATE, Algorithm::RsaSha256),
        (include_str!("keys/p256.key"), include_str!("keys/p256.crt"), Algorithm::EcdsaSha256),
        (include_str!("keys/p384.key"), include_str!("keys/p384.crt"), Algorithm::EcdsaSha384),
    ] {
        let mut expected = expectations();
        expected.certificates = Certificates::read(certificate).unwrap();
        for digest in
            [SHA256, "http://www.w3.org/2001/04/xmldsig-more#sha384", "http://www.w3.org/2001/04/xmlenc#sha512"]
        {
            let style = Style { key, algorithm: algorithm.uri().to_owned(), digest, ..Style::default() };
            let xml = sign_as(RESPONSE, "saml:Assertion", &style);
            assert!(verify(xml.as_bytes(), &expected, noon()).is_ok(), "{algorithm:?}");
            let refusal = verify(twist(&xml, "alice@", "mallory@").as_bytes(), &expected, noon()).unwrap_err();
            assert_eq!(refusal.reason, Reason::DigestMismatch);
        }
        // A key signs by its own kind of algorithm alone.
        for other in [Algorithm::RsaSha256, Algorithm::RsaSha384, Algorithm::EcdsaSha256, Algorithm::EcdsaSha384] {
            if other != algorithm {
                let style = Style { key, algorithm: other.uri().to_owned(), ..Style::default() };
                let refusal =
                    verify(sign_as(RESPONSE, "saml:Assertion", &style).as_bytes(), &expected, noon()).unwrap_err();
                assert_eq!(refusal.reason, Reason::SignatureMismatch, "{other:?}");
            }
        }
    }
}

#[test]
fn forms_carry_base64() {
    assert_eq!(decode_form("YWJj\r\nZA==\n").unwrap(), b"abcd");
    assert_eq!(decode_form("YWJjZA").unwrap(), b"abcd");
    assert_eq!(decode_form("YWJj*A==").unwrap_err().reason, Reason::NotBase64);
    assert_eq!(decode_form(&"A".repeat(2 << 20)).unwrap_err().reason, Reason::TooLarge);
    let refusal = verify(&vec![b' '; (1 << 20) + 1], &expectations(), noon()).unwrap_err();
    assert_eq!(refusal.reason, Reason::TooLarge);
    for empty in ["", " ", "a", "<", "<a>", "</a>"] {
        refused(empty, Reason::NotWellFormed);
    }
}
