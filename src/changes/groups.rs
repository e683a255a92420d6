//! Changes of groups by administrators.

use flagstone_accounts::{administrators::keep_an_administrator, kept_groups, nested_groups};
use flagstone_domain::{
    account_powers::Way,
    address::{self, Named},
    event::NewEvent,
    event_kind::EventKind,
    group::GroupDocument,
    version::Version,
};
use flagstone_error::Error;
use flagstone_store::{
    self as store, StoreError,
    access::administrators::Administrators,
    db::Tx,
    groups::{
        Group, GroupContent,
        nesting::{self, Direction},
    },
};

use crate::{Author, Begin, Transaction, if_match::IfMatch};

impl Author<'_> {
    /// Creates a group: 409 when another has its name.
    pub async fn create_group(self, content: &GroupContent) -> Result<Group, Error> {
        let transaction = self.begin(Begin::Change).await?;
        let Transaction { tx, now, .. } = &transaction;
        judge(tx, content, None).await?;
        let actor = self.caller.actor();
        let inserted = store::groups::insert(tx, content, &actor.name, *now).await;
        let id = inserted.map_err(|error| taken(error, content))?;
        let group = read(tx, id).await?;
        let event = NewEvent::new(EventKind::GroupCreated, &actor).with_data(&group.document);
        transaction.commit([event]).await?;
        Ok(group)
    }

    /// Replaces the content of a group. What a directory keeps of it is refused, 403, and so is to leave out whoever is
    /// in a nested group, 400.
    pub async fn update_group(self, id: i64, if_match: &IfMatch, content: GroupContent) -> Result<Group, Error> {
        let transaction = self.begin(Begin::Change).await?;
        let Transaction { tx, now, .. } = &transaction;
        let (old, administrators) = hold(&transaction, id, if_match).await?;
        kept_groups::refuse_by_hand(tx, &old, Some(&content)).await?;
        judge(tx, &content, Some(&old)).await?;
        let content = GroupContent {
            users: without_nested(&old, content.users)?,
            nested_groups: old.nested_groups.clone(),
            kept: old.scim.clone(),
            origin: old.origin,
            directory_id: old.scim_directory,
            ..content
        };
        store::groups::save(tx, &old, &content, *now).await.map_err(|error| taken(error, &content))?;
        let (actor, around) = (self.caller.actor(), nesting::next_to(tx, &[old.id], Direction::Outward).await?);
        let way = Way::GroupAdministrator;
        let reached = nested_groups::bring_in_line_judged(tx, &around, way, *now, &actor).await?;
        keep_an_administrator(tx, administrators).await?;
        let group = read(tx, old.id).await?;
        let event = (group.document != old).then(|| {
            let event = NewEvent::new(EventKind::GroupUpdated, &actor);
            event.with_data(&group.document).with_pre_data(&old)
        });
        transaction.commit(event.into_iter().chain(reached)).await?;
        Ok(group)
    }

    /// Deletes a group, unless a directory keeps it.
    pub async fn delete_group(self, id: i64, if_match: &IfMatch) -> Result<(), Error> {
        let transaction = self.begin(Begin::Change).await?;
        let (old, administrators) = hold(&transaction, id, if_match).await?;
        kept_groups::refuse_by_hand(&transaction.tx, &old, None).await?;
        let (tx, now, actor) = (&transaction.tx, transaction.now, self.caller.actor());
        let events = kept_groups::delete_all(tx, &[old], Way::GroupAdministrator, now, &actor).await?;
        keep_an_administrator(tx, administrators).await?;
        transaction.commit(events).await
    }
}

/// The direct members of a group for which these people are asked. Who is in a nested group stays in both.
fn without_nested(old: &GroupDocument, users: Vec<i64>) -> Result<Vec<i64>, Error> {
    if let Some(missing) = old.nested_users.iter().find(|id| users.binary_search(id).is_err()) {
        let rule = format!("lacks the user {missing}, who is in a group that is nested in this one and leaves with it");
        return Err(Error::property("/body/users", rule));
    }
    Ok(users.into_iter().filter(|id| old.nested_users.binary_search(id).is_err()).collect())
}

/// Locks a group, after the administrators.
async fn hold(
    transaction: &Transaction<'_>,
    id: i64,
    if_match: &IfMatch,
) -> Result<(GroupDocument, Administrators), Error> {
    let administrators = store::access::administrators::hold(&transaction.tx, transaction.now).await?;
    let group = store::groups::hold(&transaction.tx, id).await?.ok_or_else(|| Error::no_id("group", id))?;
    if_match.check(Version::of(&group))?;
    Ok((group, administrators))
}

/// Checks rules that the schema cannot express.
async fn judge(tx: &Tx, content: &GroupContent, old: Option<&GroupDocument>) -> Result<(), Error> {
    if old.is_none_or(|old| old.name != content.name) {
        address::judge(Named::Group, &content.name).map_err(|fault| Error::property("/body/name", fault))?;
    }
    if let Some(role) = content.root_role
        && !store::roles::is_root(tx, role).await?
    {
        return Err(Error::property("/body/rootRole", "must be the id of a root role that exists"));
    }
    if let Some(stranger) = store::groups::find_stranger(tx, &content.users).await? {
        return Err(Error::property("/body/users", format!("names the user {stranger}, who does not exist")));
    }
    match store::groups::find_named(tx, &content.name).await? {
        Some(other) if old.is_none_or(|old| old.id != other) => Err(name_taken(content)),
        _ => Ok(()),
    }
}

fn name_taken(content: &GroupContent) -> Error {
    Error::Conflict(format!("There is a group named \"{}\" already.", content.name))
}

fn taken(error: StoreError, content: &GroupContent) -> Error {
    if error.is_duplicate() { name_taken(content) } else { error.into() }
}

async fn read(tx: &Tx, id: i64) -> Result<Group, Error> {
    let group = store::groups::find(tx, id).await?;
    group.ok_or_else(|| Error::internal(format!("group {id} has gone while it was held")))
}
