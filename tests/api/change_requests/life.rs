//! The life of change requests: requested, reviewed, approved, applied, scheduled, rejected and given up.

use poem::http::Method;
use serde_json::{Value, json};

use super::{
    shop::{ALL, CONFIG, REQUEST, Shop, adding, id_of, switching},
    world::{PRODUCTION, is_on},
};
use crate::{harness::Client, notifications::messages};

/// Names of the states that a change request has entered.
fn entered(request: &Value) -> Vec<&str> {
    request["stateTimestamps"].as_object().expect("an object").keys().map(String::as_str).collect()
}

#[tokio::test]
async fn a_change_is_requested_approved_by_two_and_applied() {
    let shop = Shop::needing(2).await;
    let before = shop.app.event_types().await.len();
    let draft = shop.ada.post(REQUEST, switching("cart", true)).await.expect(200);
    let id = id_of(&draft);
    assert_eq!((&draft["state"], &draft["title"]), (&json!("Draft"), &json!(format!("Change request #{id}"))));
    assert_eq!((&draft["minApprovals"], &draft["project"]), (&json!(2), &json!("shop")));
    assert_eq!((&draft["environment"], &draft["createdBy"]["id"]), (&json!("production"), &json!(shop.ada.user_id)));
    let feature = &draft["features"][0];
    assert_eq!((&feature["name"], &feature["changes"][0]["action"]), (&json!("cart"), &json!("updateEnabled")));
    assert_eq!(feature["changes"][0]["payload"], json!({ "enabled": true }));
    // A feature without a strategy gets one.
    let default = &feature["defaultChange"];
    assert_eq!((&default["action"], &default["payload"]["name"]), (&json!("addStrategy"), &json!("flexibleRollout")));
    for list in ["segments", "approvals", "rejections", "comments"] {
        assert_eq!(draft[list], json!([]), "{list}");
    }
    assert_eq!(draft["schedule"], Value::Null);
    assert!(!is_on(&shop.app, PRODUCTION).await);

    shop.app.clock.advance(1000);
    let state = json!({ "state": "In review", "comment": " please look " });
    shop.ada.json(Method::PUT, &format!("{ALL}/{id}/state"), state).await.expect(200);
    shop.to(&shop.ben, id, "Approved").await.expect(200);
    let half = shop.read(id).await;
    assert_eq!((&half["state"], half["approvals"].as_array().map(Vec::len)), (&json!("In review"), Some(1)));
    assert_eq!(half["comments"][0]["text"], "please look");
    shop.to(&shop.ben, id, "Applied").await.refused(409, "ChangeRequestStateError", "In review");
    let decided = shop.to(&shop.cleo, id, "Approved").await.expect(200);
    let types: Vec<&Value> = decided["events"].as_array().expect("a list").iter().map(|event| &event["type"]).collect();
    assert_eq!(types, ["change-request-approval-added", "change-request-approved"]);

    let dry = json!({ "state": "Applied" });
    let dry = shop.ben.json(Method::PUT, &format!("{ALL}/{id}/state?dryRun=true"), dry).await.expect(200);
    assert_eq!(dry["dryRun"], true);
    assert!(!is_on(&shop.app, PRODUCTION).await);
    assert_eq!(shop.read(id).await["state"], "Approved");
    let applied = shop.to(&shop.ben, id, "Applied").await.expect(200);
    assert_eq!(applied["events"], dry["events"]);
    assert!(is_on(&shop.app, PRODUCTION).await);
    let request = shop.read(id).await;
    assert_eq!(request["state"], "Applied");
    assert_eq!(entered(&request), ["Applied", "Approved", "Draft", "In review"]);
    let events = shop.events_since(before).await;
    assert_eq!(
        events[..7],
        [
            "change-request-created",
            "change-added",
            "change-request-comment-added",
            "change-request-sent-to-review",
            "change-request-approval-added",
            "change-request-approval-added",
            "change-request-approved",
        ]
    );
    assert!(events[7..].contains(&"feature-environment-enabled".to_owned()), "{events:?}");
    assert!(events[7..].contains(&"change-request-applied".to_owned()), "{events:?}");
}

