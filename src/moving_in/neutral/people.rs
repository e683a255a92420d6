//! People, what they may do, and tokens.

use flagstone_domain::{
    banner::{Content, Fault, Variant, Wanted},
    opaque_debug,
    sign_in_log::{Entry, Method, Outcome},
    time::Timestamp,
};
use flagstone_wire::Nullable;
use serde::{Deserialize, Serialize};

/// Kind of role.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RoleKind {
    /// For the whole instance.
    #[default]
    Root,
    /// For single projects.
    Project,
}

/// A role.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Role {
    /// Id, which users and groups name.
    pub id: i64,
    /// Name.
    pub name: String,
    /// Kind of role.
    pub kind: RoleKind,
    /// Whether it came with the product. One of the same name and kind here stands for it.
    pub built_in: bool,
    /// Words about it.
    pub description: String,
    /// Permissions that it grants.
    pub grants: Vec<RoleGrant>,
}

/// Permission that a role grants.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RoleGrant {
    /// Name of the permission.
    pub permission: String,
    /// Environment that it is for; `None` is all.
    pub environment: Option<String>,
}

/// A person.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct User {
    /// Id, which events and much else name.
    pub id: i64,
    /// Whether it is a program's account, which never signs in.
    pub is_service: bool,
    /// Name to sign in with.
    pub username: Option<String>,
    /// Address, also good to sign in with.
    pub email: Option<String>,
    /// Display name.
    pub name: Option<String>,
    /// Hash of the password, of a kind that can be checked here.
    pub password_hash: Option<String>,
    /// Id of the role in the whole instance; `None` is that which may least.
    pub root_role: Option<i64>,
    /// Failed sign-ins since the last good one.
    pub login_attempts: i64,
    /// When the user was made.
    pub created_at: Option<Timestamp>,
    /// When the user was last active.
    pub seen_at: Option<Timestamp>,
    /// When the user was deleted.
    pub deleted_at: Option<Timestamp>,
}

opaque_debug!(User { id, .. });

/// A group of people.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Group {
    /// Id, which roles in projects name.
    pub id: i64,
    /// Name.
    pub name: String,
    /// Free text.
    pub description: Option<String>,
    /// Groups of a login provider that feed it.
    pub mappings_sso: Vec<String>,
    /// Id of a role that every member has in the whole instance.
    pub root_role: Option<i64>,
    /// When it was created.
    pub created_at: Option<Timestamp>,
    /// Name of the maker.
    pub created_by: Option<String>,
    /// Members of the group.
    pub members: Vec<Member>,
}

/// A member of a group.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Member {
    /// Id of the user.
    pub user: i64,
    /// When the user joined.
    pub created_at: Option<Timestamp>,
}

/// Holder of a role.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Holder {
    /// The user with this id.
    User(i64),
    /// All members of the group with this id.
    Group(i64),
}

/// A role in a project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProjectRole {
    /// Id of the project.
    pub project: String,
    /// Holder of the role.
    pub holder: Holder,
    /// Id of the role.
    pub role: i64,
    /// When it was given.
    pub created_at: Option<Timestamp>,
}

/// Mark of a user on a feature or a project.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Favorite {
    /// Id of the user.
    pub user: i64,
    /// Name of the feature, if it is one.
    pub feature: Option<String>,
    /// Id of the project, if it is one.
    pub project: Option<String>,
    /// When it was marked.
    pub created_at: Option<Timestamp>,
}

/// A token of a program.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ApiToken {
    /// Digest of the secret: SHA-256 in hexadecimal digits.
    pub secret_hash: String,
    /// Digest of a second secret for the same token.
    pub alias_hash: Option<String>,
    /// Name of the holder.
    pub name: String,
    /// `admin`, `client`, `backend` (the same) or `frontend`.
    pub kind: String,
    /// Environment that it reaches; `None` is all.
    pub environment: Option<String>,
    /// Ids of projects that it reaches; none or `*` is all.
    pub projects: Vec<String>,
    /// When it was created.
    pub created_at: Option<Timestamp>,
    /// When it stops working.
    pub expires_at: Option<Timestamp>,
    /// When it was last used.
    pub seen_at: Option<Timestamp>,
}

