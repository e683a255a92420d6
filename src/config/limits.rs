//! How many things of each kind an instance holds. None of these is a matter of licence: an operator sets them freely.

use clap::Args;

use crate::{
    domain::{import, strategy::StrategyBounds},
    error::Error,
};

macro_rules! limits {
    ($($(#[$doc:meta])* $name:ident = $variable:literal, $default:literal;)+) => {
        /// How many things of each kind there may be. What is there already stays when a limit is lowered.
        #[derive(Debug, Clone, Args)]
        pub struct Limits {
            $(
                $(#[$doc])*
                // The id, too: subcommands have arguments of their own that are called `projects` and the like.
                #[arg(
                    id = concat!("limit-", stringify!($name)),
                    long = concat!("limit-", stringify!($name)),
                    env = $variable,
                    default_value_t = $default,
                    global = true
                )]
                pub $name: u64,
            )+
        }

        impl Default for Limits {
            fn default() -> Self {
                Self { $($name: $default,)+ }
            }
        }
    };
}

limits! {
    /// Most features in the whole instance, without archived ones.
    feature_flags = "UNLEASH_FEATURE_FLAGS_LIMIT", 100_000;
    /// Most projects.
    projects = "UNLEASH_PROJECTS_LIMIT", 500;
    /// Most environments.
    environments = "UNLEASH_ENVIRONMENTS_LIMIT", 50;
    /// Most segments.
    segments = "UNLEASH_SEGMENTS_LIMIT", 300;
    /// Most API tokens.
    api_tokens = "UNLEASH_API_TOKENS_LIMIT", 2000;
    /// Most strategies of a feature in one environment.
    strategies = "UNLEASH_FEATURE_ENVIRONMENT_STRATEGIES_LIMIT", 30;
    /// Most constraints of one strategy.
    constraints = "UNLEASH_CONSTRAINTS_LIMIT", 30;
    /// Most values of one constraint.
    constraint_values = "UNLEASH_CONSTRAINT_VALUES_LIMIT", 250;
    /// Most values of all constraints of one segment.
    segment_values = "UNLEASH_SEGMENT_VALUES_LIMIT", 1000;
    /// Most segments of one strategy.
    strategy_segments = "UNLEASH_STRATEGY_SEGMENTS_LIMIT", 5;
    /// Most personal tokens of one user.
    personal_tokens = "UNLEASH_PERSONAL_TOKENS_LIMIT", 10;
}

impl Limits {
    /// What of it concerns strategies.
    pub const fn of_strategies(&self) -> StrategyBounds {
        StrategyBounds {
            strategies: self.strategies,
            constraints: self.constraints,
            constraint_values: self.constraint_values,
            segments: self.strategy_segments,
        }
    }

    /// What an import is held to.
    pub fn of_imports(&self) -> import::Bounds {
        import::Bounds { features: self.feature_flags, strategies: self.of_strategies().of_import() }
    }
}

/// Refuses to make one more `what` (in the singular, such as `project`) when there are `present` of at most `limit`.
pub fn admit_one_more(what: &str, present: u64, limit: u64) -> Result<(), Error> {
    if present < limit {
        return Ok(());
    }
    Err(Error::ExceedsLimit(format!("There cannot be another {what}: the limit of {limit} is reached.")))
}
