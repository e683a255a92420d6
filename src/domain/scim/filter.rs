//! Filters on users and groups (RFC 7644, section 3.4.2.2): comparisons of the attributes that are kept here, joined by
//! `and`, `or`, `not` and parentheses.

mod grammar;

use serde_json::Value;

use super::{Fault, FaultKind};
use crate::domain::{
    text::{has_nul, is_longer},
    time::Timestamp,
};

/// Most characters of a filter.
const LONGEST: usize = 1000;

/// A filter on one kind of resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Filter {
    /// Every one of these holds.
    All(Vec<Self>),
    /// At least one of these holds.
    Any(Vec<Self>),
    /// This does not hold.
    Not(Box<Self>),
    /// An attribute passes a test.
    Is(Attribute, Test),
}

/// An attribute that can be compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attribute {
    /// The id here.
    Id,
    /// The id in the directory.
    ExternalId,
    /// The name of a user in the directory.
    UserName,
    /// The name that people read.
    DisplayName,
    /// The email of a user.
    Email,
    /// Whether a user is active.
    Active,
    /// The members of a group.
    Members,
    /// When it was created.
    Created,
    /// When it last changed.
    Changed,
}

/// A test of an attribute. Texts are compared by the case of ASCII letters only for ids.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Test {
    /// It has a value.
    Present,
    /// It is this text.
    Equals(String),
    /// It contains this text.
    Contains(String),
    /// It starts with this text.
    StartsWith(String),
    /// It ends with this text.
    EndsWith(String),
    /// It is true, or false.
    Truth(bool),
    /// It is before this time.
    Before(Timestamp),
    /// It is this time.
    At(Timestamp),
    /// It is after this time.
    After(Timestamp),
}

/// Kind of resource that a filter is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Users.
    User,
    /// Groups.
    Group,
}

impl Filter {
    /// Reads a filter: at most 1000 characters, 50 comparisons and 10 levels of parentheses.
    pub fn parse(kind: Kind, text: &str) -> Result<Self, Fault> {
        if is_longer(text, LONGEST) {
            return Err(refused(kind));
        }
        grammar::read(kind, text).ok_or_else(|| refused(kind))
    }

    /// The one with this id.
    pub fn of_id(id: &str) -> Self {
        Self::Is(Attribute::Id, Test::Equals(id.to_owned()))
    }

    fn not(self) -> Self {
        Self::Not(Box::new(self))
    }
}

impl Attribute {
    /// The attribute of this name, in lower case, which may have a part: `meta.created`.
    pub fn named(kind: Kind, name: &str) -> Option<Self> {
        let attribute = match (kind, name) {
            (_, "id") => Self::Id,
            (_, "externalid") => Self::ExternalId,
            (_, "displayname") => Self::DisplayName,
            (_, "meta.created") => Self::Created,
            (_, "meta.lastmodified") => Self::Changed,
            (Kind::User, "username") => Self::UserName,
            (Kind::User, "emails" | "emails.value") => Self::Email,
            (Kind::User, "active") => Self::Active,
            (Kind::Group, "members" | "members.value") => Self::Members,
            _ => return None,
        };
        Some(attribute)
    }

    /// Compares the attribute by an operator, in lower case; `None` where they do not fit.
    fn compare(self, operator: &str, value: &Value) -> Option<Filter> {
        let test = match self {
            Self::Active => match (operator, value) {
                ("eq", Value::Bool(truth)) => Test::Truth(*truth),
                ("ne", Value::Bool(truth)) => Test::Truth(!truth),
                _ => return None,
            },
            Self::Created | Self::Changed => return self.compare_time(operator, Timestamp::parse(value.as_str()?)?),
            Self::Id | Self::ExternalId | Self::Members => match operator {
                "eq" => Test::Equals(text(value)?),
                "ne" => return Some(Filter::Is(self, Test::Equals(text(value)?)).not()),
                _ => return None,
            },
            Self::UserName | Self::DisplayName | Self::Email => match operator {
                "eq" => Test::Equals(text(value)?),
                "ne" => return Some(Filter::Is(self, Test::Equals(text(value)?)).not()),
                "co" => Test::Contains(text(value)?),
                "sw" => Test::StartsWith(text(value)?),
                "ew" => Test::EndsWith(text(value)?),
                _ => return None,
            },
        };
        Some(Filter::Is(self, test))
    }

    fn compare_time(self, operator: &str, time: Timestamp) -> Option<Filter> {
        let filter = match operator {
            "eq" => Filter::Is(self, Test::At(time)),
            "ne" => Filter::Is(self, Test::At(time)).not(),
            "lt" => Filter::Is(self, Test::Before(time)),
            "ge" => Filter::Is(self, Test::Before(time)).not(),
            "gt" => Filter::Is(self, Test::After(time)),
            "le" => Filter::Is(self, Test::After(time)).not(),
            _ => return None,
        };
        Some(filter)
    }
}

/// A text to compare with. No text here has a NUL.
fn text(value: &Value) -> Option<String> {
    value.as_str().filter(|text| !has_nul(text)).map(str::to_owned)
}

