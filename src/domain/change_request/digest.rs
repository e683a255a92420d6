//! Digest of a change request, by which an approval is bound to the changes that were seen.

use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use super::{Target, action::Action};

/// SHA-256, in hexadecimal digits, of changes in their order and the number of approvals that they need.
///
/// Two requests with the same digest do the same. When and by whom a change was recorded, and what its target was then,
/// is no part of it.
pub fn of<'a>(changes: impl IntoIterator<Item = (&'a Target, &'a Action)>, min_approvals: i64) -> String {
    of_text(&text_of(changes, min_approvals))
}

/// Text of which [`of`] is the digest.
pub fn text_of<'a>(changes: impl IntoIterator<Item = (&'a Target, &'a Action)>, min_approvals: i64) -> String {
    let changes = changes
        .into_iter()
        .map(|(target, action)| change(action.name(), target.feature(), target.segment(), action.payload().as_ref()));
    text(&changes.collect::<Vec<_>>(), min_approvals)
}

/// SHA-256 of a text, in hexadecimal digits.
pub(super) fn of_text(text: &str) -> String {
    hex::encode(Sha256::digest(text.as_bytes()))
}

/// Text of changes that are canonical each.
pub(super) fn text(changes: &[impl AsRef<str>], min_approvals: i64) -> String {
    let changes: Vec<&str> = changes.iter().map(AsRef::as_ref).collect();
    format!("{{\"changes\":[{}],\"minApprovals\":{min_approvals}}}", changes.join(","))
}

/// Canonical text of a change of a feature or else of a segment.
pub(super) fn change(action: &str, feature: Option<&str>, segment: Option<i64>, payload: Option<&Value>) -> String {
    let mut change = Map::new();
    change.insert("action".to_owned(), action.into());
    match (feature, segment) {
        (Some(feature), _) => change.insert("feature".to_owned(), feature.into()),
        (None, segment) => change.insert("segment".to_owned(), segment.into()),
    };
    if let Some(payload) = payload {
        change.insert("payload".to_owned(), payload.clone());
    }
    canonical(&Value::Object(change))
}

/// Compact JSON with the keys of each object sorted by their bytes, so that equal values have equal texts.
pub fn canonical(value: &Value) -> String {
    match value {
        Value::Object(object) => {
            let mut members: Vec<(&String, &Value)> = object.iter().collect();
            members.sort_by_key(|(key, _)| *key);
            let members = members.into_iter().map(|(key, value)| format!("{}:{}", json!(key), canonical(value)));
            format!("{{{}}}", members.collect::<Vec<_>>().join(","))
        }
        Value::Array(items) => format!("[{}]", items.iter().map(canonical).collect::<Vec<_>>().join(",")),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::change_request::action::{Switch, tests::sample};

    fn feature(name: &str, id: Option<i64>) -> Target {
        Target::Feature { name: name.to_owned(), id }
    }

    #[test]
    fn equal_values_have_equal_texts_whatever_the_order_of_their_keys() {
        let one: Value = serde_json::from_str(r#"{"b": [1, {"d": null, "c": "x\"y"}], "a": 1.5}"#).expect("JSON");
        let other: Value = serde_json::from_str(r#"{"a":1.5,"b":[1,{"c":"x\"y","d":null}]}"#).expect("JSON");
        assert_eq!(canonical(&one), r#"{"a":1.5,"b":[1,{"c":"x\"y","d":null}]}"#);
        assert_eq!(canonical(&one), canonical(&other));
    }

    #[test]
    fn a_digest_follows_everything_that_the_changes_do() {
        let (add, archive) = (sample("addStrategy"), Action::ArchiveFeature);
        let (cart, order) = (feature("cart", Some(1)), feature("order", Some(2)));
        let of = |changes: &[(&Target, &Action)], min_approvals| super::of(changes.iter().copied(), min_approvals);
        let digest = of(&[(&cart, &add), (&order, &archive)], 1);
        assert_eq!(digest.len(), 64);
        let switch = |enabled| Action::UpdateEnabled(Switch { enabled, should_activate_disabled_strategies: None });
        let (on, off) = (switch(true), switch(false));
        let others = [
            of(&[(&cart, &add), (&order, &archive)], 2),
            of(&[(&order, &archive), (&cart, &add)], 1),
            of(&[(&order, &add), (&order, &archive)], 1),
            of(&[(&cart, &add)], 1),
            of(&[], 1),
            of(&[(&cart, &on)], 1),
            of(&[(&cart, &off)], 1),
            of(&[(&Target::Segment(7), &sample("deleteSegment"))], 1),
            of(&[(&Target::Segment(8), &sample("deleteSegment"))], 1),
        ];
        for (index, one) in others.iter().enumerate() {
            assert_ne!(one, &digest, "{index}");
            assert!(!others[..index].contains(one), "{index}");
        }
    }

    #[test]
    fn a_digest_does_not_follow_how_a_change_came_about() {
        let action = sample("addStrategy");
        let digest = |id| super::of([(&feature("cart", id), &action)], 1);
        assert_eq!(digest(Some(1)), digest(None));
    }

    /// Events keep digests for ever, so that what is hashed must not change.
    #[test]
    fn the_digest_is_the_same_in_all_versions() {
        let action = Action::UpdateEnabled(Switch { enabled: true, should_activate_disabled_strategies: None });
        let text =
            r#"{"changes":[{"action":"updateEnabled","feature":"cart","payload":{"enabled":true}}],"minApprovals":1}"#;
        let expected = hex::encode(Sha256::digest(text.as_bytes()));
        assert_eq!(super::of([(&feature("cart", Some(1)), &action)], 1), expected);
    }
}
