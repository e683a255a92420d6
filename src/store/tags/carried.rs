//! The tags of many features: how they are asked for, and how the rows are read.

use std::collections::HashMap;

use flagstone_domain::tag::Tag;
use sea_orm::{
    ColumnTrait, ConnectionTrait, DatabaseBackend,
    sea_query::{ExprTrait, Query, SelectStatement},
};

use crate::{
    StoreError,
    db::{listed, packed},
    entity::{feature_tag, tag},
};

/// The tags of many features, by type, then value. Features without tags are absent.
pub async fn of_features(db: &impl ConnectionTrait, feature_ids: &[i64]) -> Result<HashMap<i64, Vec<Tag>>, StoreError> {
    Ok(by_feature(packed::read(db, &query(db.get_database_backend(), feature_ids)).await?))
}

packed::row! {
    /// A tag of a feature.
    #[derive(PartialEq, Eq, PartialOrd, Ord)]
    pub(crate) struct TagRow {
        feature_id: i64 = feature_tag::Column::FeatureId,
        kind: String = tag::Column::Type,
        value: String = tag::Column::Value,
    }
}

/// Query for the tags of features as packed rows.
pub(crate) fn query(backend: DatabaseBackend, feature_ids: &[i64]) -> SelectStatement {
    use feature_tag::Column;
    Query::select()
        .from(feature_tag::Entity)
        .inner_join(tag::Entity, tag::Column::Id.into_expr().equals((feature_tag::Entity, Column::TagId)))
        .and_where(Column::FeatureId.in_subquery(listed::numbers(backend, feature_ids)))
        .expr(packed::rows::<TagRow>(backend))
        .to_owned()
}

/// Rows as the tags of each feature, by type, then value.
pub(crate) fn by_feature(mut rows: Vec<TagRow>) -> HashMap<i64, Vec<Tag>> {
    rows.sort_unstable();
    let mut tags: HashMap<i64, Vec<Tag>> = HashMap::new();
    for TagRow { feature_id, kind, value } in rows {
        tags.entry(feature_id).or_default().push(Tag { value, kind });
    }
    tags
}
