//! Emails and names in attributes of SAML that administrators chose.

use serde_json::json;

use super::{Company, WORD};

const LAST: &str = "</saml:AttributeStatement>";

/// An attribute with values, at the end of the others.
fn with(name: &str, values: &[&str]) -> String {
    let values: Vec<String> =
        values.iter().map(|value| format!("<saml:AttributeValue>{value}</saml:AttributeValue>")).collect();
    let values = values.concat();
    format!("<saml:Attribute Name=\"{name}\">{values}</saml:Attribute>{LAST}")
}

#[tokio::test]
async fn the_email_and_the_name_are_those_of_the_attributes_and_no_others_stand_in() {
    let company = Company::new().await;
    company.set_policy(json!({ "samlEmailAttribute": "urn:corp:contact", "samlNameAttribute": "cn" })).await;
    for (number, attributes) in [
        String::new(),
        with("urn:corp:contact", &[]),
        with("urn:corp:contact", &["alice"]),
        with("urn:corp:contact", &["grace@example.com", "ada@example.com"]),
        with("email", &["grace@example.com"]),
    ]
    .iter()
    .enumerate()
    {
        let assertion = format!("_assertion{number}");
        let attributes = if attributes.is_empty() { LAST } else { attributes.as_str() };
        let change = [(LAST, attributes), ("_assertion", &*assertion)];
        let answer = company.sign_in(&mut company.browser(), &change).await;
        assert_eq!(company.reason(answer, WORD).await["reason"], "email-missing", "{attributes}");
    }
    let both =
        format!("{}{}", with("urn:corp:contact", &["grace@example.com"]).replace(LAST, ""), with("cn", &["Grace"]));
    let mut browser = company.browser();
    let answer = company.sign_in(&mut browser, &[(LAST, &both), ("_assertion", "_last")]).await;
    assert_eq!(answer.status, 302, "{}", answer.text);
    let user = browser.get("/api/admin/user").await.expect(200)["user"].clone();
    assert_eq!((&user["email"], &user["name"]), (&json!("grace@example.com"), &json!("Grace")));
}

#[tokio::test]
async fn a_name_that_changes_with_each_sign_in_finds_nobody_also_beside_a_chosen_email() {
    let company = Company::new().await;
    company.set_policy(json!({ "samlEmailAttribute": "contact" })).await;
    let contact = with("contact", &["grace@example.com"]);
    let transient = "urn:oasis:names:tc:SAML:2.0:nameid-format:transient\">_x7";
    let change = [
        ("urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress\">alice@example.com", transient),
        (LAST, contact.as_str()),
    ];
    let answer = company.sign_in(&mut company.browser(), &change).await;
    assert_eq!(company.reason(answer, WORD).await["reason"], "transient-name-id");
}
