//! Whether a strategy can be evaluated at all.

use std::fmt;

use super::parameters::{self, ParameterFault};
use crate::constraint::{Constraint, ConstraintFault};

/// Reason why a strategy never holds, or is read differently by SDKs. Only databases and data sets of other servers
/// hold such strategies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StrategyFault {
    /// A constraint of it, or of one of its segments, cannot be evaluated.
    Constraint {
        /// Context field that the constraint is on.
        context_name: String,
        /// Fault of the constraint.
        fault: ConstraintFault,
    },
    /// A parameter of it cannot be evaluated.
    Parameter(ParameterFault),
    /// Some SDKs draw its variants by its own stickiness, others by theirs.
    Stickiness,
}

impl fmt::Display for StrategyFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Constraint { context_name, fault } => write!(f, "the constraint on {context_name} {fault}"),
            Self::Parameter(fault) => write!(f, "the parameter {} {}", fault.parameter, fault.reason),
            Self::Stickiness => f.write_str("the variants have another stickiness than the strategy"),
        }
    }
}

/// Checks that the engine can evaluate a strategy of this type, given its parameters by name and its constraints with
/// those of its segments.
pub fn evaluable<'a>(
    strategy: &str,
    parameter: impl Fn(&str) -> Option<&'a str>,
    constraints: impl IntoIterator<Item = &'a Constraint>,
) -> Result<(), StrategyFault> {
    parameters::evaluable(strategy, parameter).map_err(StrategyFault::Parameter)?;
    constraints.into_iter().try_for_each(|constraint| {
        let context_name = || constraint.context_name.clone();
        constraint.evaluable().map_err(|fault| StrategyFault::Constraint { context_name: context_name(), fault })
    })
}
