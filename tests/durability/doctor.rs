//! `flagstone doctor` says what is wrong and what to do, whatever state it finds, and changes nothing.

use std::{fs, os::unix::fs::PermissionsExt as _, path::Path, process::Command};

use serde_json::Value;

use crate::{Server, create_features, place::Place};

/// The findings about something.
fn about<'a>(findings: &'a Value, what: &str) -> Vec<(&'a str, &'a str)> {
    let all = findings.as_array().expect("a list").iter();
    let text = |finding: &'a Value, key: &str| finding[key].as_str().unwrap_or_default();
    all.filter(|finding| finding["about"] == what)
        .map(|finding| (text(finding, "level"), text(finding, "found")))
        .collect()
}

fn findings(place: &Place, arguments: &[&str]) -> (bool, Value) {
    let output = place.run(&[&["doctor", "--format", "json"], arguments].concat());
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    let findings: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {told}"));
    for finding in findings.as_array().expect("a list") {
        assert_eq!(finding["level"] != "OK", finding["do"].is_string(), "{finding}");
    }
    let fails = findings.as_array().expect("a list").iter().any(|finding| finding["level"] == "FAIL");
    assert_eq!((fails, !output.status.success()), (fails, fails), "{told}");
    (fails, findings)
}

/// Every file of a directory with what it holds.
fn everything(directory: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<_> = fs::read_dir(directory)
        .expect("a directory")
        .map(|entry| entry.expect("an entry"))
        .map(|entry| (entry.file_name().to_string_lossy().into_owned(), fs::read(entry.path()).unwrap_or_default()))
        .collect();
    files.sort();
    files
}

#[test]
fn a_place_that_is_well_is_found_to_be_so_and_left_as_it_is() {
    let place = Place::new();
    let server = Server::start(place.path());
    create_features(&server);
    crate::eventually("events have their hashes", || server.figures().contains("flagstone_event_log_hashed_id"));
    let (fails, found) = findings(&place, &[]);
    assert!(!fails, "{found:#}");
    server.stop();
    let before = everything(place.path());
    let (fails, found) = findings(&place, &[]);
    assert!(!fails, "{found:#}");
    for what in
        ["database", "journal", "schema", "key", "key file", "key and database", "jobs", "log of events", "clock"]
    {
        assert!(about(&found, what).iter().all(|(level, _)| *level == "OK"), "{what}: {found:#}");
        assert_ne!(about(&found, what).len(), 0, "{what}");
    }
    assert!(before == everything(place.path()), "something was changed");
    let text = place.says(&["doctor"]);
    assert!(text.lines().last().is_some_and(|line| line.ends_with(", 0 to mend.")), "{text}");
}

#[test]
fn what_is_wrong_is_told_with_what_to_do_and_without_secrets() {
    let place = Place::new();
    let (fails, found) = findings(&place, &[]);
    assert!(fails && about(&found, "database")[0].1.contains("there is none at flagstone.db"), "{found:#}");
    assert_eq!(place.names("."), [""; 0], "nothing is made");
    let server = Server::start(place.path());
    create_features(&server);
    server.stop();
    let key = fs::read_to_string(place.file("flagstone.key")).expect("a key");

    fs::set_permissions(place.file("flagstone.key"), fs::Permissions::from_mode(0o644)).expect("opens it to all");
    let (fails, found) = findings(&place, &[]);
    assert!(!fails && about(&found, "key file")[0].0 == "WARN", "{found:#}");
    let other = "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=";
    let (fails, found) = findings(&place, &["--secret-key", other]);
    assert!(fails && about(&found, "key and database") == [("FAIL", "login settings are encrypted with another key")]);
    let said = found.to_string();
    assert!(!said.contains(other) && !said.contains(key.trim()), "{said}");
    fs::rename(place.file("flagstone.key"), place.file("kept.key")).expect("renames");
    let (fails, found) = findings(&place, &[]);
    assert!(
        fails && about(&found, "key")[0].0 == "WARN" && about(&found, "key and database")[0].0 == "FAIL",
        "{found:#}"
    );
    assert!(!place.file("flagstone.key").exists(), "no key is made up");
    fs::rename(place.file("kept.key"), place.file("flagstone.key")).expect("renames");

    let (fails, found) = findings(&place, &["--backup-directory", "nowhere"]);
    assert!(fails && about(&found, "backups")[0].0 == "FAIL", "{found:#}");
    fs::create_dir(place.file("copies")).expect("a directory");
    fs::write(place.file("copies/flagstone-20200101T000000Z.db"), "old").expect("writes");
    let (fails, found) = findings(&place, &["--backup-directory", "copies"]);
    assert!(fails && about(&found, "backups")[0].1.contains("1 in copies, the newest of 2020-01-01"), "{found:#}");
    let refused = findings(&place, &["--database-url", "postgres://ada:hunter2@127.0.0.1:1/flagstone"]).1;
    assert!(about(&refused, "database")[0].1.contains("127.0.0.1:1 cannot be reached"), "{refused:#}");
    assert!(!refused.to_string().contains("hunter2"));

    let mut limited = Command::new("sh");
    limited.args(["-c", "ulimit -n 200 && exec \"$0\" doctor"]).arg(env!("CARGO_BIN_EXE_flagstone"));
    let output = limited.current_dir(place.path()).env_clear().output().expect("the program");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(
        text.contains("FAIL  open files") && text.contains("may open 200 files") && text.contains("LimitNOFILE"),
        "{text}"
    );

    let mut bytes = fs::read(place.file("flagstone.db")).expect("the database");
    bytes[8 * 4096..60 * 4096].fill(0x55);
    fs::write(place.file("flagstone.db"), bytes).expect("writes");
    let (fails, found) = findings(&place, &[]);
    assert!(fails && about(&found, "database")[0].0 == "FAIL", "{found:#}");
    fs::write(place.file("flagstone.db"), "no database").expect("writes");
    let (fails, found) = findings(&place, &[]);
    assert!(fails && about(&found, "database")[0].0 == "FAIL", "{found:#}");
}

