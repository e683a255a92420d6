//! Which rows somebody sees.

use sea_orm::sea_query::{Condition, Expr, ExprTrait};

use crate::domain::visibility::Visibility;

/// Holds for rows of projects that are not hidden from somebody, by the expression that tells the id of their project.
/// Asks for nothing where nothing is hidden.
pub(in crate::store) fn not_hidden(project: Expr, visibility: &Visibility) -> Condition {
    let hidden = &visibility.hidden_projects;
    Condition::all().add_option((!hidden.is_empty()).then(|| project.is_not_in(hidden.iter().map(String::as_str))))
}
