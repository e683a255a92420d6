//! Whether people may sign in with a password.

use poem::{Request, web::Data};
use poem_openapi::OpenApi;

use crate::{
    access::Caller,
    accounts::administrators::keep_a_way_in,
    api::{
        Tag,
        answer::{Fails, Out, ReadRefusals, WriteRefusals},
        body::Body,
        permitted::{Permitted, need},
        preference,
        sign_in::session_cookie,
    },
    domain::{preference::Preference as _, secret, sign_in::PasswordSignIn},
    error::Error,
    sign_in::{
        in_force,
        lock_out::{self, Wanted},
    },
    state::State,
    store,
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
            require_provider(state, &caller, request).await?;
        }
        let now = state.clock.now();
        let tx = state.db.begin().await?;
        let administrators = store::access::administrators::hold(&tx, now).await?;
        let before: Option<PasswordSignIn> = store::preferences::hold(&tx, PasswordSignIn::ID).await?;
        if let Some(event) = wanted.changed(before.as_ref(), &PasswordSignIn::default(), &caller.actor()) {
            lock_out::judge(state, &tx, caller.user_id(), &Wanted { passwords: Some(wanted), ..Wanted::default() })
                .await?;
            store::preferences::put(&tx, PasswordSignIn::ID, &wanted, now).await?;
            keep_a_way_in(&tx, administrators).await?;
            tx.commit(now, [event]).await?;
            if wanted.disabled {
                lock_out::tell_way_back();
            }
        }
        Ok(Out(wanted))
    }
}

/// Refuses callers who did not sign in through a login provider under the settings in force: they could not sign in
/// again.
async fn require_provider(state: &State, caller: &Caller, request: &Request) -> Result<(), Error> {
    let rule = "Sign in through a login provider first, under its present settings: the administrator who switches passwords \
        off must be able to sign in without one.";
    let session = session_cookie::secret_of(request)?.filter(|_| caller.require_session().is_ok());
    let Some(session) = session else { return Err(Error::forbidden(rule)) };
    let came_through = store::sign_in::sessions::find(&state.db, &secret::digest(session)).await?;
    let Some(came_through) = came_through else { return Err(Error::forbidden(rule)) };
    let in_force = in_force::find_digest(state, &came_through.provider).await?;
    if in_force == Some(came_through.settings_hash) { Ok(()) } else { Err(Error::forbidden(rule)) }
}
