//! Attributes of users and groups as columns.

use flagstone_domain::scim::filter::{Attribute, Test};
use sea_orm::{
    ColumnTrait, Condition, DatabaseBackend, QueryFilter, QuerySelect, QueryTrait,
    sea_query::{Expr, ExprTrait, Func, Query, SelectStatement},
};

use super::{
    directories::is_of,
    id_of,
    matching::{Columns, alike, exact, none},
};
use crate::{
    access::people::people,
    entity::{app_user, nested_group, user_group, user_group_member},
};

/// Attributes of users, as a directory knows them.
pub(super) struct UserColumns {
    pub backend: DatabaseBackend,
    /// Id of the directory; `None` for the default one.
    pub directory: Option<i64>,
}

/// Attributes of groups, as a directory knows them.
pub(super) struct GroupColumns {
    pub backend: DatabaseBackend,
    /// Id of the directory; `None` for the default one.
    pub directory: Option<i64>,
}

/// A text that is compared by its bytes on either database.
fn by_bytes(backend: DatabaseBackend, text: &str) -> Expr {
    let collation = if backend == DatabaseBackend::Postgres { " COLLATE \"C\"" } else { "" };
    Expr::cust(format!("({text}{collation})"))
}

impl UserColumns {
    /// A part of the name of a user whom a directory keeps.
    fn part_of_name(&self, part: &str) -> Expr {
        let names = "\"app_user\".\"scim_names\"";
        let names =
            if self.backend == DatabaseBackend::Postgres { format!("CAST({names} AS json)") } else { names.to_owned() };
        by_bytes(self.backend, &format!("({names} ->> '{part}')"))
    }
}

impl Columns for UserColumns {
    fn comparison(&self, attribute: Attribute, test: &Test) -> Condition {
        let (all, is_kept) = (Condition::all(), app_user::Column::ScimKey.is_not_null());
        let value = self.value(attribute);
        match (attribute, test) {
            (Attribute::Id, Test::Equals(id)) => all.add(app_user::Column::Id.eq(id_of(id))),
            (Attribute::ExternalId, Test::Equals(id)) => all.add(app_user::Column::ScimExternalId.eq(id)).add(is_kept),
            (Attribute::ExternalId, test) => exact(&value, test).add(is_kept),
            (Attribute::UserName, Test::Equals(name)) => called(name),
            (Attribute::Groups, test) => {
                let mut memberships = Query::select();
                memberships.column(user_group_member::Column::UserId).from(user_group_member::Entity);
                let group = id_in(test).map(|id| user_group_member::Column::GroupId.eq(id));
                memberships.and_where_option(group);
                let own = is_of(user_group::Column::ScimDirectoryId, self.directory);
                let groups =
                    Query::select().column(user_group::Column::Id).from(user_group::Entity).and_where(own).take();
                memberships.and_where(user_group_member::Column::GroupId.in_subquery(groups));
                all.add(app_user::Column::Id.in_subquery(memberships))
            }
            (Attribute::Active, Test::Truth(false)) => all.add(app_user::Column::DeactivatedAt.is_not_null()),
            (Attribute::Active, Test::Truth(true)) => all.add(app_user::Column::DeactivatedAt.is_null()),
            (Attribute::EmailPrimary, Test::Truth(false)) => none(),
            (Attribute::EmailPrimary, _) => all.add(app_user::Column::Email.is_not_null()),
            (Attribute::Id | Attribute::Active, _) => all,
            (_, test) => alike(&value, test),
        }
    }

    fn value(&self, attribute: Attribute) -> Expr {
        let column = |column: app_user::Column| Expr::col((app_user::Entity, column));
        match attribute {
            Attribute::Id | Attribute::Groups | Attribute::Members => column(app_user::Column::Id),
            Attribute::ExternalId => by_bytes(self.backend, "\"app_user\".\"scim_external_id\""),
            Attribute::UserName => {
                let names = [app_user::Column::ScimKey, app_user::Column::Email, app_user::Column::Username];
                Expr::expr(Func::lower(Func::coalesce(names.map(column))))
            }
            Attribute::DisplayName => column(app_user::Column::Name),
            Attribute::Formatted => {
                let by_hand = column(app_user::Column::ScimKey).is_null();
                Expr::expr(Expr::case(by_hand, column(app_user::Column::Name)).finally(self.part_of_name("formatted")))
            }
            Attribute::GivenName => self.part_of_name("givenName"),
            Attribute::FamilyName => self.part_of_name("familyName"),
            Attribute::Email => column(app_user::Column::Email),
            Attribute::EmailType => Expr::expr(Expr::case(column(app_user::Column::Email).is_not_null(), "work")),
            Attribute::EmailPrimary => column(app_user::Column::Email).is_not_null(),
            Attribute::Active => column(app_user::Column::DeactivatedAt).is_null(),
            Attribute::Created => column(app_user::Column::CreatedAt),
            Attribute::Changed => {
                Expr::expr(Func::coalesce([app_user::Column::ChangedAt, app_user::Column::CreatedAt].map(column)))
            }
        }
    }
}

