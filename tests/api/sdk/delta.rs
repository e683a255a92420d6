use flagstone::{
    config::Config,
    jobs,
    store::{self, entity::feature},
};
use poem::http::Method;
use sea_orm::{ActiveModelTrait, ActiveValue::Set};
use serde_json::{Value, json};

use super::{change, segment, strategy, switch};
use crate::harness::{Answer, Client, TestApp, add_strategy};

const DELTA: &str = "/api/client/delta";
const STREAM: &str = "/api/client/streaming";

async fn since(program: &Client, tag: &str) -> Answer {
    program.request(Method::GET, DELTA, &[("If-None-Match", tag)], vec![]).await
}

fn tag(answer: &Answer) -> String {
    answer.headers["etag"].to_str().expect("text").to_owned()
}

/// Type of each event, with the name or id of what it is about.
fn told(body: &Value) -> Vec<String> {
    let subject = |event: &Value| {
        let places = ["/feature/name", "/featureName", "/segment/id", "/segmentId"];
        places.iter().find_map(|place| event.pointer(place)).cloned().unwrap_or_default()
    };
    let events = body["events"].as_array().expect("events").iter();
    events.map(|event| format!("{} {}", event["type"].as_str().expect("a type"), subject(event))).collect()
}

#[tokio::test]
async fn who_knows_nothing_is_told_everything_and_others_what_changed() {
    let app = TestApp::new().await;
    app.project("shop").await;
    app.project("other").await;
    let (a, b) = (app.feature("shop", "a").await, app.feature("shop", "b").await);
    let elsewhere = app.feature("other", "c").await;
    let tx = app.tx().await;
    let used = segment(&tx, &app, "used").await;
    segment(&tx, &app, "unused").await;
    add_strategy(&tx, a, "development", &strategy(false, &[used]), app.clock.now()).await.expect("added");
    change(&app, tx).await;
    let program = app.program(&["shop"], "development").await;

    let first = program.get(DELTA).await;
    let whole = tag(&first);
    let body = first.expect(200);
    assert_eq!(told(&body), ["hydration null"]);
    let hydration = &body["events"][0];
    assert_eq!(format!("\"{}\"", hydration["eventId"]), whole);
    assert_eq!(super::names(hydration), ["a", "b"]);
    assert_eq!(hydration["features"][0]["strategies"][0]["segments"], json!([used]));
    assert_eq!(hydration["segments"].as_array().map(Vec::len), Some(1), "the unused one is not told");
    for nothing in [&whole, &format!("W/{whole}"), &whole.replace('"', "")] {
        let same = since(&program, nothing).await;
        assert_eq!((same.status, same.text.as_str(), tag(&same)), (304, "", whole.clone()));
    }
    switch(&app, elsewhere, "development", true).await;
    assert_eq!(since(&program, &whole).await.status, 304, "not this program's project");

    switch(&app, b, "development", true).await;
    let tx = app.tx().await;
    let second = segment(&tx, &app, "second").await;
    add_strategy(&tx, b, "development", &strategy(false, &[second]), app.clock.now()).await.expect("added");
    change(&app, tx).await;
    let news = since(&program, &whole).await;
    let newer = tag(&news);
    let body = news.expect(200);
    assert_eq!(told(&body), [format!("segment-updated {second}"), "feature-updated \"b\"".to_owned()]);
    assert_eq!(body["events"][1]["feature"]["enabled"], true);
    assert_eq!(body["events"][1]["feature"], program.get(DELTA).await.expect(200)["events"][0]["features"][1]);

    let tx = app.tx().await;
    let archived_at = Set(Some(app.clock.now()));
    feature::ActiveModel { id: Set(a), archived_at, ..Default::default() }.update(&tx).await.expect("updates");
    change(&app, tx).await;
    let body = since(&program, &newer).await.expect(200);
    assert_eq!(told(&body), ["feature-removed \"a\""]);
    assert_eq!(body["events"][0]["project"], "shop");
    assert_eq!(told(&since(&program, &whole).await.expect(200)).len(), 3, "both changes at once");
    for unknown in ["\"0\"", "\"999999\"", "x", "*", "\"-1\""] {
        assert_eq!(told(&since(&program, unknown).await.expect(200)), ["hydration null"], "{unknown}");
    }
    let prefixed = program.get(&format!("{DELTA}?namePrefix=x")).await.expect(200);
    assert_eq!(super::names(&prefixed["events"][0]), Vec::<&str>::new());
}

