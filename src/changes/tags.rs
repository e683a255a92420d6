//! Changes of tags and of the tags of features.

use std::collections::HashSet;

use flagstone_domain::{
    actor::Actor,
    address::{self, Named},
    change_summary::ChangesBody,
    event::NewEvent,
    ids::{FeatureName, ProjectId},
    project::ProjectScope,
    tag::{Tag, TagChange},
    time::Timestamp,
    visibility::Visibility,
};
use flagstone_error::Error;
use flagstone_store::{self as store, db::Tx, tags::Carrier};

use crate::{
    Applied, Author, Begin, Transaction,
    feature::{FeatureChange, Lock, LockedFeature},
    guard::Reach,
};

/// The carriers in the order of the names, each once; or the place of the first name that none has.
fn in_order(mut carriers: Vec<Carrier>, names: &[String]) -> Result<Vec<Carrier>, usize> {
    let mut seen = HashSet::new();
    let names = names.iter().enumerate().filter(|(_, name)| seen.insert(*name));
    names
        .map(|(place, name)| {
            let index = carriers.iter().position(|carrier| carrier.name == *name).ok_or(place)?;
            Ok(carriers.swap_remove(index))
        })
        .collect()
}

/// Adds tags to features, in use or archived, and removes others. A tag that does not exist yet is created. The outcome is
/// the tags that the feature, or the last of them, has then.
#[derive(Debug)]
pub struct ChangeTags<'a> {
    /// Tags to add.
    pub added: Vec<Tag>,
    /// Tags to remove.
    pub removed: Vec<Tag>,
    /// Visibility of other features with the tags.
    pub visibility: &'a Visibility,
    /// Place of the added tags in the input, or of the one where it is `/body`.
    pub path: &'a str,
}

impl FeatureChange for ChangeTags<'_> {
    type Outcome = Vec<Tag>;

    const LOCK: Lock = Lock::Any;

    fn reach(&self) -> Reach<'_> {
        Reach::Nothing
    }

    async fn apply(self, feature: &mut LockedFeature<'_>) -> Result<Applied<Vec<Tag>>, Error> {
        feature.load_tags().await?;
        let carrier = Carrier {
            id: feature.held.id,
            name: feature.name().to_owned(),
            project: feature.project.id().to_owned(),
            tags: feature.tags.clone(),
        };
        let (events, after) = self.apply_to(feature.transaction, vec![carrier]).await?;
        Ok(Applied::with(after, events))
    }
}

impl Author<'_> {
    /// Changes the tags of features of a project in a transaction of its own, or with `dry_run` returns what it would
    /// change. `/body/features` are the names.
    pub async fn change_tags(
        self,
        project: &ProjectScope,
        names: &[String],
        change: ChangeTags<'_>,
        dry_run: bool,
    ) -> Result<ChangesBody, Error> {
        let transaction = self.begin(Begin::Change).await?;
        let carriers = store::tags::hold_features(&transaction.tx, project, names).await?;
        let carriers = in_order(carriers, names).map_err(|index| {
            Error::unknown(format!("/body/features/{index}"), "feature of this project", &names[index])
        })?;
        let (events, _) = change.apply_to(&transaction, carriers).await?;
        transaction.commit_or_preview(events, dry_run).await
    }
}

impl ChangeTags<'_> {
    /// Applies the change to features that the transaction has locked. Returns the events, and the tags of the last.
    async fn apply_to(
        &self,
        transaction: &Transaction<'_>,
        carriers: Vec<Carrier>,
    ) -> Result<(Vec<NewEvent>, Vec<Tag>), Error> {
        let Transaction { tx, now, author, .. } = transaction;
        let Self { visibility, path, .. } = self;
        let place = |index: usize| if *path == "/body" { (*path).to_owned() } else { format!("{path}/{index}") };
        admit_tags(tx, &self.added, visibility, place).await?;
        let actor = author.caller.actor();
        let change = |carrier: Carrier| {
            let change = TagChange::new(carrier.tags.clone(), &self.added, &self.removed);
            (carrier, change)
        };
        let changes: Vec<_> = carriers.into_iter().map(change).collect();
        let mut new_tags = store::tags::change(tx, &changes, visibility, actor.user_id, *now).await?;
        let events = changes.iter().flat_map(|(carrier, change)| {
            let (project, feature) = (ProjectId::new(&carrier.project), FeatureName::new(&carrier.name));
            change.events(project, feature, &actor, &mut new_tags)
        });
        let events = events.collect();
        Ok((events, changes.last().map(|(_, change)| change.after()).unwrap_or_default()))
    }
}

