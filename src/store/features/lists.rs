//! The features of projects as JSON, read once as long as nothing is committed: consoles ask again and again, and there
//! may be hundreds of projects.

use std::sync::Arc;

use flagstone_domain::feature::Feature;
use flagstone_wire::RawJsonOf;

use super::{ListQuery, read::list};
use crate::{
    StoreError,
    db::{HeavyReads, edition::Recent},
};

/// Bytes of lists that are kept.
const MOST_BYTES: usize = 16 << 20;

/// Lists by what was asked.
///
/// Half of the room is for lists as they are. When it is taken, others are compressed, to about a tenth: reading one
/// from the database takes several times what unpacking it takes.
#[derive(Debug)]
pub struct Lists(Recent<Kept>);

type List = RawJsonOf<Vec<Feature>>;

#[derive(Debug, Clone)]
enum Kept {
    Plain(List),
    Compressed(Arc<[u8]>),
}

impl Kept {
    fn compressed(list: &List) -> Self {
        Self::Compressed(lz4_flex::compress_prepend_size(list.text().as_bytes()).into())
    }

    fn bytes(&self) -> usize {
        match self {
            Self::Plain(list) => list.text().len(),
            Self::Compressed(bytes) => bytes.len(),
        }
    }

    /// The list as it was.
    fn list(self) -> Option<List> {
        match self {
            Self::Plain(list) => Some(list),
            Self::Compressed(bytes) => {
                let text = lz4_flex::decompress_size_prepended(&bytes).ok()?;
                List::from_text(String::from_utf8(text).ok()?).ok()
            }
        }
    }
}

impl Default for Lists {
    fn default() -> Self {
        Self(Recent::new(MOST_BYTES, |kept| Some(kept.bytes())))
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
    let Lists(lists) = &db.memory().feature_lists;
    let edition = db.edition().await?;
    if let Some(list) = lists.find(&question, &edition).and_then(Kept::list) {
        return Ok(list);
    }
    let list = read.await?;
    let kept = if lists.is_half_full() { Kept::compressed(&list) } else { Kept::Plain(list.clone()) };
    lists.keep(question, edition, kept);
    Ok(list)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_comes_out_as_it_went_in_and_takes_less_room_meanwhile() {
        let feature = r#"{"name":"flag","description":"Ein Häkchen für „alle“","project":"default"}"#;
        let list = List::from_text(format!("[{}]", [feature; 100].join(","))).expect("JSON");
        let kept = Kept::compressed(&list);
        assert!(kept.bytes() * 10 < list.text().len(), "{} of {}", kept.bytes(), list.text().len());
        assert_eq!(kept.list().expect("a list").text(), list.text());
        let plain = Kept::Plain(list.clone());
        assert_eq!(plain.bytes(), list.text().len());
        assert_eq!(plain.list().expect("a list").text(), list.text());
    }
}
