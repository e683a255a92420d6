//! Users and groups as a directory asks for them.

mod columns;
pub mod directories;
mod matching;

use std::collections::BTreeMap;

use flagstone_domain::{
    group::GroupDocument,
    preference::Preference as _,
    scim::{KeptGroup, Listing, Provisioning, filter::Filter, group::MemberKind},
    time::Timestamp,
};
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder, QuerySelect, QueryTrait,
    sea_query::{Expr, Query},
};

use self::{
    columns::{GroupColumns, UserColumns, called},
    directories::is_of,
    matching::{matching, sorted},
};
use crate::{
    StoreError,
    access::people::{Account, people},
    db::Tx,
    entity::{app_user, user_group, user_group_member},
    groups::nesting,
    preferences,
};

/// A group without its members.
#[derive(Debug, Clone)]
pub struct GroupRow {
    /// Id of the group.
    pub id: i64,
    /// Its name.
    pub name: String,
    /// Attributes of the directory, if it keeps it.
    pub kept: Option<KeptGroup>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it last changed.
    pub changed_at: Option<Timestamp>,
}

/// A group of a user.
#[derive(Debug, Clone)]
pub struct Belonging {
    /// Id of the group.
    pub id: i64,
    /// Its name.
    pub name: String,
    /// Whether the user is a member themself, and not only one of a nested group.
    pub is_direct: bool,
}

/// A direct member of a group.
#[derive(Debug, Clone)]
pub struct Member {
    /// Id of the user or of the group.
    pub id: i64,
    /// Kind of the member.
    pub kind: MemberKind,
    /// Display name.
    pub name: Option<String>,
}

/// Part of a list, and how long the whole is.
#[derive(Debug)]
pub struct Part<T> {
    /// Length of the whole list.
    pub total: u64,
    /// The part.
    pub items: Vec<T>,
}

/// Whether SCIM is enabled.
pub async fn is_on(db: &impl ConnectionTrait) -> Result<bool, StoreError> {
    let settings: Option<Provisioning> = preferences::find(db, Provisioning::ID).await?;
    Ok(settings.is_some_and(|settings| settings.enabled))
}

/// A page of the users that a directory asks for. Those of other directories are left out.
pub async fn users(
    db: &impl ConnectionTrait,
    directory: Option<i64>,
    listing: &Listing,
) -> Result<Part<Account>, StoreError> {
    let columns = UserColumns { backend: db.get_database_backend(), directory };
    let own = is_of(app_user::Column::ScimDirectoryId, directory);
    let found = people().filter(own).filter(matching(listing.filter.as_ref(), &columns));
    let total = found.clone().count(db).await?;
    let page = sorted(found, listing.sorting, &columns, app_user::Column::Id);
    let page = page.offset(listing.skipped).limit(listing.most);
    let rows = if listing.most == 0 { Vec::new() } else { page.all(db).await? };
    Ok(Part { total, items: rows.into_iter().map(Account::from).collect() })
}

/// Parses an id: ids here are numbers, another text is the id of no account.
pub fn id_of(text: &str) -> i64 {
    text.parse().unwrap_or(0)
}

/// Whether another user has this name.
pub async fn is_called_already(tx: &Tx, name: &str, except: Option<i64>) -> Result<bool, StoreError> {
    let others: Vec<i64> = app_user::Entity::find()
        .select_only()
        .column(app_user::Column::Id)
        .filter(app_user::Column::DeletedAt.is_null())
        .filter(called(name))
        .limit(2)
        .into_tuple()
        .all(tx)
        .await?;
    Ok(others.into_iter().any(|id| Some(id) != except))
}

