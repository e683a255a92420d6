//! Names of users: the rules, and who has them already.

use flagstone_domain::email;
use flagstone_store::{
    self as store,
    access::people::{Account, NewUser},
    db::Tx,
};

use super::{AccountError, is_name};

/// Fault of a name of a user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NameFault {
    /// The property that holds it.
    pub property: &'static str,
    /// The rule that it breaks, as a sentence.
    pub rule: &'static str,
}

pub(super) async fn refuse_claimed(
    tx: &Tx,
    username: Option<&str>,
    email: Option<&str>,
    except: Option<i64>,
) -> Result<(), AccountError> {
    match store::users::claimed(tx, username, email, except).await? {
        Some(property) => Err(AccountError::NameTaken(property)),
        None => Ok(()),
    }
}

/// Judges the names of a user.
pub fn judge_names(new: &NewUser) -> Result<(), AccountError> {
    judge(None, [&new.username, &new.email, &new.name])
}

/// Judges the names of an account, those that it had before excepted: what moved in by other rules can still be changed.
pub(super) fn judge_account(before: Option<&Account>, after: &Account) -> Result<(), AccountError> {
    let names = |account: &Account| [account.username.clone(), account.email.clone(), account.name.clone()];
    judge(before.map(names), names(after).each_ref())
}

/// Judges user name, email and name, in this order.
fn judge(before: Option<[Option<String>; 3]>, after: [&Option<String>; 3]) -> Result<(), AccountError> {
    let refuse = |property, rule| Err(AccountError::UserName(NameFault { property, rule }));
    let [username, email, _] = after;
    if username.is_none() && email.is_none() {
        return refuse("username", "A user needs a user name or an email.");
    }
    let before = before.unwrap_or_default();
    for ((property, name), had) in ["username", "email", "name"].into_iter().zip(after).zip(&before) {
        let Some(text) = name.as_deref().filter(|_| name != had) else { continue };
        if !is_name(text) {
            return refuse(property, "Names and emails have 1 to 255 characters, none of them a control character.");
        }
        if property == "email" && !email::is_email(text) {
            return refuse(property, email::RULE);
        }
    }
    Ok(())
}
