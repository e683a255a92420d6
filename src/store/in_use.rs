//! Uses of shared things.

use flagstone_domain::{
    constraint::Constraint,
    in_use::{LISTED, Subject, User, Users},
    strategy::{DefaultStrategy, Parameters},
    time::Timestamp,
    variant::{FeatureVariant, StrategyVariant},
    visibility::Visibility,
};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder, QueryResult,
    QuerySelect,
    sea_query::{ExprTrait, Order, Query, SelectStatement},
};
use serde::de::DeserializeOwned;

use crate::{
    StoreError,
    db::{Tx, text::containing, value::json_column},
    entity::{
        feature, feature_environment, feature_strategy, feature_tag, project, project_environment, segment,
        strategy_segment, tag,
    },
    sign_in,
    visibility::not_hidden,
};

/// Strategies that are read at once: their constraints may be large.
const READ_AT_ONCE: u64 = 500;

/// The users of something shared. All of them count; only visible ones are named.
pub async fn users(tx: &Tx, subject: &Subject<'_>, visibility: &Visibility) -> Result<Users, StoreError> {
    let mut search = Search { tx, subject, visibility, users: Users::default() };
    search.run().await?;
    Ok(search.users)
}

struct Search<'a> {
    tx: &'a Tx,
    subject: &'a Subject<'a>,
    visibility: &'a Visibility,
    users: Users,
}

