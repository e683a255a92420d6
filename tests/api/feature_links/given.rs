//! The links that new features of a project get.

use super::*;

const SETTINGS: &str = "/api/admin/projects/shop/settings";
const OVERVIEW: &str = "/api/admin/projects/shop/overview";
const FEATURES: &str = "/api/admin/projects/shop/features";

fn templates() -> Value {
    json!([
        { "title": "Ticket", "urlTemplate": "tickets.example.com/{{feature}}?in={{project}}" },
        { "title": null, "urlTemplate": "https://docs.example.com" },
    ])
}

#[tokio::test]
async fn new_features_get_the_links_that_the_settings_name() {
    let app = shop().await;
    let admin = app.admin();
    assert_eq!(admin.get(OVERVIEW).await.expect(200)["linkTemplates"], json!([]));
    put(&admin, SETTINGS, json!({ "linkTemplates": templates() })).await.expect(200);
    assert_eq!(admin.get(OVERVIEW).await.expect(200)["linkTemplates"], templates());
    let event = last_event(&app).await;
    assert_eq!((&event[0], &event[2]["linkTemplates"]), (&json!("project-updated"), &templates()));
    assert_eq!(event[3]["linkTemplates"], Value::Null);
    // The same again leaves no event, and other settings leave them alone.
    let events = app.event_types().await.len();
    put(&admin, SETTINGS, json!({ "linkTemplates": templates() })).await.expect(200);
    assert_eq!(app.event_types().await.len(), events);
    put(&admin, SETTINGS, json!({ "featureLimit": 9 })).await.expect(200);

    admin.post(FEATURES, json!({ "name": "new" })).await.expect(201);
    admin.post(&format!("{FEATURE}/clone"), json!({ "name": "copy" })).await.expect(201);
    for name in ["new", "copy"] {
        let ticket = format!("https://tickets.example.com/{name}?in=shop");
        let expected = [(&*ticket, Some("Ticket")), ("https://docs.example.com/", None)];
        assert_eq!(shown(&links(&admin, &format!("{FEATURES}/{name}")).await), expected);
    }
    let types = app.event_types().await;
    let told = ["feature-created", "feature-link-added", "feature-link-added"].map(str::to_owned);
    assert!(types.ends_with(&[told.clone(), told].concat()), "{types:?}");
    assert!(links(&admin, FEATURE).await.is_empty(), "older features stay as they are");

    put(&admin, SETTINGS, json!({ "linkTemplates": [] })).await.expect(200);
    assert_eq!(admin.get(OVERVIEW).await.expect(200)["linkTemplates"], json!([]));
    admin.post(FEATURES, json!({ "name": "bare" })).await.expect(201);
    assert!(links(&admin, &format!("{FEATURES}/bare")).await.is_empty());
}

#[tokio::test]
async fn a_name_that_makes_no_address_makes_no_link() {
    let app = shop().await;
    let admin = app.admin();
    let template = json!({ "title": "Own page", "urlTemplate": "https://{{feature}}/" });
    put(&admin, SETTINGS, json!({ "linkTemplates": [template] })).await.expect(200);
    for (name, count) in [("v.2", 0), ("example.com", 1)] {
        admin.post(FEATURES, json!({ "name": name })).await.expect(201);
        assert_eq!(links(&admin, &format!("{FEATURES}/{name}")).await.len(), count, "{name}");
    }
}

#[tokio::test]
async fn templates_that_lead_nowhere_are_refused() {
    let app = shop().await;
    let admin = app.admin();
    let fine = json!({ "title": "Fine", "urlTemplate": "https://example.com/{{feature}}" });
    for (templates, property) in [
        (json!([fine, { "title": "x", "urlTemplate": "ftp://example.com" }]), "/body/linkTemplates/1/urlTemplate"),
        (json!([{ "urlTemplate": "" }]), "/body/linkTemplates"),
        (json!([{ "title": "x" }]), "/body/linkTemplates"),
        (json!([{ "urlTemplate": "example.com", "title": "x".repeat(256) }]), "/body/linkTemplates"),
        (json!([{ "urlTemplate": format!("example.com/{}", "{{feature}}".repeat(20)) }]), "2000 characters"),
        (json!(vec![&fine; 11]), "/body/linkTemplates"),
    ] {
        put(&admin, SETTINGS, json!({ "linkTemplates": templates })).await.refused(400, "ValidationError", property);
    }
    assert_eq!(admin.get(OVERVIEW).await.expect(200)["linkTemplates"], json!([]));
}
