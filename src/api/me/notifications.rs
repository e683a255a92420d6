//! Notifications about the changes of others in the projects of the caller.

use poem::web::Data;
use poem_openapi::{Enum, Object, OpenApi};
use serde::Serialize;

use crate::{
    api::{
        Tag,
        answer::{Done, Fails, Out, ReadRefusals, WriteRefusals},
        author::author,
        body::Body,
        caller::AuthenticatedCaller,
    },
    domain::{
        notification::{Notification, Subject},
        time::Timestamp,
        user,
    },
    state::State,
    store,
    wire::{AtMost, Nullable},
};

/// The operations on notifications.
#[derive(Debug)]
pub struct NotificationsApi;

/// A change by another user in a project of the caller, or news of a change request.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "Notification", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct NotificationBody {
    /// Id of the notification, which is that of the event.
    pub id: i64,
    /// A sentence about it.
    pub message: String,
    /// Path of the page of the console that shows it.
    pub link: String,
    /// Kind of the change.
    pub notification_type: NotificationType,
    /// Author of the change.
    pub created_by: NotificationAuthorBody,
    /// When it was done.
    pub created_at: Timestamp,
    /// When the caller read it; `null` when they have not.
    pub read_at: Nullable<Timestamp>,
}

/// Type of a notification.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum, Serialize)]
#[oai(rename_all = "kebab-case")]
#[serde(rename_all = "kebab-case")]
pub enum NotificationType {
    /// A feature.
    Toggle,
    /// A change request.
    ChangeRequest,
}

/// The user who caused a notification.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "NotificationAuthor", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct NotificationAuthorBody {
    /// Their name at that time: email, else user name, else the name of the API token.
    pub username: String,
    /// Address of the profile image.
    pub image_url: String,
}

impl From<Notification> for NotificationBody {
    fn from(notification: Notification) -> Self {
        let (message, link) = (notification.message(), notification.link());
        let notification_type = match notification.subject {
            Subject::Feature(_) => NotificationType::Toggle,
            Subject::ChangeRequest { .. } => NotificationType::ChangeRequest,
        };
        let id = notification.created_by_user_id.unwrap_or_default();
        Self {
            id: notification.event_id,
            message,
            link,
            notification_type,
            created_by: NotificationAuthorBody {
                image_url: user::image_url(None, Some(&notification.created_by), id),
                username: notification.created_by,
            },
            created_at: notification.created_at,
            read_at: notification.read_at.into(),
        }
    }
}

/// Notifications that have been read.
#[derive(Debug, Object)]
#[oai(rename = "ReadNotifications")]
pub struct ReadNotificationsBody {
    /// Ids of notifications, at most 1000. Ids of notifications that the caller does not have are ignored.
    pub notifications: AtMost<1000, i64>,
}

#[OpenApi(tag = "Tag::Profile")]
impl NotificationsApi {
    /// List your notifications
    ///
    /// Features that others created, archived or switched on in the last 14 days, in projects where the caller has a
    /// role, directly or through a group; change requests that the caller made or scheduled and that others approved or
    /// rejected, or whose schedule failed or was suspended; change requests in review for which others asked the caller's
    /// approval: the newest 50, newest first. API tokens have none.
    #[oai(path = "/api/admin/notifications", method = "get", operation_id = "getNotifications")]
    async fn get_notifications(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
    ) -> Result<Out<Vec<NotificationBody>>, Fails<ReadRefusals>> {
        let Some(user_id) = caller.user_id() else { return Ok(Out(Vec::new())) };
        let visibility = caller.visibility().await?;
        let notifications = store::notifications::list(&state.db, user_id, &visibility, state.clock.now()).await?;
        Ok(Out(notifications.into_iter().map(NotificationBody::from).collect()))
    }

    /// Mark notifications as read
    ///
    /// For the caller only; API tokens are refused with 403. Leaves no event.
    #[oai(path = "/api/admin/notifications/read", method = "post", operation_id = "markNotificationsAsRead")]
    async fn mark_notifications_as_read(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        body: Body<ReadNotificationsBody>,
    ) -> Result<Done, Fails<WriteRefusals>> {
        let user_id = caller.require_person()?.id;
        let ids = body.read()?.notifications.0;
        author(&caller, state).mark_notifications_as_read(user_id, &ids).await?;
        Ok(Done)
    }
}
