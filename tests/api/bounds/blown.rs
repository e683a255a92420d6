//! A body once for each text, list and map that it can hold, with that one blown up.

use flagstone::api::document::DOCUMENT;
use serde_json::{Map, Value, json};

/// Characters of a text, and bytes of a list or map, that are too many for anything.
pub const LONG: usize = 120_000;

/// Made up for each id that is a UUID.
pub const MADE_UP_ID: &str = "00000000-0000-4000-8000-000000000000";

/// Words of a property that other properties may depend on. Those of events are many more.
const MOST_WORDS: usize = 20;

/// A body in which one thing is too large.
pub struct Blown {
    pub body: Value,
    /// Place in words, for people.
    pub place: String,
    /// The property that a refusal must name.
    pub property: String,
    /// Whether the document allows anything there, so that it can also be ignored.
    pub is_free: bool,
}

/// All such bodies of a schema. `base` is a body that is taken as it is; what it leaves out is taken from `example`, or
/// made up.
pub fn blow_up(schema: &'static Value, base: Option<&Value>, example: &Value) -> Vec<Blown> {
    let mut found = Vec::new();
    let body = base.unwrap_or(example);
    let walk = Walk { schema, value: body.clone(), example: example.clone(), place: String::new(), property: "/body" };
    walk.descend(&mut |place, property, body| {
        let is_free = place.contains(FREE);
        found.push(Blown { body, place: place.to_owned(), property: property.to_owned(), is_free });
    });
    found
}

/// Stands in the place of what may be anything.
const FREE: &str = "(any";

/// One value of a body.
struct Walk<'a> {
    schema: &'static Value,
    value: Value,
    example: Value,
    place: String,
    property: &'a str,
}

/// Takes where something is, what it is called, and the value around it in which it is blown up.
type See<'a> = &'a mut dyn FnMut(&str, &str, Value);

