//! What the features of an environment come to for somebody.

use std::sync::Arc;

use tokio::task::JoinError;

use super::environment::{Environment, Flag};
use crate::{
    domain::{client_feature::ClientFilter, time::Timestamp},
    evaluation::{Asker, Choice, Condition, Engine, Rule},
};

/// What one feature comes to for somebody.
#[derive(Debug)]
pub struct Judgement<'a> {
    /// The feature.
    pub flag: &'a Flag,
    /// Whether it is on.
    pub is_enabled: bool,
    /// The variant that is given; none when the feature is off or has none.
    pub variant: Option<Choice>,
}

/// The features of an environment with the engine that judges them.
#[derive(Debug, Clone, Copy)]
pub struct Judge<'a> {
    environment: &'a Environment,
    engine: &'a Engine,
}

impl Environment {
    /// Reads the rules of the features, unless that has been done for this content before.
    pub async fn judge(self: &Arc<Self>, now: Timestamp) -> Result<Judge<'_>, JoinError> {
        let engine = self.engine.get_or_try_init(|| {
            // Thousands of rules take a while: others are answered meanwhile.
            let environment = Arc::clone(self);
            tokio::task::spawn_blocking(move || Engine::new(environment.rules(), now))
        });
        Ok(Judge { environment: self, engine: engine.await? })
    }

    fn rules(&self) -> impl Iterator<Item = Rule<'_>> {
        let known = &self.segments;
        self.flags().iter().map(move |flag| {
            let feature = &flag.feature;
            let strategies = feature.strategies.iter().map(move |strategy| {
                let ids = || strategy.segments.iter().flatten();
                if !ids().all(|id| known.contains_key(id)) {
                    return Condition::never();
                }
                let segments = ids().filter_map(move |id| known.get(id));
                let constraints = segments.flat_map(|segment| &segment.segment.constraints);
                Condition::of_client(&feature.name, strategy, constraints)
            });
            Rule {
                name: feature.name.clone(),
                enabled: feature.enabled,
                strategies: strategies.collect(),
                variants: &feature.variants,
                dependencies: feature.dependencies.as_deref().unwrap_or_default(),
            }
        })
    }
}

impl<'a> Judge<'a> {
    /// What each feature that the filter lets through comes to, by name.
    pub fn all(self, filter: &'a ClientFilter, asker: &'a Asker) -> impl Iterator<Item = Judgement<'a>> {
        let flags = self.environment.flags().iter().filter(move |flag| filter.admits(&flag.feature, &flag.tags));
        flags.map(move |flag| self.one(flag, asker))
    }

    /// What a feature comes to, if the filter lets it through.
    pub fn find(self, name: &str, filter: &ClientFilter, asker: &Asker) -> Option<Judgement<'a>> {
        self.environment.find(name, filter).map(|flag| self.one(flag, asker))
    }

    fn one(self, flag: &'a Flag, asker: &Asker) -> Judgement<'a> {
        let (is_enabled, variant) = self.engine.judge(&flag.feature.name, asker);
        Judgement { flag, is_enabled, variant }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        domain::{
            client_feature::{ClientFeature, ClientStrategy},
            evaluation::Subject,
            feature::Dependency,
        },
        store::client_features::Loaded,
        wire::Nullable,
    };

    fn feature(name: &str, segments: Option<Vec<i64>>, parent: Option<&str>) -> ClientFeature {
        let strategy = ClientStrategy {
            name: "default".to_owned(),
            constraints: vec![],
            parameters: std::collections::BTreeMap::default(),
            variants: vec![],
            segments,
        };
        ClientFeature {
            name: name.to_owned(),
            kind: "release".to_owned(),
            enabled: true,
            project: "shop".to_owned(),
            stale: false,
            strategies: vec![strategy],
            variants: vec![],
            description: Nullable(None),
            impression_data: false,
            dependencies: parent
                .map(|parent| vec![Dependency { feature: parent.to_owned(), enabled: None, variants: None }]),
        }
    }

    #[tokio::test]
    async fn what_refers_to_something_that_is_not_there_is_off() {
        let features = [
            feature("child", None, Some("plain")),
            feature("orphan", None, Some("nobody")),
            feature("plain", None, None),
            feature("segmented", Some(vec![404]), None),
        ];
        let features = features.into_iter().map(|feature| (feature, vec![])).collect();
        let environment = Arc::new(Environment::follow(None, Loaded { features, ..Loaded::default() }, 0));
        let now = Timestamp::from_millis(0);
        let judge = environment.judge(now).await.expect("judges");
        let (filter, asker) = (ClientFilter::default(), Asker::new(&Subject::default(), "production", now));
        let on = judge.all(&filter, &asker).filter(|judgement| judgement.is_enabled);
        let on: Vec<_> = on.map(|judgement| judgement.flag.feature.name.as_str()).collect();
        assert_eq!(on, ["child", "plain"]);
    }
}
