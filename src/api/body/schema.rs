//! Whether a body fits its published schema, and if not, in which place.

use std::{
    any::TypeId,
    collections::HashMap,
    fmt,
    sync::{Arc, LazyLock, RwLock},
};

use jsonschema::{PatternOptions, ValidationError, Validator, error::ValidationErrorKind};
use poem_openapi::{
    registry::Registry,
    types::{ParseFromJSON, Type},
};
use serde_json::{Value, json};

use crate::{
    domain::{log_level, patch, settings, strategy_id},
    error::{Error, Finding},
};

/// Most findings that one refusal lists.
const MAX_FINDINGS: usize = 20;

/// Selection of the findings that are listed. The checker collects every one before the first can be taken, and a large
/// body may have millions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Listing {
    /// The first alone.
    First,
    /// All findings.
    All,
}

/// The published schema of a type as JSON Schema, self-contained.
fn schema_of<T: Type>() -> Value {
    let mut registry = Registry::new();
    T::register(&mut registry);
    let root = serde_json::to_value(T::schema_ref()).expect("schemas serialise");
    let mut schema = json!({ "components": { "schemas": registry.schemas }, "allOf": [root] });
    admit_null(&mut schema);
    schema
}

/// Turns OpenAPI's `nullable` into JSON Schema, which has no such word.
fn admit_null(schema: &mut Value) {
    match schema {
        Value::Array(items) => items.iter_mut().for_each(admit_null),
        Value::Object(members) => {
            members.values_mut().for_each(admit_null);
            if members.remove("nullable") == Some(Value::Bool(true)) {
                let inner = Value::Object(std::mem::take(members));
                members.insert("anyOf".into(), json!([inner, { "type": "null" }]));
            }
        }
        _ => {}
    }
}

fn validator<T: Type + 'static>() -> Arc<Validator> {
    static COMPILED: LazyLock<RwLock<HashMap<TypeId, Arc<Validator>>>> = LazyLock::new(RwLock::default);
    let key = TypeId::of::<T>();
    if let Some(validator) = COMPILED.read().expect("no panic while compiling").get(&key) {
        return Arc::clone(validator);
    }
    let compiled = jsonschema::draft7::options()
        .should_validate_formats(true)
        .with_format("uuid", |text: &str| strategy_id::parse(text).is_some())
        .with_pattern_options(PatternOptions::regex())
        .build(&schema_of::<T>())
        .expect("published schemas compile");
    let compiled = Arc::new(compiled);
    COMPILED.write().expect("no panic while compiling").insert(key, Arc::clone(&compiled));
    compiled
}

/// Whether a value fits the published schema of `T`.
pub(super) fn fits<T: Type + 'static>(value: &Value) -> bool {
    validator::<T>().is_valid(value)
}

/// Compares a value with the published schema of `T`. `path` is its place in the body, such as `/body/data`.
pub(super) fn check<T: Type + 'static>(
    value: &Value,
    path: &(impl fmt::Display + ?Sized),
    listing: Listing,
) -> Result<(), Error> {
    let validator = validator::<T>();
    if validator.is_valid(value) {
        return Ok(());
    }
    let path = path.to_string();
    let told = |error: &ValidationError<'_>| closest(error, &path);
    let findings = match listing {
        Listing::First => distinct(validator.validate(value).err().iter().flat_map(told)),
        Listing::All => distinct(validator.iter_errors(value).flat_map(|error| told(&error))),
    };
    Err(Error::Validation(findings))
}

/// The first findings, each once: a union and its branch may have the same.
fn distinct(findings: impl Iterator<Item = Finding>) -> Vec<Finding> {
    let mut told = Vec::new();
    for finding in findings {
        if told.len() == MAX_FINDINGS {
            break;
        }
        if !told.contains(&finding) {
            told.push(finding);
        }
    }
    told
}

/// A value that has been compared with the schema, as its type.
pub(super) fn parsed<T: ParseFromJSON>(value: Value, path: &(impl fmt::Display + ?Sized)) -> Result<T, Error> {
    let parsed = T::parse_from_json(Some(value));
    parsed.map_err(|_| Error::property(path.to_string(), "does not fit its schema"))
}

/// Findings of an error; for a failed union, those of the branch that the value was most likely meant for.
fn closest(error: &ValidationError<'_>, root: &str) -> Vec<Finding> {
    match error.kind() {
        ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } => {
            if let Some(finding) = unknown_word(context, root) {
                return vec![finding];
            }
            let place = error.instance_path().as_str();
            let best = context.iter().min_by_key(|branch| total_cost(branch, place));
            match best {
                Some(branch) if !branch.is_empty() => complaints(branch, root),
                _ => vec![finding(error, root)],
            }
        }
        _ => vec![finding(error, root)],
    }
}

/// Findings of one branch. A value of the wrong type cannot be one of a list either; this is not repeated.
fn complaints(branch: &[ValidationError<'_>], root: &str) -> Vec<Finding> {
    let wrong_type = |error: &ValidationError<'_>| matches!(error.kind(), ValidationErrorKind::Type { .. });
    let repeats = |error: &ValidationError<'_>| {
        matches!(error.kind(), ValidationErrorKind::Enum { .. })
            && branch.iter().any(|other| wrong_type(other) && other.instance_path() == error.instance_path())
    };
    branch.iter().filter(|error| !repeats(error)).flat_map(|error| closest(error, root)).collect()
}

