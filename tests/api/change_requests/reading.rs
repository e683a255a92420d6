//! Visibility of change requests: drafts by their authors alone, and lists of what there is.

use flagstone::domain::change_request::state::State;
use poem::http::Method;
use serde_json::{Value, json};

use super::shop::{ALL, CONFIG, REQUEST, Shop, adding, id_of, switching};
use crate::harness::Client;

const SEARCH: &str = "/api/admin/search/change-requests";

async fn ids(client: &Client, path: &str) -> Vec<i64> {
    let body = client.get(path).await.expect(200);
    let list = body.as_array().or_else(|| body["changeRequests"].as_array()).expect("a list");
    list.iter().map(id_of).collect()
}

#[tokio::test]
async fn a_draft_is_seen_by_its_author_alone() {
    let shop = Shop::needing(1).await;
    let id = id_of(&shop.ada.post(REQUEST, switching("cart", true)).await.expect(200));
    let path = format!("{ALL}/{id}");
    let administrator = shop.app.root_admin().await;
    for client in [&shop.ben, &administrator, &shop.app.admin()] {
        client.get(&path).await.refused(404, "NotFoundError", "no change request");
        client.get(&format!("{path}/approvers")).await.refused(404, "NotFoundError", "no change request");
        for list in [ALL.to_owned(), format!("{ALL}/pending/cart"), SEARCH.to_owned()] {
            assert_eq!(ids(client, &list).await, [0; 0], "{list}");
        }
        assert_eq!(client.get(&format!("{ALL}/count")).await.expect(200)["total"], 0);
    }
    for client in [&shop.ben, &administrator] {
        let comment = json!({ "text": "I see" });
        client.post(&format!("{path}/comments"), comment).await.refused(404, "NotFoundError", "no change request");
        let title = json!({ "title": "mine" });
        let answer = client.json(Method::PUT, &format!("{path}/title"), title).await;
        answer.refused(404, "NotFoundError", "no change request");
        assert_eq!(client.get(&format!("{ALL}/actionable")).await.expect(200)["total"], 0);
    }
    for list in [ALL.to_owned(), format!("{ALL}/pending"), format!("{ALL}/pending/cart"), SEARCH.to_owned()] {
        assert_eq!(ids(&shop.ada, &list).await, [id], "{list}");
    }
    // Its author may be gone, and then an administrator can end it.
    shop.to(&administrator, id, "Cancelled").await.expect(200);
    assert_eq!(ids(&shop.ben, ALL).await, [id]);
}

#[tokio::test]
async fn a_change_request_of_another_project_is_none_of_this_one() {
    let shop = Shop::needing(1).await;
    let id = shop.in_review().await;
    shop.app.project("bank").await;
    for path in ["", "/approvers"] {
        let answer = shop.ada.get(&format!("/api/admin/projects/bank/change-requests/{id}{path}")).await;
        answer.refused(404, "NotFoundError", "no change request");
    }
    let path = format!("/api/admin/projects/bank/change-requests/{id}/state");
    let answer = shop.app.root_admin().await.json(Method::PUT, &path, json!({ "state": "Approved" })).await;
    answer.refused(404, "NotFoundError", "no change request");
}

#[tokio::test]
async fn a_private_project_hides_its_change_requests() {
    let shop = Shop::needing(1).await;
    let id = shop.in_review().await;
    let private = json!({ "name": "shop", "mode": "private" });
    shop.app.admin().json(Method::PUT, "/api/admin/projects/shop", private).await.expect(200);
    let outsider = shop.app.editor().await;
    for path in
        ["", "/config", "/count", "/pending", "/pending/cart", "/scheduled", "/actionable", "/1", "/1/approvers"]
    {
        let absent = ALL.replace("shop", "absent");
        let there = outsider.get(&format!("{ALL}{path}")).await;
        let elsewhere = outsider.get(&format!("{absent}{path}")).await;
        assert_eq!((there.status, elsewhere.status), (404, 404), "{path}");
        assert_eq!(there.text.replace("shop", "absent").len(), elsewhere.text.len(), "{path}");
    }
    outsider.post(REQUEST, switching("cart", true)).await.refused(404, "NotFoundError", "shop");
    assert_eq!(ids(&outsider, SEARCH).await, [0; 0]);
    assert_eq!(ids(&shop.ben, SEARCH).await, [id]);
    // The author was no member.
    assert_eq!(ids(&shop.ada, SEARCH).await, [0; 0]);
}

