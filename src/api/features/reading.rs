//! Finding a feature to read.

use crate::{
    access::Caller,
    api::author::author,
    domain::{
        ids::{FeatureName, ProjectId},
        project::VisibleProject,
        version::Version,
    },
    error::Error,
    state::State,
    store::{self, features::HeldFeature},
};

/// A feature that the caller may read, archived or not.
#[derive(Debug)]
pub struct ReadFeature {
    /// The feature.
    pub found: HeldFeature,
    /// The project that owns it.
    pub project: VisibleProject,
    /// The state that was read: nothing that is read later is older.
    pub version: Version,
}

/// Finds a feature to read: 404 when the caller can see no project of this id, or it has no such feature.
pub async fn read_feature(
    caller: &Caller,
    state: &State,
    project: ProjectId<'_>,
    name: FeatureName<'_>,
) -> Result<ReadFeature, Error> {
    let (project, found) = look_up_feature(caller, state, project, name).await?;
    let version = store::events::version_of_feature(&state.db, name.as_str()).await?;
    Ok(ReadFeature { found, project, version })
}

/// Finds a feature like [`read_feature`], without its version.
pub async fn look_up_feature(
    caller: &Caller,
    state: &State,
    project: ProjectId<'_>,
    name: FeatureName<'_>,
) -> Result<(VisibleProject, HeldFeature), Error> {
    let project = caller.visible_project(project.as_str()).await?;
    match store::features::look_up(&state.db, &project, name.as_str()).await? {
        Some(found) => Ok((project, found)),
        None => Err(author(caller, state).missing_feature(&project, name.as_str()).await?),
    }
}
