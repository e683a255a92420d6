//! Connections to login providers: where they are, and how messages are verified.

use poem_openapi::Object;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{
    settings::{
        AddressUri,
        mask::{MASK, MaskFault},
    },
    token_algorithm::TokenAlgorithm,
};

/// Connection to a login provider. Which properties it needs and may have depends on the kind of the provider; others are
/// refused. Stored encrypted.
#[serde_with_macros::skip_serializing_none]
#[derive(Clone, PartialEq, Default, Object, Serialize, Deserialize)]
#[oai(rename = "SignInProviderSettings", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase", default)]
pub struct Connection {
    /// Client id of this server at the provider. For all kinds but `saml`, which need it. At most 1000 characters.
    #[oai(validator(min_length = 1, max_length = 1000))]
    pub client_id: Option<String>,
    /// Client secret. For all kinds but `saml`, which need it. Shown as `********`; sent back so, it keeps the stored
    /// secret as long as no address changes. At most 10000 characters.
    #[oai(validator(min_length = 1, max_length = 10000))]
    pub secret: Option<String>,
    /// Issuer of the provider, or the full URL of its discovery document: an absolute `https` URL without credentials;
    /// `http` is accepted for localhost only. `oidc` needs it; it takes precedence over that of the other kinds of
    /// OpenID Connect. At most 2000 characters.
    #[oai(validator(max_length = 2000))]
    pub discover_url: Option<AddressUri>,
    /// URL of the server, with the same rules as `discoverUrl`. `okta` and `keycloak` need it; absent for `github` and
    /// `gitlab`: that of the public service. At most 2000 characters.
    #[oai(validator(max_length = 2000))]
    pub server_url: Option<AddressUri>,
    /// Id of the tenant, which `entra` needs: 32 hexadecimal digits in groups.
    #[oai(validator(
        pattern = "^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$",
        max_length = 36
    ))]
    pub tenant: Option<String>,
    /// URL of Microsoft Graph, for `entra`, with the same rules as `discoverUrl`: it is asked for the groups of people who
    /// are in too many for a token. Absent: `https://graph.microsoft.com`. At most 2000 characters.
    #[oai(validator(max_length = 2000))]
    pub graph_url: Option<AddressUri>,
    /// Name of the realm, which `keycloak` needs. At most 255 characters.
    #[oai(validator(pattern = "^[A-Za-z0-9._~-]+$", max_length = 255))]
    pub realm: Option<String>,
    /// Domains of Google organizations (`hd`) of which a person must belong to one, for `google`. Absent or empty: every
    /// Google account. At most 100 of at most 255 characters.
    #[oai(validator(max_items = 100, max_length = 255))]
    pub hosted_domains: Option<Vec<String>>,
    /// Scopes to request in addition to those that the kind needs. Not for `saml`. At most 20 of at most 200 characters.
    #[oai(validator(max_items = 20, max_length = 200))]
    pub scopes: Option<Vec<String>>,
    /// Authentication context classes (`acr_values`) of which a sign-in must name one, separated by blanks. For OpenID
    /// Connect. At most 1000 characters.
    #[oai(validator(max_length = 1000))]
    pub acr_values: Option<String>,
    /// Algorithm by which the provider signs ID tokens, for OpenID Connect. Absent: RS256.
    pub id_token_signing_algorithm: Option<TokenAlgorithm>,
    /// Whether signing out here also signs out at the provider, for OpenID Connect. Absent: false.
    pub enable_single_sign_out: Option<bool>,
    /// Whether the provider must state that the email is verified, for OpenID Connect. Absent: true. If false, a missing
    /// statement is accepted, but links no identity to a user.
    pub require_verified_email: Option<bool>,
    /// Path of the groups in what the provider sends, for OpenID Connect and SAML. Absent: that of the kind; `oidc` and
    /// `saml` have none. At most 1000 characters.
    #[oai(validator(min_length = 1, max_length = 1000))]
    pub groups_path: Option<String>,
    /// Claim with the email, for OpenID Connect: its exact name, or a path as in `groupsPath`. For `saml` the exact name of
    /// the attribute, which has one value. Absent: as usual. What a provider says of the claim `email`, such as that it is
    /// verified, counts for another claim only where both are the same address. Choose nothing that people can change
    /// themselves. At most 1000 characters.
    #[oai(validator(min_length = 1, max_length = 1000))]
    pub email_claim: Option<String>,
    /// Claim or attribute with the display name, like `emailClaim`. Absent: as usual. At most 1000 characters.
    #[oai(validator(min_length = 1, max_length = 1000))]
    pub name_claim: Option<String>,
    /// Entity id of the provider, which `saml` needs. At most 1000 characters.
    #[oai(validator(min_length = 1, max_length = 1000))]
    pub entity_id: Option<String>,
    /// Single sign-on URL of the provider, which `saml` needs, with the same rules as `discoverUrl`. At most 2000
    /// characters.
    #[oai(validator(max_length = 2000))]
    pub sign_on_url: Option<AddressUri>,
    /// Single logout URL of the provider, for `saml`, with the same rules as `discoverUrl`. Absent: signing out here does
    /// not sign out at the provider, and what it asks for is not answered. At most 2000 characters.
    #[oai(validator(max_length = 2000))]
    pub sign_out_url: Option<AddressUri>,
    /// X.509 certificates with which responses of the provider are verified, which `saml` needs. At most 100000
    /// characters.
    #[oai(validator(min_length = 1, max_length = 100_000))]
    pub certificate: Option<String>,
    /// Entity id of this server at the provider, for `saml`. Absent: the URL of its metadata for this provider. At most
    /// 1000 characters.
    #[oai(validator(min_length = 1, max_length = 1000))]
    pub sp_entity_id: Option<String>,
    /// Private key that signs messages to the provider, optionally with its certificate, for `saml`. Shown as `********`;
    /// sent back so, it keeps the stored key. At most 100000 characters.
    #[oai(validator(min_length = 1, max_length = 100_000))]
    pub sp_certificate: Option<String>,
    /// Whether requests to sign in are signed with the key of `spCertificate`, for `saml`; those to sign out are whenever
    /// there is a key. Absent: false.
    pub sign_requests: Option<bool>,
    /// Whether to accept sign-ins started by the provider, for `saml`. Absent: false. Anybody with an account there can
    /// then make another person's browser sign in as themselves.
    pub idp_initiated: Option<bool>,
}

