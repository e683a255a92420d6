//! Settings that requests ask for, until something about settings changes.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use flagstone_domain::preference::Preference;
use flagstone_store::{self as store, StoreError, db::Db};

#[derive(Debug)]
struct Known<T> {
    /// Rises whenever what is known may be wrong.
    edition: u64,
    is_read: bool,
    settings: Option<Arc<T>>,
}

/// The setting, as it was read last.
#[derive(Debug)]
pub(super) struct Setting<T>(Mutex<Known<T>>);

impl<T> Default for Setting<T> {
    fn default() -> Self {
        Self(Mutex::new(Known { edition: 0, is_read: false, settings: None }))
    }
}

impl<T: Preference> Setting<T> {
    /// The setting in force; `None` when it was never made.
    pub(super) async fn get(&self, db: &Db) -> Result<Option<Arc<T>>, StoreError> {
        self.read_by(|| async { store::preferences::find(db, T::ID).await }).await
    }
}

impl<T> Setting<T> {
    /// Returns the preference in force, read anew by `read` where something about settings has changed.
    pub(super) async fn read_by<R>(&self, read: impl FnOnce() -> R) -> Result<Option<Arc<T>>, StoreError>
    where
        R: Future<Output = Result<Option<T>, StoreError>>,
    {
        let edition = {
            let known = self.lock();
            if known.is_read {
                return Ok(known.settings.clone());
            }
            known.edition
        };
        let settings = read().await?.map(Arc::new);
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

    fn lock(&self) -> MutexGuard<'_, Known<T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
