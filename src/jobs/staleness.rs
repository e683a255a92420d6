//! Marking features that have outlived their type.

use flagstone_domain::{actor::Actor, event::NewEvent, event_kind::EventKind};
use flagstone_state::State;
use flagstone_store::{self as store, StoreError, db::NoEvent};

/// Features that one transaction marks, so that other writers get their turn.
const BATCH: u64 = 100;

/// Marks features in use as potentially stale that are not marked as stale and have reached the lifetime of their type,
/// each with its event, and takes the mark off those for which that no longer holds, without one.
pub async fn mark_potentially_stale(state: &State) -> Result<(), StoreError> {
    let now = state.clock.now();
    let lifetimes = store::health::lifetimes(&state.db).await?;
    if store::health::any_to_unmark(&state.db, &lifetimes, now).await? {
        let tx = state.db.begin().await?;
        store::health::unmark_potentially_stale(&tx, &lifetimes, now).await?;
        tx.commit_without_event(NoEvent::Upkeep).await?;
    }
    let actor = Actor::system();
    while store::health::any_to_mark(&state.db, &lifetimes, now).await? {
        let tx = state.db.begin().await?;
        let marked = store::health::mark_potentially_stale(&tx, &lifetimes, now, BATCH).await?;
        if marked.is_empty() {
            // Another node was quicker.
            break;
        }
        let mut events = Vec::with_capacity(marked.len());
        for feature in &marked {
            let tags = store::tags::of_feature(&tx, feature.id).await?;
            let event = NewEvent::new(EventKind::FeaturePotentiallyStaleOn, &actor);
            events.push(event.in_project(&feature.project).of_feature(&feature.name, &tags));
        }
        tx.commit(now, events).await?;
        tracing::info!(
            target: "flagstone::jobs::staleness",
            features = marked.len(),
            "features have outlived their type"
        );
    }
    Ok(())
}
