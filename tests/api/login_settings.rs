//! Settings of login providers: both sides of each, and refusals that show nothing.

mod policy;
mod secrets;

use flagstone::{
    api::document::DOCUMENT,
    config::{BodyLimits, Config},
};
use poem::http::Method;
use serde_json::{Value, json};

use crate::harness::TestApp;

const OIDC: &str = "/api/admin/auth/oidc/settings";
const SAML: &str = "/api/admin/auth/saml/settings";
const BOTH: [&str; 2] = [OIDC, SAML];
const JSON: Option<&str> = Some("application/json");
/// Stands for every secret and every wrong value; it must show up nowhere.
const SECRET: &str = "hunter2-of-the-provider";

fn oidc() -> Value {
    json!({
        "enabled": true,
        "clientId": "flagstone",
        "secret": SECRET,
        "discoverUrl": "https://id.example.com/.well-known/openid-configuration",
        "autoCreate": true,
        "enableSingleSignOut": false,
        "defaultRootRole": "Editor",
        "defaultRootRoleId": 3,
        "emailDomains": "example.com,example.org",
        "acrValues": "urn:a urn:b",
        "idTokenSigningAlgorithm": "RS512",
        "enableGroupSyncing": true,
        "groupJsonPath": "groups",
        "addGroupsScope": true,
    })
}

fn saml() -> Value {
    json!({
        "enabled": true,
        "entityId": "https://id.example.com/entity",
        "signOnUrl": "https://id.example.com/sso",
        "certificate": SECRET,
        "signOutUrl": "https://id.example.com/slo",
        "spCertificate": SECRET,
        "autoCreate": false,
        "emailDomains": "example.com",
        "defaultRootRole": "Viewer",
        "defaultRootRoleId": 2,
        "enableGroupSyncing": true,
        "groupJsonPath": "groups",
    })
}

fn enabled(path: &str) -> Value {
    if path == OIDC { oidc() } else { saml() }
}

fn with(mut settings: Value, property: &str, value: Value) -> Value {
    settings[property] = value;
    settings
}

fn without(mut settings: Value, property: &str) -> Value {
    settings.as_object_mut().expect("an object").remove(property);
    settings
}

#[tokio::test]
async fn while_nothing_is_stored_the_providers_are_off() {
    let app = TestApp::new().await;
    for path in BOTH {
        assert_eq!(app.admin().get(path).await.expect(200), json!({ "enabled": false }));
    }
}

#[tokio::test]
async fn settings_come_back_as_they_were_given_secret_included() {
    let app = TestApp::new().await;
    for path in BOTH {
        let settings = enabled(path);
        let given = with(settings.clone(), "somethingElse", json!("ignored"));
        assert_eq!(app.admin().post(path, given).await.expect(200), settings);
        assert_eq!(app.root_admin().await.get(path).await.expect(200), settings);
    }
    // One provider's settings do not touch the other's.
    app.admin().post(OIDC, json!({ "enabled": false })).await.expect(200);
    assert_eq!(app.admin().get(SAML).await.expect(200), saml());
}

#[tokio::test]
async fn what_is_posted_replaces_everything_that_was_there() {
    let app = TestApp::new().await;
    app.admin().post(OIDC, oidc()).await.expect(200);
    let least = json!({ "enabled": true, "clientId": "c", "secret": "s" });
    assert_eq!(app.admin().post(OIDC, least.clone()).await.expect(200), least);
    assert_eq!(app.admin().get(OIDC).await.expect(200), least);
}

#[tokio::test]
async fn the_disabled_side_needs_nothing_and_keeps_what_it_is_given() {
    let app = TestApp::new().await;
    for path in BOTH {
        for settings in [
            json!({ "enabled": false }),
            with(enabled(path), "enabled", json!(false)),
            // What counts only for signing in is not judged.
            json!({ "enabled": false, "signOnUrl": "urn:later", "signOutUrl": "http://x", "defaultRootRoleId": 99 }),
            json!({ "enabled": false, "discoverUrl": "ftp://me:secret@example.com" }),
            json!({ "enabled": false, "clientId": "c", "entityId": "e", "emailDomains": " " }),
        ] {
            let stored = app.admin().post(path, settings.clone()).await.expect(200);
            assert_eq!(stored, app.admin().get(path).await.expect(200));
            let stored = stored.as_object().expect("an object");
            assert!(stored.iter().all(|(name, value)| settings[name] == *value), "{stored:?}");
        }
        assert_eq!(app.admin().get(path).await.expect(200)["emailDomains"], " ");
    }
}

