//! Taking the figures behind the insights: of today every hour, and of the past from history.

use std::collections::{BTreeMap, HashMap};

use flagstone_domain::{
    health::{HealthCounts, TimesToProduction},
    insights::{
        ACTIVE_DAYS, HISTORY_DAYS, Week,
        activity::{self, UserCounts},
        days_before,
        history::Census,
    },
    time::Timestamp,
};
use flagstone_state::State;
use flagstone_store::{
    self as store, StoreError,
    db::{NoEvent, Tx},
    insights::{
        figures, history,
        record::{self, FlagDay, Known, ProjectFigures, WeekUpdates},
    },
    projects::statistics::{self, FirstEnabling},
};

/// Takes the figures of this moment: rows of today and of this week are replaced. Fills in history first where it has
/// never been done, or days are missing because nothing ran on them.
pub async fn record_insights(state: &State) -> Result<(), StoreError> {
    let now = state.clock.now();
    if history_is_missing(state, now).await? {
        return backfill(state).await;
    }
    record(state, now).await
}

async fn history_is_missing(state: &State, now: Timestamp) -> Result<bool, StoreError> {
    if store::jobs::last_finished(&state.db, store::jobs::HISTORY).await?.is_none() {
        return Ok(true);
    }
    let newest = history::newest_day_before(&state.db, now.end_of_day()).await?;
    Ok(newest.is_some_and(|newest| newest < now.end_of_day().plus_days(-1)))
}

/// Fills in the figures of past days and weeks from creation, archive and event history, then takes those of this
/// moment. Doing it again, for instance after an import, replaces figures that history gives better now.
pub async fn backfill(state: &State) -> Result<(), StoreError> {
    let now = state.clock.now();
    if let Some(beginning) = history::beginning(&state.db).await? {
        let oldest = beginning.max(now.plus_days(-HISTORY_DAYS));
        fill_days_and_projects(state, now, oldest).await?;
        fill_users(state, now, oldest).await?;
        fill_usage_and_updates(state, now, oldest).await?;
    }
    record(state, now).await?;
    let tx = state.db.begin().await?;
    store::jobs::finish(&tx, store::jobs::HISTORY, now).await?;
    tx.commit_without_event(NoEvent::Upkeep).await
}

async fn record(state: &State, now: Timestamp) -> Result<(), StoreError> {
    let week = Week::of(now);
    let today = now.end_of_day();
    let lifetimes = store::health::lifetimes(&state.db).await?;
    let users = figures::users(&state.db, now).await?;
    let counts: HashMap<_, _> =
        store::health::counts_by_project(&state.db, &lifetimes, now).await?.into_iter().collect();
    let members: HashMap<_, _> = statistics::member_counts(&state.db).await?.into_iter().collect();
    let times = times_to_production(&statistics::all_first_enablings(&state.db).await?, now);
    let projects: Vec<_> = history::projects(&state.db)
        .await?
        .into_iter()
        .filter(|project| project.archived_at.is_none())
        .map(|project| ProjectFigures {
            counts: counts.get(&project.id).copied().unwrap_or_default(),
            times: times.get(&project.id).copied().unwrap_or_default(),
            members: Some(members.get(&project.id).copied().unwrap_or_default()),
            project: project.id,
        })
        .collect();
    let in_use: BTreeMap<&str, HealthCounts> = counts
        .iter()
        .map(|(project, counts)| (&**project, *counts))
        .chain(projects.iter().map(|figures| (&*figures.project, figures.counts)))
        .collect();
    let flags: Vec<_> = in_use.into_iter().map(|(project, counts)| FlagDay { day: today, project, counts }).collect();
    let tx = state.db.begin().await?;
    record::user_days(&tx, &[(today, users)], Known::Replace).await?;
    record::flag_days(&tx, &flags).await?;
    record::project_week(&tx, &week, &projects).await?;
    // Reports of the last hours of a week may come in when the next one has begun.
    for week in [week.before(), week] {
        record_usage_and_updates(&tx, &week).await?;
    }
    tx.commit_without_event(NoEvent::Upkeep).await
}

async fn record_usage_and_updates(tx: &Tx, week: &Week) -> Result<(), StoreError> {
    let end = week.date.plus_millis(1);
    record::metrics_week(tx, week, &figures::usage(tx, week.start, end).await?).await?;
    let mut updates = WeekUpdates::new();
    for day in figures::updates(tx, week.start, end).await? {
        *updates.entry((day.environment_type, day.project)).or_default() += day.total;
    }
    record::environment_type_week(tx, week, &updates).await
}

