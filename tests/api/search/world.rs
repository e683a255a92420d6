//! Features to search in, and a second opinion on what a search must find: plain loops over plain values, written from
//! the contract and sharing nothing with the server.

use std::{
    cmp::Ordering,
    collections::{BTreeMap, BTreeSet},
};

use flagstone::{
    domain::{
        actor::ADMIN_TOKEN_USER_ID,
        feature_document::FeatureDocument,
        ids::{FeatureName, ProjectId},
        lifecycle::Stage,
        strategy::StrategyDefinition,
        tag::Tag,
        time::Timestamp,
    },
    store::{
        self,
        entity::{feature, feature_environment, feature_lifecycle},
        segments::NewSegment,
    },
};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, sea_query::Expr};

use crate::harness::{Client, TestApp, add_strategy, change_tags, connect};

/// Stored values of one feature.
#[derive(Debug, Clone)]
pub(super) struct Flag {
    pub(super) name: String,
    pub(super) project: &'static str,
    pub(super) kind: &'static str,
    pub(super) stale: bool,
    pub(super) creator: Option<i64>,
    pub(super) created_at: i64,
    pub(super) last_seen_at: Option<i64>,
    pub(super) tags: BTreeSet<(&'static str, &'static str)>,
    pub(super) segments: BTreeSet<&'static str>,
    pub(super) switches: BTreeMap<&'static str, bool>,
    pub(super) favorite: bool,
    pub(super) stage: Option<&'static str>,
    pub(super) archived: bool,
}

/// The seeded features, and a person with favourites among them.
pub(super) struct World {
    pub(super) app: TestApp,
    pub(super) person: Client,
    pub(super) flags: Vec<Flag>,
    pub(super) archived: Vec<Flag>,
}

pub(super) const TAGS: [(&str, &str); 6] = [
    ("simple", "beta"),
    ("simple", "Größe"),
    ("team", "beta"),
    ("team", "web 100%"),
    ("simple", "a_b"),
    ("simple", "beta:2"),
];
pub(super) const SEGMENTS: [&str; 3] = ["employees", "Beta Users", "100%"];
const NAMES: [&str; 8] = ["Alpha", "alpha_two", "beta-Flag", "checkout", "Checkout", "gamma.ray", "zeta~1", "BETA"];
const KINDS: [&str; 3] = ["release", "kill-switch", "experiment"];
/// Stages that a flag enters after the first one, each so many milliseconds after its creation.
type Entered = &'static [(Stage, i64)];
/// The stage that a flag is in, by those that it entered. One that is in none has lost the first one, too.
const STAGES: [(Option<&str>, Entered); 5] = [
    (Some("initial"), &[]),
    (Some("live"), &[(Stage::PreLive, 5), (Stage::Live, 5)]),
    (Some("pre-live"), &[(Stage::Completed, 5), (Stage::PreLive, 6)]),
    (Some("completed"), &[(Stage::PreLive, 0), (Stage::Completed, 0)]),
    (None, &[]),
];
const PROJECTS: [&str; 3] = ["shop", "billing", "empty-env"];

impl World {
    pub(super) async fn new() -> Self {
        let app = TestApp::new().await;
        for project in ["shop", "billing"] {
            app.project(project).await;
        }
        let person = app.viewer().await;
        let tx = app.tx().await;
        let now = app.clock.now();
        store::environments::insert(&tx, "qa", "test", 9).await.expect("an environment");
        connect(&tx, "shop", "qa").await;
        let project = store::projects::NewProject::named("empty-env", "Without environments");
        store::projects::insert(&tx, &project, now).await.expect("a project");
        let mut segment_ids = Vec::new();
        for name in SEGMENTS {
            let new = NewSegment { name: name.to_owned(), ..NewSegment::default() };
            segment_ids.push(store::segments::insert(&tx, &new, now).await.expect("a segment"));
        }
        app.commit(tx).await;
        let mut world = Self { app, person, flags: Vec::new(), archived: Vec::new() };
        for number in 0..48_usize {
            if number.is_multiple_of(3) {
                world.app.clock.advance(7 * 3_600_000);
            }
            world.add(number, &segment_ids).await;
        }
        world.app.clock.advance(86_400_000);
        world
    }