#[tokio::test]
async fn addresses_are_uris_on_both_sides_and_an_empty_one_is_not_set() {
    let app = TestApp::new().await;
    let schemas = &DOCUMENT["components"]["schemas"];
    for (path, property, of) in [
        (OIDC, "discoverUrl", "OidcSettings"),
        (SAML, "signOnUrl", "SamlSettings"),
        (SAML, "signOutUrl", "SamlSettings"),
    ] {
        assert_eq!(schemas[format!("{of}Disabled")]["properties"][property]["format"], "uri", "{property}");
        let (pointer, events) = (format!("/body/{property}"), app.event_types().await);
        for none in ["not a uri", "id.example.com", "/realms/a", " ", "https://x y", "https://x/|", "\u{feff}https://x"]
        {
            let whole = with(enabled(path), property, json!(none));
            for (side, settings) in [
                ("enabled", whole.clone()),
                ("disabled", with(whole.clone(), "enabled", json!(false))),
                ("unsaid", without(whole, "enabled")),
                ("alone", json!({ "enabled": false, property: none })),
                ("bare", json!({ property: none })),
            ] {
                let answer = app.admin().post(path, settings).await;
                let details = answer.body["details"].as_array().cloned().unwrap_or_default();
                assert!(details.iter().all(|finding| finding["path"] == pointer.as_str()), "{side}: {}", answer.text);
                answer.refused(400, "ValidationError", &pointer);
            }
        }
        assert_eq!(app.event_types().await, events);
        let empty = json!({ "enabled": false, property: "" });
        assert_eq!(app.admin().post(path, empty).await.expect(200), json!({ "enabled": false }));
        // Whether secrets may travel there counts once they would.
        let later = json!({ "enabled": false, property: "http://id.example.com" });
        assert_eq!(app.admin().post(path, later.clone()).await.expect(200), later);
    }
}

#[tokio::test]
async fn settings_that_do_not_say_so_are_disabled() {
    let app = TestApp::new().await;
    for path in BOTH {
        app.admin().post(path, enabled(path)).await.expect(200);
        let settings = without(enabled(path), "enabled");
        let expected = with(settings.clone(), "enabled", json!(false));
        assert_eq!(app.admin().post(path, settings).await.expect(200), expected);
        assert_eq!(app.admin().get(path).await.expect(200), expected);
        assert_eq!(app.admin().post(path, json!({})).await.expect(200), json!({ "enabled": false }));
        let null = with(enabled(path), "enabled", Value::Null);
        app.admin().post(path, null).await.refused(400, "ValidationError", "/body/enabled");
    }
}

#[tokio::test]
async fn empty_texts_of_forms_are_not_set() {
    let app = TestApp::new().await;
    let required = ["enabled", "clientId", "secret", "entityId", "signOnUrl", "certificate"];
    for path in BOTH {
        let least = enabled(path).as_object().expect("an object").clone();
        let least: serde_json::Map<_, _> = least.into_iter().filter(|(name, _)| required.contains(&&**name)).collect();
        let mut form = enabled(path);
        for (name, value) in form.as_object_mut().expect("an object") {
            if !required.contains(&&**name) {
                *value = json!("");
            }
        }
        assert_eq!(app.admin().post(path, form.clone()).await.expect(200), json!(least));
        assert_eq!(app.admin().get(path).await.expect(200), json!(least));
        form["enabled"] = json!(false);
        for name in &required[1..] {
            form[*name] = json!("");
        }
        assert_eq!(app.admin().post(path, form).await.expect(200), json!({ "enabled": false }));
    }
}

#[tokio::test]
async fn an_empty_word_about_whether_it_is_enabled_switches_nothing_off() {
    let app = TestApp::new().await;
    for path in BOTH {
        app.admin().post(path, enabled(path)).await.expect(200);
        let answer = app.admin().post(path, with(enabled(path), "enabled", json!(""))).await;
        answer.refused(400, "ValidationError", "The /body/enabled property must be of type boolean.");
        assert_eq!(app.admin().get(path).await.expect(200), enabled(path));
    }
}

