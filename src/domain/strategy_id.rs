//! Ids of strategies that another server gave.

use flagstone_wire::plain_type;
use poem_openapi::{
    registry::MetaSchema,
    types::{ParseError, ParseFromJSON, ParseResult, ToJSON},
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

/// The alphabet of a ULID, in which letters that look like digits are missing.
const ALPHABET: &[u8] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
/// Characters of a ULID, each of five bits.
const ULID_LENGTH: usize = 26;

/// Reads a UUID, or a ULID as the UUID of the same 128 bits, so that the same id is the same here whenever it comes.
pub fn parse(text: &str) -> Option<Uuid> {
    Uuid::parse_str(text).ok().or_else(|| parse_ulid(text))
}

/// The id of a strategy, always written as a UUID.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct StrategyId(pub Uuid);

plain_type!(StrategyId, "string_uuid", MetaSchema::new_with_format("string", "uuid"));

impl ParseFromJSON for StrategyId {
    fn parse_from_json(value: Option<Value>) -> ParseResult<Self> {
        let id = value.as_ref().and_then(Value::as_str).and_then(parse);
        id.map(Self).ok_or_else(ParseError::expected_input)
    }
}

impl ToJSON for StrategyId {
    fn to_json(&self) -> Option<Value> {
        Some(Value::String(self.0.to_string()))
    }
}

fn parse_ulid(text: &str) -> Option<Uuid> {
    if text.len() != ULID_LENGTH {
        return None;
    }
    let mut bits: u128 = 0;
    for sign in text.bytes() {
        let digit = ALPHABET.iter().position(|known| known.eq_ignore_ascii_case(&sign))?;
        // The first digit has only three bits to give.
        let shifted = bits.checked_mul(1 << 5)?;
        bits = shifted | u128::try_from(digit).ok()?;
    }
    Some(Uuid::from_u128(bits))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_are_read_and_nothing_else() {
        let uuid = "0190163d-8694-739b-aea5-966c26f8ad91";
        for same in [uuid, "01J0B3V1MMEEDTX9CPDGKFHBCH", "01j0b3v1mmeedtx9cpdgkfhbch"] {
            assert_eq!(parse(same).map(|id| id.to_string()).as_deref(), Some(uuid), "{same}");
        }
        assert_eq!(parse("7ZZZZZZZZZZZZZZZZZZZZZZZZZ"), Some(Uuid::from_u128(u128::MAX)));
        for none in ["", "01J0B3V1MMEEDTX9CPDGKFHBC", "01J0B3V1MMEEDTX9CPDGKFHBCU", "80000000000000000000000000"] {
            assert_eq!(parse(none), None, "{none}");
        }
    }
}
