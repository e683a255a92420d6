//! Changes of many features of a project at once, which the transaction locks.

use std::{collections::HashSet, future::Future};

use flagstone_config::admit_one_more;
use flagstone_domain::{change_summary::ChangesBody, event::NewEvent, project::ProjectScope, visibility::Visibility};
use flagstone_error::Error;
use flagstone_store::{
    self as store,
    db::Tx,
    features::{Admission, HeldFeature},
};

use crate::{Author, Begin, Transaction, guard::Reach};

/// A change of many features of a project.
pub trait BatchChange: Send {
    /// Kind of the transaction that the change needs.
    const BEGIN: Begin = Begin::Change;

    /// Part of the project whose programs the change may reach: the guard stands before it.
    fn reach(&self) -> Reach<'_>;

    /// Applies the change to features that the transaction has locked. Returns the events.
    fn apply(self, features: LockedFeatures<'_>) -> impl Future<Output = Result<Vec<NewEvent>, Error>> + Send;
}

/// Features of a project that a transaction has locked for a change.
#[derive(Debug)]
pub struct LockedFeatures<'a> {
    /// The transaction.
    pub transaction: &'a Transaction<'a>,
    /// The project that owns the features.
    pub project: &'a ProjectScope,
    /// The names by which they were asked for.
    pub names: &'a [String],
    /// The features.
    pub held: Vec<HeldFeature>,
}

impl Author<'_> {
    /// Makes a change of features of a project in a transaction of its own, or with `dry_run` returns what it would
    /// change. A feature of another project refuses them all with 403, and a name that is unknown, or that the caller
    /// may not know, with 400. The guard lets all of them pass or none.
    pub async fn change_all<C: BatchChange>(
        self,
        project: &ProjectScope,
        names: &[String],
        change: C,
        dry_run: bool,
    ) -> Result<ChangesBody, Error> {
        let visibility = self.caller.visibility().await?;
        let transaction = self.begin(C::BEGIN).await?;
        let features = LockedFeatures::lock(&transaction, project, names, &visibility).await?;
        transaction.guard(project.id(), change.reach()).await?;
        let events = change.apply(features).await?;
        transaction.commit_or_preview(events, dry_run).await
    }
}

impl<'a> LockedFeatures<'a> {
    /// Locks features of a project for a change.
    pub async fn lock(
        transaction: &'a Transaction<'a>,
        project: &'a ProjectScope,
        names: &'a [String],
        visibility: &Visibility,
    ) -> Result<Self, Error> {
        let found = store::features::hold_all(&transaction.tx, names).await?;
        let (own, others): (Vec<_>, Vec<_>) = found.into_iter().partition(|held| held.document.project == project.id());
        let elsewhere: Vec<String> = others
            .iter()
            .map(|held| &held.document)
            .filter(|document| visibility.admits(&document.project))
            .map(|document| format!("{} (in project {})", document.name, document.project))
            .collect();
        if !elsewhere.is_empty() {
            let (id, names) = (project.id(), elsewhere.join(", "));
            return Err(Error::forbidden(format!("These features do not belong to project \"{id}\": {names}.")));
        }
        require_known(names, own.iter().map(|held| held.document.name.as_str()))?;
        Ok(Self { transaction, project, names, held: own })
    }

    /// Leaves out the features for which a condition does not hold.
    #[must_use]
    pub fn only(mut self, condition: impl Fn(&HeldFeature) -> bool) -> Self {
        self.held.retain(condition);
        self
    }

    /// Ids of the features.
    pub fn ids(&self) -> Vec<i64> {
        self.held.iter().map(|held| held.id).collect()
    }
}

/// 400 for the first of the names in `/body/features` that is not among those that are known.
pub fn require_known<'a>(names: &[String], known: impl Iterator<Item = &'a str>) -> Result<(), Error> {
    let known: HashSet<&str> = known.collect();
    match names.iter().position(|name| !known.contains(name.as_str())) {
        Some(index) => Err(Error::unknown(format!("/body/features/{index}"), "feature", &names[index])),
        None => Ok(()),
    }
}

/// Refuses to take so many more features into use where the project or the instance has no room for them.
pub fn admit_features(author: Author<'_>, admission: &Admission, more: usize) -> Result<(), Error> {
    if more == 0 {
        return Ok(());
    }
    if let Some(fault) = admission.rules.limit_fault(i64::try_from(more).unwrap_or(i64::MAX)) {
        return Err(Error::forbidden(fault));
    }
    let others = u64::try_from(more - 1).unwrap_or(u64::MAX);
    admit_one_more("feature", admission.in_instance.saturating_add(others), author.limits.feature_flags)
}

/// Refuses to do `what` (`archived`, `deleted`) to features on which others depend.
pub async fn require_no_children(tx: &Tx, held: &[HeldFeature], what: &str) -> Result<(), Error> {
    let ids: Vec<i64> = held.iter().map(|held| held.id).collect();
    let parents = store::features::dependencies::parents_of_others(tx, &ids).await?;
    let names: Vec<String> = held
        .iter()
        .filter(|held| parents.contains(&held.id))
        .map(|held| format!("\"{}\"", held.document.name))
        .collect();
    let sentence = match names.as_slice() {
        [] => return Ok(()),
        [one] => format!("The feature {one} cannot be {what} while other features depend on it."),
        several => {
            format!("The features {} cannot be {what} while other features depend on them.", several.join(", "))
        }
    };
    Err(Error::forbidden(sentence))
}
