//! The document and the pages that show it, served from the binary, which holds the pages compressed.

use std::{
    io::Read as _,
    sync::{Arc, LazyLock},
};

use bytes::Bytes;
use flate2::read::GzDecoder;
use poem::{
    Endpoint, IntoResponse, Request, Response, Route, get, handler,
    http::{HeaderMap, Method, StatusCode, header},
    web::{Data, Path, Redirect},
};
use xxhash_rust::xxh3::xxh3_128;

use crate::{
    api::{
        answer::JSON_UTF8,
        document,
        http::{AcceptsGzip, is_known},
    },
    error::Error,
    gzip::{self, Effort},
};

/// The page loads nothing from elsewhere, runs no inline script, and talks to this server alone.
const SWAGGER_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
    connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/// Besides, the style sheets that the reading view makes: empty ones that it fills rule by rule, and that of its
/// scroll bars, each named by the hash of its text. Its search runs in a worker that it brings along.
const READING_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' \
    'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=' 'sha256-QMIg+bpjm3JdElJ388KYke01izlUW0UoNOeKjpMxdgc='; \
    img-src 'self' data:; connect-src 'self'; worker-src blob:; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'";

/// The files of the pages by folder and name, compressed with gzip; the build script writes them down.
static FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/pages.rs"));

static JSON_DOCUMENT: LazyLock<Bytes> = LazyLock::new(|| compressed(&document::as_json()));
static YAML_DOCUMENT: LazyLock<Bytes> = LazyLock::new(|| compressed(&document::as_yaml()));

/// A folder of files that make up a page.
struct Page {
    folder: &'static str,
    policy: &'static str,
}

const READING: Page = Page { folder: "redoc", policy: READING_POLICY };
const SWAGGER: Page = Page { folder: "swagger-ui", policy: SWAGGER_POLICY };

/// The routes at and below `/docs`.
pub fn routes() -> Route {
    Route::new()
        .at("/docs", get(to_reading_page))
        .at("/docs/", get(reading_page))
        .at("/docs/:file", get(reading_file))
        .at("/docs/openapi.json", get(json_document))
        .at("/docs/openapi.yaml", get(yaml_document))
        .at("/docs/openapi", get(to_swagger_page))
        .at("/docs/openapi/", get(swagger_page))
        .at("/docs/openapi/:file", get(swagger_file))
}

/// Leads from the root of the server to the page to read; everything else goes on to the operations.
pub async fn from_the_root<E: Endpoint>(operations: Arc<E>, request: Request) -> poem::Result<Response> {
    if request.uri().path() == "/" && *request.method() == Method::GET {
        return Ok(Redirect::temporary("docs/").into_response());
    }
    operations.call(request).await.map(IntoResponse::into_response)
}

#[handler]
fn json_document(headers: &HeaderMap, Data(gzip): Data<&AcceptsGzip>) -> Response {
    answer(JSON_UTF8, JSON_DOCUMENT.clone(), headers, *gzip)
}

#[handler]
fn yaml_document(headers: &HeaderMap, Data(gzip): Data<&AcceptsGzip>) -> Response {
    answer("application/yaml; charset=utf-8", YAML_DOCUMENT.clone(), headers, *gzip)
}

/// The names of a page's files are relative to the final slash.
#[handler]
fn to_reading_page() -> Redirect {
    Redirect::permanent("docs/")
}

#[handler]
fn reading_page(headers: &HeaderMap, Data(gzip): Data<&AcceptsGzip>) -> Result<Response, Error> {
    READING.file("index.html", headers, *gzip)
}

#[handler]
fn reading_file(
    Path(name): Path<String>,
    headers: &HeaderMap,
    Data(gzip): Data<&AcceptsGzip>,
) -> Result<Response, Error> {
    READING.file(&name, headers, *gzip)
}

#[handler]
fn to_swagger_page() -> Redirect {
    Redirect::permanent("openapi/")
}

#[handler]
fn swagger_page(headers: &HeaderMap, Data(gzip): Data<&AcceptsGzip>) -> Result<Response, Error> {
    SWAGGER.file("index.html", headers, *gzip)
}

#[handler]
fn swagger_file(
    Path(name): Path<String>,
    headers: &HeaderMap,
    Data(gzip): Data<&AcceptsGzip>,
) -> Result<Response, Error> {
    SWAGGER.file(&name, headers, *gzip)
}

impl Page {
    fn file(&self, name: &str, headers: &HeaderMap, gzip: AcceptsGzip) -> Result<Response, Error> {
        let missing = || Error::not_found("page", name);
        let content_type = content_type(name).ok_or_else(missing)?;
        let is_meant = |path: &str| path.split_once('/') == Some((self.folder, name));
        let (_, file) = FILES.iter().find(|(path, _)| is_meant(path)).ok_or_else(missing)?;
        let answer = answer(content_type, Bytes::from_static(file), headers, gzip);
        Ok(answer
            .with_header(header::CONTENT_SECURITY_POLICY, self.policy)
            .with_header(header::REFERRER_POLICY, "no-referrer")
            .into_response())
    }
}

fn content_type(name: &str) -> Option<&'static str> {
    match name.rsplit_once('.')?.1 {
        "html" => Some("text/html; charset=utf-8"),
        "css" => Some("text/css; charset=utf-8"),
        "js" => Some("text/javascript; charset=utf-8"),
        "png" => Some("image/png"),
        _ => None,
    }
}

/// What is compressed, as its reader wants it. Readers keep it and ask whether it is still current.
fn answer(content_type: &str, content: Bytes, headers: &HeaderMap, gzip: AcceptsGzip) -> Response {
    let tag = format!("W/\"{:032x}\"", xxh3_128(&content));
    let response = Response::builder().header(header::ETAG, &tag).header(header::CACHE_CONTROL, "no-cache");
    if is_known(headers.get(header::IF_NONE_MATCH), &tag) {
        return response.status(StatusCode::NOT_MODIFIED).finish();
    }
    let response = response.content_type(content_type);
    match gzip {
        AcceptsGzip(true) => response.header(header::CONTENT_ENCODING, "gzip").body(content),
        AcceptsGzip(false) => response.body(expanded(&content)),
    }
}

fn compressed(text: &str) -> Bytes {
    gzip::compressed(text.as_bytes(), Effort::default()).into()
}

fn expanded(content: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(content.len() * 4);
    GzDecoder::new(content).read_to_end(&mut plain).expect("what was compressed here can be expanded");
    plain
}
