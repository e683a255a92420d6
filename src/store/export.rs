//! Reads features with everything that they need in another instance.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use flagstone_domain::{
    feature::{Dependency, Feature, FeatureEnvironment},
    feature_document::FeatureDocument,
    import::{
        ContextField, FeatureTag, ImportData, ImportDependency, ImportLinks, LegalValue, SegmentReference, used_fields,
    },
    strategy::FeatureStrategy,
    tag::TagType,
    visibility::Visibility,
};
use flagstone_wire::Nullable;
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
    sea_query::{Expr, ExprTrait, Query},
};

use crate::{
    StoreError,
    db::{batches::ASKED_AT_ONCE, value::json_column},
    entity::{context_field, feature, feature_environment, feature_tag, segment, tag, tag_type},
    features::{links, parents, suspended},
    strategies, tags,
    visibility::not_hidden,
};

/// Selection of features to export. All conditions that are given must hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Names, archived features included; empty asks for no name.
    pub features: Vec<String>,
    /// The project that owns the features.
    pub project: Option<String>,
    /// The value of a tag, of whatever type.
    pub tag: Option<String>,
}

/// The features that are wanted and visible, with their configuration in one environment.
pub async fn export(
    db: &impl ConnectionTrait,
    wanted: &Wanted,
    environment: &str,
    visibility: &Visibility,
) -> Result<ImportData, StoreError> {
    let rows = features(db, wanted, visibility).await?;
    let mut gathered = Gathered::default();
    for batch in rows.chunks(ASKED_AT_ONCE) {
        gathered.batch(db, batch, environment).await?;
    }
    gathered.finish(db).await
}

/// Returns those of the names that belong to visible features.
pub async fn known_names(
    db: &impl ConnectionTrait,
    names: &[String],
    visibility: &Visibility,
) -> Result<Vec<String>, StoreError> {
    let mut known = Vec::new();
    for batch in names.chunks(ASKED_AT_ONCE) {
        let rows = feature::Entity::find()
            .select_only()
            .column(feature::Column::Name)
            .filter(feature::Column::Name.is_in(batch.iter().map(String::as_str)))
            .filter(not_hidden(feature::Column::Project.into_expr(), visibility));
        known.extend(rows.into_tuple::<String>().all(db).await?);
    }
    Ok(known)
}

async fn features(
    db: &impl ConnectionTrait,
    wanted: &Wanted,
    visibility: &Visibility,
) -> Result<Vec<feature::Model>, StoreError> {
    let mut condition = not_hidden(feature::Column::Project.into_expr(), visibility);
    if let Some(project) = &wanted.project {
        condition = condition.add(feature::Column::Project.eq(project));
    }
    if let Some(value) = &wanted.tag {
        let tagged = Query::select()
            .column((feature_tag::Entity, feature_tag::Column::FeatureId))
            .from(feature_tag::Entity)
            .inner_join(
                tag::Entity,
                Expr::col((tag::Entity, tag::Column::Id)).equals((feature_tag::Entity, feature_tag::Column::TagId)),
            )
            .and_where(tag::Column::Value.eq(value))
            .to_owned();
        condition = condition.add(feature::Column::Id.in_subquery(tagged));
    }
    if wanted.features.is_empty() {
        condition = condition.add(feature::Column::ArchivedAt.is_null());
        let rows = feature::Entity::find().filter(condition).order_by_asc(feature::Column::Name).all(db).await?;
        return Ok(rows);
    }
    let names: BTreeSet<&str> = wanted.features.iter().map(String::as_str).collect();
    let names: Vec<&str> = names.into_iter().collect();
    let mut rows = Vec::new();
    for batch in names.chunks(ASKED_AT_ONCE) {
        let of_batch = feature::Column::Name.is_in(batch.iter().copied());
        rows.extend(feature::Entity::find().filter(condition.clone()).filter(of_batch).all(db).await?);
    }
    rows.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(rows)
}

