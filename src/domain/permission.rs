//! Permissions, and what a set of grants allows.

use std::collections::{BTreeMap, BTreeSet};

use poem_openapi::Enum;
use serde::{Deserialize, Serialize};

use crate::ids::{EnvironmentName, ProjectId};

macro_rules! permissions {
    ($($variant:ident = $name:literal, $title:literal;)*) => {
        /// A permission, in the whole instance, in a project, or in one environment of a project.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Enum, Serialize, Deserialize)]
        pub enum Permission {
            $(
                #[doc = $title]
                #[oai(rename = $name)]
                #[serde(rename = $name)]
                $variant,
            )*
        }

        impl Permission {
            /// Every permission.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The name on the wire and in the store, such as `UPDATE_FEATURE`.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }

            /// The name that people read, such as `Update feature flags`.
            pub const fn title(self) -> &'static str {
                match self {
                    $(Self::$variant => $title,)*
                }
            }
        }
    };
}

permissions! {
    Admin = "ADMIN", "Admin";
    CreateAddon = "CREATE_ADDON", "Create addons";
    UpdateAddon = "UPDATE_ADDON", "Update addons";
    DeleteAddon = "DELETE_ADDON", "Delete addons";
    CreateClientApiToken = "CREATE_CLIENT_API_TOKEN", "Create client API tokens";
    ReadClientApiToken = "READ_CLIENT_API_TOKEN", "Read client API tokens";
    UpdateClientApiToken = "UPDATE_CLIENT_API_TOKEN", "Update client API tokens";
    DeleteClientApiToken = "DELETE_CLIENT_API_TOKEN", "Delete client API tokens";
    CreateFrontendApiToken = "CREATE_FRONTEND_API_TOKEN", "Create frontend API tokens";
    ReadFrontendApiToken = "READ_FRONTEND_API_TOKEN", "Read frontend API tokens";
    UpdateFrontendApiToken = "UPDATE_FRONTEND_API_TOKEN", "Update frontend API tokens";
    DeleteFrontendApiToken = "DELETE_FRONTEND_API_TOKEN", "Delete frontend API tokens";
    UpdateApplication = "UPDATE_APPLICATION", "Update applications";
    CreateContextField = "CREATE_CONTEXT_FIELD", "Create context fields";
    UpdateContextField = "UPDATE_CONTEXT_FIELD", "Update context fields";
    DeleteContextField = "DELETE_CONTEXT_FIELD", "Delete context fields";
    CreateProject = "CREATE_PROJECT", "Create projects";
    ReadRole = "READ_ROLE", "Read roles";
    CreateSegment = "CREATE_SEGMENT", "Create segments";
    UpdateSegment = "UPDATE_SEGMENT", "Edit segments";
    DeleteSegment = "DELETE_SEGMENT", "Delete segments";
    CreateStrategy = "CREATE_STRATEGY", "Create strategies";
    UpdateStrategy = "UPDATE_STRATEGY", "Update strategies";
    DeleteStrategy = "DELETE_STRATEGY", "Delete strategies";
    CreateTagType = "CREATE_TAG_TYPE", "Create tag types";
    UpdateTagType = "UPDATE_TAG_TYPE", "Update tag types";
    DeleteTagType = "DELETE_TAG_TYPE", "Delete tag types";
    ReadLogs = "READ_LOGS", "Read the event log and the log of sign-ins";
    UpdateMaintenanceMode = "UPDATE_MAINTENANCE_MODE", "Switch maintenance mode";
    UpdateInstanceBanners = "UPDATE_INSTANCE_BANNERS", "Create, edit and delete banners";
    UpdateCors = "UPDATE_CORS", "Change the allowed origins of browsers";
    UpdateAuthConfiguration = "UPDATE_AUTH_CONFIGURATION", "Change how people sign in";
    CreateReleasePlanTemplate = "RELEASE_PLAN_TEMPLATE_CREATE", "Create release templates";
    UpdateReleasePlanTemplate = "RELEASE_PLAN_TEMPLATE_UPDATE", "Edit release templates";
    DeleteReleasePlanTemplate = "RELEASE_PLAN_TEMPLATE_DELETE", "Delete release templates";
    CreateFeature = "CREATE_FEATURE", "Create feature flags";
    UpdateFeature = "UPDATE_FEATURE", "Update feature flags";
    DeleteFeature = "DELETE_FEATURE", "Delete feature flags";
    UpdateFeatureDependency = "UPDATE_FEATURE_DEPENDENCY", "Update feature dependency";
    UpdateFeatureVariants = "UPDATE_FEATURE_VARIANTS", "Create/edit variants";
    MoveFeatureToggle = "MOVE_FEATURE_TOGGLE", "Change feature flag project";
    UpdateProject = "UPDATE_PROJECT", "Update project";
    DeleteProject = "DELETE_PROJECT", "Delete project";
    ReadProjectApiToken = "READ_PROJECT_API_TOKEN", "Read API tokens of the project";
    CreateProjectApiToken = "CREATE_PROJECT_API_TOKEN", "Create API tokens of the project";
    DeleteProjectApiToken = "DELETE_PROJECT_API_TOKEN", "Delete API tokens of the project";
    UpdateProjectSegment = "UPDATE_PROJECT_SEGMENT", "Create/edit project segment";
    ProjectUserAccessRead = "PROJECT_USER_ACCESS_READ", "View project user access";
    ProjectUserAccessWrite = "PROJECT_USER_ACCESS_WRITE", "Edit project user access";
    ProjectDefaultStrategyRead = "PROJECT_DEFAULT_STRATEGY_READ", "View default strategy of the project";
    ProjectDefaultStrategyWrite = "PROJECT_DEFAULT_STRATEGY_WRITE", "Edit default strategy of the project";
    ProjectSettingsRead = "PROJECT_SETTINGS_READ", "View project settings";
    ProjectSettingsWrite = "PROJECT_SETTINGS_WRITE", "Edit project settings";
    ProjectChangeRequestRead = "PROJECT_CHANGE_REQUEST_READ", "View change request configuration";
    ProjectChangeRequestWrite = "PROJECT_CHANGE_REQUEST_WRITE", "Edit change request configuration";
    UpdateProjectContext = "UPDATE_PROJECT_CONTEXT", "Create/edit context fields of the project";
    UpdateProjectReleaseTemplate = "UPDATE_PROJECT_RELEASE_TEMPLATE", "Create/edit release templates of the project";
    CreateFeatureStrategy = "CREATE_FEATURE_STRATEGY", "Create activation strategies";
    UpdateFeatureStrategy = "UPDATE_FEATURE_STRATEGY", "Update activation strategies";
    DeleteFeatureStrategy = "DELETE_FEATURE_STRATEGY", "Delete activation strategies";
    UpdateFeatureEnvironment = "UPDATE_FEATURE_ENVIRONMENT", "Enable/disable flags";
    UpdateFeatureEnvironmentVariants = "UPDATE_FEATURE_ENVIRONMENT_VARIANTS", "Update variants";
    ApproveChangeRequest = "APPROVE_CHANGE_REQUEST", "Approve change requests";
    ApplyChangeRequest = "APPLY_CHANGE_REQUEST", "Apply change requests";
    SkipChangeRequest = "SKIP_CHANGE_REQUEST", "Skip change requests";
}

