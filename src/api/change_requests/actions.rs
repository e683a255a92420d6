//! Changes as they are sent: one shape for each action.

use std::borrow::Cow;

use poem_openapi::{
    Object, Union,
    registry::{MetaSchema, MetaSchemaRef, Registry},
    types::{ParseError, ParseFromJSON, ParseResult, Type},
};
use serde_json::Value;

use super::{
    names::{
        AddDependencyName, AddStrategyName, ArchiveFeatureName, DeleteDependencyName, DeleteSegmentName,
        DeleteStrategyName, PatchVariantName, ReorderStrategyName, UpdateEnabledName, UpdateSegmentName,
        UpdateStrategyName,
    },
    payloads::{
        SegmentRemovalPayload, SegmentUpdatePayload, StrategyRemovalPayload, StrategyUpdatePayload, SwitchPayload,
        VariantsPayload,
    },
};
use crate::{
    api::{
        features::dependencies::NewDependencyBody,
        strategies::change::{NewStrategyBody, StrategyPositionBody},
    },
    changes::change_requests::judging::{RequestedChange, refused},
    domain::change_request::{MOST_CHANGES, action::Action},
    error::Error,
    wire::{AtMost, Nullable},
};

/// Declares changes of features as they are sent.
macro_rules! sent_changes {
    ($($(#[$doc:meta])* $sent:ident = $schema:literal, $name:ident $(, $payload:ty)?;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Object)]
        #[oai(rename = $schema)]
        pub struct $sent {
            /// Name of a feature of the project that is not archived.
            #[oai(validator(min_length = 1, max_length = 100))]
            pub feature: String,
            /// Kind of the change.
            pub action: $name,
            $(
                /// The change itself.
                pub payload: $payload,
            )?
        }
    )*};
}

sent_changes! {
    /// Switches a feature on or off.
    SwitchChange = "SwitchChange", UpdateEnabledName, SwitchPayload;
    /// Adds a strategy to a feature.
    StrategyAddition = "StrategyAddition", AddStrategyName, NewStrategyBody;
    /// Replaces a strategy of a feature.
    StrategyUpdateChange = "StrategyUpdate", UpdateStrategyName, StrategyUpdatePayload;
    /// Removes a strategy of a feature.
    StrategyRemoval = "StrategyRemoval", DeleteStrategyName, StrategyRemovalPayload;
    /// Gives strategies of a feature their positions.
    StrategyReordering = "StrategyReordering", ReorderStrategyName, AtMost<1000, StrategyPositionBody>;
    /// Replaces the variants of a feature.
    VariantsChange = "VariantsChange", PatchVariantName, VariantsPayload;
    /// Archives a feature.
    FeatureArchiving = "FeatureArchiving", ArchiveFeatureName;
    /// Makes a feature depend on another.
    DependencyAddition = "DependencyAddition", AddDependencyName, NewDependencyBody;
    /// Removes all dependencies of a feature on others.
    DependencyRemoval = "DependencyRemoval", DeleteDependencyName;
}

/// Replaces a segment of the project.
#[derive(Debug, Clone, Object)]
#[oai(rename = "SegmentUpdate")]
pub struct SegmentUpdateChange {
    /// Absent or `null`: a segment belongs to no feature.
    #[oai(validator(max_length = 100))]
    pub feature: Option<Nullable<String>>,
    /// Kind of the change.
    pub action: UpdateSegmentName,
    /// The change itself.
    pub payload: SegmentUpdatePayload,
}

/// Deletes a segment of the project.
#[derive(Debug, Clone, Object)]
#[oai(rename = "SegmentRemoval")]
pub struct SegmentRemoval {
    /// Absent or `null`: a segment belongs to no feature.
    #[oai(validator(max_length = 100))]
    pub feature: Option<Nullable<String>>,
    /// Kind of the change.
    pub action: DeleteSegmentName,
    /// The change itself.
    pub payload: SegmentRemovalPayload,
}

/// A change of a feature or a segment. Its `action` tells which.
#[derive(Debug, Clone, Union)]
#[oai(one_of, rename = "RequestedChange")]
pub enum RequestedChangeBody {
    /// Switches a feature.
    Switch(SwitchChange),
    /// Adds a strategy.
    AddStrategy(StrategyAddition),
    /// Replaces a strategy.
    UpdateStrategy(StrategyUpdateChange),
    /// Removes a strategy.
    DeleteStrategy(StrategyRemoval),
    /// Orders strategies.
    ReorderStrategy(StrategyReordering),
    /// Replaces variants.
    PatchVariant(VariantsChange),
    /// Archives a feature.
    ArchiveFeature(FeatureArchiving),
    /// Adds a dependency.
    AddDependency(DependencyAddition),
    /// Removes dependencies.
    DeleteDependency(DependencyRemoval),
    /// Replaces a segment.
    UpdateSegment(SegmentUpdateChange),
    /// Deletes a segment.
    DeleteSegment(SegmentRemoval),
}

/// A change as it was sent, which has been compared with its schema.
#[derive(Debug, Clone, PartialEq)]
pub struct SentChange {
    feature: Option<String>,
    action: String,
    payload: Option<Value>,
}

impl SentChange {
    /// The change that is asked for at this place of the body.
    pub fn requested(self, place: impl Into<String>) -> Result<RequestedChange, Error> {
        let place = place.into();
        let action = Action::read(&self.action, self.payload).map_err(|refusal| refused(&place, refusal))?;
        Ok(RequestedChange { feature: self.feature, action, place })
    }
}

impl Type for SentChange {
    const IS_REQUIRED: bool = true;
    type RawValueType = Self;
    type RawElementValueType = Self;

    fn name() -> Cow<'static, str> {
        RequestedChangeBody::name()
    }

    fn schema_ref() -> MetaSchemaRef {
        RequestedChangeBody::schema_ref()
    }

    fn register(registry: &mut Registry) {
        RequestedChangeBody::register(registry);
    }

    fn as_raw_value(&self) -> Option<&Self> {
        Some(self)
    }

    fn raw_element_iter<'a>(&'a self) -> Box<dyn Iterator<Item = &'a Self> + 'a> {
        Box::new(std::iter::once(self))
    }
}

