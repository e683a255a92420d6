//! Freezes: changes are refused while an environment that they reach must stay as it is.

use std::{borrow::Cow, collections::BTreeSet};

use flagstone_domain::{
    freeze_window::{Act, Freeze, FreezeWindow, frozen},
    ids::{EnvironmentName, ProjectId},
    visibility::Visibility,
};
use flagstone_error::Error;
use flagstone_store::{
    self as store,
    freeze_windows::{self, Barriers},
    strategies::uses,
};

use crate::{
    Transaction,
    guard::{Passage, Reach, skips},
};

/// Name of the error that an environment is frozen.
const FROZEN: &str = "EnvironmentFrozenError";

impl Transaction<'_> {
    /// Barriers that stand in the way of changes of a project. Costs one statement for the first project of a transaction,
    /// whose answer is kept.
    pub(super) async fn barriers(&self, project: &str) -> Result<Cow<'_, Barriers>, Error> {
        let read = || freeze_windows::barriers(&self.tx, project, self.now);
        let first = async || Ok::<_, Error>((project.to_owned(), read().await?));
        let (known, barriers) = self.barriers.get_or_try_init(first).await?;
        if known == project { Ok(Cow::Borrowed(barriers)) } else { Ok(Cow::Owned(read().await?)) }
    }
}

/// Refuses a change of a project with this reach while an environment that it reaches is frozen: 403 that names reason
/// and end. It holds for administrators and for approved changes as well. Holders of exempt roles pass, and so does
/// who may skip change requests there and gives a reason, which the events of the change keep. Switching off passes.
pub async fn refuse_frozen(transaction: &Transaction<'_>, project: &str, reach: Reach<'_>) -> Result<(), Error> {
    let is_free = matches!(reach, Reach::Nothing | Reach::SwitchOff(_));
    if is_free || transaction.author.passage == Passage::TriedOut {
        return Ok(());
    }
    let barriers = transaction.barriers(project).await?;
    if !is_any_in_force(transaction, &barriers.windows) {
        return Ok(());
    }
    let environments: Cow<'_, [String]> = match reach {
        Reach::Nothing | Reach::SwitchOff(_) => Cow::Borrowed(&[]),
        Reach::Environment(one) => Cow::Owned(vec![one.to_owned()]),
        Reach::Environments(some) => Cow::Borrowed(some),
        Reach::EveryEnvironment | Reach::Project => {
            Cow::Owned(store::environments::of_project(&transaction.tx, project).await?)
        }
    };
    match first_freeze(transaction, project, &environments, &barriers.windows).await? {
        Some(freeze) => Err(refusal(transaction, project, &freeze)),
        None => Ok(()),
    }
}

/// Refuses a change of a segment while an environment is frozen in which strategies apply it, as [`refuse_frozen`] does.
pub async fn refuse_frozen_segment(transaction: &Transaction<'_>, segment_id: i64) -> Result<(), Error> {
    if transaction.author.passage == Passage::TriedOut {
        return Ok(());
    }
    let windows = freeze_windows::not_over(&transaction.tx, transaction.now).await?;
    if !is_any_in_force(transaction, &windows) {
        return Ok(());
    }
    let strategies = uses::of_segment(&transaction.tx, segment_id, &Visibility::everything()).await?;
    let places: BTreeSet<_> =
        strategies.into_iter().map(|strategy| (strategy.project_id, strategy.environment)).collect();
    for (project, environment) in places {
        if let Some(freeze) = first_freeze(transaction, &project, &[environment], &windows).await? {
            return Err(refusal(transaction, &project, &freeze));
        }
    }
    Ok(())
}

/// Whether a change was refused because of a freeze, so that it is possible later.
pub fn is_freeze(error: &Error) -> bool {
    matches!(error, Error::Forbidden { name, .. } if *name == FROZEN)
}

fn is_any_in_force(transaction: &Transaction<'_>, windows: &[FreezeWindow]) -> bool {
    windows.iter().any(|window| window.ends_at(transaction.now).is_some())
}

/// Returns the first freeze of these environments that keeps the author from changing them.
async fn first_freeze(
    transaction: &Transaction<'_>,
    project: &str,
    environments: &[String],
    windows: &[FreezeWindow],
) -> Result<Option<Freeze>, Error> {
    let caller = transaction.author.caller;
    let roles = if windows.iter().any(|window| !window.exempt_roles.is_empty()) {
        caller.role_ids(project).await?
    } else {
        BTreeSet::new()
    };
    let found = environments.iter().find_map(|environment| {
        let frozen = frozen(windows, environment, &roles, Act::Write, transaction.now)?;
        let breaks_glass =
            caller.reason().is_some() && skips(caller, ProjectId::new(project), EnvironmentName::new(environment));
        (!breaks_glass).then(|| frozen.of(environment))
    });
    Ok(found)
}

fn refusal(transaction: &Transaction<'_>, project: &str, freeze: &Freeze) -> Error {
    let environment = EnvironmentName::new(&freeze.environment);
    let advice = if skips(transaction.author.caller, ProjectId::new(project), environment) {
        "Features can be switched off; for anything else, give a reason in X-Change-Reason."
    } else {
        "Features can be switched off."
    };
    Error::Forbidden { name: FROZEN, message: format!("{freeze}. {advice}") }
}
