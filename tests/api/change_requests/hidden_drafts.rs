//! Drafts are their authors' alone: the log tells the ids of their changes, and everything once they are in review.

use flagstone::audit::{self, Scope, Trust};
use poem::http::Method;
use serde_json::{Value, json};

use super::{
    proof::hashed,
    shop::{ALL, REQUEST, Shop, adding, id_of},
};
use crate::{
    authorization::somebody_granted,
    harness::{Client, TestApp},
    notifications::messages,
};

const SEARCH: &str = "/api/admin/search/events?limit=1000&project=IS:shop";
const LATEST: &str = "/api/admin/events?project=shop";
const OF_FEATURE: &str = "/api/admin/events/till";

/// Events of change requests among those that an answer lists, oldest first.
async fn told(client: &Client, path: &str) -> Vec<Value> {
    let body = client.get(path).await.expect(200);
    let events = body["events"].as_array().expect("a list").iter().rev().cloned();
    let about = |event: &Value| [&event["data"], &event["preData"]].iter().any(|data| data["changeRequestId"].is_i64());
    events.filter(about).collect()
}

/// The own types of events.
fn types(events: &[Value]) -> Vec<&str> {
    events.iter().map(|event| event["label"].as_str().or_else(|| event["type"].as_str()).expect("a type")).collect()
}

/// Number of events that contain a text.
async fn found(client: &Client, text: &str) -> Value {
    client.get(&format!("{SEARCH}&query={text}")).await.expect(200)["total"].clone()
}

