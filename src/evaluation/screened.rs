//! Features that the engine is asked about only as far as the answer depends on who asks.
//!
//! A feature is on when one of its strategies holds. What is the same for everybody is known once the rules are read.
//! Constraints, and strategies of the rarer types, are put to the engine as parts that features share, and a share of
//! people is drawn by the engine's own hash. Where a feature gives variants, the engine is told which strategy holds, and
//! chooses. It reads and judges as a whole only features with parents, their parents, and those that draw anew each time.

use std::{collections::BTreeSet, sync::LazyLock};

use unleash_types::client_features::{self as wire, ClientFeature};
use unleash_yggdrasil::strategy_parsing::{RuleFragment, normalized_hash};

use super::{
    Asker, Choice, Condition, Engine, Rule, feature,
    parts::{Heard, Parts, compile},
    strategy,
};
use crate::domain::time::Timestamp;

/// The engine draws one of so many, and by this seed.
const PEOPLE: u8 = 100;
const SEED: u32 = 0;

/// Shares of those whom nothing tells apart, as the engine draws them by chance: none of a hundred, one, and so on.
static BY_CHANCE: LazyLock<Vec<Option<RuleFragment>>> = LazyLock::new(|| {
    let share = |of_hundred: u8| {
        let of_hundred = of_hundred.to_string();
        let parameters = [("rollout", &*of_hundred), ("stickiness", RANDOM), ("groupId", "")].into();
        compile(&strategy(&Condition { name: "flexibleRollout", parameters, ..Condition::only([]) }))
    };
    (0..=PEOPLE).map(share).collect()
});

/// A type of strategies that the engine does not judge.
const CUSTOM: &str = "custom";

/// Stickiness of a strategy that draws anew each time.
const RANDOM: &str = "random";

/// Features, ready to be judged many at a time.
#[derive(Debug)]
pub struct Screened {
    outlines: Vec<Outline>,
    /// Has read those that it judges or whose variants it chooses, where there are any.
    engine: Option<Engine>,
}

/// What is known of a feature before anybody asks.
#[derive(Debug)]
enum Outline {
    /// Nothing that would help.
    Unknown,
    /// It is on when one of these holds.
    Ways {
        ways: Box<[Way]>,
        /// Whether the first that holds decides about a variant, which the engine chooses.
        gives: bool,
    },
}

/// A strategy: it holds when all of its parts do, for a share of people.
#[derive(Debug)]
struct Way {
    /// Their places.
    parts: Box<[usize]>,
    share: Share,
}

#[derive(Debug)]
enum Share {
    Everybody,
    Drawn { of_hundred: u8, group: Box<str>, stickiness: Stickiness },
}

/// By what people are drawn.
#[derive(Debug, Clone, Copy)]
enum Stickiness {
    User,
    Session,
    /// The user, else the session, else chance.
    Usual,
}

impl Screened {
    /// Reads the rules, as [`Engine::new`] does; their parts come to those that are known. Each feature has the place of
    /// its rule.
    pub fn new<'a>(rules: impl IntoIterator<Item = Rule<'a>>, parts: &mut Parts, now: Timestamp) -> Self {
        let features: Vec<ClientFeature> = rules.into_iter().map(feature).collect();
        let with_parents = features.iter().filter(|feature| feature.enabled);
        let parents: BTreeSet<String> = with_parents
            .flat_map(|child| child.dependencies.iter().flatten())
            .map(|parent| parent.feature.clone())
            .collect();
        let is_parent = |feature: &ClientFeature| parents.contains(&feature.name);
        let outlines: Vec<Outline> =
            features.iter().map(|feature| Outline::of(feature, is_parent(feature), parts)).collect();
        let judged = features.into_iter().zip(&outlines).filter_map(|(feature, outline)| match outline {
            Outline::Ways { gives: true, .. } => Some(choice(feature)),
            Outline::Ways { .. } if !is_parent(&feature) => None,
            _ => Some(feature),
        });
        let judged: Vec<ClientFeature> = judged.collect();
        let engine = (!judged.is_empty()).then(|| Engine::read(judged, now));
        Self { outlines, engine }
    }

    /// Whether the feature of this place and name is on for somebody, and the variant that they get.
    pub fn judge(&self, place: usize, name: &str, heard: &mut Heard<'_>) -> (bool, Option<Choice>) {
        let held = match &self.outlines[place] {
            Outline::Unknown => None,
            Outline::Ways { ways, gives } => match ways.iter().position(|way| way.holds(heard)) {
                Some(place) if *gives => Some(place),
                held => return (held.is_some(), None),
            },
        };
        self.engine.as_ref().map_or((false, None), |engine| engine.judge_told(name, heard.asker, held))
    }

    /// Places of the parts that the features have, each as often as they have it.
    pub fn parts(&self) -> impl Iterator<Item = usize> {
        let ways = self.outlines.iter().flat_map(|outline| match outline {
            Outline::Unknown => &[],
            Outline::Ways { ways, .. } => &**ways,
        });
        ways.flat_map(|way| way.parts.iter().copied())
    }
}

