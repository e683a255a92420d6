//! HTTP in, HTTP out. Each file below holds the operations of one resource.

pub mod answer;
pub mod api_tokens;
pub mod applications;
pub mod attempt_limit;
pub mod attempts;
pub mod body;
pub mod caller;
pub mod changes;
pub mod client_address;
pub mod client_caller;
pub mod client_delta;
pub mod client_features;
pub mod client_usage;
pub mod constraints;
pub mod context_fields;
pub mod dashboard;
pub mod dependencies;
pub mod docs;
pub mod document;
pub mod edge;
pub mod environments;
pub mod event_lists;
pub mod events;
pub mod feature_access;
pub mod feature_archive;
pub mod feature_batches;
pub mod feature_change;
pub mod feature_creation;
pub mod feature_details;
pub mod feature_favorites;
pub mod feature_tags;
pub mod feature_types;
pub mod features;
pub mod frontend;
pub mod groups;
pub mod health;
pub mod held;
pub mod http;
pub mod import;
pub mod instance;
pub mod json_patch;
pub mod lifecycle;
pub mod login_settings;
pub mod maintenance;
pub mod me;
pub mod metrics;
pub mod moment;
pub mod notices;
pub mod ofrep;
pub mod parameter;
pub mod password_reset;
pub mod password_settings;
pub mod person;
pub mod personal_tokens;
pub mod playground;
pub mod preference;
pub mod profile;
pub mod project_access;
pub mod project_members;
pub mod project_tokens;
pub mod projects;
pub mod roles;
pub mod root_role_choice;
pub mod search;
pub mod segments;
pub mod session_cookie;
pub mod sign_in;
pub mod signup;
pub mod signup_links;
pub mod state;
pub mod statistics;
pub mod strategies;
pub mod strategy_segments;
pub mod strategy_types;
pub mod switches;
pub mod tag_types;
pub mod tagged;
pub mod tags;
pub mod ui_config;
pub mod user_directory;
pub mod user_passwords;
pub mod user_tokens;
pub mod users;
pub mod variants;
pub mod version;

use poem_openapi::{OpenApi, Tags};

use self::{
    api_tokens::ApiTokensApi, applications::ApplicationsApi, applications::overview::ApplicationOverviewApi,
    applications::usage::FeatureUsageApi, client_delta::ClientDeltaApi, client_features::ClientFeaturesApi,
    client_usage::ClientUsageApi, constraints::ConstraintsApi, context_fields::ContextFieldsApi,
    dashboard::DashboardApi, dependencies::DependenciesApi, edge::EdgeApi, environments::EnvironmentsApi,
    environments::cloning::EnvironmentCloningApi, environments::switching::EnvironmentSwitchesApi,
    event_lists::EventListsApi, events::EventsApi, feature_archive::FeatureArchiveApi,
    feature_batches::FeatureBatchesApi, feature_creation::FeatureCreationApi, feature_details::FeatureDetailsApi,
    feature_favorites::FeatureFavoritesApi, feature_tags::FeatureTagsApi, feature_types::FeatureTypesApi,
    features::FeaturesApi, frontend::FrontendApi, groups::GroupsApi, health::HealthApi, import::ImportApi,
    instance::InstanceApi, lifecycle::LifecycleApi, login_settings::LoginSettingsApi, maintenance::MaintenanceApi,
    me::MeApi, metrics::MetricsApi, notices::NoticesApi, ofrep::OfrepApi, password_reset::PasswordResetApi,
    password_settings::PasswordSettingsApi, personal_tokens::PersonalTokensApi, playground::PlaygroundApi,
    profile::ProfileApi, project_access::ProjectAccessApi, project_members::ProjectMembersApi,
    project_tokens::ProjectTokensApi, projects::ProjectsApi, projects::changes::ProjectChangesApi,
    projects::environments::ProjectEnvironmentsApi, projects::favorites::ProjectFavoritesApi,
    projects::list::ProjectListApi, projects::overview::ProjectOverviewApi, projects::removal::ProjectRemovalApi,
    projects::transfer::FeatureTransferApi, projects::usage::ProjectUsageApi, roles::RolesApi, search::SearchApi,
    segments::SegmentsApi, sign_in::SignInApi, signup::SignupApi, signup_links::SignupLinksApi,
    statistics::StatisticsApi, strategies::StrategiesApi, strategy_segments::StrategySegmentsApi,
    strategy_types::StrategyTypesApi, switches::SwitchesApi, tag_types::TagTypesApi, tags::TagsApi,
    ui_config::UiConfigApi, user_directory::UserDirectoryApi, user_passwords::UserPasswordsApi,
    user_tokens::UserTokensApi, users::UsersApi, variants::VariantsApi,
};

