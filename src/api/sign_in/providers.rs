//! Further login providers, in addition to those of the two settings.

use poem::web::Data;
use poem_openapi::{Object, OpenApi, param::Path};
use serde::Serialize;

use crate::{
    api::{
        Tag,
        answer::{
            ActRefusals, ChangeRefusals, Created, Done, Fails, LookupRefusals, Out, ReadRefusals, WriteRefusals,
            refusals,
        },
        body::Body,
        permitted::{Permitted, need},
        sign_in::author::author,
    },
    domain::{
        sign_in::Provider,
        sign_in_provider::{AdmissionRules, Connection, Content, Dialect, Icon, Kind, Preset, SignInProvider},
        time::Timestamp,
    },
    sign_in::{further, provider_changes, saml},
    state::State,
    store,
};

/// The operations on login providers.
#[derive(Debug)]
pub struct ProvidersApi;

refusals! {
    /// Refusals of creating a provider, whose id may be taken.
    CreateProviderRefusals = 400, 401, 403, 409, 413, 415, 503;
}

/// A login provider to be created.
#[derive(Debug, Object)]
#[oai(rename = "SignInProviderCreate", rename_all = "camelCase")]
pub struct ProviderCreateBody {
    /// Id of the provider, which is part of its addresses and never changes: 1 to 50 lower-case letters, digits and
    /// hyphens, with none of the latter at its ends. `sort-order` is reserved, since it is part of a path.
    #[oai(validator(pattern = "^[a-z0-9]([a-z0-9-]{0,48}[a-z0-9])?$", max_length = 50))]
    pub id: String,
    /// Kind of the provider, which never changes.
    pub kind: Kind,
    /// Text of its button, in one line: 1 to 100 characters.
    #[oai(validator(min_length = 1, max_length = 100))]
    pub label: String,
    /// Icon of its button. Absent: that of the kind.
    pub icon: Option<Icon>,
    /// Whether people can sign in through it. Absent: false.
    pub enabled: Option<bool>,
    /// Settings of its connection, and of the verification of its messages.
    pub settings: Connection,
    /// Rules of admission. Absent: it admits users to whom an identity of it is linked.
    pub rules: Option<AdmissionRules>,
}

/// New content of a login provider.
#[derive(Debug, Object)]
#[oai(rename = "SignInProviderUpdate", rename_all = "camelCase")]
pub struct ProviderUpdateBody {
    /// Text of its button, in one line: 1 to 100 characters.
    #[oai(validator(min_length = 1, max_length = 100))]
    pub label: String,
    /// Icon of its button.
    pub icon: Icon,
    /// Whether people can sign in through it.
    pub enabled: bool,
    /// Settings of its connection, and of the verification of its messages.
    pub settings: Connection,
    /// Rules of admission.
    pub rules: AdmissionRules,
}

/// Addresses of this server that are registered at a login provider.
#[serde_with_macros::skip_serializing_none]
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "SignInProviderAddresses", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct AddressesBody {
    /// URL at which people begin to sign in.
    pub login_url: String,
    /// URL to which the provider sends browsers back: the redirect URL, or the assertion consumer service of SAML.
    pub redirect_url: String,
    /// URL of the SAML metadata of this server. Absent for other protocols.
    pub metadata_url: Option<String>,
    /// URL to which the provider sends logout tokens (OpenID Connect Back-Channel Logout). Absent for `github` and `saml`.
    pub back_channel_logout_url: Option<String>,
    /// URL of the single logout service of this server, by GET and by POST. Absent for other protocols than SAML.
    pub single_logout_url: Option<String>,
    /// Entity id of this server. Absent for other protocols than SAML.
    pub entity_id: Option<String>,
}

/// A login provider.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "SignInProvider", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct ProviderBody {
    /// Id of the provider.
    pub id: String,
    /// Kind of the provider.
    pub kind: Kind,
    /// Text of its button.
    pub label: String,
    /// Icon of its button.
    pub icon: Icon,
    /// Position of its button, lowest first.
    pub sort_order: i64,
    /// Whether people can sign in through it.
    pub enabled: bool,
    /// Settings of its connection, and of the verification of its messages; `********` in the place of each secret.
    pub settings: Connection,
    /// Rules of admission.
    pub rules: AdmissionRules,
    /// Addresses of this server that are registered at the provider.
    pub addresses: AddressesBody,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
}

/// The login providers.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "SignInProviders")]
pub struct ProvidersBody {
    /// The providers, in the order of their buttons.
    pub providers: Vec<ProviderBody>,
}

/// An order of login providers.
#[derive(Debug, Object)]
#[oai(rename = "SignInProviderOrder")]
pub struct ProviderOrderBody {
    /// Ids of all providers in the order of their buttons. At most 50 of at most 50 characters.
    #[oai(validator(max_items = 50, max_length = 50))]
    pub ids: Vec<String>,
}

