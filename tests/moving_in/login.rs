//! Settings of login providers come over sealed, and people can sign in by them where all of it holds.

use serde_json::json;

use crate::{dump, server, server::Server, stored};

const OIDC: &str = "unleash.enterprise.auth.oidc";
const SAML: &str = "unleash.enterprise.auth.saml";

#[tokio::test]
async fn login_settings_come_over_sealed() {
    let Some(from) = dump::restored("6.3.0").await else { return };
    let directory = tempfile::tempdir().expect("a directory");
    let to = format!("sqlite://{}", directory.path().join("new.db").display());
    let printed = server::moved(&from, &to, &[]);
    assert!(printed.contains(&format!("changed: setting {OIDC}: comes over, and is kept encrypted")), "{printed}");
    assert!(!printed.contains("oidc-secret"), "{printed}");
    let kept = stored::login_settings(&to).await;
    assert_eq!(kept.keys().collect::<Vec<_>>(), [OIDC, SAML]);
    assert!(kept.values().all(|content| content.starts_with("v1:")), "{kept:?}");

    let expected = dump::expected("6.3.0");
    let admin = expected["secrets"]["tokens"]["admin"][0].as_str().expect("a token");
    let server = Server::start(directory.path(), &to).await;
    let (status, oidc) = server.get("/api/admin/auth/oidc/settings", admin);
    assert_eq!((status, &oidc["enabled"], &oidc["secret"]), (200, &json!(true), &json!("oidc-secret")), "{oidc}");
    assert_eq!((&oidc["groupJsonPath"], &oidc["emailDomains"]), (&json!("groups"), &json!("example.test")), "{oidc}");
    let (status, saml) = server.get("/api/admin/auth/saml/settings", admin);
    assert_eq!((status, &saml["enabled"], &saml["certificate"]), (200, &json!(false), &json!("MIID")), "{saml}");
}

#[tokio::test]
async fn integrations_come_over_sealed_and_are_told_only_of_what_comes_after() {
    for version in ["4.19.5", "5.12.8", "6.3.0", "8.2.0"] {
        let Some(from) = dump::restored(version).await else { return };
        let directory = tempfile::tempdir().expect("a directory");
        let to = format!("sqlite://{}", directory.path().join("new.db").display());
        let printed = server::moved(&from, &to, &[]);
        assert!(!printed.contains("integration"), "{version}: {printed}");
        let expected = dump::expected(version);
        let admin = expected["secrets"]["tokens"]["admin"][0].as_str().expect("a token");
        let server = Server::start(directory.path(), &to).await;
        let (status, told) = server.get("/api/admin/addons", admin);
        assert_eq!(status, 200, "{told}");
        let addons = told["addons"].as_array().expect("a list");
        let kinds: Vec<_> = addons.iter().map(|addon| (&addon["provider"], addon["enabled"] == true)).collect();
        assert_eq!(
            kinds,
            [(&json!("webhook"), true), (&json!("slack"), false), (&json!("datadog"), true)],
            "{version}"
        );
        assert_eq!(
            (&addons[0]["events"], &addons[0]["projects"], &addons[0]["parameters"]["authorization"]),
            (&json!(["feature-created", "feature-archived"]), &json!(["shop"]), &json!("*****")),
            "{version}"
        );
        let (status, log) = server.get("/api/admin/addons/1/events", admin);
        assert_eq!((status, &log["integrationEvents"]), (200, &json!([])), "{version}");
        assert_eq!(stored::integrations_behind(&to).await, 0, "{version}: of what happened elsewhere nobody is told");
    }
}

