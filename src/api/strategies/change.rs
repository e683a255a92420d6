//! Bodies that make and change strategies.

use poem_openapi::{Object, types::MaybeUndefined};
use serde_json::Value;

use crate::{
    api::features::json_patch::{blame, patched, read_patched},
    changes::strategies::{Replacement, StrategyEdit},
    domain::{
        constraint::Constraint,
        json_patch::JsonPatchOp,
        strategy::{FeatureStrategy, Parameters, StrategyDefinition},
        variant::StrategyVariant,
    },
    error::Error,
    wire::Nullable,
};

/// A strategy to be added.
#[derive(Debug, Clone, Object)]
#[oai(rename = "CreateFeatureStrategy", rename_all = "camelCase")]
pub struct NewStrategyBody {
    /// Name of the strategy type, such as `flexibleRollout`; the type must exist.
    #[oai(validator(min_length = 1, max_length = 100))]
    pub name: String,
    /// A descriptive title. Absent or `null` means none.
    #[oai(validator(max_length = 10_000))]
    pub title: Option<Nullable<String>>,
    /// Whether the strategy is disabled and ignored in evaluation. Absent or `null` means false.
    pub disabled: Option<Nullable<bool>>,
    /// Position among the strategies of the environment, lowest first. Absent means last: the number of existing
    /// strategies.
    #[oai(validator(minimum(value = "-9007199254740991"), maximum(value = "9007199254740991")))]
    pub sort_order: Option<i64>,
    /// Conditions that must all hold. Absent means none. The operator limits their number and the number of values of
    /// each.
    #[oai(validator(max_items = 10_000))]
    pub constraints: Option<Vec<Constraint>>,
    /// Variants of the strategy. Absent means none. Variable weights are recalculated and need not be right.
    #[oai(validator(max_items = 1000))]
    pub variants: Option<Vec<StrategyVariant>>,
    /// Parameters of the strategy type, each as text. Absent means none; missing parameters of a `flexibleRollout` are
    /// filled in: `rollout` 100, the project's default `stickiness`, and the feature's name as `groupId`. At most 100,
    /// with names of at most 100 characters.
    #[oai(validator(max_length = 100_000))]
    pub parameters: Option<Parameters>,
    /// Ids of the segments that must all match. Absent means none.
    #[oai(validator(max_items = 10_000, minimum(value = "1")))]
    pub segments: Option<Vec<i64>>,
}

impl NewStrategyBody {
    /// Definition of the strategy in the body, at position 0 when it names none.
    pub fn definition(self) -> StrategyDefinition {
        StrategyDefinition {
            name: self.name,
            title: self.title.and_then(Nullable::into_inner),
            disabled: self.disabled.and_then(Nullable::into_inner).unwrap_or_default(),
            sort_order: self.sort_order.unwrap_or_default(),
            parameters: self.parameters.unwrap_or_default(),
            constraints: self.constraints.unwrap_or_default(),
            variants: self.variants.unwrap_or_default(),
            segments: self.segments.unwrap_or_default(),
        }
    }
}

/// Changes of a strategy. Absent properties stay as they are, but absent constraints and variants are cleared.
#[derive(Debug, Clone, Object)]
#[oai(rename = "FeatureStrategyChange", rename_all = "camelCase")]
pub struct StrategyChangeBody {
    /// Name of the strategy type; the type must exist. Absent means as it is.
    #[oai(validator(min_length = 1, max_length = 100))]
    pub name: Option<String>,
    /// A descriptive title; `null` for none. Absent means as it is.
    #[oai(validator(max_length = 10_000))]
    pub title: MaybeUndefined<Nullable<String>>,
    /// Whether the strategy is disabled and ignored in evaluation; `null` means false. Absent means as it is.
    pub disabled: MaybeUndefined<Nullable<bool>>,
    /// Position among the strategies of the environment, lowest first. Absent means as it is.
    #[oai(validator(minimum(value = "-9007199254740991"), maximum(value = "9007199254740991")))]
    pub sort_order: Option<i64>,
    /// Conditions that must all hold. Absent means none.
    #[oai(validator(max_items = 10_000))]
    pub constraints: Option<Vec<Constraint>>,
    /// Variants of the strategy. Absent means none. Variable weights are recalculated and need not be right.
    #[oai(validator(max_items = 1000))]
    pub variants: Option<Vec<StrategyVariant>>,
    /// Parameters of the strategy type, each as text, which replace all existing ones: at most 100, with names of at
    /// most 100 characters. Absent means as they are.
    #[oai(validator(max_length = 100_000))]
    pub parameters: Option<Parameters>,
    /// Ids of the segments that must all match. Absent means as they are.
    #[oai(validator(max_items = 10_000, minimum(value = "1")))]
    pub segments: Option<Vec<i64>>,
}

