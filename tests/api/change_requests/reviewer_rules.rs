//! Rules about required reviewers: who sets them, what they may say, and what they still ask for.

use flagstone::{
    domain::{
        change_request::{Target, reviewers::Need},
        ids::{EnvironmentName, ProjectId},
    },
    store::change_requests::reviewer_rules::missing,
};
use serde_json::{Value, json};

use super::shop::{ALL, REQUEST, Shop, id_of, switching};
use crate::{
    authorization::somebody_granted,
    calls::{last_event, meant_for, private_project, put, tag_of},
    harness::{Client, TestApp},
};

const RULES: &str = "/api/admin/projects/shop/environments/production/change-requests/reviewers";

async fn group(app: &TestApp, name: &str, members: &[&Client]) -> i64 {
    let users: Vec<Value> = members.iter().map(|member| json!({ "user": { "id": member.user_id } })).collect();
    let new = json!({ "name": name, "users": users });
    app.admin().post("/api/admin/groups", new).await.expect(201)["id"].as_i64().expect("an id")
}

#[expect(clippy::needless_pass_by_value, reason = "what `json!` makes")]
fn rules(rules: Value) -> Value {
    json!({ "rules": rules })
}

#[tokio::test]
async fn rules_are_replaced_as_a_whole_and_told_by_an_event() {
    let app = TestApp::new().await;
    app.project("shop").await;
    let (owners, finance) = (group(&app, "Owners", &[]).await, group(&app, "Finance", &[]).await);
    let owner = app.owner("shop").await;
    assert_eq!(app.viewer().await.get(RULES).await.expect(200), rules(json!([])));
    let asked = rules(json!([
        { "need": "any", "groups": [finance, owners, finance] },
        { "tag": { "type": "simple", "value": "payments" }, "need": "each", "groups": [finance] },
        { "namePattern": "shop-.*", "need": "any", "groups": [owners] },
    ]));
    put(&owner, RULES, asked.clone()).await.expect(200);
    let mut stored = asked.clone();
    stored["rules"][0]["groups"] = json!([owners, finance]);
    let shown = app.viewer().await.get(RULES).await;
    let tag = tag_of(&shown);
    assert_eq!(shown.expect(200), stored);
    let told = |rules: &Value| json!({ "environment": "production", "requiredReviewers": rules["rules"] });
    let event = json!(["change-request-configuration-updated", "shop", told(&stored), told(&rules(json!([])))]);
    assert_eq!(last_event(&app).await, event);

    let events = app.events().await.len();
    put(&owner, RULES, asked).await.expect(200);
    assert_eq!(app.events().await.len(), events, "nothing changed");
    let fewer = rules(json!([{ "need": "any", "groups": [owners] }]));
    put(&owner, RULES, fewer.clone()).await.expect(200);
    let late = meant_for(&owner, &tag, RULES, Some(rules(json!([])))).await;
    late.refused(412, "PreconditionFailedError", "It has changed");
    assert_eq!(owner.get(RULES).await.expect(200), fewer);
    let tag = tag_of(&owner.get(RULES).await);
    meant_for(&owner, &tag, RULES, Some(rules(json!([])))).await.expect(200);
    assert_eq!(last_event(&app).await[2], told(&rules(json!([]))));
}

#[tokio::test]
async fn rules_say_what_can_be_and_name_what_exists() {
    let app = TestApp::new().await;
    app.project("shop").await;
    let owners = group(&app, "Owners", &[]).await;
    let admin = app.admin();
    let tag = json!({ "type": "simple", "value": "payments" });
    let before = app.events().await.len();
    let good = json!({ "need": "any", "groups": [owners] });
    for (rule, pointer) in [
        (json!({ "need": "any", "groups": [] }), "/body/rules/1/groups"),
        (json!({ "need": "any", "groups": [owners, 77] }), "/body/rules/1/groups"),
        (json!({ "need": "any", "groups": (1..=21).collect::<Vec<_>>() }), "/body/rules/1/groups"),
        (json!({ "need": "most", "groups": [owners] }), "/body/rules/1/need"),
        (json!({ "namePattern": "(a)\\1", "need": "any", "groups": [owners] }), "/body/rules/1/namePattern"),
        (json!({ "namePattern": "a.*", "tag": tag, "need": "any", "groups": [owners] }), "/body/rules/1/namePattern"),
        (json!({ "tag": { "type": "simple", "value": "p" }, "need": "any", "groups": [owners] }), "/body/rules/1/tag"),
    ] {
        let answer = put(&admin, RULES, rules(json!([good, rule]))).await;
        assert_eq!((answer.status, &answer.body["name"]), (400, &json!("ValidationError")), "{}", answer.text);
        assert!(answer.text.contains(pointer), "{} does not name {pointer}", answer.text);
    }
    let many = put(&admin, RULES, rules(json!(vec![good.clone(); 51]))).await;
    assert!(many.status == 400 && many.text.contains("/body/rules"), "{}", many.text);
    put(&admin, RULES, rules(json!(vec![good; 50]))).await.expect(200);
    assert_eq!(app.events().await.len(), before + 1);
}

