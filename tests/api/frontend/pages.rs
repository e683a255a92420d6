//! Scripts of pages of other origins.

use flagstone::{config::Config, domain::preference::Frontend};
use poem::http::Method;
use serde_json::json;

use super::FRONTEND;
use crate::harness::{Answer, Client, TestApp};

const SHOP: &str = "https://shop.example.com";
const OTHER: &str = "https://other.example.com";
const FLAGS: &str = "/ofrep/v1/evaluate/flags";

async fn preflight(client: &Client, path: &str, origin: &str) -> Answer {
    let headers = [
        ("origin", origin),
        ("access-control-request-method", "GET"),
        ("access-control-request-headers", "authorization,x-unleash-sdk"),
    ];
    let answer = client.request(Method::OPTIONS, path, &headers, vec![]).await;
    assert_eq!((answer.status, answer.text.as_str()), (204, ""));
    answer
}

fn header<'a>(answer: &'a Answer, name: &str) -> Option<&'a str> {
    answer.headers.get(name).map(|value| value.to_str().expect("a text"))
}

fn varies(answer: &Answer) -> bool {
    answer.headers.get_all("vary").iter().any(|value| value == "Origin")
}

async fn get(client: &Client, origin: &str) -> Answer {
    client.request(Method::GET, FRONTEND, &[("origin", origin)], vec![]).await
}

async fn allow(app: &TestApp, origins: &[&str]) {
    app.admin().post("/api/admin/ui-config/cors", json!({ "frontendApiOrigins": origins })).await.expect(204);
}

#[tokio::test]
async fn no_other_page_may_ask_until_an_administrator_says_so() {
    let app = TestApp::new().await;
    let browser = app.browser(&["*"], "development").await;
    for path in [FRONTEND, "/api/frontend/client/metrics", FLAGS, "/ofrep/v1/evaluate/flags/f"] {
        let refused = preflight(&app.anonymous(), path, SHOP).await;
        assert_eq!(header(&refused, "access-control-allow-origin"), None, "{path}");
        assert_eq!(header(&refused, "access-control-allow-methods"), None, "{path}");
        assert!(varies(&refused), "{path}");
    }
    let closed = get(&browser, SHOP).await;
    assert_eq!((closed.status, header(&closed, "access-control-allow-origin"), varies(&closed)), (200, None, true));

    allow(&app, &[SHOP]).await;
    for path in [FRONTEND, "/api/frontend/client/metrics", FLAGS, "/ofrep/v1/evaluate/flags/f"] {
        let granted = preflight(&app.anonymous(), path, SHOP).await;
        assert_eq!(header(&granted, "access-control-allow-origin"), Some(SHOP), "{path}");
        assert_eq!(header(&granted, "access-control-allow-methods"), Some("GET, POST"), "{path}");
        assert_eq!(header(&granted, "access-control-allow-headers"), Some("authorization,x-unleash-sdk"), "{path}");
        assert_eq!(header(&granted, "access-control-allow-credentials"), None, "{path}");
        assert!(varies(&granted), "{path}");
        let refused = preflight(&app.anonymous(), path, OTHER).await;
        assert_eq!(header(&refused, "access-control-allow-origin"), None, "{path}");
    }
    let open = get(&browser, SHOP).await;
    assert_eq!((open.status, header(&open, "access-control-allow-origin")), (200, Some(SHOP)));
    assert_eq!(header(&open, "access-control-expose-headers"), Some("ETag"));
    // A script must be able to read why it was refused, and that nothing changed.
    let refused = get(&app.anonymous(), SHOP).await;
    assert_eq!((refused.status, header(&refused, "access-control-allow-origin")), (401, Some(SHOP)));
    let etag = browser.get("/api/frontend?sessionId=s").await.headers["etag"].to_str().expect("a text").to_owned();
    let known = [("origin", SHOP), ("if-none-match", etag.as_str())];
    let same = browser.request(Method::GET, "/api/frontend?sessionId=s", &known, vec![]).await;
    assert_eq!((same.status, header(&same, "access-control-allow-origin")), (304, Some(SHOP)));
    assert_eq!(header(&get(&browser, OTHER).await, "access-control-allow-origin"), None);

    allow(&app, &["*"]).await;
    assert_eq!(header(&get(&browser, OTHER).await, "access-control-allow-origin"), Some("*"));
    allow(&app, &[]).await;
    assert_eq!(header(&get(&browser, SHOP).await, "access-control-allow-origin"), None);
}

#[tokio::test]
async fn nothing_else_is_open_to_other_pages() {
    let frontend = Frontend { frontend_api_origins: vec!["*".to_owned()] };
    let app = TestApp::with_config(Config { frontend: frontend.into(), ..Config::default() }).await;
    let granted = preflight(&app.anonymous(), FRONTEND, OTHER).await;
    assert_eq!(header(&granted, "access-control-allow-origin"), Some("*"), "as the operator says");
    for path in ["/api/admin/projects", "/api/client/features", "/auth/simple/login", "/api/admin/ui-config"] {
        let headers = [("origin", OTHER), ("access-control-request-method", "GET")];
        let answer = app.anonymous().request(Method::OPTIONS, path, &headers, vec![]).await;
        assert_eq!(header(&answer, "access-control-allow-origin"), None, "{path}");
        assert_eq!(answer.status, 405, "{path}");
        let answer = app.admin().request(Method::GET, path, &headers[..1], vec![]).await;
        assert_eq!(header(&answer, "access-control-allow-origin"), None, "{path}");
    }
    // Somebody who only asks for the methods is told them.
    let answer = app.anonymous().request(Method::OPTIONS, FRONTEND, &[("origin", OTHER)], vec![]).await;
    assert_eq!((answer.status, header(&answer, "allow")), (405, Some("GET, POST")));
}

#[tokio::test]
async fn the_operators_word_counts_until_an_administrators() {
    let frontend = Frontend { frontend_api_origins: vec!["*".to_owned()] };
    let app = TestApp::with_config(Config { frontend: frontend.into(), ..Config::default() }).await;
    let admin = app.admin();
    let told = async || admin.get("/api/admin/ui-config").await.expect(200)["frontendApiOrigins"].clone();
    assert_eq!(told().await, json!(["*"]));
    allow(&app, &["*"]).await;
    assert!(app.event_types().await.is_empty(), "nothing changed");
    allow(&app, &[]).await;
    assert_eq!((told().await, app.event_types().await), (json!([]), vec!["setting-created".to_owned()]));
    let browser = app.browser(&["*"], "development").await;
    assert_eq!(header(&get(&browser, SHOP).await, "access-control-allow-origin"), None);
    allow(&app, &[SHOP]).await;
    assert_eq!(header(&get(&browser, SHOP).await, "access-control-allow-origin"), Some(SHOP));
    let wrong = json!({ "frontendApiOrigins": [SHOP, "https://shop.example.com/"] });
    let answer = admin.post("/api/admin/ui-config/cors", wrong).await;
    answer.refused(400, "ValidationError", "/body/frontendApiOrigins/1");
}
