//! Changes of settings that hold no secret.

use crate::{
    changes::{Author, Begin},
    domain::preference::Preference,
    error::Error,
    store,
};

impl Author<'_> {
    /// Replaces the setting in force, which is `unset` when it was never made.
    pub async fn replace_preference<T: Preference>(self, wanted: &T, unset: &T) -> Result<(), Error> {
        let transaction = self.begin(Begin::Change).await?;
        let before: Option<T> = store::preferences::hold(&transaction.tx, T::ID).await?;
        let Some(event) = wanted.changed(before.as_ref(), unset, &self.caller.actor()) else { return Ok(()) };
        store::preferences::put(&transaction.tx, T::ID, wanted, transaction.now).await?;
        transaction.commit([event]).await
    }
}
