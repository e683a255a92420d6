//! Taking hold of a feature to change it.

use crate::{
    api::{caller::Caller, state::State},
    domain::project::ProjectScope,
    error::Error,
    store::{self, db::Tx, features::HeldFeature},
};

/// Whether a change may take features into use. Such changes wait for each other, as room for features is limited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Begin {
    /// It takes none into use.
    Change,
    /// It makes or revives some.
    Making,
}

impl Begin {
    /// [`Begin::Making`] where something may be revived.
    pub const fn reviving(may_revive: bool) -> Self {
        if may_revive { Self::Making } else { Self::Change }
    }

    /// Starts the transaction of the change.
    pub async fn transaction(self, state: &State) -> Result<Tx, Error> {
        Ok(match self {
            Self::Change => state.db.begin().await?,
            Self::Making => store::features::begin_making(&state.db).await?,
        })
    }
}

/// Starts a transaction that holds a feature of a project, archived or not: 404 when the project has none so named.
pub async fn hold_feature(
    caller: &Caller,
    state: &State,
    project: &ProjectScope,
    name: &str,
) -> Result<(Tx, HeldFeature), Error> {
    begin_holding(caller, state, project, name, Begin::Change).await
}

/// The same for a change that may take the feature into use.
pub async fn begin_holding(
    caller: &Caller,
    state: &State,
    project: &ProjectScope,
    name: &str,
    begin: Begin,
) -> Result<(Tx, HeldFeature), Error> {
    let tx = begin.transaction(state).await?;
    let held = store::features::hold(&tx, project, name).await?;
    if let Some(held) = held {
        return Ok((tx, held));
    }
    drop(tx);
    Err(missing_feature(caller, state, project, name).await?)
}

/// That a project has no such feature. Tells where it is, if the caller may see that project.
pub async fn missing_feature(
    caller: &Caller,
    state: &State,
    project: &ProjectScope,
    name: &str,
) -> Result<Error, Error> {
    let missing = format!("There is no feature named \"{name}\" in project \"{}\"", project.id());
    let owner = store::features::find_owner(&state.db, name).await?;
    let visibility = caller.visibility().await?;
    Ok(Error::NotFound(match owner.filter(|owner| visibility.admits(owner)) {
        Some(owner) => format!("{missing}, but there is one in project \"{owner}\"."),
        None => format!("{missing}."),
    }))
}
