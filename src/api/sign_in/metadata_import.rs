//! Settings of SAML, as a provider's metadata propose them.

use poem::web::Data;
use poem_openapi::{Object, OpenApi};
use serde::Serialize;

use crate::{
    api::{
        Tag,
        answer::{Fails, Out, refusals},
        body::Body,
        client_address::SentFrom,
        permitted::{Permitted, need},
    },
    domain::{settings::is_safe_address, time::Timestamp},
    error::Error,
    sign_in::metadata,
    state::State,
    wire::{Nullable, Uri},
};

/// The operation that reads metadata.
#[derive(Debug)]
pub struct MetadataImportApi;

refusals! {
    /// Refusals when metadata are read.
    ImportRefusals = 400, 401, 403, 413, 415, 429, 503;
}

/// A provider's metadata: the document itself, or its URL.
#[derive(Debug, Object)]
#[oai(rename = "SamlProviderMetadata", rename_all = "camelCase")]
pub struct ProviderMetadataBody {
    /// The document. At most 1000000 characters.
    #[oai(validator(max_length = 1_000_000))]
    pub xml: Option<String>,
    /// URL of the document: an absolute `https` URL without credentials; `http` is accepted for localhost only. At most
    /// 2000 characters.
    #[oai(validator(max_length = 2000))]
    pub url: Option<Uri>,
}

/// Settings proposed for a provider.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "SamlProposal", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct ProposalBody {
    /// Entity id of the provider.
    pub entity_id: String,
    /// Single sign-on URL of the provider.
    pub sign_on_url: String,
    /// Single logout URL of the provider; `null` when it has none.
    pub sign_out_url: Nullable<String>,
    /// The signing certificates of the provider, as PEM.
    pub certificate: String,
    /// Whether the provider wants requests to be signed: `samlSignRequests` of the policy.
    pub wants_signed_requests: bool,
    /// Until when the metadata is valid; `null` when not stated.
    pub valid_until: Nullable<Timestamp>,
}

#[OpenApi(tag = "Tag::Authentication")]
impl MetadataImportApi {
    /// Propose SAML settings from metadata
    ///
    /// Reads a provider's metadata, given in the body or fetched, and proposes settings for `setSamlSettings`. Nothing
    /// is stored. Limited to 10 requests a minute from one address.
    #[oai(path = "/api/admin/auth/saml/metadata", method = "post", operation_id = "proposeSamlSettings")]
    async fn propose_saml_settings(
        &self,
        SentFrom(address): SentFrom,
        _caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        body: Body<ProviderMetadataBody>,
    ) -> Result<Out<ProposalBody>, Fails<ImportRefusals>> {
        let body = body.read_form()?;
        state.attempts.provider_trial.count(&address.network())?;
        let (path, xml) = match (body.xml, body.url) {
            (Some(xml), None) => ("/body/xml", xml.into_bytes()),
            (None, Some(url)) => ("/body/url", fetched(state, url.as_str()).await?),
            _ => {
                let message = "Exactly one of the /body/xml property and the /body/url property must be given.";
                return Err(Error::invalid("/body", message).into());
            }
        };
        let found = metadata::read(xml).await.map_err(|fault| Error::property(path, fault))?;
        let valid_until = found.valid_until.map(|until| Timestamp::from_millis(until.timestamp_millis()));
        Ok(Out(ProposalBody {
            entity_id: found.entity_id,
            sign_on_url: found.sign_on_url,
            sign_out_url: found.sign_out_url.into(),
            certificate: found.certificates.to_pem(),
            wants_signed_requests: found.wants_signed_requests,
            valid_until: valid_until.into(),
        }))
    }
}

async fn fetched(state: &State, url: &str) -> Result<Vec<u8>, Error> {
    if !is_safe_address(url) {
        let rule = "must be an absolute https address without credentials (http only for this machine)";
        return Err(Error::property("/body/url", rule));
    }
    metadata::fetch(state, url).await.map_err(|why| Error::property("/body/url", why))
}
