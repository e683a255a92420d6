//! Visibility of API token secrets in lists.

use crate::{
    access::Caller,
    changes::api_tokens::Act,
    config::ApiTokenSecrets,
    domain::{permission::Permission, secret::TokenKind, token::ApiToken, visibility::Visibility},
    error::Error,
    state::State,
    store,
};

/// Reader of a list of tokens.
#[derive(Debug)]
pub struct Onlooker<'a> {
    caller: &'a Caller,
    state: &'a State,
    sees: Visibility,
}

impl<'a> Onlooker<'a> {
    /// The caller.
    pub async fn of(caller: &'a Caller, state: &'a State) -> Result<Self, Error> {
        Ok(Self { caller, state, sees: caller.visibility().await? })
    }

    /// Projects that they see.
    pub const fn sees(&self) -> &Visibility {
        &self.sees
    }

    /// The secret of a token, where it is kept and they could make that token.
    pub fn secret_of(&self, token: &ApiToken) -> Option<String> {
        if self.state.config.api_token_secrets == ApiTokenSecrets::Hashed || token.reach.kind == TokenKind::Admin {
            return None;
        }
        let needs = [Act::Create.permission(token.reach.kind), Permission::CreateProjectApiToken];
        let (grants, actor) = (self.caller.grants(), self.caller.actor());
        let may_see = token.could_be_made_by(grants, &needs, &self.sees, &actor);
        may_see.then(|| store::tokens::api::kept_secret(&self.state.vault, token)).flatten()
    }
}
