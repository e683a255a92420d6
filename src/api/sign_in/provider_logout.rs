//! Signing out by order of a login provider, and at the provider when a user signs out here.

use poem::{Request, web::Data};
use poem_openapi::{Object, OpenApi, param::Query};

use crate::{
    api::{
        Tag,
        answer::{Done, Fails, refusals},
        body::Form,
        client_address::{ClientAddress, SentFrom},
        parameter::TextParameter,
        sign_in::{saml_logout, session_cookie},
    },
    clock,
    domain::{
        identity::Class,
        secret,
        sign_in::{Provider, ProviderKey},
        sign_in_log::{Entry, Method, Outcome},
        sign_in_provider::Dialect,
        time::Timestamp,
    },
    error::Error,
    sign_in::{Refused, admission::ForProvider, in_force, log, logout},
    state::State,
    store::sign_in::{identities::Subject, sessions::Ending},
};

/// The operations by which login providers sign people out.
#[derive(Debug)]
pub struct ProviderLogoutApi;

refusals! {
    /// Refusals when a provider asks the server itself.
    BackChannelRefusals = 400, 404, 413, 415, 424, 429, 503;
    /// Refusals when a page of a provider asks.
    FrontChannelRefusals = 400, 404, 424, 429, 503;
}

/// A back-channel logout request of a provider.
#[derive(Object)]
#[oai(rename = "BackChannelLogout")]
pub struct BackChannelLogoutBody {
    /// The logout token. At most 100000 characters.
    #[oai(validator(max_length = 100_000))]
    pub logout_token: String,
}

opaque_debug!(BackChannelLogoutBody);

#[OpenApi(tag = "Tag::Authentication")]
impl ProviderLogoutApi {
    /// Receive an OpenID Connect back-channel logout
    ///
    /// Called by the login provider (Back-Channel Logout 1.0): ends the session that the logout token names, or all
    /// sessions of the user that were started through the provider. 404 while OpenID Connect is not configured. Limited
    /// to 60 failures a minute from one address; valid tokens are not counted. Needs no credentials but the token.
    #[oai(path = "/auth/oidc/backchannel-logout", method = "post", operation_id = "oidcBackChannelLogout")]
    async fn oidc_back_channel_logout(
        &self,
        SentFrom(address): SentFrom,
        Data(state): Data<&State>,
        form: Form<BackChannelLogoutBody>,
    ) -> Result<Done, Fails<BackChannelRefusals>> {
        back_channel(state, address, &ProviderKey::OIDC, form).await?;
        Ok(Done)
    }

    /// Receive an OpenID Connect front-channel logout
    ///
    /// Loaded in a frame of a page of the login provider (Front-Channel Logout 1.0): ends the session that `sid` names.
    /// 404 while OpenID Connect is not configured. Limited to 60 failures a minute from one address; a request that ends
    /// a session is not counted. Needs no credentials but the session id.
    #[oai(path = "/auth/oidc/frontchannel-logout", method = "get", operation_id = "oidcFrontChannelLogout")]
    async fn oidc_front_channel_logout(
        &self,
        SentFrom(address): SentFrom,
        Data(state): Data<&State>,
        iss: Query<TextParameter>,
        /// Id of the session that ended at the provider.
        sid: Query<TextParameter>,
    ) -> Result<Done, Fails<FrontChannelRefusals>> {
        let provider = &ProviderKey::OIDC;
        let in_force = in_force::required_oidc(state, provider).await?;
        let now = state.clock.now();
        let discovery = state.oidc.discovery(&in_force.protocol(state).await?, now.instant()).await;
        let discovery = discovery.map_err(|refusal| refuse(state, address, provider, refusal.into()))?;
        if iss.0.0 != discovery.issuer {
            state.attempts.provider_logout_failure.count(&address.network())?;
            let message = "The query parameter `iss` names another provider than the one that is set up.";
            return Err(Error::invalid("/query/iss", message).into());
        }
        let subject = Subject { provider: provider.clone(), issuer: iss.0.0, subject: String::new() };
        let ended = logout::end_provided(state, Ending::ProviderSession(&subject, &sid.0.0)).await?;
        if ended == 0 {
            // Nothing proves that the provider sent it: an address that tries ids has to wait.
            state.attempts.provider_logout_failure.count(&address.network())?;
        }
        note(state, address, provider, Outcome::SignedOut, ended, None);
        Ok(Done)
    }
}

