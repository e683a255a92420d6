//! Signing in with a password, and signing out.

mod arrival;
pub mod client_keys;
mod cookies;
pub mod link;
pub mod log;
pub mod login_settings;
pub mod metadata_import;
pub mod metadata_refresh;
pub mod oidc;
pub mod options;
pub mod page;
pub mod password_reset;
pub mod password_settings;
mod pending;
pub mod policy;
pub mod provider_logout;
mod provider_sign_in;
mod providers;
mod responses;
pub mod saml;
mod saml_callback;
pub mod saml_logout;
pub mod second_factor_policy;
pub mod session_cookie;
pub mod signup;
pub mod signup_links;
pub mod trials;

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
        answer::{Fails, JSON, Out, meta_header, refusals},
        body::Body,
        client_address::ClientAddress,
        users::UserBody,
    },
    domain::{
        identity::Refusal,
        password, secret,
        sign_in_log::{Entry, Method, Outcome},
        time::HOUR_MS,
    },
    error::Error,
    sign_in::{
        in_force, log as sign_ins,
        second_factor::{self, Passed},
    },
    state::State,
    store::{self, access::people::Account, db::NoEvent, users::sessions::NewSession},
};

/// No user has this id.
const NOBODY: i64 = 0;

/// The operations that begin and end a session.
#[derive(Debug)]
pub struct SignInApi;

/// The operations in this folder and this file.
pub fn operations() -> impl OpenApi {
    (
        SignInApi,
        (login_settings::LoginSettingsApi, client_keys::ClientKeysApi),
        (metadata_import::MetadataImportApi, metadata_refresh::MetadataRefreshApi),
        oidc::OidcApi,
        link::LinkApi,
        log::SignInLogApi,
        options::OptionsApi,
        password_reset::PasswordResetApi,
        password_settings::PasswordSettingsApi,
        (policy::PolicyApi, second_factor_policy::SecondFactorPolicyApi),
        provider_logout::ProviderLogoutApi,
        (providers::ProvidersApi, provider_sign_in::ProviderSignInApi),
        saml::SamlApi,
        saml_logout::SamlLogoutApi,
        (signup::SignupApi, signup_links::SignupLinksApi),
        trials::TrialsApi,
    )
}

refusals! {
    /// Refusals of signing in.
    SignInRefusals = 400, 401, 403, 413, 415, 422, 429, 503;
    /// Refusals of signing out.
    SignOutRefusals = 403, 503;
}

/// User name and password, and a code for users who have a second factor.
#[derive(Object)]
#[oai(rename = "SignIn")]
pub struct SignInBody {
    /// User name, or email (case-insensitive). At most 255 characters.
    #[oai(validator(max_length = 255))]
    pub username: String,
    /// Password. At most 1000 characters.
    #[oai(validator(max_length = 1000))]
    pub password: String,
    /// Code of the second factor: the six digits of the authenticator app, or a recovery code. Blanks, hyphens and the
    /// case of letters do not matter. An empty text counts as absent. Ignored for users who have no second factor. At
    /// most 100 characters.
    #[oai(validator(max_length = 100))]
    pub code: Option<String>,
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
        let cookie = meta_header("Set-Cookie", "The session cookie.", true);
        MetaResponses { responses: vec![response_meta(200, "Signed in.", content, vec![cookie])] }
    }

    fn register(registry: &mut Registry) {
        UserBody::register(registry);
    }
}

/// 302 to the first page or to the login provider, without the cookie.
pub struct SignedOut {
    location: String,
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
            .header(header::LOCATION, self.location)
            .header(header::SET_COOKIE, self.cookie)
            .finish()
    }
}

impl ApiResponse for SignedOut {
    fn meta() -> MetaResponses {
        let headers = vec![
            meta_header("Location", "Redirect to the start page, or to the sign-out page of the login provider.", true),
            meta_header("Set-Cookie", "Removes the session cookie.", true),
        ];
        MetaResponses { responses: vec![response_meta(302, "Signed out. There is no body.", vec![], headers)] }
    }

