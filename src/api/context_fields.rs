//! Context fields: what constraints and stickiness may name.

mod bodies;
mod fields;
mod of_project;

use poem::web::Data;
use poem_openapi::{
    Enum, OpenApi,
    param::{Path, Query},
};

pub use self::bodies::{
    ContextFieldNameBody, ContextFieldStrategiesBody, CreateContextFieldBody, UpdateContextFieldBody,
};
use self::fields::Fields;
use crate::{
    api::{
        Tag,
        answer::{
            Created, Done, EditRefusals, EditUnusedRefusals, Fails, LookupRefusals, Out, QueryRefusals,
            RemoveUnusedRefusals,
        },
        body::Body,
        caller::AuthenticatedCaller,
        permitted::{Permitted, need},
        tags::types::NewNameRefusals,
        version::{IfMatchHeader, Versioned},
    },
    domain::context_field::{ContextField, LegalValue},
    state::State,
};

/// The operations on context fields of the whole instance.
#[derive(Debug)]
pub struct ContextFieldsApi;

/// The operations in this folder and this file.
pub fn operations() -> impl OpenApi {
    (ContextFieldsApi, of_project::ProjectContextFieldsApi)
}

/// Further context fields of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "lowercase")]
pub enum IncludedFields {
    /// Fields of the whole instance.
    Root,
    /// Fields of projects.
    Project,
}

#[OpenApi(tag = "Tag::ContextFields")]
impl ContextFieldsApi {
    /// List the context fields
    ///
    /// By name, each with the number of features and projects that use it in a constraint of a strategy. Projects that
    /// are hidden from the caller are not counted, and their fields are left out.
    #[oai(path = "/api/admin/context", method = "get", operation_id = "getContextFields")]
    async fn get_context_fields(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        /// `project` adds the fields of projects. Absent or `root`: fields of the whole instance only.
        include: Query<Option<IncludedFields>>,
    ) -> Result<Out<Vec<ContextField>>, Fails<QueryRefusals>> {
        let with_others = include.0 == Some(IncludedFields::Project);
        Ok(Out(Fields::of_instance(state, &caller).list(with_others).await?))
    }

    /// Create a context field
    ///
    /// Constraints and stickiness of all projects can then refer to it. Names are unique among the context fields of
    /// the instance and of all projects.
    #[oai(path = "/api/admin/context", method = "post", operation_id = "createContextField")]
    async fn create_context_field(
        &self,
        caller: Permitted<need::CreateContextField>,
        Data(state): Data<&State>,
        body: Body<CreateContextFieldBody>,
    ) -> Result<Created<ContextField>, Fails<NewNameRefusals>> {
        Ok(Created(Fields::of_instance(state, &caller).create(body.read()?).await?))
    }

    /// Validate a context field name
    ///
    /// Refused when the name is invalid or taken.
    #[oai(path = "/api/admin/context/validate", method = "post", operation_id = "validateContextField")]
    async fn validate_context_field(
        &self,
        caller: Permitted<need::MakeContextField>,
        Data(state): Data<&State>,
        body: Body<ContextFieldNameBody>,
    ) -> Result<Done, Fails<NewNameRefusals>> {
        Fields::of_instance(state, &caller).validate(&body.read()?.name).await?;
        Ok(Done)
    }

    /// Get a context field
    ///
    /// The `ETag` is the version to send as `If-Match`. Usage counts are in the list only. 404 for a field of a
    /// project, which `getContextFieldForProject` returns.
    #[oai(path = "/api/admin/context/:contextField", method = "get", operation_id = "getContextField")]
    async fn get_context_field(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        #[oai(name = "contextField")] context_field: Path<String>,
    ) -> Result<Versioned<ContextField>, Fails<LookupRefusals>> {
        Ok(Versioned::whole(Fields::of_instance(state, &caller).get(&context_field.0).await?))
    }

