//! Features that the engine is asked about only as far as the answer depends on who asks.
//!
//! A feature is on when one of its strategies holds. What is the same for all users is known once the rules are read.
//! Constraints, and strategies of the rarer types, are put to the engine as parts that features share, and a share of
//! people is drawn by the engine's hash, of which the part of the feature is known before. Where a feature gives
//! variants, the engine is given the strategy that holds, and chooses. It reads and judges as a whole only features
//! with parents, their parents, and those that draw by chance each time.

use std::{
    collections::{BTreeSet, HashMap},
    sync::LazyLock,
};

use flagstone_domain::{murmur::Murmur3, time::Timestamp};
use unleash_types::client_features::{self as wire, ClientFeature};
use unleash_yggdrasil::strategy_parsing::RuleFragment;

use super::{
    Asker, Choice, Condition, Engine, Rule,
    parts::{PartResults, Parts, compile},
    translation::{feature, strategy},
};

/// The engine draws one of so many, and by this seed.
const PEOPLE: u8 = 100;
const SEED: u32 = 0;

/// Shares of people who cannot be distinguished, as the engine draws them by chance: none of a hundred, one, and so on.
static BY_CHANCE: LazyLock<Vec<Option<RuleFragment>>> = LazyLock::new(|| {
    let share = |of_hundred: u8| {
        let of_hundred = of_hundred.to_string();
        let parameters = [("rollout", &*of_hundred), ("stickiness", RANDOM), ("groupId", "")].into();
        compile(&strategy(&Condition { name: "flexibleRollout", parameters, ..Condition::only([]) }))
    };
    (0..=PEOPLE).map(share).collect()
});

/// Results for the engine of a strategy that holds, by the place of the strategy.
static HOLDS: LazyLock<Vec<Told>> = LazyLock::new(|| (0..MOST_KNOWN).map(|place| Some(holds(place))).collect());

/// Number of places whose results are kept ready.
const MOST_KNOWN: usize = 30;

/// Results of strategies that the engine does not judge.
type Told = Option<HashMap<String, bool>>;

fn holds(place: usize) -> HashMap<String, bool> {
    HashMap::from([(format!("customStrategy{}", place + 1), true)])
}

/// A type of strategies that the engine does not judge.
const CUSTOM: &str = "custom";

/// Stickiness of a strategy that draws by chance each time.
const RANDOM: &str = "random";

/// Features, ready to be judged many at a time.
#[derive(Debug)]
pub struct FeatureSet {
    precompiled: Vec<Precompiled>,
    /// Has read those that it judges or whose variants it chooses, where there are any.
    engine: Option<Engine>,
}

/// Part of a feature's evaluation that is known before a context is.
#[derive(Debug)]
enum Precompiled {
    /// Nothing is known that would help.
    Unknown,
    /// It is on when one of these holds.
    Strategies {
        compiled: Box<[CompiledStrategy]>,
        /// Whether the first that holds decides about a variant, which the engine chooses.
        has_variants: bool,
    },
}

/// A strategy: it holds when all of its parts do, for a share of people.
#[derive(Debug)]
struct CompiledStrategy {
    /// Their places.
    parts: Box<[usize]>,
    share: Share,
}

#[derive(Debug)]
enum Share {
    Everybody,
    /// `group` is the hash of the text before the id.
    Drawn {
        of_hundred: u8,
        group: Murmur3,
        stickiness: Stickiness,
    },
}

/// Key by which people are drawn.
#[derive(Debug, Clone, Copy)]
enum Stickiness {
    User,
    Session,
    /// The user, else the session, else chance.
    Usual,
}

impl FeatureSet {
    /// Reads the rules, as [`Engine::new`] does; their parts come to those that are known. Each feature has the place
    /// of its rule.
    pub fn new<'a>(rules: impl IntoIterator<Item = Rule<'a>>, parts: &mut Parts, now: Timestamp) -> Self {
        let features: Vec<ClientFeature> = rules.into_iter().map(feature).collect();
        let with_parents = features.iter().filter(|feature| feature.enabled);
        let parents: BTreeSet<String> = with_parents
            .flat_map(|child| child.dependencies.iter().flatten())
            .map(|parent| parent.feature.clone())
            .collect();
        let is_parent = |feature: &ClientFeature| parents.contains(&feature.name);
        let precompiled: Vec<Precompiled> =
            features.iter().map(|feature| Precompiled::of(feature, is_parent(feature), parts)).collect();
        let judged = features.into_iter().zip(&precompiled).filter_map(|(feature, precompiled)| match precompiled {
            Precompiled::Strategies { has_variants: true, .. } => Some(choice(feature)),
            Precompiled::Strategies { .. } if !is_parent(&feature) => None,
            _ => Some(feature),
        });
        let judged: Vec<ClientFeature> = judged.collect();
        let engine = (!judged.is_empty()).then(|| Engine::read(judged, now));
        Self { precompiled, engine }
    }

    /// Whether the feature of this place and name is on for the context, and its variant.
    pub fn judge(&self, place: usize, name: &str, results: &mut PartResults<'_>) -> (bool, Option<Choice>) {
        let held = match &self.precompiled[place] {
            Precompiled::Unknown => None,
            Precompiled::Strategies { compiled, has_variants } => {
                match compiled.iter().position(|strategy| strategy.holds(results)) {
                    Some(place) if *has_variants => Some(place),
                    held => return (held.is_some(), None),
                }
            }
        };
        let Some(engine) = &self.engine else { return (false, None) };
        match held {
            None => engine.judge(name, results.asker),
            Some(place) => match HOLDS.get(place) {
                Some(told) => engine.judge_told(name, results.asker, told),
                None => engine.judge_told(name, results.asker, &Some(holds(place))),
            },
        }
    }

    /// Places of the parts that the features have, each as often as they have it.
    pub fn parts(&self) -> impl Iterator<Item = usize> {
        let compiled = self.precompiled.iter().flat_map(|precompiled| match precompiled {
            Precompiled::Unknown => &[],
            Precompiled::Strategies { compiled, .. } => &**compiled,
        });
        compiled.flat_map(|strategy| strategy.parts.iter().copied())
    }
}

