//! The closed list of event types.

use poem_openapi::Enum;
use serde::{
    Deserialize, Serialize,
    de::{self, IntoDeserializer},
};

macro_rules! event_kinds {
    ($($variant:ident = $name:literal,)*) => {
        /// What happened. The list is closed: nothing else is ever stored or published.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Enum, Serialize, Deserialize)]
        #[oai(rename = "EventType")]
        pub enum EventKind {
            $(
                #[doc = concat!("`", $name, "`")]
                #[oai(rename = $name)]
                #[serde(rename = $name)]
                $variant,
            )*
        }

        impl EventKind {
            /// Every type, in the order of the specification.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// Reads a name, as it is written on the wire.
            pub fn parse(name: &str) -> Option<Self> {
                Self::deserialize(name.into_deserializer()).map_err(|_: de::value::Error| ()).ok()
            }

            /// The name on the wire and in the store.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }
        }
    };
}

event_kinds! {
    ApplicationCreated = "application-created",
    FeatureCreated = "feature-created",
    FeatureDeleted = "feature-deleted",
    FeatureUpdated = "feature-updated",
    FeatureMetadataUpdated = "feature-metadata-updated",
    FeatureVariantsUpdated = "feature-variants-updated",
    FeatureEnvironmentVariantsUpdated = "feature-environment-variants-updated",
    FeatureProjectChange = "feature-project-change",
    FeatureArchived = "feature-archived",
    FeatureRevived = "feature-revived",
    FeatureImport = "feature-import",
    FeatureTagged = "feature-tagged",
    FeatureTagImport = "feature-tag-import",
    FeatureStrategyUpdate = "feature-strategy-update",
    FeatureStrategyAdd = "feature-strategy-add",
    FeatureStrategyRemove = "feature-strategy-remove",
    FeatureTypeUpdated = "feature-type-updated",
    FeatureCompleted = "feature-completed",
    FeatureUncompleted = "feature-uncompleted",
    StrategyOrderChanged = "strategy-order-changed",
    DropFeatureTags = "drop-feature-tags",
    FeatureUntagged = "feature-untagged",
    FeatureStaleOn = "feature-stale-on",
    FeatureStaleOff = "feature-stale-off",
    DropFeatures = "drop-features",
    FeatureEnvironmentEnabled = "feature-environment-enabled",
    FeatureEnvironmentDisabled = "feature-environment-disabled",
    StrategyCreated = "strategy-created",
    StrategyDeleted = "strategy-deleted",
    StrategyDeprecated = "strategy-deprecated",
    StrategyReactivated = "strategy-reactivated",
    StrategyUpdated = "strategy-updated",
    StrategyImport = "strategy-import",
    DropStrategies = "drop-strategies",
    ContextFieldCreated = "context-field-created",
    ContextFieldUpdated = "context-field-updated",
    ContextFieldDeleted = "context-field-deleted",
    ProjectAccessAdded = "project-access-added",
    ProjectAccessUserRolesUpdated = "project-access-user-roles-updated",
    ProjectAccessGroupRolesUpdated = "project-access-group-roles-updated",
    ProjectAccessUserRolesDeleted = "project-access-user-roles-deleted",
    ProjectAccessGroupRolesDeleted = "project-access-group-roles-deleted",
    ProjectAccessUpdated = "project-access-updated",
    ProjectCreated = "project-created",
    ProjectUpdated = "project-updated",
    ProjectDeleted = "project-deleted",
    ProjectImport = "project-import",
    ProjectUserAdded = "project-user-added",
    ProjectUserRemoved = "project-user-removed",
    ProjectUserRoleChanged = "project-user-role-changed",
    ProjectGroupRoleChanged = "project-group-role-changed",
    ProjectGroupAdded = "project-group-added",
    ProjectGroupRemoved = "project-group-removed",
    RoleCreated = "role-created",
    RoleUpdated = "role-updated",
    RoleDeleted = "role-deleted",
    DropProjects = "drop-projects",
    TagCreated = "tag-created",
    TagDeleted = "tag-deleted",
    TagImport = "tag-import",
    DropTags = "drop-tags",
    TagTypeCreated = "tag-type-created",
    TagTypeDeleted = "tag-type-deleted",
    TagTypeUpdated = "tag-type-updated",
    TagTypeImport = "tag-type-import",
    DropTagTypes = "drop-tag-types",
    AddonConfigCreated = "addon-config-created",
    AddonConfigUpdated = "addon-config-updated",
    AddonConfigDeleted = "addon-config-deleted",
    DbPoolUpdate = "db-pool-update",
    UserCreated = "user-created",
    UserUpdated = "user-updated",
    UserDeleted = "user-deleted",
    DropEnvironments = "drop-environments",
    EnvironmentImport = "environment-import",
    EnvironmentCreated = "environment-created",
    EnvironmentUpdated = "environment-updated",
    EnvironmentDeleted = "environment-deleted",
    SegmentCreated = "segment-created",
    SegmentUpdated = "segment-updated",
    SegmentDeleted = "segment-deleted",
    GroupCreated = "group-created",
    GroupUpdated = "group-updated",
    GroupDeleted = "group-deleted",
    GroupUserAdded = "group-user-added",
    GroupUserRemoved = "group-user-removed",
    SettingCreated = "setting-created",
    SettingUpdated = "setting-updated",
    SettingDeleted = "setting-deleted",
    ClientMetrics = "client-metrics",
    ClientRegister = "client-register",
    PatCreated = "pat-created",
    PatDeleted = "pat-deleted",
    PublicSignupTokenCreated = "public-signup-token-created",
    PublicSignupTokenUserAdded = "public-signup-token-user-added",
    PublicSignupTokenUpdated = "public-signup-token-updated",
    ChangeRequestCreated = "change-request-created",
    ChangeRequestDiscarded = "change-request-discarded",
    ChangeAdded = "change-added",
    ChangeDiscarded = "change-discarded",
    ChangeEdited = "change-edited",
    ChangeRequestRejected = "change-request-rejected",
    ChangeRequestApproved = "change-request-approved",
    ChangeRequestApprovalAdded = "change-request-approval-added",
    ChangeRequestCancelled = "change-request-cancelled",
    ChangeRequestSentToReview = "change-request-sent-to-review",
    ChangeRequestScheduleSuspended = "change-request-schedule-suspended",
    ChangeRequestApplied = "change-request-applied",
    ChangeRequestScheduled = "change-request-scheduled",
    ChangeRequestScheduledApplicationSuccess = "change-request-scheduled-application-success",
    ChangeRequestScheduledApplicationFailure = "change-request-scheduled-application-failure",
    ChangeRequestConfigurationUpdated = "change-request-configuration-updated",
    ApiTokenCreated = "api-token-created",
    ApiTokenUpdated = "api-token-updated",
    ApiTokenDeleted = "api-token-deleted",
    FeatureFavorited = "feature-favorited",
    FeatureUnfavorited = "feature-unfavorited",
    ProjectFavorited = "project-favorited",
    ProjectUnfavorited = "project-unfavorited",
    FeaturesExported = "features-exported",
    FeaturesImported = "features-imported",
    ServiceAccountCreated = "service-account-created",
    ServiceAccountDeleted = "service-account-deleted",
    ServiceAccountUpdated = "service-account-updated",
    FeaturePotentiallyStaleOn = "feature-potentially-stale-on",
    FeatureDependencyAdded = "feature-dependency-added",
    FeatureDependencyRemoved = "feature-dependency-removed",
    FeatureDependenciesRemoved = "feature-dependencies-removed",
    BannerCreated = "banner-created",
    BannerUpdated = "banner-updated",
    BannerDeleted = "banner-deleted",
    ProjectEnvironmentAdded = "project-environment-added",
    ProjectEnvironmentRemoved = "project-environment-removed",
    DefaultStrategyUpdated = "default-strategy-updated",
    SegmentImport = "segment-import",
    SignalEndpointCreated = "signal-endpoint-created",
    SignalEndpointUpdated = "signal-endpoint-updated",
    SignalEndpointDeleted = "signal-endpoint-deleted",
    SignalEndpointTokenCreated = "signal-endpoint-token-created",
    SignalEndpointTokenUpdated = "signal-endpoint-token-updated",
    SignalEndpointTokenDeleted = "signal-endpoint-token-deleted",
    ActionsCreated = "actions-created",
    ActionsUpdated = "actions-updated",
    ActionsDeleted = "actions-deleted",
}

#[cfg(test)]
mod tests {
    use poem_openapi::types::ToJSON;

    use super::*;

    #[test]
    fn the_list_has_the_specified_length_and_one_spelling_everywhere() {
        assert_eq!(EventKind::ALL.len(), 144);
        for kind in EventKind::ALL {
            assert_eq!(kind.to_json(), Some(kind.as_str().into()));
            assert_eq!(serde_json::to_value(kind).expect("serialises"), kind.as_str());
            assert_eq!(EventKind::parse(kind.as_str()), Some(*kind));
        }
    }
}
