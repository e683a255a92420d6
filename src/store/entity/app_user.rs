//! Rows of `app_user`.

use flagstone_domain::time::Timestamp;
use sea_orm::entity::prelude::*;

/// A person, a program that has an account of its own, or one of the accounts in whose name the system acts.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "app_user")]
pub struct Model {
    /// Id of the user; negative for system accounts.
    #[sea_orm(primary_key)]
    pub id: i64,
    /// Name to sign in with; unique among those who are not deleted.
    pub username: Option<String>,
    /// Address, also good to sign in with; unique among those who are not deleted.
    pub email: Option<String>,
    /// Display name.
    pub name: Option<String>,
    /// Hash of the password; `None` when there is none to sign in with.
    pub password_hash: Option<String>,
    /// The user's root role.
    pub root_role_id: i64,
    /// Whether the system acts in its name.
    pub is_system: bool,
    /// Whether a program acts in its name, which never signs in.
    pub is_service: bool,
    /// Failed sign-ins since the last good one.
    pub login_attempts: i64,
    /// When the user was created.
    pub created_at: Timestamp,
    /// When the user was last active.
    pub seen_at: Option<Timestamp>,
    /// When the user was deleted; the row stays for those that name it.
    pub deleted_at: Option<Timestamp>,
    /// The name that a directory calls the user by, in lower case; unique among those who are not deleted, and absent
    /// for whom no directory keeps.
    pub scim_key: Option<String>,
    /// The id there.
    pub scim_external_id: Option<String>,
    /// JSON object of the names there.
    #[sea_orm(column_type = "Text", nullable)]
    pub scim_names: Option<String>,
    /// Since when the user may not come in.
    pub deactivated_at: Option<Timestamp>,
    /// When the user was last let in again after that; absent for never.
    pub activated_at: Option<Timestamp>,
    /// When the names or the like last changed; absent for never.
    pub changed_at: Option<Timestamp>,
    /// Way in which the account came to a directory: `made`, `found` or `linked`; absent for one by hand.
    pub scim_origin: Option<String>,
    /// Id of the directory that the user belongs to; absent for the default one, and for none.
    pub scim_directory_id: Option<i64>,
    /// Whether the directory deactivated or deleted it, and not a person.
    pub ended_by_directory: bool,
    /// End of the time in which a new identity with the user's email may replace the identities that the user has;
    /// absent for never.
    pub relinked_until: Option<Timestamp>,
    /// Protocol of these identities.
    pub relinked_provider: Option<String>,
    /// Whether the root role is the default of new users, and none that a person gave.
    pub has_newcomer_role: bool,
}

/// None: the queries of the store spell out their joins.
#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
