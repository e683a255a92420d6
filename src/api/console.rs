//! The console, served from the binary: one page for every address below `/console/`, and the files that it loads.

use poem::{
    IntoResponse as _, Response, Route, get, handler,
    http::{HeaderMap, HeaderValue, Uri, header},
    web::{Data, Path, Redirect},
};

use crate::{
    api::{
        http::AcceptsGzip,
        pages::{self, Kept, Page},
    },
    error::Error,
    gzip::{self, Effort},
    state::State,
};

/// Content security policy: nothing of other origins, no inline script or style. Forms may lead to login providers,
/// where users sign out.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; \
    connect-src 'self'; base-uri 'self'; form-action 'self' https:; frame-ancestors 'none'";

/// Files of the console. Browsers send the server the origin of its own forms, since it refuses those of others.
const CONSOLE: Page = Page { folder: "console", policy: POLICY, referrers: "same-origin" };
/// Base address in the page, which is another behind a proxy.
const BASE: &str = "<base href=\"/console/\"";

/// The routes at and below `/console`.
pub fn routes() -> Route {
    Route::new().at("/console", get(to_page)).at("/console/", get(page)).at("/console/*path", get(file_or_page))
}

/// Redirects a link that a user was sent, which has the address that Unleash gave it, to the page for setting a
/// password, or for signing up.
#[handler]
pub fn to_link(uri: &Uri) -> Response {
    let query = uri.query().unwrap_or_default();
    let place = if query.starts_with("invite=") { "join" } else { "reset" };
    let mut answer = Redirect::see_other(format!("console/{place}?{query}")).into_response();
    let headers = answer.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    answer
}

#[handler]
fn to_page() -> Redirect {
    Redirect::permanent("console/")
}

#[handler]
fn page(headers: &HeaderMap, Data(gzip): Data<&AcceptsGzip>, Data(state): Data<&State>) -> Result<Response, Error> {
    page_at(state.config.base_path(), headers, *gzip)
}

/// An address of the console itself answers the page, which knows what to show there. A file that is missing is no
/// page: the tab of an older console must learn that it is gone.
#[handler]
fn file_or_page(
    Path(path): Path<String>,
    headers: &HeaderMap,
    Data(gzip): Data<&AcceptsGzip>,
    Data(state): Data<&State>,
) -> Result<Response, Error> {
    match path.as_str() {
        "licences" => CONSOLE.file("licences.md", Kept::WhileCurrent, headers, *gzip),
        "scheme.js" | "stone.svg" => CONSOLE.file(&path, Kept::WhileCurrent, headers, *gzip),
        asset if asset.starts_with("assets/") => CONSOLE.file(asset, Kept::ForAYear, headers, *gzip),
        _ => page_at(state.config.base_path(), headers, *gzip),
    }
}

fn page_at(base_path: &str, headers: &HeaderMap, gzip: AcceptsGzip) -> Result<Response, Error> {
    let base_path = base_path.trim_end_matches('/');
    if base_path.is_empty() {
        return CONSOLE.file("index.html", Kept::WhileCurrent, headers, gzip);
    }
    let text = CONSOLE.text("index.html").ok_or_else(|| Error::not_found("page", "index.html"))?;
    let escaped = base_path.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;");
    let placed = text.replace(BASE, &format!("<base href=\"{escaped}/console/\""));
    let content = gzip::compressed(placed.as_bytes(), Effort::default());
    Ok(CONSOLE.guarded(pages::answer("text/html; charset=utf-8", content.into(), Kept::WhileCurrent, headers, gzip)))
}