impl Permission {
    /// Reads the stored or submitted name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|permission| permission.as_str() == name)
    }

    /// Permissions that came after the first version, in their order: they are numbered after all others.
    const LATER: [Self; 10] = [
        Self::ReadLogs,
        Self::UpdateMaintenanceMode,
        Self::UpdateInstanceBanners,
        Self::UpdateCors,
        Self::UpdateAuthConfiguration,
        Self::CreateReleasePlanTemplate,
        Self::UpdateReleasePlanTemplate,
        Self::DeleteReleasePlanTemplate,
        Self::UpdateProjectContext,
        Self::UpdateProjectReleaseTemplate,
    ];

    /// Number by which roles can name it, from 1; the same in all versions.
    pub fn id(self) -> i64 {
        let first = Self::ALL.iter().filter(|permission| !Self::LATER.contains(permission));
        let place = first.chain(&Self::LATER).position(|permission| *permission == self).unwrap_or_default();
        i64::try_from(place).unwrap_or_default() + 1
    }

    /// The smallest thing that it can be bound to.
    pub fn scope(self) -> Scope {
        // Declared in this order.
        if self < Self::CreateFeature {
            Scope::Instance
        } else if self < Self::CreateFeatureStrategy {
            Scope::Project
        } else {
            Scope::Environment
        }
    }
}

