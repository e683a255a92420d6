//! The commands that manage tokens, users and features do what the API does: by its rules, and with its events.

use serde_json::Value;

use super::Place;

/// The types of the events after the one with this id, oldest first, which all tell of the server itself.
fn events_after(place: &Place, id: usize) -> Vec<Value> {
    let archive = place.says(&["events", "export", "--since", &id.to_string()], "");
    let events: Vec<Value> = archive.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    for event in &events {
        assert_eq!(event["createdBy"], "unleash_system_user", "{event}");
    }
    events
}

fn types(events: &[Value]) -> Vec<&str> {
    events.iter().map(|event| event["type"].as_str().expect("a type")).collect()
}

#[test]
fn tokens_are_listed_without_their_secrets_and_revoked_by_any_of_their_names() {
    let place = Place::with_database();
    let mut secrets = Vec::new();
    for (kind, name) in [("admin", "ci"), ("client", "app"), ("client", "twin"), ("frontend", "twin")] {
        let environment = if kind == "admin" { "*" } else { "development" };
        let create = ["token", "create", "--type", kind, "--name", name, "--environment", environment];
        secrets
            .push(place.says(&[&create[..], &["--expires-at", "2990-01-01T00:00:00Z"]].concat(), "").trim().to_owned());
    }
    let list = place.says(&["token", "list"], "");
    assert!(secrets.iter().all(|secret| !list.contains(secret.as_str())), "{list}");
    let end = "ends 2990-01-01T00:00:00.000Z\tnever used";
    let expected = [
        format!("hidden:*:*.id-1\tadmin\tci\t{end}"),
        format!("hidden:*:development.id-2\tclient\tapp\t{end}"),
        format!("hidden:*:development.id-3\tclient\ttwin\t{end}"),
        format!("hidden:*:development.id-4\tfrontend\ttwin\t{end}"),
    ];
    assert_eq!(list.lines().collect::<Vec<_>>(), expected);
    let created = events_after(&place, 0).len();
    let mistyped = format!("{}x", secrets[0]);
    for (named, reason) in [
        ("twin", "Several API tokens have this name"),
        ("nobody", "There is no such API token"),
        ("*:*.id-2", "There is no such API token"),
        (&mistyped, "There is no such API token"),
    ] {
        let complaint = place.refuses(&["token", "revoke", named], "");
        assert!(complaint.contains(reason) && !complaint.contains(secrets[0].as_str()), "{complaint}");
    }
    for (named, handle) in [("ci", "hidden:*:*.id-1 (ci)"), ("*:development.id-3", "hidden:*:development.id-3 (twin)")]
    {
        assert_eq!(place.says(&["token", "revoke", named], ""), format!("The token {handle} is revoked.\n"));
    }
    let said = place.says(&["token", "revoke", &secrets[1]], "");
    assert_eq!(said, "The token hidden:*:development.id-2 (app) is revoked.\n");
    assert_eq!(place.says(&["token", "list"], ""), format!("{}\n", expected[3]));
    let events = events_after(&place, created);
    assert_eq!(types(&events), ["api-token-deleted"; 3]);
    let names: Vec<_> = events.iter().map(|event| &event["preData"]["tokenName"]).collect();
    assert_eq!(names, ["ci", "twin", "app"]);
}

#[test]
fn whoever_is_deactivated_stays_listed_and_somebody_administers() {
    let place = Place::with_database();
    for (name, role) in [("ada", "admin"), ("bob", "editor")] {
        place.says(&["user", "create", "--username", name, "--role", role], "");
    }
    let before = events_after(&place, 0).len();
    assert_eq!(place.says(&["user", "deactivate", "bob"], ""), "The user bob is deactivated.\n");
    assert_eq!(place.says(&["user", "deactivate", "bob"], ""), "The user bob is deactivated already.\n");
    let list = place.says(&["user", "list"], "");
    let rows: Vec<Vec<&str>> = list.lines().map(|line| line.split('\t').skip(1).collect()).collect();
    assert_eq!(rows, [vec!["ada", "-", "Admin", "never"], vec!["bob", "-", "Editor", "never", "deactivated"]]);
    let complaint = place.refuses(&["user", "deactivate", "ada"], "");
    assert!(complaint.contains("nobody who can sign in as an administrator"), "{complaint}");
    let complaint = place.refuses(&["user", "deactivate", "eve"], "");
    assert!(complaint.contains("no user named \"eve\""), "{complaint}");
    let events = events_after(&place, before);
    assert_eq!(types(&events), ["user-updated"]);
    assert_eq!((&events[0]["data"]["username"], &events[0]["data"]["active"]), (&"bob".into(), &false.into()));
}

