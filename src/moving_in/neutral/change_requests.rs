//! Change requests with what belongs to them.

use flagstone_domain::{
    change_request::{
        Target,
        action::Action,
        judge::{self, ActionRefusal},
    },
    time::Timestamp,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A change request.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ChangeRequest {
    /// Id, which events name.
    pub id: i64,
    /// Id of its project.
    pub project: String,
    /// Name of its environment.
    pub environment: String,
    /// Name of the state that it is in.
    pub state: String,
    /// Title that somebody gave it.
    pub title: Option<String>,
    /// Approvals that it needs.
    pub min_approvals: i64,
    /// Id of its author.
    pub created_by: i64,
    /// When it was created.
    pub created_at: Option<Timestamp>,
    /// Changes, in the order in which they are applied.
    pub changes: Vec<RequestedChange>,
    /// Approvals, oldest first.
    pub approvals: Vec<Review>,
    /// Rejections, oldest first.
    pub rejections: Vec<Review>,
    /// Comments, oldest first.
    pub comments: Vec<Comment>,
    /// Users who are asked for their approval.
    pub reviewers: Vec<AskedReviewer>,
    /// When it was to be applied, while it is scheduled.
    pub schedule: Option<Schedule>,
}

/// A change of a change request.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RequestedChange {
    /// Id, which events name.
    pub id: i64,
    /// Name of the feature; `None` for changes of segments.
    pub feature: Option<String>,
    /// Name of the action.
    pub action: String,
    /// Payload of the action.
    pub payload: Option<Value>,
    /// State of the target when the change was recorded, where the action has one.
    pub snapshot: Option<Value>,
    /// Id of its author.
    pub created_by: i64,
    /// When it was recorded.
    pub created_at: Option<Timestamp>,
}

impl RequestedChange {
    /// Returns the target, without an internal id, and the action, where both are such as exist here.
    pub fn read(&self) -> Result<(Target, Action), ActionRefusal> {
        let action = Action::read(&self.action, self.payload.clone())?;
        let target = judge::target(self.feature.as_deref().map(|name| (name, None)), &action)?;
        Ok((target, action))
    }
}

/// An approval or a rejection.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Review {
    /// Id of the reviewer.
    pub user: i64,
    /// When it was given.
    pub created_at: Option<Timestamp>,
}

/// A comment on a change request.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Comment {
    /// Id.
    pub id: i64,
    /// The text.
    pub text: String,
    /// Id of its author.
    pub created_by: i64,
    /// When it was made.
    pub created_at: Option<Timestamp>,
}

/// A user who is asked for approval.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AskedReviewer {
    /// Id of the user.
    pub user: i64,
    /// When the user was asked.
    pub requested_at: Option<Timestamp>,
}

/// Schedule of a change request.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Schedule {
    /// When it was to be applied.
    pub at: Option<Timestamp>,
    /// Id of the user in whose name.
    pub scheduled_by: Option<i64>,
    /// Name of its status.
    pub status: String,
    /// Reason why it is not applied.
    pub reason: Option<String>,
}
