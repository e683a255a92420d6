//! Rooms that a room of `src` may know: the column "May use" of the tables in `CONTRIBUTING.md`, and the manifests of
//! rooms that are crates, held against the source.

mod ids;
mod picture;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use regex::Regex;
use serde_json::Value;

/// Crates that belong to some rooms alone: a room that may use one has it in the same column.
const CRATES: [&str; 3] = ["poem", "sea_orm", "hyper"];

/// Names, and the names that each leads to.
type Graph = BTreeMap<String, BTreeSet<String>>;

/// Each room, and what its manifest allows it, or the tables where it is part of the library.
fn house() -> Graph {
    let mut house = allowed_by(&document("CONTRIBUTING.md"));
    for entry in fs::read_dir(source()).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.join("Cargo.toml").exists() {
            house.entry(path.file_name().expect("a name").to_string_lossy().into_owned()).or_default();
        }
    }
    let rooms: BTreeSet<String> = house.keys().cloned().collect();
    for (room, allowed) in &mut house {
        if let Some(manifest) = manifest(room) {
            assert!(allowed.is_empty(), "{room} is a crate: its manifest says what it may use");
            *allowed = named_by(&manifest, &rooms);
        }
    }
    house
}

/// The manifest of a room that is a crate.
fn manifest(room: &str) -> Option<String> {
    fs::read_to_string(source().join(room).join("Cargo.toml")).ok()
}

/// Dependencies of a manifest, those of its tests included, that are among these rooms or the crates that belong to few.
fn named_by(manifest: &str, rooms: &BTreeSet<String>) -> BTreeSet<String> {
    let manifest: Value = toml::from_str(manifest).expect("TOML");
    let dependencies = ["dependencies", "dev-dependencies"].into_iter().filter_map(|table| manifest[table].as_object());
    let names = dependencies
        .flat_map(|table| table.keys())
        .map(|name| name.strip_prefix("flagstone-").unwrap_or(name).replace('-', "_"));
    names.filter(|name| rooms.contains(name) || CRATES.contains(&name.as_str())).collect()
}

fn document(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).expect("the document")
}

/// Uses that the tables of a text allow: those with a column "May use", whose first column names rooms of `src`.
fn allowed_by(text: &str) -> Graph {
    let room = Regex::new(r"`src/(\w+)(?:\.rs)?`").expect("a pattern");
    let name = Regex::new(r"`(\w+)`").expect("a pattern");
    let names = |pattern: &Regex, cell: &str| -> BTreeSet<String> {
        pattern.captures_iter(cell).map(|found| found[1].to_owned()).collect()
    };
    let (mut house, mut column) = (BTreeMap::new(), None);
    for line in text.lines() {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        if cells.len() < 3 {
            column = None;
        } else if let Some(found) = cells.iter().position(|cell| *cell == "May use") {
            column = Some(found);
        } else if let Some(cell) = column.and_then(|column| cells.get(column)) {
            for room in names(&room, cells[1]) {
                let twice = house.insert(room.clone(), names(&name, cell));
                assert!(twice.is_none(), "{room} has two rows");
            }
        }
    }
    house
}

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// Every file of the program with its room.
pub fn files() -> Vec<(String, PathBuf)> {
    let mut found = Vec::new();
    let mut folders = vec![source()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let inside = path.strip_prefix(source()).expect("below src");
                let first = inside.components().next().expect("a part").as_os_str().to_string_lossy();
                found.push((first.trim_end_matches(".rs").to_owned(), path));
            }
        }
    }
    found
}

/// The code of a file without its comments.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).expect("a file");
    text.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

/// The first parts of what is named below `crate::`, also in a list of imports.
fn rooms_named_in(code: &str) -> BTreeSet<String> {
    let (mut named, mut rest) = (BTreeSet::new(), code);
    let word = Regex::new(r"^\w+").expect("a pattern");
    while let Some(at) = rest.find("crate::") {
        let is_path = rest[..at].chars().next_back().is_none_or(|before| !before.is_alphanumeric() && before != '$');
        rest = &rest[at + "crate::".len()..];
        if let Some(list) = rest.strip_prefix('{') {
            named.extend(heads_of(list));
        } else if let Some(one) = word.find(rest).filter(|_| is_path) {
            named.insert(one.as_str().to_owned());
        }
    }
    named
}

/// The rooms that are named as crates.
fn crates_named_in(code: &str) -> BTreeSet<String> {
    let room = Regex::new(r"\bflagstone_(\w+)(?:::| as )").expect("a pattern");
    room.captures_iter(code).map(|found| found[1].to_owned()).collect()
}

