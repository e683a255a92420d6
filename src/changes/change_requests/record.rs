//! Requesting changes.

use std::collections::{BTreeMap, HashMap};

use flagstone_domain::{
    change_request::{
        Change, ChangeRequest, MOST_CHANGES, MOST_OPEN, Person, Target,
        event::ShownChange,
        state::State,
        transition::{Refusal, Wish},
    },
    event::NewEvent,
    ids::EnvironmentName,
    project::VisibleProject,
    tag::Tag,
};
use flagstone_error::Error;
use flagstone_store::{
    self as store,
    change_requests::{self, Head, NewChange, NewChangeRequest, configuration},
};

use super::{
    edits::drop_approvals,
    judging::{self, RequestedChange},
    standing::{HeldRequest, may_submit, subject},
};
use crate::{Author, Begin, Transaction, default_strategies::unused};

impl Author<'_> {
    /// Returns changes of an environment of a project as a change request that is recorded nowhere: 404 when the project
    /// does not use the environment. Whether changes need approval there is not asked.
    pub async fn propose(
        self,
        project: &VisibleProject,
        environment: EnvironmentName<'_>,
        requested: Vec<RequestedChange>,
    ) -> Result<ChangeRequest, Error> {
        let transaction = self.begin(Begin::Change).await?;
        let used = configuration::of_project(&transaction.tx, project.id()).await?;
        if used.iter().all(|used| used.environment != environment.as_str()) {
            return Err(unused(project.as_id(), environment));
        }
        let changes = judging::admitted(&transaction, project.as_id(), environment, requested).await?;
        let created_by = Person::unnamed(self.caller.user_id().unwrap_or_default());
        let created_at = transaction.now;
        let proposed = |(id, new): (i64, NewChange)| {
            let NewChange { target, action, snapshot } = new;
            Change { id, target, action, snapshot, created_by: created_by.clone(), created_at }
        };
        Ok(ChangeRequest {
            id: 0,
            project: project.id().to_owned(),
            environment: environment.as_str().to_owned(),
            state: State::Draft,
            title: None,
            min_approvals: 0,
            revision: 0,
            changes: (1..).zip(changes).map(proposed).collect(),
            created_by: created_by.clone(),
            created_at,
            approvals: Vec::new(),
            rejections: Vec::new(),
            comments: Vec::new(),
            schedule: None,
            entered: BTreeMap::new(),
            applied_digest: None,
        })
    }

    /// Requests changes in an environment of a project: they join the pending change request of the user there, or a new
    /// draft. Returns the change request.
    pub async fn request_changes(
        self,
        project: &VisibleProject,
        environment: EnvironmentName<'_>,
        requested: Vec<RequestedChange>,
    ) -> Result<ChangeRequest, Error> {
        let user_id = self.caller.require_person()?.id;
        let transaction = self.begin(Begin::Change).await?;
        let required = required_approvals(&transaction, project, environment).await?;
        if !self.caller.is_admin() && !may_submit(&transaction.tx, project.id(), user_id).await? {
            return Err(Error::forbidden(Refusal::NotMember.to_string()));
        }
        judging::require_place(&transaction, project.as_id(), environment, &requested).await?;
        let changes = judging::admitted(&transaction, project.as_id(), environment, requested).await?;
        let new = NewChangeRequest {
            project: project.id(),
            environment: environment.as_str(),
            created_by: user_id,
            min_approvals: required,
        };
        let (joined, created) = change_requests::join_or_create(&transaction.tx, &new, transaction.now).await?;
        let id = joined.id;
        let mut events = Vec::new();
        if created {
            require_room(&transaction, project.id(), user_id).await?;
            events.push(subject(&joined).created(&self.caller.actor()));
        }
        let held = HeldRequest::of(&transaction, joined).await?;
        held.step(Wish::Edit).await?;
        let present = held.request.changes.len();
        if present + changes.len() > MOST_CHANGES {
            return Err(Error::ExceedsLimit(format!(
                "A change request has at most {MOST_CHANGES} changes; with these it would have {}.",
                present + changes.len()
            )));
        }
        let ids = change_requests::append(&transaction.tx, &held.head, &changes, user_id, transaction.now).await?;
        // Judged with the changes that came: others may be required to review these.
        let revision = held.head.revision + i64::from(!ids.is_empty());
        let held = HeldRequest::of(&transaction, Head { revision, ..held.head }).await?;
        let step = held.step(Wish::Edit).await?;
        drop_approvals(&held, step.effect).await?;
        held.enter(step.to, 0).await?;
        events.extend(added(&held, &ids, &changes).await?);
        let request = change_requests::find(&transaction.tx, id).await?;
        drop(held);
        transaction.commit(events).await?;
        request.ok_or_else(|| Error::internal("a change request has gone while it was held"))
    }
}

/// Approvals that changes need in an environment: 404 when the project does not use it, 403 where they need none.
async fn required_approvals(
    transaction: &Transaction<'_>,
    project: &VisibleProject,
    environment: EnvironmentName<'_>,
) -> Result<i64, Error> {
    let used = configuration::of_project(&transaction.tx, project.id()).await?;
    let used = used.into_iter().find(|used| used.environment == environment.as_str());
    let used = used.ok_or_else(|| unused(project.as_id(), environment))?;
    used.required_approvals.ok_or_else(|| Error::forbidden(Refusal::SwitchedOff.to_string()))
}

/// Refuses a change request that was just created, if it is one more than a user may have open in a project.
pub(crate) async fn require_room(transaction: &Transaction<'_>, project: &str, user_id: i64) -> Result<(), Error> {
    let open = change_requests::count_open(&transaction.tx, project, user_id).await?;
    if open > MOST_OPEN {
        return Err(Error::ExceedsLimit(format!("A user has at most {MOST_OPEN} open change requests in a project.")));
    }
    Ok(())
}

async fn added(held: &HeldRequest<'_>, ids: &[i64], changes: &[NewChange]) -> Result<Vec<NewEvent>, Error> {
    let tags = tags_of(held.transaction, changes.iter().map(|change| &change.target)).await?;
    let actor = held.actor();
    let events = ids.iter().zip(changes).map(|(id, change)| {
        let shown = ShownChange {
            id: *id,
            target: &change.target,
            action: &change.action,
            tags: change.target.feature_id().and_then(|id| tags.get(&id)).map_or(&[], Vec::as_slice),
        };
        held.subject().change_added(&shown, &actor)
    });
    Ok(events.collect())
}

/// Tags of the features that changes are about, by the id of the feature.
pub(super) async fn tags_of<'a>(
    transaction: &Transaction<'_>,
    targets: impl Iterator<Item = &'a Target> + Send,
) -> Result<HashMap<i64, Vec<Tag>>, Error> {
    let ids: Vec<i64> = targets.filter_map(Target::feature_id).collect();
    Ok(store::tags::of_features(&transaction.tx, &ids).await?)
}
