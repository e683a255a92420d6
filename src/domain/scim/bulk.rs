//! Bulks of operations (RFC 7644, section 3.7): where each leads, what it refers to, and in which order they are done.

use serde_json::Value;

/// Most operations of a bulk.
pub const MOST_BULK_OPERATIONS: usize = 1000;
/// Prefix of what stands for the id of a resource that another operation makes.
const REFERENCE: &str = "bulkId:";

/// Kind of the resources at an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Endpoint {
    /// `/Users`
    Users,
    /// `/Groups`
    Groups,
}

/// Address of an operation, below that of the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Target<'a> {
    /// Kind of the resource.
    pub endpoint: Endpoint,
    /// Id of the resource, or what stands for it; `None` for one that is made.
    pub id: Option<&'a str>,
}

impl Endpoint {
    /// The name in the path.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Users => "Users",
            Self::Groups => "Groups",
        }
    }
}

impl<'a> Target<'a> {
    /// Reads a path such as `/Users` or `/Groups/7`; `None` for any other.
    pub fn parse(path: &'a str) -> Option<Self> {
        let mut parts = path.strip_prefix('/')?.split('/');
        let name = parts.next()?;
        let endpoint = [Endpoint::Users, Endpoint::Groups].into_iter().find(|endpoint| endpoint.as_str() == name)?;
        let id = parts.next();
        (parts.next().is_none() && id != Some("")).then_some(Self { endpoint, id })
    }
}

/// The `bulkId` of the operation that a text refers to.
pub fn reference(text: &str) -> Option<&str> {
    text.strip_prefix(REFERENCE)
}

/// Visits what refers to other operations: the `value` of members. That of a step of a patch is the attribute's own.
pub fn visit_references(data: &mut Value, visit: &mut impl FnMut(&mut String)) {
    match data {
        Value::Array(items) => items.iter_mut().for_each(|item| visit_references(item, visit)),
        Value::Object(members) => {
            let is_step = members.keys().any(|name| name.eq_ignore_ascii_case("op"));
            for (name, member) in members {
                match member {
                    Value::String(text) if !is_step && name.eq_ignore_ascii_case("value") => {
                        if reference(text).is_some() {
                            visit(text);
                        }
                    }
                    member => visit_references(member, visit),
                }
            }
        }
        _ => {}
    }
}

/// Order in which each operation follows those that it refers to, by their indices, and else the one before it. Where
/// operations refer to each other in a circle, one of them comes first all the same.
pub fn order(referred: &[Vec<usize>]) -> Vec<usize> {
    let (mut entered, mut placed) = (vec![false; referred.len()], vec![false; referred.len()]);
    let mut order = Vec::with_capacity(referred.len());
    for first in 0..referred.len() {
        let mut waiting = vec![first];
        while let Some(index) = waiting.last().copied() {
            if !entered[index] {
                entered[index] = true;
                waiting.extend(referred[index].iter().rev().filter(|other| !entered[**other]));
                continue;
            }
            waiting.pop();
            if !placed[index] {
                placed[index] = true;
                order.push(index);
            }
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn paths_lead_to_users_and_groups_or_nowhere() {
        let target = |endpoint, id| Some(Target { endpoint, id });
        for (path, expected) in [
            ("/Users", target(Endpoint::Users, None)),
            ("/Groups", target(Endpoint::Groups, None)),
            ("/Users/7", target(Endpoint::Users, Some("7"))),
            ("/Groups/bulkId:a", target(Endpoint::Groups, Some("bulkId:a"))),
            ("", None),
            ("/", None),
            ("Users", None),
            ("/users", None),
            ("/Users/", None),
            ("/Users/7/8", None),
            ("/Bulk", None),
            ("/scim/Users", None),
            ("https://example.com/scim/Users", None),
        ] {
            assert_eq!(Target::parse(path), expected, "{path}");
        }
    }

    #[test]
    fn only_values_of_members_refer() {
        let mut data = json!({
            "displayName": "bulkId:a", "members": [{ "value": "bulkId:b" }, { "VALUE": "bulkId:c", "type": "bulkId:d" }],
            "Operations": [
                { "op": "add", "path": "members", "value": [{ "value": "bulkId:e" }, { "value": "7" }] },
                { "op": "add", "path": "members", "value": { "value": "bulkId:f" } },
                { "op": "replace", "path": "displayName", "value": "bulkId:g" },
            ],
        });
        let mut found = Vec::new();
        visit_references(&mut data, &mut |text| found.push(std::mem::take(text)));
        found.sort_unstable();
        assert_eq!(found, ["bulkId:b", "bulkId:c", "bulkId:e", "bulkId:f"]);
        assert_eq!(data["displayName"], "bulkId:a");
    }

    #[test]
    fn operations_follow_those_that_they_refer_to() {
        for (referred, expected) in [
            (vec![vec![], vec![], vec![]], vec![0, 1, 2]),
            (vec![vec![2], vec![], vec![1]], vec![1, 2, 0]),
            (vec![vec![2, 1], vec![], vec![]], vec![2, 1, 0]),
            (vec![vec![1], vec![0], vec![0]], vec![1, 0, 2]),
            (vec![vec![0]], vec![0]),
        ] {
            assert_eq!(order(&referred), expected, "{referred:?}");
        }
        let chain: Vec<Vec<usize>> = (0..5000).map(|index| vec![(index + 1).min(4999)]).collect();
        assert_eq!(order(&chain), (0..5000).rev().collect::<Vec<_>>());
    }
}
