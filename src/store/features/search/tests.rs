use std::sync::atomic::{AtomicUsize, Ordering};

use flagstone_domain::{
    actor::{ADMIN_TOKEN_USER_ID, Actor},
    event::NewEvent,
    event_kind::EventKind,
    feature_document::FeatureDocument,
    filter::{DateFilter, Page, SegmentFilter, SortKey, SortOrder, StatusFilter, TagFilter, TextQuery, ValueFilter},
    ids::{FeatureName, ProjectId},
    tag::{Tag, TagChange},
    time::Timestamp,
    visibility::Visibility,
};
use sea_orm::{
    ConnectionTrait, DatabaseBackend, DbErr, EntityTrait, ExecResult, QueryResult, Statement, sea_query::Expr,
};
use tempfile::TempDir;

use super::{FeatureQuery, Totals, details, order::Plan, search};
use crate::{
    access::people::{NewUser, insert_user},
    db::{Db, NoEvent, Tx},
    entity::feature,
    tags::Carrier,
};

const NOW: Timestamp = Timestamp::from_millis(1_768_478_400_000);

/// A database that counts the statements it is asked to run.
struct Counting<'a> {
    db: &'a Db,
    statements: AtomicUsize,
}

impl Counting<'_> {
    fn one_more(&self) -> &Db {
        self.statements.fetch_add(1, Ordering::SeqCst);
        self.db
    }
}

#[async_trait::async_trait]
impl ConnectionTrait for Counting<'_> {
    fn get_database_backend(&self) -> DatabaseBackend {
        self.db.get_database_backend()
    }

    async fn execute_raw(&self, statement: Statement) -> Result<ExecResult, DbErr> {
        self.one_more().execute_raw(statement).await
    }

    async fn execute_unprepared(&self, sql: &str) -> Result<ExecResult, DbErr> {
        self.one_more().execute_unprepared(sql).await
    }

    async fn query_one_raw(&self, statement: Statement) -> Result<Option<QueryResult>, DbErr> {
        self.one_more().query_one_raw(statement).await
    }

    async fn query_all_raw(&self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
        self.one_more().query_all_raw(statement).await
    }
}

/// An SQLite database with features in the project `default`, every third a favourite of the person whose id it gives.
async fn seeded(features: usize) -> (Db, TempDir, i64) {
    let files = tempfile::tempdir().expect("a directory");
    let db = Db::open(&format!("sqlite://{}", files.path().join("test.db").display())).await.expect("opens");
    crate::migrate::migrate(&db).await.expect("migrates");
    let tx = db.begin().await.expect("begins");
    let user = NewUser { username: Some("ada".to_owned()), root_role_id: 3, ..NewUser::default() };
    let reader = insert_user(&tx, &user, NOW).await.expect("a user");
    for number in 0..features {
        let id = feature(&tx, number).await;
        if number.is_multiple_of(3) {
            crate::features::favorites::add_feature(&tx, reader, id, NOW).await.expect("a favourite");
        }
    }
    tx.commit(NOW, []).await.expect("commits");
    (db, files, reader)
}

async fn feature(tx: &Tx, number: usize) -> i64 {
    let new = FeatureDocument {
        stale: number.is_multiple_of(2),
        ..FeatureDocument::new(FeatureName::new(&format!("feature-{number}")), ProjectId::new("default"), NOW)
    };
    let id = crate::features::insert(tx, &new, ADMIN_TOKEN_USER_ID).await.expect("a feature");
    let tag = Tag { kind: "simple".to_owned(), value: format!("tag-{}", number % 5) };
    let carrier = Carrier { id, name: new.name, project: new.project, tags: Vec::new() };
    let change = [(carrier, TagChange::new(Vec::new(), &[tag], &[]))];
    let everything = Visibility::everything();
    crate::tags::change(tx, &change, &everything, ADMIN_TOKEN_USER_ID, NOW).await.expect("a tag");
    crate::features::set_enabled(tx, id, "production", number % 2 == 1).await.expect("switched");
    id
}

