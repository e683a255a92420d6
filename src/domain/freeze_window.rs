//! Freeze windows: times in which an environment, or all of them, must not be changed.

mod document;
mod occurrence;
#[cfg(test)]
mod tests;

use std::{collections::BTreeSet, fmt};

use chrono::Weekday;
use chrono_tz::Tz;
use poem_openapi::Enum;
use serde::Serialize;

pub use self::document::{FreezeWindowDocument, OnceBody, WantedWindow, WeeklyBody};

use crate::{
    text::{has_nul, is_longer},
    time::Timestamp,
};

/// Most windows of an environment, and of the instance.
pub const MOST_WINDOWS: u64 = 100;
/// Most characters of a reason.
pub const MAX_REASON_LENGTH: usize = 500;
/// Most roles that are exempt from a window.
pub const MOST_EXEMPT: usize = 50;
/// Minutes of a day.
pub const DAY_MINUTES: u16 = 24 * 60;
/// Windows that follow each other without a gap are taken for one, up to so many.
const MOST_IN_A_ROW: usize = 60;

/// Time of a freeze.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum When {
    /// Once, from an instant until before another.
    Once {
        /// First instant.
        from: Timestamp,
        /// Instant of the end.
        to: Timestamp,
        /// Zone in which both are shown.
        zone: Tz,
    },
    /// On days of every week.
    Weekly {
        /// Days on which it begins.
        days: BTreeSet<Day>,
        /// Minute of the day at which it begins.
        from: u16,
        /// Minute at which it ends: of the same day if it is greater, else of the next.
        to: u16,
        /// Zone of days and minutes.
        zone: Tz,
    },
}

/// Day of the week.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Enum, Serialize)]
#[oai(rename = "DayOfWeek", rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum Day {
    /// Monday.
    Monday,
    /// Tuesday.
    Tuesday,
    /// Wednesday.
    Wednesday,
    /// Thursday.
    Thursday,
    /// Friday.
    Friday,
    /// Saturday.
    Saturday,
    /// Sunday.
    Sunday,
}

impl Day {
    /// Every day, in the order of the week.
    pub const ALL: [Self; 7] =
        [Self::Monday, Self::Tuesday, Self::Wednesday, Self::Thursday, Self::Friday, Self::Saturday, Self::Sunday];

    /// The name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Monday => "monday",
            Self::Tuesday => "tuesday",
            Self::Wednesday => "wednesday",
            Self::Thursday => "thursday",
            Self::Friday => "friday",
            Self::Saturday => "saturday",
            Self::Sunday => "sunday",
        }
    }

    /// Reads the name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|day| day.as_str() == name)
    }

    const fn of(day: Weekday) -> Self {
        Self::ALL[day.num_days_from_monday() as usize]
    }
}

/// Content of a freeze window.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FreezeWindow {
    /// Environment that it is about; `None` for all.
    pub environment: Option<String>,
    /// Time of the freeze.
    pub when: When,
    /// Reason of the freeze.
    pub reason: String,
    /// Ids of the roles whose holders are exempt.
    pub exempt_roles: BTreeSet<i64>,
}

/// Change of an environment, as far as a freeze looks at it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Act {
    /// Any change of a user.
    Write,
    /// A feature is switched off, which is always possible.
    SwitchOff,
    /// A safeguard acts, which is always possible.
    Safeguard,
}

/// A freeze that prevents a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frozen<'a> {
    /// Window that lasts longest.
    pub window: &'a FreezeWindow,
    /// When no window that counts lasts any longer; `None` where one follows the other without an end.
    pub until: Option<Timestamp>,
}

impl Frozen<'_> {
    /// Returns the freeze of an environment.
    pub fn of(&self, environment: &str) -> Freeze {
        Freeze {
            environment: environment.to_owned(),
            reason: self.window.reason.clone(),
            until: self.until,
            zone: self.window.when.zone(),
        }
    }
}

/// Freeze of an environment, in force. `Display` is a sentence without the full stop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Freeze {
    /// Name of the environment.
    pub environment: String,
    /// Reason of the freeze.
    pub reason: String,
    /// End of the freeze; `None` where there is none.
    pub until: Option<Timestamp>,
    /// Zone in which the end is shown.
    pub zone: Tz,
}

impl fmt::Display for Freeze {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { environment, reason, until, zone } = self;
        write!(f, "The \"{environment}\" environment is frozen ")?;
        match until {
            Some(until) => {
                let local = until.instant().with_timezone(zone);
                let minutes = if until.millis() % 60_000 == 0 { "%Y-%m-%d %H:%M" } else { "%Y-%m-%d %H:%M:%S" };
                write!(f, "until {} ({zone})", local.format(minutes))?;
            }
            None => f.write_str("without an end")?,
        }
        write!(f, ": \"{reason}\"")
    }
}

