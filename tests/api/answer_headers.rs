//! Headers that every answer carries for browsers and what lies between: never to guess its kind, and whether to keep
//! it.

use flagstone::{api::document::DOCUMENT, domain::secret::TokenKind};
use poem::http::Method;
use serde_json::json;

use crate::harness::{Answer, Client, TestApp};

const KEPT_NOWHERE: &str = "private, no-store";
const ASKED_AGAIN: &str = "private, no-cache";

#[track_caller]
fn assert_guarded(answer: &Answer, cache_control: &str, what: &str) {
    assert_eq!(answer.headers.get("x-content-type-options").expect(what), "nosniff", "{what}");
    assert_eq!(answer.headers.get("cache-control").expect(what), cache_control, "{what} {}", answer.status);
}

/// Every operation of the document, called by everybody, mostly in vain: refusals are answers, too.
#[tokio::test]
async fn every_answer_of_every_operation_is_private_and_of_the_kind_that_it_says() {
    let app = TestApp::new().await;
    let callers: Vec<Client> = vec![
        app.anonymous(),
        app.admin(),
        app.root_admin().await,
        app.program(&["*"], "development").await,
        app.browser(&["*"], "development").await,
    ];
    for (path, item) in DOCUMENT["paths"].as_object().expect("paths") {
        for method in item.as_object().expect("a path item").keys() {
            let method: Method = method.to_uppercase().parse().expect("a method");
            for caller in &callers {
                let answer = caller.request(method.clone(), &path.replace(['{', '}'], ""), &[], Vec::new()).await;
                let is_polled = !path.starts_with("/api/admin") && answer.headers["cache-control"] == ASKED_AGAIN;
                let expected = if is_polled { ASKED_AGAIN } else { KEPT_NOWHERE };
                assert_guarded(&answer, expected, &format!("{method} {path}"));
            }
        }
    }
}

#[tokio::test]
async fn what_is_no_operation_is_guarded_too() {
    let app = TestApp::new().await;
    let project = "/api/admin/projects/default";
    let tag = app.admin().get(project).await.headers["etag"].to_str().expect("text").to_owned();
    let unchanged = app.admin().request(Method::GET, project, &[("if-none-match", &tag)], vec![]).await;
    assert_eq!(unchanged.status, 304);
    let asks = [("origin", "https://shop.example.com"), ("access-control-request-method", "GET")];
    let preflight = app.anonymous().request(Method::OPTIONS, "/api/frontend", &asks, vec![]).await;
    assert_eq!(preflight.status, 204);
    for (answer, what) in [
        (unchanged, "304"),
        (preflight, "a preflight"),
        (app.admin().request(Method::HEAD, project, &[], vec![]).await, "HEAD"),
        (app.admin().request(Method::PUT, "/health", &[], vec![]).await, "405"),
        (app.anonymous().get("/nothing/here").await, "404"),
        (app.anonymous().get("/").await, "a redirect"),
        (app.anonymous().get("/docs/nothing.js").await, "404 among the pages"),
    ] {
        assert_guarded(&answer, KEPT_NOWHERE, what);
    }
}

/// Nobody's secrets, and large: browsers and proxies keep them and ask whether they are current.
#[tokio::test]
async fn the_pages_are_kept_by_everybody_and_framed_by_nobody() {
    let app = TestApp::new().await;
    for path in ["/docs/", "/docs/openapi/", "/docs/openapi.json", "/docs/openapi.yaml"] {
        let answer = app.anonymous().get(path).await;
        assert_guarded(&answer, "no-cache", path);
        let tag = answer.headers["etag"].to_str().expect("text").to_owned();
        let unchanged = app.anonymous().request(Method::GET, path, &[("if-none-match", &tag)], vec![]).await;
        assert_eq!(unchanged.status, 304);
        assert_guarded(&unchanged, "no-cache", path);
        if path.ends_with('/') {
            assert_eq!(answer.headers["referrer-policy"], "no-referrer");
            let policy = answer.headers["content-security-policy"].to_str().expect("text");
            assert!(policy.starts_with("default-src 'none'") && policy.ends_with("frame-ancestors 'none'"), "{policy}");
        }
    }
}

/// Programs send the tag back themselves, and so do the browsers in which some of them run.
#[tokio::test]
async fn what_programs_poll_is_asked_about_again_and_kept_for_one_reader() {
    let app = TestApp::new().await;
    let program = app.program(&["*"], "development").await;
    let secret = app.token(TokenKind::Frontend, &["*"], "development", None).await;
    let browser = app.with_authorization(&secret);
    for (client, path) in
        [(&program, "/api/client/features"), (&program, "/api/client/delta"), (&browser, "/api/frontend?userId=1")]
    {
        let answer = client.get(path).await;
        assert_guarded(&answer, ASKED_AGAIN, path);
        let tag = answer.headers["etag"].to_str().expect("text").to_owned();
        let unchanged = client.request(Method::GET, path, &[("if-none-match", &tag)], vec![]).await;
        assert_eq!(unchanged.status, 304, "{path}");
        assert_guarded(&unchanged, ASKED_AGAIN, path);
    }
    let evaluated = browser.post("/ofrep/v1/evaluate/flags", json!({ "context": { "targetingKey": "1" } })).await;
    assert_eq!(evaluated.status, 200);
    assert_guarded(&evaluated, ASKED_AGAIN, "OFREP");
    let stream = program.get("/api/client/streaming").await;
    assert_guarded(&stream, ASKED_AGAIN, "a stream");
}

#[tokio::test]
async fn what_a_caller_calls_a_request_comes_back_where_it_is_plain() {
    let app = TestApp::new().await;
    let longest = "x".repeat(128);
    for id in ["call-7", "1-5759e988-bd862e3fe1be46a994272793", "Root=1;x", "ops@example.com/a+b=.:_", &longest] {
        for path in ["/health", "/api/admin/projects/nothing", "/nothing"] {
            let answer = app.admin().request(Method::GET, path, &[("x-request-id", id)], vec![]).await;
            let told = answer.headers.get("x-request-id").map(|told| told.to_str().expect("text"));
            assert_eq!(told, (!id.contains(';')).then_some(id), "{path}");
        }
    }
    for id in ["", "two words", &format!("{longest}x"), "<script>"] {
        let answer = app.admin().request(Method::GET, "/health", &[("x-request-id", id)], vec![]).await;
        assert_eq!(answer.headers.get("x-request-id"), None, "{id}");
    }
    assert_eq!(app.admin().get("/health").await.headers.get("x-request-id"), None);
}
