//! Files of other products that somebody moves in from.

use std::sync::LazyLock;

use flagstone::{
    domain::{project::DEFAULT_PROJECT, time::Timestamp},
    moving_in::{
        files::{Format, Options, SourceFile, read},
        judge,
    },
};
use serde_json::Value;

use crate::document::{document, seeds};

static SEEDS: LazyLock<Vec<Value>> = LazyLock::new(|| seeds("moving_in"));

const NOW: Timestamp = Timestamp::from_millis(1_768_478_400_000);

/// Whatever a file holds: it is refused, or read into a set in which everything has its place.
pub fn files_are_read_or_refused(input: &[u8]) {
    let near = document(input, &SEEDS).to_string();
    for (name, bytes) in [("flags.json", near.as_bytes()), ("flags.yaml", input), ("flags.toml", input)] {
        let file = SourceFile { name, environment: None, bytes };
        let Ok(Some(format)) = Format::detect(&file) else { continue };
        let options = Options { project: "default".to_owned(), environment: "production".to_owned(), now: NOW };
        let Ok((set, findings)) = read(format, &[file], &options) else { continue };
        let judged = judge(set, findings);
        for feature in &judged.set.features {
            // Where it does not come over, each instance has its own.
            let is_there = feature.project == DEFAULT_PROJECT
                || judged.set.projects.iter().any(|project| project.id == feature.project);
            assert!(is_there, "{} has no project", feature.name);
            for here in &feature.environments {
                let known = judged.set.environments.iter().any(|environment| environment.name == here.environment);
                assert!(known, "{} is in no environment", feature.name);
                for id in here.strategies.iter().flat_map(|strategy| &strategy.segments) {
                    assert!(
                        judged.set.segments.iter().any(|segment| segment.id == *id),
                        "{} lost a segment",
                        feature.name
                    );
                }
            }
        }
    }
}
