//! Features of a set as they are served to programs of an environment.

use std::collections::BTreeMap;

use flagstone_domain::{
    client_feature::{ClientFeature, ClientStrategy},
    constraint::Constraint,
    feature::Dependency,
};

use super::neutral::{Feature, FeatureEnvironment, Set, Strategy};

/// Returns the features of an environment as programs get them.
pub fn client_features(set: &Set, environment: &str) -> Vec<ClientFeature> {
    let in_use = set.features.iter().filter(|feature| feature.archived_at.is_none());
    let served = in_use.filter_map(|feature| {
        let state = feature.environments.iter().find(|state| state.environment == environment)?;
        Some(client_feature(feature, state))
    });
    served.collect()
}

/// Returns a feature as programs of an environment get it.
pub fn client_feature(feature: &Feature, state: &FeatureEnvironment) -> ClientFeature {
    let mut strategies: Vec<&Strategy> = state.strategies.iter().filter(|strategy| !strategy.disabled).collect();
    strategies.sort_by_key(|strategy| strategy.sort_order);
    let strategies = strategies.into_iter().map(|strategy| ClientStrategy {
        name: strategy.name.clone(),
        constraints: strategy.constraints.clone(),
        parameters: strategy.parameters.clone(),
        variants: strategy.variants.clone(),
        segments: Some(strategy.segments.clone()).filter(|segments| !segments.is_empty()),
    });
    let dependencies: Vec<Dependency> = feature
        .dependencies
        .iter()
        .map(|dependency| Dependency {
            feature: dependency.parent.clone(),
            enabled: Some(dependency.enabled),
            variants: Some(dependency.variants.clone()),
        })
        .collect();
    ClientFeature {
        name: feature.name.clone(),
        kind: feature.kind.clone(),
        enabled: state.enabled,
        project: feature.project.clone(),
        stale: feature.stale,
        strategies: strategies.collect(),
        variants: state.variants.clone(),
        description: feature.description.clone().into(),
        impression_data: feature.impression_data,
        dependencies: Some(dependencies).filter(|parents| !parents.is_empty()),
    }
}

/// Returns the constraints of segments by their ids.
pub fn segments(set: &Set) -> BTreeMap<i64, Vec<Constraint>> {
    set.segments.iter().map(|segment| (segment.id, segment.constraints.clone())).collect()
}
