//! Belongings of features: for each kind a query and the reading of its rows.
//!
//! The features are those of [`WANTED`], which each query starts from.

use std::collections::{HashMap, HashSet};

use flagstone_domain::{
    feature::{Dependency, UserSummary},
    lifecycle::{Lifecycle, Stage},
    time::Timestamp,
};
use flagstone_wire::Number;
use sea_orm::{
    ColumnTrait, DatabaseBackend, DbErr,
    sea_query::{Expr, ExprTrait, Query, SelectStatement},
};

use super::{
    Row, WANTED,
    listed::{ListedEnvironment, ListedTag},
    rows,
};
use crate::{
    StoreError,
    db::{
        packed::{self, Text},
        value::json_column,
    },
    entity::{
        app_user, environment, favorite_feature, feature, feature_dependency, feature_environment, feature_lifecycle,
        feature_tag, tag,
    },
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

packed::lists! {
    /// Features and their belongings, the same for every reader.
    pub(super) struct Found<'a> {
        features: Row<'a> = rows,
        kinds: EnvironmentKind<'a> = environment_kinds,
        environments: EnvironmentRow<'a> = environments,
        tags: TagRow<'a> = tags,
        stages: StageRow<'a> = stages,
        parents: ParentRow<'a> = parents,
        children: ChildRow<'a> = children,
        creators: CreatorRow = creators,
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
    /// Takes apart what was found. `favorites` are the ids that [`favorites`] gives, if it is a person who reads.
    pub(super) fn read(found: Found<'a>, favorites: Option<Vec<i64>>) -> Result<(Vec<Row<'a>>, Self), StoreError> {
        let belongings = Self {
            favorites: favorites.map(HashSet::from_iter),
            environments: environments_of(found.kinds, found.environments),
            tags: tags_of(found.tags),
            stages: stages_of(found.stages),
            parents: parents_of(found.parents)?,
            children: ByFeature::new(sorted(found.children).into_iter().map(|row| (row.parent_id, row.name))),
            creators: found.creators.iter().map(CreatorRow::summary).collect(),
        };
        Ok((found.features, belongings))
    }

    /// Whether the reader marked a feature; `None` where it is no person who reads.
    pub(super) fn is_favorite(&self, id: i64) -> Option<bool> {
        self.favorites.as_ref().map(|favorites| favorites.contains(&id))
    }
}

packed::row! {
    /// A user who made a feature.
    pub(in crate::features) struct CreatorRow {
        id: i64 = app_user::Column::Id,
        name: Option<String> = app_user::Column::Name,
        username: Option<String> = app_user::Column::Username,
        email: Option<String> = app_user::Column::Email,
    }
}

impl CreatorRow {
    /// The user by the id.
    pub(in crate::features) fn summary(&self) -> (i64, UserSummary) {
        let [name, username, email] = [&self.name, &self.username, &self.email].map(Option::as_deref);
        (self.id, UserSummary::of(self.id, name, username, email))
    }
}

/// Query for those who made the features: few people, many features.
fn creators(backend: DatabaseBackend) -> SelectStatement {
    let makers = Query::select().column(feature::Column::CreatedByUserId).from(WANTED).to_owned();
    Query::select()
        .expr(packed::rows::<CreatorRow>(backend))
        .from(app_user::Entity)
        .and_where(app_user::Column::Id.in_subquery(makers))
        .to_owned()
}

/// Ids of the features that a person marked as favourites.
pub(super) fn favorites(backend: DatabaseBackend, reader: Option<i64>) -> SelectStatement {
    use favorite_feature::Column;
    beside_features(favorite_feature::Entity, Column::FeatureId.into_expr())
        .and_where(Column::UserId.eq(reader.unwrap_or_default()))
        .expr(packed::values(backend, Column::FeatureId.into_expr()))
        .to_owned()
}

packed::row! {
    /// Type and position of an environment.
    #[derive(PartialEq, Eq, PartialOrd, Ord)]
    pub(in crate::features) struct EnvironmentKind<'a> {
        pub(in crate::features) name: Text<'a> = environment::Column::Name,
        pub(in crate::features) kind: Text<'a> = environment::Column::Type,
        pub(in crate::features) sort_order: i64 = environment::Column::SortOrder,
    }
}

/// Query for type and position of every environment.
pub(in crate::features) fn environment_kinds(backend: DatabaseBackend) -> SelectStatement {
    Query::select().expr(packed::rows::<EnvironmentKind<'_>>(backend)).from(environment::Entity).to_owned()
}

packed::row! {
    struct EnvironmentRow<'a> {
        feature_id: i64 = feature_environment::Column::FeatureId,
        name: Text<'a> = feature_environment::Column::Environment,
        flags: Flags => (),
        last_seen_at: Option<Timestamp> = feature_environment::Column::LastSeenAt,
        variant_count: i64 = feature_environment::Column::VariantCount,
    }
}

packed::flags! {
    struct Flags {
        enabled = feature_environment::Column::Enabled,
        has_strategies = feature_environment::Column::HasStrategies,
        has_enabled_strategies = feature_environment::Column::HasEnabledStrategies,
    }
}