#[tokio::test]
async fn each_property_that_the_enabled_side_lacks_is_named() {
    let app = TestApp::new().await;
    for (path, required) in [(OIDC, &["clientId", "secret"][..]), (SAML, &["entityId", "signOnUrl", "certificate"])] {
        for property in required {
            let pointer = format!("/body/{property}");
            let answer = app.admin().post(path, without(enabled(path), property)).await;
            assert_eq!(answer.body["details"][0]["path"], pointer.as_str());
            assert_eq!(answer.body["details"].as_array().map(Vec::len), Some(1));
            assert!(!answer.text.contains(SECRET));
            answer.refused(400, "ValidationError", &format!("{pointer} property is required"));
            let null = with(enabled(path), property, Value::Null);
            app.admin().post(path, null).await.refused(400, "ValidationError", &pointer);
            let empty = with(enabled(path), property, json!(""));
            app.admin().post(path, empty).await.refused(400, "ValidationError", &pointer);
        }
        let bare = app.admin().post(path, json!({ "enabled": true })).await;
        let named: Vec<_> = bare.body["details"].as_array().expect("findings").iter().map(|f| &f["path"]).collect();
        let expected: Vec<_> = required.iter().map(|property| json!(format!("/body/{property}"))).collect();
        assert_eq!(named, expected.iter().collect::<Vec<_>>(), "all that is missing, at once");
    }
    assert_eq!(app.event_types().await, Vec::<String>::new());
}

