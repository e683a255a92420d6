//! Context fields.

use std::collections::BTreeSet;

use sea_orm::{
    ActiveValue::Set, ColumnTrait, ConnectionTrait, DbErr, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder,
    QuerySelect, TryInsertResult, sea_query::LockType,
};

use crate::{
    domain::{
        constraint::LegalValues,
        context_field::{ContextField, DEFAULT_SORT_ORDER, LegalValue},
        time::Timestamp,
        visibility::Visibility,
    },
    store::{
        StoreError,
        db::{
            Tx,
            value::{json_column, to_json_column},
        },
        entity::context_field,
        strategies::uses,
    },
    wire::Nullable,
};

/// The fields that exist, each with the values that constraints may name.
pub async fn legal_values(db: &impl ConnectionTrait) -> Result<LegalValues, StoreError> {
    collect(context_field::Entity::find().all(db).await?)
}

/// Returns the legal values of one field, without an entry if it does not exist.
pub async fn legal_values_of(db: &impl ConnectionTrait, name: &str) -> Result<LegalValues, StoreError> {
    collect(context_field::Entity::find_by_id(name).all(db).await?)
}

/// The same of those of these names that exist, which neither go nor change before the transaction ends.
pub async fn hold_legal_values(tx: &Tx, names: impl Iterator<Item = &str>) -> Result<LegalValues, StoreError> {
    let names: BTreeSet<&str> = names.collect();
    if names.is_empty() {
        return Ok(LegalValues::new());
    }
    let rows = context_field::Entity::find().filter(context_field::Column::Name.is_in(names));
    collect(rows.order_by_asc(context_field::Column::Name).lock(LockType::Share).all(tx).await?)
}

fn collect(rows: Vec<context_field::Model>) -> Result<LegalValues, StoreError> {
    let mut fields = LegalValues::new();
    for row in rows {
        let legal: Vec<LegalValue> = json_column("context_field.legal_values", &row.legal_values)?;
        fields.insert(row.name, legal.into_iter().map(|legal| legal.value).collect());
    }
    Ok(fields)
}

/// Every field, by name, with the numbers of features and projects that somebody may see and that use it.
pub async fn list(db: &impl ConnectionTrait, visibility: &Visibility) -> Result<Vec<ContextField>, StoreError> {
    let rows = context_field::Entity::find().order_by_asc(context_field::Column::Name).all(db).await?;
    let uses = uses::of_context_fields(db, visibility).await?;
    let fields = rows.into_iter().map(|row| {
        let count = uses.get(&row.name).copied().unwrap_or_default();
        let field = field(row)?;
        Ok(ContextField {
            used_in_features: Some(Nullable(Some(count.features))),
            used_in_projects: Some(Nullable(Some(count.projects))),
            ..field
        })
    });
    Ok(fields.collect::<Result<_, DbErr>>()?)
}

/// The field of this name, without the numbers of its uses.
pub async fn find(db: &impl ConnectionTrait, name: &str) -> Result<Option<ContextField>, StoreError> {
    let row = context_field::Entity::find_by_id(name).one(db).await?;
    Ok(row.map(field).transpose()?)
}

/// The same, held until the transaction ends.
pub async fn hold(tx: &Tx, name: &str) -> Result<Option<ContextField>, StoreError> {
    let row = context_field::Entity::find_by_id(name).lock(LockType::Update).one(tx).await?;
    Ok(row.map(field).transpose()?)
}

/// Whether a field of this name exists.
pub async fn exists(db: &impl ConnectionTrait, name: &str) -> Result<bool, StoreError> {
    Ok(context_field::Entity::find_by_id(name).count(db).await? > 0)
}

/// Makes a field. Tells whether the name was free.
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

/// Makes a field what `after` says. Name and project stay.
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
