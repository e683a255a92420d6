//! The document and the page that shows it, served from the binary.

use poem::{
    Response, Route, get, handler,
    http::{StatusCode, header},
    web::{Path, Redirect},
};
use rust_embed::RustEmbed;

use crate::{
    api::{answer::JSON_UTF8, document},
    error::Error,
};

/// The page loads nothing from elsewhere, runs no inline script, and talks to this server alone.
const PAGE_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
    connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

#[derive(RustEmbed)]
#[folder = "swagger-ui/"]
struct Page;

/// The routes below `/docs`.
pub fn routes() -> Route {
    Route::new()
        .at("/openapi.json", get(json_document))
        .at("/openapi.yaml", get(yaml_document))
        .at("/openapi", get(to_page))
        .at("/openapi/", get(page))
        .at("/openapi/:file", get(asset))
}

#[handler]
fn json_document() -> Response {
    Response::builder().content_type(JSON_UTF8).body(document::as_json())
}

#[handler]
fn yaml_document() -> Response {
    Response::builder().content_type("application/yaml; charset=utf-8").body(document::as_yaml())
}

#[handler]
fn to_page() -> Redirect {
    Redirect::permanent("openapi/")
}

#[handler]
fn page() -> Result<Response, Error> {
    embedded("index.html")
}

#[handler]
fn asset(Path(name): Path<String>) -> Result<Response, Error> {
    embedded(&name)
}

fn embedded(name: &str) -> Result<Response, Error> {
    let content_type = content_type(name).ok_or_else(|| Error::not_found("page", name))?;
    let file = Page::get(name).ok_or_else(|| Error::not_found("page", name))?;
    Ok(Response::builder()
        .status(StatusCode::OK)
        .content_type(content_type)
        .header(header::CONTENT_SECURITY_POLICY, PAGE_POLICY)
        .header(header::X_CONTENT_TYPE_OPTIONS, "nosniff")
        .header(header::REFERRER_POLICY, "no-referrer")
        .body(file.data.into_owned()))
}

fn content_type(name: &str) -> Option<&'static str> {
    match name.rsplit_once('.')?.1 {
        "html" => Some("text/html; charset=utf-8"),
        "css" => Some("text/css; charset=utf-8"),
        "js" => Some("text/javascript; charset=utf-8"),
        "png" => Some("image/png"),
        "svg" => Some("image/svg+xml"),
        _ => None,
    }
}
