//! The closed list of event types.

use poem_openapi::Enum;
use serde::{
    Deserialize, Serialize,
    de::{self, IntoDeserializer},
};

/// Part of the answers to programs that may differ after a change. In doubt the greater part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Concern {
    /// Nothing.
    Nothing,
    /// The feature that the event names, or any where it names none.
    Feature,
    /// Any of the features that they read.
    Features,
    /// Segments, which are read again with whatever features are.
    Segments,
    /// The set of tokens, or what they reach.
    Tokens,
    /// Tokens, and any of the features.
    FeaturesAndTokens,
    /// CORS settings of the frontend API.
    Settings,
}

/// Parts of the answers to programs that may differ after several changes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Concerns {
    /// Features or segments.
    pub features: bool,
    /// Tokens.
    pub tokens: bool,
    /// Settings.
    pub settings: bool,
}

impl Concerns {
    /// Everything.
    pub const ALL: Self = Self { features: true, tokens: true, settings: true };

    /// Adds what a change concerns.
    pub const fn add(&mut self, concern: Concern) {
        match concern {
            Concern::Nothing => {}
            Concern::Feature | Concern::Features | Concern::Segments => self.features = true,
            Concern::Tokens => self.tokens = true,
            Concern::FeaturesAndTokens => {
                self.features = true;
                self.tokens = true;
            }
            Concern::Settings => self.settings = true,
        }
    }

    /// Returns the parts that either concerns.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self {
            features: self.features || other.features,
            tokens: self.tokens || other.tokens,
            settings: self.settings || other.settings,
        }
    }
}

macro_rules! event_kinds {
    ($($variant:ident = $name:literal => $concern:ident,)*) => {
        /// Type of an event. The list is closed: no other type is ever stored or published.
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

            /// Returns the part of the answers to programs that a change of this kind may change.
            pub const fn concern(self) -> Concern {
                match self {
                    $(Self::$variant => Concern::$concern,)*
                }
            }
        }
    };
}

