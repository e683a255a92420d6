//! Identity of a user in a signed assertion.

use chrono::{DateTime, Utc};
use flagstone_domain::email;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{
    names::PERSISTENT_FORMAT,
    refusal::{Reason, Refusal},
};

/// Identity in a verified assertion, and what comes with it. It travels sealed between the two steps of the answer, and
/// what signing out needs of it is stored sealed with the session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignedIdentity {
    /// The provider's entity id.
    pub issuer: String,
    /// The text of the `NameID`, as it stands there: who this is for that provider. At most 1,000 characters.
    pub subject: String,
    /// The email, as the provider writes it: an address by the rule of `domain::email`.
    pub email: String,
    /// The first name, from `firstName` or what other providers call it.
    pub first_name: Option<String>,
    /// The last name, from `lastName` or what other providers call it.
    pub last_name: Option<String>,
    /// All attributes with their texts, in the order of the assertion; one name stands here once. A value that holds
    /// other elements is left out.
    pub attributes: Vec<(String, Vec<String>)>,
    /// Id of the request that the provider answers; absent when it began by itself.
    pub in_response_to: Option<String>,
    /// Id of the response, for the log: where only the assertion is signed, it may have been changed.
    pub response_id: String,
    /// Id of the assertion, which may be used once.
    pub assertion_id: String,
    /// The session at the provider, which a request to sign out names.
    pub session_index: Option<String>,
    /// The name in full, which a request to sign out repeats.
    pub name_id: NameId,
    /// When the assertion ends to be valid, tolerance included: until then its id must be remembered.
    pub not_on_or_after: DateTime<Utc>,
    /// When the provider wants the session to end.
    pub session_not_on_or_after: Option<DateTime<Utc>>,
}

impl SignedIdentity {
    /// Refuses with `wrong-request` unless this answers the request of the browser that brings it.
    pub fn check_request(&self, request_id: &str) -> Result<(), Refusal> {
        match self.in_response_to.as_deref() {
            Some(answered) if answered == request_id => Ok(()),
            answered => Err(Refusal::instead(Reason::WrongRequest, request_id, answered)),
        }
    }

    /// The attributes as an object that paths are applied to: each name with a list of texts, also where there is one.
    pub fn attributes_value(&self) -> Value {
        let texts = |values: &[String]| Value::Array(values.iter().cloned().map(Value::String).collect());
        let attributes = self.attributes.iter().map(|(name, values)| (name.clone(), texts(values)));
        Value::Object(attributes.collect::<Map<_, _>>())
    }

    /// The first text of an attribute that is not empty.
    pub fn attribute(&self, name: &str) -> Option<&str> {
        let (_, values) = self.attributes.iter().find(|attribute| attribute.0 == name)?;
        values.iter().map(String::as_str).find(|value| !value.is_empty())
    }

    /// The text of an attribute that has one that is not empty, and no other.
    pub fn only_text(&self, name: &str) -> Option<&str> {
        let (_, values) = self.attributes.iter().find(|attribute| attribute.0 == name)?;
        let mut texts = values.iter().map(String::as_str).filter(|value| !value.is_empty());
        let (first, second) = (texts.next()?, texts.next());
        Some(first).filter(|_| second.is_none())
    }
}

/// A `NameID` with the qualifiers that distinguish it from the same text of other providers and services.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NameId {
    /// The text, 1 to 1,000 printable characters.
    pub value: String,
    /// A URI; absent means unspecified.
    pub format: Option<String>,
    /// The domain of the name, if the assertion has it.
    pub name_qualifier: Option<String>,
    /// The service that the name is for, if the assertion has it.
    pub sp_name_qualifier: Option<String>,
}

impl NameId {
    /// Returns the user's subject at the provider. A name that is an address is the same in upper and lower case, as
    /// addresses are, unless the provider says that it is a word of its own.
    pub fn subject(&self) -> String {
        let is_email = self.format.as_deref() != Some(PERSISTENT_FORMAT) && email::is_email(&self.value);
        if is_email { email::folded(&self.value) } else { self.value.clone() }
    }
}
