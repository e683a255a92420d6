//! Reports of programs, gathered in memory until a job writes them. Whatever they report, it does not grow beyond
//! bounds.

mod left_out;
mod notes;
mod recent;
mod samples;

use std::{
    collections::{BTreeSet, HashMap},
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use flagstone_domain::{
    time::Timestamp,
    unknown_flag::UnknownFlag,
    usage::{Gathered, HeardApplication, HeardInstance, InstanceKey, KnownReport, Tally, TallyKey, is_name},
};

use self::{left_out::LeftOutCounts, notes::Notes, recent::RecentReports};
pub use self::{left_out::WhyLeftOut, samples::ContextSamples};

/// Applications that are noted between two writes.
const APPLICATIONS: usize = 2_000;
/// Running copies that are noted between two writes.
const INSTANCES: usize = 20_000;
/// Time for which a running copy counts after its last report: programs report once a minute.
const LATELY_MS: i64 = 5 * 60_000;
/// Projects that are noted of an application between two writes.
const PROJECTS: usize = 1_000;
/// Strategy names that are kept of an application.
const STRATEGIES: usize = 200;
/// Bytes of them.
const STRATEGY_BYTES: usize = 8 << 10;

/// Description of a program by itself.
#[derive(Debug, Clone, Default)]
pub struct Introduction {
    /// Name of the application.
    pub application: String,
    /// Name of the running copy, if it gave one.
    pub instance: Option<String>,
    /// Name of the environment.
    pub environment: String,
    /// Name and version of the SDK.
    pub sdk_version: Option<String>,
    /// Names of the strategies that it knows.
    pub strategies: Vec<String>,
    /// Name of the token that it came with.
    pub token: String,
    /// Ids of the projects that the token names; none where it reaches all.
    pub projects: Vec<String>,
}

/// Id by which a report is recognised when it comes again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportId {
    /// Something that no other report has.
    pub id: String,
    /// Time for which it is recognised, in milliseconds.
    pub lasts_ms: i64,
}

/// Amounts of gathered usage, for the metrics.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Buffered {
    /// Counts of features that wait to be written.
    pub tallies: usize,
    /// Applications and running copies that wait to be written.
    pub programs: usize,
    /// Reports that were left out since the start for want of room.
    pub dropped: u64,
}

/// Reports of programs that are not written yet. One for each node.
#[derive(Debug, Default)]
pub struct Usage {
    notes: Mutex<Notes>,
    /// When running copies were heard of lately, where they are counted.
    lately: Option<Mutex<HashMap<InstanceKey, Timestamp>>>,
    /// The reports that were counted lately, where no database remembers them.
    recent: Option<Mutex<RecentReports>>,
    dropped_before: AtomicU64,
    left_out: LeftOutCounts,
    repeated: AtomicU64,
    /// Whether anything was noted or taken since the last look.
    is_changed: AtomicBool,
}

impl Usage {
    /// Usage of an edge, which has no database that lists running copies and remembers reports.
    pub fn of_edge() -> Self {
        Self { lately: Some(Mutex::default()), recent: Some(Mutex::default()), ..Self::default() }
    }

    /// Counts evaluations.
    pub fn count(&self, key: TallyKey, tally: Tally, now: Timestamp) {
        if tally.is_empty() {
            return;
        }
        let mut notes = self.lock_to_change();
        let evaluated = (key.feature.clone(), key.environment.clone());
        if notes.add(key, tally) {
            notes.evaluated.insert(evaluated, now);
        }
    }

