//! Random walks over settings, people, groups, tokens and switches, over both protocols: however they go, somebody can
//! sign in and administer. `FLAGSTONE_WALKS=50 FLAGSTONE_WALK_STEPS=400` makes them more than the gate's.

mod saml;
mod ways;

use flagstone::store;
use poem::http::Method;
use serde_json::{Value, json};

use self::{
    saml::SAML,
    ways::{Way, ways},
};
use super::{
    browser::{Browser, location},
    company::{Company, OIDC, SIMPLE, callback},
};

const USERS: &str = "/api/admin/user-admin";
const GROUPS: &str = "/api/admin/groups";
const SERVICES: &str = "/api/admin/service-account";
const TOKENS: &str = "/api/admin/user/tokens";
const PASSWORD: &str = "Correct-horse-1";
/// Names of groups at providers.
const NAMES: [&str; 2] = ["admins", "staff"];
const WALKS: u64 = 2;
const STEPS: u64 = 150;
/// Each of so many steps somebody tries to sign in and administer, instead of its being told from what is stored.
const TRIED: u64 = 25;

/// Chance that comes again.
struct Chance(u64);

impl Chance {
    fn below(&mut self, most: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        // The low bits of a state follow those of the one before.
        (self.0 >> 11) % most
    }

    fn one_of<T: Copy>(&mut self, list: &[T]) -> Option<T> {
        let count = u64::try_from(list.len()).expect("few");
        let place = if count == 0 { return None } else { self.below(count) };
        list.get(usize::try_from(place).expect("few")).copied()
    }

    /// Returns the groups of a person at a provider; `None` where it does not state them.
    fn groups(&mut self) -> Option<Vec<&'static str>> {
        let told = self.below(5);
        (told < 4)
            .then(|| NAMES.into_iter().zip([1, 2]).filter(|(_, bit)| told & bit != 0).map(|(name, _)| name).collect())
    }
}

async fn ids(company: &Company, path: &str, list: &str) -> Vec<i64> {
    let all = company.app.admin().get(path).await.expect(200);
    all[list].as_array().expect("a list").iter().filter_map(|one| one["id"].as_i64()).collect()
}

async fn send(browser: &mut Browser, method: Method, path: &str, body: &Value) -> u16 {
    browser.json(method, path, body).await.status
}

/// Somebody signs in through OpenID Connect; their browser, if they were let in.
async fn through_oidc(company: &Company, person: &str, groups: Option<Vec<&str>>) -> (u16, Option<Browser>) {
    company.provider.claim("sub", person);
    company.provider.claim("email", format!("{person}@example.com"));
    // Asked where the token tells no groups.
    company.provider.state().userinfo.insert("sub".to_owned(), json!(person));
    company.provider.state().userinfo.insert("email".to_owned(), json!(format!("{person}@example.com")));
    company.provider.claim("groups", groups.map_or(Value::Null, |names| json!(names)));
    let mut browser = company.browser();
    let begun = browser.get("/auth/oidc/login").await;
    if begun.status != 302 {
        return (begun.status, None);
    }
    let returned = company.provider.authorize(location(&begun).as_str());
    let answer = browser.get(&callback(&returned)).await;
    (answer.status, (answer.status == 302).then_some(browser))
}

/// Somebody of five people comes by one of the protocols, and may do something in their session.
async fn come(company: &Company, chance: &mut Chance) -> u16 {
    let person = format!("person-{}", chance.below(5));
    let groups = chance.groups();
    let (status, browser) = match chance.below(2) {
        0 => through_oidc(company, &person, groups).await,
        _ => saml::through(company, &person, groups, chance.0).await,
    };
    let Some(mut browser) = browser else { return status };
    match chance.below(5) {
        0 | 1 => send(&mut browser, Method::POST, SIMPLE, &json!({ "disabled": true })).await,
        2 => {
            let ends = company.app.clock.now().plus_days(1 + i64::try_from(chance.below(2)).expect("few"));
            let token = json!({ "description": format!("token-{}", chance.0), "expiresAt": ends.to_string() });
            send(&mut browser, Method::POST, TOKENS, &token).await
        }
        3 => {
            let own = browser.get(TOKENS).await;
            let Some(id) = own.body["pats"][0]["id"].as_i64() else { return status };
            send(&mut browser, Method::DELETE, &format!("{TOKENS}/{id}"), &Value::Null).await
        }
        _ => status,
    }
}

/// An administrator's token changes the settings of a provider.
async fn set(company: &Company, chance: &mut Chance) -> u16 {
    let wanted = json!({
        "defaultRootRole": if chance.below(2) == 0 { "Admin" } else { "Viewer" },
        "enableGroupSyncing": chance.below(3) > 0,
        "groupJsonPath": "groups",
    });
    let admin = company.app.admin();
    match chance.below(4) {
        0 => admin.post(OIDC, json!({ "enabled": false })).await.status,
        1 => admin.post(SAML, json!({ "enabled": false })).await.status,
        2 => company.set(wanted).await.status,
        _ => admin.post(SAML, super::saml::settings(wanted)).await.status,
    }
}

