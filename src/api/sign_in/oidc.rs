//! Signing in through OpenID Connect: to the provider, and back from it.

use poem::{Request, web::Data};
use poem_openapi::{OpenApi, param::Query};

use crate::{
    api::{
        Tag,
        answer::Fails,
        client_address::SentFrom,
        parameter::TextParameter,
        sign_in::{
            arrival::Arrived,
            pending::{self, PendingSignIn},
            provider_sign_in::Begin,
            responses::{ArriveRefusals, Arriving, BeginRefusals, CallbackResponse, Redirect},
        },
    },
    domain::{identity::Refusal, settings::OidcOn, sign_in::ProviderKey},
    error::Error,
    providers::oidc::{Attempt, Callback, Oidc, Secrets, SignedIn},
    sign_in::{
        Refused,
        admission::{ForProvider, Once, VerifiedIdentity},
        in_force::{self, InForce},
        trial,
    },
    state::State,
    store::sign_in::{identities::Subject, once},
};

/// End of the path to which the provider sends browsers back.
const CALLBACK: &str = "/callback";

/// The operations of signing in through OpenID Connect.
#[derive(Debug)]
pub struct OidcApi;

#[OpenApi(tag = "Tag::Authentication")]
impl OidcApi {
    /// Start signing in through OpenID Connect
    ///
    /// For browsers: redirects to the login provider, which redirects back to `/auth/oidc/callback`. 404 while OpenID
    /// Connect is not configured. Tests are limited to 60 a minute from one address. An error is an HTML page for
    /// browsers, and JSON otherwise. Needs no credentials.
    #[oai(path = "/auth/oidc/login", method = "get", operation_id = "beginOidcSignIn")]
    async fn begin_oidc_sign_in(
        &self,
        request: &Request,
        SentFrom(address): SentFrom,
        Data(state): Data<&State>,
        redirect: Query<Option<TextParameter>>,
        trial: Query<Option<TextParameter>>,
    ) -> Result<Redirect, Fails<BeginRefusals>> {
        let arriving = Arriving { request, state, address, provider: &ProviderKey::OIDC };
        let trial = trial.0.map(|TextParameter(id)| id);
        let in_force = match &trial {
            Some(id) => {
                state.attempts.trial_start.count(&address.network())?;
                trial::required_oidc(state, arriving.provider, id).await?.1
            }
            None => in_force::required_oidc(state, arriving.provider).await?,
        };
        let return_path = redirect.0.map(|TextParameter(path)| path);
        let (url, cookies) = begin(arriving, in_force, Begin { return_path, trial, links_to: None }).await?;
        Ok(Redirect::to(url).with(cookies))
    }

    /// Finish signing in through OpenID Connect
    ///
    /// For browsers that return from the login provider: starts a session and redirects to the requested page. Limited
    /// to 30 failures a minute from one address. `getSignIns` has the reason of each failure. A test ends with a page
    /// and no session. Needs no credentials.
    #[expect(clippy::too_many_arguments, reason = "one for each parameter of the published operation")]
    #[oai(path = "/auth/oidc/callback", method = "get", operation_id = "finishOidcSignIn")]
    async fn finish_oidc_sign_in(
        &self,
        request: &Request,
        SentFrom(address): SentFrom,
        Data(state): Data<&State>,
        /// The authorization code from the provider.
        code: Query<Option<TextParameter>>,
        /// The state that the sign-in started with.
        #[oai(name = "state")]
        token: Query<Option<TextParameter>>,
        iss: Query<Option<TextParameter>>,
        /// The error code from the provider, without an authorization code.
        error: Query<Option<TextParameter>>,
    ) -> Result<CallbackResponse, Fails<ArriveRefusals>> {
        let arriving = Arriving { request, state, address, provider: &ProviderKey::OIDC };
        let returned = Returned { code, state: token, iss, error };
        Ok(returned.finish(arriving).await?)
    }
}

/// Begins a sign-in by settings: returns the address of the provider that the browser goes to, and the cookies that it
/// keeps.
pub(super) async fn begin(
    arriving: Arriving<'_>,
    in_force: InForce<OidcOn>,
    Begin { return_path, trial, links_to }: Begin,
) -> Result<(String, Vec<String>), Error> {
    let Arriving { state, request, .. } = arriving;
    let mut random = [0; 96];
    getrandom::fill(&mut random).map_err(Error::internal)?;
    let secrets = Secrets::from_random(&random);
    let now = state.clock.now();
    let settings = in_force.protocol(state).await?;
    let redirect_uri = in_force.address(state, CALLBACK);
    let oidc = cache(state, trial.is_some());
    let started = oidc.start(&settings, &secrets, &redirect_uri, now.instant()).await;
    let start = started.map_err(|refusal| arriving.refuse(refusal))?;
    let begun = PendingSignIn {
        provider: in_force.provider,
        state: secrets.state.clone(),
        secrets: Some(secrets),
        return_path,
        at: now,
        settings: in_force.digest,
        trial,
        links_to,
    };
    Ok((start.url, begun.keep(state, request).await?))
}

