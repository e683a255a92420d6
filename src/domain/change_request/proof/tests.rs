mod moved_in;
mod review;

use serde_json::json;

use super::*;
use crate::{
    actor::Actor,
    change_request::{
        Change, Person, Target,
        action::{Action, Switch},
        event::{ShownChange, Subject},
        review::Review,
    },
    event::NewEvent,
    time::Timestamp,
};

const SUBJECT: Subject<'_> = Subject { id: 12, project: "shop", environment: "production", is_draft: false };
const DRAFT: Subject<'_> = Subject { is_draft: true, ..SUBJECT };
const AUTHOR: i64 = 1;

fn user(id: i64) -> Actor {
    Actor::new(id, "somebody")
}

fn switch(enabled: bool) -> Action {
    Action::UpdateEnabled(Switch { enabled, should_activate_disabled_strategies: None })
}

fn target() -> Target {
    Target::Feature { name: "cart".to_owned(), id: Some(1) }
}

fn shown<'a>(id: i64, target: &'a Target, action: &'a Action) -> ShownChange<'a> {
    ShownChange { id, target, action, tags: &[] }
}

fn digest(actions: &[Action], min_approvals: i64) -> String {
    let target = target();
    digest::of(actions.iter().map(|action| (&target, action)), min_approvals)
}

fn person(id: i64) -> Person {
    Person { id, username: None, email: None, name: None }
}

fn review(id: i64, user_id: i64, digest: &str) -> Review {
    Review { id, digest: digest.to_owned(), created_by: person(user_id), created_at: Timestamp::from_millis(0) }
}

/// A change of the feature by the author.
fn change_of(id: i64, action: Action) -> Change {
    let created_at = Timestamp::from_millis(0);
    Change { id, target: target(), action, snapshot: None, created_by: person(AUTHOR), created_at }
}

/// Events by which the author requests that the feature is switched on, and sends that to review.
fn request_events() -> [NewEvent; 3] {
    let author = user(AUTHOR);
    let (target, on) = (target(), switch(true));
    [
        DRAFT.created(&author),
        DRAFT.change_added(&shown(7, &target, &on), &author),
        DRAFT.sent_to_review(&[change_of(7, on)], None, &author),
    ]
}

/// A log that is written event by event.
#[derive(Default)]
struct Log(Vec<StoredEvent>);

impl Log {
    fn add(&mut self, events: impl IntoIterator<Item = NewEvent>) -> &mut Self {
        for event in events {
            let id = i64::try_from(self.0.len()).expect("few") + 1;
            self.0.push(StoredEvent {
                id,
                created_at: Timestamp::from_millis(id),
                kind: event.stored_type().to_owned(),
                created_by: event.actor.name.clone(),
                created_by_user_id: Some(event.actor.user_id),
                environment: event.environment.clone(),
                project: event.project.clone(),
                feature_name: event.feature.clone(),
                data: event.data.as_ref().map(ToString::to_string),
                pre_data: event.pre_data.as_ref().map(ToString::to_string),
                tags: "[]".to_owned(),
                reason: None,
            });
        }
        self
    }

    /// A change request that switches a feature on, under review: events 1 to 3.
    fn requested() -> Self {
        let mut log = Self::default();
        log.add(request_events());
        log
    }

    fn approve(&mut self, id: i64, by: i64, digest: &str, min_approvals: i64) -> &mut Self {
        self.add(SUBJECT.approved(&review(id, by, digest), min_approvals, false, &user(by)))
    }

    fn apply(&mut self, digest: &str, approvals: &[i64]) -> &mut Self {
        let approvals: Vec<Review> = approvals.iter().map(|id| review(*id, 0, digest)).collect();
        self.add([SUBJECT.applied(digest, &approvals.iter().collect::<Vec<_>>(), false, &user(2))])
    }

    fn findings(&self) -> Findings {
        read(&self.0, true)
    }

    fn fault(&self) -> Option<(i64, FaultKind)> {
        let findings = self.findings();
        assert_eq!(findings.fault_count, findings.faults.len() as u64);
        findings.faults.first().map(|fault| (fault.event_id, fault.kind))
    }
}

fn read(events: &[StoredEvent], is_whole: bool) -> Findings {
    let mut proof = Proof::begin(is_whole);
    for event in events {
        proof.read(event);
    }
    proof.end()
}

#[test]
fn an_application_of_what_others_approved_is_proved() {
    let two = digest(&[switch(true)], 2);
    let mut log = Log::requested();
    log.approve(5, 8, &two, 2).approve(6, 9, &two, 2).apply(&two, &[5, 6]);
    assert_eq!(log.findings(), Findings { proved: 1, ..Findings::default() });
    // So is one by its schedule.
    let scheduled = EventKind::ChangeRequestScheduledApplicationSuccess.as_str();
    scheduled.clone_into(&mut log.0.last_mut().expect("an application").kind);
    assert_eq!(log.findings().proved, 1);
    // And one that needs none.
    let none = digest(&[switch(true)], 0);
    assert_eq!(Log::requested().apply(&none, &[]).findings().proved, 1);
}

