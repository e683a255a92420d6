//! Background work, called directly: what it changes, what it logs, and that doing it twice is doing it once.

use std::time::Duration;

use flagstone::{
    audit,
    domain::{actor::SYSTEM_USER_ID, time::DAY_MS},
    jobs::{self, JOBS, Job, Scope},
    store::{
        self,
        entity::{app_user, feature, feature_type, job_run, session},
    },
};
use sea_orm::{ActiveModelTrait, ActiveValue::Set, EntityTrait};

use serde_json::json;

use crate::harness::TestApp;

async fn is_marked(app: &TestApp, id: i64) -> bool {
    feature::Entity::find_by_id(id).one(app.db()).await.expect("reads").expect("exists").potentially_stale
}

async fn change(app: &TestApp, row: feature::ActiveModel) {
    let tx = app.tx().await;
    row.update(&tx).await.expect("updates");
    app.commit(tx).await;
}

fn job(name: &str) -> Job {
    *JOBS.iter().find(|job| job.name == name).expect("a job of that name")
}

#[tokio::test]
async fn a_feature_is_marked_when_its_lifetime_is_reached_and_not_before() {
    let app = TestApp::new().await;
    app.project("shop").await;
    let id = app.feature("shop", "old").await;
    app.tag(id, "simple", "team-a").await;
    app.clock.advance(40 * DAY_MS - 1);
    jobs::mark_potentially_stale(&app.state).await.expect("runs");
    assert!(!is_marked(&app, id).await);
    assert!(app.events().await.is_empty());

    app.clock.advance(1);
    for _ in 0..2 {
        jobs::mark_potentially_stale(&app.state).await.expect("runs");
        assert!(is_marked(&app, id).await);
        let events = app.events().await;
        let [event] = events.as_slice() else { panic!("one event, not {events:?}") };
        assert_eq!(event.r#type, "feature-potentially-stale-on");
        assert_eq!(
            (event.created_by.as_str(), event.created_by_user_id),
            ("unleash_system_user", Some(SYSTEM_USER_ID))
        );
        assert_eq!((event.project.as_deref(), event.feature_name.as_deref()), (Some("shop"), Some("old")));
        assert_eq!((&event.data, &event.pre_data, &event.environment), (&None, &None, &None));
        assert_eq!(event.tags, r#"[{"value":"team-a","type":"simple"}]"#);
        assert_eq!(event.created_at, app.clock.now());
    }
}

#[tokio::test]
async fn stale_archived_and_immortal_features_are_not_marked() {
    let app = TestApp::new().await;
    app.project("shop").await;
    let stale = app.feature("shop", "stale").await;
    let archived = app.feature("shop", "archived").await;
    let immortal = app.feature("shop", "immortal").await;
    change(&app, feature::ActiveModel { id: Set(stale), stale: Set(true), ..Default::default() }).await;
    let archived_at = Set(Some(app.clock.now()));
    change(&app, feature::ActiveModel { id: Set(archived), archived_at, ..Default::default() }).await;
    let kind = Set("permission".to_owned());
    change(&app, feature::ActiveModel { id: Set(immortal), r#type: kind, ..Default::default() }).await;
    app.clock.advance(400 * DAY_MS);
    jobs::mark_potentially_stale(&app.state).await.expect("runs");
    for id in [stale, archived, immortal] {
        assert!(!is_marked(&app, id).await);
    }
    assert!(app.events().await.is_empty());
}

#[tokio::test]
async fn the_mark_goes_without_an_event_when_it_no_longer_holds() {
    let app = TestApp::new().await;
    app.project("shop").await;
    let (by_hand, by_type) = (app.feature("shop", "by-hand").await, app.feature("shop", "by-type").await);
    app.clock.advance(40 * DAY_MS);
    jobs::mark_potentially_stale(&app.state).await.expect("runs");
    assert_eq!(app.events().await.len(), 2);
    change(&app, feature::ActiveModel { id: Set(by_hand), stale: Set(true), ..Default::default() }).await;
    jobs::mark_potentially_stale(&app.state).await.expect("runs");
    assert_eq!((is_marked(&app, by_hand).await, is_marked(&app, by_type).await), (false, true));

    let tx = app.tx().await;
    let longer =
        feature_type::ActiveModel { id: Set("release".to_owned()), lifetime_days: Set(Some(41)), ..Default::default() };
    longer.update(&tx).await.expect("updates");
    app.commit(tx).await;
    jobs::mark_potentially_stale(&app.state).await.expect("runs");
    assert!(!is_marked(&app, by_type).await);
    assert_eq!(app.events().await.len(), 2, "only marking leaves events");
}

#[tokio::test]
async fn more_features_than_fit_one_transaction_are_all_marked_once() {
    let app = TestApp::new().await;
    app.project("shop").await;
    for number in 0..205 {
        app.feature("shop", &format!("f{number:03}")).await;
    }
    app.clock.advance(40 * DAY_MS);
    jobs::mark_potentially_stale(&app.state).await.expect("runs");
    let names: Vec<_> = app.events().await.into_iter().filter_map(|event| event.feature_name).collect();
    let mut expected: Vec<_> = (0..205).map(|number| format!("f{number:03}")).collect();
    let mut sorted = names.clone();
    sorted.sort();
    expected.sort();
    assert_eq!(sorted, expected);
}

#[tokio::test]
async fn a_job_runs_once_in_its_period_whoever_asks() {
    let app = TestApp::new().await;
    let job = job("potentially-stale");
    let began = app.clock.now();
    assert!(jobs::run_if_due(&app.state, &job).await.expect("runs"));
    assert!(!jobs::run_if_due(&app.state, &job).await.expect("asks"), "it has just been done");
    app.clock.advance(60_000);
    assert!(jobs::run_if_due(&app.state, &job).await.expect("runs"));
    let row = job_run::Entity::find_by_id(job.name).one(app.db()).await.expect("reads").expect("a row");
    assert_eq!((row.last_started_at, row.last_finished_at), (began.plus_millis(60_000), Some(app.clock.now())));
    assert_eq!(row.last_error, None);
}

#[tokio::test]
async fn a_run_under_way_is_left_alone_until_it_is_taken_for_dead() {
    let app = TestApp::new().await;
    let job = job("potentially-stale");
    let tx = app.tx().await;
    let now = app.clock.now();
    assert!(store::jobs::claim(&tx, job.name, now, now).await.expect("claims"));
    app.commit(tx).await;
    app.clock.advance(4 * 60_000);
    assert!(!jobs::run_if_due(&app.state, &job).await.expect("asks"), "another node is at it");
    app.clock.advance(60_000);
    assert!(jobs::run_if_due(&app.state, &job).await.expect("runs"), "the other node must have died");
}

#[tokio::test]
async fn a_failed_run_is_followed_by_the_next_and_one_from_the_future_does_not_block() {
    let app = TestApp::new().await;
    let job = job("ended-sessions");
    let tx = app.tx().await;
    let ahead = app.clock.now().plus_days(100);
    assert!(store::jobs::claim(&tx, job.name, ahead, ahead).await.expect("claims"));
    store::jobs::fail(&tx, job.name, "broken").await.expect("records");
    app.commit(tx).await;
    assert!(jobs::run_if_due(&app.state, &job).await.expect("runs"), "the clock has been set back");
    let tx = app.tx().await;
    store::jobs::fail(&tx, job.name, "broken").await.expect("records");
    app.commit(tx).await;
    assert!(!jobs::run_if_due(&app.state, &job).await.expect("asks"), "not before its time");
    app.clock.advance(3_600_000);
    assert!(jobs::run_if_due(&app.state, &job).await.expect("runs"));
    let row = job_run::Entity::find_by_id(job.name).one(app.db()).await.expect("reads").expect("a row");
    assert_eq!(row.last_error, None);
}

#[tokio::test]
async fn every_job_has_its_own_name_and_runs_on_an_empty_database() {
    let app = TestApp::new().await;
    let mut names: Vec<_> = JOBS.iter().map(|job| job.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), JOBS.len());
    for job in JOBS {
        let period = job.period(&app.state.config.periods);
        assert!(job.scope == Scope::Node || period >= Duration::from_mins(1), "{job:?}");
        assert!(jobs::run_if_due(&app.state, &job).await.expect("runs"), "{job:?}");
        let recorded = job_run::Entity::find_by_id(job.name).one(app.db()).await.expect("reads").is_some();
        assert_eq!(recorded, job.scope == Scope::Database, "{job:?}");
    }
    assert!(app.events().await.is_empty());
}

#[tokio::test]
async fn sessions_that_ended_are_forgotten_and_others_stay() {
    let app = TestApp::new().await;
    let user_id = app.viewer().await.user_id.expect("a person");
    let now = app.clock.now();
    let tx = app.tx().await;
    for (digest, expires_at) in [("ended", now), ("lasting", now.plus_millis(1))] {
        let row = session::ActiveModel {
            id_hash: Set(digest.to_owned()),
            user_id: Set(user_id),
            created_at: Set(now.plus_days(-1)),
            expires_at: Set(expires_at),
            ..Default::default()
        };
        row.insert(&tx).await.expect("inserts");
    }
    app.commit(tx).await;
    jobs::remove_ended_sessions(&app.state).await.expect("runs");
    let left: Vec<_> = session::Entity::find().all(app.db()).await.expect("reads");
    assert_eq!(left.iter().map(|row| row.id_hash.as_str()).collect::<Vec<_>>(), ["lasting"]);
}

#[tokio::test]
async fn people_are_recorded_as_seen_when_they_made_their_last_request() {
    let app = TestApp::new().await;
    let viewer = app.viewer().await;
    let seen = async || {
        let row = app_user::Entity::find_by_id(viewer.user_id.expect("a person")).one(app.db()).await;
        row.expect("reads").expect("exists").seen_at
    };
    viewer.get("/api/admin/projects/default").await.expect(200);
    app.clock.advance(5);
    viewer.get("/api/admin/projects/default").await.expect(200);
    assert_eq!(seen().await, None);
    let last = app.clock.now();
    app.clock.advance(5);
    jobs::write_presence(&app.state).await.expect("runs");
    jobs::write_presence(&app.state).await.expect("runs");
    assert_eq!(seen().await, Some(last));
}

#[tokio::test]
async fn the_runner_stops_when_told_and_writes_what_is_in_memory() {
    let app = TestApp::new().await;
    let viewer = app.viewer().await;
    let (stop, stopped) = tokio::sync::watch::channel(false);
    let running = jobs::start(app.state.clone(), stopped);
    viewer.get("/api/admin/projects/default").await.expect(200);
    stop.send_replace(true);
    tokio::time::timeout(Duration::from_mins(2), running).await.expect("stops in time").expect("stops well");
    let row = app_user::Entity::find_by_id(viewer.user_id.expect("a person")).one(app.db()).await;
    assert_eq!(row.expect("reads").expect("exists").seen_at, Some(app.clock.now()));
}

#[tokio::test]
async fn a_clock_that_is_set_back_by_a_day_stalls_no_job_and_breaks_no_log() {
    let app = TestApp::new().await;
    let admin = app.admin();
    let path = "/api/admin/projects/default/features";
    let create = async |name: &str| admin.post(path, json!({ "name": name })).await.expect(201);
    create("before").await;
    for job in &JOBS {
        assert!(jobs::run_if_due(&app.state, job).await.expect("runs"), "{job:?}");
    }
    let before = app.clock.now();
    app.clock.advance(-DAY_MS);
    create("after").await;
    app.clock.advance(1000);
    create("later").await;
    for job in &JOBS {
        assert!(jobs::run_if_due(&app.state, job).await.expect("runs"), "{job:?} waits for a time that is to come");
    }
    let times: Vec<_> = app.events().await.iter().map(|event| event.created_at).collect();
    assert!(times.is_sorted() && times.iter().all(|time| *time >= before.plus_millis(-1)), "{times:?}");
    // The checkpoint is an event itself.
    audit::extend(&app.state).await.expect("hashes");
    let verdict = audit::verify(app.db(), &audit::Trust::default(), &[], audit::Scope::default()).await.expect("reads");
    assert_eq!(verdict.fault.map(|fault| fault.to_string()), None);
    assert_eq!(verdict.at.event_id, app.events().await.last().expect("an event").id);
    // And forward again, past every period.
    app.clock.advance(3 * DAY_MS);
    create("forward").await;
    for job in &JOBS {
        assert!(jobs::run_if_due(&app.state, job).await.expect("runs"), "{job:?}");
    }
}
