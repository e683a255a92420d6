//! Second factors of users, whose secrets are encrypted, and recovery codes, of which digests are stored.

use std::collections::BTreeSet;

use flagstone_domain::{
    opaque_debug,
    second_factor::{Factor, Kind},
    time::Timestamp,
};
use flagstone_vault::Vault;
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, Condition, ConnectionTrait, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder, QuerySelect,
    sea_query::{Expr, ExprTrait, Query, SelectStatement},
};

use crate::{
    StoreError,
    db::Tx,
    entity::{recovery_code, second_factor, session},
};

/// A second factor as it is stored. Printing it does not show its secret.
#[derive(Clone)]
pub struct StoredFactor {
    /// Id of the factor.
    pub id: i64,
    /// Kind of the factor.
    pub kind: Kind,
    /// Its secret, sealed for [`place`].
    pub sealed: String,
    /// When its enrolment began.
    pub created_at: Timestamp,
    /// Since when it is in use; `None` while it is not confirmed.
    pub confirmed_at: Option<Timestamp>,
}

opaque_debug!(StoredFactor { id, .. });

/// Context that a secret is sealed for, so that the one of a user does not serve for another.
pub fn place(user_id: i64, kind: Kind) -> String {
    format!("second-factor.{}.{user_id}", kind.as_str())
}

/// The factor of a kind of which a user has one, confirmed or not.
pub async fn find(db: &impl ConnectionTrait, user_id: i64, kind: Kind) -> Result<Option<StoredFactor>, StoreError> {
    let of_kind = second_factor::Column::Kind.eq(kind.as_str());
    let row =
        second_factor::Entity::find().filter(second_factor::Column::UserId.eq(user_id)).filter(of_kind).one(db).await?;
    Ok(row.and_then(stored))
}

/// A factor of a kind that this version knows.
fn stored(row: second_factor::Model) -> Option<StoredFactor> {
    let kind = Kind::parse(&row.kind)?;
    let second_factor::Model { id, sealed, created_at, confirmed_at, .. } = row;
    Some(StoredFactor { id, kind, sealed, created_at, confirmed_at })
}

/// The factors that a user has in use as they are stored, the oldest first. One of a kind that this version does not
/// know is left out.
pub async fn in_use(db: &impl ConnectionTrait, user_id: i64) -> Result<Vec<StoredFactor>, StoreError> {
    let rows = second_factor::Entity::find()
        .filter(second_factor::Column::UserId.eq(user_id))
        .filter(second_factor::Column::ConfirmedAt.is_not_null())
        .order_by_asc(second_factor::Column::Id)
        .all(db)
        .await?;
    Ok(rows.into_iter().filter_map(stored).collect())
}

/// The factors that a user has in use, the oldest first.
pub async fn list(db: &impl ConnectionTrait, user_id: i64) -> Result<Vec<Factor>, StoreError> {
    let factor = |factor: StoredFactor| Some(Factor { kind: factor.kind, since: factor.confirmed_at? });
    Ok(in_use(db, user_id).await?.into_iter().filter_map(factor).collect())
}

/// Ids of the users who have a factor in use.
pub async fn owners(db: &impl ConnectionTrait) -> Result<BTreeSet<i64>, StoreError> {
    let ids: Vec<i64> = second_factor::Entity::find()
        .select_only()
        .column(second_factor::Column::UserId)
        .filter(second_factor::Column::ConfirmedAt.is_not_null())
        .into_tuple()
        .all(db)
        .await?;
    Ok(ids.into_iter().collect())
}

/// Query for the factors that the owner of a session, of the query around it, has in use.
pub(crate) fn of_session() -> SelectStatement {
    Query::select()
        .expr(Expr::value(1))
        .from(second_factor::Entity)
        .and_where(
            Expr::col((second_factor::Entity, second_factor::Column::UserId))
                .equals((session::Entity, session::Column::UserId)),
        )
        .and_where(Expr::col((second_factor::Entity, second_factor::Column::ConfirmedAt)).is_not_null())
        .to_owned()
}

/// Begins the enrolment of a factor, in the place of one that was not confirmed. The transaction holds the user, who
/// has none of this kind in use.
pub async fn begin(tx: &Tx, user_id: i64, kind: Kind, sealed: &str, now: Timestamp) -> Result<(), StoreError> {
    second_factor::Entity::delete_many()
        .filter(second_factor::Column::UserId.eq(user_id))
        .filter(second_factor::Column::Kind.eq(kind.as_str()))
        .filter(second_factor::Column::ConfirmedAt.is_null())
        .exec(tx)
        .await?;
    let row = second_factor::ActiveModel {
        user_id: Set(user_id),
        kind: Set(kind.as_str().to_owned()),
        sealed: Set(sealed.to_owned()),
        created_at: Set(now),
        ..Default::default()
    };
    second_factor::Entity::insert(row).exec_without_returning(tx).await?;
    Ok(())
}

