//! Names of features that programs ask for and that their tokens do not reach.

use std::collections::{BTreeMap, BTreeSet};

use flagstone_domain::{
    time::Timestamp,
    unknown_flag::{Asked, UnknownFlag},
    visibility::Visibility,
};
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
    sea_query::{Query, SelectStatement},
};
use serde_json::json;

use super::usage::{Bounds, execute, greatest, number, rows, text};
use crate::{
    StoreError,
    db::Tx,
    entity::{event, feature, unknown_flag},
    events::visibility::visible,
};

/// When an application last asked for a feature that its token does not reach.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    /// The feature, and who asked.
    pub flag: UnknownFlag,
    /// When.
    pub at: Timestamp,
}

/// Writes when they were last asked for. Beyond the bound new ones are not kept.
pub(super) async fn write(tx: &Tx, seen: &BTreeMap<UnknownFlag, Timestamp>, bounds: Bounds) -> Result<(), StoreError> {
    let given: Vec<_> = seen
        .iter()
        .map(|(flag, at)| json!([flag.feature, flag.application, flag.environment, flag.asked.stored(), at.millis()]))
        .collect();
    let [feature, application, environment, projects] = [0, 1, 2, 3].map(text);
    let (rows, at, most) = (rows(tx), number(4), bounds.unknown_flags);
    let seen_at = greatest(tx, "unknown_flag.seen_at", "excluded.seen_at");
    let sql = format!(
        "INSERT INTO unknown_flag (feature_name, app_name, environment, projects, seen_at) \
         SELECT {feature}, {application}, {environment}, {projects}, {at} FROM {rows} \
         WHERE (SELECT count(*) FROM unknown_flag) < {most} \
         OR EXISTS (SELECT 1 FROM unknown_flag AS known WHERE known.feature_name = {feature} \
         AND known.app_name = {application} AND known.environment = {environment} AND known.projects = {projects}) \
         ON CONFLICT (feature_name, app_name, environment, projects) \
         DO UPDATE SET seen_at = {seen_at}"
    );
    execute(tx, &sql, &given, vec![]).await
}

/// Forgets what was last asked for before `since`.
pub async fn forget(tx: &Tx, since: Timestamp) -> Result<(), StoreError> {
    unknown_flag::Entity::delete_many().filter(unknown_flag::Column::SeenAt.lt(since)).exec(tx).await?;
    Ok(())
}

/// Visible unknown flags that have not been created since, latest first.
pub async fn list(db: &impl ConnectionTrait, visibility: &Visibility) -> Result<Vec<Seen>, StoreError> {
    use unknown_flag::Column::{AppName, Environment, FeatureName, Projects, SeenAt};
    let mut query = unknown_flag::Entity::find().order_by_desc(SeenAt);
    for column in [FeatureName, AppName, Environment, Projects] {
        query = query.order_by_asc(column);
    }
    let found = query.all(db).await?;
    let created = created(db).await?;
    let seen = found.into_iter().map(|row| Seen {
        flag: UnknownFlag {
            feature: row.feature_name,
            application: row.app_name,
            environment: row.environment,
            asked: Asked::parse(&row.projects),
        },
        at: row.seen_at,
    });
    let is_unknown = |flag: &UnknownFlag| {
        flag.asked.is_seen_by(visibility)
            && created.get(&flag.feature).is_none_or(|project| !flag.asked.reaches(project))
    };
    Ok(seen.filter(|seen| is_unknown(&seen.flag)).collect())
}

/// Projects of the features that have been created since, by name.
async fn created(db: &impl ConnectionTrait) -> Result<BTreeMap<String, String>, StoreError> {
    let features = feature::Entity::find()
        .select_only()
        .columns([feature::Column::Name, feature::Column::Project])
        .filter(feature::Column::Name.in_subquery(names()));
    let features: Vec<(String, String)> = features.into_tuple().all(db).await?;
    Ok(features.into_iter().collect())
}

/// The names that are kept.
fn names() -> SelectStatement {
    Query::select().distinct().column(unknown_flag::Column::FeatureName).from(unknown_flag::Entity).to_owned()
}

/// Times of the last visible events of features.
pub async fn last_events(
    db: &impl ConnectionTrait,
    features: &BTreeSet<&str>,
    visibility: &Visibility,
) -> Result<BTreeMap<String, Timestamp>, StoreError> {
    let query = event::Entity::find()
        .select_only()
        .column(event::Column::FeatureName)
        .column_as(event::Column::CreatedAt.max(), "at")
        .filter(event::Column::FeatureName.in_subquery(names()))
        .filter(visible(visibility))
        .group_by(event::Column::FeatureName);
    let rows: Vec<(String, Timestamp)> = query.into_tuple().all(db).await?;
    Ok(rows.into_iter().filter(|(name, _)| features.contains(name.as_str())).collect())
}
