//! Changes as they are shown: one shape for each action.

use poem_openapi::{Object, Union};
use serde::Serialize;
use serde_json::Value;

use super::{
    body::PersonBody,
    names::{
        AddDependencyName, AddStrategyName, ArchiveFeatureName, DeleteDependencyName, DeleteSegmentName,
        DeleteStrategyName, PatchVariantName, ReorderStrategyName, UpdateEnabledName, UpdateSegmentName,
        UpdateStrategyName,
    },
    payloads::SwitchPayload,
    recorded::{
        RecordedSegmentRemoval, RecordedSegmentUpdate, RecordedStrategyRemoval, RecordedStrategyUpdate,
        RecordedVariants,
    },
};
use crate::{
    api::strategies::change::StrategyPositionBody,
    domain::{
        change_request::{Change, Target, action::Action},
        feature::Dependency,
        strategy::FeatureStrategy,
        time::Timestamp,
    },
    wire::RawJsonOf,
};

/// A change request that a change collides with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
#[oai(rename = "ChangeRequestReference")]
pub struct ReferenceBody {
    /// Id of the change request.
    pub id: i64,
    /// Its title.
    pub title: String,
}

/// Scheduled change requests that a change collides with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
#[oai(rename = "CollidingChangeRequests", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct ScheduleConflictsBody {
    /// The change requests, by id.
    pub change_requests: Vec<ReferenceBody>,
}

/// A change that this version of the server cannot read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
#[oai(rename = "UnreadableChange", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct UnreadableChangeBody {
    /// Id of the change.
    pub id: i64,
    /// Kind of the change.
    pub action: String,
    /// Name of the feature. Absent for changes of segments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub feature: Option<String>,
    /// User who requested it.
    pub created_by: PersonBody,
    /// When it was requested.
    pub created_at: Timestamp,
}

impl From<&Change> for UnreadableChangeBody {
    fn from(change: &Change) -> Self {
        Self {
            id: change.id,
            action: change.action.name().to_owned(),
            feature: change.target.feature().map(str::to_owned),
            created_by: PersonBody::from(&change.created_by),
            created_at: change.created_at,
        }
    }
}

/// Facts about a change that its action does not decide.
#[derive(Debug, Clone, Default)]
pub struct Findings {
    /// Why it cannot be applied.
    pub conflict: Option<String>,
    /// Scheduled change requests that it collides with.
    pub collisions: Vec<ReferenceBody>,
    /// Present name of the segment that it is about.
    pub segment: Option<String>,
}

