//! A project's settings as its overview shows them, and the environments that it uses.

use flagstone_domain::{
    feature_link::LinkTemplate,
    feature_naming::FeatureNaming,
    project::{ProjectMode, document::ProjectDocument},
    strategy::DefaultStrategy,
    time::Timestamp,
    version::Version,
};
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, FromQueryResult, QueryFilter, QueryTrait,
    sea_query::{Expr, ExprTrait, Query, SelectStatement},
};

use crate::{
    StoreError,
    db::{sql_text::SqlText, value::json_column},
    entity::{change_request_configuration, environment, favorite_project, project, project_environment},
    projects::{PROJECT, read_link_templates},
};

/// The settings of a project.
#[derive(Debug, Clone, PartialEq, Eq, FromQueryResult)]
pub struct Settings {
    /// Unique id.
    pub id: String,
    /// Display name.
    pub name: String,
    /// Purpose of the project.
    pub description: Option<String>,
    /// `open`, `protected` or `private`.
    pub mode: String,
    /// Stickiness of new strategies and variants.
    pub default_stickiness: String,
    /// Most features in use; `None` for no limit.
    pub feature_limit: Option<i64>,
    /// Regular expression that names of new features must match.
    pub naming_pattern: Option<String>,
    /// A name that matches the pattern.
    pub naming_example: Option<String>,
    /// Words about the pattern for people.
    pub naming_description: Option<String>,
    /// When the project was created.
    pub created_at: Timestamp,
    /// When the project last changed.
    pub updated_at: Timestamp,
    /// When it was archived; `None` while in use.
    pub archived_at: Option<Timestamp>,
    /// The links that new features get, as JSON.
    pub link_templates: Option<String>,
}

impl Settings {
    /// The links that its new features get.
    pub fn link_templates(&self) -> Result<Vec<LinkTemplate>, StoreError> {
        Ok(read_link_templates(self.link_templates.as_deref())?)
    }

    /// The project as events carry it.
    pub fn document(&self) -> Result<ProjectDocument, StoreError> {
        Ok(ProjectDocument {
            id: self.id.clone(),
            name: self.name.clone(),
            description: self.description.clone(),
            mode: ProjectMode::parse(&self.mode),
            default_stickiness: self.default_stickiness.clone(),
            feature_limit: self.feature_limit,
            feature_naming: FeatureNaming {
                pattern: self.naming_pattern.clone(),
                example: self.naming_example.clone(),
                description: self.naming_description.clone(),
            },
            archived_at: self.archived_at,
            link_templates: self.link_templates()?,
        })
    }

    /// The version of the project: its own properties, its environments and what they start with. What happens to its
    /// features does not make another.
    pub fn version(&self, environments: &[UsedEnvironment]) -> Result<Version, StoreError> {
        let environments: Vec<_> = environments.iter().map(|used| (&used.name, &used.default_strategy)).collect();
        Ok(Version::of(&(self.document()?, environments)))
    }
}

/// The settings of a project, archived or not.
pub async fn find_settings(db: &impl ConnectionTrait, id: &str) -> Result<Option<Settings>, StoreError> {
    static TEXT: SqlText = SqlText::new();
    let query = || project::Entity::find().filter(project::Column::Id.into_expr().eq(PROJECT.expr())).into_query();
    let row = db.query_one_raw(TEXT.statement(db.get_database_backend(), query, [PROJECT.is(id)])).await?;
    Ok(row.map(|row| Settings::from_query_result(&row, "")).transpose()?)
}

/// Whether a user marked a project as a favourite.
pub async fn is_favorite(db: &impl ConnectionTrait, project: &str, user_id: i64) -> Result<bool, StoreError> {
    let row = favorite_project::Entity::find()
        .filter(favorite_project::Column::UserId.eq(user_id))
        .filter(favorite_project::Column::Project.eq(project))
        .one(db)
        .await?;
    Ok(row.is_some())
}

/// An environment that a project uses.
#[derive(Debug, Clone, PartialEq)]
pub struct UsedEnvironment {
    /// Name of the environment.
    pub name: String,
    /// Default strategy of features that are switched on without one, if the project has it.
    pub default_strategy: Option<DefaultStrategy>,
    /// Whether changes of the project need approval there.
    pub needs_approval: bool,
}

#[derive(Debug, FromQueryResult)]
struct EnvironmentRow {
    name: String,
    default_strategy: Option<String>,
    required_approvals: Option<i64>,
}

/// The environments that a project uses, by sort order, then name.
pub async fn environments(db: &impl ConnectionTrait, project: &str) -> Result<Vec<UsedEnvironment>, StoreError> {
    static TEXT: SqlText = SqlText::new();
    let statement = TEXT.statement(db.get_database_backend(), environments_query, [PROJECT.is(project)]);
    let rows = db.query_all_raw(statement).await?;
    let read = |row| {
        let row = EnvironmentRow::from_query_result(row, "")?;
        let default_strategy = row.default_strategy.map(|json| json_column("default_strategy", &json)).transpose()?;
        let needs_approval = row.required_approvals.is_some();
        Ok::<_, sea_orm::DbErr>(UsedEnvironment { name: row.name, default_strategy, needs_approval })
    };
    let environments: Result<Vec<_>, _> = rows.iter().map(read).collect();
    Ok(environments?)
}

fn environments_query() -> SelectStatement {
    use change_request_configuration as configuration;
    let used = |column| Expr::col((project_environment::Entity, column));
    let configured =
        used(project_environment::Column::Project).equals((configuration::Entity, configuration::Column::Project)).and(
            used(project_environment::Column::Environment)
                .equals((configuration::Entity, configuration::Column::Environment)),
        );
    Query::select()
        .column((environment::Entity, environment::Column::Name))
        .column((project_environment::Entity, project_environment::Column::DefaultStrategy))
        .column((configuration::Entity, configuration::Column::RequiredApprovals))
        .from(project_environment::Entity)
        .inner_join(
            environment::Entity,
            Expr::col((environment::Entity, environment::Column::Name))
                .equals((project_environment::Entity, project_environment::Column::Environment)),
        )
        .left_join(configuration::Entity, configured)
        .and_where(Expr::col((project_environment::Entity, project_environment::Column::Project)).eq(PROJECT.expr()))
        .order_by((environment::Entity, environment::Column::SortOrder), sea_orm::Order::Asc)
        .order_by((environment::Entity, environment::Column::Name), sea_orm::Order::Asc)
        .to_owned()
}
