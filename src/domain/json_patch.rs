//! JSON Patch of any document: what the operations do, and the bounds that keep a short patch from making a huge one.

use json_patch::{
    AddOperation, CopyOperation, MoveOperation, PatchErrorKind, PatchOperation, RemoveOperation, ReplaceOperation,
    jsonptr::PointerBuf,
};
use poem_openapi::{Object, types::MaybeUndefined};
use serde_json::Value;

use crate::patch::{PatchRefusal, PatchVerb, beginning, missing_source, told_value};

/// Most levels of a patched document. Copying a part into itself could otherwise double them with each operation.
const MAX_DEPTH: usize = 64;
/// Most members and characters of a patched document, for the same reason.
const MAX_SIZE: usize = 1 << 20;

/// One step of a patch, as in JSON Patch (RFC 6902).
#[derive(Debug, Clone, PartialEq, Object)]
#[oai(rename = "JsonPatchOperation")]
pub struct JsonPatchOp {
    /// JSON pointer (RFC 6901) of the target, such as `/title` or `/constraints/0/values/-`; `-` is the place after the
    /// last entry of a list.
    #[oai(validator(max_length = 1000))]
    pub path: String,
    /// The operation. `test` is not supported: send `If-Match` instead.
    pub op: PatchVerb,
    /// JSON pointer of the source; required for `move` and `copy`.
    #[oai(validator(max_length = 1000))]
    pub from: Option<String>,
    /// New value; required for `add` and `replace`.
    pub value: MaybeUndefined<Value>,
}

/// Applies all of the operations in order, or returns the first one that does not apply; the document is then of no
/// use.
pub fn apply(document: &mut Value, ops: &[JsonPatchOp]) -> Result<(), PatchRefusal> {
    for (index, op) in ops.iter().enumerate() {
        let refused = |(member, reason): Fault| PatchRefusal { index, member, reason };
        let step = step(op).map_err(refused)?;
        json_patch::patch_unsafe(document, &[step]).map_err(|error| refused(told(&error.kind, op)))?;
        if size(document, MAX_DEPTH).is_none_or(|size| size > MAX_SIZE) {
            let reason = format!("makes the document larger than one may be, with \"{}\"", beginning(&op.path));
            return Err(refused(("path", reason)));
        }
    }
    Ok(())
}

