//! Answers that lead a browser on, and the refusals of those who do not get in.

use poem::{
    IntoResponse, Request, Response,
    http::{StatusCode, header},
};
use poem_openapi::{ApiResponse, payload::PlainText};

use crate::{
    api::{
        answer::refusals,
        client_address::ClientAddress,
        response_meta::{ResponseMeta, api_response},
        sign_in::{page, session_cookie},
    },
    clock,
    domain::{
        identity::Refusal,
        sign_in::ProviderKey,
        sign_in_log::{Entry, Method, Outcome},
    },
    error::Error,
    sign_in::{Refused, admission::Admitted, browser::Browser, identity_link, log},
    state::State,
};

/// The media type of pages.
const HTML: &str = "text/html; charset=utf-8";

refusals! {
    /// Refusals when a sign-in through a provider begins.
    BeginRefusals = 400, 401, 404, 424, 429, 503;
    /// Refusals when a user comes back from a provider.
    ArriveRefusals = 400, 401, 403, 404, 424, 429, 503;
}

/// 302 to somewhere, with cookies. Printing it shows nothing.
pub struct Redirect {
    location: String,
    cookies: Vec<String>,
}

opaque_debug!(Redirect);

impl Redirect {
    /// Leads to an address.
    pub const fn to(location: String) -> Self {
        Self { location, cookies: Vec::new() }
    }

    /// Returns the redirect with cookies to be set.
    #[must_use]
    pub fn with(mut self, cookies: impl IntoIterator<Item = String>) -> Self {
        self.cookies.extend(cookies);
        self
    }
}

impl IntoResponse for Redirect {
    fn into_response(self) -> Response {
        let mut response = Response::builder().status(StatusCode::FOUND).header(header::LOCATION, self.location);
        for cookie in self.cookies {
            response = response.header(header::SET_COOKIE, cookie);
        }
        response.finish()
    }
}

api_response!(Redirect, redirect(302));

fn redirect(status: u16) -> ResponseMeta {
    ResponseMeta::new(status, "Leads the browser on. There is no body.").header("Location", "Where the browser goes.")
}

/// A redirect with status 303, for an answer to a form.
#[derive(Debug)]
pub struct SeeOther(pub Redirect);

impl IntoResponse for SeeOther {
    fn into_response(self) -> Response {
        let mut response = self.0.into_response();
        response.set_status(StatusCode::SEE_OTHER);
        response
    }
}

api_response!(SeeOther, redirect(303));

/// Answer to a user who signed in: a redirect, or a page with their name. Printing it shows nothing.
pub enum CallbackResponse {
    /// Redirect.
    Redirect(Redirect),
    /// A page, and cookies to be set.
    Page(String, Vec<String>),
}

opaque_debug!(CallbackResponse);

impl CallbackResponse {
    /// The end of a trial.
    pub fn tried(cookies: Vec<String>) -> Self {
        let content = "<h1>The test is finished</h1>\n<p>Nobody was signed in. The page on which the test was started shows \
            the result.</p>";
        Self::Page(page::page("The test is finished", content), cookies)
    }
}

impl IntoResponse for CallbackResponse {
    fn into_response(self) -> Response {
        match self {
            Self::Redirect(onward) => onward.into_response(),
            Self::Page(html, cookies) => {
                let mut response = Response::builder().content_type(HTML);
                for cookie in cookies {
                    response = response.header(header::SET_COOKIE, cookie);
                }
                response.body(html)
            }
        }
    }
}

api_response!(
    CallbackResponse,
    redirect(302),
    ResponseMeta::new(200, "A page that shows who signed in, or that a test is finished.").text("text/html"),
);

/// The metadata of a SAML party.
#[derive(Debug, ApiResponse)]
pub enum Metadata {
    /// The metadata.
    #[oai(status = 200, content_type = "application/samlmetadata+xml")]
    Xml(PlainText<String>),
}

/// Request of a user who comes back from a login provider.
#[derive(Debug, Clone, Copy)]
pub struct Arriving<'a> {
    /// The request that brings them.
    pub request: &'a Request,
    /// The state of this server.
    pub state: &'a State,
    /// Address of the client.
    pub address: ClientAddress,
    /// Key of the provider.
    pub provider: &'a ProviderKey,
}

impl Arriving<'_> {
    /// Notes the reason of a refusal, and returns the error for the browser: less. An address with too many refusals
    /// has to wait.
    pub fn refuse(self, refused: impl Into<Refused>) -> Error {
        let refused = refused.into();
        let limit = self.state.attempts.provider_failure.count(&self.address.network());
        let refused = if limit.is_err() { Refusal::TooMany.into() } else { refused };
        let Refused { class, reason, expected, found, subject, user_id } = refused;
        let id = clock::new_uuid();
        tracing::debug!(error_id = %id, reason, "sign-in refused");
        let entry = Entry {
            reason: Some(reason.to_owned()),
            error_id: Some(id),
            expected,
            found,
            subject,
            user_id,
            ..self.entry(Outcome::Refused)
        };
        log::note(self.state, entry);
        match limit {
            Err(limit) => limit,
            Ok(()) => Error::SignIn { id, class },
        }
    }

    /// Notes a successful sign-in, and returns the cookie of the session.
    pub fn welcome(self, admitted: &Admitted, subject: &str) -> String {
        let entry = Entry {
            user_id: Some(admitted.user_id),
            subject: Some(subject.to_owned()),
            ..self.entry(Outcome::SignedIn)
        };
        if let Some(linked) = admitted.linked {
            let entry = Entry { outcome: Outcome::Linked, reason: Some(linked.to_owned()), ..entry.clone() };
            log::note(self.state, entry);
        }
        log::note(self.state, entry.clone());
        if let Some(left) = admitted.groups_left {
            log::note(self.state, Entry { outcome: Outcome::GroupsLeft, reason: Some(left.to_owned()), ..entry });
        }
        session_cookie::set(&self.state.config, &admitted.session, admitted.lasts_seconds)
    }

    /// Notes that a signed-in user linked an identity.
    pub fn linked(self, user_id: i64, subject: &str) {
        let entry = Entry {
            user_id: Some(user_id),
            subject: Some(subject.to_owned()),
            reason: Some(identity_link::LINKED.to_owned()),
            ..self.entry(Outcome::Linked)
        };
        log::note(self.state, entry);
    }

    /// The browser, with the session that it has already.
    ///
    /// A request that a page of another origin sent is refused: it would begin a session in the place of this one.
    pub fn browser(&self) -> Result<Browser<'_>, Error> {
        session_cookie::browser_of(self.request, self.address)
    }

    fn entry(self, outcome: Outcome) -> Entry {
        let address = self.address.ip().map(|address| address.to_string());
        let provider_id = self.provider.id.clone();
        Entry {
            address,
            provider_id,
            ..Entry::new(self.state.clock.now(), Method::from(self.provider.protocol), outcome)
        }
    }
}
