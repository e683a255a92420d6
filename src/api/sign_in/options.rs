//! The ways to sign in, for callers who are not signed in.

use std::sync::Arc;

use poem::web::Data;
use poem_openapi::OpenApi;

use crate::{
    api::{
        Tag,
        answer::{Fails, Out, refusals},
    },
    domain::{
        passkey::RelyingParty,
        sign_in::{OpenProviders, PasswordSignIn, SignInWays},
    },
    error::Error,
    sign_in::in_force,
    state::State,
};

/// The operation for the ways to sign in.
#[derive(Debug)]
pub struct OptionsApi;

refusals! {
    /// Refusals of operations that are open to all.
    OpenRefusals = 503;
}

#[OpenApi(tag = "Tag::Authentication")]
impl OptionsApi {
    /// List the ways to sign in
    ///
    /// Says whether a sign-in page shows a form for name and password, whether it offers passkeys, and which login
    /// providers it offers. Every answer 401 `AuthenticationRequired` contains the same. Needs no credentials.
    #[oai(path = "/auth/options", method = "get", operation_id = "getSignInOptions")]
    async fn get_sign_in_options(&self, Data(state): Data<&State>) -> Result<Out<SignInWays>, Fails<OpenRefusals>> {
        let (enabled, passwords) = in_force::ways(state).await?;
        Ok(Out(ways(state, &enabled, passwords)))
    }
}

/// Completes a refusal: callers who are not signed in receive the ways to sign in.
pub async fn told(state: &State, error: Error) -> Error {
    if !matches!(error, Error::Unauthenticated) {
        return error;
    }
    // Where the database fails, a password is what most people have.
    let (enabled, passwords) = in_force::ways(state).await.unwrap_or_default();
    Error::SignedOut(Arc::new(ways(state, &enabled, passwords)))
}

fn ways(state: &State, providers: &OpenProviders, passwords: PasswordSignIn) -> SignInWays {
    let has_passkeys = RelyingParty::of(&state.config.base_url).is_some();
    SignInWays::of(providers, passwords, state.config.base_path(), has_passkeys)
}
