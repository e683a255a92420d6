//! Messages of ours as a provider reads them, and a provider's about signing out: S16 and S25.

use std::io::{Read as _, Write as _};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use chrono::{DateTime, Utc};
use flagstone::providers::saml::{
    algorithm::Algorithm,
    certificate::Certificates,
    identity::NameId,
    logout::{LogoutExpectations, LogoutMessage, LogoutRequest, LogoutResponse},
    refusal::{Reason, Refusal},
    request::{AuthnRequest, LogoutAnswer, LogoutCall, message_id},
    signing::{KeyFault, SigningKey},
};
use flate2::{Compression, read::DeflateDecoder, write::DeflateEncoder};
use url::{Url, form_urlencoded};

use crate::forge::{
    ACS, ENTITY, OTHER_CERTIFICATE, OTHER_KEY, PROVIDER, PROVIDER_CERTIFICATE, PROVIDER_KEY, at, noon, sign, twist,
};

const LOGOUT: &str = "https://flags.example/auth/saml/logout/done";

/// The parameters of an address, and the XML of its message.
fn opened(address: &str) -> (Vec<(String, String)>, String) {
    let parameters: Vec<(String, String)> = Url::parse(address).unwrap().query_pairs().into_owned().collect();
    let message = parameters.iter().find(|(name, _)| name.starts_with("SAML")).unwrap();
    let mut xml = String::new();
    DeflateDecoder::new(&*STANDARD.decode(&message.1).unwrap()).read_to_string(&mut xml).unwrap();
    (parameters, xml)
}

fn names(parameters: &[(String, String)]) -> Vec<&str> {
    parameters.iter().map(|(name, _)| name.as_str()).collect()
}

fn request() -> AuthnRequest<'static> {
    AuthnRequest { id: "_id", issued: noon(), sign_on_url: "https://idp.example/sso", acs_url: ACS, entity_id: ENTITY }
}

#[test]
fn a_request_says_who_asks_for_what() {
    assert_eq!(message_id(&[0xab; 28]), format!("_{}", "ab".repeat(28)));
    let (parameters, xml) = opened(&request().redirect("word", None).unwrap());
    assert_eq!(names(&parameters), ["SAMLRequest", "RelayState"]);
    assert_eq!(parameters[1].1, "word");
    let expected = format!(
        "<samlp:AuthnRequest xmlns:samlp=\"urn:oasis:names:tc:SAML:2.0:protocol\" xmlns:saml=\"urn:oasis:names:tc:SAML:2.0:assertion\" \
         ID=\"_id\" Version=\"2.0\" IssueInstant=\"2026-11-22T12:00:00Z\" Destination=\"https://idp.example/sso\" \
         ProtocolBinding=\"urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST\" AssertionConsumerServiceURL=\"{ACS}\">\
         <saml:Issuer>{ENTITY}</saml:Issuer><samlp:NameIDPolicy Format=\"urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress\" \
         AllowCreate=\"true\"/></samlp:AuthnRequest>"
    );
    assert_eq!(xml, expected);
}

#[test]
fn addresses_keep_their_query_and_values_are_escaped() {
    for (address, start) in [
        ("https://idp.example/sso?a=b", "https://idp.example/sso?a=b&SAMLRequest="),
        ("https://idp.example/sso?", "https://idp.example/sso?SAMLRequest="),
        ("https://idp.example/sso#top", "https://idp.example/sso?SAMLRequest="),
    ] {
        let made = AuthnRequest { sign_on_url: address, ..request() }.redirect("a&b=c", None).unwrap();
        assert!(made.starts_with(start) && made.ends_with("&RelayState=a%26b%3Dc"), "{made}");
    }
    let odd = AuthnRequest { entity_id: "urn:a<&>\"", sign_on_url: "https://idp.example/?a=\"<&", ..request() };
    let (_, xml) = opened(&odd.redirect("", None).unwrap());
    assert!(
        xml.contains("<saml:Issuer>urn:a&lt;&amp;&gt;\"</saml:Issuer>") && xml.contains("?a=&quot;&lt;&amp;\""),
        "{xml}"
    );
}

