//! Variants with their payloads.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use super::Row;
use crate::variant::PayloadKind;

/// Reads variants, of features or of strategies. What has no form here is put right: a payload of another type is a text,
/// a weight that is no number is 0. One without a name is left out.
pub fn variants<T: DeserializeOwned>(row: &Row<'_>, column: &str) -> Vec<T> {
    let Some(items) = row.objects(column, "weight") else {
        row.left_out(column, "is no list of variants");
        return Vec::new();
    };
    let mut read = Vec::new();
    for item in items {
        if let Ok(variant) = serde_json::from_value(item.whole().clone()) {
            read.push(variant);
            continue;
        }
        let Some(name) = item.find_text("name") else {
            item.is_left_out("is no variant: it has no name");
            continue;
        };
        let variant = completed(&item, &name);
        match serde_json::from_value(variant.clone()).or_else(|_| serde_json::from_value(rounded(&item, variant))) {
            Ok(variant) => read.push(variant),
            Err(_) => item.is_left_out("has a form that is not known here"),
        }
    }
    read
}

fn completed(item: &Row<'_>, name: &str) -> Value {
    let mut variant = Map::from_iter([("name".to_owned(), json!(name))]);
    let weight = match item.value("weight") {
        Value::Number(number) => json!(number),
        Value::String(text) if text.trim().parse::<f64>().is_ok_and(f64::is_finite) => {
            item.changed("weight", "is taken as the number");
            serde_json::from_str(text.trim()).unwrap_or_else(|_| json!(0))
        }
        _ => {
            item.changed("weight", "is taken as 0");
            json!(0)
        }
    };
    variant.insert("weight".to_owned(), weight);
    let kind = match item.value("weightType") {
        Value::String(kind) if kind == "fix" || kind == "variable" => kind.clone(),
        Value::Null => "variable".to_owned(),
        _ => {
            item.changed("weightType", "is taken as variable");
            "variable".to_owned()
        }
    };
    variant.insert("weightType".to_owned(), json!(kind));
    let stickiness = item.find_text("stickiness").unwrap_or_else(|| "default".to_owned());
    variant.insert("stickiness".to_owned(), json!(stickiness));
    if let Some(payload) = payload(item) {
        variant.insert("payload".to_owned(), payload);
    }
    if let Some(overrides) = overrides(item) {
        variant.insert("overrides".to_owned(), overrides);
    }
    Value::Object(variant)
}

/// Returns a variant whose weight is whole, for where no other is stored.
fn rounded(item: &Row<'_>, mut variant: Value) -> Value {
    let whole = variant["weight"].as_f64().map_or(0.0, f64::round).clamp(0.0, 1000.0);
    let whole: i64 = format!("{whole:.0}").parse().unwrap_or_default();
    item.changed("weight", format!("is taken as {whole}"));
    variant["weight"] = json!(whole);
    variant
}

fn payload(item: &Row<'_>) -> Option<Value> {
    let payload = match item.value("payload") {
        Value::Null => return None,
        Value::Object(members) => members,
        _ => {
            item.left_out("payload", "is no payload");
            return None;
        }
    };
    let kind = payload.get("type").unwrap_or(&Value::Null);
    let is_known = serde_json::from_value::<PayloadKind>(kind.clone()).is_ok();
    if !is_known {
        item.record("payload.type", kind, false, "is taken as string");
    }
    let value = match payload.get("value").unwrap_or(&Value::Null) {
        Value::String(text) => text.clone(),
        Value::Null => {
            item.record("payload.value", &Value::Null, false, "is taken as an empty text");
            String::new()
        }
        other => {
            item.record("payload.value", other, false, "is taken as a text");
            other.to_string()
        }
    };
    Some(json!({ "type": if is_known { kind.clone() } else { json!("string") }, "value": value }))
}

fn overrides(item: &Row<'_>) -> Option<Value> {
    if item.value("overrides").is_null() {
        return None;
    }
    let Some(rows) = item.objects("overrides", "contextName") else {
        item.left_out("overrides", "is no list of overrides");
        return None;
    };
    let read = rows.iter().filter_map(|row| {
        let name = row.text("contextName")?;
        Some(json!({ "contextName": name, "values": row.texts("values") }))
    });
    Some(read.collect())
}
