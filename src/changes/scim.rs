//! Changes of SCIM: of its settings and directories, and of the users and groups that these manage.

mod directories;
mod groups;
mod leaving;
mod links;
mod settings;
pub mod users;

use flagstone_accounts::directories::keep;
use flagstone_clock::Clock;
use flagstone_domain::{scim::directory::DirectoryRef, time::Timestamp, version::Version};
use flagstone_error::Error;
use flagstone_store::{
    access::people::Account,
    db::{Db, Tx},
    scim::{Belonging, GroupRow, Member},
};

/// Directory that makes changes, with the database that they are made in.
#[derive(Debug, Clone, Copy)]
pub struct DirectoryAuthor<'a> {
    /// The directory.
    pub directory: &'a DirectoryRef,
    /// Versions of what it changes.
    pub versions: &'a dyn Versions,
    /// The database.
    pub db: &'a Db,
    /// The time.
    pub clock: &'a Clock,
}

/// Versions of users and groups, which depend on how the directory is shown them.
pub trait Versions: std::fmt::Debug + Sync {
    /// Version of a user with their groups.
    fn of_user(&self, account: &Account, groups: Option<Vec<Belonging>>) -> Version;

    /// Version of a group with its members.
    fn of_group(&self, group: GroupRow, members: Option<Vec<Member>>) -> Version;
}

impl DirectoryAuthor<'_> {
    /// Begins a transaction, during which the directory is not deleted: 401 when it is gone. Returns the time of the
    /// changes, too.
    async fn begin(self) -> Result<(Tx, Timestamp), Error> {
        let tx = self.db.begin().await?;
        keep(&tx, self.directory).await?;
        Ok((tx, self.clock.now()))
    }
}

/// Returns the error of a user or group that is not the directory's, and cannot become so. Of an id it repeats at most 40
/// characters.
pub fn missing(kind: &str, id: &str) -> Error {
    let id: String = id.chars().take(40).collect();
    Error::no_id(kind, format_args!("{id:?}"))
}