#[tokio::test]
async fn approvals_hold_for_the_changes_that_were_seen_and_no_others() {
    let shop = Shop::needing(1).await;
    let id = shop.in_review().await;
    let (headers, _) = shop.ben.bytes(&format!("{ALL}/{id}"), &[]).await;
    let seen = headers["etag"].to_str().expect("a text").to_owned();
    let digest = shop.read(id).await["changesDigest"].clone();
    shop.to(&shop.ben, id, "Approved").await.expect(200);
    let more = shop.ada.post(REQUEST, json!([adding("cart", "half")])).await.expect(200);
    assert_eq!((id_of(&more), &more["state"], &more["approvals"]), (id, &json!("In review"), &json!([])));
    assert_ne!(more["changesDigest"], digest);
    let state = format!("{ALL}/{id}/state");
    let late = shop.ben.clone().sending(&[("if-match", &seen)]);
    let answer = late.json(Method::PUT, &state, json!({ "state": "Approved" })).await;
    answer.refused(412, "PreconditionFailedError", "read it again");
    let (headers, _) = shop.ben.bytes(&format!("{ALL}/{id}"), &[]).await;
    let seen = headers["etag"].to_str().expect("a text").to_owned();
    let now = shop.ben.clone().sending(&[("if-match", &seen)]);
    now.json(Method::PUT, &state, json!({ "state": "Approved" })).await.expect(200);
    // Editing and discarding drop approvals, too.
    let request = shop.read(id).await;
    let change = |index: usize| id_of(&request["features"][0]["changes"][index]);
    let path = format!("{ALL}/{id}/changes/{}", change(1));
    let edited = shop.ada.json(Method::PUT, &path, adding("cart", "most")).await.expect(200);
    assert_eq!((&edited["state"], &edited["approvals"]), (&json!("In review"), &json!([])));
    assert_eq!(edited["features"][0]["changes"][1]["payload"]["title"], "most");
    shop.to(&shop.ben, id, "Approved").await.expect(200);
    let before = shop.app.event_types().await.len();
    shop.ada.request(Method::DELETE, &path, &[], Vec::new()).await.expect(200);
    assert_eq!(shop.events_since(before).await, ["change-discarded"]);
    let request = shop.read(id).await;
    assert_eq!((&request["state"], &request["approvals"]), (&json!("In review"), &json!([])));
    let path = format!("{ALL}/{id}/changes/{}", change(0));
    let last = shop.ada.request(Method::DELETE, &path, &[], Vec::new()).await;
    last.refused(409, "ChangeRequestStateError", "last change");
    let gone = shop.ada.request(Method::DELETE, &format!("{ALL}/{id}/changes/999"), &[], Vec::new()).await;
    gone.refused(404, "NotFoundError", "999");
}

#[tokio::test]
async fn what_is_approved_can_be_scheduled_rescheduled_and_rejected() {
    let shop = Shop::needing(1).await;
    let id = shop.in_review().await;
    shop.to(&shop.ben, id, "Approved").await.expect(200);
    let path = format!("{ALL}/{id}/state");
    let at = |at: &str| json!({ "state": "Scheduled", "scheduledAt": at });
    for (body, pointer) in [
        (json!({ "state": "Scheduled" }), "/body/scheduledAt"),
        (at("2026-01-15T12:00:00Z"), "/body/scheduledAt"),
        (at("2036-01-15T12:00:00Z"), "/body/scheduledAt"),
        (at("tomorrow"), "/body/scheduledAt"),
        (json!({ "state": "Draft" }), "/body/state"),
        (json!({ "state": "Open" }), "/body/state"),
        (json!({}), "/body/state"),
    ] {
        let answer = shop.ben.json(Method::PUT, &path, body.clone()).await;
        assert_eq!(answer.body["details"][0]["path"], pointer, "{body}: {}", answer.text);
        answer.refused(400, "ValidationError", pointer);
    }
    let before = shop.app.event_types().await.len();
    shop.ben.json(Method::PUT, &path, at("2026-01-20T09:00:00+01:00")).await.expect(200);
    let request = shop.read(id).await;
    let schedule =
        json!({ "scheduledAt": "2026-01-20T08:00:00.000Z", "status": "pending", "scheduledBy": shop.ben.user_id });
    assert_eq!((&request["state"], &request["schedule"]), (&json!("Scheduled"), &schedule));
    shop.ben.json(Method::PUT, &path, at("2026-01-21T08:00:00Z")).await.expect(200);
    assert_eq!(shop.read(id).await["schedule"]["scheduledAt"], "2026-01-21T08:00:00.000Z");
    assert_eq!(shop.events_since(before).await, ["change-request-scheduled", "change-request-scheduled"]);
    // Others see that their changes would collide.
    let other = shop.cleo.post(REQUEST, switching("cart", false)).await.expect(200);
    let conflicts = &other["features"][0]["changes"][0]["scheduleConflicts"]["changeRequests"];
    assert_eq!(*conflicts, json!([{ "id": id, "title": format!("Change request #{id}") }]));
    shop.ada.post(REQUEST, switching("cart", false)).await.expect(200);
    shop.to(&shop.ada, id, "Cancelled").await.refused(409, "ChangeRequestStateError", "Scheduled");
    shop.to(&shop.ada, id, "Rejected").await.expect(200);
    let request = shop.read(id).await;
    assert_eq!((&request["state"], &request["schedule"]), (&json!("Rejected"), &Value::Null));
    assert_eq!(request["rejections"][0]["createdBy"]["id"], json!(shop.ada.user_id));
}