/// Finding about the word that decides between the branches of a union, where none of them has it.
fn unknown_word(context: &[Vec<ValidationError<'_>>], root: &str) -> Option<Finding> {
    let mut words = Vec::new();
    let mut place = None;
    for branch in context {
        let (at, options) = branch.iter().find_map(|error| match error.kind() {
            ValidationErrorKind::Enum { options } if error.instance().is_string() => Some((
                error.instance_path().as_str(),
                options.as_array().filter(|words| words.iter().all(Value::is_string))?,
            )),
            _ => None,
        })?;
        if *place.get_or_insert(at) != at {
            return None;
        }
        words.extend(options.iter().map(ToString::to_string));
    }
    let path = format!("{root}{}", place?);
    Some(Finding::property(path, format_args!("must be one of {}", words.join(", "))))
}

/// Cost of an error that says "other branch".
const OTHER_BRANCH: usize = 100;

/// Any number of mistakes in a branch says less than that it is another one.
fn total_cost(branch: &[ValidationError<'_>], place: &str) -> usize {
    let costs = branch.iter().map(|error| cost(error, place));
    let (others, mistakes): (Vec<usize>, Vec<usize>) = costs.partition(|cost| *cost >= OTHER_BRANCH);
    others.iter().sum::<usize>() + mistakes.iter().sum::<usize>().min(OTHER_BRANCH - 1)
}

/// A wrong tag, or another type in the place of the union, says "other branch"; anything else says "this branch, with a
/// mistake".
fn cost(error: &ValidationError<'_>, place: &str) -> usize {
    match error.kind() {
        ValidationErrorKind::Enum { .. } | ValidationErrorKind::Constant { .. } => OTHER_BRANCH,
        ValidationErrorKind::Type { .. } if error.instance_path().as_str() == place => OTHER_BRANCH,
        ValidationErrorKind::Type { kind } if format!("{kind:?}").contains("Null") => OTHER_BRANCH,
        ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } => {
            context.iter().map(|branch| total_cost(branch, place)).min().unwrap_or(1)
        }
        _ => 1,
    }
}

fn finding(error: &ValidationError<'_>, root: &str) -> Finding {
    let mut path = format!("{root}{}", error.instance_path().as_str());
    let reason = match error.kind() {
        ValidationErrorKind::Required { property } => {
            path.push('/');
            path.push_str(property.as_str().unwrap_or_default());
            "is required".to_owned()
        }
        ValidationErrorKind::AdditionalProperties { unexpected } => {
            if let Some(name) = unexpected.first() {
                path.push('/');
                path.push_str(name);
            }
            "is not a known property".to_owned()
        }
        _ => reason(error),
    };
    Finding::property(path, reason)
}

/// Reason without the submitted value: it may be a secret. Only the paths of a patch are none.
fn reason(error: &ValidationError<'_>) -> String {
    match error.kind() {
        ValidationErrorKind::Type { kind } => {
            let expected = match kind {
                jsonschema::error::TypeKind::Single(kind) => kind.to_string(),
                jsonschema::error::TypeKind::Multiple(kinds) => {
                    kinds.iter().map(|kind| kind.to_string()).collect::<Vec<_>>().join(" or ")
                }
            };
            format!("must be of type {expected}")
        }
        ValidationErrorKind::Enum { options } => {
            let allowed: Vec<String> = match options.as_array() {
                Some(options) => options.iter().map(ToString::to_string).collect(),
                None => vec![options.to_string()],
            };
            format!("must be one of {}", allowed.join(", "))
        }
        ValidationErrorKind::Minimum { limit } => format!("must be at least {}", plain(limit)),
        ValidationErrorKind::MultipleOf { multiple_of } => format!("must be a multiple of {multiple_of}"),
        ValidationErrorKind::Maximum { limit } => format!("must be at most {}", plain(limit)),
        ValidationErrorKind::MinLength { limit } => format!("must have at least {limit} characters"),
        ValidationErrorKind::MaxLength { limit } => format!("must have at most {limit} characters"),
        ValidationErrorKind::MinItems { limit } => format!("must have at least {limit} items"),
        ValidationErrorKind::MaxItems { limit } => format!("must have at most {limit} items"),
        ValidationErrorKind::MaxProperties { limit } => format!("must have at most {limit} properties"),
        ValidationErrorKind::Pattern { pattern } => {
            let told = error.instance().as_str().and_then(|text| patch::unmatched(pattern, text));
            let told = told.or_else(|| log_level::unmatched(pattern)).or_else(|| settings::unmatched(pattern));
            told.unwrap_or_else(|| format!("must match the pattern {pattern}"))
        }
        ValidationErrorKind::Format { format } => format!("must be a valid {format}"),
        _ => "does not fit its schema".to_owned(),
    }
}

/// A number as people write it: the schema has whole ones as `1.0`, too.
fn plain(limit: &Value) -> String {
    limit.as_f64().map_or_else(|| limit.to_string(), |limit| limit.to_string())
}
