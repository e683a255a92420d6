//! Personal tokens of the caller.

use poem::web::Data;
use poem_openapi::{Object, OpenApi, param::Path};
use serde::Serialize;

use crate::{
    access::Caller,
    api::{
        Tag,
        answer::{ActRefusals, Created, Done, Fails, Out, ReadRefusals},
        author::author,
        body::Body,
        caller::AuthenticatedCaller,
        groups::NameRefusals,
        preference,
    },
    changes::personal_tokens::Owner,
    domain::{account_policy::AccountPolicy, time::Timestamp, token::PersonalToken, user::AccountKind},
    error::Error,
    state::State,
    store,
    wire::Nullable,
};

/// The operations on the caller's personal tokens.
#[derive(Debug)]
pub struct PersonalTokensApi;

/// A personal token to create.
#[derive(Debug, Clone, Object)]
#[oai(rename = "CreatePersonalToken", rename_all = "camelCase")]
pub struct NewPersonalTokenBody {
    /// Purpose of the token, 1 to 255 characters, not only blanks. Unique among the tokens of a user.
    #[oai(validator(min_length = 1, max_length = 255, pattern = r"\S"))]
    pub description: String,
    /// When it stops working: in the future, and within the limits that the operator sets, one year by default, and
    /// that administrators set (`setAccountPolicy`).
    pub expires_at: Timestamp,
}

/// A personal token.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "PersonalToken", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct PersonalTokenBody {
    /// Id of the token.
    pub id: i64,
    /// Purpose of the token.
    pub description: String,
    /// Id of the user to whom it belongs.
    pub user_id: i64,
    /// When it stops working.
    pub expires_at: Timestamp,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it was last used, with a delay of about a minute; `null` for never.
    pub seen_at: Nullable<Timestamp>,
}

/// A newly created personal token.
#[derive(Clone, Serialize, Object)]
#[oai(rename = "PersonalTokenWithSecret", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct PersonalTokenWithSecretBody {
    /// Id of the token.
    pub id: i64,
    /// The secret, shown only once.
    pub secret: String,
    /// Purpose of the token.
    pub description: String,
    /// Id of the user to whom it belongs.
    pub user_id: i64,
    /// When it stops working.
    pub expires_at: Timestamp,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it was last used: `null`, never.
    pub seen_at: Nullable<Timestamp>,
}

opaque_debug!(PersonalTokenWithSecretBody { id, .. });

/// The personal tokens of a user or of a service account.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "PersonalTokens", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct PersonalTokensBody {
    /// The tokens, oldest first, including expired ones.
    pub pats: Vec<PersonalTokenBody>,
    /// Longest lifetime of a new token in days, by the policy on accounts and the limit of the operator. Absent where no
    /// token may be created, and in the answer of `getUserPats`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub longest_days: Option<i64>,
}

impl From<PersonalToken> for PersonalTokenBody {
    fn from(token: PersonalToken) -> Self {
        Self {
            id: token.id,
            description: token.description,
            user_id: token.user_id,
            expires_at: token.expires_at,
            created_at: token.created_at,
            seen_at: token.seen_at.into(),
        }
    }
}

#[OpenApi(tag = "Tag::PersonalTokens")]
impl PersonalTokensApi {
    /// List your personal tokens
    ///
    /// Without their secrets. API tokens are refused with 403.
    #[oai(path = "/api/admin/user/tokens", method = "get", operation_id = "getPats")]
    async fn get_tokens(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
    ) -> Result<Out<PersonalTokensBody>, Fails<ReadRefusals>> {
        let person = caller.require_person()?;
        let tokens = store::tokens::personal::list(&state.db, person.id).await?;
        let longest_days = longest_days(state, AccountKind::User).await?;
        Ok(Out(PersonalTokensBody { pats: tokens.into_iter().map(PersonalTokenBody::from).collect(), longest_days }))
    }

    /// Create a personal token
    ///
    /// Whoever has the token acts as you until it expires or you change your password. The secret is shown in this
    /// answer only. A description that another of your tokens has is 409. The caller must be signed in: personal tokens
    /// and API tokens are refused with 403, and so is everybody where administrators allow no personal tokens.
    #[oai(path = "/api/admin/user/tokens", method = "post", operation_id = "createPat")]
    async fn create_token(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        body: Body<NewPersonalTokenBody>,
    ) -> Result<Created<PersonalTokenWithSecretBody>, Fails<NameRefusals>> {
        let owner = Owner::Author(caller.require_session()?.id);
        Ok(Created(create(&caller, state, owner, body.read()?).await?))
    }

    /// Delete one of your personal tokens
    ///
    /// The token stops working with the next request. 404 for a token that is not yours. API tokens are refused with
    /// 403, and so is a deletion that leaves nobody who can act as an administrator.
    #[oai(path = "/api/admin/user/tokens/:id", method = "delete", operation_id = "deletePat")]
    async fn delete_token(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        /// Id of the token.
        id: Path<i64>,
    ) -> Result<Done, Fails<ActRefusals>> {
        let owner = Owner::Author(caller.require_person()?.id);
        author(&caller, state).delete_personal_token(owner, id.0).await?;
        Ok(Done)
    }
}

/// Returns the longest lifetime in days of a new token of an account of a kind; `None` where none may be created.
pub async fn longest_days(state: &State, kind: AccountKind) -> Result<Option<i64>, Error> {
    let policy: AccountPolicy = preference::get(state).await?;
    Ok(policy.longest_days(kind, state.config.personal_token_days))
}

/// Creates the personal token that a body describes.
pub async fn create(
    caller: &Caller,
    state: &State,
    owner: Owner,
    body: NewPersonalTokenBody,
) -> Result<PersonalTokenWithSecretBody, Error> {
    let NewPersonalTokenBody { description, expires_at } = body;
    let operator_days = state.config.personal_token_days;
    let author = author(caller, state);
    let (token, secret) = author.create_personal_token(owner, description, expires_at, operator_days).await?;
    Ok(PersonalTokenWithSecretBody {
        id: token.id,
        secret,
        description: token.description,
        user_id: token.user_id,
        expires_at,
        created_at: token.created_at,
        seen_at: None.into(),
    })
}