#[tokio::test]
async fn what_is_not_wanted_is_discarded_cancelled_or_rejected() {
    let shop = Shop::needing(1).await;
    let id = id_of(&shop.ada.post(REQUEST, switching("cart", true)).await.expect(200));
    let before = shop.app.event_types().await.len();
    shop.ada.request(Method::DELETE, &format!("{ALL}/{id}"), &[], Vec::new()).await.expect(200);
    shop.ada.get(&format!("{ALL}/{id}")).await.refused(404, "NotFoundError", &id.to_string());
    let id = shop.in_review().await;
    shop.to(&shop.ada, id, "Cancelled").await.expect(200);
    let id = shop.in_review().await;
    let body = json!({ "state": "Rejected", "comment": "not before Friday" });
    shop.cleo.json(Method::PUT, &format!("{ALL}/{id}/state"), body).await.expect(200);
    let request = shop.read(id).await;
    assert_eq!((&request["state"], &request["comments"][0]["text"]), (&json!("Rejected"), &json!("not before Friday")));
    let requested = ["change-request-created", "change-added", "change-request-sent-to-review"];
    let expected = [
        vec!["change-request-discarded"],
        requested.to_vec(),
        vec!["change-request-cancelled"],
        requested.to_vec(),
        vec!["change-request-comment-added", "change-request-rejected"],
    ];
    assert_eq!(shop.events_since(before).await, expected.concat());
}

#[tokio::test]
async fn where_change_requests_are_off_nothing_is_requested_and_the_configuration_says_so() {
    let shop = Shop::needing(3).await;
    let config = shop.ada.get(&format!("{ALL}/config")).await.expect(200);
    let expected = json!([
        { "environment": "development", "type": "development", "changeRequestEnabled": false,
          "requiredApprovals": null },
        { "environment": "production", "type": "production", "changeRequestEnabled": true, "requiredApprovals": 3 },
    ]);
    assert_eq!(config, expected);
    let id = shop.in_review().await;
    let before = shop.app.event_types().await.len();
    let off = json!({ "changeRequestsEnabled": false, "requiredApprovals": 3 });
    for _ in 0..2 {
        shop.app.admin().json(Method::PUT, CONFIG, off.clone()).await.expect(204);
    }
    assert_eq!(shop.events_since(before).await, ["change-request-configuration-updated"]);
    assert_eq!(shop.ada.get(&format!("{ALL}/config")).await.expect(200)[1]["requiredApprovals"], Value::Null);
    for answer in [
        shop.ada.post(REQUEST, switching("cart", true)).await,
        shop.to(&shop.ben, id, "Approved").await,
        shop.ada.post(&format!("{ALL}/{id}/comments"), json!({ "text": "why?" })).await,
    ] {
        answer.refused(403, "InvalidOperationError", "switched off");
    }
    shop.to(&shop.ada, id, "Cancelled").await.expect(200);
    // Without a number, one approval is needed.
    shop.app.admin().json(Method::PUT, CONFIG, json!({ "changeRequestsEnabled": true })).await.expect(204);
    assert_eq!(shop.ada.get(&format!("{ALL}/config")).await.expect(200)[1]["requiredApprovals"], 1);
    let unknown = CONFIG.replace("production", "staging");
    let answer = shop.app.admin().json(Method::PUT, &unknown, json!({ "changeRequestsEnabled": true })).await;
    answer.refused(404, "NotFoundError", "staging");
    shop.ada.json(Method::PUT, CONFIG, off).await.refused(403, "NoAccessError", "PROJECT_CHANGE_REQUEST_WRITE");
}