    /// Update a context field
    ///
    /// Replaces the stored values: what is absent is reset, except the position. The name cannot be changed. 409 when a
    /// legal value is taken away that is in use while others stay; without any legal values every value is legal.
    /// Constraints with values that are no longer legal stay and keep working, but cannot be changed without correcting
    /// them. A request that changes nothing leaves no event.
    #[oai(path = "/api/admin/context/:contextField", method = "put", operation_id = "updateContextField")]
    async fn update_context_field(
        &self,
        caller: Permitted<need::UpdateContextField>,
        Data(state): Data<&State>,
        #[oai(name = "contextField")] context_field: Path<String>,
        #[oai(name = "If-Match")] if_match: IfMatchHeader,
        body: Body<UpdateContextFieldBody>,
    ) -> Result<Done, Fails<EditUnusedRefusals>> {
        let body = body.read()?;
        Fields::of_instance(state, &caller).update(&context_field.0, &if_match, body).await?;
        Ok(Done)
    }

    /// Delete a context field
    ///
    /// 409 while it is in use: by constraints of strategies and segments, by stickiness, by overrides of variants, by what
    /// features of a project start with, and by the default stickiness of a project. Archived features count. The error
    /// names the users that the caller may see.
    #[oai(path = "/api/admin/context/:contextField", method = "delete", operation_id = "deleteContextField")]
    async fn delete_context_field(
        &self,
        caller: Permitted<need::DeleteContextField>,
        Data(state): Data<&State>,
        #[oai(name = "contextField")] context_field: Path<String>,
        #[oai(name = "If-Match")] if_match: IfMatchHeader,
    ) -> Result<Done, Fails<RemoveUnusedRefusals>> {
        Fields::of_instance(state, &caller).delete(&context_field.0, &if_match).await?;
        Ok(Done)
    }

    /// List the strategies that use a context field
    ///
    /// Strategies with a constraint on the field, also of archived features; what is hidden from the caller is left
    /// out. Constraints may still refer to a field that does not exist.
    #[oai(
        path = "/api/admin/context/:contextField/strategies",
        method = "get",
        operation_id = "getStrategiesByContextField"
    )]
    async fn get_strategies_by_context_field(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        #[oai(name = "contextField", validator(max_length = 255))] context_field: Path<String>,
    ) -> Result<Out<ContextFieldStrategiesBody>, Fails<QueryRefusals>> {
        Ok(Out(Fields::of_instance(state, &caller).strategies(&context_field.0).await?))
    }

    /// Create or update a legal value of a context field
    ///
    /// Adds the value after the existing ones, or changes its description. A request that changes nothing leaves no
    /// event.
    #[oai(
        path = "/api/admin/context/:contextField/legal-values",
        method = "post",
        operation_id = "updateContextFieldLegalValue"
    )]
    async fn update_context_field_legal_value(
        &self,
        caller: Permitted<need::UpdateContextField>,
        Data(state): Data<&State>,
        #[oai(name = "contextField")] context_field: Path<String>,
        #[oai(name = "If-Match")] if_match: IfMatchHeader,
        body: Body<LegalValue>,
    ) -> Result<Done, Fails<EditRefusals>> {
        let value = body.read()?;
        Fields::of_instance(state, &caller).put_legal_value(&context_field.0, &if_match, value).await?;
        Ok(Done)
    }

    /// Delete a legal value of a context field
    ///
    /// After the last one is deleted, any value is legal. 409 while constraints or overrides of variants use the value; the
    /// error names those that the caller may see. Deleting a value that does not exist leaves no event.
    #[oai(
        path = "/api/admin/context/:contextField/legal-values/:legalValue",
        method = "delete",
        operation_id = "deleteContextFieldLegalValue"
    )]
    async fn delete_context_field_legal_value(
        &self,
        caller: Permitted<need::UpdateContextField>,
        Data(state): Data<&State>,
        #[oai(name = "contextField")] context_field: Path<String>,
        #[oai(name = "legalValue")] legal_value: Path<String>,
        #[oai(name = "If-Match")] if_match: IfMatchHeader,
    ) -> Result<Done, Fails<RemoveUnusedRefusals>> {
        let fields = Fields::of_instance(state, &caller);
        fields.delete_legal_value(&context_field.0, &if_match, &legal_value.0).await?;
        Ok(Done)
    }
}
