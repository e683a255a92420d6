//! Content of a signed assertion: steps 6 and 7. Everything is read from the node whose digest was compared, by direct
//! children and never by search, so that what is read is what was signed. Of the response around it, which may be
//! unsigned, only restrictions are applied.

use chrono::{DateTime, TimeDelta, Utc};
use flagstone_domain::email::is_email;
use roxmltree::Node;

use super::{
    document::{all, elements, one, required, text},
    identity::{NameId, SignedIdentity},
    names::{BEARER, EMAIL_FORMAT, PERSISTENT_FORMAT, SAML, TRANSIENT_FORMAT},
    refusal::{Reason, Refusal},
    verifier::Expectations,
};

/// Characters of a name or an email.
const MAX_NAME: usize = 1000;
/// Seconds of the largest tolerance.
const MAX_SKEW: u16 = 300;
/// Attributes that hold the email where the name of the user does not: short names, the one of LDAP, the one of
/// Microsoft.
const EMAIL_ATTRIBUTES: [&str; 4] = [
    "email",
    "mail",
    "urn:oid:0.9.2342.19200300.100.1.3",
    "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress",
];

/// Attributes that hold the first name: ours, the usual short one, the one of LDAP, the one of Microsoft.
const FIRST_NAME_ATTRIBUTES: [&str; 4] =
    ["firstName", "givenName", "urn:oid:2.5.4.42", "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/givenname"];
/// Names of the attribute for the last name.
const LAST_NAME_ATTRIBUTES: [&str; 4] =
    ["lastName", "sn", "urn:oid:2.5.4.4", "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/surname"];

/// A moment with what clocks may differ by.
#[derive(Clone, Copy)]
pub(super) struct Moment {
    now: DateTime<Utc>,
    skew: TimeDelta,
}

impl Moment {
    pub(super) fn new(now: DateTime<Utc>, skew_seconds: u16) -> Self {
        Self { now, skew: TimeDelta::seconds(skew_seconds.min(MAX_SKEW).into()) }
    }

    /// Refuses what begins later than now.
    pub(super) fn check_begun(self, from: DateTime<Utc>) -> Result<(), Refusal> {
        if from > self.now + self.skew { Err(self.refusal(Reason::NotYetValid, from)) } else { Ok(()) }
    }

    /// Refuses what ended by now, and returns until when it lasts.
    pub(super) fn check_lasting(self, until: DateTime<Utc>, reason: Reason) -> Result<DateTime<Utc>, Refusal> {
        // A year of six digits ends in overflow, and lasts.
        let end = until.checked_add_signed(self.skew).unwrap_or(until);
        if end <= self.now { Err(self.refusal(reason, until)) } else { Ok(end) }
    }

    fn refusal(self, reason: Reason, found: DateTime<Utc>) -> Refusal {
        Refusal::instead(reason, self.now.to_rfc3339(), Some(&found.to_rfc3339()))
    }
}

