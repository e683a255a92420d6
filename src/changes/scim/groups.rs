//! Changes of groups by a directory.

use flagstone_accounts::kept_groups::{self, Held};
use flagstone_domain::{scim::group::GroupDraft, time::Timestamp};
use flagstone_error::Error;
use flagstone_store::{self as store, db::Tx};

use super::{DirectoryAuthor, missing};
use crate::if_match::IfMatch;

impl<'a> DirectoryAuthor<'a> {
    /// Creates a group. Returns its id.
    pub async fn create_group(self, draft: GroupDraft) -> Result<i64, Error> {
        let (tx, now) = self.begin().await?;
        let (id, event) = kept_groups::create(&tx, self.directory, draft, now).await?;
        tx.commit(now, [event]).await?;
        Ok(id)
    }

    /// Updates a group to what `edit` returns.
    pub async fn update_group(
        self,
        id: &str,
        if_match: &IfMatch,
        edit: impl FnOnce(&Held<'_>) -> Result<GroupDraft, Error> + Send,
    ) -> Result<(), Error> {
        let (tx, now) = self.begin().await?;
        let held = self.hold_group(&tx, id, if_match, now).await?;
        let events = kept_groups::update(&tx, &held, edit(&held)?, now).await?;
        Ok(tx.commit(now, events).await?)
    }

    /// Deletes a group.
    pub async fn delete_group(self, id: &str, if_match: &IfMatch) -> Result<(), Error> {
        let (tx, now) = self.begin().await?;
        let held = self.hold_group(&tx, id, if_match, now).await?;
        let events = kept_groups::delete(&tx, &held, now).await?;
        Ok(tx.commit(now, events).await?)
    }

    /// Locks a group, which the change is meant for as it is now.
    async fn hold_group(self, tx: &Tx, id: &str, if_match: &IfMatch, now: Timestamp) -> Result<Held<'a>, Error> {
        let held = kept_groups::hold(tx, self.directory, store::scim::id_of(id), now).await?;
        let held = held.ok_or_else(|| missing("group", id))?;
        if if_match.is_given() {
            let group = store::scim::group(tx, self.directory.id(), held.group.document.id).await?;
            let (group, members) = group.ok_or_else(|| missing("group", id))?;
            if_match.check(self.versions.of_group(group, members))?;
        }
        Ok(held)
    }
}