#[test]
fn a_settings_file_with_secrets_that_others_can_open_is_told() {
    let place = Place::new();
    let file = place.file("settings.toml");
    for (setting, has_secret) in [
        ("secret-key = \"BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=\"", true),
        ("database-url = \"postgres://ada:hunter2@127.0.0.1:1/flagstone\"", true),
        ("session-hours = 3", false),
    ] {
        fs::write(&file, setting).expect("writes");
        for (mode, level) in [(0o644, "WARN"), (0o600, "OK")] {
            fs::set_permissions(&file, fs::Permissions::from_mode(mode)).expect("changes who may open it");
            let (_, found) = findings(&place, &["--config", "settings.toml"]);
            let levels: Vec<&str> = about(&found, "settings file").iter().map(|(level, _)| *level).collect();
            assert_eq!(levels, if has_secret { vec![level] } else { vec![] }, "{setting}: {found:#}");
            assert!(!found.to_string().contains("hunter2"), "{found:#}");
        }
    }
}

#[test]
fn certificates_of_a_login_provider_that_ended_are_told() {
    let place = Place::new();
    let server = Server::start(place.path());
    let saml = |certificates: &[&str]| {
        let certificate = certificates.concat();
        let settings = serde_json::json!({
            "enabled": true, "entityId": "https://login.example.com", "signOnUrl": "https://login.example.com/sso",
            "certificate": certificate,
        });
        let asked = ureq::post(server.url("/api/admin/auth/saml/settings")).header("Authorization", crate::TOKEN);
        asked.send_json(&settings).expect("they are taken");
    };
    let (lasting, ended) =
        (include_str!("../saml/keys/provider.crt"), include_str!("../api/providers/tls/expired.pem"));
    assert_eq!(about(&findings(&place, &[]).1, "login provider"), [], "nobody signs in by one");
    saml(&[lasting]);
    let (fails, found) = findings(&place, &[]);
    let told = about(&found, "login provider");
    assert!(!fails && told.len() == 1 && told[0].0 == "OK" && told[0].1.contains("until 2126-10-29"), "{found:#}");
    saml(&[lasting, ended]);
    let (fails, found) = findings(&place, &[]);
    let told = about(&found, "login provider");
    assert!(!fails && told.len() == 1 && told[0].0 == "WARN", "what verifies is no failure: {found:#}");
    assert!(told[0].1.contains("ended at 2021-01-01"), "{found:#}");
    assert!(!found.to_string().contains("BEGIN CERTIFICATE"), "{found:#}");
    server.stop();

    // What the environment says counts in the place of that.
    fs::write(place.file("lasting.crt"), lasting).expect("a file");
    let mut command = Command::new(env!("CARGO_BIN_EXE_flagstone"));
    command.arg("doctor").current_dir(place.path()).env_clear().env("SAML_ENABLED", "true");
    command.env("SAML_ENTITY_ID", "https://login.example.com").env("SAML_SIGNON_URL", "https://login.example.com/sso");
    let output = command.env("SAML_CERTIFICATE_FILE", "lasting.crt").output().expect("the doctor");
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(told.contains("valid until 2126-10-29") && !told.contains("2021"), "{told}");
}
