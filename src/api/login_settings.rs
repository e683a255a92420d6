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
        state::State,
    },
    domain::{
        actor::Actor,
        event::NewEvent,
        event_kind::EventKind,
        permission::Permission,
        settings::{OidcSettings, ProviderSettings, SamlSettings, is_safe_address, setting_changed},
    },
    error::{Error, Finding},
    store::{self, db::Tx, settings::Stored},
};

/// The operations on settings of login providers.
#[derive(Debug)]
pub struct LoginSettingsApi;

#[OpenApi(tag = "Tag::Authentication")]
impl LoginSettingsApi {
    /// Set the OIDC settings
    ///
    /// Puts the given settings in the place of the stored ones: what is absent, or an empty text, is forgotten. Needs
    /// `ADMIN`. The answer shows the settings as stored, the secret included; the database holds them encrypted, and
    /// events and logs without values. Setting what is set already changes nothing and leaves no event.
    #[oai(path = "/api/admin/auth/oidc/settings", method = "post", operation_id = "setOidcSettings")]
    async fn set_oidc_settings(
        &self,
        caller: Caller,
        Data(state): Data<&State>,
        settings: Body<OidcSettings>,
    ) -> Result<Out<OidcSettings>, Fails<WriteRefusals>> {
        Ok(Out(replace(state, &caller, settings).await?))
    }

    /// Get the OIDC settings
    ///
    /// The settings as stored, the secret included; `{"enabled": false}` when nothing is stored. Needs `ADMIN`.
    #[oai(path = "/api/admin/auth/oidc/settings", method = "get", operation_id = "getOidcSettings")]
    async fn get_oidc_settings(
        &self,
        caller: Caller,
        Data(state): Data<&State>,
    ) -> Result<Out<OidcSettings>, Fails<QueryRefusals>> {
        Ok(Out(get(state, &caller).await?))
    }

    /// Update the SAML settings
    ///
    /// Puts the given settings in the place of the stored ones: what is absent, or an empty text, is forgotten. Needs
    /// `ADMIN`. The answer shows the settings as stored; the database holds them encrypted, and events and logs without
    /// values. Setting what is set already changes nothing and leaves no event.
    #[oai(path = "/api/admin/auth/saml/settings", method = "post", operation_id = "setSamlSettings")]
    async fn set_saml_settings(
        &self,
        caller: Caller,
        Data(state): Data<&State>,
        settings: Body<SamlSettings>,
    ) -> Result<Out<SamlSettings>, Fails<WriteRefusals>> {
        Ok(Out(replace(state, &caller, settings).await?))
    }

    /// Get the SAML settings
    ///
    /// The settings as stored; `{"enabled": false}` when nothing is stored. Needs `ADMIN`.
    #[oai(path = "/api/admin/auth/saml/settings", method = "get", operation_id = "getSamlSettings")]
    async fn get_saml_settings(
        &self,
        caller: Caller,
        Data(state): Data<&State>,
    ) -> Result<Out<SamlSettings>, Fails<QueryRefusals>> {
        Ok(Out(get(state, &caller).await?))
    }
}

async fn get<T: ProviderSettings>(state: &State, caller: &Caller) -> Result<T, Error> {
    caller.require(Permission::Admin)?;
    Ok(store::settings::get(&state.db, &state.vault).await?)
}

async fn replace<T>(state: &State, caller: &Caller, body: Body<T>) -> Result<T, Error>
where
    T: ProviderSettings + Type + ParseFromJSON + 'static,
{
    caller.require(Permission::Admin)?;
    let settings = body.read_form()?.stored();
    let now = state.clock.now();
    let tx = state.db.begin().await?;
    if settings.are_on() {
        judge(&tx, &settings).await?;
    }
    let event = match store::settings::replace(&tx, &state.vault, &settings, now).await? {
        Stored::Created => Some(event::<T>(EventKind::SettingCreated, &caller.actor())),
        Stored::Updated => Some(event::<T>(EventKind::SettingUpdated, &caller.actor())),
        Stored::Unchanged => None,
    };
    tx.commit(now, event).await?;
    Ok(settings)
}

fn event<T: ProviderSettings>(kind: EventKind, actor: &Actor) -> NewEvent {
    setting_changed(kind, T::ID, actor)
}

/// What the schema cannot say of settings that people sign in by.
async fn judge<T: ProviderSettings>(tx: &Tx, settings: &T) -> Result<(), Error> {
    let mut findings: Vec<Finding> = settings
        .addresses()
        .into_iter()
        .filter(|(_, address)| !is_safe_address(address))
        .map(|(name, _)| {
            finding(name, "must be an absolute https address without credentials (http only for this machine)")
        })
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
    let path = format!("/body/{property}");
    Finding { message: format!("The {path} property {rule}."), path: Some(path) }
}
