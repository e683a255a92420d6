//! Sessions of the caller.

use poem::web::Data;
use poem_openapi::{Object, OpenApi, param::Path};
use serde::Serialize;

use crate::{
    accounts,
    api::{
        Tag,
        answer::{ActRefusals, Done, Fails, Out, ReadRefusals},
        caller::AuthenticatedCaller,
        parameter::TextParameter,
    },
    domain::{filter::Page, session::Session, sign_in_log::Method, time::Timestamp},
    error::Error,
    state::State,
    store::{self, users::sessions::Ending},
    wire::Nullable,
};

/// The operations on the caller's sessions.
#[derive(Debug)]
pub struct OwnSessionsApi;

/// A sign-in that has not ended.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "Session", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct SessionBody {
    /// Id of the session: 32 hexadecimal digits. It serves to end the session, and not to use it.
    pub id: String,
    /// Id of the user who signed in.
    pub user_id: i64,
    /// Way of signing in; `null` when unknown, for sessions that began before this was recorded.
    pub method: Nullable<Method>,
    /// IP address of the client that signed in; `null` when unknown.
    pub address: Nullable<String>,
    /// Name by which the browser called itself when it signed in (`User-Agent`), at most 255 characters; `null` when
    /// unknown. Anybody can make one up.
    pub user_agent: Nullable<String>,
    /// When the session began.
    pub created_at: Timestamp,
    /// When it was last used, with a delay of about six minutes.
    pub seen_at: Timestamp,
    /// When it ends by itself.
    pub expires_at: Timestamp,
    /// Whether the request came in this session.
    pub current: bool,
}

/// Sessions of the caller.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "OwnSessions")]
pub struct OwnSessionsBody {
    /// The sessions, newest first; at most 1000.
    pub sessions: Vec<SessionBody>,
}

/// Number of ended sessions.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "EndedSessions")]
pub struct EndedSessionsBody {
    /// Number of sessions that this call ended.
    pub ended: u64,
}

impl SessionBody {
    /// A session for a caller who shows the session with the digest `shown`, if any.
    pub fn of(session: Session, shown: Option<&str>) -> Self {
        Self {
            id: session.id().to_owned(),
            user_id: session.user_id,
            method: session.method.into(),
            address: session.client.address.into(),
            user_agent: session.client.user_agent.into(),
            created_at: session.created_at,
            seen_at: session.seen_at,
            expires_at: session.expires_at,
            current: shown == Some(session.digest.as_str()),
        }
    }
}

#[OpenApi(tag = "Tag::Profile")]
impl OwnSessionsApi {
    /// List your own sessions
    ///
    /// The browsers in which the caller is signed in. API tokens are refused with 403.
    #[oai(path = "/api/admin/user/sessions", method = "get", operation_id = "getMySessions")]
    async fn get_my_sessions(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
    ) -> Result<Out<OwnSessionsBody>, Fails<ReadRefusals>> {
        let user_id = caller.require_person()?.id;
        let page = Page { offset: 0, limit: Page::MAX_LIMIT };
        let (sessions, _) = store::users::sessions::list(&state.db, Some(user_id), page, state.clock.now()).await?;
        let sessions = sessions.into_iter().map(|session| SessionBody::of(session, caller.session())).collect();
        Ok(Out(OwnSessionsBody { sessions }))
    }

    /// End all of your other sessions
    ///
    /// Every browser but the one that sends the request is signed out, with its next request. With a personal token all
    /// sessions end. Personal tokens stay. API tokens are refused with 403.
    #[oai(path = "/api/admin/user/sessions", method = "delete", operation_id = "endMyOtherSessions")]
    async fn end_my_other_sessions(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
    ) -> Result<Out<EndedSessionsBody>, Fails<ReadRefusals>> {
        let user_id = Some(caller.require_person()?.id);
        let ending = Ending { user_id, id: None, kept: caller.session() };
        let ended = accounts::end_own_sessions(&state.db, ending, state.clock.now()).await?;
        Ok(Out(EndedSessionsBody { ended }))
    }

    /// End one of your sessions
    ///
    /// The browser is signed out, with its next request; also the one that sends this request, if the session is its own.
    /// 404 for a session that is not yours or has ended. API tokens are refused with 403.
    #[oai(path = "/api/admin/user/sessions/:sessionId", method = "delete", operation_id = "endMySession")]
    async fn end_my_session(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        #[oai(name = "sessionId")] session_id: Path<TextParameter>,
    ) -> Result<Done, Fails<ActRefusals>> {
        let user_id = Some(caller.require_person()?.id);
        let ending = Ending { user_id, id: Some(&session_id.0.0), kept: None };
        match accounts::end_own_sessions(&state.db, ending, state.clock.now()).await? {
            0 => Err(Error::NotFound("You have no session with this id, or it has ended.".to_owned()).into()),
            _ => Ok(Done),
        }
    }
}
