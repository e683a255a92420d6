//! People and groups as a company's directory keeps them: SCIM 2.0 below `/scim`, and its settings.

pub mod answer;
pub mod body;
pub mod bulk;
pub mod directories;
pub mod directory;
pub mod discovery;
pub mod groups;
pub mod leaving;
pub mod links;
pub mod reference;
pub mod refusal;
pub mod settings;
pub mod users;

use poem_openapi::OpenApi;

/// The operations in this folder.
pub fn operations() -> impl OpenApi {
    (
        settings::ScimSettingsApi,
        directories::ScimDirectoriesApi,
        discovery::ScimDiscoveryApi,
        users::ScimUsersApi,
        groups::ScimGroupsApi,
        bulk::ScimBulkApi,
        links::ScimLinksApi,
        leaving::ScimLeavingApi,
    )
}
