//! What hangs on features: for each kind a query and how its rows are read.
//!
//! The features are those of [`WANTED`], which each query starts from.

use std::collections::{HashMap, HashSet};

use sea_orm::{
    ColumnTrait, DatabaseBackend, DbErr,
    sea_query::{Expr, ExprTrait, Query, SelectStatement},
};
use serde::Deserialize;

use super::WANTED;
use crate::{
    domain::{
        feature::{Dependency, FeatureEnvironment, UserSummary},
        lifecycle::{Lifecycle, Stage},
        tag::Tag,
        time::Timestamp,
    },
    store::{
        StoreError,
        db::{packed, value::json_column},
        entity::{
            app_user, environment, favorite_feature, feature, feature_dependency, feature_environment,
            feature_lifecycle, feature_tag, tag,
        },
        tags,
    },
    wire::{Nullable, Number},
};

/// The feature at the other end of a dependency.
const OTHER: &str = "other";

/// Values by the id of the feature that they belong to.
type ByFeature<T> = HashMap<i64, Vec<T>>;

/// What hangs on features, by their ids.
pub(super) struct Belongings {
    pub(super) environments: ByFeature<FeatureEnvironment>,
    pub(super) tags: ByFeature<Tag>,
    pub(super) stages: HashMap<i64, Lifecycle>,
    pub(super) parents: ByFeature<Dependency>,
    pub(super) children: ByFeature<String>,
    pub(super) creators: HashMap<i64, UserSummary>,
    /// Those that the reader marked, if it is a person who reads.
    pub(super) favorites: Option<HashSet<i64>>,
}

impl Belongings {
    /// What to ask of the database, whoever reads; [`Belongings::read`] takes the answers.
    pub(super) fn queries(backend: DatabaseBackend) -> [SelectStatement; 7] {
        [
            environment_kinds(backend),
            environments(backend),
            tags(backend),
            stages(backend),
            parents(backend),
            children(backend),
            creators(backend),
        ]
    }

    /// Reads the answers. `favorites` are the ids that [`favorites`] gives, if it is a person who reads.
    pub(super) fn read(found: &mut packed::Texts, favorites: Option<Vec<i64>>) -> Result<Self, StoreError> {
        Ok(Self {
            favorites: favorites.map(HashSet::from_iter),
            environments: environments_of(found.next()?, found.next()?),
            tags: tags::by_feature(found.next()?),
            stages: latest_stages(found.next()?),
            parents: parents_of(found.next()?)?,
            children: grouped(sorted(found.next()?)),
            creators: creators_of(found.next()?),
        })
    }
}

/// Id, name, user name and email of those who made the features: few people, many features.
fn creators(backend: DatabaseBackend) -> SelectStatement {
    use app_user::Column;
    let makers = Query::select().column(feature::Column::CreatedByUserId).from(WANTED).to_owned();
    Query::select()
        .expr(packed::rows(
            backend,
            [Column::Id, Column::Name, Column::Username, Column::Email].map(ColumnTrait::into_expr),
        ))
        .from(app_user::Entity)
        .and_where(Column::Id.in_subquery(makers))
        .to_owned()
}

type CreatorRow = (i64, Option<String>, Option<String>, Option<String>);

fn creators_of(rows: Vec<CreatorRow>) -> HashMap<i64, UserSummary> {
    let creator = |(id, name, username, email): CreatorRow| {
        (id, UserSummary::of(id, name.as_deref(), username.as_deref(), email.as_deref()))
    };
    rows.into_iter().map(creator).collect()
}

/// Ids of the features that a person marked as favourites.
pub(super) fn favorites(backend: DatabaseBackend, reader: Option<i64>) -> SelectStatement {
    use favorite_feature::Column;
    beside_features(favorite_feature::Entity, Column::FeatureId.into_expr())
        .and_where(Column::UserId.eq(reader.unwrap_or_default()))
        .expr(packed::values(backend, Column::FeatureId.into_expr()))
        .to_owned()
}

/// Type and position of every environment, by its name.
fn environment_kinds(backend: DatabaseBackend) -> SelectStatement {
    use environment::Column;
    Query::select()
        .expr(packed::rows(backend, [Column::Name, Column::Type, Column::SortOrder].map(ColumnTrait::into_expr)))
        .from(environment::Entity)
        .to_owned()
}

type EnvironmentKind = (String, String, i64);

/// A configuration, in the order of the columns of [`environments`].
#[derive(Deserialize)]
struct EnvironmentRow {
    feature_id: i64,
    name: String,
    #[serde(deserialize_with = "packed::several")]
    enabled_and_has_strategies_and_enabled_ones: [bool; 3],
    #[serde(deserialize_with = "packed::optional_instant")]
    last_seen_at: Option<Timestamp>,
    variant_count: i64,
}

/// The state in each environment.
fn environments(backend: DatabaseBackend) -> SelectStatement {
    use feature_environment::Column;
    let flags = [Column::Enabled, Column::HasStrategies, Column::HasEnabledStrategies].map(ColumnTrait::into_expr);
    let columns = [
        Column::FeatureId.into_expr(),
        Column::Environment.into_expr(),
        packed::flags(backend, flags),
        Column::LastSeenAt.into_expr(),
        Column::VariantCount.into_expr(),
    ];
    beside_features(feature_environment::Entity, Column::FeatureId.into_expr())
        .expr(packed::rows(backend, columns))
        .to_owned()
}

