//! One form for every refusal, also for what the framework itself refuses; and what surrounds every answer.

use std::io::Read as _;

use flagstone::config::{BodyLimits, Config};
use flate2::read::GzDecoder;
use poem::http::Method;
use serde_json::{Value, json};

use crate::harness::TestApp;

const FEATURE: &str = "/api/admin/projects/default/features/f";
const JSON: (&str, &str) = ("content-type", "application/json");

#[tokio::test]
async fn an_unknown_path_is_404_in_our_form() {
    let app = TestApp::new().await;
    for path in ["/api/admin/nothing", "/nothing", "/api", "/docs/nothing", "/docs/openapi/nothing.js"] {
        app.admin().get(path).await.refused(404, "NotFoundError", "");
    }
    app.admin().get("/api/admin/nothing").await.refused(404, "NotFoundError", "/api/admin/nothing");
}

#[tokio::test]
async fn a_wrong_method_is_405_and_tells_the_right_ones() {
    let app = TestApp::new().await;
    let answer = app.admin().request(Method::DELETE, "/api/admin/user/profile", &[], vec![]).await;
    assert_eq!(answer.headers["allow"], "GET");
    answer.refused(405, "MethodNotAllowedError", "GET");
    let answer = app.admin().request(Method::POST, FEATURE, &[], vec![]).await;
    let mut allowed: Vec<&str> = answer.headers["allow"].to_str().expect("a text").split(", ").collect();
    allowed.sort_unstable();
    assert_eq!(allowed, ["DELETE", "GET", "PATCH", "PUT"]);
    answer.refused(405, "MethodNotAllowedError", "PATCH");
}

#[tokio::test]
async fn a_body_that_is_no_json_is_refused_without_being_echoed() {
    let app = TestApp::new().await;
    app.feature("default", "f").await;
    let deep = [vec![b'['; 100_000], vec![b']'; 100_000]].concat();
    let bodies: [&[u8]; 6] = [b"", b"{", b"[{]", b"secret-word", b"\xff\xfe", &deep];
    for body in bodies {
        let answer = app.admin().request(Method::PATCH, FEATURE, &[JSON], body.to_vec()).await;
        assert!(!answer.text.contains("secret-word"));
        answer.refused(400, "ValidationError", "JSON");
    }
    assert_eq!(app.event_types().await, Vec::<String>::new());
}

#[tokio::test]
async fn a_foreign_media_type_is_415_with_the_specified_name() {
    let app = TestApp::new().await;
    app.feature("default", "f").await;
    for foreign in ["text/plain", "application/merge-patch+json", "application/x-www-form-urlencoded", ""] {
        let answer = app.admin().request(Method::PATCH, FEATURE, &[("content-type", foreign)], b"[]".to_vec()).await;
        answer.refused(415, "ContentTypeerror", "application/json");
    }
    app.admin().request(Method::PATCH, FEATURE, &[], b"[]".to_vec()).await.refused(415, "ContentTypeerror", "json");
    let charset = ("content-type", "application/json; charset=utf-8");
    app.admin().request(Method::PATCH, FEATURE, &[charset], b"[]".to_vec()).await.expect(200);
}

#[tokio::test]
async fn a_json_patch_may_have_its_own_media_type_and_nothing_else_may() {
    let app = TestApp::new().await;
    app.feature("default", "f").await;
    let place = format!("{FEATURE}/environments/development");
    let strategy = app.admin().post(&format!("{place}/strategies"), json!({ "name": "default" })).await.expect(200);
    let strategy = format!("{place}/strategies/{}", strategy["id"].as_str().expect("an id"));
    let own = [("content-type", "application/json-patch+json; charset=utf-8")];
    for path in [FEATURE, &format!("{FEATURE}/variants"), &format!("{place}/variants"), &strategy] {
        app.admin().request(Method::PATCH, path, &own, b"[]".to_vec()).await.expect(200);
    }
    let describe = br#"[{ "op": "replace", "path": "/description", "value": "d" }]"#;
    let patched = app.admin().request(Method::PATCH, FEATURE, &own, describe.to_vec()).await.expect(200);
    assert_eq!(patched["description"], "d");
    let tag = br#"{ "type": "simple", "value": "x" }"#;
    let foreign = app.admin().request(Method::POST, "/api/admin/tags", &own, tag.to_vec()).await;
    foreign.refused(415, "ContentTypeerror", "application/json");
}

