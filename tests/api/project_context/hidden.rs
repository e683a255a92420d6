//! Fields of a private project, for those who may not see it.

use serde_json::{Value, json};

use super::{GLOBAL, hide, names, on, stray, with_tier};

const SECRET: &str = "/api/admin/projects/secret/context";

#[tokio::test]
async fn lists_and_events_tell_of_them_to_members_alone() {
    let app = with_tier().await;
    hide(&app).await;
    let (viewer, member) = (app.viewer().await, app.member("secret").await);
    let everything = format!("{GLOBAL}?include=project");
    let has_rank = |names: Vec<String>| names.contains(&"rank".to_owned());
    assert!(!has_rank(names(&viewer, &everything).await));
    assert!(has_rank(names(&member, &everything).await));
    assert!(has_rank(names(&app.admin(), &everything).await));
    for path in [SECRET.to_owned(), format!("{SECRET}/rank"), format!("{SECRET}/rank/strategies")] {
        viewer.get(&path).await.refused(404, "NotFoundError", "secret");
        member.get(&path).await.expect(200);
    }
    let created = "/api/admin/search/events?type=IS:context-field-created";
    let projects = async |client: &crate::harness::Client| -> Vec<Value> {
        let found = client.get(created).await.expect(200);
        found["events"].as_array().expect("a list").iter().map(|event| event["project"].clone()).collect()
    };
    assert_eq!(projects(&viewer).await, ["shop"]);
    assert_eq!(projects(&member).await, ["secret", "shop"]);
}

#[tokio::test]
async fn a_constraint_on_one_is_judged_for_those_who_see_it() {
    let app = with_tier().await;
    hide(&app).await;
    let validate = "/api/admin/constraints/validate";
    let (viewer, member) = (app.viewer().await, app.member("secret").await);
    for field in ["rank", "nowhere"] {
        let answer = viewer.post(validate, on(field, "gold")).await;
        let words = format!("\"{field}\", which does not exist or belongs to another project");
        answer.refused(400, "ValidationError", &words);
    }
    member.post(validate, on("rank", "gold")).await.expect(204);
    member.post(validate, on("rank", "tin")).await.refused(400, "ValidationError", "/body/values/0");
    viewer.post(validate, on("tier", "gold")).await.expect(204);
}

#[tokio::test]
async fn an_export_of_another_project_does_not_carry_them() {
    let app = with_tier().await;
    hide(&app).await;
    let f = app.feature("shop", "f").await;
    stray(&app, f, "rank").await;
    stray(&app, f, "tier").await;
    let wanted = json!({ "environment": "development", "project": "shop" });
    for client in [app.viewer().await, app.admin()] {
        let data = client.post("/api/admin/features-batch/export", wanted.clone()).await.expect(200);
        let fields: Vec<&Value> =
            data["contextFields"].as_array().expect("a list").iter().map(|field| &field["name"]).collect();
        assert_eq!(fields, ["tier"]);
    }
}