#[test]
fn what_is_edited_discarded_and_added_is_what_must_have_been_approved() {
    let author = user(AUTHOR);
    let (target, on, off, archive) = (target(), switch(true), switch(false), Action::ArchiveFeature);
    let segment = Target::Segment(3);
    let delete = Action::read("deleteSegment", Some(json!({ "id": 3 }))).expect("an action");
    let mut log = Log::requested();
    log.add([
        SUBJECT.change_added(&shown(8, &target, &archive), &author),
        SUBJECT.change_added(&shown(9, &segment, &delete), &author),
        SUBJECT.change_edited(&shown(7, &target, &on), &shown(7, &target, &off), &author),
        SUBJECT.change_discarded(&shown(8, &target, &archive), &author),
    ]);
    let seen = digest::of([(&target, &off), (&segment, &delete)], 1);
    log.approve(5, 8, &seen, 1).apply(&seen, &[5]);
    assert_eq!(log.findings(), Findings { proved: 1, ..Findings::default() });
}

#[test]
fn an_approval_of_other_changes_is_found() {
    let (seen, done) = (digest(&[switch(false)], 1), digest(&[switch(true)], 1));
    let mut log = Log::requested();
    log.approve(5, 8, &seen, 1).apply(&done, &[5]);
    assert_eq!(log.fault(), Some((5, FaultKind::OtherDigest { approval: 4 })));
}

#[test]
fn an_approval_that_was_never_given_or_only_afterwards_is_found() {
    let one = digest(&[switch(true)], 1);
    let mut log = Log::requested();
    log.apply(&one, &[5]).approve(5, 8, &one, 1);
    assert_eq!(log.fault(), Some((4, FaultKind::Unknown { approval_id: 5 })));
    let mut log = Log::requested();
    log.approve(5, 8, &one, 1).apply(&one, &[5, 6]);
    assert_eq!(log.fault(), Some((5, FaultKind::Unknown { approval_id: 6 })));
}

#[test]
fn an_approval_of_another_change_request_is_found() {
    let one = digest(&[switch(true)], 1);
    let other = Subject { id: 13, ..SUBJECT };
    let mut log = Log::requested();
    log.add([other.created(&user(3))]).add(other.approved(&review(5, 8, &one), 1, false, &user(8))).apply(&one, &[5]);
    assert_eq!(log.fault(), Some((6, FaultKind::OfAnother { approval: 5, change_request: 13 })));
}

#[test]
fn an_approval_that_was_dropped_is_found_even_when_the_changes_are_the_same_again() {
    let author = user(AUTHOR);
    let one = digest(&[switch(true)], 1);
    let (target, on, off) = (target(), switch(true), switch(false));
    let there = SUBJECT.change_edited(&shown(7, &target, &on), &shown(7, &target, &off), &author);
    let back = SUBJECT.change_edited(&shown(7, &target, &off), &shown(7, &target, &on), &author);
    let mut log = Log::requested();
    log.approve(5, 8, &one, 1).add([there, back]).apply(&one, &[5]);
    assert_eq!(log.fault(), Some((7, FaultKind::Void { approval: 4, changed_by: 5 })));
    // A new approval heals that.
    let application = log.0.pop().expect("an application");
    log.approve(6, 8, &one, 1).apply(&one, &[6]);
    assert_eq!((log.fault(), application.id), (None, 7));
}

#[test]
fn two_approvals_by_one_user_are_one() {
    let two = digest(&[switch(true)], 2);
    let mut log = Log::requested();
    log.approve(5, 8, &two, 2).approve(6, 8, &two, 2).apply(&two, &[5, 6]);
    assert_eq!(log.fault(), Some((6, FaultKind::TooFew { given: 1, needed: 2 })));
    let mut log = Log::requested();
    log.approve(5, 8, &two, 2).approve(6, 9, &two, 2).apply(&two, &[5, 5]);
    assert_eq!(log.fault(), Some((6, FaultKind::TooFew { given: 1, needed: 2 })));
}

#[test]
fn a_lowered_number_of_approvals_is_found_since_the_digest_holds_it() {
    let two = digest(&[switch(true)], 2);
    let mut log = Log::requested();
    log.approve(5, 8, &two, 1).apply(&two, &[5]);
    assert_eq!(log.fault(), Some((5, FaultKind::OtherChanges)));
}

