//! Occurrences of what recurs on days of the week, in a time zone whose days have 23 to 25 hours.

use std::collections::BTreeSet;

use chrono::{Datelike as _, Days, Duration, NaiveDate, NaiveDateTime, NaiveTime, TimeZone as _};
use chrono_tz::Tz;

use super::Day;
use crate::time::Timestamp;

/// Minutes in which a clock that is put forward shows a time again, at most.
const LONGEST_GAP_MINUTES: i64 = 26 * 60;

/// Days in which each day of the week comes again, also where a zone leaves one out.
const DAYS_AHEAD: u64 = 14;

/// Returns the end of the occurrence that an instant is in: one that began on the same day of the zone, or the day before.
pub(super) fn end(days: &BTreeSet<Day>, (from, to): (u16, u16), zone: Tz, now: Timestamp) -> Option<Timestamp> {
    let today = now.instant().with_timezone(&zone).date_naive();
    let yesterday = today.checked_sub_days(Days::new(1));
    let candidates = [yesterday, Some(today)].into_iter().flatten();
    let ends = candidates.filter(|day| days.contains(&Day::of(day.weekday()))).filter_map(|day| {
        let end_day = if to > from { Some(day) } else { day.checked_add_days(Days::new(1)) };
        let begin = instant(zone, day, from, Side::Earliest)?;
        let end = instant(zone, end_day?, to, Side::Latest)?;
        (begin <= now && now < end).then_some(end)
    });
    ends.max()
}

/// Returns the next beginning after an instant.
pub(super) fn next(days: &BTreeSet<Day>, from: u16, zone: Tz, now: Timestamp) -> Option<Timestamp> {
    let today = now.instant().with_timezone(&zone).date_naive();
    let candidates = (0..=DAYS_AHEAD).filter_map(|ahead| today.checked_add_days(Days::new(ahead)));
    let begins = candidates.filter(|day| days.contains(&Day::of(day.weekday())));
    begins.filter_map(|day| instant(zone, day, from, Side::Earliest)).filter(|begin| *begin > now).min()
}

/// Reading of a time that a clock shows twice.
#[derive(Clone, Copy)]
enum Side {
    Earliest,
    Latest,
}

/// Instant at a minute of a day, the last minute being the beginning of the next day. One that the clock skips is that at
/// which the clock goes on.
fn instant(zone: Tz, day: NaiveDate, minute: u16, side: Side) -> Option<Timestamp> {
    let wanted = day.and_time(NaiveTime::MIN).checked_add_signed(Duration::minutes(i64::from(minute)))?;
    let shown = |local: NaiveDateTime| {
        let found = zone.from_local_datetime(&local);
        match side {
            Side::Earliest => found.earliest(),
            Side::Latest => found.latest(),
        }
    };
    let exact =
        (0..LONGEST_GAP_MINUTES).find_map(|later| shown(wanted.checked_add_signed(Duration::minutes(later))?))?;
    Some(Timestamp::from_millis(exact.timestamp_millis()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn end_at(days: &[Day], hours: (u16, u16), zone: Tz, now: &str) -> Option<String> {
        let now = Timestamp::parse(now).expect("an instant");
        let days = days.iter().copied().collect();
        end(&days, (hours.0 * 60, hours.1 * 60), zone, now).map(|end| end.to_string())
    }

    #[test]
    fn hours_are_those_of_the_zone_on_the_days_of_the_zone() {
        let friday_evening = |now| end_at(&[Day::Friday], (18, 22), Tz::America__New_York, now);
        let end = Some("2026-11-28T03:00:00.000Z".to_owned());
        assert_eq!(friday_evening("2026-11-27T23:00:00Z"), end);
        assert_eq!(friday_evening("2026-11-28T02:59:59.999Z"), end);
        for outside in ["2026-11-27T22:59:59.999Z", "2026-11-28T03:00:00Z", "2026-11-26T23:30:00Z"] {
            assert_eq!(friday_evening(outside), None, "{outside}");
        }
    }

    #[test]
    fn a_night_belongs_to_the_day_on_which_it_begins() {
        let night = |now| end_at(&[Day::Friday], (22, 6), Tz::UTC, now);
        let end = Some("2026-11-28T06:00:00.000Z".to_owned());
        for inside in ["2026-11-27T22:00:00Z", "2026-11-28T00:00:00Z", "2026-11-28T05:59:59Z"] {
            assert_eq!(night(inside), end, "{inside}");
        }
        for outside in ["2026-11-27T05:00:00Z", "2026-11-28T06:00:00Z", "2026-11-28T22:30:00Z"] {
            assert_eq!(night(outside), None, "{outside}");
        }
    }

    #[test]
    fn clocks_that_are_changed_make_a_window_neither_vanish_nor_shrink() {
        let sunday = |hours, now| end_at(&[Day::Sunday], hours, Tz::Europe__Berlin, now);
        // 2026-03-29: from 02:00 the clock shows 03:00, which is 01:00 UTC.
        assert_eq!(sunday((1, 2), "2026-03-29T00:30:00Z").as_deref(), Some("2026-03-29T01:00:00.000Z"));
        assert_eq!(sunday((2, 4), "2026-03-29T01:00:00Z").as_deref(), Some("2026-03-29T02:00:00.000Z"));
        // 2026-10-25: at 03:00 the clock shows 02:00 again, so that this hour comes twice.
        for now in ["2026-10-25T00:00:00Z", "2026-10-25T00:30:00Z", "2026-10-25T01:59:59Z"] {
            assert_eq!(sunday((2, 3), now).as_deref(), Some("2026-10-25T02:00:00.000Z"), "{now}");
        }
        assert_eq!(sunday((1, 2), "2026-10-25T00:30:00Z").as_deref(), Some("2026-10-25T01:00:00.000Z"));
    }

    #[test]
    fn the_next_beginning_is_on_the_next_of_the_days() {
        let next_of = |days: &[Day], hour: u16, now: &str| {
            let days = days.iter().copied().collect();
            next(&days, hour * 60, Tz::Europe__Berlin, Timestamp::parse(now).expect("an instant"))
        };
        let at = |text| Timestamp::parse(text);
        assert_eq!(next_of(&[Day::Friday], 18, "2026-11-27T16:59:59Z"), at("2026-11-27T17:00:00Z"));
        assert_eq!(next_of(&[Day::Friday], 18, "2026-11-27T17:00:00Z"), at("2026-12-04T17:00:00Z"));
        assert_eq!(next_of(&[Day::Monday, Day::Friday], 0, "2026-11-28T12:00:00Z"), at("2026-11-29T23:00:00Z"));
        // The clock skips this hour on that day.
        assert_eq!(next_of(&[Day::Sunday], 2, "2026-03-28T12:00:00Z"), at("2026-03-29T01:00:00Z"));
        assert_eq!(next_of(&[], 2, "2026-03-28T12:00:00Z"), None);
    }

    #[test]
    fn a_whole_day_ends_with_the_next_also_where_that_day_does_not_exist() {
        let day = |day, zone, now| end_at(&[day], (0, 24), zone, now);
        assert_eq!(day(Day::Sunday, Tz::UTC, "2026-11-29T12:00:00Z").as_deref(), Some("2026-11-30T00:00:00.000Z"));
        // Samoa had no 30 December 2011.
        let last = day(Day::Thursday, Tz::Pacific__Apia, "2011-12-30T09:00:00Z");
        assert_eq!(last.as_deref(), Some("2011-12-30T10:00:00.000Z"));
    }
}
