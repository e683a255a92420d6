//! Trying a constraint before it becomes part of a strategy or segment.

use poem::web::Data;
use poem_openapi::OpenApi;

use crate::{
    api::{
        Tag,
        answer::{Fails, NoContent, WriteRefusals},
        body::Body,
        caller::AuthenticatedCaller,
    },
    changes::constraints::admit,
    config::Limits,
    domain::constraint::Constraint,
    error::Error,
    state::State,
    store::{self, context_fields::Which},
};

/// The operation on constraints.
#[derive(Debug)]
pub struct ConstraintsApi;

#[OpenApi(tag = "Tag::Strategies")]
impl ConstraintsApi {
    /// Validate a constraint
    ///
    /// 204 when a strategy or segment could have it: the operator has the values it needs, all SDKs read them alike,
    /// they are legal values of the context field, and their number is within the limit. 400 otherwise, also for a
    /// context field that does not exist or is hidden from the caller. Only strategies and segments of the project can
    /// name a field that belongs to one. Changes nothing.
    #[oai(path = "/api/admin/constraints/validate", method = "post", operation_id = "validateConstraint")]
    async fn validate_constraint(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        body: Body<Constraint>,
    ) -> Result<NoContent, Fails<WriteRefusals>> {
        let constraint = body.read()?.normalized();
        check_count(&constraint, &state.config.limits)?;
        let visibility = caller.visibility().await?;
        let visible = Which::VisibleTo(&visibility);
        let known = store::context_fields::legal_values_of(&state.db, visible, &constraint.context_name).await?;
        admit(std::slice::from_ref(&constraint), &[], &known, |_| "/body".to_owned())?;
        Ok(NoContent)
    }
}

fn check_count(constraint: &Constraint, limits: &Limits) -> Result<(), Error> {
    let count = constraint.count_values();
    let limit = limits.constraint_values;
    if u64::try_from(count).is_ok_and(|count| count <= limit) {
        return Ok(());
    }
    Err(Error::ExceedsLimit(format!("A constraint may have at most {limit} values; this one has {count}.")))
}
