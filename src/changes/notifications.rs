//! Notifications that people have read.

use crate::{
    changes::{Author, Begin},
    error::Error,
    store::{self, db::NoEvent},
};

impl Author<'_> {
    /// Marks notifications of the author, a person, as read: those of the ids that are theirs. Leaves no event.
    pub async fn mark_notifications_as_read(self, person: i64, ids: &[i64]) -> Result<(), Error> {
        let visibility = self.caller.visibility().await?;
        let transaction = self.begin(Begin::Change).await?;
        store::notifications::mark_read(&transaction.tx, person, &visibility, ids, transaction.now).await?;
        Ok(transaction.tx.commit_without_event(NoEvent::Personal).await?)
    }
}
