//! Events of change requests.

use serde_json::{Map, Value, json};

use super::{Target, action::Action, configuration::Configuration, review::Review};
use crate::{
    actor::Actor,
    event::NewEvent,
    event_kind::EventKind,
    ids::{EnvironmentName, ProjectId},
    tag::Tag,
    time::Timestamp,
};

const COMMENT_ADDED: &str = "change-request-comment-added";
const TITLE_UPDATED: &str = "change-request-title-updated";
/// Label of the event that other users are asked for their approval.
pub const APPROVERS_UPDATED: &str = "change-request-requested-approvers-updated";

/// A change request, as its events name it.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    /// Id of the change request.
    pub id: i64,
    /// Id of its project.
    pub project: &'a str,
    /// Name of its environment.
    pub environment: &'a str,
    /// Whether it is a draft, of which events tell ids and nothing else: it is its author's alone.
    pub is_draft: bool,
}

/// A change, as events show it.
#[derive(Debug, Clone, Copy)]
pub struct ShownChange<'a> {
    /// Id of the change.
    pub id: i64,
    /// Target of the change.
    pub target: &'a Target,
    /// Effect on the target.
    pub action: &'a Action,
    /// Tags of the feature, if it has one.
    pub tags: &'a [Tag],
}

impl ShownChange<'_> {
    fn data(&self, request: i64) -> Value {
        json!({ "changeRequestId": request, "change": self.properties() })
    }

    /// Properties that events show.
    pub(super) fn properties(&self) -> Map<String, Value> {
        let mut change = Map::new();
        change.insert("id".to_owned(), self.id.into());
        if let Some(name) = self.target.feature() {
            change.insert("feature".to_owned(), name.into());
        }
        change.insert("action".to_owned(), self.action.name().into());
        if let Some(payload) = self.action.payload() {
            change.insert("payload".to_owned(), payload);
        }
        change
    }
}

