//! Strategies for an older version.

use flagstone_domain::{strategy::FeatureStrategy, switching::is_disabled};
use flagstone_wire::Number;

use super::{Fitting, OUTLIVED, Target, variant_fault};

/// Counts of the active strategies of a feature, before and after they are fitted.
#[derive(Debug, Default)]
pub(super) struct Fitted {
    before: usize,
    after: usize,
    position: u32,
}

impl Fitted {
    /// Whether the feature would be on for all that was on for some.
    pub(super) const fn is_without_any(&self) -> bool {
        self.before > 0 && self.after == 0
    }

    /// Returns the next strategy of the feature as the version takes it, or `None` if it is left out.
    pub(super) fn strategy(
        &mut self,
        fitting: &mut Fitting,
        place: &str,
        mut strategy: FeatureStrategy,
    ) -> Option<FeatureStrategy> {
        let is_active = !is_disabled(&strategy);
        self.before += usize::from(is_active);
        let title = strategy.title.as_ref().and_then(|title| title.0.clone()).filter(|title| !title.is_empty());
        let name = title.clone().unwrap_or_else(|| strategy.name.clone());
        if let Some(fault) = fault(fitting, &strategy, is_active) {
            fitting.told.push(format!("{place}: its strategy {name} is left out: {fault}"));
            return None;
        }
        self.after += usize::from(is_active);
        if strategy.name.starts_with(OUTLIVED) {
            fitting.told.push(format!("{place}: its strategy {name} becomes {}", said_otherwise(&mut strategy)));
        }
        let variants = strategy.variants.as_deref().unwrap_or_default();
        match fitting.target {
            Target::Unleash5 => {
                if !variants.is_empty() {
                    let reason = "its state has no place for them";
                    fitting.told.push(format!("{place}: the variants of its strategy {name} are left out: {reason}"));
                }
                strategy.variants = None;
                fitting.titles += usize::from(title.is_some());
            }
            Target::Unleash6 => {
                let mut variants = variants.iter().map(|variant| (&*variant.name, variant.payload.as_ref()));
                if let Some(fault) = variants.find_map(|(name, payload)| variant_fault(name, payload)) {
                    fitting.told.push(format!("{place}: the variants of its strategy {name} are left out: {fault}"));
                    strategy.variants = None;
                }
                // It does not keep the order of the file.
                strategy.sort_order = Some(Number::from(f64::from(self.position)));
            }
        }
        self.position += 1;
        Some(strategy)
    }
}

/// Returns the reason why a strategy is left out, or `None` if the version takes it.
fn fault(fitting: &Fitting, strategy: &FeatureStrategy, is_active: bool) -> Option<String> {
    if !is_active && fitting.target == Target::Unleash5 {
        return Some("it is disabled, and would be enabled there".to_owned());
    }
    let of_segments = strategy.segments.iter().flatten().find_map(|id| fitting.unfit.get(&id.whole()?));
    if let Some(name) = of_segments {
        return Some(format!("so is its segment {name}"));
    }
    strategy.constraints.iter().flatten().find_map(|constraint| fitting.fault(constraint, false))
}

/// Replaces a strategy of a former type by a `flexibleRollout`. Returns the words for the report.
fn said_otherwise(strategy: &mut FeatureStrategy) -> &'static str {
    let stickiness = match strategy.name.as_str() {
        "gradualRolloutUserId" => "userId",
        "gradualRolloutSessionId" => "sessionId",
        _ => "random",
    };
    let mut parameters = strategy.parameters.take().unwrap_or_default();
    let rollout = parameters.remove("percentage").unwrap_or_else(|| "0".to_owned());
    let group = parameters.remove("groupId").filter(|group| !group.is_empty());
    let told = if group.is_some() || stickiness == "random" {
        "flexibleRollout, for the same users"
    } else {
        // Without a group the old one hashes an empty text, and the new one the name of the feature.
        "flexibleRollout, for the same share of users, but others"
    };
    let group = group.or_else(|| strategy.feature_name.clone()).unwrap_or_default();
    let said = [("rollout", rollout), ("stickiness", stickiness.to_owned()), ("groupId", group)];
    strategy.parameters = Some(said.into_iter().map(|(name, value)| (name.to_owned(), value)).collect());
    "flexibleRollout".clone_into(&mut strategy.name);
    told
}
