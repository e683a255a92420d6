//! Frontend API of the former server: that of Unleash, which evaluates with the Node SDK of its version. Ours evaluates
//! with Yggdrasil, as programs of today do.
//!
//! This is an evaluator of its own, for comparing alone. Where the Node SDK differs there is a [`Quirk`]; without any
//! quirk it decides as the engine does whether a feature is on, which a test holds for generated features. Variants of
//! strategies, and those that a feature asks of its parents, the engine draws in a way of its own. What each version does was
//! read in its sources, and is compared with answers of real servers in the tests.

mod adjust;
mod constraints;
mod eras;
mod hash;
mod numbers;
mod strategies;
mod variants;

use std::collections::{BTreeMap, BTreeSet};

use flagstone_domain::{
    client_feature::{ClientFeature, ClientStrategy},
    constraint::Constraint,
    evaluation::{CURRENT_TIME, Subject},
    feature::Dependency,
    time::Timestamp,
    variant::Payload,
};

pub use self::{
    adjust::{Adjusted, adjusted},
    eras::Era,
};

/// Difference between frontends of Unleash and its engine of today.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Quirk {
    /// Dates are compared with the time, whatever field the constraint names.
    TimeForEveryDate,
    /// Dates in any form that JavaScript reads.
    AnyDateForm,
    /// Numbers in any form that JavaScript reads; an empty text is 0.
    AnyNumberForm,
    /// Values of constraints count without blanks around them, and empty ones not at all.
    TrimmedValues,
    /// A list of users keeps the blanks at its ends.
    BlanksAroundLists,
    /// Rollouts without a group are hashed with an empty text in its place.
    EmptyGroup,
    /// Variants of strategies without a group are hashed with the text `undefined` in its place.
    UndefinedGroup,
    /// Variants are drawn with the seed of rollouts.
    OldVariantSeed,
    /// Each letter is hashed as one byte.
    ByteForLetter,
    /// A context without an application has that of the frontend itself.
    OwnApplication,
    /// Constraints on `environment` compare with `default`.
    DefaultEnvironment,
    /// A parent that is switched off is missing, also where it has to be off.
    MissingParents,
    /// The variants of a parent that must be off are not asked for.
    NoVariantsOfParentsOff,
    /// Ranges of addresses are of version 4 alone.
    OldAddresses,
    /// `REGEX` is not known.
    NoPatterns,
    /// `SEMVER_GTE` and `SEMVER_LTE` are not known.
    NoVersionBounds,
}

impl Quirk {
    /// All of them.
    pub const ALL: [Self; 16] = [
        Self::TimeForEveryDate,
        Self::AnyDateForm,
        Self::AnyNumberForm,
        Self::TrimmedValues,
        Self::BlanksAroundLists,
        Self::EmptyGroup,
        Self::UndefinedGroup,
        Self::OldVariantSeed,
        Self::ByteForLetter,
        Self::OwnApplication,
        Self::DefaultEnvironment,
        Self::MissingParents,
        Self::NoVariantsOfParentsOff,
        Self::OldAddresses,
        Self::NoPatterns,
        Self::NoVersionBounds,
    ];

    /// Returns what the old frontend did, as the end of a sentence about a feature.
    pub const fn words(self) -> &'static str {
        match self {
            Self::TimeForEveryDate => "the old frontend compared dates with the time, whatever the field",
            Self::AnyDateForm => "the old frontend read a date in a form that is none here",
            Self::AnyNumberForm => "the old frontend read a number in a form that is none here",
            Self::TrimmedValues => "the old frontend took values without the blanks around them",
            Self::BlanksAroundLists => "the old frontend kept the blanks at the ends of a list of users",
            Self::EmptyGroup => "the old frontend hashed a rollout without `groupId` with an empty text",
            Self::UndefinedGroup => "the old frontend hashed variants without `groupId` with the text undefined",
            Self::OldVariantSeed => "the old frontend drew variants with an older seed",
            Self::ByteForLetter => "the old frontend hashed letters outside of ASCII otherwise",
            Self::OwnApplication => "the old frontend took itself for the application where none was named",
            Self::DefaultEnvironment => "the old frontend took the environment default for the one asked for",
            Self::MissingParents => "the old frontend took a parent that is switched off for one that is missing",
            Self::NoVariantsOfParentsOff => "the old frontend asked for no variant of a parent that must be off",
            Self::OldAddresses => "the old frontend knew ranges of addresses of version 4 alone",
            Self::NoPatterns => "the old frontend did not know the operator REGEX",
            Self::NoVersionBounds => "the old frontend did not know the operators SEMVER_GTE and SEMVER_LTE",
        }
    }
}

/// Result of a frontend for a feature that is on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decided<'a> {
    /// The variant that is given, with its payload.
    pub variant: Option<(&'a str, Option<&'a Payload>)>,
}

