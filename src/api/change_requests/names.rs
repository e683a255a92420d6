//! Names of actions, each a type of its own, by which changes are distinguished.

use poem_openapi::{
    registry::MetaSchema,
    types::{ParseError, ParseFromJSON, ParseResult, ToJSON},
};
use serde::Serialize;
use serde_json::Value;

use crate::wire::plain_type;

/// Declares the name of each action as a type.
macro_rules! action_names {
    ($($(#[$doc:meta])* $name:ident = $action:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
        pub struct $name;

        plain_type!(
            $name,
            concat!("action_", $action),
            MetaSchema { enum_items: vec![$action.into()], ..MetaSchema::new("string") }
        );

        impl ParseFromJSON for $name {
            fn parse_from_json(value: Option<Value>) -> ParseResult<Self> {
                match value {
                    Some(Value::String(name)) if name == $action => Ok(Self),
                    _ => Err(ParseError::custom(concat!("must be ", $action))),
                }
            }
        }

        impl ToJSON for $name {
            fn to_json(&self) -> Option<Value> {
                Some($action.into())
            }
        }

        impl Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str($action)
            }
        }
    )*};
}

action_names! {
    /// `updateEnabled`.
    UpdateEnabledName = "updateEnabled";
    /// `addStrategy`.
    AddStrategyName = "addStrategy";
    /// `updateStrategy`.
    UpdateStrategyName = "updateStrategy";
    /// `deleteStrategy`.
    DeleteStrategyName = "deleteStrategy";
    /// `reorderStrategy`.
    ReorderStrategyName = "reorderStrategy";
    /// `patchVariant`.
    PatchVariantName = "patchVariant";
    /// `archiveFeature`.
    ArchiveFeatureName = "archiveFeature";
    /// `addDependency`.
    AddDependencyName = "addDependency";
    /// `deleteDependency`.
    DeleteDependencyName = "deleteDependency";
    /// `updateSegment`.
    UpdateSegmentName = "updateSegment";
    /// `deleteSegment`.
    DeleteSegmentName = "deleteSegment";
}
