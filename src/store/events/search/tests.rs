//! Plans by which SQLite reaches the events of each kind of search. A full scan seen here is a full scan of a million
//! events.

use flagstone_domain::{
    actor::Actor,
    event::NewEvent,
    event_filter::{Phrase, PhrasePlace},
};
use sea_orm::{DatabaseBackend, Statement};

use super::*;
use crate::{db::Db, migrate};

struct Planner {
    db: Db,
    _files: tempfile::TempDir,
}

impl Planner {
    async fn new() -> Self {
        let files = tempfile::tempdir().unwrap();
        let db = Db::open(&format!("sqlite://{}", files.path().join("plans.db").display())).await.unwrap();
        migrate::migrate(&db).await.unwrap();
        Self { db, _files: files }
    }

    async fn explain(&self, select: &SelectStatement) -> Vec<String> {
        let Statement { sql, values, .. } = DatabaseBackend::Sqlite.build(select);
        let values = values.into_iter().flat_map(|values| values.0);
        let explain =
            Statement::from_sql_and_values(DatabaseBackend::Sqlite, format!("EXPLAIN QUERY PLAN {sql}"), values);
        let rows = self.db.query_all_raw(explain).await.unwrap();
        rows.iter().map(|row| row.try_get("", "detail").unwrap()).collect()
    }

    /// The steps of the page and of the total, for an administrator and for a user without a look at everything.
    async fn plans(&self, filter: &EventFilter) -> [(Vec<String>, Vec<String>); 2] {
        let somebody = Visibility { hidden_projects: vec!["secret".to_owned()], sees_instance: false };
        let mut plans = Vec::new();
        for visibility in [Visibility::everything(), somebody] {
            let plan = Plan::new(filter, &visibility, DatabaseBackend::Sqlite);
            let page = Walk { start: Start::Newest, skip: 50, limit: 50 };
            plans.push((self.explain(&plan.page(page)).await, self.explain(&plan.total(None)).await));
        }
        plans.try_into().unwrap()
    }
}

/// Asserts that the page is a walk along `page` and the total a walk along `total`, for both visibilities.
async fn assert_walks(filter: EventFilter, page: &str, total: &str) {
    for (pages, totals) in Planner::new().await.plans(&filter).await {
        assert!(pages.iter().any(|step| step.contains(page)), "{filter:?}: {pages:#?}");
        // The outer rows of the page are few and come sorted by their key.
        assert!(!pages.iter().any(|step| step.contains("TEMP B-TREE FOR ORDER")), "{filter:?}: {pages:#?}");
        assert!(totals.iter().any(|step| step.contains(total)), "{filter:?}: {totals:#?}");
        for step in pages.iter().chain(&totals) {
            let scans = step.starts_with("SCAN event") && !step.starts_with("SCAN event_fts");
            assert!(!scans || step == "SCAN event" && page == step || step.contains("COVERING INDEX"), "{step}");
        }
    }
}

/// Step of a plan that reaches the events that the text table does not know.
const UNTOLD: &str = "SEARCH event USING INTEGER PRIMARY KEY (rowid>?)";

fn one(name: &str) -> Vec<String> {
    vec![name.to_owned()]
}

#[tokio::test]
async fn the_first_page_walks_the_ids_and_counts_an_index() {
    assert_walks(EventFilter::default(), "SCAN event", "COVERING INDEX").await;
}

#[tokio::test]
async fn a_type_in_a_range_of_days_is_a_range_of_one_index() {
    let filter = EventFilter {
        kinds: Some(one("feature-created")),
        from: Some(Timestamp::from_millis(0)),
        to: Some(Timestamp::from_millis(1)),
        ..EventFilter::default()
    };
    let range = "COVERING INDEX ix_event__type_id_project (type=? AND id>? AND id<?)";
    assert_walks(filter, range, range).await;
}

#[tokio::test]
async fn days_alone_are_a_range_of_the_dates() {
    let filter = EventFilter { from: Some(Timestamp::from_millis(0)), ..EventFilter::default() };
    let range = "COVERING INDEX ix_event__created_at_id_project (created_at>?)";
    assert_walks(filter, range, range).await;
}

