//! API tokens of the instance.

use poem::web::Data;
use poem_openapi::{OpenApi, param::Path};

use crate::{
    access::Caller,
    accounts::{self, AccountError},
    api::{
        Tag,
        answer::{ActRefusals, ChangeRefusals, Created, Done, Fails, Out, QueryRefusals, ReadRefusals},
        body::Body,
        groups::NameRefusals,
        permitted::{Permitted, need},
    },
    config::{ApiTokenSecrets, admit_one_more},
    domain::{
        permission::Permission,
        secret::TokenKind,
        time::Timestamp,
        token::{self, ALL, ApiToken, Maker, Reach, Unreachable},
    },
    error::{Error, Finding},
    state::State,
    store::{self, db::Tx, tokens::api::Which},
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

/// An action on tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Act {
    Create,
    Read,
    Update,
    Delete,
}

impl Act {
    const fn permission(self, kind: TokenKind) -> Permission {
        match (kind, self) {
            (TokenKind::Admin, _) => Permission::Admin,
            (TokenKind::Client, Self::Create) => Permission::CreateClientApiToken,
            (TokenKind::Client, Self::Read) => Permission::ReadClientApiToken,
            (TokenKind::Client, Self::Update) => Permission::UpdateClientApiToken,
            (TokenKind::Client, Self::Delete) => Permission::DeleteClientApiToken,
            (TokenKind::Frontend, Self::Create) => Permission::CreateFrontendApiToken,
            (TokenKind::Frontend, Self::Read) => Permission::ReadFrontendApiToken,
            (TokenKind::Frontend, Self::Update) => Permission::UpdateFrontendApiToken,
            (TokenKind::Frontend, Self::Delete) => Permission::DeleteFrontendApiToken,
        }
    }

    /// 403 for whom tokens of no kind are any business.
    fn require_some(self, caller: &Caller) -> Result<(), Error> {
        caller.require_any(&[TokenKind::Client, TokenKind::Frontend].map(|kind| self.permission(kind)))
    }

    fn require(self, caller: &Caller, kind: TokenKind) -> Result<(), Error> {
        caller.require(self.permission(kind))
    }
}

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
        caller: Caller,
        Data(state): Data<&State>,
        body: Body<NewApiTokenBody>,
    ) -> Result<Created<ApiTokenBody>, Fails<NameRefusals>> {
        Act::Create.require_some(&caller)?;
        let wanted = Wanted::read(body.read()?, ALL)?;
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
        caller: Caller,
        Data(state): Data<&State>,
        token: Path<String>,
        body: Body<ExpiryBody>,
    ) -> Result<Done, Fails<ChangeRefusals>> {
        Act::Update.require_some(&caller)?;
        let expires_at = body.read()?.expires_at.into_inner();
        let sees = caller.visibility().await?;
        let (tx, old) = hold(&caller, state, &token.0).await?;
        Act::Update.require(&caller, old.reach.kind)?;
        if old.is_prolonged_to(expires_at) && !sees.covers(&old.reach.projects) {
            let message = "The token reaches projects that you may not see: somebody who sees them must prolong it.";
            return Err(Error::not_visible(message).into());
        }
        let new = ApiToken { expires_at, ..old.clone() };
        store::tokens::api::set_expiry(&tx, old.id, expires_at).await?;
        let event = (new != old).then(|| new.updated(&old, &caller.actor()));
        tx.commit(state.clock.now(), event).await?;
        Ok(Done)
    }

    /// Delete an API token
    ///
    /// The token stops working with the next request. Needs `DELETE_CLIENT_API_TOKEN` for a client token,
    /// `DELETE_FRONTEND_API_TOKEN` for a frontend token, `ADMIN` for an admin token.
    #[oai(path = "/api/admin/api-tokens/:token", method = "delete", operation_id = "deleteApiToken")]
    async fn delete_token(
        &self,
        caller: Caller,
        Data(state): Data<&State>,
        token: Path<String>,
    ) -> Result<Done, Fails<ActRefusals>> {
        Act::Delete.require_some(&caller)?;
        let (tx, old) = hold(&caller, state, &token.0).await?;
        Act::Delete.require(&caller, old.reach.kind)?;
        delete(&caller, state, tx, &old).await?;
        Ok(Done)
    }
}

async fn readable(caller: &Caller, state: &State, which: Which<'_>) -> Result<ApiTokensBody, Error> {
    let mut tokens = store::tokens::api::list(&state.db, which).await?;
    tokens.retain(|token| Act::Read.require(caller, token.reach.kind).is_ok());
    Ok(ApiTokensBody::visible(&tokens, &Onlooker::of(caller, state).await?))
}

