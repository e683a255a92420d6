//! Change requests in the list of their project.

use std::collections::BTreeMap;

use poem_openapi::Object;
use serde::Serialize;

use super::body::{CommentBody, FeatureChangesBody, PersonBody, ReviewBody, ScheduleBody, by_name, schedule_in};
use crate::{
    domain::{
        change_request::{shown_title, state::State},
        time::Timestamp,
    },
    store::change_requests::project_list::{Listed, ListedSegmentChange},
};

/// Change of a segment in the list of a project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
#[oai(rename = "ListedSegmentChange")]
pub struct ListedSegmentChangeBody {
    /// Id of the change.
    pub id: i64,
    /// Kind of the change: `updateSegment` or `deleteSegment`.
    pub action: String,
    /// Present name of the segment; empty when it is gone.
    pub name: String,
}

impl From<ListedSegmentChange> for ListedSegmentChangeBody {
    fn from(change: ListedSegmentChange) -> Self {
        Self { id: change.id, action: change.action, name: change.name.unwrap_or_default() }
    }
}

/// A change request in the list of a project, without its changes of features and the payloads of others.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "ListedChangeRequest", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct ListedChangeRequestBody {
    /// Id of the change request, unique in the instance.
    pub id: i64,
    /// Title: `Change request #` and the id unless a user gave it one.
    pub title: String,
    /// Id of its project.
    pub project: String,
    /// Name of its environment.
    pub environment: String,
    /// State: `Draft`, `In review`, `Approved`, `Scheduled`, `Applied`, `Cancelled` or `Rejected`.
    pub state: State,
    /// Approvals that it needs.
    pub min_approvals: i64,
    /// Author.
    pub created_by: PersonBody,
    /// When it was created.
    pub created_at: Timestamp,
    /// The features that it changes, in the order of each one's first change, without these changes.
    pub features: Vec<FeatureChangesBody>,
    /// The changes of segments, in the order in which they are applied.
    pub segments: Vec<ListedSegmentChangeBody>,
    /// Approvals, oldest first.
    pub approvals: Vec<ReviewBody>,
    /// Rejections, oldest first.
    pub rejections: Vec<ReviewBody>,
    /// Comments, oldest first.
    pub comments: Vec<CommentBody>,
    /// Schedule, while the state is `Scheduled`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schedule: Option<ScheduleBody>,
    /// When each state was last entered, by its name.
    pub state_timestamps: BTreeMap<String, Timestamp>,
}

impl From<Listed> for ListedChangeRequestBody {
    fn from(listed: Listed) -> Self {
        let feature =
            |name: String| FeatureChangesBody { name, conflict: None, changes: Vec::new(), default_change: None };
        Self {
            id: listed.id,
            title: shown_title(listed.title.as_deref(), listed.id),
            project: listed.project,
            environment: listed.environment,
            state: listed.state,
            min_approvals: listed.min_approvals,
            created_by: (&listed.created_by).into(),
            created_at: listed.created_at,
            features: listed.features.into_iter().map(feature).collect(),
            segments: listed.segments.into_iter().map(Into::into).collect(),
            approvals: listed.approvals.iter().map(Into::into).collect(),
            rejections: listed.rejections.iter().map(Into::into).collect(),
            comments: listed.comments.iter().map(Into::into).collect(),
            schedule: schedule_in(listed.state, listed.schedule.as_ref()),
            state_timestamps: by_name(&listed.entered),
        }
    }
}
