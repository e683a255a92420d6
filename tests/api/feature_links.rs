//! Links of features: their operations, what travels with them, and the links that new features get.

mod given;
mod travelling;

use serde_json::{Value, json};

use crate::{
    calls::{delete, last_event, meant_for, put, tag_of},
    harness::{Client, TestApp},
};

const FEATURE: &str = "/api/admin/projects/shop/features/f";
const LINKS: &str = "/api/admin/projects/shop/features/f/link";
const TICKET: &str = "https://tickets.example.com/7";

/// The feature `f` of the project `shop`.
async fn shop() -> TestApp {
    let app = TestApp::new().await;
    app.project("shop").await;
    app.feature("shop", "f").await;
    app
}

async fn links(client: &Client, path: &str) -> Vec<Value> {
    client.get(path).await.expect(200)["links"].as_array().expect("a list").clone()
}

/// Addresses and titles.
fn shown(links: &[Value]) -> Vec<(&str, Option<&str>)> {
    links.iter().map(|link| (link["url"].as_str().expect("an address"), link["title"].as_str())).collect()
}

/// The path of the first link.
async fn first(client: &Client) -> String {
    format!("{LINKS}/{}", links(client, FEATURE).await[0]["id"].as_str().expect("an id"))
}

#[tokio::test]
async fn links_are_added_changed_and_removed_with_their_events() {
    let app = shop().await;
    let admin = app.admin();
    assert!(links(&admin, FEATURE).await.is_empty());
    let answer = admin.post(LINKS, json!({ "url": TICKET, "title": "Ticket" })).await;
    assert_eq!((answer.status, &*answer.text), (204, ""));
    let ticket = json!({ "url": TICKET, "title": "Ticket" });
    assert_eq!(last_event(&app).await, json!(["feature-link-added", "shop", ticket, null]));
    // Without a scheme it is https, and an empty title is none.
    admin.post(LINKS, json!({ "url": " dashboards.example.com/f ", "title": "" })).await.expect(204);
    let dashboard = "https://dashboards.example.com/f";
    assert_eq!(
        last_event(&app).await,
        json!(["feature-link-added", "shop", { "url": dashboard, "title": null }, null])
    );
    assert_eq!(shown(&links(&admin, FEATURE).await), [(TICKET, Some("Ticket")), (dashboard, None)]);

    let path = first(&admin).await;
    put(&admin, &path, json!({ "url": "http://tickets.example.com/8" })).await.expect(204);
    let changed = json!({ "url": "http://tickets.example.com/8", "title": null });
    assert_eq!(last_event(&app).await, json!(["feature-link-updated", "shop", changed, ticket]));
    assert_eq!(first(&admin).await, path, "it stays where it is");
    let events = app.event_types().await.len();
    put(&admin, &path, json!({ "url": "http://tickets.example.com/8", "title": null })).await.expect(204);
    assert_eq!(app.event_types().await.len(), events, "the same leaves no event");

    let answer = delete(&admin, &path).await;
    assert_eq!((answer.status, &*answer.text), (204, ""));
    assert_eq!(last_event(&app).await, json!(["feature-link-removed", "shop", null, changed]));
    assert_eq!(shown(&links(&admin, FEATURE).await), [(dashboard, None)]);
    delete(&admin, &path).await.refused(404, "NotFoundError", "no link");
    put(&admin, &path, json!({ "url": TICKET })).await.refused(404, "NotFoundError", "no link");
    delete(&admin, &first(&admin).await).await.expect(204);
    assert!(links(&admin, FEATURE).await.is_empty());
}

