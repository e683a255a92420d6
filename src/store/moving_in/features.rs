//! Features with all that hangs on them.

use std::collections::{HashMap, HashSet};

use flagstone_clock as clock;
use flagstone_domain::{
    dependency::DependencyType, feature::Dependency, feature_link::FeatureLink, tag::Tag, time::Timestamp,
};
use flagstone_moving_in::{Feature, Set};
use flagstone_wire::Nullable;
use sea_orm::ActiveValue::Set as To;
use uuid::Uuid;

use super::{MoveInError, lists::tag_ids, target::insert};
use crate::{
    db::{
        Tx,
        value::{to_json_column, to_list_column},
    },
    entity::{feature, feature_dependency, feature_environment, feature_lifecycle, feature_tag},
    environments::configured,
    features::{new_row, suspended},
    strategies::{row, segment_rows},
};

/// Features are numbered by their place, from 1.
pub(super) fn ids(set: &Set) -> impl Iterator<Item = (i64, &Feature)> {
    (1..).zip(&set.features)
}

pub(super) async fn write(tx: &Tx, set: &Set, now: Timestamp) -> Result<(), MoveInError> {
    // Dependencies of archived features bind nothing.
    let in_use = || set.features.iter().filter(|feature| feature.archived_at.is_none());
    let children: HashSet<&str> =
        in_use().filter(|feature| !feature.dependencies.is_empty()).map(|feature| &*feature.name).collect();
    let parents: HashSet<&str> =
        in_use().flat_map(|feature| feature.dependencies.iter().map(|parent| &*parent.parent)).collect();
    let side = |name: &str| match (children.contains(name), parents.contains(name)) {
        (true, _) => Some(DependencyType::Child.as_str().to_owned()),
        (false, true) => Some(DependencyType::Parent.as_str().to_owned()),
        (false, false) => None,
    };
    let rows = ids(set).map(|(id, feature)| {
        let tags: Vec<Tag> =
            feature.tags.iter().map(|tag| Tag { kind: tag.kind.clone(), value: tag.value.clone() }).collect();
        let document = feature.document(now);
        feature::ActiveModel {
            id: To(id),
            potentially_stale: To(feature.potentially_stale),
            archived_at: To(document.archived_at),
            last_seen_at: To(document.last_seen_at),
            dependency_kind: To(side(&feature.name)),
            links: To(to_list_column(&own_links(feature))),
            ..new_row(&document, feature.created_by_user_id, &tags)
        }
    });
    insert(tx, rows.collect()).await?;
    environments(tx, set, now).await?;
    strategies(tx, set, now).await?;
    belongings(tx, set, now).await
}

/// The links of a feature, each with an id.
fn own_links(feature: &Feature) -> Vec<FeatureLink> {
    let links = feature.links.iter().map(|link| FeatureLink {
        id: if link.id.is_empty() { clock::new_uuid().to_string() } else { link.id.clone() },
        url: link.url.clone(),
        title: Nullable(link.title.clone()),
    });
    links.collect()
}

async fn environments(tx: &Tx, set: &Set, now: Timestamp) -> Result<(), MoveInError> {
    let rows = ids(set).flat_map(|(id, feature)| {
        feature.environments.iter().map(move |state| feature_environment::ActiveModel {
            feature_id: To(id),
            environment: To(state.environment.clone()),
            enabled: To(state.enabled),
            last_seen_at: To(state.last_seen_at),
            feature_name: To(feature.name.clone()),
            feature_created_at: To(feature.created_at.unwrap_or(now)),
            live: To(feature.archived_at.is_none()),
            ..configured(&state.variants, state.strategies.iter().map(|strategy| !strategy.disabled))
        })
    });
    insert(tx, rows.collect()).await
}

async fn strategies(tx: &Tx, set: &Set, now: Timestamp) -> Result<(), MoveInError> {
    let (mut rows, mut segments, mut taken) = (Vec::new(), Vec::new(), HashSet::new());
    for (feature_id, feature) in ids(set) {
        for state in &feature.environments {
            for strategy in &state.strategies {
                let given = Uuid::parse_str(&strategy.id).ok().filter(|id| taken.insert(*id));
                let id = given.unwrap_or_else(clock::new_uuid);
                let created_at = strategy.created_at.or(feature.created_at).unwrap_or(now);
                let definition = strategy.definition();
                segments.extend(segment_rows(id, feature_id, &definition.segments));
                rows.push(row(id, (feature_id, &*state.environment), &definition, created_at));
            }
        }
    }
    insert(tx, rows).await?;
    insert(tx, segments).await
}

async fn belongings(tx: &Tx, set: &Set, now: Timestamp) -> Result<(), MoveInError> {
    let places: HashMap<&str, i64> = ids(set).map(|(id, feature)| (&*feature.name, id)).collect();
    let tags: HashMap<_, i64> = tag_ids(set).map(|(id, tag)| (tag, id)).collect();
    let (mut tagged, mut links, mut waiting, mut stages) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (feature_id, feature) in ids(set) {
        tagged.extend(feature.tags.iter().filter_map(|tag| tags.get(tag)).map(|tag_id| feature_tag::ActiveModel {
            feature_id: To(feature_id),
            tag_id: To(*tag_id),
            created_at: To(feature.created_at.unwrap_or(now)),
            created_by_user_id: To(None),
        }));
        for link in &feature.dependencies {
            if feature.archived_at.is_some() {
                let dependency = Dependency {
                    feature: link.parent.clone(),
                    enabled: Some(link.enabled),
                    variants: Some(link.variants.clone()),
                };
                waiting.push(suspended::row(feature_id, &dependency));
            } else if let Some(parent_id) = places.get(&*link.parent) {
                links.push(feature_dependency::ActiveModel {
                    child_id: To(feature_id),
                    parent_id: To(*parent_id),
                    enabled: To(link.enabled),
                    variants: To(to_json_column(&link.variants)),
                });
            }
        }
        stages.extend(feature.lifecycle.iter().map(|stage| feature_lifecycle::ActiveModel {
            feature_id: To(feature_id),
            stage: To(stage.stage.clone()),
            status: To(stage.status.clone()),
            status_value: To(stage.status_value.clone()),
            entered_stage_at: To(stage.entered_at.unwrap_or(now)),
        }));
    }
    insert(tx, tagged).await?;
    insert(tx, links).await?;
    insert(tx, waiting).await?;
    insert(tx, stages).await
}
