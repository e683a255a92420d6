//! Reading features together with what hangs on them: one statement, whatever their number.

use std::collections::HashMap;

use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DatabaseBackend,
    sea_query::{Expr, ExprTrait, Query, SelectStatement},
};
use serde::Deserialize;

use crate::{
    domain::{
        event_filter::fold_case,
        feature::{Dependency, Feature, FeatureEnvironment, UserSummary},
        lifecycle::{Lifecycle, Stage},
        tag::Tag,
        time::Timestamp,
        user::{display_name, image_url},
    },
    store::{
        StoreError,
        entity::{
            app_user, environment, favorite_feature, feature, feature_dependency, feature_environment,
            feature_lifecycle, feature_tag, tag,
        },
        packed::{self, Packed},
        text,
        value::json_column,
    },
    wire::{Nullable, Number},
};

/// Which features of a project to list.
#[derive(Debug, Clone, Default)]
pub struct ListQuery {
    /// Id of the project. One that does not exist has no features.
    pub project: String,
    /// Whether to list the archived features instead of those in use.
    pub archived: bool,
    /// Only features that carry one of these tags; empty for all.
    pub tags: Vec<Tag>,
    /// Only features whose name starts so, whatever the case.
    pub name_prefix: Option<String>,
}

impl ListQuery {
    /// All features in use of a project.
    pub fn of_project(project: &str) -> Self {
        Self { project: project.to_owned(), ..Self::default() }
    }

    /// `None` when nothing can match: no stored name or tag holds a control character, and none can be asked for.
    fn condition(&self) -> Option<Condition> {
        let in_use = feature::Column::ArchivedAt.is_null();
        let mut condition = Condition::all()
            .add(feature::Column::Project.eq(storable(&self.project)?))
            .add(if self.archived { in_use.not() } else { in_use });
        if let Some(prefix) = &self.name_prefix {
            let beginning = text::starting_with(&fold_case(storable(prefix)?));
            // The text starts with the name, its case folded.
            let text = Expr::col((feature::Entity, feature::Column::SearchText));
            condition = condition.add(text.like(beginning));
        }
        if !self.tags.is_empty() {
            let tags: Vec<&Tag> =
                self.tags.iter().filter(|tag| storable(&tag.kind).and(storable(&tag.value)).is_some()).collect();
            if tags.is_empty() {
                return None;
            }
            condition = condition.add(feature::Column::Id.in_subquery(carrying_any(&tags)));
        }
        Some(condition)
    }
}

fn storable(text: &str) -> Option<&str> {
    (!text.contains(char::is_control)).then_some(text)
}

/// Ids of the features that carry one of these tags.
fn carrying_any(tags: &[&Tag]) -> SelectStatement {
    let wanted = tags.iter().fold(Condition::any(), |any, wanted| {
        any.add(tag::Column::Type.eq(&wanted.kind).and(tag::Column::Value.eq(&wanted.value)))
    });
    Query::select()
        .column((feature_tag::Entity, feature_tag::Column::FeatureId))
        .from(feature_tag::Entity)
        .inner_join(tag::Entity, tag::Column::Id.into_expr().equals((feature_tag::Entity, feature_tag::Column::TagId)))
        .cond_where(wanted)
        .to_owned()
}

/// Features of a project, oldest first, then by name. `reader` is the person whose favourites count.
///
/// Their environments come without strategies and variants.
pub async fn list(
    db: &impl ConnectionTrait,
    query: &ListQuery,
    reader: Option<i64>,
) -> Result<Vec<Feature>, StoreError> {
    let Some(which) = query.condition() else { return Ok(Vec::new()) };
    let features = fetch(db, &which, reader).await?;
    Ok(features.into_iter().map(|(_, feature)| feature).collect())
}

/// The feature at the other end of a dependency.
const OTHER: &str = "other";

/// Values by the id of the feature that they belong to.
type ByFeature<T> = HashMap<i64, Vec<T>>;

#[derive(Deserialize)]
struct Row {
    id: i64,
    name: String,
    kind: String,
    description: Option<String>,
    project: String,
    #[serde(deserialize_with = "packed::flag")]
    stale: bool,
    #[serde(deserialize_with = "packed::flag")]
    impression_data: bool,
    #[serde(deserialize_with = "packed::instant")]
    created_at: Timestamp,
    #[serde(deserialize_with = "packed::optional_instant")]
    archived_at: Option<Timestamp>,
    #[serde(deserialize_with = "packed::optional_instant")]
    last_seen_at: Option<Timestamp>,
    creator_id: Option<i64>,
    creator_name: Option<String>,
    creator_username: Option<String>,
    creator_email: Option<String>,
    favorite_of: Option<i64>,
}

