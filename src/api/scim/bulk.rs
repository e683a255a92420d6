//! Bulks: many operations in one request, each like a request of its own.

use std::collections::HashMap;

use futures_util::FutureExt as _;
use poem::{http::StatusCode, web::Data};
use poem_openapi::{Object, OpenApi};
use serde::Serialize;
use serde_json::Value;

use super::{
    answer::{BulkRefusals, Resource},
    body::{GroupBody, PatchBody, UserBody},
    directory::Directory,
    groups,
    refusal::{Failure, ScimErrorBody, ScimFails, body_of},
    users,
};
use crate::{
    api::{
        Tag,
        body::{Tolerant, read_part},
    },
    changes::if_match::IfMatch,
    domain::scim::{
        Fault, FaultKind,
        bulk::{Endpoint, MOST_BULK_OPERATIONS, Target, order, reference, visit_references},
        tolerance,
    },
    error::Error,
    state::State,
    store,
};

/// The schema of answers to bulks.
const ANSWER_SCHEMA: &str = "urn:ietf:params:scim:api:messages:2.0:BulkResponse";

/// The operation for bulks.
#[derive(Debug)]
pub struct ScimBulkApi;

/// Operations of a directory, each of which stands alone.
#[derive(Debug, Object)]
#[oai(rename = "ScimBulk", rename_all = "camelCase")]
pub struct BulkBody {
    /// Number of failed operations, at least 1, after which no more are begun. Absent: all are begun.
    #[oai(validator(minimum(value = "1")))]
    pub fail_on_errors: Option<i64>,
    /// The operations, 1 to 1000.
    #[oai(rename = "Operations", validator(min_items = 1, max_items = 1000))]
    pub operations: Vec<BulkOperationBody>,
}

/// An operation of a bulk.
#[derive(Debug, Object)]
#[oai(rename = "ScimBulkOperation", rename_all = "camelCase")]
pub struct BulkOperationBody {
    /// The method: `POST`, `PUT`, `PATCH` or `DELETE`. At most 20 characters.
    #[oai(validator(max_length = 20))]
    pub method: String,
    /// Name of the operation, unique among those of the method `POST`, which need one: `bulkId:` and the name, as the
    /// `value` of a member or in a `path`, stand for the id of what it creates. At most 255 characters.
    #[oai(validator(min_length = 1, max_length = 255))]
    pub bulk_id: Option<String>,
    /// Version of the resource that the change is meant for, as in `If-Match`. Absent: any. At most 255 characters.
    #[oai(validator(max_length = 255))]
    pub version: Option<String>,
    /// The path below `/scim`: `/Users` or `/Groups`, for changes and deletion with an id behind it. At most 1000
    /// characters.
    #[oai(validator(max_length = 1000))]
    pub path: String,
    /// The body of the operation: that of `createScimUser`, `replaceScimUser`, `changeScimUser` or of those on groups.
    /// Absent for deletion.
    pub data: Option<Value>,
}

/// Outcomes of the operations of a bulk.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "ScimBulkAnswer", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct BulkAnswerBody {
    /// The schema of answers to bulks.
    pub schemas: Vec<String>,
    /// The operations that were begun, in the order of the request.
    #[oai(rename = "Operations")]
    #[serde(rename = "Operations")]
    pub operations: Vec<BulkOutcomeBody>,
}

/// Outcome of an operation of a bulk.
#[serde_with_macros::skip_serializing_none]
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "ScimBulkOutcome", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct BulkOutcomeBody {
    /// The method, as it was sent.
    pub method: String,
    /// Name of the operation. Absent when it was sent without one.
    pub bulk_id: Option<String>,
    /// Version of the resource. Absent for deletions, patches of groups and failures.
    pub version: Option<String>,
    /// URL of the resource. Absent when there is none.
    pub location: Option<String>,
    /// The status that the operation alone would have had, as a text.
    pub status: String,
    /// Reason of the failure. Absent for an operation that succeeded.
    pub response: Option<ScimErrorBody>,
}

#[OpenApi(tag = "Tag::Scim")]
impl ScimBulkApi {
    /// Apply several operations through SCIM
    ///
    /// Applies each operation as its own request would be: by the same rules, with the same events, and whether or not
    /// others fail, unless `failOnErrors` ends the bulk. They are applied in their order, but each after those that it
    /// refers to by `bulkId`; one that refers to an operation that failed, or to itself in a circle, is 409. Roles are
    /// given to nobody. More than 1000 operations, and more bytes than `ServiceProviderConfig` tells, are 413, and
    /// nothing is applied.
    #[oai(path = "/scim/Bulk", method = "post", operation_id = "applyScimBulk")]
    async fn apply_scim_bulk(
        &self,
        directory: Directory,
        Data(state): Data<&State>,
        body: Tolerant<BulkBody>,
    ) -> Result<Resource<BulkAnswerBody>, ScimFails<BulkRefusals>> {
        let BulkBody { fail_on_errors, operations } = body.read_admitted(admit)?;
        let mut bulk = Bulk { state, directory: &directory, made: HashMap::new() };
        let operations = bulk.apply(operations, fail_on_errors.unwrap_or(i64::MAX)).await;
        let body = BulkAnswerBody { schemas: vec![ANSWER_SCHEMA.to_owned()], operations };
        Ok(Resource::whole(&body, &directory))
    }
}

