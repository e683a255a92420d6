//! Secrets of login providers that nobody finds: not in events, the database or the log.

use std::{
    io,
    sync::{Arc, Mutex},
};

use flagstone::store::entity::setting;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};
use serde_json::json;

use super::{BOTH, SECRET, enabled, with};
use crate::harness::TestApp;

#[tokio::test]
async fn events_tell_that_settings_changed_and_never_how() {
    let app = TestApp::new().await;
    for path in BOTH {
        app.admin().post(path, enabled(path)).await.expect(200);
        app.clock.advance(1000);
        app.root_admin().await.post(path, enabled(path)).await.expect(200);
        app.admin().post(path, json!({ "enabled": false, "clientId": SECRET, "entityId": SECRET })).await.expect(200);
    }
    let events = app.events().await;
    let told: Vec<_> = events
        .iter()
        .map(|event| {
            (event.r#type.as_str(), event.data.as_deref(), event.pre_data.as_deref(), event.created_by.as_str())
        })
        .collect();
    let hidden = Some(r#"{"hideEventDetails":true}"#);
    let oidc = Some(r#"{"id":"unleash.enterprise.auth.oidc","hideEventDetails":true}"#);
    let saml = Some(r#"{"id":"unleash.enterprise.auth.saml","hideEventDetails":true}"#);
    // Setting what is set already is no change.
    assert_eq!(
        told,
        [
            ("setting-created", oidc, None, "tests"),
            ("setting-updated", oidc, hidden, "tests"),
            ("setting-created", saml, None, "tests"),
            ("setting-updated", saml, hidden, "tests"),
        ]
    );
    assert!(!format!("{events:?}").contains("hunter2"));
}

#[tokio::test]
async fn the_database_holds_no_readable_secret() {
    let app = TestApp::new().await;
    for path in BOTH {
        app.admin().post(path, enabled(path)).await.expect(200);
    }
    let rows = setting::Entity::find().filter(setting::Column::Id.starts_with("unleash.enterprise.auth."));
    let rows = rows.all(app.db()).await.expect("rows");
    assert_eq!(rows.len(), 2);
    for row in &rows {
        assert!(row.content.starts_with("v1:") && row.content.len() > 300, "{row:?}");
        assert!(!row.content.contains("hunter2") && !row.content.contains("example.com"), "{row:?}");
    }
    if let Some(directory) = app.directory() {
        let mut bytes = Vec::new();
        for file in std::fs::read_dir(directory).expect("a directory") {
            bytes.extend(std::fs::read(file.expect("a file").path()).expect("bytes"));
        }
        let holds = |text: &str| bytes.windows(text.len()).any(|window| window == text.as_bytes());
        assert!(holds("unleash.enterprise.auth.oidc"), "this reads what the database wrote");
        assert!(!holds("hunter2") && !holds("id.example.com"));
    }
}

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("a log").write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn the_log_holds_no_secret_however_much_it_tells() {
    let app = TestApp::new().await;
    let log = Log::default();
    let writer = log.clone();
    let subscriber =
        tracing_subscriber::fmt().with_max_level(tracing::Level::TRACE).with_writer(move || writer.clone()).finish();
    // With a single subscriber in the process, tracing would believe the threads of other tests that nobody listens.
    let _second = tracing::Dispatch::new(tracing::subscriber::NoSubscriber::new());
    let guard = tracing::subscriber::set_default(subscriber);
    for path in BOTH {
        app.admin().post(path, enabled(path)).await.expect(200);
        app.admin().post(path, with(enabled(path), "autoCreate", json!(SECRET))).await.refused(
            400,
            "ValidationError",
            "",
        );
        app.admin().get(path).await.expect(200);
    }
    drop(guard);
    let text = String::from_utf8(log.0.lock().expect("a log").clone()).expect("UTF-8");
    assert!(text.contains("setOidcSettings"), "this reads what the server logged: {text}");
    assert!(!text.contains("hunter2"));
}

#[tokio::test]
async fn a_mask_stands_for_the_secret_where_it_is_wanted_and_leads_it_nowhere_else() {
    let app = TestApp::new().await;
    let (admin, policy) = (app.admin(), "/api/admin/auth/policy");
    let [oidc, saml] = BOTH;
    for (path, property) in [(oidc, "secret"), (saml, "spCertificate")] {
        let wanted = enabled(path);
        let shown = admin.post(path, wanted.clone()).await.expect(200);
        assert_eq!(shown[property], wanted[property], "as the specification has it");
        assert_eq!(admin.get(path).await.expect(200)[property], wanted[property]);
        let masked = admin.get(&format!("{path}?maskSecrets=true")).await.expect(200);
        assert_eq!(masked[property], "********");
        // Sent back, it changes nothing.
        let events = app.event_types().await.len();
        let again = admin.post(&format!("{path}?maskSecrets=true"), masked.clone()).await.expect(200);
        assert_eq!(again, masked);
        assert_eq!(app.event_types().await.len(), events);
        assert_eq!(admin.get(path).await.expect(200)[property], wanted[property]);
    }
    // Nor does it follow to another server.
    let mut elsewhere = admin.get(&format!("{oidc}?maskSecrets=true")).await.expect(200);
    elsewhere["discoverUrl"] = json!("https://evil.example.com");
    admin.post(oidc, elsewhere.clone()).await.refused(400, "ValidationError", "/body/secret");
    admin.post("/api/admin/auth/oidc/test", elsewhere.clone()).await.refused(400, "ValidationError", "/body/secret");
    elsewhere["secret"] = json!("another");
    admin.post(oidc, elsewhere).await.expect(200);
    // The policy wants it for everybody.
    let mut masks = admin.get(policy).await.expect(200);
    masks["maskSecrets"] = json!(true);
    crate::calls::put(&admin, policy, masks).await.expect(200);
    for (path, property) in [(oidc, "secret"), (saml, "spCertificate")] {
        let shown = app.root_admin().await.get(path).await.expect(200);
        assert_eq!(shown[property], "********");
    }
    admin.post(oidc, json!({ "enabled": false })).await.expect(200);
    admin.post(oidc, with(enabled(oidc), "secret", json!("********"))).await.refused(
        400,
        "ValidationError",
        "/body/secret",
    );
}
