//! The instance in numbers.

use poem::web::Data;
use poem_openapi::{Enum, Object, OpenApi};
use serde::Serialize;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::{
    api::{
        Tag,
        answer::{Csv, Fails, Out, ReadRefusals},
        permitted::{Permitted, need},
    },
    domain::{
        csv,
        event_kind::EventKind,
        settings::{OidcSettings, SamlSettings},
        time::Timestamp,
    },
    error::Error,
    state::State,
    store::{self, instance},
};

/// The operation that counts everything.
#[derive(Debug)]
pub struct StatisticsApi;

/// The instance in numbers.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "InstanceStatistics", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct StatisticsBody {
    /// Unique id of this instance.
    pub instance_id: uuid::Uuid,
    /// When the numbers were taken: now.
    pub timestamp: Timestamp,
    /// Version of the program.
    #[oai(rename = "versionOSS")]
    #[serde(rename = "versionOSS")]
    pub version_oss: String,
    /// People who have an account.
    pub users: i64,
    /// Recently active users.
    pub active_users: ActiveUsersBody,
    /// Accounts of programs, with tokens of their own.
    pub service_accounts: i64,
    /// Recent changes in environments of type `production`.
    pub production_changes: ProductionChangesBody,
    /// Features that are not archived.
    pub feature_toggles: i64,
    /// Projects that are not archived.
    pub projects: i64,
    /// Context fields.
    pub context_fields: i64,
    /// Roles, built-in ones included.
    pub roles: i64,
    /// Groups.
    pub groups: i64,
    /// Environments.
    pub environments: i64,
    /// Segments.
    pub segments: i64,
    /// Strategy types, built-in ones included.
    pub strategies: i64,
    /// Whether people can sign in through SAML.
    #[oai(rename = "SAMLenabled")]
    #[serde(rename = "SAMLenabled")]
    pub saml_enabled: bool,
    /// Whether people can sign in through OIDC.
    #[oai(rename = "OIDCenabled")]
    #[serde(rename = "OIDCenabled")]
    pub oidc_enabled: bool,
    /// Applications by the time of their last report.
    pub client_apps: Vec<ClientAppsBody>,
    /// Number of exports.
    pub feature_exports: u64,
    /// Number of imports.
    pub feature_imports: u64,
    /// API tokens by kind.
    pub api_tokens: ApiTokenCountsBody,
    /// Most strategies that any feature has in one environment.
    pub max_environment_strategies: i64,
    /// Reports of SDKs on the previous day, in UTC.
    pub previous_day_metrics_buckets_count: ReportsBody,
    /// SHA-256 of all other properties, as JSON in the order of this answer, in hexadecimal digits.
    pub sum: String,
}

/// People who were active in the last days.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "ActiveUsers")]
pub struct ActiveUsersBody {
    /// In the last 7 days.
    pub last7: i64,
    /// In the last 30 days.
    pub last30: i64,
    /// In the last 60 days.
    pub last60: i64,
    /// In the last 90 days.
    pub last90: i64,
}

/// Changes in the last days.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "ProductionChanges")]
pub struct ProductionChangesBody {
    /// In the last 30 days.
    pub last30: i64,
    /// In the last 60 days.
    pub last60: i64,
    /// In the last 90 days.
    pub last90: i64,
}

/// Numbers of applications that reported in a period.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "ClientApps")]
pub struct ClientAppsBody {
    /// The time.
    pub range: ClientAppsRange,
    /// Number of applications that reported in the period.
    pub count: i64,
}

/// A time that ends now.
#[derive(Debug, Clone, Copy, Enum, Serialize)]
pub enum ClientAppsRange {
    /// Since there is this instance.
    #[oai(rename = "allTime")]
    #[serde(rename = "allTime")]
    AllTime,
    /// The last 30 days.
    #[oai(rename = "30d")]
    #[serde(rename = "30d")]
    Month,
    /// The last 7 days.
    #[oai(rename = "7d")]
    #[serde(rename = "7d")]
    Week,
}

/// API tokens by kind.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "ApiTokenCounts")]
pub struct ApiTokenCountsBody {
    /// Tokens for administration.
    pub admin: u64,
    /// Tokens for servers.
    pub client: u64,
    /// Tokens for browsers and phones.
    pub frontend: u64,
}

/// Reports of SDKs.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "MetricsBucketCounts", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct ReportsBody {
    /// Hours with evaluations, for each feature, application and environment.
    pub enabled_count: u64,
    /// Hours with evaluations, for each variant, feature, application and environment.
    pub variant_count: u64,
}

#[OpenApi(tag = "Tag::Instance")]
impl StatisticsApi {
    /// Get the statistics of the instance
    ///
    /// All figures are as of this call. Hidden projects are included.
    #[oai(path = "/api/admin/instance-admin/statistics", method = "get", operation_id = "getInstanceAdminStats")]
    async fn get_instance_admin_stats(
        &self,
        _caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
    ) -> Result<Out<StatisticsBody>, Fails<ReadRefusals>> {
        Ok(Out(summed(state).await?))
    }

