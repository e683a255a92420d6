//! Everything about the features of one page, in one statement and one row: each kind of thing comes as one JSON list,
//! because on SQLite each row costs more than what is in it, and so does each look into another table on the way.

use std::collections::{BTreeSet, HashMap, HashSet};

use sea_orm::{
    ColumnTrait, ConnectionTrait, DatabaseBackend, DbErr, Statement,
    sea_query::{Alias, CommonTableExpression, Expr, ExprTrait, Func, Query},
};
use serde::{Deserialize, Deserializer};

use crate::{
    domain::{
        dependency::DependencyType,
        feature::UserSummary,
        lifecycle::Stage,
        search::{SearchEnvironment, SearchFeature, SearchLifecycle},
        time::{HOUR_MS, Timestamp},
    },
    store::{
        StoreError,
        db::{
            listed,
            packed::{self, SqlText},
        },
        entity::{
            app_user, client_metrics_hourly, environment, favorite_feature, feature, feature_environment,
            feature_lifecycle, feature_tag, segment, strategy_segment, tag,
        },
        tags,
    },
    wire::Nullable,
};

/// Id that is shown for a creator of whom nothing is known.
const NOBODY: i64 = 0;
/// The ids of the features, as the statement calls them.
const PAGE: &str = "page";

/// The features with these ids, in the order of the ids.
pub(super) async fn of(
    db: &impl ConnectionTrait,
    ids: &[i64],
    reader: Option<i64>,
    now: Timestamp,
) -> Result<Vec<SearchFeature>, StoreError> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let row = db.query_one_raw(statement(ids, reader, now, db.get_database_backend())).await?;
    let row = row.ok_or_else(|| DbErr::RecordNotFound("details".to_owned()))?;
    let mut features = Found::read(packed::Texts::of(row))?.features();
    Ok(ids.iter().filter_map(|id| features.remove(id)).collect())
}

/// The columns of the statement, in its order.
struct Found {
    features: Vec<FeatureRow>,
    configurations: Vec<ConfigurationRow>,
    environments: Vec<EnvironmentRow>,
    tags: Vec<(i64, String, String)>,
    segments: Vec<(i64, String)>,
    stages: Vec<StageRow>,
    creators: Vec<CreatorRow>,
    favorites: HashSet<i64>,
    uses: Vec<(i64, String, Count, Count)>,
}

#[derive(Deserialize)]
struct FeatureRow {
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
    last_seen_at: Option<Timestamp>,
    dependency_kind: Option<String>,
    created_by_user_id: Option<i64>,
}

/// A feature in an environment.
#[derive(Deserialize)]
struct ConfigurationRow {
    feature_id: i64,
    environment: String,
    #[serde(deserialize_with = "packed::flag")]
    enabled: bool,
    variant_count: i64,
    #[serde(deserialize_with = "packed::optional_instant")]
    last_seen_at: Option<Timestamp>,
    #[serde(deserialize_with = "packed::flag")]
    has_strategies: bool,
    #[serde(deserialize_with = "packed::flag")]
    has_enabled_strategies: bool,
}

#[derive(Deserialize)]
struct EnvironmentRow {
    name: String,
    kind: String,
    sort_order: i64,
}

#[derive(Deserialize)]
struct StageRow {
    feature_id: i64,
    stage: String,
    status: Option<String>,
    #[serde(deserialize_with = "packed::instant")]
    entered_stage_at: Timestamp,
}

#[derive(Deserialize)]
struct CreatorRow {
    id: i64,
    name: Option<String>,
    username: Option<String>,
    email: Option<String>,
}

/// A sum of counts, which may be larger than any of them could be: it ends at the largest integer.
#[derive(Clone, Copy, Default)]
struct Count(i64);

impl<'de> Deserialize<'de> for Count {
    #[expect(clippy::cast_possible_truncation, reason = "the cast saturates, and counts are whole")]
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        f64::deserialize(deserializer).map(|sum| Self(sum as i64))
    }
}

