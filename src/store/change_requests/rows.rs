//! Rows as the values that they hold, and the other way round.

use std::collections::BTreeSet;

use flagstone_domain::{
    change_request::{
        Change, Comment, Target,
        action::Action,
        review::Review,
        schedule::{Schedule, Status},
        state::State,
    },
    time::Timestamp,
};
use sea_orm::{ActiveValue::Set, DbErr};
use serde_json::Value;

use super::people::People;
use crate::{
    db::value::to_json_column,
    entity::{
        change_request_change, change_request_change_target, change_request_comment, change_request_review,
        change_request_schedule,
    },
};

/// Kind of a strategy that a change is about.
pub(super) const STRATEGY: &str = "strategy";
/// Kind of a segment that a change is about.
pub(super) const SEGMENT: &str = "segment";
/// Kind of a segment that the strategy of a change applies.
pub(super) const APPLIED_SEGMENT: &str = "applied-segment";

/// Reads a stored state.
pub(super) fn state(name: &str) -> Result<State, DbErr> {
    State::parse(name).ok_or_else(|| DbErr::Type(format!("change_request.state: {name}")))
}

/// Reads a stored change. One that this version cannot read is no reason to show none: see [`Action::of_stored`].
pub(super) fn change(row: change_request_change::Model, people: &People) -> Change {
    let action = Action::of_stored(row.action, row.payload.as_deref(), row.feature.is_some());
    let target = match row.feature {
        Some(name) => Target::Feature { name, id: row.feature_id },
        // No segment has the id 0.
        None => Target::Segment(row.segment_id.unwrap_or_default()),
    };
    Change {
        id: row.id,
        target,
        action,
        snapshot: row.snapshot.and_then(|text| serde_json::from_str(&text).ok()),
        created_by: people.get(row.created_by_user_id),
        created_at: row.created_at,
    }
}

/// Columns of what a change does.
pub(super) fn columns(action: &Action, snapshot: Option<&Value>) -> change_request_change::ActiveModel {
    change_request_change::ActiveModel {
        action: Set(action.name().to_owned()),
        payload: Set(action.payload().map(|payload| to_json_column(&payload))),
        snapshot: Set(snapshot.map(to_json_column)),
        ..Default::default()
    }
}

/// A change as its row, in a change request and at a place.
pub(crate) fn change_row(
    (change_request_id, position): (i64, i64),
    target: &Target,
    action: &Action,
    snapshot: Option<&Value>,
    (by, now): (i64, Timestamp),
) -> change_request_change::ActiveModel {
    let (feature, feature_id, segment_id) = match target {
        Target::Feature { name, id } => (Some(name.clone()), *id, None),
        Target::Segment(id) => (None, None, Some(*id)),
    };
    change_request_change::ActiveModel {
        change_request_id: Set(change_request_id),
        position: Set(position),
        feature: Set(feature),
        feature_id: Set(feature_id),
        segment_id: Set(segment_id),
        created_by_user_id: Set(by),
        created_at: Set(now),
        ..columns(action, snapshot)
    }
}

/// Rows of everything that a change is about or applies, each once.
pub(crate) fn target_rows(change_id: i64, action: &Action) -> Vec<change_request_change_target::ActiveModel> {
    let strategies = action.strategies().into_iter().map(|id| (STRATEGY, id.to_string()));
    let segments = action.segment().into_iter().map(|id| (SEGMENT, id.to_string()));
    let applied = action.applied_segments().into_iter().map(|id| (APPLIED_SEGMENT, id.to_string()));
    let targets: BTreeSet<(&str, String)> = strategies.chain(segments).chain(applied).collect();
    let row = |(kind, target): (&str, String)| change_request_change_target::ActiveModel {
        change_id: Set(change_id),
        kind: Set(kind.to_owned()),
        target: Set(target),
    };
    targets.into_iter().map(row).collect()
}

/// Reads a stored review.
pub(super) fn review(row: change_request_review::Model, people: &People) -> Review {
    Review { id: row.id, digest: row.digest, created_by: people.get(row.user_id), created_at: row.created_at }
}

/// Reads a stored comment.
pub(super) fn comment(row: change_request_comment::Model, people: &People) -> Comment {
    Comment { id: row.id, text: row.text, created_by: people.get(row.user_id), created_at: row.created_at }
}

/// Reads a stored schedule.
pub(super) fn schedule(row: change_request_schedule::Model) -> Schedule {
    Schedule {
        at: row.due_at,
        status: Status::of_stored(&row.status, row.reason),
        scheduled_by: row.scheduled_by_user_id,
    }
}
