//! Refusing constraints.

use flagstone_domain::constraint::{Constraint, LegalValues, Misfit, judge};
use flagstone_error::{Error, Finding};

/// Most findings that one refusal lists.
const MAX_FINDINGS: usize = 20;

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

/// Refuses constraints like [`admit_constraints`]; `place` points to the constraint at a position.
pub fn admit(
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
