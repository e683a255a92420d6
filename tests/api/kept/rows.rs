//! The tables of the database, and the reports that fill them.

use std::collections::{BTreeMap, BTreeSet};

use flagstone::{
    domain::{
        time::{HOUR_MS, Timestamp},
        usage::{Gathered, HeardApplication, HeardInstance, InstanceKey, Tally, TallyKey},
    },
    jobs,
    store::{
        self,
        entity::{client_application, client_instance, client_metrics_hourly, client_metrics_variant_hourly},
        programs::usage::{BOUNDS, Bounds, write_within},
    },
};
use sea_orm::{ConnectionTrait as _, EntityTrait, PaginatorTrait as _, Statement};
use serde_json::json;

use super::Kept;
use crate::harness::TestApp;

const ROOM: &str = "src/store/programs/usage.rs";

/// Tables to which reports of programs add rows.
pub const WRITTEN_BY_PROGRAMS: [Kept; 11] = [
    Kept {
        place: ("database", "client_application"),
        what: "applications",
        bound: "applications: 10,000, of which applications_of_one_token: 5,000 came with one token",
        constants: &[(ROOM, "applications: 10_000,"), (ROOM, "applications_of_one_token: 5000,")],
    },
    Kept {
        place: ("database", "client_application_project"),
        what: "projects of the tokens of applications",
        bound: "the projects that their tokens name, for each application",
        constants: &[],
    },
    Kept {
        place: ("database", "client_instance"),
        what: "instances of the last week",
        bound: "instances: 200,000",
        constants: &[(ROOM, "instances: 200_000,")],
    },
    Kept {
        place: ("database", "client_metrics_hourly"),
        what: "evaluations by the hour, of four days",
        bound: "tallies_of_an_hour: 250,000",
        constants: &[(ROOM, "tallies_of_an_hour: 250_000,")],
    },
    Kept {
        place: ("database", "client_metrics_variant_hourly"),
        what: "variants by the hour, of four days",
        bound: "variants_of_an_hour: 250,000",
        constants: &[(ROOM, "variants_of_an_hour: 250_000,")],
    },
    Kept {
        place: ("database", "client_metrics_daily"),
        what: "evaluations by the day, of two years",
        bound: "COUNTS_OF_A_DAY 250,000",
        constants: &[("src/store/programs/usage_history.rs", "COUNTS_OF_A_DAY: usize = 250_000;")],
    },
    Kept {
        place: ("database", "client_metrics_variant_daily"),
        what: "variants by the day, of two years",
        bound: "VARIANTS_OF_A_DAY 250,000",
        constants: &[("src/store/programs/usage_history.rs", "VARIANTS_OF_A_DAY: usize = 250_000;")],
    },
    Kept {
        place: ("database", "client_report"),
        what: "ids of reports, of a day",
        bound: "REPORTS 2,000,000, and 10,000 more for each write until the hourly job",
        constants: &[
            ("src/store/programs/usage_history.rs", "REPORTS: u64 = 2_000_000;"),
            ("src/usage/notes.rs", "REPORTS: usize = 10_000;"),
        ],
    },
    Kept {
        place: ("database", "unknown_flag"),
        what: "names of features that no token reached, of a week",
        bound: "unknown_flags: 10,000, and UNKNOWN_FLAGS 2,000 more at the write that reaches them",
        constants: &[(ROOM, "unknown_flags: 10_000,"), ("src/usage/notes.rs", "UNKNOWN_FLAGS: usize = 2_000;")],
    },
    Kept {
        place: ("database", "feature_lifecycle"),
        what: "stages of features",
        bound: "one of each stage for each feature",
        constants: &[],
    },
    Kept {
        place: ("database", "event"),
        what: "an event for each new application",
        bound: "one for each application; `--event-retention-days`",
        constants: &[],
    },
];

async fn count_of_each(app: &TestApp) -> BTreeMap<String, i64> {
    let mut counts = BTreeMap::new();
    for table in crate::bounds::tables(app).await {
        let backend = app.db().get_database_backend();
        let statement = Statement::from_string(backend, format!("SELECT count(*) FROM \"{table}\""));
        let row = app.db().query_one_raw(statement).await.expect("a count").expect("a row");
        counts.insert(table, row.try_get_by_index(0).expect("a number"));
    }
    counts
}

