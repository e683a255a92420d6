//! Policy for login providers, beyond the settings of each.

use poem_openapi::Object;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::domain::{preference::Preference, sign_in::Provider};

/// Default tolerance for a provider's clock.
const SKEW_SECONDS: u16 = 60;

/// Settings that apply to all login providers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Object)]
#[oai(rename = "SignInPolicy", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase", default)]
pub struct SignInPolicy {
    /// SAML entity id of this server. Absent: its public URL. At most 1000 characters.
    #[oai(validator(max_length = 1000))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub saml_entity_id: Option<String>,
    /// Whether to accept sign-ins started by a SAML provider (IdP-initiated). Anybody with an account there can then
    /// make another person's browser sign in as themselves.
    pub saml_idp_initiated: bool,
    /// Whether requests to SAML providers are signed, with the key of `spCertificate`.
    pub saml_sign_requests: bool,
    /// Additional scopes to request from OpenID Connect providers, in addition to `openid`, `email` and `profile`. At
    /// most 20 of at most 200 characters.
    #[oai(validator(max_items = 20, max_length = 200))]
    pub oidc_extra_scopes: Vec<String>,
    /// Whether an identity that is not known yet is linked to the user who has its email. Linking ends the password,
    /// the sessions and the personal tokens of a user who never signed in through a login provider before, unless that
    /// user is signed in at the time. If false, such a sign-in is refused. Absent: true.
    pub link_by_email: Option<bool>,
    /// Whether OpenID Connect providers must state that the email is verified. If false, a missing statement is
    /// accepted; `email_verified: false` is always refused.
    pub require_verified_email: bool,
    /// Whether answers show `********` in place of the secrets of login settings. A request with the mask keeps the secret
    /// that is stored. Absent: false.
    pub mask_secrets: Option<bool>,
    /// Accepted clock skew of providers in seconds, 0 to 300.
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
            link_by_email: Some(true),
            require_verified_email: false,
            mask_secrets: Some(false),
            clock_skew_seconds: SKEW_SECONDS,
        }
    }
}

impl SignInPolicy {
    /// The policy with every value that may be absent.
    #[must_use]
    pub fn completed(self) -> Self {
        let (link_by_email, mask_secrets) = (self.links_by_email(), self.masks_secrets());
        Self { link_by_email: Some(link_by_email), mask_secrets: Some(mask_secrets), ..self }
    }

    /// Whether an identity that is not known is linked to the user who has its email.
    pub fn links_by_email(&self) -> bool {
        self.link_by_email.unwrap_or(true)
    }

    /// Whether answers show no secrets of login settings.
    pub fn masks_secrets(&self) -> bool {
        self.mask_secrets.unwrap_or(false)
    }

    /// Returns the part of the policy about signing in through a kind of provider by an identity that is known, as a
    /// text.
    pub fn about(&self, provider: Provider) -> String {
        let Self { saml_entity_id, saml_idp_initiated, saml_sign_requests, oidc_extra_scopes, .. } = self;
        let (verified, skew) = (self.require_verified_email, self.clock_skew_seconds);
        match provider {
            Provider::Oidc => json!([oidc_extra_scopes, verified, skew]),
            Provider::Saml => json!([saml_entity_id, saml_idp_initiated, saml_sign_requests, skew]),
        }
        .to_string()
    }
}

impl Preference for SignInPolicy {
    const ID: &'static str = "flagstone.sign-in-policy";
}
