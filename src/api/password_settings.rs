//! Whether people may sign in with a password.

use poem::web::Data;
use poem_openapi::{Object, OpenApi};
use serde::Serialize;

use crate::{
    api::{
        Tag,
        answer::{Fails, Out, ReadRefusals, WriteRefusals},
        body::Body,
        caller::Caller,
        state::State,
    },
    domain::permission::Permission,
    error::Error,
};

/// The operations on sign-in with a password.
#[derive(Debug)]
pub struct PasswordSettingsApi;

/// Whether people may sign in with a password.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "PasswordSettings", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct PasswordSettingsBody {
    /// Whether nobody may.
    pub disabled: bool,
}

#[OpenApi(tag = "Tag::Authentication")]
impl PasswordSettingsApi {
    /// Get the settings of sign-in with a password
    ///
    /// Needs `ADMIN`.
    #[oai(path = "/api/admin/auth/simple/settings", method = "get", operation_id = "getSimpleSettings")]
    async fn get_simple_settings(
        &self,
        caller: Caller,
        _state: Data<&State>,
    ) -> Result<Out<PasswordSettingsBody>, Fails<ReadRefusals>> {
        caller.require(Permission::Admin)?;
        Ok(Out(PasswordSettingsBody { disabled: false }))
    }

    /// Set the settings of sign-in with a password
    ///
    /// Disabling it is refused with 403: there is no other way to sign in on this server yet, so that nobody could
    /// administer it any more. Enabling it changes nothing. Needs `ADMIN`.
    #[oai(path = "/api/admin/auth/simple/settings", method = "post", operation_id = "setSimpleSettings")]
    async fn set_simple_settings(
        &self,
        caller: Caller,
        body: Body<PasswordSettingsBody>,
    ) -> Result<Out<PasswordSettingsBody>, Fails<WriteRefusals>> {
        caller.require(Permission::Admin)?;
        let settings = body.read()?;
        if settings.disabled {
            let rule = "Sign-in with a password stays possible while it is the only way in: without it nobody could \
                sign in as an administrator.";
            return Err(Error::forbidden(rule).into());
        }
        Ok(Out(settings))
    }
}
