//! Permissions that an operation needs, in its signature: callers without them are refused, and the document has them.

use std::{marker::PhantomData, ops::Deref};

use poem::{Request, RequestBody};
use poem_openapi::{
    ApiExtractor, ApiExtractorType, ExtractParamOptions,
    registry::{MetaParamIn, Registry},
};

use crate::{
    access::Caller,
    api::caller::AuthenticatedCaller,
    domain::{
        ids::{EnvironmentName, ProjectId},
        permission::{Permission, Scope},
        project::ProjectScope,
    },
    error::Error,
};

/// Permissions of which one is needed.
pub trait Need: Send + Sync + 'static {
    /// Any one of these suffices.
    const ANY_OF: &'static [Permission];
}

/// Scope in which a permission must hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Where {
    /// In the whole instance.
    Instance,
    /// In a project that the request names.
    Project,
    /// In any project.
    SomeProject,
    /// In an environment of a project, which the request names both.
    Environment,
}

impl Where {
    /// All scopes.
    pub const ALL: [Self; 4] = [Self::Instance, Self::Project, Self::SomeProject, Self::Environment];

    /// Scope in which it must be granted.
    pub const fn scope(self) -> Scope {
        match self {
            Self::Instance => Scope::Instance,
            Self::Project | Self::SomeProject => Scope::Project,
            Self::Environment => Scope::Environment,
        }
    }

    /// Ending of the sentence in the document.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Instance => "",
            Self::Project => " in the project",
            Self::SomeProject => " in some project",
            Self::Environment => " in the environment",
        }
    }

    /// Mark among the security schemes until `api::document` takes it out.
    pub const fn mark(self) -> &'static str {
        match self {
            Self::Instance => "in the instance",
            Self::Project => "in the project",
            Self::SomeProject => "in some project",
            Self::Environment => "in the environment",
        }
    }
}

/// Scope in which it must hold, as a type.
pub trait Place: Send + Sync + 'static {
    /// The value.
    const WHERE: Where;
}

/// In the whole instance: asked before the operation begins.
#[derive(Debug)]
pub struct InInstance;

/// In a project: asked when the operation reaches for the project.
#[derive(Debug)]
pub struct InProject;

/// In any project: asked before the operation begins.
#[derive(Debug)]
pub struct InSomeProject;

/// In an environment of a project: asked when the operation reaches for both.
#[derive(Debug)]
pub struct InEnvironment;

impl Place for InInstance {
    const WHERE: Where = Where::Instance;
}

impl Place for InProject {
    const WHERE: Where = Where::Project;
}

impl Place for InSomeProject {
    const WHERE: Where = Where::SomeProject;
}

impl Place for InEnvironment {
    const WHERE: Where = Where::Environment;
}

/// Needs of operations, by the names of permissions.
pub mod need {
    use super::{Need, Permission};

    macro_rules! needs {
        ($($(#[$doc:meta])* $name:ident = $first:ident $(| $other:ident)*;)*) => {
            $(
                #[doc = concat!("As [`Permission::", stringify!($first), "`] says.")]
                $(#[$doc])*
                #[derive(Debug)]
                pub struct $name;

                impl Need for $name {
                    const ANY_OF: &'static [Permission] = &[Permission::$first $(, Permission::$other)*];
                }
            )*
        };
    }

    needs! {
        Admin = Admin;
        CreateAddon = CreateAddon;
        UpdateAddon = UpdateAddon;
        DeleteAddon = DeleteAddon;
        UpdateApplication = UpdateApplication;
        CreateContextField = CreateContextField;
        UpdateContextField = UpdateContextField;
        DeleteContextField = DeleteContextField;
        /// Or changing fields.
        MakeContextField = CreateContextField | UpdateContextField;
        UpdateProjectContext = UpdateProjectContext;
        CreateProject = CreateProject;
        ReadRole = ReadRole;
        CreateStrategy = CreateStrategy;
        UpdateStrategy = UpdateStrategy;
        DeleteStrategy = DeleteStrategy;
        CreateTagType = CreateTagType;
        UpdateTagType = UpdateTagType;
        DeleteTagType = DeleteTagType;
        /// Or changing types.
        MakeTagType = CreateTagType | UpdateTagType;
        ReadLogs = ReadLogs;
        UpdateMaintenanceMode = UpdateMaintenanceMode;
        UpdateInstanceBanners = UpdateInstanceBanners;
        UpdateCors = UpdateCors;
        UpdateAuthConfiguration = UpdateAuthConfiguration;
        /// Or for frontend tokens.
        ReadApiTokens = ReadClientApiToken | ReadFrontendApiToken;
        CreateFeature = CreateFeature;
        UpdateFeature = UpdateFeature;
        DeleteFeature = DeleteFeature;
        UpdateFeatureDependency = UpdateFeatureDependency;
        UpdateFeatureVariants = UpdateFeatureVariants;
        MoveFeatureToggle = MoveFeatureToggle;
        UpdateProject = UpdateProject;
        DeleteProject = DeleteProject;
        ReadProjectApiToken = ReadProjectApiToken;
        CreateProjectApiToken = CreateProjectApiToken;
        DeleteProjectApiToken = DeleteProjectApiToken;
        /// Or changing the project.
        ReadProjectAccess = ProjectUserAccessRead | UpdateProject;
        /// Or changing the project.
        WriteProjectAccess = ProjectUserAccessWrite | UpdateProject;
        /// Or changing its default strategies.
        WriteDefaultStrategy = UpdateProject | ProjectDefaultStrategyWrite;
        /// Or changing the configuration of its change requests.
        WriteChangeRequestConfiguration = UpdateProject | ProjectChangeRequestWrite;
        /// Or changing its settings.
        WriteProjectSettings = UpdateProject | ProjectSettingsWrite;
        CreateFeatureStrategy = CreateFeatureStrategy;
        UpdateFeatureStrategy = UpdateFeatureStrategy;
        DeleteFeatureStrategy = DeleteFeatureStrategy;
        UpdateFeatureEnvironment = UpdateFeatureEnvironment;
        UpdateFeatureEnvironmentVariants = UpdateFeatureEnvironmentVariants;
    }
}

/// A caller of whom an operation asks a permission.
pub struct Permitted<N, P = InInstance> {
    caller: AuthenticatedCaller,
    asked: PhantomData<fn() -> (N, P)>,
}

impl<N, P> std::fmt::Debug for Permitted<N, P> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.caller.fmt(f)
    }
}

impl<N, P> Deref for Permitted<N, P> {
    type Target = Caller;

