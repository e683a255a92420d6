//! Memberships of a user who has identities of two providers that synchronise groups.

use flagstone::store::entity::user_group_member;
use poem::http::Method;
use sea_orm::{ColumnTrait as _, EntityTrait as _, QueryFilter as _, sea_query::Expr};
use serde_json::{Value, json};

use super::{beside::Beside, company::Company, identity_links::begin};

/// A company with two providers, a user with an identity of each, and three groups.
struct Team {
    company: Company,
    first: Beside,
    second: Beside,
    user: Value,
    /// Fed by one name, by the other, and by both.
    groups: [i64; 3],
}

impl Team {
    /// The first provider has told `ops` already, and the second, which tells `dev`, has not been used yet.
    async fn new() -> Self {
        let company = Company::new().await;
        let mut groups = [0; 3];
        for (group, (name, mappings)) in
            groups.iter_mut().zip([("Ops", &["ops"][..]), ("Dev", &["dev"]), ("All", &["ops", "dev"])])
        {
            let made = json!({ "name": name, "mappingsSSO": mappings });
            *group =
                company.app.admin().post("/api/admin/groups", made).await.expect(201)["id"].as_i64().expect("an id");
        }
        let rules = json!({ "autoCreate": true, "syncGroups": true });
        let settings = || json!({ "groupsPath": "groups" });
        let first = Beside::with(&company, "first", "oidc", settings(), &rules).await;
        let second = Beside::with(&company, "second", "oidc", settings(), &rules).await;
        first.provider.claim("email", "grace@example.com");
        first.provider.claim("groups", json!(["ops"]));
        second.provider.claim("groups", json!(["dev"]));
        let (mut grace, user) = first.signed_in(&company).await;
        let callback = begin(&second, &mut grace).await;
        assert_eq!(grace.get(&callback).await.status, 302);
        Self { company, first, second, user, groups }
    }

    /// Signs in through a provider; gives the types of the events, and whether the user is in each of the groups.
    async fn sign_in(&self, beside: &Beside) -> (Vec<String>, [bool; 3]) {
        let before = self.company.app.event_types().await.len();
        let (_, user) = beside.signed_in(&self.company).await;
        assert_eq!(user["id"], self.user["id"]);
        let mut is_member = [false; 3];
        for (is_member, id) in is_member.iter_mut().zip(self.groups) {
            let group = self.company.app.admin().get(&format!("/api/admin/groups/{id}")).await.expect(200);
            *is_member = group["users"].as_array().is_some_and(|users| !users.is_empty());
        }
        (self.company.app.event_types().await.split_off(before), is_member)
    }

    /// Providers that gave the memberships, by the group.
    async fn givers(&self) -> [Option<String>; 3] {
        let rows = user_group_member::Entity::find().all(self.company.app.db()).await.expect("rows");
        self.groups.map(|id| {
            let row = rows.iter().find(|row| row.group_id == id);
            row.and_then(|row| row.source_provider.clone())
        })
    }
}

fn giver(id: &str) -> String {
    format!("oidc:{id}")
}

#[tokio::test]
async fn each_provider_takes_only_the_memberships_that_it_gave() {
    let team = Team::new().await;
    assert_eq!(team.givers().await, [Some(giver("first")), None, Some(giver("first"))]);
    let (joined, left) = ("group-user-added".to_owned(), "group-user-removed".to_owned());
    assert_eq!(team.sign_in(&team.second).await, (vec![joined.clone()], [true; 3]));
    assert_eq!(team.givers().await, [Some(giver("first")), Some(giver("second")), Some(giver("first"))]);
    for beside in [&team.first, &team.second] {
        assert_eq!(team.sign_in(beside).await, (vec![], [true; 3]), "neither undoes the other");
    }
    team.first.provider.claim("groups", json!([]));
    assert_eq!(team.sign_in(&team.first).await, (vec![left.clone(), left.clone()], [false, true, false]));
    // The other gives, from its next sign-in on, what both had given.
    assert_eq!(team.sign_in(&team.second).await, (vec![joined], [false, true, true]));
    assert_eq!(team.sign_in(&team.first).await, (vec![], [false, true, true]));
    team.second.provider.claim("groups", json!([]));
    assert_eq!(team.sign_in(&team.second).await, (vec![left.clone(), left], [false; 3]));
}

#[tokio::test]
async fn a_membership_of_an_unknown_provider_is_of_the_next_that_synchronises() {
    let team = Team::new().await;
    let tx = team.company.app.db().begin().await.expect("a transaction");
    // As versions before stored it.
    user_group_member::Entity::update_many()
        .col_expr(user_group_member::Column::SourceProvider, Expr::value(None::<String>))
        .filter(user_group_member::Column::Source.eq("login-provider"))
        .exec(&tx)
        .await
        .expect("updates");
    team.company.app.commit(tx).await;
    let (types, is_member) = team.sign_in(&team.second).await;
    assert_eq!((types.len(), is_member), (2, [false, true, true]), "{types:?}");
    assert_eq!(team.givers().await, [None, Some(giver("second")), Some(giver("second"))]);
}

#[tokio::test]
async fn a_membership_of_a_provider_that_the_user_left_is_of_the_next_that_synchronises() {
    let team = Team::new().await;
    let identities = format!("/api/admin/user-admin/{}/identities", team.user["id"]);
    let admin = team.company.app.admin();
    let listed = admin.get(&identities).await.expect(200);
    let listed = listed["identities"].as_array().expect("identities");
    let of_first = listed.iter().find(|identity| identity["providerId"] == "first").expect("one");
    let path = format!("{identities}/{}", of_first["id"].as_str().expect("an id"));
    admin.json(Method::DELETE, &path, Value::Null).await.expect(200);
    assert_eq!(team.givers().await, [Some(giver("first")), None, Some(giver("first"))], "nothing changes at once");
    let (types, is_member) = team.sign_in(&team.second).await;
    assert_eq!((types.len(), is_member), (2, [false, true, true]), "{types:?}");
    assert_eq!(team.givers().await, [None, Some(giver("second")), Some(giver("second"))]);
}
