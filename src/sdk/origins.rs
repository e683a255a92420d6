//! How browsers may use the frontend API, until something about settings changes.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::{
    domain::preference::{Frontend, Preference as _},
    store::{self, StoreError, db::Db},
};

#[derive(Debug, Default)]
struct Known {
    /// Rises whenever what is known may be wrong.
    edition: u64,
    is_read: bool,
    settings: Option<Arc<Frontend>>,
}

/// The settings, as they were read last.
#[derive(Debug, Default)]
pub(super) struct OriginList(Mutex<Known>);

impl OriginList {
    /// The settings in force; `None` when nobody ever made them.
    pub(super) async fn get(&self, db: &Db) -> Result<Option<Arc<Frontend>>, StoreError> {
        let edition = {
            let known = self.lock();
            if known.is_read {
                return Ok(known.settings.clone());
            }
            known.edition
        };
        let settings: Option<Frontend> = store::preferences::find(db, Frontend::ID).await?;
        let settings = settings.map(Arc::new);
        let mut known = self.lock();
        // What was read before a change is not kept after it.
        if known.edition == edition {
            known.is_read = true;
            known.settings.clone_from(&settings);
        }
        Ok(settings)
    }

    pub(super) fn forget(&self) {
        let mut known = self.lock();
        known.edition += 1;
        known.is_read = false;
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
