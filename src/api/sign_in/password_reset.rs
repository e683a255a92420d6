//! Setting a password without being signed in, with a link from an administrator.

use poem::web::Data;
use poem_openapi::{Object, OpenApi, param::Query};
use serde::Serialize;

use crate::{
    api::{
        Tag,
        answer::{Done, Fails, Out, refusals},
        body::Body,
        client_address::SentFrom,
        me::profile::RoleBody,
        parameter::TextParameter,
        users::passwords::{NewPasswordBody, judge_password},
    },
    domain::{secret, user},
    error::Error,
    sign_in::password_reset,
    state::{State, attempts::AccountName},
    store,
};

/// The operations for those who have a link to set a password, or want one.
#[derive(Debug)]
pub struct PasswordResetApi;

refusals! {
    /// Refusals when a link is looked at.
    LinkRefusals = 400, 401, 503;
    /// Refusals when a link is used.
    LinkUseRefusals = 400, 401, 413, 415, 429, 503;
    /// Refusals of operations that need no credentials.
    AnonymousRefusals = 400, 413, 415, 429, 503;
}

/// User whose password a link sets.
#[serde_with_macros::skip_serializing_none]
#[derive(Clone, Serialize, Object)]
#[oai(rename = "PasswordLinkOwner", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct PasswordLinkOwnerBody {
    /// Id of the user.
    pub id: i64,
    /// Name of the user, else user name, else email.
    pub name: String,
    /// Email of the user. Absent when there is none.
    pub email: Option<String>,
    /// The secret of the link, as it was given.
    pub token: String,
    /// Creator of the link. Absent when unknown.
    pub created_by: Option<String>,
    /// The role of the user in the whole instance.
    pub role: RoleBody,
}

opaque_debug!(PasswordLinkOwnerBody { id, .. });

/// A link and the password to set with it.
#[derive(Object)]
#[oai(rename = "PasswordByLink", rename_all = "camelCase")]
pub struct PasswordByLinkBody {
    /// The secret of the link. At most 200 characters.
    #[oai(validator(max_length = 200))]
    pub token: String,
    /// Password: 10 to 1000 characters with a lower-case letter, an upper-case letter, a digit and another character.
    /// Common passwords are refused.
    #[oai(validator(max_length = 1000))]
    pub password: String,
}

opaque_debug!(PasswordByLinkBody);

/// User who forgot the password.
#[derive(Debug, Object)]
#[oai(rename = "ForgottenPassword", rename_all = "camelCase")]
pub struct ForgottenPasswordBody {
    /// Email of the user. At most 255 characters.
    #[oai(validator(max_length = 255))]
    pub email: String,
}

#[OpenApi(tag = "Tag::Authentication")]
impl PasswordResetApi {
    /// Validate a password reset link
    ///
    /// The user whose password the link sets. A link that is unknown, used or expired is 401. Needs no credentials but
    /// the link.
    #[oai(path = "/auth/reset/validate", method = "get", operation_id = "validateToken")]
    async fn validate_token(
        &self,
        Data(state): Data<&State>,
        token: Query<TextParameter>,
    ) -> Result<Out<PasswordLinkOwnerBody>, Fails<LinkRefusals>> {
        let TextParameter(token) = token.0;
        let found = store::users::password_resets::find(&state.db, &secret::digest(&token), state.clock.now()).await?;
        let found = found.ok_or(Error::DeadLink)?;
        let account = found.account;
        let role = store::roles::find(&state.db, account.root_role_id).await?;
        let role = role.ok_or_else(|| Error::internal("the role of a user is missing"))?;
        let name = user::display_name(account.name.as_deref(), account.username.as_deref(), account.email.as_deref());
        Ok(Out(PasswordLinkOwnerBody {
            id: account.id,
            name: name.to_owned(),
            email: account.email,
            token,
            created_by: found.created_by,
            role: role.into(),
        }))
    }

    /// Set a password with a reset link
    ///
    /// Uses up the link and ends every session and every personal token of the user, who can then sign in with the new
    /// password. An address has 10 attempts, and regains one every 6 seconds. Needs no credentials but the link.
    #[oai(path = "/auth/reset/password", method = "post", operation_id = "changePassword")]
    async fn change_password(
        &self,
        SentFrom(address): SentFrom,
        Data(state): Data<&State>,
        body: Body<PasswordByLinkBody>,
    ) -> Result<Done, Fails<LinkUseRefusals>> {
        let body = body.read()?;
        judge_password(&body.password)?;
        state.attempts.password_link_use.count(&address.network())?;
        let account = password_reset::set_password(state, &body.token, body.password).await?;
        state.attempts.sign_in.recognised(&account, address);
        Ok(Done)
    }

    /// Request a password reset
    ///
    /// This server sends no email: it logs the request for the operator, and an administrator creates the link with
    /// `resetUserPassword`. The answer is the same whether or not the email belongs to a user. Limited to one request a
    /// minute from one address, and one log line a minute for each account. Needs no credentials.
    #[oai(path = "/auth/reset/password-email", method = "post", operation_id = "sendResetPasswordEmail")]
    async fn send_reset_password_email(
        &self,
        SentFrom(address): SentFrom,
        Data(state): Data<&State>,
        body: Body<ForgottenPasswordBody>,
    ) -> Result<Done, Fails<AnonymousRefusals>> {
        let body = body.read()?;
        state.attempts.password_link_request.count(&address.network())?;
        let is_noted = state.attempts.password_link_notice.count(&AccountName::of(&body.email)).is_err();
        if let Some(account) = store::access::people::find_account(&state.db, &body.email).await?.filter(|_| !is_noted)
        {
            tracing::warn!(user_id = account.id, "a user asks for a link to set a forgotten password");
        }
        Ok(Done)
    }

    /// Validate a password while signed out
    ///
    /// 200 for a password that is strong enough, 400 with the rule for one that is not. Needs no credentials.
    #[oai(path = "/auth/reset/validate-password", method = "post", operation_id = "validatePassword")]
    async fn validate_password(
        &self,
        SentFrom(address): SentFrom,
        Data(state): Data<&State>,
        body: Body<NewPasswordBody>,
    ) -> Result<Done, Fails<AnonymousRefusals>> {
        let body = body.read()?;
        state.attempts.password_check.count(&address.network())?;
        body.judge()?;
        Ok(Done)
    }
}
