//! The features of an environment as the official engine judges them.
//!
//! The engine reads all the rules that it is given or none. So they are dealt out to groups, each with an engine of its
//! own, and a change has only those groups read again that it touches. A feature's group depends on its name alone; its
//! parents are in it a second time, since the engine looks for them there. Constraints are shared by all groups.

use std::sync::Arc;

use flagstone_domain::{
    client_feature::{ClientFeature, Flag},
    time::Timestamp,
};
use flagstone_evaluation::{Asker, FeatureSet, PartResults, Parts, Rule};
use xxhash_rust::xxh3::xxh3_64;

use super::{
    environment::{Environment, Segment, place},
    judgement::Judgement,
};

/// Features of a group, about. More make each change dear, fewer the engines' own memory.
const GROUP: usize = 32;

/// Most rules that a request waits for: most take a fortieth of a millisecond each, those that the engine has whole a
/// tenth.
const FEW: usize = 150;

/// The features, ready to be judged.
#[derive(Debug)]
pub(super) struct Rules {
    /// The features, by name.
    pub(super) flags: Vec<Arc<Flag>>,
    /// Group and place of each feature; `None` is off for all contexts.
    locations: Vec<Option<Location>>,
    groups: Vec<Arc<Group>>,
    /// Constraints and the like that the features have.
    parts: Parts,
}

/// A group, and a place in it.
#[derive(Debug, Clone, Copy)]
struct Location {
    group: usize,
    place: usize,
}

#[derive(Debug)]
struct Group {
    content: Content,
    features: FeatureSet,
}

/// Content of a group: its features that are not off for all contexts, their parents, and the segments of both.
#[derive(Debug, Default)]
struct Content {
    flags: Vec<Arc<Flag>>,
    segments: Vec<(i64, Option<Arc<Segment>>)>,
}

/// Rules of an environment that are still to be read.
#[derive(Debug)]
pub(super) struct Unread {
    flags: Vec<Arc<Flag>>,
    groups: Vec<Result<Arc<Group>, Content>>,
    /// Parts that were known before.
    parts: Parts,
}

impl Unread {
    /// Takes over from what was read `before` whatever has not changed.
    pub(super) fn new(environment: &Environment, before: Option<&Rules>) -> Self {
        let flags = environment.flags().to_vec();
        let earlier = before.map(|before| before.groups.as_slice()).unwrap_or_default();
        let count = group_count(flags.len(), earlier.len());
        let mut contents: Vec<Content> = std::iter::repeat_with(Content::default).take(count).collect();
        for flag in flags.iter().filter(|flag| flag.enabled) {
            contents[group_of(flag, count)].flags.push(Arc::clone(flag));
        }
        let earlier = if earlier.len() == count { earlier } else { &[] };
        let groups = contents.into_iter().enumerate().map(|(place, content)| {
            let content = content.completed(environment);
            let known = earlier.get(place).filter(|group| group.content.is(&content));
            known.map(Arc::clone).ok_or(content)
        });
        Self { groups: groups.collect(), flags, parts: before.map(|before| before.parts.clone()).unwrap_or_default() }
    }

    /// Whether reading takes too long for a request to wait.
    pub(super) fn is_much(&self) -> bool {
        self.groups.iter().map(|group| group.as_ref().map_or_else(|content| content.flags.len(), |_| 0)).sum::<usize>()
            > FEW
    }

    /// Reads what is to be read.
    pub(super) fn read(self, now: Timestamp) -> Rules {
        let mut parts = self.parts.clone();
        let mut read = |content: Content| {
            let features = {
                let read: Vec<_> = content.flags.iter().map(|flag| flag.feature()).collect();
                FeatureSet::new(read.iter().map(|feature| content.rule(feature)), &mut parts, now)
            };
            Arc::new(Group { content, features })
        };
        let groups: Vec<Arc<Group>> = self.groups.into_iter().map(|group| group.unwrap_or_else(&mut read)).collect();
        let location = |flag: &Arc<Flag>| {
            let group = group_of(flag, groups.len());
            let place = place(&groups[group].content.flags, &flag.name)?;
            flag.enabled.then_some(Location { group, place })
        };
        if !parts.is(&self.parts) {
            parts.keep(groups.iter().flat_map(|group| group.features.parts()));
        }
        Rules { locations: self.flags.iter().map(location).collect(), flags: self.flags, groups, parts }
    }
}

