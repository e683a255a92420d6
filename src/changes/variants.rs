//! Changes of the variants of a feature, in all environments at once or in some.

use flagstone_domain::{
    event_kind::EventKind,
    variant::{FeatureVariant, VariantFault, balance_feature},
};
use flagstone_error::Error;
use flagstone_store::{self as store, features::configurations::Configuration};
use serde_json::json;

use crate::{
    Applied,
    feature::{FeatureChange, LockedFeature},
    guard::Reach,
};

/// Environments in which variants are set.
#[derive(Debug, Clone, Copy)]
pub enum Environments<'a> {
    /// All environments of the feature, with one event about the feature.
    All,
    /// One environment, which the project must use.
    One(&'a str),
    /// Some environments, with an event about each. The project must use all of them.
    Some(&'a [String]),
}

/// Sets the variants of a feature; the outcome is the variants that it has then.
#[derive(Debug)]
pub struct SetVariants<'a, F> {
    /// Environments in which they are set.
    pub environments: Environments<'a>,
    /// Returns the variants as they should be, from the variants as they are; `None` to leave them.
    pub edit: F,
}

impl<F> FeatureChange for SetVariants<'_, F>
where
    F: FnOnce(&[FeatureVariant]) -> Result<Option<Vec<FeatureVariant>>, Error> + Send,
{
    type Outcome = Vec<FeatureVariant>;

    fn reach(&self) -> Reach<'_> {
        match self.environments {
            Environments::All => Reach::EveryEnvironment,
            Environments::One(environment) => Reach::Environment(environment),
            Environments::Some(environments) => Reach::Environments(environments),
        }
    }

    async fn apply(self, feature: &mut LockedFeature<'_>) -> Result<Applied<Vec<FeatureVariant>>, Error> {
        let tx = &feature.transaction.tx;
        let before = configurations(feature, self.environments).await?;
        let Some(after) = (self.edit)(of_feature(&before))? else {
            return Ok(Applied::nothing(of_feature(&before).to_vec()));
        };
        let differing: Vec<&Configuration> =
            before.iter().filter(|configuration| configuration.variants != after).collect();
        let changed: Vec<&str> = differing.iter().map(|configuration| &*configuration.environment).collect();
        if changed.is_empty() {
            return Ok(Applied::nothing(after));
        }
        store::features::variants::set_in(tx, feature.held.id, &changed, &after).await?;
        let events = if matches!(self.environments, Environments::All) {
            let event = feature.event(EventKind::FeatureVariantsUpdated).with_data(&json!({ "variants": after }));
            vec![event.with_pre_data(&json!({ "variants": of_feature(&before) }))]
        } else {
            let event = |configuration: &&Configuration| {
                let event = feature.event_in(EventKind::FeatureEnvironmentVariantsUpdated, &configuration.environment);
                let event = event.with_data(&json!({ "variants": after }));
                event.with_pre_data(&json!({ "variants": configuration.variants }))
            };
            differing.iter().map(event).collect()
        };
        Ok(Applied::with(after, events))
    }
}

/// The configurations of a feature in these environments.
async fn configurations(
    feature: &LockedFeature<'_>,
    environments: Environments<'_>,
) -> Result<Vec<Configuration>, Error> {
    let tx = &feature.transaction.tx;
    match environments {
        Environments::All => Ok(store::features::configurations::list(tx, feature.held.id).await?),
        Environments::One(environment) => Ok(vec![feature.configuration(environment).await?]),
        Environments::Some(names) => {
            let mut found = store::features::configurations::list(tx, feature.held.id).await?;
            let is_unused = |name: &String| !found.iter().any(|configuration| configuration.environment == *name);
            if let Some(index) = names.iter().position(is_unused) {
                let rule = format!("names the environment \"{}\", which the project does not use", names[index]);
                return Err(Error::property(format!("/body/environments/{index}"), rule));
            }
            found.retain(|configuration| names.contains(&configuration.environment));
            Ok(found)
        }
    }
}

/// Variants of the whole feature: those of the first environment that has any.
pub fn of_feature(configurations: &[Configuration]) -> &[FeatureVariant] {
    let with_variants = configurations.iter().find(|configuration| !configuration.variants.is_empty());
    with_variants.map(|configuration| &*configuration.variants).unwrap_or_default()
}

/// The variants that stood at `place` of the input, as they are stored.
pub fn balanced(place: &str, given: Vec<FeatureVariant>) -> Result<Vec<FeatureVariant>, Error> {
    let names: Vec<String> = given.iter().map(|variant| variant.name.clone()).collect();
    balance_feature(given).map_err(|fault| unusable_variants(place, &names, &fault))
}

/// Refusal of a list of variants that stands at `place` of the input; `names` are those that were given.
pub fn unusable_variants(place: &str, names: &[String], fault: &VariantFault) -> Error {
    Error::property(format!("{place}{}", fault.pointer(names)), format!("cannot be used: {fault}"))
}