#[test]
fn changes_that_the_log_never_recorded_are_found() {
    let forged = digest(&[switch(true), Action::ArchiveFeature], 1);
    let mut log = Log::requested();
    log.approve(5, 8, &forged, 1).apply(&forged, &[5]);
    assert_eq!(log.fault(), Some((5, FaultKind::OtherChanges)));
}

#[test]
fn an_application_without_approvals_or_without_a_digest_is_found() {
    let one = digest(&[switch(true)], 1);
    assert_eq!(Log::requested().apply(&one, &[]).fault(), Some((4, FaultKind::NotApproved)));
    let mut log = Log::requested();
    log.approve(5, 8, &one, 1).apply(&one, &[5]);
    log.0.last_mut().expect("an application").data = Some(r#"{"changeRequestId":12}"#.to_owned());
    assert_eq!(log.fault(), Some((5, FaultKind::NoDigest)));
}

#[test]
fn what_has_ended_or_never_began_cannot_be_applied() {
    let one = digest(&[switch(true)], 1);
    let author = user(AUTHOR);
    let in_shop = NewEvent::new(EventKind::ProjectDeleted, &author).in_project("shop");
    for end in [SUBJECT.rejected(&author), SUBJECT.cancelled(&author), SUBJECT.discarded(&author), in_shop] {
        let mut log = Log::requested();
        log.approve(5, 8, &one, 1).add([end]).apply(&one, &[5]);
        assert_eq!(log.fault(), Some((6, FaultKind::NotOpen)), "{:?}", log.0[4]);
    }
    let mut log = Log::requested();
    log.approve(5, 8, &one, 1).apply(&one, &[5]).apply(&one, &[5]);
    assert_eq!((log.findings().proved, log.fault()), (1, Some((6, FaultKind::NotOpen))));
    assert_eq!(Log::default().apply(&one, &[]).fault(), Some((1, FaultKind::NotOpen)));
}

#[test]
fn an_approval_by_an_author_is_a_remark() {
    let one = digest(&[switch(true)], 1);
    let mut log = Log::requested();
    log.approve(5, AUTHOR, &one, 1).apply(&one, &[5]);
    let own = OwnApproval { event_id: 5, change_request: 12, approval: 4 };
    let expected = Findings { proved: 1, own_approvals: vec![own], own_approval_count: 1, ..Findings::default() };
    assert_eq!(log.findings(), expected);
    // Also of whoever recorded a change, whoever is said to have created it.
    log.0[0].created_by_user_id = Some(99);
    assert_eq!(log.findings(), expected);
}

#[test]
fn a_log_that_begins_later_proves_what_it_can() {
    let one = digest(&[switch(true)], 1);
    let mut log = Log::requested();
    log.approve(5, 8, &one, 1).apply(&one, &[5]);
    let counts = |from: usize| {
        let findings = read(&log.0[from..], false);
        (findings.proved, findings.began_before, findings.fault_count)
    };
    assert_eq!([0, 1, 2, 3, 4].map(counts), [(1, 0, 0), (1, 0, 0), (1, 0, 0), (1, 0, 0), (0, 1, 0)]);
    let mut proof = Proof::begin(true);
    proof.skip();
    proof.read(&log.0[4]);
    assert_eq!(proof.end().began_before, 1);
}

#[test]
fn a_log_of_another_server_has_no_proofs_and_no_faults() {
    let mut log = Log::default();
    let author = user(AUTHOR);
    let event = |kind| NewEvent::new(kind, &author).in_project("shop").with_data(&json!({ "changeRequestId": 12 }));
    log.add([
        event(EventKind::ChangeRequestCreated),
        event(EventKind::ChangeAdded),
        event(EventKind::ChangeRequestSentToReview),
        event(EventKind::ChangeRequestApprovalAdded),
        event(EventKind::ChangeRequestApplied),
        event(EventKind::ChangeRequestCreated),
        event(EventKind::ChangeAdded),
    ]);
    assert_eq!(log.findings(), Findings { elsewhere: 1, ..Findings::default() });
    // The ids of this server begin anew.
    let one = digest(&[switch(true)], 1);
    log.add(request_events());
    log.approve(5, 8, &one, 1).apply(&one, &[5]);
    assert_eq!(log.findings(), Findings { proved: 1, elsewhere: 1, ..Findings::default() });
}

#[test]
fn faults_are_counted_and_the_first_ones_kept() {
    let one = digest(&[switch(true)], 1);
    let mut log = Log::default();
    for _ in 0..KEPT + 5 {
        log.apply(&one, &[]);
    }
    let findings = log.findings();
    assert_eq!((findings.faults.len(), findings.fault_count), (KEPT, 105));
    let told = findings.faults[0].to_string();
    assert_eq!(told, "event 1 says that change request 12 was applied, which was never created, or had ended before");
}
