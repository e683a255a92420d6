//! Comparison of a database's schema with the result of its migrations: a view in the place of a table, or a foreign
//! trigger, can make rows say what was never written.

use std::collections::{BTreeMap, BTreeSet};

use flagstone_migrations::Migrator;
use sea_orm::{ConnectionTrait, Database, DatabaseBackend, Statement};
use sea_orm_migration::MigratorTrait;

use crate::{StoreError, backup, db::options, migrate::RECORD};

/// An element of a schema under one name: its kind, the table that it belongs to, and its definition.
type Part = (String, String, String);

/// Differences between the schema and the result of the migrations that the database has had, each as a sentence
/// without its end.
pub async fn differences(db: &impl ConnectionTrait) -> Result<Vec<String>, StoreError> {
    let applied = backup::texts(db, &format!("SELECT version FROM {RECORD}")).await?;
    let expected = made_by_migrations(u32::try_from(applied.len()).unwrap_or(u32::MAX)).await?;
    if db.get_database_backend() == DatabaseBackend::Postgres {
        return differences_on_postgres(db, &expected).await;
    }
    let found = parts(db).await?;
    let mut differences = Vec::new();
    for (name, part) in &expected {
        match found.get(name) {
            None => differences.push(format!("the {} {name} is missing", part.0)),
            Some(other) if other.0 != part.0 => {
                differences.push(format!("{name} is a {} and not a {}", other.0, part.0));
            }
            Some(other) if other != part => differences.push(format!("the {} {name} was made otherwise", part.0)),
            Some(_) => {}
        }
    }
    let foreign = found.iter().filter(|(name, _)| !expected.contains_key(*name));
    differences.extend(foreign.map(|(name, part)| match part.0.as_str() {
        "trigger" | "index" => format!("the {} {name} of {} is not of Flagstone", part.0, part.1),
        kind => format!("the {kind} {name} is not of Flagstone"),
    }));
    Ok(differences)
}

/// The schema that so many migrations make, on SQLite.
async fn made_by_migrations(count: u32) -> Result<BTreeMap<String, Part>, StoreError> {
    let empty = Database::connect(options::in_memory()).await?;
    Migrator::up(&empty, Some(count)).await?;
    let parts = parts(&empty).await?;
    empty.close().await?;
    Ok(parts)
}

async fn parts(db: &impl ConnectionTrait) -> Result<BTreeMap<String, Part>, StoreError> {
    // What SQLite keeps for itself has names of its own.
    let sql = "SELECT name, type, tbl_name, coalesce(sql, '') FROM sqlite_schema \
               WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'";
    let rows = db.query_all_raw(Statement::from_string(DatabaseBackend::Sqlite, sql)).await?;
    let mut parts = BTreeMap::new();
    for row in rows {
        let made: String = row.try_get_by_index(3)?;
        let made = made.split_whitespace().collect::<Vec<_>>().join(" ");
        parts.insert(row.try_get_by_index(0)?, (row.try_get_by_index(1)?, row.try_get_by_index(2)?, made));
    }
    Ok(parts)
}

/// Compares on PostgreSQL, not the definitions, but the kinds of tables and the triggers.
async fn differences_on_postgres(
    db: &impl ConnectionTrait,
    expected: &BTreeMap<String, Part>,
) -> Result<Vec<String>, StoreError> {
    let here = "relnamespace = current_schema()::regnamespace";
    let tables = format!("SELECT relname::text FROM pg_class WHERE relkind IN ('r', 'p') AND {here}");
    let tables: BTreeSet<String> = backup::texts(db, &tables).await?.into_iter().collect();
    // The index for full text is a table on SQLite alone.
    let wanted = expected.iter().filter(|(name, part)| part.0 == "table" && !name.contains("fts"));
    let missing = wanted.filter(|(name, _)| !tables.contains(*name));
    let mut differences: Vec<String> = missing.map(|(name, _)| format!("{name} is no table")).collect();
    let triggers = format!(
        "SELECT 'the trigger ' || tgname || ' of ' || relname || ' is not of Flagstone' FROM pg_trigger \
         INNER JOIN pg_class ON pg_class.oid = tgrelid WHERE NOT tgisinternal AND {here} ORDER BY 1"
    );
    differences.extend(backup::texts(db, &triggers).await?);
    let rules = "SELECT 'the rule ' || rulename || ' of ' || tablename || ' is not of Flagstone' FROM pg_rules \
                 WHERE schemaname = current_schema() ORDER BY 1";
    differences.extend(backup::texts(db, rules).await?);
    Ok(differences)
}
