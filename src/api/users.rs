//! The people who use the instance: listing, making, changing and deleting them.

pub mod access_requests;
pub mod account_policy;
pub mod directory;
pub mod identities;
pub mod passwords;
pub mod person;
pub mod second_factor;
pub mod sessions;
pub mod tokens;

use poem::web::Data;
use poem_openapi::{Object, OpenApi, param::Path};
use serde::Serialize;

use crate::{
    accounts::{self, AccountError, UserChange, UserData},
    api::{
        Tag,
        answer::{Created, Done, EditRefusals, Fails, LookupRefusals, Out, ReadRefusals, RemoveRefusals, refusals},
        author::author,
        body::Body,
        client_address::SentFrom,
        me::profile::RoleBody,
        parameter::UserIdParameter,
        permitted::{Permitted, need},
        roles::choice::RootRoleChoice,
        version::{IfMatchHeader, Versioned},
    },
    changes::{root_role::RootRole, users::missing},
    domain::{account_powers::Origin, password, time::Timestamp, user},
    error::Error,
    state::State,
    store::{
        self,
        access::people::{Account, NewUser},
    },
    wire::Nullable,
};

/// The operations on users.
#[derive(Debug)]
pub struct UsersApi;

/// The operations in this folder and this file.
pub fn operations() -> impl OpenApi {
    (
        UsersApi,
        access_requests::AccessRequestsApi,
        account_policy::AccountPolicyApi,
        directory::UserDirectoryApi,
        identities::IdentitiesApi,
        passwords::UserPasswordsApi,
        second_factor::UserSecondFactorApi,
        sessions::UserSessionsApi,
        tokens::UserTokensApi,
    )
}

refusals! {
    /// Refusals when a user is made.
    NewUserRefusals = 400, 401, 403, 413, 415, 429, 503;
}

/// A user of the instance.
#[serde_with_macros::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Object)]
#[oai(rename = "User", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct UserBody {
    /// Whether this is an API token: neither a user nor a service account.
    #[oai(rename = "isAPI")]
    #[serde(rename = "isAPI")]
    pub is_api: bool,
    /// `User` or `Service Account`. Absent for API tokens.
    pub account_type: Option<String>,
    /// Id of the user; -42 for every admin API token.
    pub id: i64,
    /// Display name. Absent when there is none.
    pub name: Option<String>,
    /// Name to sign in with; the name of an API token. Absent for those who sign in by email only.
    pub username: Option<String>,
    /// Email. Absent when there is none.
    pub email: Option<String>,
    /// Address of the profile image.
    pub image_url: String,
    /// When the user was last active. Absent for users who have never been active, and for API tokens.
    pub seen_at: Option<Timestamp>,
    /// Failed sign-ins since the last good one. Absent for API tokens.
    pub login_attempts: Option<i64>,
    /// Id of the role in the whole instance. Absent in the answer to a sign-in.
    pub root_role: Option<i64>,
    /// When the user was created. Absent for API tokens.
    pub created_at: Option<Timestamp>,
    /// Id of the user in SCIM. Absent for a user whom no directory manages.
    pub scim_id: Option<String>,
    /// True for a user whom an administrator linked to the directory. Absent for everybody else.
    pub scim_linked: Option<bool>,
    /// Id of the directory that the user belongs to (`getScimDirectories`). Absent for the default directory, and for
    /// none.
    pub scim_directory: Option<i64>,
    /// False for a user who is deactivated and cannot sign in. Absent for everybody else.
    pub active: Option<bool>,
    /// True for a user who has a second factor, in the answers of `getUsers` and `getUser`. Absent for everybody else.
    pub second_factor: Option<bool>,
}

impl UserBody {
    /// A person as stored.
    pub fn of(account: Account) -> Self {
        Self {
            is_api: false,
            account_type: Some(account.kind.as_str().to_owned()),
            id: account.id,
            image_url: user::image_url(account.email.as_deref(), account.username.as_deref(), account.id),
            name: account.name,
            username: account.username,
            email: account.email,
            seen_at: account.seen_at,
            login_attempts: Some(account.login_attempts),
            root_role: Some(account.root_role_id),
            created_at: Some(account.created_at),
            scim_id: account.kept.map(|_| account.id.to_string()),
            scim_linked: (account.origin == Some(Origin::Linked)).then_some(true),
            scim_directory: account.directory_id,
            active: account.deactivated_at.map(|_| false),
            second_factor: None,
        }
    }
}

