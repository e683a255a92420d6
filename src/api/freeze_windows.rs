//! Freeze windows: times in which an environment, or each of them, must not be changed.

use poem::web::Data;
use poem_openapi::{Object, OpenApi, param::Path};
use serde::Serialize;

use crate::{
    api::{
        Tag,
        answer::{ActRefusals, ChangeRefusals, Created, Done, Fails, LookupRefusals, Out, ReadRefusals, WriteRefusals},
        author::author,
        body::Body,
        caller::AuthenticatedCaller,
        permitted::{Permitted, need},
    },
    domain::{
        freeze_window::{FreezeWindow, FreezeWindowDocument, Outlook, WantedWindow, outlook},
        time::Timestamp,
    },
    error::Error,
    state::State,
    store::{self, freeze_windows},
    wire::Nullable,
};

/// The operations on freeze windows.
#[derive(Debug)]
pub struct FreezeWindowsApi;

/// The freeze windows.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "FreezeWindows")]
pub struct FreezeWindowsBody {
    /// The windows, by id.
    pub windows: Vec<FreezeWindowDocument>,
}

/// A freeze of an environment that is in force, or the next one.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "FreezeOutlook", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct FreezeOutlookBody {
    /// Whether it is in force.
    pub active: bool,
    /// When it begins; `null` for one that is in force.
    pub from: Nullable<Timestamp>,
    /// When it ends, windows that follow each other without a gap taken together; `null` when it does not end.
    pub until: Nullable<Timestamp>,
    /// Time zone in which both are to be shown, by its name in the IANA database.
    pub zone: String,
    /// Reason of the freeze.
    pub reason: String,
    /// Whether the caller has a role that is exempt from it.
    pub exempt: bool,
}

/// An environment of a project, and when it must not be changed.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "EnvironmentFreeze", skip_serializing_if_is_none)]
pub struct EnvironmentFreezeBody {
    /// Name of the environment.
    pub environment: String,
    /// The freeze that is in force, or else the next one; absent when there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub freeze: Option<FreezeOutlookBody>,
}

/// The environments of a project, and when each must not be changed.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "ProjectFreeze")]
pub struct ProjectFreezeBody {
    /// The environments of the project, by sort order, then name.
    pub environments: Vec<EnvironmentFreezeBody>,
}

impl From<Outlook<'_>> for FreezeOutlookBody {
    fn from(outlook: Outlook<'_>) -> Self {
        let window = outlook.frozen.window;
        Self {
            active: outlook.from.is_none(),
            from: outlook.from.into(),
            until: outlook.frozen.until.into(),
            zone: window.when.zone().name().to_owned(),
            reason: window.reason.clone(),
            exempt: outlook.is_exempt,
        }
    }
}

#[OpenApi(tag = "Tag::Environments")]
impl FreezeWindowsApi {
    /// List the freeze windows
    ///
    /// Lists all freeze windows, also past ones. Needs no permission, since everybody who changes features has to know
    /// when they can. An operation of this server, which Unleash does not have.
    #[oai(path = "/api/admin/freeze-windows", method = "get", operation_id = "getFreezeWindows")]
    async fn get_freeze_windows(
        &self,
        _caller: AuthenticatedCaller,
        Data(state): Data<&State>,
    ) -> Result<Out<FreezeWindowsBody>, Fails<ReadRefusals>> {
        let stored = freeze_windows::list(&state.db).await?;
        let windows = stored.iter().map(|stored| FreezeWindowDocument::new(stored.id, &stored.window)).collect();
        Ok(Out(FreezeWindowsBody { windows }))
    }

    /// Create a freeze window
    ///
    /// While it is in force, changes of what programs of the environment are told are 403, and approved change requests
    /// are not applied. Features can always be switched off. Holders of an exempt role pass; administrators and users
    /// with `SKIP_CHANGE_REQUEST` in the environment pass with a reason in `X-Change-Reason`, which the events of the
    /// change keep. An environment has at most 100 windows of its own, and there are at most 100 for all environments.
    /// An operation of this server, which Unleash does not have.
    #[oai(path = "/api/admin/freeze-windows", method = "post", operation_id = "createFreezeWindow")]
    async fn create_freeze_window(
        &self,
        caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        body: Body<WantedWindow>,
    ) -> Result<Created<FreezeWindowDocument>, Fails<WriteRefusals>> {
        let window = read(body.read()?)?;
        Ok(Created(author(&caller, state).create_freeze_window(window).await?))
    }

    /// Update a freeze window
    ///
    /// Replaces the stored values: what is absent is reset. A request that changes nothing leaves no event. An operation
    /// of this server, which Unleash does not have.
    #[oai(path = "/api/admin/freeze-windows/:id", method = "put", operation_id = "updateFreezeWindow")]
    async fn update_freeze_window(
        &self,
        caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        id: Path<i64>,
        body: Body<WantedWindow>,
    ) -> Result<Out<FreezeWindowDocument>, Fails<ChangeRefusals>> {
        let window = read(body.read()?)?;
        Ok(Out(author(&caller, state).update_freeze_window(id.0, window).await?))
    }

    /// Delete a freeze window
    ///
    /// Changes that it prevented are possible again. An operation of this server, which Unleash does not have.
    #[oai(path = "/api/admin/freeze-windows/:id", method = "delete", operation_id = "deleteFreezeWindow")]
    async fn delete_freeze_window(
        &self,
        caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        id: Path<i64>,
    ) -> Result<Done, Fails<ActRefusals>> {
        author(&caller, state).delete_freeze_window(id.0).await?;
        Ok(Done)
    }

    /// Get the freezes of a project
    ///
    /// Returns the freeze that is in force, or else the next one, for each environment that the project uses. Needs no
    /// permission but to see the project. An operation of this server, which Unleash does not have.
    #[oai(path = "/api/admin/projects/:projectId/freeze", method = "get", operation_id = "getProjectFreeze")]
    async fn get_project_freeze(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
    ) -> Result<Out<ProjectFreezeBody>, Fails<LookupRefusals>> {
        let project = caller.visible_project(&project_id).await?;
        let now = state.clock.now();
        let windows = freeze_windows::not_over(&state.db, now).await?;
        let roles = caller.role_ids(project.id()).await?;
        let used = store::projects::overview::environments(&state.db, project.id()).await?;
        let environments = used.into_iter().map(|used| EnvironmentFreezeBody {
            freeze: outlook(&windows, &used.name, &roles, now).map(FreezeOutlookBody::from),
            environment: used.name,
        });
        Ok(Out(ProjectFreezeBody { environments: environments.collect() }))
    }
}

fn read(wanted: WantedWindow) -> Result<FreezeWindow, Error> {
    wanted.read().map_err(|(property, rule)| Error::property(format!("/body/{property}"), rule))
}
