//! The session cookie: its name, how it is set, and from which requests it is taken.

use poem::{
    Request,
    http::{HeaderName, HeaderValue, Method, header, uri::Authority},
};

use crate::{
    api::{
        client_address::{ClientAddress, forwarded, is_by_trusted_proxy},
        http::Attached as _,
        sign_in::cookies,
    },
    config::Config,
    domain::{
        page_origin::{Page, Place, is_https},
        session::Client,
    },
    error::Error,
    sign_in::browser::Browser,
    state::State,
};

/// Name of the cookie where the public address is http: the one that existing scripts know.
pub const NAME: &str = "unleash-session";
/// Its name where that is https. Browsers take a cookie of such a name from this host alone, so that no neighbour in
/// the domain can plant a session of its own; what is called [`NAME`] does not count there.
pub const HOST_NAME: &str = "__Host-unleash-session";

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

const fn name(is_secure: bool) -> &'static str {
    if is_secure { HOST_NAME } else { NAME }
}

/// The secret in the cookie, if the request carries one; 403 as for [`require_own_page`]. There is no other way to it.
pub fn secret_of(request: &Request) -> Result<Option<&str>, Error> {
    let name = name(is_https(&State::of(request).config.base_url));
    let secret = cookies::of(request).find(|(given, _)| *given == name);
    if secret.is_some() {
        require_own_page(request)?;
    }
    Ok(secret.map(|(_, secret)| secret))
}

/// The browser of a request, with the session that it has already; 403 as for [`require_own_page`].
pub fn browser_of(request: &Request, address: ClientAddress) -> Result<Browser<'_>, Error> {
    let name = request.headers().get(header::USER_AGENT).map(HeaderValue::as_bytes);
    Ok(Browser { earlier: secret_of(request)?, client: Client::new(address, name) })
}

/// Refuses a request that changes something, or may, when a page of another origin made the browser send it: 403.
///
/// Signing in and out ask this even without a cookie: their answers set one, and browsers keep that of an answer to a
/// request which went without.
pub fn require_own_page(request: &Request) -> Result<(), Error> {
    if matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS) {
        return Ok(());
    }
    // What is no text is the origin of no page of ours.
    let values =
        |name: HeaderName| request.headers().get_all(name).into_iter().map(|value| value.to_str().unwrap_or("?"));
    let page = Page { origins: values(header::ORIGIN).collect(), site: values(SEC_FETCH_SITE).next() };
    let believed = if is_by_trusted_proxy(request) { forwarded::hosts(request.headers()) } else { Vec::new() };
    // With HTTP/2 the host stands in the address.
    let authority = request.original_uri().authority().map(Authority::as_str);
    let hosts = values(header::HOST).chain(authority).chain(believed.iter().map(|host| &**host)).collect();
    let place = Place { base_url: &State::of(request).config.base_url, hosts };
    let Some((header, value)) = page.foreign_by(&place) else { return Ok(()) };
    let message = format!(
        "This would change something for whoever is signed in, and was sent by a page of another origin: `{header}` is \
         \"{value}\". If that is this server's own address, a proxy between does not pass the header Host on: it must, \
         or FLAGSTONE_BASE_URL must be that address."
    );
    Err(Error::Forbidden { name: "ForbiddenError", message })
}

/// The header that sets the cookie for so many seconds; that takes it away with 0.
pub fn set(config: &Config, secret: &str, max_age_seconds: i64) -> String {
    cookies::set(config, name(is_https(&config.base_url)), secret, max_age_seconds)
}
