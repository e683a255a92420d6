//! Change requests with what belongs to them, and the events by which open ones come over.

use std::collections::{BTreeMap, HashMap, HashSet};

use flagstone_domain::{
    actor::Actor,
    change_request::{GREATEST_ID, digest, moved_in, review::Verdict, state::State},
    event::NewEvent,
    event_kind::EventKind,
    time::Timestamp,
};
use flagstone_moving_in::{ChangeRequest, Event, Set};
use sea_orm::{
    ActiveValue::Set as To, ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect, sea_query::OnConflict,
};
use serde_json::{Value, value::RawValue};

use super::{MoveInError, history::append_events, target::insert};
use crate::{
    change_requests::{self, change_row, target_rows},
    db::{Tx, batches::WRITTEN_AT_ONCE},
    entity::{
        change_request, change_request_approver, change_request_change, change_request_comment, change_request_review,
        change_request_schedule, change_request_state_entry, event,
    },
    events::revisions,
};

/// Types of events that tell which state a change request entered.
const ENTERED: [(EventKind, State); 7] = [
    (EventKind::ChangeRequestSentToReview, State::InReview),
    (EventKind::ChangeRequestApproved, State::Approved),
    (EventKind::ChangeRequestScheduled, State::Scheduled),
    (EventKind::ChangeRequestApplied, State::Applied),
    (EventKind::ChangeRequestScheduledApplicationSuccess, State::Applied),
    (EventKind::ChangeRequestCancelled, State::Cancelled),
    (EventKind::ChangeRequestRejected, State::Rejected),
];
/// Events that are looked at at a time.
const LOOKED_AT: u64 = 1000;

/// Ids of things of a kind: their own where each has one of its own within bounds, or else their places.
struct Ids {
    keeps: bool,
    last: i64,
}

impl Ids {
    fn of(mut own: impl Iterator<Item = i64>) -> Self {
        let mut seen = HashSet::new();
        Self { keeps: own.all(|id| (1..=GREATEST_ID).contains(&id) && seen.insert(id)), last: 0 }
    }

    fn next(&mut self, own: i64) -> i64 {
        self.last += 1;
        if self.keeps { own } else { self.last }
    }
}

pub(super) async fn write(tx: &Tx, set: &Set, now: Timestamp) -> Result<(), MoveInError> {
    if set.change_requests.is_empty() {
        return Ok(());
    }
    let features: HashMap<&str, i64> = super::features::ids(set).map(|(id, feature)| (&*feature.name, id)).collect();
    let all = || set.change_requests.iter();
    let mut change_ids = Ids::of(all().flat_map(|request| &request.changes).map(|change| change.id));
    let mut comment_ids = Ids::of(all().flat_map(|request| &request.comments).map(|comment| comment.id));
    let mut review_id = 0;
    let mut rows = Rows::default();
    for request in all() {
        let created_at = request.created_at.unwrap_or(now);
        rows.requests.push(head(request, created_at));
        rows.enter(request.id, State::Draft, created_at);
        let mut changes = Vec::with_capacity(request.changes.len());
        for (position, change) in (1..).zip(&request.changes) {
            // The judge let no other pass.
            let Ok((target, action)) = change.read() else { continue };
            let target = target.identified(|name| features.get(name).copied());
            let by = (change.created_by, change.created_at.unwrap_or(created_at));
            let row = change_row((request.id, position), &target, &action, change.snapshot.as_ref(), by);
            let id = change_ids.next(change.id);
            rows.changes.push(change_request_change::ActiveModel { id: To(id), ..row });
            rows.targets.extend(target_rows(id, &action));
            changes.push((target, action));
        }
        let digest = digest::of(changes.iter().map(|(target, action)| (target, action)), request.min_approvals);
        for (verdict, reviews) in [(Verdict::Approval, &request.approvals), (Verdict::Rejection, &request.rejections)] {
            for review in reviews {
                review_id += 1;
                let given_at = review.created_at.unwrap_or(created_at);
                rows.reviews.push(change_request_review::ActiveModel {
                    id: To(review_id),
                    change_request_id: To(request.id),
                    user_id: To(review.user),
                    verdict: To(verdict.as_str().to_owned()),
                    digest: To(digest.clone()),
                    created_at: To(given_at),
                });
            }
        }
        rows.comments.extend(request.comments.iter().map(|comment| change_request_comment::ActiveModel {
            id: To(comment_ids.next(comment.id)),
            change_request_id: To(request.id),
            user_id: To(comment.created_by),
            text: To(comment.text.clone()),
            created_at: To(comment.created_at.unwrap_or(created_at)),
        }));
        rows.approvers.extend(request.reviewers.iter().map(|asked| change_request_approver::ActiveModel {
            change_request_id: To(request.id),
            user_id: To(asked.user),
            requested_at: To(asked.requested_at.unwrap_or(created_at)),
        }));
        rows.schedules.extend(request.schedule.iter().map(|schedule| change_request_schedule::ActiveModel {
            change_request_id: To(request.id),
            due_at: To(schedule.at.unwrap_or(now)),
            status: To(schedule.status.clone()),
            reason: To(schedule.reason.clone()),
            scheduled_by_user_id: To(schedule.scheduled_by.unwrap_or(request.created_by)),
            claimed_by: To(None),
            claimed_until: To(None),
        }));
        rows.decide(request);
    }
    rows.write(tx).await
}

