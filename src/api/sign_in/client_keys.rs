//! Keys by which this server authenticates at OpenID Connect providers.

use poem::web::Data;
use poem_openapi::{Object, OpenApi, param::Path};
use serde::Serialize;

use crate::{
    api::{
        Tag,
        answer::{Created, Fails, NoContent, Out, ReadRefusals, refusals},
        permitted::{Permitted, need},
        preference,
        sign_in::options::OpenRefusals,
    },
    domain::{sign_in_policy::SignInPolicy, time::Timestamp},
    providers::oidc::{CLIENT_KEY_ALGORITHM, PublicKey},
    sign_in::client_keys,
    state::State,
    store::sign_in::client_keys::StoredKey,
};

/// The operations on the keys of this server.
#[derive(Debug)]
pub struct ClientKeysApi;

refusals! {
    /// Refusals when a key is made.
    MakeRefusals = 400, 401, 403, 409, 503;
    /// Refusals when a key is deleted.
    DeleteRefusals = 400, 401, 403, 404, 409, 503;
}

/// The keys by which this server authenticates.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "OidcClientKeys", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct ClientKeysBody {
    /// URL of the public keys, for the client's settings at the provider.
    pub jwks_uri: String,
    /// The keys, the oldest first: at most two.
    pub keys: Vec<ClientKeyBody>,
}

/// A key by which this server authenticates, without its private half.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "OidcClientKey", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct ClientKeyBody {
    /// Id of the key: its thumbprint (RFC 7638).
    pub kid: String,
    /// When the key was made.
    pub created_at: Timestamp,
    /// Whether this is `oidcClientKey` of the policy.
    pub in_use: bool,
}

/// A set of public keys (RFC 7517).
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "OidcClientJwks")]
pub struct JwksBody {
    /// The keys, the oldest first.
    pub keys: Vec<JwkBody>,
}

/// A public key (RFC 7517), on the curve P-256.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "OidcClientJwk")]
pub struct JwkBody {
    /// Type of the key: `EC`.
    pub kty: String,
    /// The curve: `P-256`.
    pub crv: String,
    /// First coordinate of the point, in base64url.
    pub x: String,
    /// Second coordinate of the point, in base64url.
    pub y: String,
    /// Use of the key: `sig`.
    #[oai(rename = "use")]
    #[serde(rename = "use")]
    pub usage: String,
    /// Algorithm of the key: `ES256`.
    pub alg: String,
    /// Id of the key.
    pub kid: String,
}

impl From<PublicKey> for JwkBody {
    fn from(PublicKey { kid, x, y }: PublicKey) -> Self {
        let [kty, crv, usage, alg] = ["EC", "P-256", "sig", CLIENT_KEY_ALGORITHM].map(str::to_owned);
        Self { kty, crv, x, y, usage, alg, kid }
    }
}

#[OpenApi(tag = "Tag::Authentication")]
impl ClientKeysApi {
    /// List the keys for OpenID Connect providers
    ///
    /// The keys by which this server can authenticate at an OpenID Connect provider (`oidcClientAuthentication` of the
    /// policy), without their private halves, which are stored encrypted and never shown.
    #[oai(path = "/api/admin/auth/oidc/client-keys", method = "get", operation_id = "getOidcClientKeys")]
    async fn get_oidc_client_keys(
        &self,
        _caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
    ) -> Result<Out<ClientKeysBody>, Fails<ReadRefusals>> {
        let policy: SignInPolicy = preference::get(state).await?;
        let keys = client_keys::list(state).await.map_err(crate::error::Error::from)?;
        let keys = keys.into_iter().map(|key| body(key, policy.oidc_client_key.as_deref())).collect();
        Ok(Out(ClientKeysBody { jwks_uri: client_keys::jwks_uri(state), keys }))
    }

    /// Create a key for OpenID Connect providers
    ///
    /// Makes a key, whose public half is published at `/auth/oidc/jwks` at once. It signs once `oidcClientKey` of the
    /// policy names it, so that the provider can fetch it before. 409 when there are two keys.
    #[oai(path = "/api/admin/auth/oidc/client-keys", method = "post", operation_id = "createOidcClientKey")]
    async fn create_oidc_client_key(
        &self,
        caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
    ) -> Result<Created<ClientKeyBody>, Fails<MakeRefusals>> {
        let made = client_keys::create(state, &caller.actor()).await?;
        Ok(Created(body(made, None)))
    }

    /// Delete a key for OpenID Connect providers
    ///
    /// It is no longer published. 409 while `oidcClientKey` of the policy names it.
    #[oai(path = "/api/admin/auth/oidc/client-keys/:kid", method = "delete", operation_id = "deleteOidcClientKey")]
    async fn delete_oidc_client_key(
        &self,
        caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        /// Id of the key.
        kid: Path<String>,
    ) -> Result<NoContent, Fails<DeleteRefusals>> {
        client_keys::delete(state, &caller.actor(), &kid.0).await?;
        Ok(NoContent)
    }

    /// Get the public keys for OpenID Connect providers
    ///
    /// For login providers: the public keys by which this server authenticates as a client. Needs no credentials.
    #[oai(path = "/auth/oidc/jwks", method = "get", operation_id = "getOidcClientJwks")]
    async fn get_oidc_client_jwks(&self, Data(state): Data<&State>) -> Result<Out<JwksBody>, Fails<OpenRefusals>> {
        let keys = client_keys::public(state).await?;
        Ok(Out(JwksBody { keys: keys.into_iter().map(JwkBody::from).collect() }))
    }
}

fn body(StoredKey { kid, created_at, .. }: StoredKey, named: Option<&str>) -> ClientKeyBody {
    ClientKeyBody { in_use: named == Some(kid.as_str()), kid, created_at }
}
