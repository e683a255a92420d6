//! Notices that people have seen or answered in the console, so that it does not ask them again.

use poem::web::Data;
use poem_openapi::{Object, OpenApi, param::Path};
use serde::Serialize;

use crate::{
    api::{
        Tag,
        answer::{Fails, Out, refusals},
        author::author,
        body::Body,
        caller::AuthenticatedCaller,
        parameter::check_path_name,
    },
    domain::time::Timestamp,
    state::State,
    store::notices::Feedback,
    wire::Nullable,
};

/// Most characters of an id.
const LONGEST_ID: usize = 100;

/// The operations on notices and questions of the console.
#[derive(Debug)]
pub struct NoticesApi;

refusals! {
    /// Writes of a person's own things without a body.
    NoteRefusals = 400, 401, 403, 503;
    /// Writes of a person's own things.
    AnswerRefusals = 400, 401, 403, 413, 415, 503;
}

/// A notice that the caller has seen.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "Splash", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct SplashBody {
    /// Id of the notice.
    pub splash_id: String,
    /// Id of the person.
    pub user_id: i64,
    /// Always true.
    pub seen: bool,
}

/// An answer to a feedback question of the console.
#[derive(Debug, Object)]
#[oai(rename = "CreateFeedback", rename_all = "camelCase")]
pub struct CreateFeedbackBody {
    /// Id of the question: 1 to 100 characters.
    #[oai(validator(min_length = 1, max_length = 100))]
    pub feedback_id: String,
    /// Whether not to ask this question again. Absent means false.
    pub never_show: Option<bool>,
}

/// Another answer to a feedback question of the console.
#[derive(Debug, Object)]
#[oai(rename = "UpdateFeedback", rename_all = "camelCase")]
pub struct UpdateFeedbackBody {
    /// Whether not to ask this question again. Absent means false.
    pub never_show: Option<bool>,
    /// When the question was answered. Absent or `null`: not answered.
    pub given: Option<Nullable<Timestamp>>,
}

/// A user's answer to a feedback question of the console.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "Feedback", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct FeedbackBody {
    /// Id of the question.
    pub feedback_id: String,
    /// Id of the person.
    pub user_id: i64,
    /// Whether not to ask this question again.
    pub never_show: bool,
    /// When it was answered; `null` when it was not.
    pub given: Nullable<Timestamp>,
}

impl FeedbackBody {
    fn of(user_id: i64, feedback: Feedback) -> Self {
        let Feedback { id, never_show, given_at } = feedback;
        Self { feedback_id: id, user_id, never_show, given: given_at.into() }
    }
}

#[OpenApi]
impl NoticesApi {
    /// Mark a notice as seen
    ///
    /// For the caller, who must be a person. At most 100 notices are kept for each user. Leaves no event.
    #[oai(path = "/api/admin/splash/:id", method = "post", operation_id = "updateSplashSettings", tag = "Tag::Profile")]
    async fn update_splash_settings(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        /// Id of the notice: 1 to 100 characters.
        id: Path<String>,
    ) -> Result<Out<SplashBody>, Fails<NoteRefusals>> {
        let user_id = caller.require_person()?.id;
        check_path_name("id", &id, LONGEST_ID)?;
        author(&caller, state).mark_notice_as_seen(user_id, &id).await?;
        Ok(Out(SplashBody { splash_id: id.0, user_id, seen: true }))
    }

    /// Answer a feedback question of the console
    ///
    /// Records that the caller, who must be a person, has answered the question now. At most 100 answers are kept for
    /// each user. Leaves no event.
    #[oai(path = "/api/admin/feedback", method = "post", operation_id = "createFeedback", tag = "Tag::Profile")]
    async fn create_feedback(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        body: Body<CreateFeedbackBody>,
    ) -> Result<Out<FeedbackBody>, Fails<AnswerRefusals>> {
        let user_id = caller.require_person()?.id;
        let CreateFeedbackBody { feedback_id, never_show } = body.read()?;
        let feedback =
            Feedback { id: feedback_id, never_show: never_show.unwrap_or_default(), given_at: Some(state.clock.now()) };
        author(&caller, state).answer_question(user_id, &feedback).await?;
        Ok(Out(FeedbackBody::of(user_id, feedback)))
    }

    /// Update an answer to a feedback question of the console
    ///
    /// Replaces an earlier answer of the caller, who must be a person. At most 100 answers are kept for each user.
    /// Leaves no event.
    #[oai(path = "/api/admin/feedback/:id", method = "put", operation_id = "updateFeedback", tag = "Tag::Profile")]
    async fn update_feedback(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        /// Id of the question: 1 to 100 characters.
        id: Path<String>,
        body: Body<UpdateFeedbackBody>,
    ) -> Result<Out<FeedbackBody>, Fails<AnswerRefusals>> {
        let user_id = caller.require_person()?.id;
        let wanted = body.read()?;
        check_path_name("id", &id, LONGEST_ID)?;
        let feedback = Feedback {
            id: id.0,
            never_show: wanted.never_show.unwrap_or_default(),
            given_at: wanted.given.and_then(Nullable::into_inner),
        };
        author(&caller, state).answer_question(user_id, &feedback).await?;
        Ok(Out(FeedbackBody::of(user_id, feedback)))
    }
}
