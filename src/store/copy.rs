//! Copying the contents of a SQLite database into an empty PostgreSQL database of the same schema.

mod error;
mod row;
mod source;
mod table;
mod target;

use std::{collections::BTreeMap, path::Path};

pub use self::error::{CopyError, SourceSchema};
use self::{
    row::Sum,
    source::Source,
    table::Table,
    target::{DeferredIndex, Target},
};
use crate::{db::Db, migrate};

/// A table that came over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Copied {
    /// Its name.
    pub table: String,
    /// Its rows, on both sides.
    pub rows: u64,
    /// Checksum of their content, on both sides.
    pub checksum: u128,
}

/// Progress of a copy. A row counts when it is sent, when it is read back, and for each index and reference of its
/// table.
#[derive(Debug, Clone, Copy)]
pub enum Progress<'a> {
    /// The number of steps to come.
    Begins(u64),
    /// The next table, index or reference.
    At(&'a str),
    /// Further steps that were taken.
    Done(u64),
}

/// Copies all rows as they are at one moment, and keeps them only if they read the same from the target.
pub async fn everything(
    file: &Path,
    target_url: &str,
    progress: &dyn Fn(Progress<'_>),
) -> Result<Vec<Copied>, CopyError> {
    let mut source = Source::open(file).await?;
    let mut target = Target::connect(target_url).await?;
    target.refuse_others().await?;
    let db = Db::open(target_url).await.map_err(CopyError::Schema)?;
    let migrated = migrate::migrate(&db).await;
    db.close().await.map_err(CopyError::Schema)?;
    migrated.map_err(CopyError::Schema)?;
    let tables = target.begin().await?;
    table::compare(&source.columns().await?, &tables)?;
    target.empty(&tables).await?;
    let deferred = target.defer_indexes().await?;
    let mut rows = BTreeMap::new();
    for table in &tables {
        rows.insert(table.name.as_str(), source.count(table).await?);
    }
    let rows_for = |index: &DeferredIndex| rows.get(index.table.as_str()).copied().unwrap_or_default();
    progress(Progress::Begins(2 * rows.values().sum::<u64>() + deferred.iter().map(rows_for).sum::<u64>()));
    let mut copied = Vec::new();
    for table in &tables {
        progress(Progress::At(&table.name));
        let sum = carry(&mut source, &mut target, table, progress).await?;
        copied.push(Copied { table: table.name.clone(), rows: sum.rows, checksum: sum.checksum });
    }
    for index in &deferred {
        progress(Progress::At(&index.name));
        target.make_index(index).await?;
        progress(Progress::Done(rows_for(index)));
    }
    target.analyze(&tables).await?;
    target.commit().await?;
    Ok(copied)
}

async fn carry(
    source: &mut Source,
    target: &mut Target,
    table: &Table,
    progress: &dyn Fn(Progress<'_>),
) -> Result<Sum, CopyError> {
    let told = |rows| progress(Progress::Done(rows));
    let sent = target.load(table, source.rows(table), &told).await?;
    let kept = target.read_back(table, &told).await?;
    if sent != kept {
        return Err(CopyError::Differs(table.name.clone()));
    }
    for column in &table.columns {
        if let Some(sequence) = &column.sequence {
            let last = source.last_number(table, column).await?;
            target.continue_after(sequence, last).await?;
        }
    }
    Ok(sent)
}
