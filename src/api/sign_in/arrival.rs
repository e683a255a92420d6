//! End of a sign-in through a login provider: a session, or a further identity for the user of one.

use crate::{
    api::sign_in::{
        page,
        pending::PendingSignIn,
        responses::{Arriving, CallbackResponse, Redirect},
    },
    error::Error,
    providers::return_path::return_address,
    sign_in::{
        Refused,
        admission::{self, Once, VerifiedIdentity},
        identity_link,
        rules::Rules,
    },
};

/// A user whom a login provider vouches for.
pub(super) struct Arrived<'a> {
    /// The identity.
    pub verified: &'a VerifiedIdentity,
    /// Rules of the provider.
    pub rules: &'a Rules,
    /// Tokens and messages that serve once, used up by this sign-in.
    pub once: &'a [Once<'a>],
    /// The sign-in that the browser began; `None` where the provider did.
    pub begun: Option<&'a PendingSignIn>,
}

impl Arrived<'_> {
    /// Begins a session, or links the identity to the user of the present one.
    pub async fn admit(&self, arriving: Arriving<'_>) -> Result<Result<CallbackResponse, Refused>, Error> {
        let Self { verified, rules, once, begun } = *self;
        let state = arriving.state;
        let browser = arriving.browser()?;
        let location = || {
            let return_path = begun.and_then(|begun| begun.return_path.as_deref());
            Redirect::to(return_address(return_path, &state.config.base_url))
        };
        if let Some((begun, user_id)) = begun.and_then(|begun| Some((begun, begun.links_to?))) {
            if let Err(refused) = identity_link::link(state, verified, rules, once, &browser, user_id).await? {
                return Ok(Err(refused));
            }
            arriving.linked(user_id, &verified.email);
            let cookies = [PendingSignIn::forget(state, &begun.state)];
            return Ok(Ok(CallbackResponse::Redirect(location().with(cookies))));
        }
        let admitted = match Box::pin(admission::admit(state, verified, rules, once, &browser)).await? {
            Ok(admitted) => admitted,
            Err(refused) => return Ok(Err(refused)),
        };
        let session = arriving.welcome(&admitted, &verified.email);
        if let Some(begun) = begun {
            let cookies = [PendingSignIn::forget(state, &begun.state), session];
            return Ok(Ok(CallbackResponse::Redirect(location().with(cookies))));
        }
        let content = format!(
            "<h1>You are signed in as {}</h1>\n<p>The login provider signed you in without being asked to. If that is not \
             you, close this page and sign out.</p>\n<p><a href=\"{}\">Go on</a></p>",
            page::escaped(&admitted.name),
            page::escaped(&return_address(None, &state.config.base_url)),
        );
        Ok(Ok(CallbackResponse::Page(page::page("Signed in", &content), vec![session])))
    }
}
