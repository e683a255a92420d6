//! Brings a database to the schema that this program knows.

use std::path::Path;

use flagstone_clock::Clock;
use flagstone_migrations::Migrator;
use sea_orm::{ActiveValue::Set, ConnectionTrait, DatabaseBackend, EntityTrait, Statement, TransactionTrait};
use sea_orm_migration::MigratorTrait;

use crate::{
    StoreError, backup,
    db::{Db, advisory_lock::AdvisoryLock, reach, value::to_json_column},
    entity::setting,
};

/// Table of the migrations' own record.
pub(super) const RECORD: &str = "seaql_migrations";
/// Id of the setting with the version that brought the database to its schema.
const VERSION: &str = "flagstone.schema-version";
/// The version of this program.
const OURS: &str = env!("CARGO_PKG_VERSION");

/// State of the schema of a database, compared with the one that this program knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// The schema of this version.
    Current,
    /// The schema of an older version: these migrations are to come, at the next start.
    Older(Vec<String>),
    /// A newer program made it.
    Newer(Newer),
    /// No table at all.
    Empty,
    /// Tables of another program.
    Foreign,
}

/// A schema of a newer program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Newer {
    /// The version of that program, where the database says.
    version: Option<String>,
    /// The first migration that is not known here.
    unknown: String,
}

impl std::fmt::Display for Newer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let newer = self.version.as_ref().map_or("a newer version".to_owned(), |version| format!("version {version}"));
        write!(
            f,
            "this database was upgraded by {newer} of Flagstone, and this program is version {OURS}, which does not \
             know its schema ({}): start {newer} on it, or restore a backup that was made before the upgrade",
            self.unknown
        )
    }
}

/// Applies the migrations that are missing, and returns how the schema stood before. Refuses a database that a newer
/// program has migrated.
#[expect(clippy::disallowed_methods, reason = "schema changes leave no events")]
pub async fn migrate(db: &Db) -> Result<Standing, StoreError> {
    let before = standing(db).await?;
    if !is_behind(&before)? {
        return Ok(before);
    }
    let upkeep = db.upkeep();
    if upkeep.get_database_backend() == DatabaseBackend::Postgres {
        let tx = upkeep.begin().await?;
        let key = AdvisoryLock::Migration.key();
        tx.execute_unprepared(&format!("SET LOCAL lock_timeout = 0; SELECT pg_advisory_xact_lock({key})")).await?;
        // Another node may have done it meanwhile.
        if is_behind(&standing(&tx).await?)? {
            Migrator::up(&tx, None).await?;
            note_version(&tx).await?;
        }
        tx.commit().await?;
    } else {
        Migrator::up(upkeep, None).await?;
        note_version(upkeep).await?;
    }
    Ok(before)
}

/// Whether there is something to do; an error where this program is behind itself.
fn is_behind(standing: &Standing) -> Result<bool, StoreError> {
    match standing {
        Standing::Current => Ok(false),
        Standing::Newer(newer) => Err(StoreError::newer(newer.clone())),
        // Tables of others may be in the same PostgreSQL database.
        Standing::Older(_) | Standing::Empty | Standing::Foreign => Ok(true),
    }
}

/// Notes this version, so that an older program can name it.
async fn note_version(connection: &impl ConnectionTrait) -> Result<(), StoreError> {
    let now = Clock::system().now();
    let row = setting::ActiveModel {
        id: Set(VERSION.to_owned()),
        content: Set(to_json_column(&OURS)),
        created_at: Set(now),
        updated_at: Set(now),
    };
    let changed = [setting::Column::Content, setting::Column::UpdatedAt];
    let on_conflict = sea_orm::sea_query::OnConflict::column(setting::Column::Id).update_columns(changed).to_owned();
    setting::Entity::insert(row).on_conflict(on_conflict).exec_without_returning(connection).await?;
    Ok(())
}

/// Returns the state of the schema of a SQLite file, compared with ours. The file stays as it is, whosever it is.
pub async fn standing_of_file(path: &Path) -> Result<Standing, StoreError> {
    let looked = async {
        let db = Db::open_file_read_only(path).await?;
        let standing = standing(&db).await;
        // Nothing was written, so nothing is lost where that fails.
        let _closed = db.close().await;
        standing
    };
    looked.await.map_err(|error| reach::of_file(path, error))
}

/// Returns the state of the schema of a database, compared with ours. Only looks.
pub async fn standing(connection: &impl ConnectionTrait) -> Result<Standing, StoreError> {
    let backend = connection.get_database_backend();
    let tables = match backend {
        DatabaseBackend::Postgres => {
            "SELECT relname::text FROM pg_class WHERE relkind IN ('r', 'p') \
             AND relnamespace = current_schema()::regnamespace"
        }
        _ => "SELECT name FROM sqlite_schema WHERE type = 'table'",
    };
    let tables = backup::texts(connection, tables).await?;
    if tables.is_empty() {
        return Ok(Standing::Empty);
    }
    if !tables.iter().any(|table| table == RECORD) {
        return Ok(Standing::Foreign);
    }
    let applied = backup::texts(connection, &format!("SELECT version FROM {RECORD} ORDER BY version")).await?;
    let known = known();
    // Among records of other programs, whose migrations use a table of this name, too.
    if !applied.is_empty() && !applied.iter().any(|version| known.contains(version)) {
        return Ok(Standing::Foreign);
    }
    if let Some(unknown) = applied.iter().find(|version| !known.contains(version)) {
        let asked = Statement::from_string(backend, format!("SELECT content FROM setting WHERE id = '{VERSION}'"));
        // A schema that is not known may have no such table any more.
        let row = connection.query_one_raw(asked).await.ok().flatten();
        let content = row.and_then(|row| row.try_get_by_index::<String>(0).ok());
        let version = content.and_then(|content| serde_json::from_str(&content).ok());
        return Ok(Standing::Newer(Newer { version, unknown: unknown.clone() }));
    }
    let missing: Vec<_> = known.into_iter().filter(|version| !applied.contains(version)).collect();
    Ok(if missing.is_empty() { Standing::Current } else { Standing::Older(missing) })
}

/// The names of all migrations that this program knows.
pub(super) fn known() -> Vec<String> {
    Migrator::migrations().iter().map(|migration| migration.name().to_owned()).collect()
}
