//! Content of a server of feature flags, of any product.
//!
//! Names tie things together: a strategy names its environment, a feature its project. Where ids are kept (users,
//! roles, groups, segments, events), others name them. A time that is not known is that of the move. Secrets of tokens
//! are here as their digests only.

mod change_requests;
mod features;
mod history;
mod people;

use flagstone_domain::{
    constraint::Constraint,
    event_kind::EventKind,
    integration::{Parameters, Provider},
    settings::{OidcSettings, SamlSettings},
    strategy::DefaultStrategy,
    time::Timestamp,
};
use serde::{Deserialize, Serialize};

pub use self::{
    change_requests::{AskedReviewer, ChangeRequest, Comment, RequestedChange, Review, Schedule},
    features::{Dependency, Feature, FeatureEnvironment, Link, Stage, Strategy},
    history::{Application, Event, Instance, Usage},
    people::{
        ApiToken, Banner, Favorite, Feedback, Group, Holder, Member, PersonalToken, ProjectRole, Role, RoleGrant,
        RoleKind, SignIn, SignupLink, User,
    },
};

/// Content of a server without the history, which is too long to be held.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Set {
    /// Its origin.
    pub origin: Origin,
    /// Environments. Those of a new database that are not among them go.
    pub environments: Vec<Environment>,
    /// Types of features, added to those that are always there.
    pub feature_types: Vec<FeatureType>,
    /// Types of strategies, added to those that are always there.
    pub strategy_types: Vec<StrategyType>,
    /// Context fields, added to those that are always there.
    pub context_fields: Vec<ContextField>,
    /// Types of tags. Those of tags that are not among them are made.
    pub tag_types: Vec<TagType>,
    /// Tags, also those that no feature carries.
    pub tags: Vec<Tag>,
    /// Projects with the environments that they use.
    pub projects: Vec<Project>,
    /// Segments.
    pub segments: Vec<Segment>,
    /// Features with all that hangs on them, archived ones too.
    pub features: Vec<Feature>,
    /// Roles.
    pub roles: Vec<Role>,
    /// People, also those who are gone but are still named.
    pub users: Vec<User>,
    /// Groups with their members.
    pub groups: Vec<Group>,
    /// Roles of users and groups in projects.
    pub project_roles: Vec<ProjectRole>,
    /// Features and projects that people marked.
    pub favorites: Vec<Favorite>,
    /// Tokens of programs.
    pub api_tokens: Vec<ApiToken>,
    /// Tokens of people.
    pub personal_tokens: Vec<PersonalToken>,
    /// Links with which people become users.
    pub signup_links: Vec<SignupLink>,
    /// Notices that people have seen: ids of user and notice.
    pub seen_notices: Vec<(i64, String)>,
    /// Answers of users to questions of the console.
    pub feedback: Vec<Feedback>,
    /// Banners above every page.
    pub banners: Vec<Banner>,
    /// Attempts to sign in and their outcomes, oldest first.
    pub sign_ins: Vec<SignIn>,
    /// Change requests with what belongs to them, by id.
    pub change_requests: Vec<ChangeRequest>,
    /// Applications that have connected.
    pub applications: Vec<Application>,
    /// Running copies of them.
    pub instances: Vec<Instance>,
    /// Settings of the instance.
    pub settings: Settings,
}

/// Origin of a set.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Origin {
    /// Name of the product.
    pub product: String,
    /// Text that identifies its version, such as the newest step of its schema.
    pub version: String,
}

/// An environment.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Environment {
    /// Unique name.
    pub name: String,
    /// Kind, such as `development` or `production`.
    pub kind: String,
    /// Whether projects may use it.
    pub enabled: bool,
    /// Whether it is kept from being deleted.
    pub protected: bool,
    /// Position in lists, lowest first.
    pub sort_order: i64,
    /// Approvals that new projects need there; `None` where they start without change requests.
    pub required_approvals: Option<i64>,
}

/// A type of features.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct FeatureType {
    /// Unique id.
    pub id: String,
    /// Display name.
    pub name: String,
    /// Its description.
    pub description: String,
    /// Days that such features are expected to live; `None` is for ever.
    pub lifetime_days: Option<i64>,
}

/// Types of strategies that every database has.
pub const STRATEGY_TYPES: [&str; 5] =
    ["default", "flexibleRollout", "userWithId", "remoteAddress", "applicationHostname"];

/// A type of strategies.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct StrategyType {
    /// Unique name.
    pub name: String,
    /// Display name.
    pub title: Option<String>,
    /// Its description.
    pub description: String,
    /// Definitions of its parameters, as the API writes them.
    pub parameters: Vec<serde_json::Value>,
    /// Whether it came with the product.
    pub built_in: bool,
    /// Whether it should not be chosen any more.
    pub deprecated: bool,
    /// Position in lists, lowest first.
    pub sort_order: i64,
}

