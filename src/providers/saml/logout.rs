//! Messages of the provider about signing out: by an address, whose very characters are signed, or by a form, where the
//! message carries its signature. Any page can send a user's browser here, so a request that is not signed does
//! nothing.

use std::io::Read as _;

use chrono::{DateTime, TimeDelta, Utc};
use flate2::read::DeflateDecoder;
use roxmltree::Node;
use url::form_urlencoded;

use super::{
    algorithm::Algorithm,
    assertion::{Moment, check_destination, check_issuer, identifier, name_id, time},
    certificate::{Certificates, decode},
    document::{self, Source, all, one, required, text},
    identity::NameId,
    names::{DS, SAML, SAMLP},
    refusal::{Reason, Refusal},
    verifier::{check_signature, check_status, check_tree},
};

/// Bytes of a message that came deflated in an address; addresses are short, so what grows beyond is a bomb.
const MAX_INFLATED: u64 = 64 * 1024;
/// Validity of a request that does not say it.
const DEFAULT_MINUTES: i64 = 5;

/// Expectations of messages about signing out: the settings in force.
#[derive(Clone, Debug)]
pub struct LogoutExpectations {
    /// The address that they come to.
    pub logout_url: String,
    /// The provider's entity id.
    pub provider_entity_id: String,
    /// Certificates whose keys may sign.
    pub certificates: Certificates,
    /// Seconds by which clocks may differ; over 300 count as 300.
    pub skew_seconds: u16,
}

/// A message that may be acted upon.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LogoutMessage {
    /// The provider asks for the end of a session. It was signed.
    Request(LogoutRequest),
    /// The provider answers a request of ours.
    Response(LogoutResponse),
}

/// A signed request to end a user's sessions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogoutRequest {
    /// Its id, which the answer repeats.
    pub id: String,
    /// User whose sessions are to end.
    pub name_id: NameId,
    /// Indexes of the sessions to end; none means all.
    pub session_indexes: Vec<String>,
    /// Relay state that the answer has to carry along; of a form, its other field.
    pub relay_state: Option<String>,
    /// When it ends to be valid, tolerance included: until then its id may be remembered.
    pub valid_until: DateTime<Utc>,
}

/// The answer to a request of ours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogoutResponse {
    /// Id of our request.
    pub in_response_to: Option<String>,
    /// Whether the provider ended its session.
    pub is_success: bool,
    /// Whether it was signed, and so came from the provider. What was signed badly is refused.
    pub is_signed: bool,
    /// Relay state of our request; of a form, its other field.
    pub relay_state: Option<String>,
}

impl LogoutMessage {
    /// Reads the query of an address as it came, undecoded.
    pub fn from_query(raw: &str, expected: &LogoutExpectations, now: DateTime<Utc>) -> Result<Self, Refusal> {
        let query = Query::read(raw)?;
        let is_signed = query.check_signature(&expected.certificates)?;
        let message = decode(&decoded(query.message.1)).ok_or(Reason::NotBase64)?;
        let inflated = inflated(&message)?;
        let relay_state = query.relay_state.map(decoded);
        read(&inflated, expected, now, relay_state, |message, kind| {
            // The query says who sent it, so it would be anybody's who signed something once (bindings 3.4.4.1).
            if all(message, DS, "Signature").next().is_some() {
                return Err(Reason::SignatureMisplaced.into());
            }
            // The request of one kind must not pass for the other.
            let parameter = if kind == "LogoutRequest" { "SAMLRequest" } else { "SAMLResponse" };
            if query.message.0 == parameter { Ok(is_signed) } else { Err(Refusal::found(Reason::WrongRoot, kind)) }
        })
    }

    /// Reads the XML in a form field, see [`super::verifier::decode_form`].
    pub fn from_post(xml: &[u8], expected: &LogoutExpectations, now: DateTime<Utc>) -> Result<Self, Refusal> {
        read(xml, expected, now, None, |message, _| check_signature(message, &expected.certificates))
    }
}

