//! Keeping usage small: days are added up once nothing more can be reported for them, and old rows go.

use crate::{
    domain::{
        time::{HOUR_MS, Timestamp},
        usage::EARLIEST_MS,
    },
    state::State,
    store::{
        StoreError,
        db::NoEvent,
        programs::{unknown_flags, usage_history},
    },
};

/// Whole days for which usage is kept by the hour, today not counted.
const HOURLY_DAYS: i64 = 3;
/// Days for which usage is kept by the day.
const DAILY_DAYS: i64 = 731;
/// Days after which a running copy of an application that is not heard of is forgotten.
const INSTANCE_DAYS: i64 = 7;
/// Days after which a feature is forgotten that does not exist and that programs stopped asking for.
const UNKNOWN_FLAG_DAYS: i64 = 7;

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
