//! What the console must know before it shows anything.

use std::collections::BTreeMap;

use poem::web::Data;
use poem_openapi::{Enum, Object, OpenApi};
use serde::Serialize;

use crate::{
    api::{
        Tag,
        answer::{Fails, NoContent, Out, ReadRefusals, WriteRefusals},
        body::Body,
        caller::Caller,
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

/// Functions that the reference makes optional and that are always there, by the names under which its console asks for
/// them.
const FLAGS: [&str; 14] = [
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
    // Strategies in pages, the navigation with everything in it, and a dashboard of one's own.
    "manyStrategiesPagination",
    "navigationSidebar",
    "personalDashboardUI",
];

/// The operations on the console's configuration.
#[derive(Debug)]
pub struct UiConfigApi;

/// What the console must know.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "UiConfig", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct UiConfigBody {
    /// Name of the program.
    pub name: String,
    /// Version of the program.
    pub version: String,
    /// Edition, as the console of the reference distinguishes them: `Open Source`.
    pub environment: String,
    /// A line below the name. Empty.
    pub slogan: String,
    /// Address under which people and clients reach the server.
    pub unleash_url: String,
    /// Path of that address. Empty when it has none.
    pub base_uri_path: String,
    /// Functions by name, and whether they are there.
    pub flags: BTreeMap<String, bool>,
    /// Versions of the program.
    pub version_info: VersionInfoBody,
    /// Pages of this server that are worth a link.
    pub links: Vec<LinkBody>,
    /// How people sign in: `enterprise`, also while no login provider is set up yet. The console of the reference shows
    /// the settings of login providers only then.
    pub authentication_type: AuthenticationType,
    /// Whether nobody can sign in with a password.
    pub disable_password_auth: bool,
    /// Whether the operator set OpenID Connect up in the environment, so that nobody else can.
    pub oidc_configured_through_env: bool,
    /// The same of SAML.
    pub saml_configured_through_env: bool,
    /// Whether the server sends email: false, as it connects to nowhere.
    pub email_enabled: bool,
    /// Whether changes are refused at the moment.
    pub maintenance_mode: bool,
    /// Whether the server offers figures of its network traffic: false.
    pub network_view_enabled: bool,
    /// Origins of the pages that may ask the frontend API and OFREP; `*` stands for any. Empty means none.
    pub frontend_api_origins: Vec<String>,
    /// How many things of each kind there may be.
    pub resource_limits: ResourceLimitsBody,
    /// Most values of all constraints of one segment. Deprecated since 0.1.0: use `resourceLimits`.
    #[oai(deprecated)]
    pub segment_values_limit: u64,
    /// Most segments of one strategy. Deprecated since 0.1.0: use `resourceLimits`.
    #[oai(deprecated)]
    pub strategy_segments_limit: u64,
}

/// How people sign in.
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
    /// The newest version that is known: the one that runs, as the server does not ask elsewhere.
    pub latest: VersionsBody,
    /// Whether no newer version is known.
    pub is_latest: bool,
    /// Tells this instance from others.
    pub instance_id: uuid::Uuid,
}

/// A version, by edition.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "Versions")]
pub struct VersionsBody {
    /// Version of the only edition.
    pub oss: String,
    /// Empty: there is no other edition.
    pub enterprise: String,
}

/// A page that is worth a link.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "UiLink")]
pub struct LinkBody {
    /// What the link says.
    pub value: String,
    /// Name of a symbol to show.
    pub icon: String,
    /// Address of the page.
    pub href: String,
    /// What is on the page.
    pub title: String,
}

/// How many things of each kind there may be. An operator sets these.
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
        }
    }
}

/// What an administrator sets for the console.
#[derive(Debug, Clone, Object)]
#[oai(rename = "SetUiConfig", rename_all = "camelCase")]
pub struct SetUiConfigBody {
    /// How browsers may use the frontend API. Absent leaves that as it is.
    pub frontend_settings: Option<Frontend>,
}

#[OpenApi(tag = "Tag::Instance")]
impl UiConfigApi {
    /// Get the configuration of the console
    ///
    /// Versions, limits, addresses, and which functions are there. Any caller may ask.
    #[oai(path = "/api/admin/ui-config", method = "get", operation_id = "getUiConfig")]
    async fn get_ui_config(
        &self,
        _caller: Caller,
        Data(state): Data<&State>,
    ) -> Result<Out<UiConfigBody>, Fails<ReadRefusals>> {
        let instance_id = store::preferences::find(&state.db, store::preferences::INSTANCE_ID).await?;
        let frontend = preference::frontend(state).await?;
        let maintenance: Maintenance = preference::get(state).await?;
        let (enabled, passwords) = in_force::ways(state).await?;
        let config = &state.config;
        let version = || VersionsBody { oss: env!("CARGO_PKG_VERSION").to_owned(), enterprise: String::new() };
        Ok(Out(UiConfigBody {
            name: "Flagstone".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            environment: "Open Source".to_owned(),
            slogan: String::new(),
            unleash_url: config.base_url.clone(),
            base_uri_path: config.base_path().to_owned(),
            flags: FLAGS.map(|name| (name.to_owned(), true)).into(),
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
            disable_password_auth: passwords.is_off(enabled),
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

    /// Set the configuration of the console
    ///
    /// Sets the origins of the pages that may ask the frontend API. Setting what is set already leaves no event.
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

    /// Set the origins that may ask the frontend API
    ///
    /// Sets the origins whose scripts may ask the frontend API and OFREP from a browser, in the place of what the
    /// operator configured. Setting what is set already leaves no event.
    #[oai(path = "/api/admin/ui-config/cors", method = "post", operation_id = "setCors")]
    async fn set_cors(
        &self,
        caller: Permitted<need::Admin>,
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
