//! The features of projects as JSON, read once as long as nothing is committed: consoles ask again and again, and there
//! may be hundreds.

use super::{ListQuery, read::list};
use crate::{
    domain::feature::Feature,
    store::{StoreError, db::HeavyReads, edition::Edition, remembered::Remembered},
    wire::RawJsonOf,
};

/// Bytes of lists that are kept.
const MOST_BYTES: usize = 16 << 20;

/// Lists by what was asked.
#[derive(Debug)]
pub struct Lists(Remembered<(Edition, RawJsonOf<Vec<Feature>>)>);

impl Default for Lists {
    fn default() -> Self {
        Self(Remembered::new(MOST_BYTES))
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
    if !query.is_whole_project() {
        return Ok(RawJsonOf::of(&list(db, query, reader).await?));
    }
    let question = format!("{:?}", (&query.project, query.archived, reader));
    // Before the list is read: what is committed meanwhile makes another edition.
    let edition = db.edition().await?;
    let Lists(known) = &db.memory().feature_lists;
    if let Some((_, list)) = known.find(&question).filter(|(read_at, _)| *read_at == edition) {
        return Ok(list);
    }
    let list = RawJsonOf::of(&list(db, query, reader).await?);
    known.keep(question, (edition, list.clone()), list.bytes());
    Ok(list)
}
