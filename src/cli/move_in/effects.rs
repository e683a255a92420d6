//! Changed results of browsers and programs after a move, found out for made-up people: features whose result changes
//! are named with what changes, for how many, and why. Where the old result can be stored in the terms of today, it is.

mod differing;

use std::collections::{BTreeMap, BTreeSet};

use clap::ValueEnum;

use self::differing::{Differing, count_of, described, differing};
use crate::{
    comparison::{self, Decisions, Served},
    domain::{
        client_feature::ClientFeature,
        constraint::Constraint,
        evaluation::{CURRENT_TIME, Subject},
        time::Timestamp,
    },
    moving_in::{
        Finding, Judged, Set,
        frontends::{Adjusted, Era, Frontend, Quirk, adjusted},
        served::{client_feature, client_features, segments},
    },
};

/// Number of made-up people for each environment.
const PEOPLE: usize = 300;
/// Strategies that depend on the machine, about which nothing can be said.
const OF_MACHINES: &str = "applicationHostname";
/// Names of the SDK that hashes a rollout without a group with an empty text, as the old frontend did.
const WITH_EMPTY_GROUP: [&str; 2] = ["unleash-client-node", "unleash-node-sdk"];
/// Names of SDKs that a server evaluates for begin so.
const EVALUATED_FOR: &str = "unleash-proxy-client";

/// Callers that are served as before where that is not possible for both.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum ServedBefore {
    /// Browsers and apps, which the old server evaluated for.
    Browsers,
    /// Programs on servers, which evaluate by themselves.
    Programs,
}

/// Reports features that would be served otherwise, and stores rules so that as few as possible are. `before` is the
/// set as it was read.
pub(super) fn settle(before: &Set, judged: &mut Judged, keep: ServedBefore, now: Timestamp) {
    let era = Era::of(&before.origin);
    if era.is_none() && before.origin.product.starts_with("Unleash") && !before.features.is_empty() {
        let reason = "it is not told which version served them: compare both servers with `flagstone compare`";
        judged.findings.push(Finding::changed("browsers", "all", reason));
    }
    let names: Vec<String> = judged.set.environments.iter().map(|environment| environment.name.clone()).collect();
    for environment in &names {
        Settling::new(before, judged, environment, era.as_ref(), now).run(judged, keep);
    }
}

/// Rules of one environment while they are settled.
struct Settling<'a> {
    environment: &'a str,
    era: Option<&'a Era>,
    old: Side,
    people: Vec<Subject>,
    /// People without a time of their own, which browsers cannot send.
    browsers: Vec<Subject>,
    programs_before: Vec<Decisions>,
    browsers_before: Vec<Decisions>,
    /// Features about which nothing can be said: chance decides, or the machine.
    unsaid: BTreeSet<String>,
    /// Whether all programs hash a rollout without a group with an empty text.
    empty_groups: bool,
    now: Timestamp,
}

/// Features and segments of an environment, as one side serves them.
struct Side {
    features: Vec<ClientFeature>,
    segments: BTreeMap<i64, Vec<Constraint>>,
}

impl Side {
    fn of(set: &Set, environment: &str) -> Self {
        Self { features: client_features(set, environment), segments: segments(set) }
    }

    /// Returns what programs evaluate. Where all of them hash a rollout without a group with an empty text, it says so.
    fn for_programs(&self, environment: &str, empty_groups: bool) -> Served {
        let mut features = self.features.clone();
        if empty_groups {
            let strategies = features.iter_mut().flat_map(|feature| &mut feature.strategies);
            for strategy in strategies.filter(|one| one.name == "flexibleRollout" && one.variants.is_empty()) {
                strategy.parameters.entry("groupId".to_owned()).or_default();
            }
        }
        Served::of(environment, &features, &self.segments)
    }
}