/// Scope of a permission.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum, Serialize)]
#[oai(rename = "PermissionType")]
pub enum Scope {
    /// Nothing: it counts in the whole instance.
    #[oai(rename = "root")]
    #[serde(rename = "root")]
    Instance,
    /// A project.
    #[oai(rename = "project")]
    #[serde(rename = "project")]
    Project,
    /// An environment of a project.
    #[oai(rename = "environment")]
    #[serde(rename = "environment")]
    Environment,
}

impl Scope {
    /// Every one.
    pub const ALL: [Self; 3] = [Self::Instance, Self::Project, Self::Environment];

    /// The name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Instance => "root",
            Self::Project => "project",
            Self::Environment => "environment",
        }
    }
}

/// One permission that a role gives, and where it counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    /// Permission that is granted.
    pub permission: Permission,
    /// The only project it counts in; `None` counts everywhere.
    pub project: Option<String>,
    /// The only environment it counts in; `None` counts everywhere.
    pub environment: Option<String>,
}

/// All grants of a user.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Grants(Vec<Grant>);

impl Grants {
    /// Returns the grants of all roles of a user.
    pub const fn new(grants: Vec<Grant>) -> Self {
        Self(grants)
    }

    /// All permissions everywhere.
    pub fn admin() -> Self {
        Self(vec![Grant { permission: Permission::Admin, project: None, environment: None }])
    }

    /// Number of grants, duplicates included.
    pub const fn count(&self) -> usize {
        self.0.len()
    }

    /// Every grant, in the order of the permissions, each once.
    pub fn sorted(&self) -> Vec<Grant> {
        let mut grants = self.0.clone();
        let place = |grant: &Grant| (grant.permission, grant.project.clone(), grant.environment.clone());
        grants.sort_by_key(place);
        grants.dedup();
        grants
    }

    /// Whether `ADMIN` is among them, which covers everything.
    pub fn is_admin(&self) -> bool {
        self.0.iter().any(|grant| grant.permission == Permission::Admin)
    }

    /// Whether any of them counts in the whole instance, as those of root roles do. The role Viewer has none.
    pub fn any_in_instance(&self) -> bool {
        self.0.iter().any(|grant| grant.project.is_none() && grant.environment.is_none())
    }

    /// Whether they allow `permission` anywhere at all, be it in a single environment.
    pub fn allow_somewhere(&self, permission: Permission) -> bool {
        self.0.iter().any(|grant| grant.permission == Permission::Admin || grant.permission == permission)
    }

    /// Whether they allow `permission`: in the instance (`project` absent), in a project, or in one of its
    /// environments.
    ///
    /// A grant that is bound to a project or environment counts in no other and not in the instance.
    pub fn allow(
        &self,
        permission: Permission,
        project: Option<ProjectId<'_>>,
        environment: Option<EnvironmentName<'_>>,
    ) -> bool {
        let (project, environment) = (project.map(ProjectId::as_str), environment.map(EnvironmentName::as_str));
        let covers = |bound: &Option<String>, asked: Option<&str>| bound.is_none() || bound.as_deref() == asked;
        self.0.iter().any(|grant| {
            grant.permission == Permission::Admin
                || (grant.permission == permission
                    && covers(&grant.project, project)
                    && covers(&grant.environment, environment))
        })
    }

    /// Every place in which they allow `permission`.
    pub fn places(&self, permission: Permission) -> Places<'_> {
        let mut places = Places::new();
        for grant in self.0.iter().filter(|grant| [Permission::Admin, permission].contains(&grant.permission)) {
            let projects = places.entry(grant.environment.as_deref()).or_insert_with(|| Some(BTreeSet::new()));
            match (grant.project.as_deref(), projects.as_mut()) {
                (Some(project), Some(projects)) => _ = projects.insert(project),
                (None, _) => *projects = None,
                (Some(_), None) => {}
            }
        }
        places
    }

    /// Whether they allow `permission` in a project, be it in one of its environments only.
    pub fn allow_in_some_environment(&self, permission: Permission, project: &str) -> bool {
        self.is_admin()
            || self.0.iter().any(|grant| {
                grant.permission == permission && grant.project.as_deref().is_none_or(|bound| bound == project)
            })
    }
}

