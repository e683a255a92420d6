//! The day: who comes when, and how often.

use std::time::Duration;

/// A kind of request, in the order of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum What {
    Search,
    Overview,
    Feature,
    Health,
    Events,
    Playground,
    Patch,
    Toggle,
    Create,
    Archive,
    Features,
    Frontend,
    OpenFeature,
    Usage,
    Register,
    StreamOpened,
    StreamTold,
    Import,
    Export,
}

/// Group of kinds whose requests are drawn in one picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Group {
    Looking,
    Changing,
    Programs,
    Streams,
    Bulk,
}

impl Group {
    pub(crate) const ALL: [Self; 5] = [Self::Looking, Self::Changing, Self::Programs, Self::Streams, Self::Bulk];

    /// Title in the report.
    pub(crate) const fn title(self) -> &'static str {
        match self {
            Self::Looking => "People who look",
            Self::Changing => "People who change",
            Self::Programs => "Programs that ask and report",
            Self::Streams => "Programs that listen",
            Self::Bulk => "Imports and exports",
        }
    }
}

/// Pace at which requests of a kind arrive. None waits for the answer to another.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Pace {
    /// So many a second, as people come.
    People(f64),
    /// So many a second, as programs run.
    Programs(f64),
    /// So many times in the day, evenly.
    Times(u32),
    /// As streams have it.
    Streams,
}

/// Properties of a kind of work.
pub(crate) struct Kind {
    pub(crate) what: What,
    pub(crate) name: &'static str,
    pub(crate) group: Group,
    pub(crate) pace: Pace,
}

const fn kind(what: What, name: &'static str, group: Group, pace: Pace) -> Kind {
    Kind { what, name, group, pace }
}

/// All kinds, in the order of [`What`].
pub(crate) const KINDS: [Kind; 19] = [
    kind(What::Search, "search of features", Group::Looking, Pace::People(3.0)),
    kind(What::Overview, "project overview", Group::Looking, Pace::People(1.5)),
    kind(What::Feature, "one feature", Group::Looking, Pace::People(2.0)),
    kind(What::Health, "health report", Group::Looking, Pace::People(0.3)),
    kind(What::Events, "event search", Group::Looking, Pace::People(0.7)),
    kind(What::Playground, "playground, one project", Group::Looking, Pace::People(0.3)),
    kind(What::Patch, "a description changed", Group::Changing, Pace::People(0.2)),
    kind(What::Toggle, "switched in production", Group::Changing, Pace::People(0.25)),
    kind(What::Create, "a feature made", Group::Changing, Pace::People(0.15)),
    kind(What::Archive, "a feature archived", Group::Changing, Pace::People(0.08)),
    kind(What::Features, "client features, with ETag", Group::Programs, Pace::Programs(4.0)),
    kind(What::Frontend, "one browser's flags", Group::Programs, Pace::Programs(12.0)),
    kind(What::OpenFeature, "one browser's flags, OFREP", Group::Programs, Pace::Programs(2.0)),
    kind(What::Usage, "report of usage", Group::Programs, Pace::Programs(3.0)),
    kind(What::Register, "a program registers", Group::Programs, Pace::Programs(0.3)),
    kind(What::StreamOpened, "a stream opened, with everything", Group::Streams, Pace::Streams),
    kind(What::StreamTold, "a switch, until a stream tells it", Group::Streams, Pace::Streams),
    kind(What::Import, "import of a project", Group::Bulk, Pace::Times(10)),
    kind(What::Export, "export of a project", Group::Bulk, Pace::Times(5)),
];

/// A part of the day.
pub(crate) struct Phase {
    pub(crate) name: &'static str,
    /// When it begins and ends, in hundredths of the day.
    pub(crate) from: u32,
    pub(crate) until: u32,
    people: f64,
    programs: f64,
}

/// The parts of the day.
pub(crate) const PHASES: [Phase; 6] = [
    Phase { name: "night", from: 0, until: 15, people: 0.1, programs: 0.5 },
    Phase { name: "morning", from: 15, until: 38, people: 1.2, programs: 1.0 },
    Phase { name: "noon peak", from: 38, until: 58, people: 2.5, programs: 2.0 },
    Phase { name: "deploy", from: 58, until: 72, people: 1.0, programs: 2.5 },
    Phase { name: "afternoon", from: 72, until: 90, people: 1.5, programs: 1.2 },
    Phase { name: "evening", from: 90, until: 100, people: 0.3, programs: 0.7 },
];
/// When a backup is made, when the deploy begins at which programs start anew, and when the server is replaced.
pub(crate) const BACKUP: u32 = 28;
pub(crate) const DEPLOY: u32 = 58;
pub(crate) const UPGRADE: u32 = 63;

/// Length of the day, and factor for its load.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plan {
    pub(crate) time: Duration,
    pub(crate) rate: f64,
}

impl Plan {
    /// The moment of so many hundredths of the day.
    pub(crate) fn moment(self, hundredths: u32) -> Duration {
        self.time * hundredths / 100
    }

    /// Requests a second of such a pace at this moment.
    pub(crate) fn rate(self, pace: Pace, at: Duration) -> f64 {
        let phase = PHASES.iter().find(|phase| at < self.moment(phase.until)).unwrap_or(&PHASES[0]);
        self.rate
            * match pace {
                Pace::People(rate) => rate * phase.people,
                Pace::Programs(rate) => rate * phase.programs,
                Pace::Times(_) | Pace::Streams => 0.0,
            }
    }
}
