//! Reads what is stored about the things that a data set names, in a number of statements that grows with the data
//! set and not with the database.

use std::collections::{BTreeSet, HashMap, HashSet};

use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, JoinType, PaginatorTrait, QueryFilter, QueryOrder, QuerySelect,
};

use super::ASKED_AT_ONCE;
use crate::{
    domain::{
        import::{
            Existing, FeatureTag, ImportRequest, Known, KnownConfiguration, KnownFeature, KnownSegment, TargetProject,
        },
        tag::Tag,
    },
    store::{
        StoreError, context_fields,
        entity::{
            environment, feature, feature_environment, feature_tag, feature_type, project, project_environment,
            segment, strategy_type, tag, tag_type,
        },
        features::rules,
        value::json_column,
    },
};

/// Whether the project, active, and the environment of an import exist.
pub async fn target_exists(db: &impl ConnectionTrait, request: &ImportRequest) -> Result<Existing, StoreError> {
    Ok(Existing {
        project: crate::store::projects::is_active(db, &request.project).await?,
        environment: environment::Entity::find_by_id(&request.environment).count(db).await? > 0,
    })
}

/// Everything that the rules of an import ask about.
pub async fn known(db: &impl ConnectionTrait, request: &ImportRequest) -> Result<Known, StoreError> {
    let key = (request.project.clone(), request.environment.clone());
    let strategy_types = strategy_type::Entity::find().all(db).await?;
    let tag_types = tag_type::Entity::find().all(db).await?;
    let feature_types = feature_type::Entity::find().all(db).await?;
    Ok(Known {
        project: target(db, &request.project).await?,
        uses_environment: project_environment::Entity::find_by_id(key).count(db).await? > 0,
        features: features(db, request).await?,
        strategy_types: strategy_types.into_iter().map(|row| (row.name, !row.built_in)).collect(),
        context_fields: context_fields::legal_values(db).await?,
        segments: segments(db, request).await?,
        tag_types: tag_types.into_iter().map(|row| row.name).collect(),
        tags: tags(db, request).await?,
        feature_types: feature_types.into_iter().map(|row| row.id).collect(),
    })
}

async fn target(db: &impl ConnectionTrait, id: &str) -> Result<TargetProject, StoreError> {
    let Some(row) = project::Entity::find_by_id(id).one(db).await? else {
        return Ok(TargetProject { id: id.to_owned(), ..TargetProject::default() });
    };
    let active = || feature::Entity::find().filter(feature::Column::ArchivedAt.is_null());
    let in_instance = active().count(db).await?;
    let active = active().filter(feature::Column::Project.eq(id)).count(db).await?;
    Ok(TargetProject {
        rules: rules(&row, active),
        id: row.id,
        in_instance,
        instance_limit: None,
        default_stickiness: row.default_stickiness,
    })
}

async fn segments(
    db: &impl ConnectionTrait,
    request: &ImportRequest,
) -> Result<HashMap<String, KnownSegment>, StoreError> {
    let names: BTreeSet<&str> = request.data.named_segments().iter().map(|segment| &*segment.name).collect();
    let names: Vec<&str> = names.into_iter().collect();
    let mut segments = HashMap::new();
    for batch in names.chunks(ASKED_AT_ONCE) {
        let rows = segment::Entity::find().filter(segment::Column::Name.is_in(batch.iter().copied())).all(db).await?;
        segments.extend(rows.into_iter().map(|row| (row.name, KnownSegment { id: row.id, project: row.project })));
    }
    Ok(segments)
}

