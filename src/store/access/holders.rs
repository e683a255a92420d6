//! Holders of sessions and personal tokens. Every request of a person looks one up, so the results are cached as long
//! as nothing is committed.

use std::sync::Arc;

use flagstone_domain::{
    permission::Grants, preference::Preference as _, second_factor::SecondFactorPolicy, sign_in_log::Method,
    time::Timestamp,
};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, FromQueryResult, QueryFilter, QuerySelect,
    sea_query::{Expr, Query},
};
use tokio::sync::OnceCell;

use super::{Person, grants_of, member_projects};
use crate::{
    StoreError,
    db::{Db, edition::Recent, value::json_column},
    entity::{app_user, personal_token, session, setting},
    roles::{self, Role},
    users::second_factors,
};

/// Bytes of holders that are kept.
const MOST_BYTES: usize = 2 << 20;
/// Size of a holder, about, and of each grant: a member of hundreds of projects holds thousands.
const HOLDER_BYTES: usize = 512;
const GRANT_BYTES: usize = 128;

/// Kind of a credential.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Credential {
    /// The value of the cookie that signing in sets.
    Session,
    /// The secret of a personal token.
    PersonalToken,
}

/// The person behind a credential, and everything that they may do.
#[derive(Debug)]
pub struct Holder {
    /// The person.
    pub person: Person,
    /// Their grants.
    pub grants: Grants,
    /// Id of the personal token that they showed; `None` for a session.
    pub token_id: Option<i64>,
    /// Digest of the session that they showed; `None` for a personal token.
    pub session: Option<Arc<str>>,
    /// Whether the session can do nothing but enrol a second factor: it began with a password or a passkey, the
    /// policy requires a second factor of the person, and they have none.
    pub must_enrol: bool,
    /// When the credential ends.
    expires_at: Timestamp,
    standing: OnceCell<Standing>,
}

/// Data of a person for the profile.
#[derive(Debug)]
pub struct Standing {
    /// Their root role.
    pub root_role: Role,
    /// See [`member_projects`].
    pub projects: Vec<String>,
}

impl Holder {
    /// Returns the person's data for the profile.
    pub async fn standing(&self, db: &Db) -> Result<&Standing, StoreError> {
        let read = async || {
            let root_role = roles::find(db, self.person.root_role_id).await?;
            let root_role = root_role.ok_or_else(|| DbErr::RecordNotFound("root role".to_owned()))?;
            Ok(Standing { root_role, projects: member_projects(db, self.person.id).await? })
        };
        self.standing.get_or_try_init(read).await
    }
}

/// Holders by their credentials.
#[derive(Debug)]
pub(crate) struct Holders(Recent<Option<Arc<Holder>>>);

impl Default for Holders {
    fn default() -> Self {
        // Unknown credentials are not kept: an attacker can think of more.
        Self(Recent::new(MOST_BYTES, |holder| {
            holder.as_ref().map(|holder| HOLDER_BYTES + holder.grants.count() * GRANT_BYTES)
        }))
    }
}

/// Returns the holder of the credential whose secret has this digest, unless it ended before `now`.
pub async fn find_holder(
    db: &Db,
    credential: Credential,
    digest: &str,
    now: Timestamp,
) -> Result<Option<Arc<Holder>>, StoreError> {
    let question = format!("{credential:?} {digest}");
    let read = async { Ok(read(db, credential, digest).await?.map(Arc::new)) };
    let holder = db.memory().holders.0.find_or(question, db.edition().await?, read).await?;
    Ok(holder.filter(|holder| holder.expires_at > now))
}

/// The user with this id and everything that they may do, as with a personal token; `None` where none would serve. Not
/// kept, since it is no credential.
pub async fn holder_of(db: &impl ConnectionTrait, user_id: i64) -> Result<Option<Holder>, StoreError> {
    let Some(person) = find_person(db, user_id, Credential::PersonalToken).await? else { return Ok(None) };
    let grants = grants_of(db, &person).await?;
    let (token_id, session, expires_at) = (None, None, Timestamp::from_millis(0));
    let (must_enrol, standing) = (false, OnceCell::new());
    Ok(Some(Holder { person, grants, token_id, session, must_enrol, expires_at, standing }))
}

/// A session, with what decides whether it is a whole one.
#[derive(FromQueryResult)]
struct SessionRow {
    user_id: i64,
    expires_at: Timestamp,
    method: Option<String>,
    /// Content of the setting with the policy on second factors.
    policy: Option<String>,
    has_factor: bool,
}

impl SessionRow {
    /// The policy, if the owner has yet to do what it says.
    fn unmet_policy(&self) -> Result<Option<SecondFactorPolicy>, StoreError> {
        let method = self.method.as_deref().and_then(Method::parse);
        if self.has_factor || !matches!(method, Some(Method::Simple | Method::Passkey)) {
            return Ok(None);
        }
        Ok(self.policy.as_deref().map(|content| json_column("setting.content", content)).transpose()?)
    }
}

async fn find_session(db: &Db, digest: &str) -> Result<Option<SessionRow>, StoreError> {
    let policy = Query::select()
        .column(setting::Column::Content)
        .from(setting::Entity)
        .and_where(setting::Column::Id.eq(SecondFactorPolicy::ID))
        .to_owned();
    let row = session::Entity::find_by_id(digest)
        .select_only()
        .columns([session::Column::UserId, session::Column::ExpiresAt, session::Column::Method])
        .expr_as(Expr::SubQuery(None, Box::new(policy.into())), "policy")
        .expr_as(Expr::exists(second_factors::of_session()), "has_factor")
        .into_model::<SessionRow>()
        .one(db)
        .await?;
    Ok(row)
}

async fn read(db: &Db, credential: Credential, digest: &str) -> Result<Option<Holder>, StoreError> {
    let found = match credential {
        Credential::Session => match find_session(db, digest).await? {
            Some(row) => Some((row.user_id, None, row.expires_at, row.unmet_policy()?)),
            None => None,
        },
        Credential::PersonalToken => {
            let of_digest = personal_token::Column::SecretHash.eq(digest);
            let row = personal_token::Entity::find().filter(of_digest).one(db).await?;
            row.map(|row| (row.user_id, Some(row.id), row.expires_at, None))
        }
    };
    let Some((user_id, token_id, expires_at, unmet_policy)) = found else { return Ok(None) };
    let Some(person) = find_person(db, user_id, credential).await? else { return Ok(None) };
    let grants = grants_of(db, &person).await?;
    let must_enrol = unmet_policy.is_some_and(|policy| policy.requires(&grants));
    let session = (credential == Credential::Session).then(|| Arc::from(digest));
    Ok(Some(Holder { person, grants, token_id, session, must_enrol, expires_at, standing: OnceCell::new() }))
}

/// Programs have tokens and no sessions.
async fn find_person(db: &impl ConnectionTrait, id: i64, credential: Credential) -> Result<Option<Person>, StoreError> {
    let row = app_user::Entity::find_by_id(id).filter(app_user::Column::DeletedAt.is_null()).one(db).await?;
    let row = row.filter(|row| row.deactivated_at.is_none());
    let row = row.filter(|row| !row.is_service || credential == Credential::PersonalToken);
    Ok(row.map(|row| Person {
        id: row.id,
        name: row.email.or(row.username).unwrap_or_else(|| row.id.to_string()),
        root_role_id: row.root_role_id,
    }))
}
