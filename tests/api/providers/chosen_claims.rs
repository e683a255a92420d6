//! Emails and names in claims that administrators chose, and what a provider's word about the claim `email` counts there.

use flagstone::providers::oidc::Reason;
use poem::http::Method;
use serde_json::{Value, json};

use super::{
    beside::{Beside, PROVIDERS},
    company::Company,
    hostile::SUBJECT,
    world::{World, told},
};

const POLICY: &str = "/api/admin/auth/policy";

fn tell(world: &World, said: &Value) {
    world.provider.state().userinfo.clone_from(said.as_object().expect("an object"));
}

async fn set_policy(company: &Company, change: Value) {
    let mut policy = company.app.admin().get(POLICY).await.expect(200);
    let Value::Object(change) = change else { panic!("an object") };
    policy.as_object_mut().expect("an object").extend(change);
    company.app.admin().json(Method::PUT, POLICY, policy).await.expect(200);
}

#[tokio::test]
async fn o19_a_word_about_the_email_counts_for_another_claim_only_where_it_is_the_same_address() {
    let mut world = World::new();
    world.settings.email_claim = Some("upn".into());
    let (ada, grace, silence) = ("ada@example.com", "grace@example.com", "nothing about it");
    // The claim `email` is of ada.
    for (upn, word, required, expected) in [
        (grace, json!(true), false, Ok((grace, None))),
        (grace, json!(true), true, Err(silence)),
        (grace, json!(false), false, Ok((grace, None))),
        ("ADA@example.com", json!(true), true, Ok(("ADA@example.com", Some(true)))),
        ("ADA@example.com", json!(false), false, Err("false")),
        (ada, json!(null), false, Ok((ada, None))),
        (ada, json!(null), true, Err(silence)),
    ] {
        world.settings.require_verified_email = required;
        world.provider.claim("upn", upn);
        world.provider.claim("email_verified", word.clone());
        let person = world.sign_in().await.map(|person| {
            assert_eq!(person.proves_email, person.email_verified == Some(true));
            (person.email, person.email_verified)
        });
        let refused = |found: &str| (Reason::EmailUnverified, "true".to_owned(), found.to_owned());
        let expected = expected.map(|(email, word): (&str, Option<bool>)| (email.to_owned(), word)).map_err(refused);
        assert_eq!(person.map_err(told), expected, "{upn} {word} {required}");
    }
}

#[tokio::test]
async fn the_email_is_the_one_text_at_its_path_in_the_id_token_or_else_in_the_user_info() {
    let mut world = World::new();
    for (path, claim, expected) in [
        ("contact.mail", json!({ "mail": " grace@example.com " }), Some("grace@example.com")),
        ("contact", json!(["grace@example.com"]), Some("grace@example.com")),
        ("contact[*].mail", json!([{ "mail": "grace@example.com" }]), Some("grace@example.com")),
        ("contact", json!(["grace@example.com", "ada@example.com"]), None),
        ("contact", json!("grace"), None),
        ("contact", json!({ "mail": "grace@example.com" }), None),
        ("contact.phone", json!({ "mail": "grace@example.com" }), None),
        ("contact..", json!("grace@example.com"), None),
    ] {
        world.settings.email_claim = Some(path.into());
        world.provider.claim("contact", claim.clone());
        tell(&world, &json!({ "sub": SUBJECT }));
        let found = world.sign_in().await.map(|person| person.email).map_err(told);
        let missing = (Reason::EmailMissing, String::new(), String::new());
        assert_eq!(found, expected.map(str::to_owned).ok_or(missing), "{path} {claim}");
    }
    // The claim `email` is there all the while, and never stands in.
    world.settings.email_claim = Some("contact".into());
    world.provider.claim("contact", Value::Null);
    tell(&world, &json!({ "sub": SUBJECT, "contact": "grace@example.com" }));
    assert_eq!(world.sign_in().await.expect("a person").email, "grace@example.com");
}

