//! The tags that there are, whether or not a feature carries them.

use std::collections::BTreeSet;

use flagstone_domain::{tag::Tag, token::ALL, visibility::Visibility};
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, Condition, ConnectionTrait, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder, QuerySelect,
    QueryTrait,
    sea_query::{Expr, ExprTrait, OnConflict, Query, SelectStatement},
};

use super::find_or_insert;
use crate::{
    StoreError,
    db::{Tx, batches::WRITTEN_AT_ONCE},
    entity::{feature, feature_tag, tag, tag_project},
    visibility::not_hidden,
};

/// The visible tags, by type, then value: all of them, or those of one type.
///
/// Those that were made on their own, and those that features of visible projects carry, or once did. A tag that only
/// features of hidden projects ever carried is as hidden as they are, or were.
pub async fn list(
    db: &impl ConnectionTrait,
    kind: Option<&str>,
    visibility: &Visibility,
) -> Result<Vec<Tag>, StoreError> {
    let rows = tag::Entity::find()
        .filter(visible(visibility).add_option(kind.map(|kind| tag::Column::Type.eq(kind))))
        .order_by_asc(tag::Column::Type)
        .order_by_asc(tag::Column::Value)
        .all(db)
        .await?;
    Ok(rows.into_iter().map(|row| Tag { value: row.value, kind: row.r#type }).collect())
}

/// The tag of this type and value, if it is visible.
pub async fn find(
    db: &impl ConnectionTrait,
    kind: &str,
    value: &str,
    visibility: &Visibility,
) -> Result<Option<Tag>, StoreError> {
    let row = tag::Entity::find()
        .filter(visible(visibility).add(tag::Column::Type.eq(kind)).add(tag::Column::Value.eq(value)))
        .one(db)
        .await?;
    Ok(row.map(|row| Tag { value: row.value, kind: row.r#type }))
}

/// Makes a tag that is visible to all, whose type must exist. Returns whether it is new to a caller with this
/// visibility.
pub async fn make(tx: &Tx, new: &Tag, visibility: &Visibility) -> Result<bool, StoreError> {
    if find(tx, &new.kind, &new.value, visibility).await?.is_some() {
        return Ok(false);
    }
    let (id, _) = find_or_insert(tx, new).await?;
    Ok(note(tx, &[(id, ALL.to_owned())]).await? > 0)
}

/// Notes the projects whose features carry tags, by the ids of the tags. Returns how many were not noted before.
pub async fn note(tx: &Tx, places: &[(i64, String)]) -> Result<u64, StoreError> {
    let places: BTreeSet<&(i64, String)> = places.iter().collect();
    let rows: Vec<_> = places
        .into_iter()
        .map(|(tag_id, project)| tag_project::ActiveModel { tag_id: Set(*tag_id), project: Set(project.clone()) })
        .collect();
    let mut noted = 0;
    for batch in rows.chunks(WRITTEN_AT_ONCE) {
        let known =
            OnConflict::columns([tag_project::Column::TagId, tag_project::Column::Project]).do_nothing().to_owned();
        let insert = tag_project::Entity::insert_many(batch.to_vec()).on_conflict(known);
        noted += insert.exec_without_returning(tx).await?;
    }
    Ok(noted)
}

/// Whether a tag of a type is known in a hidden project.
pub async fn is_carried_unseen(tx: &Tx, kind: &str, visibility: &Visibility) -> Result<bool, StoreError> {
    let hidden = &visibility.hidden_projects;
    if hidden.is_empty() {
        return Ok(false);
    }
    let id = || Expr::col((tag::Entity, tag::Column::Id));
    let unseen = id()
        .in_subquery(carried(feature::Column::Project.is_in(hidden)))
        .or(id().in_subquery(noted(tag_project::Column::Project.is_in(hidden))));
    Ok(tag::Entity::find().filter(tag::Column::Type.eq(kind)).filter(unseen).count(tx).await? > 0)
}

/// Removes tags as far as they are visible: all of a type, or the one with this value. They are gone where no hidden
/// feature carries them, or once did. The caller has taken them off the visible features.
pub async fn delete(tx: &Tx, kind: &str, value: Option<&str>, visibility: &Visibility) -> Result<(), StoreError> {
    let meant = || {
        let which = Condition::all().add(tag::Column::Type.eq(kind));
        which.add_option(value.map(|value| tag::Column::Value.eq(value)))
    };
    let ids = tag::Entity::find().select_only().column(tag::Column::Id).filter(meant()).into_query();
    tag_project::Entity::delete_many()
        .filter(tag_project::Column::TagId.in_subquery(ids))
        .filter(not_hidden(tag_project::Column::Project.into_expr(), visibility))
        .exec(tx)
        .await?;
    let id = || Expr::col((tag::Entity, tag::Column::Id));
    tag::Entity::delete_many()
        .filter(meant())
        .filter(id().not_in_subquery(carried(Expr::value(1).eq(1))))
        .filter(id().not_in_subquery(noted(Expr::value(1).eq(1))))
        .exec(tx)
        .await?;
    Ok(())
}

fn visible(visibility: &Visibility) -> Condition {
    if visibility.hidden_projects.is_empty() {
        return Condition::all();
    }
    let id = || Expr::col((tag::Entity, tag::Column::Id));
    Condition::all().add(
        Condition::any()
            .add(id().in_subquery(noted(not_hidden(tag_project::Column::Project.into_expr(), visibility).into())))
            .add(id().in_subquery(carried(not_hidden(feature::Column::Project.into_expr(), visibility).into()))),
    )
}

/// Ids of the tags that are known in certain projects.
fn noted(which: Expr) -> SelectStatement {
    Query::select().column(tag_project::Column::TagId).from(tag_project::Entity).and_where(which).to_owned()
}

/// Ids of the tags on certain features.
fn carried(which: Expr) -> SelectStatement {
    Query::select()
        .column((feature_tag::Entity, feature_tag::Column::TagId))
        .from(feature_tag::Entity)
        .inner_join(
            feature::Entity,
            feature::Column::Id.into_expr().equals((feature_tag::Entity, feature_tag::Column::FeatureId)),
        )
        .and_where(which)
        .to_owned()
}
