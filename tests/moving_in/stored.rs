//! Content of the new database, row by row, against that of the old one.

use std::collections::BTreeMap;

use flagstone::{
    clock::Clock,
    store::{db::pool, entity::job_run},
};
use sea_orm::{ActiveValue::Set, ConnectionTrait as _, Database, DatabaseConnection, EntityTrait as _, Statement};
use serde_json::Value;

/// Type of the event by which an open change request comes over.
pub const MOVED_IN: &str = "change-request-moved-in";

async fn open(url: &str) -> DatabaseConnection {
    Database::connect(pool(url, 5)).await.expect("the database")
}

async fn rows(db: &DatabaseConnection, sql: &str) -> Vec<sea_orm::QueryResult> {
    let statement = Statement::from_string(db.get_database_backend(), sql);
    db.query_all_raw(statement).await.unwrap_or_else(|error| panic!("{sql}: {error}"))
}

/// Pairs of a text and a number.
async fn counts(db: &DatabaseConnection, sql: &str) -> BTreeMap<String, i64> {
    let pair = |row: &sea_orm::QueryResult| {
        (row.try_get_by_index(0).expect("a text"), row.try_get_by_index(1).expect("a number"))
    };
    rows(db, sql).await.iter().map(pair).collect()
}

async fn count(db: &DatabaseConnection, from: &str) -> i64 {
    rows(db, &format!("SELECT count(*) FROM {from}")).await[0].try_get_by_index(0).expect("a number")
}

/// Records that features were just searched for those that have outlived their type: as the data grows older, a server that
/// starts with it would add events of its own.
pub async fn postpone_staleness(url: &str) {
    let now = Clock::system().now();
    let run = job_run::ActiveModel {
        name: Set("potentially-stale".to_owned()),
        last_started_at: Set(now),
        last_finished_at: Set(Some(now)),
        last_error: Set(None),
    };
    let db = open(url).await;
    job_run::Entity::insert(run).exec_without_returning(&db).await.expect("no job ran yet");
    db.close().await.expect("closes");
}

/// Compares what is counted and what is listed.
pub async fn compare(url: &str, expected: &Value) {
    let db = open(url).await;
    let before: BTreeMap<String, i64> = expected["eventsByType"]
        .as_object()
        .expect("numbers")
        .iter()
        .map(|(kind, number)| (kind.clone(), number.as_i64().expect("a number")))
        .collect();
    let mut after = counts(&db, "SELECT type, count(*) FROM event GROUP BY type").await;
    // That of the change request which is open.
    assert_eq!(after.remove(MOVED_IN), Some(1));
    assert_eq!(after, before);
    for (theirs, ours) in [
        ("projects", "project"),
        ("project_environments", "project_environment"),
        ("features", "feature"),
        ("feature_environments", "feature_environment"),
        ("feature_strategies", "feature_strategy"),
        ("feature_strategy_segment", "strategy_segment"),
        ("feature_tag", "feature_tag"),
        ("feature_lifecycles", "feature_lifecycle"),
        ("dependent_features", "feature_dependency"),
        ("segments", "segment"),
        ("change_request_settings", "change_request_configuration"),
        ("change_requests", "change_request"),
        ("change_request_events", "change_request_change"),
        ("change_request_comments", "change_request_comment"),
        ("tags", "tag"),
        ("tag_types", "tag_type"),
        ("groups", "user_group"),
        ("group_user", "user_group_member"),
        ("group_role", "project_group_role"),
        ("favorite_features", "favorite_feature"),
        ("favorite_projects", "favorite_project"),
        ("banners", "banner"),
        ("personal_access_tokens", "personal_token"),
        ("public_signup_tokens", "signup_link"),
        ("client_applications", "client_application"),
        ("client_metrics_env", "client_metrics_hourly"),
        ("client_metrics_env_variants", "client_metrics_variant_hourly"),
        ("client_metrics_env_daily", "client_metrics_daily"),
        ("client_metrics_env_variants_daily", "client_metrics_variant_daily"),
    ] {
        if let Some(number) = expected["rowCounts"][theirs].as_i64() {
            assert_eq!(count(&db, ours).await, number, "{theirs}");
        }
    }
    let tokens = expected["rowCounts"]["api_tokens"].as_i64().unwrap_or_default();
    let hashed = expected["rowCounts"]["api_tokens_v2"].as_i64().unwrap_or_default();
    assert_eq!(count(&db, "api_token").await, tokens + hashed);
    people(&db, expected).await;
    segments(&db, expected).await;
    let approvals = "SELECT project || ' ' || environment, required_approvals FROM change_request_configuration";
    assert_eq!(counts(&db, approvals).await, [("payments production".to_owned(), 2)].into());
    assert_eq!(count(&db, "app_user WHERE password_hash NOT LIKE '$2%'").await, 0, "hashes as they came");
    assert_eq!(count(&db, "app_user WHERE deleted_at IS NOT NULL AND password_hash IS NOT NULL").await, 0);
    db.close().await.expect("closes");
}

