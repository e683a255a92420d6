//! A group as a directory sees one, and what its patches do.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{
    Fault, FaultKind, MOST_MEMBERS,
    patch::{self, Operation, Step, Verb, member, values},
};

/// A group as a directory sees one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GroupDraft {
    /// Its name.
    pub display_name: String,
    /// Its id there.
    pub external_id: Option<String>,
    /// Ids of its members.
    pub members: BTreeSet<i64>,
}

/// Type of a member by default: a user, unless its `type` or its `$ref` says otherwise.
const USER: &str = "user";
/// Path of users in `$ref`.
const USERS: &str = "users";

/// Puts what `$ref` says in the place of `value` and `type`: it alone cannot be taken for a number of something else.
pub fn settle(named: &mut Value) {
    let Some(Value::String(place)) = member(named, "$ref") else { return };
    let mut parts = place.trim_end_matches('/').rsplit('/');
    let (id, kind) = (parts.next().unwrap_or_default().to_owned(), parts.next().unwrap_or_default().to_owned());
    let said = match member(named, "value") {
        Some(Value::String(text)) => Some(text.clone()),
        Some(Value::Number(number)) => Some(number.to_string()),
        _ => None,
    };
    let kind = match said {
        Some(said) if said != id => "another resource than its $ref".to_owned(),
        _ if kind.eq_ignore_ascii_case(USERS) => return set(named, "value", id),
        _ => kind,
    };
    set(named, "type", kind);
}

fn set(named: &mut Value, name: &str, text: String) {
    if let Value::Object(members) = named {
        members.retain(|key, _| !key.eq_ignore_ascii_case(name));
        members.insert(name.to_owned(), text.into());
    }
}

/// Refuses a member that is no user. Groups are no members of groups here.
pub fn require_user(kind: Option<&str>, value: &str) -> Result<(), Fault> {
    match kind {
        Some(kind) if !kind.eq_ignore_ascii_case(USER) => {
            let (kind, value): (String, String) = (kind.chars().take(40).collect(), value.chars().take(40).collect());
            let rule = format!(
                "members: {value:?} is not a user but {kind:?}. Only users can be members of a group, and groups are not \
                 nested: send the members of the inner group."
            );
            Err(Fault::new(FaultKind::Value, rule))
        }
        _ => Ok(()),
    }
}

/// The id of a user, as directories give it back.
pub fn user_id(text: &str) -> Result<i64, Fault> {
    let shown: String = text.chars().take(40).collect();
    text.parse().map_err(|_| Fault::new(FaultKind::Value, format!("members: there is no user with the id {shown:?}.")))
}

impl GroupDraft {
    /// Applies a patch.
    pub fn patch(&mut self, operations: &[Operation]) -> Result<(), Fault> {
        patch::apply(operations, |step| self.apply(&step))
    }

    fn apply(&mut self, step: &Step) -> Result<(), Fault> {
        match step.path.attribute.as_str() {
            "members" => return self.apply_members(step),
            "id" | "meta" => return step.unchangeable(),
            // Of an extension, or what every resource has.
            "" | "schemas" => return Ok(()),
            _ if !step.path.is_whole() => return Err(step.unknown()),
            "displayname" => {
                self.display_name = step.text()?.ok_or_else(|| step.refused("a text, and never nothing"))?;
            }
            "externalid" => self.external_id = step.text()?,
            _ if !step.is_named => {}
            _ => return Err(step.unknown()),
        }
        Ok(())
    }

    fn apply_members(&mut self, step: &Step) -> Result<(), Fault> {
        if step.path.part.is_some() {
            return Err(step.unknown());
        }
        if let Some(only) = &step.path.only {
            if step.verb != Verb::Remove || only.path.attribute != "value" || !only.path.is_whole() {
                return Err(step.unknown());
            }
            // Nobody is removed whom nobody knows.
            if let Ok(id) = only.value.parse() {
                self.members.remove(&id);
            }
            return Ok(());
        }
        let named = match &step.value {
            None | Some(Value::Null) => None,
            Some(value) => Some(ids(value)?),
        };
        match (step.verb, named) {
            (Verb::Add, named) => self.members.extend(named.unwrap_or_default()),
            (Verb::Replace, named) => self.members = named.unwrap_or_default(),
            (Verb::Remove, None) => self.members.clear(),
            (Verb::Remove, Some(named)) => self.members.retain(|id| !named.contains(id)),
        }
        if self.members.len() > MOST_MEMBERS {
            return Err(Fault::new(FaultKind::Value, format!("members: a group has at most {MOST_MEMBERS}.")));
        }
        Ok(())
    }
}

fn ids(value: &Value) -> Result<BTreeSet<i64>, Fault> {
    let refused =
        || Fault::new(FaultKind::Value, "value of members is a list of objects with the id of a user as `value`.");
    let id = |named: &Value| {
        let mut named = named.clone();
        settle(&mut named);
        let kind = match member(&named, "type") {
            None | Some(Value::Null) => None,
            Some(Value::String(kind)) => Some(kind.as_str()),
            Some(_) => return Err(refused()),
        };
        match member(&named, "value") {
            Some(Value::String(text)) => require_user(kind, text).and_then(|()| user_id(text)),
            Some(Value::Number(number)) => {
                require_user(kind, &number.to_string())?;
                number.as_i64().ok_or_else(refused)
            }
            _ => Err(refused()),
        }
    };
    values(value).ok_or_else(refused)?.iter().map(id).collect()
}

