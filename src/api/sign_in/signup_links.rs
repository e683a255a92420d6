//! Links with which people become users by themselves, as administrators handle them.

use poem::web::Data;
use poem_openapi::{Object, OpenApi, param::Path};
use serde::Serialize;

use crate::{
    api::{
        Tag,
        answer::{Created, EditRefusals, Fails, LookupRefusals, Out, ReadRefusals, WriteRefusals},
        author::author,
        body::Body,
        me::profile::RoleBody,
        permitted::{Permitted, need},
        users::{UserBody, filled},
        version::{IfMatchHeader, Versioned},
    },
    changes::signup_links::{end, missing},
    domain::{email, role::RootRole, secret, signup_link::SignupLink, time::Timestamp, version::Version},
    error::Error,
    state::State,
    store::{self, access::people::Account},
    wire::Nullable,
};

/// The operations on sign-up links.
#[derive(Debug)]
pub struct SignupLinksApi;

/// A link with which people create their own user.
#[derive(Clone, Serialize, Object)]
#[oai(rename = "SignupLink", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct SignupLinkBody {
    /// In the answer that creates the link, its secret, shown only once; later the id of the link, which cannot be used
    /// to sign up. Both identify the link in the paths of these operations.
    pub secret: String,
    /// The URL to give to people; `null` except in the answer that creates it.
    pub url: Nullable<String>,
    /// Name for administrators.
    pub name: String,
    /// Whether it can be used.
    pub enabled: bool,
    /// When it expires.
    pub expires_at: Timestamp,
    /// When it was created.
    pub created_at: Timestamp,
    /// Creator of the link; `null` when unknown.
    pub created_by: Nullable<String>,
    /// The only email that can sign up with it. Absent for a link that anybody can use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    /// The users who signed up with it, by id.
    pub users: Vec<UserBody>,
    /// Root role of users who sign up with it: Viewer.
    pub role: RoleBody,
}

opaque_debug!(SignupLinkBody { name, .. });

impl SignupLinkBody {
    fn of(link: SignupLink, users: Vec<Account>, role: RoleBody) -> Self {
        Self {
            secret: link.id.to_string(),
            url: None.into(),
            name: link.name,
            enabled: link.enabled,
            expires_at: link.expires_at,
            created_at: link.created_at,
            created_by: link.created_by.into(),
            email: link.email,
            users: users.into_iter().map(UserBody::of).collect(),
            role,
        }
    }
}

/// Every sign-up link.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "SignupLinks", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct SignupLinksBody {
    /// The links, newest first.
    pub tokens: Vec<SignupLinkBody>,
}

/// A sign-up link to create.
#[derive(Debug, Object)]
#[oai(rename = "CreateSignupLink", rename_all = "camelCase")]
pub struct NewSignupLinkBody {
    /// Name for administrators. 1 to 255 characters.
    #[oai(validator(min_length = 1, max_length = 255))]
    pub name: String,
    /// When the link expires: in the future, and at most 30 days from now; a later time is reduced to that.
    pub expires_at: Timestamp,
    /// The email that the link is sent to: no other can sign up with it. At most 255 characters. Absent, `null` or empty:
    /// anybody who has the link can sign up, with any email that nobody has yet.
    #[oai(validator(max_length = 255))]
    pub email: Option<Nullable<String>>,
}

/// Changes of a sign-up link. What is absent stays as it is.
#[derive(Debug, Object)]
#[oai(rename = "SignupLinkChange", rename_all = "camelCase")]
pub struct SignupLinkChangeBody {
    /// Whether it can be used.
    pub enabled: Option<bool>,
    /// When the link expires: in the future, and at most 30 days from now; a later time is reduced to that.
    pub expires_at: Option<Timestamp>,
}

