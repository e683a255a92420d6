//! API tokens and personal tokens, stored by digest.

pub mod api;
pub mod client;
pub mod personal;

use flagstone_domain::{
    opaque_debug,
    secret::{self, TokenKind},
    time::Timestamp,
};
use sea_orm::{ActiveValue::Set, ConnectionTrait, EntityTrait, PaginatorTrait};

use crate::{
    StoreError,
    db::Tx,
    entity::{api_token, api_token_project, personal_token},
};

/// An API token to be stored.
#[derive(Clone)]
pub struct NewApiToken {
    /// The full secret, of which only the digest is kept.
    pub secret: String,
    /// Name, under which admin tokens appear in events.
    pub name: String,
    /// Kind of the token.
    pub kind: TokenKind,
    /// Projects that it reads; `*` is all of them.
    pub projects: Vec<String>,
    /// Environment that it reads; `*` is all of them.
    pub environment: String,
    /// When it ends; `None` for never.
    pub expires_at: Option<Timestamp>,
    /// Name of who makes it.
    pub created_by: Option<String>,
}

opaque_debug!(NewApiToken { name, kind, .. });

/// Whether any API token exists.
pub async fn any_api_token(db: &impl ConnectionTrait) -> Result<bool, StoreError> {
    Ok(api_token::Entity::find().count(db).await? > 0)
}

/// Stores an API token and returns its id.
pub async fn insert_api_token(tx: &Tx, new: &NewApiToken, now: Timestamp) -> Result<i64, StoreError> {
    let row = api_token::ActiveModel {
        secret_hash: Set(secret::digest(&new.secret)),
        token_name: Set(new.name.clone()),
        r#type: Set(new.kind.as_str().to_owned()),
        environment: Set(Some(new.environment.clone())),
        created_at: Set(now),
        created_by: Set(new.created_by.clone()),
        expires_at: Set(new.expires_at),
        ..Default::default()
    };
    let id = api_token::Entity::insert(row).exec_with_returning(tx).await?.id;
    if !new.projects.is_empty() {
        let rows = new
            .projects
            .iter()
            .map(|project| api_token_project::ActiveModel { token_id: Set(id), project: Set(project.clone()) });
        api_token_project::Entity::insert_many(rows).exec_without_returning(tx).await?;
    }
    Ok(id)
}

/// Stores a personal token by the digest of its secret and returns its id.
pub async fn insert_personal_token(
    tx: &Tx,
    user_id: i64,
    description: &str,
    full_secret: &str,
    expires_at: Timestamp,
    now: Timestamp,
) -> Result<i64, StoreError> {
    let row = personal_token::ActiveModel {
        user_id: Set(user_id),
        description: Set(description.to_owned()),
        secret_hash: Set(secret::digest(full_secret)),
        expires_at: Set(expires_at),
        created_at: Set(now),
        ..Default::default()
    };
    Ok(personal_token::Entity::insert(row).exec_with_returning(tx).await?.id)
}