#[cfg(test)]
mod tests {
    use poem_openapi::types::ParseFromJSON as _;
    use serde_json::json;

    use super::*;

    fn patched(operations: Value) -> Result<GroupDraft, Fault> {
        let operations = Vec::<Operation>::parse_from_json(Some(operations)).expect("operations");
        let mut draft = GroupDraft { display_name: "crew".to_owned(), external_id: None, members: [1, 2].into() };
        draft.patch(&operations).map(|()| draft)
    }

    #[test]
    fn members_come_and_go_as_each_directory_says_it() {
        for (operation, expected) in [
            (json!({ "op": "Add", "path": "members", "value": [{ "value": "3" }, { "Value": 4 }] }), &[1, 2, 3, 4][..]),
            (json!({ "op": "add", "path": "members", "value": { "value": "3" } }), &[1, 2, 3]),
            (json!({ "op": "replace", "path": "members", "value": [{ "value": "3" }] }), &[3]),
            (json!({ "op": "replace", "value": { "members": [] } }), &[]),
            (json!({ "op": "remove", "path": "members[value eq \"1\"]" }), &[2]),
            (json!({ "op": "remove", "path": "members[value eq \"x\"]" }), &[1, 2]),
            (json!({ "op": "Remove", "path": "members", "value": [{ "value": "2" }, { "value": "9" }] }), &[1]),
            (json!({ "op": "add", "path": "members", "value": [{ "value": "3", "type": "user" }] }), &[1, 2, 3]),
            (
                json!({ "op": "add", "path": "members", "value": [{ "value": 3, "$ref": "https://x/scim/Users/3" }] }),
                &[1, 2, 3],
            ),
            (json!({ "op": "add", "path": "members", "value": [{ "$ref": "../Users/3" }] }), &[1, 2, 3]),
            (json!({ "op": "remove", "path": "members" }), &[]),
        ] {
            let members: Vec<i64> = patched(json!([operation])).expect("applies").members.into_iter().collect();
            assert_eq!(members, expected, "{operation}");
        }
        let renamed = patched(json!([{ "op": "replace", "value": { "id": "7", "displayName": "team" } }]));
        assert_eq!(renamed.expect("applies").display_name, "team");
    }

    #[test]
    fn what_is_no_change_of_a_group_is_refused() {
        let many: Vec<Value> = (0..=MOST_MEMBERS).map(|id| json!({ "value": id })).collect();
        for (operation, kind) in [
            (json!({ "op": "add", "path": "members", "value": [{ "value": "x" }] }), FaultKind::Value),
            (json!({ "op": "add", "path": "members", "value": ["1"] }), FaultKind::Value),
            (json!({ "op": "add", "path": "members", "value": "1" }), FaultKind::Value),
            (json!({ "op": "add", "path": "members", "value": many }), FaultKind::Value),
            (json!({ "op": "add", "path": "members", "value": [{ "value": "3", "type": "Group" }] }), FaultKind::Value),
            (json!({ "op": "add", "path": "members", "value": [{ "VALUE": 3, "Type": "group" }] }), FaultKind::Value),
            (json!({ "op": "replace", "value": { "members": [{ "value": 3, "type": "Group" }] } }), FaultKind::Value),
            (
                json!({ "op": "remove", "path": "members", "value": [{ "value": 1, "type": "Group" }] }),
                FaultKind::Value,
            ),
            (
                json!({ "op": "add", "path": "members", "value": [{ "value": "3", "$ref": "https://x/scim/Groups/3" }] }),
                FaultKind::Value,
            ),
            (
                json!({ "op": "add", "path": "members", "value": [{ "value": "3", "type": "User", "$ref": "/Groups/3" }] }),
                FaultKind::Value,
            ),
            (json!({ "op": "add", "path": "members", "value": [{ "$ref": "/scim/Groups/3" }] }), FaultKind::Value),
            (
                json!({ "op": "add", "path": "members", "value": [{ "value": "3", "$ref": "/scim/Users/4" }] }),
                FaultKind::Value,
            ),
            (json!({ "op": "add", "path": "members", "value": [{ "value": "3", "type": 7 }] }), FaultKind::Value),
            (json!({ "op": "replace", "path": "members[value eq \"1\"]", "value": {} }), FaultKind::Path),
            (json!({ "op": "remove", "path": "members[display eq \"1\"]" }), FaultKind::Path),
            (json!({ "op": "remove", "path": "displayName" }), FaultKind::Value),
            (json!({ "op": "replace", "path": "id", "value": "1" }), FaultKind::Mutability),
            (json!({ "op": "replace", "path": "owner", "value": "1" }), FaultKind::Path),
        ] {
            assert_eq!(patched(json!([operation])).map_err(|fault| fault.kind), Err(kind), "{operation}");
        }
    }
}
