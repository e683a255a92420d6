//! Effect of a page of another origin on the session of its visitor: none, on any operation.

use flagstone::config::Config;
use poem::http::Method;
use sea_orm::{ConnectionTrait, DatabaseBackend, Statement};
use serde_json::json;

use super::{access::Access, rows, shop};
use crate::{
    harness::{Client, TestApp, role},
    served::Served,
    users::{STRONG, cookie, user},
};

const FOREIGN: (&str, &str) = ("origin", "https://evil.example");
const OWN: (&str, &str) = ("origin", "http://127.0.0.1:4242");
const FORM: (&str, &str) = ("content-type", "text/plain");
const LOGIN: &str = "/auth/simple/login";

/// Operations that know nobody by a cookie, so that there is nothing to steal: a page can do no more than whoever wrote
/// it. Those of login providers believe what is signed, whoever brings it. May only shrink.
const BLIND_TO_COOKIES: &[&str] = &[
    "addPublicSignupTokenUser",
    "changePassword",
    "getValidTokens",
    "oidcBackChannelLogout",
    "providerBackChannelLogout",
    "providerSamlLogoutByForm",
    "receiveProviderSamlResponse",
    "receiveSamlResponse",
    "samlLogoutByForm",
    "sendResetPasswordEmail",
    "validatePassword",
];

/// The administrator `ada`, as the browser sends requests.
async fn browser(app: &TestApp) -> Client {
    user(app, "ada", role::ADMIN).await;
    let cookie = cookie(app, "ada", STRONG).await;
    app.anonymous().sending(&[("cookie", &cookie)])
}

/// Everything that the database holds, row by row.
async fn content(app: &TestApp) -> Vec<String> {
    // Sign-ins are noted a moment later.
    flagstone::sign_in::log::write(&app.state).await.expect("writes");
    let backend = app.db().get_database_backend();
    let texts = async |sql: String| {
        let rows = app.db().query_all_raw(Statement::from_string(backend, sql)).await.expect("rows");
        rows.iter().map(|row| row.try_get_by_index::<String>(0).expect("a text")).collect::<Vec<_>>()
    };
    let tables = match backend {
        DatabaseBackend::Sqlite => "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE '%VIRTUAL%'",
        _ => "SELECT tablename::text FROM pg_tables WHERE schemaname = current_schema()",
    };
    let mut content = Vec::new();
    for table in texts(tables.to_owned()).await {
        let rows = match backend {
            DatabaseBackend::Sqlite => {
                let columns =
                    texts(format!("SELECT 'quote(\"' || name || '\")' FROM pragma_table_info('{table}')")).await;
                format!("SELECT {} FROM \"{table}\"", columns.join(" || ',' || "))
            }
            _ => format!("SELECT t::text FROM \"{table}\" t"),
        };
        let mut rows = texts(rows).await;
        rows.sort();
        content.extend(rows.into_iter().map(|row| format!("{table}: {row}")));
    }
    content
}

#[tokio::test]
async fn no_operation_changes_anything_for_a_page_of_another_origin() {
    let app = shop().await;
    let page = browser(&app).await.sending(&[FOREIGN]);
    let before = content(&app).await;
    for row in rows::all().into_iter().filter(|row| !row.is_read()) {
        let answer = row.call.take(&page).await;
        match row.access {
            Access::Program | Access::Browser | Access::Application => {
                answer.refused(401, "AuthenticationRequired", "");
            }
            // A form of its own.
            Access::Directory => assert_eq!(answer.status, 401, "{}: {}", row.operation, answer.text),
            _ if BLIND_TO_COOKIES.contains(&row.operation) => {
                assert_ne!(answer.status, 403, "{} looks at the cookie", row.operation);
            }
            _ => {
                assert_eq!(answer.status, 403, "{}: {}", row.operation, answer.text);
                answer.refused(403, "ForbiddenError", "\"https://evil.example\"");
            }
        }
    }
    assert_eq!(content(&app).await, before);
}

/// A form sends these without the browser asking first.
#[tokio::test]
async fn forms_of_other_pages_are_refused_whatever_names_them() {
    let app = shop().await;
    let ada = browser(&app).await;
    let before = content(&app).await;
    for path in [
        "/api/admin/environments/production/off",
        "/api/admin/projects/archive/shop",
        "/api/admin/projects/shop/features/f/favorites",
        "/api/admin/projects/shop/features/f/environments/development/on",
        "/api/admin/splash/welcome",
        "/logout",
    ] {
        for headers in [
            &[FOREIGN, FORM][..],
            &[("origin", "null"), FORM],
            &[("origin", "https://127.0.0.1:4242.evil.example")],
            &[("origin", "http://127.0.0.1:4243")],
            &[("origin", "")],
            &[OWN, FOREIGN],
            &[("sec-fetch-site", "cross-site")],
            &[("sec-fetch-site", "same-site")],
            &[OWN, ("sec-fetch-site", "cross-site")],
        ] {
            let answer = ada.request(Method::POST, path, headers, Vec::new()).await;
            assert_eq!(answer.status, 403, "{path} {headers:?}: {}", answer.text);
            answer.refused(403, "ForbiddenError", "page of another origin");
        }
    }
    assert_eq!(content(&app).await, before);
}

