//! Changes of API tokens.

use flagstone_access::Caller;
use flagstone_accounts::{self as accounts, AccountError};
use flagstone_config::{ApiTokenSecrets, admit_one_more};
use flagstone_domain::{
    ids::ProjectId,
    opaque_debug,
    permission::Permission,
    project::ProjectScope,
    secret::TokenKind,
    time::Timestamp,
    token::{ALL, ApiToken, Maker, Reach, Unreachable},
    visibility::Visibility,
};
use flagstone_error::{Error, Finding};
use flagstone_store as store;
use flagstone_vault::Vault;

use crate::{Author, Begin, Transaction};

/// Action on API tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Act {
    /// Creates a token.
    Create,
    /// Reads tokens.
    Read,
    /// Updates a token.
    Update,
    /// Deletes a token.
    Delete,
}

impl Act {
    /// Returns the permission that the action needs for tokens of a kind.
    pub const fn permission(self, kind: TokenKind) -> Permission {
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

    /// Refuses callers who may do this to tokens of no kind: 403.
    pub fn require_some(self, caller: &Caller) -> Result<(), Error> {
        caller.require_any(&[TokenKind::Client, TokenKind::Frontend].map(|kind| self.permission(kind)))
    }

    /// Requires the permission for tokens of a kind: 403 without it.
    pub fn require(self, caller: &Caller, kind: TokenKind) -> Result<(), Error> {
        caller.require(self.permission(kind))
    }
}

/// API token to create.
#[derive(Clone)]
pub struct WantedToken {
    /// Reach of the token.
    pub reach: Reach,
    /// Name of the holder.
    pub name: String,
    /// When it ends; `None` for never.
    pub expires_at: Option<Timestamp>,
    /// Second secret, if any.
    pub alias: Option<String>,
}

opaque_debug!(WantedToken { reach, .. });

impl Author<'_> {
    /// Creates an API token for an author who has the permission `need` in all projects that it reaches. Returns it with
    /// its secret, which is sealed and kept where `secrets` says so.
    pub async fn create_api_token(
        self,
        vault: &Vault,
        secrets: ApiTokenSecrets,
        need: Permission,
        wanted: WantedToken,
    ) -> Result<(ApiToken, String), Error> {
        let (actor, sees) = (self.caller.actor(), self.caller.visibility().await?);
        let transaction = self.begin(Begin::Change).await?;
        let Transaction { tx, now, .. } = &transaction;
        admit_one_more("API token", store::tokens::api::count_to_add(tx).await?, self.limits.api_tokens)?;
        let WantedToken { reach, name, expires_at, alias } = wanted;
        if let Some(alias) = &alias
            && store::tokens::api::is_taken(tx, alias).await?
        {
            return Err(Error::Conflict(Finding::property("/body/alias", "is the secret of another token").message));
        }
        let maker = Maker { actor: &actor, sees: &sees, right: Some((self.caller.grants(), need)) };
        let made = accounts::make_token(tx, &reach, &name, expires_at, *now, maker).await;
        let (secret, event) = made.map_err(refusal)?;
        let token = store::tokens::api::hold(tx, &secret, &sees).await?;
        let token = token.ok_or_else(|| Error::internal("a token that was just made is missing"))?;
        if let Some(alias) = &alias {
            store::tokens::api::set_alias(tx, token.id, alias).await?;
        }
        if secrets == ApiTokenSecrets::Sealed && token.reach.kind != TokenKind::Admin {
            store::tokens::api::keep_secret(tx, vault, token.id, &secret, *now).await?;
        }
        transaction.commit([event]).await?;
        Ok((token, secret))
    }

    /// Updates the expiry of an API token, which only an author who sees all that it reaches can extend. The current one
    /// leaves no event.
    pub async fn update_api_token(self, named: &str, expires_at: Option<Timestamp>) -> Result<(), Error> {
        let sees = self.caller.visibility().await?;
        let transaction = self.begin(Begin::Change).await?;
        let old = hold(&transaction, named, &sees).await?;
        Act::Update.require(self.caller, old.reach.kind)?;
        if old.is_prolonged_to(expires_at) && !sees.covers(&old.reach.projects) {
            let message = "The token reaches projects that you may not see: somebody who sees them must prolong it.";
            return Err(Error::not_visible(message));
        }
        let new = ApiToken { expires_at, ..old.clone() };
        store::tokens::api::set_expiry(&transaction.tx, old.id, expires_at).await?;
        let event = (new != old).then(|| new.updated(&old, &self.caller.actor()));
        transaction.commit(event).await
    }

    /// Deletes an API token.
    pub async fn delete_api_token(self, named: &str) -> Result<(), Error> {
        let sees = self.caller.visibility().await?;
        let transaction = self.begin(Begin::Change).await?;
        let token = hold(&transaction, named, &sees).await?;
        Act::Delete.require(self.caller, token.reach.kind)?;
        delete(transaction, &token).await
    }

    /// Deletes an API token of a project: 404 for one that does not reach it, 403 without the permission in every project
    /// that it reaches.
    pub async fn delete_project_api_token(self, project: &ProjectScope, named: &str) -> Result<(), Error> {
        let sees = self.caller.visibility().await?;
        let transaction = self.begin(Begin::Change).await?;
        let token = hold(&transaction, named, &sees).await?;
        if token.reach.projects.iter().all(|id| id != project.id()) {
            let message = format!("The project \"{}\" has no such API token.", project.id());
            return Err(Error::NotFound(message));
        }
        let need = Permission::DeleteProjectApiToken;
        let is_allowed = |id: &String| {
            let project = (id != ALL).then(|| ProjectId::new(id));
            self.caller.grants().allow(need, project, None)
        };
        if !token.reach.projects.iter().all(is_allowed) {
            return Err(Error::no_access(&[need]));
        }
        delete(transaction, &token).await
    }
}

/// Locks a visible token by its full secret, alias or shown text: 404 when there is none.
async fn hold(transaction: &Transaction<'_>, named: &str, sees: &Visibility) -> Result<ApiToken, Error> {
    let token = store::tokens::api::hold(&transaction.tx, named, sees).await?;
    // Without the text that was sent: it may be a secret that was mistyped by one letter.
    token.ok_or_else(|| Error::NotFound("There is no such API token.".to_owned()))
}

/// Deletes a token that the transaction has locked.
async fn delete(transaction: Transaction<'_>, token: &ApiToken) -> Result<(), Error> {
    let event = accounts::delete_token(&transaction.tx, token, &transaction.author.caller.actor()).await?;
    transaction.commit([event]).await
}

fn refusal(error: AccountError) -> Error {
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
