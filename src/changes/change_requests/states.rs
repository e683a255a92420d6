//! States of change requests: review, approval, application, and the end.

use flagstone_domain::{
    change_request::{
        Person, conflict,
        event::Subject,
        review::{Review, Verdict},
        schedule,
        state::State,
        transition::{Effect, Refusal, Step, Wish},
    },
    change_summary::ChangesBody,
    event::NewEvent,
    project::VisibleProject,
    time::Timestamp,
};
use flagstone_error::Error;
use flagstone_store::change_requests::{self, discussion, schedules, targets};

use super::{
    application,
    discussion::comment_on,
    standing::{HeldRequest, missing_request, state_error},
};
use crate::{Author, Begin, Transaction, guard::Passage, if_match::IfMatch};

/// State that a user wants a change request to be in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// Waiting for approvals.
    InReview,
    /// Approved by the user.
    Approved,
    /// Rejected by the user.
    Rejected,
    /// Given up.
    Cancelled,
    /// With its changes made now.
    Applied,
    /// With its changes to be made at this time.
    Scheduled(Timestamp),
}

impl Wanted {
    const fn wish(self) -> Wish {
        match self {
            Self::InReview => Wish::SendToReview,
            Self::Approved => Wish::Approve,
            Self::Rejected => Wish::Reject,
            Self::Cancelled => Wish::Cancel,
            Self::Applied => Wish::Apply,
            Self::Scheduled(_) => Wish::Schedule,
        }
    }
}

impl Author<'_> {
    /// Moves a change request to a state, with a comment if there is one, or with `dry_run` returns what that would
    /// change.
    pub async fn change_state(
        self,
        project: &VisibleProject,
        id: i64,
        wanted: Wanted,
        comment: Option<&str>,
        if_match: &IfMatch,
        dry_run: bool,
    ) -> Result<ChangesBody, Error> {
        let passage = match wanted {
            Wanted::Applied => Passage::Approved { change_request: id },
            _ => self.passage,
        };
        let transaction = Author { passage, ..self }.begin(Begin::Change).await?;
        if wanted == Wanted::Applied {
            // Nobody locks what belongs to a project that they may not see.
            let owner = change_requests::find_project(&transaction.tx, id).await?;
            if owner.as_deref() != Some(project.id()) {
                return Err(missing_request(id));
            }
            application::hold_targets(&transaction, id).await?;
        }
        let held = HeldRequest::hold(&transaction, project, id, if_match).await?;
        let step = held.step(wanted.wish()).await?;
        let mut events = Vec::new();
        if let Some(comment) = comment {
            events.push(comment_on(&held, comment).await?);
        }
        events.extend(take(&transaction, &held, wanted, step).await?);
        drop(held);
        transaction.commit_or_preview(events, dry_run).await
    }
}

/// Takes the step that a user may take, and returns its events.
async fn take(
    transaction: &Transaction<'_>,
    held: &HeldRequest<'_>,
    wanted: Wanted,
    step: Step,
) -> Result<Vec<NewEvent>, Error> {
    let (tx, actor, id) = (&transaction.tx, held.actor(), held.head.id);
    match step.effect {
        Effect::MakeChanges => return application::apply(transaction, &held.head, &held.request, false).await,
        Effect::AddApproval => return approve(transaction, held, step.to).await,
        Effect::AddRejection => {
            review(transaction, held, Verdict::Rejection).await?;
            schedules::end(tx, id).await?;
        }
        Effect::SetSchedule => {
            if let Wanted::Scheduled(at) = wanted {
                return set_schedule(transaction, held, at).await;
            }
        }
        Effect::Nothing | Effect::Gone | Effect::DropApprovals => {}
    }
    held.enter(step.to, 0).await?;
    match wanted {
        Wanted::Rejected => Ok(vec![held.subject().rejected(&actor)]),
        Wanted::Cancelled => Ok(vec![held.subject().cancelled(&actor)]),
        _ => sent_to_review(held).await,
    }
}

/// Events of a draft that is sent to review: with its changes, its title, and the requested approvers, which events of the
/// draft leave out.
async fn sent_to_review(held: &HeldRequest<'_>) -> Result<Vec<NewEvent>, Error> {
    let (actor, request) = (held.actor(), &held.request);
    let asked = discussion::approver_ids(&held.transaction.tx, request.id).await?;
    let sent = held.subject().sent_to_review(&request.changes, request.title.as_deref(), &actor);
    let in_review = Subject { is_draft: false, ..held.subject() };
    Ok(std::iter::once(sent).chain(in_review.reviewers_asked(&[], &asked, &actor)).collect())
}

async fn approve(transaction: &Transaction<'_>, held: &HeldRequest<'_>, to: State) -> Result<Vec<NewEvent>, Error> {
    let review = review(transaction, held, Verdict::Approval).await?;
    let review = review.ok_or_else(|| state_error(Refusal::AlreadyApproved.to_string()))?;
    held.enter(to, 0).await?;
    let is_deciding = to == State::Approved;
    Ok(held.subject().approved(&review, held.head.min_approvals, is_deciding, &held.actor()))
}

/// Adds the verdict of the user; `None` when the user has given it before.
async fn review(
    transaction: &Transaction<'_>,
    held: &HeldRequest<'_>,
    verdict: Verdict,
) -> Result<Option<Review>, Error> {
    let Transaction { tx, now, .. } = transaction;
    let id = change_requests::add_review(tx, held.head.id, held.user_id, verdict, &held.digest, *now).await?;
    let created_by = Person::unnamed(held.user_id);
    Ok(id.map(|id| Review { id, digest: held.digest.clone(), created_by, created_at: *now }))
}

async fn set_schedule(
    transaction: &Transaction<'_>,
    held: &HeldRequest<'_>,
    at: Timestamp,
) -> Result<Vec<NewEvent>, Error> {
    schedule::judge_time(at, transaction.now).map_err(|rule| Error::property("/body/scheduledAt", rule))?;
    let request = &held.request;
    let changes = request.changes.iter().map(|change| (&change.target, &change.action));
    let current = targets::current(&transaction.tx, &request.environment, changes.clone()).await?;
    let mut conflicts =
        changes.filter_map(|(target, action)| conflict::of_change(target, action, &request.project, &current));
    if let Some(conflict) = conflicts.next() {
        return Err(state_error(format!("The change request cannot be scheduled. {conflict}.")));
    }
    held.enter(State::Scheduled, 0).await?;
    schedules::set(&transaction.tx, request.id, at, held.user_id).await?;
    Ok(vec![held.subject().scheduled(at, &held.actor())])
}