fn everything() -> FeatureQuery {
    FeatureQuery {
        visibility: Visibility::everything(),
        reader: None,
        text: None,
        project: None,
        state: None,
        kind: None,
        creator: None,
        tag: None,
        segment: None,
        status: None,
        created_at: None,
        last_seen_at: None,
        only_favorites: false,
        stage: None,
        sort: SortKey::CreatedAt,
        order: SortOrder::Ascending,
        favorites_first: false,
        page: Page { offset: 0, limit: 50 },
    }
}

fn sorted_by(sort: SortKey) -> FeatureQuery {
    FeatureQuery { sort, ..everything() }
}

fn production() -> SortKey {
    SortKey::Environment("production".to_owned())
}

/// Returns the number of statements that a search takes which was never made before, and of the features that it finds.
async fn statements_of(db: &Db, query: &FeatureQuery) -> (usize, usize) {
    statements_knowing(&Totals::default(), db, query).await
}

async fn statements_knowing(totals: &Totals, db: &Db, query: &FeatureQuery) -> (usize, usize) {
    let counting = Counting { db, statements: AtomicUsize::new(0) };
    let found = search(&counting, totals, query, NOW).await.expect("finds");
    (counting.statements.into_inner(), found.features.len())
}

#[tokio::test]
async fn the_number_of_statements_does_not_grow_with_the_page() {
    let (db, _files, reader) = seeded(120).await;
    let limited = |limit| FeatureQuery { page: Page { offset: 0, limit }, ..everything() };
    assert_eq!(statements_of(&db, &limited(1)).await, (3, 1));
    // The answer ends on the page: nothing is left to count.
    assert_eq!(statements_of(&db, &limited(1000)).await, (2, 120));
    // The environment is looked up, and the page ends in the second of three parts.
    assert_eq!(statements_of(&db, &sorted_by(production())).await, (4, 50));
    let across = FeatureQuery { page: Page { offset: 40, limit: 40 }, ..sorted_by(production()) };
    assert_eq!(statements_of(&db, &across).await, (5, 40));
    // The most there can be: favourites and others, each of them off and on.
    let all = FeatureQuery {
        reader: Some(reader),
        favorites_first: true,
        page: Page { offset: 1, limit: 1000 },
        ..sorted_by(production())
    };
    assert_eq!(statements_of(&db, &all).await, (7, 119));
    let behind = FeatureQuery { page: Page { offset: 5000, limit: 50 }, ..everything() };
    assert_eq!(statements_of(&db, &behind).await, (2, 0));
}

#[tokio::test]
async fn totals_are_counted_once_for_each_state_of_the_log() {
    let (db, _files, _) = seeded(3).await;
    let totals = Totals::default();
    let first = FeatureQuery { page: Page { offset: 0, limit: 2 }, ..everything() };
    let total = async || search(&db, &totals, &first, NOW).await.expect("finds").total;
    assert_eq!(statements_knowing(&totals, &db, &first).await, (3, 2));
    assert_eq!(statements_knowing(&totals, &db, &first).await, (2, 2));
    let other = FeatureQuery { kind: Some(ValueFilter::parse("IS:release").expect("valid")), ..first.clone() };
    assert_eq!(statements_knowing(&totals, &db, &other).await, (3, 2));
    // Features come to stages, and are seen, without an event.
    let staged = FeatureQuery { stage: Some(ValueFilter::parse("IS:initial").expect("valid")), ..first.clone() };
    let seen = DateFilter::parse("IS_ON_OR_AFTER:2026-01-01").expect("valid");
    let seen = FeatureQuery { last_seen_at: Some(seen), ..first.clone() };
    let tx = db.begin().await.expect("begins");
    let all = feature::Entity::update_many().col_expr(feature::Column::LastSeenAt, Expr::value(NOW));
    all.exec(&tx).await.expect("seen");
    tx.commit_without_event(NoEvent::Usage).await.expect("commits");
    for query in [&staged, &seen] {
        for _ in 0..2 {
            assert_eq!(statements_knowing(&totals, &db, query).await, (3, 2));
        }
    }
    let tx = db.begin().await.expect("begins");
    feature(&tx, 3).await;
    let made = NewEvent::new(EventKind::FeatureCreated, &Actor::system());
    tx.commit(NOW, [made]).await.expect("commits");
    assert_eq!(total().await, 4);
    assert_eq!(statements_knowing(&totals, &db, &first).await, (2, 2));
}