#[OpenApi(tag = "Tag::Users")]
impl SignupLinksApi {
    /// List the sign-up links
    ///
    /// The secrets of the links are not stored and cannot be shown.
    #[oai(path = "/api/admin/invite-link/tokens", method = "get", operation_id = "getAllPublicSignupTokens")]
    async fn get_all_public_signup_tokens(
        &self,
        _caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
    ) -> Result<Out<SignupLinksBody>, Fails<ReadRefusals>> {
        let role = viewer(state).await?;
        let links = store::users::signup_links::list(&state.db).await?;
        let tokens = links.into_iter().map(|(link, users)| SignupLinkBody::of(link, users, role.clone())).collect();
        Ok(Out(SignupLinksBody { tokens }))
    }

    /// Create a sign-up link
    ///
    /// Whoever has the link can become a user with the role Viewer; with `email`, only that address can. The secret and
    /// the link are shown in this answer only.
    #[oai(path = "/api/admin/invite-link/tokens", method = "post", operation_id = "createPublicSignupToken")]
    async fn create_public_signup_token(
        &self,
        caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        body: Body<NewSignupLinkBody>,
    ) -> Result<Created<SignupLinkBody>, Fails<WriteRefusals>> {
        let body = body.read()?;
        if body.name.trim().is_empty() {
            return Err(Error::property("/body/name", "must hold more than blanks").into());
        }
        let only = filled(body.email);
        if only.as_deref().is_some_and(|email| !email::is_email(email)) {
            return Err(Error::invalid("/body/email", format!("/body/email: {}", email::RULE)).into());
        }
        let expires_at = end(body.expires_at, state.clock.now())?;
        let role = viewer(state).await?;
        let author = author(&caller, state);
        let (link, secret) = author.create_signup_link(&body.name, only.as_deref(), expires_at).await?;
        let url = format!("{}/new-user?invite={secret}", state.config.base_url);
        Ok(Created(SignupLinkBody { secret, url: Some(url).into(), ..SignupLinkBody::of(link, Vec::new(), role) }))
    }

    /// Get a sign-up link
    ///
    /// The `ETag` changes with the link, not with the users who signed up with it.
    #[oai(path = "/api/admin/invite-link/tokens/:token", method = "get", operation_id = "getPublicSignupToken")]
    async fn get_public_signup_token(
        &self,
        _caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        token: Path<String>,
    ) -> Result<Versioned<SignupLinkBody>, Fails<LookupRefusals>> {
        let id = find_id(state, &token.0).await?;
        let (link, users) = store::users::signup_links::find(&state.db, id).await?.ok_or_else(missing)?;
        let version = Version::of(&link);
        Ok(Versioned(SignupLinkBody::of(link, users, viewer(state).await?), version))
    }

    /// Update a sign-up link
    ///
    /// Enables or disables the link, or changes its expiry. A request that changes nothing leaves no event.
    #[oai(path = "/api/admin/invite-link/tokens/:token", method = "put", operation_id = "updatePublicSignupToken")]
    async fn update_public_signup_token(
        &self,
        caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        token: Path<String>,
        #[oai(name = "If-Match")] if_match: IfMatchHeader,
        body: Body<SignupLinkChangeBody>,
    ) -> Result<Out<SignupLinkBody>, Fails<EditRefusals>> {
        let SignupLinkChangeBody { enabled, expires_at } = body.read()?;
        let id = find_id(state, &token.0).await?;
        let role = viewer(state).await?;
        let (link, users) = author(&caller, state).update_signup_link(id, &if_match, enabled, expires_at).await?;
        Ok(Out(SignupLinkBody::of(link, users, role)))
    }
}

/// The id of the link that an id or a secret names.
async fn find_id(state: &State, token: &str) -> Result<i64, Error> {
    match token.parse() {
        Ok(id) => Ok(id),
        Err(_) => store::users::signup_links::find_id(&state.db, &secret::digest(token)).await?.ok_or_else(missing),
    }
}

async fn viewer(state: &State) -> Result<RoleBody, Error> {
    let role = store::roles::find(&state.db, RootRole::Viewer.id()).await?;
    Ok(role.ok_or_else(|| Error::internal("the role Viewer is missing"))?.into())
}