async fn people(db: &DatabaseConnection, expected: &Value) {
    let users =
        counts(db, "SELECT coalesce(username, email), root_role_id FROM app_user WHERE deleted_at IS NULL").await;
    for user in expected["users"].as_array().expect("users") {
        let name = user["username"].as_str().or_else(|| user["email"].as_str()).expect("a name");
        let role = user["rootRole"].as_i64().expect("a role");
        assert!(users.contains_key(name), "{name} of {users:?}");
        // Old versions told the role of a viewer for custom ones, which they did not know yet.
        assert!(users[name] == role || (users[name] > 5 && role == 3), "{name} has {}, and had {role}", users[name]);
    }
    for permission in expected["rolePermissions"].as_array().expect("grants") {
        let (role, name) = (&permission["role_id"], permission["permission"].as_str().expect("a permission"));
        if flagstone::domain::permission::Permission::parse(name).is_some() {
            let from = format!("role_permission WHERE role_id = {role} AND permission = '{name}'");
            assert!(count(db, &from).await > 0, "{permission}");
        }
    }
    for group in expected["groups"].as_array().expect("groups") {
        let id = &group["id"];
        for user in group["users"].as_array().into_iter().flatten() {
            let from = format!("user_group_member WHERE group_id = {id} AND user_id = {user}");
            assert_eq!(count(db, &from).await, 1, "{group}");
        }
    }
}

async fn segments(db: &DatabaseConnection, expected: &Value) {
    let now = counts(db, "SELECT name, id FROM segment").await;
    // Old versions have no list of them to ask for.
    for segment in expected["segments"]["segments"].as_array().into_iter().flatten() {
        assert_eq!(now.get(segment["name"].as_str().expect("a name")).copied(), segment["id"].as_i64(), "{segment}");
    }
}

/// Every event of one log stands in another one, as it was.
pub async fn same_log(before: &str, after: &str) {
    let events = "SELECT coalesce(type, '') || coalesce(created_by, '') || coalesce(project, '') || \
                  coalesce(environment, '') || coalesce(feature_name, '') || coalesce(data, ''), id FROM event";
    let (before, after) = (open(before).await, open(after).await);
    let (expected, found) = (counts(&before, events).await, counts(&after, events).await);
    assert!(expected.len() > 300, "{}", expected.len());
    let missing: Vec<_> = expected.iter().filter(|(text, id)| found.get(*text) != Some(id)).take(3).collect();
    assert!(missing.is_empty(), "{missing:?}");
    before.close().await.expect("closes");
    after.close().await.expect("closes");
}

/// Forms in which login settings are kept: their marks, by id.
pub async fn login_settings(url: &str) -> BTreeMap<String, String> {
    let db = open(url).await;
    let found = rows(&db, "SELECT id, content FROM setting WHERE id LIKE 'unleash.enterprise.auth.%'").await;
    db.close().await.expect("closes");
    let text = |row: &sea_orm::QueryResult, place| row.try_get_by_index::<String>(place).expect("a text");
    found.iter().map(|row| (text(row, 0), text(row, 1))).collect()
}

/// Number of integrations with events in the log that they have not been sent.
pub async fn integrations_behind(url: &str) -> i64 {
    let db = open(url).await;
    let behind = count(&db, "integration WHERE last_event_id < (SELECT max(id) FROM event)").await;
    db.close().await.expect("closes");
    behind
}

/// Projects and environments by name, and how many features, strategies and segments there are.
pub async fn flags(url: &str) -> String {
    let db = open(url).await;
    let names = async |sql| {
        let rows = rows(&db, sql).await;
        let names = rows.iter().map(|row| row.try_get_by_index::<String>(0).expect("a text"));
        names.collect::<Vec<_>>().join(" ")
    };
    let (projects, environments) =
        (names("SELECT id FROM project ORDER BY id").await, names("SELECT name FROM environment ORDER BY name").await);
    let (features, strategies, segments) =
        (count(&db, "feature").await, count(&db, "feature_strategy").await, count(&db, "segment").await);
    db.close().await.expect("closes");
    format!("{projects} | {environments} | {features} features, {strategies} strategies, {segments} segments")
}

/// The features with the environments in which they are configured.
pub async fn feature_environments(url: &str) -> Vec<(String, String)> {
    let db = open(url).await;
    let found = rows(&db, "SELECT feature_name, environment FROM feature_environment ORDER BY 1, 2").await;
    db.close().await.expect("closes");
    let text = |row: &sea_orm::QueryResult, place| row.try_get_by_index::<String>(place).expect("a text");
    found.iter().map(|row| (text(row, 0), text(row, 1))).collect()
}

/// Number of open change requests that came over, by the log.
pub async fn moved_in_events(url: &str) -> i64 {
    let db = open(url).await;
    let events = count(&db, &format!("event WHERE type = '{MOVED_IN}'")).await;
    db.close().await.expect("closes");
    events
}

/// Whether nobody has moved in.
pub async fn is_empty(url: &str) -> bool {
    let db = open(url).await;
    let mut rows = 0;
    for table in ["feature", "event", "segment", "api_token", "app_user WHERE NOT is_system"] {
        rows += count(&db, table).await;
    }
    db.close().await.expect("closes");
    rows == 0
}
