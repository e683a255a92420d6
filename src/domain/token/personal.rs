//! Personal tokens, and what their events say.

use serde::Serialize;

use crate::{actor::Actor, event::NewEvent, event_kind::EventKind, time::Timestamp};

/// A personal token without its secret, which is not stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PersonalToken {
    /// Id of the token.
    pub id: i64,
    /// Id of its owner.
    pub user_id: i64,
    /// Description by its owner.
    pub description: String,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it ends.
    pub expires_at: Timestamp,
    /// When it was last used.
    pub seen_at: Option<Timestamp>,
}

impl PersonalToken {
    /// Returns the event that the token was created, or with [`EventKind::PatDeleted`] that it was deleted.
    pub fn event(&self, kind: EventKind, actor: &Actor) -> NewEvent {
        NewEvent::new(kind, actor).with_data(&PersonalTokenData {
            id: self.id,
            description: &self.description,
            user_id: self.user_id,
            created_at: self.created_at,
            expires_at: self.expires_at,
            secret: "***",
        })
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PersonalTokenData<'a> {
    id: i64,
    description: &'a str,
    user_id: i64,
    created_at: Timestamp,
    expires_at: Timestamp,
    secret: &'a str,
}
