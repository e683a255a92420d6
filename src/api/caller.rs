//! Callers by the credentials of a request.

use std::{ops::Deref, sync::Arc};

use poem::{Request, RequestBody, http::header};
use poem_openapi::{
    ApiExtractor, ApiExtractorType, ExtractParamOptions,
    registry::{MetaParamIn, MetaSecurityScheme, Registry},
};

use crate::{
    access::{Caller, Identity},
    api::{
        change_reason,
        http::{Asker, Attached as _},
        instance::maintenance,
        sign_in::session_cookie,
    },
    domain::secret::{self, PERSONAL_PREFIX, TokenKind},
    error::Error,
    state::State,
    store::{
        self,
        access::{Credential, Holder},
    },
};

/// Name of the security scheme for the `Authorization` header with the bare secret.
pub const API_KEY_SCHEME: &str = "apiKey";
/// Name of the security scheme for the `Authorization` header with the `Bearer` prefix.
pub const BEARER_SCHEME: &str = "bearerToken";
/// Name of the security scheme for the session cookie.
pub const COOKIE_SCHEME: &str = "sessionCookie";

/// The two ways to send a token.
pub(super) fn register_token_schemes(registry: &mut Registry) {
    registry.create_security_scheme(
        API_KEY_SCHEME,
        MetaSecurityScheme {
            ty: "apiKey",
            description: Some(
                "An admin API token (`*:*.…`) or a personal token (`user:…`), as it is, in the Authorization \
                     header. SDKs send a client token or a frontend token (`project:environment.…`).",
            ),
            name: Some("Authorization"),
            key_in: Some("header"),
            scheme: None,
            bearer_format: None,
            flows: None,
            openid_connect_url: None,
        },
    );
    registry.create_security_scheme(
        BEARER_SCHEME,
        MetaSecurityScheme {
            ty: "http",
            description: Some("The same tokens, after the word `Bearer`."),
            name: None,
            key_in: None,
            scheme: Some("bearer"),
            bearer_format: None,
            flows: None,
            openid_connect_url: None,
        },
    );
}

/// A caller of an operation, by credentials that are valid and serve for all of the API.
#[derive(Debug)]
pub struct AuthenticatedCaller(Caller);

impl Deref for AuthenticatedCaller {
    type Target = Caller;

    fn deref(&self) -> &Caller {
        &self.0
    }
}

impl<'a> ApiExtractor<'a> for AuthenticatedCaller {
    const TYPES: &'static [ApiExtractorType] = &[ApiExtractorType::SecurityScheme];
    type ParamType = ();
    type ParamRawType = ();

    fn register(registry: &mut Registry) {
        register_token_schemes(registry);
        registry.create_security_scheme(
            COOKIE_SCHEME,
            MetaSecurityScheme {
                ty: "apiKey",
                description: Some(
                    "The cookie that signing in at `/auth/simple/login` sets. Where the public address of the server \
                     is https it is called `__Host-unleash-session`. A request that can change something is refused \
                     with 403 when `Origin` or `Sec-Fetch-Site` shows that a page of another origin sent it.",
                ),
                name: Some(session_cookie::NAME),
                key_in: Some("cookie"),
                scheme: None,
                bearer_format: None,
                flows: None,
                openid_connect_url: None,
            },
        );
    }

    fn security_schemes() -> Vec<&'static str> {
        vec![API_KEY_SCHEME, BEARER_SCHEME, COOKIE_SCHEME]
    }

    fn param_in() -> Option<MetaParamIn> {
        None
    }

    async fn from_request(request: &'a Request, _: &mut RequestBody, _: ExtractParamOptions<()>) -> poem::Result<Self> {
        let caller = identify(request).await?;
        caller.require_whole_session()?;
        maintenance::check(State::of(request), request).await?;
        Ok(Self(caller.because(change_reason::of(request)?)))
    }
}

/// A caller of an operation that serves to enrol a second factor: also in a session that can do nothing else, and, as
/// it belongs to signing in, under maintenance.
#[derive(Debug)]
pub struct EnrollingCaller(Caller);

