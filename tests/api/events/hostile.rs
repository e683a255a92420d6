//! What is wrong, contradictory or meant to do harm is refused by name, or finds nothing.

use super::*;

#[tokio::test]
async fn parameters_off_their_pattern_are_refused_by_name() {
    let app = TestApp::new().await;
    let admin = app.admin();
    for (name, value) in [
        ("feature", "checkout"),
        ("feature", "IS_NOT:checkout"),
        ("project", "IS_NONE_OF:shop"),
        ("environment", "IS_NOT:production"),
        ("environment", ""),
        ("type", "is:feature-created"),
        ("createdBy", "INCLUDE:7"),
        ("createdBy", ""),
        ("createdAtFrom", "2026-01-15"),
        ("createdAtFrom", "IS_BEFORE:2026-01-15"),
        ("createdAtTo", "IS:2026-1-15"),
        ("createdAtTo", "IS:2026-01-15T00:00:00Z"),
        // In no calendar.
        ("createdAtFrom", "IS:2026-02-30"),
        ("createdAtTo", "IS:2024-13-45"),
        ("from", "yesterday"),
        ("to", "IS:2026-02-30"),
    ] {
        let answer = admin.get(&format!("/api/admin/search/events?{name}={}", encoded(value))).await;
        assert_eq!(answer.body["details"][0]["path"], format!("/query/{name}"), "{name}={value}");
        answer.refused(400, "ValidationError", &format!("`{name}`"));
    }
    for name in ["feature", "createdAtFrom", "query", "limit", "to"] {
        let value = if name == "feature" { "IS:a" } else { "IS:2026-01-15" };
        let answer = admin.get(&format!("/api/admin/search/events?{name}={value}&{name}={value}")).await;
        answer.refused(400, "ValidationError", &format!("`{name}`"));
    }
    let many = (0..1001).map(|id| id.to_string()).collect::<Vec<_>>().join(",");
    let answer = admin.get(&format!("/api/admin/search/events?createdBy=IS:{many}")).await;
    answer.refused(400, "ValidationError", "`createdBy`");
}

#[tokio::test]
async fn as_many_values_as_the_lists_admit_are_answered() {
    let app = TestApp::new().await;
    seed(&app).await;
    let list = |last: &str| (0..999).map(|id| id.to_string()).chain([last.to_owned()]).collect::<Vec<_>>().join(",");
    let (shop, kind) = (list("shop"), list("feature-archived"));
    let query = format!(
        "project=IS_ANY_OF:{shop}&type=IS_ANY_OF:{kind}&createdBy=IS:{}&feature=IS:{}&environment=IS:{}",
        list("-42"),
        list("Checkout"),
        list("production")
    );
    let plain = "project=IS:shop&type=IS:feature-archived&createdBy=IS_ANY_OF:7,-42&feature=IS:Checkout\
                 &environment=IS:production";
    let found = find(&app.admin(), &query).await;
    assert_eq!(found, find(&app.admin(), plain).await);
    assert!(found.1 > 0);
}

#[tokio::test]
async fn bodies_off_the_schema_are_refused_by_property() {
    let app = TestApp::new().await;
    let admin = app.admin();
    for (body, place) in [
        (json!({ "limit": 0 }), "/body/limit"),
        (json!({ "limit": 101 }), "/body/limit"),
        (json!({ "limit": "10" }), "/body/limit"),
        (json!({ "limit": 1.5 }), "/body/limit"),
        (json!({ "offset": -1 }), "/body/offset"),
        (json!({ "offset": 1e30 }), "/body/offset"),
        (json!({ "offset": "1" }), "/body/offset"),
        (json!({ "project": 7 }), "/body/project"),
        (json!({ "feature": ["checkout"] }), "/body/feature"),
        (json!({ "query": null }), "/body/query"),
        (json!({ "type": null }), "/body/type"),
        (json!({ "query": "a\0b" }), "/body/query"),
        (json!([]), "/body"),
        (json!("feature-created"), "/body"),
        (json!(null), "/body"),
    ] {
        let answer = admin.post("/api/admin/events/search", body.clone()).await;
        assert_eq!(answer.body["details"][0]["path"], place, "{body}");
        answer.refused(400, "ValidationError", place);
    }
    let json_type = [("content-type", "application/json")];
    let answer = admin.request(Method::POST, "/api/admin/events/search", &json_type, b"{\"type\":".to_vec()).await;
    answer.refused(400, "ValidationError", "not valid JSON");
}

