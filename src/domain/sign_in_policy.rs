//! What administrators may decide about login providers beyond the settings of each.

use poem_openapi::Object;
use serde::{Deserialize, Serialize};

use crate::domain::preference::Preference;

/// How far the clock of a provider may be off, unless somebody says otherwise.
const SKEW_SECONDS: u16 = 60;

/// How sign-in through login providers is held, beyond the settings of each.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Object)]
#[oai(rename = "SignInPolicy", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase", default)]
pub struct SignInPolicy {
    /// The name by which SAML providers know this server. Absent: its public address. At most 1000 characters.
    #[oai(validator(max_length = 1000))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub saml_entity_id: Option<String>,
    /// Whether a SAML provider may sign people in who did not ask for it here. Anybody who has an account there can then
    /// sign others in as themselves.
    pub saml_idp_initiated: bool,
    /// Whether requests to SAML providers are signed, with the key of `spCertificate`.
    pub saml_sign_requests: bool,
    /// Scopes to ask OpenID Connect providers for, beyond `openid`, `email` and `profile`. At most 20 of at most 200
    /// characters.
    #[oai(validator(max_items = 20, max_length = 200))]
    pub oidc_extra_scopes: Vec<String>,
    /// Whether an OpenID Connect provider must say that the email is verified. Without this, one that says nothing about it
    /// is believed; one that says it is not never is.
    pub require_verified_email: bool,
    /// How many seconds the clock of a provider may be off, 0 to 300.
    #[oai(validator(minimum(value = "0"), maximum(value = "300")))]
    pub clock_skew_seconds: u16,
}

impl Default for SignInPolicy {
    fn default() -> Self {
        Self {
            saml_entity_id: None,
            saml_idp_initiated: false,
            saml_sign_requests: false,
            oidc_extra_scopes: Vec::new(),
            require_verified_email: false,
            clock_skew_seconds: SKEW_SECONDS,
        }
    }
}

impl Preference for SignInPolicy {
    const ID: &'static str = "flagstone.sign-in-policy";
}
