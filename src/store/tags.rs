//! Tags, and the features that carry them.

use sea_orm::{
    ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, JoinType, QueryFilter, QueryOrder, QuerySelect,
    sea_query::Expr,
};

use crate::{
    domain::{tag::Tag, time::Timestamp},
    store::{
        StoreError,
        db::Tx,
        entity::{feature, feature_tag, tag},
        features::search_text,
    },
};

/// What adding a tag to a feature did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Added {
    /// Whether nothing had carried this tag before.
    pub new_tag: bool,
    /// Whether the feature had not carried it before.
    pub new_on_feature: bool,
}

/// The tags of a feature, by type, then value.
pub async fn of_feature(db: &impl ConnectionTrait, feature_id: i64) -> Result<Vec<Tag>, StoreError> {
    let rows: Vec<(String, String)> = tag::Entity::find()
        .select_only()
        .column(tag::Column::Type)
        .column(tag::Column::Value)
        .join(
            JoinType::InnerJoin,
            tag::Entity::belongs_to(feature_tag::Entity).from(tag::Column::Id).to(feature_tag::Column::TagId).into(),
        )
        .filter(feature_tag::Column::FeatureId.eq(feature_id))
        .order_by_asc(tag::Column::Type)
        .order_by_asc(tag::Column::Value)
        .into_tuple()
        .all(db)
        .await?;
    Ok(rows.into_iter().map(|(kind, value)| Tag { value, kind }).collect())
}

/// Adds a tag to a feature. The tag's type must exist.
pub async fn add(tx: &Tx, feature_id: i64, new: &Tag, by: i64, now: Timestamp) -> Result<Added, StoreError> {
    let (tag_id, new_tag) = find_or_insert(tx, new).await?;
    let row = feature_tag::ActiveModel {
        feature_id: Set(feature_id),
        tag_id: Set(tag_id),
        created_at: Set(now),
        created_by_user_id: Set(Some(by)),
    };
    let inserted = feature_tag::Entity::insert(row).on_conflict_do_nothing().exec_without_returning(tx).await?;
    let new_on_feature = matches!(inserted, sea_orm::TryInsertResult::Inserted(1));
    if new_on_feature {
        refresh_search_text(tx, feature_id).await?;
    }
    Ok(Added { new_tag, new_on_feature })
}

/// Takes all tags off a feature; the tags themselves stay.
pub async fn remove_all(tx: &Tx, feature_id: i64) -> Result<(), StoreError> {
    feature_tag::Entity::delete_many().filter(feature_tag::Column::FeatureId.eq(feature_id)).exec(tx).await?;
    refresh_search_text(tx, feature_id).await
}

async fn find_or_insert(tx: &Tx, new: &Tag) -> Result<(i64, bool), StoreError> {
    let known = tag::Entity::find()
        .filter(tag::Column::Type.eq(&new.kind))
        .filter(tag::Column::Value.eq(&new.value))
        .one(tx)
        .await?;
    if let Some(row) = known {
        return Ok((row.id, false));
    }
    let row = tag::ActiveModel { r#type: Set(new.kind.clone()), value: Set(new.value.clone()), ..Default::default() };
    Ok((tag::Entity::insert(row).exec_with_returning(tx).await?.id, true))
}

/// Derives the text that searches look into once more, after the tags of a feature changed.
pub(super) async fn refresh_search_text(tx: &Tx, feature_id: i64) -> Result<(), StoreError> {
    let tags = of_feature(tx, feature_id).await?;
    let Some(row) = feature::Entity::find_by_id(feature_id).one(tx).await? else { return Ok(()) };
    feature::Entity::update_many()
        .col_expr(feature::Column::SearchText, Expr::value(search_text(&row.name, &tags)))
        .filter(feature::Column::Id.eq(feature_id))
        .exec(tx)
        .await?;
    Ok(())
}