impl Subject<'_> {
    pub(super) fn event(&self, kind: EventKind, actor: &Actor) -> NewEvent {
        NewEvent::new(kind, actor).in_project(self.project).in_environment(self.environment)
    }

    fn about(&self, kind: EventKind, actor: &Actor) -> NewEvent {
        self.event(kind, actor).with_data(&json!({ "changeRequestId": self.id }))
    }

    /// The event of something that was done to a change of a draft.
    fn of_hidden_change(&self, kind: EventKind, id: i64, actor: &Actor) -> NewEvent {
        self.event(kind, actor).with_data(&json!({ "changeRequestId": self.id, "changeId": id }))
    }

    fn of_change(&self, kind: EventKind, change: &ShownChange<'_>, actor: &Actor) -> NewEvent {
        let event = self.event(kind, actor);
        match change.target.feature() {
            Some(name) => event.of_feature(name, change.tags),
            None => event,
        }
    }

    /// Returns the event that it was created.
    pub fn created(&self, actor: &Actor) -> NewEvent {
        self.about(EventKind::ChangeRequestCreated, actor)
    }

    /// Returns the event that the draft was deleted.
    pub fn discarded(&self, actor: &Actor) -> NewEvent {
        self.event(EventKind::ChangeRequestDiscarded, actor).with_pre_data(&json!({ "changeRequestId": self.id }))
    }

    /// Returns the event that a change was added.
    pub fn change_added(&self, change: &ShownChange<'_>, actor: &Actor) -> NewEvent {
        if self.is_draft {
            return self.of_hidden_change(EventKind::ChangeAdded, change.id, actor);
        }
        self.of_change(EventKind::ChangeAdded, change, actor).with_data(&change.data(self.id))
    }

    /// Returns the event that a change was replaced.
    pub fn change_edited(&self, before: &ShownChange<'_>, after: &ShownChange<'_>, actor: &Actor) -> NewEvent {
        if self.is_draft {
            return self.of_hidden_change(EventKind::ChangeEdited, after.id, actor);
        }
        let event = self.of_change(EventKind::ChangeEdited, after, actor);
        event.with_data(&after.data(self.id)).with_pre_data(&before.data(self.id))
    }

    /// Returns the event that a change was discarded.
    pub fn change_discarded(&self, change: &ShownChange<'_>, actor: &Actor) -> NewEvent {
        if self.is_draft {
            return self.of_hidden_change(EventKind::ChangeDiscarded, change.id, actor);
        }
        let event = self.of_change(EventKind::ChangeDiscarded, change, actor);
        event.with_data(&json!({ "changeRequestId": self.id })).with_pre_data(&change.data(self.id))
    }

    /// Returns the events of an approval, whose data prove what was approved: that it was given, and that it was the
    /// deciding one.
    pub fn approved(&self, approval: &Review, min_approvals: i64, is_deciding: bool, actor: &Actor) -> Vec<NewEvent> {
        let data = json!({
            "changeRequestId": self.id,
            "approvalId": approval.id,
            "changesDigest": approval.digest,
            "minApprovals": min_approvals,
        });
        let added = self.event(EventKind::ChangeRequestApprovalAdded, actor).with_data(&data);
        let decided = is_deciding.then(|| self.event(EventKind::ChangeRequestApproved, actor).with_data(&data));
        std::iter::once(added).chain(decided).collect()
    }

    /// Returns the event that it was rejected.
    pub fn rejected(&self, actor: &Actor) -> NewEvent {
        self.about(EventKind::ChangeRequestRejected, actor)
    }

    /// Returns the event that it was given up.
    pub fn cancelled(&self, actor: &Actor) -> NewEvent {
        self.about(EventKind::ChangeRequestCancelled, actor)
    }

    /// Returns the event that a comment was made. The comment has its text.
    pub fn commented(&self, comment: i64, actor: &Actor) -> NewEvent {
        let data = json!({ "changeRequestId": self.id, "commentId": comment });
        self.event(EventKind::ChangeEdited, actor).labelled(COMMENT_ADDED).with_data(&data)
    }

    /// Returns the event that it was given another title, or `None` when it has it already.
    pub fn retitled(&self, before: Option<&str>, after: Option<&str>, actor: &Actor) -> Option<NewEvent> {
        let data = |title: Option<&str>| json!({ "changeRequestId": self.id, "title": title });
        (before != after).then(|| self.updated(TITLE_UPDATED, || (data(before), data(after)), actor))
    }

    /// Returns the event that other users are asked for their approval, or `None` when they are the same.
    pub fn reviewers_asked(&self, before: &[i64], after: &[i64], actor: &Actor) -> Option<NewEvent> {
        let data = |users: &[i64]| json!({ "changeRequestId": self.id, "reviewers": users });
        (before != after).then(|| self.updated(APPROVERS_UPDATED, || (data(before), data(after)), actor))
    }

    /// The event that something about it was changed, which shows what it was and is unless it is a draft.
    fn updated(&self, label: &'static str, states: impl FnOnce() -> (Value, Value), actor: &Actor) -> NewEvent {
        let event = self.about(EventKind::ChangeEdited, actor).labelled(label);
        if self.is_draft {
            return event;
        }
        let (before, after) = states();
        event.with_data(&after).with_pre_data(&before)
    }

    /// Returns the event that it was scheduled.
    pub fn scheduled(&self, at: Timestamp, actor: &Actor) -> NewEvent {
        let data = json!({ "changeRequestId": self.id, "scheduledDate": at });
        self.event(EventKind::ChangeRequestScheduled, actor).with_data(&data)
    }

    /// Returns the event that its changes were made by a user, or by its schedule. Its data prove that what was done is
    /// what was approved.
    pub fn applied(&self, digest: &str, approvals: &[&Review], by_schedule: bool, actor: &Actor) -> NewEvent {
        let kind = if by_schedule {
            EventKind::ChangeRequestScheduledApplicationSuccess
        } else {
            EventKind::ChangeRequestApplied
        };
        let approvals: Vec<i64> = approvals.iter().map(|approval| approval.id).collect();
        let data = json!({ "changeRequestId": self.id, "changesDigest": digest, "approvalIds": approvals });
        self.event(kind, actor).with_data(&data)
    }

    /// Returns the event that its schedule could not make its changes.
    pub fn failed(&self, reason: &str, actor: &Actor) -> NewEvent {
        let data = json!({ "changeRequestId": self.id, "reason": reason });
        self.event(EventKind::ChangeRequestScheduledApplicationFailure, actor).with_data(&data)
    }

    /// Returns the event that its schedule was suspended.
    pub fn suspended(&self, reason: &str, actor: &Actor) -> NewEvent {
        let data = json!({ "changeRequestId": self.id, "reason": reason });
        self.event(EventKind::ChangeRequestScheduleSuspended, actor).with_data(&data)
    }
}

