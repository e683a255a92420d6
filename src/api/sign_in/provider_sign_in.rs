//! Sign-in through further login providers.

use poem::{Request, web::Data};
use poem_openapi::{
    OpenApi,
    param::{Path, Query},
    payload::PlainText,
};

use crate::{
    api::{
        Tag,
        answer::{Fails, refusals},
        body::Form,
        client_address::{ClientAddress, SentFrom},
        parameter::TextParameter,
        sign_in::{
            oidc,
            responses::{ArriveRefusals, Arriving, BeginRefusals, CallbackResponse, Metadata, Redirect, SeeOther},
            saml::{self, PostRefusals, SamlAnswerBody},
            saml_callback,
        },
    },
    domain::sign_in::{Provider, ProviderKey},
    error::Error,
    sign_in::{
        further::{self, InForceOf},
        in_force, trial,
    },
    state::State,
    store,
};

/// The operations of signing in through further login providers.
#[derive(Debug)]
pub struct ProviderSignInApi;

refusals! {
    /// Refusals of reading the metadata of a provider.
    MetadataRefusals = 400, 404, 503;
}

#[OpenApi(tag = "Tag::Authentication")]
impl ProviderSignInApi {
    /// Start signing in through a login provider
    ///
    /// For browsers: redirects to the login provider, which leads them back to `finishProviderSignIn`, or has them post
    /// its response to `receiveProviderSamlResponse`. 404 while the provider is disabled or does not exist. An error is an
    /// HTML page for browsers, and JSON otherwise. Tests are limited to 60 a minute from one address. Needs no
    /// credentials.
    #[oai(path = "/auth/providers/:providerId/login", method = "get", operation_id = "beginProviderSignIn")]
    async fn begin_provider_sign_in(
        &self,
        request: &Request,
        SentFrom(address): SentFrom,
        Data(state): Data<&State>,
        #[oai(name = "providerId")] provider_id: Path<String>,
        redirect: Query<Option<TextParameter>>,
        trial: Query<Option<TextParameter>>,
    ) -> Result<Redirect, Fails<BeginRefusals>> {
        let trial = trial.0.map(|TextParameter(id)| id);
        let in_force = match &trial {
            Some(id) => {
                state.attempts.trial_start.count(&address.network())?;
                trial::required_further(state, &provider_id.0, id).await?
            }
            None => further::required(state, &provider_id.0).await?,
        };
        let begin = Begin { return_path: redirect.0.map(|TextParameter(path)| path), trial, links_to: None };
        let (url, cookies) = begin.begin(request, address, state, in_force).await?;
        Ok(Redirect::to(url).with(cookies))
    }

    /// Finish signing in through a login provider
    ///
    /// For browsers that return from a login provider of OpenID Connect or OAuth 2.0: starts a session, or links the
    /// identity to the signed-in user who began that with `linkMyIdentity`, and redirects to the requested page. Limited
    /// to 30 failures a minute from one address. `getSignIns` has the reason of each failure. A test ends with a page and
    /// no session. Needs no credentials.
    #[expect(clippy::too_many_arguments, reason = "one for each parameter of the published operation")]
    #[oai(path = "/auth/providers/:providerId/callback", method = "get", operation_id = "finishProviderSignIn")]
    async fn finish_provider_sign_in(
        &self,
        request: &Request,
        SentFrom(address): SentFrom,
        Data(state): Data<&State>,
        #[oai(name = "providerId")] provider_id: Path<String>,
        /// The authorization code from the provider.
        code: Query<Option<TextParameter>>,
        /// The state that the sign-in started with.
        #[oai(name = "state")]
        token: Query<Option<TextParameter>>,
        iss: Query<Option<TextParameter>>,
        /// The error code from the provider, without an authorization code.
        error: Query<Option<TextParameter>>,
    ) -> Result<CallbackResponse, Fails<ArriveRefusals>> {
        let provider = ProviderKey { protocol: Provider::Oidc, id: Some(provider_id.0) };
        let arriving = Arriving { request, state, address, provider: &provider };
        let returned = oidc::Returned { code, state: token, iss, error };
        Ok(returned.finish(arriving).await?)
    }

