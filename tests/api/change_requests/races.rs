//! Several at once: what one of them changes, the others find changed.

use std::sync::Arc;

use flagstone::domain::change_request::state::State;
use futures_util::future::join_all;
use poem::http::Method;
use serde_json::json;

use super::shop::{ALL, CONFIG, REQUEST, Shop, adding, id_of};

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn changes_that_are_sent_at_once_join_one_draft_and_none_is_lost() {
    let shop = Arc::new(Shop::needing(1).await);
    let posts = (0..12).map(|number| {
        let shop = Arc::clone(&shop);
        tokio::spawn(async move { shop.ada.post(REQUEST, adding("cart", &format!("part {number}"))).await.expect(200) })
    });
    let bodies: Vec<_> = join_all(posts).await.into_iter().map(|post| post.expect("no panic")).collect();
    let id = id_of(&bodies[0]);
    assert!(bodies.iter().all(|body| id_of(body) == id));
    let request = shop.ada.get(&format!("{ALL}/{id}")).await.expect(200);
    let mut titles: Vec<&str> = request["features"][0]["changes"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|change| change["payload"]["title"].as_str().expect("a title"))
        .collect();
    titles.sort_unstable();
    let mut expected: Vec<String> = (0..12).map(|number| format!("part {number}")).collect();
    expected.sort_unstable();
    assert_eq!(titles, expected);
    let types = shop.app.event_types().await;
    let count = |kind: &str| types.iter().filter(|one| *one == kind).count();
    assert_eq!((count("change-request-created"), count("change-added")), (1, 12));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn two_approvals_of_one_person_count_once() {
    let shop = Arc::new(Shop::needing(2).await);
    let id = shop.in_review().await;
    let approvals = (0..8).map(|_| {
        let shop = Arc::clone(&shop);
        tokio::spawn(async move { shop.to(&shop.ben, id, "Approved").await })
    });
    let answers: Vec<_> = join_all(approvals).await.into_iter().map(|answer| answer.expect("no panic")).collect();
    assert_eq!(answers.iter().filter(|answer| answer.status == 200).count(), 1);
    for answer in answers.into_iter().filter(|answer| answer.status != 200) {
        answer.refused(409, "ChangeRequestStateError", "already approved");
    }
    let request = shop.read(id).await;
    assert_eq!((&request["state"], request["approvals"].as_array().map(Vec::len)), (&json!("In review"), Some(1)));
    shop.to(&shop.cleo, id, "Approved").await.expect(200);
    assert_eq!(shop.read(id).await["state"], "Approved");
}

/// Whichever comes first: an approval that is there afterwards is one of the changes that are there.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn an_approval_while_the_author_edits_holds_for_what_was_approved_alone() {
    for _ in 0..10 {
        let shop = Arc::new(Shop::needing(1).await);
        let id = shop.in_review().await;
        let (headers, _) = shop.ben.bytes(&format!("{ALL}/{id}"), &[]).await;
        let seen = headers["etag"].to_str().expect("a text").to_owned();
        let edit = {
            let shop = Arc::clone(&shop);
            tokio::spawn(async move { shop.ada.post(REQUEST, adding("cart", "more")).await.expect(200) })
        };
        let approval = {
            let shop = Arc::clone(&shop);
            let ben = shop.ben.clone().sending(&[("if-match", &seen)]);
            tokio::spawn(async move {
                ben.json(Method::PUT, &format!("{ALL}/{id}/state"), json!({ "state": "Approved" })).await
            })
        };
        edit.await.expect("no panic");
        let approval = approval.await.expect("no panic");
        assert!([200, 412].contains(&approval.status), "{}", approval.text);
        let request = shop.read(id).await;
        assert_eq!((&request["state"], &request["approvals"]), (&json!("In review"), &json!([])));
    }
}

