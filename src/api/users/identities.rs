//! The identities that users have at login providers.

use poem::web::Data;
use poem_openapi::{Object, OpenApi, param::Path};
use serde::Serialize;

use crate::{
    accounts::UserData,
    api::{
        Tag,
        answer::{ActRefusals, Done, Fails, LookupRefusals, Out},
        permitted::{Permitted, need},
    },
    domain::{event::NewEvent, event_kind::EventKind, sign_in::Provider, time::Timestamp},
    error::Error,
    state::State,
    store::{
        self,
        sign_in::{identities::Identity, sessions},
    },
    wire::Nullable,
};

/// The operations on identities.
#[derive(Debug)]
pub struct IdentitiesApi;

/// Identity of a user at a login provider.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "UserIdentity", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct IdentityBody {
    /// Protocol of the provider.
    pub provider: Provider,
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

impl From<Identity> for IdentityBody {
    fn from(identity: Identity) -> Self {
        Self {
            provider: identity.subject.provider,
            issuer: identity.subject.issuer,
            subject: identity.subject.subject,
            email: identity.email.into(),
            created_at: identity.created_at,
            seen_at: identity.seen_at,
        }
    }
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
            return Err(missing(id.0).into());
        }
        let identities = store::sign_in::identities::list(&state.db, id.0).await?;
        Ok(Out(IdentitiesBody { identities: identities.into_iter().map(Into::into).collect() }))
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
        let tx = state.db.begin().await?;
        let administrators = store::access::administrators::hold(&tx, state.clock.now()).await?;
        let account = store::users::hold(&tx, id.0).await?;
        if account.is_none() && !store::users::ever_was(&tx, id.0).await? {
            return Err(missing(id.0).into());
        }
        let identities = store::sign_in::identities::list(&tx, id.0).await?;
        if identities.is_empty() {
            return Ok(Done);
        }
        for identity in &identities {
            sessions::end(&tx, sessions::Ending::Subject(&identity.subject)).await?;
        }
        store::sign_in::identities::remove_all(&tx, id.0).await?;
        crate::api::sign_in::keep_an_administrator(&tx, administrators).await?;
        let known: Vec<_> = identities.iter().map(|identity| &identity.subject.issuer).collect();
        let data = |issuers: &[&String]| {
            let mut data = account
                .as_ref()
                .map_or_else(|| serde_json::json!({ "id": id.0 }), |account| serde_json::json!(UserData::of(account)));
            data["identities"] = serde_json::json!(issuers);
            data
        };
        let event = NewEvent::new(EventKind::UserUpdated, &caller.actor());
        let event = event.with_data(&data(&[])).with_pre_data(&data(&known));
        tx.commit(state.clock.now(), [event]).await?;
        Ok(Done)
    }
}

fn missing(id: i64) -> Error {
    Error::no_id("user", id)
}
