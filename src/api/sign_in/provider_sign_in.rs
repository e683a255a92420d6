//! Signing in through login providers beside those of the two settings, and linking identities of them.

use poem::{IntoResponse, Request, Response, http::header, web::Data};
use poem_openapi::{
    ApiResponse, Object, OpenApi,
    param::{Path, Query},
    registry::{MetaMediaType, MetaResponses, Registry},
    types::Type,
};
use serde::Serialize;

use crate::{
    access::Caller,
    api::{
        Tag,
        answer::{Fails, JSON, Out, meta_header, refusals},
        body::{Body, Form},
        client_address::ClientAddress,
        parameter::TextParameter,
        sign_in::{
            oidc, response_meta,
            responses::{ArriveRefusals, Arriving, BeginRefusals, CallbackResponse, Metadata, Redirect, SeeOther},
            saml::{self, PostRefusals, SamlAnswerBody},
            saml_callback,
        },
    },
    domain::sign_in::{Provider, ProviderKey},
    error::Error,
    sign_in::{
        further::{self, InForceOf},
        in_force, second_factor,
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
    /// Refusals of beginning to link an identity.
    LinkRefusals = 400, 401, 403, 413, 415, 424, 429, 503;
}

/// An identity of the caller that is to be linked.
#[derive(Object)]
#[oai(rename = "IdentityLinkRequest", rename_all = "camelCase")]
pub struct IdentityLinkRequestBody {
    /// Id of the login provider. At most 50 characters.
    #[oai(validator(max_length = 50))]
    pub provider_id: String,
    /// The current password, which users who have one must give. At most 1000 characters.
    #[oai(validator(max_length = 1000))]
    pub password: Option<String>,
    /// Path of this server to which the browser goes afterwards. Absent: the start page. At most 2000 characters.
    #[oai(validator(max_length = 2000))]
    pub redirect: Option<String>,
}

impl std::fmt::Debug for IdentityLinkRequestBody {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("IdentityLinkRequestBody")
    }
}

/// Beginning of a link of an identity.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "IdentityLink")]
pub struct IdentityLinkBody {
    /// URL of the login provider that the browser goes to.
    pub url: String,
}

/// 200 with the address of a login provider, and the cookies of the sign-in there. Printing it shows nothing.
pub struct LinkBegun {
    body: IdentityLinkBody,
    cookies: Vec<String>,
}

impl std::fmt::Debug for LinkBegun {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("LinkBegun")
    }
}

impl IntoResponse for LinkBegun {
    fn into_response(self) -> Response {
        let mut response = Out(self.body).into_response();
        for cookie in self.cookies {
            if let Ok(cookie) = cookie.parse() {
                response.headers_mut().append(header::SET_COOKIE, cookie);
            }
        }
        response
    }
}

impl ApiResponse for LinkBegun {
    fn meta() -> MetaResponses {
        let content = vec![MetaMediaType { content_type: JSON, schema: IdentityLinkBody::schema_ref() }];
        let cookie = meta_header("Set-Cookie", "The cookie by which the browser is known again.", true);
        MetaResponses { responses: vec![response_meta(200, "The browser can go on.", content, vec![cookie])] }
    }

    fn register(registry: &mut Registry) {
        IdentityLinkBody::register(registry);
    }
}

#[OpenApi(tag = "Tag::Authentication")]
impl ProviderSignInApi {
    /// Start signing in through a login provider
    ///
    /// For browsers: redirects to the login provider, which leads them back to `finishProviderSignIn`, or has them post
    /// its response to `receiveProviderSamlResponse`. 404 while the provider is disabled or does not exist. An error is an
    /// HTML page for browsers, and JSON otherwise. Needs no credentials.
    #[oai(path = "/auth/providers/:providerId/login", method = "get", operation_id = "beginProviderSignIn")]
    async fn begin_provider_sign_in(
        &self,
        request: &Request,
        address: ClientAddress,
        Data(state): Data<&State>,
        #[oai(name = "providerId")] provider_id: Path<String>,
        redirect: Query<Option<TextParameter>>,
    ) -> Result<Redirect, Fails<BeginRefusals>> {
        let in_force = further::required(state, &provider_id.0).await?;
        let return_path = redirect.0.map(|TextParameter(path)| path);
        let (url, cookies) = begin(request, address, state, in_force, return_path, None).await?;
        Ok(Redirect::to(url).with(cookies))
    }

