//! Signing in with a password, and signing out.

mod arrival;
mod author;
pub mod client_keys;
mod cookies;
mod further_logout;
pub mod link;
pub mod log;
pub mod login_settings;
pub mod metadata_import;
pub mod metadata_refresh;
pub mod oidc;
pub mod options;
mod own_identities;
pub mod page;
pub mod passkeys;
pub mod password_reset;
pub mod password_settings;
mod pending;
pub mod policy;
pub mod provider_logout;
mod provider_sign_in;
mod provider_trials;
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
use poem_openapi::{Object, OpenApi};

use crate::{
    api::{
        Tag,
        answer::{Fails, Out, refusals},
        body::Body,
        client_address::SentFrom,
        response_meta::{ResponseMeta, api_response},
        sign_in::passkeys::PasskeyAnswerBody,
        users::UserBody,
    },
    error::Error,
    sign_in::{
        browser::BegunSession,
        in_force,
        password::{self, Credentials},
    },
    state::State,
    store::access::people::Account,
};

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
        (password_reset::PasswordResetApi, password_settings::PasswordSettingsApi),
        passkeys::PasskeySignInApi,
        (policy::PolicyApi, second_factor_policy::SecondFactorPolicyApi),
        (provider_logout::ProviderLogoutApi, further_logout::FurtherLogoutApi),
        (providers::ProvidersApi, provider_trials::ProviderTrialsApi),
        (provider_sign_in::ProviderSignInApi, own_identities::OwnIdentitiesApi),
        (saml::SamlApi, saml_logout::SamlLogoutApi),
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

/// User name and password, and a proof for users who have a second factor.
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
    /// Answer of a passkey, instead of a code. Ignored for users who have no second factor.
    pub passkey: Option<PasskeyAnswerBody>,
}

opaque_debug!(SignInBody { .. });

/// 200 with the person and the cookie of their session.
pub struct SignedIn {
    user: UserBody,
    cookie: String,
}

opaque_debug!(SignedIn { user, .. });

impl SignedIn {
    /// The answer for a session that has begun.
    fn of(state: &State, account: Account, session: &BegunSession) -> Self {
        let account = Account { seen_at: Some(state.clock.now()), login_attempts: 0, ..account };
        let user = UserBody { root_role: None, ..UserBody::of(account) };
        Self { user, cookie: session_cookie::set(&state.config, &session.secret, session.lasts_seconds) }
    }
}

impl IntoResponse for SignedIn {
    fn into_response(self) -> Response {
        Out(self.user).with_header(header::SET_COOKIE, self.cookie).into_response()
    }
}

api_response!(
    SignedIn,
    ResponseMeta::new(200, "Signed in.").json::<UserBody>().header("Set-Cookie", "The session cookie."),
);

/// 302 to the first page or to the login provider, without the cookie.
pub struct SignedOut {
    location: String,
    cookie: String,
}

opaque_debug!(SignedOut);

impl IntoResponse for SignedOut {
    fn into_response(self) -> Response {
        Response::builder()
            .status(StatusCode::FOUND)
            .header(header::LOCATION, self.location)
            .header(header::SET_COOKIE, self.cookie)
            .finish()
    }
}

api_response!(
    SignedOut,
    ResponseMeta::new(302, "Signed out. There is no body.")
        .header("Location", "Redirect to the start page, or to the sign-out page of the login provider.")
        .header("Set-Cookie", "Removes the session cookie."),
);

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
    /// For a user with a second factor, the right password without `code` and `passkey` is 401
    /// `SecondFactorRequiredError`. A code that is wrong or was used before is 401 `SecondFactorMismatchError`, a passkey
    /// that proves nothing 401 `PasskeyMismatchError`; both count as a failed attempt, and besides, a user has 10 of them,
    /// and regains one every minute. `passkey` is 422 where the public URL of the server allows none. Where the policy
    /// requires a second factor of a user who has none, the session can do nothing but enrol one: every other operation
    /// answers 403 `SecondFactorEnrolmentError`.
    #[oai(path = "/auth/simple/login", method = "post", operation_id = "login")]
    async fn sign_in(
        &self,
        request: &Request,
        SentFrom(address): SentFrom,
        Data(state): Data<&State>,
        body: Body<SignInBody>,
    ) -> Result<SignedIn, Fails<SignInRefusals>> {
        session_cookie::require_own_page(request)?;
        let SignInBody { username, password, code, passkey } = body.read()?;
        let (enabled, passwords) = in_force::ways(state).await?;
        if passwords.is_off(&enabled) {
            return Err(Error::PasswordsOff.into());
        }
        let proof = passkeys::proof_of(code, passkey)?;
        let browser = session_cookie::browser_of(request, address)?;
        let credentials = Credentials { username, password, proof };
        let (account, session) = password::sign_in(state, credentials, &browser, address).await?;
        Ok(SignedIn::of(state, account, &session))
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