impl<'a> Settling<'a> {
    fn new(before: &Set, judged: &Judged, environment: &'a str, era: Option<&'a Era>, now: Timestamp) -> Self {
        let (old, new) = (Side::of(before, environment), Side::of(&judged.set, environment));
        let sdks = || {
            let all = before.instances.iter().map(|instance| instance.sdk_version.as_deref().unwrap_or_default());
            all.filter(|sdk| !sdk.starts_with(EVALUATED_FOR))
        };
        let is_known = |sdk: &str| WITH_EMPTY_GROUP.iter().any(|name| sdk.starts_with(name));
        let empty_groups = sdks().next().is_some() && sdks().all(is_known);
        let (served, other) =
            (old.for_programs(environment, empty_groups), new.for_programs(environment, empty_groups));
        let people = comparison::people(&[&served, &other], PEOPLE, now);
        let timeless = |person: &Subject| {
            let mut person = person.clone();
            person.0.remove(CURRENT_TIME);
            person
        };
        let browsers: Vec<Subject> = people.iter().map(timeless).collect();
        let browsers_before = era.map(|era| {
            let frontend = Frontend::new(era, environment, &old.features, &old.segments, now);
            of_frontend(&frontend, &old.features, &browsers)
        });
        let mut unsaid: BTreeSet<String> = served.by_chance().into_iter().chain(other.by_chance()).collect();
        let on_machines = |feature: &&ClientFeature| feature.strategies.iter().any(|one| one.name == OF_MACHINES);
        let all = || old.features.iter().chain(&new.features);
        unsaid.extend(all().filter(on_machines).map(|feature| feature.name.clone()));
        let of_parents = all()
            .filter(|feature| feature.dependencies.iter().flatten().any(|parent| unsaid.contains(&parent.feature)));
        let of_parents: Vec<String> = of_parents.map(|feature| feature.name.clone()).collect();
        unsaid.extend(of_parents);
        Self {
            environment,
            era,
            programs_before: comparison::decided(&served, &people, now),
            browsers_before: browsers_before.unwrap_or_default(),
            old,
            people,
            browsers,
            unsaid,
            empty_groups,
            now,
        }
    }

    fn run(&self, judged: &mut Judged, keep: ServedBefore) {
        let new = Side::of(&judged.set, self.environment);
        let mut left = BTreeSet::new();
        for differing in self.of_browsers(&new) {
            match self.stored_as_before(&judged.set, &new, &differing, keep) {
                Choice::Stored(adjusted) => self.store(judged, &differing.feature, &adjusted),
                Choice::Either => {
                    left.insert(differing.feature);
                }
                Choice::None => {}
            }
        }
        let new = Side::of(&judged.set, self.environment);
        for differing in self.of_browsers(&new) {
            let mut reason = described(&differing, self.browsers.len());
            for why in self.reasons(&new, &differing) {
                reason.push_str("; ");
                reason.push_str(why);
            }
            if left.contains(&differing.feature) {
                reason.push_str("; --as-served-before browsers stores it so that programs notice instead");
            }
            judged.findings.push(Finding::changed("browsers", self.place(&differing.feature), reason));
        }
        let programs = comparison::decided(&self.programs(&new), &self.people, self.now);
        for differing in differing(&self.programs_before, &programs, &self.people, &self.unsaid) {
            let reason = format!(
                "{}; what is stored is not what was there: see what else is told of it",
                described(&differing, self.people.len())
            );
            judged.findings.push(Finding::changed("programs", self.place(&differing.feature), reason));
        }
    }

    fn programs(&self, side: &Side) -> Served {
        side.for_programs(self.environment, self.empty_groups)
    }

    fn place(&self, feature: &str) -> String {
        format!("{feature} in {}", self.environment)
    }

    /// Returns the features that browsers get otherwise.
    fn of_browsers(&self, new: &Side) -> Vec<Differing> {
        if self.era.is_none() {
            return Vec::new();
        }
        let served = Served::of(self.environment, &new.features, &new.segments);
        let after = comparison::decided(&served, &self.browsers, self.now);
        differing(&self.browsers_before, &after, &self.browsers, &self.unsaid)
    }

