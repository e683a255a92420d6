//! Context fields: what constraints and stickiness may name.

use std::collections::{BTreeSet, HashSet};

use poem::web::Data;
use poem_openapi::{Object, OpenApi, param::Path};
use serde::Serialize;

use crate::{
    api::{
        Tag,
        answer::{
            Created, Done, EditRefusals, EditUnusedRefusals, Fails, LookupRefusals, Out, QueryRefusals, ReadRefusals,
            RemoveUnusedRefusals,
        },
        body::Body,
        caller::Caller,
        in_use::require_unused,
        permitted::{Permitted, need},
        tags::types::NewNameRefusals,
        version::{IfMatch, Versioned},
    },
    domain::{
        address::{self, Named},
        context_field::{ContextField, DEFAULT_SORT_ORDER, LegalValue},
        event::NewEvent,
        event_kind::EventKind,
        in_use::Subject,
        strategy_use::StrategyUse,
        version::Version,
    },
    error::Error,
    state::State,
    store::{self, db::Tx},
    wire::{AtMost, Nullable},
};

/// The operations on context fields.
#[derive(Debug)]
pub struct ContextFieldsApi;

/// A context field to create.
#[derive(Debug, Clone, Object)]
#[oai(rename = "CreateContextField", rename_all = "camelCase")]
pub struct CreateContextFieldBody {
    /// Unique name: 1 to 100 characters that need no encoding in a URL.
    #[oai(validator(min_length = 1, max_length = 100, pattern = r"^[A-Za-z0-9_.!~*'()-]*$"))]
    pub name: String,
    /// Description of the field, at most 250 characters. Absent or `null` means none.
    #[oai(validator(max_length = 250))]
    pub description: Option<Nullable<String>>,
    /// Whether the field can be used for stickiness. Absent means false.
    pub stickiness: Option<bool>,
    /// Position in manually ordered lists, lowest first. Absent means 10.
    #[oai(validator(minimum(value = "-2147483648"), maximum(value = "2147483647")))]
    pub sort_order: Option<i64>,
    /// The only values that constraints may name, at most 1000, each of 1 to 100 characters and no two the same. Absent
    /// or empty means any value.
    pub legal_values: Option<AtMost<1000, LegalValue>>,
}

/// Settings of a context field. What is absent is reset, except the position.
#[derive(Debug, Clone, Object)]
#[oai(rename = "UpdateContextField", rename_all = "camelCase")]
pub struct UpdateContextFieldBody {
    /// Description of the field, at most 250 characters. Absent or `null` means none.
    #[oai(validator(max_length = 250))]
    pub description: Option<Nullable<String>>,
    /// Whether the field can be used for stickiness. Absent means false.
    pub stickiness: Option<bool>,
    /// Position in manually ordered lists, lowest first. Absent means that it stays.
    #[oai(validator(minimum(value = "-2147483648"), maximum(value = "2147483647")))]
    pub sort_order: Option<i64>,
    /// The only values that constraints may name, at most 1000, each of 1 to 100 characters and no two the same. Absent
    /// or empty means any value. A list without a current value that is in use is refused; existing constraints with
    /// other values stay until they are changed.
    pub legal_values: Option<AtMost<1000, LegalValue>>,
}

/// A name for a context field.
#[derive(Debug, Clone, Object)]
#[oai(rename = "ContextFieldName")]
pub struct ContextFieldNameBody {
    /// The name: 1 to 100 characters that need no encoding in a URL.
    #[oai(validator(min_length = 1, max_length = 100, pattern = r"^[A-Za-z0-9_.!~*'()-]*$"))]
    pub name: String,
}

/// The strategies that use something.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "ContextFieldStrategies")]
pub struct ContextFieldStrategiesBody {
    /// The strategies, by feature, environment and id.
    pub strategies: Vec<StrategyUse>,
}

#[OpenApi(tag = "Tag::ContextFields")]
impl ContextFieldsApi {
    /// List the context fields
    ///
    /// By name, each with the number of features and projects that use it in a constraint of a strategy. Projects that
    /// are hidden from the caller are not counted.
    #[oai(path = "/api/admin/context", method = "get", operation_id = "getContextFields")]
    async fn get_context_fields(
        &self,
        caller: Caller,
        Data(state): Data<&State>,
    ) -> Result<Out<Vec<ContextField>>, Fails<ReadRefusals>> {
        Ok(Out(store::context_fields::list(&state.db, &caller.visibility().await?).await?))
    }

