//! Usage of features: reports of programs are written, days are added up once nothing more can be reported for them,
//! and old rows go.

use flagstone_domain::{
    actor::Actor,
    event::NewEvent,
    event_kind::EventKind,
    time::{HOUR_MS, Timestamp},
    usage::{EARLIEST_MS, Gathered},
};
use flagstone_state::State;
use flagstone_store::{
    self as store, StoreError,
    db::NoEvent,
    programs::{unknown_flags, usage_history},
};

/// Whole days for which usage is kept by the hour, today not counted.
const HOURLY_DAYS: i64 = 3;
/// Days for which usage is kept by the day.
const DAILY_DAYS: i64 = 731;
/// Days after which a running copy of an application that is not heard of is forgotten.
const INSTANCE_DAYS: i64 = 7;
/// Days after which a feature is forgotten that does not exist and that programs stopped asking for.
const UNKNOWN_FLAG_DAYS: i64 = 7;

/// Writes the usage gathered on this node, with an event for each application that was not known. What cannot be
/// written is gathered again.
pub async fn write_usage(state: &State) -> Result<(), StoreError> {
    let gathered = state.usage.take();
    if gathered.is_empty() {
        return Ok(());
    }
    let outcome = write_gathered(state, &gathered).await;
    if outcome.is_err() {
        state.usage.put_back(gathered);
    }
    outcome
}

async fn write_gathered(state: &State, gathered: &Gathered) -> Result<(), StoreError> {
    let now = state.clock.now();
    let tx = state.db.begin().await?;
    let written = store::programs::usage::write(&tx, gathered, now).await?;
    let actor = Actor::system();
    let events: Vec<NewEvent> = written
        .new_applications
        .iter()
        .map(|name| {
            let heard = gathered.applications.get(name);
            let data = serde_json::json!({
                "appName": name,
                "createdAt": now,
                "strategies": heard.map(|heard| heard.strategies.as_slice()).unwrap_or_default(),
            });
            NewEvent::new(EventKind::ApplicationCreated, &actor).with_data(&data)
        })
        .collect();
    tx.commit(now, events).await?;
    state.usage.repeated(written.repeated);
    Ok(())
}

/// Adds up the days that are over, and forgets what is older than it is kept, and reports that cannot come again.
pub async fn keep_usage_small(state: &State) -> Result<(), StoreError> {
    let now = state.clock.now();
    // Reports may come in late; those of a day that was added up would be lost.
    let settled = now.plus_millis(-EARLIEST_MS - HOUR_MS).floor_day();
    if let Some(oldest) = usage_history::oldest_hour(&state.db).await? {
        let mut day = oldest.floor_day();
        while day < settled {
            add_up(state, day).await?;
            day = day.plus_days(1);
        }
    }
    let hours = now.floor_day().plus_days(-HOURLY_DAYS).min(settled);
    let tx = state.db.begin().await?;
    usage_history::forget_usage(&tx, hours, now.floor_day().plus_days(-DAILY_DAYS)).await?;
    usage_history::forget_reports(&tx, now).await?;
    usage_history::forget_instances(&tx, now.plus_days(-INSTANCE_DAYS)).await?;
    unknown_flags::forget(&tx, now.plus_days(-UNKNOWN_FLAG_DAYS)).await?;
    tx.commit_without_event(NoEvent::Usage).await
}

async fn add_up(state: &State, day: Timestamp) -> Result<(), StoreError> {
    // Apart: a day may come from a version or a server that kept no days of variants.
    let features = !usage_history::is_added_up(&state.db, day).await?;
    let variants = !usage_history::are_variants_added_up(&state.db, day).await?;
    if !features && !variants {
        return Ok(());
    }
    let tx = state.db.begin().await?;
    if features {
        usage_history::add_up(&tx, day).await?;
    }
    if variants {
        usage_history::add_up_variants(&tx, day).await?;
    }
    tx.commit_without_event(NoEvent::Usage).await
}
