//! The log itself: the order of ids, and that a change and its events are one.

use std::{collections::BTreeSet, future::poll_fn, sync::Arc, task::Poll, time::Duration};

use flagstone::{
    domain::{actor::Actor, event::NewEvent, event_kind::EventKind, tag::Tag},
    store::{self, entity::event},
};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder};
use serde_json::json;

use crate::harness::{TestApp, change_tags};

const WRITERS: usize = 12;
const WRITES_EACH: usize = 10;

fn marked(mark: &str) -> NewEvent {
    NewEvent::new(EventKind::TagCreated, &Actor::system()).with_data(&json!({ "mark": mark }))
}

fn mark(event: &event::Model) -> String {
    let data: serde_json::Value = serde_json::from_str(event.data.as_deref().expect("data")).expect("JSON");
    data["mark"].as_str().expect("a text").to_owned()
}

async fn after(app: &TestApp, id: i64) -> Vec<event::Model> {
    let later = event::Entity::find().filter(event::Column::Id.gt(id)).order_by_asc(event::Column::Id);
    later.all(app.db()).await.expect("done")
}

async fn newest_id(app: &TestApp) -> i64 {
    app.events().await.last().map_or(0, |event| event.id)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn ids_rise_in_the_order_of_commits_so_that_who_reads_on_from_an_id_misses_nothing() {
    let app = Arc::new(TestApp::new().await);
    let reader = tokio::spawn({
        let app = Arc::clone(&app);
        async move {
            let mut seen: Vec<event::Model> = Vec::new();
            while seen.len() < WRITERS * WRITES_EACH * 2 {
                let last = seen.last().map_or(0, |event| event.id);
                seen.extend(after(&app, last).await);
                tokio::task::yield_now().await;
            }
            seen
        }
    });
    let writers = (0..WRITERS).map(|writer| {
        let app = Arc::clone(&app);
        tokio::spawn(async move {
            for write in 0..WRITES_EACH {
                let before = newest_id(&app).await;
                let tx = app.tx().await;
                let marks = ["first", "second"].map(|part| format!("{writer}-{write}-{part}"));
                let events = marks.each_ref().map(|mark| marked(mark));
                tx.commit(app.clock.now(), events).await.expect("done");
                let later = after(&app, before).await;
                let ids: Vec<i64> =
                    later.iter().filter(|event| marks.contains(&mark(event))).map(|event| event.id).collect();
                // Both came after everything that had been committed before, and nothing came between them.
                assert_eq!(ids.len(), 2);
                assert_eq!(ids[1], ids[0] + 1);
            }
        })
    });
    for writer in writers.collect::<Vec<_>>() {
        writer.await.expect("done");
    }
    // A reader that missed an event would wait for its number for ever.
    let seen = tokio::time::timeout(Duration::from_mins(1), reader).await.expect("the reader missed an event").unwrap();
    let stored = app.events().await;
    assert_eq!(seen, stored);
    let marks: BTreeSet<String> = stored.iter().map(mark).collect();
    assert_eq!(marks.len(), WRITERS * WRITES_EACH * 2);
}

#[tokio::test]
async fn a_dropped_write_leaves_neither_change_nor_event() {
    let app = TestApp::new().await;
    let id = app.feature("default", "checkout").await;
    let tag = |value: &str| Tag { kind: "simple".to_owned(), value: value.to_owned() };

    let tx = app.tx().await;
    change_tags(&tx, id, &[tag("undone")], &[], app.clock.now()).await;
    drop(tx);
    let tx = app.tx().await;
    change_tags(&tx, id, &[tag("kept")], &[], app.clock.now()).await;
    tx.commit(app.clock.now(), [marked("kept")]).await.expect("done");

    assert_eq!(store::tags::of_feature(app.db(), id).await.expect("done"), [tag("kept")]);
    assert_eq!(app.events().await.iter().map(mark).collect::<Vec<_>>(), ["kept"]);
}

/// Polls so many times and drops what is not done by then: at once, or only when it could go on. Tells whether it was.
async fn abandoned(write: impl Future<Output = ()>, polls: usize, at_once: bool) -> bool {
    let (mut write, mut left) = (Box::pin(write), polls);
    let done = poll_fn(|context| {
        if left == 0 {
            return Poll::Ready(false);
        }
        left -= 1;
        match write.as_mut().poll(context) {
            Poll::Ready(()) => Poll::Ready(true),
            Poll::Pending if left == 0 && at_once => Poll::Ready(false),
            Poll::Pending => Poll::Pending,
        }
    });
    !done.await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_write_that_is_abandoned_at_any_moment_leaves_both_or_neither() {
    let app = TestApp::new().await;
    let id = app.feature("default", "checkout").await;
    let (mut unfinished, mut finished) = (0, 0);
    for (polls, at_once) in (1..=40).flat_map(|polls| [(polls, true), (polls, false)]) {
        let value = format!("{polls}-{at_once}");
        let write = async {
            let tx = app.tx().await;
            let tag = Tag { kind: "simple".to_owned(), value: value.clone() };
            change_tags(&tx, id, &[tag], &[], app.clock.now()).await;
            tx.commit(app.clock.now(), [marked(&value)]).await.expect("done");
        };
        let counted = if abandoned(write, polls, at_once).await { &mut unfinished } else { &mut finished };
        *counted += 1;
    }
    // What was abandoned on its way to the end has reached it when an event after it is kept.
    let last = Tag { kind: "simple".to_owned(), value: "last".to_owned() };
    let tx = app.tx().await;
    change_tags(&tx, id, &[last], &[], app.clock.now()).await;
    tx.commit(app.clock.now(), [marked("last")]).await.expect("done");
    let changes: BTreeSet<String> =
        store::tags::of_feature(app.db(), id).await.expect("done").into_iter().map(|tag| tag.value).collect();
    let events: BTreeSet<String> = app.events().await.iter().map(mark).collect();
    assert_eq!(changes, events);
    assert!(unfinished > 0 && finished > 0, "{unfinished} abandoned, {finished} done");
}

#[tokio::test]
async fn dates_never_fall_when_the_clock_is_set_back() {
    let app = TestApp::new().await;
    let mut expected = Vec::new();
    for (moved_ms, shown_ms) in [(0, 0), (-3_600_000, 0), (1_000, 0), (3_600_000, 1_000), (5, 1_005)] {
        app.clock.advance(moved_ms);
        app.tx().await.commit(app.clock.now(), [marked("a"), marked("b")]).await.expect("done");
        expected.extend([shown_ms; 2]);
    }
    let events = app.events().await;
    let start = events[0].created_at;
    let shown: Vec<i64> = events.iter().map(|event| event.created_at.millis() - start.millis()).collect();
    assert_eq!(shown, expected);
    assert!(events.windows(2).all(|pair| pair[0].id < pair[1].id));
}

#[tokio::test]
async fn stored_json_is_compact_and_keeps_the_order_of_its_members() {
    let app = TestApp::new().await;
    let event = NewEvent::new(EventKind::FeatureUpdated, &Actor::system())
        .of_feature("checkout", &[Tag { kind: "simple".to_owned(), value: "Beta".to_owned() }])
        .with_data(&json!({ "z": 1, "a": { "Ä": [true, null] } }));
    app.tx().await.commit(app.clock.now(), [event]).await.expect("done");
    let stored = app.events().await.remove(0);
    assert_eq!(stored.data.as_deref(), Some(r#"{"z":1,"a":{"Ä":[true,null]}}"#));
    assert_eq!(stored.pre_data, None);
    assert_eq!(stored.tags, r#"[{"value":"Beta","type":"simple"}]"#);
}