fn refused(kind: Kind) -> Fault {
    let (more, groups) = match kind {
        Kind::User => (", `userName`, `emails.value` and `active`", ""),
        Kind::Group => ("", " and `members.value`"),
    };
    let message = format!(
        "The query parameter `filter` compares `id`, `externalId`, `displayName`, `meta.created`, \
         `meta.lastModified`{more}{groups} with a value by an operator that fits: `eq`, `ne`, `pr`, for names and emails \
         also `co`, `sw`, `ew`, for times `gt`, `ge`, `lt`, `le`. `and`, `or`, `not (…)` and parentheses join at most 50 \
         comparisons."
    );
    Fault::new(FaultKind::Filter, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user(filter: &str) -> Option<Filter> {
        Filter::parse(Kind::User, filter).ok()
    }

    fn equals(attribute: Attribute, text: &str) -> Filter {
        Filter::Is(attribute, Test::Equals(text.to_owned()))
    }

    #[test]
    fn lookups_of_directories_are_understood() {
        for (filter, attribute) in [
            (r#"userName eq "Ada@x""#, Attribute::UserName),
            (r#"  USERNAME  Eq  "Ada@x"  "#, Attribute::UserName),
            (r#"urn:ietf:params:scim:schemas:core:2.0:User:userName eq "Ada@x""#, Attribute::UserName),
            (r#"externalId eq "Ada@x""#, Attribute::ExternalId),
            (r#"displayName eq "Ada@x""#, Attribute::DisplayName),
            (r#"id eq "Ada@x""#, Attribute::Id),
            (r#"emails.value eq "Ada@x""#, Attribute::Email),
            (r#"emails eq "Ada@x""#, Attribute::Email),
            (r#"(((userName eq "Ada@x")))"#, Attribute::UserName),
        ] {
            assert_eq!(user(filter), Some(equals(attribute, "Ada@x")), "{filter}");
        }
        let group = |filter| Filter::parse(Kind::Group, filter).ok();
        assert_eq!(group(r#"displayName eq "a \"b\"""#), Some(equals(Attribute::DisplayName, "a \"b\"")));
        assert_eq!(group(r#"members[value eq "7"]"#), group(r#"members.value eq "7" and members pr"#));
        assert_eq!(group(r#"members[value eq "7" and value eq "8"]"#), None);
    }

    #[test]
    fn and_binds_before_or_and_not_before_both() {
        let [a, b, c] = ["a", "b", "c"].map(|name| equals(Attribute::Id, name));
        for (filter, expected) in [
            (
                r#"id eq "a" or id eq "b" and id eq "c""#,
                Filter::Any(vec![a.clone(), Filter::All(vec![b.clone(), c.clone()])]),
            ),
            (
                r#"(id eq "a" OR id eq "b") AND id eq "c""#,
                Filter::All(vec![Filter::Any(vec![a.clone(), b.clone()]), c.clone()]),
            ),
            (r#"not (id eq "a") and id ne "b""#, Filter::All(vec![a.not(), b.not()])),
        ] {
            assert_eq!(user(filter), Some(expected), "{filter}");
        }
    }

    #[test]
    fn the_one_email_is_the_primary_one_for_work() {
        let [present, is_ada] = [Filter::Is(Attribute::Email, Test::Present), equals(Attribute::Email, "ada@x")];
        for (filter, inner) in [
            (r#"emails[type eq "work"]"#, present.clone()),
            (r#"emails[type ne "WORK"]"#, present.clone().not()),
            (r#"emails[primary eq true and value eq "ada@x"]"#, Filter::All(vec![present.clone(), is_ada.clone()])),
            (r#"emails[type eq "home"]"#, Filter::Any(Vec::new())),
        ] {
            assert_eq!(user(filter), Some(Filter::All(vec![inner, present.clone()])), "{filter}");
        }
        let chosen = Filter::All(vec![present.clone(), is_ada]);
        assert_eq!(user(r#"emails[type eq "work"].value eq "ada@x""#), Some(chosen));
        assert_eq!(user("emails.primary eq true"), Some(present));
    }

    #[test]
    fn every_other_filter_is_refused() {
        let long = format!("userName eq \"{}\"", "x".repeat(2000));
        let deep = format!("{}id pr{}", "(".repeat(11), ")".repeat(11));
        let many = vec!["id pr"; 51].join(" or ");
        for filter in [
            "",
            "userName",
            "userName eq",
            "userName eq x",
            "userName eq 'x'",
            "userName eq 7",
            r#"userName gt "x""#,
            r#"externalId co "x""#,
            r#"title eq "x""#,
            r#"active eq "true""#,
            r#"meta.created gt "yesterday""#,
            r#"meta.created co "2026""#,
            r#"members.value eq "7""#,
            r#"not id eq "x""#,
            r#"id eq "x" and"#,
            r#"and id eq "x""#,
            r#"(id eq "x""#,
            r#"id eq "x")"#,
            r#"id eq "x" id eq "y""#,
            r#"emails[type eq "work"].display eq "x""#,
            r#"emails[id eq "7"]"#,
            "emails[]",
            "name[formatted pr]",
            r#"userName eq "x\u0000""#,
            "userName eq \"x",
            "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department pr",
            &long,
            &deep,
            &many,
        ] {
            assert_eq!(user(filter), None, "{filter}");
        }
        assert!(Filter::parse(Kind::Group, r#"userName eq "x""#).is_err());
        assert_eq!(Filter::parse(Kind::Group, "").map_err(|fault| fault.kind), Err(FaultKind::Filter));
    }
}
