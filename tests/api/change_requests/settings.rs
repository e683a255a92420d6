//! Configuration, required reviewers and freeze windows, and what goes with projects, environments and groups.

use std::collections::BTreeSet;

use flagstone::{
    domain::{
        change_request::{
            reviewers::{Need, ReviewerRule, Scope, missing},
            state::State,
        },
        freeze_window::{Day, FreezeWindow, When, read_zone},
        ids::{EnvironmentName, ProjectId},
        tag::Tag,
    },
    store::{
        change_requests::{
            self, configuration, discussion,
            reviewer_rules::{self, NewReviewerRule},
        },
        entity::{
            change_request, change_request_change, change_request_change_target, change_request_comment,
            change_request_configuration, change_request_state_entry, environment, freeze_window, project,
            reviewer_rule, reviewer_rule_group, user_group, user_group_member,
        },
        freeze_windows::{self, StoredWindow},
    },
};
use sea_orm::{ActiveValue::Set, EntityTrait, PaginatorTrait};
use serde_json::json;

use super::world::{PRODUCTION, World, feature, of, switch};

#[tokio::test]
async fn an_environment_is_configured_by_a_row_and_free_without() {
    let world = World::new().await;
    let tx = world.app.tx().await;
    let save = async |project: &str, required| {
        let (project, production) = (ProjectId::new(project), EnvironmentName::new(PRODUCTION));
        configuration::save(&tx, project, production, required, world.now()).await.expect("saves")
    };
    assert_eq!(save("shop", Some(2)).await, None);
    assert_eq!(save("shop", Some(3)).await, Some(2));
    assert_eq!(save("default", Some(1)).await, None);
    assert_eq!(save("default", None).await, Some(1));
    assert_eq!(save("default", None).await, None);
    let start = async |environment: &str| {
        let (shop, environment) = (ProjectId::new("shop"), EnvironmentName::new(environment));
        configuration::start(&tx, shop, environment, 5, world.now()).await.expect("starts")
    };
    assert_eq!(start(PRODUCTION).await, None, "it has one");
    assert_eq!(start("development").await, Some(5));
    let default = environment::ActiveModel {
        name: Set(PRODUCTION.to_owned()),
        required_approvals: Set(Some(4)),
        ..Default::default()
    };
    environment::Entity::update(default).exec(&tx).await.expect("saves");
    world.app.commit(tx).await;

    let db = world.app.db();
    let find = async |project: &str| {
        let (project, production) = (ProjectId::new(project), EnvironmentName::new(PRODUCTION));
        configuration::find(db, project, production).await.expect("reads")
    };
    assert_eq!(find("shop").await, Some(3));
    assert_eq!(find("default").await, None);
    let listed = configuration::of_project(db, "shop").await.expect("lists");
    let listed: Vec<_> = listed.iter().map(|one| (&*one.environment, &*one.kind, one.required_approvals)).collect();
    let expected = [("development", "development", Some(5)), (PRODUCTION, "production", Some(3))];
    assert_eq!(listed, expected);
    let listed = configuration::of_project(db, "default").await.expect("lists");
    assert!(!listed.is_empty() && listed.iter().all(|one| one.required_approvals.is_none()));
    let defaults = configuration::defaults(db).await.expect("reads");
    assert_eq!(defaults.into_iter().collect::<Vec<_>>(), [(PRODUCTION.to_owned(), 4)]);
}

async fn group(world: &World, name: &str, members: &[i64]) -> i64 {
    let tx = world.app.tx().await;
    let row = user_group::ActiveModel {
        name: Set(name.to_owned()),
        mappings_sso: Set("[]".to_owned()),
        is_scim: Set(false),
        created_at: Set(world.now()),
        ..Default::default()
    };
    let id = user_group::Entity::insert(row).exec_with_returning(&tx).await.expect("a group").id;
    for member in members {
        let row = user_group_member::ActiveModel {
            group_id: Set(id),
            user_id: Set(*member),
            created_at: Set(world.now()),
            ..Default::default()
        };
        user_group_member::Entity::insert(row).exec_without_returning(&tx).await.expect("a member");
    }
    world.app.commit(tx).await;
    id
}

#[tokio::test]
async fn required_reviewers_are_kept_and_ask_for_what_nobody_gives_when_their_groups_are_gone() {
    let world = World::new().await;
    let (security, owners) = (group(&world, "Security", &[world.ben]).await, group(&world, "Owners", &[]).await);
    let tag = Tag { kind: "team".to_owned(), value: "payments".to_owned() };
    let rule = |scope, need, groups: &[i64]| NewReviewerRule { scope, need, groups: groups.iter().copied().collect() };
    let rules = [
        rule(Scope::Everything, Need::Any, &[owners, security]),
        rule(Scope::Tag(tag), Need::Each, &[security]),
        rule(Scope::Name("shop-.*".to_owned()), Need::Any, &[owners]),
    ];
    let shop = ProjectId::new("shop");
    let tx = world.app.tx().await;
    for rules in [&rules[1..], &rules[..]] {
        let production = EnvironmentName::new(PRODUCTION);
        reviewer_rules::replace(&tx, shop, production, rules, world.now()).await.expect("saves");
    }
    world.app.commit(tx).await;
    let db = world.app.db();
    let list = async |environment: &str| {
        reviewer_rules::list(db, shop, EnvironmentName::new(environment)).await.expect("lists")
    };
    let stored = list(PRODUCTION).await;
    let seen: Vec<NewReviewerRule> =
        stored.iter().map(|stored| rule(stored.scope.clone(), stored.need, &stored.groups)).collect();
    assert_eq!(seen, rules);
    assert!(list("development").await.is_empty());
    let groups = reviewer_rules::groups_of(db, &[world.cleo, world.ben]).await.expect("reads");
    assert_eq!(groups, [[].into(), [security].into()]);
    assert!(missing(stored, &[], &groups).is_empty());

    let tx = world.app.tx().await;
    for id in [security, owners] {
        user_group::Entity::delete_by_id(id).exec(&tx).await.expect("deletes");
    }
    world.app.commit(tx).await;
    let first = list(PRODUCTION).await.swap_remove(0);
    let asked = missing(vec![first.clone()], &[], &groups);
    assert_eq!(asked, [ReviewerRule { groups: Vec::new(), ..first }]);
}

