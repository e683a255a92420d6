use super::*;
use crate::neutral::{
    ApiToken, Banner, ContextField, Dependency, Environment, Favorite, Feature, FeatureEnvironment, Group, Holder,
    Link, LinkTemplate, Member, Project, ProjectApprovals, ProjectRole, Role, RoleGrant, RoleKind, Segment, SignIn,
    Strategy, StrategyType, Tag, TagType, User,
};

fn role(id: i64, name: &str, kind: RoleKind, built_in: bool) -> Role {
    Role { id, name: name.to_owned(), kind, built_in, ..Role::default() }
}

fn user(id: i64, email: &str, root_role: i64) -> User {
    User { id, email: Some(email.to_owned()), root_role: Some(root_role), ..User::default() }
}

fn reasons(judged: &Judged) -> Vec<String> {
    judged.findings.iter().map(|finding| format!("{} {}: {}", finding.kind, finding.name, finding.reason)).collect()
}

#[test]
fn built_in_roles_are_known_by_name_and_others_get_free_ids() {
    let custom = Role {
        grants: ["READ_INVOICES", "CREATE_SEGMENT", "CREATE_SEGMENT"]
            .map(|permission| RoleGrant { permission: permission.to_owned(), environment: None })
            .into(),
        ..role(6, "Owner", RoleKind::Root, false)
    };
    let set = Set {
        roles: vec![
            role(9, "Admin", RoleKind::Root, true),
            role(3, "Own viewer", RoleKind::Root, false),
            role(7, "Reader", RoleKind::Project, true),
            role(8, "Spectator", RoleKind::Project, true),
            custom,
        ],
        users: vec![user(1, "a@x.ch", 9), user(2, "b@x.ch", 3), user(3, "c@x.ch", 7), user(4, "d@x.ch", 99)],
        ..Set::default()
    };
    let judged = judge(set, Vec::new());
    let roles: Vec<_> = judged.set.roles.iter().map(|role| (role.id, &*role.name, role.grants.len())).collect();
    // Where a custom role has the usual id of `Reader`, it keeps it, and `Reader` gets another.
    assert_eq!(roles, [(10, "Own viewer", 0), (8, "Spectator", 0), (6, "Owner (2)", 1)]);
    let held: Vec<_> = judged.set.users.iter().map(|user| user.root_role).collect();
    assert_eq!(held, [Some(1), Some(10), Some(3), Some(3)]);
    assert_eq!(
        reasons(&judged),
        [
            "role Spectator: is no built-in role here: it comes as a custom one with the same grants",
            "role Owner: is called \"Owner (2)\" here: the name is taken",
            "role Owner (2): no longer grants what does not exist here: READ_INVOICES",
            "user c@x.ch: had no root role, and is a Viewer here",
            "user d@x.ch: had no root role, and is a Viewer here",
        ]
    );
}

#[test]
fn people_keep_what_can_be_kept() {
    let hash = "$2a$10$abcdefghijklmnopqrstuuAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
    let with_hash =
        |id, hash: &str| User { password_hash: Some(hash.to_owned()), ..user(id, &format!("{id}@x.ch"), 1) };
    let gone = User { deleted_at: Some(flagstone_domain::time::Timestamp::from_millis(1)), ..with_hash(3, hash) };
    let set = Set {
        roles: vec![role(1, "Admin", RoleKind::Root, true), role(4, "Owner", RoleKind::Project, true)],
        users: vec![with_hash(1, hash), with_hash(2, "md5:x"), gone, user(4, "1@X.ch", 1)],
        groups: [1, 2]
            .map(|id| Group {
                id,
                name: "crew".to_owned(),
                members: [1, 1, 3, 77].map(|user| Member { user, created_at: None }).into(),
                ..Group::default()
            })
            .into(),
        projects: vec![Project { id: "shop".to_owned(), ..Project::default() }],
        project_roles: [(Holder::User(1), 4), (Holder::User(1), 4), (Holder::Group(2), 4), (Holder::User(3), 4)]
            .map(|(holder, role)| ProjectRole { project: "shop".to_owned(), holder, role, created_at: None })
            .into(),
        favorites: ["shop", "nowhere"]
            .map(|id| Favorite { user: 1, project: Some(id.to_owned()), ..Favorite::default() })
            .into(),
        ..Set::default()
    };
    let judged = judge(set, Vec::new());
    let hashes: Vec<_> = judged.set.users.iter().map(|user| user.password_hash.is_some()).collect();
    assert_eq!(hashes, [true, false, false, false]);
    assert_eq!(judged.set.users[3].email, None);
    let groups: Vec<_> = judged.set.groups.iter().map(|group| (&*group.name, group.members.len())).collect();
    assert_eq!(groups, [("crew", 1), ("crew (2)", 1)]);
    let held: Vec<_> = judged.set.project_roles.iter().map(|held| held.holder).collect();
    assert_eq!(held, [Holder::User(1), Holder::Group(2)]);
    assert_eq!(judged.set.favorites.len(), 1);
    assert_eq!(
        reasons(&judged),
        [
            "user 2@x.ch: has no password here: its hash is of a kind that cannot be checked; set a new one",
            "user 1@X.ch: lost the email: somebody else has it",
            "group crew: is called \"crew (2)\" here: the name is taken",
        ]
    );
}

