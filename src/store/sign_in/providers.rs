//! Further login providers. Their connections are sealed in their rows.

use flagstone_domain::{
    sign_in::{ProviderButton, ProviderKey},
    sign_in_provider::{AdmissionRules, Connection, Content, Icon, Kind, Preset, SignInProvider},
};
use flagstone_vault::Vault;
use sea_orm::{
    ActiveValue::Set, ColumnTrait, ConnectionTrait, DbErr, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder,
    QuerySelect,
};

use crate::{
    StoreError,
    db::{
        Tx,
        value::{json_column, to_json_column},
    },
    entity::sign_in_provider,
    settings::key_in_force,
};

/// Context that a connection is sealed for, so that the one of a provider does not serve for another.
fn place(id: &str) -> String {
    format!("sign-in-provider.{id}")
}

/// Every provider, in the order of their buttons.
pub async fn list(db: &impl ConnectionTrait, vault: &Vault) -> Result<Vec<SignInProvider>, StoreError> {
    let rows = in_order().all(db).await?;
    Ok(rows.into_iter().filter_map(|row| read(row, vault).transpose()).collect::<Result<_, _>>()?)
}

/// The provider with this id.
pub async fn find(db: &impl ConnectionTrait, vault: &Vault, id: &str) -> Result<Option<SignInProvider>, StoreError> {
    let row = sign_in_provider::Entity::find_by_id(id).one(db).await?;
    Ok(row.map_or(Ok(None), |row| read(row, vault))?)
}

/// Whether there is a provider with this id.
pub async fn exists(db: &impl ConnectionTrait, id: &str) -> Result<bool, StoreError> {
    Ok(sign_in_provider::Entity::find_by_id(id).count(db).await? > 0)
}

/// Number of providers.
pub async fn count(db: &impl ConnectionTrait) -> Result<u64, StoreError> {
    Ok(sign_in_provider::Entity::find().count(db).await?)
}

/// Buttons of the providers through which people can sign in, in their order. Needs no key.
pub async fn buttons(db: &impl ConnectionTrait) -> Result<Vec<ProviderButton>, StoreError> {
    let enabled = in_order().filter(sign_in_provider::Column::Enabled.eq(true));
    let button = |row: sign_in_provider::Model| {
        let protocol = Preset::of(Kind::parse(&row.kind)?).protocol;
        let key = ProviderKey { protocol, id: Some(row.id) };
        Some(ProviderButton { key, label: row.label, icon: Icon::parse(&row.icon) })
    };
    Ok(enabled.all(db).await?.into_iter().filter_map(button).collect())
}

/// Ids and labels of the providers whose rules give a root role to users whom they create, in the order of their buttons.
/// Needs no key.
pub(crate) async fn giving_role(db: &impl ConnectionTrait, role_id: i64) -> Result<Vec<(String, String)>, StoreError> {
    let mut giving = Vec::new();
    for row in in_order().all(db).await? {
        if rules(&row)?.gives_role(role_id) {
            giving.push((row.id, row.label));
        }
    }
    Ok(giving)
}

fn in_order() -> sea_orm::Select<sign_in_provider::Entity> {
    sign_in_provider::Entity::find()
        .order_by_asc(sign_in_provider::Column::SortOrder)
        .order_by_asc(sign_in_provider::Column::Id)
}

/// Position behind all providers.
pub async fn last_position(db: &impl ConnectionTrait) -> Result<i64, StoreError> {
    let last: Option<Option<i64>> = sign_in_provider::Entity::find()
        .select_only()
        .column_as(sign_in_provider::Column::SortOrder.max(), "last")
        .into_tuple()
        .one(db)
        .await?;
    Ok(last.flatten().map_or(0, |last| last.saturating_add(1)))
}

/// Stores a provider under its id, which nothing else has.
pub async fn insert(tx: &Tx, vault: &Vault, provider: &SignInProvider) -> Result<(), StoreError> {
    let row = sign_in_provider::ActiveModel {
        kind: Set(provider.kind.as_str().to_owned()),
        sort_order: Set(provider.sort_order),
        created_at: Set(provider.created_at),
        ..row(tx, vault, provider).await?
    };
    sign_in_provider::Entity::insert(row).exec_without_returning(tx).await?;
    Ok(())
}

