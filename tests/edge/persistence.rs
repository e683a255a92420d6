//! Starting without the server before: from the disk, whatever became of it.

use std::{collections::BTreeSet, fs, os::unix::fs::PermissionsExt as _, path::PathBuf};

use serde_json::json;

use super::program::{CLIENT, FRONTEND, Home, Program};

fn answers(edge: &Program) -> bool {
    edge.tells_of("a") && edge.get("/api/frontend", FRONTEND).is_some_and(|answer| answer.status == 200)
}

/// An edge that has seen the features of a server which is gone.
fn bereft(home: &Home) -> (Home, Program) {
    let upstream = Home::new();
    let server = upstream.server();
    server.feature("a");
    let edge = home.edge(server.address, &[]);
    edge.wait_until_ready();
    assert!(answers(&edge), "{}", edge.log());
    drop(server);
    (upstream, edge)
}

#[test]
fn an_edge_starts_from_the_disk_and_recovers_by_itself() {
    let home = Home::new();
    let (upstream, edge) = bereft(&home);
    edge.stop();
    for entry in fs::read_dir(home.folder()).expect("the folder").flatten() {
        let mode = entry.metadata().expect("a file").permissions().mode() & 0o777;
        let text = fs::read_to_string(entry.path()).expect("text");
        assert_eq!(mode, 0o600, "{entry:?}");
        assert!(!text.contains("edges-are-tested"), "{entry:?} holds a secret");
    }
    let edge = home.edge(upstream.address.get(), &[]);
    edge.wait_until_ready();
    let ready = edge.get("/ready", "").expect("an answer").json();
    assert_eq!((&ready["status"], &ready["upstream"]), (&json!("READY"), &json!("away")));
    assert!(ready["stateAgeSeconds"].is_u64(), "{ready}");
    assert!(answers(&edge), "{}", edge.log());
    let unknown = edge.get("/api/client/features", "*:development.never-seen-before").expect("an answer");
    assert_eq!(unknown.status, 503, "nobody can say: {unknown:?}");
    let server = upstream.server();
    server.feature("b");
    edge.wait("what is new arrives", || edge.tells_of("b") && edge.tells_of("a"));
    edge.wait("it says so", || edge.get("/ready", "").is_some_and(|ready| ready.json()["upstream"] == "connected"));
}

#[test]
fn a_state_that_is_too_old_is_served_and_the_edge_not_ready() {
    let home = Home::new();
    let (upstream, edge) = bereft(&home);
    edge.stop();
    let edge = home.edge(upstream.address.get(), &[("FLAGSTONE_EDGE_OLDEST_SECONDS", "1")]);
    edge.wait("it is not ready", || edge.get("/ready", "").is_some_and(|ready| ready.status == 503));
    edge.wait("it says why", || {
        edge.get("/ready", "").is_some_and(|ready| ready.body.contains("has not been heard for"))
    });
    assert!(answers(&edge));
}

#[test]
fn damaged_files_are_set_aside_and_named() {
    let home = Home::new();
    let (upstream, edge) = bereft(&home);
    edge.stop();
    let mut files: Vec<_> =
        fs::read_dir(home.folder()).expect("the folder").flatten().map(|entry| entry.path()).collect();
    // Usage is there only where some was left.
    files.retain(|file| !file.ends_with("usage.state"));
    files.sort();
    assert_eq!(files.len(), 3, "{files:?}");
    for (number, file) in files.iter().enumerate() {
        let text = fs::read(file).expect("a file");
        let broken = match number {
            0 => text[..text.len() / 2].to_vec(),
            1 => [&b"flagstone-edge 99 0 0\n"[..], &text].concat(),
            _ => text.iter().rev().copied().collect(),
        };
        fs::write(file, broken).expect("writes");
    }
    let edge = home.edge(upstream.address.get(), &[]);
    edge.wait("it runs", || edge.get("/health", "").is_some());
    let log = edge.log();
    for file in &files {
        let aside = format!("{}.unreadable", file.display());
        assert!(fs::exists(&aside).expect("a folder") && log.contains(&aside), "{aside}: {log}");
    }
    assert_eq!(edge.get("/ready", "").map(|ready| ready.status), Some(503));
    let server = upstream.server();
    edge.wait("it recovers", || answers(&edge));
    drop(server);
}

#[test]
fn a_disk_without_room_costs_no_answer_and_not_the_state_that_is_there() {
    let (upstream, home) = (Home::new(), Home::new());
    let server = upstream.server();
    server.feature("a");
    let edge = home.edge_with_small_files(server.address);
    edge.wait_until_ready();
    let kept = || -> BTreeSet<PathBuf> {
        let files = fs::read_dir(home.folder()).into_iter().flatten().flatten();
        files.map(|file| file.path()).filter(|path| path.extension().is_some_and(|kind| kind == "state")).collect()
    };
    edge.wait("the state is kept", || kept().len() >= 3);
    let before = kept();
    for number in 0..40 {
        server.feature(&format!("one-of-many-whose-states-together-are-more-than-a-file-may-hold-{number}"));
    }
    edge.wait("it is counted", || edge.figure("flagstone_edge_state_write_failures_total") > 0.0);
    edge.wait("answers go on", || edge.tells_of("one-of-many-whose-states-together-are-more-than-a-file-may-hold-39"));
    assert!(kept().is_superset(&before), "{before:?}");
    drop((edge, server));
    let edge = home.edge(upstream.address.get(), &[]);
    edge.wait_until_ready();
    assert!(edge.tells_of("a"), "the last state that had room is whole: {}", edge.log());
}

#[test]
fn a_folder_that_cannot_be_written_is_told_and_counted() {
    let (upstream, home) = (Home::new(), Home::new());
    let server = upstream.server();
    server.feature("a");
    // A folder in the place of the file keeps everybody from writing it, root included.
    fs::create_dir_all(home.folder().join("tokens.state.new")).expect("a folder");
    let edge = home.edge(server.address, &[]);
    edge.wait_until_ready();
    assert!(edge.get("/api/client/features", CLIENT).is_some_and(|answer| answer.status == 200));
    edge.wait("it is counted", || edge.figure("flagstone_edge_state_write_failures_total") > 0.0);
    assert!(edge.log().contains("cannot be written to disk"), "{}", edge.log());
}
