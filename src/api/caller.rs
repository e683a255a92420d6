//! Callers, and the scopes through which alone they reach anything.

use std::sync::{Arc, LazyLock};

use poem::{Request, RequestBody, http::header};
use poem_openapi::{
    ApiExtractor, ApiExtractorType, ExtractParamOptions,
    registry::{MetaParamIn, MetaSecurityScheme, Registry},
};

use crate::{
    api::{change_reason, http::Asker, instance::maintenance, sign_in::session_cookie},
    domain::{
        actor::{ADMIN_TOKEN_USER_ID, Actor},
        change_reason::ChangeReason,
        permission::{Grants, Permission},
        project::{ProjectScope, VisibleProject},
        secret::{self, PERSONAL_PREFIX, TokenKind},
        visibility::Visibility,
    },
    error::Error,
    state::State,
    store::{
        self,
        access::{Credential, Holder, Person},
    },
};

/// Name of the security scheme for the `Authorization` header with the bare secret.
pub const API_KEY_SCHEME: &str = "apiKey";
/// Name of the security scheme for the `Authorization` header with the `Bearer` prefix.
pub const BEARER_SCHEME: &str = "bearerToken";
/// Name of the security scheme for the session cookie.
pub const COOKIE_SCHEME: &str = "sessionCookie";

/// A caller who presented valid credentials for the administration API.
pub struct Caller {
    identity: Identity,
    state: State,
    /// Reason for the change that the request makes.
    reason: Option<ChangeReason>,
}

#[derive(Debug, Clone)]
enum Identity {
    Person(Arc<Holder>),
    AdminToken { name: String },
}

/// Grants of admin tokens.
static ADMIN: LazyLock<Grants> = LazyLock::new(Grants::admin);

impl std::fmt::Debug for Caller {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Caller").field("identity", &self.identity).finish_non_exhaustive()
    }
}

impl Caller {
    /// Actor of the caller's events, with the reason of the request.
    pub fn actor(&self) -> Actor {
        let actor = match &self.identity {
            Identity::Person(holder) => Actor::new(holder.person.id, &*holder.person.name),
            Identity::AdminToken { name } => Actor::new(ADMIN_TOKEN_USER_ID, &**name),
        };
        actor.because(self.reason.clone())
    }

    /// Label of the caller in the log of requests.
    fn words(&self) -> String {
        match &self.identity {
            Identity::Person(holder) => format!("user {}", holder.person.id),
            Identity::AdminToken { name } => format!("token {name}"),
        }
    }

    /// The person behind a session or personal token; an API token has none.
    pub fn person(&self) -> Option<&Person> {
        self.holder().map(|holder| &holder.person)
    }

    /// Person behind a session or personal token, with their grants; an API token has none.
    pub fn holder(&self) -> Option<&Holder> {
        match &self.identity {
            Identity::Person(holder) => Some(holder),
            Identity::AdminToken { .. } => None,
        }
    }

    /// Id of the user whose favourites and memberships count; an API token has none.
    pub fn user_id(&self) -> Option<i64> {
        self.person().map(|person| person.id)
    }

    /// Whether everything is allowed.
    pub fn is_admin(&self) -> bool {
        self.grants().is_admin()
    }

    /// Grants of the caller.
    pub fn grants(&self) -> &Grants {
        match &self.identity {
            Identity::Person(holder) => &holder.grants,
            Identity::AdminToken { .. } => &ADMIN,
        }
    }

    /// Requires a permission in the whole instance: 403 without it.
    pub fn require(&self, need: Permission) -> Result<(), Error> {
        self.require_any(&[need])
    }

    /// Requires any one of several permissions in the whole instance: 403 without.
    pub fn require_any(&self, needs: &[Permission]) -> Result<(), Error> {
        self.require_any_in(needs, None, None)
    }

    /// Requires a permission in one environment of a project: 403 without it, which names the environment.
    pub fn require_in(&self, project: &ProjectScope, need: Permission, environment: &str) -> Result<(), Error> {
        self.require_any_in(&[need], Some(project.id()), Some(environment))
    }

    /// Requires any one of several permissions in a project, or in one environment of it: 403 without, which names the
    /// environment.
    pub fn require_any_in(
        &self,
        needs: &[Permission],
        project: Option<&str>,
        environment: Option<&str>,
    ) -> Result<(), Error> {
        if needs.iter().any(|need| self.grants().allow(*need, project, environment)) {
            Ok(())
        } else {
            let environment = environment.map(str::to_owned);
            Err(Error::NoAccess { permissions: needs.to_vec(), environment })
        }
    }

    /// The person behind the credentials: 403 for an API token, which belongs to no person.
    pub fn require_person(&self) -> Result<&Person, Error> {
        self.person().ok_or_else(|| {
            Error::forbidden("An API token is nobody; sign in, or use a personal token, to do this for yourself.")
        })
    }

    /// The person who is signed in: 403 for tokens of every kind. A token that could make another would never end.
    pub fn require_session(&self) -> Result<&Person, Error> {
        let person = self.require_person()?;
        if self.holder().is_some_and(|holder| holder.token_id.is_some()) {
            return Err(Error::forbidden("A personal token makes no other tokens; sign in to make one."));
        }
        Ok(person)
    }

    /// The projects that the caller may see.
    pub async fn visibility(&self) -> Result<Visibility, Error> {
        match self.person() {
            Some(person) if !self.is_admin() => Ok(Visibility {
                hidden_projects: store::access::hidden_projects(&self.state.db, person.id).await?,
                sees_instance: false,
            }),
            _ => Ok(Visibility::everything()),
        }
    }

    /// A project that the caller may read: 404 when it does not exist, is archived, or is hidden from the caller.
    pub async fn visible_project(&self, id: &str) -> Result<VisibleProject, Error> {
        self.visible(id, store::projects::is_active(&self.state.db, id).await?).await
    }

    /// A project that the caller may read, in use or archived: 404 when it does not exist, or is hidden from the
    /// caller.
    pub async fn visible_project_in_use_or_not(&self, id: &str) -> Result<VisibleProject, Error> {
        self.visible(id, store::projects::exists(&self.state.db, id).await?).await
    }

    async fn visible(&self, id: &str, exists: bool) -> Result<VisibleProject, Error> {
        if exists && self.visibility().await?.admits(id) {
            Ok(VisibleProject::new(id))
        } else {
            Err(Error::not_found("project", id))
        }
    }
}

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

impl<'a> ApiExtractor<'a> for Caller {
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
        maintenance::check(&caller.state, request).await?;
        Ok(Self { reason: change_reason::of(request)?, ..caller })
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
        state.presence.saw(holder.person.id, holder.token_id, state.clock.now());
    }
    let caller = Caller { identity, state: state.clone(), reason: None };
    Asker::note(request, || caller.words());
    Ok(caller)
}

/// Returns the label that distinguishes callers: all credentials of a person are one caller. 401 without valid
/// credentials.
pub async fn identity(request: &Request) -> Result<String, Error> {
    let caller = identify(request).await?;
    Ok(match &caller.identity {
        Identity::Person(holder) => format!("user {}", holder.person.id),
        Identity::AdminToken { .. } => {
            let credential = request.headers().get(header::AUTHORIZATION).map(poem::http::HeaderValue::as_bytes);
            format!("token {}", secret::digest(&String::from_utf8_lossy(credential.unwrap_or_default())))
        }
    })
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
