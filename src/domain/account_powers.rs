//! The rule on who may change whose account, by every way in.
//!
//! `docs/security/account-powers.md` has it as a table, which the tests here compare.

/// A way in by which accounts are changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Way {
    /// The company's directory, by its token.
    Scim,
    /// Signing in through OpenID Connect.
    Oidc,
    /// Signing in through SAML.
    Saml,
    /// A link to sign up or to set a password, and no other credentials.
    Invitation,
    /// A user with the permission `ADMIN`, or an admin token.
    Administrator,
    /// Changes of groups.
    GroupAdministrator,
    /// A program with the permission `ADMIN`.
    ServiceAccount,
    /// The operator on the machine.
    CommandLine,
    /// The policy on inactive users, which a job applies.
    InactivityPolicy,
    /// The person whose account it is.
    Themself,
}

impl Way {
    /// Each of them.
    pub const ALL: [Self; 10] = [
        Self::Scim,
        Self::Oidc,
        Self::Saml,
        Self::Invitation,
        Self::Administrator,
        Self::GroupAdministrator,
        Self::ServiceAccount,
        Self::CommandLine,
        Self::InactivityPolicy,
        Self::Themself,
    ];
}

/// A change of an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Power {
    /// Makes it.
    Create,
    /// Ties it to an identity at a login provider or in a directory.
    Link,
    /// Changes the names that people read.
    Rename,
    /// Changes the address or the name that it signs in with.
    Readdress,
    /// Gives it a role.
    Role,
    /// Puts it into a group, or takes it out.
    Group,
    /// Keeps it out.
    Deactivate,
    /// Lets it in again.
    Revive,
    /// Deletes it.
    Delete,
    /// Sets its password.
    Password,
    /// Makes or deletes its personal tokens.
    Token,
    /// Removes its second factor, or, for one's own, changes it.
    SecondFactor,
}

impl Power {
    /// Each of them.
    pub const ALL: [Self; 12] = [
        Self::Create,
        Self::Link,
        Self::Rename,
        Self::Readdress,
        Self::Role,
        Self::Group,
        Self::Deactivate,
        Self::Revive,
        Self::Delete,
        Self::Password,
        Self::Token,
        Self::SecondFactor,
    ];
}

/// Way in which an account or a group came to a directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// The directory made it.
    Made,
    /// It was there, with no role that a person gave, and the directory wrote to it.
    Found,
    /// A person linked it to the directory.
    Linked,
}

impl Origin {
    /// The name in the store.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Made => "made",
            Self::Found => "found",
            Self::Linked => "linked",
        }
    }

    /// Reads a name. Another one is that of a later version: the least is believed.
    pub fn parse(name: &str) -> Self {
        match name {
            "made" => Self::Made,
            "linked" => Self::Linked,
            _ => Self::Found,
        }
    }
}

/// Standing of an account, as far as the rule asks for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Standing {
    /// Way in which it came to a directory; `None` for one by hand.
    pub origin: Option<Origin>,
    /// Whether it holds what a person gave: a root role above Viewer, a role in a project, or a group that gives a role
    /// and is not the directory's own; or whether it may do everything, wherever that comes from.
    pub has_given_role: bool,
    /// Whether a directory manages it now: it is the directory's, and SCIM is on.
    pub is_kept: bool,
    /// Whether the directory deactivated or deleted it, and not a person.
    pub ended_by_directory: bool,
}

/// Reason why a change is not made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Denial {
    /// The power does not exist in this way in.
    NoPower,
    /// A directory manages the account.
    Kept,
    /// A person gave it a role, and it was never linked to the directory by a person.
    GivenRole,
    /// A person ended it.
    EndedByPerson,
}

impl Denial {
    /// The rule, as a sentence about an account.
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::NoPower => "Accounts are not changed this way.",
            Self::Kept => {
                "A directory keeps this user through SCIM: names, email, whether they may come in, and deletion are changed \
                 there, or here once SCIM is switched off. The role is changed here."
            }
            Self::GivenRole => {
                "This account holds a role that was given by hand: it is changed through SCIM only once an administrator \
                 has linked it to the directory (linkUserToDirectory)."
            }
            Self::EndedByPerson => {
                "An administrator deactivated this account by hand: an administrator lets it in again, or links it to the \
                 directory (linkUserToDirectory)."
            }
        }
    }

    /// The rule, as a sentence about a group.
    pub const fn sentence_on_group(self) -> &'static str {
        match self {
            Self::NoPower | Self::EndedByPerson => "Groups are not changed this way.",
            Self::Kept => {
                "A directory keeps this group through SCIM: its name, its members and its deletion are changed there, or \
                 here once SCIM is switched off. Roles and mappings are changed here."
            }
            Self::GivenRole => {
                "This group was made by hand and gives a role in the whole instance or in a project: it is changed through \
                 SCIM only once an administrator has linked it to the directory (linkGroupToDirectory)."
            }
        }
    }
}