/// Everything that a program can send, sent by each kind of token.
#[tokio::test]
async fn the_tables_that_programs_add_to_are_in_the_table() {
    let app = TestApp::new().await;
    app.feature("default", "till").await;
    app.project("shop").await;
    let now = app.clock.now();
    let before = count_of_each(&app).await;
    let tokens =
        [app.program(&["default", "shop"], "development").await, app.browser(&["default"], "development").await];
    let with_tokens = count_of_each(&app).await;
    let (start, stop) = (now.plus_millis(-1000).to_string(), now.to_string());
    let toggles = json!({
        "till": { "yes": 1, "no": 2, "variants": { "blue": 1 } },
        "nobody-made-it": { "yes": 0, "no": 1 },
    });
    let bucket = json!({ "start": start, "stop": stop, "toggles": toggles });
    for (number, program) in tokens.iter().enumerate() {
        let application = format!("app-{number}");
        let metrics = json!({ "appName": application, "instanceId": "one", "bucket": bucket });
        let register = json!({
            "appName": application, "instanceId": "one", "sdkVersion": "sdk:1", "strategies": ["default"],
            "started": stop, "interval": 1000,
        });
        let bulk = json!({ "applications": [register], "metrics": [
            { "appName": application, "featureName": "till", "environment": "development", "yes": 1, "no": 0,
              "timestamp": stop, "variants": { "blue": 1 } },
        ] });
        let edge = json!({ "identifier": "one", "appName": application, "connectedEdges": [] });
        let mut accepted = 0;
        for (path, body) in [
            ("/api/client/register", &register),
            ("/api/client/metrics", &metrics),
            ("/api/client/metrics/bulk", &bulk),
            ("/api/client/metrics/edge", &edge),
            ("/edge/metrics", &bulk),
            ("/api/frontend/client/register", &register),
            ("/api/frontend/client/metrics", &metrics),
            ("/api/frontend", &json!({ "context": { "userId": "7" } })),
            ("/ofrep/v1/evaluate/flags", &json!({ "context": { "targetingKey": "7" } })),
            ("/ofrep/v1/evaluate/flags/till", &json!({ "context": { "targetingKey": "7" } })),
            ("/edge/validate", &json!({ "tokens": ["*:development.none"] })),
        ] {
            accepted += usize::from(program.post(path, body.clone()).await.status < 300);
        }
        assert!(accepted >= 5, "{accepted}");
        program.get("/api/client/features").await;
        program.get("/api/frontend?userId=7").await;
    }
    jobs::write_usage(&app.state).await.expect("writes");
    app.clock.advance(4 * 24 * HOUR_MS);
    jobs::keep_usage_small(&app.state).await.expect("adds up");
    let after = count_of_each(&app).await;
    assert_eq!(before.keys().collect::<BTreeSet<_>>(), after.keys().collect::<BTreeSet<_>>());
    let mut changed: BTreeSet<&str> =
        after.iter().filter(|(table, count)| with_tokens[*table] != **count).map(|(table, _)| table.as_str()).collect();
    // The hours were added up to days meanwhile.
    changed.extend(["client_metrics_hourly", "client_metrics_variant_hourly"]);
    // Ids of reports are forgotten after a day.
    changed.insert("client_report");
    let listed: BTreeSet<&str> = WRITTEN_BY_PROGRAMS.iter().map(|kept| kept.place.1).collect();
    assert_eq!(changed, listed);
}

fn at(app: &TestApp, hours: i64) -> Timestamp {
    app.clock.now().floor_hour().plus_millis(-hours * HOUR_MS)
}

