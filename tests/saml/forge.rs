//! Responses as an attacker makes them: from a signed one, or signed badly. The texts are canonical already, so nothing
//! here canonicalises, and the verifier is not held against itself.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use chrono::{DateTime, Utc};
use flagstone::providers::saml::{
    algorithm::Algorithm,
    certificate::Certificates,
    identity::SignedIdentity,
    refusal::{Reason, Refusal},
    signing::SigningKey,
    verifier::{Expectations, verify},
};
use ring::digest;

pub const ENTITY: &str = "https://flags.example";
pub const ACS: &str = "https://flags.example/auth/saml/callback";
pub const PROVIDER: &str = "https://idp.example/metadata";
pub const DS: &str = "http://www.w3.org/2000/09/xmldsig#";
pub const ENVELOPED: &str = "http://www.w3.org/2000/09/xmldsig#enveloped-signature";
pub const EXCLUSIVE: &str = "http://www.w3.org/2001/10/xml-exc-c14n#";
pub const SHA256: &str = "http://www.w3.org/2001/04/xmlenc#sha256";

pub const PROVIDER_KEY: &str = include_str!("keys/provider.key");
pub const PROVIDER_CERTIFICATE: &str = include_str!("keys/provider.crt");
pub const OTHER_KEY: &str = include_str!("keys/other.key");
pub const OTHER_CERTIFICATE: &str = include_str!("keys/other.crt");

/// The response that all others are made from, in canonical form and without signatures.
pub const RESPONSE: &str = concat!(
    r#"<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" Destination="https://flags.example/auth/saml/callback""#,
    r#" ID="_response" InResponseTo="_request" IssueInstant="2026-11-22T12:00:00Z" Version="2.0">"#,
    r#"<saml:Issuer xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion">https://idp.example/metadata</saml:Issuer>"#,
    r#"<samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"></samlp:StatusCode></samlp:Status>"#,
    r#"<saml:Assertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="_assertion" IssueInstant="2026-11-22T12:00:00Z" Version="2.0">"#,
    r#"<saml:Issuer>https://idp.example/metadata</saml:Issuer>"#,
    r#"<saml:Subject><saml:NameID Format="urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress">alice@example.com</saml:NameID>"#,
    r#"<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"><saml:SubjectConfirmationData"#,
    r#" InResponseTo="_request" NotOnOrAfter="2026-11-22T12:05:00Z" Recipient="https://flags.example/auth/saml/callback">"#,
    r#"</saml:SubjectConfirmationData></saml:SubjectConfirmation></saml:Subject>"#,
    r#"<saml:Conditions NotBefore="2026-11-22T11:59:00Z" NotOnOrAfter="2026-11-22T12:05:00Z"><saml:AudienceRestriction>"#,
    r#"<saml:Audience>https://flags.example</saml:Audience></saml:AudienceRestriction></saml:Conditions>"#,
    r#"<saml:AuthnStatement AuthnInstant="2026-11-22T12:00:00Z" SessionIndex="_session" SessionNotOnOrAfter="2026-11-22T20:00:00Z">"#,
    r#"<saml:AuthnContext><saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef>"#,
    r#"</saml:AuthnContext></saml:AuthnStatement><saml:AttributeStatement>"#,
    r#"<saml:Attribute Name="firstName"><saml:AttributeValue>Alice</saml:AttributeValue></saml:Attribute>"#,
    r#"<saml:Attribute Name="lastName"><saml:AttributeValue>Example &lt;&amp;&gt;</saml:AttributeValue></saml:Attribute>"#,
    r#"<saml:Attribute Name="groups"><saml:AttributeValue>admins</saml:AttributeValue><saml:AttributeValue>developers</saml:AttributeValue>"#,
    r#"</saml:Attribute></saml:AttributeStatement></saml:Assertion></samlp:Response>"#,
);

/// The moment at which [`RESPONSE`] was made.
pub fn noon() -> DateTime<Utc> {
    at("2026-11-22T12:00:00Z")
}

pub fn at(text: &str) -> DateTime<Utc> {
    text.parse().unwrap()
}

pub fn expectations() -> Expectations {
    Expectations {
        entity_id: ENTITY.to_owned(),
        acs_url: ACS.to_owned(),
        provider_entity_id: PROVIDER.to_owned(),
        certificates: Certificates::read(PROVIDER_CERTIFICATE).unwrap(),
        skew_seconds: 60,
        allow_unsolicited: false,
        email_attribute: None,
    }
}

/// Reads a response at noon under the usual settings.
pub fn identity(xml: &str) -> Result<SignedIdentity, Refusal> {
    verify(xml.as_bytes(), &expectations(), noon())
}

/// That a response is refused for this reason, under its name in the log.
#[track_caller]
pub fn refused(xml: &str, reason: Reason) -> Refusal {
    let refusal = identity(xml).expect_err(xml);
    assert_eq!(refusal.reason, reason, "{refusal:?}");
    refusal
}

