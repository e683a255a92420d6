//! Exports of everything about features, in the forms that others read.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use serde_json::{Value, json};

use super::write_file;
use crate::{
    cli::{Outcome, say},
    clock::Clock,
    domain::{
        actor::Actor, environment::Environment, event::NewEvent, event_kind::EventKind, import::ImportData,
        segment::Segment, strategy_type::StrategyType, visibility::Visibility,
    },
    files,
    moving_out::{self, Fitting, State, Target},
    store::{
        self,
        db::{Db, Tx},
        export::Wanted,
    },
};

/// Name of the file of the whole instance.
const STATE: &str = "state.json";
/// Names of the files that a version has to get before its features.
const SEGMENTS: &str = "segments.json";
const STRATEGY_TYPES: &str = "strategies.json";

/// Features of an instance with all that they need, as at one moment.
struct Held {
    projects: Vec<(String, String, Option<String>)>,
    environments: Vec<Environment>,
    strategy_types: Vec<StrategyType>,
    segments: Vec<Segment>,
    /// Exports by environment.
    exports: BTreeMap<String, ImportData>,
    /// Exports by project and environment.
    of_projects: BTreeMap<(String, String), ImportData>,
}

/// Writes everything as at one moment, in every form or in that of one version of Unleash. Nothing is written before
/// all of it is read.
pub(super) async fn write(db: &Db, directory: &Path, target: Option<Target>) -> Outcome {
    let tx = db.begin().await?;
    let held = Held::read(&tx).await?;
    // Each environment has all the features.
    let names = held.exports.values().next().map(ImportData::names).unwrap_or_default();
    let event = NewEvent::new(EventKind::FeaturesExported, &Actor::system()).with_data(&names);
    tx.commit(Clock::system().now(), [event]).await?;

    std::fs::create_dir_all(directory).map_err(|error| format!("cannot make {}: {error}", directory.display()))?;
    let count = match target {
        None => held.write_all(directory)?,
        Some(Target::Unleash5) => held.write_for_5(directory)?,
        Some(Target::Unleash6) => held.write_for_6(directory)?,
    };
    say(&format!("wrote {count} files into {}", directory.display()))?;
    Ok(())
}

type Written = Result<usize, Box<dyn std::error::Error + Send + Sync>>;

impl Held {
    async fn read(tx: &Tx) -> Result<Self, store::StoreError> {
        let everybody = Visibility::everything();
        let environments = store::environments::list(tx, &everybody).await?;
        let environments: Vec<_> = environments.into_iter().map(|counted| counted.environment).collect();
        let projects = store::projects::list::list(tx, false, &everybody).await?;
        let (mut exports, mut of_projects) = (BTreeMap::new(), BTreeMap::new());
        for environment in &environments {
            let all = store::export::export(tx, &Wanted::default(), &environment.name, &everybody).await?;
            exports.insert(environment.name.clone(), all);
            for project in &projects {
                let wanted = Wanted { project: Some(project.id.clone()), ..Wanted::default() };
                let data = store::export::export(tx, &wanted, &environment.name, &everybody).await?;
                if !data.features.is_empty() {
                    of_projects.insert((project.id.clone(), environment.name.clone()), data);
                }
            }
        }
        Ok(Self {
            projects: projects.into_iter().map(|project| (project.id, project.name, project.description)).collect(),
            environments,
            strategy_types: store::strategies::types::list(tx).await?,
            segments: store::segments::list(tx, &everybody).await?,
            exports,
            of_projects,
        })
    }

    /// Writes every form. Returns the number of files.
    fn write_all(self, directory: &Path) -> Written {
        let constraints: BTreeMap<_, _> =
            self.segments.iter().map(|segment| (segment.id, segment.constraints.clone())).collect();
        let state = moving_out::state(&State {
            projects: self.projects,
            environments: self.environments,
            strategy_types: self.strategy_types,
            segments: self.segments,
            exports: &self.exports,
        });
        write_file(&directory.join(STATE), &state)?;
        let mut names = Names::default();
        let count = 1 + self.of_projects.len() + self.exports.len();
        for ((project, environment), data) in &self.of_projects {
            write_file(&directory.join(names.next(&format!("{project}.{environment}"), ".json")), data)?;
        }
        for (environment, data) in &self.exports {
            let (document, told) = moving_out::flagd(data, environment, &constraints);
            write_file(&directory.join(names.next(environment, ".flagd.json")), &document)?;
            for line in told {
                say(&format!("{environment}, flagd: {line}"))?;
            }
        }
        Ok(count)
    }

