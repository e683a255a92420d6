//! Writes what an import planned: table by table, many rows to a statement, derived columns included.

use std::collections::{BTreeSet, HashMap};

use flagstone_domain::{
    dependency::DependencyType,
    import::{Plan, PlannedFeature},
    lifecycle::Stage,
    strategy::{FeatureStrategy, StrategyDefinition},
    tag::Tag,
    time::Timestamp,
};
use flagstone_wire::Nullable;
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, EntityTrait, QueryFilter,
    sea_query::{Expr, OnConflict},
};
use uuid::Uuid;

use crate::{
    StoreError,
    db::{
        Tx,
        batches::{ASKED_AT_ONCE, WRITTEN_AT_ONCE},
        value::{to_json_column, to_list_column},
    },
    entity::{
        context_field, feature, feature_dependency, feature_environment, feature_lifecycle, feature_strategy,
        feature_tag, strategy_segment, tag, tag_type,
    },
    environments,
    features::{PROPERTIES, new_row},
    strategies::{row, segment_rows},
    tags,
};

/// Number of steps that [`apply`] reports for a plan.
pub fn steps(plan: &Plan) -> u64 {
    let strategies: usize = plan.features.iter().map(|feature| feature.strategies.len()).sum();
    u64::try_from(2 * plan.features.len() + strategies).unwrap_or(u64::MAX)
}

/// Writes a plan whose data set was judged free of errors in the same transaction. `by` is the user who imports.
///
/// `progress` is called after each batch with the number of the [`steps`] that it took.
pub async fn apply(
    tx: &Tx,
    plan: &Plan,
    by: i64,
    now: Timestamp,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<(), StoreError> {
    let writer = Writer { tx, plan, by, now, progress };
    writer.tag_types().await?;
    writer.context_fields().await?;
    let ids = writer.features().await?;
    writer.configurations(&ids).await?;
    writer.tags(&ids).await?;
    writer.strategies(&ids).await?;
    writer.dependencies(&ids).await
}

/// Ids of the plan's features and of their parents, by name.
type Ids<'a> = HashMap<&'a str, i64>;

struct Writer<'a> {
    tx: &'a Tx,
    plan: &'a Plan,
    by: i64,
    now: Timestamp,
    progress: &'a (dyn Fn(u64) + Sync),
}

impl<'a> Writer<'a> {
    fn report(&self, steps: usize) {
        (self.progress)(u64::try_from(steps).unwrap_or(u64::MAX));
    }

    async fn tag_types(&self) -> Result<(), StoreError> {
        for batch in self.plan.tag_types.chunks(WRITTEN_AT_ONCE) {
            let rows = batch.iter().map(|kind| tag_type::ActiveModel {
                name: Set(kind.name.clone()),
                description: Set(kind.description.clone().unwrap_or_default()),
                icon: Set(kind.icon.clone().and_then(Nullable::into_inner)),
            });
            tag_type::Entity::insert_many(rows).exec_without_returning(self.tx).await?;
        }
        Ok(())
    }

    async fn context_fields(&self) -> Result<(), StoreError> {
        for batch in self.plan.context_fields.chunks(WRITTEN_AT_ONCE) {
            let rows = batch.iter().map(|field| context_field::ActiveModel {
                name: Set(field.name.clone()),
                description: Set(field.description.clone().and_then(Nullable::into_inner)),
                stickiness: Set(field.stickiness.unwrap_or_default()),
                sort_order: Set(field.sort_order.unwrap_or_default()),
                legal_values: Set(to_json_column(&field.legal())),
                created_at: Set(self.now),
                project: Set(field.owner().map(str::to_owned)),
            });
            context_field::Entity::insert_many(rows).exec_without_returning(self.tx).await?;
        }
        Ok(())
    }

