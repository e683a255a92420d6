use flagstone::{
    domain::{secret::TokenKind, strategy::StrategyDefinition},
    store::{
        self,
        entity::{api_token, api_token_project, feature, project, segment},
        segments::NewSegment,
        tokens::NewApiToken,
    },
};
use sea_orm::EntityTrait;

use super::*;
use crate::harness::{add_strategy, role};

async fn token(app: &TestApp, name: &str, projects: &[&str]) {
    let tx = app.tx().await;
    let token = NewApiToken {
        secret: format!("[]:development.{name}"),
        name: name.to_owned(),
        kind: TokenKind::Client,
        projects: projects.iter().map(|project| (*project).to_owned()).collect(),
        environment: "development".to_owned(),
        expires_at: None,
        created_by: None,
    };
    store::tokens::insert_api_token(&tx, &token, app.clock.now()).await.expect("a token");
    app.commit(tx).await;
}

fn token_data(name: &str, projects: &[&str]) -> Value {
    json!({
        "tokenName": name, "type": "client", "project": projects.join(","), "projects": projects,
        "environment": "development", "expiresAt": null, "createdAt": "2026-01-15T12:00:00.000Z",
    })
}

#[tokio::test]
async fn a_project_goes_with_all_that_belongs_to_it() {
    let app = shop().await;
    app.project("other").await;
    let f = app.feature("shop", "f").await;
    app.tag(f, "simple", "old").await;
    app.feature("other", "g").await;
    token(&app, "alone", &["shop"]).await;
    token(&app, "both", &["other", "shop"]).await;
    token(&app, "elsewhere", &["other"]).await;
    let owner = app.owner("shop").await;
    let tx = app.tx().await;
    let new = NewSegment { name: "ours".to_owned(), project: Some("shop".to_owned()), ..NewSegment::default() };
    let segment_id = store::segments::insert(&tx, &new, app.clock.now()).await.expect("a segment");
    app.commit(tx).await;
    post(&owner, "/api/admin/projects/shop/favorites").await.expect(200);
    archive(&app, "f").await;
    let before = app.events().await.len();

    assert_eq!(delete(&owner, SHOP).await.expect(200), Value::Null);
    let told: Vec<Value> = events(&app).await.split_off(before);
    let kinds: Vec<&Value> = told.iter().map(|event| &event["type"]).collect();
    assert_eq!(
        kinds,
        ["feature-deleted", "api-token-deleted", "api-token-updated", "segment-deleted", "project-deleted"]
    );
    assert_eq!((&told[0]["feature"], &told[0]["data"]), (&json!("f"), &Value::Null));
    assert_eq!(told[0]["preData"]["archived"], true);
    assert_eq!(told[0]["tags"], json!([{ "value": "old", "type": "simple" }]));
    assert_eq!((&told[1]["data"], &told[1]["preData"]), (&Value::Null, &token_data("alone", &["shop"])));
    assert_eq!(told[2]["data"], token_data("both", &["other"]));
    assert_eq!(told[2]["preData"], token_data("both", &["other", "shop"]));
    assert_eq!((&told[3]["preData"]["id"], &told[3]["preData"]["project"]), (&json!(segment_id), &json!("shop")));
    assert_eq!(told[4], event("project-deleted", &Value::Null, &Value::Null, &document(&json!({}))));

    let ids = |rows: Vec<project::Model>| rows.into_iter().map(|row| row.id).collect::<Vec<_>>();
    let mut projects = ids(project::Entity::find().all(app.db()).await.expect("projects"));
    projects.sort();
    assert_eq!(projects, ["default", "other"]);
    let features = feature::Entity::find().all(app.db()).await.expect("features");
    assert_eq!(features.iter().map(|row| &*row.name).collect::<Vec<_>>(), ["g"]);
    let tokens = api_token::Entity::find().all(app.db()).await.expect("tokens");
    let mut names: Vec<&str> = tokens.iter().map(|row| &*row.token_name).collect();
    names.sort_unstable();
    assert_eq!(names, ["both", "elsewhere", "tests"]);
    let links = api_token_project::Entity::find().all(app.db()).await.expect("links");
    assert!(links.iter().all(|link| link.project != "shop"));
    assert!(segment::Entity::find().all(app.db()).await.expect("segments").is_empty());
    owner.get(OVERVIEW).await.refused(404, "NotFoundError", "shop");
    app.admin().get(OVERVIEW).await.refused(404, "NotFoundError", "shop");
    // The id of a project that everybody saw can be used again, and nothing comes back with it.
    app.admin().post(PROJECTS, json!({ "id": "shop", "name": "Shop" })).await.expect(201);
    assert_eq!(overview(&app).await["members"], 0);
}

