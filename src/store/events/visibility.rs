//! Visibility of events.

use flagstone_domain::visibility::Visibility;
use sea_orm::sea_query::{Condition, Expr, ExprTrait, Func};

use crate::{
    db::text,
    entity::event::{Column, Entity},
    visibility::not_hidden,
};

/// Condition for visible events. Those without a project belong to the instance.
pub(crate) fn visible(visibility: &Visibility) -> Condition {
    let project = || Expr::col((Entity, Column::Project));
    let mut condition = Condition::all();
    if !visibility.sees_instance {
        // Not IS NOT NULL: SQLite would take it for a reason to walk and sort the whole index of projects.
        condition = condition.add(Expr::expr(Func::coalesce([project(), Expr::val("")])).ne(""));
    }
    if !visibility.hidden_projects.is_empty() {
        condition = condition.add(Condition::any().add(project().is_null()).add(not_hidden(project(), visibility)));
        condition = condition.add(names_no_other(&visibility.hidden_projects));
    }
    condition
}

/// An API token reaches several projects, which its events name together: one that is hidden hides the event.
fn names_no_other(hidden: &[String]) -> Condition {
    let project = || Expr::col((Entity, Column::Project));
    let listed = || Expr::val(",").binary(text::CONCAT, project()).binary(text::CONCAT, Expr::val(","));
    let none = hidden
        .iter()
        .fold(Condition::all(), |all, id| all.add(listed().like(text::containing(&format!(",{id},"))).not()));
    Condition::any().add(project().is_null()).add(project().like(text::containing(",")).not()).add(none)
}
