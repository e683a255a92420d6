//! Change requests that begin as drafts, of which the log shows nothing before their review.

use super::*;

#[test]
fn changes_are_those_that_were_sent_to_review() {
    let author = user(AUTHOR);
    let (target, on, off) = (target(), switch(true), switch(false));
    let mut log = Log::default();
    log.add([
        DRAFT.created(&author),
        DRAFT.change_added(&shown(7, &target, &on), &author),
        DRAFT.change_added(&shown(8, &target, &on), &author),
        DRAFT.change_edited(&shown(7, &target, &on), &shown(7, &target, &off), &author),
        DRAFT.change_discarded(&shown(8, &target, &on), &author),
        DRAFT.sent_to_review(&[change_of(7, switch(false))], Some("Launch"), &author),
    ]);
    assert!(log.0[..5].iter().all(|event| event.data.as_ref().is_some_and(|data| !data.contains("updateEnabled"))));
    let (seen, other) = (digest(&[switch(false)], 1), digest(&[switch(true)], 1));
    log.approve(5, 8, &seen, 1).apply(&seen, &[5]);
    assert_eq!(log.findings(), Findings { proved: 1, ..Findings::default() });
    // Nothing else was.
    log.0.truncate(6);
    log.approve(5, 8, &other, 1).apply(&other, &[5]);
    assert_eq!(log.fault(), Some((8, FaultKind::OtherChanges)));
}

#[test]
fn what_is_changed_in_review_is_added_to_what_was_sent() {
    let author = user(AUTHOR);
    let (target, archive) = (target(), Action::ArchiveFeature);
    let mut log = Log::requested();
    log.add([SUBJECT.change_added(&shown(8, &target, &archive), &author)]);
    let both = digest(&[switch(true), Action::ArchiveFeature], 1);
    log.approve(5, 8, &both, 1).apply(&both, &[5]);
    assert_eq!(log.findings().proved, 1);
}

#[test]
fn a_second_review_takes_approvals_away_and_its_changes_have_authors() {
    let one = digest(&[switch(true)], 1);
    let mut by_another = change_of(7, switch(true));
    by_another.created_by = person(8);
    let mut log = Log::requested();
    let again = DRAFT.sent_to_review(&[by_another], None, &user(AUTHOR));
    log.approve(5, 8, &one, 1).add([again]).apply(&one, &[5]);
    assert_eq!(log.fault(), Some((6, FaultKind::Void { approval: 4, changed_by: 5 })));
    log.0.truncate(5);
    log.approve(6, 8, &one, 1).apply(&one, &[6]);
    let own = OwnApproval { event_id: 7, change_request: 12, approval: 6 };
    assert_eq!((log.findings().proved, log.findings().own_approvals), (1, vec![own]));
}
