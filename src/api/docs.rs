//! The document and the pages that show it, served from the binary.

use std::sync::{Arc, LazyLock, OnceLock};

use bytes::Bytes;
use poem::{
    Endpoint, IntoResponse, Request, Response, Route, get, handler,
    http::{HeaderMap, Method},
    web::{Data, Path, Redirect},
};

use crate::{
    api::{
        answer::JSON_UTF8,
        document,
        http::AcceptsGzip,
        pages::{self, Kept, Page},
    },
    error::Error,
    gzip::{self, Effort},
    state::State,
};

/// Content security policy of Swagger UI: the page loads nothing of other origins, runs no inline script, and talks to
/// this server alone.
const SWAGGER_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
    connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/// Content security policy of the reading view. It also has the style sheets that the view makes: empty ones that it
/// fills rule by rule, and that of its scroll bars, each named by the hash of its text. Its search runs in a worker
/// that it brings along.
const READING_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' \
    'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=' 'sha256-QMIg+bpjm3JdElJ388KYke01izlUW0UoNOeKjpMxdgc='; \
    img-src 'self' data:; connect-src 'self'; worker-src blob:; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'";

/// The document of a server whose public address has no path.
static AT_THE_ROOT: LazyLock<Documents> = LazyLock::new(|| Documents::below("/"));
/// The document of the first server of the process whose public address has a path; usually there is no other.
static BELOW: OnceLock<(String, Documents)> = OnceLock::new();

/// The document in both forms, compressed.
#[derive(Clone)]
struct Documents {
    json: Bytes,
    yaml: Bytes,
}

impl Documents {
    /// The document of the server that has this path.
    fn below(path: &str) -> Self {
        Self { json: compressed(&document::as_json_below(path)), yaml: compressed(&document::as_yaml_below(path)) }
    }

    fn of(state: &State) -> Self {
        let path = state.config.base_path();
        if path.is_empty() {
            return AT_THE_ROOT.clone();
        }
        let (of, documents) = BELOW.get_or_init(|| (path.to_owned(), Self::below(path)));
        if of == path { documents.clone() } else { Self::below(path) }
    }
}

const READING: Page = Page { folder: "redoc", policy: READING_POLICY, referrers: "no-referrer" };
const SWAGGER: Page = Page { folder: "swagger-ui", policy: SWAGGER_POLICY, referrers: "no-referrer" };

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

/// Leads from the root of the server to the console; everything else goes on to the operations.
pub async fn from_the_root<E: Endpoint>(operations: Arc<E>, request: Request) -> poem::Result<Response> {
    if request.uri().path() == "/" && *request.method() == Method::GET {
        return Ok(Redirect::temporary("console/").into_response());
    }
    operations.call(request).await.map(IntoResponse::into_response)
}

#[handler]
fn json_document(headers: &HeaderMap, Data(gzip): Data<&AcceptsGzip>, Data(state): Data<&State>) -> Response {
    pages::answer(JSON_UTF8, Documents::of(state).json, Kept::WhileCurrent, headers, *gzip)
}

#[handler]
fn yaml_document(headers: &HeaderMap, Data(gzip): Data<&AcceptsGzip>, Data(state): Data<&State>) -> Response {
    pages::answer("application/yaml; charset=utf-8", Documents::of(state).yaml, Kept::WhileCurrent, headers, *gzip)
}

/// The names of a page's files are relative to the final slash.
#[handler]
fn to_reading_page() -> Redirect {
    Redirect::permanent("docs/")
}

#[handler]
fn reading_page(headers: &HeaderMap, Data(gzip): Data<&AcceptsGzip>) -> Result<Response, Error> {
    READING.file("index.html", Kept::WhileCurrent, headers, *gzip)
}

#[handler]
fn reading_file(
    Path(name): Path<String>,
    headers: &HeaderMap,
    Data(gzip): Data<&AcceptsGzip>,
) -> Result<Response, Error> {
    READING.file(&name, Kept::WhileCurrent, headers, *gzip)
}

#[handler]
fn to_swagger_page() -> Redirect {
    Redirect::permanent("openapi/")
}

#[handler]
fn swagger_page(headers: &HeaderMap, Data(gzip): Data<&AcceptsGzip>) -> Result<Response, Error> {
    SWAGGER.file("index.html", Kept::WhileCurrent, headers, *gzip)
}

#[handler]
fn swagger_file(
    Path(name): Path<String>,
    headers: &HeaderMap,
    Data(gzip): Data<&AcceptsGzip>,
) -> Result<Response, Error> {
    SWAGGER.file(&name, Kept::WhileCurrent, headers, *gzip)
}

fn compressed(text: &str) -> Bytes {
    gzip::compressed(text.as_bytes(), Effort::default()).into()
}