/// Steps 6 and 7, for an assertion that is signed or stands in a signed response.
pub(super) fn read(
    response: Node<'_, '_>,
    assertion: Node<'_, '_>,
    expected: &Expectations,
    now: DateTime<Utc>,
) -> Result<SignedIdentity, Refusal> {
    let moment = Moment::new(now, expected.skew_seconds);
    if assertion.attribute("Version") != Some("2.0") {
        return Err(Refusal::instead(Reason::SamlVersion, "2.0", assertion.attribute("Version")));
    }
    // The provider's own: another one of the same federation may hold a key that we trust, too.
    check_issuer(required(assertion, SAML, "Issuer")?, &expected.provider_entity_id)?;
    if let Some(issuer) = one(response, SAML, "Issuer")? {
        check_issuer(issuer, &expected.provider_entity_id)?;
    }
    // Meant for another service, whose operator may have passed it on.
    check_destination(response, &expected.acs_url)?;

    let subject = required(assertion, SAML, "Subject")?;
    let (confirmation, until) = confirmation(subject, &expected.acs_url, moment)?;
    check_conditions(required(assertion, SAML, "Conditions")?, &expected.entity_id, moment)?;
    // The unsigned one is only compared: the signed one counts.
    let in_response_to = confirmation.attribute("InResponseTo");
    if response.attribute("InResponseTo") != in_response_to {
        let expected = in_response_to.unwrap_or("none");
        return Err(Refusal::instead(Reason::WrongRequest, expected, response.attribute("InResponseTo")));
    }
    if in_response_to.is_none() && !expected.allow_unsolicited {
        return Err(Reason::Unsolicited.into());
    }

    // An assertion without one tells about a user and does not say that they signed in.
    let mut sessions = all(assertion, SAML, "AuthnStatement").peekable();
    if sessions.peek().is_none() {
        return Err(Refusal::found(Reason::IncompleteMessage, "no AuthnStatement"));
    }
    let (mut session_index, mut session_not_on_or_after) = (None, None::<DateTime<Utc>>);
    for session in sessions {
        session_index = session_index.or(session.attribute("SessionIndex"));
        if let Some(end) = time(session, "SessionNotOnOrAfter")? {
            moment.check_lasting(end, Reason::SessionEnded)?;
            session_not_on_or_after = Some(session_not_on_or_after.map_or(end, |other| other.min(end)));
        }
    }

    let name_id = name_id(subject)?;
    let mut identity = SignedIdentity {
        issuer: expected.provider_entity_id.clone(),
        subject: name_id.value.clone(),
        email: String::new(),
        first_name: None,
        last_name: None,
        attributes: attributes(assertion),
        in_response_to: in_response_to.map(str::to_owned),
        response_id: identifier(response)?,
        assertion_id: identifier(assertion)?,
        session_index: session_index.map(str::to_owned),
        name_id,
        not_on_or_after: until,
        session_not_on_or_after,
    };
    identity.email = email(&identity, expected.email_attribute.as_deref())?;
    let first_of = |names: &[&str]| names.iter().find_map(|name| identity.attribute(name)).map(str::to_owned);
    let (first_name, last_name) = (first_of(&FIRST_NAME_ATTRIBUTES), first_of(&LAST_NAME_ATTRIBUTES));
    (identity.first_name, identity.last_name) = (first_name, last_name);
    Ok(identity)
}

pub(super) fn check_issuer(issuer: Node<'_, '_>, expected: &str) -> Result<(), Refusal> {
    match text(issuer) {
        Some(found) if found == expected => Ok(()),
        found => Err(Refusal::instead(Reason::WrongIssuer, expected, found)),
    }
}

pub(super) fn check_destination(message: Node<'_, '_>, expected: &str) -> Result<(), Refusal> {
    match message.attribute("Destination") {
        Some(found) if found != expected => Err(Refusal::instead(Reason::WrongDestination, expected, Some(found))),
        _ => Ok(()),
    }
}

/// The `ID` of an element, which must have one.
pub(super) fn identifier(element: Node<'_, '_>) -> Result<String, Refusal> {
    let id = element.attribute("ID").filter(|id| !id.is_empty() && id.chars().count() <= MAX_NAME);
    Ok(id.ok_or_else(|| Refusal::found(Reason::IncompleteMessage, "no ID"))?.to_owned())
}

/// A time in UTC, as SAML has them all (core 1.3.3).
pub(super) fn time(element: Node<'_, '_>, name: &str) -> Result<Option<DateTime<Utc>>, Refusal> {
    let Some(given) = element.attribute(name) else { return Ok(None) };
    match DateTime::parse_from_rfc3339(given) {
        Ok(time) => Ok(Some(time.to_utc())),
        Err(_) => Err(Refusal::found(Reason::BadTime, format!("{name} {given}"))),
    }
}

/// Returns the bearer confirmation that holds, and until when (profiles 4.1.4.3): the bearer who brings the assertion
/// here in time is its subject. One that holds is enough; of several that do not, the last one's refusal is returned.
fn confirmation<'a, 'i>(
    subject: Node<'a, 'i>,
    acs_url: &str,
    moment: Moment,
) -> Result<(Node<'a, 'i>, DateTime<Utc>), Refusal> {
    let mut outcome = Err(Reason::ConfirmationMissing.into());
    for confirmation in
        all(subject, SAML, "SubjectConfirmation").filter(|node| node.attribute("Method") == Some(BEARER))
    {
        let Some(data) = one(confirmation, SAML, "SubjectConfirmationData")? else { continue };
        let until = check_confirmation(data, acs_url, moment);
        match until {
            Ok(until) => return Ok((data, until)),
            Err(refusal) => outcome = Err(refusal),
        }
    }
    outcome
}

fn check_confirmation(data: Node<'_, '_>, acs_url: &str, moment: Moment) -> Result<DateTime<Utc>, Refusal> {
    if data.attribute("Recipient") != Some(acs_url) {
        return Err(Refusal::instead(Reason::WrongRecipient, acs_url, data.attribute("Recipient")));
    }
    if let Some(from) = time(data, "NotBefore")? {
        moment.check_begun(from)?;
    }
    // Without an end it could be used for ever, and would have to be remembered as long.
    let until = time(data, "NotOnOrAfter")?.ok_or(Reason::ConfirmationMissing)?;
    moment.check_lasting(until, Reason::Expired)
}

