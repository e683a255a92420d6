//! Condition of a database server or file, for the diagnosis of problems. Read only.

use sea_orm::{ConnectionTrait, DatabaseBackend, DbErr, FromQueryResult, Statement};

use crate::{StoreError, backup::texts};

/// A SQLite file.
#[derive(Debug, Clone)]
pub struct SqliteCondition {
    /// Version of SQLite in this program.
    pub version: String,
    /// Mode of its journal of changes: `wal` once a server has used it.
    pub journal_mode: String,
    /// Faults that a quick check of its pages found.
    pub faults: Vec<String>,
    /// Pages that hold nothing, and all.
    pub pages: (i64, i64),
}

/// Looks at a SQLite file.
pub async fn of_sqlite(db: &impl ConnectionTrait) -> Result<SqliteCondition, StoreError> {
    let one = async |sql: &str| -> Result<String, StoreError> {
        Ok(texts(db, sql).await?.into_iter().next().unwrap_or_default())
    };
    let number = async |sql: &str| -> Result<i64, StoreError> {
        let row = db.query_one_raw(Statement::from_string(DatabaseBackend::Sqlite, sql)).await?;
        Ok(row.map(|row| row.try_get_by_index(0)).transpose()?.unwrap_or_default())
    };
    let faults = texts(db, "PRAGMA quick_check(3)").await?;
    Ok(SqliteCondition {
        version: one("SELECT sqlite_version()").await?,
        journal_mode: one("PRAGMA journal_mode").await?,
        faults: faults.into_iter().filter(|line| line != "ok").collect(),
        pages: (number("PRAGMA freelist_count").await?, number("PRAGMA page_count").await?),
    })
}

/// A server of PostgreSQL, and a database on it.
#[derive(Debug, Clone, FromQueryResult)]
pub struct PostgresCondition {
    /// Its version, as a number such as 150004.
    pub version: i32,
    /// Its version in words.
    pub version_text: String,
    /// Encoding of the database.
    pub encoding: String,
    /// Whether the extension that texts are searched with is there.
    pub has_trigrams: bool,
    /// Whether the system has that extension, so that it can be made.
    pub offers_trigrams: bool,
    /// Whether it follows another server.
    pub is_replica: bool,
    /// Seconds by which what it shows is behind, where it follows another.
    pub seconds_behind: Option<f64>,
    /// Its clock, in milliseconds.
    pub now: i64,
    /// Default isolation of a transaction.
    pub isolation: String,
    /// Whether transactions may write by default.
    pub is_read_only: bool,
    /// Whether what is committed survives a loss of power.
    pub fsync: String,
    /// Most connections.
    pub most_connections: i32,
    /// Open connections.
    pub connections: i64,
    /// Whether indexes are of another version of the system's rules of order than the database.
    pub has_stale_collation: bool,
}

/// Asked with `default_transaction_read_only` set by the session, so that the setting of role and database is read.
const POSTGRES: &str = "\
    SELECT current_setting('server_version_num')::int AS version, current_setting('server_version') AS version_text, \
    pg_encoding_to_char(d.encoding)::text AS encoding, \
    EXISTS (SELECT FROM pg_extension WHERE extname = 'pg_trgm') AS has_trigrams, \
    EXISTS (SELECT FROM pg_available_extensions WHERE name = 'pg_trgm') AS offers_trigrams, \
    pg_is_in_recovery() AS is_replica, \
    CASE WHEN pg_is_in_recovery() AND pg_last_wal_receive_lsn() IS DISTINCT FROM pg_last_wal_replay_lsn() \
        THEN extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp())::float8 END AS seconds_behind, \
    (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now, \
    current_setting('default_transaction_isolation') AS isolation, \
    coalesce((SELECT bool_or(s.setting = 'default_transaction_read_only=on') FROM pg_db_role_setting r, \
        unnest(r.setconfig) AS s(setting) WHERE r.setdatabase IN (0, d.oid) \
        AND r.setrole IN (0, (SELECT oid FROM pg_roles WHERE rolname = current_user))), false) AS is_read_only, \
    current_setting('fsync') AS fsync, current_setting('max_connections')::int AS most_connections, \
    (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend') AS connections, \
    coalesce(d.datcollversion IS DISTINCT FROM pg_database_collation_actual_version(d.oid), false) AS has_stale_collation \
    FROM pg_database d WHERE d.datname = current_database()";
/// Before version 15 a database does not know the version of its rules of order.
const STALE: &str = "coalesce(d.datcollversion IS DISTINCT FROM pg_database_collation_actual_version(d.oid), false)";
/// The first that does.
const KNOWS_COLLATION: i32 = 150_000;

/// Looks at a server of PostgreSQL.
pub async fn of_postgres(db: &impl ConnectionTrait) -> Result<PostgresCondition, StoreError> {
    let postgres = DatabaseBackend::Postgres;
    let missing = || DbErr::RecordNotFound("a server that says nothing about itself".to_owned());
    let asked = Statement::from_string(postgres, "SELECT current_setting('server_version_num')::int");
    let version: i32 = db.query_one_raw(asked).await?.ok_or_else(missing)?.try_get_by_index(0)?;
    let sql = if version < KNOWS_COLLATION { POSTGRES.replace(STALE, "false") } else { POSTGRES.to_owned() };
    let row = db.query_one_raw(Statement::from_string(postgres, sql)).await?.ok_or_else(missing)?;
    Ok(PostgresCondition::from_query_result(&row, "")?)
}
