//! Users, as a directory finds, makes, changes and deletes them.

use poem::web::Data;
use poem_openapi::{
    Object, OpenApi,
    param::{Path, Query},
};
use serde::Serialize;
use serde_json::json;

use super::{
    answer::{ChangeRefusals, Current, DeletionRefusals, ListRefusals, Made, MakingRefusals, Resource, Selection},
    body::{LIST_SCHEMA, PatchBody, UserBody, UserContentBody},
    directory::Directory,
    refusal::{Failure, ScimFails},
};
use crate::{
    accounts::kept_users,
    api::{
        Tag,
        answer::NoContent,
        body::Tolerant,
        parameter::{CountParameter, ScimSortOrderParameter, StartIndexParameter, TextParameter},
        version::IfMatchHeader,
    },
    changes::{if_match::IfMatch, scim::users::own},
    domain::{
        scim::{
            Fault, Listing, Sorting,
            filter::{Filter, Kind},
            tolerance,
        },
        settings::{OidcSettings, SamlSettings},
    },
    error::Error,
    sign_in::in_force::{self, NewcomerPolicy as _},
    state::State,
    store::{self, access::people::Account},
};

/// Entries of a page by default.
pub(super) const USUAL_COUNT: u64 = 100;
/// Most entries of a page.
pub const MOST_COUNT: u64 = 500;

/// The operations on users.
#[derive(Debug)]
pub struct ScimUsersApi;

/// A page of users for a directory.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "ScimUserList", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct UserListBody {
    /// The schema of lists.
    pub schemas: Vec<String>,
    /// Number of users in all.
    pub total_results: i64,
    /// Position of the first one, from 1.
    pub start_index: i64,
    /// Number of users of this page.
    pub items_per_page: i64,
    /// Users of this page, by id.
    #[oai(rename = "Resources")]
    #[serde(rename = "Resources")]
    pub resources: Vec<UserBody>,
}

#[OpenApi(tag = "Tag::Scim")]
impl ScimUsersApi {
    /// List users through SCIM
    ///
    /// All users, including those that the directory does not manage yet, so that it can find them before it creates
    /// them; for a directory of `createScimDirectory` its own alone. Service accounts are left out. At most 500 at
    /// once.
    #[oai(path = "/scim/Users", method = "get", operation_id = "getScimUsers")]
    #[expect(clippy::too_many_arguments, reason = "each is a parameter of the protocol")]
    async fn get_scim_users(
        &self,
        directory: Directory,
        Data(state): Data<&State>,
        /// Filter of RFC 7644, section 3.4.2.2, on `id`, `externalId`, `userName`, `displayName`, `name.formatted`,
        /// `name.givenName`, `name.familyName`, `emails.value`, `emails.type`, `emails.primary`, `active`,
        /// `groups.value`, `meta.created` and `meta.lastModified`: `eq`, `ne` and `pr`, for texts and times `gt`, `ge`,
        /// `lt` and `le`, for texts `co`, `sw` and `ew`, joined by `and`, `or`, `not` and parentheses; at most 1000
        /// characters, 50 comparisons and 10 levels. Texts are compared without the case of ASCII letters, except
        /// `externalId`. What is no such filter is 400 `invalidFilter` with its place. Absent: all users.
        filter: Query<Option<TextParameter>>,
        /// Attribute that decides the order, of those that can be compared. Absent: `id`.
        #[oai(name = "sortBy")]
        sort_by: Query<Option<TextParameter>>,
        /// Direction of the order. Without effect unless `sortBy` is given.
        #[oai(name = "sortOrder")]
        sort_order: Query<Option<ScimSortOrderParameter>>,
        #[oai(name = "startIndex")] start_index: Query<Option<StartIndexParameter>>,
        count: Query<Option<CountParameter>>,
        attributes: Query<Option<TextParameter>>,
        #[oai(name = "excludedAttributes")] excluded: Query<Option<TextParameter>>,
    ) -> Result<Resource<UserListBody>, ScimFails<ListRefusals>> {
        let selection = Selection::of(attributes.0, excluded.0);
        let page = Page::of(start_index.0, count.0);
        let listing = page.listing(Kind::User, filter.0, sort_by.0, sort_order.0)?;
        let found = store::scim::users(&state.db, directory.identity.id(), &listing).await?;
        let bodies = shown(state, &found.items, selection.has("groups"), &directory).await?;
        let resources: Vec<_> = bodies.iter().map(|body| selection.apply(body)).collect();
        Ok(Resource::new(page.list(found.total, &resources), &directory))
    }

