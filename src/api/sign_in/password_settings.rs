//! Whether people may sign in with a password.

use poem::{Request, web::Data};
use poem_openapi::OpenApi;

use crate::{
    api::{
        Tag,
        answer::{Fails, Out, ReadRefusals, WriteRefusals},
        body::Body,
        permitted::{Permitted, need},
        preference,
        sign_in::{author::author, session_cookie},
    },
    domain::sign_in::PasswordSignIn,
    sign_in::password_settings,
    state::State,
};

/// The operations on sign-in with a password.
#[derive(Debug)]
pub struct PasswordSettingsApi;

#[OpenApi(tag = "Tag::Authentication")]
impl PasswordSettingsApi {
    /// Get the settings of password sign-in
    #[oai(path = "/api/admin/auth/simple/settings", method = "get", operation_id = "getSimpleSettings")]
    async fn get_simple_settings(
        &self,
        _caller: Permitted<need::UpdateAuthConfiguration>,
        Data(state): Data<&State>,
    ) -> Result<Out<PasswordSignIn>, Fails<ReadRefusals>> {
        Ok(Out(preference::get(state).await?))
    }

    /// Update the settings of password sign-in
    ///
    /// Disables or enables password sign-in. Only a user who signed in through a login provider with its current
    /// settings can disable it: anybody else is refused with 403, and so is a change that leaves nobody who can sign in
    /// and administer the instance. It is disabled only while a login provider is enabled. `flagstone settings
    /// passwords on` enables it from the command line. Setting the current value leaves no event.
    #[oai(path = "/api/admin/auth/simple/settings", method = "post", operation_id = "setSimpleSettings")]
    async fn set_simple_settings(
        &self,
        request: &Request,
        caller: Permitted<need::UpdateAuthConfiguration>,
        Data(state): Data<&State>,
        body: Body<PasswordSignIn>,
    ) -> Result<Out<PasswordSignIn>, Fails<WriteRefusals>> {
        let wanted = body.read()?;
        if wanted.disabled {
            let session = session_cookie::secret_of(request)?.filter(|_| caller.require_session().is_ok());
            password_settings::require_provider(state, session).await?;
        }
        password_settings::replace(state, &author(&caller), wanted).await?;
        Ok(Out(wanted))
    }
}