#[test]
fn requests_are_signed_over_their_very_characters() {
    let keys = [
        (PROVIDER_KEY.to_owned(), PROVIDER_CERTIFICATE),
        (format!("{}{PROVIDER_CERTIFICATE}", include_str!("keys/provider-pkcs1.key")), PROVIDER_CERTIFICATE),
        (PROVIDER_KEY.replace('\n', "\\n"), PROVIDER_CERTIFICATE),
        (include_str!("keys/p256.key").to_owned(), include_str!("keys/p256.crt")),
        (include_str!("keys/p384.key").to_owned(), include_str!("keys/p384.crt")),
    ];
    for (key, certificate) in keys {
        let key = SigningKey::read(&key).unwrap();
        let name_id = name("alice@example.com");
        let call = call(&name_id).redirect(Some("re lay"), Some(&key)).unwrap();
        assert_eq!(names(&opened(&call).0), ["SAMLRequest", "RelayState", "SigAlg", "Signature"]);
        // What reads a provider's query reads ours.
        let mut expected = expected();
        expected.certificates = Certificates::read(certificate).unwrap();
        let query = call.split_once('?').unwrap().1;
        let LogoutMessage::Request(read) = LogoutMessage::from_query(query, &expected, noon()).unwrap() else {
            panic!()
        };
        assert_eq!((read.name_id, read.relay_state.as_deref()), (name_id, Some("re lay")));
        for (from, to) in [("re+lay", "re+lax"), ("rsa-sha256", "rsa-sha384"), ("SAMLRequest=", "SAMLRequest=A")] {
            let refusal = LogoutMessage::from_query(&query.replacen(from, to, 1), &expected, noon());
            if query.contains(from) {
                assert_eq!(refusal.unwrap_err().reason, Reason::SignatureMismatch, "{from}");
            }
        }
    }
}

#[test]
fn keys_are_read_or_refused_by_a_sentence() {
    let certificate = SigningKey::read(&format!("{PROVIDER_KEY}{PROVIDER_CERTIFICATE}")).unwrap();
    assert_eq!(certificate.certificates().first(), Certificates::read(PROVIDER_CERTIFICATE).unwrap().iter().next());
    assert!(SigningKey::read(PROVIDER_KEY).unwrap().certificates().is_empty());
    let two = SigningKey::read(&format!("{PROVIDER_KEY}{PROVIDER_CERTIFICATE}{OTHER_CERTIFICATE}")).unwrap();
    assert_eq!(two.certificates().len(), 2);
    for (text, fault) in [
        ("", KeyFault::Missing),
        (PROVIDER_CERTIFICATE, KeyFault::Missing),
        ("-----BEGIN PRIVATE KEY-----\n*\n-----END PRIVATE KEY-----", KeyFault::Unreadable),
        ("-----BEGIN PRIVATE KEY-----", KeyFault::Unreadable),
        ("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----", KeyFault::Unsupported),
        ("-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----", KeyFault::Unreadable),
        (include_str!("keys/weak.key"), KeyFault::Unsupported),
        (&format!("{PROVIDER_KEY}-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----"), KeyFault::Certificate),
    ] {
        assert_eq!(SigningKey::read(text).unwrap_err(), fault, "{text}");
        assert!(!fault.to_string().contains("AAAA"));
    }
    assert_eq!(format!("{:?}", SigningKey::read(PROVIDER_KEY).unwrap()), "SigningKey");
}

fn name(value: &str) -> NameId {
    NameId {
        value: value.to_owned(),
        format: Some("urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress".to_owned()),
        name_qualifier: Some("https://idp.example/\"q\"".to_owned()),
        sp_name_qualifier: None,
    }
}

fn call(name_id: &NameId) -> LogoutCall<'_> {
    LogoutCall {
        id: "_logout",
        issued: noon(),
        sign_out_url: LOGOUT,
        entity_id: PROVIDER,
        name_id,
        session_index: Some("_session<&>"),
    }
}

fn answer() -> LogoutAnswer<'static> {
    LogoutAnswer {
        id: "_answer",
        issued: noon(),
        sign_out_url: LOGOUT,
        entity_id: PROVIDER,
        in_response_to: "_logout",
        is_success: true,
    }
}

