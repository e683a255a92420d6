//! Tokens of service accounts, which administrators make and take away.

use poem::web::Data;
use poem_openapi::{OpenApi, param::Path};

use super::found;
use crate::{
    api::{
        Tag,
        answer::{ActRefusals, CreateRefusals, Created, Done, Fails, LookupRefusals, Out},
        author::author,
        body::Body,
        me::personal_tokens::{self, NewPersonalTokenBody, PersonalTokenWithSecretBody, PersonalTokensBody},
        permitted::{Permitted, need},
    },
    changes::personal_tokens::Owner,
    domain::user::AccountKind,
    state::State,
    store,
};

/// The operations on tokens of service accounts.
#[derive(Debug)]
pub struct ServiceAccountTokensApi;

#[OpenApi(tag = "Tag::ServiceAccounts")]
impl ServiceAccountTokensApi {
    /// List the tokens of a service account
    ///
    /// Description, expiry and last use of each; never the secrets.
    #[oai(path = "/api/admin/service-account/:id/token", method = "get", operation_id = "getServiceAccountTokens")]
    async fn get_service_account_tokens(
        &self,
        _caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        id: Path<i64>,
    ) -> Result<Out<PersonalTokensBody>, Fails<LookupRefusals>> {
        let account = found(store::service_accounts::find(&state.db, id.0).await?, id.0)?;
        let tokens = store::tokens::personal::list(&state.db, account.id).await?;
        let longest_days = personal_tokens::longest_days(state, AccountKind::ServiceAccount).await?;
        Ok(Out(PersonalTokensBody { pats: tokens.into_iter().map(Into::into).collect(), longest_days }))
    }

    /// Create a token for a service account
    ///
    /// Whoever has the token acts as the service account until it expires. The secret is shown in this answer only. A
    /// description that another of its tokens has is 409. Limits of number and lifetime are those of personal tokens.
    #[oai(path = "/api/admin/service-account/:id/token", method = "post", operation_id = "createServiceAccountToken")]
    async fn create_service_account_token(
        &self,
        caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        id: Path<i64>,
        body: Body<NewPersonalTokenBody>,
    ) -> Result<Created<PersonalTokenWithSecretBody>, Fails<CreateRefusals>> {
        let body = body.read()?;
        Ok(Created(personal_tokens::create(&caller, state, Owner::ServiceAccount(id.0), body).await?))
    }

    /// Delete a token of a service account
    ///
    /// The token stops working with the next request. 404 for a token that is not the service account's.
    #[oai(
        path = "/api/admin/service-account/:id/token/:tokenId",
        method = "delete",
        operation_id = "deleteServiceAccountToken"
    )]
    async fn delete_service_account_token(
        &self,
        caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        id: Path<i64>,
        #[oai(name = "tokenId")] token_id: Path<i64>,
    ) -> Result<Done, Fails<ActRefusals>> {
        author(&caller, state).delete_personal_token(Owner::ServiceAccount(id.0), token_id.0).await?;
        Ok(Done)
    }
}