impl Outline {
    fn of(feature: &ClientFeature, is_parent: bool, parts: &mut Parts) -> Self {
        let strategies = feature.strategies.as_deref().unwrap_or_default();
        let has_parents = feature.dependencies.as_ref().is_some_and(|parents| !parents.is_empty());
        let of_strategies =
            strategies.iter().flat_map(|strategy| &strategy.variants).any(|variants| !variants.is_empty());
        let gives = of_strategies || feature.variants.as_ref().is_some_and(|variants| !variants.is_empty());
        if !feature.enabled {
            return Self::never();
        }
        if has_parents || (gives && is_parent) || strategies.iter().any(is_left) {
            return Self::Unknown;
        }
        let ways: Option<Vec<Way>> = strategies.iter().map(|strategy| way(strategy, parts)).collect();
        let Some(mut ways) = ways else {
            tracing::debug!(feature = feature.name, "a rule cannot be read");
            return Self::never();
        };
        let is_always = |way: &Way| way.parts.is_empty() && way.share.is_everybody();
        if strategies.is_empty() || (!gives && ways.iter().any(is_always)) {
            ways = vec![Way { parts: Box::default(), share: Share::Everybody }];
        }
        if !gives {
            ways.retain(|way| !way.share.is_nobody());
        }
        Self::Ways { ways: ways.into(), gives }
    }

    fn never() -> Self {
        Self::Ways { ways: Box::default(), gives: false }
    }
}

impl Way {
    fn holds(&self, heard: &mut Heard<'_>) -> bool {
        self.parts.iter().all(|place| heard.holds(*place)) && self.share.includes(heard)
    }
}

impl Share {
    fn includes(&self, heard: &Heard<'_>) -> bool {
        let Self::Drawn { of_hundred, group, stickiness } = self else { return true };
        let Asker(context) = heard.asker;
        let (user, session) = (context.user_id.as_deref(), context.session_id.as_deref());
        let drawn_by = match stickiness {
            Stickiness::User => user,
            Stickiness::Session => session,
            Stickiness::Usual => match user.or(session) {
                None => return BY_CHANCE[usize::from(*of_hundred)].as_ref().is_some_and(|share| heard.draws(share)),
                known => known,
            },
        };
        let drawn = drawn_by.and_then(|id| normalized_hash(group, id, PEOPLE.into(), SEED).ok());
        drawn.is_some_and(|drawn| drawn <= (*of_hundred).into())
    }

    const fn is_nobody(&self) -> bool {
        matches!(self, Self::Drawn { of_hundred: 0, .. })
    }

    const fn is_everybody(&self) -> bool {
        matches!(self, Self::Everybody)
    }
}

/// What of a strategy is known, unless the engine cannot read it.
fn way(strategy: &wire::Strategy, parts: &mut Parts) -> Option<Way> {
    let constraints = strategy.constraints.iter().flatten();
    let mut places: Vec<usize> = constraints.map(|constraint| parts.constraint(constraint)).collect::<Option<_>>()?;
    let share = if let Some(share) = share(strategy) {
        share
    } else {
        places.push(parts.place(&wire::Strategy { constraints: None, ..strategy.clone() })?);
        Share::Everybody
    };
    Some(Way { parts: places.into(), share })
}

/// The feature with strategies that hold when the engine is told so, and give what theirs do.
fn choice(mut feature: ClientFeature) -> ClientFeature {
    for strategy in feature.strategies.iter_mut().flatten() {
        CUSTOM.clone_into(&mut strategy.name);
        strategy.constraints = None;
    }
    feature
}

/// For what share of people a strategy holds, where its type is one of the two common ones and it says so as the engine
/// reads it: whole percents.
fn share(strategy: &wire::Strategy) -> Option<Share> {
    match strategy.name.as_str() {
        "default" => return Some(Share::Everybody),
        "flexibleRollout" => {}
        _ => return None,
    }
    let of_hundred = parameter(strategy, "rollout")?.parse::<u8>().ok().filter(|share| *share <= PEOPLE)?;
    let stickiness = match parameter(strategy, "stickiness").unwrap_or("default") {
        "default" => Stickiness::Usual,
        "userId" => Stickiness::User,
        "sessionId" => Stickiness::Session,
        _ => return None,
    };
    let group = parameter(strategy, "groupId")?.into();
    Some(match stickiness {
        Stickiness::Usual if of_hundred == PEOPLE => Share::Everybody,
        _ => Share::Drawn { of_hundred, group, stickiness },
    })
}

/// Whether a strategy draws anew each time, or nothing says which feature's people it draws.
fn is_left(strategy: &wire::Strategy) -> bool {
    match strategy.name.as_str() {
        "gradualRolloutRandom" => true,
        "flexibleRollout" => {
            parameter(strategy, "stickiness") == Some(RANDOM) || parameter(strategy, "groupId").is_none()
        }
        _ => false,
    }
}

fn parameter<'a>(strategy: &'a wire::Strategy, name: &str) -> Option<&'a str> {
    strategy.parameters.as_ref()?.get(name).map(String::as_str)
}

#[cfg(test)]
mod tests;
