//! Change requests that came over from another server.

use std::collections::BTreeMap;

use super::*;
use crate::change_request::{ChangeRequest, moved_in, state::State};

/// A change request that moves in in a state with these approvals, as the log of this server records it.
fn coming_over(state: State, approvals: Vec<Review>) -> NewEvent {
    let request = ChangeRequest {
        id: SUBJECT.id,
        project: SUBJECT.project.to_owned(),
        environment: SUBJECT.environment.to_owned(),
        state,
        title: None,
        min_approvals: 2,
        revision: 1,
        created_by: person(AUTHOR),
        created_at: Timestamp::from_millis(0),
        changes: vec![change_of(7, switch(true))],
        approvals,
        rejections: Vec::new(),
        comments: Vec::new(),
        schedule: None,
        entered: BTreeMap::new(),
        applied_digest: None,
    };
    moved_in::event(&request, &Actor::system())
}

#[test]
fn approvals_of_another_server_count_for_the_changes_that_came_over() {
    let two = digest(&[switch(true)], 2);
    let moved = |log: &mut Log| {
        log.add([coming_over(State::Approved, vec![review(5, 8, &two), review(6, 9, &two)])]);
    };
    // The log of the other server tells of approvals that are bound to nothing.
    let of_before = || {
        let mut log = Log::requested();
        let mut approval = SUBJECT.approved(&review(1, 8, ""), 2, true, &user(8));
        for event in &mut approval {
            event.data = Some(json!({ "changeRequestId": SUBJECT.id }));
        }
        log.add(approval);
        log
    };
    let mut log = of_before();
    moved(&mut log);
    log.apply(&two, &[5, 6]);
    assert_eq!(log.findings(), Findings { proved: 1, moved: 1, ..Findings::default() });
    // Without the event of the move, nothing binds them.
    let mut log = of_before();
    log.apply(&two, &[5, 6]);
    assert_eq!(log.fault(), Some((6, FaultKind::Unknown { approval_id: 5 })));
    // They count for nothing else, and once.
    let mut log = of_before();
    moved(&mut log);
    let other = digest(&[switch(false)], 2);
    log.apply(&other, &[5, 6]);
    assert_eq!(log.fault(), Some((7, FaultKind::OtherDigest { approval: 6 })));
    let mut log = of_before();
    moved(&mut log);
    log.apply(&two, &[5]);
    assert_eq!(log.fault(), Some((7, FaultKind::TooFew { given: 1, needed: 2 })));
    // Nor after a change here.
    let (target, off) = (target(), switch(false));
    let mut log = of_before();
    moved(&mut log);
    log.add([SUBJECT.change_added(&shown(8, &target, &off), &user(AUTHOR))]).apply(&two, &[5, 6]);
    assert_eq!(log.fault(), Some((8, FaultKind::Void { approval: 6, changed_by: 7 })));
}

#[test]
fn only_approvals_of_the_changes_that_come_over_move_in() {
    let two = digest(&[switch(true)], 2);
    let event = coming_over(State::Approved, vec![review(5, 8, &two), review(6, 9, "another")]);
    let data = event.data.expect("data");
    assert_eq!(moved_in::approvals(&data), [(5, 8)]);
    assert_eq!(data["changesDigest"], two);
    assert_eq!(data["changes"][0]["createdByUserId"], AUTHOR);
}

#[test]
fn changes_of_a_draft_that_comes_over_are_those_that_are_sent_to_review_here() {
    let two = digest(&[switch(true)], 2);
    let draft = coming_over(State::Draft, vec![review(5, 8, &two)]);
    let told = json!({ "changeRequestId": SUBJECT.id, "state": "Draft", "createdByUserId": AUTHOR });
    assert_eq!((draft.data.as_ref(), &draft.feature), (Some(&told), &None));
    let mut log = Log::default();
    log.add([draft, DRAFT.sent_to_review(&[change_of(7, switch(true))], None, &user(AUTHOR))]);
    log.approve(5, 8, &two, 2).approve(6, 9, &two, 2).apply(&two, &[5, 6]);
    assert_eq!(log.findings(), Findings { proved: 1, ..Findings::default() });
}
