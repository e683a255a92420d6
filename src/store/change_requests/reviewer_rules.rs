//! Rules about who must approve changes.

use std::collections::{BTreeSet, HashMap};

use flagstone_domain::{
    change_request::{
        Target,
        reviewers::{self, Need, ReviewerRule, Scope, TouchedFeature},
    },
    ids::{EnvironmentName, ProjectId},
    tag::Tag,
    time::Timestamp,
};
use sea_orm::{ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder};

use crate::{
    StoreError,
    db::{Tx, listed},
    entity::{reviewer_rule, reviewer_rule_group, user_group_member},
    tags,
};

/// The rules of a project in an environment, by id.
pub async fn list(
    db: &impl ConnectionTrait,
    project: ProjectId<'_>,
    environment: EnvironmentName<'_>,
) -> Result<Vec<ReviewerRule>, StoreError> {
    let rows = reviewer_rule::Entity::find()
        .filter(reviewer_rule::Column::Project.eq(project.as_str()))
        .filter(reviewer_rule::Column::Environment.eq(environment.as_str()))
        .order_by_asc(reviewer_rule::Column::Id)
        .all(db)
        .await?;
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let ids: Vec<i64> = rows.iter().map(|row| row.id).collect();
    let groups = reviewer_rule_group::Entity::find()
        .filter(reviewer_rule_group::Column::RuleId.in_subquery(listed::numbers(db.get_database_backend(), &ids)))
        .order_by_asc(reviewer_rule_group::Column::GroupId)
        .all(db)
        .await?;
    let rule = |row: reviewer_rule::Model| ReviewerRule {
        groups: groups.iter().filter(|group| group.rule_id == row.id).map(|group| group.group_id).collect(),
        id: row.id,
        need: Need::parse(&row.need),
        scope: match (row.tag_type, row.tag_value, row.name_pattern) {
            (Some(kind), Some(value), _) => Scope::Tag(Tag { value, kind }),
            (_, _, Some(pattern)) => Scope::Name(pattern),
            _ => Scope::Everything,
        },
    };
    Ok(rows.into_iter().map(rule).collect())
}

/// The rules that still ask for an approval of changes with these targets, given the users who have approved: each with
/// the groups that have not approved. Costs one statement where there are no rules, and four at most.
pub async fn missing(
    db: &impl ConnectionTrait,
    project: ProjectId<'_>,
    environment: EnvironmentName<'_>,
    targets: &[&Target],
    approvers: &[i64],
) -> Result<Vec<ReviewerRule>, StoreError> {
    let rules = list(db, project, environment).await?;
    if rules.is_empty() {
        return Ok(Vec::new());
    }
    let ids: Vec<i64> = targets.iter().filter_map(|target| target.feature_id()).collect();
    let tags = tags::of_features(db, &ids).await?;
    let touched: Vec<TouchedFeature<'_>> = targets
        .iter()
        .filter_map(|target| {
            let tags = target.feature_id().and_then(|id| tags.get(&id));
            Some(TouchedFeature { name: target.feature()?, tags: tags.map_or(&[], Vec::as_slice) })
        })
        .collect();
    let groups = groups_of(db, approvers).await?;
    Ok(reviewers::missing(rules, &touched, &groups))
}

/// A rule to be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewReviewerRule {
    /// Changes that it is about.
    pub scope: Scope,
    /// Number of its groups that must approve.
    pub need: Need,
    /// Ids of the groups, each of which exists.
    pub groups: BTreeSet<i64>,
}

/// Gives a project these rules in an environment, in place of those that it has there.
pub async fn replace(
    tx: &Tx,
    project: ProjectId<'_>,
    environment: EnvironmentName<'_>,
    rules: &[NewReviewerRule],
    now: Timestamp,
) -> Result<(), StoreError> {
    reviewer_rule::Entity::delete_many()
        .filter(reviewer_rule::Column::Project.eq(project.as_str()))
        .filter(reviewer_rule::Column::Environment.eq(environment.as_str()))
        .exec(tx)
        .await?;
    for rule in rules {
        let (tag, pattern) = match &rule.scope {
            Scope::Everything => (None, None),
            Scope::Tag(tag) => (Some(tag), None),
            Scope::Name(pattern) => (None, Some(pattern.clone())),
        };
        let row = reviewer_rule::ActiveModel {
            project: Set(project.as_str().to_owned()),
            environment: Set(environment.as_str().to_owned()),
            need: Set(rule.need.as_str().to_owned()),
            tag_type: Set(tag.map(|tag| tag.kind.clone())),
            tag_value: Set(tag.map(|tag| tag.value.clone())),
            name_pattern: Set(pattern),
            created_at: Set(now),
            ..Default::default()
        };
        let id = reviewer_rule::Entity::insert(row).exec_with_returning(tx).await?.id;
        if !rule.groups.is_empty() {
            let rows = rule
                .groups
                .iter()
                .map(|group| reviewer_rule_group::ActiveModel { rule_id: Set(id), group_id: Set(*group) });
            reviewer_rule_group::Entity::insert_many(rows).exec_without_returning(tx).await?;
        }
    }
    Ok(())
}

/// Ids of the groups of each of these users, in the order of the users.
pub async fn groups_of(db: &impl ConnectionTrait, users: &[i64]) -> Result<Vec<BTreeSet<i64>>, StoreError> {
    if users.is_empty() {
        return Ok(Vec::new());
    }
    let rows = user_group_member::Entity::find()
        .filter(user_group_member::Column::UserId.in_subquery(listed::numbers(db.get_database_backend(), users)))
        .all(db)
        .await?;
    let mut groups: HashMap<i64, BTreeSet<i64>> = HashMap::new();
    for row in rows {
        groups.entry(row.user_id).or_default().insert(row.group_id);
    }
    Ok(users.iter().map(|user| groups.get(user).cloned().unwrap_or_default()).collect())
}
