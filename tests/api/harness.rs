//! A fresh server for each test, a clock that the test moves, and callers by role.

mod client;
mod database;

use std::{
    fmt::Write as _,
    sync::{Arc, LazyLock},
};

use flagstone::{
    clock::Clock,
    config::Config,
    domain::{
        actor::ADMIN_TOKEN_USER_ID,
        feature_document::FeatureDocument,
        ids::{EnvironmentName, FeatureName, ProjectId},
        secret::{self, TokenKind},
        session::Client as SessionClient,
        sign_in_log::Method,
        strategy::StrategyDefinition,
        tag::{Tag, TagChange},
        time::Timestamp,
        visibility::Visibility,
    },
    state::State,
    store::{
        self, StoreError,
        access::people::NewUser,
        db::{Db, Tx},
        entity::project_group_role,
        groups::GroupContent,
        projects::NewProject,
        tokens::NewApiToken,
        users::sessions::NewSession,
    },
    vault::Vault,
};
use poem::{
    Response, Route,
    endpoint::{DynEndpoint, ToDynEndpoint},
};
use sea_orm::{ActiveValue::Set, EntityTrait, QueryOrder};
use uuid::Uuid;

pub use self::client::{Answer, Client};
use self::database::Place;
use crate::admin_token::ADMIN_TOKEN;

/// Ids of the roles that every database starts with.
pub mod role {
    pub const ADMIN: i64 = 1;
    pub const EDITOR: i64 = 2;
    pub const VIEWER: i64 = 3;
    pub const OWNER: i64 = 4;
    pub const MEMBER: i64 = 5;
}

/// The moment at which every test begins.
pub const START: &str = "2026-01-15T12:00:00.000Z";

/// All tests have the same routes: making them takes longer than many tests.
fn endpoint(state: &State) -> Arc<dyn DynEndpoint<Output = Response>> {
    static ROUTES: LazyLock<Arc<Route>> = LazyLock::new(|| Arc::new(flagstone::routes()));
    Arc::new(ToDynEndpoint(flagstone::serving(Arc::clone(&ROUTES), state.clone())))
}

/// Adds a strategy to a feature in an environment, behind those that it has there.
pub async fn add_strategy(
    tx: &Tx,
    feature_id: i64,
    environment: &str,
    new: &StrategyDefinition,
    now: Timestamp,
) -> Result<Uuid, StoreError> {
    let present = store::strategies::count(tx, feature_id, environment).await?;
    let new = StrategyDefinition { sort_order: i64::try_from(present).expect("few"), ..new.clone() };
    store::strategies::add(tx, feature_id, environment, &new, now).await
}

/// Starts a session of a user, as signing in with a password does.
pub async fn start_session(
    tx: &Tx,
    digest: &str,
    user_id: i64,
    now: Timestamp,
    expires_at: Timestamp,
) -> Result<(), StoreError> {
    let (method, client) = (Method::Simple, SessionClient::default());
    store::users::sessions::start(tx, NewSession { digest, user_id, method, client, now, expires_at }).await
}

/// Lets a project use an environment, without an event.
pub async fn connect(tx: &Tx, project: &str, environment: &str) {
    let (project, environment) = (ProjectId::new(project), EnvironmentName::new(environment));
    store::environments::connect(tx, project, environment).await.expect("connects");
}

/// A server on a database of its own.
pub struct TestApp {
    pub state: State,
    pub clock: Clock,
    endpoint: Arc<dyn DynEndpoint<Output = Response>>,
    place: Option<Place>,
}

impl TestApp {
    pub async fn new() -> Self {
        Box::pin(Self::with_config(Config::default())).await
    }

    pub async fn with_config(config: Config) -> Self {
        let clock = Clock::manual(Timestamp::parse(START).expect("valid"));
        let (db, place) = database::fresh().await;
        let config = Config { cheap_password_hashes: true, ..config };
        let state = State::new(db, clock.clone(), config, Vault::with_key(&[7; 32]));
        Self { endpoint: endpoint(&state), state, clock, place: Some(place) }
    }

    /// Another server on the same database, with other keys.
    pub fn beside(&self, vault: Vault) -> Self {
        let state = State::new(self.state.db.clone(), self.clock.clone(), (*self.state.config).clone(), vault);
        Self { endpoint: endpoint(&state), state, clock: self.clock.clone(), place: None }
    }

