//! Strategy types: the kinds of strategies, and the parameters that each takes.

use std::collections::HashSet;

use flagstone_wire::Nullable;
use poem_openapi::{Enum, Object};
use serde::{Deserialize, Serialize};

/// Type of the value of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum, Serialize, Deserialize)]
#[oai(rename = "StrategyParameterType", rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum ParameterKind {
    /// Any text.
    String,
    /// A number from 0 to 100.
    Percentage,
    /// Texts, separated by commas.
    List,
    /// A number.
    Number,
    /// `true` or `false`.
    Boolean,
}

/// A parameter that strategies of a type take.
#[derive(Debug, Clone, PartialEq, Eq, Object, Serialize, Deserialize)]
#[oai(rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct StrategyParameter {
    /// Name of the parameter, unique within the type.
    #[oai(validator(min_length = 1, max_length = 100))]
    pub name: String,
    /// Type of the parameter's value.
    #[serde(rename = "type")]
    #[oai(rename = "type")]
    pub kind: ParameterKind,
    /// Description of the parameter. Absent means none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[oai(validator(max_length = 1000))]
    pub description: Option<String>,
    /// Whether the parameter is required. Absent means false. Not enforced: a hint for forms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub required: Option<bool>,
}

/// A kind of strategy.
#[derive(Debug, Clone, PartialEq, Eq, Object, Serialize)]
#[oai(rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct StrategyType {
    /// Unique name, such as `flexibleRollout`.
    pub name: String,
    /// Title for people; `null` for none.
    pub title: Nullable<String>,
    /// Title of the type, as `title`, for older clients.
    pub display_name: Nullable<String>,
    /// Description of strategies of this type; may be empty.
    pub description: String,
    /// Whether it can be changed and deleted. Built-in types cannot.
    pub editable: bool,
    /// Whether it should no longer be used for new strategies. Existing strategies keep working.
    pub deprecated: bool,
    /// The parameters that strategies of this type take, in the order of forms.
    pub parameters: Vec<StrategyParameter>,
}

/// Properties of a strategy type that can be changed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StrategyTypeDefinition {
    /// Title for people.
    pub title: Option<String>,
    /// Description of strategies of this type.
    pub description: String,
    /// The parameters that strategies of this type take.
    pub parameters: Vec<StrategyParameter>,
}

impl StrategyTypeDefinition {
    /// Returns the form that is stored, or the position of a parameter whose name an earlier one has.
    pub fn settled(mut self) -> Result<Self, usize> {
        let mut names = HashSet::new();
        if let Some(repeated) = self.parameters.iter().position(|parameter| !names.insert(&parameter.name)) {
            return Err(repeated);
        }
        for parameter in &mut self.parameters {
            parameter.description.get_or_insert_default();
            parameter.required.get_or_insert_default();
        }
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_get_their_defaults_and_differ_in_name() {
        let parameter = |name: &str| StrategyParameter {
            name: name.to_owned(),
            kind: ParameterKind::List,
            description: None,
            required: None,
        };
        let with = |parameters| StrategyTypeDefinition { parameters, ..StrategyTypeDefinition::default() };
        let settled = with(vec![parameter("a")]).settled().expect("sound");
        assert_eq!(
            (settled.parameters[0].description.as_deref(), settled.parameters[0].required),
            (Some(""), Some(false))
        );
        assert_eq!(with(vec![parameter("a"), parameter("b"), parameter("a")]).settled(), Err(2));
    }
}
