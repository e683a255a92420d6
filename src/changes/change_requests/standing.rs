//! Change requests that a transaction has locked for a user, and what the user may do with them.

use flagstone_domain::{
    actor::Actor,
    change_request::{
        ChangeRequest, Target,
        event::Subject,
        review,
        state::State,
        transition::{self, Circumstances, Refusal, Standing, Step, Wish},
    },
    ids::{EnvironmentName, ProjectId},
    permission::Permission,
    project::{ProjectMode, VisibleProject},
};
use flagstone_error::Error;
use flagstone_store::{
    self as store,
    change_requests::{self, Head, configuration, reviewer_rules},
    db::Tx,
    projects::overview,
};

use crate::{Transaction, if_match::IfMatch};

/// Name of the error that the state of a change request does not allow something.
const STATE_ERROR: &str = "ChangeRequestStateError";

/// A change request that a transaction has locked for a user.
#[derive(Debug)]
pub struct HeldRequest<'a> {
    /// The transaction.
    pub transaction: &'a Transaction<'a>,
    /// The change request as it was locked.
    pub head: Head,
    /// The change request with everything that belongs to it.
    pub request: ChangeRequest,
    /// Id of the user.
    pub user_id: i64,
    /// Digest of its changes.
    pub digest: String,
    standing: Standing,
    is_enabled: bool,
}

impl<'a> HeldRequest<'a> {
    /// Locks a change request of a project for a user, in the version that the change is meant for: 404 for one that the
    /// user may not see. Segments and features that the transaction locks as well are locked before.
    pub async fn hold(
        transaction: &'a Transaction<'a>,
        project: &VisibleProject,
        id: i64,
        if_match: &IfMatch,
    ) -> Result<Self, Error> {
        transaction.author.caller.require_person()?;
        let found = change_requests::hold(&transaction.tx, id).await?;
        Self::shown(transaction, project, id, found, if_match).await
    }

    /// A change request as [`HeldRequest::hold`] would lock it, but which others may change until it does.
    pub async fn look(
        transaction: &'a Transaction<'a>,
        project: &VisibleProject,
        id: i64,
        if_match: &IfMatch,
    ) -> Result<Self, Error> {
        transaction.author.caller.require_person()?;
        let found = change_requests::find_head(&transaction.tx, id).await?;
        Self::shown(transaction, project, id, found, if_match).await
    }

    /// A change request that was found, if it is of a project, and if the user may see it.
    async fn shown(
        transaction: &'a Transaction<'a>,
        project: &VisibleProject,
        id: i64,
        found: Option<Head>,
        if_match: &IfMatch,
    ) -> Result<Self, Error> {
        let found = found.filter(|head| head.project == project.id());
        let held = Self::of(transaction, found.ok_or_else(|| missing_request(id))?).await?;
        if held.is_hidden() {
            return Err(missing_request(id));
        }
        if_match.check(held.request.version())?;
        Ok(held)
    }

    /// A change request that the transaction has locked.
    pub async fn of(transaction: &'a Transaction<'a>, head: Head) -> Result<Self, Error> {
        let (tx, caller) = (&transaction.tx, transaction.author.caller);
        let user_id = caller.require_person()?.id;
        let request = change_requests::find(tx, head.id).await?.ok_or_else(|| missing_request(head.id))?;
        let digest = request.digest();
        let (project, environment) = (ProjectId::new(&head.project), EnvironmentName::new(&head.environment));
        let has = |permission| caller.grants().allow(permission, Some(project), Some(environment));
        let approvals = review::counted(&request.approvals, &digest);
        let standing = Standing {
            is_author: head.created_by == user_id,
            is_admin: caller.is_admin(),
            may_approve: has(Permission::ApproveChangeRequest),
            may_apply: has(Permission::ApplyChangeRequest),
            may_submit: may_submit(tx, &head.project, user_id).await?,
            has_approved: approvals.iter().any(|approval| approval.created_by.id == user_id),
        };
        let is_enabled = configuration::guarded(tx, &head.project).await?.contains(&head.environment);
        Ok(Self { transaction, head, request, user_id, digest, standing, is_enabled })
    }