    fn deref(&self) -> &Caller {
        &self.caller
    }
}

impl<N: Need> Permitted<N, InProject> {
    /// A project in which the caller has the permission: see [`Caller::permitted_project`].
    pub async fn project(&self, id: &str) -> Result<ProjectScope, Error> {
        self.caller.permitted_project(N::ANY_OF, id).await
    }

    /// A project in which the caller has the permission, in use or archived.
    pub async fn project_in_use_or_not(&self, id: &str) -> Result<ProjectScope, Error> {
        self.caller.permitted_project_in_use_or_not(N::ANY_OF, id).await
    }

    /// The project that owns a feature which is addressed by its name alone: see
    /// [`Caller::permitted_project_of_feature`].
    pub async fn project_of_feature(&self, name: &str) -> Result<ProjectScope, Error> {
        self.caller.permitted_project_of_feature(N::ANY_OF, name).await
    }
}

impl<N: Need> Permitted<N, InEnvironment> {
    /// A project in one of whose environments the caller has the permission. Whether the environment exists is for the
    /// operation to say.
    pub async fn project(
        &self,
        project: ProjectId<'_>,
        environment: EnvironmentName<'_>,
    ) -> Result<ProjectScope, Error> {
        self.caller.permitted_project_in(N::ANY_OF, project, environment).await
    }

    /// A project in some of whose environments the caller has the permission, where a body has yet to say in which.
    pub async fn project_somewhere(&self, id: &str) -> Result<ProjectScope, Error> {
        self.caller.permitted_project_somewhere(N::ANY_OF, id).await
    }

    /// Asks for the permission in an environment of a project: 403 without it, which names the environment.
    pub fn require_in(&self, project: &ProjectScope, environment: &str) -> Result<(), Error> {
        self.caller.require_any_in(N::ANY_OF, Some(project.as_id()), Some(EnvironmentName::new(environment)))
    }
}

impl<N: Need, P> Permitted<N, P> {
    /// Asks for the permission anywhere at all, where a body has yet to say where: 403 without it.
    pub fn require_somewhere(&self) -> Result<(), Error> {
        self.caller.require_any_somewhere(N::ANY_OF)
    }
}

impl<'a, N: Need, P: Place> ApiExtractor<'a> for Permitted<N, P> {
    const TYPES: &'static [ApiExtractorType] = AuthenticatedCaller::TYPES;
    type ParamType = ();
    type ParamRawType = ();

    fn register(registry: &mut Registry) {
        AuthenticatedCaller::register(registry);
    }

    /// Schemes of every caller, with the needed permissions and their scope, which `api::document` takes out again and
    /// publishes.
    fn security_schemes() -> Vec<&'static str> {
        let mut schemes = AuthenticatedCaller::security_schemes();
        schemes.push(P::WHERE.mark());
        schemes.extend(N::ANY_OF.iter().map(|need| need.as_str()));
        schemes
    }

    fn param_in() -> Option<MetaParamIn> {
        None
    }

    async fn from_request(
        request: &'a Request,
        body: &mut RequestBody,
        options: ExtractParamOptions<()>,
    ) -> poem::Result<Self> {
        let permitted =
            Self { caller: AuthenticatedCaller::from_request(request, body, options).await?, asked: PhantomData };
        match P::WHERE {
            Where::Instance => permitted.caller.require_any_in(N::ANY_OF, None, None)?,
            Where::SomeProject => permitted.require_somewhere()?,
            Where::Project | Where::Environment => {}
        }
        Ok(permitted)
    }
}