#[derive(Default)]
struct Gathered {
    data: ImportData,
    environments: Vec<FeatureEnvironment>,
    tags: Vec<FeatureTag>,
    dependencies: Vec<ImportDependency>,
    links: Vec<ImportLinks>,
    segment_ids: BTreeSet<i64>,
}

impl Gathered {
    async fn batch(
        &mut self,
        db: &impl ConnectionTrait,
        rows: &[feature::Model],
        environment: &str,
    ) -> Result<(), StoreError> {
        let ids: Vec<i64> = rows.iter().map(|row| row.id).collect();
        let names: HashMap<i64, &str> = rows.iter().map(|row| (row.id, &*row.name)).collect();
        self.data.features.extend(rows.iter().map(exported_feature));
        for row in rows {
            let links = links::read(row.links.as_deref())?;
            if !links.is_empty() {
                let links = links.into_iter().map(Into::into).collect();
                self.links.push(ImportLinks { feature: row.name.clone(), links });
            }
        }
        self.environments(db, &ids, &names, environment).await?;
        self.strategies(db, &ids, &names, environment).await?;
        self.tags(db, &ids, &names).await?;
        self.dependencies(db, &ids, &names).await
    }

    async fn environments(
        &mut self,
        db: &impl ConnectionTrait,
        ids: &[i64],
        names: &HashMap<i64, &str>,
        environment: &str,
    ) -> Result<(), StoreError> {
        let rows = feature_environment::Entity::find()
            .filter(feature_environment::Column::FeatureId.is_in(ids.iter().copied()))
            .filter(feature_environment::Column::Environment.eq(environment))
            .order_by_asc(feature_environment::Column::FeatureName)
            .all(db)
            .await?;
        for row in rows {
            let name = names.get(&row.feature_id).copied().unwrap_or_default();
            self.environments.push(FeatureEnvironment {
                name: name.to_owned(),
                feature_name: Some(name.to_owned()),
                environment: Some(row.environment),
                enabled: row.enabled,
                variants: Some(json_column("feature_environment.variants", &row.variants)?),
                ..FeatureEnvironment::default()
            });
        }
        Ok(())
    }

    async fn strategies(
        &mut self,
        db: &impl ConnectionTrait,
        ids: &[i64],
        names: &HashMap<i64, &str>,
        environment: &str,
    ) -> Result<(), StoreError> {
        let mut strategies = strategies::of_features(db, ids, environment).await?;
        strategies.sort_by_key(|((feature_id, _), _)| names.get(feature_id).copied());
        for ((feature_id, _), strategy) in strategies {
            let feature_name = names.get(&feature_id).copied().map(str::to_owned);
            let strategy = FeatureStrategy { sort_order: None, feature_name, ..strategy };
            self.segment_ids.extend(strategy.segments.iter().flatten().filter_map(|id| id.whole()));
            self.data.feature_strategies.push(strategy);
        }
        Ok(())
    }

    async fn tags(
        &mut self,
        db: &impl ConnectionTrait,
        ids: &[i64],
        names: &HashMap<i64, &str>,
    ) -> Result<(), StoreError> {
        let mut tags = tags::of_features(db, ids).await?;
        for id in ids {
            let name = names.get(id).copied().unwrap_or_default();
            let of_feature = tags.remove(id).unwrap_or_default().into_iter();
            self.tags.extend(of_feature.map(|tag| FeatureTag {
                feature_name: name.to_owned(),
                tag_type: Some(tag.kind),
                tag_value: tag.value,
                kind: None,
                value: None,
                created_by_user_id: None,
            }));
        }
        Ok(())
    }

