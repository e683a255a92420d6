//! Patches of documents that are checked as a whole afterwards: each refusal names the operation that is to blame.

use poem_openapi::types::ParseFromJSON;
use serde_json::Value;

use crate::{
    api::body::read_bytes,
    domain::json_patch::{JsonPatchOp, apply},
    error::{Error, Finding},
};

/// The document after the operations, as JSON: 400 for the first one that does not apply.
pub fn patched(before: &Value, ops: &[JsonPatchOp]) -> Result<Value, Error> {
    let mut after = before.clone();
    apply(&mut after, ops)?;
    Ok(after)
}

/// Reads a patched document as `T`: 400 when it breaks the published schema, naming the operation that made it so.
pub fn read_patched<T: ParseFromJSON + 'static>(after: &Value, ops: &[JsonPatchOp]) -> Result<T, Error> {
    let bytes = serde_json::to_vec(after).map_err(Error::internal)?;
    read_bytes(&bytes).map_err(|error| blame(ops, error))
}

/// Turns a refusal of the patched document into one of the operations that led to it.
pub fn blame(ops: &[JsonPatchOp], error: Error) -> Error {
    match error {
        Error::Validation(findings) => {
            Error::Validation(findings.iter().map(|finding| of_operation(ops, finding)).collect())
        }
        other => other,
    }
}

fn of_operation(ops: &[JsonPatchOp], finding: &Finding) -> Finding {
    let pointer = finding.path.as_deref().and_then(|path| path.strip_prefix("/body")).unwrap_or_default();
    let touches =
        |op: &JsonPatchOp| [Some(&op.path), op.from.as_ref()].into_iter().flatten().any(|path| meet(path, pointer));
    let index = ops.iter().rposition(touches).unwrap_or(ops.len().saturating_sub(1));
    let message = finding.message.replace("/body", "");
    Finding {
        message: format!("With the operation /body/{index} applied, something is wrong: {message}"),
        path: Some(format!("/body/{index}")),
    }
}

/// Whether one pointer leads to the other's place or past it; `-` stands for any place in a list.
fn meet(one: &str, other: &str) -> bool {
    let same = |(one, other): (&str, &str)| one == other || one == "-" || other == "-";
    one.split('/').zip(other.split('/')).all(same)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointers_meet_where_one_leads_through_the_other() {
        for (one, other) in [("/a", "/a"), ("/a/0", "/a/0/b"), ("/a/0/b", "/a"), ("/a/-", "/a/7/b"), ("", "/a")] {
            assert!(meet(one, other), "{one} {other}");
        }
        for (one, other) in [("/a", "/b"), ("/a/0", "/a/1"), ("/a/0/b", "/a/0/c")] {
            assert!(!meet(one, other), "{one} {other}");
        }
    }
}
