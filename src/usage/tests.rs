use super::{notes::TALLIES, *};

fn key(feature: &str) -> TallyKey {
    TallyKey {
        feature: feature.to_owned(),
        application: "app".to_owned(),
        environment: "e".to_owned(),
        hour: Timestamp::from_millis(0),
    }
}

#[test]
fn reports_of_an_hour_are_counted_together_and_taken_once() {
    let usage = Usage::default();
    let now = Timestamp::from_millis(5);
    usage.count(key("f"), Tally::of_report(1, 2, [("a".to_owned(), 1)]), now);
    usage.count(key("f"), Tally::of_report(3, 0, [("a".to_owned(), 2)]), now);
    usage.count(key("g"), Tally::default(), now);
    let gathered = usage.take();
    assert_eq!(gathered.tallies.len(), 1);
    assert_eq!(gathered.tallies[&key("f")], Tally::of_report(4, 2, [("a".to_owned(), 3)]));
    assert_eq!(gathered.evaluated[&("f".to_owned(), "e".to_owned())], now);
    assert!(usage.take().is_empty());
    usage.put_back(gathered.clone());
    usage.put_back(gathered);
    assert_eq!(usage.take().tallies[&key("f")].yes, 8);
}

#[test]
fn a_report_that_comes_again_is_counted_once() {
    let now = Timestamp::from_millis(5);
    let told = || vec![(key("f"), Tally::of_report(1, 0, [])), (key("f"), Tally::of_report(2, 0, []))];
    let id = |id: &str| Some(ReportId { id: id.to_owned(), lasts_ms: 10 });
    let edge = Usage::of_edge();
    for one in [id("a"), id("a"), id("b"), None, None] {
        edge.count_report(one, told(), now);
    }
    assert_eq!((edge.take().tallies[&key("f")].yes, edge.repeated_total()), (4 * 3, 1));
    edge.count_report(id("a"), told(), now.plus_millis(9));
    edge.count_report(id("b"), told(), now.plus_millis(10));
    assert_eq!((edge.take().tallies[&key("f")].yes, edge.repeated_total()), (3, 2));
    let server = Usage::default();
    for one in [id("a"), id("a"), id("b"), None] {
        server.count_report(one, told(), now);
    }
    server.count_report(id("c"), vec![(key("f"), Tally::default())], now);
    assert_eq!(server.buffered().tallies, 3);
    let gathered = server.take();
    assert_eq!((gathered.tallies[&key("f")].yes, server.repeated_total()), (3, 1));
    assert_eq!(gathered.reports.keys().collect::<Vec<_>>(), ["a", "b"], "others may know them");
    assert!(gathered.reports.values().all(|report| report.tallies[&key("f")].yes == 3));
    assert_eq!(gathered.evaluated.len(), 1);
    server.put_back(gathered.clone());
    assert_eq!(server.take(), gathered);
}

#[test]
fn nobody_makes_it_grow_without_end() {
    let usage = Usage::default();
    let now = Timestamp::from_millis(5);
    for number in 0..TALLIES + 10 {
        usage.count(key(&number.to_string()), Tally::of_report(1, 0, []), now);
    }
    for (name, strategies) in [("app-0", vec!["x".to_owned(); 10_000]), ("app-1", vec!["\u{10ffff}".repeat(255); 200])]
    {
        usage.heard(Introduction { application: name.to_owned(), strategies, ..Introduction::default() }, now);
    }
    for number in 0..INSTANCES + 10 {
        let introduction = Introduction {
            application: format!("app-{}", number % 10),
            instance: Some(number.to_string()),
            environment: "e".to_owned(),
            ..Introduction::default()
        };
        usage.heard(introduction, now);
        let application = format!("other-{number}");
        usage.heard(Introduction { application, ..Introduction::default() }, now);
    }
    usage.heard(Introduction { application: "x".repeat(1000), ..Introduction::default() }, now);
    for number in 0..10 {
        let id = Some(ReportId { id: number.to_string(), lasts_ms: 10 });
        usage.count_report(id, vec![(key(&number.to_string()), Tally::of_report(1, 0, []))], now);
    }
    let full = usage.buffered();
    assert_eq!((full.tallies, full.programs), (TALLIES, APPLICATIONS + INSTANCES));
    let gathered = usage.take();
    assert_eq!(usage.buffered(), Buffered { dropped: full.dropped, ..Buffered::default() });
    let too_many = 10 + 10 + INSTANCES + 10 - (APPLICATIONS - 10);
    assert_eq!(full.dropped, too_many as u64);
    assert_eq!(gathered.tallies.len(), TALLIES);
    assert_eq!(gathered.instances.len(), INSTANCES);
    assert_eq!(gathered.applications.len(), APPLICATIONS);
    let bytes = |heard: &HeardApplication| heard.strategies.iter().map(String::len).sum::<usize>();
    assert!(gathered.applications.values().all(|heard| heard.strategies.len() <= STRATEGIES));
    assert!(gathered.applications.values().all(|heard| bytes(heard) <= STRATEGY_BYTES));
    assert!(bytes(&gathered.applications["app-1"]) > STRATEGY_BYTES / 2);
}