/// Features of each project, by day and by week.
async fn fill_days_and_projects(state: &State, now: Timestamp, oldest: Timestamp) -> Result<(), StoreError> {
    let days = days_before(now, oldest);
    let lifetimes = store::health::lifetimes(&state.db).await?;
    let (present, past) = (history::present(&state.db).await?, history::past(&state.db).await?);
    let census = Census::take(present, past, &lifetimes, &days);
    let by_project: HashMap<&str, Vec<HealthCounts>> = census.by_project().collect();
    let flags: Vec<_> = by_project
        .iter()
        .flat_map(|(project, counts)| {
            let all = days.iter().zip(counts).map(|(day, counts)| FlagDay { day: *day, project, counts: *counts });
            all.skip_while(|flag| flag.counts.total() == 0)
        })
        .collect();
    let lives = history::projects(&state.db).await?;
    let enablings = statistics::all_first_enablings(&state.db).await?;
    let mut weeks = Vec::new();
    for week in Week::of(now).all_before(oldest) {
        let Some(day) = days.iter().position(|day| *day == week.date) else { continue };
        let times = times_to_production(&enablings, week.date);
        let counts = |project: &str| by_project.get(project).map(|counts| counts[day]).unwrap_or_default();
        let there = lives.iter().filter(|life| life.holds(week.date) || counts(&life.id).total() > 0);
        let figures = there.map(|life| ProjectFigures {
            project: life.id.clone(),
            counts: counts(&life.id),
            times: times.get(&life.id).copied().unwrap_or_default(),
            members: None,
        });
        weeks.push((figures.collect::<Vec<_>>(), week));
    }
    let tx = state.db.begin().await?;
    record::flag_days(&tx, &flags).await?;
    for (figures, week) in &weeks {
        record::project_week(&tx, week, figures).await?;
    }
    tx.commit_without_event(NoEvent::Upkeep).await
}

/// People, by day. What was counted on the day itself is kept: it knew who was active, of which history keeps little.
async fn fill_users(state: &State, now: Timestamp, oldest: Timestamp) -> Result<(), StoreError> {
    let days = days_before(now, oldest);
    let stays = history::stays(&state.db, oldest.plus_days(-ACTIVE_DAYS)).await?;
    let counts = days.iter().copied().zip(activity::count(stays, &days));
    let counts: Vec<(Timestamp, UserCounts)> = counts.skip_while(|(_, counts)| counts.total == 0).collect();
    let tx = state.db.begin().await?;
    record::user_days(&tx, &counts, Known::Keep).await?;
    tx.commit_without_event(NoEvent::Upkeep).await
}

/// Usage and changes, by week.
async fn fill_usage_and_updates(state: &State, now: Timestamp, oldest: Timestamp) -> Result<(), StoreError> {
    let this_week = Week::of(now);
    let first_usage = figures::first_usage(&state.db).await?;
    let mut by_week: HashMap<String, WeekUpdates> = HashMap::new();
    for day in figures::updates(&state.db, oldest.floor_day(), this_week.start).await? {
        let week = by_week.entry(day.day().week()).or_default();
        *week.entry((day.environment_type, day.project)).or_default() += day.total;
    }
    let used = |week: &Week| first_usage.is_some_and(|first| first <= week.date);
    for week in this_week.all_before(oldest) {
        let updates = by_week.remove(&week.name).unwrap_or_default();
        if updates.is_empty() && !used(&week) {
            continue;
        }
        let usage = figures::usage(&state.db, week.start, week.date.plus_millis(1)).await?;
        let tx = state.db.begin().await?;
        record::environment_type_week(&tx, &week, &updates).await?;
        record::metrics_week(&tx, &week, &usage).await?;
        tx.commit_without_event(NoEvent::Upkeep).await?;
    }
    Ok(())
}

/// The times to production by project, of those features that had been enabled in production by a moment.
fn times_to_production(enablings: &[FirstEnabling], by: Timestamp) -> HashMap<String, TimesToProduction> {
    let mut times: HashMap<String, TimesToProduction> = HashMap::new();
    for enabling in enablings.iter().filter(|enabling| enabling.enabled_at <= by) {
        let times = times.entry(enabling.project.clone()).or_default();
        times.features += 1;
        times.days += enabling.days;
    }
    times
}
