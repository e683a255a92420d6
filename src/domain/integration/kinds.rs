//! The types of events that each provider offers to tell of.

use crate::domain::event_kind::EventKind::{self, *};

/// Whether every event of a type belongs to a project.
pub(super) const fn is_always_of_a_project(kind: EventKind) -> bool {
    matches!(
        kind,
        FeatureCreated
            | FeatureDeleted
            | FeatureUpdated
            | FeatureMetadataUpdated
            | FeatureVariantsUpdated
            | FeatureEnvironmentVariantsUpdated
            | FeatureProjectChange
            | FeatureArchived
            | FeatureRevived
            | FeatureTagged
            | FeatureUntagged
            | FeatureStrategyAdd
            | FeatureStrategyUpdate
            | FeatureStrategyRemove
            | FeatureCompleted
            | FeatureUncompleted
            | FeatureStaleOn
            | FeatureStaleOff
            | FeaturePotentiallyStaleOn
            | FeatureEnvironmentEnabled
            | FeatureEnvironmentDisabled
            | FeatureDependencyAdded
            | FeatureDependencyRemoved
            | FeatureDependenciesRemoved
            | StrategyOrderChanged
    )
}

/// What all messengers and monitors offer: what becomes of features.
const FEATURES: [EventKind; 14] = [
    FeatureCreated,
    FeatureUpdated,
    FeatureArchived,
    FeatureRevived,
    FeatureStaleOn,
    FeatureStaleOff,
    FeatureEnvironmentEnabled,
    FeatureEnvironmentDisabled,
    FeatureStrategyRemove,
    FeatureStrategyUpdate,
    FeatureStrategyAdd,
    FeatureMetadataUpdated,
    FeatureProjectChange,
    FeaturePotentiallyStaleOn,
];

/// What becomes of features, and of the variants that all environments share.
pub(super) fn of_messengers() -> Vec<EventKind> {
    FEATURES.into_iter().chain([FeatureVariantsUpdated]).collect()
}

/// What becomes of features, and of their variants in an environment.
pub(super) fn of_monitors() -> Vec<EventKind> {
    FEATURES.into_iter().chain([FeatureEnvironmentVariantsUpdated]).collect()
}

/// What a workspace wants to know: nearly everything that people change.
pub(super) fn of_workspaces() -> Vec<EventKind> {
    let others = [
        FeatureDeleted,
        FeatureTagged,
        FeatureUntagged,
        FeatureEnvironmentVariantsUpdated,
        AddonConfigCreated,
        AddonConfigUpdated,
        AddonConfigDeleted,
        ApiTokenCreated,
        ApiTokenDeleted,
        ChangeAdded,
        ChangeDiscarded,
        ChangeEdited,
        ChangeRequestCreated,
        ChangeRequestDiscarded,
        ChangeRequestRejected,
        ChangeRequestApproved,
        ChangeRequestApprovalAdded,
        ChangeRequestCancelled,
        ChangeRequestSentToReview,
        ChangeRequestScheduleSuspended,
        ChangeRequestApplied,
        ChangeRequestScheduled,
        ChangeRequestScheduledApplicationSuccess,
        ChangeRequestScheduledApplicationFailure,
        ContextFieldCreated,
        ContextFieldUpdated,
        ContextFieldDeleted,
        GroupCreated,
        GroupUpdated,
        GroupDeleted,
        BannerCreated,
        BannerUpdated,
        BannerDeleted,
        ProjectCreated,
        ProjectDeleted,
        SegmentCreated,
        SegmentUpdated,
        SegmentDeleted,
        ServiceAccountCreated,
        ServiceAccountUpdated,
        ServiceAccountDeleted,
        UserCreated,
        UserUpdated,
        UserDeleted,
    ];
    FEATURES.into_iter().filter(|kind| *kind != FeatureUpdated).chain(others).collect()
}
