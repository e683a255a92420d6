//! Reads what is stored about the things that a data set names, in as many statements whatever there is.

use std::collections::{BTreeSet, HashMap, HashSet};

use flagstone_domain::{
    constraint::Constraint,
    dependency::DependencyType,
    feature_document::FeatureDocument,
    import::{
        Existing, FeatureTag, ImportRequest, Known, KnownConfiguration, KnownFeature, KnownSegment, Link, PLACEHOLDER,
        TargetProject, fields_in_question,
    },
    tag::Tag,
    time::Timestamp,
};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, EntityTrait, PaginatorTrait, QueryFilter, QuerySelect,
    sea_query::{Expr, ExprTrait, IntoTableRef, Query, SelectStatement},
};

use crate::{
    StoreError, context_fields,
    db::{listed, packed, text::containing, value::json_column},
    entity::{
        environment, feature, feature_dependency, feature_environment, feature_strategy, feature_type, project,
        project_environment, segment, strategy_type, tag, tag_type,
    },
    features::{links, parents::ParentRow, rules},
    strategies, tags,
};

/// Most context fields of constraints that do not fit here and are looked for among the strategies of the project.
const MOST_FIELDS: usize = 200;
/// Fields that one statement looks for.
const FIELDS_AT_ONCE: usize = 50;

/// Whether the project, active, and the environment of an import exist.
pub async fn target_exists(db: &impl ConnectionTrait, request: &ImportRequest) -> Result<Existing, StoreError> {
    Ok(Existing {
        project: crate::projects::is_active(db, &request.project).await?,
        environment: environment::Entity::find_by_id(&request.environment).count(db).await? > 0,
    })
}

/// Reads everything that the rules of an import depend on.
pub async fn known(db: &impl ConnectionTrait, request: &ImportRequest) -> Result<Known, StoreError> {
    let (usable_fields, foreign_fields) = context_fields::around(db, &request.project).await?;
    let key = (request.project.clone(), request.environment.clone());
    let known = Known {
        project: target(db, &request.project).await?,
        uses_environment: project_environment::Entity::find_by_id(key).count(db).await? > 0,
        features: features(db, request).await?,
        strategy_types: strategy_types(db).await?,
        context_fields: usable_fields,
        foreign_fields,
        segments: segments(db, request).await?,
        tag_types: names(db, tag_type::Entity, tag_type::Column::Name).await?,
        tags: tags(db, request).await?,
        feature_types: names(db, feature_type::Entity, feature_type::Column::Id).await?,
        held_constraints: HashSet::new(),
        admits_constraints: false,
    };
    let fields = fields_in_question(&request.data, &known);
    let held_constraints = held_constraints(db, &request.project, &fields).await?;
    Ok(Known { held_constraints, admits_constraints: fields.is_empty(), ..known })
}

/// Reads the strategies that the import replaces, for its events: no rule depends on them.
pub async fn add_replaced(
    db: &impl ConnectionTrait,
    request: &ImportRequest,
    known: &mut Known,
) -> Result<(), StoreError> {
    let ids: Vec<i64> = known.features.values().map(|feature| feature.id).collect();
    let mut replaced: HashMap<i64, Vec<_>> = HashMap::new();
    for ((feature_id, _), strategy) in strategies::of_features(db, &ids, &request.environment).await? {
        replaced.entry(feature_id).or_default().push(strategy);
    }
    for feature in known.features.values_mut() {
        feature.configuration.strategies = replaced.remove(&feature.id).unwrap_or_default();
    }
    Ok(())
}

/// Constraints on context fields that strategies of a project have, as they would be stored.
async fn held_constraints(
    db: &impl ConnectionTrait,
    project: &str,
    fields: &BTreeSet<&str>,
) -> Result<HashSet<Constraint>, StoreError> {
    let mut held = HashSet::new();
    // Fields that nothing here uses are not worth a search each.
    for batch in fields.iter().take(MOST_FIELDS).collect::<Vec<_>>().chunks(FIELDS_AT_ONCE) {
        let mentions = batch.iter().fold(Condition::any(), |any, field| {
            let quoted = serde_json::Value::from(**field).to_string();
            any.add(feature_strategy::Column::Constraints.into_expr().like(containing(&quoted)))
        });
        let features = Query::select()
            .column(feature::Column::Id)
            .from(feature::Entity)
            .and_where(feature::Column::Project.eq(project))
            .take();
        let rows: Vec<String> = feature_strategy::Entity::find()
            .select_only()
            .column(feature_strategy::Column::Constraints)
            .distinct()
            .filter(mentions)
            .filter(feature_strategy::Column::FeatureId.in_subquery(features))
            .into_tuple()
            .all(db)
            .await?;
        for row in rows {
            let constraints: Vec<Constraint> = json_column("feature_strategy.constraints", &row)?;
            let meant = constraints.into_iter().filter(|constraint| fields.contains(&*constraint.context_name));
            held.extend(meant.map(Constraint::stored));
        }
    }
    Ok(held)
}

