//! Links that travel with their features.

use super::*;

const EXPORT: &str = "/api/admin/features-batch/export";
const IMPORT: &str = "/api/admin/features-batch/import";
const VALIDATE: &str = "/api/admin/features-batch/validate";
const ID: &str = "3f0a7f52-9a4e-4b8d-8f5a-6a1c2d3e4f50";

fn into(links: &Value) -> Value {
    let data = json!({ "features": [{ "name": "f" }], "featureStrategies": [], "tagTypes": [], "links": links });
    json!({ "project": "shop", "environment": "development", "data": data })
}

fn of_f(links: &Value) -> Value {
    json!([{ "feature": "f", "links": links }])
}

#[tokio::test]
async fn an_export_carries_them_and_an_import_adds_those_that_are_new() {
    let app = shop().await;
    let admin = app.admin();
    admin.post(LINKS, json!({ "url": TICKET, "title": "Ticket" })).await.expect(204);
    let kept = links(&admin, FEATURE).await;
    let wanted = json!({ "environment": "development", "project": "shop" });
    let data = admin.post(EXPORT, wanted).await.expect(200);
    assert_eq!(data["links"], of_f(&json!(kept)));
    let elsewhere = shop().await;
    let there = elsewhere.admin();
    let request = json!({ "project": "shop", "environment": "development", "data": data });
    there.post(IMPORT, request.clone()).await.expect(200);
    assert_eq!(links(&there, FEATURE).await, kept);
    let told = json!(["feature-link-added", "shop", { "url": TICKET, "title": "Ticket" }, null]);
    let events = elsewhere.events().await;
    assert!(events.iter().any(|event| crate::calls::told(event) == told));
    // A second time, and for a feature that has others: what is there stays.
    there.post(IMPORT, request).await.expect(200);
    assert_eq!(links(&there, FEATURE).await, kept);
    let more = json!([
        { "url": TICKET, "title": "Another title" },
        { "id": ID, "url": "docs.example.com", "title": null },
        { "id": kept[0]["id"], "url": "https://example.com/9" },
    ]);
    there.post(IMPORT, into(&of_f(&more))).await.expect(200);
    let held = links(&there, FEATURE).await;
    let expected = [(TICKET, Some("Ticket")), ("https://docs.example.com/", None), ("https://example.com/9", None)];
    assert_eq!(shown(&held), expected);
    assert_eq!(held[1]["id"], ID);
    assert!(held[2]["id"] != kept[0]["id"] && held[2]["id"].is_string(), "an id that is taken is not taken over");
    // Without the list nothing changes.
    let mut without = into(&json!([]));
    without["data"].as_object_mut().expect("an object").remove("links");
    there.post(IMPORT, without).await.expect(200);
    assert_eq!(links(&there, FEATURE).await, held);
}

#[tokio::test]
async fn an_import_that_brings_too_many_or_unfit_links_is_refused() {
    let app = shop().await;
    let admin = app.admin();
    admin.post(LINKS, json!({ "url": TICKET })).await.expect(204);
    let numbered = |count: usize| {
        let links: Vec<Value> =
            (0..count).map(|number| json!({ "url": format!("https://example.com/{number}") })).collect();
        json!(links)
    };
    for (links, message) in [
        (numbered(10), "at most 10 links; these are 11"),
        (json!([{ "url": "ftp://example.com" }]), "f: the address of a link must begin with http"),
        (json!([{ "url": TICKET, "title": "x".repeat(256) }]), "at most 255 characters"),
    ] {
        let found = admin.post(VALIDATE, into(&of_f(&links))).await.expect(200);
        assert!(found["errors"].to_string().contains(message), "{found}");
        let answer = admin.post(IMPORT, into(&of_f(&links))).await;
        assert_eq!(answer.status, 400, "{}", answer.text);
    }
    assert_eq!(links(&admin, FEATURE).await.len(), 1);
    // Those that are there count once.
    admin.post(IMPORT, into(&of_f(&numbered(9)))).await.expect(200);
    assert_eq!(links(&admin, FEATURE).await.len(), 10);
    admin.post(IMPORT, into(&of_f(&numbered(9)))).await.expect(200);
    // Links of features that the data set does not list are left out and told.
    let found = admin.post(VALIDATE, into(&json!([{ "feature": "g", "links": numbered(1) }]))).await.expect(200);
    assert!(found["warnings"].to_string().contains("\"g\""), "{found}");
}

#[tokio::test]
async fn they_stay_with_a_feature_that_moves_and_is_revived_and_go_with_one_that_is_deleted() {
    let app = shop().await;
    app.project("other").await;
    let admin = app.admin();
    admin.post(LINKS, json!({ "url": TICKET })).await.expect(204);
    let kept = links(&admin, FEATURE).await;
    admin.post(&format!("{FEATURE}/changeProject"), json!({ "newProjectId": "other" })).await.expect(200);
    let moved = "/api/admin/projects/other/features/f";
    assert_eq!(links(&admin, moved).await, kept);
    delete(&admin, moved).await.expect(202);
    admin.post("/api/admin/archive/revive/f", json!({})).await.expect(200);
    assert_eq!(links(&admin, moved).await, kept);
    delete(&admin, moved).await.expect(202);
    delete(&admin, "/api/admin/archive/f").await.expect(200);
    admin.post("/api/admin/projects/shop/features", json!({ "name": "f" })).await.expect(201);
    assert!(links(&admin, FEATURE).await.is_empty());
}
