//! Signing out by order of further login providers, each at addresses of its own.

use poem::{Request, web::Data};
use poem_openapi::{OpenApi, param::Path};

use crate::{
    api::{
        Tag,
        answer::{Done, Fails},
        body::Form,
        client_address::SentFrom,
        sign_in::{
            provider_logout::{BackChannelLogoutBody, BackChannelRefusals, back_channel},
            responses::{Redirect, SeeOther},
            saml_logout::{LogoutPostRefusals, LogoutRefusals, SamlLogoutBody, by_form, by_redirect},
        },
    },
    domain::sign_in::{Provider, ProviderKey},
    state::State,
};

/// The operations by which further login providers sign people out.
#[derive(Debug)]
pub struct FurtherLogoutApi;

#[OpenApi(tag = "Tag::Authentication")]
impl FurtherLogoutApi {
    /// Receive a back-channel logout of a login provider
    ///
    /// Called by a login provider of OpenID Connect (Back-Channel Logout 1.0): ends the session that the logout token
    /// names, or all sessions of the user that were started through this provider. 404 while the provider is disabled or
    /// does not exist, and for GitHub. Limited to 60 failures a minute from one address; valid tokens are not counted.
    /// Needs no credentials but the token.
    #[oai(
        path = "/auth/providers/:providerId/backchannel-logout",
        method = "post",
        operation_id = "providerBackChannelLogout"
    )]
    async fn provider_back_channel_logout(
        &self,
        SentFrom(address): SentFrom,
        Data(state): Data<&State>,
        #[oai(name = "providerId")] provider_id: Path<String>,
        form: Form<BackChannelLogoutBody>,
    ) -> Result<Done, Fails<BackChannelRefusals>> {
        let provider = ProviderKey { protocol: Provider::Oidc, id: Some(provider_id.0) };
        back_channel(state, address, &provider, form).await?;
        Ok(Done)
    }

    /// Receive a SAML logout message of a login provider by redirect
    ///
    /// For browsers that come from a login provider of SAML, with a message in the query (HTTP-Redirect binding). The
    /// response to a sign-out that started here redirects to the start page. A logout request must be signed; it ends the
    /// sessions that it names, as far as they were started through this provider, and redirects back with a response. 404
    /// while the provider is disabled or does not exist. Limited to 60 failures a minute from one address. Needs no
    /// credentials.
    #[oai(path = "/auth/providers/:providerId/logout/done", method = "get", operation_id = "providerSamlLogout")]
    async fn provider_saml_logout(
        &self,
        request: &Request,
        SentFrom(address): SentFrom,
        Data(state): Data<&State>,
        #[oai(name = "providerId")] provider_id: Path<String>,
    ) -> Result<Redirect, Fails<LogoutRefusals>> {
        let provider = ProviderKey { protocol: Provider::Saml, id: Some(provider_id.0) };
        Ok(by_redirect(state, address, &provider, request).await?)
    }

    /// Receive a SAML logout message of a login provider by form
    ///
    /// Receives the message of `providerSamlLogout` in a form (HTTP-POST binding). Needs no credentials.
    #[oai(path = "/auth/providers/:providerId/logout/done", method = "post", operation_id = "providerSamlLogoutByForm")]
    async fn provider_saml_logout_by_form(
        &self,
        SentFrom(address): SentFrom,
        Data(state): Data<&State>,
        #[oai(name = "providerId")] provider_id: Path<String>,
        form: Form<SamlLogoutBody>,
    ) -> Result<SeeOther, Fails<LogoutPostRefusals>> {
        let provider = ProviderKey { protocol: Provider::Saml, id: Some(provider_id.0) };
        Ok(by_form(state, address, &provider, form).await?)
    }
}