#[tokio::test]
async fn a_body_over_the_bound_is_413_and_changes_nothing() {
    let limits = BodyLimits { standard_bytes: 1000, import_bytes: 3000 };
    let app = TestApp::with_config(Config { body_limits: limits, ..Config::default() }).await;
    app.feature("default", "f").await;
    let patch = |length: usize| json!([{ "op": "replace", "path": "/description", "value": "x".repeat(length) }]);
    app.admin().patch(FEATURE, patch(1000)).await.refused(413, "PayloadTooLargeError", "1000");
    app.admin().patch(FEATURE, patch(100)).await.expect(200);
    let import = |length: usize| {
        let features = json!([{ "name": "g", "description": "x".repeat(length) }]);
        let data = json!({ "features": features, "featureStrategies": [], "tagTypes": [] });
        json!({ "project": "default", "environment": "development", "data": data })
    };
    let validate = "/api/admin/features-batch/validate";
    app.admin().post(validate, import(2000)).await.expect(200);
    app.admin().post(validate, import(4000)).await.refused(413, "PayloadTooLargeError", "3000");
}

#[tokio::test]
async fn a_caller_without_the_permission_learns_nothing_about_the_body() {
    let app = TestApp::new().await;
    app.feature("default", "f").await;
    let viewer = app.viewer().await;
    viewer.request(Method::PATCH, FEATURE, &[JSON], b"{".to_vec()).await.refused(
        403,
        "NoAccessError",
        "UPDATE_FEATURE",
    );
    viewer.request(Method::PATCH, FEATURE, &[], vec![]).await.refused(403, "NoAccessError", "UPDATE_FEATURE");
    let nobody = app.anonymous();
    nobody.request(Method::PATCH, FEATURE, &[], b"{".to_vec()).await.refused(401, "AuthenticationRequired", "token");
}

#[tokio::test]
async fn a_nul_character_is_refused_in_bodies_and_harmless_in_addresses() {
    let app = TestApp::new().await;
    app.feature("default", "f").await;
    let patch = json!([{ "op": "replace", "path": "/description", "value": "a\u{0}b" }]);
    app.admin().patch(FEATURE, patch).await.refused(400, "ValidationError", "/body/0/value");
    app.admin().get("/api/admin/projects/a%00b").await.refused(404, "NotFoundError", "");
    app.admin().get("/api/admin/projects/a%00b/features").await.expect(200);
    for query in
        ["query=a%00b", "project=IS:a%00b", "tag=INCLUDE:a%00:bb", "segment=INCLUDE:%00", "status=a%00:enabled"]
    {
        let found = app.admin().get(&format!("/api/admin/search/features?{query}")).await.expect(200);
        assert_eq!(found["total"], 0, "{query}");
    }
    let found = app.admin().get("/api/admin/search/events?query=a%00b").await.expect(200);
    assert_eq!(found["total"], 0);
}

#[tokio::test]
async fn hostile_addresses_are_answered_with_4xx() {
    let app = TestApp::new().await;
    let long = "x".repeat(16_000);
    for path in [
        "/api/admin/projects/%ff%fe".to_owned(),
        "/api/admin/projects/%zz/features".to_owned(),
        format!("/api/admin/projects/{long}"),
        "/api/admin/projects/..%2f..%2fetc".to_owned(),
    ] {
        let answer = app.admin().get(&path).await;
        assert!((200..500).contains(&answer.status), "{path}: {}", answer.status);
        assert!(answer.status == 200 || answer.body["id"].is_string(), "{path}: {}", answer.text);
    }
}

#[tokio::test]
async fn slashes_too_many_are_forgiven() {
    let app = TestApp::new().await;
    let tidy = app.admin().get("/api/admin/user/profile").await.expect(200);
    for path in ["/api/admin/user/profile/", "//api//admin/user/profile"] {
        assert_eq!(app.admin().get(path).await.expect(200), tidy, "{path}");
    }
}

#[tokio::test]
async fn an_answer_that_the_reader_has_is_304_until_it_changes() {
    let app = TestApp::new().await;
    app.feature("default", "f").await;
    let list = "/api/admin/projects/default/features";
    let first = app.admin().get(list).await;
    let tag = first.headers["etag"].to_str().expect("text").to_owned();
    assert!(tag.starts_with("W/\""), "{tag}");
    let again = app.admin().request(Method::GET, list, &[("if-none-match", &tag)], vec![]).await;
    assert_eq!((again.status, again.text.as_str()), (304, ""));
    assert_eq!(again.headers["etag"], tag.as_str());
    app.feature("default", "g").await;
    let changed = app.admin().request(Method::GET, list, &[("if-none-match", &tag)], vec![]).await;
    assert_ne!(changed.headers["etag"], tag.as_str());
    assert_eq!(changed.expect(200)["features"].as_array().map(Vec::len), Some(2));
}

