//! Users whom a company's directory keeps through SCIM.

use flagstone_domain::{
    account_powers::{Origin, Way},
    email::{self, is_email},
    event::NewEvent,
    event_kind::EventKind,
    scim::{KeptUser, Names, directory::DirectoryRef, person::UserDraft},
    time::Timestamp,
    user::AccountKind,
};
use flagstone_error::Error;
use flagstone_store::{
    self as store,
    access::people::{Account, NewUser},
    db::Tx,
};

use super::{
    AccountError, NameFault, UserData, delete_users, insert_user, is_name,
    names::{judge_account, refuse_claimed},
    users::put_user,
};

/// A user as the directory sees them. Whom it does not keep is called by the email, else by the user name.
pub fn draft_of(account: &Account) -> UserDraft {
    let kept = account.kept.clone().unwrap_or_else(|| {
        let user_name = account.email.clone().or_else(|| account.username.clone()).unwrap_or_default();
        let names = Names { user_name, formatted: account.name.clone(), ..Names::default() };
        KeptUser { names, external_id: None }
    });
    UserDraft {
        user_name: kept.names.user_name,
        external_id: kept.external_id,
        display_name: account.name.clone(),
        formatted: kept.names.formatted,
        given_name: kept.names.given_name,
        family_name: kept.names.family_name,
        email: account.email.clone(),
        is_active: account.deactivated_at.is_none(),
    }
}

/// Makes a user. Whom the directory deleted and who is the same there, by the name and by the id, is that user again,
/// with the root role of a new one.
pub async fn create(
    tx: &Tx,
    directory: &DirectoryRef,
    draft: UserDraft,
    root_role_id: i64,
    now: Timestamp,
) -> Result<(Account, NewEvent), AccountError> {
    let draft = draft.completed();
    judge(tx, &draft, None).await?;
    let nobody = Account { root_role_id, directory_id: directory.id(), ..nobody(now) };
    let wanted = applied(&nobody, draft, now);
    let kept = wanted.kept.as_ref();
    let former = match kept.and_then(|kept| Some((&kept.names.user_name, kept.external_id.as_ref()?))) {
        Some((user_name, external_id)) => store::scim::hold_deleted(tx, directory.id(), user_name, external_id).await?,
        None => None,
    };
    if let Some(former) = former {
        let again = Account {
            id: former.id,
            created_at: former.created_at,
            activated_at: Some(now),
            ended_by_directory: wanted.deactivated_at.is_some(),
            has_newcomer_role: true,
            ..wanted
        };
        judge_account(None, &again)?;
        refuse_claimed(tx, again.username.as_deref(), again.email.as_deref(), Some(again.id)).await?;
        store::users::save(tx, &again, now).await?;
        let again = store::scim::revive(tx, again.id).await?;
        let again = again.ok_or_else(|| Error::internal("the user who came back is missing"))?;
        let event = NewEvent::new(EventKind::UserCreated, &directory.actor()).with_data(&UserData::of(&again));
        return Ok((again, event));
    }
    let new = NewUser {
        username: wanted.username,
        email: wanted.email,
        name: wanted.name,
        root_role_id,
        kept: wanted.kept,
        deactivated_at: wanted.deactivated_at,
        directory_id: directory.id(),
        ..NewUser::default()
    };
    let (id, event) = insert_user(tx, new, Way::Scim, now, &directory.actor()).await?;
    let account = store::users::find(tx, id).await?;
    Ok((account.ok_or_else(|| Error::internal("the new user is missing"))?, event))
}

/// Updates a user, whom the transaction has locked, to what the directory says; from then on the directory keeps them.
pub async fn update(
    tx: &Tx,
    directory: &DirectoryRef,
    before: &Account,
    draft: UserDraft,
    now: Timestamp,
) -> Result<(Account, Option<NewEvent>), AccountError> {
    let draft = draft.completed();
    judge(tx, &draft, Some(before.id)).await?;
    put_user(tx, before, applied(before, draft, now), Way::Scim, now, &directory.actor()).await
}

/// Deletes a user, whom the transaction holds.
pub async fn delete(
    tx: &Tx,
    directory: &DirectoryRef,
    account: Account,
    now: Timestamp,
) -> Result<Vec<NewEvent>, AccountError> {
    delete_users(tx, &[account], Way::Scim, now, &directory.actor()).await
}

/// Checks rules for users of a directory that other ways in do not have.
async fn judge(tx: &Tx, draft: &UserDraft, id: Option<i64>) -> Result<(), AccountError> {
    let texts = [
        ("userName", Some(&draft.user_name)),
        ("externalId", draft.external_id.as_ref()),
        ("name/formatted", draft.formatted.as_ref()),
        ("name/givenName", draft.given_name.as_ref()),
        ("name/familyName", draft.family_name.as_ref()),
        // Which may be made of these.
        ("displayName", draft.display_name.as_ref()),
    ];
    for (property, text) in texts {
        if text.is_some_and(|text| !is_name(text)) {
            let rule = "It has 1 to 255 characters, not only blanks, and none of them a control character.";
            return Err(AccountError::UserName(NameFault { property, rule }));
        }
    }
    if store::scim::is_called_already(tx, &draft.user_name, id).await? {
        return Err(AccountError::NameTaken("userName"));
    }
    Ok(())
}

/// The account after this change by the directory. A name to sign in with there that is no email is one here, too.
fn applied(before: &Account, draft: UserDraft, now: Timestamp) -> Account {
    let was_named_there =
        before.kept.as_ref().is_some_and(|kept| before.username.as_ref() == Some(&kept.names.user_name));
    let username = if is_email(&draft.user_name) {
        before.username.clone().filter(|_| !was_named_there)
    } else {
        Some(draft.user_name.clone())
    };
    let names = Names {
        user_name: draft.user_name,
        formatted: draft.formatted,
        given_name: draft.given_name,
        family_name: draft.family_name,
    };
    Account {
        username,
        email: draft.email.as_deref().map(email::folded),
        name: draft.display_name,
        kept: Some(KeptUser { names, external_id: draft.external_id }),
        origin: Some(before.origin.unwrap_or(Origin::Found)),
        deactivated_at: if draft.is_active { None } else { before.deactivated_at.or(Some(now)) },
        ..before.clone()
    }
}

const fn nobody(now: Timestamp) -> Account {
    Account {
        id: 0,
        kind: AccountKind::User,
        username: None,
        email: None,
        name: None,
        password_hash: None,
        root_role_id: 0,
        login_attempts: 0,
        created_at: now,
        seen_at: None,
        kept: None,
        deactivated_at: None,
        activated_at: None,
        changed_at: None,
        origin: Some(Origin::Made),
        directory_id: None,
        ended_by_directory: false,
        has_newcomer_role: true,
        relinking: None,
    }
}
