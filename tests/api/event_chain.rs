//! The chain over the log of events: whatever is done to the log by SQL is found at its first place, on both databases;
//! checkpoints find what was hashed anew; retention cuts where a checkpoint says so.

use std::{path::Path, process::Command};

use flagstone::{
    audit,
    config::Config,
    deliveries,
    domain::{actor::Actor, event::NewEvent, event_chain::checkpoint::Checkpoint, event_kind::EventKind, time::DAY_MS},
    jobs::{self, JOBS, Job},
    store::entity::{event, event_checkpoint, event_hash},
    vault::Vault,
};
use sea_orm::{ConnectionTrait as _, EntityTrait as _, PaginatorTrait as _};
use serde_json::{Value, json};

use crate::harness::{Client, TestApp};

const INTEGRITY: &str = "/api/admin/event-log/integrity";
const EXPORT: &str = "/api/admin/event-log/export";

/// Events, more than are read at a time, each about a feature of its own.
async fn happen(app: &TestApp, number: usize) {
    let event = |at: usize| {
        NewEvent::new(EventKind::FeatureCreated, &Actor::system())
            .in_project("shop")
            .of_feature(&format!("f{at}"), &[])
            .with_data(&json!({ "name": format!("f{at}"), "note": "a \"quoted\", ü\n" }))
    };
    app.tx().await.commit(app.clock.now(), (0..number).map(event)).await.expect("commits");
}

/// A log with hashes.
async fn log(number: usize) -> TestApp {
    let app = TestApp::new().await;
    happen(&app, number).await;
    hashed(&app).await;
    app
}

async fn hashed(app: &TestApp) {
    audit::extend(&app.state).await.expect("hashes");
}

async fn sql(app: &TestApp, statement: &str) {
    let tx = app.tx().await;
    tx.execute_unprepared(statement).await.expect(statement);
    app.commit(tx).await;
}

async fn integrity(client: &Client, query: &str) -> Value {
    client.get(&format!("{INTEGRITY}{query}")).await.expect(200)
}

async fn first_fault(app: &TestApp) -> Value {
    let told = integrity(&app.admin(), "").await;
    assert_eq!(told["holds"], told["fault"].is_null(), "{told}");
    json!([told["fault"]["eventId"], told["fault"]["kind"]])
}

async fn make_checkpoint(app: &TestApp) -> Checkpoint {
    let made = audit::make_checkpoint_now(&app.state).await.expect("signs").expect("something happened");
    hashed(app).await;
    made
}

/// Makes all hashes anew, as somebody would who can write to the database and knows how.
async fn hash_anew(app: &TestApp) {
    sql(app, "DELETE FROM event_hash").await;
    app.db().note_change();
    hashed(app).await;
}

#[tokio::test]
async fn a_log_that_nobody_touched_holds_and_what_has_no_hash_yet_is_told() {
    let app = log(1100).await;
    happen(&app, 3).await;
    let told = integrity(&app.admin(), "").await;
    let expected = json!({
        "holds": true, "from": 0, "upTo": 1100, "verified": 1100, "next": null, "hashedUpTo": 1100,
        "newest": 1103, "confirmedCheckpoints": 0, "unknownCheckpoints": 0,
    });
    assert_eq!(told, expected);
    hashed(&app).await;
    let told = integrity(&app.admin(), "?since=600&limit=450").await;
    assert_eq!((&told["from"], &told["verified"], &told["next"]), (&600.into(), &450.into(), &1050.into()));
    let rest = integrity(&app.admin(), "?since=1050&limit=450").await;
    assert_eq!((&rest["verified"], &rest["next"], &rest["upTo"]), (&53.into(), &Value::Null, &1103.into()));
    assert_eq!(integrity(&app.admin(), "?since=99999").await["verified"], 0);
}

