//! HTTP in, HTTP out. Each file below holds the operations of one resource.

pub mod answer;
pub mod body;
pub mod caller;
pub mod docs;
pub mod document;
pub mod events;
pub mod features;
pub mod health;
pub mod http;
pub mod import;
pub mod instance;
pub mod login_settings;
pub mod parameter;
pub mod profile;
pub mod projects;
pub mod search;
pub mod sign_in;
pub mod sign_in_limit;
pub mod state;

use poem_openapi::{OpenApi, Tags};

use self::{
    events::EventsApi, features::FeaturesApi, health::HealthApi, import::ImportApi, instance::InstanceApi,
    login_settings::LoginSettingsApi, profile::ProfileApi, projects::ProjectsApi, search::SearchApi,
    sign_in::SignInApi,
};

/// The groups that the document sorts operations into.
#[derive(Debug, Clone, Copy, Tags)]
pub enum Tag {
    /// Projects, their health and their overview.
    Projects,
    /// Features: changing them and listing those of a project.
    Features,
    /// Searching features and events.
    Search,
    /// The log of everything that changed.
    Events,
    /// Settings of login providers.
    Authentication,
    /// The caller.
    Users,
    /// Moving features between instances.
    ImportExport,
    /// The instance as a whole.
    Instance,
    /// Whether the server works.
    Operational,
}

/// Every operation that the document describes.
pub fn operations() -> impl OpenApi {
    (
        EventsApi,
        FeaturesApi,
        HealthApi,
        ImportApi,
        InstanceApi,
        LoginSettingsApi,
        ProfileApi,
        ProjectsApi,
        SearchApi,
        SignInApi,
    )
}
