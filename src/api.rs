//! HTTP in, HTTP out. Each file below holds the operations of one resource.

pub mod answer;
pub mod api_tokens;
pub mod applications;
pub mod author;
pub mod banners;
pub mod body;
pub mod caller;
pub mod change_reason;
pub mod change_requests;
pub mod client_address;
pub mod console;
pub mod context_fields;
pub mod docs;
pub mod document;
pub mod edge;
pub mod edges;
pub mod environments;
pub mod event_log;
pub mod events;
pub mod features;
pub mod freeze_windows;
pub mod groups;
pub mod http;
pub mod import;
pub mod instance;
pub mod integrations;
pub mod me;
pub mod moment;
pub mod pages;
pub mod parameter;
pub mod permitted;
pub mod playground;
pub mod preference;
pub mod programs;
pub mod projects;
pub mod response_meta;
pub mod roles;
pub mod scim;
pub mod segments;
pub mod service_accounts;
pub mod sign_in;
pub mod strategies;
pub mod subject;
pub mod tagged;
pub mod tags;
pub mod users;
pub mod version;

use poem_openapi::{OpenApi, Tags};

use self::{
    api_tokens::ApiTokensApi, banners::BannersApi, freeze_windows::FreezeWindowsApi, groups::GroupsApi,
    import::ImportApi, playground::PlaygroundApi, roles::RolesApi, segments::SegmentsApi,
};

/// The groups that the document sorts operations into.
#[derive(Debug, Clone, Copy, Tags)]
pub enum Tag {
    /// Projects: their settings, health, overview and environments.
    Projects,
    /// Users and groups with roles in a project.
    ProjectAccess,
    /// Creating, changing, archiving and listing features.
    Features,
    /// The strategies of features, and the types that they are of.
    Strategies,
    /// The variants of features.
    Variants,
    /// Dependencies between features.
    Dependencies,
    /// Lifecycle stages of features.
    Lifecycle,
    /// Features and projects that a user marked as favourites.
    Favorites,
    /// Tags of features, and their types.
    Tags,
    /// Segments: named constraints, shared between strategies.
    Segments,
    /// Fields of the context that features are evaluated for.
    ContextFields,
    /// Types of features, with their expected lifetimes.
    FeatureTypes,
    /// Environments, in which features are on or off.
    Environments,
    /// Searching features and events.
    Search,
    /// The event log, which records every change.
    Events,
    /// Changes of one project and environment, which others approve before they are applied together.
    ChangeRequests,
    /// Signing in, and the settings of login providers.
    Authentication,
    /// The caller.
    Profile,
    /// Users of the instance, and sign-up links.
    Users,
    /// Users and groups that a company's directory manages through SCIM 2.0. Bodies may be labelled
    /// `application/scim+json` or `application/json`; answers are the former, unless `Accept` names the latter alone.
    /// Attribute names are case-insensitive.
    Scim,
    /// Accounts of programs, with tokens of their own.
    ServiceAccounts,
    /// Groups of users.
    Groups,
    /// Roles and permissions.
    Roles,
    /// Tokens of programs.
    ApiTokens,
    /// Tokens that act for the user who created them.
    PersonalTokens,
    /// Integrations: other systems that receive events.
    Addons,
    /// Import and export of features between instances.
    ImportExport,
    /// Applications that evaluate features, and the usage that they report.
    Applications,
    /// For browsers and apps: features that are evaluated for one user.
    Evaluation,
    /// Evaluating features for a context of your choice.
    Playground,
    /// Health, statistics, settings and metrics of the instance.
    Instance,
    /// Health and metrics for operators.
    Operational,
}

/// Every operation that the document describes, resource by resource.
pub fn operations() -> impl OpenApi {
    (
        (
            features::operations(),
            strategies::operations(),
            SegmentsApi,
            context_fields::operations(),
            tags::operations(),
        ),
        (
            projects::operations(),
            environments::operations(),
            FreezeWindowsApi,
            change_requests::operations(),
            ImportApi,
        ),
        (
            users::operations(),
            service_accounts::operations(),
            GroupsApi,
            RolesApi,
            roles::uses::RoleUsesApi,
            ApiTokensApi,
            sign_in::operations(),
            scim::operations(),
            me::operations(),
        ),
        (events::operations(), event_log::EventLogApi, instance::operations(), BannersApi, PlaygroundApi),
        (programs::operations(), applications::operations(), edges::EdgesApi, integrations::operations()),
    )
}