impl Search<'_> {
    async fn run(&mut self) -> Result<(), StoreError> {
        match self.subject {
            Subject::TagType(name) => return self.carriers(name).await,
            Subject::Role { id, .. } => return self.login_providers(*id).await,
            _ => {}
        }
        self.strategies().await?;
        self.default_strategies().await?;
        if self.field().is_some() {
            self.variants().await?;
            self.segments().await?;
        }
        if let Subject::ContextField { name, .. } = self.subject {
            self.default_stickiness(name).await?;
        }
        Ok(())
    }

    /// Name of the context field that is looked for.
    const fn field(&self) -> Option<&str> {
        match self.subject {
            Subject::ContextField { name, .. } => Some(*name),
            Subject::LegalValues { field, .. } => Some(*field),
            Subject::Segment { .. } | Subject::StrategyType(_) | Subject::TagType(_) | Subject::Role { .. } => None,
        }
    }

    /// Whether JSON in one of these columns holds the name of the field as a text: a few more rows than use it. Holds
    /// for every row where no field is looked for.
    fn mentions<C: ColumnTrait>(&self, columns: impl IntoIterator<Item = C>) -> Condition {
        let Some(field) = self.field() else { return Condition::all() };
        let quoted = serde_json::Value::from(field).to_string();
        columns.into_iter().fold(Condition::any(), |any, column| any.add(column.into_expr().like(containing(&quoted))))
    }

    fn can_be_used_by(&self, project: Option<&str>) -> bool {
        self.subject.is_within_reach(project)
    }

    fn note(&mut self, user: User) {
        self.users.is_used = true;
        let is_seen = user.project().is_none_or(|project| self.visibility.admits(project));
        if is_seen && self.users.seen.len() <= LISTED {
            self.users.seen.insert(user);
        }
    }

    async fn strategies(&mut self) -> Result<(), StoreError> {
        let mut last = String::new();
        while !self.users.is_full() {
            let query = self.strategies_after(&last);
            let rows = self.tx.query_all(&query).await?;
            let Some(row) = rows.last() else { return Ok(()) };
            last = row.try_get("", "id")?;
            for row in &rows {
                let user = feature_of(row)?;
                if self.can_be_used_by(user.project()) && self.is_in_strategy(row)? {
                    self.note(user);
                }
            }
        }
        Ok(())
    }

    fn strategies_after(&self, last: &str) -> SelectStatement {
        use feature_strategy::Column;
        let mut query = Query::select();
        query
            .columns(
                [Column::Id, Column::Environment, Column::Constraints, Column::Parameters, Column::Variants]
                    .map(|column| (feature_strategy::Entity, column)),
            )
            .columns([feature::Column::Project, feature::Column::ArchivedAt].map(|column| (feature::Entity, column)))
            .expr_as(feature::Column::Name.into_expr(), "feature_name")
            .from(feature_strategy::Entity)
            .from(feature::Entity)
            .and_where(Column::FeatureId.into_expr().equals((feature::Entity, feature::Column::Id)))
            .and_where(Column::Id.into_expr().gt(last))
            .order_by((feature_strategy::Entity, Column::Id), Order::Asc)
            .limit(READ_AT_ONCE);
        match self.subject {
            Subject::Segment { id, .. } => {
                let applied = Query::select()
                    .column(strategy_segment::Column::StrategyId)
                    .from(strategy_segment::Entity)
                    .and_where(strategy_segment::Column::SegmentId.eq(*id))
                    .take();
                query.and_where(Column::Id.into_expr().in_subquery(applied));
            }
            Subject::StrategyType(name) => {
                query.and_where(Column::Name.into_expr().eq(*name));
            }
            _ => {
                query.cond_where(self.mentions([Column::Constraints, Column::Parameters, Column::Variants]));
            }
        }
        query
    }

    fn is_in_strategy(&mut self, row: &QueryResult) -> Result<bool, StoreError> {
        if self.field().is_none() {
            return Ok(true);
        }
        let constraints: Vec<Constraint> = json(row, "constraints")?;
        let parameters: Parameters = json(row, "parameters")?;
        let variants: Vec<StrategyVariant> = json(row, "variants")?;
        Ok(self.subject.is_in_constraints(&constraints, &mut self.users.values)
            || self.subject.is_in_rollout(&parameters, &variants))
    }

    async fn variants(&mut self) -> Result<(), StoreError> {
        use feature_environment::Column;
        let query = Query::select()
            .columns([Column::Environment, Column::Variants].map(|column| (feature_environment::Entity, column)))
            .columns([feature::Column::Project, feature::Column::ArchivedAt].map(|column| (feature::Entity, column)))
            .expr_as(feature::Column::Name.into_expr(), "feature_name")
            .from(feature_environment::Entity)
            .from(feature::Entity)
            .and_where(Column::FeatureId.into_expr().equals((feature::Entity, feature::Column::Id)))
            .cond_where(self.mentions([Column::Variants]))
            .take();
        for row in &self.tx.query_all(&query).await? {
            let user = feature_of(row)?;
            let variants: Vec<FeatureVariant> = json(row, "variants")?;
            if self.can_be_used_by(user.project()) && self.subject.is_in_variants(&variants, &mut self.users.values) {
                self.note(user);
            }
        }
        Ok(())
    }

    async fn segments(&mut self) -> Result<(), StoreError> {
        let which = self.mentions([segment::Column::Constraints]);
        let rows = segment::Entity::find().filter(which).order_by_asc(segment::Column::Name).all(self.tx).await?;
        for row in rows {
            let constraints: Vec<Constraint> = json_column("segment.constraints", &row.constraints)?;
            if self.can_be_used_by(row.project.as_deref())
                && self.subject.is_in_constraints(&constraints, &mut self.users.values)
            {
                self.note(User::Segment { name: row.name, project: row.project });
            }
        }
        Ok(())
    }

    async fn default_strategies(&mut self) -> Result<(), StoreError> {
        use project_environment::Column;
        let rows = project_environment::Entity::find()
            .filter(Column::DefaultStrategy.is_not_null())
            .filter(self.mentions([Column::DefaultStrategy]))
            .all(self.tx)
            .await?;
        for row in rows {
            let stored = row.default_strategy.as_deref().unwrap_or("null");
            let strategy: Option<DefaultStrategy> = json_column("project_environment.default_strategy", stored)?;
            if self.can_be_used_by(Some(&row.project))
                && strategy.is_some_and(|strategy| self.subject.is_in_default(&strategy, &mut self.users.values))
            {
                self.note(User::DefaultStrategy { project: row.project, environment: row.environment });
            }
        }
        Ok(())
    }

    async fn default_stickiness(&mut self, field: &str) -> Result<(), StoreError> {
        if !self.subject.is_stickiness(field) {
            return Ok(());
        }
        let rows = project::Entity::find().filter(project::Column::DefaultStickiness.eq(field)).all(self.tx).await?;
        for row in rows {
            if self.can_be_used_by(Some(&row.id)) {
                self.note(User::DefaultStickiness { project: row.id, is_archived: row.archived_at.is_some() });
            }
        }
        Ok(())
    }

    /// Login providers that give a role to users whom they create. Not those of the settings, which are sealed.
    async fn login_providers(&mut self, role_id: i64) -> Result<(), StoreError> {
        for (id, label) in sign_in::providers::giving_role(self.tx, role_id).await? {
            self.note(User::LoginProvider { id, label });
        }
        Ok(())
    }

    /// Features with a tag of a type.
    async fn carriers(&mut self, kind: &str) -> Result<(), StoreError> {
        let tags =
            Query::select().column(tag::Column::Id).from(tag::Entity).and_where(tag::Column::Type.eq(kind)).take();
        let carriers = Query::select()
            .column(feature_tag::Column::FeatureId)
            .from(feature_tag::Entity)
            .and_where(feature_tag::Column::TagId.in_subquery(tags))
            .take();
        let carried = || feature::Entity::find().filter(feature::Column::Id.in_subquery(carriers.clone()));
        let seen = carried()
            .filter(not_hidden(feature::Column::Project.into_expr(), self.visibility))
            .order_by_asc(feature::Column::Name)
            .limit(LISTED as u64 + 1)
            .all(self.tx)
            .await?;
        for row in seen {
            self.note(User::Feature {
                name: row.name,
                project: row.project,
                environment: None,
                is_archived: row.archived_at.is_some(),
            });
        }
        if !self.users.is_used {
            self.users.is_used = carried().count(self.tx).await? > 0;
        }
        Ok(())
    }
}

/// The feature of a row.
fn feature_of(row: &QueryResult) -> Result<User, DbErr> {
    Ok(User::Feature {
        name: row.try_get("", "feature_name")?,
        project: row.try_get("", "project")?,
        environment: Some(row.try_get("", "environment")?),
        is_archived: row.try_get::<Option<Timestamp>>("", "archived_at")?.is_some(),
    })
}

fn json<T: DeserializeOwned>(row: &QueryResult, column: &str) -> Result<T, DbErr> {
    json_column(column, &row.try_get::<String>("", column)?)
}
