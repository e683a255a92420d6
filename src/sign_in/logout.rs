//! Ends of sessions: by the users themselves, and by order of their login providers.

use flagstone_domain::{identity::Refusal, secret, sign_in::ProviderKey, time::Timestamp};
use flagstone_error::Error;
use flagstone_state::State;
use flagstone_store::{
    self as store,
    db::NoEvent,
    sign_in::{
        identities::Subject,
        once,
        sessions::{self, Ending},
    },
};

use crate::{admission::ForProvider, sealed};

/// Ends the session with this secret. Returns the login provider that it came through, if it did, with the data that
/// the provider is shown when its user signs out.
pub async fn end_session(state: &State, session: &str) -> Result<Option<(ProviderKey, ForProvider)>, Error> {
    let digest = secret::digest(session);
    let came_through = sessions::find(&state.db, &digest).await?;
    let tx = state.db.begin().await?;
    store::users::sessions::end(&tx, &digest).await?;
    tx.commit_without_event(NoEvent::SignIn).await?;
    let Some(came_through) = came_through else { return Ok(None) };
    let remembered = sealed::open(&state.vault, sessions::PLACE, &came_through.sealed).unwrap_or_default();
    Ok(Some((came_through.provider, remembered)))
}

/// Ends sessions that came through a login provider, and returns their number.
pub async fn end_provided(state: &State, ending: Ending<'_>) -> Result<u64, Error> {
    let tx = state.db.begin().await?;
    let ended = sessions::end(&tx, ending).await?;
    tx.commit_without_event(NoEvent::SignIn).await?;
    Ok(ended)
}

/// Uses up a logout message of the provider of a subject, by the id of the message, which could be shown again until
/// `usable_until`, and ends the sessions that it names. Returns their number, or the refusal of a message that was used
/// before.
pub async fn end_by_message(
    state: &State,
    subject: &Subject,
    message_id: &str,
    usable_until: Timestamp,
    endings: &[Ending<'_>],
) -> Result<Result<u64, Refusal>, Error> {
    let tx = state.db.begin().await?;
    if !once::take(&tx, once::Kind::Logout, &subject.session_digest(message_id), usable_until).await? {
        return Ok(Err(Refusal::UsedLogout));
    }
    let mut ended = 0;
    for ending in endings {
        ended += sessions::end(&tx, *ending).await?;
    }
    tx.commit_without_event(NoEvent::SignIn).await?;
    Ok(Ok(ended))
}