#[tokio::test]
async fn a_single_parameter_given_twice_is_refused_by_name() {
    let app = TestApp::new().await;
    let path = "/api/admin/search/features?type=IS:release&type=IS:experiment";
    app.admin().get(path).await.refused(400, "ValidationError", "type");
}

#[tokio::test]
async fn several_findings_are_listed_each_with_its_path() {
    let app = TestApp::new().await;
    app.feature("default", "f").await;
    let answer = app.admin().patch(FEATURE, json!([{ "op": "test", "path": 5 }, {}])).await;
    let paths: Vec<&str> = answer.body["details"]
        .as_array()
        .expect("details")
        .iter()
        .filter_map(|detail| detail["path"].as_str())
        .collect();
    for path in ["/body/0/op", "/body/0/path", "/body/1/op", "/body/1/path"] {
        assert!(paths.contains(&path), "{path} is not in {paths:?}");
        assert!(answer.body["message"].as_str().is_some_and(|message| message.contains(path)), "{path}");
    }
    answer.refused(400, "ValidationError", "/body/0/op");
}

#[tokio::test]
async fn the_server_tells_whether_it_works() {
    let app = TestApp::new().await;
    assert_eq!(app.anonymous().get("/health").await.expect(200), json!({ "health": "GOOD" }));
    assert_eq!(app.anonymous().get("/ready").await.expect(200), json!({ "health": "GOOD" }));
}

#[tokio::test]
async fn the_document_and_its_page_are_served_from_the_binary() {
    let app = TestApp::new().await;
    let served = app.anonymous().get("/docs/openapi.json").await.expect(200);
    assert_eq!(&served, &*flagstone::api::document::DOCUMENT);
    let yaml = app.anonymous().get("/docs/openapi.yaml").await;
    let read: Value = serde_norway::from_str(&yaml.text).expect("YAML");
    assert_eq!(read, served);
    for (page, files) in [
        ("/docs/", ["redoc.standalone.js", "page.js", "page.css"].as_slice()),
        ("/docs/openapi/", ["swagger-ui-bundle.js", "swagger-ui.css", "page.js", "page.css"].as_slice()),
    ] {
        let shown = app.anonymous().get(page).await;
        assert!(!shown.text.contains("://"), "{page} refers to another host");
        let policy = shown.headers["content-security-policy"].to_str().expect("text");
        assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
        for file in files {
            assert!(shown.text.contains(&format!("\"{file}\"")), "{page} does without {file}: {}", shown.text);
            let file = app.anonymous().get(&format!("{page}{file}")).await;
            assert_eq!(file.status, 200);
            assert!(!file.text.is_empty(), "{page}");
        }
    }
}

#[tokio::test]
async fn the_pages_are_sent_compressed_to_whoever_takes_it_and_once() {
    let app = TestApp::new().await;
    let anyone = app.anonymous();
    for path in ["/docs/", "/docs/page.js", "/docs/openapi/", "/docs/openapi.json", "/docs/openapi.yaml"] {
        let plain = anyone.get(path).await;
        assert!(!plain.headers.contains_key("content-encoding"), "{path}");
        let (headers, short) = anyone.bytes(path, &[("accept-encoding", "gzip")]).await;
        assert_eq!(headers["content-encoding"], "gzip", "{path}");
        assert_eq!(headers["vary"], "Accept-Encoding", "{path}");
        let mut text = String::new();
        GzDecoder::new(&*short).read_to_string(&mut text).expect("compressed text");
        assert!(text == plain.text, "{path}");
        let tag = headers["etag"].to_str().expect("text");
        assert_eq!(plain.headers["etag"], tag, "{path}");
        let again = anyone.request(Method::GET, path, &[("if-none-match", tag)], vec![]).await;
        assert_eq!((again.status, again.text.as_str()), (304, ""), "{path}");
    }
}

