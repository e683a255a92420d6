//! Statements of requests to the database: as many however much there is, and none that reads a whole table.

use std::{cell::RefCell, sync::Once};

use flagstone::{
    clock,
    store::db::{Db, STATEMENT_LOG},
};
use poem::http::Method;
use sea_orm::{ConnectionTrait, DatabaseBackend, Statement};
use serde_json::{Value, json};
use tracing::{
    Event, Metadata, Subscriber,
    field::{Field, Visit},
    subscriber::Interest,
};
use tracing_subscriber::{
    Layer,
    layer::{Context, SubscriberExt as _},
};

use crate::harness::{Client, TestApp};

/// Tables that grow with use.
const LARGE: [&str; 8] = [
    "client_metrics_hourly",
    "event",
    "feature",
    "feature_environment",
    "feature_lifecycle",
    "feature_strategy",
    "feature_tag",
    "strategy_segment",
];

thread_local! {
    /// The statements of the thread of one test, while it listens.
    static HEARD: RefCell<Option<Vec<String>>> = const { RefCell::new(None) };
}

/// Keeps the statements that the log tells. There is one for all tests: with one for each, the log would forget for
/// some that anybody listens.
pub struct Listening;

impl Listening {
    pub fn start() {
        static INSTALLED: Once = Once::new();
        INSTALLED.call_once(|| {
            tracing::subscriber::set_global_default(tracing_subscriber::registry().with(Self)).expect("the only one");
        });
        HEARD.set(Some(Vec::new()));
    }

    /// The statements of this thread since the start.
    pub fn end() -> Vec<String> {
        HEARD.take().expect("started")
    }

    /// Returns the statements of this thread since the start, without those about a table that is written in the
    /// background.
    pub fn end_without(table: &str) -> Vec<String> {
        let mut heard = Self::end();
        heard.retain(|sql| !sql.contains(table));
        heard
    }
}

impl<S: Subscriber> Layer<S> for Listening {
    fn register_callsite(&self, metadata: &'static Metadata<'static>) -> Interest {
        if metadata.target() == STATEMENT_LOG { Interest::always() } else { Interest::never() }
    }

    fn enabled(&self, metadata: &Metadata<'_>, _: Context<'_, S>) -> bool {
        metadata.target() == STATEMENT_LOG
    }

    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        HEARD.with_borrow_mut(|heard| heard.iter_mut().for_each(|heard| event.record(&mut Reading(heard))));
    }
}

struct Reading<'a>(&'a mut Vec<String>);

impl Visit for Reading<'_> {
    fn record_str(&mut self, field: &Field, text: &str) {
        if field.name() == "sql" {
            self.0.push(text.to_owned());
        }
    }

    fn record_debug(&mut self, _: &Field, _: &dyn std::fmt::Debug) {}
}

/// A kind of request that many make.
struct Asked {
    method: Method,
    path: &'static str,
    body: Option<Value>,
}

fn reads() -> Vec<Asked> {
    let read = |path| Asked { method: Method::GET, path, body: None };
    let mut all: Vec<Asked> = [
        "/api/admin/search/features",
        "/api/admin/search/features?query=feature&sortBy=name",
        "/api/admin/search/features?project=IS%3Ashop&status=production%3Aenabled&tag=INCLUDE%3Asimple%3Ared",
        "/api/admin/search/features?offset=2&sortBy=environment%3Aproduction&limit=100",
        "/api/admin/search/features?lastSeenAt=IS_BEFORE%3A2026-01-01&favorites=true",
        "/api/admin/search/features?lifecycle=IS%3Alive",
        "/api/admin/search/features?lifecycle=IS%3Aarchived",
        "/api/admin/projects/shop/features",
        "/api/admin/projects/shop",
        "/api/admin/projects/shop/overview",
        "/api/admin/projects/shop/health-report",
        "/api/admin/projects/shop/features/feature-0",
        "/api/admin/projects/shop/features/feature-0/usage?period=24m&environment=production",
        "/api/admin/projects",
        "/api/admin/search/events",
        "/api/admin/search/events?type=IS%3Afeature-created&createdAtFrom=IS%3A2026-01-01",
        "/api/admin/search/events?environment=IS%3Aproduction",
        "/api/admin/search/events?query=feature-0&limit=1000",
        "/api/admin/user/profile",
        "/api/client/features",
    ]
    .into_iter()
    .map(read)
    .collect();
    all.push(Asked { method: Method::POST, path: "/api/admin/events/search", body: Some(json!({})) });
    all
}