async fn plan(db: &Db, mut statement: Statement) -> Vec<String> {
    statement.sql.insert_str(0, "EXPLAIN QUERY PLAN ");
    let rows = db.query_all_raw(statement).await.expect("a plan");
    rows.iter().map(|row| row.try_get("", "detail").expect("a line")).collect()
}

/// The plans of the count and of the first page of each part.
async fn plans(db: &Db, query: &FeatureQuery) -> Vec<Vec<String>> {
    let made = Plan::of(db, query).await.expect("a plan");
    let mut plans = Vec::new();
    for statement in std::iter::once(made.count()).chain(made.first_pages()) {
        plans.push(plan(db, db.get_database_backend().build(&statement)).await);
    }
    plans
}

/// Reading a whole table, or sorting all that match.
fn is_costly(line: &str) -> bool {
    (line.starts_with("SCAN") && !line.contains("INDEX")) || line.ends_with("TEMP B-TREE FOR ORDER BY")
}

#[tokio::test]
async fn pages_without_filters_are_read_from_an_index_in_order() {
    let (db, _files, reader) = seeded(120).await;
    let keys = [
        SortKey::CreatedAt,
        SortKey::Name,
        SortKey::Type,
        SortKey::Project,
        SortKey::Stale,
        SortKey::LastSeenAt,
        production(),
    ];
    for sort in keys {
        for order in [SortOrder::Ascending, SortOrder::Descending] {
            let query = FeatureQuery { order, ..sorted_by(sort.clone()) };
            for plan in plans(&db, &query).await {
                assert!(!plan.iter().any(|line| is_costly(line)), "{sort:?} {order:?}: {plan:#?}");
            }
        }
    }
    let favorites = FeatureQuery { reader: Some(reader), favorites_first: true, ..everything() };
    let rest = plans(&db, &favorites).await.pop().expect("the part without favourites");
    assert!(!rest.iter().any(|line| is_costly(line)), "{rest:#?}");
}

#[tokio::test]
async fn filters_are_read_from_an_index() {
    let (db, _files, reader) = seeded(120).await;
    let read = |text: &str| ValueFilter::parse(text).expect("valid");
    let before = DateFilter::parse("IS_BEFORE:2026-01-15").expect("valid");
    let queries = [
        FeatureQuery { project: Some(read("IS:default")), ..everything() },
        FeatureQuery { kind: Some(read("IS:release")), ..everything() },
        FeatureQuery { creator: Some(read("IS:1")), ..everything() },
        FeatureQuery { last_seen_at: Some(before), ..everything() },
        FeatureQuery { last_seen_at: Some(before), ..sorted_by(SortKey::LastSeenAt) },
        FeatureQuery { reader: Some(reader), only_favorites: true, ..everything() },
        FeatureQuery { stage: Some(read("IS:live")), ..everything() },
        FeatureQuery { stage: Some(read("IS_NOT:initial")), ..everything() },
        FeatureQuery { stage: Some(read("IS:archived")), ..everything() },
        FeatureQuery { text: Some(TextQuery::parse("ture-1").expect("valid")), ..everything() },
        FeatureQuery { tag: Some(TagFilter::parse("INCLUDE:simple:tag-1").expect("valid")), ..everything() },
        FeatureQuery { tag: Some(TagFilter::parse("EXCLUDE_ALL:simple:tag-1").expect("valid")), ..everything() },
        FeatureQuery { segment: Some(SegmentFilter::parse("INCLUDE_ALL_OF:a,b").expect("valid")), ..everything() },
        FeatureQuery {
            status: Some(StatusFilter::parse(["production:enabled", "development:disabled"]).expect("valid")),
            ..everything()
        },
    ];
    for query in queries {
        for plan in plans(&db, &query).await {
            // The full-text table, the list of wanted tags and the projects, which are few, are scanned by their nature.
            let of_table = |line: &&String| line.starts_with("SCAN") && !line.contains("INDEX");
            let by_nature = |line: &&String| {
                let scanned = ["VIRTUAL TABLE", "wanted", "CONSTANT ROW"];
                scanned.iter().any(|part| line.contains(part)) || *line == "SCAN project"
            };
            let scans: Vec<_> = plan.iter().filter(of_table).filter(|line| !by_nature(line)).collect();
            assert!(scans.is_empty(), "{query:?}: {plan:#?}");
        }
    }
}

