//! Insights: the instance in figures, now and over time.

use flagstone_wire::Number;
use poem_openapi::Object;
use serde::Serialize;

use crate::{
    health::HealthCounts,
    time::{DAY_MS, Timestamp},
};

pub mod activity;
pub mod history;
mod steps;

/// Days within which a user must have been seen to count as active.
pub const ACTIVE_DAYS: i64 = 60;
/// Days that daily figures cover unless asked otherwise.
pub const DAYS_SHOWN: i64 = 90;
/// Days that weekly figures cover unless asked otherwise.
pub const WEEKS_SHOWN_DAYS: i64 = 52 * 7;
/// Days back to which figures are filled in from history.
pub const HISTORY_DAYS: i64 = 2 * WEEKS_SHOWN_DAYS;

/// The instance in figures.
#[derive(Debug, Clone, PartialEq, Object, Serialize)]
#[oai(rename = "InstanceInsights", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct Insights {
    /// The people who can sign in, as of this call.
    pub users: UserTotals,
    /// The features of the projects that the caller may see, as of this call.
    pub flags: FlagTotals,
    /// The people, one entry per UTC day, oldest first.
    pub user_trends: Vec<UserTrend>,
    /// The features of the projects that the caller may see, one entry per UTC day, oldest first.
    pub flag_trends: Vec<FlagTrend>,
    /// The projects that the caller may see, one entry per week and project, oldest first, then by project.
    pub project_flag_trends: Vec<ProjectFlagTrend>,
    /// Usage of the features of the projects that the caller may see, one entry per week and project that reported
    /// any, oldest first, then by project.
    pub metrics_summary_trends: Vec<MetricsSummaryTrend>,
    /// Changes to the configuration of features of the projects that the caller may see, one entry per week and type of
    /// environment that saw any, oldest first, then by type.
    pub environment_type_trends: Vec<EnvironmentTypeTrend>,
}

/// Numbers of people.
#[derive(Debug, Clone, Copy, PartialEq, Object, Serialize)]
#[oai(rename = "InsightsUsers")]
pub struct UserTotals {
    /// All people who have an account.
    pub total: Number,
    /// Users who were active in the past 60 days.
    pub active: Number,
    /// Users who were not active in the past 60 days.
    pub inactive: Number,
}

/// Numbers of features.
#[derive(Debug, Clone, Copy, PartialEq, Object, Serialize)]
#[oai(rename = "InsightsFlags")]
pub struct FlagTotals {
    /// Features that are not archived.
    pub total: Number,
}

/// People on one day.
#[derive(Debug, Clone, Copy, PartialEq, Object, Serialize)]
#[oai(rename = "InsightsUserTrend")]
pub struct UserTrend {
    /// End of the UTC day.
    pub date: Timestamp,
    /// All people who had an account.
    pub total: Number,
    /// Users who were active in the 60 days before.
    pub active: Number,
    /// Users who were not active in the 60 days before.
    pub inactive: Number,
}

/// Features on one day.
#[derive(Debug, Clone, Copy, PartialEq, Object, Serialize)]
#[oai(rename = "InsightsFlagTrend", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct FlagTrend {
    /// End of the UTC day.
    pub date: Timestamp,
    /// All features that were not archived.
    pub total: Number,
    /// Features that are neither stale nor potentially stale.
    pub active: Number,
    /// Features that were marked as stale.
    pub stale: Number,
    /// Potentially stale features: not marked as stale, and older than the lifetime of their type.
    pub potentially_stale: Number,
}

/// Features of one project in one week.
#[serde_with_macros::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Object, Serialize)]
#[oai(rename = "InsightsProjectFlagTrend", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct ProjectFlagTrend {
    /// Year and number of the week, which starts on Monday. Sorts by time.
    #[oai(validator(pattern = r"^\d{4}-\d{2}$"))]
    pub week: String,
    /// Id of the project.
    pub project: String,
    /// Percentage of features that are neither stale nor potentially stale, 0 to 100.
    #[oai(validator(minimum(value = "0"), maximum(value = "100")))]
    pub health: Number,
    /// Mean days from creation to the first enabling in an environment of type production, over features of type
    /// release. Absent when there are no such features.
    pub time_to_production: Option<Number>,
    /// End of the UTC day on which the figures were last taken; the same for all projects of one week.
    pub date: Timestamp,
    /// All features that were not archived.
    pub total: Number,
    /// Features that are neither stale nor potentially stale.
    pub active: Number,
    /// Features that were marked as stale.
    pub stale: Number,
    /// Potentially stale features: not marked as stale, and older than the lifetime of their type.
    pub potentially_stale: Number,
    /// People with a role in the project, directly or through a group. Absent for weeks before figures were taken.
    pub users: Option<Number>,
}