/// Declares changes of features as they are shown, and the union of them.
macro_rules! shown_changes {
    (
        $(#[$union_doc:meta])* $union:ident = $union_schema:literal;
        $($(#[$doc:meta])* $variant:ident: $shown:ident = $schema:literal, $name:ident $(, payload $payload:ty)?
            $(, segment $segment:ident)?;)*
    ) => {
        $(
            $(#[$doc])*
            #[derive(Debug, Clone, Serialize, Object)]
            #[oai(rename = $schema, rename_all = "camelCase", skip_serializing_if_is_none)]
            #[serde(rename_all = "camelCase")]
            pub struct $shown {
                /// Id of the change.
                pub id: i64,
                /// Kind of the change.
                pub action: $name,
                $(
                    /// The change itself.
                    pub payload: RawJsonOf<$payload>,
                )?
                $(
                    /// Present name of the segment; empty when it is gone.
                    pub $segment: String,
                )?
                /// Reason why it cannot be applied as things are, without a final stop. Absent when it can.
                #[serde(skip_serializing_if = "Option::is_none")]
                pub conflict: Option<String>,
                /// User who requested it.
                pub created_by: PersonBody,
                /// When it was requested.
                pub created_at: Timestamp,
                /// Scheduled change requests that it collides with. Absent when there are none.
                #[serde(skip_serializing_if = "Option::is_none")]
                pub schedule_conflicts: Option<ScheduleConflictsBody>,
            }
        )*

        $(#[$union_doc])*
        #[derive(Debug, Clone, Serialize, Union)]
        #[oai(one_of, rename = $union_schema)]
        #[serde(untagged)]
        pub enum $union {
            $(
                $(#[$doc])*
                $variant($shown),
            )*
        }

        impl $union {
            /// The change with what was found about it; `None` for one of another target.
            pub fn of(change: &Change, findings: Findings) -> Option<Self> {
                match &change.action {
                    $(
                        shown_changes!(@pattern $variant) => Some(Self::$variant($shown {
                            id: change.id,
                            action: $name,
                            $(payload: RawJsonOf::<$payload>::like(&payload_of(change)),)?
                            $($segment: findings.segment.unwrap_or_default(),)?
                            conflict: findings.conflict,
                            created_by: PersonBody::from(&change.created_by),
                            created_at: change.created_at,
                            schedule_conflicts: (!findings.collisions.is_empty())
                                .then_some(ScheduleConflictsBody { change_requests: findings.collisions }),
                        })),
                    )*
                    _ => None,
                }
            }
        }
    };
    (@pattern ArchiveFeature) => { Action::ArchiveFeature };
    (@pattern DeleteDependency) => { Action::DeleteDependency };
    (@pattern $variant:ident) => { Action::$variant(_) };
}

shown_changes! {
    /// A change of a feature. Its `action` tells which.
    FeatureChangeBody = "FeatureChange";
    /// Switches the feature on or off.
    UpdateEnabled: RecordedSwitchChange = "RecordedSwitchChange", UpdateEnabledName, payload SwitchPayload;
    /// Adds a strategy.
    AddStrategy: RecordedStrategyAddition = "RecordedStrategyAddition", AddStrategyName, payload FeatureStrategy;
    /// Replaces a strategy.
    UpdateStrategy: RecordedStrategyUpdateChange = "RecordedStrategyUpdate", UpdateStrategyName,
        payload RecordedStrategyUpdate;
    /// Removes a strategy.
    DeleteStrategy: RecordedStrategyRemovalChange = "RecordedStrategyRemoval", DeleteStrategyName,
        payload RecordedStrategyRemoval;
    /// Gives strategies their positions.
    ReorderStrategy: RecordedStrategyReordering = "RecordedStrategyReordering", ReorderStrategyName,
        payload Vec<StrategyPositionBody>;
    /// Replaces the variants.
    PatchVariant: RecordedVariantsChange = "RecordedVariantsChange", PatchVariantName, payload RecordedVariants;
    /// Archives the feature.
    ArchiveFeature: RecordedFeatureArchiving = "RecordedFeatureArchiving", ArchiveFeatureName;
    /// Makes the feature depend on another.
    AddDependency: RecordedDependencyAddition = "RecordedDependencyAddition", AddDependencyName, payload Dependency;
    /// Removes all dependencies of the feature on others.
    DeleteDependency: RecordedDependencyRemoval = "RecordedDependencyRemoval", DeleteDependencyName;
}

shown_changes! {
    /// A change of a segment. Its `action` tells which.
    SegmentChangeBody = "SegmentChange";
    /// Replaces the segment.
    UpdateSegment: RecordedSegmentUpdateChange = "RecordedSegmentUpdate", UpdateSegmentName,
        payload RecordedSegmentUpdate, segment name;
    /// Deletes the segment.
    DeleteSegment: RecordedSegmentRemovalChange = "RecordedSegmentRemoval", DeleteSegmentName,
        payload RecordedSegmentRemoval, segment name;
}

/// The payload with its snapshot, the name of a segment that is deleted, and whether a new parent must be on: consoles take
/// the absence for being off.
fn payload_of(change: &Change) -> Option<Value> {
    let mut payload = change.action.payload()?;
    if let (Value::Object(members), Action::AddDependency(_)) = (&mut payload, &change.action) {
        members.entry("enabled").or_insert(Value::Bool(true));
    }
    if let (Value::Object(members), Some(snapshot)) = (&mut payload, &change.snapshot) {
        if let (Action::DeleteSegment(_), Some(name)) = (&change.action, snapshot.get("name")) {
            members.insert("name".to_owned(), name.clone());
        }
        members.insert("snapshot".to_owned(), shown_snapshot(change, snapshot.clone()));
    }
    Some(payload)
}

/// The snapshot, of a strategy with the name of its feature, as features show their strategies: consoles take a property
/// that is in one and not in the other for an edit of somebody else.
fn shown_snapshot(change: &Change, mut snapshot: Value) -> Value {
    if let (Value::Object(strategy), Target::Feature { name, .. }) = (&mut snapshot, &change.target) {
        strategy.entry("featureName").or_insert_with(|| name.as_str().into());
    }
    snapshot
}