impl Found {
    fn read(mut found: packed::Texts) -> Result<Self, StoreError> {
        Ok(Self {
            features: found.next()?,
            configurations: found.next()?,
            environments: found.next()?,
            tags: found.next()?,
            segments: found.next()?,
            stages: found.next()?,
            creators: found.next()?,
            favorites: found.next()?.into_iter().collect(),
            uses: found.next()?,
        })
    }

    /// The features by id.
    fn features(mut self) -> HashMap<i64, SearchFeature> {
        let creators: HashMap<i64, UserSummary> = self.creators.iter().map(|row| (row.id, row.summary())).collect();
        let mut environments = environments_by_feature(self.configurations, &mut self.environments, &self.uses);
        let mut tags = tags::by_feature(self.tags);
        let mut segments: HashMap<i64, BTreeSet<String>> = HashMap::new();
        for (id, name) in self.segments {
            segments.entry(id).or_default().insert(name);
        }
        let mut stages: HashMap<i64, Vec<StageRow>> = HashMap::new();
        for row in self.stages {
            stages.entry(row.feature_id).or_default().push(row);
        }
        let features = self.features.into_iter().map(|row| {
            let id = row.id;
            let creator_id = row.created_by_user_id.unwrap_or(NOBODY);
            let created_by = creators.get(&creator_id).cloned();
            let feature = SearchFeature {
                name: row.name,
                kind: row.kind,
                description: row.description.into(),
                dependency_type: row.dependency_kind.as_deref().and_then(DependencyType::parse).into(),
                project: row.project,
                stale: row.stale,
                favorite: self.favorites.contains(&id),
                impression_data: row.impression_data,
                created_at: Some(row.created_at).into(),
                created_by: created_by.unwrap_or_else(|| UserSummary::of(creator_id, None, None, None)),
                environments: environments.remove(&id).unwrap_or_default(),
                segments: segments.remove(&id).unwrap_or_default().into_iter().collect(),
                tags: tags.remove(&id).map(|tags| Nullable(Some(tags))),
                lifecycle: latest_stage(stages.remove(&id).unwrap_or_default()),
                last_seen_at: Some(row.last_seen_at.into()),
                archived: None,
                archived_at: None,
                variants: None,
                strategies: None,
            };
            (id, feature)
        });
        features.collect()
    }
}

impl CreatorRow {
    fn summary(&self) -> UserSummary {
        UserSummary::of(self.id, self.name.as_deref(), self.username.as_deref(), self.email.as_deref())
    }
}

/// The environments of each feature, by sort order, then name.
fn environments_by_feature(
    configurations: Vec<ConfigurationRow>,
    environments: &mut [EnvironmentRow],
    uses: &[(i64, String, Count, Count)],
) -> HashMap<i64, Vec<SearchEnvironment>> {
    environments.sort_by(|a, b| (a.sort_order, &a.name).cmp(&(b.sort_order, &b.name)));
    let places: HashMap<&str, usize> = environments.iter().zip(0..).map(|(row, place)| (&*row.name, place)).collect();
    let uses: HashMap<(i64, &str), (Count, Count)> =
        uses.iter().map(|(id, environment, yes, no)| ((*id, &**environment), (*yes, *no))).collect();
    let mut in_order: Vec<_> =
        configurations.into_iter().filter_map(|row| Some((*places.get(&*row.environment)?, row))).collect();
    in_order.sort_unstable_by_key(|(place, _)| *place);
    let mut by_feature: HashMap<i64, Vec<SearchEnvironment>> = HashMap::new();
    for (place, row) in in_order {
        let (yes, no) = uses.get(&(row.feature_id, &*row.environment)).copied().unwrap_or_default();
        let EnvironmentRow { kind, sort_order, .. } = &environments[place];
        by_feature.entry(row.feature_id).or_default().push(SearchEnvironment {
            name: row.environment,
            kind: kind.clone(),
            enabled: row.enabled,
            sort_order: Some((*sort_order).into()),
            variant_count: Some(row.variant_count.into()),
            last_seen_at: Some(row.last_seen_at.into()),
            has_strategies: Some(row.has_strategies),
            has_enabled_strategies: Some(row.has_enabled_strategies),
            yes: Some(yes.0),
            no: Some(no.0),
            ..SearchEnvironment::default()
        });
    }
    by_feature
}

