//! Lists of change requests, the search over all projects, and counts.

use std::slice;

use flagstone::{
    domain::{
        change_request::{
            Target,
            state::{Counts, State},
        },
        filter::Page,
        ids::{EnvironmentName, FeatureName, ProjectId},
        permission::Places,
        visibility::{EVERYTHING, Visibility},
    },
    store::{
        self,
        change_requests::{
            self, project_list,
            scheduled::{self, ScheduledFilter},
            schedules,
            search::{ChangeRequestFilter, Powers, count_actionable, counts, search},
            segment_uses,
        },
        segments::NewSegment,
    },
};
use serde_json::json;
use uuid::Uuid;

use super::world::{PRODUCTION, World, feature, of, switch};
use crate::{harness::role, statements::Listening};

const PAGE: Page = Page { offset: 0, limit: 50 };

async fn person(world: &World) -> i64 {
    world.app.person(role::VIEWER, None).await.user_id.expect("a person")
}

async fn found(world: &World, filter: &ChangeRequestFilter<'_>, visibility: &Visibility, viewer: i64) -> Vec<i64> {
    let page = search(world.app.db(), filter, visibility, Some(viewer), PAGE).await.expect("searches");
    assert_eq!(page.total, u64::try_from(page.found.len()).expect("few"));
    page.found.into_iter().map(|found| found.id).collect()
}

#[tokio::test]
async fn the_search_finds_what_is_asked_for_and_may_be_seen() {
    let world = World::new().await;
    world.app.project("bank").await;
    let draft = world.request(world.ada, State::Draft, &[switch("cart", true)]).await;
    let review = world.request(world.ben, State::InReview, &[switch("cart", true), switch("cart", false)]).await;
    let applied = world.request(world.cleo, State::Applied, &[switch("order", true)]).await;
    let bank = world.request_in("bank", "development", world.ada, State::Scheduled, &[switch("loan", true)]).await;
    let later = world.request_in("shop", "development", world.ben, State::Approved, &[switch("cart", true)]).await;
    let tx = world.app.tx().await;
    change_requests::discussion::ask(&tx, review, &[world.ada, world.cleo].into(), world.now()).await.expect("asks");
    schedules::set(&tx, bank, world.now(), world.ben).await.expect("schedules");
    world.app.commit(tx).await;

    let no_bank = Visibility { hidden_projects: vec!["bank".to_owned()], sees_instance: false };
    let all = ChangeRequestFilter::default();
    let (ada, cleo) = (world.ada, world.cleo);
    let by = |user| ChangeRequestFilter { created_by: Some(user), ..ChangeRequestFilter::default() };
    let asked = |user| ChangeRequestFilter { requested_approver: Some(user), ..ChangeRequestFilter::default() };
    let open = |is_open| ChangeRequestFilter { is_open: Some(is_open), ..ChangeRequestFilter::default() };
    let waiting = |places: &[(Option<&'static str>, &[&'static str])]| {
        let approves: Places<'_> = places
            .iter()
            .map(|(environment, projects)| (*environment, Some(projects.iter().copied().collect())))
            .collect();
        let powers = Powers { user_id: cleo, approves_own: false, applies: approves.clone(), approves };
        ChangeRequestFilter { actionable: Some(powers), ..ChangeRequestFilter::default() }
    };
    for (filter, visibility, viewer, expected) in [
        (all.clone(), &EVERYTHING, ada, &[later, bank, applied, review, draft][..]),
        (all.clone(), &EVERYTHING, cleo, &[later, bank, applied, review]),
        (all.clone(), &no_bank, ada, &[later, applied, review, draft]),
        (by(ada), &EVERYTHING, ada, &[bank, draft]),
        (by(ada), &EVERYTHING, cleo, &[bank]),
        (asked(cleo), &EVERYTHING, ada, &[review]),
        (asked(world.ben), &EVERYTHING, ada, &[]),
        (open(true), &EVERYTHING, ada, &[later, bank, review, draft]),
        (open(false), &EVERYTHING, ada, &[applied]),
        (ChangeRequestFilter { is_open: Some(true), ..by(ada) }, &no_bank, ada, &[draft]),
        (waiting(&[]), &EVERYTHING, cleo, &[]),
        (waiting(&[(Some("development"), &["bank", "shop"])]), &EVERYTHING, cleo, &[later]),
        (waiting(&[(Some("development"), &["bank"]), (None, &["shop"])]), &EVERYTHING, cleo, &[later, review]),
        (waiting(&[(None, &["bank", "shop"])]), &no_bank, cleo, &[later, review]),
        (ChangeRequestFilter { is_open: Some(false), ..waiting(&[(None, &["shop"])]) }, &EVERYTHING, cleo, &[]),
    ] {
        assert_eq!(found(&world, &filter, visibility, viewer).await, expected, "{filter:?} by {viewer}");
    }
    let page = Page { offset: 2, limit: 2 };
    let page = search(world.app.db(), &all, &EVERYTHING, Some(ada), page).await.expect("searches");
    let shown: Vec<(i64, Vec<&str>)> =
        page.found.iter().map(|found| (found.id, found.features.iter().map(String::as_str).collect())).collect();
    assert_eq!((shown, page.total), (vec![(applied, vec!["order"]), (review, vec!["cart"])], 5));
    let scheduled = search(world.app.db(), &all, &EVERYTHING, None, PAGE).await.expect("searches").found.remove(1);
    assert_eq!(scheduled.schedule.map(|schedule| schedule.scheduled_by), Some(world.ben));
    assert_eq!((scheduled.created_by.id, &*scheduled.project, &*scheduled.environment), (ada, "bank", "development"));
}

