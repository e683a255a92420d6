//! Reasons why variants cannot be used.

use std::fmt;

use super::size::{
    MAX_FIELD_LENGTH, MAX_OVERRIDE_LENGTH, MAX_PAYLOAD_LENGTH, MOST_OVERRIDE_VALUES, MOST_OVERRIDES, MOST_VARIANTS,
};

/// Reason why a list of variants cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum VariantFault {
    /// The name is empty, too long, or would need encoding in an address.
    Name(String),
    /// Two variants share the name.
    Duplicate(String),
    /// The payload says JSON and is none.
    Payload(String),
    /// The payload is too long.
    LongPayload(String),
    /// The stickiness is too long.
    LongStickiness(String),
    /// The overrides are too many, or list too much.
    LargeOverrides(String),
    /// There are too many variants.
    TooMany,
    /// No variant takes what the fixed ones leave.
    NothingVariable,
    /// The fixed weights exceed the whole.
    TooMuchFixed,
}

impl VariantFault {
    /// JSON pointer from a list of variants with these names to the faulty part; empty for the list itself.
    pub fn pointer(&self, names: &[String]) -> String {
        let at = |name: &String, member: &str| {
            let index = match self {
                Self::Duplicate(_) => names.iter().rposition(|other| other == name),
                _ => names.iter().position(|other| other == name),
            };
            index.map(|index| format!("/{index}/{member}")).unwrap_or_default()
        };
        match self {
            Self::Name(name) | Self::Duplicate(name) => at(name, "name"),
            Self::Payload(name) => at(name, "payload"),
            Self::LongPayload(name) => at(name, "payload/value"),
            Self::LongStickiness(name) => at(name, "stickiness"),
            Self::LargeOverrides(name) => at(name, "overrides"),
            Self::TooMany | Self::NothingVariable | Self::TooMuchFixed => String::new(),
        }
    }
}

impl fmt::Display for VariantFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => write!(f, "the variant name {name:?} is not URL friendly"),
            Self::Duplicate(name) => write!(f, "two variants are named {name:?}"),
            Self::Payload(name) => write!(f, "the payload of the variant {name:?} is not JSON"),
            Self::LongPayload(name) => write!(
                f,
                "the payload of the variant {name:?} is too long: it may have at most {MAX_PAYLOAD_LENGTH} characters"
            ),
            Self::LongStickiness(name) => write!(
                f,
                "the stickiness of the variant {name:?} is too long: it may have at most {MAX_FIELD_LENGTH} characters"
            ),
            Self::LargeOverrides(name) => write!(
                f,
                "the overrides of the variant {name:?} are too many or too long: at most {MOST_OVERRIDES}, each with a \
                 contextName of at most {MAX_FIELD_LENGTH} characters and at most {MOST_OVERRIDE_VALUES} values of at \
                 most {MAX_OVERRIDE_LENGTH} characters"
            ),
            Self::TooMany => write!(f, "there may be at most {MOST_VARIANTS} variants"),
            Self::NothingVariable => f.write_str("at least one variant must have a variable weight"),
            Self::TooMuchFixed => f.write_str("the fixed weights total more than 1000"),
        }
    }
}
