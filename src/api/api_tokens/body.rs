//! API tokens as they come and go.

use poem_openapi::{Enum, Object};
use serde::Serialize;

use crate::{
    api::api_tokens::Onlooker,
    domain::{secret::TokenKind, time::Timestamp, token::ApiToken},
    wire::Nullable,
};

/// Type of an API token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum, Serialize)]
#[oai(rename = "ApiTokenType", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub enum ApiTokenType {
    /// Administration, with every permission.
    Admin,
    /// Server-side SDKs.
    Client,
    /// Browsers and apps.
    Frontend,
}

impl From<TokenKind> for ApiTokenType {
    fn from(kind: TokenKind) -> Self {
        match kind {
            TokenKind::Admin => Self::Admin,
            TokenKind::Client => Self::Client,
            TokenKind::Frontend => Self::Frontend,
        }
    }
}

/// An API token to create.
#[derive(Clone, Object)]
#[oai(rename = "CreateApiToken", rename_all = "camelCase")]
pub struct NewApiTokenBody {
    /// Name of the holder, 1 to 255 characters; several tokens may have the same. Required, unless `username` is given.
    #[oai(validator(min_length = 1, max_length = 255))]
    pub token_name: Option<String>,
    /// Older spelling of `tokenName`; not together with it. Deprecated since 0.1.0: use `tokenName`.
    #[oai(deprecated, validator(min_length = 1, max_length = 255))]
    pub username: Option<String>,
    /// `admin`, `client` or `frontend`, case-insensitive. `backend` is another name of `client`, which answers use.
    #[oai(
        rename = "type",
        validator(pattern = "^([aA][dD][mM][iI][nN]|[cC][lL][iI][eE][nN][tT]|\
        [bB][aA][cC][kK][eE][nN][dD]|[fF][rR][oO][nN][tT][eE][nN][dD])$")
    )]
    pub kind: String,
    /// Name of the environment that it reads; `*` for admin tokens, which reach all. Absent: `*` for admin tokens,
    /// otherwise `default`.
    #[oai(validator(min_length = 1, max_length = 255))]
    pub environment: Option<String>,
    /// Ids of the projects that it reads, 1 to 500; `*` is all of them. Absent: the project in `project`.
    #[oai(validator(min_items = 1, max_items = 500, max_length = 255))]
    pub projects: Option<Vec<String>>,
    /// Id of the one project that it reads, `*` for all. Absent: all, or the project in the path.
    #[oai(validator(min_length = 1, max_length = 255))]
    pub project: Option<String>,
    /// When it stops working; may be past. `null` or absent: never.
    pub expires_at: Option<Nullable<Timestamp>>,
    /// A second secret that is accepted instead of the token's own, 32 to 255 characters. Choose one that cannot be
    /// guessed. `null` or absent: none.
    #[oai(validator(min_length = 32, max_length = 255))]
    pub alias: Option<Nullable<String>>,
}

opaque_debug!(NewApiTokenBody { kind, .. });

/// When a token is to end.
#[derive(Debug, Clone, Object)]
#[oai(rename = "ApiTokenExpiry", rename_all = "camelCase")]
pub struct ExpiryBody {
    /// When it stops working; may be past. `null`: never.
    pub expires_at: Nullable<Timestamp>,
}

/// An API token.
#[derive(Clone, Serialize, Object)]
#[oai(rename = "ApiToken", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct ApiTokenBody {
    /// The secret, in the answer that creates the token, and in lists where the operator chose to keep secrets and the
    /// caller could create the token. Otherwise the server stores only a digest of it, and this begins with `hidden:`, as
    /// in `hidden:shop:production.id-7`, which identifies the token in these operations but does not authenticate.
    pub secret: String,
    /// Name of the holder.
    pub token_name: String,
    /// Name of the holder, under its older spelling. Deprecated since 0.1.0: use `tokenName`.
    #[oai(deprecated)]
    pub username: String,
    /// Kind of the token.
    #[oai(rename = "type")]
    #[serde(rename = "type")]
    pub kind: ApiTokenType,
    /// Name of the environment that it reads; `*` is all of them.
    pub environment: String,
    /// The projects, joined by commas.
    pub project: String,
    /// Ids of the projects that it reads, sorted; `*` is all of them. Projects that the caller may not see are left
    /// out.
    pub projects: Vec<String>,
    /// When it stops working; `null` for never.
    pub expires_at: Nullable<Timestamp>,
    /// When it was created.
    pub created_at: Timestamp,
    /// The alias, a second secret, in the answer that creates the token only; otherwise `null`, also when there is one.
    pub alias: Nullable<String>,
    /// When it was last used; `null` when that is not known.
    pub seen_at: Nullable<Timestamp>,
}

opaque_debug!(ApiTokenBody { token_name, .. });

/// API tokens.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "ApiTokens")]
pub struct ApiTokensBody {
    /// The tokens, oldest first.
    pub tokens: Vec<ApiTokenBody>,
}

impl ApiTokensBody {
    /// Lists the visible ones of the tokens: all that reach a visible project, without the others.
    pub fn visible(tokens: &[ApiToken], onlooker: &Onlooker<'_>) -> Self {
        let visible = tokens.iter().filter_map(|token| {
            let body = ApiTokenBody::of(token.shown_to(onlooker.sees())?);
            Some(match onlooker.secret_of(token) {
                Some(secret) => ApiTokenBody { secret, ..body },
                None => body,
            })
        });
        Self { tokens: visible.collect() }
    }
}

impl ApiTokenBody {
    /// A token without its secret.
    pub fn of(token: ApiToken) -> Self {
        Self {
            secret: token.handle(),
            username: token.name.clone(),
            token_name: token.name,
            kind: token.reach.kind.into(),
            environment: token.reach.environment,
            project: token.reach.projects.join(","),
            projects: token.reach.projects,
            expires_at: token.expires_at.into(),
            created_at: token.created_at,
            alias: None.into(),
            seen_at: token.seen_at.into(),
        }
    }
}