/// Places in which a permission is held: the projects by environment, where `None` is every environment or project.
pub type Places<'a> = BTreeMap<Option<&'a str>, Option<BTreeSet<&'a str>>>;

#[cfg(test)]
mod tests {
    use super::*;

    fn grants(project: Option<&str>, environment: Option<&str>) -> Grants {
        Grants::new(vec![Grant {
            permission: Permission::CreateFeatureStrategy,
            project: project.map(str::to_owned),
            environment: environment.map(str::to_owned),
        }])
    }

    #[test]
    fn a_bound_grant_counts_where_it_is_bound_only() {
        let need = Permission::CreateFeatureStrategy;
        let bound = grants(Some("shop"), Some("production"));
        let (shop, production) = (ProjectId::new("shop"), EnvironmentName::new("production"));
        assert!(bound.allow(need, Some(shop), Some(production)));
        assert!(!bound.allow(need, Some(shop), Some(EnvironmentName::new("development"))));
        assert!(!bound.allow(need, Some(ProjectId::new("other")), Some(production)));
        assert!(!bound.allow(need, Some(shop), None));
        assert!(!bound.allow(need, None, None));
        assert!(grants(None, None).allow(need, Some(shop), Some(production)));
        assert!(!grants(None, None).allow(Permission::UpdateFeature, Some(shop), None));
        assert!(bound.allow_somewhere(need) && !bound.allow_somewhere(Permission::UpdateFeature));
        assert!(
            bound.allow_in_some_environment(need, "shop") && grants(None, None).allow_in_some_environment(need, "any")
        );
        assert!(
            !bound.allow_in_some_environment(need, "other")
                && !bound.allow_in_some_environment(Permission::UpdateFeature, "shop")
        );
    }

    #[test]
    fn places_are_where_a_permission_is_held() {
        let need = Permission::CreateFeatureStrategy;
        let all = [(Some("shop"), None), (Some("bank"), None), (None, Some("test")), (Some("shop"), Some("test"))];
        let held =
            Grants::new(all.into_iter().flat_map(|(project, environment)| grants(project, environment).0).collect());
        let expected = [(None, Some(["bank", "shop"].into())), (Some("test"), None)];
        assert_eq!(held.places(need), expected.into());
        assert!(held.places(Permission::UpdateFeature).is_empty());
        assert_eq!(Grants::admin().places(need), [(None, None)].into());
    }

    #[test]
    fn admin_covers_everything() {
        let (project, environment) = (Some(ProjectId::new("p")), Some(EnvironmentName::new("e")));
        for permission in Permission::ALL {
            assert!(Grants::admin().allow(*permission, project, environment));
            assert!(!Grants::default().allow(*permission, project, environment));
        }
    }

    #[test]
    fn permissions_are_declared_by_what_they_can_be_bound_to() {
        let count = |scope| Permission::ALL.iter().filter(|permission| permission.scope() == scope).count();
        assert_eq!((count(Scope::Instance), count(Scope::Project), count(Scope::Environment)), (35, 22, 8));
        assert_eq!(Permission::DeleteTagType.scope(), Scope::Instance);
        assert_eq!(Permission::ProjectChangeRequestWrite.scope(), Scope::Project);
    }

    #[test]
    fn numbers_stay_when_permissions_are_added() {
        for (permission, id) in [
            (Permission::Admin, 1),
            (Permission::DeleteTagType, 27),
            (Permission::CreateFeature, 28),
            (Permission::UpdateFeatureEnvironment, 51),
            (Permission::SkipChangeRequest, 55),
            (Permission::ReadLogs, 56),
            (Permission::UpdateProjectReleaseTemplate, 65),
        ] {
            assert_eq!(permission.id(), id, "{permission:?}");
        }
        let mut ids: Vec<i64> = Permission::ALL.iter().map(|permission| permission.id()).collect();
        ids.sort_unstable();
        assert_eq!(ids, (1..=65).collect::<Vec<i64>>());
    }

    #[test]
    fn names_are_unique_and_read_back() {
        for permission in Permission::ALL {
            assert_eq!(Permission::parse(permission.as_str()), Some(*permission));
        }
        assert_eq!(Permission::parse("SUPERUSER"), None);
    }
}
