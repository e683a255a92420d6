//! Refusing constraints, and trying one before it becomes part of a strategy or segment.

use poem::web::Data;
use poem_openapi::OpenApi;

use crate::{
    access::Caller,
    api::{
        Tag,
        answer::{Fails, NoContent, WriteRefusals},
        body::Body,
    },
    config::Limits,
    domain::constraint::{Constraint, LegalValues, Misfit, judge},
    error::{Error, Finding},
    state::State,
    store::{self, context_fields::Which},
};

/// Most findings that one refusal lists.
const MAX_FINDINGS: usize = 20;

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
        caller: Caller,
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

/// Refuses constraints that cannot be evaluated, name a value that is not legal, or a context field that is not among
/// these, unless they are among those `before`. `path` points to their list, such as `/body/constraints`.
pub fn admit_constraints(
    constraints: &[Constraint],
    before: &[Constraint],
    fields: &LegalValues,
    path: &str,
) -> Result<(), Error> {
    admit(constraints, before, fields, |index| format!("{path}/{index}"))
}

fn admit(
    constraints: &[Constraint],
    before: &[Constraint],
    fields: &LegalValues,
    place: impl Fn(usize) -> String,
) -> Result<(), Error> {
    let is_new = |misfit: &Misfit| !before.iter().any(|old| old.is_same(&constraints[misfit.index]));
    let finding = |misfit: Misfit| {
        let path = format!("{}{}", place(misfit.index), misfit.reason.pointer());
        Finding::property(path, &misfit.reason)
    };
    let misfits = judge(constraints, fields).into_iter().filter(is_new);
    let findings: Vec<Finding> = misfits.map(finding).take(MAX_FINDINGS).collect();
    if findings.is_empty() { Ok(()) } else { Err(Error::Validation(findings)) }
}
