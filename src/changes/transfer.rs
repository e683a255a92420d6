//! Moving a feature to another project.

use flagstone_domain::project::{
    ProjectScope,
    transfer::{Obstacle, Transfer},
};
use flagstone_error::Error;
use flagstone_store::{
    self as store,
    projects::{transfer, write},
};

use crate::{Author, Begin, feature::Target, guard::Reach, projects::hold_in_use};

impl Author<'_> {
    /// Moves a feature to another project in a transaction of its own. Moving it to its own project changes nothing.
    pub async fn move_feature(self, target: Target<'_>, to: &ProjectScope) -> Result<(), Error> {
        let from = target.project;
        // The other project may have room for one more feature only.
        let transaction = self.begin(Begin::Making).await?;
        let tx = &transaction.tx;
        // In the order of ids, so that two moves in opposite directions do not wait for each other.
        let (first, second) = if from.id() < to.id() { (from, to) } else { (to, from) };
        let first = hold_in_use(tx, first.id()).await?;
        let second = hold_in_use(tx, second.id()).await?;
        let (source, receiving) = if first.document.id == from.id() { (first, second) } else { (second, first) };
        let Some(held) = store::features::hold(tx, from, target.name).await? else {
            drop(transaction);
            return Err(self.missing_feature(from, target.name).await?);
        };
        target.if_match.check_feature(tx, &held.document.name).await?;
        if from == to {
            return Ok(());
        }
        // Elsewhere, nothing would stand between somebody and programs that read the features of all projects.
        transaction.guard(from.id(), Reach::Project).await?;
        let message =
            format!("No feature can be moved to the project \"{}\" while changes need approval there.", to.id());
        transaction.guard_against_all(to.as_id(), &message).await?;
        let bound_segments = transfer::bound_segments(tx, held.id).await?;
        let bound_fields = transfer::bound_fields(tx, held.id, from.id()).await?;
        let moving = Transfer {
            feature: &held.document.name,
            in_use: !held.document.is_archived(),
            has_dependencies: transfer::has_dependencies(tx, held.id).await?,
            bound_segments: &bound_segments,
            bound_fields: &bound_fields,
            from: &source.document,
            from_environments: &source.environment_names(),
            to: &receiving.document,
            to_environments: &receiving.environment_names(),
            active_there: write::count_features(tx, to.id()).await?,
        };
        moving.judge().map_err(|obstacle| refused(obstacle, &moving))?;
        transfer::reassign(tx, held.id, to.id()).await?;
        let tags = store::tags::of_feature(tx, held.id).await?;
        let event = moving.event(&self.caller.actor(), &tags);
        transaction.commit(vec![event]).await
    }
}

fn refused(obstacle: Obstacle, moving: &Transfer<'_>) -> Error {
    let (feature, from, to) = (moving.feature, &moving.from.id, &moving.to.id);
    let incompatible = |message| Error::Forbidden { name: "IncompatibleProjectError", message };
    match obstacle {
        Obstacle::Dependencies => Error::Forbidden {
            name: "ForbiddenError",
            message: format!("The feature \"{feature}\" cannot leave its project while it has dependencies."),
        },
        Obstacle::Environments => {
            incompatible(format!("The projects \"{from}\" and \"{to}\" do not use the same environments."))
        }
        Obstacle::Segments => incompatible(format!(
            "Strategies of the feature \"{feature}\" use segments that belong to a project: {}.",
            moving.bound_segments.join(", ")
        )),
        Obstacle::ContextFields => incompatible(format!(
            "The feature \"{feature}\" uses context fields that belong to the project \"{from}\": {}.",
            moving.bound_fields.join(", ")
        )),
        Obstacle::Name => Error::Pattern(format!(
            "The name \"{feature}\" does not match the naming pattern of the project that /body/newProjectId names."
        )),
        Obstacle::Limit => Error::forbidden(format!("The project \"{to}\" has as many features as its limit allows.")),
    }
}
