//! Changes of banners.

use flagstone_config::admit_one_more;
use flagstone_domain::banner::{Banner, Content, MOST};
use flagstone_error::Error;
use flagstone_store::{self as store, db::Tx};

use crate::{Author, Begin};

impl Author<'_> {
    /// Creates a banner.
    pub async fn create_banner(self, content: &Content) -> Result<Banner, Error> {
        let transaction = self.begin(Begin::MakingLimited).await?;
        let (tx, now) = (&transaction.tx, transaction.now);
        admit_one_more("banner", store::banners::count(tx).await?, MOST)?;
        let banner = store::banners::insert(tx, content, now).await?;
        transaction.commit([banner.created(&self.caller.actor())]).await?;
        Ok(banner)
    }

    /// Updates a banner to the content that `edit` returns.
    pub async fn update_banner(self, id: i64, edit: impl FnOnce(Content) -> Content + Send) -> Result<Banner, Error> {
        let transaction = self.begin(Begin::Change).await?;
        let before = hold(&transaction.tx, id).await?;
        let after = Banner { content: edit(before.content.clone()), ..before.clone() };
        if after != before {
            store::banners::save(&transaction.tx, &after).await?;
            transaction.commit([after.updated(&before, &self.caller.actor())]).await?;
        }
        Ok(after)
    }

    /// Deletes a banner.
    pub async fn delete_banner(self, id: i64) -> Result<(), Error> {
        let transaction = self.begin(Begin::Change).await?;
        let banner = hold(&transaction.tx, id).await?;
        store::banners::delete(&transaction.tx, banner.id).await?;
        transaction.commit([banner.deleted(&self.caller.actor())]).await
    }
}

async fn hold(tx: &Tx, id: i64) -> Result<Banner, Error> {
    let banner = store::banners::hold(tx, id).await?;
    banner.ok_or_else(|| Error::no_id("banner", id))
}
