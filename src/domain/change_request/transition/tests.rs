//! Every state, wish and kind of user, against the table as it is published.

use super::*;

/// A kind of user, with the letter that stands for it in the table.
const KINDS: [(char, Standing); 9] = [
    ('a', Standing { is_author: true, ..OTHER }),
    // An author who could approve and apply the requests of others.
    ('o', Standing { is_author: true, may_approve: true, may_apply: true, ..OTHER }),
    ('A', Standing { is_author: true, is_admin: true, ..OTHER }),
    ('p', Standing { may_approve: true, ..OTHER }),
    ('y', Standing { may_apply: true, ..OTHER }),
    ('b', Standing { may_approve: true, may_apply: true, ..OTHER }),
    ('d', Standing { is_admin: true, ..OTHER }),
    ('m', OTHER),
    // A viewer in the whole instance, who sees the project and is no member.
    ('v', Standing { may_submit: false, ..OTHER }),
];

const OTHER: Standing = Standing {
    is_author: false,
    is_admin: false,
    may_approve: false,
    may_apply: false,
    may_submit: true,
    has_approved: false,
};

/// Wishes that are granted: each with a state, the kinds of users who may, and the outcome. All others are refused.
#[rustfmt::skip]
const TABLE: &[(Wish, State, &str, State, Effect)] = &[
    (Wish::Read,             State::Draft,     "aoA",       State::Draft,     Effect::Nothing),
    (Wish::Read,             State::InReview,  "aoApybdmv", State::InReview,  Effect::Nothing),
    (Wish::Read,             State::Approved,  "aoApybdmv", State::Approved,  Effect::Nothing),
    (Wish::Read,             State::Scheduled, "aoApybdmv", State::Scheduled, Effect::Nothing),
    (Wish::Read,             State::Applied,   "aoApybdmv", State::Applied,   Effect::Nothing),
    (Wish::Read,             State::Cancelled, "aoApybdmv", State::Cancelled, Effect::Nothing),
    (Wish::Read,             State::Rejected,  "aoApybdmv", State::Rejected,  Effect::Nothing),
    (Wish::Edit,             State::Draft,     "aoA",       State::Draft,     Effect::Nothing),
    (Wish::Edit,             State::InReview,  "aoA",       State::InReview,  Effect::DropApprovals),
    (Wish::Edit,             State::Approved,  "aoA",       State::InReview,  Effect::DropApprovals),
    (Wish::Discard,          State::Draft,     "aoA",       State::Draft,     Effect::Gone),
    (Wish::SendToReview,     State::Draft,     "aoA",       State::InReview,  Effect::Nothing),
    (Wish::Approve,          State::InReview,  "Apbd",      State::InReview,  Effect::AddApproval),
    (Wish::Reject,           State::InReview,  "oApbd",     State::Rejected,  Effect::AddRejection),
    (Wish::Reject,           State::Scheduled, "aoApbd",    State::Rejected,  Effect::AddRejection),
    (Wish::Cancel,           State::Draft,     "aoAd",      State::Cancelled, Effect::Nothing),
    (Wish::Cancel,           State::InReview,  "aoAd",      State::Cancelled, Effect::Nothing),
    (Wish::Cancel,           State::Approved,  "aoAd",      State::Cancelled, Effect::Nothing),
    (Wish::Apply,            State::Approved,  "oAybd",     State::Applied,   Effect::MakeChanges),
    (Wish::Apply,            State::Scheduled, "oAybd",     State::Applied,   Effect::MakeChanges),
    (Wish::Schedule,         State::Approved,  "oAybd",     State::Scheduled, Effect::SetSchedule),
    (Wish::Schedule,         State::Scheduled, "oAybd",     State::Scheduled, Effect::SetSchedule),
    (Wish::Comment,          State::Draft,     "aoA",       State::Draft,     Effect::Nothing),
    (Wish::Comment,          State::InReview,  "aoApybdmv", State::InReview,  Effect::Nothing),
    (Wish::Comment,          State::Approved,  "aoApybdmv", State::Approved,  Effect::Nothing),
    (Wish::Comment,          State::Scheduled, "aoApybdmv", State::Scheduled, Effect::Nothing),
    (Wish::Comment,          State::Applied,   "aoApybdmv", State::Applied,   Effect::Nothing),
    (Wish::Comment,          State::Cancelled, "aoApybdmv", State::Cancelled, Effect::Nothing),
    (Wish::Comment,          State::Rejected,  "aoApybdmv", State::Rejected,  Effect::Nothing),
    (Wish::Retitle,          State::Draft,     "aoA",       State::Draft,     Effect::Nothing),
    (Wish::Retitle,          State::InReview,  "aoA",       State::InReview,  Effect::Nothing),
    (Wish::Retitle,          State::Approved,  "aoA",       State::Approved,  Effect::Nothing),
    (Wish::Retitle,          State::Scheduled, "aoA",       State::Scheduled, Effect::Nothing),
    (Wish::RequestReviewers, State::Draft,     "aoA",       State::Draft,     Effect::Nothing),
    (Wish::RequestReviewers, State::InReview,  "aoA",       State::InReview,  Effect::Nothing),
    (Wish::RequestReviewers, State::Approved,  "aoA",       State::Approved,  Effect::Nothing),
    (Wish::RequestReviewers, State::Scheduled, "aoA",       State::Scheduled, Effect::Nothing),
];