/// The users of the instance.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "Users", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct UsersBody {
    /// The users, by id.
    pub users: Vec<UserBody>,
    /// The roles that a user can have in the whole instance, by id.
    pub root_roles: Vec<RoleBody>,
}

/// A user to create. A user name or an email is needed; an empty text counts as absent.
#[derive(Object)]
#[oai(rename = "CreateUser", rename_all = "camelCase")]
pub struct NewUserBody {
    /// Name to sign in with, unique. At most 255 characters.
    #[oai(validator(max_length = 255))]
    pub username: Option<Nullable<String>>,
    /// Email, unique and case-insensitive; can be used to sign in, too. At most 255 characters, with one
    /// `@` and no blanks.
    #[oai(validator(max_length = 255))]
    pub email: Option<Nullable<String>>,
    /// Display name. At most 255 characters.
    #[oai(validator(max_length = 255))]
    pub name: Option<Nullable<String>>,
    /// Password: 10 to 1000 characters with a lower-case letter, an upper-case letter, a digit and another character.
    /// Common passwords are refused.
    /// Absent: the user sets it with the link in the answer.
    #[oai(validator(max_length = 1000))]
    pub password: Option<Nullable<String>>,
    /// Role in the whole instance: its id, or its name such as `Viewer`.
    pub root_role: RootRoleChoice,
    /// Whether to send the link by email. Ignored, since this server sends no email.
    pub send_email: Option<Nullable<bool>>,
}

opaque_debug!(NewUserBody { .. });

/// A newly created user, and how they sign in.
#[derive(Clone, Serialize, Object)]
#[oai(rename = "InvitedUser", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct InvitedUserBody {
    /// The user.
    #[oai(flatten)]
    #[serde(flatten)]
    pub user: UserBody,
    /// For a user without a password, a link to set one within 7 days, shown only once; otherwise the URL of this
    /// server.
    pub invite_link: String,
    /// Whether the link was sent by email: false.
    pub email_sent: bool,
}

opaque_debug!(InvitedUserBody { user, .. });

/// Changes of a user. What is absent, `null` or empty stays as it is.
#[derive(Debug, Object)]
#[oai(rename = "UserChange", rename_all = "camelCase")]
pub struct UserChangeBody {
    /// Name to sign in with, unique. At most 255 characters.
    #[oai(validator(max_length = 255))]
    pub username: Option<Nullable<String>>,
    /// Email, unique and case-insensitive. At most 255 characters, with one
    /// `@` and no blanks.
    #[oai(validator(max_length = 255))]
    pub email: Option<Nullable<String>>,
    /// Display name. At most 255 characters.
    #[oai(validator(max_length = 255))]
    pub name: Option<Nullable<String>>,
    /// Role in the whole instance: its id, or its name such as `Viewer`.
    pub root_role: Option<RootRoleChoice>,
    /// Whether the user is active. `false` ends their sessions, personal tokens and links, and keeps their roles.
    pub active: Option<Nullable<bool>>,
}

#[OpenApi(tag = "Tag::Users")]
impl UsersApi {
    /// List the users
    ///
    /// All users, and the roles that they can have in the instance.
    #[oai(path = "/api/admin/user-admin", method = "get", operation_id = "getUsers")]
    async fn get_users(
        &self,
        _caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
    ) -> Result<Out<UsersBody>, Fails<ReadRefusals>> {
        let users = store::access::people::list_accounts(&state.db).await?;
        let root_roles = store::users::root_roles(&state.db).await?;
        let owners = store::users::second_factors::owners(&state.db).await?;
        let body = |account: Account| {
            let second_factor = owners.contains(&account.id).then_some(true);
            UserBody { second_factor, ..UserBody::of(account) }
        };
        Ok(Out(UsersBody {
            users: users.into_iter().map(body).collect(),
            root_roles: root_roles.into_iter().map(RoleBody::from).collect(),
        }))
    }

