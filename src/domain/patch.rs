//! JSON Patch of a feature: what the operations mean, and which properties they reach.

use std::fmt;

use flagstone_wire::{Shape, ShapedText};
use poem_openapi::{Enum, Object, registry::MetaSchema, types::MaybeUndefined};
use serde_json::Value;

use crate::{feature::DEFAULT_TYPE, feature_document::FeatureDocument, text::is_longer, time::Timestamp};

/// Most characters of a feature type.
pub(crate) const MAX_TYPE_LENGTH: usize = 100;
/// Most characters of what was sent that a refusal repeats.
const MAX_QUOTED: usize = 100;
/// Most characters of a pointer.
const MAX_POINTER_LENGTH: usize = 1000;
/// Most characters of a description.
pub(crate) const MAX_DESCRIPTION_LENGTH: usize = 100_000;

/// Effect of an operation of a patch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename = "PatchVerb", rename_all = "lowercase")]
pub enum PatchVerb {
    /// Sets the property at `path` to `value`.
    Add,
    /// Gives the property at `path` its default.
    Remove,
    /// Sets the property at `path` to `value`.
    Replace,
    /// Sets the property at `path` to the value at `from`.
    Copy,
    /// Sets the property at `path` to the value at `from` and gives the one at `from` its default.
    Move,
}

/// One step of a patch of a feature, as in JSON Patch (RFC 6902).
///
/// A feature always has all of its properties: removing one gives it its default, which is `null` for `/description`,
/// `release` for `/type` and `false` for the others.
#[derive(Debug, Clone, PartialEq, Object)]
#[oai(rename = "PatchOperation")]
pub struct PatchOp {
    /// JSON pointer of the property: `/description` (text of at most 100000 characters, or `null`), `/type` (text of 1
    /// to 100 characters), `/stale`, `/impressionData` (booleans, or the words `true` and `false`) or `/archived`
    /// (boolean: archives or revives the feature).
    pub path: ShapedText<TargetShape>,
    /// Operation to apply.
    pub op: PatchVerb,
    /// JSON pointer of the source; required for `move` and `copy`. A `copy` may read every property of the feature
    /// itself: those that `path` allows, and `/name`, `/project`, `/createdAt`, `/lastSeenAt` and `/archivedAt`.
    pub from: Option<ShapedText<SourceShape>>,
    /// New value; required for `add` and `replace`.
    pub value: MaybeUndefined<Value>,
}

/// A pointer to a property that a patch may change. A body is held against the pattern before it is read.
#[derive(Debug, Clone, PartialEq)]
pub struct TargetShape;

/// A pointer to a property that a patch may read.
#[derive(Debug, Clone, PartialEq)]
pub struct SourceShape;

impl Shape for TargetShape {
    const NAME: &'static str = "string(patch-target)";

    fn schema() -> MetaSchema {
        pointer_schema(TARGETS)
    }
}

impl Shape for SourceShape {
    const NAME: &'static str = "string(patch-source)";

    fn schema() -> MetaSchema {
        pointer_schema(SOURCES)
    }
}

fn pointer_schema(pattern: &str) -> MetaSchema {
    MetaSchema { max_length: Some(MAX_POINTER_LENGTH), pattern: Some(pattern.to_owned()), ..MetaSchema::new("string") }
}

/// Reason why a patch does not apply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatchRefusal {
    /// Position of the operation at fault, from 0.
    pub index: usize,
    /// Its member at fault: `path`, `from` or `value`.
    pub member: &'static str,
    /// The end of a sentence that starts with that member.
    pub reason: String,
}

impl fmt::Display for PatchRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of operation {} {}", self.member, self.index, self.reason)
    }
}

impl std::error::Error for PatchRefusal {}

