//! Changes of segments.

use flagstone_access::Caller;
use flagstone_config::admit_one_more;
use flagstone_domain::{
    address::{self, Named},
    constraint::Constraint,
    event::NewEvent,
    event_kind::EventKind,
    ids::ProjectId,
    in_use::{LISTED, Subject, User, Users},
    permission::Permission,
    segment::{Segment, value_count},
    version::Version,
};
use flagstone_error::Error;
use flagstone_store::{
    self as store, StoreError, change_requests::segment_uses, context_fields::Which, db::Tx, segments::NewSegment,
};

use crate::{
    Applied, Author, Begin, Transaction, constraints::admit_constraints, guard::Passage, if_match::IfMatch,
    in_use::in_use,
};

/// Content of a segment to create or to update.
#[derive(Debug, Clone)]
pub struct SegmentContent {
    /// Unique name.
    pub name: String,
    /// Description of the segment.
    pub description: Option<String>,
    /// Id of the only project whose strategies may use it.
    pub project: Option<String>,
    /// Conditions that must all hold.
    pub constraints: Vec<Constraint>,
}

impl Author<'_> {
    /// Creates a segment in a transaction of its own.
    pub async fn create_segment(self, content: SegmentContent) -> Result<Segment, Error> {
        require_segment(self.caller, Permission::CreateSegment, content.project.as_deref())?;
        admit_project(self.caller, content.project.as_deref()).await?;
        let transaction = self.begin(Begin::MakingLimited).await?;
        let applied = content.create(&transaction).await?;
        transaction.keep(applied).await
    }

    /// Updates a segment in a transaction of its own. `stored` is the segment as the caller may see it.
    pub async fn update_segment(
        self,
        stored: &Segment,
        content: SegmentContent,
        if_match: &IfMatch,
    ) -> Result<(), Error> {
        require_segment(self.caller, Permission::UpdateSegment, content.project.as_deref())?;
        if stored.project.0 != content.project {
            admit_project(self.caller, content.project.as_deref()).await?;
        }
        let transaction = self.begin(Begin::Change).await?;
        let applied = content.update(&transaction, stored.id, if_match).await?;
        transaction.keep(applied).await
    }

    /// Deletes a segment in a transaction of its own: 409 while anything uses it.
    pub async fn delete_segment(self, id: i64, if_match: &IfMatch) -> Result<(), Error> {
        let transaction = self.begin(Begin::Change).await?;
        let applied = delete(&transaction, id, if_match).await?;
        transaction.keep(applied).await
    }
}

impl SegmentContent {
    /// Creates a segment within a transaction. Whether the caller may see its project has been checked.
    pub async fn create(self, transaction: &Transaction<'_>) -> Result<Applied<Segment>, Error> {
        let Transaction { tx, now, author, .. } = transaction;
        admit_one_more("segment", store::segments::count(tx).await?, author.limits.segments)?;
        self.admit(transaction, None).await?;
        let actor = author.caller.actor();
        let new = NewSegment {
            name: self.name,
            description: self.description,
            project: self.project,
            constraints: self.constraints.into_iter().map(Constraint::normalized).collect(),
            created_by: Some(actor.name.clone()),
        };
        let id = store::segments::insert(tx, &new, *now).await.map_err(|error| taken(error, &new.name))?;
        let segment = Segment {
            id,
            name: new.name,
            description: new.description.into(),
            project: new.project.into(),
            constraints: new.constraints,
            created_by: new.created_by.into(),
            created_at: *now,
            used_in_projects: None,
            used_in_features: None,
        };
        let event = about(NewEvent::new(EventKind::SegmentCreated, &actor), [&segment]).with_data(&segment);
        Ok(Applied::with(segment, vec![event]))
    }

    /// Updates a segment within a transaction.
    pub async fn update(
        self,
        transaction: &Transaction<'_>,
        id: i64,
        if_match: &IfMatch,
    ) -> Result<Applied<()>, Error> {
        let (tx, caller) = (&transaction.tx, transaction.author.caller);
        let before = lock(transaction, Permission::UpdateSegment, id, if_match).await?;
        transaction.guard_segment(&before, self.project.as_deref()).await?;
        self.admit(transaction, Some(&before)).await?;
        if let Some(project) = &self.project
            && before.project.0.as_ref() != Some(project)
            && store::segments::is_used_outside(tx, id, project).await?
        {
            let rule = "must be left out: strategies of other projects apply the segment";
            return Err(Error::property("/body/project", rule));
        }
        let after = Segment {
            name: self.name,
            description: self.description.into(),
            project: self.project.into(),
            constraints: self.constraints.into_iter().map(Constraint::normalized).collect(),
            ..before.clone()
        };
        if before == after {
            return Ok(Applied::nothing(()));
        }
        store::segments::save(tx, &after).await.map_err(|error| taken(error, &after.name))?;
        let event = about(NewEvent::new(EventKind::SegmentUpdated, &caller.actor()), [&before, &after]);
        Ok(Applied::with((), vec![event.with_data(&after).with_pre_data(&before)]))
    }
}

