//! Delivery of events to integrations: at least once, by one node at a time, with more patience the longer it fails.
//!
//! The log of events is the queue, so that a change pays nothing for the integrations that it concerns and none is
//! lost: a committed event is in the log. A round moves the integrations on in the log, with a row for each delivery,
//! and takes on what is due. A node that dies while it delivers leaves a claim that ends; the next node sends the same
//! message by the same id.

mod attempt;
mod trials;

use std::{sync::Arc, time::Duration};

use flagstone_chance as chance;
use flagstone_domain::{
    event::Event,
    integration::{Integration, delivery},
};
use flagstone_state::{
    State,
    deliveries::{Ending, UnderWay},
};
use flagstone_store::{
    self as store, StoreError,
    db::NoEvent,
    integrations::{
        deliveries::{Claimed, claim, due, finish, release},
        departing::receiver,
        owners,
        spreading::{is_news, spread},
    },
};
use opentelemetry::{KeyValue, trace::SpanKind};
use tokio::task::JoinHandle;

pub use self::{
    attempt::{Attempted, Quoting},
    trials::try_out,
};

/// Target of lines in the log, by the part of the program: a crate is none to those who operate it.
const LOG: &str = "flagstone::deliveries";

/// Time limit for an attempt, however many requests it makes.
const ATTEMPT: Duration = Duration::from_mins(1);
/// Lifetime of a claim on a delivery, after which another node may take it.
const CLAIM_MS: i64 = 90_000;
/// Looks at the log of one round, at most: where changes keep coming, some are left for the next one.
const LOOKS: usize = 20;
/// Integrations without room that a round looks at, at most: the next one goes on behind them.
const IN_VAIN: usize = 50;
/// Time until the next round unless a delivery ends before: what changes meanwhile is looked at together.
const TICK: Duration = Duration::from_secs(1);

/// Delivers for ever.
pub async fn run(state: State) {
    if !state.db.is_shared()
        && let Err(error) = begin_anew(&state).await
    {
        tracing::error!(target: LOG, %error, "cannot resume earlier deliveries");
    }
    loop {
        if let Err(error) = round(&state).await {
            tracing::error!(target: LOG, %error, "delivery round failed, retrying");
        }
        tokio::select! {
            () = state.deliveries.ended.notified() => {}
            () = tokio::time::sleep(TICK) => {}
        }
    }
}

/// Frees what was being delivered when the server ended.
async fn begin_anew(state: &State) -> Result<(), StoreError> {
    let tx = state.db.begin().await?;
    release(&tx).await?;
    tx.commit_without_event(NoEvent::Upkeep).await
}

/// Moves the integrations on in the log, and begins to deliver what is due, as far as there is room. Returns what was
/// begun, which goes on by itself.
pub async fn round(state: &State) -> Result<Vec<JoinHandle<()>>, StoreError> {
    if is_news(&state.db).await? {
        move_on(state).await?;
    }
    let (mut begun, mut in_vain) = (Vec::new(), 0);
    for id in state.deliveries.places.in_turn(due(&state.db, state.clock.now()).await?) {
        if state.deliveries.places.are_taken() || in_vain >= IN_VAIN {
            break;
        }
        state.deliveries.places.look_at(id);
        let Some(integration) = receiver(&state.db, &state.vault, id).await? else { continue };
        let room = state.deliveries.places.room_for(&integration);
        if room == 0 {
            in_vain += 1;
            continue;
        }
        let now = state.clock.now();
        let tx = state.db.begin().await?;
        // Of one that departs the end is what is heard last.
        let in_order = integration.parameters.is_true("ordered") || integration.departed_from.is_some();
        let claimed = claim(&tx, id, in_order, room as u64, now, now.plus_millis(CLAIM_MS)).await?;
        tx.commit_without_event(NoEvent::Upkeep).await?;
        let integration = Arc::new(integration);
        for one in claimed {
            let under_way = UnderWay::begin(&state.deliveries.places, &integration);
            let (state, integration) = (state.clone(), Arc::clone(&integration));
            begun.push(tokio::spawn(async move {
                let about = [
                    KeyValue::new("flagstone.integration.id", integration.id),
                    KeyValue::new("flagstone.integration.provider", integration.provider.name()),
                    KeyValue::new("flagstone.delivery.attempt", one.attempts),
                ];
                let work = deliver(&state, &integration, &one);
                let outcome = state.config.traces.work("delivery", SpanKind::Producer, about, work).await;
                if let Err(error) = outcome {
                    tracing::error!(
                        target: LOG,
                        %error,
                        integration = integration.id,
                        delivery = one.id,
                        "delivery failed, it will be repeated"
                    );
                }
                drop(under_way);
                state.deliveries.ended.notify_one();
            }));
        }
    }
    Ok(begun)
}

/// Moves the integrations on in the log, to its end or as far as the looks of one round lead.
async fn move_on(state: &State) -> Result<(), StoreError> {
    for _ in 0..LOOKS {
        let tx = state.db.begin().await?;
        let may_be_more = spread(&tx, state.clock.now()).await?;
        tx.commit_without_event(NoEvent::Upkeep).await?;
        if !may_be_more {
            break;
        }
    }
    Ok(())
}

/// Attempts a delivery that was taken on, and writes how that ended.
async fn deliver(state: &State, integration: &Integration, claimed: &Claimed) -> Result<(), StoreError> {
    let mut events = store::events::log::with_ids(&state.db, &[claimed.event_id]).await?;
    let attempted = match events.pop() {
        Some(event) => match refusal_of_sight(state, integration, &event).await? {
            None => {
                let outbound = &state.deliveries.outbound;
                attempt::attempt(state, outbound, integration, &event, &claimed.message_id, Quoting::Beginning).await
            }
            Some(reason) => Attempted::never(reason),
        },
        None => Attempted::never("The event is no longer in the log."),
    };
    let now = state.clock.now();
    let ending = Ending::from(&attempted.outcome);
    state.deliveries.count(ending);
    let attempts = usize::try_from(claimed.attempts).unwrap_or(usize::MAX);
    let step = delivery::after(attempted.outcome, attempts, now, chance::share());
    let tx = state.db.begin().await?;
    finish(&tx, claimed, &step, &attempted.details.to_string()).await?;
    store::integrations::note_failing(&tx, integration.id, (ending != Ending::Taken).then_some(now)).await?;
    tx.commit_without_event(NoEvent::Upkeep).await
}

/// Reason why an event is not sent to an integration by what its owner may see now.
async fn refusal_of_sight(
    state: &State,
    integration: &Integration,
    event: &Event,
) -> Result<Option<&'static str>, StoreError> {
    if integration.is_about_itself(event) {
        return Ok(None);
    }
    Ok(match owners::sight(&state.db, integration.owner.as_ref()).await? {
        None => Some("Nobody owns the integration any more: somebody who may see what it is told must save it."),
        Some(sight) if !integration.may_be_told(event, &sight) => {
            Some("The owner of the integration may not see the event.")
        }
        Some(_) => None,
    })
}
