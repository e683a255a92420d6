//! An event as it is stored: content of archives, and input of the chain of hashes.

use ring::digest;
use serde::Serialize;

use crate::{
    event_chain::{Hash, checkpoint::SETTING},
    event_kind::EventKind,
    time::Timestamp,
};

/// An event with the very texts that are stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredEvent {
    /// Id of the event.
    pub id: i64,
    /// When it happened.
    pub created_at: Timestamp,
    /// Its type; that of another server may be none of the list.
    pub kind: String,
    /// Name of the author at that time.
    pub created_by: String,
    /// Id of the user who did it.
    pub created_by_user_id: Option<i64>,
    /// Environment it happened in.
    pub environment: Option<String>,
    /// Project it happened in.
    pub project: Option<String>,
    /// Feature it happened to.
    pub feature_name: Option<String>,
    /// JSON of the state after.
    pub data: Option<String>,
    /// JSON of the state before.
    pub pre_data: Option<String>,
    /// JSON of the feature's tags.
    pub tags: String,
    /// Why it was done.
    pub reason: Option<String>,
}

/// An event in the form of RFC 8785: properties sorted, no blanks, as few escapes as there can be. JSON inside is a
/// text, so that what is proved is each byte that is stored, and no number need be read. A reason stands there where
/// there is one, so that the hashes of before hold.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Canonical<'a> {
    created_at: Timestamp,
    created_by: &'a str,
    created_by_user_id: Option<i64>,
    data: Option<&'a str>,
    environment: Option<&'a str>,
    feature_name: Option<&'a str>,
    id: i64,
    pre_data: Option<&'a str>,
    previous: Hash,
    project: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    tags: &'a str,
    r#type: &'a str,
}

impl StoredEvent {
    /// Its hash, behind an event with that of `previous`. The text that is hashed is left in `text`, whose room is used
    /// again.
    pub fn hash(&self, previous: Hash, text: &mut Vec<u8>) -> Hash {
        text.clear();
        let canonical = Canonical {
            created_at: self.created_at,
            created_by: &self.created_by,
            created_by_user_id: self.created_by_user_id,
            data: self.data.as_deref(),
            environment: self.environment.as_deref(),
            feature_name: self.feature_name.as_deref(),
            id: self.id,
            pre_data: self.pre_data.as_deref(),
            previous,
            project: self.project.as_deref(),
            reason: self.reason.as_deref(),
            tags: &self.tags,
            r#type: &self.kind,
        };
        serde_json::to_writer(&mut *text, &canonical).expect("a vector takes what is written to it");
        let digest = digest::digest(&digest::SHA256, text);
        Hash::of_bytes(digest.as_ref()).expect("SHA-256 has 32 bytes")
    }

    /// Whether it only records that a checkpoint was made.
    pub fn tells_of_checkpoint(&self) -> bool {
        let is_named = |data: &str| data.starts_with(&format!("{{\"id\":\"{SETTING}\""));
        self.kind == EventKind::SettingUpdated.as_str() && self.data.as_deref().is_some_and(is_named)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// An event that has everything.
    pub(crate) fn event(id: i64) -> StoredEvent {
        StoredEvent {
            id,
            created_at: Timestamp::from_millis(1_614_265_330_000 + id),
            kind: "feature-updated".to_owned(),
            created_by: "ann@example.com".to_owned(),
            created_by_user_id: Some(7),
            environment: None,
            project: Some("shop".to_owned()),
            feature_name: Some("new-till".to_owned()),
            data: Some(r#"{"name":"new-till","note":"ü"}"#.to_owned()),
            pre_data: None,
            tags: "[]".to_owned(),
            reason: None,
        }
    }

    #[test]
    fn the_text_is_canonical_json_and_the_hash_that_of_the_text() {
        let mut text = Vec::new();
        let mut stored = event(5);
        stored.created_by = "a\"\\/\u{7f}\u{1f}\n\u{2028}".to_owned();
        let hash = stored.hash(Hash::BEGINNING, &mut text);
        let zeros = "0".repeat(64);
        let expected = [
            r#"{"createdAt":"2021-02-25T15:02:10.005Z","createdBy":"a\"\\/"#,
            "\u{7f}\\u001f\\n\u{2028}",
            r#"","createdByUserId":7,"data":"{\"name\":\"new-till\",\"note\":\"ü\"}","environment":null,"#,
            r#""featureName":"new-till","id":5,"preData":null,"previous":""#,
            &zeros,
            r#"","project":"shop","tags":"[]","type":"feature-updated"}"#,
        ];
        assert_eq!(String::from_utf8_lossy(&text), expected.concat());
        assert_eq!(hash.to_string(), crate::secret::digest(&expected.concat()));
        stored.reason = Some("größer \"why\"".to_owned());
        assert_ne!(stored.hash(Hash::BEGINNING, &mut text), hash);
        let with_reason = expected.concat().replace(r#","tags":"#, r#","reason":"größer \"why\"","tags":"#);
        assert_eq!(String::from_utf8_lossy(&text), with_reason);
    }

    #[test]
    fn nothing_can_be_changed_without_another_hash() {
        type Change = fn(&mut StoredEvent);
        let mut text = Vec::new();
        let mut hash = |event: &StoredEvent| event.hash(Hash::BEGINNING, &mut text);
        let (first, all) = (event(5), hash(&event(5)));
        let changes: [Change; 13] = [
            |event| event.id += 1,
            |event| event.created_at = event.created_at.plus_millis(1),
            |event| event.kind.push('x'),
            |event| event.created_by.push(' '),
            |event| event.created_by_user_id = None,
            |event| event.environment = Some(String::new()),
            |event| event.project = None,
            |event| event.feature_name = Some("New-till".to_owned()),
            |event| event.data = Some(r#"{"name":"new-till", "note":"ü"}"#.to_owned()),
            |event| event.pre_data = Some("null".to_owned()),
            |event| event.tags = "[ ]".to_owned(),
            |event| event.reason = Some(String::new()),
            |event| event.reason = Some("why".to_owned()),
        ];
        for (place, change) in changes.iter().enumerate() {
            let mut other = first.clone();
            change(&mut other);
            assert_ne!(hash(&other), all, "{place}");
        }
        assert_ne!(first.hash(all, &mut Vec::new()), all, "what goes before counts");
    }
}