#[tokio::test]
async fn only_members_request_changes_of_a_protected_project() {
    let shop = Shop::needing(1).await;
    let id = id_of(&shop.ada.post(REQUEST, switching("cart", true)).await.expect(200));
    let protected = json!({ "name": "shop", "mode": "protected" });
    shop.app.admin().json(Method::PUT, "/api/admin/projects/shop", protected).await.expect(200);
    shop.ada.post(REQUEST, switching("cart", false)).await.refused(403, "InvalidOperationError", "members");
    shop.to(&shop.ada, id, "In review").await.refused(403, "InvalidOperationError", "members");
    shop.to(&shop.ada, id, "Cancelled").await.expect(200);
    for client in [shop.app.member("shop").await, shop.app.root_admin().await] {
        client.post(REQUEST, switching("cart", true)).await.expect(200);
    }
    let answer = shop.app.admin().post(REQUEST, switching("cart", true)).await;
    answer.refused(403, "InvalidOperationError", "API token");
}

#[tokio::test]
async fn change_requests_are_counted_listed_and_found() {
    let shop = Shop::needing(2).await;
    let (ada, ben, cleo) = (shop.ada.user_id, shop.ben.user_id, shop.cleo.user_id);
    let mut of = Vec::new();
    for state in State::ALL {
        let author = shop.app.viewer().await;
        of.push((state, shop.put(author.user_id.expect("a person"), state).await.0));
    }
    let own = shop.in_review().await;
    let counts = shop.ada.get(&format!("{ALL}/count")).await.expect(200);
    let expected = json!({
        "total": 7, "applied": 1, "approved": 1, "rejected": 1, "reviewRequired": 2, "scheduled": 1,
    });
    assert_eq!(counts, expected);
    let mut seen: Vec<i64> = of.iter().filter(|(state, _)| *state != State::Draft).map(|(_, id)| *id).collect();
    seen.push(own);
    seen.reverse();
    assert_eq!(ids(&shop.ben, ALL).await, seen);
    assert_eq!(ids(&shop.ben, SEARCH).await, seen);
    let listed = shop.ben.get(ALL).await.expect(200);
    assert!(listed.as_array().expect("a list").iter().all(|request| {
        request["features"] == json!([{ "name": "cart", "changes": [] }]) && request["title"] != ""
    }));
    // Those of others that wait for an approval, and what is approved.
    for (client, expected) in [(&shop.ben, 3), (&shop.cleo, 2), (&shop.ada, 0)] {
        assert_eq!(client.get(&format!("{ALL}/actionable")).await.expect(200)["total"], expected);
        assert_eq!(ids(client, &format!("{SEARCH}?actionable=true")).await.len(), expected);
    }
    let answer = shop.app.admin().get(&format!("{SEARCH}?actionable=true")).await;
    answer.refused(403, "InvalidOperationError", "API token");
    let open: Vec<i64> = seen
        .iter()
        .copied()
        .filter(|id| *id == own || of.iter().any(|(state, known)| known == id && state.is_open()))
        .collect();
    let closed: Vec<i64> = seen.iter().copied().filter(|id| !open.contains(id)).collect();
    let reviewers = json!({ "reviewers": [cleo, cleo] });
    shop.ada.json(Method::PUT, &format!("{ALL}/{own}/approvers"), reviewers).await.expect(200);
    let user = |id: Option<i64>| id.expect("a person");
    for (query, expected) in [
        ("?state=IS:open".to_owned(), open.clone()),
        ("?state=IS:closed".to_owned(), closed),
        (format!("?createdBy=IS:{}", user(ada)), vec![own]),
        (format!("?createdBy=IS:{}", user(ben)), vec![]),
        (format!("?requestedApproverId=IS:{}", user(cleo)), vec![own]),
        (format!("?requestedApproverId=IS:{}&state=IS:closed", user(cleo)), vec![]),
        (format!("?requestedApproverId=IS:{}&actionable=true", user(cleo)), vec![own]),
        ("?actionable=yes".to_owned(), seen.clone()),
        ("?actionable=true&limit=1&offset=1".to_owned(), seen[5..6].to_vec()),
        ("?limit=2&offset=1".to_owned(), seen[1..3].to_vec()),
    ] {
        assert_eq!(ids(&shop.ben, &format!("{SEARCH}{query}")).await, expected, "{query}");
    }
    let found = shop.ben.get(&format!("{SEARCH}?limit=1")).await.expect(200);
    assert_eq!(found["total"], 7);
    let first = &found["changeRequests"][0];
    assert_eq!((&first["features"], &first["segments"]), (&json!(["cart"]), &json!([])));
    for query in ["state=open", "state=IS:all", "createdBy=IS:ada", "createdBy=7", "requestedApproverId=IS_NOT:1"] {
        let name = query.split('=').next().expect("a name");
        shop.ben.get(&format!("{SEARCH}?{query}")).await.refused(400, "ValidationError", name);
    }
    assert_eq!(ids(&shop.ben, &format!("{ALL}/pending/cart")).await.len(), 4);
    assert_eq!(ids(&shop.ben, &format!("{ALL}/pending/unknown")).await, [0; 0]);
}