#[tokio::test]
async fn a_project_a_feature_an_environment_and_a_creator_have_an_index_each() {
    let project = EventFilter { projects: Some(one("shop")), ..EventFilter::default() };
    assert_walks(project, "INDEX ix_event__project_id (project=?)", "COVERING INDEX ix_event__project").await;
    let feature = EventFilter { features: Some(one("checkout")), ..EventFilter::default() };
    let index = "COVERING INDEX ix_event__feature_name_id_project (feature_name=?)";
    assert_walks(feature, index, index).await;
    let environment = EventFilter { environments: Some(one("production")), ..EventFilter::default() };
    let index = "INDEX ix_event__environment_id_project (environment=?)";
    assert_walks(environment.clone(), index, "COVERING INDEX ix_event__environment").await;
    let days = EventFilter { from: Some(Timestamp::from_millis(0)), ..environment };
    let range = "COVERING INDEX ix_event__environment_id_project (environment=? AND id>?)";
    assert_walks(days, range, range).await;
    let creator = EventFilter { creators: Some(vec![1]), ..EventFilter::default() };
    let index = "COVERING INDEX ix_event__created_by_user_id_id_project (created_by_user_id=?)";
    assert_walks(creator, index, index).await;
}

#[tokio::test]
async fn a_text_is_found_by_the_text_table_in_the_order_of_ids() {
    for place in [PhrasePlace::Payload, PhrasePlace::PayloadAndOrigin] {
        let phrase = Phrase::new(Some("checkout"), place);
        let filter = EventFilter { phrase, ..EventFilter::default() };
        assert_walks(filter.clone(), "SCAN event_fts VIRTUAL TABLE", "SCAN event_fts VIRTUAL TABLE").await;
        assert_walks(filter.clone(), UNTOLD, UNTOLD).await;
        let filter = EventFilter { kinds: Some(one("feature-created")), from: Some(Timestamp::default()), ..filter };
        assert_walks(filter, "SCAN event_fts VIRTUAL TABLE", "SCAN event_fts VIRTUAL TABLE").await;
    }
}

#[tokio::test]
async fn a_text_among_the_events_of_a_feature_is_looked_for_in_those() {
    let phrase = Phrase::new(Some("checkout"), PhrasePlace::Payload);
    let filter = EventFilter { phrase, features: Some(one("checkout")), ..EventFilter::default() };
    let index = "ix_event__feature_name_id_project (feature_name=?)";
    assert_walks(filter, index, index).await;
}

#[tokio::test]
async fn several_types_are_sorted_by_their_index_alone() {
    let kinds = Some(vec!["feature-created".to_owned(), "feature-archived".to_owned()]);
    let filter = EventFilter { kinds, ..EventFilter::default() };
    for (page, total) in Planner::new().await.plans(&filter).await {
        for steps in [page, total] {
            let index = "SEARCH event USING COVERING INDEX ix_event__type_id_project (type=?)";
            assert!(steps.iter().any(|step| step == index), "{steps:#?}");
        }
    }
}

#[tokio::test]
async fn a_total_is_carried_on_by_the_events_since() {
    let planner = Planner::new().await;
    let phrase = Phrase::new(Some("checkout"), PhrasePlace::Payload);
    let everything = Visibility::everything();
    for filter in [
        EventFilter::default(),
        EventFilter { kinds: Some(one("feature-created")), ..EventFilter::default() },
        EventFilter { from: Some(Timestamp::from_millis(0)), ..EventFilter::default() },
        EventFilter { phrase, ..EventFilter::default() },
    ] {
        let plan = Plan::new(&filter, &everything, DatabaseBackend::Sqlite);
        let steps = planner.explain(&plan.total(Some(5))).await;
        // The text table's way of saying so has no column in it.
        assert!(
            steps.iter().any(|step| step.contains("id>?") || step.contains(" INDEX 0:M") && step.ends_with('>')),
            "{filter:?}: {steps:#?}"
        );
    }
}

