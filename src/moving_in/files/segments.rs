//! Segments of other products: conditions with a name, which become ours where they can, and are written out where not.

use std::{cell::Cell, collections::HashMap};

use super::condition::{Condition, Unsupported};
use crate::{Finding, neutral};

/// Maximum cost of all conditions of a set together: some seconds.
const MOST_WORK: usize = 50_000_000;
/// Alternatives that a segment may have: each becomes one of ours.
const MOST_ALTERNATIVES: usize = 30;

/// All segments of a set.
#[derive(Debug)]
pub(super) struct Segments {
    known: Vec<Segment>,
    by_name: HashMap<String, Vec<usize>>,
    left: Cell<usize>,
}

/// A segment.
#[derive(Debug, Clone)]
pub(super) struct Segment {
    pub(super) name: String,
    pub(super) description: Option<String>,
    pub(super) when: Condition,
    /// Ids of ours of which one must apply, and whether they are all of it. Filled by [`Segments::settle`].
    pub(super) ids: Option<(Vec<i64>, bool)>,
}

impl Default for Segments {
    fn default() -> Self {
        Self { known: Vec::new(), by_name: HashMap::new(), left: Cell::new(MOST_WORK) }
    }
}

impl Segments {
    /// Adds one, unless the same is there by that name, and answers its place.
    pub(super) fn add(&mut self, name: String, description: Option<String>, when: Condition) -> usize {
        let alike = self.by_name.entry(name.clone()).or_default();
        if let Some(place) = alike.iter().find(|place| self.known[**place].when == when) {
            return *place;
        }
        alike.push(self.known.len());
        self.known.push(Segment { name, description, when, ids: None });
        self.known.len() - 1
    }

    pub(super) fn ids(&self, place: usize) -> Option<(&[i64], bool)> {
        self.known.get(place)?.ids.as_ref().map(|(ids, exact)| (&**ids, *exact))
    }

    pub(super) fn condition(&self, place: usize) -> Result<&Condition, Unsupported> {
        self.known
            .get(place)
            .map(|segment| &segment.when)
            .ok_or_else(|| "it names a segment that is not in the files".to_owned())
    }

    /// Takes from what all conditions may cost.
    pub(super) fn spend(&self, cost: usize) -> Result<(), Unsupported> {
        let left = self.left.get().checked_sub(cost);
        self.left.set(left.unwrap_or_default());
        left.map(|_| ()).ok_or_else(|| "the conditions of the files are too many to be written out".to_owned())
    }

    /// Makes segments of ours of those that can be written, with a finding for each of the others.
    pub(super) fn settle(&mut self, findings: &mut Vec<Finding>) -> Vec<neutral::Segment> {
        let answers: Vec<_> = self.known.iter().map(|segment| segment.when.holds(self)).collect();
        let mut made = Vec::new();
        for (segment, answer) in self.known.iter_mut().zip(answers) {
            let told = |reason: String| Finding::left_out("segment", &*segment.name, reason);
            let answer = match answer {
                Ok(answer) => answer,
                Err(reason) => {
                    findings.push(told(reason));
                    continue;
                }
            };
            let terms = answer.sum.0;
            if terms.is_empty()
                || terms.len() > MOST_ALTERNATIVES
                || terms.iter().any(|term| term.constraints.is_empty())
            {
                if terms.len() > MOST_ALTERNATIVES {
                    findings
                        .push(told(format!("has {} alternatives; {MOST_ALTERNATIVES} can be written", terms.len())));
                } else {
                    let whom = if terms.is_empty() { "nobody" } else { "everybody" };
                    findings.push(told(format!("holds for {whom}: strategies do without it")));
                }
                continue;
            }
            let count = terms.len();
            if count > 1 {
                let reason = format!("is {count} segments here, of which one is enough: ours have no alternatives");
                findings.push(Finding::changed("segment", &*segment.name, reason));
            }
            if !answer.exact {
                let reason = "holds for fewer here: a part of its conditions cannot be said";
                findings.push(Finding::changed("segment", &*segment.name, reason));
            }
            let first = made.len();
            for (number, term) in (1..).zip(terms) {
                let name = &segment.name;
                made.push(neutral::Segment {
                    id: i64::try_from(made.len() + 1).unwrap_or(i64::MAX),
                    name: if count == 1 { name.clone() } else { format!("{name} ({number} of {count})") },
                    description: segment.description.clone(),
                    constraints: term.constraints,
                    ..neutral::Segment::default()
                });
            }
            segment.ids = Some((made[first..].iter().map(|part| part.id).collect(), answer.exact));
        }
        made
    }
}
