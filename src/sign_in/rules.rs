//! Rules of admission: who is admitted by the settings of a provider, and what becomes of those who are not known yet.

use flagstone_accounts::newcomer_role::NewcomerRole;
use flagstone_domain::{
    email,
    identity::{Refusal, Strangers},
    role::RootRole,
    sign_in_policy::SignInPolicy,
    sign_in_provider::{AdmissionRules, RootRoleRule, has_required_group},
};
use flagstone_error::Error;
use flagstone_providers::{
    email_domains::EmailDomains,
    groups::{GroupPath, Groups},
};
use flagstone_store::db::Tx;
use flagstone_wire::Number;
use serde_json::{Map, Value};

/// Rules of admission by the settings of a provider.
#[derive(Debug, Clone)]
pub struct Rules {
    /// Rules for identities that are not known yet.
    pub newcomers: NewcomerRules,
    /// Digest that distinguishes these settings from others.
    pub digest: String,
    /// Groups of the provider of which one is needed; empty where none is.
    pub required_groups: Vec<String>,
    /// Whether memberships follow the provider's groups, where it states them.
    pub syncs_groups: bool,
}

impl Rules {
    /// Rules of the settings of a protocol.
    pub const fn of_settings(newcomers: NewcomerRules, digest: String) -> Self {
        Self { newcomers, digest, required_groups: Vec::new(), syncs_groups: true }
    }

    /// Refuses a person who is in none of the groups of which one is needed, or whose groups the provider does not state.
    pub fn judge_groups(&self, groups: Option<&Groups>) -> Result<(), Refusal> {
        let names = match groups {
            Some(Groups::Names(names)) => names.as_slice(),
            Some(Groups::Absent | Groups::Unusable(_)) | None => &[],
        };
        if has_required_group(&self.required_groups, names) { Ok(()) } else { Err(Refusal::RequiredGroup) }
    }
}

/// Trust in the emails of a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EmailTrust {
    /// Every email that it gives is believed to be the person's, whether or not the policy lets one link an identity.
    All {
        /// Whether an identity is linked to the user who has its email.
        links: bool,
    },
    /// Emails are believed that it proves to be the person's.
    Proven,
    /// None is.
    None,
}

impl EmailTrust {
    /// Whether an identity is linked to the user who has its email.
    const fn links(self, is_proven: bool) -> bool {
        match self {
            Self::All { links } => links,
            Self::Proven => is_proven,
            Self::None => false,
        }
    }

    /// Whether an identity vouches that its email is the person's.
    const fn vouches(self, is_proven: bool) -> bool {
        matches!(self, Self::All { .. }) || self.links(is_proven)
    }
}

/// Rules for identities that are not known yet: whether they become users, and with which role.
#[derive(Debug, Clone)]
pub struct NewcomerRules {
    /// Whether unknown identities become users.
    auto_create: bool,
    /// Whether they request access otherwise.
    request_access: bool,
    /// Email domains whose users are created.
    domains: EmailDomains,
    /// The root role, by id.
    role_id: Option<Number>,
    /// The root role by name; the id wins.
    role: Option<RootRole>,
    /// Root roles by what the provider says, which win.
    root_roles: Vec<RootRoleRule>,
    /// Trust in the emails.
    emails: EmailTrust,
}

impl NewcomerRules {
    /// Rules from the fields that the settings of both kinds share.
    pub fn new(
        auto_create: Option<bool>,
        email_domains: Option<&str>,
        role_id: Option<Number>,
        role: Option<RootRole>,
    ) -> Self {
        let domains = EmailDomains::parse(email_domains);
        let emails = EmailTrust::All { links: true };
        Self {
            auto_create: auto_create == Some(true),
            request_access: false,
            domains,
            role_id,
            role,
            root_roles: Vec::new(),
            emails,
        }
    }

    /// Rules of a further provider.
    pub fn of_provider(rules: &AdmissionRules) -> Self {
        let domains = rules.email_domains.as_ref().map(|domains| domains.join(","));
        Self {
            auto_create: rules.creates_users(),
            request_access: rules.requests_access(),
            domains: EmailDomains::parse(domains.as_deref()),
            role_id: rules.default_root_role_id.map(Number::from),
            role: None,
            root_roles: rules.root_roles().to_vec(),
            emails: if rules.links_by_email() { EmailTrust::Proven } else { EmailTrust::None },
        }
    }

