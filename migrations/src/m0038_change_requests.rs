//! Change requests with everything that belongs to them, their configuration, required reviewers, and freeze windows.
//!
//! Features, strategies and segments are no foreign keys: a change outlives its target, and says so.

use sea_orm_migration::prelude::{
    ConnectionTrait, DbErr, DeriveMigrationName, MigrationTrait, SchemaManager, async_trait,
};

use crate::table::{NewTable, create_all, id, instant, number, optional, text};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

/// Approvals that new projects need in an environment; without them they start without change requests.
const DEFAULT_APPROVALS: &str = "ALTER TABLE \"environment\" ADD COLUMN \"required_approvals\" bigint";

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let tables = vec![
            configuration(),
            change_request(),
            state_entry(),
            change(),
            change_target(),
            review(),
            comment(),
            approver(),
            schedule(),
            reviewer_rule(),
            reviewer_rule_group(),
            freeze_window(),
        ];
        create_all(manager, tables).await?;
        manager.get_connection().execute_unprepared(DEFAULT_APPROVALS).await?;
        Ok(())
    }

    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }
}

/// A row means that changes there need approval. The project need not use the environment yet.
fn configuration() -> NewTable {
    NewTable::new(
        "change_request_configuration",
        [text("project"), text("environment"), number("required_approvals"), instant("created_at")],
    )
    .key(&["project", "environment"])
    .belongs_to("project", "project", "id")
    .belongs_to("environment", "environment", "name")
    .index(&["environment"])
}

fn change_request() -> NewTable {
    let mut revision = number("revision");
    revision.default(0);
    NewTable::new(
        "change_request",
        [
            id(),
            text("project"),
            text("environment"),
            text("state"),
            optional(text("title")),
            number("min_approvals"),
            revision,
            number("created_by_user_id"),
            instant("created_at"),
            optional(text("applied_digest")),
        ],
    )
    .belongs_to("project", "project", "id")
    .belongs_to("environment", "environment", "name")
    .refers_to("created_by_user_id", "app_user", "id")
    // Changes of one user that arrive together find one change request.
    .unique_where(&["project", "environment", "created_by_user_id"], "state IN ('Draft', 'In review', 'Approved')")
    .index(&["project", "state", "id"])
    .index(&["created_by_user_id", "id"])
    .index(&["environment"])
    .index_where(&["id", "project"], "state IN ('Draft', 'In review', 'Approved', 'Scheduled')")
}

/// When each state was last entered.
fn state_entry() -> NewTable {
    NewTable::new("change_request_state_entry", [number("change_request_id"), text("state"), instant("entered_at")])
        .key(&["change_request_id", "state"])
        .belongs_to("change_request_id", "change_request", "id")
}

fn change() -> NewTable {
    NewTable::new(
        "change_request_change",
        [
            id(),
            number("change_request_id"),
            number("position"),
            optional(text("feature")),
            optional(number("feature_id")),
            optional(number("segment_id")),
            text("action"),
            optional(text("payload")),
            optional(text("snapshot")),
            number("created_by_user_id"),
            instant("created_at"),
        ],
    )
    .belongs_to("change_request_id", "change_request", "id")
    .refers_to("created_by_user_id", "app_user", "id")
    .unique(&["change_request_id", "position"])
    .index_where(&["feature", "change_request_id"], "feature IS NOT NULL")
    .index(&["created_by_user_id"])
}

/// Derived from payloads: strategies and segments that a change is about, and segments that it applies.
fn change_target() -> NewTable {
    NewTable::new("change_request_change_target", [number("change_id"), text("kind"), text("target")])
        .key(&["change_id", "kind", "target"])
        .belongs_to("change_id", "change_request_change", "id")
        .index(&["kind", "target", "change_id"])
}

/// Approvals and rejections: one of each by a user.
fn review() -> NewTable {
    NewTable::new(
        "change_request_review",
        [id(), number("change_request_id"), number("user_id"), text("verdict"), text("digest"), instant("created_at")],
    )
    .belongs_to("change_request_id", "change_request", "id")
    .refers_to("user_id", "app_user", "id")
    .unique(&["change_request_id", "verdict", "user_id"])
    .index(&["user_id"])
}

fn comment() -> NewTable {
    NewTable::new(
        "change_request_comment",
        [id(), number("change_request_id"), number("user_id"), text("text"), instant("created_at")],
    )
    .belongs_to("change_request_id", "change_request", "id")
    .refers_to("user_id", "app_user", "id")
    .index(&["change_request_id", "id"])
    .index(&["user_id"])
}

/// Users who are asked for their approval.
fn approver() -> NewTable {
    NewTable::new("change_request_approver", [number("change_request_id"), number("user_id"), instant("requested_at")])
        .key(&["change_request_id", "user_id"])
        .belongs_to("change_request_id", "change_request", "id")
        .belongs_to("user_id", "app_user", "id")
        .index(&["user_id", "change_request_id"])
}

fn schedule() -> NewTable {
    NewTable::new(
        "change_request_schedule",
        [
            number("change_request_id"),
            instant("due_at"),
            text("status"),
            optional(text("reason")),
            number("scheduled_by_user_id"),
            optional(text("claimed_by")),
            optional(instant("claimed_until")),
        ],
    )
    .key(&["change_request_id"])
    .belongs_to("change_request_id", "change_request", "id")
    .refers_to("scheduled_by_user_id", "app_user", "id")
    .index_where(&["due_at", "change_request_id"], "status = 'pending'")
    .index(&["scheduled_by_user_id"])
}

/// Approval that changes of a project in an environment need: of all features, of those with a tag, or of those whose
/// names match a pattern.
fn reviewer_rule() -> NewTable {
    NewTable::new(
        "reviewer_rule",
        [
            id(),
            text("project"),
            text("environment"),
            text("need"),
            optional(text("tag_type")),
            optional(text("tag_value")),
            optional(text("name_pattern")),
            instant("created_at"),
        ],
    )
    .belongs_to("project", "project", "id")
    .belongs_to("environment", "environment", "name")
    .index(&["project", "environment"])
    .index(&["environment"])
}

/// Groups of rules. A rule whose groups were all deleted stays, and cannot be met until it is changed.
fn reviewer_rule_group() -> NewTable {
    NewTable::new("reviewer_rule_group", [number("rule_id"), number("group_id")])
        .key(&["rule_id", "group_id"])
        .belongs_to("rule_id", "reviewer_rule", "id")
        .belongs_to("group_id", "user_group", "id")
        .index(&["group_id"])
}

/// Once, with two instants, or weekly, with days, minutes and a zone. Without an environment it counts in all.
fn freeze_window() -> NewTable {
    NewTable::new(
        "freeze_window",
        [
            id(),
            optional(text("environment")),
            optional(instant("from_at")),
            optional(instant("to_at")),
            optional(text("days")),
            optional(number("from_minute")),
            optional(number("to_minute")),
            optional(text("zone")),
            text("reason"),
            text("exempt_roles"),
            instant("created_at"),
        ],
    )
    .belongs_to("environment", "environment", "name")
    .index(&["environment"])
}
