//! The identities that users have at login providers.

use poem::web::Data;
use poem_openapi::{
    Object, OpenApi,
    param::{Path, Query},
};
use serde::Serialize;

use crate::{
    api::{
        Tag,
        answer::{ActRefusals, Done, Fails, LookupRefusals, Out, WriteRefusals, refusals},
        author::author,
        body::Body,
        parameter::TextParameter,
        permitted::{Permitted, need},
        users::person::UserEntryBody,
    },
    changes::identities::{RelinkableUsers, UsersToRelink},
    domain::{sign_in::Provider, time::Timestamp},
    error::Error,
    sign_in::identity_link,
    state::State,
    store::{
        self,
        sign_in::identities::{Identity, Subject},
    },
    wire::{AtMost, Nullable},
};

/// The operations on identities.
#[derive(Debug)]
pub struct IdentitiesApi;

/// Identity of a user at a login provider.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "UserIdentity", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct IdentityBody {
    /// Id of the identity: 64 hexadecimal digits. It serves to remove the identity.
    pub id: String,
    /// Protocol of the provider. `oidc` stands for the OAuth 2.0 of GitHub, too.
    pub provider: Provider,
    /// Id of the provider. Absent for the providers of the two settings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider_id: Option<String>,
    /// The provider: the issuer of OpenID Connect, or the entity id of SAML.
    pub issuer: String,
    /// Subject of the user at the provider.
    pub subject: String,
    /// The last email from the provider; `null` when unknown.
    pub email: Nullable<String>,
    /// When the identity was linked to the user.
    pub created_at: Timestamp,
    /// When it was last used to sign in.
    pub seen_at: Timestamp,
}

/// Identities of a user at login providers.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "UserIdentities")]
pub struct IdentitiesBody {
    /// The identities, oldest first.
    pub identities: Vec<IdentityBody>,
}

impl IdentitiesBody {
    /// Identities that a user has now.
    pub async fn of(state: &State, user_id: i64) -> Result<Self, Error> {
        let identities = store::sign_in::identities::list(&state.db, user_id).await?;
        Ok(Self { identities: identities.into_iter().map(Into::into).collect() })
    }
}

impl From<Identity> for IdentityBody {
    fn from(identity: Identity) -> Self {
        Self {
            id: identity.id,
            provider: identity.subject.provider.protocol,
            provider_id: identity.subject.provider.id,
            issuer: identity.subject.issuer,
            subject: identity.subject.subject,
            email: identity.email.into(),
            created_at: identity.created_at,
            seen_at: identity.seen_at,
        }
    }
}

/// An identity to be linked to a user.
#[derive(Debug, Object)]
#[oai(rename = "UserIdentityCreate", rename_all = "camelCase")]
pub struct IdentityCreateBody {
    /// Id of the login provider. At most 50 characters.
    #[oai(validator(max_length = 50))]
    pub provider_id: String,
    /// Subject of the user at the provider: `sub` of OpenID Connect, the numeric id of GitHub, or the name id of SAML. 1 to
    /// 1000 characters.
    #[oai(validator(min_length = 1, max_length = 1000))]
    pub subject: String,
    /// Issuer of the identity, as tokens or assertions of the provider name it. Absent: that of the provider's settings. 1
    /// to 2000 characters.
    #[oai(validator(min_length = 1, max_length = 2000))]
    pub issuer: Option<String>,
}

refusals! {
    /// Refusals of linking an identity, which may be that of another user.
    LinkIdentityRefusals = 400, 401, 403, 404, 409, 413, 415, 503;
}

/// Default of the hours in which users can be linked to new identities.
const RELINK_HOURS: u16 = 168;

/// Users to be linked to new identities.
#[derive(Debug, Object)]
#[oai(rename = "RelinkUsers", rename_all = "camelCase")]
pub struct RelinkBody {
    /// Protocol of the login provider that has new subjects.
    pub provider: Provider,
    /// Id of the login provider. Absent: that of the protocol's settings. At most 50 characters.
    #[oai(validator(max_length = 50))]
    pub provider_id: Option<String>,
    /// Ids of the users, at most 1000. Absent: everybody who has an identity of the provider.
    pub ids: Option<AtMost<1000, i64>>,
    /// Hours in which they can be linked, 1 to 720. Absent: 168.
    #[oai(validator(minimum(value = "1"), maximum(value = "720")))]
    pub hours: Option<u16>,
}

/// Users who can be linked to new identities.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "RelinkedUsers", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct RelinkedUsersBody {
    /// Whether this was a dry run: nothing has been changed.
    pub dry_run: bool,
    /// Until when they can be linked.
    pub until: Timestamp,
    /// The users, by id.
    pub users: Vec<UserEntryBody>,
}

