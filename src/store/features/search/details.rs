//! Details of the features of one page, in one statement and one row: each kind of thing comes as one JSON list,
//! because on SQLite each row costs more than what is in it, and so does each look into another table.

mod statement;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use flagstone_domain::{
    dependency::DependencyType,
    feature::UserSummary,
    lifecycle::Stage,
    search::{SearchEnvironment, SearchFeature, SearchLifecycle},
    time::Timestamp,
};
use flagstone_wire::Nullable;
use sea_orm::{ConnectionTrait, DatabaseBackend, DbErr, sea_query::Expr};
use serde::{Deserialize, Deserializer};

pub(super) use self::statement::statement;
use crate::{
    StoreError,
    db::packed::{self, PackedValue},
    entity::{feature, feature_environment, feature_lifecycle, segment, strategy_segment},
    features::read::{CreatorRow, EnvironmentKind, environment_kinds},
    tags::{self, TagRow},
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
    let row = db.query_one_raw(statement(ids, reader, now, db.get_database_backend())).await?;
    let row = row.ok_or_else(|| DbErr::RecordNotFound("details".to_owned()))?;
    let answers = packed::Texts::of(row).take(Found::NUMBER)?;
    let mut features = Found::read(&answers)?.features();
    Ok(ids.iter().filter_map(|id| features.remove(id)).collect())
}

packed::lists! {
    /// The columns of the statement.
    struct Found<'a> {
        features: FeatureRow = statement::features,
        configurations: ConfigurationRow = statement::configurations,
        environments: EnvironmentKind<'a> = environment_kinds,
        tags: TagRow = statement::tags,
        segments: SegmentRow = statement::segments,
        stages: StageRow = statement::stages,
        creators: CreatorRow = statement::creators,
        favorites: i64 = statement::favorites,
        uses: UseRow = statement::uses,
    }
}

packed::row! {
    struct FeatureRow {
        id: i64 = feature::Column::Id,
        name: String = feature::Column::Name,
        kind: String = feature::Column::Type,
        description: Option<String> = feature::Column::Description,
        project: String = feature::Column::Project,
        stale: bool = feature::Column::Stale,
        impression_data: bool = feature::Column::ImpressionData,
        created_at: Timestamp = feature::Column::CreatedAt,
        last_seen_at: Option<Timestamp> = feature::Column::LastSeenAt,
        dependency_kind: Option<String> = feature::Column::DependencyKind,
        created_by_user_id: Option<i64> = feature::Column::CreatedByUserId,
        archived_at: Option<Timestamp> = feature::Column::ArchivedAt,
    }
}

packed::row! {
    /// A feature in an environment.
    struct ConfigurationRow {
        feature_id: i64 = feature_environment::Column::FeatureId,
        environment: String = feature_environment::Column::Environment,
        enabled: bool = feature_environment::Column::Enabled,
        variant_count: i64 = feature_environment::Column::VariantCount,
        last_seen_at: Option<Timestamp> = feature_environment::Column::LastSeenAt,
        has_strategies: bool = feature_environment::Column::HasStrategies,
        has_enabled_strategies: bool = feature_environment::Column::HasEnabledStrategies,
    }
}

packed::row! {
    /// A segment that a strategy of a feature applies.
    struct SegmentRow {
        feature_id: i64 = strategy_segment::Column::FeatureId,
        name: String = segment::Column::Name,
    }
}

packed::row! {
    struct StageRow {
        feature_id: i64 = feature_lifecycle::Column::FeatureId,
        stage: String = feature_lifecycle::Column::Stage,
        status: Option<String> = feature_lifecycle::Column::Status,
        entered_stage_at: Timestamp = feature_lifecycle::Column::EnteredStageAt,
    }
}

packed::row! {
    /// The use of a feature in an environment, of a query that names its columns so.
    struct UseRow {
        feature_id: i64 => Expr::col("id"),
        environment: String => Expr::col("environment"),
        yes: Count => Expr::col("yes"),
        no: Count => Expr::col("no"),
    }
}

/// A sum of counts, which may be larger than any of them could be: it ends at the largest integer.
#[derive(Clone, Copy, Default)]
struct Count(i64);

impl<'de> PackedValue<'de> for Count {
    type Column = Expr;

    fn written(_: DatabaseBackend, column: Expr) -> Expr {
        column
    }

    #[expect(clippy::cast_possible_truncation, reason = "the cast saturates, and counts are whole")]
    fn read<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        f64::deserialize(deserializer).map(|sum| Self(sum as i64))
    }
}

impl Found<'_> {
    /// The features by id. What belongs to them is in ordered maps: for the features of a page a comparison costs a
    /// fifth of a hash.
    fn features(mut self) -> HashMap<i64, SearchFeature> {
        let creators: BTreeMap<i64, UserSummary> = self.creators.iter().map(CreatorRow::summary).collect();
        let favorites: BTreeSet<i64> = self.favorites.into_iter().collect();
        let mut environments = environments_by_feature(self.configurations, &mut self.environments, &self.uses);
        let mut tags = tags::by_feature(self.tags);
        let mut segments: BTreeMap<i64, BTreeSet<String>> = BTreeMap::new();
        for SegmentRow { feature_id, name } in self.segments {
            segments.entry(feature_id).or_default().insert(name);
        }
        let mut stages: BTreeMap<i64, Vec<StageRow>> = BTreeMap::new();
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
                favorite: favorites.contains(&id),
                impression_data: row.impression_data,
                created_at: Some(row.created_at).into(),
                created_by: created_by.unwrap_or_else(|| UserSummary::of(creator_id, None, None, None)),
                environments: environments.remove(&id).unwrap_or_default(),
                segments: segments.remove(&id).unwrap_or_default().into_iter().collect(),
                tags: tags.remove(&id).map(|tags| Nullable(Some(tags))),
                lifecycle: latest_stage(stages.remove(&id).unwrap_or_default()),
                last_seen_at: Some(row.last_seen_at.into()),
                archived: row.archived_at.map(|_| true),
                archived_at: row.archived_at.map(|at| Nullable(Some(at))),
                variants: None,
                strategies: None,
            };
            (id, feature)
        });
        features.collect()
    }
}

/// The environments of each feature, by sort order, then name.
fn environments_by_feature(
    configurations: Vec<ConfigurationRow>,
    environments: &mut [EnvironmentKind<'_>],
    uses: &[UseRow],
) -> BTreeMap<i64, Vec<SearchEnvironment>> {
    environments.sort_by(|a, b| (a.sort_order, &a.name).cmp(&(b.sort_order, &b.name)));
    let places: BTreeMap<&str, usize> = environments.iter().zip(0..).map(|(row, place)| (&*row.name, place)).collect();
    let uses: BTreeMap<(i64, &str), (Count, Count)> =
        uses.iter().map(|row| ((row.feature_id, &*row.environment), (row.yes, row.no))).collect();
    let mut in_order: Vec<_> =
        configurations.into_iter().filter_map(|row| Some((*places.get(&*row.environment)?, row))).collect();
    in_order.sort_unstable_by_key(|(place, _)| *place);
    let mut by_feature: BTreeMap<i64, Vec<SearchEnvironment>> = BTreeMap::new();
    for (place, row) in in_order {
        let (yes, no) = uses.get(&(row.feature_id, &*row.environment)).copied().unwrap_or_default();
        let EnvironmentKind { kind, sort_order, .. } = &environments[place];
        by_feature.entry(row.feature_id).or_default().push(SearchEnvironment {
            name: row.environment,
            kind: kind.to_string(),
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
