//! Changes: each with its rule, its transaction, its events and its dry run, made by a caller of any kind.
//!
//! A change is applied within a [`Transaction`], which may hold several of them, and gives its events. The functions
//! that make one change begin the transaction, apply the change and commit it.

mod access_requests;
pub mod account_policy;
pub mod api_tokens;
pub mod applications;
pub mod archive;
pub mod banners;
pub mod change_requests;
pub mod constraints;
pub mod context_fields;
pub mod creation;
pub mod default_strategies;
pub mod dependencies;
pub mod environments;
pub mod favorites;
pub mod feature;
pub mod feature_types;
pub mod features;
pub mod freeze;
pub mod freeze_windows;
pub mod groups;
pub mod guard;
pub mod identities;
pub mod if_match;
pub mod impact;
pub mod import;
pub mod in_use;
pub mod inactive_users;
pub mod integrations;
pub mod keyed_requests;
pub mod lifecycle;
pub mod links;
mod notices;
mod notifications;
mod passwords;
pub mod personal_tokens;
pub mod preferences;
pub mod project_access;
pub mod project_creation;
pub mod projects;
pub mod properties;
pub mod reviewer_rules;
pub mod revival;
pub mod roles;
pub mod root_role;
pub mod scim;
pub mod segments;
pub mod service_accounts;
pub mod signup_links;
pub mod strategies;
pub mod strategy_types;
pub mod switches;
pub mod tag_types;
pub mod tags;
pub mod transfer;
pub mod users;
pub mod variants;

use flagstone_access::Caller;
use flagstone_clock::Clock;
use flagstone_config::Limits;
use flagstone_domain::{change_request::touch::Touch, change_summary::ChangesBody, event::NewEvent, time::Timestamp};
use flagstone_error::Error;
use flagstone_store::{
    self as store,
    db::{Db, Tx},
    freeze_windows::Barriers,
};
use tokio::sync::OnceCell;

use self::guard::Passage;

/// Author of changes, with the database that they are made in and the limits that hold for them.
#[derive(Debug, Clone, Copy)]
pub struct Author<'a> {
    /// Caller who makes the changes.
    pub caller: &'a Caller,
    /// The database.
    pub db: &'a Db,
    /// The time.
    pub clock: &'a Clock,
    /// Limits of the instance.
    pub limits: &'a Limits,
    /// Right by which the changes are made.
    pub passage: Passage,
}

/// Kind of the transaction that a change needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Begin {
    /// The change takes no features into use.
    Change,
    /// The change makes or revives features. Such changes wait for each other, as room for features is limited.
    Making,
    /// The change makes something else whose number is limited.
    MakingLimited,
    /// The change is an import, which takes long and waits for other imports.
    Importing,
}

impl Begin {
    /// [`Begin::Making`] where something may be revived.
    pub const fn reviving(may_revive: bool) -> Self {
        if may_revive { Self::Making } else { Self::Change }
    }
}

impl<'a> Author<'a> {
    /// Begins a transaction of changes.
    pub async fn begin(self, begin: Begin) -> Result<Transaction<'a>, Error> {
        let tx = match begin {
            Begin::Change => self.db.begin().await?,
            Begin::Making => store::features::begin_making(self.db).await?,
            Begin::MakingLimited => store::limits::begin_making(self.db).await?,
            Begin::Importing => store::import::begin(self.db).await?,
        };
        Ok(self.transaction(tx))
    }

    /// Begins a transaction of changes of the one feature with this name.
    pub async fn begin_of_feature(self, begin: Begin, name: &str) -> Result<Transaction<'a>, Error> {
        match begin {
            Begin::Change => Ok(self.transaction(self.db.begin_change_of(name).await?)),
            other => self.begin(other).await,
        }
    }

    fn transaction(self, tx: Tx) -> Transaction<'a> {
        Transaction { tx, now: self.clock.now(), author: self, barriers: OnceCell::new() }
    }
}

/// A transaction of changes that one author makes at one time. Dropping it takes them back.
#[derive(Debug)]
pub struct Transaction<'a> {
    /// The transaction of the database.
    pub tx: Tx,
    /// Time of the changes.
    pub now: Timestamp,
    /// Author of the changes.
    pub author: Author<'a>,
    /// The first project that was asked about, with what stands in the way of its changes.
    barriers: OnceCell<(String, Barriers)>,
}

impl Transaction<'_> {
    /// Commits the changes with their events. Schedules of change requests that are about what was changed are
    /// suspended.
    pub async fn commit(self, events: impl IntoIterator<Item = NewEvent> + Send) -> Result<(), Error> {
        let events = self.suspending(events.into_iter().collect()).await?;
        Ok(self.tx.commit(self.now, events).await?)
    }

    /// Commits the changes with their events, or with `dry_run` takes them back; returns the summary either way. See
    /// [`Transaction::commit`].
    pub async fn commit_or_preview(self, events: Vec<NewEvent>, dry_run: bool) -> Result<ChangesBody, Error> {
        let events = self.suspending(events).await?;
        let changes = ChangesBody::new(&events, dry_run);
        if !dry_run {
            self.tx.commit(self.now, events).await?;
        }
        Ok(changes)
    }

    /// Suspends the schedules that events of this transaction concern, and returns these events with theirs.
    async fn suspending(&self, mut events: Vec<NewEvent>) -> Result<Vec<NewEvent>, Error> {
        let touches: Vec<Touch<'_>> = events.iter().filter_map(Touch::of).collect();
        let suspended = self.suspend(&touches).await?;
        events.extend(suspended);
        Ok(events)
    }

    /// Suspends the schedules of change requests that are about what was touched, other than the one that is applied.
    /// Returns their events.
    pub async fn suspend(&self, touches: &[Touch<'_>]) -> Result<Vec<NewEvent>, Error> {
        let except = match self.author.passage {
            Passage::Direct | Passage::TriedOut => None,
            Passage::Approved { change_request } => Some(change_request),
        };
        let suspended = store::change_requests::suspension::suspend(&self.tx, touches, except).await?;
        let actor = self.author.caller.actor();
        Ok(suspended.iter().map(|one| one.event(&actor)).collect())
    }

    /// Keeps a change that was applied: one that changed nothing leaves neither an event nor a commit.
    pub async fn keep<T>(self, applied: Applied<T>) -> Result<T, Error> {
        if let Some(events) = applied.events {
            self.commit(events).await?;
        }
        Ok(applied.outcome)
    }
}

/// A change that was applied within a transaction.
#[derive(Debug)]
pub struct Applied<T> {
    /// Outcome for the author.
    pub outcome: T,
    /// Events of the change in order; `None` when there was nothing to change.
    pub events: Option<Vec<NewEvent>>,
}

impl<T> Applied<T> {
    /// A change with these events.
    pub const fn with(outcome: T, events: Vec<NewEvent>) -> Self {
        Self { outcome, events: Some(events) }
    }

    /// A change that changed nothing.
    pub const fn nothing(outcome: T) -> Self {
        Self { outcome, events: None }
    }
}
