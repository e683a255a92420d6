//! The steps of a patch: what each does, to which attribute, with which value. Directories differ in how they write
//! them.

use poem_openapi::{Object, types::MaybeUndefined};
use serde_json::Value;

use super::{Fault, FaultKind, path::Path};
use crate::text::is_longer;

/// Most characters of a text of a user or a group.
pub const LONGEST_TEXT: usize = 255;

/// One step of a patch, as in RFC 7644.
#[derive(Debug, Clone, PartialEq, Object)]
#[oai(rename = "ScimPatchOperation")]
pub struct Operation {
    /// The operation: `add`, `replace` or `remove`, case-insensitive.
    #[oai(validator(max_length = 20))]
    pub op: String,
    /// The attribute that changes, such as `displayName`, `emails[type eq "work"].value` or `members[value eq "7"]`.
    /// Absent: the value is an object with the attributes to change. At most 1000 characters.
    #[oai(validator(max_length = 1000))]
    pub path: Option<String>,
    /// The value of `add` and `replace`.
    pub value: MaybeUndefined<Value>,
}

/// Operation on an attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verb {
    /// Adds to what is there, where several values can be.
    Add,
    /// Takes its place.
    Replace,
    /// Takes it away.
    Remove,
}

/// A change of one attribute.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// Operation.
    pub verb: Verb,
    /// Path of the attribute.
    pub path: Path,
    /// New value; `None` where none was given.
    pub value: Option<Value>,
    /// Whether the attribute was named by a path: then it must be one that can be changed.
    pub is_named: bool,
}

/// Applies steps in their order, and names the place of one that cannot be applied.
pub fn apply(operations: &[Operation], mut step: impl FnMut(Step) -> Result<(), Fault>) -> Result<(), Fault> {
    for (index, operation) in operations.iter().enumerate() {
        steps(operation)
            .and_then(|steps| steps.into_iter().try_for_each(&mut step))
            .map_err(|fault| fault.in_operation(index))?;
    }
    Ok(())
}

fn steps(operation: &Operation) -> Result<Vec<Step>, Fault> {
    let verb = match operation.op.to_ascii_lowercase().as_str() {
        "add" => Verb::Add,
        "replace" => Verb::Replace,
        "remove" => Verb::Remove,
        _ => return Err(Fault::new(FaultKind::Syntax, "op is add, replace or remove.")),
    };
    let value = match &operation.value {
        MaybeUndefined::Value(value) => Some(value.clone()),
        MaybeUndefined::Null => Some(Value::Null),
        MaybeUndefined::Undefined => None,
    };
    let path = operation.path.as_deref().filter(|path| !path.is_empty());
    let Some(path) = path else {
        if verb == Verb::Remove {
            return Err(Fault::new(FaultKind::NoTarget, "path is missing: it says what is removed."));
        }
        let Some(Value::Object(members)) = value else {
            return Err(Fault::new(FaultKind::Value, "value is an object where there is no path."));
        };
        let step = |(name, value): (String, Value)| {
            Ok(Step { verb, path: Path::parse(&name)?, value: Some(value), is_named: false })
        };
        return members.into_iter().map(step).collect();
    };
    let path = Path::parse(path)?;
    if verb != Verb::Remove && value.is_none() {
        return Err(Fault::new(FaultKind::Value, "value is missing."));
    }
    Ok(vec![Step { verb, path, value, is_named: true }])
}

impl Step {
    /// A text, or nothing where it is taken away, `null` or empty.
    pub fn text(&self) -> Result<Option<String>, Fault> {
        match (self.verb, &self.value) {
            (Verb::Remove, _) | (_, None | Some(Value::Null)) => Ok(None),
            (_, Some(Value::String(text))) if !is_longer(text, LONGEST_TEXT) => {
                Ok(Some(text.clone()).filter(|text| !text.is_empty()))
            }
            _ => Err(self.refused("a text of at most 255 characters")),
        }
    }

    /// Says what the value must be.
    pub fn refused(&self, what: &str) -> Fault {
        Fault::new(FaultKind::Value, format!("value of {} is {what}.", self.path.attribute))
    }

    /// Says that the attribute cannot be changed, unless it merely came along with others.
    pub fn unchangeable(&self) -> Result<(), Fault> {
        if !self.is_named {
            return Ok(());
        }
        Err(Fault::new(FaultKind::Mutability, format!("path: {} cannot be changed.", self.path.attribute)))
    }

    /// Says that the path leads nowhere.
    pub fn unknown(&self) -> Fault {
        Fault::new(FaultKind::Path, "path leads to no attribute that is known here.")
    }
}

/// The values of an attribute that has several, each an object; one alone may stand for itself.
pub fn values(value: &Value) -> Option<&[Value]> {
    match value {
        Value::Array(values) => Some(values),
        Value::Object(_) => Some(std::slice::from_ref(value)),
        _ => None,
    }
}

/// A member of an object, by its name in any case.
pub fn member<'a>(object: &'a Value, name: &str) -> Option<&'a Value> {
    object.as_object()?.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value)
}

/// A truth value, also where it is written as a text.
pub fn truth(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(truth) => Some(*truth),
        Value::String(text) if text.eq_ignore_ascii_case("true") => Some(true),
        Value::String(text) if text.eq_ignore_ascii_case("false") => Some(false),
        _ => None,
    }
}