    async fn dependencies(
        &mut self,
        db: &impl ConnectionTrait,
        ids: &[i64],
        names: &HashMap<i64, &str>,
    ) -> Result<(), StoreError> {
        let links = parents::of_children(db, ids).await?;
        let links = links.into_iter().map(|link| (link.child_id, link.dependency));
        // What an archived feature depends on as soon as it is in use again, which it is where it is imported.
        let suspended = suspended::list(db, ids).await?;
        let mut by_child: BTreeMap<&str, Vec<Dependency>> = BTreeMap::new();
        for (child_id, dependency) in links.chain(suspended) {
            let child = names.get(&child_id).copied().unwrap_or_default();
            by_child.entry(child).or_default().push(dependency);
        }
        self.dependencies.extend(by_child.into_iter().map(|(feature, mut dependencies)| {
            dependencies.sort_by(|one, other| one.feature.cmp(&other.feature));
            ImportDependency { feature: feature.to_owned(), dependencies }
        }));
        Ok(())
    }

    /// Adds what the gathered features refer to.
    async fn finish(mut self, db: &impl ConnectionTrait) -> Result<ImportData, StoreError> {
        self.data.feature_environments = Some(self.environments);
        let used = used_fields(&self.data);
        let types: BTreeSet<String> = self.tags.iter().filter_map(|tag| tag.tag_type.clone()).collect();
        self.data.feature_tags = Some(self.tags);
        self.data.dependencies = Some(self.dependencies);
        self.data.links = Some(self.links);
        self.data.segments = Some(segments(db, self.segment_ids).await?);
        self.data.tag_types = tag_types(db, &types).await?;
        let projects: BTreeSet<String> = self.data.features.iter().filter_map(|one| one.project.clone()).collect();
        self.data.context_fields = Some(context_fields(db, &used, &projects).await?);
        Ok(self.data)
    }
}

/// The feature without its dates.
fn exported_feature(row: &feature::Model) -> Feature {
    let whole = Feature::from(FeatureDocument::from(row.clone()));
    Feature { created_at: None, archived_at: None, last_seen_at: None, ..whole }
}

async fn segments(db: &impl ConnectionTrait, ids: BTreeSet<i64>) -> Result<Vec<SegmentReference>, StoreError> {
    let ids: Vec<i64> = ids.into_iter().collect();
    let mut segments = Vec::with_capacity(ids.len());
    for batch in ids.chunks(ASKED_AT_ONCE) {
        let rows = segment::Entity::find()
            .filter(segment::Column::Id.is_in(batch.iter().copied()))
            .order_by_asc(segment::Column::Id)
            .all(db)
            .await?;
        segments.extend(rows.into_iter().map(|row| SegmentReference { id: row.id.into(), name: row.name }));
    }
    Ok(segments)
}

async fn tag_types(db: &impl ConnectionTrait, used: &BTreeSet<String>) -> Result<Vec<TagType>, StoreError> {
    let rows = tag_type::Entity::find().order_by_asc(tag_type::Column::Name).all(db).await?;
    let used = rows.into_iter().filter(|row| used.contains(&row.name));
    let exported = |row: tag_type::Model| TagType {
        name: row.name,
        description: Some(row.description),
        icon: Some(Nullable(row.icon)),
    };
    Ok(used.map(exported).collect())
}

/// Returns the fields of these names that belong to the whole instance or to one of these projects. Those of other
/// projects are unknown to the features, and may be hidden from the caller.
async fn context_fields(
    db: &impl ConnectionTrait,
    used: &BTreeSet<String>,
    projects: &BTreeSet<String>,
) -> Result<Vec<ContextField>, StoreError> {
    let rows = context_field::Entity::find().order_by_asc(context_field::Column::Name).all(db).await?;
    let is_known = |row: &context_field::Model| row.project.as_ref().is_none_or(|owner| projects.contains(owner));
    let mut fields = Vec::new();
    for row in rows.into_iter().filter(|row| used.contains(&row.name) && is_known(row)) {
        let legal: Vec<LegalValue> = json_column("context_field.legal_values", &row.legal_values)?;
        fields.push(ContextField {
            name: row.name,
            description: Some(Nullable(row.description)),
            stickiness: Some(row.stickiness),
            sort_order: Some(row.sort_order),
            created_at: None,
            used_in_features: None,
            used_in_projects: None,
            project: row.project.map(|project| Nullable(Some(project))),
            legal_values: Some(legal),
        });
    }
    Ok(fields)
}
