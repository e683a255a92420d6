//! Any sequence of acts: each goes as the books foretell, and after each everything that the server reports agrees.

use proptest::{
    collection::vec,
    prelude::{Just, Strategy, any, prop_oneof},
    sample::select,
    test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner},
};
use serde_json::json;

use super::{Team, act::Act, books::Project, check};
use crate::{harness::TestApp, schema::assert_derived_columns};

/// Sequences, and the most acts of one: some 120 acts in all. Raise the first to look harder.
const SEQUENCES: u32 = 6;
const ACTS: usize = 40;

const FLAGS: &[&str] = &["banner", "cart", "searching"];
const PROJECTS: &[&str] = &["shop", "ops"];
const ENVIRONMENTS: &[&str] = &["development", "production"];
const KINDS: &[&str] = &["release", "operational", "kill-switch"];
const TAGS: &[&str] = &["web", "app"];

/// A step of the story: an act, or time that passes.
#[derive(Debug, Clone)]
enum Step {
    Act(Act),
    Days(i64),
}

fn name() -> impl Strategy<Value = String> {
    select(FLAGS).prop_map(str::to_owned)
}

fn place() -> impl Strategy<Value = (String, String)> {
    (name(), select(ENVIRONMENTS).prop_map(str::to_owned))
}

fn life() -> impl Strategy<Value = Act> {
    prop_oneof![
        6 => (select(PROJECTS), name(), select(KINDS))
            .prop_map(|(project, name, kind)| Act::Create { project: project.to_owned(), name, kind }),
        1 => (name(), select(&["", "one", "two"][..]))
            .prop_map(|(flag, text)| Act::Describe { flag, text: text.to_owned() }),
        1 => (name(), select(KINDS)).prop_map(|(flag, kind)| Act::Retype { flag, kind }),
        2 => (name(), any::<bool>(), any::<bool>()).prop_map(|(flag, on, batch)| Act::Stale { flag, on, batch }),
        2 => name().prop_map(|flag| Act::Archive { flag }),
        2 => name().prop_map(|flag| Act::Revive { flag }),
        1 => name().prop_map(|flag| Act::Delete { flag }),
        1 => (name(), select(PROJECTS)).prop_map(|(flag, to)| Act::Move { flag, to: to.to_owned() }),
    ]
}

fn configuration() -> impl Strategy<Value = Act> {
    prop_oneof![
        4 => (place(), any::<bool>())
            .prop_map(|((flag, environment), on)| Act::Switch { flag, environment, on }),
        3 => (place(), any::<bool>()).prop_map(|((flag, environment), disabled)| Act::AddStrategy {
            flag,
            environment,
            disabled,
            segment: None,
            body: json!({ "name": "flexibleRollout" }),
        }),
        2 => (place(), 0..3_usize)
            .prop_map(|((flag, environment), nth)| Act::RemoveStrategy { flag, environment, nth }),
        1 => (place(), 0..4_usize).prop_map(|((flag, environment), count)| Act::Variants { flag, environment, count }),
    ]
}

fn relations() -> impl Strategy<Value = Act> {
    let tag = || select(TAGS).prop_map(str::to_owned);
    prop_oneof![
        (name(), tag()).prop_map(|(flag, value)| Act::Tag { flag, value }),
        (name(), tag()).prop_map(|(flag, value)| Act::Untag { flag, value }),
        (name(), name()).prop_map(|(flag, parent)| Act::Depend { flag, parent }),
        (name(), name()).prop_map(|(flag, parent)| Act::Undepend { flag, parent }),
        (name(), any::<bool>()).prop_map(|(flag, on)| Act::Favor { flag, on }),
    ]
}

fn story() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => life().prop_map(Step::Act),
        4 => configuration().prop_map(Step::Act),
        3 => relations().prop_map(Step::Act),
        1 => select(&[1_i64, 8, 35][..]).prop_map(Step::Days),
    ];
    // A flag to start with, or much of a short story is about nothing.
    let first = Just(Step::Act(Act::Create { project: "shop".to_owned(), name: "cart".to_owned(), kind: "release" }));
    (first, vec(step, 1..ACTS)).prop_map(|(first, mut steps)| {
        steps.insert(0, first);
        steps
    })
}

async fn team() -> Team {
    let app = TestApp::new().await;
    let mut team = Team { app, books: super::Books::default() };
    let environments: Vec<String> = ENVIRONMENTS.iter().map(|name| (*name).to_owned()).collect();
    for project in PROJECTS {
        team.app.project(project).await;
        let kept = Project { name: (*project).to_owned(), environments: environments.clone(), ..Project::default() };
        team.books.projects.insert((*project).to_owned(), kept);
    }
    team
}

async fn play(steps: Vec<Step>) {
    let mut team = team().await;
    let people = [team.app.root_admin().await, team.app.root_admin().await];
    for (turn, step) in steps.iter().enumerate() {
        match step {
            Step::Act(act) => team.does(&people[turn % 2], act).await,
            Step::Days(days) => {
                team.app.clock.advance(days * super::books::DAY_MS);
                flagstone::jobs::mark_potentially_stale(&team.app.state).await.expect("runs");
                team.books.night(team.app.clock.now().millis());
            }
        }
        check::agree(&team, &people[0]).await;
    }
    assert_derived_columns(&team.app).await;
}

#[test]
fn any_sequence_of_acts_leaves_what_the_books_say() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    // The same sequences each time, so that a failure is that of a change; more of them look further.
    let config = Config { cases: SEQUENCES, failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let outcome = runner.run(&story(), |steps| {
        runtime.block_on(async {
            // A panic tells more than it could say; which step it was is in its message.
            let played = tokio::spawn(play(steps.clone())).await;
            played.map_err(|failure| TestCaseError::fail(failure.to_string()))
        })
    });
    if let Err(failure) = outcome {
        panic!("{failure}");
    }
}
