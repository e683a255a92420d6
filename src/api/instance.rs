//! The instance as a whole: its insights.

pub mod console;
pub mod health;
pub mod log_level;
pub mod maintenance;
pub mod metrics;
pub mod statistics;
pub mod ui_config;

use chrono::NaiveDate;
use poem::web::Data;
use poem_openapi::{OpenApi, param::Query};

use crate::{
    access::Caller,
    api::{
        Tag,
        answer::{Fails, Out, QueryRefusals, ReadRefusals},
        caller::AuthenticatedCaller,
        parameter::OptionalDayParameter,
    },
    domain::{
        insights::{DAYS_SHOWN, Insights, WEEKS_SHOWN_DAYS},
        time::Timestamp,
    },
    error::Error,
    state::State,
    store::{self, insights::Range},
};

/// The operations on the instance as a whole.
#[derive(Debug)]
pub struct InstanceApi;

/// The operations in this folder and this file.
pub fn operations() -> impl OpenApi {
    (
        InstanceApi,
        console::ConsoleApi,
        health::HealthApi,
        log_level::LogLevelApi,
        maintenance::MaintenanceApi,
        metrics::MetricsApi,
        statistics::StatisticsApi,
        ui_config::UiConfigApi,
    )
}

#[OpenApi(tag = "Tag::Instance")]
impl InstanceApi {
    /// Get the instance insights (former path)
    ///
    /// The same as `/api/admin/insights` without a range. Deprecated since 0.1.0: use `getInsights`.
    #[oai(path = "/api/admin/dashboard/executive", method = "get", operation_id = "getInstanceInsights", deprecated)]
    async fn get_instance_insights(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
    ) -> Result<Out<Insights>, Fails<ReadRefusals>> {
        Ok(Out(insights(state, &caller, None, None).await?))
    }

    /// Get the instance insights
    ///
    /// Users, features, usage and changes, now and over time. Figures of today and of this week are updated every hour;
    /// those of earlier days and weeks do not change any more. Needs no permission; figures of projects and features
    /// leave out projects that the caller may not see. Without a range, daily figures cover the last 90 days and weekly
    /// ones about a year.
    #[oai(path = "/api/admin/insights", method = "get", operation_id = "getInsights")]
    async fn get_insights(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        /// First day of the figures, UTC, as `yyyy-MM-dd`. Absent or empty: 90 days before the end for daily figures,
        /// about a year before it for weekly ones.
        from: Query<Option<OptionalDayParameter>>,
        /// Last day of the figures, UTC, as `yyyy-MM-dd`, itself included. Absent or empty: today.
        to: Query<Option<OptionalDayParameter>>,
    ) -> Result<Out<Insights>, Fails<QueryRefusals>> {
        let day = |parameter: Query<Option<OptionalDayParameter>>| parameter.0.and_then(|parameter| parameter.0.0);
        let (from, to) = (day(from), day(to));
        if from.zip(to).is_some_and(|(from, to)| from > to) {
            return Err(Error::invalid("/query/from", "The query parameter `from` must not be later than `to`.").into());
        }
        Ok(Out(insights(state, &caller, from, to).await?))
    }
}

async fn insights(
    state: &State,
    caller: &Caller,
    from: Option<NaiveDate>,
    to: Option<NaiveDate>,
) -> Result<Insights, Error> {
    let now = state.clock.now();
    let to = to.map_or(now, Timestamp::start_of).end_of_day();
    let from = from.map(Timestamp::start_of);
    let back = |days: i64| from.unwrap_or_else(|| to.plus_days(-days).plus_millis(1));
    let range = Range { days_from: back(DAYS_SHOWN), weeks_from: back(WEEKS_SHOWN_DAYS), to };
    Ok(store::insights::read(&state.db.heavy(), range, &caller.visibility().await?, now).await?)
}