    /// Writes the state of the instance for version 5, and reports the losses. Returns the number of files.
    fn write_for_5(mut self, directory: &Path) -> Written {
        let mut fitting = Fitting::new(Target::Unleash5, &self.segments);
        let fitted = self.exports.into_iter().map(|(environment, data)| {
            let data = fitting.fit(&environment, data);
            (environment, data)
        });
        let exports = fitted.collect();
        self.segments.retain(|segment| fitting.takes(segment));
        let state = moving_out::state_of_5(&State {
            projects: self.projects,
            environments: self.environments,
            strategy_types: moving_out::custom_types(self.strategy_types).collect(),
            segments: self.segments,
            exports: &exports,
        });
        write_file(&directory.join(STATE), &state)?;
        tell(Target::Unleash5, fitting)?;
        Ok(1)
    }

    /// Writes segments, strategy types, and the features of each project and environment for version 6, and reports the
    /// losses. Returns the number of files.
    fn write_for_6(self, directory: &Path) -> Written {
        let mut fitting = Fitting::new(Target::Unleash6, &self.segments);
        let mut names = Names::default();
        let count = 2 + self.of_projects.len();
        for ((project, environment), data) in self.of_projects {
            let data = fitting.fit(&environment, data);
            write_file(&directory.join(names.next(&format!("{project}.{environment}"), ".json")), &data)?;
        }
        let segments = self.segments.iter().filter(|segment| fitting.takes(segment)).map(|segment| {
            json!({
                "name": segment.name,
                "description": segment.description,
                "constraints": segment.constraints,
            })
        });
        write_file(&directory.join(SEGMENTS), &segments.collect::<Vec<Value>>())?;
        let types = moving_out::custom_types(self.strategy_types);
        let types = types
            .map(|kind| json!({ "name": kind.name, "description": kind.description, "parameters": kind.parameters }));
        write_file(&directory.join(STRATEGY_TYPES), &types.collect::<Vec<Value>>())?;
        tell(Target::Unleash6, fitting)?;
        Ok(count)
    }
}

fn tell(target: Target, fitting: Fitting) -> Outcome {
    for line in fitting.told() {
        say(&format!("{}: {line}", target.name()))?;
    }
    Ok(())
}

/// Names of files in one directory, no two of them alike.
#[derive(Default)]
struct Names(BTreeSet<String>);

impl Names {
    /// Returns a file name made of a text and an ending. It differs from all others also if case is ignored.
    fn next(&mut self, text: &str, ending: &str) -> String {
        let name = files::name_of(text);
        let numbered = |number: usize| if number == 1 { name.clone() } else { format!("{name}~{number}") };
        let free = (1..usize::MAX).map(|number| numbered(number) + ending).find(|name| {
            let folded = name.to_lowercase();
            folded != STATE && self.0.insert(folded)
        });
        free.expect("there are more numbers than files")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_in_their_directory_and_no_two_are_alike() {
        let mut names = Names::default();
        for (text, ending, expected) in [
            ("shop.production", ".json", "shop.production.json"),
            ("a.b.c", ".json", "a.b.c.json"),
            ("a.b.c", ".json", "a.b.c~2.json"),
            ("A.B.C", ".json", "A.B.C~3.json"),
            ("production.flagd", ".json", "production.flagd.json"),
            ("production", ".flagd.json", "production~2.flagd.json"),
            ("../up.production", ".json", "%2E.%2Fup.production.json"),
            ("state", ".json", "state~2.json"),
        ] {
            assert_eq!(names.next(text, ending), expected, "{text}");
        }
    }
}
