//! Features as a server serves them to programs, in whichever of its forms.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use flagstone_domain::{
    client_feature::ClientFeature,
    constraint::Constraint,
    repair::{self, Repair, Repairs},
    time::Timestamp,
};
use flagstone_evaluation::{Engine, Rule};
use serde_json::{Map, Value};

/// Stickiness by which all are drawn by chance each time.
const BY_CHANCE: &str = "random";

/// Members of a feature that take no part in its evaluation.
const BESIDES: [&str; 6] = ["lastSeenAt", "createdAt", "description", "id", "title", "sortOrder"];

/// The answer to a program that asks for features.
#[derive(Debug)]
pub struct Served {
    environment: String,
    features: BTreeMap<String, ClientFeature>,
    segments: HashMap<i64, Vec<Constraint>>,
    /// Each feature in the one form in which two are compared.
    plain: BTreeMap<String, Value>,
    repairs: Vec<Repair>,
}

impl Served {
    /// Reads an answer. The error says what it is not.
    pub fn read(answer: &[u8]) -> Result<Self, String> {
        let repairs = Repairs::default();
        let answer = repairs.parse("features", answer, |_| "some of them".to_owned());
        let answer = answer.map_err(|error| format!("the answer is no JSON: {error}"))?;
        let Some(listed) = answer["features"].as_array() else {
            return Err("the answer lists no features: is it a server of feature flags?".to_owned());
        };
        let mut served = Self {
            environment: answer["query"]["environment"].as_str().unwrap_or_default().to_owned(),
            features: BTreeMap::new(),
            segments: HashMap::new(),
            plain: BTreeMap::new(),
            repairs: Vec::new(),
        };
        for segment in answer["segments"].as_array().into_iter().flatten() {
            if let Some(segment) = repair::client_segment(&with_id(plain(segment), segment), &repairs) {
                served.segments.insert(segment.id, segment.constraints);
            }
        }
        for feature in listed {
            let mut form = plain(feature);
            let Some(read) = repair::client_feature(&form, &served.environment, &repairs) else { continue };
            let name = read.name.clone();
            served.features.insert(name.clone(), read);
            // Ids of segments may differ, what they say may not.
            for strategy in form.get_mut("strategies").and_then(Value::as_array_mut).into_iter().flatten() {
                served.write_segments_out(strategy);
            }
            served.plain.insert(name, form);
        }
        served.repairs = repairs.into_all();
        Ok(served)
    }

    /// Returns what a server answers that serves these features in an environment.
    pub fn of(environment: &str, features: &[ClientFeature], segments: &BTreeMap<i64, Vec<Constraint>>) -> Self {
        let plain = features
            .iter()
            .map(|feature| (feature.name.clone(), plain(&serde_json::to_value(feature).unwrap_or_default())));
        Self {
            environment: environment.to_owned(),
            plain: plain.collect(),
            features: features.iter().map(|feature| (feature.name.clone(), feature.clone())).collect(),
            segments: segments.iter().map(|(id, constraints)| (*id, constraints.clone())).collect(),
            repairs: Vec::new(),
        }
    }

    fn write_segments_out(&self, strategy: &mut Value) {
        let Some(members) = strategy.as_object_mut() else { return };
        let Some(ids) = members.remove("segments") else { return };
        let segments = ids.as_array().into_iter().flatten().filter_map(|id| self.segments.get(&id.as_i64()?));
        let mut said: Vec<Value> =
            segments.map(|said| plain(&serde_json::to_value(said).unwrap_or_default())).collect();
        // All of them must hold, in whatever order.
        said.sort_by_key(Value::to_string);
        members.insert("segments".to_owned(), Value::Array(said));
    }

    /// Name of the environment, as far as the answer has it.
    pub fn environment(&self) -> &str {
        &self.environment
    }

