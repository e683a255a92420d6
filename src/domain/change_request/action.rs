//! Actions: what a change does to its target, as values, in the published JSON.

use flagstone_wire::{Nullable, Number};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;
use uuid::Uuid;

use super::judge::ActionRefusal;
use crate::{
    constraint::Constraint, feature::Dependency, strategy::FeatureStrategy, strategy_id::StrategyId,
    variant::FeatureVariant,
};

/// Effect of a change on its target.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// Switches the feature on or off.
    UpdateEnabled(Switch),
    /// Adds a strategy.
    AddStrategy(FeatureStrategy),
    /// Replaces a strategy.
    UpdateStrategy(StrategyUpdate),
    /// Removes a strategy.
    DeleteStrategy(DeletedStrategy),
    /// Gives strategies their positions.
    ReorderStrategy(Vec<StrategyPosition>),
    /// Replaces the variants of the feature.
    PatchVariant(VariantList),
    /// Archives the feature.
    ArchiveFeature,
    /// Lets the feature depend on another.
    AddDependency(Dependency),
    /// Removes all dependencies of the feature on others.
    DeleteDependency,
    /// Replaces a segment.
    UpdateSegment(SegmentUpdate),
    /// Deletes a segment.
    DeleteSegment(DeletedSegment),
    /// A stored action that this version cannot read, as after a return to it from a later one. It is never made.
    Unreadable(UnreadableAction),
}

/// An action as it is stored.
#[derive(Debug, Clone, PartialEq)]
pub struct UnreadableAction {
    /// Name of the action.
    pub name: String,
    /// Its payload.
    pub payload: Option<Value>,
}

/// Payload of `updateEnabled`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Switch {
    /// Whether the feature is to be on.
    pub enabled: bool,
    /// Whether disabled strategies shall be enabled, where all are; otherwise the default strategy is added.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub should_activate_disabled_strategies: Option<bool>,
}

/// Payload of `updateStrategy`.
#[derive(Debug, Clone, PartialEq)]
pub struct StrategyUpdate {
    /// Id of the strategy.
    pub id: Uuid,
    /// The whole strategy, without its id.
    pub strategy: FeatureStrategy,
}

/// Payload of `deleteStrategy`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DeletedStrategy {
    /// Id of the strategy.
    pub id: Uuid,
    /// Name of its type, for readers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its title, for readers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<Nullable<String>>,
    /// Whether it is left out of evaluation, for readers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disabled: Option<Nullable<bool>>,
}

/// Position of a strategy, in the payload of `reorderStrategy`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StrategyPosition {
    /// Id of the strategy.
    pub id: Uuid,
    /// Its position, lowest first.
    pub sort_order: Number,
}

/// Payload of `patchVariant`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct VariantList {
    /// All variants of the feature.
    pub variants: Vec<FeatureVariant>,
}

/// Payload of `updateSegment`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SegmentUpdate {
    /// Id of the segment.
    pub id: i64,
    /// Unique name.
    pub name: String,
    /// Description of the segment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<Nullable<String>>,
    /// The only project that may use it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<Nullable<String>>,
    /// Conditions that must all hold.
    pub constraints: Vec<Constraint>,
}

/// Payload of `deleteSegment`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeletedSegment {
    /// Id of the segment.
    pub id: i64,
}

impl Action {
    /// Name of the action that replaces variants.
    pub const PATCH_VARIANT: &'static str = "patchVariant";
    /// Names of all actions.
    pub const NAMES: [&'static str; 11] = [
        "updateEnabled",
        "addStrategy",
        "updateStrategy",
        "deleteStrategy",
        "reorderStrategy",
        Self::PATCH_VARIANT,
        "archiveFeature",
        "addDependency",
        "deleteDependency",
        "updateSegment",
        "deleteSegment",
    ];