#[tokio::test]
async fn a_search_of_many_costs_as_many_statements_as_one_of_few() {
    let world = World::new().await;
    let mut costs = Vec::new();
    for count in [2, 9] {
        for _ in 0..count {
            let user = person(&world).await;
            let id = world.scheduled(user, world.now(), &[switch("cart", true), switch("order", true)]).await;
            let tx = world.app.tx().await;
            change_requests::discussion::add_comment(&tx, id, user, "Why?", world.now()).await.expect("comments");
            world.app.commit(tx).await;
        }
        let db = world.app.db();
        Listening::start();
        search(db, &ChangeRequestFilter::default(), &EVERYTHING, None, PAGE).await.expect("searches");
        let searched = Listening::end().len();
        Listening::start();
        let listed = project_list::of_project(db, "shop", None).await.expect("lists").len();
        let listing = Listening::end().len();
        Listening::start();
        let (shop, production) = (ProjectId::new("shop"), EnvironmentName::new(PRODUCTION));
        scheduled::changes(db, shop, production, 0).await.expect("lists");
        costs.push((searched, listing, Listening::end().len()));
        assert!(listed >= count);
    }
    assert_eq!(costs[0], costs[1]);
    assert_eq!(costs[0], (6, 8, 2));
}

#[tokio::test]
async fn lists_of_a_project_hide_the_drafts_of_others() {
    let world = World::new().await;
    let draft = world.request(world.ada, State::Draft, &[switch("cart", true)]).await;
    let review = world.request(world.ben, State::InReview, &[switch("cart", true)]).await;
    let applied = world.request(world.cleo, State::Applied, &[switch("cart", true)]).await;
    let elsewhere = world.request_in("shop", "development", world.ada, State::Approved, &[switch("order", true)]).await;
    let db = world.app.db();
    let ids = |requests: Vec<flagstone::domain::change_request::ChangeRequest>| {
        requests.into_iter().map(|request| request.id).collect::<Vec<_>>()
    };
    let of_project = async |viewer| {
        let listed = project_list::of_project(db, "shop", viewer).await.expect("lists");
        listed.into_iter().map(|listed| listed.id).collect::<Vec<_>>()
    };
    assert_eq!(of_project(Some(world.ada)).await, [elsewhere, applied, review, draft]);
    assert_eq!(of_project(Some(world.ben)).await, [elsewhere, applied, review]);
    assert_eq!(of_project(None).await, [elsewhere, applied, review]);
    let pending = async |user| ids(change_requests::pending_of(db, "shop", user).await.expect("lists"));
    assert_eq!(pending(world.ada).await, [draft, elsewhere]);
    assert_eq!(pending(world.cleo).await, [0; 0]);
    let touching = async |name: &str, viewer| {
        let (shop, feature) = (ProjectId::new("shop"), FeatureName::new(name));
        ids(change_requests::of_feature(db, shop, feature, Some(viewer)).await.expect("lists"))
    };
    assert_eq!(touching("cart", world.ada).await, [draft, review]);
    assert_eq!(touching("cart", world.cleo).await, [review]);
    assert_eq!(touching("order", world.cleo).await, [elsewhere]);
    let tx = world.app.tx().await;
    assert_eq!(change_requests::count_open(&tx, "shop", world.ada).await.expect("counts"), 2);
    assert_eq!(change_requests::count_open(&tx, "shop", world.cleo).await.expect("counts"), 0);
    world.app.commit(tx).await;
    let expected = Counts { total: 3, applied: 1, approved: 1, review_required: 1, ..Counts::default() };
    assert_eq!(counts(db, "shop").await.expect("counts"), expected);
    assert_eq!(counts(db, "default").await.expect("counts"), Counts::default());
}

