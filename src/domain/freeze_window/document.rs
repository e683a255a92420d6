//! Freeze windows, as requests, answers and events have them.

use std::collections::BTreeSet;

use chrono_tz::Tz;
use flagstone_wire::Nullable;
use poem_openapi::Object;
use serde::Serialize;

use super::{Day, FreezeWindow, When, read_zone};
use crate::time::Timestamp;

/// Instants between which a window that comes once is in force.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Object)]
#[oai(rename = "FreezeOnce")]
pub struct OnceBody {
    /// First instant.
    pub from: Timestamp,
    /// Instant of the end, after the first.
    pub to: Timestamp,
}

/// Hours on days of every week in which a window is in force.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
#[oai(rename = "FreezeWeekly")]
pub struct WeeklyBody {
    /// Days on which it begins: one or more.
    #[oai(validator(min_items = 1, max_items = 7))]
    pub days: Vec<Day>,
    /// Time of the day at which it begins, such as `18:00`.
    #[oai(validator(max_length = 5, pattern = "^([01][0-9]|2[0-3]):[0-5][0-9]$"))]
    pub from: String,
    /// Time at which it ends, up to `24:00`: of the same day if it is later than the beginning, else of the next.
    #[oai(validator(max_length = 5, pattern = "^(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)$"))]
    pub to: String,
}

/// Time in which an environment, or each of them, must not be changed.
#[serde_with_macros::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
#[oai(rename = "FreezeWindow", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct FreezeWindowDocument {
    /// Id of the window.
    pub id: i64,
    /// Name of the environment; `null` for each of them.
    pub environment: Nullable<String>,
    /// Time of a window that comes once; absent for one that recurs.
    pub once: Option<OnceBody>,
    /// Time of a window that recurs; absent for one that comes once.
    pub weekly: Option<WeeklyBody>,
    /// Time zone of its days and hours, in which its instants are shown, by its name in the IANA database.
    pub zone: String,
    /// Reason of the freeze.
    pub reason: String,
    /// Ids of the roles whose holders may make changes nevertheless, lowest first.
    pub exempt_roles: Vec<i64>,
}

/// Settings of a freeze window: it comes once or weekly, one of the two.
#[derive(Debug, Clone, PartialEq, Eq, Object)]
#[oai(rename = "CreateFreezeWindow", rename_all = "camelCase")]
pub struct WantedWindow {
    /// Name of the environment. Absent or `null`: each of them.
    #[oai(validator(max_length = 100))]
    pub environment: Option<Nullable<String>>,
    /// Time of a window that comes once.
    pub once: Option<OnceBody>,
    /// Time of a window that recurs.
    pub weekly: Option<WeeklyBody>,
    /// Time zone of the days and hours, in which instants are shown, by its name in the IANA database, such as
    /// `Europe/Berlin`. Absent means `UTC`.
    #[oai(validator(min_length = 1, max_length = 100))]
    pub zone: Option<String>,
    /// Reason of the freeze, which everybody who is refused reads: 1 to 500 characters, not only blanks.
    #[oai(validator(min_length = 1, max_length = 500, pattern = r"\S"))]
    pub reason: String,
    /// Ids of the roles whose holders may make changes nevertheless, root roles or roles in the project of a change; at
    /// most 50. Absent means none.
    #[oai(validator(max_items = 50))]
    pub exempt_roles: Option<Vec<i64>>,
}

impl FreezeWindowDocument {
    /// Returns the document of a window.
    pub fn new(id: i64, window: &FreezeWindow) -> Self {
        let (once, weekly) = match &window.when {
            When::Once { from, to, .. } => (Some(OnceBody { from: *from, to: *to }), None),
            When::Weekly { days, from, to, .. } => {
                let days = days.iter().copied().collect();
                (None, Some(WeeklyBody { days, from: write_minute(*from), to: write_minute(*to) }))
            }
        };
        Self {
            id,
            environment: window.environment.clone().into(),
            once,
            weekly,
            zone: window.when.zone().name().to_owned(),
            reason: window.reason.clone(),
            exempt_roles: window.exempt_roles.iter().copied().collect(),
        }
    }
}

