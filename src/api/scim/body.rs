//! Users and groups as directories send and get them.

use poem_openapi::Object;
use serde::Serialize;

use super::{directory::Directory, reference::ReferenceBody};
use crate::{
    accounts::kept_users,
    changes::scim::Versions,
    domain::{
        scim::{
            Fault,
            group::{GroupDraft, NamedMember},
            patch::Operation,
            person::{KnownEmail, UserDraft, main_email},
        },
        time::Timestamp,
        version::Version,
    },
    store::{
        access::people::Account,
        scim::{Belonging, GroupRow, Member},
    },
};

/// The schema of users.
pub const USER_SCHEMA: &str = "urn:ietf:params:scim:schemas:core:2.0:User";
/// The schema of groups.
pub const GROUP_SCHEMA: &str = "urn:ietf:params:scim:schemas:core:2.0:Group";
/// The schema of lists.
pub const LIST_SCHEMA: &str = "urn:ietf:params:scim:api:messages:2.0:ListResponse";

/// The parts of a user's name.
#[serde_with_macros::skip_serializing_none]
#[derive(Debug, Clone, Default, Serialize, Object)]
#[oai(rename = "ScimName", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct NameBody {
    /// The full name. At most 255 characters.
    #[oai(validator(max_length = 255))]
    pub formatted: Option<String>,
    /// The given name. At most 255 characters.
    #[oai(validator(max_length = 255))]
    pub given_name: Option<String>,
    /// The family name. At most 255 characters.
    #[oai(validator(max_length = 255))]
    pub family_name: Option<String>,
}

/// An email of a user.
#[serde_with_macros::skip_serializing_none]
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "ScimEmail", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct EmailBody {
    /// The address. At most 255 characters.
    #[oai(validator(max_length = 255))]
    pub value: String,
    /// Type, always `work` in answers. At most 255 characters.
    #[oai(validator(max_length = 255))]
    pub r#type: Option<String>,
    /// Whether it is the primary one.
    pub primary: Option<bool>,
}

/// Metadata of a resource.
#[serde_with_macros::skip_serializing_none]
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "ScimMeta", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct MetaBody {
    /// Type of the resource: `User`, `Group` and so on.
    pub resource_type: String,
    /// When it was created. Absent for built-in resources.
    pub created: Option<Timestamp>,
    /// When it last changed. Absent for built-in resources.
    pub last_modified: Option<Timestamp>,
    /// URL of the resource.
    pub location: String,
    /// Version of the resource, as in the header `ETag`. Absent for built-in resources, and in lists without members or
    /// groups.
    pub version: Option<String>,
}

/// A user for a directory to create or replace. Other attributes are ignored.
#[derive(Debug, Object)]
#[oai(rename = "ScimUserContent", rename_all = "camelCase")]
pub struct UserContentBody {
    /// User name in the directory, unique and case-insensitive. An email address here counts as the email. At most 255
    /// characters.
    #[oai(validator(min_length = 1, max_length = 255))]
    pub user_name: String,
    /// Id of the user in the directory. At most 255 characters.
    #[oai(validator(max_length = 255))]
    pub external_id: Option<String>,
    /// Display name. Absent: the full name, or the other two. At most 255 characters.
    #[oai(validator(max_length = 255))]
    pub display_name: Option<String>,
    /// The parts of the name.
    pub name: Option<NameBody>,
    /// Whether the user is active. Absent: true for a new user, otherwise as it is.
    pub active: Option<bool>,
    /// Emails, at most 100. One is stored: the primary one, else one of type `work`, else the first.
    #[oai(validator(max_items = 100))]
    pub emails: Option<Vec<EmailBody>>,
}

impl UserContentBody {
    /// The user in the body; `is_active` where the body lacks it.
    pub fn draft(self, is_active: bool) -> UserDraft {
        let filled = |text: Option<String>| text.filter(|text| !text.is_empty());
        let name = self.name.unwrap_or_default();
        let known = |email: EmailBody| KnownEmail {
            value: email.value,
            kind: email.r#type,
            is_primary: email.primary == Some(true),
        };
        let emails = self.emails.unwrap_or_default().into_iter().map(known).collect();
        let mut draft = UserDraft {
            user_name: self.user_name,
            external_id: filled(self.external_id),
            display_name: filled(self.display_name),
            formatted: filled(name.formatted),
            given_name: filled(name.given_name),
            family_name: filled(name.family_name),
            email: filled(main_email(emails)),
            is_active: self.active.unwrap_or(is_active),
        };
        if draft.display_name.is_none() {
            draft.display_name = draft.composed_name();
        }
        draft
    }
}

/// A user as returned to directories. `attributes` and `excludedAttributes` limit its attributes.
#[serde_with_macros::skip_serializing_none]
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "ScimUser", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct UserBody {
    /// The schema of users.
    pub schemas: Vec<String>,
    /// Id of the user.
    pub id: String,
    /// Id of the user in the directory. Absent when it sent none.
    pub external_id: Option<String>,
    /// User name in the directory; for a user whom the directory does not manage yet, the email, else the user name.
    pub user_name: Option<String>,
    /// The parts of the name. Absent where none is known.
    pub name: Option<NameBody>,
    /// Display name. Absent when there is none.
    pub display_name: Option<String>,
    /// Whether the user is active.
    pub active: Option<bool>,
    /// The email. Absent when there is none.
    pub emails: Option<Vec<EmailBody>>,
    /// The groups of the user, also those in which one of them is nested, by id. Absent when there are none.
    pub groups: Option<Vec<ReferenceBody>>,
    /// Metadata of the user.
    pub meta: Option<MetaBody>,
}