/// The features that a condition on their rows admits, with their ids, oldest first, then by name.
async fn fetch(
    db: &impl ConnectionTrait,
    which: &Condition,
    reader: Option<i64>,
) -> Result<Vec<(i64, Feature)>, StoreError> {
    let lists = packed::fetch_together(db, queries(db.get_database_backend(), which, reader)).await?;
    assemble(lists, reader)
}

/// How many lists features are made of.
pub(super) const LISTS: usize = 7;

/// What gives the lists that the features are made of which a condition on their rows admits.
pub(super) fn queries(backend: DatabaseBackend, which: &Condition, reader: Option<i64>) -> [SelectStatement; LISTS] {
    let mut kinds = Query::select();
    kinds.from(environment::Entity).expr(packed::rows(
        backend,
        [
            environment::Column::Name.into_expr(),
            environment::Column::Type.into_expr(),
            environment::Column::SortOrder.into_expr(),
        ],
    ));
    [
        rows(backend, which, reader),
        kinds,
        environments(backend, which),
        tags(backend, which),
        stages(backend, which),
        parents(backend, which),
        children(backend, which),
    ]
}

/// The features that the lists make up, with their ids, oldest first, then by name.
pub(super) fn assemble(
    [rows, kinds, environments, tags, stages, parents, children]: [Packed; LISTS],
    reader: Option<i64>,
) -> Result<Vec<(i64, Feature)>, StoreError> {
    let mut rows: Vec<Row> = rows.unpack()?;
    rows.sort_by(|a, b| (a.created_at, &a.name).cmp(&(b.created_at, &b.name)));
    let mut environments = read_environments(kinds, environments)?;
    let mut tags = read_tags(tags)?;
    let mut stages = read_stages(stages)?;
    let mut parents = read_parents(parents)?;
    let mut children = read_children(children)?;
    let features = rows.into_iter().map(|row| {
        let id = row.id;
        let feature = Feature {
            environments: Some(environments.remove(&id).unwrap_or_default()),
            tags: tags.remove(&id).map(|tags| Nullable(Some(tags))),
            lifecycle: stages.remove(&id).and_then(|stages| stages.into_iter().max_by_key(|entered| entered.stage)),
            dependencies: Some(parents.remove(&id).unwrap_or_default()),
            children: Some(children.remove(&id).unwrap_or_default()),
            ..feature(row, reader)
        };
        let enabled = feature.environments.iter().flatten().any(|environment| environment.enabled);
        (id, Feature { enabled: Some(enabled), ..feature })
    });
    Ok(features.collect())
}

fn feature(row: Row, reader: Option<i64>) -> Feature {
    let (username, email) = (row.creator_username.as_deref(), row.creator_email.as_deref());
    Feature {
        created_by: row.creator_id.map(|id| UserSummary {
            id,
            name: display_name(row.creator_name.as_deref(), username, email).to_owned(),
            image_url: image_url(email, username, id),
        }),
        name: row.name,
        kind: Some(row.kind),
        description: Some(Nullable(row.description)),
        project: Some(row.project),
        stale: Some(row.stale),
        impression_data: Some(row.impression_data),
        created_at: Some(Nullable(Some(row.created_at))),
        archived: Some(row.archived_at.is_some()),
        archived_at: Some(Nullable(row.archived_at)),
        last_seen_at: Some(Nullable(row.last_seen_at)),
        favorite: reader.map(|_| row.favorite_of.is_some()),
        ..Feature::default()
    }
}

