//! Made-up people for whom features are judged: each has values that rules look for, or just miss.

use std::collections::{BTreeMap, BTreeSet};

use flagstone_domain::{
    constraint::{Constraint, Operator},
    evaluation::Subject,
    time::{HOUR_MS, Timestamp},
};

use super::Served;

/// Values of a context field that are tried, at most.
const VALUES: usize = 64;
/// Fields that shares stick to when nothing is said.
const IDS: [&str; 2] = ["userId", "sessionId"];

/// Returns so many contexts for all features of these servers, always the same for the same rules. The first has
/// nothing but what shares stick to; the others have each field or not, with a value that some rule looks for, one next
/// to it, or one of its own.
pub fn people(all: &[&Served], count: usize, now: Timestamp) -> Vec<Subject> {
    let mut values: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for constraint in all.iter().flat_map(|served| served.constraints()) {
        let known = values.entry(&constraint.context_name).or_default();
        let nearby = nearby(constraint);
        known.extend(nearby.into_iter().take(VALUES.saturating_sub(known.len())));
    }
    for (field, parameter) in [("userId", "userIds"), ("remoteAddress", "IPs")] {
        let listed = all.iter().flat_map(|served| served.listed(parameter));
        let known = values.entry(field).or_default();
        known.extend(listed.take(VALUES.saturating_sub(known.len())));
    }
    // Whoever lacks what a share sticks to is drawn anew each time.
    let sticky = all.iter().flat_map(|served| served.stickiness());
    let sticky: BTreeSet<&str> =
        sticky.filter(|stickiness| !["default", "random"].contains(stickiness)).chain(IDS).collect();
    values.remove("environment");
    let values: Vec<(&str, Vec<String>)> =
        values.into_iter().map(|(field, values)| (field, values.into_iter().collect())).collect();
    let mut chance = Chance(0x9e37_79b9_7f4a_7c15);
    let people = (0..count).map(|number| {
        let mut known = BTreeMap::new();
        for (field, values) in values.iter().filter(|_| number > 0) {
            let value = match (chance.below(4), values.as_slice()) {
                (0, _) => continue,
                (1, _) | (_, []) => format!("{field}-{number}"),
                (_, some) => some[chance.below(some.len())].clone(),
            };
            known.insert((*field).to_owned(), value);
        }
        for field in &sticky {
            known.entry((*field).to_owned()).or_insert_with(|| format!("{field}-{number}"));
        }
        known.entry("currentTime".to_owned()).or_insert_with(|| now.to_string());
        bounded(known, &sticky)
    });
    people.collect()
}

/// Returns the properties of a person, as far as a server accepts them.
fn bounded(known: BTreeMap<String, String>, sticky: &BTreeSet<&str>) -> Subject {
    let mut person = Subject::default();
    // What shares stick to comes first: all else may be too much for one.
    let (first, rest): (Vec<_>, Vec<_>) = known.into_iter().partition(|(name, _)| sticky.contains(&name.as_str()));
    for (name, value) in first.into_iter().chain(rest) {
        let _unfit = person.know(&name, value);
    }
    person
}

/// Returns the values that a constraint looks for, and those next to them.
fn nearby(constraint: &Constraint) -> Vec<String> {
    let operands: Vec<&str> = constraint.operands().collect();
    let each = |make: fn(&str) -> Vec<String>| operands.iter().flat_map(|value| make(value)).collect();
    match constraint.operator {
        Operator::NumEq | Operator::NumGt | Operator::NumGte | Operator::NumLt | Operator::NumLte => each(|value| {
            let number: f64 = value.trim().parse().unwrap_or_default();
            vec![value.to_owned(), (number - 1.0).to_string(), (number + 1.0).to_string()]
        }),
        Operator::DateAfter | Operator::DateBefore => each(|value| {
            let at = Timestamp::parse(value).unwrap_or_default();
            vec![at.plus_millis(-HOUR_MS).to_string(), at.plus_millis(HOUR_MS).to_string()]
        }),
        Operator::SemverEq | Operator::SemverGt | Operator::SemverLt | Operator::SemverGte | Operator::SemverLte => {
            each(|value| {
                let newer = value.rsplit_once('.').map_or_else(String::new, |(front, _)| format!("{front}.99999"));
                vec![value.to_owned(), newer, "0.0.1".to_owned()]
            })
        }
        Operator::StrStartsWith => each(|value| vec![format!("{value}-x"), value.to_uppercase()]),
        Operator::StrEndsWith => each(|value| vec![format!("x-{value}"), value.to_uppercase()]),
        Operator::StrContains => each(|value| vec![format!("x-{value}-x"), value.to_uppercase()]),
        _ => each(|value| vec![value.to_owned(), value.to_uppercase()]),
    }
}

/// Chance that comes again: xorshift of 64 bits.
struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap_or_default() % bound.max(1)
    }
}