/// A change request that needs two approvals and has none.
const fn at(state: State) -> Circumstances {
    Circumstances { state, is_enabled: true, approvals: 0, min_approvals: 2, has_required_reviewers: true }
}

fn kind(letter: char) -> Standing {
    KINDS.into_iter().find(|(known, _)| *known == letter).expect("a kind").1
}

#[test]
fn each_state_wish_and_kind_of_user_is_as_in_the_table() {
    let mut cases = 0;
    for state in State::ALL {
        for wish in Wish::ALL {
            let row = TABLE.iter().find(|(asked, from, ..)| (*asked, *from) == (wish, state));
            for (letter, user) in KINDS {
                cases += 1;
                let case = format!("{wish:?} in {state:?} by {letter}");
                match (step(&at(state), wish, user), row) {
                    (Ok(step), Some((_, _, who, to, effect))) => {
                        assert!(who.contains(letter), "{case} is granted");
                        assert_eq!(step, Step { to: *to, effect: *effect }, "{case}");
                    }
                    (Ok(step), None) => panic!("{case} is granted: {step:?}"),
                    (Err(refusal), Some((_, _, who, ..))) => {
                        assert!(!who.contains(letter), "{case} is refused: {refusal:?}");
                        assert_ne!(refusal, Refusal::State(wish, state), "{case}: others may");
                    }
                    (Err(refusal), None) => {
                        let is_hidden = state == State::Draft && !user.is_author;
                        let expected = if is_hidden { Refusal::Hidden } else { Refusal::State(wish, state) };
                        assert_eq!(refusal, expected, "{case}");
                    }
                }
            }
        }
    }
    assert_eq!(cases, 7 * 12 * 9);
}

#[test]
fn a_refusal_names_why() {
    let permission = Refusal::NoPermission;
    for (wish, state, letter, expected) in [
        (Wish::Read, State::Draft, 'd', Refusal::Hidden),
        (Wish::Cancel, State::Draft, 'b', Refusal::Hidden),
        (Wish::Edit, State::InReview, 'd', Refusal::NotAuthor(Wish::Edit)),
        (Wish::Approve, State::InReview, 'a', permission(Permission::ApproveChangeRequest)),
        (Wish::Approve, State::InReview, 'o', Refusal::OwnApproval),
        (Wish::Approve, State::InReview, 'y', permission(Permission::ApproveChangeRequest)),
        (Wish::Reject, State::Scheduled, 'y', permission(Permission::ApproveChangeRequest)),
        (Wish::Apply, State::Approved, 'p', permission(Permission::ApplyChangeRequest)),
        (Wish::Schedule, State::Scheduled, 'a', permission(Permission::ApplyChangeRequest)),
        (Wish::Cancel, State::Approved, 'b', Refusal::NeitherAuthorNorAdmin(Wish::Cancel)),
        (Wish::Retitle, State::Approved, 'd', Refusal::NotAuthor(Wish::Retitle)),
        (Wish::Cancel, State::Scheduled, 'a', Refusal::State(Wish::Cancel, State::Scheduled)),
    ] {
        assert_eq!(step(&at(state), wish, kind(letter)), Err(expected), "{wish:?} in {state:?} by {letter}");
        assert!(expected.to_string().ends_with('.'), "{expected}");
    }
}

