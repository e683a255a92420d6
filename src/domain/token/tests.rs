use super::*;
use crate::permission::Grant;

fn reach(kind: TokenKind, projects: &[&str], environment: &str) -> Reach {
    let projects = projects.iter().map(|project| (*project).to_owned()).collect();
    Reach { kind, projects, environment: environment.to_owned() }
}

#[test]
fn admin_tokens_reach_everything_and_others_one_environment() {
    use TokenKind::{Admin, Client, Frontend};
    for (kind, projects, environment, expected) in [
        (Admin, &["*"][..], "*", Ok(())),
        (Admin, &["shop"], "*", Err(Unreachable::PartialAdmin)),
        (Admin, &["*"], "production", Err(Unreachable::PartialAdmin)),
        (Client, &["*"], "*", Err(Unreachable::NoEnvironment)),
        (Client, &["shop", "other"], "production", Ok(())),
        (Frontend, &[], "production", Err(Unreachable::NoProject)),
        (Frontend, &["*"], "production", Ok(())),
    ] {
        assert_eq!(reach(kind, projects, environment).judge(), expected, "{kind:?} {projects:?} {environment}");
    }
}

#[test]
fn a_reach_covers_another_within_its_projects_and_environment() {
    let client = |projects: &[&str], environment: &str| reach(TokenKind::Client, projects, environment);
    for (wide, narrow, expected) in [
        (&["*"][..], &["*"][..], true),
        (&["*"], &["shop", "other"], true),
        (&["shop", "*"], &["bank"], true),
        (&["shop", "other"], &["shop"], true),
        (&["shop"], &["shop", "other"], false),
        (&["shop"], &["*"], false),
        (&["shop"], &["shop", "*"], false),
    ] {
        assert_eq!(client(wide, "dev").covers(&client(narrow, "dev")), expected, "{wide:?} {narrow:?}");
        assert!(!client(wide, "dev").covers(&client(narrow, "production")), "{wide:?} {narrow:?}");
    }
}

#[test]
fn a_token_reaches_where_its_maker_sees_and_may() {
    use crate::permission::Grant;
    let need = Permission::CreateProjectApiToken;
    let grant = |project: Option<&str>| {
        Grants::new(vec![Grant { permission: need, project: project.map(str::to_owned), environment: None }])
    };
    let somebody = Visibility { hidden_projects: Vec::new(), sees_instance: false };
    let (in_shop, everywhere, actor) = (grant(Some("shop")), grant(None), Actor::system());
    let maker = |grants| Maker { actor: &actor, sees: &somebody, right: Some((grants, need)) };
    let client = |projects: &[&str]| reach(TokenKind::Client, projects, "dev");
    for (maker, projects, expected) in [
        (maker(&in_shop), &["shop"][..], Ok(())),
        (maker(&in_shop), &["shop", "other"], Err(Unreachable::NoRight(need))),
        (maker(&in_shop), &["*"], Err(Unreachable::NoRight(need))),
        (maker(&everywhere), &["shop", "other"], Ok(())),
        (maker(&everywhere), &["*"], Err(Unreachable::Unseen)),
        (Maker::operator(&actor), &["*"], Ok(())),
    ] {
        assert_eq!(maker.judge(&client(projects)), expected, "{maker:?} {projects:?}");
    }
}

#[test]
fn secrets_tell_their_reach() {
    for (projects, prefix) in [(&["shop"][..], "shop:dev."), (&["*"], "*:dev."), (&["a", "b"], "[]:dev.")] {
        let secret = reach(TokenKind::Client, projects, "dev").generate_secret();
        assert!(secret.starts_with(prefix), "{prefix}");
        assert_eq!(secret.len(), prefix.len() + 56);
    }
}

