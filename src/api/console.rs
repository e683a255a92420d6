//! The console, served from the binary: one page for every address below `/console/`, and the files that it loads.

use poem::{
    IntoResponse as _, Request, Response, Route, get, handler,
    http::{HeaderValue, Uri, header},
    web::{Data, Path, Redirect},
};

use crate::{
    api::{
        caller,
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
/// Mark in the page that it was asked for without a valid session, so that the console need not find out by a request
/// that is refused.
const NO_SESSION: &str = "<meta name=\"flagstone-session\" content=\"none\" />";

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
async fn page(request: &Request, Data(gzip): Data<&AcceptsGzip>, Data(state): Data<&State>) -> Result<Response, Error> {
    page_at(state.config.base_path(), request, *gzip).await
}

/// An address of the console itself answers the page, which knows what to show there. A file that is missing is no
/// page: the tab of an older console must learn that it is gone.
#[handler]
async fn file_or_page(
    Path(path): Path<String>,
    request: &Request,
    Data(gzip): Data<&AcceptsGzip>,
    Data(state): Data<&State>,
) -> Result<Response, Error> {
    let headers = request.headers();
    match path.as_str() {
        "licences" => CONSOLE.file("licences.md", Kept::WhileCurrent, headers, *gzip),
        "scheme.js" | "stone.svg" => CONSOLE.file(&path, Kept::WhileCurrent, headers, *gzip),
        asset if asset.starts_with("assets/") => CONSOLE.file(asset, Kept::ForAYear, headers, *gzip),
        _ => page_at(state.config.base_path(), request, *gzip).await,
    }
}

async fn page_at(base_path: &str, request: &Request, gzip: AcceptsGzip) -> Result<Response, Error> {
    let (headers, base_path) = (request.headers(), base_path.trim_end_matches('/'));
    let is_marked = caller::has_no_session(request).await;
    if base_path.is_empty() && !is_marked {
        return CONSOLE.file("index.html", Kept::WhileCurrent, headers, gzip);
    }
    let text = CONSOLE.text("index.html").ok_or_else(|| Error::not_found("page", "index.html"))?;
    let escaped = base_path.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;");
    let mark = if is_marked { NO_SESSION } else { "" };
    let placed = text.replace(BASE, &format!("{mark}<base href=\"{escaped}/console/\""));
    let content = gzip::compressed(placed.as_bytes(), Effort::default());
    // A marked page is out of date as soon as somebody signs in: browsers must not go back to it.
    let kept = if is_marked { Kept::Never } else { Kept::WhileCurrent };
    Ok(CONSOLE.guarded(pages::answer("text/html; charset=utf-8", content.into(), kept, headers, gzip)))
}