    /// Create a context field
    ///
    /// Constraints and stickiness can then refer to it.
    #[oai(path = "/api/admin/context", method = "post", operation_id = "createContextField")]
    async fn create_context_field(
        &self,
        caller: Permitted<need::CreateContextField>,
        Data(state): Data<&State>,
        body: Body<CreateContextFieldBody>,
    ) -> Result<Created<ContextField>, Fails<NewNameRefusals>> {
        let new = body.read()?.into_field();
        admit_name(&new.name)?;
        admit_legal_values(&new, &[])?;
        let now = state.clock.now();
        let tx = state.db.begin().await?;
        if !store::context_fields::insert(&tx, &new, now).await? {
            return Err(taken(&new.name).into());
        }
        let event = NewEvent::new(EventKind::ContextFieldCreated, &caller.actor()).with_data(&new);
        tx.commit(now, [event]).await?;
        Ok(Created(ContextField { created_at: Some(Nullable(Some(now))), ..new }))
    }

    /// Validate a context field name
    ///
    /// Refused when the name is invalid or taken.
    #[oai(path = "/api/admin/context/validate", method = "post", operation_id = "validateContextField")]
    async fn validate_context_field(
        &self,
        _caller: Permitted<need::MakeContextField>,
        Data(state): Data<&State>,
        body: Body<ContextFieldNameBody>,
    ) -> Result<Done, Fails<NewNameRefusals>> {
        let name = body.read()?.name;
        admit_name(&name)?;
        if store::context_fields::exists(&state.db, &name).await? {
            return Err(taken(&name).into());
        }
        Ok(Done)
    }

    /// Get a context field
    ///
    /// The `ETag` is the version to send as `If-Match`. Usage counts are in the list only.
    #[oai(path = "/api/admin/context/:contextField", method = "get", operation_id = "getContextField")]
    async fn get_context_field(
        &self,
        _caller: Caller,
        Data(state): Data<&State>,
        #[oai(name = "contextField")] context_field: Path<String>,
    ) -> Result<Versioned<ContextField>, Fails<LookupRefusals>> {
        let found = store::context_fields::find(&state.db, &context_field.0).await?;
        Ok(Versioned::whole(found.ok_or_else(|| missing(&context_field.0))?))
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
        #[oai(name = "If-Match")] if_match: IfMatch,
        body: Body<UpdateContextFieldBody>,
    ) -> Result<Done, Fails<EditUnusedRefusals>> {
        let body = body.read()?;
        let (tx, before) = hold(state, &context_field.0, &if_match).await?;
        let after = body.applied_to(&before);
        admit_legal_values(&after, before.legal())?;
        if !after.legal().is_empty() {
            require_unused_values(&tx, &caller, &before, &after).await?;
        }
        change(tx, state, &caller, &before, &after).await?;
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
        #[oai(name = "If-Match")] if_match: IfMatch,
    ) -> Result<Done, Fails<RemoveUnusedRefusals>> {
        let visibility = caller.visibility().await?;
        let (tx, before) = hold(state, &context_field.0, &if_match).await?;
        require_unused(&tx, &Subject::ContextField(&before.name), &visibility).await?;
        store::context_fields::delete(&tx, &before.name).await?;
        let event = NewEvent::new(EventKind::ContextFieldDeleted, &caller.actor()).with_pre_data(&before.for_log());
        tx.commit(state.clock.now(), [event]).await?;
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
        caller: Caller,
        Data(state): Data<&State>,
        #[oai(name = "contextField", validator(max_length = 255))] context_field: Path<String>,
    ) -> Result<Out<ContextFieldStrategiesBody>, Fails<QueryRefusals>> {
        let visibility = caller.visibility().await?;
        let strategies = store::strategies::uses::of_context_field(&state.db, &context_field.0, &visibility).await?;
        Ok(Out(ContextFieldStrategiesBody { strategies }))
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
        #[oai(name = "If-Match")] if_match: IfMatch,
        body: Body<LegalValue>,
    ) -> Result<Done, Fails<EditRefusals>> {
        let value = body.read()?;
        let (tx, before) = hold(state, &context_field.0, &if_match).await?;
        let only = ContextField { legal_values: Some(vec![value.clone()]), ..ContextField::default() };
        if let Some((_, member, rule)) = only.faulty_value(|value| holds(before.legal(), value)) {
            return Err(Error::property(format!("/body/{member}"), rule).into());
        }
        let mut legal = before.legal().to_vec();
        match legal.iter().position(|other| other.value == value.value) {
            Some(index) => legal[index] = value,
            None if legal.len() < MAX_LEGAL_VALUES => legal.push(value),
            None => {
                let rule = format!("must not be one more: there are {MAX_LEGAL_VALUES}");
                return Err(Error::property("/body/value", rule).into());
            }
        }
        let after = ContextField { legal_values: Some(legal), ..before.clone() };
        change(tx, state, &caller, &before, &after).await?;
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
        /// The value, percent-encoded where it contains characters reserved in URLs.
        #[oai(name = "legalValue")]
        legal_value: Path<String>,
        #[oai(name = "If-Match")] if_match: IfMatch,
    ) -> Result<Done, Fails<RemoveUnusedRefusals>> {
        let (tx, before) = hold(state, &context_field.0, &if_match).await?;
        let legal = before.legal().iter().filter(|legal| legal.value != legal_value.0).cloned().collect();
        let after = ContextField { legal_values: Some(legal), ..before.clone() };
        require_unused_values(&tx, &caller, &before, &after).await?;
        change(tx, state, &caller, &before, &after).await?;
        Ok(Done)
    }
}