    fn register(_: &mut Registry) {}
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
    /// Starts a session and sets its cookie, which authenticates the user on every operation under `/api/admin`. Needs
    /// no credentials. An unknown name and a wrong password get the same answer in the same time. An address has 10
    /// failed attempts, and regains one every 6 seconds. An account has 30 failed attempts from addresses where it was
    /// not signed in recently, and regains one every 20 seconds. A page of another origin is refused. 422 while password sign-in is
    /// disabled.
    ///
    /// For a user with a second factor, the right password without `code` is 401 `SecondFactorRequiredError`, and a
    /// code that is wrong or was used before is 401 `SecondFactorMismatchError`, which counts as a failed attempt;
    /// besides, a user has 10 wrong codes, and regains one every minute. Where the policy requires a second factor of a
    /// user who has none, the session can do nothing but enrol one: every other operation answers 403
    /// `SecondFactorEnrolmentError`.
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
        let (enabled, passwords) = in_force::ways(state).await?;
        if passwords.is_off(&enabled) {
            return Err(Error::PasswordsOff.into());
        }
        let counted = state.attempts.sign_in.count(&body.username, address)?;
        let (username, code) = (body.username.clone(), body.code.clone().filter(|code| !code.is_empty()));
        let account = match recognise(state, body).await {
            Ok(account) => account,
            Err(error) => {
                if matches!(error, Error::PasswordMismatch) {
                    // A name that no user has may be a password, typed into the wrong field.
                    let is_known = store::access::people::find_account(&state.db, &username).await?.is_some();
                    let named = is_known.then_some(username);
                    note(state, address, Outcome::Refused, Some("wrong-password"), None, named);
                }
                return Err(error.into());
            }
        };
        if account.deactivated_at.is_some() {
            let reason = Refusal::AccountInactive.code();
            note(state, address, Outcome::Refused, Some(reason), Some(account.id), Some(username));
            return Err(Error::PasswordMismatch.into());
        }
        if code.is_some() {
            state.attempts.second_factor.count(&account.id)?;
        }
        let session = secret::random_part();
        let now = state.clock.now();
        let lifetime_ms = state.config.session_hours.saturating_mul(HOUR_MS);
        let tx = state.db.begin().await?;
        let browser = session_cookie::browser_of(request, address)?;
        if let Some(earlier) = browser.earlier {
            store::users::sessions::end(&tx, &secret::digest(earlier)).await?;
        }
        // Meanwhile the password may have been changed or the user deactivated, which was to end every session.
        let held = store::users::hold(&tx, account.id).await?;
        let is_still = |held: &Account| held.password_hash == account.password_hash && held.deactivated_at.is_none();
        if !held.as_ref().is_some_and(is_still) {
            return Err(Error::PasswordMismatch.into());
        }
        let passed = match second_factor::pass(&tx, &state.vault, account.id, code.as_deref(), now).await {
            Ok(passed) => passed,
            Err(error) => {
                drop(tx);
                if matches!(error, Error::SecondFactorRequired) {
                    state.attempts.sign_in.give_back(counted);
                }
                let reason = second_factor::reason(&error);
                if reason.is_some() {
                    note(state, address, Outcome::Refused, reason, Some(account.id), Some(username));
                }
                return Err(error.into());
            }
        };
        store::access::people::note_sign_in(&tx, account.id, now).await?;
        let new = NewSession {
            digest: &secret::digest(&session),
            user_id: account.id,
            method: Method::Simple,
            client: browser.client.clone(),
            now,
            expires_at: now.plus_millis(lifetime_ms),
        };
        store::users::sessions::start(&tx, new).await?;
        tx.commit_without_event(NoEvent::SignIn).await?;
        state.attempts.sign_in.give_back(counted);
        state.attempts.sign_in.recognised(&account, address);
        if code.is_some() {
            state.attempts.second_factor.give_back(&account.id);
        }
        let reason = (passed == Passed::RecoveryCode).then_some(second_factor::RECOVERED);
        note(state, address, Outcome::SignedIn, reason, Some(account.id), Some(username));
        let account = Account { seen_at: Some(now), login_attempts: 0, ..account };
        let user = UserBody { root_role: None, ..UserBody::of(account) };
        Ok(SignedIn { user, cookie: session_cookie::set(&state.config, &session, lifetime_ms / 1000) })
    }

    /// Sign out
    ///
    /// Ends the session of the cookie, if there is one, deletes the cookie and redirects to the start page; when single
    /// sign-out is enabled, by way of the login provider of the session. Needs no credentials. A page of another origin
    /// is refused.
    #[oai(path = "/logout", method = "post", operation_id = "logout")]
    async fn sign_out(
        &self,
        request: &Request,
        Data(state): Data<&State>,
    ) -> Result<SignedOut, Fails<SignOutRefusals>> {
        session_cookie::require_own_page(request)?;
        let elsewhere = provider_logout::sign_out(state, request).await?;
        let location = elsewhere.unwrap_or_else(|| format!("{}/", state.config.base_url));
        Ok(SignedOut { location, cookie: session_cookie::set(&state.config, "", 0) })
    }
}