fn check_conditions(conditions: Node<'_, '_>, entity_id: &str, moment: Moment) -> Result<(), Refusal> {
    if let Some(from) = time(conditions, "NotBefore")? {
        moment.check_begun(from)?;
    }
    if let Some(until) = time(conditions, "NotOnOrAfter")? {
        moment.check_lasting(until, Reason::Expired)?;
    }
    let mut is_for_somebody = false;
    for condition in elements(conditions) {
        match (condition.tag_name().namespace(), condition.tag_name().name()) {
            (Some(SAML), "AudienceRestriction") => {
                // Each restriction must be met, by any audience of it (core 2.5.1.4).
                let mut audiences = all(condition, SAML, "Audience").map(|audience| text(audience).unwrap_or_default());
                if !audiences.any(|audience| audience == entity_id) {
                    let found: Vec<_> = all(condition, SAML, "Audience").filter_map(text).collect();
                    return Err(Refusal::instead(Reason::WrongAudience, entity_id, Some(&found.join(" "))));
                }
                is_for_somebody = true;
            }
            // Each is used once anyway, and nothing is issued on its grounds.
            (Some(SAML), "OneTimeUse" | "ProxyRestriction") => {}
            // A condition that is not understood makes an assertion neither valid nor invalid (core 2.5.1.1).
            (_, name) => return Err(Refusal::found(Reason::UnknownCondition, name)),
        }
    }
    // Without it, an assertion for any service of the provider would open this one.
    if is_for_somebody { Ok(()) } else { Err(Reason::AudienceMissing.into()) }
}

/// The `NameID` of a subject or of a request to sign out.
pub(super) fn name_id(parent: Node<'_, '_>) -> Result<NameId, Refusal> {
    let node = one(parent, SAML, "NameID")?.ok_or(Reason::NameIdMissing)?;
    let is_name =
        |value: &&str| !value.is_empty() && value.chars().count() <= MAX_NAME && !value.contains(char::is_control);
    let value = text(node).filter(is_name).ok_or(Reason::NameIdMissing)?;
    let attribute = |name| node.attribute(name).map(str::to_owned);
    Ok(NameId {
        value: value.to_owned(),
        format: attribute("Format"),
        name_qualifier: attribute("NameQualifier"),
        sp_name_qualifier: attribute("SPNameQualifier"),
    })
}

/// The attributes in their order, the values of one name together.
fn attributes(assertion: Node<'_, '_>) -> Vec<(String, Vec<String>)> {
    let mut attributes: Vec<(String, Vec<String>)> = vec![];
    let mut places = std::collections::HashMap::new();
    for attribute in all(assertion, SAML, "AttributeStatement").flat_map(|node| all(node, SAML, "Attribute")) {
        let name = attribute.attribute("Name").unwrap_or_default();
        let place = *places.entry(name).or_insert(attributes.len());
        if place == attributes.len() {
            attributes.push((name.to_owned(), vec![]));
        }
        let values = all(attribute, SAML, "AttributeValue").filter_map(text).map(str::to_owned);
        attributes[place].1.extend(values);
    }
    attributes
}

/// Step 7. The name of the user is the email, unless it is a word of the provider's for them, or the settings name an
/// attribute; a word that changes each time would find no user again.
fn email(identity: &SignedIdentity, chosen: Option<&str>) -> Result<String, Refusal> {
    let name = identity.subject.as_str();
    let attribute = || EMAIL_ATTRIBUTES.iter().find_map(|name| identity.attribute(name));
    let email = match (identity.name_id.format.as_deref(), chosen) {
        (Some(TRANSIENT_FORMAT), _) => return Err(Reason::TransientNameId.into()),
        (_, Some(chosen)) => identity.only_text(chosen),
        (Some(EMAIL_FORMAT), None) => Some(name),
        (Some(PERSISTENT_FORMAT), None) => attribute(),
        // Unspecified, or of a kind of its own: it may be anything, and often is an email.
        (_, None) => Some(name).filter(|name| is_email(name)).or_else(attribute),
    };
    match email.filter(|text| is_email(text)) {
        Some(email) => Ok(email.to_owned()),
        None => Err(Refusal { reason: Reason::EmailMissing, expected: None, found: email.map(str::to_owned) }),
    }
}
