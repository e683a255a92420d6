//! Users and makers of a project's features.

use flagstone_domain::user::display_name;
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, EntityTrait, FromQueryResult, QueryFilter, QueryOrder, QuerySelect,
    sea_query::{Expr, ExprTrait, Query, SelectStatement},
};

use crate::{
    StoreError,
    entity::{app_user, client_application, client_instance, client_metrics_daily, client_metrics_hourly, feature},
    features::figures::FeaturesOf,
};

/// Features of one type.
#[derive(Debug, Clone, PartialEq, Eq, FromQueryResult)]
pub struct TypeCount {
    /// Id of the type.
    pub kind: String,
    /// Features in use that are of it.
    pub total: i64,
}

/// The features in use of a project by their type, in the order of types.
pub async fn type_counts(db: &impl ConnectionTrait, project: &str) -> Result<Vec<TypeCount>, StoreError> {
    let query = Query::select()
        .expr_as(Expr::col(feature::Column::Type), "kind")
        .expr_as(feature::Column::Id.count(), "total")
        .from(feature::Entity)
        .and_where(feature::Column::Project.eq(project))
        .and_where(feature::Column::ArchivedAt.is_null())
        .add_group_by([Expr::col(feature::Column::Type)])
        .order_by(feature::Column::Type, sea_orm::Order::Asc)
        .to_owned();
    let rows = db.query_all(&query).await?;
    let rows: Result<Vec<_>, _> = rows.iter().map(|row| TypeCount::from_query_result(row, "")).collect();
    Ok(rows?)
}

/// The oldest feature in use of a project, and whether usage of any was ever reported.
pub async fn first_steps(db: &impl ConnectionTrait, project: &str) -> Result<(Option<String>, bool), StoreError> {
    let in_use = || {
        feature::Entity::find()
            .select_only()
            .column(feature::Column::Name)
            .filter(feature::Column::Project.eq(project))
            .filter(feature::Column::ArchivedAt.is_null())
    };
    let oldest = in_use()
        .order_by_asc(feature::Column::CreatedAt)
        .order_by_asc(feature::Column::Name)
        .into_tuple::<String>()
        .one(db)
        .await?;
    let used = in_use().filter(feature::Column::LastSeenAt.is_not_null()).into_tuple::<String>().one(db).await?;
    Ok((oldest, used.is_some()))
}

/// Maker of a feature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Maker {
    /// Id of the user.
    pub id: i64,
    /// Display name.
    pub name: String,
}

/// All makers of these features, archived ones included, by name, then id.
pub async fn makers(db: &impl ConnectionTrait, which: FeaturesOf<'_>) -> Result<Vec<Maker>, StoreError> {
    let made = Query::select()
        .column(feature::Column::CreatedByUserId)
        .from(feature::Entity)
        .and_where(which.condition())
        .to_owned();
    let rows = app_user::Entity::find().filter(app_user::Column::Id.in_subquery(made)).all(db).await?;
    let maker = |row: app_user::Model| Maker {
        id: row.id,
        name: display_name(row.name.as_deref(), row.username.as_deref(), row.email.as_deref()).to_owned(),
    };
    let mut makers: Vec<Maker> = rows.into_iter().map(maker).collect();
    makers.sort_unstable_by(|left, right| (&left.name, left.id).cmp(&(&right.name, right.id)));
    Ok(makers)
}

/// Names of the registered applications that reported usage of a feature of a project, sorted.
///
/// Asks for each application whether there is such a report, so that reports themselves are not read.
pub async fn applications(db: &impl ConnectionTrait, project: &str) -> Result<Vec<String>, StoreError> {
    let mut names: Vec<String> = client_application::Entity::find()
        .select_only()
        .column(client_application::Column::AppName)
        .filter(reports_from(project))
        .into_tuple()
        .all(db)
        .await?;
    names.sort_unstable();
    Ok(names)
}

fn reports_from(project: &str) -> Condition {
    use client_metrics_daily as daily;
    use client_metrics_hourly as hourly;
    let app = (client_application::Entity, client_application::Column::AppName);
    let by_day = features_of(project)
        .inner_join(
            daily::Entity,
            Expr::col((daily::Entity, daily::Column::FeatureName)).equals((feature::Entity, feature::Column::Name)),
        )
        .and_where(Expr::col((daily::Entity, daily::Column::AppName)).equals(app))
        .to_owned();
    let by_hour = features_of(project)
        .inner_join(
            hourly::Entity,
            Expr::col((hourly::Entity, hourly::Column::FeatureName)).equals((feature::Entity, feature::Column::Name)),
        )
        .and_where(Expr::col((hourly::Entity, hourly::Column::AppName)).equals(app))
        .to_owned();
    Condition::any().add(Expr::exists(by_day)).add(Expr::exists(by_hour))
}

fn features_of(project: &str) -> SelectStatement {
    Query::select()
        .expr(Expr::value(1))
        .from(feature::Entity)
        .and_where(Expr::col((feature::Entity, feature::Column::Project)).eq(project))
        .to_owned()
}

/// An instance (running copy) of an application.
#[derive(Debug, Clone, PartialEq, Eq, FromQueryResult)]
pub struct Instance {
    /// Name of the application.
    pub app_name: String,
    /// Name of the copy.
    pub instance_id: String,
    /// Environment that it runs in.
    pub environment: String,
    /// Name and version of its SDK.
    pub sdk_version: Option<String>,
}

/// The running copies of some applications, by application, then copy, then environment.
pub async fn instances(db: &impl ConnectionTrait, applications: &[String]) -> Result<Vec<Instance>, StoreError> {
    let rows = client_instance::Entity::find()
        .filter(client_instance::Column::AppName.is_in(applications))
        .order_by_asc(client_instance::Column::AppName)
        .order_by_asc(client_instance::Column::InstanceId)
        .order_by_asc(client_instance::Column::Environment)
        .into_model()
        .all(db)
        .await?;
    Ok(rows)
}

/// SDKs that the applications of a project use: pairs of SDK and application, each once, sorted.
pub async fn sdks(db: &impl ConnectionTrait, project: &str) -> Result<Vec<(String, String)>, StoreError> {
    let names = Query::select()
        .column((client_application::Entity, client_application::Column::AppName))
        .from(client_application::Entity)
        .cond_where(reports_from(project))
        .to_owned();
    sdks_of(db, client_instance::Column::AppName.in_subquery(names)).await
}

/// SDKs that applications use: pairs of SDK and application, each once, sorted. `which` chooses among the instances.
pub(crate) async fn sdks_of(db: &impl ConnectionTrait, which: Expr) -> Result<Vec<(String, String)>, StoreError> {
    let mut pairs: Vec<(String, String)> = client_instance::Entity::find()
        .select_only()
        .distinct()
        .column(client_instance::Column::SdkVersion)
        .column(client_instance::Column::AppName)
        .filter(client_instance::Column::SdkVersion.is_not_null())
        .filter(which)
        .into_tuple()
        .all(db)
        .await?;
    pairs.sort_unstable();
    Ok(pairs)
}