#[tokio::test]
async fn changes_are_told_as_they_happen() {
    let app = TestApp::new().await;
    app.project("shop").await;
    app.project("other").await;
    let (id, elsewhere) = (app.feature("shop", "f").await, app.feature("other", "g").await);
    let program = app.program(&["shop"], "development").await;
    let mut stream = program.follow(STREAM, &[("Accept-Encoding", "gzip")]).await;
    let (name, first, data) = stream.next().await.expect("a greeting");
    assert_eq!((name.as_str(), told(&data)), ("unleash-connected", vec!["hydration null".to_owned()]));
    assert_eq!(data, program.get(DELTA).await.expect(200));
    switch(&app, elsewhere, "development", true).await;
    switch(&app, id, "development", true).await;
    let (name, second, data) = stream.next().await.expect("news");
    assert_eq!((name.as_str(), told(&data)), ("unleash-updated", vec!["feature-updated \"f\"".to_owned()]));
    assert_eq!(data["events"][0]["feature"]["enabled"], true);
    assert!(second.parse::<i64>().expect("a number") > first.parse().expect("a number"));

    // Who comes back is told what it missed.
    let mut resumed = program.follow(STREAM, &[("Last-Event-ID", &first)]).await;
    let (name, id_of_event, missed) = resumed.next().await.expect("what was missed");
    assert_eq!((name.as_str(), id_of_event, missed), ("unleash-connected", second.clone(), data));
    let mut up_to_date = program.follow(STREAM, &[("Last-Event-ID", &second)]).await;
    switch(&app, id, "development", false).await;
    for stream in [&mut stream, &mut resumed, &mut up_to_date] {
        let (name, _, data) = stream.next().await.expect("news");
        assert_eq!((name.as_str(), told(&data)), ("unleash-updated", vec!["feature-updated \"f\"".to_owned()]));
    }
    app.state.stopping.send_replace(true);
    assert!(stream.next().await.is_none(), "streams end when the server stops");
}

#[tokio::test]
async fn the_runner_notices_what_happens_elsewhere() {
    let app = TestApp::new().await;
    let Some(directory) = app.directory() else { return };
    app.project("shop").await;
    let id = app.feature("shop", "f").await;
    let program = app.program(&["shop"], "development").await;
    let (stop, stopped) = tokio::sync::watch::channel(false);
    let running = jobs::start(app.state.clone(), stopped);
    let mut stream = program.follow(STREAM, &[]).await;
    stream.next().await.expect("a greeting");
    let url = format!("sqlite://{}", directory.join("test.db").display());
    let other = store::db::Db::open(&url).await.expect("opens");
    let tx = other.begin().await.expect("a transaction");
    store::features::set_enabled(&tx, id, "development", true).await.expect("switches");
    change(&app, tx).await;
    let (_, _, data) = stream.next().await.expect("news within seconds");
    assert_eq!(told(&data), ["feature-updated \"f\""]);
    stop.send_replace(true);
    running.await.expect("stops well");
}

#[tokio::test]
async fn one_token_leaves_streams_to_the_others() {
    let app = TestApp::with_config(Config { streams: 40, ..Config::default() }).await;
    let (greedy, other) =
        (app.program(&["default"], "development").await, app.program(&["default"], "development").await);
    let mut open = Vec::new();
    for _ in 0..38 {
        open.push(greedy.follow(STREAM, &[]).await);
    }
    let refused = greedy.get(STREAM).await;
    assert_eq!(refused.headers["retry-after"], "30");
    refused.refused(503, "UnavailableError", "streams for this token as it may (40 for all)");
    let mut first = other.follow(STREAM, &[]).await;
    assert_eq!(first.next().await.expect("an event").0, "unleash-connected");
    drop(open);
    let mut again = greedy.follow(STREAM, &[]).await;
    assert_eq!(again.next().await.expect("an event").0, "unleash-connected", "streams that ended are free again");
}

#[tokio::test]
async fn beyond_its_limit_a_server_opens_no_stream_until_another_has_ended() {
    let app = TestApp::with_config(Config { streams: 2, ..Config::default() }).await;
    let program = app.program(&["default"], "development").await;
    let mut first = program.follow(STREAM, &[]).await;
    let second = program.follow(STREAM, &[]).await;
    let refused = program.get(STREAM).await;
    assert_eq!(refused.headers["retry-after"], "30");
    refused.refused(503, "UnavailableError", "open as it may (2 for all)");
    assert_eq!(first.next().await.expect("an event").0, "unleash-connected", "who is there stays");
    program.get(DELTA).await.expect(200);
    drop(second);
    let mut third = program.follow(STREAM, &[]).await;
    assert_eq!(third.next().await.expect("an event").0, "unleash-connected");
}
