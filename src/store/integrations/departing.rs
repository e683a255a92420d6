//! Departing integrations, which were removed or got another receiver: the events that were due are delivered to the
//! former receiver, and last the event of the removal or change.

use flagstone_domain::{
    integration::{Integration, Owner, delivery::DeliveryState},
    time::Timestamp,
};
use flagstone_vault::Vault;
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, Condition, EntityTrait, QueryFilter, QueryOrder, QuerySelect, QueryTrait,
    sea_query::{Expr, ExprTrait},
};

use super::{columns, read, seal};
use crate::{
    StoreError,
    db::{Tx, advisory_lock::AdvisoryLock},
    entity::{delivery, integration},
};

/// Departed integrations of one owner that still end what they began, at most.
pub const DEPARTING_OF_ONE: u64 = 50;

/// The integration with this id, also one that only ends what it began.
pub async fn receiver(
    db: &impl sea_orm::ConnectionTrait,
    vault: &Vault,
    id: i64,
) -> Result<Option<Integration>, StoreError> {
    let row = integration::Entity::find_by_id(id).one(db).await?;
    Ok(row.map_or(Ok(None), |row| read(row, vault))?)
}

/// Removes one. It is not visible any more, but still delivers the events that were due, and that of its removal.
pub(super) async fn depart(tx: &Tx, before: &Integration) -> Result<(), StoreError> {
    let row = integration::ActiveModel {
        id: Set(before.id),
        departed_from: Set(Some(before.id)),
        hears_of_change: Set(before.settings.enabled),
        ..Default::default()
    };
    integration::Entity::update(row).exec(tx).await?;
    keep_few(tx, before.owner.as_ref()).await
}

/// Keeps a departing integration with the former settings, which delivers the events that were due and that of the
/// change, and then ends.
pub(super) async fn leave_behind(
    tx: &Tx,
    vault: &Vault,
    before: &Integration,
    now: Timestamp,
) -> Result<(), StoreError> {
    let Some(last_event_id) = integration::Entity::find_by_id(before.id)
        .select_only()
        .column(integration::Column::LastEventId)
        .into_tuple::<i64>()
        .one(tx)
        .await?
    else {
        return Ok(());
    };
    let row = integration::ActiveModel {
        provider: Set(before.provider.name().to_owned()),
        sealed: Set(String::new()),
        last_event_id: Set(last_event_id),
        created_at: Set(before.created_at),
        failing_since: Set(before.failing_since),
        version: Set(before.version),
        departed_from: Set(Some(before.id)),
        hears_of_change: Set(before.settings.enabled),
        ..columns(&before.settings, before.owner.as_ref())
    };
    let id = integration::Entity::insert(row).exec_with_returning(tx).await?.id;
    seal(tx, vault, id, &before.parameters, now).await?;
    delivery::Entity::update_many()
        .col_expr(delivery::Column::IntegrationId, Expr::value(id))
        .filter(delivery::Column::IntegrationId.eq(before.id))
        .filter(delivery::Column::State.eq(DeliveryState::Waiting.as_str()))
        .exec(tx)
        .await?;
    keep_few(tx, before.owner.as_ref()).await
}

/// Removes the oldest departing integrations of an owner, where there are too many.
async fn keep_few(tx: &Tx, owner: Option<&Owner>) -> Result<(), StoreError> {
    let of_owner = match owner {
        Some(owner) => integration::Column::OwnerId.eq(owner.user_id),
        None => integration::Column::OwnerId.is_null(),
    };
    let last_too_many: Option<i64> = integration::Entity::find()
        .select_only()
        .column(integration::Column::Id)
        .filter(integration::Column::DepartedFrom.is_not_null())
        .filter(of_owner.clone())
        .order_by_desc(integration::Column::Id)
        .offset(DEPARTING_OF_ONE)
        .limit(1)
        .into_tuple()
        .one(tx)
        .await?;
    if let Some(last) = last_too_many {
        integration::Entity::delete_many()
            .filter(integration::Column::DepartedFrom.is_not_null())
            .filter(of_owner)
            .filter(integration::Column::Id.lte(last))
            .exec(tx)
            .await?;
    }
    Ok(())
}

/// Removes departing integrations that have delivered everything. Their deliveries go to the log of the integration
/// that they came from, if that is still there.
pub(super) async fn forget_ended(tx: &Tx) -> Result<(), StoreError> {
    tx.lock_on_postgres(AdvisoryLock::Deliveries).await?;
    let waiting = delivery::Entity::find()
        .select_only()
        .column(delivery::Column::Id)
        .filter(
            Expr::col((delivery::Entity, delivery::Column::IntegrationId))
                .equals((integration::Entity, integration::Column::Id)),
        )
        .filter(delivery::Column::State.eq(DeliveryState::Waiting.as_str()))
        .into_query();
    let ended: Vec<(i64, i64)> = integration::Entity::find()
        .select_only()
        .columns([integration::Column::Id, integration::Column::DepartedFrom])
        .filter(integration::Column::DepartedFrom.is_not_null())
        .filter(integration::Column::HearsOfChange.eq(false))
        .filter(Expr::exists(waiting).not())
        .order_by_asc(integration::Column::Id)
        .into_tuple()
        .all(tx)
        .await?;
    for (id, former) in &ended {
        let is_there = integration::Entity::find_by_id(*former)
            .filter(integration::Column::DepartedFrom.is_null())
            .one(tx)
            .await?
            .is_some();
        if is_there {
            let known = delivery::Entity::find()
                .select_only()
                .column(delivery::Column::EventId)
                .filter(delivery::Column::IntegrationId.eq(*former))
                .into_query();
            delivery::Entity::update_many()
                .col_expr(delivery::Column::IntegrationId, Expr::value(*former))
                .filter(
                    Condition::all()
                        .add(delivery::Column::IntegrationId.eq(*id))
                        .add(delivery::Column::EventId.not_in_subquery(known)),
                )
                .exec(tx)
                .await?;
        }
        integration::Entity::delete_by_id(*id).exec(tx).await?;
    }
    Ok(())
}
