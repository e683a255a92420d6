//! Signing out through SAML 2.0: what providers ask and answer, and what this server asks them.

use poem::{Request, web::Data};
use poem_openapi::{Object, OpenApi};

use crate::{
    api::{
        Tag,
        answer::{Fails, refusals},
        body::Form,
        client_address::{ClientAddress, SentFrom},
        sign_in::{
            provider_logout::{note, refuse},
            responses::{Redirect, SeeOther},
        },
    },
    domain::{settings::SamlOn, sign_in::ProviderKey, sign_in_log::Outcome, time::Timestamp},
    error::Error,
    providers::saml::{
        logout::{LogoutMessage, LogoutRequest},
        refusal::Refusal as SamlRefusal,
        request::{LogoutAnswer, LogoutCall, message_id},
        verifier::decode_form,
    },
    sign_in::{
        admission::ForProvider,
        in_force::{self, InForce},
        logout,
        saml::{self, random, signing_key},
    },
    state::State,
    store::sign_in::sessions::Ending,
};

/// The operations of signing out through SAML 2.0.
#[derive(Debug)]
pub struct SamlLogoutApi;

refusals! {
    /// Refusals when a browser brings a message about signing out.
    LogoutRefusals = 400, 401, 404, 424, 429, 503;
    /// Refusals when a browser posts a message about signing out.
    LogoutPostRefusals = 400, 401, 404, 413, 415, 424, 429, 503;
}

/// The logout form that the browser posts for the provider: one of the two messages.
#[derive(Object)]
#[oai(rename = "SamlLogout")]
pub struct SamlLogoutBody {
    /// Logout request of the provider, in base64. At most 2000000 characters.
    #[oai(rename = "SAMLRequest", validator(max_length = 2_000_000))]
    pub request: Option<String>,
    /// Logout response of the provider, in base64. At most 2000000 characters.
    #[oai(rename = "SAMLResponse", validator(max_length = 2_000_000))]
    pub response: Option<String>,
    /// Relay state to send back with the response. At most 10000 characters.
    #[oai(rename = "RelayState", validator(max_length = 10_000))]
    pub relay_state: Option<String>,
}

opaque_debug!(SamlLogoutBody);

#[OpenApi(tag = "Tag::Authentication")]
impl SamlLogoutApi {
    /// Receive a SAML logout message by redirect
    ///
    /// For browsers that come from the login provider, with a message in the query (HTTP-Redirect binding). The
    /// response to a sign-out that started here redirects to the start page. A logout request must be signed; it ends
    /// the sessions that it names and redirects back with a response. 404 while SAML is not configured. Limited to 60
    /// failures a minute from one address. Needs no credentials.
    #[oai(path = "/auth/saml/logout/done", method = "get", operation_id = "samlLogout")]
    async fn saml_logout(
        &self,
        request: &Request,
        SentFrom(address): SentFrom,
        Data(state): Data<&State>,
    ) -> Result<Redirect, Fails<LogoutRefusals>> {
        Ok(by_redirect(state, address, &ProviderKey::SAML, request).await?)
    }

    /// Receive a SAML logout message by form
    ///
    /// The same as `samlLogout` with the message in a form (HTTP-POST binding). Needs no credentials.
    #[oai(path = "/auth/saml/logout/done", method = "post", operation_id = "samlLogoutByForm")]
    async fn saml_logout_by_form(
        &self,
        SentFrom(address): SentFrom,
        Data(state): Data<&State>,
        form: Form<SamlLogoutBody>,
    ) -> Result<SeeOther, Fails<LogoutPostRefusals>> {
        Ok(by_form(state, address, &ProviderKey::SAML, form).await?)
    }
}

/// Heeds a message of a provider in a query: 404 while the provider is off or gone.
pub(super) async fn by_redirect(
    state: &State,
    address: ClientAddress,
    provider: &ProviderKey,
    request: &Request,
) -> Result<Redirect, Error> {
    let in_force = in_force::required_saml(state, provider).await?;
    // As it came: what is signed are its very octets.
    let query = request.uri().query().unwrap_or_default().to_owned();
    heed(state, address, &in_force, Message::Query(query), None).await
}