#[tokio::test]
async fn the_root_leads_to_the_console_and_folders_to_their_pages() {
    let app = TestApp::new().await;
    for (from, to) in [("/", "console/"), ("/console", "console/"), ("/docs", "docs/"), ("/docs/openapi", "openapi/")] {
        let answer = app.anonymous().get(from).await;
        assert!((300..400).contains(&answer.status), "{from}: {}", answer.status);
        assert_eq!(answer.headers["location"], to, "{from}");
    }
    app.anonymous().post("/", json!({})).await.refused(404, "NotFoundError", "/");
}

#[tokio::test]
async fn of_a_large_body_the_first_fault_is_told_and_no_list_of_millions_is_made() {
    let app = TestApp::new().await;
    app.feature("default", "f").await;
    let small = app.admin().patch(FEATURE, json!([{}, {}])).await;
    assert_eq!(small.body["details"].as_array().map(Vec::len), Some(4));
    let many: Vec<Value> = vec![json!({}); 40_000];
    let large = app.admin().patch(FEATURE, json!(many)).await;
    assert_eq!(large.body["details"].as_array().map(Vec::len), Some(1));
    large.refused(400, "ValidationError", "/body");
}

#[tokio::test]
async fn the_head_of_an_answer_is_that_of_its_get() {
    let app = TestApp::new().await;
    let path = "/api/admin/projects/default";
    let (get, head) = (app.admin().get(path).await, app.admin().request(Method::HEAD, path, &[], vec![]).await);
    assert_eq!(get.headers["etag"], head.headers["etag"]);
    assert_eq!(head.headers["vary"], "Accept-Encoding");
    let tag = get.headers["etag"].to_str().expect("text");
    let again = app.admin().request(Method::HEAD, path, &[("if-none-match", tag)], vec![]).await;
    assert_eq!(again.status, 304);
}

#[tokio::test]
async fn a_length_over_the_bound_is_refused_before_the_body_arrives() {
    let app = TestApp::new().await;
    app.feature("default", "f").await;
    let headers = [JSON, ("content-length", "99999999999")];
    app.admin().request(Method::PATCH, FEATURE, &headers, b"[]".to_vec()).await.refused(
        413,
        "PayloadTooLargeError",
        "",
    );
}

#[tokio::test]
async fn names_texts_and_headers_that_are_too_long_are_refused_by_name() {
    let app = TestApp::new().await;
    app.feature("default", "f").await;
    let (name, word, text) = ("n".repeat(256), "1".repeat(1001), "t".repeat(50_001));
    let cases = [
        (format!("/api/admin/projects/{name}/features"), "path parameter `projectId` must have at most 255"),
        (format!("/api/admin/archive/features/{name}"), "path parameter `projectId` must have at most 255"),
        (format!("/api/admin/events/{name}"), "path parameter `featureName` must have at most 255"),
        (format!("/api/admin/context/{name}/strategies"), "path parameter `contextField` must have at most 255"),
        (format!("/api/admin/api-tokens/{name}"), "path parameter `token` must have at most 255"),
        (format!("/api/admin/tags/{name}"), "path parameter `type` must have at most 255"),
        (format!("/api/admin/search/features?query={text}"), "query parameter `query` must have at most 50000"),
        (format!("/api/admin/search/features?limit={word}"), "query parameter `limit` must have at most 1000"),
        (format!("/api/admin/search/features?status={word}"), "query parameter `status` must have at most 1000"),
        (format!("/api/admin/projects?archived={word}"), "query parameter `archived` must have at most 1000"),
        (format!("/api/admin/user-admin/search?q={text}"), "query parameter `q` must have at most 50000"),
    ];
    for (path, reason) in &cases {
        app.admin().get(path).await.refused(400, "ValidationError", reason);
        // One character less is no news to anybody.
        let shorter = [&name, &text, &word].into_iter().find(|long| path.contains(*long)).expect("one of them");
        app.admin().get(&path.replacen(shorter.as_str(), &shorter[1..], 1)).await.expect(200);
    }
    let tag = "x".repeat(10_001);
    let patch = async |tag: &str| {
        let body = json!([{ "op": "replace", "path": "/description", "value": "new" }]).to_string();
        app.admin().request(Method::PATCH, FEATURE, &[JSON, ("if-match", tag)], body.into_bytes()).await
    };
    patch(&tag).await.refused(400, "ValidationError", "`If-Match` must have at most 10000");
    patch(&tag[1..]).await.refused(412, "PreconditionFailedError", "If-Match");
}
