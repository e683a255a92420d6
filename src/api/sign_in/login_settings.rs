//! Settings of login providers.

use poem::web::Data;
use poem_openapi::{
    OpenApi,
    param::Query,
    types::{ParseFromJSON, Type},
};

use crate::{
    access::Caller,
    accounts::administrators::keep_a_way_in,
    api::{
        Tag,
        answer::{Fails, Out, QueryRefusals, WriteRefusals},
        body::Body,
        permitted::{Permitted, need},
        preference,
    },
    domain::{
        event_kind::EventKind,
        settings::{NO_PROVIDER_ADDRESS, OidcSettings, ProviderSettings, SamlSettings, is_provider_address, mask},
        sign_in_policy::SignInPolicy,
    },
    error::{Error, Finding},
    sign_in::{
        in_force::{self, NodeSettings},
        lock_out::{self, Wantable},
    },
    state::State,
    store::{self, db::Tx, settings::Stored},
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
    if T::of(&state.config.providers).is_some() {
        let rule = "The operator set this login provider up in the environment, so that it cannot be changed here.";
        return Err(Error::forbidden(rule));
    }
    let settings = unmasked(state, settings).await?;
    let now = state.clock.now();
    let tx = state.db.begin().await?;
    if settings.are_on() {
        judge(&tx, &settings).await?;
    }
    let administrators = store::access::administrators::hold(&tx, now).await?;
    lock_out::judge(state, &tx, caller.user_id(), &settings.wanted()).await?;
    let before = store::settings::get::<T>(&tx, &state.vault).await.ok();
    let event = match store::settings::replace(&tx, &state.vault, &settings, now).await? {
        Stored::Created => {
            Some(in_force::changed(EventKind::SettingCreated, before.as_ref(), &settings, &caller.actor()))
        }
        Stored::Updated => {
            Some(in_force::changed(EventKind::SettingUpdated, before.as_ref(), &settings, &caller.actor()))
        }
        Stored::Unchanged => None,
    };
    keep_a_way_in(&tx, administrators).await?;
    tx.commit(now, event).await?;
    shown(state, mask_secrets, settings).await
}

/// The settings as they are answered: with their secret, unless the caller or the policy wants a mask in its place.
async fn shown<T: ProviderSettings>(state: &State, mask_secrets: Option<bool>, settings: T) -> Result<T, Error> {
    let policy: SignInPolicy = preference::get(state).await?;
    Ok(if policy.masks_secrets() || mask_secrets == Some(true) { mask::masked(settings) } else { settings })
}

/// The settings with the stored secret in the place of a mask: 400 where there is no stored secret, or it would be sent
/// to another address.
pub(super) async fn unmasked<T: NodeSettings>(state: &State, wanted: T) -> Result<T, Error> {
    if wanted.secret() != Some(mask::MASK) {
        return Ok(wanted);
    }
    let stored = in_force::settings::<T>(state).await?;
    mask::unmasked(wanted, &stored).map_err(|fault| Error::property(format!("/body/{}", T::SECRET), fault.rule()))
}

/// Checks rules for settings of login providers that the schema cannot express.
pub(super) async fn judge<T: ProviderSettings>(tx: &Tx, settings: &T) -> Result<(), Error> {
    let mut findings: Vec<Finding> = settings
        .addresses()
        .into_iter()
        .filter(|(_, address)| !is_provider_address(address))
        .map(|(name, _)| finding(name, NO_PROVIDER_ADDRESS))
        .collect();
    if let Some(id) = settings.default_root_role_id() {
        let exists = match id.whole() {
            Some(id) => store::roles::is_root(tx, id).await?,
            None => false,
        };
        if !exists {
            findings.push(finding("defaultRootRoleId", "must be the id of a root role that exists"));
        }
    }
    if findings.is_empty() { Ok(()) } else { Err(Error::Validation(findings)) }
}

fn finding(property: &str, rule: &str) -> Finding {
    Finding::property(format!("/body/{property}"), rule)
}
