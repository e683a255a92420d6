//! Parts of change requests other than their changes, in a number of statements that does not depend on how many change
//! requests there are.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use flagstone_domain::{
    change_request::{
        Comment,
        review::{Review, Verdict},
        schedule::Schedule,
        state::State,
    },
    time::Timestamp,
};
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder};

use super::{people::People, rows};
use crate::{
    StoreError,
    db::listed,
    entity::{
        change_request, change_request_comment, change_request_review, change_request_schedule,
        change_request_state_entry,
    },
};

/// Everything that belongs to a change request, except its changes.
#[derive(Debug, Default)]
pub(super) struct Belongings {
    pub(super) approvals: Vec<Review>,
    pub(super) rejections: Vec<Review>,
    pub(super) comments: Vec<Comment>,
    pub(super) schedule: Option<Schedule>,
    pub(super) entered: BTreeMap<State, Timestamp>,
}

/// Reads what belongs to change requests, by their ids, and the users of it, together with further users.
pub(super) async fn read(
    db: &impl ConnectionTrait,
    heads: &[change_request::Model],
    users: impl IntoIterator<Item = i64> + Send,
) -> Result<(HashMap<i64, Belongings>, People), StoreError> {
    let mut users: BTreeSet<i64> = users.into_iter().collect();
    let ids: Vec<i64> = heads.iter().map(|head| head.id).collect();
    let among = || listed::numbers(db.get_database_backend(), &ids);
    let reviews = change_request_review::Entity::find()
        .filter(change_request_review::Column::ChangeRequestId.in_subquery(among()))
        .order_by_asc(change_request_review::Column::Id)
        .all(db)
        .await?;
    let comments = change_request_comment::Entity::find()
        .filter(change_request_comment::Column::ChangeRequestId.in_subquery(among()))
        .order_by_asc(change_request_comment::Column::Id)
        .all(db)
        .await?;
    let schedules = change_request_schedule::Entity::find()
        .filter(change_request_schedule::Column::ChangeRequestId.in_subquery(among()))
        .all(db)
        .await?;
    let entries = change_request_state_entry::Entity::find()
        .filter(change_request_state_entry::Column::ChangeRequestId.in_subquery(among()))
        .all(db)
        .await?;
    users.extend(heads.iter().map(|head| head.created_by_user_id));
    users.extend(reviews.iter().map(|review| review.user_id));
    users.extend(comments.iter().map(|comment| comment.user_id));
    let people = People::read(db, users).await?;

    let mut of: HashMap<i64, Belongings> = HashMap::new();
    for row in reviews {
        let belongings = of.entry(row.change_request_id).or_default();
        match Verdict::parse(&row.verdict) {
            Some(Verdict::Approval) => belongings.approvals.push(rows::review(row, &people)),
            Some(Verdict::Rejection) => belongings.rejections.push(rows::review(row, &people)),
            None => {}
        }
    }
    for row in comments {
        of.entry(row.change_request_id).or_default().comments.push(rows::comment(row, &people));
    }
    for row in schedules {
        let belongings = of.entry(row.change_request_id).or_default();
        belongings.schedule = Some(rows::schedule(row));
    }
    for row in entries {
        let state = rows::state(&row.state)?;
        of.entry(row.change_request_id).or_default().entered.insert(state, row.entered_at);
    }
    Ok((of, people))
}
