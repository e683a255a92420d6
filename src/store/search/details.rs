//! Everything about the features of one page, in one statement and one row: all of it comes as one JSON list, because
//! on SQLite each row costs more than what is in it.

use std::collections::{BTreeSet, HashMap};

use sea_orm::{
    ColumnTrait, ConnectionTrait, DatabaseBackend,
    sea_query::{Expr, ExprTrait, Func, Query, SelectStatement},
};
use serde::{Deserialize, Deserializer};

use crate::{
    domain::{
        feature::UserSummary,
        lifecycle::Stage,
        search::{SearchEnvironment, SearchFeature, SearchLifecycle},
        tag::Tag,
        time::{HOUR_MS, Timestamp},
        user,
    },
    store::{
        StoreError,
        entity::{
            app_user, client_metrics_hourly, environment, favorite_feature, feature, feature_environment,
            feature_lifecycle, feature_tag, segment, strategy_segment, tag,
        },
        packed,
    },
    wire::Nullable,
};

/// Id that is shown for a creator of whom nothing is known.
const NOBODY: i64 = 0;

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
    let rows: Vec<FoundRow> = packed::read(db, &statement(ids, reader, now, db.get_database_backend())).await?;
    let mut features: HashMap<i64, SearchFeature> = rows.into_iter().map(|row| (row.id, row.into_feature())).collect();
    Ok(ids.iter().filter_map(|id| features.remove(id)).collect())
}

/// A feature, in the order of the columns of [`statement`].
#[derive(Deserialize)]
struct FoundRow {
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
    creator_name: Option<String>,
    creator_username: Option<String>,
    creator_email: Option<String>,
    #[serde(deserialize_with = "packed::flag")]
    favorite: bool,
    // PostgreSQL aggregates no rows to NULL.
    environments: Option<Vec<EnvironmentRow>>,
    tags: Option<Vec<(String, String)>>,
    segments: Option<BTreeSet<String>>,
    stages: Option<Vec<StageRow>>,
}

/// An element of the column `environments`.
#[derive(Deserialize)]
struct EnvironmentRow {
    name: String,
    kind: String,
    #[serde(deserialize_with = "packed::flag")]
    enabled: bool,
    sort_order: i64,
    variant_count: i64,
    #[serde(deserialize_with = "packed::optional_instant")]
    last_seen_at: Option<Timestamp>,
    #[serde(deserialize_with = "packed::flag")]
    has_strategies: bool,
    #[serde(deserialize_with = "packed::flag")]
    has_enabled_strategies: bool,
    yes: Count,
    no: Count,
}

/// An element of the column `stages`.
#[derive(Deserialize)]
struct StageRow {
    stage: String,
    status: Option<String>,
    #[serde(deserialize_with = "packed::instant")]
    entered_stage_at: Timestamp,
}

/// A sum of counts, which may be larger than any of them could be: it ends at the largest integer.
struct Count(i64);

impl<'de> Deserialize<'de> for Count {
    #[expect(clippy::cast_possible_truncation, reason = "the cast saturates, and counts are whole")]
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        f64::deserialize(deserializer).map(|sum| Self(sum as i64))
    }
}

impl FoundRow {
    fn into_feature(self) -> SearchFeature {
        let mut environments = self.environments.unwrap_or_default();
        environments.sort_by(|a, b| (a.sort_order, &a.name).cmp(&(b.sort_order, &b.name)));
        let mut tags = self.tags.unwrap_or_default();
        tags.sort();
        let creator_id = self.created_by_user_id.unwrap_or(NOBODY);
        let (username, email) = (self.creator_username.as_deref(), self.creator_email.as_deref());
        let created_by = UserSummary {
            id: creator_id,
            name: user::display_name(self.creator_name.as_deref(), username, email).to_owned(),
            image_url: user::image_url(email, username, creator_id),
        };
        SearchFeature {
            lifecycle: latest_stage(self.stages.unwrap_or_default()),
            name: self.name,
            kind: self.kind,
            description: self.description.into(),
            dependency_type: self.dependency_kind.into(),
            project: self.project,
            stale: self.stale,
            favorite: self.favorite,
            impression_data: self.impression_data,
            created_at: Some(self.created_at).into(),
            created_by,
            environments: environments.into_iter().map(EnvironmentRow::into_environment).collect(),
            segments: self.segments.unwrap_or_default().into_iter().collect(),
            tags: (!tags.is_empty())
                .then(|| Nullable(Some(tags.into_iter().map(|(kind, value)| Tag { value, kind }).collect()))),
            last_seen_at: Some(self.last_seen_at.into()),
            archived: None,
            archived_at: None,
            variants: None,
            strategies: None,
        }
    }
}

impl EnvironmentRow {
    fn into_environment(self) -> SearchEnvironment {
        SearchEnvironment {
            name: self.name,
            kind: self.kind,
            enabled: self.enabled,
            sort_order: Some(self.sort_order.into()),
            variant_count: Some(self.variant_count.into()),
            last_seen_at: Some(self.last_seen_at.into()),
            has_strategies: Some(self.has_strategies),
            has_enabled_strategies: Some(self.has_enabled_strategies),
            yes: Some(self.yes.0),
            no: Some(self.no.0),
            ..SearchEnvironment::default()
        }
    }
}