/// The only column of a table that names its rows.
async fn names(
    db: &impl ConnectionTrait,
    table: impl IntoTableRef,
    name: impl ColumnTrait,
) -> Result<HashSet<String>, StoreError> {
    Ok(packed::fetch_column::<String>(db, all_of(table), name).await?.into_iter().collect())
}

/// Whether the text in a column is one of these.
fn is_listed(db: &impl ConnectionTrait, column: impl ColumnTrait, texts: BTreeSet<&str>) -> Expr {
    column.in_subquery(listed::texts(db.get_database_backend(), texts))
}

fn all_of(table: impl IntoTableRef) -> SelectStatement {
    Query::select().from(table).to_owned()
}

packed::row! {
    struct StrategyTypeRow {
        name: String = strategy_type::Column::Name,
        built_in: bool = strategy_type::Column::BuiltIn,
    }
}

/// Every strategy type, and whether it is custom.
async fn strategy_types(db: &impl ConnectionTrait) -> Result<HashMap<String, bool>, StoreError> {
    let rows: Vec<StrategyTypeRow> = packed::fetch(db, all_of(strategy_type::Entity)).await?;
    Ok(rows.into_iter().map(|row| (row.name, !row.built_in)).collect())
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
        default_stickiness: row.default_stickiness,
    })
}

async fn segments(
    db: &impl ConnectionTrait,
    request: &ImportRequest,
) -> Result<HashMap<String, KnownSegment>, StoreError> {
    let names: BTreeSet<&str> = request.data.named_segments().iter().map(|segment| &*segment.name).collect();
    let query = all_of(segment::Entity).and_where(is_listed(db, segment::Column::Name, names)).to_owned();
    let rows: Vec<SegmentRow> = packed::fetch(db, query).await?;
    let known = rows.into_iter().map(|row| {
        let is_placeholder = row.is_empty && row.description.as_deref() == Some(PLACEHOLDER);
        (row.name, KnownSegment { id: row.id, project: row.project, is_placeholder })
    });
    Ok(known.collect())
}

packed::row! {
    struct SegmentRow {
        name: String = segment::Column::Name,
        id: i64 = segment::Column::Id,
        project: Option<String> = segment::Column::Project,
        description: Option<String> = segment::Column::Description,
        /// Whether it has no constraints.
        is_empty: bool => segment::Column::Constraints.eq("[]"),
    }
}

packed::row! {
    struct TagRow {
        kind: String = tag::Column::Type,
        value: String = tag::Column::Value,
    }
}

/// Returns those of the data set's tags that exist.
async fn tags(db: &impl ConnectionTrait, request: &ImportRequest) -> Result<HashSet<Tag>, StoreError> {
    let wanted: HashSet<Tag> = request.data.tags().iter().map(FeatureTag::tag).collect();
    let values: BTreeSet<&str> = wanted.iter().map(|tag| &*tag.value).collect();
    let query = all_of(tag::Entity).and_where(is_listed(db, tag::Column::Value, values)).to_owned();
    let rows: Vec<TagRow> = packed::fetch(db, query).await?;
    let tags = rows.into_iter().map(|TagRow { kind, value }| Tag { value, kind });
    Ok(tags.filter(|tag| wanted.contains(tag)).collect())
}

packed::row! {
    struct FeatureRow {
        id: i64 = feature::Column::Id,
        name: String = feature::Column::Name,
        project: String = feature::Column::Project,
        kind: String = feature::Column::Type,
        description: Option<String> = feature::Column::Description,
        stale: bool = feature::Column::Stale,
        impression_data: bool = feature::Column::ImpressionData,
        created_at: Timestamp = feature::Column::CreatedAt,
        last_seen_at: Option<Timestamp> = feature::Column::LastSeenAt,
        archived_at: Option<Timestamp> = feature::Column::ArchivedAt,
        dependency_kind: Option<String> = feature::Column::DependencyKind,
        links: Option<String> = feature::Column::Links,
    }
}

