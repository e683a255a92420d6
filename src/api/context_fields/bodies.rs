//! Bodies about context fields.

use poem_openapi::Object;
use serde::Serialize;

use crate::{
    domain::{
        context_field::{ContextField, DEFAULT_SORT_ORDER, LegalValue},
        strategy_use::StrategyUse,
    },
    wire::{AtMost, Nullable},
};

/// A context field to create.
#[derive(Debug, Clone, Object)]
#[oai(rename = "CreateContextField", rename_all = "camelCase")]
pub struct CreateContextFieldBody {
    /// Unique name: 1 to 100 characters that need no encoding in a URL.
    #[oai(validator(min_length = 1, max_length = 100, pattern = r"^[A-Za-z0-9_.!~*'()-]*$"))]
    pub name: String,
    /// Description of the field, at most 250 characters. Absent or `null` means none.
    #[oai(validator(max_length = 250))]
    pub description: Option<Nullable<String>>,
    /// Whether the field can be used for stickiness. Absent means false.
    pub stickiness: Option<bool>,
    /// Position in manually ordered lists, lowest first. Absent means 10.
    #[oai(validator(minimum(value = "-2147483648"), maximum(value = "2147483647")))]
    pub sort_order: Option<i64>,
    /// The only values that constraints may name, at most 1000, each of 1 to 100 characters and no two the same. Absent
    /// or empty means any value.
    pub legal_values: Option<AtMost<1000, LegalValue>>,
}

/// Settings of a context field. What is absent is reset, except the position.
#[derive(Debug, Clone, Object)]
#[oai(rename = "UpdateContextField", rename_all = "camelCase")]
pub struct UpdateContextFieldBody {
    /// Description of the field, at most 250 characters. Absent or `null` means none.
    #[oai(validator(max_length = 250))]
    pub description: Option<Nullable<String>>,
    /// Whether the field can be used for stickiness. Absent means false.
    pub stickiness: Option<bool>,
    /// Position in manually ordered lists, lowest first. Absent means that it stays.
    #[oai(validator(minimum(value = "-2147483648"), maximum(value = "2147483647")))]
    pub sort_order: Option<i64>,
    /// The only values that constraints may name, at most 1000, each of 1 to 100 characters and no two the same. Absent
    /// or empty means any value. A list without a current value that is in use is refused; existing constraints with
    /// other values stay until they are changed.
    pub legal_values: Option<AtMost<1000, LegalValue>>,
}

/// A name for a context field.
#[derive(Debug, Clone, Object)]
#[oai(rename = "ContextFieldName")]
pub struct ContextFieldNameBody {
    /// The name: 1 to 100 characters that need no encoding in a URL.
    #[oai(validator(min_length = 1, max_length = 100, pattern = r"^[A-Za-z0-9_.!~*'()-]*$"))]
    pub name: String,
}

/// The strategies that use something.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "ContextFieldStrategies")]
pub struct ContextFieldStrategiesBody {
    /// The strategies, by feature, environment and id.
    pub strategies: Vec<StrategyUse>,
}

impl CreateContextFieldBody {
    /// The field that it describes, of a project or of the whole instance.
    pub(super) fn into_field(self, project: Option<&str>) -> ContextField {
        ContextField {
            name: self.name,
            description: Some(self.description.unwrap_or_default()),
            stickiness: Some(self.stickiness.unwrap_or_default()),
            sort_order: Some(self.sort_order.unwrap_or(DEFAULT_SORT_ORDER)),
            legal_values: Some(self.legal_values.map(|list| list.0).unwrap_or_default()),
            project: project.map(|project| Nullable(Some(project.to_owned()))),
            ..ContextField::default()
        }
    }
}

impl UpdateContextFieldBody {
    /// The field after the change.
    pub(super) fn applied_to(self, before: &ContextField) -> ContextField {
        ContextField {
            description: Some(self.description.unwrap_or_default()),
            stickiness: Some(self.stickiness.unwrap_or_default()),
            sort_order: self.sort_order.or(before.sort_order),
            legal_values: Some(self.legal_values.map(|list| list.0).unwrap_or_default()),
            ..before.clone()
        }
    }
}