fn writes() -> Vec<Asked> {
    let patch = json!([{ "op": "replace", "path": "/description", "value": "changed" }]);
    let (feature, post) = ("/api/admin/projects/shop/features/feature-0", Method::POST);
    let tag = json!({ "type": "simple", "value": "green" });
    let on = "/api/admin/projects/shop/features/feature-0/environments/production/on";
    let off = "/api/admin/projects/shop/features/feature-0/environments/production/off";
    vec![
        Asked { method: Method::PATCH, path: feature, body: Some(patch) },
        Asked { method: post.clone(), path: on, body: None },
        Asked { method: post.clone(), path: off, body: None },
        Asked { method: post, path: "/api/admin/features/feature-0/tags", body: Some(tag) },
        Asked { method: Method::DELETE, path: feature, body: None },
    ]
}

impl Asked {
    async fn ask(&self, client: &Client) {
        let answer = match &self.body {
            Some(body) => client.json(self.method.clone(), self.path, body.clone()).await,
            None => client.request(self.method.clone(), self.path, &[], Vec::new()).await,
        };
        assert!(answer.status < 300, "{} {}: {}", self.method, self.path, answer.text);
    }

    async fn statements(&self, client: &Client) -> Vec<String> {
        Listening::start();
        self.ask(client).await;
        Listening::end()
    }

    /// The statements of a request that is not the first of its kind: that one may fill what is kept in memory.
    async fn statements_again(&self, client: &Client) -> Vec<String> {
        self.ask(client).await;
        self.statements(client).await
    }

    /// Statements after a change of something else, so that what is only true until then is read again.
    async fn statements_after_change(&self, app: &TestApp) -> Vec<String> {
        let client = app.admin();
        self.ask(&client).await;
        app.project(&format!("other-{}", clock::new_uuid())).await;
        self.statements(&client).await
    }
}

/// A data set with so many features, half of them on in production, each with a strategy and a tag.
fn data_set(features: usize) -> Value {
    let names: Vec<String> = (0..features).map(|number| format!("feature-{number}")).collect();
    let feature = |name: &String| json!({ "name": name, "type": "release" });
    let strategy = |name: &String| json!({ "featureName": name, "name": "flexibleRollout", "parameters": { "groupId": name, "rollout": "50" } });
    let environment = |(number, name): (usize, &String)| json!({ "name": name, "featureName": name, "environment": "production", "enabled": number % 2 == 1 });
    let tag = |name: &String| json!({ "featureName": name, "tagType": "simple", "tagValue": "red" });
    let data = json!({
        "features": names.iter().map(feature).collect::<Vec<_>>(),
        "featureStrategies": names.iter().map(strategy).collect::<Vec<_>>(),
        "featureEnvironments": names.iter().enumerate().map(environment).collect::<Vec<_>>(),
        "featureTags": names.iter().map(tag).collect::<Vec<_>>(),
        "tagTypes": [],
    });
    json!({ "project": "shop", "environment": "production", "data": data })
}

/// A project with the features of a data set, and their events.
async fn shop(features: usize) -> TestApp {
    let app = TestApp::new().await;
    app.project("shop").await;
    app.admin().post("/api/admin/features-batch/import", data_set(features)).await.expect(200);
    app
}

#[tokio::test]
async fn the_number_of_statements_does_not_depend_on_how_much_there_is() {
    let (few, many) = (shop(6).await, shop(60).await);
    let mut heard = 0;
    let mut compare = |asked: &Asked, of_few: Vec<String>, of_many: Vec<String>| {
        heard += of_few.len();
        assert_eq!(of_few.len(), of_many.len(), "{} {}: {of_few:#?} {of_many:#?}", asked.method, asked.path);
    };
    for asked in reads() {
        compare(&asked, asked.statements_after_change(&few).await, asked.statements_after_change(&many).await);
    }
    for asked in writes() {
        compare(&asked, asked.statements(&few.admin()).await, asked.statements(&many.admin()).await);
    }
    assert!(heard > 0, "nobody listened");
}