fn rows(backend: DatabaseBackend, which: &Condition, reader: Option<i64>) -> SelectStatement {
    let favorite = Condition::all()
        .add(favorite_feature::Column::FeatureId.into_expr().equals((feature::Entity, feature::Column::Id)))
        .add(favorite_feature::Column::UserId.eq(reader.unwrap_or_default()));
    let mut query = Query::select();
    query
        .from(feature::Entity)
        .left_join(
            app_user::Entity,
            app_user::Column::Id.into_expr().equals((feature::Entity, feature::Column::CreatedByUserId)),
        )
        .cond_where(which.clone());
    let favorite_of = if reader.is_some() {
        query.left_join(favorite_feature::Entity, favorite);
        favorite_feature::Column::UserId.into_expr()
    } else {
        Expr::null()
    };
    let columns = [
        feature::Column::Id.into_expr(),
        feature::Column::Name.into_expr(),
        feature::Column::Type.into_expr(),
        feature::Column::Description.into_expr(),
        feature::Column::Project.into_expr(),
        packed::number(feature::Column::Stale.into_expr()),
        packed::number(feature::Column::ImpressionData.into_expr()),
        feature::Column::CreatedAt.into_expr(),
        feature::Column::ArchivedAt.into_expr(),
        feature::Column::LastSeenAt.into_expr(),
        app_user::Column::Id.into_expr(),
        app_user::Column::Name.into_expr(),
        app_user::Column::Username.into_expr(),
        app_user::Column::Email.into_expr(),
        favorite_of,
    ];
    query.expr(packed::rows(backend, columns)).to_owned()
}

#[derive(Deserialize)]
struct EnvironmentRow {
    feature_id: i64,
    name: String,
    #[serde(deserialize_with = "packed::flag")]
    enabled: bool,
    #[serde(deserialize_with = "packed::optional_instant")]
    last_seen_at: Option<Timestamp>,
    #[serde(deserialize_with = "packed::flag")]
    has_strategies: bool,
    #[serde(deserialize_with = "packed::flag")]
    has_enabled_strategies: bool,
    variant_count: i64,
}

/// The state in each environment.
fn environments(backend: DatabaseBackend, which: &Condition) -> SelectStatement {
    let of_features = feature_environment::Column::FeatureId.into_expr();
    let mut query = beside_features(feature_environment::Entity, of_features, which);
    let columns = [
        feature_environment::Column::FeatureId.into_expr(),
        feature_environment::Column::Environment.into_expr(),
        packed::number(feature_environment::Column::Enabled.into_expr()),
        feature_environment::Column::LastSeenAt.into_expr(),
        packed::number(feature_environment::Column::HasStrategies.into_expr()),
        packed::number(feature_environment::Column::HasEnabledStrategies.into_expr()),
        feature_environment::Column::VariantCount.into_expr(),
    ];
    query.expr(packed::rows(backend, columns)).to_owned()
}

/// By the environments' sort order, then name.
fn read_environments(kinds: Packed, environments: Packed) -> Result<ByFeature<FeatureEnvironment>, StoreError> {
    let kinds: Vec<(String, String, i64)> = kinds.unpack()?;
    let kinds: HashMap<String, (String, i64)> =
        kinds.into_iter().map(|(name, kind, sort_order)| (name, (kind, sort_order))).collect();
    let mut rows: Vec<EnvironmentRow> = environments.unpack()?;
    let position = |name: &str| kinds.get(name).map_or(i64::MAX, |(_, sort_order)| *sort_order);
    rows.sort_by(|a, b| (position(&a.name), &a.name).cmp(&(position(&b.name), &b.name)));
    let mut by_feature = ByFeature::new();
    for row in rows {
        let (kind, sort_order) = kinds.get(&row.name).cloned().unzip();
        by_feature.entry(row.feature_id).or_default().push(FeatureEnvironment {
            name: row.name,
            kind,
            enabled: row.enabled,
            sort_order: sort_order.map(Number::from),
            variant_count: Some(row.variant_count.into()),
            last_seen_at: Some(Nullable(row.last_seen_at)),
            has_strategies: Some(row.has_strategies),
            has_enabled_strategies: Some(row.has_enabled_strategies),
            ..FeatureEnvironment::default()
        });
    }
    Ok(by_feature)
}

fn tags(backend: DatabaseBackend, which: &Condition) -> SelectStatement {
    let mut query = beside_features(feature_tag::Entity, feature_tag::Column::FeatureId.into_expr(), which);
    query
        .inner_join(tag::Entity, tag::Column::Id.into_expr().equals((feature_tag::Entity, feature_tag::Column::TagId)));
    let columns =
        [feature_tag::Column::FeatureId.into_expr(), tag::Column::Type.into_expr(), tag::Column::Value.into_expr()];
    query.expr(packed::rows(backend, columns)).to_owned()
}

