//! The programs that ask for features, and what their tokens let them see.

use std::{marker::PhantomData, sync::Arc};

use poem::{Request, RequestBody, http::header};
use poem_openapi::{
    ApiExtractor, ApiExtractorType, ExtractParamOptions,
    registry::{MetaParamIn, Registry},
};

use crate::{
    api::{
        caller::{API_KEY_SCHEME, BEARER_SCHEME, register_token_schemes},
        client_address,
        http::{Asker, Attached as _},
    },
    domain::{
        client_feature::{ClientFilter, narrowed},
        secret::{self, ShownSecret, TokenKind},
        token::{ALL, ClientToken},
    },
    error::Error,
    state::Serving,
};

/// The environment of an admin token that names none.
const DEFAULT_ENVIRONMENT: &str = "default";

/// Kind of the programs that operations are for.
pub trait Audience: Send + Sync + 'static {
    /// The kinds of tokens that they hold.
    const KINDS: &'static [TokenKind];
}

/// Programs on servers, which decide by themselves.
#[derive(Debug)]
pub struct Servers;

/// Programs in the hands of users, which receive results.
#[derive(Debug)]
pub struct Browsers;

/// Programs anywhere that receive results.
#[derive(Debug)]
pub struct Undecided;

impl Audience for Servers {
    const KINDS: &'static [TokenKind] = &[TokenKind::Client, TokenKind::Admin];
}

impl Audience for Browsers {
    const KINDS: &'static [TokenKind] = &[TokenKind::Frontend];
}

impl Audience for Undecided {
    const KINDS: &'static [TokenKind] = &[TokenKind::Frontend, TokenKind::Client];
}

/// A program with a client token, or with an admin token.
pub type ClientCaller = ProgramCaller<Servers>;
/// A program with a frontend token.
pub type FrontendCaller = ProgramCaller<Browsers>;
/// A program with a frontend token, or with a client token.
pub type EvaluationCaller = ProgramCaller<Undecided>;

/// A program with a token of one of the kinds of its audience. Sessions do not count.
#[derive(Debug)]
pub struct ProgramCaller<A> {
    token: Arc<ClientToken>,
    digest: String,
    audience: PhantomData<fn() -> A>,
}

impl<A> ProgramCaller<A> {
    /// Name of the token.
    pub fn name(&self) -> &str {
        &self.token.name
    }

    /// Id of the token.
    pub fn token_id(&self) -> i64 {
        self.token.id
    }

    /// The digest of the secret, to ask later whether it still serves.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// The environment that is served or reported: the token's own, or for an admin token the one that it names.
    pub fn environment(&self, named: Option<&str>) -> String {
        let environment = match self.token.reach.environment.as_str() {
            ALL => named.filter(|named| !named.is_empty() && *named != ALL).unwrap_or(DEFAULT_ENVIRONMENT),
            own => own,
        };
        environment.to_owned()
    }

    /// The environment that an entry of a bulk report is about; `None` where that is another than the token's.
    pub fn reported_environment(&self, named: Option<&str>) -> Option<String> {
        let own = self.token.reach.environment.as_str();
        let is_elsewhere = own != ALL && named.is_some_and(|named| named != own);
        (!is_elsewhere).then(|| self.environment(named))
    }

    /// The projects that are served if some are asked for; `None` is all.
    pub fn projects(&self, asked: &[String]) -> Option<Vec<String>> {
        narrowed(self.token.projects(), asked)
    }

    /// Ids of the projects that the token names; none where it reaches all.
    pub fn named_projects(&self) -> Vec<String> {
        self.token.projects().unwrap_or_default().to_vec()
    }

    /// Every feature that the token reaches.
    pub fn everything(&self) -> ClientFilter {
        ClientFilter { projects: self.projects(&[]), ..ClientFilter::default() }
    }
}

impl<'a, A: Audience> ApiExtractor<'a> for ProgramCaller<A> {
    const TYPES: &'static [ApiExtractorType] = &[ApiExtractorType::SecurityScheme];
    type ParamType = ();
    type ParamRawType = ();

    fn register(registry: &mut Registry) {
        register_token_schemes(registry);
    }

    fn security_schemes() -> Vec<&'static str> {
        vec![API_KEY_SCHEME, BEARER_SCHEME]
    }

    fn param_in() -> Option<MetaParamIn> {
        None
    }

    async fn from_request(request: &'a Request, _: &mut RequestBody, _: ExtractParamOptions<()>) -> poem::Result<Self> {
        let (token, digest) = identify(request, A::KINDS).await?;
        Ok(Self { token, digest, audience: PhantomData })
    }
}

/// The token of a request, if it is of one of these kinds, and the digest of its secret.
async fn identify(request: &Request, kinds: &[TokenKind]) -> Result<(Arc<ClientToken>, String), Error> {
    let serving = Serving::of(request);
    let header = request.headers().get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    let full_secret = header.map(secret::strip_bearer).ok_or(Error::Unauthenticated)?;
    let (digest, now) = (secret::digest(full_secret), serving.clock.now());
    let shown_by = client_address::of(request).network();
    let shown = ShownSecret { full_secret, digest: &digest };
    let token = serving.source.program(shown, now, shown_by).await?;
    if !kinds.contains(&token.reach.kind) {
        return Err(Error::WrongTokenKind);
    }
    Asker::note(request, || format!("token {}", token.name));
    serving.usage.used_token(token.id, now);
    Ok((token, digest))
}
