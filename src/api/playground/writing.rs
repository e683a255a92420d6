//! The answer, written feature by feature: it repeats each context and each strategy for each evaluation, so as a whole
//! it would take many times the memory of what it is made of.

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;

use super::{
    AdvancedPlaygroundRequestBody, PlaygroundRequestBody, Run,
    outcome::{AdvancedResultBody, ResultBody},
};
use crate::{
    api::http::{Gone, StreamWriter},
    domain::{
        evaluation::ConfiguredFeature,
        ids::{FeatureName, ProjectId},
        strategy::FeatureStrategy,
    },
    evaluation::playground::{Playground, PlaygroundFor},
};

/// Bytes of an evaluation in the answer, about, without names and configured parts.
const EVALUATION_BYTES: usize = 300;
/// Bytes of a strategy in the answer, about, with its link and without names and configured parts.
const STRATEGY_BYTES: usize = 250;

/// A [`super::PlaygroundResponseBody`].
pub(super) fn write_once(writer: &mut StreamWriter, input: &PlaygroundRequestBody, run: &Run) -> Result<(), Gone> {
    begin(writer.text(), input);
    let mut list = List::default();
    for (environment, features) in &run.environments {
        let playground = Playground::new(environment, features, &run.segments, run.now);
        for subject in &run.subjects {
            let evaluation = playground.evaluate_for(subject);
            for index in 0..features.len() {
                list.item(writer.text(), &ResultBody::of(&evaluation.judge(index), environment));
                writer.pause()?;
            }
        }
    }
    writer.text().extend_from_slice(b"]}");
    Ok(())
}

/// An [`super::AdvancedPlaygroundResponseBody`].
pub(super) fn write_all(
    writer: &mut StreamWriter,
    input: &AdvancedPlaygroundRequestBody,
    run: &Run,
) -> Result<(), Gone> {
    begin(writer.text(), input);
    let playgrounds: Vec<Playground<'_>> = run
        .environments
        .iter()
        .map(|(name, features)| Playground::new(name, features, &run.segments, run.now))
        .collect();
    let evaluations: Vec<Vec<PlaygroundFor<'_, '_>>> = playgrounds
        .iter()
        .map(|playground| run.subjects.iter().map(|one| playground.evaluate_for(one)).collect())
        .collect();
    let mut list = List::default();
    for (name, places) in places(run) {
        list.separate(writer.text());
        let project = places.values().next().map_or("", |(_, feature, _)| &*feature.project);
        open_feature(writer.text(), FeatureName::new(name), ProjectId::new(project));
        let mut environments = List::default();
        for (environment, (place, _, index)) in places {
            environments.separate(writer.text());
            append(writer.text(), environment);
            writer.text().extend_from_slice(b":[");
            let mut results = List::default();
            for (evaluation, subject) in evaluations[place].iter().zip(&run.subjects) {
                let result = AdvancedResultBody::of(&evaluation.judge(index), environment, subject);
                results.item(writer.text(), &result);
                writer.pause()?;
            }
            writer.text().push(b']');
        }
        writer.text().extend_from_slice(b"}}");
    }
    writer.text().extend_from_slice(b"]}");
    Ok(())
}

/// Places of a feature: by environment, the place of that in the run, the feature, and its place there.
type Places<'a> = BTreeMap<&'a str, (usize, &'a ConfiguredFeature, usize)>;

/// Places of every feature of the run, by name.
fn places(run: &Run) -> BTreeMap<&str, Places<'_>> {
    let mut places: BTreeMap<&str, Places<'_>> = BTreeMap::new();
    for (place, (environment, features)) in run.environments.iter().enumerate() {
        for (index, feature) in features.iter().enumerate() {
            places.entry(&feature.name).or_default().insert(environment, (place, feature, index));
        }
    }
    places
}

fn begin(text: &mut Vec<u8>, input: &impl Serialize) {
    text.extend_from_slice(b"{\"input\":");
    append(text, input);
    text.extend_from_slice(b",\"features\":[");
}