    /// Create a user through SCIM
    ///
    /// Creates a user without a password, who signs in through a login provider and is managed by the directory. The
    /// role is that of users who are created at their first sign-in. A user whom the directory itself deleted and
    /// creates again with the same `userName` and `externalId` is the same user as before, with the role of a new one.
    /// A `userName` or email that is taken is 409: find the user with `filter` and update it.
    #[oai(path = "/scim/Users", method = "post", operation_id = "createScimUser")]
    async fn create_scim_user(
        &self,
        directory: Directory,
        Data(state): Data<&State>,
        body: Tolerant<UserContentBody>,
    ) -> Result<Made<UserBody>, ScimFails<MakingRefusals>> {
        let made = make(state, body.read(tolerance::resource)?, &directory).await?;
        let (version, place) = (made.version(), directory.place(&format!("Users/{}", made.id)));
        Ok(Made::new(Selection::default().apply(&made.versioned()), version, &directory, place))
    }

    /// Get a user through SCIM
    ///
    /// A deleted user is 404, and so is one of another directory; a deactivated user is not.
    #[oai(path = "/scim/Users/:id", method = "get", operation_id = "getScimUser")]
    async fn get_scim_user(
        &self,
        directory: Directory,
        Data(state): Data<&State>,
        /// Id of the user.
        id: Path<String>,
        attributes: Query<Option<TextParameter>>,
        #[oai(name = "excludedAttributes")] excluded: Query<Option<TextParameter>>,
    ) -> Result<Current<UserBody>, ScimFails<ListRefusals>> {
        let account = store::users::find(&state.db, store::scim::id_of(&id.0)).await?;
        let account = own(account, &directory.identity, &id.0)?;
        let body = whole(state, &account, &directory).await?;
        Ok(current(body, &Selection::of(attributes.0, excluded.0), &directory))
    }

    /// Replace a user through SCIM
    ///
    /// Replaces the user: what is absent is reset, except `active`. The directory manages the user from then on.
    /// `active: false` ends sessions and personal tokens at once, and keeps roles. 403 for a user who holds a role that
    /// was given by hand, until an administrator links them with `linkUserToDirectory`: of such a user, a directory
    /// that created them can only change display names and deactivate or delete them. 403, too, for `active: true` of a
    /// user whom a person deactivated; 409 when nobody would be left to administer the instance. A user whom the
    /// directory adopts, and who never signed in through a login provider, loses password, sessions and personal
    /// tokens.
    #[oai(path = "/scim/Users/:id", method = "put", operation_id = "replaceScimUser")]
    async fn replace_scim_user(
        &self,
        directory: Directory,
        Data(state): Data<&State>,
        /// Id of the user.
        id: Path<String>,
        /// Version that the change is meant for. Absent: any.
        #[oai(name = "If-Match")]
        if_match: IfMatchHeader,
        body: Tolerant<UserContentBody>,
    ) -> Result<Current<UserBody>, ScimFails<ChangeRefusals>> {
        let body = replace(state, &id.0, &if_match, body.read(tolerance::resource)?, &directory).await?;
        Ok(current(body, &Selection::default(), &directory))
    }

    /// Update a user through SCIM
    ///
    /// Applies all operations or none; otherwise like `replaceScimUser`. Attributes of RFC 7643 that this server does
    /// not store are ignored.
    #[oai(path = "/scim/Users/:id", method = "patch", operation_id = "changeScimUser")]
    async fn change_scim_user(
        &self,
        directory: Directory,
        Data(state): Data<&State>,
        /// Id of the user.
        id: Path<String>,
        /// Version that the change is meant for. Absent: any.
        #[oai(name = "If-Match")]
        if_match: IfMatchHeader,
        body: Tolerant<PatchBody>,
    ) -> Result<Current<UserBody>, ScimFails<ChangeRefusals>> {
        let body = change(state, &id.0, &if_match, &body.read(tolerance::patch)?, &directory).await?;
        Ok(current(body, &Selection::default(), &directory))
    }

    /// Delete a user through SCIM
    ///
    /// Like `deleteUser`. 403 for a user who holds a role that was given by hand, unless the directory created them or
    /// an administrator linked them; 409 when nobody would be left to administer the instance.
    #[oai(path = "/scim/Users/:id", method = "delete", operation_id = "deleteScimUser")]
    async fn delete_scim_user(
        &self,
        directory: Directory,
        Data(state): Data<&State>,
        /// Id of the user.
        id: Path<String>,
        /// Version that the deletion is meant for. Absent: any.
        #[oai(name = "If-Match")]
        if_match: IfMatchHeader,
    ) -> Result<NoContent, ScimFails<DeletionRefusals>> {
        remove(state, &id.0, &if_match, &directory).await?;
        Ok(NoContent)
    }
}

