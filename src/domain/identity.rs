//! Resolution of an identity that a login provider vouches for to a user.
//!
//! An email finds an account once, and from then on it is the provider's subject that counts, so that an address which
//! is given to another person inherits no account.

use super::{sign_in::ProviderKey, time::Timestamp};

/// Declares the reasons once: variant, class, code, sentence.
macro_rules! reasons {
    ($($(#[$doc:meta])* $reason:ident: $class:ident = $code:literal: $sentence:literal;)+) => {
        /// Reason why a sign-in is refused that the provider itself had no objection to. A closed list; the codes stay.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Refusal {
            $($(#[$doc])* $reason,)+
        }

        impl Refusal {
            /// Each of them.
            pub const ALL: &[Self] = &[$(Self::$reason),+];

            /// The name in the log.
            pub const fn code(self) -> &'static str {
                match self { $(Self::$reason => $code,)+ }
            }

            /// Explanation for administrators, and what helps, in a sentence or two.
            pub const fn sentence(self) -> &'static str {
                match self { $(Self::$reason => $sentence,)+ }
            }

            /// Class of the refusal that the browser is shown.
            pub const fn class(self) -> Class {
                match self { $(Self::$reason => Class::$class,)+ }
            }
        }
    };
}

reasons! {
    /// The browser knows nothing of this sign-in.
    UnknownState: State = "unknown-state":
        "The browser did not begin this sign-in, or began it more than five sign-ins ago: it was begun elsewhere, or \
         its cookies are blocked.";
    /// It began too long ago.
    ExpiredState: State = "expired-state": "The sign-in was begun more than ten minutes ago.";
    /// It was finished before.
    UsedState: State = "used-state": "The sign-in was finished before.";
    /// The settings of the provider have changed since it began.
    SettingsChanged: State = "settings-changed":
        "The settings of the login provider have changed since the sign-in was begun.";
    /// The ticket is unknown, used or too old.
    UnknownTicket: State = "unknown-ticket":
        "The ticket that follows a SAML response is unknown, used, or older than a minute.";
    /// The assertion was shown before.
    UsedAssertion: Word = "used-assertion": "The assertion, or the request that it answers, was used before.";
    /// The user whose identity it is was deleted.
    AccountRemoved: Admission = "account-removed":
        "The user whose identity this is was deleted. An administrator who forgets the identity lets the person become \
         a user anew.";
    /// The user is deactivated.
    AccountInactive: Admission = "account-inactive":
        "The user is deactivated. The company's directory says so through SCIM and can take it back; while SCIM is \
         off, an administrator can.";
    /// The email is that of a user who has another identity of this provider.
    EmailOfAnotherIdentity: Admission = "email-of-another-identity":
        "The email is that of a user who has another identity of this provider: the address may have been given to \
         somebody else, or the provider has new subjects for everybody. An administrator who forgets that identity \
         (deleteUserIdentities), or lets users be linked anew (relinkUsers), lets the person have the account.";
    /// The email is that of a user, and an email alone links no identity.
    LinkingOff: Admission = "linking-off":
        "The email is that of a user without an identity of this provider, and an email does not link one: the policy \
         of sign-in or the rules of the provider say so (linkByEmail), or the provider does not prove that the email \
         is the person's. An administrator who lets the user be linked anew (relinkUsers), or links the identity \
         (linkUserIdentity), lets the person in.";
    /// No user has the email, and signing in makes no users.
    NotInvited: Admission = "not-invited":
        "Nobody has this email, and the settings do not make users of those who sign in.";
    /// No user has the email, and access is requested by signing in.
    AccessRequested: AccessRequest = "access-requested":
        "Nobody has this email. By signing in, the person requested access (`requestAccess`): an administrator \
         approves (approveUserAccessRequest) or rejects (rejectUserAccessRequest).";
    /// No user has the email, and an administrator rejected the request of the identity.
    AccessRejected: Admission = "access-rejected":
        "Nobody has this email, and an administrator rejected the request for access that the person made less than 30 \
         days ago. An administrator who changes their mind creates the user and links the identity (linkUserIdentity), \
         or waits.";
    /// No user has the email, and there are as many open requests as there may be.
    TooManyAccessRequests: Admission = "too-many-access-requests":
        "Nobody has this email, and 500 requests for access are open already: approve or reject some of them.";
    /// No user has the email, and the provider does not prove that it is the person's, so that it requests nothing.
    UnprovenEmail: Admission = "unproven-email":
        "Nobody has this email, and the provider does not prove that it is the person's, so that access is not \
         requested with it.";
    /// The domain of the email is none of those whose people become users or are linked to them.
    DomainNotAllowed: Admission = "domain-not-allowed":
        "The domain of the email is none of those of the setting `emailDomains`: its people neither become users by \
         signing in nor are linked to users who have their email.";
    /// The email cannot be that of a user.
    UnusableEmail: Admission = "unusable-email":
        "The email, or the name to sign in with that it is, cannot be that of a user.";
    /// The person is in none of the groups of which the provider's rules require one.
    RequiredGroup: Admission = "required-group-missing":
        "The person is in none of the groups of which the rules of the login provider require one (`requiredGroups`), \
         or the provider does not tell the groups.";
    /// The identity that the signed-in user wants to link is that of another user.
    IdentityOfAnotherUser: Admission = "identity-of-another-user":
        "A signed-in user wanted to link this identity, and it is that of another user.";
    /// The logout message was used before.
    UsedLogout: Word = "used-logout": "The message that signs somebody out was used before.";
    /// Too many attempts came from the address.
    TooMany: State = "too-many-attempts": "Too many attempts came from this address.";
}

impl Refusal {
    /// The sentence of a name in the log.
    pub fn sentence_of(code: &str) -> Option<&'static str> {
        Self::ALL.iter().find(|refusal| refusal.code() == code).map(|refusal| refusal.sentence())
    }
}

