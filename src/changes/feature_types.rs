//! Changes of feature types.

use flagstone_domain::{event::NewEvent, event_kind::EventKind, feature_type::FeatureType};
use flagstone_error::Error;
use flagstone_store as store;

use crate::{Author, Begin};

impl Author<'_> {
    /// Sets the expected lifetime of features of a type in days; `None` for no end.
    pub async fn set_lifetime(self, id: &str, days: Option<i64>) -> Result<FeatureType, Error> {
        let transaction = self.begin(Begin::Change).await?;
        let before = store::features::types::hold(&transaction.tx, id).await?;
        let before = before.ok_or_else(|| Error::not_found("feature type", id))?;
        let after = FeatureType { lifetime_days: days.into(), ..before.clone() };
        if before != after {
            store::features::types::set_lifetime(&transaction.tx, &after.id, days).await?;
            let event = NewEvent::new(EventKind::FeatureTypeUpdated, &self.caller.actor());
            transaction.commit([event.with_data(&after).with_pre_data(&before)]).await?;
        }
        Ok(after)
    }
}
