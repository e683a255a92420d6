//! Sessions of users, ended before their time.

use flagstone_domain::{actor::Actor, event::NewEvent, event_kind::EventKind, time::Timestamp};
use flagstone_store::{
    self as store, StoreError,
    db::{Db, NoEvent, Tx},
    users::sessions::{Ending, end_those},
};

use super::{
    UserData,
    users::{Ended, EndedData},
};

/// Ends sessions for an administrator, and returns their number. Each user whose sessions end has an event, which tells
/// how many; where none goes on, there is none.
pub async fn end_sessions(db: &Db, ending: Ending<'_>, now: Timestamp, actor: &Actor) -> Result<u64, StoreError> {
    let tx = db.begin().await?;
    let ended = end_those(&tx, ending, now).await?;
    if ended.is_empty() {
        return Ok(0);
    }
    let of_users: Vec<(i64, u64)> = ended
        .chunk_by(|one, other| one.user_id == other.user_id)
        .map(|sessions| (sessions[0].user_id, count(sessions.len())))
        .collect();
    let events = events(&tx, &of_users, actor).await?;
    tx.commit(now, events).await?;
    Ok(count(ended.len()))
}

/// Ends a user's own sessions, and returns their number. It leaves no event, as signing out does not.
pub async fn end_own_sessions(db: &Db, ending: Ending<'_>, now: Timestamp) -> Result<u64, StoreError> {
    let tx = db.begin().await?;
    let ended = end_those(&tx, ending, now).await?;
    tx.commit_without_event(NoEvent::SignIn).await?;
    Ok(count(ended.len()))
}

/// Events of users, who have an id and a number of ended sessions each.
async fn events(tx: &Tx, of_users: &[(i64, u64)], actor: &Actor) -> Result<Vec<NewEvent>, StoreError> {
    let mut events = Vec::with_capacity(of_users.len());
    let ids: Vec<i64> = of_users.iter().map(|(id, _)| *id).collect();
    let accounts = store::users::list(tx, &ids).await?;
    for (id, sessions) in of_users {
        let Ok(at) = accounts.binary_search_by_key(id, |account| account.id) else { continue };
        let user = UserData::of(&accounts[at]);
        let ended = Ended { sessions: *sessions, personal_tokens: 0, password: None };
        let data = EndedData { user: &user, ended };
        events.push(NewEvent::new(EventKind::UserUpdated, actor).with_data(&data).with_pre_data(&user));
    }
    Ok(events)
}

fn count(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}
