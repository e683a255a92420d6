//! Signing in through OpenID Connect: to the provider, and back from it.

use poem::{Request, web::Data};
use poem_openapi::{OpenApi, param::Query};

use crate::{
    api::{
        Tag,
        answer::Fails,
        client_address::ClientAddress,
        parameter::TextParameter,
        sign_in::{
            pending::{self, PendingSignIn},
            responses::{ArriveRefusals, Arriving, BeginRefusals, CallbackResponse, Redirect},
        },
    },
    domain::{identity::Refusal, settings::OidcSettings, sign_in::Provider},
    error::Error,
    providers::{
        oidc::{Attempt, Callback, Oidc, Secrets, Settings, SignedIn},
        return_path::return_address,
    },
    sign_in::{
        Refused,
        admission::{self, ForProvider, Once, VerifiedIdentity},
        in_force, trial,
    },
    state::State,
    store::sign_in::{identities::Subject, once},
};

/// Path to which the provider sends browsers back, below the public address.
const CALLBACK: &str = "/auth/oidc/callback";

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
        address: ClientAddress,
        Data(state): Data<&State>,
        redirect: Query<Option<TextParameter>>,
        trial: Query<Option<TextParameter>>,
    ) -> Result<Redirect, Fails<BeginRefusals>> {
        if trial.0.is_some() {
            state.attempts.trial_start.count(&address.network())?;
        }
        let arriving = Arriving { request, state, address, provider: Provider::Oidc };
        let trial = trial.0.map(|TextParameter(id)| id);
        let (in_force, oidc) = match &trial {
            // A new one without cached data, which is dropped afterwards.
            Some(id) => (trial::required::<OidcSettings>(state, id).await?.1, Oidc::new(state.outbound.clone())),
            None => (in_force::required::<OidcSettings>(state).await?, state.oidc.clone()),
        };
        let mut random = [0; 96];
        getrandom::fill(&mut random).map_err(Error::internal)?;
        let secrets = Secrets::from_random(&random);
        let now = state.clock.now();
        let settings = in_force.protocol(state).await?;
        let started = oidc.start(&settings, &secrets, &redirect_uri(state), now.instant()).await;
        let start = started.map_err(|refusal| arriving.refuse(refusal))?;
        let begun = PendingSignIn {
            provider: Provider::Oidc,
            state: secrets.state.clone(),
            secrets: Some(secrets),
            return_path: redirect.0.map(|TextParameter(path)| path),
            at: now,
            settings: in_force.digest,
            trial,
        };
        Ok(Redirect::to(start.url).with(begun.keep(state, request).await?))
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
        address: ClientAddress,
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
        let arriving = Arriving { request, state, address, provider: Provider::Oidc };
        let text = |parameter: &'_ Query<Option<TextParameter>>| parameter.0.as_ref().map(|text| text.0.clone());
        let (code, token, iss, error) = (text(&code), text(&token), text(&iss), text(&error));
        let callback = Callback { code: code.as_deref(), iss: iss.as_deref(), error: error.as_deref() };
        let token = token.unwrap_or_default();
        let finished = finish(arriving, &callback, &token).await;
        Ok(finished.map_err(|failure| match failure {
            Failure::Refused(refused) => arriving.refuse(refused),
            Failure::Failed(error) => error,
        })?)
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
    let begun = PendingSignIn::of(state, request, Provider::Oidc, token);
    if let Ok(begun) = &begun
        && let Some(id) = &begun.trial
    {
        return try_out(state, begun, id, callback).await;
    }
    let in_force = in_force::required::<OidcSettings>(state).await.map_err(Failure::Failed)?;
    callback.provider_error()?;
    let begun = begun?;
    if begun.settings != in_force.digest {
        return Err(Refusal::SettingsChanged.into());
    }
    let settings = in_force.protocol(state).await.map_err(Failure::Failed)?;
    let verified = verified(told(state, &state.oidc, &settings, &begun, callback).await?);
    let once = Once {
        kind: once::Kind::State,
        value: &begun.state,
        until: begun.at.plus_millis(pending::LASTS_MS),
        refusal: Refusal::UsedState,
    };
    let browser = arriving.browser().map_err(Failure::Failed)?;
    let admitted = admission::admit(state, &verified, &in_force.rules(), &[once], &browser).await;
    let admitted = admitted.map_err(Failure::Failed)??;
    let session = arriving.welcome(&admitted, &verified.email);
    let location = return_address(begun.return_path.as_deref(), &state.config.base_url);
    Ok(CallbackResponse::Redirect(Redirect::to(location).with([PendingSignIn::forget(state, token), session])))
}

/// Obtains the user's claims from the provider.
async fn told(
    state: &State,
    oidc: &Oidc,
    settings: &Settings,
    begun: &PendingSignIn,
    callback: &Callback<'_>,
) -> Result<SignedIn, Refused> {
    let Some(secrets) = &begun.secrets else { return Err(Refusal::UnknownState.into()) };
    let redirect_uri = redirect_uri(state);
    let attempt = Attempt { secrets, started_at: begun.at.instant(), redirect_uri: &redirect_uri };
    let clock = state.clock.clone();
    Ok(oidc.finish(settings, &attempt, callback, &move || clock.now().instant()).await?)
}

/// Notes what would have come of a sign-in by settings that are tried out.
async fn try_out(
    state: &State,
    begun: &PendingSignIn,
    id: &str,
    callback: &Callback<'_>,
) -> Result<CallbackResponse, Failure> {
    let (trial, in_force) = trial::required::<OidcSettings>(state, id).await.map_err(Failure::Failed)?;
    let oidc = Oidc::new(state.outbound.clone());
    let settings = in_force.protocol(state).await.map_err(Failure::Failed)?;
    let outcome = match told(state, &oidc, &settings, begun, callback).await {
        Ok(told) => {
            let claims = told.claims.clone();
            trial::preview(state, &verified(told), &in_force.rules(), claims).await.map_err(Failure::Failed)?
        }
        Err(refused) => refused.into(),
    };
    trial::finish(state, id, trial, outcome).await.map_err(Failure::Failed)?;
    Ok(CallbackResponse::tried(vec![PendingSignIn::forget(state, &begun.state)]))
}

/// Converts the provider's claims into an identity.
fn verified(told: SignedIn) -> VerifiedIdentity {
    VerifiedIdentity {
        subject: Subject { provider: Provider::Oidc, issuer: told.issuer, subject: told.subject },
        has_verified_email: told.email_verified == Some(true),
        email: told.email,
        name: told.name,
        groups: told.groups,
        provider_session: told.session_id,
        for_provider: ForProvider {
            refresh_token: told.refresh_token,
            id_token: Some(told.id_token),
            ..ForProvider::default()
        },
        ends_at: None,
    }
}

fn redirect_uri(state: &State) -> String {
    format!("{}{CALLBACK}", state.config.base_url)
}