/// By type, then value.
fn read_tags(tags: Packed) -> Result<ByFeature<Tag>, StoreError> {
    let mut rows: Vec<(i64, String, String)> = tags.unpack()?;
    rows.sort();
    Ok(grouped(rows.into_iter().map(|(id, kind, value)| (id, Tag { value, kind }))))
}

/// Every stage that was entered.
fn stages(backend: DatabaseBackend, which: &Condition) -> SelectStatement {
    let of_features = feature_lifecycle::Column::FeatureId.into_expr();
    let mut query = beside_features(feature_lifecycle::Entity, of_features, which);
    let columns = [
        feature_lifecycle::Column::FeatureId.into_expr(),
        feature_lifecycle::Column::Stage.into_expr(),
        feature_lifecycle::Column::EnteredStageAt.into_expr(),
    ];
    query.expr(packed::rows(backend, columns)).to_owned()
}

fn read_stages(stages: Packed) -> Result<ByFeature<Lifecycle>, StoreError> {
    let rows: Vec<(i64, String, i64)> = stages.unpack()?;
    Ok(grouped(rows.into_iter().filter_map(|(id, stage, entered)| {
        let entered_stage_at = Timestamp::from_millis(entered);
        Some((id, Lifecycle { stage: Stage::parse(&stage)?, entered_stage_at }))
    })))
}

/// What the features depend on.
fn parents(backend: DatabaseBackend, which: &Condition) -> SelectStatement {
    let child = feature_dependency::Column::ChildId.into_expr();
    let mut query = beside_features(feature_dependency::Entity, child, which);
    query.join_as(
        sea_orm::JoinType::InnerJoin,
        feature::Entity,
        OTHER,
        feature_dependency::Column::ParentId.into_expr().equals((OTHER, feature::Column::Id)),
    );
    let columns = [
        feature_dependency::Column::ChildId.into_expr(),
        Expr::col((OTHER, feature::Column::Name)),
        packed::number(feature_dependency::Column::Enabled.into_expr()),
        feature_dependency::Column::Variants.into_expr(),
    ];
    query.expr(packed::rows(backend, columns)).to_owned()
}

/// By name.
fn read_parents(parents: Packed) -> Result<ByFeature<Dependency>, StoreError> {
    let mut rows: Vec<(i64, String, i64, String)> = parents.unpack()?;
    rows.sort();
    let dependencies = rows.into_iter().map(|(id, feature, enabled, variants)| {
        let variants: Vec<String> = json_column("feature_dependency.variants", &variants)?;
        let variants = Some(variants).filter(|variants| !variants.is_empty());
        Ok((id, Dependency { feature, enabled: Some(enabled != 0), variants }))
    });
    Ok(grouped(dependencies.collect::<Result<Vec<_>, sea_orm::DbErr>>()?))
}

/// The features that depend on them.
fn children(backend: DatabaseBackend, which: &Condition) -> SelectStatement {
    let parent = feature_dependency::Column::ParentId.into_expr();
    let mut query = beside_features(feature_dependency::Entity, parent, which);
    query.join_as(
        sea_orm::JoinType::InnerJoin,
        feature::Entity,
        OTHER,
        feature_dependency::Column::ChildId.into_expr().equals((OTHER, feature::Column::Id)),
    );
    let columns = [feature_dependency::Column::ParentId.into_expr(), Expr::col((OTHER, feature::Column::Name))];
    query.expr(packed::rows(backend, columns)).to_owned()
}

/// Their names, sorted.
fn read_children(children: Packed) -> Result<ByFeature<String>, StoreError> {
    let mut rows: Vec<(i64, String)> = children.unpack()?;
    rows.sort();
    Ok(grouped(rows))
}

/// Rows of a table that belong to the features in question, found through the features rather than by lists of ids.
fn beside_features(
    table: impl sea_orm::sea_query::IntoTableRef,
    feature_id: Expr,
    which: &Condition,
) -> SelectStatement {
    Query::select()
        .from(feature::Entity)
        .inner_join(table, feature_id.equals((feature::Entity, feature::Column::Id)))
        .cond_where(which.clone())
        .to_owned()
}

fn grouped<T>(rows: impl IntoIterator<Item = (i64, T)>) -> ByFeature<T> {
    let mut by_feature = ByFeature::new();
    for (id, value) in rows {
        by_feature.entry(id).or_default().push(value);
    }
    by_feature
}
