//! The status of a project: what happened in it, what it holds, and where its features are in their life.

use std::collections::BTreeMap;

use poem::web::Data;
use poem_openapi::{Object, OpenApi, param::Path};
use serde::Serialize;

use super::load;
use crate::{
    api::{
        Tag,
        answer::{Fails, LookupRefusals, Out},
        caller::AuthenticatedCaller,
    },
    domain::{lifecycle::Stage, time::DAY_MS},
    state::State,
    store::{
        features::figures::{self, FeaturesOf},
        projects::resources,
    },
    wire::{Nullable, Number},
};

/// Days of activity that are shown.
const DAYS_SHOWN: i64 = 365;
/// Days that count as lately, for archived features.
const LATELY_DAYS: i64 = 30;

/// The operation on the status of a project.
#[derive(Debug)]
pub struct ProjectStatusApi;

/// Number of events of a day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
#[oai(rename = "DayActivity")]
pub struct DayActivityBody {
    /// The day, in UTC, such as `2026-01-31`.
    pub date: String,
    /// Number of events.
    pub count: i64,
}

/// Health of a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Object)]
#[oai(rename = "CurrentHealth")]
pub struct CurrentHealthBody {
    /// Percentage of features that are neither stale nor potentially stale, rounded; 100 without features.
    pub current: i64,
}

/// Technical debt of a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Object)]
#[oai(rename = "CurrentTechnicalDebt")]
pub struct TechnicalDebtBody {
    /// Percentage of features that are stale or potentially stale: what the health leaves of 100.
    pub current: i64,
}

/// Contents of a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Object)]
#[oai(rename = "ProjectResources", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct ResourcesBody {
    /// API tokens for the project, those for all projects left out.
    pub api_tokens: u64,
    /// Users with a role in the project, directly or through a group.
    pub members: i64,
    /// Segments of the project.
    pub segments: u64,
}

/// Stale features of a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Object)]
#[oai(rename = "StaleFlags")]
pub struct StaleFlagsBody {
    /// Stale and potentially stale features that are not archived.
    pub total: i64,
}

/// Features of a project in a stage.
#[derive(Debug, Clone, PartialEq, Serialize, Object)]
#[oai(rename = "StageSummary", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct StageSummaryBody {
    /// Mean of the days that features spent in the stage before they entered another one, one decimal; `null` when none
    /// has.
    pub average_days: Nullable<Number>,
    /// Features that are in the stage.
    pub current_flags: i64,
}

/// Archived features of a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Object)]
#[oai(rename = "ArchivedSummary", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct ArchivedSummaryBody {
    /// Archived features.
    pub current_flags: u64,
    /// Features archived in the last 30 days.
    pub last30_days: u64,
}

/// Features of a project by stage.
#[derive(Debug, Clone, PartialEq, Serialize, Object)]
#[oai(rename = "LifecycleSummary", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct LifecycleSummaryBody {
    /// Features that no application has asked for.
    pub initial: StageSummaryBody,
    /// Features that applications have asked for, in no environment of type `production` while enabled.
    pub pre_live: StageSummaryBody,
    /// Features that applications have asked for in an environment of type `production` while enabled.
    pub live: StageSummaryBody,
    /// Completed features.
    pub completed: StageSummaryBody,
    /// Archived features.
    pub archived: ArchivedSummaryBody,
}

/// Status of a project.
#[derive(Debug, Clone, PartialEq, Serialize, Object)]
#[oai(rename = "ProjectStatus", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct ProjectStatusBody {
    /// Events in the project by day, of the last 365 days; days without events are left out.
    pub activity_count_by_date: Vec<DayActivityBody>,
    /// Health of the project.
    pub health: CurrentHealthBody,
    /// Technical debt of the project.
    pub technical_debt: TechnicalDebtBody,
    /// Contents of the project.
    pub resources: ResourcesBody,
    /// Stale features.
    pub stale_flags: StaleFlagsBody,
    /// Features by stage.
    pub lifecycle_summary: LifecycleSummaryBody,
}

#[OpenApi(tag = "Tag::Projects")]
impl ProjectStatusApi {
    /// Get a project's status
    ///
    /// Activity, contents and health of the project, and its features by stage, as of this call. Needs no permission but
    /// to see the project.
    #[oai(path = "/api/admin/projects/:projectId/status", method = "get", operation_id = "getProjectStatus")]
    async fn get_project_status(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
    ) -> Result<Out<ProjectStatusBody>, Fails<LookupRefusals>> {
        let project = caller.visible_project(&project_id).await?;
        let (db, now, id) = (&state.db.heavy(), state.clock.now(), project.id());
        let found = load(state, db, &caller, &project).await?;
        let of_project = FeaturesOf::Project(id);
        let current = figures::stages(db, of_project).await?;
        let mut spent: BTreeMap<Stage, (i64, i64)> = BTreeMap::new();
        for (stage, millis) in figures::durations(db, id).await? {
            let (features, total) = spent.entry(stage).or_default();
            (*features, *total) = (*features + 1, total.saturating_add(millis));
        }
        let summary = |stage| StageSummaryBody {
            average_days: spent.get(&stage).map(|(features, millis)| mean_days(*features, *millis)).into(),
            current_flags: current.get(&stage).copied().unwrap_or_default(),
        };
        let activity = resources::activity_by_day(db, id, now.plus_days(-DAYS_SHOWN)).await?;
        Ok(Out(ProjectStatusBody {
            activity_count_by_date: activity
                .into_iter()
                .map(|(date, count)| DayActivityBody { date: date.to_string(), count })
                .collect(),
            health: CurrentHealthBody { current: found.counts.health() },
            technical_debt: TechnicalDebtBody { current: found.counts.technical_debt() },
            resources: ResourcesBody {
                api_tokens: resources::count_tokens(db, id).await?,
                members: found.members.total,
                segments: resources::count_segments(db, id).await?,
            },
            stale_flags: StaleFlagsBody { total: found.counts.stale + found.counts.potentially_stale },
            lifecycle_summary: LifecycleSummaryBody {
                initial: summary(Stage::Initial),
                pre_live: summary(Stage::PreLive),
                live: summary(Stage::Live),
                completed: summary(Stage::Completed),
                archived: ArchivedSummaryBody {
                    current_flags: figures::count_archived(db, of_project, None).await?,
                    last30_days: figures::count_archived(db, of_project, Some(now.plus_days(-LATELY_DAYS))).await?,
                },
            },
        }))
    }
}

/// Days of a sum of milliseconds over some features, one decimal.
fn mean_days(features: i64, millis: i64) -> Number {
    let tenths = (millis * 10 + features * DAY_MS / 2) / (features * DAY_MS);
    Number::tenths(tenths)
}