#[tokio::test]
async fn all_features_of_a_project_are_one_statement_and_are_not_read_again_while_nothing_changes() {
    let app = shop(6).await;
    let read = |path| Asked { method: Method::GET, path, body: None };
    let some = read("/api/admin/projects/shop/features?namePrefix=feature");
    let statements = some.statements_again(&app.admin()).await;
    assert_eq!(statements.len(), 1, "{statements:#?}");
    let all = read("/api/admin/projects/shop/features");
    let statements = all.statements_after_change(&app).await;
    assert_eq!(statements.len(), 2, "{statements:#?}");
    // PostgreSQL counts what is committed to all databases of a server, and other tests go on.
    if app.db().get_database_backend() == DatabaseBackend::Sqlite {
        let statements = all.statements(&app.admin()).await;
        assert_eq!(statements, ["PRAGMA data_version"]);
    }
}

#[tokio::test]
async fn the_validation_of_an_import_asks_as_much_whatever_it_holds() {
    let app = shop(60).await;
    let validation = |features| Asked {
        method: Method::POST,
        path: "/api/admin/features-batch/validate",
        body: Some(data_set(features)),
    };
    let of_few = validation(6).statements_again(&app.admin()).await;
    let of_many = validation(60).statements_again(&app.admin()).await;
    assert!(!of_few.is_empty());
    assert_eq!(of_few.len(), of_many.len(), "{of_few:#?} {of_many:#?}");
    for sql in of_few {
        let plan = plan(app.db(), &sql).await;
        let costly: Vec<_> = plan.iter().filter(|step| reads_all(step, &sql)).collect();
        assert!(costly.is_empty(), "{sql}\n{plan:#?}");
    }
}

#[tokio::test]
async fn a_change_asks_little() {
    let app = shop(6).await;
    let writes = writes();
    let [patch, on, off, ..] = &writes[..] else { panic!("the writes are gone") };
    // What comes first fills what is kept in memory.
    let stale = json!([{ "op": "replace", "path": "/stale", "value": true }]);
    app.admin().patch(patch.path, stale).await.expect(200);
    // The project, the feature, the change, the answer, the event; what this server did before it knows. PostgreSQL
    // changes and answers at once.
    let saved = usize::from(app.db().get_database_backend() == DatabaseBackend::Postgres);
    let statements = patch.statements(&app.admin()).await;
    assert_eq!(statements.len(), 5 - saved, "{statements:#?}");
    // The project, the feature, its project's defaults, its switch, the change, the event; and for the answer the feature,
    // its lifecycle, its usage and its people. Switching on asks for freezes first, which switching off does not.
    for (asked, expected) in [(on, 11), (off, 10)] {
        let statements = asked.statements(&app.admin()).await;
        assert_eq!(statements.len(), expected, "{}: {statements:#?}", asked.path);
    }
}

#[tokio::test]
async fn what_is_kept_in_memory_needs_no_statement() {
    let app = shop(3).await;
    let features = Asked { method: Method::GET, path: "/api/client/features", body: None };
    assert_eq!(features.statements_again(&app.admin()).await, Vec::<String>::new());
}

#[tokio::test]
async fn no_request_reads_a_whole_table_that_grows() {
    let app = shop(6).await;
    for asked in reads() {
        for sql in asked.statements_after_change(&app).await {
            let plan = plan(app.db(), &sql).await;
            let costly: Vec<_> = plan.iter().filter(|step| reads_all(step, &sql)).collect();
            assert!(costly.is_empty(), "{} {}: {sql}\n{plan:#?}", asked.method, asked.path);
        }
    }
}

