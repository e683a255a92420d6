//! Groups of people.

pub mod nesting;

use std::collections::{BTreeMap, BTreeSet};

use flagstone_domain::{
    account_powers::Origin,
    group::{GroupDocument, differences},
    scim::KeptGroup,
    time::Timestamp,
};
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, Condition, ConnectionTrait, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder, QuerySelect,
    sea_query::{Expr, LockType, Query},
};

use crate::{
    StoreError,
    access::people::{Account, is_account},
    db::{
        Tx,
        batches::{ASKED_AT_ONCE, WRITTEN_AT_ONCE},
        value::{json_column, to_json_column},
    },
    entity::{app_user, project, project_group_role, user_group, user_group_member},
};

/// Content of a group to store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupContent {
    /// Unique name.
    pub name: String,
    /// Purpose of the group.
    pub description: Option<String>,
    /// Names of groups of the login provider that are mapped to this one.
    pub mappings_sso: Vec<String>,
    /// Id of a root role that every member has in addition.
    pub root_role: Option<i64>,
    /// Ids of the direct members, sorted, each once.
    pub users: Vec<i64>,
    /// Ids of the groups that are nested in it, sorted, each once.
    pub nested_groups: Vec<i64>,
    /// Attributes of the directory, if one keeps it.
    pub kept: Option<KeptGroup>,
    /// Way in which it came to a directory.
    pub origin: Option<Origin>,
    /// Id of the directory that it belongs to; `None` for the default one, and for none.
    pub directory_id: Option<i64>,
}

impl GroupContent {
    /// Returns the content in a group's document.
    pub fn of(document: &GroupDocument) -> Self {
        Self {
            name: document.name.clone(),
            description: document.description.clone(),
            mappings_sso: document.mappings_sso.clone(),
            root_role: document.root_role,
            users: document.direct_users(),
            nested_groups: document.nested_groups.clone(),
            kept: document.scim.clone(),
            origin: document.origin,
            directory_id: document.scim_directory,
        }
    }
}

/// A group with its people.
#[derive(Debug, Clone)]
pub struct Group {
    /// Properties of the group in events.
    pub document: GroupDocument,
    /// The people in it, directly or through nested groups, by id, with the times at which they joined.
    pub members: Vec<(Account, Timestamp)>,
    /// Ids and names of the groups that are nested in it, by id.
    pub nested_groups: Vec<(i64, String)>,
    /// Ids of the projects where it holds a role, sorted; archived ones are left out.
    pub projects: Vec<String>,
}

/// Every group, by name.
pub async fn list(db: &impl ConnectionTrait) -> Result<Vec<Group>, StoreError> {
    load(db, None).await
}

/// The group with this id.
pub async fn find(db: &impl ConnectionTrait, id: i64) -> Result<Option<Group>, StoreError> {
    Ok(load(db, Some(&[id])).await?.pop())
}

/// The groups with these ids.
pub(crate) async fn list_some(db: &impl ConnectionTrait, ids: &[i64]) -> Result<Vec<Group>, StoreError> {
    let mut groups = Vec::with_capacity(ids.len());
    for batch in ids.chunks(ASKED_AT_ONCE) {
        groups.extend(load(db, Some(batch)).await?);
    }
    Ok(groups)
}

async fn load(db: &impl ConnectionTrait, only: Option<&[i64]>) -> Result<Vec<Group>, StoreError> {
    let mut groups = user_group::Entity::find();
    let mut members = user_group_member::Entity::find();
    let mut member_ids = Query::select();
    member_ids.column(user_group_member::Column::UserId).from(user_group_member::Entity);
    let mut projects = project_group_role::Entity::find().filter(
        project_group_role::Column::Project.not_in_subquery(
            Query::select()
                .column(project::Column::Id)
                .from(project::Entity)
                .and_where(project::Column::ArchivedAt.is_not_null())
                .to_owned(),
        ),
    );
    if let Some(ids) = only {
        let ids = || ids.iter().copied();
        groups = groups.filter(user_group::Column::Id.is_in(ids()));
        members = members.filter(user_group_member::Column::GroupId.is_in(ids()));
        member_ids.and_where(user_group_member::Column::GroupId.is_in(ids()));
        projects = projects.filter(project_group_role::Column::GroupId.is_in(ids()));
    }
    let groups = groups.order_by_asc(user_group::Column::Id).all(db).await?;
    let people = app_user::Entity::find()
        .filter(app_user::Column::DeletedAt.is_null())
        .filter(app_user::Column::Id.in_subquery(member_ids));
    let people: BTreeMap<i64, Account> =
        people.all(db).await?.into_iter().map(|row| (row.id, Account::from(row))).collect();
    let mut members_of: BTreeMap<i64, Vec<(Account, Timestamp)>> = BTreeMap::new();
    let mut nested_users_of: BTreeMap<i64, Vec<i64>> = BTreeMap::new();
    for row in members.order_by_asc(user_group_member::Column::UserId).all(db).await? {
        if let Some(person) = people.get(&row.user_id) {
            members_of.entry(row.group_id).or_default().push((person.clone(), row.created_at));
            if !row.is_direct {
                nested_users_of.entry(row.group_id).or_default().push(row.user_id);
            }
        }
    }
    let mut projects_of: BTreeMap<i64, BTreeSet<String>> = BTreeMap::new();
    for row in projects.all(db).await? {
        projects_of.entry(row.group_id).or_default().insert(row.project);
    }
    let mut inner_of = nesting::inner_of(db, only).await?;
    let mut found = Vec::with_capacity(groups.len());
    for row in groups {
        let members = members_of.remove(&row.id).unwrap_or_default();
        let projects = projects_of.remove(&row.id).unwrap_or_default().into_iter().collect();
        let nested_groups = inner_of.remove(&row.id).unwrap_or_default();
        let people = People {
            users: members.iter().map(|(person, _)| person.id).collect(),
            nested_users: nested_users_of.remove(&row.id).unwrap_or_default(),
            nested_groups: nested_groups.iter().map(|(id, _)| *id).collect(),
        };
        found.push(Group { document: document(row, people)?, members, nested_groups, projects });
    }
    // Here and not in the statement, because databases differ in how they sort text.
    found.sort_by(|one, other| one.document.name.cmp(&other.document.name));
    Ok(found)
}

