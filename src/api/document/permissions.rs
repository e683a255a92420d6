//! Permissions of each operation, from its signature: for programs as `x-permission`, for people in a sentence.

use serde_json::{Map, Value, json};

use crate::{api::permitted::Where, domain::permission::Permission};

/// Takes the marks of [`crate::api::permitted::Permitted`] out of the security schemes, and publishes the permissions.
pub(super) fn tell(operation: &mut Map<String, Value>) {
    let Some(security) = operation.get_mut("security").and_then(Value::as_array_mut) else { return };
    let asked: Vec<String> = security.iter().filter_map(Value::as_object).flat_map(Map::keys).cloned().collect();
    let place = Where::ALL.into_iter().find(|place| asked.iter().any(|name| name == place.mark()));
    let Some(place) = place else { return };
    let needs: Vec<&str> = asked.iter().filter_map(|name| Permission::parse(name)).map(Permission::as_str).collect();
    security.retain(|way| {
        let name = way.as_object().and_then(|way| way.keys().next());
        name.is_none_or(|name| name != place.mark() && !needs.contains(&name.as_str()))
    });
    let any_of = needs.iter().map(|need| json!({ "permission": need, "scope": place.scope().as_str() })).collect();
    operation.insert("x-permission".to_owned(), any_of);
    let sentence = sentence(&needs, place);
    let description = match operation.get("description").and_then(Value::as_str) {
        Some(description) => format!("{description} {sentence}"),
        None => sentence,
    };
    let place = operation.keys().position(|member| member == "summary").map_or(0, |place| place + 1);
    operation.shift_remove("description");
    operation.shift_insert(place, "description".to_owned(), description.into());
}

fn sentence(needs: &[&str], place: Where) -> String {
    let needs: Vec<String> = needs.iter().map(|need| format!("`{need}`")).collect();
    format!("Needs {}{}.", needs.join(" or "), place.words())
}
