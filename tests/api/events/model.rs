//! Every filter, alone and together, against a second opinion: the stored rows, looked through one by one.

use flagstone::{domain::time::Timestamp, store::entity::event::Model};
use serde_json::{Map, json};

use super::*;

/// Filters of a search; `None` for nothing in particular.
#[derive(Debug, Clone, Copy, Default)]
struct Asked {
    feature: Option<&'static str>,
    project: Option<&'static str>,
    environment: Option<&'static str>,
    kind: Option<&'static str>,
    creator: Option<&'static str>,
    from: Option<&'static str>,
    to: Option<&'static str>,
    query: Option<&'static str>,
}

const FEATURES: &[Option<&str>] =
    &[None, Some("IS:checkout"), Some("IS_ANY_OF:checkout,Checkout"), Some("IS:Checkout,nobody"), Some("IS:")];
const PROJECTS: &[Option<&str>] =
    &[None, Some("IS:shop"), Some("IS_ANY_OF:billing,Shop"), Some("IS:SHOP"), Some("IS_ANY_OF: billing , ")];
const ENVIRONMENTS: &[Option<&str>] =
    &[None, Some("IS:production"), Some("IS_ANY_OF:development,nowhere"), Some("IS:Production"), Some("IS: , ")];
const KINDS: &[Option<&str>] = &[
    None,
    Some("IS:feature-created"),
    Some("IS_ANY_OF:feature-tagged,feature-archived"),
    Some("IS:Feature-Created"),
    Some("IS_ANY_OF:feature-created,no-such-type"),
];
const CREATORS: &[Option<&str>] = &[
    None,
    Some("IS:7"),
    Some("IS_ANY_OF:-42,-1337"),
    Some("IS:abc"),
    Some("IS:7,abc"),
    Some("IS:99999999999999999999"),
];
const DAYS: &[(Option<&str>, Option<&str>)] = &[
    (None, None),
    (Some("IS:2026-01-17"), None),
    (None, Some("IS:2026-01-17")),
    (Some("IS:2026-01-16"), Some("IS:2026-01-17")),
    (Some("IS:2026-01-17"), Some("IS:2026-01-16")),
    (Some("IS:2030-01-01"), Some("IS:2031-01-01")),
    (Some("IS:0000-01-01"), Some("IS:9999-12-31")),
];
const TEXTS: &[Option<&str>] = &[
    None,
    Some("SNAKE_case"),
    Some("50%"),
    Some("%"),
    Some("_c"),
    Some("οδος"),
    Some("STRASSE"),
    Some("straße"),
    Some("\"deep\":null"),
    Some("say \\\"hi\\\" OR *"),
    Some("say \"hi\""),
    Some("beta"),
    Some("ada@EXAMPLE"),
    Some("feature-created"),
    Some("feature-created ada"),
    Some("}["),
    Some(" "),
    Some("x\ny"),
    Some("the quick brown fox jumps over the lazy dog and does so for more than sixty-four characters"),
];

fn listed(filter: &str) -> Vec<&str> {
    filter.split_once(':').expect("an operator").1.split(',').map(str::trim).filter(|value| !value.is_empty()).collect()
}

fn admits(filter: Option<&str>, value: Option<&str>) -> bool {
    let wanted = filter.map(listed).unwrap_or_default();
    wanted.is_empty() || value.is_some_and(|value| wanted.contains(&value))
}

fn day(filter: &str) -> Timestamp {
    Timestamp::parse(&format!("{}T00:00:00Z", filter.trim_start_matches("IS:"))).expect("a day")
}

/// Letters on their own, and one small sigma.
fn folded(text: &str) -> String {
    text.chars().flat_map(char::to_lowercase).map(|letter| if letter == 'ς' { 'σ' } else { letter }).collect()
}