/// The first word of each element of a list that has been opened.
fn heads_of(list: &str) -> Vec<String> {
    let (mut depth, mut heads, mut head) = (1, Vec::new(), String::new());
    let mut is_head = true;
    for sign in list.chars() {
        match sign {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 || (depth == 1 && sign == ',') {
            heads.push(std::mem::take(&mut head));
            is_head = true;
        } else if is_head && (sign.is_alphanumeric() || sign == '_') {
            head.push(sign);
        } else if !head.is_empty() {
            is_head = false;
        }
        if depth == 0 {
            break;
        }
    }
    heads.retain(|head| !head.is_empty());
    heads
}

/// Uses by a file of other rooms, and of the crates that belong to few.
fn used_in(room: &str, code: &str, house: &Graph) -> BTreeSet<String> {
    // The library shows the rooms that are crates; that is no use of them.
    let mut used = if room == "lib" { BTreeSet::new() } else { crates_named_in(code) };
    // In a crate these are its own modules, some of which are called as rooms are.
    if manifest(room).is_none() {
        used.extend(rooms_named_in(code));
    }
    used.retain(|named| named != room && house.contains_key(named));
    let crates =
        CRATES.into_iter().filter(|name| Regex::new(&format!(r"\b{name}::")).expect("a pattern").is_match(code));
    used.extend(crates.map(str::to_owned));
    used
}

/// A circle of names of which each leads to the next, the first also at the end; `None` where there is none.
fn circle(graph: &Graph) -> Option<Vec<String>> {
    // Whatever leads to nothing that is left is in no circle.
    let mut left = graph.clone();
    loop {
        let names: BTreeSet<String> = left.keys().cloned().collect();
        for others in left.values_mut() {
            others.retain(|other| names.contains(other));
        }
        left.retain(|_, others| !others.is_empty());
        if left.len() == names.len() {
            break;
        }
    }
    // Everything left leads to something left, so that a walk comes back to where it has been.
    let mut walk = vec![left.keys().next()?.clone()];
    loop {
        let next = left[walk.last()?].first()?.clone();
        let been = walk.iter().position(|name| *name == next);
        walk.push(next);
        if let Some(first) = been {
            return Some(walk.split_off(first));
        }
    }
}

#[test]
fn no_rooms_use_each_other_in_a_circle() {
    assert_eq!(circle(&house()), None);
}

#[test]
fn a_room_uses_no_other_than_the_house_allows() {
    let house = house();
    let rows = Regex::new(r"\bentity::").expect("a pattern");
    let mut wrong = Vec::new();
    for (room, path) in files() {
        let allowed = house.get(&room).unwrap_or_else(|| panic!("no row for the room of {}", path.display()));
        let code = code(&path);
        let used = used_in(&room, &code, &house);
        wrong.extend(used.difference(allowed).map(|named| format!("{} uses {named}", path.display())));
        if room != "store" && rows.is_match(&code) {
            wrong.push(format!("{} knows rows of tables", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_room_may_use_nothing_that_it_does_not() {
    let house = house();
    let mut used = Graph::new();
    for (room, path) in files() {
        let used_here = used_in(&room, &code(&path), &house);
        used.entry(room).or_default().extend(used_here);
    }
    let idle: Vec<String> = house
        .iter()
        .flat_map(|(room, allowed)| allowed.iter().map(move |other| (room, other)))
        .filter(|(room, other)| !used.get(*room).is_some_and(|used| used.contains(*other)))
        .map(|(room, other)| format!("{room} does not use {other}"))
        .collect();
    assert!(idle.is_empty(), "{idle:#?}");
}

#[test]
fn no_file_of_the_api_has_a_transaction() {
    let has = Regex::new(r"\bTx\b|\bdb\.begin(_\w+)?\(|::begin_making\(|import::begin\(").expect("a pattern");
    let found: Vec<PathBuf> = files()
        .into_iter()
        .filter(|(room, path)| room == "api" && has.is_match(&code(path)))
        .map(|(_, path)| path)
        .collect();
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn only_the_column_of_its_row_allows_something() {
    let text = "| Room | Holds | May use | Never |\n|---|---|---|---|\n| `src/one`, `src/two.rs` | what `three` does | `four`, \
                functions of `five` | `six` |\n| `src/one/part` | | `seven` | |\n\n| `src/eight` | `nine` | `ten` |\n";
    let both = BTreeSet::from(["four".to_owned(), "five".to_owned()]);
    let expected = BTreeMap::from([("one".to_owned(), both.clone()), ("two".to_owned(), both)]);
    assert_eq!(allowed_by(text), expected);
}

#[test]
fn a_manifest_allows_the_rooms_and_the_crates_of_few_among_its_dependencies() {
    let manifest = "[dependencies]\nflagstone-moving-in = { workspace = true }\nflagstone-migrations = \"1\"\n\
                    sea-orm = { workspace = true, optional = true }\nserde = \"1\"\n\n[dev-dependencies]\n\
                    flagstone-domain = { workspace = true }\n";
    let rooms = ["domain", "moving_in"].map(str::to_owned).into();
    let named: Vec<String> = named_by(manifest, &rooms).into_iter().collect();
    assert_eq!(named, ["domain", "moving_in", "sea_orm"]);
    let code = "use flagstone_moving_in::{Set, files::Format};\nlet a = flagstone_domain::time::DAY_MS;";
    let named: Vec<String> = crates_named_in(code).into_iter().collect();
    assert_eq!(named, ["domain", "moving_in"]);
}

#[test]
fn a_circle_is_found_beside_what_leads_into_it_and_out_of_it() {
    let graph = |arrows: &[(&str, &str)]| {
        let mut graph = Graph::new();
        for (from, to) in arrows {
            graph.entry((*from).to_owned()).or_default().insert((*to).to_owned());
        }
        graph
    };
    let tree = [("api", "state"), ("api", "store"), ("state", "store"), ("store", "sea_orm")];
    assert_eq!(circle(&graph(&tree)), None);
    let circular = [("api", "jobs"), ("jobs", "state"), ("state", "store"), ("state", "usage"), ("usage", "jobs")];
    let found = ["jobs", "state", "usage", "jobs"].map(str::to_owned);
    assert_eq!(circle(&graph(&circular)), Some(Vec::from(found)));
    assert_eq!(circle(&graph(&[("state", "state")])), Some(vec!["state".to_owned(); 2]));
}

#[test]
fn imports_are_read_however_they_are_nested() {
    let code =
        "use crate::{\n    api::{Tag, body::Body},\n    store::{self, db::Tx},\n};\nlet a = crate::error::Error::Gone;";
    let named: Vec<String> = rooms_named_in(code).into_iter().collect();
    assert_eq!(named, ["api", "error", "store"]);
}
