//! The hashes of events, in the order of the events, as far as they have been made.

use flagstone_domain::{
    event_chain::{Hash, Link, Page},
    stored_event::StoredEvent,
    time::Timestamp,
};
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, ConnectionTrait, DatabaseBackend, DbErr, EntityTrait, QueryFilter, QueryOrder, QueryResult,
    QuerySelect, Statement, Value,
    sea_query::{Expr, Query, SqliteQueryBuilder},
};

use crate::{
    StoreError,
    db::{Tx, advisory_lock::AdvisoryLock, packed},
    entity::{event, event_hash},
    events::checkpoints,
};

/// Lists the columns of an event, each with the property that it becomes and the type that it has on SQLite.
macro_rules! columns {
    ($($property:ident: $type:ty = $column:literal as $kind:literal),+ $(,)?) => {
        packed::row! {
            struct EventRow {
                // The casts keep a value of another type, which only a foreign program can have stored, from ending the
                // whole answer.
                $($property: $type => Expr::cust(concat!("CAST(", $column, " AS ", $kind, ")"))),+
            }
        }

        impl From<EventRow> for StoredEvent {
            fn from(row: EventRow) -> Self {
                Self { $($property: row.$property),+ }
            }
        }

        /// The columns of an event in a row of PostgreSQL, which begins with them.
        const COLUMNS: &[&str] = &[$($column),+];

        /// Reads an event from a row that begins with [`COLUMNS`].
        fn event(row: &QueryResult) -> Result<StoredEvent, DbErr> {
            let mut columns = 0..COLUMNS.len();
            Ok(StoredEvent { $($property: row.try_get_by_index(columns.next().unwrap_or_default())?),+ })
        }
    };
}

columns! {
    id: i64 = "id" as "integer",
    created_at: Timestamp = "created_at" as "integer",
    kind: String = "type" as "text",
    created_by: String = "created_by" as "text",
    created_by_user_id: Option<i64> = "created_by_user_id" as "integer",
    environment: Option<String> = "environment" as "text",
    project: Option<String> = "project" as "text",
    feature_name: Option<String> = "feature_name" as "text",
    data: Option<String> = "data" as "text",
    pre_data: Option<String> = "pre_data" as "text",
    tags: String = "tags" as "text",
    reason: Option<String> = "reason" as "text",
}

packed::row! {
    struct HashRow {
        event_id: i64 => Expr::cust("event_id"),
        hash: String => Expr::cust("hex(hash)"),
    }
}

impl HashRow {
    /// Link of the row; a text that is no hash becomes one that no event has.
    fn link(self) -> Link {
        Link { event_id: self.event_id, hash: Hash::parse(&self.hash).unwrap_or(Hash::BEGINNING) }
    }
}

/// A full page ends at its last event, and one that is not full at the end that was asked for.
const PAGE: &str = "WITH page(up_to) AS MATERIALIZED (SELECT coalesce((SELECT id FROM event \
     WHERE id > $1 AND id <= $2 ORDER BY id LIMIT 1 OFFSET $3), $2))";
const EVENTS: &str = "FROM event WHERE id > $1 AND id <= (SELECT up_to FROM page)";
const HASHES: &str = "SELECT event_id, hash FROM event_hash \
     WHERE event_id > $1 AND event_id <= (SELECT up_to FROM page) ORDER BY event_id LIMIT $4";

/// The events after one, up to another, oldest first, with the hashes that they have; at one moment.
///
/// Where a hash has no event, it stands among those of the events around it; after the last event of the page come as
/// many as there are, but not more than `limit`.
pub async fn page(db: &impl ConnectionTrait, after: i64, up_to: i64, limit: u64) -> Result<Page, StoreError> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let values = [after.into(), up_to.into(), (limit - 1).into(), limit.saturating_add(1).into()];
    let mut page = match db.get_database_backend() {
        DatabaseBackend::Postgres => page_in_rows(db, values).await,
        _ => page_in_one_row(db, values).await,
    }?;
    page.events.sort_unstable_by_key(|event| event.id);
    page.links.sort_unstable_by_key(|link| link.event_id);
    Ok(page)
}

/// Making and reading JSON takes PostgreSQL and us longer than rows do.
async fn page_in_rows(db: &impl ConnectionTrait, values: [Value; 4]) -> Result<Page, StoreError> {
    let columns = COLUMNS.join(", ");
    let sql = format!(
        "{PAGE} SELECT * FROM (SELECT {columns} {EVENTS}) AS events FULL JOIN ({HASHES}) AS hashes ON event_id = id"
    );
    let rows = db.query_all_raw(Statement::from_sql_and_values(DatabaseBackend::Postgres, sql, values)).await?;
    let mut page = Page { events: Vec::with_capacity(rows.len()), links: Vec::with_capacity(rows.len()) };
    for row in rows {
        // Its id comes first.
        if row.try_get_by_index::<Option<i64>>(0)?.is_some() {
            page.events.push(event(&row)?);
        }
        if let Some(event_id) = row.try_get_by_index(COLUMNS.len())? {
            page.links.push(Link { event_id, hash: hash(&row.try_get_by_index::<Vec<u8>>(COLUMNS.len() + 1)?) });
        }
    }
    Ok(page)
}

