//! API tokens as people administer them: everything but their secrets, of which only digests are stored.

use std::collections::BTreeMap;

use flagstone_domain::{
    secret::{self, TokenKind},
    time::Timestamp,
    token::{self, ALL, ApiToken, Reach},
    visibility::Visibility,
};
use flagstone_vault::Vault;
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder, QuerySelect,
    sea_query::{Expr, ExprTrait, LockType, Query, SelectStatement},
};

use crate::{
    StoreError,
    db::{Tx, advisory_lock::AdvisoryLock},
    entity::{api_token, api_token_project},
    settings,
};

/// Selection of tokens to list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which<'a> {
    /// All tokens.
    All,
    /// Tokens with this name.
    Named(&'a str),
    /// Tokens that name this project; tokens for all projects do not.
    InProject(&'a str),
    /// Tokens that are bound to this environment.
    InEnvironment(&'a str),
}

/// Tokens, oldest first.
pub async fn list(db: &impl ConnectionTrait, which: Which<'_>) -> Result<Vec<ApiToken>, StoreError> {
    let mut tokens = api_token::Entity::find().order_by_asc(api_token::Column::Id);
    let mut ids = Query::select();
    ids.column(api_token::Column::Id).from(api_token::Entity);
    match which {
        Which::All => {}
        Which::Named(name) => {
            tokens = tokens.filter(api_token::Column::TokenName.eq(name));
            ids.and_where(api_token::Column::TokenName.eq(name));
        }
        Which::InEnvironment(environment) => {
            tokens = tokens.filter(api_token::Column::Environment.eq(environment));
            ids.and_where(api_token::Column::Environment.eq(environment));
        }
        Which::InProject(project) => {
            let reaching = Query::select()
                .column(api_token_project::Column::TokenId)
                .from(api_token_project::Entity)
                .and_where(api_token_project::Column::Project.eq(project))
                .to_owned();
            tokens = tokens.filter(api_token::Column::Id.in_subquery(reaching.clone()));
            ids = reaching;
        }
    }
    let rows = tokens.all(db).await?;
    let mut projects = projects_of(db, ids).await?;
    Ok(rows.into_iter().filter_map(|row| token(row, &mut projects)).collect())
}

/// Returns the visible token with this full secret, alias, or text that lists show in place of the secret, locked until
/// the transaction ends.
pub async fn hold(tx: &Tx, named: &str, visibility: &Visibility) -> Result<Option<ApiToken>, StoreError> {
    let digest = secret::digest(named);
    let by_digest = api_token::Column::SecretHash.eq(&digest).or(api_token::Column::AliasHash.eq(&digest));
    let by_secret = api_token::Entity::find().filter(by_digest).lock(LockType::Update).one(tx).await?;
    let (row, is_secret) = match (by_secret, token::id_in_handle(named)) {
        (Some(row), _) => (Some(row), true),
        (None, Some(id)) => (api_token::Entity::find_by_id(id).lock(LockType::Update).one(tx).await?, false),
        (None, None) => (None, false),
    };
    let Some(row) = row else { return Ok(None) };
    let is_meant =
        |token: &ApiToken| token.shown_to(visibility).is_some_and(|shown| is_secret || shown.is_named(named));
    Ok(find(tx, row.id).await?.filter(is_meant))
}

/// The token with this id.
pub async fn find(db: &impl ConnectionTrait, id: i64) -> Result<Option<ApiToken>, StoreError> {
    let Some(row) = api_token::Entity::find_by_id(id).one(db).await? else { return Ok(None) };
    let ids = Query::select()
        .column(api_token::Column::Id)
        .from(api_token::Entity)
        .and_where(api_token::Column::Id.eq(id))
        .to_owned();
    Ok(token(row, &mut projects_of(db, ids).await?))
}

async fn projects_of(
    db: &impl ConnectionTrait,
    ids: SelectStatement,
) -> Result<BTreeMap<i64, Vec<String>>, StoreError> {
    let rows = api_token_project::Entity::find()
        .filter(api_token_project::Column::TokenId.in_subquery(ids))
        .order_by_asc(api_token_project::Column::TokenId)
        .order_by_asc(api_token_project::Column::Project)
        .all(db)
        .await?;
    let mut projects: BTreeMap<i64, Vec<String>> = BTreeMap::new();
    for row in rows {
        projects.entry(row.token_id).or_default().push(row.project);
    }
    Ok(projects)
}

/// A kind that this version does not know is no token.
fn token(row: api_token::Model, projects: &mut BTreeMap<i64, Vec<String>>) -> Option<ApiToken> {
    let reach = Reach {
        kind: TokenKind::parse(&row.r#type)?,
        projects: projects.remove(&row.id).unwrap_or_default(),
        environment: row.environment.unwrap_or_else(|| ALL.to_owned()),
    };
    Some(ApiToken {
        id: row.id,
        name: row.token_name,
        reach,
        created_at: row.created_at,
        expires_at: row.expires_at,
        seen_at: row.seen_at,
        sealed_secret: row.sealed_secret,
    })
}

/// The number of tokens, when one more is to be made: no other is made until the transaction ends.
pub async fn count_to_add(tx: &Tx) -> Result<u64, StoreError> {
    tx.lock_on_postgres(AdvisoryLock::ApiTokens).await?;
    Ok(api_token::Entity::find().count(tx).await?)
}

/// Whether a text is a token's secret or alias.
pub async fn is_taken(tx: &Tx, full_secret: &str) -> Result<bool, StoreError> {
    let digest = secret::digest(full_secret);
    let by_digest = api_token::Column::SecretHash.eq(&digest).or(api_token::Column::AliasHash.eq(&digest));
    Ok(api_token::Entity::find().filter(by_digest).count(tx).await? > 0)
}

/// Gives a token a second secret, of which only the digest is kept.
pub async fn set_alias(tx: &Tx, id: i64, alias: &str) -> Result<(), StoreError> {
    let row =
        api_token::ActiveModel { id: Set(id), alias_hash: Set(Some(secret::digest(alias))), ..Default::default() };
    api_token::Entity::update(row).exec(tx).await?;
    Ok(())
}

/// Keeps the secret of a token, sealed.
pub async fn keep_secret(tx: &Tx, vault: &Vault, id: i64, secret: &str, now: Timestamp) -> Result<(), StoreError> {
    let missing = || DbErr::Custom(format!("API token {id}: sealed with a key that this server does not have"));
    let key = settings::key_in_force(tx, vault, now).await?.ok_or_else(missing)?;
    put_sealed(tx, id, key.seal(&place(id), secret.as_bytes())).await
}

/// The secret of a token, where it is kept and the vault opens it.
pub fn kept_secret(vault: &Vault, token: &ApiToken) -> Option<String> {
    let (secret, _) = vault.open(&place(token.id), token.sealed_secret.as_deref()?).ok()?;
    String::from_utf8(secret).ok()
}

/// Seals with the main key of the vault what its previous one sealed.
pub async fn reseal(tx: &Tx, vault: &Vault) -> Result<(), StoreError> {
    let kept = api_token::Entity::find().filter(api_token::Column::SealedSecret.is_not_null());
    for row in kept.order_by_asc(api_token::Column::Id).lock_exclusive().all(tx).await? {
        let sealed = row.sealed_secret.unwrap_or_default();
        let Ok((secret, key)) = vault.open(&place(row.id), &sealed) else { continue };
        if !vault.is_main(key) {
            put_sealed(tx, row.id, vault.main().seal(&place(row.id), &secret)).await?;
        }
    }
    Ok(())
}

/// Forgets the secrets that are kept. The tokens go on serving. Returns how many there were.
pub async fn forget_sealed(tx: &Tx) -> Result<u64, StoreError> {
    let kept = api_token::Entity::update_many()
        .col_expr(api_token::Column::SealedSecret, Expr::value(None::<String>))
        .filter(api_token::Column::SealedSecret.is_not_null());
    Ok(kept.exec(tx).await?.rows_affected)
}

/// Whether the secret of any token is kept.
pub async fn keeps_any(db: &impl ConnectionTrait) -> Result<bool, StoreError> {
    let kept = api_token::Entity::find().filter(api_token::Column::SealedSecret.is_not_null());
    Ok(kept.limit(1).count(db).await? > 0)
}

async fn put_sealed(tx: &Tx, id: i64, sealed: String) -> Result<(), StoreError> {
    let row = api_token::ActiveModel { id: Set(id), sealed_secret: Set(Some(sealed)), ..Default::default() };
    api_token::Entity::update(row).exec(tx).await?;
    Ok(())
}

/// Context that a seal is bound to, so that the secret of one token is not shown for another.
fn place(id: i64) -> String {
    format!("api-token.{id}")
}

/// Lets a token end at another time, or never.
pub async fn set_expiry(tx: &Tx, id: i64, expires_at: Option<Timestamp>) -> Result<(), StoreError> {
    let row = api_token::ActiveModel { id: Set(id), expires_at: Set(expires_at), ..Default::default() };
    api_token::Entity::update(row).exec(tx).await?;
    Ok(())
}

/// Removes a token, which gives access no more from the next request on.
pub async fn delete(tx: &Tx, id: i64) -> Result<(), StoreError> {
    api_token::Entity::delete_by_id(id).exec(tx).await?;
    Ok(())
}
