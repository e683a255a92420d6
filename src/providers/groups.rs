//! Groups of a user at a provider: their place in what it sends, and the values that are accepted there.

use serde_json::{Map, Value};

/// The most groups that are taken from a provider.
const MOST: usize = 10_000;
/// Claim in which Entra says that it left something out, and by whose name.
const LEFT_OUT: &str = "_claim_names";
/// End of the name of the attribute by which Entra says so in SAML: where to ask for the groups.
const LINK: &str = "groups.link";
/// Claim that Entra sends in place of the groups in an implicit flow.
const HAS_GROUPS: &str = "hasgroups";

/// Groups of a user as a provider sends them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Groups {
    /// Nothing: the user has none.
    Absent,
    /// The names, each once, in the order of the provider.
    Names(Vec<String>),
    /// A value that cannot be read as groups: no membership may change by it.
    Unusable(GroupsProblem),
}

/// Reason why groups cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GroupsProblem {
    /// More than 10,000.
    TooMany {
        /// Number of groups.
        found: usize,
    },
    /// Neither a text nor a list of texts.
    Shape {
        /// Kind of the value there, such as `an object`.
        found: &'static str,
    },
    /// The provider left them out because they are too many, and says where to ask (Entra's overage).
    Overage,
    /// The setting is no path.
    Path,
    /// They are not in the ID token, and the user info endpoint did not answer.
    NotFetched,
}

/// Path in what a provider says, such as that of the groups: the setting `groupJsonPath`, read.
///
/// First it is the name of a property, whatever is in it: some providers name them by addresses. Else it leads there:
/// names with dots between them or as `['name']`, and `[*]` for each part of a list, after an optional `$`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupPath {
    literal: String,
    steps: Option<Vec<Step>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Step {
    Name(String),
    Each,
}

impl GroupsProblem {
    /// The name of the problem in logs and answers. It stays.
    pub const fn code(self) -> &'static str {
        match self {
            Self::TooMany { .. } => "groups-too-many",
            Self::Shape { .. } => "groups-shape",
            Self::Overage => "groups-overage",
            Self::Path => "groups-path",
            Self::NotFetched => "groups-not-fetched",
        }
    }
}

impl GroupPath {
    /// Reads the setting. What leads nowhere may still be the name of a property.
    pub fn new(text: &str) -> Self {
        Self { literal: text.to_owned(), steps: steps(text).ok() }
    }

    /// Whether a setting says where to look; the error is the rest of a sentence about it.
    pub fn check(text: &str) -> Result<(), String> {
        steps(text).map(drop)
    }

    /// The groups in what a provider says.
    pub fn read(&self, said: &Map<String, Value>) -> Groups {
        let found = match said.get(&self.literal) {
            Some(value) => Ok(vec![value]),
            None => self.follow(said),
        };
        match found {
            Ok(found) => names(&found),
            Err(problem) => Groups::Unusable(problem),
        }
        .or_left_out(self, said)
    }

    /// Returns the one text there: a text, or that of a list with nothing else. `None` without one, and for several.
    pub fn read_text<'a>(&self, said: &'a Map<String, Value>) -> Option<&'a str> {
        let found = match said.get(&self.literal) {
            Some(value) => vec![value],
            None => self.follow(said).ok()?,
        };
        let mut values = found.into_iter().flat_map(|value| match value {
            Value::Array(list) => list.as_slice(),
            one => std::slice::from_ref(one),
        });
        let (first, second) = (values.next()?, values.next());
        first.as_str().filter(|_| second.is_none())
    }

    fn follow<'a>(&self, said: &'a Map<String, Value>) -> Result<Vec<&'a Value>, GroupsProblem> {
        let Some((Step::Name(first), rest)) = self.steps.as_deref().and_then(<[Step]>::split_first) else {
            return Err(GroupsProblem::Path);
        };
        let mut places: Vec<&Value> = said.get(first).into_iter().collect();
        for step in rest {
            places = match step {
                Step::Name(name) => places.into_iter().filter_map(|place| place.get(name)).collect(),
                Step::Each => {
                    let lists = places.into_iter().filter(|place| !place.is_null());
                    let lists: Option<Vec<_>> = lists.map(Value::as_array).collect();
                    let Some(lists) = lists else {
                        return Err(GroupsProblem::Shape { found: "no list where the path has [*]" });
                    };
                    lists.into_iter().flatten().collect()
                }
            };
        }
        Ok(places)
    }

    fn first_name(&self) -> &str {
        match self.steps.as_deref() {
            Some([Step::Name(first), ..]) => first,
            _ => &self.literal,
        }
    }
}