#[tokio::test]
async fn on_postgresql_a_deep_page_looks_at_no_feature_before_it() {
    let app = shop(6).await;
    if app.db().get_database_backend() != DatabaseBackend::Postgres {
        return;
    }
    for path in [
        "/api/admin/search/features?offset=3",
        "/api/admin/search/features?offset=3&sortBy=name",
        "/api/admin/search/features?offset=3&sortBy=type&sortOrder=desc",
        "/api/admin/search/features?offset=3&sortBy=project",
    ] {
        let statements = Asked { method: Method::GET, path, body: None }.statements(&app.admin()).await;
        let page = statements.iter().find(|sql| sql.contains("OFFSET")).expect("a page");
        let plan = plan_without(&["seqscan", "bitmapscan", "sort"], app.db(), page).await;
        assert!(plan.iter().any(|step| step.contains("Index Only Scan using ix_feature__")), "{path}: {plan:#?}");
    }
}

#[tokio::test]
async fn postgresql_plans_for_data_that_is_read_anywhere_as_fast() {
    let app = shop(1).await;
    if app.db().get_database_backend() != DatabaseBackend::Postgres {
        return;
    }
    for (setting, expected) in [("random_page_cost", "1.1"), ("jit", "off")] {
        let show = || Statement::from_string(DatabaseBackend::Postgres, format!("SHOW {setting}"));
        let (tx, snapshot) = (app.tx().await, app.db().snapshot().await.expect("a snapshot"));
        for row in
            [app.db().query_one_raw(show()).await, tx.query_one_raw(show()).await, snapshot.query_one_raw(show()).await]
        {
            let value: String = row.expect("an answer").expect("a row").try_get_by_index(0).expect("a text");
            assert_eq!(value, expected, "{setting}");
        }
    }
}

/// Plan of the database for a statement, if it can do without reading whole tables.
async fn plan(db: &Db, sql: &str) -> Vec<String> {
    plan_without(&["seqscan"], db, sql).await
}

/// Plan without several things that PostgreSQL does with tables as small as these, and not with large ones.
async fn plan_without(small: &[&str], db: &Db, sql: &str) -> Vec<String> {
    if db.get_database_backend() == DatabaseBackend::Sqlite {
        let explain = Statement::from_string(DatabaseBackend::Sqlite, format!("EXPLAIN QUERY PLAN {sql}"));
        let rows = db.query_all_raw(explain).await.expect("a plan");
        return rows.iter().map(|row| row.try_get("", "detail").expect("a step")).collect();
    }
    let tx = db.begin().await.expect("a transaction");
    for thing in small {
        tx.execute_unprepared(&format!("SET LOCAL enable_{thing} = off")).await.expect("a setting");
    }
    tx.execute_unprepared("SET LOCAL plan_cache_mode = force_generic_plan").await.expect("a setting");
    tx.execute_unprepared(&format!("PREPARE asked AS {sql}")).await.expect("prepared");
    let values = (1..).take_while(|number| sql.contains(&format!("${number}"))).map(|_| "NULL");
    let values = values.collect::<Vec<_>>().join(", ");
    let execute = if values.is_empty() { "EXECUTE asked".to_owned() } else { format!("EXECUTE asked ({values})") };
    let explain = Statement::from_string(DatabaseBackend::Postgres, format!("EXPLAIN {execute}"));
    let rows = tx.query_all_raw(explain).await.expect("a plan");
    tx.execute_unprepared("DEALLOCATE asked").await.expect("forgotten");
    rows.iter().map(|row| row.try_get_by_index(0).expect("a step")).collect()
}

fn reads_all(step: &str, sql: &str) -> bool {
    let of_table = |prefix: &str| {
        let name = step.trim_start_matches([' ', '-', '>']).strip_prefix(prefix)?;
        let name = name.split(' ').next()?.trim_matches('"');
        LARGE.contains(&name).then_some(())
    };
    // The newest events are a walk along the table itself, which the limit ends.
    let walks = sql.contains("LIMIT") && step.trim() == "SCAN event";
    let scans = of_table("SCAN ").is_some() && !step.contains("INDEX");
    (scans && !walks) || of_table("Seq Scan on ").is_some()
}