#[test]
fn approvals_come_over_as_far_as_they_can_be_asked_for() {
    let environment = |name: &str, required_approvals| Environment {
        name: name.to_owned(),
        required_approvals,
        ..Environment::default()
    };
    let needed = |environment: &str, required| ProjectApprovals { environment: environment.to_owned(), required };
    let project = Project {
        id: "shop".to_owned(),
        approvals: vec![needed("production", 200), needed("qa", 0), needed("gone", 1), needed("qa", 3)],
        ..Project::default()
    };
    let environments = vec![environment("production", Some(0)), environment("qa", None), environment("eu", Some(11))];
    let judged = judge(Set { environments, projects: vec![project], ..Set::default() }, Vec::new());
    let defaults: Vec<_> = judged.set.environments.iter().map(|environment| environment.required_approvals).collect();
    assert_eq!(defaults, [Some(1), None, Some(10)]);
    assert_eq!(judged.set.projects[0].approvals, [needed("production", 100), needed("qa", 0)]);
}

#[test]
fn links_come_over_unless_they_lead_nowhere() {
    let link = |url: &str| Link { id: "01ARZ3NDEKTSV4RRFFQ69G5FAV".to_owned(), url: url.to_owned(), title: None };
    let template = |url: &str| LinkTemplate { title: None, url_template: url.to_owned() };
    let feature = Feature {
        name: "f".to_owned(),
        project: "shop".to_owned(),
        links: vec![link("https://example.com/1"), link("https://example.com/2"), link("javascript:alert(1)")],
        ..Feature::default()
    };
    let project = Project {
        id: "shop".to_owned(),
        link_templates: vec![template("https://example.com/{{feature}}"), template("ftp://example.com")],
        ..Project::default()
    };
    let set = Set { projects: vec![project], features: vec![feature], ..Set::default() };
    let judged = judge(set, Vec::new());
    let links: Vec<_> = judged.set.features[0].links.iter().map(|link| (&*link.id, &*link.url)).collect();
    // A second link of the same id gets one of its own when it is written.
    let first = "01563e3a-b5d3-d676-4c61-efb99302bd5b";
    assert_eq!(links, [(first, "https://example.com/1"), ("", "https://example.com/2")]);
    assert_eq!(judged.set.projects[0].link_templates, [template("https://example.com/{{feature}}")]);
    let told = reasons(&judged);
    for expected in ["feature f: 1 of its links are left out", "project shop: new features get 1 links less"] {
        assert!(told.iter().any(|told| told.starts_with(expected)), "{told:?}");
    }
}

#[test]
fn tokens_of_every_kind_serve_and_no_alias_serves_two() {
    let token = |hash: &str, kind: &str, alias: Option<&str>| ApiToken {
        secret_hash: hash.to_owned(),
        alias_hash: alias.map(str::to_owned),
        name: hash.to_owned(),
        kind: kind.to_owned(),
        ..ApiToken::default()
    };
    let set = Set {
        api_tokens: vec![
            token("a", "backend", None),
            token("b", "CLIENT", Some("x")),
            token("c", "frontend", Some("x")),
            token("d", "admin", Some("a")),
            token("e", "edge", None),
        ],
        ..Set::default()
    };
    let judged = judge(set, Vec::new());
    let tokens: Vec<_> = judged
        .set
        .api_tokens
        .iter()
        .map(|token| (&*token.name, &*token.kind, token.alias_hash.as_deref(), &*token.projects[0]))
        .collect();
    let expected = [
        ("a", "client", None, "*"),
        ("b", "client", Some("x"), "*"),
        ("c", "frontend", None, "*"),
        ("d", "admin", None, "*"),
    ];
    assert_eq!(tokens, expected);
    assert_eq!(judged.findings.len(), 3);
}

