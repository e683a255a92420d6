//! Usage of a feature over hours, days and months.

use std::{cmp::Reverse, collections::BTreeMap};

use poem::web::Data;
use poem_openapi::{
    Object, OpenApi,
    param::{Path, Query},
};
use serde::Serialize;

use crate::{
    api::{
        Tag,
        answer::{Fails, LookupRefusals, Out},
        caller::AuthenticatedCaller,
        features::reading::look_up_feature,
        parameter::{NameParameter, UsagePeriodParameter},
    },
    domain::{
        ids::{FeatureName, ProjectId},
        time::Timestamp,
        usage_period::{UsageBucket, UsagePeriod},
    },
    state::State,
    store::features::usage_history::{self, Count, Counts, UsageQuery},
};

/// The operation on usage over a period.
#[derive(Debug)]
pub struct UsageHistoryApi;

/// Evaluations of a feature over a period.
#[serde_with_macros::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
#[oai(rename = "FeatureUsageHistory", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct UsageHistoryBody {
    /// Name of the feature.
    pub feature_name: String,
    /// Name of the environment that was asked for. Absent when all were.
    pub environment: Option<String>,
    /// Name of the application that was asked for. Absent when all were.
    pub app_name: Option<String>,
    /// The period.
    pub period: UsagePeriod,
    /// Length of time that each point stands for.
    pub bucket: UsageBucket,
    /// Evaluations that were on, in the whole period.
    pub yes: i64,
    /// Evaluations that were off, in the whole period.
    pub no: i64,
    /// Evaluations by time, oldest first: one point for each hour, day or month of the period, also for those without
    /// evaluations.
    pub points: Vec<UsagePointBody>,
    /// Evaluations by application: the 20 with the most evaluations, those first.
    pub applications: Vec<ApplicationHistoryBody>,
    /// Number of further applications. Their evaluations are in the totals and points of the whole alone.
    pub other_applications: u64,
    /// Evaluations by variant: the 20 that were given most often, those first.
    pub variants: Vec<VariantHistoryBody>,
    /// Number of further variants. Their evaluations are in `withVariant` of the points alone.
    pub other_variants: u64,
}

/// Evaluations in an hour, day or month.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Object)]
#[oai(rename = "FeatureUsagePoint", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct UsagePointBody {
    /// Its start.
    pub start: Timestamp,
    /// Evaluations that were on.
    pub yes: i64,
    /// Evaluations that were off.
    pub no: i64,
    /// Evaluations that gave a variant, whichever.
    pub with_variant: i64,
}

/// Evaluations by an application in an hour, day or month.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Object)]
#[oai(rename = "ApplicationUsagePoint")]
pub struct ApplicationPointBody {
    /// Its start.
    pub start: Timestamp,
    /// Evaluations that were on.
    pub yes: i64,
    /// Evaluations that were off.
    pub no: i64,
}

/// Evaluations by one application.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
#[oai(rename = "ApplicationUsageHistory", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct ApplicationHistoryBody {
    /// Name of the application.
    pub app_name: String,
    /// Evaluations that were on, in the whole period.
    pub yes: i64,
    /// Evaluations that were off, in the whole period.
    pub no: i64,
    /// Evaluations by time, at the same times as the points of the whole.
    pub points: Vec<ApplicationPointBody>,
}

/// Evaluations that gave one variant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
#[oai(rename = "VariantUsageHistory")]
pub struct VariantHistoryBody {
    /// Name of the variant, as programs reported it.
    pub variant: String,
    /// Evaluations that gave it, in the whole period.
    pub count: i64,
    /// Evaluations by time, at the same times as the points of the whole.
    pub points: Vec<VariantPointBody>,
}

/// Evaluations that gave a variant in an hour, day or month.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Object)]
#[oai(rename = "VariantUsagePoint")]
pub struct VariantPointBody {
    /// Its start.
    pub start: Timestamp,
    /// Evaluations that gave the variant.
    pub count: i64,
}