fn head(request: &ChangeRequest, created_at: Timestamp) -> change_request::ActiveModel {
    change_request::ActiveModel {
        id: To(request.id),
        project: To(request.project.clone()),
        environment: To(request.environment.clone()),
        state: To(request.state.clone()),
        title: To(request.title.clone()),
        min_approvals: To(request.min_approvals),
        revision: To(i64::try_from(request.changes.len()).unwrap_or(i64::MAX)),
        created_by_user_id: To(request.created_by),
        created_at: To(created_at),
        applied_digest: To(None),
    }
}

#[derive(Default)]
struct Rows {
    requests: Vec<change_request::ActiveModel>,
    entries: Vec<change_request_state_entry::ActiveModel>,
    changes: Vec<change_request_change::ActiveModel>,
    targets: Vec<crate::entity::change_request_change_target::ActiveModel>,
    reviews: Vec<change_request_review::ActiveModel>,
    comments: Vec<change_request_comment::ActiveModel>,
    approvers: Vec<change_request_approver::ActiveModel>,
    schedules: Vec<change_request_schedule::ActiveModel>,
}

impl Rows {
    fn enter(&mut self, id: i64, state: State, at: Timestamp) {
        self.entries.push(entry(id, state, at));
    }

    /// Notes when reviews decided a change request, which the log may tell better.
    fn decide(&mut self, request: &ChangeRequest) {
        let last =
            |reviews: &[flagstone_moving_in::Review]| reviews.iter().filter_map(|review| review.created_at).max();
        let decided = match State::parse(&request.state) {
            Some(State::Approved | State::Scheduled | State::Applied) => Some((State::Approved, &request.approvals)),
            Some(State::Rejected) => Some((State::Rejected, &request.rejections)),
            _ => None,
        };
        if let Some((state, at)) = decided.and_then(|(state, reviews)| Some((state, last(reviews)?))) {
            self.enter(request.id, state, at);
        }
    }

    async fn write(self, tx: &Tx) -> Result<(), MoveInError> {
        insert(tx, self.requests).await?;
        insert(tx, self.entries).await?;
        insert(tx, self.changes).await?;
        insert(tx, self.targets).await?;
        insert(tx, self.reviews).await?;
        insert(tx, self.comments).await?;
        insert(tx, self.approvers).await?;
        insert(tx, self.schedules).await
    }
}

fn entry(id: i64, state: State, at: Timestamp) -> change_request_state_entry::ActiveModel {
    change_request_state_entry::ActiveModel {
        change_request_id: To(id),
        state: To(state.as_str().to_owned()),
        entered_at: To(at),
    }
}

