//! Event by which an open change request comes over from another server. It records the changes as they came and the
//! approvals that count for them: from there on, the log proves what becomes of it.

use serde_json::{Value, json};

use super::{
    ChangeRequest,
    event::{ShownChange, Subject},
};
use crate::domain::{actor::Actor, event::NewEvent, event_kind::EventKind};

/// Type of the event; it is shown as one of [`EventKind::ChangeRequestCreated`].
pub const MOVED_IN: &str = "change-request-moved-in";

/// Returns the event that an open change request came over as it is. The approvals that it names are those of its present
/// changes.
pub fn event(request: &ChangeRequest, actor: &Actor) -> NewEvent {
    let digest = request.digest();
    let changes = request.changes.iter().map(|change| {
        let shown = ShownChange { id: change.id, target: &change.target, action: &change.action, tags: &[] };
        let mut shown = shown.properties();
        shown.insert("createdByUserId".to_owned(), change.created_by.id.into());
        Value::Object(shown)
    });
    let given = request.approvals.iter().filter(|approval| approval.digest == digest).map(|approval| {
        json!({ "approvalId": approval.id, "userId": approval.created_by.id, "createdAt": approval.created_at })
    });
    let data = json!({
        "changeRequestId": request.id,
        "state": request.state,
        "createdByUserId": request.created_by.id,
        "minApprovals": request.min_approvals,
        "changesDigest": digest,
        "changes": changes.collect::<Vec<_>>(),
        "approvals": given.collect::<Vec<_>>(),
    });
    let subject = Subject { id: request.id, project: &request.project, environment: &request.environment };
    subject.event(EventKind::ChangeRequestCreated, actor).labelled(MOVED_IN).with_data(&data)
}

/// Returns the approvals that the data of such an event name: their ids with those of the users who gave them.
pub fn approvals(data: &Value) -> Vec<(i64, i64)> {
    let given = data["approvals"].as_array().into_iter().flatten();
    given.filter_map(|approval| Some((approval["approvalId"].as_i64()?, approval["userId"].as_i64()?))).collect()
}
