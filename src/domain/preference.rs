//! Settings of the instance that hold no secret, so that events show their values.

use poem_openapi::Object;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Value, json};

use crate::{actor::Actor, event::NewEvent, event_kind::EventKind};

/// A setting that is stored as it is.
pub trait Preference: Clone + PartialEq + Serialize + DeserializeOwned + Default + Send + Sync {
    /// Its id in the store and in events.
    const ID: &'static str;

    /// Returns the event that the setting changed from `before`, `None` when it has never been made and `unset` is in
    /// force; nothing when it did not change.
    fn changed(&self, before: Option<&Self>, unset: &Self, actor: &Actor) -> Option<NewEvent> {
        if before.unwrap_or(unset) == self {
            return None;
        }
        Some(match before {
            Some(before) => {
                NewEvent::new(EventKind::SettingUpdated, actor).with_data(&told(self)).with_pre_data(&told(before))
            }
            None => NewEvent::new(EventKind::SettingCreated, actor).with_data(&told(self)),
        })
    }
}

fn told<T: Preference>(preference: &T) -> Value {
    let mut told = json!({ "id": T::ID });
    if let (Value::Object(told), Ok(Value::Object(values))) = (&mut told, serde_json::to_value(preference)) {
        told.extend(values);
    }
    told
}

/// Whether the instance is under maintenance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, Object)]
pub struct Maintenance {
    /// Whether changes are refused for all users.
    pub enabled: bool,
}

impl Preference for Maintenance {
    const ID: &'static str = "maintenance.mode";
}

/// CORS settings of the frontend API.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, Object)]
#[oai(rename = "FrontendSettings", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct Frontend {
    /// Origins of the pages that may use the frontend API and OFREP, such as `https://shop.example.com`; `*` stands for
    /// any. At most 100 of at most 255 characters. Empty means none.
    #[oai(validator(max_items = 100, max_length = 255))]
    pub frontend_api_origins: Vec<String>,
}

impl Preference for Frontend {
    const ID: &'static str = "unleash.frontend";
}

/// Whether a text is an origin: scheme, host and perhaps port, and nothing else; or `*`.
pub fn is_origin(text: &str) -> bool {
    if text == "*" {
        return true;
    }
    let Ok(url) = url::Url::parse(text) else { return false };
    matches!(url.scheme(), "http" | "https") && url.origin().ascii_serialization() == text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins_have_no_path() {
        for origin in ["*", "https://shop.example.com", "http://localhost:3000"] {
            assert!(is_origin(origin), "{origin}");
        }
        for other in
            ["", "shop.example.com", "https://shop.example.com/", "ftp://x", "https://a@b", "https://*.a.com/x"]
        {
            assert!(!is_origin(other), "{other}");
        }
    }

    #[test]
    fn a_setting_that_stays_what_it_was_leaves_no_event() {
        let actor = Actor::new(1, "ada");
        let (on, off) = (Maintenance { enabled: true }, Maintenance { enabled: false });
        assert_eq!(off.changed(None, &off, &actor), None);
        assert_eq!(on.changed(Some(&on), &off, &actor), None);
        assert_eq!(on.changed(None, &on, &actor), None);
        let created = on.changed(None, &off, &actor).expect("an event");
        assert_eq!(created.kind, EventKind::SettingCreated);
        assert_eq!(created.data, Some(json!({ "id": "maintenance.mode", "enabled": true })));
        let updated = off.changed(Some(&on), &off, &actor).expect("an event");
        assert_eq!(updated.pre_data, Some(json!({ "id": "maintenance.mode", "enabled": true })));
    }
}
