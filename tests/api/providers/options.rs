//! Ways to sign in, as those who are not signed in learn of them.

use flagstone::config::Config;
use serde_json::{Value, json};

use crate::harness::TestApp;

const OIDC: &str = "/api/admin/auth/oidc/settings";
const SAML: &str = "/api/admin/auth/saml/settings";

fn told(body: &Value) -> Value {
    json!([body["type"], body["path"], body["defaultHidden"], body["options"], body["passkeys"]])
}

/// Returns the ways to sign in; a refusal for want of credentials tells the same as the operation for them.
async fn ways(app: &TestApp) -> Value {
    let anybody = app.anonymous();
    let options = anybody.get("/auth/options").await.expect(200);
    for path in ["/api/admin/user", "/api/admin/projects", "/api/client/features", "/api/frontend"] {
        let refused = anybody.get(path).await.expect(401);
        assert_eq!(refused["name"], "AuthenticationRequired");
        assert_eq!(told(&refused), told(&options), "{path}");
    }
    let refused = app.with_authorization("*:*.of-nobody").get("/api/admin/user").await.expect(401);
    assert_eq!(told(&refused), told(&options));
    options
}

#[tokio::test]
async fn a_refusal_tells_of_the_form_and_of_each_provider_that_is_on() {
    let base_url = "https://flags.example.com/team".to_owned();
    let app = TestApp::with_config(Config { base_url, ..Config::default() }).await;
    let admin = app.admin();
    let form = json!({ "type": "password", "path": "/auth/simple/login", "defaultHidden": false, "options": [], "passkeys": true });
    assert_eq!(ways(&app).await, form);
    let saml = json!({ "enabled": true, "entityId": "e", "signOnUrl": "https://id.example.com", "certificate": "c" });
    admin.post(SAML, saml).await.expect(200);
    let saml = json!({ "type": "saml", "message": "Sign in with SAML 2.0", "path": "/team/auth/saml/login" });
    assert_eq!(ways(&app).await["options"], json!([saml]));
    admin.post(OIDC, json!({ "enabled": true, "clientId": "c", "secret": "s" })).await.expect(200);
    let oidc = json!({ "type": "oidc", "message": "Sign in with OpenID Connect", "path": "/team/auth/oidc/login" });
    assert_eq!(ways(&app).await["options"], json!([oidc, saml]));
    for path in [OIDC, SAML] {
        admin.post(path, json!({ "enabled": false })).await.expect(200);
    }
    assert_eq!(ways(&app).await, form);
}

#[tokio::test]
async fn a_wrong_password_and_a_missing_permission_tell_nothing_of_it() {
    let app = TestApp::new().await;
    let login = json!({ "username": "nobody", "password": "wrong" });
    let wrong = app.anonymous().post("/auth/simple/login", login).await.expect(401);
    let barred = app.viewer().await.get("/api/admin/groups").await.expect(403);
    for body in [wrong, barred] {
        assert_eq!(told(&body), json!([null, null, null, null, null]));
    }
}
