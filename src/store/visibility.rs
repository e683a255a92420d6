//! Visibility of rows.

use flagstone_domain::visibility::Visibility;
use sea_orm::sea_query::{Condition, Expr, ExprTrait};

/// Condition that rows belong to projects that are not hidden, by the expression for the id of their project. Empty
/// where nothing is hidden.
pub(crate) fn not_hidden(project: Expr, visibility: &Visibility) -> Condition {
    let hidden = &visibility.hidden_projects;
    Condition::all().add_option((!hidden.is_empty()).then(|| project.is_not_in(hidden.iter().map(String::as_str))))
}
