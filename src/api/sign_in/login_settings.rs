//! Settings of login providers.

use poem::web::Data;
use poem_openapi::{
    OpenApi,
    param::Query,
    types::{ParseFromJSON, Type},
};

use crate::{
    access::Caller,
    api::{
        Tag,
        answer::{Fails, Out, QueryRefusals, WriteRefusals},
        body::Body,
        permitted::{Permitted, need},
        preference,
        sign_in::author::author,
    },
    domain::{
        settings::{OidcSettings, ProviderSettings, SamlSettings, mask},
        sign_in_policy::SignInPolicy,
    },
    error::Error,
    sign_in::{
        in_force::{self, NodeSettings},
        lock_out::Wantable,
        login_settings,
    },
    state::State,
};

/// The operations on settings of login providers.
#[derive(Debug)]
pub struct LoginSettingsApi;

#[OpenApi(tag = "Tag::Authentication")]
impl LoginSettingsApi {
    /// Update the OIDC settings
    ///
    /// Replaces the stored settings: what is absent or empty is deleted. The answer shows the settings as stored, the
    /// secret included, or `********` in its place where `maskSecrets` says so; that mask, sent back, stands for the
    /// stored secret as long as `discoverUrl` stays. The database holds the settings encrypted, and events and logs are
    /// without values. A request that changes nothing leaves no event. 403 when the provider is configured by environment
    /// variables, and when nobody would be left who can sign in and administer the instance.
    #[oai(path = "/api/admin/auth/oidc/settings", method = "post", operation_id = "setOidcSettings")]
    async fn set_oidc_settings(
        &self,
        caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        #[oai(name = "maskSecrets")] mask_secrets: Query<Option<bool>>,
        settings: Body<OidcSettings>,
    ) -> Result<Out<OidcSettings>, Fails<WriteRefusals>> {
        Ok(Out(replace(state, &caller, mask_secrets.0, settings).await?))
    }

    /// Get the OIDC settings
    ///
    /// The settings as stored, the secret included unless it is masked; `{"enabled": false}` when nothing is stored.
    #[oai(path = "/api/admin/auth/oidc/settings", method = "get", operation_id = "getOidcSettings")]
    async fn get_oidc_settings(
        &self,
        _caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        #[oai(name = "maskSecrets")] mask_secrets: Query<Option<bool>>,
    ) -> Result<Out<OidcSettings>, Fails<QueryRefusals>> {
        let settings = in_force::settings(state).await.map_err(Error::from)?;
        Ok(Out(shown(state, mask_secrets.0, settings).await?))
    }

    /// Update the SAML settings
    ///
    /// Replaces the stored settings: what is absent or empty is deleted. The answer shows the settings as stored, or
    /// `********` in place of `spCertificate` where `maskSecrets` says so; that mask, sent back, stands for the stored key.
    /// The database holds the settings encrypted; logs are without values, and events tell the fingerprints of
    /// `certificate` only. A request that changes nothing leaves no
    /// event. 403 when the provider is configured by environment variables, and when nobody would be left who can sign
    /// in and administer the instance.
    #[oai(path = "/api/admin/auth/saml/settings", method = "post", operation_id = "setSamlSettings")]
    async fn set_saml_settings(
        &self,
        caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        #[oai(name = "maskSecrets")] mask_secrets: Query<Option<bool>>,
        settings: Body<SamlSettings>,
    ) -> Result<Out<SamlSettings>, Fails<WriteRefusals>> {
        Ok(Out(replace(state, &caller, mask_secrets.0, settings).await?))
    }

    /// Get the SAML settings
    ///
    /// The settings as stored, `spCertificate` included unless it is masked; `{"enabled": false}` when nothing is stored.
    #[oai(path = "/api/admin/auth/saml/settings", method = "get", operation_id = "getSamlSettings")]
    async fn get_saml_settings(
        &self,
        _caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        #[oai(name = "maskSecrets")] mask_secrets: Query<Option<bool>>,
    ) -> Result<Out<SamlSettings>, Fails<QueryRefusals>> {
        let settings = in_force::settings(state).await.map_err(Error::from)?;
        Ok(Out(shown(state, mask_secrets.0, settings).await?))
    }
}

async fn replace<T>(state: &State, caller: &Caller, mask_secrets: Option<bool>, body: Body<T>) -> Result<T, Error>
where
    T: NodeSettings + Wantable + Type + ParseFromJSON + 'static,
{
    let settings = body.read_form()?.stored();
    let settings = login_settings::replace(state, &author(caller), settings).await?;
    shown(state, mask_secrets, settings).await
}

/// The settings as they are answered: with their secret, unless the caller or the policy wants a mask in its place.
async fn shown<T: ProviderSettings>(state: &State, mask_secrets: Option<bool>, settings: T) -> Result<T, Error> {
    let policy: SignInPolicy = preference::get(state).await?;
    Ok(if policy.masks_secrets() || mask_secrets == Some(true) { mask::masked(settings) } else { settings })
}
