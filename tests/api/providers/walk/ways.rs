//! Users who could sign in and administer, told from the rows of the database by other words than the server's own.

use poem::http::Method;
use sea_orm::{ConnectionTrait as _, Statement};
use serde_json::json;

use super::{
    super::company::{Company, OIDC, SIMPLE},
    Chance, PASSWORD, SAML, USERS, saml, send, through_oidc,
};

/// A way in for somebody who may do everything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Way {
    /// By the name to sign in with.
    Password(String),
    /// By the subject at the provider.
    Oidc(String),
    /// By the email, which is the subject at the provider.
    Saml(String),
    /// Of the person with this id.
    Token(i64),
}

impl Way {
    pub const fn is_saml(&self) -> bool {
        matches!(self, Self::Saml(_))
    }
}

const ADMINISTERS: &str = "u.deleted_at IS NULL AND NOT u.is_service AND NOT u.is_system AND (u.root_role_id = 1 OR EXISTS \
    (SELECT 1 FROM user_group_member m JOIN user_group g ON g.id = m.group_id WHERE m.user_id = u.id AND g.root_role_id = 1))";

/// All of them.
pub async fn ways(company: &Company) -> Vec<Way> {
    let admin = company.app.admin();
    let is = async |path, property: &str| admin.get(path).await.expect(200)[property] == json!(true);
    let (oidc, saml) = (is(OIDC, "enabled").await, is(SAML, "enabled").await);
    let with_passwords = !is(SIMPLE, "disabled").await || !(oidc || saml);
    let mut ways = vec![];
    if with_passwords {
        let of = rows(company, "u.username AS told, u.id AS id", "app_user u", "u.password_hash IS NOT NULL").await;
        ways.extend(of.into_iter().map(|(name, _)| Way::Password(name)));
    }
    let identities = "app_user u JOIN user_identity i ON i.user_id = u.id";
    for (is_on, name) in [(oidc, "oidc"), (saml, "saml")] {
        if is_on {
            let of =
                rows(company, "i.subject AS told, u.id AS id", identities, &format!("i.provider = '{name}'")).await;
            let way = if name == "oidc" { Way::Oidc } else { Way::Saml };
            ways.extend(of.into_iter().map(|(subject, _)| way(subject)));
        }
    }
    let lasting = format!("t.expires_at > {}", company.app.clock.now().millis());
    let tokens = "app_user u JOIN personal_token t ON t.user_id = u.id";
    let of = rows(company, "t.description AS told, u.id AS id", tokens, &lasting).await;
    ways.extend(of.into_iter().map(|(_, id)| Way::Token(id)));
    ways
}

async fn rows(company: &Company, columns: &str, tables: &str, rule: &str) -> Vec<(String, i64)> {
    let sql = format!("SELECT {columns} FROM {tables} WHERE {rule} AND {ADMINISTERS}");
    let db = company.app.db();
    let rows = db.query_all_raw(Statement::from_string(db.get_database_backend(), sql)).await.expect("rows");
    rows.iter().map(|row| (row.try_get("", "told").expect("a text"), row.try_get("", "id").expect("an id"))).collect()
}

/// Whether one of them leads somebody in who then does what administrators may. Tokens are believed: their secrets are
/// gone.
pub async fn are_open(company: &Company, ways: &[Way], chance: &mut Chance) -> bool {
    // Tokens last: whoever comes through a provider may be put out of a group, as long as somebody else is left.
    let (tokens, others): (Vec<_>, Vec<_>) = ways.iter().partition(|way| matches!(way, Way::Token(_)));
    for way in others.into_iter().chain(tokens) {
        // No two assertions have the same.
        let number = chance.below(u64::MAX);
        let browser = match way {
            Way::Token(_) => return true,
            Way::Password(name) => {
                let mut browser = company.browser();
                let login = json!({ "username": name, "password": PASSWORD });
                let status = send(&mut browser, Method::POST, "/auth/simple/login", &login).await;
                (status == 200).then_some(browser)
            }
            Way::Oidc(subject) => through_oidc(company, subject, None).await.1,
            Way::Saml(email) => saml::through(company, email.trim_end_matches("@example.com"), None, number).await.1,
        };
        if let Some(mut browser) = browser
            && browser.get(USERS).await.status == 200
        {
            return true;
        }
    }
    false
}