#[tokio::test]
async fn wrong_values_are_refused_by_name_and_never_echoed() {
    let app = TestApp::new().await;
    let secret = || json!(SECRET);
    let long = |length: usize| json!(SECRET.repeat(length / SECRET.len() + 1));
    let cases = [
        (OIDC, "enabled", secret(), "must be of type boolean"),
        (OIDC, "clientId", json!(5), "must be of type string"),
        (OIDC, "secret", json!([SECRET]), "must be of type string"),
        (OIDC, "secret", long(10_000), "must have at most 10000 characters"),
        (OIDC, "clientId", long(1000), "must have at most 1000 characters"),
        (OIDC, "autoCreate", secret(), "must be of type boolean"),
        (OIDC, "defaultRootRole", secret(), r#"must be one of "Viewer", "Editor", "Admin""#),
        (OIDC, "defaultRootRoleId", secret(), "must be of type number"),
        (OIDC, "idTokenSigningAlgorithm", json!("HS256"), r#"must be one of "RS256", "RS384", "RS512""#),
        (OIDC, "discoverUrl", secret(), "must be an absolute https address"),
        (OIDC, "discoverUrl", json!(format!("https://id.example.com/{SECRET}|x")), "must be a valid uri"),
        (OIDC, "discoverUrl", json!(format!("http://{SECRET}.example.com")), "must be an absolute https address"),
        (
            OIDC,
            "discoverUrl",
            json!(format!("https://me:{SECRET}@example.com")),
            "must be an absolute https address without credentials",
        ),
        (OIDC, "defaultRootRoleId", json!(99), "must be the id of a root role that exists"),
        (OIDC, "defaultRootRoleId", json!(4), "must be the id of a root role that exists"),
        (OIDC, "defaultRootRoleId", json!(1.5), "must be a multiple of 1"),
        (OIDC, "defaultRootRoleId", json!(1e300), "must be at most 2147483647"),
        (SAML, "certificate", json!({ "pem": SECRET }), "must be of type string"),
        (SAML, "signOnUrl", secret(), "must be an absolute https address"),
        (SAML, "signOutUrl", json!(format!("javascript:{SECRET}")), "must be an absolute https address"),
        (SAML, "defaultRootRoleId", json!(-1337), "must be at least 1."),
        (SAML, "emailDomains", Value::Null, "must be of type string"),
    ];
    for (path, property, value, reason) in cases {
        let answer = app.admin().post(path, with(enabled(path), property, value)).await;
        assert!(!answer.text.contains("hunter2"), "{}", answer.text);
        assert_eq!(answer.body["details"][0]["path"], format!("/body/{property}"), "{}", answer.text);
        answer.refused(400, "ValidationError", &format!("The /body/{property} property {reason}"));
    }
    let several = json!({ "enabled": true, "entityId": "e", "signOnUrl": "x", "certificate": "c", "signOutUrl": "y" });
    let answer = app.admin().post(SAML, several).await;
    assert_eq!(answer.body["details"].as_array().map(Vec::len), Some(4), "neither a URI nor an address");
    answer.refused(400, "ValidationError", "/body/signOutUrl");
    for path in BOTH {
        assert_eq!(app.admin().get(path).await.expect(200), json!({ "enabled": false }), "nothing is stored");
    }
    assert_eq!(app.event_types().await, Vec::<String>::new());
}

#[tokio::test]
async fn this_machine_may_be_reached_without_encryption() {
    let app = TestApp::new().await;
    let settings = with(oidc(), "discoverUrl", json!("http://localhost:8080/realms/test"));
    assert_eq!(app.admin().post(OIDC, settings.clone()).await.expect(200), settings);
}

#[tokio::test]
async fn bodies_that_are_no_settings_are_refused() {
    let config = Config { body_limits: BodyLimits { standard_bytes: 300, import_bytes: 300 }, ..Config::default() };
    let app = TestApp::with_config(config).await;
    for path in BOTH {
        let post = |kind: Option<&'static str>, body: String| {
            let admin = app.admin();
            async move {
                let headers: Vec<_> = kind.into_iter().map(|kind| ("content-type", kind)).collect();
                admin.request(Method::POST, path, &headers, body.into_bytes()).await
            }
        };
        let list = post(JSON, format!("[\"{SECRET}\"]")).await;
        assert_eq!(list.body["details"].as_array().map(Vec::len), Some(1), "{}", list.text);
        list.refused(400, "ValidationError", "The /body property must be of type object.");
        let broken = post(JSON, format!("{{\"enabled\": true, \"secret\": {SECRET}")).await;
        assert!(!broken.text.contains("hunter2"), "{}", broken.text);
        broken.refused(400, "ValidationError", "JSON");
        post(Some("text/plain"), oidc().to_string()).await.refused(415, "ContentTypeerror", "text/plain");
        post(None, "{}".to_owned()).await.refused(415, "ContentTypeerror", "application/json");
        let large = with(json!({ "enabled": false }), "emailDomains", json!("x".repeat(300)));
        post(JSON, large.to_string()).await.refused(413, "PayloadTooLargeError", "300");
    }
}

#[tokio::test]
async fn only_administrators_get_near_the_settings() {
    let app = TestApp::new().await;
    app.admin().post(OIDC, oidc()).await.expect(200);
    for path in BOTH {
        app.anonymous().get(path).await.refused(401, "AuthenticationRequired", "token");
        app.anonymous().post(path, json!("broken")).await.refused(401, "AuthenticationRequired", "token");
        for client in [app.viewer().await, app.editor().await, app.owner("default").await] {
            client.get(path).await.refused(403, "NoAccessError", "\"ADMIN\"");
            // The refusal comes before the body is judged.
            let answer = client.post(path, json!("broken")).await;
            assert_eq!(answer.body["permissions"], json!(["ADMIN"]));
            answer.refused(403, "NoAccessError", "\"ADMIN\"");
        }
    }
    assert_eq!(app.admin().get(OIDC).await.expect(200), oidc());
    assert_eq!(app.event_types().await.len(), 1);
}

#[test]
fn the_document_tells_the_two_sides_apart_by_the_boolean() {
    let schemas = &DOCUMENT["components"]["schemas"];
    for (provider, required) in [
        ("Oidc", json!(["enabled", "clientId", "secret"])),
        ("Saml", json!(["enabled", "entityId", "signOnUrl", "certificate"])),
    ] {
        let both = &schemas[format!("{provider}Settings")];
        let (on, off) = (format!("{provider}SettingsEnabled"), format!("{provider}SettingsDisabled"));
        let reference = |name: &str| json!({ "$ref": format!("#/components/schemas/{name}") });
        assert_eq!(both["oneOf"], json!([reference(&on), reference(&off)]));
        assert!(both["discriminator"].is_null());
        assert_eq!(schemas[&on]["required"], required);
        assert!(schemas[&off]["required"].is_null(), "absent means disabled");
        let names = |side: &str| {
            let properties = schemas[side]["properties"].as_object().expect("properties");
            properties.keys().cloned().collect::<Vec<_>>()
        };
        assert_eq!(names(&on), names(&off));
        for (side, value) in [(&on, true), (&off, false)] {
            assert_eq!(schemas[side]["properties"]["enabled"]["type"], "boolean");
            assert_eq!(schemas[side]["properties"]["enabled"]["enum"], json!([value]));
        }
    }
    assert_eq!(schemas["OidcSettingsEnabled"]["properties"]["discoverUrl"]["format"], "uri");
}