/// Part of a list that a directory asks for.
pub(super) struct Page {
    /// Place of its first entry, from 1.
    pub start: u64,
    /// Number of entries, at most.
    pub count: u64,
}

impl Page {
    pub(super) fn of(start: Option<StartIndexParameter>, count: Option<CountParameter>) -> Self {
        let start = start.and_then(|start| start.0).unwrap_or(1);
        let count = count.and_then(|count| count.0).unwrap_or(USUAL_COUNT);
        // No list is longer than an id is large.
        Self { start: start.clamp(1, i64::MAX.unsigned_abs()), count: count.min(MOST_COUNT) }
    }

    /// The part of the resources that the parameters of a list ask for.
    pub(super) fn listing(
        &self,
        kind: Kind,
        filter: Option<TextParameter>,
        sort_by: Option<TextParameter>,
        sort_order: Option<ScimSortOrderParameter>,
    ) -> Result<Listing, Fault> {
        let descending = sort_order.map(|ScimSortOrderParameter(word)| Sorting::is_descending(&word)).transpose()?;
        let descending = descending.unwrap_or_default();
        Ok(Listing {
            filter: filter.map(|TextParameter(text)| Filter::parse(kind, &text)).transpose()?,
            sorting: sort_by.map(|TextParameter(by)| Sorting::parse(kind, &by, descending)).transpose()?,
            skipped: self.start - 1,
            most: self.count,
        })
    }

    pub(super) fn list(&self, total: u64, resources: &[serde_json::Value]) -> serde_json::Value {
        json!({
            "schemas": [LIST_SCHEMA],
            "totalResults": total,
            "startIndex": self.start,
            "itemsPerPage": resources.len(),
            "Resources": resources,
        })
    }
}

/// Makes a user.
pub(super) async fn make(state: &State, content: UserContentBody, directory: &Directory) -> Result<UserBody, Failure> {
    let oidc = in_force::find::<OidcSettings>(state).await?.map(|in_force| in_force.settings.newcomer_rules());
    let saml = in_force::find::<SamlSettings>(state).await?.map(|in_force| in_force.settings.newcomer_rules());
    let role = oidc.or(saml).map(|rules| rules.default_role()).unwrap_or_default();
    let account = directory.author(state).create_user(content.draft(true), role).await?;
    Ok(UserBody::of(&account, None, directory))
}

/// Replaces a user.
pub(super) async fn replace(
    state: &State,
    id: &str,
    if_match: &IfMatch,
    content: UserContentBody,
    directory: &Directory,
) -> Result<UserBody, Failure> {
    let edit = |before: &Account| Ok(content.draft(before.deactivated_at.is_none()));
    let account = directory.author(state).update_user(id, if_match, edit).await?;
    Ok(whole(state, &account, directory).await?)
}

/// Applies a patch to a user.
pub(super) async fn change(
    state: &State,
    id: &str,
    if_match: &IfMatch,
    patch: &PatchBody,
    directory: &Directory,
) -> Result<UserBody, Failure> {
    let edit = |before: &Account| {
        let mut draft = kept_users::draft_of(before);
        draft.patch(&patch.operations)?;
        Ok(draft)
    };
    let account = directory.author(state).update_user(id, if_match, edit).await?;
    Ok(whole(state, &account, directory).await?)
}

/// Deletes a user.
pub(super) async fn remove(state: &State, id: &str, if_match: &IfMatch, directory: &Directory) -> Result<(), Failure> {
    Ok(directory.author(state).delete_user(id, if_match).await?)
}

fn current(body: UserBody, selection: &Selection, directory: &Directory) -> Current<UserBody> {
    let version = body.version();
    Current::new(selection.apply(&body.versioned()), version, directory)
}

/// A user with all attributes.
async fn whole(state: &State, account: &Account, directory: &Directory) -> Result<UserBody, Error> {
    let groups = store::scim::groups_of(&state.db, directory.identity.id(), &[account.id]).await?.remove(&account.id);
    Ok(UserBody::of(account, groups, directory))
}

async fn shown(
    state: &State,
    accounts: &[Account],
    with_groups: bool,
    directory: &Directory,
) -> Result<Vec<UserBody>, Error> {
    if !with_groups {
        return Ok(accounts.iter().map(|account| UserBody::of(account, None, directory)).collect());
    }
    let ids: Vec<i64> = accounts.iter().map(|account| account.id).collect();
    let mut groups = store::scim::groups_of(&state.db, directory.identity.id(), &ids).await?;
    let body = |account: &Account| UserBody::of(account, groups.remove(&account.id), directory).versioned();
    Ok(accounts.iter().map(body).collect())
}