#[tokio::test]
async fn a_list_shows_each_change_request_as_it_is_without_its_changes() {
    let shop = Shop::needing(2).await;
    shop.app.feature("shop", "other").await;
    let segment = json!({ "name": "Staff", "project": "shop", "constraints": [] });
    let segment = shop.app.admin().post("/api/admin/segments", segment).await.expect(201)["id"].clone();
    let update = json!({ "id": segment, "name": "Employees", "project": "shop", "constraints": [] });
    let changes = json!([
        adding("other", "one"),
        switching("cart", true),
        { "action": "updateSegment", "payload": update },
        adding("other", "two"),
    ]);
    let id = id_of(&shop.ada.post(REQUEST, changes).await.expect(200));
    shop.ada.json(Method::PUT, &format!("{ALL}/{id}/title"), json!({ "title": "Launch" })).await.expect(200);
    shop.to(&shop.ada, id, "In review").await.expect(200);
    shop.ben.post(&format!("{ALL}/{id}/comments"), json!({ "text": "why?" })).await.expect(200);
    shop.to(&shop.ben, id, "Approved").await.expect(200);
    for state in [State::InReview, State::Scheduled, State::Applied] {
        let author = shop.app.viewer().await.user_id.expect("a person");
        let (id, _) = shop.put(author, state).await;
        if state == State::InReview {
            shop.to(&shop.cleo, id, "Rejected").await.expect(200);
        }
    }
    let listed = shop.ben.get(ALL).await.expect(200);
    let listed = listed.as_array().expect("a list");
    assert_eq!(listed.len(), 4);
    for listed in listed {
        let mut whole = shop.ben.get(&format!("{ALL}/{}", id_of(listed))).await.expect(200);
        whole.as_object_mut().expect("an object").remove("changesDigest").expect("a digest");
        for feature in whole["features"].as_array_mut().expect("a list") {
            *feature = json!({ "name": feature["name"], "changes": [] });
        }
        for change in whole["segments"].as_array_mut().expect("a list") {
            *change = json!({ "id": change["id"], "action": change["action"], "name": change["name"] });
        }
        assert_eq!(listed, &whole);
    }
    let launch = listed.last().expect("the first one");
    let features: Vec<&Value> =
        launch["features"].as_array().expect("a list").iter().map(|feature| &feature["name"]).collect();
    assert_eq!(features, ["other", "cart"]);
    assert_eq!((&launch["title"], &launch["comments"][0]["text"]), (&json!("Launch"), &json!("why?")));
    assert_eq!(launch["approvals"][0]["createdBy"]["id"], json!(shop.ben.user_id));
    let segment = &launch["segments"][0];
    assert_eq!((&segment["action"], &segment["name"]), (&json!("updateSegment"), &json!("Staff")));
}

#[tokio::test]
async fn scheduled_ones_are_found_by_what_they_change() {
    let shop = Shop::needing(1).await;
    shop.app.feature("shop", "other").await;
    let (id, _) = shop.put(shop.ada.user_id.expect("a person"), State::Scheduled).await;
    let path = format!("{ALL}/scheduled");
    for (query, expected) in [
        ("", true),
        ("?feature=cart", true),
        ("?feature=other&feature=cart", true),
        ("?feature=other", false),
        ("?variantForFlag=cart", false),
        ("?strategyId=0190163d-8694-739b-aea5-966c26f8ad91", false),
        ("?strategyId=0190163d-8694-739b-aea5-966c26f8ad91&feature=cart", true),
    ] {
        let expected = if expected { vec![id] } else { vec![] };
        assert_eq!(ids(&shop.ben, &format!("{path}{query}")).await, expected, "{query}");
    }
    let body = shop.ben.get(&path).await.expect(200);
    assert_eq!(body, json!([{ "id": id, "environment": "production", "title": format!("Change request #{id}") }]));
    shop.ben.get(&format!("{path}?strategyId=x")).await.refused(400, "ValidationError", "strategyId");
}

