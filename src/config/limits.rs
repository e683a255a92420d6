//! Limits of the things of each kind in an instance. None of these is a matter of licence: an operator sets them
//! freely.

use clap::{ArgMatches, Args, Command, FromArgMatches, builder::Resettable};
use flagstone_domain::{import, strategy::StrategyBounds};
use flagstone_error::Error;

macro_rules! limits {
    ($($(#[$doc:meta])* $name:ident = $flag:literal, $variable:literal, $default:literal;)+) => {
        /// Limits of the instance. What is there already stays when a limit is lowered.
        #[derive(Debug, Clone, Args)]
        pub struct Limits {
            $(
                $(#[$doc])*
                // The id, too: commands have arguments of their own that are called `projects` and the like.
                #[arg(
                    id = $flag,
                    long = $flag,
                    aliases = former(concat!("limit-", stringify!($name))),
                    env = $variable,
                    value_name = "NUMBER",
                    default_value_t = $default
                )]
                pub $name: u64,
            )+
        }

        impl Default for Limits {
            fn default() -> Self {
                Self { $($name: $default,)+ }
            }
        }

        impl Limits {
            /// Reads the limits that are among the options of a command; of the others the defaults.
            fn read(matches: &ArgMatches) -> Self {
                let given = |flag: &str| matches.try_get_one::<u64>(flag).ok().flatten().copied();
                Self { $($name: given($flag).unwrap_or($default),)+ }
            }
        }
    };
}

/// A flag was spelled with the underscores of its field, which goes on to work.
fn former(spelling: &'static str) -> Option<&'static str> {
    Some(spelling).filter(|spelling| spelling.contains('_'))
}

limits! {
    /// Most features in the whole instance, without archived ones.
    feature_flags = "limit-feature-flags", "UNLEASH_FEATURE_FLAGS_LIMIT", 100_000;
    /// Most projects.
    projects = "limit-projects", "UNLEASH_PROJECTS_LIMIT", 500;
    /// Most environments.
    environments = "limit-environments", "UNLEASH_ENVIRONMENTS_LIMIT", 50;
    /// Most segments.
    segments = "limit-segments", "UNLEASH_SEGMENTS_LIMIT", 300;
    /// Most API tokens.
    api_tokens = "limit-api-tokens", "UNLEASH_API_TOKENS_LIMIT", 2000;
    /// Most strategies of a feature in one environment.
    strategies = "limit-strategies", "UNLEASH_FEATURE_ENVIRONMENT_STRATEGIES_LIMIT", 30;
    /// Most constraints of one strategy.
    constraints = "limit-constraints", "UNLEASH_CONSTRAINTS_LIMIT", 30;
    /// Most values of one constraint.
    constraint_values = "limit-constraint-values", "UNLEASH_CONSTRAINT_VALUES_LIMIT", 250;
    /// Most values of all constraints of one segment.
    segment_values = "limit-segment-values", "UNLEASH_SEGMENT_VALUES_LIMIT", 1000;
    /// Most segments of one strategy.
    strategy_segments = "limit-strategy-segments", "UNLEASH_STRATEGY_SEGMENTS_LIMIT", 5;
    /// Most integrations.
    integrations = "limit-integrations", "FLAGSTONE_INTEGRATIONS_LIMIT", 500;
    /// Most personal tokens of one user.
    personal_tokens = "limit-personal-tokens", "UNLEASH_PERSONAL_TOKENS_LIMIT", 10;
}

impl Limits {
    /// Returns the limits of strategies.
    pub const fn of_strategies(&self) -> StrategyBounds {
        StrategyBounds {
            strategies: self.strategies,
            constraints: self.constraints,
            constraint_values: self.constraint_values,
            segments: self.strategy_segments,
        }
    }

    /// Returns the limits of an import.
    pub fn of_imports(&self) -> import::Bounds {
        import::Bounds { features: self.feature_flags, strategies: self.of_strategies().of_import() }
    }
}

macro_rules! some_limits {
    ($(#[$doc:meta])* $name:ident = $heeds:expr;) => {
        $(#[$doc])*
        #[derive(Debug, Clone)]
        pub struct $name(pub Limits);

        impl Args for $name {
            fn augment_args(command: Command) -> Command {
                let heeds: fn(&str) -> bool = $heeds;
                let all = Limits::augment_args(Command::new("limits"));
                // After the options of the command, and not where they stand among all limits.
                let heeded = all.get_arguments().filter(|option| heeds(option.get_id().as_str()));
                command.args(heeded.map(|option| option.clone().display_order(Resettable::Reset)))
            }

            fn augment_args_for_update(command: Command) -> Command {
                Self::augment_args(command)
            }
        }

        impl FromArgMatches for $name {
            fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
                Ok(Self(Limits::read(matches)))
            }

            fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
                self.0 = Limits::read(matches);
                Ok(())
            }
        }
    };
}

/// Flags of the limits that neither [`Limits::of_imports`] nor the making of what is missing looks at.
const NOT_OF_IMPORTS: [&str; 4] =
    ["limit-api-tokens", "limit-segment-values", "limit-integrations", "limit-personal-tokens"];

some_limits! {
    /// The limits that apply to an import, as options of its command. Of the others there are the defaults.
    ImportLimits = |flag| !NOT_OF_IMPORTS.contains(&flag);
}

some_limits! {
    /// The limit that applies to a feature which is switched on, as an option of the command. Of the others there are
    /// the defaults.
    StrategyLimits = |flag| flag == "limit-strategies";
}

/// Refuses to make one more `what` (in the singular, such as `project`) when there are `present` of at most `limit`.
pub fn admit_one_more(what: &str, present: u64, limit: u64) -> Result<(), Error> {
    if present < limit {
        return Ok(());
    }
    Err(Error::ExceedsLimit(format!("There cannot be another {what}: the limit of {limit} is reached.")))
}
