use super::{Refusal, list};
use crate::event_filter::fold_case;

/// Texts of which one that occurs is enough; upper and lower case count as equal.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TextQuery {
    /// The texts with their case folded, each once. Without any everything passes.
    pub alternatives: Vec<String>,
}

impl TextQuery {
    /// Most alternatives of one query. Short ones are looked for in every name, so their number is work.
    pub const MAX_ALTERNATIVES: usize = 50;

    /// Reads alternatives that commas separate.
    pub fn parse(text: &str) -> Result<Self, Refusal> {
        Ok(Self { alternatives: list(&fold_case(text), Self::MAX_ALTERNATIVES)? })
    }
}
