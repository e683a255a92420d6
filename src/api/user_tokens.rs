//! Personal tokens of users, as administrators handle them.

use poem::web::Data;
use poem_openapi::{OpenApi, param::Path};

use crate::{
    api::{
        Tag,
        answer::{ActRefusals, Done, Fails, LookupRefusals, Out},
        caller::Caller,
        parameter::UserIdParameter,
        personal_tokens::{PersonalTokenBody, PersonalTokensBody},
        state::State,
        users::find_user,
    },
    domain::{event_kind::EventKind, permission::Permission},
    error::Error,
    store,
};

/// The operations on personal tokens of users.
#[derive(Debug)]
pub struct UserTokensApi;

#[OpenApi(tag = "Tag::Users")]
impl UserTokensApi {
    /// List the personal tokens of a user
    ///
    /// What they are for, when they end, and when they were last used; never their secrets. Needs `ADMIN`.
    #[oai(path = "/api/admin/user-admin/:id/tokens", method = "get", operation_id = "getUserPats")]
    async fn get_user_tokens(
        &self,
        caller: Caller,
        Data(state): Data<&State>,
        /// Id of the user.
        id: Path<UserIdParameter>,
    ) -> Result<Out<PersonalTokensBody>, Fails<LookupRefusals>> {
        caller.require(Permission::Admin)?;
        let user_id = find_user(state, &id.0).await?.id;
        let tokens = store::personal_tokens::list(&state.db, user_id).await?;
        Ok(Out(PersonalTokensBody { pats: tokens.into_iter().map(PersonalTokenBody::from).collect() }))
    }

    /// Delete a personal token of a user
    ///
    /// It lets nobody in from the next request on. 404 for a token that is not the user's. Needs `ADMIN`.
    #[oai(path = "/api/admin/user-admin/:id/tokens/:tokenId", method = "delete", operation_id = "deleteUserPat")]
    async fn delete_user_token(
        &self,
        caller: Caller,
        Data(state): Data<&State>,
        /// Id of the user.
        id: Path<UserIdParameter>,
        /// Id of the token.
        #[oai(name = "tokenId")]
        token_id: Path<i64>,
    ) -> Result<Done, Fails<ActRefusals>> {
        caller.require(Permission::Admin)?;
        let user_id = find_user(state, &id.0).await?.id;
        let tx = state.db.begin().await?;
        let token = store::personal_tokens::delete(&tx, user_id, token_id.0).await?;
        let missing = || Error::NotFound(format!("The user has no personal token with the id {}.", token_id.0));
        let event = token.ok_or_else(missing)?.event(EventKind::PatDeleted, &caller.actor());
        tx.commit(state.clock.now(), [event]).await?;
        Ok(Done)
    }
}
