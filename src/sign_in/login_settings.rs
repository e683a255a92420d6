//! Changes of the settings of login providers.

use flagstone_accounts::administrators::keep_a_way_in;
use flagstone_domain::{
    event_kind::EventKind,
    settings::{NO_PROVIDER_ADDRESS, ProviderSettings, is_provider_address, mask},
};
use flagstone_error::{Error, Finding};
use flagstone_state::State;
use flagstone_store::{self as store, db::Tx, settings::Stored};

use crate::{
    author::Author,
    in_force::{self, NodeSettings},
    lock_out::{self, Wantable},
};

/// Returns the settings that would be stored, which are judged as if they were. Nothing is stored.
pub async fn propose<T: NodeSettings>(state: &State, wanted: T) -> Result<T, Error> {
    let settings = unmasked(state, wanted).await?;
    let tx = state.db.begin().await?;
    judge(&tx, &settings).await?;
    Ok(settings)
}

/// Replaces the settings of a provider, and returns them as they are stored. Those that change nothing leave no event.
/// 403 when the operator has set the provider up in the environment, and when nobody would be left who can sign in and
/// administer the instance.
pub async fn replace<T>(state: &State, author: &Author, wanted: T) -> Result<T, Error>
where
    T: NodeSettings + Wantable,
{
    if T::of(&state.config.providers).is_some() {
        let rule = "The operator set this login provider up in the environment, so that it cannot be changed here.";
        return Err(Error::forbidden(rule));
    }
    let settings = unmasked(state, wanted).await?;
    let now = state.clock.now();
    let tx = state.db.begin().await?;
    // First the administrators, as in all changes of roles.
    let administrators = store::access::administrators::hold(&tx, now).await?;
    if settings.are_on() {
        judge(&tx, &settings).await?;
    }
    lock_out::judge(state, &tx, author.user_id, &settings.wanted()).await?;
    let before = store::settings::get::<T>(&tx, &state.vault).await.ok();
    let kind = match store::settings::replace(&tx, &state.vault, &settings, now).await? {
        Stored::Created => Some(EventKind::SettingCreated),
        Stored::Updated => Some(EventKind::SettingUpdated),
        Stored::Unchanged => None,
    };
    let event = kind.map(|kind| in_force::changed(kind, before.as_ref(), &settings, &author.actor));
    keep_a_way_in(&tx, administrators).await?;
    tx.commit(now, event).await?;
    Ok(settings)
}

/// Returns the settings with the stored secret in the place of a mask: 400 where there is no stored secret, or it would
/// be sent to another address.
async fn unmasked<T: NodeSettings>(state: &State, wanted: T) -> Result<T, Error> {
    if wanted.secret() != Some(mask::MASK) {
        return Ok(wanted);
    }
    let stored = in_force::settings::<T>(state).await?;
    mask::unmasked(wanted, &stored).map_err(|fault| Error::property(format!("/body/{}", T::SECRET), fault.rule()))
}

/// Checks rules for settings of login providers that the schema cannot express.
async fn judge<T: ProviderSettings>(tx: &Tx, settings: &T) -> Result<(), Error> {
    let mut findings: Vec<Finding> = settings
        .addresses()
        .into_iter()
        .filter(|(_, address)| !is_provider_address(address))
        .map(|(name, _)| finding(name, NO_PROVIDER_ADDRESS))
        .collect();
    if let Some(id) = settings.default_root_role_id() {
        let exists = match id.whole() {
            Some(id) => store::roles::hold_root(tx, id).await?,
            None => false,
        };
        if !exists {
            findings.push(finding("defaultRootRoleId", "must be the id of a root role that exists"));
        }
    }
    if findings.is_empty() { Ok(()) } else { Err(Error::Validation(findings)) }
}

fn finding(property: &str, rule: &str) -> Finding {
    Finding::property(format!("/body/{property}"), rule)
}
