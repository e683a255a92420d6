//! Settings of login providers.

use poem::web::Data;
use poem_openapi::{
    OpenApi,
    types::{ParseFromJSON, Type},
};

use crate::{
    api::{
        Tag,
        answer::{Fails, Out, QueryRefusals, WriteRefusals},
        body::Body,
        caller::Caller,
        permitted::{Permitted, need},
        sign_in::lock_out,
    },
    domain::{
        actor::Actor,
        event::NewEvent,
        event_kind::EventKind,
        settings::{
            NO_PROVIDER_ADDRESS, OidcSettings, ProviderSettings, SamlSettings, is_provider_address, setting_changed,
        },
    },
    error::{Error, Finding},
    sign_in::in_force::{self, NodeSettings},
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
    /// secret included; the database holds them encrypted, and events and logs without values. A request that changes
    /// nothing leaves no event. 403 when the provider is configured by environment variables, and when nobody would be
    /// left who can sign in and administer the instance.
    #[oai(path = "/api/admin/auth/oidc/settings", method = "post", operation_id = "setOidcSettings")]
    async fn set_oidc_settings(
        &self,
        caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        settings: Body<OidcSettings>,
    ) -> Result<Out<OidcSettings>, Fails<WriteRefusals>> {
        Ok(Out(replace(state, &caller, settings).await?))
    }

    /// Get the OIDC settings
    ///
    /// The settings as stored, the secret included; `{"enabled": false}` when nothing is stored.
    #[oai(path = "/api/admin/auth/oidc/settings", method = "get", operation_id = "getOidcSettings")]
    async fn get_oidc_settings(
        &self,
        _caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
    ) -> Result<Out<OidcSettings>, Fails<QueryRefusals>> {
        Ok(Out(in_force::settings(state).await.map_err(Error::from)?))
    }

    /// Update the SAML settings
    ///
    /// Replaces the stored settings: what is absent or empty is deleted. The answer shows the settings as stored; the
    /// database holds them encrypted, and events and logs without values. A request that changes nothing leaves no
    /// event. 403 when the provider is configured by environment variables, and when nobody would be left who can sign
    /// in and administer the instance.
    #[oai(path = "/api/admin/auth/saml/settings", method = "post", operation_id = "setSamlSettings")]
    async fn set_saml_settings(
        &self,
        caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        settings: Body<SamlSettings>,
    ) -> Result<Out<SamlSettings>, Fails<WriteRefusals>> {
        Ok(Out(replace(state, &caller, settings).await?))
    }

    /// Get the SAML settings
    ///
    /// The settings as stored; `{"enabled": false}` when nothing is stored.
    #[oai(path = "/api/admin/auth/saml/settings", method = "get", operation_id = "getSamlSettings")]
    async fn get_saml_settings(
        &self,
        _caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
    ) -> Result<Out<SamlSettings>, Fails<QueryRefusals>> {
        Ok(Out(in_force::settings(state).await.map_err(Error::from)?))
    }
}

async fn replace<T>(state: &State, caller: &Caller, body: Body<T>) -> Result<T, Error>
where
    T: NodeSettings + Type + ParseFromJSON + 'static,
{
    let settings = body.read_form()?.stored();
    if T::of(&state.config.providers).is_some() {
        let rule = "The operator set this login provider up in the environment, so that it cannot be changed here.";
        return Err(Error::forbidden(rule));
    }
    let now = state.clock.now();
    let tx = state.db.begin().await?;
    if settings.are_on() {
        judge(&tx, &settings).await?;
    }
    let administrators = store::access::administrators::hold(&tx, now).await?;
    lock_out::judge_provider(state, &tx, caller, &settings).await?;
    let event = match store::settings::replace(&tx, &state.vault, &settings, now).await? {
        Stored::Created => Some(event::<T>(EventKind::SettingCreated, &caller.actor())),
        Stored::Updated => Some(event::<T>(EventKind::SettingUpdated, &caller.actor())),
        Stored::Unchanged => None,
    };
    lock_out::keep_an_administrator(&tx, administrators).await?;
    tx.commit(now, event).await?;
    Ok(settings)
}

fn event<T: ProviderSettings>(kind: EventKind, actor: &Actor) -> NewEvent {
    setting_changed(kind, T::ID, actor)
}

/// What the schema cannot say of settings that people sign in by.
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
