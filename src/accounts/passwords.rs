//! Passwords of users, and links to set them.

use flagstone_domain::{
    account_powers::{self, Power, Way},
    actor::Actor,
    event::NewEvent,
    event_kind::EventKind,
    password, secret,
    time::Timestamp,
};
use flagstone_passwords::Passwords;
use flagstone_store::{
    self as store, StoreError,
    access::people::Account,
    db::{Db, Tx},
};

use super::{
    AccountError, UserData,
    users::{Ended, EndedData, end_all, named, standing},
};

/// Gives a person, for the operator, another password and ends their sessions and personal tokens.
pub async fn set_password(
    db: &Db,
    passwords: &Passwords,
    login: &str,
    password: &str,
    now: Timestamp,
    actor: &Actor,
) -> Result<(), AccountError> {
    password::judge(password)?;
    let hash = passwords.hash(password.to_owned()).await?;
    let tx = db.begin().await?;
    let account = named(&tx, login).await?;
    let events = replace_password(&tx, &account, &hash, None, Way::CommandLine, actor).await?;
    tx.commit(now, events).await?;
    Ok(())
}

/// Gives a person another password, by its hash. Ends everything that another person may have obtained by the old one:
/// their sessions, but for the one whose digest is `kept`, their personal tokens, and links that were made to set it.
/// Returns the events.
pub async fn replace_password(
    tx: &Tx,
    account: &Account,
    hash: &str,
    kept: Option<&str>,
    way: Way,
    actor: &Actor,
) -> Result<Vec<NewEvent>, AccountError> {
    account_powers::judge(way, Power::Password, standing(tx, account, way).await?)?;
    store::access::people::set_password_hash(tx, account.id, Some(hash)).await?;
    let (sessions, tokens) = end_all(tx, account.id, kept).await?;
    let user = UserData::of(account);
    let ended = Ended { sessions, personal_tokens: tokens.len(), password: None };
    let data = EndedData { user: &user, ended };
    let updated = NewEvent::new(EventKind::UserUpdated, actor).with_data(&data).with_pre_data(&user);
    let ended = tokens.iter().map(|token| token.event(EventKind::PatDeleted, actor));
    Ok(std::iter::once(updated).chain(ended).collect())
}

/// Makes a link with which a person sets a password, and returns its secret, which is shown here and never again.
/// Earlier links of the same person lose their force.
pub async fn make_password_link(
    tx: &Tx,
    user_id: i64,
    days: i64,
    now: Timestamp,
    actor: &Actor,
) -> Result<String, StoreError> {
    let secret = secret::random_part();
    let digest = secret::digest(&secret);
    store::users::password_resets::replace(tx, &digest, user_id, &actor.name, now, now.plus_days(days)).await?;
    Ok(secret)
}