/// Those of the data set's tags that exist.
async fn tags(db: &impl ConnectionTrait, request: &ImportRequest) -> Result<HashSet<Tag>, StoreError> {
    let wanted: HashSet<Tag> = request.data.tags().iter().map(FeatureTag::tag).collect();
    let values: BTreeSet<&str> = wanted.iter().map(|tag| &*tag.value).collect();
    let values: Vec<&str> = values.into_iter().collect();
    let mut found = HashSet::new();
    for batch in values.chunks(ASKED_AT_ONCE) {
        let rows = tag::Entity::find().filter(tag::Column::Value.is_in(batch.iter().copied())).all(db).await?;
        let tags = rows.into_iter().map(|row| Tag { kind: row.r#type, value: row.value });
        found.extend(tags.filter(|tag| wanted.contains(tag)));
    }
    Ok(found)
}

async fn features(
    db: &impl ConnectionTrait,
    request: &ImportRequest,
) -> Result<HashMap<String, KnownFeature>, StoreError> {
    let names: BTreeSet<&str> = request.data.feature_names().collect();
    let names: Vec<&str> = names.into_iter().collect();
    let mut features = HashMap::new();
    for batch in names.chunks(ASKED_AT_ONCE) {
        let rows = feature::Entity::find().filter(feature::Column::Name.is_in(batch.iter().copied())).all(db).await?;
        if rows.is_empty() {
            continue;
        }
        let ids: Vec<i64> = rows.iter().map(|row| row.id).collect();
        let mut tags = tags_of(db, &ids).await?;
        let mut configurations = configurations(db, &ids, &request.environment).await?;
        features.extend(rows.into_iter().map(|row| {
            let tags = tags.remove(&row.id).unwrap_or_default();
            let configuration = configurations.remove(&row.id).unwrap_or_default();
            (row.name.clone(), known_feature(row, tags, configuration))
        }));
    }
    Ok(features)
}

fn known_feature(row: feature::Model, tags: Vec<Tag>, configuration: KnownConfiguration) -> KnownFeature {
    KnownFeature {
        id: row.id,
        project: row.project,
        kind: row.r#type,
        description: row.description,
        stale: row.stale,
        impression_data: row.impression_data,
        created_at: row.created_at,
        last_seen_at: row.last_seen_at,
        archived_at: row.archived_at,
        is_parent: row.dependency_kind.as_deref() == Some("parent"),
        is_child: row.dependency_kind.as_deref() == Some("child"),
        tags,
        configuration,
    }
}

/// Tags of features, by type, then value.
pub(in crate::store) async fn tags_of(
    db: &impl ConnectionTrait,
    feature_ids: &[i64],
) -> Result<HashMap<i64, Vec<Tag>>, StoreError> {
    let rows: Vec<(i64, String, String)> = feature_tag::Entity::find()
        .select_only()
        .column(feature_tag::Column::FeatureId)
        .column(tag::Column::Type)
        .column(tag::Column::Value)
        .join(
            JoinType::InnerJoin,
            feature_tag::Entity::belongs_to(tag::Entity).from(feature_tag::Column::TagId).to(tag::Column::Id).into(),
        )
        .filter(feature_tag::Column::FeatureId.is_in(feature_ids.iter().copied()))
        .order_by_asc(tag::Column::Type)
        .order_by_asc(tag::Column::Value)
        .into_tuple()
        .all(db)
        .await?;
    let mut tags: HashMap<i64, Vec<Tag>> = HashMap::new();
    for (feature_id, kind, value) in rows {
        tags.entry(feature_id).or_default().push(Tag { value, kind });
    }
    Ok(tags)
}

async fn configurations(
    db: &impl ConnectionTrait,
    feature_ids: &[i64],
    environment: &str,
) -> Result<HashMap<i64, KnownConfiguration>, StoreError> {
    let rows = feature_environment::Entity::find()
        .filter(feature_environment::Column::FeatureId.is_in(feature_ids.iter().copied()))
        .filter(feature_environment::Column::Environment.eq(environment))
        .all(db)
        .await?;
    let mut configurations = HashMap::new();
    for row in rows {
        let variants = json_column("feature_environment.variants", &row.variants)?;
        let configuration = KnownConfiguration { enabled: row.enabled, has_strategies: row.has_strategies, variants };
        configurations.insert(row.feature_id, configuration);
    }
    Ok(configurations)
}
