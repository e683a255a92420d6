//! Context fields: properties of an evaluation context that constraints and stickiness name.

use std::collections::HashSet;

use flagstone_wire::Nullable;
use poem_openapi::Object;
use serde::Serialize;

use crate::{
    address::{self, Named},
    text::is_longer,
    time::Timestamp,
};

/// Position in lists of a field that has none of its own.
pub const DEFAULT_SORT_ORDER: i64 = 10;
/// Most characters of a legal value.
const MAX_VALUE_LENGTH: usize = 100;
/// Most characters of the words about a legal value.
const MAX_DESCRIPTION_LENGTH: usize = 1000;

/// A context field: a property of a user or application that constraints and stickiness can use.
#[serde_with_macros::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Default, Object, Serialize)]
#[oai(rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct ContextField {
    /// Unique name of the field, 1 to 100 characters.
    pub name: String,
    /// Description of the field, in at most 250 characters; `null` for none.
    pub description: Option<Nullable<String>>,
    /// Whether the field can be used for stickiness. Absent means false.
    pub stickiness: Option<bool>,
    /// Position in lists, lowest first; ties are sorted by name. Absent means 10.
    #[oai(validator(minimum(value = "-2147483648"), maximum(value = "2147483647")))]
    pub sort_order: Option<i64>,
    /// When the field was created. Ignored by an import.
    pub created_at: Option<Nullable<Timestamp>>,
    /// Number of features that use the field in a constraint of a strategy; in lists only. Ignored by an import.
    pub used_in_features: Option<Nullable<i64>>,
    /// Number of projects that use the field in a constraint of a strategy; in lists only. Ignored by an import.
    pub used_in_projects: Option<Nullable<i64>>,
    /// Id of the only project whose features may use the field, at most 100 characters; absent or `null` for all
    /// projects. An import creates a new field that has one in its target project.
    pub project: Option<Nullable<String>>,
    /// The only values that constraints may name, at most 1000. Absent or empty means any.
    pub legal_values: Option<Vec<LegalValue>>,
}

impl ContextField {
    /// The values that constraints may name, none meaning any.
    pub fn legal(&self) -> &[LegalValue] {
        self.legal_values.as_deref().unwrap_or_default()
    }

    /// Id of the only project whose features may use it; `None` for all.
    pub fn owner(&self) -> Option<&str> {
        self.project.as_ref().and_then(|project| project.0.as_deref())
    }
}

/// A value that constraints on a context field may name.
#[derive(Debug, Clone, PartialEq, Eq, Object, Serialize, serde::Deserialize)]
#[oai(rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct LegalValue {
    /// The value, 1 to 100 characters.
    pub value: String,
    /// Description of the value, in at most 1000 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

impl ContextField {
    /// Returns the field as events record it: without what is counted or dated.
    #[must_use]
    pub fn for_log(&self) -> Self {
        Self { created_at: None, used_in_features: None, used_in_projects: None, ..self.clone() }
    }

    /// The first of the legal values that breaks a rule: its position, the property to blame, and the rule. A value
    /// that is stored already, as `is_stored` says, may go on having no plain address.
    pub fn faulty_value(&self, is_stored: impl Fn(&str) -> bool) -> Option<(usize, &'static str, String)> {
        let mut seen = HashSet::new();
        self.legal().iter().enumerate().find_map(|(index, legal)| {
            let unaddressed = || address::judge(Named::LegalValue, &legal.value).err();
            if legal.value.is_empty() || is_longer(&legal.value, MAX_VALUE_LENGTH) {
                Some((index, "value", format!("must have 1 to {MAX_VALUE_LENGTH} characters")))
            } else if !seen.insert(&*legal.value) {
                Some((index, "value", "repeats a legal value".to_owned()))
            } else if let Some(fault) = unaddressed().filter(|_| !is_stored(&legal.value)) {
                Some((index, "value", fault.to_string()))
            } else if legal.description.as_ref().is_some_and(|text| is_longer(text, MAX_DESCRIPTION_LENGTH)) {
                Some((index, "description", format!("must have at most {MAX_DESCRIPTION_LENGTH} characters")))
            } else {
                None
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(values: &[(&str, Option<&str>)]) -> ContextField {
        let legal = |(value, description): &(&str, Option<&str>)| LegalValue {
            value: (*value).to_owned(),
            description: description.map(str::to_owned),
        };
        ContextField { legal_values: Some(values.iter().map(legal).collect()), ..ContextField::default() }
    }

    #[test]
    fn legal_values_are_short_and_told_apart() {
        let fault = |values: &[(&str, Option<&str>)]| {
            field(values).faulty_value(|_| false).map(|(index, member, _)| (index, member))
        };
        let long = "x".repeat(101);
        assert_eq!(fault(&[]), None);
        assert_eq!(fault(&[("a", None), ("A", Some("")), (&long[1..], Some(&long))]), None);
        assert_eq!(fault(&[("a", None), ("", None)]), Some((1, "value")));
        assert_eq!(fault(&[(&long, None)]), Some((0, "value")));
        assert_eq!(fault(&[("a", None), ("b", None), ("a", None)]), Some((2, "value")));
        assert_eq!(fault(&[("a", Some(&*long.repeat(10)))]), Some((0, "description")));
        assert_eq!(fault(&[("a/b", None), ("..", None)]), Some((1, "value")));
        assert_eq!(field(&[("..", None)]).faulty_value(|value| value == ".."), None);
    }
}
