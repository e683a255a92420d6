//! The schema on an empty SQLite file. PostgreSQL has its turn in the tests of the server.

use flagstone_migrations::Migrator;
use sea_orm::{ConnectOptions, ConnectionTrait, Database, DatabaseBackend, DatabaseConnection, DbErr, Statement};
use sea_orm_migration::MigratorTrait;
use tempfile::TempDir;

/// An empty database, which lives as long as its directory.
#[expect(clippy::disallowed_methods, reason = "the pool of the server is not known here")]
async fn empty() -> (TempDir, DatabaseConnection) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let url = format!("sqlite://{}?mode=rwc", directory.path().join("flagstone.db").display());
    let mut options = ConnectOptions::new(url);
    options.max_connections(1).idle_timeout(None).max_lifetime(None).sqlx_logging(false);
    let database = Database::connect(options).await.expect("a database");
    (directory, database)
}

async fn migrated() -> (TempDir, DatabaseConnection) {
    let (directory, database) = empty().await;
    Migrator::up(&database, None).await.expect("the migrations apply");
    (directory, database)
}

async fn number(database: &DatabaseConnection, sql: &str) -> Result<i64, DbErr> {
    let statement = Statement::from_string(DatabaseBackend::Sqlite, sql);
    let row = database.query_one_raw(statement).await?.expect("a row");
    row.try_get_by_index(0)
}

async fn names(database: &DatabaseConnection, kind: &str) -> Vec<String> {
    let sql = format!(
        "SELECT name FROM sqlite_schema WHERE type = '{kind}' AND name NOT LIKE 'sqlite_%' \
         AND name NOT LIKE '%_fts_%' ORDER BY name"
    );
    let rows = database.query_all_raw(Statement::from_string(DatabaseBackend::Sqlite, sql)).await;
    rows.expect("the schema").iter().map(|row| row.try_get_by_index(0).expect("a name")).collect()
}

#[tokio::test]
async fn a_second_run_changes_nothing() {
    let (_directory, database) = migrated().await;
    let before = number(&database, "SELECT count(*) FROM role_permission").await.expect("a count");
    Migrator::up(&database, None).await.expect("nothing to do");
    let after = number(&database, "SELECT count(*) FROM role_permission").await.expect("a count");
    assert_eq!(before, after);
    assert_eq!(Migrator::get_pending_migrations(&database).await.expect("a list").len(), 0);
}

#[tokio::test]
async fn indexes_follow_the_rule_of_names() {
    let (_directory, database) = migrated().await;
    let tables = names(&database, "table").await;
    for index in names(&database, "index").await {
        let named = index.strip_prefix("ix_").or_else(|| index.strip_prefix("ux_"));
        let table = named.and_then(|name| name.split_once("__")).map(|(table, _)| table.to_owned());
        assert!(table.is_some_and(|table| tables.contains(&table)), "{index}");
        assert!(index.len() <= 63, "{index} is longer than PostgreSQL keeps");
    }
}

#[tokio::test]
async fn a_role_grants_the_same_thing_once() {
    let (_directory, database) = migrated().await;
    let again = "INSERT INTO role_permission (role_id, permission) VALUES (1, 'ADMIN')";
    assert!(database.execute_unprepared(again).await.is_err());
    let elsewhere = "INSERT INTO role_permission (role_id, permission, project) VALUES (1, 'ADMIN', 'default')";
    assert!(database.execute_unprepared(elsewhere).await.is_ok());
}

#[tokio::test]
async fn new_rows_get_ids_after_the_built_in_ones() {
    let (_directory, database) = migrated().await;
    let role = "INSERT INTO role (name, type, description) VALUES ('own', 'custom', '') RETURNING id";
    assert_eq!(number(&database, role).await, Ok(7));
    let user = "INSERT INTO app_user (root_role_id, is_system, created_at) VALUES (3, false, 0) RETURNING id";
    assert_eq!(number(&database, user).await, Ok(1));
}