/// Seconds after its time from which on a change request counts as applied late, as after the server was down.
const LATE_SECONDS: i64 = 60;

/// Adds to the event of an application by a schedule when it was due, and how late it was if it was.
pub fn note_schedule(events: &mut [NewEvent], due: Timestamp, now: Timestamp) {
    let is_application = |event: &&mut NewEvent| event.kind == EventKind::ChangeRequestScheduledApplicationSuccess;
    let data = events.iter_mut().filter(is_application).filter_map(|event| event.data.as_mut()?.as_object_mut());
    let late = (now.millis() - due.millis()) / 1000;
    for data in data {
        data.insert("scheduledDate".to_owned(), json!(due));
        if late >= LATE_SECONDS {
            data.insert("lateBySeconds".to_owned(), late.into());
        }
    }
}

/// Returns the event that an environment of a project was configured, or `None` when nothing has changed.
pub fn configured(
    project: ProjectId<'_>,
    environment: EnvironmentName<'_>,
    before: Option<i64>,
    after: Option<i64>,
    actor: &Actor,
) -> Option<NewEvent> {
    let (project, environment) = (project.as_str(), environment.as_str());
    let data = |required: Option<i64>| json!({ "environment": environment, "enabled": required.is_some(), "requiredApprovals": required });
    let event = || {
        let event = NewEvent::new(EventKind::ChangeRequestConfigurationUpdated, actor);
        event.in_project(project).in_environment(environment).with_data(&data(after)).with_pre_data(&data(before))
    };
    (before != after).then(event)
}

