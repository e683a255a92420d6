//! Groups that are members of groups, and the people who are in a group through them.
//!
//! Whoever is in a group through a nested one has a row of their own among its members, so that permissions are read as
//! if groups were not nested. The rows are brought up to date by the transaction that changes what they follow from.

use std::collections::{BTreeMap, BTreeSet};

use flagstone_domain::{account_powers::Origin, group::GroupDocument, scim::MOST_LEVELS, time::Timestamp};
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, Condition, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect, QueryTrait,
    sea_query::{Expr, Query},
};

use crate::{
    StoreError,
    access::people::people,
    db::{
        Tx,
        batches::{ASKED_AT_ONCE, WRITTEN_AT_ONCE},
    },
    entity::{app_user, nested_group, user_group, user_group_member},
    groups::note_changed,
    scim::directories::is_of,
};

/// A group without its members.
#[derive(Debug, Clone)]
pub struct GroupHead {
    /// Id of the group.
    pub id: i64,
    /// Its name.
    pub name: String,
    /// Whether it has a root role.
    pub has_root_role: bool,
    /// Whether a directory keeps it.
    pub is_kept: bool,
    /// Way in which it came to a directory.
    pub origin: Option<Origin>,
    /// Id of the directory that it belongs to; `None` for the default one, and for none.
    pub directory_id: Option<i64>,
}

impl GroupHead {
    /// Head of a group as events hold it.
    pub fn of(document: &GroupDocument) -> Self {
        Self {
            id: document.id,
            name: document.name.clone(),
            has_root_role: document.root_role.is_some(),
            is_kept: document.scim.is_some(),
            origin: document.origin,
            directory_id: document.scim_directory,
        }
    }
}

/// A group whose people changed with those of a nested one.
#[derive(Debug)]
pub struct Reached {
    /// The group.
    pub group: GroupHead,
    /// Ids of the people who joined, sorted.
    pub joined: Vec<i64>,
    /// Ids of the people who left, sorted.
    pub left: Vec<i64>,
    /// Number of people who are in it now.
    pub people: usize,
}

/// Direction of a walk along nested groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// To the groups in which a group is nested.
    Outward,
    /// To the groups that are nested in a group.
    Inward,
}

/// The groups with these ids, by id; without those that do not exist.
pub async fn heads(db: &impl ConnectionTrait, ids: &[i64]) -> Result<Vec<GroupHead>, StoreError> {
    let mut heads = Vec::with_capacity(ids.len());
    for batch in ids.chunks(ASKED_AT_ONCE) {
        let rows = user_group::Entity::find().filter(user_group::Column::Id.is_in(batch.iter().copied()));
        heads.extend(rows.all(db).await?.into_iter().map(|row| GroupHead {
            id: row.id,
            name: row.name,
            has_root_role: row.root_role_id.is_some(),
            is_kept: row.is_scim,
            origin: row.scim_origin.as_deref().map(Origin::parse),
            directory_id: row.scim_directory_id,
        }));
    }
    heads.sort_unstable_by_key(|head| head.id);
    Ok(heads)
}

/// Ids and names of the groups that are nested in each of these directly, by id; in all groups without `outer`.
pub(crate) async fn inner_of(
    db: &impl ConnectionTrait,
    outer: Option<&[i64]>,
) -> Result<BTreeMap<i64, Vec<(i64, String)>>, StoreError> {
    let mut links = nested_group::Entity::find().order_by_asc(nested_group::Column::InnerId);
    if let Some(outer) = outer {
        links = links.filter(nested_group::Column::OuterId.is_in(outer.iter().copied()));
    }
    let links = links.all(db).await?;
    let ids: BTreeSet<i64> = links.iter().map(|link| link.inner_id).collect();
    let ids: Vec<i64> = ids.into_iter().collect();
    let names: BTreeMap<i64, String> = heads(db, &ids).await?.into_iter().map(|head| (head.id, head.name)).collect();
    let mut inner: BTreeMap<i64, Vec<(i64, String)>> = BTreeMap::new();
    for link in links {
        if let Some(name) = names.get(&link.inner_id) {
            inner.entry(link.outer_id).or_default().push((link.inner_id, name.clone()));
        }
    }
    Ok(inner)
}