/// The user whom the directory deleted and who is the same there: by the name and by the id there. Whom a person
/// deleted stays so.
pub async fn hold_deleted(
    tx: &Tx,
    directory: Option<i64>,
    user_name: &str,
    external_id: &str,
) -> Result<Option<Account>, StoreError> {
    let row = app_user::Entity::find()
        .filter(is_of(app_user::Column::ScimDirectoryId, directory))
        .filter(app_user::Column::ScimKey.eq(user_name.to_ascii_lowercase()))
        .filter(app_user::Column::ScimExternalId.eq(external_id))
        .filter(app_user::Column::DeletedAt.is_not_null())
        .filter(app_user::Column::EndedByDirectory.eq(true))
        .filter(app_user::Column::IsService.eq(false))
        .order_by_desc(app_user::Column::Id)
        .lock_exclusive()
        .one(tx)
        .await?;
    Ok(row.map(Account::from))
}

/// Takes back that a user was deleted, and returns them as they are now: without anything that was taken from them
/// then.
pub async fn revive(tx: &Tx, id: i64) -> Result<Option<Account>, StoreError> {
    app_user::Entity::update_many()
        .col_expr(app_user::Column::DeletedAt, Expr::value(None::<Timestamp>))
        .col_expr(app_user::Column::LoginAttempts, Expr::value(0))
        .filter(app_user::Column::Id.eq(id))
        .exec(tx)
        .await?;
    super::users::hold(tx, id).await
}

/// The groups of each of these users, by id. Those of other directories are left out.
pub async fn groups_of(
    db: &impl ConnectionTrait,
    directory: Option<i64>,
    users: &[i64],
) -> Result<BTreeMap<i64, Vec<Belonging>>, StoreError> {
    let rows: Vec<(i64, i64, bool)> = user_group_member::Entity::find()
        .select_only()
        .column(user_group_member::Column::UserId)
        .column(user_group_member::Column::GroupId)
        .column(user_group_member::Column::IsDirect)
        .filter(user_group_member::Column::UserId.is_in(users.iter().copied()))
        .order_by_asc(user_group_member::Column::GroupId)
        .into_tuple()
        .all(db)
        .await?;
    let names: Vec<(i64, String)> = user_group::Entity::find()
        .select_only()
        .column(user_group::Column::Id)
        .column(user_group::Column::Name)
        .filter(super::groups::of_users(users))
        .filter(is_of(user_group::Column::ScimDirectoryId, directory))
        .into_tuple()
        .all(db)
        .await?;
    let names: BTreeMap<i64, String> = names.into_iter().collect();
    let mut groups: BTreeMap<i64, Vec<Belonging>> = BTreeMap::new();
    for (user, group, is_direct) in rows {
        if let Some(name) = names.get(&group) {
            groups.entry(user).or_default().push(Belonging { id: group, name: name.clone(), is_direct });
        }
    }
    Ok(groups)
}

/// A page of the groups that a directory asks for. Those of other directories are left out.
pub async fn groups(
    db: &impl ConnectionTrait,
    directory: Option<i64>,
    listing: &Listing,
) -> Result<Part<GroupRow>, StoreError> {
    let columns = GroupColumns { backend: db.get_database_backend(), directory };
    let own = is_of(user_group::Column::ScimDirectoryId, directory);
    let found = user_group::Entity::find().filter(own).filter(matching(listing.filter.as_ref(), &columns));
    let total = found.clone().count(db).await?;
    let page = sorted(found, listing.sorting, &columns, user_group::Column::Id);
    let page = page.offset(listing.skipped).limit(listing.most);
    let rows = if listing.most == 0 { Vec::new() } else { page.all(db).await? };
    let group = |row: user_group::Model| GroupRow {
        id: row.id,
        name: row.name,
        kept: row.is_scim.then_some(KeptGroup { external_id: row.scim_external_id }),
        created_at: row.created_at,
        changed_at: row.changed_at,
    };
    Ok(Part { total, items: rows.into_iter().map(group).collect() })
}