/// The member at fault, and the end of a sentence that starts with it.
type Fault = (&'static str, String);

fn step(op: &JsonPatchOp) -> Result<PatchOperation, Fault> {
    let path = pointer("path", &op.path)?;
    let from = || match &op.from {
        Some(from) => pointer("from", from),
        None => Err(("from", missing_source(&op.path))),
    };
    let value = || match &op.value {
        MaybeUndefined::Value(value) => Ok(value.clone()),
        MaybeUndefined::Null => Ok(Value::Null),
        MaybeUndefined::Undefined => Err(("value", format!("is required: {}", told_value(&op.path)))),
    };
    Ok(match op.op {
        PatchVerb::Add => PatchOperation::Add(AddOperation { path, value: value()? }),
        PatchVerb::Remove => PatchOperation::Remove(RemoveOperation { path }),
        PatchVerb::Replace => PatchOperation::Replace(ReplaceOperation { path, value: value()? }),
        PatchVerb::Copy => PatchOperation::Copy(CopyOperation { from: from()?, path }),
        PatchVerb::Move => PatchOperation::Move(MoveOperation { from: from()?, path }),
    })
}

fn pointer(member: &'static str, text: &str) -> Result<PointerBuf, Fault> {
    let reason = |_| format!("must be a JSON pointer, which starts with a slash, not \"{}\"", beginning(text));
    PointerBuf::parse(text).map_err(|error| (member, reason(error)))
}

fn told(kind: &PatchErrorKind, op: &JsonPatchOp) -> Fault {
    let path = beginning(&op.path);
    match kind {
        PatchErrorKind::InvalidFromPointer => {
            let from = beginning(op.from.as_deref().unwrap_or_default());
            ("from", format!("must name a place that exists, not \"{from}\""))
        }
        PatchErrorKind::CannotMoveInsideItself => {
            ("path", format!("must not lie inside the place to move from, as \"{path}\" does"))
        }
        _ => ("path", format!("must name a place that exists, or for `add` one that can be made, not \"{path}\"")),
    }
}

/// Members and characters of a value; none when it has more levels than `depth`.
fn size(value: &Value, depth: usize) -> Option<usize> {
    let below = depth.checked_sub(1)?;
    match value {
        Value::String(text) => Some(1 + text.len()),
        Value::Array(items) => items.iter().try_fold(1, |sum, item| Some(sum + size(item, below)?)),
        Value::Object(members) => {
            members.iter().try_fold(1, |sum, (name, item)| Some(sum + name.len() + size(item, below)?))
        }
        _ => Some(1),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn op(op: PatchVerb, path: &str, from: Option<&str>, value: Option<Value>) -> JsonPatchOp {
        JsonPatchOp {
            path: path.to_owned(),
            op,
            from: from.map(str::to_owned),
            value: value.map_or(MaybeUndefined::Undefined, MaybeUndefined::Value),
        }
    }

    #[test]
    fn each_operation_does_what_the_standard_says() {
        let mut document = json!({ "a": [1, 2], "b": "x" });
        let ops = [
            op(PatchVerb::Add, "/a/-", None, Some(json!(3))),
            op(PatchVerb::Remove, "/a/0", None, None),
            op(PatchVerb::Replace, "/b", None, Some(json!("y"))),
            op(PatchVerb::Copy, "/c", Some("/b"), None),
            op(PatchVerb::Move, "/d", Some("/b"), None),
        ];
        apply(&mut document, &ops).expect("applies");
        assert_eq!(document, json!({ "a": [2, 3], "c": "y", "d": "y" }));
    }

    #[test]
    fn what_does_not_apply_names_operation_and_member() {
        let cases = [
            (op(PatchVerb::Add, "a", None, Some(json!(1))), "path"),
            (op(PatchVerb::Add, "/a/b", None, Some(json!(1))), "path"),
            (op(PatchVerb::Add, "/l/9", None, Some(json!(1))), "path"),
            (op(PatchVerb::Add, "/l/x", None, Some(json!(1))), "path"),
            (op(PatchVerb::Add, "/x", None, None), "value"),
            (op(PatchVerb::Replace, "/x", None, Some(json!(1))), "path"),
            (op(PatchVerb::Remove, "/x", None, None), "path"),
            (op(PatchVerb::Remove, "", None, None), "path"),
            (op(PatchVerb::Remove, "/l/-", None, None), "path"),
            (op(PatchVerb::Copy, "/x", None, None), "from"),
            (op(PatchVerb::Copy, "/x", Some("/y"), None), "from"),
            (op(PatchVerb::Move, "/x", Some("y"), None), "from"),
            (op(PatchVerb::Move, "/l/0", Some("/l"), None), "path"),
        ];
        for (case, member) in cases {
            let ops = [op(PatchVerb::Add, "/a", None, Some(json!(1))), case];
            let refusal = apply(&mut json!({ "a": 0, "l": [1] }), &ops).expect_err("refused");
            assert_eq!((refusal.index, refusal.member), (1, member), "{:?}", ops[1]);
            let sent = if member == "from" { ops[1].from.as_ref().unwrap_or(&ops[1].path) } else { &ops[1].path };
            assert!(refusal.reason.contains(sent.as_str()), "{sent}: {}", refusal.reason);
        }
    }

    #[test]
    fn a_patch_cannot_blow_the_document_up() {
        let doubling: Vec<_> = (0..100).map(|_| op(PatchVerb::Copy, "/a/-", Some("/a"), None)).collect();
        assert!(apply(&mut json!({ "a": ["x"] }), &doubling).is_err());
        let flat: Vec<_> = (0..100).map(|step| op(PatchVerb::Copy, &format!("/{step}"), Some(""), None)).collect();
        assert!(apply(&mut json!({ "text": "x".repeat(1000) }), &flat).is_err());
    }
}