impl Asked {
    fn admits(&self, event: &Model, place: &[&str]) -> bool {
        admits(self.feature, event.feature_name.as_deref())
            && admits(self.project, event.project.as_deref())
            && admits(self.environment, event.environment.as_deref())
            && admits(self.kind, Some(&event.r#type))
            && admits(self.creator, event.created_by_user_id.map(|id| id.to_string()).as_deref())
            && self.from.is_none_or(|from| event.created_at >= day(from))
            && self.to.is_none_or(|to| event.created_at < day(to).plus_days(1))
            && self.query.is_none_or(|query| place.iter().any(|text| folded(text).contains(&folded(query))))
    }

    fn found_in(&self, events: &[Model], with_origin: bool) -> Vec<i64> {
        let mut expected = Vec::new();
        for event in events.iter().rev() {
            let payload = [
                event.data.as_deref().unwrap_or(""),
                event.pre_data.as_deref().unwrap_or(""),
                &event.tags,
                event.reason.as_deref().unwrap_or(""),
            ];
            let origin: &[&str] = if with_origin { &[&event.r#type, &event.created_by] } else { &[] };
            if self.admits(event, &[&payload, origin].concat()) {
                expected.push(event.id);
            }
        }
        expected
    }

    fn parameters(&self) -> String {
        let parameters = [
            ("feature", self.feature),
            ("project", self.project),
            ("environment", self.environment),
            ("type", self.kind),
            ("createdBy", self.creator),
            ("createdAtFrom", self.from),
            ("createdAtTo", self.to),
            ("query", self.query),
        ];
        let pair = |(name, value): (&str, Option<&str>)| Some(format!("{name}={}", encoded(value?)));
        parameters.into_iter().filter_map(pair).collect::<Vec<_>>().join("&")
    }

    async fn check(&self, client: &Client, events: &[Model]) -> usize {
        let expected = self.found_in(events, false);
        let (found, total) = find(client, &format!("{}&limit=1000", self.parameters())).await;
        assert_eq!(found, expected, "{self:?}");
        assert_eq!(usize::try_from(total).expect("few"), expected.len(), "{self:?}");
        expected.len()
    }
}

#[tokio::test]
async fn each_filter_alone_finds_what_a_look_at_every_row_finds() {
    let app = TestApp::new().await;
    seed(&app).await;
    let (events, admin) = (app.events().await, app.admin());
    let none = Asked::default();
    let mut asked: Vec<Asked> = Vec::new();
    asked.extend(FEATURES.iter().map(|feature| Asked { feature: *feature, ..none }));
    asked.extend(PROJECTS.iter().map(|project| Asked { project: *project, ..none }));
    asked.extend(ENVIRONMENTS.iter().map(|environment| Asked { environment: *environment, ..none }));
    asked.extend(KINDS.iter().map(|kind| Asked { kind: *kind, ..none }));
    asked.extend(CREATORS.iter().map(|creator| Asked { creator: *creator, ..none }));
    asked.extend(DAYS.iter().map(|(from, to)| Asked { from: *from, to: *to, ..none }));
    asked.extend(TEXTS.iter().map(|query| Asked { query: *query, ..none }));
    let mut sizes = BTreeSet::new();
    for asked in asked {
        // A creator that is no id matches nothing, and a look at every row says the same.
        sizes.insert(asked.check(&admin, &events).await);
    }
    // Nothing, everything, and much in between: the log is varied enough to tell filters apart.
    assert!(sizes.contains(&0) && sizes.contains(&90) && sizes.len() > 12, "{sizes:?}");
}

#[tokio::test]
async fn filters_together_find_what_fits_them_all() {
    let app = TestApp::new().await;
    seed(&app).await;
    let (events, admin) = (app.events().await, app.admin());
    let mut matched = 0;
    // Steps without a common divisor lead through combinations of every kind.
    for step in 0..260_usize {
        let (from, to) = DAYS[step / 2 % 4];
        let asked = Asked {
            feature: FEATURES[step % 3],
            project: PROJECTS[step / 3 % 3],
            environment: ENVIRONMENTS[step / 11 % 3],
            kind: KINDS[step / 5 % 3],
            creator: CREATORS[step / 7 % 3],
            from,
            to,
            query: if step % 2 == 0 { None } else { TEXTS[step % TEXTS.len()] },
        };
        matched += usize::from(asked.check(&admin, &events).await > 0);
    }
    assert!(matched > 60, "only {matched} combinations found anything");
}

#[tokio::test]
async fn the_older_search_finds_the_same_and_looks_into_type_and_creator_too() {
    let app = TestApp::new().await;
    seed(&app).await;
    let (events, admin) = (app.events().await, app.admin());
    let mut differing = 0;
    for (step, query) in TEXTS.iter().cycle().take(4 * TEXTS.len()).enumerate() {
        let asked = Asked {
            query: *query,
            feature: [None, Some("IS:checkout")][step / TEXTS.len() % 2],
            project: [None, None, Some("IS:shop"), Some("IS:billing")][step / TEXTS.len()],
            kind: [None, Some("IS:feature-created")][step % 2],
            ..Asked::default()
        };
        let parts = [("query", query.as_deref()), ("feature", plain(asked.feature)), ("project", plain(asked.project))];
        let mut body: Map<String, Value> =
            parts.into_iter().filter_map(|(name, value)| Some((name.to_owned(), json!(value?)))).collect();
        if let Some(kind) = plain(asked.kind) {
            body.insert("type".to_owned(), json!(kind));
        }
        let expected = asked.found_in(&events, true);
        let total = i64::try_from(expected.len()).expect("few");
        assert_eq!(find_by_body(&admin, Value::Object(body)).await, (expected.clone(), total), "{asked:?}");
        differing += usize::from(expected != asked.found_in(&events, false));
    }
    assert!(differing > 3, "type and creator made no difference");
}

fn plain(filter: Option<&'static str>) -> Option<&'static str> {
    filter.map(|filter| filter.trim_start_matches("IS:"))
}

#[tokio::test]
async fn days_are_those_of_utc_and_both_ends_are_included() {
    let app = TestApp::new().await;
    // The clock stands at noon of 15 January.
    for moved_ms in [0, DAY_MS / 2 - 1, 1, DAY_MS - 1, 1] {
        app.clock.advance(moved_ms);
        let event = NewEvent::new(EventKind::TagCreated, &Actor::system());
        app.tx().await.commit(app.clock.now(), [event]).await.expect("done");
    }
    let admin = app.admin();
    for (query, expected) in [
        ("createdAtTo=IS:2026-01-15", vec![2, 1]),
        ("createdAtFrom=IS:2026-01-16&createdAtTo=IS:2026-01-16", vec![4, 3]),
        ("createdAtFrom=IS:2026-01-17", vec![5]),
        // What later clients call them.
        ("from=IS:2026-01-16&to=IS:2026-01-16", vec![4, 3]),
        ("to=IS:2026-01-15&type=IS:tag-created", vec![2, 1]),
        // The published name counts.
        ("from=IS:2026-01-16&createdAtFrom=IS:2026-01-17", vec![5]),
    ] {
        let total = i64::try_from(expected.len()).expect("few");
        assert_eq!(find(&admin, query).await, (expected, total), "{query}");
    }
}
