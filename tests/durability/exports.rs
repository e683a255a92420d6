//! Files of an export: one's own, in their directory, and behind no link.

use std::{
    fs,
    os::unix::fs::{PermissionsExt as _, symlink},
};

use crate::{Server, backups::execute, create_features, place::Place};

/// A place with features in a project whose id leads elsewhere, as it may have moved in.
fn place_with(id: &str) -> Place {
    let place = Place::new();
    let server = Server::start(place.path());
    create_features(&server);
    server.stop();
    let quoted = id.replace('\'', "''");
    let moved = ["feature", "project_environment"]
        .map(|table| format!("UPDATE {table} SET project = '{quoted}' WHERE project = 'default'"));
    execute(
        &place.file("flagstone.db"),
        &format!(
            "PRAGMA foreign_keys = OFF; UPDATE project SET id = '{quoted}' WHERE id = 'default'; {}",
            moved.join("; ")
        ),
    );
    place
}

#[test]
fn names_that_lead_elsewhere_lead_nowhere() {
    for id in ["../up", "../../up", "/tmp/flagstone-up", ".hidden", "a/b", &"x".repeat(100_000)] {
        let place = place_with(id);
        fs::create_dir(place.file("inner")).expect("a directory");
        let before = place.names(".");
        let said = place.says(&["export", "--all", "--output", "inner/exported"]);
        assert!(said.contains("files into inner/exported"), "{said}");
        assert_eq!((place.names("."), place.names("inner")), (before, vec!["exported".to_owned()]), "{id:.20}");
        assert!(!std::path::Path::new("/tmp/flagstone-up.development.json").exists());
        let names = place.names("inner/exported");
        assert!(
            names.iter().filter(|name| name.strip_suffix(".json").is_some_and(|stem| !stem.contains("flagd"))).count()
                >= 2,
            "{names:?}"
        );
        for name in names {
            let mode = fs::metadata(place.file("inner/exported").join(&name)).expect("a file").permissions().mode();
            assert_eq!(mode & 0o777, 0o600, "{name}");
        }
    }
}

#[test]
fn an_export_follows_no_link_and_replaces_what_is_there() {
    let place = place_with("default");
    fs::write(place.file("victim"), "untouched").expect("writes");
    symlink(place.file("victim"), place.file("out.json")).expect("links");
    let export = ["export", "--environment", "development", "--project", "default", "--output"];
    let complaint = place.refuses(&[&export[..], &["out.json"]].concat());
    assert!(complaint.contains("links are not followed"), "{complaint}");
    assert_eq!(fs::read_to_string(place.file("victim")).expect("reads"), "untouched");
    fs::create_dir(place.file("all")).expect("a directory");
    symlink(place.file("victim"), place.file("all/state.json")).expect("links");
    let complaint = place.refuses(&["export", "--all", "--output", "all"]);
    assert!(complaint.contains("links are not followed"), "{complaint}");
    assert_eq!(fs::read_to_string(place.file("victim")).expect("reads"), "untouched");
    fs::remove_file(place.file("out.json")).expect("removes");
    for _ in 0..2 {
        place.says(&[&export[..], &["out.json"]].concat());
    }
    let mode = fs::metadata(place.file("out.json")).expect("a file").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}
