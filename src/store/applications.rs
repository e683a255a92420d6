//! Programs that ask for features, as they registered.

pub mod overview;

use std::collections::{BTreeMap, BTreeSet};

use flagstone_domain::{
    application::Application,
    filter::{Page, SortOrder},
    time::Timestamp,
    token::ALL,
    visibility::Visibility,
};
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, Condition, ConnectionTrait, DatabaseBackend, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder,
    QuerySelect, QueryTrait,
    sea_query::{Alias, Expr, ExprTrait, Func, LockType, Query, SelectStatement, UnionType},
};

use crate::{
    StoreError,
    db::{
        Tx,
        value::{json_column, to_json_column},
    },
    entity::{
        client_application, client_application_project, client_instance, client_metrics_daily, client_metrics_hourly,
        feature,
    },
    projects::usage::sdks_of,
    visibility::not_hidden,
};

impl TryFrom<client_application::Model> for Application {
    type Error = StoreError;

    fn try_from(row: client_application::Model) -> Result<Self, StoreError> {
        Ok(Self {
            name: row.app_name,
            description: row.description,
            url: row.url,
            color: row.color,
            icon: row.icon,
            strategies: json_column("client_application.strategies", &row.strategies)?,
            created_at: row.created_at,
            seen_at: row.seen_at,
        })
    }
}

/// The environments in which an application asked for features of projects, by project.
pub type Usage = BTreeMap<String, BTreeSet<String>>;

/// A page of the applications whose name holds a text, whatever the case, by name; and how many there are.
pub async fn list(
    db: &impl ConnectionTrait,
    part: &str,
    order: SortOrder,
    page: Page,
    visibility: &Visibility,
) -> Result<(Vec<Application>, u64), StoreError> {
    let mut condition = Condition::all().add(visible(visibility));
    if !part.is_empty() {
        condition = condition.add(holds(db.get_database_backend(), part));
    }
    let matching = client_application::Entity::find().filter(condition);
    let total = matching.clone().count(db).await?;
    let by_name = match order {
        SortOrder::Ascending => matching.order_by_asc(client_application::Column::AppName),
        SortOrder::Descending => matching.order_by_desc(client_application::Column::AppName),
    };
    let rows = by_name.offset(page.offset).limit(page.limit).all(db).await?;
    let applications: Result<Vec<_>, _> = rows.into_iter().map(Application::try_from).collect();
    Ok((applications?, total))
}

fn holds(backend: DatabaseBackend, part: &str) -> Expr {
    let place = if backend == DatabaseBackend::Postgres { "strpos" } else { "instr" };
    let name = Func::lower(Expr::col(client_application::Column::AppName));
    Expr::expr(Func::cust(Alias::new(place)).arg(Expr::expr(name)).arg(part.to_lowercase())).gt(0)
}

/// The application with this name.
pub async fn find(
    db: &impl ConnectionTrait,
    name: &str,
    visibility: &Visibility,
) -> Result<Option<Application>, StoreError> {
    let row = client_application::Entity::find_by_id(name).filter(visible(visibility)).one(db).await?;
    row.map(Application::try_from).transpose()
}

/// SDKs of the applications that may be seen: pairs of SDK and application, each once, sorted.
pub async fn sdks(db: &impl ConnectionTrait, visibility: &Visibility) -> Result<Vec<(String, String)>, StoreError> {
    let names = client_application::Entity::find()
        .select_only()
        .column(client_application::Column::AppName)
        .filter(visible(visibility));
    sdks_of(db, client_instance::Column::AppName.in_subquery(names.into_query())).await
}

/// The application with this name, held until the transaction ends.
pub async fn hold(tx: &Tx, name: &str) -> Result<Option<Application>, StoreError> {
    let row = client_application::Entity::find_by_id(name).lock(LockType::Update).one(tx).await?;
    row.map(Application::try_from).transpose()
}

