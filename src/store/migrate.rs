//! Brings a database to the schema that this program knows.

use flagstone_migrations::Migrator;
use sea_orm::{ConnectionTrait, DatabaseBackend, DbErr, TransactionTrait};
use sea_orm_migration::MigratorTrait;

use crate::store::{
    StoreError,
    db::{Db, advisory_lock::AdvisoryLock},
};

/// Applies the migrations that are missing. Refuses a database that a newer program has migrated.
#[expect(clippy::disallowed_methods, reason = "schema changes leave no events")]
pub async fn migrate(db: &Db) -> Result<(), StoreError> {
    let upkeep = db.upkeep();
    if upkeep.get_database_backend() == DatabaseBackend::Postgres {
        let tx = upkeep.begin().await?;
        let key = AdvisoryLock::Migration.key();
        tx.execute_unprepared(&format!("SET LOCAL lock_timeout = 0; SELECT pg_advisory_xact_lock({key})")).await?;
        refuse_newer(&tx).await?;
        Migrator::up(&tx, None).await?;
        tx.commit().await?;
    } else {
        refuse_newer(upkeep).await?;
        Migrator::up(upkeep, None).await?;
    }
    Ok(())
}

/// The names of all migrations that this program knows.
pub(super) fn known() -> Vec<String> {
    Migrator::migrations().iter().map(|migration| migration.name().to_owned()).collect()
}

async fn refuse_newer<C: ConnectionTrait>(connection: &C) -> Result<(), DbErr> {
    let known = known();
    Migrator::install(connection).await?;
    let applied = Migrator::get_migration_models(connection).await?;
    match applied.into_iter().find(|row| !known.contains(&row.version)) {
        Some(row) => Err(DbErr::Migration(format!(
            "this database was migrated by a newer version of Flagstone ({} is unknown here); upgrade the program",
            row.version
        ))),
        None => Ok(()),
    }
}
