//! Configuration that the console needs before it shows anything.

use std::collections::BTreeMap;

use poem::web::Data;
use poem_openapi::{Enum, Object, OpenApi};
use serde::Serialize;

use crate::{
    access::Caller,
    api::{
        Tag,
        answer::{Fails, NoContent, Out, ReadRefusals, WriteRefusals},
        body::Body,
        caller::EnrollingCaller,
        permitted::{Permitted, need},
        preference,
    },
    config::Limits,
    domain::preference::{Frontend, Maintenance, is_origin},
    error::{Error, Finding},
    sign_in::in_force,
    state::State,
    store,
};

/// Functions that Unleash makes optional and that are always there, by the names under which its console asks for them.
///
/// `personalDashboardUI` is not among them, as it is not by default in Unleash 6.3: the page that it leads to was not
/// finished, and asks for the project `undefined` before it has any answer.
const FLAGS: [&str; 13] = [
    // Projects, roles, permissions by environment, segments, groups.
    "P",
    "RE",
    "EEA",
    "SE",
    "UG",
    // Export and import, origins of the frontend API, variants of environments.
    "featuresExportImport",
    "embedProxyFrontend",
    "enableLegacyVariants",
    // What somebody may do, users who are not active, SDKs that are out of date.
    "userAccessUIEnabled",
    "showInactiveUsers",
    "outdatedSdksBanner",
    // Strategies in pages, and the navigation with everything in it.
    "manyStrategiesPagination",
    "navigationSidebar",
];

/// Functions that the paid edition of Unleash's console has unless they are disabled, and that are not here, by the names
/// under which it asks for that: charts of impact metrics.
const PAID_FLAGS: [&str; 1] = ["disableImpactMetrics"];

/// The operations on the console's configuration.
#[derive(Debug)]
pub struct UiConfigApi;

/// Configuration of the console.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "UiConfig", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct UiConfigBody {
    /// Name of the program.
    pub name: String,
    /// Version of the program.
    pub version: String,
    /// Edition, as the console of Unleash distinguishes them: `Open Source`.
    pub environment: String,
    /// A line below the name. Empty.
    pub slogan: String,
    /// Public URL of the server.
    pub unleash_url: String,
    /// Path of that URL. Empty when it has none.
    pub base_uri_path: String,
    /// Feature switches of the console, by name.
    pub flags: BTreeMap<String, bool>,
    /// Versions of the program.
    pub version_info: VersionInfoBody,
    /// Links to pages of this server.
    pub links: Vec<LinkBody>,
    /// Authentication type: always `enterprise`, because the console of Unleash shows the settings of login providers
    /// only then.
    pub authentication_type: AuthenticationType,
    /// Whether password sign-in is disabled.
    pub disable_password_auth: bool,
    /// Whether OpenID Connect is configured by environment variables and cannot be changed over the API.
    pub oidc_configured_through_env: bool,
    /// Whether SAML is configured by environment variables and cannot be changed over the API.
    pub saml_configured_through_env: bool,
    /// Whether the server sends email: always false.
    pub email_enabled: bool,
    /// Whether the instance is under maintenance.
    pub maintenance_mode: bool,
    /// Whether the server reports its network traffic: always false.
    pub network_view_enabled: bool,
    /// Origins of the pages that may use the frontend API and OFREP; `*` stands for any. Empty means none.
    pub frontend_api_origins: Vec<String>,
    /// Limits of the instance.
    pub resource_limits: ResourceLimitsBody,
    /// Most values of all constraints of one segment. Deprecated since 0.1.0: use `resourceLimits`.
    #[oai(deprecated)]
    pub segment_values_limit: u64,
    /// Most segments of one strategy. Deprecated since 0.1.0: use `resourceLimits`.
    #[oai(deprecated)]
    pub strategy_segments_limit: u64,
}

