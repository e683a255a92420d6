//! Copies of a running database.

use std::path::Path;

use sea_orm::{ConnectionTrait, DatabaseBackend, DbErr, Statement};

use crate::store::{StoreError, db::Db};

/// Writes a consistent copy of a SQLite database into a file, which must be empty or not exist. The server may go on
/// writing meanwhile.
pub async fn copy_into(db: &Db, file: &Path) -> Result<(), StoreError> {
    let upkeep = db.upkeep();
    if upkeep.get_database_backend() != DatabaseBackend::Sqlite {
        let reason = "only SQLite databases are copied here; use pg_dump for PostgreSQL";
        return Err(DbErr::Custom(reason.to_owned()).into());
    }
    let Some(path) = file.to_str() else {
        return Err(DbErr::Custom("the name of the file is not UTF-8".to_owned()).into());
    };
    let statement = Statement::from_sql_and_values(DatabaseBackend::Sqlite, "VACUUM INTO ?", [path.into()]);
    upkeep.execute_raw(statement).await?;
    Ok(())
}
