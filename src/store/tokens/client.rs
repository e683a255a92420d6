//! API tokens as the programs that hold them are judged by.

use std::collections::HashMap;

use flagstone_domain::{
    secret::TokenKind,
    token::{ALL, ClientToken, Reach},
};
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, sea_query::ExprTrait as _};

use crate::{
    StoreError,
    db::batches::ASKED_AT_ONCE,
    entity::{api_token, api_token_project},
};

/// The tokens with these digests (or alias digests), by the digest asked for. Ended ones are among them.
pub async fn by_digests(
    db: &impl ConnectionTrait,
    digests: &[String],
) -> Result<HashMap<String, ClientToken>, StoreError> {
    let mut found = HashMap::new();
    for batch in digests.chunks(ASKED_AT_ONCE) {
        let matching = api_token::Column::SecretHash.is_in(batch).or(api_token::Column::AliasHash.is_in(batch));
        let rows = api_token::Entity::find().filter(matching).all(db).await?;
        let ids: Vec<i64> = rows.iter().map(|row| row.id).collect();
        let mut projects: HashMap<i64, Vec<String>> = HashMap::new();
        if !ids.is_empty() {
            let of_tokens = api_token_project::Column::TokenId.is_in(ids);
            for row in api_token_project::Entity::find().filter(of_tokens).all(db).await? {
                projects.entry(row.token_id).or_default().push(row.project);
            }
        }
        for row in rows {
            let Some(kind) = TokenKind::parse(&row.r#type) else { continue };
            let mut projects = projects.remove(&row.id).unwrap_or_default();
            projects.sort();
            let environment = row.environment.unwrap_or_else(|| ALL.to_owned());
            let token = ClientToken {
                id: row.id,
                name: row.token_name,
                reach: Reach { kind, projects, environment },
                expires_at: row.expires_at,
            };
            let named = [Some(row.secret_hash), row.alias_hash].into_iter().flatten();
            found.extend(named.filter(|digest| batch.contains(digest)).map(|digest| (digest, token.clone())));
        }
    }
    Ok(found)
}
