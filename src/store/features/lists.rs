//! The features of projects as JSON, read once as long as nothing is committed: consoles ask again and again, and there
//! may be hundreds.

use super::{ListQuery, read::list};
use crate::{
    domain::feature::Feature,
    store::{
        StoreError,
        db::{HeavyReads, edition::Recent},
    },
    wire::RawJsonOf,
};

/// Bytes of lists that are kept.
const MOST_BYTES: usize = 16 << 20;

/// Lists by what was asked.
#[derive(Debug)]
pub struct Lists(Recent<RawJsonOf<Vec<Feature>>>);

impl Default for Lists {
    fn default() -> Self {
        Self(Recent::new(MOST_BYTES, |list| Some(list.bytes())))
    }
}

/// Features of a project, oldest first, then by name. `reader` is the person whose favourites count.
///
/// Their environments come without strategies and variants.
pub async fn list_as_json(
    db: &HeavyReads<'_>,
    query: &ListQuery,
    reader: Option<i64>,
) -> Result<RawJsonOf<Vec<Feature>>, StoreError> {
    let read = list(db, query, reader);
    if !query.is_whole_project() {
        return read.await;
    }
    let question = format!("{:?}", (&query.project, query.archived, reader));
    db.memory().feature_lists.0.find_or(question, db.edition().await?, read).await
}