/// A token with which a program acts as a person.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PersonalToken {
    /// Id of the token.
    pub id: i64,
    /// Id of the user.
    pub user: i64,
    /// Its description.
    pub description: String,
    /// Digest of the secret.
    pub secret_hash: String,
    /// When it stops working.
    pub expires_at: Timestamp,
    /// When it was created.
    pub created_at: Option<Timestamp>,
    /// When it was last used.
    pub seen_at: Option<Timestamp>,
}

/// A link with which people become users.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SignupLink {
    /// Digest of the secret.
    pub secret_hash: String,
    /// Name of the link.
    pub name: String,
    /// Whether it can be used.
    pub enabled: bool,
    /// When it stops working.
    pub expires_at: Timestamp,
    /// When it was created.
    pub created_at: Option<Timestamp>,
    /// Name of the maker.
    pub created_by: Option<String>,
    /// Ids of those who came through it.
    pub users: Vec<i64>,
}

/// Answer of a user to a question of the console.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Feedback {
    /// Id of the user.
    pub user: i64,
    /// Id of the question.
    pub feedback: String,
    /// Whether the user does not want to be asked again.
    pub never_show: bool,
    /// When it was given.
    pub given_at: Option<Timestamp>,
}

/// A banner above every page.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Banner {
    /// Message of the banner.
    pub message: String,
    /// Whether it is shown.
    pub enabled: bool,
    /// Urgency.
    pub variant: Option<String>,
    /// Whether it stays in sight.
    pub sticky: bool,
    /// Name of a symbol.
    pub icon: Option<String>,
    /// Address of its link.
    pub link: Option<String>,
    /// Text of its link.
    pub link_text: Option<String>,
    /// Title of its dialog.
    pub dialog_title: Option<String>,
    /// Text of its dialog.
    pub dialog: Option<String>,
    /// When it was created.
    pub created_at: Option<Timestamp>,
}

impl Banner {
    /// Returns the content of the banner here, if it can be one.
    pub fn content(&self) -> Result<Content, Fault> {
        let text = |text: &Option<String>| Some(Nullable(text.clone()));
        Content::admit(Wanted {
            message: self.message.clone(),
            enabled: Some(self.enabled),
            variant: self.variant.as_deref().and_then(Variant::parse),
            sticky: Some(self.sticky),
            icon: text(&self.icon),
            link: text(&self.link),
            link_text: text(&self.link_text),
            dialog_title: text(&self.dialog_title),
            dialog: text(&self.dialog),
        })
    }
}

/// Attempt to sign in and its outcome.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SignIn {
    /// When.
    pub at: Timestamp,
    /// Way of signing in, as the other server calls it.
    pub method: String,
    /// Identity that was claimed.
    pub subject: String,
    /// Whether the attempt succeeded.
    pub successful: bool,
    /// Address that it came from.
    pub address: Option<String>,
    /// Reason of the failure.
    pub reason: Option<String>,
}

impl SignIn {
    /// Returns the entry of the log here; nothing for a way of signing in that does not exist here.
    pub fn entry(&self) -> Option<Entry> {
        // Google speaks OpenID Connect.
        let method = if self.method == "google" { Method::Oidc } else { Method::parse(&self.method)? };
        let outcome = if self.successful { Outcome::SignedIn } else { Outcome::Refused };
        let entry = Entry {
            subject: Some(self.subject.clone()),
            address: self.address.clone(),
            reason: self.reason.clone().filter(|_| !self.successful),
            ..Entry::new(self.at, method, outcome)
        };
        Some(entry.bounded())
    }
}
