//! Overview of an application: its environments, and problems with the features that it asks for.

use std::collections::{BTreeMap, BTreeSet};

use flagstone_domain::{ids::EnvironmentName, time::Timestamp, visibility::Visibility};
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
    sea_query::{Expr, ExprTrait, JoinType, Query, UnionType},
};

use crate::{
    StoreError,
    db::batches::ASKED_AT_ONCE,
    entity::{client_instance, client_metrics_daily, client_metrics_hourly, event, feature, strategy_type},
};

/// Running copies that an answer shows at most.
const MOST_INSTANCES: u64 = 1000;

/// An application in one environment.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Place {
    /// Running copies.
    pub instances: i64,
    /// Names and versions of their SDKs.
    pub sdks: BTreeSet<String>,
    /// When one of them was last heard of.
    pub last_seen_at: Option<Timestamp>,
}

/// Environments in which an application runs, by name.
pub async fn places(db: &impl ConnectionTrait, name: &str) -> Result<BTreeMap<String, Place>, StoreError> {
    type Row = (String, Option<String>, i64, Option<Timestamp>);
    let rows: Vec<Row> = client_instance::Entity::find()
        .select_only()
        .column(client_instance::Column::Environment)
        .column(client_instance::Column::SdkVersion)
        .column_as(client_instance::Column::InstanceId.count(), "instances")
        .column_as(client_instance::Column::LastSeenAt.max(), "last_seen_at")
        .filter(client_instance::Column::AppName.eq(name))
        .group_by(client_instance::Column::Environment)
        .group_by(client_instance::Column::SdkVersion)
        .into_tuple()
        .all(db)
        .await?;
    let mut places: BTreeMap<String, Place> = BTreeMap::new();
    for (environment, sdk, instances, last_seen_at) in rows {
        let place = places.entry(environment).or_default();
        place.instances += instances;
        place.sdks.extend(sdk);
        place.last_seen_at = std::cmp::Ord::max(place.last_seen_at, last_seen_at);
    }
    Ok(places)
}

/// A feature that an application asked for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Asked {
    /// Environment it asked in.
    pub environment: String,
    /// Name of the feature.
    pub feature: String,
    /// Project of the feature; `None` when there is no such feature.
    pub project: Option<String>,
}

/// Features that an application asked for, as far as they are visible, by environment, then name.
pub async fn asked(db: &impl ConnectionTrait, name: &str, visibility: &Visibility) -> Result<Vec<Asked>, StoreError> {
    let hourly = Query::select()
        .columns([client_metrics_hourly::Column::Environment, client_metrics_hourly::Column::FeatureName])
        .from(client_metrics_hourly::Entity)
        .and_where(client_metrics_hourly::Column::AppName.eq(name))
        .to_owned();
    let daily = Query::select()
        .columns([client_metrics_daily::Column::Environment, client_metrics_daily::Column::FeatureName])
        .from(client_metrics_daily::Entity)
        .and_where(client_metrics_daily::Column::AppName.eq(name))
        .to_owned();
    let query = Query::select()
        .column(("reported", client_metrics_hourly::Column::Environment))
        .column(("reported", client_metrics_hourly::Column::FeatureName))
        .column((feature::Entity, feature::Column::Project))
        .from_subquery(hourly.clone().union(UnionType::Distinct, daily).to_owned(), "reported")
        .join(
            JoinType::LeftJoin,
            feature::Entity,
            Expr::col((feature::Entity, feature::Column::Name))
                .equals(("reported", client_metrics_hourly::Column::FeatureName)),
        )
        .to_owned();
    let rows = db.query_all(&query).await?;
    let read = |row: &sea_orm::QueryResult| {
        Ok(Asked {
            environment: row.try_get_by_index(0)?,
            feature: row.try_get_by_index(1)?,
            project: row.try_get_by_index(2)?,
        })
    };
    let mut asked: Vec<Asked> = rows.iter().map(read).collect::<Result<_, sea_orm::DbErr>>()?;
    let missing: BTreeSet<&str> = asked.iter().filter(|one| one.project.is_none()).map(|one| &*one.feature).collect();
    let unspoken = once_hidden(db, &missing, visibility).await?;
    asked.retain(|one| match &one.project {
        Some(project) => visibility.admits(project),
        None => !unspoken.contains(&one.feature),
    });
    // Here and not in the statement, because databases differ in how they sort text.
    asked.sort_unstable();
    Ok(asked)
}

/// Returns those of these names that features of hidden projects had once.
async fn once_hidden(
    db: &impl ConnectionTrait,
    names: &BTreeSet<&str>,
    visibility: &Visibility,
) -> Result<BTreeSet<String>, StoreError> {
    let mut found = BTreeSet::new();
    if visibility.hidden_projects.is_empty() {
        return Ok(found);
    }
    let names: Vec<&str> = names.iter().copied().collect();
    for batch in names.chunks(ASKED_AT_ONCE) {
        let told: Vec<String> = event::Entity::find()
            .select_only()
            .column(event::Column::FeatureName)
            .distinct()
            .filter(event::Column::FeatureName.is_in(batch.iter().copied()))
            .filter(event::Column::Project.is_in(&visibility.hidden_projects))
            .into_tuple()
            .all(db)
            .await?;
        found.extend(told);
    }
    Ok(found)
}

/// Returns the named strategy types that do not exist, in their order.
pub async fn missing_strategies(db: &impl ConnectionTrait, names: &[String]) -> Result<Vec<String>, StoreError> {
    let known: Vec<String> =
        strategy_type::Entity::find().select_only().column(strategy_type::Column::Name).into_tuple().all(db).await?;
    Ok(names.iter().filter(|name| !known.contains(name)).cloned().collect())
}

/// An instance (running copy) of an application.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instance {
    /// Its id.
    pub id: String,
    /// Name and version of its SDK.
    pub sdk_version: Option<String>,
    /// When it last reported.
    pub last_seen_at: Timestamp,
}

/// The running copies of an application in an environment, those heard of last first: at most 1000.
pub async fn instances(
    db: &impl ConnectionTrait,
    application: &str,
    environment: EnvironmentName<'_>,
) -> Result<Vec<Instance>, StoreError> {
    let rows = client_instance::Entity::find()
        .filter(client_instance::Column::AppName.eq(application))
        .filter(client_instance::Column::Environment.eq(environment.as_str()))
        .order_by_desc(client_instance::Column::LastSeenAt)
        .order_by_asc(client_instance::Column::InstanceId)
        .limit(MOST_INSTANCES)
        .all(db)
        .await?;
    let read = |row: client_instance::Model| Instance {
        id: row.instance_id,
        sdk_version: row.sdk_version,
        last_seen_at: row.last_seen_at,
    };
    Ok(rows.into_iter().map(read).collect())
}