async fn features(
    db: &impl ConnectionTrait,
    request: &ImportRequest,
) -> Result<HashMap<String, KnownFeature>, StoreError> {
    let names: BTreeSet<&str> = request.data.feature_names().collect();
    let query = all_of(feature::Entity).and_where(is_listed(db, feature::Column::Name, names)).to_owned();
    let rows: Vec<FeatureRow> = packed::fetch(db, query).await?;
    let ids: Vec<i64> = rows.iter().map(|row| row.id).collect();
    let mut tags = tags::of_features(db, &ids).await?;
    let mut parents = parents(db, &ids).await?;
    let mut configurations = configurations(db, &ids, &request.environment).await?;
    let known = rows.into_iter().map(|row| {
        let tags = tags.remove(&row.id).unwrap_or_default();
        let parents = parents.remove(&row.id).unwrap_or_default();
        let configuration = configurations.remove(&row.id).unwrap_or_default();
        Ok((row.name.clone(), known_feature(row, tags, parents, configuration)?))
    });
    known.collect()
}

fn known_feature(
    row: FeatureRow,
    tags: Vec<Tag>,
    parents: Vec<Link>,
    configuration: KnownConfiguration,
) -> Result<KnownFeature, StoreError> {
    Ok(KnownFeature {
        id: row.id,
        document: FeatureDocument {
            name: row.name,
            description: row.description,
            kind: row.kind,
            project: row.project,
            stale: row.stale,
            created_at: row.created_at,
            last_seen_at: row.last_seen_at,
            impression_data: row.impression_data,
            archived_at: row.archived_at,
        },
        is_parent: row.dependency_kind.as_deref() == Some(DependencyType::Parent.as_str()),
        is_child: row.dependency_kind.as_deref() == Some(DependencyType::Child.as_str()),
        parents,
        tags,
        links: links::read(row.links.as_deref())?,
        configuration,
    })
}

/// Dependencies of the features, by the id of the child.
async fn parents(db: &impl ConnectionTrait, children: &[i64]) -> Result<HashMap<i64, Vec<Link>>, StoreError> {
    use feature_dependency::Column;
    let parent = (feature::Entity, feature::Column::Id);
    let query = all_of(feature_dependency::Entity)
        .inner_join(feature::Entity, Column::ParentId.into_expr().equals(parent))
        .and_where(Column::ChildId.in_subquery(listed::numbers(db.get_database_backend(), children)))
        .to_owned();
    let rows: Vec<ParentRow> = packed::fetch(db, query).await?;
    let mut parents: HashMap<i64, Vec<Link>> = HashMap::new();
    for row in rows {
        let variants = row.variants()?;
        parents.entry(row.child_id).or_default().push(Link { parent: row.parent, enabled: row.enabled, variants });
    }
    Ok(parents)
}

packed::row! {
    struct ConfigurationRow {
        feature_id: i64 = feature_environment::Column::FeatureId,
        enabled: bool = feature_environment::Column::Enabled,
        has_strategies: bool = feature_environment::Column::HasStrategies,
        has_enabled_strategies: bool = feature_environment::Column::HasEnabledStrategies,
        variants: String = feature_environment::Column::Variants,
    }
}

async fn configurations(
    db: &impl ConnectionTrait,
    feature_ids: &[i64],
    environment: &str,
) -> Result<HashMap<i64, KnownConfiguration>, StoreError> {
    use feature_environment::Column;
    let query = all_of(feature_environment::Entity)
        .and_where(Column::FeatureId.in_subquery(listed::numbers(db.get_database_backend(), feature_ids)))
        .and_where(Column::Environment.eq(environment))
        .to_owned();
    let rows: Vec<ConfigurationRow> = packed::fetch(db, query).await?;
    let mut configurations = HashMap::new();
    for row in rows {
        let configuration = KnownConfiguration {
            enabled: row.enabled,
            has_strategies: row.has_strategies,
            has_enabled_strategies: row.has_enabled_strategies,
            variants: json_column("feature_environment.variants", &row.variants)?,
            strategies: Vec::new(),
        };
        configurations.insert(row.feature_id, configuration);
    }
    Ok(configurations)
}