impl Author<'_> {
    /// Creates a tag that no feature has yet: 409 when it exists.
    pub async fn create_tag(self, tag: Tag) -> Result<Tag, Error> {
        let visibility = self.caller.visibility().await?;
        let transaction = self.begin(Begin::Change).await?;
        let tx = &transaction.tx;
        admit_tags(tx, std::slice::from_ref(&tag), &visibility, |_| "/body".to_owned()).await?;
        if !store::tags::make(tx, &tag, &visibility).await? {
            let message = format!("There is a tag \"{}\" of the type \"{}\" already.", tag.value, tag.kind);
            return Err(Error::Conflict(message));
        }
        transaction.commit(vec![tag.created(&self.caller.actor())]).await?;
        Ok(tag)
    }

    /// Deletes a tag for which `meant` holds, and removes it from every feature that the caller may see.
    pub async fn delete_tag(
        self,
        kind: &str,
        value: &str,
        meant: impl Fn(&Tag) -> Result<(), Error> + Send,
    ) -> Result<(), Error> {
        let visibility = self.caller.visibility().await?;
        let transaction = self.begin(Begin::Change).await?;
        let (tx, now) = (&transaction.tx, transaction.now);
        let tag = store::tags::find(tx, kind, value, &visibility).await?;
        let tag = tag.ok_or_else(|| Error::not_found("tag", &format!("{kind}:{value}")))?;
        meant(&tag)?;
        let events = remove(tx, &[tag], (kind, Some(value)), &visibility, &self.caller.actor(), now).await?;
        transaction.commit(events).await
    }
}

/// Refuses the first of these tags that no address can hold, unless it is there already, and the first whose type does
/// not exist; `place` points to the tag at a position. The types of the others stay until the transaction ends.
pub async fn admit_tags(
    tx: &Tx,
    tags: &[Tag],
    visibility: &Visibility,
    place: impl Fn(usize) -> String,
) -> Result<(), Error> {
    for (index, tag) in tags.iter().enumerate() {
        if let Err(fault) = address::judge(Named::Tag, &tag.value)
            && store::tags::find(tx, &tag.kind, &tag.value, visibility).await?.is_none()
        {
            return Err(Error::property(format!("{}/value", place(index)), fault));
        }
    }
    let Some(index) = store::tags::types::first_without_type(tx, tags).await? else { return Ok(()) };
    let rule = format!("must name a tag type that exists; there is no \"{}\"", tags[index].kind);
    Err(Error::property(format!("{}/type", place(index)), rule))
}

/// Removes tags of a type, all or the one with this value, from every visible feature, and altogether unless one stays
/// on a feature that the caller does not see. Returns the events.
pub async fn remove(
    tx: &Tx,
    tags: &[Tag],
    (kind, value): (&str, Option<&str>),
    visibility: &Visibility,
    actor: &Actor,
    now: Timestamp,
) -> Result<Vec<NewEvent>, Error> {
    let carriers = store::tags::hold_carriers(tx, kind, value, visibility).await?;
    let changes: Vec<_> = carriers
        .into_iter()
        .map(|carrier| {
            let change = TagChange::new(carrier.tags.clone(), &[], tags);
            (carrier, change)
        })
        .collect();
    let mut new_tags = HashSet::new();
    store::tags::change(tx, &changes, visibility, actor.user_id, now).await?;
    store::tags::delete(tx, kind, value, visibility).await?;
    let events = changes.iter().flat_map(|(carrier, change)| {
        let (project, feature) = (ProjectId::new(&carrier.project), FeatureName::new(&carrier.name));
        change.events(project, feature, actor, &mut new_tags)
    });
    let mut events: Vec<NewEvent> = events.collect();
    events.extend(tags.iter().map(|tag| tag.deleted(actor)));
    Ok(events)
}
