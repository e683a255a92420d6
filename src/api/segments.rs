//! Segments: constraints with a name, shared between strategies.

use poem::web::Data;
use poem_openapi::{Object, OpenApi, param::Path};
use serde::Serialize;

use crate::{
    access::Caller,
    api::{
        Tag,
        answer::{Created, Fails, LookupRefusals, NoContent, Out, ReadRefusals, RemoveUnusedRefusals, refusals},
        body::Body,
        in_use::{in_use, require_unused},
        strategies::constraints::admit_constraints,
        tags::types::NewNameRefusals,
        version::{IfMatch, Versioned},
    },
    config::admit_one_more,
    domain::{
        address::{self, Named},
        constraint::Constraint,
        event::NewEvent,
        event_kind::EventKind,
        in_use::{Subject, Users},
        permission::Permission,
        segment::{Segment, value_count},
        version::Version,
    },
    error::Error,
    state::State,
    store::{self, StoreError, context_fields::Which, db::Tx, segments::NewSegment},
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
        caller: Caller,
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
        caller: Caller,
        Data(state): Data<&State>,
        body: Body<SegmentBody>,
    ) -> Result<Created<Segment>, Fails<NewNameRefusals>> {
        let need = Permission::CreateSegment;
        require_somewhere(&caller, need)?;
        let body = body.read()?;
        let project = body.project.clone().and_then(Nullable::into_inner);
        require_segment(&caller, need, project.as_deref())?;
        admit_project(&caller, project.as_deref()).await?;
        let now = state.clock.now();
        let tx = store::limits::begin_making(&state.db).await?;
        admit_one_more("segment", store::segments::count(&tx).await?, state.config.limits.segments)?;
        body.admit(&tx, state, None).await?;
        let actor = caller.actor();
        let new = NewSegment {
            name: body.name,
            description: body.description.and_then(Nullable::into_inner),
            project,
            constraints: body.constraints.0.into_iter().map(Constraint::normalized).collect(),
            created_by: Some(actor.name.clone()),
        };
        let id = store::segments::insert(&tx, &new, now).await.map_err(|error| taken(error, &new.name))?;
        let segment = Segment {
            id,
            name: new.name,
            description: new.description.into(),
            project: new.project.into(),
            constraints: new.constraints,
            created_by: new.created_by.into(),
            created_at: now,
            used_in_projects: None,
            used_in_features: None,
        };
        let event = about(NewEvent::new(EventKind::SegmentCreated, &actor), [&segment]).with_data(&segment);
        tx.commit(now, [event]).await?;
        Ok(Created(segment))
    }

    /// Validate a segment name
    ///
    /// Refused when the name is invalid or taken.
    #[oai(path = "/api/admin/segments/validate", method = "post", operation_id = "validateSegment")]
    async fn validate_segment(
        &self,
        _caller: Caller,
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
        caller: Caller,
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
        caller: Caller,
        Data(state): Data<&State>,
        #[oai(name = "segmentId")] id: Path<i64>,
        #[oai(name = "If-Match")] if_match: IfMatch,
        body: Body<SegmentBody>,
    ) -> Result<NoContent, Fails<RenameRefusals>> {
        let need = Permission::UpdateSegment;
        let stored = admit(&caller, state, need, id.0).await?;
        let body = body.read()?;
        let project = body.project.clone().and_then(Nullable::into_inner);
        require_segment(&caller, need, project.as_deref())?;
        if stored.project.0 != project {
            admit_project(&caller, project.as_deref()).await?;
        }
        let (tx, before) = hold(&caller, state, need, id.0, &if_match).await?;
        body.admit(&tx, state, Some(&before)).await?;
        if let Some(project) = &project
            && before.project.0.as_ref() != Some(project)
            && store::segments::is_used_outside(&tx, id.0, project).await?
        {
            let rule = "must be left out: strategies of other projects apply the segment";
            return Err(Error::property("/body/project", rule).into());
        }
        let after = Segment {
            name: body.name,
            description: body.description.unwrap_or_default(),
            project: project.into(),
            constraints: body.constraints.0.into_iter().map(Constraint::normalized).collect(),
            ..before.clone()
        };
        if before != after {
            store::segments::save(&tx, &after).await.map_err(|error| taken(error, &after.name))?;
            let event = about(NewEvent::new(EventKind::SegmentUpdated, &caller.actor()), [&before, &after]);
            tx.commit(state.clock.now(), [event.with_data(&after).with_pre_data(&before)]).await?;
        }
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
        caller: Caller,
        Data(state): Data<&State>,
        #[oai(name = "segmentId")] id: Path<i64>,
        #[oai(name = "If-Match")] if_match: IfMatch,
    ) -> Result<NoContent, Fails<RemoveUnusedRefusals>> {
        let need = Permission::DeleteSegment;
        admit(&caller, state, need, id.0).await?;
        let (tx, before) = hold(&caller, state, need, id.0, &if_match).await?;
        let subject = Subject::Segment { id: id.0, name: &before.name };
        require_unused(&tx, &subject, &caller.visibility().await?).await?;
        match store::segments::delete(&tx, id.0).await {
            // A strategy took it up in this moment.
            Err(error) if error.is_dangling() => return Err(in_use(&subject, &Users::default()).into()),
            outcome => outcome?,
        }
        let event = about(NewEvent::new(EventKind::SegmentDeleted, &caller.actor()), [&before]).with_pre_data(&before);
        tx.commit(state.clock.now(), [event]).await?;
        Ok(NoContent)
    }
}

