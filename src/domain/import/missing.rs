//! Objects that have to be made first for a data set to be imported.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::{ImportRequest, Known, LegalValue, content::MOST_LEGAL_VALUES};
use crate::{
    address::{self, Named},
    feature::Feature,
    naming, project, segment,
    strategy::FeatureStrategy,
};

/// Description of a segment that had to be made without its constraints. As long as it says so and has none, strategies
/// that come with an import and apply it are written disabled: they would always hold.
pub const PLACEHOLDER: &str = "Made by an import, which does not know its constraints: give it some. Strategies that an \
                               import brings for it are disabled as long as it has none.";

/// Whether the target of an import exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Existing {
    /// Whether the project does.
    pub project: bool,
    /// Whether the environment does.
    pub environment: bool,
}

/// Missing objects.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Missing {
    /// Whether the project has to be made.
    pub project: bool,
    /// Type of the environment, when that has to be made.
    pub environment_type: Option<&'static str>,
    /// Whether the environment has to be added to the project.
    pub connection: bool,
    /// Names of segments that do not exist.
    pub segments: Vec<String>,
    /// Feature types, by id.
    pub feature_types: Vec<String>,
    /// Custom strategy types.
    pub strategy_types: Vec<NewStrategyType>,
    /// Values that existing context fields lack, by field.
    pub legal_values: BTreeMap<String, Vec<LegalValue>>,
}

/// A custom strategy type, as far as its uses show it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NewStrategyType {
    /// Unique name.
    pub name: String,
    /// Description: empty, since an export has none.
    pub description: String,
    /// The parameters that the data set uses.
    pub parameters: Vec<NewParameter>,
}

/// A parameter of a custom strategy type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NewParameter {
    /// Its name.
    pub name: String,
    /// Always `string`: an export holds texts.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// Description: empty, since an export has none.
    pub description: String,
    /// Never: some use may do without.
    pub required: bool,
}

/// Works out what is missing, or says which name could not be given to what would be made.
pub fn missing(request: &ImportRequest, known: &Known, existing: Existing) -> Result<Missing, String> {
    let data = &request.data;
    if !existing.project {
        let judged = project::id::judge(&request.project);
        judged.map_err(|fault| format!("\"{}\" cannot be the id of a project: it {fault}.", request.project))?;
    }
    if !existing.environment {
        let name = &request.environment;
        if !naming::is_environment_name(name) {
            return Err(format!("\"{name}\" cannot be the name of an environment."));
        }
        let judged = address::judge(Named::Environment, name);
        judged.map_err(|fault| format!("\"{name}\" cannot be the name of an environment: it {fault}."))?;
    }
    let segments: BTreeSet<&String> = data.named_segments().iter().map(|segment| &segment.name).collect();
    let can_be_made = |name: &str| segment::is_name(name) && address::judge(Named::Segment, name).is_ok();
    let segments = segments.into_iter().filter(|name| !known.segments.contains_key(*name) && can_be_made(name));
    Ok(Missing {
        project: !existing.project,
        environment_type: (!existing.environment).then(|| environment_type(&request.environment)),
        connection: !known.uses_environment,
        segments: segments.cloned().collect(),
        feature_types: feature_types(&data.features, known),
        strategy_types: strategy_types(&data.feature_strategies, known),
        legal_values: legal_values(request, known)?,
    })
}

/// The type that an environment's name suggests.
fn environment_type(name: &str) -> &'static str {
    match name.to_ascii_lowercase().as_str() {
        "production" | "prod" | "live" => "production",
        "pre-production" | "preproduction" | "staging" | "stage" => "pre-production",
        "test" | "testing" | "qa" => "test",
        _ => "development",
    }
}

/// Types of which nothing but the id is known. Such features are never reported as potentially stale.
fn feature_types(features: &[Feature], known: &Known) -> Vec<String> {
    let used: BTreeSet<&String> = features.iter().filter_map(|feature| feature.kind.as_ref()).collect();
    let can_be_made = |id: &str| naming::is_url_friendly(id) && address::judge(Named::FeatureType, id).is_ok();
    let new = used.into_iter().filter(|id| !known.feature_types.contains(*id) && can_be_made(id));
    new.cloned().collect()
}

fn strategy_types(strategies: &[FeatureStrategy], known: &Known) -> Vec<NewStrategyType> {
    let mut parameters: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let can_be_made = |name: &str| naming::is_url_friendly(name) && address::judge(Named::StrategyType, name).is_ok();
    let is_new = |name: &str| !known.strategy_types.contains_key(name) && can_be_made(name);
    for strategy in strategies.iter().filter(|strategy| is_new(&strategy.name)) {
        let used = strategy.parameters.iter().flat_map(BTreeMap::keys).map(String::as_str);
        parameters.entry(&strategy.name).or_default().extend(used);
    }
    let parameter = |name: &str| NewParameter {
        name: name.to_owned(),
        kind: "string",
        description: String::new(),
        required: false,
    };
    let new_type = |(name, parameters): (&str, BTreeSet<&str>)| NewStrategyType {
        name: name.to_owned(),
        description: String::new(),
        parameters: parameters.into_iter().map(parameter).collect(),
    };
    parameters.into_iter().map(new_type).collect()
}

fn legal_values(request: &ImportRequest, known: &Known) -> Result<BTreeMap<String, Vec<LegalValue>>, String> {
    let mut lacking: BTreeMap<String, Vec<LegalValue>> = BTreeMap::new();
    for field in request.data.fields() {
        let Some(legal) = known.context_fields.get(&field.name) else { continue };
        let new: Vec<LegalValue> =
            field.legal().iter().filter(|value| !legal.contains(&value.value)).cloned().collect();
        if new.is_empty() {
            continue;
        }
        let name = &field.name;
        if let Some((index, member, rule)) = field.faulty_value(|value| legal.contains(value)) {
            return Err(format!("The context field {name} cannot get the legal value {index}: its {member} {rule}."));
        }
        if legal.len() + new.len() > MOST_LEGAL_VALUES {
            return Err(format!("The context field {name} may have at most {MOST_LEGAL_VALUES} legal values."));
        }
        lacking.insert(name.clone(), new);
    }
    Ok(lacking)
}
