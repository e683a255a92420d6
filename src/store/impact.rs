//! Reach of changes: features that they concern, and how much those are used.

use std::collections::{BTreeMap, BTreeSet};

use flagstone_domain::{
    impact::{ApplicationUsage, Concerned, MOST_FEATURES, Reach},
    time::Timestamp,
};
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect, QueryTrait, sea_query::Expr,
};

use crate::{
    StoreError,
    db::listed,
    entity::{client_metrics_hourly, feature, feature_dependency, strategy_segment},
};

/// The features of a project that are concerned by changes of features and segments: these, the ones that apply the
/// segments, and the ones that depend on any of them. In five statements at most.
pub async fn reach(
    db: &impl ConnectionTrait,
    project: &str,
    targets: &BTreeSet<String>,
    parents: &BTreeSet<String>,
    segments: &[i64],
) -> Result<Reach, StoreError> {
    let backend = db.get_database_backend();
    let in_use = || feature::Entity::find().filter(feature::Column::ArchivedAt.is_null());
    let pair = |row: feature::Model| (row.id, row.name);

    let named = listed::texts(backend, targets.iter().map(String::as_str));
    let rows = in_use().filter(feature::Column::Name.in_subquery(named)).all(db).await?;
    let mut concerned: BTreeMap<i64, String> = rows.into_iter().map(pair).collect();
    if !segments.is_empty() {
        let applying = strategy_segment::Entity::find()
            .select_only()
            .column(strategy_segment::Column::FeatureId)
            .filter(strategy_segment::Column::SegmentId.in_subquery(listed::numbers(backend, segments)))
            .into_query();
        let rows = in_use()
            .filter(feature::Column::Project.eq(project))
            .filter(feature::Column::Id.in_subquery(applying))
            .all(db)
            .await?;
        concerned.extend(rows.into_iter().map(pair));
    }
    let links = |column: feature_dependency::Column, ids: Vec<i64>| {
        let among = listed::numbers(backend, &ids);
        feature_dependency::Entity::find().filter(column.in_subquery(among)).all(db)
    };
    let children = links(feature_dependency::Column::ParentId, concerned.keys().copied().collect()).await?;
    let ids: BTreeSet<i64> = children.iter().map(|link| link.child_id).chain(concerned.keys().copied()).collect();
    let above = links(feature_dependency::Column::ChildId, ids.iter().copied().collect()).await?;
    let all: BTreeSet<i64> = ids.iter().copied().chain(above.iter().map(|link| link.parent_id)).collect();
    let all: Vec<i64> = all.into_iter().collect();
    let rows = in_use().filter(feature::Column::Id.in_subquery(listed::numbers(backend, &all))).all(db).await?;
    let name_of: BTreeMap<i64, String> = rows.into_iter().map(pair).collect();

    let mut needed: BTreeSet<String> = name_of.values().cloned().collect();
    needed.extend(parents.iter().cloned());
    let mut reached: Vec<Concerned> = ids
        .iter()
        .filter_map(|id| {
            let name = name_of.get(id)?;
            let dependents = children.iter().filter(|link| link.parent_id == *id);
            let mut dependents: Vec<String> =
                dependents.filter_map(|link| name_of.get(&link.child_id).cloned()).collect();
            dependents.sort();
            Some(Concerned { name: name.clone(), is_target: targets.contains(name), dependents })
        })
        .collect();
    // Where there are too many, those that nothing is said about go first.
    reached.sort_by(|one, other| (!one.is_target, &one.name).cmp(&(!other.is_target, &other.name)));
    let left_out = reached.len().saturating_sub(MOST_FEATURES);
    reached.truncate(MOST_FEATURES);
    Ok(Reach { concerned: reached, left_out, needed: needed.into_iter().collect() })
}

/// Evaluations of features in an environment in the hours since a time, by feature and application, the most used
/// applications first.
pub async fn usage_since(
    db: &impl ConnectionTrait,
    names: &[String],
    environment: &str,
    since: Timestamp,
) -> Result<BTreeMap<String, Vec<ApplicationUsage>>, StoreError> {
    use client_metrics_hourly::{Column, Entity};
    let among = listed::texts(db.get_database_backend(), names.iter().map(String::as_str));
    let sums: Vec<(String, String, i64, i64)> = Entity::find()
        .select_only()
        .column(Column::FeatureName)
        .column(Column::AppName)
        .expr_as(Expr::cust("CAST(sum(yes) AS bigint)"), "yes")
        .expr_as(Expr::cust("CAST(sum(no) AS bigint)"), "no")
        .filter(Column::FeatureName.in_subquery(among))
        .filter(Column::Environment.eq(environment))
        .filter(Column::Timestamp.gte(since))
        .group_by(Column::FeatureName)
        .group_by(Column::AppName)
        .order_by_asc(Column::FeatureName)
        .order_by_asc(Column::AppName)
        .into_tuple()
        .all(db)
        .await?;
    let mut usage: BTreeMap<String, Vec<ApplicationUsage>> = BTreeMap::new();
    for (feature, application, yes, no) in sums {
        usage.entry(feature).or_default().push(ApplicationUsage { application, yes, no });
    }
    for applications in usage.values_mut() {
        applications.sort_by_key(|used| std::cmp::Reverse(used.yes.saturating_add(used.no)));
    }
    Ok(usage)
}
