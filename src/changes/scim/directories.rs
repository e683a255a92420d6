//! Changes of directories with a name and a token of their own.

use flagstone_config::admit_one_more;
use flagstone_domain::{
    event::NewEvent,
    event_kind::EventKind,
    scim::directory::{self, DirectoryDocument, MOST_DIRECTORIES, generate_token, judge_name},
    secret,
};
use flagstone_error::Error;
use flagstone_store::{
    self as store, StoreError,
    db::Tx,
    scim::directories::{self, Released},
};
use serde::Serialize;

use crate::{Author, Begin};

/// Data of events: never the token or its digest.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Told<'a> {
    /// Id of the setting, as every event of one has it.
    id: &'static str,
    directory: &'a DirectoryDocument,
    /// Ids of the users who were the directory's.
    #[serde(skip_serializing_if = "Option::is_none")]
    users: Option<&'a [i64]>,
    /// Ids of the groups that were the directory's.
    #[serde(skip_serializing_if = "Option::is_none")]
    groups: Option<&'a [i64]>,
}

impl<'a> Told<'a> {
    const fn new(directory: &'a DirectoryDocument) -> Self {
        Self { id: directory::SETTING, directory, users: None, groups: None }
    }
}

impl Author<'_> {
    /// Creates a directory: 409 when another has its name. Returns it with its token, which is shown here and never
    /// again.
    pub async fn create_scim_directory(self, name: &str) -> Result<(DirectoryDocument, String), Error> {
        judge_name(name).map_err(|rule| Error::property("/body/name", rule))?;
        let transaction = self.begin(Begin::MakingLimited).await?;
        let tx = &transaction.tx;
        admit_one_more("directory", directories::count(tx).await?, MOST_DIRECTORIES)?;
        let (token, actor) = (generate_token(), self.caller.actor());
        let inserted = directories::insert(tx, name, secret::digest(&token), &actor.name, transaction.now).await;
        let created = inserted.map_err(|error| taken(error, name))?;
        let event = NewEvent::new(EventKind::SettingCreated, &actor).with_data(&Told::new(&created));
        transaction.commit([event]).await?;
        Ok((created, token))
    }

    /// Replaces the token of a directory. The one before stops working at once. Returns the new one, which is shown
    /// here and never again.
    pub async fn rotate_scim_directory_token(self, id: i64) -> Result<String, Error> {
        let transaction = self.begin(Begin::Change).await?;
        let (tx, now) = (&transaction.tx, transaction.now);
        let old = hold(tx, id).await?;
        let token = generate_token();
        directories::set_token(tx, id, secret::digest(&token), now).await?;
        let new = DirectoryDocument { token_created_at: now, ..old.clone() };
        let event = NewEvent::new(EventKind::SettingUpdated, &self.caller.actor());
        transaction.commit([event.with_data(&Told::new(&new)).with_pre_data(&Told::new(&old))]).await?;
        Ok(token)
    }

    /// Deletes a directory. What was its own stays, as if made by hand. Returns the users and groups that stay.
    pub async fn delete_scim_directory(self, id: i64) -> Result<Released, Error> {
        let transaction = self.begin(Begin::Change).await?;
        let (tx, now) = (&transaction.tx, transaction.now);
        let old = hold(tx, id).await?;
        // As every change of the members of groups does.
        store::access::administrators::hold(tx, now).await?;
        let released = directories::delete(tx, id, now).await?;
        let told = Told { users: Some(&released.users), groups: Some(&released.groups), ..Told::new(&old) };
        let event = NewEvent::new(EventKind::SettingDeleted, &self.caller.actor()).with_pre_data(&told);
        transaction.commit([event]).await?;
        Ok(released)
    }
}

async fn hold(tx: &Tx, id: i64) -> Result<DirectoryDocument, Error> {
    directories::hold(tx, id).await?.ok_or_else(|| Error::no_id("directory", id))
}

fn taken(error: StoreError, name: &str) -> Error {
    if error.is_duplicate() {
        Error::Conflict(format!("There is a directory named \"{name}\" already."))
    } else {
        error.into()
    }
}
