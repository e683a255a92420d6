//! Whether the settings of SAML, and further providers, follow the provider's metadata.

use poem::web::Data;
use poem_openapi::{Object, OpenApi, param::Path};
use serde::Serialize;

use crate::{
    api::{
        Tag,
        answer::{Fails, LookupRefusals, Out, ReadRefusals, refusals},
        body::Body,
        client_address::SentFrom,
        permitted::{Permitted, need},
        preference,
    },
    domain::{
        metadata_refresh::{MetadataRefresh, RefreshOutcome},
        settings::{NO_PROVIDER_ADDRESS, SamlSettings, is_provider_address},
        sign_in_provider::SignInProvider,
        time::Timestamp,
    },
    error::Error,
    sign_in::{
        in_force::{self, NodeSettings as _},
        metadata::{self, Party},
        provider_metadata,
    },
    state::State,
    wire::{Nullable, Uri},
};

/// The operations on following metadata.
#[derive(Debug)]
pub struct MetadataRefreshApi;

refusals! {
    /// Refusals when following metadata is switched on or off.
    RefreshRefusals = 400, 401, 403, 413, 415, 429, 503;
    /// Refusals when that is done for one provider.
    ProviderRefreshRefusals = 400, 401, 403, 404, 413, 415, 429, 503;
}

/// Whether settings of SAML follow the provider's metadata.
#[derive(Debug, Object)]
#[oai(rename = "SamlMetadataRefreshSettings", rename_all = "camelCase")]
pub struct MetadataRefreshSettingsBody {
    /// Whether they do.
    pub enabled: bool,
    /// URL of the metadata, which must be given while they do: an absolute `https` URL without credentials; `http` is
    /// accepted for localhost only. At most 2000 characters.
    #[oai(validator(max_length = 2000))]
    pub url: Option<Uri>,
    /// Hours from one reading to the next, 1 to 720. Absent: 24. After a failure, it is tried again within an hour.
    #[oai(validator(minimum(value = "1"), maximum(value = "720")))]
    pub interval_hours: Option<u16>,
}

/// Whether settings of SAML follow the provider's metadata, and how that goes.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "SamlMetadataRefresh", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct MetadataRefreshBody {
    /// Whether they do.
    pub enabled: bool,
    /// URL of the metadata; `null` when none is set.
    pub url: Nullable<String>,
    /// Hours from one reading to the next.
    pub interval_hours: u16,
    /// When this URL was last tried; `null` before the first time.
    pub attempted_at: Nullable<Timestamp>,
    /// When it was last read and followed; `null` before the first time.
    pub succeeded_at: Nullable<Timestamp>,
    /// Problem of the last attempt, which left the settings as they were; `null` when there was none.
    pub problem: Nullable<String>,
}

#[OpenApi(tag = "Tag::Authentication")]
impl MetadataRefreshApi {
    /// Get how SAML settings follow metadata
    ///
    /// Whether the settings of SAML follow the provider's metadata, when it was last read, and what was wrong with it.
    #[oai(path = "/api/admin/auth/saml/metadata-refresh", method = "get", operation_id = "getSamlMetadataRefresh")]
    async fn get_saml_metadata_refresh(
        &self,
        _caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
    ) -> Result<Out<MetadataRefreshBody>, Fails<ReadRefusals>> {
        let refresh: MetadataRefresh = preference::get(state).await?;
        Ok(Out(body(refresh, metadata::outcome(state).await?)))
    }

    /// Let SAML settings follow metadata
    ///
    /// Reads the provider's metadata at intervals, and puts its certificates and URLs in the place of those in the SAML
    /// settings, with an event, as long as it is of the same `entityId`. Whatever is wrong with it leaves the settings
    /// as they are, and is shown by `getSamlMetadataRefresh` and in the log. Whoever controls the URL decides who can
    /// sign in. When it is switched on, the metadata is read once, and 400 if it cannot be followed. 403 when the
    /// provider is configured by environment variables. Limited to 10 requests a minute from one address.
    #[oai(path = "/api/admin/auth/saml/metadata-refresh", method = "put", operation_id = "setSamlMetadataRefresh")]
    async fn set_saml_metadata_refresh(
        &self,
        SentFrom(address): SentFrom,
        caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        body: Body<MetadataRefreshSettingsBody>,
    ) -> Result<Out<MetadataRefreshBody>, Fails<RefreshRefusals>> {
        let wanted = body.read_form()?;
        state.attempts.provider_trial.count(&address.network())?;
        if SamlSettings::of(&state.config.providers).is_some() {
            let rule = "The operator set this login provider up in the environment, so that it cannot follow anything.";
            return Err(Error::forbidden(rule).into());
        }
        let wanted = MetadataRefresh::from(wanted);
        // While the provider is off, nothing follows anything.
        let settings: SamlSettings = in_force::settings(state).await?;
        let party = match &settings {
            SamlSettings::On(on) => Some(Party::of_settings(on)),
            SamlSettings::Off(_) => None,
        };
        judge(state, &wanted, party.as_ref()).await?;
        metadata::set(state, &wanted, &caller.actor()).await?;
        Ok(Out(self::body(wanted, metadata::outcome(state).await?)))
    }

