//! Headers that follow from what an operation is: deprecated, creating, answering with pages, or taking any text as a
//! parameter.

use std::collections::BTreeSet;

use flagstone::api::document::DOCUMENT;
use poem::http::Method;
use serde_json::{Value, json};

use crate::{
    harness::{Answer, Client, TestApp},
    scim,
};

/// Operations of the document: method, path and operation.
fn operations() -> impl Iterator<Item = (Method, &'static str, &'static Value)> {
    DOCUMENT["paths"].as_object().expect("paths").iter().flat_map(|(path, item)| {
        item.as_object()
            .expect("operations")
            .iter()
            .map(|(method, operation)| (method.to_uppercase().parse().expect("a method"), path.as_str(), operation))
    })
}

fn text<'a>(answer: &'a Answer, header: &str) -> Option<&'a str> {
    answer.headers.get(header).map(|value| value.to_str().expect("text"))
}

/// A path with each parameter replaced.
fn filled(template: &str, value: impl Fn(&str) -> String) -> String {
    let part = |part: &str| match part.strip_prefix('{').and_then(|part| part.strip_suffix('}')) {
        Some(name) => value(name),
        None => part.to_owned(),
    };
    template.split('/').map(part).collect::<Vec<_>>().join("/")
}

#[tokio::test]
async fn answers_of_deprecated_operations_say_so_and_no_others() {
    let app = TestApp::new().await;
    let mut deprecated = 0;
    for (method, path, operation) in operations() {
        if operation["responses"]["200"]["content"]["text/event-stream"].is_object() {
            continue;
        }
        let is_deprecated = operation["deprecated"] == true;
        deprecated += u32::from(is_deprecated);
        for client in [app.anonymous(), app.viewer().await] {
            let answer = client.request(method.clone(), &filled(path, |_| "1".to_owned()), &[], vec![]).await;
            for header in ["deprecation", "sunset"] {
                assert_eq!(answer.headers.contains_key(header), is_deprecated, "{method} {path} {}", answer.status);
            }
        }
        if !is_deprecated {
            continue;
        }
        let answer = app.admin().request(method.clone(), &filled(path, |_| "1".to_owned()), &[], vec![]).await;
        assert!(text(&answer, "deprecation").is_some_and(|since| since.starts_with('@')), "{method} {path}");
        assert!(text(&answer, "sunset").is_some_and(|day| day.ends_with(" GMT")), "{method} {path}");
    }
    assert!(deprecated > 10, "{deprecated}");
}

#[tokio::test]
async fn parameters_that_fall_to_their_default_are_named() {
    let app = TestApp::new().await;
    app.feature("default", "basket").await;
    let addon = json!({
        "provider": "webhook", "enabled": true, "parameters": { "url": "https://hooks.example.com/x" },
        "events": ["feature-created"],
    });
    let addon = app.admin().post("/api/admin/addons", addon).await.expect(201)["id"].clone();
    let directory = scim::client(&app).await;
    let root = app.root_admin().await;
    let mut walked = BTreeSet::new();
    for (method, path, operation) in operations().filter(|(method, ..)| *method == Method::GET) {
        let promised = &operation["responses"]["200"]["headers"]["X-Defaulted-Parameters"];
        let parameters = operation["parameters"].as_array().into_iter().flatten();
        let lenient: Vec<&str> = parameters
            .filter(|parameter| {
                let schema = &parameter["schema"];
                parameter["in"] == "query"
                    && schema["type"] == "string"
                    && schema["default"].is_string()
                    && schema["enum"].is_null()
            })
            .filter_map(|parameter| parameter["name"].as_str())
            .collect();
        assert_eq!(promised.is_object(), !lenient.is_empty(), "{method} {path}");
        if lenient.is_empty() {
            continue;
        }
        let client: &Client = if path.starts_with("/scim/") { &directory } else { &root };
        let path = filled(path, |name| match name {
            "projectId" => "default".to_owned(),
            "featureName" => "basket".to_owned(),
            _ => addon.to_string(),
        });
        for name in &lenient {
            walked.insert((*name).to_owned());
            for (value, is_defaulted) in [("abc", true), ("", true), ("%20", true), (meant(name), false)] {
                let answer = client.get(&format!("{path}?{name}={value}")).await;
                assert_eq!(answer.status, 200, "{path}?{name}={value}: {}", answer.text);
                let told = text(&answer, "x-defaulted-parameters");
                assert_eq!(told, is_defaulted.then_some(*name), "{path}?{name}={value}");
            }
        }
        let all: Vec<_> = lenient.iter().map(|name| format!("{name}=x&{name}[]=y")).collect();
        let answer = client.get(&format!("{path}?{}", all.join("&"))).await;
        if answer.status == 200 {
            assert_eq!(text(&answer, "x-defaulted-parameters"), Some(&*lenient.join(", ")), "{path}");
        }
    }
    let expected =
        ["actionable", "archived", "count", "favoritesFirst", "hoursBack", "limit", "offset", "sortBy", "startIndex"];
    assert_eq!(walked, expected.map(str::to_owned).into());
}