/// Ids of the groups one step away from any of these, sorted.
pub async fn next_to(db: &impl ConnectionTrait, ids: &[i64], direction: Direction) -> Result<Vec<i64>, StoreError> {
    let (from, to) = match direction {
        Direction::Outward => (nested_group::Column::InnerId, nested_group::Column::OuterId),
        Direction::Inward => (nested_group::Column::OuterId, nested_group::Column::InnerId),
    };
    let mut found = BTreeSet::new();
    for batch in ids.chunks(ASKED_AT_ONCE) {
        let there = nested_group::Entity::find().select_only().column(to).filter(from.is_in(batch.iter().copied()));
        found.extend(there.into_tuple::<i64>().all(db).await?);
    }
    Ok(found.into_iter().collect())
}

/// Ids of the groups in which those are nested that a user is in, sorted.
pub async fn around_user(db: &impl ConnectionTrait, user_id: i64) -> Result<Vec<i64>, StoreError> {
    let own: Vec<i64> = user_group_member::Entity::find()
        .select_only()
        .column(user_group_member::Column::GroupId)
        .filter(user_group_member::Column::UserId.eq(user_id))
        .into_tuple()
        .all(db)
        .await?;
    next_to(db, &own, Direction::Outward).await
}

/// Ids of these groups and of those that a walk from them comes to, with the length of the longest way to each. It ends
/// after as many steps as nested groups may have levels.
pub async fn reachable(
    db: &impl ConnectionTrait,
    starts: &[i64],
    direction: Direction,
) -> Result<BTreeMap<i64, usize>, StoreError> {
    let mut distances = BTreeMap::new();
    let mut level = starts.to_vec();
    for distance in 0..=MOST_LEVELS {
        if level.is_empty() {
            break;
        }
        distances.extend(level.iter().map(|id| (*id, distance)));
        level = next_to(db, &level, direction).await?;
    }
    Ok(distances)
}

/// Brings the members of these groups, and of all in which they are nested, in line with the groups that are nested in
/// them. Returns the groups whose people changed, inner ones first.
pub async fn bring_in_line(tx: &Tx, groups: &[i64], now: Timestamp) -> Result<Vec<Reached>, StoreError> {
    let distances = reachable(tx, groups, Direction::Outward).await?;
    let ids: Vec<i64> = distances.keys().copied().collect();
    let mut heads = heads(tx, &ids).await?;
    heads.sort_by_key(|head| distances.get(&head.id));
    let mut reached = Vec::new();
    for group in heads {
        let (joined, left, people) = derive(tx, group.id, group.directory_id, now).await?;
        if !joined.is_empty() || !left.is_empty() {
            reached.push(Reached { group, joined, left, people });
        }
    }
    Ok(reached)
}

/// Brings the members of a group of a directory in line with the groups that are nested in it. Returns the ids of the
/// people who joined and of those who left, sorted, and the number of people who are in it now.
pub(crate) async fn derive(
    tx: &Tx,
    id: i64,
    directory_id: Option<i64>,
    now: Timestamp,
) -> Result<(Vec<i64>, Vec<i64>, usize), StoreError> {
    let inner = Query::select()
        .column(nested_group::Column::InnerId)
        .from(nested_group::Entity)
        .and_where(nested_group::Column::OuterId.eq(id))
        .to_owned();
    // A directory puts no programs and nobody of another directory into groups, neither directly nor so.
    let own = is_of(app_user::Column::ScimDirectoryId, directory_id);
    let people = people().filter(own).select_only().column(app_user::Column::Id).into_query();
    let nested: Vec<i64> = user_group_member::Entity::find()
        .select_only()
        .column(user_group_member::Column::UserId)
        .distinct()
        .filter(user_group_member::Column::GroupId.in_subquery(inner))
        .filter(user_group_member::Column::UserId.in_subquery(people))
        .into_tuple()
        .all(tx)
        .await?;
    let nested: BTreeSet<i64> = nested.into_iter().collect();
    let stored: Vec<(i64, bool)> = user_group_member::Entity::find()
        .select_only()
        .column(user_group_member::Column::UserId)
        .column(user_group_member::Column::IsDirect)
        .filter(user_group_member::Column::GroupId.eq(id))
        .into_tuple()
        .all(tx)
        .await?;
    let stored: BTreeMap<i64, bool> = stored.into_iter().collect();
    let joined: Vec<i64> = nested.iter().filter(|user| !stored.contains_key(user)).copied().collect();
    let is_left = |(user, is_direct): &(&i64, &bool)| !**is_direct && !nested.contains(*user);
    let left: Vec<i64> = stored.iter().filter(is_left).map(|(user, _)| *user).collect();
    for batch in joined.chunks(WRITTEN_AT_ONCE) {
        let rows = batch.iter().map(|user| user_group_member::ActiveModel {
            group_id: Set(id),
            user_id: Set(*user),
            created_at: Set(now),
            is_direct: Set(false),
            ..Default::default()
        });
        user_group_member::Entity::insert_many(rows).exec_without_returning(tx).await?;
    }
    for batch in left.chunks(ASKED_AT_ONCE) {
        user_group_member::Entity::delete_many()
            .filter(user_group_member::Column::GroupId.eq(id))
            .filter(user_group_member::Column::UserId.is_in(batch.iter().copied()))
            .exec(tx)
            .await?;
    }
    let people = stored.len() + joined.len() - left.len();
    Ok((joined, left, people))
}