#[tokio::test]
async fn totals_count_each_event_once_however_often_they_are_asked_for() {
    let Planner { db, _files } = Planner::new().await;
    let phrase = Phrase::new(Some("carousel"), PhrasePlace::Payload);
    let filter = EventFilter { phrase, ..EventFilter::default() };
    let page = EventPage { start: PageStart::Skip(0), limit: 1 };
    let everything = Visibility::everything();
    let mut written = 0;
    for batch in [0, 3, 0, 2] {
        let tx = db.begin().await.unwrap();
        let event = |name: &str| NewEvent {
            data: Some(serde_json::json!({ "name": name })),
            ..NewEvent::new(EventKind::FeatureCreated, &Actor::system())
        };
        let events: Vec<_> = (0..batch).flat_map(|_| [event("carousel"), event("basket")]).collect();
        written += batch;
        tx.commit(Timestamp::from_millis(1), events).await.unwrap();
        for _ in 0..2 {
            assert_eq!(search(&db.heavy(), &filter, &everything, page).await.unwrap().total, written);
            let all = search(&db.heavy(), &EventFilter::default(), &everything, page).await.unwrap();
            assert_eq!(all.total, written * 2);
        }
    }
}

/// A log of 3000 events with gaps in it, of which two in three are in a project and one in five is hidden.
async fn long_log() -> Planner {
    let planner = Planner::new().await;
    let kinds = [EventKind::FeatureCreated, EventKind::FeatureArchived, EventKind::FeatureTagged];
    let event = |number: usize| {
        let event = NewEvent::new(kinds[number % 3], &Actor::system());
        let event = event.with_data(&serde_json::json!({ "name": format!("carousel {number}") }));
        match number % 5 {
            0 => event.in_project("secret"),
            1 | 2 => event.in_project("shop").of_feature("checkout", &[]),
            3 => event.in_project("shop"),
            _ => event,
        }
    };
    for (day, numbers) in (0..3000).collect::<Vec<_>>().chunks(300).enumerate() {
        let tx = planner.db.begin().await.unwrap();
        let now = Timestamp::from_millis(0).plus_days(i64::try_from(day).unwrap());
        tx.commit(now, numbers.iter().map(|number| event(*number)).collect::<Vec<_>>()).await.unwrap();
    }
    planner
}

#[tokio::test]
async fn a_page_far_back_holds_what_a_walk_from_the_newest_event_comes_to() {
    let Planner { db, _files } = long_log().await;
    let somebody = Visibility { hidden_projects: vec!["secret".to_owned()], sees_instance: false };
    let filters = [
        EventFilter::default(),
        EventFilter { kinds: Some(one("feature-created")), ..EventFilter::default() },
        EventFilter { kinds: Some([one("feature-created"), one("feature-tagged")].concat()), ..EventFilter::default() },
        EventFilter { projects: Some(one("shop")), ..EventFilter::default() },
        EventFilter { features: Some(one("checkout")), ..EventFilter::default() },
        EventFilter {
            from: Some(Timestamp::from_millis(0).plus_days(2)),
            to: Some(Timestamp::from_millis(0).plus_days(7)),
            ..EventFilter::default()
        },
        EventFilter {
            kinds: Some(one("feature-created")),
            to: Some(Timestamp::from_millis(0).plus_days(8)),
            ..EventFilter::default()
        },
        EventFilter { phrase: Phrase::new(Some("carousel"), PhrasePlace::Payload), ..EventFilter::default() },
        EventFilter {
            phrase: Phrase::new(Some("carousel 1"), PhrasePlace::Payload),
            to: Some(Timestamp::from_millis(0).plus_days(7)),
            ..EventFilter::default()
        },
    ];
    // First a log where each id is that of an event, then one with gaps, then one that has grown since.
    for state in 0..3 {
        if state == 1 {
            let tx = db.begin().await.unwrap();
            tx.execute_unprepared("DELETE FROM event WHERE id % 11 = 1").await.unwrap();
            tx.commit(Timestamp::from_millis(0), []).await.unwrap();
        }
        if state == 2 {
            let tx = db.begin().await.unwrap();
            let event = NewEvent::new(EventKind::FeatureCreated, &Actor::system()).in_project("shop");
            let event = event.with_data(&serde_json::json!({ "name": "carousel 1" }));
            tx.commit(Timestamp::from_millis(0), vec![event; 90]).await.unwrap();
        }
        for visibility in [Visibility::everything(), somebody.clone()] {
            for filter in &filters {
                let plan = Plan::new(filter, &visibility, DatabaseBackend::Sqlite);
                let walk = Walk { start: Start::Newest, skip: 0, limit: 5000 };
                let (all, _) = read(&db.heavy(), &plan, walk).await.unwrap();
                let total = i64::try_from(all.len()).unwrap();
                // There and back again: from one known event to another, and past the end.
                for skip in [1000, 300, 1700, 201, 999, 650, 2400, 1001, 250, 5000, u64::MAX >> 1] {
                    let page = EventPage { start: PageStart::Skip(skip), limit: 7 };
                    let found = search(&db.heavy(), filter, &visibility, page).await.unwrap();
                    let skipped = usize::try_from(skip).unwrap();
                    let expected: Vec<i64> = all.iter().skip(skipped).take(7).map(|event| event.id).collect();
                    let ids: Vec<i64> = found.events.iter().map(|event| event.id).collect();
                    assert_eq!((ids, found.total), (expected, total), "{state}: {filter:?} {visibility:?} {skip}");
                }
            }
        }
    }
}

