//! Versions that a change is meant for, so that it overwrites no other that came in between.

use flagstone_domain::version::Version;
use flagstone_error::Error;
use flagstone_store::{self as store, db::Tx};

/// Versions that a change is meant for, as entity tags. Without any it is meant for all.
#[derive(Debug, Default)]
pub struct IfMatch(Option<Vec<String>>);

impl IfMatch {
    /// Returns the precondition with these entity tags; none where there are none.
    pub fn of_tags(tags: Vec<String>) -> Self {
        Self((!tags.is_empty()).then_some(tags))
    }

    /// Whether a version is named.
    pub const fn is_given(&self) -> bool {
        self.0.is_some()
    }

    /// Refuses with 412 unless the change is meant for the resource as it is now.
    pub fn check(&self, current: Version) -> Result<(), Error> {
        let Some(tags) = &self.0 else { return Ok(()) };
        let current = current.to_string();
        let names_it = |tag: &String| tag == "*" || version_in(tag) == Some(&*current);
        if tags.iter().any(names_it) { Ok(()) } else { Err(Error::PreconditionFailed) }
    }

    /// Refuses with 412 unless the change is meant for the feature as it is now, which the transaction has locked.
    pub async fn check_feature(&self, tx: &Tx, name: &str) -> Result<(), Error> {
        if !self.is_given() {
            return Ok(());
        }
        self.check(store::events::version_of_feature(tx, name).await?)
    }
}

/// The part of an entity tag that names the version; what follows it names the bytes of one answer.
fn version_in(tag: &str) -> Option<&str> {
    let opaque = tag.trim_start_matches("W/").strip_prefix('"')?.strip_suffix('"')?;
    Some(opaque.split_once('.')?.0)
}
