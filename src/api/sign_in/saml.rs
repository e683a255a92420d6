//! Signing in through SAML 2.0: to the provider, and back from it in two steps.
//!
//! What a provider posts comes from its page, so that the browser leaves its cookies out. The first step believes it
//! and hands out a ticket; the second, to which the browser goes by itself, knows whether it is the browser that began.

use poem::{Request, web::Data};
use poem_openapi::{Object, OpenApi, param::Query, payload::PlainText};

use crate::{
    api::{
        Tag,
        answer::{Fails, refusals},
        body::Form,
        client_address::SentFrom,
        parameter::TextParameter,
        preference,
        sign_in::{
            options::OpenRefusals,
            pending::PendingSignIn,
            provider_sign_in::Begin,
            responses::{ArriveRefusals, Arriving, BeginRefusals, CallbackResponse, Metadata, Redirect, SeeOther},
            saml_callback::{believe, finish},
        },
    },
    domain::{
        secret,
        settings::{SamlOn, SamlSettings},
        sign_in::ProviderKey,
        sign_in_policy::SignInPolicy,
    },
    error::Error,
    providers::saml::{
        metadata::ServiceProvider,
        request::{AuthnRequest, message_id},
        signing::SigningKey,
    },
    sign_in::{
        in_force::{self, InForce},
        saml::{acs_url, logout_url, random, signing_key},
        saml_ticket, trial,
    },
    state::State,
};

/// Prefix of the relay state of a trial. It is a hint: by other settings than those that are meant, nothing is
/// believed, and those of a trial give no session.
const TRIAL: &str = "trial.";

/// The operations of signing in through SAML 2.0.
#[derive(Debug)]
pub struct SamlApi;

refusals! {
    /// Refusals when a provider posts its answer.
    PostRefusals = 400, 401, 404, 413, 415, 424, 429, 503;
}

/// The form that the browser posts for the provider.
#[derive(Object)]
#[oai(rename = "SamlAnswer")]
pub struct SamlAnswerBody {
    /// The response, in base64. At most 2000000 characters.
    #[oai(rename = "SAMLResponse", validator(max_length = 2_000_000))]
    pub response: String,
    /// The relay state of the request; ignored. At most 10000 characters.
    #[oai(rename = "RelayState", validator(max_length = 10_000))]
    pub relay_state: Option<String>,
}

opaque_debug!(SamlAnswerBody);

#[OpenApi(tag = "Tag::Authentication")]
impl SamlApi {
    /// Start signing in through SAML
    ///
    /// For browsers: redirects to the login provider, which has the browser post its response to `/auth/saml/callback`.
    /// 404 while SAML is not configured. Tests are limited to 60 a minute from one address. An error is an HTML page for
    /// browsers, and JSON otherwise. Needs no credentials.
    #[oai(path = "/auth/saml/login", method = "get", operation_id = "beginSamlSignIn")]
    async fn begin_saml_sign_in(
        &self,
        request: &Request,
        SentFrom(address): SentFrom,
        Data(state): Data<&State>,
        redirect: Query<Option<TextParameter>>,
        trial: Query<Option<TextParameter>>,
    ) -> Result<Redirect, Fails<BeginRefusals>> {
        let arriving = Arriving { request, state, address, provider: &ProviderKey::SAML };
        let trial = trial.0.map(|TextParameter(id)| id);
        let in_force = match &trial {
            Some(id) => {
                state.attempts.trial_start.count(&address.network())?;
                trial::required_saml(state, arriving.provider, id).await?.1
            }
            None => in_force::required_saml(state, arriving.provider).await?,
        };
        let return_path = redirect.0.map(|TextParameter(path)| path);
        let (url, cookies) = begin(arriving, in_force, Begin { return_path, trial, links_to: None }).await?;
        Ok(Redirect::to(url).with(cookies))
    }

    /// Receive a SAML response
    ///
    /// For browsers that return from the login provider: verifies the response, and redirects to `finishSamlSignIn`,
    /// which checks that the same browser started the sign-in. Each assertion is accepted once. Limited to 30 failures
    /// a minute from one address. `getSignIns` has the reason of each failure. Needs no credentials.
    #[oai(path = "/auth/saml/callback", method = "post", operation_id = "receiveSamlResponse")]
    async fn receive_saml_response(
        &self,
        request: &Request,
        SentFrom(address): SentFrom,
        Data(state): Data<&State>,
        form: Form<SamlAnswerBody>,
    ) -> Result<SeeOther, Fails<PostRefusals>> {
        let arriving = Arriving { request, state, address, provider: &ProviderKey::SAML };
        Ok(receive(arriving, form).await?)
    }

