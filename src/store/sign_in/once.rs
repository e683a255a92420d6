//! Values that serve once. The insertion of a row is the test, so that all nodes agree.

use flagstone_domain::{secret, time::Timestamp};
use sea_orm::{ActiveValue::Set, ColumnTrait, EntityTrait, QueryFilter};

use crate::{StoreError, db::Tx, entity::sign_in_once};

/// Kind of a value that serves once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The state of a sign-in.
    State,
    /// A SAML request that an assertion answers.
    Request,
    /// A SAML assertion.
    Assertion,
    /// A token or message by which a provider ends sessions.
    Logout,
    /// A link for signing in.
    Link,
}

impl Kind {
    const fn as_str(self) -> &'static str {
        match self {
            Self::State => "state",
            Self::Request => "request",
            Self::Assertion => "assertion",
            Self::Logout => "logout",
            Self::Link => "link",
        }
    }
}

/// Uses something up that could be shown again until a moment. Returns whether it was still good.
pub async fn take(tx: &Tx, kind: Kind, value: &str, usable_until: Timestamp) -> Result<bool, StoreError> {
    let row = sign_in_once::ActiveModel {
        kind: Set(kind.as_str().to_owned()),
        digest: Set(secret::digest(value)),
        usable_until: Set(usable_until),
    };
    let inserted = sign_in_once::Entity::insert(row).on_conflict_do_nothing().exec_without_returning(tx).await?;
    Ok(matches!(inserted, sea_orm::TryInsertResult::Inserted(rows) if rows > 0))
}

/// Forgets what could not be shown again anyway.
pub(super) async fn remove_ended(tx: &Tx, now: Timestamp) -> Result<(), StoreError> {
    sign_in_once::Entity::delete_many().filter(sign_in_once::Column::UsableUntil.lt(now)).exec(tx).await?;
    Ok(())
}
