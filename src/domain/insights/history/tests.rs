use super::*;
use crate::time::DAY_MS;

fn day(number: i64) -> Timestamp {
    Timestamp::from_millis(number * DAY_MS)
}

fn present(created: i64) -> Present {
    Present {
        name: "f".to_owned(),
        project: "p".to_owned(),
        kind: "permission".to_owned(),
        created_at: day(created),
        archived_at: None,
        stale: false,
    }
}

/// Changes to the feature `f`, given oldest first.
fn past(changes: &[(i64, Change)]) -> Vec<Past> {
    let past = |(at, change): &(i64, Change)| Past { feature: "f".to_owned(), at: day(*at), change: change.clone() };
    changes.iter().rev().map(past).collect()
}

/// For each project and each of days 1 to 9: `-` for no feature, else `h`, `s` or `p` for its state.
fn lives(present: &[Present], changes: &[(i64, Change)]) -> Vec<(String, String)> {
    let moments: Vec<_> = (1..10).map(day).collect();
    let lifetimes = Lifetimes::new([("release".to_owned(), Some(3))]);
    let census = Census::take(present.to_vec(), past(changes), &lifetimes, &moments);
    let letter = |counts: &HealthCounts| match (counts.healthy, counts.stale, counts.potentially_stale) {
        (0, 0, 0) => '-',
        (1, 0, 0) => 'h',
        (0, 1, 0) => 's',
        (0, 0, 1) => 'p',
        other => panic!("one feature is in one state, not {other:?}"),
    };
    census.by_project().map(|(project, counts)| (project.to_owned(), counts.iter().map(letter).collect())).collect()
}

fn in_p(days: &str) -> Vec<(String, String)> {
    vec![("p".to_owned(), days.to_owned())]
}

fn deleted(kind: &str) -> Change {
    Change::Deleted { project: "p".to_owned(), kind: Some(kind.to_owned()), stale: false }
}

#[test]
fn a_feature_counts_from_its_creation() {
    assert_eq!(lives(&[present(4)], &[]), in_p("---hhhhhh"));
    assert_eq!(lives(&[present(4)], &[(4, Change::Created)]), in_p("---hhhhhh"));
}

#[test]
fn an_archived_feature_counts_until_then_with_or_without_the_event() {
    let archived = Present { archived_at: Some(day(6)), ..present(2) };
    assert_eq!(lives(std::slice::from_ref(&archived), &[]), in_p("-hhhh----"));
    assert_eq!(lives(&[archived], &[(6, Change::Archived)]), in_p("-hhhh----"));
}

#[test]
fn time_in_the_archive_does_not_count() {
    let changes = [(3, Change::Archived), (6, Change::Revived)];
    assert_eq!(lives(&[present(2)], &changes), in_p("-h---hhhh"));
}

#[test]
fn marks_count_while_they_stand() {
    let changes = [(3, Change::StaleOn), (5, Change::StaleOff)];
    assert_eq!(lives(&[present(2)], &changes), in_p("-hsshhhhh"));
    let stale = Present { stale: true, ..present(2) };
    assert_eq!(lives(&[stale], &[(8, Change::StaleOn)]), in_p("-hhhhhhss"));
}

#[test]
fn age_counts_from_the_day_it_is_reached_unless_marked() {
    let release = Present { kind: "release".to_owned(), ..present(2) };
    assert_eq!(lives(std::slice::from_ref(&release), &[]), in_p("-hhhppppp"));
    let changes = [(6, Change::StaleOn), (8, Change::StaleOff)];
    assert_eq!(lives(&[release], &changes), in_p("-hhhpsspp"));
}

#[test]
fn a_moved_feature_counts_where_it_was() {
    let changes = [(5, Change::Moved { from: "q".to_owned() })];
    let expected = vec![("p".to_owned(), "----hhhhh".to_owned()), ("q".to_owned(), "-hhh-----".to_owned())];
    assert_eq!(lives(&[present(2)], &changes), expected);
}

#[test]
fn a_deleted_feature_counts_until_it_was_archived() {
    let changes = [(2, Change::Created), (5, Change::Archived), (7, deleted("permission"))];
    assert_eq!(lives(&[], &changes), in_p("-hhh-----"));
    let changes = [(2, Change::Created), (7, Change::Archived), (8, deleted("release"))];
    assert_eq!(lives(&[], &changes), in_p("-hhhpp---"));
}

#[test]
fn a_name_that_was_used_before_has_two_lives() {
    let changes = [(1, Change::Created), (3, Change::Archived), (4, deleted("permission")), (6, Change::Created)];
    assert_eq!(lives(&[present(6)], &changes), in_p("hh---hhhh"));
    // Also when the log does not tell of the second beginning.
    assert_eq!(lives(&[present(6)], &changes[..3]), in_p("hh---hhhh"));
}

#[test]
fn without_a_beginning_a_deleted_feature_counts_from_its_oldest_change() {
    let stale = Change::Deleted { project: "p".to_owned(), kind: None, stale: true };
    let changes = [(3, Change::StaleOn), (5, Change::Archived), (6, stale)];
    assert_eq!(lives(&[], &changes), in_p("--ss-----"));
}

#[test]
fn each_project_counts_its_own() {
    let other = Present { name: "g".to_owned(), project: "q".to_owned(), stale: true, ..present(3) };
    let moments = [day(2), day(3)];
    let lifetimes = Lifetimes::default();
    let census = Census::take(vec![present(2), other], Vec::new(), &lifetimes, &moments);
    let healthy = HealthCounts { healthy: 1, ..HealthCounts::default() };
    let stale = HealthCounts { stale: 1, ..HealthCounts::default() };
    let counts: Vec<_> = census.by_project().collect();
    assert_eq!(counts, [("p", vec![healthy, healthy]), ("q", vec![HealthCounts::default(), stale])]);
}
