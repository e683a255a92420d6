//! Environments in which projects begin with change requests, and what becomes of these with their environments and
//! projects.

use flagstone::{
    domain::{
        change_request::state::State,
        ids::{EnvironmentName, ProjectId},
    },
    store::{change_requests::configuration, entity::change_request},
};
use poem::http::Method;
use sea_orm::{EntityTrait as _, PaginatorTrait as _};
use serde_json::{Value, json};

use super::world::{PRODUCTION, World, switch};
use crate::{
    calls::{act, delete, put},
    harness::TestApp,
};

const ENVIRONMENTS: &str = "/api/admin/environments";
const PROJECTS: &str = "/api/admin/projects";
const CONFIGURED: &str = "change-request-configuration-updated";

async fn approvals(app: &TestApp, project: &str, environment: &str) -> Option<i64> {
    let (project, environment) = (ProjectId::new(project), EnvironmentName::new(environment));
    configuration::find(app.db(), project, environment).await.expect("reads")
}

/// Projects, environments and new data of the events about approvals.
async fn told(app: &TestApp) -> Vec<(String, String, Value)> {
    let events = app.events().await.into_iter().filter(|event| event.r#type == CONFIGURED);
    events
        .map(|event| {
            let data = event.data.expect("data").parse().expect("JSON");
            (event.project.expect("a project"), event.environment.expect("an environment"), data)
        })
        .collect()
}

#[tokio::test]
async fn an_environment_says_how_many_approvals_projects_begin_with() {
    let app = TestApp::new().await;
    let admin = app.admin();
    let qa = json!({ "name": "qa", "type": "test", "requiredApprovals": 2 });
    assert_eq!(admin.post(ENVIRONMENTS, qa).await.expect(201)["requiredApprovals"], 2);
    for (given, expected) in [
        (json!({ "requiredApprovals": 10 }), json!(10)),
        (json!({ "sortOrder": 7 }), json!(10)),
        (json!({ "requiredApprovals": null }), json!(null)),
    ] {
        let path = format!("{ENVIRONMENTS}/update/qa");
        assert_eq!(put(&admin, &path, given).await.expect(200)["requiredApprovals"], expected);
        assert_eq!(admin.get(&format!("{ENVIRONMENTS}/qa")).await.expect(200)["requiredApprovals"], expected);
    }
    let listed = admin.get(ENVIRONMENTS).await.expect(200);
    assert!(
        listed["environments"].as_array().expect("a list").iter().all(|one| one["requiredApprovals"] == json!(null))
    );
    for outside in [0, 11] {
        let path = "/body/requiredApprovals";
        let refused = json!({ "name": "eu", "type": "test", "requiredApprovals": outside });
        admin.post(ENVIRONMENTS, refused).await.refused(400, "ValidationError", path);
        let update = json!({ "requiredApprovals": outside });
        put(&admin, &format!("{ENVIRONMENTS}/update/qa"), update).await.refused(400, "ValidationError", path);
    }
    let events = app.events().await;
    let updated: Vec<&str> = events.iter().filter_map(|event| event.data.as_deref()).collect();
    assert!(updated[0].contains(r#""requiredApprovals":2"#), "{updated:?}");
}

#[tokio::test]
async fn projects_begin_with_what_is_asked_for_or_the_default() {
    let app = TestApp::new().await;
    let admin = app.admin();
    put(&admin, &format!("{ENVIRONMENTS}/update/production"), json!({ "requiredApprovals": 3 })).await.expect(200);
    let plain = admin.post(PROJECTS, json!({ "id": "a", "name": "A" })).await.expect(201);
    let three = json!([{ "name": PRODUCTION, "requiredApprovals": 3 }]);
    assert_eq!(plain["changeRequestEnvironments"], three);
    assert_eq!(approvals(&app, "a", PRODUCTION).await, Some(3));
    assert_eq!(approvals(&app, "a", "development").await, None);

    let asked = json!([
        { "name": PRODUCTION, "requiredApprovals": 1 },
        { "name": "development" },
        { "name": "default", "requiredApprovals": 99 },
    ]);
    let body = json!({ "id": "b", "name": "B", "environments": ["development"], "changeRequestEnvironments": asked });
    let created = admin.post(PROJECTS, body).await.expect(201);
    let expected = json!([
        { "name": "default", "requiredApprovals": 10 },
        { "name": "development", "requiredApprovals": 1 },
        { "name": PRODUCTION, "requiredApprovals": 1 },
    ]);
    assert_eq!(created["changeRequestEnvironments"], expected);
    assert_eq!(approvals(&app, "b", "default").await, Some(10));
    let on = |required| json!({ "environment": PRODUCTION, "enabled": true, "requiredApprovals": required });
    let told = told(&app).await;
    assert_eq!(told[0], ("a".to_owned(), PRODUCTION.to_owned(), on(3)));
    assert_eq!(told[3], ("b".to_owned(), PRODUCTION.to_owned(), on(1)));
    assert_eq!(told.len(), 4);

    let none = json!({ "id": "c", "name": "C", "environments": ["development"] });
    assert_eq!(admin.post(PROJECTS, none).await.expect(201).get("changeRequestEnvironments"), None);
    for (name, words) in [("nowhere", "exists"), (PRODUCTION, "earlier")] {
        let asked = json!([{ "name": PRODUCTION }, { "name": name }]);
        let body = json!({ "id": "d", "name": "D", "changeRequestEnvironments": asked });
        let refused = admin.post(PROJECTS, body).await;
        assert!(refused.text.contains(words), "{}", refused.text);
        refused.refused(400, "ValidationError", "/body/changeRequestEnvironments/1/name");
    }
}

#[tokio::test]
async fn a_project_to_which_an_environment_is_added_begins_with_its_default_unless_it_has_a_number() {
    let app = TestApp::new().await;
    app.project("shop").await;
    let admin = app.admin();
    let qa = json!({ "name": "qa", "type": "test", "requiredApprovals": 2 });
    admin.post(ENVIRONMENTS, qa).await.expect(201);
    let path = format!("{PROJECTS}/shop/environments");
    admin.post(&path, json!({ "environment": "qa" })).await.expect(200);
    assert_eq!(approvals(&app, "shop", "qa").await, Some(2));
    assert_eq!(told(&app).await.len(), 1);
    let tx = app.tx().await;
    let (shop, qa) = (ProjectId::new("shop"), EnvironmentName::new("qa"));
    configuration::save(&tx, shop, qa, Some(5), app.clock.now()).await.expect("saves");
    app.commit(tx).await;
    assert_eq!(delete(&admin, &format!("{path}/qa")).await.status, 200);
    admin.post(&path, json!({ "environment": "qa" })).await.expect(200);
    assert_eq!(approvals(&app, "shop", "qa").await, Some(5), "as it was left");
    assert_eq!(told(&app).await.len(), 1);
}

#[tokio::test]
async fn a_clone_is_guarded_as_its_original() {
    let app = TestApp::new().await;
    app.project("shop").await;
    app.project("free").await;
    let admin = app.admin();
    put(&admin, &format!("{ENVIRONMENTS}/update/production"), json!({ "requiredApprovals": 3 })).await.expect(200);
    let tx = app.tx().await;
    let (shop, production) = (ProjectId::new("shop"), EnvironmentName::new(PRODUCTION));
    configuration::save(&tx, shop, production, Some(2), app.clock.now()).await.expect("saves");
    app.commit(tx).await;
    let clone = admin.post(&format!("{ENVIRONMENTS}/production/clone"), json!({ "name": "eu" })).await.expect(201);
    assert_eq!(clone["requiredApprovals"], 3);
    assert_eq!(approvals(&app, "shop", "eu").await, Some(2));
    assert_eq!(approvals(&app, "free", "eu").await, None);
    let data = json!({ "environment": "eu", "enabled": true, "requiredApprovals": 2 });
    assert_eq!(told(&app).await, [("shop".to_owned(), "eu".to_owned(), data)]);
}

#[tokio::test]
async fn what_belongs_to_a_deleted_environment_or_project_goes_with_it() {
    let world = World::new().await;
    let admin = world.app.admin();
    admin.post(ENVIRONMENTS, json!({ "name": "qa", "type": "test" })).await.expect(201);
    admin.post(&format!("{PROJECTS}/shop/environments"), json!({ "environment": "qa" })).await.expect(200);
    let tx = world.app.tx().await;
    for environment in ["qa", PRODUCTION] {
        let (shop, environment) = (ProjectId::new("shop"), EnvironmentName::new(environment));
        configuration::save(&tx, shop, environment, Some(2), world.now()).await.expect("saves");
    }
    world.app.commit(tx).await;
    world.request_in("shop", "qa", world.ada, State::Scheduled, &[switch("cart", true)]).await;
    let kept = world.request(world.ada, State::InReview, &[switch("cart", true)]).await;
    assert_eq!(delete(&admin, &format!("{ENVIRONMENTS}/qa")).await.status, 200);
    let left = change_request::Entity::find().all(world.app.db()).await.expect("reads");
    assert_eq!(left.iter().map(|row| row.id).collect::<Vec<_>>(), [kept]);
    assert_eq!(approvals(&world.app, "shop", "qa").await, None);
    assert_eq!(approvals(&world.app, "shop", PRODUCTION).await, Some(2));

    assert_eq!(act(&admin, Method::DELETE, &format!("{PROJECTS}/shop/features/cart")).await.status, 202);
    assert_eq!(delete(&admin, &format!("{PROJECTS}/shop")).await.status, 200);
    assert_eq!(change_request::Entity::find().count(world.app.db()).await.expect("counts"), 0);
    assert_eq!(approvals(&world.app, "shop", PRODUCTION).await, None);
}
