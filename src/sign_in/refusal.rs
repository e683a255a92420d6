//! Reasons why a sign-in is refused: in detail in the log for administrators, and only by class on the public page.

use flagstone_domain::{
    identity::{Class, Refusal},
    opaque_debug, passkey,
    sign_in_log::Method,
};
use flagstone_providers::{oidc, saml};

/// Refusal of a sign-in. Printing it shows the reason alone.
#[derive(Clone, PartialEq, Eq)]
pub struct Refused {
    /// Class that the browser is shown.
    pub class: Class,
    /// The reason: a code of a closed list.
    pub reason: &'static str,
    /// Expected value, where that is no secret.
    pub expected: Option<String>,
    /// Actual value.
    pub found: Option<String>,
    /// Name that the attempt gave.
    pub subject: Option<String>,
    /// Id of the user whom it concerns.
    pub user_id: Option<i64>,
}

opaque_debug!(Refused { reason, .. });

impl Refused {
    /// Returns this refusal with the name that the attempt gave.
    #[must_use]
    pub fn of(self, subject: &str) -> Self {
        Self { subject: Some(subject.to_owned()), ..self }
    }

    /// Returns this refusal with the user whom it concerns.
    #[must_use]
    pub fn about(self, user_id: i64) -> Self {
        Self { user_id: Some(user_id), ..self }
    }
}

impl From<Refusal> for Refused {
    fn from(refusal: Refusal) -> Self {
        Self {
            class: refusal.class(),
            reason: refusal.code(),
            expected: None,
            found: None,
            subject: None,
            user_id: None,
        }
    }
}

impl From<oidc::Refusal> for Refused {
    fn from(refusal: oidc::Refusal) -> Self {
        let class = if refusal.is_providers_fault() { Class::Provider } else { Class::Word };
        let oidc::Refusal { reason, expected, found } = refusal;
        Self { class, reason: reason.code(), expected, found, subject: None, user_id: None }
    }
}

impl From<saml::refusal::Refusal> for Refused {
    fn from(refusal: saml::refusal::Refusal) -> Self {
        let saml::refusal::Refusal { reason, expected, found } = refusal;
        Self { class: Class::Word, reason: reason.code(), expected, found, subject: None, user_id: None }
    }
}

/// Explanation of a reason in the log, in a sentence for administrators. A code may mean another thing in another
/// protocol.
pub fn sentence(method: Method, code: &str) -> Option<String> {
    let mut of_saml = saml::refusal::Reason::ALL.iter().filter(|_| method == Method::Saml);
    if let Some(reason) = of_saml.find(|reason| reason.code() == code) {
        return Some(format!("{}.", reason.explanation()));
    }
    let of_oidc = || oidc::Reason::ALL.iter().find(|reason| reason.code() == code).map(|reason| reason.sentence());
    let mut passkeys = passkey::Refusal::ALL.into_iter();
    let of_passkey = || passkeys.find(|reason| reason.code() == code).map(passkey::Refusal::sentence);
    Refusal::sentence_of(code).or_else(of_oidc).or_else(of_passkey).or_else(|| other(code)).map(str::to_owned)
}

/// Explanation of a reason that is no protocol's refusal.
fn other(code: &str) -> Option<&'static str> {
    Some(match code {
        super::groups::LAST_ADMINISTRATOR => {
            "The membership that the provider does not tell any more is the one by which the last administrator \
             administers; it stays."
        }
        super::admission::LINKED => {
            "The identity was linked to the user who has its email. The person had been proved before: what they come in by \
             stays."
        }
        super::identity_link::LINKED => "A signed-in user linked the identity to the account.",
        super::admission::RELINKED => {
            "The identity took the place of those that the user had, because an administrator lets users be linked anew and \
             the provider says that the email is this person's."
        }
        super::admission::LINKED_AND_ENDED => {
            "The identity was linked to the user who has its email. Nobody had proved whose the account was, so that its \
             password, sessions and personal tokens ended."
        }
        "groups-too-many" => "The provider told more than 10,000 groups; memberships stay as they were.",
        "groups-shape" => "What stands where the groups should be is no text and no list of texts; memberships stay.",
        "groups-overage" => "The provider left the groups out because they are too many; memberships stay.",
        "groups-path" => "The setting `groupJsonPath` leads nowhere; memberships stay.",
        "groups-not-fetched" => {
            "The user info endpoint, which would tell the groups, did not answer; memberships stay."
        }
        "wrong-password" => "Name and password do not belong together.",
        super::second_factor::MISSING => {
            "The password was right, and no proof of the second factor came with it. A page that asks for a code or a \
             passkey then sends both."
        }
        super::second_factor::WRONG => {
            "The password was right, and the code of the second factor was wrong, too old, or used before."
        }
        super::second_factor::RECOVERED => "The user signed in with a recovery code, which is used up.",
        _ => {
            return flagstone_outbound::FailureKind::ALL
                .iter()
                .any(|kind| kind.code() == code)
                .then_some("The login provider was asked and did not answer.");
        }
    })
}