/// A value of a parameter that takes any text, which is used as it is.
fn meant(name: &str) -> &'static str {
    match name {
        "actionable" | "archived" | "favoritesFirst" => "true",
        "sortBy" => "name",
        _ => "7",
    }
}

#[tokio::test]
async fn pages_lead_to_the_pages_beside_them() {
    let app = TestApp::new().await;
    for name in ["a", "b", "c", "d", "e"] {
        app.feature("default", name).await;
    }
    // Follows the links from the first page to the last, and back.
    let admin = app.admin();
    let path = "/api/admin/search/features";
    let mut query = "?sortBy=name&limit=2".to_owned();
    let mut seen = Vec::new();
    let mut pages = 0;
    loop {
        let answer = admin.get(&format!("{path}{query}")).await;
        let links = text(&answer, "link").expect("links").to_owned();
        let page = answer.expect(200);
        seen.extend(page["features"].as_array().expect("a list").iter().map(|feature| feature["name"].clone()));
        pages += 1;
        assert!(links.contains("offset=0&limit=2>; rel=\"first\""), "{links}");
        assert_eq!(links.contains("rel=\"prev\""), pages > 1, "{links}");
        match link(&links, "next") {
            Some(next) => query = next,
            None => break,
        }
        assert!(query.contains("sortBy=name"), "{query}");
    }
    assert_eq!((seen, pages), (["a", "b", "c", "d", "e"].map(Value::from).to_vec(), 3));
    for (method, path, operation) in operations() {
        let names: Vec<_> = operation["parameters"].as_array().into_iter().flatten().map(|one| &one["name"]).collect();
        let is_paged = ["offset", "limit"].iter().all(|name| names.contains(&&json!(name)));
        let promised = operation["responses"]["200"]["headers"]["Link"].is_object();
        assert_eq!(promised, is_paged, "{method} {path}");
    }
    let events = admin.get("/api/admin/search/events?limit=abc&limit2=x").await;
    assert!(text(&events, "link").is_some_and(|links| links.contains("<?limit2=x&offset=0&limit=50>")));
    let long = admin.get(&format!("{path}?query={}", "x".repeat(3000))).await;
    assert_eq!((long.status, text(&long, "link")), (200, None));
}

fn link(links: &str, rel: &str) -> Option<String> {
    let link = links.split(", <").find(|link| link.ends_with(&format!("rel=\"{rel}\"")))?;
    Some(link.trim_start_matches('<').split_once('>')?.0.to_owned())
}

#[tokio::test]
async fn what_was_created_is_where_the_answer_says() {
    let app = TestApp::new().await;
    let admin = app.admin();
    for (path, body, expected) in [
        ("/api/admin/projects", json!({ "id": "shop", "name": "Shop" }), "/api/admin/projects/shop/overview"),
        (
            "/api/admin/projects/shop/features",
            json!({ "name": "new-basket" }),
            "/api/admin/projects/shop/features/new-basket",
        ),
        (
            "/api/admin/projects/shop/features/new-basket/clone",
            json!({ "name": "copy" }),
            "/api/admin/projects/shop/features/copy",
        ),
        ("/api/admin/tags", json!({ "type": "simple", "value": "a/b c" }), "/api/admin/tags/simple/a%2Fb%20c"),
        ("/api/admin/context", json!({ "name": "plan" }), "/api/admin/context/plan"),
        ("/api/admin/tag-types", json!({ "name": "team", "icon": "x" }), "/api/admin/tag-types/team"),
        ("/api/admin/features/copy/tags", json!({ "type": "simple", "value": "xy" }), "/api/admin/features/copy/tags"),
        ("/api/admin/environments", json!({ "name": "qa", "type": "test" }), "/api/admin/environments/qa"),
        (
            "/api/admin/api-tokens",
            json!({ "tokenName": "x", "type": "client", "environment": "development" }),
            "/api/admin/api-tokens",
        ),
    ] {
        let answer = admin.post(path, body).await;
        assert_eq!(answer.status, 201, "{path}: {}", answer.text);
        let location = text(&answer, "location").expect("a place").to_owned();
        assert_eq!(location, expected, "{path}");
        assert_eq!(admin.get(&location).await.status, 200, "{location}");
    }
    let segment = admin.post("/api/admin/segments", json!({ "name": "beta", "constraints": [] })).await;
    let location = text(&segment, "location").expect("a place").to_owned();
    assert_eq!(admin.get(&location).await.expect(200)["name"], "beta");
    for (method, path, operation) in operations() {
        let created = &operation["responses"]["201"];
        assert!(created.is_null() || created["headers"]["Location"]["required"] == true, "{method} {path}");
    }
}
