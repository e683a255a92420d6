//! Policy for login providers, beyond the settings of each.

use poem_openapi::Object;
use serde::{Deserialize, Serialize};
use serde_json::{Map, json};

use crate::{
    client_authentication::{AssertionAudience, ClientAuthentication},
    preference::Preference,
    sign_in::Provider,
    token_algorithm::TokenAlgorithm,
};

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
    /// Algorithm by which the OpenID Connect provider signs ID tokens and logout tokens. Absent: that of
    /// `idTokenSigningAlgorithm` in its settings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oidc_signing_algorithm: Option<TokenAlgorithm>,
    /// Method by which this server authenticates at the token endpoint of the OpenID Connect provider. Absent: with
    /// `secret` of the settings, which is not sent otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oidc_client_authentication: Option<ClientAuthentication>,
    /// Id of the key for `private_key_jwt`, which needs it: one of `getOidcClientKeys`. At most 100 characters.
    #[oai(validator(max_length = 100))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oidc_client_key: Option<String>,
    /// Audience of the statements of `private_key_jwt`. Absent: the issuer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oidc_assertion_audience: Option<AssertionAudience>,
    /// Claim of the OpenID Connect provider with the email: its exact name, or a path as in `groupJsonPath`. Absent: `email`.
    /// `email_verified` says something about the claim `email` alone: an email of another claim counts as verified only
    /// where both are the same address. Choose no claim that people can change themselves: whoever has the email of a
    /// user is linked to that user. At most 1000 characters.
    #[oai(validator(max_length = 1000))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oidc_email_claim: Option<String>,
    /// Claim of the OpenID Connect provider with the display name, like `oidcEmailClaim`. Absent: `name`, else `given_name`
    /// and `family_name`. At most 1000 characters.
    #[oai(validator(max_length = 1000))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oidc_name_claim: Option<String>,
    /// Exact name of the SAML attribute with the email, which has one value. Absent: the `NameID`, or else `email`, `mail`
    /// and the like. Choose no attribute that people can change themselves. At most 1000 characters.
    #[oai(validator(max_length = 1000))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub saml_email_attribute: Option<String>,
    /// Exact name of the SAML attribute with the display name. Absent: `firstName`, `lastName` and the like. At most 1000
    /// characters.
    #[oai(validator(max_length = 1000))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub saml_name_attribute: Option<String>,
    /// Whether an identity that is not known yet is linked to the user who has its email. Linking ends the password,
    /// the sessions and the personal tokens of a user who never signed in through a login provider before, unless that
    /// user is signed in at the time. If false, such a sign-in is refused. Absent: true.
    pub link_by_email: Option<bool>,
    /// Whether people of the providers of the two settings who have no account and do not get one by `autoCreate` request
    /// access by signing in: they are refused, and an administrator decides (`getUserAccessRequests`). The email must be of
    /// one of the `emailDomains`. Absent: false.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_access: Option<bool>,
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
            oidc_signing_algorithm: None,
            oidc_client_authentication: None,
            oidc_client_key: None,
            oidc_assertion_audience: None,
            oidc_email_claim: None,
            oidc_name_claim: None,
            saml_email_attribute: None,
            saml_name_attribute: None,
            link_by_email: Some(true),
            request_access: Some(false),
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
        let request_access = self.requests_access();
        Self {
            link_by_email: Some(link_by_email),
            request_access: Some(request_access),
            mask_secrets: Some(mask_secrets),
            ..self
        }
    }

    /// Whether an identity that is not known is linked to the user who has its email.
    pub fn links_by_email(&self) -> bool {
        self.link_by_email.unwrap_or(true)
    }

    /// Whether people without an account request access by signing in.
    pub fn requests_access(&self) -> bool {
        self.request_access.unwrap_or(false)
    }

    /// Whether answers show no secrets of login settings.
    pub fn masks_secrets(&self) -> bool {
        self.mask_secrets.unwrap_or(false)
    }

    /// Returns the method by which this server authenticates as a client.
    pub fn client_authentication(&self) -> ClientAuthentication {
        self.oidc_client_authentication.unwrap_or_default()
    }

    /// Audience of the statements by which it does so with a key.
    pub fn assertion_audience(&self) -> AssertionAudience {
        self.oidc_assertion_audience.unwrap_or_default()
    }

    /// Returns the part of the policy about signing in through a kind of provider by an identity that is known, as a
    /// text.
    pub fn about(&self, provider: Provider) -> String {
        let Self { saml_entity_id, saml_idp_initiated, saml_sign_requests, oidc_extra_scopes, .. } = self;
        let (verified, skew) = (self.require_verified_email, self.clock_skew_seconds);
        let mut about = match provider {
            Provider::Oidc => vec![json!(oidc_extra_scopes), json!(verified), json!(skew)],
            Provider::Saml => {
                vec![json!(saml_entity_id), json!(saml_idp_initiated), json!(saml_sign_requests), json!(skew)]
            }
        };
        // What an earlier version did not know of is left out while it is not set, so that the text stays what it was,
        // and with it what is known of settings that somebody signed in by.
        let mut more = Map::new();
        if provider == Provider::Oidc {
            if let Some(algorithm) = self.oidc_signing_algorithm {
                more.insert("oidcSigningAlgorithm".to_owned(), json!(algorithm));
            }
            match self.client_authentication() {
                ClientAuthentication::ClientSecret => {}
                ClientAuthentication::None => drop(more.insert("oidcClientAuthentication".to_owned(), json!("none"))),
                ClientAuthentication::PrivateKeyJwt => {
                    let key = json!([self.oidc_client_key, self.assertion_audience()]);
                    more.insert("oidcClientKey".to_owned(), key);
                }
            }
        }
        let (name, email) = match provider {
            Provider::Oidc => ("oidcEmailClaim", &self.oidc_email_claim),
            Provider::Saml => ("samlEmailAttribute", &self.saml_email_attribute),
        };
        if let Some(email) = email {
            more.insert(name.to_owned(), json!(email));
        }
        about.extend((!more.is_empty()).then(|| more.into()));
        json!(about).to_string()
    }
}