/// Nests groups in a group, and takes others out.
pub(super) async fn put(tx: &Tx, outer: i64, gone: &[i64], new: &[i64]) -> Result<(), StoreError> {
    for batch in gone.chunks(ASKED_AT_ONCE) {
        nested_group::Entity::delete_many()
            .filter(nested_group::Column::OuterId.eq(outer))
            .filter(nested_group::Column::InnerId.is_in(batch.iter().copied()))
            .exec(tx)
            .await?;
    }
    for batch in new.chunks(WRITTEN_AT_ONCE) {
        let rows = batch.iter().map(|inner| nested_group::ActiveModel { outer_id: Set(outer), inner_id: Set(*inner) });
        nested_group::Entity::insert_many(rows).exec_without_returning(tx).await?;
    }
    Ok(())
}

/// Takes a group out of all in which it is nested.
pub async fn take_out(tx: &Tx, inner: i64) -> Result<(), StoreError> {
    nested_group::Entity::delete_many().filter(nested_group::Column::InnerId.eq(inner)).exec(tx).await?;
    Ok(())
}

/// Marks the direct memberships of a user in the groups that a directory keeps as nested ones, which [`bring_in_line`] ends
/// where the user is in no nested group. Returns the ids of these groups, sorted.
pub async fn unmark_direct(
    tx: &Tx,
    user_id: i64,
    directory_id: Option<i64>,
    now: Timestamp,
) -> Result<Vec<i64>, StoreError> {
    let kept = user_group::Entity::find()
        .filter(user_group::Column::IsScim.eq(true))
        .filter(is_of(user_group::Column::ScimDirectoryId, directory_id));
    let kept = kept.select_only().column(user_group::Column::Id).into_query();
    let groups: Vec<i64> = user_group_member::Entity::find()
        .select_only()
        .column(user_group_member::Column::GroupId)
        .filter(user_group_member::Column::UserId.eq(user_id))
        .filter(user_group_member::Column::IsDirect.eq(true))
        .filter(user_group_member::Column::GroupId.in_subquery(kept))
        .order_by_asc(user_group_member::Column::GroupId)
        .into_tuple()
        .all(tx)
        .await?;
    for id in &groups {
        set_direct(tx, *id, &[user_id], false).await?;
        note_changed(tx, Condition::all().add(user_group::Column::Id.eq(*id)), now).await?;
    }
    Ok(groups)
}

/// Makes direct members of these people in a group, or takes that from them.
pub(super) async fn set_direct(tx: &Tx, group_id: i64, users: &[i64], is_direct: bool) -> Result<(), StoreError> {
    for batch in users.chunks(ASKED_AT_ONCE) {
        user_group_member::Entity::update_many()
            .col_expr(user_group_member::Column::IsDirect, Expr::value(is_direct))
            .col_expr(user_group_member::Column::Source, Expr::value(None::<String>))
            .col_expr(user_group_member::Column::SourceProvider, Expr::value(None::<String>))
            .filter(user_group_member::Column::GroupId.eq(group_id))
            .filter(user_group_member::Column::UserId.is_in(batch.iter().copied()))
            .exec(tx)
            .await?;
    }
    Ok(())
}