impl WantedWindow {
    /// Returns the window that is asked for. The error names the property, and is the end of a sentence about it.
    pub fn read(self) -> Result<FreezeWindow, (&'static str, String)> {
        let refuse = |property, rule: &str| Err((property, rule.to_owned()));
        let zone = match self.zone.as_deref().map(read_zone) {
            None => Tz::UTC,
            Some(Some(zone)) => zone,
            Some(None) => return refuse("zone", "must be the name of a time zone, such as Europe/Berlin"),
        };
        let (when, property) = match (self.once, self.weekly) {
            (Some(OnceBody { from, to }), None) => (When::Once { from, to, zone }, "once"),
            (None, Some(weekly)) => {
                let days: BTreeSet<Day> = weekly.days.into_iter().collect();
                let Some(from) = read_minute(&weekly.from) else {
                    return refuse("weekly/from", "must be a time of the day, such as 18:00");
                };
                let Some(to) = read_minute(&weekly.to) else {
                    return refuse("weekly/to", "must be a time of the day, such as 06:00");
                };
                (When::Weekly { days, from, to, zone }, "weekly")
            }
            (Some(_), Some(_)) => return refuse("weekly", "must be absent where `once` is there"),
            (None, None) => return refuse("once", "must be there, unless `weekly` is"),
        };
        let window = FreezeWindow {
            environment: self.environment.and_then(Nullable::into_inner),
            when,
            reason: self.reason.trim().to_owned(),
            exempt_roles: self.exempt_roles.unwrap_or_default().into_iter().collect(),
        };
        match window.judge() {
            Ok(()) => Ok(window),
            Err(("when", rule)) => Err((property, rule)),
            Err(fault) => Err(fault),
        }
    }
}

fn write_minute(minute: u16) -> String {
    format!("{:02}:{:02}", minute / 60, minute % 60)
}

fn read_minute(text: &str) -> Option<u16> {
    let (hours, minutes) = text.split_once(':')?;
    let number = |digits: &str, most: u16| {
        let is_number = digits.len() == 2 && digits.bytes().all(|digit| digit.is_ascii_digit());
        digits.parse().ok().filter(|number: &u16| is_number && *number <= most)
    };
    let minute = number(hours, 24)? * 60 + number(minutes, 59)?;
    (minute <= super::DAY_MINUTES).then_some(minute)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weekly(from: &str, to: &str) -> WantedWindow {
        WantedWindow {
            environment: None,
            once: None,
            weekly: Some(WeeklyBody { days: vec![Day::Friday], from: from.to_owned(), to: to.to_owned() }),
            zone: Some("Europe/Berlin".to_owned()),
            reason: " Weekend ".to_owned(),
            exempt_roles: Some(vec![4, 1, 4]),
        }
    }

    fn refused(wanted: WantedWindow) -> Option<&'static str> {
        wanted.read().err().map(|(property, _)| property)
    }

    #[test]
    fn a_window_is_shown_as_it_was_asked_for() {
        let window = weekly("18:05", "24:00").read().expect("a window");
        let shown = serde_json::to_value(FreezeWindowDocument::new(7, &window)).expect("JSON");
        let expected = serde_json::json!({
            "id": 7, "environment": null, "weekly": { "days": ["friday"], "from": "18:05", "to": "24:00" },
            "zone": "Europe/Berlin", "reason": "Weekend", "exemptRoles": [1, 4],
        });
        assert_eq!(shown, expected);
        let (from, to) = (Timestamp::from_millis(0), Timestamp::from_millis(60_000));
        let once = WantedWindow { weekly: None, once: Some(OnceBody { from, to }), zone: None, ..weekly("", "") };
        let shown = FreezeWindowDocument::new(8, &once.read().expect("a window"));
        assert_eq!((shown.once, shown.weekly, &*shown.zone), (Some(OnceBody { from, to }), None, "UTC"));
    }

    #[test]
    fn each_fault_is_told_by_its_property() {
        let at = Timestamp::from_millis(0);
        let backwards = Some(OnceBody { from: at, to: at });
        let cases = [
            (weekly("18:00", "06:00"), None),
            (weekly("18:00", "18:00"), Some("weekly")),
            (weekly("24:00", "06:00"), Some("weekly")),
            (weekly("18:60", "06:00"), Some("weekly/from")),
            (weekly("+8:00", "06:00"), Some("weekly/from")),
            (weekly("18:00", "24:01"), Some("weekly/to")),
            (weekly("18:00", "6"), Some("weekly/to")),
            (WantedWindow { once: backwards, ..weekly("18:00", "06:00") }, Some("weekly")),
            (WantedWindow { weekly: None, ..weekly("", "") }, Some("once")),
            (WantedWindow { weekly: None, once: backwards, ..weekly("", "") }, Some("once")),
            (WantedWindow { zone: Some("Mars".to_owned()), ..weekly("18:00", "06:00") }, Some("zone")),
            (WantedWindow { reason: " ".to_owned(), ..weekly("18:00", "06:00") }, Some("reason")),
        ];
        for (wanted, expected) in cases {
            assert_eq!(refused(wanted.clone()), expected, "{wanted:?}");
        }
    }
}
