//! Segments: constraints with a name, shared between strategies.

use poem::web::Data;
use poem_openapi::{Object, OpenApi, param::Path};
use serde::Serialize;

use crate::{
    access::Caller,
    api::{
        Tag,
        answer::{Created, Fails, LookupRefusals, NoContent, Out, ReadRefusals, RemoveUnusedRefusals, refusals},
        author::author,
        body::Body,
        caller::AuthenticatedCaller,
        tags::types::NewNameRefusals,
        version::{IfMatchHeader, Versioned},
    },
    changes::segments::{SegmentContent, admit_name, name_taken, require_segment, require_segments_somewhere, visible},
    domain::{constraint::Constraint, permission::Permission, segment::Segment},
    error::Error,
    state::State,
    store,
    wire::{AtMost, Nullable},
};

refusals! {
    /// Writes with a body, to one named thing in the state that `If-Match` names, whose new name may be taken.
    RenameRefusals = 400, 401, 403, 404, 409, 412, 413, 415, 503;
}

/// The operations on segments.
#[derive(Debug)]
pub struct SegmentsApi;

/// The segments.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "Segments")]
pub struct SegmentsBody {
    /// The segments, by name.
    pub segments: Vec<Segment>,
}

/// Settings of a segment.
#[derive(Debug, Clone, Object)]
#[oai(rename = "UpsertSegment")]
pub struct SegmentBody {
    /// Unique name, 1 to 255 characters.
    #[oai(validator(min_length = 1, max_length = 255, pattern = r"\S"))]
    pub name: String,
    /// Description of the segment, at most 1000 characters. Absent or `null` means none.
    #[oai(validator(max_length = 1000))]
    pub description: Option<Nullable<String>>,
    /// Id of the only project whose strategies may use it. Absent or `null` means that all may.
    #[oai(validator(max_length = 100))]
    pub project: Option<Nullable<String>>,
    /// Conditions that must all hold, at most 1000. The total number of values, including single `value`s, is limited
    /// by the instance. Each must use a context field of the whole instance or of the segment's project, and legal
    /// values of it.
    pub constraints: AtMost<1000, Constraint>,
}

/// A name for a segment.
#[derive(Debug, Clone, Object)]
#[oai(rename = "SegmentName")]
pub struct SegmentNameBody {
    /// The name, 1 to 255 characters.
    #[oai(validator(min_length = 1, max_length = 255, pattern = r"\S"))]
    pub name: String,
}

#[OpenApi(tag = "Tag::Segments")]
impl SegmentsApi {
    /// List the segments
    ///
    /// By name, each with the number of projects and features whose strategies use it. Projects that are hidden from
    /// the caller are left out and not counted.
    #[oai(path = "/api/admin/segments", method = "get", operation_id = "getSegments")]
    async fn get_segments(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
    ) -> Result<Out<SegmentsBody>, Fails<ReadRefusals>> {
        let segments = store::segments::list(&state.db, &caller.visibility().await?).await?;
        Ok(Out(SegmentsBody { segments }))
    }

    /// Create a segment
    ///
    /// Strategies of all projects, or of the one that it names, can then use the segment. Needs `CREATE_SEGMENT`; for a
    /// segment of one project, `UPDATE_PROJECT_SEGMENT` there is enough.
    #[oai(path = "/api/admin/segments", method = "post", operation_id = "createSegment")]
    async fn create_segment(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        body: Body<SegmentBody>,
    ) -> Result<Created<Segment>, Fails<NewNameRefusals>> {
        require_segments_somewhere(&caller, Permission::CreateSegment)?;
        let content = body.read()?.content();
        Ok(Created(author(&caller, state).create_segment(content).await?))
    }

    /// Validate a segment name
    ///
    /// Refused when the name is invalid or taken.
    #[oai(path = "/api/admin/segments/validate", method = "post", operation_id = "validateSegment")]
    async fn validate_segment(
        &self,
        _caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        body: Body<SegmentNameBody>,
    ) -> Result<NoContent, Fails<NewNameRefusals>> {
        let name = body.read()?.name;
        admit_name(&name)?;
        if store::segments::exists(&state.db, &name).await? {
            return Err(Error::Conflict(name_taken(&name)).into());
        }
        Ok(NoContent)
    }

    /// Get a segment
    ///
    /// The `ETag` is the version to send as `If-Match`. Usage counts are in the list only.
    #[oai(path = "/api/admin/segments/:segmentId", method = "get", operation_id = "getSegment")]
    async fn get_segment(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        #[oai(name = "segmentId")] id: Path<i64>,
    ) -> Result<Versioned<Segment>, Fails<LookupRefusals>> {
        Ok(Versioned::whole(visible(&caller, store::segments::find(&state.db, id.0).await?, id.0).await?))
    }

    /// Update a segment
    ///
    /// Replaces the stored values: what is absent is reset. Strategies that use the segment change at once. It cannot
    /// be bound to a project while strategies of other projects use it. A request that changes nothing leaves no event.
    /// Needs `UPDATE_SEGMENT`; for a segment that belongs to one project, and stays in it or goes to another,
    /// `UPDATE_PROJECT_SEGMENT` in both is enough.
    #[oai(path = "/api/admin/segments/:segmentId", method = "put", operation_id = "updateSegment")]
    async fn update_segment(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        #[oai(name = "segmentId")] id: Path<i64>,
        #[oai(name = "If-Match")] if_match: IfMatchHeader,
        body: Body<SegmentBody>,
    ) -> Result<NoContent, Fails<RenameRefusals>> {
        let stored = admit(&caller, state, Permission::UpdateSegment, id.0).await?;
        let content = body.read()?.content();
        author(&caller, state).update_segment(&stored, content, &if_match).await?;
        Ok(NoContent)
    }

    /// Delete a segment
    ///
    /// Refused while any strategy uses it, also of an archived feature, and while features of a project start with it; the
    /// error names those that the caller may see. Needs `DELETE_SEGMENT`; for a segment of one
    /// project, `UPDATE_PROJECT_SEGMENT` there is enough.
    #[oai(path = "/api/admin/segments/:segmentId", method = "delete", operation_id = "removeSegment")]
    async fn remove_segment(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        #[oai(name = "segmentId")] id: Path<i64>,
        #[oai(name = "If-Match")] if_match: IfMatchHeader,
    ) -> Result<NoContent, Fails<RemoveUnusedRefusals>> {
        admit(&caller, state, Permission::DeleteSegment, id.0).await?;
        author(&caller, state).delete_segment(id.0, &if_match).await?;
        Ok(NoContent)
    }
}

impl SegmentBody {
    fn content(self) -> SegmentContent {
        SegmentContent {
            name: self.name,
            description: self.description.and_then(Nullable::into_inner),
            project: self.project.and_then(Nullable::into_inner),
            constraints: self.constraints.0,
        }
    }
}

/// The segment, if the caller may do this to it: 403 without the permission, whether or not it exists, then 404.
async fn admit(caller: &Caller, state: &State, need: Permission, id: i64) -> Result<Segment, Error> {
    let segment = store::segments::find(&state.db, id).await?;
    let project = segment.as_ref().and_then(|segment| segment.project.0.as_deref());
    require_segment(caller, need, project).or_else(|_| caller.require(need))?;
    visible(caller, segment, id).await
}
