//! Maximum size of a rule for its evaluation by Unleash's engine.

use std::fmt;

use crate::{feature::Dependency, variant::FeatureVariant};

/// Size of a rule: its nesting in the engine, and the parts that the engine goes through one by one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RuleSize {
    /// Strategies, and the constraints of the one that has most, those of its segments included.
    pub depth: usize,
    /// Values that something is compared with.
    pub operands: usize,
    /// Features that the rule's feature depends on.
    pub parents: usize,
}

impl RuleSize {
    /// Most strategies and constraints. The engine wraps each into the one before and calls itself for each, both when
    /// it judges and when it is dropped: with the 2 MiB of stack that a thread of the server has, it survives 32,512 of
    /// them (64 bytes each) as it is released, and 18,453 (113 bytes each) without optimisation. What the limits that
    /// are set from the start admit comes to 5,060: 30 strategies of 30 constraints and 5 segments of 1,000.
    pub const MOST_DEPTH: usize = 6000;
    /// Most values: each costs memory twice while the rule is read. The limits that are set from the start admit
    /// 375,000.
    pub const MOST_OPERANDS: usize = 500_000;
    /// Most parents, each of which is judged along with the feature.
    pub const MOST_PARENTS: usize = 1000;

    /// The size of a rule without its strategies.
    pub fn of_feature(variants: &[FeatureVariant], dependencies: &[Dependency]) -> Self {
        let overrides = variants.iter().flat_map(|variant| variant.overrides.iter().flatten());
        Self { depth: 0, operands: overrides.map(|given| given.values.len()).sum(), parents: dependencies.len() }
    }

    /// Adds strategies, each given by its number of constraints and that of the values that it compares with.
    #[must_use]
    pub fn with_strategies(mut self, strategies: impl Iterator<Item = (usize, usize)>) -> Self {
        let mut most = 0;
        for (constraints, operands) in strategies {
            self.depth += 1;
            self.operands += operands;
            most = most.max(constraints);
        }
        self.depth += most;
        self
    }

    /// Returns the part of it that is more than the engine can be given, if any.
    pub const fn excess(&self) -> Option<Excess> {
        if self.depth > Self::MOST_DEPTH {
            Some(Excess::Depth(self.depth))
        } else if self.operands > Self::MOST_OPERANDS {
            Some(Excess::Operands(self.operands))
        } else if self.parents > Self::MOST_PARENTS {
            Some(Excess::Parents(self.parents))
        } else {
            None
        }
    }
}

/// Part of a rule that exceeds its bound, and its size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Excess {
    /// Its strategies and constraints.
    Depth(usize),
    /// The values that it compares with.
    Operands(usize),
    /// The features that it depends on.
    Parents(usize),
}

impl fmt::Display for Excess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Depth(count) => {
                let most = RuleSize::MOST_DEPTH;
                write!(f, "{count} strategies and constraints of one strategy, where {most} can be evaluated")
            }
            Self::Operands(count) => {
                write!(f, "{count} values to compare with, where {} can be evaluated", RuleSize::MOST_OPERANDS)
            }
            Self::Parents(count) => {
                write!(f, "{count} features that it depends on, where {} can be evaluated", RuleSize::MOST_PARENTS)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strategies_add_up_and_of_the_constraints_the_longest_list_counts() {
        let size = RuleSize::default().with_strategies([(3, 10), (7, 5), (0, 0)].into_iter());
        assert_eq!(size, RuleSize { depth: 10, operands: 15, parents: 0 });
        let of_strategy = |constraints, operands| {
            RuleSize::default().with_strategies(std::iter::once((constraints, operands))).excess()
        };
        let (depth, operands) = (RuleSize::MOST_DEPTH, RuleSize::MOST_OPERANDS);
        assert_eq!(of_strategy(depth - 1, operands), None);
        assert_eq!(of_strategy(depth, 0), Some(Excess::Depth(depth + 1)));
        assert_eq!(of_strategy(0, operands + 1), Some(Excess::Operands(operands + 1)));
        let parents = RuleSize { parents: RuleSize::MOST_PARENTS + 1, ..RuleSize::default() };
        assert_eq!(parents.excess(), Some(Excess::Parents(parents.parents)));
    }
}