impl StrategyChangeBody {
    /// Returns the values that replace those of the strategy.
    pub fn replacement(self) -> Replacement {
        Replacement {
            name: self.name,
            title: given(self.title),
            disabled: given(self.disabled).map(Option::unwrap_or_default),
            sort_order: self.sort_order,
            parameters: self.parameters,
            constraints: self.constraints,
            variants: self.variants,
            segments: self.segments,
        }
    }
}

/// The value that was given, `null` included; `None` where there is none.
#[expect(clippy::option_option, reason = "absent, null, and a value")]
fn given<T>(value: MaybeUndefined<Nullable<T>>) -> Option<Option<T>> {
    match value {
        MaybeUndefined::Undefined => None,
        value => Some(value.take().and_then(Nullable::into_inner)),
    }
}

/// The new position of a strategy.
#[derive(Debug, Clone, Object)]
#[oai(rename = "StrategyPosition", rename_all = "camelCase")]
pub struct StrategyPositionBody {
    /// Id of a strategy of the feature in the environment: a UUID.
    #[oai(validator(pattern = "^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$"))]
    pub id: String,
    /// Its position, lowest first.
    #[oai(validator(minimum(value = "-9007199254740991"), maximum(value = "9007199254740991")))]
    pub sort_order: i64,
}

/// JSON Patch of the document of a strategy.
#[derive(Debug)]
pub struct StrategyPatch(pub Vec<JsonPatchOp>);

impl StrategyEdit for &StrategyPatch {
    fn edit(self, stored: &FeatureStrategy, before: &StrategyDefinition) -> Result<Option<StrategyDefinition>, Error> {
        let ops = &self.0;
        let document = serde_json::to_value(stored).map_err(Error::internal)?;
        let outcome = patched(&document, ops)?;
        if outcome == document {
            return Ok(None);
        }
        check_members(&document, &outcome).map_err(|error| blame(ops, error))?;
        whole_change(&outcome, ops, before).map(Some)
    }
}

/// Members of a strategy's document that a patch may read but not change.
const FIXED: [&str; 2] = ["id", "featureName"];
/// All others.
const MEMBERS: [&str; 8] =
    ["name", "title", "disabled", "sortOrder", "segments", "constraints", "variants", "parameters"];

/// Refuses a patch that changes what cannot be changed, or adds what a strategy does not have.
fn check_members(before: &Value, after: &Value) -> Result<(), Error> {
    let Some(members) = after.as_object() else {
        return Err(Error::property("/body", "must be of type object"));
    };
    for name in FIXED {
        if before.get(name) != after.get(name) {
            return Err(Error::property(format!("/body/{name}"), "cannot be changed"));
        }
    }
    match members.keys().find(|name| !MEMBERS.contains(&name.as_str()) && !FIXED.contains(&name.as_str())) {
        Some(name) => Err(Error::property(format!("/body/{name}"), "is none that a strategy has")),
        None => Ok(()),
    }
}

/// A patched document as a change: what it leaves out is taken away, not kept.
fn whole_change(after: &Value, ops: &[JsonPatchOp], before: &StrategyDefinition) -> Result<StrategyDefinition, Error> {
    let body: NewStrategyBody = read_patched(after, ops)?;
    let keeps_place = body.sort_order.is_none();
    let definition = body.definition();
    Ok(if keeps_place { StrategyDefinition { sort_order: before.sort_order, ..definition } } else { definition })
}