    /// Returns these rules under a policy.
    #[must_use]
    pub fn under(self, policy: &SignInPolicy) -> Self {
        let emails = EmailTrust::All { links: policy.links_by_email() };
        Self { request_access: policy.requests_access(), emails, ..self }
    }

    /// Judges an unknown identity by its email: whether it becomes a user or is linked to one.
    pub fn judge(&self, email: &str, has_verified_email: bool) -> Strangers {
        Strangers {
            become_users: self.auto_create,
            request_access: self.request_access,
            is_of_domain: self.domains.permit(email),
            link_by_email: self.emails.links(has_verified_email),
            has_usable_email: email::is_email(email),
            has_verified_email,
            has_believed_email: has_verified_email || self.emails.vouches(has_verified_email),
        }
    }

    /// Whether an identity vouches that its email is the person's, if the provider proves it or not.
    pub const fn vouches_for_email(&self, is_proven: bool) -> bool {
        self.emails.vouches(is_proven)
    }

    /// Whether what the provider says of people decides about the role of those who are made.
    pub const fn reads_claims(&self) -> bool {
        !self.root_roles.is_empty()
    }

    /// The role of users that are made of people with these claims: one that is gone is that of least rights.
    pub async fn root_role_id(&self, tx: &Tx, claims: &Map<String, Value>) -> Result<i64, Error> {
        let claimed = self.root_roles.iter().find(|rule| says(claims, rule)).map(|rule| rule.role_id);
        let role = self.default_role();
        Ok(NewcomerRole { id: claimed.or(role.id), ..role }.find(tx).await?)
    }

    /// Returns the role of users of whom the provider says nothing.
    pub fn default_role(&self) -> NewcomerRole {
        NewcomerRole { id: self.role_id.and_then(Number::whole), otherwise: self.role }
    }
}

/// Whether claims say what a rule about root roles is for.
fn says(claims: &Map<String, Value>, rule: &RootRoleRule) -> bool {
    matches!(GroupPath::new(&rule.claim).read(claims), Groups::Names(texts) if texts.contains(&rule.value))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn emails_link_and_vouch_as_far_as_the_provider_is_trusted() {
        for (trust, is_proven, links, vouches) in [
            (EmailTrust::All { links: true }, false, true, true),
            (EmailTrust::All { links: false }, true, false, true),
            (EmailTrust::Proven, true, true, true),
            (EmailTrust::Proven, false, false, false),
            (EmailTrust::None, true, false, false),
        ] {
            assert_eq!((trust.links(is_proven), trust.vouches(is_proven)), (links, vouches), "{trust:?} {is_proven}");
        }
    }

    #[test]
    fn groups_that_are_not_told_are_none_where_one_is_required() {
        let rules = AdmissionRules::default();
        let required = |names: &[&str]| Rules {
            required_groups: names.iter().map(|name| (*name).to_owned()).collect(),
            ..Rules::of_settings(NewcomerRules::of_provider(&rules), String::new())
        };
        let told = Groups::Names(vec!["a".to_owned()]);
        assert_eq!(required(&[]).judge_groups(None), Ok(()));
        assert_eq!(required(&["b", "a"]).judge_groups(Some(&told)), Ok(()));
        for groups in [None, Some(&Groups::Absent), Some(&told)] {
            assert_eq!(required(&["b"]).judge_groups(groups), Err(Refusal::RequiredGroup), "{groups:?}");
        }
    }

    #[test]
    fn a_claim_is_compared_exactly_and_may_be_a_list() {
        let claims = json!({ "dept": "ops", "realm": { "roles": ["admin", "dev"] }, "level": 7 });
        let claims = claims.as_object().expect("an object");
        for (claim, value, matches) in [
            ("dept", "ops", true),
            ("dept", "Ops", false),
            ("realm.roles", "dev", true),
            ("realm.roles[*]", "admin", true),
            ("realm", "dev", false),
            ("level", "7", false),
            ("absent", "", false),
        ] {
            let rule = RootRoleRule { claim: claim.to_owned(), value: value.to_owned(), role_id: 1 };
            assert_eq!(says(claims, &rule), matches, "{claim} {value}");
        }
    }
}