/// The stage entered last; of those entered at once, the one that is further on.
fn latest_stage(rows: Vec<StageRow>) -> Option<SearchLifecycle> {
    let known = rows.into_iter().filter_map(|row| Some((row.entered_stage_at, Stage::parse(&row.stage)?, row.status)));
    let (entered_stage_at, stage, status) = known.max_by_key(|(entered_at, stage, _)| (*entered_at, *stage))?;
    Some(SearchLifecycle { stage, entered_stage_at, status: status.map(|status| Nullable(Some(status))) })
}

/// The statement. `now` bounds the usage counts.
pub(super) fn statement(ids: &[i64], reader: Option<i64>, now: Timestamp, backend: DatabaseBackend) -> Statement {
    static TEXT: SqlText = SqlText::new();
    let values = [listed::json(ids).into(), reader.into(), now.plus_millis(-HOUR_MS).into()];
    Statement::from_sql_and_values(backend, TEXT.text(backend, || text(backend)), values)
}

/// The statement with places for its values: the ids as a JSON list, the reader, the start of the hour.
fn text(backend: DatabaseBackend) -> String {
    let statement = Query::select()
        .with_cte(
            CommonTableExpression::new()
                .table_name(PAGE)
                .column("id")
                .materialized(true)
                // The ids take the place of these.
                .query(listed::numbers(backend, &[]))
                .to_owned(),
        )
        .expr(features(backend))
        .expr(configurations(backend))
        .expr(environments(backend))
        .expr(tags(backend))
        .expr(segments(backend))
        .expr(stages(backend))
        .expr(creators(backend))
        .expr(favorites(backend))
        .expr(uses(backend))
        .take();
    backend.build(&statement).sql
}

fn is_on_page(id: impl ColumnTrait) -> Expr {
    id.into_expr().in_subquery(Query::select().column("id").from(PAGE).take())
}

fn features(backend: DatabaseBackend) -> Expr {
    use feature::Column;
    let fields = [
        Column::Id.into_expr(),
        Column::Name.into_expr(),
        Column::Type.into_expr(),
        Column::Description.into_expr(),
        Column::Project.into_expr(),
        packed::number(Column::Stale.into_expr()),
        packed::number(Column::ImpressionData.into_expr()),
        Column::CreatedAt.into_expr(),
        Column::LastSeenAt.into_expr(),
        Column::DependencyKind.into_expr(),
        Column::CreatedByUserId.into_expr(),
    ];
    Query::select()
        .expr(packed::rows(backend, fields))
        .from(feature::Entity)
        .and_where(is_on_page(Column::Id))
        .take()
        .into()
}

fn configurations(backend: DatabaseBackend) -> Expr {
    use feature_environment::Column;
    let fields = [
        Column::FeatureId.into_expr(),
        Column::Environment.into_expr(),
        packed::number(Column::Enabled.into_expr()),
        Column::VariantCount.into_expr(),
        Column::LastSeenAt.into_expr(),
        packed::number(Column::HasStrategies.into_expr()),
        packed::number(Column::HasEnabledStrategies.into_expr()),
    ];
    Query::select()
        .expr(packed::rows(backend, fields))
        .from(feature_environment::Entity)
        .and_where(is_on_page(Column::FeatureId))
        .take()
        .into()
}

fn environments(backend: DatabaseBackend) -> Expr {
    use environment::Column;
    let fields = [Column::Name, Column::Type, Column::SortOrder].map(ColumnTrait::into_expr);
    Query::select().expr(packed::rows(backend, fields)).from(environment::Entity).take().into()
}

