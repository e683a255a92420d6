//! A server below a path prefix: what it answers, and where its document, pages, links and cookies say that it is.

use std::collections::BTreeSet;

use flagstone::config::{Config, ROOTS};
use poem::http::Method;
use serde_json::{Value, json};

use crate::harness::TestApp;

const PREFIX: &str = "/tools/flags";

async fn below(base_url: &str) -> TestApp {
    let config = Config { base_url: base_url.to_owned(), prefix: PREFIX.to_owned(), ..Config::default() };
    TestApp::with_config(config).await
}

/// First segments of everything that the server answers.
fn first_segments() -> BTreeSet<String> {
    let document: Value = serde_json::from_str(&flagstone::api::document::as_json()).expect("JSON");
    let paths = document["paths"].as_object().expect("paths").keys();
    let documented = paths.filter_map(|path| path.split('/').nth(1)).map(str::to_owned);
    documented.chain(["docs", "console", "new-user", "reset-password"].map(str::to_owned)).collect()
}

#[test]
fn no_prefix_can_hide_a_path_of_the_server() {
    assert_eq!(first_segments(), ROOTS.into_iter().map(str::to_owned).collect());
}

#[tokio::test]
async fn proxies_may_strip_the_prefix_or_pass_it_on() {
    let app = below("http://example.com/tools/flags").await;
    for prefix in [PREFIX, ""] {
        for path in ["/health", "/api/admin/projects", "/docs/", "/docs/openapi/", "/docs/page.js", "/console/"] {
            let answer = app.admin().get(&format!("{prefix}{path}")).await;
            assert_eq!(answer.status, 200, "{prefix}{path}: {}", answer.text);
        }
        let made = app.admin().post(&format!("{prefix}/api/admin/projects"), json!({ "name": "p" })).await;
        assert_eq!(made.status, 201, "{}", made.text);
    }
    for path in ["/tools", "/tools/flagship/health", "/tools/flags/tools/flags/health"] {
        assert_eq!(app.admin().get(path).await.status, 404, "{path}");
    }
    let led = app.anonymous().get(&format!("{PREFIX}?a=b")).await;
    assert_eq!((led.status, &led.headers["location"]), (308, &"flags/?a=b".parse().expect("a header")));
    let led = app.anonymous().get(&format!("{PREFIX}/")).await;
    assert_eq!(led.headers["location"], "console/");
}

#[tokio::test]
async fn everything_that_names_the_server_agrees_on_where_it_is() {
    for (base_url, path) in [("http://example.com/tools/flags", PREFIX), ("http://example.com/rewritten", "/rewritten")]
    {
        let app = below(base_url).await;
        let document = app.anonymous().get(&format!("{PREFIX}/docs/openapi.json")).await.expect(200);
        assert_eq!(document["servers"], json!([{ "url": path }]));
        let (_, yaml) = app.anonymous().bytes("/docs/openapi.yaml", &[]).await;
        assert!(String::from_utf8_lossy(&yaml).contains(&format!("servers:\n- url: {path}\n")));
        let console = app.anonymous().get(&format!("{PREFIX}/console/features")).await;
        assert!(console.text.contains(&format!("<base href=\"{path}/console/\"")), "{}", console.text);
        let settings = app.admin().get("/api/admin/ui-config").await.expect(200);
        assert_eq!(settings["baseUriPath"], path);
        assert_eq!(settings["unleashUrl"], base_url);

        let user = json!({ "username": "ada", "password": "Three-blind-mice-in-1-row", "rootRole": 1 });
        let invitation = app.admin().post("/api/admin/user-admin", user).await.expect(201);
        let link = invitation["inviteLink"].as_str().expect("a link");
        assert!(link.starts_with(base_url), "{link}");
        let body = json!({ "username": "ada", "password": "Three-blind-mice-in-1-row" });
        let signed_in = app.anonymous().post(&format!("{PREFIX}/auth/simple/login"), body).await;
        assert_eq!(signed_in.status, 200, "{}", signed_in.text);
        let cookie = signed_in.headers["set-cookie"].to_str().expect("text").to_owned();
        assert!(cookie.starts_with("unleash-session=") && cookie.contains(&format!("; Path={path};")), "{cookie}");
        let pair = cookie.split_once(';').expect("attributes").0;
        let out = app.anonymous().request(Method::POST, "/logout", &[("cookie", pair)], vec![]).await;
        let removed = out.headers["set-cookie"].to_str().expect("text").to_owned();
        assert!(removed.contains(&format!("; Path={path}; Max-Age=0;")), "{removed}");
        assert_eq!(out.headers["location"], format!("{base_url}/"));
    }
    // Browsers take a cookie of this name for the whole host alone.
    let app = below("https://example.com/tools/flags").await;
    let out = app.anonymous().request(Method::POST, "/logout", &[], vec![]).await;
    let removed = out.headers["set-cookie"].to_str().expect("text");
    assert!(removed.starts_with("__Host-unleash-session=; Path=/;"), "{removed}");
}

#[tokio::test]
async fn signing_in_behind_a_proxy_that_hides_the_host_works_or_says_what_to_do() {
    let app = TestApp::new().await;
    let body = json!({ "username": "nobody", "password": "Three-blind-mice-in-1-row" });
    let send = |site: Option<&'static str>| {
        let mut headers = vec![("content-type", "application/json"), ("origin", "https://flags.example.com")];
        headers.extend(site.map(|site| ("sec-fetch-site", site)));
        let (client, body) = (app.anonymous(), body.to_string().into_bytes());
        async move { client.request(Method::POST, "/auth/simple/login", &headers, body).await }
    };
    assert_eq!(send(Some("same-origin")).await.status, 401);
    for site in [None, Some("same-site"), Some("cross-site")] {
        let refused = send(site).await;
        assert_eq!(refused.status, 403, "{site:?}");
        assert!(
            refused.text.contains("header Host") && refused.text.contains("FLAGSTONE_BASE_URL"),
            "{}",
            refused.text
        );
    }
}