/// Somebody who reads the log of what they see, besides a viewer who searches it.
async fn readers(app: &TestApp) -> [(Client, &'static str); 2] {
    [(app.viewer().await, SEARCH), (somebody_granted(app, None, &[("READ_LOGS", None)]).await, LATEST)]
}

#[tokio::test]
async fn others_read_ids_of_a_draft_and_all_of_it_once_it_is_in_review() {
    let shop = Shop::needing(1).await;
    let app = &shop.app;
    let till = app.feature("shop", "till").await;
    app.tag(till, "simple", "canary-tag").await;
    let readers = readers(app).await;
    let (viewer, _) = &readers[0];

    let id = id_of(&shop.ada.post(REQUEST, adding("till", "canary-one")).await.expect(200));
    let draft = shop.ada.post(REQUEST, adding("till", "canary-two")).await.expect(200);
    let [first, second] = [0, 1].map(|index: usize| id_of(&draft["features"][0]["changes"][index]));
    let path = |change: i64| format!("{ALL}/{id}/changes/{change}");
    shop.ada.json(Method::PUT, &path(second), adding("till", "canary-edited")).await.expect(200);
    shop.ada.request(Method::DELETE, &path(first), &[], Vec::new()).await.expect(200);
    let title = json!({ "title": "canary-title" });
    shop.ada.json(Method::PUT, &format!("{ALL}/{id}/title"), title).await.expect(200);
    let [ben, cleo] = [&shop.ben, &shop.cleo].map(|client| client.user_id.expect("a person"));
    let approvers = json!({ "reviewers": [ben, cleo] });
    shop.ada.json(Method::PUT, &format!("{ALL}/{id}/approvers"), approvers).await.expect(200);

    let of_change = |change: i64| json!({ "changeRequestId": id, "changeId": change });
    let of_draft = json!({ "changeRequestId": id });
    let expected = [
        ("change-request-created", of_draft.clone()),
        ("change-added", of_change(first)),
        ("change-added", of_change(second)),
        ("change-edited", of_change(second)),
        ("change-discarded", of_change(first)),
        ("change-request-title-updated", of_draft.clone()),
        ("change-request-requested-approvers-updated", of_draft),
    ];
    for (reader, log) in &readers {
        let events = told(reader, log).await;
        assert_eq!(types(&events), expected.each_ref().map(|(kind, _)| *kind), "{log}");
        for (event, (_, data)) in events.iter().zip(&expected) {
            assert_eq!((&event["data"], &event["preData"]), (data, &Value::Null), "{event}");
            assert_eq!((&event["featureName"], &event["tags"]), (&Value::Null, &json!([])), "{event}");
            assert_eq!((&event["project"], &event["environment"]), (&json!("shop"), &json!("production")), "{event}");
        }
        assert!(told(reader, OF_FEATURE).await.is_empty());
    }
    assert_eq!(found(viewer, "canary").await, 0);
    assert_eq!(messages(&shop.ben).await, [""; 0], "nobody is asked about a draft");

    shop.to(&shop.ada, id, "In review").await.expect(200);
    for (reader, log) in &readers {
        let events = told(reader, log).await.split_off(expected.len());
        let [sent, asked] = events.as_slice() else { panic!("{events:?}") };
        assert_eq!(
            types(&events),
            ["change-request-sent-to-review", "change-request-requested-approvers-updated"],
            "{log}"
        );
        assert_eq!((&sent["data"]["changeRequestId"], &sent["data"]["title"]), (&json!(id), &json!("canary-title")));
        let changes = sent["data"]["changes"].as_array().expect("a list");
        let [change] = changes.as_slice() else { panic!("{changes:?}") };
        assert_eq!((&change["id"], &change["feature"]), (&json!(second), &json!("till")));
        assert_eq!((&change["action"], &change["createdByUserId"]), (&json!("addStrategy"), &json!(shop.ada.user_id)));
        assert_eq!(change["payload"]["title"], "canary-edited");
        assert_eq!(asked["data"], json!({ "changeRequestId": id, "reviewers": [ben, cleo] }));
    }
    assert_eq!(found(viewer, "canary-edited").await, 1);
    for gone in ["canary-one", "canary-two"] {
        assert_eq!(found(viewer, gone).await, 0, "{gone}");
    }
    assert!(messages(&shop.ben).await[0].contains(&format!("asked for your approval of change request {id}")));

    // From here on, each change is told as it is made, also to those who read of the feature.
    shop.ada.post(REQUEST, adding("till", "canary-three")).await.expect(200);
    let events = told(viewer, OF_FEATURE).await;
    let [added] = events.as_slice() else { panic!("{events:?}") };
    assert_eq!((&added["type"], &added["data"]["changeRequestId"]), (&json!("change-added"), &json!(id)));
    assert_eq!(added["data"]["change"]["payload"]["title"], "canary-three");
    assert_eq!(added["tags"], json!([{ "type": "simple", "value": "canary-tag" }]));

    shop.to(&shop.ben, id, "Approved").await.expect(200);
    shop.to(&shop.ben, id, "Applied").await.expect(200);
    is_proved(&shop, id).await;
}

/// The log proves its one application.
async fn is_proved(shop: &Shop, id: i64) {
    hashed(&shop.app).await;
    let verdict = audit::verify(shop.app.db(), &Trust::default(), &[], Scope::default()).await.expect("reads");
    assert_eq!((verdict.fault, verdict.applications.proved, verdict.applications.fault_count), (None, 1, 0));
    let proof = shop.ben.get(&format!("{ALL}/{id}/proof")).await.expect(200);
    assert_eq!((&proof["result"], &proof["findings"]), (&json!("proved"), &json!([])), "{proof}");
}

#[tokio::test]
async fn a_review_that_ends_at_once_tells_what_was_requested() {
    let shop = Shop::needing(0).await;
    let id = id_of(&shop.ada.post(REQUEST, adding("cart", "canary")).await.expect(200));
    shop.to(&shop.ada, id, "In review").await.expect(200);
    assert_eq!(shop.read(id).await["state"], "Approved");
    let events = told(&shop.cleo, SEARCH).await;
    assert_eq!(types(&events), ["change-request-created", "change-added", "change-request-sent-to-review"]);
    assert_eq!(events[2]["data"]["changes"][0]["payload"]["title"], "canary");
    assert_eq!(events[2]["data"].get("title"), None);
    shop.to(&shop.ben, id, "Applied").await.expect(200);
    is_proved(&shop, id).await;
}

#[tokio::test]
async fn a_draft_that_is_given_up_tells_nothing() {
    let shop = Shop::needing(1).await;
    let discarded = id_of(&shop.ada.post(REQUEST, adding("cart", "canary")).await.expect(200));
    shop.ada.request(Method::DELETE, &format!("{ALL}/{discarded}"), &[], Vec::new()).await.expect(200);
    let cancelled = id_of(&shop.ada.post(REQUEST, adding("cart", "canary")).await.expect(200));
    shop.to(&shop.ada, cancelled, "Cancelled").await.expect(200);
    let events = told(&shop.cleo, SEARCH).await;
    let given_up = ["change-request-created", "change-added", "change-request-discarded"];
    let expected = [given_up, ["change-request-created", "change-added", "change-request-cancelled"]].concat();
    assert_eq!(types(&events), expected);
    assert_eq!(events[2]["preData"], json!({ "changeRequestId": discarded }));
    assert_eq!(found(&shop.cleo, "canary").await, 0);
}
