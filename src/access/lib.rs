//! Callers: who they are, what they may do, and the projects that they see.

use std::{
    collections::BTreeSet,
    sync::{Arc, LazyLock},
};

use flagstone_domain::{
    actor::{ADMIN_TOKEN_USER_ID, Actor},
    change_reason::ChangeReason,
    ids::{EnvironmentName, ProjectId},
    opaque_debug,
    permission::{Grants, Permission},
    project::{ProjectScope, VisibleProject},
    role::RootRole,
    visibility::Visibility,
};
use flagstone_error::Error;
use flagstone_store::{
    self as store, StoreError,
    access::{Holder, Person},
    db::Db,
};

/// A caller with valid credentials, or the operator on the machine.
pub struct Caller {
    identity: Identity,
    db: Db,
    /// Reason for the change that the caller makes.
    reason: Option<ChangeReason>,
}

/// Identity of a caller.
#[derive(Debug, Clone)]
pub enum Identity {
    /// A person with a session or a personal token.
    Person(Arc<Holder>),
    /// A program with an admin API token.
    AdminToken {
        /// Name of the token.
        name: String,
    },
    /// The operator on the machine, whose changes the log has as the server's own.
    Operator,
}

/// Grants of admin tokens and of the operator.
static ADMIN: LazyLock<Grants> = LazyLock::new(Grants::admin);

opaque_debug!(Caller { identity, .. });

impl Caller {
    /// Returns the caller with this identity, who gives no reason.
    pub const fn new(identity: Identity, db: Db) -> Self {
        Self { identity, db, reason: None }
    }

    /// Returns a user as the caller of something that they asked for earlier, with the grants that they have now; `None`
    /// for one whose account is deleted or deactivated.
    pub async fn of_person(db: &Db, user_id: i64) -> Result<Option<Self>, StoreError> {
        let holder = store::access::holder_of(db, user_id).await?;
        Ok(holder.map(|holder| Self::new(Identity::Person(Arc::new(holder)), db.clone())))
    }

    /// Returns the caller with a reason for the change that they make.
    #[must_use]
    pub fn because(self, reason: Option<ChangeReason>) -> Self {
        Self { reason, ..self }
    }

    /// Identity of the caller.
    pub const fn identity(&self) -> &Identity {
        &self.identity
    }

    /// Actor of the caller's events, with the reason that they give.
    pub fn actor(&self) -> Actor {
        let actor = match &self.identity {
            Identity::Person(holder) => Actor::new(holder.person.id, &*holder.person.name),
            Identity::AdminToken { name } => Actor::new(ADMIN_TOKEN_USER_ID, &**name),
            Identity::Operator => Actor::system(),
        };
        actor.because(self.reason.clone())
    }

    /// Reason that the caller gives.
    pub const fn reason(&self) -> Option<&ChangeReason> {
        self.reason.as_ref()
    }

    /// Ids of the caller's roles in the whole instance and in a project, directly or through groups. API tokens and the
    /// operator count as administrators.
    pub async fn role_ids(&self, project: &str) -> Result<BTreeSet<i64>, Error> {
        match self.person() {
            Some(person) => Ok(store::users::role_ids(&self.db, person, project).await?),
            None => Ok(BTreeSet::from([RootRole::Admin.id()])),
        }
    }

    /// The person behind a session or personal token; an API token has none.
    pub fn person(&self) -> Option<&Person> {
        self.holder().map(|holder| &holder.person)
    }

    /// Person behind a session or personal token, with their grants; an API token has none.
    pub fn holder(&self) -> Option<&Holder> {
        match &self.identity {
            Identity::Person(holder) => Some(holder),
            Identity::AdminToken { .. } | Identity::Operator => None,
        }
    }

    /// Digest of the session that the caller shows; `None` for tokens of every kind.
    pub fn session(&self) -> Option<&str> {
        self.holder()?.session.as_deref()
    }

    /// Whether the caller can do nothing but enrol a second factor.
    pub fn must_enrol(&self) -> bool {
        self.holder().is_some_and(|holder| holder.must_enrol)
    }

    /// Requires that the caller has no second factor to enrol first: 403 otherwise.
    pub fn require_whole_session(&self) -> Result<(), Error> {
        if self.must_enrol() { Err(Error::EnrolmentRequired) } else { Ok(()) }
    }

    /// Id of the user whose favourites and memberships count; an API token has none.
    pub fn user_id(&self) -> Option<i64> {
        self.person().map(|person| person.id)
    }

    /// Whether everything is allowed.
    pub fn is_admin(&self) -> bool {
        self.grants().is_admin()
    }

    /// Grants of the caller.
    pub fn grants(&self) -> &Grants {
        match &self.identity {
            Identity::Person(holder) => &holder.grants,
            Identity::AdminToken { .. } | Identity::Operator => &ADMIN,
        }
    }

    /// Requires a permission in the whole instance: 403 without it.
    pub fn require(&self, need: Permission) -> Result<(), Error> {
        self.require_any(&[need])
    }

    /// Requires any one of several permissions in the whole instance: 403 without.
    pub fn require_any(&self, needs: &[Permission]) -> Result<(), Error> {
        self.require_any_in(needs, None, None)
    }

    /// Requires a permission in one environment of a project: 403 without it, which names the environment.
    pub fn require_in(&self, project: &ProjectScope, need: Permission, environment: &str) -> Result<(), Error> {
        self.require_any_in(&[need], Some(project.as_id()), Some(EnvironmentName::new(environment)))
    }

