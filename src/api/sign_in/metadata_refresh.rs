//! Whether the settings of SAML follow the provider's metadata.

use poem::web::Data;
use poem_openapi::{Object, OpenApi};
use serde::Serialize;

use crate::{
    api::{
        Tag,
        answer::{Fails, Out, ReadRefusals, refusals},
        body::Body,
        client_address::ClientAddress,
        permitted::{Permitted, need},
        preference,
    },
    domain::{
        metadata_refresh::{MetadataRefresh, RefreshOutcome},
        settings::{NO_PROVIDER_ADDRESS, SamlSettings, is_provider_address},
        time::Timestamp,
    },
    error::Error,
    sign_in::{
        in_force::{self, NodeSettings as _},
        metadata,
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
}

/// Whether the settings of SAML follow the provider's metadata.
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

/// Whether the settings of SAML follow the provider's metadata, and how that goes.
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
        Ok(Out(body(state, refresh).await?))
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
        address: ClientAddress,
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
        let unset = MetadataRefresh::default();
        let wanted = MetadataRefresh {
            enabled: wanted.enabled,
            url: wanted.url.map(|url| url.as_str().to_owned()),
            interval_hours: wanted.interval_hours.unwrap_or(unset.interval_hours),
        };
        judge(state, &wanted).await?;
        metadata::set(state, &wanted, &caller.actor()).await?;
        Ok(Out(self::body(state, wanted).await?))
    }
}

/// Refuses what could not be followed now.
async fn judge(state: &State, wanted: &MetadataRefresh) -> Result<(), Error> {
    const PROPERTY: &str = "/body/url";
    let Some(url) = wanted.url.as_deref() else {
        return if wanted.enabled { Err(Error::property(PROPERTY, "is missing")) } else { Ok(()) };
    };
    if !is_provider_address(url) {
        return Err(Error::property(PROPERTY, NO_PROVIDER_ADDRESS));
    }
    if !wanted.enabled {
        return Ok(());
    }
    // While the provider is off, nothing follows anything.
    let SamlSettings::On(on) = in_force::settings(state).await? else { return Ok(()) };
    metadata::followed(state, url, &on).await.map(drop).map_err(|problem| Error::property(PROPERTY, problem))
}

async fn body(state: &State, refresh: MetadataRefresh) -> Result<MetadataRefreshBody, Error> {
    let outcome = metadata::outcome(state, refresh.url.as_deref()).await?;
    let attempted_at = outcome.as_ref().map(|RefreshOutcome { attempted_at, .. }| *attempted_at);
    let succeeded_at = outcome.as_ref().and_then(|outcome| outcome.succeeded_at);
    Ok(MetadataRefreshBody {
        enabled: refresh.enabled,
        url: refresh.url.into(),
        interval_hours: refresh.interval_hours,
        attempted_at: attempted_at.into(),
        succeeded_at: succeeded_at.into(),
        problem: outcome.and_then(|outcome| outcome.problem).into(),
    })
}
