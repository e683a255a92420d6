//! Change requests as they are answered.

use std::collections::{BTreeMap, HashMap};

use poem_openapi::{Enum, Object, Union};
use serde::Serialize;

use super::{
    names::{AddStrategyName, UpdateEnabledName},
    payloads::SwitchPayload,
    shown::{FeatureChangeBody, Findings, ReferenceBody, SegmentChangeBody, UnreadableChangeBody},
};
use crate::{
    domain::{
        change_request::{
            Change, ChangeRequest, Comment, Person, action::Switch, conflict, consequence::Consequence, review::Review,
            reviewer_rules::ReviewerRuleDocument, schedule, shown_title, state::State,
        },
        strategy::FeatureStrategy,
        time::Timestamp,
        user::{display_name, image_url},
    },
    wire::Nullable,
};

/// User of a change request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
#[oai(rename = "ChangeRequestUser", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct PersonBody {
    /// Id of the user.
    pub id: i64,
    /// Name to sign in with, else display name, else email; `null` where there is none of them.
    pub username: Nullable<String>,
    /// Address of the profile image.
    pub image_url: Nullable<String>,
}

impl From<&Person> for PersonBody {
    fn from(person: &Person) -> Self {
        let (username, email, name) = (person.username.as_deref(), person.email.as_deref(), person.name.as_deref());
        let has_name = [username, name, email].into_iter().flatten().any(|name| !name.is_empty());
        Self {
            id: person.id,
            username: has_name.then(|| display_name(username, name, email).to_owned()).into(),
            image_url: Some(image_url(email, username, person.id)).into(),
        }
    }
}

/// Approval or rejection of a change request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
#[oai(rename = "ChangeRequestReview", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct ReviewBody {
    /// Reviewer.
    pub created_by: PersonBody,
    /// When it was given.
    pub created_at: Timestamp,
}

impl From<&Review> for ReviewBody {
    fn from(review: &Review) -> Self {
        Self { created_by: (&review.created_by).into(), created_at: review.created_at }
    }
}

/// Comment on a change request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
#[oai(rename = "ChangeRequestComment", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct CommentBody {
    /// Id of the comment.
    pub id: i64,
    /// The text.
    pub text: String,
    /// Author of the comment.
    pub created_by: PersonBody,
    /// When it was made.
    pub created_at: Timestamp,
}

impl From<&Comment> for CommentBody {
    fn from(comment: &Comment) -> Self {
        Self {
            id: comment.id,
            text: comment.text.clone(),
            created_by: (&comment.created_by).into(),
            created_at: comment.created_at,
        }
    }
}

/// Standing of a schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Enum)]
#[oai(rename = "ScheduleStatus", rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum ScheduleStatusBody {
    /// It waits for its time.
    Pending,
    /// The changes could not be made.
    Failed,
    /// Something else has changed what they are about.
    Suspended,
}

/// When a change request is applied by itself, and what keeps it from that.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
#[oai(rename = "ChangeRequestSchedule", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct ScheduleBody {
    /// When it is applied.
    pub scheduled_at: Timestamp,
    /// Whether it will be: `failed` and `suspended` ones are not applied until a user acts.
    pub status: ScheduleStatusBody,
    /// Reason of `failed` and `suspended`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Id of the user in whose name it is applied.
    pub scheduled_by: i64,
}

impl From<&schedule::Schedule> for ScheduleBody {
    fn from(schedule: &schedule::Schedule) -> Self {
        Self {
            scheduled_at: schedule.at,
            status: match schedule.status {
                schedule::Status::Pending => ScheduleStatusBody::Pending,
                schedule::Status::Failed(_) => ScheduleStatusBody::Failed,
                schedule::Status::Suspended(_) => ScheduleStatusBody::Suspended,
            },
            reason: schedule.status.reason().map(str::to_owned),
            scheduled_by: schedule.scheduled_by,
        }
    }
}