    /// Create a user
    ///
    /// A user without a password sets one with the link in the answer, which is shown only once. Limited to 20 users a
    /// minute from one address.
    #[oai(path = "/api/admin/user-admin", method = "post", operation_id = "createUser")]
    async fn create_user(
        &self,
        SentFrom(address): SentFrom,
        caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        body: Body<NewUserBody>,
    ) -> Result<Created<InvitedUserBody>, Fails<NewUserRefusals>> {
        let body = body.read()?;
        let mut new = NewUser {
            username: filled(body.username),
            email: filled(body.email),
            name: filled(body.name),
            ..NewUser::default()
        };
        accounts::judge_names(&new).map_err(Error::from)?;
        let RootRole { id, name } = body.root_role.chosen();
        let role = store::users::find_root_role(&state.db, id, name).await?;
        new.root_role_id = role.ok_or_else(RootRole::unknown)?.id;
        let password = filled(body.password);
        if let Some(password) = &password {
            password::judge(password).map_err(AccountError::from).map_err(Error::from)?;
        }
        state.attempts.new_user.count(&address.network())?;
        if let Some(password) = &password {
            new.password_hash = Some(state.passwords.hash(password.clone()).await?);
        }
        let (account, secret) = author(&caller, state).create_user(new).await?;
        let base_url = &state.config.base_url;
        let invite_link =
            secret.map_or_else(|| base_url.clone(), |secret| format!("{base_url}/new-user?token={secret}"));
        Ok(Created(InvitedUserBody { user: UserBody::of(account), invite_link, email_sent: false }))
    }

    /// Get a user
    ///
    /// The `ETag` changes with the names and the root role, not with activity of the user.
    #[oai(path = "/api/admin/user-admin/:id", method = "get", operation_id = "getUser")]
    async fn get_user(
        &self,
        _caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        id: Path<UserIdParameter>,
    ) -> Result<Versioned<UserBody>, Fails<LookupRefusals>> {
        let account = find_user(state, &id.0).await?;
        let version = UserData::of(&account).version();
        let factors = store::users::second_factors::list(&state.db, account.id).await?;
        let second_factor = (!factors.is_empty()).then_some(true);
        Ok(Versioned(UserBody { second_factor, ..UserBody::of(account) }, version))
    }

    /// Update a user
    ///
    /// Changes names, root role, and whether the user is active; what is absent stays. The last administrator who can
    /// sign in with a password keeps the role. A request that changes nothing leaves no event. For a user managed by a
    /// directory through SCIM, only the role can be changed here: 403 otherwise while SCIM is on.
    #[oai(path = "/api/admin/user-admin/:id", method = "put", operation_id = "updateUser")]
    async fn update_user(
        &self,
        caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        id: Path<UserIdParameter>,
        #[oai(name = "If-Match")] if_match: IfMatchHeader,
        body: Body<UserChangeBody>,
    ) -> Result<Out<UserBody>, Fails<EditRefusals>> {
        let UserChangeBody { username, email, name, root_role, active } = body.read()?;
        let change = UserChange {
            username: filled(username),
            email: filled(email),
            name: filled(name),
            active: active.and_then(Nullable::into_inner),
            ..UserChange::default()
        };
        let root_role = root_role.as_ref().map(RootRoleChoice::chosen);
        let account = author(&caller, state).update_user(id.0.0, &if_match, change, root_role).await?;
        Ok(Out(UserBody::of(account)))
    }

    /// Delete a user
    ///
    /// Ends the user's sessions and deletes the user's personal tokens, memberships and favourites. The user's events
    /// stay in the log; the user name and email can be used again. The last administrator who can sign in with a
    /// password cannot be deleted, nor, while SCIM is on, a user managed by a directory.
    #[oai(path = "/api/admin/user-admin/:id", method = "delete", operation_id = "deleteUser")]
    async fn delete_user(
        &self,
        caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        id: Path<UserIdParameter>,
        #[oai(name = "If-Match")] if_match: IfMatchHeader,
    ) -> Result<Done, Fails<RemoveRefusals>> {
        author(&caller, state).delete_user(id.0.0, &if_match).await?;
        Ok(Done)
    }
}

/// The person with this id: 404 when there is none.
pub(super) async fn find_user(state: &State, id: &UserIdParameter) -> Result<Account, Error> {
    let account = store::users::find(&state.db, id.0.unwrap_or_default()).await?;
    account.ok_or_else(|| missing(id.0))
}

/// The text, unless it is absent, `null` or empty.
pub(super) fn filled(text: Option<Nullable<String>>) -> Option<String> {
    text.and_then(Nullable::into_inner).filter(|text| !text.is_empty())
}
