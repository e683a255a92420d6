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
        client_address,
        http::Attached as _,
        http::{Asker, is_known},
        instance::maintenance,
    },
    changes::scim::DirectoryAuthor,
    domain::{
        preference::Preference as _,
        scim::{Provisioning, directory::DirectoryRef},
        secret,
    },
    error::Error,
    state::State,
    store,
};

/// Name of the security scheme.
const SCHEME: &str = "scimToken";

/// The directory that asks.
#[derive(Debug)]
pub struct Directory {
    /// The default one, or one with a name.
    pub identity: DirectoryRef,
    /// Label that it wants for answers.
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
        match identify(state, &settings(state).await?, &self.digest).await? {
            Some(identity) if identity == self.identity => Ok(()),
            _ => Err(Error::Unauthenticated),
        }
    }

    /// The directory as the author of changes.
    pub fn author<'a>(&'a self, state: &'a State) -> DirectoryAuthor<'a> {
        DirectoryAuthor { directory: &self.identity, versions: self, db: &state.db, clock: &state.clock }
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
                    "The token that `generateScimToken` or `createScimDirectory` shows, after the word `Bearer`. It is \
                     valid below `/scim` only, where no other token is valid.",
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
        let digest = given.map(|given| secret::digest(secret::strip_bearer(given))).unwrap_or_default();
        let Some(identity) = identify(state, &settings, &digest).await? else {
            state.attempts.directory.count(&client_address::of(request).network())?;
            return Err(Error::Unauthenticated.into());
        };
        maintenance::check(state, request).await?;
        Asker::note(request, || identity.actor().name);
        if let Some(id) = identity.id() {
            state.presence.saw_directory(id, state.clock.now());
        }
        let known = if *request.method() == Method::GET { request.headers().clone() } else { HeaderMap::new() };
        let (label, base_url) = (Label::of(request.headers()), state.config.base_url.clone());
        Ok(Self { identity, label, known, base_url, digest })
    }
}

/// The directory with this digest of a token, if there is one.
async fn identify(state: &State, settings: &Provisioning, digest: &str) -> Result<Option<DirectoryRef>, Error> {
    if settings.token_hash.as_deref() == Some(digest) {
        return Ok(Some(DirectoryRef::default()));
    }
    Ok(store::scim::directories::find_by_token(&state.db, digest).await?)
}

/// The settings of SCIM, or 404 while it is off. Not from memory: a token that was switched off or replaced is void
/// from that moment on, on every node.
async fn settings(state: &State) -> Result<Provisioning, Error> {
    let settings: Option<Provisioning> = store::preferences::find(&state.db, Provisioning::ID).await?;
    let settings = settings.filter(|settings| settings.enabled);
    settings.ok_or_else(|| Error::NotFound("SCIM is switched off here.".to_owned()))
}
