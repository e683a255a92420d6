//! What every change of features asks: who owns them, whether there is room, and what archiving and reviving need.

use poem_openapi::Object;

use crate::{
    api::{caller::Caller, state::State},
    config::admit_one_more,
    domain::{
        event::NewEvent,
        feature_document::{FeatureDocument, Shelving},
        permission::Permission,
        project::ProjectScope,
        time::Timestamp,
        visibility::Visibility,
    },
    error::Error,
    store::{
        self,
        db::Tx,
        features::{Admission, HeldFeature},
    },
};

/// Names of features to do something with.
#[derive(Debug, Clone, PartialEq, Eq, Object)]
#[oai(rename = "FeatureNames")]
pub struct FeatureNamesBody {
    /// Names of features of the project; one named twice counts once.
    #[oai(validator(max_items = 1000, max_length = 100))]
    pub features: Vec<String>,
}

/// The project that owns a feature which is addressed by its name alone, if the caller has a permission there.
///
/// 404 when there is no such feature, or none that the caller may see; 403 without the permission, which who has it
/// nowhere is told in any case.
pub async fn project_of_feature(
    caller: &Caller,
    state: &State,
    name: &str,
    need: Permission,
) -> Result<ProjectScope, Error> {
    let owner = store::features::find_owner(&state.db, name).await?;
    let visibility = caller.visibility().await?;
    match owner.filter(|owner| visibility.admits(owner)) {
        Some(owner) => caller.project(&owner, need).await,
        None if caller.grants().allow_somewhere(need) => Err(Error::not_found("feature", name)),
        None => Err(Error::no_access(need)),
    }
}

/// Takes hold of features of a project. Unknown names, and names that the caller may not know, are left out; a feature
/// of another project refuses them all.
pub async fn hold_features(
    tx: &Tx,
    project: &ProjectScope,
    visibility: &Visibility,
    names: &[String],
) -> Result<Vec<HeldFeature>, Error> {
    let found = store::features::hold_all(tx, names).await?;
    let (own, others): (Vec<_>, Vec<_>) = found.into_iter().partition(|held| held.document.project == project.id());
    let elsewhere: Vec<String> = others
        .iter()
        .map(|held| &held.document)
        .filter(|document| visibility.admits(&document.project))
        .map(|document| format!("{} (in project {})", document.name, document.project))
        .collect();
    if elsewhere.is_empty() {
        return Ok(own);
    }
    let (id, names) = (project.id(), elsewhere.join(", "));
    Err(Error::forbidden(format!("These features do not belong to project \"{id}\": {names}.")))
}

/// Refuses to take so many more features into use where the project or the instance has no room for them.
pub fn admit_features(state: &State, admission: &Admission, more: usize) -> Result<(), Error> {
    if more == 0 {
        return Ok(());
    }
    if let Some(fault) = admission.rules.limit_fault(i64::try_from(more).unwrap_or(i64::MAX)) {
        return Err(Error::forbidden(fault));
    }
    let others = u64::try_from(more - 1).unwrap_or(u64::MAX);
    admit_one_more("feature", admission.in_instance.saturating_add(others), state.config.limits.feature_flags)
}

/// Refuses to archive or delete features on which others depend.
pub async fn require_no_children(tx: &Tx, held: &[&HeldFeature]) -> Result<(), Error> {
    let ids: Vec<i64> = held.iter().map(|held| held.id).collect();
    let parents = store::dependencies::parents_of_others(tx, &ids).await?;
    let names: Vec<String> = held
        .iter()
        .filter(|held| parents.contains(&held.id))
        .map(|held| format!("\"{}\"", held.document.name))
        .collect();
    if names.is_empty() {
        return Ok(());
    }
    let names = names.join(", ");
    Err(Error::forbidden(format!("The feature {names} cannot be archived while other features depend on it.")))
}

/// Makes a feature what `after` says and gives the events that tell of it: none, and no write, when that is nothing
/// new. Archiving needs its own permission and that nothing depends on the feature; reviving needs room.
pub async fn change_feature(
    caller: &Caller,
    state: &State,
    project: &ProjectScope,
    tx: &Tx,
    held: &HeldFeature,
    after: &FeatureDocument,
    now: Timestamp,
) -> Result<Vec<NewEvent>, Error> {
    if !make_change(caller, state, project, tx, held, after, now).await? {
        return Ok(Vec::new());
    }
    let tags = store::tags::of_feature(tx, held.id).await?;
    Ok(held.document.change_events(after, &caller.actor(), &tags))
}

/// Like [`change_feature`], for whoever makes the events: tells whether there are any.
pub async fn make_change(
    caller: &Caller,
    state: &State,
    project: &ProjectScope,
    tx: &Tx,
    held: &HeldFeature,
    after: &FeatureDocument,
    now: Timestamp,
) -> Result<bool, Error> {
    let before = &held.document;
    if before == after {
        return Ok(false);
    }
    match before.shelving(after) {
        Some(Shelving::Archive) => {
            if !caller.grants().allow(Permission::DeleteFeature, Some(project.id()), None) {
                return Err(Error::no_access(Permission::DeleteFeature));
            }
            require_no_children(tx, &[held]).await?;
        }
        Some(Shelving::Revive) => {
            admit_features(state, &store::features::admission(tx, project).await?, 1)?;
        }
        None => {}
    }
    store::features::save(tx, held, after, now).await?;
    Ok(true)
}