#[tokio::test]
async fn reviewers_are_those_who_may_approve() {
    let shop = Shop::needing(1).await;
    let administrator = shop.app.root_admin().await;
    let available = |environment: &str| format!("{ALL}/available-reviewers/{environment}");
    let reviewers = shop.ada.get(&available("production")).await.expect(200);
    let of = |body: &Value| -> Vec<i64> { body["reviewers"].as_array().expect("a list").iter().map(id_of).collect() };
    let [ben, cleo, admin] = [&shop.ben, &shop.cleo, &administrator].map(|client| client.user_id.expect("a person"));
    let found = of(&reviewers);
    assert!([ben, cleo, admin].iter().all(|id| found.contains(id)), "{found:?}");
    assert!(!found.contains(&shop.ada.user_id.expect("a person")));
    let elsewhere = of(&shop.ada.get(&available("development")).await.expect(200));
    assert!(elsewhere.contains(&admin) && !elsewhere.contains(&ben), "{elsewhere:?}");
    shop.ada.get(&available("staging")).await.refused(404, "NotFoundError", "staging");
    let id = shop.in_review().await;
    let path = format!("{ALL}/{id}/approvers");
    let before = shop.app.event_types().await.len();
    for _ in 0..2 {
        shop.ada.json(Method::PUT, &path, json!({ "reviewers": [ben] })).await.expect(200);
    }
    assert_eq!(of(&shop.cleo.get(&path).await.expect(200)), [ben]);
    assert_eq!(shop.events_since(before).await, ["change-request-requested-approvers-updated"]);
    let stranger = shop.ada.user_id.expect("a person");
    let answer = shop.ada.json(Method::PUT, &path, json!({ "reviewers": [ben, stranger] })).await;
    assert_eq!(answer.body["details"][0]["path"], "/body/reviewers/1", "{}", answer.text);
    // Anybody who may approve can, asked or not.
    shop.to(&shop.cleo, id, "Approved").await.expect(200);
}

#[tokio::test]
async fn titles_and_comments_are_kept_without_the_blanks_around_them() {
    let shop = Shop::needing(1).await;
    let id = shop.in_review().await;
    let before = shop.app.event_types().await.len();
    for title in [" Launch ", "Launch"] {
        shop.ada.json(Method::PUT, &format!("{ALL}/{id}/title"), json!({ "title": title })).await.expect(200);
    }
    let comment = shop.ben.post(&format!("{ALL}/{id}/comments"), json!({ "text": " why? " })).await.expect(200);
    assert_eq!((&comment["text"], &comment["createdBy"]["id"]), (&json!("why?"), &json!(shop.ben.user_id)));
    assert_eq!(shop.events_since(before).await, ["change-request-title-updated", "change-request-comment-added"]);
    let request = shop.read(id).await;
    assert_eq!((&request["title"], &request["comments"]), (&json!("Launch"), &json!([comment])));
    // Events of this kind are shown with the type of the list, and found by their own.
    let path = "/api/admin/search/events?type=IS:change-request-title-updated";
    let events = shop.app.admin().get(path).await.expect(200);
    let event = &events["events"][0];
    assert_eq!((&event["type"], &event["label"]), (&json!("change-edited"), &json!("change-request-title-updated")));
    assert_eq!(event["data"], json!({ "changeRequestId": id, "title": "Launch" }));
    shop.ada.json(Method::PUT, &format!("{ALL}/{id}/title"), json!({ "title": " " })).await.expect(200);
    assert_eq!(shop.read(id).await["title"], format!("Change request #{id}"));
}

#[tokio::test]
async fn a_feature_that_is_archived_keeps_its_changes_from_being_applied() {
    let shop = Shop::needing(1).await;
    let id = shop.in_review().await;
    shop.to(&shop.ben, id, "Approved").await.expect(200);
    let administrator = shop.app.root_admin().await;
    let archived = administrator.request(Method::DELETE, super::shop::CART, &[], Vec::new()).await;
    assert_eq!(archived.status, 202, "{}", archived.text);
    let request = shop.read(id).await;
    let conflict = request["features"][0]["conflict"].as_str().expect("a conflict");
    assert!(conflict.contains("archived") && !conflict.ends_with('.'), "{conflict}");
    let at = json!({ "state": "Scheduled", "scheduledAt": "2026-01-20T09:00:00Z" });
    let answer = shop.ben.json(Method::PUT, &format!("{ALL}/{id}/state"), at).await;
    answer.refused(409, "ChangeRequestStateError", "archived");
}

