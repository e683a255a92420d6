//! Drafts that several requests write at once, states that are entered once, and reviews that count once.

use std::{collections::BTreeSet, sync::Arc};

use flagstone::{
    domain::change_request::{ChangeRequest, action::Action, review::Verdict, state::State},
    store::change_requests::{self, NewChangeRequest, discussion},
};
use futures_util::future::join_all;

use super::world::{PRODUCTION, World, feature, held, switch};

fn names(request: &ChangeRequest) -> Vec<&str> {
    request.changes.iter().filter_map(|change| change.target.feature()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn changes_that_arrive_together_gather_in_one_draft_and_none_is_lost() {
    let world = Arc::new(World::new().await);
    let posts = (0..20).map(|number| {
        let world = Arc::clone(&world);
        tokio::spawn(async move {
            let tx = world.app.tx().await;
            let new =
                NewChangeRequest { project: "shop", environment: PRODUCTION, created_by: world.ada, min_approvals: 2 };
            let (head, created) = change_requests::join_or_create(&tx, &new, world.now()).await.expect("joins");
            let changes = [switch(&format!("flag-{number}"), true), switch(&format!("flag-{number}"), false)];
            let ids = change_requests::append(&tx, &head, &changes, world.ada, world.now()).await.expect("appends");
            world.app.commit(tx).await;
            (head.id, created, ids)
        })
    });
    let posted: Vec<_> = join_all(posts).await.into_iter().map(|post| post.expect("no panic")).collect();
    assert_eq!(posted.iter().filter(|(_, created, _)| *created).count(), 1);
    let request = world.read(posted[0].0).await;
    assert!(posted.iter().all(|(id, ..)| *id == request.id));
    let ids: BTreeSet<i64> = posted.iter().flat_map(|(_, _, ids)| ids.iter().copied()).collect();
    assert_eq!(ids, request.changes.iter().map(|change| change.id).collect());
    assert_eq!((request.changes.len(), request.revision, request.min_approvals), (40, 20, 2));
    assert_eq!(request.entered.keys().copied().collect::<Vec<_>>(), [State::Draft]);
    // Those that were sent together stay together, in their order.
    for pair in request.changes.chunks(2) {
        assert_eq!(pair[0].target, pair[1].target);
        let switched = pair.iter().map(|change| match &change.action {
            Action::UpdateEnabled(switch) => switch.enabled,
            other => panic!("{other:?}"),
        });
        assert_eq!(switched.collect::<Vec<_>>(), [true, false]);
    }
}

#[tokio::test]
async fn a_change_joins_the_pending_request_of_its_author_and_place() {
    let world = World::new().await;
    for (state, joins) in State::ALL.map(|state| (state, State::PENDING.contains(&state))) {
        let user = world.app.person(crate::harness::role::VIEWER, None).await.user_id.expect("a person");
        let id = world.request(user, state, &[switch("cart", true)]).await;
        for (project, environment, user, same) in [
            ("shop", PRODUCTION, user, true),
            ("shop", "development", user, false),
            ("shop", PRODUCTION, world.ben, false),
            ("default", PRODUCTION, user, false),
        ] {
            let tx = world.app.tx().await;
            let new = NewChangeRequest { project, environment, created_by: user, min_approvals: 1 };
            let (head, created) = change_requests::join_or_create(&tx, &new, world.now()).await.expect("joins");
            assert_eq!(
                (head.id == id, created),
                (same && joins, !(same && joins)),
                "{state:?} {project} {environment}"
            );
        }
    }
}

#[tokio::test]
async fn a_state_is_entered_from_the_state_and_the_contents_that_were_seen() {
    let world = World::new().await;
    let id = world.request(world.ada, State::InReview, &[switch("cart", true)]).await;
    let tx = world.app.tx().await;
    let seen = held(&tx, id).await;
    drop(tx);

    world.app.clock.advance(1000);
    let tx = world.app.tx().await;
    let head = held(&tx, id).await;
    change_requests::append(&tx, &head, &[switch("cart", false)], world.ada, world.now()).await.expect("appends");
    assert!(!change_requests::enter(&tx, &seen, State::Approved, world.now()).await.expect("asks"), "other contents");
    let head = held(&tx, id).await;
    assert!(change_requests::enter(&tx, &head, State::Approved, world.now()).await.expect("asks"));
    assert!(!change_requests::enter(&tx, &head, State::Approved, world.now()).await.expect("asks"), "another state");
    world.app.commit(tx).await;

    let request = world.read(id).await;
    assert_eq!((request.state, request.entered[&State::Approved]), (State::Approved, world.now()));
    assert!(request.entered[&State::InReview] < world.now());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_many_who_would_apply_at_once_one_does() {
    let world = Arc::new(World::new().await);
    let id = world.request(world.ada, State::Approved, &[switch("cart", true)]).await;
    let tries = (0..8).map(|_| {
        let world = Arc::clone(&world);
        tokio::spawn(async move {
            let tx = world.app.tx().await;
            let head = held(&tx, id).await;
            let may = head.state == State::Approved;
            let applied = may && change_requests::enter(&tx, &head, State::Applied, world.now()).await.expect("enters");
            if applied {
                change_requests::note_applied(&tx, id, "digest").await.expect("notes");
            }
            world.app.commit(tx).await;
            applied
        })
    });
    let applied = join_all(tries).await.into_iter().filter(|applied| *applied.as_ref().expect("no panic")).count();
    let request = world.read(id).await;
    assert_eq!((applied, request.applied_digest.as_deref()), (1, Some("digest")));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn two_approvals_of_one_person_are_one() {
    let world = Arc::new(World::new().await);
    let id = world.request(world.ada, State::InReview, &[switch("cart", true)]).await;
    let digest = world.read(id).await.digest();
    let approve = |user: i64, verdict: Verdict| {
        let (world, digest) = (Arc::clone(&world), digest.clone());
        tokio::spawn(async move {
            let tx = world.app.tx().await;
            let added =
                change_requests::add_review(&tx, id, user, verdict, &digest, world.now()).await.expect("reviews");
            world.app.commit(tx).await;
            added
        })
    };
    let added = join_all((0..6).map(|_| approve(world.ben, Verdict::Approval))).await;
    let added: Vec<i64> = added.into_iter().filter_map(|added| added.expect("no panic")).collect();
    approve(world.cleo, Verdict::Approval).await.expect("no panic").expect("added");
    approve(world.ben, Verdict::Rejection).await.expect("no panic").expect("added");
    let request = world.read(id).await;
    let reviewers = |reviews: &[flagstone::domain::change_request::review::Review]| {
        reviews.iter().map(|review| (review.created_by.id, review.digest.clone())).collect::<Vec<_>>()
    };
    assert_eq!(added, [request.approvals[0].id]);
    assert_eq!(reviewers(&request.approvals), [(world.ben, digest.clone()), (world.cleo, digest.clone())]);
    assert_eq!(reviewers(&request.rejections), [(world.ben, digest.clone())]);

    let tx = world.app.tx().await;
    change_requests::drop_approvals(&tx, id).await.expect("drops");
    let again = change_requests::add_review(&tx, id, world.ben, Verdict::Approval, "new", world.now()).await;
    assert!(again.expect("reviews").is_some());
    world.app.commit(tx).await;
    let request = world.read(id).await;
    assert_eq!(reviewers(&request.approvals), [(world.ben, "new".to_owned())]);
    assert_eq!(request.rejections.len(), 1, "a rejection stays");
}

#[tokio::test]
async fn a_change_is_edited_and_discarded_where_it_is() {
    let world = World::new().await;
    let changes = ["one", "two", "three"].map(|name| switch(name, true));
    let id = world.request(world.ada, State::Draft, &changes).await;
    let other = world.request(world.ben, State::Draft, &[switch("other", true)]).await;
    let before = world.read(id).await;
    let [first, second] = [before.changes[0].id, before.changes[1].id];
    let foreign = world.read(other).await.changes[0].id;

    let tx = world.app.tx().await;
    let head = held(&tx, id).await;
    let snapshot = serde_json::json!({ "was": "here" });
    assert!(change_requests::edit(&tx, &head, second, &Action::ArchiveFeature, Some(&snapshot)).await.expect("edits"));
    assert!(change_requests::discard(&tx, &head, first).await.expect("discards"));
    for gone in [first, foreign, 0] {
        assert!(!change_requests::edit(&tx, &head, gone, &Action::ArchiveFeature, None).await.expect("edits"));
        assert!(!change_requests::discard(&tx, &head, gone).await.expect("discards"));
    }
    change_requests::append(&tx, &head, &[switch("four", true)], world.ada, world.now()).await.expect("appends");
    change_requests::retitle(&tx, id, Some("Launch")).await.expect("retitles");
    world.app.commit(tx).await;

    let after = world.read(id).await;
    assert_eq!(names(&after), ["two", "three", "four"]);
    assert_eq!((after.changes[0].id, &after.changes[0].action), (second, &Action::ArchiveFeature));
    assert_eq!(after.changes[0].snapshot, Some(snapshot));
    assert_eq!((after.title(), after.revision - before.revision), ("Launch".to_owned(), 3));
    assert_eq!(names(&world.read(other).await), ["other"]);
    assert_eq!(after.changes[1].target, feature("three"));
}

#[tokio::test]
async fn only_a_draft_can_be_thrown_away() {
    let world = World::new().await;
    for state in State::ALL {
        let user = world.app.person(crate::harness::role::VIEWER, None).await.user_id.expect("a person");
        let id = world.request(user, state, &[switch("cart", true)]).await;
        let tx = world.app.tx().await;
        discussion::add_comment(&tx, id, world.ben, "Why?", world.now()).await.expect("comments");
        let deleted = change_requests::delete_draft(&tx, id).await.expect("deletes");
        world.app.commit(tx).await;
        let found = change_requests::find(world.app.db(), id).await.expect("reads");
        assert_eq!((deleted, found.is_none()), (state == State::Draft, state == State::Draft), "{state:?}");
    }
}

#[tokio::test]
async fn comments_and_requests_for_approval_are_kept_with_who_and_when() {
    let world = World::new().await;
    let id = world.request(world.ada, State::InReview, &[switch("cart", true)]).await;
    let tx = world.app.tx().await;
    for (user, text) in [(world.ben, "Why?"), (world.ada, "Because.")] {
        discussion::add_comment(&tx, id, user, text, world.now()).await.expect("comments");
    }
    let ask = async |users: &[i64]| {
        discussion::ask(&tx, id, &users.iter().copied().collect(), world.now()).await.expect("asks")
    };
    assert_eq!(ask(&[world.ben]).await.added, [world.ben]);
    let asked = ask(&[world.ben, world.cleo]).await;
    assert_eq!((asked.before, asked.added), (vec![world.ben], vec![world.cleo]));
    assert_eq!(ask(&[world.cleo]).await.before, [world.ben, world.cleo]);
    world.app.commit(tx).await;

    let comments = world.read(id).await.comments;
    let said: Vec<_> = comments.iter().map(|comment| (comment.created_by.id, &*comment.text)).collect();
    assert_eq!(said, [(world.ben, "Why?"), (world.ada, "Because.")]);
    let asked = discussion::approvers(world.app.db(), id).await.expect("reads");
    assert_eq!(asked.iter().map(|person| person.id).collect::<Vec<_>>(), [world.cleo]);
    assert!(asked[0].email.as_ref().is_some_and(|email| email.ends_with("@example.com")));
}
