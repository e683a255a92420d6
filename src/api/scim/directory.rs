//! The directory that asks, by its token.

use poem::{
    Request, RequestBody,
    http::{HeaderMap, Method, header},
};
use poem_openapi::{
    ApiExtractor, ApiExtractorType, ExtractParamOptions,
    registry::{MetaParamIn, MetaSecurityScheme, Registry},
};

use super::refusal::Label;
use crate::{
    api::{
        client_address::ClientAddress,
        http::{Asker, is_known},
        instance::maintenance,
    },
    domain::{preference::Preference as _, scim::Provisioning, secret},
    error::Error,
    state::State,
    store,
};

/// Name of the security scheme.
const SCHEME: &str = "scimToken";

/// The directory that asks.
#[derive(Debug)]
pub struct Directory {
    /// How it wants answers to be labelled.
    pub label: Label,
    /// The versions of a resource that it has already.
    known: HeaderMap,
    base_url: String,
    /// Digest of its token.
    digest: String,
}

impl Directory {
    /// Whether it reads what it has already, which is of this entity tag.
    pub fn knows(&self, tag: &str) -> bool {
        is_known(&self.known, tag)
    }

    /// Refuses it with 401 or 404 once its token is no longer valid.
    pub async fn check(&self, state: &State) -> Result<(), Error> {
        let settings = settings(state).await?;
        if settings.token_hash.as_ref() == Some(&self.digest) { Ok(()) } else { Err(Error::Unauthenticated) }
    }

    /// URL of a path below `/scim`.
    pub fn place(&self, path: &str) -> String {
        format!("{}/scim/{path}", self.base_url)
    }
}

impl<'a> ApiExtractor<'a> for Directory {
    const TYPES: &'static [ApiExtractorType] = &[ApiExtractorType::SecurityScheme];
    type ParamType = ();
    type ParamRawType = ();

    fn register(registry: &mut Registry) {
        registry.create_security_scheme(
            SCHEME,
            MetaSecurityScheme {
                ty: "http",
                description: Some(
                    "The token that `generateScimToken` shows, after the word `Bearer`. It is valid below `/scim` \
                     only, where no other token is valid.",
                ),
                name: None,
                key_in: None,
                scheme: Some("bearer"),
                bearer_format: None,
                flows: None,
                openid_connect_url: None,
            },
        );
    }

    fn security_schemes() -> Vec<&'static str> {
        vec![SCHEME]
    }

    fn param_in() -> Option<MetaParamIn> {
        None
    }

    async fn from_request(request: &'a Request, _: &mut RequestBody, _: ExtractParamOptions<()>) -> poem::Result<Self> {
        let state = State::of(request);
        let settings = settings(state).await?;
        let given = request.headers().get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
        let digest = given.map(|given| secret::digest(secret::strip_bearer(given)));
        let Some(digest) = digest.filter(|digest| settings.token_hash.as_ref() == Some(digest)) else {
            state.attempts.directory.count(&ClientAddress::of(request).network())?;
            return Err(Error::Unauthenticated.into());
        };
        maintenance::check(state, request).await?;
        Asker::note(request, || "scim".to_owned());
        let known = if *request.method() == Method::GET { request.headers().clone() } else { HeaderMap::new() };
        Ok(Self { label: Label::of(request.headers()), known, base_url: state.config.base_url.clone(), digest })
    }
}

/// The settings of SCIM, or 404 while it is off. Not from memory: a token that was switched off or replaced is void from
/// that moment on, on every node.
async fn settings(state: &State) -> Result<Provisioning, Error> {
    let settings: Option<Provisioning> = store::preferences::find(&state.db, Provisioning::ID).await?;
    let settings = settings.filter(|settings| settings.enabled);
    settings.ok_or_else(|| Error::NotFound("SCIM is switched off here.".to_owned()))
}
