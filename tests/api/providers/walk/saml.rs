//! Signing in through SAML as somebody of whom the provider says this.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use chrono::TimeDelta;

use super::super::{
    browser::{BASE, Browser, location},
    company::Company,
    saml::{
        forge::{ENTITY, RESPONSE, sign},
        message, ticket_at,
    },
};

pub const SAML: &str = "/api/admin/auth/saml/settings";
const CALLBACK: &str = "/auth/saml/callback";

/// Somebody signs in; their browser, if they were let in.
pub async fn through(
    company: &Company,
    person: &str,
    groups: Option<Vec<&str>>,
    number: u64,
) -> (u16, Option<Browser>) {
    let mut browser = company.browser();
    let begun = browser.get("/auth/saml/login").await;
    if begun.status != 302 {
        return (begun.status, None);
    }
    let asked = message(&location(&begun), "SAMLRequest");
    let id = asked.split(" ID=\"").nth(1).and_then(|rest| rest.split('"').next()).expect("an id");
    let encoded = STANDARD.encode(response(company, id, person, groups, number));
    // The page of another site: its cookies are left out.
    let arrived = company.browser().post_form(CALLBACK, &[("SAMLResponse", &*encoded)]).await;
    if arrived.status != 303 {
        return (arrived.status, None);
    }
    let answer = browser.get(&ticket_at(&arrived, BASE)).await;
    (answer.status, (answer.status == 302).then_some(browser))
}

fn response(company: &Company, id: &str, person: &str, groups: Option<Vec<&str>>, number: u64) -> String {
    let now = company.app.clock.now().instant();
    let at = |seconds: i64| (now + TimeDelta::seconds(seconds)).format("%Y-%m-%dT%H:%M:%SZ").to_string();
    let values = groups.into_iter().flatten().map(|name| format!("<saml:AttributeValue>{name}</saml:AttributeValue>"));
    let told = values.collect::<Vec<_>>().concat();
    let usual =
        "<saml:AttributeValue>admins</saml:AttributeValue><saml:AttributeValue>developers</saml:AttributeValue>";
    let xml = RESPONSE
        .replace(ENTITY, BASE)
        .replace("2026-11-22T11:59:00Z", &at(-60))
        .replace("2026-11-22T12:05:00Z", &at(300))
        .replace("2026-11-22T12:00:00Z", &at(0))
        .replace("2026-11-22T20:00:00Z", &at(8 * 3600))
        .replace("\"_request\"", &format!("\"{id}\""))
        .replace("\"_assertion\"", &format!("\"_assertion-{number}\""))
        .replace("alice@example.com", &format!("{person}@example.com"))
        .replace(usual, &told);
    sign(&xml, "saml:Assertion")
}
