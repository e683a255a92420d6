//! Notifications that people have read.

use flagstone_error::Error;
use flagstone_store::{self as store, db::NoEvent};

use crate::{Author, Begin};

impl Author<'_> {
    /// Marks notifications of the author, a person, as read: those of the ids that are theirs. Leaves no event.
    pub async fn mark_notifications_as_read(self, person: i64, ids: &[i64]) -> Result<(), Error> {
        let visibility = self.caller.visibility().await?;
        let transaction = self.begin(Begin::Change).await?;
        store::notifications::mark_read(&transaction.tx, person, &visibility, ids, transaction.now).await?;
        Ok(transaction.tx.commit_without_event(NoEvent::Personal).await?)
    }
}