/// By the environments' sort order, then name.
fn environments_of(kinds: Vec<EnvironmentKind>, rows: Vec<EnvironmentRow>) -> ByFeature<FeatureEnvironment> {
    let kinds: HashMap<String, (String, i64)> =
        kinds.into_iter().map(|(name, kind, sort_order)| (name, (kind, sort_order))).collect();
    let mut by_feature = ByFeature::new();
    for row in rows {
        let (kind, sort_order) = kinds.get(&row.name).map(|(kind, sort_order)| (kind.clone(), *sort_order)).unzip();
        let [enabled, has_strategies, has_enabled_strategies] = row.enabled_and_has_strategies_and_enabled_ones;
        let environment = FeatureEnvironment {
            name: row.name,
            kind,
            enabled,
            sort_order: sort_order.map(Number::from),
            variant_count: Some(row.variant_count.into()),
            last_seen_at: Some(Nullable(row.last_seen_at)),
            has_strategies: Some(has_strategies),
            has_enabled_strategies: Some(has_enabled_strategies),
            ..FeatureEnvironment::default()
        };
        by_feature.entry(row.feature_id).or_default().push((sort_order.unwrap_or(i64::MAX), environment));
    }
    let in_order = |(id, mut environments): (i64, Vec<(i64, FeatureEnvironment)>)| {
        environments.sort_unstable_by(|(a, one), (b, other)| (a, &one.name).cmp(&(b, &other.name)));
        (id, environments.into_iter().map(|(_, environment)| environment).collect())
    };
    by_feature.into_iter().map(in_order).collect()
}

/// Types and values of the tags.
fn tags(backend: DatabaseBackend) -> SelectStatement {
    let of_feature = tag::Column::Id.into_expr().equals((feature_tag::Entity, feature_tag::Column::TagId));
    let columns =
        [feature_tag::Column::FeatureId.into_expr(), tag::Column::Type.into_expr(), tag::Column::Value.into_expr()];
    beside_features(feature_tag::Entity, feature_tag::Column::FeatureId.into_expr())
        .inner_join(tag::Entity, of_feature)
        .expr(packed::rows(backend, columns))
        .to_owned()
}

/// Every stage that was entered.
fn stages(backend: DatabaseBackend) -> SelectStatement {
    use feature_lifecycle::Column;
    let columns = [Column::FeatureId, Column::Stage, Column::EnteredStageAt].map(ColumnTrait::into_expr);
    beside_features(feature_lifecycle::Entity, Column::FeatureId.into_expr())
        .expr(packed::rows(backend, columns))
        .to_owned()
}

/// The stage that is furthest on.
fn latest_stages(rows: Vec<(i64, String, i64)>) -> HashMap<i64, Lifecycle> {
    let mut latest: HashMap<i64, Lifecycle> = HashMap::new();
    for (id, stage, entered_at) in rows {
        let Some(stage) = Stage::parse(&stage) else { continue };
        if latest.get(&id).is_none_or(|known| known.stage <= stage) {
            latest.insert(id, Lifecycle { stage, entered_stage_at: Timestamp::from_millis(entered_at) });
        }
    }
    latest
}

/// What the features depend on.
fn parents(backend: DatabaseBackend) -> SelectStatement {
    use feature_dependency::Column;
    let columns = [
        Column::ChildId.into_expr(),
        Expr::col((OTHER, feature::Column::Name)),
        packed::number(Column::Enabled.into_expr()),
        Column::Variants.into_expr(),
    ];
    beside_features(feature_dependency::Entity, Column::ChildId.into_expr())
        .join_as(
            sea_orm::JoinType::InnerJoin,
            feature::Entity,
            OTHER,
            Column::ParentId.into_expr().equals((OTHER, feature::Column::Id)),
        )
        .expr(packed::rows(backend, columns))
        .to_owned()
}

/// By the names of the parents.
fn parents_of(rows: Vec<(i64, String, i64, String)>) -> Result<ByFeature<Dependency>, DbErr> {
    let dependencies = sorted(rows).into_iter().map(|(id, feature, enabled, variants)| {
        let variants: Vec<String> = json_column("feature_dependency.variants", &variants)?;
        let variants = Some(variants).filter(|variants| !variants.is_empty());
        Ok((id, Dependency { feature, enabled: Some(enabled != 0), variants }))
    });
    Ok(grouped(dependencies.collect::<Result<Vec<_>, DbErr>>()?))
}

/// Names of the features that depend on them.
fn children(backend: DatabaseBackend) -> SelectStatement {
    use feature_dependency::Column;
    let columns = [Column::ParentId.into_expr(), Expr::col((OTHER, feature::Column::Name))];
    beside_features(feature_dependency::Entity, Column::ParentId.into_expr())
        .join_as(
            sea_orm::JoinType::InnerJoin,
            feature::Entity,
            OTHER,
            Column::ChildId.into_expr().equals((OTHER, feature::Column::Id)),
        )
        .expr(packed::rows(backend, columns))
        .to_owned()
}

/// Rows of a table that belong to the features. `SQLite` takes the tables of a cross join in the order in which they
/// stand: the features are few.
fn beside_features(table: impl sea_orm::sea_query::IntoTableRef, feature_id: Expr) -> SelectStatement {
    Query::select()
        .from(WANTED)
        .cross_join(table)
        .and_where(feature_id.equals((WANTED, feature::Column::Id)))
        .to_owned()
}

fn sorted<T: Ord>(mut rows: Vec<T>) -> Vec<T> {
    rows.sort_unstable();
    rows
}

fn grouped<T>(rows: impl IntoIterator<Item = (i64, T)>) -> ByFeature<T> {
    let mut by_feature = ByFeature::new();
    for (id, value) in rows {
        by_feature.entry(id).or_default().push(value);
    }
    by_feature
}