/// Stores an application in the place of one of the same name.
pub async fn put(tx: &Tx, application: &Application, by: &str, now: Timestamp) -> Result<(), StoreError> {
    use client_application::Column;
    let row = client_application::ActiveModel {
        app_name: Set(application.name.clone()),
        description: Set(application.description.clone()),
        url: Set(application.url.clone()),
        color: Set(application.color.clone()),
        icon: Set(application.icon.clone()),
        strategies: Set(to_json_column(&application.strategies)),
        created_by: Set(Some(by.to_owned())),
        created_at: Set(application.created_at),
        updated_at: Set(now),
        seen_at: Set(application.seen_at),
    };
    let changed =
        [Column::Description, Column::Url, Column::Color, Column::Icon, Column::Strategies, Column::UpdatedAt];
    let on_conflict = sea_orm::sea_query::OnConflict::column(Column::AppName).update_columns(changed).to_owned();
    client_application::Entity::insert(row).on_conflict(on_conflict).exec_without_returning(tx).await?;
    Ok(())
}

/// Forgets an application and its running copies; what it reported about features stays.
pub async fn remove(tx: &Tx, name: &str) -> Result<(), StoreError> {
    client_application::Entity::delete_by_id(name).exec(tx).await?;
    Ok(())
}

/// Notes that an application is visible to all users: it was registered by hand.
pub async fn open(tx: &Tx, name: &str) -> Result<(), StoreError> {
    let row = client_application_project::ActiveModel { app_name: Set(name.to_owned()), project: Set(ALL.to_owned()) };
    client_application_project::Entity::insert(row).on_conflict_do_nothing().exec_without_returning(tx).await?;
    Ok(())
}

/// Features that applications asked for, as far as they are visible to the caller, by application.
pub async fn usage(
    db: &impl ConnectionTrait,
    names: &[&str],
    visibility: &Visibility,
) -> Result<BTreeMap<String, Usage>, StoreError> {
    let mut usage: BTreeMap<String, Usage> = BTreeMap::new();
    if names.is_empty() {
        return Ok(usage);
    }
    let query = reported(|column| Expr::col(column).is_in(names.iter().copied()))
        .cond_where(not_hidden(feature::Column::Project.into_expr(), visibility))
        .distinct()
        .column(("reported", client_metrics_hourly::Column::AppName))
        .column((feature::Entity, feature::Column::Project))
        .column(("reported", client_metrics_hourly::Column::Environment))
        .to_owned();
    for row in db.query_all(&query).await? {
        let (name, project, environment) =
            (row.try_get_by_index(0)?, row.try_get_by_index(1)?, row.try_get_by_index(2)?);
        usage.entry(name).or_default().entry(project).or_default().insert(environment);
    }
    Ok(usage)
}

/// Reports about features that exist, without columns yet. Those of days that have been added up are there twice.
fn reported(of_application: impl Fn(&'static str) -> Expr) -> SelectStatement {
    let hourly = Query::select()
        .columns([
            client_metrics_hourly::Column::FeatureName,
            client_metrics_hourly::Column::AppName,
            client_metrics_hourly::Column::Environment,
        ])
        .from(client_metrics_hourly::Entity)
        .and_where(of_application("app_name"))
        .to_owned();
    let daily = Query::select()
        .columns([
            client_metrics_daily::Column::FeatureName,
            client_metrics_daily::Column::AppName,
            client_metrics_daily::Column::Environment,
        ])
        .from(client_metrics_daily::Entity)
        .and_where(of_application("app_name"))
        .to_owned();
    Query::select()
        .from_subquery(hourly.clone().union(UnionType::Distinct, daily).to_owned(), "reported")
        .inner_join(
            feature::Entity,
            Expr::col((feature::Entity, feature::Column::Name))
                .equals(("reported", client_metrics_hourly::Column::FeatureName)),
        )
        .to_owned()
}

/// An application appears to those who see a project whose features it asked for, or that its token reaches. One whose
/// token reaches all projects, and that asked for nothing yet, appears to those alone from whom nothing is hidden.
fn visible(visibility: &Visibility) -> Condition {
    if visibility.hidden_projects.is_empty() {
        return Condition::all();
    }
    let mut users = reported(|_| Expr::value(1).eq(1));
    users
        .column(("reported", client_metrics_hourly::Column::AppName))
        .cond_where(not_hidden(feature::Column::Project.into_expr(), visibility));
    let known = Query::select()
        .column(client_application_project::Column::AppName)
        .from(client_application_project::Entity)
        .cond_where(not_hidden(client_application_project::Column::Project.into_expr(), visibility))
        .to_owned();
    let name = || Expr::col((client_application::Entity, client_application::Column::AppName));
    Condition::any().add(name().in_subquery(users)).add(name().in_subquery(known))
}