    pub fn db(&self) -> &Db {
        &self.state.db
    }

    /// The directory of the SQLite database; none on PostgreSQL.
    pub fn directory(&self) -> Option<&std::path::Path> {
        match &self.place {
            Some(Place::Directory(files)) => Some(files.path()),
            _ => None,
        }
    }

    pub async fn tx(&self) -> Tx {
        self.state.db.begin().await.expect("a transaction")
    }

    /// Keeps seeded rows, without an event.
    pub async fn commit(&self, tx: Tx) {
        tx.commit(self.clock.now(), []).await.expect("commits");
    }

    /// A caller with the admin API token.
    pub fn admin(&self) -> Client {
        self.client(Some(ADMIN_TOKEN), None)
    }

    /// A caller without credentials.
    pub fn anonymous(&self) -> Client {
        self.client(None, None)
    }

    /// A caller with any text as the Authorization header.
    pub fn with_authorization(&self, header: &str) -> Client {
        self.client(Some(header), None)
    }

    pub async fn viewer(&self) -> Client {
        self.person(role::VIEWER, None).await
    }

    pub async fn editor(&self) -> Client {
        self.person(role::EDITOR, None).await
    }

    pub async fn root_admin(&self) -> Client {
        self.person(role::ADMIN, None).await
    }

    pub async fn member(&self, project: &str) -> Client {
        self.person(role::VIEWER, Some((project, role::MEMBER))).await
    }

    pub async fn owner(&self, project: &str) -> Client {
        self.person(role::VIEWER, Some((project, role::OWNER))).await
    }

    /// A new person with a personal token, a root role and perhaps a role in a project.
    pub async fn person(&self, root_role_id: i64, in_project: Option<(&str, i64)>) -> Client {
        let now = self.clock.now();
        // No letters, which might spell the name that a test looks for.
        let suffix = flagstone::clock::new_uuid().as_u128().to_string();
        let tx = self.tx().await;
        let user = NewUser {
            username: Some(format!("user-{suffix}")),
            email: Some(format!("user-{suffix}@example.com")),
            name: Some(format!("User {suffix}")),
            root_role_id,
            ..NewUser::default()
        };
        let user_id = store::access::people::insert_user(&tx, &user, now).await.expect("a user");
        if let Some((project, role_id)) = in_project {
            store::access::people::grant_project_role(&tx, project, user_id, role_id, now).await.expect("a role");
        }
        let secret = format!("user:{suffix}");
        let ends = now.plus_days(365);
        store::tokens::insert_personal_token(&tx, user_id, "tests", &secret, ends, now).await.expect("a token");
        self.commit(tx).await;
        self.client(Some(&secret), Some(user_id))
    }

    /// Returns a client of this person, but signed in: with a session instead of the personal token.
    pub async fn in_session(&self, person: &Client) -> Client {
        let user_id = person.user_id.expect("a person");
        let (session, now) = (flagstone::clock::new_uuid().simple().to_string(), self.clock.now());
        let tx = self.tx().await;
        let digest = secret::digest(&session);
        start_session(&tx, &digest, user_id, now, now.plus_days(365)).await.expect("a session");
        self.commit(tx).await;
        let cookie = format!("unleash-session={session}");
        self.client(None, Some(user_id)).sending(&[("cookie", &cookie)])
    }

    /// A program with a client token for these projects and this environment.
    pub async fn program(&self, projects: &[&str], environment: &str) -> Client {
        self.client(Some(&self.program_token(projects, environment, None).await), None)
    }

    /// A browser with a frontend token for these projects and this environment.
    pub async fn browser(&self, projects: &[&str], environment: &str) -> Client {
        self.client(Some(&self.token(TokenKind::Frontend, projects, environment, None).await), None)
    }

    /// A client token; gives its secret.
    pub async fn program_token(&self, projects: &[&str], environment: &str, expires_at: Option<Timestamp>) -> String {
        self.token(TokenKind::Client, projects, environment, expires_at).await
    }

