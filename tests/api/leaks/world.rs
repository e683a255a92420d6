//! Two instances that are alike, but for a private project that is full of words that are found nowhere else.

mod hidden;
mod seen;

use std::collections::BTreeMap;

use flagstone::{
    domain::{
        permission::{Permission, Scope},
        secret::TokenKind,
        time::DAY_MS,
    },
    jobs,
    store::{
        self,
        access::people::NewUser,
        entity::{role as role_entity, role_permission},
    },
};
use sea_orm::{ActiveValue::Set, EntityTrait};

pub use self::hidden::of_field;
use super::asker::Asker;
use crate::harness::{Client, TestApp, role};

/// Words of the hidden project, in lower case: one for each kind of text.
pub const CANARIES: &[&str] = &[
    PROJECT,
    "canaryprojectname",
    "canaryprojecttext",
    "canarynamingexample",
    "canarynamingtext",
    "canarydefaulttitle",
    "canaryreviewerpattern",
    "canarylinktitle",
    "canarylinkaddress",
    FEATURE,
    "canaryfeaturetext",
    CHILD,
    "canaryarchived",
    DELETED,
    TAG,
    "canarydeletedtag",
    "canarystrategytitle",
    "canaryreason",
    "canarygroup",
    "canaryvalue",
    "canaryvariant",
    "canarypayload",
    "canarysegmentname",
    "canarysegmenttext",
    "canarysegmentvalue",
    FIELD,
    "canaryfieldtext",
    "canarylegalvalue",
    "canaryrequestedtitle",
    "canaryrequesttitle",
    "canarycommenttext",
    "canaryaddontext",
    "canarychannel",
    TOKEN,
    APPLICATION,
    "canaryregistered",
    "canarygoneuser",
    "canaryinstance",
    "canarysdk",
];

/// Id of the hidden project.
pub const PROJECT: &str = "canaryprojectid";
/// Name of its feature.
pub const FEATURE: &str = "canaryfeaturename";
/// Name of one that needs it.
pub const CHILD: &str = "canarychild";
/// Name of one that is gone.
pub const DELETED: &str = "canarydeletedfeature";
/// Name of its context field.
pub const FIELD: &str = "canaryfieldname";
/// Value of a tag that only its features carry.
pub const TAG: &str = "canarytag";
/// Name of its token.
pub const TOKEN: &str = "canarytoken";
/// Name of an application that uses its features.
pub const APPLICATION: &str = "canaryapplication";

/// Values that stand for the hidden things in calls.
#[derive(Debug, Clone, Default)]
pub struct Secrets {
    /// Id of its segment.
    pub segment: i64,
    /// Id of an integration that is told of it.
    pub addon: i64,
    /// Id of a strategy of its feature.
    pub strategy: String,
    /// Handle that lists show in the place of its token's secret.
    pub handle: String,
}

impl Secrets {
    /// The hidden thing of the same kind.
    pub fn word(&self, word: &str) -> String {
        let hidden = match word {
            "shop" => PROJECT,
            "f" => FEATURE,
            "parent" => CHILD,
            "beta" => TAG,
            "tier" => FIELD,
            "app" => TOKEN,
            "checkout" | "web" => APPLICATION,
            "{id}" => &self.strategy,
            "shop:development.id-2" => &self.handle,
            other => other,
        };
        hidden.to_owned()
    }

    /// The path to the hidden thing of the same kind.
    pub fn path(&self, path: &str) -> String {
        let path = path.replace("/segments/1", &format!("/segments/{}", self.segment));
        let path = path.replace("/addons/1", &format!("/addons/{}", self.addon));
        path.split('/').map(|part| self.word(part)).collect::<Vec<_>>().join("/")
    }
}

/// An instance with everybody who asks.
pub struct World {
    app: TestApp,
    /// Made all this, and sees it.
    pub founder: Client,
    askers: BTreeMap<Asker, Client>,
    pub secrets: Secrets,
}