/// Returns the events that a new project has change requests in these environments.
pub fn configured_at_first<'a>(
    project: &'a str,
    configurations: &'a [Configuration],
    actor: &'a Actor,
) -> impl Iterator<Item = NewEvent> + 'a {
    configurations.iter().filter_map(move |one| {
        let (project, environment) = (ProjectId::new(project), EnvironmentName::new(&one.environment));
        configured(project, environment, None, one.required_approvals, actor)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::change_request::{Person, action::tests::sample};

    const SUBJECT: Subject<'_> = Subject { id: 12, project: "shop", environment: "production", is_draft: false };

    fn review(id: i64) -> Review {
        Review {
            id,
            digest: "d1".to_owned(),
            created_by: Person { id: 7, username: None, email: None, name: None },
            created_at: Timestamp::from_millis(0),
        }
    }

    #[test]
    fn every_event_names_its_request_project_and_environment() {
        let (actor, at) = (Actor::new(1, "ada"), Timestamp::from_millis(0));
        let (target, action) = (Target::Feature { name: "cart".to_owned(), id: None }, sample("updateEnabled"));
        let tags = [Tag { kind: "simple".to_owned(), value: "web".to_owned() }];
        let change = ShownChange { id: 3, target: &target, action: &action, tags: &tags };
        let review = review(5);
        let mut events = SUBJECT.approved(&review, 2, true, &actor);
        events.extend([
            SUBJECT.created(&actor),
            SUBJECT.discarded(&actor),
            SUBJECT.change_added(&change, &actor),
            SUBJECT.change_edited(&change, &change, &actor),
            SUBJECT.change_discarded(&change, &actor),
            SUBJECT.sent_to_review(&[], None, &actor),
            SUBJECT.rejected(&actor),
            SUBJECT.cancelled(&actor),
            SUBJECT.scheduled(at, &actor),
            SUBJECT.applied("d1", &[&review], false, &actor),
            SUBJECT.applied("d1", &[&review], true, &actor),
            SUBJECT.failed("gone", &actor),
            SUBJECT.suspended("gone", &actor),
            SUBJECT.commented(7, &actor),
        ]);
        events.extend(SUBJECT.retitled(None, Some("Launch"), &actor));
        events.extend(SUBJECT.reviewers_asked(&[], &[7], &actor));
        for event in &events {
            let id = event.data.as_ref().or(event.pre_data.as_ref()).map(|data| &data["changeRequestId"]);
            assert_eq!(id, Some(&json!(12)), "{event:?}");
            let place = (event.project.as_deref(), event.environment.as_deref());
            assert_eq!(place, (Some("shop"), Some("production")), "{event:?}");
        }
        let of_changes: Vec<&NewEvent> = events.iter().filter(|event| event.feature.is_some()).collect();
        assert_eq!(of_changes.len(), 3);
        assert!(of_changes.iter().all(|event| event.tags == tags));
        let mut kinds: Vec<&str> = events.iter().map(NewEvent::stored_type).collect();
        kinds.sort_unstable();
        kinds.dedup();
        assert_eq!(kinds.len(), events.len());
        for event in events.iter().filter(|event| event.label.is_some()) {
            assert_eq!(EventKind::of_own(event.stored_type()), Some(event.kind));
        }
    }

    #[test]
    fn what_stays_leaves_no_event() {
        let actor = Actor::new(1, "ada");
        assert_eq!(SUBJECT.retitled(Some("Launch"), Some("Launch"), &actor), None);
        assert_eq!(SUBJECT.reviewers_asked(&[1, 7], &[1, 7], &actor), None);
        let event = SUBJECT.reviewers_asked(&[1], &[7], &actor).expect("an event");
        assert_eq!(event.data, Some(json!({ "changeRequestId": 12, "reviewers": [7] })));
    }

    #[test]
    fn an_approval_and_the_application_prove_the_same_digest() {
        let actor = Actor::new(1, "ada");
        let approval = review(5);
        assert_eq!(SUBJECT.approved(&approval, 2, false, &actor).len(), 1);
        let events = SUBJECT.approved(&approval, 2, true, &actor);
        let [added, decided] = &events[..] else { panic!("two events") };
        let data = json!({ "changeRequestId": 12, "approvalId": 5, "changesDigest": "d1", "minApprovals": 2 });
        assert_eq!((added.data.as_ref(), decided.data.as_ref()), (Some(&data), Some(&data)));
        let applied = SUBJECT.applied("d1", &[&approval], false, &actor).data.expect("data");
        assert_eq!(applied, json!({ "changeRequestId": 12, "changesDigest": "d1", "approvalIds": [5] }));
    }

    #[test]
    fn a_late_application_says_how_late_it_was() {
        let actor = Actor::new(1, "ada");
        for (late_ms, expected) in [(0, None), (59_999, None), (60_000, Some(60)), (7_200_500, Some(7200))] {
            let mut events = vec![SUBJECT.created(&actor), SUBJECT.applied("d1", &[], true, &actor)];
            note_schedule(&mut events, Timestamp::from_millis(0), Timestamp::from_millis(late_ms));
            assert_eq!(events[0], SUBJECT.created(&actor));
            let data = events[1].data.as_ref().expect("data");
            assert_eq!(data["scheduledDate"], "1970-01-01T00:00:00.000Z");
            assert_eq!(data.get("lateBySeconds"), expected.map(|late| json!(late)).as_ref(), "{late_ms}");
            assert_eq!(data["changesDigest"], "d1");
        }
    }

    #[test]
    fn a_change_is_shown_as_it_is_sent() {
        let actor = Actor::new(1, "ada");
        let (target, action) = (Target::Segment(7), sample("deleteSegment"));
        let change = ShownChange { id: 3, target: &target, action: &action, tags: &[] };
        let event = SUBJECT.change_discarded(&change, &actor);
        let shown = json!({
            "changeRequestId": 12,
            "change": { "id": 3, "action": "deleteSegment", "payload": { "id": 7 } },
        });
        assert_eq!((event.pre_data, event.feature), (Some(shown), None));
    }

    #[test]
    fn a_configuration_that_stays_leaves_no_event() {
        let actor = Actor::new(1, "ada");
        let (shop, production) = (ProjectId::new("shop"), EnvironmentName::new("production"));
        assert_eq!(configured(shop, production, Some(2), Some(2), &actor), None);
        let event = configured(shop, production, None, Some(2), &actor).expect("an event");
        let data = json!({ "environment": "production", "enabled": true, "requiredApprovals": 2 });
        let before = json!({ "environment": "production", "enabled": false, "requiredApprovals": null });
        assert_eq!((event.data, event.pre_data), (Some(data), Some(before)));
        let environments = [("dev", None), ("production", Some(1))].map(|(name, required_approvals)| Configuration {
            environment: name.to_owned(),
            kind: "test".to_owned(),
            required_approvals,
        });
        assert_eq!(configured_at_first("shop", &environments, &actor).count(), 1);
    }
}