/// A context field.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ContextField {
    /// Unique name.
    pub name: String,
    /// Free text.
    pub description: Option<String>,
    /// Whether rollouts may stick to it.
    pub stickiness: bool,
    /// Position in lists, lowest first.
    pub sort_order: i64,
    /// The only project whose features may use it; none for all.
    pub project: Option<String>,
    /// Values that may be chosen, as the API writes them; empty is any.
    pub legal_values: Vec<serde_json::Value>,
    /// When it was created.
    pub created_at: Option<Timestamp>,
}

/// A type of tags.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TagType {
    /// Unique name.
    pub name: String,
    /// Purpose of such tags.
    pub description: String,
    /// Icon shown with it.
    pub icon: Option<String>,
}

/// A tag, unique by type and value.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(default)]
pub struct Tag {
    /// Name of its type.
    #[serde(rename = "type")]
    pub kind: String,
    /// Value.
    pub value: String,
}

/// A project.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Project {
    /// Unique id.
    pub id: String,
    /// Display name.
    pub name: String,
    /// Free text.
    pub description: Option<String>,
    /// `open`, `protected` or `private`; anything else is `open`.
    pub mode: String,
    /// Context field that new strategies stick to; empty is `default`.
    pub default_stickiness: String,
    /// Most features that it may hold.
    pub feature_limit: Option<i64>,
    /// Regular expression that names of new features must match.
    pub naming_pattern: Option<String>,
    /// A name that matches it.
    pub naming_example: Option<String>,
    /// Words about it.
    pub naming_description: Option<String>,
    /// When it was created.
    pub created_at: Option<Timestamp>,
    /// When it last changed.
    pub updated_at: Option<Timestamp>,
    /// When it was archived; `None` while in use.
    pub archived_at: Option<Timestamp>,
    /// Environments that it uses.
    pub environments: Vec<ProjectEnvironment>,
    /// Environments in which its changes need approval, also ones that it does not use.
    pub approvals: Vec<ProjectApprovals>,
    /// Links that its new features get.
    pub link_templates: Vec<LinkTemplate>,
}

/// An environment in which changes of a project need approval.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ProjectApprovals {
    /// Name of the environment.
    pub environment: String,
    /// Approvals that a change request needs.
    pub required: i64,
}

/// An environment that a project uses.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ProjectEnvironment {
    /// Name of the environment.
    pub environment: String,
    /// Strategy that features get when they are switched on without one.
    pub default_strategy: Option<DefaultStrategy>,
}

/// A link that new features of a project get.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct LinkTemplate {
    /// Text that is shown instead of the address.
    pub title: Option<String>,
    /// Address with placeholders.
    pub url_template: String,
}

/// A segment.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Segment {
    /// Id, which strategies and SDKs name.
    pub id: i64,
    /// Name.
    pub name: String,
    /// Free text.
    pub description: Option<String>,
    /// Project that alone may use it.
    pub project: Option<String>,
    /// Constraints that must all hold.
    pub constraints: Vec<Constraint>,
    /// Name of the maker.
    pub created_by: Option<String>,
    /// When it was created.
    pub created_at: Option<Timestamp>,
}

/// Settings of the instance.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Settings {
    /// Origins of pages that may ask the frontend API.
    pub frontend_origins: Option<Vec<String>>,
    /// Whether changes are refused.
    pub maintenance: Option<bool>,
    /// Whether signing in with a password is off.
    pub passwords_off: Option<bool>,
    /// Settings of OpenID Connect.
    pub oidc: Option<OidcSettings>,
    /// Settings of SAML.
    pub saml: Option<SamlSettings>,
    /// Integrations: other systems that receive events.
    pub integrations: Vec<Integration>,
}

/// Another system that receives events.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Integration {
    /// Id, which events name; `None` for a new one.
    #[serde(default)]
    pub id: Option<i64>,
    /// When it was created.
    #[serde(default)]
    pub created_at: Option<Timestamp>,
    /// Kind of system.
    pub provider: Provider,
    /// Whether it receives events.
    pub enabled: bool,
    /// Its description.
    pub description: Option<String>,
    /// Addresses, secrets and the like.
    pub parameters: Parameters,
    /// Types of events that it receives.
    pub events: Vec<EventKind>,
    /// Projects whose events it receives; empty is all.
    pub projects: Vec<String>,
    /// Environments likewise.
    pub environments: Vec<String>,
}