/// Brings a bulk into its form, and refuses one with too many operations, for which the protocol has a status.
fn admit(body: &mut Value) -> Result<(), Error> {
    tolerance::bulk(body);
    let operations = body.get("Operations").and_then(Value::as_array);
    if operations.is_some_and(|operations| operations.len() > MOST_BULK_OPERATIONS) {
        return Err(Error::TooManyOperations { most: MOST_BULK_OPERATIONS });
    }
    Ok(())
}

/// A bulk that is being applied.
struct Bulk<'a> {
    state: &'a State,
    directory: &'a Directory,
    /// Ids of what operations made, by their `bulkId`.
    made: HashMap<String, String>,
}

/// A resource that an operation succeeded on.
struct Done {
    status: StatusCode,
    /// Its id, unless it is gone.
    id: Option<String>,
    version: Option<String>,
}

impl Done {
    fn with_user(status: StatusCode, user: UserBody) -> Self {
        let version = user.version().entity_tag();
        Self { status, id: Some(user.id), version: Some(version) }
    }

    fn with_group(status: StatusCode, group: GroupBody) -> Self {
        let version = group.version().entity_tag();
        Self { status, id: Some(group.id), version: Some(version) }
    }

    const fn without_body(id: Option<String>) -> Self {
        Self { status: StatusCode::NO_CONTENT, id, version: None }
    }
}

