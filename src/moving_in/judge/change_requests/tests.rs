use flagstone_domain::time::Timestamp;
use serde_json::json;

use super::*;
use crate::{
    judge as judge_set,
    neutral::{AskedReviewer, Comment, Environment, Feature, Project, RequestedChange, Schedule, User},
};

const PRODUCTION: &str = "production";

fn review(user: i64) -> Review {
    Review { user, created_at: Some(Timestamp::from_millis(user)) }
}

fn change(id: i64, action: &str, payload: serde_json::Value) -> RequestedChange {
    RequestedChange {
        id,
        feature: Some("cart".to_owned()),
        action: action.to_owned(),
        payload: Some(payload),
        created_by: 1,
        ..RequestedChange::default()
    }
}

fn switch(id: i64) -> RequestedChange {
    change(id, "updateEnabled", json!({ "enabled": true }))
}

/// A change request of user 1 with one change, approved by user 2.
fn request(id: i64, state: &str) -> ChangeRequest {
    ChangeRequest {
        id,
        project: "shop".to_owned(),
        environment: PRODUCTION.to_owned(),
        state: state.to_owned(),
        min_approvals: 1,
        created_by: 1,
        changes: vec![switch(id)],
        approvals: vec![review(2)],
        schedule: (state == "Scheduled").then(|| Schedule {
            at: Some(Timestamp::from_millis(9)),
            scheduled_by: Some(2),
            status: "pending".to_owned(),
            reason: None,
        }),
        ..ChangeRequest::default()
    }
}

/// Returns the change requests that come over, and the findings about them.
fn judged(change_requests: Vec<ChangeRequest>) -> (Vec<ChangeRequest>, Vec<String>) {
    let environment = Environment { name: PRODUCTION.to_owned(), enabled: true, ..Environment::default() };
    let user = |id, deleted_at| User {
        id,
        username: Some(format!("user-{id}")),
        root_role: Some(3),
        deleted_at,
        ..User::default()
    };
    let set = Set {
        environments: vec![environment],
        projects: vec![Project { id: "shop".to_owned(), ..Project::default() }],
        features: vec![Feature { name: "cart".to_owned(), project: "shop".to_owned(), ..Feature::default() }],
        users: vec![user(1, None), user(2, None), user(3, Some(Timestamp::from_millis(5)))],
        change_requests,
        ..Set::default()
    };
    let judged = judge_set(set, Vec::new());
    let of_requests = judged.findings.iter().filter(|finding| finding.kind.contains("change"));
    let told = of_requests.map(|finding| format!("{}: {}", finding.name, finding.reason)).collect();
    (judged.set.change_requests, told)
}

fn states(requests: &[ChangeRequest]) -> Vec<(i64, &str, usize)> {
    requests.iter().map(|request| (request.id, &*request.state, request.approvals.len())).collect()
}

#[test]
fn each_state_comes_over_as_it_is_and_a_schedule_is_suspended() {
    let given = ["In review", "Applied", "Cancelled", "Rejected", "Scheduled"];
    let given = (1..).zip(given).map(|(id, state)| request(id, state)).collect();
    let (kept, told) = judged(given);
    let expected =
        [(1, "In review", 1), (2, "Applied", 1), (3, "Cancelled", 1), (4, "Rejected", 1), (5, "Scheduled", 1)];
    assert_eq!(states(&kept), expected);
    let schedule = kept[4].schedule.as_ref().expect("a schedule");
    assert_eq!(
        (&*schedule.status, schedule.reason.as_deref()),
        ("suspended", Some("It was moved in from another server."))
    );
    assert_eq!(told, ["5: its schedule is suspended: schedule it again, apply it or reject it"]);
    // What has failed there, or was suspended, stays so, for the reason that it had.
    let mut failed = request(1, "Scheduled");
    failed.schedule = Some(Schedule {
        status: "failed".to_owned(),
        reason: Some("gone".to_owned()),
        scheduled_by: Some(77),
        ..failed.schedule.expect("one")
    });
    let (kept, told) = judged(vec![failed]);
    let schedule = kept[0].schedule.as_ref().expect("a schedule");
    assert_eq!((&*schedule.status, schedule.reason.as_deref()), ("failed", Some("gone")));
    assert_eq!(schedule.scheduled_by, Some(1));
    assert_eq!(told, ["1: counts as scheduled by its author: the user who did it does not exist"]);
}