fn expected() -> LogoutExpectations {
    LogoutExpectations {
        logout_url: LOGOUT.to_owned(),
        provider_entity_id: PROVIDER.to_owned(),
        certificates: Certificates::read(PROVIDER_CERTIFICATE).unwrap(),
        skew_seconds: 60,
    }
}

fn from_query(query: &str, now: DateTime<Utc>) -> Result<LogoutMessage, Refusal> {
    LogoutMessage::from_query(query, &expected(), now)
}

/// The reason for which a query is refused.
#[track_caller]
fn reason(query: &str) -> Reason {
    from_query(query, noon()).expect_err(query).reason
}

fn query(address: &str) -> String {
    address.split_once('?').unwrap().1.to_owned()
}

fn deflated(xml: &[u8]) -> String {
    let mut encoder = DeflateEncoder::new(vec![], Compression::best());
    encoder.write_all(xml).unwrap();
    form_urlencoded::byte_serialize(STANDARD.encode(encoder.finish().unwrap()).as_bytes()).collect()
}

/// A query of this XML that the provider signed.
fn signed_query(parameter: &str, xml: &str) -> String {
    let algorithm: String = form_urlencoded::byte_serialize(Algorithm::RsaSha256.uri().as_bytes()).collect();
    let query = format!("{parameter}={}&SigAlg={algorithm}", deflated(xml.as_bytes()));
    let signature = SigningKey::read(PROVIDER_KEY).unwrap().sign(query.as_bytes()).unwrap();
    let signature: String = form_urlencoded::byte_serialize(STANDARD.encode(signature).as_bytes()).collect();
    format!("{query}&Signature={signature}")
}

#[test]
fn a_signed_request_to_sign_out_tells_whom() {
    let key = SigningKey::read(PROVIDER_KEY).unwrap();
    let name_id = name("alice@example.com");
    let query = query(&call(&name_id).redirect(None, Some(&key)).unwrap());
    let request = LogoutRequest {
        id: "_logout".to_owned(),
        name_id: name_id.clone(),
        session_indexes: vec!["_session<&>".to_owned()],
        relay_state: None,
        valid_until: at("2026-11-22T12:06:00Z"),
    };
    assert_eq!(from_query(&query, noon()), Ok(LogoutMessage::Request(request.clone())));
    assert_eq!(from_query(&query, at("2026-11-22T12:05:59Z")), Ok(LogoutMessage::Request(request)));
    assert_eq!(from_query(&query, at("2026-11-22T12:06:00Z")).unwrap_err().reason, Reason::Expired);
    assert_eq!(from_query(&query, at("2026-11-22T11:58:59Z")).unwrap_err().reason, Reason::NotYetValid);
}

#[test]
fn s16_what_inflates_without_end() {
    let bomb = format!("SAMLRequest={}", deflated(&vec![b' '; 50 << 20]));
    assert!(bomb.len() < 200_000);
    let refusal = from_query(&bomb, noon()).unwrap_err();
    assert_eq!((refusal.reason, refusal.expected.as_deref()), (Reason::TooLarge, Some("65536")));
    let most = format!("SAMLRequest={}", deflated(&vec![b' '; 64 << 10]));
    assert_eq!(reason(&most), Reason::NotWellFormed);
    assert_eq!(reason("SAMLRequest=AAAA"), Reason::NotDeflated);
    assert_eq!(reason("SAMLRequest=%25"), Reason::NotBase64);
}