/// Ways of signing in.
#[derive(Debug, Clone, Copy, Enum, Serialize)]
#[oai(rename_all = "kebab-case")]
#[serde(rename_all = "kebab-case")]
pub enum AuthenticationType {
    /// With a password.
    OpenSource,
    /// With a password, or through a login provider.
    Enterprise,
}

/// Versions of the program.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "VersionInfo", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct VersionInfoBody {
    /// The version that runs.
    pub current: VersionsBody,
    /// The latest version: always the running one, since the server does not check for updates.
    pub latest: VersionsBody,
    /// Always true.
    pub is_latest: bool,
    /// Unique id of this instance.
    pub instance_id: uuid::Uuid,
}

/// A version, by edition.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "Versions")]
pub struct VersionsBody {
    /// Version of the program.
    pub oss: String,
    /// Version of the program where a setting of the operator lets the console of Unleash show pages of its paid
    /// edition, such as those of change requests; otherwise empty.
    pub enterprise: String,
}

/// A link to a page.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "UiLink")]
pub struct LinkBody {
    /// Text of the link.
    pub value: String,
    /// Name of an icon.
    pub icon: String,
    /// URL of the page.
    pub href: String,
    /// Description of the page.
    pub title: String,
}

/// Limits of the instance, which the operator sets.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "ResourceLimits", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct ResourceLimitsBody {
    /// Most features in the whole instance, without archived ones.
    pub feature_flags: u64,
    /// Most projects.
    pub projects: u64,
    /// Most environments.
    pub environments: u64,
    /// Most segments.
    pub segments: u64,
    /// Most API tokens.
    pub api_tokens: u64,
    /// Most strategies of a feature in one environment.
    pub feature_environment_strategies: u64,
    /// Most constraints of one strategy.
    pub constraints: u64,
    /// Most values of one constraint.
    pub constraint_values: u64,
    /// Most values of all constraints of one segment.
    pub segment_values: u64,
    /// Most segments of one strategy.
    pub strategy_segments: u64,
    /// Most signal endpoints. This and what follows is about functions that are not there; consoles expect a number.
    pub signal_endpoints: u64,
    /// Most tokens of one signal endpoint.
    pub signal_tokens_per_endpoint: u64,
    /// Most sets of actions of one project.
    pub action_sets_per_project: u64,
    /// Most filters of one set of actions.
    pub action_set_filters: u64,
    /// Most values of one filter of a set of actions.
    pub action_set_filter_values: u64,
    /// Most actions of one set.
    pub action_set_actions: u64,
}

impl From<&Limits> for ResourceLimitsBody {
    fn from(limits: &Limits) -> Self {
        Self {
            feature_flags: limits.feature_flags,
            projects: limits.projects,
            environments: limits.environments,
            segments: limits.segments,
            api_tokens: limits.api_tokens,
            feature_environment_strategies: limits.strategies,
            constraints: limits.constraints,
            constraint_values: limits.constraint_values,
            segment_values: limits.segment_values,
            strategy_segments: limits.strategy_segments,
            signal_endpoints: 5,
            signal_tokens_per_endpoint: 5,
            action_sets_per_project: 5,
            action_set_filters: 5,
            action_set_filter_values: 25,
            action_set_actions: 10,
        }
    }
}

/// Settings of the console.
#[derive(Debug, Clone, Object)]
#[oai(rename = "SetUiConfig", rename_all = "camelCase")]
pub struct SetUiConfigBody {
    /// CORS settings of the frontend API. Absent leaves them as they are.
    pub frontend_settings: Option<Frontend>,
}