#[test]
fn approvals_do_not_outlive_a_change_that_they_were_given_to() {
    let lossy = |id, state: &str| {
        let mut request = request(id, state);
        request.changes.push(change(70 + id, "addReleasePlan", json!({ "templateId": "t" })));
        request
    };
    let (kept, told) = judged(vec![lossy(1, "Approved"), lossy(2, "Scheduled"), lossy(3, "Applied")]);
    // Both wait for review, but an author has one at most.
    assert_eq!(states(&kept), [(1, "In review", 0), (2, "Cancelled", 0), (3, "Applied", 1)]);
    assert!(kept.iter().all(|request| request.changes.len() == 1 && request.schedule.is_none()));
    assert_eq!(
        told,
        [
            "71 of change request 1 (addReleasePlan): there is no such action here",
            "1: 1 of its 2 changes are left out",
            "1: lost its approvals: they were given to changes of which not all come over",
            "1: is In review here instead of Approved: it needs 1 approvals of its changes, and has 0",
            "72 of change request 2 (addReleasePlan): there is no such action here",
            "2: 1 of its 2 changes are left out",
            "2: lost its approvals: they were given to changes of which not all come over",
            "2: is In review here instead of Scheduled: it needs 1 approvals of its changes, and has 0",
            "73 of change request 3 (addReleasePlan): there is no such action here",
            "3: 1 of its 2 changes are left out",
            "2: is Cancelled here instead of In review: its author has another one there, 1, and here there is one at most",
        ]
    );
}

#[test]
fn what_has_no_approvals_or_time_is_in_the_state_before() {
    let mut few = request(1, "Approved");
    few.min_approvals = 2;
    few.approvals.extend([review(2), review(99)]);
    let mut timeless = request(2, "Scheduled");
    timeless.created_by = 2;
    timeless.schedule = None;
    let (kept, told) = judged(vec![few, timeless]);
    assert_eq!(states(&kept), [(1, "In review", 1), (2, "Approved", 1)]);
    assert_eq!(
        told,
        [
            "1: 2 of its approvals are left out: nobody gave them, or twice",
            "1: is In review here instead of Approved: it needs 2 approvals of its changes, and has 1",
            "2: is Approved here instead of Scheduled: no time is known",
        ]
    );
}

#[test]
fn what_names_nothing_that_exists_is_left_out() {
    let other = |id, edit: fn(&mut ChangeRequest)| {
        let mut request = request(id, "In review");
        edit(&mut request);
        request
    };
    let (kept, told) = judged(vec![
        other(1, |request| request.project = "gone".to_owned()),
        other(2, |request| request.environment = "gone".to_owned()),
        other(3, |request| request.created_by = 99),
        other(4, |request| request.state = "Asleep".to_owned()),
        other(5, |request| {
            request.state = "Draft".to_owned();
            request.changes.clear();
        }),
        other(6, |request| request.changes.clear()),
        other(-7, |request| request.created_by = 3),
    ]);
    // An author may have left.
    assert_eq!(states(&kept), [(6, "Cancelled", 1), (7, "In review", 1)]);
    assert_eq!(
        told,
        [
            "-7: has the id 7 here: ids begin at 1",
            "1: its project \"gone\" does not exist",
            "2: its environment \"gone\" does not exist",
            "3: its author, the user 99, does not exist",
            "4: there is no state \"Asleep\" here",
            "5: is a draft without changes",
            "6: is Cancelled here instead of In review: it has no changes",
        ]
    );
}