#[test]
fn s25_requests_to_sign_out_that_are_signed_badly() {
    let key = SigningKey::read(PROVIDER_KEY).unwrap();
    let name_id = name("alice@example.com");
    let good = query(&call(&name_id).redirect(Some("state"), Some(&key)).unwrap());
    assert!(from_query(&good, noon()).is_ok());
    let unsigned = query(&call(&name_id).redirect(Some("state"), None).unwrap());
    assert_eq!(reason(&unsigned), Reason::UnsignedRequest);
    let by_other = query(&call(&name_id).redirect(Some("state"), Some(&SigningKey::read(OTHER_KEY).unwrap())).unwrap());
    assert_eq!(reason(&by_other), Reason::SignatureMismatch);
    // The signature of one message over another.
    let other_name = name("bob@example.com");
    let other = query(&call(&other_name).redirect(Some("state"), None).unwrap());
    let rest = &good[good.find("&SigAlg").unwrap()..];
    assert_eq!(reason(&format!("{other}{rest}")), Reason::SignatureMismatch);
    for (from, to, expected) in [
        ("state", "other", Reason::SignatureMismatch),
        ("&RelayState=state", "", Reason::SignatureMismatch),
        ("&Signature=", "&Signaturf=", Reason::SignatureShape),
        ("&SigAlg=", "&SigAlh=", Reason::SignatureShape),
        ("rsa-sha256", "rsa-sha1", Reason::SignatureAlgorithm),
        ("xmldsig-more%23rsa-sha256", "xmldsig-more%23hmac-sha256", Reason::SignatureAlgorithm),
        ("SAMLRequest=", "SAMLRequest=A&SAMLRequest=", Reason::MessageMissing),
        ("&RelayState=", "&RelayState=b&RelayState=", Reason::MessageMissing),
        ("SAMLRequest=", "SAMLResponse=A&SAMLRequest=", Reason::MessageMissing),
        ("SAMLRequest=", "Request=", Reason::MessageMissing),
    ] {
        assert_eq!(reason(&twist(&good, from, to)), expected, "{from} {to}");
    }
    // The same characters otherwise encoded are not what was signed.
    assert_eq!(reason(&twist(&good, "RelayState=state", "RelayState=s%74ate")), Reason::SignatureMismatch);
    // Of another provider, for another address, encrypted, of another kind, without a name.
    let (_, xml) = opened(&call(&name_id).redirect(None, None).unwrap());
    for (from, to, expected) in [
        (PROVIDER, "https://other.example", Reason::WrongIssuer),
        (LOGOUT, "https://flags.example/elsewhere", Reason::WrongDestination),
        (" Destination=", " Target=", Reason::WrongDestination),
        ("<saml:NameID ", "<saml:EncryptedID/><saml:NameID ", Reason::Encrypted),
        ("Version=\"2.0\"", "Version=\"1.1\"", Reason::SamlVersion),
        (" IssueInstant=\"2026-11-22T12:00:00Z\"", "", Reason::IncompleteMessage),
        (" IssueInstant=\"", " NotOnOrAfter=\"2026-11-22T11:00:00Z\" IssueInstant=\"", Reason::Expired),
        (" ID=\"_logout\"", "", Reason::IncompleteMessage),
        ("<saml:NameID ", "<saml:NameID/><saml:NameID ", Reason::IncompleteMessage),
        (">alice@example.com<", "><", Reason::NameIdMissing),
        (">alice@example.com<", "><!-- -->alice@example.com<", Reason::Comment),
        (
            "</saml:Issuer>",
            "</saml:Issuer><ds:Signature xmlns:ds=\"http://www.w3.org/2000/09/xmldsig#\"/>",
            Reason::SignatureMisplaced,
        ),
    ] {
        let twisted = xml.replacen(from, to, 1);
        assert_ne!(twisted, xml);
        assert_eq!(reason(&signed_query("SAMLRequest", &twisted)), expected, "{from} {to}");
    }
    assert_eq!(reason(&signed_query("SAMLResponse", &xml)), Reason::WrongRoot);
    let kind = xml.replace("LogoutRequest", "AuthnRequest");
    assert_eq!(reason(&signed_query("SAMLRequest", &kind)), Reason::WrongRoot);
}