#[tokio::test]
async fn rules_are_of_environments_that_the_project_uses_and_of_projects_that_are_seen() {
    let app = TestApp::new().await;
    app.project("shop").await;
    private_project(&app, "secret").await;
    let configurer = somebody_granted(&app, Some("shop"), &[("PROJECT_CHANGE_REQUEST_WRITE", None)]).await;
    put(&configurer, RULES, rules(json!([]))).await.expect(200);
    put(&app.member("shop").await, RULES, rules(json!([]))).await.refused(403, "NoAccessError", "UPDATE_PROJECT");
    let unused = RULES.replace("production", "default");
    configurer.get(&unused).await.refused(404, "NotFoundError", "default");
    put(&configurer, &unused, rules(json!([]))).await.refused(404, "NotFoundError", "default");
    let hidden = RULES.replace("shop", "secret");
    app.viewer().await.get(&hidden).await.refused(404, "NotFoundError", "secret");
    app.viewer().await.get(&RULES.replace("shop", "none")).await.refused(404, "NotFoundError", "none");
}

#[tokio::test]
async fn what_is_missing_is_told_by_the_features_and_the_groups_of_those_who_approved() {
    let app = TestApp::new().await;
    app.project("shop").await;
    let (cart, other) = (app.feature("shop", "cart").await, app.feature("shop", "other").await);
    app.tag(cart, "simple", "payments").await;
    let (ann, ben) = (app.viewer().await, app.viewer().await);
    let (owners, finance) = (group(&app, "Owners", &[&ann]).await, group(&app, "Finance", &[&ben]).await);
    let ids = [&ann, &ben].map(|person| person.user_id.expect("a person"));
    let asked = rules(json!([
        { "tag": { "type": "simple", "value": "payments" }, "need": "each", "groups": [owners, finance] },
        { "namePattern": "oth.*", "need": "any", "groups": [owners] },
    ]));
    put(&app.admin(), RULES, asked).await.expect(200);
    let target = |name: &str, id: i64| Target::Feature { name: name.to_owned(), id: Some(id) };
    let (cart, other, segment) = (target("cart", cart), target("other", other), Target::Segment(1));
    let (shop, production) = (ProjectId::new("shop"), EnvironmentName::new("production"));
    let tx = app.tx().await;
    for (targets, approvers, expected) in [
        (&[&cart][..], &[][..], vec![(Need::Each, vec![owners, finance])]),
        (&[&cart], &ids[..1], vec![(Need::Each, vec![finance])]),
        (&[&cart], &ids, vec![]),
        (&[&cart, &other], &ids[1..], vec![(Need::Each, vec![owners]), (Need::Any, vec![owners])]),
        (&[&segment], &[], vec![]),
    ] {
        let missing = missing(&tx, shop, production, targets, approvers).await.expect("reads");
        let missing: Vec<_> = missing.into_iter().map(|missing| (missing.need, missing.groups)).collect();
        assert_eq!(missing, expected, "{targets:?} {approvers:?}");
    }
    let elsewhere = missing(&tx, shop, EnvironmentName::new("development"), &[&cart], &[]).await.expect("reads");
    assert!(elsewhere.is_empty());
}

#[tokio::test]
async fn a_change_request_tells_whose_approval_is_missing_while_that_decides() {
    let shop = Shop::needing(1).await;
    let (owners, security) =
        (group(&shop.app, "Owners", &[&shop.ben]).await, group(&shop.app, "Security", &[&shop.cleo]).await);
    let asked = rules(json!([
        { "need": "each", "groups": [owners, security] },
        { "namePattern": "other", "need": "any", "groups": [owners] },
    ]));
    put(&shop.app.admin(), RULES, asked).await.expect(200);
    let draft = shop.ada.post(REQUEST, switching("cart", true)).await.expect(200);
    let (id, missing) = (id_of(&draft), |groups: &[i64]| json!([{ "need": "each", "groups": groups }]));
    assert_eq!(draft["missingReviewers"], missing(&[owners, security]));
    shop.to(&shop.ada, id, "In review").await.expect(200);
    shop.to(&shop.cleo, id, "Approved").await.expect(200);
    let request = shop.read(id).await;
    assert_eq!((&request["state"], &request["missingReviewers"]), (&json!("In review"), &missing(&[owners])));
    let list = shop.ada.get(&format!("{ALL}/pending")).await.expect(200);
    assert_eq!(list[0].get("missingReviewers"), None);
    shop.to(&shop.ben, id, "Approved").await.expect(200);
    let request = shop.read(id).await;
    assert_eq!((&request["state"], request.get("missingReviewers")), (&json!("Approved"), None));
    // What is approved stays so.
    put(&shop.app.admin(), RULES, rules(json!([{ "need": "any", "groups": [owners] }]))).await.expect(200);
    assert_eq!(shop.read(id).await.get("missingReviewers"), None);
}
