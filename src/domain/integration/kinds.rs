//! Types of events that each provider offers.

use crate::event_kind::EventKind;

/// Whether every event of a type belongs to a project.
pub(super) const fn is_always_of_a_project(kind: EventKind) -> bool {
    matches!(
        kind,
        EventKind::FeatureCreated
            | EventKind::FeatureDeleted
            | EventKind::FeatureUpdated
            | EventKind::FeatureMetadataUpdated
            | EventKind::FeatureVariantsUpdated
            | EventKind::FeatureEnvironmentVariantsUpdated
            | EventKind::FeatureProjectChange
            | EventKind::FeatureArchived
            | EventKind::FeatureRevived
            | EventKind::FeatureTagged
            | EventKind::FeatureUntagged
            | EventKind::FeatureStrategyAdd
            | EventKind::FeatureStrategyUpdate
            | EventKind::FeatureStrategyRemove
            | EventKind::FeatureCompleted
            | EventKind::FeatureUncompleted
            | EventKind::FeatureStaleOn
            | EventKind::FeatureStaleOff
            | EventKind::FeaturePotentiallyStaleOn
            | EventKind::FeatureEnvironmentEnabled
            | EventKind::FeatureEnvironmentDisabled
            | EventKind::FeatureDependencyAdded
            | EventKind::FeatureDependencyRemoved
            | EventKind::FeatureDependenciesRemoved
            | EventKind::StrategyOrderChanged
    )
}

/// Types that all messengers and monitors offer: those about features.
const FEATURES: [EventKind; 14] = [
    EventKind::FeatureCreated,
    EventKind::FeatureUpdated,
    EventKind::FeatureArchived,
    EventKind::FeatureRevived,
    EventKind::FeatureStaleOn,
    EventKind::FeatureStaleOff,
    EventKind::FeatureEnvironmentEnabled,
    EventKind::FeatureEnvironmentDisabled,
    EventKind::FeatureStrategyRemove,
    EventKind::FeatureStrategyUpdate,
    EventKind::FeatureStrategyAdd,
    EventKind::FeatureMetadataUpdated,
    EventKind::FeatureProjectChange,
    EventKind::FeaturePotentiallyStaleOn,
];

/// Returns the types about features, and about the variants that all environments share.
pub(super) fn of_messengers() -> Vec<EventKind> {
    FEATURES.into_iter().chain([EventKind::FeatureVariantsUpdated]).collect()
}

/// Returns the types about features, and about their variants in an environment.
pub(super) fn of_monitors() -> Vec<EventKind> {
    FEATURES.into_iter().chain([EventKind::FeatureEnvironmentVariantsUpdated]).collect()
}

/// Returns the types for a workspace: nearly everything that people change.
pub(super) fn of_workspaces() -> Vec<EventKind> {
    let others = [
        EventKind::FeatureDeleted,
        EventKind::FeatureTagged,
        EventKind::FeatureUntagged,
        EventKind::FeatureEnvironmentVariantsUpdated,
        EventKind::AddonConfigCreated,
        EventKind::AddonConfigUpdated,
        EventKind::AddonConfigDeleted,
        EventKind::ApiTokenCreated,
        EventKind::ApiTokenDeleted,
        EventKind::ChangeAdded,
        EventKind::ChangeDiscarded,
        EventKind::ChangeEdited,
        EventKind::ChangeRequestCreated,
        EventKind::ChangeRequestDiscarded,
        EventKind::ChangeRequestRejected,
        EventKind::ChangeRequestApproved,
        EventKind::ChangeRequestApprovalAdded,
        EventKind::ChangeRequestCancelled,
        EventKind::ChangeRequestSentToReview,
        EventKind::ChangeRequestScheduleSuspended,
        EventKind::ChangeRequestApplied,
        EventKind::ChangeRequestScheduled,
        EventKind::ChangeRequestScheduledApplicationSuccess,
        EventKind::ChangeRequestScheduledApplicationFailure,
        EventKind::ContextFieldCreated,
        EventKind::ContextFieldUpdated,
        EventKind::ContextFieldDeleted,
        EventKind::GroupCreated,
        EventKind::GroupUpdated,
        EventKind::GroupDeleted,
        EventKind::BannerCreated,
        EventKind::BannerUpdated,
        EventKind::BannerDeleted,
        EventKind::ProjectCreated,
        EventKind::ProjectDeleted,
        EventKind::SegmentCreated,
        EventKind::SegmentUpdated,
        EventKind::SegmentDeleted,
        EventKind::ServiceAccountCreated,
        EventKind::ServiceAccountUpdated,
        EventKind::ServiceAccountDeleted,
        EventKind::UserCreated,
        EventKind::UserUpdated,
        EventKind::UserDeleted,
    ];
    FEATURES.into_iter().filter(|kind| *kind != EventKind::FeatureUpdated).chain(others).collect()
}