impl Walk<'_> {
    fn descend(&self, see: See<'_>) {
        let schema = resolved(self.schema);
        let branches = ["oneOf", "anyOf"].iter().filter_map(|key| schema[key].as_array()).flatten();
        for branch in branches {
            let value = if fits(branch, &self.value) { self.value.clone() } else { alike(branch, &self.value) };
            Walk { schema: branch, value, example: Value::Null, ..self.again() }.descend(see);
        }
        match schema["type"].as_str() {
            Some("string") => self.text(schema, see),
            Some("array") => self.list(&schema["items"], schema, see),
            Some("object") => {
                self.members(schema, see);
                if schema["properties"].is_null() {
                    self.map(schema, see);
                }
            }
            None if schema["oneOf"].is_null() && schema["anyOf"].is_null() => self.anything(see),
            _ => {}
        }
    }

    fn again(&self) -> Walk<'_> {
        let (value, example) = (self.value.clone(), self.example.clone());
        Walk { schema: self.schema, value, example, place: self.place.clone(), ..*self }
    }

    fn text(&self, schema: &Value, see: See<'_>) {
        let length = schema["maxLength"].as_u64().map_or(LONG, |most| usize::try_from(most).expect("fits") + 1);
        // A number may have any number of digits, a version as well.
        for (kind, text) in [
            ("letters", "x".repeat(length)),
            ("digits", "1".repeat(length)),
            ("version", format!("{}.1.1", "1".repeat(length))),
        ] {
            see(&format!("{} ({kind})", self.place), self.property, Value::String(text));
        }
    }

    fn list(&self, items: &'static Value, schema: &Value, see: See<'_>) {
        let first = |value: &Value| value.get(0).cloned();
        let item = first(&self.value).or_else(|| first(&self.example)).unwrap_or_else(|| made_up(items));
        let bytes = item.to_string().len() + 1;
        let many = schema["maxItems"].as_u64().map_or(LONG / bytes, |most| usize::try_from(most).expect("fits") + 1);
        see(&format!("{}[…]", self.place), self.property, Value::Array(vec![item.clone(); many]));
        let example = first(&self.example).unwrap_or_default();
        let place = format!("{}[]", self.place);
        Walk { schema: items, value: item, example, place, ..*self }
            .descend(&mut |place, property, item| see(place, property, json!([item])));
    }

    /// Each property alone, and again for each word of those that have a few: another operator asks for another value.
    /// What it holds of other objects is none of the word's business.
    fn members(&self, schema: &'static Value, see: See<'_>) {
        let Some(properties) = schema["properties"].as_object() else { return };
        let base = self.value.as_object().cloned().unwrap_or_else(|| required(schema));
        let mut variants = vec![(String::new(), base.clone())];
        for (name, property) in properties {
            let words = resolved(property)["enum"].as_array().map(Vec::as_slice).unwrap_or_default();
            let decides = (2..=MOST_WORDS).contains(&words.len());
            for word in words.iter().filter(|word| decides && base.get(name) != Some(*word)) {
                let mut variant = base.clone();
                variant.insert(name.clone(), word.clone());
                if name == "operator" {
                    variant.extend(operand_of(word));
                }
                variants.push((format!("<{word}>"), variant));
            }
        }
        for (kind, variant) in &variants {
            for (name, property) in
                properties.iter().filter(|(_, property)| kind.is_empty() || !holds_objects(property))
            {
                let example = self.example.get(name).cloned().unwrap_or_default();
                let given = variant.get(name).filter(|given| !given.is_null()).cloned();
                let value = given.or_else(|| Some(example.clone()).filter(|example| !example.is_null()));
                let value = value.unwrap_or_else(|| made_up(property));
                let place = format!("{}{kind}.{name}", self.place);
                Walk { schema: property, value, example, place, property: name }.descend(&mut |place, named, value| {
                    let mut object = variant.clone();
                    object.insert(name.clone(), value);
                    see(place, named, Value::Object(object));
                });
            }
        }
    }

    fn map(&self, schema: &'static Value, see: See<'_>) {
        let values = &schema["additionalProperties"];
        let value = if values.is_object() { made_up(values) } else { json!("ab") };
        let known = self.value.as_object().cloned().unwrap_or_default();
        let with = |name: String, value: Value| {
            let mut map = known.clone();
            map.insert(name, value);
            Value::Object(map)
        };
        let many: Map<String, Value> = (0..LONG / 20).map(|number| (format!("n{number}"), value.clone())).collect();
        let kind = if values.is_object() { "" } else { " (any)" };
        see(&format!("{}{{…}}{kind}", self.place), self.property, Value::Object(many));
        see(&format!("{}{{name}}{kind}", self.place), self.property, with("n".repeat(LONG), value.clone()));
        let place = format!("{}{{}}", self.place);
        if values.is_object() {
            let example = Value::Null;
            Walk { schema: values, value, example, place, ..*self }.descend(&mut |place, property, value| {
                see(place, property, with("one".to_owned(), value));
            });
        } else {
            let free = Walk { schema: &Value::Null, value, example: Value::Null, place, ..*self };
            free.anything(&mut |place, property, value| see(place, property, with("one".to_owned(), value)));
        }
    }

    /// Any JSON at all.
    fn anything(&self, see: See<'_>) {
        let place = |what: &str| format!("{} {FREE} {what})", self.place);
        see(&place("text"), self.property, Value::String("x".repeat(LONG)));
        see(&place("list"), self.property, Value::Array(vec![json!(1); LONG / 2]));
        let members = (0..LONG / 10).map(|number| (format!("n{number}"), json!(1)));
        see(&place("object"), self.property, Value::Object(members.collect()));
    }
}

/// Whether it is an object with properties of its own, or a list of such.
fn holds_objects(schema: &'static Value) -> bool {
    let schema = resolved(schema);
    if schema["type"] == "array" { holds_objects(&schema["items"]) } else { schema["properties"].is_object() }
}