/// Judges a change of an account.
pub const fn judge(way: Way, power: Power, standing: Standing) -> Result<(), Denial> {
    match way {
        Way::Scim => by_directory(power, standing),
        Way::Oidc | Way::Saml => match power {
            Power::Rename if standing.is_kept => Err(Denial::Kept),
            Power::Create | Power::Link | Power::Rename | Power::Group => Ok(()),
            _ => Err(Denial::NoPower),
        },
        Way::Invitation | Way::CommandLine => match power {
            Power::Create | Power::Password => Ok(()),
            Power::SecondFactor if matches!(way, Way::CommandLine) => Ok(()),
            Power::Deactivate if matches!(way, Way::CommandLine) => {
                if standing.is_kept {
                    Err(Denial::Kept)
                } else {
                    Ok(())
                }
            }
            _ => Err(Denial::NoPower),
        },
        Way::Administrator | Way::ServiceAccount => match power {
            Power::Create
            | Power::Link
            | Power::Role
            | Power::Group
            | Power::Password
            | Power::Token
            | Power::SecondFactor => Ok(()),
            // What a person decided, a person takes back.
            Power::Revive if !standing.ended_by_directory => Ok(()),
            Power::Rename | Power::Readdress | Power::Deactivate | Power::Revive | Power::Delete => {
                if standing.is_kept { Err(Denial::Kept) } else { Ok(()) }
            }
        },
        Way::InactivityPolicy => match power {
            Power::Deactivate if standing.is_kept => Err(Denial::Kept),
            Power::Deactivate => Ok(()),
            _ => Err(Denial::NoPower),
        },
        Way::GroupAdministrator => match power {
            Power::Group => Ok(()),
            _ => Err(Denial::NoPower),
        },
        Way::Themself => match power {
            Power::Link | Power::Password | Power::Token | Power::SecondFactor => Ok(()),
            _ => Err(Denial::NoPower),
        },
    }
}

const fn by_directory(power: Power, standing: Standing) -> Result<(), Denial> {
    let is_free = matches!(standing.origin, Some(Origin::Linked)) || !standing.has_given_role;
    let is_made = matches!(standing.origin, Some(Origin::Made));
    match power {
        Power::Revive if !standing.ended_by_directory => Err(Denial::EndedByPerson),
        Power::Link | Power::Readdress if !is_free => Err(Denial::GivenRole),
        Power::Rename | Power::Deactivate | Power::Revive | Power::Delete if !is_free && !is_made => {
            Err(Denial::GivenRole)
        }
        Power::Role | Power::Password | Power::Token | Power::SecondFactor => Err(Denial::NoPower),
        // Who is in its groups is the directory's: what is asked is whether the group is.
        _ => Ok(()),
    }
}

/// Standing of a group, as far as the rule asks for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct GroupStanding {
    /// Way in which it came to a directory; `None` for one by hand.
    pub origin: Option<Origin>,
    /// Whether it holds a role, in the instance or in any project.
    pub holds_role: bool,
    /// Whether a directory manages it now.
    pub is_kept: bool,
}

/// Judges a change of the name or the members of a group, or its deletion.
pub const fn judge_group(way: Way, standing: GroupStanding) -> Result<(), Denial> {
    match way {
        Way::Scim => match (standing.origin, standing.holds_role) {
            (Some(Origin::Made | Origin::Linked), _) | (_, false) => Ok(()),
            (None | Some(Origin::Found), true) => Err(Denial::GivenRole),
        },
        Way::Administrator | Way::GroupAdministrator | Way::ServiceAccount | Way::Oidc | Way::Saml => {
            if standing.is_kept { Err(Denial::Kept) } else { Ok(()) }
        }
        Way::Invitation | Way::CommandLine | Way::InactivityPolicy | Way::Themself => Err(Denial::NoPower),
    }
}

#[cfg(test)]
mod tests;