#[tokio::test]
async fn what_is_changed_removed_inserted_or_swapped_is_named_by_its_first_place() {
    let columns = "created_at, type, created_by, created_by_user_id, environment, project, feature_name, data, pre_data, \
                   tags, search_payload, search_origin";
    let copied = format!("INSERT INTO event (id, {columns}) SELECT 601, {columns} FROM event WHERE id = 5");
    let swapped = "UPDATE event SET id = -700 WHERE id = 700; UPDATE event SET id = 700 WHERE id = 901; \
                   UPDATE event SET id = 901 WHERE id = -700";
    let cases = [
        ("UPDATE event SET data = '{}' WHERE id IN (700, 900)", json!([700, "changed"])),
        ("UPDATE event SET created_by = 'somebody' WHERE id = 1", json!([1, "changed"])),
        ("UPDATE event SET created_at = created_at + 1 WHERE id = 1100", json!([1100, "changed"])),
        ("UPDATE event SET project = NULL WHERE id = 501", json!([501, "changed"])),
        (
            "UPDATE event_hash SET hash = (SELECT hash FROM event_hash WHERE event_id = 3) WHERE event_id = 4",
            json!([4, "changed"]),
        ),
        ("DELETE FROM event WHERE id IN (500, 1000)", json!([500, "removed"])),
        ("DELETE FROM event WHERE id = 1", json!([1, "removed"])),
        ("DELETE FROM event WHERE id > 700", json!([701, "removed"])),
        ("DELETE FROM event", json!([1, "removed"])),
        ("DELETE FROM event WHERE id = 8; DELETE FROM event_hash WHERE event_id = 8", json!([9, "changed"])),
        ("DELETE FROM event_hash WHERE event_id = 8", json!([8, "inserted"])),
        (swapped, json!([700, "changed"])),
    ];
    for (statement, expected) in cases {
        let app = log(1100).await;
        assert_eq!(first_fault(&app).await, json!([null, null]));
        sql(&app, statement).await;
        assert_eq!(first_fault(&app).await, expected, "{statement}");
    }
    // Into a gap, as transactions that were given up leave them.
    let app = TestApp::new().await;
    happen(&app, 1100).await;
    sql(&app, "DELETE FROM event WHERE id = 601").await;
    hashed(&app).await;
    assert_eq!(first_fault(&app).await, json!([null, null]));
    sql(&app, &copied).await;
    assert_eq!(first_fault(&app).await, json!([601, "inserted"]));
}

#[tokio::test]
async fn a_checkpoint_finds_what_was_hashed_anew_and_one_kept_elsewhere_what_was_cut() {
    let app = log(600).await;
    let made = make_checkpoint(&app).await;
    assert_eq!((made.event_id, app.event_types().await.last().map(String::as_str)), (600, Some("setting-updated")));
    let told = integrity(&app.admin(), "").await;
    assert_eq!(
        (&told["holds"], &told["confirmedCheckpoints"], &told["verified"]),
        (&true.into(), &1.into(), &601.into())
    );
    assert_eq!(told["newestCheckpoint"], serde_json::to_value(&made).expect("JSON"));
    assert!(audit::make_checkpoint_now(&app.state).await.expect("looks").is_none(), "nothing happened since");

    sql(&app, "UPDATE event SET created_by = 'somebody' WHERE id = 300").await;
    hash_anew(&app).await;
    assert_eq!(first_fault(&app).await, json!([600, "rewritten"]));
    // Whoever removes the checkpoint, too, is found by the one that was told to somebody else.
    sql(&app, "DELETE FROM event_checkpoint").await;
    let trust = || audit::Trust::in_vault(&app.state.vault);
    let verdict = audit::verify(app.db(), &trust(), std::slice::from_ref(&made), audit::Scope::default())
        .await
        .expect("verifies");
    assert_eq!(verdict.fault.map(|fault| fault.event_id), Some(600));
    assert_eq!(first_fault(&app).await, json!([600, "rewritten"]), "the log tells of it, too");
    sql(&app, "DELETE FROM event WHERE type = 'setting-updated'").await;
    hash_anew(&app).await;
    assert_eq!(first_fault(&app).await, json!([null, null]), "and by nothing else");

    sql(&app, "DELETE FROM event WHERE id > 400; DELETE FROM event_hash WHERE event_id > 400").await;
    let verdict = audit::verify(app.db(), &trust(), &[made], audit::Scope::default()).await.expect("verifies");
    let fault = verdict.fault.expect("a fault");
    assert_eq!(
        fault.to_string(),
        "the log was cut: it ends before event 600, as the checkpoint of 2026-01-15T12:00:00.000Z shows"
    );
}