/// Takes a factor into use, whose user proved it with the code of a time step. Returns whether it was not in use
/// before.
pub async fn confirm(tx: &Tx, id: i64, step: i64, now: Timestamp) -> Result<bool, StoreError> {
    let confirmed = second_factor::Entity::update_many()
        .col_expr(second_factor::Column::ConfirmedAt, Expr::value(now))
        .col_expr(second_factor::Column::LastStep, Expr::value(step))
        .filter(second_factor::Column::Id.eq(id))
        .filter(second_factor::Column::ConfirmedAt.is_null());
    Ok(confirmed.exec(tx).await?.rows_affected > 0)
}

/// Uses up the codes until a time step, and returns whether the one of that step was unused: of several requests with
/// one code, on whatever nodes, one gets true.
pub async fn use_step(tx: &Tx, id: i64, step: i64) -> Result<bool, StoreError> {
    let is_later =
        Condition::any().add(second_factor::Column::LastStep.is_null()).add(second_factor::Column::LastStep.lt(step));
    let used = second_factor::Entity::update_many()
        .col_expr(second_factor::Column::LastStep, Expr::value(step))
        .filter(second_factor::Column::Id.eq(id))
        .filter(second_factor::Column::ConfirmedAt.is_not_null())
        .filter(is_later);
    Ok(used.exec(tx).await?.rows_affected > 0)
}

/// Puts recovery codes, by their digests, in the place of those that a user has.
pub async fn replace_recovery_codes(
    tx: &Tx,
    user_id: i64,
    digests: impl IntoIterator<Item = String> + Send,
    now: Timestamp,
) -> Result<(), StoreError> {
    remove_recovery_codes(tx, user_id).await?;
    let rows: Vec<_> = digests
        .into_iter()
        .map(|digest| recovery_code::ActiveModel {
            user_id: Set(user_id),
            code_hash: Set(digest),
            created_at: Set(now),
        })
        .collect();
    recovery_code::Entity::insert_many(rows).exec_without_returning(tx).await?;
    Ok(())
}

/// Uses up a recovery code, and returns whether the user had it: of several requests with it, one gets true.
pub async fn use_recovery_code(tx: &Tx, user_id: i64, digest: &str) -> Result<bool, StoreError> {
    let used = recovery_code::Entity::delete_by_id((user_id, digest.to_owned()));
    Ok(used.exec(tx).await?.rows_affected > 0)
}

/// Number of recovery codes that a user has left.
pub async fn count_recovery_codes(db: &impl ConnectionTrait, user_id: i64) -> Result<u64, StoreError> {
    let left = recovery_code::Entity::find().filter(recovery_code::Column::UserId.eq(user_id));
    Ok(left.count(db).await?)
}

/// Removes the recovery codes of a user.
pub async fn remove_recovery_codes(tx: &Tx, user_id: i64) -> Result<(), StoreError> {
    recovery_code::Entity::delete_many().filter(recovery_code::Column::UserId.eq(user_id)).exec(tx).await?;
    Ok(())
}

/// Removes the factors of a user, confirmed or not, and the recovery codes. Returns the number of those in use.
pub async fn remove_all(tx: &Tx, user_id: i64) -> Result<u64, StoreError> {
    let own = || second_factor::Entity::delete_many().filter(second_factor::Column::UserId.eq(user_id));
    let in_use = own().filter(second_factor::Column::ConfirmedAt.is_not_null()).exec(tx).await?.rows_affected;
    own().exec(tx).await?;
    remove_recovery_codes(tx, user_id).await?;
    Ok(in_use)
}

/// Seals with the main key of the vault what is sealed with its previous one.
pub async fn reseal(tx: &Tx, vault: &Vault) -> Result<(), StoreError> {
    let rows = second_factor::Entity::find().order_by_asc(second_factor::Column::Id).lock_exclusive().all(tx).await?;
    for row in rows {
        let Some(kind) = Kind::parse(&row.kind) else { continue };
        let place = place(row.user_id, kind);
        let Ok((secret, key)) = vault.open(&place, &row.sealed) else { continue };
        if !vault.is_main(key) {
            let sealed = vault.main().seal(&place, &secret);
            let row = second_factor::ActiveModel { id: Set(row.id), sealed: Set(sealed), ..Default::default() };
            second_factor::Entity::update(row).exec(tx).await?;
        }
    }
    Ok(())
}

/// Removes every factor and recovery code, for when the key is lost: no code could be checked any more.
pub async fn forget_sealed(tx: &Tx) -> Result<(), StoreError> {
    second_factor::Entity::delete_many().exec(tx).await?;
    recovery_code::Entity::delete_many().exec(tx).await?;
    Ok(())
}
