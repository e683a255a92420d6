//! The operations on context fields of one project.

use poem::web::Data;
use poem_openapi::{
    OpenApi,
    param::{Path, Query},
};

use super::{
    ContextFieldNameBody, ContextFieldStrategiesBody, CreateContextFieldBody, IncludedFields, UpdateContextFieldBody,
    fields::Fields,
};
use crate::{
    api::{
        Tag,
        answer::{
            CreateRefusals, Created, Done, EditRefusals, EditUnusedRefusals, Fails, LookupRefusals, Out,
            RemoveUnusedRefusals,
        },
        body::Body,
        caller::AuthenticatedCaller,
        permitted::{InProject, Permitted, need},
        version::{IfMatchHeader, Versioned},
    },
    domain::context_field::{ContextField, LegalValue},
    state::State,
};

/// Caller who may change the context fields of a project.
type Keeper = Permitted<need::UpdateProjectContext, InProject>;

/// The operations on context fields of one project.
#[derive(Debug)]
pub struct ProjectContextFieldsApi;

#[OpenApi(tag = "Tag::ContextFields")]
impl ProjectContextFieldsApi {
    /// List the context fields of a project
    ///
    /// By name, each with the number of features and projects that use it in a constraint of a strategy. Needs no
    /// permission but to see the project.
    #[oai(path = "/api/admin/projects/:projectId/context", method = "get", operation_id = "getContextFieldsForProject")]
    async fn get_context_fields_for_project(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        /// `root` adds the fields of the whole instance, which the project may use, too. Absent or `project`: fields of
        /// the project only.
        include: Query<Option<IncludedFields>>,
    ) -> Result<Out<Vec<ContextField>>, Fails<LookupRefusals>> {
        let project = caller.visible_project(&project_id).await?;
        let with_others = include.0 == Some(IncludedFields::Root);
        Ok(Out(Fields::of_project(state, &caller, &project).list(with_others).await?))
    }

