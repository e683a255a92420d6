//! Impact of changes before they are made: they are made in a transaction that is taken back.

use std::collections::BTreeSet;

use flagstone_domain::{
    change_request::{ChangeRequest, action::Action},
    impact::{Comparison, Configuration, Reach},
    time::DAY_MS,
};
use flagstone_error::Error;
use flagstone_store::{self as store, change_requests::configuration};

use crate::{Author, Begin, Transaction, change_requests::application, guard::Passage};

/// Features before and after the changes of a change request.
#[derive(Debug)]
pub struct Trial {
    /// The features that the changes concern.
    pub reach: Reach,
    /// Their states in each environment that the changes reach.
    pub comparisons: Vec<Comparison>,
}

impl Author<'_> {
    /// Makes the changes of a change request, recorded or only proposed, and takes them back. Returns the features that
    /// they concern before and after them. 409 when they cannot be made.
    pub async fn try_changes(self, request: &ChangeRequest) -> Result<Trial, Error> {
        let transaction = Author { passage: Passage::TriedOut, ..self }.begin(Begin::Change).await?;
        let (mut targets, mut parents) = (BTreeSet::new(), BTreeSet::new());
        for change in &request.changes {
            targets.extend(change.target.feature().map(str::to_owned));
            if let Action::AddDependency(dependency) = &change.action {
                parents.insert(dependency.feature.clone());
            }
        }
        let segments: Vec<i64> = request.segments().map(|(id, _)| id).collect();
        let tx = &transaction.tx;
        let reach = store::impact::reach(tx, &request.project, &targets, &parents, &segments).await?;
        let names: Vec<String> = reach.concerned.iter().map(|concerned| concerned.name.clone()).collect();
        let since = transaction.now.plus_millis(-DAY_MS);
        let mut comparisons = Vec::new();
        for environment in environments(&transaction, request).await? {
            let before = load(&transaction, &reach.needed, &environment).await?;
            let usage = store::impact::usage_since(tx, &names, &environment, since).await?;
            comparisons.push(Comparison { environment, before, after: Configuration::default(), usage });
        }
        application::try_out(&transaction, request).await?;
        for comparison in &mut comparisons {
            comparison.after = load(&transaction, &reach.needed, &comparison.environment).await?;
        }
        drop(transaction);
        Ok(Trial { reach, comparisons })
    }
}

/// Environments in which changes take effect: that of the change request, and all of the project where a change knows no
/// environment.
async fn environments(transaction: &Transaction<'_>, request: &ChangeRequest) -> Result<Vec<String>, Error> {
    let mut environments = vec![request.environment.clone()];
    if request.changes.iter().any(|change| change.action.reaches_every_environment()) {
        let used = configuration::of_project(&transaction.tx, &request.project).await?;
        let others = used.into_iter().map(|used| used.environment).filter(|name| *name != request.environment);
        environments.extend(others);
    }
    Ok(environments)
}

async fn load(transaction: &Transaction<'_>, names: &[String], environment: &str) -> Result<Configuration, Error> {
    let features = store::playground::named(&transaction.tx, names, environment).await?;
    let used: BTreeSet<i64> = features
        .iter()
        .flat_map(|feature| &feature.strategies)
        .flat_map(|strategy| strategy.segments.iter().flatten().filter_map(|id| id.whole()))
        .collect();
    let segments = if used.is_empty() { Vec::new() } else { store::playground::segments(&transaction.tx).await? };
    Ok(Configuration { features, segments: segments.into_iter().filter(|one| used.contains(&one.id)).collect() })
}