impl SegmentBody {
    /// Refuses a name and constraints that cannot be taken unless they are as `before`, and more values than there may be
    /// unless there were as many.
    async fn admit(&self, tx: &Tx, state: &State, before: Option<&Segment>) -> Result<(), Error> {
        if before.is_none_or(|before| before.name != self.name) {
            admit_name(&self.name)?;
        }
        let project = self.project.as_ref().and_then(|project| project.0.as_deref());
        let names = self.constraints.0.iter().map(|constraint| &*constraint.context_name);
        let fields = store::context_fields::hold_legal_values(tx, Which::usable_in(project), names).await?;
        let held = match before {
            Some(before) => kept_constraints(tx, before, project).await?,
            None => Vec::new(),
        };
        admit_constraints(&self.constraints.0, &held, &fields, "/body/constraints")?;
        let values_before = before.map_or(0, Segment::value_count);
        let (values, limit) = (value_count(&self.constraints.0), state.config.limits.segment_values);
        if values > limit && values > values_before {
            let message = format!("The constraints of a segment list at most {limit} values; these list {values}.");
            return Err(Error::ExceedsLimit(message));
        }
        Ok(())
    }
}

/// The constraints that a segment may keep in a project, or as one of the whole instance. Outside the project that it
/// belonged to, those on fields of that project are judged as if they were new.
async fn kept_constraints(tx: &Tx, before: &Segment, project: Option<&str>) -> Result<Vec<Constraint>, Error> {
    let mut kept = before.constraints.clone();
    if let Some(left) = before.project.0.as_deref().filter(|left| Some(*left) != project) {
        let lost = store::context_fields::names_of(tx, left).await?;
        kept.retain(|constraint| !lost.contains(&constraint.context_name));
    }
    Ok(kept)
}

fn admit_name(name: &str) -> Result<(), Error> {
    address::judge(Named::Segment, name).map_err(|fault| Error::property("/body/name", fault))
}

/// 403 for callers who may do this nowhere: to no segment, and to those of no project.
fn require_somewhere(caller: &Caller, need: Permission) -> Result<(), Error> {
    if caller.grants().allow_somewhere(Permission::UpdateProjectSegment) { Ok(()) } else { caller.require(need) }
}

/// Requires a permission for segments: that for all, or that for those of the project that the segment belongs to.
fn require_segment(caller: &Caller, need: Permission, project: Option<&str>) -> Result<(), Error> {
    let in_project = Permission::UpdateProjectSegment;
    match project {
        Some(project) if caller.grants().allow(in_project, Some(project), None) => Ok(()),
        Some(_) => {
            caller.require(need).map_err(|_| Error::NoAccess { permissions: vec![need, in_project], environment: None })
        }
        None => caller.require(need),
    }
}

/// Refuses a project that does not exist or is hidden from the caller.
async fn admit_project(caller: &Caller, project: Option<&str>) -> Result<(), Error> {
    let Some(id) = project else { return Ok(()) };
    match caller.visible_project(id).await {
        Err(Error::NotFound(_)) => {
            Err(Error::property("/body/project", format!("must be the id of a project; there is no \"{id}\"")))
        }
        outcome => outcome.map(|_| ()),
    }
}

/// The segment, if the caller may see it.
pub(super) async fn visible(caller: &Caller, segment: Option<Segment>, id: i64) -> Result<Segment, Error> {
    let visibility = caller.visibility().await?;
    let shown = segment.filter(|segment| segment.project.0.as_ref().is_none_or(|project| visibility.admits(project)));
    shown.ok_or_else(|| Error::no_id("segment", id))
}

/// The segment, if the caller may do this to it: 403 without the permission, whether or not it exists, then 404.
async fn admit(caller: &Caller, state: &State, need: Permission, id: i64) -> Result<Segment, Error> {
    let segment = store::segments::find(&state.db, id).await?;
    let project = segment.as_ref().and_then(|segment| segment.project.0.as_deref());
    require_segment(caller, need, project).or_else(|_| caller.require(need))?;
    visible(caller, segment, id).await
}

/// Starts a transaction that holds the segment in the state that the change is meant for, in which its project may
/// have become another.
async fn hold(
    caller: &Caller,
    state: &State,
    need: Permission,
    id: i64,
    if_match: &IfMatch,
) -> Result<(Tx, Segment), Error> {
    let tx = state.db.begin().await?;
    let segment = visible(caller, store::segments::hold(&tx, id).await?, id).await?;
    require_segment(caller, need, segment.project.0.as_deref())?;
    if_match.check(Version::of(&segment))?;
    Ok((tx, segment))
}

/// The event names every project that the segment belonged or belongs to: who may not see one of them does not see it.
fn about<const N: usize>(event: NewEvent, segments: [&Segment; N]) -> NewEvent {
    let mut projects: Vec<&str> = segments.into_iter().filter_map(|segment| segment.project.0.as_deref()).collect();
    projects.dedup();
    if projects.is_empty() { event } else { event.in_project(&projects.join(",")) }
}

fn taken(error: StoreError, name: &str) -> Error {
    if error.is_duplicate() { Error::Conflict(name_taken(name)) } else { error.into() }
}

fn name_taken(name: &str) -> String {
    format!("There is a segment named \"{name}\" already.")
}