impl Groups {
    /// Returns the groups, as unusable where they are absent because Entra left them out.
    fn or_left_out(self, path: &GroupPath, said: &Map<String, Value>) -> Self {
        let first = path.first_name();
        let of = |name: &str| said.get(LEFT_OUT).and_then(|names| names.get(name)).is_some();
        let has_groups = first == "groups" && said.get(HAS_GROUPS).is_some_and(|has| *has == true || has == "true");
        // The attribute of the groups may have any name, and the link has none of its own for each. Roles are never too
        // many.
        let last = |name: &str| name.rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
        let is_of_roles = matches!(last(&path.literal).as_str(), "role" | "roles");
        let has_link = !is_of_roles && said.keys().any(|name| last(name) == LINK);
        match self {
            Self::Absent if of(first) || of(&path.literal) || has_groups || has_link => {
                Self::Unusable(GroupsProblem::Overage)
            }
            other => other,
        }
    }
}

fn names(found: &[&Value]) -> Groups {
    let mut names: Vec<&str> = Vec::new();
    let mut is_absent = true;
    for value in found {
        match value {
            Value::Null => {}
            Value::String(name) => {
                is_absent = false;
                names.push(name);
            }
            Value::Array(list) => {
                is_absent = false;
                for entry in list {
                    let Some(name) = entry.as_str() else {
                        return Groups::Unusable(GroupsProblem::Shape { found: in_a_list(entry) });
                    };
                    names.push(name);
                }
            }
            other => return Groups::Unusable(GroupsProblem::Shape { found: kind(other) }),
        }
    }
    if is_absent {
        return Groups::Absent;
    }
    let mut seen = std::collections::HashSet::new();
    names.retain(|name| !name.is_empty() && seen.insert(*name));
    if names.len() > MOST {
        return Groups::Unusable(GroupsProblem::TooMany { found: names.len() });
    }
    Groups::Names(names.into_iter().map(str::to_owned).collect())
}

const fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

const fn in_a_list(value: &Value) -> &'static str {
    match value {
        Value::Null => "null in a list",
        Value::Bool(_) => "a boolean in a list",
        Value::Number(_) => "a number in a list",
        Value::String(_) => "a text in a list",
        Value::Array(_) => "a list in a list",
        Value::Object(_) => "an object in a list",
    }
}

fn steps(text: &str) -> Result<Vec<Step>, String> {
    let mut steps = Vec::new();
    let mut rest = text;
    if let Some(after) = text.strip_prefix('$').filter(|after| after.starts_with(['.', '['])) {
        rest = after;
    } else if !text.starts_with('[') {
        rest = take_name(text, &mut steps)?;
    }
    while !rest.is_empty() {
        rest = match rest.strip_prefix('.') {
            Some(after) => take_name(after, &mut steps)?,
            None => take_bracket(rest, &mut steps)?,
        };
    }
    match steps.first() {
        Some(Step::Name(_)) => Ok(steps),
        _ => Err("it must begin with a name".into()),
    }
}

fn take_name<'a>(text: &'a str, steps: &mut Vec<Step>) -> Result<&'a str, String> {
    let end = text.find(['.', '[', ']']).unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    if name.is_empty() {
        return Err("a name is empty".into());
    }
    steps.push(Step::Name(name.to_owned()));
    Ok(rest)
}

