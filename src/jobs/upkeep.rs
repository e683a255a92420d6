//! Small duties: writing down who was seen, and forgetting sessions that ended.

use flagstone_presence::LastSeen;
use flagstone_sign_in::{log, recheck};
use flagstone_state::State;
use flagstone_store::{self as store, StoreError, db::NoEvent};

/// Writes when people, their tokens and directories were last seen, as this node noted it, and what is left of the log
/// of sign-ins.
pub async fn write_presence(state: &State) -> Result<(), StoreError> {
    log::write(state).await?;
    // By id, as everybody does who writes several, so that no two wait for each other.
    let LastSeen { people, tokens, sessions, directories } = state.presence.take(state.clock.now());
    if people.is_empty() && sessions.is_empty() && directories.is_empty() {
        return Ok(());
    }
    let tx = state.db.begin().await?;
    store::access::people::mark_seen(&tx, &people).await?;
    store::tokens::personal::mark_seen(&tx, &tokens).await?;
    store::users::sessions::mark_seen(&tx, &sessions).await?;
    store::scim::directories::mark_seen(&tx, &directories).await?;
    tx.commit_without_event(NoEvent::Upkeep).await
}

/// Forgets sessions that ended, what sign-ins left behind, and keys of requests.
pub async fn remove_ended_sessions(state: &State) -> Result<(), StoreError> {
    let now = state.clock.now();
    let tx = state.db.begin().await?;
    store::users::sessions::remove_ended(&tx, now).await?;
    store::sign_in::remove_ended(&tx, now, state.config.login_history_hours).await?;
    store::keyed_requests::remove_ended(&tx, now).await?;
    tx.commit_without_event(NoEvent::Upkeep).await
}

/// Asks login providers whether people who signed in through them may still come in.
pub async fn check_access(state: &State) -> Result<(), StoreError> {
    recheck::check_due(state).await
}

/// Forgets deliveries to integrations that ended long ago.
pub async fn remove_ended_deliveries(state: &State) -> Result<(), StoreError> {
    let tx = state.db.begin().await?;
    store::integrations::deliveries::tidy(&tx, state.clock.now()).await?;
    tx.commit_without_event(NoEvent::Upkeep).await
}
