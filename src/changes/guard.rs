//! Guard of environments in which changes need approval: every change passes it within its transaction, whichever way
//! it came in.

use flagstone_access::Caller;
use flagstone_domain::{
    ids::{EnvironmentName, ProjectId},
    permission::Permission,
    segment::Segment,
};
use flagstone_error::Error;
use flagstone_store::change_requests::segment_uses;

use crate::{
    Author, Transaction,
    freeze::{refuse_frozen, refuse_frozen_segment},
};

/// Right by which an author makes changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Passage {
    /// The author's own permissions: changes are refused where they need approval.
    Direct,
    /// Approvals of a change request, in place of the permissions of its applicant.
    Approved {
        /// Id of the change request.
        change_request: i64,
    },
    /// Changes of a dry run, which are rolled back and leave no event.
    TriedOut,
}

/// Part of a project whose programs a change may reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach<'a> {
    /// None, or none that needs approval: what features are called, who owns them, whether they are stale.
    Nothing,
    /// One environment.
    Environment(&'a str),
    /// One environment, in which features are switched off and nothing else, as no freeze prevents.
    SwitchOff(&'a str),
    /// Several environments.
    Environments(&'a [String]),
    /// Every environment of the project, in each of which the author needs a passage.
    EveryEnvironment,
    /// The project as a whole, in which only administrators pass while any environment needs approvals.
    Project,
}

impl Author<'_> {
    /// Whether changes of a project in an environment need approval before this author makes them; `guarded` are the
    /// environments where they do for others.
    pub fn needs_approval(self, guarded: &[String], project: ProjectId<'_>, environment: EnvironmentName<'_>) -> bool {
        let passes = self.passage != Passage::Direct || self.caller.is_admin();
        let reach = Reach::Environment(environment.as_str());
        !passes && refused(self.caller, project, reach, guarded).is_some()
    }
}

impl Transaction<'_> {
    /// Refuses a change of a project with this reach where it needs approval: 403 naming `SKIP_CHANGE_REQUEST` and the
    /// environment. Refuses it in a freeze as well, also for administrators and with approvals. Costs one statement for
    /// the first project of the transaction, and none for changes that reach nothing.
    pub async fn guard(&self, project: &str, reach: Reach<'_>) -> Result<(), Error> {
        refuse_frozen(self, project, reach).await?;
        self.guard_by_approval(project, reach).await
    }

    async fn guard_by_approval(&self, project: &str, reach: Reach<'_>) -> Result<(), Error> {
        if reach == Reach::Nothing || self.passes_everywhere() {
            return Ok(());
        }
        let barriers = self.barriers(project).await?;
        let refused = refused(self.author.caller, ProjectId::new(project), reach, &barriers.guarded);
        let Some(environment) = refused else { return Ok(()) };
        Err(needs_approval((reach != Reach::Project).then(|| environment.clone())))
    }

    /// Refuses a change of a segment where it needs approval, by its project before and after the change, and by the
    /// strategies that apply it, or would by a change request. Refuses it in a freeze of an environment
    /// in which strategies apply it as well.
    pub async fn guard_segment(&self, before: &Segment, project: Option<&str>) -> Result<(), Error> {
        refuse_frozen_segment(self, before.id).await?;
        if self.passes_everywhere() {
            return Ok(());
        }
        let left = before.project.0.as_deref();
        for project in left.into_iter().chain(project.filter(|project| left != Some(*project))) {
            self.guard_by_approval(project, Reach::Project).await?;
        }
        let places = segment_uses::guarded_places(&self.tx, before.id).await?;
        let skips = |(project, environment): &(String, String)| {
            skips(self.author.caller, ProjectId::new(project), EnvironmentName::new(environment))
        };
        match places.into_iter().find(|place| !skips(place)) {
            Some((_, environment)) => Err(needs_approval(Some(environment))),
            None => Ok(()),
        }
    }

    /// Refuses what no one can do in a project while any of its environments needs approvals: 403 with this sentence. In
    /// a freeze of any of them, it is a change of all.
    pub async fn guard_against_all(&self, project: ProjectId<'_>, message: &str) -> Result<(), Error> {
        refuse_frozen(self, project.as_str(), Reach::Project).await?;
        if self.barriers(project.as_str()).await?.guarded.is_empty() {
            return Ok(());
        }
        Err(Error::Forbidden { name: "ForbiddenError", message: message.to_owned() })
    }

    fn passes_everywhere(&self) -> bool {
        self.author.passage != Passage::Direct || self.author.caller.is_admin()
    }
}

/// Environment in which a change is refused, the first one where it reaches the project as a whole; `None` where it may
/// be made.
fn refused<'a>(caller: &Caller, project: ProjectId<'_>, reach: Reach<'_>, guarded: &'a [String]) -> Option<&'a String> {
    let skips = |environment: &str| skips(caller, project, EnvironmentName::new(environment));
    guarded.iter().find(|environment| match reach {
        Reach::Nothing => false,
        Reach::Environment(one) | Reach::SwitchOff(one) => environment.as_str() == one && !skips(environment),
        Reach::Environments(some) => some.contains(environment) && !skips(environment),
        Reach::EveryEnvironment => !skips(environment),
        Reach::Project => true,
    })
}

/// Whether a caller may skip change requests of a project in an environment.
pub(super) fn skips(caller: &Caller, project: ProjectId<'_>, environment: EnvironmentName<'_>) -> bool {
    caller.grants().allow(Permission::SkipChangeRequest, Some(project), Some(environment))
}

fn needs_approval(environment: Option<String>) -> Error {
    Error::NoAccess { permissions: vec![Permission::SkipChangeRequest], environment }
}
