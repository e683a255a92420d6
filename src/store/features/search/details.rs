//! Details of the features of one page, in one statement and one row: each kind of thing comes as one JSON list,
//! because on SQLite each row costs more than what is in it, and so does each look into another table.

mod statement;

use std::collections::{BTreeSet, HashMap, HashSet};

use sea_orm::{ConnectionTrait, DbErr};
use serde::{Deserialize, Deserializer};

pub(super) use self::statement::statement;
use crate::{
    domain::{
        dependency::DependencyType,
        feature::UserSummary,
        lifecycle::Stage,
        search::{SearchEnvironment, SearchFeature, SearchLifecycle},
        time::Timestamp,
    },
    store::{StoreError, db::packed, tags},
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
    #[serde(deserialize_with = "packed::optional_instant")]
    archived_at: Option<Timestamp>,
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
