//! Integrations. What they have to know is sealed in their rows.

pub mod deliveries;
pub mod departing;
pub mod owners;
pub mod spreading;

use flagstone_domain::{
    integration::{Integration, Owner, Parameters, Provider, Settings},
    time::Timestamp,
};
use flagstone_vault::{Key, Vault};
use sea_orm::{
    ActiveValue::{NotSet, Set},
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder, QuerySelect,
    sea_query::{Expr, SimpleExpr},
};

use crate::{
    StoreError,
    db::{
        Tx,
        advisory_lock::AdvisoryLock,
        value::{json_column, to_json_column},
    },
    entity::integration,
    events::revisions::newest,
    settings,
};

/// An integration to be made.
#[derive(Debug, Clone)]
pub struct NewIntegration {
    /// Kind of the receiving system.
    pub provider: Provider,
    /// Settings, with the selection of events.
    pub settings: Settings,
    /// Addresses, secrets and the like.
    pub parameters: Parameters,
    /// Owner whose visibility bounds the events; `None` for the instance.
    pub owner: Option<Owner>,
}

/// Condition for integrations that are not departing.
fn is_there() -> SimpleExpr {
    integration::Column::DepartedFrom.is_null()
}

/// All integrations, by id.
pub async fn list(db: &impl ConnectionTrait, vault: &Vault) -> Result<Vec<Integration>, StoreError> {
    let rows = integration::Entity::find().filter(is_there()).order_by_asc(integration::Column::Id).all(db).await?;
    Ok(rows.into_iter().filter_map(|row| read(row, vault).transpose()).collect::<Result<_, _>>()?)
}

/// Number of integrations.
pub async fn count(db: &impl ConnectionTrait) -> Result<u64, StoreError> {
    Ok(integration::Entity::find().filter(is_there()).count(db).await?)
}

/// Number of integrations of an owner.
pub async fn count_of(db: &impl ConnectionTrait, owner: &Owner) -> Result<u64, StoreError> {
    let of_owner = integration::Column::OwnerId.eq(owner.user_id);
    Ok(integration::Entity::find().filter(is_there()).filter(of_owner).count(db).await?)
}

/// Returns the integration with this id.
pub async fn find(db: &impl ConnectionTrait, vault: &Vault, id: i64) -> Result<Option<Integration>, StoreError> {
    let row = integration::Entity::find_by_id(id).filter(is_there()).one(db).await?;
    Ok(row.map_or(Ok(None), |row| read(row, vault))?)
}

/// Returns the integration with this id, locked until the transaction ends. It is not advanced in the log meanwhile:
/// doing so locks its row as well.
pub async fn hold(tx: &Tx, vault: &Vault, id: i64) -> Result<Option<Integration>, StoreError> {
    tx.lock_on_postgres(AdvisoryLock::Deliveries).await?;
    let row = integration::Entity::find_by_id(id).filter(is_there()).lock_exclusive().one(tx).await?;
    Ok(row.map_or(Ok(None), |row| read(row, vault))?)
}

/// Makes one, which receives the events from now on.
pub async fn insert(tx: &Tx, vault: &Vault, new: NewIntegration, now: Timestamp) -> Result<Integration, StoreError> {
    insert_as(tx, vault, new, None, now, now).await
}

/// Makes one that had an id on another server, which it keeps. `created_at` is when it was made there.
pub async fn insert_as(
    tx: &Tx,
    vault: &Vault,
    new: NewIntegration,
    given: Option<i64>,
    created_at: Timestamp,
    now: Timestamp,
) -> Result<Integration, StoreError> {
    let NewIntegration { provider, settings, parameters, owner } = new;
    let row = integration::ActiveModel {
        id: given.map_or(NotSet, Set),
        provider: Set(provider.name().to_owned()),
        // The id is part of the seal, and is not known yet.
        sealed: Set(String::new()),
        last_event_id: Set(newest(tx).await?),
        created_at: Set(created_at),
        version: Set(0),
        ..columns(&settings, owner.as_ref())
    };
    let id = integration::Entity::insert(row).exec_with_returning(tx).await?.id;
    seal(tx, vault, id, &parameters, now).await?;
    Ok(Integration {
        id,
        provider,
        settings,
        parameters,
        failing_since: None,
        created_at,
        version: 0,
        owner,
        departed_from: None,
    })
}

/// Updates one to `after`, which has the next version. Events so far are delivered as `before` says; its receiver also
/// gets the event of this change, as the last one.
pub async fn save(
    tx: &Tx,
    vault: &Vault,
    before: &Integration,
    after: &Integration,
    now: Timestamp,
) -> Result<(), StoreError> {
    while spreading::spread(tx, now).await? {}
    let newest = newest(tx).await?;
    let behind = integration::Entity::find_by_id(before.id).filter(integration::Column::LastEventId.lt(newest));
    let is_behind = before.settings.enabled && behind.one(tx).await?.is_some();
    // By an integration of its own, too, where nothing comes after it.
    let goes_on_elsewhere = before.leads_elsewhere(after) || is_behind || !after.settings.enabled;
    if goes_on_elsewhere {
        departing::leave_behind(tx, vault, before, now).await?;
    }
    let row = integration::ActiveModel {
        id: Set(after.id),
        version: Set(after.version),
        last_event_id: Set(newest),
        hears_of_change: Set(before.settings.enabled && !goes_on_elsewhere),
        ..columns(&after.settings, after.owner.as_ref())
    };
    integration::Entity::update(row).exec(tx).await?;
    if before.parameters != after.parameters {
        seal(tx, vault, after.id, &after.parameters, now).await?;
    }
    Ok(())
}

