//! Changing the key of what is encrypted, while servers run.

use std::collections::BTreeSet;

use flagstone::{
    config::presets::Presets,
    domain::settings::{OidcSettings, ProviderSettings as _},
    start::{self, StartError},
    store::{
        self, backup,
        db::Db,
        entity::setting,
        settings::{KEY_CHECK, Resealed},
    },
    vault::Vault,
};
use sea_orm::{ActiveValue::Set, EntityTrait};
use serde_json::{Value, json};

use crate::harness::{Client, TestApp};

const OIDC: &str = "/api/admin/auth/oidc/settings";
const SAML: &str = "/api/admin/auth/saml/settings";
/// The key of every server that a test starts with.
const OLD: [u8; 32] = [7; 32];
const NEW: [u8; 32] = [8; 32];

fn oidc(secret: &str) -> Value {
    json!({ "enabled": true, "clientId": "flagstone", "secret": secret })
}

fn saml() -> Value {
    json!({
        "enabled": true, "entityId": "https://id.example.com", "signOnUrl": "https://id.example.com/sso",
        "certificate": "hunter2-certificate",
    })
}

/// As a server begins, whose vault this is.
async fn begin(app: &TestApp, vault: &Vault) -> Result<(), StartError> {
    let state = &app.state;
    start::prepare(app.db(), vault, &state.clock, &state.passwords, &Presets::default()).await.map(drop)
}

async fn rekey(app: &TestApp, vault: &Vault) -> Result<Vec<String>, StartError> {
    start::rekey(app.db(), vault, app.clock.now()).await
}

/// Settings of both providers as a caller is shown them.
async fn shown(client: &Client) -> (Value, Value) {
    (client.get(OIDC).await.expect(200), client.get(SAML).await.expect(200))
}

/// The rows that open with this key alone.
async fn opened_by(app: &TestApp, key: [u8; 32]) -> BTreeSet<String> {
    let vault = Vault::with_key(&key);
    let rows = setting::Entity::find().all(app.db()).await.expect("rows");
    rows.into_iter().filter(|row| vault.open(&row.id, &row.content).is_ok()).map(|row| row.id).collect()
}

/// Sets both providers on a server that has the old key alone.
async fn with_settings() -> TestApp {
    let app = TestApp::new().await;
    begin(&app, &app.state.vault).await.expect("begins");
    app.admin().post(OIDC, oidc("hunter2-oidc")).await.expect(200);
    app.admin().post(SAML, saml()).await.expect(200);
    app
}

#[tokio::test]
async fn servers_with_both_keys_read_and_write_before_during_and_after_a_change() {
    let app = with_settings().await;
    let everything = opened_by(&app, OLD).await;
    assert_eq!(everything.len(), 3);
    let both = app.beside(Vault::with_keys(&NEW, &OLD));
    begin(&both, &both.state.vault).await.expect("begins with both");

    // Until the key is changed, what servers with both keys write is for those with the old one, too.
    both.admin().post(OIDC, oidc("hunter2-both")).await.expect(200);
    let expected = (oidc("hunter2-both"), saml());
    assert_eq!((shown(&app.admin()).await, shown(&both.admin()).await), (expected.clone(), expected));

    let (one, other) = (both.admin(), both.admin());
    let writes = async {
        for number in 0..12 {
            one.post(OIDC, oidc(&format!("hunter2-{number}"))).await.expect(200);
        }
    };
    let reads = async {
        for _ in 0..24 {
            assert_eq!(other.get(SAML).await.expect(200), saml());
            assert_eq!(other.get(OIDC).await.expect(200)["enabled"], true);
        }
    };
    let ((), (), changed) = tokio::join!(writes, reads, rekey(&app, &both.state.vault));
    assert_eq!(changed.expect("changes").into_iter().collect::<BTreeSet<_>>(), everything);
    assert_eq!(opened_by(&app, NEW).await, everything, "also what was written meanwhile");
    assert_eq!(opened_by(&app, OLD).await, BTreeSet::new());

    let new = app.beside(Vault::with_key(&NEW));
    begin(&new, &new.state.vault).await.expect("begins with the new key alone");
    let expected = (oidc("hunter2-11"), saml());
    assert_eq!((shown(&new.admin()).await, shown(&both.admin()).await), (expected.clone(), expected));
    both.admin().post(OIDC, oidc("hunter2-last")).await.expect(200);
    assert_eq!(new.admin().get(OIDC).await.expect(200), oidc("hunter2-last"));
}