#[tokio::test]
async fn signs_of_query_languages_are_plain_text() {
    let app = TestApp::new().await;
    seed(&app).await;
    let marked = NewEvent::new(EventKind::FeatureUpdated, &Actor::system());
    let texts =
        ["' OR 1=1 --", "NEAR(a b)", "search_origin : ada", "a* AND b", "{x} : ^y", "\u{1F600}\u{1F600}\u{1F600}"];
    let events = texts.map(|text| marked.clone().with_data(&json!({ "text": text })));
    app.tx().await.commit(app.clock.now(), events).await.expect("done");
    let admin = app.admin();
    for (index, text) in texts.iter().enumerate() {
        let expected = (vec![91 + i64::try_from(index).expect("few")], 1);
        assert_eq!(find(&admin, &format!("query={}", encoded(text))).await, expected, "{text}");
        assert_eq!(find_by_body(&admin, json!({ "query": text })).await, expected, "{text}");
    }
    for text in
        ["\" OR *", "\"\"\"", "*", "a OR b OR c", "snake% OR", "'; DROP TABLE event; --", "\\", "_____", "%%%", "^^^"]
    {
        let (found, total) = find(&admin, &format!("query={}", encoded(text))).await;
        let expected =
            app.events().await.into_iter().rev().filter(|event| event.search_payload.contains(&text.to_lowercase()));
        let expected: Vec<i64> = expected.map(|event| event.id).collect();
        assert_eq!(usize::try_from(total).expect("few"), expected.len(), "{text}");
        assert_eq!(found, expected.into_iter().take(50).collect::<Vec<_>>(), "{text}");
    }
}

#[tokio::test]
async fn texts_of_any_length_are_compared_as_a_whole() {
    let app = TestApp::new().await;
    let long = "Lorem ipsum dolor ".repeat(1000);
    let event =
        |text: &str| NewEvent::new(EventKind::FeatureUpdated, &Actor::system()).with_data(&json!({ "text": text }));
    let events = [event(&long), event(&long[..long.len() - 1]), event("lorem")];
    app.tx().await.commit(app.clock.now(), events).await.expect("done");
    let admin = app.admin();
    let sixteen_kb = &long[..16_000];
    let other = format!("{}x", &sixteen_kb[..15_999]);
    for (text, expected) in [(sixteen_kb, vec![2, 1]), (&*long, vec![1]), (&*other, vec![])] {
        let total = i64::try_from(expected.len()).expect("few");
        assert_eq!(find_by_body(&admin, json!({ "query": text })).await, (expected.clone(), total));
        assert_eq!(find(&admin, &format!("query={}", encoded(text))).await, (expected, total));
    }
    let near_the_bound = "Lorem ipsum dolor ".repeat(55_000);
    let started = std::time::Instant::now();
    assert_eq!(find_by_body(&admin, json!({ "query": near_the_bound })).await, (vec![], 0));
    assert!(started.elapsed().as_secs() < 60, "{:?}", started.elapsed());
}

#[tokio::test]
async fn a_nul_finds_nothing() {
    let app = TestApp::new().await;
    seed(&app).await;
    let admin = app.admin();
    for query in [
        "query=%00",
        "query=snake%00",
        "feature=IS:check%00out",
        "project=IS:%00",
        "environment=IS:%00",
        "type=IS:feature-created%00",
        "createdBy=IS:7%00",
    ] {
        assert_eq!(find(&admin, query).await, (vec![], 0), "{query}");
    }
    assert!(find(&admin, "project=IS_ANY_OF:sh%00op,shop").await.1 > 0);
    // No valid UTF-8: the bad bytes are some character that nothing holds.
    assert_eq!(find(&admin, "query=%ff%fe").await, (vec![], 0));
}
