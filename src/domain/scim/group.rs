//! A group as a directory sees one, and what its patches do.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{
    Fault, FaultKind, MOST_MEMBERS,
    patch::{self, Operation, Step, Verb, member, values},
    path::Comparison,
};

/// A group as a directory sees one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GroupDraft {
    /// Its name.
    pub display_name: String,
    /// Its id there.
    pub external_id: Option<String>,
    /// Ids of the users who are direct members.
    pub members: BTreeSet<i64>,
    /// Ids of the groups that are nested in it.
    pub nested_groups: BTreeSet<i64>,
}

/// Kind of a member of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemberKind {
    /// A user.
    User,
    /// A group, which is nested in the other one.
    Group,
}

impl MemberKind {
    /// The name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::User => "User",
            Self::Group => "Group",
        }
    }

    /// The name of the endpoint where members of this kind are.
    pub const fn endpoint(self) -> &'static str {
        match self {
            Self::User => "Users",
            Self::Group => "Groups",
        }
    }

    fn parse(name: &str) -> Option<Self> {
        [Self::User, Self::Group].into_iter().find(|kind| kind.as_str().eq_ignore_ascii_case(name))
    }

    fn at(endpoint: &str) -> Option<Self> {
        [Self::User, Self::Group].into_iter().find(|kind| kind.endpoint().eq_ignore_ascii_case(endpoint))
    }
}

/// A member as a directory names one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NamedMember {
    id: i64,
    /// Kind of the member; `None` where the directory leaves it open.
    kind: Option<MemberKind>,
}

impl NamedMember {
    /// Reads the `type`, if there is one, and the `value` of a member.
    pub fn parse(kind: Option<&str>, value: &str) -> Result<Self, Fault> {
        let shown: String = value.chars().take(40).collect();
        let refused = |rule: String| Fault::new(FaultKind::Value, format!("members: {rule}"));
        let kind = match kind {
            None => None,
            Some(kind) => Some(MemberKind::parse(kind).ok_or_else(|| {
                let kind: String = kind.chars().take(40).collect();
                refused(format!("{shown:?} is neither a user nor a group but {kind:?}."))
            })?),
        };
        let noun = if kind == Some(MemberKind::Group) { "group" } else { "user" };
        let id = value.parse().map_err(|_| refused(format!("there is no {noun} with the id {shown:?}.")))?;
        Ok(Self { id, kind })
    }
}

/// Puts what `$ref` says in the place of `value` and `type`. A member that says something else as well gets a type that
/// no member has.
pub fn settle(named: &mut Value) {
    let Some(Value::String(place)) = member(named, "$ref") else { return };
    let mut parts = place.trim_end_matches('/').rsplit('/');
    let (id, endpoint) = (parts.next().unwrap_or_default().to_owned(), parts.next().unwrap_or_default());
    let kind = MemberKind::at(endpoint).map_or_else(|| endpoint.to_owned(), |kind| kind.as_str().to_owned());
    let said = match member(named, "value") {
        Some(Value::String(text)) => Some(text.clone()),
        Some(Value::Number(number)) => Some(number.to_string()),
        _ => None,
    };
    let is_other_kind = match member(named, "type") {
        None | Some(Value::Null) => false,
        Some(Value::String(said)) => !said.eq_ignore_ascii_case(&kind),
        Some(_) => return,
    };
    if is_other_kind || said.is_some_and(|said| said != id) {
        return set(named, "type", "another resource than its $ref".to_owned());
    }
    set(named, "value", id);
    set(named, "type", kind);
}

fn set(named: &mut Value, name: &str, text: String) {
    if let Value::Object(members) = named {
        members.retain(|key, _| !key.eq_ignore_ascii_case(name));
        members.insert(name.to_owned(), text.into());
    }
}

impl GroupDraft {
    /// Adds a member: a user, unless it is said to be a group.
    pub fn add(&mut self, named: NamedMember) {
        match named.kind {
            None | Some(MemberKind::User) => self.members.insert(named.id),
            Some(MemberKind::Group) => self.nested_groups.insert(named.id),
        };
    }

    /// Removes a member, if there is one. Users and groups can have the same id: where both are members, the kind is
    /// needed.
    fn remove(&mut self, named: NamedMember) -> Result<(), Fault> {
        let NamedMember { id, kind } = named;
        if kind.is_none() && self.members.contains(&id) && self.nested_groups.contains(&id) {
            let rule = format!("members: both a user and a group with the id {id} are members: say which by `type`.");
            return Err(Fault::new(FaultKind::Value, rule));
        }
        if kind != Some(MemberKind::Group) {
            self.members.remove(&id);
        }
        if kind != Some(MemberKind::User) {
            self.nested_groups.remove(&id);
        }
        Ok(())
    }

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
            if step.verb != Verb::Remove {
                return Err(step.unknown());
            }
            let (kind, value) = chosen(only).ok_or_else(|| step.unknown())?;
            // Nobody is removed whom nobody knows.
            return NamedMember::parse(kind, value).map_or(Ok(()), |named| self.remove(named));
        }
        let named = match &step.value {
            None | Some(Value::Null) => None,
            Some(value) => Some(named_members(value)?),
        };
        if step.verb == Verb::Replace || step.verb == Verb::Remove && named.is_none() {
            self.members.clear();
            self.nested_groups.clear();
        }
        for named in named.unwrap_or_default() {
            match step.verb {
                Verb::Add | Verb::Replace => self.add(named),
                Verb::Remove => self.remove(named)?,
            }
        }
        if self.members.len() > MOST_MEMBERS || self.nested_groups.len() > MOST_MEMBERS {
            return Err(Fault::new(FaultKind::Value, format!("members: a group has at most {MOST_MEMBERS}.")));
        }
        Ok(())
    }
}