    /// The properties follow from the number by different moduli, so that many combinations occur, ties among them.
    async fn add(&mut self, number: usize, segment_ids: &[i64]) {
        let now = self.app.clock.now();
        let person = self.person.user_id.expect("a person");
        let flag = Flag {
            name: NAMES.get(number).map_or_else(|| format!("flag-{:02}", number * 7 % 50), |name| (*name).to_owned()),
            project: PROJECTS[number * 5 / 3 % 3],
            kind: KINDS[number / 2 % 3],
            stale: number % 4 == 1,
            creator: [Some(ADMIN_TOKEN_USER_ID), Some(person), None][number % 5 % 3],
            created_at: now.millis(),
            last_seen_at: (number % 7 > 2).then(|| now.millis() + i64::try_from(number % 2).expect("small")),
            tags: TAGS
                .into_iter()
                .enumerate()
                .filter(|(index, _)| number >> index & 1 == 1)
                .map(|(_, tag)| tag)
                .collect(),
            segments: BTreeSet::new(),
            switches: BTreeMap::new(),
            favorite: number % 6 == 2,
            stage: STAGES[number / 2 % 5].0,
            archived: number % 11 == 10,
        };
        self.store(flag, number, segment_ids).await;
    }

    async fn store(&mut self, mut flag: Flag, number: usize, segment_ids: &[i64]) {
        let now = self.app.clock.now();
        let tx = self.app.tx().await;
        let new = FeatureDocument {
            kind: flag.kind.to_owned(),
            description: Some("mentions nothing-of-this".to_owned()),
            stale: flag.stale,
            ..FeatureDocument::new(FeatureName::new(&flag.name), ProjectId::new(flag.project), now)
        };
        let by = flag.creator.unwrap_or(ADMIN_TOKEN_USER_ID);
        let id = store::features::insert(&tx, &new, by).await.expect("a feature");
        for (kind, value) in &flag.tags {
            let tag_type = store::entity::tag_type::ActiveModel {
                name: sea_orm::Set((*kind).to_owned()),
                description: sea_orm::Set(String::new()),
                icon: sea_orm::Set(None),
            };
            let insert = store::entity::tag_type::Entity::insert(tag_type).on_conflict_do_nothing();
            insert.exec_without_returning(&tx).await.expect("a tag type");
            let tag = Tag { kind: (*kind).to_owned(), value: (*value).to_owned() };
            change_tags(&tx, id, &[tag], &[], now).await;
        }
        let environments = store::environments::of_project(&tx, flag.project).await.expect("environments");
        for (index, name) in environments.iter().enumerate() {
            let enabled = number >> index & 1 == 0;
            store::features::set_enabled(&tx, id, name, enabled).await.expect("switched");
            let name = ["development", "production", "qa"].into_iter().find(|known| known == name).expect("known");
            flag.switches.insert(name, enabled);
            for (index, segment) in SEGMENTS.iter().enumerate().filter(|(index, _)| number.is_multiple_of(index + 2)) {
                let strategy = StrategyDefinition {
                    name: "default".to_owned(),
                    segments: vec![segment_ids[index]],
                    ..StrategyDefinition::default()
                };
                add_strategy(&tx, id, name, &strategy, now).await.expect("a strategy");
                flag.segments.insert(segment);
            }
        }
        let row = feature::Entity::update_many()
            .col_expr(feature::Column::CreatedByUserId, Expr::value(flag.creator))
            .col_expr(feature::Column::LastSeenAt, Expr::value(flag.last_seen_at.map(Timestamp::from_millis)));
        row.filter(feature::Column::Id.eq(id)).exec(&tx).await.expect("updated");
        if flag.favorite {
            let reader = self.person.user_id.expect("a person");
            store::features::favorites::add_feature(&tx, reader, id, now).await.expect("a favourite");
        }
        for (stage, millis) in STAGES[number / 2 % 5].1 {
            store::features::enter_stage(&tx, id, *stage, now.plus_millis(*millis)).await.expect("entered");
        }
        if flag.stage.is_none() {
            let of_feature = feature_lifecycle::Column::FeatureId.eq(id);
            feature_lifecycle::Entity::delete_many().filter(of_feature).exec(&tx).await.expect("forgotten");
        }
        if flag.archived {
            archive(&tx, id, now).await;
            self.archived.push(flag);
        } else {
            self.flags.push(flag);
        }
        self.app.commit(tx).await;
    }
}

