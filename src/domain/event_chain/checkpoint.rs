//! Checkpoints: signed statements about the log at a moment, by the holder of a key outside the database.

use poem_openapi::{Enum, Object};
use serde::{Deserialize, Serialize};

use super::{Hash, Link};
use crate::{actor::Actor, event::NewEvent, event_kind::EventKind, time::Timestamp};

/// Name of the setting under which checkpoints are recorded: the event of a new one names it.
pub const SETTING: &str = "flagstone.event-checkpoint";

/// Statement of a checkpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum, Serialize, Deserialize)]
#[oai(rename = "EventCheckpointKind", rename_all = "kebab-case")]
#[serde(rename_all = "kebab-case")]
pub enum CheckpointKind {
    /// The event has this hash.
    Checkpoint,
    /// The event has this hash, and the log begins behind it: it and those before it were removed by the rule of
    /// retention.
    Beginning,
}

impl CheckpointKind {
    /// The name on the wire and in the store.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Checkpoint => "checkpoint",
            Self::Beginning => "beginning",
        }
    }

    /// Reads the name.
    pub fn parse(name: &str) -> Option<Self> {
        [Self::Checkpoint, Self::Beginning].into_iter().find(|kind| kind.as_str() == name)
    }
}

/// Signed statement: the hash of an event stands for all events up to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Statement {
    /// When it was created.
    pub created_at: Timestamp,
    /// The event.
    pub event_id: i64,
    /// Its hash.
    pub hash: Hash,
    /// The instance whose log it is.
    pub instance: String,
    /// Kind of statement.
    pub kind: CheckpointKind,
    /// The key that signs, 32 bytes in base64.
    pub public_key: String,
}

impl Statement {
    /// The text that is signed: RFC 8785, the properties being declared in their order.
    pub fn text(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("texts and numbers can be written")
    }

    /// Returns the place in the chain that it is about.
    pub const fn link(&self) -> Link {
        Link { event_id: self.event_id, hash: self.hash }
    }
}

/// A signed checkpoint of the event log up to one event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Object)]
#[oai(rename = "EventCheckpoint", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct Checkpoint {
    /// When it was created.
    pub created_at: Timestamp,
    /// Id of the event that it covers, with all before it.
    #[oai(validator(minimum(value = "0")))]
    pub event_id: i64,
    /// The hash of that event.
    #[oai(validator(pattern = "^[0-9a-f]{64}$"))]
    pub hash: String,
    /// Id of the instance whose log it is.
    pub instance: String,
    /// Kind of statement.
    pub kind: CheckpointKind,
    /// The Ed25519 key that signed it, 32 bytes in base64.
    pub public_key: String,
    /// The signature in base64, over this object without the signature, in the canonical form of RFC 8785.
    pub signature: String,
}

impl Checkpoint {
    /// A statement with its signature.
    pub fn new(statement: Statement, signature: String) -> Self {
        let Statement { created_at, event_id, hash, instance, kind, public_key } = statement;
        Self { created_at, event_id, hash: hash.to_string(), instance, kind, public_key, signature }
    }

    /// Returns the signed statement, or `None` where the hash is none.
    pub fn statement(&self) -> Option<Statement> {
        Some(Statement {
            created_at: self.created_at,
            event_id: self.event_id,
            hash: Hash::parse(&self.hash)?,
            instance: self.instance.clone(),
            kind: self.kind,
            public_key: self.public_key.clone(),
        })
    }

    /// Returns the event of the checkpoint, so that integrations carry it to where it cannot be changed from here.
    pub fn event(&self) -> NewEvent {
        let data = serde_json::json!({ "id": SETTING, "checkpoint": self });
        NewEvent::new(EventKind::SettingUpdated, &Actor::system()).with_data(&data)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_signed_is_canonical_and_read_back_from_what_is_told() {
        let statement = Statement {
            created_at: Timestamp::from_millis(0),
            event_id: 12,
            hash: Hash::BEGINNING,
            instance: "i".to_owned(),
            kind: CheckpointKind::Beginning,
            public_key: "k".to_owned(),
        };
        let expected = format!(
            r#"{{"createdAt":"1970-01-01T00:00:00.000Z","eventId":12,"hash":"{}","instance":"i","kind":"beginning","publicKey":"k"}}"#,
            "0".repeat(64)
        );
        assert_eq!(String::from_utf8(statement.text()).expect("text"), expected);
        let told = serde_json::to_string(&Checkpoint::new(statement.clone(), "s".to_owned())).expect("writes");
        let read: Checkpoint = serde_json::from_str(&told).expect("reads");
        assert_eq!(read.statement(), Some(statement));
        for kind in [CheckpointKind::Checkpoint, CheckpointKind::Beginning] {
            assert_eq!(CheckpointKind::parse(kind.as_str()), Some(kind));
        }
    }
}
