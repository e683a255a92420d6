//! Which room of `src` may know which: the column "May use" of the tables in `CONTRIBUTING.md`, held against the
//! source.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use regex::Regex;

/// Crates that belong to some rooms alone: a room that may use one has it in the same column.
const CRATES: [&str; 3] = ["poem", "sea_orm", "hyper"];

/// Each room, and what the tables allow it.
fn house() -> BTreeMap<String, BTreeSet<String>> {
    let contributing = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("CONTRIBUTING.md"));
    allowed_by(&contributing.expect("the document"))
}

/// What the tables of a text allow: those with a column "May use", whose first column names rooms of `src`.
fn allowed_by(text: &str) -> BTreeMap<String, BTreeSet<String>> {
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

/// What a file uses of other rooms, and of the crates that belong to few.
fn used_in(room: &str, code: &str, house: &BTreeMap<String, BTreeSet<String>>) -> BTreeSet<String> {
    let mut used = rooms_named_in(code);
    used.retain(|named| named != room && house.contains_key(named));
    let crates =
        CRATES.into_iter().filter(|name| Regex::new(&format!(r"\b{name}::")).expect("a pattern").is_match(code));
    used.extend(crates.map(str::to_owned));
    used
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
    let mut used: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
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

/// Files of `src/api` that begin a transaction themselves: their changes have yet to move to `src/changes`. The number may
/// only fall.
const FILES_THAT_BEGIN_TRANSACTIONS: usize = 27;

#[test]
fn no_further_file_of_the_api_begins_a_transaction() {
    let begins = Regex::new(r"\bdb\.begin(_\w+)?\(|::begin_making\(|import::begin\(").expect("a pattern");
    let found: Vec<PathBuf> = files()
        .into_iter()
        .filter(|(room, path)| room == "api" && begins.is_match(&code(path)))
        .map(|(_, path)| path)
        .collect();
    assert_eq!(found.len(), FILES_THAT_BEGIN_TRANSACTIONS, "{found:#?}");
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
fn imports_are_read_however_they_are_nested() {
    let code =
        "use crate::{\n    api::{Tag, body::Body},\n    store::{self, db::Tx},\n};\nlet a = crate::error::Error::Gone;";
    let named: Vec<String> = rooms_named_in(code).into_iter().collect();
    assert_eq!(named, ["api", "error", "store"]);
}