impl Content {
    /// Adds the parents and segments of the features.
    fn completed(mut self, environment: &Environment) -> Self {
        let parents = self.flags.iter().flat_map(|flag| &flag.parents);
        let mut parents: Vec<_> = parents.filter_map(|parent| environment.flag(parent)).map(Arc::clone).collect();
        self.flags.append(&mut parents);
        self.flags.sort_by(|one, other| one.name.cmp(&other.name));
        self.flags.dedup_by(|one, other| Arc::ptr_eq(one, other));
        let mut ids: Vec<i64> = self.flags.iter().flat_map(|flag| flag.segments.iter().copied()).collect();
        ids.sort_unstable();
        ids.dedup();
        self.segments = ids.into_iter().map(|id| (id, environment.segments.get(&id).map(Arc::clone))).collect();
        self
    }

    /// Whether another is the same. What did not change is shared from one state of an environment to the next.
    fn is(&self, other: &Self) -> bool {
        let same_segment = |(one, other): (&Option<Arc<Segment>>, &Option<Arc<Segment>>)| match (one, other) {
            (Some(one), Some(other)) => Arc::ptr_eq(one, other),
            (one, other) => one.is_none() && other.is_none(),
        };
        self.flags.len() == other.flags.len()
            && self.segments.len() == other.segments.len()
            && self.flags.iter().zip(&other.flags).all(|(one, other)| Arc::ptr_eq(one, other))
            && self
                .segments
                .iter()
                .zip(&other.segments)
                .all(|(one, other)| one.0 == other.0 && same_segment((&one.1, &other.1)))
    }

    fn segment(&self, id: i64) -> Option<&Segment> {
        let place = self.segments.binary_search_by_key(&id, |(id, _)| *id).ok()?;
        self.segments[place].1.as_deref()
    }

    fn rule<'a>(&'a self, feature: &'a ClientFeature) -> Rule<'a> {
        Rule::of_client(feature, |id| self.segment(id).map(|segment| &*segment.segment.constraints))
    }
}

impl Rules {
    /// Begins the evaluation for a context.
    pub(super) fn evaluate_for<'r: 'a, 'a>(&'r self, asker: &'a Asker) -> RulesFor<'r, 'a> {
        RulesFor { rules: self, results: self.parts.evaluate_for(asker) }
    }
}

/// The features, evaluated for a context.
#[derive(Debug)]
pub(super) struct RulesFor<'r, 'a> {
    rules: &'r Rules,
    results: PartResults<'a>,
}

impl<'r> RulesFor<'r, '_> {
    /// Evaluates the feature at this place of the flags.
    pub(super) fn judge(&mut self, place: usize) -> Judgement<'r> {
        let flag = &*self.rules.flags[place];
        let (is_enabled, variant) = self.rules.locations[place].map_or((false, None), |Location { group, place }| {
            self.rules.groups[group].features.judge(place, &flag.name, &mut self.results)
        });
        Judgement { flag, is_enabled, variant }
    }
}

fn group_of(flag: &Flag, count: usize) -> usize {
    let spread = xxh3_64(flag.name.as_bytes());
    usize::try_from(spread % (count as u64)).unwrap_or_default()
}

/// Number of groups for so many features. It stays what it was `before` as long as it will do: another puts every
/// feature into another group.
fn group_count(features: usize, before: usize) -> usize {
    let fitting = (features / GROUP).next_power_of_two();
    let will_do = before.max(1) * GROUP / 4 <= features && features <= before * GROUP * 4;
    if will_do { before } else { fitting }
}

#[cfg(test)]
mod tests;
