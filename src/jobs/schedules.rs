//! Applying change requests at the time that they are scheduled for.

use flagstone_access::Caller;
use flagstone_changes::{
    Author, Begin,
    change_requests::{
        application::{apply, hold_targets},
        standing::missing_request,
    },
    freeze::is_freeze,
    guard::Passage,
};
use flagstone_clock as clock;
use flagstone_domain::{
    actor::Actor,
    change_request::event::{Subject, note_schedule},
    ids::{EnvironmentName, ProjectId},
    permission::Permission,
};
use flagstone_error::Error;
use flagstone_state::State;
use flagstone_store::{
    self as store, StoreError,
    change_requests::schedules::{self, Claimed},
    db::NoEvent,
};

/// Change requests that one run applies at most, so that a stop need not wait for all of them.
const MOST_AT_ONCE: usize = 20;
/// Lifetime of a claim: of a node that died, others take it over then.
const CLAIM_MS: i64 = 60_000;

/// Reason why a schedule fails whose scheduler has been deactivated.
const DEACTIVATED: &str = "The account of the user who scheduled it is deactivated.";
/// Reason why a schedule fails whose scheduler may not apply change requests any more.
const NOT_PERMITTED: &str = "The user who scheduled it may not apply change requests in the environment any more.";
/// Reason why a schedule fails by a fault of the server, whose cause may quote the database.
const FAULT: &str = "The server failed; its log tells more.";

/// Frees what was being applied when a server without other nodes ended.
pub async fn resume_scheduled(state: &State) -> Result<(), StoreError> {
    if state.db.is_shared() {
        return Ok(());
    }
    let tx = state.db.begin().await?;
    schedules::release_all(&tx).await?;
    tx.commit_without_event(NoEvent::Upkeep).await
}

/// Applies the change requests whose time has come, each in a transaction of its own, in the name of the user who
/// scheduled it. Those that cannot be applied are noted as failed. Under maintenance, all wait.
pub async fn apply_scheduled(state: &State) -> Result<(), StoreError> {
    for _ in 0..MOST_AT_ONCE {
        if !schedules::any_due(&state.db, state.clock.now()).await? || is_paused(state).await? {
            break;
        }
        let claimant = clock::new_uuid().to_string();
        let now = state.clock.now();
        let tx = state.db.begin().await?;
        let claimed = schedules::claim_due(&tx, &claimant, 1, now, now.plus_millis(CLAIM_MS)).await?;
        tx.commit_without_event(NoEvent::Upkeep).await?;
        // Another node was quicker.
        let Some(claimed) = claimed.into_iter().next() else { break };
        settle(state, &claimant, &claimed).await?;
    }
    Ok(())
}

async fn is_paused(state: &State) -> Result<bool, StoreError> {
    Ok(state.sdk.maintenance().await?.is_some_and(|maintenance| maintenance.enabled))
}

/// End of an attempt to apply what is claimed.
#[derive(Debug)]
enum Ending {
    /// It was applied, or is no longer this node's.
    Done,
    /// It waits for the end of a freeze. The claim stays, so that others have their turn.
    Frozen,
    /// It cannot be applied, for this reason.
    Failed(Actor, String),
}

async fn settle(state: &State, claimant: &str, claimed: &Claimed) -> Result<(), StoreError> {
    match attempt(state, claimant, claimed).await? {
        Ending::Done | Ending::Frozen => Ok(()),
        Ending::Failed(actor, reason) => fail(state, claimant, claimed.change_request_id, &actor, &reason).await,
    }
}

/// Applies what is claimed. An error is one that passes: of the database, or of others that were in the way. Nothing is
/// kept then, and the claim ends by itself.
async fn attempt(state: &State, claimant: &str, claimed: &Claimed) -> Result<Ending, StoreError> {
    let id = claimed.change_request_id;
    let Some(caller) = Caller::of_person(&state.db, claimed.scheduled_by).await? else {
        return Ok(Ending::Failed(Actor::system(), DEACTIVATED.to_owned()));
    };
    let passage = Passage::Approved { change_request: id };
    let author = Author { caller: &caller, db: &state.db, clock: &state.clock, limits: &state.config.limits, passage };
    match apply_claimed(author, claimant, claimed).await {
        Ok(ending) => Ok(ending),
        Err(error) if is_freeze(&error) => Ok(Ending::Frozen),
        Err(Error::Busy(error)) => {
            let tx = state.db.begin().await?;
            schedules::release(&tx, claimant).await?;
            tx.commit_without_event(NoEvent::Upkeep).await?;
            Err(passing(error))
        }
        Err(Error::Unavailable(error) | Error::DiskFull(error)) => Err(passing(error)),
        Err(Error::Internal(error)) => {
            tracing::error!(
                target: "flagstone::jobs::schedules",
                change_request = id,
                %error,
                "a scheduled change request failed"
            );
            Ok(Ending::Failed(caller.actor(), FAULT.to_owned()))
        }
        Err(refusal) => Ok(Ending::Failed(caller.actor(), refusal.to_string())),
    }
}

pub(super) fn passing(error: Box<dyn std::error::Error + Send + Sync>) -> StoreError {
    error.downcast::<StoreError>().map_or_else(|other| StoreError::external(other.to_string()), |error| *error)
}

async fn apply_claimed(author: Author<'_>, claimant: &str, claimed: &Claimed) -> Result<Ending, Error> {
    let id = claimed.change_request_id;
    let transaction = author.begin(Begin::Change).await?;
    let (tx, now) = (&transaction.tx, transaction.now);
    hold_targets(&transaction, id).await?;
    let Some(head) = schedules::hold_claimed(tx, id, claimant, now).await? else { return Ok(Ending::Done) };
    let (project, environment) = (ProjectId::new(&head.project), EnvironmentName::new(&head.environment));
    if !author.caller.grants().allow(Permission::ApplyChangeRequest, Some(project), Some(environment)) {
        return Ok(Ending::Failed(author.caller.actor(), NOT_PERMITTED.to_owned()));
    }
    let request = store::change_requests::find(tx, id).await?.ok_or_else(|| missing_request(id))?;
    let mut events = apply(&transaction, &head, &request, true).await?;
    note_schedule(&mut events, claimed.due_at, now);
    transaction.commit(events).await?;
    Ok(Ending::Done)
}

/// Notes that what is claimed cannot be applied, with its event, unless it is no longer this node's.
async fn fail(state: &State, claimant: &str, id: i64, actor: &Actor, reason: &str) -> Result<(), StoreError> {
    let tx = state.db.begin().await?;
    let Some(head) = store::change_requests::hold(&tx, id).await? else { return Ok(()) };
    if !schedules::fail(&tx, id, claimant, reason).await? {
        return Ok(());
    }
    let subject = Subject { id, project: &head.project, environment: &head.environment, is_draft: false };
    tx.commit(state.clock.now(), [subject.failed(reason, actor)]).await
}