/// Notes in the log of sign-ins how an attempt with a password ended.
fn note(
    state: &State,
    address: ClientAddress,
    outcome: Outcome,
    reason: Option<&str>,
    user_id: Option<i64>,
    username: Option<String>,
) {
    let entry = Entry {
        reason: reason.map(str::to_owned),
        user_id,
        subject: username,
        address: address.ip().map(|address| address.to_string()),
        ..Entry::new(state.clock.now(), Method::Simple, outcome)
    };
    sign_ins::note(state, entry);
}

/// The person whose name and password these are.
///
/// The attempt is counted while the password is checked, and an unknown name has a count to raise as well, so that the
/// time of an answer does not distinguish known names from unknown ones; a good sign-in sets the count back.
async fn recognise(state: &State, body: SignInBody) -> Result<Account, Error> {
    let account = store::access::people::find_account(&state.db, &body.username).await?;
    let hash = account.as_ref().and_then(|account| account.password_hash.clone());
    let given = body.password.clone();
    let count = count_attempt(state, account.as_ref().map_or(NOBODY, |account| account.id));
    let (matches, counted) = tokio::join!(state.passwords.matches(body.password, hash), count);
    counted?;
    let account = account.filter(|_| matches.as_ref().is_ok_and(|matches| *matches));
    matches?;
    let account = account.ok_or(Error::PasswordMismatch)?;
    renew_hash(state, account, given).await
}

/// Puts one of our own hashes in the place of one that came from another server.
async fn renew_hash(state: &State, account: Account, password: String) -> Result<Account, Error> {
    let Some(foreign) = account.password_hash.clone().filter(|hash| password::is_foreign(hash)) else {
        return Ok(account);
    };
    let hash = state.passwords.hash(password.clone()).await?;
    let tx = state.db.begin().await?;
    let held = store::users::hold(&tx, account.id).await?.ok_or(Error::PasswordMismatch)?;
    // Meanwhile another sign-in may have done the same, or another password may have been set.
    if held.password_hash.as_deref() != Some(&foreign) {
        drop(tx);
        let matches = state.passwords.matches(password, held.password_hash.clone()).await?;
        return if matches { Ok(held) } else { Err(Error::PasswordMismatch) };
    }
    store::access::people::set_password_hash(&tx, account.id, Some(&hash)).await?;
    tx.commit_without_event(NoEvent::SignIn).await?;
    Ok(Account { password_hash: Some(hash), ..account })
}

async fn count_attempt(state: &State, user_id: i64) -> Result<(), Error> {
    let tx = state.db.begin().await?;
    store::access::people::count_failed_sign_in(&tx, user_id).await?;
    tx.commit_without_event(NoEvent::SignIn).await?;
    Ok(())
}