/// Ids of the people in a group, of those of them who are only in nested groups, and of these groups.
struct People {
    users: Vec<i64>,
    nested_users: Vec<i64>,
    nested_groups: Vec<i64>,
}

fn document(row: user_group::Model, people: People) -> Result<GroupDocument, StoreError> {
    Ok(GroupDocument {
        id: row.id,
        name: row.name,
        description: row.description,
        mappings_sso: json_column("mappings_sso", &row.mappings_sso)?,
        root_role: row.root_role_id,
        created_by: row.created_by,
        created_at: row.created_at,
        users: people.users,
        nested_users: people.nested_users,
        nested_groups: people.nested_groups,
        scim: row.is_scim.then_some(KeptGroup { external_id: row.scim_external_id }),
        scim_linked: (row.scim_origin.as_deref() == Some(Origin::Linked.as_str())).then_some(true),
        scim_directory: row.scim_directory_id,
        origin: row.scim_origin.as_deref().map(Origin::parse),
    })
}

/// Returns a group, locked until the transaction ends.
pub async fn hold(tx: &Tx, id: i64) -> Result<Option<GroupDocument>, StoreError> {
    let held = user_group::Entity::find_by_id(id).lock(LockType::Update).one(tx).await?;
    match held {
        Some(_) => Ok(find(tx, id).await?.map(|group| group.document)),
        None => Ok(None),
    }
}

/// Whether there is a group with this id.
pub async fn exists(db: &impl ConnectionTrait, id: i64) -> Result<bool, StoreError> {
    Ok(user_group::Entity::find_by_id(id).count(db).await? > 0)
}

/// Whether a group holds a role in any project, archived ones included: they can be revived.
pub async fn holds_project_role(db: &impl ConnectionTrait, id: i64) -> Result<bool, StoreError> {
    let held = project_group_role::Entity::find().filter(project_group_role::Column::GroupId.eq(id));
    Ok(held.count(db).await? > 0)
}

/// Id of the group with this name.
pub async fn find_named(db: &impl ConnectionTrait, name: &str) -> Result<Option<i64>, StoreError> {
    let row = user_group::Entity::find().filter(user_group::Column::Name.eq(name)).one(db).await?;
    Ok(row.map(|row| row.id))
}

/// Makes a group and returns its id.
pub async fn insert(tx: &Tx, content: &GroupContent, created_by: &str, now: Timestamp) -> Result<i64, StoreError> {
    let row = user_group::ActiveModel {
        name: Set(content.name.clone()),
        description: Set(content.description.clone()),
        mappings_sso: Set(to_json_column(&content.mappings_sso)),
        root_role_id: Set(content.root_role),
        created_at: Set(now),
        created_by: Set(Some(created_by.to_owned())),
        is_scim: Set(content.kept.is_some()),
        scim_external_id: Set(content.kept.as_ref().and_then(|kept| kept.external_id.clone())),
        scim_origin: Set(content.origin.map(|origin| origin.as_str().to_owned())),
        scim_directory_id: Set(content.directory_id),
        ..Default::default()
    };
    let id = user_group::Entity::insert(row).exec_with_returning(tx).await?.id;
    join(tx, id, &content.users, now).await?;
    if !content.nested_groups.is_empty() {
        nesting::put(tx, id, &[], &content.nested_groups).await?;
        nesting::derive(tx, id, content.directory_id, now).await?;
    }
    Ok(id)
}

