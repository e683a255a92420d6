//! Features that the engine is asked about only as far as the answer depends on who asks.
//!
//! A feature is on when one of its strategies holds. What is the same for everybody is known once the rules are read.
//! Constraints that several strategies have are put to the engine once for each asker, and a share of people is drawn by
//! the engine's own hash. Only where that does not settle it the engine judges the feature as a whole: where chance
//! decides, a parent, a variant, or a strategy of another type.

use std::collections::BTreeMap;

use unleash_types::client_features::{self as wire, ClientFeature};
use unleash_yggdrasil::strategy_parsing::normalized_hash;

use super::{Asker, Choice, Condition, Engine, Rule, feature, strategy};
use crate::domain::time::Timestamp;

/// The engine draws one of so many, and by this seed.
const PEOPLE: u32 = 100;
const SEED: u32 = 0;

/// Features, ready to be judged many at a time.
#[derive(Debug)]
pub struct Screened {
    engine: Engine,
    outlines: Vec<Outline>,
    /// Names by which the engine knows the constraints.
    constraints: Vec<String>,
}

/// What somebody was told so far of the constraints of [`Screened`] features.
#[derive(Debug, Default)]
pub struct Heard(Vec<Option<bool>>);

/// What is known of a feature before anybody asks.
#[derive(Debug)]
enum Outline {
    /// Nothing that would help.
    Unknown,
    /// It is on when one of these holds.
    Ways {
        ways: Box<[Way]>,
        /// Whether it then gives a variant, which the engine chooses.
        gives: bool,
    },
}

/// A strategy: it holds when all of its constraints do, for a share of people.
#[derive(Debug)]
struct Way {
    /// Places among the constraints.
    constraints: Box<[usize]>,
    share: Share,
}

#[derive(Debug)]
enum Share {
    Everybody,
    Drawn { of_hundred: u32, group: Box<str>, stickiness: Stickiness },
}

/// By what people are drawn.
#[derive(Debug, Clone, Copy)]
enum Stickiness {
    User,
    Session,
    /// The user, else the session, else chance.
    Usual,
}

/// Chance has a part in it.
struct Chance;