#[tokio::test]
async fn a_walk_that_begins_at_a_known_event_passes_none_of_those_before_it() {
    let planner = Planner::new().await;
    let days = EventFilter {
        from: Some(Timestamp::from_millis(0)),
        to: Some(Timestamp::from_millis(1)),
        ..EventFilter::default()
    };
    let of_kind = EventFilter { kinds: Some(one("feature-created")), ..days.clone() };
    for (filter, skip, step) in [
        (EventFilter::default(), 1000, "COVERING INDEX ix_event__created_at_id_project (created_at<?)"),
        (days.clone(), 10, "USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)"),
        (days, 1000, "COVERING INDEX ix_event__created_at_id_project (created_at>? AND created_at<?)"),
        (of_kind, 1000, "COVERING INDEX ix_event__type_id_project (type=? AND id>? AND id<?)"),
    ] {
        let everything = Visibility::everything();
        let plan = Plan::new(&filter, &everything, DatabaseBackend::Sqlite);
        let steps = planner.explain(&plan.page(Walk { start: Start::At(700), skip, limit: 50 })).await;
        assert!(steps.iter().any(|one| one.contains(step)), "{filter:?}: {steps:#?}");
        assert!(!steps.iter().any(|one| one.contains("TEMP B-TREE FOR ORDER")), "{filter:?}: {steps:#?}");
    }
}

#[tokio::test]
async fn a_long_text_is_looked_for_by_a_part_that_few_events_hold() {
    let Planner { db, _files } = long_log().await;
    let everything = Visibility::everything();
    for (text, part, matches) in [
        ("carousel 1234", Some("l 1234"), vec![1235]),
        ("\"carousel 1234\"}", Some("1234\"}"), vec![1235]),
        // Each part occurs, the whole does not.
        ("carousel 1234 carousel 1235", Some("234 ca"), vec![]),
        (
            "{\"name\":\"carousel 1",
            None,
            (1000..2000).chain(100..200).chain(10..20).chain([1]).map(|id| id + 1).rev().collect(),
        ),
        ("carousel 12", None, (1200..1300).chain(120..130).chain([12]).map(|id| id + 1).rev().collect()),
    ] {
        let filter = EventFilter { phrase: Phrase::new(Some(text), PhrasePlace::Payload), ..EventFilter::default() };
        let plan = Plan::new(&filter, &everything, DatabaseBackend::Sqlite);
        let narrow = narrowed(&db.heavy(), &plan).await.unwrap();
        assert_eq!(narrow.map(|narrow| narrow.indexed), part, "{text}");
        let page = EventPage { start: PageStart::Skip(0), limit: 2000 };
        for _ in 0..2 {
            let found = search(&db.heavy(), &filter, &everything, page).await.unwrap();
            let mut ids: Vec<i64> = found.events.iter().map(|event| event.id).collect();
            ids.sort_unstable_by_key(|id| std::cmp::Reverse(*id));
            let mut expected: Vec<i64> = matches.clone();
            expected.sort_unstable_by_key(|id| std::cmp::Reverse(*id));
            assert_eq!((found.total, ids), (i64::try_from(matches.len()).unwrap(), expected), "{text}");
        }
    }
}