    /// Create a context field of a project
    ///
    /// Constraints and stickiness of this project can then refer to it, those of other projects cannot. Names are
    /// unique among the context fields of the instance and of all projects.
    #[oai(
        path = "/api/admin/projects/:projectId/context",
        method = "post",
        operation_id = "createContextFieldForProject"
    )]
    async fn create_context_field_for_project(
        &self,
        caller: Keeper,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        body: Body<CreateContextFieldBody>,
    ) -> Result<Created<ContextField>, Fails<CreateRefusals>> {
        let project = caller.project(&project_id).await?;
        Ok(Created(Fields::of_project(state, &caller, &project).create(body.read()?).await?))
    }

    /// Validate a context field name for a project
    ///
    /// Refused when the name is invalid or taken, be it by a field of the instance or of another project.
    #[oai(
        path = "/api/admin/projects/:projectId/context/validate",
        method = "post",
        operation_id = "validateContextFieldForProject"
    )]
    async fn validate_context_field_for_project(
        &self,
        caller: Keeper,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        body: Body<ContextFieldNameBody>,
    ) -> Result<Done, Fails<CreateRefusals>> {
        let project = caller.project(&project_id).await?;
        Fields::of_project(state, &caller, &project).validate(&body.read()?.name).await?;
        Ok(Done)
    }

    /// Get a context field of a project
    ///
    /// The `ETag` is the version to send as `If-Match`. Usage counts are in the list only. 404 for a field of the whole
    /// instance. Needs no permission but to see the project.
    #[oai(
        path = "/api/admin/projects/:projectId/context/:contextField",
        method = "get",
        operation_id = "getContextFieldForProject"
    )]
    async fn get_context_field_for_project(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        #[oai(name = "contextField")] context_field: Path<String>,
    ) -> Result<Versioned<ContextField>, Fails<LookupRefusals>> {
        let project = caller.visible_project(&project_id).await?;
        Ok(Versioned::whole(Fields::of_project(state, &caller, &project).get(&context_field.0).await?))
    }

    /// Update a context field of a project
    ///
    /// Replaces the stored values: what is absent is reset, except the position. Name and project cannot be changed.
    /// 409 when a legal value is taken away that is in use while others stay; without any legal values every value is
    /// legal. Constraints with values that are no longer legal stay and keep working, but cannot be changed without
    /// correcting them. A request that changes nothing leaves no event.
    #[oai(
        path = "/api/admin/projects/:projectId/context/:contextField",
        method = "put",
        operation_id = "updateContextFieldForProject"
    )]
    async fn update_context_field_for_project(
        &self,
        caller: Keeper,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        #[oai(name = "contextField")] context_field: Path<String>,
        #[oai(name = "If-Match")] if_match: IfMatchHeader,
        body: Body<UpdateContextFieldBody>,
    ) -> Result<Done, Fails<EditUnusedRefusals>> {
        let project = caller.project(&project_id).await?;
        let body = body.read()?;
        Fields::of_project(state, &caller, &project).update(&context_field.0, &if_match, body).await?;
        Ok(Done)
    }

    /// Delete a context field of a project
    ///
    /// 409 while the project uses it: in constraints of strategies and segments, in stickiness, in overrides of
    /// variants, in what its features start with, and as its default stickiness. Archived features count. The error
    /// names the users.
    #[oai(
        path = "/api/admin/projects/:projectId/context/:contextField",
        method = "delete",
        operation_id = "deleteContextFieldForProject"
    )]
    async fn delete_context_field_for_project(
        &self,
        caller: Keeper,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        #[oai(name = "contextField")] context_field: Path<String>,
        #[oai(name = "If-Match")] if_match: IfMatchHeader,
    ) -> Result<Done, Fails<RemoveUnusedRefusals>> {
        let project = caller.project(&project_id).await?;
        Fields::of_project(state, &caller, &project).delete(&context_field.0, &if_match).await?;
        Ok(Done)
    }

    /// List the strategies of a project that use a context field
    ///
    /// Strategies of the project with a constraint on the field, also of archived features. The field may be one of the
    /// project, one of the whole instance, or one that does not exist: constraints may still refer to it. Needs no
    /// permission but to see the project.
    #[oai(
        path = "/api/admin/projects/:projectId/context/:contextField/strategies",
        method = "get",
        operation_id = "getStrategiesByContextFieldForProject"
    )]
    async fn get_strategies_by_context_field_for_project(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        #[oai(name = "contextField", validator(max_length = 255))] context_field: Path<String>,
    ) -> Result<Out<ContextFieldStrategiesBody>, Fails<LookupRefusals>> {
        let project = caller.visible_project(&project_id).await?;
        Ok(Out(Fields::of_project(state, &caller, &project).strategies(&context_field.0).await?))
    }

    /// Create or update a legal value of a context field of a project
    ///
    /// Adds the value after the existing ones, or changes its description. A request that changes nothing leaves no
    /// event.
    #[oai(
        path = "/api/admin/projects/:projectId/context/:contextField/legal-values",
        method = "post",
        operation_id = "updateContextFieldLegalValueForProject"
    )]
    async fn update_context_field_legal_value_for_project(
        &self,
        caller: Keeper,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        #[oai(name = "contextField")] context_field: Path<String>,
        #[oai(name = "If-Match")] if_match: IfMatchHeader,
        body: Body<LegalValue>,
    ) -> Result<Done, Fails<EditRefusals>> {
        let project = caller.project(&project_id).await?;
        let value = body.read()?;
        Fields::of_project(state, &caller, &project).put_legal_value(&context_field.0, &if_match, value).await?;
        Ok(Done)
    }

    /// Delete a legal value of a context field of a project
    ///
    /// After the last one is deleted, any value is legal. 409 while constraints or overrides of variants of the project
    /// use the value; the error names them. Deleting a value that does not exist leaves no event.
    #[oai(
        path = "/api/admin/projects/:projectId/context/:contextField/legal-values/:legalValue",
        method = "delete",
        operation_id = "deleteContextFieldLegalValueForProject"
    )]
    async fn delete_context_field_legal_value_for_project(
        &self,
        caller: Keeper,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        #[oai(name = "contextField")] context_field: Path<String>,
        #[oai(name = "legalValue")] legal_value: Path<String>,
        #[oai(name = "If-Match")] if_match: IfMatchHeader,
    ) -> Result<Done, Fails<RemoveUnusedRefusals>> {
        let project = caller.project(&project_id).await?;
        let fields = Fields::of_project(state, &caller, &project);
        fields.delete_legal_value(&context_field.0, &if_match, &legal_value.0).await?;
        Ok(Done)
    }
}