#[test]
fn a_request_is_approved_when_the_last_approval_and_the_required_reviewers_are_there() {
    let approve = |approvals, min_approvals, has_required_reviewers| {
        let now = Circumstances { approvals, min_approvals, has_required_reviewers, ..at(State::InReview) };
        step(&now, Wish::Approve, kind('p')).expect("granted").to
    };
    for (approvals, min_approvals, has_required_reviewers, expected) in [
        (0, 2, true, State::InReview),
        (1, 2, true, State::Approved),
        (0, 1, true, State::Approved),
        (0, 0, true, State::Approved),
        (5, 1, true, State::Approved),
        (1, 2, false, State::InReview),
        (u64::MAX, 1, false, State::InReview),
    ] {
        let found = approve(approvals, min_approvals, has_required_reviewers);
        assert_eq!(found, expected, "{approvals} of {min_approvals}, {has_required_reviewers}");
    }
    let again = Standing { has_approved: true, ..kind('p') };
    assert_eq!(step(&at(State::InReview), Wish::Approve, again), Err(Refusal::AlreadyApproved));
}

#[test]
fn where_no_approval_is_needed_review_ends_at_once() {
    let free = |state| Circumstances { min_approvals: 0, ..at(state) };
    for (state, wish, effect) in
        [(State::Draft, Wish::SendToReview, Effect::Nothing), (State::Approved, Wish::Edit, Effect::DropApprovals)]
    {
        assert_eq!(step(&free(state), wish, kind('a')), Ok(Step { to: State::Approved, effect }));
        let reviewed = Circumstances { has_required_reviewers: false, ..free(state) };
        assert_eq!(step(&reviewed, wish, kind('a')), Ok(Step { to: State::InReview, effect }));
    }
}

#[test]
fn approvals_do_not_outlive_the_changes_that_they_were_given_for() {
    let approved = Circumstances { approvals: 2, ..at(State::Approved) };
    let edited = Step { to: State::InReview, effect: Effect::DropApprovals };
    assert_eq!(step(&approved, Wish::Edit, kind('a')), Ok(edited));
}

#[test]
fn who_may_no_longer_submit_may_still_give_up() {
    let outsider = Standing { may_submit: false, ..kind('a') };
    for state in State::PENDING {
        assert_eq!(step(&at(state), Wish::Edit, outsider), Err(Refusal::NotMember), "{state:?}");
        assert_eq!(step(&at(state), Wish::Cancel, outsider).map(|step| step.to), Ok(State::Cancelled), "{state:?}");
    }
    assert_eq!(step(&at(State::Draft), Wish::SendToReview, outsider), Err(Refusal::NotMember));
    let admin = Standing { may_submit: false, ..kind('A') };
    assert!(step(&at(State::Draft), Wish::SendToReview, admin).is_ok());
}

#[test]
fn where_requests_were_switched_off_they_can_be_ended_and_scheduled_ones_go_on() {
    let off = |state| Circumstances { is_enabled: false, ..at(state) };
    let author_and_all = Standing { is_author: true, is_admin: true, ..kind('b') };
    let mut granted = Vec::new();
    for (wish, state, ..) in TABLE {
        match step(&off(*state), *wish, author_and_all) {
            Ok(_) => granted.push((*wish, *state)),
            Err(refusal) => assert_eq!(refusal, Refusal::SwitchedOff, "{wish:?} in {state:?}"),
        }
    }
    granted.retain(|(wish, _)| !matches!(wish, Wish::Read | Wish::Retitle | Wish::RequestReviewers));
    let expected = [
        (Wish::Discard, State::Draft),
        (Wish::Reject, State::Scheduled),
        (Wish::Cancel, State::Draft),
        (Wish::Cancel, State::InReview),
        (Wish::Cancel, State::Approved),
        (Wish::Apply, State::Scheduled),
        (Wish::Schedule, State::Scheduled),
    ];
    assert_eq!(granted, expected);
}