#[test]
fn a_handle_names_the_token_and_is_no_secret() {
    let token = ApiToken {
        id: 7,
        name: "t".to_owned(),
        reach: reach(TokenKind::Client, &["a", "b"], "dev"),
        created_at: Timestamp::default(),
        expires_at: None,
        seen_at: None,
        sealed_secret: None,
    };
    assert_eq!(token.handle(), "hidden:[]:dev.id-7");
    assert!(token.is_named("hidden:[]:dev.id-7") && token.is_named("[]:dev.id-7"), "as lists showed it before");
    assert!(!token.is_named("[]:dev.id-8") && !token.is_named("hidden:a:dev.id-7") && !token.is_named("dev.id-7"));
    assert_eq!(id_in_handle(&token.handle()), Some(7));
    for text in ["", "7", "id-7", "[]:dev.id-", "[]:dev.id-x", "[]:dev.7"] {
        assert_eq!(id_in_handle(text), None, "{text}");
    }
    let event = token.deleted(&Actor::system());
    assert_eq!((event.project.as_deref(), event.environment.as_deref()), (Some("a,b"), Some("dev")));
}

#[test]
fn a_token_lives_longer_when_its_end_moves_on_or_goes() {
    let token = |expires_at: Option<i64>| ApiToken {
        id: 7,
        name: "t".to_owned(),
        reach: reach(TokenKind::Client, &["a", "b"], "dev"),
        created_at: Timestamp::default(),
        expires_at: expires_at.map(Timestamp::from_millis),
        seen_at: None,
        sealed_secret: None,
    };
    for (before, after, expected) in [
        (None, None, false),
        (None, Some(5), false),
        (Some(5), None, true),
        (Some(5), Some(6), true),
        (Some(5), Some(5), false),
        (Some(5), Some(4), false),
    ] {
        let after_at = after.map(Timestamp::from_millis);
        assert_eq!(token(before).is_prolonged_to(after_at), expected, "{before:?} {after:?}");
    }
    let somebody = |hidden: &[&str]| Visibility {
        hidden_projects: hidden.iter().map(|id| (*id).to_owned()).collect(),
        sees_instance: false,
    };
    let handle = |hidden: &[&str]| token(None).shown_to(&somebody(hidden)).map(|shown| shown.handle());
    assert_eq!(handle(&[]).as_deref(), Some("hidden:[]:dev.id-7"));
    assert_eq!(handle(&["b"]).as_deref(), Some("hidden:a:dev.id-7"));
    assert_eq!(handle(&["a", "b"]), None);
}

#[test]
fn a_token_goes_with_the_last_of_its_projects() {
    let reach = reach(TokenKind::Client, &["a", "b"], "dev");
    let (name, created_at) = ("t".to_owned(), Timestamp::default());
    let token = ApiToken { id: 7, name, reach, created_at, expires_at: None, seen_at: None, sealed_secret: None };
    let left = token.without_project("a").expect("one project is left");
    assert_eq!(left.reach.projects, ["b"]);
    let event = left.updated(&token, &Actor::system());
    assert_eq!(event.project.as_deref(), Some("a,b"), "whoever may not see project a does not see its end");
    assert_eq!(left.without_project("b"), None);
}

#[test]
fn a_secret_is_shown_to_those_who_could_make_the_token() {
    use Permission::{CreateClientApiToken, CreateProjectApiToken};
    let token = |projects: &[&str]| ApiToken {
        id: 7,
        name: "t".to_owned(),
        reach: reach(TokenKind::Client, projects, "dev"),
        created_at: Timestamp::default(),
        expires_at: None,
        seen_at: None,
        sealed_secret: None,
    };
    let needs = [CreateClientApiToken, CreateProjectApiToken];
    let holding = |permission: Permission, project: Option<&str>| {
        Grants::new(vec![Grant { permission, project: project.map(str::to_owned), environment: None }])
    };
    let hidden = Visibility { hidden_projects: vec!["secret".to_owned()], sees_instance: false };
    let everything = Visibility::everything();
    for (grants, projects, sees, expected) in [
        (Grants::admin(), &["*"][..], &everything, true),
        (holding(CreateClientApiToken, None), &["shop"], &hidden, true),
        (holding(CreateClientApiToken, None), &["shop", "secret"], &hidden, false),
        (holding(CreateClientApiToken, None), &["*"], &hidden, false),
        (holding(CreateProjectApiToken, Some("shop")), &["shop"], &hidden, true),
        (holding(CreateProjectApiToken, Some("shop")), &["shop", "bank"], &hidden, false),
        (holding(Permission::ReadClientApiToken, None), &["shop"], &hidden, false),
    ] {
        let could = token(projects).could_be_made_by(&grants, &needs, sees, &Actor::system());
        assert_eq!(could, expected, "{grants:?} {projects:?}");
    }
}
