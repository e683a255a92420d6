//! Random walks over settings, people, groups and switches: however they go, somebody can sign in and administer.

use flagstone::store;
use poem::http::Method;
use serde_json::{Value, json};

use super::company::{Company, OIDC, SIMPLE};

const USERS: &str = "/api/admin/user-admin";
const GROUPS: &str = "/api/admin/groups";
const STEPS: usize = 120;

/// Chance that comes again.
struct Chance(u64);

impl Chance {
    fn below(&mut self, most: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % most
    }

    fn one_of(&mut self, ids: &[i64]) -> Option<i64> {
        let count = u64::try_from(ids.len()).expect("few");
        let place = if count == 0 { return None } else { self.below(count) };
        ids.get(usize::try_from(place).expect("few")).copied()
    }
}

async fn ids(company: &Company, path: &str, list: &str) -> Vec<i64> {
    let all = company.app.admin().get(path).await.expect(200);
    all[list].as_array().expect("a list").iter().filter_map(|one| one["id"].as_i64()).collect()
}

/// Somebody of five people at the provider signs in, and may do something in their session.
async fn come(company: &Company, chance: &mut Chance) -> u16 {
    let person = chance.below(5);
    company.provider.claim("sub", format!("person-{person}"));
    company.provider.claim("email", format!("person-{person}@example.com"));
    let mut browser = company.browser();
    let begun = browser.get("/auth/oidc/login").await;
    if begun.status != 302 {
        return begun.status;
    }
    let returned = company.provider.authorize(super::browser::location(&begun).as_str());
    let answer = browser.get(&super::company::callback(&returned)).await;
    if answer.status == 302 && chance.below(2) == 0 {
        let off = json!({ "disabled": true }).to_string().into_bytes();
        let json = [("content-type", "application/json")];
        return browser.send(Method::POST, SIMPLE, &json, off).await.status;
    }
    answer.status
}

async fn step(company: &Company, chance: &mut Chance) -> u16 {
    let admin = company.app.admin();
    let users = ids(company, USERS, "users").await;
    let groups = ids(company, GROUPS, "groups").await;
    let user = chance.one_of(&users);
    let role = 1 + chance.below(3);
    let answer = match (chance.below(12), user) {
        (0 | 1, _) => return come(company, chance).await,
        (2, _) => admin.post(OIDC, json!({ "enabled": false })).await,
        (3, _) => {
            let role = if chance.below(2) == 0 { "Admin" } else { "Viewer" };
            company.set(json!({ "defaultRootRole": role })).await
        }
        (4, _) => admin.post(SIMPLE, json!({ "disabled": false })).await,
        (5, _) => {
            let name = format!("user-{}", chance.below(1_000_000));
            let with_password = json!({ "username": name, "rootRole": role, "password": "Correct-horse-1" });
            admin.post(USERS, with_password).await
        }
        (6 | 7, Some(id)) => admin.json(Method::DELETE, &format!("{USERS}/{id}"), Value::Null).await,
        (8, Some(id)) => admin.json(Method::PUT, &format!("{USERS}/{id}"), json!({ "rootRole": role })).await,
        (9, Some(id)) => admin.json(Method::DELETE, &format!("{USERS}/{id}/identities"), Value::Null).await,
        (10, Some(id)) => {
            let group = json!({ "name": format!("group-{}", chance.below(1_000_000)), "rootRole": role, "users": [{ "user": { "id": id } }] });
            admin.post(GROUPS, group).await
        }
        (11, _) => match chance.one_of(&groups) {
            Some(id) => admin.json(Method::DELETE, &format!("{GROUPS}/{id}"), Value::Null).await,
            None => return 200,
        },
        _ => return 200,
    };
    answer.status
}

#[tokio::test]
async fn no_walk_leaves_nobody_to_sign_in_and_administer() {
    let (mut refused, mut done) = (0, 0);
    for seed in [0x9E37_79B9_7F4A_7C15, 0xD1B5_4A32_D192_ED03] {
        let company = Company::with(json!({ "defaultRootRole": "Admin" })).await;
        company.sign_in(&mut company.browser()).await;
        let mut chance = Chance(seed);
        for number in 0..STEPS {
            let status = step(&company, &mut chance).await;
            refused += usize::from(status == 403);
            done += usize::from(status < 400);
            company.advance(10);
            let tx = company.app.tx().await;
            let administrators = store::access::administrators::hold(&tx).await.expect("a number");
            assert!(administrators > 0, "seed {seed:#x}, step {number}, which answered {status}");
        }
    }
    assert!(refused > 5 && done > 100, "the walks tried and were refused: {refused}, {done}");
}
