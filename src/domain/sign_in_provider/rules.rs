//! Rules of a provider: whom it admits, and what they are here.

use poem_openapi::Object;
use serde::{Deserialize, Serialize};

/// Rules by which a login provider admits people.
#[serde_with_macros::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Default, Object, Serialize, Deserialize)]
#[oai(rename = "SignInProviderRules", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase", default)]
pub struct AdmissionRules {
    /// Whether to create a user at the first sign-in. Absent: false.
    pub auto_create: Option<bool>,
    /// Whether people who have no account and do not get one by `autoCreate` request access by signing in: they are refused,
    /// and an administrator decides (`getUserAccessRequests`). The provider must prove the email, and the other rules must
    /// admit the person. Absent: false.
    pub request_access: Option<bool>,
    /// Email domains whose users may be created, or linked to the user who has their email. Absent or empty: every
    /// domain. At most 100 of at most 255 characters.
    #[oai(validator(max_items = 100, max_length = 255))]
    pub email_domains: Option<Vec<String>>,
    /// Whether the provider is trusted to know whose email is whose: a new identity is linked to the user who has its
    /// email, if the provider proves that the email is the person's. Absent: false. Otherwise identities are linked by
    /// the signed-in user (`linkMyIdentity`) or by an administrator (`linkUserIdentity`).
    pub link_by_email: Option<bool>,
    /// Id of the root role of users that are created, unless one of `rootRoles` matches; it must exist. Absent: Viewer.
    #[oai(validator(minimum(value = "1"), maximum(value = "2147483647")))]
    pub default_root_role_id: Option<i64>,
    /// Whether signing in synchronises the user's groups with those of the provider. Absent: false.
    pub sync_groups: Option<bool>,
    /// Names of groups of the provider of which a person must be in one to sign in. Those of GitHub are organizations and
    /// `organization/team`. Absent or empty: none is needed. At most 100 of at most 255 characters.
    #[oai(validator(max_items = 100, max_length = 255))]
    pub required_groups: Option<Vec<String>>,
    /// Root roles of users that are created, by what the provider says of them: the first that matches. The role of a user
    /// who exists is never changed by it. At most 50.
    #[oai(validator(max_items = 50))]
    pub root_roles: Option<Vec<RootRoleRule>>,
}

/// Root role of users of whom a provider says something.
#[derive(Debug, Clone, PartialEq, Eq, Object, Serialize, Deserialize)]
#[oai(rename = "SignInProviderRootRole", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct RootRoleRule {
    /// Path of the claim or attribute: a text, or a list of texts. At most 1000 characters.
    #[oai(validator(min_length = 1, max_length = 1000))]
    pub claim: String,
    /// Text that it is, or that its list contains, exactly. At most 255 characters.
    #[oai(validator(max_length = 255))]
    pub value: String,
    /// Id of the root role, which must exist.
    #[oai(validator(minimum(value = "1"), maximum(value = "2147483647")))]
    pub role_id: i64,
}

impl AdmissionRules {
    /// Whether unknown identities become users.
    pub fn creates_users(&self) -> bool {
        self.auto_create == Some(true)
    }

    /// Whether people without an account request access by signing in.
    pub fn requests_access(&self) -> bool {
        self.request_access == Some(true)
    }

    /// Whether an identity is linked to the user who has its proven email.
    pub fn links_by_email(&self) -> bool {
        self.link_by_email == Some(true)
    }

    /// Whether groups follow the provider's.
    pub fn syncs_groups(&self) -> bool {
        self.sync_groups == Some(true)
    }

    /// Groups of the provider of which one is needed; empty where none is.
    pub fn required_groups(&self) -> &[String] {
        self.required_groups.as_deref().unwrap_or_default()
    }

    /// Root roles by what the provider says.
    pub fn root_roles(&self) -> &[RootRoleRule] {
        self.root_roles.as_deref().unwrap_or_default()
    }

    /// Whether users who are created can get this root role.
    pub fn gives_role(&self, id: i64) -> bool {
        self.default_root_role_id == Some(id) || self.root_roles().iter().any(|rule| rule.role_id == id)
    }

    /// Whether groups decide about admission or membership, so that the provider has to tell them.
    pub fn needs_groups(&self) -> bool {
        self.syncs_groups() || !self.required_groups().is_empty()
    }

    /// Whether the provider is asked for groups.
    pub fn wants_groups(&self) -> bool {
        self.needs_groups() || !self.root_roles().is_empty()
    }
}

/// Whether a member of these groups has one of the required ones. Always, where none is required.
pub fn has_required_group(required: &[String], groups: &[String]) -> bool {
    required.is_empty() || required.iter().any(|name| groups.contains(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_of_the_required_groups_suffices_and_names_are_compared_exactly() {
        let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        for (required, groups, has) in [
            (&[][..], &[][..], true),
            (&[], &["a"], true),
            (&["a", "b"], &["b"], true),
            (&["a"], &[], false),
            (&["acme/platform"], &["acme", "acme/Platform"], false),
        ] {
            assert_eq!(has_required_group(&texts(required), &texts(groups)), has, "{required:?} {groups:?}");
        }
    }

    #[test]
    fn what_is_absent_admits_nobody_new() {
        let rules = AdmissionRules::default();
        assert!(!rules.creates_users() && !rules.requests_access());
        assert!(!rules.links_by_email() && !rules.wants_groups());
        assert_eq!(serde_json::to_value(&rules).expect("JSON"), serde_json::json!({}));
    }
}
