//! Numbers of features at the ends of past days: worked out backwards, from what there is now and from the changes in
//! the log.

use std::collections::{BTreeMap, HashMap};

use crate::{
    health::{HealthCounts, Lifetimes},
    insights::steps::Steps,
    time::Timestamp,
};

/// A feature that exists now, archived or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Present {
    /// Name of the feature.
    pub name: String,
    /// Id of its project.
    pub project: String,
    /// Feature type.
    pub kind: String,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it was archived; `None` while it is not.
    pub archived_at: Option<Timestamp>,
    /// Whether it is marked as stale.
    pub stale: bool,
}

/// Past change of a feature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Past {
    /// Name of the feature.
    pub feature: String,
    /// When it happened.
    pub at: Timestamp,
    /// The change.
    pub change: Change,
}

/// Changes that bear on the counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// It came into being.
    Created,
    /// It was archived.
    Archived,
    /// It was taken out of the archive.
    Revived,
    /// It was deleted from the archive of a project.
    Deleted {
        /// Id of the project.
        project: String,
        /// Feature type, as far as the log has it.
        kind: Option<String>,
        /// Whether it was marked as stale.
        stale: bool,
    },
    /// It was marked as stale.
    StaleOn,
    /// The mark was taken off.
    StaleOff,
    /// It came from another project.
    Moved {
        /// Id of the project that it came from.
        from: String,
    },
}

/// The features of each project at each of some moments.
#[derive(Debug)]
pub struct Census<'a> {
    moments: &'a [Timestamp],
    lifetimes: &'a Lifetimes,
    projects: BTreeMap<String, Counters>,
}

#[derive(Debug)]
struct Counters {
    healthy: Steps,
    stale: Steps,
    potentially_stale: Steps,
}

/// A time during which nothing changed about a feature in use.
struct Piece {
    project: String,
    stale: bool,
    from: Timestamp,
    to: Option<Timestamp>,
}

/// A feature while its life is walked backwards: its state right before `until`.
struct Life {
    project: String,
    kind: Option<String>,
    born: Option<Timestamp>,
    archived: bool,
    stale: bool,
    until: Option<Timestamp>,
    pieces: Vec<Piece>,
}

impl<'a> Census<'a> {
    /// Counts the features at `moments`, which rise, from those `present` and from the `past`, newest change first.
    pub fn take(present: Vec<Present>, past: Vec<Past>, lifetimes: &'a Lifetimes, moments: &'a [Timestamp]) -> Self {
        let mut census = Self { moments, lifetimes, projects: BTreeMap::new() };
        let mut lives: HashMap<String, Life> =
            present.into_iter().map(|feature| (feature.name.clone(), Life::of(feature))).collect();
        for event in past {
            census.undo(&mut lives, event);
        }
        for life in lives.into_values() {
            census.end(life, None);
        }
        census
    }

    /// Each project's counts, one for each moment.
    pub fn by_project(&self) -> impl Iterator<Item = (&str, Vec<HealthCounts>)> {
        self.projects.iter().map(|(project, counters)| (project.as_str(), counters.counts()))
    }

    fn undo(&mut self, lives: &mut HashMap<String, Life>, Past { feature, at, change }: Past) {
        if lives.get(&feature).is_some_and(|life| life.born.is_some_and(|born| at < born)) {
            // The feature did not exist yet: what is older happened to an earlier one of the same name.
            if let Some(life) = lives.remove(&feature) {
                self.end(life, None);
            }
        }
        match change {
            Change::Created => {
                if let Some(life) = lives.remove(&feature) {
                    self.end(life, Some(at));
                }
            }
            Change::Deleted { project, kind, stale } => {
                let life =
                    Life { project, kind, born: None, archived: true, stale, until: Some(at), pieces: Vec::new() };
                if let Some(later) = lives.insert(feature, life) {
                    self.end(later, Some(at));
                }
            }
            change => {
                if let Some(life) = lives.get_mut(&feature) {
                    life.undo(at, change);
                }
            }
        }
    }

    /// Counts a life whose beginning is reached: its known birth, else the moment that the log gives, else the oldest
    /// change that is known of it.
    fn end(&mut self, mut life: Life, created_at: Option<Timestamp>) {
        let Some(born) = life.born.or(created_at).or(life.until) else { return };
        life.close(born);
        let aged_at = life.kind.as_deref().and_then(|kind| self.lifetimes.end_of(kind, born));
        for piece in life.pieces {
            let counters = self.projects.entry(piece.project).or_insert_with(|| Counters::new(self.moments));
            let mut add = |steps: fn(&mut Counters) -> &mut Steps, from, to| {
                steps(&mut *counters).add(self.moments, from, to);
            };
            match aged_at {
                _ if piece.stale => add(|of| &mut of.stale, piece.from, piece.to),
                None => add(|of| &mut of.healthy, piece.from, piece.to),
                Some(aged_at) => {
                    add(|of| &mut of.healthy, piece.from, Some(piece.to.map_or(aged_at, |to| to.min(aged_at))));
                    add(|of| &mut of.potentially_stale, piece.from.max(aged_at), piece.to);
                }
            }
        }
    }
}

impl Counters {
    fn new(moments: &[Timestamp]) -> Self {
        Self { healthy: Steps::new(moments), stale: Steps::new(moments), potentially_stale: Steps::new(moments) }
    }

    fn counts(&self) -> Vec<HealthCounts> {
        let marked = self.stale.counts().into_iter().zip(self.potentially_stale.counts());
        let states = self.healthy.counts().into_iter().zip(marked);
        states.map(|(healthy, (stale, potentially_stale))| HealthCounts { healthy, stale, potentially_stale }).collect()
    }
}

impl Life {
    fn of(feature: Present) -> Self {
        let mut life = Self {
            project: feature.project,
            kind: Some(feature.kind),
            born: Some(feature.created_at),
            archived: feature.archived_at.is_some(),
            stale: feature.stale,
            until: None,
            pieces: Vec::new(),
        };
        if let Some(archived_at) = feature.archived_at {
            // The log may not tell of it, for features that were archived when they came here.
            life.undo(archived_at, Change::Archived);
        }
        life
    }

    fn undo(&mut self, at: Timestamp, change: Change) {
        self.close(at);
        match change {
            Change::Archived => self.archived = false,
            Change::Revived => self.archived = true,
            Change::StaleOn => self.stale = false,
            Change::StaleOff => self.stale = true,
            Change::Moved { from } => self.project = from,
            Change::Created | Change::Deleted { .. } => {}
        }
    }

    /// Keeps the state from `from` until the change that was undone before.
    fn close(&mut self, from: Timestamp) {
        let from = self.until.map_or(from, |until| until.min(from));
        if !self.archived && self.until != Some(from) {
            self.pieces.push(Piece { project: self.project.clone(), stale: self.stale, from, to: self.until });
        }
        self.until = Some(from);
    }
}

#[cfg(test)]
#[path = "history/tests.rs"]
mod tests;
