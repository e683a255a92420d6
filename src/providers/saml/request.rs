//! Messages of ours, which the browser carries to the provider in an address: the HTTP-Redirect binding (bindings 3.4).

use std::io::Write as _;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use chrono::{DateTime, SecondsFormat, Utc};
use flate2::{Compression, write::DeflateEncoder};
use url::form_urlencoded::byte_serialize;

use super::{
    canonical::{attribute_value, content},
    identity::NameId,
    names::{EMAIL_FORMAT, POST, RESPONDER, SAML, SAMLP, SUCCESS},
    signing::{KeyFault, SigningKey},
};

/// The id of a message from random bytes: a name of XML, which starts with no digit.
pub fn message_id(random: &[u8; 28]) -> String {
    format!("_{}", hex::encode(random))
}

/// Authentication request at the start of a sign-in.
#[derive(Clone, Copy, Debug)]
pub struct AuthnRequest<'a> {
    /// Id from [`message_id`]; the answer repeats it.
    pub id: &'a str,
    /// When it is asked.
    pub issued: DateTime<Utc>,
    /// The provider's address for it. A query that it has is kept.
    pub sign_on_url: &'a str,
    /// Address that the browser shall post the answer to.
    pub acs_url: &'a str,
    /// Our entity id.
    pub entity_id: &'a str,
}

impl AuthnRequest<'_> {
    /// The address that the browser is sent to; signed if there is a key.
    pub fn redirect(&self, relay_state: &str, key: Option<&SigningKey>) -> Result<String, KeyFault> {
        let acs_url = attribute_value(self.acs_url);
        let attributes = format!(" ProtocolBinding=\"{POST}\" AssertionConsumerServiceURL=\"{acs_url}\"");
        let policy = format!("<samlp:NameIDPolicy Format=\"{EMAIL_FORMAT}\" AllowCreate=\"true\"/>");
        let head = Head { id: self.id, issued: self.issued, destination: self.sign_on_url, entity_id: self.entity_id };
        let xml = head.message("AuthnRequest", &attributes, &policy);
        redirect(self.sign_on_url, "SAMLRequest", &xml, Some(relay_state), key)
    }
}

/// Request to end a user's session at the provider.
#[derive(Clone, Copy, Debug)]
pub struct LogoutCall<'a> {
    /// Id from [`message_id`]; the answer repeats it.
    pub id: &'a str,
    /// When it is asked.
    pub issued: DateTime<Utc>,
    /// The provider's address for it. A query that it has is kept.
    pub sign_out_url: &'a str,
    /// Our entity id.
    pub entity_id: &'a str,
    /// User whose session it is, as in the assertion.
    pub name_id: &'a NameId,
    /// Index of the session, if the assertion had it; otherwise all of that person's.
    pub session_index: Option<&'a str>,
}

impl LogoutCall<'_> {
    /// The address that the browser is sent to; signed if there is a key.
    pub fn redirect(&self, relay_state: Option<&str>, key: Option<&SigningKey>) -> Result<String, KeyFault> {
        let name = self.name_id;
        let described = [
            ("Format", &name.format),
            ("NameQualifier", &name.name_qualifier),
            ("SPNameQualifier", &name.sp_name_qualifier),
        ];
        let mut body = "<saml:NameID".to_owned();
        for (attribute, value) in described {
            if let Some(value) = value {
                body.extend([" ", attribute, "=\"", &attribute_value(value), "\""]);
            }
        }
        body.extend([">", &content(&name.value), "</saml:NameID>"]);
        if let Some(index) = self.session_index {
            body.extend(["<samlp:SessionIndex>", &content(index), "</samlp:SessionIndex>"]);
        }
        let head = Head { id: self.id, issued: self.issued, destination: self.sign_out_url, entity_id: self.entity_id };
        redirect(self.sign_out_url, "SAMLRequest", &head.message("LogoutRequest", "", &body), relay_state, key)
    }
}

/// Answer to a provider that asks to end a session.
#[derive(Clone, Copy, Debug)]
pub struct LogoutAnswer<'a> {
    /// Id from [`message_id`].
    pub id: &'a str,
    /// When it is answered.
    pub issued: DateTime<Utc>,
    /// The provider's address for it. A query that it has is kept.
    pub sign_out_url: &'a str,
    /// Our entity id.
    pub entity_id: &'a str,
    /// Id of the request.
    pub in_response_to: &'a str,
    /// Whether the session is over: also when there was none.
    pub is_success: bool,
}

impl LogoutAnswer<'_> {
    /// The address that the browser is sent to, with the relay state that came with the request; signed if there is a
    /// key.
    pub fn redirect(&self, relay_state: Option<&str>, key: Option<&SigningKey>) -> Result<String, KeyFault> {
        let attributes = format!(" InResponseTo=\"{}\"", attribute_value(self.in_response_to));
        let code = if self.is_success { SUCCESS } else { RESPONDER };
        let status = format!("<samlp:Status><samlp:StatusCode Value=\"{code}\"/></samlp:Status>");
        let head = Head { id: self.id, issued: self.issued, destination: self.sign_out_url, entity_id: self.entity_id };
        redirect(
            self.sign_out_url,
            "SAMLResponse",
            &head.message("LogoutResponse", &attributes, &status),
            relay_state,
            key,
        )
    }
}

/// Common head of all messages.
struct Head<'a> {
    id: &'a str,
    issued: DateTime<Utc>,
    destination: &'a str,
    entity_id: &'a str,
}

impl Head<'_> {
    /// The message with attributes and a body that are XML already.
    fn message(&self, kind: &str, attributes: &str, body: &str) -> String {
        let (id, destination) = (attribute_value(self.id), attribute_value(self.destination));
        let issued = self.issued.to_rfc3339_opts(SecondsFormat::Secs, true);
        format!(
            "<samlp:{kind} xmlns:samlp=\"{SAMLP}\" xmlns:saml=\"{SAML}\" ID=\"{id}\" Version=\"2.0\" \
             IssueInstant=\"{issued}\" Destination=\"{destination}\"{attributes}><saml:Issuer>{}</saml:Issuer>{body}\
             </samlp:{kind}>",
            content(self.entity_id)
        )
    }
}

/// The address with the message deflated in it. What is signed are these very characters (bindings 3.4.4.1).
fn redirect(
    address: &str,
    parameter: &str,
    xml: &str,
    relay_state: Option<&str>,
    key: Option<&SigningKey>,
) -> Result<String, KeyFault> {
    let mut query = format!("{parameter}={}", encoded(&STANDARD.encode(deflated(xml))));
    if let Some(relay_state) = relay_state {
        query.extend(["&RelayState=", &encoded(relay_state)]);
    }
    if let Some(key) = key {
        query.extend(["&SigAlg=", &encoded(key.algorithm().uri())]);
        let signature = STANDARD.encode(key.sign(query.as_bytes())?);
        query.extend(["&Signature=", &encoded(&signature)]);
    }
    let (address, _fragment) = address.split_once('#').unwrap_or((address, ""));
    let join = match address.split_once('?') {
        None => "?",
        Some((_, "")) => "",
        Some(_) => "&",
    };
    Ok(format!("{address}{join}{query}"))
}

fn encoded(text: &str) -> String {
    byte_serialize(text.as_bytes()).collect()
}

fn deflated(xml: &str) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    let written = encoder.write_all(xml.as_bytes()).and_then(|()| encoder.finish());
    written.expect("writing into memory does not fail")
}