impl ParseFromJSON for SentChange {
    fn parse_from_json(value: Option<Value>) -> ParseResult<Self> {
        let Some(Value::Object(mut members)) = value else { return Err(ParseError::expected_input()) };
        let mut text = |name: &str| match members.remove(name) {
            Some(Value::String(text)) => Some(text),
            _ => None,
        };
        let (feature, action) = (text("feature"), text("action").ok_or_else(ParseError::expected_input)?);
        Ok(Self { feature, action, payload: members.remove("payload").filter(|payload| !payload.is_null()) })
    }
}

/// One change, or several.
#[derive(Debug, Clone, PartialEq)]
pub enum SentChanges {
    /// One.
    One(SentChange),
    /// Several, in the order in which they are applied.
    Several(Vec<SentChange>),
}

impl SentChanges {
    /// The changes that are asked for.
    pub fn requested(self) -> Result<Vec<RequestedChange>, Error> {
        match self {
            Self::One(change) => Ok(vec![change.requested("/body")?]),
            Self::Several(changes) => changes
                .into_iter()
                .enumerate()
                .map(|(index, change)| change.requested(format!("/body/{index}")))
                .collect(),
        }
    }
}

type Several = AtMost<MOST_CHANGES, SentChange>;

impl Type for SentChanges {
    const IS_REQUIRED: bool = true;
    type RawValueType = Self;
    type RawElementValueType = Self;

    fn name() -> Cow<'static, str> {
        "RequestedChanges".into()
    }

    fn schema_ref() -> MetaSchemaRef {
        let several = Several::schema_ref().merge(MetaSchema { min_items: Some(1), ..MetaSchema::ANY });
        let one_of = vec![SentChange::schema_ref(), several];
        MetaSchemaRef::Inline(Box::new(MetaSchema { one_of, ..MetaSchema::ANY }))
    }

    fn register(registry: &mut Registry) {
        SentChange::register(registry);
    }

    fn as_raw_value(&self) -> Option<&Self> {
        Some(self)
    }

    fn raw_element_iter<'a>(&'a self) -> Box<dyn Iterator<Item = &'a Self> + 'a> {
        Box::new(std::iter::once(self))
    }
}

impl ParseFromJSON for SentChanges {
    fn parse_from_json(value: Option<Value>) -> ParseResult<Self> {
        let read = |change| -> Result<SentChange, ParseError<Self>> {
            SentChange::parse_from_json(Some(change)).map_err(ParseError::propagate)
        };
        match value {
            Some(Value::Array(changes)) => Ok(Self::Several(changes.into_iter().map(read).collect::<Result<_, _>>()?)),
            Some(change) => Ok(Self::One(read(change)?)),
            None => Err(ParseError::expected_input()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_a_shape_for_each_action() {
        let mut registry = Registry::new();
        RequestedChangeBody::register(&mut registry);
        let MetaSchemaRef::Reference(name) = RequestedChangeBody::schema_ref() else { panic!("a component") };
        let mut actions = Vec::new();
        for branch in &registry.schemas[&name].one_of {
            let MetaSchemaRef::Reference(branch) = branch else { panic!("a component") };
            for (property, schema) in &registry.schemas[branch].properties {
                if let (&"action", MetaSchemaRef::Inline(schema)) = (property, schema) {
                    actions.extend(schema.enum_items.iter().filter_map(Value::as_str).map(str::to_owned));
                }
            }
        }
        assert_eq!(actions, Action::NAMES);
    }
}