#[tokio::test]
async fn the_old_key_is_refused_afterwards_and_nothing_can_be_read_in_the_database() {
    let app = with_settings().await;
    let both = Vault::with_keys(&NEW, &OLD);
    assert_eq!(rekey(&app, &both).await.expect("changes").len(), 3);
    let error = begin(&app, &app.state.vault).await.expect_err("the old key");
    assert!(matches!(error, StartError::WrongKey));
    assert!(error.to_string().contains("FLAGSTONE_PREVIOUS_KEY_FILE"), "{error}");
    let error = rekey(&app, &app.state.vault).await.expect_err("the old key");
    assert!(matches!(error, StartError::WrongKey));
    // Servers that were not told of the new key write nothing that others could not read.
    let tx = app.tx().await;
    let refused = store::settings::replace(&tx, &app.state.vault, &OidcSettings::off(), app.clock.now()).await;
    assert!(refused.expect_err("no key").to_string().contains("does not have"));
    drop(tx);

    let event = app.events().await.pop().expect("an event");
    let told = format!("{{\"id\":\"{KEY_CHECK}\",\"hideEventDetails\":true}}");
    assert_eq!((&*event.r#type, event.data.as_deref()), ("setting-updated", Some(&*told)));
    assert_eq!(event.created_by, "unleash_system_user");
    let rows = format!("{:?}{:?}", setting::Entity::find().all(app.db()).await.expect("rows"), app.events().await);
    assert!(!rows.contains("hunter2"));
    if let Some(directory) = app.directory() {
        let files = std::fs::read_dir(directory).expect("a directory");
        let bytes: Vec<u8> =
            files.flat_map(|file| std::fs::read(file.expect("a file").path()).expect("bytes")).collect();
        let holds = |text: &str| bytes.windows(text.len()).any(|window| window == text.as_bytes());
        assert!(holds(KEY_CHECK), "this reads what the database wrote");
        assert!(!holds("hunter2"));
    }
}

#[tokio::test]
async fn a_change_that_was_interrupted_left_nothing_and_can_be_made_again() {
    let app = with_settings().await;
    let everything = opened_by(&app, OLD).await;
    let both = Vault::with_keys(&NEW, &OLD);
    let tx = app.tx().await;
    let resealed = store::settings::reseal(&tx, &both, app.clock.now()).await.expect("reseals");
    assert_eq!(resealed, Resealed::All(everything.iter().cloned().collect()));
    drop(tx);
    assert_eq!(opened_by(&app, OLD).await, everything);
    let events = app.events().await.len();
    assert_eq!(rekey(&app, &both).await.expect("changes").len(), 3);
    assert_eq!(app.events().await.len(), events + 1);
    // What is done already is done, and leaves no event.
    for vault in [&both, &Vault::with_key(&NEW)] {
        assert_eq!(rekey(&app, vault).await.expect("nothing to do"), [""; 0]);
    }
    assert_eq!(app.events().await.len(), events + 1);
    // And back.
    assert_eq!(rekey(&app, &Vault::with_keys(&OLD, &NEW)).await.expect("changes").len(), 3);
    assert_eq!(shown(&app.admin()).await, (oidc("hunter2-oidc"), saml()));
}

#[tokio::test]
async fn what_neither_key_opens_is_named_and_nothing_changes() {
    let app = with_settings().await;
    let foreign = Vault::with_key(&[9; 32]);
    let (id, tx) = ("unleash.enterprise.auth.saml", app.tx().await);
    let content = foreign.main().seal(id, b"hunter2");
    let row = setting::ActiveModel { id: Set(id.to_owned()), content: Set(content), ..Default::default() };
    setting::Entity::update(row).exec(&tx).await.expect("an update");
    app.commit(tx).await;
    let before = opened_by(&app, OLD).await;
    let error = rekey(&app, &Vault::with_keys(&NEW, &OLD)).await.expect_err("a foreign row");
    assert!(error.to_string().contains(id) && !format!("{error} {error:?}").contains("hunter2"), "{error}");
    assert_eq!(opened_by(&app, OLD).await, before);
    let error = rekey(&app, &Vault::with_keys(&NEW, &[9; 32])).await.expect_err("another previous key");
    assert!(matches!(error, StartError::WrongKey));
    assert_eq!(opened_by(&app, OLD).await, before);
}

#[tokio::test]
async fn a_backup_of_before_opens_with_the_old_key() {
    let app = with_settings().await;
    // PostgreSQL is copied by its own programs.
    let Some(directory) = app.directory() else { return };
    let copy = directory.join("backup.db");
    std::fs::File::create_new(&copy).expect("a file");
    backup::copy_into(app.db(), &copy).await.expect("copies");
    rekey(&app, &Vault::with_keys(&NEW, &OLD)).await.expect("changes");

    let db = Db::open(&format!("sqlite://{}", copy.display())).await.expect("opens");
    let state = &app.state;
    let error = start::prepare(&db, &Vault::with_key(&NEW), &state.clock, &state.passwords, &Presets::default()).await;
    assert!(matches!(error, Err(StartError::WrongKey)), "the new key alone does not open it");
    let old = Vault::with_key(&OLD);
    start::prepare(&db, &old, &state.clock, &state.passwords, &Presets::default()).await.expect("begins");
    let found: OidcSettings = store::settings::get(&db, &old).await.expect("reads");
    assert_eq!(serde_json::to_value(&found).expect("JSON"), oidc("hunter2-oidc"));
    // With both it is brought up to the new one.
    let changed = start::rekey(&db, &Vault::with_keys(&NEW, &OLD), app.clock.now()).await.expect("changes");
    assert_eq!(changed.len(), 3);
    db.close().await.expect("closes");
}

#[tokio::test]
async fn connections_of_login_providers_follow_the_key_and_go_with_a_lost_one() {
    let app = with_settings().await;
    let created = json!({
        "id": "google", "kind": "google", "label": "Google", "settings": { "clientId": "c", "secret": "hunter2-google" },
    });
    app.admin().post("/api/admin/auth/providers", created).await.expect(201);
    rekey(&app, &Vault::with_keys(&NEW, &OLD)).await.expect("rekeyed");
    let secret_by = async |key: [u8; 32]| {
        let found = store::sign_in::providers::find(app.db(), &Vault::with_key(&key), "google").await;
        found.map(|found| found.and_then(|found| found.content.connection.secret))
    };
    assert_eq!(secret_by(NEW).await.expect("opens").as_deref(), Some("hunter2-google"));
    assert!(secret_by(OLD).await.is_err());
    let gone = start::forget_sealed(app.db(), app.clock.now()).await.expect("forgets");
    assert!(gone.contains(&"flagstone.sign-in-providers"), "{gone:?}");
    assert_eq!(secret_by(NEW).await.expect("none"), None);
}