#[tokio::test]
async fn the_address_that_the_browser_asked_for_is_an_own_origin_too() {
    let app = shop().await;
    let ada = browser(&app).await;
    let path = "/api/admin/projects/shop/features/f/environments/development/on";
    for (origin, host) in [
        ("http://flags.internal:8080", "flags.internal:8080"),
        ("http://flags.internal", "flags.internal:80"),
        ("https://flags.internal", "FLAGS.internal"),
        ("http://[::1]:4242", "[::1]:4242"),
    ] {
        ada.request(Method::POST, path, &[("origin", origin), ("host", host)], vec![]).await.expect(200);
    }
    for (origin, host) in [("http://flags.internal", "flags.internal:8080"), ("http://x", "y")] {
        let answer = ada.request(Method::POST, path, &[("origin", origin), ("host", host)], vec![]).await;
        answer.refused(403, "ForbiddenError", origin);
    }
    // What a stranger may write into a request counts only from a proxy that is trusted.
    let forwarded = [("origin", "http://x.example"), ("x-forwarded-host", "x.example")];
    ada.request(Method::POST, path, &forwarded, vec![]).await.refused(403, "ForbiddenError", "x.example");
    // Neither reading nor tokens are concerned.
    ada.request(Method::GET, "/api/admin/user", &[FOREIGN], vec![]).await.expect(200);
    app.admin().request(Method::POST, path, &[FOREIGN], vec![]).await.expect(200);
    // A token beside the cookie leaves the cookie what it is.
    let both = app.admin().sending(&[("cookie", &cookie(&app, "ada", STRONG).await), FOREIGN]);
    both.request(Method::POST, path, &[], vec![]).await.refused(403, "ForbiddenError", "evil.example");
}

#[tokio::test]
async fn nobody_is_signed_in_or_out_by_a_page_of_another_origin() {
    let app = shop().await;
    user(&app, "ada", role::VIEWER).await;
    let body = json!({ "username": "ada", "password": STRONG });
    let before = content(&app).await;
    let page = app.anonymous().sending(&[FOREIGN]);
    let answer = page.post(LOGIN, body.clone()).await;
    assert!(!answer.headers.contains_key("set-cookie"));
    answer.refused(403, "ForbiddenError", "evil.example");
    // Cookies that are not sent across sites would be taken away by the answer all the same.
    let answer = page.request(Method::POST, "/logout", &[], vec![]).await;
    assert!(!answer.headers.contains_key("set-cookie"));
    answer.refused(403, "ForbiddenError", "evil.example");
    assert_eq!(content(&app).await, before);
    let secure = Config { base_url: "https://flags.example.com/team".to_owned(), ..Config::default() };
    let app = TestApp::with_config(secure).await;
    user(&app, "ada", role::VIEWER).await;
    for (origin, status) in [("https://flags.example.com", 200), ("http://flags.example.com", 403)] {
        let headers = [("origin", origin), ("host", "flags.example.com"), ("content-type", "application/json")];
        let answer = app.anonymous().request(Method::POST, LOGIN, &headers, body.to_string().into_bytes()).await;
        assert_eq!(answer.status, status, "{origin}: {}", answer.text);
    }
}

#[tokio::test]
async fn the_host_that_a_trusted_proxy_was_asked_for_is_an_own_one() {
    let body = json!({ "username": "ada", "password": STRONG });
    for (trusted, status) in [("127.0.0.0/8", 200), ("10.0.0.0/8", 403)] {
        let trusted_proxies = trusted.parse().expect("a network");
        let app = TestApp::with_config(Config { trusted_proxies, ..Config::default() }).await;
        user(&app, "ada", role::VIEWER).await;
        let served = Served::new(&app).await;
        for header in [
            ("x-forwarded-host", "flags.internal:8080"),
            ("x-forwarded-host", "flags.internal:8080, inner"),
            ("forwarded", r#"for=192.0.2.1;host="flags.internal:8080";proto=http"#),
        ] {
            let own = [("origin", "http://flags.internal:8080"), header];
            assert_eq!(served.post(LOGIN, &own, &body).await.status, status, "{header:?} by {trusted}");
            let foreign = [("origin", "http://flags.internal"), header];
            served.post(LOGIN, &foreign, &body).await.refused(403, "ForbiddenError", "\"http://flags.internal\"");
        }
    }
}