/// The stage entered last; of those entered at once, the one that is further on.
fn latest_stage(rows: Vec<StageRow>) -> Option<SearchLifecycle> {
    let known = rows.into_iter().filter_map(|row| Some((row.entered_stage_at, Stage::parse(&row.stage)?, row.status)));
    let (entered_stage_at, stage, status) = known.max_by_key(|(entered_at, stage, _)| (*entered_at, *stage))?;
    Some(SearchLifecycle { stage, entered_stage_at, status: status.map(|status| Nullable(Some(status))) })
}

/// The statement. `now` bounds the usage counts.
pub(super) fn statement(ids: &[i64], reader: Option<i64>, now: Timestamp, backend: DatabaseBackend) -> SelectStatement {
    use feature::Column;
    let columns = [
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
        app_user::Column::Name.into_expr(),
        app_user::Column::Username.into_expr(),
        app_user::Column::Email.into_expr(),
        is_favorite(reader),
        Expr::from(environments(backend, now)),
        Expr::from(tags(backend)),
        Expr::from(segments(backend)),
        Expr::from(stages(backend)),
    ];
    Query::select()
        .expr(packed::rows(backend, columns))
        .from(feature::Entity)
        .left_join(app_user::Entity, app_user::Column::Id.into_expr().eq(Column::CreatedByUserId.into_expr()))
        .and_where(Column::Id.is_in(ids.iter().copied()))
        .to_owned()
}

fn is_favorite(reader: Option<i64>) -> Expr {
    let Some(reader) = reader else { return Expr::cust("0") };
    let marks = Query::select()
        .expr(Expr::val(1))
        .from(favorite_feature::Entity)
        .and_where(favorite_feature::Column::UserId.eq(reader))
        .and_where(favorite_feature::Column::FeatureId.into_expr().eq(feature::Column::Id.into_expr()))
        .to_owned();
    packed::number(Expr::exists(marks))
}

fn environments(backend: DatabaseBackend, now: Timestamp) -> SelectStatement {
    use feature_environment::Column;
    let fields = [
        Column::Environment.into_expr(),
        environment::Column::Type.into_expr(),
        packed::number(Column::Enabled.into_expr()),
        environment::Column::SortOrder.into_expr(),
        Column::VariantCount.into_expr(),
        Column::LastSeenAt.into_expr(),
        packed::number(Column::HasStrategies.into_expr()),
        packed::number(Column::HasEnabledStrategies.into_expr()),
        recent(backend, client_metrics_hourly::Column::Yes, now),
        recent(backend, client_metrics_hourly::Column::No, now),
    ];
    Query::select()
        .expr(packed::inner_rows(backend, fields))
        .from(feature_environment::Entity)
        .inner_join(environment::Entity, environment::Column::Name.into_expr().eq(Column::Environment.into_expr()))
        .and_where(Column::FeatureId.into_expr().eq(feature::Column::Id.into_expr()))
        .to_owned()
}

/// Sum over all applications, of the hours that began within the hour before `now`.
fn recent(backend: DatabaseBackend, column: client_metrics_hourly::Column, now: Timestamp) -> Expr {
    use client_metrics_hourly::Column;
    // Neither overflows: SQLite's `sum` would.
    let sum = if backend == DatabaseBackend::Postgres { "sum" } else { "total" };
    let sum = Query::select()
        .expr(Func::cust(sum).arg(column.into_expr()))
        .from(client_metrics_hourly::Entity)
        .and_where(Column::FeatureName.into_expr().eq(feature_environment::Column::FeatureName.into_expr()))
        .and_where(Column::Environment.into_expr().eq(feature_environment::Column::Environment.into_expr()))
        .and_where(Column::Timestamp.gte(now.plus_millis(-HOUR_MS)))
        .to_owned();
    Func::coalesce([Expr::from(sum), Expr::val(0)]).into()
}

fn tags(backend: DatabaseBackend) -> SelectStatement {
    Query::select()
        .expr(packed::inner_rows(backend, [tag::Column::Type.into_expr(), tag::Column::Value.into_expr()]))
        .from(feature_tag::Entity)
        .inner_join(tag::Entity, tag::Column::Id.into_expr().eq(feature_tag::Column::TagId.into_expr()))
        .and_where(feature_tag::Column::FeatureId.into_expr().eq(feature::Column::Id.into_expr()))
        .to_owned()
}

fn segments(backend: DatabaseBackend) -> SelectStatement {
    let on = segment::Column::Id.into_expr().eq(strategy_segment::Column::SegmentId.into_expr());
    Query::select()
        .expr(packed::inner_values(backend, segment::Column::Name.into_expr()))
        .from(strategy_segment::Entity)
        .inner_join(segment::Entity, on)
        .and_where(strategy_segment::Column::FeatureId.into_expr().eq(feature::Column::Id.into_expr()))
        .to_owned()
}

fn stages(backend: DatabaseBackend) -> SelectStatement {
    use feature_lifecycle::Column;
    Query::select()
        .expr(packed::inner_rows(
            backend,
            [Column::Stage, Column::Status, Column::EnteredStageAt].map(ColumnTrait::into_expr),
        ))
        .from(feature_lifecycle::Entity)
        .and_where(Column::FeatureId.into_expr().eq(feature::Column::Id.into_expr()))
        .to_owned()
}