/// The groups that the document sorts operations into.
#[derive(Debug, Clone, Copy, Tags)]
pub enum Tag {
    /// Projects: their settings, health, overview and environments.
    Projects,
    /// Who may work in a project.
    ProjectAccess,
    /// Features: making, changing, archiving and listing them.
    Features,
    /// The strategies of features, and the types that they are of.
    Strategies,
    /// The variants of features.
    Variants,
    /// Features that need other features.
    Dependencies,
    /// The stages that features go through.
    Lifecycle,
    /// What people marked as theirs.
    Favorites,
    /// Tags of features, and their types.
    Tags,
    /// Constraints with a name, shared between strategies.
    Segments,
    /// What is known about whoever asks for a feature.
    ContextFields,
    /// The kinds of features, and how long they are meant to live.
    FeatureTypes,
    /// Where features are on or off.
    Environments,
    /// Searching features and events.
    Search,
    /// The log of everything that changed.
    Events,
    /// Signing in, and the settings of login providers.
    Authentication,
    /// The caller.
    Profile,
    /// The people who use the instance, and how they come to it.
    Users,
    /// People taken together.
    Groups,
    /// What somebody may do.
    Roles,
    /// The secrets of programs.
    ApiTokens,
    /// The secrets that people give to their programs.
    PersonalTokens,
    /// Moving features between instances.
    ImportExport,
    /// Programs that ask for features, and what they report.
    Applications,
    /// Programs in the hands of users, which are told what is on for them.
    Evaluation,
    /// Trying out what somebody would be answered.
    Playground,
    /// The instance as a whole.
    Instance,
    /// Whether the server works.
    Operational,
}

/// Every operation that the document describes, room by room.
pub fn operations() -> impl OpenApi {
    (
        feature_operations(),
        configuration_operations(),
        list_operations(),
        project_operations(),
        people_operations(),
        instance_operations(),
        client_operations(),
    )
}

fn client_operations() -> impl OpenApi {
    (ClientFeaturesApi, ClientDeltaApi, ClientUsageApi, EdgeApi, FrontendApi, OfrepApi)
}

fn feature_operations() -> impl OpenApi {
    (
        FeatureArchiveApi,
        FeatureBatchesApi,
        FeatureCreationApi,
        FeatureDetailsApi,
        FeatureFavoritesApi,
        FeaturesApi,
        ImportApi,
        LifecycleApi,
        SearchApi,
        SwitchesApi,
    )
}

fn configuration_operations() -> impl OpenApi {
    (ConstraintsApi, DependenciesApi, StrategiesApi, StrategySegmentsApi, StrategyTypesApi, VariantsApi)
}

fn list_operations() -> impl OpenApi {
    (ContextFieldsApi, FeatureTagsApi, FeatureTypesApi, SegmentsApi, TagTypesApi, TagsApi)
}

fn project_operations() -> impl OpenApi {
    (
        EnvironmentsApi,
        EnvironmentCloningApi,
        EnvironmentSwitchesApi,
        ProjectAccessApi,
        ProjectMembersApi,
        ProjectTokensApi,
        ProjectsApi,
        ProjectChangesApi,
        ProjectRemovalApi,
        ProjectEnvironmentsApi,
        ProjectFavoritesApi,
        ProjectListApi,
        ProjectOverviewApi,
        FeatureTransferApi,
        ProjectUsageApi,
    )
}

fn people_operations() -> impl OpenApi {
    (
        ApiTokensApi,
        GroupsApi,
        LoginSettingsApi,
        PasswordResetApi,
        PasswordSettingsApi,
        PersonalTokensApi,
        ProfileApi,
        RolesApi,
        SignInApi,
        SignupApi,
        SignupLinksApi,
        UserDirectoryApi,
        UserPasswordsApi,
        UserTokensApi,
        UsersApi,
    )
}

fn instance_operations() -> impl OpenApi {
    (
        ApplicationsApi,
        ApplicationOverviewApi,
        FeatureUsageApi,
        DashboardApi,
        EventListsApi,
        EventsApi,
        HealthApi,
        InstanceApi,
        MaintenanceApi,
        MeApi,
        MetricsApi,
        NoticesApi,
        PlaygroundApi,
        StatisticsApi,
        UiConfigApi,
    )
}