/// Locks a visible token for a change, by its full secret, alias or shown text.
pub async fn hold(caller: &Caller, state: &State, named: &str) -> Result<(Tx, ApiToken), Error> {
    let visibility = caller.visibility().await?;
    let tx = state.db.begin().await?;
    match store::tokens::api::hold(&tx, named, &visibility).await? {
        Some(token) => Ok((tx, token)),
        // Without the text that was sent: it may be a secret that was mistyped by one letter.
        None => Err(Error::NotFound("There is no such API token.".to_owned())),
    }
}

/// Removes a token that is held.
pub async fn delete(caller: &Caller, state: &State, tx: Tx, token: &ApiToken) -> Result<(), Error> {
    let event = accounts::delete_token(&tx, token, &caller.actor()).await?;
    tx.commit(state.clock.now(), [event]).await?;
    Ok(())
}

/// A token to create.
#[derive(Clone)]
pub struct Wanted {
    /// Reach of the token.
    pub reach: Reach,
    name: String,
    expires_at: Option<Timestamp>,
    alias: Option<String>,
}

impl std::fmt::Debug for Wanted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Wanted").field("reach", &self.reach).finish_non_exhaustive()
    }
}

impl Wanted {
    /// Reads a body; if it names no projects the token reaches `default_project`.
    pub fn read(body: NewApiTokenBody, default_project: &str) -> Result<Self, Error> {
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
        Ok(Self {
            reach: Reach { kind, projects, environment },
            name,
            expires_at: body.expires_at.and_then(Nullable::into_inner),
            alias: body.alias.and_then(Nullable::into_inner),
        })
    }
}

/// Makes a token for a caller who has the permission `need` in all projects that it reaches.
pub async fn create(caller: &Caller, state: &State, need: Permission, wanted: Wanted) -> Result<ApiTokenBody, Error> {
    let (now, actor, sees) = (state.clock.now(), caller.actor(), caller.visibility().await?);
    let tx = state.db.begin().await?;
    admit_one_more("API token", store::tokens::api::count_to_add(&tx).await?, state.config.limits.api_tokens)?;
    if let Some(alias) = &wanted.alias
        && store::tokens::api::is_taken(&tx, alias).await?
    {
        return Err(Error::Conflict(Finding::property("/body/alias", "is the secret of another token").message));
    }
    let Wanted { reach, name, expires_at, alias } = wanted;
    let maker = Maker { actor: &actor, sees: &sees, right: Some((caller.grants(), need)) };
    let made = accounts::make_token(&tx, &reach, &name, expires_at, now, maker).await;
    let (secret, event) = made.map_err(token_refusal)?;
    let token = store::tokens::api::hold(&tx, &secret, &sees).await?;
    let token = token.ok_or_else(|| Error::internal("a token that was just made is missing"))?;
    if let Some(alias) = &alias {
        store::tokens::api::set_alias(&tx, token.id, alias).await?;
    }
    if state.config.api_token_secrets == ApiTokenSecrets::Sealed && token.reach.kind != TokenKind::Admin {
        store::tokens::api::keep_secret(&tx, &state.vault, token.id, &secret, now).await?;
    }
    tx.commit(now, [event]).await?;
    Ok(ApiTokenBody { secret, alias: alias.into(), ..ApiTokenBody::of(token) })
}

fn token_refusal(error: AccountError) -> Error {
    let words = error.to_string();
    let invalid = |property: &str| {
        Error::property(format!("/body/{property}"), format_args!("does not fit: {}", words.trim_end_matches('.')))
    };
    match error {
        AccountError::Name(_) => invalid("tokenName"),
        AccountError::Reach(Unreachable::NoProject) => invalid("projects"),
        AccountError::Reach(Unreachable::NoRight(need)) => Error::no_access(&[need]),
        AccountError::Reach(Unreachable::Unseen) => Error::not_visible(words),
        AccountError::Reach(Unreachable::PartialAdmin) => invalid("type"),
        AccountError::Unknown { kind: "project", name } => Error::unknown("/body/projects", "project", &name),
        AccountError::Reach(Unreachable::NoEnvironment) | AccountError::Unknown { .. } => invalid("environment"),
        AccountError::Taken => Error::Conflict("There is such a token already.".to_owned()),
        AccountError::Password(_)
        | AccountError::UserName(_)
        | AccountError::NameTaken(_)
        | AccountError::LastAdministrator
        | AccountError::Elsewhere(_) => Error::internal("a token is no user"),
        AccountError::Failed(error) => error,
    }
}