/// Whatever the log shows is verified or told of, wherever somebody put it.
#[tokio::test]
async fn events_before_the_first_one_are_found() {
    let columns = "created_at, type, created_by, created_by_user_id, environment, project, feature_name, data, pre_data, \
                   tags, search_payload, search_origin";
    for id in [0, -1, -9_000_000] {
        let app = log(5).await;
        sql(&app, &format!("INSERT INTO event (id, {columns}) SELECT {id}, {columns} FROM event WHERE id = 5")).await;
        assert_eq!(first_fault(&app).await, json!([id, "inserted"]));
        // With a hash of its own it does not belong there, either.
        let hash =
            format!("INSERT INTO event_hash (event_id, hash) SELECT {id}, hash FROM event_hash WHERE event_id = 5");
        sql(&app, &hash).await;
        assert_eq!(first_fault(&app).await, json!([id, "inserted"]));
    }
    // Behind what retention removed, with and without a hash.
    let config = Config { event_retention_days: Some(30), ..Config::default() };
    let app = TestApp::with_config(config).await;
    happen(&app, 20).await;
    hashed(&app).await;
    app.clock.advance(31 * DAY_MS);
    happen(&app, 5).await;
    hashed(&app).await;
    audit::keep_retention(&app.state).await.expect("removes");
    hashed(&app).await;
    assert_eq!(first_fault(&app).await, json!([null, null]));
    sql(&app, &format!("INSERT INTO event (id, {columns}) SELECT 7, {columns} FROM event WHERE id = 22")).await;
    assert_eq!(first_fault(&app).await, json!([7, "inserted"]));
    sql(&app, "INSERT INTO event_hash (event_id, hash) SELECT 7, hash FROM event_hash WHERE event_id = 22").await;
    assert_eq!(first_fault(&app).await, json!([7, "inserted"]));
}

#[tokio::test]
async fn a_log_without_hashes_does_not_hold() {
    let app = log(50).await;
    sql(&app, "DELETE FROM event_hash").await;
    assert_eq!(first_fault(&app).await, json!([null, null]), "a log may be a second old");
    assert_eq!(integrity(&app.admin(), "").await["hashedUpTo"], 0);
    app.clock.advance(2 * 60 * 60 * 1000);
    assert_eq!(first_fault(&app).await, json!([1, "unhashed"]));
    // A checkpoint that the log tells of knows better at once.
    let app = log(50).await;
    make_checkpoint(&app).await;
    sql(&app, "DELETE FROM event_hash; DELETE FROM event_checkpoint").await;
    assert_eq!(first_fault(&app).await, json!([50, "cut"]));
    sql(&app, "DELETE FROM event_hash; DELETE FROM event WHERE id > 20 AND id < 51").await;
    app.db().note_change();
    hashed(&app).await;
    assert_eq!(first_fault(&app).await, json!([50, "rewritten"]));
    // One that is forged in the log itself is a fault wherever it stands.
    let app = log(5).await;
    make_checkpoint(&app).await;
    sql(&app, "DELETE FROM event_checkpoint; UPDATE event SET data = replace(data, '\"eventId\":5', '\"eventId\":4') WHERE id = 6").await;
    hash_anew(&app).await;
    assert_eq!(first_fault(&app).await, json!([4, "forged"]));
}

#[tokio::test]
async fn a_forged_checkpoint_is_a_fault_and_one_by_an_unknown_key_says_nothing() {
    let app = log(5).await;
    make_checkpoint(&app).await;
    let elsewhere = app.beside(Vault::with_key(&[9; 32]));
    let told = integrity(&elsewhere.admin(), "").await;
    assert_eq!(
        (&told["holds"], &told["confirmedCheckpoints"], &told["unknownCheckpoints"]),
        (&true.into(), &0.into(), &1.into())
    );
    let both = app.beside(Vault::with_keys(&[9; 32], &[7; 32]));
    assert_eq!(integrity(&both.admin(), "").await["confirmedCheckpoints"], 1);
    sql(&app, "UPDATE event_checkpoint SET event_id = 4").await;
    assert_eq!(first_fault(&app).await, json!([4, "forged"]));
    // Nobody cuts the log by hand, either: the beginning must be signed.
    sql(&app, "UPDATE event_checkpoint SET kind = 'beginning'; DELETE FROM event WHERE id < 5; DELETE FROM event_hash WHERE event_id < 5").await;
    assert_eq!(first_fault(&app).await, json!([4, "forged"]));
}