/// The frontend of one environment.
#[derive(Debug, Clone)]
pub struct Frontend<'a> {
    features: BTreeMap<&'a str, &'a ClientFeature>,
    segments: &'a BTreeMap<i64, Vec<Constraint>>,
    environment: &'a str,
    application: &'static str,
    quirks: BTreeSet<Quirk>,
    now: Timestamp,
}

/// Context of an evaluation.
struct Asker<'a> {
    context: &'a Subject,
    application: Option<&'static str>,
    environment: &'a str,
}

impl Asker<'_> {
    /// Returns the value of a context field.
    fn value(&self, field: &str) -> Option<&str> {
        if field == "environment" {
            return Some(self.environment);
        }
        let own = || self.application.filter(|_| field == "appName");
        self.context.0.get(field).map(String::as_str).or_else(own)
    }

    /// Returns the value of a context field, where an empty text counts as none.
    fn filled(&self, field: &str) -> Option<&str> {
        self.value(field).filter(|value| !value.is_empty())
    }
}

impl<'a> Frontend<'a> {
    /// Returns the frontend of an era for what it serves in an environment.
    pub fn new(
        era: &Era,
        environment: &'a str,
        features: impl IntoIterator<Item = &'a ClientFeature>,
        segments: &'a BTreeMap<i64, Vec<Constraint>>,
        now: Timestamp,
    ) -> Self {
        Self {
            features: features.into_iter().map(|feature| (&*feature.name, feature)).collect(),
            segments,
            environment,
            application: era.application,
            quirks: era.quirks.clone(),
            now,
        }
    }

    /// Returns the same frontend without a quirk.
    #[must_use]
    pub fn without(&self, quirk: Quirk) -> Self {
        let mut other = self.clone();
        other.quirks.remove(&quirk);
        other
    }

    /// Returns the quirks that it has.
    pub const fn quirks(&self) -> &BTreeSet<Quirk> {
        &self.quirks
    }

    /// Evaluates a feature for a context; `None` is off.
    pub fn decide(&self, name: &str, context: &Subject) -> Option<Decided<'a>> {
        let asker = Asker {
            context,
            application: self.has(Quirk::OwnApplication).then_some(self.application),
            environment: if self.has(Quirk::DefaultEnvironment) { "default" } else { self.environment },
        };
        self.of_feature(self.features.get(name)?, &asker)
    }

    fn has(&self, quirk: Quirk) -> bool {
        self.quirks.contains(&quirk)
    }

    fn of_feature(&self, feature: &'a ClientFeature, asker: &Asker<'_>) -> Option<Decided<'a>> {
        let parents = feature.dependencies.as_deref().unwrap_or_default();
        if !feature.enabled || !parents.iter().all(|parent| self.allows(parent, asker)) {
            return None;
        }
        let given = if feature.strategies.is_empty() {
            None
        } else {
            let holds = |strategy: &&ClientStrategy| self.holds(strategy, &feature.name, asker);
            let strategy = feature.strategies.iter().find(holds)?;
            self.of_strategy(strategy, &feature.name, asker)
        };
        Some(Decided { variant: given.or_else(|| self.of_variants(feature, asker)) })
    }

    fn allows(&self, dependency: &Dependency, asker: &Asker<'_>) -> bool {
        let Some(parent) = self.features.get(&*dependency.feature) else { return false };
        if parent.dependencies.as_ref().is_some_and(|parents| !parents.is_empty())
            || self.has(Quirk::MissingParents) && !parent.enabled
        {
            return false;
        }
        let decided = self.of_feature(parent, asker);
        let must_be_on = dependency.enabled.unwrap_or(true);
        let wanted = dependency.variants.as_deref().unwrap_or_default();
        let asks_variant = !wanted.is_empty() && (must_be_on || !self.has(Quirk::NoVariantsOfParentsOff));
        let has_variant = || {
            // Without a variant there is one all the same, of the name `disabled`.
            let given = decided.as_ref().and_then(|decided| decided.variant).map_or("disabled", |(name, _)| name);
            wanted.iter().any(|name| name == given)
        };
        decided.is_some() == must_be_on && (!asks_variant || has_variant())
    }

    /// Whether a strategy holds, with its constraints and those of its segments.
    fn holds(&self, strategy: &ClientStrategy, feature: &str, asker: &Asker<'_>) -> bool {
        let segments = strategy.segments.iter().flatten();
        let constraints = segments.map(|id| self.segments.get(id));
        strategy.constraints.iter().all(|constraint| self.meets(constraint, asker))
            && constraints.into_iter().all(|constraints| {
                constraints.is_some_and(|all| all.iter().all(|constraint| self.meets(constraint, asker)))
            })
            && self.is_enabled(strategy, feature, asker)
    }

    /// Returns the time of the evaluation.
    fn time(&self, asker: &Asker<'_>) -> Timestamp {
        asker.context.0.get(CURRENT_TIME).and_then(|text| Timestamp::parse(text)).unwrap_or(self.now)
    }
}