/// Both lock the segment and the change request: neither waits for the other for ever.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn an_application_while_the_author_edits_makes_what_was_approved_or_nothing() {
    for _ in 0..10 {
        let shop = Arc::new(Shop::needing(1).await);
        let segment = json!({ "name": "Staff", "project": "shop", "constraints": [] });
        let segment = shop.app.admin().post("/api/admin/segments", segment).await.expect(201)["id"].clone();
        let applying = |title: &str| {
            let mut change = adding("cart", title);
            change["payload"]["segments"] = json!([segment]);
            change
        };
        let update = json!({ "id": segment, "name": "Employees", "project": "shop", "constraints": [] });
        let changes = json!([applying("approved"), { "action": "updateSegment", "payload": update }]);
        let request = shop.ada.post(REQUEST, changes).await.expect(200);
        let (id, change) = (id_of(&request), id_of(&request["features"][0]["changes"][0]));
        shop.to(&shop.ada, id, "In review").await.expect(200);
        shop.to(&shop.ben, id, "Approved").await.expect(200);
        let edit = {
            let (shop, edited) = (Arc::clone(&shop), applying("edited"));
            let path = format!("{ALL}/{id}/changes/{change}");
            tokio::spawn(async move { shop.ada.json(Method::PUT, &path, edited).await })
        };
        let application = {
            let shop = Arc::clone(&shop);
            tokio::spawn(async move { shop.to(&shop.ben, id, "Applied").await })
        };
        let (edit, application) = (edit.await.expect("no panic"), application.await.expect("no panic"));
        let request = shop.read(id).await;
        let title = &request["features"][0]["changes"][0]["payload"]["title"];
        let name = shop.app.admin().get(&format!("/api/admin/segments/{segment}")).await.expect(200)["name"].clone();
        let outcome = (edit.status, application.status);
        let seen = (request["state"].as_str(), title.as_str(), name.as_str());
        match outcome {
            (200, 409) => assert_eq!(seen, (Some("In review"), Some("edited"), Some("Staff"))),
            (409, 200) => assert_eq!(seen, (Some("Applied"), Some("approved"), Some("Employees"))),
            _ => panic!("{outcome:?}: {} {}", edit.text, application.text),
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_several_ends_one_comes_about() {
    let shop = Arc::new(Shop::needing(1).await);
    let id = shop.in_review().await;
    let ends = (0..6).map(|number| {
        let shop = Arc::clone(&shop);
        tokio::spawn(async move {
            if number % 2 == 0 {
                shop.to(&shop.ada, id, "Cancelled").await
            } else {
                shop.to(&shop.ben, id, "Rejected").await
            }
        })
    });
    let answers: Vec<_> = join_all(ends).await.into_iter().map(|answer| answer.expect("no panic")).collect();
    assert_eq!(answers.iter().filter(|answer| answer.status == 200).count(), 1);
    assert!(answers.iter().all(|answer| [200, 409].contains(&answer.status)));
    let types = shop.app.event_types().await;
    let ends = ["change-request-cancelled", "change-request-rejected"];
    assert_eq!(types.iter().filter(|kind| ends.contains(&kind.as_str())).count(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_the_last_change_requests_that_a_user_may_have_open_one_is_made() {
    let shop = Arc::new(Shop::needing(1).await);
    let config = json!({ "changeRequestsEnabled": true, "requiredApprovals": 1 });
    shop.app.admin().json(Method::PUT, &CONFIG.replace("production", "development"), config).await.expect(204);
    let ada = shop.ada.user_id.expect("a person");
    for _ in 0..99 {
        shop.put(ada, State::Scheduled).await;
    }
    let posts = [REQUEST.to_owned(), REQUEST.replace("production", "development")].map(|path| {
        let shop = Arc::clone(&shop);
        tokio::spawn(async move { shop.ada.post(&path, adding("cart", "the last")).await })
    });
    let mut answers: Vec<_> = join_all(posts).await.into_iter().map(|post| post.expect("no panic")).collect();
    answers.sort_by_key(|answer| answer.status);
    answers.pop().expect("two answers").refused(400, "ExceedsLimitError", "100 open change requests");
    answers.pop().expect("two answers").expect(200);
}