impl World {
    /// With the private project.
    pub async fn with_secrets() -> Self {
        let mut world = Self::begin().await;
        world.secrets = hidden::fill(&world.app, &world.founder).await;
        world.end().await
    }

    /// Without it.
    pub async fn without() -> Self {
        let world = Self::begin().await;
        hidden::leave_out(&world.app).await;
        world.end().await
    }

    pub fn client(&self, asker: Asker) -> &Client {
        &self.askers[&asker]
    }

    async fn begin() -> Self {
        let app = TestApp::new().await;
        app.project("shop").await;
        let founder = person(&app, "founder", role::ADMIN, None).await;
        let of_instance = |permission: &Permission| permission.scope() == Scope::Instance;
        let clerk = custom_role(&app, "Clerk", of_instance).await;
        let steward = custom_role(&app, "Steward", |_| true).await;
        let mut askers = BTreeMap::new();
        for (asker, name, root_role, role_in_shop) in [
            (Asker::Viewer, "viewer", role::VIEWER, None),
            (Asker::Editor, "editor", role::EDITOR, None),
            (Asker::Member, "member", role::VIEWER, Some(role::MEMBER)),
            (Asker::Owner, "owner", role::VIEWER, Some(role::OWNER)),
            (Asker::Clerk, "clerk", clerk, None),
            (Asker::Steward, "steward", steward, None),
        ] {
            askers.insert(asker, person(&app, name, root_role, role_in_shop).await);
        }
        seen::fill(&app, &founder).await;
        for (asker, kind) in [(Asker::Program, TokenKind::Client), (Asker::Browser, TokenKind::Frontend)] {
            let secret = app.token(kind, &["shop"], "development", None).await;
            askers.insert(asker, app.with_authorization(&secret));
        }
        Self { app, founder, askers, secrets: Secrets::default() }
    }

    /// Days later, when all figures have been taken.
    async fn end(self) -> Self {
        jobs::write_usage(&self.app.state).await.expect("writes");
        jobs::record_insights(&self.app.state).await.expect("records");
        self.app.clock.advance(8 * DAY_MS);
        jobs::record_insights(&self.app.state).await.expect("records");
        self
    }
}

/// Somebody whose name is the same in both worlds.
async fn person(app: &TestApp, name: &str, root_role_id: i64, in_shop: Option<i64>) -> Client {
    let now = app.clock.now();
    let tx = app.tx().await;
    let user =
        NewUser { username: Some(name.to_owned()), name: Some(name.to_owned()), root_role_id, ..NewUser::default() };
    let id = store::access::people::insert_user(&tx, &user, now).await.expect("a user");
    if let Some(role_id) = in_shop {
        store::access::people::grant_project_role(&tx, "shop", id, role_id, now).await.expect("a role");
    }
    let secret = format!("user:{name}");
    let ends = now.plus_days(365);
    store::tokens::insert_personal_token(&tx, id, "tests", &secret, ends, now).await.expect("a token");
    app.commit(tx).await;
    let mut client = app.with_authorization(&secret);
    client.user_id = Some(id);
    client
}

async fn custom_role(app: &TestApp, name: &str, which: impl Fn(&Permission) -> bool) -> i64 {
    let tx = app.tx().await;
    let row = role_entity::ActiveModel {
        name: Set(name.to_owned()),
        r#type: Set("root-custom".to_owned()),
        description: Set(String::new()),
        ..Default::default()
    };
    let id = role_entity::Entity::insert(row).exec_with_returning(&tx).await.expect("a role").id;
    let permissions =
        Permission::ALL.iter().filter(|permission| **permission != Permission::Admin && which(permission));
    let grants = permissions.map(|permission| role_permission::ActiveModel {
        role_id: Set(id),
        permission: Set(permission.as_str().to_owned()),
        ..Default::default()
    });
    role_permission::Entity::insert_many(grants).exec_without_returning(&tx).await.expect("grants");
    app.commit(tx).await;
    id
}