fn tags(backend: DatabaseBackend) -> Expr {
    let owner = feature_tag::Column::FeatureId;
    let fields = [owner.into_expr(), tag::Column::Type.into_expr(), tag::Column::Value.into_expr()];
    Query::select()
        .expr(packed::rows(backend, fields))
        .from(feature_tag::Entity)
        .inner_join(tag::Entity, tag::Column::Id.into_expr().eq(feature_tag::Column::TagId.into_expr()))
        .and_where(is_on_page(owner))
        .take()
        .into()
}

fn segments(backend: DatabaseBackend) -> Expr {
    let owner = strategy_segment::Column::FeatureId;
    let on = segment::Column::Id.into_expr().eq(strategy_segment::Column::SegmentId.into_expr());
    Query::select()
        .expr(packed::rows(backend, [owner.into_expr(), segment::Column::Name.into_expr()]))
        .from(strategy_segment::Entity)
        .inner_join(segment::Entity, on)
        .and_where(is_on_page(owner))
        .take()
        .into()
}

fn stages(backend: DatabaseBackend) -> Expr {
    use feature_lifecycle::Column;
    let fields = [Column::FeatureId, Column::Stage, Column::Status, Column::EnteredStageAt].map(ColumnTrait::into_expr);
    Query::select()
        .expr(packed::rows(backend, fields))
        .from(feature_lifecycle::Entity)
        .and_where(is_on_page(Column::FeatureId))
        .take()
        .into()
}

fn creators(backend: DatabaseBackend) -> Expr {
    use app_user::Column;
    let fields = [Column::Id, Column::Name, Column::Username, Column::Email].map(ColumnTrait::into_expr);
    let creators = Query::select()
        .column(feature::Column::CreatedByUserId)
        .from(feature::Entity)
        .and_where(is_on_page(feature::Column::Id))
        .take();
    Query::select()
        .expr(packed::rows(backend, fields))
        .from(app_user::Entity)
        .and_where(Column::Id.in_subquery(creators))
        .take()
        .into()
}

fn favorites(backend: DatabaseBackend) -> Expr {
    use favorite_feature::Column;
    Query::select()
        .expr(packed::values(backend, Column::FeatureId.into_expr()))
        .from(favorite_feature::Entity)
        .and_where(Column::UserId.eq(0))
        .and_where(is_on_page(Column::FeatureId))
        .take()
        .into()
}

/// Sums over all applications, of the hours that began within the hour before now.
fn uses(backend: DatabaseBackend) -> Expr {
    use client_metrics_hourly::Column;
    // Neither overflows: SQLite's `sum` would.
    let sum = if backend == DatabaseBackend::Postgres { "sum" } else { "total" };
    let sum = |column: Column| Func::cust(sum).arg(column.into_expr());
    let sums = Query::select()
        .expr_as(feature::Column::Id.into_expr(), "id")
        .expr_as(environment::Column::Name.into_expr(), "environment")
        .expr_as(sum(Column::Yes), "yes")
        .expr_as(sum(Column::No), "no")
        // SQLite keeps the order of a cross join: the few features and environments lead.
        .from(feature::Entity)
        .cross_join(environment::Entity)
        .cross_join(client_metrics_hourly::Entity)
        .and_where(is_on_page(feature::Column::Id))
        .and_where(Column::FeatureName.into_expr().eq(feature::Column::Name.into_expr()))
        .and_where(Column::Environment.into_expr().eq(environment::Column::Name.into_expr()))
        .and_where(Column::Timestamp.gte(Timestamp::from_millis(0)))
        .add_group_by([feature::Column::Id.into_expr(), environment::Column::Name.into_expr()])
        .take();
    let fields = ["id", "environment", "yes", "no"].map(|name| Expr::col(Alias::new(name)));
    Query::select().expr(packed::rows(backend, fields)).from_subquery(sums, "sums").take().into()
}
