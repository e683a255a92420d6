//! Writing rows of days and weeks. Each function replaces what it is about, so that doing it twice is doing it once.

use std::collections::BTreeMap;

use flagstone_domain::{
    health::{HealthCounts, TimesToProduction},
    insights::{Week, activity::UserCounts},
    time::Timestamp,
};
use sea_orm::{ActiveValue::Set, ColumnTrait, EntityTrait, QueryFilter, sea_query::OnConflict};

use crate::{
    StoreError,
    db::{Tx, batches::WRITTEN_AT_ONCE},
    entity::{
        insight_environment_type_week, insight_flag_day, insight_metrics_week, insight_project_week, insight_user_day,
    },
    insights::figures::Usage,
};

/// Whether figures that are there already are taken again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Known {
    /// Figures that are there stay.
    Keep,
    /// Figures that are there are replaced.
    Replace,
}

/// Stores how many people there were, by the end of the day.
pub async fn user_days(tx: &Tx, days: &[(Timestamp, UserCounts)], known: Known) -> Result<(), StoreError> {
    use insight_user_day::{ActiveModel, Column, Entity};
    let mut conflict = OnConflict::column(Column::Day);
    match known {
        Known::Keep => conflict.do_nothing(),
        Known::Replace => conflict.update_columns([Column::Total, Column::Active, Column::Inactive]),
    };
    for batch in days.chunks(WRITTEN_AT_ONCE) {
        let rows = batch.iter().map(|(day, counts)| ActiveModel {
            day: Set(*day),
            total: Set(counts.total),
            active: Set(counts.active),
            inactive: Set(counts.total - counts.active),
        });
        Entity::insert_many(rows).on_conflict(conflict.clone()).exec_without_returning(tx).await?;
    }
    Ok(())
}

/// The features of a project by the end of a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FlagDay<'a> {
    /// The end of the day.
    pub day: Timestamp,
    /// Id of the project.
    pub project: &'a str,
    /// Its features in use.
    pub counts: HealthCounts,
}

/// Stores how many features each project had, in the place of what is stored from the first of these days to the last.
pub async fn flag_days(tx: &Tx, days: &[FlagDay<'_>]) -> Result<(), StoreError> {
    use insight_flag_day::{ActiveModel, Column, Entity};
    let ends = days.iter().map(|day| day.day);
    let (Some(first), Some(last)) = (ends.clone().min(), ends.max()) else { return Ok(()) };
    Entity::delete_many().filter(Column::Day.between(first, last)).exec(tx).await?;
    for batch in days.chunks(WRITTEN_AT_ONCE) {
        let rows = batch.iter().map(|day| ActiveModel {
            day: Set(day.day),
            project: Set(day.project.to_owned()),
            total: Set(day.counts.total()),
            active: Set(day.counts.healthy),
            stale: Set(day.counts.stale),
            potentially_stale: Set(day.counts.potentially_stale),
        });
        Entity::insert_many(rows).exec_without_returning(tx).await?;
    }
    Ok(())
}

/// A project in one week.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectFigures {
    /// Id of the project.
    pub project: String,
    /// Its features in use.
    pub counts: HealthCounts,
    /// Its times to production.
    pub times: TimesToProduction,
    /// Its members, if that is known; otherwise a number that is there already stays.
    pub members: Option<i64>,
}

/// Stores the figures of projects in one week, with one date for all.
pub async fn project_week(tx: &Tx, week: &Week, projects: &[ProjectFigures]) -> Result<(), StoreError> {
    use insight_project_week::{ActiveModel, Column, Entity};
    let mut columns = vec![
        Column::Date,
        Column::Health,
        Column::TimeToProduction,
        Column::Total,
        Column::Active,
        Column::Stale,
        Column::PotentiallyStale,
    ];
    if projects.iter().all(|figures| figures.members.is_some()) {
        columns.push(Column::Users);
    }
    let conflict = OnConflict::columns([Column::Week, Column::Project]).update_columns(columns).to_owned();
    for batch in projects.chunks(WRITTEN_AT_ONCE) {
        let rows = batch.iter().map(|figures| ActiveModel {
            week: Set(week.name.clone()),
            project: Set(figures.project.clone()),
            date: Set(week.date),
            health: Set(figures.counts.health()),
            time_to_production: Set(figures.times.mean_days()),
            total: Set(figures.counts.total()),
            active: Set(figures.counts.healthy),
            stale: Set(figures.counts.stale),
            potentially_stale: Set(figures.counts.potentially_stale),
            users: Set(figures.members),
        });
        Entity::insert_many(rows).on_conflict(conflict.clone()).exec_without_returning(tx).await?;
    }
    // Projects that are gone keep the figures of the day on which they were last there, under the date of all.
    Entity::update_many().col_expr(Column::Date, week.date.into()).filter(Column::Week.eq(&week.name)).exec(tx).await?;
    Ok(())
}

/// Stores the usage of one week, with one date for all projects. Usage is counted from the rows that are kept, so a
/// week none of which is left keeps its figures.
pub async fn metrics_week(tx: &Tx, week: &Week, usage: &[Usage]) -> Result<(), StoreError> {
    use insight_metrics_week::{ActiveModel, Column, Entity};
    if usage.is_empty() {
        return Ok(());
    }
    Entity::delete_many().filter(Column::Week.eq(&week.name)).exec(tx).await?;
    for batch in usage.chunks(WRITTEN_AT_ONCE) {
        let rows = batch.iter().map(|usage| ActiveModel {
            week: Set(week.name.clone()),
            project: Set(usage.project.clone()),
            date: Set(week.date),
            total_requests: Set(usage.yes + usage.no),
            total_yes: Set(usage.yes),
            total_no: Set(usage.no),
            total_apps: Set(usage.apps),
            total_flags: Set(usage.features),
            total_environments: Set(usage.environments),
        });
        Entity::insert_many(rows).exec_without_returning(tx).await?;
    }
    Ok(())
}

/// Changes in one week, by the type of the environments and the id of the project.
pub type WeekUpdates = BTreeMap<(String, String), i64>;

/// Stores how many changes environments of each type saw in one week, with one date for all.
pub async fn environment_type_week(tx: &Tx, week: &Week, updates: &WeekUpdates) -> Result<(), StoreError> {
    use insight_environment_type_week::{ActiveModel, Column, Entity};
    Entity::delete_many().filter(Column::Week.eq(&week.name)).exec(tx).await?;
    let rows: Vec<_> = updates
        .iter()
        .map(|((environment_type, project), total)| ActiveModel {
            week: Set(week.name.clone()),
            environment_type: Set(environment_type.clone()),
            project: Set(project.clone()),
            date: Set(week.date),
            total_updates: Set(*total),
        })
        .collect();
    for batch in rows.chunks(WRITTEN_AT_ONCE) {
        Entity::insert_many(batch.to_vec()).exec_without_returning(tx).await?;
    }
    Ok(())
}
