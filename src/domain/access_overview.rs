//! Overview of a user's permissions: in the instance, in a project, in an environment.

use crate::{
    ids::{EnvironmentName, ProjectId},
    permission::{Grants, Permission},
};

/// Scope in which a permission counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// The whole instance.
    Root,
    /// A project.
    Project,
    /// One environment of a project.
    Environment,
}

impl Reach {
    /// The name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Root => "root",
            Self::Project => "project",
            Self::Environment => "environment",
        }
    }

    /// Returns the scope in which a permission counts.
    pub const fn of(permission: Permission) -> Self {
        use Permission as P;
        match permission {
            P::CreateFeatureStrategy
            | P::UpdateFeatureStrategy
            | P::DeleteFeatureStrategy
            | P::UpdateFeatureEnvironment
            | P::UpdateFeatureEnvironmentVariants
            | P::ApproveChangeRequest
            | P::ApplyChangeRequest
            | P::SkipChangeRequest => Self::Environment,
            P::CreateFeature
            | P::UpdateFeature
            | P::DeleteFeature
            | P::UpdateFeatureDependency
            | P::UpdateFeatureVariants
            | P::MoveFeatureToggle
            | P::UpdateProject
            | P::DeleteProject
            | P::ReadProjectApiToken
            | P::CreateProjectApiToken
            | P::DeleteProjectApiToken
            | P::UpdateProjectSegment
            | P::ProjectUserAccessRead
            | P::ProjectUserAccessWrite
            | P::ProjectDefaultStrategyRead
            | P::ProjectDefaultStrategyWrite
            | P::ProjectSettingsRead
            | P::ProjectSettingsWrite
            | P::ProjectChangeRequestRead
            | P::ProjectChangeRequestWrite
            | P::UpdateProjectContext
            | P::UpdateProjectReleaseTemplate => Self::Project,
            _ => Self::Root,
        }
    }
}

/// One permission, and whether the subject has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    /// The permission.
    pub permission: Permission,
    /// Whether they have it.
    pub held: bool,
}

/// Every permission that counts in `reach`, and whether these grants give it there.
pub fn overview(
    grants: &Grants,
    reach: Reach,
    project: Option<ProjectId<'_>>,
    environment: Option<EnvironmentName<'_>>,
) -> Vec<Standing> {
    let (project, environment) = match reach {
        Reach::Root => (None, None),
        Reach::Project => (project, None),
        Reach::Environment => (project, environment),
    };
    let of_reach = Permission::ALL.iter().copied().filter(|permission| Reach::of(*permission) == reach);
    of_reach.map(|permission| Standing { permission, held: grants.allow(permission, project, environment) }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::permission::Grant;

    #[test]
    fn a_grant_shows_where_it_counts() {
        let grants = Grants::new(vec![Grant {
            permission: Permission::CreateFeatureStrategy,
            project: Some("shop".to_owned()),
            environment: Some("production".to_owned()),
        }]);
        let (shop, production) = (Some(ProjectId::new("shop")), Some(EnvironmentName::new("production")));
        let held = |reach, environment| -> Vec<Permission> {
            let standings = overview(&grants, reach, shop, environment);
            standings.iter().filter(|standing| standing.held).map(|standing| standing.permission).collect()
        };
        let one = [Permission::CreateFeatureStrategy];
        assert_eq!(held(Reach::Environment, production), one);
        assert!(held(Reach::Environment, Some(EnvironmentName::new("development"))).is_empty());
        assert!(held(Reach::Environment, None).is_empty());
        assert!(held(Reach::Project, production).is_empty());
    }

    #[test]
    fn every_permission_is_in_one_of_the_three_lists() {
        let admin = Grants::admin();
        let lists = [Reach::Root, Reach::Project, Reach::Environment].map(|reach| overview(&admin, reach, None, None));
        assert_eq!(lists.iter().map(Vec::len).collect::<Vec<_>>(), [35, 22, 8]);
        assert!(lists.iter().flatten().all(|standing| standing.held));
    }
}
