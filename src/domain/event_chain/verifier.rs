//! Following the chain through the log, page by page.

use std::collections::BTreeMap;

use crate::{
    event_chain::{Fault, FaultKind, Hash, Link},
    stored_event::StoredEvent,
    time::Timestamp,
};

/// Events that follow each other, and the hashes that were kept of them, each by id.
#[derive(Debug, Default)]
pub struct Page {
    /// The events.
    pub events: Vec<StoredEvent>,
    /// The hashes.
    pub links: Vec<Link>,
}

/// Hash of an event that is known from another source than the chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Known {
    /// The hash of the event there.
    pub hash: Hash,
    /// Since when that is known.
    pub since: Timestamp,
}

/// Verification of the chain, with the place that it has reached.
#[derive(Debug)]
pub struct Verifier {
    at: Link,
    verified: u64,
    known: BTreeMap<i64, Vec<Known>>,
    confirmed: u64,
    text: Vec<u8>,
}

impl Verifier {
    /// Begins behind a place whose hash is taken for true.
    pub const fn new(at: Link) -> Self {
        Self { at, verified: 0, known: BTreeMap::new(), confirmed: 0, text: Vec::new() }
    }

    /// Takes note of the hash of an event. What lies before the place that is reached says nothing any more.
    pub fn knows(&mut self, event_id: i64, known: Known) {
        if event_id >= self.at.event_id {
            self.known.entry(event_id).or_default().push(known);
        }
    }

    /// The place that is reached.
    pub const fn at(&self) -> Link {
        self.at
    }

    /// Events that hold.
    pub const fn verified(&self) -> u64 {
        self.verified
    }

    /// Number of hashes from other sources that have proved true.
    pub const fn confirmed(&self) -> u64 {
        self.confirmed
    }

    /// Goes on through a page that begins behind the place that is reached.
    pub fn check(&mut self, page: &Page) -> Result<(), Fault> {
        let mut links = page.links.iter().peekable();
        self.meet_here()?;
        for event in &page.events {
            let Some(link) = links.next() else { return Err(fault(event.id, FaultKind::Inserted)) };
            if link.event_id < event.id {
                return Err(fault(link.event_id, FaultKind::Removed));
            }
            if link.event_id > event.id {
                return Err(fault(event.id, FaultKind::Inserted));
            }
            let hash = event.hash(self.at.hash, &mut self.text);
            if hash != link.hash {
                return Err(fault(event.id, FaultKind::Changed));
            }
            self.pass(*link)?;
            self.verified += 1;
        }
        match links.next() {
            Some(link) => Err(fault(link.event_id, FaultKind::Removed)),
            None => Ok(()),
        }
    }

    /// Steps over what was removed by right, to a place whose hash is taken for true.
    pub fn skip_to(&mut self, at: Link) {
        self.known = self.known.split_off(&at.event_id);
        self.at = at;
    }

    /// Ends at the end of the chain: what is known of later events cannot be so.
    pub fn end(&mut self) -> Result<(), Fault> {
        self.meet_here()?;
        match self.known.first_key_value() {
            Some((event_id, known)) => Err(by_checkpoint(*event_id, FaultKind::Cut, known)),
            None => Ok(()),
        }
    }

    /// Moves on to the next place; what was known of places between is about events that are not there any more.
    fn pass(&mut self, to: Link) -> Result<(), Fault> {
        if let Some((event_id, known)) = self.known.first_key_value().filter(|(id, _)| **id < to.event_id) {
            return Err(by_checkpoint(*event_id, FaultKind::Rewritten, known));
        }
        self.at = to;
        self.meet_here()
    }

    /// Holds what is known of this place against the chain.
    fn meet_here(&mut self) -> Result<(), Fault> {
        let Some(known) = self.known.remove(&self.at.event_id) else { return Ok(()) };
        if known.iter().any(|one| one.hash != self.at.hash) {
            return Err(by_checkpoint(self.at.event_id, FaultKind::Rewritten, &known));
        }
        self.confirmed += known.len() as u64;
        Ok(())
    }
}

const fn fault(event_id: i64, kind: FaultKind) -> Fault {
    Fault { event_id, kind, checkpoint: None }
}