    async fn features(&self) -> Result<Ids<'a>, StoreError> {
        let mut ids = HashMap::new();
        let features = || self.plan.features.iter();
        let (stored, new): (Vec<_>, Vec<_>) = features().partition(|feature| feature.stored.is_some());
        for batch in stored.chunks(WRITTEN_AT_ONCE) {
            self.overwrite(batch).await?;
            self.report(batch.len());
        }
        for batch in new.chunks(WRITTEN_AT_ONCE) {
            let rows = self.insert(batch).await?;
            // Databases need not give rows back in their order.
            let found: HashMap<&str, i64> = rows.iter().map(|row| (&*row.name, row.id)).collect();
            ids.extend(batch.iter().filter_map(|feature| Some((feature.name(), *found.get(feature.name())?))));
            self.report(batch.len());
        }
        ids.extend(features().filter_map(|feature| Some((feature.name(), feature.stored.as_ref()?.id))));
        self.find_parents(&mut ids).await?;
        Ok(ids)
    }

    fn row(&self, feature: &PlannedFeature) -> feature::ActiveModel {
        feature::ActiveModel {
            links: Set(to_list_column(&feature.links)),
            ..new_row(&feature.document, Some(self.by), &feature.tags)
        }
    }

    async fn insert(&self, batch: &[&PlannedFeature]) -> Result<Vec<feature::Model>, StoreError> {
        let rows = batch.iter().map(|feature| self.row(feature));
        let rows = feature::Entity::insert_many(rows).exec_with_returning(self.tx).await?;
        let stages = rows.iter().map(|row| feature_lifecycle::ActiveModel {
            feature_id: Set(row.id),
            stage: Set(Stage::Initial.as_str().to_owned()),
            status: Set(None),
            status_value: Set(None),
            entered_stage_at: Set(self.now),
        });
        feature_lifecycle::Entity::insert_many(stages).exec_without_returning(self.tx).await?;
        let names = environments::of_project(self.tx, &self.plan.project).await?;
        for name in &names {
            let rows = rows.iter().map(|row| environments::unconfigured(row, name));
            feature_environment::Entity::insert_many(rows).exec_without_returning(self.tx).await?;
        }
        Ok(rows)
    }

    /// Changes many rows in one statement: each is offered for insertion under its own id.
    async fn overwrite(&self, batch: &[&PlannedFeature]) -> Result<(), StoreError> {
        let rows = batch.iter().filter_map(|feature| {
            let stored = feature.stored.as_ref()?;
            Some(feature::ActiveModel { id: Set(stored.id), ..self.row(feature) })
        });
        let changed = PROPERTIES.into_iter().chain([feature::Column::SearchText, feature::Column::Links]);
        let overwrite = OnConflict::column(feature::Column::Id).update_columns(changed).to_owned();
        feature::Entity::insert_many(rows).on_conflict(overwrite).exec_without_returning(self.tx).await?;
        Ok(())
    }

    async fn find_parents(&self, ids: &mut Ids<'a>) -> Result<(), StoreError> {
        let parents = self.plan.features.iter().flat_map(|feature| &feature.parents).map(|link| &*link.parent);
        let parents: BTreeSet<&str> = parents.filter(|name| !ids.contains_key(name)).collect();
        let parents: Vec<&str> = parents.into_iter().collect();
        for batch in parents.chunks(ASKED_AT_ONCE) {
            let rows = feature::Entity::find().filter(feature::Column::Name.is_in(batch.iter().copied()));
            let found: HashMap<String, i64> =
                rows.all(self.tx).await?.into_iter().map(|row| (row.name, row.id)).collect();
            ids.extend(batch.iter().filter_map(|name| Some((*name, *found.get(*name)?))));
        }
        Ok(())
    }

    /// Sets switch, variants, and what is derived from strategies, in the target environment.
    async fn configurations(&self, ids: &Ids<'a>) -> Result<(), StoreError> {
        for batch in self.plan.features.chunks(WRITTEN_AT_ONCE) {
            let rows: Vec<_> = batch.iter().filter_map(|feature| self.configuration(feature, ids)).collect();
            if !rows.is_empty() {
                let key = [feature_environment::Column::FeatureId, feature_environment::Column::Environment];
                let changed = [
                    feature_environment::Column::Enabled,
                    feature_environment::Column::Variants,
                    feature_environment::Column::VariantCount,
                    feature_environment::Column::HasStrategies,
                    feature_environment::Column::HasEnabledStrategies,
                ];
                let overwrite = OnConflict::columns(key).update_columns(changed).to_owned();
                feature_environment::Entity::insert_many(rows)
                    .on_conflict(overwrite)
                    .exec_without_returning(self.tx)
                    .await?;
            }
            self.report(batch.len());
        }
        Ok(())
    }

    fn configuration(&self, feature: &PlannedFeature, ids: &Ids<'a>) -> Option<feature_environment::ActiveModel> {
        let stored = feature.stored.as_ref();
        let before = stored.map(|stored| &stored.configuration);
        let loses_strategies = before.is_some_and(|before| before.has_strategies);
        let is_changed = feature.enabled.is_some() || !feature.strategies.is_empty() || loses_strategies;
        if !self.plan.configures || !is_changed {
            return None;
        }
        let none = Vec::new();
        let variants = feature.variants.as_ref().or(before.map(|before| &before.variants)).unwrap_or(&none);
        let enabled = feature.enabled.unwrap_or_else(|| before.is_some_and(|before| before.enabled));
        let is_enabled = |strategy: &FeatureStrategy| strategy.disabled.and_then(|disabled| disabled.0) != Some(true);
        Some(feature_environment::ActiveModel {
            feature_id: Set(*ids.get(feature.name())?),
            environment: Set(self.plan.environment.clone()),
            enabled: Set(enabled),
            last_seen_at: Set(None),
            feature_name: Set(feature.name().to_owned()),
            feature_created_at: Set(feature.document.created_at),
            live: Set(true),
            ..environments::configured(variants, feature.strategies.iter().map(is_enabled))
        })
    }

    async fn tags(&self, ids: &Ids<'a>) -> Result<(), StoreError> {
        let stored: Vec<i64> =
            self.plan.features.iter().filter_map(|feature| Some(feature.stored.as_ref()?.id)).collect();
        for batch in stored.chunks(ASKED_AT_ONCE) {
            let of_batch = feature_tag::Column::FeatureId.is_in(batch.iter().copied());
            feature_tag::Entity::delete_many().filter(of_batch).exec(self.tx).await?;
        }
        let new: Vec<&Tag> = self.plan.new_tags.iter().collect();
        for batch in new.chunks(WRITTEN_AT_ONCE) {
            let rows = batch.iter().map(|tag| tag::ActiveModel {
                r#type: Set(tag.kind.clone()),
                value: Set(tag.value.clone()),
                ..Default::default()
            });
            tag::Entity::insert_many(rows).exec_without_returning(self.tx).await?;
        }
        let tag_ids = self.tag_ids().await?;
        let pairs = self.plan.features.iter().flat_map(|feature| feature.tags.iter().map(move |tag| (feature, tag)));
        let pairs: Vec<(i64, i64)> =
            pairs.filter_map(|(feature, tag)| Some((*ids.get(feature.name())?, *tag_ids.get(tag)?))).collect();
        for batch in pairs.chunks(WRITTEN_AT_ONCE) {
            let rows = batch.iter().map(|(feature_id, tag_id)| feature_tag::ActiveModel {
                feature_id: Set(*feature_id),
                tag_id: Set(*tag_id),
                created_at: Set(self.now),
                created_by_user_id: Set(Some(self.by)),
            });
            feature_tag::Entity::insert_many(rows).exec_without_returning(self.tx).await?;
        }
        let places: Vec<(i64, String)> = pairs.iter().map(|(_, tag)| (*tag, self.plan.project.clone())).collect();
        tags::note(self.tx, &places).await?;
        Ok(())
    }

    async fn tag_ids(&self) -> Result<HashMap<Tag, i64>, StoreError> {
        let values: BTreeSet<&str> =
            self.plan.features.iter().flat_map(|feature| &feature.tags).map(|tag| &*tag.value).collect();
        let values: Vec<&str> = values.into_iter().collect();
        let mut ids = HashMap::new();
        for batch in values.chunks(ASKED_AT_ONCE) {
            let of_batch = tag::Column::Value.is_in(batch.iter().copied());
            let rows = tag::Entity::find().filter(of_batch).all(self.tx).await?;
            ids.extend(rows.into_iter().map(|row| (Tag { kind: row.r#type, value: row.value }, row.id)));
        }
        Ok(ids)
    }

    async fn strategies(&self, ids: &Ids<'a>) -> Result<(), StoreError> {
        if !self.plan.configures {
            return Ok(());
        }
        let stored: Vec<i64> =
            self.plan.features.iter().filter_map(|feature| Some(feature.stored.as_ref()?.id)).collect();
        for batch in stored.chunks(ASKED_AT_ONCE) {
            feature_strategy::Entity::delete_many()
                .filter(feature_strategy::Column::FeatureId.is_in(batch.iter().copied()))
                .filter(feature_strategy::Column::Environment.eq(&self.plan.environment))
                .exec(self.tx)
                .await?;
        }
        let pairs = self.plan.features.iter().flat_map(|feature| {
            let feature_id = ids.get(feature.name()).copied();
            let definitions = feature.strategies.iter().map(|strategy| (strategy.id, strategy.clone().into()));
            definitions.filter_map(move |(id, definition)| Some((feature_id?, id?.0, definition)))
        });
        let pairs: Vec<(i64, Uuid, StrategyDefinition)> = pairs.collect();
        for batch in pairs.chunks(WRITTEN_AT_ONCE) {
            let rows = batch.iter().map(|(feature_id, id, definition)| {
                row(*id, (*feature_id, &self.plan.environment), definition, self.now)
            });
            feature_strategy::Entity::insert_many(rows).exec_without_returning(self.tx).await?;
            self.report(batch.len());
        }
        let segments =
            pairs.iter().flat_map(|(feature_id, id, definition)| segment_rows(*id, *feature_id, &definition.segments));
        let segments: Vec<_> = segments.collect();
        for batch in segments.chunks(WRITTEN_AT_ONCE) {
            strategy_segment::Entity::insert_many(batch.to_vec()).exec_without_returning(self.tx).await?;
        }
        Ok(())
    }

    async fn dependencies(&self, ids: &Ids<'a>) -> Result<(), StoreError> {
        let links = self.plan.features.iter().flat_map(|feature| {
            let child_id = ids.get(feature.name()).copied();
            feature.parents.iter().filter_map(move |link| Some((child_id?, *ids.get(&*link.parent)?, link)))
        });
        let links: Vec<_> = links.collect();
        for batch in links.chunks(WRITTEN_AT_ONCE) {
            let rows = batch.iter().map(|(child_id, parent_id, link)| feature_dependency::ActiveModel {
                child_id: Set(*child_id),
                parent_id: Set(*parent_id),
                enabled: Set(link.enabled),
                variants: Set(to_json_column(&link.variants)),
            });
            let key = [feature_dependency::Column::ChildId, feature_dependency::Column::ParentId];
            let changed = [feature_dependency::Column::Enabled, feature_dependency::Column::Variants];
            feature_dependency::Entity::insert_many(rows)
                .on_conflict(OnConflict::columns(key).update_columns(changed).to_owned())
                .exec_without_returning(self.tx)
                .await?;
        }
        // The rules admit no chains, so that no feature is both.
        let children: BTreeSet<i64> = links.iter().map(|(child_id, _, _)| *child_id).collect();
        let parents: BTreeSet<i64> = links.iter().map(|(_, parent_id, _)| *parent_id).collect();
        self.set_dependency_kind(children, DependencyType::Child).await?;
        self.set_dependency_kind(parents, DependencyType::Parent).await
    }

    async fn set_dependency_kind(&self, ids: BTreeSet<i64>, kind: DependencyType) -> Result<(), StoreError> {
        let ids: Vec<i64> = ids.into_iter().collect();
        for batch in ids.chunks(ASKED_AT_ONCE) {
            feature::Entity::update_many()
                .col_expr(feature::Column::DependencyKind, Expr::value(kind.as_str()))
                .filter(feature::Column::Id.is_in(batch.iter().copied()))
                .exec(self.tx)
                .await?;
        }
        Ok(())
    }
}