/// Adds what the log tells of change requests, and tells it of those that are open. Called after the history.
pub(super) async fn complete(tx: &Tx, now: Timestamp) -> Result<(), MoveInError> {
    let ids = change_request::Entity::find().select_only().column(change_request::Column::Id);
    let ids: HashSet<i64> = ids.into_tuple().all(tx).await?.into_iter().collect();
    if ids.is_empty() {
        return Ok(());
    }
    note_entered(tx, &ids).await?;
    let mut last = revisions::newest(tx).await?;
    let at = revisions::newest_time(tx).await?.map_or(now, |at| at.max(now));
    let mut events = Vec::new();
    for request in change_requests::all_open(tx).await? {
        last += 1;
        events.extend(of_log(last, at, &moved_in::event(&request, &Actor::system())));
    }
    append_events(tx, events).await
}

/// Notes when change requests entered their states, by the events that came over.
async fn note_entered(tx: &Tx, ids: &HashSet<i64>) -> Result<(), MoveInError> {
    use change_request_state_entry::{Column, Entity};
    let mut entered: BTreeMap<(i64, State), Timestamp> = BTreeMap::new();
    let mut seen = 0;
    loop {
        let rows: Vec<(i64, String, Timestamp, Option<String>)> = event::Entity::find()
            .select_only()
            .columns([event::Column::Id, event::Column::Type, event::Column::CreatedAt, event::Column::Data])
            .filter(event::Column::Type.is_in(ENTERED.map(|(kind, _)| kind.as_str())))
            .filter(event::Column::Id.gt(seen))
            .order_by_asc(event::Column::Id)
            .limit(LOOKED_AT)
            .into_tuple()
            .all(tx)
            .await?;
        let Some((last, ..)) = rows.last() else { break };
        seen = *last;
        for (_, kind, at, data) in rows {
            let state = ENTERED.iter().find(|(entered, _)| entered.as_str() == kind).map(|(_, state)| *state);
            let data: Option<Value> = data.and_then(|data| serde_json::from_str(&data).ok());
            let id = data.and_then(|data| data["changeRequestId"].as_i64()).filter(|id| ids.contains(id));
            entered.extend(id.zip(state).map(|key| (key, at)));
        }
    }
    let again =
        OnConflict::columns([Column::ChangeRequestId, Column::State]).update_column(Column::EnteredAt).to_owned();
    let rows: Vec<_> = entered.into_iter().map(|((id, state), at)| entry(id, state, at)).collect();
    for batch in rows.chunks(WRITTEN_AT_ONCE) {
        Entity::insert_many(batch.iter().cloned()).on_conflict(again.clone()).exec_without_returning(tx).await?;
    }
    Ok(())
}

/// An event as the log holds it.
fn of_log(id: i64, created_at: Timestamp, new: &NewEvent) -> Option<Event> {
    let data = new.data.as_ref().map(|data| RawValue::from_string(data.to_string()));
    Some(Event {
        id,
        created_at,
        kind: new.stored_type().to_owned(),
        created_by: new.actor.name.clone(),
        created_by_user_id: Some(new.actor.user_id),
        environment: new.environment.clone(),
        project: new.project.clone(),
        feature: new.feature.clone(),
        data: data.transpose().ok()?,
        pre_data: None,
        tags: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn things_keep_their_ids_if_all_of_them_can() {
        let ids = |own: &[i64]| {
            let mut ids = Ids::of(own.iter().copied());
            own.iter().map(|own| ids.next(*own)).collect::<Vec<_>>()
        };
        assert_eq!(ids(&[9, 4, GREATEST_ID]), [9, 4, GREATEST_ID]);
        for own in [[9, 4, 9], [9, 4, 0], [9, 4, GREATEST_ID + 1], [i64::MAX, 4, i64::MIN]] {
            assert_eq!(ids(&own), [1, 2, 3], "{own:?}");
        }
    }
}