fn read(
    xml: &[u8],
    expected: &LogoutExpectations,
    now: DateTime<Utc>,
    relay_state: Option<String>,
    check_signed: impl FnOnce(Node<'_, '_>, &'static str) -> Result<bool, Refusal>,
) -> Result<LogoutMessage, Refusal> {
    let text = document::prepare(xml, Source::Message)?;
    let document = document::parse(&text)?;
    let message = document.root_element();
    let kind = if message.tag_name().name() == "LogoutResponse" { "LogoutResponse" } else { "LogoutRequest" };
    check_tree(message, kind)?;
    let is_signed = check_signed(message, kind)?;
    if kind == "LogoutRequest" {
        if !is_signed {
            return Err(Reason::UnsignedRequest.into());
        }
        check_issuer(required(message, SAML, "Issuer")?, &expected.provider_entity_id)?;
        // A signed message says for whom it is (bindings 3.4.5.2), or one for another service would do here.
        if !message.has_attribute("Destination") {
            return Err(Refusal::instead(Reason::WrongDestination, &expected.logout_url, None));
        }
    } else if let Some(issuer) = one(message, SAML, "Issuer")? {
        check_issuer(issuer, &expected.provider_entity_id)?;
    }
    check_destination(message, &expected.logout_url)?;
    if kind == "LogoutResponse" {
        return Ok(LogoutMessage::Response(LogoutResponse {
            in_response_to: message.attribute("InResponseTo").map(str::to_owned),
            is_success: check_status(message).is_ok(),
            is_signed,
            relay_state,
        }));
    }
    let session_indexes = all(message, SAMLP, "SessionIndex").filter_map(self::text).map(str::to_owned);
    Ok(LogoutMessage::Request(LogoutRequest {
        id: identifier(message)?,
        name_id: name_id(message)?,
        session_indexes: session_indexes.collect(),
        relay_state,
        valid_until: valid_until(message, Moment::new(now, expected.skew_seconds))?,
    }))
}

fn valid_until(request: Node<'_, '_>, moment: Moment) -> Result<DateTime<Utc>, Refusal> {
    let missing = || Refusal::found(Reason::IncompleteMessage, "no IssueInstant");
    let issued = time(request, "IssueInstant")?.ok_or_else(missing)?;
    moment.check_begun(issued)?;
    let own = time(request, "NotOnOrAfter")?;
    let end = own.or_else(|| issued.checked_add_signed(TimeDelta::minutes(DEFAULT_MINUTES))).unwrap_or(issued);
    moment.check_lasting(end, Reason::Expired)
}

/// The parameters of an address as they stand there, with the name of the message's.
struct Query<'a> {
    message: (&'static str, &'a str),
    relay_state: Option<&'a str>,
    algorithm: Option<&'a str>,
    signature: Option<&'a str>,
}

impl<'a> Query<'a> {
    fn read(raw: &'a str) -> Result<Self, Refusal> {
        let one = |name: &str| {
            let mut values = raw.split('&').filter_map(|pair| pair.split_once('=').filter(|pair| pair.0 == name));
            let first = values.next().map(|pair| pair.1);
            // Of two, the signature could be about the other.
            if values.next().is_some() { Err(Refusal::found(Reason::MessageMissing, name)) } else { Ok(first) }
        };
        let message = match (one("SAMLRequest")?, one("SAMLResponse")?) {
            (Some(message), None) => ("SAMLRequest", message),
            (None, Some(message)) => ("SAMLResponse", message),
            _ => return Err(Reason::MessageMissing.into()),
        };
        let [relay_state, algorithm, signature] = [one("RelayState")?, one("SigAlg")?, one("Signature")?];
        Ok(Self { message, relay_state, algorithm, signature })
    }

    /// Whether the query is signed. A signature that is there must hold.
    fn check_signature(&self, certificates: &Certificates) -> Result<bool, Refusal> {
        let (Some(algorithm), Some(signature)) = (self.algorithm, self.signature) else {
            return match self.algorithm.or(self.signature) {
                None => Ok(false),
                Some(_) => Err(Refusal::found(Reason::SignatureShape, "one of SigAlg and Signature")),
            };
        };
        let (name, message) = self.message;
        let relay_state = self.relay_state.map(|state| format!("&RelayState={state}")).unwrap_or_default();
        let signed = format!("{name}={message}{relay_state}&SigAlg={algorithm}");
        let uri = decoded(algorithm);
        let algorithm = Algorithm::of(&uri).ok_or_else(|| Refusal::found(Reason::SignatureAlgorithm, &uri))?;
        let signature = decode(&decoded(signature)).ok_or(Reason::SignatureShape)?;
        if certificates.iter().any(|certificate| certificate.has_signed(algorithm, signed.as_bytes(), &signature)) {
            return Ok(true);
        }
        Err(Reason::SignatureMismatch.into())
    }
}

/// The value of a parameter, which may hold a bare `=`.
fn decoded(raw: &str) -> String {
    form_urlencoded::parse(format!("={raw}").as_bytes()).map(|(_, value)| value.into_owned()).collect()
}

fn inflated(message: &[u8]) -> Result<Vec<u8>, Refusal> {
    let mut out = vec![];
    DeflateDecoder::new(message).take(MAX_INFLATED + 1).read_to_end(&mut out).map_err(|_| Reason::NotDeflated)?;
    if out.len() as u64 > MAX_INFLATED {
        return Err(Refusal::instead(Reason::TooLarge, MAX_INFLATED.to_string(), None));
    }
    Ok(out)
}
