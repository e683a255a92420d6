//! Signing in with a password, and signing out.

use poem::{
    IntoResponse, Request, Response,
    http::{StatusCode, header},
    web::Data,
};
use poem_openapi::{
    ApiResponse, Object, OpenApi,
    registry::{MetaHeader, MetaMediaType, MetaResponse, MetaResponses, Registry},
    types::Type,
};

use crate::{
    api::{
        Tag,
        answer::{Fails, JSON, Out, refusals},
        body::Body,
        client_address::ClientAddress,
        session_cookie,
        state::State,
        users::UserBody,
    },
    domain::{secret, time::HOUR_MS},
    error::Error,
    store::{self, people::Account},
};

/// No user has this id.
const NOBODY: i64 = 0;

/// The operations that begin and end a session.
#[derive(Debug)]
pub struct SignInApi;

refusals! {
    /// What can go wrong when signing in.
    SignInRefusals = 400, 401, 403, 413, 415, 429, 503;
    /// What can go wrong when signing out.
    SignOutRefusals = 403, 503;
}

/// Name and password of a person.
#[derive(Object)]
#[oai(rename = "SignIn")]
pub struct SignInBody {
    /// User name, or email in any case. At most 255 characters.
    #[oai(validator(max_length = 255))]
    pub username: String,
    /// Password. At most 1000 characters.
    #[oai(validator(max_length = 1000))]
    pub password: String,
}

impl std::fmt::Debug for SignInBody {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SignInBody").finish_non_exhaustive()
    }
}

/// 200 with the person and the cookie of their session.
pub struct SignedIn {
    user: UserBody,
    cookie: String,
}

impl std::fmt::Debug for SignedIn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SignedIn").field("user", &self.user).finish_non_exhaustive()
    }
}

impl IntoResponse for SignedIn {
    fn into_response(self) -> Response {
        Out(self.user).with_header(header::SET_COOKIE, self.cookie).into_response()
    }
}

impl ApiResponse for SignedIn {
    fn meta() -> MetaResponses {
        let content = vec![MetaMediaType { content_type: JSON, schema: UserBody::schema_ref() }];
        let cookie = header_meta("Set-Cookie", "The session cookie.");
        MetaResponses { responses: vec![response_meta(200, "Signed in.", content, vec![cookie])] }
    }

    fn register(registry: &mut Registry) {
        UserBody::register(registry);
    }
}

/// 302 to the first page, without the cookie.
pub struct SignedOut {
    cookie: String,
}

impl std::fmt::Debug for SignedOut {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SignedOut")
    }
}

impl IntoResponse for SignedOut {
    fn into_response(self) -> Response {
        Response::builder()
            .status(StatusCode::FOUND)
            .header(header::LOCATION, "/")
            .header(header::SET_COOKIE, self.cookie)
            .finish()
    }
}

impl ApiResponse for SignedOut {
    fn meta() -> MetaResponses {
        let headers =
            vec![header_meta("Location", "The first page."), header_meta("Set-Cookie", "Removes the session cookie.")];
        MetaResponses { responses: vec![response_meta(302, "Signed out. There is no body.", vec![], headers)] }
    }

    fn register(_: &mut Registry) {}
}

fn header_meta(name: &str, description: &str) -> MetaHeader {
    MetaHeader {
        name: name.to_owned(),
        description: Some(description.to_owned()),
        required: true,
        deprecated: false,
        schema: String::schema_ref(),
    }
}

fn response_meta(
    status: u16,
    description: &'static str,
    content: Vec<MetaMediaType>,
    headers: Vec<MetaHeader>,
) -> MetaResponse {
    MetaResponse { description, status: Some(status), status_range: None, content, headers }
}

