//! Sessions of users, as administrators handle them.

use std::collections::BTreeSet;

use poem::web::Data;
use poem_openapi::{
    Object, OpenApi,
    param::{Path, Query},
};
use serde::Serialize;

use crate::{
    accounts,
    api::{
        Tag,
        answer::{ActRefusals, Done, Fails, LookupRefusals, Out, Paged, QueryRefusals, ReadRefusals, Stretch},
        me::sessions::{EndedSessionsBody, SessionBody},
        parameter::{ListLimitParameter, OffsetParameter, TextParameter, UserIdParameter},
        permitted::{Permitted, need},
        users::{find_user, person::UserEntryBody},
    },
    domain::filter::Page,
    error::Error,
    state::State,
    store::{self, users::sessions::Ending},
};

/// The operations on sessions of users.
#[derive(Debug)]
pub struct UserSessionsApi;

/// A page of sessions, and the users to whom they belong.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "SessionList")]
pub struct SessionsBody {
    /// The sessions, newest first.
    pub sessions: Vec<SessionBody>,
    /// The users of these sessions, by id.
    pub users: Vec<UserEntryBody>,
    /// Number of all sessions.
    pub total: u64,
}

#[OpenApi(tag = "Tag::Users")]
impl UserSessionsApi {
    /// List all sessions
    ///
    /// Returns the sessions of all users that have not ended, newest first.
    #[oai(path = "/api/admin/user-sessions", method = "get", operation_id = "getUserSessions")]
    async fn get_user_sessions(
        &self,
        caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        /// Number of sessions to skip. Anything but a whole number from 0 means 0.
        offset: Query<Option<OffsetParameter>>,
        /// Number of sessions to return, at most 1000. Anything but a whole number from 1 means 1000.
        limit: Query<Option<ListLimitParameter>>,
    ) -> Result<Paged<SessionsBody>, Fails<QueryRefusals>> {
        let limit = limit.0.and_then(|limit| limit.0).filter(|limit| *limit > 0).unwrap_or(Page::MAX_LIMIT);
        let page = Page::new(offset.0.and_then(|offset| offset.0), Some(limit));
        let (body, total) = list(state, caller.session(), None, page).await?;
        Ok(Paged(body, Stretch::of(page, total)))
    }

    /// End all other sessions
    ///
    /// Ends the sessions of all users except the one that sends this request; a request with a token ends all. The next
    /// request of an ended session is answered 401. Personal tokens are kept. For each user whose sessions end, an event
    /// records how many.
    #[oai(path = "/api/admin/user-sessions", method = "delete", operation_id = "endUserSessions")]
    async fn end_user_sessions(
        &self,
        caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
    ) -> Result<Out<EndedSessionsBody>, Fails<ReadRefusals>> {
        let ending = Ending { user_id: None, id: None, kept: caller.session() };
        let ended = accounts::end_sessions(&state.db, ending, state.clock.now(), &caller.actor()).await?;
        Ok(Out(EndedSessionsBody { ended }))
    }

    /// End a session
    ///
    /// The user is signed out in that browser, with its next request. 404 for a session that does not exist or has
    /// ended.
    #[oai(path = "/api/admin/user-sessions/:sessionId", method = "delete", operation_id = "endUserSession")]
    async fn end_user_session(
        &self,
        caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        #[oai(name = "sessionId")] session_id: Path<TextParameter>,
    ) -> Result<Done, Fails<ActRefusals>> {
        let ending = Ending { user_id: None, id: Some(&session_id.0.0), kept: None };
        match accounts::end_sessions(&state.db, ending, state.clock.now(), &caller.actor()).await? {
            0 => Err(Error::NotFound("There is no session with this id, or it has ended.".to_owned()).into()),
            _ => Ok(Done),
        }
    }

    /// List the sessions of a user
    ///
    /// The browsers in which the user is signed in, newest first, at most 1000.
    #[oai(path = "/api/admin/user-admin/:id/sessions", method = "get", operation_id = "getSessionsOfUser")]
    async fn get_sessions_of_user(
        &self,
        caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        id: Path<UserIdParameter>,
    ) -> Result<Out<SessionsBody>, Fails<LookupRefusals>> {
        let user_id = find_user(state, &id.0).await?.id;
        let page = Page { offset: 0, limit: Page::MAX_LIMIT };
        let (body, _) = list(state, caller.session(), Some(user_id), page).await?;
        Ok(Out(body))
    }

    /// End the sessions of a user
    ///
    /// The user is signed out everywhere, with the next request; of their own sessions, callers keep the one that sends
    /// this request. Personal tokens stay. Where sessions end, there is an event that tells how many.
    #[oai(path = "/api/admin/user-admin/:id/sessions", method = "delete", operation_id = "endSessionsOfUser")]
    async fn end_sessions_of_user(
        &self,
        caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        id: Path<UserIdParameter>,
    ) -> Result<Out<EndedSessionsBody>, Fails<ActRefusals>> {
        let user_id = Some(find_user(state, &id.0).await?.id);
        let ending = Ending { user_id, id: None, kept: caller.session() };
        let ended = accounts::end_sessions(&state.db, ending, state.clock.now(), &caller.actor()).await?;
        Ok(Out(EndedSessionsBody { ended }))
    }
}

async fn list(
    state: &State,
    shown: Option<&str>,
    user_id: Option<i64>,
    page: Page,
) -> Result<(SessionsBody, u64), Error> {
    let (sessions, total) = store::users::sessions::list(&state.db, user_id, page, state.clock.now()).await?;
    let owners: BTreeSet<i64> = sessions.iter().map(|session| session.user_id).collect();
    let owners: Vec<i64> = owners.into_iter().collect();
    let users = store::users::list(&state.db, &owners).await?.into_iter().map(UserEntryBody::from).collect();
    let sessions = sessions.into_iter().map(|session| SessionBody::of(session, shown)).collect();
    Ok((SessionsBody { sessions, users, total }, total))
}
