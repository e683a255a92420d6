//! Features and projects that people mark as theirs.

use flagstone_domain::{event::NewEvent, event_kind::EventKind, project::VisibleProject};
use flagstone_error::Error;
use flagstone_store as store;
use serde_json::json;

use crate::{Author, Begin, projects::hold_in_use};

impl Author<'_> {
    /// Adds a feature to the favourites of a person, or removes it from them.
    pub async fn mark_favorite_feature(
        self,
        person: i64,
        project: &VisibleProject,
        name: &str,
        is_favorite: bool,
    ) -> Result<(), Error> {
        let transaction = self.begin(Begin::Change).await?;
        let (tx, now) = (&transaction.tx, transaction.now);
        let Some(id) = store::features::favorites::hold_feature(tx, project, name).await? else {
            drop(transaction);
            return Err(self.missing_feature(project, name).await?);
        };
        let (changed, kind) = if is_favorite {
            (store::features::favorites::add_feature(tx, person, id, now).await?, EventKind::FeatureFavorited)
        } else {
            (store::features::favorites::remove_feature(tx, person, id).await?, EventKind::FeatureUnfavorited)
        };
        if changed {
            let tags = store::tags::of_feature(tx, id).await?;
            let event = NewEvent::new(kind, &self.caller.actor()).of_feature(name, &tags);
            transaction.commit(vec![event.with_data(&json!({ "feature": name }))]).await?;
        }
        Ok(())
    }

    /// Adds a project to the favourites of a person, or removes it from them.
    pub async fn mark_favorite_project(
        self,
        person: i64,
        project: &VisibleProject,
        is_favorite: bool,
    ) -> Result<(), Error> {
        let transaction = self.begin(Begin::Change).await?;
        let (tx, id) = (&transaction.tx, project.id());
        let (changed, kind) = if is_favorite {
            // The project is not deleted meanwhile.
            hold_in_use(tx, id).await?;
            let marked = store::projects::favorites::mark(tx, person, id, transaction.now).await?;
            (marked, EventKind::ProjectFavorited)
        } else {
            (store::projects::favorites::unmark(tx, person, id).await?, EventKind::ProjectUnfavorited)
        };
        let event = NewEvent::new(kind, &self.caller.actor()).in_project(id).with_data(&json!({ "project": id }));
        transaction.commit(changed.then_some(event)).await
    }
}
