//! Claims of a provider about people: their email, their name, their groups.

use flagstone::providers::{
    groups::{Groups, GroupsProblem},
    oidc::{Reason, Refusal},
};
use serde_json::{Value, json};

use super::{
    hostile::SUBJECT,
    server::Reply,
    world::{World, told},
};
use crate::emails::NO_EMAILS;

fn tell(world: &World, said: &Value) {
    world.provider.state().userinfo.clone_from(said.as_object().expect("an object"));
}

#[tokio::test]
async fn o19_an_email_that_is_not_verified_is_refused() {
    let mut world = World::new();
    for (said, required, expected) in [
        (json!(null), false, Ok(None)),
        (json!(true), false, Ok(Some(true))),
        (json!("true"), false, Ok(Some(true))),
        (json!(true), true, Ok(Some(true))),
        (json!(false), false, Err("false")),
        (json!("false"), false, Err("\"false\"")),
        (json!(0), false, Err("0")),
        (json!("yes"), false, Err("\"yes\"")),
        (json!([true]), false, Err("[true]")),
        (json!(null), true, Err("nothing about it")),
    ] {
        world.settings.require_verified_email = required;
        world.provider.claim("email_verified", said.clone());
        let verified = world.sign_in().await.map(|person| person.email_verified);
        let refused = |found: &str| (Reason::EmailUnverified, "true".to_owned(), found.to_owned());
        assert_eq!(verified.map_err(told), expected.map_err(refused), "{said} {required}");
    }
}

#[tokio::test]
async fn o19_whoever_speaks_of_the_very_email_may_doubt_it() {
    let mut world = World::new();
    // The ID token says nothing about it, the user info does: it is asked where a word is required.
    world.settings.require_verified_email = true;
    tell(&world, &json!({ "sub": SUBJECT, "email": "ada@example.com", "email_verified": true }));
    assert_eq!(world.sign_in().await.expect("a person").email_verified, Some(true));
    tell(&world, &json!({ "sub": SUBJECT, "email": "other@example.com", "email_verified": true }));
    assert_eq!(world.refused().await.0, Reason::EmailUnverified);
    // The email comes from there, and so does the doubt.
    world.settings.require_verified_email = false;
    world.provider.claim("email", Value::Null);
    tell(&world, &json!({ "sub": SUBJECT, "email": "ada@example.com", "email_verified": false }));
    assert_eq!(world.refused().await, (Reason::EmailUnverified, "true".into(), "false".into()));
    // A word about no email is none.
    world.provider.claim("email_verified", false);
    tell(&world, &json!({ "sub": SUBJECT, "email": "ada@example.com" }));
    assert_eq!(world.sign_in().await.expect("a person").email, "ada@example.com");
}

#[tokio::test]
async fn o19_what_is_no_email_is_missing() {
    let world = World::new();
    let longest = format!("{}@example.com", "a".repeat(243));
    for (email, expected) in [
        (json!(" ada@example.com "), Some("ada@example.com")),
        (json!(longest), Some(&*longest)),
        (json!(format!("a{longest}")), None),
        (json!(""), None),
        (json!("  "), None),
        (json!("ada"), None),
        (json!(["ada@example.com"]), None),
        (json!(7), None),
        (json!(null), None),
    ] {
        world.provider.claim("email", email.clone());
        let found = world.sign_in().await.map(|person| person.email).map_err(told);
        let missing = (Reason::EmailMissing, String::new(), String::new());
        assert_eq!(found, expected.map(str::to_owned).ok_or(missing), "{email}");
    }
    for email in NO_EMAILS.into_iter().filter(|email| email.trim() == *email) {
        world.provider.claim("email", json!(email));
        assert_eq!(world.refused().await.0, Reason::EmailMissing, "{email:?}");
    }
    world.provider.state().discovery.remove("userinfo_endpoint");
    world.advance(3600);
    assert_eq!(world.refused().await.0, Reason::EmailMissing);
}

#[tokio::test]
async fn o31_user_info_about_somebody_else_is_refused() {
    let mut world = World::new();
    world.provider.claim("email", Value::Null);
    for (subject, found) in [
        (json!("person-8"), "person-8"),
        (json!("PERSON-7"), "PERSON-7"),
        (json!(""), ""),
        (json!(null), "none"),
        (json!([SUBJECT]), "none"),
    ] {
        tell(&world, &json!({ "sub": subject, "email": "grace@example.com" }));
        assert_eq!(world.refused().await, (Reason::UserinfoSubject, SUBJECT.into(), found.into()));
    }
    // Also when it is asked for the groups alone.
    world.provider.claim("email", "ada@example.com");
    world.settings.groups_path = Some("groups".into());
    tell(&world, &json!({ "sub": "person-8", "groups": ["admins"] }));
    assert_eq!(world.refused().await.0, Reason::UserinfoSubject);
    tell(&world, &json!({ "sub": SUBJECT, "email": "grace@example.com", "groups": ["admins"] }));
    let person = world.sign_in().await.expect("a person");
    // The word of the ID token counts.
    assert_eq!((person.email.as_str(), &person.claims["email"]), ("ada@example.com", &json!("ada@example.com")));
}