    /// The name on the wire and in the store.
    pub fn name(&self) -> &str {
        match self {
            Self::UpdateEnabled(_) => "updateEnabled",
            Self::AddStrategy(_) => "addStrategy",
            Self::UpdateStrategy(_) => "updateStrategy",
            Self::DeleteStrategy(_) => "deleteStrategy",
            Self::ReorderStrategy(_) => "reorderStrategy",
            Self::PatchVariant(_) => Self::PATCH_VARIANT,
            Self::ArchiveFeature => "archiveFeature",
            Self::AddDependency(_) => "addDependency",
            Self::DeleteDependency => "deleteDependency",
            Self::UpdateSegment(_) => "updateSegment",
            Self::DeleteSegment(_) => "deleteSegment",
            Self::Unreadable(action) => &action.name,
        }
    }

    /// Reads an action from its name and its payload. The snapshot that stands in a payload which was read before is
    /// left out.
    pub fn read(name: &str, payload: Option<Value>) -> Result<Self, ActionRefusal> {
        match name {
            "updateEnabled" => of(name, payload).map(Self::UpdateEnabled),
            "addStrategy" => of(name, payload).map(|strategy| Self::AddStrategy(without_place(strategy))),
            "updateStrategy" => {
                let strategy: FeatureStrategy = of(name, payload)?;
                let StrategyId(id) = strategy.id.ok_or_else(|| ActionRefusal::invalid("/payload/id", "is missing"))?;
                Ok(Self::UpdateStrategy(StrategyUpdate { id, strategy: without_place(strategy) }))
            }
            "deleteStrategy" => of(name, payload).map(Self::DeleteStrategy),
            "reorderStrategy" => of(name, payload).map(Self::ReorderStrategy),
            Self::PATCH_VARIANT => of(name, payload).map(Self::PatchVariant),
            "archiveFeature" => Ok(Self::ArchiveFeature),
            "addDependency" => of(name, payload).map(Self::AddDependency),
            "deleteDependency" => Ok(Self::DeleteDependency),
            "updateSegment" => of(name, payload).map(Self::UpdateSegment),
            "deleteSegment" => of(name, payload).map(Self::DeleteSegment),
            _ => Err(ActionRefusal::invalid("/action", format!("must be one of {}", Self::NAMES.join(", ")))),
        }
    }

    /// Reads the stored action of a change of a feature, or else of a segment. What cannot be read stays as it is
    /// stored, so that the digest of its change request is still that of what was approved.
    pub fn of_stored(name: String, payload: Option<&str>, is_of_feature: bool) -> Self {
        let parsed = || payload.map(serde_json::from_str).transpose();
        let read = parsed().ok().and_then(|payload| Self::read(&name, payload).ok());
        read.filter(|action| action.segment().is_none() == is_of_feature).unwrap_or_else(|| {
            let payload = parsed().unwrap_or_else(|_| payload.map(Value::from));
            Self::Unreadable(UnreadableAction { name, payload })
        })
    }

    /// Whether this version cannot read it.
    pub const fn is_unreadable(&self) -> bool {
        matches!(self, Self::Unreadable(_))
    }

    /// The payload; `None` for actions without one.
    pub fn payload(&self) -> Option<Value> {
        match self {
            Self::UpdateEnabled(switch) => Some(written(switch)),
            Self::AddStrategy(strategy) => Some(written(strategy)),
            Self::UpdateStrategy(StrategyUpdate { id, strategy }) => {
                Some(written(&FeatureStrategy { id: Some(StrategyId(*id)), ..strategy.clone() }))
            }
            Self::DeleteStrategy(deleted) => Some(written(deleted)),
            Self::ReorderStrategy(positions) => Some(written(positions)),
            Self::PatchVariant(list) => Some(written(list)),
            Self::ArchiveFeature | Self::DeleteDependency => None,
            Self::AddDependency(dependency) => Some(written(dependency)),
            Self::UpdateSegment(update) => Some(written(update)),
            Self::DeleteSegment(deleted) => Some(written(deleted)),
            Self::Unreadable(action) => action.payload.clone(),
        }
    }

    /// Id of the segment that it changes, if it is one of a segment.
    pub const fn segment(&self) -> Option<i64> {
        match self {
            Self::UpdateSegment(update) => Some(update.id),
            Self::DeleteSegment(deleted) => Some(deleted.id),
            _ => None,
        }
    }