#[tokio::test]
async fn a_project_in_use_stays() {
    let app = shop().await;
    let f = app.feature("shop", "f").await;
    let admin = app.admin();
    delete(&admin, SHOP).await.refused(403, "InvalidOperationError", "1 features");
    post(&admin, "/api/admin/projects/archive/shop").await.refused(403, "InvalidOperationError", "1 features");
    delete(&admin, "/api/admin/projects/default").await.refused(403, "InvalidOperationError", "default");
    post(&admin, "/api/admin/projects/archive/default").await.refused(403, "InvalidOperationError", "default");
    for path in ["/api/admin/projects/none", "/api/admin/projects/a%00b"] {
        delete(&admin, path).await.refused(404, "NotFoundError", "project");
    }
    post(&admin, "/api/admin/projects/archive/none").await.refused(404, "NotFoundError", "none");
    post(&admin, "/api/admin/projects/revive/none").await.refused(404, "NotFoundError", "none");
    assert!(app.event_types().await.is_empty());

    // Nor does one go whose segment others use.
    archive(&app, "f").await;
    let (tx, now) = (app.tx().await, app.clock.now());
    let new = NewSegment { name: "ours".to_owned(), project: Some("shop".to_owned()), ..NewSegment::default() };
    let id = store::segments::insert(&tx, &new, now).await.expect("a segment");
    app.commit(tx).await;
    let g = app.feature("default", "g").await;
    let tx = app.tx().await;
    let strategy =
        StrategyDefinition { name: "default".to_owned(), segments: vec![id], ..StrategyDefinition::default() };
    for feature in [f, g] {
        add_strategy(&tx, feature, "development", &strategy, now).await.expect("a strategy");
    }
    app.commit(tx).await;
    delete(&admin, SHOP).await.refused(403, "InvalidOperationError", "segments");
    let tx = app.tx().await;
    store::strategies::remove_all(&tx, g, "development").await.expect("done");
    app.commit(tx).await;
    delete(&admin, SHOP).await.expect(200);
}

#[tokio::test]
async fn an_archived_project_is_out_of_reach_until_it_is_revived() {
    let app = shop().await;
    app.feature("shop", "f").await;
    archive(&app, "f").await;
    let owner = app.owner("shop").await;
    app.clock.advance(1000);
    let before = app.events().await.len();
    assert_eq!(post(&owner, "/api/admin/projects/archive/shop").await.expect(200), Value::Null);
    let archived = document(&json!({ "archivedAt": "2026-01-15T12:00:01.000Z" }));
    let in_use = document(&json!({}));
    owner.get(OVERVIEW).await.refused(404, "NotFoundError", "shop");
    put(&owner, SHOP, json!({ "name": "x" })).await.refused(404, "NotFoundError", "shop");
    post(&owner, "/api/admin/projects/archive/shop").await.refused(404, "NotFoundError", "shop");
    let listed = async |query: &str| {
        let projects = owner.get(&format!("{PROJECTS}{query}")).await.expect(200);
        projects["projects"].as_array().expect("a list").iter().map(|project| project["id"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(listed("").await, ["default"]);
    assert_eq!(listed("?archived=true").await, ["shop"]);
    assert_eq!(listed("?archived=no").await, ["default"]);

    assert_eq!(post(&owner, "/api/admin/projects/revive/shop").await.expect(200), Value::Null);
    post(&owner, "/api/admin/projects/revive/shop").await.expect(200);
    assert_eq!(listed("").await, ["default", "shop"]);
    let told: Vec<Value> = events(&app).await.split_off(before);
    assert_eq!(
        told,
        [
            event("project-updated", &Value::Null, &archived, &in_use),
            event("project-updated", &Value::Null, &in_use, &archived),
        ]
    );
    // An archived project can be deleted, too.
    post(&owner, "/api/admin/projects/archive/shop").await.expect(200);
    delete(&owner, SHOP).await.expect(200);
    assert_eq!(listed("?archived=true").await, [""; 0]);
}

#[tokio::test]
async fn grants_for_a_deleted_project_do_not_wait_for_the_next_of_its_name() {
    use sea_orm::{ActiveValue::Set, ColumnTrait, QueryFilter};
    use store::entity::role_permission;
    let app = shop().await;
    let tx = app.tx().await;
    let grant = role_permission::ActiveModel {
        role_id: Set(role::VIEWER),
        permission: Set("UPDATE_PROJECT".to_owned()),
        project: Set(Some("shop".to_owned())),
        ..Default::default()
    };
    role_permission::Entity::insert(grant).exec_without_returning(&tx).await.expect("a grant");
    app.commit(tx).await;
    delete(&app.admin(), SHOP).await.expect(200);
    let left = role_permission::Entity::find().filter(role_permission::Column::Project.eq("shop")).all(app.db()).await;
    assert!(left.expect("grants").is_empty());
}