#[tokio::test]
async fn the_name_is_the_one_of_its_claim_and_nobody_is_kept_out_for_want_of_it() {
    let mut world = World::new();
    world.settings.name_claim = Some("$.profile.nick".into());
    world.provider.claim("name", "Ada Example");
    for (in_token, in_userinfo, expected) in [
        (json!({ "nick": " Countess " }), json!(null), Some("Countess")),
        (json!(null), json!({ "nick": "Countess" }), Some("Countess")),
        (json!({ "nick": "a\u{0}b" }), json!(null), None),
        (json!({ "nick": "a".repeat(256) }), json!(null), None),
        (json!({ "nick": ["Ada", "Countess"] }), json!(null), None),
        (json!(null), json!(null), None),
    ] {
        world.provider.claim("profile", in_token.clone());
        let mut said = json!({ "sub": SUBJECT });
        if !in_userinfo.is_null() {
            said["profile"] = in_userinfo.clone();
        }
        tell(&world, &said);
        let person = world.sign_in().await.expect("a person");
        assert_eq!(person.name.as_deref(), expected, "{in_token} {in_userinfo}");
    }
    tell(&world, &json!({ "sub": "person-8", "profile": { "nick": "Mallory" } }));
    assert_eq!(world.refused().await.0, Reason::UserinfoSubject);
    world.provider.state().discovery.remove("userinfo_endpoint");
    world.advance(3600);
    assert_eq!(world.sign_in().await.expect("a person").name, None);
}

#[tokio::test]
async fn the_policy_chooses_for_the_provider_of_the_settings_and_an_unverified_email_is_none_where_one_is_required() {
    let company = Company::new().await;
    let grace = company.make_user("grace@example.com").await;
    set_policy(&company, json!({ "oidcEmailClaim": "upn", "oidcNameClaim": "nick", "requireVerifiedEmail": true }))
        .await;
    company.provider.claim("email_verified", true);
    company.provider.claim("upn", "grace@example.com");
    company.provider.claim("nick", "Amazing Grace");
    let entry = company.refused(401, "SignInRefusedError").await;
    assert_eq!(entry["reason"], "email-unverified");
    // As for any email of which nothing is said.
    set_policy(&company, json!({ "requireVerifiedEmail": false })).await;
    let mut browser = company.browser();
    assert_eq!(company.sign_in(&mut browser).await.status, 302);
    let who = company.who(&mut browser).await;
    assert_eq!((&who["id"], &who["name"]), (&grace, &json!("Amazing Grace")));
    for (property, wrong) in [
        ("oidcEmailClaim", json!(["upn"])),
        ("oidcNameClaim", json!("a".repeat(1001))),
        ("samlEmailAttribute", json!(7)),
    ] {
        let mut policy = company.app.admin().get(POLICY).await.expect(200);
        policy[property] = wrong;
        let answer = company.app.admin().json(Method::PUT, POLICY, policy).await;
        answer.refused(400, "ValidationError", &format!("/body/{property}"));
    }
}

#[tokio::test]
async fn a_further_provider_proves_no_email_of_a_chosen_claim() {
    let company = Company::new().await;
    let id = company.make_user("grace@example.com").await;
    let settings = json!({ "emailClaim": "upn", "nameClaim": "nick", "requireVerifiedEmail": false });
    let rules = json!({ "autoCreate": true, "linkByEmail": true });
    let beside = Beside::with(&company, "corp", "oidc", settings, &rules).await;
    beside.provider.claim("upn", "grace@example.com");
    beside.provider.claim("nick", "Mallory");
    // Whoever can choose what stands in the claim takes nobody's account.
    assert_eq!(beside.refused(&company, 403, "NotAdmittedError").await["reason"], "linking-off");
    beside.provider.claim("sub", "person-8");
    beside.provider.claim("upn", "kim@example.com");
    let (_, kim) = beside.signed_in(&company).await;
    assert_eq!((&kim["email"], &kim["name"]), (&json!("kim@example.com"), &json!("Mallory")));
    // The word of the provider about this very address does.
    beside.provider.claim("sub", "person-9");
    beside.provider.claim("upn", "grace@example.com");
    beside.provider.claim("email", "grace@example.com");
    let (_, grace) = beside.signed_in(&company).await;
    assert_eq!(grace["id"], id);
}

#[tokio::test]
async fn kinds_without_claims_take_none() {
    let company = Company::new().await;
    for property in ["emailClaim", "nameClaim"] {
        let mut settings = json!({ "clientId": "flagstone", "secret": "s3cret" });
        settings[property] = json!("upn");
        let created = json!({
            "id": "hub", "kind": "github", "label": "GitHub", "enabled": true, "settings": settings, "rules": {},
        });
        let answer = company.app.admin().post(PROVIDERS, created).await;
        answer.refused(400, "ValidationError", &format!("/body/settings/{property}"));
    }
}