#[tokio::test]
async fn where_no_approval_is_needed_review_ends_at_once() {
    let shop = Shop::needing(0).await;
    let id = shop.in_review().await;
    assert_eq!(shop.read(id).await["state"], "Approved");
}

#[tokio::test]
async fn a_change_request_is_evaluated_as_it_would_leave_the_features() {
    let shop = Shop::needing(1).await;
    let draft = id_of(&shop.ada.post(REQUEST, switching("cart", true)).await.expect(200));
    let path = format!("/api/admin/playground/change-request/{draft}");
    let question = json!({ "context": { "appName": "web", "userId": "1,2" } });
    shop.ada.post(&path, question.clone()).await.refused(400, "ValidationError", "in review");
    shop.ben.post(&path, question.clone()).await.refused(404, "NotFoundError", "no change request");
    shop.to(&shop.ada, draft, "In review").await.expect(200);
    let before = shop.app.event_types().await.len();
    let answer = shop.ben.post(&path, question.clone()).await.expect(200);
    assert_eq!(answer["input"]["environments"], json!(["production"]));
    let results = answer["features"][0]["environments"]["production"].as_array().expect("a list");
    let enabled: Vec<&Value> = results.iter().map(|result| &result["isEnabled"]).collect();
    assert_eq!(enabled, [true, true]);
    assert!(!is_on(&shop.app, PRODUCTION).await);
    assert_eq!(shop.app.event_types().await.len(), before);
    shop.to(&shop.ada, draft, "Cancelled").await.expect(200);
    shop.ben.post(&path, question).await.refused(400, "ValidationError", "Cancelled");
    let unknown = "/api/admin/playground/change-request/999";
    let answer = shop.ben.post(unknown, json!({ "context": { "appName": "web" } })).await;
    answer.refused(404, "NotFoundError", "no change request");
}

#[tokio::test]
async fn a_project_says_where_its_changes_need_approval() {
    let shop = Shop::needing(2).await;
    for path in
        ["/api/admin/projects/shop/overview", "/api/admin/projects/shop", "/api/admin/projects/shop/health-report"]
    {
        let project = shop.ada.get(path).await.expect(200);
        let environments = project["environments"].as_array().expect("a list").iter();
        let told: Vec<_> = environments.map(|one| (&one["environment"], &one["changeRequestsEnabled"])).collect();
        let expected = [(&json!("development"), &json!(false)), (&json!("production"), &json!(true))];
        assert_eq!(told, expected, "{path}");
    }
}

#[tokio::test]
async fn reviewers_are_notified_when_they_are_asked_and_authors_of_what_becomes_of_it() {
    let shop = Shop::needing(1).await;
    let id = shop.in_review().await;
    let name = async |client: &Client| {
        client.get("/api/admin/user").await.expect(200)["user"]["email"].as_str().expect("an email").to_owned()
    };
    let (ada, ben) = (name(&shop.ada).await, name(&shop.ben).await);
    let asking = async |users: &[&Client]| {
        let reviewers: Vec<_> = users.iter().map(|user| user.user_id).collect();
        shop.ada
            .json(Method::PUT, &format!("{ALL}/{id}/approvers"), json!({ "reviewers": reviewers }))
            .await
            .expect(200);
    };
    asking(&[&shop.ben]).await;
    asking(&[&shop.ben, &shop.cleo]).await;
    let asked = format!("{ada} asked for your approval of change request {id} in production");
    assert_eq!(messages(&shop.ben).await, [&*asked], "once");
    assert_eq!(messages(&shop.cleo).await, [asked]);
    assert_eq!(messages(&shop.ada).await, [""; 0]);
    shop.to(&shop.ben, id, "Approved").await.expect(200);
    assert_eq!(messages(&shop.ben).await, [""; 0], "nobody waits any more");
    assert_eq!(messages(&shop.ada).await, [format!("{ben} approved change request {id} in production")]);
    shop.to(&shop.ben, id, "Applied").await.expect(200);
    let other = shop.in_review().await;
    shop.to(&shop.cleo, other, "Rejected").await.expect(200);
    let cleo = name(&shop.cleo).await;
    assert_eq!(messages(&shop.ada).await[0], format!("{cleo} rejected change request {other} in production"));
    assert!(messages(&shop.cleo).await.iter().all(|message| !message.contains("change request")));
}
