//! Settings of SAML that follow the provider's metadata, and those of further providers. Only the certificates and
//! addresses of the same entity are taken from it, and whatever is wrong with it leaves the settings as they are.

use std::collections::BTreeSet;

use flagstone_domain::{
    actor::Actor,
    event_kind::EventKind,
    metadata_refresh::{MetadataRefresh, RefreshOutcome},
    preference::Preference as _,
    settings::{AddressUri, ProviderSettings as _, SamlOn, SamlSettings, is_provider_address},
    sign_in::ProviderKey,
    sign_in_policy::SignInPolicy,
    sign_in_provider::Connection,
};
use flagstone_outbound::{ANSWER_LIMIT, Request};
use flagstone_providers::saml::{
    certificate::{Certificate, Certificates},
    metadata::ProviderMetadata,
};
use flagstone_state::State;
use flagstone_store::{self as store, StoreError, db::NoEvent, settings::Stored};
use futures_util::{StreamExt as _, stream};

use crate::{
    in_force::{self, NodeSettings as _},
    provider_metadata,
};

/// Target of lines in the log, by the part of the program: a crate is none to those who operate it.
const LOG: &str = "flagstone::sign_in::metadata";

/// Characters of certificates that the settings hold.
const MAX_CERTIFICATE: usize = 100_000;
/// Characters of an address that the settings hold.
const MAX_ADDRESS: usize = 2000;
/// Characters of another's text that are shown.
const SHOWN: usize = 200;
/// Further providers whose metadata are read at the same time.
const AT_ONCE: usize = 10;

/// Part of the settings of a provider that follows its metadata, and the entity id by which it is recognised.
#[derive(Debug, Clone, PartialEq)]
pub struct Party {
    entity_id: String,
    certificate: String,
    sign_on_url: AddressUri,
    sign_out_url: Option<AddressUri>,
}

impl Party {
    /// The provider of the settings.
    pub fn of_settings(on: &SamlOn) -> Self {
        Self {
            entity_id: on.entity_id.clone(),
            certificate: on.certificate.clone(),
            sign_on_url: on.sign_on_url.clone(),
            sign_out_url: on.sign_out_url.clone(),
        }
    }

    /// A further provider; `None` for one that is none of SAML.
    pub fn of_connection(connection: &Connection) -> Option<Self> {
        Some(Self {
            entity_id: connection.entity_id.clone()?,
            certificate: connection.certificate.clone()?,
            sign_on_url: connection.sign_on_url.clone()?,
            sign_out_url: connection.sign_out_url.clone(),
        })
    }

    /// Returns settings that follow this party.
    fn settings(self, on: &SamlOn) -> SamlOn {
        let Self { certificate, sign_on_url, sign_out_url, .. } = self;
        SamlOn { sign_on_url, certificate, sign_out_url, ..on.clone() }
    }

    /// Returns a connection that follows this party.
    pub fn connection(self, before: &Connection) -> Connection {
        let Self { certificate, sign_on_url, sign_out_url, .. } = self;
        Connection { certificate: Some(certificate), sign_on_url: Some(sign_on_url), sign_out_url, ..before.clone() }
    }
}

/// Fetches metadata. The error ends a sentence about it.
pub async fn fetch(state: &State, url: &str) -> Result<Vec<u8>, String> {
    let answer = state.outbound.send(Request::get(url, ANSWER_LIMIT)).await;
    let answer = answer.map_err(|failure| format!("cannot be fetched: {failure}"))?;
    if answer.status != 200 {
        return Err(format!("cannot be fetched: the answer there is {}", answer.status));
    }
    Ok(answer.body)
}

/// Sets whether the settings follow metadata, with an event if that changes anything.
pub async fn set(state: &State, wanted: &MetadataRefresh, actor: &Actor) -> Result<(), StoreError> {
    let now = state.clock.now();
    let tx = state.db.begin().await?;
    let before: Option<MetadataRefresh> = store::preferences::hold(&tx, MetadataRefresh::ID).await?;
    let Some(event) = wanted.changed(before.as_ref(), &MetadataRefresh::default(), actor) else { return Ok(()) };
    store::preferences::put(&tx, MetadataRefresh::ID, wanted, now).await?;
    tx.commit(now, [event]).await
}

/// Reads metadata, away from the threads that serve requests.
pub async fn read(xml: Vec<u8>) -> Result<ProviderMetadata, String> {
    let read = tokio::task::spawn_blocking(move || ProviderMetadata::read(&xml)).await;
    read.map_err(|_| "cannot be read".to_owned())?.map_err(|fault| fault.to_string())
}

/// A party as the metadata at an address describes it. The error ends a sentence about the metadata.
pub async fn followed(state: &State, url: &str, before: &Party) -> Result<Party, String> {
    let found = read(fetch(state, url).await?).await?;
    let now = state.clock.now().instant();
    if found.entity_id != before.entity_id {
        let shown: String = found.entity_id.chars().take(SHOWN).collect();
        return Err(format!("is of another provider than the settings: {shown}"));
    }
    if let Some(until) = found.valid_until.filter(|until| *until < now) {
        return Err(format!("was valid until {} only", until.to_rfc3339()));
    }
    let addresses = [Some(&found.sign_on_url), found.sign_out_url.as_ref()];
    if addresses.into_iter().flatten().any(|url| !is_provider_address(url)) {
        return Err("gives an address that is not an absolute https address without credentials".to_owned());
    }
    if addresses.into_iter().flatten().any(|url| url.chars().count() > MAX_ADDRESS) {
        return Err(format!("gives an address of more than {MAX_ADDRESS} characters"));
    }
    let mut after = before.clone();
    // Written by somebody in another form, the same certificates stay as they were written.
    let read = Certificates::read(&before.certificate).ok();
    if read.is_none_or(|read| fingerprints(&read) != fingerprints(&found.certificates)) {
        after.certificate = found.certificates.to_pem();
    }
    if after.certificate.len() > MAX_CERTIFICATE {
        return Err("has certificates that are too long".to_owned());
    }
    after.sign_on_url = found.sign_on_url.into();
    // One that it does not mention may work nonetheless.
    after.sign_out_url = found.sign_out_url.map(Into::into).or(after.sign_out_url);
    Ok(after)
}

