//! Content of a server of feature flags, of any product.
//!
//! Names tie things together: a strategy names its environment, a feature its project. Where ids are kept (users,
//! roles, groups, segments, events), others name them. A time that is not known is that of the move. Secrets of tokens
//! are here as their digests only.

mod history;
mod people;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use self::{
    history::{Application, Event, Instance, Usage},
    people::{
        ApiToken, Banner, Favorite, Feedback, Group, Holder, Member, PersonalToken, ProjectRole, Role, RoleGrant,
        RoleKind, SignIn, SignupLink, User,
    },
};
use crate::domain::{
    constraint::Constraint,
    event_kind::EventKind,
    integration::{Parameters, Provider},
    settings::{OidcSettings, SamlSettings},
    strategy::DefaultStrategy,
    time::Timestamp,
    variant::{FeatureVariant, StrategyVariant},
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
    /// Links that its new features get.
    pub link_templates: Vec<LinkTemplate>,
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

/// A feature.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Feature {
    /// Unique name, also among archived ones.
    pub name: String,
    /// Id of its project.
    pub project: String,
    /// Id of its type.
    #[serde(rename = "type")]
    pub kind: String,
    /// Free text.
    pub description: Option<String>,
    /// Whether it is marked as stale.
    pub stale: bool,
    /// Whether it has outlived the lifetime of its type.
    pub potentially_stale: bool,
    /// Whether SDKs report impressions.
    pub impression_data: bool,
    /// When it was created.
    pub created_at: Option<Timestamp>,
    /// Id of the maker.
    pub created_by_user_id: Option<i64>,
    /// When it was archived; `None` while in use.
    pub archived_at: Option<Timestamp>,
    /// When it was last asked for.
    pub last_seen_at: Option<Timestamp>,
    /// Tags that it carries.
    pub tags: Vec<Tag>,
    /// Features that it depends on.
    pub dependencies: Vec<Dependency>,
    /// Links to tickets, dashboards and documents.
    pub links: Vec<Link>,
    /// Stages that it entered.
    pub lifecycle: Vec<Stage>,
    /// Its configuration in each environment.
    pub environments: Vec<FeatureEnvironment>,
}

/// A link of a feature.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Link {
    /// Id where it comes from; a new one where that is no UUID.
    pub id: String,
    /// Address.
    pub url: String,
    /// Text that is shown instead.
    pub title: Option<String>,
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

/// Dependency of a feature, which is on only when another one is in a state.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Dependency {
    /// Name of the other one.
    pub parent: String,
    /// Whether that must be on, or off.
    pub enabled: bool,
    /// Variants of it of which one must be given; empty is any.
    pub variants: Vec<String>,
}

/// A stage that a feature entered.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Stage {
    /// `initial`, `pre-live`, `live`, `completed` or `archived`.
    pub stage: String,
    /// Outcome of a completed feature.
    pub status: Option<String>,
    /// More of that, such as the variant that was kept.
    pub status_value: Option<String>,
    /// When it entered it.
    pub entered_at: Option<Timestamp>,
}

/// Configuration of a feature in one environment.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct FeatureEnvironment {
    /// Name of the environment.
    pub environment: String,
    /// Whether the feature is switched on.
    pub enabled: bool,
    /// When it was last asked for here.
    pub last_seen_at: Option<Timestamp>,
    /// Variants of the feature here.
    pub variants: Vec<FeatureVariant>,
    /// Strategies in their order: one that holds is enough.
    pub strategies: Vec<Strategy>,
}

/// A strategy.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Strategy {
    /// Id: a UUID, a ULID, or empty for a new one.
    pub id: String,
    /// Name of its type.
    pub name: String,
    /// Display name.
    pub title: Option<String>,
    /// Whether it is left out.
    pub disabled: bool,
    /// Position, lowest first. Where two are equal, all are renumbered.
    pub sort_order: i64,
    /// Parameters of its type.
    pub parameters: BTreeMap<String, String>,
    /// Constraints that must all hold in addition.
    pub constraints: Vec<Constraint>,
    /// Ids of segments that must hold in addition.
    pub segments: Vec<i64>,
    /// Variants that it gives.
    pub variants: Vec<StrategyVariant>,
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
