//! Filters on users and groups (RFC 7644, section 3.4.2.2): comparisons of the attributes that are kept here, joined by
//! `and`, `or`, `not` and parentheses.

mod comparison;
mod grammar;

#[cfg(test)]
mod tests;

pub use self::comparison::{Order, Test};
use super::{Fault, FaultKind};
use crate::text::is_longer;

/// Most characters of a filter.
const LONGEST: usize = 1000;
/// Most characters of a filter that a refusal repeats.
const SHOWN: usize = 40;

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
    /// The full name of a user.
    Formatted,
    /// The given name of a user.
    GivenName,
    /// The family name of a user.
    FamilyName,
    /// The email of a user.
    Email,
    /// Type of the email: `work`.
    EmailType,
    /// Whether the email is the primary one: it is.
    EmailPrimary,
    /// Whether a user is active.
    Active,
    /// The groups of a user.
    Groups,
    /// The members of a group.
    Members,
    /// When it was created.
    Created,
    /// When it last changed.
    Changed,
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
        let refused = |place: &str, rule: &str| {
            let message = format!("The query parameter `filter` is wrong {place}: {rule}.");
            Fault::new(FaultKind::Filter, message)
        };
        if is_longer(text, LONGEST) {
            return Err(refused("as a whole", "it has at most 1000 characters"));
        }
        grammar::read(kind, text).map_err(|mistake| {
            let (before, rest) = text.split_at(mistake.at);
            let place = before.chars().count() + 1;
            let shown: String = rest.chars().take(SHOWN).collect();
            let near = if shown.is_empty() { "at its end".to_owned() } else { format!("before {shown:?}") };
            refused(&format!("at character {place}, {near}"), &mistake.rule)
        })
    }

    /// Returns the filter for the resource with this id.
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
            (Kind::User, "name.formatted") => Self::Formatted,
            (Kind::User, "name.givenname") => Self::GivenName,
            (Kind::User, "name.familyname") => Self::FamilyName,
            (Kind::User, "emails" | "emails.value") => Self::Email,
            (Kind::User, "emails.type") => Self::EmailType,
            (Kind::User, "emails.primary") => Self::EmailPrimary,
            (Kind::User, "active") => Self::Active,
            (Kind::User, "groups" | "groups.value") => Self::Groups,
            (Kind::Group, "members" | "members.value") => Self::Members,
            _ => return None,
        };
        Some(attribute)
    }

    /// Whether a resource can have several values of it.
    pub const fn has_several(self) -> bool {
        matches!(self, Self::Groups | Self::Members)
    }
}

impl Kind {
    /// The attributes that can be compared, for sentences.
    pub const fn attributes(self) -> &'static str {
        match self {
            Self::User => {
                "`id`, `externalId`, `userName`, `displayName`, `name.formatted`, `name.givenName`, \
                 `name.familyName`, `emails.value`, `emails.type`, `emails.primary`, `active`, `groups.value`, \
                 `meta.created` and `meta.lastModified`"
            }
            Self::Group => "`id`, `externalId`, `displayName`, `members.value`, `meta.created` and `meta.lastModified`",
        }
    }
}
