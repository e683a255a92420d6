//! JSON Patch, of features and of any document.

use std::sync::LazyLock;

use flagstone::{
    api::body::read_bytes,
    domain::{
        feature_document::FeatureDocument,
        json_patch::{self, JsonPatchOp},
        patch::{PatchOp, PatchVerb},
        time::Timestamp,
    },
    wire::AtMost,
};
use poem_openapi::types::MaybeUndefined;
use serde_json::{Value, json};

use crate::document::{document, seeds};

fn replace(name: &str, value: Value) -> PatchOp {
    PatchOp { path: format!("/{name}").into(), op: PatchVerb::Replace, from: None, value: MaybeUndefined::Value(value) }
}

/// What a patch makes of a feature can be told by a patch again, which then changes nothing.
pub fn feature_can_be_told_again(input: &[u8]) {
    static SEEDS: LazyLock<Vec<Value>> = LazyLock::new(|| seeds("patch_feature"));
    let body = document(input, &SEEDS).to_string();
    let Ok(AtMost(ops)) = read_bytes::<AtMost<100, PatchOp>>(body.as_bytes()) else { return };
    let now = Timestamp::from_millis(1_768_478_400_000);
    for archived_at in [None, Some(Timestamp::from_millis(7))] {
        let before = FeatureDocument {
            name: "cart".to_owned(),
            description: Some("Before.".to_owned()),
            kind: "release".to_owned(),
            project: "shop".to_owned(),
            stale: true,
            created_at: Timestamp::from_millis(5),
            last_seen_at: None,
            impression_data: false,
            archived_at,
        };
        let patched = before.patched(&ops, now);
        assert_eq!(patched, before.patched(&ops, now));
        match patched {
            Ok(after) => {
                let fixed = |document: &FeatureDocument| {
                    (document.name.clone(), document.project.clone(), document.created_at, document.last_seen_at)
                };
                assert_eq!(fixed(&after), fixed(&before));
                assert!((1..=100).contains(&after.kind.chars().count()));
                let same = [
                    replace("description", json!(after.description)),
                    replace("type", json!(after.kind)),
                    replace("stale", json!(after.stale)),
                    replace("impressionData", json!(after.impression_data)),
                    replace("archived", json!(after.is_archived())),
                ];
                assert_eq!(after.patched(&same, now.plus_millis(1)).as_ref(), Ok(&after));
            }
            Err(refusal) => {
                assert!(["path", "from", "value"].contains(&refusal.member), "{refusal}");
                // Those before it apply.
                assert!(before.patched(&ops[..refusal.index], now).is_ok(), "{refusal}");
            }
        }
    }
}

/// A patched document stays within bounds, and the operations before one at fault apply.
pub fn document_stays_within_bounds(input: &[u8]) {
    static SEEDS: LazyLock<Vec<Value>> = LazyLock::new(|| seeds("patch_document"));
    let given = document(input, &SEEDS);
    let before = given["document"].clone();
    let Ok(AtMost(ops)) = read_bytes::<AtMost<100, JsonPatchOp>>(given["patch"].to_string().as_bytes()) else { return };
    let applied = |ops: &[JsonPatchOp]| {
        let mut after = before.clone();
        json_patch::apply(&mut after, ops).map(|()| after)
    };
    match applied(&ops) {
        Ok(after) => {
            assert_eq!(serde_json::from_str::<Value>(&after.to_string()).expect("no deeper than is read"), after);
            let same = JsonPatchOp {
                path: String::new(),
                op: PatchVerb::Replace,
                from: None,
                value: MaybeUndefined::Value(after.clone()),
            };
            let mut again = after.clone();
            assert_eq!(json_patch::apply(&mut again, &[same]), Ok(()));
            assert_eq!(again, after);
        }
        Err(refusal) => assert!(applied(&ops[..refusal.index]).is_ok(), "{refusal}"),
    }
}
