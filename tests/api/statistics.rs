//! The instance in numbers.

use flagstone::{domain::strategy::StrategyDefinition, store};
use serde_json::json;

use crate::harness::{TestApp, add_strategy};

const PATH: &str = "/api/admin/instance-admin/statistics";

#[tokio::test]
async fn every_number_is_counted_now() {
    let app = TestApp::new().await;
    let admin = app.admin();
    let before = admin.get(PATH).await.expect(200);
    assert_eq!((&before["users"], &before["featureToggles"], &before["projects"]), (&json!(0), &json!(0), &json!(1)));
    app.project("shop").await;
    let id = app.feature("shop", "f").await;
    let tx = app.tx().await;
    for _ in 0..3 {
        let strategy = StrategyDefinition { name: "default".to_owned(), ..StrategyDefinition::default() };
        add_strategy(&tx, id, "production", &strategy, app.clock.now()).await.expect("a strategy");
    }
    app.commit(tx).await;
    let viewer = app.viewer().await;
    let tx = app.tx().await;
    let seen = [(viewer.user_id.expect("an id"), app.clock.now().plus_days(-40))];
    store::access::people::mark_seen(&tx, &seen).await.expect("seen");
    app.commit(tx).await;
    let off = poem::http::Method::POST;
    admin.request(off, "/api/admin/environments/production/off", &[], Vec::new()).await.expect(204);
    admin.post("/api/admin/metrics/applications/checkout", json!({})).await.expect(202);
    let export = json!({ "environment": "production", "project": "shop" });
    admin.post("/api/admin/features-batch/export", export).await.expect(200);
    let settings = json!({ "enabled": true, "clientId": "flagstone", "secret": "s3cret-of-the-provider" });
    admin.post("/api/admin/auth/oidc/settings", settings).await.expect(200);
    let now = admin.get(PATH).await.expect(200);
    assert_eq!((&now["users"], &now["featureToggles"], &now["projects"]), (&json!(1), &json!(1), &json!(2)));
    assert_eq!(now["activeUsers"], json!({ "last7": 0, "last30": 0, "last60": 1, "last90": 1 }));
    assert_eq!(now["productionChanges"], json!({ "last30": 1, "last60": 1, "last90": 1 }));
    let apps = json!([
        { "range": "allTime", "count": 1 }, { "range": "30d", "count": 1 }, { "range": "7d", "count": 1 },
    ]);
    assert_eq!(now["clientApps"], apps);
    assert_eq!(now["apiTokens"], json!({ "admin": 1, "client": 0, "frontend": 0 }));
    assert_eq!((&now["featureExports"], &now["featureImports"]), (&json!(1), &json!(0)));
    assert_eq!((&now["OIDCenabled"], &now["SAMLenabled"]), (&json!(true), &json!(false)));
    assert_eq!((&now["maxEnvironmentStrategies"], &now["environments"]), (&json!(3), &json!(3)));
    assert_eq!((&now["roles"], &now["strategies"], &now["contextFields"]), (&json!(6), &json!(5), &json!(5)));
    assert_eq!(now["instanceId"], before["instanceId"]);
    assert_ne!(now["sum"], before["sum"]);
    assert_eq!(now["sum"].as_str().expect("a sum").len(), 64);
    viewer.get(PATH).await.refused(403, "NoAccessError", "ADMIN");
}