    /// Get how a login provider follows metadata
    ///
    /// Whether the settings of a login provider of SAML follow its metadata, when that was last read, and what was wrong with
    /// it. 404 for other protocols. An operation of this server, which Unleash does not have.
    #[oai(
        path = "/api/admin/auth/providers/:providerId/metadata-refresh",
        method = "get",
        operation_id = "getSignInProviderMetadataRefresh"
    )]
    async fn get_sign_in_provider_metadata_refresh(
        &self,
        _caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        #[oai(name = "providerId")] provider_id: Path<String>,
    ) -> Result<Out<MetadataRefreshBody>, Fails<LookupRefusals>> {
        let provider = provider_metadata::required(state, &provider_id.0).await?;
        let (refresh, outcome) = provider_metadata::standing(state, &provider.id).await?;
        Ok(Out(body(refresh, outcome)))
    }

    /// Let a login provider follow metadata
    ///
    /// Lets a login provider of SAML in addition to that of the settings follow its metadata, like `setSamlMetadataRefresh`:
    /// it is read at intervals, and its certificates and URLs take the place of those in the provider's settings, with an
    /// event by the system. 404 for other protocols. Limited to 10 requests a minute from one address. An operation of this
    /// server, which Unleash does not have.
    #[oai(
        path = "/api/admin/auth/providers/:providerId/metadata-refresh",
        method = "put",
        operation_id = "setSignInProviderMetadataRefresh"
    )]
    async fn set_sign_in_provider_metadata_refresh(
        &self,
        SentFrom(address): SentFrom,
        caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        #[oai(name = "providerId")] provider_id: Path<String>,
        body: Body<MetadataRefreshSettingsBody>,
    ) -> Result<Out<MetadataRefreshBody>, Fails<ProviderRefreshRefusals>> {
        let wanted = MetadataRefresh::from(body.read_form()?);
        state.attempts.provider_trial.count(&address.network())?;
        let provider = provider_metadata::required(state, &provider_id.0).await?;
        let SignInProvider { id, content, .. } = &provider;
        let party = if content.enabled { Party::of_connection(&content.connection) } else { None };
        judge(state, &wanted, party.as_ref()).await?;
        provider_metadata::set(state, id, &wanted, &caller.actor()).await?;
        let (refresh, outcome) = provider_metadata::standing(state, id).await?;
        Ok(Out(self::body(refresh, outcome)))
    }
}

impl From<MetadataRefreshSettingsBody> for MetadataRefresh {
    fn from(wanted: MetadataRefreshSettingsBody) -> Self {
        Self {
            enabled: wanted.enabled,
            url: wanted.url.map(|url| url.as_str().to_owned()),
            interval_hours: wanted.interval_hours.unwrap_or(Self::default().interval_hours),
        }
    }
}

/// Refuses what the settings of a provider could not follow now; `party` is `None` while it is off.
async fn judge(state: &State, wanted: &MetadataRefresh, party: Option<&Party>) -> Result<(), Error> {
    const PROPERTY: &str = "/body/url";
    let Some(url) = wanted.url.as_deref() else {
        return if wanted.enabled { Err(Error::property(PROPERTY, "is missing")) } else { Ok(()) };
    };
    if !is_provider_address(url) {
        return Err(Error::property(PROPERTY, NO_PROVIDER_ADDRESS));
    }
    let Some(party) = party.filter(|_| wanted.enabled) else { return Ok(()) };
    metadata::followed(state, url, party).await.map(drop).map_err(|problem| Error::property(PROPERTY, problem))
}

/// Body of the wanted refresh, with the last outcome as far as it is about the same URL.
fn body(refresh: MetadataRefresh, outcome: Option<RefreshOutcome>) -> MetadataRefreshBody {
    let outcome = outcome.filter(|outcome| Some(&outcome.url) == refresh.url.as_ref());
    let attempted_at = outcome.as_ref().map(|RefreshOutcome { attempted_at, .. }| *attempted_at);
    let succeeded_at = outcome.as_ref().and_then(|outcome| outcome.succeeded_at);
    MetadataRefreshBody {
        enabled: refresh.enabled,
        url: refresh.url.into(),
        interval_hours: refresh.interval_hours,
        attempted_at: attempted_at.into(),
        succeeded_at: succeeded_at.into(),
        problem: outcome.and_then(|outcome| outcome.problem).into(),
    }
}