fn fingerprints(certificates: &Certificates) -> BTreeSet<String> {
    certificates.iter().map(Certificate::fingerprint).collect()
}

/// Reads the metadata of each provider if it is time, and lets its settings follow it. One that fails stops no other.
pub async fn refresh(state: &State) -> Result<(), StoreError> {
    let of_settings = refresh_settings(state).await;
    let ids = store::sign_in::provider_metadata::following(&state.db).await?;
    let refreshes: Vec<_> = ids.iter().map(|id| provider_metadata::refresh(state, id)).collect();
    let outcomes: Vec<Result<(), StoreError>> = stream::iter(refreshes).buffer_unordered(AT_ONCE).collect().await;
    outcomes.into_iter().chain([of_settings]).collect()
}

async fn refresh_settings(state: &State) -> Result<(), StoreError> {
    let wanted: MetadataRefresh = store::preferences::find(&state.db, MetadataRefresh::ID).await?.unwrap_or_default();
    // What the operator set in the environment follows nothing.
    let Some(url) = wanted.address().filter(|_| SamlSettings::of(&state.config.providers).is_none()) else {
        return Ok(());
    };
    let before: Option<RefreshOutcome> = store::preferences::find(&state.db, RefreshOutcome::ID).await?;
    if !wanted.is_due(before.as_ref(), state.clock.now()) {
        return Ok(());
    }
    let stored: SamlSettings = store::settings::get(&state.db, &state.vault).await?;
    let SamlSettings::On(on) = &stored else { return Ok(()) };
    let (followed, outcome) = attempt(state, url, before, &Party::of_settings(on)).await;
    if let Some(party) = followed {
        replace(state, &stored, SamlSettings::On(party.settings(on))).await?;
    }
    note(state, &outcome).await
}

/// Reads the metadata at an address. Returns the party as it describes it, if that can be followed, and the note about the
/// attempt.
pub(super) async fn attempt(
    state: &State,
    url: &str,
    before: Option<RefreshOutcome>,
    party: &Party,
) -> (Option<Party>, RefreshOutcome) {
    let now = state.clock.now();
    let (followed, problem) = match followed(state, url, party).await {
        Ok(party) => (Some(party), None),
        Err(problem) => {
            tracing::warn!(
                target: LOG,
                url,
                problem,
                "the metadata of a SAML provider is not followed; its settings stay"
            );
            (None, Some(problem))
        }
    };
    let before = before.filter(|before| before.url == url);
    let succeeded_at = if problem.is_none() { Some(now) } else { before.and_then(|before| before.succeeded_at) };
    (followed, RefreshOutcome { url: url.to_owned(), attempted_at: now, succeeded_at, problem })
}

async fn note(state: &State, outcome: &RefreshOutcome) -> Result<(), StoreError> {
    let tx = state.db.begin().await?;
    store::preferences::put(&tx, RefreshOutcome::ID, outcome, state.clock.now()).await?;
    tx.commit_without_event(NoEvent::Upkeep).await
}

/// Replaces the settings that were read before by the refreshed ones, unless somebody changed the former
/// meanwhile.
///
/// Nobody has signed in under them yet. Whoever did so under those before counts as having walked this way, since the
/// provider itself said what is different: otherwise the first change of its key would stand in the way of every change
/// of the policy while passwords are off.
async fn replace(state: &State, before: &SamlSettings, after: SamlSettings) -> Result<(), StoreError> {
    if *before == after {
        return Ok(());
    }
    let now = state.clock.now();
    let tx = state.db.begin().await?;
    store::access::administrators::hold(&tx, now).await?;
    let stored: SamlSettings = store::settings::get(&tx, &state.vault).await?;
    if stored != *before || store::settings::replace(&tx, &state.vault, &after, now).await? != Stored::Updated {
        return Ok(());
    }
    let policy: SignInPolicy = store::preferences::find(&tx, SignInPolicy::ID).await?.unwrap_or_default();
    let digest = |settings: &SamlSettings| {
        let unwritable = |_| StoreError::external(format!("setting {} cannot be written", SamlSettings::ID));
        in_force::digest(settings, &policy).map_err(unwritable)
    };
    store::sign_in::identities::carry_over(&tx, &ProviderKey::SAML, &digest(before)?, &digest(&after)?).await?;
    let event = in_force::changed(EventKind::SettingUpdated, Some(before), &after, &Actor::system());
    tx.commit(now, [event]).await?;
    tracing::info!(target: LOG, "the settings of the SAML provider follow its metadata");
    Ok(())
}

/// Outcome of the last attempt.
pub async fn outcome(state: &State) -> Result<Option<RefreshOutcome>, StoreError> {
    store::preferences::find(&state.db, RefreshOutcome::ID).await
}