/// Most legal values of a field.
const MAX_LEGAL_VALUES: usize = 1000;

impl CreateContextFieldBody {
    fn into_field(self) -> ContextField {
        ContextField {
            name: self.name,
            description: Some(self.description.unwrap_or_default()),
            stickiness: Some(self.stickiness.unwrap_or_default()),
            sort_order: Some(self.sort_order.unwrap_or(DEFAULT_SORT_ORDER)),
            legal_values: Some(self.legal_values.map(|list| list.0).unwrap_or_default()),
            ..ContextField::default()
        }
    }
}

impl UpdateContextFieldBody {
    fn applied_to(self, before: &ContextField) -> ContextField {
        ContextField {
            description: Some(self.description.unwrap_or_default()),
            stickiness: Some(self.stickiness.unwrap_or_default()),
            sort_order: self.sort_order.or(before.sort_order),
            legal_values: Some(self.legal_values.map(|list| list.0).unwrap_or_default()),
            ..before.clone()
        }
    }
}

/// Starts a transaction that holds a field in the state that the change is meant for.
async fn hold(state: &State, name: &str, if_match: &IfMatch) -> Result<(Tx, ContextField), Error> {
    let tx = state.db.begin().await?;
    let field = store::context_fields::hold(&tx, name).await?.ok_or_else(|| missing(name))?;
    if_match.check(Version::of(&field))?;
    Ok((tx, field))
}

async fn change(
    tx: Tx,
    state: &State,
    caller: &Caller,
    before: &ContextField,
    after: &ContextField,
) -> Result<(), Error> {
    if before != after {
        store::context_fields::save(&tx, after).await?;
        let event = NewEvent::new(EventKind::ContextFieldUpdated, &caller.actor());
        let event = event.with_data(&after.for_log()).with_pre_data(&before.for_log());
        tx.commit(state.clock.now(), [event]).await?;
    }
    Ok(())
}

fn admit_name(name: &str) -> Result<(), Error> {
    address::judge(Named::ContextField, name).map_err(|fault| Error::property("/body/name", fault))
}

fn holds(legal: &[LegalValue], value: &str) -> bool {
    legal.iter().any(|legal| legal.value == value)
}

/// Refuses a change that takes away a legal value in use.
async fn require_unused_values(
    tx: &Tx,
    caller: &Caller,
    before: &ContextField,
    after: &ContextField,
) -> Result<(), Error> {
    let kept: HashSet<&str> = after.legal().iter().map(|legal| &*legal.value).collect();
    let held = before.legal().iter().map(|legal| &*legal.value);
    let gone: BTreeSet<&str> = held.filter(|value| !kept.contains(value)).collect();
    if gone.is_empty() {
        return Ok(());
    }
    let subject = Subject::LegalValues { field: &before.name, values: gone };
    require_unused(tx, &subject, &caller.visibility().await?).await
}

fn admit_legal_values(field: &ContextField, stored: &[LegalValue]) -> Result<(), Error> {
    match field.faulty_value(|value| holds(stored, value)) {
        None => Ok(()),
        Some((index, member, rule)) => Err(Error::property(format!("/body/legalValues/{index}/{member}"), rule)),
    }
}

fn missing(name: &str) -> Error {
    Error::not_found("context field", name)
}

fn taken(name: &str) -> Error {
    Error::Conflict(format!("There is a context field named \"{name}\" already."))
}
