//! Impact of changes: for whom features are on before and after them.

mod contexts;

use std::collections::{BTreeMap, BTreeSet};

pub use self::contexts::made_contexts;
use crate::{
    constraint::Constraint,
    evaluation::{ConfiguredFeature, KnownSegment},
};

/// Contexts that are made where none were sampled.
pub const MADE_CONTEXTS: usize = 10_000;
/// Fewest contexts that each feature is evaluated for.
const FEWEST_CONTEXTS: usize = 1000;
/// Evaluations of features in all environments, in each state: of more features there are fewer contexts.
const MOST_EVALUATIONS: usize = 1_000_000;
/// Most characters of a value that samples keep as it is.
const LONGEST_PLAIN: usize = 40;
/// Most features that are evaluated; further ones are left out.
pub const MOST_FEATURES: usize = 1000;
/// Stickiness that draws each time.
const RANDOM: &str = "random";

/// Whether a value of a context may tell who somebody is, so that samples have a hash in its place: ids, addresses, names
/// and what is too long to be one of a few values.
pub fn is_identity(field: &str, value: &str) -> bool {
    is_identity_field(field) || value.contains('@') || value.chars().count() > LONGEST_PLAIN
}

/// Whether all values of a field may tell who somebody is.
pub fn is_identity_field(field: &str) -> bool {
    let folded = field.to_ascii_lowercase();
    field != "appName"
        && (folded.ends_with("id")
            || folded == "ip"
            || ["address", "email", "name", "phone", "token", "targetingkey"].iter().any(|part| folded.contains(part)))
}

/// Features of an environment and the segments that they apply.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Configuration {
    /// The features, with those that they depend on.
    pub features: Vec<ConfiguredFeature>,
    /// The segments.
    pub segments: Vec<KnownSegment>,
}

/// Feature that changes may concern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Concerned {
    /// Its name.
    pub name: String,
    /// Whether a change is about it, and not only about a segment or a feature that it depends on.
    pub is_target: bool,
    /// Names of the features that depend on it.
    pub dependents: Vec<String>,
}

/// Features that changes may concern, and what they need to be evaluated.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reach {
    /// The features, by name.
    pub concerned: Vec<Concerned>,
    /// Number of features that are left out, since there are too many.
    pub left_out: usize,
    /// Names of the features and of those that they depend on.
    pub needed: Vec<String>,
}

/// Features of an environment before and after changes.
#[derive(Debug, Clone, Default)]
pub struct Comparison {
    /// Name of the environment.
    pub environment: String,
    /// Before the changes.
    pub before: Configuration,
    /// After them.
    pub after: Configuration,
    /// Evaluations of the last day by feature and application.
    pub usage: BTreeMap<String, Vec<ApplicationUsage>>,
}

/// Evaluations of a feature by an application.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApplicationUsage {
    /// Name of the application.
    pub application: String,
    /// Evaluations that were on.
    pub yes: i64,
    /// Evaluations that were off.
    pub no: i64,
}

/// Number of contexts for so many features in so many environments.
pub const fn contexts_for(features: usize, environments: usize) -> usize {
    let pairs = features.saturating_mul(environments);
    let Some(fitting) = MOST_EVALUATIONS.checked_div(pairs) else { return MADE_CONTEXTS };
    if fitting > MADE_CONTEXTS {
        MADE_CONTEXTS
    } else if fitting < FEWEST_CONTEXTS {
        FEWEST_CONTEXTS
    } else {
        fitting
    }
}

impl Configuration {
    /// The feature with this name.
    pub fn feature(&self, name: &str) -> Option<&ConfiguredFeature> {
        self.features.iter().find(|feature| feature.name == name)
    }

    /// Constraints that decide about a feature, with those of its segments.
    pub fn constraints<'a>(&'a self, feature: &'a ConfiguredFeature) -> impl Iterator<Item = &'a Constraint> {
        feature.strategies.iter().flat_map(|strategy| {
            let ids: BTreeSet<i64> = strategy.segments.iter().flatten().filter_map(|id| id.whole()).collect();
            let applied = self.segments.iter().filter(move |segment| ids.contains(&segment.id));
            strategy.constraints.iter().flatten().chain(applied.flat_map(|segment| &segment.constraints))
        })
    }

    /// Lets draws that happen anew each time follow the user instead, so that the same context can be compared before and
    /// after. Returns the names of the features that had any.
    pub fn settle(&mut self) -> BTreeSet<String> {
        let mut drawn = BTreeSet::new();
        for feature in &mut self.features {
            let mut settled = false;
            for strategy in &mut feature.strategies {
                if strategy.name == "gradualRolloutRandom" {
                    "gradualRolloutUserId".clone_into(&mut strategy.name);
                    settled = true;
                }
                let stickiness = strategy.parameters.as_mut().and_then(|parameters| parameters.get_mut("stickiness"));
                let of_variants = strategy.variants.iter_mut().flatten().map(|variant| &mut variant.stickiness);
                for stickiness in stickiness.into_iter().chain(of_variants) {
                    settled |= settle(stickiness);
                }
            }
            for stickiness in feature.variants.iter_mut().filter_map(|variant| variant.stickiness.as_mut()) {
                settled |= settle(stickiness);
            }
            if settled {
                drawn.insert(feature.name.clone());
            }
        }
        drawn
    }
}

fn settle(stickiness: &mut String) -> bool {
    let draws = stickiness == RANDOM;
    if draws {
        "userId".clone_into(stickiness);
    }
    draws
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_tell_who_somebody_is_is_an_identity() {
        for field in ["userId", "sessionId", "remoteAddress", "tenantID", "Email", "phoneNumber", "username", "ip"] {
            assert!(is_identity(field, "x"), "{field}");
        }
        for field in ["appName", "region", "tier", "environment", "version"] {
            assert!(!is_identity(field, "x"), "{field}");
            assert!(is_identity(field, "ada@example.com") && is_identity(field, &"x".repeat(41)), "{field}");
        }
    }

    #[test]
    fn of_more_features_there_are_fewer_contexts() {
        assert_eq!([0, 1, 10, 100].map(|features| contexts_for(features, 1)), [10_000; 4]);
        assert_eq!([200, 500, 1000].map(|features| contexts_for(features, 1)), [5000, 2000, 1000]);
        assert_eq!(contexts_for(1000, 5), 1000);
        assert_eq!(contexts_for(100, 4), 2500);
    }
}
