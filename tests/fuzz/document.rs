//! JSON near what people really send: random bytes as JSON are refused at the first sign, and reach nothing.

use std::path::Path;

use arbitrary::{Result, Unstructured};
use serde_json::{Value, json};

/// Texts that were once somebody's mistake.
const TEXTS: &[&str] = &[
    "",
    " ",
    "a",
    "\u{0}",
    "\"",
    "\\",
    "a\"b\\",
    "\\\"",
    "`",
    "](",
    "((((",
    "[a",
    "a{9}{9}{9}",
    "^(a+)+$",
    "\n",
    "\r\n",
    "é",
    "İ",
    "ß",
    "Σς",
    "\u{202e}abc",
    "\u{feff}",
    "👩‍👩‍👧",
    "\u{1f}",
    "%00",
    "../..",
    "*",
    "[]",
    "null",
    "true",
    "false",
    "0",
    "-0",
    "1",
    "-1",
    "00",
    "+1",
    "1.5",
    "1e3",
    "1e309",
    "-1e309",
    "NaN",
    "inf",
    "infinity",
    "0x10",
    "1_000",
    "१२",
    "9007199254740993",
    "9223372036854775808",
    "340282366920938463463374607431768211456",
    ".5",
    "5.",
    "50",
    "100",
    "101",
    "1.2.3",
    "1.2",
    "v1.2.3",
    "1.2.3-beta.1+7",
    "1.2.3-",
    "01.2.3",
    "99999999999999999999.0.0",
    "1.0.0-0a",
    "2026-01-15T12:00:00.000Z",
    "2026-01-15",
    "2026-02-30",
    "2026-01-15T12:00",
    "2026-01-15T24:00:00Z",
    "2016-12-31T23:59:60Z",
    "9999-12-31T23:59:59.999-23:59",
    "0000-01-01T00:00:00Z",
    "-0001-01-01T00:00:00Z",
    "+262142-12-31T23:59:59Z",
    "2026-01-15t12:00:00.123456789123z",
    "10.0.0.0/8",
    "10.0.0.0/33",
    "::1/128",
    "::1/129",
    "::ffff:10.0.0.1",
    "10.0.0.1,10.0.0.2",
    "fe80::1%eth0",
    "*:*.secret",
    "shop:development.secret",
    "[]:e.s",
    "user:1",
    "Bearer a:b.c",
    "IS:a",
    "IS_NOT:a,b",
    "IS_ANY_OF:a, ,a",
    "INCLUDE:simple:a",
    "EXCLUDE_ALL:a:b,c:d",
    "IS:2026-02-29",
    "IS_BEFORE:2026-01-15",
    "IS_ON_OR_AFTER:0000-01-01",
    "development:enabled",
    "environment:production",
    "lastSeenAt",
    "/description",
    "/type",
    "/stale",
    "/impressionData",
    "/archived",
    "/name",
    "/-",
    "/0",
    "/a~1b",
    "/variants/0",
    "-",
    "default",
    "flexibleRollout",
    "gradualRolloutRandom",
    "gradualRolloutUserId",
    "gradualRolloutSessionId",
    "userWithId",
    "remoteAddress",
    "applicationHostname",
    "rollout",
    "percentage",
    "stickiness",
    "groupId",
    "userIds",
    "IPs",
    "hostNames",
    "random",
    "userId",
    "sessionId",
    "appName",
    "environment",
    "currentTime",
    "simple",
    "release",
    "IN",
    "NOT_IN",
    "STR_CONTAINS",
    "STR_STARTS_WITH",
    "STR_ENDS_WITH",
    "NUM_EQ",
    "NUM_GT",
    "NUM_GTE",
    "NUM_LT",
    "NUM_LTE",
    "DATE_AFTER",
    "DATE_BEFORE",
    "SEMVER_EQ",
    "SEMVER_GT",
    "SEMVER_LT",
    "SEMVER_GTE",
    "SEMVER_LTE",
    "REGEX",
    "IN_CIDR",
    "fix",
    "variable",
    "json",
    "csv",
    "string",
    "number",
    "add",
    "remove",
    "replace",
    "copy",
    "move",
];

/// Most changes of a document.
const CHANGES: usize = 8;

