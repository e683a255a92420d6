//! Reports of SDKs about one feature.

use std::collections::{BTreeMap, BTreeSet};

use poem::web::Data;
use poem_openapi::{
    Object, OpenApi,
    param::{Path, Query},
};
use serde::Serialize;

use crate::{
    access::Caller,
    api::{
        Tag,
        answer::{Fails, LookupRefusals, Out},
        caller::AuthenticatedCaller,
        parameter::{HoursBackParameter, MOST_HOURS_BACK},
    },
    domain::time::{HOUR_MS, Timestamp},
    error::Error,
    state::State,
    store::{self, features::usage::Hour},
};

/// Hours in which an application counts as one that uses the feature.
const SEEN_HOURS: i64 = 24;

/// The operations on reported usage of features.
#[derive(Debug)]
pub struct FeatureUsageApi;

/// Evaluations of a feature in one hour.
#[serde_with_macros::skip_serializing_none]
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "FeatureEnvironmentMetrics", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct FeatureMetricsBody {
    /// Name of the feature.
    pub feature_name: String,
    /// Name of the application. Absent in totals over applications.
    pub app_name: Option<String>,
    /// Name of the environment.
    pub environment: String,
    /// Start of the hour.
    pub timestamp: Timestamp,
    /// Evaluations that were on.
    pub yes: i64,
    /// Evaluations that were off.
    pub no: i64,
    /// Evaluations by variant. Absent when there were none with a variant.
    pub variants: Option<BTreeMap<String, i64>>,
}

/// Evaluations of a feature hour by hour.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "FeatureMetrics")]
pub struct RawMetricsBody {
    /// Version of this format: 1.
    pub version: i64,
    /// Maturity of this format: `stable`.
    pub maturity: String,
    /// Evaluations by hour, application and environment, newest first.
    pub data: Vec<FeatureMetricsBody>,
}

/// Evaluations of a feature in the last hour, and the applications that evaluate it.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "FeatureUsage", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct FeatureUsageBody {
    /// Version of this format: 1.
    pub version: i64,
    /// Maturity of this format: `stable`.
    pub maturity: String,
    /// Name of the feature.
    pub feature_name: String,
    /// Evaluations in the current and the previous hour, by environment.
    pub last_hour_usage: Vec<FeatureMetricsBody>,
    /// Names of the applications that evaluated the feature in the last 24 hours, sorted.
    pub seen_applications: Vec<String>,
}

#[OpenApi(tag = "Tag::Applications")]
impl FeatureUsageApi {
    /// Get the usage of a feature
    ///
    /// Evaluations in the last hour, and the applications that evaluate the feature. Needs no permission but to see the
    /// feature.
    #[oai(
        path = "/api/admin/client-metrics/features/:featureName",
        method = "get",
        operation_id = "getFeatureUsageSummary"
    )]
    async fn get_feature_usage_summary(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        #[oai(name = "featureName")] feature_name: Path<String>,
    ) -> Result<Out<FeatureUsageBody>, Fails<LookupRefusals>> {
        check(state, &caller, &feature_name).await?;
        let now = state.clock.now();
        let hours =
            store::features::usage::hours(&state.db.heavy(), &feature_name, hours_back(now, SEEN_HOURS)).await?;
        let seen: BTreeSet<&String> = hours.iter().map(|hour| &hour.application).collect();
        let seen_applications = seen.into_iter().cloned().collect();
        let last = hours.iter().filter(|hour| hour.timestamp >= hours_back(now, 1));
        Ok(Out(FeatureUsageBody {
            version: 1,
            maturity: "stable".to_owned(),
            last_hour_usage: by_environment(last, &feature_name),
            feature_name: feature_name.0,
            seen_applications,
        }))
    }

    /// Get the hourly usage of a feature
    ///
    /// Evaluations by hour, application and environment. Needs no permission but to see the feature.
    #[oai(
        path = "/api/admin/client-metrics/features/:featureName/raw",
        method = "get",
        operation_id = "getRawFeatureMetrics"
    )]
    async fn get_raw_feature_metrics(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        #[oai(name = "featureName")] feature_name: Path<String>,
        /// Hours to go back from now. Anything but a whole number from 1 to 48 means 48.
        #[oai(name = "hoursBack")]
        hours_asked: Query<Option<HoursBackParameter>>,
    ) -> Result<Out<RawMetricsBody>, Fails<LookupRefusals>> {
        check(state, &caller, &feature_name).await?;
        let asked = hours_asked.0.and_then(|asked| asked.0).and_then(|asked| i64::try_from(asked).ok());
        let asked = asked.filter(|asked| (1..=MOST_HOURS_BACK).contains(asked)).unwrap_or(MOST_HOURS_BACK);
        let from = hours_back(state.clock.now(), asked);
        let hours = store::features::usage::hours(&state.db.heavy(), &feature_name, from).await?;
        let data = hours.into_iter().map(|hour| FeatureMetricsBody {
            feature_name: feature_name.0.clone(),
            app_name: Some(hour.application),
            environment: hour.environment,
            timestamp: hour.timestamp,
            yes: hour.yes,
            no: hour.no,
            variants: (!hour.variants.is_empty()).then_some(hour.variants),
        });
        Ok(Out(RawMetricsBody { version: 1, maturity: "stable".to_owned(), data: data.collect() }))
    }
}

/// Start of the hour that lies so many hours back.
fn hours_back(now: Timestamp, hours: i64) -> Timestamp {
    now.plus_millis(-hours * HOUR_MS).floor_hour()
}

fn by_environment<'a>(hours: impl Iterator<Item = &'a Hour>, feature: &str) -> Vec<FeatureMetricsBody> {
    let mut sums: BTreeMap<&str, FeatureMetricsBody> = BTreeMap::new();
    for hour in hours {
        let sum = sums.entry(&hour.environment).or_insert_with(|| FeatureMetricsBody {
            feature_name: feature.to_owned(),
            app_name: None,
            environment: hour.environment.clone(),
            timestamp: hour.timestamp,
            yes: 0,
            no: 0,
            variants: None,
        });
        sum.timestamp = sum.timestamp.max(hour.timestamp);
        sum.yes += hour.yes;
        sum.no += hour.no;
        for (variant, count) in &hour.variants {
            *sum.variants.get_or_insert_default().entry(variant.clone()).or_default() += count;
        }
    }
    sums.into_values().collect()
}

/// Refuses a feature that does not exist, or that the caller may not see.
async fn check(state: &State, caller: &Caller, name: &str) -> Result<(), Error> {
    let missing = || Error::not_found("feature", name);
    let owner = store::features::find_owner(&state.db, name).await?.ok_or_else(missing)?;
    if caller.visibility().await?.admits(&owner) { Ok(()) } else { Err(missing()) }
}
