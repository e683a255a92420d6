//! Freeze windows of environments and of the instance.

use std::collections::BTreeSet;

use chrono_tz::Tz;
use flagstone_domain::{
    freeze_window::{Day, FreezeWindow, When, read_zone},
    time::Timestamp,
};
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, FromQueryResult, Iterable, PaginatorTrait,
    QueryFilter, QueryOrder, QuerySelect,
    sea_query::{Alias, Expr, Query, SelectStatement, UnionType},
};

use crate::{
    StoreError,
    change_requests::configuration::guarded_environments,
    db::{
        Tx,
        value::{json_column, to_json_column},
    },
    entity::{freeze_window, project_environment},
};

/// A freeze window with its id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredWindow {
    /// Unique id.
    pub id: i64,
    /// Its content.
    pub window: FreezeWindow,
}

/// Every window, by id.
pub async fn list(db: &impl ConnectionTrait) -> Result<Vec<StoredWindow>, StoreError> {
    let rows = freeze_window::Entity::find().order_by_asc(freeze_window::Column::Id).all(db).await?;
    Ok(rows.into_iter().map(stored).collect::<Result<_, DbErr>>()?)
}

/// Every window that is not over, by id.
pub async fn not_over(db: &impl ConnectionTrait, now: Timestamp) -> Result<Vec<FreezeWindow>, StoreError> {
    let rows =
        freeze_window::Entity::find().filter(is_not_over(now)).order_by_asc(freeze_window::Column::Id).all(db).await?;
    let windows = rows.into_iter().map(|row| stored(row).map(|stored| stored.window));
    Ok(windows.collect::<Result<_, DbErr>>()?)
}

fn is_not_over(now: Timestamp) -> Condition {
    Condition::any().add(freeze_window::Column::ToAt.is_null()).add(freeze_window::Column::ToAt.gt(now))
}

/// Obstacles to changes of a project in the environments that it uses.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Barriers {
    /// Names of the environments in which changes need approval, in alphabetical order.
    pub guarded: Vec<String>,
    /// Freeze windows that are not over, of these environments or of each, by id.
    pub windows: Vec<FreezeWindow>,
}

/// Column that has the name of a guarded environment, where the others have those of a window.
const GUARDED: &str = "guarded";

/// Reads the obstacles to changes of a project, in one statement.
pub async fn barriers(db: &impl ConnectionTrait, project: &str, now: Timestamp) -> Result<Barriers, StoreError> {
    let guarded = guarded_environments(project).exprs(freeze_window::Column::iter().map(|_| Expr::null())).take();
    let query = windows_of(project, now).union(UnionType::All, guarded).take();
    let mut barriers = Barriers::default();
    let mut windows = Vec::new();
    for row in db.query_all(&query).await? {
        match row.try_get("", GUARDED)? {
            Some(environment) => barriers.guarded.push(environment),
            None => windows.push(stored(freeze_window::Model::from_query_result(&row, "")?)?),
        }
    }
    barriers.guarded.sort_unstable();
    windows.sort_unstable_by_key(|window| window.id);
    barriers.windows = windows.into_iter().map(|stored| stored.window).collect();
    Ok(barriers)
}

fn windows_of(project: &str, now: Timestamp) -> SelectStatement {
    let used = Query::select()
        .column(project_environment::Column::Environment)
        .from(project_environment::Entity)
        .and_where(project_environment::Column::Project.eq(project))
        .take();
    let about = Condition::any()
        .add(freeze_window::Column::Environment.is_null())
        .add(freeze_window::Column::Environment.in_subquery(used));
    Query::select()
        .expr_as(Expr::null(), Alias::new(GUARDED))
        .columns(freeze_window::Column::iter().map(|column| (freeze_window::Entity, column)))
        .from(freeze_window::Entity)
        .cond_where(Condition::all().add(is_not_over(now)).add(about))
        .take()
}

/// Number of windows of an environment, or of the instance without one.
pub async fn count(db: &impl ConnectionTrait, environment: Option<&str>) -> Result<u64, StoreError> {
    let of = match environment {
        Some(environment) => freeze_window::Column::Environment.eq(environment),
        None => freeze_window::Column::Environment.is_null(),
    };
    Ok(freeze_window::Entity::find().filter(of).count(db).await?)
}

/// Returns the window with this id, locked until the transaction ends.
pub async fn hold(tx: &Tx, id: i64) -> Result<Option<StoredWindow>, StoreError> {
    let row = freeze_window::Entity::find_by_id(id).lock_exclusive().one(tx).await?;
    Ok(row.map(stored).transpose()?)
}

/// Stores a window, and returns its id.
pub async fn insert(tx: &Tx, window: &FreezeWindow, now: Timestamp) -> Result<i64, StoreError> {
    let row = freeze_window::ActiveModel { created_at: Set(now), ..row(window) };
    Ok(freeze_window::Entity::insert(row).exec_with_returning(tx).await?.id)
}

/// Writes the content of a window.
pub async fn save(tx: &Tx, stored: &StoredWindow) -> Result<(), StoreError> {
    freeze_window::Entity::update_many()
        .set(row(&stored.window))
        .filter(freeze_window::Column::Id.eq(stored.id))
        .exec(tx)
        .await?;
    Ok(())
}

/// Removes a window.
pub async fn delete(tx: &Tx, id: i64) -> Result<(), StoreError> {
    freeze_window::Entity::delete_by_id(id).exec(tx).await?;
    Ok(())
}

fn row(window: &FreezeWindow) -> freeze_window::ActiveModel {
    let times = match &window.when {
        When::Once { from, to, zone } => freeze_window::ActiveModel {
            from_at: Set(Some(*from)),
            to_at: Set(Some(*to)),
            days: Set(None),
            from_minute: Set(None),
            to_minute: Set(None),
            zone: Set(Some(zone.name().to_owned())),
            ..Default::default()
        },
        When::Weekly { days, from, to, zone } => freeze_window::ActiveModel {
            from_at: Set(None),
            to_at: Set(None),
            days: Set(Some(to_json_column(days))),
            from_minute: Set(Some(i64::from(*from))),
            to_minute: Set(Some(i64::from(*to))),
            zone: Set(Some(zone.name().to_owned())),
            ..Default::default()
        },
    };
    freeze_window::ActiveModel {
        environment: Set(window.environment.clone()),
        reason: Set(window.reason.clone()),
        exempt_roles: Set(to_json_column(&window.exempt_roles)),
        ..times
    }
}

fn stored(row: freeze_window::Model) -> Result<StoredWindow, DbErr> {
    let id = row.id;
    // A zone that this version does not know is a freeze at other hours rather than none.
    let zone = row.zone.as_deref().and_then(read_zone).unwrap_or(Tz::UTC);
    let when = match (row.from_at, row.to_at, row.days) {
        (Some(from), Some(to), _) => When::Once { from, to, zone },
        (_, _, Some(days)) => {
            let days: Vec<String> = json_column("freeze_window.days", &days)?;
            let minute = |minute: Option<i64>| minute.and_then(|minute| u16::try_from(minute).ok()).unwrap_or_default();
            When::Weekly {
                days: days.iter().filter_map(|day| Day::parse(day)).collect(),
                from: minute(row.from_minute),
                to: minute(row.to_minute),
                zone,
            }
        }
        _ => return Err(DbErr::Type(format!("freeze_window {id}: no times"))),
    };
    let exempt_roles: BTreeSet<i64> = json_column("freeze_window.exempt_roles", &row.exempt_roles)?;
    Ok(StoredWindow {
        id,
        window: FreezeWindow { environment: row.environment, when, reason: row.reason, exempt_roles },
    })
}