    /// A token of an application; gives its secret.
    pub async fn token(
        &self,
        kind: TokenKind,
        projects: &[&str],
        environment: &str,
        expires_at: Option<Timestamp>,
    ) -> String {
        let suffix = flagstone::clock::new_uuid().simple().to_string();
        let token = NewApiToken {
            secret: format!("[]:{environment}.{suffix}"),
            name: format!("program-{suffix}"),
            kind,
            projects: projects.iter().map(|project| (*project).to_owned()).collect(),
            environment: environment.to_owned(),
            expires_at,
            created_by: None,
        };
        let tx = self.tx().await;
        store::tokens::insert_api_token(&tx, &token, self.clock.now()).await.expect("a token");
        self.commit(tx).await;
        token.secret
    }

    fn client(&self, authorization: Option<&str>, user_id: Option<i64>) -> Client {
        let endpoint = Arc::clone(&self.endpoint);
        Client { endpoint, authorization: authorization.map(str::to_owned), headers: Vec::new(), user_id }
    }

    /// A project that uses `development` and `production`.
    pub async fn project(&self, id: &str) {
        let tx = self.tx().await;
        store::projects::insert(&tx, &NewProject::named(id, id), self.clock.now()).await.expect("a project");
        for environment in ["development", "production"] {
            connect(&tx, id, environment).await;
        }
        self.commit(tx).await;
    }

    /// A feature of type `release`; gives its internal id.
    pub async fn feature(&self, project: &str, name: &str) -> i64 {
        let tx = self.tx().await;
        let new = FeatureDocument::new(FeatureName::new(name), ProjectId::new(project), self.clock.now());
        let id = store::features::insert(&tx, &new, ADMIN_TOKEN_USER_ID).await.expect("a feature");
        self.commit(tx).await;
        id
    }

    /// A group of people; gives its id.
    pub async fn group(&self, name: &str, members: &[i64]) -> i64 {
        let mut users = members.to_vec();
        users.sort_unstable();
        let content = GroupContent {
            name: name.to_owned(),
            description: None,
            mappings_sso: vec![],
            root_role: None,
            users,
            nested_groups: vec![],
            kept: None,
            origin: None,
            directory_id: None,
        };
        let tx = self.tx().await;
        let id = store::groups::insert(&tx, &content, "tests", self.clock.now()).await.expect("a group");
        self.commit(tx).await;
        id
    }

    /// Gives a group a role in a project, without an event.
    pub async fn group_role(&self, project: &str, group_id: i64, role_id: i64) {
        let row = project_group_role::ActiveModel {
            project: Set(project.to_owned()),
            group_id: Set(group_id),
            role_id: Set(role_id),
            created_at: Set(self.clock.now()),
        };
        let tx = self.tx().await;
        project_group_role::Entity::insert(row).exec_without_returning(&tx).await.expect("a role");
        self.commit(tx).await;
    }

    /// Tags a feature, without an event.
    pub async fn tag(&self, feature_id: i64, kind: &str, value: &str) {
        let tx = self.tx().await;
        let tag = Tag { kind: kind.to_owned(), value: value.to_owned() };
        change_tags(&tx, feature_id, &[tag], &[], self.clock.now()).await;
        self.commit(tx).await;
    }

    /// Every stored event, oldest first.
    pub async fn events(&self) -> Vec<store::entity::event::Model> {
        use store::entity::event;
        event::Entity::find().order_by_asc(event::Column::Id).all(self.db()).await.expect("events")
    }

    /// The types of all stored events, oldest first.
    pub async fn event_types(&self) -> Vec<String> {
        self.events().await.into_iter().map(|event| event.r#type).collect()
    }
}

/// Puts tags on a feature and takes others off, without an event.
pub async fn change_tags(tx: &Tx, feature_id: i64, added: &[Tag], removed: &[Tag], now: Timestamp) {
    use store::{entity::feature, tags::Carrier};
    let row = feature::Entity::find_by_id(feature_id).one(tx).await.expect("reads").expect("a feature");
    let before = store::tags::of_feature(tx, feature_id).await.expect("tags");
    let carrier = Carrier { id: feature_id, name: row.name, project: row.project, tags: before.clone() };
    let change = [(carrier, TagChange::new(before, added, removed))];
    let everything = Visibility::everything();
    store::tags::change(tx, &change, &everything, ADMIN_TOKEN_USER_ID, now).await.expect("changes");
}

/// Percent-encodes a text for use in a query or path.
pub fn encoded(text: &str) -> String {
    text.bytes().fold(String::new(), |mut encoded, byte| {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            let _ = write!(encoded, "%{byte:02X}");
        }
        encoded
    })
}
