//! Personal tokens of users, as administrators handle them.

use poem::web::Data;
use poem_openapi::{OpenApi, param::Path};

use crate::{
    api::{
        Tag,
        answer::{ActRefusals, Done, Fails, LookupRefusals, Out},
        author::author,
        me::personal_tokens::{PersonalTokenBody, PersonalTokensBody},
        parameter::UserIdParameter,
        permitted::{Permitted, need},
        users::find_user,
    },
    changes::personal_tokens::Owner,
    state::State,
    store,
};

/// The operations on personal tokens of users.
#[derive(Debug)]
pub struct UserTokensApi;

#[OpenApi(tag = "Tag::Users")]
impl UserTokensApi {
    /// List the personal tokens of a user
    ///
    /// Description, expiry and last use of each; never the secrets.
    #[oai(path = "/api/admin/user-admin/:id/tokens", method = "get", operation_id = "getUserPats")]
    async fn get_user_tokens(
        &self,
        _caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        id: Path<UserIdParameter>,
    ) -> Result<Out<PersonalTokensBody>, Fails<LookupRefusals>> {
        let user_id = find_user(state, &id.0).await?.id;
        let tokens = store::tokens::personal::list(&state.db, user_id).await?;
        let pats = tokens.into_iter().map(PersonalTokenBody::from).collect();
        Ok(Out(PersonalTokensBody { pats, longest_days: None }))
    }

    /// Delete a personal token of a user
    ///
    /// The token stops working with the next request. 404 for a token that is not the user's, 403 when nobody would be
    /// left who can act as an administrator.
    #[oai(path = "/api/admin/user-admin/:id/tokens/:tokenId", method = "delete", operation_id = "deleteUserPat")]
    async fn delete_user_token(
        &self,
        caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        id: Path<UserIdParameter>,
        #[oai(name = "tokenId")] token_id: Path<i64>,
    ) -> Result<Done, Fails<ActRefusals>> {
        let user_id = find_user(state, &id.0).await?.id;
        author(&caller, state).delete_personal_token(Owner::User(user_id), token_id.0).await?;
        Ok(Done)
    }
}