/// The name of the schema that this one refers to.
fn referred(schema: &'static Value) -> Option<&'static str> {
    let reference = schema["$ref"].as_str().or_else(|| schema["allOf"][0]["$ref"].as_str());
    reference?.strip_prefix("#/components/schemas/")
}

/// Returns the schema behind all references.
fn resolved(schema: &'static Value) -> &'static Value {
    referred(schema).map_or(schema, |name| resolved(&DOCUMENT["components"]["schemas"][name]))
}

/// Something of a kind that must name what exists.
fn real(schema: &'static Value) -> Option<Value> {
    match referred(schema)? {
        "Constraint" => Some(json!({ "contextName": "userId", "operator": "IN", "values": ["1"] })),
        "CreateFeatureStrategy" | "DefaultStrategyChange" => Some(json!({ "name": "flexibleRollout" })),
        "StrategyUpdatePayload" => Some(json!({ "id": MADE_UP_ID, "name": "flexibleRollout" })),
        "Tag" => Some(json!({ "type": "simple", "value": "beta" })),
        _ => None,
    }
}

/// Returns the operand of a constraint with this operator.
fn operand_of(operator: &Value) -> Map<String, Value> {
    let operand = match operator.as_str().and_then(|operator| operator.split('_').next()) {
        Some("NUM") => json!({ "value": "1" }),
        Some("DATE") => json!({ "contextName": "currentTime", "value": "2027-06-30T00:00:00Z" }),
        Some("SEMVER") => json!({ "value": "1.2.3" }),
        Some("REGEX") => json!({ "value": "a" }),
        _ => json!({}),
    };
    operand.as_object().cloned().unwrap_or_default()
}

fn required(schema: &'static Value) -> Map<String, Value> {
    let names = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    names.map(|name| (name.to_owned(), made_up(&schema["properties"][name]))).collect()
}

fn fits(schema: &'static Value, value: &Value) -> bool {
    match resolved(schema)["type"].as_str() {
        Some("string") => value.is_string(),
        Some("array") => value.is_array(),
        Some("object") => value.as_object().is_some_and(|members| has_its_words(schema, members)),
        Some("integer" | "number") => value.is_number(),
        Some("boolean") => value.is_boolean(),
        _ => true,
    }
}

/// Whether an object has the words by which one side of a union is told from the others.
fn has_its_words(schema: &'static Value, members: &Map<String, Value>) -> bool {
    let properties = resolved(schema)["properties"].as_object().into_iter().flatten();
    let words = properties.filter_map(|(name, property)| Some((name, resolved(property)["enum"].as_array()?)));
    words
        .filter(|(_, words)| words.len() == 1)
        .all(|(name, words)| members.get(name).is_none_or(|word| words.contains(word)))
}

/// Some value that fits a schema, with the texts of another object that it can have, too: they name what exists.
fn alike(schema: &'static Value, other: &Value) -> Value {
    let mut value = made_up(schema);
    let properties = &resolved(schema)["properties"];
    let Some(members) = value.as_object_mut() else { return value };
    for (name, text) in other.as_object().into_iter().flatten().filter(|(_, text)| text.is_string()) {
        let property = resolved(&properties[name]);
        if property["type"] == "string" && property["enum"].is_null() && property["nullable"] != true {
            members.insert(name.clone(), text.clone());
        }
    }
    value
}

/// Some value that fits a schema.
fn made_up(schema: &'static Value) -> Value {
    if let Some(real) = real(schema) {
        return real;
    }
    let schema = resolved(schema);
    if let Some(word) = schema["enum"].get(0) {
        return word.clone();
    }
    match (schema["type"].as_str(), schema["format"].as_str()) {
        (Some("string"), Some("date-time")) => json!("2026-01-15T12:00:00.000Z"),
        (Some("string"), Some("uuid")) => json!(MADE_UP_ID),
        (Some("integer" | "number"), _) => schema.get("minimum").cloned().unwrap_or_else(|| json!(1)),
        (Some("boolean"), _) => json!(false),
        (Some("array"), _) => json!([]),
        (Some("object"), _) => Value::Object(required(schema)),
        (None, _) if !schema["anyOf"].is_null() => made_up(&schema["anyOf"][0]),
        (None, _) if !schema["oneOf"].is_null() => made_up(&schema["oneOf"][0]),
        _ => json!("ab"),
    }
}
