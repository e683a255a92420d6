//! Previews of change requests: their changes, made in a transaction that is taken back.

use std::slice;

use flagstone_domain::{
    change_request::{ChangeRequest, state::State},
    project::VisibleProject,
    visibility::Visibility,
};
use flagstone_error::Error;
use flagstone_store::{
    change_requests,
    playground::{self, Loaded, Selection},
};

use super::{application, standing::missing_request};
use crate::{Author, Begin, guard::Passage};

/// States in which a change request can be previewed.
const PREVIEWED: [State; 3] = [State::InReview, State::Approved, State::Scheduled];

/// A change request, and the features of its project as it would leave them.
#[derive(Debug)]
pub struct Preview {
    /// The change request.
    pub request: ChangeRequest,
    /// Features in its environment, with all segments.
    pub loaded: Loaded,
}

impl Author<'_> {
    /// Makes the changes of a change request of a project as if it were approved, reads the features if `admit` accepts
    /// their number, and takes the changes back: 400 unless it is in review, approved or scheduled, and 409 where its
    /// changes cannot be made.
    pub async fn preview_change_request(
        self,
        project: &VisibleProject,
        id: i64,
        admit: impl FnOnce(u64) -> Result<(), Error> + Send,
    ) -> Result<Preview, Error> {
        let transaction = Author { passage: Passage::TriedOut, ..self }.begin(Begin::Change).await?;
        let owner = change_requests::find_project(&transaction.tx, id).await?;
        if owner.as_deref() != Some(project.id()) {
            return Err(missing_request(id));
        }
        application::hold_targets(&transaction, id).await?;
        let request = change_requests::find(&transaction.tx, id).await?;
        let request =
            request.filter(|found| found.project == project.id() && found.is_visible_to(self.caller.user_id()));
        let request = request.ok_or_else(|| missing_request(id))?;
        if !PREVIEWED.contains(&request.state) {
            let message = format!(
                "The change request cannot be previewed in the state \"{}\": it must be in review, approved or scheduled.",
                request.state.as_str()
            );
            return Err(Error::invalid("/path/id", message));
        }
        application::make(&transaction, &request).await?;
        let everything = Visibility::everything();
        let selection = Selection { projects: Some(slice::from_ref(&request.project)), visibility: &everything };
        admit(playground::count(&transaction.tx, selection).await?)?;
        let environments = slice::from_ref(&request.environment);
        let loaded = playground::load(&transaction.tx, selection, environments).await?;
        Ok(Preview { request, loaded })
    }
}
