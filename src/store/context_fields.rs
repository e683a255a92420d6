//! Context fields.

use std::collections::{BTreeSet, HashSet};

use flagstone_domain::{
    constraint::LegalValues,
    context_field::{ContextField, DEFAULT_SORT_ORDER, LegalValue},
    time::Timestamp,
    visibility::Visibility,
};
use flagstone_wire::Nullable;
use sea_orm::{
    ActiveValue::Set, ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, PaginatorTrait, QueryFilter,
    QueryOrder, QuerySelect, TryInsertResult, sea_query::LockType,
};

use crate::{
    StoreError,
    db::{
        Tx,
        value::{json_column, to_json_column},
    },
    entity::context_field,
    strategies::uses,
    visibility::not_hidden,
};

/// Selection of fields by their owner. Names are unique among all of them.
#[derive(Debug, Clone, Copy)]
pub enum Which<'a> {
    /// Fields of the whole instance.
    Global,
    /// Fields of a project.
    Of(&'a str),
    /// Fields that features of a project may use: its own and those of the whole instance.
    UsableIn(&'a str),
    /// Fields of the whole instance, and of every visible project.
    VisibleTo(&'a Visibility),
}

impl<'a> Which<'a> {
    /// Fields of a project, or of the whole instance without one.
    pub const fn belonging_to(project: Option<&'a str>) -> Self {
        match project {
            Some(project) => Self::Of(project),
            None => Self::Global,
        }
    }

    /// Fields usable by things of a project, or by things of the whole instance without one.
    pub const fn usable_in(project: Option<&'a str>) -> Self {
        match project {
            Some(project) => Self::UsableIn(project),
            None => Self::Global,
        }
    }

    fn condition(self) -> Condition {
        use context_field::Column::Project;
        let global_or = |other: Condition| Condition::any().add(Project.is_null()).add(other);
        match self {
            Self::Global => Condition::all().add(Project.is_null()),
            Self::Of(project) => Condition::all().add(Project.eq(project)),
            Self::UsableIn(project) => global_or(Condition::all().add(Project.eq(project))),
            Self::VisibleTo(visibility) => global_or(not_hidden(Project.into_expr(), visibility)),
        }
    }
}

/// The fields that features of a project may use, each with the values that constraints may name; and the names of
/// those of other projects.
pub async fn around(db: &impl ConnectionTrait, project: &str) -> Result<(LegalValues, HashSet<String>), StoreError> {
    let rows = context_field::Entity::find().all(db).await?;
    let is_usable = |row: &context_field::Model| row.project.as_ref().is_none_or(|owner| owner == project);
    let (usable, others): (Vec<_>, Vec<_>) = rows.into_iter().partition(is_usable);
    Ok((collect(usable)?, others.into_iter().map(|row| row.name).collect()))
}

/// Returns the legal values of one of the fields, without an entry if there is none of the name among them.
pub async fn legal_values_of(
    db: &impl ConnectionTrait,
    which: Which<'_>,
    name: &str,
) -> Result<LegalValues, StoreError> {
    collect(context_field::Entity::find_by_id(name).filter(which.condition()).all(db).await?)
}

/// Returns the legal values of the fields with these names, which neither go nor change before the transaction ends.
pub async fn hold_legal_values(
    tx: &Tx,
    which: Which<'_>,
    names: impl Iterator<Item = &str>,
) -> Result<LegalValues, StoreError> {
    let names: BTreeSet<&str> = names.collect();
    if names.is_empty() {
        return Ok(LegalValues::new());
    }
    let rows = context_field::Entity::find().filter(context_field::Column::Name.is_in(names)).filter(which.condition());
    collect(rows.order_by_asc(context_field::Column::Name).lock(LockType::Share).all(tx).await?)
}

/// Whether rollouts can stick to one of the fields, which stays until the transaction ends.
pub async fn allows_stickiness(tx: &Tx, which: Which<'_>, name: &str) -> Result<bool, StoreError> {
    let row = context_field::Entity::find_by_id(name).filter(which.condition()).lock(LockType::Share).one(tx).await?;
    Ok(row.is_some_and(|row| row.stickiness))
}

/// Names of the fields that belong to a project.
pub async fn names_of(db: &impl ConnectionTrait, project: &str) -> Result<HashSet<String>, StoreError> {
    let names = context_field::Entity::find()
        .select_only()
        .column(context_field::Column::Name)
        .filter(Which::Of(project).condition());
    Ok(names.into_tuple::<String>().all(db).await?.into_iter().collect())
}

fn collect(rows: Vec<context_field::Model>) -> Result<LegalValues, StoreError> {
    let mut fields = LegalValues::new();
    for row in rows {
        let legal: Vec<LegalValue> = json_column("context_field.legal_values", &row.legal_values)?;
        fields.insert(row.name, legal.into_iter().map(|legal| legal.value).collect());
    }
    Ok(fields)
}

/// The fields, by name, with the numbers of visible features and projects that use them. Of a project's field, only
/// uses in that project count.
pub async fn list(
    db: &impl ConnectionTrait,
    which: Which<'_>,
    visibility: &Visibility,
) -> Result<Vec<ContextField>, StoreError> {
    let rows = context_field::Entity::find()
        .filter(which.condition())
        .order_by_asc(context_field::Column::Name)
        .all(db)
        .await?;
    let uses = uses::of_context_fields(db, visibility).await?;
    let fields = rows.into_iter().map(|row| {
        let count = uses.count(&row.name, row.project.as_deref());
        let field = field(row)?;
        Ok(ContextField {
            used_in_features: Some(Nullable(Some(count.features))),
            used_in_projects: Some(Nullable(Some(count.projects))),
            ..field
        })
    });
    Ok(fields.collect::<Result<_, DbErr>>()?)
}

/// The fields that belong to a project, by name, without the numbers of their uses.
pub async fn of_project(db: &impl ConnectionTrait, project: &str) -> Result<Vec<ContextField>, StoreError> {
    let rows = context_field::Entity::find().filter(Which::Of(project).condition());
    let rows = rows.order_by_asc(context_field::Column::Name).all(db).await?;
    Ok(rows.into_iter().map(field).collect::<Result<_, DbErr>>()?)
}

/// Returns the field with this name, without the numbers of its uses.
pub async fn find(db: &impl ConnectionTrait, which: Which<'_>, name: &str) -> Result<Option<ContextField>, StoreError> {
    let row = context_field::Entity::find_by_id(name).filter(which.condition()).one(db).await?;
    Ok(row.map(field).transpose()?)
}

/// Returns the field with this name, locked until the transaction ends, without the numbers of its uses.
pub async fn hold(tx: &Tx, which: Which<'_>, name: &str) -> Result<Option<ContextField>, StoreError> {
    let row = context_field::Entity::find_by_id(name).filter(which.condition()).lock(LockType::Update).one(tx).await?;
    Ok(row.map(field).transpose()?)
}

/// Whether a field has this name, in any project or in the whole instance.
pub async fn exists(db: &impl ConnectionTrait, name: &str) -> Result<bool, StoreError> {
    Ok(context_field::Entity::find_by_id(name).count(db).await? > 0)
}

/// Makes a field. Returns whether the name was free.
pub async fn insert(tx: &Tx, new: &ContextField, now: Timestamp) -> Result<bool, StoreError> {
    let row = context_field::ActiveModel {
        name: Set(new.name.clone()),
        created_at: Set(now),
        project: Set(new.owner().map(str::to_owned)),
        ..settings(new)
    };
    let inserted = context_field::Entity::insert(row).on_conflict_do_nothing().exec_without_returning(tx).await?;
    Ok(matches!(inserted, TryInsertResult::Inserted(1)))
}

/// Updates a field to `after`. Name and project stay.
pub async fn save(tx: &Tx, after: &ContextField) -> Result<(), StoreError> {
    context_field::Entity::update_many()
        .set(settings(after))
        .filter(context_field::Column::Name.eq(&after.name))
        .exec(tx)
        .await?;
    Ok(())
}

/// Removes a field. Constraints that name it stay.
pub async fn delete(tx: &Tx, name: &str) -> Result<(), StoreError> {
    context_field::Entity::delete_by_id(name).exec(tx).await?;
    Ok(())
}

fn settings(field: &ContextField) -> context_field::ActiveModel {
    context_field::ActiveModel {
        description: Set(field.description.clone().and_then(Nullable::into_inner)),
        stickiness: Set(field.stickiness.unwrap_or_default()),
        sort_order: Set(field.sort_order.unwrap_or(DEFAULT_SORT_ORDER)),
        legal_values: Set(to_json_column(&field.legal())),
        ..Default::default()
    }
}

fn field(row: context_field::Model) -> Result<ContextField, DbErr> {
    Ok(ContextField {
        legal_values: Some(json_column("context_field.legal_values", &row.legal_values)?),
        name: row.name,
        description: Some(Nullable(row.description)),
        stickiness: Some(row.stickiness),
        sort_order: Some(row.sort_order),
        created_at: Some(Nullable(Some(row.created_at))),
        used_in_features: None,
        used_in_projects: None,
        project: row.project.map(|project| Nullable(Some(project))),
    })
}