#[OpenApi(tag = "Tag::Applications")]
impl UsageHistoryApi {
    /// Get the usage of a feature over a period
    ///
    /// Evaluations by hour, day or month, in UTC, up to now, by application and by variant. Needs no permission but to
    /// see the feature, which may be archived. Reports may come up to a day late and count for the time that they are
    /// about. Usage by the day is kept for 731 days, also that of environments and applications that were deleted
    /// since. Days that were added up before this operation existed have no variants. Usage is deleted with its feature.
    #[oai(
        path = "/api/admin/projects/:projectId/features/:featureName/usage",
        method = "get",
        operation_id = "getFeatureUsageHistory"
    )]
    #[expect(clippy::too_many_arguments, reason = "one for each parameter of the published operation")]
    async fn get_feature_usage_history(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        #[oai(name = "featureName")] feature_name: Path<String>,
        /// Only evaluations in this environment. Absent: in all of them, added up. One from which nothing was reported
        /// has no evaluations.
        environment: Query<Option<NameParameter>>,
        /// Only evaluations by this application. Absent: by all of them. One that reported nothing has no evaluations.
        #[oai(name = "appName")]
        app_name: Query<Option<NameParameter>>,
        /// `48h`: 48 hours by the hour. `30d`: 30 days by the day. `24m`: 24 months by the month. Each ends with the
        /// current one.
        period: Query<Option<UsagePeriodParameter>>,
    ) -> Result<Out<UsageHistoryBody>, Fails<LookupRefusals>> {
        let (project, name) = (ProjectId::new(&project_id), FeatureName::new(&feature_name));
        look_up_feature(&caller, state, project, name).await?;
        let period = period.0.map(|period| period.0).unwrap_or_default();
        let [environment, application] = [environment.0, app_name.0].map(|name| name.map(|name| name.0));
        let buckets = period.buckets(state.clock.now());
        let query = UsageQuery {
            feature: &feature_name,
            environment: environment.as_deref(),
            application: application.as_deref(),
            period,
            from: buckets[0],
        };
        let db = &state.db.heavy();
        let by_application = usage_history::by_application(db, &query).await?;
        let by_variant = usage_history::by_variant(db, &query).await?;
        let points = whole(&by_application, &by_variant, &buckets);
        let applications = applications(&by_application, &buckets);
        let variants = variants(&by_variant, &buckets);
        let others = |names: u64, told: usize| names.saturating_sub(u64::try_from(told).unwrap_or(u64::MAX));
        Ok(Out(UsageHistoryBody {
            feature_name: feature_name.0,
            environment,
            app_name: application,
            period,
            bucket: period.bucket(),
            yes: points.iter().map(|point| point.yes).sum(),
            no: points.iter().map(|point| point.no).sum(),
            points,
            other_applications: others(by_application.names, applications.len()),
            applications,
            other_variants: others(by_variant.names, variants.len()),
            variants,
        }))
    }
}

/// A point for each bucket, with the sum of the counts in it.
fn points<'c>(buckets: &[Timestamp], counts: impl Iterator<Item = &'c Count>) -> Vec<ApplicationPointBody> {
    let empty = |start: &Timestamp| ApplicationPointBody { start: *start, yes: 0, no: 0 };
    let mut points: Vec<_> = buckets.iter().map(empty).collect();
    for count in counts {
        if let Ok(at) = buckets.binary_search(&count.start) {
            points[at].yes += count.yes;
            points[at].no += count.no;
        }
    }
    points
}

fn whole(by_application: &Counts, by_variant: &Counts, buckets: &[Timestamp]) -> Vec<UsagePointBody> {
    let all = points(buckets, by_application.counts.iter());
    let with_variant = points(buckets, by_variant.counts.iter());
    let both = all.into_iter().zip(with_variant);
    both.map(|(all, varied)| UsagePointBody { start: all.start, yes: all.yes, no: all.no, with_variant: varied.yes })
        .collect()
}

/// Points of each name that is told apart.
fn by_name<'c>(counts: &'c Counts, buckets: &[Timestamp]) -> BTreeMap<&'c str, Vec<ApplicationPointBody>> {
    let mut named: BTreeMap<&str, Vec<&Count>> = BTreeMap::new();
    for count in &counts.counts {
        if let Some(name) = &count.name {
            named.entry(name).or_default().push(count);
        }
    }
    named.into_iter().map(|(name, counts)| (name, points(buckets, counts.into_iter()))).collect()
}

fn applications(counts: &Counts, buckets: &[Timestamp]) -> Vec<ApplicationHistoryBody> {
    let told = by_name(counts, buckets).into_iter().map(|(name, points)| ApplicationHistoryBody {
        app_name: name.to_owned(),
        yes: points.iter().map(|point| point.yes).sum(),
        no: points.iter().map(|point| point.no).sum(),
        points,
    });
    let mut told: Vec<_> = told.collect();
    told.sort_by_key(|application| Reverse(application.yes + application.no));
    told
}

fn variants(counts: &Counts, buckets: &[Timestamp]) -> Vec<VariantHistoryBody> {
    let point = |point: &ApplicationPointBody| VariantPointBody { start: point.start, count: point.yes };
    let told = by_name(counts, buckets).into_iter().map(|(name, points)| VariantHistoryBody {
        variant: name.to_owned(),
        count: points.iter().map(|point| point.yes).sum(),
        points: points.iter().map(point).collect(),
    });
    let mut told: Vec<_> = told.collect();
    told.sort_by_key(|variant| Reverse(variant.count));
    told
}
