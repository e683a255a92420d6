//! Event by which an open change request comes over from another server. It records the changes as they came and the
//! approvals that count for them: from there on, the log proves what becomes of it. Of a draft, it records neither.

use serde_json::{Value, json};

use super::{ChangeRequest, event::Subject, sent_to_review::shown, state::State};
use crate::{actor::Actor, event::NewEvent, event_kind::EventKind};

/// Type of the event; it is shown as one of [`EventKind::ChangeRequestCreated`].
pub const MOVED_IN: &str = "change-request-moved-in";

/// Returns the event that an open change request came over as it is. The approvals that it names are those of its present
/// changes. A draft is its author's alone: its changes are in the event that it is sent to review.
pub fn event(request: &ChangeRequest, actor: &Actor) -> NewEvent {
    let is_draft = request.state == State::Draft;
    let (project, environment) = (&*request.project, &*request.environment);
    let event = Subject { id: request.id, project, environment, is_draft }
        .event(EventKind::ChangeRequestCreated, actor)
        .labelled(MOVED_IN);
    let mut data = json!({
        "changeRequestId": request.id,
        "state": request.state,
        "createdByUserId": request.created_by.id,
    });
    if is_draft {
        return event.with_data(&data);
    }
    let digest = request.digest();
    let given = request.approvals.iter().filter(|approval| approval.digest == digest).map(|approval| {
        json!({ "approvalId": approval.id, "userId": approval.created_by.id, "createdAt": approval.created_at })
    });
    let approvals: Value = given.collect();
    data["minApprovals"] = request.min_approvals.into();
    data["changesDigest"] = digest.into();
    data["changes"] = shown(&request.changes);
    data["approvals"] = approvals;
    event.with_data(&data)
}

/// Returns the approvals that the data of such an event name: their ids with those of the users who gave them.
pub fn approvals(data: &Value) -> Vec<(i64, i64)> {
    let given = data["approvals"].as_array().into_iter().flatten();
    given.filter_map(|approval| Some((approval["approvalId"].as_i64()?, approval["userId"].as_i64()?))).collect()
}