#[tokio::test]
async fn retention_removes_what_is_old_tells_so_and_leaves_a_log_that_holds() {
    let config = Config { event_retention_days: Some(30), ..Config::default() };
    let app = TestApp::with_config(config).await;
    happen(&app, 1100).await;
    app.clock.advance(29 * DAY_MS);
    happen(&app, 5).await;
    hashed(&app).await;
    let admin = app.admin();
    let search = "/api/admin/search/events?limit=1";
    for (query, total) in [("", 1105), ("&feature=IS:f7", 1), ("&query=quoted", 1105)] {
        assert_eq!(admin.get(&format!("{search}{query}")).await.expect(200)["total"], total, "{query}");
    }
    audit::keep_retention(&app.state).await.expect("looks");
    assert_eq!(app.events().await.len(), 1105, "nothing is old enough");

    app.clock.advance(DAY_MS + 1);
    audit::keep_retention(&app.state).await.expect("removes");
    let kept = app.events().await;
    assert_eq!(kept.iter().map(|event| event.id).collect::<Vec<_>>(), (1101..=1106).collect::<Vec<_>>());
    let told: Value = serde_json::from_str(kept[5].data.as_deref().expect("data")).expect("JSON");
    assert_eq!((&told["checkpoint"]["kind"], &told["checkpoint"]["eventId"]), (&"beginning".into(), &1100.into()));
    for (query, total) in [("", 6), ("&feature=IS:f7", 0), ("&query=quoted", 5), ("&offset=4", 6)] {
        assert_eq!(admin.get(&format!("{search}{query}")).await.expect(200)["total"], total, "{query}");
    }
    let older = admin.post("/api/admin/events/search", json!({ "offset": 1103 })).await.expect(200);
    assert_eq!((older["events"].as_array().map(Vec::len), &older["totalEvents"]), (Some(3), &6.into()));
    hashed(&app).await;
    let told = integrity(&admin, "").await;
    assert_eq!((&told["holds"], &told["from"], &told["verified"]), (&true.into(), &1100.into(), &6.into()));
    assert_eq!(told["beginning"]["eventId"], 1100);
    let hashes = event_hash::Entity::find().count(app.db()).await.expect("counts");
    assert_eq!(hashes, 6);
    audit::keep_retention(&app.state).await.expect("looks");
    assert_eq!(event_checkpoint::Entity::find().count(app.db()).await.expect("counts"), 1, "once is enough");

    // All of it grows old; the newest event stays, since its id is the state of the log.
    app.clock.advance(40 * DAY_MS);
    audit::keep_retention(&app.state).await.expect("removes");
    let kept: Vec<i64> = app.events().await.iter().map(|event| event.id).collect();
    assert_eq!(kept, [1106, 1107]);
    hashed(&app).await;
    assert_eq!(first_fault(&app).await, json!([null, null]));
}

#[tokio::test]
async fn nothing_is_removed_from_a_log_that_does_not_hold() {
    let config = Config { event_retention_days: Some(30), ..Config::default() };
    let app = TestApp::with_config(config).await;
    happen(&app, 20).await;
    hashed(&app).await;
    sql(&app, "UPDATE event SET created_by = 'somebody' WHERE id = 3").await;
    app.clock.advance(31 * DAY_MS);
    audit::keep_retention(&app.state).await.expect("looks");
    assert_eq!(app.events().await.len(), 20);
    let metrics = app.admin().get("/internal-backstage/prometheus").await;
    assert!(metrics.text.contains("flagstone_event_log_retention_held_back 1"), "{}", metrics.text);
}