    /// Returns why: the quirks of the old frontend without which fewer people would get something else.
    fn reasons(&self, new: &Side, differing: &Differing) -> Vec<&'static str> {
        let Some(era) = self.era else { return Vec::new() };
        let related = self.old.related(&differing.feature);
        let frontend = Frontend::new(era, self.environment, &related, &self.old.segments, self.now);
        let served = Served::of(self.environment, &new.related(&differing.feature), &new.segments);
        let after = comparison::decided(&served, &self.browsers, self.now);
        let count = |frontend: &Frontend<'_>| {
            count_of(&differing.feature, &of_frontend(frontend, &related, &self.browsers), &after)
        };
        let all = count(&frontend);
        let is_cause = |quirk: &&Quirk| count(&frontend.without(**quirk)) != all;
        frontend.quirks().iter().filter(is_cause).map(|quirk| quirk.words()).collect()
    }

    /// Returns how a feature is to be stored so that browsers get what they got.
    fn stored_as_before(&self, set: &Set, new: &Side, differing: &Differing, keep: ServedBefore) -> Choice {
        let name = &*differing.feature;
        let Some(feature) = set.features.iter().find(|feature| feature.name == name) else { return Choice::None };
        let state = feature.environments.iter().find(|state| state.environment == self.environment);
        let Some(state) = state else { return Choice::None };
        let judge = |changed: ClientFeature| {
            let mut features = new.related(name);
            features.retain(|other| other.name != name);
            features.push(changed);
            let side = Side { features, segments: new.segments.clone() };
            let browsers = Served::of(self.environment, &side.features, &side.segments);
            let browsers = comparison::decided(&browsers, &self.browsers, self.now);
            let programs = comparison::decided(&self.programs(&side), &self.people, self.now);
            (count_of(name, &self.browsers_before, &browsers), count_of(name, &self.programs_before, &programs))
        };
        let (browsers, programs) = judge(client_feature(feature, state));
        let found: Vec<_> = adjusted(state)
            .into_iter()
            .map(|adjusted| (judge(client_feature(feature, &adjusted.state)), adjusted))
            .filter(|((of_browsers, _), _)| *of_browsers < browsers)
            .collect();
        let is_any = !found.is_empty();
        let fits = |of_programs: usize| keep == ServedBefore::Browsers || of_programs <= programs;
        let best = found.into_iter().filter(|((_, of_programs), _)| fits(*of_programs));
        let best = best.min_by_key(|(counts, adjusted)| (*counts, adjusted.changes.len()));
        match best {
            Some((_, adjusted)) => Choice::Stored(adjusted),
            None if is_any => Choice::Either,
            None => Choice::None,
        }
    }

    fn store(&self, judged: &mut Judged, name: &str, adjusted: &Adjusted) {
        let feature = judged.set.features.iter_mut().find(|feature| feature.name == name);
        let states = feature.map(|feature| &mut feature.environments).into_iter().flatten();
        for state in states.filter(|state| state.environment == self.environment) {
            *state = adjusted.state.clone();
        }
        let reason = format!("{}, so that browsers get what they got", adjusted.changes.join(", "));
        judged.findings.push(Finding::changed("feature", self.place(name), reason));
    }
}

impl Side {
    /// Returns a feature with its parents.
    fn related(&self, name: &str) -> Vec<ClientFeature> {
        let own = self.features.iter().find(|feature| feature.name == name);
        let parents: BTreeSet<&str> =
            own.iter().flat_map(|own| own.dependencies.iter().flatten()).map(|parent| &*parent.feature).collect();
        let is_related = |feature: &&ClientFeature| feature.name == name || parents.contains(&*feature.name);
        self.features.iter().filter(is_related).cloned().collect()
    }
}

/// Form in which a feature is stored.
enum Choice {
    /// Rules are stored so that browsers keep their results.
    Stored(Adjusted),
    /// Rules are stored so that either browsers or programs keep theirs.
    Either,
    /// No rules keep the results.
    None,
}

fn of_frontend(frontend: &Frontend<'_>, features: &[ClientFeature], people: &[Subject]) -> Vec<Decisions> {
    let of = |person: &Subject| -> Decisions {
        let decided = features.iter().filter_map(|feature| {
            let decided = frontend.decide(&feature.name, person)?;
            Some((feature.name.clone(), comparison::decision(decided.texts())))
        });
        decided.collect()
    };
    people.iter().map(of).collect()
}
