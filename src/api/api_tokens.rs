//! API tokens of the instance.

use poem::web::Data;
use poem_openapi::{OpenApi, param::Path};

use crate::{
    access::Caller,
    api::{
        Tag,
        answer::{ActRefusals, ChangeRefusals, Created, Done, Fails, Out, QueryRefusals, ReadRefusals},
        author::author,
        body::Body,
        caller::AuthenticatedCaller,
        groups::NameRefusals,
        permitted::{Permitted, need},
    },
    changes::api_tokens::{Act, WantedToken},
    domain::{
        permission::Permission,
        secret::TokenKind,
        token::{self, ALL, Reach},
    },
    error::Error,
    state::State,
    store::{self, tokens::api::Which},
    wire::Nullable,
};

mod body;
mod onlooker;

pub use self::body::{ApiTokenBody, ApiTokenType, ApiTokensBody, ExpiryBody, NewApiTokenBody};
pub use self::onlooker::Onlooker;

/// The environment of client and frontend tokens when nothing is said.
const DEFAULT_ENVIRONMENT: &str = "default";

/// The operations on API tokens of the instance.
#[derive(Debug)]
pub struct ApiTokensApi;

#[OpenApi(tag = "Tag::ApiTokens")]
impl ApiTokensApi {
    /// List the API tokens
    ///
    /// Client tokens need `READ_CLIENT_API_TOKEN`, frontend tokens `READ_FRONTEND_API_TOKEN`, admin tokens `ADMIN`;
    /// others are left out, as are tokens that reach only projects that the caller may not see. Secrets of client and
    /// frontend tokens are shown if the operator chose to keep them (`--api-tokens sealed`), to those who could create
    /// the token; others are not stored.
    #[oai(path = "/api/admin/api-tokens", method = "get", operation_id = "getAllApiTokens")]
    async fn get_tokens(
        &self,
        caller: Permitted<need::ReadApiTokens>,
        Data(state): Data<&State>,
    ) -> Result<Out<ApiTokensBody>, Fails<ReadRefusals>> {
        Ok(Out(readable(&caller, state, Which::All).await?))
    }

    /// Create an API token
    ///
    /// The secret is shown in this answer only, unless the operator chose to keep secrets. Needs
    /// `CREATE_CLIENT_API_TOKEN` for a client token, `CREATE_FRONTEND_API_TOKEN` for a frontend token, `ADMIN` for an
    /// admin token. Client and frontend tokens read one environment; admin tokens reach everything. A token can reach
    /// only projects that its creator may see: one for all projects needs `ADMIN`, whatever its type, and a hidden
    /// project is refused like one that does not exist.
    #[oai(path = "/api/admin/api-tokens", method = "post", operation_id = "createApiToken")]
    async fn create_token(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        body: Body<NewApiTokenBody>,
    ) -> Result<Created<ApiTokenBody>, Fails<NameRefusals>> {
        Act::Create.require_some(&caller)?;
        let wanted = wanted(body.read()?, ALL)?;
        Act::Create.require(&caller, wanted.reach.kind)?;
        let need = Act::Create.permission(wanted.reach.kind);
        Ok(Created(create(&caller, state, need, wanted).await?))
    }

    /// List the API tokens with a name
    ///
    /// Lists the tokens in the form of `getAllApiTokens`; empty when the caller may read none with that name.
    #[oai(path = "/api/admin/api-tokens/:token", method = "get", operation_id = "getApiTokensByName")]
    async fn get_tokens_by_name(
        &self,
        caller: Permitted<need::ReadApiTokens>,
        Data(state): Data<&State>,
        /// Name of the tokens. Other operations on this path take a token here.
        #[oai(validator(max_length = 255))]
        token: Path<String>,
    ) -> Result<Out<ApiTokensBody>, Fails<QueryRefusals>> {
        Ok(Out(readable(&caller, state, Which::Named(&token.0)).await?))
    }

    /// Update the expiry of an API token
    ///
    /// Needs `UPDATE_CLIENT_API_TOKEN` for a client token, `UPDATE_FRONTEND_API_TOKEN` for a frontend token, `ADMIN`
    /// for an admin token. An expired token stops working with the next request. Only a caller who may see everything
    /// that the token reaches can extend it. Setting the current expiry leaves no event.
    #[oai(path = "/api/admin/api-tokens/:token", method = "put", operation_id = "updateApiToken")]
    async fn update_token(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        token: Path<String>,
        body: Body<ExpiryBody>,
    ) -> Result<Done, Fails<ChangeRefusals>> {
        Act::Update.require_some(&caller)?;
        let expires_at = body.read()?.expires_at.into_inner();
        author(&caller, state).update_api_token(&token.0, expires_at).await?;
        Ok(Done)
    }

    /// Delete an API token
    ///
    /// The token stops working with the next request. Needs `DELETE_CLIENT_API_TOKEN` for a client token,
    /// `DELETE_FRONTEND_API_TOKEN` for a frontend token, `ADMIN` for an admin token.
    #[oai(path = "/api/admin/api-tokens/:token", method = "delete", operation_id = "deleteApiToken")]
    async fn delete_token(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        token: Path<String>,
    ) -> Result<Done, Fails<ActRefusals>> {
        Act::Delete.require_some(&caller)?;
        author(&caller, state).delete_api_token(&token.0).await?;
        Ok(Done)
    }
}

async fn readable(caller: &Caller, state: &State, which: Which<'_>) -> Result<ApiTokensBody, Error> {
    let mut tokens = store::tokens::api::list(&state.db, which).await?;
    tokens.retain(|token| Act::Read.require(caller, token.reach.kind).is_ok());
    Ok(ApiTokensBody::visible(&tokens, &Onlooker::of(caller, state).await?))
}

/// Reads the token that a body describes; if it names no projects the token reaches `default_project`.
pub fn wanted(body: NewApiTokenBody, default_project: &str) -> Result<WantedToken, Error> {
    let name = match (body.token_name, body.username) {
        (Some(name), None) | (None, Some(name)) => name,
        (None, None) => return Err(Error::property("/body/tokenName", "is required")),
        (Some(_), Some(_)) => {
            return Err(Error::property("/body/username", "cannot be given together with /body/tokenName"));
        }
    };
    let kind = TokenKind::parse(&body.kind)
        .ok_or_else(|| Error::property("/body/type", "must be admin, client, backend or frontend"))?;
    let default_environment = if kind == TokenKind::Admin { ALL } else { DEFAULT_ENVIRONMENT };
    let mut projects =
        body.projects.unwrap_or_else(|| vec![body.project.unwrap_or_else(|| default_project.to_owned())]);
    projects.sort();
    projects.dedup();
    if token::names_all(&projects) {
        projects = vec![ALL.to_owned()];
    }
    let environment = body.environment.unwrap_or_else(|| default_environment.to_owned());
    Ok(WantedToken {
        reach: Reach { kind, projects, environment },
        name,
        expires_at: body.expires_at.and_then(Nullable::into_inner),
        alias: body.alias.and_then(Nullable::into_inner),
    })
}

/// Creates a token for a caller who has the permission `need` in all projects that it reaches.
pub async fn create(
    caller: &Caller,
    state: &State,
    need: Permission,
    wanted: WantedToken,
) -> Result<ApiTokenBody, Error> {
    let (secrets, alias) = (state.config.api_token_secrets, wanted.alias.clone());
    let (token, secret) = author(caller, state).create_api_token(&state.vault, secrets, need, wanted).await?;
    Ok(ApiTokenBody { secret, alias: alias.into(), ..ApiTokenBody::of(token) })
}
