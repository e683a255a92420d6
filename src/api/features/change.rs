//! Conditions of every change of features: the owner, the room, and the needs of archiving and reviving.

use std::collections::HashSet;

use poem_openapi::Object;

use crate::{
    access::Caller,
    api::features::access::Begin,
    config::admit_one_more,
    domain::project::ProjectScope,
    error::Error,
    state::State,
    store::{
        self,
        db::Tx,
        features::{Admission, HeldFeature},
    },
};

/// Names of the features that the operation applies to.
#[derive(Debug, Clone, PartialEq, Eq, Object)]
#[oai(rename = "FeatureNames")]
pub struct FeatureNamesBody {
    /// Names of features of the project; duplicates are ignored.
    #[oai(validator(max_items = 1000, max_length = 100))]
    pub features: Vec<String>,
}

/// Begins a change of features of a project, and takes hold of them. A feature of another project refuses them all with
/// 403, and a name that is unknown, or that the caller may not know, with 400.
pub async fn hold_features(
    caller: &Caller,
    state: &State,
    project: &ProjectScope,
    names: &[String],
    begin: Begin,
) -> Result<(Tx, Vec<HeldFeature>), Error> {
    let visibility = caller.visibility().await?;
    let tx = begin.transaction(state).await?;
    let found = store::features::hold_all(&tx, names).await?;
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
    Ok((tx, own))
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