#[tokio::test]
async fn what_waits_for_a_user_is_what_they_may_do() {
    let world = World::new().await;
    let reviewed = world.request(world.ada, State::InReview, &[switch("cart", true)]).await;
    world.request(world.ben, State::InReview, &[switch("cart", true)]).await;
    world.request(person(&world).await, State::Approved, &[switch("cart", true)]).await;
    world.request_in("shop", "development", person(&world).await, State::Approved, &[switch("cart", true)]).await;
    world.scheduled(person(&world).await, world.now().plus_days(1), &[switch("cart", true)]).await;
    let stuck = world.scheduled(world.cleo, world.now(), &[switch("cart", true)]).await;
    let tx = world.app.tx().await;
    let suspended = change_requests::suspension::suspend_of_schedulers(&tx, &[world.cleo]).await.expect("suspends");
    assert_eq!(suspended.iter().map(|one| one.id).collect::<Vec<_>>(), [stuck]);
    let verdict = flagstone::domain::change_request::review::Verdict::Approval;
    change_requests::add_review(&tx, reviewed, world.cleo, verdict, "seen", world.now()).await.expect("reviews");
    world.app.commit(tx).await;

    let (here, both) = (&[PRODUCTION][..], &[PRODUCTION, "development"][..]);
    let everywhere =
        |environments: &[&'static str]| environments.iter().map(|name| (Some(*name), None)).collect::<Places<'_>>();
    for (user_id, approves_own, approves, applies, expected) in [
        (world.ada, false, &[][..], &[][..], 0),
        // The other's alone.
        (world.ada, false, here, &[], 1),
        (world.ada, true, here, &[], 2),
        // One has been approved by them.
        (world.cleo, false, here, &[], 1),
        (world.ada, false, &[], here, 2),
        (world.ada, false, &[], both, 3),
        (world.ada, true, both, both, 5),
    ] {
        let powers = Powers { user_id, approves_own, approves: everywhere(approves), applies: everywhere(applies) };
        let count = count_actionable(world.app.db(), "shop", &powers).await.expect("counts");
        assert_eq!(count, expected, "{powers:?}");
    }
}

#[tokio::test]
async fn scheduled_requests_are_found_by_what_they_are_about() {
    let world = World::new().await;
    let (strategy, later) = (Uuid::from_u128(1), world.now().plus_days(1));
    let update = of(feature("order"), "updateStrategy", json!({ "id": strategy, "name": "default" }));
    let variants = of(feature("cart"), "patchVariant", json!({ "variants": [] }));
    let ids = [
        world.scheduled(person(&world).await, later, &[switch("cart", true)]).await,
        world.scheduled(person(&world).await, later, &[update]).await,
        world.scheduled(person(&world).await, later, &[variants, switch("order", true)]).await,
    ];
    world.request(person(&world).await, State::Approved, &[switch("cart", true)]).await;
    let list = async |features: &[&str], strategies: &[Uuid], variants_of: &[&str]| {
        let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        let filter = ScheduledFilter {
            features: texts(features),
            strategies: strategies.to_vec(),
            variants_of: texts(variants_of),
        };
        let listed = scheduled::list(world.app.db(), "shop", &filter).await.expect("lists");
        assert!(listed.iter().all(|one| one.environment == PRODUCTION));
        listed.into_iter().map(|one| one.id).collect::<Vec<_>>()
    };
    assert_eq!(list(&[], &[], &[]).await, ids);
    assert_eq!(list(&["cart"], &[], &[]).await, [ids[0], ids[2]]);
    assert_eq!(list(&[], &[strategy], &[]).await, [ids[1]]);
    assert_eq!(list(&[], &[], &["cart"]).await, [ids[2]]);
    assert_eq!(list(&[], &[], &["order"]).await, [0; 0]);
    assert_eq!(list(&["cart"], &[strategy], &["none"]).await, ids);

    let (shop, production) = (ProjectId::new("shop"), EnvironmentName::new(PRODUCTION));
    let others = scheduled::changes(world.app.db(), shop, production, ids[0]).await.expect("lists");
    let seen: Vec<_> = others.iter().map(|change| (change.request, &*change.action, &*change.strategies)).collect();
    let expected: [(i64, &str, &[Uuid]); 3] =
        [(ids[1], "updateStrategy", &[strategy]), (ids[2], "patchVariant", &[]), (ids[2], "updateEnabled", &[])];
    assert_eq!(seen, expected);
    let development = EnvironmentName::new("development");
    assert!(scheduled::changes(world.app.db(), shop, development, 0).await.expect("lists").is_empty());
}

#[tokio::test]
async fn segments_know_which_open_requests_would_apply_them() {
    let world = World::new().await;
    let tx = world.app.tx().await;
    let new = NewSegment { name: "Staff".to_owned(), project: Some("shop".to_owned()), ..NewSegment::default() };
    let id = store::segments::insert(&tx, &new, world.now()).await.expect("a segment");
    world.app.commit(tx).await;
    let applying = |id| of(feature("cart"), "addStrategy", json!({ "name": "userWithId", "segments": [id] }));
    let change = of(Target::Segment(id), "updateSegment", json!({ "id": id, "name": "Staff", "constraints": [] }));
    let applied = world.request(world.ada, State::InReview, &[applying(id), applying(id + 1), change]).await;
    world.request(world.ben, State::Draft, &[applying(id)]).await;
    let closed = world.request(world.cleo, State::Applied, &[applying(id + 2)]).await;

    let db = world.app.db();
    let list = async |id, visibility: &Visibility, viewer| {
        let uses = segment_uses::list(db, id, visibility, Some(viewer)).await.expect("lists");
        uses.into_iter().map(|one| (one.change_request_id, one.strategy, one.feature)).collect::<Vec<_>>()
    };
    let expected = (applied, "userWithId".to_owned(), "cart".to_owned());
    assert_eq!(list(id, &EVERYTHING, world.ada).await, slice::from_ref(&expected));
    assert_eq!(list(id, &EVERYTHING, world.ben).await.len(), 2, "with the own draft");
    let nothing = Visibility { hidden_projects: vec!["shop".to_owned()], sees_instance: false };
    assert!(list(id, &nothing, world.ada).await.is_empty());
    let is_used = async |id| segment_uses::is_used(db, id).await.expect("asks");
    assert!(is_used(id).await && is_used(id + 1).await && !is_used(id + 2).await);
    let searched = search(db, &ChangeRequestFilter::default(), &EVERYTHING, None, PAGE).await.expect("searches");
    let names: Vec<_> = searched.found.iter().map(|found| (found.id, found.segments.first().cloned())).collect();
    assert_eq!(names, [(closed, None), (applied, Some("Staff".to_owned()))]);
}