    /// Counts the tallies of a report, unless it is known to have been counted.
    pub fn count_report(&self, id: Option<ReportId>, mut told: Vec<(TallyKey, Tally)>, now: Timestamp) {
        told.retain(|(_, tally)| !tally.is_empty());
        let count =
            |told: Vec<(TallyKey, Tally)>| told.into_iter().for_each(|(key, tally)| self.count(key, tally, now));
        let Some(ReportId { id, lasts_ms }) = id.filter(|_| !told.is_empty()) else { return count(told) };
        let until = now.plus_millis(lasts_ms);
        if let Some(recent) = &self.recent {
            let is_new = lock(recent).remember(id, until, now);
            return if is_new { count(told) } else { self.repeated(1) };
        }
        let mut report = KnownReport { until, ..KnownReport::default() };
        for (key, tally) in told {
            report.tallies.entry(key).or_default().add(tally);
        }
        let mut notes = self.lock_to_change();
        if notes.reports.contains_key(&id) {
            drop(notes);
            return self.repeated(1);
        }
        for key in report.tallies.keys() {
            notes.evaluated.insert((key.feature.clone(), key.environment.clone()), now);
        }
        notes.keep_report(id, report);
    }

    /// Counts reports that came again.
    pub fn repeated(&self, reports: u64) {
        self.repeated.fetch_add(reports, Ordering::Relaxed);
    }

    /// Number of reports that came again since the start.
    pub fn repeated_total(&self) -> u64 {
        self.repeated.load(Ordering::Relaxed)
    }

    /// The reports that are remembered where no database does that, and until when.
    pub fn recent_reports(&self, now: Timestamp) -> Vec<(String, Timestamp)> {
        self.recent.as_ref().map(|recent| lock(recent).list(now)).unwrap_or_default()
    }

    /// Remembers reports from before the start.
    pub fn recall_reports(&self, reports: Vec<(String, Timestamp)>, now: Timestamp) {
        let Some(recent) = &self.recent else { return };
        let mut recent = lock(recent);
        for (id, until) in reports {
            recent.remember(id, until, now);
        }
    }

    /// Notes that a program runs.
    pub fn heard(&self, introduction: Introduction, now: Timestamp) {
        if !is_name(&introduction.application) {
            return;
        }
        let mut notes = self.lock_to_change();
        let name = introduction.application;
        let known = notes.applications.contains_key(&name);
        if !known && notes.applications.len() >= APPLICATIONS {
            notes.dropped += 1;
            return;
        }
        let fresh = || HeardApplication {
            strategies: Vec::new(),
            token: introduction.token,
            projects: BTreeSet::new(),
            at: now,
        };
        let application = notes.applications.entry(name.clone()).or_insert_with(fresh);
        application.at = application.at.max(now);
        let room = PROJECTS.saturating_sub(application.projects.len());
        application.projects.extend(introduction.projects.into_iter().take(room));
        if !introduction.strategies.is_empty() {
            let names = introduction.strategies.into_iter().filter(|name| is_name(name)).take(STRATEGIES);
            let mut bytes = 0;
            let fits = |name: &String| {
                bytes += name.len();
                bytes <= STRATEGY_BYTES
            };
            application.strategies = names.take_while(fits).collect();
        }
        let is_placed = is_name(&introduction.environment);
        let instance = introduction.instance.filter(|instance| is_placed && is_name(instance));
        let Some(instance) = instance else { return };
        let key = InstanceKey { application: name, instance, environment: introduction.environment };
        self.note_lately(&key, now);
        if !notes.instances.contains_key(&key) && notes.instances.len() >= INSTANCES {
            notes.dropped += 1;
            return;
        }
        let sdk_version = introduction.sdk_version.filter(|version| is_name(version));
        let instance = notes.instances.entry(key).or_insert(HeardInstance { sdk_version: None, at: now });
        instance.at = instance.at.max(now);
        instance.sdk_version = sdk_version.or_else(|| instance.sdk_version.take());
    }

    /// Running copies that were heard of in the last minutes, where they are counted.
    pub fn programs(&self, now: Timestamp) -> Option<usize> {
        let mut lately = lock(self.lately.as_ref()?);
        lately.retain(|_, at| now.millis() - at.millis() <= LATELY_MS);
        Some(lately.len())
    }

    fn note_lately(&self, key: &InstanceKey, now: Timestamp) {
        let Some(lately) = &self.lately else { return };
        let mut lately = lock(lately);
        if let Some(at) = lately.get_mut(key) {
            *at = now;
        } else if lately.len() < INSTANCES {
            lately.insert(key.clone(), now);
        }
    }

