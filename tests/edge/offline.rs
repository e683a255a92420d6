//! An edge that serves from a file.

use std::fs;

use serde_json::json;

use super::program::{Home, Program};

const TOKEN: &str = "shop:development.offline-and-happy";

fn features(name: &str) -> String {
    let feature =
        |name: &str, project: &str| json!({ "name": name, "enabled": true, "project": project, "strategies": [] });
    json!({ "version": 2, "features": [feature(name, "shop"), feature("other", "office")] }).to_string()
}

fn tells(edge: &Program, name: &str) -> bool {
    let answer = edge.get("/api/client/features", TOKEN).expect("an answer");
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.body.contains(&format!("\"name\":\"{name}\""))
}

#[test]
fn a_file_is_served_and_read_again_when_it_is_good() {
    let home = Home::new();
    let file = home.folder();
    // Some editors put a mark before it.
    fs::write(&file, format!("\u{feff}{}", features("first"))).expect("a file");
    let variables = [
        ("BOOTSTRAP_FILE", file.to_str().expect("a path")),
        ("CLIENT_TOKENS", TOKEN),
        ("FRONTEND_TOKENS", "in-browsers@development"),
        ("RELOAD_INTERVAL", "1"),
    ];
    // Under the name that the field's edge gave it.
    let edge = home.start(&["offline"], &variables);
    edge.wait_until_ready();
    let short = Home::new();
    let path = variables[0].1;
    let before = ["-a", "other", "-l", "plain", "--base-path", "/flags"];
    let after = ["offline", "-b", path, "-c", TOKEN, "-f", "in-browsers@development", "-r", "1"];
    let likewise = short.start(&[&before[..], &after].concat(), &[]);
    likewise
        .wait("it answers", || likewise.get("/flags/api/client/features", TOKEN).is_some_and(|it| it.status == 200));
    assert_eq!(
        likewise.get("/flags/api/client/features", TOKEN).map(|it| it.body),
        edge.get("/api/client/features", TOKEN).map(|it| it.body)
    );
    drop(likewise);
    assert!(tells(&edge, "first") && !tells(&edge, "other"), "a token sees its project");
    let on = edge.get("/api/frontend", "in-browsers").expect("an answer");
    assert!(on.body.contains("first") && on.body.contains("other"), "{on:?}");
    assert_eq!(edge.get("/api/client/features", "shop:development.unknown").map(|answer| answer.status), Some(401));
    fs::write(&file, &features("second")[..40]).expect("a file");
    edge.wait("it is said", || edge.log().contains("its last state is served"));
    assert!(tells(&edge, "first"));
    fs::write(&file, features("second")).expect("a file");
    edge.wait("the new file", || tells(&edge, "second"));
    let url = format!("http://{}", edge.address);
    for (question, word) in [("health", "GOOD"), ("ready", "READY")] {
        let check = std::process::Command::new(env!("CARGO_BIN_EXE_flagstone"))
            .args(["check", question, "--url", &url])
            .env_clear()
            .output()
            .expect("the program runs");
        assert!(check.status.success() && String::from_utf8_lossy(&check.stdout).contains(word), "{check:?}");
    }
    drop(edge);
    let check = std::process::Command::new(env!("CARGO_BIN_EXE_flagstone"))
        .args(["ready", "--url", &url])
        .env_clear()
        .output()
        .expect("the program runs");
    assert!(!check.status.success() && String::from_utf8_lossy(&check.stderr).contains("error"), "{check:?}");
}

#[test]
fn what_cannot_be_is_refused_at_the_start_by_its_name() {
    for (arguments, variables, expected) in [
        (&["edge"][..], &[][..], "UPSTREAM_URL"),
        (&["edge", "--offline", "/nowhere"], &[("CLIENT_TOKENS", TOKEN)], "/nowhere"),
        (&["edge", "--offline", "/nowhere"], &[], "CLIENT_TOKENS"),
        (&["edge", "--offline", "/nowhere"], &[("CLIENT_TOKENS", "shapeless")], "CLIENT_TOKENS: number 1"),
        (&["edge"], &[("UPSTREAM_URL", "http://offline-and-happy@127.0.0.1:1")], "UPSTREAM_URL must be"),
        (&["edge"], &[("UPSTREAM_URL", "flags.example.com")], "UPSTREAM_URL must be"),
        (&["edge"], &[("UPSTREAM_URL", "http://127.0.0.1:1"), ("TLS_ENABLE", "true")], "TLS_ENABLE"),
        (&["edge"], &[("UPSTREAM_URL", "http://127.0.0.1:1"), ("REDIS_URL", "redis://x")], "BACKUP_FOLDER"),
        (
            &["edge"],
            &[("UPSTREAM_URL", "http://127.0.0.1:1"), ("PROMETHEUS_REMOTE_WRITE_URL", "http://127.0.0.1:2")],
            "/internal-backstage/prometheus",
        ),
        (
            &["edge"],
            &[("UPSTREAM_URL", "http://127.0.0.1:1"), ("CUSTOM_CLIENT_HEADERS", "secret")],
            "CUSTOM_CLIENT_HEADERS",
        ),
        (&["edge"], &[("UPSTREAM_URL", "http://127.0.0.1:1"), ("BACKUP_FOLDER", "/proc/none")], "BACKUP_FOLDER"),
    ] {
        let log = Home::new().start(arguments, variables).wait_for_end();
        assert!(log.contains(expected), "{expected}: {log}");
        assert!(!log.contains("offline-and-happy") && !log.contains("shapeless"), "no secret: {log}");
    }
}
