//! Evaluation of an environment's features for a context.

use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicBool, Ordering},
};

use flagstone_domain::{
    client_feature::{ClientFilter, Flag},
    time::Timestamp,
};
use flagstone_evaluation::{Asker, Choice};
use tokio::{sync::OnceCell, task::JoinError};

use super::{
    environment::{Environment, place},
    rules::{Rules, Unread},
};

/// Result of one feature for a context.
#[derive(Debug)]
pub struct Judgement<'a> {
    /// The feature.
    pub flag: &'a Flag,
    /// Whether it is on.
    pub is_enabled: bool,
    /// The variant that is given; none when the feature is off or has none.
    pub variant: Option<Choice>,
}

/// The rules of an environment, which are read when they are asked for.
#[derive(Debug, Default)]
pub(super) struct Reading {
    rules: OnceCell<Arc<Rules>>,
    /// Rules of an earlier state, as they were read last.
    earlier: Mutex<Option<Arc<Rules>>>,
    /// Whether the rules are so many that no request waits for them: they are read in the background.
    is_beside: AtomicBool,
}

impl Reading {
    /// Returns the rules of the state after this one, still to be read.
    pub(super) fn next(&self) -> Self {
        let earlier = self.rules.get().map(Arc::clone).or_else(|| self.lock().clone());
        Self { earlier: Mutex::new(earlier), ..Self::default() }
    }

    fn keep(&self, rules: Rules) -> Arc<Rules> {
        // What has not changed lives on in the new ones.
        *self.lock() = None;
        Arc::new(rules)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Arc<Rules>>> {
        self.earlier.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reason why rules are not read at once.
enum Delay {
    Much,
    Failed(JoinError),
}

/// The features of an environment, ready to be judged.
#[derive(Debug, Clone)]
pub struct Judge(Arc<Rules>);

impl Environment {
    /// Reads the rules of the features, unless that has been done for this content before.
    ///
    /// What a change touched is read before the answer. Where that is more than anybody should wait for, they are
    /// judged as they were in the state before until it is done.
    pub async fn judge(self: &Arc<Self>, now: Timestamp) -> Result<Judge, JoinError> {
        let reading = &self.reading;
        if let Some(rules) = reading.rules.get() {
            return Ok(Judge(Arc::clone(rules)));
        }
        let earlier = reading.lock().clone();
        let Some(earlier) = earlier else { return self.read(now).await };
        if reading.is_beside.load(Ordering::SeqCst) {
            return Ok(Judge(earlier));
        }
        let known = Arc::clone(&earlier);
        let read = reading.rules.get_or_try_init(|| async {
            let environment = Arc::clone(self);
            let reading = tokio::task::spawn_blocking(move || {
                let unread = Unread::new(&environment, Some(&known));
                (!unread.is_much()).then(|| unread.read(now))
            });
            let rules = reading.await.map_err(Delay::Failed)?.ok_or(Delay::Much)?;
            Ok(self.reading.keep(rules))
        });
        match read.await {
            Ok(rules) => Ok(Judge(Arc::clone(rules))),
            Err(Delay::Failed(error)) => Err(error),
            Err(Delay::Much) => {
                if !reading.is_beside.swap(true, Ordering::SeqCst) {
                    let environment = Arc::clone(self);
                    tokio::spawn(async move {
                        if let Err(error) = environment.read(now).await {
                            tracing::error!(
                                target: "flagstone::sdk::judgement",
                                %error,
                                "the rules of an environment cannot be read"
                            );
                            environment.reading.is_beside.store(false, Ordering::SeqCst);
                        }
                    });
                }
                Ok(Judge(earlier))
            }
        }
    }

    /// Reads the rules, however many.
    async fn read(self: &Arc<Self>, now: Timestamp) -> Result<Judge, JoinError> {
        let rules = self.reading.rules.get_or_try_init(|| async {
            // Thousands of rules take a while: others are answered meanwhile.
            let (environment, earlier) = (Arc::clone(self), self.reading.lock().clone());
            let reading = tokio::task::spawn_blocking(move || Unread::new(&environment, earlier.as_deref()).read(now));
            Ok(self.reading.keep(reading.await?))
        });
        Ok(Judge(Arc::clone(rules.await?)))
    }
}

impl Judge {
    /// Evaluates each feature that the filter admits, by name.
    pub fn all<'a>(&'a self, filter: &'a ClientFilter, asker: &'a Asker) -> impl Iterator<Item = Judgement<'a>> {
        let mut evaluation = self.0.evaluate_for(asker);
        let flags = self.0.flags.iter().enumerate();
        let admitted = flags.filter(move |(_, flag)| filter.admits(flag));
        admitted.map(move |(place, _)| evaluation.judge(place))
    }

    /// Evaluates a feature, if the filter admits it.
    pub fn find(&self, name: &str, filter: &ClientFilter, asker: &Asker) -> Option<Judgement<'_>> {
        let place = place(&self.0.flags, name)?;
        let flag = &self.0.flags[place];
        filter.admits(flag).then(|| self.0.evaluate_for(asker).judge(place))
    }
}

#[cfg(test)]
mod tests {
    use flagstone_domain::{
        client_feature::{ClientFeature, ClientStrategy, Loaded},
        evaluation::Subject,
        feature::Dependency,
    };

    use super::*;

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
            strategies: vec![strategy],
            dependencies: parent
                .map(|parent| vec![Dependency { feature: parent.to_owned(), enabled: None, variants: None }]),
            ..ClientFeature::default()
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
        let features = features.iter().map(|feature| Flag::written(feature, vec![])).collect();
        let environment = Arc::new(Environment::follow(None, Loaded { features, ..Loaded::default() }, 0));
        let now = Timestamp::from_millis(0);
        let judge = environment.judge(now).await.expect("judges");
        let (filter, asker) = (ClientFilter::default(), Asker::new(&Subject::default(), "production", now));
        let on = judge.all(&filter, &asker).filter(|judgement| judgement.is_enabled);
        let on: Vec<_> = on.map(|judgement| &*judgement.flag.name).collect();
        assert_eq!(on, ["child", "plain"]);
    }
}