impl Deref for EnrollingCaller {
    type Target = Caller;

    fn deref(&self) -> &Caller {
        &self.0
    }
}

impl<'a> ApiExtractor<'a> for EnrollingCaller {
    const TYPES: &'static [ApiExtractorType] = AuthenticatedCaller::TYPES;
    type ParamType = ();
    type ParamRawType = ();

    fn register(registry: &mut Registry) {
        AuthenticatedCaller::register(registry);
    }

    fn security_schemes() -> Vec<&'static str> {
        AuthenticatedCaller::security_schemes()
    }

    fn param_in() -> Option<MetaParamIn> {
        None
    }

    async fn from_request(request: &'a Request, _: &mut RequestBody, _: ExtractParamOptions<()>) -> poem::Result<Self> {
        Ok(Self(identify(request).await?.because(change_reason::of(request)?)))
    }
}

async fn identify(request: &Request) -> Result<Caller, Error> {
    let state = State::of(request);
    let identity = match request.headers().get(header::AUTHORIZATION) {
        Some(value) => {
            let value = value.to_str().map_err(|_| Error::Unauthenticated)?;
            by_header(state, request, secret::strip_bearer(value)).await?
        }
        None => Identity::Person(by_cookie(state, request).await?.ok_or(Error::Unauthenticated)?),
    };
    if let Identity::Person(holder) = &identity {
        state.presence.saw(holder.person.id, holder.token_id, holder.session.as_ref(), state.clock.now());
    }
    Asker::note(request, || label(&identity));
    Ok(Caller::new(identity, state.db.clone()))
}

/// Label of a caller in the log of requests.
fn label(identity: &Identity) -> String {
    match identity {
        Identity::Person(holder) => format!("user {}", holder.person.id),
        Identity::AdminToken { name } => format!("token {name}"),
        Identity::Operator => "operator".to_owned(),
    }
}

/// Returns the label that distinguishes callers: all credentials of a person are one caller. 401 without valid
/// credentials.
pub async fn identity(request: &Request) -> Result<String, Error> {
    let caller = identify(request).await?;
    Ok(match caller.identity() {
        identity @ (Identity::Person(_) | Identity::Operator) => label(identity),
        Identity::AdminToken { .. } => {
            let credential = request.headers().get(header::AUTHORIZATION).map(poem::http::HeaderValue::as_bytes);
            format!("token {}", secret::digest(&String::from_utf8_lossy(credential.unwrap_or_default())))
        }
    })
}

/// Whether a request of a browser comes without a valid session. False while that cannot be told.
pub async fn has_no_session(request: &Request) -> bool {
    matches!(by_cookie(State::of(request), request).await, Ok(None))
}

async fn by_header(state: &State, request: &Request, credential: &str) -> Result<Identity, Error> {
    let digest = secret::digest(credential);
    let now = state.clock.now();
    if credential.starts_with(PERSONAL_PREFIX) {
        let holder = store::access::find_holder(&state.db, Credential::PersonalToken, &digest, now).await?;
        return holder.map(Identity::Person).ok_or(Error::Unauthenticated);
    }
    let token = state.sdk.token_by_digest(&digest, now).await?.ok_or(Error::Unauthenticated)?;
    match token.reach.kind {
        TokenKind::Client | TokenKind::Frontend => Err(Error::WrongTokenKind),
        // A person who is signed in acts as themselves, also where a script adds a token.
        TokenKind::Admin => Ok(match by_cookie(state, request).await? {
            Some(holder) => Identity::Person(holder),
            None => Identity::AdminToken { name: token.name.clone() },
        }),
    }
}

async fn by_cookie(state: &State, request: &Request) -> Result<Option<Arc<Holder>>, Error> {
    let Some(secret) = session_cookie::secret_of(request)? else { return Ok(None) };
    let digest = secret::digest(secret);
    Ok(store::access::find_holder(&state.db, Credential::Session, &digest, state.clock.now()).await?)
}