/// What a program had there it has here: an account, its role and its tokens, and no way to sign in.
#[tokio::test]
async fn programs_banners_and_attempts_to_sign_in_come_over() {
    let expected = dump::expected("6.3.0");
    let password = expected["secrets"]["passwords"]["ci-bot"].as_str().expect("a password");
    for to_postgres in [false, true] {
        let Some(from) = dump::restored("6.3.0").await else { return };
        let directory = tempfile::tempdir().expect("a directory");
        let to = if to_postgres {
            dump::empty().await.expect("a database")
        } else {
            format!("sqlite://{}", directory.path().join("new.db").display())
        };
        dump::execute(
            &from,
            "UPDATE users SET is_service = true WHERE id = 6;
             INSERT INTO personal_access_tokens (secret, description, user_id, expires_at)
             VALUES ('user:of-the-program', 'pipeline', 6, now() + interval '90 days');
             INSERT INTO banners (enabled, message, variant, sticky, link)
             VALUES (true, 'evil', 'info', false, 'javascript:alert(1)');
             INSERT INTO login_history (username, auth_type, created_at, successful, ip, failure_reason) VALUES
             ('eve', 'simple', now() - interval '2 hours', false, '192.0.2.7', 'Wrong password'),
             ('ada', 'google', now() - interval '1 hour', true, NULL, NULL),
             ('zoe', 'carrier-pigeon', now(), true, NULL, NULL)",
        )
        .await;
        let printed = server::moved(&from, &to, &[]);
        assert!(printed.contains("left out: banner evil: its link must be"), "{printed}");
        assert!(!printed.contains("ordinary user"), "{printed}");
        let server = Server::start(directory.path(), &to).await;
        let (status, me) = server.get("/api/admin/user", "user:of-the-program");
        assert_eq!((status, &me["user"]["accountType"]), (200, &json!("Service Account")), "{me}");
        assert_eq!((&me["user"]["id"], &me["user"]["rootRole"]), (&json!(6), &json!(2)));
        assert_eq!(server.sign_in("ci-bot", password), 401);
        let admin = expected["secrets"]["tokens"]["admin"][0].as_str().expect("a token");
        let (_, accounts) = server.get("/api/admin/service-account", admin);
        let descriptions: Vec<_> = accounts["serviceAccounts"][0]["tokens"]
            .as_array()
            .expect("tokens")
            .iter()
            .map(|token| token["description"].as_str().expect("text"))
            .collect();
        assert!(descriptions.contains(&"pipeline"), "{descriptions:?}");
        let (_, banners) = server.get("/api/admin/banners", admin);
        assert_eq!(banners["banners"].as_array().map(Vec::len), Some(1), "{banners}");
        let banner = &banners["banners"][0];
        assert_eq!((&banner["message"], &banner["variant"]), (&json!("Maintenance on **Sunday**"), &json!("warning")));
        assert_eq!((&banner["enabled"], &banner["sticky"]), (&json!(true), &json!(true)));
        let (_, logins) = server.get("/api/admin/logins", admin);
        let told: Vec<_> = logins["events"].as_array().expect("a list").iter().rev().take(2).collect();
        assert_eq!(told[0]["username"], "eve", "the oldest");
        assert_eq!((&told[0]["ip"], &told[0]["failure_reason"]), (&json!("192.0.2.7"), &json!("Wrong password")));
        assert_eq!((&told[1]["username"], &told[1]["auth_type"]), (&json!("ada"), &json!("oidc")));
        assert!(!logins.to_string().contains("zoe"), "{logins}");
    }
}

#[tokio::test]
async fn what_would_not_be_safe_here_is_switched_off() {
    let Some(from) = dump::restored("6.3.0").await else { return };
    let directory = tempfile::tempdir().expect("a directory");
    let to = format!("sqlite://{}", directory.path().join("new.db").display());
    let changed = "UPDATE settings SET content = \
        (content::jsonb || '{\"discoverUrl\": \"http://id.example.test\", \"defaultRootRoleId\": 4711}')::json \
        WHERE name LIKE '%.oidc'; \
        UPDATE settings SET content = (content::jsonb || '{\"enabled\": true, \"certificate\": \"\"}')::json \
        WHERE name LIKE '%.saml'; \
        INSERT INTO settings VALUES ('unleash.auth.google', '{\"enabled\": true}')";
    dump::execute(&from, changed).await;
    let printed = server::moved(&from, &to, &["--dry-run"]);
    for told in [
        &*format!("changed: setting {OIDC}: is switched off: discoverUrl must be https"),
        &*format!("changed: setting {OIDC}: gave new users a root role that does not exist"),
        &*format!("changed: setting {SAML}: is switched off: something that it needs is missing"),
        "left out: setting unleash.auth.google: there is no such login provider here",
    ] {
        assert!(printed.contains(told), "{told}: {printed}");
    }
}

/// A server on PostgreSQL may start anywhere, so that a key beside the command would be lost.
#[tokio::test]
async fn nothing_is_sealed_with_a_key_that_nobody_named() {
    let Some(from) = dump::restored("6.3.0").await else { return };
    let to = dump::empty().await.expect("a server");
    let printed = server::moved(&from, &to, &["--dry-run"]);
    assert!(
        printed.contains(&format!("left out: setting {OIDC}: its secrets are kept encrypted, and no key")),
        "{printed}"
    );
    let key = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
    let printed = server::moved(&from, &to, &["--secret-key", key]);
    assert!(printed.contains(&format!("changed: setting {OIDC}: comes over")) && !printed.contains(key), "{printed}");
    let kept = stored::login_settings(&to).await;
    assert!(kept.len() == 2 && kept.values().all(|content| content.starts_with("v1:")), "{kept:?}");
}