impl UserBody {
    /// A user with their groups.
    pub fn of(account: &Account, groups: Option<Vec<Belonging>>, directory: &Directory) -> Self {
        let draft = kept_users::draft_of(account);
        let name =
            NameBody { formatted: draft.formatted, given_name: draft.given_name, family_name: draft.family_name };
        let has_name = name.formatted.is_some() || name.given_name.is_some() || name.family_name.is_some();
        let email = |value| vec![EmailBody { value, r#type: Some("work".to_owned()), primary: Some(true) }];
        Self {
            schemas: vec![USER_SCHEMA.to_owned()],
            id: account.id.to_string(),
            external_id: draft.external_id,
            user_name: Some(draft.user_name),
            name: Some(name).filter(|_| has_name),
            display_name: draft.display_name,
            active: Some(draft.is_active),
            emails: draft.email.map(email),
            groups: groups
                .map(|groups| groups.into_iter().map(|group| ReferenceBody::of_group(group, directory)).collect()),
            meta: Some(MetaBody {
                resource_type: "User".to_owned(),
                created: Some(account.created_at),
                last_modified: Some(account.changed_at.unwrap_or(account.created_at)),
                location: directory.place(&format!("Users/{}", account.id)),
                version: None,
            }),
        }
    }

    /// Version of a user who is shown with all attributes.
    pub fn version(&self) -> Version {
        Version::of(self)
    }

    /// Returns the user with its version.
    #[must_use]
    pub fn versioned(mut self) -> Self {
        let version = self.version();
        tell(&mut self.meta, version);
        self
    }
}

impl Versions for Directory {
    fn of_user(&self, account: &Account, groups: Option<Vec<Belonging>>) -> Version {
        UserBody::of(account, groups, self).version()
    }

    fn of_group(&self, group: GroupRow, members: Option<Vec<Member>>) -> Version {
        GroupBody::of(group, members, self).version()
    }
}

fn tell(meta: &mut Option<MetaBody>, version: Version) {
    if let Some(meta) = meta {
        meta.version = Some(version.entity_tag());
    }
}

/// A member of a group.
#[derive(Debug, Object)]
#[oai(rename = "ScimMember", rename_all = "camelCase")]
pub struct MemberBody {
    /// Id of the user or group. At most 255 characters.
    #[oai(validator(max_length = 255))]
    pub value: String,
    /// Type of the member: `User` or `Group`, case-insensitive. Absent: what its `$ref` says, else a user. At most 255
    /// characters.
    #[oai(validator(max_length = 255))]
    pub r#type: Option<String>,
}

/// A group for a directory to create or replace. Other attributes are ignored.
#[derive(Debug, Object)]
#[oai(rename = "ScimGroupContent", rename_all = "camelCase")]
pub struct GroupContentBody {
    /// Unique name, 1 to 255 characters, not only blanks.
    #[oai(validator(min_length = 1, max_length = 255))]
    pub display_name: String,
    /// Id of the group in the directory. At most 255 characters.
    #[oai(validator(max_length = 255))]
    pub external_id: Option<String>,
    /// The members, at most 5000. Absent: none.
    #[oai(validator(max_items = 5000))]
    pub members: Option<Vec<MemberBody>>,
}

impl GroupContentBody {
    /// The group in the body.
    pub fn draft(self) -> Result<GroupDraft, Fault> {
        let mut draft = GroupDraft {
            display_name: self.display_name,
            external_id: self.external_id.filter(|id| !id.is_empty()),
            ..GroupDraft::default()
        };
        for member in self.members.unwrap_or_default() {
            draft.add(NamedMember::parse(member.r#type.as_deref(), &member.value)?);
        }
        Ok(draft)
    }
}

/// A group as returned to directories. `attributes` and `excludedAttributes` limit its attributes.
#[serde_with_macros::skip_serializing_none]
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "ScimGroup", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct GroupBody {
    /// The schema of groups.
    pub schemas: Vec<String>,
    /// Id of the group.
    pub id: String,
    /// Id of the group in the directory. Absent when it sent none.
    pub external_id: Option<String>,
    /// Unique name.
    pub display_name: Option<String>,
    /// The direct members of the group: users by id, then groups by id. Absent when there are none.
    pub members: Option<Vec<ReferenceBody>>,
    /// Metadata of the group.
    pub meta: Option<MetaBody>,
}

impl GroupBody {
    /// A group with its members.
    pub fn of(group: GroupRow, members: Option<Vec<Member>>, directory: &Directory) -> Self {
        Self {
            schemas: vec![GROUP_SCHEMA.to_owned()],
            external_id: group.kept.and_then(|kept| kept.external_id),
            display_name: Some(group.name),
            members: members
                .map(|all| all.into_iter().map(|member| ReferenceBody::of_member(member, directory)).collect()),
            meta: Some(MetaBody {
                resource_type: "Group".to_owned(),
                created: Some(group.created_at),
                last_modified: Some(group.changed_at.unwrap_or(group.created_at)),
                location: directory.place(&format!("Groups/{}", group.id)),
                version: None,
            }),
            id: group.id.to_string(),
        }
    }

    /// Version of a group that is shown with all attributes.
    pub fn version(&self) -> Version {
        Version::of(self)
    }

    /// Returns the group with its version.
    #[must_use]
    pub fn versioned(mut self) -> Self {
        let version = self.version();
        tell(&mut self.meta, version);
        self
    }
}

/// Changes of a user or a group, applied in order, all or none.
#[derive(Debug, Object)]
#[oai(rename = "ScimPatch")]
pub struct PatchBody {
    /// The changes, 1 to 1000.
    #[oai(rename = "Operations", validator(min_items = 1, max_items = 1000))]
    pub operations: Vec<Operation>,
}