opaque_debug!(Connection { .. });

impl Connection {
    /// The properties that are given, by their names on the wire. Secrets are among them.
    pub fn given(&self) -> Map<String, Value> {
        match serde_json::to_value(self) {
            Ok(Value::Object(given)) => given,
            _ => Map::new(),
        }
    }

    /// The properties that must be addresses, as far as they are given.
    pub fn addresses(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let named = [
            ("discoverUrl", &self.discover_url),
            ("serverUrl", &self.server_url),
            ("graphUrl", &self.graph_url),
            ("signOnUrl", &self.sign_on_url),
            ("signOutUrl", &self.sign_out_url),
        ];
        named.into_iter().filter_map(|(name, address)| Some((name, address.as_ref()?.as_str())))
    }

    /// The connection with a mask in the place of each secret.
    #[must_use]
    pub fn masked(&self) -> Self {
        let masked = |secret: &Option<String>| secret.as_ref().map(|_| MASK.to_owned());
        Self { secret: masked(&self.secret), sp_certificate: masked(&self.sp_certificate), ..self.clone() }
    }

    /// The connection with the secrets that are stored in the place of masks; or the property that cannot be, and why.
    pub fn unmasked(self, stored: Option<&Self>) -> Result<Self, (&'static str, MaskFault)> {
        let kept = |secret: &str| stored.and_then(|stored| stored.given().get(secret)?.as_str().map(str::to_owned));
        let unmasked = |name: &'static str, given: Option<String>| match given {
            Some(given) if given == MASK => kept(name).map(Some).ok_or((name, MaskFault::NothingStored)),
            given => Ok(given),
        };
        // The key of SAML signs here, and is sent to nobody.
        if self.secret.as_deref() == Some(MASK) && stored.is_some_and(|stored| !self.leads_to_the_server_of(stored)) {
            return Err(("secret", MaskFault::OtherServer));
        }
        Ok(Self {
            secret: unmasked("secret", self.secret.clone())?,
            sp_certificate: unmasked("spCertificate", self.sp_certificate.clone())?,
            ..self
        })
    }

    /// Whether what is sent by this connection goes to the same server as by another one.
    fn leads_to_the_server_of(&self, other: &Self) -> bool {
        let addresses = |connection: &Self| {
            [&connection.discover_url, &connection.server_url, &connection.graph_url].map(Clone::clone)
        };
        addresses(self) == addresses(other) && self.tenant == other.tenant && self.realm == other.realm
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{from_value, json};

    use super::*;

    fn connection(value: Value) -> Connection {
        from_value(value).expect("a connection")
    }

    #[test]
    fn a_mask_stands_for_the_secret_that_is_stored_and_goes_nowhere_else() {
        let stored = connection(json!({ "clientId": "c", "secret": "s3cret", "serverUrl": "https://id.example.com" }));
        let shown = stored.masked();
        assert_eq!(shown.secret.as_deref(), Some(MASK));
        assert!(shown.clone().unmasked(Some(&stored)) == Ok(stored.clone()));
        assert!(shown.clone().unmasked(None) == Err(("secret", MaskFault::NothingStored)));
        for elsewhere in [
            json!({ "serverUrl": "https://evil.example.com" }),
            json!({ "serverUrl": "https://id.example.com", "discoverUrl": "https://evil.example.com" }),
            json!({ "serverUrl": "https://id.example.com", "realm": "other" }),
            json!({ "serverUrl": "https://id.example.com", "graphUrl": "https://evil.example.com" }),
            json!({}),
        ] {
            let elsewhere = Connection { secret: Some(MASK.to_owned()), ..connection(elsewhere) };
            assert!(elsewhere.unmasked(Some(&stored)) == Err(("secret", MaskFault::OtherServer)));
        }
        let key = connection(json!({ "spCertificate": "a key", "signOnUrl": "https://id.example.com" }));
        let moved = Connection { sign_on_url: Some("https://other.example.com".to_owned().into()), ..key.masked() };
        assert_eq!(moved.unmasked(Some(&key)).ok().and_then(|moved| moved.sp_certificate).as_deref(), Some("a key"));
    }

    #[test]
    fn secrets_are_the_properties_that_are_masked() {
        let all = connection(json!({ "secret": "a", "spCertificate": "b", "clientId": "c", "certificate": "d" }));
        let masked = all.masked().given();
        let hidden: Vec<&str> =
            masked.iter().filter(|(_, value)| *value == MASK).map(|(name, _)| name.as_str()).collect();
        assert_eq!(hidden, ["secret", "spCertificate"]);
        assert!(!format!("{all:?}").contains('"'));
    }
}
