//! flagd: flag files, one environment each, whose targeting is `JSONLogic`.

use flagstone_domain::ids::{EnvironmentName, ProjectId};
use serde_json::{Map, Value};

use super::{
    Document, Options,
    assemble::Found,
    comparison::{Otherwise, Test},
    condition::{Condition, Unsupported},
    flag::{Flag, Outcome, Rule, Rules, Ruling, Served, Split},
    jsonlogic::{Logic, attribute, operator},
    read::{distinct, field, metadata_tags, object, text},
};

pub(super) fn is(document: &Value) -> bool {
    let looks = |flag: &Value| {
        flag.get("state").is_some()
            || flag.get("defaultVariant").is_some()
            || flag.get("variants").is_some_and(Value::is_object)
    };
    match document.get("flags") {
        Some(Value::Object(flags)) => flags.values().all(looks),
        Some(Value::Array(flags)) => flags.first().is_some_and(looks),
        _ => false,
    }
}

pub(super) fn read(documents: &[Document<'_>], options: &Options) -> Found {
    let mut found = Found::default();
    for document in documents {
        let environment = document.environment.unwrap_or(&options.environment);
        found.environment(environment);
        let given = document.value.pointer("/metadata/flagSetId").and_then(Value::as_str).filter(|id| !id.is_empty());
        let project = given.unwrap_or(&options.project);
        found.project(project, project, None);
        let mut logic = Logic { key: "targetingKey", ..Logic::default() };
        let shared = document.value.get("$evaluators").and_then(Value::as_object).into_iter().flatten();
        logic.shared = shared.map(|(name, value)| (&**name, (value, None))).collect();
        let mut places = Vec::new();
        for (name, (value, _)) in &logic.shared {
            if Logic::is_condition(value) {
                logic.read.set(0);
                let when = logic.condition(value, 0).unwrap_or_else(Condition::Unsupported);
                places.push((*name, when));
            }
        }
        places.sort_by_key(|(name, _)| *name);
        for (name, when) in places {
            let place = found.segments.add(name.to_owned(), None, when);
            if let Some(shared) = logic.shared.get_mut(name) {
                shared.1 = Some(place);
            }
        }
        let (project, environment) = (ProjectId::new(project), EnvironmentName::new(environment));
        match document.value.get("flags") {
            Some(Value::Object(flags)) => {
                for (key, flag) in flags {
                    found.flags.push(read_flag(key, flag, project, environment, &logic));
                }
            }
            Some(Value::Array(flags)) => {
                for flag in flags {
                    let key = text(flag, "key").unwrap_or_default();
                    found.flags.push(read_flag(key, flag, project, environment, &logic));
                }
            }
            _ => {}
        }
    }
    found
}

fn read_flag(
    key: &str,
    flag: &Value,
    project: ProjectId<'_>,
    environment: EnvironmentName<'_>,
    logic: &Logic<'_>,
) -> Flag {
    logic.read.set(0);
    let metadata = flag.get("metadata").and_then(Value::as_object);
    let described = metadata.and_then(|metadata| metadata.get("description")).and_then(Value::as_str);
    let ruling = if text(flag, "state") == Some("DISABLED") {
        Ruling::Off
    } else {
        rules(key, flag, logic)
            .map_or_else(Ruling::Unsupported, |rules| Ruling::Rules(Rules { listed: rules, ..Rules::default() }))
    };
    Flag {
        key: key.to_owned(),
        project: project.as_str().to_owned(),
        description: described.map(str::to_owned),
        tags: metadata_tags(metadata),
        environments: vec![(environment.as_str().to_owned(), ruling)],
        ..Flag::default()
    }
}

fn rules(key: &str, flag: &Value, logic: &Logic<'_>) -> Result<Vec<Rule>, Unsupported> {
    if text(flag, "state").is_some_and(|state| state != "ENABLED") {
        return Err("its state is neither ENABLED nor DISABLED".to_owned());
    }
    let empty = Map::new();
    let variants = object(flag, "variants")?.unwrap_or(&empty);
    let default = match flag.get("defaultVariant") {
        None | Some(Value::Null) => None,
        Some(Value::String(name)) => Some(&**name),
        Some(_) => return Err("its default variant is no text".to_owned()),
    };
    let reading = Reading {
        key,
        names: distinct(variants.keys().cloned().collect()),
        boolean: variants.values().all(Value::is_boolean),
        variants,
        default,
        logic,
    };
    let mut rules = Vec::new();
    match flag.get("targeting") {
        None | Some(Value::Null) => rules.push(Rule::for_all(Outcome::Serve(reading.fallback()))),
        Some(Value::Object(map)) if map.is_empty() => rules.push(Rule::for_all(Outcome::Serve(reading.fallback()))),
        Some(targeting) => reading.flatten(targeting, &Condition::Always, 0, &mut rules)?,
    }
    Ok(rules)
}

/// Context in which the targeting of one flag is read.
struct Reading<'a> {
    key: &'a str,
    variants: &'a Map<String, Value>,
    /// Names for the variants here, in their order.
    names: Vec<String>,
    boolean: bool,
    default: Option<&'a str>,
    logic: &'a Logic<'a>,
}

