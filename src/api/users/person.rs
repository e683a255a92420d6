//! People and programs as lists of members show them.

use poem_openapi::Object;
use serde::Serialize;

use crate::{
    domain::{time::Timestamp, user},
    store::access::people::Account,
    wire::Nullable,
};

/// A member.
#[serde_with_macros::skip_serializing_none]
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "Person", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct PersonBody {
    /// Always false: no API token is a member.
    #[oai(rename = "isAPI")]
    #[serde(rename = "isAPI")]
    pub is_api: bool,
    /// `User` or `Service Account`.
    pub account_type: String,
    /// Id of the user.
    pub id: i64,
    /// Display name. Absent when there is none.
    pub name: Option<String>,
    /// Name to sign in with. Absent for those who sign in by email only.
    pub username: Option<String>,
    /// Email. Absent when there is none.
    pub email: Option<String>,
    /// Address of the profile image.
    pub image_url: String,
    /// Id of the role in the whole instance.
    pub root_role: i64,
    /// When the user was last active; `null` for never.
    pub seen_at: Nullable<Timestamp>,
    /// When the user was created.
    pub created_at: Timestamp,
}

impl From<Account> for PersonBody {
    fn from(account: Account) -> Self {
        Self {
            is_api: false,
            account_type: account.kind.as_str().to_owned(),
            id: account.id,
            image_url: user::image_url(account.email.as_deref(), account.username.as_deref(), account.id),
            name: account.name,
            username: account.username,
            email: account.email,
            root_role: account.root_role_id,
            seen_at: account.seen_at.into(),
            created_at: account.created_at,
        }
    }
}

/// A user who can be given roles.
#[serde_with_macros::skip_serializing_none]
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "UserEntry", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct UserEntryBody {
    /// Id of the user.
    pub id: i64,
    /// `User` or `Service Account`.
    pub account_type: String,
    /// Display name. Absent when there is none.
    pub name: Option<String>,
    /// Name to sign in with. Absent for those who sign in by email only.
    pub username: Option<String>,
    /// Email. Absent when there is none.
    pub email: Option<String>,
    /// Address of the profile image.
    pub image_url: String,
    /// Id of the role in the whole instance.
    pub root_role: i64,
}

impl From<Account> for UserEntryBody {
    fn from(account: Account) -> Self {
        Self {
            id: account.id,
            account_type: account.kind.as_str().to_owned(),
            image_url: user::image_url(account.email.as_deref(), account.username.as_deref(), account.id),
            name: account.name,
            username: account.username,
            email: account.email,
            root_role: account.root_role_id,
        }
    }
}