/// Lists the properties that a patch may change, and after the semicolon those that it may only read.
macro_rules! properties {
    ($first:ident = $first_name:literal $(, $property:ident = $name:literal)+; $($fixed:literal),+) => {
        /// The pattern of `path`.
        const TARGETS: &str = concat!("^/(", $first_name, $("|", $name,)+ ")$");
        /// The pattern of `from`.
        const SOURCES: &str = concat!("^/(", $first_name, $("|", $name,)+ $("|", $fixed,)+ ")$");
        /// Properties that a patch may only read.
        const FIXED: &[&str] = &[$($fixed),+];

        /// A property that a patch may change.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        enum Property {
            $first,
            $($property,)+
        }

        impl Property {
            const ALL: &'static [Self] = &[Self::$first, $(Self::$property),+];

            const fn pointer(self) -> &'static str {
                match self {
                    Self::$first => concat!("/", $first_name),
                    $(Self::$property => concat!("/", $name),)+
                }
            }
        }
    };
}

properties! {
    Description = "description",
    Type = "type",
    Stale = "stale",
    ImpressionData = "impressionData",
    Archived = "archived";
    "name", "project", "createdAt", "lastSeenAt", "archivedAt"
}

impl Property {
    /// The property that a pointer names, or why it can be no target.
    fn at(pointer: &str) -> Result<Self, String> {
        let named = Self::ALL.iter().find(|property| property.pointer() == pointer);
        named.copied().ok_or_else(|| not_a_target(pointer))
    }
}

/// Returns why a text does not match a pattern of [`PatchOp`], as the end of a sentence that starts with the member: in
/// more words than the pattern itself. `None` for patterns of others.
pub fn unmatched(pattern: &str, text: &str) -> Option<String> {
    match pattern {
        TARGETS => Property::at(text).err(),
        SOURCES => Some(no_source(text)),
        _ => None,
    }
}

/// Describes the new value in an operation of a patch, as it was sent.
pub fn told_value(path: &str) -> String {
    format!("it is the new value of {}", beginning(path))
}

/// Describes the fault of an operation of a patch that needs a source and has none.
pub(crate) fn missing_source(path: &str) -> String {
    format!("is required: it says where the new value of {} comes from", beginning(path))
}

fn no_source(pointer: &str) -> String {
    format!("must name a property of the feature, not \"{}\"", beginning(pointer))
}

/// The beginning of what was sent, which a refusal may repeat.
pub(crate) fn beginning(sent: &str) -> String {
    match sent.char_indices().nth(MAX_QUOTED) {
        Some((end, _)) => format!("{}…", &sent[..end]),
        None => sent.to_owned(),
    }
}

fn not_a_target(pointer: &str) -> String {
    let segment = pointer.strip_prefix('/').and_then(|rest| rest.split('/').next()).unwrap_or_default();
    let sent = beginning(pointer);
    match segment {
        "tags" => {
            format!("cannot be \"{sent}\": change tags with PUT /api/admin/features/{{featureName}}/tags")
        }
        "variants" => format!(
            "cannot be \"{sent}\": change variants with PUT /api/admin/projects/{{projectId}}/features/{{featureName}}\
             /environments/{{environment}}/variants"
        ),
        "environments" => format!(
            "cannot be \"{sent}\": switch environments with POST /api/admin/projects/{{projectId}}/features\
             /{{featureName}}/environments/{{environment}}/on or …/off"
        ),
        fixed if FIXED.contains(&fixed) && pointer.matches('/').count() == 1 => {
            format!("names the property {pointer}, which a patch cannot change")
        }
        _ => {
            let pointers: Vec<_> = Property::ALL.iter().map(|property| property.pointer()).collect();
            let (last, others) = pointers.split_last().expect("there are properties");
            format!("must be one of {} and {last}, not \"{sent}\"", others.join(", "))
        }
    }
}

/// Whether operations may take an archived feature into use again.
pub fn may_revive(ops: &[PatchOp]) -> bool {
    let archived = Property::Archived.pointer();
    ops.iter().any(|op| op.path.as_str() == archived || op.from.as_ref().map(ShapedText::as_str) == Some(archived))
}