impl Screened {
    /// Reads the rules, as [`Engine::new`] does. Each feature has the place of its rule.
    pub fn new<'a>(rules: impl IntoIterator<Item = Rule<'a>>, now: Timestamp) -> Self {
        let mut features: Vec<ClientFeature> = rules.into_iter().map(feature).collect();
        let mut known = Constraints::default();
        let mut outlines: Vec<Outline> = features.iter().map(|feature| known.outline(feature)).collect();
        let names: Vec<String> = features.iter().map(|feature| feature.name.clone()).collect();
        let constraints = known.into_features(&mut features);
        let (engine, unreadable) = Engine::read(features, now);
        for (outline, name) in outlines.iter_mut().zip(&names) {
            if unreadable.contains(name) {
                *outline = Outline::Unknown;
            }
        }
        Self { engine, outlines, constraints }
    }

    /// Whether the feature of this place and name is on for somebody, and the variant that they get. What `heard` holds
    /// is of the same asker.
    pub fn judge(&self, place: usize, name: &str, asker: &Asker, heard: &mut Heard) -> (bool, Option<Choice>) {
        let Some(Outline::Ways { ways, gives }) = self.outlines.get(place) else {
            return self.engine.judge(name, asker);
        };
        match self.is_on(ways, asker, heard) {
            Ok(false) => (false, None),
            Ok(true) if !gives => (true, None),
            Ok(true) | Err(Chance) => self.engine.judge(name, asker),
        }
    }

    fn is_on(&self, ways: &[Way], asker: &Asker, heard: &mut Heard) -> Result<bool, Chance> {
        for way in ways {
            if way.constraints.iter().all(|place| self.holds(*place, asker, heard)) && way.share.includes(asker)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn holds(&self, place: usize, asker: &Asker, heard: &mut Heard) -> bool {
        heard.0.resize(self.constraints.len(), None);
        *heard.0[place].get_or_insert_with(|| self.engine.is_enabled(&self.constraints[place], asker))
    }
}

impl Share {
    fn includes(&self, asker: &Asker) -> Result<bool, Chance> {
        let Self::Drawn { of_hundred, group, stickiness } = self else { return Ok(true) };
        let (user, session) = (asker.0.user_id.as_deref(), asker.0.session_id.as_deref());
        let drawn_by = match stickiness {
            Stickiness::User => user,
            Stickiness::Session => session,
            Stickiness::Usual => Some(user.or(session).ok_or(Chance)?),
        };
        let drawn = drawn_by.and_then(|id| normalized_hash(group, id, PEOPLE, SEED).ok());
        Ok(drawn.is_some_and(|drawn| drawn <= *of_hundred))
    }

    const fn is_nobody(&self) -> bool {
        matches!(self, Self::Drawn { of_hundred: 0, .. })
    }

    const fn is_everybody(&self) -> bool {
        matches!(self, Self::Everybody)
    }
}

/// The different constraints of some features.
#[derive(Default)]
struct Constraints(BTreeMap<wire::Constraint, usize>);

impl Constraints {
    fn outline(&mut self, feature: &ClientFeature) -> Outline {
        let strategies = feature.strategies.as_deref().unwrap_or_default();
        let has_parents = feature.dependencies.as_ref().is_some_and(|parents| !parents.is_empty());
        let shares: Option<Vec<_>> = strategies.iter().map(share).collect();
        let Some(shares) = shares.filter(|_| !has_parents) else { return Outline::Unknown };
        let mut ways: Vec<Way> = strategies
            .iter()
            .zip(shares)
            .filter(|(_, share)| !share.is_nobody())
            .map(|(strategy, share)| Way { constraints: self.places(strategy), share })
            .collect();
        if strategies.is_empty() || ways.iter().any(|way| way.constraints.is_empty() && way.share.is_everybody()) {
            ways = vec![Way { constraints: Box::default(), share: Share::Everybody }];
        }
        let of_strategies =
            strategies.iter().flat_map(|strategy| &strategy.variants).any(|variants| !variants.is_empty());
        let gives = of_strategies || feature.variants.as_ref().is_some_and(|variants| !variants.is_empty());
        Outline::Ways { ways: ways.into(), gives }
    }

    fn places(&mut self, strategy: &wire::Strategy) -> Box<[usize]> {
        let constraints = strategy.constraints.iter().flatten();
        let places = constraints.map(|constraint| {
            let next = self.0.len();
            *self.0.entry(constraint.clone()).or_insert(next)
        });
        places.collect()
    }

    /// Adds a feature for each constraint, which is on when it holds; gives their names, which no feature can have.
    fn into_features(self, features: &mut Vec<ClientFeature>) -> Vec<String> {
        let mut names = vec![String::new(); self.0.len()];
        for (constraint, place) in self.0 {
            let name = format!("\n{place}");
            names[place].clone_from(&name);
            let alone = wire::Strategy { constraints: Some(vec![constraint]), ..strategy(&Condition::only([])) };
            features.push(ClientFeature {
                name,
                enabled: true,
                strategies: Some(vec![alone]),
                ..ClientFeature::default()
            });
        }
        names
    }
}

/// For what share of people a strategy holds, where its type is one of the two common ones and it says so as the engine
/// reads it: whole percents.
fn share(strategy: &wire::Strategy) -> Option<Share> {
    let parameter = |name| strategy.parameters.as_ref().and_then(|parameters| parameters.get(name)).map(String::as_str);
    match strategy.name.as_str() {
        "default" => return Some(Share::Everybody),
        "flexibleRollout" => {}
        _ => return None,
    }
    let of_hundred = parameter("rollout")?.parse::<u32>().ok().filter(|share| *share <= PEOPLE)?;
    let stickiness = match parameter("stickiness").unwrap_or("default") {
        "default" => Stickiness::Usual,
        "userId" => Stickiness::User,
        "sessionId" => Stickiness::Session,
        _ => return None,
    };
    let group = parameter("groupId")?.into();
    Some(match stickiness {
        Stickiness::Usual if of_hundred == PEOPLE => Share::Everybody,
        _ => Share::Drawn { of_hundred, group, stickiness },
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn rollout(parameters: &Value, constraints: &Value) -> Value {
        json!({ "name": "flexibleRollout", "parameters": parameters, "constraints": constraints })
    }

    fn everybody(constraints: &Value) -> Value {
        rollout(&json!({ "rollout": "100", "stickiness": "default", "groupId": "g" }), constraints)
    }

    fn outline(known: &mut Constraints, strategies: &Value, parents: &Value) -> Outline {
        let feature =
            json!({ "name": "f", "enabled": true, "strategies": strategies, "dependencies": parents, "variants": [] });
        known.outline(&serde_json::from_value(feature).expect("a feature"))
    }

    /// The constraints of each way, and whether it holds for everybody who meets them; `None` is left to the engine.
    fn ways(known: &mut Constraints, strategies: &Value) -> Option<Vec<(Vec<usize>, bool)>> {
        match outline(known, strategies, &json!([])) {
            Outline::Unknown => None,
            Outline::Ways { ways, .. } => {
                Some(ways.iter().map(|way| (way.constraints.to_vec(), way.share.is_everybody())).collect())
            }
        }
    }

    #[test]
    fn what_needs_no_asker_is_settled_before_anybody_asks() {
        let known = &mut Constraints::default();
        let nobody = rollout(&json!({ "rollout": "0", "stickiness": "userId", "groupId": "g" }), &json!([]));
        assert_eq!(ways(known, &json!([])), Some(vec![(vec![], true)]));
        assert_eq!(ways(known, &json!([everybody(&json!([]))])), Some(vec![(vec![], true)]));
        assert_eq!(ways(known, &json!([nobody])), Some(vec![]));
        assert_eq!(known.0.len(), 0);
    }

    #[test]
    fn a_constraint_of_several_strategies_is_one() {
        let known = &mut Constraints::default();
        let one = json!({ "contextName": "userId", "operator": "IN", "values": ["1"] });
        let two = json!({ "contextName": "country", "operator": "STR_CONTAINS", "values": ["a"], "inverted": true });
        let half = json!({ "rollout": "50", "stickiness": "sessionId", "groupId": "g" });
        let strategies = json!([everybody(&json!([one, two])), rollout(&half, &json!([two]))]);
        assert_eq!(ways(known, &strategies), Some(vec![(vec![0, 1], true), (vec![1], false)]));
        // Of another feature, too.
        assert_eq!(ways(known, &json!([everybody(&json!([two]))])), Some(vec![(vec![1], true)]));
        assert_eq!(known.0.len(), 2);
    }

    #[test]
    fn what_the_engine_alone_can_judge_is_left_to_it() {
        let known = &mut Constraints::default();
        let half = |stickiness: &str| json!({ "rollout": "50", "stickiness": stickiness, "groupId": "g" });
        for strategy in [
            rollout(&half("random"), &json!([])),
            rollout(&half("tenantId"), &json!([])),
            rollout(&json!({ "rollout": "50.5", "groupId": "g" }), &json!([])),
            rollout(&json!({ "rollout": "50" }), &json!([])),
            json!({ "name": "userWithId", "parameters": { "userIds": "1" } }),
            json!({ "name": "of-our-own", "parameters": {} }),
        ] {
            assert_eq!(ways(known, &json!([everybody(&json!([])), strategy])), None, "{strategy}");
        }
        let parents = json!([{ "feature": "parent" }]);
        assert!(matches!(outline(known, &json!([everybody(&json!([]))]), &parents), Outline::Unknown));
    }
}