#[tokio::test]
async fn freeze_windows_are_read_as_they_were_written() {
    let world = World::new().await;
    let once = FreezeWindow {
        environment: Some(PRODUCTION.to_owned()),
        when: When::Once {
            from: world.now(),
            to: world.now().plus_days(1),
            zone: read_zone("Europe/Berlin").expect("a zone"),
        },
        reason: "Holidays".to_owned(),
        exempt_roles: BTreeSet::from([1, 4]),
    };
    let weekly = FreezeWindow {
        environment: None,
        when: When::Weekly {
            days: BTreeSet::from([Day::Friday, Day::Sunday]),
            from: 18 * 60 + 30,
            to: 0,
            zone: read_zone("America/New_York").expect("a zone"),
        },
        reason: "Weekend".to_owned(),
        exempt_roles: BTreeSet::new(),
    };
    let tx = world.app.tx().await;
    let mut ids = Vec::new();
    for window in [&once, &weekly, &weekly] {
        ids.push(freeze_windows::insert(&tx, window, world.now()).await.expect("stores"));
    }
    let mut held = freeze_windows::hold(&tx, ids[2]).await.expect("reads").expect("a window");
    assert_eq!(held.window, weekly);
    held.window = FreezeWindow { environment: Some("development".to_owned()), ..once.clone() };
    freeze_windows::save(&tx, &held).await.expect("saves");
    world.app.commit(tx).await;

    let db = world.app.db();
    let stored = |place: usize, window: &FreezeWindow| StoredWindow { id: ids[place], window: window.clone() };
    let all = freeze_windows::list(db).await.expect("lists");
    assert_eq!(all, [stored(0, &once), stored(1, &weekly), stored(2, &held.window)]);
    let count = async |environment| freeze_windows::count(db, environment).await.expect("counts");
    assert_eq!((count(None).await, count(Some(PRODUCTION)).await, count(Some("none")).await), (1, 1, 0));
    let tx = world.app.tx().await;
    freeze_windows::delete(&tx, ids[0]).await.expect("deletes");
    world.app.commit(tx).await;
    assert_eq!(freeze_windows::list(db).await.expect("lists").len(), 2);
}

/// Numbers of rows of everything that belongs to a project or an environment.
async fn rows(world: &World) -> Vec<(&'static str, u64)> {
    macro_rules! count {
        ($($entity:ident),+ $(,)?) => {
            vec![$((
                stringify!($entity),
                $entity::Entity::find().count(world.app.db()).await.expect("counts"),
            )),+]
        };
    }
    count!(
        change_request,
        change_request_change,
        change_request_change_target,
        change_request_comment,
        change_request_configuration,
        change_request_state_entry,
        freeze_window,
        reviewer_rule,
        reviewer_rule_group,
    )
}

#[tokio::test]
async fn what_belongs_to_a_project_or_an_environment_goes_with_it() {
    for goes_with_project in [true, false] {
        let world = World::new().await;
        let update = of(feature("cart"), "deleteStrategy", json!({ "id": uuid::Uuid::from_u128(1) }));
        let id =
            world.request_in("default", "development", world.ada, State::Draft, &[update, switch("cart", true)]).await;
        let group = group(&world, "Owners", &[]).await;
        let rule = NewReviewerRule { scope: Scope::Everything, need: Need::Any, groups: BTreeSet::from([group]) };
        let window = FreezeWindow {
            environment: Some("development".to_owned()),
            when: When::Once {
                from: world.now(),
                to: world.now().plus_days(1),
                zone: read_zone("Europe/Berlin").expect("a zone"),
            },
            reason: "Holidays".to_owned(),
            exempt_roles: BTreeSet::new(),
        };
        let tx = world.app.tx().await;
        discussion::add_comment(&tx, id, world.ben, "Why?", world.now()).await.expect("comments");
        let (project, environment) = (ProjectId::new("default"), EnvironmentName::new("development"));
        configuration::save(&tx, project, environment, Some(1), world.now()).await.expect("saves");
        reviewer_rules::replace(&tx, project, environment, &[rule], world.now()).await.expect("saves");
        freeze_windows::insert(&tx, &window, world.now()).await.expect("stores");
        world.app.commit(tx).await;
        let before = rows(&world).await;
        assert!(before.iter().all(|(_, count)| *count > 0), "{before:?}");

        let tx = world.app.tx().await;
        if goes_with_project {
            project::Entity::delete_by_id("default").exec(&tx).await.expect("deletes");
        } else {
            environment::Entity::delete_by_id("development").exec(&tx).await.expect("deletes");
        }
        world.app.commit(tx).await;
        for (table, count) in rows(&world).await {
            let stays = goes_with_project && table == "freeze_window";
            assert_eq!(count, u64::from(stays), "{table}, {goes_with_project}");
        }
        assert_eq!(change_requests::find(world.app.db(), id).await.expect("reads"), None);
    }
}
