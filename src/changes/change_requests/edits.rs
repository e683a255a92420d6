//! Editing and discarding what change requests hold.

use flagstone_domain::{
    change_request::{
        Change, ChangeRequest, Target,
        action::Action,
        event::ShownChange,
        transition::{Effect, Wish},
    },
    ids::EnvironmentName,
    project::VisibleProject,
    tag::Tag,
};
use flagstone_error::Error;
use flagstone_store::change_requests;

use super::{
    judging::{self, RequestedChange},
    record::tags_of,
    standing::{HeldRequest, missing_request, state_error},
};
use crate::{Author, Begin, if_match::IfMatch};

impl Author<'_> {
    /// Replaces a change of a change request by another one of the same target. Returns the change request.
    pub async fn edit_change(
        self,
        project: &VisibleProject,
        id: i64,
        change_id: i64,
        requested: RequestedChange,
        if_match: &IfMatch,
    ) -> Result<ChangeRequest, Error> {
        let transaction = self.begin(Begin::Change).await?;
        // Judging locks what the change names, and applications lock that before the change request.
        let environment = {
            let seen = HeldRequest::look(&transaction, project, id, if_match).await?;
            seen.step(Wish::Edit).await?;
            change_of(&seen.request, change_id)?;
            seen.head.environment
        };
        let place = requested.place.clone();
        let requested = vec![requested];
        let environment = EnvironmentName::new(&environment);
        judging::require_place(&transaction, project.as_id(), environment, &requested).await?;
        let mut changes = judging::admitted(&transaction, project.as_id(), environment, requested).await?;
        let after = changes.pop().ok_or_else(|| Error::internal("a change is one change"))?;
        let held = HeldRequest::hold(&transaction, project, id, if_match).await?;
        let step = held.step(Wish::Edit).await?;
        let before = change_of(&held.request, change_id)?.clone();
        if !is_same(&before.target, &after.target) {
            return Err(Error::property(
                format!("{place}/feature"),
                "must be as it is: a change of something else is another change",
            ));
        }
        if before.action == after.action {
            return Ok(held.request);
        }
        let snapshot =
            if is_about_same(&before.action, &after.action) { before.snapshot.clone() } else { after.snapshot };
        change_requests::edit(&transaction.tx, &held.head, change_id, &after.action, snapshot.as_ref()).await?;
        drop_approvals(&held, step.effect).await?;
        held.enter(step.to, 1).await?;
        let tags = tags_of_change(&held, &before).await?;
        let shown = |action| ShownChange { id: change_id, target: &before.target, action, tags: &tags };
        let event = held.subject().change_edited(&shown(&before.action), &shown(&after.action), &held.actor());
        let request = change_requests::find(&transaction.tx, id).await?;
        drop(held);
        transaction.commit([event]).await?;
        request.ok_or_else(|| Error::internal("a change request has gone while it was held"))
    }

    /// Takes a change out of a change request, in which another one must stay.
    pub async fn discard_change(
        self,
        project: &VisibleProject,
        id: i64,
        change_id: i64,
        if_match: &IfMatch,
    ) -> Result<(), Error> {
        let transaction = self.begin(Begin::Change).await?;
        let held = HeldRequest::hold(&transaction, project, id, if_match).await?;
        let step = held.step(Wish::Edit).await?;
        let change = change_of(&held.request, change_id)?;
        if held.request.changes.len() == 1 {
            let message = "The last change of a change request cannot be discarded: discard the draft, or cancel the \
                           change request.";
            return Err(state_error(message));
        }
        change_requests::discard(&transaction.tx, &held.head, change_id).await?;
        drop_approvals(&held, step.effect).await?;
        held.enter(step.to, 1).await?;
        let tags = tags_of_change(&held, change).await?;
        let shown = ShownChange { id: change_id, target: &change.target, action: &change.action, tags: &tags };
        let event = held.subject().change_discarded(&shown, &held.actor());
        drop(held);
        transaction.commit([event]).await
    }

    /// Deletes a draft.
    pub async fn discard_draft(self, project: &VisibleProject, id: i64, if_match: &IfMatch) -> Result<(), Error> {
        let transaction = self.begin(Begin::Change).await?;
        let held = HeldRequest::hold(&transaction, project, id, if_match).await?;
        held.step(Wish::Discard).await?;
        if !change_requests::delete_draft(&transaction.tx, id).await? {
            return Err(missing_request(id));
        }
        let event = held.subject().discarded(&held.actor());
        drop(held);
        transaction.commit([event]).await
    }
}

/// Drops the approvals of a change request whose changes are no longer those that were approved.
pub(super) async fn drop_approvals(held: &HeldRequest<'_>, effect: Effect) -> Result<(), Error> {
    if effect == Effect::DropApprovals {
        change_requests::drop_approvals(&held.transaction.tx, held.head.id).await?;
    }
    Ok(())
}

async fn tags_of_change(held: &HeldRequest<'_>, change: &Change) -> Result<Vec<Tag>, Error> {
    let mut tags = tags_of(held.transaction, std::iter::once(&change.target)).await?;
    Ok(change.target.feature_id().and_then(|id| tags.remove(&id)).unwrap_or_default())
}

fn change_of(request: &ChangeRequest, id: i64) -> Result<&Change, Error> {
    let change = request.changes.iter().find(|change| change.id == id);
    change.ok_or_else(|| Error::NotFound(format!("The change request has no change with the id {id}.")))
}

/// Whether two changes are of one feature or one segment.
fn is_same(one: &Target, other: &Target) -> bool {
    match (one, other) {
        (Target::Feature { name, .. }, Target::Feature { name: other, .. }) => name == other,
        (Target::Segment(one), Target::Segment(other)) => one == other,
        _ => false,
    }
}

/// Whether two actions on one target have the same part of it in their snapshots.
fn is_about_same(one: &Action, other: &Action) -> bool {
    one.name() == other.name() && one.strategies() == other.strategies()
}