/// Writes the content of a provider.
pub async fn save(tx: &Tx, vault: &Vault, provider: &SignInProvider) -> Result<(), StoreError> {
    sign_in_provider::Entity::update(row(tx, vault, provider).await?).exec(tx).await?;
    Ok(())
}

/// Puts the button of a provider at a position.
pub async fn place_at(tx: &Tx, id: &str, position: i64) -> Result<(), StoreError> {
    let row = sign_in_provider::ActiveModel { id: Set(id.to_owned()), sort_order: Set(position), ..Default::default() };
    sign_in_provider::Entity::update(row).exec(tx).await?;
    Ok(())
}

/// Removes a provider.
pub async fn delete(tx: &Tx, id: &str) -> Result<(), StoreError> {
    sign_in_provider::Entity::delete_by_id(id).exec(tx).await?;
    Ok(())
}

/// Seals with the main key of the vault what is sealed with its previous one. What neither opens stays as it is.
pub async fn reseal(tx: &Tx, vault: &Vault) -> Result<(), StoreError> {
    let rows = sign_in_provider::Entity::find().order_by_asc(sign_in_provider::Column::Id).lock_exclusive();
    for row in rows.all(tx).await? {
        let place = place(&row.id);
        let Ok((plain, key)) = vault.open(&place, &row.settings) else { continue };
        if !vault.is_main(key) {
            let settings = Set(vault.main().seal(&place, &plain));
            let row = sign_in_provider::ActiveModel { id: Set(row.id), settings, ..Default::default() };
            sign_in_provider::Entity::update(row).exec(tx).await?;
        }
    }
    Ok(())
}

/// Removes every provider, for when the key is lost. Returns whether there were any.
pub async fn forget_sealed(tx: &Tx) -> Result<bool, StoreError> {
    Ok(sign_in_provider::Entity::delete_many().exec(tx).await?.rows_affected > 0)
}

/// The columns that changes write.
async fn row(tx: &Tx, vault: &Vault, provider: &SignInProvider) -> Result<sign_in_provider::ActiveModel, StoreError> {
    let SignInProvider { id, content, updated_at, .. } = provider;
    let missing = || DbErr::Custom(format!("provider {id}: sealed with a key that this server does not have"));
    let key = key_in_force(tx, vault, *updated_at).await?.ok_or_else(missing)?;
    let rules = AdmissionRules { default_root_role_id: None, ..content.rules.clone() };
    Ok(sign_in_provider::ActiveModel {
        id: Set(id.clone()),
        label: Set(content.label.clone()),
        icon: Set(content.icon.as_str().to_owned()),
        enabled: Set(content.enabled),
        settings: Set(key.seal(&place(id), to_json_column(&content.connection).as_bytes())),
        default_root_role_id: Set(content.rules.default_root_role_id),
        rules: Set(to_json_column(&rules)),
        updated_at: Set(*updated_at),
        ..Default::default()
    })
}

/// Reads a row. A provider of a kind that this version does not know is none.
fn read(row: sign_in_provider::Model, vault: &Vault) -> Result<Option<SignInProvider>, DbErr> {
    let Some(kind) = Kind::parse(&row.kind) else { return Ok(None) };
    let opened = vault.open(&place(&row.id), &row.settings);
    let (plain, _) = opened.map_err(|error| DbErr::Custom(format!("provider {}: {error}", row.id)))?;
    // The reader's own words could quote a secret.
    let unreadable = |_| DbErr::Custom(format!("provider {}: not what this version writes", row.id));
    let connection: Connection = serde_json::from_slice(&plain).map_err(unreadable)?;
    let rules = rules(&row)?;
    Ok(Some(SignInProvider {
        id: row.id,
        kind,
        sort_order: row.sort_order,
        content: Content { label: row.label, icon: Icon::parse(&row.icon), enabled: row.enabled, connection, rules },
        created_at: row.created_at,
        updated_at: row.updated_at,
    }))
}

fn rules(row: &sign_in_provider::Model) -> Result<AdmissionRules, DbErr> {
    let rules: AdmissionRules = json_column("sign_in_provider.rules", &row.rules)?;
    Ok(AdmissionRules { default_root_role_id: row.default_root_role_id, ..rules })
}