#[test]
fn the_second_factor_of_whoever_has_none_is_no_change() {
    let place = Place::with_database();
    place.says(&["user", "create", "--username", "ada"], "");
    let before = events_after(&place, 0).len();
    assert_eq!(place.says(&["user", "reset-second-factor", "ada"], ""), "The user ada has no second factor.\n");
    assert!(events_after(&place, before).is_empty());
    let complaint = place.refuses(&["user", "reset-second-factor", "eve"], "");
    assert!(complaint.contains("no user named \"eve\""), "{complaint}");
}

#[test]
fn features_are_listed_and_switched() {
    let place = Place::with_database();
    let file = r#"{"features":[{"name":"flag"},{"name":"other"}],"featureStrategies":[],"tagTypes":[]}"#;
    std::fs::write(place.path().join("features.json"), file).expect("writes");
    let import = ["import", "features.json", "--project", "default", "--environment", "development"];
    place.says(&[&import[..], &["--reason", "A new shop"]].concat(), "");
    let imported = events_after(&place, 0).into_iter().filter(|event| event["type"] == "feature-created");
    let reasons: Vec<_> = imported.map(|event| event["reason"].clone()).collect();
    assert_eq!(reasons, ["A new shop", "A new shop"]);
    let listed = |arguments: &[&str]| place.says(&[&["feature", "list"], arguments].concat(), "");
    let whole = listed(&[]);
    for line in ["default\tflag\tdevelopment\toff", "default\tflag\tproduction\toff", "default\tother\tproduction\toff"]
    {
        assert!(whole.lines().any(|listed| listed == line), "{line}: {whole}");
    }
    let before = events_after(&place, 0).len();
    let on = ["feature", "on", "flag", "--environment", "development"];
    assert_eq!(place.says(&on, ""), "The feature flag is on in development.\n");
    assert_eq!(place.says(&on, ""), "The feature flag is on in development already.\n");
    let expected = "default\tflag\tdevelopment\ton\ndefault\tother\tdevelopment\toff\n";
    assert_eq!(listed(&["--project", "default", "--environment", "development"]), expected);
    let off = ["feature", "off", "flag", "--environment", "development", "--reason", "Größer: 50% & more"];
    assert_eq!(place.says(&off, ""), "The feature flag is off in development.\n");
    let events = events_after(&place, before);
    assert_eq!(types(&events), ["feature-strategy-add", "feature-environment-enabled", "feature-environment-disabled"]);
    for event in &events {
        let told = (&event["project"], &event["featureName"], &event["environment"]);
        assert_eq!(told, (&"default".into(), &"flag".into(), &"development".into()), "{event}");
    }
    assert_eq!(events[0]["data"]["name"], "flexibleRollout");
    let reasons: Vec<_> = events.iter().map(|event| event["reason"].as_str()).collect();
    assert_eq!(reasons, [None, None, Some("Größer: 50% & more")]);
    for (arguments, reason) in [
        (&["on", "nothing", "--environment", "development"][..], "no feature named \"nothing\""),
        (&["on", "flag", "--environment", "nowhere"], "no environment named \"nowhere\""),
        (&["on", "flag"], "--environment"),
        (&["on", "flag", "--environment", "development", "--reason", " "], "must not be blank"),
        (&["on", "flag", "--environment", "development", "--reason", "two\nlines"], "must be one line"),
        (&["on", "other", "--environment", "production", "--limit-strategies", "0"], "limit of 0"),
        (&["list", "--environment", "nowhere"], "there is no environment nowhere"),
        (&["list", "--project", "nothing"], "there is no project nothing"),
    ] {
        let complaint = place.refuses(&[&["feature"], arguments].concat(), "");
        assert!(complaint.contains(reason), "{arguments:?}: {complaint}");
    }
    assert_eq!(events_after(&place, before).len(), 3, "what is refused leaves no event");
}
