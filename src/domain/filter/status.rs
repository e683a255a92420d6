use super::{MAX_VALUES, Refusal};

/// Pairs of an environment and a state, such as `production:enabled`; one that holds is enough.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StatusFilter {
    /// Environments in which the feature may be on.
    pub enabled_in: Vec<String>,
    /// Environments in which the feature may be off.
    pub disabled_in: Vec<String>,
}

impl StatusFilter {
    /// Most pairs, those that are passed over included.
    pub const MAX: usize = MAX_VALUES;

    /// Reads pairs. What is no pair, or has another state, is passed over.
    pub fn parse<S: AsRef<str>>(pairs: impl IntoIterator<Item = S>) -> Result<Self, Refusal> {
        let mut filter = Self::default();
        for (index, pair) in pairs.into_iter().enumerate() {
            if index >= Self::MAX {
                return Err(Refusal::TooMany(Self::MAX));
            }
            let Some((environment, state)) = pair.as_ref().rsplit_once(':') else { continue };
            let environments = match state.trim() {
                "enabled" => &mut filter.enabled_in,
                "disabled" => &mut filter.disabled_in,
                _ => continue,
            };
            environments.push(environment.trim().to_owned());
        }
        Ok(filter)
    }

    /// Whether there is no pair, so that everything passes.
    pub const fn is_empty(&self) -> bool {
        self.enabled_in.is_empty() && self.disabled_in.is_empty()
    }
}
