//! Titles of change requests, comments on them, and users who are asked for their approval.

use std::collections::BTreeSet;

use flagstone_domain::{
    change_request::{Comment, MOST_COMMENTS, read_comment, read_title, transition::Wish},
    event::NewEvent,
    project::VisibleProject,
};
use flagstone_error::Error;
use flagstone_store::change_requests::{self, discussion, reviewers};

use super::standing::HeldRequest;
use crate::{Author, Begin, if_match::IfMatch};

impl Author<'_> {
    /// Gives a change request a title; an empty one takes it away.
    pub async fn retitle_change_request(
        self,
        project: &VisibleProject,
        id: i64,
        title: &str,
        if_match: &IfMatch,
    ) -> Result<(), Error> {
        let title = read_title(title).map_err(|rule| Error::property("/body/title", rule))?;
        let transaction = self.begin(Begin::Change).await?;
        let held = HeldRequest::hold(&transaction, project, id, if_match).await?;
        held.step(Wish::Retitle).await?;
        let event = held.subject().retitled(held.head.title.as_deref(), title.as_deref(), &held.actor());
        let Some(event) = event else { return Ok(()) };
        change_requests::retitle(&transaction.tx, id, title.as_deref()).await?;
        drop(held);
        transaction.commit([event]).await
    }

    /// Comments on a change request. Returns the comment.
    pub async fn comment_on_change_request(
        self,
        project: &VisibleProject,
        id: i64,
        text: &str,
    ) -> Result<Comment, Error> {
        let transaction = self.begin(Begin::Change).await?;
        let held = HeldRequest::hold(&transaction, project, id, &IfMatch::default()).await?;
        held.step(Wish::Comment).await?;
        let event = comment_on(&held, text).await?;
        let request = change_requests::find(&transaction.tx, id).await?;
        drop(held);
        transaction.commit([event]).await?;
        let comment = request.and_then(|request| request.comments.into_iter().next_back());
        comment.ok_or_else(|| Error::internal("a comment has gone while its change request was held"))
    }

    /// Asks users for their approval of a change request, and no others. Each of them must be able to give it.
    pub async fn ask_reviewers(
        self,
        project: &VisibleProject,
        id: i64,
        users: &[i64],
        if_match: &IfMatch,
    ) -> Result<(), Error> {
        let transaction = self.begin(Begin::Change).await?;
        let held = HeldRequest::hold(&transaction, project, id, if_match).await?;
        held.step(Wish::RequestReviewers).await?;
        let available = reviewers::list(&transaction.tx, project, &held.head.environment).await?;
        let is_unknown = |user: &i64| available.iter().all(|person| person.id != *user);
        if let Some(index) = users.iter().position(is_unknown) {
            let rule = "must be the id of a user who may approve change requests in the environment";
            return Err(Error::property(format!("/body/reviewers/{index}"), rule));
        }
        let users: BTreeSet<i64> = users.iter().copied().collect();
        let asked = discussion::ask(&transaction.tx, id, &users, transaction.now).await?;
        let after: Vec<i64> = users.into_iter().collect();
        let Some(event) = held.subject().reviewers_asked(&asked.before, &after, &held.actor()) else { return Ok(()) };
        drop(held);
        transaction.commit([event]).await
    }
}

/// Adds a comment of the user to a change request, and returns its event.
pub(super) async fn comment_on(held: &HeldRequest<'_>, text: &str) -> Result<NewEvent, Error> {
    let (tx, now) = (&held.transaction.tx, held.transaction.now);
    let text = read_comment(text).map_err(|rule| Error::property("/body/text", rule))?;
    if held.request.comments.len() as u64 >= MOST_COMMENTS {
        return Err(Error::ExceedsLimit(format!("A change request has at most {MOST_COMMENTS} comments.")));
    }
    let comment = discussion::add_comment(tx, held.head.id, held.user_id, &text, now).await?;
    Ok(held.subject().commented(comment, &held.actor()))
}