#[tokio::test]
async fn what_could_not_be_done_directly_is_not_recorded() {
    let shop = Shop::needing(1).await;
    shop.app.project("bank").await;
    shop.app.feature("bank", "vault").await;
    let id = "0190163d-8694-739b-aea5-966c26f8ad91";
    let segment = json!({ "id": 999, "name": "x", "constraints": [] });
    for (change, pointer) in [
        (switching("unknown", true), "/feature"),
        (switching("vault", true), "/feature"),
        (json!({ "feature": "cart", "action": "rename", "payload": {} }), "/action"),
        (json!({ "feature": "cart", "action": "updateEnabled" }), "/payload"),
        (json!({ "action": "archiveFeature" }), "/feature"),
        (json!({ "feature": "cart", "action": "addStrategy", "payload": { "name": "absent" } }), "/payload/name"),
        (json!({ "feature": "cart", "action": "deleteStrategy", "payload": { "id": id } }), "/payload"),
        (
            json!({ "feature": "cart", "action": "addDependency", "payload": { "feature": "vault" } }),
            "/payload/feature",
        ),
        (json!({ "action": "updateSegment", "payload": segment }), "/payload/id"),
    ] {
        for (body, place) in [(change.clone(), "/body"), (json!([switching("cart", true), change]), "/body/1")] {
            let answer = shop.ada.post(REQUEST, body).await;
            let path = answer.body["details"][0]["path"].as_str().unwrap_or_default().to_owned();
            assert_eq!(path, format!("{place}{pointer}"), "{}", answer.text);
            assert_eq!(answer.status, 400);
        }
    }
    let unknown = json!({ "feature": "cart", "action": "rename", "payload": {} });
    shop.ada.post(REQUEST, unknown).await.refused(400, "ValidationError", "\"archiveFeature\", \"addDependency\"");
    shop.ada.post(REQUEST, json!([])).await.refused(400, "ValidationError", "/body");
    assert_eq!(ids(&shop.ada, &format!("{ALL}/pending")).await, [0; 0]);
    let development = REQUEST.replace("production", "development");
    shop.ada.post(&development, switching("cart", true)).await.refused(403, "InvalidOperationError", "switched off");
    let staging = REQUEST.replace("production", "staging");
    shop.ada.post(&staging, switching("cart", true)).await.refused(404, "NotFoundError", "staging");
}

#[tokio::test]
async fn bounds_are_named() {
    let shop = Shop::needing(1).await;
    let id = shop.in_review().await;
    let many: Vec<Value> = (0..1000).map(|number| switching("cart", number % 2 == 0)).collect();
    shop.ada.post(REQUEST, many.clone().into()).await.refused(400, "ExceedsLimitError", "1000 changes");
    shop.ada.post(REQUEST, many[1..].to_vec().into()).await.expect(200);
    shop.ada.post(REQUEST, switching("cart", true)).await.refused(400, "ExceedsLimitError", "1000 changes");
    let too_many = [many, vec![switching("cart", true)]].concat();
    shop.cleo.post(REQUEST, too_many.into()).await.refused(400, "ValidationError", "/body");
    let long = "x".repeat(1001);
    let comment = shop.ben.post(&format!("{ALL}/{id}/comments"), json!({ "text": long })).await;
    comment.refused(400, "ValidationError", "/body/text");
    let state = json!({ "state": "Approved", "comment": long });
    let answer = shop.ben.json(Method::PUT, &format!("{ALL}/{id}/state"), state).await;
    answer.refused(400, "ValidationError", "/body/comment");
    let title = json!({ "title": "x".repeat(256) });
    let answer = shop.ada.json(Method::PUT, &format!("{ALL}/{id}/title"), title).await;
    answer.refused(400, "ValidationError", "/body/title");
    let approvals = json!({ "changeRequestsEnabled": true, "requiredApprovals": 101 });
    let answer = shop.app.admin().json(Method::PUT, CONFIG, approvals).await;
    answer.refused(400, "ValidationError", "/body/requiredApprovals");
    let reviewers = json!({ "reviewers": vec![1; 101] });
    let answer = shop.ada.json(Method::PUT, &format!("{ALL}/{id}/approvers"), reviewers).await;
    answer.refused(400, "ValidationError", "/body/reviewers");
}

#[tokio::test]
async fn a_user_has_a_hundred_open_change_requests_at_most() {
    let shop = Shop::needing(1).await;
    let ada = shop.ada.user_id.expect("a person");
    for _ in 0..99 {
        shop.put(ada, State::Scheduled).await;
    }
    shop.ada.post(REQUEST, adding("cart", "the last")).await.expect(200);
    let scheduled = ids(&shop.ada, ALL).await.into_iter().next().expect("the draft");
    shop.to(&shop.ada, scheduled, "Cancelled").await.expect(200);
    shop.put(ada, State::Scheduled).await;
    let answer = shop.ada.post(REQUEST, adding("cart", "one more")).await;
    answer.refused(400, "ExceedsLimitError", "100 open change requests");
    shop.cleo.post(REQUEST, adding("cart", "of another")).await.expect(200);
}