/// Heeds a message of a provider in a form: 404 while the provider is off or gone.
pub(super) async fn by_form(
    state: &State,
    address: ClientAddress,
    provider: &ProviderKey,
    form: Form<SamlLogoutBody>,
) -> Result<SeeOther, Error> {
    let in_force = in_force::required_saml(state, provider).await?;
    let body = form.read()?;
    let Some(message) = body.request.or(body.response) else {
        let message = "The form must hold the /body/SAMLRequest property or the /body/SAMLResponse property.";
        return Err(Error::invalid("/body", message));
    };
    Ok(SeeOther(heed(state, address, &in_force, Message::Form(message), body.relay_state).await?))
}

/// A message as it came.
enum Message {
    Query(String),
    Form(String),
}

async fn heed(
    state: &State,
    address: ClientAddress,
    in_force: &InForce<SamlOn>,
    message: Message,
    relay_state: Option<String>,
) -> Result<Redirect, Error> {
    let refused = |refused| refuse(state, address, &in_force.provider, refused);
    let expected = in_force.logout_expectations(state).map_err(refused)?;
    let now = state.clock.now();
    let reading = tokio::task::spawn_blocking(move || match message {
        Message::Query(query) => LogoutMessage::from_query(&query, &expected, now.instant()),
        Message::Form(text) => LogoutMessage::from_post(&decode_form(&text)?, &expected, now.instant()),
    });
    let message: Result<_, SamlRefusal> = reading.await.map_err(Error::internal)?;
    let first_page = format!("{}/", state.config.base_url);
    match message.map_err(|refusal| refused(refusal.into()))? {
        LogoutMessage::Response(_) => Ok(Redirect::to(first_page)),
        LogoutMessage::Request(asked) => {
            end_sessions(state, address, in_force, &asked).await?;
            let relay_state = relay_state.or(asked.relay_state);
            let answer = answer(state, in_force, &asked.id, relay_state.as_deref())?;
            Ok(Redirect::to(answer.unwrap_or(first_page)))
        }
    }
}

async fn end_sessions(
    state: &State,
    address: ClientAddress,
    in_force: &InForce<SamlOn>,
    asked: &LogoutRequest,
) -> Result<(), Error> {
    let subject = saml::subject(&in_force.provider, &in_force.settings.entity_id, &asked.name_id);
    let until = Timestamp::from_millis(asked.valid_until.timestamp_millis());
    let endings = match asked.session_indexes.as_slice() {
        [] => vec![Ending::Subject(&subject)],
        indexes => indexes.iter().map(|index| Ending::SubjectSession(&subject, index)).collect(),
    };
    let ended = logout::end_by_message(state, &subject, &asked.id, until, &endings).await?;
    let ended = ended.map_err(|refusal| refuse(state, address, &in_force.provider, refusal.into()))?;
    note(state, address, &in_force.provider, Outcome::SignedOut, ended, None);
    Ok(())
}

/// Address to which the browser goes with our answer; `None` if the settings have none.
fn answer(
    state: &State,
    in_force: &InForce<SamlOn>,
    id: &str,
    relay_state: Option<&str>,
) -> Result<Option<String>, Error> {
    let Some(sign_out_url) = &in_force.settings.sign_out_url else { return Ok(None) };
    let answer = LogoutAnswer {
        id: &message_id(&random()?),
        issued: state.clock.now().instant(),
        sign_out_url: sign_out_url.as_str(),
        entity_id: &in_force.entity_id(state),
        in_response_to: id,
        is_success: true,
    };
    let key = signing_key(in_force.settings.sp_certificate.as_deref());
    answer.redirect(relay_state, key.as_ref()).map(Some).map_err(Error::internal)
}

/// Address to which the browser goes to sign out at the provider, too.
pub(super) async fn sign_out_there(
    state: &State,
    provider: &ProviderKey,
    remembered: &ForProvider,
) -> Result<Option<String>, Error> {
    let Some(in_force) = in_force::find_saml(state, provider).await? else { return Ok(None) };
    let (Some(sign_out_url), Some(name_id)) = (&in_force.settings.sign_out_url, &remembered.name_id) else {
        return Ok(None);
    };
    let call = LogoutCall {
        id: &message_id(&random()?),
        issued: state.clock.now().instant(),
        sign_out_url: sign_out_url.as_str(),
        entity_id: &in_force.entity_id(state),
        name_id,
        session_index: remembered.session_index.as_deref(),
    };
    let key = signing_key(in_force.settings.sp_certificate.as_deref());
    call.redirect(None, key.as_ref()).map(Some).map_err(Error::internal)
}
