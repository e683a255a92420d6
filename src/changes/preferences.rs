//! Changes of settings that hold no secret.

use flagstone_domain::{preference::Preference, version::Version};
use flagstone_error::Error;
use flagstone_store as store;

use crate::{Author, Begin, if_match::IfMatch};

impl Author<'_> {
    /// Replaces the setting in force, which is `unset` when it was never made.
    pub async fn replace_preference<T: Preference>(
        self,
        if_match: &IfMatch,
        wanted: &T,
        unset: &T,
    ) -> Result<(), Error> {
        let transaction = self.begin(Begin::Change).await?;
        let before: Option<T> = store::preferences::hold(&transaction.tx, T::ID).await?;
        if_match.check(Version::of(before.as_ref().unwrap_or(unset)))?;
        let Some(event) = wanted.changed(before.as_ref(), unset, &self.caller.actor()) else { return Ok(()) };
        store::preferences::put(&transaction.tx, T::ID, wanted, transaction.now).await?;
        transaction.commit([event]).await
    }
}