/// The direct members of each of these groups: people by id, then groups by id. Programs and people of other
/// directories are left out: this one does not know of them.
pub async fn members_of(
    db: &impl ConnectionTrait,
    directory: Option<i64>,
    groups: &[i64],
) -> Result<BTreeMap<i64, Vec<Member>>, StoreError> {
    let memberships = user_group_member::Entity::find()
        .filter(user_group_member::Column::GroupId.is_in(groups.iter().copied()))
        .filter(user_group_member::Column::IsDirect.eq(true))
        .order_by_asc(user_group_member::Column::UserId);
    let ids = Query::select()
        .column(user_group_member::Column::UserId)
        .from(user_group_member::Entity)
        .and_where(user_group_member::Column::GroupId.is_in(groups.iter().copied()))
        .and_where(user_group_member::Column::IsDirect.eq(true))
        .to_owned();
    let own = is_of(app_user::Column::ScimDirectoryId, directory);
    let people = people().filter(own).filter(app_user::Column::Id.in_subquery(ids)).all(db).await?;
    let people: BTreeMap<i64, Option<String>> =
        people.into_iter().map(|row| (row.id, row.name.or(row.email).or(row.username))).collect();
    let mut members: BTreeMap<i64, Vec<Member>> = BTreeMap::new();
    for row in memberships.all(db).await? {
        if let Some(name) = people.get(&row.user_id) {
            let user = Member { id: row.user_id, kind: MemberKind::User, name: name.clone() };
            members.entry(row.group_id).or_default().push(user);
        }
    }
    for (outer, inner) in nesting::inner_of(db, Some(groups)).await? {
        let group = |(id, name)| Member { id, kind: MemberKind::Group, name: Some(name) };
        members.entry(outer).or_default().extend(inner.into_iter().map(group));
    }
    Ok(members)
}

/// A group with its direct members, if it has any.
pub async fn group(
    db: &impl ConnectionTrait,
    directory: Option<i64>,
    id: i64,
) -> Result<Option<(GroupRow, Option<Vec<Member>>)>, StoreError> {
    let filter = Some(Filter::of_id(&id.to_string()));
    let listing = Listing { filter, sorting: None, skipped: 0, most: 1 };
    let Some(group) = groups(db, directory, &listing).await?.items.pop() else { return Ok(None) };
    let members = members_of(db, directory, &[id]).await?.remove(&id);
    Ok(Some((group, members)))
}

/// Returns the users whom a directory keeps, but for the one with the id `except`: those with the lowest ids, at most
/// `most`, locked until the transaction ends.
pub async fn hold_kept_users(tx: &Tx, except: Option<i64>, most: u64) -> Result<Vec<Account>, StoreError> {
    let rows = people()
        .filter(app_user::Column::ScimKey.is_not_null())
        .apply_if(except, |kept, id| kept.filter(app_user::Column::Id.ne(id)))
        .order_by_asc(app_user::Column::Id)
        .limit(most)
        .lock_exclusive()
        .all(tx)
        .await?;
    Ok(rows.into_iter().map(Account::from).collect())
}

/// Returns the groups that a directory keeps: those with the lowest ids, at most `most`, locked until the transaction
/// ends.
pub async fn hold_kept_groups(tx: &Tx, most: u64) -> Result<Vec<GroupDocument>, StoreError> {
    let held = user_group::Entity::find()
        .filter(user_group::Column::IsScim.eq(true))
        .order_by_asc(user_group::Column::Id)
        .limit(most)
        .lock_exclusive()
        .all(tx)
        .await?;
    let ids: Vec<i64> = held.into_iter().map(|row| row.id).collect();
    let groups = super::groups::list_some(tx, &ids).await?;
    let mut documents: Vec<GroupDocument> = groups.into_iter().map(|group| group.document).collect();
    documents.sort_unstable_by_key(|group| group.id);
    Ok(documents)
}

/// Makes all memberships of a group the directory's: signing in removes none of them.
pub async fn take_over_members(tx: &Tx, group_id: i64) -> Result<(), StoreError> {
    user_group_member::Entity::update_many()
        .col_expr(user_group_member::Column::Source, Expr::value(None::<String>))
        .col_expr(user_group_member::Column::SourceProvider, Expr::value(None::<String>))
        .filter(user_group_member::Column::GroupId.eq(group_id))
        .filter(user_group_member::Column::Source.is_not_null())
        .exec(tx)
        .await?;
    Ok(())
}