fn gathered(app: &TestApp, token: &str, applications: std::ops::Range<usize>, hour: i64) -> Gathered {
    let mut gathered = Gathered::default();
    for number in applications {
        let application = format!("app-{number}");
        let heard = HeardApplication {
            strategies: Vec::new(),
            token: token.to_owned(),
            projects: BTreeSet::new(),
            at: app.clock.now(),
        };
        gathered.applications.insert(application.clone(), heard);
        let environment = "development".to_owned();
        let key = InstanceKey { application: application.clone(), instance: "one".to_owned(), environment };
        gathered.instances.insert(key, HeardInstance { sdk_version: None, at: app.clock.now() });
        let key = TallyKey {
            feature: "till".to_owned(),
            application,
            environment: "development".to_owned(),
            hour: at(app, hour),
        };
        gathered.tallies.insert(key, Tally::of_report(1, 1, [("a".to_owned(), 1), ("b".to_owned(), 1)]));
    }
    gathered
}

async fn write(app: &TestApp, gathered: &Gathered, bounds: Bounds) -> Vec<String> {
    let tx = app.tx().await;
    let written = write_within(&tx, gathered, app.clock.now(), bounds).await.expect("writes");
    app.commit(tx).await;
    written.new_applications
}

#[tokio::test]
async fn one_token_does_not_fill_the_applications_of_all() {
    let app = TestApp::new().await;
    let bounds = Bounds { applications: 10, applications_of_one_token: 5, ..BOUNDS };
    assert_eq!(write(&app, &gathered(&app, "flood", 0..20, 0), bounds).await.len(), 5);
    assert!(write(&app, &gathered(&app, "flood", 20..40, 0), bounds).await.is_empty());
    assert_eq!(write(&app, &gathered(&app, "honest", 40..43, 0), bounds).await.len(), 3);
    assert!(write(&app, &gathered(&app, "honest", 40..43, 0), bounds).await.is_empty(), "known already");
    assert_eq!(write(&app, &gathered(&app, "third", 50..60, 0), bounds).await.len(), 2);
    let count = client_application::Entity::find().count(app.db()).await.expect("a count");
    assert_eq!(count, 10);
    let rows = client_metrics_hourly::Entity::find().all(app.db()).await.expect("rows");
    assert_eq!(rows.len(), 10, "who is not kept is not counted");
    assert_eq!(rows.iter().map(|row| row.yes).sum::<i64>(), 13, "those that are known count on");
}

#[tokio::test]
async fn the_rows_of_an_hour_and_the_instances_end_where_their_bounds_are() {
    let app = TestApp::new().await;
    let bounds = Bounds { tallies_of_an_hour: 4, variants_of_an_hour: 6, instances: 7, ..BOUNDS };
    write(&app, &gathered(&app, "one", 0..3, 0), bounds).await;
    // One more has room, the others not; what is there is counted on.
    write(&app, &gathered(&app, "one", 0..10, 0), bounds).await;
    write(&app, &gathered(&app, "one", 0..10, 0), bounds).await;
    write(&app, &gathered(&app, "one", 20..22, 1), bounds).await;
    let rows = client_metrics_hourly::Entity::find().all(app.db()).await.expect("rows");
    let of = |hour: i64| rows.iter().filter(|row| row.timestamp == at(&app, hour)).collect::<Vec<_>>();
    assert_eq!((of(0).len(), of(1).len()), (4, 2));
    let mut yes: Vec<i64> = of(0).iter().map(|row| row.yes).collect();
    yes.sort_unstable();
    assert_eq!(yes, [2, 3, 3, 3]);
    let variants = client_metrics_variant_hourly::Entity::find().all(app.db()).await.expect("rows");
    let hours = variants.iter().filter(|row| row.timestamp == at(&app, 0));
    assert_eq!(hours.map(|row| row.count).collect::<Vec<_>>(), [3; 6]);
    let instances = client_instance::Entity::find().count(app.db()).await.expect("a count");
    assert!((7..=7 + 10).contains(&instances), "one report more than the bound: {instances}");
    store::programs::usage_history::add_up(&app.tx().await, at(&app, 0).floor_day()).await.expect("adds up");
    store::programs::usage_history::add_up_variants(&app.tx().await, at(&app, 0).floor_day()).await.expect("adds up");
}