/// Exchanges the one place where a text stands.
#[track_caller]
pub fn twist(xml: &str, from: &str, to: &str) -> String {
    assert_eq!(xml.matches(from).count(), 1, "{from} in {xml}");
    xml.replacen(from, to, 1)
}

/// Style of a signature; the default is that of providers.
pub struct Style {
    pub key: &'static str,
    pub algorithm: String,
    pub canonicalization: String,
    pub transforms: String,
    pub digest: &'static str,
    pub uri: Option<String>,
    /// Text in `SignedInfo` after the reference.
    pub second_reference: String,
    /// Text in `Signature` after the value.
    pub rest: String,
}

impl Default for Style {
    fn default() -> Self {
        Self {
            key: PROVIDER_KEY,
            algorithm: Algorithm::RsaSha256.uri().to_owned(),
            canonicalization: method("CanonicalizationMethod", EXCLUSIVE),
            transforms: method("Transform", ENVELOPED) + &method("Transform", EXCLUSIVE),
            digest: SHA256,
            uri: None,
            second_reference: String::new(),
            rest: String::new(),
        }
    }
}

pub fn method(name: &str, algorithm: &str) -> String {
    format!("<ds:{name} Algorithm=\"{algorithm}\"></ds:{name}>")
}

/// The element of this start, in a document that holds one such, with its end tag.
pub fn element<'a>(xml: &'a str, name: &str) -> &'a str {
    let start = xml.find(&format!("<{name}")).unwrap();
    let end = format!("</{name}>");
    &xml[start..xml.rfind(&end).unwrap() + end.len()]
}

/// Part from one text to the next place of another, both with it.
pub fn part<'a>(xml: &'a str, from: &str, to: &str) -> &'a str {
    let start = xml.find(from).unwrap();
    &xml[start..start + xml[start..].find(to).unwrap() + to.len()]
}

/// The signature of an element that is canonical and has none yet.
pub fn signature(element: &str, style: &Style) -> String {
    let id = element.split(" ID=\"").nth(1).unwrap().split('"').next().unwrap();
    let digest = match style.digest {
        SHA256 => digest::digest(&digest::SHA256, element.as_bytes()),
        "http://www.w3.org/2001/04/xmldsig-more#sha384" => digest::digest(&digest::SHA384, element.as_bytes()),
        "http://www.w3.org/2001/04/xmlenc#sha512" => digest::digest(&digest::SHA512, element.as_bytes()),
        _ => digest::digest(&digest::SHA1_FOR_LEGACY_USE_ONLY, element.as_bytes()),
    };
    let info = format!(
        "{}{}<ds:Reference URI=\"{}\"><ds:Transforms>{}</ds:Transforms>{}<ds:DigestValue>{}</ds:DigestValue></ds:Reference>{}",
        style.canonicalization,
        method("SignatureMethod", &style.algorithm),
        style.uri.clone().unwrap_or_else(|| format!("#{id}")),
        style.transforms,
        method("DigestMethod", style.digest),
        STANDARD.encode(digest),
        style.second_reference,
    );
    let signed = format!("<ds:SignedInfo xmlns:ds=\"{DS}\">{info}</ds:SignedInfo>");
    let value = SigningKey::read(style.key).unwrap().sign(signed.as_bytes()).unwrap();
    format!(
        "<ds:Signature xmlns:ds=\"{DS}\"><ds:SignedInfo>{info}</ds:SignedInfo><ds:SignatureValue>{}</ds:SignatureValue>{}\
         </ds:Signature>",
        STANDARD.encode(value),
        style.rest
    )
}

/// The document with the element of this name signed.
pub fn sign_as(xml: &str, name: &str, style: &Style) -> String {
    let whole = element(xml, name);
    let issuer = whole.find("</saml:Issuer>").unwrap() + "</saml:Issuer>".len();
    let signed = format!("{}{}{}", &whole[..issuer], signature(whole, style), &whole[issuer..]);
    xml.replacen(whole, &signed, 1)
}

pub fn sign(xml: &str, name: &str) -> String {
    sign_as(xml, name, &Style::default())
}

/// [`RESPONSE`] with its assertion signed, as most providers do.
pub fn signed() -> String {
    sign(RESPONSE, "saml:Assertion")
}

/// The response with a change that was there before the provider signed its assertion.
#[track_caller]
pub fn signed_after(from: &str, to: &str) -> String {
    sign(&twist(RESPONSE, from, to), "saml:Assertion")
}

/// An unsigned assertion for another person, with this id.
pub fn evil_assertion(id: &str) -> String {
    let evil = element(RESPONSE, "saml:Assertion").replace("alice@example.com", "mallory@example.com");
    twist(&evil, "ID=\"_assertion\"", &format!("ID=\"{id}\""))
}
