//! Figures count what the caller may see, on every day and in every week.

use flagstone::jobs;

use super::*;
use crate::{calls::private_project, harness::Client};

/// Figures of two instances that are alike but for a private project; those of the first one as these callers see them.
async fn figures(app: &TestApp, client: Client) -> Value {
    jobs::record_insights(&app.state).await.expect("runs");
    client.get(INSIGHTS).await.expect(200)
}

async fn shop() -> TestApp {
    let app = TestApp::new().await;
    app.clock.advance(-10 * DAY_MS);
    app.project("shop").await;
    app.feature("shop", "f").await;
    event(&app, EventKind::FeatureEnvironmentEnabled, "shop", "f", Some("production")).await;
    app
}

async fn hide(app: &TestApp) {
    private_project(app, "secret").await;
    for name in ["a", "b", "c"] {
        app.feature("secret", name).await;
        event(app, EventKind::FeatureEnvironmentEnabled, "secret", name, Some("production")).await;
        event(app, EventKind::FeatureEnvironmentEnabled, "secret", name, Some("development")).await;
    }
}

#[tokio::test]
async fn trends_leave_hidden_projects_out() {
    let (with, without) = (shop().await, shop().await);
    hide(&with).await;
    for app in [&with, &without] {
        app.clock.advance(10 * DAY_MS);
    }
    let member = with.member("secret").await;
    let (seen, expected) = (figures(&with, with.viewer().await).await, {
        without.viewer().await;
        figures(&without, without.viewer().await).await
    });
    for part in ["flags", "flagTrends", "projectFlagTrends", "metricsSummaryTrends", "environmentTypeTrends"] {
        assert_eq!(seen[part], expected[part], "{part}");
    }
    assert_eq!(seen["flagTrends"][0]["total"], 1);
    let totals = |figures: &Value| -> i64 {
        let trends = figures["environmentTypeTrends"].as_array().expect("trends").iter();
        trends.map(|trend| trend["totalUpdates"].as_i64().expect("a number")).sum()
    };
    assert_eq!(totals(&seen), 1);
    for client in [member, with.admin()] {
        let all = client.get(INSIGHTS).await.expect(200);
        assert_eq!((all["flagTrends"][0]["total"].clone(), totals(&all)), (json!(4), 7));
    }
}

#[tokio::test]
async fn what_was_hidden_counts_for_nobody_else_when_it_is_gone() {
    let app = shop().await;
    hide(&app).await;
    app.clock.advance(10 * DAY_MS);
    jobs::record_insights(&app.state).await.expect("runs");
    let admin = app.admin();
    for name in ["a", "b", "c"] {
        let feature = format!("/api/admin/projects/secret/features/{name}");
        admin.request(poem::http::Method::DELETE, &feature, &[], vec![]).await.expect(202);
    }
    let gone = admin.request(poem::http::Method::DELETE, "/api/admin/projects/secret", &[], vec![]).await;
    assert_eq!(gone.status, 200, "{}", gone.text);
    let seen = app.viewer().await.get(INSIGHTS).await.expect(200);
    assert_eq!(seen["flagTrends"][0]["total"], 1);
    assert_eq!(admin.get(INSIGHTS).await.expect(200)["flagTrends"][0]["total"], 4);
}
