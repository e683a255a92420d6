//! Segments.

use sea_orm::{ActiveValue::Set, EntityTrait};

use crate::{
    domain::{constraint::Constraint, time::Timestamp},
    store::{StoreError, db::Tx, entity::segment, value::to_json_column},
};

/// A segment to be made.
#[derive(Debug, Clone, Default)]
pub struct NewSegment {
    /// Unique name.
    pub name: String,
    /// What it is for.
    pub description: Option<String>,
    /// The only project that may use it; `None` for all.
    pub project: Option<String>,
    /// Conditions that must all hold.
    pub constraints: Vec<Constraint>,
    /// Name of who makes it.
    pub created_by: Option<String>,
}

/// Makes a segment and gives its id.
pub async fn insert(tx: &Tx, new: &NewSegment, now: Timestamp) -> Result<i64, StoreError> {
    let row = segment::ActiveModel {
        name: Set(new.name.clone()),
        description: Set(new.description.clone()),
        project: Set(new.project.clone()),
        constraints: Set(to_json_column(&new.constraints)),
        created_by: Set(new.created_by.clone()),
        created_at: Set(now),
        ..Default::default()
    };
    Ok(segment::Entity::insert(row).exec_with_returning(tx).await?.id)
}
