//! The event log: append only.

pub mod creators;
pub mod search;
mod totals;

pub use self::totals::Totals;

use sea_orm::{ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};

use crate::{
    domain::{event::NewEvent, event_filter::fold_case, event_kind::EventKind, time::Timestamp, version::Version},
    store::{StoreError, db::Tx, entity::event, value::to_json_column},
};

/// Events that one statement stores; bounds the number of its parameters.
const BATCH: usize = 200;

/// Stores events in order. Called by [`Tx::commit`] only, which holds the lock that makes ids rise in commit order.
///
/// Takes them batch by batch: those of a large import need not be in memory together.
pub(super) async fn append(
    tx: &Tx,
    now: Timestamp,
    mut new_events: impl Iterator<Item = NewEvent> + Send,
) -> Result<(), StoreError> {
    let created_at = not_before_newest(tx, now).await?;
    loop {
        let batch: Vec<_> = new_events.by_ref().take(BATCH).map(|event| row(&event, created_at)).collect();
        if batch.is_empty() {
            return Ok(());
        }
        event::Entity::insert_many(batch).exec_without_returning(tx).await?;
    }
}

/// The version of a feature: every change of it leaves an event. Who likes it does not count as one.
pub async fn version_of_feature(db: &impl ConnectionTrait, name: &str) -> Result<Version, StoreError> {
    let likes = [EventKind::FeatureFavorited, EventKind::FeatureUnfavorited].map(EventKind::as_str);
    let latest: Option<i64> = event::Entity::find()
        .select_only()
        .column(event::Column::Id)
        .filter(event::Column::FeatureName.eq(name))
        .filter(event::Column::Type.is_not_in(likes))
        .order_by_desc(event::Column::Id)
        .limit(1)
        .into_tuple()
        .one(db)
        .await?;
    Ok(Version::of_event(latest.unwrap_or_default()))
}

/// `now`, or the date of the newest event where the machine's clock has been set back.
async fn not_before_newest(tx: &Tx, now: Timestamp) -> Result<Timestamp, StoreError> {
    let newest: Option<Timestamp> = event::Entity::find()
        .select_only()
        .column(event::Column::CreatedAt)
        .order_by_desc(event::Column::Id)
        .limit(1)
        .into_tuple()
        .one(tx)
        .await?;
    Ok(newest.map_or(now, |newest| newest.max(now)))
}

fn row(event: &NewEvent, created_at: Timestamp) -> event::ActiveModel {
    let data = event.data.as_ref().map(to_json_column);
    let pre_data = event.pre_data.as_ref().map(to_json_column);
    let tags = to_json_column(&event.tags);
    let payload = [data.as_deref(), pre_data.as_deref(), Some(&*tags)];
    let payload: Vec<String> = payload.into_iter().flatten().map(fold_case).collect();
    let origin = format!("{}\n{}", event.kind.as_str(), event.actor.name);
    event::ActiveModel {
        created_at: Set(created_at),
        r#type: Set(event.kind.as_str().to_owned()),
        created_by: Set(event.actor.name.clone()),
        created_by_user_id: Set(Some(event.actor.user_id)),
        environment: Set(event.environment.clone()),
        project: Set(event.project.clone()),
        feature_name: Set(event.feature.clone()),
        search_payload: Set(payload.join("\n")),
        search_origin: Set(fold_case(&origin)),
        data: Set(data),
        pre_data: Set(pre_data),
        tags: Set(tags),
        ..Default::default()
    }
}