impl Preference for SignInPolicy {
    const ID: &'static str = "flagstone.sign-in-policy";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_set_leaves_the_text_of_earlier_versions() {
        let policy = SignInPolicy::default();
        assert_eq!(policy.about(Provider::Oidc), "[[],false,60]");
        assert_eq!(policy.about(Provider::Saml), "[null,false,false,60]");
        let policy = SignInPolicy { oidc_signing_algorithm: Some(TokenAlgorithm::Es256), ..policy };
        assert_eq!(policy.about(Provider::Oidc), r#"[[],false,60,{"oidcSigningAlgorithm":"ES256"}]"#);
        assert_eq!(policy.about(Provider::Saml), "[null,false,false,60]");
    }

    #[test]
    fn the_place_of_the_email_is_part_of_how_somebody_signed_in_and_that_of_the_name_is_not() {
        let policy = SignInPolicy {
            oidc_email_claim: Some("upn".to_owned()),
            oidc_name_claim: Some("nickname".to_owned()),
            saml_email_attribute: Some("contact".to_owned()),
            saml_name_attribute: Some("cn".to_owned()),
            ..SignInPolicy::default()
        };
        assert_eq!(policy.about(Provider::Oidc), r#"[[],false,60,{"oidcEmailClaim":"upn"}]"#);
        assert_eq!(policy.about(Provider::Saml), r#"[null,false,false,60,{"samlEmailAttribute":"contact"}]"#);
    }

    #[test]
    fn the_key_that_signs_is_part_of_how_somebody_signed_in() {
        let policy = SignInPolicy { oidc_client_key: Some("one".to_owned()), ..SignInPolicy::default() };
        // It does not sign, and the secret is what is sent unless the policy says otherwise.
        let secret = Some(ClientAuthentication::ClientSecret);
        let by_secret = SignInPolicy { oidc_client_authentication: secret, ..policy.clone() };
        assert_eq!(by_secret.about(Provider::Oidc), SignInPolicy::default().about(Provider::Oidc));
        let by_key = |key: &str, audience| SignInPolicy {
            oidc_client_authentication: Some(ClientAuthentication::PrivateKeyJwt),
            oidc_client_key: Some(key.to_owned()),
            oidc_assertion_audience: audience,
            ..SignInPolicy::default()
        };
        let of = |policy: SignInPolicy| policy.about(Provider::Oidc);
        assert_eq!(of(by_key("one", None)), of(by_key("one", Some(AssertionAudience::Issuer))));
        assert_ne!(of(by_key("one", None)), of(by_key("one", Some(AssertionAudience::TokenEndpoint))));
        assert_ne!(of(by_key("one", None)), of(by_key("two", None)));
        assert_ne!(of(by_key("one", None)), of(policy));
    }
}
