//! The stages that features went through.

use flagstone_domain::{
    lifecycle::{Completion, Stage},
    search::SearchLifecycle,
    time::Timestamp,
};
use flagstone_wire::Nullable;
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, Condition, ConnectionTrait, EntityTrait, QueryFilter,
    sea_query::{CaseStatement, Expr, ExprTrait, OnConflict, Order, Query},
};

use crate::{
    StoreError,
    db::Tx,
    entity::{feature, feature_lifecycle},
};

/// Every stage that a feature entered, in the order of entering.
pub async fn list(db: &impl ConnectionTrait, feature_id: i64) -> Result<Vec<SearchLifecycle>, StoreError> {
    let of_feature = feature_lifecycle::Column::FeatureId.eq(feature_id);
    let rows = feature_lifecycle::Entity::find().filter(of_feature).all(db).await?;
    let stages = rows.into_iter().filter_map(|row| entered(&row.stage, row.status, row.entered_stage_at));
    let mut entered: Vec<SearchLifecycle> = stages.collect();
    entered.sort_by_key(|entered| (entered.entered_stage_at, entered.stage));
    Ok(entered)
}

/// Returns a stage as it is stored, or `None` for one that this version does not know.
pub(super) fn entered(stage: &str, status: Option<String>, at: Timestamp) -> Option<SearchLifecycle> {
    let status = status.map(|status| Nullable(Some(status)));
    Some(SearchLifecycle { stage: Stage::parse(stage)?, entered_stage_at: at, status })
}

/// The stage that a row of `feature` is in: the one entered last, of those entered at once the one that is further on.
/// Null when none was recorded.
pub(super) fn current_stage() -> Expr {
    use feature_lifecycle::Column::{EnteredStageAt, FeatureId, Stage as StageName};
    Query::select()
        .column((feature_lifecycle::Entity, StageName))
        .from(feature_lifecycle::Entity)
        .and_where(FeatureId.into_expr().eq(feature::Column::Id.into_expr()))
        .order_by((feature_lifecycle::Entity, EnteredStageAt), Order::Desc)
        .order_by_expr(rank(&StageName.into_expr()), Order::Desc)
        .limit(1)
        .take()
        .into()
}

/// Place of a stage in their order.
fn rank(stage: &Expr) -> Expr {
    let add = |ranks: CaseStatement, (name, rank): (Stage, i32)| {
        ranks.case(Condition::all().add(stage.clone().eq(name.as_str())), rank)
    };
    Stage::ALL.into_iter().zip(0..).fold(CaseStatement::new(), add).into()
}

/// Records that a feature is done with, or that it ended otherwise than recorded. Returns whether that is news.
pub async fn complete(tx: &Tx, feature_id: i64, completion: &Completion, now: Timestamp) -> Result<bool, StoreError> {
    let stage = Stage::Completed.as_str();
    let recorded = feature_lifecycle::Entity::find_by_id((feature_id, stage.to_owned())).one(tx).await?;
    let status = Some(completion.status.as_str().to_owned());
    let is_recorded =
        |row: &feature_lifecycle::Model| row.status == status && row.status_value == completion.status_value;
    if recorded.as_ref().is_some_and(is_recorded) {
        return Ok(false);
    }
    let row = feature_lifecycle::ActiveModel {
        feature_id: Set(feature_id),
        stage: Set(stage.to_owned()),
        status: Set(status),
        status_value: Set(completion.status_value.clone()),
        entered_stage_at: Set(now),
    };
    let key = [feature_lifecycle::Column::FeatureId, feature_lifecycle::Column::Stage];
    let changed = [feature_lifecycle::Column::Status, feature_lifecycle::Column::StatusValue];
    feature_lifecycle::Entity::insert(row)
        .on_conflict(OnConflict::columns(key).update_columns(changed).to_owned())
        .exec_without_returning(tx)
        .await?;
    Ok(true)
}

/// Forgets that a feature was done with. Returns whether it was.
pub async fn uncomplete(tx: &Tx, feature_id: i64) -> Result<bool, StoreError> {
    let key = (feature_id, Stage::Completed.as_str().to_owned());
    let outcome = feature_lifecycle::Entity::delete_by_id(key).exec(tx).await?;
    Ok(outcome.rows_affected > 0)
}