/// A strategy that a feature gets since it has none when it is switched on.
#[derive(Debug, Clone, PartialEq, Serialize, Object)]
#[oai(rename = "DefaultStrategyAddition")]
pub struct DefaultAdditionBody {
    /// Kind of the change.
    pub action: AddStrategyName,
    /// The strategy.
    pub payload: FeatureStrategy,
}

/// A feature is switched off, since no strategy is left.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
#[oai(rename = "DefaultSwitchChange")]
pub struct DefaultSwitchBody {
    /// Kind of the change.
    pub action: UpdateEnabledName,
    /// The switch.
    pub payload: SwitchPayload,
}

/// A change that comes about by itself when others are applied.
#[derive(Debug, Clone, PartialEq, Serialize, Union)]
#[oai(one_of, rename = "ImplicitChange")]
#[serde(untagged)]
#[expect(clippy::large_enum_variant, reason = "there is one for a feature of a change request at most")]
pub enum DefaultChangeBody {
    /// A strategy is added.
    AddStrategy(DefaultAdditionBody),
    /// The feature is switched off.
    UpdateEnabled(DefaultSwitchBody),
}

impl From<Consequence> for DefaultChangeBody {
    fn from(consequence: Consequence) -> Self {
        match consequence {
            Consequence::StrategyAdded(strategy) => {
                Self::AddStrategy(DefaultAdditionBody { action: AddStrategyName, payload: *strategy })
            }
            Consequence::SwitchedOff => {
                let Switch { enabled, should_activate_disabled_strategies } = Consequence::SWITCH;
                let payload = SwitchPayload { enabled, should_activate_disabled_strategies };
                Self::UpdateEnabled(DefaultSwitchBody { action: UpdateEnabledName, payload })
            }
        }
    }
}

/// Changes of a feature in a change request.
#[serde_with_macros::skip_serializing_none]
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "ChangeRequestFeature", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct FeatureChangesBody {
    /// Name of the feature.
    pub name: String,
    /// Reason why none of them can be applied as things are, without a final stop. Absent when they can.
    pub conflict: Option<String>,
    /// The changes, in the order in which they are applied.
    pub changes: Vec<FeatureChangeBody>,
    /// A change that comes about by itself when they are applied. Absent when there is none.
    pub default_change: Option<DefaultChangeBody>,
}

/// A change request.
#[serde_with_macros::skip_serializing_none]
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "ChangeRequest", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct ChangeRequestBody {
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
    /// The features that it changes, in the order of each one's first change.
    pub features: Vec<FeatureChangesBody>,
    /// The changes of segments, in the order in which they are applied.
    pub segments: Vec<SegmentChangeBody>,
    /// Approvals, oldest first.
    pub approvals: Vec<ReviewBody>,
    /// Rejections, oldest first.
    pub rejections: Vec<ReviewBody>,
    /// Comments, oldest first.
    pub comments: Vec<CommentBody>,
    /// Required reviewers whose approval is missing while it is a draft or in review: each rule with the groups that
    /// have not approved. Absent when there are none, and in lists.
    pub missing_reviewers: Option<Vec<ReviewerRuleDocument>>,
    /// Changes that this version of the server cannot read, as after a return from a later version. With any, the
    /// change request can be neither sent to review nor approved, scheduled or applied. They can be discarded. Absent
    /// when there are none.
    pub unreadable_changes: Option<Vec<UnreadableChangeBody>>,
    /// Schedule, while the state is `Scheduled`.
    pub schedule: Option<ScheduleBody>,
    /// When each state was last entered, by its name.
    pub state_timestamps: BTreeMap<String, Timestamp>,
    /// SHA-256 of the changes and of `minApprovals`, which approvals are bound to. Events of approvals and of the
    /// application have the same.
    pub changes_digest: String,
}

/// Findings about the change requests of an answer.
#[derive(Debug, Default)]
pub struct Surroundings {
    /// Targets as they are now.
    pub current: conflict::Current,
    /// Changes of scheduled change requests of the same environment.
    pub scheduled: Vec<conflict::ScheduledChange>,
    /// Changes that come about by themselves, by the name of the feature.
    pub consequences: HashMap<String, Consequence>,
}