/// Class of a refusal: all that the browser is shown. Only people whose request for access waits see that no account
/// exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// The login provider does not answer as it should.
    Provider,
    /// The sign-in is not one that this browser has begun lately.
    State,
    /// The login provider's message does not count.
    Word,
    /// The login provider's message counts, and admits no user here.
    Admission,
    /// The login provider's message counts, and an administrator decides whether the person is admitted.
    AccessRequest,
}

impl Class {
    /// Explanation for the user who wants to sign in, and what helps, in a sentence.
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::Provider => {
                "The login provider does not answer as it should at the moment; try again, or tell an administrator."
            }
            Self::State => {
                "This sign-in was finished before, is more than ten minutes old, or was begun in another browser; begin \
                 anew."
            }
            Self::Word => {
                "What the login provider said could not be accepted; try again, or tell an administrator, who finds the \
                 reason in the log."
            }
            Self::Admission => {
                "You may not sign in here with this account of the login provider; ask an administrator, who finds the \
                 reason in the log."
            }
            Self::AccessRequest => {
                "You have no account here yet. Your request for one waits for an administrator: sign in again once it is \
                 approved."
            }
        }
    }
}

/// Users here that match an identity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Known {
    /// The user whose identity it is.
    pub owner: Option<Owner>,
    /// The user who has the email, but is not the owner.
    pub by_email: Option<ByEmail>,
}

/// The user whose identity it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Owner {
    /// Id of the user.
    pub user_id: i64,
    /// Whether the user was deleted.
    pub is_deleted: bool,
}

/// A user who has the email.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ByEmail {
    /// Id of the user.
    pub user_id: i64,
    /// Whether the user has another identity of the same issuer.
    pub has_other_identity: bool,
    /// Whether an administrator allows that a new identity with the email takes the place of the identities that the
    /// user has.
    pub may_be_relinked: bool,
}

/// Permission by an administrator that a new identity with the email of a user takes the place of the identities that
/// the user has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Relinking {
    /// Provider of these identities.
    pub provider: ProviderKey,
    /// When it ends.
    pub until: Timestamp,
}

impl Relinking {
    /// Reads a stored one. One of a protocol that this version does not know is none.
    pub fn read(provider: Option<&str>, until: Option<Timestamp>) -> Option<Self> {
        Some(Self { provider: ProviderKey::parse(provider?)?, until: until? })
    }

