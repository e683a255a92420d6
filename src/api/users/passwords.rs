//! Passwords of users, as administrators handle them.

use poem::web::Data;
use poem_openapi::{Object, OpenApi, param::Path};
use serde::Serialize;

use crate::{
    accounts::AccountError,
    api::{
        Tag,
        answer::{ChangeRefusals, Done, Fails, Out, WriteRefusals},
        author::author,
        body::Body,
        parameter::UserIdParameter,
        permitted::{Permitted, need},
        users::find_user,
    },
    domain::password,
    error::Error,
    state::State,
};

/// The operations on passwords of users.
#[derive(Debug)]
pub struct UserPasswordsApi;

/// A new password.
#[derive(Object)]
#[oai(rename = "NewPassword", rename_all = "camelCase")]
pub struct NewPasswordBody {
    /// Password: 10 to 1000 characters with a lower-case letter, an upper-case letter, a digit and another character.
    /// Common passwords are refused.
    #[oai(validator(max_length = 1000))]
    pub password: String,
}

impl NewPasswordBody {
    /// 400 for a weak one.
    pub fn judge(&self) -> Result<(), Error> {
        judge_password(&self.password)
    }
}

opaque_debug!(NewPasswordBody);

/// The user who forgot the password.
#[derive(Debug, Object)]
#[oai(rename = "PasswordLinkRequest", rename_all = "camelCase")]
pub struct PasswordLinkRequestBody {
    /// Id of the user. At least 1.
    #[oai(validator(minimum(value = "1")))]
    pub id: i64,
}

/// A link with which a user sets a new password.
#[derive(Clone, Serialize, Object)]
#[oai(rename = "PasswordLink", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct PasswordLinkBody {
    /// The link, which works once within 24 hours. Whoever has it can act as the user; it is shown only once.
    pub reset_password_url: String,
}

opaque_debug!(PasswordLinkBody);

#[OpenApi(tag = "Tag::Users")]
impl UserPasswordsApi {
    /// Update the password of a user
    ///
    /// Ends every session and every personal token of the user.
    #[oai(path = "/api/admin/user-admin/:id/change-password", method = "post", operation_id = "changeUserPassword")]
    async fn change_user_password(
        &self,
        caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        id: Path<UserIdParameter>,
        body: Body<NewPasswordBody>,
    ) -> Result<Done, Fails<ChangeRefusals>> {
        let body = body.read()?;
        body.judge()?;
        let id = find_user(state, &id.0).await?.id;
        let hash = state.passwords.hash(body.password).await?;
        author(&caller, state).change_user_password(id, &hash).await?;
        Ok(Done)
    }

    /// Create a password reset link
    ///
    /// For a user who forgot their password: they set a new one with the link in the answer, within 24 hours. It
    /// replaces earlier links; the old password works until the link is used.
    #[oai(path = "/api/admin/user-admin/reset-password", method = "post", operation_id = "resetUserPassword")]
    async fn reset_user_password(
        &self,
        caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        body: Body<PasswordLinkRequestBody>,
    ) -> Result<Out<PasswordLinkBody>, Fails<ChangeRefusals>> {
        let user_id = body.read()?.id;
        let secret = author(&caller, state).create_password_link(user_id).await?;
        tracing::info!(user_id, made_by = caller.actor().user_id, "a link to set a password was made");
        let reset_password_url = format!("{}/reset-password?token={secret}", state.config.base_url);
        Ok(Out(PasswordLinkBody { reset_password_url }))
    }

    /// Validate a password
    ///
    /// 200 for a password that is strong enough, 400 with the rule for one that is not.
    #[oai(path = "/api/admin/user-admin/validate-password", method = "post", operation_id = "validateUserPassword")]
    async fn validate_user_password(
        &self,
        _caller: Permitted<need::Admin>,
        body: Body<NewPasswordBody>,
    ) -> Result<Done, Fails<WriteRefusals>> {
        body.read()?.judge()?;
        Ok(Done)
    }
}

/// 400 for a weak password.
pub(in crate::api) fn judge_password(password: &str) -> Result<(), Error> {
    Ok(password::judge(password).map_err(AccountError::from)?)
}
