//! Copies of a running SQLite database, and what shows that a database is whole.

use std::{
    collections::BTreeMap,
    path::Path,
    time::{Duration, Instant},
};

use sea_orm::{ConnectionTrait, DatabaseBackend, DbErr, QueryResult, Statement};

use crate::{StoreError, db::Db, migrate::RECORD};

/// Longest wait of changes for a copy to begin, so that what it holds can be counted.
const BEGINNING: Duration = Duration::from_secs(5);
/// Interval between checks whether the copy has begun.
const LOOK: Duration = Duration::from_millis(1);
/// Faults that a check names, at most.
const FAULTS: usize = 10;

/// Rows of each table.
pub type Counts = BTreeMap<String, u64>;

/// Writes a consistent copy of a SQLite database into a file, which must be empty or not exist. The server may go on
/// writing meanwhile. Returns the rows of each table as they were at the moment of the copy; nothing where the disk was
/// so slow that changes would have had to wait for that.
pub async fn copy_into(db: &Db, file: &Path) -> Result<Option<Counts>, StoreError> {
    let upkeep = db.upkeep();
    if upkeep.get_database_backend() != DatabaseBackend::Sqlite {
        let reason = "only SQLite databases are copied here; use pg_dump for PostgreSQL";
        return Err(DbErr::Custom(reason.to_owned()).into());
    }
    let Some(path) = file.to_str() else {
        return Err(DbErr::Custom("the name of the file is not UTF-8".to_owned()).into());
    };
    let copied = copy(db, path).await;
    // What the copy read needs no room until the next.
    upkeep.execute_unprepared("PRAGMA shrink_memory").await?;
    copied
}

async fn copy(db: &Db, path: &str) -> Result<Option<Counts>, StoreError> {
    // Two reads are of one moment only while no write can come between them.
    let nobody_writes = db.begin_exclusive().await?;
    nobody_writes.execute_unprepared("SELECT 1").await?;
    let snapshot = db.snapshot().await?;
    snapshot
        .query_one_raw(Statement::from_string(DatabaseBackend::Sqlite, "SELECT count(*) FROM sqlite_schema"))
        .await?;
    let statement = Statement::from_sql_and_values(DatabaseBackend::Sqlite, "VACUUM INTO ?", [path.into()]);
    let (copying, began) = (db.upkeep().execute_raw(statement), Instant::now());
    tokio::pin!(copying);
    let is_late = loop {
        tokio::select! {
            done = &mut copying => {
                done?;
                drop(nobody_writes);
                return Ok(Some(counts(&snapshot).await?));
            }
            () = tokio::time::sleep(LOOK) => {}
        }
        // The first page is written long after the copy has chosen its moment.
        if std::fs::metadata(path).is_ok_and(|file| file.len() > 0) {
            break false;
        }
        if began.elapsed() > BEGINNING {
            break true;
        }
    };
    drop(nobody_writes);
    copying.await?;
    if is_late { Ok(None) } else { Ok(Some(counts(&snapshot).await?)) }
}

/// The rows of each table that holds what people made.
pub async fn counts(db: &impl ConnectionTrait) -> Result<Counts, StoreError> {
    let tables = match db.get_database_backend() {
        DatabaseBackend::Postgres => {
            "SELECT relname::text FROM pg_class c WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace \
             AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e') ORDER BY relname"
        }
        _ => {
            "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' \
             AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name"
        }
    };
    let mut counts = Counts::new();
    for table in texts(db, tables).await?.into_iter().filter(|table| table != RECORD) {
        let sql = format!("SELECT count(*) FROM \"{}\"", table.replace('"', "\"\""));
        let row = db.query_one_raw(Statement::from_string(db.get_database_backend(), sql)).await?;
        let rows: i64 = row.ok_or_else(|| DbErr::RecordNotFound(table.clone()))?.try_get_by_index(0)?;
        counts.insert(table, u64::try_from(rows).unwrap_or_default());
    }
    Ok(counts)
}

/// Faults of a SQLite file, or of rows that refer to others; PostgreSQL sees to that itself.
pub async fn faults(db: &impl ConnectionTrait) -> Result<Vec<String>, StoreError> {
    if db.get_database_backend() != DatabaseBackend::Sqlite {
        return Ok(Vec::new());
    }
    let check = format!("PRAGMA integrity_check({FAULTS})");
    let mut faults: Vec<String> = texts(db, &check).await?.into_iter().filter(|line| line != "ok").collect();
    let dangling = "SELECT 'a row of ' || \"table\" || ' refers to none of ' || parent FROM pragma_foreign_key_check";
    faults.extend(texts(db, &format!("{dangling} LIMIT {FAULTS}")).await?);
    Ok(faults)
}

/// The first column of each row, as texts.
pub(super) async fn texts(db: &impl ConnectionTrait, sql: &str) -> Result<Vec<String>, StoreError> {
    let rows = db.query_all_raw(Statement::from_string(db.get_database_backend(), sql)).await?;
    let text = |row: &QueryResult| row.try_get_by_index(0);
    Ok(rows.iter().map(text).collect::<Result<_, DbErr>>()?)
}
