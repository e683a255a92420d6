//! Whether constraints fit the context fields that there are: one rule for strategies and segments.

use std::{
    collections::{HashMap, HashSet},
    fmt,
};

use super::{Constraint, ConstraintFault};

/// The context fields that may be used, by name, each with the values that constraints may name; none of them means
/// any.
pub type LegalValues = HashMap<String, HashSet<String>>;

/// Constraint that cannot be stored, by its place in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misfit {
    /// Position of the constraint in its list, from 0.
    pub index: usize,
    /// Reason of the misfit.
    pub reason: MisfitReason,
}

/// Reason why a constraint cannot be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MisfitReason {
    /// It names a context field that does not exist, or belongs to another project.
    UnknownField(String),
    /// It does not hold what its operator compares with.
    Fault(ConstraintFault),
    /// It names a value that the context field does not list.
    Illegal {
        /// JSON pointer from the constraint to the value.
        pointer: String,
        /// The value.
        value: String,
    },
}

impl MisfitReason {
    /// JSON pointer from the constraint to the property that is to blame.
    pub fn pointer(&self) -> &str {
        match self {
            Self::UnknownField(_) | Self::Fault(ConstraintFault::NotTheTime) => "/contextName",
            Self::Fault(
                ConstraintFault::NoValues | ConstraintFault::ValueLength | ConstraintFault::TrailingBackslash,
            ) => "/values",
            Self::Fault(ConstraintFault::UnknownOperator | ConstraintFault::OnlyDates) => "/operator",
            Self::Fault(_) => "/value",
            Self::Illegal { pointer, .. } => pointer,
        }
    }
}

impl fmt::Display for MisfitReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownField(name) => {
                // The other project may be one that the caller must not know of.
                write!(f, "names the context field \"{name}\", which does not exist or belongs to another project")
            }
            Self::Fault(fault) => write!(f, "does not fit the operator: the constraint {fault}"),
            Self::Illegal { value, .. } => write!(f, "holds \"{value}\", which is no legal value of the context field"),
        }
    }
}

/// Returns the misfits of a list of constraints, in its order: at most one for each.
pub fn judge(constraints: &[Constraint], fields: &LegalValues) -> Vec<Misfit> {
    let misfit = |(index, constraint)| Some(Misfit { index, reason: judge_one(constraint, fields)? });
    constraints.iter().enumerate().filter_map(misfit).collect()
}

/// Returns the misfit of one constraint, if any: its field comes first, then its operator, then the legal values.
pub fn judge_one(constraint: &Constraint, fields: &LegalValues) -> Option<MisfitReason> {
    let Some(legal) = fields.get(&constraint.context_name) else {
        return Some(MisfitReason::UnknownField(constraint.context_name.clone()));
    };
    if let Err(fault) = constraint.check() {
        return Some(MisfitReason::Fault(fault));
    }
    let mut operands = constraint.operands().enumerate();
    let (index, illegal) = operands.find(|(_, value)| !legal.is_empty() && !legal.contains(*value))?;
    let pointer = if constraint.operator.takes_several() { format!("/values/{index}") } else { "/value".to_owned() };
    Some(MisfitReason::Illegal { pointer, value: illegal.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::{super::Operator, *};

    #[test]
    fn each_constraint_is_judged_by_its_field_then_its_operator_then_the_legal_values() {
        let fields = LegalValues::from([
            ("userId".to_owned(), HashSet::new()),
            ("country".to_owned(), HashSet::from(["CH".to_owned(), "7".to_owned()])),
        ]);
        let cases = [
            (Constraint::of("userId", Operator::In, None, &["anything"]), None),
            (Constraint::of("country", Operator::NotIn, None, &["CH"]), None),
            (Constraint::of("country", Operator::NumEq, Some("7"), &["ignored"]), None),
            (Constraint::of("country", Operator::NumEq, None, &[]), Some("/value")),
            (Constraint::of("nowhere", Operator::In, None, &[]), Some("/contextName")),
            (Constraint::of("country", Operator::In, None, &[]), Some("/values")),
            (Constraint::of("country", Operator::In, None, &["CH", "XX"]), Some("/values/1")),
            (Constraint::of("country", Operator::NumEq, Some("8"), &[]), Some("/value")),
            (Constraint::of("userId", Operator::SemverEq, Some("1"), &[]), Some("/value")),
        ];
        for (constraint, pointer) in &cases {
            let found = judge(std::slice::from_ref(constraint), &fields);
            assert_eq!(found.first().map(|misfit| misfit.reason.pointer()), *pointer, "{constraint:?}");
        }
        let all: Vec<Constraint> = cases.iter().map(|(constraint, _)| constraint.clone()).collect();
        let indexes: Vec<usize> = judge(&all, &fields).iter().map(|misfit| misfit.index).collect();
        assert_eq!(indexes, [3, 4, 5, 6, 7, 8]);
    }
}
