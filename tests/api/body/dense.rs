//! Bodies that are small while they are sent and large once they are read: refused before any database is asked.

use poem::http::Method;

use super::{EXPORT, FEATURE, IMPORT, JSON, VALIDATE, gzip, import, in_pieces, send};
use crate::harness::TestApp;

/// Bodies of some megabytes that would take a hundred times as much when read as a whole.
fn dense() -> Vec<(&'static str, Vec<u8>)> {
    let many = |item: &str, count: usize| format!("[{}{item}]", format!("{item},").repeat(count));
    vec![
        ("numbers", many("0", 2_000_000).into_bytes()),
        ("lists", many("[]", 1_500_000).into_bytes()),
        ("objects", many("{}", 1_500_000).into_bytes()),
        ("texts", many("\"\"", 1_500_000).into_bytes()),
        ("members", format!("{{{}\"a\":0}}", "\"a\":0,".repeat(700_000)).into_bytes()),
        ("deep lists", many(&("[".repeat(100) + &"]".repeat(100)), 15_000).into_bytes()),
        ("a feature of numbers", import(&many("0", 2_000_000), "")),
        ("one wide feature", import(&format!("[{{\"name\":\"f\",\"x\":{}}}]", many("[]", 1_500_000)), "")),
        ("small features", import(&many("{\"name\":\"f\"}", 500_000), "")),
        ("small segments", import("[]", &format!(",\"segments\":{}", many("{\"id\":1,\"name\":\"\"}", 1_000_000)))),
        ("a project of numbers", format!("{{\"project\":{}}}", many("0", 2_000_000)).into_bytes()),
    ]
}

#[tokio::test]
async fn what_takes_many_times_its_bytes_is_refused_and_changes_nothing() {
    let app = TestApp::new().await;
    let admin = app.admin();
    for (what, body) in dense() {
        let compressed = gzip(&body);
        for path in [IMPORT, VALIDATE] {
            let headers = [JSON, ("content-encoding", "gzip")];
            let answers = [
                admin.send(Method::POST, path, &[JSON], in_pieces(&body, true)).await,
                admin.request(Method::POST, path, &headers, compressed.clone()).await,
            ];
            for answer in answers {
                // What is no list of features at all is refused by its first item, before it takes anything.
                let early = what == "a feature of numbers" && answer.status == 400;
                assert!(answer.status == 413 || early, "{what}: {} {}", answer.status, answer.text);
                let message = answer.body["message"].as_str().expect("a message");
                assert!(early || message.contains("/body"), "{what}: {message}");
            }
        }
    }
    for (_, body) in dense().into_iter().take(4) {
        send(&admin, EXPORT, body).await.refused(413, "PayloadTooLargeError", "/body");
    }
    let answer = admin.request(Method::PATCH, FEATURE, &[JSON], format!("[{}]", "0,".repeat(520_000)).into()).await;
    assert_eq!(answer.status, 413, "{}", answer.text);
    assert_eq!(app.event_types().await, Vec::<String>::new());
}
