//! Ids in signatures: no function takes two of a project, an environment and a feature as text in a row. `domain::ids` has
//! a type for each, so that the compiler knows them apart.

use std::path::Path;

use regex::Regex;

use super::{code, files, source};

/// A parameter that is plain text.
const TEXT: &str = r"^(?:&(?:'\w+ )?|Option<)*(?:str|String)>*$|^impl (?:Into<String>|AsRef<str>)$";
/// Name of a parameter that is the id of a project, an environment or a feature.
const ID: &str = r"^(?:\w+_)?(?:project|environment|feature)(?:_id|_name)?$";
/// Name of a parameter that is such an id next to one of those.
const NEIGHBOUR: &str = r"^(?:name|id|source|target|parent|child)$";

/// The code of a file without its tests.
fn program(path: &Path) -> String {
    let inside = path.strip_prefix(source()).expect("below src");
    if inside.iter().any(|part| part == "tests" || part == "tests.rs") {
        return String::new();
    }
    let tests = Regex::new(r"#\[cfg\(test\)\]\s+(?:pub(?:\(\w+\))? )?mod tests \{").expect("a pattern");
    let code = code(path);
    tests.split(&code).next().unwrap_or_default().to_owned()
}

/// Change of depth in brackets by a sign. The arrow of a closure closes none.
fn deeper(before: char, sign: char) -> i32 {
    match sign {
        '(' | '[' | '{' | '<' => 1,
        ')' | ']' | '}' => -1,
        '>' if before != '-' => -1,
        _ => 0,
    }
}

/// Content of the bracket at the beginning of a text, and the rest; `None` without one.
fn enclosed(text: &str) -> Option<(&str, &str)> {
    if !text.starts_with(['(', '<']) {
        return None;
    }
    let (mut depth, mut before) = (0, ' ');
    for (place, sign) in text.char_indices() {
        depth += deeper(before, sign);
        if depth == 0 {
            return Some((&text[1..place], &text[place + 1..]));
        }
        before = sign;
    }
    None
}

/// Elements of a list, separated by its outermost commas.
fn elements(list: &str) -> Vec<&str> {
    let (mut depth, mut before, mut start, mut found) = (0, ' ', 0, Vec::new());
    for (place, sign) in list.char_indices() {
        depth += deeper(before, sign);
        if depth == 0 && sign == ',' {
            found.push(list[start..place].trim());
            start = place + 1;
        }
        before = sign;
    }
    found.push(list[start..].trim());
    found
}

/// Names and types of parameters; those of a tuple one by one.
fn parameters(list: &str) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    for (pattern, kind) in elements(list).into_iter().filter_map(|element| element.split_once(':')) {
        match (enclosed(pattern.trim()), enclosed(kind.trim())) {
            (Some((names, _)), Some((kinds, _))) => found.extend(elements(names).into_iter().zip(elements(kinds))),
            _ => found.push((pattern.split_whitespace().last().unwrap_or_default(), kind.trim())),
        }
    }
    found
}

/// Functions of a text that take two ids as text in a row, each with the names of these.
fn taking_text(code: &str) -> Vec<String> {
    let pattern = |pattern: &str| Regex::new(pattern).expect("a pattern");
    let (function, text, id, neighbour) = (pattern(r"\bfn (\w+)"), pattern(TEXT), pattern(ID), pattern(NEIGHBOUR));
    let either = |name: &str| id.is_match(name) || neighbour.is_match(name);
    let are_two = |one: &str, other: &str| {
        either(one) && either(other) && (id.is_match(one) || id.is_match(other) || (one, other) == ("source", "target"))
    };
    let mut found = Vec::new();
    for head in function.captures_iter(code) {
        let rest = &code[head.get(0).expect("the whole").end()..];
        let rest = enclosed(rest).filter(|_| rest.starts_with('<')).map_or(rest, |(_, rest)| rest);
        let Some((list, _)) = enclosed(rest) else { continue };
        for pair in parameters(list).windows(2) {
            let [(one, first), (other, second)] = pair else { continue };
            if text.is_match(first) && text.is_match(second) && are_two(one, other) {
                let name = &head[1];
                found.push(format!("{name} takes {one} and {other}"));
            }
        }
    }
    found
}

#[test]
fn no_function_takes_two_ids_as_text_in_a_row() {
    let mut wrong = Vec::new();
    for (_, path) in files() {
        wrong.extend(taking_text(&program(&path)).into_iter().map(|what| format!("{}: {what}", path.display())));
    }
    assert!(wrong.is_empty(), "domain::ids has types for these: {wrong:#?}");
}

#[test]
fn ids_as_text_are_found_however_they_are_written() {
    let code = "fn one(tx: &Tx, project: &str, environment: &'a str) {}\n\
                pub async fn two<F: Fn(&str) -> bool>(&self, name: Option<&str>, project_id: String, f: F) {}\n\
                fn three(\n    (from_project, feature): (&str, &String),\n    on: bool,\n) {}\n\
                fn four(source: impl Into<String>, target: impl Into<String>) {}\n\
                fn five(mut environment: &Option<String>, feature_name: &str) {}\n";
    let expected = [
        "one takes project and environment",
        "two takes name and project_id",
        "three takes from_project and feature",
        "four takes source and target",
        "five takes environment and feature_name",
    ];
    assert_eq!(taking_text(code), expected);
    let code = "fn one(project: ProjectId<'_>, environment: EnvironmentName<'_>, name: &str) {}\n\
                fn two(project: &str, on: bool, environment: &str) {}\n\
                fn three(name: &str, description: &str, project: &str) {}\n\
                fn four(Cloning { source, target }: Cloning<'_>, project: &str) {}\n\
                fn five(#[oai(name = \"projectId\")] project_id: Path<String>, environment: Path<String>) {}\n\
                fn six(projects: &[String], environment: &str) {}\n";
    assert_eq!(taking_text(code), Vec::<String>::new());
}