#[OpenApi(tag = "Tag::Instance")]
impl UiConfigApi {
    /// Get the configuration of the console
    ///
    /// Versions, limits, URLs, and the available functions. Needs no permission.
    #[oai(path = "/api/admin/ui-config", method = "get", operation_id = "getUiConfig")]
    async fn get_ui_config(
        &self,
        _caller: EnrollingCaller,
        Data(state): Data<&State>,
    ) -> Result<Out<UiConfigBody>, Fails<ReadRefusals>> {
        let instance_id = store::preferences::find(&state.db, store::preferences::INSTANCE_ID).await?;
        let frontend = preference::frontend(state).await?;
        let maintenance: Maintenance = preference::get(state).await?;
        let (enabled, passwords) = in_force::ways(state).await?;
        let config = &state.config;
        let with_paid_pages = config.unleash_console_paid_pages;
        let version = || VersionsBody {
            oss: env!("CARGO_PKG_VERSION").to_owned(),
            enterprise: if with_paid_pages { env!("CARGO_PKG_VERSION") } else { "" }.to_owned(),
        };
        let paid_flags: &[&str] = if with_paid_pages { &PAID_FLAGS } else { &[] };
        Ok(Out(UiConfigBody {
            name: "Flagstone".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            environment: "Open Source".to_owned(),
            slogan: String::new(),
            unleash_url: config.base_url.clone(),
            base_uri_path: config.base_path().to_owned(),
            flags: FLAGS.iter().chain(paid_flags).map(|name| ((*name).to_owned(), true)).collect(),
            version_info: VersionInfoBody {
                current: version(),
                latest: version(),
                is_latest: true,
                instance_id: instance_id.unwrap_or_default(),
            },
            links: vec![LinkBody {
                value: "API".to_owned(),
                icon: "library_books".to_owned(),
                href: format!("{}/docs/openapi/", config.base_url),
                title: "Every operation of this server".to_owned(),
            }],
            authentication_type: AuthenticationType::Enterprise,
            disable_password_auth: passwords.is_off(&enabled),
            oidc_configured_through_env: config.providers.oidc.is_some(),
            saml_configured_through_env: config.providers.saml.is_some(),
            email_enabled: false,
            maintenance_mode: maintenance.enabled,
            network_view_enabled: false,
            frontend_api_origins: frontend.frontend_api_origins.clone(),
            resource_limits: (&config.limits).into(),
            segment_values_limit: config.limits.segment_values,
            strategy_segments_limit: config.limits.strategy_segments,
        }))
    }

    /// Update the configuration of the console
    ///
    /// Sets the origins of the pages that may use the frontend API. Setting the current value leaves no event.
    #[oai(path = "/api/admin/ui-config", method = "post", operation_id = "setUiConfig")]
    async fn set_ui_config(
        &self,
        caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        body: Body<SetUiConfigBody>,
    ) -> Result<NoContent, Fails<WriteRefusals>> {
        if let Some(frontend) = body.read()?.frontend_settings {
            set_origins(state, &caller, &frontend, "/body/frontendSettings").await?;
        }
        Ok(NoContent)
    }

    /// Update the CORS origins of the frontend API
    ///
    /// Sets the origins whose scripts may use the frontend API and OFREP from a browser, instead of those that the
    /// operator configured. Setting the current value leaves no event.
    #[oai(path = "/api/admin/ui-config/cors", method = "post", operation_id = "setCors")]
    async fn set_cors(
        &self,
        caller: Permitted<need::UpdateCors>,
        Data(state): Data<&State>,
        body: Body<Frontend>,
    ) -> Result<NoContent, Fails<WriteRefusals>> {
        set_origins(state, &caller, &body.read()?, "/body").await?;
        Ok(NoContent)
    }
}

async fn set_origins(state: &State, caller: &Caller, wanted: &Frontend, place: &str) -> Result<(), Error> {
    check_origins(&wanted.frontend_api_origins, place)?;
    preference::replace(state, caller, wanted, &state.config.frontend).await
}

fn check_origins(origins: &[String], place: &str) -> Result<(), Error> {
    let wrong = origins.iter().enumerate().filter(|(_, origin)| !is_origin(origin));
    let findings: Vec<Finding> = wrong
        .map(|(index, _)| {
            let path = format!("{place}/frontendApiOrigins/{index}");
            Finding::property(path, "must be `*` or an origin: http or https, and a host")
        })
        .take(20)
        .collect();
    if findings.is_empty() { Ok(()) } else { Err(Error::Validation(findings)) }
}