    /// Requires any one of several permissions in a project, or in one environment of it: 403 without, which names the
    /// environment.
    pub fn require_any_in(
        &self,
        needs: &[Permission],
        project: Option<ProjectId<'_>>,
        environment: Option<EnvironmentName<'_>>,
    ) -> Result<(), Error> {
        if needs.iter().any(|need| self.grants().allow(*need, project, environment)) {
            Ok(())
        } else {
            let environment = environment.map(|environment| environment.as_str().to_owned());
            Err(Error::NoAccess { permissions: needs.to_vec(), environment })
        }
    }

    /// The person behind the credentials: 403 for an API token, which belongs to no person.
    pub fn require_person(&self) -> Result<&Person, Error> {
        self.person().ok_or_else(|| {
            Error::forbidden("An API token is nobody; sign in, or use a personal token, to do this for yourself.")
        })
    }

    /// The person who is signed in: 403 for tokens of every kind, since a token that could make another would never
    /// end, and one that changes how its owner signs in would outlive them.
    pub fn require_session(&self) -> Result<&Person, Error> {
        let person = self.require_person()?;
        if self.holder().is_some_and(|holder| holder.token_id.is_some()) {
            return Err(Error::forbidden("A personal token does not do here; sign in to do this."));
        }
        Ok(person)
    }

    /// The projects that the caller may see.
    pub async fn visibility(&self) -> Result<Visibility, Error> {
        match self.person() {
            Some(person) if !self.is_admin() => Ok(Visibility {
                hidden_projects: store::access::hidden_projects(&self.db, person.id).await?,
                sees_instance: false,
            }),
            _ => Ok(Visibility::everything()),
        }
    }

    /// A project that the caller may read: 404 when it does not exist, is archived, or is hidden from the caller.
    pub async fn visible_project(&self, id: &str) -> Result<VisibleProject, Error> {
        self.visible(id, store::projects::is_active(&self.db, id).await?).await
    }

    /// A project that the caller may read, in use or archived: 404 when it does not exist, or is hidden from the
    /// caller.
    pub async fn visible_project_in_use_or_not(&self, id: &str) -> Result<VisibleProject, Error> {
        self.visible(id, store::projects::exists(&self.db, id).await?).await
    }

    async fn visible(&self, id: &str, exists: bool) -> Result<VisibleProject, Error> {
        if exists && self.visibility().await?.admits(id) {
            Ok(VisibleProject::new(id))
        } else {
            Err(Error::not_found("project", id))
        }
    }

    /// A project in which the caller has one of several permissions: 403 without, whether or not the project exists; 404
    /// when it does not exist, is archived, or is hidden from the caller.
    pub async fn permitted_project(&self, needs: &[Permission], id: &str) -> Result<ProjectScope, Error> {
        self.require_any_in(needs, Some(ProjectId::new(id)), None)?;
        Ok(permitted(self.visible_project(id).await?))
    }

    /// A project as [`Caller::permitted_project`] returns it, in use or archived.
    pub async fn permitted_project_in_use_or_not(&self, needs: &[Permission], id: &str) -> Result<ProjectScope, Error> {
        self.require_any_in(needs, Some(ProjectId::new(id)), None)?;
        Ok(permitted(self.visible_project_in_use_or_not(id).await?))
    }

    /// The project that owns a feature which is addressed by its name alone: 404 when there is no such feature, or none
    /// that the caller may see; 403 without one of the permissions, in any case for a caller who has none of them in any
    /// project.
    pub async fn permitted_project_of_feature(&self, needs: &[Permission], name: &str) -> Result<ProjectScope, Error> {
        let owner = store::features::find_owner(&self.db, name).await?;
        let visibility = self.visibility().await?;
        match owner.filter(|owner| visibility.admits(owner)) {
            Some(owner) => self.permitted_project(needs, &owner).await,
            None if self.is_allowed_somewhere(needs) => Err(Error::not_found("feature", name)),
            None => Err(Error::no_access(needs)),
        }
    }

    /// A project in one of whose environments the caller has one of several permissions, refused like a project by
    /// [`Caller::permitted_project`]. Whether the environment exists is not checked.
    pub async fn permitted_project_in(
        &self,
        needs: &[Permission],
        project: ProjectId<'_>,
        environment: EnvironmentName<'_>,
    ) -> Result<ProjectScope, Error> {
        self.require_any_in(needs, Some(project), Some(environment))?;
        Ok(permitted(self.visible_project(project.as_str()).await?))
    }

    /// A project in some of whose environments the caller has one of several permissions.
    pub async fn permitted_project_somewhere(&self, needs: &[Permission], id: &str) -> Result<ProjectScope, Error> {
        if !needs.iter().any(|need| self.grants().allow_in_some_environment(*need, id)) {
            return Err(Error::no_access(needs));
        }
        Ok(permitted(self.visible_project(id).await?))
    }

    /// Requires any one of several permissions in any project: 403 without.
    pub fn require_any_somewhere(&self, needs: &[Permission]) -> Result<(), Error> {
        if self.is_allowed_somewhere(needs) { Ok(()) } else { Err(Error::no_access(needs)) }
    }

    fn is_allowed_somewhere(&self, needs: &[Permission]) -> bool {
        needs.iter().any(|need| self.grants().allow_somewhere(*need))
    }
}

/// A project in which the operator on the machine may do everything.
pub fn project_of_operator(id: &str) -> ProjectScope {
    permitted(VisibleProject::new(id))
}

/// The project of a change request, in which its approvals stand for every permission.
pub fn project_of_request(id: &str) -> ProjectScope {
    permitted(VisibleProject::new(id))
}

#[expect(clippy::disallowed_methods, reason = "the permission has been asked for here")]
const fn permitted(project: VisibleProject) -> ProjectScope {
    ProjectScope::permitted(project)
}