    /// Ids of the strategies that it changes, each of which must exist.
    pub fn strategies(&self) -> Vec<Uuid> {
        match self {
            Self::UpdateStrategy(update) => vec![update.id],
            Self::DeleteStrategy(deleted) => vec![deleted.id],
            Self::ReorderStrategy(positions) => positions.iter().map(|position| position.id).collect(),
            _ => Vec::new(),
        }
    }

    /// The strategy that it adds or that another becomes.
    pub const fn proposed_strategy(&self) -> Option<&FeatureStrategy> {
        match self {
            Self::AddStrategy(strategy) => Some(strategy),
            Self::UpdateStrategy(update) => Some(&update.strategy),
            _ => None,
        }
    }

    /// Ids of the segments that the strategy which it proposes applies.
    pub fn applied_segments(&self) -> Vec<i64> {
        let segments = self.proposed_strategy().and_then(|strategy| strategy.segments.as_ref());
        segments.into_iter().flatten().filter_map(|id| id.whole()).collect()
    }

    /// Whether it takes effect in every environment of the project.
    pub const fn reaches_every_environment(&self) -> bool {
        matches!(
            self,
            Self::ArchiveFeature
                | Self::AddDependency(_)
                | Self::DeleteDependency
                | Self::UpdateSegment(_)
                | Self::DeleteSegment(_)
        )
    }
}

fn of<T: DeserializeOwned>(action: &str, payload: Option<Value>) -> Result<T, ActionRefusal> {
    serde_json::from_value(payload.unwrap_or_default())
        .map_err(|error| ActionRefusal::invalid("/payload", format!("does not fit the action {action}: {error}")))
}

/// A strategy without what says where it stands, which the change says.
fn without_place(strategy: FeatureStrategy) -> FeatureStrategy {
    FeatureStrategy { id: None, feature_name: None, ..strategy }
}

fn written<T: Serialize>(payload: &T) -> Value {
    serde_json::to_value(payload).expect("payloads have string keys and finite numbers")
}

#[cfg(test)]
pub(super) mod tests {
    use serde_json::json;

    use super::*;

    pub(in super::super) const STRATEGY: &str = "0190163d-8694-739b-aea5-966c26f8ad91";

    /// Each action with the payload that is sent for it.
    pub(in super::super) fn samples() -> Vec<(&'static str, Option<Value>)> {
        let variant = json!({ "name": "blue", "weight": 1000, "weightType": "variable", "stickiness": "default" });
        let constraint = json!({ "contextName": "userId", "operator": "IN", "values": ["7"] });
        let strategy = |id: Option<&str>| {
            let mut strategy = json!({
                "name": "flexibleRollout", "disabled": false, "sortOrder": 2, "segments": [7],
                "constraints": [constraint], "variants": [variant],
                "parameters": { "groupId": "cart", "rollout": "50", "stickiness": "default" },
            });
            if let Some(id) = id {
                strategy["id"] = id.into();
            }
            Some(strategy)
        };
        vec![
            ("updateEnabled", Some(json!({ "enabled": true, "shouldActivateDisabledStrategies": false }))),
            ("addStrategy", strategy(None)),
            ("updateStrategy", strategy(Some(STRATEGY))),
            ("deleteStrategy", Some(json!({ "id": STRATEGY, "name": "default", "disabled": true }))),
            ("reorderStrategy", Some(json!([{ "id": STRATEGY, "sortOrder": 1 }]))),
            ("patchVariant", Some(json!({ "variants": [variant] }))),
            ("archiveFeature", None),
            ("addDependency", Some(json!({ "feature": "parent", "enabled": true, "variants": ["blue"] }))),
            ("deleteDependency", None),
            (
                "updateSegment",
                Some(json!({
                    "id": 7, "name": "Staff", "project": "shop", "constraints": [constraint],
                })),
            ),
            ("deleteSegment", Some(json!({ "id": 7 }))),
        ]
    }

    pub(in super::super) fn sample(name: &str) -> Action {
        let (_, payload) = samples().into_iter().find(|(sample, _)| *sample == name).expect("a sample");
        Action::read(name, payload).expect("an action")
    }

