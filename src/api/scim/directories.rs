//! Directories with a name and a token of their own, in addition to the default one.

use poem::web::Data;
use poem_openapi::{Object, OpenApi, param::Path};
use serde::Serialize;

use super::settings::ScimTokenBody;
use crate::{
    api::{
        Tag,
        answer::{ActRefusals, Created, Fails, Out, ReadRefusals},
        author::author,
        body::Body,
        groups::NameRefusals,
        permitted::{Permitted, need},
    },
    domain::{scim::directory::DirectoryDocument, time::Timestamp},
    state::State,
    store::{
        self,
        scim::directories::{Released, StoredDirectory},
    },
    wire::Nullable,
};

/// The operations on directories.
#[derive(Debug)]
pub struct ScimDirectoriesApi;

/// Name of a directory to create.
#[derive(Debug, Clone, Object)]
#[oai(rename = "ScimDirectoryContent")]
pub struct DirectoryContentBody {
    /// Unique name, 1 to 100 characters, not only blanks.
    #[oai(validator(min_length = 1, max_length = 100, pattern = r"\S"))]
    pub name: String,
}

/// A directory with its use.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "ScimDirectoryEntry", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct DirectoryEntryBody {
    /// The directory.
    pub directory: DirectoryDocument,
    /// When its token was last used, a few seconds late; `null` for never.
    pub last_used_at: Nullable<Timestamp>,
    /// Number of users who belong to it, deleted ones left out.
    pub user_count: i64,
    /// Number of groups that belong to it.
    pub group_count: i64,
}

/// The directories in addition to the default one.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "ScimDirectories")]
pub struct DirectoriesBody {
    /// The directories, by id.
    pub directories: Vec<DirectoryEntryBody>,
}

/// A directory that was created, with its token.
#[derive(Clone, Serialize, Object)]
#[oai(rename = "ScimDirectoryCreated")]
pub struct CreatedDirectoryBody {
    /// The directory.
    pub directory: DirectoryDocument,
    /// Its token, shown this once.
    pub token: String,
}

opaque_debug!(CreatedDirectoryBody { directory, .. });

/// Numbers of users and groups that belonged to a deleted directory and stay.
#[derive(Debug, Clone, Copy, Serialize, Object)]
#[oai(rename = "ScimDirectoryDeleted", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct DeletedDirectoryBody {
    /// Number of users who stay.
    pub kept_users: usize,
    /// Number of groups that stay.
    pub kept_groups: usize,
}

impl From<StoredDirectory> for DirectoryEntryBody {
    fn from(stored: StoredDirectory) -> Self {
        Self {
            directory: stored.document,
            last_used_at: stored.last_used_at.into(),
            user_count: stored.users,
            group_count: stored.groups,
        }
    }
}

#[OpenApi(tag = "Tag::Scim")]
impl ScimDirectoriesApi {
    /// List the SCIM directories
    ///
    /// Lists the directories in addition to the default one, without their tokens. The settings of the default
    /// directory are those of `getScimSettings`. An operation of this server, which Unleash does not have.
    #[oai(path = "/api/admin/scim-settings/directories", method = "get", operation_id = "getScimDirectories")]
    async fn get_scim_directories(
        &self,
        _caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
    ) -> Result<Out<DirectoriesBody>, Fails<ReadRefusals>> {
        let stored = store::scim::directories::list(&state.db).await?;
        Ok(Out(DirectoriesBody { directories: stored.into_iter().map(DirectoryEntryBody::from).collect() }))
    }

    /// Create a SCIM directory
    ///
    /// Creates a directory with a token of its own, which is shown only once; its digest is stored. It sees and changes
    /// the users and groups that it creates, and those that are linked to it (`linkUserToDirectory`,
    /// `linkGroupToDirectory`); all others are 404 for it, and their names are 409. It
    /// adopts no existing users or groups by itself. Its events have `scim: ` and its name as their creator. At most 50 directories; a name that is taken is 409. An
    /// operation of this server, which Unleash does not have.
    #[oai(path = "/api/admin/scim-settings/directories", method = "post", operation_id = "createScimDirectory")]
    async fn create_scim_directory(
        &self,
        caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        body: Body<DirectoryContentBody>,
    ) -> Result<Created<CreatedDirectoryBody>, Fails<NameRefusals>> {
        let name = body.read()?.name;
        let (directory, token) = author(&caller, state).create_scim_directory(&name).await?;
        Ok(Created(CreatedDirectoryBody { directory, token }))
    }

    /// Generate a token of a SCIM directory
    ///
    /// The token is shown only once; its digest is stored. The previous token of the directory stops working at once.
    /// An operation of this server, which Unleash does not have.
    #[oai(
        path = "/api/admin/scim-settings/directories/:directoryId/generate-new-token",
        method = "post",
        operation_id = "generateScimDirectoryToken"
    )]
    async fn generate_scim_directory_token(
        &self,
        caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        #[oai(name = "directoryId")] directory_id: Path<i64>,
    ) -> Result<Out<ScimTokenBody>, Fails<ActRefusals>> {
        let token = author(&caller, state).rotate_scim_directory_token(directory_id.0).await?;
        Ok(Out(ScimTokenBody { token }))
    }

    /// Delete a SCIM directory
    ///
    /// Its token stops working at once. Its users and groups stay with their roles, as if they were created here: no
    /// directory keeps them up to date any more, they are changed here again, and the default directory can find and
    /// adopt them. Users whom it deactivated stay deactivated. Its groups keep all of their people as direct members,
    /// and are no longer nested. The event has the ids of these users and groups. An operation of this server, which
    /// Unleash does not have.
    #[oai(
        path = "/api/admin/scim-settings/directories/:directoryId",
        method = "delete",
        operation_id = "deleteScimDirectory"
    )]
    async fn delete_scim_directory(
        &self,
        caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        #[oai(name = "directoryId")] directory_id: Path<i64>,
    ) -> Result<Out<DeletedDirectoryBody>, Fails<ActRefusals>> {
        let Released { users, groups } = author(&caller, state).delete_scim_directory(directory_id.0).await?;
        Ok(Out(DeletedDirectoryBody { kept_users: users.len(), kept_groups: groups.len() }))
    }
}