/// Removes one. Its receiver still gets the events so far, and last that of the removal.
pub async fn delete(tx: &Tx, before: &Integration, now: Timestamp) -> Result<(), StoreError> {
    while spreading::spread(tx, now).await? {}
    departing::depart(tx, before).await
}

/// Notes since when nothing could be delivered; `None` when something was.
pub async fn note_failing(tx: &Tx, id: i64, since: Option<Timestamp>) -> Result<(), StoreError> {
    let column = integration::Column::FailingSince;
    let is_other = if since.is_some() { column.is_null() } else { column.is_not_null() };
    integration::Entity::update_many()
        .col_expr(column, Expr::value(since))
        .filter(integration::Column::Id.eq(id))
        .filter(is_other)
        .exec(tx)
        .await?;
    Ok(())
}

/// Advances all of them past the events that are there: the server that they come from has delivered those.
pub async fn pass_over_history(tx: &Tx) -> Result<(), StoreError> {
    let last = integration::Column::LastEventId;
    integration::Entity::update_many().col_expr(last, Expr::value(newest(tx).await?)).exec(tx).await?;
    Ok(())
}

/// Seals with the main key of the vault what is sealed with its previous one. What neither opens stays as it is.
pub async fn reseal(tx: &Tx, vault: &Vault) -> Result<(), StoreError> {
    let rows = integration::Entity::find().order_by_asc(integration::Column::Id).lock_exclusive().all(tx).await?;
    for row in rows {
        let Ok((plain, key)) = vault.open(&place(row.id), &row.sealed) else { continue };
        if !vault.is_main(key) {
            put_sealed(tx, row.id, vault.main().seal(&place(row.id), &plain)).await?;
        }
    }
    Ok(())
}

/// Forgets what is sealed, for when the key is lost: the integrations go with it.
pub async fn forget_sealed(tx: &Tx) -> Result<(), StoreError> {
    integration::Entity::delete_many().exec(tx).await?;
    Ok(())
}

async fn seal(tx: &Tx, vault: &Vault, id: i64, parameters: &Parameters, now: Timestamp) -> Result<(), StoreError> {
    let missing = || DbErr::Custom(format!("integration {id}: sealed with a key that this server does not have"));
    let key: &Key = settings::key_in_force(tx, vault, now).await?.ok_or_else(missing)?;
    put_sealed(tx, id, key.seal(&place(id), to_json_column(parameters).as_bytes())).await
}

async fn put_sealed(tx: &Tx, id: i64, sealed: String) -> Result<(), StoreError> {
    let row = integration::ActiveModel { id: Set(id), sealed: Set(sealed), ..Default::default() };
    integration::Entity::update(row).exec(tx).await?;
    Ok(())
}

/// Context that a seal is bound to, so that no row's secrets serve another.
fn place(id: i64) -> String {
    format!("integration {id}")
}

fn columns(settings: &Settings, owner: Option<&Owner>) -> integration::ActiveModel {
    integration::ActiveModel {
        enabled: Set(settings.enabled),
        description: Set(settings.description.clone()),
        events: Set(to_json_column(&settings.events)),
        projects: Set(to_json_column(&settings.projects)),
        environments: Set(to_json_column(&settings.environments)),
        instance_events: Set(settings.instance_events),
        owner_id: Set(owner.map(|owner| owner.user_id)),
        owner_name: Set(owner.map(|owner| owner.name.clone())),
        ..Default::default()
    }
}

/// Reads a row. An integration of a kind that this version does not know is none.
fn read(row: integration::Model, vault: &Vault) -> Result<Option<Integration>, DbErr> {
    let Some(provider) = Provider::parse(&row.provider) else { return Ok(None) };
    let opened = vault.open(&place(row.id), &row.sealed);
    let (plain, _) = opened.map_err(|error| DbErr::Custom(format!("integration {}: {error}", row.id)))?;
    // The reader's own words could quote a secret.
    let unreadable = |_| DbErr::Custom(format!("integration {}: not what this version writes", row.id));
    Ok(Some(Integration {
        id: row.id,
        provider,
        parameters: serde_json::from_slice(&plain).map_err(unreadable)?,
        failing_since: row.failing_since,
        created_at: row.created_at,
        version: row.version,
        owner: row
            .owner_id
            .map(|user_id| Owner { user_id, name: row.owner_name.clone().unwrap_or_else(|| user_id.to_string()) }),
        departed_from: row.departed_from,
        settings: settings_of(row)?,
    }))
}

fn settings_of(row: integration::Model) -> Result<Settings, DbErr> {
    Ok(Settings {
        enabled: row.enabled,
        description: row.description,
        events: json_column("integration.events", &row.events)?,
        projects: json_column("integration.projects", &row.projects)?,
        environments: json_column("integration.environments", &row.environments)?,
        instance_events: row.instance_events,
    })
}
