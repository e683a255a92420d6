//! The console's page and files, whatever stands on them.

use flagstone::{config::Config, domain::time::DAY_MS};
use poem::http::Method;

use crate::harness::{Client, TestApp};

const MARK: &str = "<meta name=\"flagstone-session\" content=\"none\" />";

#[tokio::test]
async fn every_address_of_the_console_answers_its_page() {
    let app = TestApp::new().await;
    let ada = app.in_session(&app.viewer().await).await;
    let page = ada.get("/console/").await;
    assert_eq!(page.status, 200);
    assert!(page.text.contains("<base href=\"/console/\""), "{}", page.text);
    assert!(!page.text.contains("://"), "it refers to another host: {}", page.text);
    assert_eq!(page.headers["cache-control"], "no-cache");
    assert_eq!(page.headers["referrer-policy"], "same-origin");
    let policy = page.headers["content-security-policy"].to_str().expect("text");
    assert!(policy.starts_with("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
    for path in ["/console/features?project=IS:shop", "/console/projects/a.b/features/c.js/usage", "/console/no/such"] {
        let same = ada.get(path).await;
        assert_eq!((same.status, &same.text), (200, &page.text), "{path}");
    }
    let tag = page.headers["etag"].to_str().expect("text");
    let again = ada.request(Method::GET, "/console/", &[("if-none-match", tag)], vec![]).await;
    assert_eq!((again.status, again.text.as_str()), (304, ""));
}

/// So that the console asks nothing that is refused to those who have to sign in first.
#[tokio::test]
async fn the_page_says_that_nobody_is_signed_in_and_is_not_kept_then() {
    let app = TestApp::new().await;
    let ada = app.in_session(&app.viewer().await).await;
    let page = ada.get("/console/").await;
    assert!(!page.text.contains(MARK), "{}", page.text);
    let tag = page.headers["etag"].to_str().expect("text");
    let marked = async |client: &Client, headers: &[(&str, &str)]| {
        let marked = client.request(Method::GET, "/console/features", headers, vec![]).await;
        assert_eq!((marked.status, &marked.headers["cache-control"]), (200, &"no-store".parse().expect("valid")));
        assert_eq!(marked.text.replace(MARK, ""), page.text, "nothing else differs");
        assert!(marked.text.contains(MARK), "{}", marked.text);
    };
    marked(&app.anonymous(), &[]).await;
    marked(&app.anonymous(), &[("if-none-match", tag)]).await;
    marked(&app.anonymous(), &[("cookie", "unleash-session=gone")]).await;
    app.clock.advance(400 * DAY_MS);
    marked(&ada, &[("if-none-match", tag)]).await;
}

#[tokio::test]
async fn its_files_are_kept_for_a_year_and_a_missing_one_is_no_page() {
    let app = TestApp::new().await;
    let page = app.anonymous().get("/console/").await.text;
    let files: Vec<&str> = page.split('"').filter(|text| text.starts_with("./assets/")).collect();
    assert!(files.iter().any(|file| file.split('.').next_back() == Some("js")), "no script: {page}");
    assert!(files.iter().any(|file| file.split('.').next_back() == Some("css")), "no style sheet: {page}");
    for file in files {
        let path = format!("/console/{}", file.trim_start_matches("./"));
        let answer = app.anonymous().get(&path).await;
        assert_eq!(answer.status, 200, "{path}");
        assert_eq!(answer.headers["cache-control"], "public, max-age=31536000, immutable", "{path}");
        let (headers, _) = app.anonymous().bytes(&path, &[("accept-encoding", "gzip")]).await;
        assert_eq!(headers["content-encoding"], "gzip", "{path}");
    }
    for path in ["/console/assets/gone-12345678.js", "/console/assets/", "/console/assets/index.html"] {
        app.anonymous().get(path).await.refused(404, "NotFoundError", "");
    }
    for (path, content_type) in [
        ("/console/scheme.js", "text/javascript; charset=utf-8"),
        ("/console/stone.svg", "image/svg+xml"),
        ("/console/licences", "text/plain; charset=utf-8"),
    ] {
        let answer = app.anonymous().get(path).await;
        assert_eq!((answer.status, answer.headers["content-type"].to_str().ok()), (200, Some(content_type)), "{path}");
        assert_eq!(answer.headers["cache-control"], "no-cache", "{path}");
    }
}

#[tokio::test]
async fn links_to_people_lead_to_the_pages_where_they_come_in() {
    let app = TestApp::new().await;
    for (link, page) in [
        ("/new-user?token=a%2Bb", "console/reset?token=a%2Bb"),
        ("/reset-password?token=x", "console/reset?token=x"),
        ("/new-user?invite=x", "console/join?invite=x"),
        ("/new-user", "console/reset?"),
    ] {
        let answer = app.anonymous().get(link).await;
        let header = |name: &str| answer.headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
        assert_eq!((answer.status, header("location").as_deref()), (303, Some(page)), "{link}");
        assert_eq!(header("referrer-policy").as_deref(), Some("no-referrer"), "{link}");
        assert_eq!(header("cache-control").as_deref(), Some("no-store"), "{link}");
    }
}

#[tokio::test]
async fn the_page_knows_where_it_is_behind_a_proxy() {
    let base_url = "https://flags.example.com/team".to_owned();
    let app = TestApp::with_config(Config { base_url, ..Config::default() }).await;
    for path in ["/console/", "/console/features"] {
        let page = app.anonymous().get(path).await;
        assert!(page.text.contains("<base href=\"/team/console/\""), "{path}: {}", page.text);
        assert!(page.headers.contains_key("content-security-policy"), "{path}");
    }
}