/// Deletes a segment within a transaction: 409 while anything uses it.
pub async fn delete(transaction: &Transaction<'_>, id: i64, if_match: &IfMatch) -> Result<Applied<()>, Error> {
    let (tx, caller) = (&transaction.tx, transaction.author.caller);
    let before = lock(transaction, Permission::DeleteSegment, id, if_match).await?;
    transaction.guard_segment(&before, None).await?;
    let subject = Subject::Segment { id, name: &before.name };
    let users = users(transaction, &subject, id).await?;
    if users.is_used {
        return Err(in_use(&subject, &users));
    }
    match store::segments::delete(tx, id).await {
        // A strategy took it up in this moment.
        Err(error) if error.is_dangling() => return Err(in_use(&subject, &Users::default())),
        outcome => outcome?,
    }
    let event = about(NewEvent::new(EventKind::SegmentDeleted, &caller.actor()), [&before]).with_pre_data(&before);
    Ok(Applied::with((), vec![event]))
}

/// The users of a segment, those in open change requests included, as far as the author may see them.
async fn users(transaction: &Transaction<'_>, subject: &Subject<'_>, id: i64) -> Result<Users, Error> {
    let (tx, caller) = (&transaction.tx, transaction.author.caller);
    let visibility = caller.visibility().await?;
    let mut users = store::in_use::users(tx, subject, &visibility).await?;
    users.is_used |= segment_uses::is_used(tx, id).await?;
    if !users.is_full() {
        let proposed = segment_uses::list(tx, id, &visibility, caller.user_id()).await?;
        users.seen.extend(proposed.into_iter().take(LISTED + 1).map(|found| User::ChangeRequest {
            id: found.change_request_id,
            feature: found.feature,
            project: found.project,
            environment: found.environment,
        }));
    }
    Ok(users)
}

impl SegmentContent {
    /// Refuses a name and constraints that cannot be taken unless they are as `before`, and more values than there may be
    /// unless there were as many.
    async fn admit(&self, transaction: &Transaction<'_>, before: Option<&Segment>) -> Result<(), Error> {
        let tx = &transaction.tx;
        if before.is_none_or(|before| before.name != self.name) {
            admit_name(&self.name)?;
        }
        let project = self.project.as_deref();
        let names = self.constraints.iter().map(|constraint| &*constraint.context_name);
        let fields = store::context_fields::hold_legal_values(tx, Which::usable_in(project), names).await?;
        let held = match before {
            Some(before) => kept_constraints(tx, before, project).await?,
            None => Vec::new(),
        };
        admit_constraints(&self.constraints, &held, &fields, "/body/constraints")?;
        let values_before = before.map_or(0, Segment::value_count);
        let (values, limit) = (value_count(&self.constraints), transaction.author.limits.segment_values);
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

/// Refuses a name that no address can hold.
pub fn admit_name(name: &str) -> Result<(), Error> {
    address::judge(Named::Segment, name).map_err(|fault| Error::property("/body/name", fault))
}

/// 403 for callers who may do this nowhere: to no segment, and to those of no project.
pub fn require_segments_somewhere(caller: &Caller, need: Permission) -> Result<(), Error> {
    if caller.grants().allow_somewhere(Permission::UpdateProjectSegment) { Ok(()) } else { caller.require(need) }
}

/// Requires a permission for segments: that for all, or that for those of the project that the segment belongs to.
pub fn require_segment(caller: &Caller, need: Permission, project: Option<&str>) -> Result<(), Error> {
    let in_project = Permission::UpdateProjectSegment;
    match project {
        Some(project) if caller.grants().allow(in_project, Some(ProjectId::new(project)), None) => Ok(()),
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
pub async fn visible(caller: &Caller, segment: Option<Segment>, id: i64) -> Result<Segment, Error> {
    let visibility = caller.visibility().await?;
    let shown = segment.filter(|segment| segment.project.0.as_ref().is_none_or(|project| visibility.admits(project)));
    shown.ok_or_else(|| Error::no_id("segment", id))
}

/// Locks a segment that the author may change, or that an approved request changes, in the state that the change is meant
/// for.
async fn lock(transaction: &Transaction<'_>, need: Permission, id: i64, if_match: &IfMatch) -> Result<Segment, Error> {
    let caller = transaction.author.caller;
    let held = store::segments::hold(&transaction.tx, id).await?;
    let segment = if transaction.author.passage == Passage::Direct {
        let segment = visible(caller, held, id).await?;
        require_segment(caller, need, segment.project.0.as_deref())?;
        segment
    } else {
        held.ok_or_else(|| Error::no_id("segment", id))?
    };
    if_match.check(Version::of(&segment))?;
    Ok(segment)
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

/// Message that the name of a segment is taken.
pub fn name_taken(name: &str) -> String {
    format!("There is a segment named \"{name}\" already.")
}
