//! Changing the tags of many features at once.

use std::collections::{HashMap, HashSet};

use flagstone_domain::{
    project::ProjectScope,
    tag::{Tag, TagChange},
    time::Timestamp,
    visibility::Visibility,
};
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, Condition, EntityTrait, QueryFilter, QueryOrder, QuerySelect, QueryTrait,
    sea_query::{Expr, LockType, Query},
};

use super::{find, find_or_insert, note};
use crate::{
    StoreError,
    db::{
        Tx,
        batches::{ASKED_AT_ONCE, WRITTEN_AT_ONCE},
    },
    entity::{feature, feature_tag, tag},
    features::search_text,
    visibility::not_hidden,
};

/// Tags that one statement takes off features: each is a condition in a row of alternatives, which may not nest too
/// deep.
const REMOVED_AT_ONCE: usize = 200;

/// A feature that the transaction holds, with its tags.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Carrier {
    /// Internal id of the feature.
    pub id: i64,
    /// Its name.
    pub name: String,
    /// Id of its project.
    pub project: String,
    /// Its tags, by type, then value.
    pub tags: Vec<Tag>,
}

/// Returns the features of a project with these names, archived or not, locked until the transaction ends.
pub async fn hold_features(tx: &Tx, project: &ProjectScope, names: &[String]) -> Result<Vec<Carrier>, StoreError> {
    let which = Condition::all().add(feature::Column::Project.eq(project.id())).add(feature::Column::Name.is_in(names));
    hold(tx, which).await
}

/// Returns the visible features that carry a tag of a type, or the one with this value, locked until the transaction
/// ends.
pub async fn hold_carriers(
    tx: &Tx,
    kind: &str,
    value: Option<&str>,
    visibility: &Visibility,
) -> Result<Vec<Carrier>, StoreError> {
    let tags = tag::Entity::find()
        .select_only()
        .column(tag::Column::Id)
        .filter(tag::Column::Type.eq(kind))
        .filter(Condition::all().add_option(value.map(|value| tag::Column::Value.eq(value))))
        .into_query();
    let carriers = Query::select()
        .column(feature_tag::Column::FeatureId)
        .from(feature_tag::Entity)
        .and_where(feature_tag::Column::TagId.in_subquery(tags))
        .to_owned();
    let seen = not_hidden(feature::Column::Project.into_expr(), visibility);
    hold(tx, seen.add(feature::Column::Id.in_subquery(carriers))).await
}

async fn hold(tx: &Tx, which: Condition) -> Result<Vec<Carrier>, StoreError> {
    let rows =
        feature::Entity::find().filter(which).order_by_asc(feature::Column::Id).lock(LockType::Update).all(tx).await?;
    let mut carriers = Vec::with_capacity(rows.len());
    for batch in rows.chunks(ASKED_AT_ONCE) {
        let ids: Vec<i64> = batch.iter().map(|row| row.id).collect();
        let mut tags = super::of_features(tx, &ids).await?;
        carriers.extend(batch.iter().map(|row| Carrier {
            id: row.id,
            name: row.name.clone(),
            project: row.project.clone(),
            tags: tags.remove(&row.id).unwrap_or_default(),
        }));
    }
    Ok(carriers)
}

/// Changes the tags of features that the transaction holds; the types of new tags exist. Returns the tags that are new
/// to a caller with this visibility.
pub async fn change(
    tx: &Tx,
    changes: &[(Carrier, TagChange)],
    visibility: &Visibility,
    by: i64,
    now: Timestamp,
) -> Result<HashSet<Tag>, StoreError> {
    let mut ids = HashMap::new();
    let mut new_tags = HashSet::new();
    let named: Vec<&Tag> = changes.iter().flat_map(|(_, change)| change.added.iter().chain(&change.removed)).collect();
    for tag in named {
        if !ids.contains_key(tag) {
            let is_unseen =
                !visibility.hidden_projects.is_empty() && find(tx, &tag.kind, &tag.value, visibility).await?.is_none();
            let (id, is_new) = find_or_insert(tx, tag).await?;
            ids.insert(tag, id);
            if is_new || is_unseen {
                new_tags.insert(tag.clone());
            }
        }
    }
    let gained = changes.iter().flat_map(|(carrier, change)| {
        change.added.iter().filter_map(|tag| Some((*ids.get(tag)?, carrier.project.clone())))
    });
    note(tx, &gained.collect::<Vec<_>>()).await?;
    let added: Vec<(i64, i64)> =
        changes.iter().flat_map(|(carrier, change)| links(carrier, &change.added, &ids)).collect();
    for batch in added.chunks(WRITTEN_AT_ONCE) {
        let rows = batch.iter().map(|(feature_id, tag_id)| feature_tag::ActiveModel {
            feature_id: Set(*feature_id),
            tag_id: Set(*tag_id),
            created_at: Set(now),
            created_by_user_id: Set(Some(by)),
        });
        feature_tag::Entity::insert_many(rows).on_conflict_do_nothing().exec_without_returning(tx).await?;
    }
    let removed: Vec<(i64, i64)> =
        changes.iter().flat_map(|(carrier, change)| links(carrier, &change.removed, &ids)).collect();
    for batch in removed.chunks(REMOVED_AT_ONCE) {
        let one = |(feature_id, tag_id): &(i64, i64)| {
            Condition::all()
                .add(feature_tag::Column::FeatureId.eq(*feature_id))
                .add(feature_tag::Column::TagId.eq(*tag_id))
        };
        let any = batch.iter().map(one).fold(Condition::any(), Condition::add);
        feature_tag::Entity::delete_many().filter(any).exec(tx).await?;
    }
    for (carrier, change) in changes {
        if !change.is_empty() {
            write_search_text(tx, carrier.id, &carrier.name, &change.after()).await?;
        }
    }
    Ok(new_tags)
}

/// Derives once more the text of a feature that searches look into.
async fn write_search_text(tx: &Tx, feature_id: i64, name: &str, tags: &[Tag]) -> Result<(), StoreError> {
    feature::Entity::update_many()
        .col_expr(feature::Column::SearchText, Expr::value(search_text(name, tags)))
        .filter(feature::Column::Id.eq(feature_id))
        .exec(tx)
        .await?;
    Ok(())
}

fn links<'a>(
    carrier: &'a Carrier,
    tags: &'a [Tag],
    ids: &'a HashMap<&Tag, i64>,
) -> impl Iterator<Item = (i64, i64)> + 'a {
    tags.iter().filter_map(|tag| Some((carrier.id, *ids.get(tag)?)))
}
