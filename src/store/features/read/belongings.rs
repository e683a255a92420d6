//! Belongings of features: for each kind a query and the reading of its rows.
//!
//! The features are those of [`WANTED`], which each query starts from.

use std::collections::{HashMap, HashSet};

use sea_orm::{
    ColumnTrait, DatabaseBackend, DbErr,
    sea_query::{Expr, ExprTrait, Query, SelectStatement},
};
use serde::Deserialize;

use super::{
    WANTED,
    listed::{ListedEnvironment, ListedTag},
};
use crate::{
    domain::{
        feature::{Dependency, UserSummary},
        lifecycle::{Lifecycle, Stage},
        time::Timestamp,
    },
    store::{
        StoreError,
        db::{
            packed::{self, Text, Written},
            value::json_column,
        },
        entity::{
            app_user, environment, favorite_feature, feature, feature_dependency, feature_environment,
            feature_lifecycle, feature_tag, tag,
        },
    },
    wire::Number,
};

/// The feature at the other end of a dependency.
const OTHER: &str = "other";

/// Values by the id of the feature that they belong to.
pub(super) struct ByFeature<T> {
    ids: Vec<i64>,
    values: Vec<T>,
}

impl<T> ByFeature<T> {
    /// Values from rows that come in the order of the ids. The values of a feature stay in theirs.
    fn new(rows: impl IntoIterator<Item = (i64, T)>) -> Self {
        let (ids, values) = rows.into_iter().unzip();
        Self { ids, values }
    }

    /// Returns the values of a feature.
    pub(super) fn of(&self, id: i64) -> &[T] {
        let first = self.ids.partition_point(|other| *other < id);
        let number = self.ids[first..].iter().take_while(|other| **other == id).count();
        &self.values[first..first + number]
    }
}

/// Belongings of features, by their ids.
pub(super) struct Belongings<'a> {
    pub(super) environments: ByFeature<ListedEnvironment<'a>>,
    pub(super) tags: ByFeature<ListedTag<'a>>,
    /// The furthest one last.
    pub(super) stages: ByFeature<Lifecycle>,
    pub(super) parents: ByFeature<Dependency>,
    pub(super) children: ByFeature<Text<'a>>,
    pub(super) creators: HashMap<i64, UserSummary>,
    /// Favourites of the reader, if it is a person who reads.
    favorites: Option<HashSet<i64>>,
}

impl<'a> Belongings<'a> {
    /// Queries for the belongings, the same for every reader; [`Belongings::read`] takes the answers.
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
    pub(super) fn read(written: &'a [Written; 7], favorites: Option<Vec<i64>>) -> Result<Self, StoreError> {
        let [kinds, environments, tags, stages, parents, children, creators] = written;
        Ok(Self {
            favorites: favorites.map(HashSet::from_iter),
            environments: environments_of(kinds.rows()?, environments.rows()?),
            tags: tags_of(tags.rows()?),
            stages: stages_of(stages.rows()?),
            parents: parents_of(parents.rows()?)?,
            children: ByFeature::new(sorted(children.rows()?)),
            creators: creators_of(creators.rows()?),
        })
    }

    /// Whether the reader marked a feature; `None` where it is no person who reads.
    pub(super) fn is_favorite(&self, id: i64) -> Option<bool> {
        self.favorites.as_ref().map(|favorites| favorites.contains(&id))
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

type EnvironmentKind<'a> = (Text<'a>, Text<'a>, i64);

/// A configuration, in the order of the columns of [`environments`].
#[derive(Deserialize)]
struct EnvironmentRow<'a> {
    feature_id: i64,
    #[serde(borrow)]
    name: Text<'a>,
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

/// Environments by their sort order, then name.
fn environments_of<'a>(
    kinds: Vec<EnvironmentKind<'a>>,
    rows: Vec<EnvironmentRow<'a>>,
) -> ByFeature<ListedEnvironment<'a>> {
    let kinds = sorted(kinds);
    let environment = |row: EnvironmentRow<'a>| {
        let place = kinds.binary_search_by(|(name, ..)| name.cmp(&row.name));
        let (kind, sort_order) = place.ok().map(|place| (kinds[place].1.clone(), kinds[place].2)).unzip();
        let [enabled, has_strategies, has_enabled_strategies] = row.enabled_and_has_strategies_and_enabled_ones;
        let environment = ListedEnvironment {
            name: row.name,
            kind,
            enabled,
            sort_order: sort_order.map(Number::from),
            variant_count: row.variant_count.into(),
            last_seen_at: row.last_seen_at,
            has_strategies,
            has_enabled_strategies,
        };
        (row.feature_id, sort_order.unwrap_or(i64::MAX), environment)
    };
    let mut environments: Vec<_> = rows.into_iter().map(environment).collect();
    environments.sort_unstable_by(|(id, place, one), (other_id, other_place, other)| {
        (id, place, &one.name).cmp(&(other_id, other_place, &other.name))
    });
    ByFeature::new(environments.into_iter().map(|(id, _, environment)| (id, environment)))
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

/// Tags by type, then value.
fn tags_of<'a>(rows: Vec<(i64, Text<'a>, Text<'a>)>) -> ByFeature<ListedTag<'a>> {
    ByFeature::new(sorted(rows).into_iter().map(|(id, kind, value)| (id, ListedTag { value, kind })))
}

/// Every stage that was entered.
fn stages(backend: DatabaseBackend) -> SelectStatement {
    use feature_lifecycle::Column;
    let columns = [Column::FeatureId, Column::Stage, Column::EnteredStageAt].map(ColumnTrait::into_expr);
    beside_features(feature_lifecycle::Entity, Column::FeatureId.into_expr())
        .expr(packed::rows(backend, columns))
        .to_owned()
}

/// Lifecycles by the order in which stages are passed.
fn stages_of(rows: Vec<(i64, Text<'_>, i64)>) -> ByFeature<Lifecycle> {
    let known = |(id, stage, entered_at): (i64, Text<'_>, i64)| Some((id, Stage::parse(&stage)?, entered_at));
    let stages = sorted(rows.into_iter().filter_map(known).collect());
    let lifecycle =
        |(id, stage, entered_at)| (id, Lifecycle { stage, entered_stage_at: Timestamp::from_millis(entered_at) });
    ByFeature::new(stages.into_iter().map(lifecycle))
}

/// Query for the parents of the features.
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

/// Parents by name.
fn parents_of(rows: Vec<(i64, Text<'_>, i64, String)>) -> Result<ByFeature<Dependency>, DbErr> {
    let dependencies = sorted(rows).into_iter().map(|(id, feature, enabled, variants)| {
        let variants: Vec<String> = json_column("feature_dependency.variants", &variants)?;
        let variants = Some(variants).filter(|variants| !variants.is_empty());
        Ok((id, Dependency { feature: feature.to_string(), enabled: Some(enabled != 0), variants }))
    });
    Ok(ByFeature::new(dependencies.collect::<Result<Vec<_>, DbErr>>()?))
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