    /// Names of all features.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.plain.keys().map(String::as_str)
    }

    /// Whether there is such a feature.
    pub fn has(&self, name: &str) -> bool {
        self.plain.contains_key(name)
    }

    /// Values that were put right or left out to read the answer.
    pub fn repairs(&self) -> &[Repair] {
        &self.repairs
    }

    /// Returns the members of a feature that differ from those of another server. None when none do, or one server has
    /// no such feature.
    pub fn differing_members(&self, other: &Self, name: &str) -> Vec<String> {
        let (Some(one), Some(other)) = (self.plain.get(name), other.plain.get(name)) else { return Vec::new() };
        let members = [one, other].into_iter().filter_map(Value::as_object).flat_map(Map::keys);
        let both: BTreeSet<&String> = members.collect();
        both.into_iter().filter(|member| one.get(member) != other.get(member)).cloned().collect()
    }

    /// Features of which chance decides.
    pub fn by_chance(&self) -> BTreeSet<String> {
        let random = |feature: &&ClientFeature| {
            let strategies = feature.strategies.iter();
            let of_strategies = strategies.clone().any(|strategy| {
                strategy.parameters.get("stickiness").is_some_and(|stickiness| stickiness == BY_CHANCE)
                    || strategy.name == "gradualRolloutRandom"
                    || strategy.variants.iter().any(|variant| variant.stickiness == BY_CHANCE)
            });
            of_strategies || feature.variants.iter().any(|variant| variant.stickiness.as_deref() == Some(BY_CHANCE))
        };
        self.features.values().filter(random).map(|feature| feature.name.clone()).collect()
    }

    /// All constraints, of segments too.
    pub(super) fn constraints(&self) -> impl Iterator<Item = &Constraint> {
        let strategies = self.features.values().flat_map(|feature| &feature.strategies);
        strategies.flat_map(|strategy| &strategy.constraints).chain(self.segments.values().flatten())
    }

    /// The values of a parameter of strategies, which lists them with commas.
    pub(super) fn listed(&self, parameter: &str) -> BTreeSet<String> {
        let strategies = self.features.values().flat_map(|feature| &feature.strategies);
        let lists = strategies.filter_map(|strategy| strategy.parameters.get(parameter));
        let values = lists.flat_map(|list| list.split(',')).map(|value| value.trim().to_owned());
        values.filter(|value| !value.is_empty()).collect()
    }

    /// Context fields that shares stick to.
    pub(super) fn stickiness(&self) -> BTreeSet<&str> {
        let strategies = || self.features.values().flat_map(|feature| &feature.strategies);
        let of_strategies = strategies().filter_map(|strategy| strategy.parameters.get("stickiness"));
        let of_variants = strategies().flat_map(|strategy| &strategy.variants).map(|variant| &variant.stickiness);
        let of_features = self.features.values().flat_map(|feature| &feature.variants);
        let of_features = of_features.filter_map(|variant| variant.stickiness.as_ref());
        of_strategies.chain(of_variants).chain(of_features).map(String::as_str).collect()
    }

    pub(super) fn engine(&self, now: Timestamp) -> Engine {
        let segment = |id| self.segments.get(&id).map(Vec::as_slice);
        Engine::new(self.features.values().map(|feature| Rule::of_client(feature, segment)), now)
    }
}

/// A segment with its id, which says nothing by itself.
fn with_id(mut form: Value, segment: &Value) -> Value {
    if let (Some(members), Some(id)) = (form.as_object_mut(), segment.get("id")) {
        members.insert("id".to_owned(), id.clone());
    }
    form
}

/// Returns a value without its insignificant parts: nulls, empty lists and texts, `false` where absent is false, and
/// order of members.
fn plain(value: &Value) -> Value {
    match value {
        Value::Array(items) => Value::Array(items.iter().map(plain).collect()),
        Value::Object(members) => {
            let members = members.iter().filter(|(name, _)| !BESIDES.contains(&name.as_str()));
            let members = members.map(|(name, value)| (name.clone(), plain(value)));
            let said = members.filter(|(name, value)| match value {
                Value::Null => false,
                Value::Array(items) => !items.is_empty() || name == "constraints",
                Value::Bool(truth) => *truth || name == "enabled",
                Value::Object(members) => !members.is_empty(),
                Value::String(text) => !(name == "value" && text.is_empty()),
                Value::Number(_) => true,
            });
            Value::Object(said.collect::<Map<_, _>>())
        }
        other => other.clone(),
    }
}