impl Columns for GroupColumns {
    fn comparison(&self, attribute: Attribute, test: &Test) -> Condition {
        let (all, is_kept) = (Condition::all(), user_group::Column::IsScim.eq(true));
        let value = self.value(attribute);
        match (attribute, test) {
            (Attribute::Id, Test::Equals(id)) => all.add(user_group::Column::Id.eq(id_of(id))),
            (Attribute::ExternalId, Test::Equals(id)) => {
                all.add(user_group::Column::ScimExternalId.eq(id)).add(is_kept)
            }
            (Attribute::ExternalId, test) => exact(&value, test).add(is_kept),
            (Attribute::Members, test) => Condition::any()
                .add(user_group::Column::Id.in_subquery(groups_with(self.directory, id_in(test))))
                .add(user_group::Column::Id.in_subquery(groups_around(id_in(test)))),
            (Attribute::Id, _) => all,
            (_, test) => alike(&value, test),
        }
    }

    fn value(&self, attribute: Attribute) -> Expr {
        let column = |column: user_group::Column| Expr::col((user_group::Entity, column));
        match attribute {
            Attribute::ExternalId => by_bytes(self.backend, "\"user_group\".\"scim_external_id\""),
            Attribute::DisplayName => column(user_group::Column::Name),
            Attribute::Created => column(user_group::Column::CreatedAt),
            Attribute::Changed => {
                Expr::expr(Func::coalesce([user_group::Column::ChangedAt, user_group::Column::CreatedAt].map(column)))
            }
            _ => column(user_group::Column::Id),
        }
    }
}

/// Ids of the groups that have this person of a directory as a direct member, or any of its people.
fn groups_with(directory: Option<i64>, member: Option<i64>) -> SelectStatement {
    let own = is_of(app_user::Column::ScimDirectoryId, directory);
    let people = people().filter(own).select_only().column(app_user::Column::Id).into_query();
    let mut memberships = Query::select();
    memberships.column(user_group_member::Column::GroupId).from(user_group_member::Entity);
    memberships.and_where(user_group_member::Column::IsDirect.eq(true));
    memberships.and_where(user_group_member::Column::UserId.in_subquery(people));
    memberships.and_where_option(member.map(|id| user_group_member::Column::UserId.eq(id)));
    memberships
}

/// Ids of the groups in which this group is nested directly, or any group.
fn groups_around(inner: Option<i64>) -> SelectStatement {
    let mut links = Query::select();
    links.column(nested_group::Column::OuterId).from(nested_group::Entity);
    links.and_where_option(inner.map(|id| nested_group::Column::InnerId.eq(id)));
    links
}

/// The id that a test compares with.
fn id_in(test: &Test) -> Option<i64> {
    match test {
        Test::Equals(id) => Some(id_of(id)),
        _ => None,
    }
}

/// Users whom a directory calls so, or would: one whom none keeps is called by the email, else by the user name.
pub(super) fn called(name: &str) -> Condition {
    let folded = name.to_ascii_lowercase();
    let by_hand = Condition::any().add(app_user::Column::Email.eq(folded.clone())).add(
        Condition::all().add(app_user::Column::Email.is_null()).add(
            Condition::any()
                .add(app_user::Column::Username.eq(name))
                .add(Expr::expr(Func::lower(Expr::col(app_user::Column::Username))).eq(folded.clone())),
        ),
    );
    Condition::any()
        .add(app_user::Column::ScimKey.eq(folded))
        .add(Condition::all().add(app_user::Column::ScimKey.is_null()).add(by_hand))
}