    /// Whether an identity of this provider may take the place of others at this time.
    pub fn allows(&self, provider: &ProviderKey, now: Timestamp) -> bool {
        self.provider == *provider && now < self.until
    }
}

/// Rules of the settings for identities that are not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Strangers {
    /// Whether they become users.
    pub become_users: bool,
    /// Whether they request access where they do not become users.
    pub request_access: bool,
    /// Whether this one's email is of a domain that the settings name.
    pub is_of_domain: bool,
    /// Whether an email links them to the user who has it.
    pub link_by_email: bool,
    /// Whether this one's email can be that of a user.
    pub has_usable_email: bool,
    /// Whether the provider says that the email is this one's.
    pub has_verified_email: bool,
    /// Whether it says so, or is believed without.
    pub has_believed_email: bool,
}

/// User that an identity resolves to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arrival {
    /// The user whose identity it is.
    Returns(i64),
    /// The user with the email, whose identity it is from now on.
    Links(i64),
    /// The user with the email, whose identity it is from now on in the place of others.
    Relinks(i64),
    /// A user to be made.
    BecomesUser,
}

/// Resolves an identity to a user, or returns why it is refused.
pub const fn recognise(known: Known, strangers: Strangers) -> Result<Arrival, Refusal> {
    match (known.owner, known.by_email) {
        (Some(Owner { is_deleted: true, .. }), _) => Err(Refusal::AccountRemoved),
        (Some(Owner { user_id, .. }), _) => Ok(Arrival::Returns(user_id)),
        (None, Some(ByEmail { user_id, may_be_relinked: true, .. }))
            if strangers.is_of_domain && strangers.has_usable_email && strangers.has_verified_email =>
        {
            Ok(Arrival::Relinks(user_id))
        }
        (None, Some(ByEmail { has_other_identity: true, .. })) => Err(Refusal::EmailOfAnotherIdentity),
        (None, Some(_)) if !strangers.is_of_domain => Err(Refusal::DomainNotAllowed),
        (None, Some(_)) if !strangers.has_usable_email => Err(Refusal::UnusableEmail),
        (None, Some(_)) if !strangers.link_by_email => Err(Refusal::LinkingOff),
        (None, Some(ByEmail { user_id, .. })) => Ok(Arrival::Links(user_id)),
        (None, None) if !strangers.become_users && !strangers.request_access => Err(Refusal::NotInvited),
        (None, None) if !strangers.is_of_domain => Err(Refusal::DomainNotAllowed),
        (None, None) if !strangers.has_usable_email => Err(Refusal::UnusableEmail),
        (None, None) if strangers.become_users => Ok(Arrival::BecomesUser),
        (None, None) if !strangers.has_believed_email => Err(Refusal::UnprovenEmail),
        (None, None) => Err(Refusal::AccessRequested),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn the_subject_counts_before_the_email_and_the_email_once() {
        let owner = |is_deleted| Some(Owner { user_id: 7, is_deleted });
        let by_email = |has_other_identity| Some(ByEmail { user_id: 8, has_other_identity, may_be_relinked: false });
        let relinked = Some(ByEmail { user_id: 8, has_other_identity: true, may_be_relinked: true });
        let welcome = Strangers {
            become_users: true,
            request_access: false,
            is_of_domain: true,
            link_by_email: true,
            has_usable_email: true,
            has_verified_email: true,
            has_believed_email: true,
        };
        let unverified = Strangers { has_verified_email: false, ..welcome };
        let never = Strangers { become_users: false, ..welcome };
        let elsewhere = Strangers { is_of_domain: false, ..welcome };
        let unusable = Strangers { has_usable_email: false, ..welcome };
        let unlinked = Strangers { link_by_email: false, ..welcome };
        let asked = Strangers { become_users: false, request_access: true, ..welcome };
        let unproven = Strangers { has_verified_email: false, has_believed_email: false, ..asked };
        for (owner, by_email, strangers, expected) in [
            (owner(false), None, never, Ok(Arrival::Returns(7))),
            // The email is somebody else's by now: nothing of theirs is had by it.
            (owner(false), by_email(false), welcome, Ok(Arrival::Returns(7))),
            (owner(false), by_email(true), never, Ok(Arrival::Returns(7))),
            (owner(false), by_email(true), elsewhere, Ok(Arrival::Returns(7))),
            (owner(true), None, welcome, Err(Refusal::AccountRemoved)),
            (owner(true), by_email(false), welcome, Err(Refusal::AccountRemoved)),
            (None, by_email(false), never, Ok(Arrival::Links(8))),
            (None, by_email(false), elsewhere, Err(Refusal::DomainNotAllowed)),
            (None, by_email(false), unlinked, Err(Refusal::LinkingOff)),
            (None, by_email(true), welcome, Err(Refusal::EmailOfAnotherIdentity)),
            (None, by_email(true), unlinked, Err(Refusal::EmailOfAnotherIdentity)),
            (None, None, never, Err(Refusal::NotInvited)),
            (None, None, elsewhere, Err(Refusal::DomainNotAllowed)),
            (None, None, welcome, Ok(Arrival::BecomesUser)),
            (None, None, unlinked, Ok(Arrival::BecomesUser)),
            (owner(false), None, unusable, Ok(Arrival::Returns(7))),
            (None, relinked, welcome, Ok(Arrival::Relinks(8))),
            (None, relinked, unlinked, Ok(Arrival::Relinks(8))),
            (None, relinked, unverified, Err(Refusal::EmailOfAnotherIdentity)),
            (None, relinked, elsewhere, Err(Refusal::EmailOfAnotherIdentity)),
            (owner(false), relinked, welcome, Ok(Arrival::Returns(7))),
            (None, by_email(false), unusable, Err(Refusal::UnusableEmail)),
            (None, None, unusable, Err(Refusal::UnusableEmail)),
            (None, None, asked, Err(Refusal::AccessRequested)),
            (None, None, unproven, Err(Refusal::UnprovenEmail)),
            (None, None, Strangers { has_verified_email: false, ..asked }, Err(Refusal::AccessRequested)),
            (None, None, Strangers { is_of_domain: false, ..asked }, Err(Refusal::DomainNotAllowed)),
            (None, None, Strangers { has_usable_email: false, ..asked }, Err(Refusal::UnusableEmail)),
            (None, None, Strangers { request_access: true, ..welcome }, Ok(Arrival::BecomesUser)),
            (None, by_email(false), asked, Ok(Arrival::Links(8))),
            (None, by_email(true), asked, Err(Refusal::EmailOfAnotherIdentity)),
            (owner(true), None, asked, Err(Refusal::AccountRemoved)),
            (owner(false), None, asked, Ok(Arrival::Returns(7))),
        ] {
            assert_eq!(recognise(Known { owner, by_email }, strangers), expected, "{owner:?} {by_email:?}");
        }
    }

    #[test]
    fn relinking_is_for_one_provider_and_ends() {
        let at = Timestamp::from_millis;
        let relinking = Relinking::read(Some("oidc"), Some(at(1000))).expect("one");
        assert!(relinking.allows(&ProviderKey::OIDC, at(999)));
        assert!(!relinking.allows(&ProviderKey::OIDC, at(1000)));
        for other in ["saml", "oidc:oidc"] {
            assert!(!relinking.allows(&ProviderKey::parse(other).expect("a key"), at(999)), "{other}");
        }
        assert_eq!(Relinking::read(Some("oidc"), None), None);
        assert_eq!(Relinking::read(None, Some(at(1000))), None);
        assert_eq!(Relinking::read(Some("ldap"), Some(at(1000))), None);
    }

    #[test]
    fn each_refusal_has_a_code_of_its_own_and_a_sentence() {
        let codes: HashSet<&str> = Refusal::ALL.iter().map(|refusal| refusal.code()).collect();
        assert_eq!(codes.len(), Refusal::ALL.len());
        for refusal in Refusal::ALL {
            assert_eq!(Refusal::sentence_of(refusal.code()), Some(refusal.sentence()));
            assert!(refusal.sentence().ends_with('.'));
        }
        assert_eq!(Refusal::sentence_of("else"), None);
    }
}
