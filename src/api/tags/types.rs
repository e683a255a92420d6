//! The kinds of tags.

use poem::web::Data;
use poem_openapi::{Object, OpenApi, param::Path};
use serde::Serialize;

use crate::{
    api::{
        Tag as Group,
        answer::{
            Created, Done, EditRefusals, Fails, LookupRefusals, Out, ReadRefusals, RemoveUnusedRefusals, refusals,
        },
        author::author,
        body::Body,
        caller::AuthenticatedCaller,
        permitted::{Permitted, need},
        version::{IfMatchHeader, Versioned},
    },
    changes::tag_types::{missing, taken},
    domain::{
        address::{self, Named},
        tag::TagType,
        version::Version,
    },
    error::Error,
    state::State,
    store,
    wire::Nullable,
};

refusals! {
    /// Writes with a body that make something whose name may be taken, where nothing else has to exist.
    NewNameRefusals = 400, 401, 403, 409, 413, 415, 503;
}

/// The operations on tag types.
#[derive(Debug)]
pub struct TagTypesApi;

/// The tag types.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "TagTypes", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct TagTypesBody {
    /// Version of this format: 1.
    pub version: i64,
    /// The types, by name.
    pub tag_types: Vec<TagType>,
}

/// One tag type.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "TagTypeWithVersion", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct TagTypeBody {
    /// Version of this format: 1.
    pub version: i64,
    /// The type.
    pub tag_type: TagType,
}

impl TagTypeBody {
    const fn new(tag_type: TagType) -> Self {
        Self { version: 1, tag_type }
    }
}

/// Result of the validation of a tag type.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "ValidTagType", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct ValidTagTypeBody {
    /// Always true: an invalid type is refused.
    pub valid: bool,
    /// The type as it would be stored.
    pub tag_type: TagType,
}

/// A tag type to create.
#[derive(Debug, Clone, Object)]
#[oai(rename = "CreateTagType")]
pub struct CreateTagTypeBody {
    /// Unique name: 2 to 50 characters that need no encoding in a URL.
    #[oai(validator(min_length = 2, max_length = 50, pattern = r"^[A-Za-z0-9_.!~*'()-]*$"))]
    pub name: String,
    /// Purpose of tags of this type, at most 1000 characters. Absent or `null` means the empty text.
    #[oai(validator(max_length = 1000))]
    pub description: Option<Nullable<String>>,
    /// Icon of tags of this type, at most 255 characters. Absent or `null` means none.
    #[oai(validator(max_length = 255))]
    pub icon: Option<Nullable<String>>,
}

/// Settings of a tag type. What is absent is reset.
#[derive(Debug, Clone, Object)]
#[oai(rename = "UpdateTagType")]
pub struct UpdateTagTypeBody {
    /// Purpose of tags of this type, at most 1000 characters. Absent or `null` means the empty text.
    #[oai(validator(max_length = 1000))]
    pub description: Option<Nullable<String>>,
    /// Icon of tags of this type, at most 255 characters. Absent or `null` means none.
    #[oai(validator(max_length = 255))]
    pub icon: Option<Nullable<String>>,
}

impl UpdateTagTypeBody {
    fn named(self, name: String) -> TagType {
        let description = self.description.and_then(Nullable::into_inner).unwrap_or_default();
        let icon = self.icon.and_then(Nullable::into_inner).into();
        TagType { name, description: Some(description), icon: Some(icon) }
    }
}

impl From<CreateTagTypeBody> for TagType {
    fn from(body: CreateTagTypeBody) -> Self {
        UpdateTagTypeBody { description: body.description, icon: body.icon }.named(body.name)
    }
}

#[OpenApi(tag = "Group::Tags")]
impl TagTypesApi {
    /// List the tag types
    ///
    /// All tag types, regardless of the projects that use them.
    #[oai(path = "/api/admin/tag-types", method = "get", operation_id = "getTagTypes")]
    async fn get_tag_types(
        &self,
        _caller: AuthenticatedCaller,
        Data(state): Data<&State>,
    ) -> Result<Out<TagTypesBody>, Fails<ReadRefusals>> {
        Ok(Out(TagTypesBody { version: 1, tag_types: store::tags::types::list(&state.db).await? }))
    }