impl Reading<'_> {
    /// A variant by its name. One that does not exist is an error there, so that the program's own value counts.
    fn served(&self, name: &str) -> Served {
        let Some(place) = self.variants.keys().position(|key| key == name) else { return Served::Off };
        match (&self.variants[name], self.boolean) {
            (Value::Bool(truth), true) => Served::truth(*truth),
            (value, _) => Served::value(&self.names[place], value),
        }
    }

    fn fallback(&self) -> Served {
        self.default.map_or(Served::Off, |name| self.served(name))
    }

    /// Returns the answer of a literal: the name of a variant, a truth for one of that name, or null for the default.
    fn literal(&self, value: &Value) -> Option<Served> {
        match value {
            Value::Null => Some(self.fallback()),
            Value::String(name) => Some(self.served(name)),
            Value::Bool(truth) => Some(self.served(if *truth { "true" } else { "false" })),
            _ => None,
        }
    }

    /// The rules of an expression, the last of which holds wherever `within` does.
    fn flatten(
        &self,
        value: &Value,
        within: &Condition,
        depth: usize,
        rules: &mut Vec<Rule>,
    ) -> Result<(), Unsupported> {
        self.logic.count(depth)?;
        let mut push = |when: Condition, then| {
            let when = match (within, when) {
                (Condition::Always, when) => when,
                (within, Condition::Always) => within.clone(),
                (within, when) => Condition::All(vec![within.clone(), when]),
            };
            rules.push(Rule { title: None, when, then });
        };
        if let Some(served) = self.literal(value) {
            push(Condition::Always, Outcome::Serve(served));
            return Ok(());
        }
        let (name, operands) = operator(value).ok_or("its targeting answers neither a variant nor null")?;
        match name {
            "if" | "?:" => {
                let mut rest = operands;
                while let [when, then, others @ ..] = rest {
                    let when = self.logic.condition(when, depth + 1).unwrap_or_else(Condition::Unsupported);
                    let inner = match within {
                        Condition::Always => when,
                        _ => Condition::All(vec![within.clone(), when]),
                    };
                    self.flatten(then, &inner, depth + 1, rules)?;
                    rest = others;
                }
                self.flatten(rest.first().unwrap_or(&Value::Null), within, depth + 1, rules)
            }
            "$ref" => self.flatten(self.logic.shared(operands)?.0, within, depth + 1, rules),
            "fractional" => {
                let split = self.fractional(operands)?;
                let by = split.by.clone();
                // Whoever lacks what the draw hangs on gets the default.
                if by == "userId" {
                    push(Condition::Always, Outcome::Split(split));
                } else {
                    push(field(&by, Test::IsThere, Otherwise::Unknown), Outcome::Split(split));
                    push(Condition::Always, Outcome::Serve(self.fallback()));
                }
                Ok(())
            }
            _ if Logic::is_condition(value) => {
                let when = self.logic.condition(value, depth + 1)?;
                push(when, Outcome::Serve(self.served("true")));
                push(Condition::Always, Outcome::Serve(self.served("false")));
                Ok(())
            }
            other => Err(format!("its targeting answers by the operator {other}")),
        }
    }

    fn fractional(&self, operands: &[Value]) -> Result<Split, Unsupported> {
        let (seed, buckets) = match operands {
            [first, ..] if first.is_array() => (None, operands),
            [first, buckets @ ..] => (Some(first), buckets),
            [] => return Err("a draw has no variants".to_owned()),
        };
        let (by, seed) = seed.map_or_else(|| Ok(("targetingKey", self.key)), |seed| self.seed(seed))?;
        let mut parts = Vec::new();
        for bucket in buckets {
            let (name, weight) = match bucket.as_array().map(Vec::as_slice) {
                Some([name]) => (name, 1.0),
                Some([name, weight]) => (name, weight.as_f64().ok_or("a weight is no number")?),
                _ => return Err("a part of a draw is no pair of variant and weight".to_owned()),
            };
            parts.push((self.literal(name).ok_or("a draw gives what is no variant")?, weight.max(0.0)));
        }
        if parts.iter().map(|(_, weight)| weight).sum::<f64>() <= 0.0 {
            parts = vec![(self.fallback(), 1.0)];
        }
        // A draw between values and nothing at all: those who get nothing are off.
        Ok(Split { by: self.logic.field(by)?, seed: Some(seed.to_owned()), parts, share: 1.0 })
    }

    /// The attribute that a draw hangs on, and the text before it.
    fn seed<'s>(&'s self, seed: &'s Value) -> Result<(&'s str, &'s str), Unsupported> {
        if let Some(attribute) = attribute(seed) {
            return Ok((attribute, self.key));
        }
        match operator(seed) {
            Some(("cat", [first, second])) => match (attribute(first), first.as_str(), attribute(second)) {
                (Some("$flagd.flagKey"), _, Some(by)) => Ok((by, self.key)),
                (_, Some(text), Some(by)) => Ok((by, text)),
                _ => Err("a draw hangs on more than one attribute".to_owned()),
            },
            _ => Err("a draw hangs on something that is no attribute".to_owned()),
        }
    }
}