fn take_bracket<'a>(text: &'a str, steps: &mut Vec<Step>) -> Result<&'a str, String> {
    if let Some(rest) = text.strip_prefix("[*]") {
        steps.push(Step::Each);
        return Ok(rest);
    }
    for (open, close) in [("['", "']"), ("[\"", "\"]")] {
        if let Some((name, rest)) = text.strip_prefix(open).and_then(|after| after.split_once(close)) {
            steps.push(Step::Name(name.to_owned()));
            return Ok(rest);
        }
    }
    Err("brackets hold a name in quotes or *".into())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn read(path: &str, said: &Value) -> Groups {
        GroupPath::new(path).read(said.as_object().expect("an object"))
    }

    fn named(names: &[&str]) -> Groups {
        Groups::Names(names.iter().map(|&name| name.to_owned()).collect())
    }

    #[test]
    fn a_text_is_read_where_there_is_one_and_no_other() {
        let said = json!({
            "upn": "ada@example.com", "a.b": "literal", "a": { "b": "path" }, "mails": ["one@example.com"],
            "two": ["one@example.com", "two@example.com"], "none": [], "null": null, "number": 7, "texts": [["x"]],
            "people": [{ "mail": "ada@example.com" }, { "mail": "bob@example.com" }],
        });
        for (path, expected) in [
            ("upn", Some("ada@example.com")),
            ("$.upn", Some("ada@example.com")),
            ("a.b", Some("literal")),
            ("a['b']", Some("path")),
            ("mails", Some("one@example.com")),
            ("mails[*]", Some("one@example.com")),
            ("two", None),
            ("two[*]", None),
            ("people[*].mail", None),
            ("none", None),
            ("null", None),
            ("number", None),
            ("texts", None),
            ("missing", None),
            ("a", None),
            ("[", None),
        ] {
            assert_eq!(GroupPath::new(path).read_text(said.as_object().expect("an object")), expected, "{path}");
        }
    }

    #[test]
    fn a_path_is_first_a_name_and_then_leads_into_what_is_said() {
        let said = json!({
            "groups": ["a", "b", "a", ""],
            "realm_access": { "roles": ["r"] },
            "http://schemas.xmlsoap.org/claims/Group": ["u"],
            "resource_access": { "flag.stone": { "roles": ["c"] }, "it's": ["q"] },
            "a.b": "literal",
            "a": { "b": "followed", "c": "followed" },
            "teams": [{ "name": "x" }, { "name": ["y", "z"] }, { "other": "w" }, { "name": null }],
            "nested": [["n"], ["m"], null],
            "$": "dollar",
            "": "nameless",
        });
        for (path, expected) in [
            ("groups", named(&["a", "b"])),
            ("$.groups", named(&["a", "b"])),
            ("$['groups']", named(&["a", "b"])),
            ("['groups']", named(&["a", "b"])),
            ("groups[*]", named(&["a", "b"])),
            ("$.groups[*]", named(&["a", "b"])),
            ("realm_access.roles", named(&["r"])),
            ("$['realm_access'][\"roles\"]", named(&["r"])),
            ("realm_access['roles'][*]", named(&["r"])),
            ("http://schemas.xmlsoap.org/claims/Group", named(&["u"])),
            ("$['http://schemas.xmlsoap.org/claims/Group']", named(&["u"])),
            ("resource_access['flag.stone'].roles", named(&["c"])),
            ("resource_access[\"it's\"]", named(&["q"])),
            ("a.b", named(&["literal"])),
            ("$.a.b", named(&["followed"])),
            ("a.c", named(&["followed"])),
            ("teams[*].name", named(&["x", "y", "z"])),
            ("nested[*][*]", named(&["n", "m"])),
            ("$", named(&["dollar"])),
            ("", named(&["nameless"])),
            ("missing", Groups::Absent),
            ("groups.missing", Groups::Absent),
            ("realm_access.missing.more", Groups::Absent),
            ("missing[*].name", Groups::Absent),
        ] {
            assert_eq!(read(path, &said), expected, "{path}");
        }
    }

    #[test]
    fn o21_what_is_no_list_of_names_changes_nothing_and_says_why() {
        let shape = |found| Groups::Unusable(GroupsProblem::Shape { found });
        for (said, expected) in [
            (json!({}), Groups::Absent),
            (json!({ "groups": null }), Groups::Absent),
            (json!({ "groups": [] }), named(&[])),
            (json!({ "groups": "a, b" }), named(&["a, b"])),
            (json!({ "groups": { "a": true } }), shape("an object")),
            (json!({ "groups": 7 }), shape("a number")),
            (json!({ "groups": true }), shape("a boolean")),
            (json!({ "groups": ["a", ["b"]] }), shape("a list in a list")),
            (json!({ "groups": ["a", 7] }), shape("a number in a list")),
            (json!({ "groups": ["a", null] }), shape("null in a list")),
            (json!({ "groups": [{ "name": "a" }] }), shape("an object in a list")),
            (json!({ "_claim_names": { "groups": "src1" } }), Groups::Unusable(GroupsProblem::Overage)),
            (json!({ "hasgroups": true }), Groups::Unusable(GroupsProblem::Overage)),
            (json!({ "_claim_names": { "roles": "src1" } }), Groups::Absent),
            (json!({ "_claim_names": { "groups": "src1" }, "groups": ["a"] }), named(&["a"])),
        ] {
            assert_eq!(read("groups", &said), expected, "{said}");
        }
        let saml = "http://schemas.microsoft.com/ws/2008/06/identity/claims/groups";
        let link = json!({ "http://schemas.microsoft.com/claims/groups.link": ["https://graph.windows.net/x"] });
        for path in [saml, "groups", "memberOf"] {
            assert_eq!(read(path, &link), Groups::Unusable(GroupsProblem::Overage), "{path}");
        }
        assert_eq!(read("http://schemas.microsoft.com/ws/2008/06/identity/claims/role", &link), Groups::Absent);
        let mut both = link.clone();
        both[saml] = json!(["a"]);
        assert_eq!(read(saml, &both), named(&["a"]));
        assert_eq!(read("groups[*]", &json!({ "groups": "a" })), shape("no list where the path has [*]"));
        assert_eq!(read("$.groups", &json!({ "hasgroups": "true" })), Groups::Unusable(GroupsProblem::Overage));
        assert_eq!(read("a[", &json!({ "groups": "a" })), Groups::Unusable(GroupsProblem::Path));
    }

    #[test]
    fn o21_ten_thousand_groups_are_taken_and_one_more_is_not() {
        let many = |count: usize| json!({ "groups": (0..count).map(|at| format!("group {at}")).collect::<Vec<_>>() });
        let Groups::Names(names) = read("groups", &many(10_000)) else { panic!("refused") };
        assert_eq!((names.len(), names[9_999].as_str()), (10_000, "group 9999"));
        assert_eq!(read("groups", &many(10_001)), Groups::Unusable(GroupsProblem::TooMany { found: 10_001 }));
    }

    #[test]
    fn a_setting_that_leads_nowhere_is_told() {
        for path in ["groups", "$.a.b", "$['a b'].c[*]", "http://schemas.example/claims/Group", "a-b_c:d"] {
            assert_eq!(GroupPath::check(path), Ok(()), "{path}");
        }
        for (path, said) in [
            ("", "a name is empty"),
            ("$.", "a name is empty"),
            ("a..b", "a name is empty"),
            ("a.", "a name is empty"),
            ("[*].a", "it must begin with a name"),
            ("$[*]", "it must begin with a name"),
            ("a[0]", "brackets hold a name in quotes or *"),
            ("a['b", "brackets hold a name in quotes or *"),
            ("a]b", "brackets hold a name in quotes or *"),
        ] {
            assert_eq!(GroupPath::check(path), Err(said.into()), "{path}");
        }
    }

    proptest! {
        #[test]
        fn any_path_leads_to_distinct_names_or_to_a_problem(
            path in prop_oneof![".*", r#"\$?([.]?[ab]|\['[ab]'\]|\["[ab]"\]|\[\*\]){0,4}"#],
            said in any_value(),
        ) {
            let said = Map::from_iter([("a".to_owned(), said.clone()), ("b".to_owned(), said)]);
            if let Groups::Names(names) = GroupPath::new(&path).read(&said) {
                let distinct: std::collections::HashSet<_> = names.iter().collect();
                prop_assert!(distinct.len() == names.len() && !names.contains(&String::new()));
            }
        }
    }

    fn any_value() -> impl Strategy<Value = Value> {
        let leaf =
            prop_oneof![Just(Value::Null), any::<bool>().prop_map(Value::from), "[ab]{0,2}".prop_map(Value::from)];
        leaf.prop_recursive(3, 24, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::hash_map("[ab]", inner, 0..3)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }
}