#[tokio::test]
async fn in_a_project_what_many_features_are_leads_nowhere() {
    let (db, _files, _) = seeded(120).await;
    let read = |text: &str| Some(ValueFilter::parse(text).expect("valid"));
    let query = FeatureQuery {
        project: read("IS:default"),
        kind: read("IS_ANY_OF:release,experiment"),
        state: read("IS:active"),
        tag: Some(TagFilter::parse("INCLUDE:simple:tag-1").expect("valid")),
        ..everything()
    };
    for plan in plans(&db, &query).await {
        let leads = |start: &str| plan.iter().any(|line| line.starts_with(start));
        let by_project = leads("SEARCH feature USING INDEX ix_feature__project");
        assert!(by_project || leads("SEARCH feature USING INTEGER PRIMARY KEY"), "{plan:#?}");
    }
}

#[tokio::test]
async fn the_page_of_many_matches_is_found_along_the_order_with_the_same_answer() {
    let (db, _files, _) = seeded(1200).await;
    let filters = [
        FeatureQuery { text: Some(TextQuery::parse("feature").expect("valid")), ..everything() },
        FeatureQuery { tag: Some(TagFilter::parse("DO_NOT_INCLUDE:simple:tag-9").expect("valid")), ..everything() },
        FeatureQuery {
            tag: Some(
                TagFilter::parse("INCLUDE_ANY_OF:simple:tag-0,simple:tag-1,simple:tag-2,simple:tag-3,simple:tag-4")
                    .expect("valid"),
            ),
            ..sorted_by(SortKey::Name)
        },
    ];
    for query in filters {
        let totals = Totals::default();
        let walks = async |query: &FeatureQuery| {
            let mut made = Plan::of(&db, query).await.expect("a plan");
            made.choose_way(&totals, DatabaseBackend::Sqlite);
            let [page] = &made.first_pages()[..] else { panic!("one part") };
            let plan = plan(&db, DatabaseBackend::Sqlite.build(page)).await;
            let sorts = plan.iter().any(|line| line.ends_with("TEMP B-TREE FOR ORDER BY"));
            !sorts && plan.iter().any(|line| line.starts_with("SCAN feature USING INDEX"))
        };
        let is_list = query.tag.as_ref().is_none_or(|tag| !tag.is_negated());
        assert_eq!(walks(&query).await, !is_list, "{query:?} before anything was counted");
        let first = search(&db, &totals, &query, NOW).await.expect("finds");
        assert_eq!(first.total, 1200);
        assert!(walks(&query).await, "{query:?}");
        assert_eq!(search(&db, &totals, &query, NOW).await.expect("finds"), first);
        let deep = FeatureQuery { page: Page { offset: 900, limit: 50 }, ..query.clone() };
        assert_eq!(walks(&deep).await, !is_list, "{deep:?}");
    }
}

#[tokio::test]
async fn details_are_read_by_key() {
    let (db, _files, reader) = seeded(10).await;
    let statement = details::statement(&[1, 2, 3], Some(reader), NOW, DatabaseBackend::Sqlite);
    let plan = plan(&db, statement).await;
    // The ids, the one row, the sums and the environments, which are few and all wanted.
    let few = ["page", "listed", "CONSTANT ROW", "sums", "environment"];
    let is_scan =
        |line: &&String| line.strip_prefix("SCAN ").is_some_and(|rest| !few.iter().any(|name| rest.starts_with(name)));
    assert_eq!(plan.iter().find(is_scan), None, "{plan:#?}");
}
