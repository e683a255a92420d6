//! A change request that has everything, its settings, and freeze windows.

use std::collections::BTreeSet;

use flagstone::{
    domain::{
        change_request::{
            Target,
            action::Action,
            review::Verdict,
            reviewers::{Need, Scope},
            state::State,
        },
        freeze_window::{Day, FreezeWindow, When, read_zone},
        ids::{EnvironmentName, ProjectId},
        time::Timestamp,
    },
    store::{
        change_requests::{
            self, NewChange, NewChangeRequest, configuration, discussion,
            reviewer_rules::{self, NewReviewerRule},
            schedules,
        },
        entity::{environment, feature, user_group},
        freeze_windows,
    },
};
use sea_orm::{ActiveValue::Set, ColumnTrait as _, EntityTrait as _, QueryFilter as _};
use serde_json::json;

use crate::cluster::Node;

const AUTHOR: i64 = 1;
const REVIEWER: i64 = 2;
/// Names that the examples of the document ask for.
pub const PROJECT: &str = "shop";
const PRODUCTION: &str = "production";
const FEATURE: &str = "express-checkout";

/// Stores them in the project of the examples, about a strategy of its feature. Gives the id of the change request.
pub async fn store(node: &Node, now: Timestamp, strategy: &str, text: &str) -> i64 {
    let tx = node.state.db.begin().await.expect("begins");
    let group = user_group::Entity::find().one(&tx).await.expect("reads").expect("a group").id;
    let rule = NewReviewerRule {
        scope: Scope::Name("express.*".to_owned()),
        need: Need::Any,
        groups: BTreeSet::from([group]),
    };
    let (project, environment) = (ProjectId::new(PROJECT), EnvironmentName::new(PRODUCTION));
    configuration::save(&tx, project, environment, Some(1), now).await.expect("saves");
    let default = environment::ActiveModel {
        name: Set(PRODUCTION.to_owned()),
        required_approvals: Set(Some(2)),
        ..Default::default()
    };
    environment::Entity::update(default).exec(&tx).await.expect("saves");
    reviewer_rules::replace(&tx, project, environment, &[rule], now).await.expect("saves");
    let weekly = When::Weekly {
        days: BTreeSet::from([Day::Friday]),
        from: 18 * 60,
        to: 0,
        zone: read_zone("Europe/Berlin").expect("a zone"),
    };
    for when in [weekly, When::Once { from: now.plus_days(1), to: now.plus_days(2), zone: chrono_tz::Tz::UTC }] {
        let window =
            FreezeWindow { environment: None, when, reason: text.to_owned(), exempt_roles: BTreeSet::from([1]) };
        freeze_windows::insert(&tx, &window, now).await.expect("stores");
    }
    let new = NewChangeRequest { project: PROJECT, environment: PRODUCTION, created_by: AUTHOR, min_approvals: 1 };
    let (head, _) = change_requests::join_or_create(&tx, &new, now).await.expect("creates");
    let about = feature::Entity::find().filter(feature::Column::Name.eq(FEATURE)).one(&tx).await.expect("reads");
    let payload = json!({ "id": strategy, "name": "default", "title": text });
    let change = NewChange {
        target: Target::Feature { name: FEATURE.to_owned(), id: about.map(|feature| feature.id) },
        action: Action::read("updateStrategy", Some(payload.clone())).expect("an action"),
        snapshot: Some(payload),
    };
    change_requests::append(&tx, &head, &[change], AUTHOR, now).await.expect("appends");
    change_requests::retitle(&tx, head.id, Some(text)).await.expect("retitles");
    discussion::add_comment(&tx, head.id, REVIEWER, text, now).await.expect("comments");
    discussion::ask(&tx, head.id, &BTreeSet::from([REVIEWER]), now).await.expect("asks");
    change_requests::add_review(&tx, head.id, REVIEWER, Verdict::Approval, "digest", now).await.expect("approves");
    let head = change_requests::hold(&tx, head.id).await.expect("reads").expect("a change request");
    assert!(change_requests::enter(&tx, &head, State::Scheduled, now).await.expect("enters"));
    schedules::set(&tx, head.id, now.plus_days(30), AUTHOR).await.expect("schedules");
    tx.commit(now, []).await.expect("commits");
    head.id
}