/// Ends the sessions that a logout token of a provider names: 404 while the provider is off or gone, or knows no such
/// tokens.
pub(super) async fn back_channel(
    state: &State,
    address: ClientAddress,
    provider: &ProviderKey,
    form: Form<BackChannelLogoutBody>,
) -> Result<(), Error> {
    let in_force = in_force::required_oidc(state, provider).await?;
    if in_force.particulars.dialect == Dialect::GitHub {
        return Err(in_force::missing(provider));
    }
    let body = form.read()?;
    let now = state.clock.now();
    let token = state.oidc.logout_token(&in_force.protocol(state).await?, &body.logout_token, now.instant()).await;
    let token = token.map_err(|refusal| refuse(state, address, provider, refusal.into()))?;
    let subject =
        Subject { provider: provider.clone(), issuer: token.issuer, subject: token.subject.unwrap_or_default() };
    let until = Timestamp::from_millis(token.usable_until.timestamp_millis());
    let ending = match &token.session_id {
        Some(session) => Ending::ProviderSession(&subject, session),
        None => Ending::Subject(&subject),
    };
    let ended = logout::end_by_message(state, &subject, &token.jti, until, &[ending]).await?;
    let ended = ended.map_err(|refusal| refuse(state, address, provider, refusal.into()))?;
    note(state, address, provider, Outcome::SignedOut, ended, None);
    Ok(())
}

/// Notes why no session was ended, and returns the error for the provider. An address with too many such requests has
/// to wait.
pub(super) fn refuse(state: &State, address: ClientAddress, provider: &ProviderKey, refused: Refused) -> Error {
    let Refused { class, reason, .. } = refused.clone();
    note(state, address, provider, Outcome::SignOutRefused, 1, Some(refused));
    tracing::debug!(reason, "sign-out refused");
    if let Err(limit) = state.attempts.provider_logout_failure.count(&address.network()) {
        return limit;
    }
    if class == Class::Provider {
        return Error::SignIn { id: clock::new_uuid(), class };
    }
    Error::Rule { name: "LogoutRefusedError", message: format!("Nobody is signed out by this: {reason}.") }
}

pub(super) fn note(
    state: &State,
    address: ClientAddress,
    provider: &ProviderKey,
    outcome: Outcome,
    sessions: u64,
    refused: Option<Refused>,
) {
    if sessions == 0 {
        return;
    }
    let entry = Entry {
        reason: refused.as_ref().map(|refused| refused.reason.to_owned()),
        expected: refused.as_ref().and_then(|refused| refused.expected.clone()),
        found: refused.and_then(|refused| refused.found),
        address: address.ip().map(|address| address.to_string()),
        attempts: i64::try_from(sessions).unwrap_or(i64::MAX),
        provider_id: provider.id.clone(),
        ..Entry::new(state.clock.now(), Method::from(provider.protocol), outcome)
    };
    log::note(state, entry);
}

/// Ends the session of a request, and returns where the browser goes to sign out at its login provider too, if the
/// settings want that and the provider has such a place.
pub(super) async fn sign_out(state: &State, request: &Request) -> Result<Option<String>, Error> {
    let Some(session) = session_cookie::secret_of(request)? else { return Ok(None) };
    let Some((provider, remembered)) = logout::end_session(state, session).await? else { return Ok(None) };
    match provider.protocol {
        Provider::Oidc => sign_out_there(state, &provider, &remembered).await,
        Provider::Saml => saml_logout::sign_out_there(state, &provider, &remembered).await,
    }
}

async fn sign_out_there(
    state: &State,
    provider: &ProviderKey,
    remembered: &ForProvider,
) -> Result<Option<String>, Error> {
    let in_force = in_force::find_oidc(state, provider).await?;
    let Some(in_force) = in_force.filter(|on| on.settings.enable_single_sign_out == Some(true)) else {
        return Ok(None);
    };
    let back = format!("{}/", state.config.base_url);
    let token = remembered.id_token.as_deref();
    let now = state.clock.now().instant();
    let settings = in_force.protocol(state).await?;
    let address = state.oidc.end_session_url(&settings, token, &back, &secret::random_part(), now).await;
    // A user who signs out here is signed out here, whatever the provider does.
    Ok(address.unwrap_or_else(|refusal| {
        tracing::warn!(reason = refusal.reason.code(), "a login provider does not tell where people sign out");
        None
    }))
}