    /// Finish signing in through SAML
    ///
    /// For browsers with a ticket from `receiveSamlResponse`: starts a session if the same browser started the sign-in,
    /// and redirects to the requested page. When sign-ins started by the provider are allowed, a page shows who signed
    /// in. A ticket works once, within a minute. Needs no credentials.
    #[oai(path = "/auth/saml/callback", method = "get", operation_id = "finishSamlSignIn")]
    async fn finish_saml_sign_in(
        &self,
        request: &Request,
        SentFrom(address): SentFrom,
        Data(state): Data<&State>,
        /// The ticket.
        ticket: Query<TextParameter>,
    ) -> Result<CallbackResponse, Fails<ArriveRefusals>> {
        let arriving = Arriving { request, state, address, provider: &ProviderKey::SAML };
        let finished = finish(arriving, &ticket.0.0).await?;
        Ok(finished.map_err(|refused| arriving.refuse(refused))?)
    }

    /// Get the SAML metadata
    ///
    /// The metadata of this server as a SAML service provider: its entity id, its endpoints, and the signing
    /// certificates, if there are any. Available also while SAML is not configured. Needs no credentials.
    #[oai(path = "/auth/saml/metadata", method = "get", operation_id = "getSamlMetadata")]
    async fn get_saml_metadata(&self, Data(state): Data<&State>) -> Result<Metadata, Fails<OpenRefusals>> {
        let settings: SamlSettings = in_force::settings(state).await?;
        let sp_certificate = match &settings {
            SamlSettings::On(on) => on.sp_certificate.as_deref(),
            SamlSettings::Off(off) => off.sp_certificate.as_deref(),
        };
        let policy: SignInPolicy = preference::get(state).await?;
        let entity_id = policy.saml_entity_id.unwrap_or_else(|| state.config.base_url.clone());
        let xml = metadata(state, &ProviderKey::SAML, &entity_id, sp_certificate, policy.saml_sign_requests);
        Ok(Metadata::Xml(PlainText(xml)))
    }
}

/// The metadata of this server for a provider.
pub(super) fn metadata(
    state: &State,
    provider: &ProviderKey,
    entity_id: &str,
    sp_certificate: Option<&str>,
    signs_requests: bool,
) -> String {
    let key = signing_key(sp_certificate);
    let metadata = ServiceProvider {
        entity_id,
        acs_url: &acs_url(state, provider),
        logout_url: &logout_url(state, provider),
        certificates: key.as_ref().map(SigningKey::certificates).unwrap_or_default(),
        signs_requests: signs_requests && key.is_some(),
    };
    metadata.metadata()
}

/// Begins a sign-in by settings: returns the address of the provider that the browser goes to, and the cookies that it
/// keeps.
pub(super) async fn begin(
    arriving: Arriving<'_>,
    in_force: InForce<SamlOn>,
    Begin { return_path, trial, links_to }: Begin,
) -> Result<(String, Vec<String>), Error> {
    let Arriving { state, request, .. } = arriving;
    let relay_state = trial.as_ref().map_or_else(secret::random_part, |id| format!("{TRIAL}{id}"));
    let now = state.clock.now();
    let id = message_id(&random()?);
    let begun = PendingSignIn {
        provider: in_force.provider.clone(),
        state: id.clone(),
        secrets: None,
        return_path,
        at: now,
        settings: in_force.digest.clone(),
        trial,
        links_to,
    };
    let entity_id = in_force.entity_id(state);
    let asked = AuthnRequest {
        id: &id,
        issued: now.instant(),
        sign_on_url: in_force.settings.sign_on_url.as_str(),
        acs_url: &acs_url(state, &in_force.provider),
        entity_id: &entity_id,
    };
    let key = signing_key(in_force.settings.sp_certificate.as_deref());
    let key = key.filter(|_| in_force.policy.saml_sign_requests);
    let address = asked.redirect(&relay_state, key.as_ref()).map_err(Error::internal)?;
    Ok((address, begun.keep(state, request).await?))
}

/// Believes what a provider posts, by the settings in force or those of a trial, and leads the browser on with a ticket.
pub(super) async fn receive(arriving: Arriving<'_>, form: Form<SamlAnswerBody>) -> Result<SeeOther, Error> {
    let Arriving { state, provider, .. } = arriving;
    let body = match form.read() {
        Ok(body) => body,
        // 404 for everybody while the provider is off or gone.
        Err(error) => return Err(in_force::required_saml(state, provider).await.err().unwrap_or(error)),
    };
    let id = body.relay_state.as_deref().and_then(|relay_state| relay_state.strip_prefix(TRIAL));
    let (trial, in_force) = match id {
        Some(id) => {
            let (trial, in_force) = trial::required_saml(state, provider, id).await?;
            (Some((id.to_owned(), trial)), in_force)
        }
        None => (None, in_force::required_saml(state, provider).await?),
    };
    let ticket = match believe(state, &in_force, body.response).await? {
        Ok(identity) => {
            saml_ticket::issue(state, &in_force, identity, trial.as_ref().map(|(id, _)| id.clone())).await?
        }
        Err(refused) => Err(refused),
    };
    if let (Err(refused), Some((id, trial))) = (&ticket, trial) {
        trial::finish(state, &id, trial, refused.clone().into()).await?;
    }
    let ticket = ticket.map_err(|refused| arriving.refuse(refused))?;
    Ok(SeeOther(Redirect::to(format!("{}?ticket={ticket}", acs_url(state, &in_force.provider)))))
}