    /// Create a tag type
    ///
    /// Features can then be given tags of the type.
    #[oai(path = "/api/admin/tag-types", method = "post", operation_id = "createTagType")]
    async fn create_tag_type(
        &self,
        caller: Permitted<need::CreateTagType>,
        Data(state): Data<&State>,
        body: Body<CreateTagTypeBody>,
    ) -> Result<Created<TagType>, Fails<NewNameRefusals>> {
        let new = admitted(body.read()?)?;
        Ok(Created(author(&caller, state).create_tag_type(new).await?))
    }

    /// Validate a tag type
    ///
    /// Refused for the same reasons as creating it; nothing is stored.
    #[oai(path = "/api/admin/tag-types/validate", method = "post", operation_id = "validateTagType")]
    async fn validate_tag_type(
        &self,
        _caller: Permitted<need::MakeTagType>,
        Data(state): Data<&State>,
        body: Body<CreateTagTypeBody>,
    ) -> Result<Out<ValidTagTypeBody>, Fails<NewNameRefusals>> {
        let tag_type = admitted(body.read()?)?;
        if store::tags::types::exists(&state.db, &tag_type.name).await? {
            return Err(taken(&tag_type.name).into());
        }
        Ok(Out(ValidTagTypeBody { valid: true, tag_type }))
    }

    /// Get a tag type
    ///
    /// The `ETag` is the version to send as `If-Match`.
    #[oai(path = "/api/admin/tag-types/:tagType", method = "get", operation_id = "getTagType")]
    async fn get_tag_type(
        &self,
        _caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        #[oai(name = "tagType")] name: Path<String>,
    ) -> Result<Versioned<TagTypeBody>, Fails<LookupRefusals>> {
        let found = store::tags::types::find(&state.db, &name.0).await?;
        Ok(Versioned::whole(TagTypeBody::new(found.ok_or_else(|| missing(&name.0))?)))
    }

    /// Update a tag type
    ///
    /// Replaces the description and the icon: what is absent is reset. The name cannot be changed. A request that
    /// changes nothing leaves no event.
    #[oai(path = "/api/admin/tag-types/:tagType", method = "put", operation_id = "updateTagType")]
    async fn update_tag_type(
        &self,
        caller: Permitted<need::UpdateTagType>,
        Data(state): Data<&State>,
        #[oai(name = "tagType")] name: Path<String>,
        #[oai(name = "If-Match")] if_match: IfMatchHeader,
        body: Body<UpdateTagTypeBody>,
    ) -> Result<Done, Fails<EditRefusals>> {
        let body = body.read()?;
        let meant = |before: &TagType| if_match.check(Version::of(&TagTypeBody::new(before.clone())));
        author(&caller, state).update_tag_type(body.named(name.0), meant).await?;
        Ok(Done)
    }

    /// Delete a tag type
    ///
    /// Deletes its tags as well, with an event for each. 409 while any feature has one of them, archived or not; the error
    /// names those features that the caller may see. `addTagToFeatures` takes tags off many features at once.
    #[oai(path = "/api/admin/tag-types/:tagType", method = "delete", operation_id = "deleteTagType")]
    async fn delete_tag_type(
        &self,
        caller: Permitted<need::DeleteTagType>,
        Data(state): Data<&State>,
        #[oai(name = "tagType")] name: Path<String>,
        #[oai(name = "If-Match")] if_match: IfMatchHeader,
    ) -> Result<Done, Fails<RemoveUnusedRefusals>> {
        let meant = |before: &TagType| if_match.check(Version::of(&TagTypeBody::new(before.clone())));
        author(&caller, state).delete_tag_type(&name.0, meant).await?;
        Ok(Done)
    }
}

/// Returns the type of a body, if something new may be named so.
fn admitted(body: CreateTagTypeBody) -> Result<TagType, Error> {
    address::judge(Named::TagType, &body.name).map_err(|fault| Error::property("/body/name", fault))?;
    Ok(body.into())
}
