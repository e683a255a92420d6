//! Settings that are variables and no options, wherever they stand.

use std::collections::BTreeMap;

use super::{gathering::Origin, presets, providers};

/// Kind of value of a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Holds {
    Text,
    Truth,
    /// Separated by commas.
    List,
}

/// A variable that is no option.
#[derive(Debug, Clone)]
pub(super) struct Variable {
    pub(super) name: String,
    pub(super) holds: Holds,
    /// Whether it is not shown, and may stand in a file of its own.
    pub(super) is_secret: bool,
}

/// All of them, in the order in which they are shown.
pub(super) fn all() -> Vec<Variable> {
    presets::variables().chain(providers::variables()).collect()
}

/// The values of those that the operator set, with where each stands. Printing it shows none.
#[derive(Clone, Default)]
pub struct Variables {
    pub(super) set: BTreeMap<String, (String, Origin)>,
    /// Variables of an Unleash server without an effect here, with the reason.
    pub(super) without_effect: Vec<String>,
}

impl std::fmt::Debug for Variables {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.set.keys()).finish()
    }
}

impl Variables {
    /// The value of one.
    pub fn get(&self, name: &str) -> Option<String> {
        self.set.get(name).map(|(value, _)| value.clone())
    }

    /// Variables of an Unleash server that are set and have no effect here, each with the reason.
    pub fn without_effect(&self) -> &[String] {
        &self.without_effect
    }
}