/// The state in each environment.
fn environments(backend: DatabaseBackend) -> SelectStatement {
    beside_features(feature_environment::Entity, feature_environment::Column::FeatureId.into_expr())
        .expr(packed::rows::<EnvironmentRow<'_>>(backend))
        .to_owned()
}

/// Environments by their sort order, then name.
fn environments_of<'a>(
    kinds: Vec<EnvironmentKind<'a>>,
    rows: Vec<EnvironmentRow<'a>>,
) -> ByFeature<ListedEnvironment<'a>> {
    let kinds = sorted(kinds);
    let environment = |row: EnvironmentRow<'a>| {
        let place = kinds.binary_search_by(|kind| kind.name.cmp(&row.name));
        let (kind, sort_order) = place.ok().map(|place| (kinds[place].kind.clone(), kinds[place].sort_order)).unzip();
        let environment = ListedEnvironment {
            name: row.name,
            kind,
            enabled: row.flags.enabled,
            sort_order: sort_order.map(Number::from),
            variant_count: row.variant_count.into(),
            last_seen_at: row.last_seen_at,
            has_strategies: row.flags.has_strategies,
            has_enabled_strategies: row.flags.has_enabled_strategies,
        };
        (row.feature_id, sort_order.unwrap_or(i64::MAX), environment)
    };
    let mut environments: Vec<_> = rows.into_iter().map(environment).collect();
    environments.sort_unstable_by(|(id, place, one), (other_id, other_place, other)| {
        (id, place, &one.name).cmp(&(other_id, other_place, &other.name))
    });
    ByFeature::new(environments.into_iter().map(|(id, _, environment)| (id, environment)))
}

packed::row! {
    #[derive(PartialEq, Eq, PartialOrd, Ord)]
    struct TagRow<'a> {
        feature_id: i64 = feature_tag::Column::FeatureId,
        kind: Text<'a> = tag::Column::Type,
        value: Text<'a> = tag::Column::Value,
    }
}

fn tags(backend: DatabaseBackend) -> SelectStatement {
    let of_feature = tag::Column::Id.into_expr().equals((feature_tag::Entity, feature_tag::Column::TagId));
    beside_features(feature_tag::Entity, feature_tag::Column::FeatureId.into_expr())
        .inner_join(tag::Entity, of_feature)
        .expr(packed::rows::<TagRow<'_>>(backend))
        .to_owned()
}

/// Tags by type, then value.
fn tags_of(rows: Vec<TagRow<'_>>) -> ByFeature<ListedTag<'_>> {
    let tag = |TagRow { feature_id, kind, value }| (feature_id, ListedTag { value, kind });
    ByFeature::new(sorted(rows).into_iter().map(tag))
}

packed::row! {
    struct StageRow<'a> {
        feature_id: i64 = feature_lifecycle::Column::FeatureId,
        stage: Text<'a> = feature_lifecycle::Column::Stage,
        entered_at: Timestamp = feature_lifecycle::Column::EnteredStageAt,
    }
}

/// Every stage that was entered.
fn stages(backend: DatabaseBackend) -> SelectStatement {
    beside_features(feature_lifecycle::Entity, feature_lifecycle::Column::FeatureId.into_expr())
        .expr(packed::rows::<StageRow<'_>>(backend))
        .to_owned()
}

/// Lifecycles by the order in which stages are passed.
fn stages_of(rows: Vec<StageRow<'_>>) -> ByFeature<Lifecycle> {
    let known = rows.into_iter().filter_map(|row| Some((row.feature_id, Stage::parse(&row.stage)?, row.entered_at)));
    let lifecycle = |(id, stage, entered_stage_at)| (id, Lifecycle { stage, entered_stage_at });
    ByFeature::new(sorted(known.collect()).into_iter().map(lifecycle))
}

packed::row! {
    #[derive(PartialEq, Eq, PartialOrd, Ord)]
    struct ParentRow<'a> {
        child_id: i64 = feature_dependency::Column::ChildId,
        name: Text<'a> => Expr::col((OTHER, feature::Column::Name)),
        enabled: bool = feature_dependency::Column::Enabled,
        variants: String = feature_dependency::Column::Variants,
    }
}

/// Query for the parents of the features.
fn parents(backend: DatabaseBackend) -> SelectStatement {
    use feature_dependency::Column;
    beside_features(feature_dependency::Entity, Column::ChildId.into_expr())
        .join_as(
            sea_orm::JoinType::InnerJoin,
            feature::Entity,
            OTHER,
            Column::ParentId.into_expr().equals((OTHER, feature::Column::Id)),
        )
        .expr(packed::rows::<ParentRow<'_>>(backend))
        .to_owned()
}

/// Parents by name.
fn parents_of(rows: Vec<ParentRow<'_>>) -> Result<ByFeature<Dependency>, DbErr> {
    let dependencies = sorted(rows).into_iter().map(|row| {
        let variants: Vec<String> = json_column("feature_dependency.variants", &row.variants)?;
        let variants = Some(variants).filter(|variants| !variants.is_empty());
        Ok((row.child_id, Dependency { feature: row.name.to_string(), enabled: Some(row.enabled), variants }))
    });
    Ok(ByFeature::new(dependencies.collect::<Result<Vec<_>, DbErr>>()?))
}

packed::row! {
    #[derive(PartialEq, Eq, PartialOrd, Ord)]
    struct ChildRow<'a> {
        parent_id: i64 = feature_dependency::Column::ParentId,
        name: Text<'a> => Expr::col((OTHER, feature::Column::Name)),
    }
}

/// Names of the features that depend on them.
fn children(backend: DatabaseBackend) -> SelectStatement {
    use feature_dependency::Column;
    beside_features(feature_dependency::Entity, Column::ParentId.into_expr())
        .join_as(
            sea_orm::JoinType::InnerJoin,
            feature::Entity,
            OTHER,
            Column::ChildId.into_expr().equals((OTHER, feature::Column::Id)),
        )
        .expr(packed::rows::<ChildRow<'_>>(backend))
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
