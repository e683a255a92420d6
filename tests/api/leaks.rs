//! Nobody sees what they may not: every operation is called by everybody who may not see a private project, once where
//! that project is and once where it never was, and answers the same. No answer holds a word that is the project's own.

mod asker;
mod call;
mod questions;
mod world;

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
};

use flagstone::api::document::DOCUMENT;
use poem::http::Method;
use serde_json::Value;

use self::{
    asker::Asker,
    call::{Call, differences, told},
    world::{CANARIES, World},
};
use crate::{authorization::rows, harness::Answer};

/// Answers that differ where the hidden project is, and why they must. May only shrink.
const DIFFERS: &[(&str, &str)] = &[
    ("createApplication", "an application of this name is there, whoever sees it; it is not overwritten"),
    ("deleteTagType", "tags of hidden features are of the type: taking them off needs somebody who sees them"),
    ("removeSegment", "hidden strategies apply the segment, which would be on for everybody without it"),
    ("removeStrategy", "hidden strategies are of the type, which clients could not read any more"),
];

/// Calls in the order in which one does not take away what the next looks at: reads, changes, removals, and last those
/// after which the two worlds are no longer alike.
fn place(call: &Call) -> u8 {
    let removes = ["delete", "remove", "archive", "revive", "changeProject"];
    if call.path.contains("change-requests") {
        // Where changes need approval, calls of others are refused before they tell anything.
        4
    } else if DIFFERS.iter().any(|(operation, _)| *operation == call.operation) {
        3
    } else if call.is_late
        || call.method == Method::DELETE
        || removes.iter().any(|verb| call.operation.starts_with(verb))
    {
        2
    } else {
        u8::from(call.method != Method::GET)
    }
}

/// Every operation, where it points at the project that everybody sees, where it points at the hidden one, and without
/// what narrows it down; then the questions that ask for the hidden project by each parameter.
fn calls(hidden: &World) -> Vec<Call> {
    let mut calls: Vec<Call> = Vec::new();
    for row in rows::all() {
        let seen = Call::of(&row);
        let (elsewhere, bare) = (seen.pointed_at(&hidden.secrets), seen.bare());
        calls.push(seen);
        calls.extend(elsewhere);
        calls.extend(bare);
    }
    calls.extend(questions::all(&hidden.secrets));
    calls.sort_by_key(place);
    calls
}

/// The canaries in an answer that the question did not hold.
fn sung(call: &Call, answer: &Answer) -> Vec<&'static str> {
    let asked = call.text().to_lowercase();
    let mut text = answer.text.to_lowercase();
    for (name, value) in &answer.headers {
        let _ = write!(text, "\n{name}: {}", String::from_utf8_lossy(value.as_bytes()).to_lowercase());
    }
    CANARIES.iter().copied().filter(|canary| text.contains(canary) && !asked.contains(canary)).collect()
}

async fn nothing_is_told_to(asker: Asker) {
    let (hidden, without) = (Box::pin(World::with_secrets()).await, Box::pin(World::without()).await);
    let (mut found, mut own) = (String::new(), BTreeSet::new());
    for call in calls(&hidden) {
        for step in &call.given {
            step.take(&hidden.founder).await;
            step.take(&without.founder).await;
        }
        for step in &call.own {
            step.take(hidden.client(asker)).await;
            step.take(without.client(asker)).await;
        }
        let there = call.take(hidden.client(asker)).await;
        // What somebody makes for everybody to see, they see as well.
        if call.operation == "createTag" && there.status == 201 {
            own.extend(CANARIES.iter().copied().filter(|canary| call.text().contains(canary)));
        }
        for canary in sung(&call, &there).into_iter().filter(|canary| !own.contains(canary)) {
            let _ = writeln!(found, "{} {call}: tells of {canary}: {}", call.operation, there.text);
        }
        if call.is_for_a_name {
            continue;
        }
        let elsewhere = call.take(without.client(asker)).await;
        let differences = differences(&told(&there), &told(&elsewhere));
        if !differences.is_empty() && DIFFERS.iter().all(|(operation, _)| *operation != call.operation) {
            let _ = write!(found, "{} {call}:\n{differences}", call.operation);
        }
    }
    assert!(found.is_empty(), "what {asker:?} learns of a project that is hidden from them:\n{found}");
}

#[tokio::test]
async fn a_viewer_learns_nothing() {
    nothing_is_told_to(Asker::Viewer).await;
}

#[tokio::test]
async fn an_editor_learns_nothing() {
    nothing_is_told_to(Asker::Editor).await;
}

#[tokio::test]
async fn a_member_of_another_project_learns_nothing() {
    nothing_is_told_to(Asker::Member).await;
}

#[tokio::test]
async fn an_owner_of_another_project_learns_nothing() {
    nothing_is_told_to(Asker::Owner).await;
}

#[tokio::test]
async fn who_has_every_permission_of_the_instance_but_one_learns_nothing() {
    nothing_is_told_to(Asker::Clerk).await;
}

#[tokio::test]
async fn who_has_every_permission_but_one_learns_nothing() {
    nothing_is_told_to(Asker::Steward).await;
}

#[tokio::test]
async fn a_program_of_another_project_learns_nothing() {
    nothing_is_told_to(Asker::Program).await;
}

#[tokio::test]
async fn a_browser_of_another_project_learns_nothing() {
    nothing_is_told_to(Asker::Browser).await;
}

/// Otherwise the others would look for what is nowhere.
#[tokio::test]
async fn every_canary_is_told_to_those_who_may_see_it() {
    let hidden = World::with_secrets().await;
    let mut told = String::new();
    for call in calls(&hidden).into_iter().filter(|call| call.method == Method::GET) {
        let answer = call.take(&hidden.founder).await;
        told.push_str(&answer.text.to_lowercase());
    }
    let silent: Vec<_> = CANARIES.iter().filter(|canary| !told.contains(**canary)).collect();
    assert!(silent.is_empty(), "{silent:?}");
}

/// Every operation has a row, which the table of authorization proves; each of its parameters must be asked with, too.
#[tokio::test]
async fn every_parameter_is_asked_with() {
    let hidden = World::with_secrets().await;
    let mut asked: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for call in calls(&hidden) {
        let query = call.path.split_once('?').map(|(_, query)| query.to_owned()).unwrap_or_default();
        let names = query.split('&').filter_map(|pair| pair.split_once('=')).map(|(name, _)| name.to_owned());
        asked.entry(call.operation).or_default().extend(names);
    }
    let mut missing = Vec::new();
    for operation in DOCUMENT["paths"].as_object().expect("paths").values().flat_map(|item| {
        let item: &serde_json::Map<String, Value> = item.as_object().expect("a path item");
        item.values()
    }) {
        let id = operation["operationId"].as_str().expect("an operation id");
        let parameters = operation["parameters"].as_array().into_iter().flatten();
        for parameter in parameters.filter(|parameter| parameter["in"] == "query") {
            let name = parameter["name"].as_str().expect("a name");
            if !asked.get(id).is_some_and(|names| names.contains(name)) {
                missing.push(format!("{id}: {name}"));
            }
        }
    }
    assert!(missing.is_empty(), "tests/api/leaks/questions.rs asks nothing with these: {missing:#?}");
}
