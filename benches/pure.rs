//! Durations of the parts that need neither a database nor a network: `cargo bench --package flagstone-load`.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use flagstone::{
    domain::{
        evaluation::{ConfiguredFeature, Subject},
        feature::Feature,
        feature_document::FeatureDocument,
        filter::{StatusFilter, TagFilter, TextQuery, ValueFilter},
        impact::{Configuration, MADE_CONTEXTS, made_contexts},
        patch::PatchOp,
        strategy::FeatureStrategy,
        time::Timestamp,
    },
    evaluation::{Asker, Condition, Engine, FeatureSet, Parts, Rule, impact::compare},
    usage::ContextSamples,
};
use poem_openapi::types::ParseFromJSON as _;
use serde_json::json;

const NOW: Timestamp = Timestamp::from_millis(1_768_478_400_000);

fn strategy(number: usize) -> FeatureStrategy {
    let strategy = json!({
        "name": "flexibleRollout",
        "parameters": { "groupId": format!("flag-{number}"), "rollout": "50", "stickiness": "userId" },
        "constraints": [{ "contextName": "region", "operator": "IN", "values": ["north", "south"] }],
    });
    serde_json::from_value(strategy).expect("a strategy")
}

/// Judging one flag of a thousand, and getting ready to.
fn evaluation(bench: &mut Criterion) {
    let flags: Vec<_> = (0..1000).map(|number| (format!("flag-{number}"), strategy(number))).collect();
    let rules = || {
        flags.iter().map(|(name, strategy)| Rule {
            name: name.clone(),
            enabled: true,
            strategies: vec![Condition::of(name, strategy, [])],
            ..Rule::default()
        })
    };
    let engine = Engine::new(rules(), NOW);
    let context = [("userId", "ada"), ("region", "north")].map(|(name, value)| (name.to_owned(), value.to_owned()));
    let asker = Asker::new(&Subject(context.into()), "production", NOW);
    bench.bench_function("read 1,000 rules", |bench| bench.iter(|| Engine::new(rules(), NOW)));
    bench.bench_function("judge a flag", |bench| bench.iter(|| engine.is_enabled(black_box("flag-500"), &asker)));
}

/// The flags of one browser among 5,000 features, by the engine alone and as they are judged for answers.
fn browser(bench: &mut Criterion) {
    let flags: Vec<_> = (0..5000).map(|number| (format!("flag-{number}"), strategy(number))).collect();
    let rules = || {
        flags.iter().enumerate().map(|(number, (name, strategy))| Rule {
            name: name.clone(),
            enabled: number % 3 > 0,
            strategies: vec![Condition::of(name, strategy, [])],
            ..Rule::default()
        })
    };
    let context = [("userId", "ada"), ("region", "north")].map(|(name, value)| (name.to_owned(), value.to_owned()));
    let asker = Asker::new(&Subject(context.into()), "production", NOW);
    let engine = Engine::new(rules(), NOW);
    bench.bench_function("judge 5,000 flags, the engine alone", |bench| {
        bench.iter(|| flags.iter().filter(|(name, _)| engine.judge(name, black_box(&asker)).0).count());
    });
    let mut parts = Parts::default();
    let set = FeatureSet::new(rules(), &mut parts, NOW);
    bench.bench_function("judge 5,000 flags, as for an answer", |bench| {
        bench.iter(|| {
            let mut results = parts.evaluate_for(black_box(&asker));
            flags.iter().enumerate().filter(|(place, (name, _))| set.judge(*place, name, &mut results).0).count()
        });
    });
}

/// Reading the filters of a search.
fn filters(bench: &mut Criterion) {
    bench.bench_function("read the filters of a search", |bench| {
        bench.iter(|| {
            let project = ValueFilter::parse(black_box("IS_ANY_OF:shop,team-000,team-001"));
            let tag = TagFilter::parse(black_box("INCLUDE_ALL_OF:team:golf,tier:tier-one"));
            let status = StatusFilter::parse(black_box(["production:enabled", "staging:disabled"]));
            let text = TextQuery::parse(black_box("carousel,basket"));
            (project.is_ok(), tag.is_ok(), status.is_ok(), text.is_ok())
        });
    });
}