/// A row of SQLite costs a change of threads.
async fn page_in_one_row(db: &impl ConnectionTrait, values: [Value; 4]) -> Result<Page, StoreError> {
    let (events, hashes) = (selected::<EventRow>(), selected::<HashRow>());
    let sql = format!("{PAGE} SELECT ({events} {EVENTS}), ({hashes} FROM ({HASHES}) AS hashes)");
    let row = db.query_one_raw(Statement::from_sql_and_values(DatabaseBackend::Sqlite, sql, values)).await?;
    let row = row.ok_or_else(|| DbErr::RecordNotFound("page".to_owned()))?;
    let events: Vec<EventRow> = packed::list(&row, 0)?;
    let hashes: Vec<HashRow> = packed::list(&row, 1)?;
    Ok(Page {
        events: events.into_iter().map(StoredEvent::from).collect(),
        links: hashes.into_iter().map(HashRow::link).collect(),
    })
}

/// The beginning of a statement that selects packed rows.
fn selected<R: packed::Row>() -> String {
    Query::select().expr(packed::inner_rows::<R>(DatabaseBackend::Sqlite)).to_string(SqliteQueryBuilder)
}

/// Head of the chain: the last event that has a hash, or the place where retention made it begin.
pub async fn head(db: &impl ConnectionTrait) -> Result<Link, StoreError> {
    match event_hash::Entity::find().order_by_desc(event_hash::Column::EventId).one(db).await? {
        Some(row) => Ok(link(&row)),
        None => Ok(checkpoints::beginning(db).await?.map_or(Link::BEGINNING, |(link, _)| link)),
    }
}

/// The last place of the chain that is not behind an event, if there is one.
pub async fn place(db: &impl ConnectionTrait, event_id: i64) -> Result<Option<Link>, StoreError> {
    let before = event_hash::Entity::find().filter(event_hash::Column::EventId.lte(event_id));
    let row = before.order_by_desc(event_hash::Column::EventId).limit(1).one(db).await?;
    Ok(row.as_ref().map(link))
}

/// The first event after one, and when it happened.
pub async fn first_after(db: &impl ConnectionTrait, event_id: i64) -> Result<Option<(i64, Timestamp)>, StoreError> {
    let later = event::Entity::find().filter(event::Column::Id.gt(event_id)).order_by_asc(event::Column::Id);
    let columns = later.select_only().columns([event::Column::Id, event::Column::CreatedAt]);
    Ok(columns.limit(1).into_tuple().one(db).await?)
}

fn link(row: &event_hash::Model) -> Link {
    Link { event_id: row.event_id, hash: hash(&row.hash) }
}

/// Hash of the bytes; for bytes that are none, one that no event has.
fn hash(bytes: &[u8]) -> Hash {
    Hash::of_bytes(bytes).unwrap_or(Hash::BEGINNING)
}

/// Adds to the chain, unless it does not end at `head` any more. Returns whether it was added to.
pub async fn append(tx: &Tx, from: Link, links: &[Link]) -> Result<bool, StoreError> {
    tx.lock_on_postgres(AdvisoryLock::EventChain).await?;
    if head(tx).await? != from {
        return Ok(false);
    }
    let rows = links
        .iter()
        .map(|link| event_hash::ActiveModel { event_id: Set(link.event_id), hash: Set(link.hash.bytes().to_vec()) });
    event_hash::Entity::insert_many(rows).exec_without_returning(tx).await?;
    Ok(true)
}

/// Extent of the log and of its chain.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Reach {
    /// Id of the first event; 0 for an empty log.
    pub first: i64,
    /// Id of the newest event; 0 for an empty log.
    pub newest: i64,
    /// Id of the last event that has a hash; 0 without one.
    pub hashed: i64,
}

/// Returns the extent of the log and of its chain, at one moment.
pub async fn reach(db: &impl ConnectionTrait) -> Result<Reach, StoreError> {
    let sql = "SELECT (SELECT min(id) FROM event), (SELECT max(id) FROM event), (SELECT max(event_id) FROM event_hash)";
    let row = db.query_one_raw(Statement::from_string(db.get_database_backend(), sql)).await?;
    let row = row.ok_or_else(|| DbErr::RecordNotFound("reach".to_owned()))?;
    let id = |column: usize| row.try_get_by_index::<Option<i64>>(column).map(Option::unwrap_or_default);
    Ok(Reach { first: id(0)?, newest: id(1)?, hashed: id(2)? })
}
