//! Whoever reads the log by `id > last` misses nothing, however many nodes write: ids become visible in their order.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use flagstone::{
    audit,
    domain::{actor::Actor, event::NewEvent, event_kind::EventKind},
    store::{db::Db, entity::event},
};
use sea_orm::{ColumnTrait as _, EntityTrait as _, QueryFilter as _, QueryOrder as _, QuerySelect as _};

use crate::cluster::{Node, nodes};

const WRITERS: usize = 4;
const CHANGES: usize = 120;
/// Number of times that the reader finds something new while the others write, at least.
const LOOKS: usize = 10;

async fn ids_after(db: &Db, last: i64) -> Vec<i64> {
    let events = event::Entity::find().select_only().column(event::Column::Id).filter(event::Column::Id.gt(last));
    events.order_by_asc(event::Column::Id).into_tuple().all(db).await.expect("reads")
}

/// Changes with one event and with hundreds take turns, and some are given up: their ids are gaps for ever. The clocks
/// of some writers run faster.
async fn write(node: &Node, writer: usize, looks: &AtomicUsize) {
    for number in (0..).take_while(|number| *number < CHANGES || looks.load(Ordering::SeqCst) < LOOKS) {
        let events = match (number + writer) % 6 {
            0 => 300,
            1..=3 => 1,
            _ => 7,
        };
        let tx = node.state.db.begin().await.expect("a transaction");
        let ahead = i64::try_from(number * (writer + 1)).expect("a small number");
        let now = node.state.clock.now().plus_millis(ahead);
        let event = NewEvent::new(EventKind::FeatureUpdated, &Actor::system());
        let event = event.with_data(&serde_json::json!({ "writer": writer, "change": number }));
        let events = std::iter::repeat_n(event, events);
        if number % 10 == 9 {
            // Given up while the events are being stored.
            let storing = tx.commit(now, events);
            let _ = tokio::time::timeout(std::time::Duration::from_micros(500), storing).await;
        } else {
            tx.commit(now, events).await.expect("commits");
        }
    }
}

/// A writer that has not ended, be it well or by a panic.
struct AtWork(Arc<AtomicUsize>);

impl Drop for AtWork {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_reader_that_follows_the_log_misses_nothing() {
    let Some((nodes, _)) = nodes::<3>().await else { return };
    let nodes = Arc::new(nodes);
    let (at_work, looks) = (Arc::new(AtomicUsize::new(WRITERS)), Arc::new(AtomicUsize::new(0)));
    let writers: Vec<_> = (0..WRITERS)
        .map(|writer| {
            let (nodes, at_work, looks) = (Arc::clone(&nodes), Arc::clone(&at_work), Arc::clone(&looks));
            tokio::spawn(async move {
                let _at_work = AtWork(at_work);
                write(&nodes[writer % 2], writer, &looks).await;
            })
        })
        .collect();
    // Both nodes make hashes meanwhile, and get into each other's way.
    let hashing = [0, 1].map(|node| {
        let (nodes, at_work) = (Arc::clone(&nodes), Arc::clone(&at_work));
        tokio::spawn(async move {
            let mut is_last = false;
            while !is_last {
                is_last = at_work.load(Ordering::SeqCst) == 0;
                audit::extend(&nodes[node].state).await.expect("hashes");
                tokio::task::yield_now().await;
            }
        })
    });
    let reader = &nodes[2].state.db;
    let mut read = Vec::new();
    loop {
        // Asked before the look: what is committed after the answer is read by the look after the last.
        let ended = at_work.load(Ordering::SeqCst) == 0;
        let news = ids_after(reader, read.last().copied().unwrap_or_default()).await;
        looks.fetch_add(usize::from(!news.is_empty()), Ordering::SeqCst);
        read.extend(news);
        if ended {
            break;
        }
    }
    for writer in writers {
        writer.await.expect("no writer panicked");
    }
    // What was given up may have been committed all the same, a moment later; but not after what is committed now.
    let last = NewEvent::new(EventKind::FeatureUpdated, &Actor::system());
    let tx = reader.begin().await.expect("a transaction");
    tx.commit(nodes[2].state.clock.now(), [last]).await.expect("commits");
    read.extend(ids_after(reader, read.last().copied().unwrap_or_default()).await);
    let stored = ids_after(reader, 0).await;
    let missed: Vec<_> = stored.iter().filter(|id| read.binary_search(id).is_err()).collect();
    assert!(missed.is_empty(), "{} of {} events were missed: {missed:?}", missed.len(), stored.len());
    assert_eq!(read.len(), stored.len());
    let dates = event::Entity::find().select_only().column(event::Column::CreatedAt).order_by_asc(event::Column::Id);
    let dates: Vec<i64> = dates.into_tuple().all(reader).await.expect("reads");
    assert!(dates.is_sorted(), "an event is dated before one with a smaller id");
    for hashing in hashing {
        hashing.await.expect("nobody panicked");
    }
    audit::extend(&nodes[2].state).await.expect("hashes");
    let trust = audit::Trust::default();
    let verdict = audit::verify(reader, &trust, &[], audit::Scope::default()).await.expect("verifies");
    assert_eq!((verdict.fault, usize::try_from(verdict.verified)), (None, Ok(stored.len())));
}