/// A project's list of features, from text to rows and back.
fn rows(bench: &mut Criterion) {
    let environment = |name: &str| {
        json!({
            "name": name, "type": "production", "enabled": true, "sortOrder": 1, "variantCount": 0,
            "hasStrategies": true, "hasEnabledStrategies": true, "lastSeenAt": "2026-01-15T12:00:00.000Z",
        })
    };
    let feature = |number: usize| {
        json!({
            "name": format!("flag-{number}"), "type": "release", "project": "shop", "stale": false,
            "description": "for all shoppers who come back", "createdAt": "2026-01-15T12:00:00.000Z",
            "impressionData": false, "archived": false, "tags": [{ "type": "team", "value": "golf" }],
            "environments": [environment("development"), environment("staging"), environment("production")],
        })
    };
    let text = json!((0..250).map(feature).collect::<Vec<_>>()).to_string();
    let features: Vec<Feature> = serde_json::from_str(&text).expect("features");
    bench.bench_function("read 250 features", |bench| {
        bench.iter(|| serde_json::from_str::<Vec<Feature>>(black_box(&text)).expect("features"));
    });
    bench.bench_function("write 250 features", |bench| {
        bench.iter(|| serde_json::to_vec(black_box(&features)).expect("bytes"));
    });
}

/// Applying a JSON Patch to a feature.
fn patches(bench: &mut Criterion) {
    let before = FeatureDocument {
        name: "flag".to_owned(),
        description: None,
        kind: "release".to_owned(),
        project: "shop".to_owned(),
        stale: false,
        created_at: NOW,
        last_seen_at: None,
        impression_data: false,
        archived_at: None,
    };
    let ops = json!([
        { "op": "replace", "path": "/description", "value": "changed" },
        { "op": "add", "path": "/stale", "value": true },
        { "op": "copy", "from": "/name", "path": "/description" },
    ]);
    let ops = Vec::<PatchOp>::parse_from_json(Some(ops)).expect("operations");
    bench.bench_function("apply a patch", |bench| bench.iter(|| before.patched(black_box(&ops), NOW)));
}

/// The impact of a change request on ten features: a larger share, another value, other weights.
fn impact(bench: &mut Criterion) {
    let state = |rollout: &str, region: &str, weight: i64| {
        let feature = |number: usize| {
            let variant = |name: &str, weight: i64| json!({ "name": name, "weight": weight, "weightType": "fix", "stickiness": "default" });
            let variants = [variant("blue", weight), variant("red", 1000 - weight)];
            let strategy = json!({
                "name": "flexibleRollout",
                "parameters": { "groupId": format!("flag-{number}"), "rollout": rollout, "stickiness": "default" },
                "constraints": [{ "contextName": "region", "operator": "IN", "values": ["north", region] }],
                "variants": if number.is_multiple_of(2) { &variants[..] } else { &[] },
            });
            ConfiguredFeature {
                name: format!("flag-{number}"),
                enabled: true,
                strategies: vec![serde_json::from_value(strategy).expect("a strategy")],
                ..ConfiguredFeature::default()
            }
        };
        Configuration { features: (0..10).map(feature).collect(), segments: Vec::new() }
    };
    let (before, after) = (state("50", "south", 500), state("60", "west", 700));
    let names: Vec<String> = before.features.iter().map(|feature| feature.name.clone()).collect();
    bench.bench_function("impact on 10 features, 10,000 contexts", |bench| {
        bench.iter(|| {
            let (contexts, _) = made_contexts(&[&before, &after], MADE_CONTEXTS);
            compare("production", (black_box(&before), &after), &names, &contexts, NOW)
        });
    });
}

/// Cost of sampling for an evaluation: while nothing is kept, and while each hundredth context is.
fn sampling(bench: &mut Criterion) {
    let context = [("userId", "ada"), ("region", "north")].map(|(name, value)| (name.to_owned(), value.to_owned()));
    let subject = Subject(context.into());
    for every in [0, 100] {
        let samples = ContextSamples::every(every);
        bench.bench_function(&format!("offer a context as a sample, each of {every}"), |bench| {
            bench.iter(|| samples.offer("production", black_box(&subject), NOW));
        });
    }
}

criterion_group!(benches, evaluation, browser, impact, sampling, filters, rows, patches);
criterion_main!(benches);