/// Archived, with the column that copies it.
async fn archive(tx: &store::db::Tx, id: i64, now: Timestamp) {
    feature::Entity::update_many()
        .col_expr(feature::Column::ArchivedAt, Expr::value(now))
        .filter(feature::Column::Id.eq(id))
        .exec(tx)
        .await
        .expect("archived");
    feature_environment::Entity::update_many()
        .col_expr(feature_environment::Column::Live, Expr::value(false))
        .filter(feature_environment::Column::FeatureId.eq(id))
        .exec(tx)
        .await
        .expect("archived");
}

/// The parameters of a request, each as it is sent.
pub(super) type Parameters = Vec<(&'static str, String)>;

/// Expected result of a search with these parameters: the page's names, and the total.
pub(super) fn expected(world: &World, parameters: &Parameters, knows_favorites: bool) -> (Vec<String>, usize) {
    let given = |name: &str| parameters.iter().find(|(known, _)| *known == name).map(|(_, value)| value.as_str());
    let statuses: Vec<&str> =
        parameters.iter().filter(|(name, _)| *name == "status").map(|(_, value)| value.as_str()).collect();
    let mut found: Vec<&Flag> = world
        .flags
        .iter()
        .chain(&world.archived)
        .filter(|flag| in_stage(flag, given("lifecycle").unwrap_or("IS:")))
        .filter(|flag| given("query").is_none_or(|text| mentions(flag, text)))
        .filter(|flag| given("project").is_none_or(|filter| one_of(filter, |value| value == flag.project)))
        .filter(|flag| given("type").is_none_or(|filter| one_of(filter, |value| value == flag.kind)))
        .filter(|flag| given("state").is_none_or(|filter| one_of(filter, |value| (value != "active") == flag.stale)))
        .filter(|flag| given("createdBy").is_none_or(|filter| created_by(flag, filter)))
        .filter(|flag| given("tag").is_none_or(|filter| has(filter, |tag| carries(flag, tag))))
        .filter(|flag| given("segment").is_none_or(|filter| has(filter, |name| flag.segments.contains(name))))
        .filter(|flag| given("createdAt").is_none_or(|filter| on_side(flag.created_at, filter)))
        .filter(|flag| given("lastSeenAt").is_none_or(|filter| flag.last_seen_at.is_some_and(|at| on_side(at, filter))))
        .filter(|flag| given("favorites") != Some("true") || (knows_favorites && flag.favorite))
        .filter(|flag| in_status(flag, &statuses))
        .collect();
    let sort = given("sortBy").unwrap_or("createdAt");
    let descending = given("sortOrder") == Some("desc");
    let favorites_first = knows_favorites && given("favoritesFirst") == Some("true");
    found.sort_by(|a, b| {
        let favorites = if favorites_first { b.favorite.cmp(&a.favorite) } else { Ordering::Equal };
        let ties = a.created_at.cmp(&b.created_at).then_with(|| a.name.cmp(&b.name));
        favorites.then(by_key(a, b, sort, descending)).then(ties)
    });
    let number = |name, default| given(name).and_then(|text| text.parse().ok()).unwrap_or(default);
    let (offset, limit) = (number("offset", 0), number("limit", 50));
    let page = found.iter().skip(offset).take(limit).map(|flag| flag.name.clone()).collect();
    (page, found.len())
}

fn by_key(a: &Flag, b: &Flag, sort: &str, descending: bool) -> Ordering {
    let turn = |order: Ordering| if descending { order.reverse() } else { order };
    let nothing_last = |a: Option<i64>, b: Option<i64>| match (a, b) {
        (Some(a), Some(b)) => turn(a.cmp(&b)),
        (a, b) => a.is_none().cmp(&b.is_none()),
    };
    match sort {
        "name" => turn(a.name.to_lowercase().cmp(&b.name.to_lowercase())),
        "type" => turn(a.kind.cmp(b.kind)),
        "project" => turn(a.project.cmp(b.project)),
        "stale" => turn(a.stale.cmp(&b.stale)),
        "lastSeenAt" => nothing_last(a.last_seen_at, b.last_seen_at),
        "environment:production" | "environment:qa" => {
            let switch = |flag: &Flag| flag.switches.get(&sort["environment:".len()..]).map(|on| i64::from(*on));
            nothing_last(switch(a), switch(b))
        }
        _ => turn(a.created_at.cmp(&b.created_at)),
    }
}

fn mentions(flag: &Flag, query: &str) -> bool {
    let mut texts = vec![flag.name.to_lowercase()];
    texts.extend(flag.tags.iter().map(|(kind, value)| format!("{kind}:{value}").to_lowercase()));
    let parts: Vec<String> = query.split(',').map(|part| part.trim().to_lowercase()).collect();
    let mut parts = parts.iter().filter(|part| !part.is_empty()).peekable();
    parts.peek().is_none() || parts.any(|part| texts.iter().any(|text| text.contains(part)))
}

fn parts(filter: &str) -> (&str, Vec<&str>) {
    let (operator, values) = filter.split_once(':').expect("an operator");
    (operator, values.split(',').map(str::trim).filter(|value| !value.is_empty()).collect())
}

fn one_of(filter: &str, is: impl Fn(&str) -> bool) -> bool {
    let (operator, values) = parts(filter);
    values.is_empty() || values.iter().any(|value| is(value)) == matches!(operator, "IS" | "IS_ANY_OF")
}

fn created_by(flag: &Flag, filter: &str) -> bool {
    let asks = !parts(filter).1.is_empty();
    (flag.creator.is_some() || !asks) && one_of(filter, |value| value.parse().ok() == flag.creator)
}

fn in_stage(flag: &Flag, filter: &str) -> bool {
    let (operator, values) = parts(filter);
    match (flag.archived, operator) {
        (true, "IS" | "IS_ANY_OF") => values.contains(&"archived"),
        (true, _) => false,
        (false, _) if values.is_empty() => true,
        (false, _) => one_of(filter, |value| flag.stage == Some(value)),
    }
}

fn carries(flag: &Flag, tag: &str) -> bool {
    flag.tags.iter().any(|(kind, value)| format!("{kind}:{value}") == tag)
}

fn has(filter: &str, carries: impl Fn(&str) -> bool) -> bool {
    let (operator, values) = parts(filter);
    let (mut any, mut all) = (false, true);
    for value in &values {
        any |= carries(value);
        all &= carries(value);
    }
    values.is_empty()
        || match operator {
            "INCLUDE" | "INCLUDE_ANY_OF" => any,
            "DO_NOT_INCLUDE" | "EXCLUDE_IF_ANY_OF" => !any,
            "INCLUDE_ALL_OF" => all,
            _ => !all,
        }
}

fn on_side(instant: i64, filter: &str) -> bool {
    let (operator, day) = filter.split_once(':').expect("an operator");
    let start = Timestamp::parse(&format!("{day}T00:00:00Z")).expect("a day").millis();
    (instant >= start) == (operator == "IS_ON_OR_AFTER")
}

fn in_status(flag: &Flag, statuses: &[&str]) -> bool {
    let pairs = statuses.iter().filter_map(|pair| pair.rsplit_once(':'));
    let mut pairs = pairs.filter(|(_, state)| matches!(*state, "enabled" | "disabled")).peekable();
    pairs.peek().is_none()
        || pairs.any(|(environment, state)| flag.switches.get(environment) == Some(&(state == "enabled")))
}
