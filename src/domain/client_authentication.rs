//! Client authentication: the proof of this server to an OpenID Connect provider that it is the client.

use poem_openapi::Enum;
use serde::{Deserialize, Serialize};

/// Client authentication at the token endpoint of an OpenID Connect provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Enum, Serialize, Deserialize)]
#[oai(rename = "OidcClientAuthentication", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum ClientAuthentication {
    /// The secret of the settings, in a header, or in the body where the provider takes it there alone.
    #[default]
    ClientSecret,
    /// A short-lived statement that is signed with a key of this server (RFC 7523); no secret is sent.
    PrivateKeyJwt,
    /// None: a public client, which is protected by PKCE alone.
    None,
}

/// Audience of the statements by which this server authenticates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Enum, Serialize, Deserialize)]
#[oai(rename = "OidcAssertionAudience", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum AssertionAudience {
    /// The issuer, so that no other provider can use a statement.
    #[default]
    Issuer,
    /// The URL of the token endpoint, as some providers insist.
    TokenEndpoint,
}
