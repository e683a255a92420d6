//! Which room of `src` may know which: what `CONTRIBUTING.md` says of the house, read from the source.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use regex::Regex;

/// Each room, and the other rooms that it may use.
const ROOMS: [(&str, &str); 37] = [
    ("accounts", "domain error passwords store"),
    (
        "api",
        "accounts audit clock config deliveries domain edge edges error evaluation gzip integrations jobs outbound \
         providers sdk server sign_in state store telemetry usage wire",
    ),
    ("audit", "domain state store vault"),
    ("backups", "audit domain files store vault"),
    ("chance", ""),
    (
        "cli",
        "accounts api audit backups clock comparison config domain edge files jobs moving_in moving_out outbound passwords \
         providers sdk server sign_in start state store telemetry usage vault",
    ),
    ("clock", "domain"),
    ("comparison", "domain evaluation"),
    ("config", "backups clock domain error outbound store telemetry vault"),
    ("deliveries", "chance domain integrations outbound state store"),
    ("domain", "wire"),
    ("edge", "chance clock domain error outbound sdk state telemetry"),
    ("edges", "domain"),
    ("error", "clock domain"),
    ("evaluation", "domain"),
    ("files", ""),
    ("gzip", ""),
    ("integrations", "domain gzip wire"),
    ("jobs", "audit backups clock config deliveries domain files presence sign_in state store usage"),
    ("lib", "api edge state"),
    ("main", ""),
    ("moving_in", "domain wire"),
    ("moving_out", "domain"),
    ("outbound", "domain telemetry"),
    ("passwords", "domain error"),
    ("presence", "domain"),
    ("providers", "domain outbound"),
    ("sdk", "domain error evaluation gzip store wire"),
    ("server", "clock config domain telemetry"),
    ("sign_in", "accounts config domain error outbound providers state store vault wire"),
    ("start", "accounts clock config domain passwords state store vault"),
    (
        "state",
        "api audit clock config deliveries domain edges jobs outbound passwords presence providers sdk server \
         sign_in store usage vault",
    ),
    ("store", "clock domain error files moving_in telemetry vault wire"),
    ("telemetry", "outbound"),
    ("usage", "domain state store"),
    ("vault", "domain files"),
    ("wire", ""),
];

/// Crates that belong to some rooms alone.
const CRATES: [(&str, &str); 3] =
    [("poem", "api error lib server state"), ("sea_orm", "store main"), ("hyper", "server")];

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// Every file of the program with its room.
fn files() -> Vec<(String, PathBuf)> {
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

#[test]
fn a_room_uses_no_other_than_the_house_allows() {
    let rooms: BTreeMap<&str, BTreeSet<&str>> =
        ROOMS.into_iter().map(|(room, uses)| (room, uses.split_whitespace().collect())).collect();
    let rows = Regex::new(r"\bentity::").expect("a pattern");
    let mut wrong = Vec::new();
    for (room, path) in files() {
        let allowed = rooms.get(&*room).unwrap_or_else(|| panic!("no row for the room of {}", path.display()));
        let code = code(&path);
        let others = rooms_named_in(&code).into_iter().filter(|named| *named != room && rooms.contains_key(&**named));
        wrong.extend(
            others.filter(|named| !allowed.contains(&**named)).map(|named| format!("{} uses {named}", path.display())),
        );
        if room != "store" && rows.is_match(&code) {
            wrong.push(format!("{} knows rows of tables", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_room_may_use_nothing_that_it_does_not() {
    let mut used: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (room, path) in files() {
        used.entry(room).or_default().extend(rooms_named_in(&code(&path)));
    }
    let idle: Vec<String> = ROOMS
        .iter()
        .flat_map(|(room, uses)| uses.split_whitespace().map(move |other| (*room, other)))
        .filter(|(room, other)| !used.get(*room).is_some_and(|used| used.contains(*other)))
        .map(|(room, other)| format!("{room} does not use {other}"))
        .collect();
    assert!(idle.is_empty(), "{idle:#?}");
}

#[test]
fn http_and_sql_stay_in_their_rooms() {
    let mut wrong = Vec::new();
    for (room, path) in files() {
        let code = code(&path);
        for (name, rooms) in CRATES {
            let is_used = Regex::new(&format!(r"\b{name}::")).expect("a pattern").is_match(&code);
            if is_used && !rooms.split_whitespace().any(|allowed| allowed == room) {
                wrong.push(format!("{} uses {name}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn imports_are_read_however_they_are_nested() {
    let code =
        "use crate::{\n    api::{Tag, body::Body},\n    store::{self, db::Tx},\n};\nlet a = crate::error::Error::Gone;";
    let named: Vec<String> = rooms_named_in(code).into_iter().collect();
    assert_eq!(named, ["api", "error", "store"]);
}