fn by_checkpoint(event_id: i64, kind: FaultKind, known: &[Known]) -> Fault {
    Fault { event_id, kind, checkpoint: known.iter().map(|one| one.since).min() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stored_event::tests::event;

    /// Six events with a gap, and their hashes.
    fn log() -> Page {
        let events: Vec<_> = [1, 2, 3, 5, 6, 9].map(event).into();
        let mut at = Link::BEGINNING;
        let mut links = Vec::new();
        for event in &events {
            at = Link { event_id: event.id, hash: event.hash(at.hash, &mut Vec::new()) };
            links.push(at);
        }
        Page { events, links }
    }

    fn first_fault(page: &Page) -> Option<(i64, FaultKind)> {
        Verifier::new(Link::BEGINNING).check(page).err().map(|fault| (fault.event_id, fault.kind))
    }

    #[test]
    fn the_first_place_that_does_not_hold_is_named() {
        type Change = fn(&mut Page);
        let cases: [(Change, i64, FaultKind); 7] = [
            (|page| page.events[3].tags.push(' '), 5, FaultKind::Changed),
            (|page| drop(page.events.remove(1)), 2, FaultKind::Removed),
            (|page| drop(page.events.pop()), 9, FaultKind::Removed),
            (|page| page.events.insert(3, event(4)), 4, FaultKind::Inserted),
            (
                |page| {
                    let (id, data) = (page.events[2].id, page.events[2].clone());
                    page.events[2] = StoredEvent { id, ..page.events[4].clone() };
                    page.events[4] = StoredEvent { id: 6, ..data };
                },
                3,
                FaultKind::Changed,
            ),
            (|page| page.links[0].hash = Hash::BEGINNING, 1, FaultKind::Changed),
            // Together with its hash: what came after it does not follow from what comes before it.
            (
                |page| {
                    page.events.remove(3);
                    page.links.remove(3);
                },
                6,
                FaultKind::Changed,
            ),
        ];
        assert_eq!(first_fault(&log()), None);
        for (place, (change, event_id, kind)) in cases.into_iter().enumerate() {
            let mut page = log();
            change(&mut page);
            assert_eq!(first_fault(&page), Some((event_id, kind)), "{place}");
        }
    }

    #[test]
    fn a_log_is_followed_over_pages_and_from_any_place() {
        let Page { events, links } = log();
        let mut verifier = Verifier::new(Link::BEGINNING);
        for (events, links) in events.chunks(2).zip(links.chunks(2)) {
            verifier.check(&Page { events: events.to_vec(), links: links.to_vec() }).expect("holds");
        }
        assert_eq!((verifier.verified(), verifier.at()), (6, links[5]));
        let mut later = Verifier::new(links[3]);
        later.check(&Page { events: events[4..].to_vec(), links: links[4..].to_vec() }).expect("holds");
        assert_eq!(later.verified(), 2);
    }

    #[test]
    fn what_is_known_from_elsewhere_finds_hashes_that_were_made_anew_and_an_end_that_was_cut() {
        let links = log().links;
        let since = Timestamp::from_millis(5);
        let known = |place: usize| (links[place].event_id, Known { hash: links[place].hash, since });
        let verify = |page: &Page, known: &[(i64, Known)]| {
            let mut verifier = Verifier::new(Link::BEGINNING);
            for (id, known) in known {
                verifier.knows(*id, *known);
            }
            verifier.check(page)?;
            verifier.end()?;
            Ok::<_, Fault>(verifier.confirmed())
        };
        assert_eq!(verify(&log(), &[known(1), known(1), known(5)]), Ok(3));
        // Changed, with all hashes after it made anew.
        let mut page = log();
        page.events[2].tags.push(' ');
        page.links = page
            .events
            .iter()
            .fold((Link::BEGINNING, Vec::new()), |(at, mut links), event| {
                let link = Link { event_id: event.id, hash: event.hash(at.hash, &mut Vec::new()) };
                links.push(link);
                (link, links)
            })
            .1;
        assert_eq!(verify(&page, &[known(1)]), Ok(1), "what is known of before says nothing of after");
        let told = |event_id, kind| Err(Fault { event_id, kind, checkpoint: Some(since) });
        assert_eq!(verify(&page, &[known(1), known(4)]), told(6, FaultKind::Rewritten));
        // Removed with its hash, and those after it made anew: the place itself is gone.
        let gap = (4, known(3).1);
        assert_eq!(verify(&log(), &[gap]), told(4, FaultKind::Rewritten));
        let cut = Page { events: log().events[..4].to_vec(), links: links[..4].to_vec() };
        assert_eq!(verify(&cut, &[known(3), known(5)]), told(9, FaultKind::Cut));
        assert_eq!(verify(&Page::default(), &[known(5)]), told(9, FaultKind::Cut));
    }
}