#[tokio::test]
async fn the_text_table_follows_features() {
    let (_directory, database) = migrated().await;
    let found = |text: &str| {
        let sql = format!("SELECT count(*) FROM feature_fts WHERE feature_fts MATCH '\"{text}\"'");
        let database = database.clone();
        async move { number(&database, &sql).await.expect("a count") }
    };
    let run = |sql: &'static str| {
        let database = database.clone();
        async move { database.execute_unprepared(sql).await.map(|_| ()).expect("a statement") }
    };
    run("INSERT INTO feature (name, project, type, stale, impression_data, created_at, search_text) \
         VALUES ('Größe', 'default', 'release', false, false, 0, 'größe' || char(10) || 'simple:basket')")
    .await;
    assert_eq!((found("größ").await, found("e:bask").await, found("order").await), (1, 1, 0));
    run("UPDATE feature SET search_text = 'größe' || char(10) || 'simple:order'").await;
    assert_eq!((found("größ").await, found("e:bask").await, found("order").await), (1, 0, 1));
    run("UPDATE feature SET stale = true").await;
    assert_eq!(found("order").await, 1);
    run("DELETE FROM feature").await;
    assert_eq!(found("größ").await, 0);
    run("INSERT INTO feature_fts (feature_fts, rank) VALUES ('integrity-check', 1)").await;
}

#[tokio::test]
async fn the_text_table_takes_events_in_by_the_batch() {
    let (_directory, database) = migrated().await;
    let found = |text: &str| {
        let sql = format!("SELECT count(*) FROM event_fts WHERE event_fts MATCH '\"{text}\"'");
        let database = database.clone();
        async move { number(&database, &sql).await.expect("a count") }
    };
    let run = |sql: &'static str| {
        let database = database.clone();
        async move { database.execute_unprepared(sql).await.map(|_| ()).expect("a statement") }
    };
    run("INSERT INTO event (id, created_at, type, created_by, search_payload, search_origin) \
         WITH RECURSIVE ids(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM ids WHERE id < 63) \
         SELECT id, 0, 'feature-created', 'x', 'basket ' || id, 'origin' FROM ids")
    .await;
    assert_eq!(found("basket").await, 0);
    run("DELETE FROM event WHERE id = 7; UPDATE event SET search_payload = 'order' WHERE id = 8").await;
    run("INSERT INTO event (id, created_at, type, created_by, search_payload, search_origin) \
         VALUES (64, 0, 'feature-created', 'x', 'basket', 'origin'), (65, 0, 'feature-created', 'x', 'basket', '')")
    .await;
    assert_eq!((found("basket").await, found("order").await, found("origin").await), (62, 1, 63));
    run("DELETE FROM event WHERE id = 9; UPDATE event SET search_payload = 'order' WHERE id IN (10, 65)").await;
    assert_eq!((found("basket").await, found("order").await), (60, 2));
    run("DELETE FROM event WHERE id = 65").await;
    run("INSERT INTO event_fts (event_fts, rank) VALUES ('integrity-check', 0)").await;
    run("INSERT INTO event (id, created_at, type, created_by, search_payload, search_origin) \
         VALUES (192, 0, 'feature-created', 'x', 'basket', 'origin')")
    .await;
    assert_eq!(found("basket").await, 61);
    run("INSERT INTO event_fts (event_fts, rank) VALUES ('integrity-check', 1)").await;
}

#[tokio::test]
async fn memberships_of_before_are_of_the_only_provider_of_their_user() {
    let (_directory, database) = empty().await;
    let migrations = Migrator::migrations();
    let before = migrations.iter().position(|migration| migration.name() == "m0049_membership_providers");
    let before = u32::try_from(before.expect("the migration")).expect("a small number");
    Migrator::up(&database, Some(before)).await.expect("the migrations before it apply");
    database.execute_unprepared("PRAGMA foreign_keys = OFF").await.expect("rows alone");
    let identities = "INSERT INTO user_identity (identity_hash, provider, issuer, subject, user_id, created_at, seen_at) \
        VALUES ('a', 'oidc:staff', 'i', 'a', 1, 0, 0), ('b', 'oidc:staff', 'i', 'b', 1, 0, 0), \
        ('c', 'oidc', 'i', 'c', 2, 0, 0), ('d', 'saml', 'i', 'd', 2, 0, 0)";
    database.execute_unprepared(identities).await.expect("identities");
    let members = "INSERT INTO user_group_member (group_id, user_id, created_at, source) VALUES \
        (1, 1, 0, 'login-provider'), (2, 1, 0, NULL), (1, 2, 0, 'login-provider'), (1, 3, 0, 'login-provider')";
    database.execute_unprepared(members).await.expect("memberships");
    Migrator::up(&database, None).await.expect("the migrations apply");
    let known = "SELECT count(*) FROM user_group_member WHERE source_provider IS NOT NULL";
    assert_eq!(number(&database, known).await, Ok(1));
    let own =
        "SELECT count(*) FROM user_group_member WHERE source_provider = 'oidc:staff' AND group_id = 1 AND user_id = 1";
    assert_eq!(number(&database, own).await, Ok(1));
}
