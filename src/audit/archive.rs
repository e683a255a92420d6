//! The log as text, for archives.

use flagstone_domain::event_archive::ArchiveFormat;
use flagstone_store::{StoreError, db::Db, events::chain};

/// Events that are read at a time.
const BATCH: u64 = 500;

/// Events on their way into an archive: those that there were when it began.
#[derive(Debug)]
pub struct Archive {
    db: Db,
    format: ArchiveFormat,
    /// Id of the last event that was written.
    at: i64,
    end: i64,
    has_begun: bool,
}

impl Archive {
    /// Begins with the first event after one.
    pub async fn begin(db: &Db, since: i64, format: ArchiveFormat) -> Result<Self, StoreError> {
        let end = chain::reach(db).await?.newest;
        Ok(Self { db: db.clone(), format, at: since, end, has_begun: false })
    }

    /// The next piece; `None` at the end.
    pub async fn next(&mut self) -> Result<Option<Vec<u8>>, StoreError> {
        let page = chain::page(&self.db, self.at, self.end, BATCH).await?;
        let mut piece = Vec::new();
        if !self.has_begun {
            piece.extend_from_slice(self.format.head().as_bytes());
            self.has_begun = true;
        }
        let mut links = page.links.iter().peekable();
        for event in &page.events {
            while links.next_if(|link| link.event_id < event.id).is_some() {}
            let link = links.next_if(|link| link.event_id == event.id);
            self.format.append(event, link.map(|link| link.hash), &mut piece);
        }
        match page.events.last() {
            Some(last) => self.at = last.id,
            None => self.at = self.end,
        }
        Ok((!piece.is_empty()).then_some(piece))
    }
}
