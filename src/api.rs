//! HTTP in, HTTP out. Each file below holds the operations of one resource.

pub mod answer;
pub mod api_tokens;
pub mod applications;
pub mod attempts;
pub mod banners;
pub mod body;
pub mod caller;
pub mod changes;
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
pub mod roles;
pub mod scim;
pub mod segments;
pub mod service_accounts;
pub mod sign_in;
pub mod strategies;
pub mod tagged;
pub mod tags;
pub mod users;
pub mod version;

use poem_openapi::{OpenApi, Tags};

use self::{
    api_tokens::ApiTokensApi, banners::BannersApi, context_fields::ContextFieldsApi, groups::GroupsApi,
    import::ImportApi, playground::PlaygroundApi, roles::RolesApi, segments::SegmentsApi,
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
    /// Users and groups that a company's directory keeps through SCIM 2.0. Bodies may be labelled `application/scim+json` or
    /// `application/json`; answers are the former, unless `Accept` names the latter alone. Names of attributes count in
    /// any case.
    Scim,
    /// Programs that have an account of their own.
    ServiceAccounts,
    /// People taken together.
    Groups,
    /// What somebody may do.
    Roles,
    /// The secrets of programs.
    ApiTokens,
    /// The secrets that people give to their programs.
    PersonalTokens,
    /// Other systems that are told of events.
    Addons,
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

/// Every operation that the document describes, resource by resource.
pub fn operations() -> impl OpenApi {
    (
        (features::operations(), strategies::operations(), SegmentsApi, ContextFieldsApi, tags::operations()),
        (projects::operations(), environments::operations(), ImportApi),
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
