//! Memberships that follow a login provider's groups.

use std::collections::BTreeMap;

use flagstone_domain::{
    group_sync::{BY_PROVIDER, MappedGroup, Membership},
    sign_in::ProviderKey,
    time::Timestamp,
};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, Condition, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, sea_query::Expr,
};

use crate::{
    StoreError,
    db::{Tx, batches::ASKED_AT_ONCE, value::json_column},
    entity::{user_group, user_group_member},
    groups, scim,
    sign_in::identities,
};

/// Every group, with the membership of a user, if one is given, as a login provider finds it; by id. Without those that a
/// directory keeps at the moment: it alone says who is in them.
pub async fn mapped_groups(
    db: &impl ConnectionTrait,
    user_id: Option<i64>,
    provider: &ProviderKey,
) -> Result<Vec<MappedGroup>, StoreError> {
    let mut groups = user_group::Entity::find().order_by_asc(user_group::Column::Id).all(db).await?;
    if scim::is_on(db).await? {
        groups.retain(|group| !group.is_scim);
    }
    let mut memberships = BTreeMap::new();
    if let Some(user_id) = user_id {
        let own = identities::list(db, user_id).await?;
        let of_user: Vec<ProviderKey> = own.into_iter().map(|identity| identity.subject.provider).collect();
        let own = user_group_member::Entity::find().filter(user_group_member::Column::UserId.eq(user_id));
        for row in own.all(db).await? {
            let giver = row.source_provider.as_deref().and_then(ProviderKey::parse);
            let membership = if row.source.as_deref() == Some(BY_PROVIDER) {
                Membership::given_by(giver.as_ref(), provider, &of_user)
            } else {
                Membership::ByHand
            };
            memberships.insert(row.group_id, membership);
        }
    }
    let of_row = |row: user_group::Model| {
        Ok(MappedGroup {
            membership: memberships.get(&row.id).copied().unwrap_or(Membership::None),
            mappings: json_column("mappings_sso", &row.mappings_sso)?,
            id: row.id,
            name: row.name,
        })
    };
    groups.into_iter().map(of_row).collect()
}

/// Adds a user to a group for a login provider. Returns whether they were not in it yet.
pub async fn join(
    tx: &Tx,
    group_id: i64,
    user_id: i64,
    provider: &ProviderKey,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let row = user_group_member::ActiveModel {
        group_id: Set(group_id),
        user_id: Set(user_id),
        created_at: Set(now),
        source: Set(Some(BY_PROVIDER.to_owned())),
        source_provider: Set(Some(provider.to_string())),
        ..Default::default()
    };
    let joined = user_group_member::Entity::insert(row).on_conflict_do_nothing().exec_without_returning(tx).await?;
    let has_joined = matches!(joined, sea_orm::TryInsertResult::Inserted(rows) if rows > 0);
    if has_joined {
        groups::note_changed(tx, Condition::all().add(user_group::Column::Id.eq(group_id)), now).await?;
    }
    Ok(has_joined)
}

/// Records a login provider as the giver of memberships of a user that one gave.
pub async fn claim(tx: &Tx, groups: &[i64], user_id: i64, provider: &ProviderKey) -> Result<(), StoreError> {
    for batch in groups.chunks(ASKED_AT_ONCE) {
        user_group_member::Entity::update_many()
            .col_expr(user_group_member::Column::SourceProvider, Expr::value(provider.to_string()))
            .filter(user_group_member::Column::UserId.eq(user_id))
            .filter(user_group_member::Column::GroupId.is_in(batch.iter().copied()))
            .filter(user_group_member::Column::Source.eq(BY_PROVIDER))
            .exec(tx)
            .await?;
    }
    Ok(())
}

/// Removes a user from a group that a login provider had put them into. Returns when they had joined, or `None` if they
/// are still in it, through a nested group, or were not put there.
pub async fn leave(tx: &Tx, group_id: i64, user_id: i64, now: Timestamp) -> Result<Option<Timestamp>, StoreError> {
    let row = user_group_member::Entity::find_by_id((group_id, user_id))
        .filter(user_group_member::Column::Source.eq(BY_PROVIDER))
        .one(tx)
        .await?;
    let Some(row) = row else { return Ok(None) };
    user_group_member::Entity::delete_by_id((group_id, user_id)).exec(tx).await?;
    let group = groups::nesting::heads(tx, &[group_id]).await?.pop();
    let directory_id = group.and_then(|group| group.directory_id);
    let (still_in, ..) = groups::nesting::derive(tx, group_id, directory_id, now).await?;
    groups::note_changed(tx, Condition::all().add(user_group::Column::Id.eq(group_id)), now).await?;
    Ok((!still_in.contains(&user_id)).then_some(row.created_at))
}