#[tokio::test]
async fn events_of_links_show_a_type_of_the_list_and_their_own_as_label() {
    let app = shop().await;
    let admin = app.admin();
    admin.post(LINKS, json!({ "url": TICKET })).await.expect(204);
    for query in ["type=IS:feature-link-added", "feature=IS:f", "query=tickets"] {
        let found = admin.get(&format!("/api/admin/search/events?{query}")).await.expect(200);
        let event = &found["events"][0];
        let told = (&event["type"], &event["label"], &event["featureName"], &event["data"]["url"]);
        let expected = (&json!("feature-updated"), &json!("feature-link-added"), &json!("f"), &json!(TICKET));
        assert_eq!(told, expected, "{query}");
    }
}

#[tokio::test]
async fn what_is_no_link_is_refused() {
    let app = shop().await;
    let admin = app.admin();
    admin.post(LINKS, json!({ "url": TICKET })).await.expect(204);
    let path = first(&admin).await;
    let events = app.event_types().await;
    for (body, property) in [
        (json!({}), "/body/url"),
        (json!({ "url": "" }), "/body/url"),
        (json!({ "url": null }), "/body/url"),
        (json!({ "url": "two words" }), "/body/url"),
        (json!({ "url": "javascript://example.com/%0aalert(1)" }), "http://"),
        (json!({ "url": "javascript:alert(1)" }), "/body/url"),
        (json!({ "url": "ftp://example.com" }), "http://"),
        (json!({ "url": "https://ada:secret@example.com" }), "user name"),
        (json!({ "url": format!("https://example.com/{}", "x".repeat(2000)) }), "/body/url"),
        (json!({ "url": format!("https://example.com/{}", "ä".repeat(1000)) }), "percent-encoded"),
        (json!({ "url": TICKET, "title": "x".repeat(256) }), "/body/title"),
    ] {
        admin.post(LINKS, body.clone()).await.refused(400, "ValidationError", property);
        put(&admin, &path, body).await.refused(400, "ValidationError", property);
    }
    for number in 1..10 {
        admin.post(LINKS, json!({ "url": format!("https://example.com/{number}") })).await.expect(204);
    }
    admin.post(LINKS, json!({ "url": TICKET })).await.refused(403, "InvalidOperationError", "10 links");
    assert_eq!(app.event_types().await.len(), events.len() + 9);
    admin.post("/api/admin/projects/shop/features/g/link", json!({ "url": TICKET })).await.refused(
        404,
        "NotFoundError",
        "\"g\"",
    );
    delete(&admin, FEATURE).await.expect(202);
    admin.post(LINKS, json!({ "url": TICKET })).await.refused(400, "ValidationError", "archived");
    delete(&admin, &path).await.refused(400, "ValidationError", "archived");
}

#[tokio::test]
async fn a_change_meant_for_another_state_is_refused() {
    let app = shop().await;
    let admin = app.admin();
    admin.post(LINKS, json!({ "url": TICKET })).await.expect(204);
    let path = first(&admin).await;
    let tag = tag_of(&admin.get(FEATURE).await);
    let change = json!({ "url": "https://tickets.example.com/8" });
    meant_for(&admin, &tag, &path, Some(change.clone())).await.expect(204);
    meant_for(&admin, &tag, &path, Some(change)).await.refused(412, "PreconditionFailedError", "");
    meant_for(&admin, &tag, &path, None).await.refused(412, "PreconditionFailedError", "");
    meant_for(&admin, &tag_of(&admin.get(FEATURE).await), &path, None).await.expect(204);
}

#[tokio::test]
async fn links_of_one_feature_are_not_reached_through_another() {
    let app = shop().await;
    app.feature("shop", "g").await;
    let admin = app.admin();
    admin.post(LINKS, json!({ "url": TICKET })).await.expect(204);
    let id = links(&admin, FEATURE).await[0]["id"].clone();
    let elsewhere = format!("/api/admin/projects/shop/features/g/link/{}", id.as_str().expect("an id"));
    put(&admin, &elsewhere, json!({ "url": TICKET })).await.refused(404, "NotFoundError", "no link");
    delete(&admin, &elsewhere).await.refused(404, "NotFoundError", "no link");
    assert_eq!(links(&admin, FEATURE).await.len(), 1);
}