impl Precompiled {
    fn of(feature: &ClientFeature, is_parent: bool, parts: &mut Parts) -> Self {
        let strategies = feature.strategies.as_deref().unwrap_or_default();
        let has_parents = feature.dependencies.as_ref().is_some_and(|parents| !parents.is_empty());
        let of_strategies =
            strategies.iter().flat_map(|strategy| &strategy.variants).any(|variants| !variants.is_empty());
        let has_variants = of_strategies || feature.variants.as_ref().is_some_and(|variants| !variants.is_empty());
        if !feature.enabled {
            return Self::never();
        }
        if has_parents || (has_variants && is_parent) || strategies.iter().any(is_left) {
            return Self::Unknown;
        }
        let compiled = strategies.iter().map(|strategy| {
            compiled_strategy(strategy, parts).unwrap_or_else(|| {
                tracing::warn!(
                    target: "flagstone::evaluation::feature_set",
                    feature = feature.name,
                    "a strategy cannot be read: it holds for nobody"
                );
                CompiledStrategy::never()
            })
        });
        let mut compiled: Vec<CompiledStrategy> = compiled.collect();
        let is_always = |strategy: &CompiledStrategy| strategy.parts.is_empty() && strategy.share.is_everybody();
        if strategies.is_empty() || (!has_variants && compiled.iter().any(is_always)) {
            compiled = vec![CompiledStrategy { parts: Box::default(), share: Share::Everybody }];
        }
        if !has_variants {
            compiled.retain(|strategy| !strategy.share.is_nobody());
        }
        Self::Strategies { compiled: compiled.into(), has_variants }
    }

    fn never() -> Self {
        Self::Strategies { compiled: Box::default(), has_variants: false }
    }
}

impl CompiledStrategy {
    fn never() -> Self {
        let share = Share::Drawn { of_hundred: 0, group: group(""), stickiness: Stickiness::Usual };
        Self { parts: Box::default(), share }
    }

    fn holds(&self, results: &mut PartResults<'_>) -> bool {
        self.parts.iter().all(|place| results.holds(*place)) && self.share.includes(results)
    }
}

impl Share {
    fn includes(&self, results: &PartResults<'_>) -> bool {
        let Self::Drawn { of_hundred, group, stickiness } = self else { return true };
        let Asker(context) = results.asker;
        let (user, session) = (context.user_id.as_deref(), context.session_id.as_deref());
        let drawn_by = match stickiness {
            Stickiness::User => user,
            Stickiness::Session => session,
            Stickiness::Usual => match user.or(session) {
                None => return BY_CHANCE[usize::from(*of_hundred)].as_ref().is_some_and(|share| results.draws(share)),
                known => known,
            },
        };
        let drawn = drawn_by.map(|id| group.with(id.as_bytes()).drawn(PEOPLE.into()));
        drawn.is_some_and(|drawn| drawn <= (*of_hundred).into())
    }

    const fn is_nobody(&self) -> bool {
        matches!(self, Self::Drawn { of_hundred: 0, .. })
    }

    const fn is_everybody(&self) -> bool {
        matches!(self, Self::Everybody)
    }
}

/// Compiles a strategy, unless the engine cannot read it.
fn compiled_strategy(strategy: &wire::Strategy, parts: &mut Parts) -> Option<CompiledStrategy> {
    let constraints = strategy.constraints.iter().flatten();
    let mut places: Vec<usize> = constraints.map(|constraint| parts.constraint(constraint)).collect::<Option<_>>()?;
    let share = if let Some(share) = share(strategy) {
        share
    } else {
        places.push(parts.place(&wire::Strategy { constraints: None, ..strategy.clone() })?);
        Share::Everybody
    };
    Some(CompiledStrategy { parts: places.into(), share })
}

/// Returns the feature with strategies that hold by the results that the engine is given, and give what theirs do.
fn choice(mut feature: ClientFeature) -> ClientFeature {
    for strategy in feature.strategies.iter_mut().flatten() {
        CUSTOM.clone_into(&mut strategy.name);
        strategy.constraints = None;
    }
    feature
}

/// Share of people for whom a strategy holds, where its type is one of the two common ones and it says so as the engine
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
    let group = group(parameter(strategy, "groupId")?);
    Some(match stickiness {
        Stickiness::Usual if of_hundred == PEOPLE => Share::Everybody,
        _ => Share::Drawn { of_hundred, group, stickiness },
    })
}

/// Returns the hash of the text before a user's id: a group and a colon.
fn group(name: &str) -> Murmur3 {
    Murmur3::new(SEED).with(name.as_bytes()).with(b":")
}

/// Whether a strategy draws by chance each time, or nothing says which feature's people it draws.
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
