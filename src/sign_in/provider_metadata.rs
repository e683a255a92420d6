//! Further login providers of SAML that follow their metadata, each its own.

use flagstone_domain::{
    actor::Actor,
    event::NewEvent,
    event_kind::EventKind,
    metadata_refresh::{MetadataRefresh, RefreshOutcome},
    sign_in::Provider,
    sign_in_provider::{Content, SignInProvider},
};
use flagstone_error::Error;
use flagstone_state::State;
use flagstone_store::{
    StoreError,
    access::administrators,
    db::NoEvent,
    settings::PROVIDERS,
    sign_in::{identities, provider_metadata as stored, providers},
};
use serde_json::{Value, json};

use crate::{
    further,
    metadata::{self, Party},
    provider_changes,
};

/// Returns the provider of SAML with this id: 404 without one.
pub async fn required(state: &State, id: &str) -> Result<SignInProvider, Error> {
    let found = providers::find(&state.db, &state.vault, id).await?;
    found.filter(|provider| provider.preset().protocol == Provider::Saml).ok_or_else(|| missing(id))
}

/// Whether a provider follows its metadata, and how the last attempt went: 404 without such a provider.
pub async fn standing(state: &State, id: &str) -> Result<(MetadataRefresh, Option<RefreshOutcome>), Error> {
    stored::find(&state.db, id).await?.ok_or_else(|| missing(id))
}

fn missing(id: &str) -> Error {
    Error::no_id("login provider of SAML", format_args!("\"{id}\""))
}

/// Sets whether a provider follows its metadata, with an event if that changes anything.
pub async fn set(state: &State, id: &str, wanted: &MetadataRefresh, actor: &Actor) -> Result<(), Error> {
    let now = state.clock.now();
    let tx = state.db.begin().await?;
    let before = stored::hold(&tx, id).await?.ok_or_else(|| missing(id))?;
    if before == *wanted {
        return Ok(());
    }
    stored::set(&tx, id, wanted).await?;
    let event = NewEvent::new(EventKind::SettingUpdated, actor);
    tx.commit(now, [event.with_pre_data(&data(id, &before)).with_data(&data(id, wanted))]).await?;
    Ok(())
}

fn data(id: &str, refresh: &MetadataRefresh) -> Value {
    json!({ "id": format!("{PROVIDERS}.{id}"), "metadataRefresh": refresh })
}

/// Reads the metadata of a provider if it is time, and lets its connection follow it.
pub async fn refresh(state: &State, id: &str) -> Result<(), StoreError> {
    let Some((wanted, before)) = stored::find(&state.db, id).await? else { return Ok(()) };
    let Some(url) = wanted.address() else { return Ok(()) };
    if !wanted.is_due(before.as_ref(), state.clock.now()) {
        return Ok(());
    }
    let provider = providers::find(&state.db, &state.vault, id).await?;
    let Some(provider) = provider.filter(|provider| provider.content.enabled) else { return Ok(()) };
    let Some(party) = Party::of_connection(&provider.content.connection) else { return Ok(()) };
    let (followed, outcome) = metadata::attempt(state, url, before, &party).await;
    if let Some(party) = followed {
        follow(state, &provider, party).await?;
    }
    let tx = state.db.begin().await?;
    stored::note(&tx, id, &outcome).await?;
    tx.commit_without_event(NoEvent::Upkeep).await
}

/// Lets the connection that was read before follow its metadata, unless somebody changed it meanwhile.
///
/// Whoever signed in by the connection before counts as having walked this way, as with the settings of SAML.
async fn follow(state: &State, before: &SignInProvider, party: Party) -> Result<(), StoreError> {
    let connection = party.connection(&before.content.connection);
    if connection == before.content.connection {
        return Ok(());
    }
    let now = state.clock.now();
    let tx = state.db.begin().await?;
    administrators::hold(&tx, now).await?;
    let held = providers::find(&tx, &state.vault, &before.id).await?;
    let stays = |held: &SignInProvider| held.content.connection == before.content.connection;
    let Some(held) = held.filter(stays) else { return Ok(()) };
    let content = Content { connection, ..held.content.clone() };
    let after = SignInProvider { content, updated_at: now, ..held.clone() };
    providers::save(&tx, &state.vault, &after).await?;
    identities::carry_over(&tx, &after.key(), &digest(&held)?, &digest(&after)?).await?;
    tx.commit(now, [provider_changes::updated(&held, &after, &Actor::system())]).await?;
    tracing::info!(
        target: "flagstone::sign_in::provider_metadata",
        provider = %after.id,
        "a SAML provider follows its metadata"
    );
    Ok(())
}

fn digest(provider: &SignInProvider) -> Result<String, StoreError> {
    let unwritable = |_| StoreError::external(format!("login provider {} cannot be written", provider.id));
    further::digest(provider).map_err(unwritable)
}
