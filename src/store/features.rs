//! Features and their configuration in environments, with the derived columns that searches read.

mod admission;
mod archive;
mod configuration;
pub mod configurations;
mod copies;
pub mod dependencies;
mod details;
pub mod favorites;
pub mod figures;
pub mod lifecycle;
pub mod links;
mod lists;
pub mod parents;
mod read;
pub mod search;
pub mod suspended;
pub mod switches;
pub mod types;
pub mod usage;
pub mod usage_history;
pub mod variants;
mod write;

pub(crate) use self::{
    admission::rules,
    configuration::{read_strategies, strategy_queries},
    write::{PROPERTIES, new_row},
};
pub use self::{
    admission::{Admission, admission, begin_making, find_archived, is_known_type},
    archive::{archive_all, delete_all, list_archived, list_archived_of, mark_stale_all, revive_all},
    configuration::{find, find_in_environment},
    copies::{Copied, Grouping, copy_belongings},
    details::find_details,
    lists::{Lists, list_as_json},
    read::ListQuery,
    write::{HeldFeature, find_owner, hold, hold_all, look_up, save, save_and_find},
};

use flagstone_domain::{event_filter::fold_case, feature_document::FeatureDocument, lifecycle::Stage, time::Timestamp};
use sea_orm::{ActiveValue::Set, ColumnTrait, EntityTrait, QueryFilter, sea_query::Expr};

use crate::{
    StoreError,
    db::Tx,
    entity::{feature, feature_environment, feature_lifecycle},
    environments,
};

/// Makes a feature that is off in every environment of its project, in lifecycle stage `initial`. `by` is its creator.
pub async fn insert(tx: &Tx, new: &FeatureDocument, by: i64) -> Result<i64, StoreError> {
    let row = new_row(new, Some(by), &[]);
    let feature = feature::Entity::insert(row).exec_with_returning(tx).await?;
    let names = environments::of_project(tx, &new.project).await?;
    if !names.is_empty() {
        let rows = names.iter().map(|name| environments::unconfigured(&feature, name));
        feature_environment::Entity::insert_many(rows).exec_without_returning(tx).await?;
    }
    enter_stage(tx, feature.id, Stage::Initial, new.created_at).await?;
    Ok(feature.id)
}

/// Records that a feature entered a stage; it enters each once.
pub async fn enter_stage(tx: &Tx, feature_id: i64, stage: Stage, now: Timestamp) -> Result<(), StoreError> {
    enter_stage_all(tx, &[feature_id], stage, now).await
}

/// Records that many features entered a stage.
async fn enter_stage_all(tx: &Tx, feature_ids: &[i64], stage: Stage, now: Timestamp) -> Result<(), StoreError> {
    let rows = feature_ids.iter().map(|feature_id| feature_lifecycle::ActiveModel {
        feature_id: Set(*feature_id),
        stage: Set(stage.as_str().to_owned()),
        status: Set(None),
        status_value: Set(None),
        entered_stage_at: Set(now),
    });
    feature_lifecycle::Entity::insert_many(rows).on_conflict_do_nothing().exec_without_returning(tx).await?;
    Ok(())
}

/// Switches a feature in an environment. Returns whether that changed anything; a missing configuration does not
/// change.
pub async fn set_enabled(tx: &Tx, feature_id: i64, environment: &str, enabled: bool) -> Result<bool, StoreError> {
    let outcome = feature_environment::Entity::update_many()
        .col_expr(feature_environment::Column::Enabled, Expr::value(enabled))
        .filter(feature_environment::Column::FeatureId.eq(feature_id))
        .filter(feature_environment::Column::Environment.eq(environment))
        .filter(feature_environment::Column::Enabled.ne(enabled))
        .exec(tx)
        .await?;
    Ok(outcome.rows_affected > 0)
}

/// The text that searches look into: name and tags with their case folded, one to a line.
pub(super) fn search_text(name: &str, tags: &[flagstone_domain::tag::Tag]) -> String {
    let mut text = fold_case(name);
    for tag in tags {
        text.push('\n');
        text.push_str(&fold_case(&tag.kind));
        text.push(':');
        text.push_str(&fold_case(&tag.value));
    }
    text
}

#[cfg(test)]
mod tests {
    use flagstone_domain::{filter::TextQuery, tag::Tag};

    use super::*;

    #[test]
    fn a_part_of_a_tag_is_found_whichever_letter_its_case_folds_to() {
        let tag = Tag { kind: "simple".to_owned(), value: "ΟΔΟΣΑΒ".to_owned() };
        let text = search_text("f", &[tag]);
        for part in ["ΟΔΟΣ", "οδος", "οδοσ", "ΣΑ"] {
            let query = TextQuery::parse(part).expect("one text");
            assert!(text.contains(&query.alternatives[0]), "{part} in {text}");
        }
    }
}