/// Updates a group to `content`; those who stay keep the time at which they joined.
pub async fn save(tx: &Tx, old: &GroupDocument, content: &GroupContent, now: Timestamp) -> Result<(), StoreError> {
    let row = user_group::ActiveModel {
        id: Set(old.id),
        name: Set(content.name.clone()),
        description: Set(content.description.clone()),
        mappings_sso: Set(to_json_column(&content.mappings_sso)),
        root_role_id: Set(content.root_role),
        is_scim: Set(content.kept.is_some()),
        scim_external_id: Set(content.kept.as_ref().and_then(|kept| kept.external_id.clone())),
        changed_at: Set(Some(now)),
        scim_origin: Set(content.origin.map(|origin| origin.as_str().to_owned())),
        scim_directory_id: Set(content.directory_id),
        ..Default::default()
    };
    user_group::Entity::update(row).exec(tx).await?;
    let (gone, new) = differences(&old.direct_users(), &content.users);
    if !old.nested_groups.is_empty() || !content.nested_groups.is_empty() {
        return save_nested(tx, old, content, (&gone, &new), now).await;
    }
    for batch in gone.chunks(ASKED_AT_ONCE) {
        user_group_member::Entity::delete_many()
            .filter(user_group_member::Column::GroupId.eq(old.id))
            .filter(user_group_member::Column::UserId.is_in(batch.iter().copied()))
            .exec(tx)
            .await?;
    }
    join(tx, old.id, &new, now).await
}

/// Updates the direct members of a group that has nested groups, or had some, and the people who are in it through
/// them. Whoever is no longer a direct member may still be in a nested group, and the other way round.
async fn save_nested(
    tx: &Tx,
    old: &GroupDocument,
    content: &GroupContent,
    (gone, new): (&[i64], &[i64]),
    now: Timestamp,
) -> Result<(), StoreError> {
    nesting::set_direct(tx, old.id, gone, false).await?;
    join(tx, old.id, new, now).await?;
    nesting::set_direct(tx, old.id, new, true).await?;
    let (outside, inside) = differences(&old.nested_groups, &content.nested_groups);
    nesting::put(tx, old.id, &outside, &inside).await?;
    nesting::derive(tx, old.id, content.directory_id, now).await?;
    Ok(())
}

async fn join(tx: &Tx, group_id: i64, users: &[i64], now: Timestamp) -> Result<(), StoreError> {
    for batch in users.chunks(WRITTEN_AT_ONCE) {
        let rows = batch.iter().map(|user_id| user_group_member::ActiveModel {
            group_id: Set(group_id),
            user_id: Set(*user_id),
            created_at: Set(now),
            ..Default::default()
        });
        // A user who was deleted may still be on the list.
        user_group_member::Entity::insert_many(rows).on_conflict_do_nothing().exec_without_returning(tx).await?;
    }
    Ok(())
}

/// The groups that these users are in.
pub(crate) fn of_users(ids: &[i64]) -> Condition {
    let groups = Query::select()
        .column(user_group_member::Column::GroupId)
        .from(user_group_member::Entity)
        .and_where(user_group_member::Column::UserId.is_in(ids.iter().copied()))
        .to_owned();
    Condition::all().add(user_group::Column::Id.in_subquery(groups))
}

/// Notes that the members of groups changed.
pub(crate) async fn note_changed(tx: &Tx, which: Condition, now: Timestamp) -> Result<(), StoreError> {
    user_group::Entity::update_many()
        .col_expr(user_group::Column::ChangedAt, Expr::value(now))
        .filter(which)
        .exec(tx)
        .await?;
    Ok(())
}

/// Removes groups with their memberships and their roles in projects.
pub async fn delete(tx: &Tx, ids: &[i64]) -> Result<(), StoreError> {
    for batch in ids.chunks(ASKED_AT_ONCE) {
        let these = user_group::Column::Id.is_in(batch.iter().copied());
        user_group::Entity::delete_many().filter(these).exec(tx).await?;
    }
    Ok(())
}

/// The first of these ids that is neither a person's nor a program's.
pub async fn find_stranger(db: &impl ConnectionTrait, ids: &[i64]) -> Result<Option<i64>, StoreError> {
    let mut known = BTreeSet::new();
    for batch in ids.chunks(ASKED_AT_ONCE) {
        let people: Vec<i64> = app_user::Entity::find()
            .select_only()
            .column(app_user::Column::Id)
            .filter(is_account())
            .filter(app_user::Column::Id.is_in(batch.iter().copied()))
            .into_tuple()
            .all(db)
            .await?;
        known.extend(people);
    }
    Ok(ids.iter().find(|id| !known.contains(id)).copied())
}

/// The email of a person, if there is one.
pub async fn email_of(db: &impl ConnectionTrait, user_id: i64) -> Result<Option<String>, StoreError> {
    Ok(app_user::Entity::find_by_id(user_id).one(db).await?.and_then(|row| row.email))
}
