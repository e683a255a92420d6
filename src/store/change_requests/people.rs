//! Users as change requests show them.

use std::collections::{BTreeSet, HashMap};

use flagstone_domain::change_request::Person;
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QuerySelect};

use crate::{StoreError, db::listed, entity::app_user};

/// Users by id, those with deleted accounts included.
#[derive(Debug, Default)]
pub(super) struct People(HashMap<i64, Person>);

/// Id of a user, name to sign in with, email, and display name.
pub(super) type PersonRow = (i64, Option<String>, Option<String>, Option<String>);

/// Returns the user whom a row is about.
pub(super) fn person((id, username, email, name): PersonRow) -> Person {
    Person { id, username, email, name }
}

impl People {
    /// Reads the users with these ids.
    pub(super) async fn read(db: &impl ConnectionTrait, ids: BTreeSet<i64>) -> Result<Self, StoreError> {
        if ids.is_empty() {
            return Ok(Self::default());
        }
        let ids: Vec<i64> = ids.into_iter().collect();
        let rows: Vec<PersonRow> = app_user::Entity::find()
            .select_only()
            .columns([
                app_user::Column::Id,
                app_user::Column::Username,
                app_user::Column::Email,
                app_user::Column::Name,
            ])
            .filter(app_user::Column::Id.in_subquery(listed::numbers(db.get_database_backend(), &ids)))
            .into_tuple()
            .all(db)
            .await?;
        let people = rows.into_iter().map(|row| (row.0, person(row)));
        Ok(Self(people.collect()))
    }

    /// The user with this id.
    pub(super) fn get(&self, id: i64) -> Person {
        self.0.get(&id).cloned().unwrap_or_else(|| Person::unnamed(id))
    }
}