#[test]
fn changes_that_do_not_exist_here_are_told_and_those_that_could_not_be_requested_too() {
    let constraint = |operator: &str, values: serde_json::Value| json!({ "contextName": "userId", "operator": operator, "values": values });
    let strategy = |constraint: serde_json::Value| json!({ "name": "default", "constraints": [constraint] });
    let mut draft = request(1, "Draft");
    let mut homeless = change(5, "updateEnabled", json!({ "enabled": true }));
    homeless.feature = None;
    let mut by_nobody = switch(6);
    by_nobody.created_by = 99;
    draft.changes = vec![
        change(2, "updateEnabled", json!("on")),
        change(3, "addStrategy", strategy(constraint("IS_PAYING", json!(["x"])))),
        change(4, "updateSegment", json!({ "id": 7, "name": "staff", "constraints": [] })),
        homeless,
        by_nobody,
        change(7, "addStrategy", strategy(constraint("IN", json!([])))),
        change(8, "addStrategy", json!({ "name": "invented" })),
        change(9, "archiveFeature", json!([])),
    ];
    let (kept, told) = judged(vec![draft]);
    let ids: Vec<i64> = kept[0].changes.iter().map(|change| change.id).collect();
    assert_eq!(ids, [6, 7, 8, 9]);
    assert_eq!((kept[0].changes[0].created_by, &kept[0].changes[3].payload), (1, &None));
    assert!(kept[0].approvals.is_empty(), "a draft has none");
    let begins = [
        "2 of change request 1 (updateEnabled): /payload does not fit the action updateEnabled: ",
        "3 of change request 1 (addStrategy): it has a constraint with an operator that does not exist here",
        "4 of change request 1 (updateSegment): /feature must be absent",
        "5 of change request 1 (updateEnabled): /feature is missing",
        "6 of change request 1 (updateEnabled): counts as the author's: the user 99 does not exist",
        "7 of change request 1 (addStrategy): comes over, and could not be requested here: \
         /payload/constraints/0/values ",
        "8 of change request 1 (addStrategy): comes over, and could not be requested here: /payload/name must be",
        "1: 4 of its 8 changes are left out",
    ];
    assert_eq!(told.len(), begins.len(), "{told:?}");
    for (told, begin) in told.iter().zip(begins) {
        assert!(told.starts_with(begin), "{told}, not {begin}");
    }
}

#[test]
fn texts_and_lists_end_where_they_must() {
    let comment = |id: i64, text: &str| Comment { id, text: text.to_owned(), created_by: 2, created_at: None };
    let mut long = request(1, "In review");
    long.title = Some("ä".repeat(300));
    long.comments = (1..=1003).map(|id| comment(id, "fine")).collect();
    long.comments[1002].text = "x".repeat(1001);
    long.comments.extend([comment(1004, " \n"), Comment { created_by: 99, ..comment(1005, "ghost") }]);
    long.reviewers = [1, 2, 2, 3, 99].map(|user| AskedReviewer { user, ..AskedReviewer::default() }).into();
    let (kept, told) = judged(vec![long]);
    assert_eq!(kept[0].title.as_ref().map(|title| title.chars().count()), Some(255));
    assert_eq!((kept[0].comments.len(), kept[0].comments[0].id), (1000, 4));
    assert_eq!(kept[0].comments[999].text.len(), 1000);
    assert_eq!(kept[0].reviewers.iter().map(|asked| asked.user).collect::<Vec<_>>(), [1, 2]);
    assert_eq!(
        told,
        [
            "1: has a title of 255 characters: it was longer",
            "1: 3 users are not asked for approval here: they do not exist, or are too many",
            "1: 2 of its comments are left out: they are empty, or nobody's",
            "1: 1 of its comments end after 1000 characters: more are none",
            "1: 3 of its comments are left out, the oldest: a change request has 1000 at most",
        ]
    );
}

#[test]
fn ids_that_cannot_be_asked_for_are_replaced_by_free_ones() {
    const LAST: i64 = (1 << 53) - 1;
    let numbered = |ids: &[i64]| {
        let (kept, told) = judged(ids.iter().map(|id| request(*id, "Applied")).collect());
        (kept.iter().map(|request| request.id).collect::<Vec<_>>(), told)
    };
    let told = |id: i64, new: i64, bound: &str| format!("{id}: has the id {new} here: ids {bound}");
    let above = format!("end at {LAST}");
    let (ids, findings) = numbered(&[i64::MAX, 0, 7, i64::MIN, LAST + 1]);
    assert_eq!(ids, [8, 9, 7, 10, 11]);
    let expected = [
        told(i64::MAX, 8, &above),
        told(0, 9, "begin at 1"),
        told(i64::MIN, 10, "begin at 1"),
        told(LAST + 1, 11, &above),
    ];
    assert_eq!(findings, expected);
    // The greatest one stays, and others come where there is room.
    let (ids, findings) = numbered(&[LAST, 1, i64::MAX, 3, 0]);
    assert_eq!(ids, [LAST, 1, 2, 3, 4]);
    assert_eq!(findings, [told(i64::MAX, 2, &above), told(0, 4, "begin at 1")]);
}

#[test]
fn a_second_draft_is_not_shown_to_others() {
    let (kept, told) = judged(vec![request(1, "Draft"), request(2, "In review"), request(3, "Approved")]);
    assert_eq!(states(&kept), [(2, "Cancelled", 1), (3, "Approved", 1)]);
    assert_eq!(
        told,
        [
            "1: its author has another one there, 3, and here there is one at most",
            "2: is Cancelled here instead of In review: its author has another one there, 3, and here there is one at most",
        ]
    );
}
