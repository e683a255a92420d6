//! The tags that there are, whether or not a feature carries them.

pub mod types;

use std::collections::HashSet;

use poem::web::Data;
use poem_openapi::{Object, OpenApi, param::Path};
use serde::Serialize;

use crate::{
    access::Caller,
    api::{
        Tag as Group,
        answer::{Created, Done, Fails, LookupRefusals, Out, QueryRefusals, ReadRefusals, RemoveRefusals},
        body::Body,
        features::tags::TagsBody,
        permitted::{InSomeProject, Permitted, need},
        tags::types::NewNameRefusals,
        version::{IfMatch, Versioned},
    },
    domain::{
        actor::Actor,
        address::{self, Named},
        event::NewEvent,
        tag::{Tag, TagChange},
        time::Timestamp,
        version::Version,
        visibility::Visibility,
    },
    error::Error,
    state::State,
    store::{self, db::Tx},
};

/// The operations on tags themselves.
#[derive(Debug)]
pub struct TagsApi;

/// The operations in this folder and this file.
pub fn operations() -> impl OpenApi {
    (TagsApi, types::TagTypesApi)
}

/// A tag.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
#[oai(rename = "TagWithVersion")]
pub struct TagBody {
    /// Version of this format: 1.
    pub version: i64,
    /// The tag.
    pub tag: Tag,
}

#[OpenApi(tag = "Group::Tags")]
impl TagsApi {
    /// List the tags
    ///
    /// Includes tags that no feature has, but leaves out tags that only hidden features have.
    #[oai(path = "/api/admin/tags", method = "get", operation_id = "getTags")]
    async fn get_tags(&self, caller: Caller, Data(state): Data<&State>) -> Result<Out<TagsBody>, Fails<ReadRefusals>> {
        let tags = store::tags::list(&state.db, None, &caller.visibility().await?).await?;
        Ok(Out(tags.into()))
    }

    /// Create a tag
    ///
    /// Creates a tag that features can be given later. Its type must exist.
    #[oai(path = "/api/admin/tags", method = "post", operation_id = "createTag")]
    async fn create_tag(
        &self,
        caller: Permitted<need::UpdateFeature, InSomeProject>,
        Data(state): Data<&State>,
        body: Body<Tag>,
    ) -> Result<Created<TagBody>, Fails<NewNameRefusals>> {
        let tag = body.read()?;
        let visibility = caller.visibility().await?;
        let tx = state.db.begin().await?;
        admit_tags(&tx, std::slice::from_ref(&tag), &visibility, |_| "/body".to_owned()).await?;
        if !store::tags::make(&tx, &tag, &visibility).await? {
            let message = format!("There is a tag \"{}\" of the type \"{}\" already.", tag.value, tag.kind);
            return Err(Error::Conflict(message).into());
        }
        tx.commit(state.clock.now(), [tag.created(&caller.actor())]).await?;
        Ok(Created(TagBody { version: 1, tag }))
    }

    /// List the tags of a type
    ///
    /// Like the list of all tags; a type that does not exist has none.
    #[oai(path = "/api/admin/tags/:type", method = "get", operation_id = "getTagsByType")]
    async fn get_tags_by_type(
        &self,
        caller: Caller,
        Data(state): Data<&State>,
        #[oai(name = "type", validator(max_length = 255))] kind: Path<String>,
    ) -> Result<Out<TagsBody>, Fails<QueryRefusals>> {
        let tags = store::tags::list(&state.db, Some(&kind.0), &caller.visibility().await?).await?;
        Ok(Out(tags.into()))
    }

    /// Get a tag
    ///
    /// To learn whether it exists.
    #[oai(path = "/api/admin/tags/:type/:value", method = "get", operation_id = "getTag")]
    async fn get_tag(
        &self,
        caller: Caller,
        Data(state): Data<&State>,
        #[oai(name = "type")] kind: Path<String>,
        value: Path<String>,
    ) -> Result<Versioned<TagBody>, Fails<LookupRefusals>> {
        let tag = store::tags::find(&state.db, &kind.0, &value.0, &caller.visibility().await?).await?;
        let tag = tag.ok_or_else(|| Error::not_found("tag", &format!("{}:{}", kind.0, value.0)))?;
        Ok(Versioned::whole(TagBody { version: 1, tag }))
    }

    /// Delete a tag
    ///
    /// Removes the tag from every feature that the caller may see, with an event for each. Features of hidden projects
    /// keep it, and the tag stays hidden with them.
    #[oai(path = "/api/admin/tags/:type/:value", method = "delete", operation_id = "deleteTag")]
    async fn delete_tag(
        &self,
        caller: Permitted<need::UpdateFeature>,
        Data(state): Data<&State>,
        #[oai(name = "type")] kind: Path<String>,
        value: Path<String>,
        #[oai(name = "If-Match")] if_match: IfMatch,
    ) -> Result<Done, Fails<RemoveRefusals>> {
        let (now, visibility) = (state.clock.now(), caller.visibility().await?);
        let tx = state.db.begin().await?;
        let tag = store::tags::find(&tx, &kind.0, &value.0, &visibility).await?;
        let tag = tag.ok_or_else(|| Error::not_found("tag", &format!("{}:{}", kind.0, value.0)))?;
        if_match.check(Version::of(&TagBody { version: 1, tag: tag.clone() }))?;
        let events = remove(&tx, &[tag], (&kind.0, Some(&value.0)), &visibility, &caller.actor(), now).await?;
        tx.commit(now, events).await?;
        Ok(Done)
    }
}

/// Refuses the first of these tags that no address can hold, unless it is there already, and the first whose type does
/// not exist; `place` points to the tag at a position. The types of the others stay until the transaction ends.
pub(in crate::api) async fn admit_tags(
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
pub(super) async fn remove(
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
    let mut events: Vec<NewEvent> = changes
        .iter()
        .flat_map(|(carrier, change)| change.events(&carrier.project, &carrier.name, actor, &mut new_tags))
        .collect();
    events.extend(tags.iter().map(|tag| tag.deleted(actor)));
    Ok(events)
}