impl Surroundings {
    fn findings(&self, request: &ChangeRequest, change: &Change) -> Findings {
        let of_change = conflict::of_change(&change.target, &change.action, &request.project, &self.current);
        let collisions = self
            .scheduled
            .iter()
            .filter(|scheduled| scheduled.request != request.id)
            .filter(|scheduled| conflict::collide(&change.target, &change.action, scheduled))
            .map(|scheduled| (scheduled.request, shown_title(scheduled.title.as_deref(), scheduled.request)))
            .collect::<BTreeMap<i64, String>>();
        Findings {
            conflict: of_change.filter(|conflict| !conflict.is_of_feature()).map(|conflict| conflict.to_string()),
            collisions: collisions.into_iter().map(|(id, title)| ReferenceBody { id, title }).collect(),
            segment: change.action.segment().and_then(|id| Some(self.current.segments.get(&id)?.name.clone())),
        }
    }
}

impl ChangeRequestBody {
    /// The change request without what depends on its surroundings, which matters while it is open.
    pub fn alone(request: &ChangeRequest) -> Self {
        Self::of(request, |_| None, |change| Findings { segment: snapshot_name(change), ..Findings::default() })
    }

    /// The change request with its conflicts.
    pub fn within(request: &ChangeRequest, around: &Surroundings) -> Self {
        let of_feature = |change: &Change| {
            let conflict = conflict::of_change(&change.target, &change.action, &request.project, &around.current);
            conflict.filter(|conflict| conflict.is_of_feature()).map(|conflict| conflict.to_string())
        };
        let mut body = Self::of(request, of_feature, |change| around.findings(request, change));
        for feature in &mut body.features {
            feature.default_change = around.consequences.get(&feature.name).cloned().map(Into::into);
        }
        body
    }

    fn of(
        request: &ChangeRequest,
        conflict: impl Fn(&Change) -> Option<String>,
        findings: impl Fn(&Change) -> Findings,
    ) -> Self {
        let features = request.features().into_iter().map(|(name, changes)| FeatureChangesBody {
            name: name.to_owned(),
            conflict: changes.iter().copied().find_map(&conflict),
            changes: changes.iter().filter_map(|change| FeatureChangeBody::of(change, findings(change))).collect(),
            default_change: None,
        });
        let unreadable = request.changes.iter().filter(|change| change.action.is_unreadable());
        Self {
            id: request.id,
            title: request.title(),
            project: request.project.clone(),
            environment: request.environment.clone(),
            state: request.state,
            min_approvals: request.min_approvals,
            created_by: (&request.created_by).into(),
            created_at: request.created_at,
            features: features.collect(),
            segments: request
                .segments()
                .filter_map(|(_, change)| SegmentChangeBody::of(change, findings(change)))
                .collect(),
            approvals: request.approvals.iter().map(Into::into).collect(),
            rejections: request.rejections.iter().map(Into::into).collect(),
            comments: request.comments.iter().map(Into::into).collect(),
            missing_reviewers: None,
            unreadable_changes: Some(unreadable.map(UnreadableChangeBody::from).collect())
                .filter(|changes: &Vec<_>| !changes.is_empty()),
            schedule: schedule_in(request.state, request.schedule.as_ref()),
            state_timestamps: by_name(&request.entered),
            changes_digest: request.digest(),
        }
    }
}

/// Schedule of a change request in a state: one that was applied or rejected has none.
pub(super) fn schedule_in(state: State, schedule: Option<&schedule::Schedule>) -> Option<ScheduleBody> {
    schedule.filter(|_| state == State::Scheduled).map(Into::into)
}

/// When each state was last entered, by its name.
pub(super) fn by_name(entered: &BTreeMap<State, Timestamp>) -> BTreeMap<String, Timestamp> {
    entered.iter().map(|(state, at)| (state.as_str().to_owned(), *at)).collect()
}

/// Name of a segment when its change was requested.
fn snapshot_name(change: &Change) -> Option<String> {
    Some(change.snapshot.as_ref()?.get("name")?.as_str()?.to_owned())
}