/// Freeze of an environment that is in force, or the next one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outlook<'a> {
    /// When it begins; `None` for one that is in force.
    pub from: Option<Timestamp>,
    /// The freeze.
    pub frozen: Frozen<'a>,
    /// Whether it is no obstacle for the roles that were asked about.
    pub is_exempt: bool,
}

impl When {
    /// Zone of its times.
    pub const fn zone(&self) -> Tz {
        match self {
            Self::Once { zone, .. } | Self::Weekly { zone, .. } => *zone,
        }
    }

    /// Whether it can be set. The error is the end of a sentence about the times.
    pub fn judge(&self) -> Result<(), &'static str> {
        match self {
            Self::Once { from, to, .. } if from >= to => Err("must end after the beginning"),
            Self::Weekly { days, .. } if days.is_empty() => Err("must name a day of the week"),
            Self::Weekly { from, to, .. } if *from >= DAY_MINUTES || *to > DAY_MINUTES => {
                Err("must begin and end within a day")
            }
            Self::Weekly { from, to, .. } if from == to => Err("must not begin and end at the same time"),
            _ => Ok(()),
        }
    }
}

/// Reads the name of a time zone.
pub fn read_zone(name: &str) -> Option<Tz> {
    name.parse().ok()
}

impl FreezeWindow {
    /// Whether it can be set. The error names the property, and is the end of a sentence about it.
    pub fn judge(&self) -> Result<(), (&'static str, String)> {
        self.when.judge().map_err(|reason| ("when", reason.to_owned()))?;
        let reason = self.reason.trim();
        if reason.is_empty() || is_longer(reason, MAX_REASON_LENGTH) || has_nul(reason) {
            return Err(("reason", format!("must have 1 to {MAX_REASON_LENGTH} characters")));
        }
        if self.exempt_roles.len() > MOST_EXEMPT {
            return Err(("exemptRoles", format!("must name at most {MOST_EXEMPT} roles")));
        }
        Ok(())
    }

    /// Whether it is about an environment.
    pub fn covers(&self, environment: &str) -> bool {
        self.environment.as_deref().is_none_or(|own| own == environment)
    }

    /// Returns when the occurrence ends that an instant is in, or `None` outside.
    pub fn ends_at(&self, now: Timestamp) -> Option<Timestamp> {
        match &self.when {
            When::Once { from, to, .. } => (*from <= now && now < *to).then_some(*to),
            When::Weekly { days, from, to, zone } => occurrence::end(days, (*from, *to), *zone, now),
        }
    }

    /// Returns when it begins next after an instant, or `None` if it does not.
    fn begins_after(&self, now: Timestamp) -> Option<Timestamp> {
        match &self.when {
            When::Once { from, .. } => (*from > now).then_some(*from),
            When::Weekly { days, from, zone, .. } => occurrence::next(days, *from, *zone, now),
        }
    }
}

/// Returns the freeze that prevents a change of an environment by a user with these roles, if any.
pub fn frozen<'a>(
    windows: &'a [FreezeWindow],
    environment: &str,
    roles: &BTreeSet<i64>,
    act: Act,
    now: Timestamp,
) -> Option<Frozen<'a>> {
    if act != Act::Write {
        return None;
    }
    let counts = |window: &&FreezeWindow| window.covers(environment) && window.exempt_roles.is_disjoint(roles);
    let windows: Vec<&FreezeWindow> = windows.iter().filter(counts).collect();
    let last = |at: Timestamp| {
        let ends = windows.iter().filter_map(|window| Some((window.ends_at(at)?, *window)));
        ends.max_by_key(|(end, _)| *end)
    };
    let (mut until, mut window) = last(now)?;
    for _ in 0..MOST_IN_A_ROW {
        match last(until) {
            Some(later) => (until, window) = later,
            None => return Some(Frozen { window, until: Some(until) }),
        }
    }
    Some(Frozen { window, until: None })
}

/// Returns the freeze of an environment that is in force, or else the next one, as a user with these roles meets it.
pub fn outlook<'a>(
    windows: &'a [FreezeWindow],
    environment: &str,
    roles: &BTreeSet<i64>,
    now: Timestamp,
) -> Option<Outlook<'a>> {
    let nobody = BTreeSet::new();
    let at = |instant: Timestamp, roles: &BTreeSet<i64>| frozen(windows, environment, roles, Act::Write, instant);
    if let Some(present) = at(now, &nobody) {
        return Some(Outlook { from: None, frozen: present, is_exempt: at(now, roles).is_none() });
    }
    let covering = windows.iter().filter(|window| window.covers(environment));
    let from = covering.filter_map(|window| window.begins_after(now)).min()?;
    Some(Outlook { from: Some(from), frozen: at(from, &nobody)?, is_exempt: at(from, roles).is_none() })
}