    /// Get the statistics of the instance as CSV
    ///
    /// The statistics of `getInstanceAdminStats` as a line of names and a line of values. Properties of properties have
    /// names such as `activeUsers.last7`, and applications `clientApps.30d`.
    #[oai(path = "/api/admin/instance-admin/statistics/csv", method = "get", operation_id = "getInstanceAdminStatsCsv")]
    async fn get_instance_admin_stats_csv(
        &self,
        _caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
    ) -> Result<Csv, Fails<ReadRefusals>> {
        let mut statistics = serde_json::to_value(summed(state).await?).map_err(Error::internal)?;
        if let Some(ranges) = statistics["clientApps"].as_array().cloned() {
            let by_range = |range: Value| Some((range["range"].as_str()?.to_owned(), range["count"].clone()));
            statistics["clientApps"] = Value::Object(ranges.into_iter().filter_map(by_range).collect());
        }
        let mut cells = Vec::new();
        flatten("", &statistics, &mut cells);
        let line = |part: fn(&(String, String)) -> &String| {
            let cells = cells.iter().map(|cell| csv::cell(part(cell)));
            cells.collect::<Vec<_>>().join(",")
        };
        Ok(Csv(format!("{}\r\n{}\r\n", line(|cell| &cell.0), line(|cell| &cell.1))))
    }
}

/// Values of a JSON object with their paths.
fn flatten(path: &str, value: &Value, cells: &mut Vec<(String, String)>) {
    match value {
        Value::Object(properties) => {
            for (name, value) in properties {
                let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                flatten(&path, value, cells);
            }
        }
        Value::String(text) => cells.push((path.to_owned(), text.clone())),
        other => cells.push((path.to_owned(), other.to_string())),
    }
}

/// The statistics with the sum over them.
async fn summed(state: &State) -> Result<StatisticsBody, Error> {
    let mut statistics = count(state).await?;
    let text = serde_json::to_string(&statistics).map_err(Error::internal)?;
    // The sum is the last property, and empty so far.
    let summed = text.replace(",\"sum\":\"\"", "");
    statistics.sum = hex::encode(Sha256::digest(summed.as_bytes()));
    Ok(statistics)
}

async fn count(state: &State) -> Result<StatisticsBody, Error> {
    let (db, now) = (&state.db.heavy(), state.clock.now());
    let ago = |days: i64| now.plus_days(-days);
    let totals = instance::totals(db).await?;
    let [last7, last30, last60, last90] = instance::active_people(db, [ago(7), ago(30), ago(60), ago(90)]).await?;
    let active_users = ActiveUsersBody { last7, last30, last60, last90 };
    let [last30, last60, last90] = instance::production_changes(db, [ago(30), ago(60), ago(90)]).await?;
    let [all, month, week] = instance::applications(db, [Timestamp::from_millis(0), ago(30), ago(7)]).await?;
    let ranges = [(ClientAppsRange::AllTime, all), (ClientAppsRange::Month, month), (ClientAppsRange::Week, week)];
    let oidc: OidcSettings = store::settings::get(db, &state.vault).await?;
    let saml: SamlSettings = store::settings::get(db, &state.vault).await?;
    let today = Timestamp::start_of(now.day());
    let (enabled_count, variant_count) = instance::reports(db, today.plus_days(-1), today).await?;
    let instance_id = store::preferences::find(db, store::preferences::INSTANCE_ID).await?;
    Ok(StatisticsBody {
        instance_id: instance_id.unwrap_or_default(),
        timestamp: now,
        version_oss: env!("CARGO_PKG_VERSION").to_owned(),
        users: totals.users,
        active_users,
        service_accounts: totals.service_accounts,
        production_changes: ProductionChangesBody { last30, last60, last90 },
        feature_toggles: totals.features,
        projects: totals.projects,
        context_fields: totals.context_fields,
        roles: totals.roles,
        groups: totals.groups,
        environments: totals.environments,
        segments: totals.segments,
        strategies: totals.strategies,
        saml_enabled: !matches!(saml, SamlSettings::Off(_)),
        oidc_enabled: !matches!(oidc, OidcSettings::Off(_)),
        client_apps: ranges.into_iter().map(|(range, count)| ClientAppsBody { range, count }).collect(),
        feature_exports: instance::events_of(db, EventKind::FeaturesExported).await?,
        feature_imports: instance::events_of(db, EventKind::FeaturesImported).await?,
        api_tokens: ApiTokenCountsBody {
            admin: instance::tokens_of(db, "admin").await?,
            client: instance::tokens_of(db, "client").await?,
            frontend: instance::tokens_of(db, "frontend").await?,
        },
        max_environment_strategies: instance::most_strategies(db).await?,
        previous_day_metrics_buckets_count: ReportsBody { enabled_count, variant_count },
        sum: String::new(),
    })
}
