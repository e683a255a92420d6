//! Applications of projects that the caller may not see.

use flagstone::jobs;

use super::*;

/// A program of these projects says that it runs, with its name.
async fn registers(app: &TestApp, projects: &[&str], name: &str) {
    let program = app.program(projects, "development").await;
    let body = json!({ "appName": name, "strategies": ["default"], "started": "2026-01-15T12:00:00Z", "interval": 15 });
    program.post("/api/client/register", body).await.expect(202);
    jobs::write_usage(&app.state).await.expect("writes");
}

#[tokio::test]
async fn a_text_narrows_down_what_is_visible() {
    let app = shop().await;
    secret(&app).await;
    for (name, feature) in [("checkout", "f"), ("billing", "f"), ("spy-checkout", "s")] {
        registered(&app, name, &[]).await;
        report(&app, name, feature, "production", "2026-01-15T11:00:00Z", 1, 1).await;
    }
    let viewer = app.viewer().await;
    assert_eq!(names(&viewer, "?query=check").await, (vec!["checkout".to_owned()], json!(1)));
    assert_eq!(names(&viewer, "?query=spy").await, (vec![], json!(0)));
    assert_eq!(names(&viewer, "?query=i&limit=1").await, (vec!["billing".to_owned()], json!(1)));
    assert_eq!(names(&app.admin(), "?query=check").await.1, json!(2));
}

#[tokio::test]
async fn who_has_only_registered_is_shown_to_those_who_see_a_project_of_its_token() {
    let app = shop().await;
    secret(&app).await;
    registers(&app, &["shop"], "till").await;
    registers(&app, &["secret"], "spy").await;
    registers(&app, &["*"], "everywhere").await;
    registers(&app, &["shop", "secret"], "both").await;
    let told = |client: Client| async move { names(&client, "").await.0 };
    assert_eq!(told(app.viewer().await).await, ["both", "till"]);
    assert_eq!(told(app.member("secret").await).await, ["both", "everywhere", "spy", "till"]);
    assert_eq!(told(app.admin()).await, ["both", "everywhere", "spy", "till"]);
    for path in ["", "/overview"] {
        let answer = app.viewer().await.get(&format!("{ALL}/spy{path}")).await;
        answer.refused(404, "NotFoundError", "spy");
    }
    // Registering for another project as well opens it.
    registers(&app, &["shop"], "everywhere").await;
    assert_eq!(told(app.viewer().await).await, ["both", "everywhere", "till"]);
}

#[tokio::test]
async fn an_application_whose_features_are_gone_stays_hidden() {
    let app = shop().await;
    secret(&app).await;
    registers(&app, &["secret"], "spy").await;
    report(&app, "spy", "s", "production", "2026-01-15T11:00:00Z", 1, 1).await;
    registers(&app, &["shop"], "till").await;
    let admin = app.admin();
    admin.request(Method::DELETE, "/api/admin/projects/secret/features/s", &[], vec![]).await.expect(202);
    admin.request(Method::DELETE, "/api/admin/archive/s", &[], vec![]).await.expect(200);
    for feature in ["f", "s", "never-was"] {
        report(&app, "till", feature, "production", "2026-01-15T11:00:00Z", 1, 1).await;
    }
    let viewer = app.viewer().await;
    assert_eq!(names(&viewer, "").await, (vec!["till".to_owned()], json!(1)));
    // Nor does one that everybody sees tell of a feature that nobody may know of.
    let missing = async |client: &Client| {
        let overview = client.get(&format!("{ALL}/till/overview")).await.expect(200);
        overview["environments"][0]["issues"]["missingFeatures"].clone()
    };
    assert_eq!(missing(&viewer).await, json!(["never-was"]));
    assert_eq!(missing(&admin).await, json!(["never-was", "s"]));
}

#[tokio::test]
async fn an_application_is_described_by_those_who_see_it() {
    let app = shop().await;
    secret(&app).await;
    registers(&app, &["secret"], "spy").await;
    let before = app.event_types().await;
    let editor = app.editor().await;
    let description = json!({ "description": "mine" });
    editor.post(&format!("{ALL}/spy"), description.clone()).await.refused(403, "NoAccessError", "\"spy\"");
    assert_eq!(app.event_types().await, before);
    assert_eq!(app.admin().get(&format!("{ALL}/spy")).await.expect(200)["description"], Value::Null);
    // What somebody makes known by hand belongs to nobody.
    editor.post(&format!("{ALL}/till"), description.clone()).await.expect(202);
    assert_eq!(app.viewer().await.get(&format!("{ALL}/till")).await.expect(200)["description"], "mine");
    editor.post(&format!("{ALL}/till"), json!({ "url": "u" })).await.expect(202);
}