impl FeatureDocument {
    /// This document after all of the operations in order, or the first one that does not apply.
    ///
    /// A feature that is archived before and after keeps the time at which it was archived; one that the patch
    /// archives gets `now`.
    pub fn patched(&self, ops: &[PatchOp], now: Timestamp) -> Result<Self, PatchRefusal> {
        let mut after = self.clone();
        for (index, op) in ops.iter().enumerate() {
            let refused = |(member, reason)| PatchRefusal { index, member, reason };
            after.apply(op, now).map_err(refused)?;
        }
        if self.is_archived() && after.is_archived() {
            after.archived_at = self.archived_at;
        }
        Ok(after)
    }

    fn apply(&mut self, op: &PatchOp, now: Timestamp) -> Result<(), (&'static str, String)> {
        let target = Property::at(op.path.as_str()).map_err(|reason| ("path", reason))?;
        match op.op {
            PatchVerb::Remove => {
                self.reset(target);
                Ok(())
            }
            PatchVerb::Add | PatchVerb::Replace => {
                let named = |reason: String| ("value", format!("{reason}: {}", told_value(target.pointer())));
                let value = match &op.value {
                    MaybeUndefined::Value(value) => value,
                    MaybeUndefined::Null => &Value::Null,
                    MaybeUndefined::Undefined => return Err(named("is required".to_owned())),
                };
                self.set(target, value, now).map_err(named)
            }
            PatchVerb::Copy | PatchVerb::Move => {
                let missing = || ("from", missing_source(target.pointer()));
                let from = op.from.as_ref().map(ShapedText::as_str).ok_or_else(missing)?;
                let value = self.member(from).ok_or_else(|| ("from", no_source(from)))?;
                if op.op == PatchVerb::Move {
                    self.reset(Property::at(from).map_err(|reason| ("from", reason))?);
                }
                let named =
                    |reason| ("from", format!("names a value that does not fit {}, which {reason}", target.pointer()));
                self.set(target, &value, now).map_err(named)
            }
        }
    }

    fn member(&self, pointer: &str) -> Option<Value> {
        let document = serde_json::to_value(self).expect("the document has string keys");
        let name = pointer.strip_prefix('/')?;
        document.get(name).cloned()
    }

    fn reset(&mut self, property: Property) {
        match property {
            Property::Description => self.description = None,
            Property::Type => DEFAULT_TYPE.clone_into(&mut self.kind),
            Property::Stale => self.stale = false,
            Property::ImpressionData => self.impression_data = false,
            Property::Archived => self.archived_at = None,
        }
    }

    fn set(&mut self, property: Property, value: &Value, now: Timestamp) -> Result<(), String> {
        match property {
            Property::Description => self.description = optional_text(value)?,
            Property::Type => self.kind = flag_type(value)?,
            Property::Stale => self.stale = boolean(value)?,
            Property::ImpressionData => self.impression_data = boolean(value)?,
            Property::Archived => {
                let archived = boolean(value)?;
                self.archived_at = if archived { self.archived_at.or(Some(now)) } else { None };
            }
        }
        Ok(())
    }
}

fn optional_text(value: &Value) -> Result<Option<String>, String> {
    match value {
        Value::Null => Ok(None),
        Value::String(text) if is_longer(text, MAX_DESCRIPTION_LENGTH) => {
            Err(format!("must have at most {MAX_DESCRIPTION_LENGTH} characters"))
        }
        Value::String(text) => Ok(Some(text.clone())),
        _ => Err("must be a string or null".to_owned()),
    }
}

/// Any word is a type: one that is in no list has no lifetime.
fn flag_type(value: &Value) -> Result<String, String> {
    match value {
        Value::String(word) if !word.is_empty() && !is_longer(word, MAX_TYPE_LENGTH) => Ok(word.clone()),
        _ => Err(format!("must be a string of 1 to {MAX_TYPE_LENGTH} characters")),
    }
}

fn boolean(value: &Value) -> Result<bool, String> {
    match value {
        Value::Bool(flag) => Ok(*flag),
        Value::String(word) if word == "true" => Ok(true),
        Value::String(word) if word == "false" => Ok(false),
        _ => Err("must be true or false".to_owned()),
    }
}

#[cfg(test)]
mod tests;