#[test]
fn nothing_opens_and_the_order_stays() {
    let strategy = |id: &str, sort_order, segments: &[i64]| Strategy {
        id: id.to_owned(),
        sort_order,
        segments: segments.to_vec(),
        ..Strategy::default()
    };
    let environment = FeatureEnvironment {
        environment: "dev".to_owned(),
        strategies: vec![
            strategy("01J0B3V1MMEEDTX9CPDGKFHBCH", 7, &[1]),
            strategy("0190163d-8694-739b-aea5-966c26f8ad90", 7, &[1, 2]),
            strategy("by-hand", 3, &[]),
        ],
        ..FeatureEnvironment::default()
    };
    let gone = FeatureEnvironment { environment: "gone".to_owned(), ..FeatureEnvironment::default() };
    let tag = Tag { kind: "team".to_owned(), value: "x".to_owned() };
    let set = Set {
        environments: vec![Environment { name: "dev".to_owned(), ..Environment::default() }],
        segments: ["beta", "beta"]
            .iter()
            .zip([1, 5])
            .map(|(name, id)| Segment { id, name: (*name).to_owned(), ..Segment::default() })
            .collect(),
        features: vec![Feature {
            name: "f".to_owned(),
            project: "nowhere".to_owned(),
            tags: vec![tag.clone(), tag.clone()],
            environments: vec![environment, gone],
            ..Feature::default()
        }],
        ..Set::default()
    };
    let judged = judge(set, Vec::new());
    let feature = &judged.set.features[0];
    assert_eq!((&*feature.project, &feature.tags), ("default", &vec![tag.clone()]));
    assert_eq!((judged.set.tags, &*judged.set.tag_types[0].name), (vec![tag], "team"));
    let strategies: Vec<_> = feature.environments[0]
        .strategies
        .iter()
        .map(|strategy| (&*strategy.id, strategy.sort_order, strategy.disabled))
        .collect();
    let ids = ["", "0190163d-8694-739b-aea5-966c26f8ad91", "0190163d-8694-739b-aea5-966c26f8ad90"];
    assert_eq!(strategies, [(ids[0], 0, false), (ids[1], 1, false), (ids[2], 2, true)]);
    assert_eq!(judged.findings.len(), 4);
}

#[test]
fn a_context_field_stays_in_its_project_if_that_comes_over() {
    let field = |name: &str, project: Option<&str>| ContextField {
        name: name.to_owned(),
        project: project.map(str::to_owned),
        ..ContextField::default()
    };
    let set = Set {
        projects: vec![Project { id: "shop".to_owned(), ..Project::default() }],
        context_fields: vec![field("tier", Some("shop")), field("rank", Some("gone")), field("plan", None)],
        ..Set::default()
    };
    let judged = judge(set, Vec::new());
    let projects: Vec<_> = judged.set.context_fields.iter().map(|field| field.project.as_deref()).collect();
    assert_eq!(projects, [Some("shop"), None, None]);
    assert_eq!(reasons(&judged), ["context field rank: belongs to all projects: its own, \"gone\", does not exist"]);
}

/// A strategy that is disabled is none, and a feature without any is on for all; one that depends on nothing is on.
#[test]
fn what_loses_its_conditions_is_switched_off() {
    let environment = |segments: &[&[i64]]| FeatureEnvironment {
        environment: "dev".to_owned(),
        enabled: true,
        strategies: segments.iter().map(|ids| Strategy { segments: ids.to_vec(), ..Strategy::default() }).collect(),
        ..FeatureEnvironment::default()
    };
    let feature = |name: &str, environment: FeatureEnvironment, parent: Option<&str>| Feature {
        name: name.to_owned(),
        environments: vec![environment],
        dependencies: parent
            .map(|parent| Dependency { parent: parent.to_owned(), ..Dependency::default() })
            .into_iter()
            .collect(),
        ..Feature::default()
    };
    let set = Set {
        environments: vec![Environment { name: "dev".to_owned(), ..Environment::default() }],
        features: vec![
            feature("alone", environment(&[&[9]]), None),
            feature("other-left", environment(&[&[9], &[]]), None),
            feature("plain", environment(&[]), None),
            feature("orphan", environment(&[]), Some("gone")),
            feature("child", environment(&[]), Some("plain")),
        ],
        ..Set::default()
    };
    let judged = judge(set, Vec::new());
    let on: Vec<_> =
        judged.set.features.iter().map(|feature| (&*feature.name, feature.environments[0].enabled)).collect();
    let expected = [("alone", false), ("other-left", true), ("plain", true), ("orphan", false), ("child", true)];
    assert_eq!(on, expected);
    let told = judged
        .findings
        .iter()
        .filter(|finding| finding.reason.starts_with("is switched off"))
        .map(|finding| &*finding.name);
    assert_eq!(told.collect::<Vec<_>>(), ["alone in dev", "orphan"]);
}