#[OpenApi(tag = "Tag::Users")]
impl IdentitiesApi {
    /// List the identities of a user
    ///
    /// The identities of the user at login providers. A deleted user keeps them, so that the same person does not
    /// become a new user by signing in.
    #[oai(path = "/api/admin/user-admin/:id/identities", method = "get", operation_id = "getUserIdentities")]
    async fn get_user_identities(
        &self,
        _caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        /// Id of the user.
        id: Path<i64>,
    ) -> Result<Out<IdentitiesBody>, Fails<LookupRefusals>> {
        if !store::users::ever_was(&state.db, id.0).await? {
            return Err(Error::no_id("user", id.0).into());
        }
        Ok(Out(IdentitiesBody::of(state, id.0).await?))
    }

    /// Link an identity to a user
    ///
    /// Whoever signs in with the identity is the user from now on. An identity that the user has already leaves no event;
    /// 409 when it is that of another user, also of a deleted one. For the login providers in addition to those of the two
    /// settings. An operation of this server, which Unleash does not have.
    #[oai(path = "/api/admin/user-admin/:id/identities", method = "post", operation_id = "linkUserIdentity")]
    async fn link_user_identity(
        &self,
        caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        /// Id of the user.
        id: Path<i64>,
        body: Body<IdentityCreateBody>,
    ) -> Result<Out<IdentitiesBody>, Fails<LinkIdentityRefusals>> {
        let IdentityCreateBody { provider_id, subject, issuer } = body.read()?;
        let found = store::sign_in::providers::find(&state.db, &state.vault, &provider_id).await?;
        let unknown = || Error::unknown("/body/providerId", "login provider", &provider_id);
        let provider = found.ok_or_else(unknown)?;
        let missing = || Error::property("/body/issuer", "is missing, and the settings of the provider name none");
        let issuer = issuer.or_else(|| provider.issuer()).ok_or_else(missing)?;
        let subject = Subject { provider: provider.key(), issuer, subject };
        identity_link::link_for(state, &subject, id.0, &caller.actor()).await?;
        Ok(Out(IdentitiesBody::of(state, id.0).await?))
    }

    /// Let users be linked to new identities
    ///
    /// For a login provider that has new subjects for everybody: its client was created anew, or its users were imported
    /// elsewhere, and everybody is refused with `email-of-another-identity`. Until the given time, a new identity whose
    /// email the provider says is verified takes the place of the identities of the same provider that the user with
    /// that email has; each user is linked once, with an event that names both, and the sessions of the old identity
    /// end. A user named by `ids` needs no identity to be replaced, where the policy lets no email link one. Roles,
    /// personal tokens and everything else stay. A later call for a user replaces an earlier one, also of another
    /// provider. The answer, and `dryRun`, list the users.
    #[oai(path = "/api/admin/user-admin/identities/relink", method = "post", operation_id = "relinkUsers")]
    async fn relink_users(
        &self,
        caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        #[oai(name = "dryRun")] dry_run: Query<Option<bool>>,
        body: Body<RelinkBody>,
    ) -> Result<Out<RelinkedUsersBody>, Fails<WriteRefusals>> {
        let RelinkBody { provider, provider_id, ids, hours } = body.read()?;
        let wanted = UsersToRelink {
            protocol: provider,
            provider_id,
            ids: ids.map(|ids| ids.0),
            hours: hours.unwrap_or(RELINK_HOURS),
        };
        let dry_run = dry_run.0.unwrap_or(false);
        let RelinkableUsers { users, until } =
            author(&caller, state).relink_users(&state.vault, wanted, dry_run).await?;
        let users = users.into_iter().map(UserEntryBody::from).collect();
        Ok(Out(RelinkedUsersBody { dry_run, until, users }))
    }

    /// Delete the identities of a user
    ///
    /// Ends the sessions that were started with them. The next sign-in with one of them finds the user by email, or
    /// creates a new user. 403 when nobody would be left who can sign in and administer the instance. A user without
    /// identities stays as they are, without an event.
    #[oai(path = "/api/admin/user-admin/:id/identities", method = "delete", operation_id = "deleteUserIdentities")]
    async fn delete_user_identities(
        &self,
        caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        /// Id of the user.
        id: Path<i64>,
    ) -> Result<Done, Fails<ActRefusals>> {
        identity_link::unlink_for(state, id.0, None, &caller.actor()).await?;
        Ok(Done)
    }

    /// Delete an identity of a user
    ///
    /// Ends the sessions that were started with it, and leaves the others as they are. The next sign-in with it finds the
    /// user by email, or creates a new user. 403 when nobody would be left who can sign in and administer the instance.
    /// 404 for an identity that is not the user's. An operation of this server, which Unleash does not have.
    #[oai(
        path = "/api/admin/user-admin/:id/identities/:identityId",
        method = "delete",
        operation_id = "deleteUserIdentity"
    )]
    async fn delete_user_identity(
        &self,
        caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        /// Id of the user.
        id: Path<i64>,
        #[oai(name = "identityId")] identity_id: Path<TextParameter>,
    ) -> Result<Done, Fails<ActRefusals>> {
        if identity_link::unlink_for(state, id.0, Some(&identity_id.0.0), &caller.actor()).await? {
            return Ok(Done);
        }
        Err(Error::NotFound("The user has no identity with this id.".to_owned()).into())
    }
}
