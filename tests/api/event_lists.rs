//! The older lists of the log.

use flagstone::store::entity::project;
use sea_orm::{ActiveValue::Set, EntityTrait};
use serde_json::{Value, json};

use crate::harness::{TestApp, role};

async fn shop() -> TestApp {
    let app = TestApp::new().await;
    for project in ["shop", "bank"] {
        app.project(project).await;
    }
    for (project, feature) in [("shop", "f"), ("bank", "g")] {
        app.feature(project, feature).await;
        for stale in [true, false] {
            let path = format!("/api/admin/projects/{project}/features/{feature}");
            let ops = json!([{ "op": "replace", "path": "/stale", "value": stale }]);
            app.admin().patch(&path, ops).await.expect(200);
        }
    }
    app
}

fn ids(body: &Value) -> Vec<i64> {
    body["events"].as_array().expect("events").iter().map(|event| event["id"].as_i64().expect("an id")).collect()
}

#[tokio::test]
async fn administrators_list_the_latest_events_of_all_projects_or_of_one() {
    let app = shop().await;
    let admin = app.admin();
    let all = admin.get("/api/admin/events").await.expect(200);
    assert_eq!((&all["version"], &all["totalEvents"]), (&json!(1), &json!(8)));
    let listed = ids(&all);
    assert!(listed.is_sorted_by(|one, other| one > other), "{listed:?}");
    let of_shop = admin.get("/api/admin/events?project=shop").await.expect(200);
    assert_eq!(of_shop["totalEvents"], 4);
    assert!(of_shop["events"].as_array().expect("events").iter().all(|event| event["project"] == "shop"));
    for (project, total) in [("", 8), ("none", 0), ("%00", 0)] {
        let found = admin.get(&format!("/api/admin/events?project={project}")).await.expect(200);
        assert_eq!(found["totalEvents"], total, "{project}");
    }
}

#[tokio::test]
async fn a_list_holds_a_hundred_events_and_counts_all() {
    let app = shop().await;
    let admin = app.admin();
    for turn in 0..50 {
        let ops = json!([{ "op": "replace", "path": "/stale", "value": turn % 2 == 0 }]);
        admin.patch("/api/admin/projects/shop/features/f", ops).await.expect(200);
    }
    let found = admin.get("/api/admin/events/f").await.expect(200);
    assert_eq!((ids(&found).len(), &found["totalEvents"]), (100, &json!(104)));
}

#[tokio::test]
async fn everybody_lists_the_events_of_features_that_they_may_see() {
    let app = shop().await;
    let tx = app.tx().await;
    let private =
        project::ActiveModel { id: Set("bank".to_owned()), mode: Set("private".to_owned()), ..Default::default() };
    project::Entity::update(private).exec(&tx).await.expect("updates");
    app.commit(tx).await;
    let viewer = app.viewer().await;
    let found = viewer.get("/api/admin/events/f").await.expect(200);
    assert_eq!((&found["toggleName"], &found["totalEvents"]), (&json!("f"), &json!(4)));
    assert_eq!(viewer.get("/api/admin/events/g").await.expect(200)["totalEvents"], 0);
    let member = app.person(role::VIEWER, Some(("bank", role::MEMBER))).await;
    assert_eq!(member.get("/api/admin/events/g").await.expect(200)["totalEvents"], 4);
    for name in ["none", "a%00b"] {
        let found = viewer.get(&format!("/api/admin/events/{name}")).await.expect(200);
        assert_eq!((ids(&found).len(), &found["totalEvents"]), (0, &json!(0)));
    }
}