    /// Returns the outcome of a wish of the user, or why it is refused.
    pub async fn step(&self, wish: Wish) -> Result<Step, Error> {
        let approvals = review::counted(&self.request.approvals, &self.digest);
        let approvers: Vec<i64> = match wish {
            Wish::Approve => approvals.iter().map(|approval| approval.created_by.id).chain([self.user_id]).collect(),
            _ => Vec::new(),
        };
        let now = Circumstances {
            state: self.head.state,
            is_enabled: self.is_enabled,
            approvals: approvals.len() as u64,
            min_approvals: u64::try_from(self.head.min_approvals).unwrap_or_default(),
            has_required_reviewers: self.has_required_reviewers(wish, &approvers).await?,
        };
        let step = transition::step(&now, wish, self.standing).map_err(|refusal| self.refused(refusal))?;
        if matches!(wish, Wish::SendToReview | Wish::Approve) {
            self.require_readable()?;
        }
        Ok(step)
    }

    /// Refuses a change request with a change that cannot be read.
    fn require_readable(&self) -> Result<(), Error> {
        match self.request.changes.iter().find(|change| change.action.is_unreadable()) {
            Some(change) => Err(state_error(format!(
                "This version of the server cannot read change {} ({}): discard it, or cancel the change request.",
                change.id,
                change.action.name()
            ))),
            None => Ok(()),
        }
    }

    /// Whether the required reviewers are among those who have approved, where that decides.
    async fn has_required_reviewers(&self, wish: Wish, approvers: &[i64]) -> Result<bool, Error> {
        if !matches!(wish, Wish::Approve | Wish::Edit | Wish::SendToReview) {
            return Ok(true);
        }
        let tx = &self.transaction.tx;
        let targets: Vec<&Target> = self.request.changes.iter().map(|change| &change.target).collect();
        let project = ProjectId::new(&self.head.project);
        let environment = EnvironmentName::new(&self.head.environment);
        let missing = reviewer_rules::missing(tx, project, environment, &targets, approvers).await?;
        Ok(missing.is_empty())
    }

    /// Moves the change request to a state, after so many changes of its contents by this transaction.
    pub async fn enter(&self, to: State, edits: i64) -> Result<(), Error> {
        let head = Head { revision: self.head.revision + edits, ..self.head.clone() };
        if change_requests::enter(&self.transaction.tx, &head, to, self.transaction.now).await? {
            Ok(())
        } else {
            Err(Error::PreconditionFailed)
        }
    }

    /// The change request, as its events name it.
    pub fn subject(&self) -> Subject<'_> {
        subject(&self.head)
    }

    /// Author of its events.
    pub fn actor(&self) -> Actor {
        self.transaction.author.caller.actor()
    }

    /// Whether nothing of it may be known but that an administrator can give it up.
    fn is_hidden(&self) -> bool {
        self.head.state == State::Draft && !self.standing.is_author && !self.standing.is_admin
    }

    fn refused(&self, refusal: Refusal) -> Error {
        let message = refusal.to_string();
        match refusal {
            Refusal::Hidden => missing_request(self.head.id),
            Refusal::State(..) | Refusal::AlreadyApproved => state_error(message),
            Refusal::NoPermission(permission) => {
                Error::NoAccess { permissions: vec![permission], environment: Some(self.head.environment.clone()) }
            }
            Refusal::SwitchedOff
            | Refusal::NotAuthor(_)
            | Refusal::OwnApproval
            | Refusal::NeitherAuthorNorAdmin(_)
            | Refusal::NotMember => Error::forbidden(message),
        }
    }
}

/// Error that something cannot be done in the present state of a change request.
pub fn state_error(message: impl Into<String>) -> Error {
    Error::InUse { name: STATE_ERROR, message: message.into() }
}

/// Error that there is no such change request, or none that the caller may see.
pub fn missing_request(id: i64) -> Error {
    Error::no_id("change request", id)
}

/// A change request, as its events name it in the state in which it was locked.
pub fn subject(head: &Head) -> Subject<'_> {
    let is_draft = head.state == State::Draft;
    Subject { id: head.id, project: &head.project, environment: &head.environment, is_draft }
}

/// Whether a project lets a user submit changes: anyone who sees an open one, and members of any other.
pub async fn may_submit(tx: &Tx, project: &str, user_id: i64) -> Result<bool, Error> {
    let settings = overview::find_settings(tx, project).await?;
    if settings.is_some_and(|settings| ProjectMode::parse(&settings.mode) == ProjectMode::Open) {
        return Ok(true);
    }
    Ok(store::access::member_projects(tx, user_id).await?.iter().any(|member| member == project))
}