#[test]
fn banners_that_would_run_something_and_unknown_ways_to_sign_in_are_left_out() {
    let banner = |message: &str, link: Option<&str>| Banner {
        message: message.to_owned(),
        link: link.map(str::to_owned),
        variant: Some("loud".to_owned()),
        ..Banner::default()
    };
    let attempt = |method: &str| SignIn { method: method.to_owned(), ..SignIn::default() };
    let mut banners = vec![banner("evil", Some("javascript:alert(1)")), banner("", None), banner("told", Some("/x"))];
    banners.extend((1..=100).map(|number| banner(&format!("b{number}"), None)));
    let sign_ins = ["simple", "carrier-pigeon", "google", "saml"].map(attempt).into();
    let judged = judge(Set { banners, sign_ins, ..Set::default() }, Vec::new());
    let kept: Vec<_> = judged.set.banners.iter().map(|banner| &*banner.message).collect();
    assert_eq!((kept.len(), kept[0], kept[99]), (100, "told", "b99"));
    assert_eq!(
        reasons(&judged),
        [
            "banner evil: its link must be `dialog`, a relative address, or begin with https:, http: or mailto:",
            "banner : its message must say something",
            "banner b100: there are 100 others already",
        ]
    );
    let methods: Vec<_> = judged.set.sign_ins.iter().map(|sign_in| &*sign_in.method).collect();
    assert_eq!(methods, ["simple", "google", "saml"]);
}

#[test]
fn programs_stay_programs_and_bring_no_password() {
    let hash = "$2a$10$abcdefghijklmnopqrstuuAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
    let program = User { is_service: true, password_hash: Some(hash.to_owned()), ..user(1, "a@x.ch", 1) };
    let judged = judge(Set { users: vec![program], ..Set::default() }, Vec::new());
    assert!(judged.set.users[0].is_service);
    assert_eq!(judged.set.users[0].password_hash, None);
}

#[test]
fn names_without_a_plain_address_stay_and_are_told_with_their_spelling() {
    let tag = |value: &str| Tag { kind: "simple".to_owned(), value: value.to_owned() };
    let feature = |name: &str, project: &str| Feature {
        name: name.to_owned(),
        project: project.to_owned(),
        tags: vec![tag(".."), tag("")],
        ..Feature::default()
    };
    let project = |id: &str| Project { id: id.to_owned(), name: id.to_owned(), ..Project::default() };
    let long = "x".repeat(256);
    let field = ContextField {
        name: "validate".to_owned(),
        legal_values: vec![serde_json::json!({ "value": "." }), serde_json::json!({ "value": "fine" })],
        ..ContextField::default()
    };
    let set = Set {
        projects: vec![project("roles"), project("")],
        environments: vec![Environment { name: "..".to_owned(), ..Environment::default() }],
        features: vec![feature("..", "roles"), feature("search", ""), feature("", "roles"), feature(&long, "roles")],
        context_fields: vec![field],
        tag_types: vec![TagType { name: "validate".to_owned(), ..TagType::default() }],
        strategy_types: vec![StrategyType { name: "..".to_owned(), ..StrategyType::default() }],
        ..Set::default()
    };
    let judged = judge(set, Vec::new());
    let names: Vec<_> = judged.set.features.iter().map(|feature| (&*feature.name, &*feature.project)).collect();
    assert_eq!(names, [("..", "roles"), ("search", "default")]);
    assert!(judged.set.features.iter().all(|feature| feature.tags == [tag("..")]));
    assert_eq!(judged.set.tags, [tag("..")]);
    let told = reasons(&judged);
    let kept = |kind: &str, name: &str, spelled: &str, proposal: &str| {
        let reason = "keeps its name, which nothing new could have here: addresses spell it";
        format!("{kind} {name}: {reason} {spelled}, and \"{proposal}\" would be a better one")
    };
    for expected in [
        kept("project", "roles", "%72oles", "roles-1"),
        kept("environment", "..", "%252E%252E", "dot-dot"),
        kept("feature", "..", "%252E%252E", "dot-dot"),
        kept("feature", "search", "%73earch", "search-1"),
        kept("strategy type", "..", "%252E%252E", "dot-dot"),
        kept("tag type", "validate", "%76alidate", "validate-1"),
        kept("context field", "validate", "%76alidate", "validate-1"),
        kept("legal value", ". of validate", "%252E", "dot"),
    ] {
        assert!(told.contains(&expected), "{expected}\n{told:#?}");
    }
    let left_out = judged.findings.iter().filter(|finding| finding.outcome == crate::Outcome::LeftOut);
    let left_out: Vec<_> = left_out.map(|finding| (finding.kind, finding.name.len())).collect();
    assert_eq!(left_out, [("project", 0), ("feature", 0), ("feature", SHOWN)]);
}

/// Number of characters of a name that is too long that are shown.
const SHOWN: usize = 60;