/// The JSON files of a target's corpus, which its documents start from.
pub fn seeds(target: &str) -> Vec<Value> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("__fuzz__").join(target).join("corpus");
    let mut files: Vec<_> =
        std::fs::read_dir(corpus).expect("a corpus").map(|file| file.expect("a file").path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    let read = |file| serde_json::from_slice(&std::fs::read(file).expect("a file")).expect("JSON");
    files.into_iter().map(read).collect()
}

/// Returns the document of an input: itself where it is JSON, as the files of the corpus are, and otherwise a seed
/// after some changes.
pub fn document(input: &[u8], seeds: &[Value]) -> Value {
    serde_json::from_slice(input).unwrap_or_else(|_| {
        let mut choices = Unstructured::new(input);
        let mut document = choices.choose(seeds).expect("a seed").clone();
        let changes = choices.int_in_range(0..=CHANGES).unwrap_or_default();
        for _ in 0..changes {
            if change(&mut document, &mut choices, seeds).is_err() {
                break;
            }
        }
        document
    })
}

/// A text: one of [`TEXTS`], several of them, or any.
pub fn text(choices: &mut Unstructured<'_>) -> Result<String> {
    Ok(match choices.int_in_range(0..=5)? {
        0..=2 => (*choices.choose(TEXTS)?).to_owned(),
        3 => format!("{}{}", choices.choose(TEXTS)?, choices.choose(TEXTS)?),
        4 => choices.choose(TEXTS)?.repeat(choices.int_in_range(0..=300)?),
        _ => choices.arbitrary()?,
    })
}

fn change(document: &mut Value, choices: &mut Unstructured<'_>, seeds: &[Value]) -> Result<()> {
    let place = choices.int_in_range(0..=count(document) - 1)?;
    let value = find(document, &mut { place }).expect("counted");
    if choices.ratio(1, 4)? {
        *value = scalar(choices)?;
        return Ok(());
    }
    match value {
        Value::Array(items) if items.is_empty() => items.push(piece(choices, seeds)?),
        Value::Array(items) => {
            let index = choices.int_in_range(0..=items.len() - 1)?;
            match choices.int_in_range(0..=3)? {
                0 => drop(items.remove(index)),
                1 => items.insert(index, items[index].clone()),
                2 => items[index] = piece(choices, seeds)?,
                _ => items.push(piece(choices, seeds)?),
            }
        }
        Value::Object(members) => {
            let index = choices.int_in_range(0..=members.len())?;
            let name = members.keys().nth(index).cloned();
            match (name, choices.int_in_range(0..=3)?) {
                (Some(name), 0) => drop(members.shift_remove(&name)),
                (Some(name), 1) => drop(members.insert(name, scalar(choices)?)),
                (Some(name), 2) => drop(members.insert(name, piece(choices, seeds)?)),
                _ => drop(members.insert(text(choices)?, piece(choices, seeds)?)),
            }
        }
        Value::String(said) if choices.arbitrary()? => said.push_str(&text(choices)?),
        other => *other = scalar(choices)?,
    }
    Ok(())
}

fn scalar(choices: &mut Unstructured<'_>) -> Result<Value> {
    Ok(match choices.int_in_range(0..=9)? {
        0 => Value::Null,
        1 => json!(choices.arbitrary::<bool>()?),
        2 => json!(choices.int_in_range(-2..=1001)?),
        3 => json!(choices.arbitrary::<i64>()?),
        4 => json!(choices.arbitrary::<f64>()?),
        _ => Value::String(text(choices)?),
    })
}

/// Some part of some seed.
fn piece(choices: &mut Unstructured<'_>, seeds: &[Value]) -> Result<Value> {
    let mut seed = choices.choose(seeds)?.clone();
    let place = choices.int_in_range(0..=count(&seed) - 1)?;
    Ok(find(&mut seed, &mut { place }).expect("counted").take())
}

fn count(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(count).sum(),
        Value::Object(members) => members.values().map(count).sum(),
        _ => 0,
    }
}

/// The value that comes after `left` others.
fn find<'a>(value: &'a mut Value, left: &mut usize) -> Option<&'a mut Value> {
    if *left == 0 {
        return Some(value);
    }
    *left -= 1;
    match value {
        Value::Array(items) => items.iter_mut().find_map(|item| find(item, left)),
        Value::Object(members) => members.values_mut().find_map(|member| find(member, left)),
        _ => None,
    }
}
