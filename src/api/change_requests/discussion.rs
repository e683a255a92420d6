//! Titles of change requests, and comments on them.

use poem::web::Data;
use poem_openapi::{Object, OpenApi, param::Path};

use super::body::CommentBody;
use crate::{
    api::{
        Tag,
        answer::{ChangeRefusals, Done, EditUnusedRefusals, Fails, Out},
        author::author,
        body::Body,
        caller::AuthenticatedCaller,
        version::IfMatchHeader,
    },
    state::State,
};

/// The operations on titles and comments.
#[derive(Debug)]
pub struct DiscussionApi;

/// Title for a change request.
#[derive(Debug, Clone, PartialEq, Eq, Object)]
#[oai(rename = "ChangeRequestTitle")]
pub struct TitleBody {
    /// The title, without the blanks around it. An empty one takes the title away.
    #[oai(validator(max_length = 255))]
    pub title: String,
}

/// Comment for a change request.
#[derive(Debug, Clone, PartialEq, Eq, Object)]
#[oai(rename = "AddChangeRequestComment")]
pub struct NewCommentBody {
    /// The text: 1 to 1000 characters, without the blanks around it.
    #[oai(validator(min_length = 1, max_length = 1000, pattern = r"\S"))]
    pub text: String,
}

#[OpenApi(tag = "Tag::ChangeRequests")]
impl DiscussionApi {
    /// Update the title of a change request
    ///
    /// Sets the title. Only the author of the change request can, while it is open. The same title leaves no event.
    #[oai(
        path = "/api/admin/projects/:projectId/change-requests/:id/title",
        method = "put",
        operation_id = "updateChangeRequestTitle"
    )]
    async fn update_change_request_title(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        id: Path<i64>,
        #[oai(name = "If-Match")] if_match: IfMatchHeader,
        body: Body<TitleBody>,
    ) -> Result<Done, Fails<EditUnusedRefusals>> {
        caller.require_person()?;
        let project = caller.visible_project(&project_id).await?;
        let title = body.read()?.title;
        author(&caller, state).retitle_change_request(&project, *id, &title, &if_match).await?;
        Ok(Done)
    }

    /// Comment on a change request
    ///
    /// Adds a comment. Everybody who sees the change request can, while its environment has change requests. A change
    /// request has at most 1000 comments.
    #[oai(
        path = "/api/admin/projects/:projectId/change-requests/:id/comments",
        method = "post",
        operation_id = "addChangeRequestComment"
    )]
    async fn add_change_request_comment(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        id: Path<i64>,
        body: Body<NewCommentBody>,
    ) -> Result<Out<CommentBody>, Fails<ChangeRefusals>> {
        caller.require_person()?;
        let project = caller.visible_project(&project_id).await?;
        let text = body.read()?.text;
        let comment = author(&caller, state).comment_on_change_request(&project, *id, &text).await?;
        Ok(Out(CommentBody::from(&comment)))
    }
}