/// The `type`, if there is one, and the `value` of the member that a path chooses.
fn chosen(only: &Comparison) -> Option<(Option<&str>, &str)> {
    let (mut kind, mut value, mut next) = (None, None, Some(only));
    while let Some(comparison) = next {
        let place = match comparison.path.attribute.as_str() {
            "type" => &mut kind,
            "value" => &mut value,
            _ => return None,
        };
        if !comparison.path.is_whole() || place.replace(comparison.value.as_str()).is_some() {
            return None;
        }
        next = comparison.and.as_deref();
    }
    Some((kind, value?))
}

fn named_members(value: &Value) -> Result<Vec<NamedMember>, Fault> {
    let refused =
        || Fault::new(FaultKind::Value, "value of members is a list of objects with the id of a member as `value`.");
    let read = |named: &Value| {
        let mut named = named.clone();
        settle(&mut named);
        let kind = match member(&named, "type") {
            None | Some(Value::Null) => None,
            Some(Value::String(kind)) => Some(kind.as_str()),
            Some(_) => return Err(refused()),
        };
        match member(&named, "value") {
            Some(Value::String(text)) => NamedMember::parse(kind, text),
            Some(Value::Number(number)) => NamedMember::parse(kind, &number.to_string()),
            _ => Err(refused()),
        }
    };
    values(value).ok_or_else(refused)?.iter().map(read).collect()
}

#[cfg(test)]
mod tests {
    use poem_openapi::types::ParseFromJSON as _;
    use serde_json::json;

    use super::*;

    fn patched(operations: Value) -> Result<GroupDraft, Fault> {
        let operations = Vec::<Operation>::parse_from_json(Some(operations)).expect("operations");
        let mut draft = GroupDraft {
            display_name: "crew".to_owned(),
            external_id: None,
            members: [1, 2].into(),
            nested_groups: [2, 7].into(),
        };
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
            (
                json!({ "op": "Remove", "path": "members", "value": [{ "value": "2", "type": "User" }, { "value": "9" }] }),
                &[1],
            ),
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
    fn groups_come_and_go_by_their_type_or_their_reference() {
        for (operation, expected) in [
            (json!({ "op": "add", "path": "members", "value": [{ "VALUE": 3, "Type": "group" }] }), &[2, 3, 7][..]),
            (json!({ "op": "add", "path": "members", "value": [{ "$ref": "https://x/scim/Groups/3" }] }), &[2, 3, 7]),
            (
                json!({ "op": "add", "path": "members", "value": [{ "value": "3", "$ref": "../Groups/3/" }] }),
                &[2, 3, 7],
            ),
            (json!({ "op": "replace", "value": { "members": [{ "value": 3, "type": "Group" }] } }), &[3]),
            (json!({ "op": "remove", "path": "members[value eq \"7\"]" }), &[2]),
            (json!({ "op": "remove", "path": "members[value eq \"2\" and type eq \"Group\"]" }), &[7]),
            (json!({ "op": "remove", "path": "members[type eq \"user\" and value eq \"2\"]" }), &[2, 7]),
            (json!({ "op": "remove", "path": "members", "value": [{ "value": 2, "type": "Group" }] }), &[7]),
            (json!({ "op": "remove", "path": "members", "value": [{ "value": 7 }] }), &[2]),
            (json!({ "op": "remove", "path": "members" }), &[]),
        ] {
            let groups: Vec<i64> = patched(json!([operation])).expect("applies").nested_groups.into_iter().collect();
            assert_eq!(groups, expected, "{operation}");
        }
    }

    #[test]
    fn what_is_no_change_of_a_group_is_refused() {
        let many: Vec<Value> = (0..=MOST_MEMBERS).map(|id| json!({ "value": id })).collect();
        for (operation, kind) in [
            (json!({ "op": "add", "path": "members", "value": [{ "value": "x" }] }), FaultKind::Value),
            (json!({ "op": "add", "path": "members", "value": ["1"] }), FaultKind::Value),
            (json!({ "op": "add", "path": "members", "value": "1" }), FaultKind::Value),
            (json!({ "op": "add", "path": "members", "value": many }), FaultKind::Value),
            (json!({ "op": "add", "path": "members", "value": [{ "value": "3", "type": "Thing" }] }), FaultKind::Value),
            (json!({ "op": "remove", "path": "members[value eq \"2\"]" }), FaultKind::Value),
            (json!({ "op": "remove", "path": "members", "value": [{ "value": "2" }] }), FaultKind::Value),
            (json!({ "op": "remove", "path": "members[type eq \"Group\"]" }), FaultKind::Path),
            (json!({ "op": "remove", "path": "members[value eq \"1\" and value eq \"2\"]" }), FaultKind::Path),
            (
                json!({ "op": "add", "path": "members", "value": [{ "value": "3", "type": "group", "$ref": "/Users/3" }] }),
                FaultKind::Value,
            ),
            (
                json!({ "op": "add", "path": "members", "value": [{ "value": "3", "type": "User", "$ref": "/Groups/3" }] }),
                FaultKind::Value,
            ),
            (json!({ "op": "add", "path": "members", "value": [{ "$ref": "/scim/Things/3" }] }), FaultKind::Value),
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