    /// Receive a SAML response of a login provider
    ///
    /// For browsers that return from a login provider of SAML: verifies the response, and redirects to
    /// `finishProviderSamlSignIn`, which checks that the same browser started the sign-in. Each assertion is accepted
    /// once. Limited to 30 failures a minute from one address. `getSignIns` has the reason of each failure. Needs no
    /// credentials.
    #[oai(path = "/auth/providers/:providerId/acs", method = "post", operation_id = "receiveProviderSamlResponse")]
    async fn receive_provider_saml_response(
        &self,
        request: &Request,
        SentFrom(address): SentFrom,
        Data(state): Data<&State>,
        #[oai(name = "providerId")] provider_id: Path<String>,
        form: Form<SamlAnswerBody>,
    ) -> Result<SeeOther, Fails<PostRefusals>> {
        let provider = ProviderKey { protocol: Provider::Saml, id: Some(provider_id.0) };
        let arriving = Arriving { request, state, address, provider: &provider };
        Ok(saml::receive(arriving, form).await?)
    }

    /// Finish signing in through a login provider of SAML
    ///
    /// For browsers with a ticket from `receiveProviderSamlResponse`: starts a session if the same browser started the
    /// sign-in, or links the identity to the signed-in user who began that with `linkMyIdentity`, and redirects to the
    /// requested page. When sign-ins started by the provider are allowed, a page shows who signed in. A ticket works once,
    /// within a minute. Needs no credentials.
    #[oai(path = "/auth/providers/:providerId/acs", method = "get", operation_id = "finishProviderSamlSignIn")]
    async fn finish_provider_saml_sign_in(
        &self,
        request: &Request,
        SentFrom(address): SentFrom,
        Data(state): Data<&State>,
        #[oai(name = "providerId")] provider_id: Path<String>,
        /// The ticket.
        ticket: Query<TextParameter>,
    ) -> Result<CallbackResponse, Fails<ArriveRefusals>> {
        let provider = ProviderKey { protocol: Provider::Saml, id: Some(provider_id.0) };
        let arriving = Arriving { request, state, address, provider: &provider };
        let finished = saml_callback::finish(arriving, &ticket.0.0).await?;
        Ok(finished.map_err(|refused| arriving.refuse(refused))?)
    }

    /// Get the SAML metadata for a login provider
    ///
    /// The metadata of this server as a service provider of one login provider of SAML, also while that is disabled. Needs
    /// no credentials.
    #[oai(path = "/auth/providers/:providerId/metadata", method = "get", operation_id = "getProviderSamlMetadata")]
    async fn get_provider_saml_metadata(
        &self,
        Data(state): Data<&State>,
        #[oai(name = "providerId")] provider_id: Path<String>,
    ) -> Result<Metadata, Fails<MetadataRefusals>> {
        let found = store::sign_in::providers::find(&state.db, &state.vault, &provider_id.0).await?;
        let key = ProviderKey { protocol: Provider::Saml, id: Some(provider_id.0) };
        let provider = found.filter(|found| found.key() == key).ok_or_else(|| in_force::missing(&key))?;
        let connection = &provider.content.connection;
        let entity_id = further::entity_id(state, &provider);
        let signs_requests = connection.sign_requests == Some(true);
        let sp_certificate = connection.sp_certificate.as_deref();
        Ok(Metadata::Xml(PlainText(saml::metadata(state, &key, &entity_id, sp_certificate, signs_requests))))
    }
}

/// Beginning of a sign-in.
#[derive(Debug)]
pub struct Begin {
    /// Path to which the browser goes afterwards.
    pub return_path: Option<String>,
    /// Id of the trial that it is part of.
    pub trial: Option<String>,
    /// Id of the signed-in user who wants to link the identity.
    pub links_to: Option<i64>,
}

impl Begin {
    /// Returns the address of the provider that the browser goes to, and the cookies that it keeps.
    pub async fn begin(
        self,
        request: &Request,
        address: ClientAddress,
        state: &State,
        in_force: InForceOf,
    ) -> Result<(String, Vec<String>), Error> {
        match in_force {
            InForceOf::Oidc(in_force) => {
                let provider = in_force.provider.clone();
                let arriving = Arriving { request, state, address, provider: &provider };
                oidc::begin(arriving, in_force, self).await
            }
            InForceOf::Saml(in_force) => {
                let provider = in_force.provider.clone();
                let arriving = Arriving { request, state, address, provider: &provider };
                saml::begin(arriving, in_force, self).await
            }
        }
    }
}