#[tokio::test]
async fn o21_groups_come_from_the_id_token_or_else_from_the_user_info() {
    let mut world = World::new();
    world.settings.groups_path = Some("groups".into());
    let named = |names: &[&str]| Some(Groups::Names(names.iter().map(|&name| name.into()).collect()));
    for (in_token, in_userinfo, expected, asked) in [
        (json!(["a", "b"]), json!(["c"]), named(&["a", "b"]), 0),
        (json!("a"), json!(["c"]), named(&["a"]), 0),
        (json!([]), json!(["c"]), named(&[]), 0),
        (json!(null), json!(["c"]), named(&["c"]), 1),
        (json!(null), json!(null), Some(Groups::Absent), 2),
        (json!({}), json!(["c"]), Some(Groups::Unusable(GroupsProblem::Shape { found: "an object" })), 2),
        (json!(null), json!(7), Some(Groups::Unusable(GroupsProblem::Shape { found: "a number" })), 3),
    ] {
        world.provider.claim("groups", in_token.clone());
        tell(&world, &json!({ "sub": SUBJECT, "groups": in_userinfo }));
        let person = world.sign_in().await.expect("a person");
        assert_eq!(person.groups, expected, "{in_token} {in_userinfo}");
        assert_eq!(world.provider.server.seen("/userinfo").len(), asked, "{in_token} {in_userinfo}");
    }
    world.provider.claim("groups", Value::Null);
    world.provider.claim("_claim_names", json!({ "groups": "src1" }));
    let person = world.sign_in().await.expect("a person");
    assert_eq!(person.groups, Some(Groups::Unusable(GroupsProblem::Overage)));
}

#[tokio::test]
async fn o21_nobody_is_kept_out_because_the_groups_cannot_be_fetched() {
    let mut world = World::new();
    world.settings.groups_path = Some("groups".into());
    for reply in [
        || Reply::status(500, &json!({})),
        || Reply::status(403, &json!({})),
        || Reply::with_headers(200, "", b"<html>"),
        || Reply::redirect("https://evil.example/"),
        || Reply::Bytes(Vec::new()),
    ] {
        world.provider.reply("/userinfo", reply);
        let person = world.sign_in().await.expect("a person");
        assert_eq!(person.groups, Some(Groups::Unusable(GroupsProblem::NotFetched)));
    }
    world.provider.claim("email", Value::Null);
    assert!(matches!(world.refused().await.0, Reason::Outbound(_)));
}

#[tokio::test]
async fn o21_ten_thousand_groups_are_taken_and_more_are_not() {
    let mut world = World::new();
    world.settings.groups_path = Some("$.realm_access['roles'][*]".into());
    for (count, expected) in [(10_000, None), (10_001, Some(GroupsProblem::TooMany { found: 10_001 }))] {
        let names: Vec<_> = (0..count).map(|at| format!("a group with a name of some length {at}")).collect();
        world.provider.claim("realm_access", json!({ "roles": names }));
        let groups = world.sign_in().await.expect("a person").groups.expect("groups");
        assert_eq!(groups, expected.map_or(Groups::Names(names), Groups::Unusable));
    }
}

#[tokio::test]
async fn a_name_is_what_people_see_and_an_odd_one_is_none() {
    let world = World::new();
    for (claims, expected) in [
        (json!({ "name": " Ada Example " }), Some("Ada Example")),
        (json!({ "given_name": "Ada", "family_name": "Example" }), Some("Ada Example")),
        (json!({ "family_name": "Example" }), Some("Example")),
        (json!({ "name": "", "given_name": "Ada" }), Some("Ada")),
        (json!({ "name": "a\u{0}b" }), None),
        (json!({ "name": "a".repeat(256) }), None),
        (json!({ "name": ["Ada"] }), None),
        (json!({}), None),
    ] {
        world.provider.state().claims = claims.as_object().expect("an object").clone();
        assert_eq!(world.sign_in().await.expect("a person").name.as_deref(), expected, "{claims}");
    }
}

#[tokio::test]
async fn a_subject_that_names_nobody_is_refused() {
    let world = World::new();
    for (subject, expected) in [
        (json!(null), Some(Reason::ClaimMissing)),
        (json!(""), Some(Reason::ClaimMalformed)),
        (json!(7), Some(Reason::ClaimMalformed)),
        (json!("a".repeat(1001)), Some(Reason::ClaimMalformed)),
        (json!("a".repeat(1000)), None),
        (json!("\u{1f642} with blanks"), None),
    ] {
        world.provider.claim("sub", subject.clone());
        let refused = world.sign_in().await.err().map(|refusal: Refusal| refusal.reason);
        assert_eq!(refused, expected, "{subject}");
    }
}