impl Bulk<'_> {
    async fn apply(&mut self, mut operations: Vec<BulkOperationBody>, most_failures: i64) -> Vec<BulkOutcomeBody> {
        let mut outcomes: Vec<Option<BulkOutcomeBody>> = operations.iter().map(|_| None).collect();
        let mut failures = 0;
        for index in order(&referred(&mut operations)) {
            let (before, rest) = operations.split_at_mut(index);
            let Some(operation) = rest.first_mut() else { continue };
            let outcome = self.outcome(operation, before).await;
            failures += i64::from(outcome.response.is_some());
            outcomes[index] = Some(outcome);
            if failures >= most_failures {
                break;
            }
        }
        outcomes.into_iter().flatten().collect()
    }

    /// Applies an operation, which stands behind these in the request.
    async fn outcome(&mut self, operation: &mut BulkOperationBody, before: &[BulkOperationBody]) -> BulkOutcomeBody {
        let data = operation.data.take();
        let (endpoint, addressed, done) = match self.target(operation, before) {
            Ok((endpoint, id)) => {
                let done = self.done(operation, endpoint, id.as_deref(), data).await;
                (Some(endpoint), id, done)
            }
            Err(failure) => (None, None, Err(failure)),
        };
        let place = |id: &str| {
            let is_id = store::scim::id_of(id) > 0;
            endpoint.filter(|_| is_id).map(|at| self.directory.place(&format!("{}/{id}", at.as_str())))
        };
        let mut outcome = BulkOutcomeBody {
            method: operation.method.clone(),
            bulk_id: operation.bulk_id.clone(),
            version: None,
            location: addressed.as_deref().and_then(place),
            status: String::new(),
            response: None,
        };
        match done {
            Ok(done) => {
                outcome.status = done.status.as_str().to_owned();
                outcome.version = done.version;
                if let Some(id) = done.id {
                    outcome.location = place(&id);
                    if let Some(name) = operation.bulk_id.clone().filter(|_| addressed.is_none()) {
                        self.made.insert(name, id);
                    }
                }
            }
            Err(Failure(error)) => {
                if matches!(error, Error::DiskFull(_)) {
                    self.state.disk.note_full(self.state.clock.now());
                }
                let body = body_of(error);
                outcome.status.clone_from(&body.status);
                outcome.response = Some(body);
            }
        }
        outcome
    }

    /// The kind of resource that an operation is about, and its id.
    fn target(
        &self,
        operation: &BulkOperationBody,
        before: &[BulkOperationBody],
    ) -> Result<(Endpoint, Option<String>), Failure> {
        let target = Target::parse(&operation.path);
        let nowhere = || Error::NotFound("The path of an operation is /Users or /Groups, or an id below.".to_owned());
        let Target { endpoint, id } = target.ok_or_else(nowhere)?;
        if is_post(operation) {
            let name = operation.bulk_id.as_deref();
            let named = name.ok_or_else(|| Fault::new(FaultKind::Value, "bulkId is missing: POST needs one."))?;
            if before.iter().any(|other| is_post(other) && other.bulk_id.as_deref() == Some(named)) {
                return Err(Fault::new(FaultKind::Value, "bulkId is that of an operation before this one.").into());
            }
        }
        let id = id.map(|id| self.resolved(id)).transpose()?;
        Ok((endpoint, id))
    }

    /// The id that a text stands for.
    fn resolved(&self, text: &str) -> Result<String, Error> {
        let Some(name) = reference(text) else { return Ok(text.to_owned()) };
        let unresolved = || Error::InUse {
            name: "BulkReferenceError",
            message: format!("{text} stands for nothing: no operation with this bulkId has created anything."),
        };
        self.made.get(name).cloned().ok_or_else(unresolved)
    }

    async fn done(
        &self,
        operation: &BulkOperationBody,
        endpoint: Endpoint,
        id: Option<&str>,
        data: Option<Value>,
    ) -> Result<Done, Failure> {
        let (state, directory) = (self.state, self.directory);
        // Each is a request of its own, whose token may have been replaced in between.
        directory.check(state).await?;
        let mut data = data.unwrap_or_default();
        let mut unresolved = None;
        visit_references(&mut data, &mut |text| match self.resolved(text) {
            Ok(id) => *text = id,
            Err(error) => unresolved = Some(error),
        });
        if let Some(error) = unresolved {
            return Err(error.into());
        }
        let if_match = IfMatch::of_tags(operation.version.iter().cloned().collect());
        let method = operation.method.to_ascii_uppercase();
        // Boxed: the compiler walks through all that a future may hold wherever it is used, minutes for those of all eight.
        Ok(match (endpoint, &*method, id) {
            (Endpoint::Users, "POST", None) => Done::with_user(
                StatusCode::CREATED,
                users::make(state, read_part(data, tolerance::resource)?, directory).boxed().await?,
            ),
            (Endpoint::Groups, "POST", None) => Done::with_group(
                StatusCode::CREATED,
                groups::make(state, read_part(data, tolerance::resource)?, directory).boxed().await?,
            ),
            (Endpoint::Users, "PUT", Some(id)) => {
                let content = read_part(data, tolerance::resource)?;
                Done::with_user(StatusCode::OK, users::replace(state, id, &if_match, content, directory).boxed().await?)
            }
            (Endpoint::Groups, "PUT", Some(id)) => {
                let content = read_part(data, tolerance::resource)?;
                Done::with_group(
                    StatusCode::OK,
                    groups::replace(state, id, &if_match, content, directory).boxed().await?,
                )
            }
            (Endpoint::Users, "PATCH", Some(id)) => {
                let patch: PatchBody = read_part(data, tolerance::patch)?;
                Done::with_user(StatusCode::OK, users::change(state, id, &if_match, &patch, directory).boxed().await?)
            }
            (Endpoint::Groups, "PATCH", Some(id)) => {
                let patch: PatchBody = read_part(data, tolerance::patch)?;
                groups::change(state, id, &if_match, &patch, directory).boxed().await?;
                Done::without_body(Some(id.to_owned()))
            }
            (Endpoint::Users, "DELETE", Some(id)) => {
                users::remove(state, id, &if_match, directory).boxed().await?;
                Done::without_body(None)
            }
            (Endpoint::Groups, "DELETE", Some(id)) => {
                groups::remove(state, id, &if_match, directory).boxed().await?;
                Done::without_body(None)
            }
            (_, _, id) => {
                let allow = if id.is_some() { "PUT, PATCH, DELETE" } else { "POST" };
                return Err(Error::MethodNotAllowed { allow: allow.to_owned() }.into());
            }
        })
    }
}

fn is_post(operation: &BulkOperationBody) -> bool {
    operation.method.eq_ignore_ascii_case("POST")
}

/// The operations that each refers to, by their indices.
fn referred(operations: &mut [BulkOperationBody]) -> Vec<Vec<usize>> {
    let mut makers: HashMap<String, usize> = HashMap::new();
    for (index, operation) in operations.iter().enumerate().filter(|(_, operation)| is_post(operation)) {
        if let Some(name) = &operation.bulk_id {
            makers.entry(name.clone()).or_insert(index);
        }
    }
    let of_one = |operation: &mut BulkOperationBody| {
        let mut found = Vec::new();
        let mut note = |text: &str| found.extend(reference(text).and_then(|name| makers.get(name)).copied());
        if let Some(id) = Target::parse(&operation.path).and_then(|target| target.id) {
            note(id);
        }
        if let Some(data) = &mut operation.data {
            visit_references(data, &mut |text| note(text));
        }
        found
    };
    operations.iter_mut().map(of_one).collect()
}