#[test]
fn s25_requests_to_sign_out_by_form() {
    let xml = "<samlp:LogoutRequest xmlns:samlp=\"urn:oasis:names:tc:SAML:2.0:protocol\" \
               Destination=\"https://flags.example/auth/saml/logout/done\" ID=\"_logout\" \
               IssueInstant=\"2026-11-22T12:00:00Z\" NotOnOrAfter=\"2026-11-22T12:01:00Z\" Version=\"2.0\">\
               <saml:Issuer xmlns:saml=\"urn:oasis:names:tc:SAML:2.0:assertion\">https://idp.example/metadata</saml:Issuer>\
               <saml:NameID xmlns:saml=\"urn:oasis:names:tc:SAML:2.0:assertion\">alice@example.com</saml:NameID>\
               <samlp:SessionIndex>_session</samlp:SessionIndex></samlp:LogoutRequest>";
    let from_post = |xml: &str| LogoutMessage::from_post(xml.as_bytes(), &expected(), noon());
    let signed = sign(xml, "samlp:LogoutRequest");
    let LogoutMessage::Request(request) = from_post(&signed).unwrap() else { panic!() };
    assert_eq!(
        (request.name_id.value.as_str(), request.valid_until),
        ("alice@example.com", at("2026-11-22T12:02:00Z"))
    );
    assert_eq!(request.session_indexes, ["_session"]);
    for (xml, reason) in [
        (xml.to_owned(), Reason::UnsignedRequest),
        (signed.replace("alice@", "bob@"), Reason::DigestMismatch),
        (signed.replace("_session", "_other"), Reason::DigestMismatch),
        (signed.replace("ID=\"_logout\"", "ID=\"_evil\""), Reason::Reference),
        (sign(&xml.replace("idp.example", "other.example"), "samlp:LogoutRequest"), Reason::WrongIssuer),
        (sign(&xml.replace("12:01:00Z", "11:01:00Z"), "samlp:LogoutRequest"), Reason::Expired),
        (xml.replace("LogoutRequest", "Response"), Reason::WrongRoot),
        (signed.replace("<saml:NameID", "<samlp:LogoutRequest/><saml:NameID"), Reason::MisplacedElement),
        (
            signed.replace(
                "<saml:NameID",
                "<saml:Assertion xmlns:saml=\"urn:oasis:names:tc:SAML:2.0:assertion\"/><saml:NameID",
            ),
            Reason::MisplacedElement,
        ),
    ] {
        assert_eq!(from_post(&xml).unwrap_err().reason, reason, "{xml}");
    }
}

#[test]
fn answers_tell_whether_and_to_what() {
    let key = SigningKey::read(PROVIDER_KEY).unwrap();
    let read =
        |answer: &LogoutAnswer<'_>, key| from_query(&query(&answer.redirect(Some("state"), key).unwrap()), noon());
    let mut response = LogoutResponse {
        in_response_to: Some("_logout".to_owned()),
        is_success: true,
        is_signed: true,
        relay_state: Some("state".to_owned()),
    };
    assert_eq!(read(&answer(), Some(&key)), Ok(LogoutMessage::Response(response.clone())));
    response.is_signed = false;
    assert_eq!(read(&answer(), None), Ok(LogoutMessage::Response(response.clone())));
    response.is_success = false;
    assert_eq!(read(&LogoutAnswer { is_success: false, ..answer() }, None), Ok(LogoutMessage::Response(response)));
    let other = SigningKey::read(OTHER_KEY).unwrap();
    assert_eq!(read(&answer(), Some(&other)).unwrap_err().reason, Reason::SignatureMismatch);
    let foreign = LogoutAnswer { entity_id: "https://other.example", ..answer() };
    assert_eq!(read(&foreign, None).unwrap_err().reason, Reason::WrongIssuer);
}

#[test]
#[ignore = "prints addresses for a SimpleSAMLphp that is set up to check signatures, see producers/simplesamlphp.py"]
fn addresses_for_a_running_provider() {
    let base = "http://127.0.0.1:18080/simplesaml/saml2/idp";
    let key = SigningKey::read(OTHER_KEY).unwrap();
    let sign_on_url = format!("{base}/SSOService.php");
    println!(
        "sign in {}",
        AuthnRequest { sign_on_url: &sign_on_url, ..request() }.redirect("word", Some(&key)).unwrap()
    );
    let name_id =
        NameId { name_qualifier: None, sp_name_qualifier: Some(ENTITY.to_owned()), ..name("alice@example.com") };
    let sign_out_url = format!("{base}/SingleLogoutService.php");
    let call = LogoutCall { sign_out_url: &sign_out_url, entity_id: ENTITY, session_index: None, ..call(&name_id) };
    println!("sign out {}", call.redirect(Some("state"), Some(&key)).unwrap());
}