/// Cache of documents and keys of providers; a trial has an empty one of its own.
fn cache(state: &State, is_trial: bool) -> Oidc {
    if is_trial { Oidc::new(state.outbound.clone()) } else { state.oidc.clone() }
}

/// The parameters that a browser brings back from a provider.
pub(super) struct Returned {
    pub code: Query<Option<TextParameter>>,
    pub state: Query<Option<TextParameter>>,
    pub iss: Query<Option<TextParameter>>,
    pub error: Query<Option<TextParameter>>,
}

impl Returned {
    /// Finishes the sign-in that the browser began.
    pub async fn finish(self, arriving: Arriving<'_>) -> Result<CallbackResponse, Error> {
        let text = |parameter: Query<Option<TextParameter>>| parameter.0.map(|TextParameter(text)| text);
        let (code, iss, error) = (text(self.code), text(self.iss), text(self.error));
        let callback = Callback { code: code.as_deref(), iss: iss.as_deref(), error: error.as_deref() };
        let token = text(self.state).unwrap_or_default();
        finish(arriving, &callback, &token).await.map_err(|failure| match failure {
            Failure::Refused(refused) => arriving.refuse(refused),
            Failure::Failed(error) => error,
        })
    }
}

/// Failure of a sign-in.
enum Failure {
    /// The reason is for the log.
    Refused(Refused),
    /// The server cannot do its work, or the request is none of a browser's own.
    Failed(Error),
}

impl<T: Into<Refused>> From<T> for Failure {
    fn from(refused: T) -> Self {
        Self::Refused(refused.into())
    }
}

async fn finish(arriving: Arriving<'_>, callback: &Callback<'_>, token: &str) -> Result<CallbackResponse, Failure> {
    let Arriving { state, request, .. } = arriving;
    let begun = PendingSignIn::of(state, request, arriving.provider, token);
    if let Ok(begun) = &begun
        && let Some(id) = &begun.trial
    {
        return try_out(arriving, begun, id, callback).await;
    }
    let in_force = in_force::required_oidc(state, arriving.provider).await.map_err(Failure::Failed)?;
    callback.provider_error()?;
    let begun = begun?;
    if begun.settings != in_force.digest {
        return Err(Refusal::SettingsChanged.into());
    }
    let verified = verified(&in_force.provider, told(state, &in_force, &begun, callback).await?);
    let once = Once {
        kind: once::Kind::State,
        value: &begun.state,
        until: begun.at.plus_millis(pending::LASTS_MS),
        refusal: Refusal::UsedState,
    };
    let arrived = Arrived { verified: &verified, rules: &in_force.rules, once: &[once], begun: Some(&begun) };
    Ok(arrived.admit(arriving).await.map_err(Failure::Failed)??)
}

/// Obtains the user's claims from the provider.
async fn told(
    state: &State,
    in_force: &InForce<OidcOn>,
    begun: &PendingSignIn,
    callback: &Callback<'_>,
) -> Result<SignedIn, Failure> {
    let Some(secrets) = &begun.secrets else { return Err(Refusal::UnknownState.into()) };
    let settings = in_force.protocol(state).await.map_err(Failure::Failed)?;
    let redirect_uri = in_force.address(state, CALLBACK);
    let attempt = Attempt { secrets, started_at: begun.at.instant(), redirect_uri: &redirect_uri };
    let clock = state.clock.clone();
    let oidc = cache(state, begun.trial.is_some());
    Ok(oidc.finish(&settings, &attempt, callback, &move || clock.now().instant()).await?)
}

/// Notes what would have come of a sign-in by settings that are tried out.
async fn try_out(
    arriving: Arriving<'_>,
    begun: &PendingSignIn,
    id: &str,
    callback: &Callback<'_>,
) -> Result<CallbackResponse, Failure> {
    let Arriving { state, provider, .. } = arriving;
    let (trial, in_force) = trial::required_oidc(state, provider, id).await.map_err(Failure::Failed)?;
    let outcome = match told(state, &in_force, begun, callback).await {
        Ok(told) => {
            let claims = told.claims.clone();
            let verified = verified(&in_force.provider, told);
            trial::preview(state, &verified, &in_force.rules, claims).await.map_err(Failure::Failed)?
        }
        Err(Failure::Refused(refused)) => refused.into(),
        Err(failed) => return Err(failed),
    };
    trial::finish(state, id, trial, outcome).await.map_err(Failure::Failed)?;
    Ok(CallbackResponse::tried(vec![PendingSignIn::forget(state, &begun.state)]))
}

/// Converts the provider's claims into an identity.
fn verified(provider: &ProviderKey, told: SignedIn) -> VerifiedIdentity {
    VerifiedIdentity {
        subject: Subject { provider: provider.clone(), issuer: told.issuer, subject: told.subject },
        has_verified_email: told.proves_email,
        email: told.email,
        name: told.name,
        groups: told.groups,
        provider_session: told.session_id,
        for_provider: ForProvider {
            refresh_token: told.refresh_token,
            id_token: told.id_token,
            ..ForProvider::default()
        },
        ends_at: None,
        claims: told.claims,
    }
}
