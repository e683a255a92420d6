//! The tags that there are, whether or not a feature carries them.

use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder,
    sea_query::{Expr, ExprTrait, Query, SelectStatement},
};

use crate::{
    domain::{tag::Tag, visibility::Visibility},
    store::{
        StoreError,
        db::Tx,
        entity::{feature, feature_tag, tag},
    },
};

/// The tags that somebody may see, by type, then value: all of them, or those of one type.
///
/// A tag that only features of hidden projects carry is as hidden as they are.
pub async fn list(
    db: &impl ConnectionTrait,
    kind: Option<&str>,
    visibility: &Visibility,
) -> Result<Vec<Tag>, StoreError> {
    if kind.is_some_and(|kind| kind.contains('\0')) {
        return Ok(Vec::new());
    }
    let rows = tag::Entity::find()
        .filter(visible(visibility).add_option(kind.map(|kind| tag::Column::Type.eq(kind))))
        .order_by_asc(tag::Column::Type)
        .order_by_asc(tag::Column::Value)
        .all(db)
        .await?;
    Ok(rows.into_iter().map(|row| Tag { value: row.value, kind: row.r#type }).collect())
}

/// The tag of this type and value, if somebody may see it.
pub async fn find(
    db: &impl ConnectionTrait,
    kind: &str,
    value: &str,
    visibility: &Visibility,
) -> Result<Option<Tag>, StoreError> {
    if kind.contains('\0') || value.contains('\0') {
        return Ok(None);
    }
    let row = tag::Entity::find()
        .filter(visible(visibility).add(tag::Column::Type.eq(kind)).add(tag::Column::Value.eq(value)))
        .one(db)
        .await?;
    Ok(row.map(|row| Tag { value: row.value, kind: row.r#type }))
}

/// Removes tags: all of a type, or the one with this value. Whoever does has told of the features that carry them.
pub async fn delete(tx: &Tx, kind: &str, value: Option<&str>) -> Result<(), StoreError> {
    tag::Entity::delete_many()
        .filter(
            Condition::all()
                .add(tag::Column::Type.eq(kind))
                .add_option(value.map(|value| tag::Column::Value.eq(value))),
        )
        .exec(tx)
        .await?;
    Ok(())
}

fn visible(visibility: &Visibility) -> Condition {
    let hidden = &visibility.hidden_projects;
    if hidden.is_empty() {
        return Condition::all();
    }
    let id = || Expr::col((tag::Entity, tag::Column::Id));
    Condition::all().add(
        Condition::any()
            .add(id().in_subquery(carried(feature::Column::Project.is_not_in(hidden))))
            .add(id().in_subquery(carried(feature::Column::Project.is_in(hidden))).not()),
    )
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