/// Usage of one project's features in one week.
#[derive(Debug, Clone, PartialEq, Object, Serialize)]
#[oai(rename = "InsightsMetricsSummaryTrend", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct MetricsSummaryTrend {
    /// Year and number of the week, which starts on Monday. Sorts by time.
    #[oai(validator(pattern = r"^\d{4}-\d{2}$"))]
    pub week: String,
    /// End of the UTC day on which the figures were last taken; the same for all projects of one week.
    pub date: Timestamp,
    /// Id of the project.
    pub project: String,
    /// Evaluations.
    pub total_requests: Number,
    /// Evaluations that were on.
    pub total_yes: Number,
    /// Evaluations that were off.
    pub total_no: Number,
    /// Number of applications that evaluated.
    pub total_apps: Number,
    /// Number of features that were evaluated.
    pub total_flags: Number,
    /// Number of environments in which they were evaluated.
    pub total_environments: Number,
}

/// Changes in environments of one type in one week.
#[derive(Debug, Clone, PartialEq, Object, Serialize)]
#[oai(rename = "InsightsEnvironmentTypeTrend", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct EnvironmentTypeTrend {
    /// End of the UTC day on which the figures were last taken; the same for all types of one week.
    pub date: Timestamp,
    /// Year and number of the week, which starts on Monday. Sorts by time.
    #[oai(validator(pattern = r"^\d{4}-\d{2}$"))]
    pub week: String,
    /// Type of the environments, such as `production`.
    pub environment_type: String,
    /// Events about features in environments of the type.
    pub total_updates: Number,
}

/// A week of figures: from its Monday until the day on which they are taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Week {
    /// Its name.
    pub name: String,
    /// Its first instant.
    pub start: Timestamp,
    /// The last millisecond of the day on which figures are taken, at most that of its Sunday.
    pub date: Timestamp,
}

impl Week {
    /// The week that holds an instant, with figures taken on that day.
    pub fn of(now: Timestamp) -> Self {
        Self { name: now.week(), start: monday(now), date: now.end_of_day() }
    }

    /// The whole week before this one.
    #[must_use]
    pub fn before(&self) -> Self {
        Self::of(self.start.plus_millis(-1))
    }

    /// Whole weeks that end before this one begins, back to the one that holds `oldest`, oldest first.
    pub fn all_before(&self, oldest: Timestamp) -> Vec<Self> {
        let earlier = |week: &Self| Some(week.before()).filter(|week| week.date >= oldest);
        let mut weeks: Vec<Self> = std::iter::successors(earlier(self), earlier).collect();
        weeks.reverse();
        weeks
    }
}

/// 1970 began on a Thursday.
const fn monday(now: Timestamp) -> Timestamp {
    let weekday = (now.millis().div_euclid(DAY_MS) + 3).rem_euclid(7);
    now.floor_day().plus_days(-weekday)
}

/// The ends of the days before that of `now`, back to the day that holds `oldest`, oldest first.
pub fn days_before(now: Timestamp, oldest: Timestamp) -> Vec<Timestamp> {
    let mut days: Vec<Timestamp> =
        std::iter::successors(Some(now.end_of_day().plus_days(-1)), |day| Some(day.plus_days(-1)))
            .take_while(|day| *day >= oldest)
            .collect();
    days.reverse();
    days
}

impl FlagTrend {
    /// The features in some states on the day that ends at `date`.
    pub fn of(date: Timestamp, counts: HealthCounts) -> Self {
        Self {
            date,
            total: counts.total().into(),
            active: counts.healthy.into(),
            stale: counts.stale.into(),
            potentially_stale: counts.potentially_stale.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        Timestamp::parse(text).expect("valid")
    }

    #[test]
    fn a_week_runs_from_its_monday_to_the_day_of_the_figures() {
        let week = Week::of(at("2026-01-15T12:00:00Z"));
        assert_eq!(week.name, "2026-02");
        assert_eq!(week.start, at("2026-01-12T00:00:00Z"));
        assert_eq!(week.date, at("2026-01-15T23:59:59.999Z"));
        let before = week.before();
        assert_eq!(before.name, "2026-01");
        assert_eq!((before.start, before.date), (at("2026-01-05T00:00:00Z"), at("2026-01-11T23:59:59.999Z")));
    }

    #[test]
    fn a_monday_begins_its_own_week() {
        let monday = at("2026-01-12T00:00:00Z");
        assert_eq!(Week::of(monday).start, monday);
        assert_eq!(Week::of(monday.plus_millis(-1)).start, at("2026-01-05T00:00:00Z"));
    }

    #[test]
    fn weeks_before_reach_back_to_the_one_of_the_oldest_instant() {
        let week = Week::of(at("2026-01-15T12:00:00Z"));
        let names = |oldest| week.all_before(at(oldest)).into_iter().map(|week| week.name).collect::<Vec<_>>();
        assert_eq!(names("2025-12-28T23:59:59.999Z"), ["2025-51", "2025-52", "2026-01"]);
        assert_eq!(names("2025-12-29T00:00:00Z"), ["2025-52", "2026-01"]);
        assert!(names("2026-01-12T00:00:00Z").is_empty());
    }

    #[test]
    fn days_before_end_yesterday() {
        let days = days_before(at("2026-01-15T00:00:00Z"), at("2026-01-13T23:59:59.999Z"));
        assert_eq!(days, [at("2026-01-13T23:59:59.999Z"), at("2026-01-14T23:59:59.999Z")]);
        assert!(days_before(at("2026-01-15T12:00:00Z"), at("2026-01-15T00:00:00Z")).is_empty());
    }
}