#[OpenApi(tag = "Tag::Authentication")]
impl SignInApi {
    /// Sign in with a password
    ///
    /// Starts a session and sets its cookie, which then stands for the person on every operation under `/api/admin`.
    /// Needs no credentials. An unknown name and a wrong password are told apart neither by the answer nor by the time
    /// it takes. One address has 10 attempts, and gets back one every 6 seconds. One account has 30 attempts from
    /// addresses where it was not signed in lately, and gets back one every 20 seconds. A page of another origin is
    /// refused.
    #[oai(path = "/auth/simple/login", method = "post", operation_id = "login")]
    async fn sign_in(
        &self,
        request: &Request,
        address: ClientAddress,
        Data(state): Data<&State>,
        body: Body<SignInBody>,
    ) -> Result<SignedIn, Fails<SignInRefusals>> {
        session_cookie::require_own_page(request)?;
        let body = body.read()?;
        state.attempts.sign_in.count(&body.username, address)?;
        let account = recognise(state, body).await?;
        let session = secret::random_part();
        let now = state.clock.now();
        let lifetime_ms = state.config.session_hours.saturating_mul(HOUR_MS);
        let tx = state.db.begin().await?;
        if let Some(earlier) = session_cookie::secret_of(request)? {
            store::sessions::end(&tx, &secret::digest(earlier)).await?;
        }
        // Meanwhile the password may have been changed, which was to end every session that it began.
        let held = store::users::hold(&tx, account.id).await?;
        if held.is_none_or(|held| held.password_hash != account.password_hash) {
            return Err(Error::PasswordMismatch.into());
        }
        store::people::note_sign_in(&tx, account.id, now).await?;
        let expires_at = now.plus_millis(lifetime_ms);
        store::sessions::start(&tx, &secret::digest(&session), account.id, now, expires_at).await?;
        tx.commit(now, []).await?;
        state.attempts.sign_in.recognised(&account, address);
        let account = Account { seen_at: Some(now), login_attempts: 0, ..account };
        let user = UserBody { root_role: None, ..UserBody::of(account) };
        Ok(SignedIn { user, cookie: session_cookie::set(&state.config, &session, lifetime_ms / 1000) })
    }

    /// Sign out
    ///
    /// Ends the session of the cookie, if there is one, removes the cookie and leads to the first page. Needs no
    /// credentials. A page of another origin is refused.
    #[oai(path = "/logout", method = "post", operation_id = "logout")]
    async fn sign_out(
        &self,
        request: &Request,
        Data(state): Data<&State>,
    ) -> Result<SignedOut, Fails<SignOutRefusals>> {
        session_cookie::require_own_page(request)?;
        end_session(state, request).await?;
        Ok(SignedOut { cookie: session_cookie::set(&state.config, "", 0) })
    }
}

/// The person whose name and password these are.
///
/// The attempt is counted while the password is checked, and for a name that nobody has there is a count to raise that
/// nobody has, so that the time of an answer does not tell known names from unknown ones; a good sign-in sets the count
/// back.
async fn recognise(state: &State, body: SignInBody) -> Result<Account, Error> {
    let account = store::people::find_account(&state.db, &body.username).await?;
    let hash = account.as_ref().and_then(|account| account.password_hash.clone());
    let count = count_attempt(state, account.as_ref().map_or(NOBODY, |account| account.id));
    let (matches, counted) = tokio::join!(state.passwords.matches(body.password, hash), count);
    counted?;
    if matches? { account.ok_or(Error::PasswordMismatch) } else { Err(Error::PasswordMismatch) }
}

async fn count_attempt(state: &State, user_id: i64) -> Result<(), Error> {
    let tx = state.db.begin().await?;
    store::people::count_failed_sign_in(&tx, user_id).await?;
    tx.commit(state.clock.now(), []).await?;
    Ok(())
}

async fn end_session(state: &State, request: &Request) -> Result<(), Error> {
    if let Some(session) = session_cookie::secret_of(request)? {
        let tx = state.db.begin().await?;
        store::sessions::end(&tx, &secret::digest(session)).await?;
        tx.commit(state.clock.now(), []).await?;
    }
    Ok(())
}
