//! Signing in with a link that the operator made.

use poem::{Request, web::Data};
use poem_openapi::{OpenApi, param::Query};

use crate::{
    api::{
        Tag,
        answer::{Fails, refusals},
        client_address::SentFrom,
        parameter::TextParameter,
        sign_in::{responses::Redirect, session_cookie},
    },
    domain::sign_in_log::{Entry, Method, Outcome},
    error::Error,
    sign_in::{link, log},
    state::State,
};

/// The operation of signing in with a link.
#[derive(Debug)]
pub struct LinkApi;

refusals! {
    /// Refusals when a link for signing in is followed.
    FollowRefusals = 400, 401, 429, 503;
}

#[OpenApi(tag = "Tag::Authentication")]
impl LinkApi {
    /// Sign in with a link
    ///
    /// For browsers: starts a session of the user for whom the operator created the link with `flagstone user
    /// sign-in-link`, and redirects to the start page. A link works once, within ten minutes; HEAD is refused, so that
    /// nothing that looks at links uses one up. Limited to 30 failures a minute from one address. Needs no credentials
    /// but the link.
    #[oai(path = "/auth/link", method = "get", operation_id = "signInWithLink")]
    async fn sign_in_with_link(
        &self,
        request: &Request,
        SentFrom(address): SentFrom,
        Data(state): Data<&State>,
        token: Query<TextParameter>,
    ) -> Result<Redirect, Fails<FollowRefusals>> {
        let browser = session_cookie::browser_of(request, address)?;
        let followed = link::follow(state, &token.0.0, &browser).await?;
        let Some((account, session)) = followed else {
            state.attempts.provider_failure.count(&address.network())?;
            return Err(Error::DeadLink.into());
        };
        let entry = Entry {
            user_id: Some(account.id),
            subject: account.email.or(account.username),
            address: address.ip().map(|address| address.to_string()),
            ..Entry::new(state.clock.now(), Method::Link, Outcome::SignedIn)
        };
        log::note(state, entry);
        let cookie = session_cookie::set(&state.config, &session.secret, session.lasts_seconds);
        Ok(Redirect::to(format!("{}/", state.config.base_url)).with([cookie]))
    }
}