#[tokio::test]
async fn an_export_is_a_line_for_each_event_with_its_hash() {
    let app = log(1100).await;
    happen(&app, 1).await;
    let answer = app.admin().get(EXPORT).await;
    assert_eq!(answer.headers["content-type"], "application/x-ndjson");
    let lines: Vec<Value> = answer.text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let searched = app.admin().get("/api/admin/search/events?limit=1000").await.expect(200);
    let searched = searched["events"].as_array().expect("a list");
    assert_eq!(lines.len(), 1101);
    for (line, event) in lines.iter().rev().zip(searched) {
        let mut line = line.clone();
        let hash = line.as_object_mut().expect("an object").remove("hash").expect("a hash");
        assert_eq!(&line, event);
        assert_eq!(hash.is_null(), event["id"] == 1101, "{hash}");
    }
    let rest = app.admin().get(&format!("{EXPORT}?since=1099&format=csv")).await;
    assert_eq!(rest.headers["content-type"], "text/csv; charset=utf-8");
    let ids: Vec<&str> = rest.text.split("\r\n").map(|line| line.split(',').next().expect("an id")).collect();
    assert_eq!(ids, ["id", "1100", "1101", ""]);
    assert!(rest.text.contains(r#""{""name"":""f1099"",""note"":""a \""quoted\"", ü\n""}""#), "{}", rest.text);
    for query in ["?format=xml", "?since=-1", "?since=x"] {
        let name = &query[1..query.find('=').expect("a name")];
        let refused = app.admin().get(&format!("{EXPORT}{query}")).await;
        assert_eq!(refused.status, 400, "{}", refused.text);
        assert!(refused.text.contains(name), "{}", refused.text);
    }
}

/// Any event, with the texts that are stored, must be the same to both databases: a copy keeps the chain.
#[tokio::test]
async fn the_hash_of_an_event_is_the_same_wherever_it_is_stored() {
    let app = log(2).await;
    let rows = event_hash::Entity::find().all(app.db()).await.expect("reads");
    let stored = event::Entity::find_by_id(1).one(app.db()).await.expect("reads").expect("an event");
    let canonical = format!(
        concat!(
            r#"{{"createdAt":"2026-01-15T12:00:00.000Z","createdBy":{},"createdByUserId":-1337,"data":{},"#,
            r#""environment":null,"featureName":"f0","id":1,"preData":null,"previous":"{}","project":"shop","tags":"[]","#,
            r#""type":"feature-created"}}"#
        ),
        json!(stored.created_by),
        json!(stored.data),
        "0".repeat(64)
    );
    assert_eq!(hex::encode(&rows[0].hash), flagstone::domain::secret::digest(&canonical));
}

fn job(name: &str) -> Job {
    *JOBS.iter().find(|job| job.name == name).expect("a job of that name")
}

#[tokio::test]
async fn checkpoints_are_made_by_the_hour_where_something_happened_and_told_to_integrations() {
    let app = TestApp::new().await;
    let addon = json!({
        "provider": "webhook", "enabled": true, "parameters": { "url": "http://127.0.0.1:9/" },
        "events": ["setting-updated"],
    });
    app.admin().post("/api/admin/addons", addon).await.expect(201);
    hashed(&app).await;
    let (checkpoints, mut made) = (job(audit::CHECKPOINT_JOB), Vec::new());
    for _ in 0..4 {
        assert!(jobs::run_if_due(&app.state, &checkpoints).await.expect("runs"));
        hashed(&app).await;
        made.push(event_checkpoint::Entity::find().count(app.db()).await.expect("counts"));
        app.clock.advance(3_600_000);
    }
    assert_eq!(made, [0, 1, 1, 1], "not at the first look, and none about nothing but a checkpoint");
    for begun in deliveries::round(&app.state).await.expect("begins") {
        begun.await.expect("ends");
    }
    let told = app.admin().get("/api/admin/addons/1/events").await.expect(200);
    let delivered = &told["integrationEvents"][0]["event"]["data"]["checkpoint"];
    assert_eq!(delivered, &integrity(&app.admin(), "").await["newestCheckpoint"]);
    assert_eq!(delivered["eventId"], 1);
}

#[tokio::test]
async fn a_second_verification_at_a_time_is_refused() {
    let app = log(1).await;
    let turn = app.state.audit.turns.try_acquire().expect("nobody verifies");
    assert_eq!(app.admin().get(INTEGRITY).await.status, 503);
    drop(turn);
    app.admin().get(INTEGRITY).await.expect(200);
}

/// Runs the program on the database of a server that goes on.
fn program(directory: &Path, arguments: &[&str]) -> (bool, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_flagstone"));
    let output = command.args(arguments).current_dir(directory).env_clear().output().expect("the program");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    (output.status.success(), text(output.stdout), text(output.stderr))
}

#[tokio::test]
async fn the_command_writes_archives_and_finds_what_was_done_to_the_log() {
    let app = log(600).await;
    let Some(directory) = app.directory() else { return };
    let file = std::fs::read_dir(directory).expect("lists").map(|entry| entry.expect("an entry").path());
    let file =
        file.into_iter().find(|path| path.extension().is_some_and(|extension| extension == "db")).expect("a database");
    let url = format!("sqlite://{}", file.display());
    let events = |more: &[&str]| program(directory, &[&["events"], more, &["--database-url", &url]].concat());
    let (_, archive, _) = events(&["export", "--since", "598"]);
    assert_eq!(archive, app.admin().get(&format!("{EXPORT}?since=598")).await.text);
    let (_, csv, _) = events(&["export", "--format", "csv", "--output", "events.csv"]);
    assert_eq!(csv, "");
    let written = std::fs::read_to_string(directory.join("events.csv")).expect("a file");
    assert_eq!(written, app.admin().get(&format!("{EXPORT}?format=csv")).await.text);
    let (done, _, complaint) = events(&["export", "--output", "events.csv"]);
    assert!(!done && complaint.contains("events.csv"), "{complaint}");

    let made = make_checkpoint(&app).await;
    let (_, kept, _) = events(&["checkpoints"]);
    assert_eq!(kept, format!("{}\n", serde_json::to_string(&made).expect("JSON")));
    let (done, told, _) = events(&["verify"]);
    assert!(done && told.contains("601 events after event 0 hold, up to event 601.\n"), "{told}");
    assert!(told.contains("1 checkpoints say the same, without a key to check their signatures."), "{told}");
    assert!(!directory.join("flagstone.key").exists(), "no key is made up");
    let (done, told, _) = events(&["verify", "--public-key", &made.public_key]);
    assert!(done && told.contains("1 checkpoints say the same, by signatures that count."), "{told}");
    let other = app.beside(Vault::with_key(&[9; 32])).state.vault.public_keys().remove(0);
    let (done, told, _) = events(&["verify", "--public-key", &other]);
    assert!(done && told.contains("1 checkpoints are signed by keys that are not known here"), "{told}");

    // An event that a webhook was sent, and a checkpoint as it is.
    let delivered = json!({ "type": "setting-updated", "data": { "checkpoint": made } });
    std::fs::write(directory.join("kept.jsonl"), format!("{delivered}\n\n{kept}")).expect("writes");
    sql(
        &app,
        "DELETE FROM event_checkpoint; DELETE FROM event WHERE id > 300; DELETE FROM event_hash WHERE event_id > 300",
    )
    .await;
    assert!(events(&["verify"]).0, "by itself it is a whole log");
    let (done, told, complaint) = events(&["verify", "--checkpoints", "kept.jsonl"]);
    assert!(!done && told.contains("300 events after event 0 hold"), "{told}");
    assert!(
        complaint.starts_with("error: the log does not hold: the log was cut: it ends before event 600"),
        "{complaint}"
    );
    for (content, reason) in
        [("{}", "kept.jsonl, line 1: no checkpoint"), (&*kept.replace(&made.instance, "x"), "another instance")]
    {
        std::fs::write(directory.join("kept.jsonl"), content).expect("writes");
        let (done, _, complaint) = events(&["verify", "--checkpoints", "kept.jsonl"]);
        assert!(!done && complaint.contains(reason), "{complaint}");
    }
}
