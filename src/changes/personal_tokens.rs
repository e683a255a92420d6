//! Changes of personal tokens: of one's own, and by administrators those of users and of service accounts.

use flagstone_accounts::administrators::keep_a_way_in;
use flagstone_config::admit_one_more;
use flagstone_domain::{
    account_policy::{AccountPolicy, TokenRefusal},
    event_kind::EventKind,
    preference::Preference as _,
    secret,
    time::Timestamp,
    token::PersonalToken,
    user::AccountKind,
};
use flagstone_error::Error;
use flagstone_store as store;

use crate::{Author, Begin, Transaction, service_accounts};

/// Owner of personal tokens, by id.
#[derive(Debug, Clone, Copy)]
pub enum Owner {
    /// The author.
    Author(i64),
    /// A user whose tokens an administrator handles.
    User(i64),
    /// A service account.
    ServiceAccount(i64),
}

impl Owner {
    /// Returns the id of the owner. A service account is locked: 404 when there is none.
    async fn hold(self, transaction: &Transaction<'_>) -> Result<i64, Error> {
        match self {
            Self::Author(id) | Self::User(id) => Ok(id),
            Self::ServiceAccount(id) => Ok(service_accounts::hold(transaction, id).await?.id),
        }
    }

    const fn kind(self) -> AccountKind {
        match self {
            Self::Author(_) | Self::User(_) => AccountKind::User,
            Self::ServiceAccount(_) => AccountKind::ServiceAccount,
        }
    }

    fn missing(self, token_id: i64) -> Error {
        let owner = match self {
            Self::Author(_) => "You have",
            Self::User(_) => "The user has",
            Self::ServiceAccount(_) => {
                return Error::NotFound(format!("The service account has no token with the id {token_id}."));
            }
        };
        Error::NotFound(format!("{owner} no personal token with the id {token_id}."))
    }
}

fn refusal(refusal: TokenRefusal) -> Error {
    match refusal {
        TokenRefusal::NotAllowed => Error::forbidden(
            "Users may not create personal tokens here: an administrator has switched them off (setAccountPolicy).",
        ),
        TokenRefusal::Lifetime(days) => {
            let days = if days == 1 { "1 day".to_owned() } else { format!("{days} days") };
            let rule = format!("must be in the future, and at most {days} from now");
            Error::property("/body/expiresAt", rule)
        }
    }
}

impl Author<'_> {
    /// Creates a personal token that lasts as long as the policy on accounts allows, and `operator_days` at most;
    /// returns it with its secret. 409 when the owner has one with the description.
    pub async fn create_personal_token(
        self,
        owner: Owner,
        description: String,
        expires_at: Timestamp,
        operator_days: i64,
    ) -> Result<(PersonalToken, String), Error> {
        // As the policy is set, which shortens the tokens that there are: none escapes both.
        let transaction = self.begin(Begin::MakingLimited).await?;
        let user_id = owner.hold(&transaction).await?;
        let Transaction { tx, now, .. } = &transaction;
        let policy: AccountPolicy = store::preferences::find(tx, AccountPolicy::ID).await?.unwrap_or_default();
        policy.judge_token(owner.kind(), expires_at, operator_days, *now).map_err(refusal)?;
        let present = store::tokens::personal::hold(tx, user_id).await?;
        if present.iter().any(|token| token.description == description) {
            let message = format!("There is a token with the description \"{description}\" already.");
            return Err(Error::Conflict(message));
        }
        let count = u64::try_from(present.len()).unwrap_or(u64::MAX);
        admit_one_more("personal token", count, self.limits.personal_tokens)?;
        let secret = secret::personal_secret();
        let id = store::tokens::insert_personal_token(tx, user_id, &description, &secret, expires_at, *now).await?;
        let token = PersonalToken { id, user_id, description, created_at: *now, expires_at, seen_at: None };
        transaction.commit([token.event(EventKind::PatCreated, &self.caller.actor())]).await?;
        Ok((token, secret))
    }

    /// Deletes a personal token, unless a user's was the last with which anybody could administer the instance.
    pub async fn delete_personal_token(self, owner: Owner, id: i64) -> Result<(), Error> {
        let transaction = self.begin(Begin::Change).await?;
        let tx = &transaction.tx;
        let administrators = store::access::administrators::hold(tx, transaction.now).await?;
        let user_id = owner.hold(&transaction).await?;
        let token = store::tokens::personal::delete(tx, user_id, id).await?.ok_or_else(|| owner.missing(id))?;
        keep_a_way_in(tx, administrators).await?;
        transaction.commit([token.event(EventKind::PatDeleted, &self.caller.actor())]).await
    }
}
