//! The tags that there are, whether or not a feature carries them.

pub mod types;

use poem::web::Data;
use poem_openapi::{Object, OpenApi, param::Path};
use serde::Serialize;

use crate::{
    api::{
        Tag as Group,
        answer::{Created, Done, Fails, LookupRefusals, Out, QueryRefusals, ReadRefusals, RemoveRefusals},
        author::author,
        body::Body,
        caller::AuthenticatedCaller,
        features::tags::TagsBody,
        permitted::{InSomeProject, Permitted, need},
        tags::types::NewNameRefusals,
        version::{IfMatchHeader, Versioned},
    },
    domain::{tag::Tag, version::Version},
    error::Error,
    state::State,
    store,
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
    async fn get_tags(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
    ) -> Result<Out<TagsBody>, Fails<ReadRefusals>> {
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
        let tag = author(&caller, state).create_tag(tag).await?;
        Ok(Created(TagBody { version: 1, tag }))
    }

    /// List the tags of a type
    ///
    /// Like the list of all tags; a type that does not exist has none.
    #[oai(path = "/api/admin/tags/:type", method = "get", operation_id = "getTagsByType")]
    async fn get_tags_by_type(
        &self,
        caller: AuthenticatedCaller,
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
        caller: AuthenticatedCaller,
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
        #[oai(name = "If-Match")] if_match: IfMatchHeader,
    ) -> Result<Done, Fails<RemoveRefusals>> {
        let meant = |tag: &Tag| if_match.check(Version::of(&TagBody { version: 1, tag: tag.clone() }));
        author(&caller, state).delete_tag(&kind.0, &value.0, meant).await?;
        Ok(Done)
    }
}