    /// Finish signing in through a login provider
    ///
    /// For browsers that return from a login provider of OpenID Connect or OAuth 2.0: starts a session, or links the
    /// identity to the signed-in user who began that with `linkMyIdentity`, and redirects to the requested page. Limited
    /// to 30 failures a minute from one address. `getSignIns` has the reason of each failure. Needs no credentials.
    #[expect(clippy::too_many_arguments, reason = "one for each parameter of the published operation")]
    #[oai(path = "/auth/providers/:providerId/callback", method = "get", operation_id = "finishProviderSignIn")]
    async fn finish_provider_sign_in(
        &self,
        request: &Request,
        address: ClientAddress,
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
        address: ClientAddress,
        Data(state): Data<&State>,
        #[oai(name = "providerId")] provider_id: Path<String>,
        form: Form<SamlAnswerBody>,
    ) -> Result<SeeOther, Fails<PostRefusals>> {
        let provider = ProviderKey { protocol: Provider::Saml, id: Some(provider_id.0) };
        let in_force = in_force::find_saml(state, &provider).await?.ok_or_else(|| in_force::missing(&provider))?;
        let arriving = Arriving { request, state, address, provider: &provider };
        Ok(saml::receive(arriving, &in_force, form.read()?.response, None).await?)
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
        address: ClientAddress,
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
        Ok(Metadata(saml::metadata(state, &key, &entity_id, sp_certificate, signs_requests)))
    }

    /// Begin to link an identity of your own
    ///
    /// Answers with the URL of a login provider. Whoever signs in there, in the browser that the answer went to, links the
    /// identity to the caller: from then on it signs them in. An identity of another user is refused. Users who have a
    /// password must give it; a wrong one is 401, and a user has 10 attempts and regains one every 6 seconds. Needs a
    /// session: tokens are refused with 403. An operation of this server, which Unleash does not have.
    #[oai(path = "/api/admin/user/identities", method = "post", operation_id = "linkMyIdentity")]
    async fn link_my_identity(
        &self,
        caller: Caller,
        request: &Request,
        address: ClientAddress,
        Data(state): Data<&State>,
        body: Body<IdentityLinkRequestBody>,
    ) -> Result<LinkBegun, Fails<LinkRefusals>> {
        let user_id = caller.require_session()?.id;
        let IdentityLinkRequestBody { provider_id, password, redirect } = body.read()?;
        let unknown = || Error::unknown("/body/providerId", "login provider", &provider_id);
        let in_force = further::find(state, &provider_id).await?.ok_or_else(unknown)?;
        let account = store::users::find(&state.db, user_id).await?.ok_or(Error::Unauthenticated)?;
        if account.password_hash.is_some() {
            second_factor::prove_password(state, user_id, password.unwrap_or_default()).await?;
        }
        let (url, cookies) = begin(request, address, state, in_force, redirect, Some(user_id)).await?;
        Ok(LinkBegun { body: IdentityLinkBody { url }, cookies })
    }
}

/// Begins a sign-in, and returns the address of the provider and the cookies of the browser.
async fn begin(
    request: &Request,
    address: ClientAddress,
    state: &State,
    in_force: InForceOf,
    return_path: Option<String>,
    links_to: Option<i64>,
) -> Result<(String, Vec<String>), Error> {
    match in_force {
        InForceOf::Oidc(in_force) => {
            let provider = in_force.provider.clone();
            let arriving = Arriving { request, state, address, provider: &provider };
            oidc::Begin { return_path, links_to, ..oidc::Begin::new(in_force) }.begin(arriving).await
        }
        InForceOf::Saml(in_force) => {
            let provider = in_force.provider.clone();
            let arriving = Arriving { request, state, address, provider: &provider };
            saml::Begin { return_path, links_to, ..saml::Begin::new(in_force) }.begin(arriving).await
        }
    }
}