    #[test]
    fn every_action_is_written_as_it_was_read() {
        let samples = samples();
        assert_eq!(samples.iter().map(|(name, _)| *name).collect::<Vec<_>>(), Action::NAMES);
        for (name, payload) in samples {
            let action = Action::read(name, payload.clone()).unwrap_or_else(|error| panic!("{name}: {error:?}"));
            let by_key = |payload: Option<Value>| payload.map(|payload| super::super::digest::canonical(&payload));
            assert_eq!((action.name(), by_key(action.payload())), (name, by_key(payload)), "{name}");
        }
    }

    #[test]
    fn what_a_payload_says_of_its_place_and_its_past_is_left_out() {
        let (_, payload) = samples().swap_remove(2);
        let mut shown = payload.clone().expect("a payload");
        shown["snapshot"] = shown.clone();
        shown["featureName"] = "cart".into();
        assert_eq!(Action::read("updateStrategy", Some(shown)), Action::read("updateStrategy", payload));
    }

    #[test]
    fn what_does_not_fit_is_refused_with_its_place() {
        for (name, payload, pointer) in [
            ("rename", None, "/action"),
            ("", None, "/action"),
            ("updateEnabled", None, "/payload"),
            ("updateEnabled", Some(json!({ "enabled": "yes" })), "/payload"),
            ("addStrategy", Some(json!({ "title": "no type" })), "/payload"),
            ("updateStrategy", Some(json!({ "name": "default" })), "/payload/id"),
            ("updateStrategy", Some(json!({ "name": "default", "id": "7" })), "/payload"),
            ("deleteStrategy", Some(json!({})), "/payload"),
            ("reorderStrategy", Some(json!({ "id": STRATEGY, "sortOrder": 1 })), "/payload"),
            ("patchVariant", Some(json!([])), "/payload"),
            ("addDependency", Some(json!({ "enabled": true })), "/payload"),
            ("updateSegment", Some(json!({ "name": "Staff", "constraints": [] })), "/payload"),
            ("deleteSegment", Some(json!({ "id": "7" })), "/payload"),
        ] {
            match Action::read(name, payload) {
                Err(ActionRefusal::Invalid { pointer: found, .. }) => assert_eq!(found, pointer, "{name}"),
                other => panic!("{name}: {other:?}"),
            }
        }
    }

    #[test]
    fn what_cannot_be_read_stays_as_it_is_stored() {
        for (name, payload) in samples() {
            let stored = payload.as_ref().map(Value::to_string);
            let is_of_feature = !name.ends_with("Segment");
            let read = Action::read(name, payload.clone()).expect("an action");
            assert_eq!(Action::of_stored(name.to_owned(), stored.as_deref(), is_of_feature), read);
            assert!(Action::of_stored(name.to_owned(), stored.as_deref(), !is_of_feature).is_unreadable(), "{name}");
        }
        for (name, stored, payload) in [
            ("renameFeature", Some(r#"{"name":"basket"}"#), Some(json!({ "name": "basket" }))),
            ("renameFeature", None, None),
            ("updateEnabled", Some(r#"{"enabled":"yes"}"#), Some(json!({ "enabled": "yes" }))),
            ("updateEnabled", Some("{"), Some(json!("{"))),
        ] {
            let action = Action::of_stored(name.to_owned(), stored, true);
            assert_eq!((action.is_unreadable(), action.name(), action.payload()), (true, name, payload));
        }
    }

    #[test]
    fn an_action_names_what_it_touches() {
        let id = Uuid::parse_str(STRATEGY).expect("an id");
        for name in Action::NAMES {
            let action = sample(name);
            let strategies = match name {
                "updateStrategy" | "deleteStrategy" | "reorderStrategy" => vec![id],
                _ => Vec::new(),
            };
            assert_eq!(action.strategies(), strategies, "{name}");
            assert_eq!(action.segment(), name.ends_with("Segment").then_some(7), "{name}");
            let applied: &[i64] = if matches!(name, "addStrategy" | "updateStrategy") { &[7] } else { &[] };
            assert_eq!(action.applied_segments(), applied, "{name}");
        }
    }
}