impl ProviderBody {
    fn of(state: &State, provider: SignInProvider) -> Self {
        let key = provider.key();
        let address = |end: &str| key.address(&state.config.base_url, end);
        let is_saml = key.protocol == Provider::Saml;
        let has_back_channel = !is_saml && provider.preset().dialect == Dialect::OpenId;
        let addresses = AddressesBody {
            login_url: address("/login"),
            redirect_url: if is_saml { saml::acs_url(state, &key) } else { address("/callback") },
            metadata_url: is_saml.then(|| address(further::METADATA)),
            back_channel_logout_url: has_back_channel.then(|| address("/backchannel-logout")),
            single_logout_url: is_saml.then(|| saml::logout_url(state, &key)),
            entity_id: is_saml.then(|| further::entity_id(state, &provider)),
        };
        let SignInProvider { id, kind, sort_order, content, created_at, updated_at } = provider;
        Self {
            id,
            kind,
            label: content.label,
            icon: content.icon,
            sort_order,
            enabled: content.enabled,
            settings: content.connection.masked(),
            rules: content.rules,
            addresses,
            created_at,
            updated_at,
        }
    }
}

#[OpenApi(tag = "Tag::Authentication")]
impl ProvidersApi {
    /// List the login providers
    ///
    /// The providers in addition to those of the two settings, in the order of their buttons. No answer shows a secret. An
    /// operation of this server, which Unleash does not have.
    #[oai(path = "/api/admin/auth/providers", method = "get", operation_id = "getSignInProviders")]
    async fn get_sign_in_providers(
        &self,
        _caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
    ) -> Result<Out<ProvidersBody>, Fails<ReadRefusals>> {
        let providers = store::sign_in::providers::list(&state.db, &state.vault).await?;
        let providers = providers.into_iter().map(|provider| ProviderBody::of(state, provider)).collect();
        Ok(Out(ProvidersBody { providers }))
    }

    /// Create a login provider
    ///
    /// Its button is put behind all others. Which settings it needs and may have depends on its kind. The database holds
    /// them encrypted, and neither events nor logs show them. An instance has at most 50. 403 when nobody would be left
    /// who can sign in and administer the instance. An operation of this server, which Unleash does not have.
    #[oai(path = "/api/admin/auth/providers", method = "post", operation_id = "createSignInProvider")]
    async fn create_sign_in_provider(
        &self,
        caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        body: Body<ProviderCreateBody>,
    ) -> Result<Created<ProviderBody>, Fails<CreateProviderRefusals>> {
        let ProviderCreateBody { id, kind, label, icon, enabled, settings, rules } = body.read()?;
        let content = Content {
            label,
            icon: icon.unwrap_or(Preset::of(kind).icon),
            enabled: enabled == Some(true),
            connection: settings,
            rules: rules.unwrap_or_default(),
        };
        let created = provider_changes::create(state, &author(&caller), id, kind, content).await?;
        Ok(Created(ProviderBody::of(state, created)))
    }

    /// Set the order of the login providers
    ///
    /// Puts their buttons into the given order, which names each provider once. The present order leaves no event. An
    /// operation of this server, which Unleash does not have.
    #[oai(path = "/api/admin/auth/providers/sort-order", method = "put", operation_id = "setSignInProviderOrder")]
    async fn set_sign_in_provider_order(
        &self,
        caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        body: Body<ProviderOrderBody>,
    ) -> Result<Done, Fails<WriteRefusals>> {
        provider_changes::reorder(state, &author(&caller), &body.read()?.ids).await?;
        Ok(Done)
    }

    /// Get a login provider
    ///
    /// No answer shows a secret. An operation of this server, which Unleash does not have.
    #[oai(path = "/api/admin/auth/providers/:providerId", method = "get", operation_id = "getSignInProvider")]
    async fn get_sign_in_provider(
        &self,
        _caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        #[oai(name = "providerId")] provider_id: Path<String>,
    ) -> Result<Out<ProviderBody>, Fails<LookupRefusals>> {
        let found = store::sign_in::providers::find(&state.db, &state.vault, &provider_id.0).await?;
        let found = found.ok_or_else(|| provider_changes::missing(&provider_id.0))?;
        Ok(Out(ProviderBody::of(state, found)))
    }

    /// Update a login provider
    ///
    /// Replaces its content: what is absent is deleted. `********` in the place of a secret stands for the stored one, as
    /// long as no address of the provider changes. A provider that is disabled ends the sessions that came through it. A
    /// request that changes nothing leaves no event. 403 when nobody would be left who can sign in and administer the
    /// instance. An operation of this server, which Unleash does not have.
    #[oai(path = "/api/admin/auth/providers/:providerId", method = "put", operation_id = "updateSignInProvider")]
    async fn update_sign_in_provider(
        &self,
        caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        #[oai(name = "providerId")] provider_id: Path<String>,
        body: Body<ProviderUpdateBody>,
    ) -> Result<Out<ProviderBody>, Fails<ChangeRefusals>> {
        let ProviderUpdateBody { label, icon, enabled, settings, rules } = body.read()?;
        let content = Content { label, icon, enabled, connection: settings, rules };
        let updated = provider_changes::replace(state, &author(&caller), &provider_id.0, content).await?;
        Ok(Out(ProviderBody::of(state, updated)))
    }

    /// Delete a login provider
    ///
    /// Ends the sessions that came through it. The identities of users stay, and are the same people's if the provider is
    /// created again under its id. 403 when nobody would be left who can sign in and administer the instance. An operation
    /// of this server, which Unleash does not have.
    #[oai(path = "/api/admin/auth/providers/:providerId", method = "delete", operation_id = "deleteSignInProvider")]
    async fn delete_sign_in_provider(
        &self,
        caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        #[oai(name = "providerId")] provider_id: Path<String>,
    ) -> Result<Done, Fails<ActRefusals>> {
        provider_changes::delete(state, &author(&caller), &provider_id.0).await?;
        Ok(Done)
    }
}