    /// Counts entries of reports that do not count.
    pub fn left_out(&self, why: WhyLeftOut, entries: u64) {
        self.left_out.add(why, entries);
    }

    /// Number of entries of reports that did not count since the start, for this reason.
    pub fn left_out_total(&self, why: WhyLeftOut) -> u64 {
        self.left_out.of(why)
    }

    /// Notes that a program asks for a feature that its token does not reach. An edge reports it to its upstream, which
    /// judges anew.
    pub fn missed(&self, flag: UnknownFlag, now: Timestamp) {
        if is_name(&flag.feature) {
            self.lock_to_change().add_unknown_flag(flag, now);
        }
    }

    /// Notes that an API token was used.
    pub fn used_token(&self, token_id: i64, now: Timestamp) {
        self.lock_to_change().tokens.insert(token_id, now);
    }

    /// Amounts that wait to be written, and the number of reports for which there was no room.
    pub fn buffered(&self) -> Buffered {
        let notes = self.lock();
        Buffered {
            tallies: notes.tallies.len() + notes.tallies_by_report,
            programs: notes.applications.len() + notes.instances.len(),
            dropped: self.dropped_before.load(Ordering::Relaxed) + notes.dropped,
        }
    }

    /// Takes what has been gathered since the last time.
    pub fn take(&self) -> Gathered {
        let notes = std::mem::take(&mut *self.lock_to_change());
        if notes.dropped > 0 {
            self.dropped_before.fetch_add(notes.dropped, Ordering::Relaxed);
            tracing::warn!(
                target: "flagstone::usage",
                dropped = notes.dropped,
                "usage reports were dropped: there are too many to keep"
            );
        }
        gathered(notes)
    }

    /// Returns a copy of what has been gathered, which stays.
    pub fn copy(&self) -> Gathered {
        gathered(self.lock().clone())
    }

    /// Returns whether anything was noted or taken since the last time.
    pub fn take_changed(&self) -> bool {
        self.is_changed.swap(false, Ordering::AcqRel)
    }

    /// Takes back what could not be written, as far as there is room.
    pub fn put_back(&self, gathered: Gathered) {
        let mut notes = self.lock_to_change();
        for (key, tally) in gathered.tallies {
            notes.add(key, tally);
        }
        for (id, report) in gathered.reports {
            notes.keep_report(id, report);
        }
        for (key, at) in gathered.evaluated {
            notes.evaluated.entry(key).or_insert(at);
        }
        for (name, heard) in gathered.applications {
            if let Some(known) = notes.applications.get_mut(&name) {
                known.projects.extend(heard.projects);
            } else if notes.applications.len() < APPLICATIONS {
                notes.applications.insert(name, heard);
            } else {
                notes.dropped += 1;
            }
        }
        for (key, heard) in gathered.instances {
            if notes.instances.len() < INSTANCES {
                notes.instances.entry(key).or_insert(heard);
            } else {
                notes.dropped += 1;
            }
        }
        for (id, at) in gathered.tokens {
            notes.tokens.entry(id).or_insert(at);
        }
        for (flag, at) in gathered.unknown_flags {
            notes.add_unknown_flag(flag, at);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Notes> {
        lock(&self.notes)
    }

    fn lock_to_change(&self) -> MutexGuard<'_, Notes> {
        let notes = self.lock();
        self.is_changed.store(true, Ordering::Release);
        notes
    }
}

fn gathered(notes: Notes) -> Gathered {
    Gathered {
        tallies: notes.tallies.into_iter().collect(),
        reports: notes.reports.into_iter().collect(),
        evaluated: notes.evaluated.into_iter().collect(),
        applications: notes.applications.into_iter().collect(),
        instances: notes.instances.into_iter().collect(),
        tokens: notes.tokens.into_iter().collect(),
        unknown_flags: notes.unknown_flags.into_iter().collect(),
    }
}

/// Locks a map; a panic of another thread cannot leave it half-changed in a way that matters.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