impl EventKind {
    /// Types of events of this server that are not in the list, each with the type that it is shown with.
    pub const LABELS: [(&'static str, Self); 15] = [
        ("change-request-comment-added", Self::ChangeEdited),
        ("change-request-moved-in", Self::ChangeRequestCreated),
        ("change-request-requested-approvers-updated", Self::ChangeEdited),
        ("change-request-title-updated", Self::ChangeEdited),
        ("feature-link-added", Self::FeatureUpdated),
        ("feature-link-updated", Self::FeatureUpdated),
        ("feature-link-removed", Self::FeatureUpdated),
        ("freeze-window-created", Self::SettingUpdated),
        ("freeze-window-deleted", Self::SettingUpdated),
        ("freeze-window-updated", Self::SettingUpdated),
        ("scim-users-deleted", Self::SettingUpdated),
        ("scim-groups-deleted", Self::SettingUpdated),
        ("user-access-request-approved", Self::SettingUpdated),
        ("user-access-request-registered", Self::SettingUpdated),
        ("user-access-request-rejected", Self::SettingUpdated),
    ];

    /// The type of an event of this server by the name that it is stored under. `None` for a type of another server.
    pub fn of_own(name: &str) -> Option<Self> {
        Self::parse(name).or_else(|| Self::labelled(name))
    }

    /// The type with which an event of one of [`EventKind::LABELS`] is shown.
    pub fn labelled(name: &str) -> Option<Self> {
        Self::LABELS.into_iter().find(|(label, _)| *label == name).map(|(_, kind)| kind)
    }

    /// The type of a stored event, and the name that it is stored under where that is not in the list, as those of
    /// [`EventKind::LABELS`] and of other servers are: then the type is that of the label, or a change of what the event
    /// concerns.
    pub fn of_stored(name: String, concerns_feature: bool, concerns_project: bool) -> (Self, Option<String>) {
        if let Some(kind) = Self::labelled(&name) {
            return (kind, Some(name));
        }
        match (Self::parse(&name), concerns_feature, concerns_project) {
            (Some(kind), _, _) => (kind, None),
            (None, true, _) => (Self::FeatureUpdated, Some(name)),
            (None, false, true) => (Self::ProjectUpdated, Some(name)),
            (None, false, false) => (Self::SettingUpdated, Some(name)),
        }
    }
}

event_kinds! {
    ApplicationCreated = "application-created" => Nothing,
    FeatureCreated = "feature-created" => Feature,
    FeatureDeleted = "feature-deleted" => Feature,
    FeatureUpdated = "feature-updated" => Feature,
    FeatureMetadataUpdated = "feature-metadata-updated" => Feature,
    FeatureVariantsUpdated = "feature-variants-updated" => Feature,
    FeatureEnvironmentVariantsUpdated = "feature-environment-variants-updated" => Feature,
    FeatureProjectChange = "feature-project-change" => Feature,
    FeatureArchived = "feature-archived" => Feature,
    FeatureRevived = "feature-revived" => Feature,
    FeatureImport = "feature-import" => Feature,
    FeatureTagged = "feature-tagged" => Feature,
    FeatureTagImport = "feature-tag-import" => Feature,
    FeatureStrategyUpdate = "feature-strategy-update" => Feature,
    FeatureStrategyAdd = "feature-strategy-add" => Feature,
    FeatureStrategyRemove = "feature-strategy-remove" => Feature,
    FeatureTypeUpdated = "feature-type-updated" => Nothing,
    FeatureCompleted = "feature-completed" => Nothing,
    FeatureUncompleted = "feature-uncompleted" => Nothing,
    StrategyOrderChanged = "strategy-order-changed" => Features,
    DropFeatureTags = "drop-feature-tags" => Features,
    FeatureUntagged = "feature-untagged" => Feature,
    FeatureStaleOn = "feature-stale-on" => Feature,
    FeatureStaleOff = "feature-stale-off" => Feature,
    DropFeatures = "drop-features" => Features,
    FeatureEnvironmentEnabled = "feature-environment-enabled" => Feature,
    FeatureEnvironmentDisabled = "feature-environment-disabled" => Feature,
    StrategyCreated = "strategy-created" => Features,
    StrategyDeleted = "strategy-deleted" => Features,
    StrategyDeprecated = "strategy-deprecated" => Features,
    StrategyReactivated = "strategy-reactivated" => Features,
    StrategyUpdated = "strategy-updated" => Features,
    StrategyImport = "strategy-import" => Features,
    DropStrategies = "drop-strategies" => Features,
    ContextFieldCreated = "context-field-created" => Nothing,
    ContextFieldUpdated = "context-field-updated" => Nothing,
    ContextFieldDeleted = "context-field-deleted" => Nothing,
    ProjectAccessAdded = "project-access-added" => Tokens,
    ProjectAccessUserRolesUpdated = "project-access-user-roles-updated" => Tokens,
    ProjectAccessGroupRolesUpdated = "project-access-group-roles-updated" => Tokens,
    ProjectAccessUserRolesDeleted = "project-access-user-roles-deleted" => Tokens,
    ProjectAccessGroupRolesDeleted = "project-access-group-roles-deleted" => Tokens,
    ProjectAccessUpdated = "project-access-updated" => Tokens,
    ProjectCreated = "project-created" => FeaturesAndTokens,
    ProjectUpdated = "project-updated" => FeaturesAndTokens,
    ProjectDeleted = "project-deleted" => FeaturesAndTokens,
    ProjectImport = "project-import" => FeaturesAndTokens,
    ProjectUserAdded = "project-user-added" => Tokens,
    ProjectUserRemoved = "project-user-removed" => Tokens,
    ProjectUserRoleChanged = "project-user-role-changed" => Tokens,
    ProjectGroupRoleChanged = "project-group-role-changed" => Tokens,
    ProjectGroupAdded = "project-group-added" => Tokens,
    ProjectGroupRemoved = "project-group-removed" => Tokens,
    RoleCreated = "role-created" => Nothing,
    RoleUpdated = "role-updated" => Nothing,
    RoleDeleted = "role-deleted" => Nothing,
    DropProjects = "drop-projects" => Features,
    TagCreated = "tag-created" => Features,
    TagDeleted = "tag-deleted" => Features,
    TagImport = "tag-import" => Features,
    DropTags = "drop-tags" => Features,
    TagTypeCreated = "tag-type-created" => Nothing,
    TagTypeDeleted = "tag-type-deleted" => Features,
    TagTypeUpdated = "tag-type-updated" => Nothing,
    TagTypeImport = "tag-type-import" => Features,
    DropTagTypes = "drop-tag-types" => Features,
    AddonConfigCreated = "addon-config-created" => Nothing,
    AddonConfigUpdated = "addon-config-updated" => Nothing,
    AddonConfigDeleted = "addon-config-deleted" => Nothing,
    DbPoolUpdate = "db-pool-update" => Features,
    UserCreated = "user-created" => Nothing,
    UserUpdated = "user-updated" => Nothing,
    UserDeleted = "user-deleted" => Nothing,
    DropEnvironments = "drop-environments" => Features,
    EnvironmentImport = "environment-import" => FeaturesAndTokens,
    EnvironmentCreated = "environment-created" => FeaturesAndTokens,
    EnvironmentUpdated = "environment-updated" => FeaturesAndTokens,
    EnvironmentDeleted = "environment-deleted" => FeaturesAndTokens,
    SegmentCreated = "segment-created" => Segments,
    SegmentUpdated = "segment-updated" => Segments,
    SegmentDeleted = "segment-deleted" => Segments,
    GroupCreated = "group-created" => Nothing,
    GroupUpdated = "group-updated" => Nothing,
    GroupDeleted = "group-deleted" => Nothing,
    GroupUserAdded = "group-user-added" => Nothing,
    GroupUserRemoved = "group-user-removed" => Nothing,
    SettingCreated = "setting-created" => Settings,
    SettingUpdated = "setting-updated" => Settings,
    SettingDeleted = "setting-deleted" => Settings,
    ClientMetrics = "client-metrics" => Nothing,
    ClientRegister = "client-register" => Nothing,
    PatCreated = "pat-created" => Nothing,
    PatDeleted = "pat-deleted" => Nothing,
    PublicSignupTokenCreated = "public-signup-token-created" => Nothing,
    PublicSignupTokenUserAdded = "public-signup-token-user-added" => Nothing,
    PublicSignupTokenUpdated = "public-signup-token-updated" => Nothing,
    ChangeRequestCreated = "change-request-created" => Nothing,
    ChangeRequestDiscarded = "change-request-discarded" => Nothing,
    ChangeAdded = "change-added" => Nothing,
    ChangeDiscarded = "change-discarded" => Nothing,
    ChangeEdited = "change-edited" => Nothing,
    ChangeRequestRejected = "change-request-rejected" => Nothing,
    ChangeRequestApproved = "change-request-approved" => Nothing,
    ChangeRequestApprovalAdded = "change-request-approval-added" => Nothing,
    ChangeRequestCancelled = "change-request-cancelled" => Nothing,
    ChangeRequestSentToReview = "change-request-sent-to-review" => Nothing,
    ChangeRequestScheduleSuspended = "change-request-schedule-suspended" => Nothing,
    ChangeRequestApplied = "change-request-applied" => Nothing,
    ChangeRequestScheduled = "change-request-scheduled" => Nothing,
    ChangeRequestScheduledApplicationSuccess = "change-request-scheduled-application-success" => Nothing,
    ChangeRequestScheduledApplicationFailure = "change-request-scheduled-application-failure" => Nothing,
    ChangeRequestConfigurationUpdated = "change-request-configuration-updated" => Nothing,
    ApiTokenCreated = "api-token-created" => Tokens,
    ApiTokenUpdated = "api-token-updated" => Tokens,
    ApiTokenDeleted = "api-token-deleted" => Tokens,
    FeatureFavorited = "feature-favorited" => Nothing,
    FeatureUnfavorited = "feature-unfavorited" => Nothing,
    ProjectFavorited = "project-favorited" => Tokens,
    ProjectUnfavorited = "project-unfavorited" => Tokens,
    FeaturesExported = "features-exported" => Nothing,
    FeaturesImported = "features-imported" => Features,
    ServiceAccountCreated = "service-account-created" => Nothing,
    ServiceAccountDeleted = "service-account-deleted" => Nothing,
    ServiceAccountUpdated = "service-account-updated" => Nothing,
    FeaturePotentiallyStaleOn = "feature-potentially-stale-on" => Nothing,
    FeatureDependencyAdded = "feature-dependency-added" => Feature,
    FeatureDependencyRemoved = "feature-dependency-removed" => Feature,
    FeatureDependenciesRemoved = "feature-dependencies-removed" => Feature,
    BannerCreated = "banner-created" => Nothing,
    BannerUpdated = "banner-updated" => Nothing,
    BannerDeleted = "banner-deleted" => Nothing,
    ProjectEnvironmentAdded = "project-environment-added" => FeaturesAndTokens,
    ProjectEnvironmentRemoved = "project-environment-removed" => FeaturesAndTokens,
    DefaultStrategyUpdated = "default-strategy-updated" => Nothing,
    SegmentImport = "segment-import" => Segments,
    SignalEndpointCreated = "signal-endpoint-created" => Nothing,
    SignalEndpointUpdated = "signal-endpoint-updated" => Nothing,
    SignalEndpointDeleted = "signal-endpoint-deleted" => Nothing,
    SignalEndpointTokenCreated = "signal-endpoint-token-created" => Nothing,
    SignalEndpointTokenUpdated = "signal-endpoint-token-updated" => Nothing,
    SignalEndpointTokenDeleted = "signal-endpoint-token-deleted" => Nothing,
    ActionsCreated = "actions-created" => Nothing,
    ActionsUpdated = "actions-updated" => Nothing,
    ActionsDeleted = "actions-deleted" => Nothing,
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

    #[test]
    fn own_types_beside_the_list_are_shown_as_a_change_of_what_they_concern() {
        for (label, kind) in EventKind::LABELS {
            assert_eq!((EventKind::parse(label), EventKind::of_own(label)), (None, Some(kind)));
            for concerns in [true, false] {
                let shown = EventKind::of_stored(label.to_owned(), concerns, !concerns);
                assert_eq!(shown, (kind, Some(label.to_owned())));
            }
        }
        for (concerns_feature, concerns_project, kind) in [
            (true, true, EventKind::FeatureUpdated),
            (false, true, EventKind::ProjectUpdated),
            (false, false, EventKind::SettingUpdated),
        ] {
            let shown = EventKind::of_stored("melted".to_owned(), concerns_feature, concerns_project);
            assert_eq!(shown, (kind, Some("melted".to_owned())));
        }
        assert_eq!(EventKind::of_own("feature-created"), Some(EventKind::FeatureCreated));
        assert_eq!(EventKind::of_own("melted"), None);
    }

    #[test]
    fn programs_learn_of_features_and_not_of_people() {
        assert_eq!(EventKind::FeaturesImported.concern(), Concern::Features);
        assert_eq!(EventKind::ProjectEnvironmentRemoved.concern(), Concern::FeaturesAndTokens);
        assert_eq!(EventKind::ApiTokenDeleted.concern(), Concern::Tokens);
        assert_eq!(EventKind::SettingCreated.concern(), Concern::Settings);
        for kind in [EventKind::FeatureFavorited, EventKind::ApplicationCreated, EventKind::UserCreated] {
            assert_eq!(kind.concern(), Concern::Nothing);
        }
    }
}