fn open_feature(text: &mut Vec<u8>, name: FeatureName<'_>, project: ProjectId<'_>) {
    text.extend_from_slice(b"{\"name\":");
    append(text, name.as_str());
    text.extend_from_slice(b",\"projectId\":");
    append(text, project.as_str());
    text.extend_from_slice(b",\"environments\":{");
}

fn append<T: Serialize + ?Sized>(text: &mut Vec<u8>, value: &T) {
    serde_json::to_writer(text, value).expect("answers have string keys and finite numbers");
}

/// Separators between the items of a list or the members of an object.
#[derive(Default)]
struct List {
    has_items: bool,
}

impl List {
    fn separate(&mut self, text: &mut Vec<u8>) {
        if std::mem::replace(&mut self.has_items, true) {
            text.push(b',');
        }
    }

    fn item(&mut self, text: &mut Vec<u8>, item: &impl Serialize) {
        self.separate(text);
        append(text, item);
    }
}

/// Estimated bytes of the answer, without the contexts.
pub(super) fn answer_bytes(run: &Run) -> usize {
    let mut scratch = Vec::new();
    let mut bytes_of = |write: &dyn Fn(&mut Vec<u8>)| {
        scratch.clear();
        write(&mut scratch);
        scratch.len()
    };
    let segments: HashMap<i64, usize> = run
        .segments
        .iter()
        .map(|segment| (segment.id, segment.name.len() + bytes_of(&|text| append(text, &segment.constraints))))
        .collect();
    let mut each = 0;
    for (environment, features) in &run.environments {
        for feature in features {
            let names = feature.name.len() + feature.project.len() + environment.len();
            let mut of_strategy = |strategy: &FeatureStrategy| {
                let ids = strategy.segments.iter().flatten().filter_map(|id| id.whole());
                let used: usize = ids.filter_map(|id| segments.get(&id)).sum();
                // Variants are written with the strategy, and with the feature when it is the one that decides.
                let told =
                    bytes_of(&|text| append(text, strategy)) + bytes_of(&|text| append(text, &strategy.variants));
                STRATEGY_BYTES + names + used + told
            };
            each += EVALUATION_BYTES + names + feature.strategies.iter().map(&mut of_strategy).sum::<usize>();
            each += bytes_of(&|text| append(text, &feature.variants));
        }
    }
    each.saturating_mul(run.subjects.len())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::{Value, json};
    use tokio::sync::Semaphore;

    use super::*;
    use crate::{
        api::{
            http::written,
            playground::{AdvancedFeatureBody, AdvancedPlaygroundResponseBody, PlaygroundResponseBody},
        },
        domain::{
            evaluation::{Choices, KnownSegment, Subject},
            feature::Dependency,
            time::Timestamp,
        },
    };

    fn feature(name: &str, parent: Option<&str>) -> ConfiguredFeature {
        let strategies = json!([
            {
                "id": "8d2b5f9e-4f8f-4c8e-9d4f-6c1a3b1f0a11", "name": "flexibleRollout", "title": "a \"title\"",
                "parameters": { "rollout": "50", "stickiness": "userId", "groupId": name },
                "constraints": [{ "contextName": "tier", "operator": "IN", "values": ["gold", "ä\n"] }],
                "segments": [1],
                "variants": [{ "name": "red", "weight": 1000, "weightType": "variable", "stickiness": "default",
                    "payload": { "type": "string", "value": "#f00" } }],
            },
            { "name": "ownStrategy", "disabled": true },
        ]);
        let dependency = |parent: &str| Dependency { feature: parent.to_owned(), enabled: None, variants: None };
        ConfiguredFeature {
            name: name.to_owned(),
            project: "shop".to_owned(),
            enabled: true,
            strategies: serde_json::from_value(strategies).expect("strategies"),
            variants: serde_json::from_value(json!([{ "name": "own", "weight": 1000 }])).expect("variants"),
            dependencies: parent.map(dependency).into_iter().collect(),
        }
    }

    /// Features of two environments for some contexts, and the input that asks for them.
    fn run(features: usize) -> (Run, Value) {
        let constraint = json!({ "contextName": "userId", "operator": "STR_ENDS_WITH", "values": ["1", "2"] });
        let segment = serde_json::from_value(constraint).expect("a constraint");
        let input =
            json!({ "appName": "web", "userId": "1,2,3,14", "properties": { "tier": "gold,tin", "x": "\u{1}" } });
        let lists = [("appName", "web"), ("userId", "1,2,3,14"), ("tier", "gold,tin"), ("x", "\u{1}")];
        let lists = Subject(lists.map(|(name, value)| (name.to_owned(), value.to_owned())).into());
        let named = |environment: &str, step: usize| {
            let features = (0..features).step_by(step).map(|number| {
                feature(&format!("f{number:04}"), (number % 3 == 1).then(|| format!("f{:04}", number - 1)).as_deref())
            });
            (environment.to_owned(), features.collect::<Vec<_>>())
        };
        let run = Run {
            environments: vec![named("production", 1), named("development", 2)],
            segments: vec![KnownSegment { id: 1, name: "some".to_owned(), constraints: vec![segment] }],
            subjects: Choices::of(&lists, 100).expect("some").subjects(),
            now: Timestamp::from_millis(0),
        };
        (run, input)
    }

    async fn text(write: impl FnOnce(&mut StreamWriter) -> Result<(), Gone> + Send + 'static) -> String {
        let answer = written(&Arc::new(Semaphore::new(1)), (), write).await.expect("an answer");
        answer.into_body().into_string().await.expect("the whole")
    }

    fn body<T: poem_openapi::types::ParseFromJSON>(body: Value) -> T {
        T::parse_from_json(Some(body)).ok().expect("a body")
    }

    #[tokio::test]
    async fn the_text_is_that_of_the_whole_answer() {
        for count in [0, 1, 7, 40] {
            let (run, context) = run(count);
            let mut results: BTreeMap<&str, AdvancedFeatureBody> = BTreeMap::new();
            for (environment, features) in &run.environments {
                let playground = Playground::new(environment, features, &run.segments, run.now);
                for subject in &run.subjects {
                    for outcome in playground.judge(subject) {
                        let entry = results.entry(&outcome.feature.name).or_insert_with(|| AdvancedFeatureBody {
                            name: outcome.feature.name.clone(),
                            project_id: outcome.feature.project.clone(),
                            environments: BTreeMap::new(),
                        });
                        let result = AdvancedResultBody::of(&outcome, environment, subject);
                        entry.environments.entry(environment.clone()).or_default().push(result);
                    }
                }
            }
            let input: AdvancedPlaygroundRequestBody =
                body(json!({ "environments": ["production", "development"], "projects": "*", "context": context }));
            let features = results.into_values().collect();
            let whole = AdvancedPlaygroundResponseBody { input: input.clone(), features };
            let whole = serde_json::to_string(&whole).expect("JSON");
            let expected = answer_bytes(&run);
            assert!(whole.len() < expected * 2 + 1000, "{expected} for {}", whole.len());
            assert!(expected < whole.len() * 2 + 1000, "{expected} for {}", whole.len());
            assert_eq!(text(move |writer| write_all(writer, &input, &run)).await, whole);
        }
    }

    #[tokio::test]
    async fn the_text_is_that_of_the_whole_answer_for_one_context() {
        for count in [0, 1, 60] {
            let (mut run, context) = run(count);
            run.environments.truncate(1);
            run.subjects.truncate(1);
            let (environment, features) = &run.environments[0];
            let playground = Playground::new(environment, features, &run.segments, run.now);
            let judged = playground.judge(&run.subjects[0]);
            let features = judged.iter().map(|outcome| ResultBody::of(outcome, environment)).collect();
            let input: PlaygroundRequestBody = body(json!({ "environment": "production", "context": context }));
            let whole = PlaygroundResponseBody { input: input.clone(), features };
            let whole = serde_json::to_string(&whole).expect("JSON");
            assert_eq!(text(move |writer| write_once(writer, &input, &run)).await, whole);
        }
    }
}