/// An administrator's token does something to a group.
async fn regroup(company: &Company, chance: &mut Chance, user: Option<i64>) -> u16 {
    let admin = company.app.admin();
    let groups = ids(company, GROUPS, "groups").await;
    let members: Vec<Value> = user.iter().map(|id| json!({ "user": { "id": id } })).collect();
    let content = json!({
        "name": format!("group-{}", chance.0),
        "rootRole": 1 + chance.below(3),
        "users": members,
        "mappingsSSO": chance.one_of(&NAMES).into_iter().collect::<Vec<_>>(),
    });
    match (chance.below(4), chance.one_of(&groups)) {
        (0, Some(id)) => admin.json(Method::DELETE, &format!("{GROUPS}/{id}"), Value::Null).await.status,
        (1, Some(id)) => admin.json(Method::PUT, &format!("{GROUPS}/{id}"), content).await.status,
        (_, Some(_)) if groups.len() > 6 => 200,
        _ => admin.post(GROUPS, content).await.status,
    }
}

/// An administrator's token makes or deletes a program that may do everything, which nobody signs in as.
async fn program(company: &Company, chance: &mut Chance) -> u16 {
    let admin = company.app.admin();
    let programs = ids(company, SERVICES, "serviceAccounts").await;
    if let Some(id) = chance.one_of(&programs).filter(|_| chance.below(2) == 0) {
        return admin.json(Method::DELETE, &format!("{SERVICES}/{id}"), Value::Null).await.status;
    }
    let name = format!("program-{}", chance.0);
    let made = admin.post(SERVICES, json!({ "name": name, "username": name, "rootRole": 1 })).await.expect(201);
    let ends = company.app.clock.now().plus_days(30).to_string();
    let token = json!({ "description": "its own", "expiresAt": ends });
    admin.post(&format!("{SERVICES}/{}/token", made["id"]), token).await.status
}

async fn step(company: &Company, chance: &mut Chance) -> u16 {
    let admin = company.app.admin();
    let users = ids(company, USERS, "users").await;
    let user = chance.one_of(&users);
    let role = 1 + chance.below(3);
    let answer = match (chance.below(20), user) {
        (0..=4, _) => return come(company, chance).await,
        (5..=7, _) => return set(company, chance).await,
        (8 | 9, _) => return regroup(company, chance, user).await,
        (10, _) => return program(company, chance).await,
        (11, _) => admin.post(SIMPLE, json!({ "disabled": false })).await,
        (12, _) => {
            let password = (chance.below(2) == 0).then_some(PASSWORD);
            let mut new = json!({ "username": format!("user-{}", chance.0), "rootRole": role });
            if let Some(password) = password {
                new["password"] = json!(password);
            }
            admin.post(USERS, new).await
        }
        (13..=15, Some(id)) => admin.json(Method::DELETE, &format!("{USERS}/{id}"), Value::Null).await,
        (16, Some(id)) => admin.json(Method::PUT, &format!("{USERS}/{id}"), json!({ "rootRole": role })).await,
        (17, Some(id)) => admin.json(Method::DELETE, &format!("{USERS}/{id}/identities"), Value::Null).await,
        (18, Some(id)) => {
            let tokens = admin.get(&format!("{USERS}/{id}/tokens")).await.expect(200);
            let Some(token) = tokens["pats"][0]["id"].as_i64() else { return 200 };
            admin.json(Method::DELETE, &format!("{USERS}/{id}/tokens/{token}"), Value::Null).await
        }
        _ => return 200,
    };
    answer.status
}

#[expect(clippy::disallowed_methods, reason = "how many steps are taken is no configuration")]
fn asked_for(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).map_or(otherwise, |count| count.parse().expect("a number"))
}

#[tokio::test]
async fn no_walk_leaves_nobody_to_sign_in_and_administer() {
    let (walks, steps) = (asked_for("FLAGSTONE_WALKS", WALKS), asked_for("FLAGSTONE_WALK_STEPS", STEPS));
    let (mut refused, mut done, mut by_saml) = (0, 0, 0);
    for walk in 0..walks {
        let seed = 0x9E37_79B9_7F4A_7C15_u64.wrapping_mul(2 * walk + 1);
        let company = Company::with(json!({ "defaultRootRole": "Admin" })).await;
        company.app.admin().post(SAML, super::saml::settings(json!({}))).await.expect(200);
        company.sign_in(&mut company.browser()).await;
        let mut chance = Chance(seed);
        for number in 0..steps {
            let status = step(&company, &mut chance).await;
            refused += u64::from(status == 403);
            done += u64::from(status < 400);
            company.advance(10);
            let told = || format!("seed {seed:#x}, step {number}, which answered {status}");
            let tx = company.app.tx().await;
            let counted = store::access::administrators::hold(&tx, company.app.clock.now()).await.expect("a number");
            drop(tx);
            let open = ways(&company).await;
            assert!(counted.count > 0 && !open.is_empty(), "{}: {} {open:?}", told(), counted.count);
            by_saml += u64::from(open.iter().any(Way::is_saml));
            if number % TRIED == TRIED - 1 {
                let is_open = ways::are_open(&company, &open, &mut chance).await;
                assert!(is_open, "{}: {open:?}, {}", told(), company.newest_entry().await);
            }
        }
    }
    println!("{walks} walks of {steps} steps: {done} done, {refused} refused, {by_saml} times SAML was a way in");
    assert!(refused > walks * 2 && done > walks * steps / 3 && by_saml > 0, "{refused}, {done}, {by_saml}");
}
